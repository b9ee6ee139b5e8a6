// Package script is a model without a network: rules in order, the first whose
// condition holds answers. The same request always gets the same answer, and
// nothing but the request is looked at.
//
//	rules:
//	  - if: size(results) == 0 && 'read_port' in offered
//	    call: {tool: read_port, args: {n: 3}}
//	  - if: results.exists(r, r.tool == 'read_port' && r.json.port.errors > 1000)
//	    say: "Port ${results[0].json.port.n} is unwell."
//	  - if: "true"
//	    say: I cannot tell.
//
// A rule has a condition, and says or calls something, or both. It may also
// give `thinking` and `usage: {input, output, cached}`. Conditions, and what
// stands in ${…} in say, thinking and the strings of args, are CEL over:
//
//	system     string: the text of all system parts, the menu too, a blank line between
//	user       string: the last message of the person
//	messages   list of {role, text}: what the person and the model said, in order
//	results    list of {tool, text, json, status}: the results of this turn, in
//	           order, without read_skill; json is null unless text is one JSON object
//	offered    list of the names of the tools offered
//	skill      string: where the walk stands, "" if nowhere
//	iteration  int: from 1
//	purpose    string: what the call is for: answer, classify, decide or compact
//
// A call that must choose is offered the one tool that it has to call, choose,
// whose argument id is the choice.
//
// A string of args that is one ${…} and nothing else keeps the kind of its
// value, so that args: {id: "${results[0].json.id}"} can be a number. $${ is a
// literal ${. A condition that fails does not hold.
package script

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spoorhq/spoor/internal/expr"
	"github.com/spoorhq/spoor/internal/yaml"
	"github.com/spoorhq/spoor/model"
)

// A Rule is one answer and when to give it.
type Rule struct {
	If       string // a condition in CEL
	Say      string
	Call     []Call
	Thinking string
	Usage    model.Usage
}

// A Call is a tool call of an answer.
type Call struct {
	Tool string

	// Args is the arguments: a string of JSON text, or what encoding/json
	// makes an object of. If nil, there are none.
	Args any
}

// A Model answers by its rules. It is safe for concurrent use.
type Model struct {
	name  string
	rules []rule
}

type rule struct {
	fault    Fault // where it stands, without a message
	holds    *expr.Program
	say      *expr.Template
	thinking *expr.Template
	calls    []call
	usage    model.Usage
}

type call struct {
	tool string
	args *argument
}

var _ model.Model = (*Model)(nil)

// New returns a Model of these rules. Its error is [Faults].
func New(rules ...Rule) (*Model, error) {
	c := compiler{}
	list := make([]*node, len(rules))
	for i, r := range rules {
		list[i] = c.literal(r, fmt.Sprintf("rules[%d]", i))
	}
	return c.model(&node{Kind: yaml.Map, Fields: []yaml.Field{{Key: str("rules"), Value: &node{Kind: yaml.List, Items: list}}}})
}

// Open reads a script file.
func Open(path string) (*Model, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// Read reads a script file of fsys.
func Read(fsys fs.FS, name string) (*Model, error) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	return Parse(name, data)
}

// Parse reads a script, in YAML or JSON. Name stands for it in errors. An
// error is [Faults]: all of them, in the order of the text.
func Parse(name string, data []byte) (*Model, error) {
	c := compiler{file: name, read: true}
	root := c.parse(data)
	if root == nil {
		return nil, c.faults
	}
	return c.model(root)
}

// A NoRuleError says that no rule answers a request. It prints the shape of
// the request.
type NoRuleError struct {
	Script string  // the file, if there is one
	Shape  string  // of the request, line by line
	Failed []error // the conditions that could not be judged
}

func (e *NoRuleError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "no rule of the script%s answers this request; add one, or end the script with one whose condition is \"true\"", space(e.Script))
	b.WriteString(e.Shape)
	for _, err := range e.Failed {
		fmt.Fprintf(&b, "\n  failed      %v", err)
	}
	return b.String()
}

// A RuleError says why a rule failed, though its condition held.
type RuleError struct {
	At  Fault // the rule
	Err error
}

func (e *RuleError) Error() string { return e.At.where() + e.Err.Error() }
func (e *RuleError) Unwrap() error { return e.Err }

// Call answers with the first rule whose condition holds. Text is emitted in
// a few pieces. The error is a *[NoRuleError], a *[RuleError] or that of ctx.
func (m *Model) Call(ctx context.Context, req *model.Request, emit func(model.Delta)) (model.Reply, error) {
	scope := env.Scope(request{req})
	var failed []error
	for i := range m.rules {
		if err := ctx.Err(); err != nil {
			return model.Reply{}, err
		}
		r := &m.rules[i]
		holds, err := r.holds.Bool(scope)
		if err != nil {
			failed = append(failed, &RuleError{r.fault.key("if"), err})
			continue
		}
		if !holds {
			continue
		}
		reply, err := r.answer(scope)
		if err != nil {
			return model.Reply{}, err
		}
		for _, p := range reply.Parts {
			if p.Kind == model.Text {
				for _, text := range pieces(p.Data) {
					emit(model.Delta{Text: text})
				}
			}
		}
		return reply, nil
	}
	return model.Reply{}, &NoRuleError{m.name, shape(req), failed}
}

func (r *rule) answer(scope *expr.Scope) (model.Reply, error) {
	reply := model.Reply{Usage: r.usage}
	text := func(kind model.Kind, key string, t *expr.Template) error {
		if t == nil {
			return nil
		}
		s, err := t.Text(scope)
		if err != nil {
			return &RuleError{r.fault.key(key), err}
		}
		if s != "" {
			reply.Parts = append(reply.Parts, model.NewPart(model.Assistant, kind, s))
		}
		return nil
	}
	if err := text(model.Thinking, "thinking", r.thinking); err != nil {
		return reply, err
	}
	if err := text(model.Text, "say", r.say); err != nil {
		return reply, err
	}
	for i, c := range r.calls {
		args, err := c.args.append(nil, scope)
		if err != nil {
			key := "call.args"
			if len(r.calls) > 1 {
				key = fmt.Sprintf("call[%d].args", i)
			}
			return reply, &RuleError{r.fault.key(key), err}
		}
		part := model.NewPart(model.Assistant, model.Call, string(args))
		part.Tool = c.tool
		reply.Parts = append(reply.Parts, part)
	}
	return reply, nil
}

// pieces cuts a text between words into at most four.
func pieces(s string) []string {
	var list []string
	for n := len(s)/4 + 1; len(list) < 3 && len(s) > n; {
		i := strings.IndexByte(s[n:], ' ')
		if i < 0 {
			break
		}
		list = append(list, s[:n+i])
		s = s[n+i:]
	}
	if s == "" {
		return list
	}
	return append(list, s)
}

var (
	message    = expr.Object("message", expr.Var{Name: "role", Type: expr.String}, expr.Var{Name: "text", Type: expr.String})
	toolResult = expr.Object("result",
		expr.Var{Name: "tool", Type: expr.String},
		expr.Var{Name: "text", Type: expr.String},
		expr.Var{Name: "json", Type: expr.Any},
		expr.Var{Name: "status", Type: expr.String})
	env = expr.New(
		expr.Var{Name: "system", Type: expr.String},
		expr.Var{Name: "user", Type: expr.String},
		expr.Var{Name: "messages", Type: expr.List(message.Type)},
		expr.Var{Name: "results", Type: expr.List(toolResult.Type)},
		expr.Var{Name: "offered", Type: expr.List(expr.String)},
		expr.Var{Name: "skill", Type: expr.String},
		expr.Var{Name: "iteration", Type: expr.Int},
		expr.Var{Name: "purpose", Type: expr.String})
)

type request struct{ *model.Request }

func (r request) Var(name string) expr.Value {
	switch name {
	case "system":
		var texts []string
		for _, p := range r.Parts {
			if p.Role == model.System && p.Kind != model.Image && p.Kind != model.Document {
				texts = append(texts, p.Data)
			}
		}
		return expr.Text(strings.Join(texts, "\n\n"))
	case "user":
		if i := r.lastUser(); i >= 0 {
			return expr.Text(r.Parts[i].Data)
		}
		return expr.Text("")
	case "messages":
		said := r.messages()
		return expr.ListOf(len(said), func(i int) expr.Value { return message.Of((*saying)(said[i])) })
	case "results":
		results := r.results()
		return expr.ListOf(len(results), func(i int) expr.Value { return toolResult.Of((*result)(results[i])) })
	case "offered":
		return expr.ListOf(len(r.Tools), func(i int) expr.Value { return expr.Text(r.Tools[i].Name) })
	case "skill":
		return expr.Text(r.Skill)
	case "purpose":
		return expr.Text(string(r.Purpose))
	}
	return expr.Number(r.Iteration)
}

// lastUser returns the index of the person's last message, or -1.
func (r request) lastUser() int {
	for i := len(r.Parts) - 1; i >= 0; i-- {
		if p := &r.Parts[i]; p.Role == model.User && p.Kind == model.Text {
			return i
		}
	}
	return -1
}

func (r request) messages() (list []*model.Part) {
	for i := range r.Parts {
		if p := &r.Parts[i]; p.Kind == model.Text && (p.Role == model.User || p.Role == model.Assistant) {
			list = append(list, p)
		}
	}
	return list
}

// results returns the results since the person's last message.
func (r request) results() (list []*model.Part) {
	for i := r.lastUser() + 1; i < len(r.Parts); i++ {
		if p := &r.Parts[i]; p.Kind == model.Result && p.Tool != "read_skill" {
			list = append(list, p)
		}
	}
	return list
}

type saying model.Part

func (p *saying) Var(name string) expr.Value {
	if name == "role" {
		return expr.Text(string(p.Role))
	}
	return expr.Text(p.Data)
}

type result model.Part

func (p *result) Var(name string) expr.Value {
	switch name {
	case "tool":
		return expr.Text(p.Tool)
	case "text":
		return expr.Text(p.Data)
	case "status":
		return expr.Text(p.Status)
	}
	return expr.JSONObject(p.Data)
}

// shape describes a request to whoever has to write a rule for it.
func shape(req *model.Request) string {
	r := request{req}
	var b strings.Builder
	line := func(name, value string) { fmt.Fprintf(&b, "\n  %-11s %s", name, value) }
	line("purpose", string(r.Purpose))
	line("skill", quote(r.Skill))
	line("iteration", fmt.Sprint(r.Iteration))
	var offered []string
	for _, t := range r.Tools {
		offered = append(offered, t.Name)
	}
	line("offered", orNone(offered))
	line("messages", fmt.Sprint(len(r.messages())))
	if i := r.lastUser(); i >= 0 {
		line("user", quote(r.Parts[i].Data))
	}
	var results []string
	for _, p := range r.results() {
		results = append(results, p.Tool+space(p.Status))
	}
	line("results", orNone(results))
	return b.String()
}

func orNone(list []string) string {
	if list == nil {
		return "none"
	}
	return strings.Join(list, ", ")
}

// quote quotes the beginning of a text.
func quote(s string) string {
	if r := []rune(s); len(r) > 80 {
		s = string(r[:79]) + "…"
	}
	return string(expr.AppendString(nil, s))
}

func space(s string) string {
	if s == "" {
		return ""
	}
	return " " + s
}

// An argument is a JSON value whose strings may be templates.
type argument struct {
	text     string // the JSON of a value without templates
	template *expr.Template
	kind     yaml.Kind
	keys     []string
	items    []*argument
}

func (a *argument) append(b []byte, scope *expr.Scope) ([]byte, error) {
	var err error
	switch {
	case a.template != nil:
		return a.template.AppendJSON(b, scope)
	case a.kind == yaml.Map:
		b = append(b, '{')
		for i, item := range a.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(expr.AppendString(b, a.keys[i]), ':')
			if b, err = item.append(b, scope); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	case a.kind == yaml.List:
		b = append(b, '[')
		for i, item := range a.items {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = item.append(b, scope); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	}
	return append(b, a.text...), nil
}

// add adds a field to a mapping that is written in Go.
func add(n *node, key string, value *node) {
	n.Fields = append(n.Fields, yaml.Field{Key: str(key), Value: value})
}

// literal is the node of a rule that is written in Go.
func (c *compiler) literal(r Rule, at string) *node {
	n := &node{Kind: yaml.Map}
	add(n, "if", str(r.If))
	if r.Say != "" {
		add(n, "say", str(r.Say))
	}
	if r.Thinking != "" {
		add(n, "thinking", str(r.Thinking))
	}
	if r.Usage != (model.Usage{}) {
		usage := &node{Kind: yaml.Map}
		for _, u := range []struct {
			key string
			n   int
		}{{"input", r.Usage.Input}, {"output", r.Usage.Output}, {"cached", r.Usage.Cached}} {
			add(usage, u.key, &node{Kind: yaml.Number, Text: fmt.Sprint(u.n)})
		}
		add(n, "usage", usage)
	}
	if r.Call != nil {
		calls := &node{Kind: yaml.List}
		for i, k := range r.Call {
			one := &node{Kind: yaml.Map}
			add(one, "tool", str(k.Tool))
			if k.Args != nil {
				at := fmt.Sprintf("%s.call[%d].args", at, i)
				text, ok := k.Args.(string)
				if !ok {
					data, err := json.Marshal(k.Args)
					if err != nil {
						c.fault(n, at, "", "%v", err)
					}
					text = string(data)
				}
				add(one, "args", c.fromJSON(text, at))
			}
			calls.Items = append(calls.Items, one)
		}
		add(n, "call", calls)
	}
	return n
}

func (c *compiler) model(root *node) (*Model, error) {
	m := &Model{name: c.file}
	fields := c.fields(root, "", "rules")
	rules := fields["rules"]
	switch {
	case root.Kind != yaml.Map: // fields has said so
	case rules == nil:
		c.fault(root, "", "write rules: and a list", "a script has rules")
	case rules.Kind != yaml.List:
		c.wrong(rules, "rules", yaml.List)
	case len(rules.Items) == 0:
		c.fault(rules, "rules", `write - {if: "true", say: …}`, "there is no rule")
	default:
		for i, r := range rules.Items {
			m.rules = append(m.rules, c.rule(r, fmt.Sprintf("rules[%d]", i)))
		}
	}
	if c.faults != nil {
		slices.SortStableFunc(c.faults, func(a, b Fault) int {
			if a.Line != b.Line {
				return a.Line - b.Line
			}
			return a.Column - b.Column
		})
		return nil, c.faults
	}
	return m, nil
}

func (c *compiler) rule(n *node, at string) rule {
	r := rule{fault: Fault{File: c.file, Line: n.Pos.Line, Column: n.Pos.Column, At: at}}
	fields := c.fields(n, at, "if", "say", "call", "thinking", "usage")
	if n.Kind != yaml.Map {
		return r
	}
	if fields["if"] == nil {
		c.fault(n, at, `write if: "true" for a rule that always answers`, "the rule has no condition")
	} else if f := fields["if"]; f.Kind == yaml.Bool {
		c.fault(f, at+".if", fmt.Sprintf("write if: %q", f.Text), "a condition is a string")
	} else if c.is(f, at+".if", yaml.String) {
		var err error
		r.holds, err = env.Condition(f.Text)
		c.expr(f, at+".if", err)
	}
	template := func(key string) (t *expr.Template) {
		if f := fields[key]; f != nil && c.is(f, at+"."+key, yaml.String) {
			var err error
			t, err = env.Template(f.Text)
			c.expr(f, at+"."+key, err)
		}
		return t
	}
	r.say, r.thinking = template("say"), template("thinking")
	if f := fields["call"]; f != nil {
		if f.Kind != yaml.List {
			r.calls = []call{c.call(f, at+".call")}
		} else {
			for i, k := range f.Items {
				r.calls = append(r.calls, c.call(k, fmt.Sprintf("%s.call[%d]", at, i)))
			}
		}
	}
	if fields["say"] == nil && fields["call"] == nil || len(r.calls) == 0 && fields["call"] != nil {
		c.fault(n, at, "write say: or call:", "the rule neither says nor calls anything")
	}
	if f := fields["usage"]; f != nil {
		usage := c.fields(f, at+".usage", "input", "output", "cached")
		for key, to := range map[string]*int{"input": &r.usage.Input, "output": &r.usage.Output, "cached": &r.usage.Cached} {
			if u := usage[key]; u != nil && c.is(u, at+".usage."+key, yaml.Number) {
				if err := json.Unmarshal([]byte(u.Text), to); err != nil || *to < 0 {
					c.fault(u, at+".usage."+key, "", "%s is no number of tokens", u.Text)
				}
			}
		}
	}
	return r
}

func (c *compiler) call(n *node, at string) call {
	k := call{args: &argument{kind: yaml.Map}}
	fields := c.fields(n, at, "tool", "args")
	if n.Kind != yaml.Map {
		return k
	}
	if f := fields["tool"]; f == nil {
		c.fault(n, at, "write tool: and a name", "the call names no tool")
	} else if c.is(f, at+".tool", yaml.String) {
		if k.tool = f.Text; k.tool == "" {
			c.fault(f, at+".tool", "", "the call names no tool")
		}
	}
	if f := fields["args"]; f != nil && c.is(f, at+".args", yaml.Map) {
		k.args = c.argument(f, at+".args")
	}
	return k
}

func (c *compiler) argument(n *node, at string) *argument {
	a := &argument{kind: n.Kind, text: n.Text}
	switch n.Kind {
	case yaml.Map:
		c.unique(n, at)
		for _, f := range n.Fields {
			a.keys = append(a.keys, f.Key.Text)
			a.items = append(a.items, c.argument(f.Value, at+"."+f.Key.Text))
		}
	case yaml.List:
		for i, item := range n.Items {
			a.items = append(a.items, c.argument(item, fmt.Sprintf("%s[%d]", at, i)))
		}
	case yaml.String:
		var err error
		a.template, err = env.Template(n.Text)
		c.expr(n, at, err)
	case yaml.Bool:
		a.text = strings.ToLower(n.Text)
	case yaml.Null:
		a.text = "null"
	case yaml.Odd:
		c.wrong(n, at, yaml.Number)
	}
	return a
}
