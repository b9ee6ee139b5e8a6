package walk

import (
	"slices"
	"time"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
)

// A State is where a run is. Its zero value is a run that has not started.
//
// Only Apply changes a State, in place. It belongs to one run, is never copied
// and is not safe for concurrent use. It is stored as its events, and loaded by
// folding them.
type State struct {
	Phase     Phase
	Seq       int // of the last event
	Turn      int
	Iteration int
	Time      time.Time // of the last outcome
	Last      Seqs

	Started  *event.Started  // what the turn began with
	Messages []spoor.Message // Started.History as a condition reads it

	Cursor     string
	Move       spoor.Move      // the last one
	Conflict   *spoor.Conflict // of Move, until it is recorded
	Activated  []string        // skills that the model switched on
	Active     List
	Reachable  List
	Superseded List

	Request []model.Part // of the last model call
	Offered List         // to the last model call
	Calls   int          // model calls made in this turn
	Final   bool         // the last model call was the last of the budget
	Reply   []model.Part // to it
	Batch   []Call       // what the reply asked for, in order

	Stopped string      // why the turn was stopped from outside
	Error   string      // why the model brought no answer
	Fault   model.Fault // of Error

	events []event.Event // what the last step returned, for reuse
	seqs   []int         // room for what events follow from
}

// because is a list of events that another one follows from. Lists share
// memory, since every event has one.
func (s *State) because(seqs ...int) []int {
	if cap(s.seqs)-len(s.seqs) < len(seqs) {
		s.seqs = make([]int, 0, 64+len(seqs))
	}
	n := len(s.seqs)
	s.seqs = append(s.seqs, seqs...)
	return s.seqs[n:len(s.seqs):len(s.seqs)]
}

// Phase says what a turn is at.
type Phase string

const (
	Idle    Phase = ""        // no turn has started
	Working Phase = "working" // a batch of calls is in hand, at first an empty one
	Telling Phase = "telling" // the walk moved; the model is to be told and asked
	Asking  Phase = "asking"  // the model is asked
	Ending  Phase = "ending"  // nothing more is asked; open calls are answered
	Done    Phase = "done"
)

// Seqs are the last events of their kind in this turn; 0 if there is none.
type Seqs struct{ Started, Evaluated, Called, Replied, Sent, Resumed, Ended int }

// A List is a recorded list and the event that recorded it.
type List struct {
	Items []string
	At    int
}

// take keeps the list that an event recorded: items, or that of the event as.
func (l *List) take(items []string, as, seq int) {
	if as == 0 {
		*l = List{items, seq}
	}
}

// since is what to record of a list: the items, or, if they are those of the
// list, the event that recorded it.
func (l *List) since(items []string) (fresh []string, as int) {
	if len(items) > 0 && slices.Equal(l.Items, items) {
		return nil, l.At
	}
	return items, 0
}

// A Call is one tool call of a batch.
type Call struct {
	ID       string
	Tool     string
	Args     string
	Sent     bool
	Lost     bool // its process died, and it must not run again
	Beaten   bool // an accepted pick that lost, and that is recorded
	Answered int  // the event that answered it; 0 while it is open
	Executed bool
	Status   spoor.Status
	Result   model.Part
	More     []model.Part // beside the result
}

func (c *Call) read() bool { return c.Tool == ReadSkill }

// out reports whether the world owes the answer.
func (c *Call) out() bool { return c.Sent && c.Answered == 0 }

// Apply folds one event into the state. Folding all events of a run, in order,
// gives the state that made them.
func (s *State) Apply(e event.Event) {
	s.Seq = e.Seq
	s.Time = e.Time
	switch b := e.Body.(type) {
	case *event.Started:
		*s = State{
			Phase: Working, Seq: e.Seq, Turn: e.Turn, Time: e.Time, Last: Seqs{Started: e.Seq},
			Started: b, Messages: messages(b.History), Request: s.Request[:0], events: s.events, seqs: s.seqs,
		}
	case *event.Evaluated:
		s.Phase = Telling
		s.Iteration = e.Iteration
		s.Last.Evaluated = e.Seq
		s.Move, s.Conflict, s.Cursor = b.Move, b.Move.Conflict, b.Move.To
		s.Activated = b.Activated
		s.Active.take(ids(b.Active), b.ActiveAs, e.Seq)
		s.Reachable.take(b.Reachable, b.ReachableAs, e.Seq)
		s.Superseded.take(b.Superseded, b.SupersededAs, e.Seq)
	case *event.RouteConflict:
		s.Conflict = nil
	case *event.RerouteSuperseded:
		s.call(b.Call).Beaten = true
	case *event.Read:
		s.answer(b.Call, e.Seq, false, "", b.Result)
	case *event.Rejected:
		s.answer(b.Call, e.Seq, false, "", b.Result)
	case *event.Called:
		s.Phase = Asking
		s.Last.Called = e.Seq
		s.Calls++
		s.Final = b.Last
		s.Offered.take(b.Offered, b.OfferedAs, e.Seq)
		s.Request = event.Splices(s.Request, b.Splices)
		s.Reply, s.Batch = nil, s.Batch[:0]
	case *event.Replied:
		s.Last.Replied = e.Seq
		s.Reply = b.Parts
		for _, p := range b.Parts {
			if p.Kind == model.Call && s.call(p.Call).ID == "" { // one id is one call, whatever a file says
				s.Batch = append(s.Batch, Call{ID: p.Call, Tool: p.Tool, Args: p.Data})
			}
		}
		s.Phase = Working
		if len(s.Batch) == 0 || s.Final {
			s.Phase, s.Last.Ended = Ending, e.Seq
		}
	case *event.Sent:
		s.Last.Sent = e.Seq
		for _, id := range b.Calls {
			s.call(id).Sent = true
		}
	case *event.Returned:
		s.answer(b.Call, e.Seq, b.Executed, b.Status, b.Result)
		s.call(b.Call).More = b.More
	case *event.Refused:
		s.answer(b.Call, e.Seq, false, b.Status, b.Result)
	case *event.Resumed:
		s.Last.Resumed = e.Seq
		for i := range s.Batch {
			c := &s.Batch[i]
			c.Lost = c.out() && !slices.Contains(b.Repeat, c.ID)
		}
	case *event.Failed:
		s.Phase, s.Last.Ended, s.Error, s.Fault = Ending, e.Seq, b.Error, b.Fault
	case *event.Stopped:
		s.Phase, s.Last.Ended, s.Stopped = Ending, e.Seq, b.Reason
	case *event.Finished:
		s.Phase = Done
	}
}

func (s *State) answer(id string, seq int, executed bool, status spoor.Status, result model.Part) {
	c := s.call(id)
	c.Answered, c.Executed, c.Status, c.Result = seq, executed, status, result
}

// call finds a call of the batch. One that is not there, which only a damaged
// recording names, is thrown away.
func (s *State) call(id string) *Call {
	for i := range s.Batch {
		if s.Batch[i].ID == id {
			return &s.Batch[i]
		}
	}
	return new(Call)
}

// Out lists the calls that were sent to their tools and have no answer. They
// are those of the state: they must not be changed, and hold until the next
// step.
func (s *State) Out() []*Call {
	var out []*Call
	for i := range s.Batch {
		if c := &s.Batch[i]; c.out() {
			out = append(out, c)
		}
	}
	return out
}

func ids(active []event.Active) []string {
	if len(active) == 0 {
		return nil
	}
	list := make([]string, len(active))
	for i, a := range active {
		list[i] = a.Skill
	}
	return list
}

// messages is a conversation as a condition reads it: what the person and the
// model said. What a tool says beside its result is not.
func messages(history []model.Part) []spoor.Message {
	var list []spoor.Message
	for _, p := range history {
		if p.Kind == model.Text && p.Role != model.Tool {
			list = append(list, spoor.Message{Role: string(p.Role), Content: p.Data})
		}
	}
	return list
}

// Conversation is what was said in this turn and before it: the history of
// the next turn. A turn that a server refused, and would refuse again, is not
// part of it, so that it does not take the next ones with it.
func (s *State) Conversation() []model.Part {
	if s.Error != "" && s.Fault != "" && !s.Fault.Passing() {
		return s.Started.History
	}
	var parts []model.Part
	for _, p := range slices.Concat(s.Request, news(s, false)) {
		if p.Role != model.System {
			parts = append(parts, p)
		}
	}
	return parts
}
