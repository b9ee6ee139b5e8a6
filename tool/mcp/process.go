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
	cmd      *exec.Cmd
	in       io.WriteCloser
	hide     *hider
	patience time.Duration     // with a server that does not answer whether it knows the newest protocol
	prints   func(line string) // told the first line that is no message

	writes   chan write
	messages chan jsonrpc.Message // what it says
	unsaid   chan jsonrpc.Message // what it should have said

	ready   atomic.Bool // the handshake is over
	heard   atomic.Bool // it has sent a message
	changed atomic.Bool // its tools must be asked for

	stop chan struct{} // closed to end it
	once sync.Once     // for stop
	over chan struct{} // closed once it says nothing any more
	gone chan struct{} // closed once it, and all that was done for it, has ended

	mu      sync.Mutex
	fault   string // what it did that ended the session
	said    []byte // the last of its stderr
	skipped int    // lines that are no messages
	first   string // of them
}

type write struct {
	line []byte
	done chan error // with room for one
}

// launch starts the process of a server.
func launch(s *server) (*process, error) {
	out, stdout, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer stdout.Close()
	says, stderr, err := os.Pipe()
	if err != nil {
		out.Close()
		return nil, err
	}
	defer stderr.Close()
	p := &process{
		cmd: exec.Command(s.Command, s.Args...), hide: s.hide, patience: s.StartTimeout / 4,
		prints: func(line string) {
			s.prints.Do(func() {
				s.log.Warn("an MCP server prints lines that are no messages; they are skipped", "server", s.Name, "first", line)
			})
		},
		writes: make(chan write), messages: make(chan jsonrpc.Message), unsaid: make(chan jsonrpc.Message, 2),
		stop: make(chan struct{}), over: make(chan struct{}), gone: make(chan struct{}),
	}
	p.cmd.Dir, p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = s.Dir, environment(s.Env), stdout, stderr
	lead(p.cmd)
	if p.in, err = p.cmd.StdinPipe(); err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		out.Close()
		says.Close()
		return nil, err
	}
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
func (p *process) keep(out, says *os.File) {
	var all sync.WaitGroup
	all.Go(func() { p.listen(out) })
	all.Go(func() { p.overhear(says) })
	all.Go(p.speak)
	exited := make(chan struct{})
	go func() {
		p.cmd.Wait() // its state says how it ended
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
func (p *process) listen(out *os.File) {
	defer p.end()
	defer close(p.over)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		m, ok := p.message(lines.Bytes())
		switch {
		case m != nil:
			p.heard.Store(true)
			p.messages <- m
		case !ok && len(bytes.TrimSpace(lines.Bytes())) > 0:
			p.skip(lines.Text())
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		p.mu.Lock()
		p.fault = "it sent a line of more than 16 MiB"
		p.mu.Unlock()
		out.Close() // so that it does not wait for a reader
	}
}

// overhear keeps the last that the process says on stderr.
func (p *process) overhear(says *os.File) {
	some := make([]byte, maxSaid)
	for {
		n, err := says.Read(some)
		p.mu.Lock()
		p.said = append(p.said, some[:n]...)
		p.said = p.said[max(0, len(p.said)-maxSaid):]
		p.mu.Unlock()
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
		case w := <-p.writes:
			_, err := p.in.Write(w.line)
			w.done <- err
		case <-p.over:
			return
		}
	}
}

// fate says how a process ended that is gone.
func (p *process) fate() string {
	if p.fault != "" {
		return p.fault
	}
	return p.cmd.ProcessState.String()
}

// traces is what it left to read, as the end of a sentence.
func (p *process) traces() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	said, s := string(p.said), ""
	if len(said) == maxSaid {
		_, said, _ = strings.Cut(said, "\n") // half a line may hold half a secret
	}
	if words := words(p.hide.text(said)); words != "" {
		s = fmt.Sprintf("; its stderr ends with %q", words)
	}
	if p.skipped > 0 {
		s += fmt.Sprintf("; it printed lines that are no messages: %d, the first %q", p.skipped, p.first)
	}
	return s
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
	case m := <-p.unsaid:
		return m, nil
	case <-p.over:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *process) Write(ctx context.Context, m jsonrpc.Message) error {
	if r, ok := m.(*jsonrpc.Request); ok && r.Method == "server/discover" {
		// Servers older than this question should answer that they do not know
		// it. Some say nothing.
		time.AfterFunc(p.patience, func() {
			p.unsaid <- &jsonrpc.Response{ID: r.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "no answer"}}
		})
	}
	line, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	w := write{append(line, '\n'), make(chan error, 1)}
	select {
	case p.writes <- w:
	case <-p.over:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-w.done:
		return err
	case <-p.over:
		return io.ErrClosedPipe
	case <-ctx.Done(): // it is written all the same
		return ctx.Err()
	}
}

// message reads one line; ok says that it is a message. Notifications are not
// for the SDK, which may be made to panic by one. Once the handshake is over, an
// answer is passed on as it stands, for the types of the SDK lose digits and the
// order of keys, and refuse a result for one block of it.
func (p *process) message(line []byte) (_ jsonrpc.Message, ok bool) {
	line = p.hide.json(bytes.ToValidUTF8(line, []byte("\uFFFD")))
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
	if err != nil || m.Method == nil && !id.IsValid() {
		return nil, false
	}
	if m.Method != nil && id.IsValid() {
		return &jsonrpc.Request{ID: id, Method: *m.Method, Params: m.Params}, true
	}
	if m.Method != nil {
		if *m.Method == "notifications/tools/list_changed" {
			p.changed.Store(true) // before an answer that follows it is read
		}
		return nil, true
	}
	answer := &jsonrpc.Response{ID: id, Result: m.Result}
	if refused := refusal(m.Error); refused != nil {
		answer.Error = refused
	} else if m.Result == nil {
		return nil, false
	}
	if p.ready.Load() {
		answer = &jsonrpc.Response{ID: id, Result: wrap(line)}
	}
	return answer, true
}

// skip notes a line that is no message.
func (p *process) skip(line string) {
	line = cut(printable(p.hide.text(line)), 200)
	p.mu.Lock()
	p.skipped++
	if p.skipped == 1 {
		p.first = line
	}
	p.mu.Unlock()
	p.prints(line)
}
