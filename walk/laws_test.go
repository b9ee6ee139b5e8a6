package walk_test

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/walk"
)

// The laws of the machine, over every prefix of a run:
//
//	(a) fold the prefix, settle, and feed the outcomes that remain: the same
//	    bytes come out;
//	(b) fed Stopped there, the turn ends; fed Resumed there and driven on, it
//	    ends; and either way every call has exactly one answer;
//	(c) every request reads back from called events alone.

// TestLawsOfRecordings holds the laws over every recording in the repository,
// and over those in the folder that SPOOR_RECORDINGS names.
func TestLawsOfRecordings(t *testing.T) {
	roots := []string{".."}
	if dir := os.Getenv("SPOOR_RECORDINGS"); dir != "" {
		roots = append(roots, dir)
	}
	n := 0
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".jsonl") {
				return err
			}
			if data, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(data, []byte(`{"spoor":`)) {
				return err // other lines of JSON
			}
			rec, err := recording.Open(path)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				return nil
			}
			n++
			t.Run(filepath.ToSlash(path), func(t *testing.T) { holdLaws(t, rec.Events) })
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n == 0 {
		t.Error("there is no recording in the repository to hold the laws over")
	}
}

// TestLawsOfRandomRuns holds the laws over the conversations of the simulation.
func TestLawsOfRandomRuns(t *testing.T) {
	runs := 24
	if raced {
		runs = 8
	}
	for seed := range uint64(runs) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			holdLaws(t, randomRun(t, 1000+seed))
		})
	}
}

func FuzzLaws(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { holdLaws(t, randomRun(t, seed)) })
}

// randomRun is a conversation of the simulation.
func randomRun(t *testing.T, seed uint64) []event.Event {
	t.Helper()
	w, err := newHost(seed, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if f, ok := recover().(*failure); ok {
			t.Fatalf("%s: %s", f.law, f.what)
		}
	}()
	for len(w.before) == 0 && len(w.events) < 60 {
		w.turn()
	}
	return slices.Concat(w.before, w.events)
}

// A machine is what walks a turn.
type machine = *walk.Machine

func holdLaws(t *testing.T, events []event.Event) {
	t.Helper()
	if law, what := prefixLaws(machinesOf(events), events); law != "" {
		t.Fatalf("%s: %s", law, what)
	}
}

// prefixLaws holds the laws at every prefix. The machine at a prefix is that of
// the turn there.
func prefixLaws(at func(cut int) (machine, error), events []event.Event) (law, what string) {
	if len(events) == 0 {
		return "", ""
	}
	want := lines(events)
	for cut := range len(events) + 1 {
		if cut == 0 && events[0].Seq > 1 {
			continue // these are the events of a later turn
		}
		m, err := at(cut)
		if err != nil {
			return "the map compiles", err.Error()
		}
		if what := replays(m, events, want, cut); what != "" {
			return "the-same-outcomes-give-the-same-bytes", what
		}
		if cut == 0 {
			continue
		}
		if what := cmp.Or(stops(m, events[:cut]), resumes(m, events[:cut])); what != "" {
			return "a-turn-ends-from-anywhere", what
		}
	}
	if what := unread(events); what != "" {
		return "requests-read-back-from-called-events", what
	}
	return "", ""
}

// machinesOf finds the machine of the map that the turn at a prefix walks.
func machinesOf(events []event.Event) func(cut int) (machine, error) {
	made := map[*event.Started]machine{}
	return func(cut int) (machine, error) {
		started := startOf(events, cut)
		if m := made[started]; m != nil {
			return m, nil
		}
		g, err := started.Compile(cond.CEL)
		if err != nil {
			return nil, err
		}
		made[started] = walk.New(g)
		return made[started], nil
	}
}

// startOf is what the turn at a prefix began with.
func startOf(events []event.Event, cut int) (started *event.Started) {
	for i, e := range events {
		if b, ok := e.Body.(*event.Started); ok && (started == nil || i < cut) {
			started = b
		}
	}
	return started
}

// machineOf is the machine of the map that the turn at a prefix walks.
func machineOf(t *testing.T, events []event.Event, cut int) machine {
	t.Helper()
	m, err := machinesOf(events)(cut)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func lines(events []event.Event) []string {
	list := make([]string, len(events))
	for i := range events {
		list[i] = line(&events[i])
	}
	return list
}

func line(e *event.Event) string { return string(e.AppendJSON(nil)) }

func fold(events []event.Event) *walk.State {
	s := new(walk.State)
	for _, e := range events {
		s.Apply(e)
	}
	return s
}

// replays is law (a).
func replays(m machine, events []event.Event, want []string, cut int) string {
	s := fold(events[:cut])
	got := lines(m.Settle(s))
	for _, e := range events[min(cut+len(got), len(events)):] {
		if o, ok := e.Body.(event.Outcome); ok {
			got = append(got, lines(m.Step(s, o, e.Time))...)
		}
	}
	for i, line := range got {
		if cut+i >= len(want) {
			if _, whole := events[len(events)-1].Body.(*event.Finished); !whole { // the run was cut: it may go on
				break
			}
			return fmt.Sprintf("after %d events, one too many: %s", cut, line)
		}
		if line != want[cut+i] {
			return fmt.Sprintf("after %d events, event %d:\nwas %s\nis  %s", cut, cut+i+1, want[cut+i], line)
		}
	}
	if cut+len(got) < len(want) {
		return fmt.Sprintf("after %d events, event %d does not follow: %s", cut, cut+len(got)+1, want[cut+len(got)])
	}
	return ""
}

// stops is the first half of law (b).
func stops(m machine, prefix []event.Event) string {
	s := fold(prefix)
	after := slices.Clone(m.Step(s, &event.Stopped{Reason: "test"}, time.Unix(0, 0)))
	if s.Phase != walk.Done || m.Command(s) != nil {
		return fmt.Sprintf("stopped after %d events, the turn is %s", len(prefix), s.Phase)
	}
	return unanswered(slices.Concat(prefix, after))
}

// resumes is the second half of law (b).
func resumes(m machine, prefix []event.Event) string {
	s := fold(prefix)
	all := slices.Concat(prefix, m.Settle(s))
	repeat := []string{}
	for i, c := range s.Out() {
		if i%2 == 0 {
			repeat = append(repeat, c.ID)
		}
	}
	all = append(all, m.Step(s, &event.Resumed{Repeat: repeat}, time.Unix(0, 0))...)
	for range 1000 {
		var o event.Outcome
		switch c := m.Command(s).(type) {
		case walk.Score:
			o = &event.Scored{Error: "the scorer is away"}
		case walk.Ask:
			o = &event.Answered{Call: c.Call.ID, Answer: model.NewPart(model.User, model.Text, "yes")}
		case walk.CallModel:
			o = &event.Replied{Parts: []model.Part{model.NewPart(model.Assistant, model.Text, "done")}}
		case walk.CallTools:
			o = returned(*c.Calls[len(c.Calls)-1], true, "", "{}")
		case nil:
			if s.Phase != walk.Done {
				return fmt.Sprintf("resumed after %d events, the turn wants nothing and is %s", len(prefix), s.Phase)
			}
			return unanswered(all)
		}
		all = append(all, m.Step(s, o, time.Unix(0, 0))...)
	}
	return fmt.Sprintf("resumed after %d events, the turn does not end", len(prefix))
}

// answered holds that every call has exactly one answer once its turn ended.
func answered(t *testing.T, events []event.Event) {
	t.Helper()
	if what := unanswered(events); what != "" {
		t.Fatal(what)
	}
}

// unanswered names a call that has not exactly one answer once its turn ended.
func unanswered(events []event.Event) string {
	open := map[string]int{}
	for _, e := range events {
		answer := ""
		switch b := e.Body.(type) {
		case *event.Started:
			clear(open)
		case *event.Replied:
			for _, p := range b.Parts {
				if p.Kind == model.Call && p.Call != "" {
					if _, again := open[p.Call]; again {
						return "two calls have the id " + p.Call
					}
					open[p.Call] = 0
				}
			}
		case *event.Returned:
			answer = b.Call
		case *event.Refused:
			answer = b.Call
		case *event.Read:
			answer = b.Call
		case *event.Rejected:
			answer = b.Call
		case *event.Finished:
			for _, id := range slices.Sorted(maps.Keys(open)) {
				if open[id] != 1 {
					return fmt.Sprintf("call %s has %d answers", id, open[id])
				}
			}
		}
		if answer != "" {
			open[answer]++
		}
	}
	return ""
}

// requests holds law (c): what called events add up to is what the machine asks.
func requests(t *testing.T, events []event.Event) {
	t.Helper()
	if what := unread(events); what != "" {
		t.Fatal(what)
	}
}

// unread says which request does not read back.
func unread(events []event.Event) string {
	var parts []model.Part
	s := new(walk.State)
	for _, e := range events {
		s.Apply(e)
		switch b := e.Body.(type) {
		case *event.Started:
			parts = nil
		case *event.Called:
			if b.Purpose != model.Answer {
				continue
			}
			parts = spliced(parts, b.Splices)
			if !slices.Equal(parts, s.Request) {
				return fmt.Sprintf("event %d: the request does not read back", e.Seq)
			}
			if what := misshapen(parts); what != "" {
				return fmt.Sprintf("event %d: %s", e.Seq, what)
			}
		}
	}
	return ""
}

// misshapen says how a request is not what every request looks like: system,
// bodies, history, one tail; every call in the history followed by its one
// result.
func misshapen(parts []model.Part) string {
	calls := []string{}
	seen := map[string]bool{}
	for i, p := range parts {
		switch p.Kind {
		case model.Menu, model.Instruction:
			if i < len(parts)-1 && parts[i+1].Kind != model.Menu && parts[i+1].Kind != model.Instruction {
				return fmt.Sprintf("part %d of %d is a %s", i, len(parts), p.Kind)
			}
		case model.Call:
			if seen[p.Call] {
				return "the request has two calls " + p.Call
			}
			seen[p.Call] = true
			calls = append(calls, p.Call)
		case model.Result:
			if len(calls) == 0 || calls[0] != p.Call {
				return fmt.Sprintf("part %d is the result of %s, and the open calls are %s", i, p.Call, calls)
			}
			calls = calls[1:]
		}
	}
	if len(calls) > 0 {
		return fmt.Sprintf("the calls %s have no result", calls)
	}
	return ""
}

func returned(c walk.Call, executed bool, status spoor.Status, text string) *event.Returned {
	p := model.NewPart(model.Tool, model.Result, text)
	p.Call, p.Tool, p.Status = c.ID, c.Tool, string(status)
	return &event.Returned{Call: c.ID, Tool: c.Tool, Executed: executed, Status: status, Result: p}
}

// TestRecordedRunReadsBack holds that a run which goes through a file is the
// run that was written.
func TestRecordedRunReadsBack(t *testing.T) {
	for seed := range uint64(8) {
		events := randomRun(t, seed)
		var file bytes.Buffer
		if err := recording.NewWriter(&file, "random").Append(events); err != nil {
			t.Fatal(err)
		}
		rec, err := recording.Read(&file)
		if err != nil || rec.Damage != "" {
			t.Fatal(err, rec.Damage)
		}
		if want, got := lines(events), lines(rec.Events); !slices.Equal(want, got) {
			t.Fatalf("seed %d: what was read is not what was written", seed)
		}
		holdLaws(t, rec.Events)
	}
}
