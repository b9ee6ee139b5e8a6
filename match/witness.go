package match

import (
	"unicode"
	"unicode/utf8"
)

// maxQuote is the length of the longest quotation, in characters.
const maxQuote = 80

// A Witness is the evidence of a match, quoted from the message. Its zero value
// says that there is nothing to quote, as for a regex that matches between two
// characters.
type Witness struct {
	// Text is what was found: runs of space made one, ends trimmed, at most
	// 80 characters with the ellipsis of a longer one among them.
	Text string `json:"text"`
	// Keyword is the first keyword in declared order that occurs, as declared.
	Keyword string `json:"keyword,omitempty"`
}

// quote returns s as a Witness shows it. A byte that is not UTF-8 becomes
// U+FFFD.
func quote(s string) string {
	if plain(s) {
		return s
	}
	out := make([]rune, 0, maxQuote+2)
	space := false
	for _, r := range s {
		if unicode.IsSpace(r) {
			space = len(out) > 0
			continue
		}
		if space {
			out = append(out, ' ')
			space = false
		}
		if out = append(out, r); len(out) > maxQuote {
			return string(out[:maxQuote-1]) + "…"
		}
	}
	return string(out)
}

// plain reports whether s is its own quotation: short ASCII with no space but
// single blanks between words.
func plain(s string) bool {
	if len(s) > maxQuote {
		return false
	}
	blank := true
	for i := range len(s) {
		switch c := s[i]; {
		case c == ' ' && !blank:
			blank = true
		case c <= ' ' || c >= utf8.RuneSelf:
			return false
		default:
			blank = false
		}
	}
	return !blank || s == ""
}
