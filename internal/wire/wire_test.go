package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor/model"
)

// A server of one's own is given any word for a key. It may be said.
func TestAWordIsNoSecret(t *testing.T) {
	for key, hidden := range map[string]bool{"ollama": false, "sk-no-key-required": false, "sk-1234": true, "thekeythatisalllettersandlong": true} {
		c := Client{Secret: key}
		if got := c.hider().Text("It is " + key + "."); (got == "It is [key].") != hidden {
			t.Errorf("%s: %s", key, got)
		}
	}
}

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
		{"", "+Inf", forever, true},
		{"", "1e30", forever, true},
		{"99999999999999999999999999", "", forever, true},
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
	for _, test := range []struct{ of, body, codes, text string }{
		{"OpenAI", `{"error":{"message":"Bad.","type":"invalid_request_error","param":null,"code":"model_not_found"}}`, "invalid_request_error model_not_found", "Bad."},
		{"OpenAI without a code", `{"error":{"message":"Bad.","type":"invalid_request_error","param":null,"code":null}}`, "invalid_request_error", "Bad."},
		{"Anthropic", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}`, "error overloaded_error", "Overloaded"},
		{"Ollama", `{"error":"model 'x' not found"}`, "", "model 'x' not found"},
		{"vLLM", `{"object":"error","message":"The model x does not exist.","type":"NotFoundError","param":null,"code":404}`, "notfounderror 404", "The model x does not exist."},
		{"vLLM, nested", `{"error":{"message":"Bad.","type":"BadRequestError","param":null,"code":400}}`, "badrequesterror 400", "Bad."},
		{"OpenRouter", `{"error":{"message":"Rate limit exceeded","code":429},"user_id":"u"}`, "429", "Rate limit exceeded"},
		{"OpenRouter, of another", `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"No.\",\"code\":\"no\"}}","provider_name":"X"}}}`, "400 no", "No."},
		{"OpenRouter, with other metadata", `{"error":{"message":"No.","code":403,"metadata":{"reasons":["x"]}}}`, "403", "No."},
		{"Gemini", `[{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"@type":"x","reason":"API_KEY_INVALID"}]}}]`, "400 invalid_argument api_key_invalid", "API key not valid."},
		{"FastAPI", `{"detail":"Not Found"}`, "", "Not Found"},
		{"FastAPI, of a field", `{"detail":[{"loc":["body","messages"],"msg":"field required"}]}`, "", `[{"loc":["body","messages"],"msg":"field required"}]`},
		{"a gateway", `{"message":"Unauthorized"}`, "", "Unauthorized"},
		{"a gateway with a null", `{"error":null,"message":"Unauthorized"}`, "", "Unauthorized"},
		{"a gateway with JSON in JSON", `{"error":{"message":"{\"error\":{\"message\":\"Bad.\",\"type\":\"x\"}}","code":null,"type":"y"}}`, "y x", "Bad."},
		{"a text", "upstream timed out\n", "", "upstream timed out"},
		{"a page", "\n<html><h1>502</h1></html>", "", ""},
		{"nothing", "", "", ""},
		{"a list", "[]", "", ""},
		{"a list of numbers", "[1]", "", "[1]"},
		{"JSON that ends", `{"error":{"message":`, "", `{"error":{"message":`},
		{"another shape", `{"error":{"message":{"a":1}}}`, "", `{"a":1}`},
		{"errors in errors", `{"error":{"error":{"error":{"error":{"error":{"error":{}}}}}}}`, "", `{"error":{}}`},
	} {
		codes, text := explanation(test.body)
		if strings.Join(codes, " ") != test.codes || text != test.text {
			t.Errorf("%s: %q, %q; want %q, %q", test.of, codes, text, test.codes, test.text)
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
		{401, `{"error":{"message":"Incorrect API key provided: sk-0123456789."}}`, "key: http://model.test/v1 does not take the key: Incorrect API key provided: [key]; see whether M_KEY is right, and may use the model m-1"},
		{401, `{"error":{"message":"Bad key='sk-0*****789', see sk-0."}}`, "key: http://model.test/v1 does not take the key: Bad key='[key]', see [key]; see whether M_KEY is right, and may use the model m-1"},
		{401, `no`, "key: http://model.test/v1 does not take the key: no; see whether M_KEY is right, and may use the model m-1"},
		{403, `{"message":"Forbidden"}`, "request: http://model.test/v1 refused the request (status 403): Forbidden"},
		{403, `{"type":"error","error":{"type":"permission_error","message":"No."}}`, "key: http://model.test/v1 does not take the key: No; see whether M_KEY is right, and may use the model m-1"},
		{403, `{"error":"This API key has no access"}`, "key: http://model.test/v1 does not take the key: This API key has no access; see whether M_KEY is right, and may use the model m-1"},
		{403, `<html>Your permission`, "request: http://model.test/v1 refused the request (status 403)"},
		{400, `[{"error":{"code":400,"message":"Bad.","details":[{"reason":"API_KEY_INVALID"}]}}]`, "key: http://model.test/v1 does not take the key: Bad; see whether M_KEY is right, and may use the model m-1"},
		{400, `{"error":{"message":"Unknown parameter: api_key, permission, authentication"}}`, "request: http://model.test/v1 refused the request (status 400): Unknown parameter: api_key, permission, authentication"},
		{400, `{"error":{"message":"Invalid schema for function 'rate_limit_check': **kwargs","type":"invalid_request_error"}}`, "request: http://model.test/v1 refused the request (status 400): Invalid schema for function 'rate_limit_check': **kwargs"},
		{400, `{"error":{"message":"the tool overloaded_error is insufficient_quota, model_not_found","type":"invalid_request_error"}}`, "request: http://model.test/v1 refused the request (status 400): the tool overloaded_error is insufficient_quota, model_not_found"},
		{400, `{"error":{"message":"{\"error\":{\"message\":\"messages.1: bad\"}}"}}`, "request: http://model.test/v1 refused the request (status 400): messages.1: bad"},
		{404, `{"error":{"message":"model \"m-1\" not found, try pulling it first","type":"api_error"}}`, `no-model: http://model.test/v1 has no model m-1: model "m-1" not found, try pulling it first; name one that it has`},
		{404, `404 page not found`, "request: there is no model server at http://model.test/v1 (status 404): 404 page not found; see whether the address is right, with its /v1"},
		{405, `{"detail":"Method Not Allowed"}`, "request: there is no model server at http://model.test/v1 (status 405): Method Not Allowed; see whether the address is right, with its /v1"},
		{400, `{"error":{"message":"m-1 does not support tools","type":"api_error"}}`, "no-tools: the model m-1 at http://model.test/v1 cannot call tools, and a walk needs them: m-1 does not support tools; name another model"},
		{500, `{"error":{"code":500,"message":"tools param requires --jinja flag"}}`, "no-tools: the model m-1 at http://model.test/v1 cannot call tools, and a walk needs them: tools param requires --jinja flag; name another model"},
		{500, `{"error":{"message":"the context window of the scheduler"}}`, "server: http://model.test/v1 failed (status 500): the context window of the scheduler"},
		{400, `{"error":{"code":400,"type":"exceed_context_size_error","message":"the request is too large"}}`, "too-long: the request is longer than the model m-1 reads: the request is too large"},
		{413, ``, "too-long: the request is longer than the model m-1 reads"},
		{429, `{"message":"Too many tokens, please wait"}`, "rate-limit: http://model.test/v1 takes no more requests for now: Too many tokens, please wait"},
		{429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota"}}`, "quota: the account at http://model.test/v1 has nothing left to spend: You exceeded your current quota"},
		{400, `{"error":{"message":"Bad\n\tthing with sk-0123456789","type":"api_error"}}`, "request: http://model.test/v1 refused the request (status 400): Bad thing with [key]"},
		{400, `{"error":{"message":"` + strings.Repeat("x", 295) + ` sk-0123456789"}}`, "request: http://model.test/v1 refused the request (status 400): " + strings.Repeat("x", 295) + " [ke…"},
		{400, "Client sent an HTTP request to an HTTPS server.\n", "request: http://model.test/v1 speaks TLS: Client sent an HTTP request to an HTTPS server; write https:// in place of http://"},
		{502, `<html>Bad gateway`, "server: http://model.test/v1 failed (status 502)"},
		{599, ``, "server: http://model.test/v1 failed (status 599)"},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "overloaded: http://model.test/v1 has too much to do: Overloaded"},
		{0, `{"error":{"message":"CUDA is out of memory"}}`, "server: http://model.test/v1 broke off its answer: CUDA is out of memory"},
		{0, `{"error":{"code":429,"message":"slower"}}`, "rate-limit: http://model.test/v1 takes no more requests for now: slower"},
		{0, `{"error":{"type":"invalid_request_error","message":"no"}}`, "request: http://model.test/v1 refused the request: no"},
	} {
		e := c.judge(test.status, test.body)
		if got := fmt.Sprintf("%s: %s", e.Fault, e); got != test.want || e.Status != test.status {
			t.Errorf("%d %s:\n got %s\nwant %s", e.Status, test.body, got, test.want)
		}
	}
	c.Secret = ""
	if got, want := c.judge(401, "").Message, "http://model.test/v1 wants a key, and there is none; set M_KEY"; got != want {
		t.Errorf("got %s; want %s", got, want)
	}
}

func TestCheck(t *testing.T) {
	const where = ", in M_URL or wherever it is set"
	const hidden = "the address of the model has a name, a password, a query or a fragment in it; write one such as http://127.0.0.1:11434/v1" + where
	none := func(base, why string) string {
		return fmt.Sprintf("the address of the model, %q, is none: %s; write one such as http://127.0.0.1:11434/v1%s", base, why, where)
	}
	lacks := func(base, scheme string) string {
		return fmt.Sprintf("the address of the model, %q, lacks its beginning; write %s%s%s", base, scheme, base, where)
	}
	for base, want := range map[string]string{
		"https://api.openai.com/v1":    "",
		"http://[::1]:8080":            "",
		"http://host/@team/v1":         "",
		"":                             none("", "it begins with http:// or https://, and a host follows"),
		"http://":                      none("http://", "it begins with http:// or https://, and a host follows"),
		"ftp://host":                   none("ftp://host", "it begins with http:// or https://, and a host follows"),
		"//host/v1":                    none("//host/v1", "it begins with http:// or https://, and a host follows"),
		"http://a b/":                  none("http://a b/", `invalid character " " in host name`),
		"http://host:port":             none("http://host:port", `invalid port ":port" after host`),
		"http://host\n":                none("http://host\n", "invalid control character in URL"),
		"127.0.0.1:11434/v1":           lacks("127.0.0.1:11434/v1", "http://"),
		"127.0.0.1":                    lacks("127.0.0.1", "http://"),
		"localhost:8080":               lacks("localhost:8080", "http://"),
		"localhost/v1":                 lacks("localhost/v1", "http://"),
		"api.model.test/v1":            lacks("api.model.test/v1", "https://"),
		"http://me:passw0rd@host:1/v1": hidden,
		"http://me@host:port/v1":       hidden,
		"me:passw0rd@host":             hidden,
		"http://host/v1?key=passw0rd":  hidden,
		"http://host/v1#passw0rd":      hidden,
	} {
		c := Client{Base: base, Name: "m", AddressFrom: "M_URL"}
		got := ""
		if err := c.Check(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q\n got %s\nwant %s", base, got, want)
		}
		if at := c.address(); strings.Contains(at, "passw0rd") {
			t.Errorf("the address is told as %s", at)
		}
	}
	for want, c := range map[string]Client{
		"no-model: the model has no name; give it the one that its server knows":                                                                          {Name: " ", Own: true},
		"key: Them wants a key, and there is none; set M_KEY":                                                                                             {Name: "m", Own: true, Vendor: "Them", KeyFrom: "M_KEY"},
		"key: the key has a character that no key has, such as a blank, a line end or a curly quote; copy it once more, into M_KEY or wherever it is set": {Name: "m", KeyFrom: "M_KEY", Secret: "x\n"},
	} {
		c.Base = "http://host"
		err := c.Check()
		if e, ok := errors.AsType[*model.Error](err); !ok || fmt.Sprintf("%s: %s", e.Fault, e) != want {
			t.Errorf("got %v; want %s", err, want)
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
		"nothing came in time":                        op(os.ErrDeadlineExceeded),
		"unknown authority":                           fmt.Errorf("Post: %w", errors.New("x509: unknown authority")),
		"remote error: bad thing: no":                 errors.New("remote error: bad thing: no"),
		"EOF":                                         fmt.Errorf("Post: %w", io.EOF),
	} {
		if got := reason(err); got != want {
			t.Errorf("got %q; want %q", got, want)
		}
	}
}

// ask calls a server of the system's network.
func ask(t *testing.T, c Client, read func(*Answer) (model.Reply, error)) (model.Reply, error) {
	t.Helper()
	c.Name, c.Retries = "m", -1
	return c.Do(t.Context(), func(model.Delta) {}, Call{Path: "/x", Header: http.Header{"X-One": {"1"}}, Body: []byte("{}"), Read: read})
}

func TestWhatIsSent(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"got":"%s %s %s %s %s %s"}`, r.Method, r.URL, body, r.Header.Get("Content-Type"), r.Header.Get("Accept"), r.Header.Get("X-One"))
	}))
	defer s.Close()
	_, err := ask(t, Client{Base: s.URL + "/v1/"}, func(a *Answer) (model.Reply, error) {
		b, err := io.ReadAll(a.Body)
		if want := `{"got":"POST /v1/x {} application/json text/event-stream, application/json 1"}`; string(b) != want || a.Media != "application/json" {
			t.Errorf("got %s as %s; want %s", b, a.Media, want)
		}
		return model.Reply{}, err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestServersThatSpeakAnotherLanguage(t *testing.T) {
	quiet := func(s *httptest.Server) *httptest.Server {
		s.Config.ErrorLog = nil
		t.Cleanup(s.Close)
		return s
	}
	hello := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })
	plain, secure := quiet(httptest.NewServer(hello)), quiet(httptest.NewTLSServer(hello))
	raw := func(say string) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				c.Read(make([]byte, 1000))
				io.WriteString(c, say)
				c.Close()
			}
		}()
		return l.Addr().String()
	}
	nobody, _ := net.Listen("tcp", "127.0.0.1:0")
	nobody.Close()
	nothing := model.Wire{}
	all := model.Wire{SHA256: model.Sum("{}").String(), Bytes: 2}
	for _, test := range []struct {
		base  string
		fault model.Fault
		want  string
		sent  model.Wire
	}{
		{"https://" + plain.Listener.Addr().String(), model.FaultRequest, "speaks no TLS; if it is right to do so, write http:// in place of https://", nothing},
		{"http://" + secure.Listener.Addr().String(), model.FaultRequest, "speaks TLS: Client sent an HTTP request to an HTTPS server; write https:// in place of http://", all},
		{secure.URL, model.FaultRequest, "is not trusted here: certificate signed by unknown authority", nothing},
		{"http://" + raw("\x15\x03\x01\x00\x02\x02\x28"), model.FaultRequest, "speaks TLS; write https:// in place of http://", all},
		{"https://" + raw("220 hello\r\n"), model.FaultRequest, "speaks no TLS; if it is right to do so, write http:// in place of https://", nothing},
		{"http://" + raw("220 hello\r\n"), model.FaultBroken, "speaks no HTTP; see whether the address is right", all},
		{"http://" + raw(""), model.FaultBroken, "closed the connection without an answer; see whether it is at work, and whether the address is right", all},
		{"http://" + raw("HTTP/1.1 103 Early Hints\r\n\r\n"), model.FaultBroken, "closed the connection without an answer; see whether it is at work, and whether the address is right", all},
		{"http://" + raw("HTTP/1.1 101 Switching Protocols\r\n\r\n"), model.FaultRequest, "answers without an answer (status 101); see whether the address is right, with its /v1", all},
		{"http://" + raw("HTTP/1.1 302 Found\r\nLocation: http://a b:c/%zz\r\n\r\n"), model.FaultRequest, "sends us to another address, which is none; see whether the address is right, with its /v1", all},
		{"http://" + raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"), model.FaultBroken, "was cut off: the connection broke in the middle of it", all},
		{"http://" + raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"), model.FaultBroken, "is no answer: it is no stream of events; see whether the address is right, with its /v1", all},
		{"http://" + nobody.Addr().String(), model.FaultUnreachable, "cannot be reached: connection refused; see whether the server runs there, and whether the address is right", nothing},
	} {
		_, err := ask(t, Client{Base: test.base, HTTP: &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{}}}}, func(a *Answer) (model.Reply, error) {
			return model.Reply{}, a.Events(func(string, []byte) error { return nil })
		})
		e, ok := errors.AsType[*model.Error](err)
		if !ok || e.Fault != test.fault || !strings.HasSuffix(e.Message, test.want) || e.Wire != test.sent {
			t.Errorf("%s: %v, %+v; want %s: %s", test.base, err, e, test.fault, test.want)
		}
	}
}

func TestAHeaderThatCannotBeSent(t *testing.T) {
	c := Client{Base: "http://127.0.0.1:1", Name: "m"}
	_, err := c.Do(t.Context(), nil, Call{Header: http.Header{"X-One": {"a\nb"}}})
	e, ok := errors.AsType[*model.Error](err)
	if want := "the request to http://127.0.0.1:1 cannot be made: one of its headers has a character that no header has"; !ok || e.Message != want || len(e.Attempts) > 0 || e.Wire.Bytes > 0 {
		t.Errorf("got %v; want %s", err, want)
	}
}

// A transport answers with a body that ends as it is told.
type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// slow is a body that says a text, and then nothing.
type slow struct {
	ctx  context.Context
	text *strings.Reader
}

func (s slow) Read(p []byte) (int, error) {
	if s.text.Len() == 0 {
		<-s.ctx.Done()
		return 0, s.ctx.Err()
	}
	return s.text.Read(p)
}

func TestAfterTheEndThereIsNoFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := Client{Base: "http://host", Name: "m", Retries: -1, HTTP: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Header: http.Header{}, Request: r, Body: io.NopCloser(slow{r.Context(), strings.NewReader("data: end\n\ndata: usage\n\ndata: half")})}, nil
		})}}
		var got []string
		start := time.Now()
		_, err := c.Do(t.Context(), nil, Call{Read: func(a *Answer) (model.Reply, error) {
			return model.Reply{}, a.Events(func(_ string, data []byte) error {
				if got = append(got, string(data)); string(data) == "end" {
					a.Done()
				}
				return nil
			})
		}})
		if diff := cmp.Diff([]string{"end", "usage"}, got); err != nil || diff != "" || time.Since(start) != epilogue {
			t.Errorf("%v after %v: -want +got:\n%s", err, time.Since(start), diff)
		}
	})
}
