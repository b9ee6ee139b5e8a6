package event

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/model"
)

// NewGraph takes a map apart into its shape and its bodies, so that a body is
// one piece, in the map and in every prompt.
func NewGraph(m *spoor.Map) (Graph, error) {
	var g Graph
	shape := *m
	shape.Skills = append([]spoor.Skill(nil), m.Skills...)
	for i := range shape.Skills {
		s := &shape.Skills[i]
		if s.Body != "" {
			g.Bodies = append(g.Bodies, BodyText{s.ID, model.Sum(s.Body), s.Body, s.Source})
			s.Body = ""
		}
	}
	data, err := json.Marshal(&shape)
	if err != nil {
		return Graph{}, fmt.Errorf("the map has no JSON form: %w", err)
	}
	g.Data, g.Map = string(data), model.Sum(string(data))
	return g, nil
}

// Decode puts the map together again.
func (g *Graph) Decode() (*spoor.Map, error) {
	m := new(spoor.Map)
	if err := json.Unmarshal([]byte(g.Data), m); err != nil {
		return nil, fmt.Errorf("the recorded map %s cannot be read: %w", g.Map, err)
	}
	for _, b := range g.Bodies {
		for i := range m.Skills {
			if s := &m.Skills[i]; s.ID == b.Skill {
				s.Body, s.Source = b.Data, b.Source
			}
		}
	}
	return m, nil
}

// Injections are what an agent brings along beside its map. What its skills
// are is one piece, in JSON without bodies; their bodies are those of the Graph.
type Injections struct {
	Skills       model.Digest `json:"skills,omitzero"`
	SkillsData   string       `json:"-"`
	Steering     []Passage    `json:"steering,omitempty"`
	Facts        []Passage    `json:"facts,omitempty"`
	Instructions []Passage    `json:"instructions,omitempty"`
}

// A Passage is words of an agent's author.
type Passage struct {
	ID    string       `json:"id,omitempty"`
	When  string       `json:"when,omitempty"`
	Piece model.Digest `json:"piece"`
	Data  string       `json:"-"`
}

// IsZero reports whether there are none.
func (in Injections) IsZero() bool {
	return in.Skills == model.Digest{} && in.Steering == nil && in.Facts == nil && in.Instructions == nil
}

// NewInjections takes injections apart as NewGraph does a map. The bodies of
// their skills are added to the graph.
func (g *Graph) NewInjections(in spoor.Injections) (Injections, error) {
	var e Injections
	if len(in.Skills) > 0 {
		shape := slices.Clone(in.Skills)
		for i := range shape {
			s := &shape[i]
			if s.Body != "" {
				g.Bodies = append(g.Bodies, BodyText{s.ID, model.Sum(s.Body), s.Body, s.Source})
				s.Body = ""
			}
		}
		data, err := json.Marshal(shape)
		if err != nil {
			return e, fmt.Errorf("the skills of the agent have no JSON form: %w", err)
		}
		e.SkillsData, e.Skills = string(data), model.Sum(string(data))
	}
	text := func(id, when, data string) Passage { return Passage{id, when, model.Sum(data), data} }
	for _, s := range in.Steering {
		e.Steering = append(e.Steering, text("", "", s))
	}
	for _, f := range in.Facts {
		e.Facts = append(e.Facts, text(f.ID, "", f.Text))
	}
	for _, n := range in.Instructions {
		e.Instructions = append(e.Instructions, text(n.ID, n.When, n.Text))
	}
	return e, nil
}

// Decode puts the injections together again, with the bodies of the graph.
func (in *Injections) Decode(g *Graph) (spoor.Injections, error) {
	var d spoor.Injections
	if in.SkillsData != "" {
		if err := json.Unmarshal([]byte(in.SkillsData), &d.Skills); err != nil {
			return d, fmt.Errorf("the recorded skills %s cannot be read: %w", in.Skills, err)
		}
	}
	for _, b := range g.Bodies {
		for i := range d.Skills {
			if s := &d.Skills[i]; s.ID == b.Skill {
				s.Body, s.Source = b.Data, b.Source
			}
		}
	}
	for _, t := range in.Steering {
		d.Steering = append(d.Steering, t.Data)
	}
	for _, t := range in.Facts {
		d.Facts = append(d.Facts, spoor.Fact{ID: t.ID, Text: t.Data})
	}
	for _, t := range in.Instructions {
		d.Instructions = append(d.Instructions, spoor.Instruction{ID: t.ID, When: t.When, Text: t.Data})
	}
	return d, nil
}

// Same reports whether two injections are the same, but for the bodies.
func (in *Injections) Same(o *Injections) bool {
	same := func(a, b []Passage) bool {
		return slices.EqualFunc(a, b, func(a, b Passage) bool { return a.ID == b.ID && a.When == b.When && a.Piece == b.Piece })
	}
	return in.Skills == o.Skills && same(in.Steering, o.Steering) && same(in.Facts, o.Facts) && same(in.Instructions, o.Instructions)
}

// Compile makes the graph that the turn walks, with what the agent brings
// along.
func (b *Started) Compile(c spoor.Conditions) (*spoor.Graph, error) {
	m, err := b.Graph.Decode()
	if err != nil {
		return nil, err
	}
	g, err := spoor.Compile(m, c)
	if err != nil {
		return nil, err
	}
	in, err := b.Injections.Decode(&b.Graph)
	if err != nil {
		return nil, err
	}
	return g.Inject(in, c)
}

// Same reports whether two graphs are of the same map, bodies included.
func (g *Graph) Same(o *Graph) bool {
	if g.Map != o.Map || len(g.Bodies) != len(o.Bodies) {
		return false
	}
	for i := range g.Bodies {
		if g.Bodies[i].Skill != o.Bodies[i].Skill || g.Bodies[i].Piece != o.Bodies[i].Piece {
			return false
		}
	}
	return true
}

// Text joins the text of parts.
func Text(parts []model.Part) string {
	if len(parts) == 1 {
		return parts[0].Data
	}
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.Data)
	}
	return b.String()
}
