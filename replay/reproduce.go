package replay

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/walk"
)

// A Reproduction says whether a recording follows from its outcomes.
type Reproduction struct {
	Run    string `json:"run"`
	Same   bool   `json:"same"`
	Turns  int    `json:"turns"`
	Events int    `json:"events"`          // that were made again and compared
	Lines  int    `json:"lines,omitempty"` // of the file that were compared byte for byte; 0: no file was given

	// Unusable says why the recording cannot be walked again at all; empty if
	// it can.
	Unusable string `json:"unusable,omitempty"`

	// Difference is the first one; nil if there is none.
	Difference *Difference `json:"difference,omitempty"`

	// Faults are what is wrong with the file, whatever follows from it.
	Faults []recording.Fault `json:"faults,omitempty"`

	// Assumed are the moves that a condition decided which is bound in the
	// program that made the recording: its verdict is that of the record.
	Assumed []Assumed `json:"assumed,omitempty"`

	// Incomplete says how far the recording goes; empty if it is whole.
	Incomplete string `json:"incomplete,omitempty"`

	// Seams counts lines of the file that a crash left, and no event needs:
	// content without its event, a hash too many or too few.
	Seams int `json:"seams,omitempty"`
}

// An Assumed is a move that rests on a verdict which cannot be judged here.
type Assumed struct {
	Turn       int      `json:"turn"`
	Iteration  int      `json:"iteration"`
	Event      int      `json:"event"`
	Conditions []string `json:"conditions"` // the names that are bound elsewhere
}

// Reproduce walks every turn of a recording again from its outcomes, with the
// machine of its own map, and compares the events that follow with those on
// record. A recording that was cut is compared as far as it goes.
//
// If file is not nil, it is the file of the recording: the events are written
// again, with their content and the running hashes, and compared with its bytes.
func Reproduce(r *recording.Recording, file io.Reader) *Reproduction {
	p := &Reproduction{Run: r.Run, Faults: r.Faults, Incomplete: incomplete(r)}
	if p.Unusable = unusable(r); p.Unusable != "" {
		return p
	}
	at := 0
	err := guarded(func() int { return at }, func() { p.reproduce(r, file, &at) })
	if err != nil {
		p.Unusable = err.Error()
	}
	p.Same = p.Unusable == "" && p.Difference == nil && len(p.Faults) == 0 && r.Damage == ""
	return p
}

func (p *Reproduction) reproduce(r *recording.Recording, file io.Reader, at *int) {
	var t table
	var made []event.Event // that the machine made, and are not compared yet
	var was, now []byte
	var out *written
	if file != nil {
		out = newWritten(file, r)
	}
	s := new(walk.State)
	for i := range r.Events {
		e := &r.Events[i]
		*at = e.Seq
		if o, ok := e.Body.(event.Outcome); ok && len(made) == 0 {
			if b, starts := o.(*event.Started); starts {
				p.Turns++
				if err := t.seat(b); err != nil {
					p.Unusable = fmt.Sprintf("the map that turn %d walked is none that can be walked here: %s", e.Turn, firstOf(err))
					return
				}
				t.bound.turn(newLedger(r.Events, i), b.Hidden)
			}
			if t.machine == nil {
				p.Difference = &Difference{Kind: DoesNotFollow, Event: e.Seq, EventKind: e.Body.Kind(), Turn: e.Turn, Iteration: e.Iteration}
				return
			}
			made = t.machine.Step(s, taken(o), e.Time)
			p.assume(made, t.bound)
		}
		was = e.AppendJSON(was[:0])
		if len(made) == 0 {
			p.Difference = &Difference{Kind: DoesNotFollow, Event: e.Seq, EventKind: e.Body.Kind(), Turn: e.Turn, Iteration: e.Iteration, Recorded: clipped(string(was))}
			return
		}
		now = made[0].AppendJSON(now[:0])
		if p.Difference = differs(e, &made[0], was, now); p.Difference != nil {
			return
		}
		if out != nil {
			if p.Difference = out.event(e, &made[0]); p.Difference != nil {
				return
			}
		}
		made = made[1:]
		p.Events++
	}
	if out != nil {
		if r.Damage == "" {
			p.Difference = out.end()
		}
		p.Lines, p.Seams = out.number, out.seams
	}
}

// assume notes the conditions that were asked for a move.
func (p *Reproduction) assume(made []event.Event, b *bound) {
	if len(b.asked) == 0 {
		return
	}
	for i := range made {
		if _, moved := made[i].Body.(*event.Evaluated); moved {
			p.Assumed = append(p.Assumed, Assumed{made[i].Turn, made[i].Iteration, made[i].Seq, slices.Clone(b.asked)})
			b.asked = nil
			return
		}
	}
}

// incomplete says how far a recording goes that is not whole.
func incomplete(r *recording.Recording) string {
	switch {
	case !r.Incomplete():
		return ""
	case r.Damage != "":
		return "reading had to stop at " + clip(r.Damage, 300)
	case len(r.Events) == 0:
		return "it has no event"
	}
	last := r.Events[len(r.Events)-1].Seq
	if r.Waiting() != nil {
		return fmt.Sprintf("it ends at event %d, where the turn waits for a person", last)
	}
	return fmt.Sprintf("it ends at event %d, before its last turn came to its end", last)
}

func (p *Reproduction) String() string {
	var b strings.Builder
	switch {
	case p.Unusable != "":
		fmt.Fprintf(&b, "%s cannot be walked again: %s.\n", line(p.Run), line(p.Unusable))
	case p.Same:
		fmt.Fprintf(&b, "%s reproduces itself: %s in %s", line(p.Run), counted(p.Events, "event"), counted(p.Turns, "turn"))
		if p.Lines > 0 {
			fmt.Fprintf(&b, ", and %s of its file byte for byte", counted(p.Lines, "line"))
		}
		b.WriteString(".\n")
	case p.Difference != nil:
		fmt.Fprintf(&b, "%s does not reproduce itself. What follows from its outcomes is as it is recorded up to event %d, and then:\n\n", line(p.Run), p.Events)
		b.WriteString(p.Difference.String())
	default:
		fmt.Fprintf(&b, "%s is not as it was written; what can be read of it, %s, follows from its outcomes.\n", line(p.Run), counted(p.Events, "event"))
	}
	if len(p.Faults) > 0 {
		b.WriteString("\n")
	}
	const most = 5
	for i, f := range p.Faults {
		if i == most {
			fmt.Fprintf(&b, "and %d more faults; spoor verify lists them\n", len(p.Faults)-most)
			break
		}
		b.WriteString(clip(f.String(), 300) + "\n")
	}
	if len(p.Assumed) > 0 {
		b.WriteString("\n")
	}
	for i, a := range p.Assumed {
		if i == most {
			fmt.Fprintf(&b, "and %d more moves are assumed\n", len(p.Assumed)-most)
			break
		}
		fmt.Fprintf(&b, "turn %d, iteration %d, event %d is assumed: only the program that binds %s can ask it, so its verdict is that of the record\n",
			a.Turn, a.Iteration, a.Event, clip(strings.Join(a.Conditions, ", "), 80))
	}
	if p.Incomplete != "" {
		fmt.Fprintf(&b, "\nNote: %s.\n", p.Incomplete)
	}
	if p.Seams > 0 {
		fmt.Fprintf(&b, "\nNote: %s of the file %s what a crash left, and no event needs.\n", counted(p.Seams, "line"), map[bool]string{true: "is", false: "are"}[p.Seams == 1])
	}
	return b.String()
}

func (d *Difference) String() string {
	var b strings.Builder
	at := fmt.Sprintf("event %d, %s", d.Event, clip(d.EventKind, 60))
	if d.Turn > 0 {
		at += fmt.Sprintf(", of turn %d, iteration %d", d.Turn, d.Iteration)
	}
	if d.Line > 0 {
		at = fmt.Sprintf("line %d of the file", d.Line)
	}
	switch d.Kind {
	case NotRecorded:
		fmt.Fprintf(&b, "%s, follows there, and is not recorded\n", at)
	case DoesNotFollow:
		fmt.Fprintf(&b, "%s, is recorded, and does not follow\n", at)
	case LineMissing:
		fmt.Fprintf(&b, "%s: a line is missing before it\n", at)
	case LineNotWritten:
		fmt.Fprintf(&b, "%s is none that belongs there\n", at)
	default:
		path := ""
		if d.Path != "" {
			path = ": " + clip(d.Path, 100)
		}
		fmt.Fprintf(&b, "%s%s\n", at, path)
	}
	if d.Recorded != "" {
		fmt.Fprintf(&b, "  recorded %s\n", clip(d.Recorded, 400))
	} else if d.Kind == Differs {
		b.WriteString("  recorded nothing\n")
	}
	if d.Made != "" {
		fmt.Fprintf(&b, "  made     %s\n", clip(d.Made, 400))
	} else if d.Kind == Differs {
		b.WriteString("  made     nothing\n")
	}
	return b.String()
}
