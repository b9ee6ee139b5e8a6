package refunddesk

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/spoorhq/spoor/tool"
)

// Tools returns the tools that the map's skills list, and opening_hours, which
// belongs to no skill and is always offered.
func (d *Desk) Tools() []tool.Tool {
	return []tool.Tool{
		newTool("lookup_order", "Look up an order by its number.", d.LookupOrder),
		newTool("assess_risk", "Rate how likely an order is to be fraud.", d.AssessRisk),
		newTool("track_parcel", "Tell where the parcel of an order is.", d.TrackParcel),
		newTool("refund_policy", "Read the refund policy in force.", d.RefundPolicy),
		newTool("check_refund", "Tell what may be paid back for an order, and why.", d.CheckRefund),
		newTool("issue_refund", "Pay back an amount, once an order.", d.IssueRefund),
		newTool("customer_history", "Count the orders, refunds and chargebacks of an order's customer.", d.CustomerHistory),
		newTool("hold_order", "Stop an order until a person has looked at it.", d.HoldOrder),
		newTool("open_case", "Hand a request to a person.", d.OpenCase),
		newTool("record_feedback", "Keep what a customer thinks of the shop.", d.RecordFeedback),
		newTool("opening_hours", "Tell when people answer.", d.OpeningHours),
	}
}

// newTool is tool.New with the schema of the results.
func newTool[In, Out any](name, description string, fn func(context.Context, In) (Out, error)) tool.Tool {
	t := tool.New(name, description, fn)
	schema, err := jsonschema.For[Out](nil)
	if err != nil {
		panic(fmt.Errorf("tool %s: %w", name, err))
	}
	text, err := json.Marshal(schema)
	if err != nil {
		panic(fmt.Errorf("tool %s: %w", name, err))
	}
	t.Output = string(text)
	return t
}
