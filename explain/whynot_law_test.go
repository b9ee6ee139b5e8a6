package explain_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/score"
)

// chance makes maps and walks of them, the same for a seed.
type chance struct{ *rand.Rand }

func (c chance) one(list ...string) string { return list[c.IntN(len(list))] }

var (
	skillIDs  = []string{"ask", "look", "pay", "help", "end"}
	toolNames = []string{"read", "rate", "mend"}
	keywords  = []string{"refund", "late parcel", "human", "broken"}
)

func (c chance) value() any {
	return []any{0.3, 0.65, 0.7, 1, 5, 9007199254740993, "low", "high", "critical", "paid", true, nil}[c.IntN(12)]
}

func (c chance) guard() guard.Guard {
	var g guard.Guard
	for _, key := range []string{"score", "risk", "state", guard.KeyStatus, guard.KeyIteration, guard.KeyToolName}[:3+c.IntN(4)] {
		if c.IntN(2) == 0 {
			continue
		}
		for _, i := range c.Perm(len(guard.Ops()))[:1+c.IntN(2)] {
			op := guard.Ops()[i]
			var v any
			switch {
			case key == guard.KeyIteration:
				v = 1 + c.IntN(5)
			case key == guard.KeyToolName:
				v = c.one(toolNames...)
			case key == guard.KeyStatus:
				v = c.one("success", "failure", "denied")
			case key == "risk" && op.Ordered():
				v = c.one("low", "medium", "high")
			case op.Ordered():
				v = []any{0.3, 0.7, 4, 7, "m"}[c.IntN(5)]
			default:
				v = c.value()
			}
			if op == guard.OpIn || op == guard.OpNotIn {
				v = []any{v, v, 3}
			}
			g = append(g, guard.Cond{Key: key, Op: op, Value: guard.Of(v)})
		}
	}
	if g == nil {
		return nil
	}
	return g
}

func (c chance) plan() *spoor.Map {
	m := &spoor.Map{Scales: guard.Scales{"risk": {"low", "medium", "high", "critical"}}}
	for _, id := range skillIDs {
		m.Skills = append(m.Skills, spoor.Skill{ID: id, Body: "Do " + id, Tools: []string{c.one(toolNames...)}})
	}
	switch c.IntN(3) {
	case 0:
		m.Start.Use = skillIDs[0]
	default:
		for range 1 + c.IntN(4) {
			r := spoor.Rule{Use: c.one(skillIDs...)}
			switch c.IntN(5) {
			case 0, 1:
				r.Match = match.Keywords(c.one(keywords...), c.one(keywords...))
			case 2:
				r.Match = match.All(match.Keywords(c.one(keywords...)), match.Keywords(c.one(keywords...)))
			case 3:
				r.Match, r.Examples = match.Regex(`(?i)order \d+`), []string{"where is Order 17", "about order 3 please"}
			default:
				r.When = fmt.Sprintf("userMessage.contains('%s')", c.one(keywords...))
			}
			m.Start.Rules = append(m.Start.Rules, r)
		}
		m.Start.Rules = append(m.Start.Rules, spoor.Rule{Use: skillIDs[0]})
	}
	for range 4 + c.IntN(8) {
		s := spoor.Step{From: c.one(skillIDs...), To: c.one(skillIDs...)}
		switch c.IntN(6) {
		case 0:
		case 1:
			s.When = c.one("json.score >= 0.5", "toolName == 'mend' && json.state == 'paid'", "status == 'failure'", "size(toolResults) > 1")
		case 2:
			s.OnToolStatus = spoor.Statuses{spoor.Failure, spoor.Denied}
			s.Guard = c.guard()
		default:
			s.OnToolReturn = spoor.ToolName(c.one(toolNames...))
			s.Guard = c.guard()
		}
		m.Steps = append(m.Steps, s)
	}
	return m
}

// result is what a tool returns: mostly an object, and in any writing.
func (c chance) result() string {
	if c.IntN(8) == 0 {
		return c.one("no JSON", "[1]", "{", "")
	}
	var members []string
	for _, key := range []string{"score", "risk", "state", "score"} {
		if c.IntN(3) > 0 {
			v, _ := json.Marshal(c.value())
			members = append(members, fmt.Sprintf("%q : %s", key, v))
		}
	}
	return "{ " + strings.Join(members, " , ") + " }\n"
}

// byChance is a recording of a walk by chance.
func byChance(t testing.TB, c chance, m *spoor.Map) *recording.Recording {
	w := newWorld(t, m, spoor.Injections{})
	w.say("I have "+c.one("a question", "a refund", "order 12", "a broken thing"), func(s *event.Started) {
		s.Posture = []spoor.Posture{"", spoor.PostureAssist, spoor.PostureGuard, spoor.PostureRails}[c.IntN(4)]
		if c.IntN(5) == 0 {
			s.Hidden = []string{c.one(skillIDs[1:]...)}
		}
	})
	for n := 1; n < 5 && len(w.state.Offered.Items) > 0; n++ {
		var calls []string
		for range 1 + c.IntN(3) {
			if c.IntN(4) == 0 {
				calls = append(calls, "read_skill", fmt.Sprintf(`{"id":%q}`, c.one(skillIDs...)))
			} else {
				calls = append(calls, c.one(toolNames...), "{}")
			}
		}
		w.replies(call(calls...))
		for _, out := range slices.Clone(w.state.Out()) {
			p := model.NewPart(model.Tool, model.Result, c.result())
			p.Call, p.Tool = out.ID, out.Tool
			r := &event.Returned{Call: out.ID, Tool: out.Tool, Executed: c.IntN(5) > 0, Result: p}
			r.Status = []spoor.Status{"", spoor.Success, spoor.Failure, spoor.Denied}[c.IntN(4)]
			if r.Executed && c.IntN(6) == 0 {
				r.Effects = []spoor.Effect{{Kind: spoor.ProposeTransition, Target: c.one(skillIDs...), Reason: "so"}}
			}
			w.step(r)
		}
	}
	if w.state.Phase == "asking" {
		w.replies(say("Done."))
	}
	return w.recording()
}

// A decided is one move as it is on record, read without the package under
// test.
type decided struct {
	facts  spoor.Facts
	start  *event.Started
	reads  []string
	move   spoor.Move
	cursor string
}

func decisions(r *recording.Recording) map[int]*decided {
	found := map[int]*decided{}
	var start *event.Started
	var reads []string
	results := map[string]spoor.Result{}
	var order []string
	cursor := ""
	for i := range r.Events {
		e := &r.Events[i]
		switch b := e.Body.(type) {
		case *event.Started:
			start, cursor = b, ""
		case *event.Replied:
			reads, order = nil, nil
			clear(results)
			for _, p := range b.Parts {
				if p.Kind == model.Call {
					order = append(order, p.Call)
				}
				if p.Kind == model.Call && p.Tool == "read_skill" {
					var args struct{ ID string }
					json.Unmarshal([]byte(p.Data), &args)
					reads = append(reads, args.ID)
				}
			}
		case *event.Returned:
			results[b.Call] = spoor.Result{Tool: b.Tool, CallID: b.Call, Executed: b.Executed, Status: b.Status, Text: b.Result.Data}
		case *event.Refused:
			results[b.Call] = spoor.Result{Tool: b.Tool, CallID: b.Call, Status: b.Status, Text: b.Result.Data}
		case *event.Evaluated:
			d := &decided{start: start, reads: reads, move: b.Move, cursor: cursor}
			d.facts = spoor.Facts{Iteration: e.Iteration, UserMessage: start.Message.Data, Cursor: cursor, Pick: b.Pick, Proposal: b.Proposal}
			for _, id := range order {
				if r, ok := results[id]; ok && r.Tool != "read_skill" {
					d.facts.Results = append(d.facts.Results, r)
				}
			}
			found[e.Seq] = d
			cursor = b.Move.To
		}
	}
	return found
}

// apply makes a move with a change, without the package under test; not ok if
// the map with its edits is at fault.
func (d *decided) apply(t *testing.T, facts []explain.FactEdit, edits []explain.MapEdit) (m spoor.Move, g *spoor.Graph, f spoor.Facts, ok bool) {
	t.Helper()
	f = d.facts
	f.Results = slices.Clone(f.Results)
	posture, hidden, reads, judge := d.start.Posture, d.start.Hidden, d.reads, false
	text := func(e explain.FactEdit) (s string) {
		if e.Want != nil {
			if err := json.Unmarshal(e.Want, &s); err != nil {
				t.Fatalf("%s wants %s, which is no text", e.What, e.Want)
			}
		}
		return s
	}
	for _, e := range facts {
		i := slices.IndexFunc(f.Results, func(r spoor.Result) bool { return r.CallID == e.Call })
		if e.Call != "" && i < 0 {
			t.Fatalf("there is no result %s to change", e.Call)
		}
		switch e.What {
		case explain.FactField:
			f.Results[i].Text = withField(f.Results[i].Text, e.Key, e.Want)
		case explain.FactStatus:
			f.Results[i].Status = spoor.Status(text(e))
		case explain.FactExecuted:
			f.Results[i].Executed = true
		case explain.FactToolName:
			f.Results[i].Tool = text(e)
		case explain.FactText:
			f.Results[i].Text = text(e)
		case explain.FactResult:
			f.Results = append(f.Results, spoor.Result{Tool: e.Tool, Executed: true, Status: e.Status, Text: text(e)})
		case explain.FactNoResult:
			f.Results = slices.Delete(f.Results, i, i+1)
		case explain.FactIteration:
			if err := json.Unmarshal(e.Want, &f.Iteration); err != nil {
				t.Fatal(err)
			}
		case explain.FactMessage:
			f.UserMessage = text(e)
		case explain.FactPick:
			reads, judge = []string{text(e)}, true
		case explain.FactProposal:
			f.Proposal = text(e)
		case explain.FactPosture:
			posture, judge = spoor.Posture(text(e)), true
		case explain.FactHidden:
			hidden = slices.DeleteFunc(slices.Clone(hidden), func(id string) bool { return id == e.Key })
		default:
			t.Fatalf("this walk has no %s", e.What)
		}
	}
	plan, err := d.start.Graph.Decode()
	if err != nil {
		t.Fatal(err)
	}
	edited(t, plan, edits)
	if g, err = spoor.Compile(plan, cond.CEL); err != nil {
		return m, nil, f, false
	}
	g = g.Hide(hidden)
	if judge {
		f.Pick = ""
	}
	for _, id := range reads {
		switch target := g.Classify(f.Cursor, id); {
		case target == spoor.OpenSkill:
			f.Activated = append(f.Activated, id)
		case judge && f.Pick == "" && target == spoor.Hop && posture != spoor.PostureRails && posture != spoor.PostureGuard: // no menu is open here
			f.Pick = id
		}
	}
	return g.Next(f), g, f, true
}

// withField is an object with another field, read and written by encoding/json.
func withField(text, key string, want json.RawMessage) string {
	object := map[string]json.RawMessage{}
	if json.Unmarshal([]byte(text), &object) != nil || object == nil {
		object = map[string]json.RawMessage{}
	}
	if object[key] = want; want == nil {
		delete(object, key)
	}
	data, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// edited edits a map as the edits say: what is set and added first, then what is
// dropped and moved, by the places that it has on record.
func edited(t *testing.T, m *spoor.Map, edits []explain.MapEdit) {
	t.Helper()
	type row struct {
		was  int
		step spoor.Step
		rule spoor.Rule
	}
	var steps, rules []row
	for i, s := range m.Steps {
		steps = append(steps, row{was: i, step: s})
	}
	for i, r := range m.Start.Rules {
		rules = append(rules, row{was: i, rule: r})
	}
	read := func(e explain.MapEdit, v any) {
		if err := json.Unmarshal(e.Value, v); err != nil {
			t.Fatalf("%s %s: %s: %v", e.Op, e.At, e.Value, err)
		}
	}
	drop := map[[2]int]bool{}
	var later []explain.MapEdit
	for _, e := range edits {
		var i, k int
		at := string(e.At)
		switch form := strings.Map(func(r rune) rune {
			if '0' <= r && r <= '9' {
				return -1
			}
			return r
		}, at); {
		case e.Op == explain.OpAdd && at == "steps":
			var s spoor.Step
			read(e, &s)
			steps = append(steps, row{was: len(steps), step: s})
		case e.Op == explain.OpAdd && form == "start.rules[]":
			var r spoor.Rule
			read(e, &r)
			rules = append(rules, row{was: len(rules), rule: r})
		case e.Op == explain.OpMove, e.Op == explain.OpRemove && (form == "steps[]" || form == "start.rules[]"):
			later = append(later, e)
		case form == "steps[].guard[]":
			fmt.Sscanf(at, "steps[%d].guard[%d]", &i, &k)
			if e.Op == explain.OpRemove {
				drop[[2]int{i, k}] = true
				break
			}
			g := slices.Clone(steps[i].step.Guard)
			read(e, &g[k])
			steps[i].step.Guard = g
		case form == "steps[].when":
			fmt.Sscanf(at, "steps[%d].when", &i)
			read(e, &steps[i].step.When)
		case form == "steps[].onToolReturn":
			fmt.Sscanf(at, "steps[%d].onToolReturn", &i)
			read(e, &steps[i].step.OnToolReturn)
		case form == "steps[].onToolStatus":
			fmt.Sscanf(at, "steps[%d].onToolStatus", &i)
			read(e, &steps[i].step.OnToolStatus)
		case form == "start.rules[].when":
			fmt.Sscanf(at, "start.rules[%d].when", &i)
			read(e, &rules[i].rule.When)
		case form == "start.rules[].match":
			fmt.Sscanf(at, "start.rules[%d].match", &i)
			read(e, &rules[i].rule.Match)
		case at == "start.use":
			read(e, &m.Start.Use)
		default:
			t.Fatalf("this test knows no edit %s %s", e.Op, e.At)
		}
	}
	for n := range steps {
		var g guard.Guard
		for k, c := range steps[n].step.Guard {
			if !drop[[2]int{steps[n].was, k}] {
				g = append(g, c)
			}
		}
		steps[n].step.Guard = g
	}
	for _, e := range later {
		list := &steps
		form := "steps[%d]"
		if strings.HasPrefix(string(e.At), "start") {
			list, form = &rules, "start.rules[%d]"
		}
		var i, above int
		fmt.Sscanf(string(e.At), form, &i)
		fmt.Sscanf(string(e.Above), form, &above)
		at := slices.IndexFunc(*list, func(r row) bool { return r.was == i })
		moved := (*list)[at]
		*list = slices.Delete(*list, at, at+1)
		if e.Op == explain.OpMove {
			to := slices.IndexFunc(*list, func(r row) bool { return r.was == above })
			*list = slices.Insert(*list, to, moved)
		}
	}
	m.Steps = nil
	for _, r := range steps {
		m.Steps = append(m.Steps, r.step)
	}
	if m.Start.Rules != nil || len(rules) > 0 {
		m.Start.Rules = nil
		for _, r := range rules {
			m.Start.Rules = append(m.Start.Rules, r.rule)
		}
	}
}

// Every change that is said to be verified leads into the skill, also when it is
// applied by somebody else; and with any of its edits left out it does not.
func TestVerifiedChangesLead(t *testing.T) {
	verified, subsets, none, kinds := 0, 0, 0, map[string]int{}
	for seed := range uint64(60) {
		c := chance{rand.New(rand.NewPCG(7, seed))}
		m := c.plan()
		if _, err := spoor.Compile(m, cond.CEL); err != nil {
			continue
		}
		r := byChance(t, c, m)
		moves := decisions(r)
		for _, id := range skillIDs {
			for _, o := range explain.NotSkill(r, id).Occasions {
				d := moves[o.Event]
				leads := func(facts []explain.FactEdit, edits []explain.MapEdit) bool {
					m, g, f, ok := d.apply(t, facts, edits)
					return ok && (m.To == id || g.Open(id) && slices.Contains(f.Activated, id))
				}
				if o.From != id && !o.Entered && o.Change == nil && o.NoChange == nil && !o.Active {
					t.Fatalf("seed %d: iteration %d of %s has no change, and no reason:\n%+v", seed, o.Iteration, id, o)
				}
				if o.NoChange != nil {
					none++
				}
				changes := []explain.Change{}
				if o.Change != nil {
					changes = append(changes, *o.Change)
				}
				for _, w := range o.Ways {
					changes = append(changes, w.Changes...)
				}
				for _, change := range changes {
					if change.Verified != (change.Evidence == explain.Counterfactual) || change.Text == "" || change.Verified == (change.Why != "") {
						t.Fatalf("seed %d: %+v", seed, change)
					}
					if !change.Verified {
						t.Fatalf("seed %d: nothing here is unknown, but this is not verified: %+v", seed, change)
					}
					verified++
					for _, e := range change.Facts {
						kinds[string(e.What)]++
					}
					for _, e := range change.Map {
						kinds[string(e.Op)]++
					}
					if !leads(change.Facts, change.Map) {
						t.Fatalf("seed %d, event %d: %s does not lead to %s:\n%s", seed, o.Event, change.Text, id, explain.NotSkill(r, id))
					}
					n := len(change.Facts) + len(change.Map)
					if n > 6 {
						continue
					}
					for set := range 1<<n - 1 {
						var facts []explain.FactEdit
						var edits []explain.MapEdit
						for k, e := range change.Facts {
							if set&(1<<k) != 0 {
								facts = append(facts, e)
							}
						}
						for k, e := range change.Map {
							if set&(1<<(len(change.Facts)+k)) != 0 {
								edits = append(edits, e)
							}
						}
						if !whole(facts, edits, change) {
							continue
						}
						subsets++
						if leads(facts, edits) {
							t.Fatalf("seed %d, event %d: of %s a part is enough: %v %v", seed, o.Event, change.Text, facts, edits)
						}
					}
				}
			}
		}
	}
	t.Logf("%d changes, %d parts of them, %d without; %v", verified, subsets, none, kinds)
	for _, kind := range []string{"field", "status", "executed", "result", "noResult", "iteration", "message", "pick", "proposal", "posture", "hidden", "set", "move", "remove", "add"} {
		if kinds[kind] == 0 {
			t.Errorf("no change is of %s", kind)
		}
	}
}

// whole reports whether a part of a change can be applied: what is moved is
// there.
func whole(facts []explain.FactEdit, edits []explain.MapEdit, change explain.Change) bool {
	adds := func(list []explain.MapEdit) int {
		n := 0
		for _, e := range list {
			if e.Op == explain.OpAdd {
				n++
			}
		}
		return n
	}
	return adds(edits) == adds(change.Map)
}

// What would have started a turn elsewhere does so when the turn is routed again
// with the numbers of the change.
func TestVerifiedStartsLead(t *testing.T) {
	tried := map[string]int{}
	for name, r := range each(t) {
		for _, id := range []string{"billing", "delivery", "returns", "fraud", "manager"} {
			for _, o := range explain.NotSkill(r, id).Occasions {
				for _, w := range o.Ways {
					for _, c := range w.Changes {
						if o.Iteration == 1 && c.Verified && w.Kind == explain.ByRule {
							routedAgain(t, name, r, &o, id, &c, tried)
						}
					}
				}
			}
		}
	}
	for _, what := range []string{"score", "message", "start.routing.nearTieMargin"} {
		if tried[what] == 0 {
			t.Errorf("no change is of %s: %v", what, tried)
		}
	}
}

func routedAgain(t *testing.T, name string, r *recording.Recording, o *explain.Occasion, id string, c *explain.Change, tried map[string]int) {
	t.Helper()
	start := r.Started(o.Event)
	var scores *event.Scored
	for i := range r.Events {
		if b, ok := r.Events[i].Body.(*event.Scored); ok && r.Events[i].Seq < o.Event && r.Events[i].Turn == o.Turn {
			scores = b
		}
	}
	if scores == nil || scores.Error != "" {
		return // a model gave them, or nobody
	}
	plan, err := start.Graph.Decode()
	if err != nil {
		t.Fatal(err)
	}
	f := spoor.Facts{Iteration: 1, UserMessage: start.Message.Data}
	if start.Continuity == spoor.ContinueConversation {
		f.Cursor = start.Cursor
	}
	scored := &spoor.Scored{Scores: slices.Clone(scores.Scores), Traits: score.Traits{Floor: scores.Floor, Categorical: scores.Categorical}}
	for _, e := range c.Facts {
		tried[string(e.What)]++
		switch e.What {
		case explain.FactScore:
			i := slices.IndexFunc(scored.Scores, func(s score.Score) bool { return s.ID == e.Key })
			if err := json.Unmarshal(e.Want, &scored.Scores[i].Score); err != nil {
				t.Fatal(err)
			}
		case explain.FactMessage:
			if err := json.Unmarshal(e.Want, &f.UserMessage); err != nil {
				t.Fatal(err)
			}
		case explain.FactDecided:
			return
		default:
			t.Fatalf("%s: %s", name, c.Text)
		}
	}
	for _, e := range c.Map {
		tried[string(e.At)]++
		policy := score.Policy{}
		if plan.Start.Routing != nil {
			policy = *plan.Start.Routing
		}
		var n float64
		if json.Unmarshal(e.Value, &n) != nil {
			return // an edit of a rule, which the other law holds
		}
		if e.At == "start.routing.floor" {
			policy.Floor = &n
		} else {
			policy.NearTieMargin = &n
		}
		plan.Start.Routing = &policy
	}
	g, err := spoor.Compile(plan, cond.CEL)
	if err != nil {
		t.Fatalf("%s: %s: %v", name, c.Text, err)
	}
	route := g.Hide(start.Hidden).Route(f, start.Continuity, scored)
	if route.To != id {
		t.Errorf("%s, event %d: with %s the turn starts in %q, not in %s", name, o.Event, c.Text, route.To, id)
	}
}
