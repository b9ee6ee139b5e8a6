package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor/model"
)

func TestHowLongAServerAsksToWait(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		ms, after string
		want      time.Duration
		asked     bool
	}{
		{"", "", 0, false},
		{"250", "", 250 * time.Millisecond, true},
		{"1.5", "7", 1500 * time.Microsecond, true}, // milliseconds win
		{"soon", "7", 7 * time.Second, true},
		{"", "0", 0, true},
		{"", "0.5", 500 * time.Millisecond, true},
		{"", "Sun, 01 Mar 2026 12:00:30 GMT", 30 * time.Second, true},
		{"", "Sun, 01 Mar 2026 11:00:00 GMT", 0, true}, // it is over
		{"", "-1", 0, false},
		{"", "NaN", 0, false},
		{"", "+Inf", longest, true},
		{"", "1e30", longest, true},
		{"99999999999999999999999999", "", longest, true},
		{"", "7s", 0, false},
		{"", "tomorrow", 0, false},
	} {
		h := http.Header{"Retry-After-Ms": {test.ms}, "Retry-After": {test.after}}
		if got, ok := asked(h, now); got != test.want || ok != test.asked {
			t.Errorf("%q, %q: %v, %v; want %v, %v", test.ms, test.after, got, ok, test.want, test.asked)
		}
	}
}

func TestAttemptsWaitLongerEachTime(t *testing.T) {
	a := attempt{}
	for n, longest := range []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 8 * time.Second, 100: 8 * time.Second} {
		if longest == 0 {
			longest = 8 * time.Second
		}
		for range 20 {
			if d, worth := a.wait(n); d > longest || d < longest*3/4 || !worth {
				t.Fatalf("after %d attempts: %v, %v", n, d, worth)
			}
		}
	}
}

func TestWhatServersExplain(t *testing.T) {
	for _, test := range []struct{ of, body, code, text string }{
		{"OpenAI", `{"error":{"message":"Bad.","type":"invalid_request_error","param":null,"code":"model_not_found"}}`, "invalid_request_error model_not_found", "Bad."},
		{"OpenAI without a code", `{"error":{"message":"Bad.","type":"invalid_request_error","param":null,"code":null}}`, "invalid_request_error", "Bad."},
		{"Anthropic", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}`, "overloaded_error", "Overloaded"},
		{"Ollama", `{"error":"model 'x' not found"}`, "", "model 'x' not found"},
		{"vLLM", `{"object":"error","message":"The model x does not exist.","type":"NotFoundError","param":null,"code":404}`, "NotFoundError 404", "The model x does not exist."},
		{"vLLM, nested", `{"error":{"message":"Bad.","type":"BadRequestError","param":null,"code":400}}`, "BadRequestError 400", "Bad."},
		{"OpenRouter", `{"error":{"message":"Rate limit exceeded","code":429},"user_id":"u"}`, "429", "Rate limit exceeded"},
		{"Gemini", `[{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}]`, "400", "API key not valid."},
		{"FastAPI", `{"detail":"Not Found"}`, "", "Not Found"},
		{"FastAPI, of a field", `{"detail":[{"loc":["body","messages"],"msg":"field required"}]}`, "", `[{"loc":["body","messages"],"msg":"field required"}]`},
		{"a gateway", `{"message":"Unauthorized"}`, "", "Unauthorized"},
		{"a gateway with a null", `{"error":null,"message":"Unauthorized"}`, "", "Unauthorized"},
		{"a text", "upstream timed out\n", "", "upstream timed out\n"},
		{"a page", "\n<html><h1>502</h1></html>", "", ""},
		{"nothing", "", "", ""},
		{"a list", "[]", "", "[]"},
		{"JSON that ends", `{"error":{"message":`, "", `{"error":{"message":`},
		{"another shape", `{"error":{"message":{"a":1}}}`, "", `{"message":{"a":1}}`},
		{"errors in errors", `{"error":{"error":{"error":{"error":{}}}}}`, "", `{"error":{}}`},
	} {
		code, text := explanation(test.body)
		if code != test.code || text != test.text {
			t.Errorf("%s: %q, %q; want %q, %q", test.of, code, text, test.code, test.text)
		}
	}
}

func TestWhatIsWrong(t *testing.T) {
	c := Client{Base: "http://model.test/v1", Name: "m-1", KeyFrom: "M_KEY", Secret: "sk-0123456789"}
	for _, test := range []struct {
		status int
		body   string
		want   string
	}{
		{401, `{"error":{"message":"Incorrect API key provided: sk-0123456789"}}`, "key: http://model.test/v1 does not take the key; see whether M_KEY is right, and may use the model m-1"},
		{403, `{"message":"Forbidden"}`, "key: http://model.test/v1 does not take the key; see whether M_KEY is right, and may use the model m-1"},
		{400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key."}}]`, "key: http://model.test/v1 does not take the key; see whether M_KEY is right, and may use the model m-1"},
		{404, `{"error":{"message":"model \"m-1\" not found, try pulling it first","type":"api_error"}}`, `no-model: http://model.test/v1 has no model m-1: model "m-1" not found, try pulling it first; name one that it has`},
		{404, `404 page not found`, "request: there is no model server at http://model.test/v1 (status 404); see whether the address is right, with its /v1"},
		{405, `{"detail":"Method Not Allowed"}`, "request: there is no model server at http://model.test/v1 (status 405); see whether the address is right, with its /v1"},
		{400, `{"error":{"message":"m-1 does not support tools","type":"api_error"}}`, "no-tools: the model m-1 at http://model.test/v1 cannot call tools, and a walk needs them; name another model: m-1 does not support tools"},
		{500, `{"error":{"code":500,"message":"tools param requires --jinja flag"}}`, "no-tools: the model m-1 at http://model.test/v1 cannot call tools, and a walk needs them; name another model: tools param requires --jinja flag"},
		{400, `{"error":{"code":400,"type":"exceed_context_size_error","message":"the request exceeds the available context size"}}`, "too-long: the request is longer than the model m-1 reads: the request exceeds the available context size"},
		{413, ``, "too-long: the request is longer than the model m-1 reads"},
		{429, `{"message":"Too many tokens, please wait"}`, "rate-limit: http://model.test/v1 takes no more requests for now: Too many tokens, please wait"},
		{429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota"}}`, "quota: the account at http://model.test/v1 has nothing left to spend: You exceeded your current quota"},
		{400, `{"error":{"message":"Bad\n\tthing with sk-0123456789","type":"api_error"}}`, "request: http://model.test/v1 refused the request (status 400): Bad thing with [key]"},
		{400, `{"error":{"message":"` + strings.Repeat("x", 295) + ` sk-0123456789"}}`, "request: http://model.test/v1 refused the request (status 400): " + strings.Repeat("x", 295) + " [ke…"},
		{502, `<html>Bad gateway`, "server: http://model.test/v1 failed (status 502)"},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "overloaded: http://model.test/v1 has too much to do: Overloaded"},
		{201, ``, "request: http://model.test/v1 refused the request (status 201)"},
		{0, `{"error":{"message":"CUDA is out of memory"}}`, "server: http://model.test/v1 broke off its answer: CUDA is out of memory"},
		{0, `{"error":{"code":429,"message":"slower"}}`, "rate-limit: http://model.test/v1 takes no more requests for now: slower"},
		{0, `{"error":{"type":"invalid_request_error","message":"no"}}`, "request: http://model.test/v1 refused the request: no"},
	} {
		e := c.judge(test.status, test.body)
		if got := fmt.Sprintf("%s: %s", e.Fault, e); got != test.want {
			t.Errorf("%d %s:\n got %s\nwant %s", test.status, test.body, got, test.want)
		}
	}
	c.Secret = ""
	if got, want := c.judge(401, "").Message, "http://model.test/v1 wants a key, and there is none; set M_KEY"; got != want {
		t.Errorf("got %s; want %s", got, want)
	}
}

func TestAnAddressHasNoPassword(t *testing.T) {
	for base, want := range map[string]string{
		"https://api.openai.com/v1":    "https://api.openai.com/v1",
		"http://me:passw0rd@host:1/v1": "http://me:xxxxx@host:1/v1",
		"not an address":               "not an address",
	} {
		if got := (&Client{Base: base}).address(); got != want {
			t.Errorf("%s: %s; want %s", base, got, want)
		}
	}
}

func TestTheReasonOfAConnectionThatFailed(t *testing.T) {
	op := func(err error) error {
		return fmt.Errorf("Post: %w", &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{Port: 1}, Err: err})
	}
	for want, err := range map[string]error{
		"connection refused":                          op(os.NewSyscallError("connect", syscall.ECONNREFUSED)),
		"there is no host nope":                       op(&net.DNSError{Err: "no such host", Name: "nope", Server: "10.0.0.1", IsNotFound: true}),
		"lookup nope on 10.0.0.1: server misbehaving": op(&net.DNSError{Err: "server misbehaving", Name: "nope", Server: "10.0.0.1"}),
		"EOF": fmt.Errorf("Post: %w", io.EOF),
	} {
		if got := reason(err); got != want {
			t.Errorf("got %q; want %q", got, want)
		}
	}
}

// A request that cannot even be made is not tried again.
func TestARequestThatIsNone(t *testing.T) {
	c, n := Client{Base: "http://model.test"}, 0
	_, err := c.Do(t.Context(), nil, func(context.Context, *http.Client, func(model.Delta)) (model.Reply, error) {
		n++
		return model.Reply{}, errors.New("no bytes")
	})
	e, ok := errors.AsType[*model.Error](err)
	if want := "the request to http://model.test cannot be made: no bytes"; !ok || e.Fault != model.FaultRequest || e.Message != want || n != 1 {
		t.Errorf("after %d attempts: %v; want %s", n, err, want)
	}
}

func TestMessages(t *testing.T) {
	part := func(role model.Role, kind model.Kind, text string) model.Part { return model.NewPart(role, kind, text) }
	system, list := Messages([]model.Part{
		part(model.System, model.Text, "s1"), part(model.System, model.Text, ""), part(model.System, model.Text, "s2"),
		part(model.User, model.Text, "u1"), part(model.Assistant, model.Text, "\n"), part(model.User, model.Text, "u2"),
		part(model.Assistant, model.Thinking, ""), part(model.Assistant, model.Text, "a"), part(model.Assistant, model.Call, ""),
		part(model.Tool, model.Result, ""), part(model.System, model.Text, "late"), part(model.User, model.Text, " "), part(model.System, model.Menu, "m"),
	})
	var got []string
	add := func(side string, parts []model.Part) {
		for _, p := range parts {
			side += fmt.Sprintf(" %s:%s", p.Kind, p.Data)
		}
		got = append(got, side)
	}
	add("system", system)
	for _, m := range list {
		add(map[bool]string{true: "model", false: "others"}[m.Assistant], m.Parts)
	}
	want := []string{"system text:s1 text:s2", "others text:u1 text:u2", "model thinking: text:a call:", "others result: text:late menu:m"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestArguments(t *testing.T) {
	for data, want := range map[string]string{
		`{"z":9007199254740993,"a":1.0}`: `{"z":9007199254740993,"a":1.0}`,
		` {} `:                           ` {} `,
		"":                               "{}",
		" \n":                            "{}",
		"null":                           `{"not_an_object":"null"}`,
		"[1]":                            `{"not_an_object":"[1]"}`,
		`{"a":`:                          `{"not_an_object":"{\"a\":"}`,
		`{} {}`:                          `{"not_an_object":"{} {}"}`,
	} {
		if got := Arguments(data); got != want {
			t.Errorf("%q: %s; want %s", data, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	n := NewNames(request("read.port", "read_port", "read port", "", "tool", "ünïcode", strings.Repeat("x", 70), strings.Repeat("x", 71)), 64)
	for name, want := range map[string]string{
		"read_port": "read_port", "read.port": "read_port_2", "read port": "read_port_3", "tool": "tool", "": "tool_2", "ünïcode": "_n_code",
		strings.Repeat("x", 70): strings.Repeat("x", 64), strings.Repeat("x", 71): strings.Repeat("x", 62) + "_2",
	} {
		if got := n.There(name); got != want || n.Back(got) != name {
			t.Errorf("%q is %q there, and %q back; want %q", name, got, n.Back(got), want)
		}
	}
	if got := n.Back("unknown"); got != "unknown" {
		t.Errorf("a name of nobody comes back as %q", got)
	}
}

func FuzzNames(f *testing.F) {
	f.Add("read.port\nread_port\nread port", 64)
	f.Add("a.\na_\na_2\na:", 3)
	f.Fuzz(func(t *testing.T, list string, longest int) {
		longest = 8 + (longest&0xff)%100
		names := strings.Split(list, "\n")
		n := NewNames(request(names...), longest)
		seen := map[string]string{}
		for _, name := range names {
			there := n.There(name)
			if there == "" || len(there) > longest || fitting(there) != there || n.Back(there) != name {
				t.Errorf("%q is %q there, and %q back", name, there, n.Back(there))
			}
			if other, ok := seen[there]; ok && other != name {
				t.Errorf("%q and %q are both %q", name, other, there)
			}
			seen[there] = name
			if fitting(name) == name && name != "" && len(name) <= longest && there != name {
				t.Errorf("%q fits, and is %q", name, there)
			}
		}
	})
}

func request(tools ...string) *model.Request {
	var req model.Request
	for i, name := range tools {
		if i%2 == 0 {
			req.Tools = append(req.Tools, model.ToolSpec{Name: name})
			continue
		}
		p := model.NewPart(model.Assistant, model.Call, "{}")
		p.Tool = name
		req.Parts = append(req.Parts, p)
	}
	return &req
}

func TestIDs(t *testing.T) {
	var parts []model.Part
	for _, c := range []struct{ id, tag string }{
		{"i1.1", Tag("us", map[string]string{"id": "call_0"})},
		{"i1.2", Tag("us", map[string]string{"id": "call_0"})}, // again
		{"i1.3", Tag("them", map[string]string{"id": "call_1"})},
		{"i1.4", Tag("us", map[string]string{"id": "no id"})},
		{"i1.5", Tag("us", map[string]string{"id": strings.Repeat("x", 65)})},
		{"i1.6", Tag("us", map[string]int{"id": 7})},
		{"i1.7", "{"},
		{"t2i1.1", Tag("us", map[string]string{"id": "t2i1_2"})}, // as if to mock us
		{"t2i1.2", ""},
	} {
		p := model.NewPart(model.Assistant, model.Call, "{}")
		p.Call, p.Provider = c.id, c.tag
		parts = append(parts, p)
	}
	want := map[string]string{
		"i1.1": "call_0", "i1.2": "i1_2", "i1.3": "i1_3", "i1.4": "i1_4", "i1.5": "i1_5", "i1.6": "i1_6", "i1.7": "i1_7",
		"t2i1.1": "t2i1_2", "t2i1.2": "t2i1_2_",
	}
	if diff := cmp.Diff(want, IDs(parts, "us")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestATagIsForItsProviderAlone(t *testing.T) {
	tag := Tag("us", map[string]string{"id": "<call>"})
	var v struct{ ID string }
	if !Untag(tag, "us", &v) || v.ID != "<call>" {
		t.Errorf("%s is read as %+v", tag, v)
	}
	for _, tag := range []string{tag, "", "{", "[]", `{"them":null}`, `{"them":[]}`} {
		if Untag(tag, "them", &v) {
			t.Errorf("%q is read by another one", tag)
		}
	}
}
