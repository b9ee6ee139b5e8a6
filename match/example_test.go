package match_test

import (
	"encoding/json"
	"fmt"

	"github.com/spoorhq/spoor/match"
)

func Example() {
	c, faults := match.Compile(match.All(
		match.Regex(`order #\d+`, "i"),
		match.Keywords("late", "overdue"),
	))
	if faults != nil {
		fmt.Println(faults)
		return
	}
	w, ok := c.Match("Where is Order #17? It is late.")
	fmt.Printf("%v %q\n", ok, w.Text)
	w, ok = c.Match("My order is late.")
	fmt.Printf("%v %q\n", ok, w.Text)
	// Output:
	// true "Order #17"
	// false ""
}

func ExampleKeywords() {
	c, _ := match.Compile(match.Keywords("refund", "charged twice"))
	for _, message := range []string{"I was CHARGED TWICE", "no refunds"} {
		w, ok := c.Match(message)
		fmt.Printf("%v text=%q keyword=%q\n", ok, w.Text, w.Keyword)
	}
	// Output:
	// true text="CHARGED TWICE" keyword="charged twice"
	// false text="" keyword=""
}

func ExampleMatch_UnmarshalJSON() {
	var m match.Match
	err := json.Unmarshal([]byte(`{"intent": "customer wants a human", "examples": "get me a person"}`), &m)
	fmt.Println(m.Caption(), m.Examples, err)

	err = json.Unmarshal([]byte(`{"all": [{"keywords": "refund"}]}`), &m)
	fmt.Println(err)
	// Output:
	// intent: customer wants a human [get me a person] <nil>
	// match: all[0].keywords: wants a list of texts
}

func ExampleCompile_faults() {
	_, faults := match.Compile(match.All(
		match.Keywords("refund", " "),
		match.Regex(`^(?!.*password)`, "x"),
	))
	for _, f := range faults {
		fmt.Println(f)
	}
	// Output:
	// all[0].keywords[1]: the keyword is blank (write a word, or remove it)
	// all[1].flags: the flags "x" are not known (use i (either case), s (dot is also a line end), m (^ and $ at line ends))
	// all[1].regex: RE2 has no look-ahead: (?! (`all` says "and": give each condition a part of its own)
}

func ExampleCompare() {
	refunds, _ := match.Compile(match.Keywords("refund", "charge"))
	charges, _ := match.Compile(match.Keywords("charge", "invoice"))
	charge, _ := match.Compile(match.Keywords("Charge"))
	fmt.Println(match.Compare(refunds, charges))
	fmt.Println(match.Compare(refunds, charge))
	// Output:
	// overlaps
	// shadows
}

func ExampleMatch_Mermaid() {
	fmt.Println(match.All(match.Regex("refund|charge", "i"), match.Keywords("late", "overdue", "missing", "lost")).Mermaid())
	// Output:
	// /refund#124;charge/i AND late, overdue, missing, +1 more
}

func ExampleSet() {
	triage, _ := match.Compile(match.Keywords("refund"))
	billing, _ := match.Compile(match.Regex(`\binvoice\b`, "i"))
	orders, _ := match.Compile(match.Keywords("order", "delivery"))
	set := match.NewSet([]*match.Compiled{triage, billing, orders})

	hits := set.Scan("The delivery is here, the Invoice is not.")
	for i := range 3 {
		w, ok := hits.Match(i)
		fmt.Printf("%d %v %q\n", i, ok, w.Text)
	}
	first, w, _ := hits.First(0)
	fmt.Println("first:", first, w.Text)
	// Output:
	// 0 false ""
	// 1 true "Invoice"
	// 2 true "delivery"
	// first: 1 Invoice
}
