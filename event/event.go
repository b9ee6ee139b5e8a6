// Package event is what can happen in a turn, as data.
//
// An event is a fact, complete when it is made. An [Outcome] is what only the
// world can say: a reply, a result, a stop. Every other event is derived from
// the outcomes before it, so a recording of events replays itself.
package event

//go:generate go run ../internal/eventdoc

import (
	"time"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/score"
)

// An Event is one thing that happened in a run.
type Event struct {
	Seq       int       // from 1 in a run, without gaps
	Time      time.Time // of the outcome that it follows from
	Turn      int       // from 1
	Iteration int       // from 1 in each turn; 0 before the first
	Because   []int     // the events that it follows from
	Body      Body
}

// A Body is what happened. The bodies are those of this package.
type Body interface {
	Kind() string
	body()
}

// An Outcome is a body that only the world can say.
type Outcome interface {
	Body
	outcome()
}

// Started begins a turn.
type Started struct {
	Run     string       `json:"run"`
	Machine int          `json:"machine"` // version of the machine that walks it
	Message model.Part   `json:"message"`
	History []model.Part `json:"history,omitempty"` // the conversation before this turn

	Graph      Graph        `json:"graph"`
	System     []model.Part `json:"system,omitempty"` // what every prompt begins with
	Injections Injections   `json:"injections,omitzero"`
	Tools      []Tool       `json:"tools,omitempty"` // all that may be offered, read_skill apart

	Posture    spoor.Posture    `json:"posture,omitempty"`
	Continuity spoor.Continuity `json:"continuity,omitempty"`
	Cursor     string           `json:"cursor,omitempty"`    // where the conversation stands, if it goes on there
	Activated  []string         `json:"activated,omitempty"` // there
	Hidden     []string         `json:"hidden,omitempty"`    // skills that must not be seen
	Decider    bool             `json:"decider,omitempty"`   // a model chooses from the menu of the start

	// MaxIterations is how many model calls the turn may make, of every purpose.
	MaxIterations int          `json:"maxIterations"`
	Limits        spoor.Limits `json:"limits,omitzero"`
}

// Graph is the map that is walked: its JSON without bodies, and the bodies.
type Graph struct {
	Map    model.Digest `json:"map"`
	Data   string       `json:"-"` // the JSON that Map names
	Bodies []BodyText   `json:"bodies,omitempty"`
}

// A BodyText is the body of one skill and where it was read from.
type BodyText struct {
	Skill string       `json:"skill"`
	Piece model.Digest `json:"piece"`
	Data  string       `json:"-"`
	spoor.Source
}

// A Tool is one that may be offered: its name, the piece that is its
// specification in JSON, and the one that is the JSON Schema of its results,
// which the model is not told.
type Tool struct {
	Name       string       `json:"name"`
	Piece      model.Digest `json:"piece"`
	Data       string       `json:"-"`
	Output     model.Digest `json:"output,omitzero"`
	OutputData string       `json:"-"`
}

// Asked asks a scorer where the turn starts.
type Asked struct {
	Scorer string      `json:"scorer"` // as the map names it
	Query  score.Query `json:"query"`
}

// Scored is what a scorer answered, or why it did not.
type Scored struct {
	Scores      []score.Score `json:"scores,omitempty"` // in the order of the candidates
	Floor       *float64      `json:"floor,omitempty"`  // at or below it a candidate is dead
	Categorical bool          `json:"categorical,omitempty"`
	Error       string        `json:"error,omitempty"`
}

// TurnRouted is where the turn starts, and all that it was decided by. With By
// empty the entries decide, by their order.
type TurnRouted struct {
	spoor.TurnRoute
	Scorer  string   `json:"scorer,omitempty"` // that was asked, as the map names it
	Decider *Decided `json:"decider,omitempty"`
}

// Decided is what the decider made of a menu. If it picked nothing, and that
// is no error, nothing of the menu fits.
type Decided struct {
	Picked string `json:"picked,omitempty"` // the skill, which is the incumbent if it chose to stay
	Stay   bool   `json:"stay,omitempty"`
	Model  string `json:"model,omitempty"` // what answered, as its provider names it
	Error  string `json:"error,omitempty"`
}

// Replied is the whole answer to a model call. Its calls carry the ids that
// spoor gave them.
type Replied struct {
	Parts    []model.Part    `json:"parts,omitempty"`
	Usage    model.Usage     `json:"usage,omitzero"`
	Model    string          `json:"model,omitempty"`    // what answered, as its provider names it
	Stop     model.Stop      `json:"stop,omitempty"`     // what ended the answer before its end
	Wire     model.Wire      `json:"wire,omitzero"`      // the bytes that were sent
	Attempts []model.Attempt `json:"attempts,omitempty"` // those that failed before it
}

// Failed is a model call that brought no answer.
type Failed struct {
	Error    string          `json:"error"`
	Fault    model.Fault     `json:"fault,omitempty"`    // of what kind the error is, if that is known
	Status   int             `json:"status,omitempty"`   // of HTTP
	Wire     model.Wire      `json:"wire,omitzero"`      // the bytes that were sent
	Attempts []model.Attempt `json:"attempts,omitempty"` // those before the last one
}

// Returned is what became of one tool call. Its text, which guards read, is
// one part; images, documents and further texts are More.
type Returned struct {
	Call     string       `json:"call"`
	Tool     string       `json:"tool"`
	Executed bool         `json:"executed"`
	Status   spoor.Status `json:"status,omitempty"`
	Result   model.Part   `json:"result"`
	More     []model.Part `json:"more,omitempty"`

	// Effects are what the tool asks of the walk.
	Effects []spoor.Effect `json:"effects,omitempty"`
}

// Needs says that a call waits for a person. Answered goes on with it.
type Needs struct {
	Call     string     `json:"call"`
	By       Asker      `json:"by"`
	Question model.Part `json:"question"`
}

// Asker is what asks a person.
type Asker string

const (
	ByTool   Asker = "tool"   // the tool itself, which is called again with the answer
	ByPolicy Asker = "policy" // whoever decides what may be called
)

// Answered is what a person said to the question of a call. One that is
// declined is not made.
type Answered struct {
	Call     string     `json:"call"`
	Answer   model.Part `json:"answer"`
	Declined bool       `json:"declined,omitempty"`
}

// Resumed says that another process took over. Repeat names the calls that
// are safe to run again; any other that is still out stays unanswered.
type Resumed struct {
	Repeat []string `json:"repeat,omitempty"`
}

// Stopped ends the turn from outside: a cancellation, a deadline. If a model
// was asked then, Wire and Attempts are of that call.
type Stopped struct {
	Reason   string          `json:"reason"`
	Wire     model.Wire      `json:"wire,omitzero"`
	Attempts []model.Attempt `json:"attempts,omitempty"`
}

// Late is something that nobody waits for any more. It changes nothing.
type Late struct {
	Call  string       `json:"call,omitempty"`
	Error string       `json:"error,omitempty"`
	Parts []model.Part `json:"parts,omitempty"`
}

// Evaluated is one decision of the walk, and what follows from it for the
// next model call. A list that equals an earlier one is nil, and its As names
// the event that has it.
type Evaluated struct {
	Move         spoor.Move `json:"move"`
	Active       []Active   `json:"active,omitempty"`
	ActiveAs     int        `json:"activeAs,omitempty"`
	Activated    []string   `json:"activated,omitempty"` // skills that were read, and the one where the walk stands if no step leads there by itself
	ActivatedAs  int        `json:"activatedAs,omitempty"`
	Reachable    []string   `json:"reachable,omitempty"` // by a step; the entries are in reach as well
	ReachableAs  int        `json:"reachableAs,omitempty"`
	Superseded   []string   `json:"superseded,omitempty"` // entries that match and are not active
	SupersededAs int        `json:"supersededAs,omitempty"`

	Pick     string `json:"pick,omitempty"`          // the skill that the model chose, once accepted
	Proposal string `json:"proposal,omitempty"`      // the skill that a tool proposed, once accepted
	Declined bool   `json:"declinedOffer,omitempty"` // a menu was open, and the pick is not on it

	Instructions   []ActiveInstruction `json:"instructions,omitempty"`
	InstructionsAs int                 `json:"instructionsAs,omitempty"`
	Skipped        []Skipped           `json:"skipped,omitempty"` // what failed, and what is hidden
	SkippedAs      int                 `json:"skippedAs,omitempty"`
}

// Active is a skill whose body and tools are in play, and why it can be.
type Active struct {
	Skill string `json:"skill"`
	spoor.Provenance
}

// ActiveInstruction is an instruction that is in the prompt, and why.
type ActiveInstruction struct {
	ID    string      `json:"id"`
	Ref   spoor.Ref   `json:"ref"`
	Via   spoor.Via   `json:"via"`             // its condition, or a lease
	Call  string      `json:"call,omitempty"`  // that required it
	Lease spoor.Lease `json:"lease,omitempty"` // of the call
}

// Skipped is a condition that could not be judged, or a skill that must not be
// seen.
type Skipped struct {
	ID     string     `json:"id,omitempty"` // of a hidden skill
	Ref    spoor.Ref  `json:"ref,omitempty"`
	Reason SkipReason `json:"reason"`
	Error  string     `json:"error,omitempty"`
}

// SkipReason says why something was passed over.
type SkipReason string

const (
	SkipThrew  SkipReason = "predicate-threw"
	SkipHidden SkipReason = "hidden"
)

// EffectJudged is one effect of a result, and what became of it.
type EffectJudged struct {
	Call string `json:"call"`
	Tool string `json:"tool"`
	spoor.Effect
	Outcome EffectOutcome `json:"outcome"`

	Refusal      string     `json:"refusalReason,omitempty"` // why it was refused
	SupersededBy string     `json:"supersededBy,omitempty"`  // the skill that an earlier effect proposed
	Note         model.Part `json:"note,omitzero"`           // what the model is told of it
}

// EffectOutcome is what became of an effect.
type EffectOutcome string

const (
	EffectAccepted   EffectOutcome = "accepted"
	EffectRefused    EffectOutcome = "refused"
	EffectSuperseded EffectOutcome = "superseded"
)

// RouteConflict says that results of one batch led to different places.
type RouteConflict struct {
	Winner spoor.Outcome   `json:"winner"`
	Losers []spoor.Outcome `json:"losers"`
	Note   model.Part      `json:"note,omitzero"` // what the model is told of it
}

// RerouteSuperseded is an accepted pick or proposal that did not get its way.
type RerouteSuperseded struct {
	Call          string      `json:"call"`
	VolunteeredID string      `json:"volunteeredId"`
	WonID         string      `json:"wonId"`
	By            spoor.Cause `json:"by"`
	Source        spoor.Cause `json:"source"`        // model-pick or tool-proposal
	Note          model.Part  `json:"note,omitzero"` // what the model is told of a proposal
}

// Read is an accepted read_skill, and what the model was told.
type Read struct {
	Call   string       `json:"call"`
	Skill  string       `json:"skill"`
	Target spoor.Target `json:"target"`
	Result model.Part   `json:"result"`
}

// Rejected is a refused read_skill, and what the model was told.
type Rejected struct {
	Call           string        `json:"call"`
	RequestedID    string        `json:"requestedId"`
	CurrentSkillID string        `json:"currentSkillId,omitempty"`
	Allowed        []string      `json:"allowed,omitempty"`
	AllowedAs      int           `json:"allowedAs,omitempty"`
	Posture        spoor.Posture `json:"posture,omitempty"` // that refused what is in reach
	Result         model.Part    `json:"result"`
}

// Refused is a tool call that the walk itself answered.
type Refused struct {
	Call   string       `json:"call"`
	Tool   string       `json:"tool"`
	Status spoor.Status `json:"status"`
	Reason Reason       `json:"reason"`
	Result model.Part   `json:"result"`
}

// Reason says why the walk answered a call.
type Reason string

const (
	Unoffered Reason = "unoffered" // the tool was not offered
	Budget    Reason = "budget"    // a limit of the turn does not allow it
	Lost      Reason = "lost"      // its process died, and it is not safe to repeat
	Cut       Reason = "cut"       // the turn was stopped
	Declined  Reason = "declined"  // a person said no
)

// Called asks a model. The request is the one before it of the same purpose,
// changed by Splices in order; the first of a turn is changed from nothing.
type Called struct {
	Purpose   model.Purpose `json:"purpose"`
	Splices   []Splice      `json:"splices,omitempty"`
	Offered   []string      `json:"offered,omitempty"` // tools, in order
	OfferedAs int           `json:"offeredAs,omitempty"`
	Choice    *Tool         `json:"choice,omitempty"` // the one tool there is, which must be called
	Skill     string        `json:"skill,omitempty"`  // the cursor
	Last      bool          `json:"last,omitempty"`   // a limit allows no further call
	Limit     spoor.Limit   `json:"limit,omitempty"`  // that limit
}

// A Splice drops parts of a request and puts others in their place.
type Splice struct {
	At   int          `json:"at"`
	Drop int          `json:"drop,omitempty"`
	Put  []model.Part `json:"put,omitempty"`
}

// Sent hands calls to their tools.
type Sent struct {
	Calls []string `json:"calls"`
}

// Paused waits for a person to answer the question of a call.
type Paused struct {
	Call string `json:"call"`
}

// Finished ends the turn.
type Finished struct {
	By      Ending       `json:"by"`
	Answer  []model.Part `json:"answer,omitempty"`
	Limited bool         `json:"limited,omitempty"` // a limit cut the work short
	Limit   spoor.Limit  `json:"limit,omitempty"`   // that limit
	Error   string       `json:"error,omitempty"`
}

// Ending says how a turn ended.
type Ending string

const (
	ByAnswer Ending = "answer"
	ByStop   Ending = "stopped"
	ByError  Ending = "failed"
)

// Unknown is a body of a kind that this version does not know, as it was read.
type Unknown struct {
	Name string
	Raw  string // JSON
}

func (Started) Kind() string           { return "started" }
func (Asked) Kind() string             { return "asked" }
func (Scored) Kind() string            { return "scored" }
func (TurnRouted) Kind() string        { return "skill.turn_routed" }
func (EffectJudged) Kind() string      { return "tools.effect" }
func (Needs) Kind() string             { return "needs" }
func (Answered) Kind() string          { return "answered" }
func (Paused) Kind() string            { return "paused" }
func (Replied) Kind() string           { return "replied" }
func (Failed) Kind() string            { return "failed" }
func (Returned) Kind() string          { return "returned" }
func (Resumed) Kind() string           { return "resumed" }
func (Stopped) Kind() string           { return "stopped" }
func (Late) Kind() string              { return "late" }
func (Evaluated) Kind() string         { return "context.evaluated" }
func (RouteConflict) Kind() string     { return "skill.route_conflict" }
func (RerouteSuperseded) Kind() string { return "skill.reroute_superseded" }
func (Read) Kind() string              { return "skill.read" }
func (Rejected) Kind() string          { return "skill.rejected" }
func (Refused) Kind() string           { return "call.refused" }
func (Called) Kind() string            { return "called" }
func (Sent) Kind() string              { return "sent" }
func (Finished) Kind() string          { return "finished" }
func (u Unknown) Kind() string         { return u.Name }

func (*Started) body()           {}
func (*Asked) body()             {}
func (*Scored) body()            {}
func (*TurnRouted) body()        {}
func (*EffectJudged) body()      {}
func (*Needs) body()             {}
func (*Answered) body()          {}
func (*Paused) body()            {}
func (*Replied) body()           {}
func (*Failed) body()            {}
func (*Returned) body()          {}
func (*Resumed) body()           {}
func (*Stopped) body()           {}
func (*Late) body()              {}
func (*Evaluated) body()         {}
func (*RouteConflict) body()     {}
func (*RerouteSuperseded) body() {}
func (*Read) body()              {}
func (*Rejected) body()          {}
func (*Refused) body()           {}
func (*Called) body()            {}
func (*Sent) body()              {}
func (*Finished) body()          {}
func (*Unknown) body()           {}

func (*Started) outcome()  {}
func (*Scored) outcome()   {}
func (*Needs) outcome()    {}
func (*Answered) outcome() {}
func (*Replied) outcome()  {}
func (*Failed) outcome()   {}
func (*Returned) outcome() {}
func (*Resumed) outcome()  {}
func (*Stopped) outcome()  {}
func (*Late) outcome()     {}
