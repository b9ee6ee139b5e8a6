package expr

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Template is a text with expressions in it, each written ${…}. $${ stands
// for ${ itself; any other $ is a letter like others. An expression may hold
// braces, also in strings and comments. A Template is safe for concurrent use.
type Template struct {
	parts []part
	sole  bool // one expression and nothing else
}

type part struct {
	text string
	prog *Program // nil: text stands as it is
}

// Template compiles a text. Its error is [Faults]; their places are in text.
func (e *Env) Template(text string) (*Template, error) {
	var (
		t      Template
		faults Faults
		plain  strings.Builder
	)
	flush := func() {
		if plain.Len() > 0 {
			t.parts = append(t.parts, part{text: plain.String()})
			plain.Reset()
		}
	}
	for i := 0; i < len(text); {
		n := strings.IndexByte(text[i:], '$')
		if n < 0 {
			plain.WriteString(text[i:])
			break
		}
		plain.WriteString(text[i : i+n])
		i += n
		switch {
		case strings.HasPrefix(text[i:], "$${"):
			plain.WriteString("${")
			i += 3
		case strings.HasPrefix(text[i:], "${"):
			flush()
			end := closing(text, i+2)
			at := place(text, i)
			if end < 0 {
				return nil, append(faults, Fault{at.line, at.column, "this ${ has no closing }", "write $${ for the two letters"})
			}
			source := text[i+2 : end]
			if strings.TrimSpace(source) == "" {
				faults = append(faults, Fault{at.line, at.column, "there is no expression between ${ and }", "write $${ for the two letters"})
			} else if prog, err := e.compile(source, place(text, i+2), false); err != nil {
				faults = append(faults, err.(Faults)...)
			} else {
				t.parts = append(t.parts, part{prog: prog})
			}
			i = end + 1
		default:
			plain.WriteByte('$')
			i++
		}
	}
	flush()
	if faults != nil {
		return nil, faults
	}
	t.sole = len(t.parts) == 1 && t.parts[0].prog != nil
	return &t, nil
}

// place is the position of text[i].
func place(text string, i int) position {
	line := strings.LastIndexByte(text[:i], '\n') + 1
	return position{strings.Count(text[:i], "\n") + 1, utf8.RuneCountInString(text[line:i]) + 1}
}

// closing returns the index of the brace that closes an expression which
// begins at i, or -1. It knows the strings and the comments of CEL.
func closing(text string, i int) int {
	depth := 0
	for i < len(text) {
		switch c := text[i]; c {
		case '{':
			depth++
		case '}':
			if depth == 0 {
				return i
			}
			depth--
		case '/':
			if strings.HasPrefix(text[i:], "//") {
				end := strings.IndexByte(text[i:], '\n')
				if end < 0 {
					return -1
				}
				i += end
			}
		case '"', '\'':
			quote := text[i : i+1]
			if triple := strings.Repeat(quote, 3); strings.HasPrefix(text[i:], triple) {
				quote = triple
			}
			raw := rawPrefix(text[:i])
			i += len(quote)
			for !strings.HasPrefix(text[i:], quote) {
				if i < len(text) && text[i] == '\\' && !raw {
					i++
				}
				if i++; i >= len(text) {
					return -1
				}
			}
			i += len(quote) - 1
		}
		i++
	}
	return -1
}

// rawPrefix reports whether what stands before a quote makes a raw string of
// it: r, br or rb, in either case, and not the end of a longer word.
func rawPrefix(before string) bool {
	word := before[len(strings.TrimRightFunc(before, func(r rune) bool {
		return r == '_' || r < utf8.RuneSelf && (r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z')
	})):]
	switch strings.ToLower(word) {
	case "r", "br", "rb":
		return true
	}
	return false
}

// Text evaluates the template. A string is inserted as it is, everything else
// as compact JSON.
func (t *Template) Text(s *Scope) (string, error) {
	if len(t.parts) == 1 && !t.sole {
		return t.parts[0].text, nil
	}
	var b []byte
	for _, p := range t.parts {
		if p.prog == nil {
			b = append(b, p.text...)
			continue
		}
		v, err := p.prog.Value(s)
		if err != nil {
			return "", err
		}
		if b, err = v.AppendText(b); err != nil {
			return "", p.prog.at.errorf("%w", err)
		}
	}
	if len(b) > MaxText {
		return "", fmt.Errorf("1:1: %w", errTooLong)
	}
	return string(b), nil
}

// AppendJSON appends the template's value as JSON: that of its expression if
// it is one expression and nothing else, or else its text as a string.
func (t *Template) AppendJSON(b []byte, s *Scope) ([]byte, error) {
	if !t.sole {
		text, err := t.Text(s)
		return AppendString(b, text), err
	}
	prog := t.parts[0].prog
	v, err := prog.Value(s)
	if err != nil {
		return nil, err
	}
	if b, err = v.AppendJSON(b); err != nil {
		return nil, prog.at.errorf("%w", err)
	}
	return b, nil
}
