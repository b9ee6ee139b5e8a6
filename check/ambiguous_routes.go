package check

import (
	"fmt"

	"github.com/spoorhq/spoor"
)

var ambiguousRoutes = Rule{
	Code:  "ambiguous-routes",
	Level: Warning,
	Doc: `Two or more steps out of one skill are taken by themselves. If one result meets both, the first declared wins;
if one batch has a result for each, the first result wins.

It is not seen whether one result can meet two of them: steps for different tools or statuses, or with guards that
exclude each other, are reported too.

Read them in their order. Where that is meant, leave it.`,
	Example: `
skills:
  - {id: look}
  - {id: repair}
  - {id: replace}
start: look
steps:
  - {from: look, to: repair, onToolReturn: read_port}
  - {from: look, to: replace, onToolStatus: failure}  # want ambiguous-routes
`,
	parts: true,
	judge: func(s *subject) {
		firm := map[string]int{} // by skill: its first firm step out, from 1; -1: it was reported
		for i := range s.m.Steps {
			step := &s.m.Steps[i]
			switch first := firm[step.From]; {
			case first < 0 || step.Bare():
			case first == 0:
				firm[step.From] = i + 1
			default:
				firm[step.From] = -1
				from := step.From
				if !s.found(spoor.Problem{
					Ref: spoor.Ref("steps").At(i), From: from,
					Message: fmt.Sprintf("more than one step out of %q is taken by itself, first steps[%d], which wins where a result meets both", from, first-1),
					Hint:    "see that the order is meant; steps that no result meets both are reported too",
				}) {
					return
				}
			}
		}
	},
}
