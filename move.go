package spoor

import (
	"slices"

	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
)

// A Move is one decision of the walk: where it goes, by which clause, and on
// what evidence. To stay is a move too.
type Move struct {
	From string `json:"from,omitempty"` // empty on a cold start
	To   string `json:"to,omitempty"`   // empty if there is nowhere to be
	By   Cause  `json:"by"`
	Ref  Ref    `json:"ref,omitempty"` // the rule, entry, step or leaf that decided

	// Witness is the words of the message that a rule matched.
	Witness *match.Witness `json:"witness,omitempty"`

	// Guard is the evidence that opened the step taken.
	Guard *Judgement `json:"guard,omitempty"`

	// Closed are the guards that refused a result which met all else that
	// their step declares, each step once, in the order judged.
	Closed []Judgement `json:"guardsClosed,omitempty"`

	// Conflict is set if results of one batch led to different places.
	Conflict *Conflict `json:"conflict,omitempty"`

	// Failed are the conditions that could not be judged, each fault once; none
	// of them holds.
	Failed []Failed `json:"failed,omitempty"`
}

// Cause is the clause that decided a move.
type Cause string

const (
	ByEntry      Cause = "entry"         // a start rule claimed the message, or a scorer ranked the entry first
	ByIntent     Cause = "intent"        // a classifier chose the start
	ByContinuity Cause = "continuity"    // the conversation stays where it was
	ByDecider    Cause = "decider"       // a model chose from a menu, out of band
	ByRoute      Cause = "route"         // a step fired on a result
	ByProposal   Cause = "tool-proposal" // a tool proposed it
	ByPick       Cause = "model-pick"    // the model chose it with read_skill
	ByStay       Cause = "stay"          // nothing fired
	ByNone       Cause = "none"          // there is nowhere to be
	ByMenu       Cause = "menu"          // of a Verdict: a menu is open
)

// A Judgement is one guard judged on one result.
type Judgement struct {
	Ref    Ref    `json:"ref"`
	From   string `json:"from"`
	To     string `json:"to"`
	Tool   string `json:"toolName"`
	CallID string `json:"toolCallId,omitempty"`
	guard.Verdict
}

// A Conflict says which result of a batch moved the walk, and which later
// ones would have moved it elsewhere.
type Conflict struct {
	Winner Outcome   `json:"winner"`
	Losers []Outcome `json:"losers"`
}

// An Outcome is where one result leads.
type Outcome struct {
	CallID string `json:"toolCallId,omitempty"`
	Tool   string `json:"toolName"`
	Target string `json:"target"`
}

// Failed is a condition that could not be judged, and why.
type Failed struct {
	Ref   Ref    `json:"ref"`
	Error string `json:"error"`
}

// Next decides where the walk goes. It is a pure function of the facts, and
// the move that it returns holds all the reasons.
//
// The turn's verdict decides first, then, on a cold start, the entries. From
// a skill a step that fires beats a proposal, a proposal beats a pick, and if
// there is none of them the walk stays. Whether a pick or a proposal was in
// reach was decided when it was accepted; it is not asked again. In a tree
// the walk stands nowhere, and the move names the leaf that is active.
func (g *Graph) Next(f Facts) Move {
	switch {
	case g.tree != nil:
		return g.branch(f)
	case f.Iteration == 1 && f.Verdict != nil && f.Verdict.To != "":
		return start(f.Verdict)
	case f.Cursor == "":
		return g.enter(f)
	}
	m, fired := g.follow(f)
	switch {
	case fired:
		m.By = ByRoute
	case f.Proposal != "" && f.Proposal != f.Cursor:
		m.To, m.By = f.Proposal, ByProposal
	case f.Pick != "" && f.Pick != f.Cursor:
		m.To, m.By = f.Pick, ByPick
	default:
		m.To, m.By = f.Cursor, ByStay
	}
	return m
}

func start(v *Verdict) Move {
	m := Move{From: v.From, To: v.To, By: v.By, Ref: v.Ref, Witness: v.Witness}
	if m.By != ByIntent && m.By != ByContinuity && m.By != ByDecider {
		m.By = ByEntry
	}
	return m
}

// enter decides a cold start: the first entry that claims the message, else
// what a tool proposed or the model picked, if that is an entry.
func (g *Graph) enter(f Facts) Move {
	m := Move{By: ByNone}
	if g.coldWalk && f.Verdict == nil {
		c := g.claims(f)
		if e, w := c.next(f); e != nil {
			return e.move(w, c.failed)
		}
		m.Failed = c.failed
	}
	switch {
	case g.isEntry(f.Proposal):
		m.To, m.By = f.Proposal, ByProposal
	case g.isEntry(f.Pick):
		m.To, m.By = f.Pick, ByPick
	default:
		for _, e := range g.entries {
			if slices.Contains(f.Activated, e.skill) && !g.hides(e.skill) {
				m.To, m.By = e.skill, ByPick
				break
			}
		}
	}
	return m
}

// branch asks the tree, which moves nothing: its leaf is the Ref of the move.
func (g *Graph) branch(f Facts) Move {
	m := Move{By: ByNone, From: f.Cursor, To: f.Cursor}
	if f.Cursor != "" {
		m.By = ByStay
	}
	var leaf *fork
	if leaf, m.Failed = g.leaf(f); leaf != nil {
		m.Ref = leaf.ref
	}
	return m
}

func (g *Graph) isEntry(skill string) bool {
	p := g.skills[skill]
	return p != nil && p.entry
}

// follow finds the step that fires: results are judged in call order, and for
// each of them the steps from the cursor in declared order. The first result
// that fires a step decides; a later one that leads elsewhere has lost.
func (g *Graph) follow(f Facts) (m Move, fired bool) {
	m.From = f.Cursor
	here := g.skills[f.Cursor]
	if here == nil {
		return m, false
	}
	var winner Outcome
	for i := range f.Results {
		r := &f.Results[i]
		s, evidence := here.fire(f, r, &m)
		switch {
		case s == nil:
		case !fired:
			fired = true
			winner = Outcome{r.CallID, r.Tool, s.to}
			m.To, m.Ref, m.Guard = s.to, s.ref, evidence
		case s.to != winner.Target:
			if m.Conflict == nil {
				m.Conflict = &Conflict{Winner: winner}
			}
			m.Conflict.Losers = append(m.Conflict.Losers, Outcome{r.CallID, r.Tool, s.to})
		}
	}
	return m, fired
}

// fire returns the first step that the result fires, and the evidence of its
// guard, if it has one. It notes in m the guards that refused and the
// conditions that failed.
func (p *place) fire(f Facts, r *Result, m *Move) (*step, *Judgement) {
	var view guard.View // of the result, read once for all guards
	viewed := false
	for i := range p.steps {
		s := &p.steps[i]
		if s.bare || !s.meets(r) {
			continue
		}
		if s.when != nil {
			holds, err := judge(s.when, f, r)
			if err != nil {
				failed := Failed{s.ref.Key("when"), err.Error()}
				if !slices.Contains(m.Failed, failed) {
					m.Failed = append(m.Failed, failed)
				}
			}
			if holds {
				return s, nil
			}
			continue
		}
		if s.guard == nil {
			return s, nil
		}
		if !viewed {
			viewed = true
			view = guard.View{
				ToolName: r.Tool, Result: r.Text, Status: string(r.Status), Iteration: f.Iteration,
				UserMessage: f.UserMessage, CurrentSkillID: f.Cursor,
			}
			view.Fields.Read(r.Text, p.keys)
		}
		verdict := s.guard.Evaluate(&view)
		j := Judgement{s.ref, f.Cursor, s.to, r.Tool, r.CallID, verdict}
		if verdict.Passed {
			return s, new(j)
		}
		if !slices.ContainsFunc(m.Closed, func(c Judgement) bool { return c.Ref == s.ref }) {
			m.Closed = append(m.Closed, j)
		}
	}
	return nil, nil
}

// meets reports whether a result has all that the step declares before its
// guard or condition is judged. A step with statuses sees every result; any
// other sees only calls that reached their tool.
func (s *step) meets(r *Result) bool {
	if s.statuses == nil && !r.Executed {
		return false
	}
	if s.statuses != nil && !slices.Contains(s.statuses, r.Status) {
		return false
	}
	if s.toolPattern != nil {
		_, found := s.toolPattern.Match(r.Tool)
		return found
	}
	return s.tool == "" || s.tool == r.Tool
}
