package mcp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
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
	maxBlocks  = 1000
	maxText    = 1 << 20 // of structured content, and of the texts beside it
)

// wrap makes a result for the SDK of a whole answer, which read unpacks again.
// Nothing else of the answer reaches the SDK.
func wrap(answer []byte) json.RawMessage {
	text, _ := json.Marshal(string(answer)) // no string fails
	return fmt.Appendf(nil, `{"_meta":{"answer":%s}}`, text)
}

// read returns the result of an answer as it stands, or its *jsonrpc.Error.
func (s *server) read(meta sdk.Meta) (json.RawMessage, error) {
	var m struct{ Result, Error json.RawMessage }
	text, _ := meta["answer"].(string)
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return nil, err
	}
	if err := s.refusal(m.Error); err != nil {
		return nil, err
	}
	return m.Result, nil
}

// refusal is the error of an answer; nil if it is none.
func (s *server) refusal(raw json.RawMessage) *jsonrpc.Error {
	if absent(raw) {
		return nil
	}
	var e jsonrpc.Error
	if json.Unmarshal(raw, &e) != nil {
		e = jsonrpc.Error{Message: string(raw)}
	}
	e.Message = cut(printable(s.values.Text(e.Message)), maxMessage)
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

// hidden is a text of a result without the secrets of the server.
func (s *server) hidden(text string) string {
	if strings.ContainsAny(text[:min(1, len(text))], "{[") && json.Valid([]byte(text)) {
		return string(s.secrets.JSON([]byte(text)))
	}
	return s.secrets.Text(text)
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
	invalid := func(format string, args ...any) tool.Result {
		return tool.Result{Status: spoor.Invalid, Text: who + " with " + fmt.Sprintf(format, args...)}
	}
	err := json.Unmarshal(raw, &said)
	switch {
	case err == nil && said.ResultType != "" && said.ResultType != "complete":
		return invalid("a result of type %q: it wants something that it cannot have here, and the call is not done.", cut(said.ResultType, 200))
	case err != nil, said.Content == nil && absent(said.StructuredContent):
		return invalid("something that is no result.")
	case len(said.Content) > maxBlocks:
		return invalid("%d blocks of content; at most %d can be shown. Ask for less.", len(said.Content), maxBlocks)
	}
	var texts []string
	var all, others []model.Part  // with and without the texts
	pictures := map[string]bool{} // the data of images and documents, as they came
	for _, block := range said.Content {
		p, data, plain := part(block)
		if data != "" {
			pictures[data] = true
		}
		if all = append(all, p); plain {
			texts = append(texts, p.Data)
		} else {
			others = append(others, p)
		}
	}
	r := tool.Result{Text: strings.Join(texts, "\n"), More: others}
	structured := string(said.StructuredContent)
	again := repeated(structured, pictures)
	if size := max(len(structured)-again, len(r.Text)); size > maxText {
		return invalid("%d bytes of text; at most %d can be shown. Ask for less.", size, maxText)
	}
	judged := r.Text
	if !absent(said.StructuredContent) {
		judged = structured
		known := values{}
		value := known.number(exact(structured))
		parts := len(known)
		novel := func(text string) bool {
			return text != "" && known.number(text) >= parts && known.number(exact(text)) >= parts
		}
		switch {
		case again > 0: // the pictures once more, as text
		case len(texts) == 1 && known.number(exact(texts[0])) == value:
		case said.IsError && len(texts) > 0:
			r.More = append(r.More, model.NewPart(model.Tool, model.Text, structured))
		case slices.ContainsFunc(texts, novel):
			r = tool.Result{Text: structured, More: all}
		default:
			r.Text = structured
		}
	}
	if said.IsError {
		r.Status = spoor.Failure
	} else if err := promise(judged); err != nil {
		r.More = append([]model.Part{model.NewPart(model.Tool, model.Text, r.Text)}, r.More...)
		r.Status = spoor.Invalid
		r.Text = cut(fmt.Sprintf("%s with a result that breaks the promise of its output schema: %v", who, err), maxMessage) + "."
	}
	return r
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

// repeated is how many bytes of JSON are strings that are pictures too. Base64
// has no quotes, and of what JSON may escape a slash only.
func repeated(text string, pictures map[string]bool) (n int) {
	for between := range strings.SplitSeq(text, `"`) {
		if pictures[strings.ReplaceAll(between, `\/`, "/")] {
			n += len(between)
		}
	}
	return n
}

// exact is the value of JSON, numbers by their digits; of what is no JSON, it
// is no value that JSON has.
func exact(text string) (v any) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if !json.Valid([]byte(text)) || d.Decode(&v) != nil {
		return struct{}{}
	}
	return v
}

// values are values of JSON with all that is in them, numbered as they come.
type values map[string]int

// number is the number of a value, the same for what is equal.
func (all values) number(v any) int {
	var key strings.Builder
	switch v := v.(type) {
	case []any:
		key.WriteString("[")
		for _, below := range v {
			fmt.Fprint(&key, " ", all.number(below))
		}
	case map[string]any:
		key.WriteString("{")
		for _, name := range slices.Sorted(maps.Keys(v)) {
			fmt.Fprintf(&key, " %q %d", name, all.number(v[name]))
		}
	default:
		fmt.Fprintf(&key, "%T %v", v, v)
	}
	n, ok := all[key.String()]
	if !ok {
		n = len(all)
		all[key.String()] = n
	}
	return n
}
