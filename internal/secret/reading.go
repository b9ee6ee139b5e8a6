package secret

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A reading is a text of which one layer of escapes is read.
type reading struct {
	text    string
	escapes []escape
	whole   int // of text, up to an escape that has begun at the end
	there   int // where that is in the text that is read
}

// An escape is one of them: where it is in the reading, and in the text that
// is read.
type escape struct{ here, size, there, length int }

// unescape reads a layer: escapes of JSON strings if its number is even, and
// of URLs if it is odd.
func unescape(s string, layer int) *reading {
	r := &reading{text: s, there: len(s)}
	mark := `\%`[layer%2]
	var b strings.Builder
	done := 0
	for at := strings.IndexByte(s, mark); at >= 0 && at < len(s); at++ {
		if s[at] != mark {
			continue
		}
		switch meant, length, ok := meaning(s[at:]); {
		case ok && length == 0:
			r.there = min(r.there, at)
		case ok:
			b.WriteString(s[done:at])
			r.escapes = append(r.escapes, escape{b.Len(), len(meant), at, length})
			b.WriteString(meant)
			done = at + length
			at = done - 1
		}
	}
	if len(r.escapes) > 0 {
		b.WriteString(s[done:])
		r.text = b.String()
	}
	r.whole = r.of(r.there)
	return r
}

// start is where a byte of the reading begins in the text that is read.
func (r *reading) start(i int) int {
	e, ok := r.before(i, func(e escape) int { return e.here })
	switch {
	case !ok:
		return i
	case i < e.here+e.size:
		return e.there
	}
	return i - e.here - e.size + e.there + e.length
}

// end is where the bytes of the reading up to i end in the text that is read.
func (r *reading) end(i int) int { return r.ceil(r.start(i-1) + 1) }

// floor is i, or where the escape begins that i is within. Both are in the
// text that is read.
func (r *reading) floor(i int) int {
	if e, ok := r.before(i, func(e escape) int { return e.there }); ok && i < e.there+e.length {
		return e.there
	}
	return i
}

// ceil is i, or where the escape ends that i is within.
func (r *reading) ceil(i int) int {
	if e, ok := r.before(i-1, func(e escape) int { return e.there }); ok && i < e.there+e.length {
		return e.there + e.length
	}
	return i
}

// of is where a place of the text that is read, within no escape, is in the reading.
func (r *reading) of(i int) int {
	e, ok := r.before(i-1, func(e escape) int { return e.there })
	if !ok {
		return i
	}
	return i - e.there - e.length + e.here + e.size
}

// before is the last escape that does not begin after i.
func (r *reading) before(i int, at func(escape) int) (escape, bool) {
	n := sort.Search(len(r.escapes), func(n int) bool { return at(r.escapes[n]) > i })
	if n == 0 {
		return escape{}, false
	}
	return r.escapes[n-1], true
}

var letters = map[byte]string{'"': `"`, '\\': `\`, '/': "/", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t"}

// meaning is what the escape means that a text begins with, and its length,
// which is zero if there may be more of it than there is of the text. One with
// digits is half as long again as they are.
func meaning(s string) (string, int, bool) {
	switch {
	case s[0] == '%':
		n, end := number(s[1:], 2)
		return string([]byte{byte(n)}), end + end/2, end >= 0
	case len(s) == 1:
		return "", 0, true
	case s[1] != 'u':
		meant, ok := letters[s[1]]
		return meant, 2, ok
	}
	n, end := number(s[2:], 4)
	if end <= 0 || !utf16.IsSurrogate(n) {
		return string(n), end + end/2, end >= 0
	}
	rest := s[6:]
	if n < 0xdc00 && (rest == "" || rest == `\` || strings.HasPrefix(rest, `\u`)) { // the other half may follow
		low, end := rune(0), 0
		if len(rest) > 2 {
			low, end = number(rest[2:], 4)
		}
		if end == 0 {
			return "", 0, true
		}
		if pair := utf16.DecodeRune(n, low); end > 0 && pair != utf8.RuneError {
			return string(pair), 12, true
		}
	}
	return "\uFFFD", 6, true
}

// number reads so many hexadecimal digits, and tells where they end: at 0 if
// there may be more than there is of the text, and at -1 if they are none.
func number(s string, digits int) (n rune, end int) {
	short := len(s) < digits
	if short {
		s += strings.Repeat("0", digits-len(s))
	}
	v, err := strconv.ParseUint(s[:digits], 16, 16)
	switch {
	case err != nil:
		return 0, -1
	case short:
		return 0, 0
	}
	return rune(v), digits
}
