package script_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/model/script"
)

const ports = `
rules:
  - if: size(results) == 0 && 'read_port' in offered
    thinking: Two ports.
    call: [{tool: read_port, args: {n: 1}}, {tool: read_port, args: {n: 3}}]
    usage: {input: 120, output: 7}
  - if: results.exists(r, r.tool == 'read_port' && r.json.port.errors > 1000)
    say: "Port ${results.filter(r, r.json.port.errors > 1000)[0].json.port.n} is unwell."
  - if: system.contains('30 days')
    say: You have 30 days.
  - if: "true"
    say: I cannot tell.
`

// ask calls a model with parts that are given as "role kind [tool [status]]: text".
func ask(m *script.Model, parts ...string) (string, error) {
	req := &model.Request{Purpose: model.Answer, Skill: "triage", Iteration: 2, Tools: []model.ToolSpec{{Name: "read_port"}, {Name: "read_skill"}}}
	for _, p := range parts {
		head, data, _ := strings.Cut(p, ": ")
		f := append(strings.Fields(head), "", "")
		part := model.NewPart(model.Role(f[0]), model.Kind(f[1]), data)
		part.Tool, part.Status = f[2], f[3]
		req.Parts = append(req.Parts, part)
	}
	var streamed strings.Builder
	reply, err := m.Call(context.Background(), req, func(d model.Delta) { streamed.WriteString(d.Text) })
	var b strings.Builder
	for _, p := range reply.Parts {
		if p.Kind == model.Text && p.Data != streamed.String() {
			return "", fmt.Errorf("streamed %q of %q", streamed.String(), p.Data)
		}
		if p.Piece != model.Sum(p.Data) || p.Role != model.Assistant || p.Call != "" {
			return "", fmt.Errorf("a wrong part: %+v", p)
		}
		switch p.Kind {
		case model.Call:
			fmt.Fprintf(&b, "[call %s %s]", p.Tool, p.Data)
		case model.Thinking:
			fmt.Fprintf(&b, "[thinking %s]", p.Data)
		default:
			b.WriteString(p.Data)
		}
	}
	if reply.Usage != (model.Usage{}) {
		fmt.Fprintf(&b, "{%d in, %d out}", reply.Usage.Input, reply.Usage.Output)
	}
	return b.String(), err
}

func parse(t *testing.T, text string) *script.Model {
	t.Helper()
	m, err := script.Parse("script.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestPorts(t *testing.T) {
	m := parse(t, ports)
	for _, test := range []struct {
		parts []string
		want  string
	}{
		{[]string{"user text: which port?"},
			`[thinking Two ports.][call read_port {"n":1}][call read_port {"n":3}]{120 in, 7 out}`},
		{[]string{"user text: which port?", `tool result read_port: {"port":{"n":1,"errors":0}}`, `tool result read_port: {"port":{"n":3,"errors":41200}}`},
			`Port 3 is unwell.`},
		{[]string{"system text: a policy", "system menu: 30 days", "user text: how long?", "tool result read_port: nothing"},
			`You have 30 days.`},
		{[]string{"user text: a", `tool result read_port: {}`},
			`I cannot tell.`},
		// Results count from the person's last message on, and without read_skill.
		{[]string{"user text: a", `tool result read_port: {"port":{"n":3,"errors":41200}}`, "user text: b", "tool result read_skill: {}"},
			`[thinking Two ports.][call read_port {"n":1}][call read_port {"n":3}]{120 in, 7 out}`},
	} {
		if got, err := ask(m, test.parts...); got != test.want || err != nil {
			t.Errorf("%q\n got %s, %v\nwant %s", test.parts, got, err, test.want)
		}
	}
}

func TestVariables(t *testing.T) {
	parts := []string{"system text: be kind", "user text: hello", "assistant text: hi", "assistant call read_port: {}",
		"tool result read_port: old", "user text: and now?", "assistant thinking: hm", "assistant text: let me see",
		`tool result read_port denied: {"reason":"no"}`, "tool result read_skill: in it", "tool result x: [1]", "system note: a note", "system menu: the menu"}
	for src, want := range map[string]string{
		`system`:    "be kind\n\na note\n\nthe menu",
		`user`:      `and now?`,
		`messages`:  `[{"role":"user","text":"hello"},{"role":"assistant","text":"hi"},{"role":"user","text":"and now?"},{"role":"assistant","text":"let me see"}]`,
		`results`:   `[{"tool":"read_port","text":"{\"reason\":\"no\"}","json":{"reason":"no"},"status":"denied"},{"tool":"x","text":"[1]","json":null,"status":""}]`,
		`offered`:   `["read_port","read_skill"]`,
		`skill`:     `triage`,
		`iteration`: `2`,
		`purpose`:   `answer`,
	} {
		m, err := script.New(script.Rule{If: "true", Say: "${" + src + "}"})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ask(m, parts...); got != want || err != nil {
			t.Errorf("%s\n got %s, %v\nwant %s", src, got, err, want)
		}
	}
}

func TestArguments(t *testing.T) {
	m := parse(t, `
rules:
  - if: "true"
    say: I look.
    call:
      tool: look
      args:
        zebra: ${results[0].json.id}
        id: "${results[0].json.big}"
        text: "no. ${results[0].json.id}"
        big: 18446744073709551616
        list: [1, 2.50, ~, true, yes, "${user}", {a: {}}, [], 1e3, -0, 2024-01-01, "010"]
        obj: ${results[0].json}
        literal: $${user} costs $5
`)
	const want = `I look.[call look {"zebra":9007199254740993,"id":123456789012345678901234567890,"text":"no. 9007199254740993",` +
		`"big":18446744073709551616,"list":[1,2.50,null,true,"yes","say \"it\"",{"a":{}},[],1e3,-0,"2024-01-01","010"],` +
		`"obj":{"id":9007199254740993,"big":123456789012345678901234567890},"literal":"${user} costs $5"}]`
	got, err := ask(m, `user text: say "it"`, `tool result x: {"id": 9007199254740993, "big": 123456789012345678901234567890}`)
	if got != want || err != nil {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}

func TestFaults(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{``, `s.yaml:1:1: the file is empty (write rules: and a list)`},
		{`rules: []`, `s.yaml:1:8: rules: there is no rule (write - {if: "true", say: …})`},
		{`- if: x`, `s.yaml:1:1: this must be a mapping, and it is a list`},
		{`rules: [`, `s.yaml:1:8: a value or a closing bracket is missing here`},
		{"rules:\n- if: \"true\"\n  say: a\n---\nrules: []", `s.yaml:4:1: a second document begins here (keep one document in a file)`},
		{`
rule: x
rules:
  - if: iteraton == 1
    sy: hello
    say: 42
  - if: true
    say: "${user} ${usr}"
    say: twice
  - say: hello
  - if: "true"
  - if: |
      skill == 'a' &&
      skil == 'b'
    call: {tool: x, args: {n: 010, m: "a ${x}", m: 1, at: &a 1, inf: .inf}}
  - if: user
    call: [{args: [1]}, read_port]
    usage: {input: many, output: -1, total: 3}
  - {if: "true", call: []}
  - hello
`, `
s.yaml:2:1: there is no key "rule" here (did you mean "rules"?)
s.yaml:4:9: rules[0].if: there is no variable or function "iteraton" here (the variables are system, user, messages, results, offered, skill, iteration, purpose)
s.yaml:5:5: rules[0]: there is no key "sy" here (known are if, say, call, thinking, usage)
s.yaml:6:10: rules[0].say: this must be a string, and it is a number (write "42")
s.yaml:7:9: rules[1].if: a condition is a string (write if: "true")
s.yaml:8:21: rules[1].say: there is no variable or function "usr" here (the variables are system, user, messages, results, offered, skill, iteration, purpose)
s.yaml:9:5: rules[1]: the key "say" is there already, in line 8
s.yaml:10:5: rules[2]: the rule has no condition (write if: "true" for a rule that always answers)
s.yaml:11:5: rules[3]: the rule neither says nor calls anything (write say: or call:)
s.yaml:12:9: rules[4].if: 2:1: there is no variable or function "skil" here (the variables are system, user, messages, results, offered, skill, iteration, purpose)
s.yaml:15:31: rules[4].call.args.n: 010 is no number in JSON (quote it if it is a word: "010")
s.yaml:15:44: rules[4].call.args.m: there is no variable or function "x" here (the variables are system, user, messages, results, offered, skill, iteration, purpose)
s.yaml:15:49: rules[4].call.args: the key "m" is there already, in line 15
s.yaml:15:59: rules[4].call.args.at: an anchor (&) is not read here (write the value where it is used, or quote the text)
s.yaml:15:70: rules[4].call.args.inf: .inf is no number in JSON (quote it if it is a word: ".inf")
s.yaml:16:9: rules[5].if: a condition must be true or false, and this is of type string (compare it with something)
s.yaml:17:12: rules[5].call[0]: the call names no tool (write tool: and a name)
s.yaml:17:19: rules[5].call[0].args: this must be a mapping, and it is a list
s.yaml:17:25: rules[5].call[1]: this must be a mapping, and it is a string
s.yaml:18:20: rules[5].usage.input: this must be a number, and it is a string
s.yaml:18:34: rules[5].usage.output: -1 is no number of tokens
s.yaml:18:38: rules[5].usage: there is no key "total" here (known are input, output, cached)
s.yaml:19:5: rules[6]: the rule neither says nor calls anything (write say: or call:)
s.yaml:20:5: rules[7]: this must be a mapping, and it is a string`},
	} {
		_, err := script.Parse("s.yaml", []byte(test.text))
		if got := fmt.Sprint(err); got != strings.TrimSpace(test.want) {
			t.Errorf("%s\n got\n%v\nwant\n%s", test.text, err, strings.TrimSpace(test.want))
		}
		if faults := (script.Faults)(nil); !errors.As(err, &faults) || faults[0].Line == 0 {
			t.Errorf("%T", err)
		}
	}
}

func TestNewFaults(t *testing.T) {
	_, err := script.New(
		script.Rule{If: "x", Call: []script.Call{{Tool: "a", Args: `{"a": ${user}}`}, {Tool: "b", Args: `[1]`}, {Tool: "c", Args: make(chan int)}}},
		script.Rule{Say: "${"})
	const want = `
rules[0].call[0].args: the arguments are not JSON: invalid character '$' looking for beginning of value
rules[0].call[2].args: json: unsupported type: chan int
rules[0].call[2].args: the arguments are not JSON: unexpected end of JSON input
rules[0].if: 1:1: there is no variable or function "x" here (the variables are system, user, messages, results, offered, skill, iteration, purpose)
rules[0].call[1].args: this must be a mapping, and it is a list
rules[1].if: 1:1: there is no expression here (write true for what always holds)
rules[1].say: 1:1: this ${ has no closing } (write $${ for the two letters)`
	if got := fmt.Sprint(err); got != strings.TrimSpace(want) {
		t.Errorf("got\n%s\nwant\n%s", got, strings.TrimSpace(want))
	}
}

func TestOpenAndRead(t *testing.T) {
	path := t.TempDir() + "/script.yaml"
	if err := os.WriteFile(path, []byte(ports), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := script.Open(path); err != nil {
		t.Error(err)
	}
	if _, err := script.Read(fstest.MapFS{"s.json": {Data: []byte(`{"rules": [{"if": "true", "say": "hi"}]}`)}}, "s.json"); err != nil {
		t.Error(err)
	}
	if _, err := script.Open(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := parse(t, ports).Call(ctx, &model.Request{}, func(model.Delta) {})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func Example() {
	m, err := script.New(
		script.Rule{If: "size(results) == 0", Call: []script.Call{{Tool: "lookup_order", Args: `{"id": 17, "note": "asked: ${user}"}`}}},
		script.Rule{If: "results[0].json.paid", Say: "Order ${results[0].json.id} is paid."},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	req := &model.Request{Iteration: 1, Parts: []model.Part{model.NewPart(model.User, model.Text, "is it paid?")}}
	reply, err := m.Call(context.Background(), req, func(model.Delta) {})
	fmt.Println(reply.Parts[0].Tool, reply.Parts[0].Data, err)

	result := model.NewPart(model.Tool, model.Result, `{"id": 17, "paid": true}`)
	result.Tool = "lookup_order"
	req.Parts = append(req.Parts, result)
	reply, err = m.Call(context.Background(), req, func(model.Delta) {})
	fmt.Println(reply.Parts[0].Data, err)
	// Output:
	// lookup_order {"id":17,"note":"asked: is it paid?"} <nil>
	// Order 17 is paid. <nil>
}

func ExampleNoRuleError() {
	m, err := script.Parse("desk.yaml", []byte(`
rules:
  - if: results[0].json.paid
    say: It is paid.
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = m.Call(context.Background(), &model.Request{
		Purpose: model.Answer, Skill: "triage", Iteration: 1,
		Tools: []model.ToolSpec{{Name: "lookup_order"}},
		Parts: []model.Part{model.NewPart(model.User, model.Text, "is it paid?")},
	}, func(model.Delta) {})
	fmt.Println(err)
	// Output:
	// no rule of the script desk.yaml answers this request; add one, or end the script with one whose condition is "true"
	//   purpose     answer
	//   skill       "triage"
	//   iteration   1
	//   offered     lookup_order
	//   messages    1
	//   user        "is it paid?"
	//   results     none
	//   failed      desk.yaml:3:5: rules[0].if: 1:16: index out of bounds: 0
}

func ExampleRuleError() {
	m, err := script.Parse("desk.yaml", []byte(`
rules:
  - if: "true"
    say: Order ${results[0].json.id} is paid.
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = m.Call(context.Background(), &model.Request{}, func(model.Delta) {})
	fmt.Println(err)
	// Output:
	// desk.yaml:3:5: rules[0].say: 1:24: index out of bounds: 0
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(ports))
	f.Add([]byte("rules: [{if: \"true\", say: '${user}', call: {tool: a, args: {b: [1, ~, 010, &a x]}}}]\n"))
	f.Add([]byte("rules:\n- if: >-\n    a\n    b\n  say: |\n    x\n  ? a\n  : b\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := script.Parse("f", data)
		if err != nil {
			for _, fault := range err.(script.Faults) {
				if fault.Line < 1 || fault.Column < 1 || fault.Message == "" {
					t.Errorf("%+v", fault)
				}
			}
			return
		}
		a, err := ask(m, "user text: hello")
		b, again := ask(m, "user text: hello")
		if a != b || fmt.Sprint(err) != fmt.Sprint(again) {
			t.Errorf("%s, %v; then %s, %v", a, err, b, again)
		}
	})
}

func BenchmarkCall(b *testing.B) {
	m, err := script.Parse("script.yaml", []byte(ports))
	if err != nil {
		b.Fatal(err)
	}
	req := &model.Request{Parts: []model.Part{model.NewPart(model.System, model.Text, strings.Repeat("policy ", 10_000)), model.NewPart(model.User, model.Text, "which port?")}}
	for range 2 {
		r := model.NewPart(model.Tool, model.Result, `{"port":{"n":3,"errors":41200}}`)
		r.Tool = "read_port"
		req.Parts = append(req.Parts, r)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Call(b.Context(), req, func(model.Delta) {}); err != nil {
			b.Fatal(err)
		}
	}
}
