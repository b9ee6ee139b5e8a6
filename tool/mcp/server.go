package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/spoorhq/spoor/internal/secret"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/tool"
)

const (
	maxTools       = 1000 // of one server, and pages of its list
	maxDescription = 16 << 10
	maxSchema      = 256 << 10
)

// A server is one that was declared. It runs in one session after another.
type server struct {
	Server
	log     *slog.Logger
	values  *secret.Hider   // of all its variables
	secrets *secret.Hider   // of those that are secret
	base    context.Context // done when it is closed
	all     sync.WaitGroup  // its starts and sessions
	prints  sync.Once       // the warning that it prints what is no message

	mu     sync.Mutex
	closed bool
	last   *attempt
	known  []tool.Tool
	warned map[string]bool
}

// An attempt to start a server. What it came to may be read once done is closed.
type attempt struct {
	done    chan struct{}
	session *session
	err     error
}

// A session is a process that answers, and our end of the talk with it.
type session struct {
	*sdk.ClientSession
	*process
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// session returns the session that lives, and starts one if there is none. A
// start goes on when ctx is done, for whoever asks next.
func (s *server) session(ctx context.Context) (*session, error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, s.isClosed()
	}
	a := s.last
	if a == nil || closed(a.done) && (a.err != nil || closed(a.session.over)) {
		a = &attempt{done: make(chan struct{})}
		s.last = a
		s.all.Go(func() {
			defer close(a.done)
			a.session, a.err = s.start()
		})
	}
	s.mu.Unlock()
	select {
	case <-a.done:
	case <-ctx.Done():
	}
	if !closed(a.done) {
		return nil, fmt.Errorf("the MCP server %q was not ready: %w", s.Name, ctx.Err())
	}
	return a.session, a.err
}

// soon is ctx until the time to start is over.
func (s *server) soon(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, s.StartTimeout, fmt.Errorf("it had %v", s.StartTimeout))
}

func (s *server) isClosed() error { return fmt.Errorf("the MCP server %q is closed", s.Name) }

// close waits until all that was started has ended, which the base told it.
func (s *server) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.all.Wait()
}

// start brings up a session and asks for its tools.
func (s *server) start() (*session, error) {
	ctx, cancel := s.soon(s.base)
	defer cancel()
	x, err := s.connect(ctx, "2025-11-25") // the last that begins with a handshake, which all but the newest servers know
	if _, refused := errors.AsType[*jsonrpc.Error](err); refused {
		if newest, sorry := s.connect(ctx, ""); sorry == nil {
			x, err = newest, nil
		}
	}
	if err != nil {
		return nil, err
	}
	s.all.Go(func() {
		select {
		case <-s.base.Done():
			x.end()
		case <-x.over:
		}
		<-x.gone
		x.ClientSession.Close()
	})
	if c := x.InitializeResult().Capabilities; c == nil || c.Tools == nil {
		err = fmt.Errorf("the MCP server %q offers no tools: take it away, or start it in a way that it does", s.Name)
	} else {
		err = s.list(ctx, x)
	}
	if err != nil {
		x.end()
		return nil, err
	}
	return x, nil
}

// connect starts a process and begins to talk with it. The error has the
// *jsonrpc.Error with which the process refused.
func (s *server) connect(ctx context.Context, version string) (*session, error) {
	p, err := launch(s)
	if err != nil {
		todo := "correct its command and its folder, or install it"
		if strings.Contains(strings.TrimSpace(s.Command), " ") {
			todo = "give its arguments apart, as args"
		}
		return nil, fmt.Errorf("the MCP server %q cannot be started: %w: %s", s.Name, err, todo)
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "spoor", Version: "1"}, &sdk.ClientOptions{
		Capabilities:   &sdk.ClientCapabilities{},
		MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true},
		// With a handler, the SDK asks to be told. What is told, the process sees first.
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {},
	})
	talk, err := client.Connect(ctx, p, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err == nil {
		p.ready.Store(true)
		return &session{talk, p}, nil
	}
	p.end()
	<-p.gone
	switch {
	case s.base.Err() != nil:
		err = s.isClosed()
	case ctx.Err() != nil:
		err = fmt.Errorf("the MCP server %q was not ready within %v%s: see whether %s speaks MCP over its standard input and output, and start it by hand once, so that what it fetches is there", s.Name, s.StartTimeout, p.traces(), s.line())
	case p.refused != nil:
		err = fmt.Errorf("the MCP server %q refused to begin: %w", s.Name, p.refused)
	case strings.HasPrefix(err.Error(), "unsupported protocol version"):
		err = fmt.Errorf("the MCP server %q speaks another protocol (%s): start another version of it", s.Name, cut(s.values.Text(err.Error()), 200))
	default:
		err = fmt.Errorf("the MCP server %q ended before it was ready%s: run %s by hand to see why", s.Name, p.fate(), s.line())
	}
	return nil, err
}

// line is the command with its arguments, as a shell takes them in most cases.
func (s *server) line() string {
	return cut(strings.Join(append([]string{s.Command}, s.Args...), " "), 200)
}

// tools returns the tools as they are now.
func (s *server) tools(ctx context.Context) ([]tool.Tool, error) {
	x, err := s.session(ctx)
	if err == nil && x.changed.Load() {
		within, cancel := s.soon(ctx)
		defer cancel()
		err = s.list(within, x)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, err
	case err != nil && s.base.Err() != nil:
		return nil, s.isClosed()
	case err != nil:
		s.log.Warn("the tools of an MCP server are those that it had before", "server", s.Name, "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known, nil
}

// list asks a session for its tools, and makes them the known ones. A change
// that the server tells meanwhile counts at the next time.
func (s *server) list(ctx context.Context, x *session) error {
	x.changed.Store(false)
	all, err := s.pages(ctx, x)
	if err != nil {
		x.changed.Store(true)
		return err
	}
	var tools []tool.Tool
	names := map[string]bool{}
	for i, raw := range all {
		t, wrong := s.offer(raw)
		if wrong == "" && names[t.Name] {
			wrong = "one before it has the same name"
		}
		if wrong != "" {
			s.warn("a tool of an MCP server is left out: "+wrong, "tool", cmp.Or(cut(t.Name, 200), fmt.Sprintf("the one at place %d", i+1)))
			continue
		}
		names[t.Name] = true
		tools = append(tools, t)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = tools
	return nil
}

// warn logs what is amiss with a list, once for all lists of the server.
func (s *server) warn(message string, attrs ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if key := fmt.Sprint(message, attrs); !s.warned[key] && len(s.warned) < 10*maxTools {
		s.warned[key] = true
		s.log.Warn(message, append([]any{"server", s.Name}, attrs...)...)
	}
}

// pages collects the list of tools as the server declares them.
func (s *server) pages(ctx context.Context, x *session) (all []json.RawMessage, err error) {
	var page struct {
		Tools      []json.RawMessage
		NextCursor string
	}
	for range maxTools {
		answer, err := x.ListTools(ctx, &sdk.ListToolsParams{Cursor: page.NextCursor})
		if err != nil {
			return nil, s.unanswered(ctx, x, "when it was asked for its tools")
		}
		raw, err := s.read(answer.Meta)
		if err != nil {
			return nil, fmt.Errorf("the MCP server %q does not list its tools: %w", s.Name, err)
		}
		page.Tools, page.NextCursor = nil, ""
		if json.Unmarshal(raw, &page) != nil {
			return nil, fmt.Errorf("the MCP server %q does not list its tools as MCP says: update it", s.Name)
		}
		if all = append(all, page.Tools...); len(all) > maxTools {
			return nil, fmt.Errorf("the MCP server %q has more than %d tools: start it in a way that it has fewer", s.Name, maxTools)
		}
		if page.NextCursor == "" {
			return all, nil
		}
	}
	return nil, fmt.Errorf("the MCP server %q lists its tools on more than %d pages: update it", s.Name, maxTools)
}

// offer makes a tool of one that the server lists, or says what is wrong with it.
func (s *server) offer(raw json.RawMessage) (t tool.Tool, wrong string) {
	var l struct {
		Name, Title, Description  string
		InputSchema, OutputSchema json.RawMessage
		Annotations               struct {
			Title                        string
			ReadOnlyHint, IdempotentHint bool
		}
		Execution struct{ TaskSupport string }
	}
	err := json.Unmarshal(raw, &l)
	t = tool.Tool{
		Name:        l.Name,
		Description: cut(s.secrets.Text(cmp.Or(l.Description, l.Title, l.Annotations.Title)), maxDescription),
		Schema:      object(s.secrets.JSON(l.InputSchema)), Output: object(s.secrets.JSON(l.OutputSchema)),
		Repeatable: l.Annotations.ReadOnlyHint || l.Annotations.IdempotentHint,
	}
	switch {
	case err != nil:
		return t, "it is not declared as MCP says"
	case l.Name == "":
		return t, "it has no name"
	case l.Execution.TaskSupport == "required":
		return t, "it can only be called as a task"
	case max(len(l.InputSchema), len(l.OutputSchema)) > maxSchema:
		return t, "a schema of it is longer than 256 KiB"
	}
	unchecked := func(what string, err error) {
		s.warn("the "+what+" of a tool of an MCP server are not checked", "tool", cut(t.Name, 200), "error", err)
	}
	promise := func(string) error { return nil }
	if !absent(l.OutputSchema) {
		if judge, err := tool.Validator(t.Output); err != nil {
			unchecked("results", err)
		} else {
			promise = judge
		}
	}
	t.Call = func(ctx context.Context, args string) (tool.Result, error) {
		return s.call(ctx, l.Name, args, promise)
	}
	if !absent(l.InputSchema) {
		if safe, err := tool.Checked(t); err != nil {
			unchecked("arguments", err)
		} else {
			t = safe
		}
	}
	return t, ""
}

// call calls a tool. What it promises of its results is judged by promise.
func (s *server) call(ctx context.Context, name, args string, promise func(string) error) (tool.Result, error) {
	if !json.Valid([]byte(args)) {
		return tool.Result{}, &tool.ArgumentError{Err: errors.New("they are not JSON")}
	}
	x, err := s.session(ctx)
	if err != nil {
		return tool.Result{}, err
	}
	answer, err := x.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: json.RawMessage(args)})
	if err != nil {
		return tool.Result{}, s.unanswered(ctx, x, "during the call, and nobody knows whether it was carried out")
	}
	raw, err := s.read(answer.Meta)
	if refused, ok := errors.AsType[*jsonrpc.Error](err); ok && refused.Code == jsonrpc.CodeInvalidParams {
		return tool.Result{}, &tool.ArgumentError{Err: err}
	}
	if err != nil {
		return tool.Result{}, fmt.Errorf("the MCP server %q refused the call: %w", s.Name, err)
	}
	r := result(raw, fmt.Sprintf("The MCP server %q answered %q", s.Name, name), promise)
	r.Text = s.hidden(r.Text)
	for i := range r.More {
		p := &r.More[i]
		p.Data = s.hidden(p.Data)
		p.Piece = model.Sum(p.Data)
	}
	return r, nil
}

// unanswered says why a request to a session has no answer; if ctx was not the
// reason, the session is over.
func (s *server) unanswered(ctx context.Context, x *session, when string) error {
	if ctx.Err() == nil {
		x.end()
		select {
		case <-x.gone:
			if s.base.Err() != nil {
				return fmt.Errorf("the MCP server %q was closed %s", s.Name, when)
			}
			return fmt.Errorf("the MCP server %q ended %s%s", s.Name, when, x.fate())
		case <-ctx.Done():
		}
	}
	return fmt.Errorf("the MCP server %q has not answered: %w", s.Name, context.Cause(ctx))
}
