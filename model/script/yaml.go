package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/spoorhq/spoor/internal/expr"
	"github.com/spoorhq/spoor/internal/nearest"
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

type kind string

const (
	object  kind = "a mapping"
	array   kind = "a list"
	text    kind = "a string"
	number  kind = "a number"
	boolean kind = "true or false"
	null    kind = "null"
)

// A node is a value of a file, or one that is written in Go and has no place.
type node struct {
	kind         kind
	text         string // of a scalar; JSON unless it is a string
	keys         []*node
	items        []*node
	line, column int
	verbatim     int // columns before the text, if it stands as it is on one line, or -1
}

func str(s string) *node { return &node{kind: text, text: s} }

type compiler struct {
	file   string
	faults Faults
}

func (c *compiler) fault(n *node, at, hint, format string, args ...any) {
	c.faults = append(c.faults, Fault{c.file, n.line, n.column, at, fmt.Sprintf(format, args...), hint})
}

func (c *compiler) wrong(n *node, at string, want kind) {
	hint := ""
	if want == text && (n.kind == number || n.kind == boolean) {
		hint = fmt.Sprintf("write %q", n.text)
	}
	c.fault(n, at, hint, "this must be %s, and it is %s", want, n.kind)
}

func (c *compiler) is(n *node, at string, want kind) bool {
	if n.kind != want {
		c.wrong(n, at, want)
	}
	return n.kind == want
}

// fields returns the values of a mapping that may have these keys.
func (c *compiler) fields(n *node, at string, known ...string) map[string]*node {
	if !c.is(n, at, object) {
		return nil
	}
	c.unique(n, at)
	fields := map[string]*node{}
	for i, key := range n.keys {
		if !slices.Contains(known, key.text) {
			hint := nearest.Hint(key.text, slices.Values(known))
			if hint == "" {
				hint = "known are " + strings.Join(known, ", ")
			}
			c.fault(key, at, hint, "there is no key %q here", key.text)
		} else if fields[key.text] == nil {
			fields[key.text] = n.items[i]
		}
	}
	return fields
}

func (c *compiler) unique(n *node, at string) {
	first := map[string]*node{}
	for _, key := range n.keys {
		if before := first[key.text]; before == nil {
			first[key.text] = key
		} else if before.line > 0 {
			c.fault(key, at, "", "the key %q is there already, in line %d", key.text, before.line)
		} else {
			c.fault(key, at, "", "the key %q is there twice", key.text)
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
		place := *n
		if n.line > 0 && n.verbatim >= 0 {
			place.column += n.verbatim + f.Column - 1
			c.fault(&place, at, f.Hint, "%s", f.Message)
		} else {
			c.fault(&place, at, f.Hint, "%d:%d: %s", f.Line, f.Column, f.Message)
		}
	}
}

const (
	maxBytes = 1 << 20
	maxDepth = 1000
)

// parse reads YAML strictly: one document, no anchors, no tags, every number
// as JSON writes it. It is nil if there is nothing to compile.
func (c *compiler) parse(data []byte) (root *node) {
	start := &node{line: 1, column: 1}
	defer func() {
		if r := recover(); r != nil {
			c.fault(start, "", "", "the YAML reader failed on this file: %v", r)
		}
	}()
	switch {
	case len(data) > maxBytes:
		c.fault(start, "", "", "the file is longer than %d bytes", maxBytes)
		return nil
	case deep(data):
		c.fault(start, "", "", "the file is nested deeper than %d levels", maxDepth)
		return nil
	}
	file, err := parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		var syntax yaml.Error
		if errors.As(err, &syntax) && syntax.GetToken() != nil {
			p := syntax.GetToken().Position
			c.fault(&node{line: p.Line, column: p.Column}, "", "", "this is not YAML: %s", syntax.GetMessage())
		} else {
			c.fault(start, "", "", "this is not YAML: %v", err)
		}
		return nil
	}
	var bodies []ast.Node
	for _, doc := range file.Docs {
		if doc.Body != nil && doc.Body.Type() != ast.DirectiveType {
			bodies = append(bodies, doc.Body)
		}
	}
	if len(bodies) == 0 {
		c.fault(start, "", "write rules: and a list", "the file is empty")
		return nil
	}
	if len(bodies) > 1 {
		c.fault(c.node(bodies[1], ""), "", "", "a script is one document, and here begins a second")
		return nil
	}
	return c.node(bodies[0], "")
}

// deep reports whether the file might be nested so deep that reading it would
// take all the stack: it counts brackets, and dashes that open lists in lists.
func deep(data []byte) bool {
	depth, dashes := 0, 0
	for i, b := range data {
		switch b {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(0, depth-1)
		case '\n':
			dashes = 0
		case '-', '?':
			if i+1 < len(data) && data[i+1] == ' ' {
				dashes++
			}
		}
		if depth > maxDepth || dashes > maxDepth {
			return true
		}
	}
	return false
}

var numeric = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9][0-9_]*\.?[0-9_]*([eE][-+]?[0-9]+)?|0[xob][0-9a-fA-F_]+)$`)

func (c *compiler) node(y ast.Node, at string) *node {
	tok := y.GetToken()
	n := &node{kind: null, text: "null", line: tok.Position.Line, column: tok.Position.Column, verbatim: -1}
	switch y := y.(type) {
	case *ast.MappingNode:
		n.kind = object
		for i, v := range y.Values {
			key := c.key(v)
			if i == 0 && !y.IsFlowStyle {
				n.line, n.column = key.line, key.column
			}
			n.keys = append(n.keys, key)
			n.items = append(n.items, c.node(v.Value, join(at, key.text)))
		}
	case *ast.MappingValueNode:
		key := c.key(y)
		n.kind, n.line, n.column = object, key.line, key.column
		n.keys, n.items = []*node{key}, []*node{c.node(y.Value, join(at, key.text))}
	case *ast.SequenceNode:
		n.kind = array
		for i, v := range y.Values {
			n.items = append(n.items, c.node(v, fmt.Sprintf("%s[%d]", at, i)))
		}
	case *ast.LiteralNode:
		n.kind, n.text = text, y.Value.Value
	case *ast.StringNode:
		n.kind, n.text = text, y.Value
		plain := tok.Type != token.SingleQuoteType && tok.Type != token.DoubleQuoteType
		if plain && numeric.MatchString(y.Value) {
			c.number(n, at)
			break
		}
		source := strings.TrimSpace(tok.Origin)
		if plain {
			if source == y.Value {
				n.verbatim = 0
			}
		} else if len(source) >= 2 && source[1:len(source)-1] == y.Value {
			n.verbatim = 1
		}
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		n.text = tok.Value
		c.number(n, at)
	case *ast.BoolNode:
		n.kind, n.text = boolean, strings.ToLower(tok.Value)
	case *ast.NullNode:
	case *ast.AnchorNode, *ast.AliasNode:
		c.fault(n, at, "write the value where it is used", "anchors and aliases are not read")
	case *ast.TagNode:
		c.fault(n, at, "", "tags are not read")
	default:
		c.fault(n, at, "", "this is not read here")
	}
	return n
}

func (c *compiler) number(n *node, at string) {
	n.kind = number
	if !json.Valid([]byte(n.text)) {
		c.fault(n, at, fmt.Sprintf("quote it if it is a word: %q", n.text), "%s is no number in JSON", n.text)
		n.text = "0"
	}
}

func (c *compiler) key(v *ast.MappingValueNode) *node {
	tok := v.Key.GetToken()
	n := &node{kind: text, text: tok.Value, line: tok.Position.Line, column: tok.Position.Column}
	switch k := v.Key.(type) {
	case *ast.StringNode:
		n.text = k.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode, *ast.InfinityNode, *ast.NanNode:
	default:
		c.fault(n, "", "write the key as a plain word", "this key is not read here")
	}
	return n
}

func join(at, key string) string {
	if at == "" {
		return key
	}
	return at + "." + key
}
