package anthropic

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"

	"github.com/spoorhq/spoor/internal/wire"
	"github.com/spoorhq/spoor/model"
)

// A tag is what a part needs to go back as it came.
type tag struct {
	ID        string `json:"id,omitempty"`        // of a call
	Signature string `json:"signature,omitempty"` // of thinking
	Redacted  bool   `json:"redacted,omitempty"`  // of thinking that nobody can read
}

// request writes a request as Anthropic reads it. It depends on nothing but the
// model and the request. Arguments and schemas go in as they are, each digit
// and each key in its place; the client takes out blanks, and escapes <, > and &.
func (m Model) request(req *model.Request) (sdk.MessageNewParams, *wire.Names) {
	names := wire.NewNames(req, 64)
	system, conversation := wire.Messages(req.Parts)
	p := sdk.MessageNewParams{Model: m.Name, MaxTokens: int64(cmp.Or(m.MaxTokens, 32_000))}

	var plain, body *sdk.CacheControlEphemeralParam
	if len(system) > 0 {
		p.System = make([]sdk.TextBlockParam, len(system))
	}
	for i := range system {
		p.System[i].Text = system[i].Data
		if system[i].Skill == "" {
			plain = &p.System[i].CacheControl
		} else {
			body = &p.System[i].CacheControl
		}
	}

	h := history{names: names, ids: wire.IDs(req.Parts, provider), signed: strings.Contains(strings.ToLower(m.Name), "claude")}
	for _, message := range conversation {
		if message.Assistant {
			h.assistant(message.Parts)
		} else {
			h.user(message.Parts)
		}
	}
	m.choose(&p, req, &h)
	p.Messages = h.messages
	for _, mark := range []*sdk.CacheControlEphemeralParam{plain, body, h.before, h.last} {
		if mark != nil {
			*mark = sdk.NewCacheControlEphemeralParam()
		}
	}
	return p, names
}

// choose says which tools are offered, which of them must be called, and how
// hard the model thinks about it.
func (m Model) choose(p *sdk.MessageNewParams, req *model.Request, h *history) {
	offer := func(name, description, schema string) {
		t := &sdk.ToolParam{Name: h.names.There(name)}
		if description != "" {
			t.Description = sdk.String(description)
		}
		t.InputSchema = param.Override[sdk.ToolInputSchemaParam](json.RawMessage(cmp.Or(schema, `{"type":"object"}`)))
		p.Tools = append(p.Tools, sdk.ToolUnionParam{OfTool: t})
	}
	for _, t := range req.Tools {
		if req.Choice == "" || req.Choice == t.Name || !m.newer() {
			offer(t.Name, t.Description, t.Schema)
		}
	}
	forced := false
	switch {
	case req.Choice != "" && m.newer():
		h.add(false, false, sdk.NewTextBlock(wire.Note("Answer with one call of the tool "+h.names.There(req.Choice)+", and nothing else.")))
	case req.Choice != "":
		forced = true
		p.ToolChoice = sdk.ToolChoiceParamOfTool(h.names.There(req.Choice))
	case len(p.Tools) == 0 && len(h.called) > 0:
		for _, name := range h.called {
			offer(name, "", "")
		}
		none := sdk.NewToolChoiceNoneParam()
		p.ToolChoice.OfNone = &none
	}

	p.OutputConfig.Effort = sdk.OutputConfigEffort(m.Effort)
	if m.newer() || m.Effort != "" && !forced {
		p.Thinking.OfAdaptive = &sdk.ThinkingConfigAdaptiveParam{Display: sdk.ThinkingConfigAdaptiveDisplaySummarized}
	}
	if m.newer() {
		p.Thinking.OfAdaptive.SetExtraFields(map[string]any{"block_binding": map[string]string{"prefix_mismatch_behavior": "drop_block"}})
	}
}

// A history is the conversation as Anthropic reads it.
type history struct {
	names  *wire.Names
	ids    map[string]string
	signed bool // thinking without a signature is refused

	messages []sdk.MessageParam
	called   []string // tools, in the order of their first calls

	// The mark of the last block that will stand there in the next request
	// too, and of the one that was the last in the request before.
	last, before *sdk.CacheControlEphemeralParam
}

// add appends a block to what one side says. A block that stays will stand
// there in the next request too.
func (h *history) add(assistant, stays bool, b sdk.ContentBlockParamUnion) {
	n := len(h.messages)
	if n == 0 || assistant != (h.messages[n-1].OfAssistant != nil) {
		if assistant {
			h.before = h.last
			h.messages = append(h.messages, sdk.NewAssistantMessage())
		} else {
			h.messages = append(h.messages, sdk.NewUserMessage())
		}
		n++
	}
	if m := &h.messages[n-1]; assistant {
		m.OfAssistant.Content = append(m.OfAssistant.Content, b)
	} else {
		m.OfUser.Content = append(m.OfUser.Content, b)
	}
	if mark := b.GetCacheControl(); stays && mark != nil {
		h.last = mark
	}
}

// assistant adds what the model said, its thinking in place. Thinking of
// another provider is left out.
func (h *history) assistant(parts []model.Part) {
	for i := range parts {
		p := &parts[i]
		switch p.Kind {
		case model.Thinking:
			var t tag
			switch {
			case !wire.Untag(p.Provider, provider, &t):
			case t.Redacted:
				h.add(true, true, sdk.NewRedactedThinkingBlock(p.Data))
			case t.Signature != "" || !h.signed: // cut off before its signature, it cannot go back to a Claude
				h.add(true, true, sdk.NewThinkingBlock(t.Signature, p.Data))
			}
		case model.Call:
			if !slices.Contains(h.called, p.Tool) {
				h.called = append(h.called, p.Tool)
			}
			h.add(true, true, sdk.NewToolUseBlock(h.ids[p.Call], json.RawMessage(wire.Arguments(p.Data)), h.names.There(p.Tool)))
		default:
			h.add(true, true, show(p))
		}
	}
}

// user adds what the model is told: the results of its calls first, as
// Anthropic wants it, each with the images and documents that belong to it.
func (h *history) user(parts []model.Part) {
	var results []*sdk.ToolResultBlockParam
	var rest []*model.Part
	for i := range parts {
		p := &parts[i]
		at := slices.IndexFunc(results, func(r *sdk.ToolResultBlockParam) bool { return r.ToolUseID == h.ids[p.Call] })
		switch {
		case p.Kind == model.Result && at < 0:
			r := &sdk.ToolResultBlockParam{ToolUseID: h.ids[p.Call]}
			switch p.Status {
			case "failure", "denied", "invalid":
				r.IsError = sdk.Bool(true)
			}
			results, at = append(results, r), len(results)
		case p.Kind != model.Result && p.Role != model.Tool, len(results) == 0:
			rest = append(rest, p)
			continue
		case at < 0:
			at = len(results) - 1
		}
		if strings.TrimSpace(p.Data) != "" {
			b := show(p)
			results[at].Content = append(results[at].Content, sdk.ToolResultBlockParamContentUnion{OfText: b.OfText, OfImage: b.OfImage, OfDocument: b.OfDocument})
		}
	}
	for _, r := range results {
		h.add(false, len(r.Content) > 0, sdk.ContentBlockParamUnion{OfToolResult: r})
	}
	for _, p := range rest {
		h.add(false, p.Kind != model.Note && p.Kind != model.Menu, show(p))
	}
}

// show is a part as a block: a text, an image or a document.
func show(p *model.Part) sdk.ContentBlockParamUnion {
	switch p.Kind {
	case model.Note, model.Menu:
		return sdk.NewTextBlock(wire.Note(p.Data))
	case model.Image:
		switch p.Media {
		case "image/jpeg", "image/png", "image/gif", "image/webp":
			return sdk.NewImageBlockBase64(p.Media, base64.StdEncoding.EncodeToString([]byte(p.Data)))
		}
		return sdk.NewTextBlock(wire.Unseen(p))
	case model.Document:
		switch {
		case p.Media == "application/pdf":
			return sdk.NewDocumentBlock(sdk.Base64PDFSourceParam{Data: base64.StdEncoding.EncodeToString([]byte(p.Data))})
		case strings.HasPrefix(p.Media, "text/"):
			return sdk.NewDocumentBlock(sdk.PlainTextSourceParam{Data: p.Data})
		}
		return sdk.NewTextBlock(wire.Unseen(p))
	}
	return sdk.NewTextBlock(p.Data)
}
