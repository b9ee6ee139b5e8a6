package draw

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plain is a text in one line of what can be seen: white space is one space,
// what does not print is U+FFFD, and what is longer than most characters is
// cut. A text of white space alone is quoted, so that it is seen too.
func plain(s string, most int) string {
	line := make([]rune, 0, min(len(s), most+1))
	space := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			space = len(line) > 0
			continue
		case !prints(r):
			r = utf8.RuneError
		}
		if space {
			line = append(line, ' ')
			space = false
		}
		line = append(line, r)
		if len(line) > most {
			line = append(line[:most-1], '…')
			break
		}
	}
	switch {
	case len(line) > 0:
		return string(line)
	case s == "":
		return `""`
	}
	return `" "`
}

// prints reports whether a character has a shape: marks that steer the
// direction of writing have none. Two joiners change the shape of what they
// stand between.
func prints(r rune) bool {
	const zwnj, zwj = '\u200c', '\u200d'
	return unicode.IsPrint(r) || r == zwnj || r == zwj
}

// blank reports whether there is nothing to see in a text.
func blank(s string) bool { return strings.TrimSpace(s) == "" }

// mermaidText is a plain text as the inside of a quoted label of Mermaid. All
// that it or the Markdown in it could read is written by its number.
func mermaidText(s string) string {
	var b strings.Builder
	text := []rune(s)
	for i, r := range text {
		switch {
		case mermaidReads(text, i):
			fmt.Fprintf(&b, "#%d;", r)
		case r == '"':
			b.WriteString("#quot;")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// mermaidReads reports whether the character at i cannot stand for itself.
func mermaidReads(text []rune, i int) bool {
	last := i == len(text)-1
	switch r := text[i]; {
	case r == 'ﬂ' || r == '¶':
		return true // what Mermaid writes for the # and the ; of a number
	case r >= utf8.RuneSelf || alnum(r) || r == '"':
		return false
	case r == ' ':
		// A line with "direction LR" anywhere in it sets the direction.
		return strings.HasSuffix(string(text[:i]), "direction")
	case r == '.' || r == '-' || r == '_':
		// Inside a word; else it may be a list, a line or emphasis, and after
		// www it may be a link.
		return i == 0 || last || !alnum(text[i-1]) || !alnum(text[i+1]) || text[i-1] == 'w' || text[i-1] == 'W'
	case r == '+':
		return i == 0 // a list
	case r == ')':
		return number(text[:i]) // a list with numbers
	}
	return !strings.ContainsRune(",'(/?!=", text[i])
}

func alnum(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

func number(text []rune) bool {
	for _, r := range text {
		if r < '0' || r > '9' {
			return false
		}
	}
	return true
}

// dotText is a plain text, or lines of it, as a quoted label of DOT, without
// the quotes. Graphviz reads backslashes and entities of HTML in it.
var dotText = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `&`, `&amp;`, "\n", `\n`).Replace

// dotTip is a plain text as a quoted tooltip. There Graphviz reads backslashes
// twice.
var dotTip = strings.NewReplacer(`\`, `\\\\`, `"`, `\"`, `&`, `&amp;`).Replace

// wrap breaks a plain text into lines of about width characters, between words.
func wrap(s string, width int) string {
	var b strings.Builder
	n := 0
	for word := range strings.SplitSeq(s, " ") {
		length := utf8.RuneCountInString(word)
		switch {
		case b.Len() == 0:
		case n+1+length > width:
			b.WriteByte('\n')
			n = 0
		default:
			b.WriteByte(' ')
			n++
		}
		b.WriteString(word)
		n += length
	}
	return b.String()
}
