package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A hider replaces secrets in what a server says.
type hider struct{ names *strings.Replacer }

// newHider hides the long values of variables, the longest first, as they are
// and as JSON writes them.
func newHider(env []Variable) *hider {
	env = slices.DeleteFunc(slices.Clone(env), func(v Variable) bool { return len(v.Value) < 8 })
	slices.SortStableFunc(env, func(a, b Variable) int { return cmp.Compare(len(b.Value), len(a.Value)) })
	var pairs []string
	for _, v := range env {
		escaped, _ := json.Marshal(v.Value) // no string fails
		for _, form := range []string{v.Value, string(quote(v.Value)), string(escaped)} {
			if form != v.Value {
				form = form[1 : len(form)-1]
			}
			pairs = append(pairs, form, "${"+v.Name+"}")
		}
	}
	if pairs == nil {
		return &hider{}
	}
	return &hider{strings.NewReplacer(pairs...)}
}

func (h *hider) text(s string) string {
	if h.names == nil {
		return s
	}
	return h.names.Replace(s)
}

// json hides in the strings of JSON, keys too, and leaves every other byte as
// it is. What is no JSON comes back as it may be.
func (h *hider) json(line []byte) []byte {
	if h.names == nil {
		return line
	}
	var b bytes.Buffer
	for {
		start := bytes.IndexByte(line, '"')
		if start < 0 {
			break
		}
		end := start + 1
		for end < len(line) && line[end] != '"' {
			if line[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(line) {
			break
		}
		literal := line[start : end+1]
		b.Write(line[:start])
		var s string
		if json.Unmarshal(literal, &s) != nil || h.text(s) == s {
			b.Write(literal)
		} else {
			b.Write(quote(h.text(s)))
		}
		line = line[end+1:]
	}
	b.Write(line)
	return b.Bytes()
}

// quote writes a string as JSON, with no more escapes than it needs.
func quote(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(s) // no string fails
	return bytes.TrimSpace(b.Bytes())
}

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
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, colour.ReplaceAllString(strings.ToValidUTF8(s, "\uFFFD"), "")))
}

// words is what is worth reading of the end of a log: the last lines that are
// not indented, as traces of a stack are.
func words(log string) string {
	var lines []string
	for line := range strings.Lines(colour.ReplaceAllString(log, "")) {
		told := printable(line)
		if strings.ContainsFunc(told, unicode.IsLetter) && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t") {
			lines = append(lines, cut(told, 300))
		}
	}
	return strings.Join(lines[max(0, len(lines)-5):], " / ")
}
