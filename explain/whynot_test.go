package explain_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
)

// Every model call is told, of each kind of tool.
func TestNotTool(t *testing.T) {
	all := each(t)
	all["busy"] = busy(t)
	var text strings.Builder
	for _, c := range []struct{ name, tool string }{
		{"busy", "check_refund"}, {"busy", "open_case"}, {"busy", "lookup_order"}, {"busy", "read_skill"}, {"busy", "lookup"},
		{"served", "pay_back"}, {"served", "look_up"}, {"limited", "look_up"}, {"waiting", "pay_back"}, {"menu", "choose"}, {"failed", "pay_back"}, {"tree", "pay_back"},
	} {
		fmt.Fprintf(&text, "== %s, %s\n%s\n", c.name, c.tool, explain.NotTool(all[c.name], c.tool))
	}
	golden(t, "not-tool.txt", text.String())
}

// Every model call is told, of each kind of piece.
func TestNotPiece(t *testing.T) {
	all := each(t)
	all["busy"] = busy(t)
	var text strings.Builder
	for _, c := range []struct{ name, piece string }{
		{"busy", runbook(staleLine)}, {"busy", "Please refund order 4711."}, {"busy", "Thank you."}, {"busy", `{"orderId":4711}`},
		{"served", "Say that the whole shop is sorry for it."}, {"served", "Greet the customer by name."}, {"served", "Pay back what was charged twice."},
		{"served", "Never promise a date that nobody has confirmed."}, {"served", "yes, by credit note"}, {"served", `{"name":"pay_back"}`}, {"served", `{"id":"billing"}`},
		{"moved", "A credit note is money that the shop owes."}, {"moved", `{"parcel":true}`}, {"moved", "nothing of the kind"},
	} {
		fmt.Fprintf(&text, "== %s, %s\n%s\n", c.name, strings.SplitN(c.piece, "\n", 2)[0], explain.NotPiece(all[c.name], model.Sum(c.piece).String()))
	}
	for _, digest := range []string{"", "123", "zzzzzzzz", "\x1b[31m", model.Sum("Hello?").String()[:8], strings.Repeat("0", 65)} {
		fmt.Fprintf(&text, "== %q\n%s\n", digest, explain.NotPiece(all["rails"], digest))
	}
	golden(t, "not-piece.txt", text.String())
}

// What is derived of the tools that a model call offers is what the machine
// offered, on every recording of these tests and on walks by chance.
func TestOffering(t *testing.T) {
	all := each(t)
	all["busy"], all["wrong"] = busy(t), wrong(t, staleLine)
	for seed := range uint64(150) {
		c := chance{rand.New(rand.NewPCG(9, seed))}
		m := c.plan()
		scoped := c.IntN(2) == 0
		m.ScopeTools = &scoped
		m.Skills[1].AutoActivate, m.Skills[2].AutoActivate = spoor.Always, spoor.CurrentSkill
		if _, err := spoor.Compile(m, cond.CEL); err == nil {
			all[fmt.Sprint("chance ", seed)] = byChance(t, c, m)
		}
	}
	n := 0
	for name, r := range all {
		for seq, o := range explain.Offerings(r) {
			if n++; !slices.Equal(o[0], o[1]) {
				t.Errorf("%s: event %d offered %q, and what is derived is %q", name, seq, o[0], o[1])
			}
		}
	}
	if n < 200 {
		t.Errorf("%d offers are too few to mean anything", n)
	}
}

// A condition that looks at all results is asked with all of them.
func TestConditionOverAllResults(t *testing.T) {
	m := &spoor.Map{
		Skills: []spoor.Skill{{ID: "ask", Tools: []string{"look", "rate"}}, {ID: "one"}, {ID: "many"}},
		Start:  spoor.Start{Use: "ask"},
		Steps:  []spoor.Step{{From: "ask", To: "one", OnToolReturn: "look"}, {From: "ask", To: "many", When: "size(toolResults) > 1"}},
	}
	w := newWorld(t, m, spoor.Injections{})
	w.say("Look.", nil)
	w.replies(call("look", "{}", "rate", "{}"))
	w.returns("i1.1", "{}")
	w.returns("i1.2", "{}")
	for _, way := range explain.NotSkill(w.recording(), "many").Occasions[1].Ways {
		if way.Kind == explain.ByStep && (way.Outcome != explain.Beaten || len(way.Changes) == 0) {
			t.Errorf("it held on both results, and was beaten: %+v", way)
		}
	}
}

// A guard that no result can pass is opened by the map alone, and a regular
// expression by an example of its rule alone.
func TestWhatCannotBeOpened(t *testing.T) {
	m := &spoor.Map{
		Skills: []spoor.Skill{{ID: "ask", Tools: []string{"look"}}, {ID: "never"}, {ID: "parcel"}, {ID: "order"}},
		Start: spoor.Start{Rules: []spoor.Rule{
			{Use: "parcel", Match: match.Regex(`parcel [0-9]+`)},
			{Use: "order", Match: match.Regex(`order [0-9]+`), Examples: spoor.Phrases{"Please see to order 4.", "Where is order 17?"}},
			{Use: "ask"},
		}},
		Steps: []spoor.Step{{From: "ask", To: "never", OnToolReturn: "look", Guard: guard.Guard{guard.Gt("n", 5), guard.Lt("n", 3)}}},
	}
	w := newWorld(t, m, spoor.Injections{})
	w.say("Where is it?", nil)
	w.replies(call("look", "{}"))
	w.returns("i1.1", `{"n":4}`)
	w.replies(say("There."))
	var text strings.Builder
	for _, id := range []string{"never", "parcel", "order"} {
		fmt.Fprintln(&text, explain.NotSkill(w.recording(), id))
	}
	golden(t, "not-unopened.txt", text.String())
}

// What the walk itself answered to a call that it refused is not changed: no tool
// would have said otherwise.
func TestRefusedCallsHaveNoOtherResult(t *testing.T) {
	m := &spoor.Map{
		Skills: []spoor.Skill{{ID: "ask"}, {ID: "order"}},
		Tree: &spoor.Tree{
			When:     "toolResults.exists(r, has(r.json.n) && r.json.n > 4)",
			WhenTrue: &spoor.Tree{Skill: "order"}, WhenFalse: &spoor.Tree{Skill: "ask"},
		},
	}
	for _, tool := range []string{"look", "nothing"} {
		w := newWorld(t, m, spoor.Injections{})
		w.tools = []event.Tool{{Name: "look"}}
		w.say("Where is it?", nil)
		w.replies(call(tool, "{}"))
		if tool == "look" {
			w.returns("i1.1", `{"n":4}`)
		}
		w.replies(say("There."))
		o := explain.NotSkill(w.recording(), "order").Occasions[1]
		field := slices.ContainsFunc(o.Ways[0].Changes, func(c explain.Change) bool { return c.Kind == explain.OfFacts })
		if field != (tool == "look") {
			t.Errorf("%s: its result is changed: %t: %+v", tool, field, o.Ways[0].Changes)
		}
	}
}

// One field is changed, and all else stays byte for byte.
func TestSetField(t *testing.T) {
	for _, test := range []struct {
		text, key string
		value     guard.Value
		want      string
	}{
		{`{"a":1,"b":2}`, "a", guard.Of(7), `{"a":7,"b":2}`},
		{"{ \"a\" : 1.50 ,\n\t\"b\" : \"x\" }\n", "b", guard.Of("y"), "{ \"a\" : 1.50 ,\n\t\"b\" : \"y\" }\n"},
		{`{"a":1,"a":2}`, "a", guard.Of(3), `{"a":1,"a":3}`},
		{`{"in":{"a":1},"a":[{"a":2}]}`, "a", guard.Of(true), `{"in":{"a":1},"a":true}`},
		{`{"a":1}`, "b", guard.Of(2), `{"a":1,"b":2}`},
		{`{ }`, "b", guard.Of(2), `{"b":2 }`},
		{"{\"a\":1\n}", "b", guard.Of(nil), "{\"a\":1,\"b\":null\n}"},
		{`{"\u0061":1}`, "a", guard.Of(2), `{"\u0061":2}`},
		{`{"a":1,"b":2,"c":3}`, "a", guard.Value{}, `{"b":2,"c":3}`},
		{`{"a":1,"b":2,"c":3}`, "b", guard.Value{}, `{"a":1,"c":3}`},
		{`{"a":1,"a":2}`, "a", guard.Value{}, `{}`},
		{`no JSON`, "a", guard.Of("\""), `{"a":"\""}`},
		{`[1]`, "a", guard.Of(1), `{"a":1}`},
		{`[1]`, "a", guard.Value{}, `[1]`},
		{`{"":1}`, "", guard.Of(9007199254740993), `{"":9007199254740993}`},
	} {
		if got, ok := explain.SetField(test.text, test.key, test.value); !ok || got != test.want {
			t.Errorf("%q of %s = %s: %s, want %s", test.key, test.text, test.value, got, test.want)
		}
	}
}

func FuzzSetField(f *testing.F) {
	f.Add(`{"a":1,"b":{"a":2}}`, "a", `"x"`)
	f.Add(`{"\u0061" : [1,{}] , "a":2}`, "a", `null`)
	f.Add(`{"\xff":1}`, "\xff", `1e400`)
	f.Add(` {} `, "", `0`)
	f.Fuzz(func(t *testing.T, text, key, value string) {
		var v guard.Value
		if v.UnmarshalJSON([]byte(value)) != nil || !utf8.ValidString(key) {
			return
		}
		got, ok := explain.SetField(text, key, v)
		if !ok {
			return
		}
		var was, is map[string]json.RawMessage
		if json.Unmarshal([]byte(got), &is) != nil {
			t.Fatalf("%q became %q", text, got)
		}
		if utf8.ValidString(text) && string(is[key]) != string(v.AppendJSON(nil)) {
			t.Fatalf("%q became %q, in which %q is %s", text, got, key, is[key])
		}
		if json.Unmarshal([]byte(text), &was) != nil || !utf8.ValidString(text) {
			return
		}
		delete(was, key)
		for name, member := range was {
			if string(is[name]) != string(member) {
				t.Fatalf("%q became %q: %q is another one", text, got, name)
			}
		}
	})
}

// However a recording was damaged, and whatever is asked about, why not ends
// with an answer or with one of the four kinds of none.
func FuzzWhyNot(f *testing.F) {
	for _, r := range each(f) {
		whole := recorded(f, r)
		f.Add(whole, "delivery", "pay_back", model.Sum("Track the parcel.").String())
		f.Add(bytes.ReplaceAll(whole, []byte(`"because":[`), []byte(`"because":[99,20,3,`)), "billing", "look_up", model.Sum("Hello?").String()[:8])
		f.Add(bytes.ReplaceAll(whole, []byte(`"at":`), []byte(`"drop":9223372036854775807,"at":`)), "fraud", "read_skill", "zz")
		f.Add(bytes.ReplaceAll(whole, []byte(`"seq":1`), []byte(`"seq":-1`)), "notes", "choose", "00000000")
	}
	whole := recorded(f, busy(f))
	f.Add(whole, "escalation", "open_case", model.Sum(runbook(staleLine)).String())
	f.Add(bytes.ReplaceAll(whole, []byte(`\"to\":`), []byte(`\"from\":`)), "escalation", "open_case", "")
	f.Add(bytes.ReplaceAll(whole, []byte(`assess_risk`), []byte(`\u001b[31m`)), "triage", "\x1b[31m", "\xff")
	f.Add(bytes.ReplaceAll(whole, []byte(`"iteration":2`), []byte(`"iteration":1`)), "tone", "", "")
	f.Fuzz(func(t *testing.T, data []byte, skill, tool, piece string) {
		r, err := recording.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		s, n, p := explain.NotSkill(r, skill), explain.NotTool(r, tool), explain.NotPiece(r, piece)
		found := func(of string, none *explain.NotFound, some bool) {
			if (none == nil) != some {
				t.Fatalf("%s: something was found: %v, and the reason for nothing is %v", of, some, none)
			}
			if none != nil && !slices.Contains([]explain.Absence{explain.NotRecorded, explain.NotReached, explain.Refused, explain.OutOfBudget}, none.Kind) {
				t.Fatalf("%s: %q is none of the four kinds", of, none.Kind)
			}
			if none != nil && none.Reason == "" {
				t.Fatalf("%s: no reason is given", of)
			}
		}
		found("skill", s.NotFound, len(s.Occasions) > 0)
		found("tool", n.NotFound, len(n.Occasions) > 0)
		found("piece", p.NotFound, len(p.Occasions) > 0)
		for _, o := range s.Occasions {
			if o.From != skill && !o.Entered && o.To != skill && !o.Active {
				found("change", o.NoChange, o.Change != nil)
			}
		}
		for _, o := range n.Occasions {
			if o.Outcome != explain.ToolCalled && o.Outcome != explain.ToolFailed {
				found("change of a tool", o.NoChange, len(o.Changes) > 0)
			}
		}
		for _, o := range p.Occasions {
			if !o.In {
				found("change of a piece", o.NoChange, len(o.Changes) > 0)
			}
		}
		for _, v := range []fmt.Stringer{s, n, p} {
			if text := v.String(); strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f }) || !utf8.ValidString(text) {
				t.Fatalf("a terminal would act on %q", text)
			}
			if _, err := json.Marshal(v); err != nil {
				t.Fatal(err)
			}
		}
	})
}
