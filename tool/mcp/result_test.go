package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/spoorhq/spoor/internal/secret"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/tool"
)

// A result becomes a text, which guards read, and parts besides.
func TestResult(t *testing.T) {
	for _, test := range []struct{ said, want string }{
		{`{"content":[]}`, ``},
		{`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, "a\nb"},

		// structured content is the text, as it stands
		{`{"structuredContent":{"b": 1.0, "a": 9007199254740993}}`, `{"b": 1.0, "a": 9007199254740993}`},
		{`{"content":[{"type":"text","text":"It is fine."}],"structuredContent":{"a":1}}`, `{"a":1} + text "It is fine."`},
		{`{"content":[],"structuredContent":[1]}`, `[1]`},
		{`{"content":[{"type":"text","text":"none"}],"structuredContent":null}`, `none`},

		// a text that is the same value is told instead; digits count
		{`{"content":[{"type":"text","text":"{\"a\":1,\n \"b\": [2]}"}],"structuredContent":{"b":[2],"a":1}}`, "{\"a\":1,\n \"b\": [2]}"},
		{`{"content":[{"type":"text","text":"{\"a\":9007199254740992}"}],"structuredContent":{"a":9007199254740993}}`, `{"a":9007199254740993} + text "{\"a\":9007199254740992}"`},
		{`{"content":[{"type":"text","text":"{\"a\":1.0}"}],"structuredContent":{"a":1}}`, `{"a":1} + text "{\"a\":1.0}"`},

		// texts that it holds already are not told twice
		{`{"content":[{"type":"text","text":"hello"}],"structuredContent":{"content":"hello"}}`, `{"content":"hello"}`},
		{`{"content":[{"type":"text","text":"[ {\"n\": 1} ]"}],"structuredContent":{"ports":[{"n":1}]}}`, `{"ports":[{"n":1}]}`},
		{`{"content":[{"type":"text","text":"hello"},{"type":"text","text":"there"}],"structuredContent":{"content":"hello"}}`, `{"content":"hello"} + text "hello" + text "there"`},

		// media
		{`{"content":[{"type":"text","text":"See:"},{"type":"image","data":"aGk=","mimeType":"image/png"},{"type":"audio","data":"aGk=","mimeType":"audio/wav; rate=1"}]}`, `See: + image image/png "hi" + document audio/wav "hi"`},
		{`{"content":[{"type":"image","data":"aGk=","mimeType":"text/html"},{"type":"image","data":"aGk="}]}`, ` + document text/html "hi" + document application/octet-stream "hi"`},
		{`{"content":[{"type":"image","data":"a","mimeType":"image/png"}]}`, ` + text "Here was an image whose data cannot be decoded: illegal base64 data at input byte 0."`},
		{`{"content":[{"type":"resource","resource":{"uri":"a:b","text":"t"}},{"type":"resource","resource":{"uri":"a:b","blob":"aGk=","mimeType":"application/pdf"}},{"type":"resource","resource":{"uri":"a:b"}}]}`,
			` + document text/plain "t" + document application/pdf "hi" + text "Here was a resource without contents."`},
		{`{"content":[{"type":"resource_link","uri":"a:b","name":"n","description":"two\nlines"}]}`, ` + text "n, a:b, two lines"`},
		{`{"content":[{"type":"hologram"},5]}`, ` + text "Here was content of the kind \"hologram\", which cannot be shown." + text "Here was a block of content that is not what MCP says."`},

		// a picture that it has once more, as text, is not told as text
		{`{"content":[{"type":"image","data":"aGk=","mimeType":"image/png"}],"structuredContent":{"content":[{"type":"image","data":"aGk="}]}}`, ` + image image/png "hi"`},
		{`{"content":[{"type":"image","data":"////","mimeType":"image/png"}],"structuredContent":{"data":"\/\/\/\/"}}`, ` + image image/png "\xff\xff\xff"`},

		// errors are told unchanged
		{`{"content":[{"type":"text","text":"no such port"}],"isError":true}`, `failure: no such port`},
		{`{"content":[{"type":"text","text":"no"}],"structuredContent":{"code":5},"isError":true}`, `failure: no + text "{\"code\":5}"`},
		{`{"content":[],"structuredContent":{"code":5},"isError":true}`, `failure: {"code":5}`},

		// what is no result
		{`{}`, `invalid: It answered with something that is no result.`},
		{`[]`, `invalid: It answered with something that is no result.`},
		{`{"content":"hello"}`, `invalid: It answered with something that is no result.`},
		{`{"content":[],"isError":"no"}`, `invalid: It answered with something that is no result.`},
		{`{"resultType":"input_required"}`, `invalid: It answered with a result of type "input_required": it wants something that it cannot have here, and the call is not done.`},
		{`{"resultType":"complete","content":[]}`, ``},

		// bounds
		{texts(1000, 0), strings.Repeat("\n", 999)},
		{texts(1001, 0), `invalid: It answered with 1001 blocks of content; at most 1000 can be shown. Ask for less.`},
		{texts(1, 1<<20), strings.Repeat("x", 1<<20)},
		{texts(1, 1<<20+1), tooLarge},
		{`{"structuredContent":"` + strings.Repeat("x", 1<<20-2) + `"}`, `"` + strings.Repeat("x", 1<<20-2) + `"`},
		{`{"structuredContent":"` + strings.Repeat("x", 1<<20-1) + `"}`, tooLarge},
		{`{"content":[{"type":"image","data":"` + large + `","mimeType":"image/png"}],"structuredContent":{"data":"` + large + `"}}`, ` + image image/png "` + strings.Repeat("xxx", 1<<18+1) + `"`},
		{`{"content":[{"type":"image","data":"` + large + `","mimeType":"image/png"}],"structuredContent":"` + strings.Repeat("x", 1<<20-1) + `"}`, tooLarge},
		{strings.TrimSuffix(texts(1000, 1), "}") + `,"structuredContent":[` + strings.Repeat(`[1],`, 50_000) + `2]}`, "…"},
	} {
		r := result(json.RawMessage(test.said), "It answered", func(string) error { return nil })
		got := r.Text
		if r.Status != "" {
			got = string(r.Status) + ": " + got
		}
		for _, p := range r.More {
			if p.Role != model.Tool || p.Piece != model.Sum(p.Data) {
				t.Errorf("%+v", p)
			}
			got += " + " + strings.TrimSpace(string(p.Kind)+" "+p.Media) + fmt.Sprintf(" %q", p.Data)
		}
		if got != test.want && test.want != "…" {
			t.Errorf("%.200s:\n got %.500s\nwant %.500s", test.said, got, test.want)
		}
	}
}

// texts is a result of so many texts of a size.
func texts(n, size int) string {
	one := fmt.Sprintf(`{"type":"text","text":%q}`, strings.Repeat("x", size))
	return `{"content":[` + strings.Repeat(one+",", n-1) + one + `]}`
}

var large = strings.Repeat("eHh4", 1<<18+1) // "xxx" in base64

const tooLarge = `invalid: It answered with 1048577 bytes of text; at most 1048576 can be shown. Ask for less.`

// A result that breaks its promise is no text that a guard could read.
func TestPromise(t *testing.T) {
	promise, err := tool.Validator(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	if err != nil {
		t.Fatal(err)
	}
	const broken = `It answered with a result that breaks the promise of its output schema: `
	for _, test := range []struct{ said, text, status, more string }{
		{`{"structuredContent":{"n":9007199254740993}}`, `{"n":9007199254740993}`, "", ""},
		{`{"content":[{"type":"text","text":"{\"n\":1}"}]}`, `{"n":1}`, "", ""},
		{`{"content":[{"type":"text","text":"gone"}],"isError":true}`, `gone`, "failure", ""},
		{`{"structuredContent":{"n":"1"}}`, broken + `validating root: validating /properties/n: type: 1 has type "string", want "integer".`, "invalid", `{"n":"1"}`},
		{`{"content":[{"type":"text","text":"see"},{"type":"image","data":"aGk="}],"structuredContent":{"data":"aGk="}}`, broken + `validating root: required: missing properties: ["n"].`, "invalid", `see`},
		{`{"content":[{"type":"text","text":"one"}]}`, broken + `invalid character 'o' looking for beginning of value.`, "invalid", `one`},
	} {
		r := result(json.RawMessage(test.said), "It answered", promise)
		more := ""
		if len(r.More) > 0 {
			more = r.More[0].Data
		}
		if r.Text != test.text || string(r.Status) != test.status || more != test.more {
			t.Errorf("%s: %+v", test.said, r)
		}
	}
}

// ports is a server with a secret.
func ports() *server {
	h := secret.New(secret.Value{Text: "secret-1", Shown: "${KEY}"})
	return &server{values: h, secrets: h, log: slog.New(slog.DiscardHandler)}
}

// What is read of stderr is its last five lines, without colours, the frames of
// a stack, and a first line that may be half of one.
func TestTraces(t *testing.T) {
	p := &process{server: ports()}
	for said, want := range map[string]string{
		"":      "",
		"\n \n": "",
		"\x1b[31mError: no secret-1\x1b[0m\n    at main.js:1\n\n}\nNode.js v20\x07\n": `; its stderr ends with "Error: no ${KEY} / } / Node.js v20"`,
		"a\nb\nc\nd\ne\nf": `; its stderr ends with "b / c / d / e / f"`,
		strings.Repeat("x", maxSaid-9) + "\nlast one": `; its stderr ends with "last one"`,
		strings.Repeat("x", maxSaid):                  "",
	} {
		p.said = []byte(said)
		if got := p.traces(); got != want {
			t.Errorf("%.100q: %s, want %s", said, got, want)
		}
	}
}

// Whatever a server prints, a line is a message or it is skipped, and once the
// handshake is over an answer is what stands on the line.
func FuzzMessage(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"n":9007199254740993}}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}`,
		`{"jsonrpc":"2.0","id":"a","error":5}`,
		`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
		`{"jsonrpc":"2.0","id":1.5,"method":"ping","params":{}}`,
		`{"jsonrpc":"2.0","id":{},"result":{}}`,
		`{"jsonrpc":"2.0","id":1,"result":null,"x":"secret-1"}`,
		`{"jsonrpc":"2.0","result":{}}`,
		`{"level":"info"}`, "\xff{", "[]", "null", `"secret-1"`,
		`{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", 1001) + strings.Repeat("]", 1001) + `}`,
	} {
		f.Add([]byte(line))
	}
	p := &process{server: ports()}
	p.ready.Store(true)
	f.Fuzz(func(t *testing.T, line []byte) {
		m, ok := p.message(line)
		if m != nil && !ok {
			t.Fatalf("%q is no message, and yet one: %+v", line, m)
		}
		switch m := m.(type) {
		case *jsonrpc.Response:
			if !m.ID.IsValid() || m.Error != nil {
				t.Fatalf("%q: %+v", line, m)
			}
			var passed struct {
				Meta map[string]any `json:"_meta"`
			}
			if err := json.Unmarshal(m.Result, &passed); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			raw, err := ports().read(passed.Meta)
			if refused := (*jsonrpc.Error)(nil); err != nil && !errors.As(err, &refused) {
				t.Fatalf("%q: %v", line, err)
			}
			if err == nil && !json.Valid(raw) {
				t.Fatalf("%q: %q", line, raw)
			}
			result(raw, "It answered", func(string) error { return nil })
		case *jsonrpc.Request:
			if !m.ID.IsValid() || !ok {
				t.Fatalf("%q: %+v", line, m)
			}
		}
	})
}
