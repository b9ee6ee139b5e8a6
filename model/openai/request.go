package openai

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"github.com/spoorhq/spoor/internal/wire"
	"github.com/spoorhq/spoor/model"
)

// params is a request as chat completions take it; own says that they are
// OpenAI's.
func (m Model) params(req *model.Request, names *wire.Names, own bool) (p openai.ChatCompletionNewParams, err error) {
	p.Model = m.Name
	p.StreamOptions.IncludeUsage = openai.Bool(true)
	switch {
	case m.MaxTokens <= 0:
	case own: // its newer models do not know max_tokens
		p.MaxCompletionTokens = openai.Int(int64(m.MaxTokens))
	default: // many know nothing else
		p.MaxTokens = openai.Int(int64(m.MaxTokens))
	}
	system, list := wire.Messages(req.Parts)
	if len(system) > 0 {
		p.Messages = append(p.Messages, openai.SystemMessage(join(system)))
	}
	ids := wire.IDs(req.Parts, provider)
	for _, msg := range list {
		if msg.Assistant {
			p.Messages = append(p.Messages, assistant(msg.Parts, names, ids)...)
		} else {
			p.Messages = append(p.Messages, others(msg.Parts, ids)...)
		}
	}
	for _, t := range req.Tools {
		f, err := function(t, names)
		if err != nil {
			return p, err
		}
		p.Tools = append(p.Tools, openai.ChatCompletionFunctionTool(f))
	}
	if req.Choice != "" {
		p.ToolChoice = openai.ToolChoiceOptionFunctionToolChoice(openai.ChatCompletionNamedToolChoiceFunctionParam{Name: names.There(req.Choice)})
	}
	return p, nil
}

// function is a tool, with its schema byte for byte.
func function(t model.ToolSpec, names *wire.Names) (f openai.FunctionDefinitionParam, err error) {
	schema := t.Schema
	if schema == "" {
		schema = `{"type":"object","properties":{}}`
	}
	if !json.Valid([]byte(schema)) {
		return f, &model.Error{Fault: model.FaultRequest, Message: fmt.Sprintf("the schema of the tool %s is no JSON; correct it", t.Name)}
	}
	return param.Override[openai.FunctionDefinitionParam](struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters"`
	}{names.There(t.Name), t.Description, json.RawMessage(schema)}), nil
}

// assistant is what the model said: its text, its calls and, if it is to come
// back, its reasoning. It is no message if nothing of it can be said.
func assistant(parts []model.Part, names *wire.Names, ids map[string]string) []openai.ChatCompletionMessageParamUnion {
	var m openai.ChatCompletionAssistantMessageParam
	var texts []model.Part
	for _, p := range parts {
		var from thought
		switch {
		case p.Kind == model.Call:
			m.ToolCalls = append(m.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
				ID:       ids[p.Call],
				Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: names.There(p.Tool), Arguments: wire.Arguments(p.Data)},
			}})
		case p.Kind == model.Thinking:
			if wire.Untag(p.Provider, provider, &from) && slices.Contains(reasoning, from.Field) {
				m.SetExtraFields(map[string]any{from.Field: p.Data})
			}
		default:
			texts = append(texts, p)
		}
	}
	if len(texts) > 0 {
		m.Content.OfString = openai.String(join(texts))
	} else if len(m.ToolCalls) == 0 {
		return nil
	}
	return []openai.ChatCompletionMessageParamUnion{{OfAssistant: &m}}
}

// others is all that comes to the model from elsewhere: a message for each
// result, and then one for the rest. What a tool brought besides its result is
// text of the same message, except images, which only the last one can show.
func others(parts []model.Part, ids map[string]string) (list []openai.ChatCompletionMessageParamUnion) {
	var rest []openai.ChatCompletionContentPartUnionParam
	var results []string // the ids
	told := map[string][]string{}
	for _, p := range parts {
		id := ids[p.Call]
		switch {
		case p.Kind == model.Image && slices.Contains(images, p.Media):
			if id != "" {
				rest = append(rest, openai.TextContentPart("(the image that the call "+id+" brought)"))
			}
			rest = append(rest, openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{
				URL: "data:" + p.Media + ";base64," + base64.StdEncoding.EncodeToString([]byte(p.Data)),
			}))
		case id == "" && p.Role == model.Tool: // its call is gone
			rest = append(rest, openai.TextContentPart("(from the tool "+p.Tool+") "+text(&p)))
		case id == "":
			rest = append(rest, openai.TextContentPart(text(&p)))
		default:
			if p.Kind == model.Result {
				results = append(results, id)
			}
			told[id] = append(told[id], text(&p))
		}
	}
	for _, id := range results {
		list = append(list, openai.ToolMessage(strings.Join(told[id], "\n\n"), id))
	}
	if len(rest) == 0 {
		return list
	}
	if !slices.ContainsFunc(rest, func(c openai.ChatCompletionContentPartUnionParam) bool { return c.OfImageURL != nil }) {
		var texts []string
		for _, c := range rest {
			texts = append(texts, c.OfText.Text)
		}
		return append(list, openai.UserMessage(strings.Join(texts, "\n\n")))
	}
	return append(list, openai.UserMessage(rest))
}

// images are the media types that can be shown.
var images = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// text is a part as text.
func text(p *model.Part) string {
	switch {
	case p.Kind == model.Note, p.Kind == model.Menu, p.Role == model.System:
		return wire.Note(p.Data)
	case p.Kind == model.Image, p.Kind == model.Document && !readable(p.Media):
		return wire.Unseen(p)
	}
	return p.Data
}

// readable reports whether a document is text.
func readable(media string) bool {
	media, _, _ = strings.Cut(media, ";")
	return media == "" || strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "json") || strings.HasSuffix(media, "xml")
}

func join(parts []model.Part) string {
	var texts []string
	for _, p := range parts {
		texts = append(texts, p.Data)
	}
	return strings.Join(texts, "\n\n")
}
