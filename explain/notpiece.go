package explain

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
)

// A NotPieceReason says of every model call whether a piece was in its request,
// and if not, why.
type NotPieceReason struct {
	Asked string       `json:"asked"` // what was asked about
	Piece model.Digest `json:"piece,omitzero"`
	Text  string       `json:"text,omitempty"` // the beginning of it, in one line

	// Roles are all that the piece is in the recording, each once, in order.
	Roles []PieceRole `json:"roles,omitempty"`

	// Occasions are all model calls of the recording, in order.
	Occasions []PieceOccasion `json:"occasions,omitempty"`

	NotFound   *NotFound `json:"notFound,omitempty"` // why there are no occasions
	Changed    string    `json:"changed,omitempty"`  // why not all of it is as it was recorded
	Incomplete string    `json:"incomplete,omitempty"`
}

// A PieceRole is one thing that a piece is.
type PieceRole struct {
	Kind  PieceKind `json:"kind"`
	Event int       `json:"event"`          // the first that has it so
	Name  string    `json:"name,omitempty"` // of the skill, tool, fact or instruction; of a result the call
	Text  string    `json:"text"`           // one line

	turn int // by index, where its turn started
	at   int // the index of the event
}

// PieceKind says what a piece is.
type PieceKind string

const (
	PieceMessage     PieceKind = "message"     // of the user
	PieceHistory     PieceKind = "history"     // of the conversation before a turn
	PieceSystem      PieceKind = "system"      // what every prompt begins with
	PieceSteering    PieceKind = "steering"    // of the agent
	PieceFact        PieceKind = "fact"        // of the agent
	PieceInstruction PieceKind = "instruction" // of the agent
	PieceBody        PieceKind = "body"        // of a skill
	PieceTool        PieceKind = "tool"        // what a model is told of a tool
	PieceOutput      PieceKind = "output"      // the schema of a tool's results, which no model is told
	PieceMap         PieceKind = "map"         // the map, or the agent's skills, in JSON, which no model is told
	PieceResult      PieceKind = "result"      // of a call
	PieceReply       PieceKind = "reply"       // words of the model
	PieceThinking    PieceKind = "thinking"    // of the model
	PieceArguments   PieceKind = "arguments"   // of a call that the model asked for
	PieceNote        PieceKind = "note"        // of spoor to the model
	PieceMenu        PieceKind = "menu"        // where the model may go
	PieceQuestion    PieceKind = "question"    // to a person
	PieceAnswered    PieceKind = "answered"    // by a person, to a tool
	PieceLate        PieceKind = "late"        // what nobody waited for any more
	PieceOther       PieceKind = "other"       // what a request was put together of
)

// A PieceOccasion is one model call, and whether the piece was in its request.
type PieceOccasion struct {
	Turn      int           `json:"turn"`
	Iteration int           `json:"iteration"`
	Event     int           `json:"event"` // of the model call
	Purpose   model.Purpose `json:"purpose"`
	Skill     string        `json:"skill,omitempty"` // where the walk stood
	In        bool          `json:"in"`

	// Part is its number in the request, from 1; 0 of what the model was told of
	// a tool. Since is the model call that put it there.
	Part  int `json:"part,omitempty"`
	Since int `json:"since,omitempty"`

	// Dropped is the model call that dropped it, if one before had it.
	Dropped  int      `json:"dropped,omitempty"`
	Evidence Evidence `json:"evidence"`
	Text     string   `json:"text"` // one line

	// Changes would have put it there: the smaller one first. There are none
	// where it is, and where NoChange says why.
	Changes  []Change  `json:"changes,omitempty"`
	NoChange *NotFound `json:"noChange,omitempty"`
}

// leastPrefix is how many digits of a digest must be given.
const leastPrefix = 8

// NotPiece explains why a piece was not in the context of a model call: every
// model call, whether its request had the piece, since when, and if not, why. A
// piece is asked for by its digest, or by a beginning of it of 8 digits or more
// that no other piece has.
//
// What a request had is a fact; why it had something not is derived.
func NotPiece(r *recording.Recording, digest string) *NotPieceReason {
	t := newTrail(r)
	n := &NotPieceReason{Asked: digest, Incomplete: incomplete(r), Changed: t.changed()}
	if n.NotFound = n.find(t, digest); n.NotFound != nil {
		return n
	}
	if text, ok := r.Piece(n.Piece); ok {
		n.Text = clip(text, 120)
	}
	n.Roles = t.roles(n.Piece)
	requests := map[model.Purpose]*request{}
	for i := range r.Events {
		switch b := t.event(i).Body.(type) {
		case *event.Started:
			clear(requests)
		case *event.Called:
			q := requests[b.Purpose]
			if q == nil {
				q = &request{piece: n.Piece, at: -1, dropped: -1}
				requests[b.Purpose] = q
			}
			q.splice(i, b.Splices)
			n.Occasions = append(n.Occasions, t.pieceOccasion(i, b, n, q))
		}
	}
	if len(n.Occasions) == 0 {
		n.NotFound = &NotFound{Kind: NotReached, Reason: say("no model call")}
	}
	return n
}

// A request is that of a model call, in which a piece is looked for.
type request struct {
	piece   model.Digest
	parts   []held
	at      int // where the piece stands first; -1: nowhere
	dropped int // the call that dropped it, as an index; -1: none did
}

// A held is a part of a request, and the model call that put it there.
type held struct {
	*model.Part
	by int
}

// splice changes the request into that of call i.
func (q *request) splice(i int, splices []event.Splice) {
	had := q.at >= 0
	for _, s := range splices {
		at, end := spliced(s, len(q.parts))
		fresh := make([]held, len(s.Put))
		for k := range s.Put {
			fresh[k] = held{&s.Put[k], i}
		}
		q.parts = slices.Replace(q.parts, at, end, fresh...)
		is := func(p held) bool { return p.Piece == q.piece }
		switch {
		case q.at >= end:
			q.at += len(fresh) - (end - at)
		case q.at >= at: // it was dropped, or stands behind what was put
			q.at = slices.IndexFunc(q.parts, is)
			continue
		}
		if k := slices.IndexFunc(fresh, is); k >= 0 && (q.at < 0 || at+k < q.at) {
			q.at = at + k
		}
	}
	switch {
	case q.at >= 0:
		q.dropped = -1
	case had:
		q.dropped = i
	}
}

// find finds the piece that is asked for.
func (n *NotPieceReason) find(t *trail, digest string) *NotFound {
	none := func(reason string) *NotFound { return &NotFound{Kind: NotRecorded, Reason: reason} }
	asked := quote(digest, 80)
	prefix := strings.ToLower(strings.TrimSpace(digest))
	odd := strings.IndexFunc(prefix, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'f') })
	switch {
	case odd >= 0 || prefix == "" || len(prefix) > hex.EncodedLen(len(n.Piece)):
		return none(say("no digest", "digest", asked))
	case len(prefix) < leastPrefix:
		return none(say("short digest", "digest", asked, "least", itoa(leastPrefix)))
	}
	var found []model.Digest
	seen := map[model.Digest]bool{}
	var list []event.Piece
	for i := range t.r.Events {
		list = t.event(i).Pieces(list[:0])
		for _, p := range list {
			if !seen[p.Digest] {
				seen[p.Digest] = true
				if strings.HasPrefix(p.Digest.String(), prefix) {
					found = append(found, p.Digest)
				}
			}
		}
	}
	switch len(found) {
	case 0:
		if len(t.r.Events) == 0 {
			return none(say("no turn at all"))
		}
		return none(say("no such piece", "digest", asked))
	case 1:
		n.Piece = found[0]
		return nil
	}
	names := make([]string, len(found))
	for i, d := range found {
		names[i] = d.String()[:min(64, len(prefix)+8)]
	}
	return none(say("several pieces", "digest", asked, "digests", listed(names)))
}

// roles are all that a piece is.
func (t *trail) roles(d model.Digest) []PieceRole {
	var list []PieceRole
	seen := map[string]bool{}
	i := 0
	add := func(yes bool, kind PieceKind, name string) {
		key := string(kind) + "\x00" + name
		if !yes || seen[key] || len(list) == 100 {
			return
		}
		seen[key] = true
		list = append(list, PieceRole{Kind: kind, Event: t.seq(i), Name: name, Text: roleText(kind, name), turn: t.turn[i], at: i})
	}
	parts := func(parts []model.Part, kind func(p *model.Part) (PieceKind, string)) {
		for k := range parts {
			if parts[k].Piece == d {
				what, name := kind(&parts[k])
				add(true, what, name)
			}
		}
	}
	always := func(kind PieceKind, name string) func(*model.Part) (PieceKind, string) {
		return func(*model.Part) (PieceKind, string) { return kind, name }
	}
	for i = range t.r.Events {
		switch b := t.event(i).Body.(type) {
		case *event.Started:
			add(b.Message.Piece == d, PieceMessage, "")
			parts(b.History, always(PieceHistory, ""))
			parts(b.System, always(PieceSystem, ""))
			add(b.Graph.Map == d || b.Injections.Skills == d && d != model.Digest{}, PieceMap, "")
			for _, body := range b.Graph.Bodies {
				add(body.Piece == d, PieceBody, body.Skill)
			}
			for _, tool := range b.Tools {
				add(tool.Piece == d, PieceTool, tool.Name)
				add(tool.Output == d && tool.Output != model.Digest{}, PieceOutput, tool.Name)
			}
			for k, p := range b.Injections.Steering {
				add(p.Piece == d, PieceSteering, fmt.Sprintf("steering[%d]", k))
			}
			for _, p := range b.Injections.Facts {
				add(p.Piece == d, PieceFact, p.ID)
			}
			for _, p := range b.Injections.Instructions {
				add(p.Piece == d, PieceInstruction, p.ID)
			}
		case *event.Replied:
			parts(b.Parts, func(p *model.Part) (PieceKind, string) {
				switch p.Kind {
				case model.Call:
					return PieceArguments, p.Call
				case model.Thinking:
					return PieceThinking, ""
				}
				return PieceReply, ""
			})
		case *event.Called:
			if b.Choice != nil {
				add(b.Choice.Piece == d, PieceTool, b.Choice.Name)
			}
			for _, s := range b.Splices {
				parts(s.Put, func(p *model.Part) (PieceKind, string) {
					switch {
					case p.Kind == model.Menu:
						return PieceMenu, ""
					case p.Kind == model.Note:
						return PieceNote, ""
					case p.Skill != "":
						return PieceBody, p.Skill
					case len(list) > 0: // it is told as what brought it in
						return list[0].Kind, list[0].Name
					}
					return PieceOther, ""
				})
			}
		case *event.Needs:
			add(b.Question.Piece == d, PieceQuestion, b.Call)
		case *event.Answered:
			add(b.Answer.Piece == d, PieceAnswered, b.Call)
		case *event.Late:
			parts(b.Parts, always(PieceLate, b.Call))
		case *event.EffectJudged:
			add(b.Note.Kind != "" && b.Note.Piece == d, PieceNote, "")
		case *event.RouteConflict:
			add(b.Note.Kind != "" && b.Note.Piece == d, PieceNote, "")
		case *event.RerouteSuperseded:
			add(b.Note.Kind != "" && b.Note.Piece == d, PieceNote, "")
		case *event.Finished:
			parts(b.Answer, always(PieceReply, ""))
		default:
			if call, result := resultOf(b); result.Kind != "" {
				add(result.Piece == d, PieceResult, call)
			}
			if b, ok := b.(*event.Returned); ok {
				parts(b.More, always(PieceResult, b.Call))
			}
		}
	}
	return list
}

// roleText says in a few words what a piece is.
func roleText(kind PieceKind, name string) string {
	switch name = either(name != "", line(name), "a call"); kind {
	case PieceMessage:
		return say("piece message")
	case PieceHistory:
		return say("piece history")
	case PieceSystem:
		return say("piece system")
	case PieceSteering:
		return say("piece steering", "name", name)
	case PieceFact:
		return say("piece fact", "name", name)
	case PieceInstruction:
		return say("piece instruction", "name", name)
	case PieceBody:
		return say("piece body", "name", name)
	case PieceTool:
		return say("piece tool", "name", name)
	case PieceOutput:
		return say("piece output", "name", name)
	case PieceMap:
		return say("piece map")
	case PieceResult:
		return say("piece result", "name", name)
	case PieceReply:
		return say("piece reply")
	case PieceThinking:
		return say("piece thinking")
	case PieceArguments:
		return say("piece arguments", "name", name)
	case PieceNote:
		return say("piece note")
	case PieceMenu:
		return say("piece menu")
	case PieceQuestion:
		return say("piece question", "name", name)
	case PieceAnswered:
		return say("piece answered", "name", name)
	case PieceLate:
		return say("piece late")
	}
	return say("piece other")
}

// pieceOccasion tells what one model call had to do with a piece.
func (t *trail) pieceOccasion(i int, b *event.Called, n *NotPieceReason, q *request) PieceOccasion {
	e := t.event(i)
	o := PieceOccasion{Turn: e.Turn, Iteration: e.Iteration, Event: e.Seq, Purpose: b.Purpose, Skill: b.Skill, Evidence: t.grade(e.Seq, Fact)}
	if q.at >= 0 {
		p := q.parts[q.at]
		o.In, o.Part, o.Since = true, q.at+1, t.seq(p.by)
		name := "piece in"
		switch {
		case p.Kind == model.Call:
			name = "piece in arguments"
		case p.Kind == model.Thinking:
			name = "piece in thinking"
		case p.Role == model.Assistant:
			name = "piece in reply"
		}
		o.Text = say(name, "part", itoa(o.Part), "parts", itoa(len(q.parts)), "since", itoa(o.Since), "call", line(p.Call))
		return o
	}
	for _, spec := range t.specs(i) {
		if spec.Piece == n.Piece {
			o.In, o.Since, o.Text = true, e.Seq, say("piece told", "tool", line(spec.Name))
			return o
		}
	}
	if q.dropped >= 0 {
		o.Dropped = t.seq(q.dropped)
	}
	role := t.roleAt(i, n.Roles)
	if role == nil {
		o.Text, o.NoChange = say("piece nowhere"), &NotFound{Kind: NotRecorded, Reason: say("piece nowhere")}
		return o
	}
	t.absent(&o, i, b, role)
	return o
}

// roleAt is what a piece is to a model call: the role that could have put it
// into the request, of this turn if one is; nil if it is nothing.
func (t *trail) roleAt(i int, roles []PieceRole) *PieceRole {
	best, rank := -1, 0
	for k := range roles {
		r := &roles[k]
		n := 1
		if neverText(r.Kind) == "" {
			n = 2
		}
		if r.at < i {
			n += 2
		}
		if r.turn == t.turn[i] {
			n += 4
		}
		if n > rank {
			best, rank = k, n
		}
	}
	if best < 0 {
		return nil
	}
	return &roles[best]
}

// absent says why a request does not have a piece.
func (t *trail) absent(o *PieceOccasion, i int, b *event.Called, r *PieceRole) {
	none := func(kind Absence, reason string) { o.NoChange = &NotFound{Kind: kind, Reason: reason} }
	what := either(r.Name != "", line(r.Name), "")
	move := t.moveBefore(i)
	s := t.started(i)
	switch {
	case neverText(r.Kind) != "":
		o.Text = neverText(r.Kind)
		none(Refused, o.Text)
		return
	case aside(b.Purpose):
		o.Text = say("piece aside", "purpose", line(string(b.Purpose)))
		none(NotReached, say("no change aside piece"))
		return
	case r.at > i:
		o.Text = say("piece later", "event", itoa(r.Event), "role", r.Text)
		none(NotReached, say("no change later"))
		return
	case s == nil:
		o.Text = say("piece nowhere")
		none(NotRecorded, say("piece nowhere"))
		return
	}
	o.Evidence = Derived
	gone := either(o.Dropped > 0, say("dropped at", "event", itoa(o.Dropped)), "")
	switch r.Kind {
	case PieceBody:
		t.absentBody(o, move, r.Name, gone)
	case PieceTool:
		tool := t.toolOccasion(i, b, r.Name)
		o.Text, o.Evidence, o.Changes, o.NoChange = tool.Text, tool.Evidence, tool.Changes, tool.NoChange
		o.Text = say("piece of tool", "tool", what, "why", tool.Text)
	case PieceInstruction:
		t.absentInstruction(o, move, r.Name, gone)
	case PieceMenu:
		o.Text = say(either(b.Last, "piece menu last", "piece no menu"), "gone", gone)
		none(NotReached, say("no change menu"))
	case PieceNote:
		o.Text = say("piece cut", "role", r.Text, "event", itoa(r.Event), "gone", gone)
		none(NotReached, say("no change note"))
	case PieceResult, PieceReply, PieceThinking, PieceArguments, PieceMessage, PieceHistory:
		o.Text = say(either(r.turn != t.turn[i], "piece other turn", "piece cut"), "role", r.Text, "event", itoa(r.Event), "gone", gone)
		none(NotReached, say("no change history"))
	default:
		o.Text = say(either(r.turn != t.turn[i], "piece other turn", "piece cut"), "role", r.Text, "event", itoa(r.Event), "gone", gone)
		none(NotReached, say("no change prompt"))
	}
	if len(o.Changes) > 0 {
		o.NoChange = nil
	}
}

// neverText says why no model is ever shown a piece of a kind; empty if one is.
func neverText(kind PieceKind) string {
	switch kind {
	case PieceOutput:
		return say("piece never output")
	case PieceMap:
		return say("piece never map")
	case PieceQuestion:
		return say("piece never question")
	case PieceAnswered:
		return say("piece never answered")
	case PieceLate:
		return say("piece never late")
	}
	return ""
}

// absentBody says why the body of a skill is not in a request.
func (t *trail) absentBody(o *PieceOccasion, move int, skill, gone string) {
	m := &mapped{}
	if move >= 0 {
		m = t.mapOf(move)
	}
	switch {
	case move < 0 || m.m == nil:
		o.Text = say("piece no move", "skill", line(skill))
		o.NoChange = &NotFound{Kind: NotRecorded, Reason: say("no graph")}
		return
	case !slices.Contains(m.skills(), skill):
		o.Text = say("piece no skill", "skill", line(skill))
		o.NoChange = &NotFound{Kind: NotRecorded, Reason: o.Text}
		return
	case t.isActive(move, skill):
		o.Text = say("piece as answer", "skill", line(skill))
		o.NoChange = &NotFound{Kind: NotReached, Reason: o.Text}
		return
	}
	o.Text = say("piece inactive", "skill", line(skill), "active", listed(activeIDs(t.active[move])), "gone", gone)
	all, none := t.reached(move, skill)
	for k := range all {
		c := &all[k]
		if c.Verified && !slices.Contains(c.made.activeAfter(), skill) {
			c.Verified, c.Evidence, c.Why = false, Assumed, say("piece still not")
		}
	}
	o.Changes = smallest(all)
	if len(o.Changes) == 0 {
		if o.NoChange = none; none == nil {
			o.NoChange = &NotFound{Kind: NotReached, Reason: say("no change")}
		}
	}
}

func activeIDs(list []event.Active) (ids []string) {
	for _, a := range list {
		ids = append(ids, a.Skill)
	}
	return ids
}

// absentInstruction says why an instruction is not in a request.
func (t *trail) absentInstruction(o *PieceOccasion, move int, id, gone string) {
	s := t.started(move)
	when, at := "", -1
	if s != nil {
		at = slices.IndexFunc(s.Injections.Instructions, func(p event.Passage) bool { return p.ID == id })
	}
	if move < 0 || at < 0 {
		o.Text = say("piece no move", "skill", line(id))
		o.NoChange = &NotFound{Kind: NotRecorded, Reason: say("no graph")}
		return
	}
	when = s.Injections.Instructions[at].When
	o.Text = say(either(when == "", "piece no lease", "piece not due"), "id", line(id), "when", clip(when, 200), "gone", gone)
	ref := spoor.Ref("agent.instructions").At(at)
	for _, k := range t.skipped(move) {
		if k.Ref == ref.Key("when") {
			o.Text = say("piece failed", "id", line(id), "error", clip(k.Error, 200))
		}
	}
	w := t.waysAt(move, "")
	if w.base == nil {
		o.NoChange = &NotFound{Kind: NotRecorded, Reason: say("no graph")}
		return
	}
	edit := always(ref, true, func(e *editing, when string) {
		e.in.Instructions = slices.Clone(e.in.Instructions)
		e.in.Instructions[at].When = when
	})
	trials := []trial{{edits: []MapEdit{edit}}}
	if when != "" && !w.mapped.bound(when) {
		results := w.sit.facts.Results
		if len(results) == 0 {
			results = []spoor.Result{{Executed: true}}
		}
		for _, r := range results[:min(len(results), 4)] {
			facts, ok := w.guess(when, r, true)
			facts = slices.DeleteFunc(facts, func(e FactEdit) bool { return r.CallID == "" && e.What != FactMessage })
			if ok && len(facts) > 0 {
				trials = append(trials, trial{facts: facts})
			}
		}
	}
	if w.mapped.bound(when) {
		trials = append(trials, trial{facts: []FactEdit{function(when)}})
	}
	for _, trial := range trials {
		d := w.attempt(trial)
		if d != nil && d.why == "" && slices.Contains(d.g.Injected(d.facts, d.move).Instructions, id) {
			o.Changes = append(o.Changes, w.changed(trial, d))
		}
	}
	lease := FactEdit{What: FactLease, Key: id, value: guard.Of(true), Want: rawOf(guard.Of(true), 0)}
	o.Changes = append(o.Changes, Change{
		Evidence: Assumed, Kind: OfFacts, Facts: []FactEdit{lease}, Text: factText(&lease), Why: say("lease unsure"),
	})
	if o.Changes = smallest(o.Changes); len(o.Changes) == 0 {
		o.NoChange = w.nothing()
	}
}

func (n *NotPieceReason) String() string {
	var p page
	if n.NotFound != nil {
		p.put(0, quote(n.Asked, 80)+":")
		p.notFound(2, n.NotFound)
		p.footnotes(n.Incomplete)
		p.warn(n.Changed)
		return p.String()
	}
	p.put(0, fmt.Sprintf("Piece %s, %s:", n.Piece.String()[:12], quote(n.Text, 120)))
	for _, r := range n.Roles {
		p.hang(2, 13, fmt.Sprintf("event %-4d %s", r.Event, r.Text))
	}
	in := 0
	for _, o := range n.Occasions {
		if o.In {
			in++
		}
	}
	p.put(0, fmt.Sprintf("It was in the context of %d of %s:", in, counted(len(n.Occasions), "model call")))
	turns := n.Occasions[len(n.Occasions)-1].Turn != n.Occasions[0].Turn
	for i := 0; i < len(n.Occasions); {
		o, last := &n.Occasions[i], i
		text := o.text()
		for last+1 < len(n.Occasions) && n.Occasions[last+1].Turn == o.Turn && n.Occasions[last+1].text() == text {
			last++
		}
		p.WriteString("\n" + placeText(turns, o.Turn, o.Iteration, o.Event, n.Occasions[last].Iteration, n.Occasions[last].Event) + ": " + text)
		i = last + 1
	}
	p.footnotes(n.Incomplete)
	p.warn(n.Changed)
	return p.String()
}

// text tells an occasion; what is the same in a row is told once.
func (o *PieceOccasion) text() string {
	var p page
	p.put(0, either(o.Skill == "", say("asked nowhere"), say("asked there", "skill", line(o.Skill))))
	p.hang(2, 4, fmt.Sprintf("%s (%s)", o.Text, o.Evidence))
	p.told(4, o.Changes, "piece")
	return p.String()
}
