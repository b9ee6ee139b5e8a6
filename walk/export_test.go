package walk

import (
	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
)

// What follows is for faults that a test puts into the machine.

// Break lets f change every derived event before it is recorded, or the state.
func (m *Machine) Break(f func(*State, event.Body) event.Body) { m.breaks = f }

// Follows is the event that follows by itself.
func (m *Machine) Follows(s *State) event.Body {
	b, _ := m.next(s)
	return b
}

// Next is the move that the state leads to, with other facts.
func (m *Machine) Next(s *State, change func(*spoor.Facts)) spoor.Move {
	g := m.seen(s)
	f := m.facts(s, g)
	change(&f)
	return g.Next(f)
}

// Unhide shows the turn what is hidden from it.
func (m *Machine) Unhide(s *State) { s.view = m.graph }
