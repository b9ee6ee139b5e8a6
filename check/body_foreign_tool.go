package check

import (
	"fmt"
)

var bodyForeignTool = Rule{
	Code:  "body-foreign-tool",
	Level: Warning,
	Doc: `The body of a skill names a tool that other skills list and this one does not. Where tools are scoped the
model is told to call a tool that it is not offered; where they are not, the reader of the map is misled.

A name counts where it stands as a word: open_claim is not in open_claims. Tools under knownTools, those of the
agent and read_skill are everybody's, and never reported. It is not seen what the sentence around the name says;
"never use open_claim" is reported too.

List the tool under the skill, or under knownTools if every skill may use it, or take it out of the body.`,
	Example: `
skills:
  - id: parcels
    body: Call track_parcel. If the parcel is lost, use open_claim.  # want body-foreign-tool
    tools: [track_parcel]
  - id: claims
    tools: [open_claim]
start: parcels
steps:
  - {from: parcels, to: claims, onToolReturn: track_parcel}
`,
	parts: true,
	judge: func(s *subject) {
		var (
			number  = map[string]int{} // of each name
			names   []string
			listing []string // the first skill that lists each
		)
		for _, skill := range s.m.Skills {
			for _, tool := range skill.Tools {
				if _, again := number[tool]; !again {
					number[tool] = len(names)
					names, listing = append(names, tool), append(listing, skill.ID)
				}
			}
		}
		everybodys := make([]bool, len(names))
		for _, tool := range append([]string{"", readSkill}, s.m.KnownTools...) {
			if n, ok := number[tool]; ok {
				everybodys[n] = true
			}
		}
		lists := make([]int, len(names)) // the last skill that was seen to list each, from 1
		f := newFinder(names)
		for i := range s.m.Skills {
			skill := &s.m.Skills[i]
			for _, tool := range skill.Tools {
				lists[number[tool]] = i + 1
			}
			for _, found := range f.find(skill.Body) {
				n := found.name
				if everybodys[n] || lists[n] == i+1 {
					continue
				}
				message := fmt.Sprintf("the body of %q names the tool %q of the skill %q", skill.ID, names[n], listing[n])
				hint := fmt.Sprintf("list it under the tools of %q, or under knownTools", skill.ID)
				if !s.found(inBody(i, skill, found.at, message, hint)) {
					return
				}
			}
		}
	},
}
