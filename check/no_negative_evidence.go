package check

import (
	"fmt"

	"github.com/spoorhq/spoor"
)

var noNegativeEvidence = Rule{
	Code:  "no-negative-evidence",
	Level: Advice,
	Doc: `Three ways to start or more have a condition, and nothing tests what they claim: no rule has examples, and
there is no phrase under neverRoutes. A keyword that claims too much stays unnoticed until a person complains.

Examples of an intent teach the classifier and test nothing; they do not count. It is not seen whether there are cases
in a file of their own.

Write an example or two to each rule, and under neverRoutes messages that none of them may claim.`,
	Example: `
skills:
  - {id: billing}
  - {id: returns}
  - {id: repairs}
start:
  rules:  # want no-negative-evidence
    - {use: billing, match: {keywords: [bill]}}
    - {use: returns, match: {keywords: [parcel]}}
    - {use: repairs, match: {keywords: [broken]}}
steps:
  - {from: billing, to: returns, onToolStatus: denied}
  - {from: returns, to: repairs, onToolStatus: failure}
`,
	judge: func(s *subject) {
		conditional := conditionals(s.starts)
		if len(conditional) < fewEntries || len(s.m.NeverRoutes) > 0 {
			return
		}
		for _, start := range conditional {
			if len(start.Examples) > 0 {
				return
			}
		}
		hint := "give the rules examples, or write phrases under neverRoutes that none of them may claim"
		if s.m.Start.Entries != nil {
			hint = "write phrases under neverRoutes that none of them may claim"
		}
		s.found(spoor.Problem{
			Ref:     startsRef(s.starts),
			Message: fmt.Sprintf("nothing tests what the %d ways to start claim that have a condition: there is no example and no neverRoutes", len(conditional)),
			Hint:    hint,
		})
	},
}
