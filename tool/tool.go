// Package tool is a tool that an agent may call: a name, a schema and a
// function.
package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/model"
)

// A Tool is one tool. It is data but for Call; copy it to change a field.
type Tool struct {
	Name        string
	Description string

	// Schema is the JSON Schema of the arguments, an object; the model is told
	// it. If empty, any object will do.
	Schema string

	// Output is the JSON Schema that the tool's results follow, if it says so.
	// It is recorded; the model is not told it, and no result is held to it
	// here.
	Output string

	// Timeout is how long one call may take; then its context is done, and
	// nobody waits for it any more. If zero, it is a minute.
	Timeout time.Duration

	// Repeatable says that a call which may have been carried out already is
	// safe to make again, after a crash.
	Repeatable bool

	// Call runs the tool. The arguments are one JSON object. An *ArgumentError
	// says that the call did not reach the tool, a *Question that a person must
	// answer first. Call returns soon after ctx is done; one that does not is
	// left behind. It must be safe for concurrent use.
	Call func(ctx context.Context, args string) (Result, error)
}

// A Result is what a call brought back.
type Result struct {
	// Text is what the model is told, byte for byte, and what guards read. It
	// is usually JSON. Without a Status it may be the envelope that Unwrap knows.
	Text string

	// Status is what the tool declares of its result. If empty, it declares
	// nothing, which is not the same as success.
	Status spoor.Status

	// Effects are what the tool asks of the walk. Those of an envelope are taken
	// only if there are none here, and no Status.
	Effects []spoor.Effect

	// More is what the model is shown besides: images, documents and further
	// texts, made by model.NewPart(model.Tool, …), with their media types. No
	// guard reads it.
	More []model.Part
}

// An ArgumentError says that the arguments of a call are not what the tool
// takes.
type ArgumentError struct{ Err error }

func (e *ArgumentError) Error() string {
	return "the arguments are not what the tool takes: " + e.Err.Error()
}
func (e *ArgumentError) Unwrap() error { return e.Err }

// A Question is the error of a call that needs a person: the turn waits for an
// answer, perhaps for days and in another process, and then the tool is called
// again, with the same arguments and the answer in its context. What it did
// before it asked, it does again.
type Question struct{ Text string }

func (q *Question) Error() string { return "a person is asked: " + q.Text }

type answerKey struct{}

// Answer is what a person said to the last Question of this call; ok is false
// if it has asked none.
func Answer(ctx context.Context) (text string, ok bool) {
	text, ok = ctx.Value(answerKey{}).(string)
	return text, ok
}

// WithAnswer is the context of a call whose Question was answered.
func WithAnswer(ctx context.Context, text string) context.Context {
	return context.WithValue(ctx, answerKey{}, text)
}

// New makes a tool of a function. Its schema is that of In, a struct whose
// fields have json tags and whose jsonschema tags describe them; a field that
// may be left out has omitempty or omitzero. The result is Out in JSON, which
// is exactly what a guard reads; a string is told as it is. Integers keep every
// digit both ways. Arguments are checked as Checked does.
//
// New panics if In is no struct, or In or Out has no JSON form, since only the
// program that makes the tool can put that right.
func New[In, Out any](name, description string, fn func(context.Context, In) (Out, error)) Tool {
	if t := reflect.TypeFor[In](); t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("tool %s: the arguments must be a struct, not %v", name, t))
	}
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v has no schema: %v", name, reflect.TypeFor[In](), err))
	}
	if kind := reflect.TypeFor[Out]().Kind(); kind == reflect.Chan || kind == reflect.Func {
		panic(fmt.Sprintf("tool %s: a result of type %v has no JSON form", name, reflect.TypeFor[Out]()))
	}
	text, err := json.Marshal(schema)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", name, err))
	}
	t, err := Checked(Tool{
		Name: name, Description: description, Schema: string(text),
		Call: func(ctx context.Context, args string) (Result, error) {
			var in In
			if err := json.Unmarshal([]byte(args), &in); err != nil {
				return Result{}, &ArgumentError{err}
			}
			out, err := fn(ctx, in)
			if err != nil {
				return Result{}, err
			}
			text, err := encode(out)
			return Result{Text: text}, err
		},
	})
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", name, err))
	}
	return t
}

// Checked is t with a Call that compares the arguments with the schema before
// it calls: those that are not what the schema says end in an *ArgumentError.
// The tool gets them as they were written, with every digit. The error says
// that Schema is no JSON Schema.
func Checked(t Tool) (Tool, error) {
	check, err := Validator(t.Schema)
	if err != nil {
		return Tool{}, err
	}
	call := t.Call
	t.Call = func(ctx context.Context, args string) (Result, error) {
		if err := check(args); err != nil {
			return Result{}, &ArgumentError{err}
		}
		return call(ctx, args)
	}
	return t, nil
}

func encode(out any) (string, error) {
	v := reflect.ValueOf(out)
	if _, own := out.(json.Marshaler); !own && v.Kind() == reflect.String {
		return v.String(), nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}
