package walk

import (
	"strings"
	"time"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
)

// Spent is what a turn has used of its limits.
type Spent struct {
	Calls     int // to models, of every purpose
	Answers   int // of them, for an answer
	ToolCalls int
	Tokens    int
	Cost      float64 // in the unit of Limits.Prices
	Unpriced  bool    // a model answered that has no price
	PingPong  int     // moves in a row that went to and fro between two skills
	Refusals  int     // reads in a row that were refused, without a move in between

	LastTokens int // of the last model call
	LastCost   float64
	LastTime   time.Duration // of the last call for an answer

	WrapUp   time.Time // from then on there is time for one call only; zero: at no time
	Deadline time.Time // zero: there is none

	from  string    // where the last move came from
	asked time.Time // when the last call for an answer was made
}

// begin starts the clock of a turn. A quarter of its time is kept for the last
// call.
func (u *Spent) begin(b *event.Started, at time.Time) {
	if whole := b.Limits.Time; whole > 0 {
		u.Deadline, u.WrapUp = at.Add(whole), at.Add(whole-whole/4)
	}
}

// wait lets the clock stand still for a while.
func (u *Spent) wait(d time.Duration) {
	if !u.Deadline.IsZero() && d > 0 {
		u.Deadline, u.WrapUp, u.asked = u.Deadline.Add(d), u.WrapUp.Add(d), u.asked.Add(d)
	}
}

// pay counts what a model call used.
func (u *Spent) pay(b *event.Started, r *event.Replied) {
	u.LastTokens = r.Usage.Input + r.Usage.Output
	u.Tokens += u.LastTokens
	if b.Limits.Cost == 0 {
		return
	}
	p := priceOf(b.Limits.Prices, r.Model)
	if p == nil {
		u.Unpriced = true
		return
	}
	cached, written := p.Cached, p.Written
	if cached == 0 {
		cached = p.Input
	}
	if written == 0 {
		written = p.Input
	}
	fresh := r.Usage.Input - r.Usage.Cached - r.Usage.Written
	// Each product is rounded before it is added, so that the sum is the same
	// on every machine.
	u.LastCost = float64(float64(fresh)*p.Input)/1e6 + float64(float64(r.Usage.Output)*p.Output)/1e6
	u.LastCost += float64(float64(r.Usage.Cached)*cached)/1e6 + float64(float64(r.Usage.Written)*written)/1e6
	u.Cost += u.LastCost
}

// priceOf is the price of a model: of those that its name begins with, the one
// with the longest name.
func priceOf(prices []spoor.Price, model string) *spoor.Price {
	var best *spoor.Price
	for i := range prices {
		p := &prices[i]
		if strings.HasPrefix(model, p.Model) && (best == nil || len(p.Model) > len(best.Model)) {
			best = p
		}
	}
	return best
}

// move counts moves to and fro. A cold start is a move, but not one of them.
func (u *Spent) move(m spoor.Move) {
	u.Refusals = 0
	if m.From == "" {
		return
	}
	if m.To != u.from {
		u.PingPong = 0
	}
	u.PingPong++
	u.from = m.From
}

// over is the limit that is reached, so that no model call at all may be made;
// empty if one may.
func (u *Spent) over(b *event.Started, now time.Time) spoor.Limit {
	l := &b.Limits
	switch {
	case u.Calls >= b.MaxIterations:
		return spoor.LimitModelCalls
	case l.Tokens > 0 && u.Tokens >= l.Tokens:
		return spoor.LimitTokens
	case l.Cost > 0 && u.Unpriced:
		return spoor.LimitPrice
	case l.Cost > 0 && u.Cost >= l.Cost:
		return spoor.LimitCost
	case u.expired(now):
		return spoor.LimitTime
	}
	return ""
}

// last is the limit that makes the next model call the last one; empty if none
// does. Of tokens, cost and time as much is left as the next call and one more
// will take, if they take what the last one took; of time at least a quarter.
func (u *Spent) last(b *event.Started, now time.Time) spoor.Limit {
	l := &b.Limits
	switch {
	case u.Calls+1 >= b.MaxIterations:
		return spoor.LimitModelCalls
	case l.ToolCalls > 0 && u.ToolCalls >= l.ToolCalls:
		return spoor.LimitToolCalls
	case l.Tokens > 0 && u.Tokens+2*u.LastTokens > l.Tokens:
		return spoor.LimitTokens
	case l.Cost > 0 && u.Cost+2*u.LastCost > l.Cost:
		return spoor.LimitCost
	case u.late(now) || !u.Deadline.IsZero() && now.Add(2*u.LastTime).After(u.Deadline):
		return spoor.LimitTime
	case l.PingPong > 0 && u.PingPong >= max(l.PingPong, 2): // one move is none to and fro
		return spoor.LimitPingPong
	case l.Refusals > 0 && u.Refusals >= l.Refusals:
		return spoor.LimitRefusals
	}
	return ""
}

// late reports whether the time is over in which tools may be called.
func (u *Spent) late(now time.Time) bool { return !u.WrapUp.IsZero() && !now.Before(u.WrapUp) }

// expired reports whether all the time is over.
func (u *Spent) expired(now time.Time) bool { return !u.Deadline.IsZero() && !now.Before(u.Deadline) }
