package check

import "fmt"

var exampleShadowedByDefault = Rule{
	Code:  "example-shadowed-by-default",
	Level: Warning,
	Doc: `A message that the author gave as an example of a start rule starts the turn elsewhere, because an earlier rule
has no condition and claims every message.

Two readings of the rules differ here. By declared order, which a cold start follows, the rule without a condition
wins. In a cascade, where such rules are passed over (a classifier, or a conversation that goes on), no earlier rule
claims the message.

Put the rule without a condition last, or give it a condition.`,
	Example: `
skills:
  - {id: general}
  - {id: refund}
start:
  rules:
    - {use: general}  # want multi-entry-fanout
    - use: refund
      match: {keywords: [refund]}
      examples: I want a refund  # want example-shadowed-by-default
`,
	judge: func(s *subject) {
		for _, c := range s.claims() {
			if shadowed, byDefault := c.shadow(s.starts); shadowed && byDefault && !s.found(c.problem(s,
				fmt.Sprintf("the example %q of %s starts a turn in %s, which has no condition (iteration 1, no history, no cursor): "+
					"by declared order that one wins, in a cascade no earlier rule claims it", short(c.text(s)), s.start(c.owner), s.start(c.winner)),
				"put the rule without a condition last, or give it a condition",
			)) {
				return
			}
		}
	},
}
