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

// testSources checks that line i of a body is line Source.Line + i - 1 of its
// file, but for indentation.
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
			if len(body) == 1 && strings.Contains(line, "body:") {
				continue // beside its key, perhaps in quotes
			}
			if !strings.HasSuffix(line, row) || strings.TrimSpace(strings.TrimSuffix(line, row)) != "" {
				t.Errorf("skill %q: line %d of its body is %q, and %s:%d is %q", s.ID, i+1, row, s.Source.File, s.Source.Line+i, line)
			}
		}
	}
}
