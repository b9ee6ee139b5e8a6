package expr

import (
	"fmt"
	"regexp"
	"strings"

	"cel.dev/cel-go/cel"
)

// A Fault is one thing that is wrong with a source. Line and column count from
// 1, in code points.
type Fault struct {
	Line, Column int
	Message      string
	Hint         string // what to do about it, if that is known
}

func (f Fault) String() string {
	s := fmt.Sprintf("%d:%d: %s", f.Line, f.Column, f.Message)
	if f.Hint != "" {
		s += " (" + f.Hint + ")"
	}
	return s
}

// Faults is all that is wrong with a source. As an error it prints them on one
// line.
type Faults []Fault

func (fs Faults) Error() string {
	texts := make([]string, len(fs))
	for i, f := range fs {
		texts[i] = f.String()
	}
	return strings.Join(texts, "; ")
}

// A position is where an expression begins in a larger text.
type position struct{ line, column int }

// plus is the position of a place inside the expression, whose column counts
// from 0.
func (p position) plus(line, column int) position {
	if line > 1 {
		return position{p.line + line - 1, column + 1}
	}
	return position{p.line, p.column + column}
}

func (p position) errorf(format string, args ...any) error {
	return fmt.Errorf("%d:%d: %w", p.line, p.column, fmt.Errorf(format, args...))
}

var (
	undeclared = regexp.MustCompile(`^undeclared reference to '(.*?)'`)
	noField    = regexp.MustCompile(`^undefined field '(.*)'$`)
	noOverload = regexp.MustCompile(`^found no matching overload for '(.*)' applied to '(.*)'$`)
)

// faults puts CEL's issues into our words.
func (e *Env) faults(issues []*cel.Error, at position) Faults {
	var faults Faults
	for _, issue := range issues {
		line, column := 1, 0
		if issue.Location.Line() > 0 {
			line, column = issue.Location.Line(), issue.Location.Column()
		}
		place := at.plus(line, column)
		f := Fault{Line: place.line, Column: place.column, Message: issue.Message}
		if m := undeclared.FindStringSubmatch(issue.Message); m != nil {
			f.Message = fmt.Sprintf("there is no variable or function %q here", m[1])
			f.Hint = "the variables are " + names(e.vars)
		} else if m := noField.FindStringSubmatch(issue.Message); m != nil {
			f.Message = fmt.Sprintf("there is no field %q", m[1])
			f.Hint = e.fieldHint()
		} else if m := noOverload.FindStringSubmatch(issue.Message); m != nil {
			f.Message = fmt.Sprintf("%s is not defined for %s", strings.Trim(m[1], "_"), m[2])
		} else {
			f.Message, _, _ = strings.Cut(f.Message, " expecting ")
			f.Message, _, _ = strings.Cut(f.Message, "\n")
		}
		faults = append(faults, f)
	}
	return faults
}

func (e *Env) fieldHint() string {
	var hints []string
	for _, v := range e.vars {
		for _, o := range v.Type.objects {
			hints = append(hints, fmt.Sprintf("%s has %s", v.Name, names(o.fields)))
		}
	}
	return strings.Join(hints, "; ")
}

func names(vars []Var) string {
	list := make([]string, len(vars))
	for i, v := range vars {
		list[i] = v.Name
	}
	return strings.Join(list, ", ")
}
