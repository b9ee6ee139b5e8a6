package spoor_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
)

var values = cmpopts.EquateComparable(guard.Value{})

// TestNext runs the files of testdata/next. Each has a map and sets of facts,
// as NAME.facts, under the field names of the vectors, and for each of them
// what the graph answers, as NAME.move: the move with its evidence, then what
// is active and superseded once it is made.
//
// A result was executed unless it says otherwise. A `when` may name yes, no,
// fails (which returns an error, and true) and panics.
func TestNext(t *testing.T) {
	conditions := &cond.Set{Funcs: map[string]spoor.Condition{
		"yes":    func(spoor.Situation) (bool, error) { return true, nil },
		"no":     func(spoor.Situation) (bool, error) { return false, nil },
		"fails":  func(spoor.Situation) (bool, error) { return true, errors.New("out of cheese") },
		"panics": func(spoor.Situation) (bool, error) { panic("out of cheese") },
	}}
	eachArchive(t, "testdata/next", func(t *testing.T, a *archive) {
		g, err := spoor.Compile(a.readMap(t, "map"), conditions)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range a.names(".move") {
			t.Run(name, func(t *testing.T) {
				f := readFacts(t, a.file(name+".facts").Data)
				before := readFacts(t, a.file(name+".facts").Data)
				move := g.Next(f)
				if d := cmp.Diff(move, g.Next(f), values); d != "" {
					t.Errorf("the same facts, another move:\n%s", d)
				}
				if d := cmp.Diff(before, f); d != "" {
					t.Errorf("the facts have changed:\n%s", d)
				}
				a.want(t, name+".move", show(g, f, move))
			})
		}
	})
}

func readFacts(t *testing.T, data []byte) spoor.Facts {
	t.Helper()
	v := struct {
		Iteration             int
		UserMessage           string
		History               []spoor.Message
		CurrentSkillID        string
		ToolResults           []json.RawMessage
		PendingSkillPick      string
		PendingToolTransition struct{ TargetSkillID string }
		ActivatedInjectionIDs []string
		TurnRoute             *struct {
			By       spoor.Cause
			From, To string
			Witness  *match.Witness
			Offered  []string
		}
	}{Iteration: 1}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	f := spoor.Facts{
		Iteration: v.Iteration, UserMessage: v.UserMessage, History: v.History, Cursor: v.CurrentSkillID,
		Pick: v.PendingSkillPick, Proposal: v.PendingToolTransition.TargetSkillID, Activated: v.ActivatedInjectionIDs,
	}
	for _, raw := range v.ToolResults {
		r := struct {
			ToolName, Result, ToolCallID string
			Status                       spoor.Status
			Executed                     bool
		}{Executed: true}
		if err := json.Unmarshal(raw, &r); err != nil {
			t.Fatal(err)
		}
		f.Results = append(f.Results, spoor.Result{
			Tool: r.ToolName, CallID: r.ToolCallID, Executed: r.Executed, Status: r.Status, Text: r.Result,
		})
	}
	if r := v.TurnRoute; r != nil {
		f.Verdict = &spoor.Verdict{By: r.By, From: r.From, To: r.To, Witness: r.Witness, Offered: r.Offered}
	}
	return f
}

// show is a move and what follows from it, as the files of testdata have it.
func show(g *spoor.Graph, f spoor.Facts, m spoor.Move) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:", m.By)
	if m.From != "" {
		fmt.Fprintf(&b, " from %s", m.From)
	}
	if m.To != "" {
		fmt.Fprintf(&b, " to %s", m.To)
	}
	if m.Ref != "" {
		fmt.Fprintf(&b, " by %s", m.Ref)
	}
	if m.Witness != nil {
		fmt.Fprintf(&b, " on %q", m.Witness.Text)
		if m.Witness.Keyword != "" {
			fmt.Fprintf(&b, " as %q", m.Witness.Keyword)
		}
	}
	b.WriteByte('\n')
	judgement := func(word string, j spoor.Judgement) {
		fmt.Fprintf(&b, "%s %s from %s to %s on %s of %s\n", word, j.Ref, j.From, j.To, j.CallID, j.Tool)
		for _, c := range j.Conditions {
			fmt.Fprintf(&b, "    %s\n", c)
		}
	}
	if m.Guard != nil {
		judgement("opened", *m.Guard)
	}
	for _, j := range m.Closed {
		judgement("closed", j)
	}
	if c := m.Conflict; c != nil {
		fmt.Fprintf(&b, "won %s of %s to %s\n", c.Winner.CallID, c.Winner.Tool, c.Winner.Target)
		for _, l := range c.Losers {
			fmt.Fprintf(&b, "lost %s of %s to %s\n", l.CallID, l.Tool, l.Target)
		}
	}
	for _, failed := range m.Failed {
		fmt.Fprintf(&b, "failed %s: %s\n", failed.Ref, failed.Error)
	}
	for _, list := range []struct {
		name string
		ids  []string
	}{{"active", g.Active(f, m)}, {"superseded", g.Superseded(f, m)}} {
		if len(list.ids) > 0 {
			fmt.Fprintf(&b, "%s: %s\n", list.name, strings.Join(list.ids, ", "))
		}
	}
	return b.String()
}

// A town is a map with every kind of place: an entry by words, an entry by an
// intent, targets of a step, a skill that only the model reaches and one that
// nothing leads to.
const town = `{
	"skills": [
		{"id": "open"}, {"id": "gate"}, {"id": "market"}, {"id": "inn"}, {"id": "cellar"}, {"id": "tower"}],
	"start": {"rules": [
		{"use": "gate", "match": {"keywords": ["hello"]}},
		{"use": "tower", "match": {"regex": "up"}, "label": "climb"},
		{"use": "gate", "when": "iteration > 1"}]},
	"steps": [
		{"from": "gate", "to": "market", "onToolReturn": "walk"},
		{"from": "gate", "to": "inn", "onToolStatus": ["success"]},
		{"from": "gate", "to": "market"},
		{"from": "gate", "to": "gate", "onToolReturn": "wait"},
		{"from": "market", "to": "gate", "onToolReturn": "walk"},
		{"from": "inn", "to": "cellar"}]}`

func TestClassifyTellsFourClassesApart(t *testing.T) {
	g := compile(t, parse(t, town))
	for _, c := range []struct {
		cursor, target string
		want           spoor.Target
		why            string
	}{
		{"gate", "gate", spoor.Self, "it is where the walk stands, though it is an entry and has a step to itself"},
		{"gate", "market", spoor.Hop, "a step leads there"},
		{"gate", "tower", spoor.Hop, "an entry is in reach from everywhere"},
		{"inn", "cellar", spoor.Hop, "a bare step leads there"},
		{"gate", "cellar", spoor.Unreachable, "its step leaves another skill"},
		{"cellar", "market", spoor.Unreachable, "no step leaves the cellar"},
		{"gate", "open", spoor.OpenSkill, "nothing leads there"},
		{"open", "open", spoor.Self, "self beats open"},
		{"", "gate", spoor.Hop, "cold, the entries are in reach"},
		{"", "market", spoor.Unreachable, "cold, nothing else is"},
		{"", "open", spoor.OpenSkill, "cold, but for what is open"},
		{"gate", "harbour", spoor.Unreachable, "there is no such skill"},
		{"harbour", "gate", spoor.Hop, "the entries, also from a skill that is gone"},
		{"harbour", "market", spoor.Unreachable, "no steps leave a skill that is gone"},
		{"gate", "", spoor.Unreachable, "nowhere is no skill"},
		{"", "", spoor.Unreachable, "cold, nothing is self"},
	} {
		if got := g.Classify(c.cursor, c.target); got != c.want {
			t.Errorf("from %q, %q is %s; want %s: %s", c.cursor, c.target, got, c.want, c.why)
		}
	}
}

func TestReachableListsStepsThenEntriesEachOnce(t *testing.T) {
	g := compile(t, parse(t, town))
	for cursor, want := range map[string]string{
		"":        "gate tower",
		"gate":    "market inn tower",
		"market":  "gate tower",
		"inn":     "cellar gate tower",
		"tower":   "gate",
		"open":    "gate tower",
		"harbour": "gate tower",
	} {
		if got := strings.Join(g.Reachable(cursor), " "); got != want {
			t.Errorf("from %q: got %s, want %s", cursor, got, want)
		}
	}
}

func TestReachableIsTheCallers(t *testing.T) {
	g := compile(t, parse(t, town))
	clear(g.Reachable("gate"))
	if got := strings.Join(g.Reachable("gate"), " "); got != "market inn tower" {
		t.Error("changed through what was returned:", got)
	}
}

// What is in reach, what the steps say and what each skill is to the model are
// three views of one thing.
func TestReachableClassifyAndOpenAgree(t *testing.T) {
	g := compile(t, parse(t, town))
	for _, cursor := range append([]string{"", "harbour"}, ids(g)...) {
		reach := g.Reachable(cursor)
		for _, target := range ids(g) {
			class := g.Classify(cursor, target)
			if (class == spoor.Hop) != slices.Contains(reach, target) {
				t.Errorf("from %q, %q is %s, and in reach is %q", cursor, target, class, reach)
			}
			if class == spoor.OpenSkill && !g.Open(target) {
				t.Errorf("from %q, %q is %s and not open", cursor, target, class)
			}
		}
		for _, target := range g.Successors(cursor) {
			if !slices.Contains(reach, target) {
				t.Errorf("a step leads from %q to %q, and in reach is %q", cursor, target, reach)
			}
		}
	}
}

func ids(g *spoor.Graph) (ids []string) {
	for _, s := range g.Map().Skills {
		ids = append(ids, s.ID)
	}
	return ids
}

func TestSkillsAreFoundByID(t *testing.T) {
	g := compile(t, parse(t, town))
	if s := g.Skill("inn"); s == nil || s.ID != "inn" {
		t.Error(s)
	}
	if s := g.Skill("harbour"); s != nil {
		t.Error(s)
	}
}

func TestOpenAndBareSayWhoReachesASkill(t *testing.T) {
	g := compile(t, parse(t, town))
	var open, bare []string
	for _, id := range append(ids(g), "harbour") {
		if g.Open(id) {
			open = append(open, id)
		}
		if g.Bare(id) {
			bare = append(bare, id)
		}
	}
	if !slices.Equal(open, []string{"open"}) || !slices.Equal(bare, []string{"cellar"}) {
		t.Errorf("open %q, bare %q", open, bare)
	}
}

func TestToolsAreScopedByTheSkillElseByTheMap(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		scopeTools *bool
		want       string
	}{{nil, "own"}, {&no, "own"}, {&yes, "entry target own"}} {
		g := compile(t, &spoor.Map{
			Skills: []spoor.Skill{
				{ID: "entry"}, {ID: "target"}, {ID: "unwired"},
				{ID: "own", AutoActivate: spoor.CurrentSkill}, {ID: "always", AutoActivate: spoor.Always}},
			Start:      spoor.Start{Use: "entry"},
			Steps:      []spoor.Step{{From: "entry", To: "target"}, {From: "target", To: "always"}},
			ScopeTools: c.scopeTools,
		})
		var scoped []string
		for _, id := range append(ids(g), "nobody") {
			if g.Scoped(id) {
				scoped = append(scoped, id)
			}
		}
		if got := strings.Join(scoped, " "); got != c.want {
			t.Errorf("scopeTools %v: got %s, want %s", c.scopeTools, got, c.want)
		}
	}
}

func TestProvenanceIsTheBestWayIn(t *testing.T) {
	g := compile(t, parse(t, `{
		"skills": [{"id": "a"}, {"id": "b"}, {"id": "c"}, {"id": "d"}, {"id": "e"}, {"id": "f"}],
		"start": {"rules": [
			{"use": "a", "match": {"keywords": [" hello "]}, "label": "greeting"},
			{"use": "a"}]},
		"steps": [
			{"from": "b", "to": "a", "onToolReturn": "rate"},
			{"from": "a", "to": "b"},
			{"from": "a", "to": "b", "onToolReturn": "rate", "guard": {"score": {"gt": 1}}, "label": "risky"},
			{"from": "c", "to": "b", "onToolReturn": "walk"},
			{"from": "a", "to": "c", "onToolReturn": "rate", "onToolStatus": "denied"},
			{"from": "a", "to": "d"},
			{"from": "e", "to": "e", "when": "iteration > 2"}]}`))
	risky := guard.Guard{guard.Gt("score", 1)}
	for skill, want := range map[string]spoor.Provenance{
		"a":      {Via: spoor.ViaEntry, Label: "greeting", Match: match.Keywords("hello")},
		"b":      {Via: spoor.ViaRoute, From: "a", Label: "risky", TriggerKind: "on-tool-return", Guard: risky},
		"c":      {Via: spoor.ViaRoute, From: "a", TriggerKind: "rule"},
		"d":      {Via: spoor.ViaModel},
		"e":      {Via: spoor.ViaRoute, From: "e", TriggerKind: "rule"},
		"f":      {Via: spoor.ViaModel},
		"nobody": {Via: spoor.ViaModel},
	} {
		if d := cmp.Diff(want, g.Provenance(skill), values); d != "" {
			t.Errorf("%s (-want +got):\n%s", skill, d)
		}
	}
}

func TestEdgesSayWhatTakesThem(t *testing.T) {
	g := compile(t, parse(t, `{
		"skills": [{"id": "a"}, {"id": "b"}],
		"start": {"rules": [
			{"use": "a", "match": {"regex": "x"}},
			{"use": "b", "when": "iteration == 1", "label": "first"},
			{"use": "b"}]},
		"steps": [
			{"from": "a", "to": "b", "onToolReturn": "rate"},
			{"from": "a", "to": "b", "onToolReturn": {"regex": "^rate_", "flags": "i"}},
			{"from": "a", "to": "b", "onToolReturn": "rate", "guard": {"score": {"gte": 0.5}}},
			{"from": "a", "to": "b", "onToolStatus": "denied"},
			{"from": "a", "to": "b", "onToolReturn": "rate", "onToolStatus": ["denied", "failure"]},
			{"from": "a", "to": "b", "onToolStatus": ["success"], "guard": {"risk": {"in": ["high", "huge"]}}},
			{"from": "a", "to": "b", "guard": {"score": {"gt": 1}}},
			{"from": "a", "to": "b", "when": "iteration > 1"},
			{"from": "a", "to": "b"},
			{"from": "a", "to": "b", "onToolReturn": "rate", "label": "rated"},
			{"from": "a", "to": "b", "label": "by choice"}]}`))
	want := []string{
		"-> a entry", "-> b entry first", "-> b entry",
		"a -> b on-tool-return on rate",
		"a -> b on-tool-return on /^rate_/",
		"a -> b on-tool-return on rate when score ≥ 0.5",
		"a -> b on-tool-status on status=denied",
		"a -> b on-tool-status on rate status=denied|failure",
		"a -> b on-tool-status on status=success when risk in [high, huge]",
		"a -> b guard", "a -> b predicate", "a -> b model",
		"a -> b on-tool-return rated", "a -> b model by choice",
	}
	var got []string
	for _, e := range g.Edges() {
		got = append(got, strings.Join(strings.Fields(fmt.Sprintf("%s -> %s %s %s", e.From, e.To, e.Kind, e.Label)), " "))
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	edges := g.Edges()
	if edges[0].Match.IsZero() || edges[5].Guard == nil {
		t.Error("a matcher rides on its entry, a guard on its step")
	}
}

func TestFirstRuleIsTheFirstConditionThatHolds(t *testing.T) {
	g := compile(t, parse(t, `{
		"skills": [{"id": "a"}, {"id": "b"}, {"id": "c"}],
		"start": {"classify": "keyword", "rules": [
			{"use": "c"},
			{"use": "c", "match": {"intent": "wants a refund", "examples": ["refund"]}},
			{"use": "b", "when": "1 / (iteration - 1) > 0"},
			{"use": "a", "match": {"keywords": ["refund"]}}]}}`))
	m, ok := g.FirstRule(spoor.Facts{Iteration: 1, UserMessage: "a Refund, please"})
	if !ok || m.To != "a" || m.Ref != "start.rules[3]" || m.Witness == nil || m.Witness.Text != "Refund" {
		t.Errorf("got %+v, %v", m, ok)
	}
	if len(m.Failed) != 1 || m.Failed[0].Ref != "start.rules[2].when" {
		t.Errorf("failed: %+v", m.Failed)
	}
	if m, ok := g.FirstRule(spoor.Facts{Iteration: 3, UserMessage: "hello"}); ok {
		t.Errorf("nothing claims the message, got %+v", m)
	}
}

// Next is a function of its facts, on whatever map and facts.
func TestNextIsDeterministicAndLandsSomewhereKnown(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	for range 2000 {
		m := randomMap(r)
		g := compile(t, m)
		skill := func() string { return pick(append(ids(g), "", "nobody")...) }
		for range 5 {
			f := spoor.Facts{
				Iteration: 1 + r.IntN(3), UserMessage: pick("hello", "up we go", "nothing"),
				Cursor: skill(), Pick: skill(), Proposal: skill(), Activated: []string{skill(), skill()},
			}
			for i := range r.IntN(4) {
				f.Results = append(f.Results, spoor.Result{
					CallID: fmt.Sprint("c", i), Tool: pick("walk", "wait"), Executed: r.IntN(3) > 0,
					Status: spoor.Status(pick("", "success", "denied")), Text: pick(`{"score":1}`, `{"score":9}`, "none"),
				})
			}
			before, _ := json.Marshal(f)
			move, other := g.Next(f), compile(t, m).Next(f)
			after, _ := json.Marshal(f)
			if d := cmp.Diff(move, other, values); d != "" {
				t.Fatalf("two graphs of one map:\n%s", d)
			}
			if string(before) != string(after) {
				t.Fatalf("the facts were\n%s\nand are\n%s", before, after)
			}
			switch {
			case move.From != f.Cursor:
				t.Fatalf("%+v does not leave %q", move, f.Cursor)
			case move.By == spoor.ByStay && move.To != f.Cursor, move.By == spoor.ByNone && move.To != "":
				t.Fatalf("%+v from %q", move, f.Cursor)
			case (move.By == spoor.ByRoute || move.By == spoor.ByEntry) && g.Skill(move.To) == nil:
				t.Fatalf("%+v lands on no skill", move)
			case move.By == spoor.ByRoute && !slices.Contains(append(g.Successors(f.Cursor), f.Cursor), move.To):
				t.Fatalf("%+v takes no step of %q", move, f.Cursor)
			case move.Conflict != nil && len(move.Conflict.Losers) == 0:
				t.Fatalf("%+v is a conflict without losers", move)
			}
			for _, j := range move.Closed {
				if j.Passed {
					t.Fatalf("%+v is closed and passed", j)
				}
			}
			if move.Guard != nil && !move.Guard.Passed {
				t.Fatalf("%+v opened and did not pass", move.Guard)
			}
		}
	}
}

func randomMap(r *rand.Rand) *spoor.Map {
	m := new(spoor.Map)
	for i := range 1 + r.IntN(5) {
		m.Skills = append(m.Skills, spoor.Skill{ID: fmt.Sprint("s", i)})
	}
	skill := func() string { return m.Skills[r.IntN(len(m.Skills))].ID }
	for range r.IntN(4) {
		rule := spoor.Rule{Use: skill()}
		switch r.IntN(3) {
		case 0:
			rule.Match = match.Keywords("hello")
		case 1:
			rule.Match = match.Regex("up|hello")
		}
		m.Start.Rules = append(m.Start.Rules, rule)
	}
	for range r.IntN(8) {
		s := spoor.Step{From: skill(), To: skill()}
		if r.IntN(2) == 0 {
			s.OnToolReturn = "walk"
		}
		if r.IntN(3) == 0 {
			s.OnToolStatus = spoor.Statuses{spoor.Denied, spoor.Success}
		}
		if r.IntN(2) == 0 {
			s.Guard = guard.Guard{guard.Gt("score", 5)}
		}
		m.Steps = append(m.Steps, s)
	}
	return m
}

// TestAGraphIsSafeForConcurrentUse is for the race detector.
func TestAGraphIsSafeForConcurrentUse(t *testing.T) {
	g := compile(t, parse(t, town))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 50 {
				f := spoor.Facts{
					Iteration: j, UserMessage: "hello up there", Cursor: append(ids(g), "")[(i+j)%7],
					Results: []spoor.Result{{Tool: "walk", Executed: true, Text: `{"n":1}`}},
				}
				m := g.Next(f)
				g.Active(f, m)
				g.Superseded(f, m)
				g.FirstRule(f)
				g.Edges()
				for _, id := range ids(g) {
					g.Classify(f.Cursor, id)
					g.Provenance(id)
				}
				g.Reachable(f.Cursor)
			}
		})
	}
	wg.Wait()
}
