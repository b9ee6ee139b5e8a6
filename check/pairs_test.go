package check

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/match"
)

// TestPairs holds that the index finds the pairs that a loop over all of them
// finds, up to where a report ends.
func TestPairs(t *testing.T) {
	kinds := map[string]int{}
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		n, words := 1+r.IntN(14), 1+r.IntN(8)
		if seed%100 == 0 {
			n, words = 200+r.IntN(200), 1+r.IntN(40)
		}
		s := newSubject(compile(t, rulesAtRandom(r, n, words)), nil)
		got, want := s.pairs(), everyPair(s)
		if d := cmp.Diff(want, got, cmp.AllowUnexported(pairs{}, pair{})); d != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, d)
		}
		for _, p := range got.shadowed {
			kinds[form(s, p.earlier)+" shadows "+form(s, p.later)]++
		}
		kinds["overlapping"] += len(got.overlapping)
		kinds["full"] += len(got.shadowed) / (mostOfOne + 1)
	}
	for _, kind := range []string{
		"keywords shadows keywords", "regex shadows regex", "keywords shadows all", "regex shadows all",
		"all shadows keywords", "all shadows regex", "all shadows all", "overlapping", "full",
	} {
		if kinds[kind] < 10 {
			t.Errorf("the random rules hold %q %d times, which is too seldom", kind, kinds[kind])
		}
	}
}

func form(s *subject, rule int) string {
	switch m := s.starts[rule].Match.Data(); {
	case m.Keywords != nil:
		return "keywords"
	case m.All != nil:
		return "all"
	}
	return "regex"
}

// everyPair is the loop.
func everyPair(s *subject) *pairs {
	p := new(pairs)
	for later := range s.starts {
		for earlier := range later {
			switch match.Compare(s.starts[earlier].Match, s.starts[later].Match) {
			case match.Shadows:
				p.shadowed = append(p.shadowed, pair{earlier, later})
			case match.Overlaps:
				if s.starts[earlier].Use != s.starts[later].Use {
					p.overlapping = append(p.overlapping, pair{earlier, later})
				}
			}
		}
	}
	p.shadowed = p.shadowed[:min(len(p.shadowed), mostOfOne+1)]
	p.overlapping = p.overlapping[:min(len(p.overlapping), mostOfOne+1)]
	return p
}

// rulesAtRandom is a map of n rules over so many words.
func rulesAtRandom(r *rand.Rand, n, words int) *spoor.Map {
	m := &spoor.Map{Skills: skills(4), Start: spoor.Start{Rules: []spoor.Rule{}}}
	if r.IntN(2) == 0 {
		m.Start.Classify = "keyword"
	}
	regex := func() match.Match {
		return match.Regex(fmt.Sprint("x", r.IntN(1+words/2)), []string{"", "i", "im", "mi", "gi", "s"}[r.IntN(6)])
	}
	keywords := func() match.Match {
		var list []string
		for range 1 + r.IntN(4) {
			list = append(list, fmt.Sprintf([]string{"w%d", "W%d", " w%d "}[r.IntN(3)], r.IntN(words)))
		}
		return match.Keywords(list...)
	}
	part := func() match.Match {
		if r.IntN(3) == 0 {
			return regex()
		}
		return keywords()
	}
	for range n {
		rule := spoor.Rule{Use: m.Skills[r.IntN(4)].ID}
		switch r.IntN(12) {
		case 0:
			rule.When = "code"
		case 1:
			if m.Start.Classify != "" {
				rule.Match = match.Intent("wants "+rule.Use, "please")
			}
		case 2, 3, 4, 5:
			var parts []match.Match
			for range 1 + r.IntN(3) {
				parts = append(parts, part())
			}
			if r.IntN(4) == 0 {
				parts = append(parts, match.All(part(), part()))
			}
			rule.Match = match.All(parts...)
		default:
			rule.Match = part()
		}
		m.Start.Rules = append(m.Start.Rules, rule)
	}
	return m
}

// noCode is code that a map names; it never holds.
type noCode struct{}

func (noCode) Condition(string, bool) (spoor.Condition, error) {
	return func(spoor.Situation) (bool, error) { return false, nil }, nil
}

func compile(t testing.TB, m *spoor.Map) *spoor.Graph {
	t.Helper()
	g, err := spoor.Compile(m, noCode{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestRuleSet(t *testing.T) {
	const rules = 300
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		sets, has := [2]ruleSet{}, [2][rules]bool{}
		for i := range sets {
			for rule := range rules {
				if (rule/64)%2 == r.IntN(2) && r.IntN(1+r.IntN(80)) == 0 {
					sets[i], has[i][rule] = sets[i].with(rule), true
				}
			}
		}
		row := func(s ruleSet) row {
			row := make(row, (rules+63)/64)
			row.add(s)
			return row
		}
		or, andNot, keep := row(sets[0]), row(sets[0]), row(sets[0])
		or.add(sets[1])
		andNot.remove(sets[1])
		keep.keep(row(sets[1]))
		and := row(slices.Clone(sets[0]).and(sets[1]))
		for name, op := range map[string]struct {
			got  iter.Seq[int]
			want func(a, b bool) bool
		}{
			"or":     {or.all(), func(a, b bool) bool { return a || b }},
			"andNot": {andNot.all(), func(a, b bool) bool { return a && !b }},
			"keep":   {keep.all(), func(a, b bool) bool { return a && b }},
			"and":    {and.all(), func(a, b bool) bool { return a && b }},
		} {
			var want []int
			for rule := range rules {
				if op.want(has[0][rule], has[1][rule]) {
					want = append(want, rule)
				}
			}
			if got := slices.Collect(op.got); !slices.Equal(got, want) {
				t.Fatalf("%s: got %v, want %v", name, got, want)
			}
		}
	}
}

func inOrder(list []string) []string {
	slices.Sort(list)
	return list
}
