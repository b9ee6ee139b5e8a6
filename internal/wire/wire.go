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
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spoorhq/spoor/model"
)

// A Client makes model calls to one server.
type Client struct {
	Base    string       // the address of the server
	Name    string       // of the model
	KeyFrom string       // the environment variable that a person sets the key in
	Secret  string       // the key; empty if none is sent
	HTTP    *http.Client // if nil, http.DefaultClient

	// Silence is how long the server may say nothing. If zero, it is five
	// minutes: a model may think long before its first word.
	Silence time.Duration

	// Retries is how many attempts may follow a first one that failed in
	// passing. If zero, it is 3; if negative, there are none.
	Retries int
}

const (
	longest  = 30 * time.Minute // of one attempt
	patience = 10 * time.Minute // after which no further attempt begins
	maxReply = 64 << 20         // bytes of one answer
	maxWait  = time.Minute      // between attempts; a server that wants more is not waited for
)

// A Try is one attempt: it sends the request through the client that it is
// given, and brings the whole reply.
type Try func(ctx context.Context, client *http.Client, emit func(model.Delta)) (model.Reply, error)

// Do makes attempts until one brings a reply or it is not worth another one.
// The error is a *model.Error, or that of ctx.
func (c *Client) Do(ctx context.Context, emit func(model.Delta), try Try) (model.Reply, error) {
	retries := c.Retries
	if retries == 0 {
		retries = 3
	}
	var attempts []model.Attempt
	start := time.Now()
	for {
		begun := false
		a := &attempt{client: c}
		reply, err := a.make(ctx, func(d model.Delta) { begun = true; emit(d) }, try)
		if ctx.Err() != nil {
			return model.Reply{}, context.Cause(ctx)
		}
		if err == nil {
			reply.Wire, reply.Attempts = a.wire, attempts
			c.clean(&reply)
			return reply, nil
		}
		fault := c.fault(a, err)
		wait, worth := a.wait(len(attempts))
		if !fault.Fault.Passing() || !worth || len(attempts) >= retries || time.Since(start)+wait >= patience {
			fault.Wire, fault.Attempts = a.wire, attempts
			return model.Reply{}, fault
		}
		attempts = append(attempts, model.Attempt{Fault: fault.Fault, Status: fault.Status, Error: fault.Message, WaitMS: int(wait.Milliseconds())})
		if begun {
			emit(model.Delta{Reset: true})
		}
		select {
		case <-ctx.Done():
			return model.Reply{}, context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

// An attempt is one exchange with the server. It is its own http.RoundTripper.
type attempt struct {
	client *Client
	cancel context.CancelCauseFunc
	wire   model.Wire
	header http.Header  // of the answer; nil if none came
	fault  *model.Error // what the status of the answer says
	timer  *time.Timer
}

var (
	errSilent = errors.New("it fell silent")
	errLong   = fmt.Errorf("it took more than %v", longest)
	errLarge  = fmt.Errorf("it is larger than %d MiB", maxReply>>20)
)

func (a *attempt) make(ctx context.Context, emit func(model.Delta), try Try) (reply model.Reply, err error) {
	ctx, a.cancel = context.WithCancelCause(ctx)
	defer a.cancel(nil)
	end := time.AfterFunc(longest, func() { a.cancel(errLong) })
	defer end.Stop()
	a.timer = time.AfterFunc(a.silence(), func() { a.cancel(errSilent) })
	defer a.timer.Stop()

	client := http.Client{}
	if a.client.HTTP != nil {
		client = *a.client.HTTP
	}
	client.Transport = roundTripper{a, cmp.Or(client.Transport, http.DefaultTransport)}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	reply, err = try(ctx, &client, emit)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	return reply, err
}

func (a *attempt) silence() time.Duration { return cmp.Or(a.client.Silence, 5*time.Minute) }

type roundTripper struct {
	*attempt
	next http.RoundTripper
}

// RoundTrip sends a request and names its bytes. An answer that is not 200 is
// an error.
func (t roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		body, err := io.ReadAll(req.Body)
		req.Body.Close()
		if err != nil {
			return nil, err
		}
		t.wire = model.Wire{SHA256: model.Sum(string(body)).String(), Bytes: len(body)}
		req = req.Clone(req.Context())
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	}
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	t.header = resp.Header
	resp.Body = &bounded{resp.Body, t.attempt, maxReply}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		said, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
		t.fault = t.client.refused(resp, string(said))
		return nil, t.fault
	}
	switch kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind {
	case "text/html":
		resp.Body.Close()
		return nil, Broken("it is a page of HTML; see whether the address is right, with its /v1")
	case "application/json": // not a stream: an error that is called a success, or a whole reply
		said, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return nil, err
		}
		var failed struct{ Error json.RawMessage }
		if json.Unmarshal(said, &failed) == nil && len(failed.Error) > 0 && string(failed.Error) != "null" {
			return nil, &Said{string(said)}
		}
		resp.Body = io.NopCloser(bytes.NewReader(said))
	}
	return resp, nil
}

// bounded is the body of an answer: each read shows that the server is there,
// and too much is an error.
type bounded struct {
	io.ReadCloser
	attempt *attempt
	left    int
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.attempt.timer.Reset(b.attempt.silence())
	}
	if b.left -= n; b.left < 0 {
		b.attempt.cancel(errLarge)
		return 0, errLarge
	}
	return n, err
}

// wait is how long to wait before the next attempt, as the server asks or
// else twice as long each time; worth is false if the server asks for no more,
// or for more patience than there is.
func (a *attempt) wait(failed int) (d time.Duration, worth bool) {
	switch a.header.Get("X-Should-Retry") {
	case "false":
		return 0, false
	}
	if d, ok := asked(a.header, time.Now()); ok {
		return d, d <= maxWait
	}
	d = 500 * time.Millisecond << min(failed, 4)
	return d - rand.N(d/4), true
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

// number is a number of units, or longer than anybody waits.
func number(s string, unit time.Duration) (time.Duration, bool) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || !(f >= 0) {
		return 0, false
	}
	return time.Duration(min(f*float64(unit), float64(longest))), true
}

// clean takes the key out of a reply, should the server have said it.
func (c *Client) clean(r *model.Reply) {
	r.Model = c.hide(r.Model)
	for i := range r.Parts {
		p := &r.Parts[i]
		p.Tool, p.Provider = c.hide(p.Tool), c.hide(p.Provider)
		if data := c.hide(p.Data); data != p.Data {
			p.Data, p.Piece = data, model.Sum(data)
		}
	}
}

// hide takes the key out of a text.
func (c *Client) hide(s string) string {
	if len(c.Secret) < 8 { // a word, of a server that wants none
		return s
	}
	return strings.ReplaceAll(s, c.Secret, "[key]")
}

// address is the server as people name it: without a password.
func (c *Client) address() string {
	if u, err := url.Parse(c.Base); err == nil && u.Host != "" {
		return u.Redacted()
	}
	return c.Base
}
