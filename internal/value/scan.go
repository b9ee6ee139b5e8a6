package value

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// flags are what else a spelling may mean, and what was seen around it.
type flags uint16

const (
	altGroups   flags = 1 << iota // its one separator may part thousands: 41.200 is 41200
	altDecimal                    // or may be the decimal point: 1,234 is 1.234
	altList                       // or may part two numbers of a list: 17,42
	altNegative                   // in parentheses, or after "fell"
	altID                         // the whole spelling may be an id: 0xa0f0
	altBinary                     // a GB may be a GiB
	altMetre                      // 5m
	altDay                        // 11/12/2026 with the day first; 20261130 as a date
	altPlain                      // the unit came from the name of a field
	about                         // not so exactly: about 8 minutes, ~300
)

// maxText bounds the bytes of one value. A longer token is none: it is data.
const maxText = 256

// scanner is at one place of a text.
type scanner struct {
	text  string
	floor int // where the last value ended
	plain int // up to here no token has a digit
}

// All yields the values of text in order. None overlap.
func All(text string) iter.Seq[Value] {
	return func(yield func(Value) bool) { each(text, yield) }
}

func each(text string, yield func(Value) bool) {
	if strings.Contains(text, hyphen) || strings.Contains(text, hyphenToo) {
		eachPlain(text, yield)
		return
	}
	s := scanner{text: text}
	for i := 0; i < len(text); {
		var v Value
		next := i + 1
		switch class[text[i]] {
		case other, underscore:
			i++
			continue
		case digit:
			v, next = s.digit(i)
		case letter:
			if end := s.dull(i); end > 0 {
				i = end
				continue
			}
			v, next = s.word(i)
		case opener:
			v, next = s.phone(i)
		case escape:
			next = s.escape(i)
		case high:
			if r, size := utf8.DecodeRuneInString(text[i:]); wordRune(r) {
				v, next = s.word(i)
			} else {
				next = i + size
			}
		}
		if v.Kind != 0 {
			v.text = text[v.Start:v.End]
			v.Unit = units[v.unit].name
			v.Common = v.common()
			s.floor = v.End
			if !yield(v) {
				return
			}
		}
		i = next
	}
}

// The hyphens that mean the one of ASCII.
const hyphen, hyphenToo = "\u2011", "\u2010"

// eachPlain yields the values of a text as if all its hyphens were of ASCII.
func eachPlain(text string, yield func(Value) bool) {
	plain := strings.NewReplacer(hyphen, "-", hyphenToo, "-").Replace(text)
	at, from := 0, 0 // the same place in plain and in text
	place := func(to int) int {
		for ; at < to; at++ {
			if strings.HasPrefix(text[from:], hyphen) || strings.HasPrefix(text[from:], hyphenToo) {
				from += len(hyphen)
			} else {
				from++
			}
		}
		return from
	}
	for v := range All(plain) {
		v.Start = place(v.Start)
		v.End = place(v.End)
		if !yield(v) {
			return
		}
	}
}

// Scan returns the values of text in order, MaxValues at most. None overlap.
func Scan(text string) []Value {
	var all []Value
	for v := range All(text) {
		if all = append(all, v); len(all) == MaxValues {
			break
		}
	}
	return all
}

const (
	other = iota
	digit
	letter
	underscore // part of a word between letters and digits
	opener     // + and (, which may begin a phone number
	escape
	high // a byte of a rune that is not ASCII
)

var class = func() (c [256]uint8) {
	for i := range c {
		switch {
		case '0' <= i && i <= '9':
			c[i] = digit
		case 'a' <= i && i <= 'z', 'A' <= i && i <= 'Z':
			c[i] = letter
		case i == '_':
			c[i] = underscore
		case i == '+' || i == '(':
			c[i] = opener
		case i == '\\':
			c[i] = escape
		case i >= utf8.RuneSelf:
			c[i] = high
		}
	}
	return c
}()

// wordRune says whether a rune beyond ASCII is a letter of a script that parts
// words by spaces.
func wordRune(r rune) bool { return r < 0x2000 && unicode.IsLetter(r) }

// dull is the end of a word from i that names no value, as most do; 0 if it may.
func (s *scanner) dull(i int) int {
	end := i + 1
	for end < len(s.text) && (class[s.text[end]] == letter || class[s.text[end]] == underscore) {
		end++
	}
	if end < len(s.text) {
		switch c := s.text[end]; class[c] {
		case digit, high:
			return 0
		default:
			if joiner(c) && end >= s.plain || c == ':' && end-i <= 4 {
				return 0
			}
		}
	}
	if n := end - i; n >= 3 && n <= 9 && wordStart[s.text[i]] {
		return 0
	}
	return end
}

// wordAt says whether a word goes on, or begins, at i.
func (s *scanner) wordAt(i int) bool {
	if i >= len(s.text) {
		return false
	}
	switch class[s.text[i]] {
	case digit, letter:
		return true
	case underscore:
		c := class[s.at(i+1)]
		return c == digit || c == letter
	case high:
		r, _ := utf8.DecodeRuneInString(s.text[i:])
		return wordRune(r)
	}
	return false
}

// wordBefore says whether a word ends at i.
func (s *scanner) wordBefore(i int) bool {
	if i <= 0 {
		return false
	}
	switch class[s.text[i-1]] {
	case digit, letter:
		return true
	case high:
		r, _ := utf8.DecodeLastRuneInString(s.text[:i])
		return wordRune(r)
	}
	return false
}

// run is the end of the letters, digits and underscores from i, and whether
// there are digits among them.
func (s *scanner) run(i int) (end int, digits bool) {
	for i < len(s.text) {
		switch class[s.text[i]] {
		case digit:
			digits = true
			i++
		case letter:
			i++
		case underscore:
			if !s.wordAt(i) {
				return i, digits
			}
			i++
		case high:
			r, size := utf8.DecodeRuneInString(s.text[i:])
			if !wordRune(r) {
				return i, digits
			}
			i += size
		default:
			return i, digits
		}
	}
	return i, digits
}

// at is the byte at i, 0 beyond the ends.
func (s *scanner) at(i int) byte {
	if i < 0 || i >= len(s.text) {
		return 0
	}
	return s.text[i]
}

func (s *scanner) digitAt(i int) bool { return i >= 0 && i < len(s.text) && class[s.text[i]] == digit }

// digits is the end of the digits from i.
func (s *scanner) digits(i int) int {
	for i < len(s.text) && class[s.text[i]] == digit {
		i++
	}
	return i
}

// escape is the end of an escape of JSON, so that the n of \n17 is no letter.
func (s *scanner) escape(i int) int {
	switch s.at(i + 1) {
	case 'n', 't', 'r', 'b', 'f', '"', '\\', '/':
		return i + 2
	case 'u':
		end := i + 2
		for end < len(s.text) && end < i+6 && hexDigit(s.text[end]) {
			end++
		}
		if end == i+6 {
			return end
		}
	}
	return i + 1
}

func hexDigit(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// space is the width of one space at i that may stand inside a value, 0 if
// there is none: a space, or one that does not break.
func (s *scanner) space(i int) int {
	switch s.at(i) {
	case ' ':
		return 1
	case 0xc2:
		if s.at(i+1) == 0xa0 {
			return 2
		}
	case 0xe2:
		if s.at(i+1) == 0x80 && (s.at(i+2) == 0xaf || s.at(i+2) == 0x89) {
			return 3
		}
	}
	return 0
}

// spaceBefore is the width of such a space that ends at i.
func (s *scanner) spaceBefore(i int) int {
	for _, w := range [...]int{1, 2, 3} {
		if i-w >= s.floor && s.space(i-w) == w {
			return w
		}
	}
	return 0
}

// common says whether v says little by itself.
func (v *Value) common() bool {
	switch v.Kind {
	case ID:
		return len(v.text) <= 2
	case Percent:
		return v.Num.Sign() == 0 || v.Num == Decimal{coef: 1, exp: 2}
	case Number:
		n := v.Num
		if n.neg || n.big != "" || n.exp < 0 || n.exp > 3 {
			return false
		}
		switch c := n.coef * uint64(tens[n.exp]); {
		case c <= 12, c == 100, c == 1000:
			return true
		case c >= 1900 && c < 2100:
			return len(v.text) == 4
		}
	}
	return false
}
