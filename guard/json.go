package guard

import (
	"errors"
	"math/bits"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth bounds how deep arrays and objects may nest, as encoding/json does.
const maxDepth = 10000

// The scanners below take an index and return the index after what they
// scanned, or -1 if that is not JSON. Strings are scanned eight bytes at a time.
// Like encoding/json they let invalid UTF-8
// stand in a string; it decodes to U+FFFD.

// skipSpace never fails; at the end of s it returns len(s).
func skipSpace(s string, i int) int {
	if uint(i) < uint(len(s)) && s[i] > ' ' {
		return i
	}
	return skipSpaces(s, i)
}

func skipSpaces(s string, i int) int {
	for i+8 <= len(s) && load64(s, i) == eachByte*' ' { // indentation
		i += 8
	}
	for uint(i) < uint(len(s)) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\r' || s[i] == '\t') {
		i++
	}
	return i
}

// load64 returns the eight bytes at i, the first one lowest.
func load64(s string, i int) uint64 {
	b := s[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

const (
	eachByte = 0x0101010101010101
	highBits = 0x8080808080808080
)

// special returns a word whose lowest set bit is the highest bit of the first
// byte of w that does not stand for itself in a string: a quote, a backslash or
// a control. It is 0 if there is none.
func special(w uint64) uint64 {
	quote := w ^ eachByte*'"'
	backslash := w ^ eachByte*'\\'
	return ((w-eachByte*' ')&^w | (quote-eachByte)&^quote | (backslash-eachByte)&^backslash) & highBits
}

// scanString scans the rest of a string, whose opening quote stands before i.
func scanString(s string, i int) int {
	for {
		if i+8 <= len(s) {
			m := special(load64(s, i))
			if m == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(m) / 8
		}
		if uint(i) >= uint(len(s)) {
			return -1
		}
		switch c := s[i]; {
		case c == '"':
			return i + 1
		case c == '\\':
			if i = scanEscape(s, i+1); i < 0 {
				return -1
			}
		case c < ' ':
			return -1
		default:
			i++
		}
	}
}

// scanEscape scans the rest of an escape, whose backslash stands before i.
func scanEscape(s string, i int) int {
	if i >= len(s) {
		return -1
	}
	switch s[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
		if hex4(s, i+1) >= 0 {
			return i + 5
		}
	}
	return -1
}

// hex4 returns the number that four hexadecimal digits at i stand for, or -1.
func hex4(s string, i int) rune {
	if i+4 > len(s) {
		return -1
	}
	var r rune
	for _, c := range []byte(s[i : i+4]) {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

func isDigit(s string, i int) bool { return i < len(s) && s[i]-'0' <= 9 }

func scanDigits(s string, i int) int {
	if !isDigit(s, i) {
		return -1
	}
	for isDigit(s, i) {
		i++
	}
	return i
}

func scanNumber(s string, i int) int {
	if i < len(s) && s[i] == '-' {
		i++
	}
	if i < len(s) && s[i] == '0' {
		i++
	} else if i = scanDigits(s, i); i < 0 {
		return -1
	}
	if i < len(s) && s[i] == '.' {
		if i = scanDigits(s, i+1); i < 0 {
			return -1
		}
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		return scanDigits(s, i)
	}
	return i
}

// scanValue scans a value that begins at i, inside depth open arrays and
// objects. It calls itself only for every 64th level.
func scanValue(s string, i, depth int) int {
	var (
		open    int    // arrays and objects begun here and not yet closed
		objects uint64 // bit n: the one n levels out is an object
	)
	for {
		// A value begins at i.
		if i >= len(s) {
			return -1
		}
		switch c := s[i]; c {
		case '"':
			i++
			// Most strings are short: scanString, without the call.
			if i+8 <= len(s) {
				if m := special(load64(s, i)); m != 0 {
					if end := i + bits.TrailingZeros64(m)/8; s[end] == '"' {
						i = end + 1
						break
					}
				}
			}
			if i = scanString(s, i); i < 0 {
				return -1
			}
		case '{', '[':
			if open == 64 {
				if i = scanValue(s, i, depth+open); i < 0 {
					return -1
				}
				break
			}
			if depth+open >= maxDepth {
				return -1
			}
			i = skipSpace(s, i+1)
			if i >= len(s) {
				return -1
			}
			if s[i] == c+2 { // the closing bracket, in ASCII
				i++
				break
			}
			open++
			objects <<= 1
			if c == '{' {
				objects |= 1
				if i = scanKey(s, i); i < 0 {
					return -1
				}
			}
			continue
		case 't':
			if !strings.HasPrefix(s[i:], "true") {
				return -1
			}
			i += 4
		case 'f':
			if !strings.HasPrefix(s[i:], "false") {
				return -1
			}
			i += 5
		case 'n':
			if !strings.HasPrefix(s[i:], "null") {
				return -1
			}
			i += 4
		default:
			if i = scanNumber(s, i); i < 0 {
				return -1
			}
		}
		// A value ended before i.
		for {
			if open == 0 {
				return i
			}
			i = skipSpace(s, i)
			if i >= len(s) {
				return -1
			}
			if s[i] == ',' {
				i = skipSpace(s, i+1)
				if objects&1 != 0 {
					if i = scanKey(s, i); i < 0 {
						return -1
					}
				}
				break
			}
			if s[i] != ']'+byte(objects&1)*('}'-']') {
				return -1
			}
			i++
			open--
			objects >>= 1
		}
	}
}

// scanKey scans a key, its colon and the space around it.
func scanKey(s string, i int) int {
	if uint(i) >= uint(len(s)) || s[i] != '"' {
		return -1
	}
	i++
	// Most keys are short: scanString and the colon, without the call.
	if i+9 <= len(s) {
		if m := special(load64(s, i)); m != 0 {
			if end := i + bits.TrailingZeros64(m)/8; s[end] == '"' && s[end+1] == ':' {
				return skipSpace(s, end+2)
			}
		}
	}
	if i = scanString(s, i); i < 0 {
		return -1
	}
	if i = skipSpace(s, i); i >= len(s) || s[i] != ':' {
		return -1
	}
	return skipSpace(s, i+1)
}

// valid reports whether s is one JSON text.
func valid(s string) bool {
	i := scanValue(s, skipSpace(s, 0), 0)
	return i >= 0 && skipSpace(s, i) == len(s)
}

// A field is a value as it is written in JSON, a string without its quotes. The
// zero field is missing.
type field struct {
	kind Kind
	text string
}

// spanOf returns the span of the value that stands from i to end.
func spanOf(s string, i, end int) span {
	switch s[i] {
	case '"':
		return span{String, i + 1, end - 1}
	case '{':
		return span{Other, i, end}
	case '[':
		return span{List, i, end}
	case 't', 'f':
		return span{Bool, i, end}
	case 'n':
		return span{Null, i, end}
	}
	return span{Number, i, end}
}

// scanFields sets the spans of names to the last members of the object s that
// have them. It reports false if s is not one JSON object.
func scanFields(s string, names *names, spans *spans) bool {
	i := skipSpace(s, 0)
	if i >= len(s) || s[i] != '{' {
		return false
	}
	i = skipSpace(s, i+1)
	if i < len(s) && s[i] == '}' {
		return skipSpace(s, i+1) == len(s)
	}
	for {
		if i >= len(s) || s[i] != '"' {
			return false
		}
		name := i + 1
		if i = scanString(s, name); i < 0 {
			return false
		}
		at := names.findWritten(s[name : i-1])
		i = skipSpace(s, i)
		if i >= len(s) || s[i] != ':' {
			return false
		}
		value := skipSpace(s, i+1)
		if i = scanValue(s, value, 1); i < 0 {
			return false
		}
		if at >= 0 {
			*spans.at(at) = spanOf(s, value, i)
		}
		i = skipSpace(s, i)
		if i >= len(s) {
			return false
		}
		if s[i] == '}' {
			return skipSpace(s, i+1) == len(s)
		}
		if s[i] != ',' {
			return false
		}
		i = skipSpace(s, i+1)
	}
}

// sameStart reports false if it is plain at the first byte that a name, as it
// is written, is not key.
func sameStart(name, key string) bool {
	return name != "" && key != "" && (name[0] == key[0] || name[0] == '\\' || name[0] >= utf8.RuneSelf)
}

// nextRune reads the first rune of a string, as it is written between its
// quotes, and returns the rest.
func nextRune(s string) (c rune, rest string) {
	if s[0] != '\\' {
		c, n := utf8.DecodeRuneInString(s)
		return c, s[n:]
	}
	switch s[1] {
	case 'b':
		return '\b', s[2:]
	case 'f':
		return '\f', s[2:]
	case 'n':
		return '\n', s[2:]
	case 'r':
		return '\r', s[2:]
	case 't':
		return '\t', s[2:]
	case 'u':
		c = hex4(s, 2)
		if utf16.IsSurrogate(c) {
			if strings.HasPrefix(s[6:], `\u`) {
				if c := utf16.DecodeRune(c, hex4(s, 8)); c != utf8.RuneError {
					return c, s[12:]
				}
			}
			c = utf8.RuneError
		}
		return c, s[6:]
	}
	return rune(s[1]), s[2:]
}

// compareText compares a string, as it is written between its quotes, with t,
// which is UTF-8. In UTF-8 the order of code points is the order of bytes.
func compareText(text, t string) int {
	for text != "" && t != "" {
		var a rune
		a, text = nextRune(text)
		b, n := utf8.DecodeRuneInString(t)
		if a != b {
			return order(a < b, true)
		}
		t = t[n:]
	}
	return order(t != "", text != "")
}

// isPlain reports whether a string, as it is written, is its own text.
func isPlain(text string) bool {
	return strings.IndexByte(text, '\\') < 0 && utf8.ValidString(text)
}

func unquote(text string) string {
	if isPlain(text) {
		return strings.Clone(text)
	}
	var b strings.Builder
	b.Grow(len(text))
	for text != "" {
		var c rune
		c, text = nextRune(text)
		b.WriteRune(c)
	}
	return b.String()
}

// appendQuoted appends s as a JSON string.
func appendQuoted(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

// compact returns s, which is valid JSON, without space and with every string
// written as appendQuoted does.
func compact(s string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case ' ', '\t', '\r', '\n':
		case '"':
			end := scanString(s, i+1)
			b = appendQuoted(b, unquote(s[i+1:end-1]))
			i = end - 1
		default:
			b = append(b, c)
		}
	}
	return string(b)
}

var errNoObject = errors.New("not an object")

// members calls f for each member of s, which is valid JSON, until f fails. If
// s is not an object, the error is errNoObject.
func members(s string, f func(key, value string) error) error {
	i := skipSpace(s, 0)
	if s[i] != '{' {
		return errNoObject
	}
	for i = skipSpace(s, i+1); s[i] != '}'; i = nextItem(s, i) {
		end := scanString(s, i+1)
		key := unquote(s[i+1 : end-1])
		i = scanKey(s, i)
		end = scanValue(s, i, 0)
		if err := f(key, s[i:end]); err != nil {
			return err
		}
		i = end
	}
	return nil
}

// elems calls f for each element of s, which is a valid array.
func elems(s string, f func(string)) {
	for i := skipSpace(s, skipSpace(s, 0)+1); s[i] != ']'; i = nextItem(s, i) {
		end := scanValue(s, i, 0)
		f(s[i:end])
		i = end
	}
}

// nextItem skips the comma after a member or an element.
func nextItem(s string, i int) int {
	if i = skipSpace(s, i); s[i] == ',' {
		i = skipSpace(s, i+1)
	}
	return i
}
