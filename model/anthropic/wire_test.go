package anthropic_test

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spoorhq/spoor/internal/wiretest"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/model/anthropic"
)

var suite = wiretest.Suite{
	Provider: "anthropic", KeyFrom: "ANTHROPIC_API_KEY", Failures: true, Longest: 64,
	Wire: messages{},
	Open: func(c wiretest.Config) model.Model {
		return anthropic.Model{Name: c.Name, BaseURL: c.BaseURL, Key: c.Key, MaxTokens: c.MaxTokens, HTTP: c.HTTP, Silence: c.Silence, Retries: c.Retries}
	},
}

func TestSuite(t *testing.T) {
	noEnvironment(t)
	suite.Run(t)
}

func noEnvironment(t testing.TB) {
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_PROFILE"} {
		t.Setenv(name, "")
	}
}

// messages is Anthropic's messages interface.
type messages struct{}

func event(kind string, fields ...any) string {
	body := map[string]any{"type": kind}
	for pair := range slices.Chunk(fields, 2) {
		body[pair[0].(string)] = pair[1]
	}
	return "event: " + kind + "\ndata: " + marshal(body) + "\n\n"
}

func marshal(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

type object = map[string]any

func (messages) Stream(a wiretest.Answer) []string {
	in := a.Usage.Input - a.Usage.Cached - a.Usage.Written
	events := []string{event("message_start", "message", object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": a.Model, "content": []any{}, "stop_reason": nil,
		"usage": object{"input_tokens": in, "cache_read_input_tokens": a.Usage.Cached, "cache_creation_input_tokens": a.Usage.Written, "output_tokens": 1},
	})}
	index := 0
	write := func(start object, deltas ...object) {
		events = append(events, event("content_block_start", "index", index, "content_block", start))
		for _, d := range deltas {
			events = append(events, event("content_block_delta", "index", index, "delta", d))
		}
		events = append(events, event("content_block_stop", "index", index))
		index++
	}
	if a.Thinking != "" {
		write(object{"type": "thinking", "thinking": "", "signature": ""},
			object{"type": "thinking_delta", "thinking": a.Thinking}, object{"type": "signature_delta", "signature": signature(a.Thinking)})
	}
	if len(a.Text) > 0 {
		var deltas []object
		for _, bit := range a.Text {
			deltas = append(deltas, object{"type": "text_delta", "text": bit})
		}
		write(object{"type": "text", "text": ""}, deltas...)
	}
	for _, c := range a.Calls {
		var deltas []object
		for _, bit := range halves(c.Args) {
			deltas = append(deltas, object{"type": "input_json_delta", "partial_json": bit})
		}
		write(object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}}, deltas...)
	}
	stop := map[model.Stop]string{model.StopLength: "max_tokens", model.StopRefusal: "refusal"}[a.Stop]
	if len(a.Calls) > 0 {
		stop = cmp.Or(stop, "tool_use")
	}
	usage := object{"output_tokens": a.Usage.Output}
	if a.Usage.Thinking > 0 {
		usage["output_tokens_details"] = object{"thinking_tokens": a.Usage.Thinking}
	}
	return append(events, event("message_delta", "delta", object{"stop_reason": cmp.Or(stop, "end_turn"), "stop_sequence": nil}, "usage", usage), event("message_stop"))
}

// halves cuts a text in two, not within a character.
func halves(s string) []string {
	r := []rune(s)
	return []string{string(r[:len(r)/2]), string(r[len(r)/2:])}
}

func signature(thinking string) string {
	return "EqQB+/" + base64.StdEncoding.EncodeToString([]byte(model.Sum(thinking).String()))[:20] + "=="
}

func (messages) Ping() string { return "event: ping\ndata: {\"type\": \"ping\"}\n\n" }

func (messages) Failure(fault model.Fault, message string) string {
	_, body := messages{}.Refusal(fault, message)
	return "event: error\ndata: " + body + "\n\n"
}

func (messages) Refusal(fault model.Fault, message string) (int, string) {
	refusal := func(status int, kind, message string) (int, string) {
		return status, marshal(object{"type": "error", "error": object{"type": kind, "message": message}, "request_id": "req_1"})
	}
	switch fault {
	case model.FaultKey:
		return refusal(401, "authentication_error", "invalid x-api-key "+message)
	case model.FaultNoModel:
		return refusal(404, "not_found_error", "model: "+message)
	case model.FaultNoTools:
		return refusal(400, "invalid_request_error", "tools: tool use is not supported for this model: "+message)
	case model.FaultTooLong:
		return refusal(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum: "+message)
	case model.FaultQuota:
		return refusal(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API: "+message)
	case model.FaultRateLimit:
		return refusal(429, "rate_limit_error", message)
	case model.FaultOverloaded:
		return refusal(529, "overloaded_error", message)
	case model.FaultServer:
		return refusal(500, "api_error", message)
	}
	return refusal(400, "invalid_request_error", message)
}

func (messages) Key(h http.Header) string {
	bearer := strings.TrimPrefix(h.Get("Authorization"), "Bearer ")
	if old := h.Get("X-Api-Key"); old != bearer {
		return "one key or the other: " + old + bearer
	}
	return bearer
}

// A block is a block of content.
type block struct {
	Type      string          `json:"type"`
	Text      *string         `json:"text"`
	Thinking  *string         `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	IsError   bool            `json:"is_error"`
	Content   []block         `json:"content"`
	Source    *source         `json:"source"`
	Mark      *mark           `json:"cache_control"`
}

type source struct {
	Type  string `json:"type"`
	Media string `json:"media_type"`
	Data  string `json:"data"`
}

type mark struct {
	Type string `json:"type"`
}

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

type request struct {
	Model     string    `json:"model"`
	MaxTokens int       `json:"max_tokens"`
	Stream    bool      `json:"stream"`
	System    []block   `json:"system"`
	Messages  []message `json:"messages"`
	Tools     []struct {
		Name        string          `json:"name"`
		Description *string         `json:"description"`
		InputSchema json.RawMessage `json:"input_schema"`
	} `json:"tools"`
	ToolChoice *struct {
		Type string `json:"type"`
		Name string `json:"name"`
	} `json:"tool_choice"`
	Thinking *struct {
		Type    string `json:"type"`
		Display string `json:"display"`
		Binding struct {
			Mismatch string `json:"prefix_mismatch_behavior"`
		} `json:"block_binding"`
	} `json:"thinking"`
	OutputConfig struct {
		Effort string `json:"effort"`
	} `json:"output_config"`
}

var (
	wellNamed = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	wellKnown = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
)

func (messages) Read(body []byte) (s wiretest.Seen, err error) {
	wrong := func(format string, args ...any) { err = cmp.Or(err, fmt.Errorf(format, args...)) }
	var r request
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return s, err
	}
	if !r.Stream || r.MaxTokens < 1 {
		wrong("stream is %v, max_tokens %d", r.Stream, r.MaxTokens)
	}
	s.Model, s.MaxTokens = r.Model, r.MaxTokens
	marks := 0
	check := func(at string, c *block) {
		if c.Mark != nil {
			if marks++; c.Mark.Type != "ephemeral" || marks > 4 || c.Type == "thinking" || c.Type == "redacted_thinking" {
				wrong("%s: cache_control is refused here", at)
			}
		}
		if c.Type == "text" && (c.Text == nil || strings.TrimSpace(*c.Text) == "") {
			wrong("%s: text content blocks must be non-empty", at)
		}
	}
	for i := range r.System {
		check("system."+strconv.Itoa(i), &r.System[i])
		s.System = append(s.System, *r.System[i].Text)
	}
	for _, t := range r.Tools {
		var schema struct{ Type string }
		if !wellNamed.MatchString(t.Name) || json.Unmarshal(t.InputSchema, &schema) != nil || schema.Type != "object" || t.Description != nil && *t.Description == "" {
			wrong("the tool %s is refused: %s", t.Name, t.InputSchema)
		}
		spec := model.ToolSpec{Name: t.Name, Schema: string(t.InputSchema)}
		if t.Description != nil {
			spec.Description = *t.Description
		}
		s.Tools = append(s.Tools, spec)
	}
	var open []string // calls without a result
	called := map[string]bool{}
	for i, m := range r.Messages {
		assistant := m.Role == "assistant"
		if assistant != (i%2 == 1) || len(m.Content) == 0 {
			wrong("message %d is of %s and has %d blocks", i, m.Role, len(m.Content))
		}
		seen := wiretest.Message{Assistant: assistant}
		if assistant {
			open = nil
		}
		others := false
		for j := range m.Content {
			c := &m.Content[j]
			at := fmt.Sprintf("messages.%d.%d", i, j)
			check(at, c)
			p, err := c.part()
			if err != nil {
				wrong("%s: %v", at, err)
			}
			switch c.Type {
			case "thinking", "redacted_thinking":
				if !assistant || j == len(m.Content)-1 {
					wrong("%s: thinking of a user, or at the end", at)
				}
			case "tool_use":
				var input map[string]json.RawMessage
				if json.Unmarshal(c.Input, &input) != nil || !assistant || !wellKnown.MatchString(c.ID) || called[c.ID] || !wellNamed.MatchString(c.Name) || len(r.Tools) == 0 {
					wrong("%s: the call %+v is refused", at, c)
				}
				open, called[c.ID] = append(open, c.ID), true
			case "tool_result":
				if k := slices.Index(open, c.ToolUseID); k < 0 || others {
					wrong("%s: unexpected tool_result %s", at, c.ToolUseID)
				} else {
					open = slices.Delete(open, k, k+1)
				}
			}
			others = others || c.Type != "tool_result"
			seen.Parts = append(seen.Parts, p)
			for k := range c.Content {
				check(at, &c.Content[k])
				inner, err := c.Content[k].part()
				if err != nil {
					wrong("%s: %v", at, err)
				}
				if last := &seen.Parts[len(seen.Parts)-1]; inner.Kind == model.Text && last.Kind == model.Result && last.Text == "" {
					last.Text = inner.Text
				} else {
					seen.Parts = append(seen.Parts, inner)
				}
			}
		}
		if !assistant && len(open) > 0 {
			wrong("message %d: calls without results: %q", i, open)
		}
		s.Messages = append(s.Messages, seen)
	}
	if c := r.ToolChoice; c != nil {
		switch {
		case len(r.Tools) == 0:
			wrong("tool_choice without tools")
		case c.Type == "tool" && r.Thinking != nil:
			wrong("Thinking may not be enabled when tool_choice forces tool use.")
		case c.Type != "tool" && c.Type != "none" && c.Type != "auto":
			wrong("tool_choice is %s", c.Type)
		}
		s.Choice = c.Name
	}
	return s, err
}

func (c *block) part() (p wiretest.Part, err error) {
	switch c.Type {
	case "text":
		if c.Text != nil {
			p = wiretest.Part{Kind: model.Text, Text: *c.Text}
		}
	case "thinking":
		if c.Thinking == nil || c.Signature != signature(*c.Thinking) {
			return p, errors.New("Invalid `signature` in `thinking` block")
		}
		p = wiretest.Part{Kind: model.Thinking, Text: *c.Thinking}
	case "redacted_thinking":
		p = wiretest.Part{Kind: model.Thinking, Text: c.Data}
	case "tool_use":
		p = wiretest.Part{Kind: model.Call, ID: c.ID, Name: c.Name, Text: string(c.Input)}
	case "tool_result":
		p = wiretest.Part{Kind: model.Result, ID: c.ToolUseID, Failed: c.IsError}
	case "image", "document":
		kind := model.Image
		if c.Type == "document" {
			kind = model.Document
		}
		if c.Source == nil {
			return p, errors.New("no source")
		}
		text := c.Source.Data
		if c.Source.Type == "base64" {
			b, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				return p, err
			}
			text = string(b)
		}
		p = wiretest.Part{Kind: kind, Media: c.Source.Media, Text: text}
	default:
		err = fmt.Errorf("a block of type %q", c.Type)
	}
	return p, err
}
