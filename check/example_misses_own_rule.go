package check

import (
	"fmt"

	"github.com/spoorhq/spoor"
)

var exampleMissesOwnRule = Rule{
	Code:  "example-misses-own-rule",
	Level: Error,
	Doc: `A start rule does not claim a message that its author gave as an example. That is an error if the rule has a
match, or a condition that fails on the message, and a warning if its condition says no: it may look at more than the
message.

Examples are held against a cold start: the first iteration, with no history, no result and no cursor. It proves the
examples and nothing else; what users write instead is not seen.

Widen the rule, or correct the example.`,
	Example: `
skills:
  - {id: refund}
start:
  rules:
    - use: refund
      match: {keywords: [refund]}
      examples:
        - I want a refund
        - give me my money back  # want example-misses-own-rule example-unclaimed
`,
	judge: func(s *subject) {
		if len(s.claims()) > 0 {
			s.note("Examples of rules were held against a cold start (iteration 1, no history, no cursor). They prove themselves and no other message.")
		}
		if refs := s.boundElsewhere(); refs != nil && len(s.claims())+len(s.m.NeverRoutes) > 0 {
			s.note("What these rules claim was not checked, since their conditions are bound in another program: %s.", listed(refs))
		}
		for _, level := range []string{Error, Warning} {
			for _, c := range s.claims() {
				r := &s.starts[c.owner]
				is, why := Error, "its match does not find it"
				switch {
				case c.own, c.unknown:
					continue
				case c.failed != nil:
					why = "its condition fails: " + c.failed.Error()
				case r.Match == nil:
					is, why = Warning, "its condition says no"
				}
				if is == level && !s.found(spoor.Problem{
					Level: level, Ref: c.ref(s), Skill: r.Use, Example: c.text(s),
					Message: fmt.Sprintf("%s does not claim its own example %q on a cold start (iteration 1, no history, no cursor): %s", s.start(c.owner), short(c.text(s)), why),
					Hint:    "widen the rule, or correct the example",
				}) {
					return
				}
			}
		}
	},
}
