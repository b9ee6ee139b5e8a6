// Package replay walks a recorded turn again, without a model and without
// tools: what they said is in the recording.
//
//	Reproduce   the same map, the same outcomes: do the same events follow?
//	Against     another map, or other content: where would the walk have gone?
//
// Both are pure functions of the recording. What they return prints for people
// with String, and marshals to JSON whose keys are those of the structs here.
//
// # What is exact and what is assumed
//
// A move is a function of the map, the message and the results, so on an edited
// map it is judged anew, exactly. What a model says to another request nobody
// knows. So a run against an edit is exact until the first request that is not
// as it was recorded; after that the recorded replies are taken in their order,
// and all that follows is marked as assumed.
//
// A condition that is bound in Go can be asked by the program that binds it, and
// by nobody else. Its verdict is taken from the record, and the move is listed
// as assumed.
package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/walk"
)

// Bounds on what is walked again. An agent takes a hundredth of it from a model
// and from a tool.
const (
	maxCalls   = 10_000 // of one reply
	maxEffects = 10_000 // of one result
)

// unusable says why a recording cannot be walked again; empty if it can.
func unusable(r *recording.Recording) string {
	var turns int
	var found []event.Piece
	for i := range r.Events {
		e := &r.Events[i]
		switch b := e.Body.(type) {
		case *event.Started:
			if turns++; b.Machine != walk.Version {
				return fmt.Sprintf("turn %d was walked by version %d of the machine, and this is version %d: other events may follow from the same outcomes", e.Turn, b.Machine, walk.Version)
			}
		case *event.Unknown:
			return fmt.Sprintf("event %d is of the kind %q, which this version does not know, so nobody here can say what follows from it", e.Seq, clip(b.Name, 60))
		case *event.Replied:
			calls := 0
			for _, p := range b.Parts {
				if p.Kind == model.Call {
					calls++
				}
			}
			if calls > maxCalls {
				return fmt.Sprintf("event %d is a reply with %d calls, and at most %d are walked", e.Seq, calls, maxCalls)
			}
		case *event.Returned:
			if len(b.Effects) > maxEffects {
				return fmt.Sprintf("event %d is a result with %d effects, and at most %d are walked", e.Seq, len(b.Effects), maxEffects)
			}
		case nil:
			return fmt.Sprintf("event %d has no body", e.Seq)
		}
		found = e.Pieces(found[:0])
		for _, p := range found {
			if _, ok := r.Piece(p.Digest); !ok {
				return fmt.Sprintf("event %d names the content %s, which is not in the recording, so what follows from it cannot be told", e.Seq, short(p.Digest))
			}
		}
	}
	switch {
	case len(r.Events) == 0 && r.Damage != "":
		return "no event of it can be read: " + r.Damage
	case turns == 0:
		return "no turn has begun in it, so there is nothing to walk again"
	}
	return ""
}

// taken is an outcome as a machine may take it: it writes into the parts of a
// reply, and those of a recording must stay as they are.
func taken(o event.Outcome) event.Outcome {
	if r, ok := o.(*event.Replied); ok {
		own := *r
		own.Parts = slices.Clone(r.Parts)
		return &own
	}
	return o
}

// A table is what walks turns: the machine of the last one is kept, since the
// turns of a conversation have one map.
type table struct {
	funcs   map[string]spoor.Condition
	started *event.Started
	machine *walk.Machine
	graph   *spoor.Graph
	bound   *bound
	read    model.Digest // of what read_skill is specified as
}

// seat makes the machine for a turn.
func (t *table) seat(b *event.Started) error {
	if t.started != nil && t.started.Graph.Same(&b.Graph) && t.started.Injections.Same(&b.Injections) {
		t.started = b
		t.bound.hidden = nil
		return nil
	}
	m, err := b.Graph.Decode()
	if err != nil {
		return err
	}
	in, err := b.Injections.Decode(&b.Graph)
	if err != nil {
		return err
	}
	conditions := newBound(t.funcs, m, &in)
	g, err := spoor.Compile(m, conditions)
	if err != nil {
		return err
	}
	if g, err = g.Inject(in, conditions); err != nil {
		return err
	}
	conditions.graph = g
	if spec, err := json.Marshal(walk.ReadSkillSpec(g)); err == nil {
		t.read = model.Sum(string(spec))
	}
	t.started, t.graph, t.machine, t.bound = b, g, walk.New(g), conditions
	return nil
}

// guarded does what may panic on a recording that somebody wrote by hand, and
// makes an error of it.
func guarded(at func() int, do func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the walk broke at event %d of the recording, which no agent can have written: %v", at(), p)
		}
	}()
	do()
	return nil
}

// firstOf is the first of several problems, and how many there are.
func firstOf(err error) string {
	if ps, ok := errors.AsType[spoor.Problems](err); ok && len(ps) > 1 {
		return fmt.Sprintf("%s (and %d more)", line(ps[0].String()), len(ps)-1)
	}
	return line(err.Error())
}
