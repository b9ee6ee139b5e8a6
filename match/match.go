// Package match decides whether a rule claims the user's message.
//
// A matcher is data, of exactly one form:
//
//	{"regex": "\\bcheck\\b", "flags": "i"}         found anywhere in the message
//	{"keywords": ["refund", "charged twice"]}      any of them, as whole words
//	{"all": [{"regex": …}, {"keywords": […]}]}     every part
//	{"intent": "wants a human", "examples": […]}   judged by a classifier, never here
//
// [Compile] checks a [Match] and makes a [Compiled], which answers with a
// [Witness]: the words of the message that decided. A [Set] asks many matchers
// at once, in one pass over the message, and gives the same answers.
//
//	Match ──Compile──▶ Compiled ──Match──▶ Witness
//	                      │
//	                      └──NewSet──▶ Set ──Scan──▶ Hits ──Match──▶ Witness
//
// # Regular expressions
//
// A regex is RE2 as package regexp reads it, so its time is linear in the
// message; \d, \w, \s and \b know ASCII alone. The flags are i (letters in
// either case), s (a dot also stands for a line end) and m (^ and $ also stand
// at line ends). They are kept once each, in that order; g, y and u, which
// other engines write, mean nothing here and are dropped. A backspace, which is
// what YAML and Go make of \b in double quotes, is refused.
//
// # Keywords
//
// A keyword is found without regard to case and as a whole word: at an edge of
// the keyword that is an ASCII word character (a letter, digit or underscore)
// the neighbour in the message must not be one. "refund" is not in "refunds";
// "v2?" is in "v2?x", since its right edge is no word character. Space around a
// keyword is trimmed, space inside it is compared as written.
//
// Case is Unicode simple folding, one character to one character, except that
// an ASCII letter equals only its own other case. So É equals é, ẞ equals ß,
// and Σ, σ and ς are one letter; but ß is not "ss", İ and ı are not i, and the
// Kelvin sign is not k. Nothing else is folded: é written as one character and
// as e with a combining accent differ. A byte that is not UTF-8 equals nothing.
//
// # Bounds
//
// A regex has at most 4096 bytes and compiles to at most 10,000 instructions,
// with about a hundred classes such as \pL and, where case is disregarded, a
// million characters in its ranges; a matcher has at most 64 parts, a list at
// most 1000 keywords or examples, a keyword at most 256 bytes, a sentence or an
// example at most 4096. Compile refuses more.
package match

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Match is a matcher over the user's message, as data. Exactly one of Regex,
// Keywords, All and Intent is set; nil means that the form is absent, and an
// empty value is a faulty one that Compile names. Flags belongs to Regex,
// Examples to Intent.
//
// The zero value is no matcher; a field of type Match that may be absent is
// marshalled with omitzero. [Regex], [Keywords], [All] and [Intent] make the
// four forms.
type Match struct {
	Regex    *string  `json:"regex,omitzero"`
	Flags    string   `json:"flags,omitzero"`
	Keywords []string `json:"keywords,omitzero"`
	All      []Match  `json:"all,omitzero"`
	Intent   *string  `json:"intent,omitzero"`
	Examples []string `json:"examples,omitzero"`
}

// Regex matches a message in which the regular expression is found. The flags
// are letters, in one string or several.
func Regex(source string, flags ...string) Match {
	return Match{Regex: &source, Flags: strings.Join(flags, "")}
}

// Keywords matches a message that contains any of the words.
func Keywords(words ...string) Match {
	return Match{Keywords: append([]string{}, words...)}
}

// All matches a message that every part matches. A part may be an All; no part
// may be an Intent.
func All(parts ...Match) Match {
	return Match{All: append([]Match{}, parts...)}
}

// Intent describes what the user wants in a sentence, with examples of how
// users say it. A classifier judges it at the start of a turn.
func Intent(sentence string, examples ...string) Match {
	return Match{Intent: &sentence, Examples: append([]string{}, examples...)}
}

// IsZero reports whether m is no matcher at all.
func (m Match) IsZero() bool {
	return m.Regex == nil && m.Flags == "" && m.Keywords == nil &&
		m.All == nil && m.Intent == nil && m.Examples == nil
}

// forms names the forms that m has.
func (m Match) forms() []string {
	var forms []string
	if m.Regex != nil {
		forms = append(forms, "regex")
	}
	if m.Keywords != nil {
		forms = append(forms, "keywords")
	}
	if m.All != nil {
		forms = append(forms, "all")
	}
	if m.Intent != nil {
		forms = append(forms, "intent")
	}
	return forms
}

// clone returns a copy of m that shares nothing with it that can change.
func (m Match) clone() Match {
	m.Keywords = slices.Clone(m.Keywords)
	m.Examples = slices.Clone(m.Examples)
	m.All = slices.Clone(m.All)
	for i := range m.All {
		m.All[i] = m.All[i].clone()
	}
	return m
}

// UnmarshalJSON reads the form of a map file. It refuses what a Match cannot
// hold: a value that is no object, an object with no matcher in it, an unknown
// key, a value of the wrong type. Examples may be a single phrase. What a Match
// can hold but must not is left to Compile.
func (m *Match) UnmarshalJSON(data []byte) error {
	read, err := parse(data, "", 0)
	if err != nil {
		return fmt.Errorf("match: %w", err)
	}
	*m = read
	return nil
}

const formNames = "regex, keywords, all, intent"

// parse reads the matcher at the path at, inside so many others.
func parse(data []byte, at string, depth int) (m Match, err error) {
	wrong := func(at, message string) (Match, error) {
		if at == "" {
			return Match{}, errors.New(message)
		}
		return Match{}, errors.New(at + ": " + message)
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(data, &object) != nil || len(object) == 0 {
		return wrong(at, "a matcher is an object with one of "+formNames)
	}
	if depth > maxParts {
		return wrong("", "matchers are nested too deep")
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		at, value, want, ok := join(at, key), object[key], "a text", true
		switch key {
		case "regex":
			m.Regex, ok = element[string](value)
		case "intent":
			m.Intent, ok = element[string](value)
		case "flags":
			var flags *string
			if flags, ok = element[string](value); ok {
				m.Flags = *flags
			}
		case "keywords":
			want = "a list of texts"
			m.Keywords, ok = elements[string](value)
		case "examples":
			want = "a list of texts"
			if m.Examples, ok = elements[string](value); !ok {
				var phrase *string
				if phrase, ok = element[string](value); ok {
					m.Examples = []string{*phrase}
				}
			}
		case "all":
			want = "a list of matchers"
			var parts []json.RawMessage
			if parts, ok = elements[json.RawMessage](value); ok {
				m.All = make([]Match, len(parts))
			}
			for i, p := range parts {
				if m.All[i], err = parse(p, fmt.Sprintf("%s[%d]", at, i), depth+1); err != nil {
					return Match{}, err
				}
			}
		default:
			return wrong(at, "a matcher has no such key")
		}
		if !ok {
			return wrong(at, "wants "+want)
		}
	}
	if m.IsZero() {
		return wrong(at, "a matcher needs one of "+formNames)
	}
	return m, nil
}

// element reads a JSON value that is not null.
func element[T any](data []byte) (value *T, ok bool) {
	return value, json.Unmarshal(data, &value) == nil && value != nil
}

// elements reads a JSON array without nulls; the slice is not nil.
func elements[T any](data []byte) ([]T, bool) {
	var list []*T
	if json.Unmarshal(data, &list) != nil || list == nil || slices.Contains(list, nil) {
		return nil, false
	}
	values := make([]T, len(list))
	for i, v := range list {
		values[i] = *v
	}
	return values, true
}
