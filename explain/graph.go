package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
)

// A mapped is the map of a turn. Its zero value is that of a recording whose
// map cannot be read.
type mapped struct {
	m      *spoor.Map
	err    error
	start  *event.Started
	agent  []spoor.AgentSkill // what the agent brings along beside the map
	bodies map[model.Digest]event.BodyText

	graph  *spoor.Graph // compiled when it is first asked for
	tried  bool
	conds  cond.Set
	asker  asker                      // of conds
	probes map[spoor.Ref]*spoor.Graph // each with one step or rule
	edits  map[string]*editing        // by what is edited
	work   int                        // that changes have cost
}

// mapOf is the map of the turn of event i.
func (t *trail) mapOf(i int) *mapped {
	turn := t.turn[i]
	if m := t.maps[turn]; m != nil {
		return m
	}
	m := &mapped{bodies: map[model.Digest]event.BodyText{}, probes: map[spoor.Ref]*spoor.Graph{}}
	m.conds.AllowUnbound = true
	m.asker.set = &m.conds
	t.maps[turn] = m
	s := t.started(i)
	if s == nil {
		m.err = fmt.Errorf("the recording does not have the beginning of the turn")
		return m
	}
	for _, b := range s.Graph.Bodies {
		if _, twice := m.bodies[b.Piece]; !twice {
			m.bodies[b.Piece] = b
		}
	}
	m.start = s
	if m.m, m.err = s.Graph.Decode(); m.err != nil {
		m.m = nil
		return m
	}
	if in, err := s.Injections.Decode(&s.Graph); err == nil {
		m.agent = in.Skills
	}
	return m
}

// step is the step that a ref names, or nil.
func (m *mapped) step(ref spoor.Ref) *spoor.Step {
	var i int
	if m.m == nil || !index(ref, "steps[%d]", &i) || i >= len(m.m.Steps) {
		return nil
	}
	return &m.m.Steps[i]
}

// index reads the number of a ref that has the form.
func index(ref spoor.Ref, form string, i *int) bool {
	_, err := fmt.Sscanf(string(ref), form, i)
	return err == nil && *i >= 0 && fmt.Sprintf(form, *i) == string(ref)
}

// label is what the author calls a step or rule, and the skill of a leaf;
// empty if nothing.
func (m *mapped) label(ref spoor.Ref) string {
	if m.m != nil && m.m.Tree != nil {
		if leaf := m.m.Tree.At(ref); leaf != nil {
			return leaf.Skill
		}
		return ""
	}
	if s := m.step(ref); s != nil {
		return s.Label
	}
	var i int
	switch {
	case m.m == nil:
	case index(ref, "start.rules[%d]", &i) && i < len(m.m.Start.Rules):
		return m.m.Start.Rules[i].Label
	case index(ref, "start.entries[%d]", &i) && i < len(m.m.Start.Entries):
		return m.m.Start.Entries[i].Label
	}
	return ""
}

// waitsFor is the tool that a step waits for by name; empty if there is none.
func (m *mapped) waitsFor(ref spoor.Ref) string {
	s := m.step(ref)
	if s == nil {
		return ""
	}
	if _, _, pattern := s.OnToolReturn.Pattern(); pattern {
		return ""
	}
	return string(s.OnToolReturn)
}

// skills lists the ids of all skills: those of the map, and those of the agent.
func (m *mapped) skills() (ids []string) {
	if m.m == nil {
		return nil
	}
	for i := range m.m.Skills {
		ids = append(ids, m.m.Skills[i].ID)
	}
	for i := range m.agent {
		ids = append(ids, m.agent[i].ID)
	}
	return ids
}

// own is a skill of the agent, and its address; nil if it is none.
func (m *mapped) own(skill string) (*spoor.AgentSkill, spoor.Ref) {
	i := slices.IndexFunc(m.agent, func(s spoor.AgentSkill) bool { return s.ID == skill })
	if i < 0 {
		return nil, ""
	}
	return &m.agent[i], spoor.Ref("agent.skills").At(i)
}

// hides reports whether a skill must not be seen in the turn.
func (m *mapped) hides(skill string) bool {
	return m.start != nil && slices.Contains(m.start.Hidden, skill)
}

// compiled is the graph as the turn saw it; nil if it is none.
func (m *mapped) compiled() *spoor.Graph {
	if !m.tried && m.m != nil {
		m.tried = true
		if m.graph, m.err = m.start.Compile(&m.asker); m.err != nil {
			m.graph = nil
		} else {
			m.graph = m.graph.Hide(m.start.Hidden)
		}
	}
	return m.graph
}

// probe is the graph of a map with no way but one: asked for a move, it says
// whether that way was open. It is nil if there is no such graph.
func (m *mapped) probe(key spoor.Ref, start spoor.Start, steps []spoor.Step) *spoor.Graph {
	g, ok := m.probes[key]
	if !ok {
		one := &spoor.Map{Skills: m.m.Skills, Start: start, Steps: steps, Scales: m.m.Scales}
		g, _ = spoor.Compile(one, &m.asker) // a map at fault has no graph
		m.probes[key] = g
	}
	return g
}

// bound reports whether a condition is a function of the program that made
// the recording, which nobody else can ask. It is known once it is compiled.
func (m *mapped) bound(when string) bool {
	return slices.Contains(m.conds.Unbound(), strings.TrimSpace(when))
}
