// Package model is the port to a language model: what is asked, what comes
// back, and one interface between them.
//
// Every word that goes in or out is a [Part], and the bytes of a part are a
// piece, named by their SHA-256. So a recording stores each piece once, however
// often it is sent, and a word of an answer can be traced to the piece that it
// came from.
package model

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// A Digest names a piece: the SHA-256 of its bytes. As text it is 64
// hexadecimal digits. The zero Digest names nothing.
type Digest [sha256.Size]byte

// Sum names the bytes of data.
func Sum(data string) Digest {
	var short [512]byte
	if len(data) <= len(short) {
		return sha256.Sum256(short[:copy(short[:], data)])
	}
	return sha256.Sum256([]byte(data))
}

func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText writes the 64 digits.
func (d Digest) MarshalText() ([]byte, error) {
	return hex.AppendEncode(nil, d[:]), nil
}

// UnmarshalText reads 64 hexadecimal digits.
func (d *Digest) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(d)) {
		return fmt.Errorf("a digest has %d hexadecimal digits, not %d characters", hex.EncodedLen(len(d)), len(text))
	}
	_, err := hex.Decode(d[:], text)
	return err
}

// Role says who speaks a part.
type Role string

const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Kind says what a part is.
type Kind string

const (
	Text     Kind = "text"
	Call     Kind = "call"   // a tool call; Data is its arguments, in JSON
	Result   Kind = "result" // what a call brought back
	Thinking Kind = "thinking"
	Image    Kind = "image"
	Document Kind = "document"
	Note     Kind = "note" // what spoor tells the model: never appended to a result

	// Instruction and Menu end a request, and are replaced in the next one: what
	// the agent's author says about this moment, and where the model may go.
	Instruction Kind = "instruction"
	Menu        Kind = "menu"
)

// A Part is one piece in its place: who speaks it, and as what. An assistant
// message is the parts of one reply, in order.
type Part struct {
	Role  Role   `json:"role"`
	Kind  Kind   `json:"kind"`
	Piece Digest `json:"piece"`

	Call   string `json:"call,omitempty"`   // of a call and its result: the id, which is spoor's own
	Tool   string `json:"tool,omitempty"`   // of a call and its result: the tool's name
	Status string `json:"status,omitempty"` // of a result: the status that it has, if any
	Skill  string `json:"skill,omitempty"`  // of a body: the skill that it belongs to
	Media  string `json:"media,omitempty"`  // media type; empty for text and JSON

	// Provider is what an adapter needs to send the part back as it came: a
	// signature, a foreign call id. Nothing else reads it.
	Provider string `json:"provider,omitempty"`

	// Data is the bytes that Piece names. It does not travel with the part:
	// whoever stores a part stores its piece once, and puts Data back.
	Data string `json:"-"`
}

// NewPart is the part of data, with its piece named.
func NewPart(role Role, kind Kind, data string) Part {
	return Part{Role: role, Kind: kind, Piece: Sum(data), Data: data}
}

// A ToolSpec is a tool as it is offered to a model.
type ToolSpec struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Schema      string `json:"schema,omitempty"` // JSON Schema of the arguments; empty means any object
}

// Purpose says what a model call is for.
type Purpose string

const (
	Answer   Purpose = "answer"
	Decide   Purpose = "decide"
	Classify Purpose = "classify"
	Compact  Purpose = "compact"
)

// A Request is what one model call is asked. A model must not change it, nor
// keep it after the call: the next request is built in the same memory.
type Request struct {
	Purpose   Purpose
	Parts     []Part
	Tools     []ToolSpec // offered, in order
	Choice    string     // the one of Tools that the model must call; empty leaves it free
	Skill     string     // where the walk stands; empty if nowhere
	Iteration int        // from 1
}

// A Reply is one whole answer of a model. It belongs to the caller.
type Reply struct {
	// Parts have the role Assistant and the kinds text, call and thinking.
	// A call part names its tool; its Call id is overwritten by spoor's own,
	// so a provider's id belongs in Provider.
	Parts []Part
	Usage Usage

	Model    string    // what answered, as its provider names it; empty if it did not say
	Stop     Stop      // what ended the answer before its end
	Wire     Wire      // what was sent
	Attempts []Attempt // those that failed before it
}

// Stop says what ended an answer before its end. Empty: nothing did.
type Stop string

const (
	StopLength  Stop = "length"  // a limit of tokens cut it off
	StopRefusal Stop = "refusal" // the model or its provider would not say it
)

// Usage is what a call cost, in tokens. Zero means none, or not known.
type Usage struct {
	Input    int `json:"input,omitempty"` // all of the request, from a cache or not
	Output   int `json:"output,omitempty"`
	Cached   int `json:"cached,omitempty"`   // of Input, read from the provider's cache
	Written  int `json:"written,omitempty"`  // of Input, written to the provider's cache
	Thinking int `json:"thinking,omitempty"` // of Output
}

// Wire names the bytes that an adapter sent: the body of its HTTP request. The
// same request, given to the same adapter, is the same bytes. It is zero where
// nothing was sent.
type Wire struct {
	SHA256 string `json:"sha256"` // in hexadecimal digits; the bytes are no piece
	Bytes  int    `json:"bytes"`
}

// A Fault says of what kind the error of a model call is.
type Fault string

const (
	FaultKey         Fault = "key"         // no key, or one that the server does not take
	FaultNoModel     Fault = "no-model"    // the server has no model of that name
	FaultNoTools     Fault = "no-tools"    // the model cannot call tools
	FaultTooLong     Fault = "too-long"    // the request is longer than the model reads
	FaultQuota       Fault = "quota"       // the account has nothing left to spend
	FaultRequest     Fault = "request"     // the server refused the request for another reason
	FaultRateLimit   Fault = "rate-limit"  // too many requests
	FaultOverloaded  Fault = "overloaded"  // the server has too much to do
	FaultServer      Fault = "server"      // the server failed
	FaultUnreachable Fault = "unreachable" // no server answered
	FaultSilent      Fault = "silent"      // the server fell silent
	FaultBroken      Fault = "broken"      // the answer was cut off, or is none
)

// Passing reports whether the same call may succeed a little later.
func (f Fault) Passing() bool {
	switch f {
	case FaultRateLimit, FaultOverloaded, FaultServer, FaultUnreachable, FaultSilent, FaultBroken:
		return true
	}
	return false
}

// An Attempt is one try of a model call that failed, and was followed by
// another one, or by a stop.
type Attempt struct {
	Fault  Fault  `json:"fault"`
	Status int    `json:"status,omitempty"` // of HTTP
	Error  string `json:"error"`
	WaitMS int    `json:"waitMs,omitempty"` // how long the next one waited, in milliseconds
}

// An Error says why a model brought no answer. It holds no key.
type Error struct {
	Fault    Fault  // empty if the call was stopped
	Status   int    // of HTTP; zero if no answer came
	Message  string // one sentence: what happened, and what to do
	Wire     Wire
	Attempts []Attempt // those before the last one; of a call that was stopped, all
	Cause    error     // what it follows from, such as that ctx is done; may be nil
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Cause }

// A Delta is a bit of an answer while it arrives. Reset means that the call
// is tried again: what came before it is void.
type Delta struct {
	Text  string
	Reset bool
}

// A Model answers requests. Call may send deltas of the answer's text to emit
// before it returns, from its own goroutine, one at a time; emit is never nil.
// It returns soon after ctx is done. A Model is safe for concurrent use.
type Model interface {
	Call(ctx context.Context, req *Request, emit func(Delta)) (Reply, error)
}

// A Checker is a Model that can tell, without asking anybody, that it will not
// work: it has no key, or no name. The error says what to do.
type Checker interface{ Check() error }
