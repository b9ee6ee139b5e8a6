package check

import (
	"fmt"

	"github.com/spoorhq/spoor"
)

var unreachableSkill = Rule{
	Code:  "unreachable-skill",
	Level: Warning,
	Doc: `Nothing that the map declares leads to a skill: no start, no bare step, and no step that is taken by itself from
a skill that is reached.

A skill to which no step leads at all is open: the model can read it from anywhere, which moves nothing. It is
reported all the same, since a map does not say whether that is meant. It is not seen whether a step on the way to a
reached skill ever fires.

Lead a step to it, start turns in it, or drop it.`,
	Example: `
skills:
  - {id: look}
  - {id: repair}  # want unreachable-skill
start: look
`,
	judge: func(s *subject) {
		if s.m.Tree != nil {
			return
		}
		roads := s.roads()
		for i, reached := range roads.reached {
			if reached || roads.bareIn[i] >= 0 {
				continue
			}
			id := s.m.Skills[i].ID
			message, hint := fmt.Sprintf("no start and no step leads to %q", id), "lead a step to it from a skill that is reached, or let a rule start in it"
			switch {
			case s.g.Open(id):
				message += ": it is open, and only read_skill reaches it"
				hint = "leave it if that is meant; else " + hint
			case roads.in[i]:
				message = fmt.Sprintf("no step leads to %q but from skills that are not reached themselves, or from itself", id)
			}
			if !s.found(spoor.Problem{
				Ref: spoor.Ref("skills").At(i), Skill: id,
				Message: message, Hint: hint,
			}) {
				return
			}
		}
	},
}
