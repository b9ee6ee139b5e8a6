// Package openai is a model behind the chat completions interface of OpenAI, or
// of a server that speaks it: Ollama, vLLM, llama.cpp and many others.
package openai

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spoorhq/spoor/internal/wire"
	"github.com/spoorhq/spoor/model"
)

// A Model is a model at a server. It is used as a literal:
//
//	openai.Model{Name: "gpt-5"}
//	openai.Model{Name: "qwen3", BaseURL: "http://localhost:11434/v1"}
//
// At OpenAI's own address it also says the organization and the project that
// OPENAI_ORG_ID and OPENAI_PROJECT_ID name.
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

// provider is the name that parts are tagged with.
const provider = "openai"

// Check tells whether the model has a name, an address and, at OpenAI, a key.
func (m Model) Check() error {
	c, _ := m.client()
	return c.Check()
}

// Call asks the model. An error is a *model.Error, or that of ctx.
func (m Model) Call(ctx context.Context, req *model.Request, emit func(model.Delta)) (model.Reply, error) {
	c, host := m.client()
	names := wire.NewNames(req, 64)
	body, err := m.body(req, names, c.Own, host)
	if err != nil {
		return model.Reply{}, err
	}
	header := http.Header{}
	if c.Secret != "" {
		header.Set("Authorization", "Bearer "+c.Secret)
	}
	for name, from := range map[string]string{"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"} {
		if v := env(from); v != "" && c.Own {
			header.Set(name, v)
		}
	}
	return c.Do(ctx, emit, wire.Call{Path: "/chat/completions", Header: header, Body: body, Read: func(from *wire.Answer) (model.Reply, error) {
		return read(from, names, host)
	}})
}

// client calls the server. Its host says whose thoughts are its own; it is
// OpenAI's in whatever region.
func (m Model) client() (c *wire.Client, host string) {
	c = &wire.Client{
		Base:   cmp.Or(m.BaseURL, env("OPENAI_BASE_URL"), "https://api.openai.com/v1"),
		Vendor: "OpenAI", Name: m.Name, KeyFrom: "OPENAI_API_KEY", AddressFrom: "OPENAI_BASE_URL",
		Secret: strings.TrimSpace(cmp.Or(m.Key, os.Getenv("OPENAI_API_KEY"))),
		HTTP:   m.HTTP, Silence: m.Silence, Retries: m.Retries,
	}
	if u, err := url.Parse(c.Base); err == nil {
		name := strings.ToLower(u.Hostname())
		c.Own = name == "api.openai.com" || strings.HasSuffix(name, ".api.openai.com")
		host = strings.ToLower(u.Host)
	}
	return c, host
}

func env(name string) string { return strings.TrimSpace(os.Getenv(name)) }
