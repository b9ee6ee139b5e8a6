package agent_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/tool"
)

// read is the map that a text in YAML declares.
func read(t testing.TB, text string) *spoor.Map {
	t.Helper()
	f, err := mapfile.Read(fstest.MapFS{"map.yaml": {Data: []byte(text)}}, "map.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return f.Map
}

// acts is a model that does the same in the same iteration of every turn:
// acts[0] is what it does in the first one, and behind the last one it says
// done. An act is a call, "rate {"id":17}", or words, "say Hello.".
type acts [][]string

func (a acts) Call(_ context.Context, r *model.Request, _ func(model.Delta)) (model.Reply, error) {
	if r.Iteration > len(a) || len(r.Tools) == 0 {
		return act("say done"), nil
	}
	return act(a[r.Iteration-1]...), nil
}

// act is the reply that does so.
func act(acts ...string) (r model.Reply) {
	for _, a := range acts {
		name, rest, _ := strings.Cut(a, " ")
		if name == "say" {
			r.Parts = append(r.Parts, model.Part{Kind: model.Text, Data: rest})
			continue
		}
		r.Parts = append(r.Parts, model.Part{Kind: model.Call, Tool: name, Data: rest})
	}
	return r
}

// message is the last one of the person.
func message(r *model.Request) string {
	for _, p := range slices.Backward(r.Parts) {
		if p.Role == model.User {
			return p.Data
		}
	}
	return ""
}

// says is a tool that always gives the same text.
func says(name, text string) tool.Tool {
	return tool.Tool{Name: name, Call: func(context.Context, string) (tool.Result, error) { return tool.Result{Text: text}, nil }}
}

// does is a tool that is a function of its context and arguments.
func does(name string, fn func(ctx context.Context, args string) (string, error)) tool.Tool {
	return tool.Tool{Name: name, Call: func(ctx context.Context, args string) (tool.Result, error) {
		text, err := fn(ctx, args)
		return tool.Result{Text: text}, err
	}}
}

var quiet = slog.New(slog.DiscardHandler)

// bodies are the bodies of one kind, in order.
func bodies[B event.Body](r *recording.Recording) (list []B) {
	for _, e := range r.Events {
		if b, ok := e.Body.(B); ok {
			list = append(list, b)
		}
	}
	return list
}

// kinds are the kinds of events from one seq on.
func kinds(r *recording.Recording, from int) string {
	var list []string
	for _, e := range r.Events {
		if e.Seq >= from {
			list = append(list, e.Body.Kind())
		}
	}
	return strings.Join(list, " ")
}

// answers are what each call was answered, in the order of the answers.
func answers(r *recording.Recording) (list []string) {
	for _, e := range r.Events {
		if p := answer(e.Body); p != nil {
			list = append(list, strings.TrimSpace(p.Call+" "+p.Status)+": "+p.Data)
		}
	}
	return list
}

// answer is the part that answers a call; nil if a body is no such answer.
func answer(b event.Body) *model.Part {
	switch b := b.(type) {
	case *event.Returned:
		return &b.Result
	case *event.Refused:
		return &b.Result
	case *event.Read:
		return &b.Result
	case *event.Rejected:
		return &b.Result
	}
	return nil
}

// sound holds what is true of every run that has come to its end, whatever the
// model and the tools did: it is on record, whole and told to its end; every
// call has exactly one answer; and no more models were asked than may be.
func sound(t *testing.T, run *agent.Run) {
	t.Helper()
	if run == nil {
		t.Fatal("nothing is on record")
	}
	r := run.Recording
	if r.Incomplete() {
		t.Fatalf("the turn has no end: %s", kinds(r, 1))
	}
	ends, starts := len(bodies[*event.Finished](r)), len(bodies[*event.Started](r))
	if ends != starts {
		t.Errorf("%d turns began, and %d came to their end", starts, ends)
	}
	answered := map[string]int{}
	for _, e := range r.Events {
		if p := answer(e.Body); p != nil {
			answered[p.Call]++
		}
	}
	called, most := 0, 0
	for _, e := range r.Events {
		switch b := e.Body.(type) {
		case *event.Started:
			called, most = 0, b.MaxIterations
		case *event.Called:
			if called++; called > most {
				t.Errorf("event %d is model call %d of %d", e.Seq, called, most)
			}
		case *event.Replied:
			for _, p := range b.Parts {
				if n := answered[p.Call]; p.Kind == model.Call && p.Call != "" && n != 1 {
					t.Errorf("call %s has %d answers", p.Call, n)
				}
			}
		}
	}
	for _, l := range explain.Narrate(r).Lines {
		if strings.Contains(l.Text, "of a kind that this version does not know") || strings.TrimSpace(l.Text) == "" {
			t.Errorf("a line that explains nothing: %s", l.Text)
		}
	}
	if r.Path != "" {
		verify(t, r.Path)
		back, err := recording.Open(r.Path)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := explain.Narrate(back).String(), explain.Narrate(r).String(); got != want {
			t.Errorf("from its file the run is told so:\n%s\nand before:\n%s", got, want)
		}
	}
}

// told is everything that was said to the model, and by it, of one kind.
func told(r *recording.Recording, kind model.Kind) (list []string) {
	for _, b := range bodies[*event.Called](r) {
		for _, s := range b.Splices {
			for _, p := range s.Put {
				if p.Kind == kind && !slices.Contains(list, p.Data) {
					list = append(list, p.Data)
				}
			}
		}
	}
	return list
}

// modelStops is a model that cancels the turn in one iteration, and answers.
type modelStops struct {
	model.Model
	cancel context.CancelFunc
	in     int
}

func (m modelStops) Call(ctx context.Context, r *model.Request, emit func(model.Delta)) (model.Reply, error) {
	if r.Iteration == m.in {
		m.cancel()
	}
	return m.Model.Call(ctx, r, emit)
}
