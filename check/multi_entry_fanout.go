package check

import (
	"fmt"

	"github.com/spoorhq/spoor"
)

var multiEntryFanout = Rule{
	Code:  "multi-entry-fanout",
	Level: Warning,
	Doc: `A start rule without a condition stands beside others. Its skill is active in every iteration of every turn,
whatever rule starts it, and the rules declared after it start nothing.

It is not seen whether a skill that is always active is meant: a house style, say.

Give the rule a match or a when; to let a scorer or the model choose, list the skills under start.entries.`,
	Example: `
skills:
  - {id: refund}
  - {id: general}
start:
  rules:
    - {use: refund, match: {keywords: [refund]}}
    - {use: general}  # want multi-entry-fanout
`,
	judge: func(s *subject) {
		if i := s.unconditional(); i >= 0 && len(s.starts) > 1 && s.g.Selection() == "" {
			r := &s.starts[i]
			s.found(spoor.Problem{
				Ref: r.Ref, Skill: r.Use,
				Message: fmt.Sprintf("%q starts without a condition beside other rules, so it is active in every iteration", r.Use),
				Hint:    "give it a match or a when, or list the skills under start.entries",
			})
		}
	},
}
