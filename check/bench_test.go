package check_test

import (
	"fmt"
	"testing"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/check"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
)

// ruled is a map of n skills in a chain, each with a rule of three keywords.
func ruled(n int, keywords func(i int) []string) *spoor.Map {
	m := &spoor.Map{Start: spoor.Start{Rules: []spoor.Rule{}}}
	for i := range n {
		m.Skills = append(m.Skills, spoor.Skill{ID: id(i), Body: "Call look, then tell the user."})
		m.Start.Rules = append(m.Start.Rules, spoor.Rule{Use: id(i), Match: match.Keywords(keywords(i)...)})
		if i > 0 {
			m.Steps = append(m.Steps, spoor.Step{From: id(i - 1), To: id(i), OnToolReturn: "look"})
		}
	}
	return m
}

func id(i int) string { return fmt.Sprint("skill-", i) }

func own(i int) []string {
	return []string{fmt.Sprint("red ", i), fmt.Sprint("green ", i), fmt.Sprint("blue ", i)}
}

// rulesOf are maps of n rules whose keywords lie differently. What they share
// is the case against which the indexes stand.
var rulesOf = []struct {
	name string
	make func(n int) *spoor.Map
}{
	{"own", func(n int) *spoor.Map { return ruled(n, own) }},
	{"examples", func(n int) *spoor.Map {
		m := ruled(n, own)
		for i := range m.Start.Rules {
			m.Start.Rules[i].Examples = spoor.Phrases{fmt.Sprint("the one in red ", i, " please")}
		}
		return m
	}},
	{"shared", func(n int) *spoor.Map { // every rule has a word of all, and every skill its rule
		return ruled(n, func(i int) []string { return append(own(i)[:2], "refund") })
	}},
	{"one skill", func(n int) *spoor.Map { // the same of one skill, so that no pair is reported
		m := ruled(n, func(i int) []string { return append(own(i)[:2], "refund") })
		for i := range m.Start.Rules {
			m.Start.Rules[i].Use = id(0)
		}
		return m
	}},
	{"few words", func(n int) *spoor.Map { // no rule is another one, and all are made of 40 words
		var sets [][]string
		for a := range 40 {
			for b := range a {
				for c := range b {
					sets = append(sets, []string{id(a), id(b), id(c)})
				}
			}
		}
		return ruled(n, func(i int) []string { return sets[i%len(sets)] })
	}},
	{"lost examples", func(n int) *spoor.Map { // the first rule claims the examples of all
		m := ruled(n, func(i int) []string { return append(own(i)[:2], "refund") })
		for i := range m.Start.Rules {
			m.Start.Rules[i].Examples = spoor.Phrases{"a refund please"}
		}
		return m
	}},
}

// BenchmarkRun is the check-up of a compiled map.
func BenchmarkRun(b *testing.B) {
	for _, of := range rulesOf {
		for _, n := range []int{100, 1000, 5000, 10000} {
			b.Run(fmt.Sprintf("%s/rules=%d", of.name, n), func(b *testing.B) {
				g := compile(b, of.make(n))
				b.ReportAllocs()
				for b.Loop() {
					check.Run(g)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/rule")
			})
		}
	}
}

// guarded is a map of n skills, each with a rule of three keywords, three
// steps and on each of them a guard.
func guarded(n int) *spoor.Map {
	m := ruled(n, own)
	m.Steps = nil
	for i := range n {
		m.Steps = append(m.Steps,
			spoor.Step{From: id(i), To: id((i + 1) % n), OnToolStatus: spoor.Statuses{spoor.Denied}, Guard: guard.Guard{guard.Ne("status", "failure")}},
			spoor.Step{From: id(i), To: id((i + 2) % n), OnToolReturn: "rate",
				Guard: guard.Guard{guard.In("risk", "high", "critical"), guard.Gte("score", float64(i)/10), guard.Lte("iteration", 5)}},
			spoor.Step{From: id(i), To: id((i + 3) % n), OnToolReturn: "look", Guard: guard.Guard{guard.Gt("errors", i), guard.Lt("errors", i+10)}})
	}
	return m
}

// BenchmarkCompileAndRun is what a map costs before an agent walks it.
func BenchmarkCompileAndRun(b *testing.B) {
	m := guarded(10000)
	b.Run("compile", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			compile(b, m)
		}
	})
	b.Run("run", func(b *testing.B) {
		g := compile(b, m)
		b.ReportAllocs()
		for b.Loop() {
			check.Run(g)
		}
	})
	b.Run("both", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			check.Run(compile(b, m))
		}
	})
}

func compile(t testing.TB, m *spoor.Map) *spoor.Graph {
	t.Helper()
	g, err := spoor.Compile(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
