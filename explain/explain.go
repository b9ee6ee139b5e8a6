// Package explain answers questions about a recording: why a move, why not a
// skill, and where the words of an answer came from.
//
//	Span      where a piece of the answer was copied from, down to the message
//	Answer    the same for the whole answer: which of it is copied, and which is not
//	Tool      why a tool was called, where its arguments came from, and what became of it
//	Move      why the walk went where it went
//	Call      why a model was called, what it was asked, and what came of it
//	History   the way of the walk, a hop a line, and what was refused on it
//	NotSkill  every time that a skill could have been entered, what shut it, and what would have opened it
//	NotTool   the same of a tool, for every model call
//	NotPiece  the same of a piece of content, for every model call
//	Narrate   the walk as prose, a fact a line; NarrateFull with every word that was exchanged,
//	          and both in words of the caller's own by NewWords
//	Compare   where two recordings part, and what followed from it
//	Separator what separates many good recordings from bad ones, as correlation
//
// Each is a pure function of the recording, which carries the map that it was
// made with. What it returns prints for people with String, and marshals to
// JSON whose keys are those of the structs here.
//
// # Evidence
//
// Every answer says what kind of evidence it is: see [Evidence]. A question
// without an answer is a [NotFound], which says of which kind, and is never an
// empty list. A recording that was cut is read as far as it goes, and every
// answer from it says so in Incomplete. Of a recording that is not as it was
// written every answer says so in Changed.
package explain

import (
	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/recording"
)

// Evidence says what an answer rests on.
type Evidence string

const (
	Fact           Evidence = "fact"           // recorded, and read from there
	Derived        Evidence = "derived"        // computed from facts
	Counterfactual Evidence = "counterfactual" // run again with a change, and observed
	Proxy          Evidence = "proxy"          // similar; never a cause
	Assumed        Evidence = "assumed"        // taken to be so
)

// Absence is a kind of "not found".
type Absence string

const (
	NotRecorded Absence = "not recorded"        // the recording does not have it
	NotReached  Absence = "not reached"         // the walk never got there
	Refused     Absence = "refused with reason" // it was asked for, and refused
	OutOfBudget Absence = "out of budget"       // there was too much to search
)

// A NotFound stands where an answer would be, and says why there is none.
type NotFound struct {
	Kind   Absence `json:"kind"`
	Reason string  `json:"reason"` // one sentence

	// More is what follows in an error of more than one line.
	More string `json:"more,omitempty"`

	plain bool // for people, the reason says it all without the kind
}

// A Link is one step on the way from an answer back to the message.
type Link struct {
	Evidence Evidence `json:"evidence"`
	Kind     string   `json:"kind"` // of the event: replied, called, returned, context.evaluated, started…
	Event    int      `json:"event"`
	Turn     int      `json:"turn"`

	// Iteration is that of the event, from 1 in each turn; 0 before the first.
	Iteration int    `json:"iteration,omitempty"`
	Text      string `json:"text"` // one line

	Call      string      `json:"call,omitempty"`      // of a call and its result: the id
	Tool      string      `json:"tool,omitempty"`      // of a call and its result
	Arguments string      `json:"arguments,omitempty"` // of a call
	From      []Given     `json:"from,omitempty"`      // of a call: where its arguments came from, if that was followed
	Skill     string      `json:"skill,omitempty"`     // where the walk stood
	Move      *spoor.Move `json:"move,omitempty"`      // of a context.evaluated
	Label     string      `json:"label,omitempty"`     // of the step or rule that moved, if the map has one
}

// incomplete says why there may be more to know than the recording has; empty
// if it is whole.
func incomplete(r *recording.Recording) string { return plain.incomplete(r) }

func (w *Words) incomplete(r *recording.Recording) string {
	switch {
	case !r.Incomplete():
		return ""
	case r.Damage != "":
		return w.say("damaged", "damage", clip(r.Damage, 200))
	case len(r.Events) == 0:
		return w.say("empty")
	}
	if q := r.Waiting(); q != nil {
		return w.say("waiting", "call", line(q.Call), "tool", line(q.Tool), "question", quote(q.Text, 200))
	}
	return w.say("incomplete", "event", itoa(r.Events[len(r.Events)-1].Seq))
}
