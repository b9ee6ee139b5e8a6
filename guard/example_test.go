package guard_test

import (
	"encoding/json"
	"fmt"

	"github.com/spoorhq/spoor/guard"
)

// A guard is data, a verdict is its reasons.
func Example() {
	c, _ := guard.Compile(guard.Guard{
		guard.In("riskLevel", "high", "critical"),
		guard.Gte("score", 0.7),
		guard.Lte("iteration", 5),
	}, nil)

	v := c.Evaluate(&guard.View{
		ToolName:  "assess_risk",
		Result:    `{"riskLevel": "high", "score": "0.9"}`,
		Iteration: 2,
	})
	fmt.Println(v.Passed)
	for _, e := range v.Conditions {
		fmt.Println(e)
	}
	// Output:
	// false
	// riskLevel = high: passed in [high, critical]
	// score = "0.9": wanted ≥ 0.7
	// iteration = 2: passed ≤ 5
}

// Compile names every fault at once.
func ExampleCompile() {
	var g guard.Guard
	json.Unmarshal([]byte(`{"score": {"gle": 0.7}, "riskLevel": {"in": []}, "ok": {"gt": true}}`), &g)

	_, faults := guard.Compile(g, nil)
	for _, f := range faults {
		fmt.Println(f.Message)
		fmt.Println("  ", f.Hint)
	}
	// Output:
	// score: there is no operator "gle"
	//    did you mean gte?
	// riskLevel: in has an empty list
	//    list strings, numbers, booleans or null
	// ok: gt compares with true
	//    what has no order is compared with eq or ne
}

// With a scale, words are ordered by what they mean, not by their letters.
func ExampleScales() {
	g := guard.Guard{guard.Gte("riskLevel", "high")}
	letters, _ := guard.Compile(g, nil)
	ranks, _ := guard.Compile(g, guard.Scales{"riskLevel": {"low", "medium", "high", "critical"}})

	for _, result := range []string{`{"riskLevel": "low"}`, `{"riskLevel": "critical"}`, `{"riskLevel": "High"}`} {
		v := guard.View{Result: result}
		fmt.Println(letters.Holds(&v), ranks.Evaluate(&v).Conditions[0])
	}
	// Output:
	// true riskLevel = low: wanted ≥ high
	// false riskLevel = critical: passed ≥ high
	// false riskLevel = High: wanted ≥ high, by a scale that does not have this value
}

// A guard that no result can pass says why.
func ExampleCompiled_Unsatisfiable() {
	c, _ := guard.Compile(guard.Guard{
		guard.Gt("iteration", 1),
		guard.Ne("iteration", 7),
		guard.Lt("iteration", 2),
	}, nil)
	reason, _ := c.Unsatisfiable(guard.Domain{})
	fmt.Println(reason)
	// Output:
	// iteration > 1 and iteration < 2 cannot hold together: iteration is a whole number from 1
}

// What a result would have needed: the value nearest to what it had.
func ExampleValues() {
	c, _ := guard.Compile(guard.Guard{guard.Gte("score", 0.7)}, nil)
	for _, v := range guard.Values("score", guard.Of(0.65), guard.Domain{}, c) {
		view := guard.View{Result: fmt.Sprintf(`{"score": %s}`, v.AppendJSON(nil))}
		if c.Holds(&view) {
			fmt.Println(v)
			break
		}
	}
	// Output:
	// 0.7
}

// Several guards on one result read it once.
func ExampleFields() {
	risky, _ := guard.Compile(guard.Guard{guard.Gte("score", 0.7)}, nil)
	paid, _ := guard.Compile(guard.Guard{guard.Eq("state", "paid")}, nil)

	result := `{"state": "paid", "score": 0.2}`
	v := guard.View{Result: result}
	v.Fields.Read(result, append(risky.Keys(), paid.Keys()...))
	fmt.Println(risky.Holds(&v), paid.Holds(&v))
	// Output:
	// false true
}

func ExampleGuard_Caption() {
	g := guard.Guard{guard.Gte("riskLevel", "high"), guard.Lte("iteration", 5)}
	fmt.Println(g.Caption())
	// Output:
	// riskLevel ≥ high AND iteration ≤ 5
}
