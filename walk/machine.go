// Package walk is one turn of an agent as a pure state machine.
//
// It has no clock, no goroutine and no I/O. What only the world can say comes
// in as an [event.Outcome]; all that follows from it comes out as events; and
// what is wanted of the world next is a [Command]. A host is a loop:
//
//	events := machine.Step(state, outcome, time.Now())
//	append the events to the recording, in one write
//	do machine.Command(state), and bring back its outcome
//
// What follows and what is wanted are functions of [State] alone, and a State
// is nothing but its events folded by [State.Apply]. So a recording is enough
// to replay a turn, to resume it after a crash, or to explain it.
//
//	         Started
//	            │
//	  ┌──── Working ◀────────────── Replied, Returned
//	  │         │ the batch is whole: the walk moves
//	  │      Telling   the model is told what became of its picks
//	  │         │
//	  │       Asking ── CallModel ──▶ the world
//	  ▼
//	Ending  every open call is answered ──▶ Done
package walk

import (
	"slices"
	"strconv"
	"time"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
)

// Version is that of the machine: with the same version, the same outcomes
// give the same events.
const Version = 0

// A Machine walks one map. It never changes and is safe for concurrent use.
type Machine struct {
	graph  *spoor.Graph
	bodies map[string]model.Part // of skills that have one
	owners map[string][]string   // the skills that list a tool
	open   []string              // skills that can be read from anywhere
	reads  bool                  // some skill can be read
}

// New makes the machine of a graph.
func New(g *spoor.Graph) *Machine {
	m := &Machine{graph: g, bodies: map[string]model.Part{}, owners: map[string][]string{}}
	skills := g.Map().Skills
	for _, s := range skills {
		if s.Body != "" {
			body := model.NewPart(model.System, model.Text, s.Body)
			body.Skill = s.ID
			m.bodies[s.ID] = body
		}
		for _, tool := range s.Tools {
			m.owners[tool] = append(m.owners[tool], s.ID)
		}
		if g.Open(s.ID) {
			m.open = append(m.open, s.ID)
		}
		m.reads = m.reads || len(skills) > 1 && g.Map().Tree == nil || g.Open(s.ID)
	}
	return m
}

// A Command is what the turn wants of the world.
type Command interface{ command() }

// CallModel asks the model. Its outcome is Replied or Failed. The slices are
// those of the state: they must not be changed, and hold until the next step.
type CallModel struct {
	Purpose   model.Purpose
	Parts     []model.Part
	Offered   []string // tools
	Skill     string   // where the walk stands
	Iteration int
}

// CallTools runs the calls that are out, each of which ends in one Returned. A
// host that has started some of them already starts the others only. The calls
// are those of State.Out.
type CallTools struct{ Calls []*Call }

func (CallModel) command() {}
func (CallTools) command() {}

// Step records an outcome at a time and all that follows from it, in order. A
// result or a reply that nobody waits for any more is recorded as Late. The
// outcome belongs to the machine afterwards, which gives the calls of a reply
// their ids. The events are the caller's until the next Step or Settle of the
// same state.
func (m *Machine) Step(s *State, o event.Outcome, at time.Time) []event.Event {
	s.events = s.events[:0]
	s.Time = at
	o = m.admit(s, o)
	m.record(s, o, s.cause(o))
	return m.follow(s)
}

// Settle records what follows by itself: it finishes a step that a crash cut.
// Where nothing was cut there are no events.
func (m *Machine) Settle(s *State) []event.Event {
	s.events = s.events[:0]
	return m.follow(s)
}

func (m *Machine) follow(s *State) []event.Event {
	for {
		body, because := m.next(s)
		if body == nil {
			return s.events
		}
		m.record(s, body, because)
	}
}

func (m *Machine) record(s *State, b event.Body, because []int) {
	e := event.Event{Seq: s.Seq + 1, Time: s.Time, Turn: s.Turn, Iteration: s.Iteration, Because: because, Body: b}
	switch b.(type) {
	case *event.Started:
		e.Turn, e.Iteration = s.Turn+1, 0
	case *event.Evaluated:
		e.Iteration = s.Iteration + 1
	}
	s.Apply(e)
	s.events = append(s.events, e)
}

// admit makes an outcome what the machine keeps of it: calls get the ids of
// spoor, and what nobody waits for is late.
func (m *Machine) admit(s *State, o event.Outcome) event.Outcome {
	_, starts := o.(*event.Started)
	under := s.Phase != Idle && s.Phase != Done
	switch o := o.(type) {
	case *event.Late:
		return o
	case *event.Replied:
		if s.Phase != Asking {
			return &event.Late{Parts: o.Parts}
		}
		number(o.Parts, s.Turn, s.Iteration)
	case *event.Failed:
		if s.Phase != Asking {
			return &event.Late{Error: o.Error}
		}
	case *event.Returned:
		if s.Phase != Working || !s.call(o.Call).out() {
			return &event.Late{Call: o.Call, Parts: append([]model.Part{o.Result}, o.More...)}
		}
	}
	if starts && under {
		return &event.Late{Error: "a turn was to start while another was under way"}
	}
	if !starts && !under {
		return &event.Late{Error: o.Kind() + " came while no turn was under way"}
	}
	return o
}

// number gives the calls of a reply their ids: i3.1 is the first one of the
// third iteration, and t2i3.1 that of the second turn, since a request holds
// the turns before it too.
func number(parts []model.Part, turn, iteration int) {
	n := 0
	for i := range parts {
		if parts[i].Kind == model.Call {
			n++
			parts[i].Call = callID(turn, iteration, n)
		}
	}
}

func callID(turn, iteration, n int) string {
	b := make([]byte, 0, 16)
	if turn > 1 {
		b = strconv.AppendInt(append(b, 't'), int64(turn), 10)
	}
	b = strconv.AppendInt(append(b, 'i'), int64(iteration), 10)
	return string(strconv.AppendInt(append(b, '.'), int64(n), 10))
}

// cause is what an outcome answers.
func (s *State) cause(o event.Outcome) []int {
	switch o.(type) {
	case *event.Replied, *event.Failed:
		return s.because(s.Last.Called)
	case *event.Returned:
		return s.because(s.Last.Sent)
	}
	return nil
}

// next is the event that follows by itself, and what it follows from; nil if
// the turn waits for the world or is over.
func (m *Machine) next(s *State) (event.Body, []int) {
	switch s.Phase {
	case Working:
		return m.work(s)
	case Telling:
		return m.tell(s)
	case Ending:
		return m.end(s)
	}
	return nil, nil
}

// Command is what the turn wants of the world now; nil if it wants nothing,
// because it is over or has not started.
func (m *Machine) Command(s *State) Command {
	switch s.Phase {
	case Asking:
		return CallModel{model.Answer, s.Request, s.Offered.Items, s.Cursor, s.Iteration}
	case Working:
		if out := s.Out(); out != nil {
			return CallTools{out}
		}
	}
	return nil
}

// work refuses the calls that have no tool here, sends the others, and moves
// once all of them are answered.
func (m *Machine) work(s *State) (event.Body, []int) {
	var send []string
	waits := false
	for i := range s.Batch {
		c := &s.Batch[i]
		switch {
		case c.Answered > 0 || c.read() && s.offers(c.Tool):
		case c.Lost:
			return refuse(c, spoor.Pending, event.Lost, lostText), s.because(s.Last.Resumed)
		case c.Sent:
			waits = true
		case !s.offers(c.Tool):
			return refuse(c, spoor.Invalid, event.Unoffered, unofferedText(c.Tool, s.Offered.Items)), s.because(s.Last.Replied)
		default:
			send = append(send, c.ID)
		}
	}
	switch {
	case send != nil:
		return &event.Sent{Calls: send}, s.because(s.Last.Replied)
	case waits:
		return nil, nil
	}
	return m.decide(s)
}

func (s *State) offers(tool string) bool { return slices.Contains(s.Offered.Items, tool) }

// decide moves the walk: every fact of the move is known.
func (m *Machine) decide(s *State) (event.Body, []int) {
	facts := m.facts(s)
	move := m.graph.Next(facts)
	facts.Activated = m.activated(facts, move)

	v := &event.Evaluated{Move: move, Activated: facts.Activated}
	if m.stays(s, move, facts.Activated) {
		v.ActiveAs = s.Active.At
	} else {
		active, as := s.Active.since(m.graph.Active(facts, move))
		v.ActiveAs = as
		for _, id := range active {
			v.Active = append(v.Active, event.Active{Skill: id, Provenance: m.graph.Provenance(id)})
		}
	}
	v.Reachable, v.ReachableAs = s.Reachable.since(m.graph.Successors(move.To))
	v.Superseded, v.SupersededAs = s.Superseded.since(m.graph.Superseded(facts, move))
	return v, s.reasons()
}

// stays reports whether a move leaves the active skills as they are.
func (m *Machine) stays(s *State, move spoor.Move, activated []string) bool {
	leaf := m.graph.Map().Tree == nil || move.Ref == s.Move.Ref
	return leaf && move.To == s.Cursor && slices.Equal(activated, s.Activated) && len(s.Active.Items) > 0
}

// reasons are what a move follows from: the answers to the batch and, for a
// read_skill that is yet to be answered, the reply that asked for it.
func (s *State) reasons() []int {
	if len(s.Batch) == 0 {
		return s.because(s.Last.Started)
	}
	if len(s.Batch) == 1 && s.Batch[0].Answered > 0 {
		return s.because(s.Batch[0].Answered)
	}
	seqs := make([]int, len(s.Batch))
	for i := range s.Batch {
		if seqs[i] = s.Batch[i].Answered; seqs[i] == 0 {
			seqs[i] = s.Last.Replied
		}
	}
	slices.Sort(seqs)
	return slices.Compact(seqs)
}

// facts are what the next move may look at: they are those of the batch, and
// gone after it.
func (m *Machine) facts(s *State) spoor.Facts {
	f := spoor.Facts{
		Iteration: s.Iteration + 1, UserMessage: s.Started.Message.Data, History: s.Messages,
		Cursor: s.Cursor, Activated: s.Activated,
	}
	for i := range s.Batch {
		c := &s.Batch[i]
		if !c.read() {
			f.Results = append(f.Results, spoor.Result{
				Tool: c.Tool, CallID: c.ID, Executed: c.Executed, Status: c.Status, Text: c.Result.Data,
			})
			continue
		}
		if c.Answered > 0 { // it was refused
			continue
		}
		switch id, target := m.wanted(c, s.Cursor); target {
		case spoor.Hop:
			if f.Pick == "" {
				f.Pick = id
			}
		case spoor.OpenSkill:
			if !slices.Contains(f.Activated, id) {
				f.Activated = append(slices.Clip(f.Activated), id)
			}
		}
	}
	return f
}

// activated holds the open skills that were read, and a skill that only the
// model reaches while the walk stands on it.
func (m *Machine) activated(f spoor.Facts, move spoor.Move) []string {
	list := f.Activated
	if move.To == f.Cursor {
		return list
	}
	if i := slices.Index(list, f.Cursor); i >= 0 && m.graph.Bare(f.Cursor) {
		list = slices.Delete(slices.Clone(list), i, i+1)
	}
	if m.graph.Bare(move.To) && !slices.Contains(list, move.To) {
		list = append(slices.Clip(list), move.To)
	}
	return list
}

// tell records what the move did to the requests of the batch, answers the
// reads, and asks the model again.
func (m *Machine) tell(s *State) (event.Body, []int) {
	because := s.because(s.Last.Evaluated)
	if s.Conflict != nil {
		return &event.RouteConflict{Winner: s.Conflict.Winner, Losers: s.Conflict.Losers}, because
	}
	for i := range s.Batch {
		c := &s.Batch[i]
		if c.Answered > 0 {
			continue
		}
		id, target := m.wanted(c, s.Move.From) // as it was when the move was made
		switch {
		case target == spoor.Unreachable:
			return m.reject(s, c, id), because
		case target == spoor.Hop && id != s.Move.To && !c.Beaten:
			return &event.RerouteSuperseded{Call: c.ID, VolunteeredID: id, WonID: s.Move.To, By: s.Move.By}, because
		}
		text := readText(m.graph.Skill(id), target, s.Move)
		return &event.Read{Call: c.ID, Skill: id, Target: target, Result: resultPart(c, text)}, because
	}
	return m.ask(s), because
}

// wanted is the skill that a read_skill names, and what it is from a place. No
// skill is named by arguments that are none.
func (m *Machine) wanted(c *Call, from string) (string, spoor.Target) {
	id := readID(c.Args)
	return id, m.graph.Classify(from, id)
}

func (m *Machine) reject(s *State, c *Call, id string) event.Body {
	allowed := append(m.graph.Reachable(s.Move.From), m.openFrom(s.Move.From)...)
	return &event.Rejected{
		Call: c.ID, RequestedID: id, CurrentSkillID: s.Move.From, Allowed: allowed,
		Result: resultPart(c, rejectedText(id, allowed)),
	}
}

// openFrom lists the skills that can be read from anywhere, but for the place
// itself.
func (m *Machine) openFrom(cursor string) []string {
	if !slices.Contains(m.open, cursor) {
		return m.open
	}
	return slices.DeleteFunc(slices.Clone(m.open), func(id string) bool { return id == cursor })
}

// end answers what is still open, and finishes the turn.
func (m *Machine) end(s *State) (event.Body, []int) {
	because := s.because(s.Last.Ended)
	for i := range s.Batch {
		c := &s.Batch[i]
		switch {
		case c.Answered > 0:
		case s.Stopped != "" || s.Error != "":
			return refuse(c, spoor.Failure, event.Cut, cutText), because
		default:
			return refuse(c, spoor.Invalid, event.Budget, budgetText), because
		}
	}
	f := &event.Finished{By: event.ByAnswer, Limited: s.limited()}
	switch {
	case s.Stopped != "":
		f = &event.Finished{By: event.ByStop, Error: s.Stopped}
	case s.Error != "":
		f = &event.Finished{By: event.ByError, Error: s.Error}
	default:
		for _, p := range s.Reply {
			if p.Kind == model.Text {
				f.Answer = append(f.Answer, p)
			}
		}
	}
	return f, because
}

// limited reports whether the budget cut the work short: the last call that it
// allowed offered no tools to a turn that was using them, or asked for some.
func (s *State) limited() bool { return s.Final && (s.Calls > 1 || len(s.Batch) > 0) }

func refuse(c *Call, status spoor.Status, reason event.Reason, text string) event.Body {
	result := resultPart(c, text)
	result.Status = string(status)
	return &event.Refused{Call: c.ID, Tool: c.Tool, Status: status, Reason: reason, Result: result}
}

func resultPart(c *Call, text string) model.Part {
	p := model.NewPart(model.Tool, model.Result, text)
	p.Call, p.Tool = c.ID, c.Tool
	return p
}
