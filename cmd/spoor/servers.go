package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/tool/mcp"
)

// serversOf are the MCP servers of a map file, as they are started, and what
// is wrong with them here.
func serversOf(f *mapfile.File) (list []mcp.Server, problems spoor.Problems) {
	for _, s := range f.MCPServers {
		ref := spoor.Ref("mcpServers").Key(s.Name)
		add := func(ref spoor.Ref, code, hint, format string, args ...any) {
			problems = append(problems, spoor.Problem{Level: "error", Code: code, Ref: ref, Message: fmt.Sprintf(format, args...), Hint: hint})
		}
		if s.URL != "" {
			continue // beyond tells it
		}
		server := mcp.Server{Name: s.Name, Command: s.Command, Args: s.Args, Dir: f.Dir()}
		if s.Command == "spoor" {
			path, err := self()
			if err != nil {
				add(ref.Key("command"), "unsupported", "name it by its path", "the command spoor cannot find itself: %v", err)
			}
			server.Command = path
		}
		for _, v := range s.Env {
			value, ok := os.LookupEnv(v.From)
			if !ok {
				add(ref.Key("env").Key(v.Name), "unset-variable", "set it, or take it off the server", "the variable %s is not set, and the MCP server %s wants it", v.From, s.Name)
			}
			server.Env = append(server.Env, mcp.Variable{Name: v.Name, Value: value})
		}
		list = append(list, server)
	}
	return list, problems
}

// self is the program that runs, which a map file calls spoor.
var self = func() (string, error) {
	path, err := exec.LookPath(os.Args[0])
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// notes prints what is logged as notes, while it is on.
type notes struct {
	w  io.Writer
	on func() bool
}

func (n notes) Enabled(_ context.Context, level slog.Level) bool {
	return n.on() && level >= slog.LevelWarn
}

func (n notes) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	fmt.Fprintf(&b, "note: %s", r.Message)
	r.Attrs(func(a slog.Attr) bool {
		if v := a.Value.String(); v != "" {
			fmt.Fprintf(&b, "; %s: %s", a.Key, oneLine(v, 300))
		}
		return true
	})
	_, err := fmt.Fprintln(n.w, b.String())
	return err
}

func (n notes) WithAttrs([]slog.Attr) slog.Handler { return n }
func (n notes) WithGroup(string) slog.Handler      { return n }
