package walk

import "github.com/spoorhq/spoor/event"

// Break puts a fault into the machine: f gets every derived event before it is
// recorded, and may change it or the state.
func (m *Machine) Break(f func(*State, event.Body) event.Body) { m.breaks = f }

// Follows is the event that follows by itself, for a fault that leaves one out.
func (m *Machine) Follows(s *State) event.Body {
	b, _ := m.next(s)
	return b
}
