package explain

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
)

// readSkill is the tool that the walk answers itself.
const readSkill = "read_skill"

// A trail follows the events of a recording back to where they came from. It
// speaks of an event by its index, and only ever goes to a smaller one, so it
// ends also in a recording whose links are wrong.
type trail struct {
	r      *recording.Recording
	at     map[int]int            // seq to index; of two with one seq the first
	turn   []int                  // by index: where its turn started, or -1
	moves  []int                  // the context.evaluated, in order
	active map[int][]event.Active // of a context.evaluated, its As followed
	parts  map[int]int            // of a request: how many parts it has
	aside  map[int]model.Purpose  // of a request that is for no answer, and of what came of it
	asks   map[int]ask            // by the event that speaks of a call: who asked for it
	people map[int][]int          // by the event that answers a call: what a person was asked of it, and said
	routes map[int]int            // by where a turn started: what decided where its walk does
	closes map[int]bool           // the moves that close a menu
	menus  map[int][]string       // by move: the menu that was open when it was made
	texts  map[int]texts          // of a context.evaluated, its As followed: the instructions
	maps   map[int]*mapped        // by index of the started event
	chains map[int][]Link         // by move: what back tells of it
	fresh  map[int][]string       // by move: what is superseded for the first time in its turn
	words  *Words                 // to tell it in
	full   bool                   // tell all of a text
	from   int                    // of a replayed run: the event from which on all is assumed; 0: none
}

// texts are the instructions after a move, and whether they are other ones than
// before it.
type texts struct {
	list  []event.ActiveInstruction
	fresh bool
}

// An ask is a call that a reply asks for.
type ask struct {
	reply int
	part  model.Part
}

// maxBack bounds how far a trail looks back for what no link names.
const maxBack = 4096

func newTrail(r *recording.Recording) *trail {
	t := &trail{
		r: r, at: make(map[int]int, len(r.Events)), turn: make([]int, len(r.Events)),
		active: map[int][]event.Active{}, parts: map[int]int{}, aside: map[int]model.Purpose{}, asks: make(map[int]ask, len(r.Events)/4),
		people: map[int][]int{}, routes: map[int]int{}, closes: map[int]bool{}, menus: map[int][]string{}, texts: map[int]texts{}, maps: map[int]*mapped{}, chains: map[int][]Link{},
		fresh: map[int][]string{},
	}
	_, t.from, _ = Replayed(r.Run)
	turn := -1
	parts := map[model.Purpose]int{} // these are of this turn, too
	calls := map[string]ask{}
	people := map[string][]int{}
	superseded := map[string]bool{}
	var purpose model.Purpose // of the call that is out
	var menu []string
	var now texts
	for i := range r.Events {
		e := &r.Events[i]
		if _, again := t.at[e.Seq]; !again {
			t.at[e.Seq] = i
		}
		switch b := e.Body.(type) {
		case *event.Started:
			turn = i
			clear(parts)
			clear(calls)
			clear(people)
			clear(superseded)
			purpose, menu, now = "", nil, texts{}
		case *event.TurnRouted:
			t.routes[turn] = i
			if b.By == spoor.ByMenu {
				menu = b.Offered
			}
		case *event.Called:
			n := parts[b.Purpose]
			for _, s := range b.Splices {
				at, end := spliced(s, n)
				n += len(s.Put) - (end - at)
			}
			parts[b.Purpose], t.parts[i] = n, n
			if purpose = b.Purpose; aside(purpose) {
				t.aside[i] = purpose
			}
		case *event.Failed:
			if aside(purpose) {
				t.aside[i] = purpose
			}
		case *event.Replied:
			if aside(purpose) {
				t.aside[i] = purpose
				break
			}
			for _, p := range b.Parts {
				if p.Kind == model.Call {
					calls[p.Call] = ask{i, p}
				}
			}
		case *event.Needs:
			people[b.Call] = append(people[b.Call], i)
		case *event.Answered:
			people[b.Call] = append(people[b.Call], i)
		case *event.Evaluated:
			t.moves = append(t.moves, i)
			t.active[i] = b.Active
			if j, ok := t.at[b.ActiveAs]; ok && b.ActiveAs != 0 && j < i {
				t.active[i] = t.active[j]
			}
			t.menus[i] = menu
			if menu != nil && (b.Pick != "" || e.Iteration > 1 && b.Move.To != b.Move.From) {
				menu, t.closes[i] = nil, true
			}
			now = t.instructed(i, now)
			t.texts[i] = now
			for _, id := range t.superseded(i) {
				if !superseded[id] {
					superseded[id] = true
					t.fresh[i] = append(t.fresh[i], id)
				}
			}
		}
		t.turn[i] = turn
		call := callOf(e.Body)
		if a, ok := calls[call]; ok {
			t.asks[i] = a
		}
		if _, part := resultOf(e.Body); part.Kind != "" {
			t.people[i] = people[call]
		}
	}
	return t
}

// aside reports whether a request is one for something else than an answer.
func aside(p model.Purpose) bool { return p != "" && p != model.Answer }

// instructed are the instructions after move i, and whether they are other
// ones than before it.
func (t *trail) instructed(i int, before texts) texts {
	b := t.event(i).Body.(*event.Evaluated)
	if j, ok := t.at[b.InstructionsAs]; ok && b.InstructionsAs != 0 && j < i {
		return texts{t.texts[j].list, !slices.Equal(t.texts[j].list, before.list)}
	}
	return texts{b.Instructions, !slices.Equal(b.Instructions, before.list)}
}

func (t *trail) event(i int) *event.Event { return &t.r.Events[i] }

// turns counts the turns that have begun.
func (t *trail) turns() (n int) {
	for i, turn := range t.turn {
		if turn == i {
			n++
		}
	}
	return n
}

// seq is that of an event; 0 if there is none.
func (t *trail) seq(i int) int {
	if i < 0 {
		return 0
	}
	return t.r.Events[i].Seq
}

func (t *trail) started(i int) *event.Started {
	if i < 0 || t.turn[i] < 0 {
		return nil
	}
	return t.r.Events[t.turn[i]].Body.(*event.Started)
}

// cause finds the event with a body of type B that event i follows from. Where
// no link says so it is the nearest one before it in its turn, and the
// evidence is derived. The index is -1 if there is none.
func cause[B event.Body](t *trail, i int) (b B, j int, ev Evidence) {
	if i < 0 {
		return b, -1, Derived
	}
	because := t.event(i).Because
	for k := len(because) - 1; k >= 0; k-- {
		if j, ok := t.at[because[k]]; ok && j < i && t.turn[j] == t.turn[i] {
			if b, ok := t.event(j).Body.(B); ok {
				return b, j, Fact
			}
		}
	}
	for j := i - 1; j >= max(0, t.turn[i], i-maxBack); j-- {
		if b, ok := t.event(j).Body.(B); ok {
			return b, j, Derived
		}
	}
	return b, -1, Derived
}

// reply is the cause of event i that is a reply with an answer or with calls.
func (t *trail) reply(i int) (b *event.Replied, j int, ev Evidence) {
	if b, j, ev = cause[*event.Replied](t, i); j >= 0 && t.aside[j] != "" {
		return nil, -1, Derived
	}
	return b, j, ev
}

// A placed part is one of a request, and the model call that put it there.
type placed struct {
	model.Part
	by int
}

// request is what a model call was asked: that call and those before it in its
// turn that have its purpose, folded. A splice that reaches beyond the request
// is cut to it.
func (t *trail) request(i int) []placed {
	l := newPartList()
	purpose := t.event(i).Body.(*event.Called).Purpose
	for j := max(t.turn[i], 0); j <= i; j++ {
		b, ok := t.event(j).Body.(*event.Called)
		if !ok || b.Purpose != purpose {
			continue
		}
		for _, s := range b.Splices {
			l.splice(s, j)
		}
	}
	return l.all()
}

// A partList is a request while it is folded. What is spliced is mostly near one
// end of it, so it is linked both ways, and a place is sought from the nearest
// of its ends and of the last splice.
type partList struct {
	links  []partLink // the first is both ends
	n      int
	at     int // the link of the last splice
	number int // its place
}

type partLink struct {
	part          *model.Part
	by            int
	before, after int32
}

func newPartList() *partList { return &partList{links: make([]partLink, 1)} }

// link is that of the part at a place; of the place behind the last it is 0.
func (l *partList) link(at int) int {
	k, from := 0, -1 // the ends are before the first, and
	if l.n-at < at+1 {
		from = l.n // behind the last
	}
	if near := max(at-l.number, l.number-at); l.at != 0 && near < max(at-from, from-at) {
		k, from = l.at, l.number
	}
	for ; from < at; from++ {
		k = int(l.links[k].after)
	}
	for ; from > at; from-- {
		k = int(l.links[k].before)
	}
	return k
}

func (l *partList) splice(s event.Splice, by int) {
	at, end := spliced(s, l.n)
	k := l.link(at)
	before := l.links[k].before
	for range end - at {
		k = int(l.links[k].after)
	}
	l.n += len(s.Put) - (end - at)
	for i := range s.Put {
		l.links = append(l.links, partLink{part: &s.Put[i], by: by, before: before})
		l.links[before].after = int32(len(l.links) - 1)
		before = int32(len(l.links) - 1)
	}
	l.links[before].after, l.links[k].before = int32(k), before
	l.at, l.number = int(before), at+len(s.Put)-1
}

func (l *partList) all() []placed {
	list := make([]placed, 0, l.n)
	for k := l.links[0].after; k != 0; k = l.links[k].after {
		list = append(list, placed{*l.links[k].part, l.links[k].by})
	}
	return list
}

// spliced is what a splice drops of a request with n parts.
func spliced(s event.Splice, n int) (at, end int) {
	at = min(max(s.At, 0), n)
	return at, at + min(max(s.Drop, 0), n-at)
}

// moveBefore is the last move before event i in its turn, or -1.
func (t *trail) moveBefore(i int) int {
	k, _ := slices.BinarySearch(t.moves, i)
	if k == 0 || t.moves[k-1] < t.turn[i] {
		return -1
	}
	return t.moves[k-1]
}

func (t *trail) move(i int) *spoor.Move { return &t.event(i).Body.(*event.Evaluated).Move }

func (t *trail) isActive(i int, skill string) bool {
	return slices.ContainsFunc(t.active[i], func(a event.Active) bool { return a.Skill == skill })
}

// activated is the move that made a skill active which is so at move i.
func (t *trail) activated(i int, skill string) int {
	for t.isActive(i, skill) {
		before := t.moveBefore(i)
		if before < 0 || !t.isActive(before, skill) {
			return i
		}
		i = before
	}
	return i
}

// entered is the move that led to where the walk stands after move i.
func (t *trail) entered(i int) int {
	for i >= 0 && t.move(i).From == t.move(i).To {
		before := t.moveBefore(i)
		if before < 0 {
			break
		}
		i = before
	}
	return i
}

// link is the beginning of a link to event i.
func (t *trail) link(i int, ev Evidence, text string) Link {
	e := t.event(i)
	return Link{Evidence: t.grade(e.Seq, ev), Kind: e.Body.Kind(), Event: e.Seq, Turn: e.Turn, Iteration: e.Iteration, Text: text}
}

// moveLink tells a move.
func (t *trail) moveLink(i int, ev Evidence) Link {
	m := t.move(i)
	label := t.mapOf(i).label(m.Ref)
	l := t.link(i, ev, say("moved", "iteration", itoa(t.event(i).Iteration), "move", moveText(m, label, t.fired(i))))
	l.Move, l.Label, l.Skill = m, label, m.To
	return l
}

// fired is the result that took the step of a move; nil if the move took none,
// or if it cannot be told which.
func (t *trail) fired(i int) *Result {
	m := t.move(i)
	if m.By != spoor.ByRoute {
		return nil
	}
	call := ""
	switch results := t.results(i); {
	case m.Guard != nil:
		call = m.Guard.CallID
	case m.Conflict != nil:
		call = m.Conflict.Winner.CallID
	case len(results) == 1:
		return &results[0]
	default:
		if tool := t.mapOf(i).waitsFor(m.Ref); tool != "" {
			for k := range results {
				if results[k].Tool == tool {
					return &results[k]
				}
			}
		}
		return nil
	}
	for _, r := range t.results(i) {
		if r.Call == call {
			return &r
		}
	}
	return nil
}

// maxMoves bounds how many moves a chain tells.
const maxMoves = 50

// back tells how the walk came to move i, and what was before it, down to the
// message: the moves that led elsewhere, each with the result that took it.
func (t *trail) back(i int) []Link {
	if links, ok := t.chains[i]; ok {
		return links
	}
	var links []Link
	told := 0
	for j := i; j >= 0; told++ {
		if told == maxMoves {
			links = append(links, t.link(j, Fact, say("moves before", "iteration", itoa(t.event(j).Iteration))))
			break
		}
		links = append(links, t.moveLink(j, Fact))
		if r := t.fired(j); r != nil {
			links = append(links, t.resultLinks(t.at[r.Event])...)
		} else if t.move(j).By == spoor.ByPick {
			links = append(links, t.pickLinks(j)...)
		} else if t.move(j).By == spoor.ByProposal {
			links = append(links, t.proposalLinks(j)...)
		}
		links = append(links, t.startLinks(j)...)
		if j = t.moveBefore(j); j >= 0 {
			j = t.entered(j)
		}
	}
	links = append(links, t.message(i)...)
	t.chains[i] = links
	return links
}

// message tells what began the turn of event i.
func (t *trail) message(i int) []Link {
	s := t.started(i)
	if s == nil {
		return nil
	}
	return []Link{t.link(t.turn[i], Fact, say("message", "message", quote(t.data(s.Message), 200)))}
}

// resultLinks tells what a call brought back, what a person said to it, and who
// asked for it.
func (t *trail) resultLinks(i int) []Link {
	call, result := resultOf(t.event(i).Body)
	var links []Link
	name, reason := "returned", ""
	if b, ok := t.event(i).Body.(*event.Refused); ok {
		name, reason = fate(b.Reason), line(string(b.Reason))
	}
	l := t.link(i, Fact, say(name, "call", line(call), "tool", line(result.Tool), "reason", reason, "text", clip(t.data(result), 60)))
	l.Call, l.Tool = call, result.Tool
	links = append(links, l)
	for _, j := range slices.Backward(t.people[i]) {
		links = append(links, t.toldLink(j, Fact))
	}
	if a, ok := t.asks[i]; ok {
		skill := ""
		if request, j, _ := cause[*event.Called](t, a.reply); j >= 0 {
			skill = request.Skill
		}
		links = append(links, t.askLink(a.reply, Fact, a.part, skill))
	}
	return links
}

// askLink tells that the model asked for a call.
func (t *trail) askLink(i int, ev Evidence, part model.Part, skill string) Link {
	l := t.link(i, ev, say(either(skill != "", "asked in", "asked for"),
		"call", line(part.Call), "tool", line(part.Tool), "args", clip(t.data(part), 60), "skill", line(skill)))
	l.Call, l.Tool, l.Arguments, l.Skill = part.Call, part.Tool, t.data(part), skill
	return l
}

// pickLinks tells the read_skill that a move followed.
func (t *trail) pickLinks(i int) []Link {
	m := t.move(i)
	b, j, ev := t.reply(i)
	if j < 0 {
		return nil
	}
	for _, p := range b.Parts {
		if p.Kind == model.Call && p.Tool == readSkill && readID(t.data(p)) == m.To {
			return []Link{t.askLink(j, ev, p, m.From)}
		}
	}
	return nil
}

// proposalLinks tells the effect that a move followed, and the result that has
// it.
func (t *trail) proposalLinks(i int) []Link {
	b, j, ev := cause[*event.EffectJudged](t, i)
	if j < 0 || b.Effect.Kind != spoor.ProposeTransition || b.Target != t.move(i).To || b.Outcome != event.EffectAccepted {
		return nil
	}
	return append([]Link{t.toldLink(j, ev)}, t.effectLinks(j)...)
}

// effectLinks tells the result that asks for an effect.
func (t *trail) effectLinks(i int) []Link {
	if _, j, _ := cause[*event.Returned](t, i); j >= 0 {
		return t.resultLinks(j)
	}
	return nil
}

// toldLink tells event i as the story does, in one line.
func (t *trail) toldLink(i int, ev Evidence) Link {
	var told []string
	for _, l := range t.told(i) {
		told = append(told, l.Text)
	}
	l := t.link(i, ev, strings.Join(told, "; "))
	l.Call = callOf(t.event(i).Body)
	if a, ok := t.asks[i]; ok {
		l.Tool = a.part.Tool
	}
	return l
}

func readID(args string) string {
	var a struct{ ID string }
	json.Unmarshal([]byte(args), &a) // what cannot be read names no skill
	return a.ID
}

// resultOf is the call that an event answers, and its result.
func resultOf(b event.Body) (call string, result model.Part) {
	switch b := b.(type) {
	case *event.Returned:
		return b.Call, named(b.Result, b.Tool)
	case *event.Read:
		return b.Call, named(b.Result, readSkill)
	case *event.Rejected:
		return b.Call, named(b.Result, readSkill)
	case *event.Refused:
		return b.Call, named(b.Result, b.Tool)
	}
	return "", model.Part{}
}

// callOf is the call that an event speaks of; empty if it speaks of none, or
// of several.
func callOf(b event.Body) string {
	switch b := b.(type) {
	case *event.Needs:
		return b.Call
	case *event.Answered:
		return b.Call
	case *event.Paused:
		return b.Call
	case *event.EffectJudged:
		return b.Call
	case *event.RerouteSuperseded:
		return b.Call
	}
	call, _ := resultOf(b)
	return call
}

func named(p model.Part, tool string) model.Part {
	p.Tool = tool
	return p
}

// data is the bytes of a part, as the recording has them.
func (t *trail) data(p model.Part) string {
	if text, ok := t.r.Piece(p.Piece); ok {
		return text
	}
	return p.Data
}

// changed says that the recording is not as it was written, or was never run;
// empty if it is as it was. That reading had to stop is said elsewhere.
func (t *trail) changed() string {
	for _, f := range t.r.Faults {
		if f.String() != t.r.Damage {
			return t.words.say("changed", "fault", clip(f.String(), 200))
		}
	}
	return t.replayed()
}

// results are what a move looked at, in the order of the calls.
func (t *trail) results(i int) []Result {
	var list []Result
	seen := map[int]bool{}
	for _, seq := range t.event(i).Because {
		j, ok := t.at[seq]
		if !ok || j >= i || t.turn[j] != t.turn[i] || seen[j] {
			continue
		}
		seen[j] = true
		switch t.event(j).Body.(type) {
		case *event.Returned, *event.Refused:
			list = append(list, *t.result(j))
		}
	}
	if reply, j, _ := t.reply(i); j >= 0 && len(list) > 1 {
		order := map[string]int{}
		for k, p := range reply.Parts {
			if p.Kind == model.Call {
				order[p.Call] = k
			}
		}
		slices.SortStableFunc(list, func(a, b Result) int { return order[a.Call] - order[b.Call] })
	}
	return list
}

// result is what event i says became of a call.
func (t *trail) result(i int) *Result {
	e := t.event(i)
	r := Result{Event: e.Seq}
	switch b := e.Body.(type) {
	case *event.Returned:
		r.Executed, r.Status = b.Executed, b.Status
	case *event.Refused:
		r.Status, r.Reason = b.Status, b.Reason
	}
	call, part := resultOf(e.Body)
	r.Call, r.Tool, r.Text = call, part.Tool, t.data(part)
	if a, ok := t.asks[i]; ok {
		r.Arguments = t.data(a.part)
	}
	return &r
}
