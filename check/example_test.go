package check_test

import (
	"context"
	"fmt"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/check"
	"github.com/spoorhq/spoor/match"
	"github.com/spoorhq/spoor/score"
)

func ExampleRun() {
	g, err := spoor.Compile(&spoor.Map{
		Skills: []spoor.Skill{{ID: "orders"}, {ID: "refund"}},
		Start: spoor.Start{Rules: []spoor.Rule{
			{Use: "orders", Match: match.Keywords("order")},
			{Use: "refund", Match: match.Keywords("refund"), Examples: spoor.Phrases{"refund my order"}},
		}},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	r := check.Run(g)
	fmt.Println(r.OK)
	for _, p := range r.Problems {
		fmt.Printf("%s\n%s: %s\n%s\n", p.Ref, p.Code, p.Message, p.Hint)
	}
	// Output:
	// false
	// start.rules[1].examples[0]
	// example-shadowed-by-earlier: start.rules[0] ("orders") claims the example "refund my order" of start.rules[1] ("refund") on a cold start (iteration 1, no history, no cursor)
	// put the narrower rule first, or narrow the earlier one
}

func ExampleIntents() {
	g, err := spoor.Compile(&spoor.Map{
		Skills: []spoor.Skill{{ID: "refund"}, {ID: "billing"}},
		Start: spoor.Start{Classify: "keyword", Routing: &score.Policy{NearTieMargin: new(0.05)}, Rules: []spoor.Rule{
			{Use: "refund", Match: match.Intent("wants money back", "give me my money back", "money back, it is broken")},
			{Use: "billing", Match: match.Intent("asks about a bill", "explain this bill", "I pay the money back")},
		}},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(check.IntentCalls(g), "calls")
	r, err := check.Intents(context.Background(), g, "keyword", score.Keyword)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range r.Problems {
		fmt.Printf("%s: %s\n", p.Code, p.Message)
	}
	// Output:
	// 4 calls
	// overlapping-intents: "I pay the money back", an example of start.rules[1] ("billing") and left out of it, scores 0 for "asks about a bill" of start.rules[1] ("billing") and 0.516 for "wants money back" of start.rules[0] ("refund"), which is nearer (scorer keyword)
}
