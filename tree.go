package spoor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Tree decides by conditions alone which skill is active, in each iteration
// anew: it is either a leaf, with a Skill, or a decision, with the rest. A
// skill may be the leaf of several branches.
type Tree struct {
	Skill string `json:"skill,omitempty"`

	// When is a condition in CEL, or the name of a bound one. If it fails,
	// neither branch is taken and no skill is active.
	When      string `json:"when,omitempty"`
	Label     string `json:"label,omitempty"` // a question; "decide" if empty
	WhenTrue  *Tree  `json:"whenTrue,omitempty"`
	WhenFalse *Tree  `json:"whenFalse,omitempty"`
}

// Bounds on a tree: a hundred times what a person draws.
const (
	maxTreeDepth = 500
	maxTreeNodes = 100_000
)

// A Branch is one decision on the way to a leaf, and the side taken.
type Branch struct {
	Label string `json:"label"`
	Side  string `json:"branch"` // yes or no
}

// A fork is a node of the compiled tree. The nodes are in preorder, so the
// side that is taken if the condition holds is the next one.
type fork struct {
	ref   Ref
	skill string // of a leaf
	label string
	text  string // of the condition
	when  Condition
	no    int // the node that is taken if the condition does not hold
}

// tree compiles the decision tree, if there is one.
func (k *compiler) tree() {
	root := k.m.Tree
	if root == nil {
		return
	}
	flat := func(there bool, ref Ref, why string) {
		if there {
			k.problem("tree-with-flat", ref, "drop it, or write the tree as start and steps", "a tree decides in each iteration, so %s", why)
		}
	}
	flat(!k.m.Start.IsZero(), "start", "there is no start beside it")
	flat(k.m.Steps != nil, "steps", "there are no steps beside it")
	flat(k.m.NeverRoutes != nil, "neverRoutes", "there are no start rules to hold a phrase against")

	k.branch(root, "tree", nil)
	if k.treeCut {
		return // not all leaves were seen
	}
	for i, s := range k.m.Skills {
		if p := k.g.skills[s.ID]; p != nil && p.index == i && len(p.paths) == 0 {
			k.problem("tree-leaves", Ref("skills").At(i), "make it a leaf, or take it off the list",
				"skill %q is no leaf of the tree, so it would never be active", s.ID).Skill = s.ID
		}
	}
}

// branch compiles a node of the tree and what is below it. The path is that of
// the node until it returns.
func (k *compiler) branch(t *Tree, ref Ref, path []Branch) {
	wrong := func(ref Ref, hint, format string, args ...any) {
		k.problem("tree-leaves", ref, hint, format, args...)
	}
	if len(path) > maxTreeDepth || len(k.g.tree) == maxTreeNodes {
		if !k.treeCut {
			k.treeCut = true
			wrong(ref, "split the map", "the tree has over %d nodes, or over %d decisions on a path", maxTreeNodes, maxTreeDepth)
		}
		return
	}
	at := len(k.g.tree)
	k.g.tree = append(k.g.tree, fork{ref: ref, skill: t.Skill, label: cmp.Or(t.Label, "decide"), text: t.When})
	if t.Skill != "" {
		k.leaf(t, ref, path)
		return
	}
	if t.When == "" && t.WhenTrue == nil && t.WhenFalse == nil {
		wrong(ref, "write {skill: …}, or when with whenTrue and whenFalse", "this is neither a skill nor a decision")
		return
	}
	if t.When == "" {
		k.problem("bad-condition", ref, "give it a when", "a decision has no condition")
	} else {
		k.g.tree[at].when = k.condition(t.When, false, ref.Key("when"), "")
	}
	side := func(t *Tree, key, side string) {
		if t == nil {
			wrong(ref, "write {skill: …} there, or another decision", "a decision has no %s", key)
			return
		}
		k.branch(t, ref.Key(key), append(path, Branch{k.g.tree[at].label, side}))
	}
	side(t.WhenTrue, "whenTrue", "yes")
	k.g.tree[at].no = len(k.g.tree)
	side(t.WhenFalse, "whenFalse", "no")
}

func (k *compiler) leaf(t *Tree, ref Ref, path []Branch) {
	if t.When != "" || t.Label != "" || t.WhenTrue != nil || t.WhenFalse != nil {
		k.problem("tree-leaves", ref, "keep the skill, or the decision", "a leaf is a skill alone, and this one has keys of a decision").Skill = t.Skill
	}
	p := k.g.skills[t.Skill]
	if p == nil {
		hint := k.meant(t.Skill, k.ids, "declare it under skills, or correct the name")
		k.problem("tree-leaves", ref.Key("skill"), hint, "there is no skill %q", t.Skill).Skill = t.Skill
		return
	}
	p.paths = append(p.paths, slices.Clone(path))
}

// leaf finds the leaf that is active: from the root, one branch at each
// decision. A condition that fails closes both sides, and then there is none.
func (g *Graph) leaf(f Facts) (leaf *fork, failed []Failed) {
	n := &g.tree[0]
	for at := 0; n.skill == ""; n = &g.tree[at] {
		holds, err := judge(n.when, f, nil)
		switch {
		case err != nil:
			return nil, []Failed{{n.ref.Key("when"), err.Error()}}
		case holds:
			at++
		default:
			at = n.no
		}
	}
	return n, nil
}

// At returns the node of the tree with an address, such as
// tree.whenTrue.whenFalse, or nil.
func (t *Tree) At(ref Ref) *Tree {
	sides, ok := strings.CutPrefix(string(ref), "tree")
	for sides != "" && ok && t != nil {
		switch {
		case cut(&sides, ".whenTrue"):
			t = t.WhenTrue
		case cut(&sides, ".whenFalse"):
			t = t.WhenFalse
		default:
			return nil
		}
	}
	if !ok {
		return nil
	}
	return t
}

func cut(s *string, prefix string) (ok bool) {
	*s, ok = strings.CutPrefix(*s, prefix)
	return ok
}

// crown lists the nodes and the edges of the tree in preorder.
func (g *Graph) crown() (nodes []Node, edges []Edge) {
	drawn := map[string]bool{}
	decisions := 0
	var visit func(at int, from, side string) (next int)
	visit = func(at int, from, side string) int {
		n := &g.tree[at]
		edge := Edge{From: from, To: n.skill, Kind: EdgePredicate, Label: side, Ref: n.ref}
		if n.skill == "" {
			edge.To = fmt.Sprint("d", decisions)
			decisions++
			nodes = append(nodes, Node{ID: edge.To, Kind: NodeDecision, Label: n.label, When: n.text})
		} else if !drawn[n.skill] {
			drawn[n.skill] = true
			nodes = append(nodes, Node{ID: n.skill, Kind: NodeSkill, Label: n.skill})
		}
		edges = append(edges, edge)
		if n.skill != "" {
			return at + 1
		}
		return visit(visit(at+1, edge.To, "yes"), edge.To, "no")
	}
	visit(0, "", "")
	return nodes, edges
}
