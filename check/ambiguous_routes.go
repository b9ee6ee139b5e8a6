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
	judge: func(s *subject) {
		roads := s.roads()
		firm := make([]int, len(s.m.Skills)) // by skill: its first firm step out, from 1; -1: it was reported
		for i, e := range roads.ends {
			switch first := firm[e.from]; {
			case e.bare || first < 0:
			case first == 0:
				firm[e.from] = i + 1
			default:
				firm[e.from] = -1
				from := s.m.Skills[e.from].ID
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
