package replay

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/score"
)

// A bound finds the conditions of a map. Those that are bound in the program
// which made the recording, and cannot be asked here, it answers out of the
// record.
type bound struct {
	set  cond.Set
	asks map[string]*absent // by the text that stands for the condition
	mine map[spoor.Ref]bool // the addresses of those conditions

	graph  *spoor.Graph // of the map, once it is compiled
	hidden *spoor.Graph // as the turn may see it

	ledger *ledger                           // of the turn that is walked
	was    func(spoor.Ref) (spoor.Ref, bool) // where a clause stood in the recorded map; nil: where it stands

	asked   []string // names that were asked since the last move
	guessed bool     // one of them in a situation that is not recorded

	trial   *plan // that is tried
	settled struct {
		iteration int
		ledger    *ledger
		plan      plan
		claims    map[spoor.Ref]bool
	}
}

// An absent is a condition that cannot be asked.
type absent struct {
	name   string
	clause spoor.Ref // it belongs to
	skill  string    // where the clause leads; of what an agent brings along, its id
}

// A plan says on which result of a batch a step fired: a recorded move does not
// name it where no guard did.
type plan struct {
	winner int
	later  bool // the same step takes later results, too
}

// newBound finds the conditions of a map, and takes those out of it that
// cannot be asked: their text is replaced by one that stands for them.
func newBound(funcs map[string]spoor.Condition, m *spoor.Map, in *spoor.Injections) *bound {
	b := &bound{asks: map[string]*absent{}, mine: map[spoor.Ref]bool{}}
	b.set.Funcs = funcs
	take := func(when *string, result bool, clause spoor.Ref, skill string) {
		name := strings.TrimSpace(*when)
		if !word(name) {
			return // CEL, which the compiler reads
		}
		if _, err := b.set.Condition(name, result); !errors.Is(err, spoor.ErrUnbound) {
			return
		}
		*when = "\x00" + string(clause)
		b.asks[*when] = &absent{name, clause, skill}
		b.mine[clause.Key("when")] = true
	}
	for i := range m.Start.Rules {
		r := &m.Start.Rules[i]
		take(&r.When, false, spoor.Ref("start.rules").At(i), r.Use)
	}
	for i := range m.Start.Entries {
		e := &m.Start.Entries[i]
		take(&e.When, false, spoor.Ref("start.entries").At(i), e.Use)
	}
	for i := range m.Steps {
		s := &m.Steps[i]
		take(&s.When, true, spoor.Ref("steps").At(i), s.To)
	}
	var branch func(t *spoor.Tree, ref spoor.Ref, depth int)
	branch = func(t *spoor.Tree, ref spoor.Ref, depth int) {
		if t == nil || depth > maxDepth {
			return
		}
		take(&t.When, false, ref, "")
		branch(t.WhenTrue, ref.Key("whenTrue"), depth+1)
		branch(t.WhenFalse, ref.Key("whenFalse"), depth+1)
	}
	branch(m.Tree, "tree", 0)
	for i := range in.Skills {
		s := &in.Skills[i]
		take(&s.When, false, spoor.Ref("agent.skills").At(i), s.ID)
	}
	for i := range in.Instructions {
		n := &in.Instructions[i]
		take(&n.When, false, spoor.Ref("agent.instructions").At(i), n.ID)
	}
	return b
}

// maxDepth is how deep a tree is looked into; one that compiles is not deeper.
const maxDepth = 600

// word reports whether a condition may be a name.
func word(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// Condition finds a condition.
func (b *bound) Condition(when string, result bool) (spoor.Condition, error) {
	if a := b.asks[when]; a != nil {
		return func(at spoor.Situation) (bool, error) { return b.answer(a, at) }, nil
	}
	return b.set.Condition(when, result)
}

// any reports whether there are conditions that cannot be asked.
func (b *bound) any() bool { return len(b.asks) > 0 }

// turn begins a turn, whose record answers.
func (b *bound) turn(l *ledger, hidden []string) {
	b.ledger, b.hidden, b.guessed, b.asked = l, b.graph.Hide(hidden), false, nil
	b.settled.ledger = nil
}

// answer is the verdict of a condition, as far as the record has it.
func (b *bound) answer(a *absent, at spoor.Situation) (bool, error) {
	f := at.Facts
	clause, known := a.clause, true
	if b.was != nil {
		clause, known = b.was(a.clause)
	}
	move := b.ledger.moves[f.Iteration]
	injected := strings.HasPrefix(string(a.clause), "agent.")
	if b.trial == nil {
		if !slices.Contains(b.asked, a.name) {
			b.asked = append(b.asked, a.name)
		}
		if !known || !b.ledger.like(f, move, injected) {
			b.guessed = true
		}
	}
	if !known || move == nil && b.ledger.routed == nil {
		return false, nil
	}
	var v event.Evaluated
	if move != nil {
		v = *move
	}
	if at.Result != nil && b.step(a, clause, &v.Move, at) {
		return true, nil
	}
	if text, failed := b.ledger.failed(f.Iteration, clause.Key("when")); failed {
		return false, errors.New(text)
	}
	switch {
	case at.Result != nil:
		return false, nil
	case strings.HasPrefix(string(clause), "agent.skills"):
		return slices.ContainsFunc(b.ledger.active(&v), func(s event.Active) bool { return s.Skill == a.skill && s.Via == spoor.ViaRule }), nil
	case injected:
		return slices.ContainsFunc(b.ledger.instructions(&v), func(n event.ActiveInstruction) bool { return n.ID == a.skill && n.Via == spoor.ViaRule }), nil
	case strings.HasPrefix(string(clause), "tree"):
		return strings.HasPrefix(string(v.Move.Ref), string(clause.Key("whenTrue"))), nil
	}
	return b.rule(a, clause, &v, f), nil
}

// rule says whether a start rule, or an entry, claimed the message.
func (b *bound) rule(a *absent, clause spoor.Ref, v *event.Evaluated, f *spoor.Facts) bool {
	winner := b.winner(v, f)
	if asked := b.ledger.asked; f.Iteration == 1 && winner != clause && asked != nil && strings.HasPrefix(string(clause), "start.entries") {
		return slices.ContainsFunc(asked.Query.Candidates, func(c score.Candidate) bool { return c.ID == a.skill })
	}
	if winner == clause {
		return true
	}
	s := &b.settled
	if s.claims == nil || s.ledger != b.ledger || s.iteration != f.Iteration {
		b.settle(&v.Move, f)
		s.claims = b.claims(winner, b.ledger.superseded(v), v.Move.To, f)
	}
	return s.claims[a.clause]
}

// winner is the rule that started the turn, as far as a move has to do with it.
func (b *bound) winner(v *event.Evaluated, f *spoor.Facts) spoor.Ref {
	switch r := b.ledger.routed; {
	case f.Iteration != 1:
		return ""
	case r != nil && r.Ref != "":
		return r.Ref
	}
	return v.Move.Ref
}

// claims says which of the rules that cannot be asked claim the message beside
// the winner: those below it with which the list of skills that claim it, in
// the order of their first rules, is the recorded one.
func (b *bound) claims(winner spoor.Ref, superseded []string, to string, f *spoor.Facts) map[spoor.Ref]bool {
	held := map[spoor.Ref]bool{}
	starts := b.graph.Starts()
	const most = 2000 // rules, each of which scans the message
	for i, r := range starts {
		if len(superseded) == 0 {
			break
		}
		if r.Use != superseded[0] || r.Use == to {
			continue
		}
		if b.mine[r.Ref.Key("when")] {
			clause := r.Ref
			if b.was != nil {
				clause, _ = b.was(clause)
			}
			if before(clause, winner) {
				continue // it would have won
			}
			held[r.Ref] = true
		} else if len(starts) > most {
			continue
		} else if ok, err := b.graph.Claims(i, *f); !ok || err != nil {
			continue
		}
		superseded = superseded[1:]
	}
	return held
}

// before reports whether one clause stands above another in the same list.
func before(a, b spoor.Ref) bool {
	listA, i := place(a)
	listB, j := place(b)
	return listA == listB && listA != "" && i < j
}

// place is the list that a clause is in, and its index.
func place(r spoor.Ref) (list string, i int) {
	list, rest, ok := strings.Cut(string(r), "[")
	if !ok {
		return "", 0
	}
	if _, err := fmt.Sscanf(rest, "%d]", &i); err != nil {
		return "", 0
	}
	return list, i
}

// step says whether a step fired on a result.
func (b *bound) step(a *absent, clause spoor.Ref, m *spoor.Move, at spoor.Situation) bool {
	results := at.Facts.Results
	on := slices.IndexFunc(results, func(r spoor.Result) bool { return r.CallID == at.Result.CallID })
	for i := range results {
		if &results[i] == at.Result {
			on = i
		}
	}
	if c := m.Conflict; c != nil && slices.ContainsFunc(c.Losers, func(l spoor.Outcome) bool { return l.CallID == at.Result.CallID && l.Target == a.skill }) {
		return true
	}
	if m.By != spoor.ByRoute || m.To != a.skill {
		return false
	}
	p := b.trial
	if p == nil {
		p = b.settle(m, at.Facts)
	}
	return m.Ref == clause && on == p.winner || p.later && on > p.winner
}

// settle finds the result that fired the step of a move: the first with which
// the whole move comes out as it is on record.
func (b *bound) settle(m *spoor.Move, f *spoor.Facts) *plan {
	s := &b.settled
	if s.ledger == b.ledger && s.iteration == f.Iteration {
		return &s.plan
	}
	s.ledger, s.iteration, s.plan, s.claims = b.ledger, f.Iteration, plan{}, nil
	known := ""
	switch {
	case m.Conflict != nil:
		known = m.Conflict.Winner.CallID
	case m.Guard != nil:
		known = m.Guard.CallID
	}
	const most = 200 // results; a batch has fewer
	want := moveLine(m)
	first := true
	for i := range min(len(f.Results), most) {
		if known != "" && f.Results[i].CallID != known {
			continue
		}
		for _, later := range []bool{false, true} {
			p := plan{i, later}
			if first {
				s.plan, first = p, false
			}
			b.trial = &p
			got := b.hidden.Next(*f)
			b.trial = nil
			if moveLine(&got) == want {
				s.plan = p
				return &s.plan
			}
		}
	}
	return &s.plan
}

// moveLine is a move as a recording has it.
func moveLine(m *spoor.Move) string {
	e := event.Event{Body: &event.Evaluated{Move: *m}}
	return string(e.AppendJSON(nil))
}

// A ledger is what is on record of one turn.
type ledger struct {
	events []event.Event // of all turns up to the end of this one
	asked  *event.Asked
	routed *event.TurnRouted
	moves  map[int]*event.Evaluated // by iteration
	facts  map[int]situation        // the same; nil: all situations are those of the record
}

// A situation is what a move looked at, as far as conditions may ask it.
type situation struct {
	cursor, message string
	results         []spoor.Result
}

// newLedger reads the turn that begins with events[from].
func newLedger(events []event.Event, from int) *ledger {
	l := &ledger{moves: map[int]*event.Evaluated{}}
	to := from + 1
	for ; to < len(events); to++ {
		switch b := events[to].Body.(type) {
		case *event.Started:
			l.events = events[:to]
			return l
		case *event.Asked:
			l.asked = b
		case *event.TurnRouted:
			l.routed = b
		case *event.Evaluated:
			l.moves[events[to].Iteration] = b
		}
	}
	l.events = events[:to]
	return l
}

// like reports whether a condition is asked in the situation in which the
// record has its verdict.
func (l *ledger) like(f *spoor.Facts, move *event.Evaluated, injected bool) bool {
	if l.facts == nil {
		return true
	}
	s, ok := l.facts[f.Iteration]
	if !ok || move == nil {
		return false
	}
	cursor := s.cursor
	if injected {
		cursor = move.Move.To
	}
	return f.Cursor == cursor && f.UserMessage == s.message && slices.Equal(f.Results, s.results)
}

// failed is the recorded error of a condition in an iteration.
func (l *ledger) failed(iteration int, ref spoor.Ref) (text string, ok bool) {
	find := func(list []spoor.Failed) bool {
		for _, f := range list {
			if f.Ref == ref {
				text, ok = f.Error, true
			}
		}
		return ok
	}
	if iteration == 1 && l.routed != nil && find(l.routed.Failed) {
		return text, true
	}
	v := l.moves[iteration]
	if v == nil || find(v.Move.Failed) {
		return text, ok
	}
	for _, s := range evaluated(l, v.SkippedAs, v).Skipped {
		if s.Ref == ref && s.Reason == event.SkipThrew {
			return s.Error, true
		}
	}
	return "", false
}

// evaluated is the move that has a list: an earlier one that as names, or v
// itself.
func evaluated(l *ledger, as int, v *event.Evaluated) *event.Evaluated {
	if as == 0 {
		return v
	}
	i, ok := slices.BinarySearchFunc(l.events, as, func(e event.Event, seq int) int { return e.Seq - seq })
	if ok {
		if earlier, ok := l.events[i].Body.(*event.Evaluated); ok {
			return earlier
		}
	}
	return v
}

func (l *ledger) active(v *event.Evaluated) []event.Active {
	return evaluated(l, v.ActiveAs, v).Active
}

func (l *ledger) instructions(v *event.Evaluated) []event.ActiveInstruction {
	return evaluated(l, v.InstructionsAs, v).Instructions
}

func (l *ledger) superseded(v *event.Evaluated) []string {
	return evaluated(l, v.SupersededAs, v).Superseded
}
