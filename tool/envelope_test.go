package tool_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/tool"
)

func TestUnwrapRecognisesAnEnvelope(t *testing.T) {
	for _, c := range []struct {
		result, text string
		status       spoor.Status
	}{
		{`{"content": "half of it", "status": "partial", "effects": []}`, `half of it`, spoor.Partial},
		{`{"effects":[],"status":"absent","content":{"id":17, "n": 1.0}}`, `{"id":17, "n": 1.0}`, spoor.Absent},
		{`{"content": null, "status": "denied", "effects": []}`, `null`, spoor.Denied},
		{`{"content": "", "status": "success", "effects": []}`, ``, spoor.Success},
		{`{"content": 9007199254740993, "status": "success", "effects": []}`, `9007199254740993`, spoor.Success},
		{`{"content": ["a"], "status": "pending", "effects": []}`, `["a"]`, spoor.Pending},
		{`{"content": "two\nlines \u00e9", "status": "failure", "effects": []}`, "two\nlines é", spoor.Failure},
		{" \n{\"content\": \"x\", \"status\": \"invalid\", \"effects\": []}\n", `x`, spoor.Invalid},
		{`{"content": "x", "effects": [{"kind": "propose-transition", "targetSkillId": "billing", "reason": "paid"}]}`, `x`, ""},
		{`{"content": "x", "effects": [{"kind": "propose-transition"}]}`, `x`, ""}, // this effect is refused, the envelope is one
		{`{"content": "x", "status": "success", "effects": [{"kind": "require-instruction", "instructionId": "vat"}]}`, `x`, spoor.Success},
		{`{"content": "{\"effects\":[]}", "status": "success", "effects": []}`, `{"effects":[]}`, spoor.Success}, // unwrapped once
	} {
		if text, status, _ := tool.Unwrap(c.result); text != c.text || status != c.status {
			t.Errorf("%s\ngot  %q, %q\nwant %q, %q", c.result, text, status, c.text, c.status)
		}
	}
}

func TestUnwrapReadsEffects(t *testing.T) {
	_, _, got := tool.Unwrap(`{"content": "x", "effects": [
		{"kind": "propose-transition", "targetSkillId": "billing", "reason": "paid", "because": 1},
		{"kind": "require-instruction", "instructionId": "vat", "deliveryLease": "next-call"},
		{"kind": "propose-transition", "targetSkillId": 5}]}`)
	want := []spoor.Effect{
		{Kind: spoor.ProposeTransition, Target: "billing", Reason: "paid"},
		{Kind: spoor.RequireInstruction, Instruction: "vat", Lease: spoor.NextCall},
		{Kind: spoor.ProposeTransition}, // it names no skill, and is refused for that
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestUnwrapLeavesDataAlone(t *testing.T) {
	for why, result := range map[string]string{
		"it is text":                         `all "effects" are fine`,
		"it is empty":                        ``,
		"it is a list":                       `[{"content": "x", "status": "success", "effects": []}]`,
		"it is null":                         `null`,
		"it is not whole":                    `{"content": "x", "status": "success", "effects": []`,
		"something follows it":               `{"content": "x", "status": "success", "effects": []} and so on`,
		"effects are missing":                `{"content": "x", "status": "denied"}`,
		"content is missing":                 `{"status": "success", "effects": []}`,
		"it says nothing":                    `{"content": "x", "effects": []}`,
		"it has another key":                 `{"content": "x", "status": "success", "effects": [], "id": 17}`,
		"the status is of no closed set":     `{"content": "x", "status": "ok", "effects": []}`,
		"the status is spelled otherwise":    `{"content": "x", "status": "Success", "effects": []}`,
		"the status is null":                 `{"content": "x", "status": null, "effects": []}`,
		"the status is empty":                `{"content": "x", "status": "", "effects": [{"kind": "propose-transition"}]}`,
		"the status is a number":             `{"content": "x", "status": 1, "effects": []}`,
		"the effects are null":               `{"content": "x", "status": "success", "effects": null}`,
		"the effects are an object":          `{"content": "x", "status": "success", "effects": {}}`,
		"an effect is a word":                `{"content": "x", "effects": ["fireworks"]}`,
		"an effect is null":                  `{"content": "x", "status": "success", "effects": [null]}`,
		"an effect is of no known kind":      `{"content": "x", "effects": [{"kind": "fireworks"}]}`,
		"one effect of two is of none":       `{"content": "x", "effects": [{"kind": "propose-transition"}, {"kind": 1}]}`,
		"the keys are spelled otherwise":     `{"Content": "x", "Status": "success", "effects": []}`,
		"an envelope is inside it":           `{"data": {"content": "x", "status": "success", "effects": []}}`,
		"an effect has no kind":              `{"content": "x", "status": "success", "effects": [{}]}`,
		"a domain object has such a field":   `{"effects": ["glow"], "name": "lamp"}`,
		"a domain object has all the fields": `{"content": "x", "effects": ["glow"], "status": "success"}`,
	} {
		if text, status, _ := tool.Unwrap(result); text != result || status != "" {
			t.Errorf("%s: %s\ngot %q, %q", why, result, text, status)
		}
	}
}

// FuzzUnwrap: either the result is an envelope, with content, effects and
// something to say, or it is told as it is.
func FuzzUnwrap(f *testing.F) {
	f.Add(`{"content": "x", "status": "partial", "effects": []}`)
	f.Add(`{"content": {"effects": []}, "effects": [{"kind": "propose-transition"}]}`)
	f.Add(`{"effects": [], "content": "\ud800", "status": null}`)
	f.Fuzz(func(t *testing.T, result string) {
		text, status, _ := tool.Unwrap(result)
		if status != "" && !status.Valid() {
			t.Errorf("status %q", status)
		}
		if text == result && status == "" {
			return
		}
		var v map[string]any
		if err := json.Unmarshal([]byte(result), &v); err != nil {
			t.Fatalf("%q is no JSON, and told as %q", result, text)
		}
		effects, ok := v["effects"].([]any)
		if content, there := v["content"]; !there || !ok || len(v) > 3 {
			t.Errorf("%q is told as %q", result, text)
		} else if s, ok := content.(string); ok && s != text {
			t.Errorf("content %q is told as %q", s, text)
		}
		if declared, _ := v["status"].(string); spoor.Status(declared) != status || status == "" && len(effects) == 0 {
			t.Errorf("%q has the status %q", result, status)
		}
	})
}

func ExampleUnwrap() {
	for _, result := range []string{
		`{"content": {"order": 17}, "status": "partial", "effects": []}`,
		`{"order": 17}`,
	} {
		text, status, _ := tool.Unwrap(result)
		fmt.Println(strings.TrimSpace(text + " " + string(status)))
	}
	// Output:
	// {"order": 17} partial
	// {"order": 17}
}
