package mapfile_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
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
	packed, err := os.Open("../conformance/testdata/graphs.jsonl.gz")
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
			got, err := mapfile.ReadFacts(bytes.NewReader(w.Ctx), "ctx.json", nil)
			if err != nil {
				t.Fatalf("%s\n%v", w.Ctx, err)
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
	long := "userMessage: " + strings.Repeat("a", 16<<20)
	if _, err := mapfile.ReadFacts(strings.NewReader(long), "long.yaml", nil); err == nil || !strings.Contains(err.Error(), "more than 16777216 bytes") {
		t.Errorf("got %v", err)
	}
	broke := errors.New("it broke")
	if _, err := mapfile.ReadFacts(iotest.ErrReader(broke), "stdin", nil); !errors.Is(err, broke) {
		t.Errorf("got %v", err)
	}
	many := "toolResults: [" + strings.Repeat("{},", 300) + "]"
	_, err := mapfile.ReadFacts(strings.NewReader(many), "many.yaml", nil)
	var faults mapfile.Faults
	if !errors.As(err, &faults) || len(faults) != 101 || faults[100].String() != "many.yaml:1:312: more: there are 200 more faults" {
		t.Errorf("%d faults, the last %v", len(faults), faults[len(faults)-1])
	}
}

// What a check finds stands among the faults of the file, where its address is.
func TestFactsChecked(t *testing.T) {
	check := func(f spoor.Facts) spoor.Problems {
		if f.Cursor != "b" {
			t.Errorf("asked about %+v", f)
		}
		return spoor.Problems{
			{Code: "unknown-skill", Ref: "currentSkillId", Message: "no b", Hint: "did you mean a?"},
			{Code: "unknown-skill", Ref: "turnRoute.offered[0]", Message: "no c"},
			{Code: "unknown-skill", Ref: "turnRoute.to", Message: "no d"},
		}
	}
	const text = "history: {}\ncurrentSkillId:   b\nturnRoute:\n  by: menu\n  offered: [c]\nmore: 1\n"
	_, err := mapfile.ReadFacts(strings.NewReader(text), "facts.yaml", check)
	const want = `facts.yaml:1:10: history: wrong-type: a list is wanted here, not a mapping
facts.yaml:2:19: currentSkillId: unknown-skill: no b (did you mean a?)
facts.yaml:3:1: turnRoute.to: unknown-skill: no d
facts.yaml:5:13: turnRoute.offered[0]: unknown-skill: no c
facts.yaml:6:1: more: unknown-key: facts have no key "more" (the keys are activatedInjectionIds, currentSkillId, history, iteration, pendingSkillPick, pendingToolTransition, toolResults, turnRoute, userMessage)`
	if d := cmp.Diff(want, fmt.Sprint(err)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if _, err := mapfile.ReadFacts(strings.NewReader("{currentSkillId: b}"), "facts.yaml", check); err == nil {
		t.Error("what a check finds is no error")
	}
	unasked := func(spoor.Facts) spoor.Problems {
		t.Error("a check was asked about a file that cannot be read")
		return nil
	}
	if _, err := mapfile.ReadFacts(strings.NewReader("{"), "facts.yaml", unasked); err == nil {
		t.Error("no fault")
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
		facts, err := mapfile.ReadFacts(strings.NewReader(text), "facts.yaml", nil)
		if err == nil {
			move := g.Next(facts)
			if _, err := json.Marshal(move); err != nil {
				t.Error(err)
			}
			g.Superseded(facts, move)
			g.Active(facts, move)
			return
		}
		var faults mapfile.Faults
		if !errors.As(err, &faults) || len(faults) == 0 {
			t.Fatal(err)
		}
		for _, fault := range faults {
			if fault.Pos.File != "facts.yaml" || fault.Pos.Line < 1 || fault.Pos.Column < 1 || fault.Message == "" || fault.Code == "" || fault.Level != "error" {
				t.Errorf("an incomplete fault: %+v", fault)
			}
		}
	})
}
