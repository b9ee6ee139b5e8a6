// Package refunddesk is the flagship example: the refund desk of a shop for
// outdoor gear. Its map and runbooks are files, its tools are Go functions over
// a few hundred orders in SQLite, which it also serves as an MCP server, and its
// model is a script, so that it needs no network and no key. One line of one
// runbook is out of date; README.md says which.
package refunddesk

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// A row is an order with what only the risk service knows of it, and what was
// done to it at the desk.
type row struct {
	Order
	RiskLevel string   `json:"riskLevel"` // low, medium, high, critical
	Score     float64  `json:"score"`     // 0 to 1
	Signals   []string `json:"signals"`

	held     bool
	refunded int64 // cents
}

// Policy is the refund policy in force.
type Policy struct {
	WindowDays   int    `json:"windowDays"`
	CountedFrom  string `json:"countedFrom"`
	Since        string `json:"since"`
	SecondCharge string `json:"secondCharge"`
}

// A Desk answers the tools of the example over a SQLite file. Its clock stands
// still at the day of the data, so that the same question gets the same answer
// every day. What the tools change (refunds, holds, cases, feedback) stays in the
// file. A Desk is safe for concurrent use, and so are several on one file, in one
// process or in many. In a synctest bubble it is opened and closed.
type Desk struct {
	db    *sql.DB
	temp  string // the folder that Close removes, if the file is temporary
	today time.Time
}

// Open returns a Desk over a file. If the file is not there, it is made, and
// filled with the embedded orders. If file is empty, a temporary one is made, which
// Close removes and nothing else does.
func Open(file string) (*Desk, error) {
	d := &Desk{}
	if err := d.open(file); err != nil {
		return nil, errors.Join(fmt.Errorf("refund desk: %w", err), d.Close())
	}
	return d, nil
}

func (d *Desk) open(file string) (err error) {
	if file == "" {
		if d.temp, err = os.MkdirTemp("", "refund-desk-"); err != nil {
			return err
		}
		file = filepath.Join(d.temp, "orders.db")
	}
	if d.db, err = connect(file); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	today, err := read(context.Background(), d.db, ledger.today)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	d.today = day(today)
	return nil
}

// Close closes the file, and removes it if it is temporary.
func (d *Desk) Close() error {
	var err error
	if d.db != nil {
		err = d.db.Close()
	}
	if d.temp != "" {
		err = errors.Join(err, os.RemoveAll(d.temp))
	}
	return err
}

// ByOrder is the input of every tool that needs an order and nothing else.
type ByOrder struct {
	OrderID int64 `json:"orderId"`
}

// Nothing is the input of a tool that needs none.
type Nothing struct{}

// LookupOrder returns the order. An unknown number is an error.
func (d *Desk) LookupOrder(ctx context.Context, in ByOrder) (Order, error) {
	r, err := d.order(ctx, in)
	return r.Order, err
}

func (d *Desk) order(ctx context.Context, in ByOrder) (row, error) {
	return read(ctx, d.db, func(l ledger) (row, error) { return l.order(in.OrderID) })
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
	r, err := d.order(ctx, in)
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
	r, err := d.order(ctx, in)
	if err != nil {
		return Parcel{}, err
	}
	return d.parcel(r), nil
}

func (d *Desk) parcel(r row) Parcel {
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
	return p
}

// RefundPolicy returns the policy in force.
func (d *Desk) RefundPolicy(ctx context.Context, _ Nothing) (Policy, error) {
	return read(ctx, d.db, ledger.policy)
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
	return read(ctx, d.db, func(l ledger) (Entitlement, error) {
		_, e, err := d.entitlement(l, in.OrderID)
		return e, err
	})
}

func (d *Desk) entitlement(l ledger, id int64) (row, Entitlement, error) {
	r, err := l.order(id)
	if err != nil {
		return r, Entitlement{}, err
	}
	p, err := l.policy()
	return r, d.grant(r, p), err
}

// grant is what a policy grants for an order.
func (d *Desk) grant(r row, p Policy) Entitlement {
	e := Entitlement{OrderID: r.ID, WindowDays: p.WindowDays, Delivered: r.Delivered, ChargedTwice: len(r.Charges) > 1}
	if r.Delivered != "" {
		e.DaysSinceArrival = d.daysSince(r.Delivered)
		e.WithinWindow = e.DaysSinceArrival <= e.WindowDays
	}
	switch {
	case r.held:
		e.Reason = "the order is held"
	case r.refunded > 0:
		e.Reason = "paid back already"
	case r.PaymentState != "paid":
		e.Reason = "the payment is " + r.PaymentState
	case d.parcel(r).ParcelState == "lost":
		e.RefundableCents, e.Reason = r.AmountCents, "the parcel is lost"
	case r.State != "delivered":
		e.Reason = "the order is " + r.State
	case e.WithinWindow:
		e.RefundableCents, e.Reason = r.AmountCents, "within the window"
	default:
		e.Reason = "the window is over"
	}
	if e.ChargedTwice && r.PaymentState == "paid" && r.refunded == 0 && !r.held {
		e.RefundableCents += r.Charges[1].AmountCents
		e.Reason = "charged twice; " + e.Reason
	}
	e.Refundable = money(e.RefundableCents, r.Currency)
	return e
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
	return write(ctx, d.db, func(l ledger) (Refund, error) {
		r, e, err := d.entitlement(l, in.OrderID)
		if err != nil {
			return Refund{}, err
		}
		amount := money(in.AmountCents, r.Currency)
		if in.AmountCents < 1 || in.AmountCents > e.RefundableCents {
			return Refund{}, fmt.Errorf("order %d allows a refund of up to %s, not %s: %s", in.OrderID, e.Refundable, amount, e.Reason)
		}
		return Refund{in.OrderID, fmt.Sprintf("R-%d", in.OrderID), in.AmountCents, amount}, l.refund(in.OrderID, in.AmountCents)
	})
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
	return read(ctx, d.db, func(l ledger) (History, error) {
		r, err := l.order(in.OrderID)
		if err != nil {
			return History{}, err
		}
		h, err := l.history(r.Email)
		h.OrderID, h.Customer = r.ID, r.Customer
		return h, err
	})
}

// Hold says that an order is stopped until a person has looked at it.
type Hold struct {
	OrderID int64 `json:"orderId"`
	Held    bool  `json:"held"`
}

// HoldOrder stops an order: no parcel leaves and no money moves.
func (d *Desk) HoldOrder(ctx context.Context, in ByOrder) (Hold, error) {
	return write(ctx, d.db, func(l ledger) (Hold, error) {
		if _, err := l.order(in.OrderID); err != nil {
			return Hold{}, err
		}
		return Hold{in.OrderID, true}, l.hold(in.OrderID)
	})
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
	return write(ctx, d.db, func(l ledger) (Case, error) {
		r, err := l.order(in.OrderID)
		if _, unknown := errors.AsType[noOrder](err); err != nil && !unknown {
			return Case{}, err
		}
		c := Case{Team: "customer care", AnswerHours: 24}
		switch {
		case r.held:
			c.Team, c.AnswerHours = "fraud review", 8
		case len(r.Charges) > 1 || r.AmountCents > 50000:
			c.Team, c.AnswerHours = "payments", 16
		}
		number, err := l.open(in.OrderID, in.Summary, c.Team)
		c.CaseID = fmt.Sprintf("C-%d", number)
		return c, err
	})
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
	return write(ctx, d.db, func(l ledger) (Noted, error) {
		number, err := l.note(in.Text)
		return Noted{fmt.Sprintf("F-%d", number)}, err
	})
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

func (d *Desk) daysSince(s string) int {
	return int(d.today.Sub(day(s)).Hours() / 24)
}

// day reads a day of the file, whose tables hold no day of another form.
func day(s string) time.Time {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(fmt.Errorf("refund desk: %w", err))
	}
	return t
}

func money(cents int64, currency string) string {
	return fmt.Sprintf("%d.%02d %s", cents/100, cents%100, currency)
}
