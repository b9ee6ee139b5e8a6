package agent_test

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/model/script"
	"github.com/spoorhq/spoor/tool"
)

// TestReadme holds that the program of the README is the Example, that it
// prints what the README says, and that the map and the script beside it do the
// same.
func TestReadme(t *testing.T) {
	data, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(data), "```")
	if len(blocks) != 9 {
		t.Fatalf("the README has %d fences, and this test knows 4 blocks", len(blocks)-1)
	}
	block := func(n int) string {
		_, text, _ := strings.Cut(blocks[2*n+1], "\n")
		return text
	}
	program, printed, yaml, rules := block(0), block(1), block(2), block(3)

	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	code, rest, _ := strings.Cut(string(source), "\n\t// Output:\n")
	output, rest, _ := strings.Cut(rest, "\n}\n")
	code = strings.NewReplacer("package agent_test", "package main", "func Example()", "func main()").Replace(code) + "}\n" + rest
	if d := cmp.Diff(code, program); d != "" {
		t.Errorf("the program (-example +readme):\n%s", d)
	}
	if n := strings.Count(program, "\n"); n > 50 {
		t.Errorf("the program has %d lines; 50 is the line to hold", n)
	}
	var want strings.Builder
	for line := range strings.Lines(output) {
		want.WriteString(strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(line, "\t"), "//"), " "))
	}
	if d := cmp.Diff(strings.TrimSpace(want.String()), strings.TrimSpace(printed)); d != "" {
		t.Errorf("what it prints (-example +readme):\n%s", d)
	}

	f, err := mapfile.Read(fstest.MapFS{"desk.yaml": {Data: []byte(yaml)}}, "desk.yaml")
	if err != nil {
		t.Fatal(err)
	}
	m, err := script.Parse("script.yaml", []byte(rules))
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Map.Skills { // the program has no file to name
		f.Map.Skills[i].Source.File = ""
	}
	a, err := agent.New(agent.Config{Map: f.Map, Model: m, Tools: []tool.Tool{tool.New("assess_risk", "Rate an order.", assess)}})
	if err != nil {
		t.Fatal(err)
	}
	run, err := a.Run(t.Context(), "I was charged twice for order 17")
	if err != nil {
		t.Fatal(err)
	}
	got := run.Answer + "\n" + explain.Span(run.Recording, "0.65").String() + "\n" + explain.NotSkill(run.Recording, "escalation").String()
	if d := cmp.Diff(strings.TrimSpace(printed), strings.TrimSpace(got)); d != "" {
		t.Errorf("the map as a file (-readme +got):\n%s", d)
	}
}
