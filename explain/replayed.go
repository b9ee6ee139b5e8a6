package explain

import (
	"strconv"
	"strings"
)

// Replayed reads the id of a run that was made by walking another one again:
// whose it is, and the event from which on all is assumed, 0 if nothing is. It
// is not ok if the id is that of a run of its own.
//
//	20261130-220604.157203-k7q2-replayed                 all of it is exact
//	20261130-220604.157203-k7q2-replayed-assumed-from-9  up to event 8
func Replayed(id string) (of string, assumed int, ok bool) {
	of, from, ok := cutLast(id, "-replayed")
	switch digits, more := strings.CutPrefix(from, "-assumed-from-"); {
	case !ok || of == "":
		return "", 0, false
	case from == "":
		return of, 0, true
	case !more || len(digits) > 9:
		return "", 0, false
	default:
		n, err := strconv.Atoi(digits)
		return of, n, err == nil && n > 0
	}
}

// cutLast cuts s around the last place where sep stands.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// assumed reports whether an event of a replayed run rests on what nobody knows.
func (t *trail) assumed(seq int) bool { return t.from > 0 && seq >= t.from }

// grade is the evidence of what an event says: nothing that is assumed is a fact.
func (t *trail) grade(seq int, ev Evidence) Evidence {
	if t.assumed(seq) {
		return Assumed
	}
	return ev
}

// replayed says that the run is a replayed one; empty if it is not.
func (t *trail) replayed() string {
	of, from, ok := Replayed(t.r.Run)
	switch {
	case !ok:
		return ""
	case from == 0:
		return t.words.say("replayed", "run", clip(of, 100))
	}
	return t.words.say("replayed assumed", "run", clip(of, 100), "event", itoa(from))
}
