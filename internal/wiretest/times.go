package wiretest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing/synctest"
	"time"

	"github.com/spoorhq/spoor/model"
)

// times are about servers that take their time, and people who do not.
var times = list{
	{"a server that is silent for long is not asked for ever", func(b *bench) {
		b.serve(hangs())
		c := b.config()
		c.Silence = 0
		start := time.Now()
		e := b.fault(c, model.FaultSilent)
		b.equal("the attempts before the last", 1, len(e.Attempts))
		if took := time.Since(start); took < 10*time.Minute || took > 11*time.Minute {
			b.Errorf("it was given up after %v", took)
		}
	}},
	{"a server that does not answer is silent", func(b *bench) {
		b.serve(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		b.quiet()
	}},
	{"a stream that does not begin is silent", func(b *bench) {
		b.serve(hangs())
		b.quiet()
	}},
	{"a stream that stops is silent", func(b *bench) {
		b.serve(hangs(b.begun(Answer{Model: name, Text: []string{"Port", " 2"}})...))
		b.quiet()
		b.equal("the deltas", "Port 2", b.heard())
	}},
	{"a refusal that does not end is a refusal", func(b *bench) {
		b.serve(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			hangs("oh")(w, r)
		})
		c := b.config()
		c.Retries = -1
		b.fault(c, model.FaultServer)
	}},
	{"a silent server is asked again", func(b *bench) {
		b.serve(hangs(b.begun(Answer{Model: name, Text: []string{"Port", " 2"}})...), b.hello())
		r := b.answer(b.config(), long())
		b.attempts(r.Attempts, model.Attempt{Fault: model.FaultSilent})
		b.equal("the deltas", "Hello!", b.heard())
	}},
	{"a server that is slow is not silent", func(b *bench) {
		a := Answer{Model: name, Thinking: "Which?", Text: []string{"Port", " 2"}, Calls: []Call{{"call_1", "look", big}}}
		b.serve(func(w http.ResponseWriter, r *http.Request) {
			events := append([]string{b.Ping(), b.Ping(), b.Ping()}, b.Stream(a)...)
			for _, e := range events {
				pass(r, 50*time.Second)
				send(w, e)
			}
		})
		r := b.answer(b.config(), &model.Request{Parts: []model.Part{user("Hello")}, Tools: tools("look")})
		b.equal("the parts", []string{"thinking Which?", "text Port 2", "call look " + big}, brief(r))
		b.equal("the attempts", 0, len(r.Attempts))
	}},
	{"an answer whose connection stays open after its end is not waited for", func(b *bench) {
		a := Answer{Model: name, Text: []string{"Port", " 2"}, Calls: []Call{{"call_1", "look", big}}}
		b.serve(hangs(b.Stream(a)...))
		start := time.Now()
		r := b.answer(b.config(), &model.Request{Parts: []model.Part{user("Hello")}, Tools: tools("look")})
		b.equal("the parts", []string{"text Port 2", "call look " + big}, brief(r))
		b.equal("the time it took", time.Duration(0), time.Since(start))
	}},
	{"an answer without an end is given up", func(b *bench) {
		b.serve(func(w http.ResponseWriter, r *http.Request) {
			send(w, b.begun(Answer{Model: name, Text: []string{"Port", " 2"}})...)
			for r.Context().Err() == nil {
				pass(r, 50*time.Second)
				send(w, b.Ping())
			}
		})
		c := b.config()
		c.Retries = -1
		start := time.Now()
		b.fault(c, model.FaultBroken)
		b.equal("the time it took", 30*time.Minute, time.Since(start))
	}},
	{"who stops in the middle of an answer waits no longer", func(b *bench) {
		b.serve(hangs(b.begun(Answer{Model: name, Text: []string{"Port", " 2"}})...))
		b.stops()
	}},
	{"who stops before the answer begins waits no longer", func(b *bench) {
		b.serve(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		b.stops()
	}},
	{"who stops between two attempts waits no longer", func(b *bench) {
		b.serve(b.refuses(model.FaultRateLimit, "slower", "Retry-After", "50"))
		b.stops()
		b.equal("the requests", 1, b.asked())
	}},
	{"who stops between two attempts is told of the first", func(b *bench) {
		b.serve(b.refuses(model.FaultOverloaded, "so busy", "Retry-After", "50"))
		b.recalls(20*time.Second, 20_000)
	}},
	{"who stops in the second attempt is told of the first", func(b *bench) {
		b.serve(b.refuses(model.FaultOverloaded, "so busy", "Retry-After", "15"), hangs(b.begun(Answer{Model: name, Text: []string{"Port", " 2"}})...))
		b.recalls(20*time.Second, 15_000)
	}},
	{"who has stopped asks nothing", func(b *bench) {
		b.serve(b.hello())
		ctx, cancel := context.WithCancel(b.Context())
		cancel()
		_, err := b.ask(ctx, b.Open(b.config()), long())
		if !errors.Is(err, context.Canceled) {
			b.Errorf("the error is %v", err)
		}
		b.equal("the deltas", 0, len(b.deltas))
	}},
	{"a deadline ends a call", func(b *bench) {
		b.serve(hangs())
		ctx, cancel := context.WithTimeout(b.Context(), 10*time.Second)
		defer cancel()
		start := time.Now()
		_, err := b.ask(ctx, b.Open(b.config()), long())
		if !errors.Is(err, context.DeadlineExceeded) {
			b.Errorf("the error is %v", err)
		}
		b.equal("the time it took", 10*time.Second, time.Since(start))
	}},
}

// pass lets time pass, as long as somebody waits.
func pass(r *http.Request, d time.Duration) {
	select {
	case <-r.Context().Done():
	case <-time.After(d):
	}
}

// quiet holds that the server is found silent as soon as it is.
func (b *bench) quiet() {
	b.Helper()
	c := b.config()
	c.Silence, c.Retries = 7*time.Second, -1
	start := time.Now()
	b.fault(c, model.FaultSilent)
	b.equal("the time it took", 7*time.Second, time.Since(start))
}

// recalls holds that a call that is stopped after a time tells of the attempt
// that failed before.
func (b *bench) recalls(after time.Duration, waited int) {
	b.Helper()
	why := errors.New("enough")
	ctx, cancel := context.WithTimeoutCause(b.Context(), after, why)
	defer cancel()
	start := time.Now()
	_, err := b.ask(ctx, b.Open(b.config()), long())
	e, ok := errors.AsType[*model.Error](err)
	if !ok || !errors.Is(err, why) || !strings.Contains(e.Message, "so busy") {
		b.Fatalf("the error is %v", err)
	}
	b.equal("the time it took", after, time.Since(start))
	status, _ := b.Refusal(model.FaultOverloaded, "")
	b.attempts(e.Attempts, model.Attempt{Fault: model.FaultOverloaded, Status: status, WaitMS: waited})
	b.equal("the wire", sent(b.bodies[0]), e.Wire)
}

// stops holds that a call ends at once, with the reason for it, when all else
// waits.
func (b *bench) stops() {
	b.Helper()
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(b.Context())
	done := make(chan error)
	start := time.Now()
	go func() {
		_, err := b.ask(ctx, b.Open(b.config()), long())
		done <- err
	}()
	synctest.Wait()
	cancel(why)
	if err := <-done; !errors.Is(err, why) {
		b.Errorf("the error is %v; want that of the context", err)
	}
	b.equal("the time it took", time.Duration(0), time.Since(start))
}
