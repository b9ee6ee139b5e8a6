// Package nearest finds the name that a person most likely meant.
package nearest

import (
	"fmt"
	"iter"
	"unicode/utf8"
)

// Hint asks about the known name nearest to name, or is empty if none is near
// enough to be a slip of the hand.
func Hint(name string, known iter.Seq[string]) string {
	if found := Name(name, known); found != "" {
		return fmt.Sprintf("did you mean %q?", found)
	}
	return ""
}

// longest is how many bytes a name may have.
const longest = 64

// same is how many letters two names that begin alike share.
const same = 4

// Name returns the known name nearest to name by edit distance, the first of
// equals. If even that one differs in more than a third of its letters, it is
// the one that begins with the same four letters, as failure does for failed;
// if none or several do, it is "".
func Name(name string, known iter.Seq[string]) string {
	if name == "" || len(name) > longest {
		return ""
	}
	letters := []rune(name)
	best, least := "", len(letters)/3+1
	alike, several := "", false
	for k := range known {
		if k == "" || k == name || len(k) > longest {
			continue
		}
		if len(name) >= same && len(k) >= same && name[:same] == k[:same] {
			several = several || alike != "" && alike != k
			alike = k
		}
		// Letters that are too many, or too few, are all to drop or to insert.
		if n := utf8.RuneCountInString(k); n-len(letters) >= least || len(letters)-n >= least {
			continue
		}
		if d := distance(letters, []rune(k)); d < least {
			best, least = k, d
		}
		if least == 1 {
			break
		}
	}
	if best == "" && !several {
		return alike
	}
	return best
}

// distance counts the letters to insert, drop, change or swap with their
// neighbour. Neither a nor b has more than longest.
func distance(a, b []rune) int {
	var rows [3][longest + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range b {
		last[j+1] = j + 1
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
		before, last, row = last, row, before
	}
	return last[len(b)]
}
