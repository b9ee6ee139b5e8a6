// Package refunddesk is the flagship example: the refund desk of a shop for
// outdoor gear. Its map and runbooks are files, its tools are Go functions over
// a few hundred orders, and its model is a script, so that it needs no network
// and no key. One line of one runbook is out of date; README.md says which.
package refunddesk

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Files holds the map, the skills, the script model, the orders and the messages.
//
//go:embed map.yaml script.yaml orders.json messages.txt all:skills
var Files embed.FS

const (
	// Question is the message that gets the wrong answer.
	Question = "I was charged twice for order 17. How long do I have to ask for a refund?"
	// StaleFile is the runbook with the line that is out of date.
	StaleFile = "skills/refunds/SKILL.md"
)

// Order is one order as the shop keeps it. Days are written 2026-11-02.
type Order struct {
	ID           int64    `json:"id"`
	Customer     string   `json:"customer"`
	Email        string   `json:"email"`
	Country      string   `json:"country"`
	Item         string   `json:"item"`
	AmountCents  int64    `json:"amountCents"`
	Currency     string   `json:"currency"`
	State        string   `json:"state"`        // placed, packed, shipped, delivered, returned, cancelled
	PaymentState string   `json:"paymentState"` // pending, paid, refunded, void, chargeback
	Placed       string   `json:"placed"`       // a time, in UTC
	Promised     string   `json:"promised"`
	Delivered    string   `json:"delivered,omitempty"`
	Charges      []Charge `json:"charges"`
	Notes        string   `json:"notes,omitempty"`
}

// Charge is one debit of the customer's card.
type Charge struct {
	At          string `json:"at"`
	AmountCents int64  `json:"amountCents"`
	Reference   string `json:"reference"`
}

// A row is an order with what only the risk service knows of it.
type row struct {
	Order
	RiskLevel string   `json:"riskLevel"` // low, medium, high, critical
	Score     float64  `json:"score"`     // 0 to 1
	Signals   []string `json:"signals"`
}

// Policy is the refund policy in force.
type Policy struct {
	WindowDays   int    `json:"windowDays"`
	CountedFrom  string `json:"countedFrom"`
	Since        string `json:"since"`
	SecondCharge string `json:"secondCharge"`
}

// A Desk answers the tools of the example. Its clock stands still at the day of
// the data, so that the same question gets the same answer every day. What the
// tools change (refunds, holds, cases) is the Desk's own and is forgotten with
// it. A Desk is safe for concurrent use.
type Desk struct {
	today  time.Time
	policy Policy
	rows   map[int64]row

	mu       sync.Mutex
	refunded map[int64]int64 // cents, by order
	held     map[int64]bool
	cases    int
	feedback int
}

// New returns a Desk over the embedded orders.
func New() *Desk {
	data, err := Files.ReadFile("orders.json")
	if err != nil {
		panic(err)
	}
	var file struct {
		AsOf   string `json:"asOf"`
		Policy Policy `json:"policy"`
		Orders []row  `json:"orders"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		panic(fmt.Errorf("orders.json: %w", err))
	}
	d := &Desk{
		today:    day(file.AsOf),
		policy:   file.Policy,
		rows:     make(map[int64]row, len(file.Orders)),
		refunded: map[int64]int64{},
		held:     map[int64]bool{},
	}
	for _, r := range file.Orders {
		d.rows[r.ID] = r
	}
	return d
}

// ByOrder is the input of every tool that needs an order and nothing else.
type ByOrder struct {
	OrderID int64 `json:"orderId"`
}

// Nothing is the input of a tool that needs none.
type Nothing struct{}

// LookupOrder returns the order. An unknown number is an error.
func (d *Desk) LookupOrder(ctx context.Context, in ByOrder) (Order, error) {
	r, err := d.row(in.OrderID)
	return r.Order, err
}

// Risk is how likely an order is to be fraud, and why.
type Risk struct {
	OrderID   int64    `json:"orderId"`
	RiskLevel string   `json:"riskLevel"`
	Score     float64  `json:"score"`
	Signals   []string `json:"signals"`
}

// AssessRisk rates an order.
func (d *Desk) AssessRisk(ctx context.Context, in ByOrder) (Risk, error) {
	r, err := d.row(in.OrderID)
	return Risk{in.OrderID, r.RiskLevel, r.Score, r.Signals}, err
}

// Parcel is where an order is on its way to the customer.
type Parcel struct {
	OrderID     int64  `json:"orderId"`
	ParcelState string `json:"parcelState"` // in the warehouse, on the way, lost, delivered, returned, cancelled
	Promised    string `json:"promised"`
	Delivered   string `json:"delivered,omitempty"`
	DaysLate    int    `json:"daysLate"` // while the parcel is still out, else 0
}

// lostAfter is how many days late a parcel counts as lost.
const lostAfter = 21

// TrackParcel tells where the parcel of an order is.
func (d *Desk) TrackParcel(ctx context.Context, in ByOrder) (Parcel, error) {
	r, err := d.row(in.OrderID)
	if err != nil {
		return Parcel{}, err
	}
	p := Parcel{OrderID: r.ID, ParcelState: r.State, Promised: r.Promised, Delivered: r.Delivered}
	switch r.State {
	case "placed", "packed":
		p.ParcelState = "in the warehouse"
		p.DaysLate = max(0, d.daysSince(r.Promised))
	case "shipped":
		p.ParcelState = "on the way"
		p.DaysLate = max(0, d.daysSince(r.Promised))
		if p.DaysLate > lostAfter {
			p.ParcelState = "lost"
		}
	}
	return p, nil
}

// RefundPolicy returns the policy in force.
func (d *Desk) RefundPolicy(ctx context.Context, _ Nothing) (Policy, error) {
	return d.policy, nil
}

// Entitlement is what the policy in force grants for one order.
type Entitlement struct {
	OrderID          int64  `json:"orderId"`
	WindowDays       int    `json:"windowDays"`
	Delivered        string `json:"delivered,omitempty"`
	DaysSinceArrival int    `json:"daysSinceArrival"` // 0 if not delivered
	WithinWindow     bool   `json:"withinWindow"`
	ChargedTwice     bool   `json:"chargedTwice"`
	RefundableCents  int64  `json:"refundableCents"`
	Refundable       string `json:"refundable"` // the same, for people
	Reason           string `json:"reason"`
}

// CheckRefund tells what may be paid back for an order, and why. A second
// charge is paid back at any time, the price within the window or for a parcel
// that is lost.
func (d *Desk) CheckRefund(ctx context.Context, in ByOrder) (Entitlement, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.entitlement(ctx, in)
}

func (d *Desk) entitlement(ctx context.Context, in ByOrder) (Entitlement, error) {
	r, err := d.row(in.OrderID)
	if err != nil {
		return Entitlement{}, err
	}
	e := Entitlement{OrderID: r.ID, WindowDays: d.policy.WindowDays, Delivered: r.Delivered, ChargedTwice: len(r.Charges) > 1}
	if r.Delivered != "" {
		e.DaysSinceArrival = d.daysSince(r.Delivered)
		e.WithinWindow = e.DaysSinceArrival <= e.WindowDays
	}
	parcel, err := d.TrackParcel(ctx, in)
	if err != nil {
		return Entitlement{}, err
	}
	switch {
	case d.held[r.ID]:
		e.Reason = "the order is held"
	case d.refunded[r.ID] > 0:
		e.Reason = "paid back already"
	case r.PaymentState != "paid":
		e.Reason = "the payment is " + r.PaymentState
	case parcel.ParcelState == "lost":
		e.RefundableCents, e.Reason = r.AmountCents, "the parcel is lost"
	case r.State != "delivered":
		e.Reason = "the order is " + r.State
	case e.WithinWindow:
		e.RefundableCents, e.Reason = r.AmountCents, "within the window"
	default:
		e.Reason = "the window is over"
	}
	if e.ChargedTwice && r.PaymentState == "paid" && d.refunded[r.ID] == 0 && !d.held[r.ID] {
		e.RefundableCents += r.Charges[1].AmountCents
		e.Reason = "charged twice; " + e.Reason
	}
	e.Refundable = money(e.RefundableCents, r.Currency)
	return e, nil
}

// RefundOrder is the input of [Desk.IssueRefund].
type RefundOrder struct {
	OrderID     int64 `json:"orderId"`
	AmountCents int64 `json:"amountCents"`
}

// Refund is a refund on its way to the customer.
type Refund struct {
	OrderID       int64  `json:"orderId"`
	RefundID      string `json:"refundId"`
	RefundedCents int64  `json:"refundedCents"`
	Refunded      string `json:"refunded"` // the same, for people
}

// IssueRefund pays back up to what [Desk.CheckRefund] grants, once an order.
func (d *Desk) IssueRefund(ctx context.Context, in RefundOrder) (Refund, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e, err := d.entitlement(ctx, ByOrder{in.OrderID})
	if err != nil {
		return Refund{}, err
	}
	currency := d.rows[in.OrderID].Currency
	if in.AmountCents < 1 || in.AmountCents > e.RefundableCents {
		return Refund{}, fmt.Errorf("order %d allows a refund of up to %s, not %s: %s",
			in.OrderID, e.Refundable, money(in.AmountCents, currency), e.Reason)
	}
	d.refunded[in.OrderID] = in.AmountCents
	return Refund{in.OrderID, fmt.Sprintf("R-%d", in.OrderID), in.AmountCents, money(in.AmountCents, currency)}, nil
}

// History is what a customer did with the shop before and after an order.
type History struct {
	OrderID         int64  `json:"orderId"`
	Customer        string `json:"customer"`
	OrderCount      int    `json:"orderCount"`
	RefundCount     int    `json:"refundCount"`
	ChargebackCount int    `json:"chargebackCount"`
}

// CustomerHistory counts the orders of the customer who placed this one.
func (d *Desk) CustomerHistory(ctx context.Context, in ByOrder) (History, error) {
	r, err := d.row(in.OrderID)
	if err != nil {
		return History{}, err
	}
	h := History{OrderID: r.ID, Customer: r.Customer}
	for _, o := range d.rows {
		if o.Email != r.Email {
			continue
		}
		h.OrderCount++
		switch o.PaymentState {
		case "refunded":
			h.RefundCount++
		case "chargeback":
			h.ChargebackCount++
		}
	}
	return h, nil
}

// Hold says that an order is stopped until a person has looked at it.
type Hold struct {
	OrderID int64 `json:"orderId"`
	Held    bool  `json:"held"`
}

// HoldOrder stops an order: no parcel leaves and no money moves.
func (d *Desk) HoldOrder(ctx context.Context, in ByOrder) (Hold, error) {
	if _, err := d.row(in.OrderID); err != nil {
		return Hold{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.held[in.OrderID] = true
	return Hold{in.OrderID, true}, nil
}

// NewCase is the input of [Desk.OpenCase].
type NewCase struct {
	OrderID int64  `json:"orderId,omitempty"` // 0: about no order
	Summary string `json:"summary"`
}

// Case is a case in a person's queue.
type Case struct {
	CaseID      string `json:"caseId"`
	Team        string `json:"team"`
	AnswerHours int    `json:"answerHours"`
}

// OpenCase hands a request to the people whose business it is.
func (d *Desk) OpenCase(ctx context.Context, in NewCase) (Case, error) {
	if strings.TrimSpace(in.Summary) == "" {
		return Case{}, errors.New("a case needs a summary")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cases++
	c := Case{CaseID: fmt.Sprintf("C-%d", 1000+d.cases), Team: "customer care", AnswerHours: 24}
	r := d.rows[in.OrderID]
	switch {
	case d.held[in.OrderID]:
		c.Team, c.AnswerHours = "fraud review", 8
	case len(r.Charges) > 1 || r.AmountCents > 50000:
		c.Team, c.AnswerHours = "payments", 16
	}
	return c, nil
}

// Opinion is the input of [Desk.RecordFeedback].
type Opinion struct {
	Text string `json:"text"`
}

// Noted is the receipt for an opinion.
type Noted struct {
	FeedbackID string `json:"feedbackId"`
}

// RecordFeedback keeps what a customer thinks of the shop.
func (d *Desk) RecordFeedback(ctx context.Context, in Opinion) (Noted, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.feedback++
	return Noted{fmt.Sprintf("F-%d", d.feedback)}, nil
}

// Hours is when people answer.
type Hours struct {
	Days []string `json:"days"`
	From string   `json:"from"`
	To   string   `json:"to"`
	Zone string   `json:"zone"`
}

// OpeningHours tells when people answer.
func (d *Desk) OpeningHours(ctx context.Context, _ Nothing) (Hours, error) {
	return Hours{slices.Clone(workdays), "08:00", "18:00", "CET"}, nil
}

var workdays = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday"}

func (d *Desk) row(id int64) (row, error) {
	r, ok := d.rows[id]
	if !ok {
		return row{}, fmt.Errorf("there is no order %d", id)
	}
	return r, nil
}

func (d *Desk) daysSince(s string) int {
	return int(d.today.Sub(day(s)).Hours() / 24)
}

// day reads a day of orders.json; a test reads them all.
func day(s string) time.Time {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(fmt.Errorf("orders.json: %w", err))
	}
	return t
}

func money(cents int64, currency string) string {
	return fmt.Sprintf("%d.%02d %s", cents/100, cents%100, currency)
}
