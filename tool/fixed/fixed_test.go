package fixed_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/tool"
	"github.com/spoorhq/spoor/tool/fixed"
)

var readPort = fixed.Tool{
	Name:        "read_port",
	Description: "Read the counters of one port.",
	InputSchema: `{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}`,
	Results: []fixed.Case{
		{If: `args.n == 3`, Result: `{"port": {"n": 3, "errors": 41200}}`},
		{If: `args.n == 9`, Status: spoor.Denied, Result: `{"reason": "no access"}`},
		{If: `args.n == 9007199254740993`, Result: `{"id": 9007199254740993}`},
		{If: `has(args.name) && args.name.startsWith('eth')`, Result: `"a port by name"`},
		{If: `args.n == 7`, Status: spoor.Absent, Result: `"not there"`},
		{If: `args.n == 8`, Result: `{"content": "go on", "effects": [{"kind": "propose-transition", "target": "x"}]}`},
	},
}

func TestCall(t *testing.T) {
	read, faults := fixed.New(readPort)
	if faults != nil {
		t.Fatal(faults)
	}
	if !read.Repeatable || read.Name != "read_port" || read.Schema != readPort.InputSchema {
		t.Errorf("%+v", read)
	}
	for _, test := range []struct {
		args   string
		text   string
		status spoor.Status
	}{
		{`{"n": 3}`, `{"port": {"n": 3, "errors": 41200}}`, ""},
		{`{"n": 3.0}`, `{"port": {"n": 3, "errors": 41200}}`, ""},
		{`{"n": 9}`, `{"reason": "no access"}`, spoor.Denied},
		{`{"n": 9007199254740993}`, `{"id": 9007199254740993}`, ""},
		{`{"n": 4, "name": "eth0"}`, `a port by name`, ""},
		{`{"n": 7}`, `not there`, spoor.Absent},
		{`{"n": 8}`, `go on`, ""},
	} {
		result, err := read.Call(context.Background(), test.args)
		text, status := result.Text, result.Status
		if status == "" {
			text, status, _ = tool.Unwrap(text)
		}
		if text != test.text || status != test.status || err != nil {
			t.Errorf("%s: %s, %q, %v; want %s, %q", test.args, text, status, err, test.text, test.status)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := read.Call(ctx, `{"n": 3}`); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestNoCase(t *testing.T) {
	read, faults := fixed.New(fixed.Tool{Name: "x", Results: readPort.Results[:2]})
	if faults != nil {
		t.Fatal(faults)
	}
	for args, want := range map[string]string{
		`{"n": 4}`: `no result of this tool is meant for the arguments {"n": 4}; end its results with one that has no condition`,
		`{}`:       `no result of this tool is meant for the arguments {}; end its results with one that has no condition; results[0].if could not be judged: 1:5: no such key: n; results[1].if could not be judged: 1:5: no such key: n`,
	} {
		if _, err := read.Call(context.Background(), args); err == nil || err.Error() != want {
			t.Errorf("%s\n got %v\nwant %s", args, err, want)
		}
	}
}

func TestFaults(t *testing.T) {
	_, faults := fixed.New(fixed.Tool{
		InputSchema: `[1]`,
		Results: []fixed.Case{
			{If: `arg.n == 3`, Result: `{}`},
			{If: `'a'`, Result: `{`, Status: "done"},
			{},
			{Result: `1`},
			{Ask: "Sure?", Status: spoor.Denied},
			{If: `answer == ''`, Ask: "${arg} ${"},
		},
	})
	_, none := fixed.New(fixed.Tool{Name: "x"})
	var lines []string
	for _, f := range append(faults, none...) {
		lines = append(lines, f.String())
	}
	const want = `
name: the tool has no name (write a name)
inputSchema: the schema is not one JSON object (write {type: object, properties: {…}})
results[0].if: 1:1: there is no variable or function "arg" here (the variables are args, answer)
results[1].if: 1:1: a condition must be true or false, and this is of type string (compare it with something)
results[1].status: "done" is no status (success, partial, pending, failure, denied, invalid or absent)
results[1].result: the result is not JSON: unexpected end of JSON input
results[2].result: there is no result (write result: null for one that says nothing)
results[3]: this result is never given: results[2] has no condition and stands before it (move the one without a condition to the end)
results[4]: this result is never given: results[2] has no condition and stands before it (move the one without a condition to the end)
results[4]: this question has no condition, so it is asked again whatever the answer is (write if: answer == '')
results[4].ask: a question stands beside no result and no status (give it a case of its own)
results[5]: this result is never given: results[2] has no condition and stands before it (move the one without a condition to the end)
results[5].ask: 1:3: there is no variable or function "arg" here (the variables are args, answer)
results[5].ask: 1:8: this ${ has no closing } (write $${ for the two letters)
results: the tool has no result (write - result: …)`
	if got := strings.Join(lines, "\n"); got != strings.TrimSpace(want) {
		t.Errorf("got\n%s\nwant\n%s", got, strings.TrimSpace(want))
	}
}

// A question is asked until a case takes the answer.
func TestAsk(t *testing.T) {
	pay, faults := fixed.New(fixed.Tool{Name: "pay", Results: []fixed.Case{
		{If: `answer == '' && args.cents > 100`, Ask: "Pay ${args.cents} cents to ${args.to}?"},
		{If: `!(answer in ['yes', 'no', ''])`, Ask: "Yes or no?"},
		{If: `answer == 'no'`, Result: `"not paid"`, Status: spoor.Denied},
		{Result: `{"paid": true}`},
	}})
	if faults != nil {
		t.Fatal(faults)
	}
	for _, test := range []struct {
		args, answer string // answer "-": none
		want         string
	}{
		{`{"cents": 5}`, "-", `{"paid": true}`},
		{`{"cents": 500, "to": "Ann"}`, "-", "a person is asked: Pay 500 cents to Ann?"},
		{`{"cents": 500, "to": "Ann"}`, "", "a person is asked: Pay 500 cents to Ann?"},
		{`{"cents": 500, "to": "Ann"}`, "well", "a person is asked: Yes or no?"},
		{`{"cents": 500, "to": "Ann"}`, "yes", `{"paid": true}`},
		{`{"cents": 500}`, "no", "not paid"},
		{`{"cents": 500}`, "-", "results[0].ask could not be written: 1:34: no such key: to"},
	} {
		ctx := context.Background()
		if test.answer != "-" {
			ctx = tool.WithAnswer(ctx, test.answer)
		}
		result, err := pay.Call(ctx, test.args)
		got := result.Text
		if err != nil {
			got = err.Error()
		}
		if _, asks := errors.AsType[*tool.Question](err); got != test.want || asks != strings.HasPrefix(got, "a person") {
			t.Errorf("%s, %q: got %s, %T; want %s", test.args, test.answer, got, err, test.want)
		}
	}
}

func ExampleNew() {
	read, faults := fixed.New(fixed.Tool{
		Name:        "read_port",
		Description: "Read the counters of one port.",
		Results: []fixed.Case{
			{If: `args.n == 3`, Result: `{"port":{"n":3,"errors":41200}}`},
			{If: `args.n == 9`, Result: `{"reason":"no access"}`, Status: spoor.Denied},
			{Result: `{"port":{"n":0,"errors":0}}`},
		},
	})
	fmt.Println(faults)
	for _, args := range []string{`{"n":3}`, `{"n":9}`, `{}`} {
		result, _ := read.Call(context.Background(), args)
		fmt.Printf("%s, status %q\n", result.Text, result.Status)
	}
	// Output:
	// []
	// {"port":{"n":3,"errors":41200}}, status ""
	// {"reason":"no access"}, status "denied"
	// {"port":{"n":0,"errors":0}}, status ""
}
