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

// escalated is a turn that has been handed over.
func escalated() *recording.Recording {
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
			call("assess_risk", `{"orderId":17}`, "read_skill", `{"id":"legal"}`),
			say("A person takes over."),
		}},
		Tools: []tool.Tool{returns("assess_risk", `{"riskLevel":"high","score":0.9}`)},
	})
	if err != nil {
		panic(err)
	}
	run, err := a.Run(context.Background(), "I was charged twice for order 17.")
	if err != nil {
		panic(err)
	}
	run.Recording.Run = "RUN"
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
	//     it would have led there with start.rules[1] added, which starts in escalation, and
	//       start.rules[1] above start.rules[0] (counterfactual)
	//
	// iteration 2, event 7: the walk stood in triage, and stayed.
	//   steps[0]: its guard was shut on i1.1 assess_risk: riskLevel = medium: wanted in [high,
	//     critical]; score = 0.41: wanted ≥ 0.7 (fact)
	//     it would have led there with riskLevel "high" instead of "medium" and score 0.7 instead of
	//       0.41 in the result of i1.1 assess_risk (counterfactual)
	//     or with steps[0].guard[0] riskLevel in [high, critical, medium] instead of riskLevel in
	//       [high, critical], and steps[0].guard[1] score ≥ 0.41 instead of score ≥ 0.7
	//       (counterfactual)
	//   read_skill: the model did not ask to read it, though it could (fact)
	//     it would have led there with the model asking to read escalation (counterfactual)
}

func ExampleHistory() {
	fmt.Print(explain.History(escalated()))
	// Output:
	// Run RUN: 2 hops in 1 turn, 1 rejection
	//
	// Turn 1
	//   event 2     1  nowhere → triage     start  start.rules[0], by "charged"
	//   event 7     2  triage → escalation  guard  steps[0], i1.1 assess_risk
	//                riskLevel = high: passed in [high, critical]
	//                score = 0.9: passed ≥ 0.7
	//   event 8     2  i1.2 read_skill legal was rejected; from triage these can be read: escalation
	//
	// hops: start 1, guard 1
	// edges: nowhere → triage 1, triage → escalation 1
	// skills: triage 1 iteration, entered once; escalation 1 iteration, entered once
}

func ExampleCall() {
	fmt.Print(explain.Call(escalated(), 2))
	// Output:
	// Model call 2 of 2, event 9, iteration 2: to answer, in escalation
	//   why: iteration 2: assess_risk led from triage to escalation by steps[0] (fact)
	//
	//   what had come back:
	//     event 6    i1.1 assess_risk returned {"riskLevel":"high","score":0.9}
	//
	//   what it was asked, 7 parts with 244 bytes, and since which call; 6 of them new:
	//        1  new     system text, 28 bytes: the body of "escalation"
	//                   Say who takes over, and why.
	//        2  call 1  user text, 33 bytes: the message, event 1
	//                   I was charged twice for order 17.
	//        3  new     assistant call i1.1 assess_risk, 14 bytes: what the model said, event 4
	//                   {"orderId":17}
	//        4  new     assistant call i1.2 read_skill, 14 bytes: what the model said, event 4
	//                   {"id":"legal"}
	//        5  new     tool result i1.1 assess_risk, 32 bytes: what came back, event 6
	//                   {"riskLevel":"high","score":0.9}
	//        6  new     tool result i1.2 read_skill, 69 bytes: what came back, event 8
	//                   "legal" is not in reach. These can be read from "triage": escalation.
	//        7  new     system menu, 54 bytes: where the model may go
	//                   You can move to these skills with read_skill: - triage
	//
	//   what was dropped, though the call before had it:
	//     - system text, 32 bytes: the body of "triage", since call 1; triage is not active any more:
	//       iteration 2: assess_risk led from triage to escalation by steps[0] (derived)
	//     - system menu, 58 bytes: where the model may go, since call 1; another menu took its place
	//       (derived)
	//
	//   what it may call:
	//     read_skill, which is the walk's own
	//     assess_risk, which triage brings wherever the walk stands
	//
	//   what came back:
	//     event 10   the model answered "A person takes over."
	//
	//   what followed:
	//     event 11   the turn ended with an answer
	//
	//   how the walk got there:
	//     event 7    iteration 2: assess_risk led from triage to escalation by steps[0]
	//                  riskLevel = high: passed in [high, critical]
	//                  score = 0.9: passed ≥ 0.7
	//     event 6    i1.1 assess_risk returned {"riskLevel":"high","score":0.9}
	//     event 4    in triage the model asked for i1.1 assess_risk {"orderId":17}
	//     event 2    iteration 1: start.rules[0] claimed the message by "charged" and started in
	//                triage
	//     event 1    the message: "I was charged twice for order 17."
}

// A story in words of the caller's own: what is left out is told as ever.
func ExampleNewWords() {
	words, err := explain.NewWords(map[string]string{
		"message": "The customer wrote {message}",
		"moved":   "Step {iteration}: {move}",
		"route":   "{from} handed over to {to}, because of {tool}",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, line := range words.Narrate(escalated()).Lines {
		if line.Depth == 0 {
			fmt.Println(line.Text)
		}
	}
	_, err = explain.NewWords(map[string]string{"mesage": "{message}", "moved": "{step}: {move}"})
	fmt.Println(err)
	// Output:
	// The customer wrote "I was charged twice for order 17."
	// Step 1: start.rules[0] claimed the message by "charged" and started in triage
	// the model is asked, with 3 parts and the tools read_skill, assess_risk
	// the model asked for i1.1 assess_risk {"orderId":17}
	// the model asked for i1.2 read_skill {"id":"legal"}
	// handed over: i1.1
	// i1.1 assess_risk returned {"riskLevel":"high","score":0.9}
	// Step 2: triage handed over to escalation, because of assess_risk
	// i1.2 read_skill legal was rejected; from triage these can be read: escalation
	// the model is asked, with 7 parts and the tools read_skill, assess_risk
	// the model answered "A person takes over."
	// the turn ended with an answer
	// "mesage": unknown-template: no template of a story has this name (did you mean "message"?)
	// "moved": unknown-placeholder: this template has no value "step" (it has {iteration}, {move})
}
