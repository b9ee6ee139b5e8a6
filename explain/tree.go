package explain

import (
	"strings"

	"github.com/spoorhq/spoor"
)

// leaves tells of the leaves of a tree that are the skill.
func (w *ways) leaves(t *spoor.Tree, ref spoor.Ref) {
	if t == nil {
		return
	}
	if t.Skill == w.id {
		w.leaf(ref)
	}
	w.leaves(t.WhenTrue, ref.Key("whenTrue"))
	w.leaves(t.WhenFalse, ref.Key("whenFalse"))
}

// leaf tells where the tree turned off the way to a leaf.
func (w *ways) leaf(ref spoor.Ref) {
	if w.move.Ref == ref {
		w.add(Way{Evidence: Fact, Kind: ByLeaf, Ref: ref, Outcome: Taken, Text: say("way taken", "what", "the tree")})
		return
	}
	failed := ""
	taken := string(w.move.Ref)
	for _, f := range w.move.Failed {
		taken, failed = strings.TrimSuffix(string(f.Ref), ".when"), f.Error
	}
	fork := parting(string(ref), taken)
	name := fork
	if t := w.mapped.m.Tree.At(spoor.Ref(fork)); t != nil {
		name += " " + quote(either(t.Label != "", t.Label, t.When), 80)
	}
	switch {
	case taken == "":
		w.add(Way{Evidence: Fact, Kind: ByLeaf, Ref: ref, Outcome: NotJudged, Text: say("leaf unknown")})
	case failed != "" && fork == taken:
		w.add(Way{Evidence: Fact, Kind: ByLeaf, Ref: ref, Outcome: NotMet, Text: say("leaf failed", "fork", name, "error", clip(failed, 200))}, w.leafTrials(ref)...)
	default:
		side := either(strings.HasPrefix(taken[len(fork):], ".whenTrue"), "held", "did not hold")
		w.add(Way{Evidence: Fact, Kind: ByLeaf, Ref: ref, Outcome: NotMet, Text: say("leaf off", "fork", name, "side", side)}, w.leafTrials(ref)...)
	}
}

// parting is the last node that two ways through a tree have in common.
func parting(a, b string) string {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return strings.Join(x[:n], ".")
}
