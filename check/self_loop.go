package check

import (
	"fmt"

	"github.com/spoorhq/spoor"
)

var selfLoop = Rule{
	Code:  "self-loop",
	Level: Warning,
	Doc: `A step leads from a skill to itself. The walk stays where it is: the step only hides the steps
declared after it from the results that it takes, and a bare one does nothing.

It is not seen whether the step is there to win over a later one on purpose.

Drop the step; to win over a later one, give that one a guard.`,
	Example: `
skills:
  - {id: look}
  - {id: repair}
start: look
steps:
  - {from: look, to: look, onToolReturn: read_port}  # want self-loop
  - {from: look, to: repair, onToolReturn: read_port, guard: {errors: {gt: 10}}}  # want ambiguous-routes
`,
	parts: true,
	judge: func(s *subject) {
		for i, step := range s.m.Steps {
			if step.From == step.To && !s.found(spoor.Problem{
				Ref: spoor.Ref("steps").At(i), From: step.From, To: step.To,
				Message: fmt.Sprintf("a step leads from %q to itself", step.From),
				Hint:    "drop it, or lead it elsewhere",
			}) {
				return
			}
		}
	},
}
