package explain

import (
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/recording"
)

// SetField is setField, for tests.
func SetField(text, key string, v guard.Value) (string, bool) { return setField(text, key, v) }

// Offerings are, by the seq of each model call for an answer that was not the
// last one allowed, what it offered and what this package derives.
func Offerings(r *recording.Recording) map[int][2][]string {
	t := newTrail(r)
	found := map[int][2][]string{}
	for i := range r.Events {
		b, ok := t.event(i).Body.(*event.Called)
		move := t.moveBefore(i)
		if !ok || aside(b.Purpose) || b.Last || move < 0 {
			continue
		}
		m := t.mapOf(i)
		w := t.waysAt(move, "")
		derived := offering(m.compiled(), m.owners, t.started(i).Tools, w.base.activeAfter())
		found[t.seq(i)] = [2][]string{t.offered(i), derived}
	}
	return found
}
