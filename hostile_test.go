package spoor_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/match"
)

// What a map takes to compile is bounded, whatever is in it: each of these
// would otherwise take minutes, or gigabytes.
func TestHostileMaps(t *testing.T) {
	skills := func(n int) *spoor.Map {
		m := &spoor.Map{}
		for i := range n {
			m.Skills = append(m.Skills, spoor.Skill{ID: fmt.Sprint("skill-", i)})
		}
		return m
	}
	for _, c := range []struct {
		what string
		m    func() *spoor.Map
		last string // of the problems
		n    int
	}{
		{"a name that was meant is looked for a hundred times", func() *spoor.Map {
			m := skills(20_000)
			for i := range 20_000 {
				m.Steps = append(m.Steps, spoor.Step{From: "skill-0", To: fmt.Sprint("skil-", i)})
			}
			return m
		}, `steps[19999].to: unknown-skill: there is no skill "skil-19999" (declare it under skills, or correct the name)`, 20_000},
		{"regexes together", func() *spoor.Map {
			m := skills(1)
			for range 1000 {
				m.Start.Rules = append(m.Start.Rules, spoor.Rule{Use: "skill-0", Match: match.Regex("(abcdefghi){900}")})
			}
			return m
		}, "the regexes up to here compile to more than 2097152 instructions together (lower the repeat counts, or list words as keywords)", 1},
		{"conditions together", func() *spoor.Map {
			m := skills(1)
			for range 1000 {
				m.Start.Rules = append(m.Start.Rules, spoor.Rule{Use: "skill-0", When: "userMessage == '" + strings.Repeat("x", 4000) + "'"})
			}
			return m
		}, "the conditions up to here are too many, or too long together (use guards and matchers, which take less)", 1},
		{"conditions with faults", func() *spoor.Map {
			m := skills(1)
			for range 5000 {
				m.Start.Rules = append(m.Start.Rules, spoor.Rule{Use: "skill-0", When: "userMessage = 'x'"})
			}
			return m
		}, "100 conditions cannot be read; those after this one were not looked at (correct the others first)", 101},
		{"a deep tree", func() *spoor.Map {
			m := skills(1)
			m.Tree = &spoor.Tree{Skill: "skill-0"}
			for range 100_000 {
				m.Tree = &spoor.Tree{When: "true", WhenTrue: m.Tree, WhenFalse: &spoor.Tree{Skill: "skill-0"}}
			}
			return m
		}, "tree-leaves: the tree has over 100000 nodes, or over 500 decisions on a path (split the map)", 1},
		{"a tree that is its own branch", func() *spoor.Map {
			m := skills(1)
			m.Tree = &spoor.Tree{When: "true"}
			m.Tree.WhenTrue, m.Tree.WhenFalse = m.Tree, m.Tree
			return m
		}, "the conditions up to here are too many, or too long together (use guards and matchers, which take less)", 2},
	} {
		t.Run(c.what, func(t *testing.T) {
			_, err := spoor.Compile(c.m(), cond.CEL)
			problems, _ := err.(spoor.Problems)
			if len(problems) != c.n || !strings.HasSuffix(problems[len(problems)-1].String(), c.last) {
				t.Errorf("%d problems, the last is %v", len(problems), problems[max(len(problems)-1, 0):])
			}
		})
	}
}
