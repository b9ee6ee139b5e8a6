package check

import "github.com/spoorhq/spoor"

var noEntry = Rule{
	Code:  "no-entry",
	Level: Error,
	Doc: `The map has no skill in which a turn can start. Rules that stand in start do not help if there is none of them.

An agent does walk a map of skills alone, with every skill open to the model; if that is meant, it is not a map to
check. A tree has no start and is never reported.

Write start: SKILL, or start.rules.`,
	Example: `
skills:
  - {id: look}  # want unreachable-skill
start: {rules: []}  # want no-entry
`,
	judge: func(s *subject) {
		if len(s.starts) == 0 && s.m.Tree == nil {
			s.found(spoor.Problem{
				Ref:     "start",
				Message: "no turn can start, since no skill is an entry",
				Hint:    "write start: SKILL, or list rules under start.rules",
			})
		}
	},
}
