package agent_test

import (
	"context"
	"fmt"
	"time"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/model/script"
	"github.com/spoorhq/spoor/tool"
)

// Limits of a turn. A model that never stops calling is offered no tools once
// it has made so many calls, and answers with what it has.
func ExampleConfig_limits() {
	type None struct{}
	calls := 0
	read := tool.New("read_port", "Read the counters of a port.", func(context.Context, None) (int, error) {
		calls++
		return calls, nil
	})
	a := must(agent.New(agent.Config{
		Map: &spoor.Map{
			Skills: []spoor.Skill{{ID: "ports", Description: "Watch the ports.", Tools: []string{"read_port"}}},
			Start:  spoor.Start{Use: "ports"}},
		Model: must(script.New(
			script.Rule{If: "'read_port' in offered", Call: []script.Call{{Tool: "read_port", Args: `{}`}}},
			script.Rule{If: "true", Say: "I have read it ${size(results)} times."})),
		Tools:         []tool.Tool{read},
		MaxIterations: 50, // model calls
		Limits: spoor.Limits{
			ToolCalls: 3,
			Time:      time.Minute,
			Cost:      0.50, // in the unit of the prices, which are for a million tokens
			Prices:    []spoor.Price{{Model: "", Input: 3, Output: 15}},
		},
	}))
	run := must(a.Run(context.Background(), "How are the ports?"))
	fmt.Println(run.Answer)
	fmt.Println("limited:", run.Limited, run.Limit)
	// Output:
	// I have read it 3 times.
	// limited: true tool-calls
}
