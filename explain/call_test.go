package explain_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
)

func TestCall(t *testing.T) {
	r := busy(t)
	var text strings.Builder
	for n := 1; n <= 5; n++ {
		fmt.Fprintln(&text, explain.Call(r, n))
	}
	golden(t, "call.txt", text.String())
	text.Reset()
	all := each(t)
	for _, c := range []struct {
		name string
		n    int
	}{{"served", 1}, {"served", 2}, {"served", 3}, {"menu", 1}, {"menu", 2}, {"moved", 1}, {"waiting", 1}, {"tree", 1}, {"failed", 1}, {"limited", 2}} {
		fmt.Fprintf(&text, "== %s\n%s\n", c.name, explain.Call(all[c.name], c.n))
	}
	golden(t, "call-starts.txt", text.String())
	data, err := json.MarshalIndent(explain.Call(all["served"], 2), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "call.json", string(data)+"\n")
}

// Every call of every random walk is told part by part as its request reads
// back; what is new was not there before, and what was dropped is not there any
// more.
func TestCallIsTheRequest(t *testing.T) {
	origins := map[explain.SourceKind]int{}
	for seed := range uint64(40) {
		r := wander(t, seed)
		before := map[model.Purpose][]model.Part{}
		n := 0
		for i := range lastTurn(r) {
			b, ok := r.Events[i].Body.(*event.Called)
			if !ok {
				continue
			}
			n++
			c := explain.Call(r, n)
			parts, _ := r.Request(r.Events[i].Seq)
			if c.NotFound != nil || c.Event != r.Events[i].Seq || c.Purpose != b.Purpose || len(c.Parts) != len(parts) {
				t.Fatalf("seed %d: call %d is told as that of event %d, with %d of %d parts", seed, n, c.Event, len(c.Parts), len(parts))
			}
			left := slices.Clone(before[b.Purpose])
			for k, p := range parts {
				told := c.Parts[k]
				origins[told.Origin]++
				if told.Part != k+1 || told.Piece != p.Piece || told.Role != p.Role || told.Kind != p.Kind || told.Call != p.Call || told.Skill != p.Skill || told.Bytes != len(p.Data) {
					t.Fatalf("seed %d: part %d of call %d is %+v, told as %+v", seed, k+1, n, p, told)
				}
				at := slices.IndexFunc(left, func(o model.Part) bool { return o == p })
				if told.New != (told.SinceCall == n) || told.Since > c.Event || told.New && told.Since != c.Event {
					t.Fatalf("seed %d: part %d of call %d is there since %d, and new: %v", seed, k+1, n, told.SinceCall, told.New)
				}
				if at >= 0 && !told.New {
					left = slices.Delete(left, at, at+1)
				} else if !told.New {
					t.Fatalf("seed %d: part %d of call %d was not there before, and is told not to be new", seed, k+1, n)
				}
				if e := r.Event(told.Event); e == nil || !brings(e, p) && told.Origin != explain.FromChoice {
					t.Fatalf("seed %d: part %d of call %d, %+v, is told to be from event %d, which does not have it", seed, k+1, n, told, told.Event)
				}
			}
			var dropped, gone []string
			for _, p := range c.Dropped {
				dropped = append(dropped, fmt.Sprint(p.Kind, p.Piece))
				if p.Why == "" || p.Why == "the recording does not say why" || p.SinceCall >= n {
					t.Fatalf("seed %d: call %d dropped %+v", seed, n, p)
				}
			}
			for _, p := range left {
				gone = append(gone, fmt.Sprint(p.Kind, p.Piece))
			}
			slices.Sort(dropped)
			slices.Sort(gone)
			if diff := cmp.Diff(gone, dropped); diff != "" {
				t.Fatalf("seed %d: call %d dropped something else (-want +got):\n%s", seed, n, diff)
			}
			for _, tool := range c.Tools {
				if tool.By == explain.ByUnknown {
					t.Fatalf("seed %d: call %d offers %+v", seed, n, tool)
				}
			}
			if c.Reply == nil || c.Evidence != explain.Fact || c.Because == "" || c.Gap != "" || len(c.Next) == 0 && n < c.Calls && aside(b) == "" {
				t.Fatalf("seed %d: call %d is told as\n%s", seed, n, c)
			}
			before[b.Purpose] = slices.Clone(parts)
		}
	}
	for _, kind := range []explain.SourceKind{
		explain.FromBody, explain.FromSystem, explain.FromMessage, explain.FromHistory, explain.FromResult, explain.FromNote, explain.FromSteering,
		explain.FromFact, explain.FromInstruction, explain.FromMenu, explain.FromReply, explain.FromChoice,
	} {
		if origins[kind] == 0 {
			t.Errorf("no part of a random walk is from %s", kind)
		}
	}
}

func aside(b *event.Called) string {
	if b.Purpose == model.Answer {
		return ""
	}
	return string(b.Purpose)
}

// lastTurn yields the events of the last turn.
func lastTurn(r *recording.Recording) func(func(int) bool) {
	start := 0
	for i := range r.Events {
		if _, ok := r.Events[i].Body.(*event.Started); ok {
			start = i
		}
	}
	return func(yield func(int) bool) {
		for i := start; i < len(r.Events); i++ {
			if !yield(i) {
				return
			}
		}
	}
}

// brings reports whether an event has the content of a part.
func brings(e *event.Event, p model.Part) bool {
	return slices.ContainsFunc(e.Pieces(nil), func(c event.Piece) bool { return c.Digest == p.Piece })
}

// A call that is not there is told as what it is.
func TestNoCall(t *testing.T) {
	r := busy(t)
	cut := appended(t, r.Events[:20])
	for _, c := range []struct {
		r    *recording.Recording
		n    int
		want explain.Absence
	}{
		{r, 0, explain.NotRecorded}, {r, -7, explain.NotRecorded}, {r, 5, explain.NotReached},
		{cut, 3, ""}, {cut, 4, explain.NotRecorded}, {appended(t, nil), 1, explain.NotRecorded}, {waiting(t), 2, explain.NotReached},
	} {
		got := explain.Call(c.r, c.n)
		switch {
		case c.want == "" && got.NotFound != nil, c.want != "" && (got.NotFound == nil || got.NotFound.Kind != c.want || got.Parts != nil):
			t.Errorf("call %d is told as\n%s", c.n, got)
		}
	}
	if c := explain.Call(appended(t, r.Events[:19]), 3); c.NoReply == nil || c.NoReply.Kind != explain.NotRecorded {
		t.Errorf("it has no reply on record, and is told as\n%s", c)
	}
	if c := explain.Call(appended(t, slices.Delete(slices.Clone(r.Events), 9, 13)), 2); c.Gap == "" || c.Event != 19 {
		t.Errorf("the second call is missing, and the next one is told as\n%s", c)
	}
	if c := explain.Call(appended(t, r.Events[1:]), 1); c.Gap == "" {
		t.Errorf("the beginning is missing, and it is told as\n%s", c)
	}
}

// Content that the recording does not have is said not to be there.
func TestCallWithoutContent(t *testing.T) {
	data := recorded(t, busy(t))
	lines := strings.Split(string(data), "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.Contains(l, `"text":"Rate the order."`) })
	r, err := recording.Read(strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	c := explain.Call(r, 1)
	if c.NotFound != nil || !c.Parts[0].Missing || c.Parts[1].Missing || c.Changed == "" || !strings.Contains(c.String(), "(not in the recording)") {
		t.Errorf("it is told as\n%s", c)
	}
}

// Whose tools a call offers is told: those of the place, those that are offered
// everywhere, and those of nobody.
func TestWhoBringsATool(t *testing.T) {
	m := desk(staleLine)
	m.Skills[0].Tools = append(m.Skills[0].Tools, "open_case")
	c := explain.Call(run(t, m, nil, question, say("Well.")), 1)
	got := map[string]string{}
	for _, tool := range c.Tools {
		got[tool.Name] = fmt.Sprint(tool.By, tool.Skills)
	}
	want := map[string]string{
		"read_skill": "walk[]", "lookup_order": "active skill[triage]", "assess_risk": "active skill[triage]",
		"open_case": "active skill[triage]", "check_refund": "any skill[refunds]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	m.Skills[1].Tools = nil
	c = explain.Call(run(t, m, nil, question, say("Well.")), 1)
	if i := slices.IndexFunc(c.Tools, func(t explain.CallTool) bool { return t.Name == "check_refund" }); i < 0 || c.Tools[i].By != explain.ByAgent {
		t.Errorf("got %+v", c.Tools)
	}
}
