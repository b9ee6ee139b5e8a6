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

	Asked      *event.Asked  // what a scorer is asked at the start
	Scored     *event.Scored // what it answered
	Classified *Choice       // what a model answered in its place
	Decided    *Choice       // what the decider answered
	Aside      *event.Called // the call that is out for one of the two
	Routed     *event.TurnRouted
	MenuOpen   bool // of Routed
	MenuWas    bool // open when the last move was made

	Cursor       string
	Move         spoor.Move      // the last one
	Conflict     *spoor.Conflict // of Move, until it is recorded
	Activated    []string        // skills that are switched on
	ActivatedAt  int             // the event that has them
	Active       List
	Ruled        []string // of Active, those whose own condition holds
	Here         string   // where the walk stands: the cursor, or the leaf of a tree
	Allowed      List     // of the last refused read
	Reachable    List
	Superseded   List
	Instructions []event.ActiveInstruction
	InstructedAt int // the event that has them
	Skipped      []event.Skipped
	SkippedAt    int // the event that has them
	Leases       []Lease

	Request []model.Part // of the last model call for an answer
	Offered List         // to it
	Final   spoor.Limit  // that made it the last one; empty if it is not
	Reply   []model.Part // to it
	Batch   []Call       // what the reply asked for, in order
	Notes   []model.Part // what the model is told beside its results

	Proposal Proposal // the first that was accepted, of this batch
	Dropped  bool     // it did not get its way, and that is recorded
	Spent    Spent

	Ended event.Ending // that the turn failed or was stopped; empty: neither
	Error string       // why
	Fault model.Fault  // of a model call

	now    time.Time     // of the outcome in hand
	view   *spoor.Graph  // without what is hidden; nil until it is asked for
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
	Idle     Phase = ""         // no turn has started
	Routing  Phase = "routing"  // where the turn starts is decided
	Scoring  Phase = "scoring"  // a scorer is asked for that
	Choosing Phase = "choosing" // a model is asked for that
	Working  Phase = "working"  // a batch of calls is in hand, at first an empty one
	Paused   Phase = "paused"   // a person is asked
	Telling  Phase = "telling"  // the walk moved; the model is to be told and asked
	Asking   Phase = "asking"   // the model is asked
	Ending   Phase = "ending"   // nothing more is asked; open calls are answered
	Done     Phase = "done"
)

// Seqs are the last events of their kind in this turn; 0 if there is none.
type Seqs struct {
	Started, Asked, Scored, Routed, Evaluated, Called, Replied, Sent, Proposed, Paused, Resumed, Ended int
}

// A Choice is what a model answered to a forced choice, or why it did not.
type Choice struct {
	Parts []model.Part
	Model string
	Error string
	Seq   int // of the outcome
}

// A Proposal is where a tool wants the walk to go.
type Proposal struct {
	Skill, Call, Tool string
}

// A Lease keeps an instruction in the prompt.
type Lease struct {
	Instruction string
	Lease       spoor.Lease
	Call        string
	Place       string // where the walk stood
	Iteration   int    // of the call
}

// live reports whether the lease holds in an iteration that begins in a place.
func (l *Lease) live(iteration int, place string) bool {
	if l.Lease == spoor.UntilSkillExit {
		return l.Place == place
	}
	return l.Iteration+1 == iteration
}

// same reports whether another lease holds as long as l does.
func (l *Lease) same(o Lease) bool {
	return l.Instruction == o.Instruction && l.Lease == o.Lease && l.Place == o.Place && (l.Lease == spoor.UntilSkillExit || l.Iteration == o.Iteration)
}

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
	Skill    string // that a read_skill names; empty if it names none
	Sent     bool
	Lost     bool // its process died, and it must not run again
	Beaten   bool // an accepted pick that lost, and that is recorded
	Answered int  // the event that answered it; 0 while it is open
	Executed bool
	Status   spoor.Status
	Result   model.Part
	More     []model.Part // beside the result
	Effects  []spoor.Effect
	Judged   int // how many of the effects are

	AskedAt  int             // the event of Question
	ToldAt   int             // the event of Answer
	By       event.Asker     // what asked last
	Question *event.Needs    // what it asks a person; nil if it asks nothing now
	Answer   *event.Answered // to its last question; nil if it asked none
}

func (c *Call) read() bool { return c.Tool == ReadSkill }

// out reports whether the world owes the answer.
func (c *Call) out() bool { return c.Sent && c.Answered == 0 && c.Question == nil }

// Apply folds one event into the state. Folding all events of a run, in order,
// gives the state that made them.
func (s *State) Apply(e event.Event) {
	if _, resumed := e.Body.(*event.Resumed); resumed || s.Phase == Paused {
		s.Spent.wait(e.Time.Sub(s.Time))
	}
	s.Seq = e.Seq
	s.Time = e.Time
	if _, starts := e.Body.(*event.Started); s.Started == nil && !starts {
		return // a damaged recording
	}
	switch b := e.Body.(type) {
	case *event.Started:
		*s = State{
			Phase: Routing, Seq: e.Seq, Turn: e.Turn, Time: e.Time, Last: Seqs{Started: e.Seq},
			Started: b, Messages: messages(b.History), Request: s.Request[:0],
			now: s.now, events: s.events, seqs: s.seqs,
		}
		if b.Continuity == spoor.ContinueConversation {
			s.Cursor, s.Activated = b.Cursor, b.Activated
		}
		s.Spent.begin(b, e.Time)
	case *event.Asked:
		s.Phase, s.Asked, s.Last.Asked = Scoring, b, e.Seq
	case *event.Scored:
		s.Phase, s.Scored, s.Last.Scored = Routing, b, e.Seq
	case *event.TurnRouted:
		s.Phase, s.Routed, s.Last.Routed = Working, b, e.Seq
		s.MenuOpen = b.By == spoor.ByMenu
		if b.Dropped != "" {
			s.Cursor = ""
		}
	case *event.Evaluated:
		s.evaluated(b, e)
	case *event.RouteConflict:
		s.Conflict = nil
		s.note(b.Note)
	case *event.RerouteSuperseded:
		if b.Source == spoor.ByProposal {
			s.Dropped = true
		} else {
			s.call(b.Call).Beaten = true
		}
		s.note(b.Note)
	case *event.EffectJudged:
		s.effect(b, e.Seq)
	case *event.Read:
		s.answer(b.Call, e.Seq, false, "", b.Result)
	case *event.Rejected:
		s.answer(b.Call, e.Seq, false, "", b.Result)
		s.Allowed.take(b.Allowed, b.AllowedAs, e.Seq)
		s.Spent.Refusals++
	case *event.Called:
		s.Last.Called = e.Seq
		s.Spent.Calls++
		if b.Purpose != model.Answer {
			s.Phase, s.Aside = Choosing, b
			break
		}
		s.Phase = Asking
		s.Spent.Answers++
		s.Spent.asked = e.Time
		s.Final = b.Limit
		s.Offered.take(b.Offered, b.OfferedAs, e.Seq)
		s.Request = event.Splices(s.Request, b.Splices)
		s.Reply, s.Batch, s.Notes = nil, s.Batch[:0], s.Notes[:0]
		s.Proposal, s.Dropped = Proposal{}, false
	case *event.Replied:
		s.Spent.pay(s.Started, b)
		if s.Phase == Choosing {
			s.choose(&Choice{b.Parts, b.Model, "", e.Seq})
			break
		}
		s.Spent.LastTime = e.Time.Sub(s.Spent.asked)
		s.Last.Replied = e.Seq
		s.Reply = b.Parts
		for _, p := range b.Parts {
			if p.Kind == model.Call && p.Call != "" && s.call(p.Call).ID == "" { // one id is one call, whatever a file says
				c := Call{ID: p.Call, Tool: p.Tool, Args: p.Data}
				if c.read() {
					c.Skill = readID(p.Data)
				}
				s.Batch = append(s.Batch, c)
			}
		}
		s.Phase = Working
		if len(s.Batch) == 0 || s.Final != "" || s.Spent.over(s.Started, s.Time) != "" {
			s.Phase, s.Last.Ended = Ending, e.Seq
		}
	case *event.Sent:
		s.Last.Sent = e.Seq
		for _, id := range b.Calls {
			c := s.call(id)
			c.Sent = true
			if c.Answer == nil {
				s.Spent.ToolCalls++
			}
		}
	case *event.Needs:
		c := s.call(b.Call)
		c.Question, c.AskedAt, c.By = b, e.Seq, b.By
	case *event.Paused:
		if s.asking() != nil {
			s.Phase, s.Last.Paused = Paused, e.Seq
		}
	case *event.Answered:
		s.Phase = Working
		c := s.call(b.Call)
		c.Question, c.Answer, c.ToldAt, c.Sent = nil, b, e.Seq, false
	case *event.Returned:
		s.answer(b.Call, e.Seq, b.Executed, b.Status, b.Result)
		c := s.call(b.Call)
		c.More, c.Effects = b.More, b.Effects
	case *event.Refused:
		s.answer(b.Call, e.Seq, false, b.Status, b.Result)
	case *event.Resumed:
		s.Last.Resumed = e.Seq
		for i := range s.Batch {
			c := &s.Batch[i]
			c.Lost = c.out() && !slices.Contains(b.Repeat, c.ID)
		}
	case *event.Failed:
		if s.Phase == Choosing {
			s.choose(&Choice{Error: b.Error, Seq: e.Seq})
			break
		}
		s.Phase, s.Last.Ended, s.Ended, s.Error, s.Fault = Ending, e.Seq, event.ByError, b.Error, b.Fault
	case *event.Stopped:
		s.Phase, s.Last.Ended, s.Ended, s.Error = Ending, e.Seq, event.ByStop, b.Reason
	case *event.Finished:
		s.Phase = Done
	}
}

// evaluated takes over what a move made. Of the facts that it was made of none
// is left.
func (s *State) evaluated(b *event.Evaluated, e event.Event) {
	s.Phase = Telling
	s.Iteration = e.Iteration
	s.Last.Evaluated = e.Seq
	moved := b.Move.To != b.Move.From
	if s.MenuWas = s.MenuOpen; b.Pick != "" || e.Iteration > 1 && moved {
		s.MenuOpen = false
	}
	s.Move, s.Conflict, s.Cursor = b.Move, b.Move.Conflict, b.Move.To
	if b.ActivatedAs == 0 {
		s.Activated, s.ActivatedAt = b.Activated, e.Seq
	}
	s.Active.take(ids(b.Active), b.ActiveAs, e.Seq)
	if b.ActiveAs == 0 {
		s.Ruled, s.Here = ruled(b.Active), leaf(b.Active)
	}
	if b.Move.To != "" {
		s.Here = b.Move.To
	}
	s.Reachable.take(b.Reachable, b.ReachableAs, e.Seq)
	s.Superseded.take(b.Superseded, b.SupersededAs, e.Seq)
	if b.InstructionsAs == 0 && len(b.Instructions)+len(s.Instructions) > 0 {
		s.Instructions, s.InstructedAt = b.Instructions, e.Seq
	}
	if b.SkippedAs == 0 {
		s.Skipped, s.SkippedAt = b.Skipped, e.Seq
	}
	s.Leases = slices.DeleteFunc(s.Leases, func(l Lease) bool { return !l.live(e.Iteration, s.Here) })
	if moved && e.Iteration > 1 {
		s.Spent.move(b.Move)
	}
}

func (s *State) effect(b *event.EffectJudged, seq int) {
	s.call(b.Call).Judged++
	s.note(b.Note)
	switch {
	case b.Outcome != event.EffectAccepted:
	case b.Effect.Kind == spoor.RequireInstruction:
		l := Lease{b.Instruction, b.Lease, b.Call, s.Here, s.Iteration}
		if !slices.ContainsFunc(s.Leases, l.same) {
			s.Leases = append(s.Leases, l)
		}
	case s.Proposal.Skill == "" && b.Target != s.Cursor: // to stay is nothing to be followed
		s.Proposal = Proposal{b.Target, b.Call, b.Tool}
		s.Last.Proposed = seq
	}
}

// choose keeps what a model chose at the start of the turn.
func (s *State) choose(c *Choice) {
	s.Phase = Routing
	if s.Aside.Purpose == model.Decide {
		s.Decided = c
	} else {
		s.Classified = c
	}
}

func (s *State) note(p model.Part) {
	if p.Kind != "" {
		s.Notes = append(s.Notes, p)
	}
}

func (s *State) answer(id string, seq int, executed bool, status spoor.Status, result model.Part) {
	c := s.call(id)
	c.Answered, c.Executed, c.Status, c.Result = seq, executed, status, result
	c.Question = nil
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

// asking is the first call that waits for a person, or nil.
func (s *State) asking() *Call {
	for i := range s.Batch {
		if c := &s.Batch[i]; c.Question != nil && c.Answered == 0 {
			return c
		}
	}
	return nil
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

// ruled are the skills that are active because their own condition holds.
func ruled(active []event.Active) (ids []string) {
	for _, a := range active {
		if a.Via == spoor.ViaRule {
			ids = append(ids, a.Skill)
		}
	}
	return ids
}

// leaf is the leaf of a tree that is active; empty if there is none.
func leaf(active []event.Active) string {
	for _, a := range active {
		if a.Via == spoor.ViaTree {
			return a.Skill
		}
	}
	return ""
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

// void reports whether a server refused the turn, and would refuse it again.
func (s *State) void() bool { return s.Ended == event.ByError && s.Fault != "" && !s.Fault.Passing() }

// Place is where the conversation stands after this turn, and the skills that
// are switched on there: what the next turn begins with, if it goes on there.
func (s *State) Place() (cursor string, activated []string) {
	if s.void() && s.Started.Continuity == spoor.ContinueConversation {
		return s.Started.Cursor, s.Started.Activated
	}
	if s.void() {
		return "", nil
	}
	return s.Cursor, s.Activated
}

// Conversation is what was said in this turn and before it, notes too: the
// history of the next turn. A turn that a server refused, and would refuse again, is not
// part of it, so that it does not take the next ones with it.
func (s *State) Conversation() []model.Part {
	if s.void() {
		return s.Started.History
	}
	request := s.Request
	if len(request) == 0 && s.Started != nil { // nothing was asked
		request = append(slices.Clip(s.Started.History), s.Started.Message)
	}
	var parts []model.Part
	for _, p := range slices.Concat(request, news(s, false)) {
		if p.Role != model.System || p.Kind == model.Note && p.Data != lastText {
			parts = append(parts, p)
		}
	}
	return parts
}
