package spoor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
	"github.com/spoorhq/spoor/score"
)

// A Map declares where an agent may go: its skills, where a turn starts, and
// the steps from skill to skill. It is plain data: the map file, the map in a
// recording and the Go literal are one shape, and JSON carries it both ways
// without loss. There is no func in a Map.
//
// Order is meaning: rules and steps are judged in the order declared.
type Map struct {
	Name   string  `json:"name,omitempty"`
	Skills []Skill `json:"skills"`

	// Start says where a turn starts. If zero, no skill is an entry: an agent
	// walks such a map with every skill open.
	Start Start `json:"start,omitzero"`

	// Steps are the moves between skills. A step without tool, status, guard
	// or condition is bare: the model may choose it with read_skill.
	Steps []Step `json:"steps,omitempty"`

	// Tree decides instead of Start and Steps. Its leaves are exactly the skills.
	Tree *Tree `json:"tree,omitempty"`

	// NeverRoutes are phrases that no start rule may claim. They are test
	// material; nothing reads them while an agent runs.
	NeverRoutes Phrases `json:"neverRoutes,omitempty"`

	// ScopeTools offers the tools of every wired skill only while that skill
	// is active. If nil, it is false, and true of a tree.
	ScopeTools *bool `json:"scopeTools,omitempty"`

	// KnownTools names tools that the agent has beside those of the skills.
	KnownTools []string `json:"knownTools,omitempty"`

	// Scales give an order to the words of a result field, lowest first.
	// With one, gt, gte, lt and lte of a guard compare ranks; without one
	// they compare strings by bytes.
	Scales guard.Scales `json:"scales,omitempty"`
}

// A Skill is one place of a map: instructions for the model, and its tools.
type Skill struct {
	ID          string `json:"id"`
	Description string `json:"description,omitempty"`

	// Body is what the model reads while the skill is active.
	Body string `json:"body,omitempty"`

	// Tools are the skill's own. A tool that no skill lists is the agent's
	// and always offered.
	Tools []string `json:"tools,omitempty"`

	// AutoActivate scopes the tools of this skill, whatever the map says.
	AutoActivate AutoActivate `json:"autoActivate,omitempty"`

	// Delivery says where the body goes when the model reads the skill. If
	// empty, it is DeliverPrompt.
	Delivery Delivery `json:"delivery,omitempty"`

	// Model is the model for iterations in this skill. If empty, it is the
	// agent's.
	Model string `json:"model,omitempty"`

	// Source is where Body was read from. It is not part of the map's shape:
	// what reads files sets it, and a recording keeps it so that words can be
	// traced to a line.
	Source Source `json:"-"`
}

// A Source is a place in a file, named relative to the map file. The zero
// Source means that the text came from no file.
type Source struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`   // of the first line of the text, from 1
	Indent int    `json:"indent,omitempty"` // what stands before each line of it
}

// AutoActivate says when the tools of a skill are offered.
type AutoActivate string

const (
	CurrentSkill AutoActivate = "currentSkill" // while the skill is active
	Always       AutoActivate = "always"       // in every iteration
)

// Delivery says where the body of a skill goes when the model reads it. The
// body of a skill that the walk moved onto is in the prompt in any case.
type Delivery string

const (
	DeliverPrompt Delivery = "prompt" // in the prompt of the next iterations
	DeliverResult Delivery = "result" // in the answer to read_skill
	DeliverBoth   Delivery = "both"
)

// A Start says where a turn starts: at most one of Use, Rules and Entries.
type Start struct {
	// Use starts every turn in one skill.
	Use string `json:"use,omitempty"`

	// Rules are judged in order; the first that claims the message wins.
	Rules []Rule `json:"rules,omitzero"`

	// Classify names what judges the intents among Rules.
	Classify string        `json:"classify,omitempty"`
	Routing  *score.Policy `json:"routing,omitempty"` // when its verdict is decisive

	// Entries are ranked by ScoredBy or, without it, read by the model from a
	// menu. Only the chosen one is active.
	Entries  []Entry `json:"entries,omitzero"`
	ScoredBy string  `json:"scoredBy,omitempty"`
}

// IsZero reports whether s declares no start.
func (s Start) IsZero() bool {
	return s.Use == "" && s.Rules == nil && s.Entries == nil && s.Classify == "" && s.Routing == nil && s.ScoredBy == ""
}

// A Rule starts the turn in Use if its one condition, Match or When, holds. A
// rule with neither is unconditional: its skill is always active.
type Rule struct {
	Use   string      `json:"use"`
	Match match.Match `json:"match,omitzero"`
	When  string      `json:"when,omitempty"`

	// Examples are messages that this rule should claim: test material only.
	Examples Phrases `json:"examples,omitempty"`
	Label    string  `json:"label,omitempty"`
}

// An Entry is a skill that a scorer ranks, if its condition holds, or that
// the model may pick. In JSON an entry without a condition is its id alone.
type Entry struct {
	Use   string      `json:"use"`
	Match match.Match `json:"match,omitzero"`
	When  string      `json:"when,omitempty"`
	Label string      `json:"label,omitempty"`
}

// A Step moves the walk from one skill to another when a tool result meets
// all that the step declares. When stands alone; the others combine.
type Step struct {
	From string `json:"from"`
	To   string `json:"to"`

	// OnToolReturn is met by a result of this tool.
	OnToolReturn ToolName `json:"onToolReturn,omitempty"`

	// OnToolStatus is met by a result with one of these statuses, whether or
	// not the call reached the tool.
	OnToolStatus Statuses `json:"onToolStatus,omitzero"`

	// Guard is judged on the result that met the above.
	Guard guard.Guard `json:"guard,omitzero"`

	// When is a condition in CEL, or the name of a bound one.
	When  string `json:"when,omitempty"`
	Label string `json:"label,omitempty"`
}

// Bare reports whether only the model can take the step.
func (s Step) Bare() bool {
	return s.OnToolReturn == "" && s.OnToolStatus == nil && s.Guard == nil && s.When == ""
}

// A ToolName is the name of a tool, or a pattern of names: /source/flags with
// the flags of a matcher, found anywhere in the name. In JSON a pattern is
// {"regex": source, "flags": flags}.
type ToolName string

// ToolPattern is the ToolName that the expression finds.
func ToolPattern(source, flags string) ToolName {
	return ToolName("/" + source + "/" + flags)
}

// Pattern returns the parts of a pattern; ok is false if t is a plain name.
func (t ToolName) Pattern() (source, flags string, ok bool) {
	end := strings.LastIndexByte(string(t), '/')
	if end < 1 || t[0] != '/' {
		return "", "", false
	}
	return string(t[1:end]), string(t[end+1:]), true
}

// Status is the outcome that a tool declares, or the verdict of spoor on a
// call that did not reach its tool. A call that ran and declared nothing has
// none.
type Status string

const (
	Success Status = "success"
	Partial Status = "partial"
	Pending Status = "pending"
	Failure Status = "failure"
	Denied  Status = "denied"
	Invalid Status = "invalid"
	Absent  Status = "absent" // the tool looked, and found nothing
)

// AllStatuses lists the closed set. The slice is the caller's.
func AllStatuses() []Status {
	return []Status{Success, Partial, Pending, Failure, Denied, Invalid, Absent}
}

// Valid reports whether s is one of the closed set.
func (s Status) Valid() bool { return slices.Contains(AllStatuses(), s) }

// Phrases is a list of phrases; JSON may give one phrase alone.
type Phrases []string

// Statuses is a list of statuses; JSON may give one alone.
type Statuses []Status

func (p *Phrases) UnmarshalJSON(b []byte) error {
	return unmarshalOneOrMany(b, (*[]string)(p))
}

func (s *Statuses) UnmarshalJSON(b []byte) error {
	return unmarshalOneOrMany(b, (*[]Status)(s))
}

func unmarshalOneOrMany[T any](b []byte, list *[]T) error {
	if len(b) > 0 && b[0] == '"' {
		*list = make([]T, 1)
		return json.Unmarshal(b, &(*list)[0])
	}
	return json.Unmarshal(b, list)
}

// UnmarshalJSON reads a start, or a skill id alone for {"use": id}.
func (s *Start) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		*s = Start{}
		return json.Unmarshal(b, &s.Use)
	}
	type plain Start
	return unmarshalStrict(b, (*plain)(s))
}

// UnmarshalJSON reads an entry, or a skill id alone.
func (e *Entry) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		*e = Entry{}
		return json.Unmarshal(b, &e.Use)
	}
	type plain Entry
	return unmarshalStrict(b, (*plain)(e))
}

func (e Entry) MarshalJSON() ([]byte, error) {
	if e.Match.IsZero() && e.When == "" && e.Label == "" {
		return json.Marshal(e.Use)
	}
	type plain Entry
	return json.Marshal(plain(e))
}

type toolPattern struct {
	Regex string `json:"regex"`
	Flags string `json:"flags,omitempty"`
}

// UnmarshalJSON reads a name or a pattern.
func (t *ToolName) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		var name string
		if err := json.Unmarshal(b, &name); err != nil {
			return err
		}
		*t = ToolName(name)
		if _, _, ok := t.Pattern(); ok {
			return fmt.Errorf("a tool name cannot look like %s; write a pattern as {regex: …}", name)
		}
		return nil
	}
	if string(b) == "null" {
		return nil
	}
	var p toolPattern
	if err := unmarshalStrict(b, &p); err != nil {
		return err
	}
	if strings.Contains(p.Flags, "/") {
		return fmt.Errorf("%q are no flags; write some of i, s and m", p.Flags)
	}
	*t = ToolPattern(p.Regex, p.Flags)
	return nil
}

func (t ToolName) MarshalJSON() ([]byte, error) {
	if source, flags, ok := t.Pattern(); ok {
		return json.Marshal(toolPattern{source, flags})
	}
	return json.Marshal(string(t))
}

func unmarshalStrict(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return d.Decode(v)
}
