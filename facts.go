package spoor

import (
	"errors"

	"github.com/spoorhq/spoor/match"
)

// Facts are all that one decision may look at. They belong to one iteration:
// results, pick and proposal are those of the iteration before, and count
// once.
type Facts struct {
	Iteration   int // from 1 in each turn
	UserMessage string
	History     []Message // the conversation before this turn
	Cursor      string    // the skill where the walk stands; empty on a cold start
	Results     []Result  // in call order
	Pick        string    // the skill that the model chose, once accepted
	Proposal    string    // the skill that a tool proposed, once accepted
	Verdict     *Verdict  // how the turn was routed; nil if nothing judged it
	Activated   []string  // skills switched on by reading
}

// A Message is one message of a conversation.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// A Result is what became of one tool call, whatever became of it.
type Result struct {
	Tool   string
	CallID string

	// Executed says that the call reached the tool and came to an end there:
	// an answer, an error, a panic or a time-out.
	Executed bool

	Status Status // empty: none was declared

	// Text is what the model was told, byte for byte; nothing is ever
	// appended to it. A guard over result fields reads it as one JSON object.
	Text string
}

// A Verdict says where a turn starts, and who judged so.
type Verdict struct {
	By      Cause          `json:"by,omitempty"`
	To      string         `json:"to,omitempty"` // empty: a menu is open, or nothing was found
	From    string         `json:"from,omitempty"`
	Ref     Ref            `json:"ref,omitempty"` // the rule or entry that decided
	Witness *match.Witness `json:"witness,omitempty"`
	Offered []string       `json:"offered,omitempty"` // the skills of an open menu
}

// A Situation is what a condition judges: the facts and, in a step, the one
// result that may fire it. It must not be changed.
type Situation struct {
	Facts  *Facts
	Result *Result // nil in a start rule
}

// A Condition judges a situation. An error, like a panic, counts as no match
// and is reported with the move. It must be pure and safe for concurrent use.
type Condition func(Situation) (bool, error)

// ErrUnbound is the error of a condition that only another program can judge,
// because its name is bound there. A check-up does not hold it against a map.
var ErrUnbound = errors.New("the condition is bound elsewhere")

// Conditions finds the condition that a `when` names or writes out. Result
// says whether it stands on a step, where a result is judged.
type Conditions interface {
	Condition(when string, result bool) (Condition, error)
}
