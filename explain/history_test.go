package explain_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/walk"
)

// toAndFro is a turn that goes back and forth, and whose model asks for what
// it may not have.
func toAndFro(t testing.TB) *recording.Recording {
	w := newWorld(t, &spoor.Map{
		Skills: []spoor.Skill{{ID: "one", Tools: []string{"work"}}, {ID: "two", Tools: []string{"work"}}, {ID: "three", Tools: []string{"work"}}, {ID: "shed"}},
		Start:  spoor.Start{Rules: []spoor.Rule{{Use: "one", Match: match.Keywords("go"), Label: "begin"}}},
		Steps: []spoor.Step{
			{From: "one", To: "two", OnToolReturn: "work", Label: "over"},
			{From: "two", To: "three", OnToolReturn: "work", Guard: guard.Guard{guard.Eq("on", true)}},
			{From: "two", To: "one", When: "toolName == 'work'"},
			{From: "three", To: "one"},
			{From: "shed", To: "shed"},
		},
	}, spoor.Injections{})
	w.say("Go.", nil)
	for n := 1; n <= 4; n++ {
		w.replies(call("work", "{}"))
		w.returns(fmt.Sprintf("i%d.1", n), `{"on":false}`)
	}
	for range 3 {
		w.replies(call("read_skill", `{"id":"shed"}`))
	}
	w.replies(call("read_skill", `{"id":"nowhere"}`, "sweep", "{}"))
	w.replies(say("No."))
	return w.recording()
}

func TestHistory(t *testing.T) {
	golden(t, "route.txt", explain.History(toAndFro(t)).String())
	var text strings.Builder
	all := each(t)
	for _, name := range []string{"served", "moved", "menu", "rails", "ranked", "tree"} {
		fmt.Fprintf(&text, "== %s\n%s\n", name, explain.History(all[name]))
	}
	golden(t, "route-starts.txt", text.String())
	data, err := json.MarshalIndent(explain.History(all["served"]), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "route.json", string(data)+"\n")
}

// Of every random walk, the hops are the moves that the walk made, the streaks
// are what its own limits counted, and what is counted adds up.
func TestHistoryIsTheWalk(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(300) {
		r := wander(t, seed)
		h := explain.History(r)
		if diff := cmp.Diff(foldHops(r), tellHops(h)); diff != "" {
			t.Fatalf("seed %d: the hops are not the moves (-want +got):\n%s", seed, diff)
		}
		if diff := cmp.Diff(foldStreaks(r), tellStreaks(h)); diff != "" {
			t.Fatalf("seed %d: the streaks are not those of the walk (-want +got):\n%s", seed, diff)
		}
		hops, spent, rejected := 0, 0, 0
		for _, g := range h.Groups {
			hops += g.Hops
			seen[string(g.Group)]++
		}
		for _, s := range h.Skills {
			spent += s.Iterations
		}
		for i := range r.Events {
			switch b := r.Events[i].Body.(type) {
			case *event.Evaluated:
				spent--
			case *event.Rejected:
				rejected++
			case *event.Refused:
				if b.Reason != event.Cut && b.Reason != event.Lost {
					rejected++
				}
			}
		}
		if hops != len(h.Hops) || spent != 0 || rejected != len(h.Rejections) {
			t.Fatalf("seed %d: the groups have %d of %d hops, the skills miss %d iterations, and there are %d of %d rejections", seed, hops, len(h.Hops), -spent, len(h.Rejections), rejected)
		}
		edges := 0
		for _, e := range h.Edges {
			edges += e.Hops
		}
		for _, hop := range h.Hops {
			if hop.To != "" && (hop.To != hop.From || hop.By == spoor.ByRoute) {
				edges--
			}
			if hop.By == spoor.ByRoute && (hop.Tool == "" || hop.Call == "") && hop.Group != explain.GroupStep && len(r.Event(hop.Event).Because) == 1 {
				t.Errorf("seed %d: nothing is said to have taken the step of event %d", seed, hop.Event)
			}
		}
		if edges != 0 {
			t.Fatalf("seed %d: the edges are %d hops off", seed, edges)
		}
		for _, s := range h.Streaks {
			seen[string(s.Kind)]++
		}
	}
	for _, what := range []string{"start", "stay", "nowhere", "pick", "guard", "condition", "hand-off", "proposal", "leaf", "ping-pong", "refusals"} {
		if seen[what] == 0 {
			t.Errorf("no random walk has a %s", what)
		}
	}
}

// foldHops are the moves of a recording that are hops, by a rule of its own.
func foldHops(r *recording.Recording) (hops []string) {
	first, leaf := true, spoor.Ref("")
	for i := range r.Events {
		switch b := r.Events[i].Body.(type) {
		case *event.Started:
			first, leaf = true, ""
		case *event.Evaluated:
			m := b.Move
			tree := strings.HasPrefix(string(m.Ref), "tree")
			if first || m.From != m.To || m.By == spoor.ByRoute || tree && m.Ref != leaf {
				hops = append(hops, fmt.Sprint(r.Events[i].Seq, r.Events[i].Turn, r.Events[i].Iteration, m.From, m.To, m.By, m.Ref))
			}
			first, leaf = false, m.Ref
		}
	}
	return hops
}

func tellHops(h *explain.RouteHistory) (hops []string) {
	for _, hop := range h.Hops {
		hops = append(hops, fmt.Sprint(hop.Event, hop.Turn, hop.Iteration, hop.From, hop.To, hop.By, hop.Ref))
	}
	return hops
}

// foldStreaks are the streaks of a recording, as the walk counts them for its
// limits.
func foldStreaks(r *recording.Recording) (streaks []string) {
	var s walk.State
	pings, refusals, turn := 0, 0, 0
	end := func(kind explain.StreakKind, n int) {
		if n > 1 {
			streaks = append(streaks, fmt.Sprint(kind, " ", turn, " ", n))
		}
	}
	for i := range r.Events {
		if _, ok := r.Events[i].Body.(*event.Started); ok {
			end(explain.PingPong, pings)
			end(explain.Refusals, refusals)
			pings, refusals = 0, 0
		}
		s.Apply(r.Events[i])
		turn = s.Turn
		if s.Spent.PingPong < pings || s.Spent.PingPong == 1 && pings == 1 {
			end(explain.PingPong, pings)
		}
		if s.Spent.Refusals < refusals {
			end(explain.Refusals, refusals)
		}
		pings, refusals = s.Spent.PingPong, s.Spent.Refusals
	}
	end(explain.PingPong, pings)
	end(explain.Refusals, refusals)
	slices.Sort(streaks)
	return streaks
}

func tellStreaks(h *explain.RouteHistory) (streaks []string) {
	for _, s := range h.Streaks {
		streaks = append(streaks, fmt.Sprint(s.Kind, " ", s.Turn, " ", s.Length))
	}
	slices.Sort(streaks)
	return streaks
}

// What is not there is told as what it is.
func TestNoHistory(t *testing.T) {
	for n, want := range map[int]explain.Absence{0: explain.NotRecorded, 1: explain.NotReached} {
		h := explain.History(appended(t, busy(t).Events[:n]))
		if h.NotFound == nil || h.NotFound.Kind != want || h.Incomplete == "" {
			t.Errorf("of %d events it is told:\n%s", n, h)
		}
	}
}

// However a recording was damaged, its way and its calls are told, and end.
func FuzzRoute(f *testing.F) {
	for _, r := range stories(f) {
		f.Add(recorded(f, r), uint64(0))
	}
	f.Add(recorded(f, toAndFro(f)), uint64(1))
	for _, name := range []string{"assess_risk", "refunds", "answer", "desk"} {
		f.Add(bytes.ReplaceAll(recorded(f, wrong(f, staleLine)), []byte(name), []byte(`\u001b[2J\u202e`)), uint64(2))
	}
	f.Add(bytes.ReplaceAll(recorded(f, busy(f)), []byte(`"call":"i`), []byte(`"call":"\u001b[2J`)), uint64(3))
	f.Add(bytes.ReplaceAll(recorded(f, busy(f)), []byte(`"at":`), []byte(`"drop":9223372036854775807,"at":`)), uint64(4))
	for seed := range uint64(8) {
		f.Add(recorded(f, wander(f, seed)), seed)
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		r, err := recording.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		holdRoute(t, r)
		holdRoute(t, mutant(t, r, seed))
	})
}

// holdRoute tells all of a recording that may be damaged.
func holdRoute(t testing.TB, r *recording.Recording) {
	list := []fmt.Stringer{explain.History(r), explain.Marked().NarrateFull(r)}
	for n := range 5 {
		c := explain.Call(r, n)
		if (c.NotFound == nil) == (c.Event == 0 && c.Because == "") {
			t.Fatalf("call %d is neither there nor not: %+v", n, c)
		}
		if c.NotFound == nil && (c.Reply == nil) == (c.NoReply == nil) {
			t.Fatalf("call %d has a reply and has none: %+v", n, c)
		}
		list = append(list, c)
	}
	if h := list[0].(*explain.RouteHistory); (h.Hops == nil) == (h.NotFound == nil) {
		t.Fatalf("there are hops and are none: %+v", h)
	}
	for _, v := range list {
		for _, c := range v.String() {
			if c < ' ' && c != '\n' || c == 0x7f || 0x80 <= c && c < 0xa0 {
				t.Fatalf("%T prints %q", v, c)
			}
		}
		if _, err := json.Marshal(v); err != nil {
			t.Fatal(err)
		}
	}
}

// mutant is a recording whose events are dropped, doubled, turned and linked
// otherwise.
func mutant(t testing.TB, r *recording.Recording, seed uint64) *recording.Recording {
	rnd := rand.New(rand.NewPCG(seed, 3))
	events := slices.Clone(r.Events)
	for range 1 + rnd.IntN(4) {
		if len(events) == 0 {
			break
		}
		i, j := rnd.IntN(len(events)), rnd.IntN(len(events))
		switch rnd.IntN(4) {
		case 0:
			events = slices.Delete(events, i, i+1)
		case 1:
			events[i], events[j] = events[j], events[i]
		case 2:
			events = slices.Insert(events, i, events[j])
		default:
			events[i].Because = []int{rnd.IntN(99), -1, events[j].Seq}
			events[i].Seq = events[j].Seq
		}
	}
	return appended(t, events)
}

// far is a turn of about 10,000 events.
func far(t testing.TB) *recording.Recording {
	w := newWorld(t, &spoor.Map{
		Skills: []spoor.Skill{{ID: "one", Body: "Work.", Tools: []string{"work"}}, {ID: "two", Body: "Work on.", Tools: []string{"work"}}},
		Start:  spoor.Start{Rules: []spoor.Rule{{Use: "one"}}},
		Steps:  []spoor.Step{{From: "one", To: "two", OnToolReturn: "work"}, {From: "two", To: "one", OnToolReturn: "work"}},
	}, spoor.Injections{})
	w.say("Go.", func(s *event.Started) { s.MaxIterations = 2000 })
	for n := 1; n < 2000; n++ {
		w.replies(call("work", fmt.Sprintf(`{"n":%d}`, n)))
		w.returns(fmt.Sprintf("i%d.1", n), fmt.Sprintf(`{"n":%d}`, n))
	}
	w.replies(say("Done."))
	return w.recording()
}

func BenchmarkHistory(b *testing.B) {
	r := far(b)
	for b.Loop() {
		explain.History(r)
	}
	b.ReportMetric(float64(len(r.Events)), "events")
}

func BenchmarkCall(b *testing.B) {
	r := far(b)
	for b.Loop() {
		explain.Call(r, 2000)
	}
	b.ReportMetric(float64(len(r.Events)), "events")
}
