// Package openai is a model behind the chat completions interface of OpenAI, or
// of a server that speaks it: Ollama, vLLM, llama.cpp and many others.
package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/spoorhq/spoor/internal/wire"
	"github.com/spoorhq/spoor/model"
)

// A Model is a model at a server. It is used as a literal:
//
//	openai.Model{Name: "gpt-5"}
//	openai.Model{Name: "qwen3", BaseURL: "http://localhost:11434/v1"}
//
// It calls the server through OpenAI's own client, which also reads
// OPENAI_ORG_ID, OPENAI_PROJECT_ID and OPENAI_CUSTOM_HEADERS.
type Model struct {
	Name    string // of the model; there is none by default
	BaseURL string // with its /v1; if empty, it is OPENAI_BASE_URL, and else OpenAI's
	Key     string // if empty, it is OPENAI_API_KEY; a server of one's own may want none

	// MaxTokens is how long an answer may be. If zero, the server decides.
	MaxTokens int

	// HTTP makes the requests. If nil, it is http.DefaultClient. It follows no
	// redirects.
	HTTP *http.Client

	// Silence is how long the server may say nothing. If zero, it is five
	// minutes: a model may think long before its first word.
	Silence time.Duration

	// Retries is how many attempts may follow a first one that failed in
	// passing. If zero, it is 3; if negative, there are none.
	Retries int
}

const (
	provider = "openai" // the name that parts are tagged with
	keyFrom  = "OPENAI_API_KEY"
	home     = "https://api.openai.com/v1"
)

// Check tells whether the model has a name, an address and, at OpenAI, a key.
func (m Model) Check() error {
	_, _, err := m.server()
	return err
}

// Call asks the model. An error is a *model.Error, or that of ctx.
func (m Model) Call(ctx context.Context, req *model.Request, emit func(model.Delta)) (model.Reply, error) {
	c, own, err := m.server()
	if err != nil {
		return model.Reply{}, err
	}
	names := wire.NewNames(req, 64)
	params, err := m.params(req, names, own)
	if err != nil {
		return model.Reply{}, err
	}
	return c.Do(ctx, emit, func(ctx context.Context, client *http.Client, emit func(model.Delta)) (model.Reply, error) {
		options := []option.RequestOption{option.WithBaseURL(c.Base), option.WithHTTPClient(client), option.WithMaxRetries(0)}
		if c.Secret != "" {
			options = append(options, option.WithAPIKey(c.Secret))
		}
		// The client's own reader of streams takes a field that says "error":
		// null for an error, so the answer is read here.
		var resp *http.Response
		server := openai.NewClient(options...)
		stream := server.Chat.Completions.NewStreaming(ctx, params, option.WithResponseInto(&resp))
		defer stream.Close()
		if err := stream.Err(); err != nil {
			return model.Reply{}, err
		}
		return read(resp, names, emit)
	})
}

// server is how the server is called, if it can be, and whether it is OpenAI's
// own, in whatever region.
func (m Model) server() (c *wire.Client, own bool, err error) {
	c = &wire.Client{
		Base: cmp.Or(m.BaseURL, strings.TrimSpace(os.Getenv("OPENAI_BASE_URL")), home),
		Name: m.Name, HTTP: m.HTTP, Silence: m.Silence, Retries: m.Retries,
		KeyFrom: keyFrom, Secret: strings.TrimSpace(cmp.Or(m.Key, os.Getenv(keyFrom))),
	}
	bad := func(f model.Fault, format string, args ...any) (*wire.Client, bool, error) {
		return nil, false, &model.Error{Fault: f, Message: fmt.Sprintf(format, args...)}
	}
	u, err := url.Parse(c.Base)
	if err == nil {
		host := strings.ToLower(u.Hostname())
		own = host == "api.openai.com" || strings.HasSuffix(host, ".api.openai.com")
	}
	switch {
	case m.Name == "":
		return bad(model.FaultNoModel, "the model has no name; give it the one that its server knows")
	case err != nil:
		return bad(model.FaultRequest, "the address of the model is none: %v", errors.Unwrap(err))
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return bad(model.FaultRequest, "the address of the model, %q, is none: it begins with http:// or https://, and a host follows", u.Redacted())
	case c.Secret == "" && own:
		return bad(model.FaultKey, "OpenAI wants a key, and there is none; set %s", keyFrom)
	}
	return c, own, nil
}
