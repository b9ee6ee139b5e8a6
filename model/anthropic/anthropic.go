// Package anthropic asks Claude models, over Anthropic's messages interface.
//
// # What is cached
//
// A request is tools, system, bodies of skills, history and one tail, and as
// long as a walk stays where it is only the end of it changes. So Anthropic is
// asked to cache up to four prefixes of it: up to the last system part that is
// no body, up to the last body, up to the last block of the history, and up to
// where that one was in the request before, because a long batch of calls may
// put more blocks between the two than Anthropic looks back. The tail, which is
// the notes and the menu after the last word or result, is replaced each time
// and is in none of them.
//
// # What newer models refuse
//
// Claude models from 5.1 on cannot be made to call a tool, so a request with a
// choice offers them that tool alone, and asks for it in a note. They also
// refuse thinking of their own that comes back after anything before it has
// changed, and in a walk the menu and the bodies do. So they are asked to drop
// such thinking, and to go on. Both are decided by the name of the model.
package anthropic

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spoorhq/spoor/internal/wire"
	"github.com/spoorhq/spoor/model"
)

const (
	provider = "anthropic" // the name that parts are tagged with
	host     = "api.anthropic.com"
	keyFrom  = "ANTHROPIC_API_KEY"
	keyToo   = "ANTHROPIC_AUTH_TOKEN"
	baseFrom = "ANTHROPIC_BASE_URL"
)

// Model is a Claude model behind Anthropic's messages interface, or a server
// that speaks it. It keeps nothing between calls.
type Model struct {
	Name string // required

	// BaseURL is the address of the server, with or without /v1. If empty, it
	// is that of ANTHROPIC_BASE_URL, and else Anthropic's own. Other servers
	// are sent the key as a bearer token and as X-Api-Key, and the version
	// 2023-06-01, since they know one way or the other.
	BaseURL string

	// Key is the key. If empty, it is that of ANTHROPIC_API_KEY, and else of
	// ANTHROPIC_AUTH_TOKEN. Anthropic wants one; other servers may not.
	Key string

	// MaxTokens is how long an answer may be, thinking included. If zero, it is
	// 32000: room to think, and no more than any Claude since 4 can say.
	MaxTokens int

	// Effort is how hard the model thinks and works: low, medium, high, xhigh
	// or max. If empty, that is left to the model, and those before Claude 5 do
	// not think. Models before Claude 4.6 refuse it. No thinking is asked for,
	// up to Claude 5, where a certain tool must be called: the two exclude each
	// other.
	Effort string

	HTTP    *http.Client  // if nil, http.DefaultClient
	Silence time.Duration // how long the server may say nothing; if zero, five minutes
	Retries int           // how many attempts may follow a first one that failed in passing; if zero, 3; if negative, none
}

// Check says what would keep the model from working, and what to do. The error
// is a *model.Error.
func (m Model) Check() error { return m.client().Check() }

// Call asks the model.
func (m Model) Call(ctx context.Context, req *model.Request, emit func(model.Delta)) (model.Reply, error) {
	for _, t := range req.Tools {
		if t.Schema != "" && !wire.Object(t.Schema) {
			return model.Reply{}, &model.Error{Fault: model.FaultRequest, Message: fmt.Sprintf("the schema of the tool %s is no JSON object; correct it", t.Name)}
		}
	}
	c, names := m.client(), wire.NewNames(req, 64)
	return c.Do(ctx, emit, wire.Call{Path: "/v1/messages", Header: m.header(c), Body: m.body(req, names), Read: func(from *wire.Answer) (model.Reply, error) {
		a := answer{from: from, open: map[int]*said{}}
		if err := a.read(); err != nil {
			return model.Reply{}, err
		}
		return a.reply(names)
	}})
}

// client calls the server.
func (m Model) client() *wire.Client {
	base := strings.TrimSpace(cmp.Or(m.BaseURL, os.Getenv(baseFrom), "https://"+host))
	c := &wire.Client{
		Base:   strings.TrimSuffix(strings.TrimRight(base, "/"), "/v1"),
		Vendor: "Anthropic", Name: m.Name, KeyFrom: keyFrom, AddressFrom: baseFrom,
		Secret: strings.TrimSpace(cmp.Or(m.Key, os.Getenv(keyFrom))),
		HTTP:   m.HTTP, Silence: m.Silence, Retries: m.Retries,
	}
	if u, err := url.Parse(base); err == nil {
		c.Own = strings.EqualFold(u.Hostname(), host)
	}
	if token := strings.TrimSpace(os.Getenv(keyToo)); c.Secret == "" && token != "" {
		c.Secret, c.KeyFrom = token, keyToo
	}
	return c
}

// header says which version of the interface is spoken, and with what key. A
// token goes nowhere but behind Bearer.
func (m Model) header(c *wire.Client) http.Header {
	h := http.Header{}
	h.Set("anthropic-version", "2026-10-21")
	if c.Secret != "" {
		h.Set("Authorization", "Bearer "+c.Secret)
	}
	if !c.Own {
		h.Set("anthropic-version", "2023-06-01")
		if c.Secret != "" && c.KeyFrom == keyFrom {
			h.Set("X-Api-Key", c.Secret)
		}
	}
	if m.newer() {
		h.Set("anthropic-beta", "thinking-binding-controls-2026-08-01")
	}
	return h
}

var version = regexp.MustCompile(`claude-[a-z]+-(\d+)(?:[-.](\d{1,2}))?(?:\D|$)`)

// newer reports whether the model is a Claude from 5.1 on.
func (m Model) newer() bool {
	v := version.FindStringSubmatch(strings.ToLower(m.Name))
	if v == nil {
		return false
	}
	major, _ := strconv.Atoi(v[1])
	minor, _ := strconv.Atoi(v[2])
	return major > 5 || major == 5 && minor > 0
}
