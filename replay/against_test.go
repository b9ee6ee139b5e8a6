package replay_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/replay"
	"github.com/spoorhq/spoor/tool"
)

// desk is a map whose walk hangs on the limit of one guard.
func desk(limit float64) *spoor.Map {
	return &spoor.Map{
		Skills: []spoor.Skill{
			{ID: "triage", Body: "Rate the order.", Tools: []string{"assess_risk"}},
			{ID: "refunds", Body: "Pay it back."},
			{ID: "escalation", Body: "Say who takes over."},
		},
		Start: spoor.Start{Use: "triage"},
		Steps: []spoor.Step{
			{From: "triage", To: "escalation", OnToolReturn: "assess_risk", Guard: guard.Guard{guard.In("riskLevel", "high", "critical"), guard.Gte("score", limit)}},
			{From: "triage", To: "refunds", OnToolReturn: "assess_risk", Guard: guard.Guard{guard.Lt("score", 0.5)}},
			{From: "refunds", To: "triage"},
		},
	}
}

// replies is a model that says one thing after the other.
type replies [][]model.Part

func (r *replies) Call(context.Context, *model.Request, func(model.Delta)) (model.Reply, error) {
	if len(*r) == 0 {
		return model.Reply{Parts: say("Done.")}, nil
	}
	next := (*r)[0]
	*r = (*r)[1:]
	return model.Reply{Parts: next}, nil
}

func say(text string) []model.Part { return []model.Part{{Kind: model.Text, Data: text}} }

func calls(nameArgs ...string) (parts []model.Part) {
	for i := 0; i < len(nameArgs); i += 2 {
		parts = append(parts, model.Part{Kind: model.Call, Tool: nameArgs[i], Data: nameArgs[i+1]})
	}
	return parts
}

// does is a tool that gives one result after the other.
func does(name string, results ...string) tool.Tool {
	return tool.Tool{Name: name, Call: func(context.Context, string) (tool.Result, error) {
		text := results[0]
		if len(results) > 1 {
			results = results[1:]
		}
		return tool.Result{Text: text}, nil
	}}
}

// run walks a conversation.
func run(t testing.TB, c agent.Config, messages ...string) *recording.Recording {
	t.Helper()
	if c.Conditions == nil {
		c.Conditions = cond.CEL
	}
	c.Check = agent.CheckOff
	a, err := agent.New(c)
	if err != nil {
		t.Fatal(err)
	}
	var rec *recording.Recording
	for i, message := range messages {
		var out *agent.Run
		if i == 0 {
			out, err = a.Run(context.Background(), message)
		} else {
			out, err = a.Reply(context.Background(), rec, message)
		}
		if out == nil {
			t.Fatal(err)
		}
		rec = out.Recording
	}
	return rec
}

// A replayed run that is walked again stays assumed from where it was.
func TestAssumedStaysAssumed(t *testing.T) {
	m := replies{calls("assess_risk", `{"order":1}`), calls("assess_risk", `{"order":2}`)}
	rec := run(t, agent.Config{Map: desk(0.7), Model: &m, Tools: []tool.Tool{does("assess_risk", `{"riskLevel":"high","score":0.65}`)}}, "Order 1")
	once, err := replay.Against(rec, replay.Edit{Map: desk(0.6)})
	if err != nil || once.Assumed == nil {
		t.Fatal(once, err)
	}
	from := once.Assumed.Event
	if of, n, ok := explain.Replayed(once.Recording.Run); of != rec.Run || n != from || !ok {
		t.Errorf("the replayed run is %s, and is assumed from event %d on", once.Recording.Run, from)
	}
	if p := replay.Reproduce(once.Recording, nil); !p.Same {
		t.Errorf("%s", p)
	}
	for edit, want := range map[string]int{"nothing": from, "the message": 4} {
		e := replay.Edit{}
		if edit == "the message" {
			e.Pieces = map[model.Digest]string{model.Sum("Order 1"): "Order 2"}
		}
		twice, err := replay.Against(once.Recording, e)
		if err != nil || twice.Assumed == nil || twice.Assumed.Event != want {
			t.Fatalf("%s is edited: %+v, %v", edit, twice, err)
		}
		if of, n, _ := explain.Replayed(twice.Recording.Run); of != once.Recording.Run || n != want {
			t.Errorf("%s is edited: the run is %s", edit, twice.Recording.Run)
		}
		for _, mv := range twice.Moves {
			if (mv.Evidence == explain.Assumed) != (mv.Now.Event >= want) {
				t.Errorf("%s is edited: the move of event %d is %s", edit, mv.Now.Event, mv.Evidence)
			}
		}
	}
}

// A limit of one guard is edited. Of forty recordings those are told whose
// cursor goes elsewhere, and no others; an oracle that judges the guards by
// itself finds the same ones.
func TestALimitIsEdited(t *testing.T) {
	const was, now = 0.7, 0.6
	type rating struct {
		RiskLevel string  `json:"riskLevel"`
		Score     float64 `json:"score"`
	}
	// walk is where the ratings lead, one a call.
	walk := func(limit float64, ratings []rating) (path []string) {
		at := "triage"
		path = append(path, at)
		for _, r := range ratings {
			switch {
			case at != "triage":
			case (r.RiskLevel == "high" || r.RiskLevel == "critical") && r.Score >= limit:
				at = "escalation"
			case r.Score < 0.5:
				at = "refunds"
			}
			path = append(path, at)
		}
		return path
	}
	rng := rand.New(rand.NewPCG(5, 40))
	changed, unchanged := 0, 0
	for i := range 40 {
		ratings := make([]rating, 1+rng.IntN(3))
		results := make([]string, len(ratings))
		var m replies
		for j := range ratings {
			ratings[j] = rating{[]string{"low", "high", "critical"}[rng.IntN(3)], float64(50+rng.IntN(30)) / 100}
			data, err := json.Marshal(ratings[j])
			if err != nil {
				t.Fatal(err)
			}
			results[j] = string(data)
			m = append(m, calls("assess_risk", fmt.Sprintf(`{"order":%d}`, j)))
		}
		rec := run(t, agent.Config{Map: desk(was), Model: &m, Tools: []tool.Tool{does("assess_risk", results...)}}, fmt.Sprintf("Order %d", i))
		same(t, rec)
		r, err := replay.Against(rec, replay.Edit{Map: desk(now)})
		if err != nil {
			t.Fatal(err)
		}
		before, after := walk(was, ratings), walk(now, ratings)
		var got, gotWas []string
		for _, m := range r.Moves {
			got, gotWas = append(got, m.Now.To), append(gotWas, m.Was.To)
		}
		if !slices.Equal(gotWas, before) || !slices.Equal(got, after) {
			t.Errorf("%v: the walk was %v and is %v, want %v and %v", ratings, gotWas, got, before, after)
		}
		if r.Same != slices.Equal(before, after) {
			t.Errorf("%v: same is %v, and the oracle walks %v and %v", ratings, r.Same, before, after)
		}
		if r.Same {
			unchanged++
			continue
		}
		changed++
		at := 0
		for before[at] == after[at] {
			at++
		}
		move := r.Moves[at]
		if !move.Changed || move.Evidence != explain.Counterfactual || len(move.Guards) != 1 {
			t.Fatalf("%v: the first changed move is %+v", ratings, move)
		}
		score := guard.Of(ratings[at-1].Score).String()
		row := move.Guards[0]
		if row.Was == nil || row.Now == nil || row.Was.Passed || !row.Now.Passed || len(row.Now.Conditions) != 2 || row.Now.Conditions[1].Actual != score || row.Was.Conditions[1].Actual != score {
			t.Errorf("%v: the row is %+v", ratings, row)
		}
		if r.FirstDivergence == nil || r.FirstDivergence.Class != replay.ByMap || r.FirstDivergence.Iteration != at+1 {
			t.Errorf("%v: the first divergence is %+v", ratings, r.FirstDivergence)
		}
		for _, m := range r.Moves[at+1:] {
			if m.Evidence != explain.Assumed {
				t.Errorf("%v: iteration %d is %s", ratings, m.Iteration, m.Evidence)
			}
		}
	}
	if changed < 5 || unchanged < 5 {
		t.Errorf("%d recordings change and %d do not, which proves little", changed, unchanged)
	}
}

// What is edited is known by its digest; one that is in no event is an error
// that names what is near, and so is what follows from the rest.
func TestEditsThatNameNothing(t *testing.T) {
	rec := run(t, agent.Config{Map: desk(0.7), Model: &replies{calls("assess_risk", "{}")}, Tools: []tool.Tool{does("assess_risk", `{"score":0.1}`)}}, "Order 1")
	var menu model.Digest
	for _, e := range rec.Events {
		if b, ok := e.Body.(*event.Called); ok {
			for _, p := range b.Splices[0].Put {
				if p.Kind == model.Menu {
					menu = p.Piece
				}
			}
		}
	}
	for _, c := range []struct {
		edit replay.Edit
		want string
	}{
		{replay.Edit{Pieces: map[model.Digest]string{model.Sum("never said"): "x"}}, "nearest to it are: "},
		{replay.Edit{Pieces: map[model.Digest]string{menu: "x"}}, "is what the walk itself said in event"},
		{replay.Edit{Results: map[string]string{"i9.9": "x"}}, "there is no result of a call i9.9; these returned: i1.1"},
		{replay.Edit{Turn: 2}, "has no turn 2; it has 1 turn"},
		{replay.Edit{Map: &spoor.Map{Skills: []spoor.Skill{{ID: "a"}}, Steps: []spoor.Step{{From: "a", To: "b"}}}}, `there is no skill "b"`},
	} {
		if _, err := replay.Against(rec, c.edit); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the error is %v, want %q in it", err, c.want)
		}
	}
	var problems spoor.Problems
	if _, err := replay.Against(rec, replay.Edit{Map: &spoor.Map{Steps: []spoor.Step{{From: "a", To: "b"}}}}); !errors.As(err, &problems) || len(problems) != 2 {
		t.Errorf("the error is %v, want both problems", err)
	}
}

// A condition that is bound in the program that made the recording has the
// verdict of the record, whichever clause it stands on.
func TestConditionsThatAreBoundElsewhere(t *testing.T) {
	bind := map[string]spoor.Condition{
		"urgent": func(s spoor.Situation) (bool, error) { return strings.Contains(s.Facts.UserMessage, "now"), nil },
		"angry":  func(s spoor.Situation) (bool, error) { return strings.Contains(s.Facts.UserMessage, "!"), nil },
		"risky":  func(s spoor.Situation) (bool, error) { return strings.Contains(s.Result.Text, "high"), nil },
		"broken": func(s spoor.Situation) (bool, error) { return false, errors.New("no line to the rating") },
		"late":   func(s spoor.Situation) (bool, error) { return s.Facts.Iteration > 1, nil },
	}
	m := &spoor.Map{
		Skills: []spoor.Skill{{ID: "a", Body: "A.", Tools: []string{"rate"}}, {ID: "b", Body: "B."}, {ID: "c", Body: "C."}},
		Start: spoor.Start{Rules: []spoor.Rule{
			{Use: "b", When: "broken"}, {Use: "c", When: "urgent"}, {Use: "a", When: "angry"}, {Use: "b", When: "angry"},
		}},
		Steps: []spoor.Step{
			{From: "a", To: "b", OnToolReturn: "rate", Guard: guard.Guard{guard.Eq("level", "none")}},
			{From: "a", To: "c", When: "broken"},
			{From: "a", To: "b", When: "risky"},
			{From: "a", To: "c", OnToolReturn: "rate", Guard: guard.Guard{guard.Eq("level", "low")}},
		},
	}
	tree := &spoor.Map{
		Skills: []spoor.Skill{{ID: "a", Body: "A."}, {ID: "b", Body: "B."}},
		Tree:   &spoor.Tree{When: "angry", WhenTrue: &spoor.Tree{Skill: "a"}, WhenFalse: &spoor.Tree{When: "late", WhenTrue: &spoor.Tree{Skill: "a"}, WhenFalse: &spoor.Tree{Skill: "b"}}},
	}
	in := spoor.Injections{
		Skills:       []spoor.AgentSkill{{Skill: spoor.Skill{ID: "tone", Body: "Be calm."}, When: "late"}},
		Instructions: []spoor.Instruction{{ID: "vat", When: "angry", Text: "Name the VAT."}, {ID: "no", When: "broken", Text: "Never."}},
	}
	none, low, high := `{"level":"none"}`, `{"level":"low"}`, `{"level":"high"}`
	for name, c := range map[string]struct {
		m       *spoor.Map
		message string
		replies replies
		results []string
	}{
		"a rule":                 {m, "Do it now!", nil, []string{none}},
		"a rule below":           {m, "Do it!", replies{calls("rate", "{}")}, []string{high}},
		"no rule":                {m, "Well.", nil, []string{none}},
		"a guard":                {m, "Do it!", replies{calls("rate", "{}")}, []string{low}},
		"the second of a batch":  {m, "Do it!", replies{calls("rate", "{}", "rate", `{"n":2}`, "rate", `{"n":3}`)}, []string{"{}", high, low}},
		"a conflict":             {m, "Do it!", replies{calls("rate", "{}", "rate", `{"n":2}`)}, []string{high, low}},
		"a conflict, it loses":   {m, "Do it!", replies{calls("rate", "{}", "rate", `{"n":2}`)}, []string{low, high}},
		"of a batch, both":       {m, "Do it!", replies{calls("rate", "{}", "rate", `{"n":2}`)}, []string{high, high}},
		"after a guard, both":    {m, "Do it!", replies{calls("rate", "{}", "rate", `{"n":2}`)}, []string{none, high}},
		"nothing fires":          {m, "Do it!", replies{calls("rate", "{}"), calls("rate", `{"n":2}`)}, []string{"{}"}},
		"a tree":                 {tree, "Do it!", replies{calls("rate", "{}")}, []string{"{}"}},
		"a tree, the other side": {tree, "Do it.", replies{calls("rate", "{}")}, []string{"{}"}},
	} {
		t.Run(name, func(t *testing.T) {
			rec := run(t, agent.Config{Map: c.m, Conditions: &cond.Set{Funcs: bind}, Injections: in, Model: &c.replies, Tools: []tool.Tool{does("rate", c.results...)}}, c.message)
			p := replay.Reproduce(rec, bytes.NewReader(written(t, rec)))
			if !p.Same || len(p.Assumed) == 0 {
				t.Fatalf("%s\nassumed: %v", p, p.Assumed)
			}
			r, err := replay.Against(rec, replay.Edit{})
			if err != nil || !r.Same || len(r.Conditions) == 0 || r.Assumed != nil {
				t.Fatalf("%v\n%s", err, r)
			}
			for _, m := range r.Moves {
				if m.Evidence != explain.Assumed {
					t.Errorf("the move of iteration %d is %s, and rests on a verdict of the record", m.Iteration, m.Evidence)
				}
			}
			// The program that binds them can ask them.
			r, err = replay.Against(rec, replay.Edit{Conditions: bind})
			if err != nil || !r.Same || len(r.Conditions) > 0 {
				t.Fatalf("%v\n%s", err, r)
			}
		})
	}
}

// On an edited result the record has no verdict of a condition that cannot be
// asked, so from there on nothing is exact.
func TestABoundConditionInAnotherSituation(t *testing.T) {
	bind := map[string]spoor.Condition{"risky": func(s spoor.Situation) (bool, error) { return strings.Contains(s.Result.Text, "high"), nil }}
	m := &spoor.Map{
		Skills: []spoor.Skill{{ID: "a", Tools: []string{"rate"}}, {ID: "b", Body: "B."}},
		Start:  spoor.Start{Use: "a"}, Steps: []spoor.Step{{From: "a", To: "b", When: "risky", Label: "risky"}},
	}
	rec := run(t, agent.Config{Map: m, Conditions: &cond.Set{Funcs: bind}, Model: &replies{calls("rate", "{}")}, Tools: []tool.Tool{does("rate", "low")}}, "Hello.")
	edit := replay.Edit{Results: map[string]string{"i1.1": "high"}}
	r, err := replay.Against(rec, edit)
	if err != nil || r.Assumed == nil || r.Moves[0].Evidence != explain.Counterfactual || r.Moves[1].Evidence != explain.Assumed || r.Assumed.Event != r.Moves[1].Now.Event {
		t.Errorf("%v\n%s", err, r)
	}
	edit.Conditions = bind
	r, err = replay.Against(rec, edit)
	if err != nil || r.Moves[1].Now.To != "b" || r.Moves[1].Evidence != explain.Counterfactual {
		t.Errorf("asked, the condition holds now: %v\n%s", err, r)
	}
	// A step that moved in the map is the same step.
	edited := *m
	edited.Steps = []spoor.Step{{From: "b", To: "a"}, m.Steps[0]}
	r, err = replay.Against(rec, replay.Edit{Map: &edited})
	if err != nil || len(r.Conditions) == 0 || r.Assumed != nil && strings.Contains(r.Assumed.Why, "program") {
		t.Errorf("%v\n%s", err, r)
	}
}

// Only one turn is walked with the edit: those before it are as they were.
func TestOneTurn(t *testing.T) {
	rec := run(t, agent.Config{Map: desk(0.7), Continuity: spoor.ContinueConversation,
		Model: &replies{calls("assess_risk", "{}"), say("One."), calls("assess_risk", `{"n":2}`), say("Two."), say("Three.")},
		Tools: []tool.Tool{does("assess_risk", `{"riskLevel":"high","score":0.65}`)}}, "One?", "Two?", "Three?")
	same(t, rec)
	all, err := replay.Against(rec, replay.Edit{Map: desk(0.6)})
	if err != nil {
		t.Fatal(err)
	}
	if all.Turns != 3 || all.FirstDivergence.Turn != 1 {
		t.Errorf("%d turns, the first divergence in turn %d", all.Turns, all.FirstDivergence.Turn)
	}
	one, err := replay.Against(rec, replay.Edit{Map: desk(0.6), Turn: 2})
	if err != nil {
		t.Fatal(err)
	}
	if one.Turns != 1 || one.FirstDivergence.Turn != 2 || one.Moves[0].Turn != 2 || one.Moves[0].Changed || !one.Moves[1].Changed || one.Moves[1].Evidence != explain.Counterfactual {
		t.Errorf("turn 2 alone:\n%s", one)
	}
	if end := one.Recording.Finished(); end == nil || one.Recording.Entry().Turns != 2 {
		t.Errorf("the replayed run has %d turns", one.Recording.Entry().Turns)
	}
	if m := explain.Move(one.Recording, 2); m.Move == nil || m.Move.To != "escalation" {
		t.Errorf("explain says of the replayed run:\n%s", m)
	}
}

// A result that the recording has elsewhere, of the same tool with the same
// arguments, stands in where the walk needs it, and is marked.
func TestAResultOfTheSameCall(t *testing.T) {
	ar := &txtar.Archive{Files: []txtar.File{
		{Name: "map.yaml", Data: []byte("skills: [{id: a, body: A., tools: [look]}]\nstart: a\ntools: [{name: look, results: [{if: args.n == 1, result: one}, {result: two}]}]\n")},
		{Name: "script.yaml", Data: []byte("rules:\n  - {if: size(results) == 0, call: [{tool: look, args: {n: 1}}, {tool: look, args: {n: 2}}, {tool: look, args: {n: 3}}]}\n  - {if: \"true\", say: Done.}\n")},
		{Name: "say", Data: []byte("Hello\n")},
		{Name: "piece:the arguments of i1.2 look", Data: []byte("{\"n\" : 1}\n")},
	}}
	rec := record(t, ar)
	r, err := replay.Against(rec, editOf(t, ar, rec))
	if err != nil {
		t.Fatal(err)
	}
	if r.Missing == nil || r.Missing.Call != "i1.2" || r.Missing.What != "result" {
		t.Errorf("i1.1 was used, so nothing is left for i1.2: %+v\n%s", r.Missing, r)
	}
	edits := replay.Edit{Pieces: map[model.Digest]string{model.Sum(`{"n":1}`): `{"n": 3}`, model.Sum(`{"n":3}`): `{"n": 1}`}}
	r, err = replay.Against(rec, edits)
	if err != nil {
		t.Fatal(err)
	}
	if r.Missing != nil || r.Assumed == nil || !strings.Contains(r.Assumed.Why, "the result is that of i1.3") {
		t.Errorf("i1.1 is what i1.3 was, and the other way round:\n%s", r)
	}
}

func ExampleAgainst() {
	rec, err := recording.Open("../recording/testdata/v0/refund-desk.jsonl")
	if err != nil {
		panic(err)
	}
	m, err := rec.Map()
	if err != nil {
		panic(err)
	}
	m.Steps[3].Guard[1] = guard.Lt("score", 0.3)
	r, err := replay.Against(rec, replay.Edit{Map: m})
	if err != nil {
		panic(err)
	}
	for _, move := range r.Moves {
		fmt.Printf("%d: was %s, is %s (%s)\n", move.Iteration, move.Was.To, move.Now.To, move.Evidence)
	}
	fmt.Println(r.FirstDivergence.Class, "in iteration", r.FirstDivergence.Iteration)
	// Output:
	// 1: was triage, is triage (counterfactual)
	// 2: was triage, is triage (counterfactual)
	// 3: was refunds, is escalation (counterfactual)
	// 4: was refunds, is escalation (assumed)
	// map in iteration 3
}

// FuzzAgainst walks recordings on maps that were edited anyhow, with any text in
// place of a result.
func FuzzAgainst(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || files == nil {
		f.Fatal("there is nothing in testdata", err)
	}
	var recs []*recording.Recording
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		rec := record(f, ar)
		m, err := rec.Map()
		if err != nil {
			f.Fatal(err)
		}
		data, err := json.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(len(recs), data, "", 0)
		f.Add(len(recs), bytes.Replace(data, []byte("0.7"), []byte("0.6"), 1), `{"score":1,"riskLevel":"high"}`, 1)
		recs = append(recs, rec)
	}
	f.Fuzz(func(t *testing.T, n int, data []byte, text string, turn int) {
		rec := recs[(n%len(recs)+len(recs))%len(recs)]
		m := new(spoor.Map)
		if json.Unmarshal(data, m) != nil {
			return
		}
		e := replay.Edit{Map: m, Turn: turn}
		if text != "" {
			e.Results = map[string]string{"i1.1": text}
		}
		r, err := replay.Against(rec, e)
		if err != nil {
			if strings.Contains(err.Error(), "the walk broke") {
				t.Fatal(err)
			}
			return
		}
		if r.String() == "" || r.Recording == nil {
			t.Fatal("nothing is reported")
		}
		if _, err := json.Marshal(r); err != nil {
			t.Fatal(err)
		}
		if r.Same && r.Assumed != nil {
			t.Fatalf("nothing is another one, and something is assumed:\n%s", r)
		}
		for _, m := range r.Moves {
			if m.Now != nil && m.Evidence == explain.Counterfactual && r.Assumed != nil && m.Now.Event >= r.Assumed.Event {
				t.Fatalf("the move of event %d is told as a fact, and all from %d on is assumed", m.Now.Event, r.Assumed.Event)
			}
		}
		if p := replay.Reproduce(r.Recording, nil); !p.Same {
			t.Fatalf("the replayed run does not reproduce itself:\n%s", p)
		}
	})
}
