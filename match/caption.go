package match

import (
	"fmt"
	"strings"
)

const (
	captionWords  = 3  // keywords that a caption names
	captionIntent = 40 // characters of an intent's sentence
)

// Caption says in a few words what m matches, for a drawing: /source/flags, the
// first keywords, parts joined by AND, or the intent's sentence.
func (m Match) Caption() string {
	switch {
	case m.Regex != nil:
		return "/" + *m.Regex + "/" + m.Flags
	case m.Keywords != nil:
		if more := len(m.Keywords) - captionWords; more > 0 {
			return fmt.Sprintf("%s, +%d more", strings.Join(m.Keywords[:captionWords], ", "), more)
		}
		return strings.Join(m.Keywords, ", ")
	case m.All != nil:
		parts := make([]string, len(m.All))
		for i, p := range m.All {
			parts[i] = p.Caption()
		}
		return strings.Join(parts, " AND ")
	case m.Intent != nil:
		return "intent: " + cut(*m.Intent, captionIntent)
	}
	return ""
}

var mermaid = strings.NewReplacer("|", "#124;", `"`, "#quot;")

// Mermaid is the Caption with the characters escaped that end a label in a
// Mermaid drawing.
func (m Match) Mermaid() string { return mermaid.Replace(m.Caption()) }

// cut returns the first n characters of s, with an ellipsis if there are more.
func cut(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i] + "…"
		}
		n--
	}
	return s
}
