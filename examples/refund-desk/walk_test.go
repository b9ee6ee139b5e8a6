package refunddesk_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/cond"
	refunddesk "github.com/spoorhq/spoor/examples/refund-desk"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/model/script"
)

var update = flag.Bool("update", false, "rewrite testdata/answers.txt")

// TestMessages walks every message of messages.txt on a desk of its own, and
// compares the places that it stood in and the answer.
func TestMessages(t *testing.T) {
	f, err := mapfile.Read(refunddesk.Files, "map.yaml")
	if err != nil {
		t.Fatal(err)
	}
	m, err := script.Read(refunddesk.Files, "script.yaml")
	if err != nil {
		t.Fatal(err)
	}
	messages, err := refunddesk.Files.ReadFile("messages.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	n := 0
	for line := range strings.Lines(string(messages)) {
		message := strings.TrimSpace(line)
		if message == "" {
			continue
		}
		n++
		a, err := agent.New(agent.Config{
			Map: f.Map, Conditions: cond.CEL, Model: m, Tools: refunddesk.New().Tools(),
			System: f.Agent.System, MaxIterations: f.Agent.MaxIterations,
		})
		if err != nil {
			t.Fatal(err)
		}
		run, err := a.Run(t.Context(), message)
		if err != nil {
			t.Errorf("%s: %v", message, err)
			continue
		}
		if run.Limited || run.Answer == "" {
			t.Errorf("%s: limited %v, answer %q", message, run.Limited, run.Answer)
		}
		fmt.Fprintf(&got, "> %s\n  %s\n  %s\n\n", message, strings.Join(run.Recording.Entry().Skills, " → "), run.Answer)
	}
	if n < 36 {
		t.Errorf("there are %d messages; a few dozen are wanted", n)
	}
	const golden = "testdata/answers.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got.String()); d != "" {
		t.Errorf("answers (-want +got):\n%s", d)
	}
}
