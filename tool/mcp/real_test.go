//go:build unix

package mcp_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/tool/mcp"
)

// nodeServer is a server that others wrote, from testdata/servers.
func nodeServer(t *testing.T, name string, args ...string) mcp.Server {
	t.Helper()
	main, err := filepath.Abs("testdata/servers/node_modules/@modelcontextprotocol/server-" + name + "/dist/index.js")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("there is no node in PATH")
	}
	if _, err := os.Stat(main); err != nil {
		t.Skip("the servers are not installed: npm ci --no-audit --no-fund --prefix tool/mcp/testdata/servers")
	}
	return mcp.Server{Name: name, Command: "node", Args: append([]string{main}, args...)}
}

func TestEverything(t *testing.T) {
	t.Parallel()
	server := nodeServer(t, "everything")
	server.Env = []mcp.Variable{{Name: "PORT_TOKEN", Value: "token-12345"}}
	s, log := open(t, server)
	for _, test := range []struct{ tool, args, want string }{
		{"echo", `{"message":"Grüße"}`, `Echo: Grüße`},
		{"echo", `{}`, `error: the arguments are not what the tool takes: validating root: required: missing properties: ["message"]`},
		{"get-sum", `{"a":2,"b":3}`, `The sum of 2 and 3 is 5.`},
		{"get-structured-content", `{"location":"Chicago"}`, `{"temperature":36,"conditions":"Light rain / drizzle","humidity":82}`},
		{"get-resource-links", `{"count":1}`, `Here are 1 resource links to resources available in this server: + text  "Text Resource 1, demo://resource/dynamic/text/1, Resource 1:"`},
		{"get-resource-reference", `{"resourceId":-1}`, `failure: Invalid resourceId: -1. Must be a finite positive integer.`},
		{"gzip-file-as-resource", `{"name":"x","data":"data:text/plain;base64,aGVsbG8=","outputType":"resource"}`, ` + document application/gzip "\x1f\x8b\b\x00\x00\x00\x00\x00\x00\x03\xcbH\xcd\xc9\xc9\a\x00\x86\xa6\x106\x05\x00\x00\x00"`},
		{"trigger-long-running-operation", `{"duration":0.01,"steps":2}`, `Long running operation completed. Duration: 0.01 seconds, Steps: 2.`},
	} {
		got := call(t, s, test.tool, test.args)
		if test.tool == "get-resource-links" {
			got = strings.NewReplacer("Blob", "Text", "blob", "text").Replace(got)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s %s: %s", test.tool, test.args, diff)
		}
	}
	for _, kind := range []string{"Text", "Blob"} {
		got := call(t, s, "get-resource-reference", `{"resourceType":"`+kind+`"}`)
		if !strings.Contains(got, ` + document text/plain "Resource 1: This is a `) {
			t.Error(got)
		}
	}
	all := tools(t, s)
	image, err := all["get-tiny-image"].Call(context.Background(), `{}`)
	if err != nil || len(image.More) != 1 || image.More[0].Kind != model.Image || image.More[0].Media != "image/png" || !strings.HasPrefix(image.More[0].Data, "\x89PNG") {
		t.Error(told(image, err))
	}
	if env := call(t, s, "get-env", `{}`); !strings.Contains(env, `"PORT_TOKEN": "${PORT_TOKEN}"`) || strings.Contains(env, "GOPATH") {
		t.Error(env)
	}
	if got, want := all["get-structured-content"].Output, `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"temperature":{"type":"number","description":"Temperature in celsius"},`; !strings.HasPrefix(got, want) {
		t.Error(got)
	}
	if diff := cmp.Diff("level=WARN msg=\"a tool of an MCP server is left out: it can only be called as a task\" server=everything tool=simulate-research-query\n", log.String()); diff != "" {
		t.Error(diff)
	}
}

func TestFilesystem(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s, _ := open(t, nodeServer(t, "filesystem", dir))
	for _, test := range []struct{ tool, args, want string }{
		{"write_file", `{"path":"DIR/a.txt","content":"one\ntwo\n"}`, `{"content":"Successfully wrote to DIR/a.txt"}`},
		{"read_text_file", `{"path":"DIR/a.txt","head":1}`, `{"content":"one"}`},
		{"edit_file", `{"path":"DIR/a.txt","edits":[{"oldText":"three","newText":"3"}]}`, "failure: Could not find exact match for edit:\nthree"},
		{"read_text_file", `{"path":"/etc/passwd"}`, `failure: Access denied - path outside allowed directories: /etc/passwd not in DIR`},
		{"list_directory", `{"path":"DIR"}`, `{"content":"[FILE] a.txt"}`},
	} {
		got := call(t, s, test.tool, strings.ReplaceAll(test.args, "DIR", dir))
		if diff := cmp.Diff(test.want, strings.ReplaceAll(got, dir, "DIR")); diff != "" {
			t.Errorf("%s %s: %s", test.tool, test.args, diff)
		}
	}
	const pixel = "\x89PNG and so on"
	if err := os.WriteFile(filepath.Join(dir, "pixel.png"), []byte(pixel), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := tools(t, s)["read_media_file"].Call(t.Context(), `{"path":"`+dir+`/pixel.png"}`); err != nil || r.Text != "" || len(r.More) != 1 || r.More[0].Data != pixel {
		t.Error(told(r, err))
	}
	if written, err := os.ReadFile(filepath.Join(dir, "a.txt")); string(written) != "one\ntwo\n" {
		t.Errorf("%q %v", written, err)
	}
	if all := tools(t, s); !all["read_text_file"].Repeatable || all["move_file"].Repeatable {
		t.Error("what may be repeated is not as the server says")
	}
}

func TestMemory(t *testing.T) {
	t.Parallel()
	server := nodeServer(t, "memory")
	server.Env = []mcp.Variable{{Name: "MEMORY_FILE_PATH", Value: filepath.Join(t.TempDir(), "memory.json")}}
	s, _ := open(t, server)
	const port = `{"name":"eth3","entityType":"port","observations":["41200 errors"]}`
	if diff := cmp.Diff(`{"entities":[`+port+`]}`, call(t, s, "create_entities", `{"entities":[`+port+`]}`)); diff != "" {
		t.Error(diff)
	}
	const graph = `{
  "entities": [
    {
      "name": "eth3",
      "entityType": "port",
      "observations": [
        "41200 errors"
      ]
    }
  ],
  "relations": []
}`
	if diff := cmp.Diff(graph, call(t, s, "read_graph", `{}`)); diff != "" {
		t.Error(diff)
	}
	const refused = `failure: Entity with name eth9 not found`
	if got := call(t, s, "add_observations", `{"observations":[{"entityName":"eth9","contents":["down"]}]}`); got != refused {
		t.Error(got)
	}
}
