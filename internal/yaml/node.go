package yaml

import (
	"encoding/json"
	"fmt"
	"strings"

	yaml3 "go.yaml.in/yaml/v3"
)

// add makes the node of a key or value at pos, in depth collections; it is nil
// if there are too many, or too many around it.
func (r *reader) add(pos Pos, depth int) *Node {
	if r.nodes++; r.nodes > MaxNodes {
		return r.fail(pos, "split the file", "there are more than %d values", MaxNodes)
	}
	if depth > MaxDepth {
		return r.fail(pos, "", "values are nested deeper than %d levels", MaxDepth)
	}
	return &Node{Pos: pos}
}

// node is the node y of the library, which belongs at out if it is left out and
// stands in depth collections.
func (r *reader) node(y *yaml3.Node, out Pos, depth int) *Node {
	pos := r.place(y)
	rest := r.text[r.offset(pos):r.end(pos.Line)]
	tagged := y.Style&yaml3.TaggedStyle != 0 || strings.HasPrefix(rest, "!")
	if y.Kind == yaml3.ScalarNode && y.Value == "" && y.Style == 0 && y.Anchor == "" && !tagged {
		pos = out
	}
	if y.Kind != yaml3.ScalarNode {
		depth++
	}
	n := r.add(pos, depth)
	switch {
	case n == nil:
		return nil
	case y.Kind == yaml3.AliasNode:
		r.fault(pos, "write the value out, or quote the text", "an alias (*) is not read here")
	case y.Anchor != "":
		r.fault(pos, "write the value where it is used, or quote the text", "an anchor (&) is not read here")
	case tagged:
		r.fault(pos, "drop it, or quote the text", "a tag (!) is not read here")
	}
	switch y.Kind {
	case yaml3.ScalarNode:
		r.scalar(n, y, rest)
	case yaml3.SequenceNode:
		n.Kind = List
		for i, c := range y.Content {
			n.Items = append(n.Items, r.in(fmt.Sprintf("[%d]", i), func() *Node {
				return r.node(c, r.dash(c), depth)
			}))
			if r.broken {
				return nil
			}
		}
	case yaml3.MappingNode:
		n.Kind = Map
		if y.Style&yaml3.FlowStyle != 0 && !strings.HasPrefix(rest, "{") {
			r.fault(pos, "write {key: value}", "a pair in a list wants braces")
		}
		for i := 0; i+1 < len(y.Content); i += 2 {
			key := r.key(y.Content[i], y.Style, depth)
			if r.broken {
				return nil
			}
			value := r.in("."+key.Text, func() *Node { return r.node(y.Content[i+1], key.Pos, depth) })
			if r.broken {
				return nil
			}
			n.Fields = append(n.Fields, Field{key, value})
		}
	}
	return n
}

// dash is where the dash before an item is that is left out.
func (r *reader) dash(y *yaml3.Node) Pos {
	pos := r.place(y)
	return Pos{pos.Line, max(pos.Column-1, 1)}
}

// in reads a value at a step of the path.
func (r *reader) in(step string, read func() *Node) *Node {
	r.path = append(r.path, step)
	n := read()
	r.path = r.path[:len(r.path)-1]
	return n
}

// key reads a key, which must be a text and have a colon behind it.
func (r *reader) key(y *yaml3.Node, style yaml3.Style, depth int) *Node {
	key := r.node(y, r.place(y), depth)
	if key == nil {
		return nil
	}
	off := r.offset(key.Pos)
	rest := r.text[off:r.end(key.Pos.Line)]
	before := strings.TrimRight(r.text[r.starts[key.Pos.Line-1]:off], " \t")
	end := min(len(y.Value), len(rest))
	if y.Style&(yaml3.DoubleQuotedStyle|yaml3.SingleQuotedStyle) != 0 {
		end, _ = quoted(rest)
	}
	colon := strings.HasPrefix(strings.TrimLeft(rest[end:], " \t"), ":")
	switch {
	case y.Kind != yaml3.ScalarNode:
		r.fault(key.Pos, "", "a key must be a text")
	case strings.HasSuffix(before, "?") || !colon && style&yaml3.FlowStyle == 0:
		r.fault(key.Pos, "write key: value", "a complex key (?) is not read here")
	case y.Style == 0 && y.Value == "":
		r.fault(key.Pos, `an empty key is written ""`, "a key is missing before the colon")
	case y.Style == 0 && y.Value == "<<":
		r.fault(key.Pos, "write out the keys, or quote it", "a merge key is not read here")
	case !colon && strings.Contains(y.Value, ":"):
		r.fault(key.Pos, "put a space behind the colon", "the key %q has no value, since a colon touches what is behind it", y.Value)
	case !colon:
		r.fault(key.Pos, "write key: value", "the key %q has no value", y.Value)
	}
	key.Kind, key.TextLine, key.TextColumn = String, 0, 0
	return key
}

// quoted is the length of the quoted text that s begins with, or of s if the
// text is not closed in it.
func quoted(s string) (n int, closed bool) {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && s[0] == '"', s[0] == '\'' && strings.HasPrefix(s[i:], "''"):
			i++
		case s[i] == s[0]:
			return i + 1, true
		}
	}
	return len(s), false
}

// scalar fills in the scalar y, from which on its line is rest.
func (r *reader) scalar(n *Node, y *yaml3.Node, rest string) {
	n.Kind, n.Text = String, y.Value
	switch y.Style &^ yaml3.TaggedStyle {
	case yaml3.DoubleQuotedStyle, yaml3.SingleQuotedStyle:
		r.quotedText(n, rest)
	case yaml3.LiteralStyle, yaml3.FoldedStyle:
		text := strings.TrimRight(n.Text, "\n")
		folded := y.Style&yaml3.FoldedStyle != 0
		if n.Text != "" && (!folded || text != "" && n.Pos.Line < len(r.starts) && strings.TrimLeft(r.line(n.Pos.Line+1), " ") == text) {
			n.TextLine = n.Pos.Line + 1
			n.Indent = r.indent(n)
		}
	default:
		n.Kind = Resolve(n.Text)
		behind, oneLine := strings.CutPrefix(rest, n.Text)
		if strings.HasSuffix(n.Text, ":") && !(oneLine && strings.HasPrefix(behind, ":")) {
			r.fault(n.Pos, "put a space behind it, or quote the text", "a colon touches what is behind it")
		}
		if oneLine {
			n.TextLine, n.TextColumn, n.Indent = n.Pos.Line, n.Pos.Column, n.Pos.Column-1
		} else if y.Anchor == "" && y.Style == 0 {
			r.swallowed(n, rest)
		}
	}
}

// quotedText finds the lines of a quoted text, from which on its line is rest.
func (r *reader) quotedText(n *Node, rest string) {
	end, closed := quoted(rest)
	if strings.Contains(n.Text, "\n") || !closed {
		return
	}
	n.TextLine = n.Pos.Line
	if rest[1:end-1] == n.Text {
		n.TextColumn, n.Indent = n.Pos.Column+1, n.Pos.Column
	}
}

// indent is how far the lines of a block text stand in the file.
func (r *reader) indent(n *Node) int {
	at := n.TextLine
	for line := range strings.Lines(n.Text) {
		if text := strings.TrimSuffix(line, "\n"); text != "" && at <= len(r.starts) {
			return len(strings.TrimSuffix(r.line(at), text)) - strings.Count(r.line(at), "\r")
		}
		at++
	}
	return 0
}

// swallowed reports a list item that is a line of the plain text above it.
func (r *reader) swallowed(n *Node, first string) {
	text := strings.TrimPrefix(n.Text, strings.TrimSpace(first))
	for line := n.Pos.Line + 1; line <= len(r.starts); line++ {
		row := strings.TrimSpace(r.line(line))
		text = strings.TrimLeft(text, " \n")
		if (row == "-" || strings.HasPrefix(row, "- ")) && strings.HasPrefix(text, "-") {
			r.fault(r.pos(r.starts[line-1]+strings.Index(r.line(line), "-")), "line it up with the list, or quote the text",
				"a list item is indented into the value above it")
			return
		}
		var ok bool
		if text, ok = strings.CutPrefix(text, row); !ok || text == "" {
			return
		}
	}
}

// json reads the next value of a text that is JSON.
func (r *reader) json(d *json.Decoder, depth int) *Node {
	off := int(d.InputOffset())
	off += len(r.text[off:]) - len(strings.TrimLeft(r.text[off:], " \t\n,:"))
	pos := r.pos(off)
	token, _ := d.Token() // the text is valid
	raw := r.text[off:d.InputOffset()]
	delim, collection := token.(json.Delim)
	if collection {
		depth++
	}
	n := r.add(pos, depth)
	if n == nil {
		return nil
	}
	switch t := token.(type) {
	case bool:
		n.Kind, n.Text = Bool, raw
	case json.Number:
		n.Kind, n.Text = Number, raw
	case string:
		n.Kind, n.Text = String, t
		r.quotedText(n, raw)
		escapes := strings.ToLower(strings.ReplaceAll(raw, `\\`, ""))
		if strings.Count(t, "\ufffd") > strings.Count(raw, "\ufffd")+strings.Count(escapes, `\ufffd`) {
			r.fault(pos, "write the character itself", `a \u escape is one half of a character`)
		}
	}
	for !r.broken && collection && d.More() {
		if delim == '[' {
			n.Kind = List
			n.Items = append(n.Items, r.in(fmt.Sprintf("[%d]", len(n.Items)), func() *Node { return r.json(d, depth) }))
			continue
		}
		key := r.json(d, depth)
		if key == nil {
			return nil
		}
		key.TextLine, key.TextColumn = 0, 0
		n.Fields = append(n.Fields, Field{key, r.in("."+key.Text, func() *Node { return r.json(d, depth) })})
	}
	if collection {
		n.Kind = map[json.Delim]Kind{'[': List, '{': Map}[delim]
		_, _ = d.Token() // the end
	}
	return n
}
