// Package yaml reads YAML and JSON strictly into one tree that keeps the place
// of everything in it.
//
// YAML is read by go.yaml.in/yaml/v3, through its nodes, and JSON by
// encoding/json. What this package adds is what the two leave open:
//
//	[]byte ──▶ JSON? ──encoding/json──▶ tokens ─┐
//	             └─────yaml/v3────────▶ nodes ──┴──▶ *Node, []Fault
//
// The scalars are those of YAML 1.2 with its core schema: yes, no, on, off and
// dates are texts, and a number keeps its digits. A plain text that only some
// readers take for a number is of the kind Odd.
//
// Anchors, aliases, tags, merge keys, directives, complex keys, keys without a
// colon, pairs without braces and second documents are refused by name, and so
// is a list item that its indentation makes part of the text above it. Keys
// that stand twice are kept; it is for the caller to report them.
//
// The library refuses some of what YAML 1.2 has. In a text that is not JSON as
// a whole these are faults: \/ and the \u escapes of half a character, a key of
// more than 1024 characters, a question mark in a plain text between brackets,
// and, unless it is escaped, a character that YAML 1.1 takes for the end of a
// line. Where it accepts more, as a comment that touches what stands before it,
// so does this package.
package yaml

import (
	"encoding/json"
	"regexp"
)

const (
	MaxDepth = 64      // of collections in collections
	MaxNodes = 1 << 20 // keys and values in one document
)

// A Kind is the type of a Node.
type Kind uint8

const (
	Null   Kind = iota
	Bool        // Text is true or false, in any case of YAML
	Number      // Text is the number as written, in JSON notation
	Odd         // a plain text that some reader takes for a number, such as 010, 0x1F, 1_000 or .inf
	String
	List
	Map
)

// A Pos is a place in a text: line and column from 1, the column in code
// points. A Node that was not read has none.
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
	// is line TextLine + i - 1 of the file; otherwise it is 0. TextColumn is
	// where the text begins, if it stands in that line as it is. Indent is how
	// many code points stand before each line of it, if that is one number.
	TextLine, TextColumn, Indent int

	Items  []*Node // of a List
	Fields []Field // of a Map, in declared order, with duplicates

	// Flow asks a writer for brackets. Read does not set it.
	Flow bool
}

// A Field is a key of a Map and its value.
type Field struct{ Key, Value *Node }

// A Fault is what cannot be read.
type Fault struct {
	Pos     Pos
	At      string // the path of the value: rules[2].call.args
	Message string // one sentence: what is wrong
	Hint    string // what to do; may be empty
}

var oddNumber = regexp.MustCompile(`^[-+]?(` +
	`[0-9][0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?|\.[0-9][0-9_]*([eE][-+]?[0-9]+)?|` +
	`0x[0-9a-fA-F_]+|0o[0-7_]+|0b[01_]+|\.inf|\.Inf|\.INF)$|^\.(nan|NaN|NAN)$`)

// Resolve returns the kind of a plain scalar.
func Resolve(text string) Kind {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return Null
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return Bool
	}
	switch c := text[0]; {
	case c != '-' && c != '+' && c != '.' && (c < '0' || c > '9') || !oddNumber.MatchString(text):
		return String
	case json.Valid([]byte(text)):
		return Number
	}
	return Odd
}
