// Package vendors holds spoor's adapters to the official clients of their
// vendors: what an adapter sends is what the client's types say, and what it
// reads of a stream is what the client reads. It is a module of its own, so
// that nobody else compiles the clients.
package vendors

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	anthropicsdk "github.com/anthropics/anthropic-sdk-go/v2"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/google/go-cmp/cmp"
	openaisdk "github.com/openai/openai-go/v3"
	openaioption "github.com/openai/openai-go/v3/option"

	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/model/anthropic"
	"github.com/spoorhq/spoor/model/openai"
)

// A server answers with a stream, and keeps what it was asked last.
type server struct {
	*httptest.Server
	body   []byte
	header http.Header
}

func serve(t *testing.T, file string) *server {
	t.Helper()
	stream, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	s := new(server)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.body, _ = io.ReadAll(r.Body)
		s.header = r.Header
		w.Header().Set("Content-Type", "text/event-stream")
		w.Write(stream)
	}))
	t.Cleanup(s.Close)
	return s
}

// request has a part of each kind, in the order in which a walk makes them. Its
// numbers are small, since the types of the clients lose digits.
func request() *model.Request {
	part := func(role model.Role, kind model.Kind, data string, set func(*model.Part)) model.Part {
		p := model.NewPart(role, kind, data)
		if set != nil {
			set(&p)
		}
		return p
	}
	of := func(call, tool string) func(*model.Part) {
		return func(p *model.Part) { p.Call, p.Tool = call, tool }
	}
	return &model.Request{
		Parts: []model.Part{
			part(model.System, model.Text, "You look after <ports> & cables.", nil),
			part(model.System, model.Text, "Call read_port(n).", func(p *model.Part) { p.Skill = "look" }),
			part(model.User, model.Text, "How is port 3?", nil),
			part(model.Assistant, model.Thinking, "Port 3 first.", func(p *model.Part) {
				p.Provider = `{"anthropic":{"signature":"EqQBCgIYAhIM1gbcDa9GJwZA2b3h"}}`
			}),
			part(model.Assistant, model.Text, "Let me look.", nil),
			part(model.Assistant, model.Call, `{"z":17,"a":[2]}`, of("i1.1", "read_port")),
			part(model.Assistant, model.Call, `{}`, of("i1.2", "photo.of port")),
			part(model.Tool, model.Result, `{"errors":41200}`, of("i1.1", "read_port")),
			part(model.Tool, model.Result, `gone`, func(p *model.Part) { p.Call, p.Tool, p.Status = "i1.2", "photo.of port", "failure" }),
			part(model.Tool, model.Image, "\x89PNG", func(p *model.Part) { p.Call, p.Tool, p.Media = "i1.2", "photo.of port", "image/png" }),
			part(model.Tool, model.Document, `{"a":1}`, func(p *model.Part) { p.Call, p.Tool, p.Media = "i1.2", "photo.of port", "application/json" }),
			part(model.System, model.Note, "This is the last call.", nil),
			part(model.System, model.Menu, "You may read: repair.", nil),
		},
		Tools: []model.ToolSpec{
			{Name: "read_port", Description: "Read a port.", Schema: `{"type":"object","required":["n"],"properties":{"n":{"type":"integer","maximum":64}}}`},
			{Name: "photo.of port"},
		},
		Choice: "read_port",
	}
}

// same holds that a type of the client reads a body, and writes it again, whole.
func same(t *testing.T, body []byte, params any, add map[string]any) {
	t.Helper()
	if err := json.Unmarshal(body, params); err != nil {
		t.Fatalf("the client does not read the request: %v\n%s", err, body)
	}
	again, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	value := func(data []byte) (v map[string]any) {
		d := json.NewDecoder(strings.NewReader(string(data)))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	want, got := value(body), value(again)
	for key, v := range add { // what the client's methods set, and not its types
		got[key] = v
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the request, as the client writes it (-ours +theirs):\n%s", d)
	}
}

func call(t *testing.T, m model.Model) model.Reply {
	t.Helper()
	reply, err := m.Call(t.Context(), request(), func(model.Delta) {})
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

// part is the data of the n-th part of a kind.
func part(r model.Reply, kind model.Kind, n int) model.Part {
	for _, p := range r.Parts {
		if p.Kind == kind {
			if n == 0 {
				return p
			}
			n--
		}
	}
	return model.Part{}
}

func TestOpenAI(t *testing.T) {
	s := serve(t, "openai.sse")
	reply := call(t, openai.Model{Name: "gpt-5", BaseURL: s.URL + "/v1", Key: "sk-test-0123456789", MaxTokens: 900})
	var body map[string]json.RawMessage
	if err := json.Unmarshal(s.body, &body); err != nil {
		t.Fatal(err)
	}
	same(t, body["tool_choice"], new(openaisdk.ChatCompletionNamedToolChoiceParam), nil)
	delete(body, "tool_choice") // the client takes it for another kind of choice when it reads
	rest, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	same(t, rest, new(openaisdk.ChatCompletionNewParams), map[string]any{"stream": true})

	client := openaisdk.NewClient(openaioption.WithBaseURL(s.URL+"/v1"), openaioption.WithAPIKey("sk-test-0123456789"))
	ours := s.header
	stream := client.Chat.Completions.NewStreaming(t.Context(), openaisdk.ChatCompletionNewParams{Model: "gpt-5", Messages: []openaisdk.ChatCompletionMessageParamUnion{openaisdk.UserMessage("x")}})
	var theirs openaisdk.ChatCompletionAccumulator
	for stream.Next() {
		theirs.AddChunk(stream.Current())
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	headers(t, ours, s.header, "Authorization", "Content-Type")
	m := theirs.Choices[0].Message
	equal(t, "the text", m.Content, part(reply, model.Text, 0).Data)
	for i, c := range m.ToolCalls {
		equal(t, "arguments", c.Function.Arguments, part(reply, model.Call, i).Data)
	}
	equal(t, "the calls", 2, len(m.ToolCalls))
	equal(t, "the first tool", m.ToolCalls[0].Function.Name, part(reply, model.Call, 0).Tool)
	equal(t, "the model", theirs.Model, reply.Model)
	u := theirs.Usage
	equal(t, "the usage", model.Usage{
		Input: int(u.PromptTokens), Output: int(u.CompletionTokens),
		Cached: int(u.PromptTokensDetails.CachedTokens), Thinking: int(u.CompletionTokensDetails.ReasoningTokens),
	}, reply.Usage)
}

func TestAnthropic(t *testing.T) {
	s := serve(t, "anthropic.sse")
	reply := call(t, anthropic.Model{Name: "claude-opus-4-6", BaseURL: s.URL, Key: "sk-test-0123456789", MaxTokens: 900})
	same(t, s.body, new(anthropicsdk.MessageNewParams), map[string]any{"stream": true})

	client := anthropicsdk.NewClient(anthropicoption.WithBaseURL(s.URL), anthropicoption.WithAPIKey("sk-test-0123456789"))
	ours := s.header
	stream := client.Messages.NewStreaming(t.Context(), anthropicsdk.MessageNewParams{
		Model: "claude-opus-4-6", MaxTokens: 900, Messages: []anthropicsdk.MessageParam{anthropicsdk.NewUserMessage(anthropicsdk.NewTextBlock("x"))},
	})
	var theirs anthropicsdk.Message
	for stream.Next() {
		if err := theirs.Accumulate(stream.Current()); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	headers(t, ours, s.header, "Authorization", "Content-Type")
	calls := 0
	for _, b := range theirs.Content {
		switch b.Type {
		case "thinking":
			equal(t, "the thinking", b.Thinking, part(reply, model.Thinking, 0).Data)
			if !strings.Contains(part(reply, model.Thinking, 0).Provider, b.Signature) {
				t.Error("the signature is lost")
			}
		case "text":
			equal(t, "the text", b.Text, part(reply, model.Text, 0).Data)
		case "tool_use":
			equal(t, "the arguments", string(b.Input), part(reply, model.Call, calls).Data)
			calls++
		}
	}
	equal(t, "the calls", 2, calls)
	equal(t, "the model", theirs.Model, reply.Model)
	u := theirs.Usage
	equal(t, "the usage", model.Usage{
		Input:  int(u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens),
		Cached: int(u.CacheReadInputTokens), Written: int(u.CacheCreationInputTokens), Output: int(u.OutputTokens),
	}, reply.Usage)
}

func headers(t *testing.T, ours, theirs http.Header, names ...string) {
	t.Helper()
	for _, name := range names {
		equal(t, "the header "+name, theirs.Get(name), ours.Get(name))
	}
}

func equal(t *testing.T, what string, theirs, ours any) {
	t.Helper()
	if d := cmp.Diff(theirs, ours); d != "" {
		t.Errorf("%s (-theirs +ours):\n%s", what, d)
	}
}
