package score

import (
	"cmp"
	"math"
	"slices"
)

// A Policy overrides when a verdict is decisive. A nil field keeps its default.
type Policy struct {
	NearTieMargin *float64 `json:"nearTieMargin,omitempty"` // 0 to 1; DefaultNearTieMargin
	MenuSize      *int     `json:"menuSize,omitempty"`      // from 1; DefaultMenuSize
	Floor         *float64 `json:"floor,omitempty"`         // finite; the scorer's own
}

// What a Policy does not say.
const (
	DefaultNearTieMargin = 0.15
	DefaultMenuSize      = 3
)

// Thresholds are those that a verdict was judged by.
type Thresholds struct {
	NearTieMargin float64  `json:"nearTieMargin"`
	MenuSize      int      `json:"menuSize"`
	Floor         *float64 `json:"floor,omitempty"` // nil: there was none
}

func thresholds(p *Policy, t Traits) Thresholds {
	if p == nil {
		p = new(Policy)
	}
	used := Thresholds{DefaultNearTieMargin, DefaultMenuSize, cmp.Or(p.Floor, t.Floor)}
	if p.NearTieMargin != nil {
		used.NearTieMargin = *p.NearTieMargin
	}
	if p.MenuSize != nil {
		used.MenuSize = *p.MenuSize
	}
	if used.Floor != nil {
		used.Floor = new(*used.Floor)
	}
	return used
}

// Kind is what a verdict comes to.
type Kind string

const (
	Move      Kind = "move"      // to the best
	Stay      Kind = "stay"      // with the incumbent: it is the best, or nothing is far enough ahead
	Menu      Kind = "menu"      // the best are too close to call
	Unmatched Kind = "unmatched" // nothing is alive
)

// A RunnerUp is the best candidate of another skill than the winner's.
type RunnerUp struct {
	ID string `json:"id"`

	// Gap is how far it is behind, from 0, a tie, to 1. It depends on the two
	// scores alone, not on how many others there are.
	Gap float64 `json:"gap"`
}

// A Verdict is what scores come to, with all that it was judged by.
type Verdict struct {
	Kind     Kind      `json:"kind"`
	To       string    `json:"to,omitempty"`       // of a Move
	Offered  []string  `json:"offered,omitempty"`  // of a Menu, best first, each skill once
	Ranked   []Ranked  `json:"ranked"`             // best first; of equals in declared order
	RunnerUp *RunnerUp `json:"runnerUp,omitempty"` // nil if no other skill is alive

	// Decisive says that the best is alone, far enough ahead, or the answer of
	// a categorical scorer.
	Decisive   bool       `json:"decisive"`
	Thresholds Thresholds `json:"thresholds"`
}

// Decide judges scores, in the order of their candidates. The policy may be
// nil; the traits are those of the scorer; incumbent is the skill where the
// conversation stands, empty on a cold start.
//
// A candidate is alive if its score is finite and above the floor. The best
// alive is decisive if no other skill is alive, if the runner-up's gap is not
// under the margin, or if the scorer is categorical. If it is not, an incumbent
// stays, however low its own score; on a cold start a menu offers the skills
// whose gap to the best is under the margin, at most MenuSize, or two if that
// is less.
//
// The verdict shares nothing with what it was made of.
func Decide(scores []Score, p *Policy, t Traits, incumbent string) Verdict {
	ranked, _ := Rank(scores)
	slices.SortStableFunc(ranked, func(a, b Ranked) int { return cmp.Compare(value(b.Score), value(a.Score)) })
	v := Verdict{Kind: Unmatched, Ranked: ranked, Thresholds: thresholds(p, t)}
	alive := ranked
	if dead := slices.IndexFunc(ranked, v.Thresholds.dead); dead >= 0 {
		alive = ranked[:dead]
	}
	if len(alive) == 0 {
		return v
	}
	top, margin := alive[0], v.Thresholds.NearTieMargin
	v.Decisive = true
	if i := slices.IndexFunc(alive, func(r Ranked) bool { return r.ID != top.ID }); i > 0 {
		v.RunnerUp = &RunnerUp{alive[i].ID, gap(top, alive[i])}
		v.Decisive = t.Categorical || v.RunnerUp.Gap >= margin
	}
	switch {
	case v.Decisive && top.ID != incumbent:
		v.Kind, v.To = Move, top.ID
	case incumbent != "":
		v.Kind = Stay
	default:
		v.Kind = Menu
		for _, r := range alive {
			if len(v.Offered) == max(2, v.Thresholds.MenuSize) || gap(top, r) >= margin {
				break
			}
			if !slices.Contains(v.Offered, r.ID) {
				v.Offered = append(v.Offered, r.ID)
			}
		}
	}
	return v
}

func (t Thresholds) dead(r Ranked) bool {
	return !finite(r.Score) || t.Floor != nil && r.Score <= *t.Floor
}

// gap is the difference of the shares that two candidates alone would have.
func gap(top, other Ranked) float64 { return math.Tanh((top.Score - other.Score) / 2) }
