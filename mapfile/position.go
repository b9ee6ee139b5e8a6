package mapfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/internal/yaml"
)

// A Position is a place in a file. File is named relative to the map file, with
// slashes. Line and Column count from 1, the column in code points. The zero
// Position is no place.
type Position struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// String gives the place as file:line:column.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

func (p Position) compare(q Position) int {
	if c := strings.Compare(p.File, q.File); c != 0 {
		return c
	}
	if p.Line != q.Line {
		return p.Line - q.Line
	}
	return p.Column - q.Column
}

// A Fault is a problem and the place in a file where it is.
type Fault struct {
	spoor.Problem
	Pos Position `json:"pos"`
}

// String gives the fault on one line:
//
//	map.yaml:8:9: steps[0].to: unknown-skill: there is no skill "escalation" (did you mean "escalate"?)
func (f Fault) String() string {
	if f.Pos == (Position{}) {
		return f.Problem.String()
	}
	f.Problem.At = spoor.Source{} // Pos says it
	return f.Pos.String() + ": " + f.Problem.String()
}

// Faults is a list of faults in the order of their places. As an error it
// prints one fault a line.
type Faults []Fault

func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// Problems returns the faults without their places.
func (fs Faults) Problems() spoor.Problems {
	ps := make(spoor.Problems, len(fs))
	for i, f := range fs {
		ps[i] = f.Problem
	}
	return ps
}

func (fs Faults) sort() {
	slices.SortStableFunc(fs, func(a, b Fault) int { return a.Pos.compare(b.Pos) })
}

// Position returns the place of the value at ref or, if it has none, of the
// nearest value around it that has one. It reports false for a File that was
// not read from a file.
//
// A value that begins on the line of its key has its own place, any other that
// of its key; a condition of a guard has the place of its operator. What comes
// from a SKILL.md has its place there.
func (f *File) Position(ref spoor.Ref) (Position, bool) {
	for s := string(ref); ; {
		if pos, ok := f.places[spoor.Ref(s)]; ok {
			return pos, true
		}
		if s == "" {
			return Position{}, false
		}
		s = s[:max(strings.LastIndexAny(s, ".["), 0)]
	}
}

// Locate gives problems their places. It is how what Compile and the check-up
// report by Ref becomes a line of a file. A problem inside a body has the place
// of what it speaks of.
func (f *File) Locate(ps spoor.Problems) Faults {
	faults := make(Faults, len(ps))
	for i, p := range ps {
		pos, _ := f.Position(p.Ref)
		if p.At.File != "" {
			pos = Position{p.At.File, p.At.Line, p.At.Indent + 1}
		}
		faults[i] = Fault{p, pos}
	}
	faults.sort()
	return faults
}

func position(file string, at yaml.Pos) Position {
	return Position{file, at.Line, at.Column}
}
