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
//	         Routing ── Score, CallModel ──▶ the world: where does the turn start?
//	            │
//	  ┌──── Working ◀──────────────────── Replied, Returned, Answered
//	  │       │ │ └── Paused ── Ask ────▶ a person
//	  │       │ │ the batch is whole: the walk moves
//	  │       │ Telling   the model is told what became of its picks
//	  │       │ │
//	  │       Asking ── CallModel ──────▶ the world
//	  ▼
//	Ending  every open call is answered ──▶ Done
package walk

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/score"
)

// Version is that of the machine: with the same version, the same outcomes
// give the same events. Shares of scores may differ in their last bits on
// another kind of processor.
const Version = 0

// A Machine walks one map. It never changes and is safe for concurrent use.
type Machine struct {
	graph  *spoor.Graph
	bodies map[string]model.Part // of skills that have one
	always []model.Part          // the steering and the facts
	texts  map[string]model.Part // of instructions, by their id
	owners map[string][]string   // the skills that list a tool
	open   []string              // skills that can be read from anywhere
	intent map[string]string     // the first one of a skill
	reads  bool                  // some skill can be read
	ruled  bool                  // conditions of the agent's own decide what is active

	breaks func(*State, event.Body) event.Body // a fault that a test puts in
}

// New makes the machine of a graph.
func New(g *spoor.Graph) *Machine {
	m := &Machine{graph: g, bodies: map[string]model.Part{}, texts: map[string]model.Part{}, owners: map[string][]string{}}
	text := func(kind model.Kind, data string) model.Part { return model.NewPart(model.System, kind, data) }
	ids := g.Skills()
	for _, id := range ids {
		s := g.Skill(id)
		if s.Body != "" {
			body := text(model.Text, s.Body)
			body.Skill = id
			m.bodies[id] = body
		}
		for _, tool := range s.Tools {
			m.owners[tool] = append(m.owners[tool], id)
		}
		if g.Open(id) {
			m.open = append(m.open, id)
		}
	}
	m.reads = m.readable(g)
	m.intent = map[string]string{}
	for _, r := range g.Map().Start.Rules {
		if text := r.Match.Intent; text != nil && m.intent[r.Use] == "" {
			m.intent[r.Use] = *text
		}
	}
	in := g.Injections()
	for _, s := range in.Steering {
		m.always = append(m.always, text(model.Text, s))
	}
	for _, f := range in.Facts {
		m.always = append(m.always, text(model.Text, f.Text))
	}
	for _, n := range in.Instructions {
		m.texts[n.ID] = text(model.Instruction, n.Text)
		m.ruled = m.ruled || n.When != ""
	}
	for _, s := range in.Skills {
		m.ruled = m.ruled || s.When != ""
	}
	return m
}

// readable reports whether some skill of a graph can be read: an open one, or
// one to move to.
func (m *Machine) readable(g *spoor.Graph) bool {
	if slices.ContainsFunc(m.open, func(id string) bool { return g.Skill(id) != nil }) {
		return true
	}
	ids := g.Skills()
	return g.Map().Tree == nil && (len(ids) > 1 || len(ids) == 1 && g.Trigger(ids[0]) != spoor.TriggerAlways)
}

// seen is the graph as this turn may see it.
func (m *Machine) seen(s *State) *spoor.Graph {
	if len(s.Started.Hidden) == 0 {
		return m.graph
	}
	if s.view == nil {
		s.view = m.graph.Hide(s.Started.Hidden)
	}
	return s.view
}

// A Command is what the turn wants of the world. A deadline that is zero is
// none. At that of an answer the turn is to be stopped; what is asked for a
// choice, and a tool, is given up then, which is an outcome like any other.
type Command interface{ command() }

// Score asks a scorer where the turn starts. Its outcome is Scored.
type Score struct {
	Scorer   string // as the map names it
	Query    score.Query
	Deadline time.Time
}

// CallModel asks a model. Its outcome is Replied or Failed. The slices are
// those of the state: they must not be changed, and hold until the next step.
type CallModel struct {
	Purpose   model.Purpose
	Parts     []model.Part
	Offered   []string    // tools
	Choice    *event.Tool // the only tool there is, which must be called; nil: none
	Skill     string      // where the walk stands
	Iteration int
	Deadline  time.Time
}

// CallTools runs the calls that are out, each of which ends in one Returned, or
// in a question to a person, Needs. A host that has started some of them
// already starts the others only. The calls are those of State.Out.
type CallTools struct {
	Calls    []*Call
	Deadline time.Time
}

// Ask asks a person the question of a call, while nothing else runs. Its
// outcome is Answered, perhaps much later and in another process.
type Ask struct {
	Call     *Call
	Question *event.Needs
}

func (Score) command()     {}
func (CallModel) command() {}
func (CallTools) command() {}
func (Ask) command()       {}

// Step records an outcome at a time and all that follows from it, in order. A
// result or a reply that nobody waits for any more is recorded as Late. The
// outcome belongs to the machine afterwards, which gives the calls of a reply
// their ids. The events are the caller's until the next Step or Settle of the
// same state.
func (m *Machine) Step(s *State, o event.Outcome, at time.Time) []event.Event {
	s.events = s.events[:0]
	s.now = at.Round(0) // as it is on record: without a clock that stands still while a machine sleeps
	o = admit(s, o)
	m.record(s, o, s.cause(o))
	return m.follow(s)
}

// Settle records what follows by itself: it finishes a step that a crash cut.
// Where nothing was cut there are no events.
func (m *Machine) Settle(s *State) []event.Event {
	s.events = s.events[:0]
	s.now = s.Time
	return m.follow(s)
}

func (m *Machine) follow(s *State) []event.Event {
	for {
		body, because := m.next(s)
		if body == nil {
			return s.events
		}
		if m.breaks != nil {
			body = m.breaks(s, body)
		}
		m.record(s, body, because)
	}
}

func (m *Machine) record(s *State, b event.Body, because []int) {
	e := event.Event{Seq: s.Seq + 1, Time: s.now, Turn: s.Turn, Iteration: s.Iteration, Because: because, Body: b}
	switch b.(type) {
	case *event.Started:
		e.Turn, e.Iteration = s.Turn+1, 0
	case *event.Evaluated:
		e.Iteration = s.Iteration + 1
	default:
		if s.Phase != Idle {
			e.Iteration = max(s.Iteration, 1) // what leads to the first one is of it
		}
	}
	s.Apply(e)
	s.events = append(s.events, e)
}

// admit makes an outcome what the machine keeps of it: calls get the ids of
// spoor, and what nobody waits for is late.
func admit(s *State, o event.Outcome) event.Outcome {
	started, starts := o.(*event.Started)
	under := s.Phase != Idle && s.Phase != Done
	switch o := o.(type) {
	case *event.Late:
		return o
	case *event.Scored:
		if s.Phase != Scoring {
			return &event.Late{Error: "scores came while no scorer was asked"}
		}
	case *event.Replied:
		switch s.Phase {
		case Choosing: // nobody answers its calls
			for i := range o.Parts {
				o.Parts[i].Call = ""
			}
		case Asking:
			number(o.Parts, s.Turn, s.Iteration)
		default:
			return &event.Late{Parts: o.Parts}
		}
	case *event.Failed:
		if s.Phase != Asking && s.Phase != Choosing {
			return &event.Late{Error: o.Error}
		}
	case *event.Returned:
		if s.Phase != Working || !s.call(o.Call).out() {
			return &event.Late{Call: o.Call, Parts: append([]model.Part{o.Result}, o.More...)}
		}
	case *event.Needs:
		if s.Phase != Working || !s.call(o.Call).out() {
			return &event.Late{Call: o.Call, Parts: []model.Part{o.Question}}
		}
	case *event.Answered:
		if c := s.asking(); s.Phase != Paused || c == nil || c.ID != o.Call {
			return &event.Late{Call: o.Call, Parts: []model.Part{o.Answer}}
		}
	}
	if starts && under {
		return &event.Late{Error: "a turn was to start while another was under way", Parts: []model.Part{started.Message}}
	}
	if !starts && !under {
		return &event.Late{Error: o.Kind() + " came while no turn was under way"}
	}
	return o
}

// number gives the calls of a reply their ids.
func number(parts []model.Part, turn, iteration int) {
	n := 0
	for i := range parts {
		if parts[i].Kind == model.Call {
			n++
			parts[i].Call, parts[i].Tool = callID(turn, iteration, n), strings.ToValidUTF8(parts[i].Tool, "\uFFFD")
		}
	}
}

// callID is the id of a call: i3.1 is the first one of the third iteration,
// and t2i3.1 that of the second turn, since a request holds the turns before
// it too.
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
	case *event.Scored:
		return s.because(s.Last.Asked)
	case *event.Replied, *event.Failed:
		return s.because(s.Last.Called)
	case *event.Returned, *event.Needs:
		return s.because(s.Last.Sent)
	case *event.Answered:
		return s.because(s.Last.Paused)
	}
	return nil
}

// next is the event that follows by itself, and what it follows from; nil if
// the turn waits for the world or is over.
func (m *Machine) next(s *State) (event.Body, []int) {
	switch s.Phase {
	case Routing:
		return m.route(s)
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
	case Scoring:
		return Score{s.Asked.Scorer, s.Asked.Query, s.Spent.WrapUp}
	case Choosing:
		parts := event.Splices(nil, s.Aside.Splices)
		return CallModel{Purpose: s.Aside.Purpose, Parts: parts, Choice: s.Aside.Choice, Skill: s.Cursor, Iteration: 1, Deadline: s.Spent.WrapUp}
	case Asking:
		return CallModel{Purpose: model.Answer, Parts: s.Request, Offered: s.Offered.Items, Skill: s.Cursor, Iteration: s.Iteration, Deadline: s.Spent.Deadline}
	case Paused:
		if c := s.asking(); c != nil {
			return Ask{c, c.Question}
		}
	case Working:
		if out := s.Out(); out != nil {
			return CallTools{out, s.Spent.WrapUp}
		}
	}
	return nil
}
