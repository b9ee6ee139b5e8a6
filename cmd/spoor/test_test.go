package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The refund desk passes its own cases.
func TestRefundDeskCases(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run([]string{"test", "../../examples/refund-desk/map.yaml"}, nil, &out, &errs); code != yes {
		t.Errorf("it left with %d\n%s%s", code, &out, &errs)
	}
	if !strings.HasPrefix(out.String(), "ok    ") || !strings.HasSuffix(out.String(), "  10 cases\n") {
		t.Errorf("got %s", &out)
	}
}

// What test prints as JSON has every key, and no list is null.
func TestCasesAsJSON(t *testing.T) {
	var out, errs bytes.Buffer
	run([]string{"test", "../../examples/refund-desk/map.yaml", "--json"}, nil, &out, &errs)
	var got map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"ok", "passed", "failed", "cases", "notes"} {
		if got[key] == nil {
			t.Errorf("there is no %s", key)
		}
	}
	for _, c := range got["cases"].([]any) {
		c := c.(map[string]any)
		for _, key := range []string{"file", "line", "want", "got", "pass", "reasons", "move"} {
			if c[key] == nil {
				t.Errorf("%v has no %s", c, key)
			}
		}
	}
}

// A reason is true of a rule that is named for another skill, and of one that
// matches no words.
func TestReasonsAreTrue(t *testing.T) {
	name := filepath.Join(t.TempDir(), "map.yaml")
	const text = `skills: [{id: desk}, {id: look}]
start: {rules: [{use: desk, match: {keywords: [person]}}, {use: look, match: {regex: x*}}]}
cases:
  - {say: a person, starts: look, by: "start.rules[0]"}
  - {say: a person, starts: look}
`
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	run([]string{"test", name}, nil, &out, &errs)
	want := strings.ReplaceAll(`--- FAIL: MAP:4: say "a person" (want look by start.rules[0], got desk by start.rules[0])
    MAP:2: start.rules[0] claims it by the words "person"
--- FAIL: MAP:5: say "a person" (want look, got desk)
    MAP:2: start.rules[0] claims it by the words "person"
    MAP:2: start.rules[1] claims it too, but it comes later: the first rule that claims a message wins
FAIL  MAP  2 cases, 2 failed
`, "MAP", name)
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Errorf("%s(-want +got):\n%s", &errs, d)
	}
}
