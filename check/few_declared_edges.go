package check

import (
	"fmt"

	"github.com/spoorhq/spoor"
)

var fewDeclaredEdges = Rule{
	Code:  "few-declared-edges",
	Level: Advice,
	Doc: `A map has fewer than one step for four skills, so it hardly says how the work goes on: most moves are left to
the model, or do not happen.

Bare steps count as steps. A tree, and a map of fewer than five skills, are not looked at.

Declare the moves that you know of. If the skills really have nothing to do with each other, leave it.`,
	Example: `
skills:  # want few-declared-edges
  - {id: triage, description: Sort a request.}
  - {id: billing, description: Answer a question about a bill.}
  - {id: returns, description: Take a parcel back.}
  - {id: repairs, description: Mend what is broken.}
  - {id: farewell, description: Say goodbye.}
start: {entries: [triage, billing, returns, repairs, farewell]}
`,
	judge: func(s *subject) {
		skills, steps := len(s.m.Skills), len(s.m.Steps)
		if skills > fewSkills && s.m.Tree == nil && 4*steps < skills {
			s.found(spoor.Problem{
				Ref:     "steps",
				Message: fmt.Sprintf("there is less than one step for four skills: %s for %s", count(steps, "step"), count(skills, "skill")),
				Hint:    "declare the moves that you know of",
			})
		}
	},
}
