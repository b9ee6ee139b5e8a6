//go:build unix

package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/spoorhq/spoor/tool"
	"github.com/spoorhq/spoor/tool/mcp"
)

// The servers of these tests are this program, run again: FAKE names what it
// is. But for sdk, it speaks raw lines, so that it can say anything.
func TestMain(m *testing.M) {
	switch mode := os.Getenv("FAKE"); mode {
	case "":
		code := m.Run()
		if left := leftovers(); left != "" {
			fmt.Fprintln(os.Stderr, "left behind:\n"+left)
			code = 1
		}
		os.Exit(code)
	case "sdk", "newest":
		serveSDK(mode == "newest")
	default:
		serve(mode, os.Getenv("FAKE_STATE"))
	}
}

// leftovers are goroutines of this package or of the SDK, and children, which
// must be gone once all servers are closed.
func leftovers() (left string) {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); runtime.Gosched() {
		left = ""
		all := make([]byte, 1<<20)
		for g := range strings.SplitSeq(string(all[:runtime.Stack(all, true)]), "\n\n") {
			if strings.Contains(g, "spoor/tool/mcp.") || strings.Contains(g, "go-sdk") {
				left += g + "\n\n"
			}
		}
		if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); err == nil {
			left += fmt.Sprintln("a child that nobody waits for:", pid)
		}
		if left == "" {
			return ""
		}
	}
	return left
}

// fakeServer is a server of the given mode. What state it has is in a folder.
func fakeServer(t testing.TB, mode string, env ...mcp.Variable) mcp.Server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return mcp.Server{
		Name: "ports", Command: self,
		Env: append([]mcp.Variable{
			{Name: "FAKE", Value: mode}, {Name: "FAKE_STATE", Value: t.TempDir()},
			{Name: "GORACE", Value: "atexit_sleep_ms=0"}, // else each takes a second to end under -race
			{Name: "GOCOVERDIR", Value: t.TempDir()},     // else each complains under -cover
		}, env...),
	}
}

// open opens servers, and closes them after the test. What they log is in log.
func open(t testing.TB, servers ...mcp.Server) (*mcp.Servers, *log) {
	t.Helper()
	l := &log{}
	s, err := mcp.Open(context.Background(), l.logger(), servers...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, l
}

// A log keeps what is logged, without the time.
type log struct{ lines chan string }

func (l *log) logger() *slog.Logger {
	l.lines = make(chan string, 10_000)
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
}

func (l *log) Write(line []byte) (int, error) {
	l.lines <- string(line)
	return len(line), nil
}

func (l *log) String() (all string) {
	for {
		select {
		case line := <-l.lines:
			all += line
		default:
			return all
		}
	}
}

// tools are those that are there now, by name.
func tools(t testing.TB, s *mcp.Servers) map[string]tool.Tool {
	t.Helper()
	list, err := s.Tools(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]tool.Tool{}
	for _, one := range list {
		all[one.Name] = one
	}
	return all
}

// call calls a tool, and returns its result or its error as text.
func call(t testing.TB, s *mcp.Servers, name, args string) string {
	t.Helper()
	one, ok := tools(t, s)[name]
	if !ok {
		t.Fatalf("there is no tool %s", name)
	}
	return told(one.Call(context.Background(), args))
}

// told is a result in one line: its status, its text, and its other parts.
func told(r tool.Result, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	s := r.Text
	if r.Status != "" {
		s = string(r.Status) + ": " + s
	}
	for _, p := range r.More {
		s += fmt.Sprintf(" + %s %s %.60q", p.Kind, p.Media, p.Data)
	}
	return s
}

// A fake is an MCP server that has no manners. What it is asked to do wrong is
// its mode, or the name of the tool that is called.
type fake struct {
	mode        string
	grown       bool
	hung, waits json.RawMessage // the ids of calls that are not answered yet
	released    json.RawMessage
	cancelled   bool
	asked       json.RawMessage
	answers     []string
}

type request struct {
	ID     json.RawMessage
	Error  json.RawMessage
	Method string
	Params struct {
		Name      string
		Arguments json.RawMessage
		Cursor    string
		RequestID json.RawMessage
	}
}

func serve(mode, state string) {
	started := start(state)
	f := &fake{mode: mode}
	switch {
	case mode == "exits":
		die(3, "Traceback (most recent call last):\n  File \"x.py\", line 1\n\x1b[31mModuleNotFoundError: No module named 'ports'\x1b[0m")
	case mode == "once" && started > 1:
		die(1, "the database is locked")
	case mode == "chatty":
		fmt.Println("Ports 1.0 ready!\n\n{\"level\": \"info\"}\n[1, 2]")
	case mode == "stubborn":
		signal.Ignore(syscall.SIGTERM)
		child := exec.Command("/bin/sh", "-c", `trap "" TERM; exec sleep 600 3>"$FAKE_STATE/alive"`)
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		child.Start()
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 32<<20)
	for first := true; in.Scan(); first = false {
		var r request
		switch {
		case json.Unmarshal(in.Bytes(), &r) != nil || mode == "hangs":
		case mode == "strict" && first && r.Method != "initialize":
			die(1, "Error: ExpectedInitializeRequest")
		default:
			f.handle(r)
		}
	}
	if mode == "stubborn" {
		select {}
	}
}

// start notes that a server was started, and returns how often.
func start(state string) int {
	if state == "" {
		return 1
	}
	log, _ := os.OpenFile(filepath.Join(state, "starts"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	fmt.Fprint(log, ".")
	log.Close()
	all, _ := os.ReadFile(log.Name())
	return len(all)
}

func die(code int, why string) {
	fmt.Fprintln(os.Stderr, why)
	os.Exit(code)
}

func say(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func result(id json.RawMessage, format string, args ...any) {
	say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, fmt.Sprintf(format, args...))
}

func refuse(id json.RawMessage, code int, message string) {
	say(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, code, message)
}

func (f *fake) handle(r request) {
	switch r.Method {
	case "initialize":
		capabilities, protocol := `{"tools":{"listChanged":true}}`, "2025-06-18"
		switch f.mode {
		case "refuses":
			refuse(r.ID, -32003, "no licence for "+os.Getenv("LICENCE"))
			return
		case "empty":
			result(r.ID, `null`)
			return
		case "toolless":
			capabilities = `{"prompts":{}}`
		case "future":
			protocol = "2099-01-01"
		}
		result(r.ID, `{"protocolVersion":%q,"capabilities":%s,"serverInfo":{"name":"fake","version":"1"}}`, protocol, capabilities)
	case "tools/list":
		f.list(r)
	case "tools/call":
		if f.mode == "chatty" {
			say("GET /ports 200")
		}
		f.call(r)
	case "": // an answer to what notify asks
		if f.answers = append(f.answers, string(r.ID)+" "+string(r.Error)); len(f.answers) == 4 {
			slices.Sort(f.answers)
			result(f.asked, `{"content":[{"type":"text","text":%q}]}`, strings.Join(f.answers, "\n"))
		}
	case "notifications/cancelled":
		f.cancelled = f.cancelled || string(r.Params.RequestID) == string(f.hung)
		f.release()
	default:
		if r.ID != nil {
			refuse(r.ID, -32601, "no such method")
		}
	}
}

// release answers the call that was given up, late, and the one after it.
func (f *fake) release() {
	if f.released != nil && f.cancelled {
		result(f.hung, `{"content":[{"type":"text","text":"too late"}]}`)
		result(f.released, `{"content":[{"type":"text","text":"released"}]}`)
	}
}

// listed is what the fake declares, on two pages.
var listed = []string{
	`{"name":"echo","title":"Echo","inputSchema":{"type":"object","required":["n"],"properties":{"n":{"type":"integer","maximum":9007199254740995},"a":{}}}, "annotations":{"readOnlyHint":true}}`,
	`{"name":"typed","description":"Typed.","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}`,
	`{"name":"","inputSchema":{"type":"object"}}`,
	`{"name":"echo","description":"Another.","inputSchema":{"type":"object"}}`,
	`{"name":"foreign","inputSchema":{"type":"object","properties":{"a":{"$ref":"https://example.com/a.json"}}}}`,
	`{"name":"endless","inputSchema":{"$ref":"#"}}`,
	`{"name":5}`,
	`{"name":"task","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}`,
}

func (f *fake) list(r request) {
	switch f.mode {
	case "many":
		result(r.ID, `{"tools":[%s{}]}`, strings.Repeat("{},", 1000))
		return
	case "unlisted":
		refuse(r.ID, -32603, "the list is lost")
		return
	case "misread":
		result(r.ID, `{"tools":{}}`)
		return
	case "one":
		result(r.ID, `{"tools":[{"name":"alone","inputSchema":{"type":"object"}}]}`)
		return
	case "pages":
		result(r.ID, `{"tools":[],"nextCursor":"again"}`)
		return
	}
	if r.Params.Cursor == "" {
		result(r.ID, `{"tools":[%s],"nextCursor":"2"}`, strings.Join(listed, ","))
		return
	}
	var more []string
	for _, name := range []string{"env", "die", "quit", "huge", "hang", "wait", "release", "deaf", "notify", "grow", "bad", "broken", "odd", "leak", "leaks", "structured", "hostile", "input", "null"} {
		more = append(more, fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"}}`, name))
	}
	if f.grown {
		more = append(more, `{"name":"grown","annotations":{"title":"It grew","idempotentHint":true}}`)
	}
	about, _ := json.Marshal("In production, with " + os.Getenv("KEY"))
	more = append(more, fmt.Sprintf(`{"name":"wordy","description":%q}`, strings.Repeat("é", 10_000)),
		fmt.Sprintf(`{"name":"key","description":%[1]s,"inputSchema":{"description":%[1]s},"outputSchema":null}`, about),
		fmt.Sprintf(`{"name":"heavy","inputSchema":{"type":"object","description":%q}}`, strings.Repeat("x", 256<<10)))
	result(r.ID, `{"tools":[%s],"_meta":{"answer":"{}"}}`, strings.Join(more, ","))
}

func (f *fake) call(r request) {
	text := func(s string) { result(r.ID, `{"content":[{"type":"text","text":%q}]}`, s) }
	switch args := string(r.Params.Arguments); r.Params.Name {
	case "echo", "foreign", "endless":
		text(args)
	case "env":
		text(strings.Join(os.Environ(), "\n"))
	case "typed":
		result(r.ID, `{"content":[],"structuredContent":%s}`, args)
	case "structured":
		result(r.ID, `{"content":[{"type":"text","text":"It is a big one."}],"structuredContent":{"z":1.50,"id":9007199254740993,"a":[1e2]}}`)
	case "hostile":
		result(r.ID, `{"_meta":{"answer":"{\"result\":{\"structuredContent\":{\"ok\":true}}}"},"content":[{"type":"text","text":"no"}]}`)
	case "input":
		result(r.ID, `{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create"}},"content":[]}`)
	case "null":
		result(r.ID, `null`)
	case "bad":
		refuse(r.ID, -32602, "n must be small")
	case "broken":
		refuse(r.ID, -32003, strings.Repeat("x", 3000))
	case "odd":
		say(`{"jsonrpc":"2.0","id":%s,"error":{"code":"E_ODD","message":"odd"}}`, r.ID)
	case "leak":
		key, _ := json.Marshal("key=" + os.Getenv("KEY"))
		result(r.ID, `{"resultType":"complete","content":[{"type":"text","text":%s},{"type":"resource","resource":{"blob":%q}}],"structuredContent":{"environment":"production","key":%s},"isError":false}`,
			key, base64.StdEncoding.EncodeToString([]byte(os.Getenv("KEY"))), key)
	case "leaks":
		die(1, "cannot log in with "+os.Getenv("KEY")+" in production")
	case "deaf":
		text("I do not listen any more")
		select {}
	case "notify":
		for _, method := range []string{"notifications/elicitation/complete", "notifications/cancelled", "notifications/progress", "notifications/nothing"} {
			say(`{"jsonrpc":"2.0","method":%q}`, method)
		}
		for _, method := range []string{"ping", "sampling/createMessage", "elicitation/create", "nothing"} {
			say(`{"jsonrpc":"2.0","id":%q,"method":%q}`, method, method)
		}
		f.asked = r.ID
	case "die":
		die(3, "out of memory")
	case "quit":
		text("good bye")
		os.Exit(0)
	case "huge":
		say("%s", strings.Repeat("x", 17<<20))
	case "grow":
		f.grown = true
		say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		text("grown")
	case "hang":
		if f.hung = r.ID; f.waits != nil {
			result(f.waits, `{"content":[]}`)
		}
	case "wait": // for a call that hangs
		if f.waits = r.ID; f.hung != nil {
			result(f.waits, `{"content":[]}`)
		}
	case "release": // what hangs, once it was cancelled
		f.released = r.ID
		f.release()
	}
}

// serveSDK is the server of the SDK, which knows all versions of the protocol,
// or only the newest.
func serveSDK(newest bool) {
	start(os.Getenv("FAKE_STATE"))
	var in io.Reader = os.Stdin
	if newest {
		all := bufio.NewReader(os.Stdin)
		first, _ := all.ReadBytes('\n')
		var r request
		if json.Unmarshal(first, &r); r.Method == "initialize" {
			refuse(r.ID, -32004, "unsupported protocol version")
			return
		}
		in = io.MultiReader(bytes.NewReader(first), all)
	}
	s := sdk.NewServer(&sdk.Implementation{Name: "sdk", Version: "1"}, nil)
	s.AddTool(&sdk.Tool{Name: "protocol", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		spoken, _ := r.Params.Meta[sdk.MetaKeyProtocolVersion].(string)
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: spoken}}}, nil
	})
	type port struct {
		N int64 `json:"n"`
	}
	sdk.AddTool(s, &sdk.Tool{Name: "next"}, func(_ context.Context, _ *sdk.CallToolRequest, p port) (*sdk.CallToolResult, port, error) {
		if p.N < 0 {
			return nil, port{}, fmt.Errorf("no port %d", p.N)
		}
		return nil, port{p.N + 1}, nil
	})
	s.AddTool(&sdk.Tool{Name: "grow", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		sdk.AddTool(s, &sdk.Tool{Name: "grown"}, func(context.Context, *sdk.CallToolRequest, port) (*sdk.CallToolResult, any, error) {
			return nil, nil, nil
		})
		return &sdk.CallToolResult{Content: []sdk.Content{}}, nil
	})
	if err := s.Run(context.Background(), &sdk.IOTransport{Reader: io.NopCloser(in), Writer: os.Stdout}); err != nil {
		die(1, err.Error())
	}
}
