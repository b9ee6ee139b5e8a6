// Package phrase tells when two phrases are the same to a person.
package phrase

import (
	"strings"
	"unicode"
)

// Key is equal for phrases that differ in case and in their white space alone.
// It is empty for a phrase without anything else.
func Key(s string) string { return strings.Map(fold, strings.Join(strings.Fields(s), " ")) }

// fold is the least of the characters that are one but for their case.
func fold(r rune) rune {
	if r < 'A' {
		return r
	}
	least := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		least = min(least, other)
	}
	return least
}
