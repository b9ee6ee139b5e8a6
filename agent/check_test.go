package agent_test

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/tool"
)

// hurt is a map with an error and a warning: a rule claims a phrase that none may
// claim, and no tool is named rte_order.
func hurt() *spoor.Map {
	m := desk()
	m.Skills[0].Body = "Call rate(id) or rte_order(id)."
	m.NeverRoutes = spoor.Phrases{"no refund"}
	return m
}

// TestCheck is what New does with what a check-up finds.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		check    agent.Check
		refused  string // codes
		problems string
		logged   int
	}{
		{"", "never-routes-claimed", "", 0},
		{agent.CheckThrow, "never-routes-claimed", "", 0},
		{agent.CheckWarn, "", "body-unknown-tool never-routes-claimed", 2},
		{agent.CheckOff, "", "", 0},
	} {
		var log bytes.Buffer
		a, err := agent.New(agent.Config{
			Map: hurt(), Model: talk{}, Tools: []tool.Tool{rate("")}, Check: c.check,
			Log: slog.New(slog.NewTextHandler(&log, nil)),
		})
		refused, _ := err.(spoor.Problems)
		if got := codes(refused); got != c.refused || (a == nil) != (c.refused != "") {
			t.Errorf("%q: refused %q, want %q", c.check, got, c.refused)
		}
		if a == nil {
			continue
		}
		if got := codes(a.Problems()); got != c.problems {
			t.Errorf("%q: problems %q, want %q", c.check, got, c.problems)
		}
		if got := strings.Count(log.String(), "\n"); got != c.logged {
			t.Errorf("%q: %d lines, want %d:\n%s", c.check, got, c.logged, &log)
		}
	}
	if _, err := agent.New(agent.Config{Map: desk(), Model: talk{}, Check: "of"}); err == nil || !strings.Contains(err.Error(), "throw, warn or off") {
		t.Error(err)
	}
}

// The bodies are checked against the tools that the agent has: one that no
// skill lists may be named in any body, one of another skill may not.
func TestCheckBodies(t *testing.T) {
	m := desk()
	m.Skills[0].Body = "Call rate(id), then track_parcel(id)."
	m.Skills[1].Body = "Never rate again."
	tools := []tool.Tool{rate(""), {Name: "track_parcel", Call: rate("").Call}}
	a, err := agent.New(agent.Config{Map: m, Model: talk{}, Tools: tools, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if got := codes(a.Problems()); got != "body-foreign-tool" || a.Problems()[0].Skill != "person" {
		t.Errorf("%v", a.Problems())
	}
}

// A map of skills alone has no entry, and is walked with every skill open.
func TestCheckSkillsAlone(t *testing.T) {
	m := &spoor.Map{Skills: desk().Skills}
	if _, err := agent.New(agent.Config{Map: m, Model: talk{}, Tools: []tool.Tool{rate("")}, Log: slog.New(slog.DiscardHandler)}); err != nil {
		t.Error(err)
	}
}

func codes(ps spoor.Problems) string {
	var codes []string
	for _, p := range ps {
		codes = append(codes, p.Code)
	}
	slices.Sort(codes)
	return strings.Join(codes, " ")
}
