package check

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/internal/phrase"
	"github.com/spoorhq/spoor/match"
)

// answers are conditions by what they answer.
type answers struct{}

func (answers) Condition(when string, result bool) (spoor.Condition, error) {
	return func(spoor.Situation) (bool, error) {
		switch when {
		case "fails":
			return true, errors.New("no such history")
		case "panics":
			panic("no such history")
		}
		return when == "yes", nil
	}, nil
}

// TestClaims holds the codes of examples and of neverRoutes against the rules
// as they are written, one rule at a time.
func TestClaims(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 3))
		m := claimsAtRandom(r)
		g, err := spoor.Compile(m, answers{})
		if err != nil {
			t.Fatal(err)
		}
		s := newSubject(g, nil)
		got := []string{}
		for _, rule := range rules {
			if strings.HasPrefix(rule.Code, "example-") || strings.HasPrefix(rule.Code, "never-routes-") {
				s.run(rule)
			}
		}
		for _, p := range s.Problems {
			got = append(got, fmt.Sprint(p.Level, p.Code, p.Ref, p.Skill, p.From, p.To, p.Example))
			seen[p.Level+" "+p.Code]++
		}
		want := claimsAsWritten(g)
		if d := cmp.Diff(inOrder(want), inOrder(got)); d != "" {
			t.Fatalf("seed %d, %+v (-want +got):\n%s", seed, m.Start, d)
		}
		if wrong := strings.Contains(strings.Join(got, " "), Error); s.OK == wrong {
			t.Errorf("seed %d: ok is %v", seed, s.OK)
		}
	}
	for _, code := range []string{
		"error example-misses-own-rule", "warning example-misses-own-rule", "warning example-unclaimed",
		"error example-shadowed-by-earlier", "warning example-shadowed-by-default",
		"error never-routes-contradicts-example", "error never-routes-claimed", "warning never-routes-by-default",
	} {
		if seen[code] < 50 {
			t.Errorf("%s was met %d times, which is too seldom", code, seen[code])
		}
	}
}

func claimsAtRandom(r *rand.Rand) *spoor.Map {
	m := &spoor.Map{Skills: skills(3), Start: spoor.Start{Rules: []spoor.Rule{}}}
	say := func() string {
		return strings.Join([]string{fmt.Sprint("w", r.IntN(5)), fmt.Sprint("W", r.IntN(5))}, []string{" ", "  "}[r.IntN(2)])
	}
	if r.IntN(2) == 0 {
		m.Start.Classify = "keyword"
	}
	for range 1 + r.IntN(5) {
		rule := spoor.Rule{Use: m.Skills[r.IntN(3)].ID}
		switch kind := r.IntN(10); {
		case kind == 0:
		case kind == 1 && m.Start.Classify != "":
			rule.Match = match.Intent("wants it", say())
		case kind < 4:
			rule.When = []string{"yes", "no", "no", "fails", "panics"}[r.IntN(5)]
		default:
			rule.Match = match.Keywords(fmt.Sprint("w", r.IntN(5)), fmt.Sprint("w", r.IntN(5)))
		}
		if rule.When != "" || rule.Match.Keywords != nil {
			for range r.IntN(3) {
				rule.Examples = append(rule.Examples, say())
			}
		}
		m.Start.Rules = append(m.Start.Rules, rule)
	}
	taken := map[string]bool{}
	for range r.IntN(4) {
		if p := say(); !taken[phrase.Key(p)] {
			taken[phrase.Key(p)] = true
			m.NeverRoutes = append(m.NeverRoutes, p)
		}
	}
	return m
}

// claimsAsWritten is the page of rules, word by word.
func claimsAsWritten(g *spoor.Graph) []string {
	m, starts := g.Map(), g.Starts()
	claims := func(i int, message string) bool {
		ok, err := g.Claims(i, cold(message))
		return ok && err == nil
	}
	cascade := func(message string) int {
		for i, r := range starts {
			if r.Conditional() && claims(i, message) {
				return i
			}
		}
		return -1
	}
	walk := func(message string) int {
		for i, r := range starts {
			if !r.Conditional() || claims(i, message) {
				return i
			}
		}
		return -1
	}
	found := []string{}
	report := func(level, code string, ref spoor.Ref, skill, from, to, example string) {
		found = append(found, fmt.Sprint(level, code, ref, skill, from, to, example))
	}
	for i, r := range starts {
		for j, example := range r.Examples {
			ref := r.Ref.Key("examples").At(j)
			if ok, err := g.Claims(i, cold(example)); !ok {
				level := Warning
				if r.Match != nil || err != nil {
					level = Error
				}
				report(level, "example-misses-own-rule", ref, r.Use, "", "", example)
			}
			winner := walk(example)
			if m.Start.Classify != "" {
				winner = cascade(example)
			}
			switch first := cascade(example); {
			case winner < 0:
				report(Warning, "example-unclaimed", ref, r.Use, "", "", example)
			case winner >= i || starts[winner].Use == r.Use:
			case starts[winner].Conditional() || first >= 0 && first < i:
				report(Error, "example-shadowed-by-earlier", ref, r.Use, starts[winner].Use, r.Use, example)
			default:
				report(Warning, "example-shadowed-by-default", ref, r.Use, starts[winner].Use, r.Use, example)
			}
		}
	}
	for i, phrase := range m.NeverRoutes {
		ref := spoor.Ref("neverRoutes").At(i)
		owner := -1
		for k, r := range m.Start.Rules {
			for _, example := range append(r.Examples, r.Match.Examples...) {
				if owner < 0 && strings.EqualFold(strings.Join(strings.Fields(example), " "), strings.Join(strings.Fields(phrase), " ")) {
					owner = k
				}
			}
		}
		switch first, by := cascade(phrase), walk(phrase); {
		case owner >= 0:
			report(Error, "never-routes-contradicts-example", ref, starts[owner].Use, "", "", phrase)
		case first >= 0:
			report(Error, "never-routes-claimed", ref, starts[first].Use, "", "", phrase)
		case by >= 0:
			report(Warning, "never-routes-by-default", ref, starts[by].Use, "", "", phrase)
		}
	}
	return found
}

// A condition that is bound in another program is not held against the map: its
// examples may be claimed there.
func TestUnboundConditions(t *testing.T) {
	g, err := spoor.Compile(&spoor.Map{
		Skills: []spoor.Skill{{ID: "a"}, {ID: "b"}},
		Start: spoor.Start{Rules: []spoor.Rule{
			{Use: "a", When: "isVIP", Examples: spoor.Phrases{"me again"}},
			{Use: "b", Match: match.Keywords("refund"), Examples: spoor.Phrases{"money back"}},
		}},
	}, elsewhere{})
	if err != nil {
		t.Fatal(err)
	}
	r := Run(g)
	if got := fmt.Sprint(r.Problems); got != `start.rules[1].examples[0]: example-misses-own-rule: start.rules[1] ("b") does not claim its own example "money back" on a cold start (iteration 1, no history, no cursor): its match does not find it (widen the rule, or correct the example)` {
		t.Error(got)
	}
	if len(r.Notes) != 2 || !strings.Contains(r.Notes[1], "start.rules[0]") {
		t.Errorf("%q", r.Notes)
	}
}

// elsewhere are conditions that nothing here is bound to.
type elsewhere struct{}

func (elsewhere) Condition(string, bool) (spoor.Condition, error) {
	return func(spoor.Situation) (bool, error) { return false, fmt.Errorf("no isVIP here: %w", spoor.ErrUnbound) }, nil
}
