// Package anthropic asks Claude models, over Anthropic's official client.
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
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/spoorhq/spoor/internal/wire"
	"github.com/spoorhq/spoor/model"
)

const (
	provider = "anthropic"
	host     = "api.anthropic.com"
	keyFrom  = "ANTHROPIC_API_KEY"
	keyToo   = "ANTHROPIC_AUTH_TOKEN"
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
func (m Model) Check() error {
	base, own := m.server()
	key, _ := m.key()
	u, err := url.Parse(base)
	switch {
	case m.Name == "":
		return &model.Error{Fault: model.FaultNoModel, Message: "no model is named; give anthropic.Model the Name of one"}
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		shown := base[strings.LastIndexByte(base, '@')+1:] // no password
		return &model.Error{Fault: model.FaultUnreachable, Message: fmt.Sprintf("%q is not the address of a server; write it as https://%s", shown, host)}
	case own && key == "":
		return &model.Error{Fault: model.FaultKey, Message: fmt.Sprintf("Anthropic wants a key, and there is none; set %s", keyFrom)}
	}
	return nil
}

// Call asks the model.
func (m Model) Call(ctx context.Context, req *model.Request, emit func(model.Delta)) (model.Reply, error) {
	if err := m.Check(); err != nil {
		return model.Reply{}, err
	}
	for _, t := range req.Tools {
		if t.Schema != "" && !json.Valid([]byte(t.Schema)) {
			return model.Reply{}, &model.Error{Fault: model.FaultRequest, Message: fmt.Sprintf("the schema of the tool %s is not JSON", t.Name)}
		}
	}
	base, own := m.server()
	key, token := m.key()
	c := wire.Client{Base: base, Name: m.Name, KeyFrom: keyFrom, Secret: key, HTTP: m.HTTP, Silence: m.Silence, Retries: m.Retries}
	if token {
		c.KeyFrom = keyToo
	}
	options := []option.RequestOption{
		option.WithoutEnvironmentDefaults(), option.WithoutOpenTelemetry(),
		option.WithBaseURL(base), option.WithMaxRetries(0),
	}
	if key != "" {
		options = append(options, option.WithAPIKey(key))
	}
	if !own {
		options = append(options, option.WithHeader("anthropic-version", "2023-06-01"))
		if key != "" && !token {
			options = append(options, option.WithHeader("X-Api-Key", key))
		}
	}
	if m.newer() {
		options = append(options, option.WithHeader("anthropic-beta", string(sdk.AnthropicBetaThinkingBindingControls2026_08_01)))
	}
	client := sdk.NewClient(options...)
	params, names := m.request(req)
	return c.Do(ctx, emit, func(ctx context.Context, through *http.Client, emit func(model.Delta)) (model.Reply, error) {
		return read(client.Messages.NewStreaming(ctx, params, option.WithHTTPClient(through)), names, emit)
	})
}

// server is the address, and whether it is Anthropic's own.
func (m Model) server() (base string, own bool) {
	base = strings.TrimSpace(cmp.Or(m.BaseURL, os.Getenv("ANTHROPIC_BASE_URL"), "https://"+host))
	base = strings.TrimSuffix(strings.TrimRight(base, "/"), "/v1")
	u, err := url.Parse(base)
	return base, err == nil && strings.EqualFold(u.Hostname(), host)
}

// key is the key, and whether it is a token, which goes nowhere but behind
// Bearer.
func (m Model) key() (key string, token bool) {
	if key = strings.TrimSpace(cmp.Or(m.Key, os.Getenv(keyFrom))); key != "" {
		return key, false
	}
	key = strings.TrimSpace(os.Getenv(keyToo))
	return key, key != ""
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
