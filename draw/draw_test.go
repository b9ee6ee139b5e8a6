package draw_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/draw"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/match"
)

var update = flag.Bool("update", false, "write what was found into the files of testdata")

// TestDrawings runs the files of testdata: a map, the moves of a walk if there
// was one, and the drawings of both.
func TestDrawings(t *testing.T) {
	for _, file := range archives(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, g, w := open(t, file)
			for i := range a.Files {
				f := &a.Files[i]
				var got string
				switch f.Name {
				case "mermaid":
					got = draw.Mermaid(g, w)
				case "dot":
					got = draw.DOT(g, w)
				default:
					continue
				}
				if *update {
					f.Data = []byte(got)
				} else if d := cmp.Diff(string(f.Data), got); d != "" {
					t.Errorf("%s (-want +got):\n%s", f.Name, d)
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			laws(t, g, w)
		})
	}
}

func archives(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no files in testdata", err)
	}
	return files
}

func open(t *testing.T, file string) (a *txtar.Archive, g *spoor.Graph, w *draw.Walk) {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Files {
		switch f.Name {
		case "map.yaml":
			g = read(t, fstest.MapFS{f.Name: {Data: f.Data}}, f.Name)
		case "moves.json":
			var moves []spoor.Move
			if err := json.Unmarshal(f.Data, &moves); err != nil {
				t.Fatal(err)
			}
			w = draw.Of(moves)
		}
	}
	return a, g, w
}

// read reads a map file and compiles it.
func read(t *testing.T, files fs.FS, name string) *spoor.Graph {
	t.Helper()
	f, err := mapfile.Read(files, name)
	if err != nil {
		t.Fatal(err)
	}
	return compile(t, f.Map)
}

func compile(t testing.TB, m *spoor.Map) *spoor.Graph {
	t.Helper()
	g, err := spoor.Compile(m, &cond.Set{AllowUnbound: true})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// laws hold of every drawing: it has every node and every edge that the map
// declares and that the walk adds, once and under its name, and not a line
// that could be anything else. The same map makes the same drawing.
func laws(t testing.TB, g *spoor.Graph, w *draw.Walk) {
	t.Helper()
	want := declared(g, w)
	mermaid, dot := draw.Mermaid(g, w), draw.DOT(g, w)
	if d := difference(want, readMermaid(t, mermaid)); d != "" {
		t.Errorf("Mermaid does not draw what is declared (-want +got):\n%s\n%s", d, mermaid)
	}
	if d := difference(want, readDOT(t, dot)); d != "" {
		t.Errorf("DOT does not draw what is declared (-want +got):\n%s\n%s", d, dot)
	}
	if mermaid != draw.Mermaid(g, w) || dot != draw.DOT(g, w) {
		t.Error("drawn twice, the drawing has changed")
	}
	for _, text := range []string{mermaid, dot} {
		if !utf8.ValidString(text) {
			t.Error("the drawing is not UTF-8")
		}
		for l := range strings.Lines(text) {
			if len(l) > 12_000 {
				t.Errorf("a line has %d bytes", len(l))
			}
		}
	}
}

// difference is that between two values, found out only if there is one.
func difference(want, got any) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got)
}

func TestRandomMaps(t *testing.T) {
	trees, walks := 0, 0
	for seed := range uint64(600) {
		z := newZoo(seed)
		g := z.graph(t)
		w := z.walk(g)
		laws(t, g, w)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
		if g.Map().Tree != nil {
			trees++
		}
		if w != nil {
			walks++
		}
	}
	if trees < 60 || walks < 300 {
		t.Errorf("of 600 maps only %d are trees, and only %d walked", trees, walks)
	}
}

// Every awkward text is drawn as the id of a skill, as a label and inside a
// condition.
func TestAwkwardTexts(t *testing.T) {
	for _, text := range awkward {
		t.Run(text, func(t *testing.T) {
			m := &spoor.Map{
				Skills: []spoor.Skill{{ID: text, Description: text}, {ID: text + "2"}},
				Start:  spoor.Start{Rules: []spoor.Rule{{Use: text, Label: text}, {Use: text, Match: match.Keywords(text + "a")}, {Use: text, When: text}}},
				Steps: []spoor.Step{
					{From: text, To: text + "2", OnToolReturn: spoor.ToolName(text)},
					{From: text, To: text, Guard: guard.Guard{guard.Eq(text+"k", text)}},
					{From: text, To: text, Label: text}},
			}
			if !utf8.ValidString(text) { // no guard and no keyword is like that
				m.Start.Rules[1].Match, m.Steps[1].Guard = match.Match{}, nil
			}
			g, err := spoor.Compile(m, anything{})
			if err != nil {
				t.Fatal(err)
			}
			laws(t, g, nil)
			laws(t, g, draw.Of([]spoor.Move{{To: text, By: spoor.Cause(text)}}))
		})
	}
}

func TestLongTextsAreCut(t *testing.T) {
	long := strings.Repeat("x|", 5000)
	m := &spoor.Map{
		Skills: []spoor.Skill{{ID: long, Description: long}},
		Start:  spoor.Start{Rules: []spoor.Rule{{Use: long, When: long}}},
	}
	g, err := spoor.Compile(m, anything{})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Repeat("x#124;", 39) + "x…"
	if text := draw.Mermaid(g, nil); !strings.Contains(text, `n0["`+want+`"]`) {
		t.Errorf("drawn as %s", text)
	}
	text := draw.DOT(g, nil)
	for _, want := range []string{
		`label="` + strings.Repeat("x|", 39) + `x…"`,
		`tooltip="` + strings.Repeat("x|", 499) + `x…"`,
		`tooltip="start.rules[0]: ` + strings.Repeat("x|", 491) + `x…"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %s in %s", want, text)
		}
	}
}

// What package guard and package match write for Mermaid is what is drawn, as
// far as they escape.
func TestCaptionsAreThoseOfTheirPackages(t *testing.T) {
	for _, m := range []match.Match{
		match.Keywords("refund", "money back", `"quoted"`, "a|b"), match.Keywords(`say "x|y"`), match.Regex("(a|b)", "i"),
	} {
		g := compile(t, &spoor.Map{Skills: []spoor.Skill{{ID: "a"}}, Start: spoor.Start{Rules: []spoor.Rule{{Use: "a", Match: m}}}})
		if want, got := `start -->|"`+m.Mermaid()+`"| n0`, draw.Mermaid(g, nil); !strings.Contains(got, want) {
			t.Errorf("want %s in\n%s", want, got)
		}
	}
	for _, c := range []guard.Guard{{guard.Gte("riskLevel", "high"), guard.Lte("iteration", 5)}, {guard.Eq(`a"|b`, `"x|y"`)}, {guard.Ne("score", 0.7)}} {
		g := compile(t, &spoor.Map{Skills: []spoor.Skill{{ID: "a"}}, Steps: []spoor.Step{{From: "a", To: "a", Guard: c}}})
		if want, got := `n0 -->|"`+c.Mermaid()+`"| n0`, draw.Mermaid(g, nil); !strings.Contains(got, want) {
			t.Errorf("want %s in\n%s", want, got)
		}
	}
}

// A tree whose skill is called like one of its decisions has both.
func TestASkillCalledLikeADecision(t *testing.T) {
	m := &spoor.Map{
		Skills: []spoor.Skill{{ID: "d0"}, {ID: "d1"}},
		Tree: &spoor.Tree{When: "iteration == 1", WhenTrue: &spoor.Tree{Skill: "d1"},
			WhenFalse: &spoor.Tree{When: "iteration == 2", Label: "again?", WhenTrue: &spoor.Tree{Skill: "d0"}, WhenFalse: &spoor.Tree{Skill: "d1"}}},
	}
	g := compile(t, m)
	laws(t, g, nil)
	laws(t, g, draw.Of([]spoor.Move{{Ref: "tree.whenFalse.whenTrue", By: spoor.ByNone}}))
	for _, want := range []string{`n0{"iteration == 1"}`, `n0 -->|"yes"| n1`, `n2{"again?"}`, `n2 -->|"yes"| n3`, `n2 -->|"no"| n1`} {
		if got := draw.Mermaid(g, nil); !strings.Contains(got, want) {
			t.Errorf("want %s in\n%s", want, got)
		}
	}
}

func TestOf(t *testing.T) {
	moves := []spoor.Move{
		{To: "triage", By: spoor.ByEntry, Ref: "start.rules[1]"},
		{From: "triage", To: "triage", By: spoor.ByStay, Closed: []spoor.Judgement{{Ref: "steps[2]"}, {Ref: "steps[3]"}}},
		{From: "triage", To: "refunds", By: spoor.ByRoute, Ref: "steps[4]", Closed: []spoor.Judgement{{Ref: "steps[2]"}}},
		{From: "refunds", To: "refunds", By: spoor.ByRoute, Ref: "steps[7]"},
		{From: "refunds", To: "triage", By: spoor.ByPick},
		{From: "triage", To: "refunds", By: spoor.ByProposal},
		{From: "refunds", To: "triage", By: spoor.ByPick},
		{By: spoor.ByNone},
		{To: "triage", By: spoor.ByIntent},
		{From: "triage", To: "triage", By: spoor.ByContinuity},
		{From: "triage", To: "triage", By: spoor.ByContinuity},
	}
	want := &draw.Walk{
		Visits: map[string]int{"triage": 7, "refunds": 3},
		Taken:  map[spoor.Ref]int{"start.rules[1]": 1, "steps[4]": 1, "steps[7]": 1},
		Closed: map[spoor.Ref]int{"steps[2]": 2, "steps[3]": 1},
		Jumps:  []draw.Jump{{"refunds", "triage", spoor.ByPick, 2}, {"triage", "refunds", spoor.ByProposal, 1}, {"", "triage", spoor.ByIntent, 1}},
		At:     "triage",
	}
	if d := cmp.Diff(want, draw.Of(moves)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	want = &draw.Walk{
		Visits: map[string]int{}, Closed: map[spoor.Ref]int{},
		Taken: map[spoor.Ref]int{"tree": 2, "tree.whenTrue": 1, "tree.whenFalse": 1, "tree.whenFalse.whenTrue": 1},
		Leaf:  "tree.whenFalse.whenTrue",
	}
	moves = []spoor.Move{{By: spoor.ByNone, Ref: "tree.whenTrue"}, {By: spoor.ByNone}, {By: spoor.ByNone, Ref: "tree.whenFalse.whenTrue"}}
	if d := cmp.Diff(want, draw.Of(moves)); d != "" {
		t.Errorf("a tree (-want +got):\n%s", d)
	}
	if w := draw.Of(moves[:2]); w.Leaf != "" || w.At != "" {
		t.Errorf("no leaf is active, and the walk is at %q, %q", w.At, w.Leaf)
	}
}

// FuzzDraw draws every map that is a graph, with a walk over it.
func FuzzDraw(f *testing.F) {
	for seed := range uint64(40) {
		data, err := json.Marshal(newZoo(seed).graph(f).Map())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, seed)
	}
	f.Add([]byte(`{"skills": [{"id": "direction LR"}, {"id": "\u202e"}], "start": "direction LR"}`), uint64(1))
	f.Add([]byte(`{"skills": [{"id": "d0"}], "tree": {"when": "a", "whenTrue": {"skill": "d0"}, "whenFalse": {"skill": "d0"}}}`), uint64(2))
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		m := new(spoor.Map)
		if json.Unmarshal(data, m) != nil {
			return
		}
		g, err := spoor.Compile(m, anything{})
		if err != nil {
			return
		}
		laws(t, g, nil)
		laws(t, g, newZoo(seed).walk(g))
	})
}

func BenchmarkDraw(b *testing.B) {
	m := &spoor.Map{}
	for i := range 1000 {
		m.Skills = append(m.Skills, spoor.Skill{ID: fmt.Sprint("skill ", i)})
		m.Steps = append(m.Steps, spoor.Step{From: "skill 0", To: fmt.Sprint("skill ", i), Guard: guard.Guard{guard.Gte("score", i)}})
	}
	g := compile(b, m)
	b.Run("mermaid", func(b *testing.B) {
		for b.Loop() {
			draw.Mermaid(g, nil)
		}
	})
	b.Run("dot", func(b *testing.B) {
		for b.Loop() {
			draw.DOT(g, nil)
		}
	})
}
