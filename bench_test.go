package spoor_test

import (
	"fmt"
	"testing"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
)

// ring is a map of n skills with three steps each, to the next three: one by
// a tool, one by a tool and a guard, one by a status.
func ring(n int) *spoor.Map {
	m := &spoor.Map{Start: spoor.Start{Rules: []spoor.Rule{{Use: id(0), Match: match.Keywords("refund")}}}}
	for i := range n {
		m.Skills = append(m.Skills, spoor.Skill{ID: id(i)})
		m.Steps = append(m.Steps,
			spoor.Step{From: id(i), To: id((i + 1) % n), OnToolStatus: spoor.Statuses{spoor.Denied}},
			spoor.Step{From: id(i), To: id((i + 2) % n), OnToolReturn: "rate",
				Guard: guard.Guard{guard.In("risk", "high", "critical"), guard.Gte("score", 0.7), guard.Lte("iteration", 5)}},
			spoor.Step{From: id(i), To: id((i + 3) % n), OnToolReturn: "lookup"})
	}
	return m
}

func id(i int) string { return fmt.Sprint("skill-", i) }

// hops are the decisions that a walk makes. The text is that of a tool.
var hops = []struct {
	name, tool, text string
	by               spoor.Cause
	allocs           int
}{
	{"hop", "lookup", `{"risk":"low","score":0.31}`, spoor.ByRoute, 0},
	{"guarded", "rate", `{"risk":"high","score":0.82}`, spoor.ByRoute, 2},
	{"closed", "rate", `{"risk":"low","score":0.31}`, spoor.ByStay, 2},
	{"refused", "other", `{"risk":"low","score":0.31}`, spoor.ByStay, 0}, // no step matches
	{"stay", "", "", spoor.ByStay, 0},                                    // no result
}

func facts(cursor, tool, text string) spoor.Facts {
	f := spoor.Facts{Iteration: 2, UserMessage: "I want a refund", Cursor: cursor}
	if tool != "" {
		f.Results = []spoor.Result{{Tool: tool, CallID: "i1.1", Executed: true, Text: text}}
	}
	return f
}

// BenchmarkNext is one decision. A hop on maps of 10, 100, 1,000 and 10,000
// skills with three steps each costs the same within 2 times, and a refusal no
// more than a success: resolving a move costs the steps out of the cursor, not
// the size of the map.
func BenchmarkNext(b *testing.B) {
	for _, h := range hops {
		for _, n := range []int{10, 100, 1000, 10000} {
			b.Run(fmt.Sprintf("%s/skills=%d", h.name, n), func(b *testing.B) {
				g := compile(b, ring(n))
				f := facts(id(n/2), h.tool, h.text)
				if m := g.Next(f); m.By != h.by {
					b.Fatalf("got %+v, want %s", m, h.by)
				}
				b.ReportAllocs()
				for b.Loop() {
					g.Next(f)
				}
			})
		}
	}
}

// BenchmarkWalk hops on and on, so that every decision is made in another
// place.
func BenchmarkWalk(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10000} {
		b.Run(fmt.Sprintf("skills=%d", n), func(b *testing.B) {
			g := compile(b, ring(n))
			f := facts(id(0), "lookup", `{"risk":"low","score":0.31}`)
			b.ReportAllocs()
			for b.Loop() {
				f.Cursor = g.Next(f).To
			}
		})
	}
}

// BenchmarkCompile is a whole map.
func BenchmarkCompile(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10000} {
		b.Run(fmt.Sprintf("skills=%d", n), func(b *testing.B) {
			m := ring(n)
			b.ReportAllocs()
			for b.Loop() {
				compile(b, m)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/skill")
		})
	}
}

// What a decision may allocate does not grow with the map.
func TestNextAllocatesOnlyEvidence(t *testing.T) {
	g := compile(t, ring(100))
	for _, h := range hops {
		f := facts(id(50), h.tool, h.text)
		if got := testing.AllocsPerRun(100, func() { g.Next(f) }); got > float64(h.allocs) {
			t.Errorf("%s: %v allocations, want %d at most", h.name, got, h.allocs)
		}
	}
}
