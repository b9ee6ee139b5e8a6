package explain_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/match"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/score"
	"github.com/spoorhq/spoor/walk"
)

// A world says to a machine what only the world can say, a second after the
// other.
type world struct {
	t       testing.TB
	graph   event.Graph
	in      event.Injections
	tools   []event.Tool
	machine *walk.Machine
	state   *walk.State
	w       *recording.Writer
	at      time.Time
}

func newWorld(t testing.TB, m *spoor.Map, in spoor.Injections) *world {
	t.Helper()
	w := &world{t: t, state: new(walk.State), w: recording.NewWriter(nil, "RUN"), at: time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)}
	var err error
	if w.graph, err = event.NewGraph(m); err != nil {
		t.Fatal(err)
	}
	if w.in, err = w.graph.NewInjections(in); err != nil {
		t.Fatal(err)
	}
	g, err := (&event.Started{Graph: w.graph, Injections: w.in}).Compile(cond.CEL)
	if err != nil {
		t.Fatal(err)
	}
	w.machine = walk.New(g)
	for _, id := range g.Skills() {
		for _, name := range g.Skill(id).Tools {
			spec := fmt.Sprintf(`{"name":%q}`, name)
			w.tools = append(w.tools, event.Tool{Name: name, Piece: model.Sum(spec), Data: spec})
		}
	}
	return w
}

// say starts a turn.
func (w *world) say(message string, with func(*event.Started)) {
	s := &event.Started{
		Run: "RUN", Graph: w.graph, Injections: w.in, Tools: w.tools, MaxIterations: 10,
		Message: model.NewPart(model.User, model.Text, message), History: w.state.Conversation(),
		System: []model.Part{model.NewPart(model.System, model.Text, "You are the desk of a shop.")},
	}
	if with != nil {
		with(s)
	}
	w.step(s)
}

func (w *world) step(o event.Outcome) {
	w.t.Helper()
	if err := w.w.Append(slices.Clone(w.machine.Step(w.state, o, w.at))); err != nil {
		w.t.Fatal(err)
	}
	w.at = w.at.Add(time.Second)
}

// replies is a reply of words or, if it has any, of calls.
func (w *world) replies(parts []model.Part) {
	w.t.Helper()
	for i := range parts {
		parts[i] = model.Part{Role: model.Assistant, Kind: parts[i].Kind, Tool: parts[i].Tool, Piece: model.Sum(parts[i].Data), Data: parts[i].Data}
	}
	w.step(&event.Replied{Parts: parts, Model: "small-1"})
}

func (w *world) returns(id, text string, effects ...spoor.Effect) {
	w.t.Helper()
	p := model.NewPart(model.Tool, model.Result, text)
	p.Call, p.Tool = id, w.tool(id)
	w.step(&event.Returned{Call: id, Tool: p.Tool, Executed: true, Result: p, Effects: effects})
}

func (w *world) tool(id string) string {
	for _, c := range w.state.Batch {
		if c.ID == id {
			return c.Tool
		}
	}
	return ""
}

func (w *world) asks(id string, by event.Asker, text string) {
	w.t.Helper()
	w.step(&event.Needs{Call: id, By: by, Question: model.NewPart(model.Tool, model.Text, text)})
}

func (w *world) answers(id, text string, declined bool) {
	w.t.Helper()
	w.step(&event.Answered{Call: id, Answer: model.NewPart(model.User, model.Text, text), Declined: declined})
}

func (w *world) recording() *recording.Recording { return w.w.Recording() }

// helpdesk is a map whose start is classified.
func helpdesk() *spoor.Map {
	return &spoor.Map{
		Name: "helpdesk",
		Skills: []spoor.Skill{
			{ID: "billing", Description: "Money.", Body: "Pay back what was charged twice.", Tools: []string{"pay_back", "look_up"}},
			{ID: "delivery", Description: "Parcels.", Body: "Track the parcel."},
			{ID: "returns", Description: "Goods that come back."},
			{ID: "fraud", Description: "Suspicion."},
			{ID: "manager", Description: "Complaints."},
		},
		Start: spoor.Start{Classify: "keyword", Rules: []spoor.Rule{
			{Use: "manager", Match: match.Keywords("lawyer")},
			{Use: "billing", Match: match.Intent("The customer paid too much.", "charged twice")},
			{Use: "delivery", Match: match.Intent("A parcel is late.", "where is my parcel")},
			{Use: "returns", Match: match.Intent("Goods come back.", "send it back")},
		}},
		Steps: []spoor.Step{{From: "billing", To: "delivery", When: "toolName == 'look_up' && json.parcel == true"}, {From: "billing", To: "manager"}},
	}
}

func brought() spoor.Injections {
	return spoor.Injections{
		Skills: []spoor.AgentSkill{
			{Skill: spoor.Skill{ID: "notes", Body: "Write the number of the case into the notes of the shop."}, When: "userMessage.contains('charged')"},
			{Skill: spoor.Skill{ID: "glossary", Body: "A credit note is money that the shop owes."}},
		},
		Steering:     []string{"Never promise a date that nobody has confirmed."},
		Facts:        []spoor.Fact{{ID: "vat", Text: "The rate of the value added tax is 19 %."}},
		Instructions: []spoor.Instruction{{ID: "sorry", Text: "Say that the whole shop is sorry for it."}, {ID: "first", When: "iteration == 1", Text: "Greet the customer by name."}},
	}
}

// served is a turn that a scorer and a model start, that asks people, and whose
// tools ask for more than they get.
func served(t testing.TB) *recording.Recording {
	w := newWorld(t, helpdesk(), brought())
	w.say("I was charged twice, and the parcel is late.", func(s *event.Started) {
		s.Posture, s.Continuity, s.Cursor, s.Decider = spoor.PostureGuard, spoor.ContinueConversation, "returns", true
		s.Hidden = []string{"fraud"}
		s.Limits = spoor.Limits{Tokens: 100_000, Time: 90 * time.Second}
	})
	w.step(&event.Scored{Scores: []score.Score{{ID: "billing", Score: 2}, {ID: "delivery", Score: 1.9}, {ID: "returns", Score: -1}}, Floor: new(0.0)})
	w.replies(call("choose", `{"id":"billing"}`))
	w.replies(call("pay_back", `{"order":17}`, "pay_back", `{"order":18}`, "read_skill", `{"id":"delivery"}`))
	w.asks("i1.1", event.ByTool, "Pay 89.90 EUR back to the customer?")
	w.asks("i1.2", event.ByPolicy, "Pay 12.00 EUR back to the customer?")
	w.answers("i1.1", "yes, by credit note", false)
	w.returns("i1.1", `{"paid":"89.90 EUR","by":"credit note number 4711"}`,
		spoor.Effect{Kind: spoor.RequireInstruction, Instruction: "sorry", Lease: spoor.NextCall},
		spoor.Effect{Kind: spoor.ProposeTransition, Target: "delivery", Reason: "now the parcel"},
		spoor.Effect{Kind: spoor.ProposeTransition, Target: "returns", Reason: "or the goods"},
		spoor.Effect{Kind: spoor.ProposeTransition, Target: "fraud", Reason: "it is odd"},
		spoor.Effect{Kind: "call-the-police"})
	w.answers("i1.2", "the second charge was never booked by the bank", true)
	w.replies(say("The whole shop is sorry for it. You get credit note number 4711; the second charge was never booked by the bank. " +
		"Never promise a date that nobody has confirmed. The rate of the value added tax is 19 %. " +
		"Write the number of the case into the notes of the shop. Of the fraud it is known that \"fraud\" is not in reach; these are: delivery, manager, returns."))
	return w.recording()
}

// each is every recording of this file, by what is in it.
func each(t testing.TB) map[string]*recording.Recording {
	return map[string]*recording.Recording{
		"served": served(t), "moved": moved(t), "menu": menu(t), "rails": rails(t), "failed": failed(t), "waiting": waiting(t), "limited": limited(t),
		"ranked": ranked(t), "tree": inTree(t),
	}
}

// moved is a conversation in which a tool's proposal moves the walk, another
// one loses against a step, and the next turn goes on where it ended.
func moved(t testing.TB) *recording.Recording {
	w := newWorld(t, helpdesk(), brought())
	w.say("I was charged twice.", nil)
	w.step(&event.Scored{Scores: []score.Score{{ID: "billing", Score: 9}, {ID: "delivery", Score: 1}, {ID: "returns", Score: 0}}})
	w.replies(call("look_up", `{"order":17}`))
	w.returns("i1.1", `{"parcel":true}`, spoor.Effect{Kind: spoor.ProposeTransition, Target: "manager", Reason: "it is a lot"},
		spoor.Effect{Kind: spoor.RequireInstruction, Instruction: "sorry", Lease: spoor.NextCall})
	w.replies(call("read_skill", `{"id":"glossary"}`))
	w.replies(say("It is on its way."))
	w.say("And the money?", func(s *event.Started) {
		s.Continuity, s.Cursor, s.Activated = spoor.ContinueConversation, w.state.Cursor, w.state.Activated
	})
	w.step(&event.Scored{Scores: []score.Score{{ID: "billing", Score: 1}, {ID: "delivery", Score: 1}, {ID: "returns", Score: 0}}})
	w.replies(say("A credit note is money that the shop owes."))
	w.say("I want a lawyer.", func(s *event.Started) {
		s.Continuity, s.Cursor = spoor.ContinueConversation, "gone"
	})
	w.replies(say("The manager takes over."))
	return w.recording()
}

// menu is a turn in which the model reads from an open menu, after a model
// that was to classify chose none.
func menu(t testing.TB) *recording.Recording {
	m := helpdesk()
	m.Start.Classify = walk.LLM
	w := newWorld(t, m, spoor.Injections{})
	w.say("Hello?", func(s *event.Started) { s.Posture = spoor.PostureGuard })
	w.replies(call("choose", `{"id":"none"}`))
	w.replies(call("read_skill", `{"id":"fraud"}`))
	w.replies(call("read_skill", `{"id":"delivery"}`, "read_skill", `{"id":"returns"}`))
	w.replies(say("Where is it?"))
	return w.recording()
}

// rails is a turn whose scores are too close, with nobody to choose.
func rails(t testing.TB) *recording.Recording {
	w := newWorld(t, helpdesk(), spoor.Injections{})
	w.say("Hello?", func(s *event.Started) { s.Posture = spoor.PostureRails })
	w.step(&event.Scored{Scores: []score.Score{{ID: "billing", Score: 1}, {ID: "delivery", Score: 1}, {ID: "returns", Score: 0}}})
	w.replies(call("read_skill", `{"id":"billing"}`))
	w.replies(say("Nobody is here."))
	return w.recording()
}

// failed is a turn whose scorer fails, and whose decider does as well.
func failed(t testing.TB) *recording.Recording {
	w := newWorld(t, helpdesk(), spoor.Injections{})
	w.say("Hello?", func(s *event.Started) { s.Decider = true })
	w.step(&event.Scored{Error: "the scorer is out\nfor lunch"})
	w.step(&event.Failed{Error: "the model is out as well", Fault: model.FaultOverloaded})
	w.replies(say("Nobody is here."))
	return w.recording()
}

// waiting is a turn that a person has not answered yet.
func waiting(t testing.TB) *recording.Recording {
	w := newWorld(t, helpdesk(), spoor.Injections{})
	w.say("I was charged twice.", nil)
	w.step(&event.Scored{Scores: []score.Score{{ID: "billing", Score: 9}, {ID: "delivery", Score: 1}, {ID: "returns", Score: 0}}})
	w.replies(call("pay_back", `{}`))
	w.asks("i1.1", event.ByTool, "Pay it back?")
	return w.recording()
}

// limited is a turn that a limit of tool calls ends.
func limited(t testing.TB) *recording.Recording {
	w := newWorld(t, helpdesk(), spoor.Injections{})
	w.say("Get me a lawyer.", func(s *event.Started) { s.Limits = spoor.Limits{ToolCalls: 1} })
	w.replies(call("pay_back", `{}`))
	w.returns("i1.1", "paid")
	w.replies(say("Done."))
	return w.recording()
}

// ranked is a turn whose entries a scorer ranks, one of them under a condition
// that does not hold, and a next one in which they are too close.
func ranked(t testing.TB) *recording.Recording {
	m := helpdesk()
	m.Start = spoor.Start{ScoredBy: "keyword", Entries: []spoor.Entry{
		{Use: "billing"}, {Use: "delivery"}, {Use: "fraud", When: "userMessage.contains('odd')"},
	}}
	w := newWorld(t, m, spoor.Injections{})
	w.say("Where is my parcel?", nil)
	w.step(&event.Scored{Scores: []score.Score{{ID: "billing", Score: 1}, {ID: "delivery", Score: 1.5}}})
	w.replies(say("It is on its way."))
	w.say("Is it?", func(s *event.Started) {
		s.Continuity, s.Cursor, s.Decider = spoor.ContinueConversation, "returns", true
	})
	w.step(&event.Scored{Scores: []score.Score{{ID: "billing", Score: 1}, {ID: "delivery", Score: 1}, {ID: "returns", Score: -9}}})
	w.replies(call("choose", `{"id":"stay"}`))
	w.replies(say("It is."))
	return w.recording()
}

// inTree is a turn in a tree, in which only a skill of the agent can be read.
func inTree(t testing.TB) *recording.Recording {
	w := newWorld(t, &spoor.Map{
		Skills: []spoor.Skill{{ID: "billing", Body: "Pay back."}, {ID: "delivery"}},
		Tree:   &spoor.Tree{When: "userMessage.contains('charged')", WhenTrue: &spoor.Tree{Skill: "billing"}, WhenFalse: &spoor.Tree{Skill: "delivery"}},
	}, brought())
	w.say("I was charged twice.", func(s *event.Started) { s.Hidden = []string{"fraud"} })
	w.replies(call("read_skill", `{"id":"glossary"}`, "read_skill", `{"id":"delivery"}`))
	w.replies(say("A credit note is money that the shop owes."))
	return w.recording()
}

// Every walk of this file is told, in full and in short; nothing is of an
// unknown kind, and no place of a template is left open.
func TestNarrateEveryEvent(t *testing.T) {
	kinds := map[string]bool{}
	for name, r := range each(t) {
		golden(t, "story-"+name+".txt", explain.Narrate(r).String())
		for _, s := range []*explain.Story{explain.Narrate(r), explain.NarrateFull(r)} {
			for _, l := range s.Lines {
				kinds[l.Kind] = true
				if l.Text == "" || strings.Contains(l.Text, "of a kind that this version does not know") || strings.Contains(l.Text, "  ") {
					t.Errorf("%s: %+v", name, l)
				}
			}
		}
	}
	for _, kind := range []string{"asked", "scored", "skill.turn_routed", "tools.effect", "needs", "answered", "paused"} {
		if !kinds[kind] {
			t.Errorf("nothing is told of %s", kind)
		}
	}
}

// Every part of every request is told as it reads back, whatever it is for.
func TestEveryRequestIsTold(t *testing.T) {
	for name, r := range each(t) {
		full := map[int][]string{}
		for _, l := range explain.NarrateFull(r).Lines {
			full[l.Event] = append(full[l.Event], l.Full)
		}
		for i := range r.Events {
			seq := r.Events[i].Seq
			parts, called := r.Request(seq)
			for k, p := range parts {
				if got := full[seq][k+1]; got != p.Data {
					t.Errorf("%s: part %d of the request of event %d is told as %q, want %q", name, k+1, seq, got, p.Data)
				}
			}
			if called != nil && called.Choice != nil && !slices.Contains(full[seq], called.Choice.Data) {
				t.Errorf("%s: event %d does not tell the tool of its choice", name, seq)
			}
		}
	}
}

func TestMoveTellsWhatStartedTheTurn(t *testing.T) {
	var text strings.Builder
	for _, c := range []struct {
		name string
		n    int
	}{{"served", 1}, {"served", 2}, {"moved", 1}, {"menu", 1}, {"menu", 3}, {"rails", 1}, {"failed", 1}} {
		fmt.Fprintf(&text, "== %s\n%s\n", c.name, explain.Move(each(t)[c.name], c.n))
	}
	golden(t, "move-start.txt", text.String())
}

// The second turn of moved goes on in delivery; its first one is told by the
// whole recording.
func TestNotSkillTellsTheStart(t *testing.T) {
	all := each(t)
	var text strings.Builder
	for _, c := range []struct{ name, skill string }{
		{"served", "delivery"}, {"served", "returns"}, {"served", "manager"}, {"served", "fraud"}, {"served", "notes"}, {"served", "glossary"},
		{"moved", "manager"}, {"moved", "billing"}, {"moved", "returns"},
		{"menu", "billing"}, {"menu", "fraud"}, {"menu", "returns"},
		{"ranked", "billing"}, {"ranked", "delivery"}, {"ranked", "fraud"}, {"tree", "delivery"}, {"tree", "notes"}, {"tree", "glossary"},
		{"rails", "billing"}, {"failed", "billing"}, {"limited", "billing"},
	} {
		fmt.Fprintf(&text, "== %s, %s\n%s\n", c.name, c.skill, explain.NotSkill(all[c.name], c.skill))
	}
	golden(t, "not-start.txt", text.String())
	for name, r := range all {
		for _, skill := range []string{"billing", "delivery", "returns", "fraud", "manager", "notes", "glossary"} {
			n := explain.NotSkill(r, skill)
			for _, o := range n.Occasions {
				if o.From != skill && (o.NotFound == nil) == (len(o.Ways) == 0) {
					t.Errorf("%s: %s has %d ways in iteration %d, and the reason %v", name, skill, len(o.Ways), o.Iteration, o.NotFound)
				}
				for _, w := range o.Ways {
					if w.Evidence == "" || w.Outcome == "" || w.Text == "" || strings.Contains(w.Text, "{") && w.Kind != explain.ByCondition {
						t.Errorf("%s: iteration %d of %s has the way %+v", name, o.Iteration, skill, w)
					}
				}
			}
		}
	}
}

// Words of the answer come from all that an agent brings along, and from what
// people said.
func TestSpanOfWhatTheAgentBrings(t *testing.T) {
	r := served(t)
	for text, want := range map[string]string{
		"Never promise a date that nobody has confirmed":           "steering steering[0]",
		"The rate of the value added tax is 19 %":                  "fact vat",
		"whole shop is sorry for it":                               "instruction sorry",
		"the second charge was never booked by the bank":           "result ",
		"credit note number 4711":                                  "result ",
		"Write the number of the case into the notes of the shop.": "body ",
	} {
		s := explain.Span(r, text)
		if len(s.Runs) != 1 || len(s.Runs[0].Sources) == 0 {
			t.Errorf("%q has no source:\n%s", text, s)
			continue
		}
		src := s.Runs[0].Sources[0]
		if got := string(src.Kind) + " " + src.Name; got != want {
			t.Errorf("%q comes from %s, want %s", text, got, want)
		}
	}
	golden(t, "answer-served.txt", explain.Answer(r).String())
	var text strings.Builder
	for _, words := range []string{
		"Never promise a date that nobody has confirmed", "value added tax is 19 %", "shop is sorry for it",
		"the second charge was never booked by the bank", "credit note number 4711", "into the notes of the shop", "these are: delivery, manager, returns",
	} {
		fmt.Fprintln(&text, explain.Span(r, words))
	}
	golden(t, "span-served.txt", text.String())
}

// A reply to a forced choice is no answer of the turn.
func TestAChoiceIsNoAnswer(t *testing.T) {
	m := helpdesk()
	m.Start.Classify = walk.LLM
	w := newWorld(t, m, spoor.Injections{})
	w.say("Where is my parcel?", nil)
	w.replies(say("delivery"))
	if a := explain.Answer(w.recording()); a.NotFound == nil || a.NotFound.Kind != explain.NotReached {
		t.Errorf("the choice is told as the answer:\n%s", a)
	}
	if n := explain.NotSkill(w.recording(), "billing").String(); strings.Contains(n, "did not ask to read it") {
		t.Errorf("the model that classifies was not to read:\n%s", n)
	}
}

// A recording may be cut or damaged anywhere; explaining ends, and says so.
func TestEveryCutIsExplained(t *testing.T) {
	for name, r := range each(t) {
		for n := range r.Events {
			cut := recording.NewWriter(nil, "RUN")
			if err := cut.Append(slices.Delete(slices.Clone(r.Events), n, n+1)); err != nil {
				t.Fatal(err)
			}
			part := recording.NewWriter(nil, "RUN")
			if err := part.Append(r.Events[:n]); err != nil {
				t.Fatal(err)
			}
			for _, r := range []*recording.Recording{cut.Recording(), part.Recording()} {
				explain.NarrateFull(r)
				explain.Answer(r)
				for i := range 4 {
					_ = explain.Move(r, i).String()
				}
				for _, skill := range []string{"delivery", "notes", "fraud"} {
					if text := explain.NotSkill(r, skill).String(); text == "" {
						t.Errorf("%s without event %d: nothing is told of %s", name, n+1, skill)
					}
				}
			}
		}
	}
}
