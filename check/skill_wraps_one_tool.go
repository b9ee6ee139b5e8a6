package check

import (
	"fmt"
	"strings"

	"github.com/spoorhq/spoor"
)

var skillWrapsOneTool = Rule{
	Code:  "skill-wraps-one-tool",
	Level: Advice,
	Doc: `A skill has one tool and a body of fewer than 25 words. There is little in it that the description of the
tool could not say, and each skill more makes the choice among them harder.

A map of fewer than five skills is not looked at. Words are counted, not weighed.

Give the tool to the skill that needs it, or let the body say what a description cannot: when to call the tool, what
to make of its answer, when to stop.`,
	Example: `
skills:
  - {id: triage, tools: [rate_risk, find_order]}
  - id: weather  # want skill-wraps-one-tool
    body: Look up the weather.
    tools: [get_weather]
  - {id: billing}
  - {id: returns}
  - {id: farewell}
start: triage
steps:
  - {from: triage, to: weather, onToolReturn: find_order}
  - {from: weather, to: billing, onToolReturn: get_weather}
  - {from: billing, to: returns, onToolStatus: denied}
  - {from: returns, to: farewell, onToolStatus: success}
`,
	parts: true,
	judge: func(s *subject) {
		const fewWords = 25
		if len(s.m.Skills) <= fewSkills {
			return
		}
		for i, skill := range s.m.Skills {
			if len(skill.Tools) != 1 {
				continue
			}
			words := 0
			for range strings.FieldsSeq(skill.Body) {
				if words++; words == fewWords {
					break
				}
			}
			if words < fewWords && !s.found(spoor.Problem{
				Ref: spoor.Ref("skills").At(i), Skill: skill.ID,
				Message: fmt.Sprintf("skill %q is the tool %q and %s about it", skill.ID, short(skill.Tools[0]), count(words, "word")),
				Hint:    "give the tool to the skill that needs it, or say here when and how to use it",
			}) {
				return
			}
		}
	},
}
