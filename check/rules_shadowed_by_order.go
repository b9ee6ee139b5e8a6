package check

import (
	"fmt"

	"github.com/spoorhq/spoor"
)

var rulesShadowedByOrder = Rule{
	Code:  "rules-shadowed-by-order",
	Level: Warning,
	Doc: `An earlier start rule claims every message that a later one claims, so the later one starts nothing: the earlier
has all keywords of the later, or the same regex with the same flags, or each of its parts is as wide as some part of
the later.

Only the text of the matchers is compared. It is not seen that one regex finds all that another one finds, nor that a
regex finds a keyword.

Put the narrower rule first, or drop it.`,
	Example: `
skills:
  - {id: billing}
  - {id: refund}
start:
  rules:
    - {use: billing, match: {keywords: [invoice, refund]}}
    - {use: refund, match: {keywords: [refund]}}  # want rules-shadowed-by-order
`,
	judge: func(s *subject) {
		for _, p := range s.pairs().shadowed {
			if !s.found(s.problem(p,
				fmt.Sprintf("%s claims every message that this rule claims, and is asked first", s.start(p.earlier)),
				"put the narrower rule first, or drop it",
			)) {
				return
			}
		}
	},
}

// problem is what a pair of rules has.
func (s *subject) problem(p pair, message, hint string) spoor.Problem {
	earlier, later := &s.starts[p.earlier], &s.starts[p.later]
	return spoor.Problem{
		Ref: later.Ref.Key("match"), Skill: later.Use, From: earlier.Use, To: later.Use, Message: message, Hint: hint,
	}
}
