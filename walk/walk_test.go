package walk_test

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/walk"
)

var update = flag.Bool("update", false, "rewrite the wanted events")

// TestWalks runs the files of testdata. A file has a map, what the world says
// line by line, and the events that come of it:
//
//	say MESSAGE                 a person's message, which starts a turn
//	answer TEXT                 the model answers
//	call TOOL ARGS [; TOOL ARGS …]    the model asks for tools
//	fail ERROR                  the model brings no answer
//	tool CALL TEXT              a tool returns; CALL! it failed; CALL=STATUS it says so;
//	                            CALL?STATUS the call did not reach it
//	stop REASON, resume [CALL …]
//
// The first line may be "budget N". Every tool of the map is offered, and mail
// beside them, which is the agent's.
func TestWalks(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no walks in testdata", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			parts := map[string]*txtar.File{}
			for i := range a.Files {
				parts[a.Files[i].Name] = &a.Files[i]
			}
			events := walkFile(t, string(parts["map.yaml"].Data), string(parts["world"].Data))
			var got strings.Builder
			for _, e := range events {
				fmt.Fprintln(&got, show(e))
			}
			if *update {
				parts["events"].Data = []byte(got.String())
				if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if d := cmp.Diff(string(parts["events"].Data), got.String()); d != "" {
				t.Errorf("events (-want +got):\n%s", d)
			}
			holdLaws(t, events)
		})
	}
}

func walkFile(t *testing.T, yaml, world string) []event.Event {
	t.Helper()
	f, err := mapfile.Read(fstest.MapFS{"map.yaml": {Data: []byte(yaml)}}, "map.yaml")
	if err != nil {
		t.Fatal(err)
	}
	g, err := spoor.Compile(f.Map, cond.CEL)
	if err != nil {
		t.Fatal(err)
	}
	graph, err := event.NewGraph(f.Map)
	if err != nil {
		t.Fatal(err)
	}
	m := walk.New(g)
	s := new(walk.State)
	budget := 10
	var all []event.Event
	lines := bufio.NewScanner(strings.NewReader(world))
	for n := 1; lines.Scan(); n++ {
		verb, rest, _ := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		var o event.Outcome
		switch verb {
		case "", "#":
			continue
		case "budget":
			fmt.Sscan(rest, &budget)
			continue
		case "say":
			started := &event.Started{
				Run: "test", Graph: graph, Message: model.NewPart(model.User, model.Text, rest), MaxIterations: budget,
				System: []model.Part{model.NewPart(model.System, model.Text, "Be brief.")}, History: s.Conversation(),
			}
			for _, name := range toolsOf(f.Map) {
				started.Tools = append(started.Tools, event.Tool{Name: name})
			}
			o = started
		case "answer":
			o = &event.Replied{Parts: []model.Part{model.NewPart(model.Assistant, model.Text, rest)}}
		case "call":
			r := &event.Replied{}
			for call := range strings.SplitSeq(rest, ";") {
				name, args, _ := strings.Cut(strings.TrimSpace(call), " ")
				p := model.NewPart(model.Assistant, model.Call, args)
				p.Tool = name
				r.Parts = append(r.Parts, p)
			}
			o = r
		case "fail":
			o = &event.Failed{Error: rest}
		case "tool":
			o = toolLine(s, rest)
		case "stop":
			o = &event.Stopped{Reason: rest}
		case "resume":
			o = &event.Resumed{Repeat: strings.Fields(rest)}
		default:
			t.Fatalf("world, line %d: %q is not a verb", n, verb)
		}
		all = append(all, m.Step(s, o, time.Unix(int64(n), 0).UTC())...)
	}
	return all
}

func toolsOf(m *spoor.Map) []string {
	names := []string{"mail"}
	for _, s := range m.Skills {
		for _, name := range s.Tools {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func toolLine(s *walk.State, line string) *event.Returned {
	head, text, _ := strings.Cut(line, " ")
	executed, status := true, ""
	if id, ok := strings.CutSuffix(head, "!"); ok {
		head, status = id, "failure"
	} else if id, declared, ok := strings.Cut(head, "="); ok {
		head, status = id, declared
	} else if id, verdict, ok := strings.Cut(head, "?"); ok {
		head, status, executed = id, verdict, false
	}
	call := walk.Call{ID: head}
	for _, c := range s.Batch {
		if c.ID == head {
			call = c
		}
	}
	return returned(call, executed, spoor.Status(status), text)
}

// show is an event on a line or a few, as the files of testdata have it.
func show(e event.Event) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s", e.Seq, e.Body.Kind())
	if len(e.Because) > 0 {
		fmt.Fprintf(&b, " <- %s", strings.Trim(fmt.Sprint(e.Because), "[]"))
	}
	line := func(format string, args ...any) { fmt.Fprintf(&b, "\n    "+format, args...) }
	part := func(sign string, p model.Part) {
		name := string(p.Role) + " " + string(p.Kind)
		for _, s := range []string{p.Skill, p.Call, p.Tool, p.Status} {
			if s != "" {
				name += " " + s
			}
		}
		line("%s %s: %s", sign, name, strings.ReplaceAll(p.Data, "\n", "\\n"))
	}
	switch v := e.Body.(type) {
	case *event.Evaluated:
		line("%s", moveLine(v.Move))
		for _, j := range v.Move.Closed {
			line("closed %s to %s on %s", j.Ref, j.To, j.CallID)
			for _, c := range j.Conditions {
				line("  %s", c)
			}
		}
		for _, f := range v.Move.Failed {
			line("failed %s: %s", f.Ref, f.Error)
		}
		listLine(line, "active", v.ActiveAs, activeIDs(v.Active))
		listLine(line, "activated", 0, v.Activated)
		listLine(line, "reachable", v.ReachableAs, v.Reachable)
		listLine(line, "superseded", v.SupersededAs, v.Superseded)
	case *event.Called:
		listLine(line, "offered", v.OfferedAs, v.Offered)
		if v.Last {
			line("last")
		}
		for _, s := range v.Splices {
			line("at %d drop %d", s.At, s.Drop)
			for _, p := range s.Put {
				part("+", p)
			}
		}
	case *event.Returned:
		line("executed %v", v.Executed)
		part("=", v.Result)
	case *event.Refused:
		line("%s", v.Reason)
		part("=", v.Result)
	case *event.Read:
		line("%s %s", v.Skill, v.Target)
		part("=", v.Result)
	case *event.Rejected:
		line("%q allowed %s", v.RequestedID, v.Allowed)
		part("=", v.Result)
	case *event.RerouteSuperseded:
		line("%s wanted %s, and %s won by %s", v.Call, v.VolunteeredID, v.WonID, v.By)
	case *event.RouteConflict:
		line("%s to %s won", v.Winner.CallID, v.Winner.Target)
		for _, l := range v.Losers {
			line("%s to %s lost", l.CallID, l.Target)
		}
	case *event.Sent:
		line("%s", v.Calls)
	case *event.Finished:
		line("by %s, limited %v %s", v.By, v.Limited, v.Error)
		for _, p := range v.Answer {
			part("=", p)
		}
	case *event.Late:
		line("%s %s", v.Call, v.Error)
	}
	return b.String()
}

func moveLine(m spoor.Move) string {
	s := fmt.Sprintf("%s: %q to %q", m.By, m.From, m.To)
	if m.Ref != "" {
		s += " by " + string(m.Ref)
	}
	if m.Witness != nil {
		s += fmt.Sprintf(" on %q", m.Witness.Text)
	}
	if m.Guard != nil {
		for _, c := range m.Guard.Conditions {
			s += "\n      " + c.String()
		}
	}
	return s
}

func listLine(line func(string, ...any), name string, as int, list []string) {
	switch {
	case as > 0:
		line("%s as in %d", name, as)
	case len(list) > 0:
		line("%s %s", name, list)
	}
}

func activeIDs(active []event.Active) []string {
	var ids []string
	for _, a := range active {
		ids = append(ids, a.Skill)
	}
	return ids
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
