package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/tool"
	"github.com/spoorhq/spoor/tool/fixed"
)

// readSkill is the tool of the walk itself.
const readSkill = "read_skill"

// fixedTools makes the tools of a map file, and says what is wrong with them.
// A tool that is wrong is among them by its name, so that nothing else is said
// to be wrong because of it.
func fixedTools(f *mapfile.File) (tools []tool.Tool, problems spoor.Problems) {
	for i, declared := range f.Tools {
		t := fixed.Tool{Name: declared.Name, Description: declared.Description, InputSchema: declared.InputSchema}
		for _, r := range declared.Results {
			t.Results = append(t.Results, fixed.Case(r))
		}
		made, faults := fixed.New(t)
		for _, fault := range faults {
			problems = append(problems, spoor.Problem{
				Level: "error", Code: "bad-tool", Ref: spoor.Ref("tools").At(i).Key(fault.At), Message: fault.Message, Hint: fault.Hint,
			})
		}
		if t.Name == readSkill {
			problems = append(problems, spoor.Problem{
				Level: "error", Code: "bad-tool", Ref: spoor.Ref("tools").At(i).Key("name"),
				Message: fmt.Sprintf("the name %s belongs to the walk itself", readSkill), Hint: "rename it",
			})
		}
		if faults != nil {
			made = tool.Tool{Name: t.Name, Call: func(context.Context, string) (tool.Result, error) {
				return tool.Result{}, errors.New("it cannot be called")
			}}
		}
		tools = append(tools, made)
	}
	return tools, problems
}

// toolNames lists the tools that a map file names as there.
func toolNames(f *mapfile.File) (names []string) {
	for _, s := range f.Map.Skills {
		names = append(names, s.Tools...)
	}
	for _, s := range f.Agent.Skills {
		names = append(names, s.Tools...)
	}
	names = append(names, f.Map.KnownTools...)
	for _, t := range f.Tools {
		names = append(names, t.Name)
	}
	return names
}
