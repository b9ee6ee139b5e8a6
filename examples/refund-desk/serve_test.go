package refunddesk

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/spoorhq/spoor/tool"
)

// calls has every tool, and what changes something stands where it is seen.
var calls = []struct{ tool, args string }{
	{"lookup_order", `{"orderId": 17}`},
	{"lookup_order", `{"orderId": 9007199254740993}`},
	{"lookup_order", `{"orderId": 281}`}, // without a day of delivery, and notes
	{"assess_risk", `{"orderId": 17}`},
	{"assess_risk", `{"orderId": 9007199254740993}`},
	{"track_parcel", `{"orderId": 118}`},
	{"refund_policy", `{}`},
	{"check_refund", `{"orderId": 17}`},
	{"issue_refund", `{"orderId": 17, "amountCents": 8990}`},
	{"check_refund", `{"orderId": 17}`},
	{"customer_history", `{"orderId": 143}`},
	{"hold_order", `{"orderId": 23}`},
	{"open_case", `{"orderId": 23, "summary": "\"stolen\" <card> & more"}`},
	{"open_case", `{"summary": "no order"}`},
	{"record_feedback", `{"text": "fine"}`},
	{"opening_hours", ``},
}

// serve starts a server and a client of it until the test ends.
func serve(t *testing.T, d *Desk) *mcp.ClientSession {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- d.Serve(t.Context(), in, out)
		out.Close()
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		if err := <-done; err != nil {
			t.Errorf("at the end of its input: %v", err)
		}
	})
	return s
}

func call(t *testing.T, s *mcp.ClientSession, name, args string) (r *mcp.CallToolResult, text string) {
	t.Helper()
	p := &mcp.CallToolParams{Name: name}
	if args != "" {
		p.Arguments = json.RawMessage(args)
	}
	r, err := s.CallTool(t.Context(), p)
	if err != nil {
		t.Fatalf("%s %s: %v", name, args, err)
	}
	if len(r.Content) != 1 {
		t.Fatalf("%s %s: %d pieces, want one", name, args, len(r.Content))
	}
	return r, r.Content[0].(*mcp.TextContent).Text
}

func byName(d *Desk) map[string]tool.Tool {
	all := map[string]tool.Tool{}
	for _, t := range d.Tools() {
		all[t.Name] = t
	}
	return all
}

// The served tools are those of a desk, and say the same.
func TestServe(t *testing.T) {
	s, direct := serve(t, Fresh(t)), byName(Fresh(t))
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	served := map[string]*mcp.Tool{}
	for _, l := range list.Tools {
		served[l.Name] = l
		d := direct[l.Name]
		if l.Description != d.Description || !sameJSON(t, l.InputSchema, d.Schema) || !sameJSON(t, l.OutputSchema, d.Output) {
			t.Errorf("%s is listed as %+v", l.Name, l)
		}
	}
	tried := map[string]bool{}
	for _, c := range calls {
		tried[c.tool] = true
		want, err := direct[c.tool].Call(t.Context(), cmp.Or(c.args, "{}"))
		if err != nil {
			t.Fatal(err)
		}
		r, text := call(t, s, c.tool, c.args)
		if r.IsError || text != want.Text {
			t.Errorf("%s %s:\ngot  %s\nwant %s", c.tool, c.args, text, want.Text)
		}
		if !sameJSON(t, r.StructuredContent, text) {
			t.Errorf("%s %s: structured %v, text %s", c.tool, c.args, r.StructuredContent, text)
		}
		if err := validator(t, direct[c.tool].Output)(text); err != nil {
			t.Errorf("%s: %s: %v", c.tool, text, err)
		}
	}
	if len(served) != len(direct) || len(tried) != len(direct) {
		t.Errorf("%d of %d tools are served, %d were tried", len(served), len(direct), len(tried))
	}
}

func sameJSON(t *testing.T, a any, b string) bool {
	t.Helper()
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	var x, y any
	if json.Unmarshal(text, &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		t.Fatalf("no JSON: %s or %s", text, b)
	}
	return reflect.DeepEqual(x, y)
}

func validator(t *testing.T, schema string) func(text string) error {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(schema), &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return func(text string) error {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			return err
		}
		return r.Validate(v)
	}
}

// What the reading tools say of orders of every shape follows their schemas,
// and these refuse a result with a field too many or too few.
func TestOutput(t *testing.T) {
	d := Fresh(t)
	// one of each shape; all 300 take the race detector too long
	rows, err := d.db.Query(`SELECT min(id) FROM orders GROUP BY state, payment_state, delivered IS NULL, notes IS NULL,
		(SELECT count(*) FROM charges WHERE order_id = id), (SELECT count(*) FROM signals WHERE order_id = id)`)
	if err != nil {
		t.Fatal(err)
	}
	var args []string
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		args = append(args, fmt.Sprintf(`{"orderId":%d}`, id))
	}
	if err := rows.Err(); err != nil || len(args) < 20 {
		t.Fatalf("%d orders, %v", len(args), err)
	}
	for _, name := range []string{"lookup_order", "assess_risk", "track_parcel", "check_refund", "customer_history"} {
		tool := byName(d)[name]
		valid := validator(t, tool.Output)
		for _, a := range args {
			r, err := tool.Call(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			if err := valid(r.Text); err != nil {
				t.Errorf("%s: %s: %v", name, r.Text, err)
			}
			for _, bad := range []string{`{"extra":1,` + r.Text[1:], `{"orderId":17}`} {
				if valid(bad) == nil {
					t.Fatalf("%s: %s is valid", name, bad)
				}
			}
		}
	}
}

// What a tool is said to do is what it does to the file.
func TestHints(t *testing.T) {
	d := Fresh(t)
	state := func() (all string) {
		for _, table := range []string{"refunds", "holds", "cases", "feedback"} {
			all += fmt.Sprint(count(t, d, table), " ")
		}
		return all
	}
	s := serve(t, d)
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range list.Tools {
		i := slices.IndexFunc(calls, func(c struct{ tool, args string }) bool { return c.tool == l.Name })
		before := state()
		call(t, s, l.Name, calls[i].args)
		once := state()
		call(t, s, l.Name, calls[i].args)
		h := l.Annotations
		if got := before == once; got != h.ReadOnlyHint {
			t.Errorf("%s: readOnlyHint %v", l.Name, h.ReadOnlyHint)
		}
		if got := once == state(); got != h.IdempotentHint {
			t.Errorf("%s: idempotentHint %v", l.Name, h.IdempotentHint)
		}
		if h.OpenWorldHint == nil || *h.OpenWorldHint || h.ReadOnlyHint != (h.DestructiveHint == nil) {
			t.Errorf("%s: %+v", l.Name, h)
		}
	}
}

func TestServeRefuses(t *testing.T) {
	s := serve(t, Fresh(t))
	const takes = `; the inputSchema of lookup_order says what it takes: {"type":"object","properties":{"orderId":{"type":"integer"}},"required":["orderId"],"additionalProperties":false}`
	for _, c := range []struct{ tool, args, want string }{
		{"lookup_order", `{"orderId": 4711}`, "there is no order 4711"},
		{"issue_refund", `{"orderId": 17, "amountCents": 8991}`, "order 17 allows a refund of up to 89.90 EUR, not 89.91 EUR: charged twice; the window is over"},
		{"open_case", `{"summary": " "}`, "a case needs a summary"},
		{"lookup_order", `{"orderId": "17"}`, takes},
		{"lookup_order", `{"id": 17}`, takes},
		{"lookup_order", `[17]`, takes},
		{"lookup_order", ``, takes},
		{"lookup_order", `{"orderId": 9223372036854775808}`, takes},
	} {
		r, text := call(t, s, c.tool, c.args)
		if !r.IsError || r.StructuredContent != nil || !strings.HasSuffix(text, c.want) {
			t.Errorf("%s %s: isError %v: %s\nwant %s", c.tool, c.args, r.IsError, text, c.want)
		}
	}
	if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "pay_all"}); err == nil || !strings.Contains(err.Error(), `unknown tool "pay_all"`) {
		t.Errorf("got %v", err)
	}
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// The bytes on the wire have every digit. The input ends before anything can be
// answered, and all is answered.
func TestWire(t *testing.T) {
	const asked = 20
	var in, out strings.Builder
	in.WriteString(hello)
	for i := range asked {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"check_refund","arguments":{"orderId":9007199254740993}}}`+"\n", 2+i)
	}
	if err := Fresh(t).Serve(t.Context(), strings.NewReader(in.String()), &out); err != nil {
		t.Fatal(err)
	}
	const text = `{"orderId":9007199254740993,"windowDays":30,"delivered":"2026-10-26","daysSinceArrival":7,"withinWindow":true,` +
		`"chargedTwice":false,"refundableCents":17900,"refundable":"179.00 EUR","reason":"within the window"}`
	quoted, _ := json.Marshal(text)
	want := `"result":{"content":[{"type":"text","text":` + string(quoted) + `}],"structuredContent":` + text
	if n := strings.Count(out.String(), want); n != asked {
		t.Errorf("%d calls were answered with\n%s\nnot %d:\n%s", n, want, asked, &out)
	}
}

func TestServeEnds(t *testing.T) {
	d := Fresh(t)
	t.Run("at once", func(t *testing.T) {
		if err := d.Serve(t.Context(), strings.NewReader(""), io.Discard); err != nil {
			t.Error(err)
		}
	})
	t.Run("although a subscription is open", func(t *testing.T) {
		listen := `{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}}` + "\n"
		if err := d.Serve(t.Context(), strings.NewReader(hello+listen), io.Discard); err != nil {
			t.Error(err)
		}
	})
	t.Run("when it is told to", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		in, toServer := io.Pipe()
		defer toServer.Close()
		fromServer, out := io.Pipe()
		done := make(chan error)
		go func() { done <- d.Serve(ctx, in, out) }()
		go io.WriteString(toServer, hello)
		if _, err := bufio.NewReader(fromServer).ReadString('\n'); err != nil { // it is at work
			t.Error(err)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Run("at what is no JSON", func(t *testing.T) {
		if err := d.Serve(t.Context(), strings.NewReader("hello\n"), io.Discard); err == nil || !strings.HasPrefix(err.Error(), "refund desk: mcp: invalid character") {
			t.Errorf("got %v", err)
		}
	})
}
