package walk

import (
	"slices"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
)

// ask composes the next request, as a change of the last one.
//
// A request is: system, the bodies of the active skills, the history, and a
// tail, which is the menu. While the active skills and the offer stay, only
// the end of it changes: that is what keeps a provider's prompt cache warm.
func (m *Machine) ask(s *State) *event.Called {
	c := &event.Called{Purpose: model.Answer, Skill: s.Cursor, Last: s.Calls+1 >= s.Started.MaxIterations}
	var offered []string
	if !c.Last {
		offered = m.offer(s)
	}
	c.Offered, c.OfferedAs = s.Offered.since(offered)
	if s.Calls == 0 {
		c.Splices = []event.Splice{{Put: slices.Concat(
			s.Started.System, m.bodiesOf(s), s.Started.History, []model.Part{s.Started.Message}, news(s, c.Last), m.menu(s, c.Last),
		)}}
		return c
	}

	length := len(s.Request)
	if !s.sameActive() || s.Move.To != s.Move.From {
		start, end := bodies(s.Request)
		if now := m.bodiesOf(s); !samePieces(s.Request[start:end], now) {
			c.Splices = append(c.Splices, event.Splice{At: start, Drop: end - start, Put: now})
			length += len(now) - (end - start)
		}
	}
	put, tail := news(s, c.Last), tail(s.Request)
	insert := event.Splice{At: length - len(tail), Put: put}
	if c.Last || s.Move.To != s.Move.From {
		if now := m.menu(s, c.Last); !samePieces(tail, now) {
			insert.Drop, insert.Put = len(tail), append(put, now...)
		}
	}
	c.Splices = append(c.Splices, insert)
	return c
}

// offer lists the tools of the next call: those of no skill, and those that
// some skill lists which is active or does not scope its tools.
func (m *Machine) offer(s *State) []string {
	if s.Calls > 0 && s.sameActive() {
		return s.Offered.Items
	}
	var offered []string
	if m.reads {
		offered = append(offered, ReadSkill)
	}
	for _, t := range s.Started.Tools {
		owners := m.owners[t.Name]
		if len(owners) == 0 || slices.ContainsFunc(owners, func(skill string) bool {
			return !m.graph.Scoped(skill) || slices.Contains(s.Active.Items, skill)
		}) {
			offered = append(offered, t.Name)
		}
	}
	return offered
}

// sameActive reports whether the last move left the active skills as they were.
func (s *State) sameActive() bool { return s.Active.At != s.Last.Evaluated }

// bodiesOf are the bodies that belong in the prompt: of every active skill,
// but not of one that was delivered as the answer to read_skill.
func (m *Machine) bodiesOf(s *State) []model.Part {
	var parts []model.Part
	for _, id := range s.Active.Items {
		body, ok := m.bodies[id]
		if ok && (id == s.Cursor || !m.graph.Open(id) || m.graph.Skill(id).Delivery != spoor.DeliverResult) {
			parts = append(parts, body)
		}
	}
	return parts
}

// news is what the history gained since the last call: the reply, and the
// results in the order of the calls.
func news(s *State, last bool) []model.Part {
	parts := make([]model.Part, 0, len(s.Reply)+len(s.Batch))
	parts = append(parts, s.Reply...)
	for i := range s.Batch {
		parts = append(append(parts, s.Batch[i].Result), s.Batch[i].More...)
	}
	if last {
		parts = append(parts, model.NewPart(model.System, model.Note, lastText))
	}
	return parts
}

// menu is the tail of a request: where the model may go with read_skill.
func (m *Machine) menu(s *State, last bool) []model.Part {
	if last || !m.reads {
		return nil
	}
	text := menuText(m.graph, m.graph.Reachable(s.Cursor), m.openFrom(s.Cursor))
	if text == "" {
		return nil
	}
	return []model.Part{model.NewPart(model.System, model.Menu, text)}
}

// bodies finds the bodies of a request: the first system parts that belong to
// a skill.
func bodies(parts []model.Part) (start, end int) {
	for start < len(parts) && parts[start].Role == model.System && parts[start].Kind == model.Text && parts[start].Skill == "" {
		start++
	}
	for end = start; end < len(parts) && parts[end].Skill != ""; {
		end++
	}
	return start, end
}

// tail finds the menu of a request.
func tail(parts []model.Part) []model.Part {
	if n := len(parts); n > 0 && parts[n-1].Kind == model.Menu {
		return parts[n-1:]
	}
	return nil
}

func samePieces(a, b []model.Part) bool {
	return slices.EqualFunc(a, b, func(a, b model.Part) bool { return a.Piece == b.Piece })
}
