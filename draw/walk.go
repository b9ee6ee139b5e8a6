package draw

import (
	"strings"

	"github.com/spoorhq/spoor"
)

// A Walk is what moves did, to be laid over the drawing of their map. What it
// names and the map does not have is not drawn.
type Walk struct {
	// Visits counts the iterations in a skill. In a tree the walk stands
	// nowhere, and how often a leaf was active is told by Taken.
	Visits map[string]int

	// Taken counts the moves along an edge, by its Ref.
	Taken map[spoor.Ref]int

	// Closed counts the moves in which the guard of a step refused a result, by
	// the Ref of the step.
	Closed map[spoor.Ref]int

	// Jumps are the moves that name no edge, in the order of the first of
	// each. One that an edge declares is drawn there, any other for itself.
	Jumps []Jump

	At   string    // where the walk stands at the end; empty if nowhere
	Leaf spoor.Ref // in a tree, the leaf that is active at the end; empty if none is
}

// A Jump is a move that names no edge: the model chose it, or a tool proposed
// it.
type Jump struct {
	From  string // empty on a cold start
	To    string
	By    spoor.Cause
	Times int
}

// Of folds moves into what they did, those of several turns as well.
func Of(moves []spoor.Move) *Walk {
	w := &Walk{Visits: map[string]int{}, Taken: map[spoor.Ref]int{}, Closed: map[spoor.Ref]int{}}
	jumps := map[Jump]int{}
	for _, m := range moves {
		for _, c := range m.Closed {
			w.Closed[c.Ref]++
		}
		w.At, w.Leaf = m.To, ""
		jump := Jump{From: m.From, To: m.To, By: m.By}
		switch {
		case m.Ref == "tree" || strings.HasPrefix(string(m.Ref), "tree."):
			w.At, w.Leaf = "", m.Ref
			w.descend(m.Ref)
			continue
		case m.Ref != "":
			w.Taken[m.Ref]++
		case m.To == "" || m.To == m.From:
		case jumps[jump] > 0:
			w.Jumps[jumps[jump]-1].Times++
		default:
			w.Jumps = append(w.Jumps, jump)
			jumps[jump] = len(w.Jumps)
			w.Jumps[len(w.Jumps)-1].Times = 1
		}
		if m.To != "" {
			w.Visits[m.To]++
		}
	}
	return w
}

// descend counts the way to a leaf: the edges to all nodes above it, and to it.
func (w *Walk) descend(leaf spoor.Ref) {
	for i, c := range leaf {
		if c == '.' {
			w.Taken[leaf[:i]]++
		}
	}
	w.Taken[leaf]++
}
