package spoor

import "time"

// Posture says how free the model is to move the walk with read_skill. What a
// tool proposes and what the map declares is never restricted.
type Posture string

const (
	PostureAssist Posture = "assist" // to any skill in reach; the default
	PostureGuard  Posture = "guard"  // from an open menu, to a skill that it offers
	PostureRails  Posture = "rails"  // not at all
)

// Limits are bounds of a turn beside MaxIterations. A limit that is zero does
// not bound. Before one is passed the model is asked once more, to wrap up, as
// far as it can be foreseen what that takes.
type Limits struct {
	ToolCalls int `json:"toolCalls,omitempty"`
	Tokens    int `json:"tokens,omitempty"` // read and written, of every model call

	// Cost is in the unit of Prices. A reply of a model that has no price there
	// ends the turn.
	Cost   float64 `json:"cost,omitempty"`
	Prices []Price `json:"prices,omitempty"`

	// Time does not run while the turn waits for a person, or for a process
	// that takes over.
	Time time.Duration `json:"timeNs,omitempty"`

	PingPong int `json:"pingPong,omitempty"` // moves to and fro between two skills
	Refusals int `json:"refusals,omitempty"` // refused reads without a move in between
}

// A Price is what a million tokens of a model cost. Model is its name, or the
// beginning of it; of several that fit, the longest counts.
type Price struct {
	Model   string  `json:"model"`
	Input   float64 `json:"input"`             // not from a cache
	Output  float64 `json:"output"`            //
	Cached  float64 `json:"cached,omitempty"`  // input that was read from a cache; zero: as Input
	Written float64 `json:"written,omitempty"` // input that was written to a cache; zero: as Input
}

// Limit names a bound that a turn reached.
type Limit string

const (
	LimitModelCalls Limit = "model-calls"
	LimitToolCalls  Limit = "tool-calls"
	LimitTokens     Limit = "tokens"
	LimitCost       Limit = "cost"
	LimitPrice      Limit = "price" // a model without a price answered, so that the cost is not known
	LimitTime       Limit = "time"
	LimitPingPong   Limit = "ping-pong"
	LimitRefusals   Limit = "refusals"
)
