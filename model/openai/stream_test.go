package openai

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor/internal/wire"
	"github.com/spoorhq/spoor/model"
)

// TestQuirks are the ways in which servers differ from OpenAI's. Each line is
// the data of one event.
func TestQuirks(t *testing.T) {
	for _, test := range []struct{ name, stream, want string }{
		{"calls without an index", `
			{"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"look","arguments":"{\"n\":"}}]}}]}
			{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"1}"}}]}}]}
			{"choices":[{"delta":{"tool_calls":[{"id":"b","function":{"name":"look","arguments":"{\"n\":2}"}}]},"finish_reason":"tool_calls"}]}
			[DONE]`, `
			call look {"n":1} a
			call look {"n":2} b`},
		{"calls without an id", `
			{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"look","arguments":""}},{"index":1,"function":{"name":"count","arguments":""}}]}}]}
			{"choices":[{"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{}"}},{"index":0,"function":{"arguments":"{\"n\":1}"}}]}}]}
			{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`, `
			call look {"n":1}
			call count {}`},
		{"whole calls without an index or an id", `
			{"choices":[{"delta":{"tool_calls":[{"function":{"name":"look","arguments":"{\"n\":1}"}},{"function":{"name":"look","arguments":"{\"n\":2}"}},{"function":{"name":"list"}},{"function":{"name":"count","arguments":"{}"}}]},"finish_reason":"stop"}]}`, `
			call look {"n":1}
			call look {"n":2}
			call list {}
			call count {}`},
		{"all calls with the index 0", `
			{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":"{}"}}]}}]}
			{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"look","arguments":"{\"n\""}}]}}]}
			{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":":2}"}}]}}]}
			[DONE]`, `
			call look {} a
			call look {"n":2} b`},
		{"all calls with the index 0 and no id", `
			{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"","function":{"name":"look","arguments":"{\"n\":1}"}}]}}]}
			{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"","function":{"name":"look","arguments":"{\"n\":2}"}}]}}]}
			{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"","function":{"name":"count","arguments":"{\"n\":3}"}}]}}]}
			[DONE]`, `
			call look {"n":1}
			call look {"n":2}
			call count {"n":3}`},
		{"all calls with one id", `
			{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":"{\"n\":1}"}},{"index":1,"id":"a","function":{"name":"look","arguments":"{\"n\":2}"}}]}}]}
			[DONE]`, `
			call look {"n":1} a
			call look {"n":2} a`},
		{"a name and an id that are repeated", `
			{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":"{\"text\":\"x"}}]}}]}
			{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":" "}}]}}]}
			{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":"y\"}"}}]}}]}
			{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":""}}]}}]}
			[DONE]`, `
			call look {"text":"x y"} a`},
		{"a name that is repeated, and nothing else", `
			{"choices":[{"delta":{"tool_calls":[{"function":{"name":"look","arguments":"{\"n\":"}}]}}]}
			{"choices":[{"delta":{"tool_calls":[{"function":{"name":"look","arguments":"1}"}}]}}]}
			{"choices":[{"delta":{"tool_calls":[{"function":{"name":"look","arguments":"\n"}}]}}]}
			[DONE]`, `
			call look {"n":1}` + "\n"},
		{"a name in bits", `
			{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"read_","arguments":""}}]}}]}
			{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"port"}}]}}]}
			[DONE]`, `
			call read_port {} a`},
		{"arguments that are an object", `
			{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":{"z":9007199254740993,"a":1.0}}}]}}]}
			[DONE]`, `
			call look {"z":9007199254740993,"a":1.0} a`},
		{"arguments that are null, or blank", `
			{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":null}},{"index":1,"id":"b","function":{"name":"look","arguments":" "}}]}}]}
			[DONE]`, `
			call look {} a
			call look {} b`},
		{"arguments that are no JSON stay as they are", `
			{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":"{n: 1"}}]}}]}
			[DONE]`, `
			call look {n: 1 a`},
		{"a call of nothing", `
			{"choices":[{"delta":{"content":"Hi","tool_calls":[{"index":0,"function":{"arguments":""}}]}}]}
			[DONE]`, `
			text Hi`},
		{"usage in every chunk", `
			{"model":"m","choices":[{"delta":{"content":"Hi"}}],"usage":{"prompt_tokens":9,"completion_tokens":1}}
			{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":8},"completion_tokens_details":{"reasoning_tokens":1}}}
			{"choices":[],"usage":null}`, `
			text Hi
			model m
			usage {9 2 8 0 1}`},
		{"usage that is none", `
			{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":-9,"completion_tokens":1e99}}
			{"choices":[],"usage":"much"}`, `
			text Hi
			usage {0 1000000000000 0 0 0}`},
		{"an end without a reason", `
			{"choices":[{"delta":{"content":"Hi"}}]}
			[DONE]`, `
			text Hi`},
		{"an end without a mark", `
			{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}`, `
			text Hi`},
		{"nothing to say", `
			{"choices":[{"delta":{"role":"assistant","content":null},"finish_reason":"stop"}]}
			[DONE]`, ``},
		{"nothing after the mark is read", `
			{"choices":[{"delta":{"content":"Hi"}}]}
			[DONE]
			{"error":"too late"}`, `
			text Hi`},
		{"several choices", `
			{"choices":[{"index":1,"delta":{"content":"No"},"finish_reason":"stop"},{"index":0,"delta":{"content":"Yes"}}]}
			{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, `
			text Yes`},
		{"reasoning in reasoning_content", `
			{"choices":[{"delta":{"reasoning_content":"Hm"}}]}
			{"choices":[{"delta":{"reasoning_content":".","content":""}}]}
			{"choices":[{"delta":{"reasoning_content":null,"content":"Hi"},"finish_reason":"stop"}]}`, `
			thinking Hm. {"openai":{"field":"reasoning_content"}}
			text Hi`},
		{"reasoning in reasoning", `
			{"choices":[{"delta":{"content":"","reasoning":"Hm","reasoning_details":[{"type":"reasoning.text","text":"Hm"}]}}]}
			{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}`, `
			thinking Hm {"openai":{"field":"reasoning"}}
			text Hi`},
		{"reasoning in both", `
			{"choices":[{"delta":{"reasoning":"Hm","reasoning_content":"Hm"}}]}
			{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}`, `
			thinking Hm {"openai":{"field":"reasoning_content"}}
			text Hi`},
		{"thinking in the text stays there", `
			{"choices":[{"delta":{"content":"<think>Hm</think>Hi"},"finish_reason":"stop"}]}`, `
			text <think>Hm</think>Hi`},
		{"a text in parts", `
			{"choices":[{"delta":{"content":[{"type":"text","text":"Hi"},{"type":"image"},{"type":"text","text":" there"}]},"finish_reason":"stop"}]}`, `
			text Hi there`},
		{"a filter", `
			{"choices":[{"delta":{"content":"How to"}}]}
			{"choices":[{"delta":{},"finish_reason":"content_filter"}]}
			[DONE]`, `
			text How to
			stop refusal`},
		{"an error that is null", `
			{"error":null,"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}`, `
			text Hi`},
		{"an error", `
			{"choices":[{"delta":{"content":"Hi"}}]}
			{"error":{"message":"out of memory","code":500}}`, `
			error the server reported an error: {"error":{"message":"out of memory","code":500}}`},
		{"an error that is a text", `
			{"error":"out of memory"}`, `
			error the server reported an error: {"error":"out of memory"}`},
		{"an error that is the whole object", `
			{"object":"error","message":"out of memory","code":50001}`, `
			error the server reported an error: {"object":"error","message":"out of memory","code":50001}`},
		{"an error that is a reason to end", `
			{"choices":[{"delta":{"content":""},"finish_reason":"error"}]}`, `
			error the server reported an error: {"choices":[{"delta":{"content":""},"finish_reason":"error"}]}`},
		{"a call without a name", `
			{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`, `
			error it calls a tool without a name`},
		{"a text that is none", `
			{"choices":[{"delta":{"content":7}}]}`, `
			error it has a text that is none`},
		{"thinking that is none", `
			{"choices":[{"delta":{"reasoning":{"a":1}}}]}`, `
			error it has a text that is none`},
		{"a chunk that is none", `
			{"choices":[{"delta":{"tool_calls":[{"index":"first"}]}}]}`, `
			error it has a chunk that is none; see whether the address is right, with its /v1`},
		{"no end", `
			{"choices":[{"delta":{"content":"Hi"}}]}`, `
			error it ends before its end`},
		{"nothing at all", `
			{"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[]}
			[DONE]`, `
			error it says nothing; see whether the address is right, with its /v1`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var stream strings.Builder
			for line := range strings.Lines(test.stream) {
				if line = strings.TrimSpace(line); line != "" {
					stream.WriteString("data: " + line + "\n\n")
				}
			}
			got := told(t, "text/event-stream", stream.String())
			var want strings.Builder
			for i, line := range strings.Split(test.want, "\n\t\t\t") {
				if i > 0 {
					want.WriteString(line + "\n")
				}
			}
			if diff := cmp.Diff(want.String(), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestAWholeAnswerInPlaceOfAStream(t *testing.T) {
	got := told(t, "application/json; charset=utf-8", `{
		"id": "chatcmpl-1", "object": "chat.completion", "model": "m",
		"choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
			"role": "assistant", "content": "I look.", "reasoning_content": "Hm", "refusal": null,
			"tool_calls": [
				{"id": "a", "type": "function", "function": {"name": "look", "arguments": "{\"n\":9007199254740993}"}},
				{"id": "b", "type": "function", "function": {"name": "look", "arguments": "{}"}}
			]}}],
		"usage": {"prompt_tokens": 9, "completion_tokens": 5}
	}`)
	want := `thinking Hm {"openai":{"field":"reasoning_content"}}
text I look.
call look {"n":9007199254740993} a
call look {} b
model m
usage {9 5 0 0 0}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestAnErrorEvent(t *testing.T) {
	got := told(t, "text/event-stream", "event: error\ndata: {\"message\":\"busy\"}\n\n")
	if want := "error the server reported an error: {\"message\":\"busy\"}\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAReplyHasBounds(t *testing.T) {
	text := `data: {"choices":[{"delta":{"content":"` + strings.Repeat("x", 1<<20) + `"}}]}` + "\n\n"
	calls := `data: {"choices":[{"delta":{"tool_calls":[` + strings.Repeat(`{"function":{"name":"look","arguments":"{}"}},`, 1000)
	end := "data: [DONE]\n\n"
	for body, ok := range map[string]bool{
		strings.Repeat(text, 16) + end:                                   true,
		strings.Repeat(text, 17) + end:                                   false,
		calls[:len(calls)-1] + "]}}]}\n\n" + end:                         true,
		calls + `{"function":{"name":"look"}}]}}]}` + "\n\n" + end:       true, // the last one repeats a name
		calls + `{"id":"a","function":{"name":"x"}}]}}]}` + "\n\n" + end: false,
	} {
		got := told(t, "text/event-stream", body)
		if strings.HasPrefix(got, "error it has more than 1000 calls, or than 16 MiB") == ok {
			t.Errorf("%d bytes: %.100s", len(body), got)
		}
	}
}

// told is a reply, a line for each thing in it. The text of the deltas must be
// that of the reply.
func told(t *testing.T, media, body string) string {
	var b, deltas strings.Builder
	resp := &http.Response{Header: http.Header{"Content-Type": {media}}, Body: io.NopCloser(strings.NewReader(body))}
	r, err := read(resp, wire.NewNames(&model.Request{}, 64), func(d model.Delta) { deltas.WriteString(d.Text) })
	if err != nil {
		return "error " + err.Error() + "\n"
	}
	text := ""
	for _, p := range r.Parts {
		var tag struct{ ID string }
		switch {
		case p.Kind == model.Call && wire.Untag(p.Provider, provider, &tag):
			fmt.Fprintf(&b, "call %s %s %s\n", p.Tool, p.Data, tag.ID)
		case p.Kind == model.Call:
			fmt.Fprintf(&b, "call %s %s\n", p.Tool, p.Data)
		case p.Kind == model.Thinking:
			fmt.Fprintf(&b, "thinking %s %s\n", p.Data, p.Provider)
		default:
			text += p.Data
			fmt.Fprintf(&b, "%s %s\n", p.Kind, p.Data)
		}
		if p.Role != model.Assistant || p.Piece != model.Sum(p.Data) {
			t.Errorf("the part is %+v", p)
		}
	}
	if r.Model != "" {
		fmt.Fprintf(&b, "model %s\n", r.Model)
	}
	if r.Usage != (model.Usage{}) {
		fmt.Fprintf(&b, "usage %v\n", r.Usage)
	}
	if r.Stop != "" {
		fmt.Fprintf(&b, "stop %s\n", r.Stop)
	}
	if text != deltas.String() {
		t.Errorf("the deltas say %q, and the reply %q", deltas.String(), text)
	}
	return b.String()
}

// FuzzRead: whatever a server says is a reply or an error, and a reply has
// nothing but parts that can be used.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"", "data: [DONE]\n\n", "data: {}\n\n", "data: null\n\ndata: [DONE]", ": x\n\n", "event: error\ndata: x\n\n",
		`data: {"model":"m","choices":[{"index":0,"delta":{"content":"Hi","refusal":"No","reasoning":"Hm","tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":"{}"}},{"id":"b","function":{"name":"look","arguments":{"a":[1]}}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}` + "\n\ndata: [DONE]\n\n",
		`data: {"choices":[{"message":{"content":[{"text":"Hi"}]}}],"error":null}` + "\r\n\r\n",
		`data: {"choices":[{"delta":{"tool_calls":[null,{"function":{"name":"","arguments":"\u0000"}}]}}]}` + "\n\n",
	} {
		f.Add(s, false)
		f.Add(strings.TrimPrefix(s, "data: "), true)
	}
	f.Fuzz(func(t *testing.T, body string, whole bool) {
		media := "text/event-stream"
		if whole {
			media = "application/json"
		}
		told(t, media, body)
		resp := &http.Response{Header: http.Header{"Content-Type": {media}}, Body: io.NopCloser(strings.NewReader(body))}
		r, err := read(resp, wire.NewNames(&model.Request{}, 64), func(model.Delta) {})
		if err != nil && len(r.Parts) > 0 {
			t.Errorf("an error %v and the parts %+v", err, r.Parts)
		}
		for _, p := range r.Parts {
			if p.Data == "" || p.Kind == model.Call && p.Tool == "" {
				t.Errorf("the part is %+v", p)
			}
		}
	})
}
