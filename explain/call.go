package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
)

// A CallReason says why a model was called, what it was asked, and what came
// of it.
type CallReason struct {
	Evidence  Evidence      `json:"evidence,omitempty"` // that Because is why it was made; empty if nobody knows why
	Call      int           `json:"call"`               // the one asked about
	Calls     int           `json:"calls"`              // that the turn made, of every purpose
	Turn      int           `json:"turn,omitempty"`
	Iteration int           `json:"iteration,omitempty"`
	Event     int           `json:"event,omitempty"`
	Purpose   model.Purpose `json:"purpose,omitempty"`
	Skill     string        `json:"skill,omitempty"` // where the walk stood; empty: nowhere
	Because   string        `json:"because,omitempty"`

	// Results are what had come back since the call before.
	Results []Result `json:"results,omitempty"`

	// Last says that no further call is allowed, and Limit what does not allow
	// it.
	Last  bool        `json:"last,omitempty"`
	Limit spoor.Limit `json:"limit,omitempty"`

	// Parts are all of the request, in order. Dropped is what the call of that
	// purpose before it still had.
	Parts   []CallPart    `json:"parts,omitempty"`
	Dropped []DroppedPart `json:"dropped,omitempty"`

	Tools  []CallTool `json:"tools,omitempty"`  // that it was offered, in order
	Forced string     `json:"forced,omitempty"` // the one of them that it must call

	Reply   *CallReply `json:"reply,omitempty"`
	NoReply *NotFound  `json:"noReply,omitempty"` // why there is no reply

	// Next is what followed from the reply: where the turn starts, the move, the
	// end of the turn.
	Next []Link `json:"next,omitempty"`

	// Chain leads from the move back to the message.
	Chain []Link `json:"chain,omitempty"`

	Gap        string    `json:"gap,omitempty"`      // events that are missing before it
	NotFound   *NotFound `json:"notFound,omitempty"` // why there is no such call
	Changed    string    `json:"changed,omitempty"`  // why not all of it is as it was recorded
	Incomplete string    `json:"incomplete,omitempty"`
}

// A CallPart is a part of a request.
type CallPart struct {
	Part    int          `json:"part,omitempty"` // from 1; 0 of one that was dropped
	Role    model.Role   `json:"role"`
	Kind    model.Kind   `json:"kind"`
	Piece   model.Digest `json:"piece"`
	Bytes   int          `json:"bytes"`
	Missing bool         `json:"missing,omitempty"` // the recording does not have the bytes

	// Origin says what it is, and Event is what brought it in.
	Origin SourceKind `json:"origin"`
	Event  int        `json:"event,omitempty"`

	// Since is the model call that put it there, its event, and SinceCall the
	// same as a number. New says that it is this call.
	Since     int  `json:"since,omitempty"`
	SinceCall int  `json:"sinceCall,omitempty"`
	New       bool `json:"new,omitempty"`

	Name   string `json:"name,omitempty"`  // what the agent's author calls it, as in Source
	Skill  string `json:"skill,omitempty"` // of a body
	File   string `json:"file,omitempty"`  // that the body is from
	Line   int    `json:"line,omitempty"`  // where it begins there
	Call   string `json:"call,omitempty"`  // of a call and its result
	Tool   string `json:"tool,omitempty"`
	Status string `json:"status,omitempty"`
	Media  string `json:"media,omitempty"`

	Text string `json:"text,omitempty"` // how it begins, in one line; empty if that is no text
}

// Where a part is from that is no source of words: what the model itself said,
// and what the walk asks of a model that is to choose.
const (
	FromReply  SourceKind = "reply"
	FromChoice SourceKind = "choice"
)

// A DroppedPart is one that the call of that purpose before had, and this one
// has not.
type DroppedPart struct {
	CallPart
	Evidence Evidence `json:"evidence"`
	Why      string   `json:"why"`
}

// A CallTool is a tool that a call offers.
type CallTool struct {
	Name  string       `json:"name"`
	Piece model.Digest `json:"piece,omitzero"` // its specification; zero if it is not on record
	Bytes int          `json:"bytes,omitempty"`
	By    ToolBringer  `json:"by"`

	// Skills are those that bring it; empty if By is not a skill.
	Skills []string `json:"skills,omitempty"`
}

// A ToolBringer says who brings a tool into a call.
type ToolBringer string

const (
	ByActiveSkill ToolBringer = "active skill" // one that lists it, and is active
	ByAnySkill    ToolBringer = "any skill"    // one that lists it, whose tools are offered wherever the walk stands
	ByAgent       ToolBringer = "agent"        // no skill lists it
	ByWalk        ToolBringer = "walk"         // read_skill, and the tool of a forced choice
	ByUnknown     ToolBringer = "unknown"      // the recording does not say
)

// A CallReply is what came back from a model call.
type CallReply struct {
	Event    int    `json:"event"`
	Kind     string `json:"kind"`               // of the event: replied, failed, stopped
	Text     string `json:"text,omitempty"`     // what the model said
	Thinking int    `json:"thinking,omitempty"` // bytes
	Asks     []Ask  `json:"asks,omitempty"`     // the calls that it asks for

	Model string      `json:"model,omitempty"` // what answered, as its provider names it
	Stop  model.Stop  `json:"stop,omitempty"`  // what ended the answer before its end
	Usage model.Usage `json:"usage,omitzero"`

	Error  string      `json:"error,omitempty"`
	Fault  model.Fault `json:"fault,omitempty"`
	Status int         `json:"status,omitempty"` // of HTTP

	Wire     model.Wire      `json:"wire,omitzero"`      // the bytes that were sent
	Attempts []model.Attempt `json:"attempts,omitempty"` // those that failed before
}

// An Ask is a call that a reply asks for.
type Ask struct {
	Call      string `json:"call,omitempty"` // empty of a forced choice
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"`
}

// Call explains a model call of the last turn; the first is 1, whatever it is
// for.
func Call(r *recording.Recording, n int) *CallReason {
	t := newTrail(r)
	c := &CallReason{Call: n, Incomplete: incomplete(r)}
	order := map[int]int{} // of the calls of the turn, by index, from 1
	at := -1
	for i := range r.Events {
		if _, ok := t.event(i).Body.(*event.Called); ok && t.turn[i] == t.turn[len(t.turn)-1] {
			order[i] = len(order) + 1
			if order[i] == n {
				at = i
			}
		}
	}
	c.Calls = len(order)
	made := counted(c.Calls, "model call")
	switch {
	case at >= 0:
	case n < 1:
		c.NotFound = &NotFound{Kind: NotRecorded, Reason: say("bad call")}
	case len(r.Events) == 0:
		c.NotFound = &NotFound{Kind: NotRecorded, Reason: say("no calls at all")}
	case r.Incomplete() && r.Waiting() == nil:
		c.NotFound = &NotFound{Kind: NotRecorded, Reason: say("calls end", "calls", made)}
	default:
		c.NotFound = &NotFound{Kind: NotReached, Reason: say("no such call", "calls", made)}
	}
	if c.NotFound != nil {
		c.Changed = t.changed()
		return c
	}
	e, b := t.event(at), t.event(at).Body.(*event.Called)
	c.Turn, c.Iteration, c.Event, c.Purpose, c.Skill, c.Last, c.Limit = e.Turn, e.Iteration, e.Seq, b.Purpose, b.Skill, b.Last, b.Limit
	if b.Choice != nil {
		c.Forced = b.Choice.Name
	}
	move := -1
	if aside(b.Purpose) {
		c.Evidence, c.Because = Fact, say(asideWhy(b.Purpose), "purpose", line(string(b.Purpose)))
		c.Chain = t.asideLinks(at)
	} else if _, move, c.Evidence = cause[*event.Evaluated](t, at); move >= 0 {
		l := t.moveLink(move, c.Evidence)
		c.Because, c.Results = l.Text, t.results(move)
		entered := t.entered(move)
		if entered != move {
			c.Chain = append(c.Chain, l)
		}
		c.Chain = append(c.Chain, t.back(entered)...)
	} else {
		c.Evidence, c.Because, c.Chain = "", say("no reason"), t.message(at)
	}
	held, dropped := t.held(at)
	q := &inquiry{t: t, called: at}
	o := q.provenances()
	menu := false
	c.Parts = make([]CallPart, 0, len(held))
	for i, p := range held {
		part := q.part(o, p, i)
		part.Part, part.SinceCall, part.New = i+1, order[p.by], p.by == at
		c.Parts = append(c.Parts, part)
		menu = menu || p.Kind == model.Menu
	}
	for _, p := range dropped {
		part := q.part(o, p, -1)
		part.SinceCall = order[p.by]
		c.Dropped = append(c.Dropped, DroppedPart{part, Derived, t.droppedWhy(at, move, p, menu, c.Because)})
	}
	c.Tools = t.tools(at, move)
	c.reply(t, at)
	c.Gap = t.gap(at)
	c.Changed = t.changed()
	return c
}

// asideWhy is the template of why a model is asked for something else than an
// answer.
func asideWhy(p model.Purpose) string {
	name := "asked aside"
	switch p {
	case model.Classify:
		name = "asked to classify"
	case model.Decide:
		name = "asked to decide"
	}
	return name
}

// asideLinks tells what a call for a choice follows from.
func (t *trail) asideLinks(i int) []Link {
	var links []Link
	for _, seq := range slices.Backward(t.event(i).Because) {
		k, ok := t.at[seq]
		if !ok || k >= i || t.turn[k] != t.turn[i] {
			continue
		}
		if _, started := t.event(k).Body.(*event.Started); !started {
			links = append(links, t.toldLink(k, Fact))
		}
	}
	return append(links, t.message(i)...)
}

// held is what request i has, each part with the call since which it is there,
// and what the call before had and this one drops. What one splice drops and
// puts again has been there all along.
func (t *trail) held(i int) (parts, dropped []placed) {
	purpose := t.event(i).Body.(*event.Called).Purpose
	var all []placed  // that any call put
	var now []int     // of them, those of the request: a splice moves numbers and no parts
	var without []int // of them, those that the last call dropped
	for j := max(t.turn[i], 0); j <= i; j++ {
		b, ok := t.event(j).Body.(*event.Called)
		if !ok || b.Purpose != purpose {
			continue
		}
		without = without[:0]
		for _, s := range b.Splices {
			at, end := spliced(s, len(now))
			before := map[model.Part][]int{}
			for _, k := range now[at:end] {
				before[bare(all[k].Part)] = append(before[bare(all[k].Part)], k)
			}
			put := make([]int, len(s.Put))
			for n, p := range s.Put {
				if same := before[bare(p)]; len(same) > 0 {
					put[n], before[bare(p)] = same[0], same[1:]
					continue
				}
				put[n] = len(all)
				all = append(all, placed{p, j})
			}
			for _, k := range now[at:end] {
				if left := before[bare(all[k].Part)]; len(left) > 0 && left[0] == k {
					before[bare(all[k].Part)] = left[1:]
					if all[k].by != j {
						without = append(without, k)
					}
				}
			}
			now = slices.Replace(now, at, end, put...)
		}
	}
	parts = make([]placed, 0, len(now))
	for _, k := range now {
		parts = append(parts, all[k])
	}
	for _, k := range without {
		dropped = append(dropped, all[k])
	}
	return parts, dropped
}

// provenances know where the parts of a request are from.
type provenances struct {
	*origins
	said   map[key]int          // by call and piece: the reply that said it
	before map[model.Part]bool  // what the conversation had before this turn, without its bytes
	notes  map[model.Digest]int // of earlier turns
}

func (q *inquiry) provenances() provenances {
	p := provenances{q.t.origins(), map[key]int{}, map[model.Part]bool{}, map[model.Digest]int{}}
	for i := range q.called {
		if b, ok := q.t.event(i).Body.(*event.Replied); ok && q.t.aside[i] == "" {
			for _, part := range b.Parts {
				p.said[key{part.Call, part.Piece}] = i
			}
		}
		if note := noteOf(q.t.event(i).Body); note.Kind != "" && i < q.t.turn[q.called] {
			p.notes[note.Piece] = i
		}
	}
	if s := q.t.started(q.called); s != nil {
		for _, part := range s.History {
			p.before[bare(part)] = true
		}
	}
	return p
}

// noteOf is what the model is told of an event.
func noteOf(b event.Body) model.Part {
	switch b := b.(type) {
	case *event.EffectJudged:
		return b.Note
	case *event.RouteConflict:
		return b.Note
	case *event.RerouteSuperseded:
		return b.Note
	}
	return model.Part{}
}

// bare is a part without its bytes, which is the same part.
func bare(p model.Part) model.Part {
	p.Data = ""
	return p
}

// part tells a part of the request, at its place; -1 of one that was dropped.
func (q *inquiry) part(o provenances, p placed, at int) CallPart {
	t := q.t
	data, ok := t.r.Piece(p.Piece)
	if !ok {
		data = p.Data
	}
	part := CallPart{
		Role: p.Role, Kind: p.Kind, Piece: p.Piece, Bytes: len(data), Missing: !ok, Since: t.seq(p.by),
		Skill: p.Skill, Call: p.Call, Tool: p.Tool, Status: p.Status, Media: p.Media,
	}
	if readable(p.Part, data) {
		part.Text = clip(data, 120)
	}
	b := t.event(q.called).Body.(*event.Called)
	before := o.before[bare(p.Part)]
	origin := -1
	switch reply, replied := o.said[key{p.Call, p.Piece}]; {
	case p.Role == model.Assistant && replied:
		part.Origin, origin = FromReply, reply
	case p.Role == model.Assistant && before:
		part.Origin, origin = FromHistory, t.turn[q.called]
	case p.Role == model.Assistant:
		part.Origin, origin = FromReply, p.by
	case p.Role == model.System && aside(b.Purpose):
		part.Origin, origin = FromChoice, p.by
	default:
		part.Origin, part.Name, origin = q.origin(o.origins, p, at)
		_, known := o.results[key{p.Call, p.Piece}]
		note, noted := o.notes[p.Piece]
		switch {
		case !before || p.Role == model.Tool && known || p.Role == model.User:
		case p.Kind == model.Note && noted:
			origin = note
		default:
			origin = t.turn[q.called] // it came with the conversation
		}
	}
	part.Event = t.seq(origin)
	if part.Origin == FromBody {
		if body, ok := q.body(&shown{Part: p.Part, kind: FromBody}); ok {
			part.File, part.Line = body.File, body.Line
		}
	}
	return part
}

// droppedWhy says why a part is not in a request any more. Menu says whether
// that has a menu, and moved tells the move before it.
func (t *trail) droppedWhy(called, move int, p placed, menu bool, moved string) string {
	b := t.event(called).Body.(*event.Called)
	switch {
	case p.Kind == model.Menu && menu:
		return say("dropped menu")
	case p.Kind == model.Menu && b.Last:
		return say("dropped menu last")
	case p.Kind == model.Menu:
		return say("dropped menu gone")
	case p.Kind == model.Instruction && move >= 0:
		if id := t.instruction(called, p.Piece); t.instructs(move, id) == nil {
			return say("dropped instruction", "id", either(id != "", line(id), `""`))
		}
	case p.Skill != "" && move >= 0 && !t.isActive(move, p.Skill):
		return say("dropped body", "skill", line(p.Skill), "move", moved)
	}
	return say("dropped other")
}

// tools are those that a request offers, and who brings them.
func (t *trail) tools(called, move int) []CallTool {
	b := t.event(called).Body.(*event.Called)
	offered := t.offered(called)
	if b.Choice != nil {
		offered = []string{b.Choice.Name}
	}
	specs := map[string]event.Tool{}
	for _, s := range t.specs(called) {
		specs[s.Name] = s
	}
	mapped := t.mapOf(called)
	owners := map[string][]string{}
	own := func(s *spoor.Skill) {
		for _, tool := range s.Tools {
			if !mapped.hides(s.ID) && !slices.Contains(owners[tool], s.ID) {
				owners[tool] = append(owners[tool], s.ID)
			}
		}
	}
	if mapped.m != nil {
		for i := range mapped.m.Skills {
			own(&mapped.m.Skills[i])
		}
	}
	for i := range mapped.agent {
		own(&mapped.agent[i].Skill)
	}
	var list []CallTool
	for _, name := range offered {
		tool := CallTool{Name: name, Piece: specs[name].Piece, Bytes: len(specs[name].Data), By: ByUnknown}
		switch {
		case b.Choice != nil || name == readSkill:
			tool.By = ByWalk
		case mapped.m == nil:
		case owners[name] == nil:
			tool.By = ByAgent
		default:
			for _, skill := range owners[name] {
				if move >= 0 && t.isActive(move, skill) {
					tool.By, tool.Skills = ByActiveSkill, append(tool.Skills, skill)
				}
			}
			if tool.Skills != nil {
				break
			}
			g := mapped.compiled()
			for _, skill := range owners[name] {
				if g != nil && g.Skill(skill) != nil && !g.Scoped(skill) {
					tool.By, tool.Skills = ByAnySkill, append(tool.Skills, skill)
				}
			}
		}
		list = append(list, tool)
	}
	return list
}

// reply tells what came back, and what followed from it.
func (c *CallReason) reply(t *trail, called int) {
	const most = 8 // of what follows
	for i := called + 1; i < len(t.r.Events) && t.turn[i] == t.turn[called]; i++ {
		switch b := t.event(i).Body.(type) {
		case *event.Called:
			if c.Reply == nil {
				c.NoReply = &NotFound{Kind: NotRecorded, Reason: say("no reply to it")}
			}
			return
		case *event.Replied:
			if c.Reply != nil {
				continue
			}
			c.Reply = &CallReply{Model: b.Model, Stop: b.Stop, Usage: b.Usage, Wire: b.Wire, Attempts: b.Attempts}
			var words []model.Part
			for _, p := range b.Parts {
				switch p.Data = t.data(p); p.Kind {
				case model.Text:
					words = append(words, p)
				case model.Thinking:
					c.Reply.Thinking += len(p.Data)
				case model.Call:
					c.Reply.Asks = append(c.Reply.Asks, Ask{p.Call, p.Tool, p.Data})
				}
			}
			c.Reply.Text = event.Text(words)
		case *event.Failed:
			if c.Reply != nil {
				continue
			}
			c.Reply = &CallReply{Error: b.Error, Fault: b.Fault, Status: b.Status, Wire: b.Wire, Attempts: b.Attempts}
		case *event.Stopped:
			if c.Reply != nil {
				continue
			}
			c.Reply = &CallReply{Error: b.Reason, Wire: b.Wire, Attempts: b.Attempts}
		case *event.TurnRouted, *event.Evaluated, *event.Finished:
			if len(c.Next) == most {
				return
			}
			l := t.toldLink(i, Fact)
			if _, moved := b.(*event.Evaluated); moved {
				l = t.moveLink(i, Fact)
			}
			c.Next = append(c.Next, l)
			continue
		default:
			continue
		}
		c.Reply.Event, c.Reply.Kind = t.seq(i), t.event(i).Body.Kind()
	}
	if c.Reply == nil {
		c.NoReply = &NotFound{Kind: NotRecorded, Reason: say(either(c.Next != nil, "no reply to it", "ends before reply"))}
	}
}

// gap says which events are missing of the turn before event i; empty if none
// are.
func (t *trail) gap(i int) string {
	turn := t.turn[i]
	if turn < 0 {
		return say("no beginning")
	}
	for j := turn; j < i; j++ {
		if a, b := t.seq(j), t.seq(j+1); b != a+1 {
			return say("gap", "after", itoa(a), "before", itoa(b))
		}
	}
	return ""
}

// what names a part in a few words.
func (p *CallPart) what() string {
	text := line(string(p.Role)) + " " + line(string(p.Kind))
	for _, s := range []string{p.Call, p.Tool, p.Status, p.Media} {
		if s != "" {
			text += " " + line(s)
		}
	}
	text += ", " + counted(p.Bytes, "byte")
	if p.Missing {
		text += " (" + say("not there") + ")"
	}
	return text
}

// from names where a part is from.
func (p *CallPart) from() string {
	at := ", event " + itoa(p.Event)
	switch p.Origin {
	case FromBody:
		if p.File != "" {
			return fmt.Sprintf("the body of %s, %s:%d", quote(p.Skill, 60), line(p.File), max(p.Line, 1))
		}
		return "the body of " + quote(p.Skill, 60)
	case FromSystem:
		return "the system prompt"
	case FromMessage:
		return "the message" + at
	case FromHistory:
		return "an earlier turn" + at
	case FromResult:
		return "what came back" + at
	case FromReply:
		return "what the model said" + at
	case FromNote:
		return "a note of the walk" + at
	case FromMenu:
		return "where the model may go"
	case FromChoice:
		return "what the walk asks"
	case FromSteering:
		return "the agent's " + line(p.Name)
	}
	return "the agent's " + string(p.Origin) + " " + line(p.Name)
}

// broughtBy says who brings a tool.
func (tool *CallTool) broughtBy() string {
	switch tool.By {
	case ByActiveSkill:
		return say("tool of skill", "skills", listed(tool.Skills))
	case ByAnySkill:
		return say("tool of any skill", "skills", listed(tool.Skills))
	case ByAgent:
		return say("tool of agent")
	case ByWalk:
		return say("tool of walk")
	}
	return say("tool of nobody")
}

func (c *CallReason) String() string {
	var p page
	if c.NotFound != nil {
		p.put(0, fmt.Sprintf("Model call %d:", c.Call))
		p.notFound(2, c.NotFound)
		p.footnotes(c.Incomplete)
		p.warn(c.Changed)
		return p.String()
	}
	p.put(0, fmt.Sprintf("Model call %d of %d, event %d, iteration %d: to %s, in %s", c.Call, c.Calls, c.Event, c.Iteration,
		either(c.Purpose != "", line(string(c.Purpose)), string(model.Answer)), skillName(c.Skill)))
	p.hang(2, 4, "why: "+c.Because+either(c.Evidence != "", " ("+string(c.Evidence)+")", ""))
	if c.Last {
		p.hang(2, 4, say("last of all", "limit", plain.limitText(c.Limit)))
	}
	part := func(title string) {
		p.WriteByte('\n')
		p.put(2, title)
	}
	if len(c.Results) > 0 {
		part("what had come back:")
		for _, r := range c.Results {
			p.hang(4, 15, fmt.Sprintf("event %-4d %s", r.Event, r.told()))
		}
	}
	c.parts(&p, part)
	if len(c.Tools) > 0 {
		part(either(c.Forced != "", "what it must call:", "what it may call:"))
		for i := range c.Tools {
			p.hang(4, 6, line(c.Tools[i].Name)+", "+c.Tools[i].broughtBy())
		}
	}
	part("what came back:")
	c.Reply.put(&p)
	p.notFound(4, c.NoReply)
	if len(c.Next) > 0 {
		part("what followed:")
		for _, l := range c.Next {
			p.link(4, l)
		}
	}
	part("how the walk got there:")
	p.chain(4, c.Chain, tale{})
	p.footnotes(c.Gap, c.Incomplete)
	p.warn(c.Changed)
	return p.String()
}

// parts shows the request. Of a long one only what is new is shown to its end.
func (c *CallReason) parts(p *page, title func(string)) {
	const most = 200
	bytes, fresh, left := 0, 0, 0
	for i := range c.Parts {
		bytes += c.Parts[i].Bytes
		if c.Parts[i].New {
			fresh++
		}
	}
	title(fmt.Sprintf("what it was asked, %s with %s, and since which call; %d of them new:", counted(len(c.Parts), "part"), counted(bytes, "byte"), fresh))
	for i := range c.Parts {
		part := &c.Parts[i]
		if i >= most && !part.New {
			left++
			continue
		}
		since := either(part.New, "new", "call "+itoa(part.SinceCall))
		p.hang(4, 18, fmt.Sprintf("%4d  %-7s %s: %s", part.Part, since, part.what(), part.from()))
		if part.Text != "" {
			p.put(18, clip(part.Text, columns-18))
		}
	}
	if left > 0 {
		p.put(4, fmt.Sprintf("and %s that the call before had as well", counted(left, "part")))
	}
	if len(c.Dropped) == 0 {
		return
	}
	title("what was dropped, though the call before had it:")
	for i := range c.Dropped {
		part := &c.Dropped[i]
		p.hang(4, 6, fmt.Sprintf("- %s: %s, since call %d; %s (%s)", part.what(), part.from(), part.SinceCall, part.Why, part.Evidence))
	}
}

// put shows a reply.
func (r *CallReply) put(p *page) {
	if r == nil {
		return
	}
	for _, l := range plain.attempts(r.Attempts) {
		p.hang(4, 15, l.Text)
	}
	row := func(text string) { p.hang(4, 15, fmt.Sprintf("event %-4d %s", r.Event, text)) }
	if r.Thinking > 0 {
		row(say("thought", "bytes", counted(r.Thinking, "byte")))
	}
	if r.Text != "" {
		row(say(either(r.Asks != nil, "said", "answered"), "text", quote(r.Text, 600)))
	}
	for _, a := range r.Asks {
		if a.Call == "" {
			row(say("chose", "choice", choiceText(a.Arguments)))
			continue
		}
		row(say("asked for", "call", line(a.Call), "tool", line(a.Tool), "args", clip(a.Arguments, 120)))
	}
	switch {
	case r.Kind == (event.Failed{}).Kind():
		row(say("model failed", "reason", clip(r.Error, 300)))
	case r.Kind == (event.Stopped{}).Kind():
		row(say("stopped", "reason", clip(r.Error, 300)))
	case r.Text == "" && r.Asks == nil:
		row(say("answered", "text", `""`))
	}
	if r.Stop != "" {
		row(say(either(r.Stop == model.StopLength, "cut short", "withheld")))
	}
	if r.Model != "" {
		p.hang(15, 17, say(either(r.Usage == (model.Usage{}), "by model", either(r.Usage.Cached > 0, "by model cached", "by model usage")),
			"model", line(r.Model), "input", counted(r.Usage.Input, "token"), "cached", itoa(r.Usage.Cached), "output", itoa(r.Usage.Output)))
	}
	if r.Wire != (model.Wire{}) {
		p.hang(15, 17, say("on the wire", "bytes", counted(r.Wire.Bytes, "byte"), "digest", clip(strings.TrimSpace(r.Wire.SHA256), 64)))
	}
}
