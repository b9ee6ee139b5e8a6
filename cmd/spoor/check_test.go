package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spoorhq/spoor/score"
)

// A judge scores as keyword does, and says that a model does it. It holds that
// what it costs was said before it was asked.
type judge struct {
	t    *testing.T
	said *bytes.Buffer
	n    *int
}

func (j judge) Traits() score.Traits { return score.Traits{Model: "judge-1"} }

func (j judge) Score(ctx context.Context, q score.Query) ([]score.Score, error) {
	if *j.n++; j.said.String() != "The audit asks the model judge-1 4 times.\n" {
		j.t.Errorf("before call %d it was said: %q", *j.n, j.said)
	}
	return score.Keyword.Score(ctx, q)
}

// An audit that asks a model says how often before it begins, and asks no more.
func TestAuditSaysWhatItCosts(t *testing.T) {
	name := filepath.Join(t.TempDir(), "map.yaml")
	text := `
skills: [{id: billing}, {id: person}]
start:
  rules:
    - {use: billing, match: {intent: money was charged in error, examples: [you charged me twice, my money please]}}
    - {use: person, match: {intent: wants a human, examples: [get me a human, a person about money]}}
  classify: dear
`
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := examine(name)
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	asked := 0
	if err := c.audit(t.Context(), &said, func(string) (score.Scorer, error) { return judge{t, &said, &asked}, nil }); err != nil {
		t.Fatal(err)
	}
	if asked != 4 {
		t.Errorf("it was asked %d times", asked)
	}
	if got := c.Problems.Error(); !strings.Contains(got, "overlapping-intents") || !strings.Contains(got, "(scorer dear)") {
		t.Error(got)
	}
}
