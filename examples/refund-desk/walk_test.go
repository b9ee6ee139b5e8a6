package refunddesk_test

import (
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/cond"
	refunddesk "github.com/spoorhq/spoor/examples/refund-desk"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/model/script"
	"github.com/spoorhq/spoor/tool"
	"github.com/spoorhq/spoor/tool/mcp"
)

var update = flag.Bool("update", false, "rewrite testdata/answers.txt")

// TestMessages walks every message of messages.txt on a desk of its own, and
// compares the places that it stood in and the answer.
func TestMessages(t *testing.T) {
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
		got.WriteString(walk(t, message, refunddesk.Fresh(t).Tools()))
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

// walk walks one message, and tells the places that it stood in and the answer.
func walk(t *testing.T, message string, tools []tool.Tool) string {
	t.Helper()
	f, err := mapfile.Read(refunddesk.Files, "map.yaml")
	if err != nil {
		t.Fatal(err)
	}
	m, err := script.Read(refunddesk.Files, "script.yaml")
	if err != nil {
		t.Fatal(err)
	}
	a, err := agent.New(agent.Config{
		Map: f.Map, Conditions: cond.CEL, Model: m, Tools: tools,
		System: f.Agent.System, MaxIterations: f.Agent.MaxIterations, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	run, err := a.Run(t.Context(), message)
	if err != nil {
		t.Fatalf("%s: %v", message, err)
	}
	if run.Limited || run.Answer == "" {
		t.Errorf("%s: limited %v, answer %q", message, run.Limited, run.Answer)
	}
	return fmt.Sprintf("> %s\n  %s\n  %s\n\n", message, strings.Join(run.Recording.Entry().Skills, " → "), run.Answer)
}

// A walk with the tools of a server, which is another process, is the same walk.
func TestServedWalk(t *testing.T) {
	servers, err := mcp.Open(t.Context(), nil, mcp.Server{
		Name: "desk", Command: os.Args[0],
		Env: []mcp.Variable{
			{Name: "REFUND_DESK_DO", Value: "serve"},
			{Name: "REFUND_DESK_FILE", Value: filepath.Join(t.TempDir(), "orders.db")},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer servers.Close()
	tools, err := servers.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	direct := refunddesk.Fresh(t).Tools()
	for _, message := range []string{
		refunddesk.Question,
		"Please refund order 118",
		"Please refund order 23, I was charged twice",
		"You charged me for order 9007199254740993 and the rope came damaged.",
		"I need a refund for order 4711.",
	} {
		if d := cmp.Diff(walk(t, message, direct), walk(t, message, tools)); d != "" {
			t.Errorf("the Go function (-) and the server (+):\n%s", d)
		}
	}
}
