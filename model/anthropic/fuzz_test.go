package anthropic_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spoorhq/spoor/internal/wiretest"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/model/anthropic"
)

// Whatever a server says, it is a reply or an error, and what came can go
// back.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"} {
		os.Unsetenv(name)
	}
	big := `{"z":9007199254740993,"a":[1e400,"caf\u00e9"]}`
	f.Add(strings.Join(messages{}.Stream(wiretest.Answer{Model: "m", Thinking: "Which?", Text: []string{"Port", " 2"}, Calls: []wiretest.Call{{ID: "toolu_1", Name: "look", Args: big}, {ID: "toolu_1", Name: "no name"}}, Usage: model.Usage{Input: 9, Cached: 4, Output: 3}}), ""))
	f.Add(event("content_block_start", "index", 0, "content_block", object{"type": "redacted_thinking", "data": "x"}) + messages{}.Ping() + event("message_delta", "delta", object{"stop_reason": "max_tokens"}) + event("message_stop"))
	f.Add(event("content_block_start", "index", -1, "content_block", object{"type": "tool_use", "input": object{"n": 1}}) + event("message_stop"))
	f.Add(messages{}.Failure(model.FaultOverloaded, "busy"))
	f.Add("event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":-1e99}}}\n\nevent: x\r\ndata: {\"type\":[]}\n\n")
	f.Add(`{"type":"message","model":"m","content":[{"type":"thinking","thinking":"Which?"},{"type":"text","text":"Port 2"},{"type":"tool_use","id":"t","name":"look","input":` + big + `}],"stop_reason":"end_turn","usage":{"input_tokens":3}}`)
	f.Fuzz(func(t *testing.T, stream string) {
		s := answering(stream)
		if strings.HasPrefix(stream, "{") {
			s.media = "application/json"
		}
		m := anthropic.Model{Name: "m", BaseURL: "http://model.test", HTTP: s.client(), Retries: -1}
		req := &model.Request{Parts: []model.Part{user("Hello")}, Tools: tools("look")}
		var said strings.Builder
		r, err := m.Call(t.Context(), req, func(d model.Delta) { said.WriteString(d.Text) })
		if err != nil {
			if e, ok := errors.AsType[*model.Error](err); !ok || e.Message == "" {
				t.Errorf("the error is %#v", err)
			}
			return
		}
		text, parts := "", req.Parts
		for i, p := range r.Parts {
			if p.Role != model.Assistant || p.Piece != model.Sum(p.Data) || !utf8.ValidString(p.Data+p.Provider) {
				t.Errorf("the part is %+v", p)
			}
			switch p.Kind {
			case model.Text:
				text += p.Data
			case model.Call:
				p.Call = strings.Repeat("i", i+1)
			}
			parts = append(parts, p)
		}
		if utf8.ValidString(stream) && text != said.String() {
			t.Errorf("the text is %q, the deltas were %q", text, said.String())
		}
		for _, p := range parts {
			if p.Kind == model.Call {
				parts = append(parts, result(p.Call, p.Tool, "seen"))
			}
		}
		s.media, s.stream = "text/event-stream", hello
		if _, err := m.Call(t.Context(), &model.Request{Parts: append(parts, user("Go on")), Tools: req.Tools}, func(model.Delta) {}); err != nil {
			t.Fatal(err)
		}
		if _, err := (messages{}).Read([]byte(s.body)); err != nil && !strings.Contains(err.Error(), "signature") {
			t.Errorf("it cannot go back: %v\n%s", err, s.body)
		}
	})
}
