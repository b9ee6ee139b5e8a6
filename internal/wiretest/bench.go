package wiretest

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spoorhq/spoor/model"
)

const (
	key  = "Zk-test/0123456789+abcdef" // no text of the tests ends as one of its forms begins
	name = "m-1"
	host = "model.test"
)

// A bench is one test: a server at host, and what it was asked.
type bench struct {
	*testing.T
	*Suite

	network *network
	mu      sync.Mutex
	bodies  []string      // of the requests, in order
	headers []http.Header // of the requests, in order
	deltas  []model.Delta // of all calls
}

// test runs a test in its bubble.
func (s *Suite) test(t *testing.T, name string, f func(b *bench)) {
	t.Run(name, func(t *testing.T) {
		t.Setenv(s.KeyFrom, "")
		synctest.Test(t, func(t *testing.T) {
			b := &bench{T: t, Suite: s, network: &network{at: map[string]chan net.Conn{}, open: map[net.Conn]bool{}}}
			defer func() {
				if n := b.network.close(); n > 0 {
					b.Errorf("%d connections are left open", n)
				}
			}()
			f(b)
		})
	})
}

// serve answers the first request with the first of handlers, and so on; the
// last one answers all that come after it.
func (b *bench) serve(handlers ...http.HandlerFunc) {
	b.network.serve(host, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			b.Errorf("a request ends with %v", err)
		}
		b.mu.Lock()
		n := len(b.bodies)
		b.bodies, b.headers = append(b.bodies, string(body)), append(b.headers, r.Header)
		b.mu.Unlock()
		handlers[min(n, len(handlers)-1)](w, r)
	})
}

// config is what a model is told if a test has nothing else in mind.
func (b *bench) config() Config {
	return Config{Name: name, BaseURL: "http://" + host + "/v1", Key: key, HTTP: b.network.client(), Silence: time.Minute}
}

// call makes a model call, and keeps its deltas.
func (b *bench) call(c Config, parts ...model.Part) (model.Reply, error) {
	return b.ask(b.Context(), b.Open(c), &model.Request{Parts: parts})
}

func (b *bench) ask(ctx context.Context, m model.Model, req *model.Request) (model.Reply, error) {
	return m.Call(ctx, req, func(d model.Delta) { b.deltas = append(b.deltas, d) })
}

// answer makes a call that must bring a reply.
func (b *bench) answer(c Config, req *model.Request) model.Reply {
	b.Helper()
	reply, err := b.ask(b.Context(), b.Open(c), req)
	if err != nil {
		b.Fatalf("no reply: %v", err)
	}
	return reply
}

// fault makes a call that must fail with a *model.Error.
func (b *bench) fault(c Config, want model.Fault) *model.Error {
	b.Helper()
	reply, err := b.call(c, user("Hello"))
	e, ok := errors.AsType[*model.Error](err)
	switch {
	case err == nil:
		b.Fatalf("a reply: %+v; want the fault %s", reply, want)
	case !ok:
		b.Fatalf("the error %v is a %T; want a *model.Error", err, err)
	case e.Fault != want:
		b.Fatalf("the fault is %s; want %s: %v", e.Fault, want, e)
	case e.Message == "" || strings.ContainsAny(e.Message, "\n\r"):
		b.Errorf("the message is not one sentence: %q", e.Message)
	}
	b.silent(e.Message)
	for _, a := range e.Attempts {
		b.silent(a.Error)
	}
	return e
}

// silent holds that a text does not have the key, in whatever form.
func (b *bench) silent(text string) {
	b.Helper()
	read := strings.ReplaceAll(text, `\/`, "/")
	if n, err := url.PathUnescape(text); err == nil {
		read += " " + n
	}
	for i, c := range key { // an escape for any character
		read = strings.ReplaceAll(read, fmt.Sprintf(`\u%04x`, c), key[i:i+1])
	}
	for _, form := range []string{key, base64.StdEncoding.EncodeToString([]byte(key)), base64.RawURLEncoding.EncodeToString([]byte(key))} {
		if strings.Contains(text, form) || strings.Contains(read, form) {
			b.Errorf("the key is in %q", text)
		}
	}
}

// seen is what a request said, from 0.
func (b *bench) seen(n int) Seen {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if n >= len(b.bodies) {
		b.Fatalf("the server was asked %d times", len(b.bodies))
	}
	s, err := b.Read([]byte(b.bodies[n]))
	if err != nil {
		b.Fatalf("the provider would refuse the request: %v\n%s", err, b.bodies[n])
	}
	for i := range s.Messages {
		s.Messages[i].join()
	}
	return s
}

// asked is how often the server was asked.
func (b *bench) asked() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.bodies)
}

// says answers with a whole stream.
func (b *bench) says(a Answer) http.HandlerFunc {
	events := b.Stream(a)
	return func(w http.ResponseWriter, _ *http.Request) { send(w, events...) }
}

// sent is what an adapter says of the bytes that it sent.
func sent(body string) model.Wire {
	return model.Wire{SHA256: model.Sum(body).String(), Bytes: len(body)}
}

// hello is a short answer that is whole.
func (b *bench) hello() http.HandlerFunc {
	return b.says(Answer{Model: name, Text: []string{"Hello", "!"}})
}

// begun is an answer up to and with the last bit of its text.
func (b *bench) begun(a Answer) []string {
	events, last := b.Stream(a), a.Text[len(a.Text)-1]
	for i := range slices.Backward(events) {
		if strings.Contains(events[i], last) {
			return events[:i+1]
		}
	}
	b.Fatalf("no event has the text %q", last)
	return nil
}

// refuses answers with an error. Headers are pairs of a name and a value.
func (b *bench) refuses(fault model.Fault, message string, headers ...string) http.HandlerFunc {
	status, body := b.Refusal(fault, message)
	return writes(status, "application/json", body, headers...)
}

func writes(status int, media, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", media)
		for h := range slices.Chunk(headers, 2) {
			w.Header().Set(h[0], h[1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// send writes events of a stream, one by one.
func send(w http.ResponseWriter, events ...string) {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "text/event-stream")
	}
	out := http.NewResponseController(w)
	out.Flush()
	for _, e := range events {
		io.WriteString(w, e)
		out.Flush()
	}
}

// breaks answers with the beginning of a stream, and breaks the connection.
func breaks(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		send(w, events...)
		panic(http.ErrAbortHandler)
	}
}

// hangs answers with the beginning of a stream, and no more.
func hangs(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		send(w, events...)
		<-r.Context().Done()
	}
}

// A network is hosts in memory.
type network struct {
	mu      sync.Mutex
	at      map[string]chan net.Conn
	servers []*http.Server
	clients []*http.Transport
	open    map[net.Conn]bool
}

func (n *network) serve(host string, h http.HandlerFunc) {
	l := listener{make(chan net.Conn), make(chan struct{}), new(sync.Once)}
	s := &http.Server{Handler: h, ConnState: func(c net.Conn, state http.ConnState) {
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.open[c] = true; state == http.StateClosed || state == http.StateHijacked {
			delete(n.open, c)
		}
	}}
	n.mu.Lock()
	n.at[host], n.servers = l.conns, append(n.servers, s)
	n.mu.Unlock()
	go s.Serve(l)
}

// client reaches the hosts of a network. Any other one refuses connections.
func (n *network) client() *http.Client {
	t := &http.Transport{DialContext: func(ctx context.Context, _, addr string) (net.Conn, error) {
		name, _, _ := net.SplitHostPort(addr)
		n.mu.Lock()
		conns := n.at[name]
		n.mu.Unlock()
		if conns == nil {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
		}
		here, there := net.Pipe()
		select {
		case conns <- there:
			return here, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
	n.mu.Lock()
	n.clients = append(n.clients, t)
	n.mu.Unlock()
	return &http.Client{Transport: t}
}

// close ends all, and says how many connections were still in use.
func (n *network) close() int {
	for _, c := range n.clients {
		c.CloseIdleConnections()
	}
	synctest.Wait()
	n.mu.Lock()
	used := len(n.open)
	n.mu.Unlock()
	for _, s := range n.servers {
		s.Close()
	}
	return used
}

type listener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   *sync.Once
}

func (l listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l listener) Close() error   { l.once.Do(func() { close(l.closed) }); return nil }
func (l listener) Addr() net.Addr { return &net.TCPAddr{} }

// The parts of a request.

func system(text string) model.Part { return model.NewPart(model.System, model.Text, text) }
func user(text string) model.Part   { return model.NewPart(model.User, model.Text, text) }
func says(text string) model.Part   { return model.NewPart(model.Assistant, model.Text, text) }

func call(id, tool, args, provider string) model.Part {
	p := model.NewPart(model.Assistant, model.Call, args)
	p.Call, p.Tool, p.Provider = id, tool, provider
	return p
}

func result(id, tool, text string) model.Part {
	p := model.NewPart(model.Tool, model.Result, text)
	p.Call, p.Tool = id, tool
	return p
}

// content is an image or a document: of a result, or if id is empty of the person.
func content(id string, kind model.Kind, media, data string) model.Part {
	p := model.NewPart(model.Tool, kind, data)
	p.Call, p.Media = id, media
	if id == "" {
		p.Role = model.User
	}
	return p
}

// appended is a reply as spoor puts it into the next request: its calls have
// ids of spoor's own.
func appended(parts []model.Part, r model.Reply, ids ...string) []model.Part {
	for _, p := range r.Parts {
		if p.Kind == model.Call && len(ids) > 0 {
			p.Call, ids = ids[0], ids[1:]
		}
		parts = append(parts, p)
	}
	return parts
}
