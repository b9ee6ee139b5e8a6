package refunddesk

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestOrders(t *testing.T) {
	data, err := Files.ReadFile("orders.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Orders []row }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	d := Fresh(t)
	if n := count(t, d, "orders"); len(file.Orders) != 300 || n != 300 {
		t.Fatalf("%d orders with %d numbers, want 300 of each", len(file.Orders), n)
	}
	twice := 0
	for _, r := range file.Orders {
		bad := func(what string) { t.Errorf("order %d: %s", r.ID, what) }
		if got, err := d.order(t.Context(), ByOrder{r.ID}); err != nil || !reflect.DeepEqual(got, r) {
			bad(fmt.Sprintf("the table has %+v, %v; want %+v", got, err, r))
		}
		if !strings.HasSuffix(r.Email, "@example.com") {
			bad("the mail address may be a real one")
		}
		placed, err := time.Parse(time.RFC3339, r.Placed)
		if err != nil {
			bad(err.Error())
		}
		if day(r.Promised).Before(placed.Truncate(24 * time.Hour)) {
			bad("promised before it was placed")
		}
		if arrived := r.State == "delivered" || r.State == "returned"; arrived != (r.Delivered != "") {
			bad("state and day of delivery disagree")
		}
		if r.Delivered != "" && (day(r.Delivered).Before(placed) || day(r.Delivered).After(d.today)) {
			bad("delivered before it was placed, or after today")
		}
		charged := r.PaymentState != "pending" && r.PaymentState != "void"
		if charged != (len(r.Charges) > 0) {
			bad("payment and charges disagree")
		}
		for _, c := range r.Charges {
			if c.AmountCents != r.AmountCents {
				bad("a charge is not the price")
			}
		}
		if len(r.Charges) > 1 {
			twice++
		}
		if slices.Contains(r.Signals, "charged twice") != (len(r.Charges) == 2) {
			bad("charges and signals disagree")
		}
		if want := level(r.Score); r.RiskLevel != want {
			bad("risk level " + r.RiskLevel + ", want " + want)
		}
	}
	if twice < 10 {
		t.Errorf("%d orders are charged twice, want at least 10", twice)
	}
}

// Fresh is a desk to which nothing was done, until the test ends. Its file is a
// copy, for it takes the race detector a second to fill one.
func Fresh(t testing.TB) *Desk {
	t.Helper()
	file := filepath.Join(t.TempDir(), "orders.db")
	if err := os.WriteFile(file, filled(), 0o666); err != nil {
		t.Fatal(err)
	}
	return open(t, file)
}

var filled = sync.OnceValue(func() []byte {
	dir, err := os.MkdirTemp("", "refund-desk-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "orders.db")
	d, err := Open(file)
	if err != nil {
		panic(err)
	}
	if err := d.Close(); err != nil {
		panic(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	return data
})

// open opens a desk until the test ends.
func open(t testing.TB, file string) *Desk {
	t.Helper()
	d, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func count(t testing.TB, d *Desk, table string) (n int) {
	t.Helper()
	if err := d.db.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
		t.Error(err)
	}
	return n
}

func level(score float64) string {
	switch {
	case score < 0.3:
		return "low"
	case score < 0.6:
		return "medium"
	case score < 0.85:
		return "high"
	}
	return "critical"
}

func TestQuestion(t *testing.T) {
	d, ctx := Fresh(t), t.Context()
	e, err := d.CheckRefund(ctx, ByOrder{17})
	want := Entitlement{
		OrderID: 17, WindowDays: 30, Delivered: "2026-09-21", DaysSinceArrival: 42, ChargedTwice: true,
		RefundableCents: 8990, Refundable: "89.90 EUR", Reason: "charged twice; the window is over",
	}
	if err != nil || e != want {
		t.Errorf("order 17: %+v, %v; want %+v", e, err, want)
	}
	if r, err := d.AssessRisk(ctx, ByOrder{17}); err != nil || r.RiskLevel != "medium" {
		t.Errorf("order 17: risk %+v, %v; want medium", r, err)
	}
}

// The runbook says 60 days where the policy says 30. This is the fault that the
// example is about, so do not mend it.
func TestStaleLine(t *testing.T) {
	body, err := Files.ReadFile(StaleFile)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(body), "\n## Refund window\n\n- Customers can ask for a refund within 60 days of delivery.\n\n## "); n != 1 {
		t.Errorf("the stale line stands %d times under its heading, want once and alone", n)
	}
	if p, _ := Fresh(t).RefundPolicy(t.Context(), Nothing{}); p.WindowDays != 30 {
		t.Errorf("the policy gives %d days, want 30", p.WindowDays)
	}
}

func TestUnknownOrder(t *testing.T) {
	if _, err := Fresh(t).LookupOrder(t.Context(), ByOrder{4711}); err == nil || err.Error() != "there is no order 4711" {
		t.Errorf("got %v", err)
	}
}

func TestLongNumber(t *testing.T) {
	const id = 1<<53 + 1 // not a float64
	if o, err := Fresh(t).LookupOrder(t.Context(), ByOrder{id}); err != nil || o.ID != id {
		t.Errorf("got order %d, %v", o.ID, err)
	}
}

func TestParcel(t *testing.T) {
	for id, want := range map[int64]Parcel{
		281: {OrderID: 281, ParcelState: "on the way", Promised: "2026-11-04"},
		214: {OrderID: 214, ParcelState: "on the way", Promised: "2026-10-21", DaysLate: 12},
		118: {OrderID: 118, ParcelState: "lost", Promised: "2026-10-05", DaysLate: 28},
		156: {OrderID: 156, ParcelState: "delivered", Promised: "2026-10-12", Delivered: "2026-10-12"},
	} {
		if p, err := Fresh(t).TrackParcel(t.Context(), ByOrder{id}); err != nil || p != want {
			t.Errorf("got %+v, %v; want %+v", p, err, want)
		}
	}
}

func TestRefundLimits(t *testing.T) {
	d, ctx := Fresh(t), t.Context()
	for _, in := range []RefundOrder{{17, 8991}, {17, 0}, {17, -1}, {133, 4990}, {4711, 1}} {
		if got, err := d.IssueRefund(ctx, in); err == nil {
			t.Errorf("%+v was paid: %+v", in, got)
		}
	}
	if _, err := d.HoldOrder(ctx, ByOrder{17}); err != nil {
		t.Fatal(err)
	}
	if got, err := d.IssueRefund(ctx, RefundOrder{17, 8990}); err == nil {
		t.Errorf("a held order was paid: %+v", got)
	}
	if got, err := Fresh(t).IssueRefund(ctx, RefundOrder{17, 8990}); err != nil || got.Refunded != "89.90 EUR" {
		t.Errorf("another desk: %+v, %v", got, err)
	}
}

func TestRefundOnce(t *testing.T) {
	d, ctx := Fresh(t), t.Context()
	var paid atomic.Int64
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := d.IssueRefund(ctx, RefundOrder{156, 19900}); err == nil {
				paid.Add(1)
			}
		})
	}
	wg.Wait()
	if paid.Load() != 1 {
		t.Errorf("order 156 was paid back %d times", paid.Load())
	}
}

func TestHistory(t *testing.T) {
	for id, want := range map[int64]History{
		23:  {OrderID: 23, Customer: "Ida Keller", OrderCount: 2, ChargebackCount: 1},
		143: {OrderID: 143, Customer: "Tessa Castell", OrderCount: 6},
	} {
		if h, err := Fresh(t).CustomerHistory(t.Context(), ByOrder{id}); err != nil || h != want {
			t.Errorf("got %+v, %v; want %+v", h, err, want)
		}
	}
}

func TestCaseTeam(t *testing.T) {
	d, ctx := Fresh(t), t.Context()
	if _, err := d.OpenCase(ctx, NewCase{Summary: " "}); err == nil {
		t.Error("a case without a summary was opened")
	}
	if _, err := d.HoldOrder(ctx, ByOrder{23}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []Case{{"C-1001", "customer care", 24}, {"C-1002", "payments", 16}, {"C-1003", "fraud review", 8}} {
		if c, err := d.OpenCase(ctx, NewCase{[]int64{0, 17, 23}[i], "help"}); err != nil || c != want {
			t.Errorf("got %+v, %v; want %+v", c, err, want)
		}
	}
}

func TestFiles(t *testing.T) {
	messages, err := Files.ReadFile("messages.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(messages), "\n"), "\n")
	if lines[0] != Question || slices.Contains(lines, "") {
		t.Error("messages.txt begins with the Question and has no blank line")
	}
	skills, err := fs.Glob(Files, "skills/*/SKILL.md")
	if err != nil || len(skills) != 7 {
		t.Errorf("%d skills, %v; want 7", len(skills), err)
	}
	for _, name := range skills {
		body, _ := Files.ReadFile(name)
		folder := strings.Split(name, "/")[1]
		if !strings.HasPrefix(string(body), "---\nname: "+folder+"\ndescription: ") {
			t.Errorf("%s: the front matter does not begin with its name and a description", name)
		}
	}
}
