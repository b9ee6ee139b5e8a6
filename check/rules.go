package check

import "slices"

// rules are all codes, in the order of a report.
var rules = []Rule{
	selfLoop,
}

// Rules lists all codes: those of a check-up in the order of a report, then
// those with which Compile and mapfile refuse a map. The slice is the
// caller's.
func Rules() []Rule { return slices.Clone(rules) }
