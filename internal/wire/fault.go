package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"unicode"

	"github.com/spoorhq/spoor/model"
)

// A Said is an error that a server wrote into a stream that had begun well.
type Said struct{ Body string }

func (e *Said) Error() string { return "the server reported an error: " + e.Body }

// Broken says that an answer is cut off, or is none.
func Broken(format string, args ...any) error { return &broken{fmt.Sprintf(format, args...)} }

type broken struct{ what string }

func (e *broken) Error() string { return e.what }

// fault makes one kind of error of what went wrong in an attempt.
func (c *Client) fault(a *attempt, err error) *model.Error {
	if a.fault != nil {
		return a.fault
	}
	make := func(f model.Fault, format string, args ...any) *model.Error {
		return &model.Error{Fault: f, Message: c.hide(fmt.Sprintf(format, args...))}
	}
	if said, ok := errors.AsType[*Said](err); ok {
		e := c.judge(0, said.Body)
		e.Status = 0
		return e
	}
	if b, ok := errors.AsType[*broken](err); ok {
		return make(model.FaultBroken, "the answer of %s is no answer: %s", c.address(), b.what)
	}
	switch {
	case errors.Is(err, errSilent):
		return make(model.FaultSilent, "%s said nothing for %v; see whether it is at work, or give it more time", c.address(), a.silence())
	case errors.Is(err, errLong), errors.Is(err, errLarge):
		return make(model.FaultBroken, "the answer of %s was given up: %v", c.address(), err)
	case a.wire == model.Wire{}:
		return make(model.FaultRequest, "the request to %s cannot be made: %s", c.address(), c.oneLine(err.Error()))
	case a.header == nil:
		return make(model.FaultUnreachable, "%s cannot be reached: %s; see whether the server runs there, and whether the address is right", c.address(), c.oneLine(reason(err)))
	}
	return make(model.FaultBroken, "the answer of %s was cut off: %s", c.address(), c.oneLine(err.Error()))
}

// reason is the inmost error of a connection that failed: no host, no port.
func reason(err error) string {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		return "there is no host " + dns.Name
	}
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// refused makes an error of an answer that is not 200.
func (c *Client) refused(resp *http.Response, body string) *model.Error {
	status := resp.StatusCode
	if status >= 300 && status < 400 {
		return &model.Error{Fault: model.FaultRequest, Status: status, Message: fmt.Sprintf(
			"%s sends us to another address, %s, and no key is sent there unasked; set the address to it if it is right", c.address(), c.oneLine(resp.Header.Get("Location")))}
	}
	return c.judge(status, body)
}

// judge tells from the status and the words of a server what is wrong.
func (c *Client) judge(status int, body string) *model.Error {
	code, said := explanation(body)
	if n, err := strconv.Atoi(code[strings.LastIndexByte(code, ' ')+1:]); err == nil && status == 0 && n >= 400 && n < 600 {
		status = n // said within a stream
	}
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(strings.ToLower(code+" "+said), w) {
				return true
			}
		}
		return false
	}
	quoted := ""
	if said != "" {
		quoted = ": " + c.oneLine(said)
	}
	e := func(f model.Fault, format string, args ...any) *model.Error {
		return &model.Error{Fault: f, Status: status, Message: fmt.Sprintf(format, args...)}
	}
	at := c.address()
	switch {
	case status == 401 || status == 403 || has("authentication_error", "invalid_api_key", "permission_error", "api key not valid"):
		// What the server says is not repeated: some repeat the key.
		if c.Secret == "" {
			return e(model.FaultKey, "%s wants a key, and there is none; set %s", at, c.KeyFrom)
		}
		return e(model.FaultKey, "%s does not take the key; see whether %s is right, and may use the model %s", at, c.KeyFrom, c.Name)
	case has("insufficient_quota", "billing_error", "credit balance") || status == 402:
		return e(model.FaultQuota, "the account at %s has nothing left to spend%s", at, quoted)
	case has("does not support tools", "does not support function", "no endpoints found that support tool", "tool use is not supported", "tool calling is not supported", "tools are not supported", "enable-auto-tool-choice", "requires --jinja"):
		return e(model.FaultNoTools, "the model %s at %s cannot call tools, and a walk needs them; name another model%s", c.Name, at, quoted)
	case status != 429 && has("context_length", "context length", "context size", "maximum context", "prompt is too long", "context window", "request_too_large", "too many tokens") || status == 413:
		return e(model.FaultTooLong, "the request is longer than the model %s reads%s", c.Name, quoted)
	case has("model_not_found", "not_found_error") || status == 404 && has("model"):
		return e(model.FaultNoModel, "%s has no model %s%s; name one that it has", at, c.Name, quoted)
	case status == 404 || status == 405:
		return e(model.FaultRequest, "there is no model server at %s (status %d); see whether the address is right, with its /v1", at, status)
	case status == 429 || has("rate_limit"):
		return e(model.FaultRateLimit, "%s takes no more requests for now%s", at, quoted)
	case status == 503 || status == 529 || has("overloaded"):
		return e(model.FaultOverloaded, "%s has too much to do%s", at, quoted)
	case status >= 500 || status == 408 || status == 409:
		return e(model.FaultServer, "%s failed (status %d)%s", at, status, quoted)
	case status == 0 && has("invalid_request"):
		return e(model.FaultRequest, "%s refused the request%s", at, quoted)
	case status == 0:
		return e(model.FaultServer, "%s broke off its answer%s", at, quoted)
	}
	return e(model.FaultRequest, "%s refused the request (status %d)%s", at, status, quoted)
}

// explanation is what a server says of its error: a code for programs and a
// text for people. Servers differ in how they wrap them.
func explanation(body string) (code, text string) {
	type words struct {
		Type    any             `json:"type"`
		Code    any             `json:"code"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
		Error   json.RawMessage `json:"error"`
	}
	for range 3 {
		var w words
		var list []json.RawMessage
		if json.Unmarshal([]byte(body), &list) == nil && len(list) > 0 {
			body = string(list[0])
		}
		if json.Unmarshal([]byte(body), &w) != nil {
			break
		}
		code = strings.TrimSpace(word(w.Type) + " " + word(w.Code))
		var s string
		switch {
		case len(w.Error) > 0 && w.Error[0] == '"' && json.Unmarshal(w.Error, &s) == nil:
			return code, s
		case len(w.Error) > 0 && w.Error[0] == '{':
			body = string(w.Error)
			continue
		case w.Message == "" && len(w.Detail) > 0:
			if json.Unmarshal(w.Detail, &s) == nil {
				return code, s
			}
			return code, string(w.Detail)
		}
		return code, w.Message
	}
	if strings.HasPrefix(strings.TrimSpace(body), "<") {
		return "", "" // a page of HTML
	}
	return "", body
}

func word(v any) string {
	switch v.(type) {
	case string, float64:
		return fmt.Sprint(v)
	}
	return ""
}

// oneLine makes what a server says a part of a sentence, without the key.
func (c *Client) oneLine(s string) string {
	s = strings.ToValidUTF8(c.hide(s), "\uFFFD")
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if r := []rune(s); len(r) > 300 {
		return string(r[:299]) + "…"
	}
	return s
}
