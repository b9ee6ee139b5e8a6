package wiretest

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spoorhq/spoor/model"
)

// faults are about what goes wrong, and is said so.
var faults = list{
	{"each refusal is known for what it is", func(b *bench) {
		for _, f := range []model.Fault{
			model.FaultKey, model.FaultNoModel, model.FaultNoTools, model.FaultTooLong, model.FaultQuota, model.FaultRequest,
			model.FaultRateLimit, model.FaultOverloaded, model.FaultServer,
		} {
			b.serve(b.refuses(f, "It cannot be: "+string(f)+" "+key+" <&>"))
			before := b.asked()
			c := b.config()
			c.Retries = -1
			e := b.fault(c, f)
			status, _ := b.Refusal(f, "")
			b.equal("the status", status, e.Status)
			b.equal("the requests", 1, b.asked()-before)
			b.equal("the attempts", 0, len(e.Attempts))
			b.equal("the wire", sent(b.bodies[before]), e.Wire)
			if want := map[model.Fault]string{model.FaultKey: b.KeyFrom, model.FaultNoModel: name, model.FaultNoTools: name, model.FaultTooLong: name}[f]; !strings.Contains(e.Message, want) {
				b.Errorf("the message does not name %s: %s", want, e)
			}
			if !strings.Contains(e.Message, "It cannot be: "+string(f)) {
				b.Errorf("the message does not say what the server said: %s", e)
			}
		}
	}},
	{"what does not pass is not tried again", func(b *bench) {
		for _, f := range []model.Fault{model.FaultKey, model.FaultNoModel, model.FaultNoTools, model.FaultTooLong, model.FaultQuota, model.FaultRequest} {
			b.serve(b.refuses(f, "no"))
			before := b.asked()
			b.fault(b.config(), f)
			b.equal(fmt.Sprintf("the requests after %s", f), 1, b.asked()-before)
		}
	}},
	{"a key that may not do it is a wrong key", func(b *bench) {
		_, body := b.Refusal(model.FaultKey, "no")
		b.serve(writes(403, "application/json", body))
		e := b.fault(b.config(), model.FaultKey)
		b.equal("the status", 403, e.Status)
	}},
	{"a server that forbids says why, and the key is not blamed for it", func(b *bench) {
		b.serve(writes(403, "application/json", `{"error":{"type":"forbidden","message":"Country, region, or territory not supported"}}`))
		if e := b.fault(b.config(), model.FaultRequest); !strings.Contains(e.Message, "Country, region, or territory not supported") {
			b.Errorf("the message does not say why: %v", e)
		}
		b.equal("the requests", 1, b.asked())
	}},
	{"a key with stars is told neither", func(b *bench) {
		for _, half := range []string{key[:4] + "****" + key[20:], "********" + key[20:], key[:9] + "..." + key[20:]} {
			b.serve(writes(401, "application/json", `{"error":{"type":"error","message":"Incorrect API key provided: `+half+`. Find yours at home."}}`))
			e := b.fault(b.config(), model.FaultKey)
			if !strings.Contains(e.Message, "Incorrect API key provided: [key]. Find yours at home") || strings.Contains(e.Message, key[20:]) {
				b.Errorf("the message is %v", e)
			}
		}
	}},
	{"a key that cannot be sent is told before anything is sent", func(b *bench) {
		b.serve(b.hello())
		for _, bad := range []string{"Zk-test\n0123", "Zk-test 0123", "Zk-test\x000123", "“Zk-test0123”"} {
			c := b.config()
			c.Key = bad
			if err := b.Open(c).(model.Checker).Check(); err == nil {
				b.Errorf("Check takes %q for a key", bad)
			}
			if e := b.fault(c, model.FaultKey); strings.Contains(e.Message, bad) || len(e.Attempts) > 0 || !strings.Contains(e.Message, b.KeyFrom) {
				b.Errorf("the message is %v, after %v", e, e.Attempts)
			}
		}
		b.equal("the requests", 0, b.asked())
	}},
	{"the key is sent, and to the server alone", func(b *bench) {
		b.serve(b.hello())
		b.answer(b.config(), long())
		b.equal("the key", key, b.Key(b.headers[0]))
		b.silent(b.bodies[0])
	}},
	{"without a key none is sent, and the error says what to set", func(b *bench) {
		b.serve(b.refuses(model.FaultKey, "no key"))
		c := b.config()
		c.Key = ""
		e := b.fault(c, model.FaultKey)
		if !strings.Contains(e.Message, b.KeyFrom) {
			b.Errorf("the message does not name %s: %s", b.KeyFrom, e)
		}
		for _, h := range b.headers {
			b.equal("the key", "", b.Key(h))
		}
	}},
	{"without a name nothing is sent, and the error says so", func(b *bench) {
		b.serve(b.hello())
		c := b.config()
		c.Name = ""
		b.fault(c, model.FaultNoModel)
		if err := b.Open(c).(model.Checker).Check(); err == nil {
			b.Error("Check finds nothing wrong")
		}
		if err := b.Open(b.config()).(model.Checker).Check(); err != nil {
			b.Errorf("Check finds fault: %v", err)
		}
		b.equal("the requests", 0, b.asked())
	}},
	{"an address that is none is told before anything is sent", func(b *bench) {
		for _, addr := range []string{host, "localhost:8080", "ftp://" + host, "http://", "http://a b/", "/v1"} {
			c := b.config()
			c.BaseURL = addr
			if err := b.Open(c).(model.Checker).Check(); err == nil {
				b.Errorf("Check takes %q for an address", addr)
			}
			b.fault(c, model.FaultRequest)
		}
		c := b.config()
		c.BaseURL = "127.0.0.1:11434/v1"
		if e := b.fault(c, model.FaultRequest); !strings.Contains(e.Message, "write http://127.0.0.1:11434") {
			b.Errorf("the message does not say what to write: %v", e)
		}
	}},
	{"an address with a password or a query is refused, and not repeated", func(b *bench) {
		b.serve(b.hello())
		for _, addr := range []string{"http://me:passw0rd@" + host + "/v1", "me:passw0rd@" + host, "http://" + host + "/v1?key=passw0rd", "http://" + host + "/v1#passw0rd", "http://me:pass/passw0rd@" + host} {
			c := b.config()
			c.BaseURL = addr
			err := b.Open(c).(model.Checker).Check()
			if e := b.fault(c, model.FaultRequest); err == nil || strings.Contains(e.Message+err.Error(), "passw0rd") {
				b.Errorf("Check says %v, and the call %v", err, e)
			}
		}
		b.equal("the requests", 0, b.asked())
	}},
	{"a server that is not there cannot be reached", func(b *bench) {
		c := b.config()
		c.BaseURL = "http://nowhere.test/v1"
		start := time.Now()
		e := b.fault(c, model.FaultUnreachable)
		b.equal("the status", 0, e.Status)
		b.equal("the attempts", 3, len(e.Attempts))
		if took := time.Since(start); took < time.Second || took > 5*time.Second {
			b.Errorf("the attempts took %v", took)
		}
		b.equal("the wire", model.Wire{}, e.Wire)
		if !strings.Contains(e.Message, "nowhere.test") {
			b.Errorf("the message does not say where: %v", e)
		}
	}},
	{"a connection that is closed without an answer is said to be", func(b *bench) {
		b.serve(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		e := b.fault(b.config(), model.FaultBroken)
		if !strings.Contains(e.Message, "closed the connection without an answer") || strings.Contains(e.Message, "EOF") {
			b.Errorf("the message is %v", e)
		}
		b.equal("the wire", sent(b.bodies[0]), e.Wire)
	}},
	{"an answer that is none by its status is said to be", func(b *bench) {
		for _, status := range []int{202, 204, 300, 302, 304, 307} {
			b.serve(writes(status, "text/plain", ""))
			before := b.asked()
			if e := b.fault(b.config(), model.FaultRequest); !strings.Contains(e.Message, strconv.Itoa(status)) {
				b.Errorf("the message does not say the status %d: %v", status, e)
			}
			b.equal("the requests", 1, b.asked()-before)
		}
	}},
	{"a redirect is not followed, and the key goes nowhere else", func(b *bench) {
		b.network.serve("elsewhere.test", func(w http.ResponseWriter, r *http.Request) {
			b.Errorf("elsewhere is asked %s %s, with the key %q", r.Method, r.URL, b.Key(r.Header))
		})
		for _, status := range []int{301, 302, 303, 307, 308} {
			b.serve(writes(status, "text/plain", "", "Location", "http://elsewhere.test/?key="+url.QueryEscape(key)))
			before := b.asked()
			e := b.fault(b.config(), model.FaultRequest)
			b.equal("the status", status, e.Status)
			b.equal("the requests", 1, b.asked()-before)
			if !strings.Contains(e.Message, "elsewhere.test") {
				b.Errorf("the message does not say where to: %s", e)
			}
		}
	}},
	{"an error that calls itself a success is an error", func(b *bench) {
		_, body := b.Refusal(model.FaultOverloaded, "too busy")
		for _, media := range []string{"application/json", "text/event-stream", "text/plain; charset=utf-8"} {
			b.bodies = nil
			b.serve(writes(200, media, body, "Retry-After-Ms", "1"), b.hello())
			r := b.answer(b.config(), long())
			b.attempts(r.Attempts, model.Attempt{Fault: model.FaultOverloaded, WaitMS: 1})
		}
	}},
	{"a rate limit is waited for as the server asks", func(b *bench) {
		b.serve(b.refuses(model.FaultRateLimit, "slower", "Retry-After-Ms", "1"), b.refuses(model.FaultRateLimit, "slower", "Retry-After", "20"), b.hello())
		start := time.Now()
		r := b.answer(b.config(), long())
		status, _ := b.Refusal(model.FaultRateLimit, "")
		b.attempts(r.Attempts, model.Attempt{Fault: model.FaultRateLimit, Status: status, WaitMS: 1}, model.Attempt{Fault: model.FaultRateLimit, Status: status, WaitMS: 20_000})
		b.equal("the time it took", 20*time.Second+time.Millisecond, time.Since(start))
		b.equal("the third body", b.bodies[0], b.bodies[2])
		b.equal("the wire", sent(b.bodies[0]), r.Wire)
		b.equal("the deltas", "Hello!", b.heard())
	}},
	{"a rate limit that does not end is given up", func(b *bench) {
		b.serve(b.refuses(model.FaultRateLimit, "slower", "Retry-After-Ms", "1"))
		c := b.config()
		c.Retries = 2
		e := b.fault(c, model.FaultRateLimit)
		b.attempts(e.Attempts, model.Attempt{Fault: model.FaultRateLimit, Status: e.Status, WaitMS: 1}, model.Attempt{Fault: model.FaultRateLimit, Status: e.Status, WaitMS: 1})
		b.equal("the requests", 3, b.asked())
	}},
	{"nobody waits an hour", func(b *bench) {
		for _, h := range [][]string{{"Retry-After", "3600"}, {"Retry-After", "99999999999999999999"}, {"Retry-After", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)}, {"X-Should-Retry", "false"}} {
			b.serve(b.refuses(model.FaultRateLimit, "slower", h...))
			before, start := b.asked(), time.Now()
			if e := b.fault(b.config(), model.FaultRateLimit); h[1] == "3600" && !strings.Contains(e.Message, "1h") {
				b.Errorf("the message does not say how long: %v", e)
			}
			b.equal(fmt.Sprintf("the requests after %q", h), 1, b.asked()-before)
			b.equal("the time it took", time.Duration(0), time.Since(start))
		}
	}},
	{"a server that failed, or has too much to do, is asked again", func(b *bench) {
		b.serve(b.refuses(model.FaultServer, "oh"), b.refuses(model.FaultOverloaded, "busy"), b.hello())
		r := b.answer(b.config(), long())
		failed, _ := b.Refusal(model.FaultServer, "")
		busy, _ := b.Refusal(model.FaultOverloaded, "")
		b.attempts(r.Attempts, model.Attempt{Fault: model.FaultServer, Status: failed}, model.Attempt{Fault: model.FaultOverloaded, Status: busy})
	}},
	{"an error within a stream makes it void", func(b *bench) {
		begun := b.begun(Answer{Model: name, Text: []string{"Port", " 2"}})
		b.serve(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After-Ms", "1")
			send(w, append(begun, b.Failure(model.FaultOverloaded, "too busy "+key))...)
		}, b.hello())
		r := b.answer(b.config(), long())
		b.equal("the deltas", []model.Delta{{Text: "Port"}, {Text: " 2"}, {Reset: true}, {Text: "Hello"}, {Text: "!"}}, b.deltas)
		b.equal("the parts", []string{"text Hello!"}, brief(r))
		b.attempts(r.Attempts, model.Attempt{Fault: model.FaultOverloaded, WaitMS: 1})
	}},
	{"an error at the beginning of a stream is an error", func(b *bench) {
		b.serve(func(w http.ResponseWriter, _ *http.Request) { send(w, b.Failure(model.FaultServer, "oh "+key)) })
		c := b.config()
		c.Retries = -1
		e := b.fault(c, model.FaultServer)
		b.equal("the status", 0, e.Status)
	}},
	{"an answer that is cut off is asked for again", func(b *bench) {
		b.serve(breaks(b.begun(Answer{Model: name, Text: []string{"Port", " 2"}})...), b.hello())
		r := b.answer(b.config(), long())
		b.equal("the deltas", []model.Delta{{Text: "Port"}, {Text: " 2"}, {Reset: true}, {Text: "Hello"}, {Text: "!"}}, b.deltas)
		b.equal("the parts", []string{"text Hello!"}, brief(r))
		b.attempts(r.Attempts, model.Attempt{Fault: model.FaultBroken})
	}},
	{"an answer that is always cut off is none, wherever the cut is", func(b *bench) {
		a := Answer{Model: name, Thinking: "Which?", Text: []string{"Port", " 2"}, Calls: []Call{{"call_1", "look", big}}}
		for n := range b.Stream(Answer{Model: name, Thinking: "Which?"}) {
			b.serve(breaks(b.Stream(a)[:n]...))
			c := b.config()
			c.Retries = 1
			e := b.fault(c, model.FaultBroken)
			b.equal("the attempts", 1, len(e.Attempts))
		}
	}},
}

// attempts holds what attempts were made. A WaitMS of zero is any, and each
// has an error that does not say the key.
func (b *bench) attempts(got []model.Attempt, want ...model.Attempt) {
	b.Helper()
	for i := range got {
		if got[i].Error == "" {
			b.Errorf("attempt %d does not say what went wrong", i)
		}
		b.silent(got[i].Error)
		got[i].Error = ""
		if i < len(want) && want[i].WaitMS == 0 {
			got[i].WaitMS = 0
		}
	}
	b.equal("the attempts", want, got)
}

// heard is the text that the deltas made.
func (b *bench) heard() string {
	var s strings.Builder
	for _, d := range b.deltas {
		if d.Reset {
			s.Reset()
		}
		io.WriteString(&s, d.Text)
	}
	return s.String()
}
