package wire

import (
	"cmp"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
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

func failed(f model.Fault, status int, format string, args ...any) *model.Error {
	return &model.Error{Fault: f, Status: status, Message: fmt.Sprintf(format, args...)}
}

// fault makes one kind of error of what went wrong in an attempt.
func (a *attempt) fault(err error) *model.Error {
	at := a.address()
	said, isSaid := errors.AsType[*Said](err)
	broken, isBroken := errors.AsType[*broken](err)
	switch {
	case a.refusal != nil:
		return a.refusal
	case isSaid:
		return a.judge(0, said.Body)
	case isBroken:
		return failed(model.FaultBroken, 0, "the answer of %s is no answer: %s", at, a.line(broken.what))
	case a.cause == errSilent:
		return failed(model.FaultSilent, 0, "%s said nothing for %s; see whether it is at work, or ask a faster model", at, span(a.silence()))
	case a.cause == errLong, a.cause == errLarge:
		return failed(model.FaultBroken, 0, "the answer of %s was given up: %v", at, a.cause)
	case a.header == nil:
		return a.unanswered(err)
	case a.cut != nil:
		return failed(model.FaultBroken, 0, "the answer of %s was cut off: the connection broke in the middle of it", at)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return failed(model.FaultBroken, 0, "the answer of %s was cut off: it ends before its end", at)
	}
	return failed(model.FaultBroken, 0, "the answer of %s is no answer: it cannot be read", at)
}

// unanswered makes an error of a request to which no answer came.
func (a *attempt) unanswered(err error) *model.Error {
	at := a.address()
	has := func(words string) bool { return strings.Contains(err.Error(), words) }
	is := func(list ...error) bool {
		return slices.ContainsFunc(list, func(e error) bool { return errors.Is(err, e) })
	}
	certificate, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	network, ok := errors.AsType[net.Error](err)
	switch {
	case has("net/http: invalid header field"):
		return failed(model.FaultRequest, 0, "the request to %s cannot be made: one of its headers has a character that no header has", at)
	case has("failed to parse Location header"):
		return failed(model.FaultRequest, 0, "%s sends us to another address, which is none; see whether the address is right, with its /v1", at)
	case has("server gave HTTP response to HTTPS client"), has("first record does not look like a TLS handshake"):
		return failed(model.FaultRequest, 0, "%s speaks no TLS; if it is right to do so, write http:// in place of https://", at)
	case has(`malformed HTTP response "\x15\x03`):
		return failed(model.FaultRequest, 0, "%s speaks TLS; write https:// in place of http://", at)
	case has("malformed HTTP"):
		return failed(model.FaultBroken, 0, "%s speaks no HTTP; see whether the address is right", at)
	case untrusted:
		return failed(model.FaultRequest, 0, "the certificate of %s is not trusted here: %s", at, a.line(reason(certificate.Err)))
	case ok && network.Timeout() && a.sent.Load():
		return failed(model.FaultSilent, 0, "%s said nothing for as long as the HTTP client waits; see whether it is at work", at)
	case a.sent.Load(), is(io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE):
		return failed(model.FaultBroken, 0, "%s closed the connection without an answer; see whether it is at work, and whether the address is right", at)
	}
	return failed(model.FaultUnreachable, 0, "%s cannot be reached: %s; see whether the server runs there, and whether the address is right", at, a.line(reason(err)))
}

// reason is the inmost error of a connection that failed: no host, no port.
func reason(err error) string {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		return "there is no host " + dns.Name
	}
	if network, ok := errors.AsType[net.Error](err); ok && network.Timeout() {
		return "nothing came in time"
	}
	for inner := err; inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	_, words, ok := strings.Cut(err.Error(), ": ") // x509: and the like
	if first, _, _ := strings.Cut(err.Error(), ": "); !ok || strings.Contains(first, " ") {
		return err.Error()
	}
	return words
}

// refused makes an error of an answer that is not 200.
func (c *Client) refused(resp *http.Response, body string) *model.Error {
	status, at := resp.StatusCode, c.address()
	to := c.line(resp.Header.Get("Location"))
	switch {
	case status < 300:
		return failed(model.FaultRequest, status, "%s answers without an answer (status %d); see whether the address is right, with its /v1", at, status)
	case status < 400 && to == "":
		return failed(model.FaultRequest, status, "%s sends us elsewhere, and does not say where (status %d); see whether the address is right, with its /v1", at, status)
	case status < 400:
		return failed(model.FaultRequest, status, "%s sends us to another address, %s, and no key is sent there unasked; set the address to it if it is right", at, to)
	}
	return c.judge(status, body)
}

// A rule tells a fault by what is machine readable, a code or a status, and by
// words where a server has no code for it. The status 0 is that of an error
// within a stream.
type rule struct {
	fault    model.Fault
	codes    []string // whatever the status
	statuses []int    // with one of the words, if there are any
	words    []string
}

// rules are in order: the first one that holds tells.
var rules = []rule{
	{model.FaultKey, nil, []int{401}, nil},
	{model.FaultQuota, []string{"insufficient_quota", "billing_error", "billing_not_active", "billing_hard_limit_reached", "insufficient_balance"}, []int{402}, nil},
	{model.FaultQuota, nil, []int{400, 0}, []string{"credit balance is too low"}},
	{model.FaultKey, []string{"authentication_error", "invalid_api_key", "missing_api_key", "api_key_invalid", "permission_error", "permission_denied", "unauthenticated"},
		[]int{403}, []string{"api key", "api-key", "api_key", "permission", "authentication", "unauthorized"}},
	{model.FaultKey, nil, []int{400, 0}, []string{"api key not valid"}},
	{model.FaultNoTools, nil, []int{400, 404, 422, 0}, []string{"does not support tools", "does not support function", "no endpoints found that support tool",
		"tool use is not supported", "tool calling is not supported", "tools are not supported", "enable-auto-tool-choice"}},
	{model.FaultNoTools, nil, []int{400, 500, 0}, []string{"tools param requires --jinja"}},
	{model.FaultTooLong, []string{"context_length_exceeded", "exceed_context_size_error", "request_too_large"}, []int{400, 422, 0},
		[]string{"context length", "context size", "context window", "maximum context", "prompt is too long", "too many tokens"}},
	{model.FaultTooLong, nil, []int{413}, nil},
	{model.FaultNoModel, []string{"model_not_found"}, []int{404}, []string{"model"}},
	{model.FaultRateLimit, []string{"rate_limit_error", "rate_limit_exceeded", "too_many_requests"}, []int{429}, nil},
	{model.FaultOverloaded, []string{"overloaded_error"}, []int{503, 529}, nil},
	{model.FaultOverloaded, nil, []int{0}, []string{"overloaded"}},
	{model.FaultServer, nil, []int{408, 409, 500, 502, 504}, nil},
	{model.FaultRequest, []string{"invalid_request_error"}, nil, nil},
}

func (r *rule) holds(status int, codes []string, text string) bool {
	return slices.ContainsFunc(codes, func(c string) bool { return slices.Contains(r.codes, c) }) ||
		slices.Contains(r.statuses, status) && (len(r.words) == 0 || slices.ContainsFunc(r.words, func(w string) bool { return strings.Contains(text, w) }))
}

// judge tells from the status and the words of a server what is wrong.
func (c *Client) judge(status int, body string) *model.Error {
	codes, text := explanation(body)
	judged, of := status, ""
	if status != 0 {
		of = fmt.Sprintf(" (status %d)", status)
	}
	for _, code := range codes {
		if n, err := strconv.Atoi(code); err == nil && status == 0 && n >= 400 && n < 600 {
			judged = n
		}
	}
	fault := model.FaultRequest
	if i := slices.IndexFunc(rules, func(r rule) bool { return r.holds(judged, codes, strings.ToLower(text)) }); i >= 0 {
		fault = rules[i].fault
	} else if judged == 0 || judged >= 500 {
		fault = model.FaultServer
	}

	text = c.hider().Text(text)
	if status == 401 || status == 403 || fault == model.FaultKey {
		text = c.masked(text)
	}
	text = c.line(text)
	say := func(what, todo string) *model.Error {
		if text != "" && todo != "" {
			text = strings.TrimRight(text, ".;: ")
		}
		for _, more := range []struct{ sep, text string }{{": ", text}, {"; ", todo}} {
			if more.text != "" {
				what += more.sep + more.text
			}
		}
		return failed(fault, status, "%s", what)
	}
	at := c.address()
	switch fault {
	case model.FaultKey:
		if c.Secret == "" {
			return say(at+" wants a key, and there is none", "set "+c.KeyFrom)
		}
		return say(at+" does not take the key", "see whether "+c.KeyFrom+" is right, and may use the model "+c.Name)
	case model.FaultQuota:
		return say("the account at "+at+" has nothing left to spend", "")
	case model.FaultNoTools:
		return say("the model "+c.Name+" at "+at+" cannot call tools, and a walk needs them", "name another model")
	case model.FaultTooLong:
		return say("the request is longer than the model "+c.Name+" reads", "")
	case model.FaultNoModel:
		return say(at+" has no model "+c.Name, "name one that it has")
	case model.FaultRateLimit:
		return say(at+" takes no more requests for now", "")
	case model.FaultOverloaded:
		return say(at+" has too much to do", "")
	case model.FaultServer:
		if status == 0 {
			return say(at+" broke off its answer", "")
		}
		return say(at+" failed"+of, "")
	}
	switch {
	case status == 404, status == 405:
		return say("there is no model server at "+at+of, "see whether the address is right, with its /v1")
	case status == 400 && strings.Contains(text, "HTTP request") && strings.Contains(text, "HTTPS"):
		return say(at+" speaks TLS", "write https:// in place of http://")
	}
	return say(at+" refused the request"+of, "")
}

// explanation is what a server says of its error: codes for programs, in lower
// case, and a text for people. Servers differ in how they wrap them.
func explanation(body string) (codes []string, text string) {
	text = strings.TrimSpace(body)
	for range 5 {
		inner := text
		var list []json.RawMessage
		if json.Unmarshal([]byte(text), &list) == nil && len(list) > 0 {
			inner = string(list[0])
		}
		var o map[string]json.RawMessage
		if json.Unmarshal([]byte(inner), &o) != nil {
			break
		}
		var raw struct{ Raw any }
		var details []struct{ Reason string }
		json.Unmarshal(o["metadata"], &raw) // of OpenRouter, which passes on what others say
		json.Unmarshal(o["details"], &details)
		for _, name := range []string{"type", "code", "status"} {
			codes = append(codes, plain(o[name]))
		}
		for _, d := range details {
			codes = append(codes, d.Reason)
		}
		more, _ := raw.Raw.(string)
		if more = cmp.Or(more, plain(o["error"]), plain(o["message"])); more == "" {
			text = cmp.Or(plain(o["detail"]), text)
			break
		}
		text = strings.TrimSpace(more)
	}
	for i := range codes {
		codes[i] = strings.ToLower(codes[i])
	}
	codes = slices.DeleteFunc(codes, func(c string) bool { return c == "" })
	if strings.HasPrefix(text, "<") || text == "{}" || text == "[]" { // a page of HTML, or nothing
		text = ""
	}
	return codes, text
}

// plain is a JSON value as a text.
func plain(v json.RawMessage) string {
	var s *string
	if json.Unmarshal(v, &s) != nil {
		return string(v)
	}
	if s == nil {
		return ""
	}
	return *s
}

var wording = regexp.MustCompile("[^\\s\"'`(){}\\[\\],;:=<>]+")

// masked takes what may be a part of the key out of what a server says of it:
// words with stars, and those that begin as the key does.
func (c *Client) masked(text string) string {
	return wording.ReplaceAllStringFunc(text, func(word string) string {
		bare := strings.TrimRight(word, ".!?")
		if strings.Contains(bare, "*") || len(c.Secret) > 4 && strings.HasPrefix(bare, c.Secret[:4]) {
			return "[key]" + word[len(bare):]
		}
		return word
	})
}

// line makes what others say a part of a sentence, without the key.
func (c *Client) line(s string) string {
	s = strings.ToValidUTF8(c.hider().Text(s), "\uFFFD")
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if r := []rune(s); len(r) > 300 {
		return string(r[:299]) + "…"
	}
	return s
}
