package check

import (
	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/guard"
)

var guardUnsatisfiable = Rule{
	Code:  "guard-unsatisfiable",
	Level: Error,
	Doc: `No result can pass the guard of a step: conditions on one key exclude each other, or no value that the key can
have satisfies one of them. The step is never taken.

The proof is exact for each key. A field of a result may be missing or hold anything; toolName is the exact tool of
the step, if it names one; status is one of the statuses of the step or, if it names none, of the closed set or
missing; iteration is a whole number from 1. It is not seen which fields and values a tool really returns, and nothing
is proved across two keys.

Correct one of the conditions that the message names, or drop the step.`,
	Example: `
skills:
  - {id: look}
  - {id: repair}
start: look
steps:
  - from: look
    to: repair
    onToolReturn: read_port
    guard: {errors: {gt: 10, lt: 5}}  # want guard-unsatisfiable
`,
	parts: true,
	judge: func(s *subject) {
		all := texts(spoor.AllStatuses())
		for i := range s.m.Steps {
			step, g := &s.m.Steps[i], s.guard(i)
			if g == nil {
				continue
			}
			d := guard.Domain{ToolName: string(step.OnToolReturn), Statuses: texts(step.OnToolStatus), AllStatuses: all}
			if _, _, pattern := step.OnToolReturn.Pattern(); pattern {
				d.ToolName = ""
			}
			if reason, never := g.Unsatisfiable(d); never && !s.found(spoor.Problem{
				Ref: spoor.Ref("steps").At(i).Key("guard"), From: step.From, To: step.To,
				Message: "no result can pass this guard: " + reason,
				Hint:    "correct one of the conditions, or drop the step",
			}) {
				return
			}
		}
	},
}

// guard is that of a step; nil if it has none, or one with faults.
func (s *subject) guard(step int) *guard.Compiled {
	if s.g != nil {
		return s.g.StepGuard(step)
	}
	if s.m.Steps[step].Guard == nil {
		return nil
	}
	g, faults := guard.Compile(s.m.Steps[step].Guard, s.m.Scales)
	if faults != nil {
		return nil
	}
	return g
}

// texts are statuses as guard has them.
func texts(statuses []spoor.Status) []string {
	list := make([]string, len(statuses))
	for i, s := range statuses {
		list[i] = string(s)
	}
	return list
}
