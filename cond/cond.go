// Package cond finds the conditions that the `when` of a map names or writes
// out in CEL.
//
// In a start rule and in a tree these variables can be judged:
//
//	userMessage     string: the message of this turn
//	iteration       int: from 1 in each turn
//	history         list of {role, content}: the conversation before this turn
//	currentSkillId  string: where the walk stands, "" if nowhere
//	toolResults     list of {toolName, result, status, json}: the results of the iteration before
//
// and in a step also the result that may fire it:
//
//	toolName        string
//	result          string: what the model was told
//	status          string: "" if none was declared
//	json            the result's fields, or null if it is not one JSON object
//
// A number in json is an int if it is written without fraction and exponent;
// ints and doubles compare. See [github.com/spoorhq/spoor.Condition] for what
// becomes of a condition that fails.
package cond

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/internal/expr"
)

// CEL finds conditions that are written out, and knows no names.
var CEL spoor.Conditions = new(Set)

// A Set finds conditions by name, and those written out in CEL. The zero Set
// knows no names. It is safe for concurrent use, and must not be copied or
// changed after its first use.
type Set struct {
	// Funcs are the conditions that a `when` may name. A name is an
	// identifier and not that of a variable.
	Funcs map[string]spoor.Condition

	// AllowUnbound compiles a name that is not bound as a condition that
	// always fails with an [UnboundError], and lists it in Unbound. It is for
	// those who check or draw a map and never walk it.
	AllowUnbound bool

	once    sync.Once
	err     error
	mu      sync.Mutex
	unbound []string
}

// An UnboundError is the error of a condition whose name is not bound.
type UnboundError struct{ Name string }

func (e *UnboundError) Error() string {
	return fmt.Sprintf("no condition is bound to the name %q; bind one in cond.Set.Funcs, or write the condition out in CEL", e.Name)
}

// Is reports that the error is spoor.ErrUnbound.
func (e *UnboundError) Is(target error) bool { return target == spoor.ErrUnbound }

// Condition returns the condition of a `when`. A single identifier that is
// bound is that function, everything else is CEL. Result says whether a result
// is judged.
func (s *Set) Condition(when string, result bool) (spoor.Condition, error) {
	s.once.Do(func() { s.err = checkNames(s.Funcs) })
	if s.err != nil {
		return nil, s.err
	}
	name := strings.TrimSpace(when)
	if f := s.Funcs[name]; f != nil {
		return f, nil
	}
	env := ruleEnv
	if result {
		env = stepEnv
	}
	if isName(name) && !env.Has(name) {
		if stepEnv.Has(name) {
			return nil, fmt.Errorf("%s is known only in a step, where a result is judged; in a start rule look into toolResults", name)
		}
		unbound := &UnboundError{name}
		if !s.AllowUnbound {
			return nil, unbound
		}
		s.note(name)
		return func(spoor.Situation) (bool, error) { return false, unbound }, nil
	}
	prog, err := env.Condition(when)
	if err != nil {
		return nil, err
	}
	return func(at spoor.Situation) (bool, error) {
		return prog.Bool(env.Scope(situation(at)))
	}, nil
}

// Unbound returns the names that were compiled though nothing is bound to
// them, in the order in which they were first met.
func (s *Set) Unbound() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.unbound)
}

func (s *Set) note(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.unbound, name) {
		s.unbound = append(s.unbound, name)
	}
}

// checkNames returns an error for all names that no `when` could mean.
func checkNames(funcs map[string]spoor.Condition) error {
	var faults []string
	for _, name := range slices.Sorted(maps.Keys(funcs)) {
		switch {
		case !isName(name):
			faults = append(faults, fmt.Sprintf("%q is not an identifier", name))
		case stepEnv.Has(name):
			faults = append(faults, fmt.Sprintf("%q is a variable", name))
		case funcs[name] == nil:
			faults = append(faults, fmt.Sprintf("%q is bound to nil", name))
		}
	}
	if faults == nil {
		return nil
	}
	return fmt.Errorf("a condition cannot be bound so: %s; give each a function and a name of its own", strings.Join(faults, ", "))
}

// isName reports whether s is an identifier of CEL.
func isName(s string) bool {
	for i, c := range []byte(s) {
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != "" && s != "true" && s != "false" && s != "null" && s != "in"
}

var (
	message = expr.Object("message", expr.Var{Name: "role", Type: expr.String}, expr.Var{Name: "content", Type: expr.String})
	one     = []expr.Var{
		{Name: "toolName", Type: expr.String},
		{Name: "result", Type: expr.String},
		{Name: "status", Type: expr.String},
		{Name: "json", Type: expr.Any},
	}
	toolResult = expr.Object("result", one...)
	rule       = []expr.Var{
		{Name: "userMessage", Type: expr.String},
		{Name: "iteration", Type: expr.Int},
		{Name: "history", Type: expr.List(message.Type)},
		{Name: "currentSkillId", Type: expr.String},
		{Name: "toolResults", Type: expr.List(toolResult.Type)},
	}
	ruleEnv = expr.New(rule...)
	stepEnv = expr.New(slices.Concat(rule, one)...)
)

type situation spoor.Situation

func (s situation) Var(name string) expr.Value {
	switch f := s.Facts; name {
	case "userMessage":
		return expr.Text(f.UserMessage)
	case "iteration":
		return expr.Number(f.Iteration)
	case "history":
		return expr.ListOf(len(f.History), func(i int) expr.Value {
			return message.Of((*said)(&f.History[i]))
		})
	case "currentSkillId":
		return expr.Text(f.Cursor)
	case "toolResults":
		return expr.ListOf(len(f.Results), func(i int) expr.Value {
			return toolResult.Of((*returned)(&f.Results[i]))
		})
	}
	return (*returned)(s.Result).Var(name)
}

type said spoor.Message

func (m *said) Var(name string) expr.Value {
	if name == "role" {
		return expr.Text(m.Role)
	}
	return expr.Text(m.Content)
}

type returned spoor.Result

func (r *returned) Var(name string) expr.Value {
	switch name {
	case "toolName":
		return expr.Text(r.Tool)
	case "result":
		return expr.Text(r.Text)
	case "status":
		return expr.Text(string(r.Status))
	}
	return expr.JSONObject(r.Text)
}
