package openai

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spoorhq/spoor/internal/wire"
	"github.com/spoorhq/spoor/model"
)

// A request is the body of one. The order of fields is that of the bytes.
type request struct {
	Model               string        `json:"model"`
	MaxTokens           int           `json:"max_tokens,omitempty"`
	MaxCompletionTokens int           `json:"max_completion_tokens,omitempty"`
	Stream              bool          `json:"stream"`
	StreamOptions       streamOptions `json:"stream_options"`
	Tools               []function    `json:"tools,omitempty"`
	ToolChoice          *function     `json:"tool_choice,omitempty"`
	Messages            []message     `json:"messages"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type message struct {
	Role             string            `json:"role"`
	ReasoningContent string            `json:"reasoning_content,omitempty"`
	Reasoning        string            `json:"reasoning,omitempty"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details,omitempty"`
	Content          any               `json:"content,omitempty"` // a string, or []content
	ToolCalls        []function        `json:"tool_calls,omitempty"`
	ToolCallID       string            `json:"tool_call_id,omitempty"`
}

type content struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	ImageURL *imageURL `json:"image_url,omitempty"`
}

type imageURL struct {
	URL string `json:"url"`
}

// A function is a tool that is offered, one that must be called, or a call.
type function struct {
	ID       string `json:"id,omitempty"`
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
		Arguments   string          `json:"arguments,omitempty"`
	} `json:"function"`
}

func named(name string) function {
	f := function{Type: "function"}
	f.Function.Name = name
	return f
}

// body is a request as the server at host takes it; own says that it is
// OpenAI's.
func (m Model) body(req *model.Request, names *wire.Names, own bool, host string) ([]byte, error) {
	r := request{Model: m.Name, Stream: true, StreamOptions: streamOptions{IncludeUsage: true}}
	if own { // its newer models do not know max_tokens
		r.MaxCompletionTokens = max(m.MaxTokens, 0)
	} else { // many know nothing else
		r.MaxTokens = max(m.MaxTokens, 0)
	}
	for _, t := range req.Tools {
		f := named(names.There(t.Name))
		f.Function.Description = t.Description
		f.Function.Parameters = json.RawMessage(strings.ToValidUTF8(cmp.Or(t.Schema, `{"type":"object","properties":{}}`), "\uFFFD"))
		if !wire.Object(string(f.Function.Parameters)) {
			return nil, &model.Error{Fault: model.FaultRequest, Message: fmt.Sprintf("the schema of the tool %s is no JSON object; correct it", t.Name)}
		}
		r.Tools = append(r.Tools, f)
	}
	if req.Choice != "" {
		r.ToolChoice = new(named(names.There(req.Choice)))
	}
	system, list := wire.Messages(req.Parts)
	if len(system) > 0 {
		r.Messages = append(r.Messages, message{Role: "system", Content: join(system)})
	}
	ids := wire.IDs(req.Parts, provider)
	for _, msg := range list {
		if msg.Assistant {
			r.Messages = append(r.Messages, assistant(msg.Parts, names, ids, host))
		} else {
			r.Messages = append(r.Messages, others(msg.Parts, ids)...)
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		panic("openai: " + err.Error()) // what is raw in it has been read as JSON
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// assistant is what the model said: its text, its calls and, if it comes from
// the same server, its reasoning.
func assistant(parts []model.Part, names *wire.Names, ids map[string]string, host string) message {
	m := message{Role: "assistant"}
	var texts, thoughts []model.Part
	var field string
	for _, p := range parts {
		switch p.Kind {
		case model.Call:
			f := named(names.There(p.Tool))
			f.ID, f.Function.Arguments = ids[p.Call], wire.Arguments(p.Data)
			m.ToolCalls = append(m.ToolCalls, f)
		case model.Thinking:
			var t thought
			if !wire.Untag(p.Provider, provider, &t) || t.At != host {
				continue
			}
			if field = cmp.Or(field, t.Field); p.Data != "" {
				thoughts = append(thoughts, p)
			}
			m.ReasoningDetails = append(m.ReasoningDetails, t.Details...)
		default:
			texts = append(texts, p)
		}
	}
	switch field {
	case reasoning[0]:
		m.ReasoningContent = join(thoughts)
	case reasoning[1]:
		m.Reasoning = join(thoughts)
	}
	if len(texts) > 0 {
		m.Content = join(texts)
	}
	return m
}

// others is all that comes to the model from elsewhere: a message for each
// result, and then one for the rest. What a tool brought besides its result is
// text of the same message, except images, which only the last one can show.
func others(parts []model.Part, ids map[string]string) (list []message) {
	var rest []content
	say := func(text string) { rest = append(rest, content{Type: "text", Text: text}) }
	var results []string // the ids
	told := map[string][]string{}
	for _, p := range parts {
		id := ids[p.Call]
		switch {
		case p.Kind == model.Image && wire.Picture(p.Media):
			if id != "" {
				say("(the image that the call " + id + " brought)")
			}
			rest = append(rest, content{Type: "image_url", ImageURL: &imageURL{"data:" + p.Media + ";base64," + base64.StdEncoding.EncodeToString([]byte(p.Data))}})
		case id == "":
			say(text(&p))
		default:
			if p.Kind == model.Result {
				results = append(results, id)
			}
			told[id] = append(told[id], text(&p))
		}
	}
	for _, id := range results {
		list = append(list, message{Role: "tool", ToolCallID: id, Content: strings.Join(told[id], "\n\n")})
	}
	if len(rest) == 0 {
		return list
	}
	last := message{Role: "user", Content: rest}
	if !slices.ContainsFunc(rest, func(c content) bool { return c.ImageURL != nil }) {
		var texts []string // many servers know no other content
		for _, c := range rest {
			texts = append(texts, c.Text)
		}
		last.Content = strings.Join(texts, "\n\n")
	}
	return append(list, last)
}

// text is a part as text.
func text(p *model.Part) string {
	switch {
	case p.Role == model.System:
		return wire.Note(p.Data)
	case p.Kind == model.Image, p.Kind == model.Document && !wire.Readable(p.Data):
		return wire.Unseen(p)
	}
	return p.Data
}

func join(parts []model.Part) string {
	var texts []string
	for _, p := range parts {
		texts = append(texts, p.Data)
	}
	return strings.Join(texts, "\n\n")
}
