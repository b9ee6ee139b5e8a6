package check

import (
	"fmt"
	"slices"
)

var overlappingRules = Rule{
	Code:  "overlapping-rules",
	Level: Warning,
	Doc: `Two start rules of different skills share a keyword. A message that has it is claimed by the earlier rule, whatever
else it says.

Keywords are compared without regard to case. It is not seen whether a message with the word ever has another one of
the later rule, nor what two regexes, or parts of an all, have in common.

Take the word out of one of them, or see that the order is meant.`,
	Example: `
skills:
  - {id: refund}
  - {id: billing}
start:
  rules:
    - {use: refund, match: {keywords: [refund, charged twice]}}
    - {use: billing, match: {keywords: [invoice, charged twice]}}  # want overlapping-rules
`,
	judge: func(s *subject) {
		for _, p := range s.pairs().overlapping {
			if !s.found(s.problem(p,
				fmt.Sprintf("%s has the keyword %q too, and is asked first", s.start(p.earlier), s.shared(p)),
				"take the word out of one of them, or see that the order is meant",
			)) {
				return
			}
		}
	},
}

// shared is the first keyword of the later rule that the earlier one has too.
func (s *subject) shared(p pair) string {
	for earlier := range s.starts[p.earlier].Match.Parts() {
		for later := range s.starts[p.later].Match.Parts() {
			for _, word := range later.Keywords {
				if _, has := slices.BinarySearch(earlier.Keywords, word); has {
					return word
				}
			}
		}
	}
	return ""
}
