package anthropic_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor/internal/wire"
	"github.com/spoorhq/spoor/internal/wiretest"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/model/anthropic"
)

func Example() {
	server := answering(strings.Join(messages{}.Stream(wiretest.Answer{Text: []string{"Port 2 ", "is unwell."}}), ""))
	m := anthropic.Model{Name: "claude-sonnet-5-5", Key: "sk-ant-0", HTTP: server.client()}
	reply, err := m.Call(context.Background(), &model.Request{
		Parts: []model.Part{model.NewPart(model.User, model.Text, "How is port 2?")},
	}, func(d model.Delta) { fmt.Printf("%q\n", d.Text) })
	fmt.Println(reply.Parts[0].Data, err)
	// Output:
	// "Port 2 "
	// "is unwell."
	// Port 2 is unwell. <nil>
}

// A server answers each request with the same stream, and keeps what it was
// sent.
type server struct {
	media  string
	stream string
	url    string
	header http.Header
	body   string
	hangs  bool // after the stream
}

func answering(stream string) *server { return &server{media: "text/event-stream", stream: stream} }

func (s *server) client() *http.Client { return &http.Client{Transport: s} }

func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	s.url, s.header, s.body = r.URL.String(), r.Header, string(body)
	stream := io.Reader(strings.NewReader(s.stream))
	if s.hangs {
		stream = io.MultiReader(stream, hanging{r.Context()})
	}
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {s.media}}, Body: io.NopCloser(stream), Request: r}, err
}

type hanging struct{ context.Context }

func (h hanging) Read([]byte) (int, error) {
	<-h.Done()
	return 0, h.Err()
}

var hello = strings.Join(messages{}.Stream(wiretest.Answer{Text: []string{"Hello"}}), "")

// asked is what a model sends for a request.
func asked(t *testing.T, m anthropic.Model, req *model.Request) (*server, request) {
	t.Helper()
	s := answering(hello)
	m.HTTP, m.BaseURL = s.client(), "http://model.test"
	if _, err := m.Call(t.Context(), req, func(model.Delta) {}); err != nil {
		t.Fatal(err)
	}
	if _, err := (messages{}).Read([]byte(s.body)); err != nil {
		t.Fatalf("refused: %v\n%s", err, s.body)
	}
	var r request
	if err := json.Unmarshal([]byte(s.body), &r); err != nil {
		t.Fatal(err)
	}
	return s, r
}

// told is what a stream brings.
func told(t *testing.T, events ...string) (model.Reply, error) {
	t.Helper()
	noEnvironment(t)
	m := anthropic.Model{Name: "m", BaseURL: "http://model.test", HTTP: answering(strings.Join(events, "")).client(), Retries: -1}
	return m.Call(t.Context(), &model.Request{Parts: []model.Part{user("Hello")}}, func(model.Delta) {})
}

func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func system(text string) model.Part { return model.NewPart(model.System, model.Text, text) }
func user(text string) model.Part   { return model.NewPart(model.User, model.Text, text) }
func says(text string) model.Part   { return model.NewPart(model.Assistant, model.Text, text) }
func note(text string) model.Part   { return model.NewPart(model.System, model.Note, text) }
func menu(text string) model.Part   { return model.NewPart(model.System, model.Menu, text) }

func body(skill, text string) model.Part {
	p := system(text)
	p.Skill = skill
	return p
}

func call(id, tool, args string) model.Part {
	p := model.NewPart(model.Assistant, model.Call, args)
	p.Call, p.Tool = id, tool
	return p
}

func result(id, tool, text string) model.Part {
	p := model.NewPart(model.Tool, model.Result, text)
	p.Call, p.Tool = id, tool
	return p
}

func content(id string, kind model.Kind, media, data string) model.Part {
	p := model.NewPart(model.Tool, kind, data)
	p.Call, p.Media = id, media
	return p
}

func thinking(tag, text string) model.Part {
	p := model.NewPart(model.Assistant, model.Thinking, text)
	p.Provider = tag
	return p
}

func signed(text string) model.Part {
	return thinking(wire.Tag("anthropic", map[string]string{"signature": signature(text)}), text)
}

func tools(names ...string) (list []model.ToolSpec) {
	for _, n := range names {
		list = append(list, model.ToolSpec{Name: n})
	}
	return list
}

func TestMarks(t *testing.T) {
	noEnvironment(t)
	batch := []model.Part{user("How are the ports?"), says("I look."), call("i1.1", "look", "{}"), call("i1.2", "look", "{}"), result("i1.1", "look", "well"), result("i1.2", "look", "unwell")}
	for _, c := range []struct {
		name  string
		parts []model.Part
		want  string
	}{
		{"a word", []model.Part{user("Hello")}, "Hello"},
		{"a word and a menu", []model.Part{user("Hello"), menu("Go to: a.")}, "Hello"},
		{"a system", []model.Part{system("Be brief."), user("Hello"), menu("Go to: a.")}, "Be brief.|Hello"},
		{"two systems", []model.Part{system("Be brief."), system("Be kind."), user("Hello")}, "Be kind.|Hello"},
		{"bodies", []model.Part{system("Be brief."), body("a", "Do a."), body("b", "Do b."), user("Hello"), menu("Go to: a.")}, "Be brief.|Do b.|Hello"},
		{"bodies alone", []model.Part{body("a", "Do a."), body("b", "Do b."), user("Hello")}, "Do b.|Hello"},
		{"after a batch", append(batch[:len(batch):len(batch)], note("You stay."), menu("Go to: a.")), "How are the ports?|result i1_2"},
		{"after a batch, with all", append([]model.Part{system("Be brief."), body("a", "Do a.")}, batch...), "Be brief.|Do a.|How are the ports?|result i1_2"},
		{"after two batches", append(batch[:len(batch):len(batch)], call("i2.1", "look", "{}"), result("i2.1", "look", "well"), menu("Go to: a.")), "result i1_2|result i2_1"},
		{"after an empty result", []model.Part{user("Hello"), call("i1.1", "look", "{}"), result("i1.1", "look", ""), menu("Go to: a.")}, "Hello|call i1_1"},
		{"after a result that is an image", []model.Part{user("Hello"), call("i1.1", "look", "{}"), result("i1.1", "look", ""), content("i1.1", model.Image, "image/png", "x")}, "Hello|result i1_1"},
		{"a note in the middle", []model.Part{user("Hello"), note("A note."), says("Hi."), user("Bye"), note("You stay."), menu("Go to: a.")}, "Hello|Bye"},
		{"words after results", append(batch[:len(batch):len(batch)], user("Quick!"), menu("Go to: a.")), "How are the ports?|Quick!"},
		{"thinking at the end", []model.Part{user("Hello"), says("Hi."), signed("Hm."), menu("Go to: a.")}, "Hello|Hi."},
		{"thinking in the middle", []model.Part{user("Hello"), says("Hi."), signed("Hm."), says("Ho."), signed("Hm."), call("i1.1", "look", "{}"), result("i1.1", "look", "")}, "Hello|call i1_1"},
		{"thinking alone", []model.Part{user("Hello"), signed("Hm."), user("Bye")}, "Bye"},
		{"nothing but a menu", []model.Part{menu("Go to: a.")}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, r := asked(t, anthropic.Model{Name: "m"}, &model.Request{Parts: c.parts, Tools: tools("look")})
			var marked []string
			see := func(blocks []block) {
				for _, b := range blocks {
					switch {
					case b.Mark == nil:
					case b.Type == "text":
						marked = append(marked, *b.Text)
					default:
						marked = append(marked, strings.TrimPrefix(strings.TrimSuffix(b.Type, "_use"), "tool_")+" "+b.ID+b.ToolUseID)
					}
				}
			}
			see(r.System)
			for _, m := range r.Messages {
				see(m.Content)
			}
			same(t, "the marks", c.want, strings.ReplaceAll(strings.Join(marked, "|"), "tool ", "call "))
		})
	}
}

// A walk that stays where it is drops the tail and appends: what was marked
// before is the beginning of what is sent next, to the byte.
func TestMarkedPrefixStays(t *testing.T) {
	noEnvironment(t)
	parts := []model.Part{system("Be brief."), body("a", "Do a."), user("How are the ports?")}
	m := anthropic.Model{Name: "claude-opus-5-5"}
	before := ""
	for i := range 4 {
		s, _ := asked(t, m, &model.Request{Parts: append(parts[:len(parts):len(parts)], menu("Go to: "+strconv.Itoa(i))), Tools: tools("look")})
		sent := s.body[strings.Index(s.body, `"messages"`):]
		sent = strings.ReplaceAll(sent, `,"cache_control":{"type":"ephemeral"}`, "") // marks are no part of a prefix
		if !strings.HasPrefix(sent, before) {
			t.Fatalf("request %d does not begin as the one before:\n%s\n%s", i, before, sent)
		}
		before = sent[:strings.Index(sent, `{"type":"text","text":"<system-note`)]
		id := "i" + strconv.Itoa(i) + ".1"
		before = strings.TrimSuffix(before, ",")
		parts = append(parts, says("I look."), call(id, "look", `{"n": 1}`), result(id, "look", "well"))
	}
}

func TestThinkingGoesBack(t *testing.T) {
	noEnvironment(t)
	stream := []string{
		event("message_start", "message", object{"model": "claude-x", "usage": object{}}),
		event("content_block_start", "index", 0, "content_block", object{"type": "thinking", "thinking": "", "signature": ""}),
		event("content_block_delta", "index", 0, "delta", object{"type": "thinking_delta", "thinking": " Which <port>?\n\u2028"}),
		event("content_block_delta", "index", 0, "delta", object{"type": "signature_delta", "signature": "Eq/+"}),
		event("content_block_delta", "index", 0, "delta", object{"type": "signature_delta", "signature": "A=="}),
		event("content_block_stop", "index", 0),
		event("content_block_start", "index", 1, "content_block", object{"type": "thinking", "thinking": "", "signature": "whole"}),
		event("content_block_stop", "index", 1),
		event("content_block_start", "index", 2, "content_block", object{"type": "redacted_thinking", "data": "b3BhcXVl+/=="}),
		event("content_block_stop", "index", 2),
		event("content_block_start", "index", 3, "content_block", object{"type": "thinking", "thinking": "Cut o", "signature": ""}),
		event("content_block_start", "index", 4, "content_block", object{"type": "text", "text": "Port 2."}),
		event("message_stop"),
	}
	r, err := told(t, stream...)
	if err != nil {
		t.Fatal(err)
	}
	var tags []string
	for _, p := range r.Parts {
		tags = append(tags, string(p.Kind)+" "+p.Data+" "+p.Provider)
	}
	same(t, "the parts", []string{
		"thinking  Which <port>?\n\u2028 " + `{"anthropic":{"signature":"Eq/+A=="}}`,
		`thinking  {"anthropic":{"signature":"whole"}}`,
		`thinking b3BhcXVl+/== {"anthropic":{"redacted":true}}`,
		`thinking Cut o {"anthropic":{}}`,
		`text Port 2. `,
	}, tags)

	parts := append([]model.Part{user("Hello")}, r.Parts...)
	parts = append(parts, thinking(wire.Tag("openai", map[string]string{"signature": "theirs"}), "Another's."), thinking("", "Nobody's."), user("Bye"))
	for name, cut := range map[string]string{
		"m-1": `{"type":"thinking","thinking":"Cut o","signature":""},`, "claude-opus-5-5": "", "anthropic/Claude-Sonnet-4.6": "",
	} {
		s := answering(hello)
		m := anthropic.Model{Name: name, BaseURL: "http://model.test", HTTP: s.client()}
		if _, err := m.Call(t.Context(), &model.Request{Parts: parts}, func(model.Delta) {}); err != nil {
			t.Fatal(err)
		}
		var sent struct{ Messages []json.RawMessage }
		if err := json.Unmarshal([]byte(s.body), &sent); err != nil {
			t.Fatal(err)
		}
		same(t, "the message to "+name, `{"role":"assistant","content":[`+
			`{"type":"thinking","thinking":" Which <port>?\n\u2028","signature":"Eq/+A=="},`+
			`{"type":"thinking","thinking":"","signature":"whole"},`+
			`{"type":"redacted_thinking","data":"b3BhcXVl+/=="},`+cut+
			`{"type":"text","text":"Port 2."}]}`, string(sent.Messages[1]))
	}
}

func TestResultsHoldWhatBelongsToThem(t *testing.T) {
	noEnvironment(t)
	_, r := asked(t, anthropic.Model{Name: "m"}, &model.Request{Parts: []model.Part{
		user("Look"), call("i1.1", "shoot", "{}"), call("i1.2", "shoot", "{}"),
		note("You stay."), result("i1.1", "shoot", "taken"), content("i1.1", model.Image, "image/webp", "\x00\xff"),
		result("i1.2", "shoot", ""), content("i1.1", model.Document, "application/pdf", "%PDF\xff"), content("i1.1", model.Document, "application/yaml", "ports: 4"),
		content("i1.2", model.Image, "image/tiff", "II*"), content("i1.2", model.Document, "application/zip", "PK\x03\x04\x00\xff"), user("Quick!"),
	}, Tools: tools("shoot")})
	same(t, "the message", []string{
		"i1_1: text taken", "i1_1: image base64 image/webp AP8=", "i1_1: document base64 application/pdf JVBERv8=", "i1_1: document text text/plain ports: 4",
		"i1_2: text (3 bytes of image/tiff, which this model cannot be shown)", "i1_2: text (6 bytes of application/zip, which this model cannot be shown)",
		": text " + wire.Note("You stay."), ": text Quick!",
	}, shown(r.Messages[2]))
}

// shown is the content of a message, each block with the result that it is of.
func shown(m message) (list []string) {
	show := func(id string, b *block) {
		switch {
		case b.Source != nil:
			list = append(list, id+": "+b.Type+" "+b.Source.Type+" "+b.Source.Media+" "+b.Source.Data)
		case b.Text != nil:
			list = append(list, id+": "+b.Type+" "+*b.Text)
		}
	}
	for i := range m.Content {
		b := &m.Content[i]
		show("", b)
		for j := range b.Content {
			show(b.ToolUseID, &b.Content[j])
		}
	}
	return list
}

func TestToolsOfTheHistory(t *testing.T) {
	noEnvironment(t)
	req := &model.Request{Parts: []model.Part{
		user("Hello"), call("i1.1", "read.port", "{}"), call("i1.2", "count", "{}"), call("i1.3", "read.port", "{}"),
		result("i1.1", "read.port", "1"), result("i1.2", "count", "2"), result("i1.3", "read.port", "3"),
	}}
	s, r := asked(t, anthropic.Model{Name: "m"}, req)
	if want := `"tools":[{"name":"read_port","input_schema":{"type":"object"}},{"name":"count","input_schema":{"type":"object"}}]`; !strings.Contains(s.body, want) || r.ToolChoice.Type != "none" {
		t.Errorf("the request is %s; want %s, and no choice", s.body, want)
	}
	req.Tools = tools("other")
	if _, r = asked(t, anthropic.Model{Name: "m"}, req); len(r.Tools) != 1 || r.ToolChoice != nil {
		t.Errorf("the tools are %+v, the choice is %+v", r.Tools, r.ToolChoice)
	}
	req.Parts, req.Tools = []model.Part{user("Hello")}, nil
	if _, r = asked(t, anthropic.Model{Name: "m"}, req); r.Tools != nil || r.ToolChoice != nil {
		t.Errorf("the tools are %+v, the choice is %+v", r.Tools, r.ToolChoice)
	}
}

func TestArgumentsThatAreNotUTF8(t *testing.T) {
	noEnvironment(t)
	_, r := asked(t, anthropic.Model{Name: "m"}, &model.Request{Parts: []model.Part{user("Hello"), call("i1.1", "look", "{\"a\":\"caf\xe9\"}"), result("i1.1", "look", "")}, Tools: tools("look")})
	same(t, "the arguments", "{\"a\":\"caf\uFFFD\"}", string(r.Messages[1].Content[0].Input))
}

func TestChoiceAndEffort(t *testing.T) {
	noEnvironment(t)
	const off, on, bound = "", "adaptive summarized ", "adaptive summarized drop_block"
	for _, c := range []struct {
		name, effort, choice string
		want                 string // choice, tools, thinking, effort, beta
		note                 bool
	}{
		{"m-1", "", "", "|a b|" + off + "||", false},
		{"m-1", "", "b", "tool b|a b|" + off + "||", false},
		{"m-1", "high", "", "|a b|" + on + "|high|", false},
		{"m-1", "high", "b", "tool b|a b|" + off + "|high|", false},
		{"claude-opus-5", "", "b", "tool b|a b|" + off + "||", false},
		{"claude-opus-4-1-20250805", "", "b", "tool b|a b|" + off + "||", false},
		{"claude-opus-5-5", "", "", "|a b|" + bound + "||thinking-binding-controls-2026-08-01", false},
		{"claude-opus-5-5", "", "b", "|b|" + bound + "||thinking-binding-controls-2026-08-01", true},
		{"claude-opus-5-5", "low", "b", "|b|" + bound + "|low|thinking-binding-controls-2026-08-01", true},
	} {
		s, r := asked(t, anthropic.Model{Name: c.name, Effort: c.effort}, &model.Request{Parts: []model.Part{user("Hello")}, Tools: tools("a", "b"), Choice: c.choice})
		var got, names []string
		choice, think := "", ""
		if r.ToolChoice != nil {
			choice = r.ToolChoice.Type + " " + r.ToolChoice.Name
		}
		for _, x := range r.Tools {
			names = append(names, x.Name)
		}
		if x := r.Thinking; x != nil {
			think = x.Type + " " + x.Display + " " + x.Binding.Mismatch
		}
		got = append(got, choice, strings.Join(names, " "), think, r.OutputConfig.Effort, s.header.Get("anthropic-beta"))
		same(t, fmt.Sprintf("%s, effort %q, choice %q", c.name, c.effort, c.choice), c.want, strings.Join(got, "|"))
		if blocks := r.Messages[0].Content; c.note != (len(blocks) == 2 && blocks[1].Mark == nil && strings.Contains(*blocks[1].Text, "one call of the tool b")) {
			t.Errorf("%s: the message is %s", c.name, s.body)
		}
	}
}

func TestNewerModels(t *testing.T) {
	noEnvironment(t)
	for name, newer := range map[string]bool{
		"claude-opus-5-5": true, "claude-fable-5-1": true, "anthropic/claude-sonnet-5.5": true, "us.anthropic.Claude-Haiku-5-5-v1:0": true,
		"claude-opus-6": true, "claude-sonnet-10-1-20300101": true,
		"claude-opus-5": false, "claude-sonnet-5-20260701": false, "claude-opus-4-8": false, "claude-haiku-4-5-20251001": false, "claude-opus-4-20250514": false,
		"claude-3-7-sonnet-20250219": false, "claude-2.1": false, "claude-instant-1.2": false, "gpt-6": false, "kimi-k2": false,
	} {
		if _, r := asked(t, anthropic.Model{Name: name}, &model.Request{Parts: []model.Part{user("Hello")}}); (r.Thinking != nil) != newer {
			t.Errorf("%s: newer is %v", name, !newer)
		}
	}
}

func TestKeysAndAddresses(t *testing.T) {
	const own = "https://api.anthropic.com"
	for _, c := range []struct {
		m    anthropic.Model
		env  []string // key, token, address
		want string   // url, Authorization, X-Api-Key, version
	}{
		{anthropic.Model{Key: "k"}, nil, own + "/v1/messages|Bearer k||2026-10-21"},
		{anthropic.Model{}, []string{"e", "t", ""}, own + "/v1/messages|Bearer e||2026-10-21"},
		{anthropic.Model{}, []string{"", "t\n", ""}, own + "/v1/messages|Bearer t||2026-10-21"},
		{anthropic.Model{Key: " k\n"}, []string{"e", "t", ""}, own + "/v1/messages|Bearer k||2026-10-21"},
		{anthropic.Model{BaseURL: own + "/v1/"}, []string{"e", "", "http://other"}, own + "/v1/messages|Bearer e||2026-10-21"},
		{anthropic.Model{}, []string{"e", "", "http://other/base/"}, "http://other/base/v1/messages|Bearer e|e|2023-06-01"},
		{anthropic.Model{}, []string{"", "t", "http://other/base/v1"}, "http://other/base/v1/messages|Bearer t||2023-06-01"},
		{anthropic.Model{BaseURL: "http://other"}, nil, "http://other/v1/messages|||2023-06-01"},
		{anthropic.Model{BaseURL: "http://other", Key: "k"}, nil, "http://other/v1/messages|Bearer k|k|2023-06-01"},
	} {
		noEnvironment(t)
		t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Other: yes")
		for i, value := range c.env {
			t.Setenv([]string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"}[i], value)
		}
		s := answering(hello)
		c.m.Name, c.m.HTTP = "m", s.client()
		if _, err := c.m.Call(t.Context(), &model.Request{Parts: []model.Part{user("Hello")}}, func(model.Delta) {}); err != nil {
			t.Fatal(err)
		}
		same(t, fmt.Sprintf("%+v with %q", c.m, c.env), c.want, strings.Join([]string{s.url, s.header.Get("Authorization"), s.header.Get("X-Api-Key"), s.header.Get("anthropic-version")}, "|"))
		if s.header.Get("X-Other") != "" || s.header.Get("Traceparent") != "" {
			t.Errorf("the headers are %v", s.header)
		}
	}
}

func TestCheck(t *testing.T) {
	noEnvironment(t)
	for _, c := range []struct {
		m    anthropic.Model
		want string
	}{
		{anthropic.Model{Name: "m", Key: "k"}, ""},
		{anthropic.Model{Name: "m", BaseURL: "http://localhost:8000"}, ""},
		{anthropic.Model{Name: "m"}, "key: Anthropic wants a key, and there is none; set ANTHROPIC_API_KEY"},
		{anthropic.Model{Name: "m", BaseURL: "https://API.anthropic.com/v1"}, "key: Anthropic wants a key, and there is none; set ANTHROPIC_API_KEY"},
	} {
		got := ""
		if err := c.m.Check(); err != nil {
			e := err.(*model.Error)
			got = string(e.Fault) + ": " + e.Message
		}
		same(t, fmt.Sprintf("%+v", c.m), c.want, got)
	}
}

func TestUsage(t *testing.T) {
	r, err := told(t,
		event("message_start", "message", object{"model": "claude-x-1", "usage": object{"input_tokens": 10, "cache_read_input_tokens": 200, "cache_creation_input_tokens": 30, "output_tokens": 1}}),
		event("content_block_start", "index", 0, "content_block", object{"type": "text", "text": "Hello"}),
		event("who_knows", "index", 0, "message", "of another shape", "usage", object{"output_tokens": 1000}),
		event("content_block_delta", "index", 0, "delta", object{"type": "citations_delta", "citation": object{}}),
		event("message_delta", "delta", object{"stop_reason": "end_turn"}, "usage", object{"input_tokens": 12, "cache_read_input_tokens": nil, "output_tokens": 44, "output_tokens_details": object{"thinking_tokens": 7}}),
		event("message_delta", "delta", object{}, "usage", object{"input_tokens": "many"}),
		event("message_stop"),
	)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the usage", model.Usage{Input: 242, Output: 44, Cached: 200, Written: 30, Thinking: 7}, r.Usage)
	same(t, "the model", "claude-x-1", r.Model)
}

func TestCalls(t *testing.T) {
	call := func(index int, block object, bits ...string) (events string) {
		block["type"], block["id"], block["name"] = "tool_use", "toolu_1", "look"
		raw := event("content_block_start", "index", index, "content_block", block)
		for _, bit := range bits {
			raw += event("content_block_delta", "index", index, "delta", object{"type": "input_json_delta", "partial_json": bit})
		}
		return raw + event("content_block_stop", "index", index)
	}
	r, err := told(t,
		call(0, object{"input": object{}}, "", `{"z":90071992`, `54740993, "a":1.0}`),
		call(1, object{"input": json.RawMessage(`{"z":9007199254740993,"a":1.0}`)}),
		call(2, object{"input": object{}}), call(3, object{}), call(4, object{"input": nil}), call(5, object{"input": ""}, `{"cut":`),
		event("message_stop"),
	)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range r.Parts {
		got = append(got, p.Data)
		if p.Tool != "look" || p.Provider != `{"anthropic":{"id":"toolu_1"}}` {
			t.Errorf("the call is %+v", p)
		}
	}
	same(t, "the arguments", []string{`{"z":9007199254740993, "a":1.0}`, `{"z":9007199254740993,"a":1.0}`, "{}", "{}", "{}", `{"cut":`}, got)
}

func TestStops(t *testing.T) {
	for reason, want := range map[string]model.Stop{
		"end_turn": "", "tool_use": "", "stop_sequence": "", "what_comes_next": "",
		"max_tokens": model.StopLength, "model_context_window_exceeded": model.StopLength, "refusal": model.StopRefusal,
	} {
		r, err := told(t, event("message_delta", "delta", object{"stop_reason": reason}), event("message_stop"))
		if err != nil || r.Stop != want {
			t.Errorf("%s: %q, %v", reason, r.Stop, err)
		}
	}
}

// Some servers name no events, and some bring the whole message at once.
func TestOtherForms(t *testing.T) {
	noEnvironment(t)
	a := wiretest.Answer{Model: "m-1", Thinking: "Which?", Text: []string{"Port", " 2"}, Calls: []wiretest.Call{{ID: "toolu_1", Name: "look", Args: `{"n":9007199254740993}`}}, Usage: model.Usage{Input: 9, Cached: 4, Output: 3}, Stop: model.StopLength}
	want, err := told(t, messages{}.Stream(a)...)
	if err != nil {
		t.Fatal(err)
	}
	stream := regexp.MustCompile(`(?m)^event: .*\n`).ReplaceAllString(strings.Join(messages{}.Stream(a), ""), "")
	got, err := told(t, stream)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the reply of nameless events", want, got)

	s := answering(marshal(object{
		"type": "message", "model": "m-1", "stop_reason": "max_tokens",
		"content": []object{
			{"type": "thinking", "thinking": "Which?", "signature": signature("Which?")}, {"type": "text", "text": "Port 2"}, {"type": "text", "text": ""},
			{"type": "tool_use", "id": "toolu_1", "name": "look", "input": json.RawMessage(`{"n":9007199254740993}`)},
		},
		"usage": object{"input_tokens": 5, "cache_read_input_tokens": 4, "output_tokens": 3},
	}))
	s.media = "application/json"
	said := ""
	got, err = (anthropic.Model{Name: "m", BaseURL: "http://model.test", HTTP: s.client()}).Call(t.Context(), &model.Request{Parts: []model.Part{user("Hello")}}, func(d model.Delta) { said += d.Text })
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the reply of a message", want, got)
	same(t, "the deltas of a message", "Port 2", said)

	s.stream = marshal(object{"type": "message", "content": []object{{"type": "server_tool_use"}}})
	_, err = (anthropic.Model{Name: "m", BaseURL: "http://model.test", HTTP: s.client(), Retries: -1}).Call(t.Context(), &model.Request{Parts: []model.Part{user("Hello")}}, func(model.Delta) {})
	if e, ok := errors.AsType[*model.Error](err); !ok || e.Fault != model.FaultBroken {
		t.Errorf("a message with a block that nobody knows: %v", err)
	}
}

// After the stop there is nothing to wait for but the end, and not for long.
func TestAnswersWithoutTheirEnd(t *testing.T) {
	noEnvironment(t)
	stream := messages{}.Stream(wiretest.Answer{Model: "m", Text: []string{"Port 2"}, Usage: model.Usage{Output: 3}})
	for name, hangs := range map[string]time.Duration{"a stream that ends": 0, "a stream that hangs": 5 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			s := answering(strings.Join(stream[:len(stream)-1], ""))
			s.hangs = hangs > 0
			start := time.Now()
			r, err := (anthropic.Model{Name: "m", BaseURL: "http://model.test", HTTP: s.client()}).Call(t.Context(), &model.Request{Parts: []model.Part{user("Hello")}}, func(model.Delta) {})
			if err != nil || r.Parts[0].Data != "Port 2" || r.Usage.Output != 3 || len(r.Attempts) > 0 || time.Since(start) != hangs {
				t.Errorf("%s: %+v, %v, after %v", name, r, err, time.Since(start))
			}
		})
	}
}

func TestNoAnswers(t *testing.T) {
	start := func(index int, kind string) string {
		return event("content_block_start", "index", index, "content_block", object{"type": kind})
	}
	var many []string
	for i := range 1001 {
		many = append(many, start(i, "text"))
	}
	large := []string{start(0, "tool_use")}
	for range 17 {
		large = append(large, event("content_block_delta", "index", 0, "delta", object{"type": "input_json_delta", "partial_json": strings.Repeat(" ", 1<<20)}))
	}
	for _, c := range []struct {
		name   string
		events []string
		fault  model.Fault
		want   string
	}{
		{"an unknown block", []string{start(0, "server_tool_use")}, model.FaultBroken, `"server_tool_use"`},
		{"a block of no kind", []string{start(0, "")}, model.FaultBroken, `kind ""`},
		{"a pause", []string{event("message_delta", "delta", object{"stop_reason": "pause_turn"}), event("message_stop")}, model.FaultBroken, "pauses"},
		{"a block twice", []string{start(0, "text"), start(0, "text")}, model.FaultBroken, "number 0"},
		{"a piece of nothing", []string{event("content_block_delta", "index", 3, "delta", object{"type": "text_delta", "text": "x"})}, model.FaultBroken, "block 3"},
		{"a piece after the end", []string{start(0, "text"), event("content_block_stop", "index", 0), event("content_block_delta", "index", 0, "delta", object{"type": "text_delta", "text": "x"})}, model.FaultBroken, "block 0"},
		{"a piece of another kind", []string{start(0, "text"), event("content_block_delta", "index", 0, "delta", object{"type": "signature_delta", "signature": "x"})}, model.FaultBroken, "signature_delta"},
		{"too many blocks", many, model.FaultBroken, "1000 blocks"},
		{"too many bytes", large, model.FaultBroken, "16 MiB"},
		{"an error", []string{event("error", "error", object{"type": "overloaded_error", "message": "Overloaded"})}, model.FaultOverloaded, "Overloaded"},
		{"an error that is called otherwise", []string{"event: message\ndata: {\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"Slower\"}}\n\n"}, model.FaultRateLimit, "Slower"},
		{"an error that is no JSON", []string{"event: error\ndata: out of order\n\n"}, model.FaultServer, "out of order"},
		{"a cut", []string{start(0, "text")}, model.FaultBroken, "cut off"},
	} {
		_, err := told(t, c.events...)
		if e, ok := errors.AsType[*model.Error](err); !ok || e.Fault != c.fault || !strings.Contains(e.Message, c.want) {
			t.Errorf("%s: %v; want the fault %s, and %s", c.name, err, c.fault, c.want)
		}
	}
}
