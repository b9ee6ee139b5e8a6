package draw_test

import (
	"fmt"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/draw"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
)

func desk() *spoor.Graph {
	g, err := spoor.Compile(&spoor.Map{
		Skills: []spoor.Skill{{ID: "triage"}, {ID: "billing"}, {ID: "escalation"}, {ID: "manners"}},
		Start:  spoor.Start{Rules: []spoor.Rule{{Use: "triage", Match: match.Keywords("refund", "charge")}}},
		Steps: []spoor.Step{
			{From: "triage", To: "escalation", Guard: guard.Guard{guard.Gte("score", 0.7)}},
			{From: "triage", To: "billing", OnToolReturn: "lookup_order", Label: "found"},
			{From: "billing", To: "escalation"}},
	}, nil)
	if err != nil {
		panic(err)
	}
	return g
}

func ExampleMermaid() {
	fmt.Print(draw.Mermaid(desk(), nil))
	// Output:
	// flowchart TB
	//     start(["start"])
	//     n0["triage"]
	//     n1["billing"]
	//     n2["escalation"]
	//     subgraph open["read from anywhere"]
	//         n3["manners"]
	//     end
	//     start -->|"refund, charge"| n0
	//     n0 -->|"when score ≥ 0.7"| n2
	//     n0 -->|"found"| n1
	//     n1 -.-> n2
}

// The moves of a recording, all its turns together, are laid over the map.
func ExampleOf() {
	w := draw.Of([]spoor.Move{
		{To: "triage", By: spoor.ByEntry, Ref: "start.rules[0]"},
		{From: "triage", To: "triage", By: spoor.ByStay, Closed: []spoor.Judgement{{Ref: "steps[0]"}}},
		{From: "triage", To: "billing", By: spoor.ByRoute, Ref: "steps[1]", Closed: []spoor.Judgement{{Ref: "steps[0]"}}},
		{From: "billing", To: "triage", By: spoor.ByProposal},
	})
	fmt.Print(draw.Mermaid(desk(), w))
	// Output:
	// flowchart TB
	//     start(["start"])
	//     n0[["triage ×3"]]
	//     n1["billing ×1"]
	//     n2["escalation"]
	//     subgraph open["read from anywhere"]
	//         n3["manners"]
	//     end
	//     start ==>|"refund, charge ×1"| n0
	//     n0 --x|"when score ≥ 0.7 (shut ×2)"| n2
	//     n0 ==>|"found ×1"| n1
	//     n1 -.-> n2
	//     n1 -.-o|"tool-proposal ×1"| n0
	//     classDef visited fill:#d0ebff,stroke:#1864ab,stroke-width:2px,color:#000
	//     class n1 visited
	//     classDef here fill:#a5d8ff,stroke:#1864ab,stroke-width:4px,color:#000
	//     class n0 here
	//     linkStyle 0,2 stroke:#1c7ed6,stroke-width:3px
	//     linkStyle 1 stroke:#e03131
	//     linkStyle 4 stroke:#1c7ed6,stroke-width:2px,stroke-dasharray:2
}

func ExampleDOT() {
	g, err := spoor.Compile(&spoor.Map{
		Skills: []spoor.Skill{{ID: "triage", Description: "Rate a request."}},
		Start:  spoor.Start{Use: "triage"},
	}, nil)
	if err != nil {
		panic(err)
	}
	fmt.Print(draw.DOT(g, nil))
	// Output:
	// digraph spoor {
	// 	graph [rankdir=TB, nodesep=0.35, ranksep=0.55, pad=0.2, fontname="Helvetica,Arial,sans-serif", fontsize=10, fontcolor="#495057"]
	// 	node [shape=box, style="rounded,filled", fillcolor="#f8f9fa", color="#868e96", fontname="Helvetica,Arial,sans-serif", fontsize=11, margin="0.15,0.07", height=0.4]
	// 	edge [color="#868e96", fontcolor="#343a40", fontname="Helvetica,Arial,sans-serif", fontsize=9, arrowsize=0.7]
	// 	start [label="", shape=circle, style=filled, fillcolor="#343a40", color="#343a40", height=0.18, fixedsize=true, tooltip="a turn starts here"]
	// 	n0 [label="triage", tooltip="Rate a request."]
	// 	start -> n0 [tooltip="start.use: unconditional"]
	// }
}
