package walk_test

import (
	"bytes"
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
			keepsCacheWarm(t, events)
		})
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
