//go:build unix

package mcp_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/spoorhq/spoor/tool/mcp"
)

func ExampleOpen() {
	ctx := context.Background()
	server, err := os.Executable() // a test that is a server, if FAKE says so
	if err != nil {
		fmt.Println(err)
		return
	}
	servers, err := mcp.Open(ctx, slog.New(slog.DiscardHandler), mcp.Server{
		Name:    "ports",
		Command: server,
		Env:     []mcp.Variable{{Name: "FAKE", Value: "plain"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer servers.Close()
	tools, err := servers.Tools(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range tools[:2] {
		fmt.Println(t.Name, t.Schema)
	}
	result, err := tools[1].Call(ctx, `{"n": 9007199254740993}`)
	fmt.Println(result.Text, err)
	result, err = tools[1].Call(ctx, `{"m": 1}`)
	fmt.Println(result.Status, err)
	// Output:
	// echo {"type":"object","required":["n"],"properties":{"n":{"type":"integer","maximum":9007199254740995},"a":{}}}
	// typed {"type":"object"}
	// {"n":9007199254740993} <nil>
	// invalid <nil>
}
