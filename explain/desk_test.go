package explain_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/tool"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got); -update writes it anew:\n%s", path, diff)
	}
}

const staleLine = "- Customers can ask for a refund within 60 days of delivery."

// runbook is the body of the skill refunds, with a line that may be stale. It
// begins at line 5 of its file.
func runbook(line string) string {
	return "# Refunds\n\nCall check_refund first.\n\n## Refund window\n\n" + line + "\n\nSay the result first.\n"
}

// desk is the map of the examples: an order is rated, then paid back or handed
// over to a person.
func desk(line string) *spoor.Map {
	return &spoor.Map{
		Name: "desk",
		Skills: []spoor.Skill{
			{ID: "triage", Body: "Rate the order.", Tools: []string{"lookup_order", "assess_risk"}},
			{ID: "refunds", Body: runbook(line), Tools: []string{"check_refund"}, Source: spoor.Source{File: "skills/refunds/SKILL.md", Line: 5}},
			{ID: "escalation", Description: "Hand over to a person.", Body: "Say who takes over.", Tools: []string{"open_case"}},
			{ID: "feedback", Body: "Say thank you."},
			{ID: "tone", Body: "Write plain English, and never shout at a customer.", Delivery: spoor.DeliverResult},
		},
		Start: spoor.Start{Rules: []spoor.Rule{
			{Use: "escalation", Match: match.Keywords("human", "lawyer"), Label: "asks for a person"},
			{Use: "triage", Match: match.Keywords("refund", "charged twice"), Label: "money"},
			{Use: "feedback", When: "userMessage.contains('order')"},
		}},
		Steps: []spoor.Step{
			{From: "triage", To: "escalation", OnToolReturn: "assess_risk", Guard: guard.Guard{guard.Gte("riskLevel", "high"), guard.Gte("score", 0.7)}, Label: "risky"},
			{From: "triage", To: "refunds", OnToolReturn: "assess_risk", Guard: guard.Guard{guard.Lte("riskLevel", "medium")}, Label: "safe"},
			{From: "triage", To: "escalation", OnToolReturn: "assess_risk", Label: "neither"},
			{From: "triage", To: "escalation", OnToolStatus: spoor.Statuses{spoor.Failure}},
			{From: "refunds", To: "escalation", OnToolReturn: "check_refund", Guard: guard.Guard{guard.Gt("refundableCents", 50000)}},
			{From: "refunds", To: "feedback"},
		},
		Scales: guard.Scales{"riskLevel": {"low", "medium", "high"}},
	}
}

// A script is a model that gives one reply after the other.
type script struct{ replies [][]model.Part }

func (s *script) Call(_ context.Context, req *model.Request, _ func(model.Delta)) (model.Reply, error) {
	if len(s.replies) == 0 {
		return model.Reply{}, fmt.Errorf("the script has no reply for iteration %d", req.Iteration)
	}
	parts := s.replies[0]
	s.replies = s.replies[1:]
	return model.Reply{Parts: parts}, nil
}

func say(text string) []model.Part { return []model.Part{{Kind: model.Text, Data: text}} }

func call(nameArgs ...string) (parts []model.Part) {
	for i := 0; i < len(nameArgs); i += 2 {
		parts = append(parts, model.Part{Kind: model.Call, Tool: nameArgs[i], Data: nameArgs[i+1]})
	}
	return parts
}

// returns makes a tool that always answers the same.
func returns(name, text string) tool.Tool {
	return tool.Tool{Name: name, Call: func(context.Context, string) (tool.Result, error) { return tool.Result{Text: text}, nil }}
}

// results are what the tools of the desk answer, unless a test says otherwise.
var results = map[string]string{
	"lookup_order": `{"id":17,"item":"tent","paymentState":"paid","charges":[{"cents":8990},{"cents":8990}]}`,
	"assess_risk":  `{"orderId":17,"riskLevel":"medium","score":0.41}`,
	"check_refund": `{"orderId":17,"windowDays":30,"daysSinceArrival":42,"refundable":"89.90 EUR","reason":"charged twice; the \"window\" is over"}`,
	"open_case":    `{"caseId":"C-1001","team":"payments"}`,
}

// run walks one turn of the desk.
func run(t testing.TB, m *spoor.Map, answers map[string]string, message string, replies ...[]model.Part) *recording.Recording {
	t.Helper()
	c := agent.Config{Map: m, Model: &script{replies}, Conditions: cond.CEL, System: "You are the refund desk of a shop for outdoor gear."}
	for _, name := range []string{"lookup_order", "assess_risk", "check_refund", "open_case"} {
		text := results[name]
		if other, ok := answers[name]; ok {
			text = other
		}
		c.Tools = append(c.Tools, returns(name, text))
	}
	a, err := agent.New(c)
	if err != nil {
		t.Fatal(err)
	}
	out, err := a.Run(context.Background(), message)
	if out == nil {
		t.Fatal(err)
	}
	return out.Recording
}

const question = "I was charged twice for order 17. How long do I have to ask for a refund?"

// wrong is the run of the examples: the answer repeats the runbook, and the
// runbook is out of date.
func wrong(t testing.TB, line string) *recording.Recording {
	answer := strings.TrimPrefix(line, "- ") + " Order 17 arrived 42 days ago, so there is still time."
	return run(t, desk(line), nil, question,
		call("lookup_order", `{"orderId":17}`),
		call("assess_risk", `{"orderId":17}`),
		call("check_refund", `{"orderId":17}`),
		say(answer))
}

// printed is what people see, without the id of the run, which is chance.
func printed(r *recording.Recording, v fmt.Stringer) string {
	return strings.ReplaceAll(v.String(), r.Run, "RUN")
}
