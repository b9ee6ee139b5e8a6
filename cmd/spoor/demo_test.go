package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	refunddesk "github.com/spoorhq/spoor/examples/refund-desk"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/recording"
)

// copyOf is a copy of the refund desk's files.
func copyOf(t *testing.T) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	err := fs.WalkDir(refunddesk.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(refunddesk.Files, name)
		files[name] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The demo knows neither the words of the line that is out of date, nor where
// it stands: with others in other places it names those.
func TestDemoFollowsTheLine(t *testing.T) {
	for _, line := range []string{
		"- Whoever is not happy sends it back until day 77, and gets the money.",
		"Up to 365 days after it came, everything may come back.",
		"* Until the 90th day we pay.",
	} {
		files := copyOf(t)
		stale := files[refunddesk.StaleFile]
		lines := strings.Split(string(stale.Data), "\n")
		at := 0
		for i := range lines {
			if lines[i] == "## Refund window" {
				lines[i] = "Some more words.\n\nAnd more of them.\n\n" + lines[i]
				lines[i+2] = line
				at = i + 2 + 4 + 1 // from 1
			}
		}
		stale.Data = []byte(strings.Join(lines, "\n"))
		words := strings.TrimLeft(line, "-* ")

		var out bytes.Buffer
		to := store{recording.Folder{Dir: t.TempDir()}}
		if err := demo(t.Context(), &out, files, to); err != nil {
			t.Fatalf("%q: %v\n%s", line, err, &out)
		}
		for _, want := range []string{fmt.Sprintf("%s:%d", refunddesk.StaleFile, at), "30 days"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q: the demo does not print %q:\n%s", line, want, &out)
			}
		}

		first := recordingThat(t, to, words)
		_, source, err := culprit(first)
		if err != nil {
			t.Fatal(err)
		}
		piece, _ := first.Piece(source.Piece)
		if got := piece[source.Start:source.End]; !strings.Contains(got, words) || source.File != refunddesk.StaleFile || source.Line != at {
			t.Errorf("%q: why names %q in %s:%d, want line %d", line, got, source.File, source.Line, at)
		}
		if why := explain.Span(first, words).String(); !strings.Contains(why, fmt.Sprint(source.Start)) {
			t.Errorf("%q: why does not name byte %d:\n%s", line, source.Start, why)
		}
	}
}

// recordingThat finds the one recording whose answer has words.
func recordingThat(t *testing.T, from store, words string) *recording.Recording {
	t.Helper()
	list, err := from.List()
	if err != nil || len(list) != 2 {
		t.Fatalf("%d recordings, %v; want two", len(list), err)
	}
	for _, e := range list {
		rec, err := recording.Open(e.Path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(rec.Answer(), words) {
			return rec
		}
	}
	t.Fatalf("no answer has %q", words)
	return nil
}

// Where the runbook is right there is nothing to show, and the demo says so.
func TestDemoWithoutAFault(t *testing.T) {
	files := copyOf(t)
	stale := files[refunddesk.StaleFile]
	stale.Data = bytes.ReplaceAll(stale.Data, []byte("- Customers can ask for a refund within 60 days of delivery.\n"), nil)
	var out bytes.Buffer
	err := demo(t.Context(), &out, files, store{recording.Folder{Dir: t.TempDir()}})
	if code := leave(err, &out); code != no {
		t.Errorf("it left with %d, want %d:\n%s", code, no, &out)
	}
}

// The demo is read on a terminal of 100 columns.
func TestDemoWidth(t *testing.T) {
	var out bytes.Buffer
	if err := demo(t.Context(), &out, refunddesk.Files, store{recording.Folder{Dir: t.TempDir()}}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > columns {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}
