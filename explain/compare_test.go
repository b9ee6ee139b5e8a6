package explain_test

import (
	"strings"
	"testing"

	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/recording"
)

func TestCompare(t *testing.T) {
	safe := wrong(t, staleLine)
	for _, test := range []struct {
		name string
		b    *recording.Recording
	}{
		{"same", wrong(t, staleLine)},
		{"result", run(t, desk(staleLine), map[string]string{"assess_risk": `{"orderId":17,"riskLevel":"high","score":0.91}`}, question,
			call("lookup_order", `{"orderId":17}`),
			call("assess_risk", `{"orderId":17}`),
			call("open_case", `{"orderId":17}`),
			say("The team payments takes over: case C-1001."))},
		{"body", wrong(t, "- Customers can ask for a refund within 30 days of delivery.")},
		{"inserted", run(t, desk(staleLine), nil, question,
			call("lookup_order", `{"orderId":17}`),
			call("lookup_order", `{"orderId":71}`),
			call("assess_risk", `{"orderId":17}`),
			call("check_refund", `{"orderId":17}`),
			say(strings.TrimPrefix(staleLine, "- ")+" Order 17 arrived 42 days ago, so there is still time."))},
		{"person", run(t, desk(staleLine), nil, "Can I talk to a lawyer?", say("Yes."))},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := explain.Compare(safe, test.b)
			got := strings.NewReplacer(safe.Run, "RUN-A", test.b.Run, "RUN-B").Replace(c.String())
			golden(t, "compare-"+test.name+".txt", got)

		})
	}
}
