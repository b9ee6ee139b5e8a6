package check

import (
	"fmt"

	"github.com/spoorhq/spoor"
)

var exampleUnclaimed = Rule{
	Code:  "example-unclaimed",
	Level: Warning,
	Doc: `No start rule claims a message that the author of one gave as an example: a turn that begins with it starts in no
skill by the rules. Intents claim nothing here, since a classifier judges them.

Examples are held against a cold start: the first iteration, with no history, no result and no cursor. What a
classifier or the model then makes of the message is not seen.

Widen the rule, or correct the example.`,
	Example: `
skills:
  - {id: refund}
start:
  rules:
    - use: refund
      match: {keywords: [refund]}
      examples: give me my money back  # want example-misses-own-rule example-unclaimed
`,
	judge: func(s *subject) {
		if s.boundElsewhere() != nil {
			return // one of these rules may claim it
		}
		for _, c := range s.claims() {
			if c.winner < 0 && !s.found(spoor.Problem{
				Ref: c.ref(s), Skill: s.starts[c.owner].Use, Example: c.text(s),
				Message: fmt.Sprintf("no rule claims the example %q of %s on a cold start (iteration 1, no history, no cursor)", short(c.text(s)), s.start(c.owner)),
				Hint:    "widen the rule, or correct the example",
			}) {
				return
			}
		}
	},
}
