package agent_test

import (
	"context"
	"fmt"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/model/script"
	"github.com/spoorhq/spoor/tool"
)

// A tool that asks a person. The turn pauses, for as long as it takes, and goes
// on with the answer; here in the same process, but a recording that a Store
// keeps will do in any other.
func ExampleAgent_Resume() {
	type Refund struct {
		Order int64   `json:"order"`
		Euros float64 `json:"euros"`
	}
	refund := tool.New("refund", "Pay an order back.", func(ctx context.Context, r Refund) (string, error) {
		if r.Euros > 100 {
			said, ok := tool.Answer(ctx)
			if !ok {
				return "", &tool.Question{Text: fmt.Sprintf("May order %d be refunded, %v €?", r.Order, r.Euros)}
			}
			return "refunded: " + said, nil
		}
		return "refunded", nil
	})
	a := must(agent.New(agent.Config{
		Map: &spoor.Map{
			Skills: []spoor.Skill{{ID: "desk", Description: "Take refunds.", Tools: []string{"refund"}}},
			Start:  spoor.Start{Use: "desk"}},
		Model: must(script.New(
			script.Rule{If: "size(results) == 0", Call: []script.Call{{Tool: "refund", Args: `{"order": 17, "euros": 250}`}}},
			script.Rule{If: "true", Say: "Order 17 is ${results[0].text}."})),
		Tools: []tool.Tool{refund},
	}))

	run := must(a.Run(context.Background(), "I want my money back"))
	fmt.Println(run.Question.Tool, "asks:", run.Question.Text)

	run = must(a.Resume(context.Background(), run.Recording, &agent.Answer{Text: "yes, as a courtesy"}))
	fmt.Println(run.Answer)
	// Output:
	// refund asks: May order 17 be refunded, 250 €?
	// Order 17 is refunded: yes, as a courtesy.
}
