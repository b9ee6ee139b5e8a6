package agent_test

import (
	"context"
	"fmt"
	"log"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
	"github.com/spoorhq/spoor/model/script"
	"github.com/spoorhq/spoor/tool"
)

type Order struct {
	ID int64 `json:"orderId"`
}
type Risk struct {
	Level string  `json:"riskLevel"`
	Score float64 `json:"score"`
}

func assess(context.Context, Order) (Risk, error) { return Risk{"high", 0.65}, nil }

func Example() {
	desk := &spoor.Map{
		Skills: []spoor.Skill{
			{ID: "triage", Description: "Rate a request.", Body: "Call assess_risk(orderId).", Tools: []string{"assess_risk"}},
			{ID: "escalation", Description: "Hand over to a person.", Body: "Say who takes over, and why."}},
		Start: spoor.Start{Rules: []spoor.Rule{{Use: "triage", Match: match.Keywords("refund", "charged")}}},
		Steps: []spoor.Step{{From: "triage", To: "escalation", OnToolReturn: "assess_risk",
			Guard: guard.Guard{guard.In("riskLevel", "high", "critical"), guard.Gte("score", 0.7)}}}}
	m := must(script.New( // in place of a model: rules that see the request, and nothing else
		script.Rule{If: "size(results) == 0", Call: []script.Call{{Tool: "assess_risk", Args: `{"orderId": 17}`}}},
		script.Rule{If: "true", Say: "Order 17 is rated ${results[0].json.riskLevel}, ${results[0].json.score}."}))
	a := must(agent.New(agent.Config{Map: desk, Model: m, Tools: []tool.Tool{tool.New("assess_risk", "Rate an order.", assess)}}))
	run := must(a.Run(context.Background(), "I was charged twice for order 17"))
	fmt.Println(run.Answer)
	fmt.Println(explain.Span(run.Recording, "0.65"))
	fmt.Println(explain.NotSkill(run.Recording, "escalation"))

	// Output:
	// Order 17 is rated high, 0.65.
	// "0.65" stands in the answer, bytes 24–28.
	//
	//   from $.score of the result of i1.1 assess_risk {"orderId":17}, bytes 28–32 (fact; beside
	//     "high")
	//     {"riskLevel":"high","score":0.65}
	//                                 ^^^^
	//   how it got there:
	//     event 9    the model answered
	//     event 8    it was asked with 5 parts; this is part 4
	//     event 6    i1.1 assess_risk returned {"riskLevel":"high","score":0.65}
	//     event 4    in triage the model asked for i1.1 assess_risk {"orderId":17}
	//                $.orderId "17" from the message, bytes 30–32 (fact)
	//     event 2    iteration 1: start.rules[0] claimed the message by "charged" and started in
	//                triage
	//     event 1    the message: "I was charged twice for order 17"
	//
	// "escalation" was not entered. The walk made 2 moves:
	//
	// iteration 1, event 2: the walk stood nowhere, and went to triage.
	//   escalation is no entry, and the walk stood nowhere (not reached)
	//     it would have led there with start.rules[1] added, which starts in escalation, and
	//       start.rules[1] above start.rules[0] (counterfactual)
	//
	// iteration 2, event 7: the walk stood in triage, and stayed.
	//   steps[0]: its guard was shut on i1.1 assess_risk: score = 0.65: wanted ≥ 0.7 (fact)
	//     it would have led there with score 0.7 instead of 0.65 in the result of i1.1 assess_risk
	//       (counterfactual)
	//     or with steps[0].guard[1] score ≥ 0.65 instead of score ≥ 0.7 (counterfactual)
	//   read_skill: the model did not ask to read it, though it could (fact)
	//     it would have led there with the model asking to read escalation (counterfactual)
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
