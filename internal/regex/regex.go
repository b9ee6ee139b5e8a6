// Package regex tells what it costs to read a regular expression.
//
// Package regexp reads one in time and memory that are linear in its length, but
// for classes. \pL stands for hundreds of ranges, each time that it is written;
// and where case is disregarded, every character of a range is visited to find
// its other cases, while a range of a few bytes can span most of Unicode.
package regex

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxWork is the most Work that an expression should ask for: some ten
// milliseconds. It leaves room for a hundred classes such as \pL, for twenty
// ranges of ideographs, and for a thousand ranges of an alphabet.
const MaxWork = 1 << 20

const (
	lastFolded = 0x1e943 // no character after it has another case
	namedClass = 1 << 13 // the work of \pL or the like
)

// Work bounds from above how many characters are visited when the classes of an
// expression are read with these flags.
func Work(source, flags string) (n int) {
	folds := strings.Contains(flags, "i") || strings.Contains(source, "(?")
	for i := range len(source) - 1 {
		switch rest := source[i+1:]; {
		case source[i] == '\\' && (rest[0] == 'p' || rest[0] == 'P'):
			n += namedClass
		case source[i] == '-' && folds:
			n += min(end(rest), lastFolded)
		}
	}
	return n
}

// end is the character that ends a range, or one after it, if s is what follows
// the dash of the range and the character is not ASCII.
func end(s string) int {
	if hex, ok := strings.CutPrefix(s, `\x{`); ok {
		hex, _, _ = strings.Cut(hex, "}")
		if n, err := strconv.ParseUint(hex, 16, 31); err == nil {
			return int(n)
		}
	}
	if s[0] == '\\' {
		return 0o777
	}
	if r, _ := utf8.DecodeRuneInString(s); r >= utf8.RuneSelf {
		return int(r)
	}
	return 0
}
