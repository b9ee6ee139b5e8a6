package check

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// short makes a piece of a map fit into a sentence.
func short(s string) string {
	const most = 60
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}

// listed are names in a sentence: all of up to six, else five and how many more
// there are.
func listed(names []string) string {
	rest := ""
	if len(names) > 6 {
		names, rest = names[:5], fmt.Sprintf(" and %d more", len(names)-5)
	}
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", short(name))
	}
	return strings.Join(quoted, ", ") + rest
}

// count is a number and a noun, in its plural if need be.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
