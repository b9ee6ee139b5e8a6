// Package recording is a run at rest: its events, and the pieces of content
// that they speak of.
//
// A recording is a file of JSON Lines, which grep reads:
//
//	{"spoor":0,"run":"20261130-220604.157203-k7q2"}     the first line
//	{"piece":"9f86d0…","text":"I was charged twice"}      content, once, before the first event that names it
//	{"seq":1,"time":"…","turn":1,"kind":"started",…}      an event
//	{"hash":"2c26b4…"}                                    the SHA-256 of every byte before this line
//
// Lines are only ever added, all that leads to an act in one write before the
// act, so a file is valid up to its last whole line. A running hash ends each
// iteration and each turn.
package recording

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
)

// Version is that of the format. While it is 0, the format may change.
const Version = 0

// A Recording is a run, read or being written. It is safe for concurrent
// reading while nothing is appended to it.
type Recording struct {
	Run    string
	Path   string // of its file; empty if it has none
	Events []event.Event

	// Damage says where reading had to stop: what is wrong, and at which
	// line. Events has all that stands before it. Empty if nothing is wrong.
	Damage string

	// Faults are all that is wrong with what was read: lines that were changed,
	// content that is not what its name says. Verify tells the same.
	Faults []Fault

	pieces  map[model.Digest]string
	written uint32 // atomic: 1 while a Writer has it, and has not closed it
}

// Piece returns the content that a digest names.
func (r *Recording) Piece(d model.Digest) (data string, ok bool) {
	data, ok = r.pieces[d]
	return data, ok
}

// Pieces counts the pieces of content, and their bytes.
func (r *Recording) Pieces() (n, bytes int) {
	for _, data := range r.pieces {
		bytes += len(data)
	}
	return len(r.pieces), bytes
}

// Incomplete reports whether the last turn has not come to its end, or
// reading had to stop.
func (r *Recording) Incomplete() bool {
	return r.Damage != "" || r.Finished() == nil
}

// last finds the last event with a body of type B, and its index; -1 if there
// is none.
func last[B event.Body](events []event.Event) (b B, index int) {
	for i := len(events) - 1; i >= 0; i-- {
		if b, ok := events[i].Body.(B); ok {
			return b, i
		}
	}
	return b, -1
}

// Event returns an event by its seq, or nil.
func (r *Recording) Event(seq int) *event.Event {
	i, ok := slices.BinarySearchFunc(r.Events, seq, func(e event.Event, seq int) int { return e.Seq - seq })
	if !ok {
		return nil
	}
	return &r.Events[i]
}

// Started returns the beginning of the turn that an event belongs to, or nil.
func (r *Recording) Started(seq int) *event.Started {
	var found *event.Started
	for i := range r.Events {
		if r.Events[i].Seq > seq {
			break
		}
		if b, ok := r.Events[i].Body.(*event.Started); ok {
			found = b
		}
	}
	return found
}

// Turn returns the recording as it was at the end of a turn, the first of which
// is 1; nil if it has no such turn. It shares events and content with r, and
// nothing may be appended to it.
func (r *Recording) Turn(n int) *Recording {
	begin := slices.IndexFunc(r.Events, func(e event.Event) bool {
		_, ok := e.Body.(*event.Started)
		return ok && e.Turn == n
	})
	if begin < 0 {
		return nil
	}
	next := slices.IndexFunc(r.Events[begin+1:], func(e event.Event) bool {
		_, ok := e.Body.(*event.Started)
		return ok
	})
	t := &Recording{Run: r.Run, Path: r.Path, Events: r.Events, Faults: r.Faults, pieces: r.pieces}
	if next < 0 {
		t.Damage = r.Damage
		return t
	}
	end := begin + 1 + next
	t.Events = r.Events[:end:end]
	return t
}

// Turns counts the turns that have begun.
func (r *Recording) Turns() (n int) {
	for i := range r.Events {
		if _, ok := r.Events[i].Body.(*event.Started); ok {
			n++
		}
	}
	return n
}

// Map returns the map that the last turn walked, with its bodies and where
// they were read from.
func (r *Recording) Map() (*spoor.Map, error) {
	b, i := last[*event.Started](r.Events)
	if i < 0 {
		return nil, fmt.Errorf("recording %s: no turn has started, so there is no map", r.Run)
	}
	return b.Graph.Decode()
}

// Request reads back what a model call was asked, from called events alone:
// the one with the given seq and those before it in its turn that have the
// same purpose. It is nil if seq is not that of a called event.
func (r *Recording) Request(seq int) ([]model.Part, *event.Called) {
	i := slices.IndexFunc(r.Events, func(e event.Event) bool { return e.Seq == seq })
	if i < 0 {
		return nil, nil
	}
	called, ok := r.Events[i].Body.(*event.Called)
	if !ok {
		return nil, nil
	}
	var parts []model.Part
	for i := range r.Events[:i+1] {
		switch b := r.Events[i].Body.(type) {
		case *event.Started:
			parts = parts[:0]
		case *event.Called:
			if b.Purpose == called.Purpose {
				parts = event.Splices(parts, b.Splices)
			}
		}
	}
	return parts, called
}

// A Question is what a run waits for a person to answer.
type Question struct {
	Call string      `json:"call"`
	Tool string      `json:"tool"`
	By   event.Asker `json:"by"`
	Text string      `json:"text"`
}

// Waiting is the question to a person that the last turn waits for the answer
// to, or nil if it waits for nobody.
func (r *Recording) Waiting() *Question {
	for i, e := range slices.Backward(r.Events) {
		switch b := e.Body.(type) {
		case *event.Paused:
			return question(r.Events[:i], b.Call)
		case *event.Answered, *event.Stopped, *event.Finished, *event.Started:
			return nil
		}
	}
	return nil
}

// question is what a call asked last, before an event.
func question(before []event.Event, call string) *Question {
	q := &Question{Call: call}
	for _, e := range slices.Backward(before) {
		switch b := e.Body.(type) {
		case *event.Needs:
			if b.Call == call && q.By == "" {
				q.By, q.Text = b.By, b.Question.Data
			}
		case *event.Replied:
			for _, p := range b.Parts {
				if p.Kind == model.Call && p.Call == call {
					q.Tool = p.Tool
					return q
				}
			}
		case *event.Started:
			return q
		}
	}
	return q
}

// Finished is the end of the last turn, or nil if it has not come to its end.
func (r *Recording) Finished() *event.Finished {
	_, turn := last[*event.Started](r.Events)
	end, i := last[*event.Finished](r.Events)
	if i < turn {
		return nil
	}
	return end
}

// Answer is the text of the last turn's answer; empty if it has none.
func (r *Recording) Answer() string {
	if end := r.Finished(); end != nil {
		return event.Text(end.Answer)
	}
	return ""
}

// MarshalJSON gives the run's id and events, without the content.
func (r *Recording) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Run    string        `json:"run"`
		Events []event.Event `json:"events"`
	}{r.Run, r.Events})
}
