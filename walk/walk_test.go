package walk_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/walk"
)

var update = flag.Bool("update", false, "rewrite the wanted events")

// TestWalks runs the files of testdata. A file says its claim; then it has a
// map, a [world] and the events that come of it. The events are true, or the
// test is worth nothing: read every line that -update wrote.
func TestWalks(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no walks in testdata", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			a := txtar.Parse(data)
			if len(a.Comment) == 0 || len(a.Files) != 3 || a.Files[0].Name != "map.yaml" || a.Files[1].Name != "world" || a.Files[2].Name != "events" {
				t.Fatal("a walk is its claim, then map.yaml, world and events")
			}
			before, _, _ := bytes.Cut(data, []byte("\n-- world --\n"))
			events := playFile(t, file, string(a.Files[0].Data), string(a.Files[1].Data), bytes.Count(before, []byte("\n"))+3)
			var got strings.Builder
			for _, e := range events {
				fmt.Fprintln(&got, show(e))
			}
			if *update {
				a.Files[2].Data = []byte(got.String())
				if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if d := cmp.Diff(string(a.Files[2].Data), got.String()); d != "" {
				t.Errorf("events (-want +got):\n%s", d)
			}
			holdLaws(t, events)
			counts(t, events)
			keepsCacheWarm(t, events)
		})
	}
}

// counts holds that events are numbered without gaps, that a turn is one over
// pauses and processes, and that an iteration begins with its move and with
// nothing else. What leads to the first move is of the first iteration.
func counts(t *testing.T, events []event.Event) {
	t.Helper()
	turn, iteration, moved := 0, 0, false
	for i, e := range events {
		switch e.Body.(type) {
		case *event.Started:
			turn, iteration, moved = turn+1, 0, false
		case *event.Evaluated:
			if moved || iteration == 0 {
				iteration++
			}
			moved = true
		default:
			iteration = max(iteration, 1)
		}
		if e.Seq != i+1 || e.Turn != turn || e.Iteration != iteration {
			t.Errorf("event %d is number %d, of turn %d and iteration %d; want turn %d and iteration %d", i+1, e.Seq, e.Turn, e.Iteration, turn, iteration)
		}
		for _, seq := range e.Because {
			if seq < 1 || seq >= e.Seq {
				t.Errorf("event %d follows from event %d", e.Seq, seq)
			}
		}
	}
}

// keepsCacheWarm holds that a request drops the tail of the one before it and
// appends, while the active skills and the offer stay.
func keepsCacheWarm(t *testing.T, events []event.Event) {
	t.Helper()
	s := new(walk.State)
	var request []model.Part
	var active, offered []string
	for _, e := range events {
		s.Apply(e)
		b, ok := e.Body.(*event.Called)
		if !ok || b.Purpose != model.Answer {
			continue
		}
		if s.Spent.Answers > 1 && slices.Equal(active, s.Active.Items) && slices.Equal(offered, s.Offered.Items) {
			end := len(request)
			for end > 0 && (request[end-1].Kind == model.Menu || request[end-1].Kind == model.Instruction) {
				end--
			}
			for _, splice := range b.Splices {
				if splice.At < end {
					t.Errorf("event %d: the request changes at part %d, and its tail begins at %d", e.Seq, splice.At, end)
				}
			}
		}
		request = slices.Clone(s.Request)
		active, offered = slices.Clone(s.Active.Items), slices.Clone(s.Offered.Items)
	}
}

// TestReadSkillSpec holds that read_skill names every skill that can be seen,
// and no other.
func TestReadSkillSpec(t *testing.T) {
	g, err := spoor.Compile(&spoor.Map{
		Skills: []spoor.Skill{{ID: "a"}, {ID: "b \"quoted\""}, {ID: "c"}},
		Start:  spoor.Start{Use: "a"},
		Steps:  []spoor.Step{{From: "a", To: "c"}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if g, err = g.Inject(spoor.Injections{Skills: []spoor.AgentSkill{{Skill: spoor.Skill{ID: "d"}}}}, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ hidden, want []string }{
		{nil, []string{"a", "b \"quoted\"", "c", "d"}},
		{[]string{"c", "d", "gone"}, []string{"a", "b \"quoted\""}},
	} {
		spec := walk.ReadSkillSpec(g.Hide(c.hidden))
		var schema struct {
			Properties struct{ ID struct{ Enum []string } }
			Required   []string
		}
		if err := json.Unmarshal([]byte(spec.Schema), &schema); err != nil {
			t.Fatal(err)
		}
		if got := schema.Properties.ID.Enum; !slices.Equal(got, c.want) || !slices.Equal(schema.Required, []string{"id"}) || spec.Name != walk.ReadSkill {
			t.Errorf("%v hidden: %s takes one of %v and needs %v, want %v", c.hidden, spec.Name, got, schema.Required, c.want)
		}
	}
}

// TestThousandCalls holds that a reply with very many calls is answered whole,
// under a limit of them too.
func TestThousandCalls(t *testing.T) {
	const calls, most = 1000, 3
	w := newWorld(t, "a thousand calls", "name: many\nskills: [{id: a, tools: [go]}]\nstart: a\n")
	w.play(fmt.Sprintf("limit toolCalls %d\nsay hello\ncall %s\ntool i1.3 {}\ntool i1.1 {}\ntool i1.2 {}\nanswer Done.",
		most, strings.Repeat("go {};", calls-1)+"go {}"), 1)
	refused := 0
	for _, e := range w.events {
		if b, ok := e.Body.(*event.Refused); ok && b.Reason == event.Budget {
			refused++
		}
	}
	if refused != calls-most || w.state.Phase != walk.Done || w.state.Spent.ToolCalls != most {
		t.Errorf("%d calls are refused and %d made, and the turn is %s", refused, w.state.Spent.ToolCalls, w.state.Phase)
	}
	answered(t, w.events)
	requests(t, w.events)
	if got, want := len(w.state.Conversation()), 1+2*calls+1; got != want {
		t.Errorf("the conversation has %d parts, want %d", got, want)
	}
}

// TestTwoCallsWithOneID holds that a damaged recording cannot keep the machine
// busy: one id is one call.
func TestTwoCallsWithOneID(t *testing.T) {
	s := new(walk.State)
	call := model.NewPart(model.Assistant, model.Call, "{}")
	call.Call, call.Tool = "i1.1", "gone"
	for i, b := range []event.Body{
		&event.Started{MaxIterations: 3},
		&event.Evaluated{Move: spoor.Move{By: spoor.ByNone}},
		&event.Called{Purpose: model.Answer},
		&event.Replied{Parts: []model.Part{call, call}},
	} {
		s.Apply(event.Event{Seq: i + 1, Turn: 1, Iteration: 1, Body: b})
	}
	g, err := spoor.Compile(&spoor.Map{Skills: []spoor.Skill{{ID: "a"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	events := walk.New(g).Settle(s)
	if s.Phase != walk.Asking || len(s.Batch) != 0 {
		t.Errorf("after %d events the turn is %s with %d calls", len(events), s.Phase, len(s.Batch))
	}
}
