package check

import "fmt"

var exampleShadowedByEarlier = Rule{
	Code:  "example-shadowed-by-earlier",
	Level: Error,
	Doc: `A message that the author gave as an example of one start rule is claimed by an earlier rule of another skill, so
the turn starts there.

Examples are held against a cold start: the first iteration, with no history, no result and no cursor. It proves the
examples and nothing else.

Put the narrower rule first, or take out what the earlier one matches by mistake.`,
	Example: `
skills:
  - {id: orders}
  - {id: refund}
start:
  rules:
    - {use: orders, match: {keywords: [order]}}
    - use: refund
      match: {keywords: [refund]}
      examples: refund my order  # want example-shadowed-by-earlier
`,
	judge: func(s *subject) {
		for _, c := range s.claims() {
			shadowed, byDefault := c.shadow(s.starts)
			if !shadowed || byDefault {
				continue
			}
			message := fmt.Sprintf("%s claims the example %q of %s on a cold start (iteration 1, no history, no cursor)",
				s.start(c.winner), short(c.text(s)), s.start(c.owner))
			if c.first != c.winner {
				message += fmt.Sprintf("; so would %s, if the first had a condition", s.start(c.first))
			}
			if !s.found(c.problem(s, message, "put the narrower rule first, or narrow the earlier one")) {
				return
			}
		}
	},
}
