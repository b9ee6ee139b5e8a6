package event

import (
	"encoding/json"
	"fmt"
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
