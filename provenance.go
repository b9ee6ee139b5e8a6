package spoor

import (
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
)

// Provenance says how a skill can be reached, as the map declares it. How the
// walk got there in one turn is a Move.
type Provenance struct {
	Via         Via         `json:"via"`
	From        string      `json:"from,omitempty"`  // of a route: the skill that the step leaves
	Label       string      `json:"label,omitempty"` // the author's, if any
	TriggerKind string      `json:"triggerKind,omitempty"`
	Match       match.Match `json:"match,omitzero"`
	Guard       guard.Guard `json:"guard,omitempty"`
}

// Via is a way to reach a skill.
type Via string

const (
	ViaEntry Via = "entry" // a turn can start there
	ViaRoute Via = "route" // a step leads there by itself
	ViaModel Via = "model" // only the model's choice leads there
)

// Provenance returns how a skill can be reached: as an entry, else by the
// first step that leads there by itself, else by the model.
func (g *Graph) Provenance(skill string) Provenance {
	p := g.skills[skill]
	switch {
	case p == nil:
		return Provenance{Via: ViaModel}
	case p.entry:
		e := g.entries[p.firstEntry]
		prov := Provenance{Via: ViaEntry, Label: e.label}
		if e.match != nil {
			prov.Match = e.match.Data()
		}
		return prov
	case !p.routed:
		return Provenance{Via: ViaModel}
	}
	s := &g.m.Steps[p.firstRoute]
	prov := Provenance{Via: ViaRoute, From: s.From, Label: s.Label, TriggerKind: "rule", Guard: s.Guard}
	if s.OnToolReturn != "" && s.OnToolStatus == nil {
		prov.TriggerKind = "on-tool-return"
	}
	return prov
}

// An Edge is one way through the map as it is drawn: from nowhere into an
// entry, or along a step.
type Edge struct {
	From  string      `json:"from,omitempty"` // empty for an entry
	To    string      `json:"to"`
	Kind  EdgeKind    `json:"kind"`
	Label string      `json:"label,omitempty"`
	Match match.Match `json:"match,omitzero"`
	Guard guard.Guard `json:"guard,omitempty"`
}

// EdgeKind says what takes an edge.
type EdgeKind string

const (
	EdgeEntry        EdgeKind = "entry"
	EdgeOnToolStatus EdgeKind = "on-tool-status"
	EdgeOnToolReturn EdgeKind = "on-tool-return"
	EdgeGuard        EdgeKind = "guard"
	EdgePredicate    EdgeKind = "predicate"
	EdgeModel        EdgeKind = "model"
)

// Edges lists the entries, then the steps, as declared.
func (g *Graph) Edges() []Edge {
	edges := make([]Edge, 0, len(g.entries)+len(g.m.Steps))
	for _, e := range g.entries {
		edge := Edge{To: e.skill, Kind: EdgeEntry, Label: e.label}
		if e.match != nil {
			edge.Match = e.match.Data()
		}
		edges = append(edges, edge)
	}
	for _, s := range g.m.Steps {
		edges = append(edges, Edge{From: s.From, To: s.To, Kind: s.kind(), Label: s.label(), Guard: s.Guard})
	}
	return edges
}

func (s Step) kind() EdgeKind {
	switch {
	case s.OnToolStatus != nil:
		return EdgeOnToolStatus
	case s.OnToolReturn != "":
		return EdgeOnToolReturn
	case s.Guard != nil:
		return EdgeGuard
	case s.When != "":
		return EdgePredicate
	}
	return EdgeModel
}

// label is the author's, or says what the step waits for.
func (s Step) label() string {
	if s.Label != "" || s.OnToolStatus == nil && s.OnToolReturn == "" {
		return s.Label
	}
	tool := string(s.OnToolReturn)
	if source, _, ok := s.OnToolReturn.Pattern(); ok {
		tool = "/" + source + "/"
	}
	label := "on"
	if tool != "" {
		label += " " + tool
	}
	for i, status := range s.OnToolStatus {
		if i == 0 {
			label += " status="
		} else {
			label += "|"
		}
		label += string(status)
	}
	if s.Guard != nil {
		label += " when " + s.Guard.Caption()
	}
	return label
}
