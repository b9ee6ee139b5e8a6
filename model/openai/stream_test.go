package openai

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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
			{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":"{n: 1"}}]},"finish_reason":"tool_calls"}]}
			[DONE]`, `
			call look {n: 1 a`},
		{"arguments that are cut off", `
			{"choices":[{"delta":{"content":"Hi","tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":"{\"n\":\"}\\\"}"}}]}}]}
			[DONE]`, `
			error it ends within the arguments of a call`},
		{"an index that is a text", `
			{"choices":[{"index":"0","delta":{"tool_calls":[{"index":"0","function":{"name":"look","arguments":""}},{"index":"1","function":{"name":"count","arguments":"{"}}]}}]}
			{"choices":[{"index":"0","delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}},{"index":"1","function":{"arguments":"}"}}]}}]}
			{"choices":[{"index":"1","delta":{"content":"No"},"finish_reason":"stop"}]}
			[DONE]`, `
			call look {}
			call count {}`},
		{"a name that is repeated with each bit of arguments that look whole", `
			{"choices":[{"delta":{"tool_calls":[{"function":{"name":"look","arguments":"{\"text\":\"{}\\"}},{"function":{"name":"look","arguments":"\"}"}},{"function":{"name":"look","arguments":"\"}"}},{"function":{"name":"look","arguments":"null"}},{"function":{"name":"look","arguments":"{}"}}]}}]}
			[DONE]`, `
			call look {"text":"{}\"}"}
			call look null
			call look {}`},
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
			thinking Hm. {"openai":{"at":"nowhere.test","field":"reasoning_content"}}
			text Hi`},
		{"reasoning in reasoning", `
			{"choices":[{"delta":{"content":"","reasoning":"Hm","reasoning_details":null}}]}
			{"choices":[{"delta":{"content":"Hi","reasoning_details":"none"},"finish_reason":"stop"}]}`, `
			thinking Hm {"openai":{"at":"nowhere.test","field":"reasoning"}}
			text Hi`},
		{"reasoning with details, which are signed", `
			{"choices":[{"delta":{"reasoning":"Let","reasoning_details":[{"type":"reasoning.text","text":"Let","format":"x","index":0,"signature":null}]}}]}
			{"choices":[{"delta":{"reasoning":" me <see>","reasoning_details":[{"type":"reasoning.text","text":" me <see>","format":"x","index":0}]}}]}
			{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","signature":"c2ln","format":null,"index":0}]}}]}
			{"choices":[{"delta":{"reasoning":"Two","reasoning_details":[{"type":"reasoning.text","text":"Two","index":0}]}}]}
			{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","text":"Three","index":1}]}}]}
			{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}`, `
			thinking Let me <see>Two {"openai":{"at":"nowhere.test","field":"reasoning","details":[{"format":"x","index":0,"signature":"c2ln","text":"Let me \u003csee\u003e","type":"reasoning.text"},{"index":0,"text":"Two","type":"reasoning.text"},{"index":1,"text":"Three","type":"reasoning.text"}]}}
			text Hi`},
		{"details alone, which are secret", `
			{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.summary","summary":"A","index":0},{"type":"reasoning.summary","summary":"B","index":0}]}}]}
			{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.encrypted","data":"a","index":0,"n":9007199254740993},{"type":"reasoning.encrypted","data":"b","index":0}]}}]}
			{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`, `
			thinking  {"openai":{"at":"nowhere.test","details":[{"index":0,"summary":"AB","type":"reasoning.summary"},{"data":"a","index":0,"n":9007199254740993,"type":"reasoning.encrypted"},{"data":"b","index":0,"type":"reasoning.encrypted"}]}}
			call look {} a`},
		{"reasoning in both", `
			{"choices":[{"delta":{"reasoning":"Hm","reasoning_content":"Hm"}}]}
			{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}`, `
			thinking Hm {"openai":{"at":"nowhere.test","field":"reasoning_content"}}
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
		{"a refusal after a text", `
			{"choices":[{"delta":{"content":"How to"}}]}
			{"choices":[{"delta":{"refusal":"I will"}}]}
			{"choices":[{"delta":{"refusal":" not."},"finish_reason":"stop"}]}`, `
			text How to\nI will not.
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
		{"an error after the end", `
			{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}
			{"error":"out of memory"}`, `
			error the server reported an error: {"error":"out of memory"}`},
		{"a reason to end in every chunk", `
			{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}
			{"choices":[{"delta":{"content":" there"},"finish_reason":"length"}]}`, `
			text Hi there
			stop length`},
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
	whole := `{
		"id": "chatcmpl-1", "object": "chat.completion", "model": "m",
		"choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
			"role": "assistant", "content": "I look.", "reasoning_content": "Hm", "refusal": null,
			"tool_calls": [
				{"id": "a", "type": "function", "function": {"name": "look", "arguments": "{\"n\":9007199254740993}"}},
				{"id": "b", "type": "function", "function": {"name": "look", "arguments": "{}"}}
			]}}],
		"usage": {"prompt_tokens": 9, "completion_tokens": 5}
	}`
	want := `thinking Hm {"openai":{"at":"nowhere.test","field":"reasoning_content"}}
text I look.
call look {"n":9007199254740993} a
call look {} b
model m
usage {9 5 0 0 0}
`
	for _, media := range []string{"application/json", "", "text/plain", "text/event-stream"} {
		if diff := cmp.Diff(want, told(t, media, whole)); diff != "" {
			t.Errorf("as %q, -want +got:\n%s", media, diff)
		}
		if got := told(t, media, whole+whole); got != "error it has a chunk that is none; see whether the address is right, with its /v1\n" {
			t.Errorf("two of them: %s", got)
		}
		if got := told(t, media, whole[:len(whole)-9]); !strings.HasPrefix(got, "error ") {
			t.Errorf("the half of it: %s", got)
		}
	}
}

func TestWhatIsNoStream(t *testing.T) {
	for _, body := range []string{"", "hello\n\nworld", "[]", ": a comment\n\n"} {
		if got := told(t, "text/plain", body); got != "error it is no stream of events; see whether the address is right, with its /v1\n" {
			t.Errorf("%q: %s", body, got)
		}
	}
}

// A connection that stays open costs five seconds, in which the usage may
// come, and nothing if the server says that it has done.
func TestAConnectionThatStaysOpen(t *testing.T) {
	const text, end = `{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}`, `{"choices":[{"delta":{},"finish_reason":"stop"}]}`
	for _, test := range []struct {
		name   string
		events []string // one a second
		want   string
		took   time.Duration
	}{
		{"nothing follows", []string{text, end}, "Hi 0", 7 * time.Second},
		{"usage follows", []string{text, end, `{"choices":[],"usage":{"prompt_tokens":9}}`}, "Hi 9", 7 * time.Second},
		{"the mark follows", []string{text, end, `{"choices":[],"usage":{"prompt_tokens":9}}`, "[DONE]"}, "Hi 9", 4 * time.Second},
		{"each chunk has a reason to end", slices.Repeat([]string{text}, 20), strings.Repeat("Hi", 20) + " 0", 20*time.Second + 5*time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := Model{Name: "m", BaseURL: "http://nowhere.test", HTTP: &http.Client{Transport: answers(func(req *http.Request) (*http.Response, error) {
					body, write := io.Pipe()
					context.AfterFunc(req.Context(), func() { write.CloseWithError(context.Cause(req.Context())) })
					go func() {
						for _, e := range test.events {
							time.Sleep(time.Second)
							io.WriteString(write, "data: "+e+"\n\n")
						}
					}()
					return &http.Response{StatusCode: 200, Request: req, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: body}, nil
				})}}
				start := time.Now()
				r, err := m.Call(t.Context(), &model.Request{}, func(model.Delta) {})
				if err != nil {
					t.Fatal(err)
				}
				if got := fmt.Sprint(r.Parts[0].Data, " ", r.Usage.Input); got != test.want || time.Since(start) != test.took {
					t.Errorf("%q after %v; want %q after %v", got, time.Since(start), test.want, test.took)
				}
			})
		})
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
	thought := `{"type":"reasoning.encrypted"},`
	end := "data: [DONE]\n\n"
	for body, ok := range map[string]bool{
		strings.Repeat(text, 16) + end: true,
		strings.Repeat(text, 17) + end: false,
		`data: {"choices":[{"delta":{"reasoning_details":[` + strings.Repeat(thought, 1000) + `{}]}}]}` + "\n\n" + end: false,
		calls[:len(calls)-1] + "]}}]}\n\n" + end:                         true,
		calls + `{"function":{"name":"look"}}]}}]}` + "\n\n" + end:       true, // the last one repeats a name
		calls + `{"id":"a","function":{"name":"x"}}]}}]}` + "\n\n" + end: false,
	} {
		_, err := read(&wire.Answer{Body: strings.NewReader(body)}, wire.NewNames(&model.Request{}, 64), "")
		if (err == nil) != ok || err != nil && err.Error() != "it has more than 1000 calls or thoughts, or than 16 MiB" {
			t.Errorf("%d bytes: %v", len(body), err)
		}
	}
}

// told is a reply, a line for each thing in it. The text of the deltas must be
// that of the reply.
func told(t *testing.T, media, body string) string {
	r, err := read(&wire.Answer{Media: media, Body: strings.NewReader(body)}, wire.NewNames(&model.Request{}, 64), "nowhere.test")
	if err != nil {
		return "error " + err.Error() + "\n"
	}
	var b, deltas strings.Builder
	m := Model{Name: "m", BaseURL: "http://nowhere.test", Retries: -1, HTTP: &http.Client{Transport: answers(func(req *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Request: req, Header: http.Header{"Content-Type": {media}}, Body: io.NopCloser(strings.NewReader(body))}, nil
	})}}
	again, err := m.Call(t.Context(), &model.Request{}, func(d model.Delta) { deltas.WriteString(d.Text) })
	if diff := cmp.Diff(r.Parts, again.Parts); err != nil || diff != "" {
		t.Errorf("by itself, and in a call: %v\n%s", err, diff)
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
			fmt.Fprintf(&b, "%s %s\n", p.Kind, strings.ReplaceAll(p.Data, "\n", `\n`))
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

// answers is a server in the place of a network.
type answers func(*http.Request) (*http.Response, error)

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) { return a(r) }

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
		r, err := read(&wire.Answer{Media: media, Body: strings.NewReader(body)}, wire.NewNames(&model.Request{}, 64), "")
		if err != nil && len(r.Parts) > 0 {
			t.Errorf("an error %v and the parts %+v", err, r.Parts)
		}
		for _, p := range r.Parts {
			if p.Data == "" && p.Kind != model.Thinking || p.Kind == model.Call && p.Tool == "" {
				t.Errorf("the part is %+v", p)
			}
		}
	})
}
