package expr

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

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
	syntax     = regexp.MustCompile(`(?s)^Syntax error: (token recognition error at: |missing |extraneous input |mismatched input |no viable alternative at input )'(.*?)'(?: at .*| expecting .*)?$`)
	suggestion = regexp.MustCompile(`\(did you mean '(.*?)'(?: or '.*')?\?\)$`)
	noEscape   = regexp.MustCompile("(?s)[^\\\\](?:\\\\\\\\)*(\\\\[^\\\\abfnrtv?\"'`xXuU0-3])$")
	variable   = regexp.MustCompile(`^\(\s*(\w+)\s*,`)
)

// faults puts CEL's issues into our words.
func (e *Env) faults(src string, issues []*cel.Error, at position) Faults {
	var faults Faults
	bound := "" // by a macro whose name is misspelt
	for _, issue := range issues {
		line, column := 1, 0
		if issue.Location.Line() > 0 {
			line, column = issue.Location.Line(), issue.Location.Column()
		}
		before, after := split(src, line, column)
		f := Fault{Message: issue.Message}
		if m := undeclared.FindStringSubmatch(issue.Message); m != nil {
			if m[1] == bound {
				continue
			}
			f.Message = fmt.Sprintf("there is no variable or function %q here", m[1])
			f.Hint = "the variables are " + names(e.vars)
			if strings.HasPrefix(after, "(") {
				f.Message, f.Hint = fmt.Sprintf("there is no function %q", m[1]), ""
				if near := e.suggested(issue.Message); near != "" {
					f.Hint = fmt.Sprintf("did you mean %q?", near)
					if v := variable.FindStringSubmatch(after); v != nil && slices.Contains(macros, near) {
						bound = v[1]
					}
				}
				if strings.HasSuffix(before, m[1]) {
					column -= utf8.RuneCountInString(m[1])
				}
			}
		} else if m := noField.FindStringSubmatch(issue.Message); m != nil {
			f.Message = fmt.Sprintf("there is no field %q", m[1])
			f.Hint = e.fieldHint()
		} else if m := noOverload.FindStringSubmatch(issue.Message); m != nil {
			f.Message = fmt.Sprintf("%s is not defined for %s", strings.Trim(m[1], "_"), m[2])
		} else if m := syntax.FindStringSubmatch(issue.Message); m != nil {
			f.Message, f.Hint = misread(m[1], m[2], before)
		}
		place := at.plus(line, column)
		f.Line, f.Column = place.line, place.column
		faults = append(faults, f)
		if strings.HasPrefix(issue.Message, "Syntax error") {
			break // what follows comes of it
		}
	}
	return faults
}

// split cuts a source at a place whose column counts from 0.
func split(src string, line, column int) (before, after string) {
	rows := strings.Split(src, "\n")
	row := []rune(rows[min(line, len(rows))-1])
	column = min(column, len(row))
	return string(row[:column]), string(row[column:])
}

// misread says what is wrong where CEL reads what, behind before in its line.
func misread(kind, what, before string) (message, hint string) {
	shown := strings.TrimSpace(what)
	switch strings.TrimSpace(kind) {
	case "missing":
		return fmt.Sprintf("a %s is missing here", what), ""
	case "no viable alternative at input":
		return fmt.Sprintf("something is missing behind %s", shown), ""
	case "token recognition error at:":
		switch {
		case strings.HasPrefix(what, "'"), strings.HasPrefix(what, `"`):
			if m := noEscape.FindStringSubmatch(what); m != nil {
				return fmt.Sprintf("there is no escape %s", m[1]), `write \\ for a backslash`
			}
			return "this quote is never closed", ""
		case shown == "=":
			hint = "write == to compare"
		case shown == "=>":
			hint = "write >= for at least"
		case shown == "=~":
			hint = "matches() looks for a regular expression"
		case shown == "&":
			hint = "write && for and"
		case shown == "|":
			hint = "write || for or"
		}
		return fmt.Sprintf("%s means nothing in CEL", shown), hint
	}
	before = strings.TrimSpace(before)
	switch {
	case what == "<EOF>":
		return "the expression ends too early", ""
	case what == "and":
		hint = "write && for and"
	case what == "or":
		hint = "write || for or"
	case what == ">" && strings.HasSuffix(before, "<"):
		hint = "write != for unequal"
	case before == "not" || strings.HasSuffix(before, " not"):
		hint = "write ! for not"
	}
	return fmt.Sprintf("%s cannot stand here", shown), hint
}

var macros = []string{"all", "exists", "exists_one", "filter", "has", "map"}

// suggested is the function that CEL takes for the one that was meant, if there
// is one here.
func (e *Env) suggested(message string) string {
	m := suggestion.FindStringSubmatch(message)
	if m == nil || e.build().Functions()[m[1]] == nil && !slices.Contains(macros, m[1]) {
		return ""
	}
	return m[1]
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
