package openai_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/spoorhq/spoor/internal/wiretest"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/model/openai"
)

func TestConformance(t *testing.T) {
	for _, v := range []string{"OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"} {
		t.Setenv(v, "")
	}
	wiretest.Suite{
		Provider: "openai",
		KeyFrom:  "OPENAI_API_KEY",
		Longest:  64,
		Wire:     chat{},
		Open:     func(c wiretest.Config) model.Model { return openai.Model(c) },
	}.Run(t)
}

// chat is how OpenAI writes and reads chat completions.
type chat struct{}

type object = map[string]any

func data(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return "data: " + string(b) + "\n\n"
}

func (chat) Stream(a wiretest.Answer) (events []string) {
	chunk := func(delta object, finish any) {
		events = append(events, data(object{
			"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": a.Model, "usage": nil,
			"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": nil}},
		}))
	}
	chunk(object{"role": "assistant", "content": "", "refusal": nil}, nil)
	for s := range halves(a.Thinking) {
		chunk(object{"reasoning_content": s}, nil)
	}
	field := "content"
	if a.Stop == model.StopRefusal {
		field = "refusal"
	}
	for _, s := range a.Text {
		chunk(object{field: s}, nil)
	}
	for i, c := range a.Calls {
		chunk(object{"tool_calls": []object{{"index": i, "id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": ""}}}}, nil)
		for s := range halves(c.Args) {
			chunk(object{"tool_calls": []object{{"index": i, "function": object{"arguments": s}}}}, nil)
		}
	}
	finish := "stop"
	switch {
	case a.Stop == model.StopLength:
		finish = "length"
	case len(a.Calls) > 0:
		finish = "tool_calls"
	}
	chunk(object{}, finish)
	events = append(events, data(object{"model": a.Model, "choices": []object{}, "usage": object{
		"prompt_tokens": a.Usage.Input, "completion_tokens": a.Usage.Output, "total_tokens": a.Usage.Input + a.Usage.Output,
		"prompt_tokens_details":     object{"cached_tokens": a.Usage.Cached},
		"completion_tokens_details": object{"reasoning_tokens": a.Usage.Thinking},
	}}))
	return append(events, "data: [DONE]\n\n")
}

// halves splits a text into bits of a few bytes, between two runes.
func halves(s string) func(func(string) bool) {
	return func(yield func(string) bool) {
		var bit string
		for _, r := range s {
			if bit += string(r); len(bit) > 6 {
				if !yield(bit) {
					return
				}
				bit = ""
			}
		}
		if bit != "" {
			yield(bit)
		}
	}
}

func (chat) Ping() string { return ": keep-alive\n\n" }

func (chat) Failure(fault model.Fault, message string) string {
	_, body := chat{}.Refusal(fault, message)
	return "data: " + body + "\n\n"
}

func (chat) Refusal(fault model.Fault, message string) (status int, body string) {
	var kind, code any = "invalid_request_error", nil
	switch fault {
	case model.FaultKey:
		status, code, message = 401, "invalid_api_key", "Incorrect API key provided: "+message
	case model.FaultNoModel:
		status, code, message = 404, "model_not_found", "The model does not exist: "+message
	case model.FaultNoTools:
		status, kind, message = 400, "api_error", "library/tiny does not support tools "+message
	case model.FaultTooLong:
		status, code = 400, "context_length_exceeded"
	case model.FaultQuota:
		status, kind, code = 429, "insufficient_quota", "insufficient_quota"
	case model.FaultRequest:
		status = 400
	case model.FaultRateLimit:
		status, kind, code = 429, "requests", "rate_limit_exceeded"
	case model.FaultOverloaded:
		status, kind, message = 503, "server_error", "The engine is currently overloaded: "+message
	case model.FaultServer:
		status, kind = 500, "server_error"
	default:
		panic("no such refusal: " + fault)
	}
	b, err := json.Marshal(object{"error": object{"message": message, "type": kind, "param": nil, "code": code}})
	if err != nil {
		panic(err)
	}
	return status, string(b)
}

func (chat) Key(h http.Header) string {
	if h.Get("X-Api-Key") != "" || h.Get("Cookie") != "" {
		return "a key in another header"
	}
	return strings.TrimPrefix(h.Get("Authorization"), "Bearer ")
}

func (chat) Read(body []byte) (s wiretest.Seen, err error) {
	var r struct {
		Model         string
		Stream        bool
		StreamOptions struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
		MaxTokens int `json:"max_tokens"`
		Messages  []message
		Tools     []struct {
			Type     string
			Function struct {
				Name, Description string
				Parameters        json.RawMessage
			}
		}
		ToolChoice struct {
			Type     string
			Function struct{ Name string }
		} `json:"tool_choice"`
	}
	dec := json.NewDecoder(strings.NewReader(string(body)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return s, err
	}
	if !r.Stream || !r.StreamOptions.IncludeUsage {
		return s, errors.New("no stream with usage is asked for")
	}
	s.Model, s.MaxTokens, s.Choice = r.Model, r.MaxTokens, r.ToolChoice.Function.Name
	if s.Choice != "" && r.ToolChoice.Type != "function" {
		return s, errors.New("the choice has no type")
	}
	for _, t := range r.Tools {
		if t.Type != "function" {
			return s, errors.New("a tool is no function")
		}
		s.Tools = append(s.Tools, model.ToolSpec{Name: t.Function.Name, Description: t.Function.Description, Schema: string(t.Function.Parameters)})
	}
	var open []string // ids of calls that have no result yet
	for i, m := range r.Messages {
		parts, err := m.parts()
		if err != nil {
			return s, fmt.Errorf("message %d: %w", i, err)
		}
		if m.Role != "tool" && len(open) > 0 {
			return s, fmt.Errorf("message %d: the calls %q have no result", i, open)
		}
		switch m.Role {
		case "system":
			if i > 0 {
				return s, fmt.Errorf("message %d is of the system", i)
			}
			s.System = append(s.System, parts[0].Text)
			continue
		case "assistant":
			for _, c := range m.ToolCalls {
				open = append(open, c.ID)
			}
		case "tool":
			at := slices.Index(open, m.ToolCallID)
			if at < 0 {
				return s, fmt.Errorf("message %d: the result %q has no call", i, m.ToolCallID)
			}
			open = slices.Delete(open, at, at+1)
		case "user":
			if i > 0 && r.Messages[i-1].Role == "user" {
				return s, fmt.Errorf("message %d: a second one of the user", i)
			}
		default:
			return s, fmt.Errorf("message %d: the role %q", i, m.Role)
		}
		assistant := m.Role == "assistant"
		if n := len(s.Messages); n == 0 || s.Messages[n-1].Assistant != assistant {
			s.Messages = append(s.Messages, wiretest.Message{Assistant: assistant})
		}
		last := &s.Messages[len(s.Messages)-1]
		last.Parts = append(last.Parts, parts...)
	}
	return s, nil
}

type message struct {
	Role       string
	Content    json.RawMessage
	Reasoning  *string `json:"reasoning_content"`
	ToolCallID string  `json:"tool_call_id"`
	ToolCalls  []struct {
		ID, Type string
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

func (m *message) parts() (parts []wiretest.Part, err error) {
	if m.Reasoning != nil {
		parts = append(parts, wiretest.Part{Kind: model.Thinking, Text: *m.Reasoning})
	}
	var text string
	var list []struct {
		Type     string
		Text     string
		ImageURL struct{ URL string } `json:"image_url"`
	}
	switch {
	case m.Content == nil && len(m.ToolCalls) > 0:
	case json.Unmarshal(m.Content, &text) == nil && m.Role == "tool":
		parts = append(parts, wiretest.Part{Kind: model.Result, ID: m.ToolCallID, Text: text})
	case json.Unmarshal(m.Content, &text) == nil && text != "":
		parts = append(parts, wiretest.Part{Kind: model.Text, Text: text})
	case json.Unmarshal(m.Content, &list) == nil && m.Role == "user" && len(list) > 0:
		for _, c := range list {
			switch c.Type {
			case "text":
				parts = append(parts, wiretest.Part{Kind: model.Text, Text: c.Text})
			case "image_url":
				media, b64, ok := strings.Cut(strings.TrimPrefix(c.ImageURL.URL, "data:"), ";base64,")
				b, err := base64.StdEncoding.DecodeString(b64)
				if !ok || err != nil {
					return nil, fmt.Errorf("the image %q is none", c.ImageURL.URL)
				}
				parts = append(parts, wiretest.Part{Kind: model.Image, Media: media, Text: string(b)})
			default:
				return nil, fmt.Errorf("content of the type %q", c.Type)
			}
		}
	default:
		return nil, fmt.Errorf("the content is %s", m.Content)
	}
	for _, c := range m.ToolCalls {
		if c.Type != "function" || !strings.HasPrefix(c.Function.Arguments, "{") || !json.Valid([]byte(c.Function.Arguments)) {
			return nil, fmt.Errorf("the call is %+v", c)
		}
		parts = append(parts, wiretest.Part{Kind: model.Call, ID: c.ID, Name: c.Function.Name, Text: c.Function.Arguments})
	}
	return parts, nil
}
