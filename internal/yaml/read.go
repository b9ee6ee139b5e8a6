package yaml

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	yaml3 "go.yaml.in/yaml/v3"
)

// Read reads one document. A document without content is Null. The faults are
// in the order of the text; if they leave no tree, it is nil.
//
// No input makes Read panic, and its time and memory grow with the length of
// the input.
func Read(text []byte) (*Node, []Fault) {
	r := reader{text: strings.ReplaceAll(strings.TrimPrefix(string(text), "\ufeff"), "\r\n", "\n"), starts: []int{0}}
	n := r.document()
	if r.broken {
		n = nil
	}
	if r.hidden != "" {
		r.show(n)
	}
	return n, r.faults
}

const (
	maxFaults = 100
	maxSearch = 1 << 17 // bytes of a text in which the place of a syntax error is searched for
)

type reader struct {
	text   string // lines end in \n
	starts []int  // where each line begins
	last   struct {
		off int
		Pos
	} // the place found last
	path   []string // of the value that is read
	nodes  int
	faults []Fault
	broken bool   // there is no tree
	hidden string // what stands for a question mark in text
}

// fault adds a fault, unless there is one at this place.
func (r *reader) fault(pos Pos, hint, format string, args ...any) {
	if n := len(r.faults); n < maxFaults && (n == 0 || r.faults[n-1].Pos != pos) {
		at := strings.TrimPrefix(strings.Join(r.path, ""), ".")
		r.faults = append(r.faults, Fault{pos, at, fmt.Sprintf(format, args...), hint})
	}
}

// fail adds the fault that ends the reading.
func (r *reader) fail(pos Pos, hint, format string, args ...any) *Node {
	if !r.broken {
		r.fault(pos, hint, format, args...)
	}
	r.broken = true
	return nil
}

// pos is the place of an offset. It counts on from the last one, and so does
// offset, so that a long line costs its length once.
func (r *reader) pos(off int) Pos {
	line := sort.SearchInts(r.starts, off+1)
	start, column := r.starts[line-1], 1
	if r.last.Line == line && r.last.off <= off {
		start, column = r.last.off, r.last.Column
	}
	r.last.off, r.last.Pos = off, Pos{line, column + utf8.RuneCountInString(r.text[start:off])}
	return r.last.Pos
}

// offset is the offset of a place, or the end of its line.
func (r *reader) offset(p Pos) int {
	off, column := r.starts[p.Line-1], 1
	if r.last.Line == p.Line && r.last.Column <= p.Column {
		off, column = r.last.off, r.last.Column
	}
	for end := r.end(p.Line); column < p.Column && off < end; column++ {
		_, size := utf8.DecodeRuneInString(r.text[off:])
		off += size
	}
	r.last.off, r.last.Pos = off, Pos{p.Line, column}
	return off
}

// end is the offset where a line ends.
func (r *reader) end(line int) int {
	if line < len(r.starts) {
		return r.starts[line] - 1
	}
	return len(r.text)
}

func (r *reader) line(line int) string { return r.text[r.starts[line-1]:r.end(line)] }

func (r *reader) document() *Node {
	odd := -1 // a character that only JSON may have
	for i, c := range r.text {
		switch {
		case c == '\n':
			r.starts = append(r.starts, i+1)
		case c == utf8.RuneError && !strings.HasPrefix(r.text[i:], "\ufffd"):
			return r.fail(r.pos(i), "save the file as UTF-8", "byte 0x%02x is not UTF-8", r.text[i])
		case c == '\r':
			return r.fail(r.pos(i), "save the file with the line ends of Unix or Windows", "a carriage return stands alone")
		case odd < 0 && (c < ' ' && c != '\t' || 0x7f <= c && c < 0xa0 || c == '\u2028' || c == '\u2029' || c == 0xfffe || c == 0xffff):
			odd = i
		}
	}
	if json.Valid([]byte(r.text)) {
		d := json.NewDecoder(strings.NewReader(r.text))
		d.UseNumber()
		return r.json(d, 0)
	}
	if odd >= 0 {
		c, _ := utf8.DecodeRuneInString(r.text[odd:])
		return r.fail(r.pos(odd), fmt.Sprintf(`write it as "\u%04x"`, c), "a control character (U+%04X) is no text", c)
	}
	for n := range r.starts {
		if row := strings.TrimSpace(r.line(n + 1)); strings.HasPrefix(row, "%") {
			return r.fail(Pos{n + 1, 1}, "drop the line", "a directive is not read here")
		} else if row != "" && row[0] != '#' {
			break
		}
	}
	docs, err := parse(r.text)
	if err != nil {
		docs, err = r.hide(docs, err)
	}
	switch {
	case err != nil:
		return r.syntax(err)
	case len(docs) == 0:
		return &Node{Pos: Pos{1, 1}}
	case len(docs) > 1:
		return r.fail(r.place(docs[1]), "keep one document in a file", "a second document begins here")
	}
	return r.node(docs[0].Content[0], Pos{1, 1}, 0)
}

// place is where a node of the library begins.
func (r *reader) place(y *yaml3.Node) Pos {
	return Pos{min(max(y.Line-1, 1), len(r.starts)), max(y.Column, 1)}
}

// parse returns the first documents of a text, at most two. Their lines count
// from 2, since the library does not tell the line of an error in line 1.
func parse(text string) (docs []*yaml3.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the reader of YAML failed: %v", p)
		}
	}()
	for d := yaml3.NewDecoder(strings.NewReader("\n" + text)); len(docs) < 2; {
		n := new(yaml3.Node)
		if err := d.Decode(n); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		docs = append(docs, n)
	}
	return docs, nil
}

// refusals are what the library says, what we say instead, what to do, the character
// before the place found where what is meant begins, and what to put behind a
// beginning of the text so that its end does not fail in the same way.
var refusals = []struct{ says, means, hint, begins, behind string }{
	{"mapping values are not allowed", "a colon and a space stand where no key can", "quote the text if the colon belongs to it, or line the key up with the other keys", "", ""},
	{"could not find expected ':'", "a key and a colon are wanted here", "", "", ""},
	{"did not find expected key", "a key that lines up with the other keys is wanted here", "line it up with what it belongs to, or quote the whole value above it", "", ""},
	{"did not find expected '-'", "an item that lines up with the list is wanted here", "line it up with what it belongs to", "", ""},
	{"did not find expected ','", "a comma or a closing bracket is missing here", "quote a text with a question mark or a bracket in it", "", ",,,,,,"},
	{"did not find expected node content", "a value or a closing bracket is missing here", "", "", " x x x"},
	{"did not find expected <document", "there is more after the end of the document", "", "", ""},
	{"block sequence entries are not allowed", "a list cannot begin here", "begin it on the next line, or write [a, b]", "", ""},
	{"cannot start any token", "a text cannot begin with this", "quote the text", "", ""},
	{"tab character", "a tab indents this line", "indent with spaces", "", ""},
	{"unexpected end of stream", "this quote is never closed", "", "", ""},
	{"unexpected document indicator", "this quote is never closed", "", "", ""},
	{"unknown escape", "there is no such escape", `write \\ for a backslash, or use single quotes`, `\`, ""},
	{"hexdecimal", "an escape lacks digits", `write \\ for a backslash, or use single quotes`, `\`, ""},
	{"Unicode character escape", "this escape is no character", "write the character itself", `\`, ""},
	{"unknown anchor", "an alias (*) is not read here", "write the value out, or quote the text", "*", ""},
	{"", "this is not YAML", "", "", ""},
}

var lineOf = regexp.MustCompile(`^(?:yaml: (?:line (\d+): )?)?`)

// syntax reports an error of the library, which tells no column, and often the
// line of what surrounds the error. The place is the end of the shortest
// beginning of the text that fails in the same way or, in a long text, the line
// that the library tells.
func (r *reader) syntax(err error) *Node {
	said := lineOf.FindStringSubmatch(err.Error())
	i := 0
	for !strings.Contains(err.Error(), refusals[i].says) {
		i++
	}
	means, hint := refusals[i].means, refusals[i].hint
	if refusals[i].says == "" {
		means += ": " + strings.TrimPrefix(err.Error(), said[0])
	}
	off := 0
	if len(r.text) > maxSearch {
		if line, _ := strconv.Atoi(said[1]); line > 1 {
			off = r.starts[min(line-1, len(r.starts))-1]
		}
	} else if off = r.search(err, refusals[i].behind); off == len(r.text) {
		off = min(r.search(err, ""), len(r.text)-1)
	}
	for !utf8.RuneStart(r.text[off]) {
		off--
	}
	line := r.pos(off).Line
	start, row := r.starts[line-1], r.line(line)
	tab := strings.IndexByte(row, '\t')
	switch begins := refusals[i].begins; {
	case strings.Contains(refusals[i].says, "any token") && tab >= 0 && strings.Trim(row[:tab], " -") == "":
		off = start + tab
		means, hint = "a tab indents this line", "indent with spaces"
	case strings.TrimSpace(r.text[start:off+1]) == "" || r.text[off] == '\n':
		off = start + len(row) - len(strings.TrimLeft(row, " \t"))
	case begins != "":
		off = start + max(strings.LastIndex(r.text[start:off+1], begins), 0)
	}
	if at := r.behindQuoted(line, off); at >= 0 {
		off, means, hint = at, "text follows a quoted value", "quote the whole value"
	}
	return r.fail(r.pos(off), hint, "%s", means)
}

// behindQuoted is the offset of a text that follows a quoted value and makes
// the reading fail at off in this line; it is -1 if that is not why.
func (r *reader) behindQuoted(line, off int) int {
	if at := behindQuoted(r.line(line)); at >= 0 && r.starts[line-1]+at <= off {
		return r.starts[line-1] + at
	}
	for line--; line > 0 && strings.TrimSpace(r.line(line)) == ""; {
		line--
	}
	if line == 0 {
		return -1
	}
	at := behindQuoted(r.line(line))
	if at < 0 {
		return -1
	}
	if _, err := parse(r.text[:r.end(line)]); err == nil { // the line is a piece of a longer text
		return -1
	}
	return r.starts[line-1] + at
}

// behindQuoted is where in a row a text follows a quoted value, or -1.
func behindQuoted(row string) int {
	last, dashes := -1, true // the character before this one but for blanks, and whether all of them are dashes
	for i := 0; i < len(row); i++ {
		c, spaced := row[i], last < i-1
		value := last < 0 || strings.ContainsRune("[{", rune(row[last])) || spaced && (dashes || strings.ContainsRune(":,", rune(row[last])))
		switch {
		case c == ' ' || c == '\t':
			continue
		case c == '#' && (spaced || i == 0):
			return -1
		case value && (c == '"' || c == '\''):
			n, closed := quoted(row[i:])
			rest := strings.TrimLeft(row[i+n:], " \t")
			switch {
			case !closed || rest == "":
				return -1
			case !strings.ContainsRune(",:#]}", rune(rest[0])):
				return len(row) - len(rest)
			}
			i += n - 1
		}
		last, dashes = i, dashes && c == '-'
	}
	return -1
}

// search finds the last character of the shortest beginning of the text that,
// with more behind it, fails with err; it is the end of the text if none does.
func (r *reader) search(err error, behind string) int {
	return sort.Search(len(r.text), func(n int) bool {
		for n++; n < len(r.text) && !utf8.RuneStart(r.text[n]); {
			n++
		}
		_, same := parse(r.text[:n] + behind)
		return same != nil && same.Error() == err.Error()
	})
}
