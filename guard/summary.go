package guard

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// A summary is at most maxActual code points, the ellipsis among them, and so
// at most maxSummary bytes.
const (
	maxActual  = 80
	maxSummary = maxActual * utf8.UTFMax

	// maxShared bounds the bytes of a result of which evidence keeps a part
	// instead of a copy.
	maxShared = 1024
)

// summary returns s in at most 80 code points.
func summary(s string) string {
	d := datum{kind: String, plain: true, share: true, text: s}
	if !d.copied() {
		return s
	}
	var b strings.Builder
	return d.summary(&b)
}

// copied reports whether the summary of d needs a string of its own, and is not
// simply its text.
func (d *datum) copied() bool {
	switch d.kind {
	case Missing, Null, Bool:
		return false
	case Number:
		return !d.share || d.text == "" || len(d.text) > maxActual
	case String:
		return !d.share || !d.plain || len(d.text) > maxActual || !utf8.ValidString(d.text)
	}
	return true
}

// copiedSize returns how many bytes the summaries of the conditions from i on
// need at most.
func (r *reader) copiedSize(c *Compiled, i int) int {
	size := 0
	for ; i < len(c.conds); i++ {
		cd := &c.conds[i]
		if !cd.first {
			continue
		}
		f := r.find(c, cd)
		hop := cd.hop != hopField
		d := datum{kind: f.kind, text: f.text, plain: hop, share: hop || r.shares()}
		if d.copied() {
			// A byte that is not UTF-8 becomes three; an int64 has 20 at most.
			size += min(max(3*len(f.text), 20), maxSummary)
		}
	}
	return size
}

// summary writes d to b in at most 80 code points, and returns that.
func (d *datum) summary(b *strings.Builder) string {
	start := b.Len()
	switch {
	case d.kind == Number && d.text == "":
		var buf [20]byte
		b.Write(strconv.AppendInt(buf[:0], d.i, 10))
		return b.String()[start:]
	case len(d.text) <= maxActual && (d.kind == Number || d.plain && utf8.ValidString(d.text)):
		b.WriteString(d.text)
		return b.String()[start:]
	}
	r := runeReader{
		text:    d.text,
		escaped: d.kind == String && !d.plain,
		json:    d.kind == List || d.kind == Other,
	}
	c, ok := r.next()
	for n := 1; ok; n++ {
		next, more := r.next()
		if n == maxActual && more {
			b.WriteString("…")
			break
		}
		b.WriteRune(c)
		c, ok = next, more
	}
	return b.String()[start:]
}

// A runeReader reads a text as it is, as a string is written between its quotes
// (escaped), or as JSON without the space between tokens.
type runeReader struct {
	text     string
	escaped  bool
	json     bool
	inString bool // with json
	literal  bool // with json: the next byte of a string is escaped
}

func (r *runeReader) next() (c rune, ok bool) {
	if r.json && !r.inString {
		r.text = r.text[skipSpace(r.text, 0):]
	}
	if r.text == "" {
		return 0, false
	}
	if r.escaped {
		c, r.text = nextRune(r.text)
		return c, true
	}
	c, n := utf8.DecodeRuneInString(r.text)
	r.text = r.text[n:]
	switch {
	case r.literal:
		r.literal = false
	case c == '"':
		r.inString = !r.inString
	case c == '\\':
		r.literal = r.inString
	}
	return c, true
}
