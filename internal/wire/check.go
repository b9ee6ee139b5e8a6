package wire

import (
	"errors"
	"net"
	"net/url"
	"strings"

	"github.com/spoorhq/spoor/model"
)

// Check says what would keep the model from working, without asking anybody.
// The error is a *model.Error. It does not repeat an address that may hold a
// password.
func (c *Client) Check() error {
	bad := func(f model.Fault, format string, args ...any) error {
		e := failed(f, 0, format, args...)
		e.Message = c.hider().Text(e.Message)
		return e
	}
	const example = "http://127.0.0.1:11434/v1"
	u, err := url.Parse(c.Base)
	none := err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https"
	switch {
	case strings.TrimSpace(c.Name) == "":
		return bad(model.FaultNoModel, "the model has no name; give it the one that its server knows")
	case strings.ContainsAny(c.Base, "?#"), strings.Contains(c.Base, "@") && (none || u.User != nil):
		return bad(model.FaultRequest, "the address of the model has a name, a password, a query or a fragment in it; write one such as %s, in %s or wherever it is set", example, c.AddressFrom)
	case none && c.Base != "" && !strings.Contains(c.Base, ":/") && !strings.HasPrefix(c.Base, "/"):
		return bad(model.FaultRequest, "the address of the model, %q, lacks its beginning; write %s, in %s or wherever it is set", c.Base, scheme(c.Base)+c.Base, c.AddressFrom)
	case none:
		why := "it begins with http:// or https://, and a host follows"
		if err != nil {
			why = reason(errors.Unwrap(err))
		}
		return bad(model.FaultRequest, "the address of the model, %q, is none: %s; write one such as %s, in %s or wherever it is set", c.Base, why, example, c.AddressFrom)
	case strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/completions"), strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/messages"):
		return bad(model.FaultRequest, "the address of the model, %q, is that of one request; end it before /chat/completions or /messages, in %s or wherever it is set", c.Base, c.AddressFrom)
	case c.Secret == "" && c.Own:
		return bad(model.FaultKey, "%s wants a key, and there is none; set %s", c.Vendor, c.KeyFrom)
	case strings.ContainsFunc(c.Secret, func(r rune) bool { return r <= ' ' || r > '~' }):
		return bad(model.FaultKey, "the key has a character that no key has, such as a blank, a line end or a curly quote; copy it once more, into %s or wherever it is set", c.KeyFrom)
	}
	return nil
}

// scheme is what most likely stands before an address.
func scheme(address string) string {
	host, _, _ := strings.Cut(address, "/")
	if _, _, err := net.SplitHostPort(host); err == nil || net.ParseIP(host) != nil || !strings.Contains(host, ".") {
		return "http://"
	}
	return "https://"
}

// address is the server as people name it: no password, no query.
func (c *Client) address() string {
	u, err := url.Parse(c.Base)
	if err != nil {
		return "the server"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}
