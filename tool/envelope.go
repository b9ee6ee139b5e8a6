package tool

import (
	"encoding/json"
	"strings"

	"github.com/spoorhq/spoor"
)

// Unwrap recognises the result envelope:
//
//	{"content": …, "status": "partial", "effects": [
//	    {"kind": "propose-transition", "targetSkillId": "billing", "reason": "it is paid"},
//	    {"kind": "require-instruction", "instructionId": "vat", "deliveryLease": "next-call"}]}
//
// A result is one if it is a JSON object that has content, effects and nothing
// but content, status and effects; if its status, where there is one, is of
// the closed set; if every effect is an object of a known kind; and if it says
// something, a status or an effect. Its text is the content: a string as it
// is, any other value as its JSON. An effect of which something is missing, or
// is no string, is refused later, when it is judged. Everything else is plain
// data, and its text is its own bytes.
func Unwrap(result string) (text string, status spoor.Status, effects []spoor.Effect) {
	if !strings.Contains(result, `"effects"`) {
		return result, "", nil
	}
	if text, status, effects, ok := unwrap(result); ok {
		return text, status, effects
	}
	return result, "", nil
}

func unwrap(result string) (text string, status spoor.Status, effects []spoor.Effect, ok bool) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(result), &fields); err != nil {
		return "", "", nil, false
	}
	known := 0
	for _, key := range []string{"content", "status", "effects"} {
		if _, ok := fields[key]; ok {
			known++
		}
	}
	content, ok := fields["content"]
	if !ok || known < len(fields) {
		return "", "", nil, false
	}
	if raw, ok := fields["status"]; ok {
		if json.Unmarshal(raw, &status) != nil || !status.Valid() {
			return "", "", nil, false
		}
	}
	effects, ok = effectsOf(fields["effects"])
	if !ok || len(effects) == 0 && status == "" {
		return "", "", nil, false
	}
	if content[0] != '"' {
		return string(content), status, effects, true
	}
	err := json.Unmarshal(content, &text)
	return text, status, effects, err == nil
}

// effectsOf reads the effects of an envelope; ok is false if they are no list,
// or one of them is of no known kind.
func effectsOf(raw json.RawMessage) (effects []spoor.Effect, ok bool) {
	var list []map[string]json.RawMessage
	if json.Unmarshal(raw, &list) != nil || list == nil {
		return nil, false
	}
	for _, fields := range list {
		word := func(key string) (s string) {
			if json.Unmarshal(fields[key], &s) != nil {
				return ""
			}
			return s
		}
		e := spoor.Effect{
			Kind: spoor.EffectKind(word("kind")), Target: word("targetSkillId"), Reason: word("reason"),
			Instruction: word("instructionId"), Lease: spoor.Lease(word("deliveryLease")),
		}
		if e.Kind != spoor.ProposeTransition && e.Kind != spoor.RequireInstruction {
			return nil, false
		}
		effects = append(effects, e)
	}
	return effects, true
}
