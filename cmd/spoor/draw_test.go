package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A drawing that is too large for Mermaid is drawn, with a note.
func TestLargeDrawings(t *testing.T) {
	for _, c := range []struct {
		steps int
		args  []string
		note  bool
	}{
		{499, nil, false},
		{500, nil, true}, // and the start
		{500, []string{"--format", "dot"}, false},
	} {
		text := "skills: [{id: a}]\nstart: a\nsteps:\n" + strings.Repeat("  - {from: a, to: a}\n", c.steps)
		file := filepath.Join(t.TempDir(), "map.yaml")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		root := newRoot()
		root.SetArgs(append([]string{"draw", file}, c.args...))
		root.SetOut(&out)
		root.SetErr(&errs)
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
		if noted := strings.HasPrefix(errs.String(), "note: Mermaid shows no more than 500 edges and 50000 characters"); noted != c.note {
			t.Errorf("%d steps %v: %q on stderr", c.steps, c.args, errs.String())
		}
		if n := strings.Count(out.String(), "n0 -"); n != c.steps {
			t.Error(fmt.Sprint(n, " of ", c.steps, " steps are drawn"))
		}
	}
}
