// Package nearest finds the name that a person most likely meant.
package nearest

import (
	"fmt"
	"iter"
)

// Hint asks about the known name nearest to name, or is empty if none is near
// enough to be a slip of the hand.
func Hint(name string, known iter.Seq[string]) string {
	if found := Name(name, known); found != "" {
		return fmt.Sprintf("did you mean %q?", found)
	}
	return ""
}

// Name returns the known name nearest to name by edit distance, the first of
// equals, or "" if even that one differs in more than a third of its letters.
func Name(name string, known iter.Seq[string]) string {
	const longest = 64
	if name == "" || len(name) > longest {
		return ""
	}
	best, least := "", len([]rune(name))/3+1
	for k := range known {
		if k == "" || k == name || len(k) > longest {
			continue
		}
		if d := distance([]rune(name), []rune(k)); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance counts the letters to insert, drop, change or swap with their
// neighbour.
func distance(a, b []rune) int {
	var before []int
	last, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, append([]int(nil), row...)
	}
	return last[len(b)]
}
