package recording_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
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

// An iteration costs the same in a turn of 10 calls and in one of 100, besides
// new content: a guard of three conditions is judged in each and refuses. What
// counts is all lines but the content in them: events, running hashes, and the
// names of the pieces. Where each result is the one before, all of that is less
// than 1 KB.
func TestAnIterationIsSmall(t *testing.T) {
	for _, c := range []struct {
		calls   int
		repeats bool // the results, and so what the guard sees
		most    int  // bytes an iteration
	}{
		{10, false, 1536}, {100, false, 1536}, {32, true, 1024},
	} {
		calls, third := c.calls, guard.Lte("iteration", 5)
		if c.repeats {
			third = guard.Ne("order", 17)
		}
		store := &recording.Folder{Dir: t.TempDir()}
		a, err := agent.New(agent.Config{
			Map: &spoor.Map{
				Skills: []spoor.Skill{
					{ID: "triage", Description: "Rate a request.", Body: "Look the order up.", Tools: []string{"lookup"}},
					{ID: "escalation", Description: "Hand over to a person.", Body: "Say who takes over."}},
				Start: spoor.Start{Rules: []spoor.Rule{{Use: "triage", Match: match.Keywords("refund", "charged")}}},
				Steps: []spoor.Step{{From: "triage", To: "escalation", OnToolReturn: "lookup",
					Guard: guard.Guard{guard.In("riskLevel", "high", "critical"), guard.Gte("score", 0.7), third}}},
			},
			Model: counter(calls),
			Tools: []tool.Tool{{Name: "lookup", Call: func(_ context.Context, args string) (tool.Result, error) {
				if c.repeats {
					args = "7"
				}
				return tool.Result{Text: `{"riskLevel":"low","score":0.31,"order":` + args + `,"notes":["` + strings.Repeat("x", 164) + `"]}`}, nil
			}}},
			MaxIterations: calls + 2,
			Store:         store,
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Run(context.Background(), "I was charged twice"); err != nil {
			t.Fatal(err)
		}
		path, err := store.Find("last")
		if err != nil {
			t.Fatal(err)
		}
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sizes := map[string]int{}
		for line := range bytes.Lines(file) {
			var v struct{ Kind, Piece, Text, Hash string }
			if err := json.Unmarshal(line, &v); err != nil {
				t.Fatal(err)
			}
			switch {
			case v.Piece != "":
				content, _ := json.Marshal(v.Text)
				sizes["names of pieces"] += len(line) - len(content)
			case v.Hash != "":
				sizes["hashes"] += len(line)
			case v.Kind != "" && v.Kind != "started":
				sizes[v.Kind] += len(line)
			}
		}
		sum := 0
		for kind, size := range sizes {
			sizes[kind] = size / (calls + 1)
			sum += size
		}
		sum /= calls + 1
		t.Logf("%d calls: %d bytes an iteration besides content: %v", calls, sum, sizes)
		if sum > c.most {
			t.Errorf("%d calls: %d bytes an iteration, and at most %d are wanted", calls, sum, c.most)
		}
	}
}

// A counter asks for so many calls, each with its own arguments, and then
// answers.
type counter int

func (c counter) Call(_ context.Context, r *model.Request, _ func(model.Delta)) (model.Reply, error) {
	if r.Iteration > int(c) {
		return model.Reply{Parts: []model.Part{{Kind: model.Text, Data: "It is low."}}}, nil
	}
	return model.Reply{Parts: []model.Part{{Kind: model.Call, Tool: "lookup", Data: fmt.Sprintf(`{"id":%d}`, r.Iteration)}}}, nil
}
