package check

import (
	"fmt"

	"github.com/spoorhq/spoor"
)

var neverRoutesClaimed = Rule{
	Code:  "never-routes-claimed",
	Level: Error,
	Doc: `A start rule claims a phrase that none may claim.

Phrases are held against a cold start: the first iteration, with no history, no result and no cursor. A condition that
fails claims nothing. Intents are not asked; nor is it seen what the model makes of the phrase.

Narrow the rule: a longer keyword, or an all with one more part.`,
	Example: `
skills:
  - {id: orders}
start:
  rules:
    - {use: orders, match: {keywords: [order]}}
neverRoutes:
  - in order to log in  # want never-routes-claimed
`,
	judge: func(s *subject) {
		for i, p := range s.phrases() {
			if p.first >= 0 && !s.found(spoor.Problem{
				Ref: spoor.Ref("neverRoutes").At(i), Skill: s.starts[p.first].Use, Example: p.text,
				Message: fmt.Sprintf("%q may start nowhere, and %s claims it on a cold start (iteration 1, no history, no cursor)", short(p.text), s.start(p.first)),
				Hint:    "narrow the rule, or drop the phrase",
			}) {
				return
			}
		}
	},
}
