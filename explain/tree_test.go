package explain_test

import (
	"context"
	"testing"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/tool"
)

// In a tree the walk stands nowhere: what is told is which leaf was active,
// and where the tree turned away from the others.
func TestTree(t *testing.T) {
	m := &spoor.Map{
		Name: "ports",
		Skills: []spoor.Skill{
			{ID: "look", Body: "Read it."}, {ID: "repair", Body: "Repair it."}, {ID: "talk", Body: "Talk."},
		},
		Tree: &spoor.Tree{
			Label: "a port?", When: "userMessage.contains('port')",
			WhenTrue: &spoor.Tree{
				When:     "size(toolResults) > 0 && toolResults[0].json.errors > 1000",
				WhenTrue: &spoor.Tree{Skill: "repair"}, WhenFalse: &spoor.Tree{Skill: "look"},
			},
			WhenFalse: &spoor.Tree{Skill: "talk"},
		},
	}
	results := []string{`{"errors":41200}`, "no JSON"}
	read := tool.Tool{Name: "read_port", Call: func(context.Context, string) (tool.Result, error) {
		result := results[0]
		results = results[1:]
		return tool.Result{Text: result}, nil
	}}
	a, err := agent.New(agent.Config{Map: m, Conditions: cond.CEL, Tools: []tool.Tool{read}, Model: &script{[][]model.Part{
		call("read_port", "{}"), call("read_port", "{}"), say("I cannot tell."),
	}}})
	if err != nil {
		t.Fatal(err)
	}
	run, err := a.Run(context.Background(), "How is port 3?")
	if err != nil {
		t.Fatal(err)
	}
	r := run.Recording
	golden(t, "tree.txt", printed(r, explain.Narrate(r)))
	for _, skill := range []string{"look", "repair", "talk"} {
		golden(t, "tree-not-"+skill+".txt", printed(r, explain.NotSkill(r, skill)))
	}
}
