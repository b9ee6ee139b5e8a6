package check

import (
	"fmt"

	"github.com/spoorhq/spoor"
)

var deadEntryStep = Rule{
	Code:  "dead-entry-step",
	Level: Warning,
	Doc: `A start rule stands after one without a condition, which claims every message, so no turn starts by it. Its
skill has steps out that are taken by themselves, and none in: what was to start there does not.

It is not seen whether an earlier rule starts the same skill, and whether the model chooses it.

Put the rule before the one without a condition, or give that one a condition.`,
	Example: `
skills:
  - {id: general}
  - {id: look}
  - {id: repair}
start:
  rules:
    - {use: general}  # want multi-entry-fanout
    - {use: look, match: {keywords: [port]}}  # want dead-entry-step
steps:
  - {from: look, to: repair, onToolReturn: read_port}
`,
	judge: func(s *subject) {
		first := s.unconditional()
		if first < 0 || s.g.Selection() != "" {
			return
		}
		roads := s.roads()
		dead := map[string]bool{}
		for i := range s.m.Skills {
			if roads.out[i] && !roads.in[i] {
				dead[s.m.Skills[i].ID] = true
			}
		}
		for _, r := range s.starts[first+1:] {
			if dead[r.Use] && !s.found(spoor.Problem{
				Ref: r.Ref, Skill: r.Use, From: r.Use,
				Message: fmt.Sprintf("no turn starts %q by this rule, since %s claims every message before it, "+
					"and no step leads to it by itself: its own steps wait for another way in", r.Use, s.start(first)),
				Hint: "put the rule first, or give the other one a condition",
			}) {
				return
			}
		}
	},
}
