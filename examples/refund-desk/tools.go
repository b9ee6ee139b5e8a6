package refunddesk

import "github.com/spoorhq/spoor/tool"

// Tools returns the tools that the map's skills list, and opening_hours, which
// belongs to no skill and is always offered.
func (d *Desk) Tools() []tool.Tool {
	return []tool.Tool{
		tool.New("lookup_order", "Look up an order by its number.", d.LookupOrder),
		tool.New("assess_risk", "Rate how likely an order is to be fraud.", d.AssessRisk),
		tool.New("track_parcel", "Tell where the parcel of an order is.", d.TrackParcel),
		tool.New("refund_policy", "Read the refund policy in force.", d.RefundPolicy),
		tool.New("check_refund", "Tell what may be paid back for an order, and why.", d.CheckRefund),
		tool.New("issue_refund", "Pay back an amount, once an order.", d.IssueRefund),
		tool.New("customer_history", "Count the orders, refunds and chargebacks of an order's customer.", d.CustomerHistory),
		tool.New("hold_order", "Stop an order until a person has looked at it.", d.HoldOrder),
		tool.New("open_case", "Hand a request to a person.", d.OpenCase),
		tool.New("record_feedback", "Keep what a customer thinks of the shop.", d.RecordFeedback),
		tool.New("opening_hours", "Tell when people answer.", d.OpeningHours),
	}
}
