package spoor

import (
	"fmt"
	"slices"

	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
)

// A Graph is a compiled Map. It never changes and is safe for concurrent use.
type Graph struct {
	m         *Map
	skills    map[string]*place
	entries   []entry
	matchers  *match.Set        // of entries, by their index
	guards    []*guard.Compiled // by step of the map
	unmatched []int             // the entries that have no matcher
	always    []int             // skills that are active in every iteration, in order

	injections   Injections
	all          []*Skill      // those of the map, then those of the agent; nil: those of the map
	ruled        []conditioned // skills of the agent that have a condition
	instructions []conditioned // as in Injections

	exclusive bool   // of the entries only the chosen one is active
	tree      []fork // in preorder; nil without a tree
	coldWalk  bool   // the first entry that claims the message starts the turn
}

// A place is what the graph knows of one skill.
type place struct {
	index      int // in Map.Skills; after them the skills of the agent
	firstEntry int // in Graph.entries, if entry
	firstRoute int // in Map.Steps, if routed
	entry      bool
	always     bool // has an unconditional entry, and entries are not exclusive
	stepIn     bool // some step leads here
	routed     bool // some step leads here without the model
	wired      bool // an entry or an end of a step
	scoped     bool // tools are offered only while the skill is active
	agent      bool // one of the agent's, not of the map

	steps []step   // out, in declared order
	next  []string // where they lead, each once, without the skill itself
	keys  []string // the result fields that their guards read

	paths [][]Branch // of a leaf, to each of its places in the tree
}

type entry struct {
	skill       string
	ref         Ref
	label       string
	conditional bool
	match       *match.Compiled
	when        Condition
	whenText    string
	examples    []string
}

type step struct {
	to          string
	ref         Ref
	bare        bool
	tool        string
	toolPattern *match.Compiled
	statuses    Statuses
	guard       *guard.Compiled
	when        Condition
}

// Map returns the map that the graph was compiled from. It must not be changed.
func (g *Graph) Map() *Map { return g.m }

// Skill returns a skill of the map or of the agent, or nil if there is none
// with that id. It must not be changed.
func (g *Graph) Skill(id string) *Skill {
	if p := g.skills[id]; p != nil {
		return g.skillAt(p.index)
	}
	return nil
}

func (g *Graph) skillAt(index int) *Skill {
	if g.all != nil {
		return g.all[index]
	}
	return &g.m.Skills[index]
}

// Scoped reports whether the tools of a skill are offered only while it is
// active.
func (g *Graph) Scoped(skill string) bool {
	p := g.skills[skill]
	return p != nil && p.scoped
}

// Open reports whether a skill can be read from anywhere without moving the
// walk: it is one of the agent, or it is no entry and no leaf, and no step
// leads to it.
func (g *Graph) Open(skill string) bool {
	p := g.skills[skill]
	return p != nil && (p.agent || !p.entry && !p.stepIn && g.tree == nil)
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
		if e.skill == cursor || g.hides(e.skill) || g.skills[e.skill].firstEntry != i {
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
// only the model switches on, the activated. Of a tree it is the leaf that m
// names, if any. The skills of the agent come last.
func (g *Graph) Active(f Facts, m Move) []string {
	indexes := slices.Clone(g.always)
	if g.tree != nil {
		leaf := g.m.Tree.At(m.Ref)
		if leaf == nil || leaf.Skill == "" {
			leaf = new(Tree)
		}
		if p := g.skills[leaf.Skill]; p != nil {
			indexes = append(indexes, p.index)
		}
	} else if p := g.skills[m.To]; p != nil && !p.always && (p.entry || p.routed) {
		indexes = append(indexes, p.index)
	}
	for _, id := range f.Activated {
		if p := g.skills[id]; p != nil && !p.entry && !p.routed && (g.tree == nil || p.agent) {
			indexes = append(indexes, p.index)
		}
	}
	if len(indexes) == 0 {
		return nil
	}
	slices.Sort(indexes)
	ids := make([]string, 0, len(indexes))
	for _, i := range slices.Compact(indexes) {
		ids = append(ids, g.skillAt(i).ID)
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
	c := g.claims(f)
	for e, _ := c.next(f); e != nil; e, _ = c.next(f) {
		if e.conditional && e.skill != m.To && !g.skills[e.skill].always && !slices.Contains(ids, e.skill) {
			ids = append(ids, e.skill)
		}
	}
	return ids
}

// FirstRule finds the first conditional start rule that claims the message:
// its skill, its address and the words that it claims. An intent claims
// nothing here.
func (g *Graph) FirstRule(f Facts) (m Move, ok bool) {
	c := g.claims(f)
	for e, w := c.next(f); e != nil; e, w = c.next(f) {
		if e.conditional {
			return e.move(w, c.failed), true
		}
	}
	return Move{Failed: c.failed}, false
}

// A StartRule is one way to start a turn, however the map declares it.
type StartRule struct {
	Ref      Ref
	Use      string
	Match    *match.Compiled // nil if it has none
	When     string
	Examples []string
}

// Conditional reports whether the rule has a condition; an intent is one.
func (r StartRule) Conditional() bool { return r.Match != nil || r.When != "" }

// Starts lists the ways to start a turn as declared: start.use, the rules or
// the entries. The slice is the caller's.
func (g *Graph) Starts() []StartRule {
	starts := make([]StartRule, len(g.entries))
	for i, e := range g.entries {
		starts[i] = StartRule{Ref: e.ref, Use: e.skill, Match: e.match, When: e.whenText, Examples: e.examples}
	}
	return starts
}

// Claims reports whether the condition of Starts()[i] holds. An intent claims
// nothing here, and an unconditional rule everything. The error says that the
// condition failed.
func (g *Graph) Claims(i int, f Facts) (bool, error) {
	hits := g.matchers.Scan(f.UserMessage)
	return g.entries[i].claims(f, &hits, i)
}

// claims reports whether the entry, which is the one of that index, claims the
// message.
func (e *entry) claims(f Facts, hits *match.Hits, i int) (bool, error) {
	switch {
	case e.match != nil:
		_, ok := hits.Match(i)
		return ok, nil
	case e.when != nil:
		return judge(e.when, f, nil)
	}
	return true, nil
}

// StepGuard returns the guard of step i of the map as compiled, or nil.
func (g *Graph) StepGuard(i int) *guard.Compiled { return g.guards[i] }

// claims are the entries that claim a message, in declared order. Matchers
// are asked all at once; a condition is judged when its turn comes.
type claims struct {
	g       *Graph
	hits    match.Hits
	matched int // the next entry whose matcher finds something; -1 if none
	witness match.Witness
	others  []int // the entries without a matcher that are still to come
	failed  []Failed
}

func (g *Graph) claims(f Facts) claims {
	c := claims{g: g, hits: g.matchers.Scan(f.UserMessage), others: g.unmatched}
	c.match(0)
	return c
}

// next returns the next entry that claims the message, and the words that its
// matcher found; nil after the last.
func (c *claims) next(f Facts) (*entry, match.Witness) {
	for len(c.others) > 0 && (c.matched < 0 || c.others[0] < c.matched) {
		e := &c.g.entries[c.others[0]]
		c.others = c.others[1:]
		if !e.conditional {
			return e, match.Witness{}
		}
		holds, err := judge(e.when, f, nil)
		if err != nil {
			c.failed = append(c.failed, Failed{e.ref.Key("when"), err.Error()})
		}
		if holds {
			return e, match.Witness{}
		}
	}
	if c.matched < 0 {
		return nil, match.Witness{}
	}
	e, w := &c.g.entries[c.matched], c.witness
	c.match(c.matched + 1)
	return e, w
}

// match finds the next entry from an index on whose matcher finds something.
func (c *claims) match(from int) {
	c.matched, c.witness, _ = c.hits.First(from)
	for c.matched >= 0 && c.g.hides(c.g.entries[c.matched].skill) {
		c.matched, c.witness, _ = c.hits.First(c.matched + 1)
	}
}

// move starts a turn in the entry.
func (e *entry) move(w match.Witness, failed []Failed) Move {
	m := Move{To: e.skill, By: ByEntry, Ref: e.ref, Failed: failed}
	if w != (match.Witness{}) {
		m.Witness = &w
	}
	return m
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
