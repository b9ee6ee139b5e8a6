package check

import (
	"fmt"
	"slices"

	"github.com/spoorhq/spoor/internal/nearest"
)

var bodyUnknownTool = Rule{
	Code:  "body-unknown-tool",
	Level: Warning,
	Doc: `The body of a skill calls something that no skill lists, knownTools does not name and the agent does not
have. The model will try to call it, and be refused.

A call is a name of lower-case words with underscores between them, and a parenthesis behind it:
open_claim(id). A name without a parenthesis or without an underscore is not looked at. It is not seen whether the
name is of a tool at all: date_trunc('day') in a piece of SQL is reported too.

Correct the name, list the tool, or name it under knownTools if the agent brings it.`,
	Example: `
skills:
  - id: parcels
    body: Call track_parcel(id), then trak_parcel(id) once more.  # want body-unknown-tool
    tools: [track_parcel]
start: parcels
`,
	parts: true,
	judge: func(s *subject) {
		known := map[string]bool{}
		var names []string
		add := func(tools ...string) {
			for _, tool := range tools {
				if !known[tool] {
					known[tool], names = true, append(names, tool)
				}
			}
		}
		for _, skill := range s.m.Skills {
			add(skill.Tools...)
		}
		add(s.m.KnownTools...)
		add(s.tools...)
		add(readSkill)
		for i := range s.m.Skills {
			skill := &s.m.Skills[i]
			said := map[string]bool{}
			for name, at := range calls(skill.Body) {
				if known[name] || said[name] {
					continue
				}
				said[name] = true
				hint := nearest.Hint(name, slices.Values(names))
				if hint == "" {
					hint = "correct the name, list the tool, or name it under knownTools if the agent has it"
				}
				message := fmt.Sprintf("the body of %q calls %q, which is no tool", skill.ID, short(name))
				if !s.found(inBody(i, skill, at, message, hint)) {
					return
				}
			}
		}
	},
}
