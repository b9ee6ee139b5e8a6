package replay_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/model/script"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/replay"
	"github.com/spoorhq/spoor/tool"
	"github.com/spoorhq/spoor/tool/fixed"
)

var update = flag.Bool("update", false, "write the wanted reports anew")

// Each file of testdata is a run and an edit of it:
//
//	map.yaml       the map that is walked, with its tools, and the script that is the model
//	script.yaml    the model
//	say            the messages, a line each, of one conversation
//	edited.yaml    the edited map; without it the recorded one
//	call:i1.1      a text in place of the result of that call
//	piece:WHAT     a text in place of the content that replay.Editable calls WHAT
//	want           the report
//
// A recording reproduces itself before anything is edited, and so does the
// replayed run. Without an edit there is no difference.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("there is nothing in testdata", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			rec := record(t, ar)
			same(t, rec)
			got := strings.ReplaceAll(report(t, rec, editOf(t, ar, rec)), rec.Run, "RUN")
			for i := range ar.Files {
				f := &ar.Files[i]
				if f.Name != "want" {
					continue
				}
				if *update {
					f.Data = []byte(got)
					if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
						t.Fatal(err)
					}
				} else if diff := cmp.Diff(string(f.Data), got); diff != "" {
					t.Errorf("the report is another one (-want +got); -update writes it anew:\n%s", diff)
				}
			}
		})
	}
}

// report is what replay says, also if it refuses.
func report(t *testing.T, rec *recording.Recording, e replay.Edit) string {
	t.Helper()
	r, err := replay.Against(rec, e)
	if err != nil {
		return "cannot be asked: " + err.Error() + "\n"
	}
	if p := replay.Reproduce(r.Recording, nil); !p.Same {
		t.Errorf("the replayed run does not reproduce itself:\n%s", p)
	}
	return r.String()
}

// same holds that a recording reproduces itself, and that its own map makes no
// difference.
func same(t testing.TB, rec *recording.Recording) {
	t.Helper()
	if p := replay.Reproduce(rec, bytes.NewReader(written(t, rec))); !p.Same {
		t.Errorf("the recording does not reproduce itself:\n%s", p)
	}
	m, err := rec.Map()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []replay.Edit{{}, {Map: m}} {
		if r, err := replay.Against(rec, e); err != nil || !r.Same || r.Assumed != nil && r.Conditions == nil || len(r.MapChanges) > 0 {
			t.Errorf("without an edit there is a difference: %v\n%s", err, r)
		}
	}
}

// written is the file of a recording.
func written(t testing.TB, rec *recording.Recording) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := recording.NewWriter(&b, rec.Run).Append(rec.Events); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func section(ar *txtar.Archive, name string) (string, bool) {
	for _, f := range ar.Files {
		if f.Name == name {
			return string(f.Data), true
		}
	}
	return "", false
}

// readMap reads a map file.
func readMap(t testing.TB, text string) *mapfile.File {
	t.Helper()
	f, err := mapfile.Read(fstest.MapFS{"map.yaml": {Data: []byte(text)}}, "map.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// record walks the conversation of a script.
func record(t testing.TB, ar *txtar.Archive) *recording.Recording {
	t.Helper()
	text, _ := section(ar, "map.yaml")
	f := readMap(t, text)
	rules, _ := section(ar, "script.yaml")
	m, err := script.Parse("script.yaml", []byte(rules))
	if err != nil {
		t.Fatal(err)
	}
	c := agentConfig(t, f, m)
	a, err := agent.New(c)
	if err != nil {
		t.Fatal(err)
	}
	say, _ := section(ar, "say")
	var rec *recording.Recording
	for line := range strings.Lines(say) {
		var run *agent.Run
		if line = strings.TrimSpace(line); rec == nil {
			run, err = a.Run(context.Background(), line)
		} else if answer, ok := strings.CutPrefix(line, "answer: "); ok {
			run, err = a.Resume(context.Background(), rec, &agent.Answer{Text: answer})
		} else {
			run, err = a.Reply(context.Background(), rec, line)
		}
		if run == nil {
			t.Fatal(err)
		}
		rec = run.Recording
	}
	return rec
}

func agentConfig(t testing.TB, f *mapfile.File, m model.Model) agent.Config {
	t.Helper()
	var tools []tool.Tool
	for _, d := range f.Tools {
		declared := fixed.Tool{Name: d.Name, Description: d.Description, InputSchema: d.InputSchema}
		for _, r := range d.Results {
			declared.Results = append(declared.Results, fixed.Case(r))
		}
		list, faults := fixed.New(declared)
		if faults != nil {
			t.Fatal(faults)
		}
		tools = append(tools, list)
	}
	a := &f.Agent
	return agent.Config{
		Map: f.Map, Conditions: cond.CEL, Injections: a.Injections, Model: m, Tools: tools, System: a.System,
		Posture: spoor.Posture(a.Posture), Continuity: spoor.Continuity(a.Continuity), MaxIterations: a.MaxIterations, Limits: a.Limits,
		Check: agent.CheckOff, Log: slog.New(slog.DiscardHandler),
	}
}

// editOf is the edit of a script.
func editOf(t testing.TB, ar *txtar.Archive, rec *recording.Recording) replay.Edit {
	t.Helper()
	var e replay.Edit
	for _, f := range ar.Files {
		text := strings.TrimSuffix(string(f.Data), "\n")
		switch kind, what, _ := strings.Cut(f.Name, ":"); {
		case f.Name == "edited.yaml":
			file := readMap(t, string(f.Data))
			e.Map = file.Map
			if a := &file.Agent; a.System != "" || !a.Injections.IsZero() || a.Posture != "" || a.Continuity != "" || a.MaxIterations > 0 {
				e.Agent = &replay.Agent{System: a.System, Injections: a.Injections, Posture: spoor.Posture(a.Posture), Continuity: spoor.Continuity(a.Continuity), MaxIterations: a.MaxIterations, Limits: a.Limits}
			}
		case kind == "call":
			e.Results = map[string]string{what: text}
		case kind == "piece":
			if err := errors.New("there is no " + what); true {
				for _, p := range replay.Editable(rec) {
					if p.What() == what {
						e.Pieces, err = map[model.Digest]string{p.Digest: text}, nil
					}
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return e
}
