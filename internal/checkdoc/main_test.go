package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor/check"
)

// TestPages compares docs/check with what is generated.
func TestPages(t *testing.T) {
	want, err := pages(check.Rules())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join("..", "..", "docs", "check")
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got[f.Name()] = string(text)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if diff := cmp.Diff(got[name], want[name]); diff != "" {
			t.Errorf("docs/check/%s is stale; run go generate ./check (-was +is):\n%s", name, diff)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if want[name] == "" {
			t.Errorf("there is no code of the page docs/check/%s; run go generate ./check", name)
		}
	}
}

// TestLists holds that every code has one level that the list knows, and one
// page.
func TestLists(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range check.Rules() {
		known := false
		for _, l := range levels {
			known = known || l.name == r.Level
		}
		if !known || seen[r.Code] || r.Doc == "" {
			t.Errorf("%q: of level %q, known %v, declared before: %v", r.Code, r.Level, known, seen[r.Code])
		}
		seen[r.Code] = true
	}
}

func TestFirst(t *testing.T) {
	for doc, want := range map[string]string{
		"One.\n\nTwo.":           "One.",
		"One: json.paid\nholds.": "One: json.paid holds.",
		"One:\n\n    two.":       "One:",
	} {
		if got := first(doc); got != want {
			t.Errorf("%q: %q", doc, got)
		}
	}
}
