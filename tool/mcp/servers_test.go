//go:build unix

package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor/tool"
	"github.com/spoorhq/spoor/tool/mcp"
)

// What a server lists becomes tools: schemas byte for byte, a title where there
// is no description, and unusable ones left out, with a warning each.
func TestTools(t *testing.T) {
	t.Parallel()
	s, log := open(t, fakeServer(t, "plain"))
	all := tools(t, s)
	echo := all["echo"]
	if echo.Description != "Echo" || !echo.Repeatable || all["typed"].Repeatable {
		t.Errorf("%+v", echo)
	}
	const schema = `{"type":"object","required":["n"],"properties":{"n":{"type":"integer","maximum":9007199254740995},"a":{}}}`
	if diff := cmp.Diff(schema, echo.Schema); diff != "" {
		t.Error(diff)
	}
	if got := all["typed"].Output; got != `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}` {
		t.Error(got)
	}
	if got := all["wordy"]; got.Schema != "" || len(got.Description) > 16<<10 || !strings.HasSuffix(got.Description, "é…") {
		t.Error(len(got.Description), got.Schema)
	}
	const warnings = `
level=WARN msg="a tool of an MCP server is left out: it has no name" server=ports tool="the one at place 3"
level=WARN msg="a tool of an MCP server is left out: one before it has the same name" server=ports tool=echo
level=WARN msg="the arguments of a tool of an MCP server are not checked" server=ports tool=foreign error="the schema refers to itself, or to what is not in it, or is too large"
level=WARN msg="the arguments of a tool of an MCP server are not checked" server=ports tool=endless error="the schema refers to itself, or to what is not in it, or is too large"
level=WARN msg="a tool of an MCP server is left out: it is not declared as MCP says" server=ports tool="the one at place 7"
level=WARN msg="a tool of an MCP server is left out: it can only be called as a task" server=ports tool=task
level=WARN msg="a tool of an MCP server is left out: a schema of it is longer than 256 KiB" server=ports tool=heavy
`
	if diff := cmp.Diff(strings.TrimPrefix(warnings, "\n"), log.String()); diff != "" {
		t.Error(diff)
	}
}

// A call says what the server said: results in every digit, and why there is none.
func TestCall(t *testing.T) {
	t.Parallel()
	ports := fakeServer(t, "plain")
	s, _ := open(t, ports)
	for _, test := range []struct{ tool, args, want string }{
		{"echo", `{"n": 9007199254740993, "a": {"z": 1.50, "a": 1E40}}`, `{"n":9007199254740993,"a":{"z":1.50,"a":1E40}}`},
		{"echo", `{"n": "x"}`, `error: the arguments are not what the tool takes: validating root: validating /properties/n: type: x has type "string", want "integer"`},
		{"echo", `{"n": 1`, `error: the arguments are not what the tool takes: unexpected end of JSON input`},
		{"foreign", `{"a": 1`, `error: the arguments are not what the tool takes: they are not JSON`},
		{"foreign", `{"a": 1}`, `{"a":1}`},
		{"endless", `{"a": 1}`, `{"a":1}`},
		{"structured", `{}`, `{"z":1.50,"id":9007199254740993,"a":[1e2]} + text  "It is a big one."`},
		{"typed", `{"n": 9007199254740993}`, `{"n":9007199254740993}`},
		{"typed", `{"m": 1}`, `invalid: The MCP server "ports" answered "typed" with a result that breaks the promise of its output schema: validating root: required: missing properties: ["n"]. + text  "{\"m\":1}"`},
		{"hostile", `{}`, `no`},
		{"input", `{}`, `invalid: The MCP server "ports" answered "input" with a result of type "input_required": it wants something that it cannot have here, and the call is not done.`},
		{"null", `{}`, `invalid: The MCP server "ports" answered "null" with something that is no result.`},
		{"bad", `{}`, `error: the arguments are not what the tool takes: n must be small`},
		{"broken", `{}`, `error: the MCP server "ports" refused the call: ` + strings.Repeat("x", 1997) + "…"},
		{"odd", `{}`, `error: the MCP server "ports" refused the call: {"code":"E_ODD","message":"odd"}`},
	} {
		if diff := cmp.Diff(test.want, call(t, s, test.tool, test.args)); diff != "" {
			t.Errorf("%s %s: %s", test.tool, test.args, diff)
		}
	}
	_, err := tools(t, s)["bad"].Call(context.Background(), `{}`)
	if _, ok := errors.AsType[*tool.ArgumentError](err); !ok {
		t.Errorf("%T", err)
	}
	if n := starts(t, ports); n != 1 {
		t.Errorf("it was started %d times", n)
	}
}

// A server may ask us for nothing but whether we are there, and nothing that it
// tells does harm.
func TestAskedBack(t *testing.T) {
	t.Parallel()
	s, log := open(t, fakeServer(t, "plain"))
	_ = log.String() // so far
	const want = `"elicitation/create" {"code":-32602,"message":"client does not support elicitation"}
"nothing" {"code":-32601,"message":"method not found: \"nothing\""}
"ping" 
"sampling/createMessage" {"code":-32600,"message":"invalid request: missing required \"params\""}`
	if diff := cmp.Diff(want, call(t, s, "notify", `{}`)); diff != "" {
		t.Error(diff)
	}
	if log := log.String(); log != "" {
		t.Error(log)
	}
}

// Calls from many goroutines share one session.
func TestManyCalls(t *testing.T) {
	t.Parallel()
	ports := fakeServer(t, "plain")
	s, _ := open(t, ports)
	echo := tools(t, s)["echo"]
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			args := fmt.Sprintf(`{"n":%d}`, i)
			if got := told(echo.Call(context.Background(), args)); got != args {
				t.Errorf("%s: %s", args, got)
			}
		})
	}
	all.Wait()
	if n := starts(t, ports); n != 1 {
		t.Errorf("it was started %d times", n)
	}
}

// Servers keep their order, and a list that changed counts at the next Tools.
func TestListChanges(t *testing.T) {
	t.Parallel()
	one, two := fakeServer(t, "one"), fakeServer(t, "plain")
	two.Name = "second"
	s, _ := open(t, one, two)
	before, err := s.Tools(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got := call(t, s, "grow", `{}`); got != "grown" { // the second's, for it comes later
		t.Error(got)
	}
	after, err := s.Tools(context.Background())
	if err != nil || len(after) != len(before)+1 {
		t.Fatal(len(after), err)
	}
	grown := after[len(after)-3]
	if grown.Name != "grown" || grown.Description != "It grew" || !grown.Repeatable || grown.Schema != "" {
		t.Errorf("%+v", grown)
	}
}

// No model could tell two tools of one name apart.
func TestSameNames(t *testing.T) {
	t.Parallel()
	one, two := fakeServer(t, "plain"), fakeServer(t, "plain")
	two.Name = "second"
	_, err := mcp.Open(context.Background(), slog.New(slog.DiscardHandler), one, two)
	const want = `the MCP servers "ports" and "second" have tools of the same name, echo, typed, foreign and 22 more: take one of the servers away`
	if err == nil || err.Error() != want {
		t.Error(err)
	}
}

// A server gets a few variables of ours and its own. In results, only those
// that are secret by their name are hidden, and in errors all that are long.
func TestEnvironment(t *testing.T) {
	t.Setenv("VENDOR_KEY", "sk-vendor-1")
	t.Setenv("LANG", "C")
	s, _ := open(t, fakeServer(t, "plain",
		mcp.Variable{Name: "KEY", Value: `<top "secret">`}, mcp.Variable{Name: "LANG", Value: "de"},
		mcp.Variable{Name: "NODE_ENV", Value: "production"}, mcp.Variable{Name: "MODE", Value: "complete"},
		mcp.Variable{Name: "db_password", Value: "content"}))
	env := call(t, s, "env", `{}`)
	for _, want := range []string{"FAKE=plain\n", "KEY=${KEY}\n", "LANG=de\n", "PATH=" + os.Getenv("PATH"), "NODE_ENV=production\n", "db_password=${db_password}"} {
		if !strings.Contains(env, want) {
			t.Errorf("no %s in\n%s", want, env)
		}
	}
	if strings.Contains(env, "VENDOR") || strings.Contains(env, "top") {
		t.Error(env)
	}
	if got, want := call(t, s, "leak", `{}`), `{"environment":"production","key":"key=${KEY}"} + document application/octet-stream "${KEY}"`; !strings.HasPrefix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	const leaks = `error: the MCP server "ports" ended during the call, and nobody knows whether it was carried out (exit status 1); its stderr ends with "cannot log in with ${KEY} in ${NODE_ENV}"`
	if got := call(t, s, "leaks", `{}`); got != leaks {
		t.Errorf("%s, want %s", got, leaks)
	}
	key := tools(t, s)["key"]
	if key.Description != "In production, with ${KEY}" || key.Schema != `{"description":"In production, with ${KEY}"}` {
		t.Errorf("%+v", key)
	}
}

// A server that ends is started again by whoever needs it next.
func TestDeath(t *testing.T) {
	t.Parallel()
	ports := fakeServer(t, "plain")
	s, _ := open(t, ports)
	const died = `error: the MCP server "ports" ended during the call, and nobody knows whether it was carried out `
	if got, want := call(t, s, "die", `{}`), died+`(exit status 3); its stderr ends with "out of memory"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := call(t, s, "echo", `{"n":1}`); got != `{"n":1}` {
		t.Error(got)
	}
	if got, want := call(t, s, "huge", `{}`), died+`(it sent a line of more than 16 MiB)`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	all := tools(t, s)
	if got := told(all["quit"].Call(context.Background(), `{}`)); got != "good bye" {
		t.Error(got)
	}
	got := told(all["echo"].Call(context.Background(), `{"n":2}`)) // which may come before it is known
	if got != `{"n":2}` && !strings.HasPrefix(got, died) {
		t.Error(got)
	}
	if got := call(t, s, "echo", `{"n":3}`); got != `{"n":3}` {
		t.Error(got)
	}
	if n := starts(t, ports); n != 4 {
		t.Errorf("it was started %d times", n)
	}
}

// One that cannot be started again keeps its tools, and they say why they fail.
func TestNoRestart(t *testing.T) {
	t.Parallel()
	s, log := open(t, fakeServer(t, "once"))
	before := tools(t, s)
	call(t, s, "die", `{}`)
	_ = log.String() // so far
	if diff := cmp.Diff(len(before), len(tools(t, s))); diff != "" {
		t.Error(diff)
	}
	const why = `the MCP server "ports" ended before it was ready (exit status 1); its stderr ends with "the database is locked": run `
	if got := log.String(); !strings.HasPrefix(got, `level=WARN msg="the tools of an MCP server are those that it had before" server=ports error="`+strings.ReplaceAll(why, `"`, `\"`)) {
		t.Error(got)
	}
	if got := told(before["echo"].Call(context.Background(), `{"n":1}`)); !strings.HasPrefix(got, "error: "+why) {
		t.Error(got)
	}
}

// Who calls may give up. The server is told, and an answer that comes all the
// same disturbs nobody.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	ports := fakeServer(t, "plain")
	s, _ := open(t, ports)
	all := tools(t, s)
	ctx, cancel := context.WithCancel(context.Background())
	hung := make(chan string)
	go func() { hung <- told(all["hang"].Call(ctx, `{}`)) }()
	call(t, s, "wait", `{}`)
	cancel()
	if got, want := <-hung, `error: the MCP server "ports" has not answered: context canceled`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := call(t, s, "release", `{}`); got != "released" {
		t.Error(got)
	}
	if _, err := s.Tools(ctx); err != nil {
		t.Error("nothing had to be asked:", err)
	}
	if n := starts(t, ports); n != 1 {
		t.Errorf("it was started %d times", n)
	}
}

// That holds also if the server does not even read what it is asked.
func TestDeaf(t *testing.T) {
	t.Parallel()
	s, _ := open(t, fakeServer(t, "plain"))
	call(t, s, "deaf", `{}`)
	echo := tools(t, s)["echo"]
	ctx, cancel := context.WithCancel(context.Background())
	calls := make(chan string)
	for range 3 {
		go func() {
			calls <- told(echo.Call(ctx, `{"n":1,"a":"`+strings.Repeat("x", 1<<20)+`"}`))
		}()
	}
	cancel()
	for range 3 {
		if got := <-calls; !strings.HasSuffix(got, "context canceled") {
			t.Error(got)
		}
	}
}

// Lines that are no messages are skipped, and told once, at the time.
func TestChatter(t *testing.T) {
	t.Parallel()
	server := fakeServer(t, "chatty", mcp.Variable{Name: "MODE", Value: "Ports 1.0"})
	s, log := open(t, server)
	const warning = `level=WARN msg="an MCP server prints lines that are no messages; they are skipped" server=ports first="${MODE} ready!"` + "\n"
	if got := log.String(); !strings.HasPrefix(got, warning) {
		t.Error(got)
	}
	for range 2 {
		if got := call(t, s, "echo", `{"n":1}`); got != `{"n":1}` {
			t.Error(got)
		}
	}
	if got := log.String(); got != "" {
		t.Error(got)
	}
}

// All that did not start is told at once, in order; then nothing runs.
func TestOpenFails(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	good := fakeServer(t, "plain")
	servers := []mcp.Server{good}
	for _, mode := range []string{"exits", "hangs", "refuses", "future", "empty", "toolless", "many", "pages", "unlisted", "misread"} {
		one := fakeServer(t, mode, mcp.Variable{Name: "LICENCE", Value: "licence-17"})
		one.Name = mode
		if mode == "hangs" {
			one.StartTimeout = time.Second
		}
		servers = append(servers, one)
	}
	servers = append(servers,
		mcp.Server{Name: "nothing"},
		mcp.Server{Name: "missing", Command: "there-is-no-such-command"},
		mcp.Server{Name: "path", Command: "/there/is/no/such/path"},
		mcp.Server{Name: "data", Command: file},
		mcp.Server{Name: "folder", Command: good.Command, Dir: file},
	)
	_, err := mcp.Open(context.Background(), nil, servers...)
	if err == nil {
		t.Fatal("it opened")
	}
	const want = `
the MCP server "exits" ended before it was ready (exit status 3); its stderr ends with "Traceback (most recent call last): / ModuleNotFoundError: No module named 'ports'": run SELF by hand to see why
the MCP server "hangs" was not ready within 1s: see whether SELF speaks MCP over its standard input and output, and start it by hand once, so that what it fetches is there
the MCP server "refuses" refused to begin: no licence for ${LICENCE}
the MCP server "future" speaks another protocol (unsupported protocol version: "2099-01-01"): start another version of it
the MCP server "empty" speaks another protocol (unsupported protocol version: ""): start another version of it
the MCP server "toolless" offers no tools: take it away, or start it in a way that it does
the MCP server "many" has more than 1000 tools: start it in a way that it has fewer
the MCP server "pages" lists its tools on more than 1000 pages: update it
the MCP server "unlisted" does not list its tools: the list is lost
the MCP server "misread" does not list its tools as MCP says: update it
the MCP server "nothing" cannot be started: exec: no command: correct its command and its folder, or install it
the MCP server "missing" cannot be started: exec: "there-is-no-such-command": executable file not found in $PATH: correct its command and its folder, or install it
the MCP server "path" cannot be started: fork/exec /there/is/no/such/path: no such file or directory: correct its command and its folder, or install it
the MCP server "data" cannot be started: fork/exec FILE: permission denied: correct its command and its folder, or install it
the MCP server "folder" cannot be started: fork/exec SELF: not a directory: correct its command and its folder, or install it`
	got := strings.NewReplacer(good.Command, "SELF", file, "FILE").Replace(err.Error())
	if diff := cmp.Diff(strings.TrimSpace(want), got); diff != "" {
		t.Error(diff)
	}
}

// Open ends with its context, and a closed server says that it is closed.
func TestClosed(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := mcp.Open(ctx, nil, fakeServer(t, "hangs"))
	if !errors.Is(err, context.Canceled) || err.Error() != `the MCP server "ports" was not ready: context canceled` {
		t.Error(err)
	}
	s, _ := open(t, fakeServer(t, "plain"))
	all := tools(t, s)
	hung := make(chan string)
	go func() { hung <- told(all["hang"].Call(context.Background(), `{}`)) }()
	call(t, s, "wait", `{}`)
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if got, want := <-hung, `error: the MCP server "ports" was closed during the call, and nobody knows whether it was carried out`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	const closed = `the MCP server "ports" is closed`
	if got := told(all["echo"].Call(context.Background(), `{"n":1}`)); got != "error: "+closed {
		t.Error(got)
	}
	if _, err := s.Tools(context.Background()); err == nil || err.Error() != closed {
		t.Error(err)
	}
}

// One that does not want to end is killed, with all that it started.
func TestStubborn(t *testing.T) {
	t.Parallel()
	server := fakeServer(t, "stubborn")
	alive := filepath.Join(server.Env[1].Value, "alive")
	if err := syscall.Mkfifo(alive, 0o600); err != nil {
		t.Fatal(err)
	}
	s, _ := open(t, server)
	child, err := os.Open(alive) // waits for it
	if err != nil {
		t.Fatal(err)
	}
	defer child.Close()
	s.Close()
	if _, err := io.ReadAll(child); err != nil { // its end
		t.Error(err)
	}
}

// Some servers know only old versions of the protocol, and take any other
// question badly; some know only the newest; that of the SDK knows all.
func TestVersions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		mode   string
		starts int
		calls  [][3]string
	}{
		{"strict", 1, [][3]string{{"echo", `{"n":1}`, `{"n":1}`}}},
		{"sdk", 1, [][3]string{{"protocol", `{}`, ``}, {"next", `{"n": 41}`, `{"n":42}`}, {"next", `{"n": -1}`, `failure: no port -1`}, {"grow", `{}`, ``}}},
		{"newest", 2, [][3]string{{"protocol", `{}`, `2026-07-28`}, {"next", `{"n": 41}`, `{"n":42}`}, {"grow", `{}`, ``}}},
	} {
		server := fakeServer(t, test.mode)
		s, _ := open(t, server)
		for _, c := range test.calls {
			if got := call(t, s, c[0], c[1]); got != c[2] {
				t.Errorf("%s: %s %s: %s, want %s", test.mode, c[0], c[1], got, c[2])
			}
		}
		for test.mode != "strict" && tools(t, s)["grown"].Call == nil { // until it has told that its list changed
			if t.Context().Err() != nil {
				t.Fatal("the list did not grow")
			}
		}
		if n := starts(t, server); n != test.starts {
			t.Errorf("%s: it was started %d times", test.mode, n)
		}
	}
}

// starts counts how often a fake server was started.
func starts(t *testing.T, s mcp.Server) int {
	t.Helper()
	all, err := os.ReadFile(filepath.Join(s.Env[1].Value, "starts"))
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}
