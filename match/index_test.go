package match_test

import (
	"fmt"

	"github.com/spoorhq/spoor/match"
)

func ExampleCompiled_Parts() {
	c, _ := match.Compile(match.All(match.Regex(`order #\d+`, "gi"), match.Keywords("Refund", "charged twice", "refund")))
	for part := range c.Parts() {
		fmt.Printf("%q %q %q\n", part.Regex, part.Flags, part.Keywords)
	}
	// Output:
	// "order #\\d+" "i" []
	// "" "" ["charged twice" "refund"]
}
