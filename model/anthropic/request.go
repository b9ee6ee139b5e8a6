package anthropic

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"mime"
	"slices"
	"strings"

	"github.com/spoorhq/spoor/internal/wire"
	"github.com/spoorhq/spoor/model"
)

// A request is the body of one. The order of fields is that of the bytes.
type request struct {
	Model     string `json:"model"`
	MaxTokens int    `json:"max_tokens"`
	Stream    bool   `json:"stream"`
	Thinking  struct {
		Type    string `json:"type,omitempty"`
		Display string `json:"display,omitempty"`
		Binding struct {
			Mismatch string `json:"prefix_mismatch_behavior"`
		} `json:"block_binding,omitzero"`
	} `json:"thinking,omitzero"`
	Output struct {
		Effort string `json:"effort"`
	} `json:"output_config,omitzero"`
	Choice   choice     `json:"tool_choice,omitzero"`
	Tools    []tool     `json:"tools,omitempty"`
	System   []*block   `json:"system,omitempty"`
	Messages []*message `json:"messages"`
}

type choice struct {
	Type string `json:"type"`
	Name string `json:"name,omitempty"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"input_schema"`
}

type message struct {
	Role    string   `json:"role"`
	Content []*block `json:"content"`
}

// A block is a piece of a message, or of the system.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	Thinking  *string         `json:"thinking,omitempty"` // may be empty, and so may its signature
	Signature *string         `json:"signature,omitempty"`
	Data      string          `json:"data,omitempty"` // of redacted thinking
	ID        string          `json:"id,omitempty"`   // of a call
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	CallID    string          `json:"tool_use_id,omitempty"` // of a result
	Failed    bool            `json:"is_error,omitempty"`
	Content   []*block        `json:"content,omitempty"`
	Source    *source         `json:"source,omitempty"` // of an image or a document
	Mark      json.RawMessage `json:"cache_control,omitempty"`
}

type source struct {
	Type  string `json:"type"`
	Media string `json:"media_type"`
	Data  string `json:"data"`
}

// A tag is what a part needs to go back as it came.
type tag struct {
	ID        string `json:"id,omitempty"`        // of a call
	Signature string `json:"signature,omitempty"` // of thinking
	Redacted  bool   `json:"redacted,omitempty"`  // of thinking that nobody can read
}

// body is a request as Anthropic reads it. It depends on nothing but the model
// and the request. Arguments and schemas go in as they are, but for blanks: each
// digit and each key in its place.
func (m Model) body(req *model.Request, names *wire.Names) []byte {
	r := request{Model: m.Name, MaxTokens: cmp.Or(m.MaxTokens, 32_000), Stream: true}
	system, conversation := wire.Messages(req.Parts)
	var plain, body *block
	for _, p := range system {
		b := text(p.Data)
		if r.System = append(r.System, b); p.Skill == "" {
			plain = b
		} else {
			body = b
		}
	}
	h := history{names: names, ids: wire.IDs(req.Parts, provider), signed: strings.Contains(strings.ToLower(m.Name), "claude")}
	for _, said := range conversation {
		if said.Assistant {
			h.assistant(said.Parts)
		} else {
			h.user(said.Parts)
		}
	}
	m.choose(&r, req, &h)
	r.Messages = h.messages
	for _, b := range []*block{plain, body, h.before, h.last} {
		if b != nil {
			b.Mark = json.RawMessage(`{"type":"ephemeral"}`)
		}
	}
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		panic("anthropic: " + err.Error()) // what is raw in it has been read as JSON
	}
	return bytes.ToValidUTF8(bytes.TrimSuffix(buf.Bytes(), []byte("\n")), []byte("\uFFFD")) // of what is raw, too
}

// choose says which tools are offered, which of them must be called, and how
// hard the model thinks about it.
func (m Model) choose(r *request, req *model.Request, h *history) {
	offer := func(name, description, schema string) {
		r.Tools = append(r.Tools, tool{h.names.There(name), description, json.RawMessage(cmp.Or(schema, `{"type":"object"}`))})
	}
	for _, t := range req.Tools {
		if req.Choice == "" || req.Choice == t.Name || !m.newer() {
			offer(t.Name, t.Description, t.Schema)
		}
	}
	switch {
	case req.Choice != "" && m.newer():
		h.add("user", false, text(wire.Note("Answer with one call of the tool "+h.names.There(req.Choice)+", and nothing else.")))
	case req.Choice != "":
		r.Choice = choice{"tool", h.names.There(req.Choice)}
	case len(r.Tools) == 0 && len(h.called) > 0:
		for _, name := range h.called {
			offer(name, "", "")
		}
		r.Choice.Type = "none"
	}
	r.Output.Effort = m.Effort
	if m.newer() || m.Effort != "" && req.Choice == "" {
		r.Thinking.Type, r.Thinking.Display = "adaptive", "summarized"
	}
	if m.newer() {
		r.Thinking.Binding.Mismatch = "drop_block"
	}
}

// A history is the conversation as Anthropic reads it.
type history struct {
	names  *wire.Names
	ids    map[string]string
	signed bool // thinking without a signature is refused

	messages []*message
	called   []string // tools, in the order of their first calls

	// The last block that will stand there in the next request too, and the one
	// that was the last in the request before.
	last, before *block
}

// add appends a block to what one side says. A block that stays will stand
// there in the next request too.
func (h *history) add(role string, stays bool, b *block) {
	n := len(h.messages)
	if n == 0 || h.messages[n-1].Role != role {
		h.messages = append(h.messages, &message{Role: role})
		n++
	}
	h.messages[n-1].Content = append(h.messages[n-1].Content, b)
	if stays {
		h.last = b
	}
}

// assistant adds what the model said, its thinking in place. Thinking of
// another provider is left out.
func (h *history) assistant(parts []model.Part) {
	h.before = h.last
	for i := range parts {
		p := &parts[i]
		switch p.Kind {
		case model.Thinking:
			var t tag
			switch {
			case !wire.Untag(p.Provider, provider, &t):
			case t.Redacted:
				h.add("assistant", false, &block{Type: "redacted_thinking", Data: p.Data})
			case t.Signature != "" || !h.signed: // cut off before its signature, it cannot go back to a Claude
				h.add("assistant", false, &block{Type: "thinking", Thinking: &p.Data, Signature: &t.Signature})
			}
		case model.Call:
			if !slices.Contains(h.called, p.Tool) {
				h.called = append(h.called, p.Tool)
			}
			h.add("assistant", true, &block{Type: "tool_use", ID: h.ids[p.Call], Name: h.names.There(p.Tool), Input: json.RawMessage(wire.Arguments(p.Data))})
		default:
			h.add("assistant", true, show(p))
		}
	}
}

// user adds what the model is told: the results of its calls first, as
// Anthropic wants it, each with the images and documents that belong to it.
func (h *history) user(parts []model.Part) {
	var results []*block
	var rest []*model.Part
	for i := range parts {
		p := &parts[i]
		id := h.ids[p.Call]
		at := slices.IndexFunc(results, func(r *block) bool { return r.CallID == id })
		if p.Kind == model.Result && at < 0 {
			failed := p.Status == "failure" || p.Status == "denied" || p.Status == "invalid"
			results, at = append(results, &block{Type: "tool_result", CallID: id, Failed: failed}), len(results)
		}
		switch {
		case strings.TrimSpace(p.Data) == "":
		case at < 0:
			rest = append(rest, p)
		default:
			results[at].Content = append(results[at].Content, show(p))
		}
	}
	for _, r := range results {
		h.add("user", len(r.Content) > 0, r)
	}
	for _, p := range rest {
		h.add("user", p.Role != model.System, show(p))
	}
}

// show is a part as a block: a text, an image or a document.
func show(p *model.Part) *block {
	media, _, _ := mime.ParseMediaType(p.Media)
	switch {
	case p.Role == model.System:
		return text(wire.Note(p.Data))
	case p.Kind != model.Image && p.Kind != model.Document:
		return text(p.Data)
	case wire.Picture(media):
		return &block{Type: "image", Source: &source{"base64", media, base64.StdEncoding.EncodeToString([]byte(p.Data))}}
	case media == "application/pdf":
		return &block{Type: "document", Source: &source{"base64", media, base64.StdEncoding.EncodeToString([]byte(p.Data))}}
	case p.Kind == model.Document && wire.Readable(p.Data):
		return &block{Type: "document", Source: &source{"text", "text/plain", p.Data}}
	}
	return text(wire.Unseen(p))
}

func text(s string) *block { return &block{Type: "text", Text: s} }
