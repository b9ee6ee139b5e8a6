package replay

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
)

// An Edit is what is to be otherwise. Its zero value changes nothing.
type Edit struct {
	// Map is walked in place of the recorded one, with its bodies. If nil,
	// each turn walks its own.
	Map *spoor.Map

	// Agent is how the agent is set up in place of the recorded one. If nil, it
	// is as recorded.
	Agent *Agent

	// Pieces are texts in place of recorded content, by its digest: of a
	// message, a result, a reply, a body, the system prompt, what the agent
	// brings along, or a tool's specification.
	Pieces map[model.Digest]string

	// Results are texts in place of the results of single calls, by their ids.
	// The status and the effects of the result stay.
	Results map[string]string

	// Conditions are those that the program binds. One that is not among them
	// has the verdict of the record.
	Conditions map[string]spoor.Condition

	// Turn is the one that is walked: those before it are as recorded, and those
	// after it are left out. If zero, all are walked.
	Turn int
}

// An Agent is how an agent is set up beside its map.
type Agent struct {
	System string
	spoor.Injections
	Posture    spoor.Posture
	Continuity spoor.Continuity
	Decider    bool
	Limits     spoor.Limits

	// MaxIterations is as recorded if zero.
	MaxIterations int
}

// Suffix ends the id of a replayed run. If it is assumed from an event on, its
// number follows, as explain.Replayed reads it.
const Suffix = "-replayed"

// A Report says how a recorded run goes against an edit.
type Report struct {
	Run   string `json:"run"` // the recording
	Turns int    `json:"turns"`

	// Same says that no hop and no request is another one, and that nothing is
	// blocked or missing.
	Same bool `json:"same"`

	// MapChanges are the values of the map, and of what the agent brings along,
	// that the edit changes, whether or not it matters here.
	MapChanges     []Change `json:"mapChanges,omitempty"`
	MoreMapChanges bool     `json:"moreMapChanges,omitempty"` // than are listed

	Moves []Move `json:"moves"`

	// FirstDivergence is the first request that is another one; nil if there is
	// none. It is exact itself, and what is answered to it is assumed.
	FirstDivergence *Divergence `json:"firstDivergence,omitempty"`
	Requests        int         `json:"requests"`        // that were made
	ChangedRequests int         `json:"changedRequests"` // of them

	// Assumed says from where on nothing is exact; nil if all is.
	Assumed *Assumption `json:"assumed,omitempty"`

	// Conditions are the moves that a condition decided which is bound
	// elsewhere, so that its verdict is that of the record.
	Conditions []Assumed `json:"conditions,omitempty"`

	Blocked   []Blocked  `json:"blocked,omitempty"`   // calls that were made, and would be refused
	Missing   *Missing   `json:"missing,omitempty"`   // why the walk could go no further; nil if it came to its end, or to that of the recording
	Unreached *Unreached `json:"unreached,omitempty"` // what of the recording was not used

	Answer *Answer `json:"answer,omitempty"` // of the last turn that came to its end; nil if none did

	Changed    string `json:"changed,omitempty"`    // why the recording is not as it was written
	Incomplete string `json:"incomplete,omitempty"` // how far it goes

	// Recording is the replayed run, in memory, with the events of the turns
	// before it. Its id says from which event on it is assumed, and explain tells
	// it.
	Recording *recording.Recording `json:"-"`
}

// A Move is one move as recorded and as made now.
type Move struct {
	Turn      int              `json:"turn"`
	Iteration int              `json:"iteration"`
	Was       *Hop             `json:"was,omitempty"` // nil: it was not made
	Now       *Hop             `json:"now,omitempty"` // nil: it is not made
	Changed   bool             `json:"changed"`       // it leads elsewhere
	Evidence  explain.Evidence `json:"evidence"`      // counterfactual or assumed

	// Guards are the guards whose verdict is another one, with what they judged.
	Guards []Row `json:"guards,omitempty"`
}

// A Hop is where a move goes.
type Hop struct {
	Event int         `json:"event"`
	From  string      `json:"from,omitempty"`
	To    string      `json:"to,omitempty"` // of a tree, the skill of its leaf
	By    spoor.Cause `json:"by"`
	Ref   spoor.Ref   `json:"ref,omitempty"`
	Label string      `json:"label,omitempty"` // of the clause
}

// A Row is a guard that opened or shut otherwise.
type Row struct {
	Call  string           `json:"call,omitempty"`
	Tool  string           `json:"tool"`
	To    string           `json:"to"`
	Label string           `json:"label,omitempty"`
	Was   *spoor.Judgement `json:"was,omitempty"` // nil: it was not judged
	Now   *spoor.Judgement `json:"now,omitempty"`

	Added   bool `json:"added,omitempty"`   // the recorded map does not have the step
	Removed bool `json:"removed,omitempty"` // the edited map does not have it
}

// An Assumption says from where on nothing is exact.
type Assumption struct {
	Event     int    `json:"event"` // of the replayed run, the first that is assumed
	Turn      int    `json:"turn"`
	Iteration int    `json:"iteration"`
	Why       string `json:"why"`
}

// A Blocked is a call that reached its tool, and would be refused.
type Blocked struct {
	Turn      int          `json:"turn"`
	Iteration int          `json:"iteration"`
	Event     int          `json:"event"` // of the replayed run
	Call      string       `json:"call"`
	Tool      string       `json:"tool"`
	Arguments string       `json:"arguments"`
	Reason    event.Reason `json:"reason"`
	Text      string       `json:"text"` // what the model would be told
}

// A Missing is what the recording does not have, and the walk needs.
type Missing struct {
	What      string `json:"what"` // result, reply, score or answer
	Turn      int    `json:"turn"`
	Iteration int    `json:"iteration"`
	Call      string `json:"call,omitempty"`
	Tool      string `json:"tool,omitempty"`
	Arguments string `json:"arguments,omitempty"`
	Reason    string `json:"reason"` // one sentence
}

// An Unreached is the rest of the recording, which the walk did not come to.
type Unreached struct {
	Event  int `json:"event"` // the first
	Events int `json:"events"`
	Moves  int `json:"moves"`
}

// An Answer is what the last turn comes to.
type Answer struct {
	Turn     int              `json:"turn"`
	Text     string           `json:"text"`
	Was      string           `json:"was"`
	Changed  bool             `json:"changed"`
	Evidence explain.Evidence `json:"evidence"` // counterfactual: exact; or assumed
}

// Against walks a recording again with an edit, on the recorded outcomes. The
// error says why that cannot be asked: the recording does not reproduce itself,
// the edit names what is not there, or the edited map is no graph, which is
// spoor.Problems.
//
// The turns are walked in order. A later one begins with the conversation, and
// in the place, that the turns before it come to now.
func Against(r *recording.Recording, e Edit) (*Report, error) {
	base := Reproduce(r, nil)
	switch {
	case base.Unusable != "":
		return nil, fmt.Errorf("run %s cannot be walked again: %s", line(r.Run), base.Unusable)
	case base.Difference != nil:
		return nil, fmt.Errorf("run %s does not reproduce itself, so what an edit changes cannot be told from what was changed before: %s", line(r.Run), strings.TrimSpace(strings.Join(strings.Fields(base.Difference.String()), " ")))
	}
	p := &player{edit: e, rec: r, report: &Report{Run: r.Run, Moves: []Move{}, Incomplete: incomplete(r)}}
	if len(r.Faults) > 0 {
		p.report.Changed = clip(r.Faults[0].String(), 300)
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	var err error
	broken := guarded(func() int { return p.at }, func() { err = p.play() })
	if err = cmp.Or(err, broken); err != nil {
		return nil, err
	}
	p.report.close()
	return p.report, nil
}

// A Place is content that an outcome brought in.
type Place struct {
	Digest model.Digest
	Event  int
	Data   string

	body event.Body
}

// What says what the content is, such as: the result of i1.1 assess_risk.
func (p Place) What() string { return what(p.body, p.Digest) }

// Editable lists the content that an edit can replace, each once, in the order
// in which it came in: what the outcomes brought. All else follows from it.
func Editable(r *recording.Recording) []Place {
	var list []Place
	seen := map[model.Digest]bool{}
	for i := range r.Events {
		e := &r.Events[i]
		if _, ok := e.Body.(event.Outcome); !ok {
			continue
		}
		for _, p := range e.Pieces(nil) {
			if !seen[p.Digest] {
				seen[p.Digest] = true
				list = append(list, Place{p.Digest, e.Seq, *p.Data, e.Body})
			}
		}
	}
	return list
}

// what names content of an outcome.
func what(b event.Body, d model.Digest) string {
	part := func(p *model.Part) string {
		switch p.Kind {
		case model.Call:
			return fmt.Sprintf("the arguments of %s %s", p.Call, p.Tool)
		case model.Result:
			return fmt.Sprintf("the result of %s %s", p.Call, p.Tool)
		}
		return fmt.Sprintf("%s of the %s", p.Kind, p.Role)
	}
	switch b := b.(type) {
	case *event.Started:
		for _, body := range b.Graph.Bodies {
			if body.Piece == d {
				return "the body of " + body.Skill
			}
		}
		for _, t := range b.Tools {
			switch d {
			case t.Piece:
				return "the specification of " + t.Name
			case t.Output:
				return "the schema of the results of " + t.Name
			}
		}
		for i := range b.Injections.Facts {
			if b.Injections.Facts[i].Piece == d {
				return "the fact " + b.Injections.Facts[i].ID
			}
		}
		for i := range b.Injections.Instructions {
			if b.Injections.Instructions[i].Piece == d {
				return "the instruction " + b.Injections.Instructions[i].ID
			}
		}
		switch d {
		case b.Message.Piece:
			return "the message"
		case b.Graph.Map:
			return "the map"
		case b.Injections.Skills:
			return "the skills of the agent"
		}
		for i := range b.Injections.Steering {
			if b.Injections.Steering[i].Piece == d {
				return "the steering"
			}
		}
		for i := range b.System {
			if b.System[i].Piece == d {
				return "the system prompt"
			}
		}
		return "what was said before"
	case *event.Replied:
		for i := range b.Parts {
			if b.Parts[i].Piece == d {
				return part(&b.Parts[i])
			}
		}
	case *event.Returned:
		if b.Result.Piece == d {
			return part(&b.Result)
		}
		return "what stands beside the result of " + b.Call
	case *event.Needs:
		return "the question of " + b.Call
	case *event.Answered:
		return "the answer of a person to " + b.Call
	}
	return "what came too late"
}

// check refuses an edit that names what the recording does not have.
func (p *player) check() error {
	turns := 0
	for i := range p.rec.Events {
		if _, ok := p.rec.Events[i].Body.(*event.Started); ok {
			turns++
		}
	}
	if p.edit.Turn < 0 || p.edit.Turn > turns {
		return fmt.Errorf("run %s has no turn %d; it has %s", line(p.rec.Run), p.edit.Turn, counted(turns, "turn"))
	}
	if len(p.edit.Pieces) > 0 {
		editable := Editable(p.rec)
		known := map[model.Digest]bool{}
		for _, q := range editable {
			known[q.Digest] = true
		}
		for _, d := range sorted(p.edit.Pieces) {
			if !known[d] {
				return p.noPiece(d, editable)
			}
		}
	}
	for _, call := range slices.Sorted(maps.Keys(p.edit.Results)) {
		if err := returns(p.rec, call); err != nil {
			return err
		}
	}
	return nil
}

func sorted(pieces map[model.Digest]string) []model.Digest {
	var list []model.Digest
	for d := range pieces {
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b model.Digest) int { return slices.Compare(a[:], b[:]) })
	return list
}

// noPiece says that no outcome brought in a piece.
func (p *player) noPiece(d model.Digest, editable []Place) error {
	for i := range p.rec.Events {
		for _, q := range p.rec.Events[i].Pieces(nil) {
			if q.Digest == d {
				return fmt.Errorf("the content %s is what the walk itself said in event %d, %s: it follows from the rest; edit what it follows from", short(d), p.rec.Events[i].Seq, quote(*q.Data, 60))
			}
		}
	}
	return fmt.Errorf("run %s has no content %s%s", line(p.rec.Run), short(d), Near(d.String(), editable))
}

// Near names the content whose digests begin most like some digits, as the end
// of a sentence.
func Near(digits string, editable []Place) string {
	if len(editable) == 0 {
		return ""
	}
	like := func(p Place) int {
		name, n := p.Digest.String(), 0
		for n < min(len(name), len(digits)) && name[n] == digits[n] {
			n++
		}
		return n
	}
	list := slices.Clone(editable)
	slices.SortStableFunc(list, func(a, b Place) int { return like(b) - like(a) })
	var names []string
	for _, p := range list[:min(3, len(list))] {
		names = append(names, fmt.Sprintf("%s, %s", short(p.Digest), clip(p.What(), 80)))
	}
	return "; nearest to it are: " + strings.Join(names, "; ")
}

// returns says why the result of a call cannot be edited; nil if it can.
func returns(r *recording.Recording, call string) error {
	var ids []string
	for i := range r.Events {
		switch b := r.Events[i].Body.(type) {
		case *event.Returned:
			if b.Call == call {
				return nil
			}
			ids = append(ids, b.Call)
		case *event.Refused:
			if b.Call == call {
				return fmt.Errorf("call %s did not reach its tool: the walk answered it, and that cannot be edited", clip(call, 40))
			}
		}
	}
	if len(ids) == 0 {
		return fmt.Errorf("there is no result of a call %s: no call returned anything", clip(call, 40))
	}
	const most = 12
	if len(ids) > most {
		ids = append(ids[:most], "…")
	}
	return fmt.Errorf("there is no result of a call %s; these returned: %s", clip(call, 40), clip(strings.Join(ids, ", "), 200))
}

// started is how a turn begins with the edit.
func (p *player) started(b *event.Started) (*event.Started, error) {
	s := *b
	e := &p.edit
	s.Run = p.rec.Run + Suffix
	if e.Map != nil || e.Agent != nil {
		in, err := b.Injections.Decode(&b.Graph)
		if err != nil {
			return nil, err
		}
		m := e.Map
		if m == nil {
			if m, err = b.Graph.Decode(); err != nil {
				return nil, err
			}
		}
		if e.Agent != nil {
			in = e.Agent.Injections
		}
		if s.Graph, err = event.NewGraph(m); err != nil {
			return nil, err
		}
		if s.Injections, err = s.Graph.NewInjections(in); err != nil {
			return nil, err
		}
	}
	if a := e.Agent; a != nil {
		s.System = nil
		if a.System != "" {
			s.System = []model.Part{model.NewPart(model.System, model.Text, a.System)}
		}
		s.Posture, s.Continuity, s.Decider, s.Limits = a.Posture, a.Continuity, a.Decider, a.Limits
		s.MaxIterations = cmp.Or(a.MaxIterations, b.MaxIterations)
	}
	if p.old.Started != nil {
		if sameParts(b.History, p.old.Conversation()) {
			s.History = p.new.Conversation()
		}
		cursor, activated := p.old.Place()
		follows := b.Continuity != spoor.ContinueConversation || b.Cursor == cursor && slices.Equal(b.Activated, activated)
		switch {
		case s.Continuity != spoor.ContinueConversation:
			s.Cursor, s.Activated = "", nil
		case follows:
			s.Cursor, s.Activated = p.new.Place()
		}
	}
	if len(e.Pieces) == 0 && len(e.Results) == 0 {
		return &s, nil
	}
	p.text(&s.Graph.Map, &s.Graph.Data)
	s.Graph.Bodies = slices.Clone(s.Graph.Bodies)
	for i := range s.Graph.Bodies {
		t := &s.Graph.Bodies[i]
		p.text(&t.Piece, &t.Data)
	}
	s.Tools = slices.Clone(s.Tools)
	for i := range s.Tools {
		t := &s.Tools[i]
		p.text(&t.Piece, &t.Data)
		if t.Output != (model.Digest{}) {
			p.text(&t.Output, &t.OutputData)
		}
	}
	in := &s.Injections
	if in.Skills != (model.Digest{}) {
		p.text(&in.Skills, &in.SkillsData)
	}
	for _, list := range []*[]event.Passage{&in.Steering, &in.Facts, &in.Instructions} {
		*list = slices.Clone(*list)
		for i := range *list {
			p.text(&(*list)[i].Piece, &(*list)[i].Data)
		}
	}
	s.System, s.History = p.parts(s.System), p.parts(s.History)
	p.part(&s.Message)
	return &s, nil
}

// text replaces content that is edited.
func (p *player) text(d *model.Digest, data *string) {
	if now, ok := p.edit.Pieces[*d]; ok {
		*d, *data = model.Sum(now), now
	}
}

// part replaces the content of a part that is edited.
func (p *player) part(part *model.Part) {
	if now, ok := p.edit.Results[part.Call]; ok && part.Kind == model.Result {
		part.Piece, part.Data = model.Sum(now), now
		return
	}
	p.text(&part.Piece, &part.Data)
}

// parts are those of a list, with what is edited replaced.
func (p *player) parts(list []model.Part) []model.Part {
	list = slices.Clone(list)
	for i := range list {
		p.part(&list[i])
	}
	return list
}

// edited is an outcome with what is edited replaced.
func (p *player) edited(o event.Outcome) event.Outcome {
	switch b := o.(type) {
	case *event.Replied:
		own := *b
		own.Parts = p.parts(b.Parts)
		return &own
	case *event.Returned:
		own := *b
		p.part(&own.Result)
		own.More = p.parts(b.More)
		return &own
	case *event.Needs:
		own := *b
		p.part(&own.Question)
		return &own
	case *event.Answered:
		own := *b
		p.part(&own.Answer)
		return &own
	case *event.Late:
		own := *b
		own.Parts = p.parts(b.Parts)
		return &own
	}
	return o
}

// isEdited reports whether a piece of a request is one that the edit replaced.
func (p *player) isEdited(q *Piece) bool {
	if _, ok := p.edit.Results[q.Call]; ok && q.Kind == model.Result {
		return true
	}
	if _, ok := p.edit.Pieces[q.Was]; ok {
		return true
	}
	_, ok := p.edit.Pieces[q.Digest]
	return ok
}
