package guard

import (
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"
)

// Scales give the words of a result field an order, from least to greatest, by
// the name of the field. With a scale gt, gte, lt and lte compare ranks, and a
// value that is no word of it fails them; eq, ne, in and notIn ignore scales.
type Scales map[string][]string

// A ScaleFault says what is wrong with one scale.
type ScaleFault struct {
	Key     string // the field
	At      int    // the index of the word, or -1 for the scale as a whole
	Message string // one sentence: what is wrong
	Hint    string // what to do; may be empty
}

// Error returns the message, and the hint in parentheses.
func (f ScaleFault) Error() string { return sentence(f.Message, f.Hint) }

// Faults returns every fault of the scales themselves, by key, then by word: a
// key that no scale can have, a scale without words, and a word that occurs
// twice.
func (s Scales) Faults() []ScaleFault {
	var faults []ScaleFault
	for _, key := range slices.Sorted(maps.Keys(s)) {
		fault := func(at int, hint, format string, args ...any) {
			faults = append(faults, ScaleFault{key, at, display(key) + ": " + fmt.Sprintf(format, args...), hint})
		}
		switch {
		case IsHopKey(key):
			fault(-1, "name a field of a result", "a scale is for a field of the result, not for a hop key")
		case slices.Contains(reservedKeys, key):
			fault(-1, "rename the field", "a guard cannot read this reserved key")
		case !utf8.ValidString(key):
			fault(-1, "", "the key is not UTF-8")
		}
		if len(s[key]) == 0 {
			fault(-1, "list its words, from least to greatest", "the scale has no words")
		}
		seen := make(map[string]bool, len(s[key]))
		for i, word := range s[key] {
			switch {
			case seen[word]:
				fault(i, "list each word once", "the word %s stands twice", display(word))
			case !utf8.ValidString(word):
				fault(i, "", "the word %q is not UTF-8", word)
			}
			seen[word] = true
		}
	}
	return faults
}

// A scale is one of the Scales, ready to rank.
type scale struct {
	words []string
	rank  map[string]int
}

func newScale(words []string) *scale {
	s := &scale{words: slices.Clone(words), rank: make(map[string]int, len(words))}
	for i, word := range words {
		if _, ok := s.rank[word]; !ok {
			s.rank[word] = i
		}
	}
	return s
}
