package check

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/match"
)

// TestListed holds that a report lists a hundred problems of a code, says that
// there are more, and is no longer ok because of an error that it lists.
func TestListed(t *testing.T) {
	s := newSubject(compile(t, &spoor.Map{Skills: skills(1), Start: spoor.Start{Use: "a"}}), nil)
	for _, n := range []int{mostOfOne, mostOfOne + 1, 3 * mostOfOne} {
		s.Problems, s.Notes, s.OK = nil, nil, true
		asked := 0
		s.run(Rule{Code: "some-code", Level: Warning, judge: func(s *subject) {
			for range n {
				if asked++; !s.found(spoor.Problem{}) {
					return
				}
			}
		}})
		if len(s.Problems) != mostOfOne || len(s.Notes) != min(1, n-mostOfOne) || asked > mostOfOne+1 || !s.OK {
			t.Errorf("of %d: %d problems, %q, %d looked at, ok %v", n, len(s.Problems), s.Notes, asked, s.OK)
		}
	}

	// Warnings do not crowd out the one error of a rule that has both.
	m := &spoor.Map{Skills: skills(1), Start: spoor.Start{}}
	for i := range 200 {
		m.Start.Rules = append(m.Start.Rules, spoor.Rule{Use: "a", When: "code", Examples: spoor.Phrases{fmt.Sprint("x", i)}})
	}
	m.Start.Rules = append(m.Start.Rules, spoor.Rule{Use: "a", Match: match.Keywords("y"), Examples: spoor.Phrases{"x"}})
	r := Run(compile(t, m))
	listed, errors := 0, ""
	for _, p := range r.Problems {
		if p.Code == "example-misses-own-rule" {
			listed++
			if p.Level == Error {
				errors += string(p.Ref)
			}
		}
	}
	if listed != mostOfOne || errors != "start.rules[200].examples[0]" || r.OK {
		t.Errorf("%d problems are listed, and of errors %q; ok %v", listed, errors, r.OK)
	}
	if !strings.Contains(strings.Join(r.Notes, "\n"), "more problems example-misses-own-rule") {
		t.Errorf("no note says that there are more: %q", r.Notes)
	}
}

// TestTree holds that of the wiring of a tree nothing is asked.
func TestTree(t *testing.T) {
	r := Run(compile(t, &spoor.Map{Skills: skills(2), Tree: &spoor.Tree{
		When: "code", WhenTrue: &spoor.Tree{Skill: "a"}, WhenFalse: &spoor.Tree{Skill: "b"},
	}}))
	if !r.OK || len(r.Problems) > 0 || len(r.Notes) > 0 {
		t.Errorf("%+v", r)
	}
}
