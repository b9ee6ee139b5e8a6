package mcp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"reflect"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/tool"
)

const (
	maxMessage = 2000
	maxText    = 1 << 20
	maxMedia   = 8 << 20
)

// wrap makes a result for the SDK of a whole answer, which read unpacks again.
// Nothing else of the answer reaches the SDK.
func wrap(answer json.RawMessage) json.RawMessage {
	return fmt.Appendf(nil, `{"_meta":{"answer":%s}}`, quote(string(answer)))
}

// read returns the result of an answer as it stands, or its *jsonrpc.Error.
func read(meta sdk.Meta) (json.RawMessage, error) {
	var m struct{ Result, Error json.RawMessage }
	text, _ := meta["answer"].(string)
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return nil, err
	}
	if err := refusal(m.Error); err != nil {
		return nil, err
	}
	return m.Result, nil
}

// refusal is the error of an answer; nil if it is none.
func refusal(raw json.RawMessage) *jsonrpc.Error {
	if absent(raw) {
		return nil
	}
	var e jsonrpc.Error
	if json.Unmarshal(raw, &e) != nil {
		e = jsonrpc.Error{Message: string(raw)}
	}
	e.Message = cut(e.Message, maxMessage)
	return &e
}

func absent(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// object is a raw JSON object as text; empty if it is anything else.
func object(raw json.RawMessage) string {
	if len(raw) == 0 || raw[0] != '{' {
		return ""
	}
	return string(raw)
}

// result is what a call brought back. A sentence about it begins with who
// answered what.
func result(raw json.RawMessage, who string, promise func(string) error) tool.Result {
	var said struct {
		Content           []json.RawMessage
		StructuredContent json.RawMessage
		IsError           bool
		ResultType        string
	}
	err := json.Unmarshal(raw, &said)
	switch {
	case err == nil && said.ResultType != "" && said.ResultType != "complete":
		return tool.Result{Status: spoor.Invalid, Text: fmt.Sprintf("%s with a result of type %q: it wants something that it cannot have here, and the call is not done.", who, cut(said.ResultType, 200))}
	case err != nil, said.Content == nil && absent(said.StructuredContent):
		return tool.Result{Status: spoor.Invalid, Text: who + " with something that is no result."}
	}
	var texts, pictures []string // pictures are the data of images and documents, as they came
	var all, others []model.Part // with and without the texts
	for _, block := range said.Content {
		p, data, plain := part(block)
		if data != "" {
			pictures = append(pictures, data)
		}
		if all = append(all, p); plain {
			texts = append(texts, p.Data)
		} else {
			others = append(others, p)
		}
	}
	r := tool.Result{Text: strings.Join(texts, "\n"), More: others}
	judged := r.Text
	if !absent(said.StructuredContent) {
		structured := string(said.StructuredContent)
		judged = structured
		value := exact(structured)
		picture := func(data string) bool { return holds(value, data, notJSON{}) }
		novel := slices.ContainsFunc(texts, func(text string) bool { return text != "" && !holds(value, text, exact(text)) })
		switch {
		case len(texts) == 1 && reflect.DeepEqual(value, exact(texts[0])):
		case slices.ContainsFunc(pictures, picture): // the pictures once more, as text
		case said.IsError && len(texts) > 0:
			r.More = append(r.More, model.NewPart(model.Tool, model.Text, structured))
		case novel:
			r = tool.Result{Text: structured, More: all}
		default:
			r.Text = structured
		}
	}
	if said.IsError {
		r.Status = spoor.Failure
	}
	if texts, media := sizes(r); texts > maxText || media > maxMedia {
		return tool.Result{Status: spoor.Invalid, Text: fmt.Sprintf("%s with %d bytes of text and %d of images and documents; at most %d and %d can be shown. Ask for less.", who, texts, media, maxText, maxMedia)}
	}
	if !said.IsError {
		if err := promise(judged); err != nil {
			r.More = append([]model.Part{model.NewPart(model.Tool, model.Text, r.Text)}, r.More...)
			r.Status = spoor.Invalid
			r.Text = cut(fmt.Sprintf("%s with a result that breaks the promise of its output schema: %v", who, err), maxMessage) + "."
		}
	}
	return r
}

func sizes(r tool.Result) (texts, media int) {
	texts = len(r.Text)
	for _, p := range r.More {
		if p.Kind == model.Text {
			texts += len(p.Data)
		} else {
			media += len(p.Data)
		}
	}
	return texts, media
}

// part is one block of content, and its data if that was no text; plain says
// that it is a text, and not a text about something else.
func part(block json.RawMessage) (p model.Part, data string, plain bool) {
	var b struct {
		Type, Text, Data, MimeType    string
		URI, Name, Title, Description string
		Resource                      struct {
			MimeType   string
			Text, Blob *string
		}
	}
	note := func(format string, args ...any) (model.Part, string, bool) {
		return model.NewPart(model.Tool, model.Text, fmt.Sprintf(format, args...)), "", false
	}
	media := func(what, data, kind string) (model.Part, string, bool) {
		bytes, err := base64.StdEncoding.DecodeString(data)
		if err != nil {
			return note("Here was %s whose data cannot be decoded: %v.", what, err)
		}
		return document(string(bytes), kind, "application/octet-stream"), data, false
	}
	if json.Unmarshal(block, &b) != nil {
		return note("Here was a block of content that is not what MCP says.")
	}
	switch b.Type {
	case "text":
		return model.NewPart(model.Tool, model.Text, b.Text), "", true
	case "image", "audio":
		return media("an "+b.Type, b.Data, b.MimeType)
	case "resource":
		switch {
		case b.Resource.Text != nil:
			return document(*b.Resource.Text, b.Resource.MimeType, "text/plain"), "", false
		case b.Resource.Blob != nil:
			return media("a resource", *b.Resource.Blob, b.Resource.MimeType)
		}
		return note("Here was a resource without contents.")
	case "resource_link":
		var line []string
		for _, s := range []string{b.Name, b.URI, b.Description} {
			if s = strings.Join(strings.Fields(s), " "); s != "" {
				line = append(line, s)
			}
		}
		return note("%s", strings.Join(line, ", "))
	}
	return note("Here was content of the kind %q, which cannot be shown.", cut(b.Type, 200))
}

// document is a part of data of a media type, an image if that says so.
func document(data, media, otherwise string) model.Part {
	kind := model.Document
	media, _, err := mime.ParseMediaType(media)
	if err != nil {
		media = otherwise
	}
	if strings.HasPrefix(media, "image/") {
		kind = model.Image
	}
	p := model.NewPart(model.Tool, kind, data)
	p.Media = media
	return p
}

// exact is the value of JSON, numbers by their digits; notJSON if it is none.
func exact(text string) (v any) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if !json.Valid([]byte(text)) || d.Decode(&v) != nil {
		return notJSON{}
	}
	return v
}

type notJSON struct{}

// holds reports whether a value has a text in it: as a string, or as the JSON
// of a part, whose value it is given. To tell the text besides adds nothing.
func holds(v any, text string, value any) bool {
	if v == any(text) || reflect.DeepEqual(v, value) {
		return true
	}
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, func(below any) bool { return holds(below, text, value) })
	case map[string]any:
		for _, below := range v {
			if holds(below, text, value) {
				return true
			}
		}
	}
	return false
}
