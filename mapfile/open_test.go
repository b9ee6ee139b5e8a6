package mapfile_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/mapfile"
)

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"desk/map.yaml": "skills: [{id: a, bodyFile: a.md}]\nagent: {model: 'script:script.yaml'}\n",
		"desk/a.md":     "Be kind.\n",
	})
	t.Chdir(dir)
	f, err := mapfile.Open("desk/map.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Map.Skills[0]; got.Body != "Be kind." || got.Source != (spoor.Source{File: "a.md", Line: 1}) {
		t.Errorf("got %+v", got)
	}
	if f.Dir() != "desk" {
		t.Errorf("Dir is %q", f.Dir())
	}
	t.Chdir("desk")
	if f, err := mapfile.Open("map.yaml"); err != nil || f.Dir() != "." {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := mapfile.Open("gone.yaml"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := mapfile.Open("."); err == nil {
		t.Error("a folder was read")
	}
}

// What txtar cannot hold: bytes, line ends, sizes.
func TestReadBytes(t *testing.T) {
	skill := "---\r\nname: a\r\ndescription: x\r\n---\r\n\r\none\r\ntwo\r\n"
	for _, test := range []struct {
		name, text, skill, want string
	}{
		{"crlf and bom", "\ufeffskills:\r\n- dir: a\r\n", "\ufeff" + skill, ""},
		{"not utf-8", "name: \xff\n", "", "map.yaml:1:7: syntax: byte 0xff is not UTF-8 (save the file as UTF-8)"},
		{"skill not utf-8", "skills: [{dir: a}]\n", skill + "é\xff", "a/SKILL.md:8:2: skills[0].dir: syntax: byte 0xff is not UTF-8 (save the file as UTF-8)"},
		{"large skill", "skills: [{dir: a}]\n", skill + strings.Repeat("x", 1<<20), `map.yaml:1:16: skills[0].dir: bad-file: the file "a/SKILL.md" cannot be read: too long: it has more than 1048576 bytes`},
		{"deep", "tools: " + strings.Repeat("[", 70) + strings.Repeat("]", 70), "", "map.yaml:1:71: syntax: values are nested deeper than 64 levels"},
		{"long key", strings.Repeat("k", 300) + ": 1", "", "map.yaml:1:1: wrong-type: a key has 300 bytes, and 256 are allowed"},
		{"second document", "name: a\n---\nname: b\n", "", "map.yaml:2:1: syntax: a second document begins here (keep one document in a file)"},
		{"alias bomb", "a: &a [x, x]\nb: [*a, *a]\n", "", "map.yaml:1:4: syntax: an anchor (&) is not read here (write the value where it is used, or quote the text)\n" +
			"map.yaml:2:5: syntax: an alias (*) is not read here (write the value out, or quote the text)\n" +
			"map.yaml:2:9: syntax: an alias (*) is not read here (write the value out, or quote the text)"},
	} {
		fsys := fstest.MapFS{"map.yaml": {Data: []byte(test.text)}, "a/SKILL.md": {Data: []byte(test.skill)}}
		f, err := mapfile.Read(fsys, "map.yaml")
		if test.want == "" {
			want := spoor.Skill{ID: "a", Description: "x", Body: "one\ntwo", Source: spoor.Source{File: "a/SKILL.md", Line: 6}}
			if err != nil || !cmp.Equal(f.Map.Skills, []spoor.Skill{want}) {
				t.Errorf("%s: %v, %+v", test.name, err, f)
			}
			continue
		}
		if got := fmt.Sprint(err); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
	}

	fsys := fstest.MapFS{"map.yaml": {Data: make([]byte, 16<<20+1)}}
	if _, err := mapfile.Read(fsys, "map.yaml"); err == nil || errors.As(err, new(mapfile.Faults)) {
		t.Errorf("too long a map: %v", err)
	}
}

// A hundred faults are listed, and the rest counted.
func TestManyFaults(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "key%d: 1\n", i)
	}
	_, err := mapfile.Read(fstest.MapFS{"map.yaml": {Data: []byte(b.String())}}, "map.yaml")
	var faults mapfile.Faults
	if !errors.As(err, &faults) || len(faults) != 101 || faults[100].String() != "map.yaml:100:1: more: there are 900 more faults" {
		t.Errorf("%d faults, the last %v", len(faults), faults[len(faults)-1])
	}
}

// The time that a hostile file costs grows with its length, not with its square.
func TestLongFiles(t *testing.T) {
	const n = 1 << 20
	for name, text := range map[string]string{
		"plain lines":  "name: x\n" + strings.Repeat("  y\n", n/4),
		"quoted lines": "name: \"" + strings.Repeat("\\\n y\n", n/4) + "\"",
		"one line":     `{"knownTools":[` + strings.Repeat(`"x",`, 100_000) + `"x"]}`,
		"keys":         "steps:\n- " + strings.Repeat("k: 1\n  ", n/8),
		"unknown keys": strings.Repeat("a: 1\n", n/8),
		"guard":        "steps: [{guard: {" + strings.Repeat("x: {eq: 1}, ", 40_000) + "}}]",
		"json":         `tools: [{results: [{result: {"` + strings.Repeat("k", n) + `": [` + strings.Repeat("1,", 100_000) + "1]}}]}]",
		"blank lines":  "name: x\n" + strings.Repeat("\n", n) + "  y",
		"literal":      "name: |\n" + strings.Repeat(" \n", n) + " y",
		"list":         "knownTools:\n" + strings.Repeat("- \n", 100_000),
		"comments":     "name: [" + strings.Repeat("#\n", n) + "]",
		"quotes":       strings.Repeat("'a' 'b", n/8),
	} {
		start := time.Now()
		_, err := mapfile.Read(fstest.MapFS{"map.yaml": {Data: []byte(text)}}, "map.yaml")
		took := time.Since(start)
		t.Logf("%-12s %7d bytes in %v: %.80s", name, len(text), took.Round(time.Millisecond), fmt.Sprint(err))
		if took > 10*time.Second && !raced { // the race detector takes its own time
			t.Errorf("%s: %d bytes took %v", name, len(text), took)
		}
	}
}
