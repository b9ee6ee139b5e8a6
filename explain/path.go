package explain

import (
	"encoding/json"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A document is a JSON text taken apart, so that a range of its bytes can be
// named by a path. JSON in a string of it is taken apart as well.
type document struct {
	text  string
	nodes []node      // in the order in which they begin
	texts []plainText // the text itself, and those of its strings that have escapes
}

// A plain text is one without the escapes of the JSON string that it is of.
type plainText struct {
	text string
	at   []int32 // where each byte of it stands in the document, and its end; nil: at its own place
}

// place is where byte i of the text stands in the document.
func (p *plainText) place(i int) int {
	if p.at == nil {
		return i
	}
	return int(p.at[i])
}

// A node is one value of a document: the bytes [start, end) of its text.
type node struct {
	start, end int
	parent     int // -1 for the root
	key        int // where the key begins, in an object; -1 otherwise
	index      int // in an array
	container  bool
	quoted     bool // a string
	inside     bool // all of the string that is its parent

	inner  Range // what is between the quotes of a string; else [start, end)
	plain  int32 // which of the texts has it without escapes
	from   int32 // there
	to     int32
	name   [2]int32 // the key, without quotes, in the plain text that has the object
	nameIn int32    // that text
}

// Bounds of the JSON that is taken apart. What is larger is searched as text.
const (
	maxDocument = 16 << 20 // bytes
	maxNodes    = 1 << 20
	maxNested   = 3 // JSON in a string of JSON in a string of JSON in a string
)

// parseDocument takes a JSON text apart, and the JSON in its strings; nil if it
// is none.
func parseDocument(text string) *document { return parse(text, maxNested) }

// parseFlat takes a JSON text apart, and its strings are just strings.
func parseFlat(text string) *document { return parse(text, 0) }

func parse(text string, nested int) *document {
	if len(text) > maxDocument || strings.TrimLeft(text, " \t\r\n") == "" || !json.Valid([]byte(text)) {
		return nil
	}
	d := &document{text: text, texts: []plainText{{text: text}}}
	d.nodes = make([]node, 0, min(maxNodes, 1+strings.Count(text, ",")+strings.Count(text, "{")+strings.Count(text, "[")))
	if !d.take(0, 0, len(text), -1, nested) {
		return nil
	}
	return d
}

// take takes apart the valid JSON in [i, end) of a plain text. It reports
// false if there is too much of it.
func (d *document) take(of int32, i, end, parent, nested int) bool {
	p := d.texts[of] // a copy: the list grows
	text := p.text[:end]
	outer := parent
	var name [2]int32
	key := -1
	var counts []int // of the elements of the open containers
	for i < end {
		switch c := text[i]; c {
		case ' ', '\t', '\r', '\n', ':', ',':
			i++
			continue
		case '}', ']':
			i++
			n := &d.nodes[parent]
			n.end, n.to = p.place(i), int32(i)
			n.inner = Range{n.start, n.end}
			parent = n.parent
			counts = counts[:len(counts)-1]
			continue
		case '"':
			if key < 0 && parent > outer && p.text[d.nodes[parent].from] == '{' {
				key = p.place(i)
				name[0] = int32(i + 1)
				i = stringEnd(text, i)
				name[1] = int32(i - 1)
				continue
			}
		}
		if len(d.nodes) == maxNodes {
			return false
		}
		n := node{start: p.place(i), parent: parent, key: key, plain: of, from: int32(i), name: name, nameIn: of}
		n.inside = parent == outer && outer >= 0
		key = -1
		if parent > outer {
			n.index = counts[len(counts)-1]
			counts[len(counts)-1]++
		}
		switch text[i] {
		case '{', '[':
			n.container = true
			i++
			parent = len(d.nodes)
			counts = append(counts, 0)
			d.nodes = append(d.nodes, n)
		case '"':
			from := i + 1
			i = stringEnd(text, i)
			n.quoted, n.end = true, p.place(i)
			n.inner = Range{p.place(from), p.place(i - 1)}
			n.from, n.to = int32(from), int32(i-1)
			if strings.IndexByte(text[from:i-1], '\\') >= 0 {
				n.plain = int32(len(d.texts))
				q := unescape(&p, from, i-1)
				n.from, n.to = 0, int32(len(q.text))
				d.texts = append(d.texts, q)
			}
			d.nodes = append(d.nodes, n)
			if nested > 0 && isJSON(d.plain(&n)) {
				if !d.take(n.plain, int(n.from), int(n.to), len(d.nodes)-1, nested-1) {
					return false
				}
			}
		default:
			for i < end && !strings.ContainsRune(" \t\r\n,]}", rune(text[i])) {
				i++
			}
			n.end, n.to = p.place(i), int32(i)
			n.inner = Range{n.start, n.end}
			d.nodes = append(d.nodes, n)
		}
	}
	return true
}

// isJSON reports whether the text of a string is JSON itself, and no other text.
func isJSON(text string) bool {
	if n := len(text); n > 1 && text[0] == '"' && text[n-1] == '"' && strings.IndexByte(text, '\\') >= 0 {
		return json.Valid([]byte(text))
	}
	return isContainer(text)
}

// isContainer reports whether a text is a JSON object or array.
func isContainer(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	return len(text) > 1 && (text[0] == '{' || text[0] == '[') && json.Valid([]byte(text))
}

// plain is what a value says: of a string what is between its quotes, without
// escapes.
func (d *document) plain(n *node) string { return d.texts[n.plain].text[n.from:n.to] }

// name is the key of a value, without escapes; empty if it has none.
func (d *document) name(n *node) string {
	if n.key < 0 {
		return ""
	}
	of := &d.texts[n.nameIn]
	if name := of.text[n.name[0]:n.name[1]]; strings.IndexByte(name, '\\') < 0 {
		return name
	}
	return unescape(of, int(n.name[0]), int(n.name[1])).text
}

// stringEnd finds the end of the JSON string that begins at i.
func stringEnd(text string, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// around finds the smallest value that has all of the range; nil if the range
// reaches beyond the document.
func (d *document) around(r Range) *node {
	i := sort.Search(len(d.nodes), func(i int) bool { return d.nodes[i].start > r.Start }) - 1
	for i >= 0 && d.nodes[i].end < r.End {
		i = d.nodes[i].parent
	}
	if i < 0 {
		return nil
	}
	return &d.nodes[i]
}

// content is where the text of a value stands: of a string what is between its
// quotes.
func (d *document) content(n *node) Range { return n.inner }

// path names a value: $.orders[3]["window days"], and in JSON that is a string
// of it $.text→$.orders[3].
func (d *document) path(n *node) string {
	var names []string
	for ; n.parent >= 0; n = &d.nodes[n.parent] {
		switch {
		case n.inside:
			names = append(names, "→$")
			continue
		case n.key < 0:
			names = append(names, "["+strconv.Itoa(n.index)+"]")
			continue
		}
		name := d.texts[n.nameIn].text[n.name[0]:n.name[1]]
		if strings.Contains(name, `\u`) {
			name = plainEscapes(d.name(n))
		}
		if isName(name) {
			names = append(names, "."+name)
		} else {
			names = append(names, `["`+name+`"]`)
		}
	}
	var b strings.Builder
	b.WriteByte('$')
	for i := len(names) - 1; i >= 0; i-- {
		b.WriteString(names[i])
	}
	return b.String()
}

// plainEscapes is a text as it stands between the quotes of a JSON string, with no
// more escapes than it needs.
func plainEscapes(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always can be
	return strings.TrimSuffix(b.String()[1:], "\"\n")
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
		case '0' <= c && c <= '9' && i > 0:
		default:
			return false
		}
	}
	return s != ""
}

// unescaped is what a JSON text says that is between the quotes of a string.
func unescaped(s string) string { return unescape(&plainText{text: s}, 0, len(s)).text }

// unescape is what [i, end) of a JSON text says that is between the quotes of
// a string.
func unescape(of *plainText, i, end int) plainText {
	s := of.text[:end]
	b := make([]byte, 0, end-i)
	at := make([]int32, 0, end-i+1)
	for i < end {
		if s[i] != '\\' || i+1 == end {
			b, at = append(b, s[i]), append(at, int32(of.place(i)))
			i++
			continue
		}
		start := int32(of.place(i))
		c := rune(s[i+1])
		i += 2
		switch c {
		case 'n':
			c = '\n'
		case 't':
			c = '\t'
		case 'r':
			c = '\r'
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'u':
			c = hex4(s, i)
			i = min(i+4, end)
			if utf16.IsSurrogate(c) && strings.HasPrefix(s[i:], `\u`) {
				if pair := utf16.DecodeRune(c, hex4(s, i+2)); pair != utf8.RuneError {
					c = pair
					i = min(i+6, end)
				}
			}
		}
		b = utf8.AppendRune(b, c)
		for len(at) < len(b) {
			at = append(at, start)
		}
	}
	return plainText{string(b), append(at, int32(of.place(end)))}
}

// hex4 is the number that four hexadecimal digits at i stand for.
func hex4(s string, i int) rune {
	if i+4 > len(s) {
		return utf8.RuneError
	}
	n, err := strconv.ParseUint(s[i:i+4], 16, 32)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}
