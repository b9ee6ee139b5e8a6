package spoor

import (
	"fmt"
	"slices"

	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
)

// A Graph is a compiled Map. It never changes and is safe for concurrent use.
type Graph struct {
	m        *Map
	skills   map[string]*place
	entries  []entry
	matchers *match.Set // of entries, by their index
	always   []int      // skills that are active in every iteration, in order

	exclusive bool // of the entries only the chosen one is active
	coldWalk  bool // the first entry that claims the message starts the turn
}

// A place is what the graph knows of one skill.
type place struct {
	index      int // in Map.Skills
	firstEntry int // in Graph.entries, if entry
	firstRoute int // in Map.Steps, if routed
	entry      bool
	always     bool // has an unconditional entry, and entries are not exclusive
	stepIn     bool // some step leads here
	routed     bool // some step leads here without the model
	wired      bool // an entry or an end of a step
	scoped     bool // tools are offered only while the skill is active

	steps []step   // out, in declared order
	next  []string // where they lead, each once, without the skill itself
	keys  []string // the result fields that their guards read
}

type entry struct {
	skill       string
	ref         Ref
	label       string
	conditional bool
	match       *match.Compiled
	when        Condition
}

type step struct {
	to          string
	ref         Ref
	declared    int // in Map.Steps
	bare        bool
	tool        string
	toolPattern *match.Compiled
	statuses    Statuses
	guard       *guard.Compiled
	when        Condition
}

// Map returns the map that the graph was compiled from. It must not be changed.
func (g *Graph) Map() *Map { return g.m }

// Skill returns a skill of the map, or nil if there is none with that id. It
// must not be changed.
func (g *Graph) Skill(id string) *Skill {
	if p := g.skills[id]; p != nil {
		return &g.m.Skills[p.index]
	}
	return nil
}

// Scoped reports whether the tools of a skill are offered only while it is
// active.
func (g *Graph) Scoped(skill string) bool {
	p := g.skills[skill]
	return p != nil && p.scoped
}

// Open reports whether a skill can be read from anywhere without moving the
// walk: it is no entry, and no step leads to it.
func (g *Graph) Open(skill string) bool {
	p := g.skills[skill]
	return p != nil && !p.entry && !p.stepIn
}

// Bare reports whether only the model reaches the skill: it is no entry, and
// every step that leads to it is bare.
func (g *Graph) Bare(skill string) bool {
	p := g.skills[skill]
	return p != nil && !p.entry && p.stepIn && !p.routed
}

// A Target is what a skill is to a model that wants to read it.
type Target string

const (
	Self        Target = "self"        // where the walk stands: a stay
	Hop         Target = "hop"         // in reach: reading it moves the walk
	OpenSkill   Target = "open"        // readable from anywhere, moves nothing
	Unreachable Target = "unreachable" // everything else, unknown ids too
)

// Classify says what target is from cursor, which is empty on a cold start.
// A hop beats an open skill.
func (g *Graph) Classify(cursor, target string) Target {
	switch {
	case cursor != "" && target == cursor:
		return Self
	case g.reaches(cursor, target):
		return Hop
	case g.Open(target):
		return OpenSkill
	}
	return Unreachable
}

func (g *Graph) reaches(cursor, target string) bool {
	to := g.skills[target]
	if to == nil {
		return false
	}
	if to.entry {
		return true
	}
	from := g.skills[cursor]
	return from != nil && slices.Contains(from.next, target)
}

// Reachable lists the skills that the model may move to from cursor, which is
// empty on a cold start: the skills that a step leads to, then the entries,
// each once and without the cursor itself. The slice is the caller's.
func (g *Graph) Reachable(cursor string) []string {
	var ids []string
	from := g.skills[cursor]
	if from != nil {
		ids = slices.Clone(from.next)
	}
	for i, e := range g.entries {
		if e.skill == cursor || g.skills[e.skill].firstEntry != i {
			continue
		}
		if from == nil || !slices.Contains(from.next, e.skill) {
			ids = append(ids, e.skill)
		}
	}
	return ids
}

// Successors lists the skills that a step leads to from a skill, each once and
// without the skill itself. It must not be changed.
func (g *Graph) Successors(skill string) []string {
	if p := g.skills[skill]; p != nil {
		return p.next
	}
	return nil
}

// Active lists the skills that are active once m is made, in the order of the
// map: those that are always so, the one that m lands on, and, of those that
// only the model switches on, the activated.
func (g *Graph) Active(f Facts, m Move) []string {
	indexes := slices.Clone(g.always)
	if p := g.skills[m.To]; p != nil && !p.always && (p.entry || p.routed) {
		indexes = append(indexes, p.index)
	}
	for _, id := range f.Activated {
		if p := g.skills[id]; p != nil && !p.entry && !p.routed {
			indexes = append(indexes, p.index)
		}
	}
	slices.Sort(indexes)
	ids := make([]string, 0, len(indexes))
	for _, i := range slices.Compact(indexes) {
		ids = append(ids, g.m.Skills[i].ID)
	}
	return ids
}

// Superseded lists the skills whose own start condition holds although m
// landed elsewhere, in the order of their first such rule: why an entry that
// matches is not active. Where entries are exclusive there are none.
func (g *Graph) Superseded(f Facts, m Move) []string {
	if m.To == "" || g.exclusive {
		return nil
	}
	var ids []string
	hits := g.matchers.Scan(f.UserMessage)
	for i := range g.entries {
		e := &g.entries[i]
		if !e.conditional || e.skill == m.To || g.skills[e.skill].always || slices.Contains(ids, e.skill) {
			continue
		}
		if _, holds, _ := g.claims(i, f, &hits); holds {
			ids = append(ids, e.skill)
		}
	}
	return ids
}

// FirstRule finds the first conditional start rule that claims the message:
// its skill, its address and the words that it claims. An intent claims
// nothing here.
func (g *Graph) FirstRule(f Facts) (m Move, ok bool) {
	hits := g.matchers.Scan(f.UserMessage)
	var failed []Failed
	for i := range g.entries {
		e := &g.entries[i]
		if !e.conditional {
			continue
		}
		w, holds, err := g.claims(i, f, &hits)
		if err != nil {
			failed = append(failed, Failed{e.ref.Key("when"), err.Error()})
		}
		if holds {
			return Move{To: e.skill, By: ByEntry, Ref: e.ref, Witness: w, Failed: failed}, true
		}
	}
	return Move{Failed: failed}, false
}

// claims judges the condition of an entry.
func (g *Graph) claims(i int, f Facts, hits *match.Hits) (*match.Witness, bool, error) {
	e := &g.entries[i]
	switch {
	case !e.conditional:
		return nil, true, nil
	case e.when != nil:
		holds, err := judge(e.when, f, nil)
		return nil, holds, err
	}
	w, holds := hits.Match(i)
	if !holds || w == (match.Witness{}) {
		return nil, holds, nil
	}
	return &w, true, nil
}

// judge asks a condition. One that panics does not hold.
func judge(c Condition, f Facts, r *Result) (holds bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			holds, err = false, fmt.Errorf("the condition panicked: %v", p)
		}
	}()
	holds, err = c(Situation{Facts: &f, Result: r})
	return holds && err == nil, err
}
