package openai

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/spoorhq/spoor/internal/wire"
	"github.com/spoorhq/spoor/model"
)

const (
	maxCalls = 1000     // of one reply
	maxText  = 16 << 20 // bytes of one reply
)

// A chunk is a bit of an answer, or, with a message in place of a delta, all
// of it. Servers differ in much, so what they fill in various ways is read
// later.
type chunk struct {
	Object  string
	Model   string
	Choices []struct {
		Index          int
		Delta, Message delta
		FinishReason   string `json:"finish_reason"`
	}
	Usage json.RawMessage
	Error json.RawMessage
}

type delta struct {
	Content          json.RawMessage // a string, or a list of parts
	Refusal          string
	ReasoningContent json.RawMessage `json:"reasoning_content"`
	Reasoning        json.RawMessage
	ToolCalls        []callDelta `json:"tool_calls"`
}

type callDelta struct {
	Index    *int
	ID       string
	Function struct {
		Name      string
		Arguments json.RawMessage // a string, or the object itself
	}
}

// A thought is what a part of thinking needs to go back: the name of the field
// that it came in, one of reasoning.
type thought struct {
	Field string `json:"field"`
}

var reasoning = []string{"reasoning_content", "reasoning"}

// An answer is what came so far.
type answer struct {
	emit     func(model.Delta)
	names    *wire.Names
	thinking strings.Builder
	field    string // that thinking came in
	text     strings.Builder
	calls    []*call
	refused  bool
	finish   string // why it ended, if it did
	size     int

	model string
	usage model.Usage
}

type call struct {
	index *int
	id    string
	name  string
	args  strings.Builder
}

// read reads a reply from the answer of a server.
func read(resp *http.Response, names *wire.Names, emit func(model.Delta)) (model.Reply, error) {
	a := &answer{emit: emit, names: names}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "application/json" {
		whole, err := io.ReadAll(resp.Body)
		if err == nil {
			err = a.add(whole)
		}
		if err != nil {
			return model.Reply{}, err
		}
		return a.reply()
	}
	events := ssestream.NewDecoder(resp)
	for events.Next() {
		e := events.Event()
		data := bytes.TrimSpace(e.Data)
		switch {
		case len(data) == 0:
		case bytes.HasPrefix(data, []byte("[DONE]")):
			return a.reply()
		case e.Type == "error":
			return model.Reply{}, &wire.Said{Body: string(data)}
		default:
			if err := a.add(data); err != nil {
				return model.Reply{}, err
			}
		}
	}
	switch err := events.Err(); {
	case a.finish != "": // whatever came after the end
		return a.reply()
	case err != nil:
		return model.Reply{}, err
	}
	return model.Reply{}, wire.Broken("it ends before its end")
}

// add takes in one chunk.
func (a *answer) add(data []byte) error {
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return wire.Broken("it has a chunk that is none; see whether the address is right, with its /v1")
	}
	if c.Object == "error" || len(c.Error) > 0 && !bytes.Equal(c.Error, []byte("null")) {
		return &wire.Said{Body: string(data)}
	}
	if c.Model != "" {
		a.model = c.Model
	}
	a.spent(c.Usage)
	for i := range c.Choices {
		choice := &c.Choices[i]
		if choice.Index != 0 {
			continue // nobody asked for a second one
		}
		for _, d := range []*delta{&choice.Delta, &choice.Message} {
			if err := a.delta(d); err != nil {
				return err
			}
		}
		if choice.FinishReason == "error" {
			return &wire.Said{Body: string(data)}
		}
		if choice.FinishReason != "" {
			a.finish = choice.FinishReason
		}
	}
	return nil
}

func (a *answer) delta(d *delta) error {
	for i, raw := range []json.RawMessage{d.ReasoningContent, d.Reasoning} {
		s, err := said(raw)
		if err != nil {
			return err
		}
		if s != "" && (a.field == "" || a.field == reasoning[i]) { // some say it in both
			a.field = reasoning[i]
			a.thinking.WriteString(s)
			a.size += len(s)
		}
	}
	text, err := said(d.Content)
	if err != nil {
		return err
	}
	if d.Refusal != "" {
		a.refused = true
		text += d.Refusal
	}
	if text != "" {
		a.text.WriteString(text)
		a.size += len(text)
		a.emit(model.Delta{Text: text})
	}
	for i := range d.ToolCalls {
		if err := a.call(&d.ToolCalls[i]); err != nil {
			return err
		}
	}
	if a.size > maxText || len(a.calls) > maxCalls {
		return wire.Broken("it has more than %d calls, or than %d MiB", maxCalls, maxText>>20)
	}
	return nil
}

// said is the text of a field: a string, or a list of parts.
func said(raw json.RawMessage) (text string, err error) {
	switch {
	case len(raw) == 0 || raw[0] == 'n':
	case raw[0] == '[':
		var parts []struct{ Text string }
		err = json.Unmarshal(raw, &parts)
		for _, p := range parts {
			text += p.Text
		}
	default:
		err = json.Unmarshal(raw, &text)
	}
	if err != nil {
		return "", wire.Broken("it has a text that is none")
	}
	return text, nil
}

// call takes in a bit of a tool call.
func (a *answer) call(d *callDelta) error {
	args := string(d.Function.Arguments)
	switch {
	case args == "null":
		args = ""
	case strings.HasPrefix(args, `"`):
		if err := json.Unmarshal(d.Function.Arguments, &args); err != nil {
			return wire.Broken("it has arguments that are none")
		}
	}
	c := a.which(d, args)
	if c == nil && d.ID == "" && d.Function.Name == "" && strings.TrimSpace(args) == "" {
		return nil // a bit of nothing
	}
	if c == nil {
		c = new(call)
		a.calls = append(a.calls, c)
	}
	if d.Index != nil {
		c.index = d.Index
	}
	if d.ID != "" {
		c.id = d.ID
	}
	if d.Function.Name != c.name { // some repeat it
		c.name += d.Function.Name
	}
	c.args.WriteString(args)
	a.size += len(args) + len(d.Function.Name) + len(d.ID)
	return nil
}

// which is the call that a bit belongs to; nil if it begins one. Both an index
// and an id tell, but a server may leave out either or both, or give all calls
// the index 0. So a name also begins a call, unless it is said again for one
// whose arguments are not complete.
func (a *answer) which(d *callDelta, args string) *call {
	for _, c := range slices.Backward(a.calls) {
		if d.ID != "" && c.id != "" && d.ID != c.id || d.Index != nil && c.index != nil && *d.Index != *c.index {
			continue
		}
		if name := d.Function.Name; name != "" && c.name != "" {
			other := d.Index == nil && (d.ID == "" || c.id == "") && name != c.name
			if other || strings.TrimSpace(args) != "" && json.Valid([]byte(c.args.String())) {
				return nil
			}
		}
		return c
	}
	return nil
}

// spent reads the usage. Some servers send it with each chunk: the last one
// counts.
func (a *answer) spent(raw json.RawMessage) {
	var u struct {
		Prompt        float64 `json:"prompt_tokens"`
		Completion    float64 `json:"completion_tokens"`
		PromptDetails struct {
			Cached float64 `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		CompletionDetails struct {
			Reasoning float64 `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	}
	if len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &u) != nil {
		return
	}
	n := func(f float64) int { return int(min(max(f, 0), 1e12)) }
	a.usage = model.Usage{Input: n(u.Prompt), Output: n(u.Completion), Cached: n(u.PromptDetails.Cached), Thinking: n(u.CompletionDetails.Reasoning)}
}

// reply is all that came.
func (a *answer) reply() (model.Reply, error) {
	if a.finish == "" && a.text.Len() == 0 && a.thinking.Len() == 0 && len(a.calls) == 0 {
		return model.Reply{}, wire.Broken("it says nothing; see whether the address is right, with its /v1")
	}
	r := model.Reply{Model: a.model, Usage: a.usage}
	switch {
	case a.refused || a.finish == "content_filter":
		r.Stop = model.StopRefusal
	case a.finish == "length":
		r.Stop = model.StopLength
	}
	if a.thinking.Len() > 0 {
		p := model.NewPart(model.Assistant, model.Thinking, a.thinking.String())
		p.Provider = wire.Tag(provider, thought{a.field})
		r.Parts = append(r.Parts, p)
	}
	if a.text.Len() > 0 {
		r.Parts = append(r.Parts, model.NewPart(model.Assistant, model.Text, a.text.String()))
	}
	for _, c := range a.calls {
		args := c.args.String()
		if c.name == "" {
			return model.Reply{}, wire.Broken("it calls a tool without a name")
		}
		if strings.TrimSpace(args) == "" {
			args = "{}"
		}
		p := model.NewPart(model.Assistant, model.Call, args)
		p.Tool = a.names.Back(c.name)
		if c.id != "" {
			p.Provider = wire.Tag(provider, map[string]string{"id": c.id})
		}
		r.Parts = append(r.Parts, p)
	}
	return r, nil
}
