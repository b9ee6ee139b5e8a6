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
// named by a path.
type document struct {
	text  string
	nodes []node // in the order in which they begin
}

// A node is one value of a document: the bytes [start, end) of its text.
type node struct {
	start, end int
	parent     int // -1 for the root
	key        int // where the key begins, in an object; -1 otherwise
	index      int // in an array
	container  bool
}

// maxDocument bounds the JSON that is taken apart.
const maxDocument = 16 << 20

// parseDocument takes a JSON text apart; nil if it is none.
func parseDocument(text string) *document {
	if len(text) > maxDocument || strings.TrimLeft(text, " \t\r\n") == "" || !json.Valid([]byte(text)) {
		return nil
	}
	d := &document{text: text}
	parent, key := -1, -1
	var counts []int // of the elements of the open containers
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case ' ', '\t', '\r', '\n', ':', ',':
			i++
			continue
		case '}', ']':
			i++
			d.nodes[parent].end = i
			parent = d.nodes[parent].parent
			counts = counts[:len(counts)-1]
			continue
		case '"':
			if key < 0 && parent >= 0 && text[d.nodes[parent].start] == '{' {
				key = i
				i = stringEnd(text, i)
				continue
			}
		}
		n := node{start: i, parent: parent, key: key}
		key = -1
		if parent >= 0 {
			n.index = counts[len(counts)-1]
			counts[len(counts)-1]++
		}
		switch text[i] {
		case '{', '[':
			n.container = true
			i++
			parent = len(d.nodes)
			counts = append(counts, 0)
		case '"':
			i = stringEnd(text, i)
			n.end = i
		default:
			for i < len(text) && !strings.ContainsRune(" \t\r\n,]}", rune(text[i])) {
				i++
			}
			n.end = i
		}
		d.nodes = append(d.nodes, n)
	}
	return d
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
func (d *document) content(n *node) Range {
	if d.text[n.start] == '"' {
		return Range{n.start + 1, n.end - 1}
	}
	return Range{n.start, n.end}
}

// path names a value: $.orders[3]["window days"].
func (d *document) path(n *node) string {
	var names []string
	for ; n.parent >= 0; n = &d.nodes[n.parent] {
		if n.key < 0 {
			names = append(names, "["+strconv.Itoa(n.index)+"]")
			continue
		}
		quoted := d.text[n.key:stringEnd(d.text, n.key)]
		if name := quoted[1 : len(quoted)-1]; isName(name) {
			names = append(names, "."+name)
		} else {
			names = append(names, "["+quoted+"]")
		}
	}
	var b strings.Builder
	b.WriteByte('$')
	for i := len(names) - 1; i >= 0; i-- {
		b.WriteString(names[i])
	}
	return b.String()
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

// unescape is the text of a JSON string without its quotes, and for every byte
// of it, and for its end, where in the string it stands.
func unescape(s string) (text string, at []int32) {
	b := make([]byte, 0, len(s))
	at = make([]int32, 0, len(s)+1)
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			b, at = append(b, s[i]), append(at, int32(i))
			i++
			continue
		}
		start := i
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
			i = min(i+4, len(s))
			if utf16.IsSurrogate(c) && strings.HasPrefix(s[i:], `\u`) {
				if pair := utf16.DecodeRune(c, hex4(s, i+2)); pair != utf8.RuneError {
					c = pair
					i = min(i+6, len(s))
				}
			}
		}
		b = utf8.AppendRune(b, c)
		for len(at) < len(b) {
			at = append(at, int32(start))
		}
	}
	return string(b), append(at, int32(len(s)))
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
