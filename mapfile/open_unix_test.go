//go:build unix

package mapfile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor/mapfile"
)

// Nothing outside the folder of the map file is read, and nothing that blocks.
func TestOpenStaysInside(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"secret.md":       "secret",
		"secret/SKILL.md": "---\nname: secret\ndescription: x\n---\nx\n",
		"desk/map.yaml": "skills:\n- {id: a, bodyFile: link.md}\n- dir: linked\n- dir: \"*\"\n- {id: b, bodyFile: pipe}\n" +
			"- {id: c, bodyFile: inner.md}\n",
		"desk/real.md": "inside",
	})
	desk := filepath.Join(dir, "desk")
	for name, target := range map[string]string{"link.md": "../secret.md", "linked": filepath.Join(dir, "secret"), "inner.md": "real.md"} {
		if err := os.Symlink(target, filepath.Join(desk, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(desk, "pipe"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := mapfile.Open(filepath.Join(desk, "map.yaml"))
	want := `map.yaml:2:21: skills[0].bodyFile: bad-file: the file "link.md" cannot be read: path escapes from parent
map.yaml:3:8: skills[1].dir: bad-file: the file "linked/SKILL.md" cannot be read: path escapes from parent
map.yaml:4:8: skills[2].dir: bad-file: no folder in "." holds a SKILL.md (put each skill into a folder of its own there)
map.yaml:5:21: skills[2].bodyFile: bad-file: the file "pipe" cannot be read: not a file`
	if err == nil || err.Error() != want {
		t.Errorf("-want +got:\n%s", cmp.Diff(want, fmt.Sprint(err)))
	}
}
