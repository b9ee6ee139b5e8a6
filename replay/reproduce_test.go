package replay_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/model/script"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/replay"
	"github.com/spoorhq/spoor/tool"
)

// Every recording in the repository, and every one in the folder that
// SPOOR_RECORDINGS names, reproduces itself, twice, byte for byte.
func TestRecordingsReproduceThemselves(t *testing.T) {
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
			data, err := os.ReadFile(path)
			if err != nil || !bytes.HasPrefix(data, []byte(`{"spoor":`)) {
				return err // other lines of JSON
			}
			n++
			rec, err := recording.Read(bytes.NewReader(data))
			if err != nil {
				t.Errorf("%s: %v", path, err)
				return nil
			}
			for range 2 {
				p := replay.Reproduce(rec, bytes.NewReader(data))
				if !p.Same || p.Lines == 0 || p.Events != len(rec.Events) {
					t.Errorf("%s:\n%s", path, p)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n == 0 {
		t.Error("there is no recording in the repository")
	}
}

// cutAndResumed is a run whose process died after so many bytes of its file,
// and that another process brought to its end.
func cutAndResumed(t *testing.T, data []byte, cut int, again func(*recording.Recording, *recording.Folder) error) []byte {
	t.Helper()
	folder := recording.Folder{Dir: t.TempDir()}
	path := filepath.Join(folder.Dir, "run.jsonl")
	if err := os.WriteFile(path, data[:cut], 0o600); err != nil {
		t.Fatal(err)
	}
	rec, err := recording.Open(path)
	if err != nil {
		return nil // not even its first line is there
	}
	if err := again(rec, &folder); err != nil {
		return nil
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// A run may be cut anywhere, and may be brought to its end by another process:
// it reproduces itself as far as it goes, with the lines that the crash left.
func TestCutAndResumed(t *testing.T) {
	config := func() agent.Config {
		return agent.Config{Map: desk(0.7), Check: agent.CheckOff, Tools: []tool.Tool{
			{Name: "assess_risk", Repeatable: true, Call: func(context.Context, string) (tool.Result, error) {
				return tool.Result{Text: `{"riskLevel":"high","score":0.9}`}, nil
			}},
			{Name: "ask", Call: func(ctx context.Context, _ string) (tool.Result, error) {
				if text, ok := tool.Answer(ctx); ok {
					return tool.Result{Text: text}, nil
				}
				return tool.Result{}, &tool.Question{Text: "Really?"}
			}},
		}}
	}
	m := func() *script.Model {
		m, err := script.New(
			script.Rule{If: "size(results) == 0", Call: []script.Call{{Tool: "assess_risk", Args: "{}"}, {Tool: "ask", Args: "{}"}}},
			script.Rule{If: "iteration == 2", Call: []script.Call{{Tool: "ask", Args: `{"n":2}`}}},
			script.Rule{If: "true", Say: "Done."})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	c := config()
	c.Model = m()
	a, err := agent.New(c)
	if err != nil {
		t.Fatal(err)
	}
	out, err := a.Run(context.Background(), "Hello.")
	for err == nil && out.Question != nil {
		out, err = a.Resume(context.Background(), out.Recording, &agent.Answer{Text: "yes"})
	}
	if err != nil {
		t.Fatal(err)
	}
	whole := written(t, out.Recording)
	seams := 0
	for cut := range len(whole) + 1 {
		if cut%211 > 0 && cut < len(whole) && whole[cut] != '\n' && (cut == 0 || whole[cut-1] != '\n') {
			continue // every line end, the byte behind it, and some in between
		}
		rec, err := recording.Read(bytes.NewReader(whole[:cut]))
		if err != nil {
			continue
		}
		p := replay.Reproduce(rec, bytes.NewReader(whole[:cut]))
		if !p.Same && p.Unusable == "" || p.Unusable != "" && len(rec.Events) > 0 {
			t.Fatalf("cut after %d bytes:\n%s", cut, p)
		}
		if p.Same {
			if r, err := replay.Against(rec, replay.Edit{}); err != nil || !r.Same {
				t.Fatalf("cut after %d bytes: %v\n%s", cut, err, r)
			}
		}
		file := cutAndResumed(t, whole, cut, func(rec *recording.Recording, f *recording.Folder) error {
			c := config()
			c.Model, c.Store = m(), f
			a, err := agent.New(c)
			if err != nil {
				return err
			}
			out, err := a.Resume(context.Background(), rec, nil)
			for err == nil && out.Question != nil {
				out, err = a.Resume(context.Background(), out.Recording, &agent.Answer{Text: "yes"})
			}
			return err
		})
		if file == nil {
			continue // there is nothing to resume
		}
		rec, err = recording.Read(bytes.NewReader(file))
		if err != nil || len(rec.Faults) > 0 {
			t.Fatal(err, rec.Faults)
		}
		if p := replay.Reproduce(rec, bytes.NewReader(file)); !p.Same || p.Events != len(rec.Events) {
			t.Fatalf("cut after %d bytes and resumed:\n%s", cut, p)
		} else {
			seams += p.Seams
		}
		if r, err := replay.Against(rec, replay.Edit{}); err != nil || !r.Same {
			t.Fatalf("cut after %d bytes and resumed: %v\n%s", cut, err, r)
		}
	}
	if seams == 0 {
		t.Error("no cut left a line behind, so nothing is proved of them")
	}
}

// What was changed in a file is told: the event, the place in it, and both
// values; or that it cannot be walked again, and why.
func TestChangedFiles(t *testing.T) {
	rec := run(t, agent.Config{Map: desk(0.7), Model: &replies{calls("assess_risk", "{}")}, Tools: []tool.Tool{does("assess_risk", `{"riskLevel":"high","score":0.9}`)}}, "Hello.")
	file := string(written(t, rec))
	for _, c := range []struct {
		name, old, new string
		unusable       bool
		want           string
	}{
		{"an event", `"to":"escalation","by":"route"`, `"to":"refunds","by":"route"`, false, "event 7, context.evaluated, of turn 1, iteration 2: body.move.to\n  recorded \"refunds\"\n  made     \"escalation\""},
		{"a verdict", `"passed":true}]`, `"passed":false}]`, false, "body.move.guard.conditions[1].passed"},
		{"a result", `"text":"{\"riskLevel\":\"high\",\"score\":0.9}"`, `"text":"{\"riskLevel\":\"high\",\"score\":0.1}"`, false, "this content is not what its name says"},
		{"an outcome", `"executed":true`, `"executed":false`, false, "does not reproduce itself"},
		{"a hash", `{"hash":"`, `{"hash":"00`, false, "reading had to stop"},
		{"an event is gone", "", "", false, "event 5, sent, of turn 1, iteration 1, follows there, and is not recorded"},
		{"the machine", `"machine":0`, `"machine":7`, true, "walked by version 7 of the machine"},
		{"a kind", `"kind":"returned"`, `"kind":"teleported"`, true, "which this version does not know"},
		{"no content", `{"piece":"` + model.Sum(`{"riskLevel":"high","score":0.9}`).String(), `{"other":"`, true, "which is not in the recording"},
	} {
		t.Run(c.name, func(t *testing.T) {
			edited := strings.Replace(file, c.old, c.new, 1)
			if c.old == "" {
				edited = ""
				for line := range strings.Lines(file) {
					if !strings.Contains(line, `"kind":"sent"`) {
						edited += line
					}
				}
			}
			if edited == file {
				t.Fatalf("the file has no %s", c.old)
			}
			rec, err := recording.Read(strings.NewReader(edited))
			if err != nil {
				t.Fatal(err)
			}
			p := replay.Reproduce(rec, strings.NewReader(edited))
			if p.Same || c.unusable != (p.Unusable != "") || !strings.Contains(p.String(), c.want) {
				t.Errorf("unusable %v, want %q in:\n%s", p.Unusable != "", c.want, p)
			}
		})
	}
}

// A line that no writer writes is a difference, though no hash tells it.
func TestALineOfNobody(t *testing.T) {
	rec := run(t, agent.Config{Map: desk(0.7), Model: &replies{}, Tools: []tool.Tool{does("assess_risk", "{}")}}, "Hello.")
	file := string(written(t, rec))
	for _, extra := range []string{"{\"note\":1}\n", "{\"piece\":\"" + model.Sum("x").String() + "\",\"text\":\"x\"}\n"} {
		edited := file + extra
		rec, err := recording.Read(strings.NewReader(edited))
		if err != nil {
			t.Fatal(err)
		}
		p := replay.Reproduce(rec, strings.NewReader(edited))
		if p.Same || p.Difference == nil || p.Difference.Kind != replay.LineNotWritten || p.Difference.Line != strings.Count(edited, "\n") {
			t.Errorf("%s", p)
		}
	}
}

func ExampleReproduce() {
	rec, err := recording.Open("../recording/testdata/v0/refund-desk.jsonl")
	if err != nil {
		panic(err)
	}
	fmt.Print(replay.Reproduce(rec, nil))
	// Output: 20261130-225934.715545-bxlc reproduces itself: 20 events in 1 turn.
}

func FuzzReproduce(f *testing.F) {
	paths, err := filepath.Glob("../recording/testdata/v0/*.jsonl")
	if err != nil || paths == nil {
		f.Fatal("there are no recordings", err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, 0, byte(0))
		f.Add(data, 900, byte('"'))
	}
	f.Fuzz(func(t *testing.T, data []byte, at int, b byte) {
		if at > 0 && at < len(data) {
			data = bytes.Clone(data)
			data[at] = b
		}
		rec, err := recording.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		p := replay.Reproduce(rec, bytes.NewReader(data))
		if strings.Contains(p.Unusable, "the walk broke") {
			t.Fatal(p.Unusable)
		}
		if p.String() == "" || p.Same && p.Difference != nil {
			t.Fatal(p)
		}
		if _, err := json.Marshal(p); err != nil {
			t.Fatal(err)
		}
		r, err := replay.Against(rec, replay.Edit{})
		if p.Same && (err != nil || !r.Same) {
			t.Fatalf("without an edit there is a difference: %v\n%s", err, r)
		}
	})
}

// long is a run of about so many events.
func long(t testing.TB, events int) *recording.Recording {
	var m replies
	for i := range events/5 + 1 {
		m = append(m, calls("assess_risk", fmt.Sprintf(`{"order":%d}`, i)))
	}
	return run(t, agent.Config{Map: desk(0.7), MaxIterations: len(m) + 2, Model: &m, Tools: []tool.Tool{does("assess_risk", `{"riskLevel":"high","score":0.6}`)}}, "Hello.")
}

func BenchmarkReproduce(b *testing.B) {
	rec := long(b, 10_000)
	file := written(b, rec)
	if len(rec.Events) < 10_000 {
		b.Fatalf("%d events", len(rec.Events))
	}
	for b.Loop() {
		if p := replay.Reproduce(rec, bytes.NewReader(file)); !p.Same {
			b.Fatal(p)
		}
	}
}

func BenchmarkAgainst(b *testing.B) {
	rec := long(b, 10_000)
	for b.Loop() {
		if r, err := replay.Against(rec, replay.Edit{Map: desk(0.71)}); err != nil || !r.Same {
			b.Fatal(err)
		}
	}
}
