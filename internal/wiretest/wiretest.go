// Package wiretest is what every adapter to a model server must do, as tests in
// no provider's words. An adapter says in a [Wire] how its provider writes and
// reads, and runs the [Suite].
//
// Each test runs in a bubble of testing/synctest over a network in memory, so
// waits cost nothing, times are exact, and a goroutine left behind is an error.
package wiretest

import (
	"net/http"
	"time"

	"github.com/spoorhq/spoor/model"
)

// A Suite is an adapter under test.
type Suite struct {
	Provider string // the name that the adapter tags its parts with, see wire.Tag
	KeyFrom  string // the environment variable that holds the key
	Failures bool   // whether the provider has a mark for a result that failed
	Longest  int    // of a tool's name at the provider, in bytes

	Wire

	// Open makes the model of a configuration.
	Open func(Config) model.Model
}

// A Config is what an adapter is told. Zero fields mean what they mean to it.
type Config struct {
	Name      string
	BaseURL   string
	Key       string
	MaxTokens int
	HTTP      *http.Client
	Silence   time.Duration
	Retries   int
}

// A Wire is how a provider writes answers and reads requests.
type Wire interface {
	// Stream is an answer as the provider streams it, event by event, each
	// with the blank line after it. Each of the texts is in an event of its
	// own, and arguments are in several.
	Stream(Answer) []string

	// Ping is an event, or a comment, that only says that the server is there.
	Ping() string

	// Failure is an event that says within a stream that the provider failed.
	Failure(fault model.Fault, message string) string

	// Refusal is what the provider answers in place of a stream. If it has no
	// code for a fault, its message is what it is known by.
	Refusal(fault model.Fault, message string) (status int, body string)

	// Read says what the body of a request says, or what a provider would
	// find wrong with it.
	Read(body []byte) (Seen, error)

	// Key is the key that a request brings; empty if it brings none.
	Key(http.Header) string
}

// An Answer is what a model says.
type Answer struct {
	Model    string
	Thinking string   // before the text; its signature is the wire's to make, and to look at in Read
	Text     []string // bits of one text
	Calls    []Call
	Usage    model.Usage // Cached and Written are part of Input, Thinking of Output, as everywhere
	Stop     model.Stop
}

// A Call is a tool call of an answer.
type Call struct {
	ID   string // the provider's own
	Name string // as the provider knows the tool
	Args string // JSON, to be sent byte for byte; empty if the model sends no arguments
}

// Seen is what a request says. The provider's stream must be asked for.
type Seen struct {
	Model     string
	System    []string
	Messages  []Message // the sides alternate, whatever the provider calls its roles
	Tools     []model.ToolSpec
	Choice    string // the tool that must be called
	MaxTokens int
}

// A Message is all that one side says before the other one speaks.
type Message struct {
	Assistant bool
	Parts     []Part
}

// A Part is a part of a message, as the provider reads it. Content of a result
// that is no text follows the result, or stands later in the same message.
type Part struct {
	Kind   model.Kind // of Text, Call, Result, Thinking, Image, Document
	ID     string     // of a call and a result
	Name   string     // of a call: the tool, as the provider knows it
	Text   string     // the text, the thinking, the arguments byte for byte, or the content, decoded
	Media  string     // of an image and a document
	Failed bool       // of a result that is marked so
}
