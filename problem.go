package spoor

import (
	"fmt"
	"strings"
)

// A Problem is one thing that is wrong with a map.
type Problem struct {
	Level   string `json:"level"` // error, warning or advice
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"` // what to do about it
	Ref     Ref    `json:"ref,omitempty"`

	// What it speaks of, where that applies.
	Skill   string `json:"skill,omitempty"`
	From    string `json:"from,omitempty"`
	To      string `json:"to,omitempty"`
	Example string `json:"example,omitempty"`

	// At is the place in a file, if the problem is inside a text that came from
	// one: the line, and in Indent what stands before it there.
	At Source `json:"-"`
}

// String gives the problem on one line: the place in a file and the address, if
// there are any, its level if it is no error,
// which code, what is wrong and what to do.
func (p Problem) String() string {
	var b strings.Builder
	if p.At.File != "" {
		fmt.Fprintf(&b, "%s:%d:%d: ", p.At.File, p.At.Line, p.At.Indent+1)
	}
	if p.Ref != "" {
		fmt.Fprintf(&b, "%s: ", p.Ref)
	}
	if p.Level != "" && p.Level != "error" {
		fmt.Fprintf(&b, "%s: ", p.Level)
	}
	fmt.Fprintf(&b, "%s: %s", p.Code, p.Message)
	if p.Hint != "" {
		fmt.Fprintf(&b, " (%s)", p.Hint)
	}
	return b.String()
}

// Problems is all that is wrong with a map, in declared order. As an error it
// prints one problem a line.
type Problems []Problem

func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}
