package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spoorhq/spoor/internal/expr"
	"github.com/spoorhq/spoor/internal/nearest"
	"github.com/spoorhq/spoor/internal/yaml"
)

// A Fault is one thing that is wrong with a script.
type Fault struct {
	File         string // empty if the rules are written in Go
	Line, Column int    // from 1; zero if there is no file
	At           string // the path: rules[2].call[0].args
	Message      string
	Hint         string // what to do about it, if that is known
}

func (f Fault) String() string {
	s := f.where() + f.Message
	if f.Hint != "" {
		s += " (" + f.Hint + ")"
	}
	return s
}

// where is the place, and a colon and a space after it.
func (f Fault) where() string {
	var s string
	if f.File != "" {
		s = f.File + ":"
	}
	if f.Line > 0 {
		s += fmt.Sprintf("%d:%d:", f.Line, f.Column)
	}
	if f.At != "" {
		s += " " + f.At + ":"
	}
	if s == "" {
		return ""
	}
	return strings.TrimPrefix(s, " ") + " "
}

func (f Fault) key(name string) Fault {
	f.At += "." + name
	return f
}

// Faults is all that is wrong with a script. As an error it prints one a line.
type Faults []Fault

func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

type node = yaml.Node

// kinds say what a node is.
var kinds = map[yaml.Kind]string{
	yaml.Map:    "a mapping",
	yaml.List:   "a list",
	yaml.String: "a string",
	yaml.Number: "a number",
	yaml.Bool:   "true or false",
	yaml.Null:   "null",
}

func str(s string) *node { return &node{Kind: yaml.String, Text: s} }

type compiler struct {
	file   string
	read   bool // from a file, so that its nodes have places
	faults Faults
}

func (c *compiler) fault(n *node, at, hint, format string, args ...any) {
	f := Fault{File: c.file, At: at, Message: fmt.Sprintf(format, args...), Hint: hint}
	if c.read {
		f.Line, f.Column = n.Pos.Line, n.Pos.Column
	}
	c.faults = append(c.faults, f)
}

func (c *compiler) wrong(n *node, at string, want yaml.Kind) {
	if n.Kind == yaml.Odd {
		c.fault(n, at, fmt.Sprintf("quote it if it is a word: %q", n.Text), "%s is no number in JSON", n.Text)
		return
	}
	hint := ""
	if want == yaml.String && (n.Kind == yaml.Number || n.Kind == yaml.Bool) {
		hint = fmt.Sprintf("write %q", n.Text)
	}
	c.fault(n, at, hint, "this must be %s, and it is %s", kinds[want], kinds[n.Kind])
}

func (c *compiler) is(n *node, at string, want yaml.Kind) bool {
	if n.Kind != want {
		c.wrong(n, at, want)
	}
	return n.Kind == want
}

// fields returns the values of a mapping that may have these keys.
func (c *compiler) fields(n *node, at string, known ...string) map[string]*node {
	if !c.is(n, at, yaml.Map) {
		return nil
	}
	c.unique(n, at)
	fields := map[string]*node{}
	for _, f := range n.Fields {
		key := f.Key.Text
		if !slices.Contains(known, key) {
			hint := nearest.Hint(key, slices.Values(known))
			if hint == "" {
				hint = "known are " + strings.Join(known, ", ")
			}
			c.fault(f.Key, at, hint, "there is no key %q here", key)
		} else if fields[key] == nil {
			fields[key] = f.Value
		}
	}
	return fields
}

func (c *compiler) unique(n *node, at string) {
	first := map[string]*node{}
	for _, f := range n.Fields {
		if before := first[f.Key.Text]; before == nil {
			first[f.Key.Text] = f.Key
		} else if c.read {
			c.fault(f.Key, at, "", "the key %q is there already, in line %d", f.Key.Text, before.Pos.Line)
		} else {
			c.fault(f.Key, at, "", "the key %q is there twice", f.Key.Text)
		}
	}
}

// expr adds the faults of an expression in a string.
func (c *compiler) expr(n *node, at string, err error) {
	var faults expr.Faults
	if !errors.As(err, &faults) {
		return
	}
	for _, f := range faults {
		if c.read && n.TextColumn > 0 {
			place := &node{Pos: yaml.Pos{Line: n.TextLine, Column: n.TextColumn + f.Column - 1}}
			c.fault(place, at, f.Hint, "%s", f.Message)
		} else {
			c.fault(n, at, f.Hint, "%d:%d: %s", f.Line, f.Column, f.Message)
		}
	}
}

const maxBytes = 1 << 20

// parse reads a file. It is nil if there is nothing to compile.
func (c *compiler) parse(data []byte) *node {
	start := &node{Pos: yaml.Pos{Line: 1, Column: 1}}
	if len(data) > maxBytes {
		c.fault(start, "", "", "the file is longer than %d bytes", maxBytes)
		return nil
	}
	root, faults := yaml.Read(data)
	for _, f := range faults {
		c.fault(&node{Pos: f.Pos}, f.At, f.Hint, "%s", f.Message)
	}
	if root != nil && root.Kind == yaml.Null && faults == nil {
		c.fault(start, "", "write rules: and a list", "the file is empty")
		return nil
	}
	return root
}

// fromJSON reads a JSON text that is written in Go.
func (c *compiler) fromJSON(text, at string) *node {
	if err := json.Unmarshal([]byte(text), new(any)); err != nil {
		c.fault(nil, at, "", "the arguments are not JSON: %v", err)
	} else if n, faults := yaml.Read([]byte(text)); faults == nil {
		return n
	} else {
		c.fault(nil, at, "", "the arguments are not read: %s", faults[0].Message)
	}
	return &node{Kind: yaml.Map}
}
