package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/match"
)

// The facts of the vectors are read as encoding/json reads them.
func TestFactsOfVectors(t *testing.T) {
	packed, err := os.Open("../../conformance/testdata/graphs.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 64<<20)
	n := 0
	for lines.Scan() {
		var v struct {
			Map  *spoor.Map
			Walk []struct{ Ctx json.RawMessage }
		}
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		for _, w := range v.Walk {
			n++
			var c struct {
				Iteration             int
				UserMessage           string
				History               []spoor.Message
				CurrentSkillID        string
				ActivatedInjectionIDs []string
				PendingSkillPick      string
				PendingToolTransition struct{ TargetSkillID string }
				ToolResults           []struct{ ToolName, Result, Status, ToolCallID string }
				TurnRoute             *struct {
					By       spoor.Cause
					From, To string
					Witness  *match.Witness
					Offered  []string
				}
			}
			if err := json.Unmarshal(w.Ctx, &c); err != nil {
				t.Fatal(err)
			}
			want := spoor.Facts{
				Iteration: c.Iteration, UserMessage: c.UserMessage, History: c.History, Cursor: c.CurrentSkillID,
				Pick: c.PendingSkillPick, Proposal: c.PendingToolTransition.TargetSkillID, Activated: c.ActivatedInjectionIDs,
			}
			for _, r := range c.ToolResults {
				want.Results = append(want.Results, spoor.Result{
					Tool: r.ToolName, CallID: r.ToolCallID, Executed: true, Status: spoor.Status(r.Status), Text: r.Result,
				})
			}
			if r := c.TurnRoute; r != nil {
				want.Verdict = &spoor.Verdict{By: r.By, To: r.To, From: r.From, Witness: r.Witness, Offered: r.Offered}
			}
			got, faults, err := openFacts("-", strings.NewReader(string(w.Ctx)), &mapfile.File{Map: v.Map})
			if err != nil || len(faults) > 0 {
				t.Fatalf("%s\n%v %v", w.Ctx, err, faults)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Fatalf("%s (-want +got):\n%s", w.Ctx, d)
			}
		}
	}
	if err := lines.Err(); err != nil || n < 3000 {
		t.Errorf("%d facts were read, %v", n, err)
	}
}

func TestFactsUnread(t *testing.T) {
	f := &mapfile.File{Map: new(spoor.Map)}
	long := "userMessage: " + strings.Repeat("a", maxFactsBytes)
	if _, _, err := openFacts("-", strings.NewReader(long), f); err == nil || !strings.Contains(err.Error(), "more than 16777216 bytes") {
		t.Errorf("got %v", err)
	}
	if _, _, err := openFacts("-", iotest.ErrReader(errors.New("it broke")), f); err == nil || !strings.Contains(err.Error(), "it broke") {
		t.Errorf("got %v", err)
	}
	many := "toolResults: [" + strings.Repeat("{},", 300) + "]"
	_, faults, err := openFacts("-", strings.NewReader(many), f)
	if err != nil || len(faults) != maxFactFaults+1 || faults[maxFactFaults].Message != "there are 200 more faults" {
		t.Errorf("got %d faults, %v", len(faults), err)
	}
}

// Nothing makes the reader panic, every fault has a place, and facts without
// one can be decided.
func FuzzFacts(f *testing.F) {
	f.Add("userMessage: a\ncurrentSkillId: a\ntoolResults: [{toolName: x, result: {n: 1}, status: denied, executed: false}]")
	f.Add(`{"iteration": 2, "history": [{"role": "user", "content": ""}], "turnRoute": {"by": "menu", "offered": ["b"]}}`)
	f.Add("pendingSkillPick: b\npendingToolTransition: {targetSkillId: b}\nactivatedInjectionIds: [b]")
	f.Add("lastToolResult: 010\niteration: 0x1\ntoolResults: [{result: .inf}, 1]")
	m := &spoor.Map{
		Skills: []spoor.Skill{{ID: "a"}, {ID: "b"}},
		Start:  spoor.Start{Rules: []spoor.Rule{{Use: "a", Match: match.Keywords("a")}}},
		Steps:  []spoor.Step{{From: "a", To: "b", OnToolReturn: "x"}},
	}
	g, err := spoor.Compile(m, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		facts, faults, err := openFacts("-", strings.NewReader(text), &mapfile.File{Map: m})
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range faults {
			if fault.Pos.Line < 1 || fault.Pos.Column < 1 || fault.Message == "" {
				t.Errorf("%+v", fault)
			}
		}
		if len(faults) == 0 {
			if _, err := json.Marshal(decide(g, facts)); err != nil {
				t.Error(err)
			}
		}
	})
}
