package replay

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
)

// A Difference is where an event is not as it is recorded.
type Difference struct {
	Kind DifferenceKind `json:"kind"`

	Event     int    `json:"event,omitempty"`     // its seq
	EventKind string `json:"eventKind,omitempty"` // context.evaluated, called…
	Turn      int    `json:"turn,omitempty"`
	Iteration int    `json:"iteration,omitempty"`
	Line      int    `json:"line,omitempty"` // of the file, from 1; 0 if events were compared

	// Path is the place in the JSON of the event, such as body.move.to; empty
	// if all of it is meant.
	Path     string `json:"path,omitempty"`
	Recorded string `json:"recorded,omitempty"` // the value there, in JSON; empty if there is none
	Made     string `json:"made,omitempty"`     // what the machine makes of it
}

// DifferenceKind says how an event is not as it is recorded.
type DifferenceKind string

const (
	Differs        DifferenceKind = "differs"          // a value is recorded otherwise
	NotRecorded    DifferenceKind = "not recorded"     // the event follows, and is not in the recording
	DoesNotFollow  DifferenceKind = "does not follow"  // the event is in the recording, and does not follow
	LineDiffers    DifferenceKind = "line differs"     // the events are the same, and the line of the file is not
	LineMissing    DifferenceKind = "line missing"     // a line of content, or a hash, is not in the file
	LineNotWritten DifferenceKind = "line not written" // a line of the file is none that a writer writes
)

// differs is the first difference of two events; nil if they are the same.
func differs(recorded, made *event.Event, was, now []byte) *Difference {
	if bytes.Equal(was, now) {
		return nil
	}
	d := &Difference{Kind: Differs, Event: recorded.Seq, EventKind: recorded.Body.Kind(), Turn: recorded.Turn, Iteration: recorded.Iteration}
	_, outcome := recorded.Body.(event.Outcome)
	if recorded.Body.Kind() != made.Body.Kind() {
		if outcome { // the machine is not done with what came before
			d.Kind, d.Event, d.EventKind = NotRecorded, made.Seq, made.Body.Kind()
			d.Made = clipped(string(now))
			return d
		}
		d.Path, d.Recorded, d.Made = "kind", clipped(encode(recorded.Body.Kind())), clipped(encode(made.Body.Kind()))
		return d
	}
	a, b := decode(was), decode(now)
	first(a, b, "", func(path string, a, b any) bool {
		d.Path, d.Recorded, d.Made = path, encode(a), encode(b)
		return false
	})
	d.Recorded, d.Made = clipped(d.Recorded), clipped(d.Made)
	return d
}

// absentValue stands for a value that is not there.
type absentValue struct{}

func decode(data []byte) any {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return absentValue{}
	}
	return v
}

func encode(v any) string {
	if _, absent := v.(absentValue); absent {
		return ""
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return ""
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// clipped bounds a value that a report shows.
func clipped(s string) string {
	const most = 2000
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}

// first tells differences of two values of JSON, by their path, until yield is
// false: of an object key by key, in the order of the keys, but for those that
// every event has; of lists what is left between an equal beginning and an
// equal end.
func first(a, b any, path spoor.Ref, yield func(path string, a, b any) bool) (more bool) {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			break
		}
		for _, key := range keys(x, y) {
			va, there := x[key]
			if !there {
				va = absentValue{}
			}
			vb, there := y[key]
			if !there {
				vb = absentValue{}
			}
			if !first(va, vb, path.Key(key), yield) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		if !ok {
			break
		}
		from, end := 0, 0
		if len(x) != len(y) {
			for from < min(len(x), len(y)) && encode(x[from]) == encode(y[from]) {
				from++
			}
			for end < min(len(x), len(y))-from && encode(x[len(x)-1-end]) == encode(y[len(y)-1-end]) {
				end++
			}
		}
		for i := from; i < max(len(x), len(y))-end; i++ {
			var va, vb any = absentValue{}, absentValue{}
			if i < len(x)-end {
				va = x[i]
			}
			if i < len(y)-end {
				vb = y[i]
			}
			if !first(va, vb, path.At(i), yield) {
				return false
			}
		}
		return true
	default:
		if _, object := b.(map[string]any); object {
			break
		}
		if _, list := b.([]any); !list && a == b {
			return true
		}
	}
	return yield(string(path), a, b)
}

// reordered reports whether a list is another one in another order, and where
// each of its values stood.
func reordered(was, now []any) (order []int, ok bool) {
	if len(was) != len(now) || len(was) < 2 {
		return nil, false
	}
	stood := map[string][]int{}
	for i, v := range was {
		text := encode(v)
		stood[text] = append(stood[text], i)
	}
	moved := false
	for i, v := range now {
		text := encode(v)
		at := stood[text]
		if len(at) == 0 {
			return nil, false
		}
		order, stood[text] = append(order, at[0]), at[1:]
		moved = moved || at[0] != i
	}
	return order, moved
}

// keys are those of two objects, each once, in order.
func keys(a, b map[string]any) []string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	list := slices.Sorted(maps.Keys(all))
	head := []string{"seq", "time", "turn", "iteration", "kind", "because"}
	if _, event := all["body"]; event {
		list = slices.DeleteFunc(list, func(k string) bool { return slices.Contains(head, k) })
		list = append(slices.DeleteFunc(head, func(k string) bool { _, there := all[k]; return !there }), list...)
	}
	return list
}

// A Change is one value of a map that an edit changed. Of a list whose values
// only stand in another order it has the indexes: [0,1,2] and [2,0,1].
type Change struct {
	// Path is the place in the JSON of the map, such as steps[2].guard.score.gte,
	// or the body of a skill and the first line of it that is another one.
	Path string `json:"path"`
	Was  string `json:"was,omitempty"` // in JSON; empty: it is not there
	Now  string `json:"now,omitempty"`
}

// changes lists the values of two JSON texts that differ, and says whether
// there are more.
func changes(was, now string, prefix spoor.Ref) (list []Change, more bool) {
	const most = 50
	a, b := decode([]byte(was)), decode([]byte(now))
	reorder(a, b, prefix, func(path string, was, now []int) {
		list = append(list, Change{path, encode(was), encode(now)})
	})
	first(a, b, prefix, func(path string, a, b any) bool {
		if len(list) >= most {
			more = true
			return false
		}
		list = append(list, Change{path, clipped(encode(a)), clipped(encode(b))})
		return true
	})
	return list, more
}

// reorder finds the lists of a map that only stand in another order, tells
// them, and puts them into one order.
func reorder(a, b any, path spoor.Ref, tell func(path string, was, now []int)) {
	x, ok := a.(map[string]any)
	y, both := b.(map[string]any)
	if !ok || !both {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(x)) {
		was, ok := x[key].([]any)
		now, both := y[key].([]any)
		if !ok || !both {
			reorder(x[key], y[key], path.Key(key), tell)
			continue
		}
		if order, moved := reordered(was, now); moved {
			stood := make([]int, len(order))
			for i := range stood {
				stood[i] = i
			}
			tell(string(path.Key(key)), stood, order)
			y[key] = was
		}
	}
}
