package explain_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/tool"
)

// busy is a turn in which much is asked for and not all of it granted: the
// order cannot be looked up, two results lead to different places, the model
// picks a skill that does not win, one that is not there, a tool that is not
// there, and in the end a skill that only it can reach.
func busy(t testing.TB) *recording.Recording {
	lookup := tool.Tool{Name: "lookup_order", Call: func(context.Context, string) (tool.Result, error) {
		return tool.Result{}, errors.New("there is no order 4711")
	}}
	m := desk(staleLine)
	scoped := true
	m.ScopeTools = &scoped
	a, err := agent.New(agent.Config{Map: m, Conditions: cond.CEL, MaxIterations: 4, Model: &script{[][]model.Part{
		append(say("Let me see."), call(
			"assess_risk", `{"orderId":4711}`, "lookup_order", `{"orderId":4711}`,
			"read_skill", `{"id":"escalation"}`, "read_skill", `{"id":"nowhere"}`)...),
		call("open_case", `{}`, "check_refund", `{"orderId":4711}`),
		call("read_skill", `{"id":"feedback"}`),
		say("Thank you."),
	}}, Tools: []tool.Tool{lookup, returns("assess_risk", results["assess_risk"]),
		returns("check_refund", `{"content":{"refundableCents":100},"status":"partial","effects":[]}`), returns("open_case", "{}")}})
	if err != nil {
		t.Fatal(err)
	}
	out, err := a.Run(context.Background(), "Please refund order 4711.")
	if err != nil {
		t.Fatal(err)
	}
	return out.Recording
}

func TestNarrate(t *testing.T) {
	r := busy(t)
	golden(t, "story.txt", printed(r, explain.Narrate(r)))
	for _, l := range explain.Narrate(r).Lines {
		if l.Event == 0 || l.Kind == "" || l.Text == "" || strings.ContainsAny(l.Text, "{}") && l.Kind == "context.evaluated" {
			t.Errorf("a line says nothing, or its template was not filled: %+v", l)
		}
	}
}

// Told in full, every part of every request is there as it reads back.
func TestNarrateFull(t *testing.T) {
	long := strings.Repeat("and so on, ", 80) + "and no further."
	r := run(t, desk(staleLine), map[string]string{"assess_risk": "{\n\t\"note\":\"" + long + "\x1b[31m\"}"}, "Please refund\n  order 17.",
		append([]model.Part{{Kind: model.Thinking, Data: "First\nthe risk."}}, call("assess_risk", `{"orderId":17}`)...),
		say("It is "+long))
	golden(t, "story-full.txt", printed(r, explain.NarrateFull(r)))
	full := map[int][]string{}
	for _, l := range explain.NarrateFull(r).Lines {
		full[l.Event] = append(full[l.Event], l.Full)
	}
	for i := range r.Events {
		seq := r.Events[i].Seq
		parts, _ := r.Request(seq)
		for k, p := range parts {
			if got := full[seq][k+1]; got != p.Data {
				t.Errorf("part %d of the request of event %d is told as %q, want %q", k+1, seq, got, p.Data)
			}
		}
	}
	short, all := explain.Narrate(r), explain.NarrateFull(r)
	for _, l := range short.Lines {
		if l.Full != "" {
			t.Errorf("this is told in full: %+v", l)
		}
	}
	for i := range all.Lines {
		all.Lines[i].Full = ""
	}
	if len(all.Lines) <= len(short.Lines) {
		t.Errorf("in full there are %d lines, and %d without", len(all.Lines), len(short.Lines))
	}
}

// An error of several lines is told as it is laid out, and once.
func TestLongError(t *testing.T) {
	a, err := agent.New(agent.Config{Map: desk(staleLine), Conditions: cond.CEL, Model: fails{}, Tools: []tool.Tool{
		returns("lookup_order", ""), returns("assess_risk", ""), returns("check_refund", ""), returns("open_case", "")}})
	if err != nil {
		t.Fatal(err)
	}
	out, _ := a.Run(context.Background(), question)
	golden(t, "error.txt", printed(out.Recording, explain.Narrate(out.Recording))+"\n"+explain.Answer(out.Recording).String())
}

type fails struct{}

func (fails) Call(context.Context, *model.Request, func(model.Delta)) (model.Reply, error) {
	return model.Reply{}, errors.New("no rule answers this:\n  purpose     answer\n\tskill       \"\x1btriage\"\n")
}

// A turn without an answer is told as one, by all.
func TestWithoutAnswer(t *testing.T) {
	r := run(t, desk(staleLine), nil, question, say(""))
	if text := explain.Narrate(r).String(); !strings.Contains(text, "the turn ended without an answer: the last reply has no text") {
		t.Errorf("got\n%s", text)
	}
	a, err := agent.New(agent.Config{
		Map: desk(staleLine), Conditions: cond.CEL, MaxIterations: 1, Model: &script{[][]model.Part{call("assess_risk", "{}")}},
		Tools: []tool.Tool{returns("lookup_order", ""), returns("assess_risk", ""), returns("check_refund", ""), returns("open_case", "")},
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := a.Run(context.Background(), question)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []fmt.Stringer{explain.Narrate(out.Recording), explain.Answer(out.Recording)} {
		if text := v.String(); !strings.Contains(text, "the turn ended without an answer: the budget of model calls was spent") {
			t.Errorf("got\n%s", text)
		}
	}
}

func TestMove(t *testing.T) {
	r := busy(t)
	golden(t, "move.txt", explain.Move(r, 2).String()+"\n"+explain.Move(r, 4).String())
	for n, want := range map[int]explain.Absence{0: explain.NotRecorded, -3: explain.NotRecorded, 5: explain.NotReached} {
		if m := explain.Move(r, n); m.NotFound == nil || m.NotFound.Kind != want || m.Iteration != n {
			t.Errorf("Move(%d) is\n%vwant %s", n, m, want)
		}
	}
	data, err := json.MarshalIndent(explain.Move(r, 2), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "move.json", string(data)+"\n")
}

func TestNotSkill(t *testing.T) {
	r := busy(t)
	for _, skill := range []string{"escalation", "feedback", "tone"} {
		golden(t, "not-"+skill+".txt", explain.NotSkill(r, skill).String())
	}
	n := explain.NotSkill(r, "refunds")
	if len(n.Entered) != 1 || n.Entered[0].Iteration != 2 {
		t.Errorf("refunds was entered in iteration 2; got\n%v", n)
	}
	if n := explain.NotSkill(r, "escalatoin"); n.NotFound == nil || !strings.Contains(n.NotFound.Reason, `did you mean "escalation"?`) {
		t.Errorf("want the name that was meant, got\n%v", n)
	}
}

// Every way that is told has a reason and a kind of evidence; every occasion
// without one says why.
func TestNeverEmpty(t *testing.T) {
	for _, r := range []*recording.Recording{busy(t), wrong(t, staleLine)} {
		for _, skill := range []string{"triage", "refunds", "escalation", "feedback", "tone", "nosuch"} {
			n := explain.NotSkill(r, skill)
			if (n.NotFound == nil) == (len(n.Occasions) == 0) {
				t.Errorf("%s has %d occasions, and the reason %v", skill, len(n.Occasions), n.NotFound)
			}
			for _, o := range n.Occasions {
				if o.From != skill && (o.NotFound == nil) == (len(o.Ways) == 0) {
					t.Errorf("%s has %d ways in iteration %d, and the reason %v", skill, len(o.Ways), o.Iteration, o.NotFound)
				}
				for _, w := range o.Ways {
					if w.Evidence == "" || w.Outcome == "" || w.Text == "" || strings.Contains(w.Text, "{from}") {
						t.Errorf("iteration %d of %s has the way %+v", o.Iteration, skill, w)
					}
				}
			}
		}
	}
}

// A condition that is a function of the program can only be told of from the
// record; one in CEL is asked again.
func TestConditions(t *testing.T) {
	m := &spoor.Map{
		Skills: []spoor.Skill{{ID: "ask"}, {ID: "rich"}, {ID: "poor"}, {ID: "odd"}, {ID: "late"}},
		Start:  spoor.Start{Use: "ask"},
		Steps: []spoor.Step{
			{From: "ask", To: "rich", When: "isRich"},
			{From: "ask", To: "odd", When: "json.cents % 2 == 1", Label: "odd cents"},
			{From: "ask", To: "odd", When: "json.pence > 1"},
			{From: "ask", To: "poor", When: "toolName == 'look'"},
			{From: "ask", To: "late", When: "isLate"},
		},
	}
	no := func(spoor.Situation) (bool, error) { return false, nil }
	a, err := agent.New(agent.Config{
		Map: m, Conditions: &cond.Set{Funcs: map[string]spoor.Condition{"isRich": no, "isLate": no}},
		Model: &script{[][]model.Part{call("look", "{}"), say("Done.")}},
		Tools: []tool.Tool{returns("look", `{"cents":8}`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := a.Run(context.Background(), "Look.")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, skill := range []string{"rich", "odd", "poor", "late"} {
		fmt.Fprintln(&text, explain.NotSkill(out.Recording, skill))
	}
	golden(t, "conditions.txt", text.String())
}

// In a conversation the last turn is explained. A result of an earlier turn is
// followed to the message that set it off.
func TestConversation(t *testing.T) {
	a, err := agent.New(agent.Config{
		Map: desk(staleLine), Conditions: cond.CEL,
		Model: &script{[][]model.Part{
			call("lookup_order", `{"orderId":17}`), say("What about it?"),
			call("lookup_order", `{"orderId":18}`), say("Twice 8990 cents for the tent."),
		}},
		Tools: []tool.Tool{
			returns("lookup_order", `{"charges":[8990,8990]}`), returns("assess_risk", "{}"), returns("check_refund", "{}"), returns("open_case", "{}"),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	first, err := a.Run(context.Background(), "A refund for order 17, please.")
	if err != nil {
		t.Fatal(err)
	}
	second, err := a.Reply(context.Background(), first.Recording, "I was charged twice!")
	if err != nil {
		t.Fatal(err)
	}
	r := second.Recording
	golden(t, "conversation.txt", explain.Span(r, "8990").String()+"\n"+explain.NotSkill(r, "escalation").String())
	if s := explain.Span(r, "What about it?").String(); !strings.Contains(s, "the last turn's answer does not contain these words; spoor show tells the turns before it\n") {
		t.Errorf("of words of an earlier turn it says\n%s", s)
	}
	if m := explain.Move(r, 1); m.Turn != 2 {
		t.Errorf("the first move of the last turn is of turn %d", m.Turn)
	}
}

// judged is a move at which a guard of so many rows was judged so often.
func judged(t testing.TB, times, rows int) *recording.Recording {
	j := spoor.Judgement{Ref: "steps[0]"}
	for range rows {
		j.Conditions = append(j.Conditions, guard.Evidence{Cond: &guard.Cond{Key: "n"}, Actual: "1"})
	}
	move := spoor.Move{To: "refunds", By: spoor.ByStay}
	for range times {
		move.Closed = append(move.Closed, j)
	}
	return appended(t, []event.Event{
		{Seq: 1, Turn: 1, Body: &event.Started{}},
		{Seq: 2, Turn: 1, Iteration: 1, Body: &event.Evaluated{Move: move}},
	})
}

// Judgements without end are told in bounds.
func TestEvidenceIsBounded(t *testing.T) {
	r := judged(t, 2000, 50)
	for _, text := range []string{explain.Move(r, 1).String(), explain.Narrate(r).String()} {
		if n := strings.Count(text, "\n"); n < 1000 || n > 1100 || !strings.Contains(text, "more of it") {
			t.Errorf("it is told in %d lines", n)
		}
	}
}
