package explain

import (
	"encoding/json"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
)

// A Stale names the result that took the place of another: the last one of the
// same tool and the same arguments before the answer.
type Stale struct {
	Event int    `json:"event"`
	Call  string `json:"call"`
	Tool  string `json:"tool"`

	// Same is set if it has the same bytes, so that nothing is out of date.
	Same bool `json:"same,omitempty"`

	piece model.Digest
}

// A returned result is one that the recording has of before the answer.
type returned struct {
	at    int // the event
	call  string
	tool  string
	piece model.Digest
}

// stale finds what took the place of a result; nil if nothing did.
func (q *inquiry) stale(s *shown) *Stale {
	if s.kind != FromResult || s.origin < 0 {
		return nil
	}
	key, ok := q.callKey(s.origin)
	if !ok {
		return nil
	}
	list := q.returned()[key]
	if len(list) == 0 {
		return nil
	}
	last := list[len(list)-1]
	if last.at <= s.origin {
		return nil
	}
	return &Stale{Event: q.t.seq(last.at), Call: last.call, Tool: last.tool, Same: last.piece == s.Piece, piece: last.piece}
}

// returned lists the results up to the answer by tool and arguments.
func (q *inquiry) returned() map[string][]returned {
	w := q.rowed()
	if w.returned != nil {
		return w.returned
	}
	w.returned = map[string][]returned{}
	for i := range q.reply {
		call, part := resultOf(q.t.event(i).Body)
		if part.Kind == "" || part.Tool == readSkill {
			continue
		}
		if key, ok := q.callKey(i); ok {
			w.returned[key] = append(w.returned[key], returned{i, call, part.Tool, part.Piece})
		}
	}
	return w.returned
}

// callKey is the same for two results of one tool whose arguments say the same. What
// was refused has none: it took the place of nothing.
func (q *inquiry) callKey(i int) (string, bool) {
	w := q.rowed()
	key, ok := w.calls[i]
	if !ok {
		key, _ = q.newCallKey(i)
		w.calls[i] = key
	}
	return key, key != ""
}

func (q *inquiry) newCallKey(i int) (string, bool) {
	if i < 0 || i >= len(q.t.r.Events) || !q.executed(i) {
		return "", false
	}
	a, ok := q.t.asks[i]
	if !ok {
		return "", false
	}
	_, part := resultOf(q.t.event(i).Body)
	return part.Tool + "\x00" + canonical(q.t.data(a.part)), true
}

// canonical is a JSON text without the freedom that there is in writing it: the
// order of keys, space, escapes and spellings of numbers. What is no JSON is
// itself.
func canonical(text string) string {
	if strings.TrimSpace(text) == "" {
		return "{}"
	}
	if len(text) > maxDocument || isCanonical(text) {
		return text
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		return text
	}
	out, err := json.Marshal(plainNumbers(v))
	if err != nil {
		return text
	}
	return string(out)
}

// isCanonical reports whether a JSON text is simple enough to see that there is
// one way to write it: one key at most, and no more than digits in numbers.
func isCanonical(text string) bool {
	quoted, commas := false, false
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\\' || c >= 0x7f || c == '<' || c == '>' || c == '&' || c < ' ':
			return false
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == ',':
			commas = true
		case c == ' ' || c == '.' || c == '-' || i > 0 && (c == 'e' || c == 'E') && '0' <= text[i-1] && text[i-1] <= '9':
			return false
		}
	}
	return !quoted && !commas
}

// plainNumbers spells the numbers of a JSON value in one way.
func plainNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = plainNumbers(v[k])
		}
	case []any:
		for i := range v {
			v[i] = plainNumbers(v[i])
		}
	case json.Number:
		return json.Number(plainNumber(string(v)))
	}
	return v
}

// plainNumber spells a JSON number with the digits that count, and an exponent
// if there is one: 1.50e2, 150 and 150.0 are one.
func plainNumber(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	s = strings.ToLower(s)
	digits, e, _ := strings.Cut(s, "e")
	exp := 0
	for i, c := range strings.TrimLeft(e, "+-") {
		if i > 6 {
			return sign + s
		}
		exp = exp*10 + int(c-'0')
	}
	if strings.HasPrefix(e, "-") {
		exp = -exp
	}
	whole, part, _ := strings.Cut(digits, ".")
	digits, exp = strings.TrimLeft(whole+part, "0"), exp-len(part)
	trimmed := strings.TrimRight(digits, "0")
	exp += len(digits) - len(trimmed)
	switch {
	case trimmed == "":
		return "0"
	case exp == 0:
		return sign + trimmed
	}
	return sign + trimmed + "e" + itoa(exp)
}

// executed reports whether event i is the result of a tool that ran, and did
// not fail.
func (q *inquiry) executed(i int) bool {
	b, ok := q.t.event(i).Body.(*event.Returned)
	return ok && b.Executed && b.Status != spoor.Failure
}
