// Package fixed makes tools whose results are written down beforehand, for
// demonstrations and tests: the tools of a map file.
package fixed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/internal/expr"
	"github.com/spoorhq/spoor/tool"
)

// A Tool is a tool with fixed results.
type Tool struct {
	Name        string
	Description string
	InputSchema string // JSON Schema of the arguments; if empty, any object is accepted

	// Results are judged in order; the first whose condition holds is the
	// result of a call.
	Results []Case
}

// A Case is one result, and when it is given; or a question to a person, and
// when it is asked.
type Case struct {
	// If is a condition in CEL over args, the arguments of the call, and answer:
	// what a person said to its last question, "" if nothing was asked. If empty,
	// it always holds. One that fails does not hold.
	If string

	// Result is JSON text. A string is told to the model as plain text,
	// everything else as it stands here; the result envelope is read as from
	// any tool.
	Result string

	Status spoor.Status // if empty, none is declared

	// Ask is a question to a person, in place of a result: the call waits for
	// the answer, and its cases are judged again then. What stands in ${…} is
	// CEL, as If is. A question needs an If, or it is asked for ever.
	Ask string
}

// A Fault is one thing that is wrong with a Tool.
type Fault struct {
	At      string // the path: results[1].if
	Message string
	Hint    string // what to do about it, if that is known
}

func (f Fault) String() string {
	s := f.At + ": " + f.Message
	if f.Hint != "" {
		s += " (" + f.Hint + ")"
	}
	return s
}

var env = expr.New(expr.Var{Name: "args", Type: expr.Any}, expr.Var{Name: "answer", Type: expr.String})

// A call is what conditions see.
type call struct{ args, answer string }

func (c call) Var(name string) expr.Value {
	if name == "answer" {
		return expr.Text(c.answer)
	}
	return expr.JSONObject(c.args)
}

type outcome struct {
	holds  *expr.Program // nil: always
	result tool.Result
	ask    *expr.Template // nil: it is a result
}

// New makes the tool, or returns all that is wrong with it. The tool is
// repeatable and safe for concurrent use.
func New(t Tool) (tool.Tool, []Fault) {
	var faults []Fault
	fault := func(at, hint, format string, args ...any) {
		faults = append(faults, Fault{at, fmt.Sprintf(format, args...), hint})
	}
	if t.Name == "" {
		fault("name", "write a name", "the tool has no name")
	}
	made := tool.Tool{Name: t.Name, Description: t.Description, Schema: t.InputSchema, Repeatable: true}
	var outcomes []outcome
	made.Call = func(ctx context.Context, args string) (tool.Result, error) {
		if err := ctx.Err(); err != nil {
			return tool.Result{}, err
		}
		answer, _ := tool.Answer(ctx)
		return choose(outcomes, call{args, answer})
	}
	if t.InputSchema != "" {
		var err error
		if made, err = tool.Checked(made); err != nil {
			fault("inputSchema", "write {type: object, properties: {…}}", "%v", err)
		}
	}
	if len(t.Results) == 0 {
		fault("results", "write - result: …", "the tool has no result")
	}
	outcomes = make([]outcome, len(t.Results))
	always := -1
	for i, c := range t.Results {
		at := fmt.Sprintf("results[%d]", i)
		if always >= 0 {
			fault(at, "move the one without a condition to the end", "this result is never given: results[%d] has no condition and stands before it", always)
		}
		if c.If == "" && c.Ask != "" {
			fault(at, "write if: answer == ''", "this question has no condition, so it is asked again whatever the answer is")
		} else if c.If == "" {
			if always < 0 {
				always = i
			}
		} else if prog, err := env.Condition(c.If); err != nil {
			for _, f := range err.(expr.Faults) {
				fault(at+".if", f.Hint, "%d:%d: %s", f.Line, f.Column, f.Message)
			}
		} else {
			outcomes[i].holds = prog
		}
		if c.Status != "" && !c.Status.Valid() {
			fault(at+".status", "success, partial, pending, failure, denied, invalid or absent", "%q is no status", c.Status)
		}
		if c.Ask != "" {
			if c.Result != "" || c.Status != "" {
				fault(at+".ask", "give it a case of its own", "a question stands beside no result and no status")
			}
			var err error
			outcomes[i].ask, err = env.Template(c.Ask)
			if list, ok := errors.AsType[expr.Faults](err); ok {
				for _, f := range list {
					fault(at+".ask", f.Hint, "%d:%d: %s", f.Line, f.Column, f.Message)
				}
			}
		} else if c.Result == "" {
			fault(at+".result", "write result: null for one that says nothing", "there is no result")
		} else if result, err := told(c); err != nil {
			fault(at+".result", "", "the result is not JSON: %v", err)
		} else {
			outcomes[i].result = result
		}
	}
	if faults != nil {
		return tool.Tool{}, faults
	}
	return made, nil
}

// told is what the tool returns.
func told(c Case) (tool.Result, error) {
	var v json.RawMessage
	if err := json.Unmarshal([]byte(c.Result), &v); err != nil {
		return tool.Result{}, err
	}
	r := tool.Result{Text: string(v), Status: c.Status}
	if v[0] != '"' {
		return r, nil
	}
	err := json.Unmarshal(v, &r.Text)
	return r, err
}

// choose returns what the first outcome that holds says.
func choose(outcomes []outcome, c call) (tool.Result, error) {
	var failed []string
	scope := env.Scope(c)
	for i, o := range outcomes {
		holds, err := true, error(nil)
		if o.holds != nil {
			holds, err = o.holds.Bool(scope)
		}
		switch {
		case err != nil:
			failed = append(failed, fmt.Sprintf("results[%d].if could not be judged: %v", i, err))
		case holds && o.ask != nil:
			question, err := o.ask.Text(scope)
			if err != nil {
				return tool.Result{}, fmt.Errorf("results[%d].ask could not be written: %w", i, err)
			}
			return tool.Result{}, &tool.Question{Text: question}
		case holds:
			return o.result, nil
		}
	}
	return tool.Result{}, fmt.Errorf("%s", strings.Join(slices.Insert(failed, 0,
		fmt.Sprintf("no result of this tool is meant for the arguments %s; end its results with one that has no condition", short(c.args))), "; "))
}

func short(s string) string {
	if r := []rune(s); len(r) > 200 {
		return string(r[:199]) + "…"
	}
	return s
}
