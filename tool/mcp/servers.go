// Package mcp makes tools of the tools of MCP servers: programs that are
// started here, and spoken to over their standard input and output.
//
// What a server answers is read as it stands on the wire, so that every digit
// and the order of keys survive in schemas, arguments and results. A server is
// told little: it does not get our environment, and is offered no roots, no
// sampling and no elicitation. What it prints that is no message is skipped.
//
// The text of a result is its structured content, or the text with the same
// value; without either, all its texts. What else it holds, and texts that say
// more than the structured content, are shown besides.
//
// A call that fails is an error of one sentence that names the server. A result
// that the server calls an error has the status failure. One that breaks the
// promise of its output schema, or is none, or has more than 1,000 blocks or 1
// MiB of text, has invalid and a sentence for its text. Any other has no status.
package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spoorhq/spoor/internal/secret"
	"github.com/spoorhq/spoor/tool"
)

// A Server says how one MCP server is started.
type Server struct {
	// Name is what messages call it.
	Name string

	// Command is a path, or a name that is looked up in our own PATH.
	Command string
	Args    []string

	// Dir is the working directory. If empty, it is ours.
	Dir string

	// Env is added to the few variables that every server gets, such as PATH,
	// HOME and LANG. A value of six bytes or more is replaced by ${NAME} in
	// errors and in what is logged. If the name has KEY, TOKEN, SECRET, PASS,
	// AUTH, CRED or PRIVATE in it, in any case, the value is a secret, and is
	// replaced in results, descriptions and schemas too.
	Env []Variable

	// StartTimeout is how long the server may take until its tools are known,
	// or are known anew. If zero, it is a minute.
	StartTimeout time.Duration
}

// A Variable is one variable of the environment of a server.
type Variable struct{ Name, Value string }

var confidential = regexp.MustCompile("(?i)KEY|TOKEN|SECRET|PASS|AUTH|CRED|PRIVATE")

// Servers are MCP servers that run. They belong to whoever opened them, who
// closes them. All methods, and the tools, are safe for concurrent use.
//
// A server that has ended is started again at the next call of one of its
// tools, or at the next Tools.
type Servers struct {
	all    []*server
	cancel context.CancelFunc
}

// Open starts the servers, all side by side, and returns once the tools of each
// are known. The error says for each that is not ready, in the given order, why
// and what to do, and which have tools of the same name; then none runs any more. Done, ctx ends the starts, but not a
// server that runs. What needs no error is logged; if log is nil, it is
// slog.Default.
func Open(ctx context.Context, log *slog.Logger, servers ...Server) (*Servers, error) {
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s := &Servers{cancel: cancel}
	for _, one := range servers {
		one.Args, one.Env = slices.Clone(one.Args), slices.Clone(one.Env)
		one.StartTimeout = cmp.Or(one.StartTimeout, time.Minute)
		one := &server{Server: one, log: cmp.Or(log, slog.Default()), base: base, warned: map[string]bool{}}
		var values, secrets []secret.Value
		for _, v := range one.Env {
			value := secret.Value{Text: v.Value, Shown: "${" + v.Name + "}"}
			if values = append(values, value); confidential.MatchString(v.Name) {
				secrets = append(secrets, value)
			}
		}
		one.values, one.secrets = secret.New(values...), secret.New(secrets...)
		s.all = append(s.all, one)
	}
	if err := s.each(func(_ int, one *server) error {
		_, err := one.session(ctx)
		return err
	}); err != nil {
		s.Close()
		return nil, err
	}
	if err := s.distinct(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// distinct says which servers have tools of the same name, which no model could
// tell apart.
func (s *Servers) distinct() error {
	var errs []error
	owner := map[string]string{}
	for _, one := range s.all {
		shared := map[string][]string{} // by the server that has them too
		for _, t := range one.known {
			if other, taken := owner[t.Name]; taken {
				shared[other] = append(shared[other], t.Name)
			} else {
				owner[t.Name] = one.Name
			}
		}
		for _, other := range slices.Sorted(maps.Keys(shared)) {
			names := shared[other]
			more := ""
			if n := len(names) - 3; n > 0 {
				names, more = names[:3], fmt.Sprintf(" and %d more", n)
			}
			errs = append(errs, fmt.Errorf("the MCP servers %q and %q have tools of the same name, %s%s: take one of the servers away", other, one.Name, strings.Join(names, ", "), more))
		}
	}
	return errors.Join(errs...)
}

// Tools returns the tools of all servers, in the order of the servers, then in
// that of the server. A server is asked only if it said that its list changed,
// or if it was started again. If it does not answer, its last known tools are
// returned, and why is logged. After a change two servers may offer the same name. The error
// says that ctx is done, or that the servers are closed.
func (s *Servers) Tools(ctx context.Context) ([]tool.Tool, error) {
	lists := make([][]tool.Tool, len(s.all))
	err := s.each(func(i int, one *server) (err error) {
		lists[i], err = one.tools(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return slices.Concat(lists...), nil
}

// Close ends all servers and waits for them: their input ends, two seconds
// later they are asked to terminate, and after two more they are killed, with
// all that they started. Calls under way fail. The error is nil.
func (s *Servers) Close() error {
	s.cancel()
	return s.each(func(_ int, one *server) error {
		one.close()
		return nil
	})
}

// each does the same for all servers at once; its error is theirs, in order.
func (s *Servers) each(do func(int, *server) error) error {
	errs := make([]error, len(s.all))
	var all sync.WaitGroup
	for i, one := range s.all {
		all.Go(func() { errs[i] = do(i, one) })
	}
	all.Wait()
	return errors.Join(errs...)
}
