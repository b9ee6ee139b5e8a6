package match_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/spoorhq/spoor/match"
)

// A vector is a line of matches.jsonl.gz: a matcher with what it becomes and
// what it claims, a matcher that is refused, or two matchers compared.
type vector struct {
	Kind    string
	Match   json.RawMessage
	Refused bool
	Data    any
	Mermaid string
	Cases   []struct {
		Message string
		Matched bool
		Witness *match.Witness
	}
	Earlier, Later json.RawMessage
	Relation       match.Relation
}

func TestConformance(t *testing.T) {
	dir := os.Getenv("SPOOR_CONFORMANCE")
	if dir == "" {
		dir = filepath.Join("..", "conformance", "testdata")
	}
	f, err := os.Open(filepath.Join(dir, "matches.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<24)
	held, total := 0, 0
	for lines.Scan() {
		total++
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatalf("line %d: %v", total, err)
		}
		if holds(t, total, v) {
			held++
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	fmt.Printf("matches: %d of %d\n", held, total)
}

func holds(t *testing.T, line int, v vector) bool {
	ok := true
	differ := func(what string, got, want any) {
		if !reflect.DeepEqual(got, want) {
			t.Errorf("line %d: %s: got %v, want %v", line, what, got, want)
			ok = false
		}
	}
	if v.Kind == "compare" {
		differ("relation", match.Compare(read(v.Earlier), read(v.Later)), v.Relation)
		return ok
	}
	c := read(v.Match)
	differ("refused", c == nil, v.Refused)
	if c == nil {
		return ok
	}
	differ("data", vectorData(c.Data()), v.Data)
	differ("mermaid", c.Data().Mermaid(), v.Mermaid)
	for _, k := range v.Cases {
		var want match.Witness
		if k.Witness != nil {
			want = *k.Witness
		}
		w, matched := c.Match(k.Message)
		differ(k.Message, matched, k.Matched)
		differ(k.Message, w, want)
	}
	return ok
}

// read is nil for a matcher that is refused, as JSON or when compiled.
func read(data json.RawMessage) *match.Compiled {
	var m match.Match
	if json.Unmarshal(data, &m) != nil {
		return nil
	}
	c, _ := match.Compile(m)
	return c
}

// vectorData writes a matcher as the vectors do.
func vectorData(m match.Match) any {
	texts := func(list []string) []any {
		out := []any{}
		for _, s := range list {
			out = append(out, s)
		}
		return out
	}
	switch {
	case m.Regex != nil:
		return map[string]any{"kind": "regex", "source": *m.Regex, "flags": m.Flags}
	case m.Keywords != nil:
		return map[string]any{"kind": "keywords", "keywords": texts(m.Keywords)}
	case m.Intent != nil:
		return map[string]any{"kind": "intent", "intent": *m.Intent, "examples": texts(m.Examples)}
	}
	parts := []any{}
	for _, p := range m.All {
		parts = append(parts, vectorData(p))
	}
	return map[string]any{"kind": "all", "parts": parts}
}
