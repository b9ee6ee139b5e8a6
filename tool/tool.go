// Package tool is a tool that an agent may call: a name, a schema and a
// function.
package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// A Tool is one tool. It is data but for Call; copy it to change a field.
type Tool struct {
	Name        string
	Description string

	// Schema is the JSON Schema of the arguments, an object. If empty, any
	// object is accepted.
	Schema string

	// Timeout is how long one call may take; then its context is done, and
	// nobody waits for it any more. If zero, it is a minute.
	Timeout time.Duration

	// Repeatable says that a call which may have been carried out already is
	// safe to make again, after a crash.
	Repeatable bool

	// Call runs the tool. The arguments are one JSON object. The result is
	// what the model is told: text, usually JSON, or the envelope that Unwrap
	// knows. An *ArgumentError says that the call did not reach the tool. Call
	// returns soon after ctx is done; one that does not is left behind. It
	// must be safe for concurrent use.
	Call func(ctx context.Context, args string) (string, error)
}

// An ArgumentError says that the arguments of a call are not what the tool
// takes.
type ArgumentError struct{ Err error }

func (e *ArgumentError) Error() string {
	return "the arguments are not what the tool takes: " + e.Err.Error()
}
func (e *ArgumentError) Unwrap() error { return e.Err }

// New makes a tool of a function. Its schema is that of In, a struct whose
// fields have json tags and whose jsonschema tags describe them; a field that
// may be left out has omitempty or omitzero. The result is Out in JSON, which
// is exactly what a guard reads; a string is told as it is. Integers keep every
// digit both ways.
//
// New panics if In or Out has no JSON Schema, since only the program that
// makes the tool can put that right.
func New[In, Out any](name, description string, fn func(context.Context, In) (Out, error)) Tool {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %T has no schema: %v", name, *new(In), err))
	}
	if schema.Type != "object" {
		panic(fmt.Sprintf("tool %s: the arguments must be a struct, not %T", name, *new(In)))
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", name, err))
	}
	text, err := json.Marshal(schema)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", name, err))
	}
	return Tool{
		Name: name, Description: description, Schema: string(text),
		Call: func(ctx context.Context, args string) (string, error) {
			var in In
			if err := decode(args, resolved, &in); err != nil {
				return "", &ArgumentError{err}
			}
			out, err := fn(ctx, in)
			if err != nil {
				return "", err
			}
			return encode(out)
		},
	}
}

// decode reads arguments that the schema accepts. They are read twice, since
// checking goes through float64 and the digits of an integer must not.
func decode(args string, schema *jsonschema.Resolved, in any) error {
	var loose any
	if err := json.Unmarshal([]byte(args), &loose); err != nil {
		return err
	}
	if err := schema.Validate(loose); err != nil {
		return err
	}
	return json.Unmarshal([]byte(args), in)
}

func encode(out any) (string, error) {
	if text, ok := out.(string); ok {
		return text, nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}
