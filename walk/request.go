package walk

import (
	"slices"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
)

// ask composes the next request, as a change of the last one.
//
// A request is: system with the steering and the facts, the bodies of the
// active skills, the history, and a tail: the active instructions and the
// menu. While the active skills and the offer stay, only the end of it
// changes: that is what keeps a provider's prompt cache warm.
func (m *Machine) ask(s *State, g *spoor.Graph) *event.Called {
	c := &event.Called{Purpose: model.Answer, Skill: s.Cursor, Limit: s.Spent.last(s.Started, s.Time)}
	c.Last = c.Limit != ""
	var offered []string
	if !c.Last {
		offered = m.offer(s, g)
	}
	c.Offered, c.OfferedAs = s.Offered.since(offered)
	if s.Spent.Answers == 0 {
		c.Splices = []event.Splice{{Put: slices.Concat(
			s.Started.System, m.always, m.bodiesOf(s, g, nil), s.Started.History, []model.Part{s.Started.Message},
			news(s, c.Last), m.tail(s, g, c.Last),
		)}}
		return c
	}

	length := len(s.Request)
	if !s.sameActive() || s.Move.To != s.Move.From {
		start, end := bodies(s.Request)
		if now := m.bodiesOf(s, g, s.Request[start:end]); !samePieces(s.Request[start:end], now) {
			c.Splices = append(c.Splices, event.Splice{At: start, Drop: end - start, Put: now})
			length += len(now) - (end - start)
		}
	}
	put, tail := news(s, c.Last), tailOf(s.Request)
	insert := event.Splice{At: length - len(tail), Put: put}
	if c.Last || s.Move.To != s.Move.From || s.MenuOpen != s.MenuWas || s.instructed() {
		if now := m.tail(s, g, c.Last); !samePieces(tail, now) {
			insert.Drop, insert.Put = len(tail), append(put, now...)
		}
	}
	c.Splices = append(c.Splices, insert)
	return c
}

// offer lists the tools of the next call: those of no skill, and those that
// some skill lists which is active or does not scope its tools.
func (m *Machine) offer(s *State, g *spoor.Graph) []string {
	if s.Spent.Answers > 0 && s.sameActive() {
		return s.Offered.Items
	}
	var offered []string
	if m.offersRead(g) {
		offered = append(offered, ReadSkill)
	}
	for _, t := range s.Started.Tools {
		owners := m.owners[t.Name]
		if len(owners) == 0 || slices.ContainsFunc(owners, func(skill string) bool {
			return g.Skill(skill) != nil && (!g.Scoped(skill) || slices.Contains(s.Active.Items, skill))
		}) {
			offered = append(offered, t.Name)
		}
	}
	return offered
}

// offersRead reports whether there is anything to read, as far as no posture
// refuses it.
func (m *Machine) offersRead(g *spoor.Graph) bool {
	if g == m.graph {
		return m.reads
	}
	return m.readable(g)
}

// instructed reports whether the last move may have changed the instructions.
func (s *State) instructed() bool { return s.InstructedAt == s.Last.Evaluated }

// sameActive reports whether the last move left the active skills as they were.
func (s *State) sameActive() bool { return s.Active.At != s.Last.Evaluated }

// bodiesOf are the bodies that belong in the prompt: of every active skill,
// but not of one that was delivered as the answer to read_skill, unless it was
// there before.
func (m *Machine) bodiesOf(s *State, g *spoor.Graph, before []model.Part) []model.Part {
	var parts []model.Part
	for _, id := range s.Active.Items {
		answered := id != s.Cursor && g.Open(id) && g.Skill(id).Delivery == spoor.DeliverResult && slices.Contains(s.Activated, id)
		there := func(p model.Part) bool { return p.Skill == id }
		if body, ok := m.bodies[id]; ok && (!answered || slices.ContainsFunc(before, there)) {
			parts = append(parts, body)
		}
	}
	return parts
}

// news is what the history gained since the last call: the reply, the results
// in the order of the calls, and what is to be said of them.
func news(s *State, last bool) []model.Part {
	parts := make([]model.Part, 0, len(s.Reply)+len(s.Batch)+len(s.Notes))
	parts = append(parts, s.Reply...)
	for i := range s.Batch {
		parts = append(append(parts, s.Batch[i].Result), s.Batch[i].More...)
	}
	parts = append(parts, s.Notes...)
	if last {
		parts = append(parts, note(lastText))
	}
	return parts
}

// tail is the end of a request: the active instructions, and where the model
// may go with read_skill.
func (m *Machine) tail(s *State, g *spoor.Graph, last bool) []model.Part {
	var parts []model.Part
	for _, n := range s.Instructions {
		if text, ok := m.texts[n.ID]; ok {
			parts = append(parts, text)
		}
	}
	if last || !m.offersRead(g) {
		return parts
	}
	if text := m.menuText(s, g); text != "" {
		parts = append(parts, model.NewPart(model.System, model.Menu, text))
	}
	return parts
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

// tailOf finds the tail of a request.
func tailOf(parts []model.Part) []model.Part {
	n := len(parts)
	for n > 0 && (parts[n-1].Kind == model.Menu || parts[n-1].Kind == model.Instruction) {
		n--
	}
	return parts[n:]
}

func samePieces(a, b []model.Part) bool {
	return slices.EqualFunc(a, b, func(a, b model.Part) bool { return a.Piece == b.Piece })
}
