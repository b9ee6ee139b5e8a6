package main

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/explain"
)

// What --templates prints is what --words reads.
func TestTemplateFile(t *testing.T) {
	texts, _, faults := readWords("words.json", []byte(templateFile()))
	if faults != nil || !maps.Equal(texts, maps.Collect(explain.Templates())) {
		t.Errorf("got %q, %v", texts, faults)
	}
	if _, err := explain.NewWords(texts); err != nil {
		t.Error(err)
	}
}

// A file of words is read, or told where it is wrong, whatever stands in it:
// each fault has a place in it, and a text that drives no terminal.
func TestReadWords(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	letters := []byte("{}[]\",:\\\n 1nul\x1b\xff\u202e")
	for _, seed := range []string{
		`{"moved": "a {move}", "stay": "b"}`, "{\"a\": null\n, \"b\": 1}", `{"a":"b","a":"c"} {}`, "{\"\xff\":\"\u202e\"}", "[]", "",
	} {
		for range 3000 {
			text := []byte(seed)
			for range rnd.IntN(4) {
				i := rnd.IntN(len(text) + 1)
				text = slices.Replace(text, i, min(len(text), i+rnd.IntN(2)), letters[rnd.IntN(len(letters))])
			}
			holdWords(t, string(text))
		}
	}
}

func holdWords(t *testing.T, text string) {
	t.Helper()
	texts, places, faults := readWords("words.json", []byte(text))
	for _, f := range faults {
		if f.Pos.Line < 1 || f.Pos.Line > strings.Count(text, "\n")+1 || f.Pos.Column < 1 || f.Message == "" {
			t.Fatalf("%q: %v", text, f)
		}
		if strings.ContainsAny(f.String(), "\x1b\n\u202e") {
			t.Fatalf("%q: it is told as %q", text, f.String())
		}
	}
	_, err := explain.NewWords(texts)
	if problems, ok := err.(spoor.Problems); ok {
		for _, p := range problems {
			if _, ok := places[p.Ref]; !ok {
				t.Fatalf("%q: %v has no place", text, p)
			}
		}
	}
}
