package mcp

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// cut shortens a text to at most so many bytes, an ellipsis among them.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	end := most - len("…")
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

var colour = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")

// printable is one line without colours and control characters.
func printable(s string) string {
	return strings.TrimRight(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, colour.ReplaceAllString(strings.ToValidUTF8(s, "\uFFFD"), "")), " ")
}

// ending is the last five lines of a log that are not indented, as the frames
// of a stack are.
func ending(log string) string {
	var lines []string
	for line := range strings.Lines(log) {
		if line = printable(line); line != "" && line[0] != ' ' {
			lines = append(lines, cut(line, 300))
		}
	}
	return strings.Join(lines[max(0, len(lines)-5):], " / ")
}
