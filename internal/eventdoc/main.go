// Command eventdoc writes docs/events.md, the list of all events and their
// fields, from the Go source of package event.
//
//	go run ./internal/eventdoc
//
// What it writes depends on the source alone, so that a second run changes
// nothing. A type of another package is described where an event has it.
package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

//go:embed header.md
var header string

// examples has one event a line.
//
//go:embed testdata/examples.txt
var examples string

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "eventdoc:", err)
		os.Exit(1)
	}
}

func run() error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	text, err := document(root)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, "docs", "events.md"), []byte(text), 0o644)
}

// moduleRoot is the nearest folder with a go.mod, from the working one up.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		_, err := os.Stat(filepath.Join(dir, "go.mod"))
		if !errors.Is(err, fs.ErrNotExist) {
			return dir, err
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("there is no go.mod here or above; run it inside the module")
		}
		dir = up
	}
}

// document is the text of docs/events.md.
func document(root string) (string, error) {
	s, err := load(root)
	if err != nil {
		return "", err
	}
	p := &page{source: s, examples: exampleOf(examples)}
	p.WriteString(header)
	p.kinds("Outcomes", "What only the world can say. A host brings them in; the machine records each one as it is, "+
		"or as `late` if nobody waits for it.", true)
	p.kinds("Derived events", "What the machine makes of the outcomes before them.", false)
	p.types()
	return p.String(), p.err
}

// exampleOf finds the example of each kind.
func exampleOf(lines string) map[string]string {
	found := map[string]string{}
	for line := range strings.Lines(lines) {
		_, rest, _ := strings.Cut(line, `"kind":"`)
		kind, _, _ := strings.Cut(rest, `"`)
		found[kind] = strings.TrimSuffix(line, "\n")
	}
	return found
}
