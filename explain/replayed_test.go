package explain_test

import (
	"strings"
	"testing"

	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/recording"
)

// replayed is a recording under the id of a replayed run.
func replayed(t testing.TB, r *recording.Recording, id string) *recording.Recording {
	t.Helper()
	w := recording.NewWriter(nil, id)
	if err := w.Append(r.Events); err != nil {
		t.Fatal(err)
	}
	return w.Recording()
}

func TestReplayedIDs(t *testing.T) {
	tests := []struct {
		id, of string
		from   int
		ok     bool
	}{
		{"r-replayed", "r", 0, true},
		{"r-replayed-assumed-from-9", "r", 9, true},
		{"r-replayed-replayed-assumed-from-12", "r-replayed", 12, true},
		{"r", "", 0, false},
		{"-replayed", "", 0, false},
		{"r-replayed-", "", 0, false},
		{"r-replayed-assumed-from-0", "r", 0, false},
		{"r-replayed-assumed-from-x", "r", 0, false},
		{"r-replayed-assumed-from-99999999999999999999", "", 0, false},
	}
	for _, tt := range tests {
		if of, from, ok := explain.Replayed(tt.id); ok != tt.ok || ok && (of != tt.of || from != tt.from) {
			t.Errorf("Replayed(%q) = %q, %d, %t", tt.id, of, from, ok)
		}
	}
}

// Nothing is a fact of a replayed run from the event on that its id says, and
// all that is told of it says that it is a replayed one.
func TestNothingAssumedIsAFact(t *testing.T) {
	const from = 9
	r := replayed(t, busy(t), "RUN-replayed-assumed-from-9")
	s := explain.Narrate(r)
	for _, l := range s.Lines {
		if l.Assumed != (l.Event >= from) {
			t.Errorf("event %d: assumed is %t", l.Event, l.Assumed)
		}
	}
	for _, h := range explain.History(r).Hops {
		if (h.Evidence == explain.Assumed) != (h.Event >= from) {
			t.Errorf("the hop of event %d is a %s", h.Event, h.Evidence)
		}
	}
	for _, e := range r.Events {
		if _, moved := e.Body.(*event.Evaluated); !moved || e.Turn != 1 {
			continue
		}
		m := explain.Move(r.Turn(1), e.Iteration)
		if (m.Evidence == explain.Assumed) != (m.Event >= from) {
			t.Errorf("the move of event %d is a %s", m.Event, m.Evidence)
		}
		for _, l := range m.Chain {
			if (l.Evidence == explain.Assumed) != (l.Event >= from) {
				t.Errorf("in the chain of event %d, event %d is a %s", m.Event, l.Event, l.Evidence)
			}
		}
	}
	for _, o := range explain.NotSkill(r, "escalation").Occasions {
		for _, w := range o.Ways {
			if o.Event >= from && w.Evidence != explain.Assumed {
				t.Errorf("a way of the move of event %d is a %s", o.Event, w.Evidence)
			}
		}
	}
	for _, text := range []string{s.String(), explain.History(r).String(), explain.Answer(r).String(), explain.Move(r, 1).String(), explain.NotTool(r, "assess_risk").String()} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), "run RUN walked again with an edit; no model and no tool was asked, and from event 9 on all is assumed") {
			t.Errorf("it does not say that it is a replayed run:\n%s", text)
		}
	}
}
