package anthropic

import (
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/spoorhq/spoor/internal/wire"
	"github.com/spoorhq/spoor/model"
)

const (
	maxBlocks = 1000     // of one reply
	maxBytes  = 16 << 20 // of one reply
)

// An event is one of a stream.
type event struct {
	Type    string
	Message struct {
		Model string
		Usage json.RawMessage
	}
	Index int
	Block piece `json:"content_block"`
	Delta piece
	Usage json.RawMessage
}

// A piece is a block of a message, or what is added to one, or to the message.
type piece struct {
	Type, Text, Thinking, Signature, Data, ID, Name string

	Input json.RawMessage
	JSON  string `json:"partial_json"`
	Stop  string `json:"stop_reason"`
}

// An answer is what a server has said so far.
type answer struct {
	from  *wire.Answer
	model string
	said  []*said
	open  map[int]*said // by the number that the stream gives them
	stop  string
	size  int
	whole bool
	usage struct {
		Input   int `json:"input_tokens"`
		Cached  int `json:"cache_read_input_tokens"`
		Written int `json:"cache_creation_input_tokens"`
		Output  int `json:"output_tokens"`
		Details struct {
			Thinking int `json:"thinking_tokens"`
		} `json:"output_tokens_details"`
	}
}

// What is said is a text, a thought or a call.
type said struct {
	kind, id, name  string
	input           string // of a call whose arguments came at once
	data, signature strings.Builder
}

// read takes a stream, or a message that comes in place of one.
func (a *answer) read() error {
	if a.from.Media != "application/json" {
		if err := a.from.Events(a.hear); err != nil || a.whole {
			return err
		}
		return io.ErrUnexpectedEOF
	}
	var m struct {
		Type, Model string
		Content     []piece
		Stop        string `json:"stop_reason"`
		Usage       json.RawMessage
	}
	if json.NewDecoder(a.from.Body).Decode(&m) != nil || m.Type != "message" {
		return wire.Broken("it is JSON, and no message")
	}
	a.model, a.stop = m.Model, m.Stop
	a.count(m.Usage)
	for i := range m.Content {
		if err := a.start(i, &m.Content[i]); err != nil {
			return err
		}
	}
	return nil
}

// hear takes one event. Events that it does not know are none of its business;
// blocks that it does not know are, since the answer is not whole without them.
func (a *answer) hear(kind string, data []byte) error {
	var e event
	err := json.Unmarshal(data, &e)
	switch kind = cmp.Or(e.Type, kind); {
	case kind == "error":
		return &wire.Said{Body: string(data)}
	case err != nil && (strings.HasPrefix(kind, "message_") || strings.HasPrefix(kind, "content_block_") || !json.Valid(data)):
		return wire.Broken("an event of it cannot be read: %v", err)
	}
	switch kind {
	case "message_start":
		a.model = e.Message.Model
		a.count(e.Message.Usage)
	case "message_delta":
		a.stop = cmp.Or(e.Delta.Stop, a.stop)
		a.count(e.Usage)
		if a.stop != "" {
			a.whole = true
			a.from.Done()
		}
	case "message_stop":
		a.whole = true
		return wire.ErrEnough
	case "content_block_start":
		return a.start(e.Index, &e.Block)
	case "content_block_delta":
		return a.grow(e.Index, &e.Delta)
	case "content_block_stop":
		delete(a.open, e.Index)
	}
	return nil
}

// count takes the later count of tokens, where there is one: each is of the
// whole answer. What is no number is not counted.
func (a *answer) count(usage []byte) { _ = json.Unmarshal(usage, &a.usage) }

// start begins a block.
func (a *answer) start(index int, p *piece) error {
	switch {
	case a.open[index] != nil:
		return wire.Broken("two of its blocks have the number %d", index)
	case len(a.said) == maxBlocks:
		return wire.Broken("it has more than %d blocks", maxBlocks)
	case !slices.Contains([]string{"text", "thinking", "redacted_thinking", "tool_use"}, p.Type):
		return wire.Broken("it has a block of the kind %q, which nobody asked for", p.Type)
	}
	s := &said{kind: p.Type, id: p.ID, name: p.Name, input: string(p.Input)}
	a.said, a.open[index] = append(a.said, s), s
	return a.add(s, p)
}

// deltas say of what kind the block is that they belong to.
var deltas = map[string]string{"text_delta": "text", "input_json_delta": "tool_use", "thinking_delta": "thinking", "signature_delta": "thinking"}

// grow adds to a block that has begun. Deltas that it does not know are none of
// its business.
func (a *answer) grow(index int, p *piece) error {
	s, kind := a.open[index], deltas[p.Type]
	switch {
	case s == nil:
		return wire.Broken("a piece of it is for block %d, which is not open", index)
	case kind == "":
		return nil
	case kind != s.kind:
		return wire.Broken("it has a %s in a block of the kind %q", p.Type, s.kind)
	}
	return a.add(s, p)
}

func (a *answer) add(s *said, p *piece) error {
	bit := p.Text + p.Thinking + p.Data + p.JSON // it has one of them
	if s.kind == "text" {
		a.from.Emit(bit)
	}
	s.data.WriteString(bit)
	s.signature.WriteString(p.Signature)
	if a.size += len(bit) + len(p.Signature) + len(p.Input); a.size > maxBytes {
		return wire.Broken("it is larger than %d MiB", maxBytes>>20)
	}
	return nil
}

// reply is the whole answer.
func (a *answer) reply(names *wire.Names) (model.Reply, error) {
	u := &a.usage
	r := model.Reply{Model: a.model, Usage: model.Usage{
		Input: u.Input + u.Cached + u.Written, Cached: u.Cached, Written: u.Written,
		Output: u.Output, Thinking: u.Details.Thinking,
	}}
	switch a.stop {
	case "max_tokens", "model_context_window_exceeded":
		r.Stop = model.StopLength
	case "refusal":
		r.Stop = model.StopRefusal
	case "pause_turn":
		return model.Reply{}, wire.Broken("it pauses for a tool of the server, and none was asked for")
	}
	for _, s := range a.said {
		kind, data, t := model.Text, s.data.String(), tag{}
		switch s.kind {
		case "text":
			if data == "" {
				continue
			}
		case "thinking":
			kind, t.Signature = model.Thinking, s.signature.String()
		case "redacted_thinking":
			kind, t.Redacted = model.Thinking, true
		case "tool_use":
			kind, t.ID = model.Call, s.id
			if data = cmp.Or(data, s.input, "{}"); data == "null" {
				data = "{}"
			}
		}
		p := model.NewPart(model.Assistant, kind, strings.ToValidUTF8(data, "\uFFFD"))
		if kind != model.Text {
			p.Provider = wire.Tag(provider, t)
		}
		if kind == model.Call {
			p.Tool = names.Back(s.name)
		}
		r.Parts = append(r.Parts, p)
	}
	return r, nil
}
