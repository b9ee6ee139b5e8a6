package mapfile_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/mapfile"
)

var update = flag.Bool("update", false, "rewrite the wanted parts of testdata")

// TestFiles runs testdata/*.txtar. The first file of an archive is a map file,
// the last, want, holds its faults or, if it has none, its canonical form. A
// file named places holds addresses and their places.
func TestFiles(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txtar")
	if len(files) == 0 {
		t.Fatal("no testdata")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			fsys := fstest.MapFS{}
			for _, f := range archive.Files {
				fsys[path.Join("maps", f.Name)] = &fstest.MapFile{Data: f.Data}
			}
			f, err := mapfile.Read(fsys, path.Join("maps", archive.Files[0].Name))
			got := ""
			if err != nil {
				if !errors.As(err, new(mapfile.Faults)) {
					t.Fatal(err)
				}
				got = err.Error() + "\n"
			} else {
				got = string(testWrite(t, f))
				testSources(t, f, fsys)
			}
			for i := range archive.Files {
				want := &archive.Files[i]
				switch {
				case want.Name == "places" && f != nil:
					compare(t, want, places(f, string(want.Data)))
				case want.Name == "want":
					compare(t, want, got)
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func compare(t *testing.T, want *txtar.File, got string) {
	t.Helper()
	if *update {
		want.Data = []byte(got)
	} else if diff := cmp.Diff(string(want.Data), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", want.Name, diff)
	}
}

func places(f *mapfile.File, lines string) string {
	var b strings.Builder
	for line := range strings.Lines(lines) {
		ref, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		pos, _ := f.Position(spoor.Ref(ref))
		fmt.Fprintf(&b, "%-30s %s\n", ref, pos)
	}
	return b.String()
}

// equal ignores what Marshal does not keep: places.
var equal = cmp.Options{
	cmpopts.IgnoreFields(spoor.Skill{}, "Source"),
	cmpopts.IgnoreFields(mapfile.Case{}, "Pos"),
	cmpopts.IgnoreUnexported(mapfile.File{}),
	cmp.Comparer(func(a, b guard.Value) bool { return a == b }),
}

// testWrite holds the law Read(Marshal(f)) = f.
func testWrite(t *testing.T, f *mapfile.File) []byte {
	t.Helper()
	text, err := f.Marshal()
	if err != nil {
		t.Fatalf("Marshal: %v", err)
	}
	back, err := mapfile.Read(fstest.MapFS{"map.yaml": {Data: text}}, "map.yaml")
	if err != nil {
		t.Fatalf("Read of what was written: %v\n%s", err, text)
	}
	if diff := cmp.Diff(f, back, equal); diff != "" {
		t.Fatalf("Read(Marshal(f)) (-f +read):\n%s\n%s", diff, text)
	}
	if again, err := back.Marshal(); err != nil || string(again) != string(text) {
		t.Fatalf("written again, it differs: %v\n%s", err, cmp.Diff(string(text), string(again)))
	}
	return text
}

// A body has a Source if its lines are lines of the file, and only then.
func TestSourceOfABody(t *testing.T) {
	for body, want := range map[string]int{
		"one line":                      1,
		"'one line'":                    1,
		`"one \"line\""`:                1,
		"\n  on the next line":          2,
		"|\n  one\n  two":               2,
		"|- # why\n\n  one\n\n  two":    2,
		"|2\n    one\n  two":            2,
		">\n  one line":                 2,
		">\n  one\n  two":               0,
		">\n  one\n\n  two":             0,
		"one\n  two":                    0,
		"'one\n  two'":                  0,
		"\"one\n  two\"":                0,
		`"one\ntwo"`:                    0,
		"\"say \\\"\n  two\"":           0,
		"'it''\n  s two'":               0,
		"\n  # why\n  one":              3,
		"\n  one\n  two":                0,
		"\"one \\\n  line\"":            0,
		"|\n  one\n\n\n# no part of it": 2,
	} {
		f, err := mapfile.Read(fstest.MapFS{"map.yaml": {Data: []byte("skills:\n- id: a\n  body: " + strings.ReplaceAll(body, "\n", "\n  ") + "\n")}}, "map.yaml")
		if err != nil {
			t.Errorf("%q: %v", body, err)
			continue
		}
		source := spoor.Source{}
		if want > 0 {
			source = spoor.Source{File: "map.yaml", Line: want + 2}
		}
		if got := f.Map.Skills[0].Source; got.File != source.File || got.Line != source.Line {
			t.Errorf("%q: got %+v, want %+v", body, got, source)
		}
	}
}

// What could be read comes beside what is wrong.
func TestReadBesideFaults(t *testing.T) {
	for text, want := range map[string]bool{"skills: [{id: a}]\nstrat: a": true, "skills: [{id: a": false, "skills: [{id: &x a}]": false, "": true} {
		f, err := mapfile.Read(fstest.MapFS{"map.yaml": {Data: []byte(text)}}, "map.yaml")
		if !errors.As(err, new(mapfile.Faults)) || (f != nil) != want {
			t.Errorf("%q: got %+v and %v", text, f, err)
		}
		if strings.Contains(text, "strat") && (len(f.Map.Skills) != 1 || f.Map.Skills[0].ID != "a") {
			t.Errorf("%q: got %+v", text, f.Map.Skills)
		}
	}
}

// testSources checks that line i of a body is line Source.Line + i - 1 of its
// file, behind its indentation.
func testSources(t *testing.T, f *mapfile.File, fsys fstest.MapFS) {
	t.Helper()
	for _, s := range f.Map.Skills {
		if s.Source == (spoor.Source{}) {
			continue
		}
		data := fsys[path.Join("maps", s.Source.File)].Data
		text := strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n")
		lines := strings.Split(text, "\n")
		body := strings.Split(strings.TrimSuffix(s.Body, "\n"), "\n")
		for i, row := range body {
			line := lines[s.Source.Line+i-1]
			if len(body) == 1 && strings.Contains(line, "body") {
				continue // beside its key, perhaps in quotes
			}
			if row != "" && line != strings.Repeat(" ", s.Source.Indent)+row {
				t.Errorf("skill %q: line %d of its body is %q, and %s:%d is %q", s.ID, i+1, row, s.Source.File, s.Source.Line+i, line)
			}
		}
	}
}
