package check

import (
	"fmt"

	"github.com/spoorhq/spoor"
)

var neverRoutesContradictsExample = Rule{
	Code:  "never-routes-contradicts-example",
	Level: Error,
	Doc: `A phrase that no start rule may claim is an example of one, of an intent too. The map asserts both.

Phrases are compared without regard to case and to how they are spaced. Whether a rule claims the phrase is not asked
as long as the two contradict each other.

Drop one of them.`,
	Example: `
skills:
  - {id: refund}
start:
  rules:
    - {use: refund, match: {keywords: [refund]}, examples: Refund please}
neverRoutes:
  - refund please  # want never-routes-contradicts-example
`,
	judge: func(s *subject) {
		if len(s.phrases()) > 0 {
			s.note("Phrases of neverRoutes were held against the start rules alone. Not covered: intents that a classifier judges, " +
				"entries that a scorer ranks or the model reads, and skills that the model opens with read_skill.")
		}
		for i, p := range s.phrases() {
			if p.example >= 0 && !s.found(spoor.Problem{
				Ref: spoor.Ref("neverRoutes").At(i), Skill: s.starts[p.example].Use, Example: p.text,
				Message: fmt.Sprintf("%q may start nowhere and is an example of %s", short(p.text), s.start(p.example)),
				Hint:    "drop one of them",
			}) {
				return
			}
		}
	},
}
