package tool

import (
	"encoding/json"
	"strings"

	"github.com/spoorhq/spoor"
)

// Unwrap recognises the result envelope:
//
//	{"content": …, "status": "partial", "effects": []}
//
// A result is one if it is a JSON object that has content, effects and nothing
// but content, status and effects; if its status, where there is one, is of
// the closed set; if every effect is an object of a known kind; and if it says
// something, a status or an effect. Its text is the content: a string as it
// is, any other value as its JSON. Everything else is plain data, and its text
// is its own bytes.
func Unwrap(result string) (text string, status spoor.Status) {
	if !strings.Contains(result, `"effects"`) {
		return result, ""
	}
	if text, status, ok := unwrap(result); ok {
		return text, status
	}
	return result, ""
}

func unwrap(result string) (text string, status spoor.Status, ok bool) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(result), &fields); err != nil {
		return "", "", false
	}
	known := 0
	for _, key := range []string{"content", "status", "effects"} {
		if _, ok := fields[key]; ok {
			known++
		}
	}
	content, ok := fields["content"]
	if !ok || known < len(fields) {
		return "", "", false
	}
	if raw, ok := fields["status"]; ok {
		if json.Unmarshal(raw, &status) != nil || !status.Valid() {
			return "", "", false
		}
	}
	effects, ok := effectsOf(fields["effects"])
	if !ok || effects == 0 && status == "" {
		return "", "", false
	}
	if content[0] != '"' {
		return string(content), status, true
	}
	err := json.Unmarshal(content, &text)
	return text, status, err == nil
}

// effectsOf counts the effects of an envelope; ok is false if one of them is
// of no known kind.
func effectsOf(raw json.RawMessage) (n int, ok bool) {
	var effects []map[string]json.RawMessage
	if json.Unmarshal(raw, &effects) != nil || effects == nil {
		return 0, false
	}
	for _, e := range effects {
		if kind := string(e["kind"]); kind != `"propose-transition"` && kind != `"require-instruction"` {
			return 0, false
		}
	}
	return len(effects), true
}
