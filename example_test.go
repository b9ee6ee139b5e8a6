package spoor_test

import (
	"fmt"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
)

func ExampleCompile() {
	_, err := spoor.Compile(&spoor.Map{
		Skills: []spoor.Skill{{ID: "triage"}, {ID: "escalation"}},
		Start:  spoor.Start{Rules: []spoor.Rule{{Use: "trage", Match: match.Keywords("refund")}}},
		Steps: []spoor.Step{
			{From: "triage", To: "escalation", OnToolStatus: spoor.Statuses{"sucess"}},
			{From: "triage", To: "escalation", Guard: guard.Guard{guard.Gte("score", nil)}},
		},
	}, nil)
	for _, p := range err.(spoor.Problems) {
		fmt.Printf("%s at %s\n  %s; %s\n", p.Code, p.Ref, p.Message, p.Hint)
	}
	// Output:
	// unknown-skill at start.rules[0].use
	//   there is no skill "trage"; did you mean "triage"?
	// bad-status at steps[0].onToolStatus[0]
	//   "sucess" is not a status; did you mean "success"?
	// bad-guard at steps[1].guard[0]
	//   score: gte compares with null; what has no order is compared with eq or ne
}

// desk rates a request and hands a risky one to a person.
var desk = &spoor.Map{
	Skills: []spoor.Skill{{ID: "triage"}, {ID: "escalation"}, {ID: "billing"}},
	Start:  spoor.Start{Rules: []spoor.Rule{{Use: "triage", Match: match.Keywords("refund", "charged")}}},
	Steps: []spoor.Step{
		{From: "triage", To: "billing", OnToolStatus: spoor.Statuses{spoor.Absent}},
		{From: "triage", To: "escalation", OnToolReturn: "assess_risk",
			Guard: guard.Guard{guard.In("riskLevel", "high", "critical"), guard.Gte("score", 0.7)}},
		{From: "escalation", To: "billing"},
	},
}

func ExampleGraph_Next() {
	g, err := spoor.Compile(desk, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	start := g.Next(spoor.Facts{Iteration: 1, UserMessage: "I was charged twice"})
	fmt.Printf("%s to %s by %s, on %q\n", start.By, start.To, start.Ref, start.Witness.Text)

	for _, answer := range []string{`{"riskLevel": "high", "score": 0.4}`, `{"riskLevel": "high", "score": 0.82}`} {
		move := g.Next(spoor.Facts{
			Iteration: 2, UserMessage: "I was charged twice", Cursor: start.To,
			Results: []spoor.Result{{Tool: "assess_risk", CallID: "i1.1", Executed: true, Text: answer}},
		})
		fmt.Println(move.By, "to", move.To)
		if move.Guard != nil {
			for _, e := range move.Guard.Conditions {
				fmt.Println("  open:", e)
			}
		}
		for _, closed := range move.Closed {
			for _, e := range closed.Conditions {
				fmt.Println("  closed:", e)
			}
		}
	}
	// Output:
	// entry to triage by start.rules[0], on "charged"
	// stay to triage
	//   closed: riskLevel = high: passed in [high, critical]
	//   closed: score = 0.4: wanted ≥ 0.7
	// route to escalation
	//   open: riskLevel = high: passed in [high, critical]
	//   open: score = 0.82: passed ≥ 0.7
}

func ExampleGraph_Reachable() {
	g, err := spoor.Compile(desk, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("cold:", g.Reachable(""))
	fmt.Println("from triage:", g.Reachable("triage"))
	fmt.Println("from escalation:", g.Reachable("escalation"))
	// Output:
	// cold: [triage]
	// from triage: [billing escalation]
	// from escalation: [billing triage]
}

func ExampleGraph_Classify() {
	g, err := spoor.Compile(desk, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, target := range []string{"escalation", "triage", "billing", "sales"} {
		fmt.Println(target, "is", g.Classify("escalation", target))
	}
	// Output:
	// escalation is self
	// triage is hop
	// billing is hop
	// sales is unreachable
}
