package guard

import (
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"
)

// Scales give the words of a result field an order, from least to greatest, by
// the name of the field. With a scale gt, gte, lt and lte compare ranks, and a
// value that is no word of it fails them; eq, ne, in and notIn ignore scales. A
// scale has at most 1000 words.
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
// key that no scale can have, a scale without words or with too many, and a word
// that occurs twice.
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
		switch n := len(s[key]); {
		case n == 0:
			fault(-1, "list its words, from least to greatest", "the scale has no words")
		case n > maxList:
			fault(-1, "use a number", "the scale has %d words, and at most %d are allowed", n, maxList)
			continue
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

// A scale is the words of one of the Scales. It has few, so that it costs less
// to look through them than to keep an index for every guard.
type scale []string

// of returns the scale of a field, and nil if there is none, or if it is too
// long.
func (s Scales) of(key string) scale {
	if words := s[key]; len(words) <= maxList {
		return words
	}
	return nil
}

// rank returns where in the scale a word stands.
func (s scale) rank(word string) (rank int, ok bool) {
	rank = slices.Index(s, word)
	return rank, rank >= 0
}

// of returns the rank of d, if d is a word of s.
func (s scale) of(d *datum) (rank int, ok bool) {
	switch {
	case d.kind != String:
		return 0, false
	case d.plain:
		return s.rank(d.text)
	}
	rank = slices.IndexFunc(s, func(word string) bool { return compareText(d.text, word) == 0 })
	return rank, rank >= 0
}
