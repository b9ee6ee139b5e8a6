package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
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
