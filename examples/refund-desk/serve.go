package refunddesk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/spoorhq/spoor/tool"
)

// changes says of the tools that change something how they do; the others read.
var changes = map[string]mcp.ToolAnnotations{
	"issue_refund":    {DestructiveHint: new(true), IdempotentHint: true}, // the money is gone; a second call is refused
	"hold_order":      {DestructiveHint: new(false), IdempotentHint: true},
	"open_case":       {DestructiveHint: new(false)},
	"record_feedback": {DestructiveHint: new(false)},
}

// Serve is an MCP server with the Desk's tools over two streams, a JSON-RPC
// message a line. It returns nil once all calls that in had when it ended are
// answered, or once ctx is done; then one goroutine may wait in in.Read until
// that returns. It closes neither stream. What a client sends that is no
// JSON-RPC is an error, and the end.
func (d *Desk) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	s := mcp.NewServer(&mcp.Implementation{Name: "refund-desk", Version: "1"},
		&mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}})
	for _, t := range d.Tools() {
		hints, changing := changes[t.Name]
		if !changing {
			hints = mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true}
		}
		hints.OpenWorldHint = new(false)
		// not the typed mcp.AddTool, which reads arguments as float64 and so
		// turns order 9007199254740993 into another
		s.AddTool(&mcp.Tool{
			Name: t.Name, Description: t.Description, Annotations: &hints,
			InputSchema: json.RawMessage(t.Schema), OutputSchema: json.RawMessage(t.Output),
		}, handler(t))
	}
	err := s.Run(ctx, patient{&mcp.IOTransport{Reader: io.NopCloser(in), Writer: unclosed{out}}})
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("refund desk: mcp: %w", err)
	}
	return nil
}

func handler(t tool.Tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		r, err := t.Call(ctx, cmp.Or(string(req.Params.Arguments), "{}"))
		if err == nil {
			return &mcp.CallToolResult{
				Content: []mcp.Content{&mcp.TextContent{Text: r.Text}}, StructuredContent: json.RawMessage(r.Text),
			}, nil
		}
		text := err.Error()
		if _, bad := errors.AsType[*tool.ArgumentError](err); bad {
			text += "; the inputSchema of " + t.Name + " says what it takes: " + t.Schema
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: true}, nil
	}
}

type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// A patient transport tells of the end of its input only when all calls are
// answered, for at that end the SDK drops the answers that are still to come.
type patient struct{ mcp.Transport }

func (p patient) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := p.Transport.Connect(ctx)
	return &patientConn{Connection: c, idle: make(chan struct{}, 1), closed: make(chan struct{})}, err
}

type patientConn struct {
	mcp.Connection
	open   atomic.Int64  // calls without an answer
	idle   chan struct{} // told when open falls to 0
	closed chan struct{}
	once   sync.Once
}

func (c *patientConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
		c.open.Add(1)
	}
	for err != nil && c.open.Load() > 0 {
		select {
		case <-c.idle:
		case <-c.closed:
			return m, err
		}
	}
	return m, err
}

func (c *patientConn) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if _, ok := m.(*jsonrpc.Response); ok && c.open.Add(-1) == 0 {
		select {
		case c.idle <- struct{}{}:
		default: // it is told already
		}
	}
	return err
}

func (c *patientConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Connection.Close()
}
