package walk

import (
	"slices"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
)

// decide moves the walk: every fact of the move is known.
func (m *Machine) decide(s *State) (event.Body, []int) {
	g := m.seen(s)
	facts := m.facts(s, g)
	move := g.Next(facts)
	facts.Activated = activated(g, facts, move)

	v := &event.Evaluated{Move: move, Activated: facts.Activated, Pick: facts.Pick, Proposal: facts.Proposal}
	if len(v.Activated) > 0 && s.ActivatedAt > 0 && slices.Equal(v.Activated, s.Activated) {
		v.Activated, v.ActivatedAs = nil, s.ActivatedAt
	}
	if facts.Pick != "" {
		menu := s.menu(g, s.MenuOpen, s.Cursor)
		v.Declined = menu != nil && !slices.Contains(menu, facts.Pick)
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
	if v.Instructions = m.instructions(s, in.Instructions, landing(g, move)); len(v.Instructions) > 0 && slices.Equal(v.Instructions, s.Instructions) {
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

// instructions are those of a prompt for a place, in declared order, and why.
func (m *Machine) instructions(s *State, ruled []string, here string) (list []event.ActiveInstruction) {
	if len(m.texts) == 0 {
		return nil
	}
	for i, n := range m.graph.Injections().Instructions {
		ref := spoor.Ref("agent.instructions").At(i)
		if slices.Contains(ruled, n.ID) {
			list = append(list, event.ActiveInstruction{ID: n.ID, Ref: ref, Via: spoor.ViaRule})
			continue
		}
		if i := slices.IndexFunc(s.Leases, func(l Lease) bool { return l.Instruction == n.ID && l.live(s.Iteration+1, here) }); i >= 0 {
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
		switch target, refused := admits(g, s.Started.Posture, s.Cursor, menu, c.Skill); {
		case refused != "":
		case target == spoor.Hop:
			if f.Pick == "" {
				f.Pick, menu = c.Skill, []string{c.Skill} // the first pick closes the menu
			}
		case target == spoor.OpenSkill:
			if !slices.Contains(f.Activated, c.Skill) {
				f.Activated = append(slices.Clip(f.Activated), c.Skill)
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

// activated holds the open skills that were read, and a skill that no step
// leads to by itself while the walk stands on it.
func activated(g *spoor.Graph, f spoor.Facts, move spoor.Move) []string {
	list := f.Activated
	if slices.Contains(list, f.Cursor) && move.To != f.Cursor && g.Bare(f.Cursor) {
		list = slices.DeleteFunc(slices.Clone(list), func(id string) bool { return id == f.Cursor })
	}
	if (g.Bare(move.To) || g.Open(move.To)) && !slices.Contains(list, move.To) {
		list = append(slices.Clip(list), move.To)
	}
	return list
}

// landing is where a move lands: a skill, or that of the leaf of a tree.
func landing(g *spoor.Graph, move spoor.Move) string {
	if leaf := g.Map().Tree.At(move.Ref); move.To == "" && leaf != nil && g.Skill(leaf.Skill) != nil {
		return leaf.Skill
	}
	return move.To
}
