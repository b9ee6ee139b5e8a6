package guard

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"
)

// TestVectors holds the answers recorded in ../conformance.
func TestVectors(t *testing.T) {
	f, err := os.Open("../conformance/testdata/guards.jsonl.gz")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	zr, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	type evidence struct {
		Key           string
		Op            Op
		Value         Value
		ActualSummary string
		Passed        bool
	}
	type line struct {
		Guard      json.RawMessage
		Refused    *bool
		Conditions []evidence
		Caption    string
		Mermaid    string
		Pre        struct {
			OnToolReturnExact string
			OnToolStatuses    []string
		}
		Unsatisfiable bool
		Evals         []struct {
			View       View
			Verdict    bool
			Conditions []evidence
		}
	}
	lines, held := 0, 0
	sc := bufio.NewScanner(zr)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		lines++
		var l line
		if err := json.Unmarshal(sc.Bytes(), &l); err != nil {
			t.Fatalf("line %d: %v", lines, err)
		}
		var g Guard
		var c *Compiled
		var faults []Fault
		err := json.Unmarshal(l.Guard, &g)
		if err == nil {
			c, faults = Compile(g, nil)
		}
		refused := err != nil || faults != nil
		if l.Refused != nil {
			if refused != *l.Refused {
				t.Errorf("line %d: refused %v, want %v", lines, refused, *l.Refused)
				continue
			}
			held++
			continue
		}
		if refused {
			t.Errorf("line %d: %v %v", lines, err, faults)
			continue
		}
		ok := true
		check := func(what string, got, want any) {
			if got != want {
				ok = false
				t.Errorf("line %d: %s %v, want %v", lines, what, got, want)
			}
		}
		check("caption", g.Caption(), l.Caption)
		check("mermaid", g.Mermaid(), l.Mermaid)
		check("conditions", len(g), len(l.Conditions))
		for i, w := range l.Conditions {
			check("condition", g[i], Cond{w.Key, w.Op, w.Value})
		}
		_, uns := c.Unsatisfiable(Domain{
			ToolName:    l.Pre.OnToolReturnExact,
			Statuses:    l.Pre.OnToolStatuses,
			AllStatuses: statuses,
		})
		check("unsatisfiable", uns, l.Unsatisfiable)
		for _, e := range l.Evals {
			v := c.Evaluate(&e.View)
			check("verdict", v.Passed, e.Verdict)
			check("holds", c.Holds(&e.View), e.Verdict)
			check("evidence", len(v.Conditions), len(e.Conditions))
			for i, w := range e.Conditions {
				got := v.Conditions[i]
				if got.Kind == Missing {
					got.Actual = "undefined"
				}
				check("evidence", evidence{got.Key, got.Op, got.Value, got.Actual, got.Passed}, w)
			}
		}
		if ok {
			held++
		}
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	t.Logf("guards: %d of %d", held, lines)
}

var statuses = []string{"success", "partial", "pending", "failure", "denied", "invalid", "absent"}
