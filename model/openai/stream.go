package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/spoorhq/spoor/internal/wire"
	"github.com/spoorhq/spoor/model"
)

const (
	maxCalls = 1000     // of one reply, and so many thoughts
	maxText  = 16 << 20 // bytes of one reply
)

// A chunk is a bit of an answer, or, with a message in place of a delta, all
// of it. Servers differ in much, so what they fill in various ways is read
// later. A number may be a string of digits.
type chunk struct {
	Object  string
	Model   string
	Choices []struct {
		Index          json.Number
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
	ReasoningDetails json.RawMessage `json:"reasoning_details"` // OpenRouter's
	ToolCalls        []callDelta     `json:"tool_calls"`
}

type callDelta struct {
	Index    json.Number
	ID       string
	Function struct {
		Name      string
		Arguments json.RawMessage // a string, or the object itself
	}
}

// A thought is what a part of thinking needs to go back: the server that it
// came from, the name of the field that it came in, one of reasoning, and what
// came beside it.
type thought struct {
	At      string            `json:"at"`
	Field   string            `json:"field,omitempty"`
	Details []json.RawMessage `json:"details,omitempty"`
}

var reasoning = []string{"reasoning_content", "reasoning"}

// An answer is what came so far.
type answer struct {
	from    *wire.Answer
	names   *wire.Names
	thought thought
	details []*detail
	calls   []*call
	refused bool
	finish  string // why it ended, if it did
	size    int

	thinking, text strings.Builder

	model string
	usage model.Usage
}

// read reads a reply from the answer of the server at host: a stream, or all of
// it at once.
func read(from *wire.Answer, names *wire.Names, host string) (model.Reply, error) {
	a := &answer{from: from, names: names, thought: thought{At: host}}
	body := bufio.NewReader(from.Body)
	from.Body = body
	var err error
	if first, _ := body.Peek(1); string(first) == "{" { // no stream begins so
		var whole []byte
		if whole, err = io.ReadAll(body); err == nil {
			err = a.add(whole)
		}
	} else {
		err = a.listen()
	}
	if err != nil {
		return model.Reply{}, err
	}
	return a.reply()
}

// listen takes in a stream.
func (a *answer) listen() error {
	done := false
	var fault error
	err := a.from.Events(func(kind string, data []byte) error {
		switch data = bytes.TrimSpace(data); {
		case len(data) == 0:
		case bytes.HasPrefix(data, []byte("[DONE]")):
			done = true
			return wire.ErrEnough
		case kind == "error":
			fault = &wire.Said{Body: string(data)}
		default:
			before := a.size
			fault = a.add(data)
			if a.finish != "" && a.size == before { // some say it in each chunk
				a.from.Done()
			}
		}
		return fault
	})
	switch {
	case fault != nil:
		return fault
	case done, a.finish != "": // whatever came after the end
		return nil
	case err != nil:
		return err
	}
	return wire.Broken("it ends before its end")
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
		if choice.Index != "" && choice.Index != "0" {
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
		if s != "" && (a.thought.Field == "" || a.thought.Field == reasoning[i]) { // some say it in both
			a.thought.Field = reasoning[i]
			a.thinking.WriteString(s)
			a.size += len(s)
		}
	}
	var details []map[string]json.RawMessage
	if json.Unmarshal(d.ReasoningDetails, &details) == nil {
		a.size += len(d.ReasoningDetails)
		for _, m := range details {
			a.detail(m)
		}
	}
	text, err := said(d.Content)
	if err != nil {
		return err
	}
	a.say(text)
	if d.Refusal != "" {
		if !a.refused && a.text.Len() > 0 {
			a.say("\n")
		}
		a.refused = true
		a.say(d.Refusal)
	}
	for i := range d.ToolCalls {
		if err := a.call(&d.ToolCalls[i]); err != nil {
			return err
		}
	}
	if a.size > maxText || len(a.calls) > maxCalls || len(a.details) > maxCalls {
		return wire.Broken("it has more than %d calls or thoughts, or than %d MiB", maxCalls, maxText>>20)
	}
	return nil
}

func (a *answer) say(text string) {
	if text != "" {
		a.text.WriteString(text)
		a.size += len(text)
		a.from.Emit(text)
	}
}

// said is the text of a field: a string, or a list of parts.
func said(raw json.RawMessage) (text string, err error) {
	switch {
	case len(raw) == 0 || raw[0] == 'n':
	case raw[0] == '[':
		var parts []struct{ Text string }
		err = json.Unmarshal(raw, &parts)
		var b strings.Builder
		for _, p := range parts {
			b.WriteString(p.Text)
		}
		text = b.String()
	default:
		err = json.Unmarshal(raw, &text)
	}
	if err != nil {
		return "", wire.Broken("it has a text that is none")
	}
	return text, nil
}

// A detail is one of the details of reasoning. Its text is that of the field
// that grows, if one of it does.
type detail struct {
	fields map[string]json.RawMessage
	grows  string
	text   strings.Builder
}

// detail takes in a detail, or a bit of the last one. A signature, which is of
// the whole text, is its end; the index alone does not tell, since it may be 0
// for all.
func (a *answer) detail(m map[string]json.RawMessage) {
	grows := map[string]string{`"reasoning.text"`: "text", `"reasoning.summary"`: "summary"}[string(m["type"])]
	d := &detail{grows: grows, fields: map[string]json.RawMessage{}}
	if n := len(a.details); n > 0 && grows != "" && a.details[n-1].goesOn(m) {
		d = a.details[n-1]
	} else {
		a.details = append(a.details, d)
	}
	for k, v := range m {
		var s string
		if k == grows && json.Unmarshal(v, &s) == nil && s != "" {
			d.text.WriteString(s)
		} else if d.fields[k] == nil || string(v) != "null" {
			d.fields[k] = v
		}
	}
}

func (d *detail) goesOn(m map[string]json.RawMessage) bool {
	same := func(k string) bool { return bytes.Equal(d.fields[k], m[k]) }
	return same("type") && same("index") && len(d.fields["signature"]) <= len("null")
}

// raw is a detail as it goes back.
func (d *detail) raw() json.RawMessage {
	if d.text.Len() > 0 {
		d.fields[d.grows], _ = json.Marshal(d.text.String()) // a string
	}
	b, _ := json.Marshal(d.fields) // they were read as JSON
	return bytes.ToValidUTF8(b, []byte("\uFFFD"))
}

// A call is a tool call. Its arguments are followed as they come, to know
// where they end.
type call struct {
	index      json.Number
	id         string
	name, args strings.Builder

	depth                  int // of objects and lists
	begun, quoted, escaped bool
}

func (c *call) hear(args string) {
	c.args.WriteString(args)
	c.begun = c.begun || strings.TrimSpace(args) != ""
	for _, b := range []byte(args) {
		switch {
		case c.escaped:
			c.escaped = false
		case c.quoted:
			c.escaped, c.quoted = b == '\\', b != '"'
		case b == '"':
			c.quoted = true
		case b == '{', b == '[':
			c.depth++
		case b == '}', b == ']':
			c.depth--
		}
	}
}

// open reports whether arguments have begun and are not at their end.
func (c *call) open() bool { return c.quoted || c.depth > 0 }

// call takes in a bit of a tool call.
func (a *answer) call(d *callDelta) error {
	args := strings.ToValidUTF8(string(d.Function.Arguments), "\uFFFD")
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
	if d.Index != "" {
		c.index = d.Index
	}
	if d.ID != "" {
		c.id = d.ID
	}
	if d.Function.Name != c.name.String() { // some repeat it
		c.name.WriteString(d.Function.Name)
	}
	c.hear(args)
	a.size += len(args) + len(d.Function.Name) + len(d.ID)
	return nil
}

// which is the call that a bit belongs to; nil if it begins one. Both an index
// and an id tell, but a server may leave out either or both, or give all calls
// the index 0. So a name also begins a call, unless it is said again for one
// whose arguments are not complete.
func (a *answer) which(d *callDelta, args string) *call {
	for _, c := range slices.Backward(a.calls) {
		if d.ID != "" && c.id != "" && d.ID != c.id || d.Index != "" && c.index != "" && d.Index != c.index {
			continue
		}
		if name := d.Function.Name; name != "" && c.name.Len() > 0 {
			other := d.Index == "" && (d.ID == "" || c.id == "") && name != c.name.String()
			if other || strings.TrimSpace(args) != "" && c.begun && !c.open() {
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
	thought := a.thinking.Len() > 0 || len(a.details) > 0
	if a.finish == "" && a.text.Len() == 0 && !thought && len(a.calls) == 0 {
		return model.Reply{}, wire.Broken("it says nothing; see whether the address is right, with its /v1")
	}
	r := model.Reply{Model: a.model, Usage: a.usage}
	switch {
	case a.refused || a.finish == "content_filter":
		r.Stop = model.StopRefusal
	case a.finish == "length":
		r.Stop = model.StopLength
	}
	if thought {
		for _, d := range a.details {
			a.thought.Details = append(a.thought.Details, d.raw())
		}
		p := model.NewPart(model.Assistant, model.Thinking, a.thinking.String())
		p.Provider = wire.Tag(provider, a.thought)
		r.Parts = append(r.Parts, p)
	}
	if a.text.Len() > 0 {
		r.Parts = append(r.Parts, model.NewPart(model.Assistant, model.Text, a.text.String()))
	}
	for _, c := range a.calls {
		args := c.args.String()
		switch {
		case c.name.Len() == 0:
			return model.Reply{}, wire.Broken("it calls a tool without a name")
		case a.finish == "" && c.open():
			return model.Reply{}, wire.Broken("it ends within the arguments of a call")
		}
		if strings.TrimSpace(args) == "" {
			args = "{}"
		}
		p := model.NewPart(model.Assistant, model.Call, args)
		p.Tool = a.names.Back(c.name.String())
		if c.id != "" {
			p.Provider = wire.Tag(provider, map[string]string{"id": c.id})
		}
		r.Parts = append(r.Parts, p)
	}
	return r, nil
}
