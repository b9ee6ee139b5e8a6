package walk_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
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

// TestLawsOfRandomRuns holds the laws over runs of random maps with a model,
// tools and a world that do anything at all.
func TestLawsOfRandomRuns(t *testing.T) {
	runs := 300
	if testing.Short() {
		runs = 30
	}
	for seed := range uint64(runs) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 0))
			holdLaws(t, randomRun(t, r))
		})
	}
}

func FuzzLaws(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) {
		holdLaws(t, randomRun(t, rand.New(rand.NewPCG(a, b))))
	})
}

func holdLaws(t *testing.T, events []event.Event) {
	t.Helper()
	if len(events) == 0 {
		return
	}
	want := lines(events)
	for cut := range len(events) + 1 {
		m := machineOf(t, events, cut)
		replays(t, m, events, want, cut)
		if cut > 0 {
			stops(t, m, events[:cut])
			resumes(t, m, events[:cut])
		}
	}
	requests(t, events)
}

// machineOf is the machine of the map that the turn at an event walks.
func machineOf(t *testing.T, events []event.Event, at int) *walk.Machine {
	t.Helper()
	var started *event.Started
	for i, e := range events {
		if b, ok := e.Body.(*event.Started); ok && (started == nil || i < at) {
			started = b
		}
	}
	g, err := started.Compile(cond.CEL)
	if err != nil {
		t.Fatal(err)
	}
	return walk.New(g)
}

func lines(events []event.Event) []string {
	list := make([]string, len(events))
	for i := range events {
		list[i] = string(events[i].AppendJSON(nil))
	}
	return list
}

func fold(events []event.Event) *walk.State {
	s := new(walk.State)
	for _, e := range events {
		s.Apply(e)
	}
	return s
}

// replays is law (a).
func replays(t *testing.T, m *walk.Machine, events []event.Event, want []string, cut int) {
	t.Helper()
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
			t.Fatalf("after %d events, one too many: %s", cut, line)
		}
		if line != want[cut+i] {
			t.Fatalf("after %d events, event %d:\nwas %s\nis  %s", cut, cut+i+1, want[cut+i], line)
		}
	}
	if cut+len(got) < len(want) {
		t.Fatalf("after %d events, event %d does not follow: %s", cut, cut+len(got)+1, want[cut+len(got)])
	}
}

// stops is the first half of law (b).
func stops(t *testing.T, m *walk.Machine, prefix []event.Event) {
	t.Helper()
	s := fold(prefix)
	after := slices.Clone(m.Step(s, &event.Stopped{Reason: "test"}, time.Unix(0, 0)))
	if s.Phase != walk.Done || m.Command(s) != nil {
		t.Fatalf("stopped after %d events, the turn is %s", len(prefix), s.Phase)
	}
	answered(t, slices.Concat(prefix, after))
}

// resumes is the second half of law (b).
func resumes(t *testing.T, m *walk.Machine, prefix []event.Event) {
	t.Helper()
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
				t.Fatalf("resumed after %d events, the turn wants nothing and is %s", len(prefix), s.Phase)
			}
			answered(t, all)
			return
		}
		all = append(all, m.Step(s, o, time.Unix(0, 0))...)
	}
	t.Fatalf("resumed after %d events, the turn does not end", len(prefix))
}

// answered checks that every call has exactly one answer once its turn ended.
func answered(t *testing.T, events []event.Event) {
	t.Helper()
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
						t.Fatalf("two calls have the id %s", p.Call)
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
			for id, n := range open {
				if n != 1 {
					t.Fatalf("call %s has %d answers", id, n)
				}
			}
		}
		if answer != "" {
			open[answer]++
		}
	}
}

// requests is law (c): what called events add up to is what the machine asks.
func requests(t *testing.T, events []event.Event) {
	t.Helper()
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
			parts = event.Splices(parts, b.Splices)
			if !slices.Equal(parts, s.Request) {
				t.Fatalf("event %d: the request does not read back", e.Seq)
			}
			checkShape(t, e.Seq, parts)
		}
	}
}

// checkShape holds what every request looks like: system, bodies, history,
// one tail; every call in the history followed by its one result.
func checkShape(t *testing.T, seq int, parts []model.Part) {
	t.Helper()
	calls := []string{}
	seen := map[string]bool{}
	for i, p := range parts {
		switch p.Kind {
		case model.Menu, model.Instruction:
			if i < len(parts)-1 && parts[i+1].Kind != model.Menu && parts[i+1].Kind != model.Instruction {
				t.Fatalf("event %d: part %d of %d is a %s", seq, i, len(parts), p.Kind)
			}
		case model.Call:
			if seen[p.Call] {
				t.Fatalf("event %d: the request has two calls %s", seq, p.Call)
			}
			seen[p.Call] = true
			calls = append(calls, p.Call)
		case model.Result:
			if len(calls) == 0 || calls[0] != p.Call {
				t.Fatalf("event %d: part %d is the result of %s, and the open calls are %s", seq, i, p.Call, calls)
			}
			calls = calls[1:]
		}
	}
	if len(calls) > 0 {
		t.Fatalf("event %d: the calls %s have no result", seq, calls)
	}
}

func returned(c walk.Call, executed bool, status spoor.Status, text string) *event.Returned {
	p := model.NewPart(model.Tool, model.Result, text)
	p.Call, p.Tool, p.Status = c.ID, c.Tool, string(status)
	return &event.Returned{Call: c.ID, Tool: c.Tool, Executed: executed, Status: status, Result: p}
}

// randomRun walks one or two turns of a random map.
func randomRun(t *testing.T, r *rand.Rand) []event.Event {
	m := randomMap(r)
	g, err := spoor.Compile(m, cond.CEL)
	if err != nil {
		t.Fatal(err)
	}
	graph, err := event.NewGraph(m)
	if err != nil {
		t.Fatal(err)
	}
	machine := walk.New(g)
	s := new(walk.State)
	var all []event.Event
	clock := time.Unix(1_800_000_000, 0).UTC()
	step := func(o event.Outcome) {
		clock = clock.Add(time.Duration(r.IntN(1000)) * time.Millisecond)
		all = append(all, machine.Step(s, o, clock)...)
	}
	for range 1 + r.IntN(2) {
		started := &event.Started{
			Run: "random", Graph: graph, History: s.Conversation(),
			Message:       model.NewPart(model.User, model.Text, pick(r, "refund me", "charged twice", "hello", "")),
			MaxIterations: 1 + r.IntN(8),
		}
		if r.IntN(2) == 0 {
			started.System = []model.Part{model.NewPart(model.System, model.Text, "Be kind.")}
		}
		for _, name := range tools {
			started.Tools = append(started.Tools, event.Tool{Name: name, Piece: model.Sum(name), Data: name})
		}
		step(started)
		for s.Phase != walk.Done {
			step(randomOutcome(r, machine, s))
		}
	}
	return all
}

var (
	tools  = []string{"find", "rate", "pay", "mail"}
	skills = []string{"a", "b", "c", "d", "e"}
)

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

func randomOutcome(r *rand.Rand, m *walk.Machine, s *walk.State) event.Outcome {
	switch n := r.IntN(100); {
	case n == 0:
		return &event.Stopped{Reason: "random"}
	case n == 1:
		return &event.Failed{Error: "random"}
	case n == 2:
		return &event.Resumed{}
	case n == 3:
		return returned(walk.Call{ID: pick(r, "i1.1", "i2.1", "x"), Tool: "find"}, true, "", "perhaps late")
	case n == 4:
		return &event.Late{Call: "x"}
	}
	switch c := m.Command(s).(type) {
	case walk.CallTools:
		call := *pick(r, c.Calls...)
		return returned(call, r.IntN(8) > 0, pick(r, "", "", "", spoor.Success, spoor.Failure, spoor.Denied),
			pick(r, `{"risk":"high","score":0.9}`, `{"risk":"low"}`, `[]`, `plain`, ``))
	default:
		var parts []model.Part
		if r.IntN(2) == 0 {
			parts = append(parts, model.NewPart(model.Assistant, model.Text, pick(r, "Well.", "")))
		}
		for range r.IntN(4) {
			name := pick(r, "find", "rate", "pay", "mail", "fnid", walk.ReadSkill, walk.ReadSkill)
			args := pick(r, `{}`, `{"id":1}`, `nonsense`)
			if name == walk.ReadSkill && r.IntN(8) > 0 {
				args = fmt.Sprintf(`{"id":%q}`, pick(r, append(skills, "gone")...))
			}
			p := model.NewPart(model.Assistant, model.Call, args)
			p.Tool, p.Call = name, "theirs"
			parts = append(parts, p)
		}
		return &event.Replied{Parts: parts}
	}
}

func randomMap(r *rand.Rand) *spoor.Map {
	m := &spoor.Map{Name: "random"}
	for _, id := range skills {
		s := spoor.Skill{ID: id, Description: "Skill " + id, Delivery: pick(r, "", spoor.DeliverResult, spoor.DeliverBoth)}
		if r.IntN(4) > 0 {
			s.Body = "Body of " + id
		}
		for _, tool := range tools[:3] {
			if r.IntN(3) == 0 {
				s.Tools = append(s.Tools, tool)
			}
		}
		m.Skills = append(m.Skills, s)
	}
	if r.IntN(2) == 0 {
		scope := true
		m.ScopeTools = &scope
	}
	if r.IntN(8) == 0 {
		m.Tree = randomTree(r, skills)
		return m
	}
	switch r.IntN(4) {
	case 0:
		m.Start.Use = pick(r, skills...)
	case 1:
		for range 1 + r.IntN(3) {
			m.Start.Entries = append(m.Start.Entries, spoor.Entry{Use: pick(r, skills...)})
		}
	case 2:
		for range 1 + r.IntN(3) {
			rule := spoor.Rule{Use: pick(r, skills...)}
			switch r.IntN(3) {
			case 0:
				rule.Match = match.Keywords(pick(r, "refund", "charged"))
			case 1:
				rule.When = "iteration > 1"
			}
			m.Start.Rules = append(m.Start.Rules, rule)
		}
	}
	for range r.IntN(8) {
		s := spoor.Step{From: pick(r, skills...), To: pick(r, skills...)}
		switch r.IntN(5) {
		case 0:
			s.OnToolReturn = spoor.ToolName(pick(r, tools...))
		case 1:
			s.OnToolStatus = spoor.Statuses{spoor.Failure, spoor.Invalid}
		case 2:
			s.OnToolReturn = spoor.ToolPattern("a", "i")
			s.Guard = guard.Guard{guard.Eq("risk", "high"), guard.Gte("score", 0.7)}
		case 3:
			s.When = "result.contains('low')"
		}
		m.Steps = append(m.Steps, s)
	}
	return m
}

// randomTree is a tree with these leaves, in order.
func randomTree(r *rand.Rand, leaves []string) *spoor.Tree {
	if len(leaves) == 1 {
		return &spoor.Tree{Skill: leaves[0]}
	}
	n := 1 + r.IntN(len(leaves)-1)
	return &spoor.Tree{
		When:     pick(r, "iteration > 1", "userMessage.contains('refund')", "size(toolResults) > 0", "toolResults[0].status == 'failure'"),
		WhenTrue: randomTree(r, leaves[:n]), WhenFalse: randomTree(r, leaves[n:]),
	}
}

// TestRecordedRunReadsBack holds that a run which goes through a file is the
// run that was written.
func TestRecordedRunReadsBack(t *testing.T) {
	for seed := range uint64(20) {
		events := randomRun(t, rand.New(rand.NewPCG(seed, 1)))
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
