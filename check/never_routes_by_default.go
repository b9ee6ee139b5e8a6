package check

import (
	"fmt"

	"github.com/spoorhq/spoor"
)

var neverRoutesByDefault = Rule{
	Code:  "never-routes-by-default",
	Level: Warning,
	Doc: `A phrase that no start rule may claim can start a turn all the same, in a skill whose rule or entry has no
condition. Where order decides it claims every message; where a scorer, a classifier or the model chooses, nothing keeps
the phrase from it, be it by a menu.

Whether that skill is meant to take what no other one takes is not seen. Phrases are held against a cold start.

Give the rule a condition. If the skill is there for the rest, leave it.`,
	Example: `
skills:
  - {id: general}
start: general
neverRoutes:
  - tell me a joke  # want never-routes-by-default
`,
	judge: func(s *subject) {
		for i, p := range s.phrases() {
			if p.byDefault >= 0 && !s.found(spoor.Problem{
				Ref: spoor.Ref("neverRoutes").At(i), Skill: s.starts[p.byDefault].Use, Example: p.text,
				Message: fmt.Sprintf("%q may start nowhere, and %s has no condition that keeps it out", short(p.text), s.start(p.byDefault)),
				Hint:    "give the rule a condition, unless the skill is there for the rest",
			}) {
				return
			}
		}
	},
}
