package yaml

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// startsPlain reports whether a plain scalar may begin here.
func (p *parser) startsPlain(flow bool) bool {
	switch c := p.peek(); c {
	case '-', '?', ':':
		return !p.endsAt(p.off+1) && !(flow && isFlow(p.src[p.off+1]))
	case '\n', ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`':
		return false
	}
	return true
}

func (p *parser) mustStartPlain(flow bool) {
	if p.startsPlain(flow) {
		return
	}
	hint := "quote the text"
	switch c := p.peek(); c {
	case '&':
		p.fault(p.off, "write the value where it is used, or "+hint, "an anchor (&) is not read here")
	case '*':
		p.fault(p.off, "write the value out, or "+hint, "an alias (*) is not read here")
	case '!':
		p.fault(p.off, "drop it, or "+hint, "a tag (!) is not read here")
	case '|', '>':
		p.fault(p.off, "quote it, or move it out of the brackets", "a block text cannot stand between brackets")
	case '\n':
		p.fault(p.off, "", "a value is missing")
	case ']', '}':
		p.fault(p.off, hint, "this %c closes nothing", c)
	default:
		p.fault(p.off, hint, "a text cannot begin with %c", c)
	}
}

// plainLine returns where the plain text that begins at off ends in its line,
// and why: a ':' that makes it a key, a '#', a flow indicator, or the line end.
func (p *parser) plainLine(off int, flow bool) (end int, stop byte) {
	end = off
	for i := off; i < len(p.src); i++ {
		switch c := p.src[i]; {
		case c == '\n':
			return end, '\n'
		case c == ':' && (p.endsAt(i+1) || flow && isFlow(p.src[i+1])):
			return end, ':'
		case c == '#' && i > off && isBlank(p.src[i-1]):
			return end, '#'
		case flow && isFlow(c):
			return end, c
		case !isBlank(c):
			end = i + 1
		}
	}
	return end, '\n'
}

// plain reads a plain scalar with its further lines, each deeper than column n.
func (p *parser) plain(n int, flow bool) *Node {
	p.mustStartPlain(flow)
	begin := p.off // of the line
	v := p.node(String, begin)
	end, stop := p.plainLine(begin, flow)
	text := append([]byte(nil), p.src[begin:end]...)
	v.Kind, v.TextLine = Resolve(p.src[begin:end]), v.Pos.Line
	for {
		p.off = end
		if stop == ':' {
			p.keyInside(v, begin, flow)
		}
		if stop != '\n' {
			break
		}
		next, breaks := p.nextTextLine(end, n, flow)
		if breaks == 0 {
			break
		}
		if begin = next; !flow && p.src[begin] == '-' && p.endsAt(begin+1) {
			p.fault(begin, "line it up with the list, or quote the text", "a list item is indented into the value above it")
		}
		end, stop = p.plainLine(begin, flow)
		text = append(append(text, fold(breaks)...), p.src[begin:end]...)
		v.Kind, v.TextLine = String, 0
	}
	v.Text = string(text)
	return v
}

// keyInside reports that a line of the plain scalar v, which begins at begin,
// reads like a key.
func (p *parser) keyInside(v *Node, begin int, flow bool) {
	switch {
	case flow:
		p.fault(begin, "put a comma or a bracket before it, or quote the text", "a key begins inside a value")
	case p.pos(begin) != v.Pos:
		p.fault(begin, "line it up with the keys, or quote the text", "a key is indented into the value above it")
	}
	p.skipBlanks()
	p.fault(p.off, "quote the text if the colon belongs to it", "a value holds a colon and a space, as only a key may")
}

// nextTextLine finds the next line of a plain scalar whose line ends at off, and
// how many lines further down it is; none is 0.
func (p *parser) nextTextLine(off, n int, flow bool) (next, breaks int) {
	q := parser{src: p.src, off: off}
	for q.skipBlanks(); q.off < len(q.src) && q.atLineEnd(); q.skipBlanks() {
		q.off++
		breaks++
		next = q.off
	}
	for next < q.off && q.src[next] == ' ' {
		next++
	}
	switch {
	case q.off >= len(q.src) || q.peek() == '#' || flow && isFlow(q.peek()) || flow && q.indicator(':'):
		return 0, 0
	case q.marker("---") || q.marker("..."):
		return 0, 0
	case !flow && next-(strings.LastIndexByte(q.src[:next], '\n')+1) <= n:
		return 0, 0
	}
	return q.off, breaks
}

// fold is what line ends become inside a plain or quoted scalar.
func fold(breaks int) string {
	if breaks == 1 {
		return " "
	}
	return strings.Repeat("\n", breaks-1)
}

// quoted reads a quoted scalar, single or double.
func (p *parser) quoted() *Node {
	start, quote := p.off, p.peek()
	v := p.node(String, start)
	var text []byte
	kept := 0 // bytes of text that a line end does not trim
	for p.off++; p.off < len(p.src); {
		switch c := p.src[p.off]; {
		case c == quote && quote == '\'' && strings.HasPrefix(p.src[p.off:], "''"):
			text = append(text, '\'')
			p.off += 2
			kept = len(text)
		case c == quote:
			p.off++
			v.Text = string(text)
			if !strings.Contains(v.Text, "\n") && !strings.Contains(p.src[start:p.off], "\n") {
				v.TextLine = v.Pos.Line
			}
			return v
		case c == '\n':
			text = append(text[:kept], fold(p.breaks(start))...)
			kept = len(text)
		case c == '\\' && quote == '"':
			text = p.escape(start, text)
			kept = len(text)
		default:
			text = append(text, c)
			p.off++
			if !isBlank(c) {
				kept = len(text)
			}
		}
	}
	p.fault(start, "", "this quote is never closed")
	return nil
}

// breaks skips line ends and the space around them, inside quotes that open at
// start, and counts them.
func (p *parser) breaks(start int) (n int) {
	for p.off < len(p.src) && p.atLineEnd() {
		n++
		p.off++
		if p.marker("---") || p.marker("...") {
			p.fault(start, "", "this quote is never closed")
		}
		p.skipBlanks()
	}
	return max(n, 1)
}

var escapes = map[byte]string{
	'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", '\t': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r", 'e': "\x1b",
	' ': " ", '"': `"`, '/': "/", '\\': `\`, 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

// escape appends to text what an escape of a double-quoted scalar, which opens
// at start, stands for.
func (p *parser) escape(start int, text []byte) []byte {
	at := p.off
	p.off += 2
	if at+1 >= len(p.src) {
		p.fault(start, "", "this quote is never closed")
	}
	c := p.src[at+1]
	if s, ok := escapes[c]; ok {
		return append(text, s...)
	}
	switch c {
	case '\n':
		p.off = at + 1
		return append(text, strings.Repeat("\n", p.breaks(start)-1)...)
	case 'x':
		return utf8.AppendRune(text, p.hex(at, 2))
	case 'U':
		r := p.hex(at, 8)
		if !utf8.ValidRune(r) {
			p.fault(at, "", "there is no character %s", p.src[at:p.off])
		}
		return utf8.AppendRune(text, r)
	case 'u':
		r := p.hex(at, 4)
		if utf16.IsSurrogate(r) {
			low := rune(0)
			if strings.HasPrefix(p.src[p.off:], `\u`) {
				p.off += 2
				low = p.hex(p.off-2, 4)
			}
			if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
				p.fault(at, "", "%s is one half of a character", p.src[at:at+6])
			}
		}
		return utf8.AppendRune(text, r)
	}
	r, _ := utf8.DecodeRuneInString(p.src[at+1:])
	p.fault(at, `write \\ for a backslash, or use single quotes`, `there is no escape \%c`, r)
	return nil
}

// hex reads the n digits of an escape that begins at at.
func (p *parser) hex(at, n int) rune {
	if end := p.off + n; end <= len(p.src) {
		if r, err := strconv.ParseUint(p.src[p.off:end], 16, 32); err == nil {
			p.off = end
			return rune(r)
		}
	}
	p.fault(at, "", `\%c wants %d hexadecimal digits`, p.src[at+1], n)
	return 0
}

// blockText reads a literal (|) or folded (>) scalar, which belongs to a
// collection at column n.
func (p *parser) blockText(n int) *Node {
	v := p.node(String, p.off)
	literal := p.peek() == '|'
	var chomp byte
	indent := 0
header:
	for p.off++; ; p.off++ {
		switch c := p.peek(); {
		case (c == '+' || c == '-') && chomp == 0:
			chomp = c
		case '1' <= c && c <= '9' && indent == 0:
			indent = max(n, 0) + int(c-'0')
		default:
			break header
		}
	}
	p.skipBlanks()
	if !p.atLineEnd() && !(p.peek() == '#' && isBlank(p.src[p.off-1])) {
		p.fault(p.off, "begin the text on the next line", "there is more behind the sign of a block text")
	}
	p.skipLine()
	if indent == 0 {
		indent = p.textIndent(n)
	}

	var b strings.Builder
	var lineEnd string // of the line before, not yet written
	blanks, lines, deep := 0, 0, false
	for p.off < len(p.src) {
		line, _, ended := strings.Cut(p.src[p.off:], "\n")
		spaces := len(line) - len(strings.TrimLeft(line, " "))
		if spaces == len(line) && spaces <= indent {
			if ended {
				blanks++
			}
			p.skipLine()
			continue
		}
		if spaces < indent || indent == 0 && (p.marker("---") || p.marker("...")) {
			break
		}
		wasDeep := deep
		deep = isBlank(line[indent])
		if !literal && lineEnd != "" && !wasDeep && !deep {
			if blanks == 0 {
				b.WriteByte(' ')
			}
		} else {
			b.WriteString(lineEnd)
		}
		b.WriteString(strings.Repeat("\n", blanks))
		b.WriteString(line[indent:])
		blanks, lineEnd = 0, ""
		if ended {
			lineEnd = "\n"
		}
		lines++
		p.skipLine()
	}
	if chomp != '-' {
		b.WriteString(lineEnd)
	}
	if chomp == '+' {
		b.WriteString(strings.Repeat("\n", blanks))
	}
	v.Text = b.String()
	if v.Text != "" && (literal || lines == 1 && v.Text[0] != '\n') {
		v.TextLine = v.Pos.Line + 1
	}
	p.nextContent()
	return v
}

// textIndent finds the indentation of a block text that belongs to column n: it
// is that of the first line which is not blank.
func (p *parser) textIndent(n int) int {
	widest, at := 0, 0
	for off := p.off; off < len(p.src); {
		line, _, _ := strings.Cut(p.src[off:], "\n")
		spaces := len(line) - len(strings.TrimLeft(line, " "))
		if spaces < len(line) {
			if spaces <= n {
				break
			}
			if widest > spaces {
				p.fault(at, "drop the spaces of the empty line", "an empty line is indented deeper than the text below it")
			}
			return spaces
		}
		if spaces > widest {
			widest, at = spaces, off
		}
		off += len(line) + 1
	}
	return max(n+1, widest)
}
