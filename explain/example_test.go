package explain_test

import (
	"context"
	"fmt"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/tool"
)

// walked is a turn that has been walked.
func walked() *recording.Recording {
	a, err := agent.New(agent.Config{
		Map: &spoor.Map{
			Skills: []spoor.Skill{
				{ID: "triage", Body: "Rate the order with assess_risk.", Tools: []string{"assess_risk"}},
				{ID: "escalation", Body: "Say who takes over, and why."},
			},
			Start: spoor.Start{Rules: []spoor.Rule{{Use: "triage", Match: match.Keywords("refund", "charged")}}},
			Steps: []spoor.Step{{From: "triage", To: "escalation", OnToolReturn: "assess_risk",
				Guard: guard.Guard{guard.In("riskLevel", "high", "critical"), guard.Gte("score", 0.7)}}},
		},
		Model: &script{[][]model.Part{
			call("assess_risk", `{"orderId":17}`),
			say("I rated it: the risk is medium."),
		}},
		Tools: []tool.Tool{returns("assess_risk", `{"riskLevel":"medium","score":0.41}`)},
	})
	if err != nil {
		panic(err)
	}
	run, err := a.Run(context.Background(), "I was charged twice for order 17.")
	if err != nil {
		panic(err)
	}
	return run.Recording
}

func ExampleSpan() {
	fmt.Print(explain.Span(walked(), "medium"))
	// Output:
	// "medium" stands in the answer, bytes 24–30.
	//
	//   from $.riskLevel of the result of i1.1 assess_risk {"orderId":17}, bytes 14–20 (fact)
	//     {"riskLevel":"medium","score":0.41}
	//                   ^^^^^^
	//   how it got there:
	//     event 9    the model answered
	//     event 8    it was asked with 5 parts; this is part 4
	//     event 6    i1.1 assess_risk returned {"riskLevel":"medium","score":0.41}
	//     event 4    in triage the model asked for i1.1 assess_risk {"orderId":17}
	//                $.orderId "17" from the message, bytes 30–32 (fact)
	//     event 2    iteration 1: start.rules[0] claimed the message by "charged" and started in
	//                triage
	//     event 1    the message: "I was charged twice for order 17."
}

func ExampleNotSkill() {
	fmt.Print(explain.NotSkill(walked(), "escalation"))
	// Output:
	// "escalation" was not entered. The walk made 2 moves:
	//
	// iteration 1, event 2: the walk stood nowhere, and went to triage.
	//   escalation is no entry, and the walk stood nowhere (not reached)
	//
	// iteration 2, event 7: the walk stood in triage, and stayed.
	//   steps[0]: its guard was shut on i1.1 assess_risk: riskLevel = medium: wanted in [high,
	//     critical]; score = 0.41: wanted ≥ 0.7 (fact)
	//   read_skill: the model did not ask to read it, though it could (fact)
}
