package mapfile

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spoorhq/spoor/internal/yaml"
)

// emit writes n as YAML; the same node gives the same bytes. What yaml.Read
// makes of them equals n but for its places, and other readers of YAML read the
// same: what they might take for something else is quoted. It fails on a text
// that is not UTF-8, which no file can hold, and on a scalar that is not what
// its Kind says.
func emit(n *yaml.Node) ([]byte, error) {
	var w emitter
	if s, ok := w.inline(n, 0); ok {
		w.WriteString(s + "\n")
	} else if isLiteral(n) {
		w.literal(n.Text, step)
	} else {
		w.collection(n, 0, true)
	}
	return []byte(w.String()), w.err
}

const (
	step  = 2   // columns from a collection to what is in it
	width = 100 // of the longest line with brackets
)

type emitter struct {
	strings.Builder
	err error
}

// collection writes the elements of n, each on a line that begins at column.
// The first is written here if the line has come so far.
func (w *emitter) collection(n *yaml.Node, column int, here bool) {
	element := func(lead string, v *yaml.Node, item bool) {
		if !here {
			w.indent(column)
		}
		here = false
		w.WriteString(lead)
		if s, ok := w.inline(v, column+utf8.RuneCountInString(lead)+1); ok {
			w.WriteString(" " + s + "\n")
		} else if isLiteral(v) {
			w.WriteByte(' ')
			w.literal(v.Text, column+step)
		} else if item {
			w.WriteByte(' ')
			w.collection(v, column+step, true)
		} else {
			w.WriteByte('\n')
			w.collection(v, column+step, false)
		}
	}
	for _, v := range n.Items {
		element("-", v, true)
	}
	for _, f := range n.Fields {
		element(w.text(f.Key.Text, false)+":", f.Value, false)
	}
}

func (w *emitter) indent(column int) {
	w.WriteString(strings.Repeat(" ", column))
}

// inline writes what stands in one line that has come to column, or reports
// false if n is better written in several.
func (w *emitter) inline(n *yaml.Node, column int) (string, bool) {
	if n.Kind != yaml.List && n.Kind != yaml.Map {
		return w.scalar(n, false), !isLiteral(n)
	}
	if !n.Flow && len(n.Items)+len(n.Fields) > 0 {
		return "", false
	}
	s := w.flow(n)
	return s, len(s) <= 2 || column+utf8.RuneCountInString(s) <= width
}

func (w *emitter) flow(n *yaml.Node) string {
	var parts []string
	switch n.Kind {
	case yaml.List:
		for _, item := range n.Items {
			parts = append(parts, w.flow(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case yaml.Map:
		for _, f := range n.Fields {
			parts = append(parts, w.text(f.Key.Text, true)+": "+w.flow(f.Value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return w.scalar(n, true)
}

func (w *emitter) scalar(n *yaml.Node, flow bool) string {
	switch {
	case n.Kind == yaml.String:
		return w.text(n.Text, flow)
	case n.Kind == yaml.Null:
		return "null"
	case n.Kind == yaml.Odd || yaml.Resolve(n.Text) != n.Kind:
		w.fail("%q is no number", n.Text)
	}
	return n.Text
}

func (w *emitter) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// text writes a text within a line: plain if every reader takes it for the same
// text, in single quotes if that saves escapes, and otherwise in double quotes.
func (w *emitter) text(s string, flow bool) string {
	if !utf8.ValidString(s) {
		w.fail("the text %q is not UTF-8", s)
	}
	switch printable := !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }); {
	case printable && isPlain(s, flow):
		return s
	case printable && strings.ContainsAny(s, `\"`):
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	b := []byte{'"'}
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r == '\r':
			b = append(b, `\r`...)
		case unicode.IsPrint(r):
			b = utf8.AppendRune(b, r)
		case r > 0xffff:
			b = fmt.Appendf(b, `\U%08x`, r)
		default:
			b = fmt.Appendf(b, `\u%04x`, r)
		}
	}
	return string(append(b, '"'))
}

// isPlain reports whether a printable text may stand without quotes. It is
// careful: what YAML 1.1 takes for a boolean or a merge key is quoted too.
func isPlain(s string, flow bool) bool {
	first, _ := utf8.DecodeRuneInString(s)
	switch strings.ToLower(s) {
	case "", "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return false
	}
	return (unicode.IsLetter(first) || first == '_' || first == '(' && !flow) &&
		!strings.Contains(s, ": ") && !strings.Contains(s, " #") &&
		!strings.Contains(s, "<<") && !strings.HasSuffix(s, ":") && !strings.HasSuffix(s, " ") &&
		!(flow && strings.ContainsAny(s, ",[]{}:?"))
}

// isLiteral reports whether n is best written line by line: a text of several
// lines that a literal can hold as it is.
func isLiteral(n *yaml.Node) bool {
	if n.Kind != yaml.String || !strings.Contains(n.Text, "\n") {
		return false
	}
	text := strings.TrimSuffix(n.Text, "\n")
	lines := strings.Split(text, "\n")
	for _, line := range lines {
		if line != "" && strings.Trim(line, " \t") == "" {
			return false
		}
	}
	first, last := lines[0], lines[len(lines)-1]
	return first != "" && !strings.HasPrefix(first, " ") && !strings.HasPrefix(first, "\t") && last != "" && last == strings.TrimRight(last, " \t") &&
		!strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' && r != '\t' }) && utf8.ValidString(text)
}

// literal writes the text of a literal, its lines at column.
func (w *emitter) literal(text string, column int) {
	body, ended := strings.CutSuffix(text, "\n")
	w.WriteByte('|')
	if !ended {
		w.WriteByte('-')
	}
	w.WriteByte('\n')
	for line := range strings.SplitSeq(body, "\n") {
		if line != "" {
			w.indent(column)
		}
		w.WriteString(line + "\n")
	}
}
