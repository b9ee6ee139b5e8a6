package match

import "slices"

// A Relation says what an earlier matcher does to a later one. The zero value
// claims nothing.
type Relation string

const (
	Shadows  Relation = "shadows"  // whatever the later one matches, the earlier one matches too
	Overlaps Relation = "overlaps" // one keyword at least is in both
)

// Compare says what can be proved about two matchers from their text, without
// a message. Equal regexes shadow; keywords shadow those among them, and
// overlap if they share one; with an all on either side, the earlier shadows
// the later if each of its parts is as wide as some part of the later. Of an
// intent and of a nil matcher nothing is claimed.
func Compare(earlier, later *Compiled) Relation {
	if earlier == nil || later == nil || earlier.IsIntent() || later.IsIntent() {
		return ""
	}
	covered := func(e part) bool {
		return slices.ContainsFunc(later.parts, func(l part) bool { return covers(e, l) })
	}
	if !slices.ContainsFunc(earlier.parts, func(e part) bool { return !covered(e) }) {
		return Shadows
	}
	if earlier.data.Keywords != nil && later.data.Keywords != nil && share(earlier.parts[0].folded, later.parts[0].folded) {
		return Overlaps
	}
	return ""
}

// covers reports whether every message that l matches is matched by e, as far
// as their text shows.
func covers(e, l part) bool {
	if e.regex != nil || l.regex != nil {
		return e.regex != nil && l.regex != nil && e.source == l.source && e.flags == l.flags
	}
	return contains(e.folded, l.folded)
}

// contains reports whether all of sub is in set; both are sorted, each word once.
func contains(set, sub []string) bool {
	for len(sub) > 0 {
		for len(set) > 0 && set[0] < sub[0] {
			set = set[1:]
		}
		if len(set) == 0 || set[0] != sub[0] {
			return false
		}
		sub = sub[1:]
	}
	return true
}

// share reports whether a word is in both; both are sorted.
func share(a, b []string) bool {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] == b[0]:
			return true
		case a[0] < b[0]:
			a = a[1:]
		default:
			b = b[1:]
		}
	}
	return false
}
