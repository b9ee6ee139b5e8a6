package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxLine = 16 << 20
	maxSaid = 4 << 10         // of stderr
	grace   = 2 * time.Second // to end by itself, and then once more
)

// A process is a server that runs, as the transport and the connection that
// the SDK speaks through.
type process struct {
	*server
	cmd      *exec.Cmd
	in       io.WriteCloser
	writes   chan []byte
	messages chan jsonrpc.Message

	ready   atomic.Bool // the handshake is over
	changed atomic.Bool // its tools must be asked for

	stop chan struct{} // closed to end it
	once sync.Once     // for stop
	over chan struct{} // closed once it says nothing any more
	gone chan struct{} // closed once it, and all that was done for it, has ended

	// What it leaves; for others once it is gone.
	state   *os.ProcessState
	fault   string         // what it did that ended the session
	refused *jsonrpc.Error // why it did not begin one
	said    []byte         // the last of its stderr
}

// launch starts the process of a server.
func launch(s *server) (*process, error) {
	p := &process{
		server: s, cmd: exec.Command(s.Command, s.Args...),
		writes: make(chan []byte), messages: make(chan jsonrpc.Message),
		stop: make(chan struct{}), over: make(chan struct{}), gone: make(chan struct{}),
	}
	p.cmd.Dir, p.cmd.Env = s.Dir, environment(s.Env)
	lead(p.cmd)
	in, err1 := p.cmd.StdinPipe()
	out, err2 := p.cmd.StdoutPipe()
	says, err3 := p.cmd.StderrPipe()
	err := errors.Join(err1, err2, err3)
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	p.in = in
	go p.keep(out, says)
	return p, nil
}

// environment is what a server gets of ours, and its own.
func environment(own []Variable) []string {
	names := []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "TMPDIR", "TZ"}
	if runtime.GOOS == "windows" {
		names = append(names, "SYSTEMROOT", "APPDATA", "LOCALAPPDATA", "USERPROFILE", "TEMP", "TMP", "PATHEXT", "COMSPEC")
	}
	env := []string{} // nil would be all of ours
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	for _, v := range own {
		env = append(env, v.Name+"="+v.Value)
	}
	return env
}

// keep holds all that is done for the process, until it has ended.
func (p *process) keep(out, says io.ReadCloser) {
	var all sync.WaitGroup
	all.Go(func() { p.listen(out) })
	all.Go(func() { p.overhear(says) })
	all.Go(p.speak)
	exited := make(chan struct{})
	go func() {
		p.state, _ = p.cmd.Process.Wait() // the command's own Wait would close what is still read
		close(exited)
	}()
	select {
	case <-exited:
	case <-p.stop:
		p.in.Close()
		for _, signal := range []func(*exec.Cmd){terminate, kill} {
			select {
			case <-exited:
			case <-time.After(grace):
				signal(p.cmd)
			}
		}
		<-exited
	}
	kill(p.cmd) // what it leaves behind
	p.in.Close()
	escaped := time.AfterFunc(time.Second, func() {
		out.Close() // something that has left the group still holds it
		says.Close()
	})
	all.Wait()
	escaped.Stop()
	out.Close()
	says.Close()
	close(p.gone)
}

// end lets the process end; it does not wait for that.
func (p *process) end() { p.once.Do(func() { close(p.stop) }) }

// listen reads the messages of the process, one a line.
func (p *process) listen(out io.ReadCloser) {
	defer p.end()
	defer close(p.over)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		m, ok := p.message(lines.Bytes())
		switch {
		case m != nil:
			p.messages <- m
		case !ok && len(bytes.TrimSpace(lines.Bytes())) > 0:
			p.prints.Do(func() {
				line := cut(printable(p.values.Text(lines.Text())), 200)
				p.log.Warn("an MCP server prints lines that are no messages; they are skipped", "server", p.Name, "first", line)
			})
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		p.fault = "it sent a line of more than 16 MiB"
		out.Close() // so that it does not wait for a reader
	}
}

// overhear keeps the last that the process says on stderr.
func (p *process) overhear(says io.Reader) {
	some := make([]byte, maxSaid)
	for {
		n, err := says.Read(some)
		p.said = append(p.said, some[:n]...)
		p.said = p.said[max(0, len(p.said)-maxSaid):]
		if err != nil {
			return
		}
	}
}

// speak writes whole lines, so that a request that is given up never leaves
// half of one.
func (p *process) speak() {
	for {
		select {
		case line := <-p.writes:
			if _, err := p.in.Write(line); err != nil {
				p.end()
				return
			}
		case <-p.over:
			return
		}
	}
}

// fate says how a process ended that is gone, and what it left to read.
func (p *process) fate() string {
	how := p.fault
	if how == "" {
		how = p.state.String()
	}
	return " (" + how + ")" + p.traces()
}

func (p *process) traces() string {
	said := string(p.said)
	if len(said) == maxSaid {
		_, said, _ = strings.Cut(said, "\n") // half a line may hold half a secret
	}
	if said = ending(p.values.Text(said)); said == "" {
		return ""
	}
	return fmt.Sprintf("; its stderr ends with %q", said)
}

// Connect makes a process an sdk.Transport.
func (p *process) Connect(context.Context) (sdk.Connection, error) { return p, nil }

// SessionID is part of an sdk.Connection. A process needs none.
func (p *process) SessionID() string { return "" }

// Close lets the process end. The SDK holds a lock meanwhile, so nothing is
// waited for; Read says when it is over.
func (p *process) Close() error {
	p.end()
	return nil
}

func (p *process) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-p.messages:
		return m, nil
	case <-p.over:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write hands over a message. One that cannot be written ends the process.
func (p *process) Write(ctx context.Context, m jsonrpc.Message) error {
	line, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	select {
	case p.writes <- append(line, '\n'):
		return nil
	case <-p.over:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
}

// message reads one line; ok says that it is a message. Notifications are not
// for the SDK, which may be made to panic by one. Once the handshake is over, an
// answer is passed on as it stands, for the types of the SDK lose digits and the
// order of keys, and refuse a result for one block of it.
func (p *process) message(line []byte) (_ jsonrpc.Message, ok bool) {
	line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
	var m struct {
		JSONRPC       string
		ID            any
		Method        *string
		Params        json.RawMessage
		Result, Error json.RawMessage
	}
	if json.Unmarshal(line, &m) != nil || m.JSONRPC != "2.0" {
		return nil, false
	}
	id, err := jsonrpc.MakeID(m.ID)
	switch {
	case err != nil, m.Method == nil && (!id.IsValid() || m.Result == nil && absent(m.Error)):
		return nil, false
	case m.Method != nil && id.IsValid():
		return &jsonrpc.Request{ID: id, Method: *m.Method, Params: m.Params}, true
	case m.Method != nil:
		if *m.Method == "notifications/tools/list_changed" {
			p.changed.Store(true) // before an answer that follows it is read
		}
		return nil, true
	case p.ready.Load():
		return &jsonrpc.Response{ID: id, Result: wrap(line)}, true
	}
	answer := &jsonrpc.Response{ID: id, Result: m.Result}
	if p.refused = p.refusal(m.Error); p.refused != nil {
		answer.Error = p.refused
	}
	return answer, true
}
