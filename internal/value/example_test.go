package value_test

import (
	"fmt"

	"github.com/spoorhq/spoor/internal/value"
)

func Example() {
	answer := "On 30 November we refunded €1,299.00, which is 25 % of order R-17."
	result := `{"order": "r-17", "amountCents": 129900, "share": 0.25, "at": "2026-11-30T22:06:04Z"}`
	for _, a := range value.Scan(answer) {
		for _, b := range value.Scan(result) {
			if how := value.Same(a, b); how != value.None {
				fmt.Printf("%q: %q, %s\n", a.Text(), b.Text(), how)
			}
		}
	}
	// Output:
	// "30 November": "2026-11-30T22:06:04Z", partial
	// "€1,299.00": "129900", bare
	// "25 %": "0.25", unit
	// "R-17": "r-17", equal
}

func ExampleScan() {
	for _, v := range value.Scan("forty-two of 1,234 took 1h30m until 2:05 pm on 11/30/2026 (v1.2.3)") {
		fmt.Println(v.Kind, v)
	}
	// Output:
	// number 42
	// number 1234
	// duration 90 min
	// clock 14:05
	// date 2026-11-30
	// id 1.2.3
}

func ExampleValue_Under() {
	refund := value.Scan("€1,299.00")[0]
	cents := value.Scan("129900")[0]
	fmt.Println(cents.Under("amountCents"), value.Same(refund, cents.Under("amountCents")))
	fmt.Println(value.Scan("1796076364")[0].Under("created_at"))
	// Output:
	// ¢ 129900 unit
	// 2026-11-30T22:06:04Z
}

func ExampleDerive() {
	list := value.Scan("[1041, 959, 8000]")
	for _, answer := range []string{"10,000", "2,000", "12 %", "three"} {
		ways, _ := value.Derive(value.Scan(answer)[0], list, 1000)
		for _, w := range ways {
			fmt.Println(answer, "is the", w.Op, "of", w.Of, "=", w.Result)
		}
	}
	// Output:
	// 10,000 is the sum of [0 1 2] = 10000
	// 2,000 is the sum of [0 1] = 2000
	// 12 % is the share of [1 2] = 11.9875
	// three is the count of [0 1 2] = 3
}
