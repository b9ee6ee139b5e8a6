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
	"time"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/score"
)

// Version is that of the machine: with the same version, the same outcomes
// give the same events.
const Version = 0

// A Machine walks one map. It never changes and is safe for concurrent use.
type Machine struct {
	graph  *spoor.Graph
	bodies map[string]model.Part // of skills that have one
	always []model.Part          // the steering and the facts
	texts  map[string]model.Part // of instructions, by their id
	owners map[string][]string   // the skills that list a tool
	open   []string              // skills that can be read from anywhere
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
// none.
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
	s.now = at
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
		if c := s.asking(); s.Phase != Paused || c.ID != o.Call {
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
			parts[i].Call = callID(turn, iteration, n)
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
		return Score{s.Asked.Scorer, s.Asked.Query, s.Spent.Deadline}
	case Choosing:
		parts := event.Splices(nil, s.Aside.Splices)
		return CallModel{Purpose: s.Aside.Purpose, Parts: parts, Choice: s.Aside.Choice, Skill: s.Cursor, Iteration: 1, Deadline: s.Spent.Deadline}
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

// work refuses the calls that have no tool here, sends the others, and moves
// once all of them are answered and what they ask of the walk is judged.
func (m *Machine) work(s *State) (event.Body, []int) {
	var send []string
	var told []int // the answers of people that calls go on with
	waits, fresh := false, 0
	for i := range s.Batch {
		c := &s.Batch[i]
		switch {
		case c.Answered > 0 || c.read() && s.offers(c.Tool):
		case c.Lost:
			return refuse(c, spoor.Pending, event.Lost, lostText), s.because(s.Last.Resumed)
		case c.Question != nil:
		case c.Sent:
			waits = true
		case c.Answer != nil && c.Answer.Declined:
			return refuse(c, spoor.Denied, event.Declined, declinedText(c.Answer.Answer.Data)), s.because(c.ToldAt)
		case c.Answer != nil:
			send, told = append(send, c.ID), append(told, c.ToldAt)
		case !s.offers(c.Tool):
			return refuse(c, spoor.Invalid, event.Unoffered, unofferedText(c.Tool, s.Offered.Items)), s.because(s.Last.Replied)
		case s.exhausted(fresh):
			return refuse(c, spoor.Invalid, event.Budget, noToolText), s.because(s.Last.Replied)
		default:
			fresh++
			send = append(send, c.ID)
		}
	}
	switch {
	case send != nil:
		return &event.Sent{Calls: send}, append(s.because(s.Last.Replied), told...)
	case waits:
		return nil, nil
	}
	if c := s.asking(); c != nil {
		return &event.Paused{Call: c.ID}, s.because(c.AskedAt)
	}
	if body, because := m.judge(s); body != nil {
		return body, because
	}
	return m.decide(s)
}

// exhausted reports whether no further tool may be called, once so many fresh
// calls are sent.
func (s *State) exhausted(fresh int) bool {
	most := s.Started.Limits.ToolCalls
	return most > 0 && s.Spent.ToolCalls+fresh >= most || s.Spent.late(s.Time)
}

func (s *State) offers(tool string) bool { return slices.Contains(s.Offered.Items, tool) }

// decide moves the walk: every fact of the move is known.
func (m *Machine) decide(s *State) (event.Body, []int) {
	g := m.seen(s)
	facts := m.facts(s, g)
	move := g.Next(facts)
	facts.Activated = activated(g, facts, move)

	v := &event.Evaluated{Move: move, Activated: facts.Activated, Pick: facts.Pick, Proposal: facts.Proposal}
	if menu := s.menu(g, s.MenuOpen, s.Cursor); facts.Pick != "" && menu != nil {
		v.Declined = !slices.Contains(menu, facts.Pick)
	}
	var in spoor.Injected
	if m.ruled {
		in = g.Injected(facts, move)
	}
	if m.stays(s, move, facts.Activated) {
		v.ActiveAs = s.Active.At
	} else {
		v.Active, v.ActiveAs = active(s, g, facts, move, in.Skills)
	}
	v.Reachable, v.ReachableAs = s.Reachable.since(g.Successors(move.To))
	v.Superseded, v.SupersededAs = s.Superseded.since(g.Superseded(facts, move))
	if v.Instructions = m.instructions(s, in.Instructions, move); len(v.Instructions) > 0 && slices.Equal(v.Instructions, s.Instructions) {
		v.Instructions, v.InstructionsAs = nil, s.InstructedAt
	}
	if v.Skipped = skipped(s.Started.Hidden, in.Failed); len(v.Skipped) > 0 && slices.Equal(v.Skipped, s.Skipped) {
		v.Skipped, v.SkippedAs = nil, s.SkippedAt
	}
	return v, s.reasons()
}

// stays reports whether a move leaves the active skills as they are.
func (m *Machine) stays(s *State, move spoor.Move, activated []string) bool {
	leaf := m.graph.Map().Tree == nil || move.Ref == s.Move.Ref
	return !m.ruled && leaf && move.To == s.Cursor && slices.Equal(activated, s.Activated) && len(s.Active.Items) > 0
}

// active are the skills in play, and why. Ruled are those whose own condition
// holds; for one that the model read that is not why.
func active(s *State, g *spoor.Graph, f spoor.Facts, move spoor.Move, ruled []string) (list []event.Active, as int) {
	ruled = slices.DeleteFunc(slices.Clone(ruled), func(id string) bool { return slices.Contains(f.Activated, id) })
	f.Activated = slices.Concat(f.Activated, ruled)
	ids := g.Active(f, move)
	if same, as := s.Active.since(ids); same == nil && slices.Equal(ruled, s.Ruled) {
		return nil, as
	}
	for _, id := range ids {
		why := g.Provenance(id)
		if slices.Contains(ruled, id) {
			why = spoor.Provenance{Via: spoor.ViaRule, TriggerKind: "rule"}
		}
		list = append(list, event.Active{Skill: id, Provenance: why})
	}
	return list, 0
}

// instructions are those of the next prompt, in declared order, and why.
func (m *Machine) instructions(s *State, ruled []string, move spoor.Move) (list []event.ActiveInstruction) {
	if len(m.texts) == 0 {
		return nil
	}
	for _, n := range m.graph.Injections().Instructions {
		_, ref := m.graph.Instruction(n.ID)
		if slices.Contains(ruled, n.ID) {
			list = append(list, event.ActiveInstruction{ID: n.ID, Ref: ref, Via: spoor.ViaRule})
			continue
		}
		i := slices.IndexFunc(s.Leases, func(l Lease) bool { return l.Instruction == n.ID && l.live(s.Iteration+1, place(move)) })
		if i >= 0 {
			l := &s.Leases[i]
			list = append(list, event.ActiveInstruction{ID: n.ID, Ref: ref, Via: spoor.ViaLease, Call: l.Call, Lease: l.Lease})
		}
	}
	return list
}

// skipped is what is passed over: skills that must not be seen, and conditions
// that could not be judged.
func skipped(hidden []string, failed []spoor.Failed) (list []event.Skipped) {
	for _, id := range hidden {
		list = append(list, event.Skipped{ID: id, Reason: event.SkipHidden})
	}
	for _, f := range failed {
		list = append(list, event.Skipped{Ref: f.Ref, Reason: event.SkipThrew, Error: f.Error})
	}
	return list
}

// reasons are what a move follows from: the answers to the batch, for a
// read_skill that is yet to be answered the reply that asked for it, and what
// a tool proposed; at the start of a turn, what decided it.
func (s *State) reasons() []int {
	if len(s.Batch) == 0 {
		if s.Last.Routed > 0 {
			return s.because(s.Last.Routed)
		}
		return s.because(s.Last.Started)
	}
	if len(s.Batch) == 1 && s.Batch[0].Answered > 0 && s.Proposal.Skill == "" {
		return s.because(s.Batch[0].Answered)
	}
	seqs := make([]int, len(s.Batch), len(s.Batch)+1)
	for i := range s.Batch {
		if seqs[i] = s.Batch[i].Answered; seqs[i] == 0 {
			seqs[i] = s.Last.Replied
		}
	}
	if s.Proposal.Skill != "" {
		seqs = append(seqs, s.Last.Proposed)
	}
	slices.Sort(seqs)
	return slices.Compact(seqs)
}

// facts are what the next move may look at: they are those of the batch, and
// gone after it.
func (m *Machine) facts(s *State, g *spoor.Graph) spoor.Facts {
	f := spoor.Facts{
		Iteration: s.Iteration + 1, UserMessage: s.Started.Message.Data, History: s.Messages,
		Cursor: s.Cursor, Activated: s.switchedOn(g), Proposal: s.Proposal.Skill,
	}
	if s.Routed != nil {
		f.Verdict = s.Routed.Fact()
	}
	menu := s.menu(g, s.MenuOpen, s.Cursor)
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
		id := readID(c.Args)
		switch target, refused := admits(g, s.Started.Posture, s.Cursor, menu, id); {
		case refused != "":
		case target == spoor.Hop:
			if f.Pick == "" {
				f.Pick, menu = id, nil
			}
		case target == spoor.OpenSkill:
			if !slices.Contains(f.Activated, id) {
				f.Activated = append(slices.Clip(f.Activated), id)
			}
		}
	}
	return f
}

// switchedOn is what the model switched on. Of what the turn before left, what
// the map has no more, or has in another role, is not.
func (s *State) switchedOn(g *spoor.Graph) []string {
	on := func(id string) bool { return g.Open(id) || id == s.Cursor && g.Bare(id) }
	if s.Iteration > 0 || !slices.ContainsFunc(s.Activated, func(id string) bool { return !on(id) }) {
		return s.Activated
	}
	return slices.DeleteFunc(slices.Clone(s.Activated), func(id string) bool { return !on(id) })
}

// activated holds the open skills that were read, and a skill that only the
// model reaches while the walk stands on it.
func activated(g *spoor.Graph, f spoor.Facts, move spoor.Move) []string {
	list := f.Activated
	if i := slices.Index(list, f.Cursor); i >= 0 && move.To != f.Cursor && g.Bare(f.Cursor) {
		list = slices.Delete(slices.Clone(list), i, i+1)
	}
	if g.Bare(move.To) && !slices.Contains(list, move.To) {
		list = append(slices.Clip(list), move.To)
	}
	return list
}

// tell records what the move did to the requests of the batch, answers the
// reads, and asks the model again.
func (m *Machine) tell(s *State) (event.Body, []int) {
	because := s.because(s.Last.Evaluated)
	g := m.seen(s)
	if s.Conflict != nil {
		text := conflictText(s.Conflict)
		return &event.RouteConflict{Winner: s.Conflict.Winner, Losers: s.Conflict.Losers, Note: note(text)}, because
	}
	if p := s.Proposal; p.Skill != "" && p.Skill != s.Move.To && !s.Dropped {
		text := droppedText(p, s.Move)
		return &event.RerouteSuperseded{
			Call: p.Call, VolunteeredID: p.Skill, WonID: s.Move.To, By: s.Move.By, Source: spoor.ByProposal, Note: note(text),
		}, because
	}
	from := s.Move.From // where the walk stood when they were judged
	menu := s.menu(g, s.MenuWas, from)
	for i := range s.Batch {
		c := &s.Batch[i]
		if !c.read() || 0 < c.Answered && c.Answered < s.Last.Evaluated { // it was refused before
			continue
		}
		id := readID(c.Args)
		target, refused := admits(g, s.Started.Posture, from, menu, id)
		offered := menu
		if target == spoor.Hop && refused == "" {
			menu = nil
		}
		switch {
		case c.Answered > 0:
			continue
		case target == spoor.Unreachable || refused != "":
			return m.reject(s, g, c, id, refused, offered), because
		case target == spoor.Hop && id != s.Move.To && !c.Beaten:
			return &event.RerouteSuperseded{Call: c.ID, VolunteeredID: id, WonID: s.Move.To, By: s.Move.By, Source: spoor.ByPick}, because
		}
		text := readText(g.Skill(id), target, s.Move)
		return &event.Read{Call: c.ID, Skill: id, Target: target, Result: resultPart(c, text)}, because
	}
	if l := s.Spent.over(s.Started, s.Time); l != "" {
		return s.finished(), because
	}
	return m.ask(s, g), because
}

func (m *Machine) reject(s *State, g *spoor.Graph, c *Call, id string, posture event.Posture, menu []string) event.Body {
	from := s.Move.From
	var allowed []string
	switch s.Started.Posture {
	case event.Rails:
	case event.Guard:
		for _, id := range menu {
			if id != from {
				allowed = append(allowed, id)
			}
		}
	default:
		allowed = g.Reachable(from)
	}
	allowed = append(allowed, m.openFrom(g, from)...)
	return &event.Rejected{
		Call: c.ID, RequestedID: id, CurrentSkillID: from, Allowed: allowed, Posture: posture,
		Result: resultPart(c, rejectedText(g, from, id, posture, allowed)),
	}
}

// openFrom lists the skills that can be read from anywhere, but for the place
// itself.
func (m *Machine) openFrom(g *spoor.Graph, cursor string) []string {
	out := func(id string) bool { return id == cursor || g.Skill(id) == nil }
	if !slices.ContainsFunc(m.open, out) {
		return m.open
	}
	return slices.DeleteFunc(slices.Clone(m.open), out)
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
	return s.finished(), because
}

// finished is the end of the turn.
func (s *State) finished() *event.Finished {
	f := &event.Finished{By: event.ByAnswer, Limit: s.limit()}
	switch {
	case s.Stopped != "":
		f.By, f.Error = event.ByStop, s.Stopped
	case s.Error != "":
		f.By, f.Error = event.ByError, s.Error
	default:
		for _, p := range s.Reply {
			if p.Kind == model.Text {
				f.Answer = append(f.Answer, p)
			}
		}
	}
	f.Limited = f.Limit != ""
	return f
}

// limit is the limit that cut the work short, if one did: the last call that it
// allowed offered no tools to a turn that was using them, or asked for some.
func (s *State) limit() event.Limit {
	switch {
	case s.Stopped != "" && s.Spent.expired(s.Time):
		return event.LimitTime
	case s.Stopped != "" || s.Error != "":
		return ""
	case s.Final != "" && (s.Spent.Answers > 1 || len(s.Batch) > 0):
		return s.Final
	case len(s.Batch) > 0 || s.Spent.Answers == 0:
		return s.Spent.over(s.Started, s.Time)
	}
	return ""
}

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

func note(text string) model.Part { return model.NewPart(model.System, model.Note, text) }
