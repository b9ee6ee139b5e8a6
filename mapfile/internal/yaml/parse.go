package yaml

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// Parse reads one document. The error is an *Error and names the first place
// that cannot be read. A document without content is Null.
func Parse(text []byte) (n *Node, err error) {
	p := parser{src: string(text)}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *Error:
			n, err = nil, e
		default:
			panic(e)
		}
	}()
	p.prepare()
	return p.document(), nil
}

// A parser stands at off. Between the lines of block collections it stands at
// the first character of a line that has content; methods that read a whole
// block value leave it there.
type parser struct {
	src   string // lines end in \n
	off   int
	lines []int // where each line begins
	depth int
	nodes int
	last  struct { // the place found last
		off int
		pos Pos
	}
}

func (p *parser) fault(off int, hint, format string, args ...any) {
	panic(&Error{p.pos(off), fmt.Sprintf(format, args...), hint})
}

// pos finds a place. It counts on from the last one, so that a long line costs
// its length once.
func (p *parser) pos(off int) Pos {
	line := sort.SearchInts(p.lines, off+1)
	from := Pos{line, 1}
	start := p.lines[line-1]
	if p.last.pos.Line == line && p.last.off <= off {
		start, from = p.last.off, p.last.pos
	}
	from.Column += utf8.RuneCountInString(p.src[start:off])
	p.last.off, p.last.pos = off, from
	return from
}

// prepare drops a byte order mark, makes every line end in \n, and refuses what
// is no text.
func (p *parser) prepare() {
	p.src = strings.TrimPrefix(p.src, "\ufeff")
	p.src = strings.ReplaceAll(p.src, "\r\n", "\n")
	p.lines = []int{0}
	for i, r := range p.src {
		switch {
		case r == '\n':
			p.lines = append(p.lines, i+1)
		case r == utf8.RuneError && !strings.HasPrefix(p.src[i:], "\ufffd"):
			p.fault(i, "save the file as UTF-8", "byte 0x%02x is not UTF-8", p.src[i])
		case r == '\r':
			p.fault(i, "save the file with the line ends of Unix or Windows", "a carriage return stands alone")
		case r < ' ' && r != '\t':
			p.fault(i, fmt.Sprintf(`write it as "\u%04x"`, r), "a control character (U+%04X) is no text", r)
		}
	}
}

func (p *parser) document() *Node {
	p.nextContent()
	if p.peek() == '%' && p.column() == 0 {
		p.fault(p.off, "drop the line", "a directive is not read here")
	}
	if p.marker("---") {
		p.off += len("---")
		p.skipBlanks()
		if !p.atLineEnd() && p.peek() != '#' {
			p.fault(p.off, "begin on the line after ---", "there is more on the line of the document marker")
		}
		p.endLine()
	}
	n := &Node{Pos: Pos{1, 1}}
	if p.indent() >= 0 {
		n = p.block(-1)
	}
	if p.marker("...") {
		p.off += len("...")
		p.endLine()
	}
	switch {
	case p.marker("---"):
		p.fault(p.off, "keep one document in a file", "a second document begins here")
	case p.off < len(p.src):
		p.fault(p.off, "", "there is more after the end of the document")
	}
	return n
}

// Characters and lines.

func (p *parser) peek() byte {
	if p.off < len(p.src) {
		return p.src[p.off]
	}
	return '\n'
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }
func isFlow(c byte) bool  { return strings.IndexByte(",[]{}", c) >= 0 }

// endsAt reports whether an indicator or a key may end before off.
func (p *parser) endsAt(off int) bool {
	return off >= len(p.src) || p.src[off] == '\n' || isBlank(p.src[off])
}

func (p *parser) atLineEnd() bool { return p.peek() == '\n' }

// indicator reports whether c stands here as an indicator of its own.
func (p *parser) indicator(c byte) bool {
	return p.off < len(p.src) && p.src[p.off] == c && p.endsAt(p.off+1)
}

func (p *parser) marker(m string) bool {
	return strings.HasPrefix(p.src[p.off:], m) && p.endsAt(p.off+len(m)) && (p.off == 0 || p.src[p.off-1] == '\n')
}

// column is the bytes before off in its line. Only the spaces and dashes before
// a block value are counted with it.
func (p *parser) column() int {
	return p.off - (strings.LastIndexByte(p.src[:p.off], '\n') + 1)
}

// indent is the column of the line that comes next, or -1 at the end.
func (p *parser) indent() int {
	if p.off >= len(p.src) || p.marker("---") || p.marker("...") {
		return -1
	}
	return p.column()
}

func (p *parser) skipBlanks() {
	for isBlank(p.peek()) {
		p.off++
	}
}

func (p *parser) skipLine() {
	if i := strings.IndexByte(p.src[p.off:], '\n'); i >= 0 {
		p.off += i + 1
	} else {
		p.off = len(p.src)
	}
}

// endLine reads what may stand behind a value in its line, a comment, and goes
// on to the next line that has content.
func (p *parser) endLine() {
	p.skipBlanks()
	switch {
	case p.atLineEnd():
	case p.peek() == '#' && isBlank(p.src[p.off-1]):
	case p.peek() == '#':
		p.fault(p.off, "put a space before the #", "a comment touches what stands before it")
	case p.peek() == ':':
		p.fault(p.off, "write the key as one text on one line", "a colon follows something that cannot be a key")
	default:
		p.fault(p.off, "quote the whole value, or drop the rest", "there is more text behind the end of a value")
	}
	p.skipLine()
	p.nextContent()
}

// nextContent goes from the beginning of a line to the first character of the
// next one that has content.
func (p *parser) nextContent() {
	for p.off < len(p.src) {
		for p.peek() == ' ' && p.off < len(p.src) {
			p.off++
		}
		tab := p.off
		p.skipBlanks()
		if !p.atLineEnd() && p.peek() != '#' {
			if p.off > tab {
				if c := p.src[p.off]; !isFlow(c) {
					p.fault(tab, "indent with spaces", "a tab indents this line")
				}
			}
			return
		}
		p.skipLine()
	}
}

// Block collections.

func (p *parser) node(k Kind, off int) *Node {
	p.nodes++
	if p.nodes > MaxNodes {
		p.fault(off, "split the file", "there are more than %d values", MaxNodes)
	}
	return &Node{Kind: k, Pos: p.pos(off)}
}

func (p *parser) enter(off int) {
	if p.depth++; p.depth > MaxDepth {
		p.fault(off, "", "values are nested deeper than %d levels", MaxDepth)
	}
}

// block reads the value that begins here and belongs to a collection at column
// n, which is -1 for the document.
func (p *parser) block(n int) *Node {
	if p.indicator('-') {
		return p.list(p.column())
	}
	if key := p.key(); key != nil {
		return p.mapping(key)
	}
	return p.value(n)
}

func (p *parser) list(column int) *Node {
	list := p.node(List, p.off)
	p.enter(p.off)
	for {
		dash := p.off
		p.off++
		p.skipBlanks()
		if p.atLineEnd() || p.peek() == '#' {
			p.endLine()
			if p.indent() > column {
				list.Items = append(list.Items, p.block(column))
			} else {
				list.Items = append(list.Items, p.node(Null, dash))
			}
		} else {
			if strings.IndexByte(p.src[dash:p.off], '\t') >= 0 && (p.indicator('-') || p.isKey()) {
				p.fault(dash+1, "use spaces", "a tab indents this line")
			}
			list.Items = append(list.Items, p.block(column))
		}
		switch i := p.indent(); {
		case i > column:
			p.stray()
		case i < column || !p.indicator('-'):
			p.depth--
			return list
		}
	}
}

func (p *parser) mapping(key *Node) *Node {
	m := &Node{Kind: Map, Pos: key.Pos}
	column := key.Pos.Column - 1
	p.enter(p.off)
	for {
		colon := p.off
		p.off++
		p.skipBlanks()
		var v *Node
		if p.atLineEnd() || p.peek() == '#' {
			p.endLine()
			switch i := p.indent(); {
			case i > column:
				v = p.block(column)
			case i == column && p.indicator('-'):
				v = p.list(column)
			default:
				v = p.node(Null, colon)
				v.Pos = key.Pos
			}
		} else {
			v = p.value(column)
		}
		m.Fields = append(m.Fields, Field{key, v})
		switch i := p.indent(); {
		case i < column:
			p.depth--
			return m
		case i > column:
			p.stray()
		case p.indicator('-'):
			p.fault(p.off, "a list stands alone under its key", "a list item stands among the keys of a mapping")
		}
		if key = p.key(); key == nil {
			p.fault(p.off, "", "a key and a colon are wanted here%s", p.glimpse())
		}
	}
}

func (p *parser) stray() {
	p.fault(p.off, "line it up with what it belongs to", "the line is indented like nothing above it")
}

// glimpse names a word that stands where a key is wanted.
func (p *parser) glimpse() string {
	word, _, _ := strings.Cut(p.src[p.off:], "\n")
	if len(word) > 40 || word == "" {
		return ""
	}
	return fmt.Sprintf(", not %q", word)
}

// key reads a key and stands at its colon, or reads nothing and returns nil.
func (p *parser) key() *Node {
	start := p.off
	switch c := p.peek(); {
	case p.indicator('?'):
		p.fault(start, "write key: value", "a complex key (?) is not read here")
	case c == '"' || c == '\'':
		line, _, _ := strings.Cut(p.src[start:], "\n")
		if strings.Count(line, string(c)) < 2 {
			return nil
		}
		n := p.quoted()
		end := p.off
		p.skipBlanks()
		if p.peek() == ':' && !strings.Contains(p.src[start:end], "\n") {
			if !p.endsAt(p.off + 1) {
				p.fault(p.off+1, "put a space there", "a space is missing behind the colon of a key")
			}
			return n
		}
		p.off = start
		p.nodes--
		return nil
	case c == ':' && p.endsAt(start+1):
		p.fault(start, `an empty key is written ""`, "a key is missing before the colon")
	case !p.startsPlain(false):
		return nil
	}
	end, stop := p.plainLine(start, false)
	if stop != ':' {
		return nil
	}
	n := p.node(String, start)
	n.Text = p.src[start:end]
	p.mergeKey(n, start)
	p.off = end
	p.skipBlanks()
	return n
}

func (p *parser) mergeKey(key *Node, off int) {
	if key.Text == "<<" {
		p.fault(off, "write out the keys, or quote it", "a merge key is not read here")
	}
}

// isKey reports whether a key begins here.
func (p *parser) isKey() bool {
	q := *p
	return q.key() != nil
}

// value reads a scalar or a flow collection, which belongs to a collection at
// column n, and goes on to the next content.
func (p *parser) value(n int) *Node {
	var v *Node
	switch c := p.peek(); {
	case c == '|' || c == '>':
		return p.blockText(n)
	case c == '"' || c == '\'':
		v = p.quoted()
	case c == '[' || c == '{':
		v = p.flow()
	case p.indicator('-'):
		p.fault(p.off, "begin it on the next line, or write [a, b]", "a list cannot begin on the line of its key")
	default:
		v = p.plain(n, false)
	}
	p.endLine()
	return v
}

// Flow collections.

// flow reads a value inside a flow collection, or a flow collection itself.
func (p *parser) flow() *Node {
	switch p.peek() {
	case '[':
		return p.flowList()
	case '{':
		return p.flowMap()
	case '"', '\'':
		return p.quoted()
	}
	return p.plain(0, true)
}

func (p *parser) flowList() *Node {
	open := p.off
	list := p.node(List, open)
	p.enter(open)
	for p.off++; ; {
		p.flowSpace(open)
		switch p.peek() {
		case ']':
			p.off++
			p.depth--
			return list
		case ',':
			p.fault(p.off, "", "a value is missing before the comma")
		}
		start := p.off
		if p.startsPlain(true) {
			if _, stop := p.plainLine(start, true); stop == ':' {
				p.pair(start)
			}
		}
		list.Items = append(list.Items, p.flow())
		p.flowSpace(open)
		if p.peek() == ':' {
			p.pair(start)
		}
		p.comma(open, ']')
	}
}

func (p *parser) pair(off int) {
	p.fault(off, "write {key: value}", "a pair in a list wants braces")
}

func (p *parser) flowMap() *Node {
	open := p.off
	m := p.node(Map, open)
	p.enter(open)
	for p.off++; ; {
		p.flowSpace(open)
		if p.peek() == '}' {
			p.off++
			p.depth--
			return m
		}
		key := p.flowKey()
		start := p.off
		p.flowSpace(open)
		if p.peek() != ':' {
			if strings.Contains(key.Text, ":") {
				p.fault(start, "put a space behind it", "a colon touches the value behind it, so the key reads %q", key.Text)
			}
			p.fault(start, "write key: value", "the key %q has no value", key.Text)
		}
		p.off++
		p.flowSpace(open)
		var v *Node
		if c := p.peek(); c == ',' || c == '}' {
			v = p.node(Null, p.off)
			v.Pos = key.Pos
		} else {
			v = p.flow()
		}
		m.Fields = append(m.Fields, Field{key, v})
		p.flowSpace(open)
		p.comma(open, '}')
	}
}

func (p *parser) flowKey() *Node {
	start := p.off
	switch c := p.peek(); {
	case c == '"' || c == '\'':
		key := p.quoted()
		if strings.Contains(p.src[start:p.off], "\n") {
			p.fault(start, "write it on one line", "a key goes over more than one line")
		}
		return key
	case c == '[' || c == '{':
		p.fault(start, "", "a key must be a text")
	case c == ',':
		p.fault(start, "", "a pair is missing before the comma")
	case p.indicator('?'):
		p.fault(start, "write key: value", "a complex key (?) is not read here")
	case c == ':':
		p.fault(start, `an empty key is written ""`, "a key is missing before the colon")
	}
	p.mustStartPlain(true)
	end, _ := p.plainLine(start, true)
	key := p.node(String, start)
	key.Text = p.src[start:end]
	p.mergeKey(key, start)
	p.off = end
	return key
}

// comma reads the comma behind a value, if the collection does not end.
func (p *parser) comma(open int, end byte) {
	switch p.peek() {
	case ',':
		p.off++
	case end:
	default:
		at := p.pos(open)
		p.fault(p.off, "", "a comma or a %c is missing before this; the %c stands in line %d, column %d",
			end, p.src[open], at.Line, at.Column)
	}
}

// flowSpace skips space, line ends and comments.
func (p *parser) flowSpace(open int) {
	for {
		start := p.off
		p.skipBlanks()
		if p.off < len(p.src) && p.src[p.off] == '#' && (p.off > start || p.src[p.off-1] == '\n') {
			for !p.atLineEnd() {
				p.off++
			}
		}
		if p.off < len(p.src) && p.src[p.off] == '\n' {
			p.off++
			if !p.marker("---") && !p.marker("...") {
				continue
			}
		} else if p.off < len(p.src) {
			return
		}
		p.fault(open, "", "this %c is never closed", p.src[open])
	}
}
