package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
)

var oneWayEntries = Rule{
	Code:  "one-way-entries",
	Level: Advice,
	Doc: `More than half of the ways to start that have a condition lead to a skill that no step leaves. A turn that
starts there by mistake ends there: a wrong guess on the first message cannot be made good by what a tool returns.

Each rule or entry counts, an intent too, and any step out of its skill will do, a bare one too. A map with fewer than
three of them is not looked at. It is not seen whether the work is done where it starts.

Give the skills a step for the result that shows that they are the wrong place.`,
	Example: `
skills:
  - {id: billing}
  - {id: returns}
  - {id: repairs}
start:
  rules:  # want one-way-entries
    - {use: billing, match: {keywords: [bill]}, examples: [where is my bill]}
    - {use: returns, match: {keywords: [parcel]}}
    - {use: repairs, match: {keywords: [broken]}}
steps:
  - {from: billing, to: returns, onToolStatus: denied}
`,
	judge: func(s *subject) {
		conditional := conditionals(s.starts)
		if len(conditional) < fewEntries {
			return
		}
		leaves := map[string]bool{}
		for _, step := range s.m.Steps {
			leaves[step.From] = true
		}
		var ends []string
		seen, one := map[string]bool{}, 0
		for _, start := range conditional {
			if leaves[start.Use] {
				continue
			}
			one++
			if !seen[start.Use] {
				seen[start.Use] = true
				ends = append(ends, start.Use)
			}
		}
		if 2*one > len(conditional) {
			s.found(spoor.Problem{
				Ref:     startsRef(s.starts),
				Message: fmt.Sprintf("of %d ways to start that have a condition, %d lead where no step leaves: %s", len(conditional), one, listed(ends)),
				Hint:    "give these skills a step for the result that shows that they are the wrong place",
			})
		}
	},
}

// fewEntries is from how many conditional starts on advice about them makes
// sense.
const fewEntries = 3

// conditionals are the ways to start that have a condition.
func conditionals(starts []spoor.StartRule) []spoor.StartRule {
	return slices.DeleteFunc(slices.Clone(starts), func(r spoor.StartRule) bool { return !r.Conditional() })
}

// startsRef is the address of the list that ways to start stand in.
func startsRef(starts []spoor.StartRule) spoor.Ref {
	list, _, _ := strings.Cut(string(starts[0].Ref), "[")
	return spoor.Ref(list)
}
