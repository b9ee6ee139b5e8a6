package check

import (
	"fmt"

	"github.com/spoorhq/spoor"
)

var modelEdgeOnly = Rule{
	Code:  "model-edge-only",
	Level: Warning,
	Doc: `Nothing but the model's choice leads to a skill: no start, and no step that is taken by itself from a skill that
is reached; but a bare step leads there. Whether the walk ever comes there is up to the model.

It is not seen whether a step that is taken by itself ever fires, and whether the model's choice is meant.

Give the step what takes it: onToolReturn, onToolStatus, a guard or a when. If the model is to choose, leave it.`,
	Example: `
skills:
  - {id: look}
  - {id: repair}
start: look
steps:
  - {from: look, to: repair}  # want model-edge-only
`,
	judge: func(s *subject) {
		roads := s.roads()
		for i, step := range roads.bareIn {
			if step < 0 || roads.reached[i] {
				continue
			}
			to, from := s.m.Skills[i].ID, s.m.Steps[step].From
			message := fmt.Sprintf("only the model's choice leads to %q, by a bare step from %q", to, from)
			if roads.in[i] {
				message += "; the steps that lead there by themselves leave skills that are not reached"
			}
			if !s.found(spoor.Problem{
				Ref: spoor.Ref("steps").At(step), Skill: to, From: from, Message: message,
				Hint: "give the step a tool, a status, a guard or a when, unless the model is to choose",
			}) {
				return
			}
		}
	},
}
