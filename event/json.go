package event

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/model"
)

// AppendJSON appends the event as one line of JSON, without the line end. The
// same event always gives the same bytes. The bodies of an iteration are
// written by hand, since they are on the path of every model call.
func (e *Event) AppendJSON(b []byte) []byte {
	b = append(b, `{"seq":`...)
	b = strconv.AppendInt(b, int64(e.Seq), 10)
	b = append(b, `,"time":"`...)
	b = e.Time.UTC().AppendFormat(b, time.RFC3339Nano)
	b = append(b, `","turn":`...)
	b = strconv.AppendInt(b, int64(e.Turn), 10)
	b = appendInt(b, `,"iteration":`, e.Iteration)
	b = append(b, `,"kind":`...)
	b = appendString(b, e.Body.Kind())
	if len(e.Because) > 0 {
		b = append(appendInts(append(b, `,"because":[`...), e.Because), ']')
	}
	return append(appendBody(append(b, `,"body":`...), e.Body, nil), '}')
}

// appendBody appends a body: as a line of a recording has it, or without one
// whole.
func appendBody(b []byte, body Body, l *Lines) []byte {
	switch body := body.(type) {
	case *Unknown:
		return append(b, body.Raw...)
	case *Evaluated:
		return body.appendJSON(b, l)
	case *Called:
		return body.appendJSON(b, l)
	case *Replied:
		return body.appendJSON(b)
	case *Sent:
		return append(appendStrings(append(b, '{'), `"calls":`, body.Calls), '}')
	case *Returned:
		return body.appendJSON(b, l)
	case *Read:
		return body.appendJSON(b, l)
	case *Refused:
		return body.appendJSON(b, l)
	}
	return appendAny(b, body)
}

// MarshalJSON gives the bytes of AppendJSON.
func (e Event) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil), nil }

// UnmarshalJSON reads an event. A kind that is not known is kept as Unknown,
// and reads and writes unchanged.
func (e *Event) UnmarshalJSON(data []byte) error {
	var line struct {
		Seq       int             `json:"seq"`
		Time      time.Time       `json:"time"`
		Turn      int             `json:"turn"`
		Iteration int             `json:"iteration"`
		Kind      string          `json:"kind"`
		Because   []int           `json:"because"`
		Body      json.RawMessage `json:"body"`
	}
	if err := json.Unmarshal(data, &line); err != nil {
		return err
	}
	if line.Kind == "" || line.Body == nil {
		return fmt.Errorf("an event has a kind and a body; this is %.80s", data)
	}
	*e = Event{line.Seq, line.Time, line.Turn, line.Iteration, line.Because, nil}
	blank, known := bodies[line.Kind]
	if !known {
		e.Body = &Unknown{Name: line.Kind, Raw: string(line.Body)}
		return nil
	}
	e.Body = blank()
	if err := json.Unmarshal(line.Body, e.Body); err != nil {
		return fmt.Errorf("event %d, %s: %w", line.Seq, line.Kind, err)
	}
	return nil
}

var bodies = map[string]func() Body{
	"started":                  func() Body { return new(Started) },
	"asked":                    func() Body { return new(Asked) },
	"scored":                   func() Body { return new(Scored) },
	"skill.turn_routed":        func() Body { return new(TurnRouted) },
	"tools.effect":             func() Body { return new(EffectJudged) },
	"needs":                    func() Body { return new(Needs) },
	"answered":                 func() Body { return new(Answered) },
	"paused":                   func() Body { return new(Paused) },
	"replied":                  func() Body { return new(Replied) },
	"failed":                   func() Body { return new(Failed) },
	"returned":                 func() Body { return new(Returned) },
	"resumed":                  func() Body { return new(Resumed) },
	"stopped":                  func() Body { return new(Stopped) },
	"late":                     func() Body { return new(Late) },
	"context.evaluated":        func() Body { return new(Evaluated) },
	"skill.route_conflict":     func() Body { return new(RouteConflict) },
	"skill.reroute_superseded": func() Body { return new(RerouteSuperseded) },
	"skill.read":               func() Body { return new(Read) },
	"skill.rejected":           func() Body { return new(Rejected) },
	"call.refused":             func() Body { return new(Refused) },
	"called":                   func() Body { return new(Called) },
	"sent":                     func() Body { return new(Sent) },
	"finished":                 func() Body { return new(Finished) },
}

func (r *Replied) appendJSON(b []byte) []byte {
	b = append(b, '{')
	b = appendParts(b, `"parts":`, r.Parts)
	if r.Usage != (model.Usage{}) {
		b = appendUsage(appendKey(b, "usage"), &r.Usage)
	}
	if r.Model != "" {
		b = appendString(appendKey(b, "model"), r.Model)
	}
	if r.Stop != "" {
		b = appendString(appendKey(b, "stop"), string(r.Stop))
	}
	if r.Wire != (model.Wire{}) {
		b = appendString(append(appendKey(b, "wire"), `{"sha256":`...), r.Wire.SHA256)
		b = append(strconv.AppendInt(append(b, `,"bytes":`...), int64(r.Wire.Bytes), 10), '}')
	}
	if len(r.Attempts) > 0 {
		b = appendAny(appendKey(b, "attempts"), r.Attempts)
	}
	return append(b, '}')
}

func (r *Returned) appendJSON(b []byte, l *Lines) []byte {
	b = appendString(append(b, `{"call":`...), r.Call)
	b = appendString(append(b, `,"tool":`...), r.Tool)
	b = strconv.AppendBool(append(b, `,"executed":`...), r.Executed)
	b = appendText(b, `,"status":`, string(r.Status))
	b = l.appendResult(append(b, `,"result":`...), &r.Result, r.said())
	b = appendParts(b, `,"more":`, r.More)
	if len(r.Effects) > 0 {
		b = appendAny(appendKey(b, "effects"), r.Effects)
	}
	return append(b, '}')
}

func (r *Read) appendJSON(b []byte, l *Lines) []byte {
	b = appendString(append(b, `{"call":`...), r.Call)
	b = appendString(append(b, `,"skill":`...), r.Skill)
	b = appendString(append(b, `,"target":`...), string(r.Target))
	return append(l.appendResult(append(b, `,"result":`...), &r.Result, r.said()), '}')
}

func (r *Refused) appendJSON(b []byte, l *Lines) []byte {
	b = appendString(append(b, `{"call":`...), r.Call)
	b = appendString(append(b, `,"tool":`...), r.Tool)
	b = appendString(append(b, `,"status":`...), string(r.Status))
	b = appendString(append(b, `,"reason":`...), string(r.Reason))
	return append(l.appendResult(append(b, `,"result":`...), &r.Result, r.said()), '}')
}

func (c *Called) appendJSON(b []byte, l *Lines) []byte {
	b = appendString(append(b, `{"purpose":`...), string(c.Purpose))
	if len(c.Splices) > 0 {
		b = append(b, `,"splices":[`...)
		for i, s := range c.Splices {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(append(b, `{"at":`...), int64(s.At), 10)
			b = appendInt(b, `,"drop":`, s.Drop)
			b = l.appendPut(b, s.Put)
			b = append(b, '}')
		}
		b = append(b, ']')
	}
	b = appendStrings(b, `"offered":`, c.Offered)
	b = appendInt(b, `,"offeredAs":`, c.OfferedAs)
	if c.Choice != nil {
		b = appendAny(appendKey(b, "choice"), c.Choice)
	}
	b = appendText(b, `,"skill":`, c.Skill)
	if c.Last {
		b = append(b, `,"last":true`...)
	}
	b = appendText(b, `,"limit":`, string(c.Limit))
	return append(b, '}')
}

func (v *Evaluated) appendJSON(b []byte, l *Lines) []byte {
	b = appendMove(append(b, `{"move":`...), &v.Move, l)
	if len(v.Active) > 0 {
		b = appendAny(appendKey(b, "active"), v.Active)
	}
	b = appendInt(b, `,"activeAs":`, v.ActiveAs)
	b = appendStrings(b, `"activated":`, v.Activated)
	b = appendInt(b, `,"activatedAs":`, v.ActivatedAs)
	b = appendStrings(b, `"reachable":`, v.Reachable)
	b = appendInt(b, `,"reachableAs":`, v.ReachableAs)
	b = appendStrings(b, `"superseded":`, v.Superseded)
	b = appendInt(b, `,"supersededAs":`, v.SupersededAs)
	b = appendText(b, `,"pick":`, v.Pick)
	b = appendText(b, `,"proposal":`, v.Proposal)
	if v.Declined {
		b = append(b, `,"declinedOffer":true`...)
	}
	if len(v.Instructions) > 0 {
		b = appendAny(appendKey(b, "instructions"), v.Instructions)
	}
	b = appendInt(b, `,"instructionsAs":`, v.InstructionsAs)
	if len(v.Skipped) > 0 {
		b = appendAny(appendKey(b, "skipped"), v.Skipped)
	}
	b = appendInt(b, `,"skippedAs":`, v.SkippedAs)
	return append(b, '}')
}

func appendMove(b []byte, m *spoor.Move, l *Lines) []byte {
	b = append(b, '{')
	if m.From != "" {
		b = append(appendString(append(b, `"from":`...), m.From), ',')
	}
	if m.To != "" {
		b = append(appendString(append(b, `"to":`...), m.To), ',')
	}
	b = appendString(append(b, `"by":`...), string(m.By))
	b = appendText(b, `,"ref":`, string(m.Ref))
	if m.Witness != nil {
		b = appendString(append(b, `,"witness":{"text":`...), m.Witness.Text)
		b = append(appendText(b, `,"keyword":`, m.Witness.Keyword), '}')
	}
	if m.Guard != nil {
		b = appendJudgement(append(b, `,"guard":`...), m.Guard, l)
	}
	if len(m.Closed) > 0 {
		b = append(b, `,"guardsClosed":[`...)
		for i := range m.Closed {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJudgement(b, &m.Closed[i], l)
		}
		b = append(b, ']')
	}
	if m.Conflict != nil {
		b = appendAny(appendKey(b, "conflict"), m.Conflict)
	}
	if len(m.Failed) > 0 {
		b = appendAny(appendKey(b, "failed"), m.Failed)
	}
	return append(b, '}')
}

func appendJudgement(b []byte, j *spoor.Judgement, l *Lines) []byte {
	b = appendString(append(b, `{"ref":`...), string(j.Ref))
	b = appendText(b, `,"toolCallId":`, j.CallID)
	return append(l.appendVerdict(b, j), '}')
}

// appendVerdict appends all of a judgement that one of another call may share.
func appendVerdict(b []byte, j *spoor.Judgement) []byte {
	b = appendString(append(b, `,"from":`...), j.From)
	b = appendString(append(b, `,"to":`...), j.To)
	b = appendString(append(b, `,"toolName":`...), j.Tool)
	b = strconv.AppendBool(append(b, `,"verdict":`...), j.Passed)
	b = append(b, `,"conditions":[`...)
	for i := range j.Conditions {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendEvidence(b, &j.Conditions[i])
	}
	return append(b, ']')
}

func appendEvidence(b []byte, e *guard.Evidence) []byte {
	b = appendString(append(b, `{"key":`...), e.Key)
	b = appendString(append(b, `,"op":`...), string(e.Op))
	b = e.Value.AppendJSON(append(b, `,"value":`...))
	b = appendString(append(b, `,"actual":`...), e.Actual)
	b = appendString(append(b, `,"kind":`...), e.Kind.String())
	if e.OffScale {
		b = append(b, `,"offScale":true`...)
	}
	b = strconv.AppendBool(append(b, `,"passed":`...), e.Passed)
	return append(b, '}')
}

func appendUsage(b []byte, u *model.Usage) []byte {
	b = append(b, '{')
	for _, n := range []struct {
		key    string
		tokens int
	}{
		{"input", u.Input}, {"output", u.Output}, {"cached", u.Cached}, {"written", u.Written}, {"thinking", u.Thinking},
	} {
		if n.tokens != 0 {
			b = strconv.AppendInt(appendKey(b, n.key), int64(n.tokens), 10)
		}
	}
	return append(b, '}')
}

func appendPart(b []byte, p *model.Part) []byte {
	b = appendString(append(b, `{"role":`...), string(p.Role))
	b = appendString(append(b, `,"kind":`...), string(p.Kind))
	b = append(b, `,"piece":"`...)
	b = hex.AppendEncode(b, p.Piece[:])
	b = append(b, '"')
	b = appendText(b, `,"call":`, p.Call)
	b = appendText(b, `,"tool":`, p.Tool)
	b = appendText(b, `,"status":`, p.Status)
	b = appendText(b, `,"skill":`, p.Skill)
	b = appendText(b, `,"media":`, p.Media)
	b = appendText(b, `,"provider":`, p.Provider)
	return append(b, '}')
}

// The helpers below leave out what is empty. A key that may be the first of
// its object comes without a comma, and appendKey puts one where it is due.

func appendParts(b []byte, key string, parts []model.Part) []byte {
	if len(parts) == 0 {
		return b
	}
	b = append(appendRawKey(b, key), '[')
	for i := range parts {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendPart(b, &parts[i])
	}
	return append(b, ']')
}

func appendStrings(b []byte, key string, list []string) []byte {
	if len(list) == 0 {
		return b
	}
	b = append(appendRawKey(b, key), '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, s)
	}
	return append(b, ']')
}

func appendKey(b []byte, key string) []byte {
	return append(appendRawKey(b, strconv.Quote(key)), ':')
}

func appendRawKey(b []byte, key string) []byte {
	if last := b[len(b)-1]; last != '{' && key[0] != ',' {
		b = append(b, ',')
	}
	return append(b, key...)
}

func appendText(b []byte, key, text string) []byte {
	if text == "" {
		return b
	}
	return appendString(append(b, key...), text)
}

func appendInt(b []byte, key string, n int) []byte {
	if n == 0 {
		return b
	}
	return strconv.AppendInt(append(b, key...), int64(n), 10)
}

func appendString(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s) // the error says that bytes which are not UTF-8 were replaced
	return b
}

func appendInts(b []byte, list []int) []byte {
	for i, n := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return b
}

// appendAny goes through reflection, for what is rare.
func appendAny(b []byte, v any) []byte {
	w := bytes.NewBuffer(b)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("event: " + err.Error()) // the types of this package marshal
	}
	return bytes.TrimSuffix(w.Bytes(), []byte("\n"))
}
