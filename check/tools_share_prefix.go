package check

import (
	"fmt"
	"strings"

	"github.com/spoorhq/spoor"
)

// fewSkills is how many skills a map may have before advice on how it is cut
// makes sense.
const fewSkills = 4

var toolsSharePrefix = Rule{
	Code:  "tools-share-prefix",
	Level: Advice,
	Doc: `A skill has three tools or more, and the names of all of them begin with one word that is no verb:
jira_find, jira_open, jira_close. The skill may be cut along the system that the tools belong to, and not along
what a person wants done.

A map of fewer than five skills is not looked at. Only names are; what the tools do is not seen.

Ask what a person comes for, and cut the skills by that. If a person comes for the system itself, leave it.`,
	Example: `
skills:
  - {id: triage, tools: [rate_risk, find_order], body: Sort the request.}
  - id: tickets
    tools: [jira_find, jira_open, jira_close]  # want tools-share-prefix
  - {id: billing}
  - {id: returns}
  - {id: farewell}
start: triage
steps:
  - {from: triage, to: tickets, onToolStatus: failure}
  - {from: tickets, to: billing, onToolReturn: jira_find}
  - {from: billing, to: returns, onToolStatus: denied}
  - {from: returns, to: farewell, onToolStatus: success}
`,
	parts: true,
	judge: func(s *subject) {
		if len(s.m.Skills) <= fewSkills {
			return
		}
		for i, skill := range s.m.Skills {
			word := sharedWord(skill.Tools)
			if len(skill.Tools) < 3 || word == "" || verbs[word] {
				continue
			}
			if !s.found(spoor.Problem{
				Ref: spoor.Ref("skills").At(i).Key("tools"), Skill: skill.ID,
				Message: fmt.Sprintf("all %d tools of %q begin with %q, which names a system and not a task", len(skill.Tools), skill.ID, short(word)),
				Hint:    "cut the skills by what a person wants done",
			}) {
				return
			}
		}
	},
}

// sharedWord is the word that all names begin with, before an underscore and
// in lower case; empty if there is none.
func sharedWord(names []string) (word string) {
	for i, name := range names {
		first, _, ok := strings.Cut(name, "_")
		first = strings.ToLower(first)
		if !ok || first == "" || i > 0 && first != word {
			return ""
		}
		word = first
	}
	return word
}

// verbs are the words that say what a tool does, and not what it belongs to.
var verbs = func() map[string]bool {
	is := map[string]bool{}
	for verb := range strings.FieldsSeq(`
		add apply approve assign build calculate call cancel change check clear
		close compute convert copy count create delete describe disable download
		edit enable fetch find format generate get import insert list load make
		mark merge move open parse post put query read remove rename reset
		resolve run save search send set start stop submit sync update upload
		validate verify write`) {
		is[verb] = true
	}
	return is
}()
