package check_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/check"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/score"
)

// TestExamples holds that the Example of a rule is reported where it says so:
// by mapfile, by Compile, by Run or, of intents, by the audit of intents.
func TestExamples(t *testing.T) {
	for _, r := range check.Rules() {
		if r.Example == "" {
			continue
		}
		t.Run(r.Code, func(t *testing.T) {
			var want []string
			for i, line := range strings.Split(r.Example, "\n") {
				if _, codes, ok := strings.Cut(line, "# want "); ok {
					for _, code := range strings.Fields(codes) {
						want = append(want, fmt.Sprintf("%s in line %d", code, i+1))
					}
				}
			}
			if !strings.Contains(strings.Join(want, "\n"), r.Code+" in line") {
				t.Errorf("the example wants no %s", r.Code)
			}
			var got []string
			for _, f := range report(t, r) {
				where := fmt.Sprintf("%s in line %d", f.Code, f.Pos.Line)
				if f.Code == r.Code {
					t.Log(f)
				}
				if f.Pos.Line == 0 {
					t.Errorf("%s has no place", f.Problem)
				}
				if !slices.Contains(got, where) {
					got = append(got, where)
				}
			}
			slices.Sort(want)
			slices.Sort(got)
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// report is all that is wrong with the example of a rule.
func report(t *testing.T, r check.Rule) mapfile.Faults {
	f, err := mapfile.Read(fstest.MapFS{"map.yaml": &fstest.MapFile{Data: []byte(r.Example)}}, "map.yaml")
	var faults mapfile.Faults
	if errors.As(err, &faults) {
		return faults
	}
	if err != nil {
		t.Fatal(err)
	}
	g, err := spoor.Compile(f.Map, &cond.Set{AllowUnbound: true})
	var problems spoor.Problems
	if errors.As(err, &problems) {
		return f.Locate(problems)
	}
	if err != nil {
		t.Fatal(err)
	}
	found := check.Run(g)
	if r.Code == "overlapping-intents" {
		if found, err = check.Intents(context.Background(), g, "keyword", score.Keyword); err != nil {
			t.Fatal(err)
		}
	}
	return f.Locate(found.Problems)
}
