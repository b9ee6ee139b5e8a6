package walk

import (
	"slices"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
)

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
	menu, picked := s.menu(g, s.MenuWas, from), false
	var read []string // open skills, in this batch
	for i := range s.Batch {
		c := &s.Batch[i]
		if !c.read() || 0 < c.Answered && c.Answered < s.Last.Evaluated { // it was refused before
			continue
		}
		id := c.Skill
		target, refused := admits(g, s.Started.Posture, from, menu, id)
		if target == spoor.Hop && refused == "" && !picked {
			picked, menu = true, []string{id} // the first pick closes the menu
		}
		again := slices.Contains(read, id)
		if target == spoor.OpenSkill {
			read = append(read, id)
		}
		switch {
		case c.Answered > 0:
			continue
		case target == spoor.Unreachable || refused != "":
			if picked {
				menu = nil
			}
			return m.reject(s, g, c, id, refused, menu), because
		case target == spoor.Hop && id != s.Move.To && !c.Beaten:
			return &event.RerouteSuperseded{Call: c.ID, VolunteeredID: id, WonID: s.Move.To, By: s.Move.By, Source: spoor.ByPick}, because
		}
		text := readText(g.Skill(id), target, s.Move, again)
		return &event.Read{Call: c.ID, Skill: id, Target: target, Result: resultPart(c, text)}, because
	}
	if l := s.Spent.over(s.Started, s.Time); l != "" {
		return s.finished(), because
	}
	return m.ask(s, g), because
}

func (m *Machine) reject(s *State, g *spoor.Graph, c *Call, id string, posture spoor.Posture, menu []string) event.Body {
	from := s.Move.From
	var allowed []string
	switch s.Started.Posture {
	case spoor.PostureRails:
	case spoor.PostureGuard:
		for _, id := range menu {
			if id != from {
				allowed = append(allowed, id)
			}
		}
	default:
		allowed = g.Reachable(from)
	}
	allowed = append(allowed, m.openFrom(g, from)...)
	b := &event.Rejected{
		Call: c.ID, RequestedID: id, CurrentSkillID: from, Posture: posture,
		Result: resultPart(c, rejectedText(g, from, id, posture, allowed)),
	}
	b.Allowed, b.AllowedAs = s.Allowed.since(allowed)
	return b
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

func note(text string) model.Part { return model.NewPart(model.System, model.Note, text) }
