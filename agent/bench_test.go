package agent_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/tool"
)

// BenchmarkTurn is a turn of N tool calls, recorded to a file with a write
// before each act: a model and a tool in this process, a result of 231 bytes,
// and a guard of three conditions that is judged in every iteration and
// refuses. ns/iteration and allocs/iteration are those of one model call and
// what its answer caused.
func BenchmarkTurn(b *testing.B) {
	result := `{"riskLevel":"low","score":0.31,"customer":"C-100471","notes":["` + strings.Repeat("x", 164) + `"]}`
	if len(result) != 231 {
		b.Fatal(len(result))
	}
	for _, n := range []int{1, 10, 100, 1000} {
		for _, memory := range []bool{false, true} {
			name := fmt.Sprintf("calls=%d/file", n)
			store := &recording.Folder{Dir: b.TempDir()}
			if memory {
				name, store = fmt.Sprintf("calls=%d/memory", n), nil
			}
			b.Run(name, func(b *testing.B) {
				a, err := agent.New(agent.Config{
					Map: &spoor.Map{
						Skills: []spoor.Skill{
							{ID: "triage", Description: "Rate a request.", Body: "Look the order up.", Tools: []string{"lookup"}},
							{ID: "escalation", Description: "Hand over to a person.", Body: "Say who takes over."}},
						Start: spoor.Start{Rules: []spoor.Rule{{Use: "triage", Match: match.Keywords("refund", "charged")}}},
						Steps: []spoor.Step{{From: "triage", To: "escalation", OnToolReturn: "lookup",
							Guard: guard.Guard{guard.In("riskLevel", "high", "critical"), guard.Gte("score", 0.7), guard.Lte("iteration", 5)}}},
					},
					Model:         &counter{n: n},
					Tools:         []tool.Tool{{Name: "lookup", Call: func(context.Context, string) (tool.Result, error) { return tool.Result{Text: result}, nil }}},
					MaxIterations: n + 2,
					Store:         store,
				})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				before := mallocs()
				for b.Loop() {
					if _, err := a.Run(context.Background(), "I was charged twice"); err != nil {
						b.Fatal(err)
					}
				}
				allocs := float64(mallocs() - before)
				iterations := float64(b.N) * float64(n+1)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/iterations, "ns/iteration")
				b.ReportMetric(allocs/iterations, "allocs/iteration")
			})
		}
	}
}

// A counter asks for n calls, each with its own arguments, and then answers.
type counter struct{ n int }

func (c *counter) Call(_ context.Context, r *model.Request, _ func(model.Delta)) (model.Reply, error) {
	if r.Iteration > c.n {
		return model.Reply{Parts: []model.Part{{Kind: model.Text, Data: "It is low."}}}, nil
	}
	return model.Reply{Parts: []model.Part{{Kind: model.Call, Tool: "lookup", Data: `{"id":` + fmt.Sprint(r.Iteration) + `}`}}}, nil
}

// mallocs counts the allocations of the process.
func mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}

// raced is set by the race detector's build, which allocates on its own account.
var raced bool

// TestTurnAllocates holds the budget of an iteration: 25 allocations, with a
// write before each act, from 10 to 1,000 calls.
func TestTurnAllocates(t *testing.T) {
	for _, calls := range []int{10, 100, 1000} {
		a := newAgent(t, agent.Config{
			Model: &counter{n: calls}, MaxIterations: calls + 2, Store: &recording.Folder{Dir: t.TempDir()},
			Tools: []tool.Tool{rate(`{"risk":"low"}`), {Name: "lookup", Call: func(context.Context, string) (tool.Result, error) { return tool.Result{Text: `{"risk":"low"}`}, nil }}},
		})
		allocs := testing.AllocsPerRun(5, func() {
			if _, err := a.Run(context.Background(), "refund"); err != nil {
				t.Fatal(err)
			}
		})
		if each := allocs / float64(calls+1); each > 25 && !raced {
			t.Errorf("%d calls: %.1f allocations an iteration", calls, each)
		} else {
			t.Logf("%d calls: %.1f allocations an iteration", calls, each)
		}
	}
}
