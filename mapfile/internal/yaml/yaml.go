// Package yaml reads the YAML that map files are written in, strictly, and
// keeps the place of everything in it.
//
// It is YAML 1.2 with its core schema, less what a map has no use for: one
// document; keys are texts on one line; no anchors, aliases, merge keys, tags,
// directives or complex keys, each refused by name. JSON is read as it is, with
// its pairs of \u escapes. What is ambiguous is refused rather than guessed: a
// tab that indents, a second ": " in a line, a line that is indented like
// nothing above it. Deviations that only accept more: the lines of a flow
// collection or a quoted text may be indented as one likes.
//
//	[]byte ──Parse──▶ *Node (kind, text, place, children in declared order) ──Marshal──▶ []byte
//
// Parse(Marshal(n)) equals n but for its places, and other readers of YAML read
// the same: what they might take for something else is quoted.
//
// No input makes Parse panic. Its time and memory grow with the length of the
// input; nesting is limited to MaxDepth and the values to MaxNodes.
package yaml

import "regexp"

const (
	MaxDepth = 64      // of collections in collections
	MaxNodes = 1 << 17 // values in one document
)

// A Kind is the type of a Node.
type Kind uint8

const (
	Null   Kind = iota
	Bool        // Text is true or false
	Number      // Text is the number as written, in JSON notation
	Odd         // a plain text that some reader takes for a number, such as 010, 0x1F, 1_000 or .inf
	String
	List
	Map
)

// A Pos is a place in a text: line and column from 1, the column in code
// points.
type Pos struct{ Line, Column int }

// A Node is a value. Its Pos is where it begins: the first key of a block
// mapping, the first dash of a block list, the | of a block text; for a value
// that is left out, the key or the dash before it.
type Node struct {
	Kind Kind
	Pos  Pos

	// Text is the value of a scalar; a plain one keeps its letters.
	Text string

	// TextLine is the line where line 1 of a String stands, if line i of it
	// is line TextLine + i - 1 of the file; otherwise it is 0.
	TextLine int

	Items  []*Node // of a List
	Fields []Field // of a Map, in declared order, with duplicates

	// Flow asks Marshal to write a collection between brackets, if it fits
	// into its line. Parse does not set it.
	Flow bool
}

// A Field is a key of a Map and its value.
type Field struct{ Key, Value *Node }

// An Error is what stops a text from being read.
type Error struct {
	Pos     Pos
	Message string // one sentence: what is wrong
	Hint    string // what to do; may be empty
}

func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + " (" + e.Hint + ")"
}

var (
	jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
	oddNumber  = regexp.MustCompile(`^[-+]?(` +
		`[0-9][0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?|\.[0-9][0-9_]*([eE][-+]?[0-9]+)?|` +
		`0x[0-9a-fA-F_]+|0o[0-7_]+|0b[01_]+|\.inf|\.Inf|\.INF)$|^\.(nan|NaN|NAN)$`)
)

// Resolve returns the kind of a plain scalar.
func Resolve(text string) Kind {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return Null
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return Bool
	}
	switch c := text[0]; {
	case c != '-' && c != '+' && c != '.' && (c < '0' || c > '9'):
		return String
	case jsonNumber.MatchString(text):
		return Number
	case oddNumber.MatchString(text):
		return Odd
	}
	return String
}
