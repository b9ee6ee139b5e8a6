// Package wire is what the adapters to model servers share: it sends a request
// over HTTP, names the bytes that were sent, tries again where that may help,
// and makes one kind of error of all that can go wrong.
//
// Nothing that a server says is trusted: its answers are bounded in size and
// time, it is not followed to another address, and the key is taken out of
// whatever it says.
package wire

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spoorhq/spoor/internal/secret"
	"github.com/spoorhq/spoor/model"
)

// A Client makes model calls to one server.
type Client struct {
	Base        string // the address of the server, with what stands before the path of a call
	Own         bool   // it is the vendor's own, which wants a key
	Vendor      string // whose interface it is, such as OpenAI
	Name        string // of the model
	KeyFrom     string // the environment variable that a person sets the key in
	AddressFrom string // the environment variable that a person sets the address in
	Secret      string // the key; empty if none is sent

	HTTP *http.Client // if nil, http.DefaultClient; it follows no redirects

	// Silence is how long the server may say nothing. If zero, it is five
	// minutes: a model may think long before its first word.
	Silence time.Duration

	// Retries is how many attempts may follow a first one that failed in
	// passing. If zero, it is 3; if negative, there are none.
	Retries int
}

// A Call is one model call.
type Call struct {
	Path   string      // below the address, such as /chat/completions
	Header http.Header // besides Content-Type and Accept
	Body   []byte      // JSON; the same for each attempt

	// Read reads one whole reply.
	Read func(*Answer) (model.Reply, error)
}

const (
	longest  = 30 * time.Minute // of one attempt
	patience = 10 * time.Minute // after which no further attempt begins
	maxReply = 64 << 20         // bytes of one answer
	maxWait  = time.Minute      // between attempts; a server that wants more is not waited for
	epilogue = 5 * time.Second  // for what a server says after a whole answer
)

// Do makes attempts until one brings a reply or it is not worth another one.
// The error is a *model.Error; it has a Cause if ctx is done.
func (c *Client) Do(ctx context.Context, emit func(model.Delta), call Call) (model.Reply, error) {
	if err := c.Check(); err != nil {
		return model.Reply{}, err
	}
	retries := c.Retries
	if retries == 0 {
		retries = 3
	}
	start, sent := time.Now(), model.Wire{}
	var attempts []model.Attempt
	fail := func(e *model.Error) (model.Reply, error) {
		e.Message, e.Wire, e.Attempts = c.hider().Text(e.Message), sent, attempts
		return model.Reply{}, e
	}
	for {
		if ctx.Err() != nil {
			return fail(c.stopped(ctx, attempts))
		}
		begun := false
		a := &attempt{Client: c}
		reply, err := a.make(ctx, func(text string) { begun = true; emit(model.Delta{Text: text}) }, call)
		if a.sent.Load() {
			sent = model.Wire{SHA256: model.Sum(string(call.Body)).String(), Bytes: len(call.Body)}
		}
		if err == nil {
			reply.Wire, reply.Attempts = sent, attempts
			c.clean(&reply)
			return reply, nil
		}
		fault := a.fault(err)
		if ctx.Err() != nil && !a.own(err) {
			return fail(c.stopped(ctx, attempts))
		}
		wait, worth := a.wait(len(attempts))
		if ctx.Err() == nil && (!fault.Fault.Passing() || !worth || len(attempts) >= retries || time.Since(start)+wait >= patience) {
			if wait > maxWait {
				fault.Message += "; it asks to wait for " + span(wait)
			}
			return fail(fault)
		}
		if begun && ctx.Err() == nil {
			emit(model.Delta{Reset: true})
		}
		waiting := time.Now()
		select {
		case <-ctx.Done():
			wait = time.Since(waiting)
		case <-time.After(wait):
		}
		attempts = append(attempts, model.Attempt{Fault: fault.Fault, Status: fault.Status, Error: c.hider().Text(fault.Message), WaitMS: int(wait.Milliseconds())})
	}
}

// stopped is the error of a call whose ctx is done.
func (c *Client) stopped(ctx context.Context, attempts []model.Attempt) *model.Error {
	e := &model.Error{Cause: context.Cause(ctx), Message: "the call was stopped"}
	switch {
	case errors.Is(e.Cause, context.DeadlineExceeded):
		e.Message = "the time for the call is over"
	case !errors.Is(e.Cause, context.Canceled):
		e.Message += ": " + c.line(e.Cause.Error())
	}
	if n := len(attempts); n > 0 {
		e.Message += "; before that, " + attempts[n-1].Error
	}
	return e
}

// An attempt is one exchange with the server.
type attempt struct {
	*Client
	cancel  context.CancelCauseFunc
	cause   error       // why it was broken off, if it was
	sent    atomic.Bool // the server has the request
	header  http.Header // of the answer; nil if none came
	refusal *model.Error
	timer   *time.Timer // of silence
	cut     error       // what ended the body of the answer before its end
}

var (
	errSilent = errors.New("it fell silent")
	errLong   = fmt.Errorf("it took more than %s", span(longest))
	errLarge  = fmt.Errorf("it is larger than %d MiB", maxReply>>20)
)

func (a *attempt) make(ctx context.Context, emit func(string), call Call) (reply model.Reply, err error) {
	ctx, a.cancel = context.WithCancelCause(ctx)
	defer a.cancel(nil)
	end := time.AfterFunc(longest, func() { a.cancel(errLong) })
	defer end.Stop()
	a.timer = time.AfterFunc(a.silence(), func() { a.cancel(errSilent) })
	defer a.timer.Stop()

	shown := a.hider().Stream(emit)
	reply, err = a.exchange(ctx, shown, call)
	if err == nil {
		shown.End()
		return reply, nil
	}
	a.cause = context.Cause(ctx)
	return reply, err
}

// exchange sends the request and reads the reply.
func (a *attempt) exchange(ctx context.Context, shown *secret.Stream, call Call) (model.Reply, error) {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(info httptrace.WroteRequestInfo) {
		if info.Err == nil {
			a.sent.Store(true)
		}
	}})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(a.Base, "/")+call.Path, bytes.NewReader(call.Body))
	if err != nil {
		return model.Reply{}, err
	}
	for name, values := range call.Header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream, application/json")
	client := *cmp.Or(a.HTTP, http.DefaultClient)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := client.Do(req)
	if err != nil {
		return model.Reply{}, err
	}
	defer resp.Body.Close()
	a.sent.Store(true)
	a.header = resp.Header
	answer, err := a.answer(resp, shown)
	if err != nil {
		return model.Reply{}, err
	}
	return call.Read(answer)
}

func (a *attempt) silence() time.Duration { return cmp.Or(a.Silence, 5*time.Minute) }

// own reports whether an attempt failed of its own, and not because nobody
// waits for it any more.
func (a *attempt) own(err error) bool {
	_, said := errors.AsType[*Said](err)
	_, broken := errors.AsType[*broken](err)
	return a.refusal != nil || said || broken || a.cause == errSilent || a.cause == errLong || a.cause == errLarge
}

// wait is how long to wait before the next attempt, as the server asks or
// else twice as long each time; worth is false if the server asks for no more,
// or for more patience than there is.
func (a *attempt) wait(failed int) (d time.Duration, worth bool) {
	if d, ok := asked(a.header, time.Now()); ok {
		return d, d <= maxWait && a.header.Get("X-Should-Retry") != "false"
	}
	d = 500 * time.Millisecond << min(failed, 4)
	return d - rand.N(d/4), a.header.Get("X-Should-Retry") != "false"
}

// asked is how long a server asks to wait.
func asked(h http.Header, now time.Time) (time.Duration, bool) {
	if d, ok := number(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d, true
	}
	after := h.Get("Retry-After")
	if d, ok := number(after, time.Second); ok {
		return d, true
	}
	if at, err := http.ParseTime(after); err == nil {
		return max(0, at.Sub(now)), true
	}
	return 0, false
}

// forever is longer than anybody waits.
const forever = 1000 * 24 * time.Hour

// number is a number of units.
func number(s string, unit time.Duration) (time.Duration, bool) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || !(f >= 0) {
		return 0, false
	}
	return time.Duration(min(f*float64(unit), float64(forever))), true
}

// span is a time as people say it.
func span(d time.Duration) string {
	return strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(d.String())
}

func (c *Client) hider() *secret.Hider {
	if len(c.Secret) < 20 && !strings.ContainsAny(c.Secret, "0123456789") {
		return nil // a word, such as ollama, for a server that takes any
	}
	return secret.New(secret.Value{Text: c.Secret, Shown: "[key]"})
}

// clean takes the key out of a reply, should the server have said it.
func (c *Client) clean(r *model.Reply) {
	h := c.hider()
	r.Model = h.Text(r.Model)
	for i := range r.Parts {
		p := &r.Parts[i]
		data := h.Text(p.Data)
		if p.Kind == model.Call {
			data = string(h.JSON([]byte(p.Data)))
		}
		tag := string(h.JSON([]byte(p.Provider)))
		if p.Kind == model.Thinking && (data != p.Data || tag != p.Provider) {
			tag = "" // a signature is of every word
		}
		p.Tool, p.Provider = h.Text(p.Tool), tag
		if data != p.Data {
			p.Data, p.Piece = data, model.Sum(data)
		}
	}
}
