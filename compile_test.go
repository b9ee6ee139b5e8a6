package spoor_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/match"
	"github.com/spoorhq/spoor/score"
)

var update = flag.Bool("update", false, "rewrite what the files of testdata want")

// TestCompile runs the files of testdata/compile. Each has maps, as NAME.yaml,
// which mapfile reads, or as NAME.json, which encoding/json does, and for each
// of them the problems that Compile finds, one a line, as NAME.problems. No
// line means that the map is a graph.
//
// A map whose name begins with "no-reader" is compiled without Conditions.
func TestCompile(t *testing.T) {
	eachArchive(t, "testdata/compile", func(t *testing.T, a *archive) {
		for _, name := range a.names(".problems") {
			t.Run(name, func(t *testing.T) {
				var conditions spoor.Conditions = cond.CEL
				if strings.HasPrefix(name, "no-reader") {
					conditions = nil
				}
				_, err := spoor.Compile(a.readMap(t, name), conditions)
				got := ""
				if err != nil {
					problems := err.(spoor.Problems)
					for _, p := range problems {
						if p.Level != "error" {
							t.Errorf("level %q of %s", p.Level, p)
						}
						got += p.String() + "\n"
					}
					if err.Error()+"\n" != got {
						t.Errorf("the error prints\n%s\nand its problems\n%s", err, got)
					}
				}
				a.want(t, name+".problems", got)
			})
		}
	})
}

// An archive is a file of testdata.
type archive struct {
	*txtar.Archive
	changed bool
}

func eachArchive(t *testing.T, dir string, run func(*testing.T, *archive)) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal("no files in", dir, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			parsed, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			a := &archive{Archive: parsed}
			run(t, a)
			if a.changed {
				if err := os.WriteFile(file, txtar.Format(parsed), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// names lists the files that end in suffix, without it.
func (a *archive) names(suffix string) (names []string) {
	for _, f := range a.Files {
		if name, ok := strings.CutSuffix(f.Name, suffix); ok {
			names = append(names, name)
		}
	}
	return names
}

func (a *archive) file(name string) *txtar.File {
	for i := range a.Files {
		if a.Files[i].Name == name {
			return &a.Files[i]
		}
	}
	return nil
}

// want compares what was found with a file.
func (a *archive) want(t *testing.T, name, got string) {
	t.Helper()
	f := a.file(name)
	if *update {
		f.Data, a.changed = []byte(got), true
		return
	}
	if d := cmp.Diff(string(f.Data), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", name, d)
	}
}

func (a *archive) readMap(t *testing.T, name string) *spoor.Map {
	t.Helper()
	if f := a.file(name + ".json"); f != nil {
		return parse(t, string(f.Data))
	}
	f, err := mapfile.Read(fstest.MapFS{"map.yaml": {Data: a.file(name + ".yaml").Data}}, "map.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return f.Map
}

func parse(t testing.TB, data string) *spoor.Map {
	t.Helper()
	m := new(spoor.Map)
	if err := json.Unmarshal([]byte(data), m); err != nil {
		t.Fatal(err)
	}
	return m
}

func compile(t testing.TB, m *spoor.Map) *spoor.Graph {
	t.Helper()
	g, err := spoor.Compile(m, cond.CEL)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// What JSON and YAML cannot say.

func TestCompileRefusesNumbersThatAreNone(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		_, err := spoor.Compile(&spoor.Map{
			Skills: []spoor.Skill{{ID: "triage"}},
			Start: spoor.Start{
				Rules:    []spoor.Rule{{Use: "triage", Match: match.Intent("wants help", "help me")}},
				Classify: "keyword",
				Routing:  &score.Policy{NearTieMargin: &v, Floor: &v},
			},
		}, nil)
		want := fmt.Sprintf("start.routing.nearTieMargin: bad-routing: a margin of %v is no share (write a number from 0 to 1)\n", v) +
			fmt.Sprintf("start.routing.floor: bad-routing: a floor of %v is no number (write a number)", v)
		if err == nil || err.Error() != want {
			t.Errorf("%v: got\n%v\nwant\n%s", v, err, want)
		}
	}
}

func TestCompileRefusesAGuardThatNoMappingHolds(t *testing.T) {
	for _, c := range []struct {
		what  string
		guard guard.Guard
		want  string
	}{
		{"the conditions of a key apart",
			guard.Guard{guard.Gt("score", 1), guard.Eq("paid", true), guard.Lt("score", 5)},
			`steps[0].guard[2]`},
		{"an operator twice on a key",
			guard.Guard{guard.Gt("score", 1), guard.Gt("score", 2)},
			`steps[0].guard[1]`},
		{"a number that is not finite",
			guard.Guard{guard.Gt("score", math.NaN())},
			`steps[0].guard[0]`},
		{"a Go value that is no data",
			guard.Guard{guard.Eq("score", struct{}{})},
			`steps[0].guard[0]`},
		{"no condition at all", guard.Guard{}, `steps[0].guard`},
	} {
		_, err := spoor.Compile(&spoor.Map{
			Skills: []spoor.Skill{{ID: "triage"}, {ID: "billing"}},
			Steps:  []spoor.Step{{From: "triage", To: "billing", Guard: c.guard}},
		}, nil)
		problems, _ := err.(spoor.Problems)
		if len(problems) != 1 || problems[0].Code != "bad-guard" || string(problems[0].Ref) != c.want {
			t.Errorf("%s: got %v, want one bad-guard at %s", c.what, err, c.want)
		}
	}
}

// The fields of a problem say what it speaks of, for those who do not read
// its text.
func TestProblemsNameTheirSkill(t *testing.T) {
	_, err := spoor.Compile(parse(t, `{
		"skills": [{"id": "triage"}, {"id": "triage"}, {"id": "billing", "delivery": "post"}],
		"start": {"rules": [
			{"use": "triage", "match": {"intent": "wants help", "examples": ["help"]}},
			{"use": "billing", "match": {"regex": "("}},
			{"use": "person"}]}}`), nil)
	want := [][2]string{
		{"duplicate-skill", "triage"}, {"wrong-type", "billing"}, {"intent-without-classify", "triage"},
		{"bad-match", "billing"}, {"unknown-skill", "person"},
	}
	var got [][2]string
	for _, p := range err.(spoor.Problems) {
		got = append(got, [2]string{p.Code, p.Skill})
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("code and skill (-want +got):\n%s", d)
	}
}

func TestAProblemWithoutPlaceOrHintIsItsCodeAndMessage(t *testing.T) {
	if got := (spoor.Problem{Code: "no-entry", Message: "no turn can start"}).String(); got != "no-entry: no turn can start" {
		t.Error(got)
	}
}

func TestRefsAreWrittenByKeyAndIndex(t *testing.T) {
	var r spoor.Ref
	if got := r.Key("steps").At(2).Key("guard").At(0); got != "steps[2].guard[0]" {
		t.Error(got)
	}
}
