package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/score"
	"github.com/spoorhq/spoor/walk"
)

var update = flag.Bool("update", false, "write the examples and docs/events.md anew")

// TestExamples walks until every kind of event has happened, and compares the
// longest line of each kind with the examples.
func TestExamples(t *testing.T) {
	longest := map[string][]byte{}
	events := everyKind(t)
	for i := range events {
		kind, line := events[i].Body.Kind(), events[i].AppendJSON(nil)
		if len(line) > len(longest[kind]) {
			longest[kind] = line
		}
	}
	s, err := load("../..")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	for _, k := range s.kinds {
		if longest[k.name] == nil {
			t.Errorf("there is no example of %s; let everyKind make it happen", k.name)
			continue
		}
		got.Write(append(longest[k.name], '\n'))
	}
	if *update {
		examples = got.String()
		if err := os.WriteFile("testdata/examples.txt", got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(examples, got.String()); diff != "" {
		t.Errorf("the examples are not what happens; run go test ./internal/eventdoc -update (-was +is):\n%s", diff)
	}
}

// TestDocument compares docs/events.md with what is generated.
func TestDocument(t *testing.T) {
	want, err := document("../..")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("..", "..", "docs", "events.md")
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), want); diff != "" {
		t.Errorf("docs/events.md is stale; run go generate ./event (-was +is):\n%s", diff)
	}
}

// everyKind walks turns in which everything happens once at least.
func everyKind(t *testing.T) []event.Event {
	m := &spoor.Map{
		Name: "desk",
		Skills: []spoor.Skill{
			{ID: "triage", Description: "Rate a request.", Body: "Call rate_risk.", Tools: []string{"rate_risk", "find_order"},
				Source: spoor.Source{File: "skills/triage/SKILL.md", Line: 5}},
			{ID: "refunds"}, {ID: "escalation"}, {ID: "policy"},
		},
		Start: spoor.Start{Rules: []spoor.Rule{
			{Use: "triage", Match: match.Keywords("refund", "charged")}, {Use: "policy", Match: match.Keywords("refund")},
		}},
		Steps: []spoor.Step{
			{From: "triage", To: "escalation", OnToolReturn: "rate_risk", Guard: guard.Guard{guard.Gte("score", 0.7)}},
			{From: "triage", To: "refunds", OnToolReturn: "rate_risk"},
			{From: "triage", To: "escalation", OnToolReturn: "find_order"},
		},
	}
	w := newWorld(t, m, spoor.Injections{})
	step, call, back := w.step, w.call, w.back
	start := func(message string) { step(w.started(message)) }

	start("I was charged twice, and want a refund")
	step(&event.Replied{
		Parts: []model.Part{
			call("rate_risk", `{"order":17}`), call("find_order", `{"order":17}`), call("refund", `{"order":17}`),
			call(walk.ReadSkill, `{"id":"policy"}`), call(walk.ReadSkill, `{"id":"billing"}`),
		},
		Usage: model.Usage{Input: 812, Output: 64, Cached: 512},
		Model: "gpt-5.2-2026-08-01", Wire: model.Wire{SHA256: model.Sum("a request").String(), Bytes: 2048},
		Attempts: []model.Attempt{{Fault: model.FaultRateLimit, Status: 429, Error: "https://api.openai.com/v1 takes no more requests for now", WaitMS: 1500}},
	})
	rated := back("i1.1", "rate_risk", `{"score":0.31}`)
	rated.More = []model.Part{model.NewPart(model.Tool, model.Image, "\x89PNG…")}
	rated.More[0].Call, rated.More[0].Tool, rated.More[0].Media = "i1.1", "rate_risk", "image/png"
	step(rated)
	step(back("i1.2", "find_order", `{"id":17}`))
	step(&event.Replied{Parts: []model.Part{model.NewPart(model.Assistant, model.Text, "It is on its way.")}})
	step(back("i1.2", "find_order", `{"id":17}`))

	start("And a refund?")
	step(&event.Replied{Parts: []model.Part{call("rate_risk", `{"order":17}`)}})
	step(&event.Resumed{Repeat: []string{"t2i1.1"}})
	step(back("t2i1.1", "rate_risk", `{"score":0.9}`))
	step(&event.Failed{Error: "the model is not there", Fault: model.FaultOverloaded, Status: 529, Attempts: []model.Attempt{{Fault: model.FaultOverloaded, Status: 529, Error: "busy", WaitMS: 500}}})

	start("refund")
	step(&event.Stopped{Reason: "context canceled"})
	return append(w.events, everyStart(t)...)
}

// everyStart walks a turn that a scorer and a model start, that asks a person,
// and whose tool asks for more than it gets.
func everyStart(t *testing.T) []event.Event {
	m := &spoor.Map{
		Name:   "helpdesk",
		Skills: []spoor.Skill{{ID: "billing", Tools: []string{"pay_back"}}, {ID: "delivery"}, {ID: "returns"}, {ID: "fraud"}},
		Start: spoor.Start{Classify: "keyword", Rules: []spoor.Rule{
			{Use: "billing", Match: match.Intent("The customer paid too much.", "charged twice")},
			{Use: "delivery", Match: match.Intent("A parcel is late.", "where is my parcel")},
		}},
	}
	w := newWorld(t, m, spoor.Injections{
		Skills:       []spoor.AgentSkill{{Skill: spoor.Skill{ID: "notes", Body: "Keep notes."}, When: "userMessage.contains('charged')"}},
		Steering:     []string{"Be brief."},
		Facts:        []spoor.Fact{{ID: "vat", Text: "VAT is 19 %."}},
		Instructions: []spoor.Instruction{{ID: "tone", Text: "Say sorry."}},
	})
	s := w.started("I was charged twice for a parcel")
	s.Posture, s.Continuity, s.Cursor, s.Hidden, s.Decider = spoor.PostureGuard, spoor.ContinueConversation, "returns", []string{"fraud"}, true
	s.Limits = spoor.Limits{Tokens: 100_000, Cost: 0.5, Prices: []spoor.Price{{Model: "gpt-5.2", Input: 1.25, Output: 10}}}
	w.step(s)
	w.step(&event.Scored{Scores: []score.Score{{ID: "billing", Score: 2}, {ID: "delivery", Score: 1.9}, {ID: "returns", Score: 0.25}}, Floor: new(0.0)})
	w.step(&event.Replied{Parts: []model.Part{w.call("choose", `{"id":"billing"}`)}, Model: "gpt-5.2-mini"})
	w.step(&event.Replied{Parts: []model.Part{w.call("pay_back", `{"order":17}`), w.call("pay_back", `{"order":18}`)}, Model: "gpt-5.2"})
	asks := func(id, text string) *event.Needs {
		p := model.NewPart(model.Tool, model.Text, text)
		p.Call, p.Tool = id, "pay_back"
		return &event.Needs{Call: id, By: event.ByTool, Question: p}
	}
	w.step(asks("i1.1", "Pay 89.90 EUR back?"))
	w.step(asks("i1.2", "Pay 12.00 EUR back?"))
	w.step(&event.Answered{Call: "i1.1", Answer: model.NewPart(model.User, model.Text, "yes")})
	paid := w.back("i1.1", "pay_back", `{"paid":true}`)
	paid.Effects = []spoor.Effect{
		{Kind: spoor.RequireInstruction, Instruction: "tone", Lease: spoor.NextCall},
		{Kind: spoor.ProposeTransition, Target: "delivery", Reason: "the money is back; now the parcel"},
	}
	w.step(paid)
	w.step(&event.Answered{Call: "i1.2", Answer: model.NewPart(model.User, model.Text, "too much"), Declined: true})
	w.step(&event.Replied{Parts: []model.Part{model.NewPart(model.Assistant, model.Text, "It is paid back.")}, Model: "gpt-5.2"})
	return w.events
}

// A world says what only the world can say to a machine, a second after the
// other.
type world struct {
	m       *spoor.Map
	graph   event.Graph
	in      event.Injections
	machine *walk.Machine
	state   *walk.State
	at      time.Time
	events  []event.Event
}

func newWorld(t *testing.T, m *spoor.Map, in spoor.Injections) *world {
	t.Helper()
	graph, err := event.NewGraph(m)
	if err != nil {
		t.Fatal(err)
	}
	injected, err := graph.NewInjections(in)
	if err != nil {
		t.Fatal(err)
	}
	g, err := (&event.Started{Graph: graph, Injections: injected}).Compile(cond.CEL)
	if err != nil {
		t.Fatal(err)
	}
	return &world{m: m, graph: graph, in: injected, machine: walk.New(g), state: new(walk.State), at: time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)}
}

func (w *world) step(o event.Outcome) {
	w.events = append(w.events, slices.Clone(w.machine.Step(w.state, o, w.at))...)
	w.at = w.at.Add(time.Second)
}

func (w *world) started(message string) *event.Started {
	var tools []event.Tool
	for _, name := range w.m.Skills[0].Tools {
		spec := `{"name":"` + name + `"}`
		output := `{"type":"object"}`
		tools = append(tools, event.Tool{Name: name, Piece: model.Sum(spec), Data: spec, Output: model.Sum(output), OutputData: output})
	}
	return &event.Started{
		Run: "20260102-150405.000000-k7q2", Message: model.NewPart(model.User, model.Text, message), Graph: w.graph, Injections: w.in, Tools: tools,
		System: []model.Part{model.NewPart(model.System, model.Text, "You are a desk.")}, MaxIterations: 10,
	}
}

func (w *world) call(tool, args string) model.Part {
	p := model.NewPart(model.Assistant, model.Call, args)
	p.Tool = tool
	return p
}

func (w *world) back(id, tool, text string) *event.Returned {
	p := model.NewPart(model.Tool, model.Result, text)
	p.Call, p.Tool = id, tool
	return &event.Returned{Call: id, Tool: tool, Executed: true, Result: p}
}
