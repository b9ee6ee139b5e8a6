package anthropic

import (
	"cmp"
	"errors"
	"io"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/respjson"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/ssestream"

	"github.com/spoorhq/spoor/internal/wire"
	"github.com/spoorhq/spoor/model"
)

const (
	maxBlocks = 1000     // of one reply
	maxBytes  = 16 << 20 // of one reply
)

// read brings the reply of a stream.
func read(stream *ssestream.Stream[sdk.MessageStreamEventUnion], names *wire.Names, emit func(model.Delta)) (model.Reply, error) {
	defer stream.Close()
	a := answer{emit: emit, open: map[int64]*block{}}
	for !a.whole && stream.Next() {
		event := stream.Current()
		if err := a.hear(&event); err != nil {
			return model.Reply{}, err
		}
	}
	if a.whole {
		return a.reply(names)
	}
	err := stream.Err()
	if said, ok := errors.AsType[*sdk.Error](err); ok {
		return model.Reply{}, &wire.Said{Body: said.RawJSON()}
	}
	return model.Reply{}, cmp.Or(err, io.ErrUnexpectedEOF)
}

// An answer is what a stream has said so far.
type answer struct {
	emit   func(model.Delta)
	model  string
	blocks []*block
	open   map[int64]*block // by the number that the stream gives them
	usage  sdk.MessageDeltaUsage
	stop   sdk.StopReason
	size   int
	whole  bool
}

// A block is a text, a thought or a call.
type block struct {
	kind, id, name  string
	input           string // of a call whose arguments came at once
	data, signature strings.Builder
}

// hear takes one event of a stream. Events that it does not know are none of
// its business; blocks that it does not know are, since the answer is not whole
// without them.
func (a *answer) hear(e *sdk.MessageStreamEventUnion) error {
	switch e.Type {
	case "error":
		return &wire.Said{Body: e.RawJSON()}
	case "message_start":
		a.model = strings.ToValidUTF8(e.Message.Model, "\uFFFD")
		u := &e.Message.Usage
		a.usage = sdk.MessageDeltaUsage{
			InputTokens: u.InputTokens, CacheReadInputTokens: u.CacheReadInputTokens, CacheCreationInputTokens: u.CacheCreationInputTokens,
			OutputTokens: u.OutputTokens, OutputTokensDetails: u.OutputTokensDetails,
		}
	case "message_delta":
		a.stop = cmp.Or(e.Delta.StopReason, a.stop)
		a.count(&e.Usage)
	case "message_stop":
		a.whole = true
	case "content_block_start":
		return a.start(e.Index, &e.ContentBlock)
	case "content_block_delta":
		return a.grow(e.Index, &e.Delta)
	case "content_block_stop":
		delete(a.open, e.Index)
	}
	return nil
}

// count takes the later count of tokens, where there is one: each is of the
// whole answer.
func (a *answer) count(u *sdk.MessageDeltaUsage) {
	take := func(to *int64, n int64, told respjson.Field) {
		if told.Valid() {
			*to = n
		}
	}
	take(&a.usage.InputTokens, u.InputTokens, u.JSON.InputTokens)
	take(&a.usage.CacheReadInputTokens, u.CacheReadInputTokens, u.JSON.CacheReadInputTokens)
	take(&a.usage.CacheCreationInputTokens, u.CacheCreationInputTokens, u.JSON.CacheCreationInputTokens)
	take(&a.usage.OutputTokens, u.OutputTokens, u.JSON.OutputTokens)
	take(&a.usage.OutputTokensDetails.ThinkingTokens, u.OutputTokensDetails.ThinkingTokens, u.JSON.OutputTokensDetails)
}

func (a *answer) start(index int64, c *sdk.ContentBlockStartEventContentBlockUnion) error {
	if a.open[index] != nil {
		return wire.Broken("two of its blocks have the number %d", index)
	}
	if len(a.blocks) == maxBlocks {
		return wire.Broken("it has more than %d blocks", maxBlocks)
	}
	b := &block{kind: c.Type, id: c.ID, name: c.Name}
	a.blocks, a.open[index] = append(a.blocks, b), b
	switch c.Type {
	case "text":
		return a.say(b, c.Text)
	case "thinking":
		return cmp.Or(a.put(&b.data, c.Thinking), a.put(&b.signature, c.Signature))
	case "redacted_thinking":
		return a.put(&b.data, c.Data)
	case "tool_use":
		b.input = c.JSON.Input.Raw() // the client's own reading of it loses digits
		return a.weigh(len(b.input) + len(b.id) + len(b.name))
	}
	return wire.Broken("it has a block of the kind %q, which nobody asked for", c.Type)
}

func (a *answer) grow(index int64, d *sdk.MessageStreamEventUnionDelta) error {
	b := a.open[index]
	if b == nil {
		return wire.Broken("a piece of it is for block %d, which is not open", index)
	}
	switch d.Type + " " + b.kind {
	case "text_delta text":
		return a.say(b, d.Text)
	case "input_json_delta tool_use":
		return a.put(&b.data, d.PartialJSON)
	case "thinking_delta thinking":
		return a.put(&b.data, d.Thinking)
	case "signature_delta thinking":
		return a.put(&b.signature, d.Signature)
	}
	switch d.Type {
	case "text_delta", "input_json_delta", "thinking_delta", "signature_delta":
		return wire.Broken("it has a %s in a block of the kind %q", d.Type, b.kind)
	}
	return nil
}

func (a *answer) say(b *block, text string) error {
	if err := a.put(&b.data, text); err != nil || text == "" {
		return err
	}
	a.emit(model.Delta{Text: text})
	return nil
}

func (a *answer) put(to *strings.Builder, piece string) error {
	to.WriteString(piece)
	return a.weigh(len(piece))
}

func (a *answer) weigh(n int) error {
	if a.size += n; a.size > maxBytes {
		return wire.Broken("it is larger than %d MiB", maxBytes>>20)
	}
	return nil
}

// reply is the whole answer.
func (a *answer) reply(names *wire.Names) (model.Reply, error) {
	u := &a.usage
	r := model.Reply{Model: a.model, Usage: model.Usage{
		Input:  int(u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens),
		Cached: int(u.CacheReadInputTokens), Written: int(u.CacheCreationInputTokens),
		Output: int(u.OutputTokens), Thinking: int(u.OutputTokensDetails.ThinkingTokens),
	}}
	switch a.stop {
	case sdk.StopReasonMaxTokens, sdk.StopReasonModelContextWindowExceeded:
		r.Stop = model.StopLength
	case sdk.StopReasonRefusal:
		r.Stop = model.StopRefusal
	case sdk.StopReasonPauseTurn:
		return model.Reply{}, wire.Broken("it pauses for a tool of the server, and none was asked for")
	}
	for _, b := range a.blocks {
		kind, data, t := model.Text, b.data.String(), tag{}
		switch b.kind {
		case "text":
			if data == "" {
				continue
			}
		case "thinking":
			kind, t.Signature = model.Thinking, b.signature.String()
		case "redacted_thinking":
			kind, t.Redacted = model.Thinking, true
		case "tool_use":
			kind, t.ID = model.Call, b.id
			if data == "" {
				data = b.input
			}
			if data == "" || data == "null" {
				data = "{}"
			}
		}
		p := model.NewPart(model.Assistant, kind, strings.ToValidUTF8(data, "\uFFFD"))
		if kind != model.Text {
			p.Provider = wire.Tag(provider, t)
		}
		if kind == model.Call {
			p.Tool = names.Back(b.name)
		}
		r.Parts = append(r.Parts, p)
	}
	return r, nil
}
