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

	// Path is the way to a leaf. A leaf in several places has the way to the
	// first as Path, and all of them as Paths. They must not be changed.
	Path  []Branch   `json:"path,omitempty"`
	Paths [][]Branch `json:"paths,omitempty"`
}

// Via is a way to reach a skill.
type Via string

const (
	ViaTree  Via = "tree"  // it is a leaf of the tree
	ViaEntry Via = "entry" // a turn can start there
	ViaRoute Via = "route" // a step leads there by itself
	ViaModel Via = "model" // only the model's choice leads there
	ViaRule  Via = "rule"  // a condition of its own: of what an agent brings along
	ViaLease Via = "lease" // a tool required it: of an instruction
)

// Provenance returns how a skill can be reached: as a leaf, as an entry, else by the
// first step that leads there by itself, else by the model.
func (g *Graph) Provenance(skill string) Provenance {
	p := g.skills[skill]
	switch {
	case p == nil:
		return Provenance{Via: ViaModel}
	case len(p.paths) > 0:
		prov := Provenance{Via: ViaTree, Path: p.paths[0]}
		if len(p.paths) > 1 {
			prov.Paths = p.paths
		}
		return prov
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

// A Trigger is what makes a skill active.
type Trigger string

const (
	TriggerAlways Trigger = "always"        // nothing is needed
	TriggerRule   Trigger = "rule"          // the walk stands on it, or the tree leads to it
	TriggerModel  Trigger = "llm-activated" // the model switches it on
)

// Trigger returns what makes a skill active.
func (g *Graph) Trigger(skill string) Trigger {
	switch p := g.skills[skill]; {
	case p == nil:
		return TriggerModel
	case p.always:
		return TriggerAlways
	case p.entry || p.routed || len(p.paths) > 0:
		return TriggerRule
	}
	return TriggerModel
}

// A Selection is what chooses among the entries of a map.
type Selection string

const (
	SelectClassify Selection = "classify"   // a classifier, where no rule claims the message
	SelectScorer   Selection = "scorer"     // a scorer ranks the entries
	SelectModel    Selection = "model-read" // the model reads the menu
)

// Selection returns what chooses among the entries; empty if their order does.
func (g *Graph) Selection() Selection {
	switch s := g.m.Start; {
	case s.Classify != "":
		return SelectClassify
	case s.ScoredBy != "":
		return SelectScorer
	case s.Entries != nil:
		return SelectModel
	}
	return ""
}

// A Node is a skill, or a decision of the tree, as it is drawn.
type Node struct {
	ID    string   `json:"id"` // of a decision: d0, d1, …
	Kind  NodeKind `json:"kind"`
	Label string   `json:"label,omitempty"`
	When  string   `json:"when,omitempty"` // the condition of a decision
}

// NodeKind says what a node is.
type NodeKind string

const (
	NodeSkill    NodeKind = "skill"
	NodeDecision NodeKind = "predicate"
)

// Nodes lists the skills in the order of the map; of a tree, its nodes in
// preorder, a leaf where it comes first.
func (g *Graph) Nodes() []Node {
	if g.tree != nil {
		nodes, _ := g.crown()
		return nodes
	}
	nodes := make([]Node, len(g.m.Skills))
	for i, s := range g.m.Skills {
		nodes[i] = Node{ID: s.ID, Kind: NodeSkill, Label: s.ID}
	}
	return nodes
}

// An Edge is one way through the map as it is drawn: from nowhere into an
// entry or the tree, along a step, or along a side of a decision.
type Edge struct {
	From  string      `json:"from,omitempty"` // empty for an entry and for the root of a tree
	To    string      `json:"to"`
	Kind  EdgeKind    `json:"kind"`
	Label string      `json:"label,omitempty"`
	Match match.Match `json:"match,omitzero"`
	Guard guard.Guard `json:"guard,omitempty"`
	When  string      `json:"when,omitempty"`
	Ref   Ref         `json:"ref"` // of the entry or the step, or of the node that a side leads to
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

// Edges lists the entries, then the steps, as declared; of a tree, its edges
// in preorder.
func (g *Graph) Edges() []Edge {
	if g.tree != nil {
		_, edges := g.crown()
		return edges
	}
	edges := make([]Edge, 0, len(g.entries)+len(g.m.Steps))
	for _, e := range g.entries {
		edge := Edge{To: e.skill, Kind: EdgeEntry, Label: e.label, When: e.whenText, Ref: e.ref}
		if e.match != nil {
			edge.Match = e.match.Data()
		}
		edges = append(edges, edge)
	}
	for i, s := range g.m.Steps {
		edges = append(edges, Edge{
			From: s.From, To: s.To, Kind: s.kind(), Label: s.label(), Guard: s.Guard, When: s.When, Ref: Ref("steps").At(i),
		})
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
