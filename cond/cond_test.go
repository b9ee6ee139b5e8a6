package cond_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
)

var facts = &spoor.Facts{
	Iteration:   2,
	UserMessage: "what about the VAT?",
	History:     []spoor.Message{{Role: "user", Content: "hello"}, {Role: "assistant", Content: "hi"}},
	Cursor:      "triage",
	Results: []spoor.Result{
		{Tool: "lookup_order", Executed: true, Status: spoor.Success, Text: `{"id": 17, "paid": true, "total": 9007199254740993}`},
		{Tool: "read_policy", Executed: true, Text: `30 days`},
	},
}

func TestCondition(t *testing.T) {
	for _, test := range []struct {
		when string
		in   string // rule, or the number of the result in a step
		want string // true, false, or the error
	}{
		{`iteration == 2 && userMessage.contains('VAT')`, `rule`, `true`},
		{`history.size() == 2 && history[0].role == 'user' && history[0].content == 'hello'`, `rule`, `true`},
		{`currentSkillId == 'triage'`, `rule`, `true`},
		{`toolResults.exists(r, r.toolName == 'lookup_order' && r.json.paid)`, `rule`, `true`},
		{`toolResults[1].json == null && toolResults[1].status == ''`, `rule`, `true`},
		{`true`, `rule`, `true`},
		{` late `, `rule`, `true`},
		{`late`, `0`, `true`},

		{`toolName == 'lookup_order' && result.contains('paid')`, `0`, `true`},
		{`toolName == 'lookup_order' && result.contains('paid')`, `1`, `false`},
		{`status == 'success'`, `0`, `true`},
		{`status == ''`, `1`, `true`},
		{`json == null`, `1`, `true`},
		{`json.total == 9007199254740993 && json.total != 9007199254740992`, `0`, `true`},
		{`json != null && json.paid`, `1`, `false`},

		{`json.paid`, `1`, `1:5: no such key: paid`},
		{`json`, `0`, `1:1: a condition must be true or false, and this is of type map`},
		{`json.id > 16.5`, `0`, `true`},

		{`userMessage`, `rule`, `1:1: a condition must be true or false, and this is of type string (compare it with something)`},
		{`missing`, `rule`, `no condition is bound to the name "missing"; bind one in cond.Set.Funcs, or write the condition out in CEL`},
		{`toolName`, `rule`, `toolName is known only in a step, where a result is judged; in a start rule look into toolResults`},
		{`result == 'x'`, `rule`, `1:1: there is no variable or function "result" here (the variables are userMessage, iteration, history, currentSkillId, toolResults)`},
		{`late && iteration == 2`, `rule`, `1:1: there is no variable or function "late" here (the variables are userMessage, iteration, history, currentSkillId, toolResults)`},
	} {
		set := &cond.Set{Funcs: map[string]spoor.Condition{
			"late": func(s spoor.Situation) (bool, error) { return s.Facts.Iteration > 1, nil },
		}}
		at := spoor.Situation{Facts: facts}
		if test.in != "rule" {
			at.Result = &facts.Results[test.in[0]-'0']
		}
		c, err := set.Condition(test.when, at.Result != nil)
		ok := false
		if err == nil {
			ok, err = c(at)
		}
		got := fmt.Sprint(ok)
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s in %s\n got %s\nwant %s", test.when, test.in, got, test.want)
		}
	}
}

// A condition ends, whatever the results are: without its limits each of these
// would run for minutes.
func TestHostileResults(t *testing.T) {
	large := `{"list":[` + strings.TrimSuffix(strings.Repeat(`{"id":17,"tags":["a","b"]},`, 2000), ",") + `]}`
	f := &spoor.Facts{Iteration: 2, UserMessage: strings.Repeat("refund ", 20_000), Cursor: "triage"}
	for range 100 {
		f.Results = append(f.Results, spoor.Result{Tool: "t", Executed: true, Text: large})
		f.History = append(f.History, spoor.Message{Role: "user", Content: f.UserMessage})
	}
	for _, when := range []string{
		`json.list.all(a, json.list.all(b, a.id == b.id))`,
		`json.list.all(a, json == json)`,
		`json.list.all(a, json.list.map(b, b.id) != [])`,
		`json.list.all(a, userMessage.size() > 0)`,
		`history.all(a, history.all(b, a.content == b.content))`,
		`history.map(m, m.content).join().matches('(a|b|c)*d$') || history.all(m, history.map(n, n.content + m.content) != [])`,
		`userMessage.matches(userMessage)`,
		`toolResults.all(a, toolResults.all(b, a.json == b.json || true))`,
	} {
		c, err := cond.CEL.Condition(when, true)
		if err != nil {
			t.Errorf("%s: %v", when, err)
			continue
		}
		_, err = c(spoor.Situation{Facts: f, Result: &f.Results[0]})
		if err == nil || !strings.Contains(err.Error(), "too") {
			t.Errorf("%s: %v", when, err)
		}
	}
}

func TestNames(t *testing.T) {
	yes := func(spoor.Situation) (bool, error) { return true, nil }
	set := cond.Set{Funcs: map[string]spoor.Condition{"json": yes, "status": yes, "my-cond": yes, "true": yes, "ok": yes, "none": nil}}
	const want = `a condition cannot be bound so: "json" is a variable, "my-cond" is not an identifier, "none" is bound to nil, "status" is a variable, "true" is not an identifier; give each a function and a name of its own`
	for _, when := range []string{"ok", "iteration == 1"} {
		if _, err := set.Condition(when, false); err == nil || err.Error() != want {
			t.Errorf("%s\n got %v\nwant %s", when, err, want)
		}
	}
}

func TestAllowUnbound(t *testing.T) {
	set := cond.Set{AllowUnbound: true}
	for _, when := range []string{"b", "iteration == 1", "a", "b"} {
		c, err := set.Condition(when, false)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c(spoor.Situation{Facts: facts})
		var unbound *cond.UnboundError
		if errors.As(err, &unbound) != (len(when) == 1) {
			t.Errorf("%s: %v", when, err)
		}
	}
	if got := strings.Join(set.Unbound(), " "); got != "b a" {
		t.Errorf("unbound: %s", got)
	}
}

func TestConcurrent(t *testing.T) {
	c, err := cond.CEL.Condition("toolResults.exists(r, r.json != null && r.json.paid) && json.id == 17", true)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				if ok, err := c(spoor.Situation{Facts: facts, Result: &facts.Results[0]}); !ok || err != nil {
					t.Error(ok, err)
				}
			}
		})
	}
	wg.Wait()
}

func Example() {
	set := &cond.Set{Funcs: map[string]spoor.Condition{
		"insistent": func(s spoor.Situation) (bool, error) { return len(s.Facts.History) > 4, nil },
	}}
	facts := &spoor.Facts{Iteration: 1, UserMessage: "where is the VAT?"}
	for _, when := range []string{"insistent", "iteration == 1 && userMessage.contains('VAT')"} {
		holds, err := set.Condition(when, false)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(holds(spoor.Situation{Facts: facts}))
	}
	// Output:
	// false <nil>
	// true <nil>
}

func ExampleSet_Condition() {
	for _, when := range []string{"userMesage.contains('VAT')", "iteration", "insistent"} {
		_, err := cond.CEL.Condition(when, false)
		fmt.Println(err)
	}
	// Output:
	// 1:1: there is no variable or function "userMesage" here (the variables are userMessage, iteration, history, currentSkillId, toolResults)
	// 1:1: a condition must be true or false, and this is of type int (compare it with something)
	// no condition is bound to the name "insistent"; bind one in cond.Set.Funcs, or write the condition out in CEL
}

func ExampleSet_Unbound() {
	set := &cond.Set{AllowUnbound: true}
	holds, _ := set.Condition("insistent", false)
	_, err := holds(spoor.Situation{Facts: &spoor.Facts{}})
	fmt.Println(set.Unbound())
	fmt.Println(err)
	// Output:
	// [insistent]
	// no condition is bound to the name "insistent"; bind one in cond.Set.Funcs, or write the condition out in CEL
}

func BenchmarkWhen(b *testing.B) {
	at := spoor.Situation{Facts: facts, Result: &facts.Results[0]}
	for _, test := range []struct{ name, when string }{
		{"simple", `iteration == 2 && userMessage.contains('VAT')`},
		{"result", `toolName == 'lookup_order' && result.contains('paid')`},
		{"json", `json.id == 17`},
		{"toolResults", `toolResults.exists(r, r.toolName == 'read_policy')`},
	} {
		b.Run(test.name, func(b *testing.B) {
			holds, err := cond.CEL.Condition(test.when, true)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if ok, err := holds(at); !ok {
					b.Fatal(err)
				}
			}
		})
	}
}
