package walk

import (
	"fmt"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
)

// judge judges the next effect of the batch, in the order of the calls; nil
// after the last. A call that did not reach its tool asks for nothing. The first
// proposal that is accepted counts.
func (m *Machine) judge(s *State) (event.Body, []int) {
	for i := range s.Batch {
		c := &s.Batch[i]
		if !c.Executed || c.Judged >= len(c.Effects) {
			continue
		}
		j := &event.EffectJudged{Call: c.ID, Tool: c.Tool, Effect: c.Effects[c.Judged], Outcome: event.EffectAccepted}
		e := &j.Effect
		p := s.Proposal
		switch refusal := m.refuses(s, e); {
		case refusal != "":
			j.Outcome, j.Refusal = event.EffectRefused, refusal
			j.Note = note(refusedEffectText(c.Tool, e, refusal))
		case e.Kind == spoor.ProposeTransition && p.Skill != "" && p.Skill != e.Target:
			j.Outcome, j.SupersededBy = event.EffectSuperseded, p.Skill
			j.Note = note(supersededText(c.Tool, e.Target, p))
		}
		return j, s.because(c.Answered)
	}
	return nil, nil
}

// refuses says why an effect is refused; empty if it is not. A proposal is
// held against where the walk stands, and by no posture: a tool is trusted code.
func (m *Machine) refuses(s *State, e *spoor.Effect) string {
	g := m.seen(s)
	switch e.Kind {
	case spoor.ProposeTransition:
		if e.Target == "" {
			return "it names no skill under targetSkillId"
		}
		if strings.TrimSpace(e.Reason) == "" {
			return "it gives no reason"
		}
		switch g.Classify(s.Cursor, e.Target) {
		case spoor.Hop, spoor.Self:
			return ""
		case spoor.OpenSkill:
			return fmt.Sprintf("%q is read, not moved to", e.Target)
		}
		target := "that skill" // which may be one that must not be seen
		if g.Skill(e.Target) != nil {
			target = fmt.Sprintf("%q", e.Target)
		}
		if g.Map().Tree != nil {
			return "the map is a tree, which decides by itself"
		}
		reach := g.Reachable(s.Cursor)
		if len(reach) == 0 {
			return target + " is not in reach; nothing is"
		}
		return fmt.Sprintf("%s is not in reach; these are: %s", target, listed(reach))
	case spoor.RequireInstruction:
		if e.Instruction == "" {
			return "it names no instruction under instructionId"
		}
		if e.Lease != spoor.NextCall && e.Lease != spoor.UntilSkillExit {
			return fmt.Sprintf("its deliveryLease must be %s or %s, not %q", spoor.NextCall, spoor.UntilSkillExit, e.Lease)
		}
		if n, _ := g.Instruction(e.Instruction); n == nil {
			return fmt.Sprintf("there is no instruction %q", e.Instruction)
		}
		return ""
	}
	return fmt.Sprintf("there is no effect %q", e.Kind)
}
