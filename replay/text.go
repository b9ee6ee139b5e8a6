package replay

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spoorhq/spoor/model"
)

// columns is how wide the texts for people are.
const columns = 96

// put writes a sentence, in as many lines as it needs; the further ones are
// indented.
func put(b *strings.Builder, further int, text string) {
	at := 0
	for i, word := range strings.Split(text, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+n > columns && at > further:
			b.WriteString("\n" + strings.Repeat(" ", further))
			at = further
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	b.WriteByte('\n')
}

// line is s in one line: a run of space is one blank, and what a terminal would
// act on is replaced.
func line(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, strings.Join(strings.Fields(s), " "))
}

// clip is s in one line of at most n characters, the ellipsis among them.
func clip(s string, n int) string {
	if len(s) > 8*n { // enough for n characters between which is space
		s = strings.ToValidUTF8(s[:8*n], "") + "…"
	}
	s = line(s)
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// quote is a clip in quotation marks.
func quote(s string, n int) string { return `"` + clip(s, n) + `"` }

// headline is the first line of a text that has something in it.
func headline(s string) string {
	if len(s) > 4096 {
		s = s[:4096]
	}
	first, more, _ := strings.Cut(strings.TrimSpace(s), "\n")
	first = clip(first, 100)
	if more != "" && !strings.HasSuffix(first, "…") {
		first += " …"
	}
	return first
}

// short names a piece in a few digits.
func short(d model.Digest) string { return d.String()[:12] }

// counted is a number and a noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "y") {
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(noun, "y"))
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
