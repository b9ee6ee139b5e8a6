package check

import (
	"fmt"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/internal/phrase"
)

var duplicateIntentExample = Rule{
	Code:  "duplicate-intent-example",
	Level: Warning,
	Doc: `Two intents have the same example, so a classifier learns that one message wants both.

Phrases are compared without regard to case and to how they are spaced. Examples that say the same in other words are
not seen; the audit of intents finds those that are too close for the scorer.

Keep the example where it belongs.`,
	Example: `
skills:
  - {id: refund}
  - {id: billing}
start:
  rules:
    - {use: refund, match: {intent: wants money back, examples: [I was charged twice]}}
    - use: billing
      match: {intent: asks about a bill, examples: [what is this, i was charged twice]}  # want duplicate-intent-example
  classify: keyword
`,
	parts: true,
	judge: func(s *subject) {
		first := map[string]int{} // the intent that has an example first, by its key
		for i, r := range s.m.Start.Rules {
			if r.Match.Intent == nil {
				continue
			}
			for j, example := range r.Match.Examples {
				k := phrase.Key(example)
				owner, taken := first[k]
				if !taken {
					first[k] = i
				}
				from := s.m.Start.Rules[owner].Use
				if taken && owner != i && !s.found(spoor.Problem{
					Ref: s.starts[i].Ref.Key("match.examples").At(j), Skill: r.Use, From: from, To: r.Use,
					Message: fmt.Sprintf("%q is an example of %s too, so a classifier learns that it wants both", short(example), s.start(owner)),
					Hint:    "keep it where it belongs",
				}) {
					return
				}
			}
		}
	},
}
