package openai_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/model/openai"
)

var _ model.Checker = openai.Model{}

// alone takes the environment away.
func alone(t *testing.T) {
	for _, v := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"} {
		t.Setenv(v, "")
	}
}

// A server that is asked in place of any other. It keeps what it was asked.
type server struct {
	url    string
	header http.Header
	body   string
}

func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	s.url, s.header, s.body = r.URL.String(), r.Header, string(body)
	return &http.Response{
		StatusCode: 200, Request: r, Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body: io.NopCloser(strings.NewReader(`data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n")),
	}, err
}

// ask makes a call of which the server keeps what it was asked.
func (s *server) ask(t *testing.T, m openai.Model, req *model.Request) {
	t.Helper()
	m.HTTP = &http.Client{Transport: s}
	if _, err := m.Call(t.Context(), req, func(model.Delta) {}); err != nil {
		t.Fatal(err)
	}
}

var hello = &model.Request{Parts: []model.Part{model.NewPart(model.User, model.Text, "Hello")}}

func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"choices":[{"delta":{"content":"Port 2"}}]}`, "\n\n")
		fmt.Fprint(w, `data: {"choices":[{"delta":{"content":" is unwell."},"finish_reason":"stop"}]}`, "\n\n")
	}))
	defer server.Close()

	m := openai.Model{Name: "qwen3", BaseURL: server.URL + "/v1"}
	req := &model.Request{Parts: []model.Part{model.NewPart(model.User, model.Text, "How is port 2?")}}
	reply, err := m.Call(context.Background(), req, func(d model.Delta) { fmt.Printf("%q\n", d.Text) })
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(reply.Parts[0].Data)
	// Output:
	// "Port 2"
	// " is unwell."
	// Port 2 is unwell.
}

// TestBody holds the bytes of a request: recordings name them.
func TestBody(t *testing.T) {
	alone(t)
	part := func(role model.Role, kind model.Kind, data string) model.Part { return model.NewPart(role, kind, data) }
	of := func(p model.Part, id, tool, media, tag string) model.Part {
		p.Call, p.Tool, p.Media, p.Provider = id, tool, media, tag
		return p
	}
	var s server
	s.ask(t, openai.Model{Name: "qwen3", BaseURL: "http://localhost:11434/v1", MaxTokens: 500}, &model.Request{
		Parts: []model.Part{
			part(model.System, model.Text, "You mind ports."),
			part(model.System, model.Text, "Be brief."),
			part(model.User, model.Text, "How is port 2?"),
			of(part(model.Assistant, model.Thinking, "Hm."), "", "", "", `{"openai":{"at":"localhost:11434","field":"reasoning","details":[{"type":"reasoning.text","z":1.0,"a":"<>"}]}}`),
			of(part(model.Assistant, model.Thinking, ""), "", "", "", `{"openai":{"at":"localhost:11434","details":[{"n":9007199254740993}]}}`),
			of(part(model.Assistant, model.Thinking, "Port 2."), "", "", "", `{"openai":{"at":"localhost:11434","field":"reasoning"}}`),
			of(part(model.Assistant, model.Thinking, "Elsewhere."), "", "", "", `{"openai":{"at":"localhost","field":"reasoning"}}`),
			part(model.Assistant, model.Text, "I look."),
			of(part(model.Assistant, model.Call, `{"n":9007199254740993}`), "i1.1", "read.port", "", `{"openai":{"id":"call_x"}}`),
			of(part(model.Assistant, model.Call, ``), "i1.2", "shoot", "", `{"elsewhere":{"id":"toolu_x"}}`),
			of(part(model.Tool, model.Result, "<b>unwell</b>"), "i1.1", "read.port", "", ""),
			of(part(model.Tool, model.Document, "port,errors\n2,1204"), "i1.1", "read.port", "text/csv", ""),
			of(part(model.Tool, model.Result, "taken"), "i1.2", "shoot", "", ""),
			of(part(model.Tool, model.Image, "PNG"), "i1.2", "shoot", "image/png", ""),
			of(part(model.Tool, model.Image, "<svg/>"), "i1.2", "shoot", "image/svg+xml", ""),
			part(model.System, model.Note, "You stay."),
			part(model.System, model.Menu, "Go to: a, b."),
		},
		Tools: []model.ToolSpec{
			{Name: "read.port", Description: "It reads <n>.", Schema: `{"type":"object","properties":{"n":{"type":"integer","maximum":9007199254740993}},"required":["n"]}`},
			{Name: "shoot"},
		},
		Choice: "read.port",
	})
	want := strings.Join([]string{
		`{"model":"qwen3","max_tokens":500,"stream":true,"stream_options":{"include_usage":true},"tools":[` +
			`{"type":"function","function":{"name":"read_port","description":"It reads <n>.","parameters":{"type":"object","properties":{"n":{"type":"integer","maximum":9007199254740993}},"required":["n"]}}},` +
			`{"type":"function","function":{"name":"shoot","parameters":{"type":"object","properties":{}}}}],` +
			`"tool_choice":{"type":"function","function":{"name":"read_port"}},"messages":[`,
		`{"role":"system","content":"You mind ports.\n\nBe brief."},`,
		`{"role":"user","content":"How is port 2?"},`,
		`{"role":"assistant","reasoning":"Hm.\n\nPort 2.","reasoning_details":[{"type":"reasoning.text","z":1.0,"a":"<>"},{"n":9007199254740993}],"content":"I look.","tool_calls":[` +
			`{"id":"call_x","type":"function","function":{"name":"read_port","arguments":"{\"n\":9007199254740993}"}},{"id":"i1_2","type":"function","function":{"name":"shoot","arguments":"{}"}}]},`,
		`{"role":"tool","content":"<b>unwell</b>\n\nport,errors\n2,1204","tool_call_id":"call_x"},`,
		`{"role":"tool","content":"taken\n\n(6 bytes of image/svg+xml, which this model cannot be shown)","tool_call_id":"i1_2"},`,
		`{"role":"user","content":[{"type":"text","text":"(the image that the call i1_2 brought)"},{"type":"image_url","image_url":{"url":"data:image/png;base64,UE5H"}},` +
			`{"type":"text","text":"<system-note>\nYou stay.\n</system-note>"},{"type":"text","text":"<system-note>\nGo to: a, b.\n</system-note>"}]}]}`,
	}, "\n")
	if diff := cmp.Diff(want, strings.ReplaceAll(s.body, `{"role"`, "\n"+`{"role"`)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestWhereAndWithWhat(t *testing.T) {
	const elsewhere, bearer = "http://localhost:11434/v1", "Bearer sk-1"
	for _, test := range []struct {
		name              string
		env               string // NAME=value, separated by spaces
		model             openai.Model
		url, auth, tokens string
	}{
		{"OpenAI", "OPENAI_API_KEY=sk-1", openai.Model{}, "https://api.openai.com/v1/chat/completions", bearer, "max_completion_tokens"},
		{"a region of it", "", openai.Model{BaseURL: "https://eu.api.openai.com/v1/", Key: "sk-1"}, "https://eu.api.openai.com/v1/chat/completions", bearer, "max_completion_tokens"},
		{"a server that the environment names", "OPENAI_BASE_URL=" + elsewhere, openai.Model{}, elsewhere + "/chat/completions", "", "max_tokens"},
		{"a server of one's own", "OPENAI_BASE_URL=http://nowhere.test", openai.Model{BaseURL: elsewhere}, elsewhere + "/chat/completions", "", "max_tokens"},
		{"a server without a path", "", openai.Model{BaseURL: "http://localhost:8080"}, "http://localhost:8080/chat/completions", "", "max_tokens"},
		{"a server that is called like OpenAI", "", openai.Model{BaseURL: "https://api.openai.com.test/v1"}, "https://api.openai.com.test/v1/chat/completions", "", "max_tokens"},
		{"a key with a line end", "OPENAI_API_KEY=sk-2", openai.Model{BaseURL: elsewhere, Key: "sk-1\n"}, elsewhere + "/chat/completions", bearer, "max_tokens"},
	} {
		t.Run(test.name, func(t *testing.T) {
			alone(t)
			for _, v := range strings.Fields(test.env) {
				name, value, _ := strings.Cut(v, "=")
				t.Setenv(name, value)
			}
			var s server
			test.model.Name, test.model.MaxTokens = "m", 7
			s.ask(t, test.model, hello)
			if s.url != test.url || s.header.Get("Authorization") != test.auth || !strings.Contains(s.body, `"`+test.tokens+`":7`) {
				t.Errorf("%s is sent to %s with %q", s.body, s.url, s.header.Get("Authorization"))
			}
		})
	}
}

// A key tells no one else who has it.
func TestTheOrganizationIsSaidAtHomeAlone(t *testing.T) {
	alone(t)
	t.Setenv("OPENAI_API_KEY", "sk-1")
	t.Setenv("OPENAI_ORG_ID", "org-1\n")
	t.Setenv("OPENAI_PROJECT_ID", "proj-1")
	for base, want := range map[string]string{"": "org-1 proj-1", "https://us.API.openai.com/v1": "org-1 proj-1", "http://nowhere.test/v1": " "} {
		var s server
		s.ask(t, openai.Model{Name: "m", BaseURL: base}, hello)
		if got := s.header.Get("OpenAI-Organization") + " " + s.header.Get("OpenAI-Project"); got != want {
			t.Errorf("%s is told %q; want %q", base, got, want)
		}
	}
}

func TestCheck(t *testing.T) {
	alone(t)
	for _, test := range []struct {
		model openai.Model
		fault model.Fault
		want  string
	}{
		{openai.Model{Name: "m", Key: "sk-1"}, "", ""},
		{openai.Model{Name: "m", BaseURL: "http://localhost:11434/v1"}, "", ""},
		{openai.Model{Key: "sk-1"}, model.FaultNoModel, "the model has no name; give it the one that its server knows"},
		{openai.Model{Name: "m"}, model.FaultKey, "OpenAI wants a key, and there is none; set OPENAI_API_KEY"},
		{openai.Model{Name: "m", BaseURL: "https://EU.api.openai.com/v1"}, model.FaultKey, "OpenAI wants a key, and there is none; set OPENAI_API_KEY"},
	} {
		err := test.model.Check()
		e, ok := errors.AsType[*model.Error](err)
		if test.want == "" && err == nil || ok && e.Fault == test.fault && e.Message == test.want {
			continue
		}
		t.Errorf("%+v: %v; want %s", test.model, err, test.want)
	}
}

// The suite has a network in memory; this is one of the system's.
func TestOverTheSystemsNetwork(t *testing.T) {
	alone(t)
	there := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":\"%s\"},\"finish_reason\":\"stop\"}]}\n\n", model.Sum(string(body)))
	}))
	defer there.Close()
	r, err := openai.Model{Name: "m", BaseURL: there.URL}.Call(t.Context(), hello, func(model.Delta) {})
	if err != nil || len(r.Parts) != 1 || r.Parts[0].Data != r.Wire.SHA256 {
		t.Errorf("%+v, %v", r, err)
	}
	there.Close()
	_, err = openai.Model{Name: "m", BaseURL: there.URL, Retries: -1}.Call(t.Context(), hello, func(model.Delta) {})
	if e, ok := errors.AsType[*model.Error](err); !ok || e.Fault != model.FaultUnreachable || !strings.Contains(e.Message, "connection refused") {
		t.Error(err)
	}
}
