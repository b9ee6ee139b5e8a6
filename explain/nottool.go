package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/internal/nearest"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
)

// A NotToolReason says of every model call whether a tool was offered and
// called, and if not, what shut it.
type NotToolReason struct {
	Tool string `json:"tool"`

	// Called lists the calls of the tool that were carried out.
	Called []Link `json:"called,omitempty"`

	// Occasions are all model calls of the recording, in order.
	Occasions []ToolOccasion `json:"occasions,omitempty"`

	NotFound   *NotFound `json:"notFound,omitempty"` // why there are no occasions
	Changed    string    `json:"changed,omitempty"`  // why not all of it is as it was recorded
	Incomplete string    `json:"incomplete,omitempty"`
}

// A ToolOccasion is one model call, and what became of the tool in it.
type ToolOccasion struct {
	Turn      int         `json:"turn"`
	Iteration int         `json:"iteration"`
	Event     int         `json:"event"`           // of the model call
	Skill     string      `json:"skill,omitempty"` // where the walk stood
	Outcome   ToolOutcome `json:"outcome"`
	Offered   bool        `json:"offered"`
	Evidence  Evidence    `json:"evidence"`
	Text      string      `json:"text"`             // one line
	Skills    []string    `json:"skills,omitempty"` // that list the tool

	// Calls are those of the tool that the model asked for, and what became of
	// each.
	Calls []ToolCall `json:"calls,omitempty"`

	// Changes would have offered the tool, or let it be called: the smallest of
	// the facts, and of the map, the smaller one first. There are none where the
	// tool was called, and where NoChange says why.
	Changes  []Change  `json:"changes,omitempty"`
	NoChange *NotFound `json:"noChange,omitempty"`
}

// A ToolCall is one call that the model asked for.
type ToolCall struct {
	Call    string      `json:"call"`
	Event   int         `json:"event,omitempty"` // that answers it; 0 if none does
	Outcome ToolOutcome `json:"outcome"`
	Text    string      `json:"text"` // one line
}

// ToolOutcome says what became of a tool in a model call.
type ToolOutcome string

const (
	ToolCalled     ToolOutcome = "called"      // it was, and came to an end there
	ToolFailed     ToolOutcome = "failed"      // it was, and failed
	ToolNotOffered ToolOutcome = "not offered" // and so not called
	ToolNotCalled  ToolOutcome = "not called"  // it was offered, and the model did not ask for it
	ToolRefused    ToolOutcome = "refused"     // the model asked for it, and the walk refused
	ToolDeclined   ToolOutcome = "declined"    // a person said no
	ToolDenied     ToolOutcome = "denied"      // a policy did
	ToolInvalid    ToolOutcome = "invalid"     // its arguments were not accepted
	ToolLost       ToolOutcome = "lost"        // nobody knows whether it was carried out
	ToolCut        ToolOutcome = "cut"         // the turn was stopped first
	ToolOpen       ToolOutcome = "open"        // it has no answer yet
	ToolNoReply    ToolOutcome = "no reply"    // the model call brought no reply
)

// NotTool explains why a tool was not called: every model call, whether the
// tool was offered to it and what became of it there.
//
// What a model call offered, and what became of a call, is a fact. Why a tool
// was not offered is derived from the map and the skills that were active.
func NotTool(r *recording.Recording, name string) *NotToolReason {
	t := newTrail(r)
	n := &NotToolReason{Tool: name, Incomplete: incomplete(r)}
	n.NotFound = t.unknownTool(name)
	for i := range r.Events {
		if b, ok := t.event(i).Body.(*event.Called); ok && n.NotFound == nil {
			o := t.toolOccasion(i, b, name)
			for _, c := range o.Calls {
				if j, ok := t.at[c.Event]; ok && c.Event != 0 && (c.Outcome == ToolCalled || c.Outcome == ToolFailed) {
					l := t.link(j, Fact, c.Text)
					l.Call, l.Tool = c.Call, name
					n.Called = append(n.Called, l)
				}
			}
			n.Occasions = append(n.Occasions, o)
		}
	}
	if n.NotFound == nil && len(n.Occasions) == 0 {
		n.NotFound = &NotFound{Kind: NotReached, Reason: say("no model call")}
	}
	n.Changed = t.changed()
	return n
}

// unknownTool says why nothing can be told of a tool; nil if something can.
func (t *trail) unknownTool(name string) *NotFound {
	known := map[string]bool{readSkill: true}
	turns := 0
	for i := range t.r.Events {
		switch b := t.event(i).Body.(type) {
		case *event.Started:
			turns++
			for _, tool := range b.Tools {
				known[tool.Name] = true
			}
		case *event.Called:
			if b.Choice != nil {
				known[b.Choice.Name] = true
			}
		case *event.Replied:
			for _, p := range b.Parts {
				if p.Kind == model.Call {
					known[p.Tool] = true
				}
			}
		}
	}
	switch {
	case turns == 0:
		return &NotFound{Kind: NotRecorded, Reason: say("no turn at all")}
	case !known[name]:
		var names []string
		for name := range known {
			names = append(names, name)
		}
		slices.Sort(names)
		hint := nearest.Hint(name, slices.Values(names))
		return &NotFound{Kind: NotRecorded, Reason: say("no such tool", "tool", quote(name, 80), "hint", either(hint != "", "; "+line(hint), ""))}
	}
	return nil
}

// toolOccasion tells what one model call had to do with a tool.
func (t *trail) toolOccasion(i int, b *event.Called, name string) ToolOccasion {
	e := t.event(i)
	o := ToolOccasion{Turn: e.Turn, Iteration: e.Iteration, Event: e.Seq, Skill: b.Skill, Evidence: t.grade(e.Seq, Fact)}
	m := t.mapOf(i)
	o.Skills = m.owners(name)
	o.Offered = slices.Contains(t.offered(i), name)
	if b.Choice != nil {
		o.Offered = b.Choice.Name == name
	}
	reply, j := t.replyTo(i)
	if j >= 0 {
		for _, p := range reply.Parts {
			if p.Kind == model.Call && p.Tool == name {
				o.Calls = append(o.Calls, t.toolCall(j, p, aside(b.Purpose)))
			}
		}
	}
	switch {
	case len(o.Calls) > 0:
		best := &o.Calls[0]
		for k := range o.Calls {
			if c := &o.Calls[k]; c.Outcome == ToolCalled {
				best = c
				break
			}
		}
		o.Outcome, o.Text = best.Outcome, best.Text
	case !o.Offered:
		o.Outcome = ToolNotOffered
		o.Evidence, o.Text = t.unofferedText(i, b, name, o.Skills)
	case j < 0:
		o.Outcome, o.Text = ToolNoReply, say("tool no reply")
	default:
		o.Outcome, o.Text = ToolNotCalled, say("tool not called", "did", t.did(reply))
	}
	switch o.Outcome {
	case ToolCalled, ToolFailed:
	default:
		o.Changes, o.NoChange = t.toolChanges(i, b, &o, name)
	}
	return o
}

// replyTo is the reply to a model call; the index is -1 if there is none.
func (t *trail) replyTo(i int) (*event.Replied, int) {
	for j := i + 1; j < min(len(t.r.Events), i+maxBack); j++ {
		switch b := t.event(j).Body.(type) {
		case *event.Replied:
			return b, j
		case *event.Called, *event.Failed, *event.Started, *event.Finished:
			return nil, -1
		}
	}
	return nil, -1
}

// did says what the model did in a reply.
func (t *trail) did(b *event.Replied) string {
	var calls []string
	for _, p := range b.Parts {
		if p.Kind == model.Call {
			calls = append(calls, strings.TrimSpace(line(p.Call)+" "+line(p.Tool)))
		}
	}
	if calls != nil {
		return say("it called", "calls", listed(calls))
	}
	for _, p := range b.Parts {
		if p.Kind == model.Text {
			return say("it said", "text", quote(t.data(p), 120))
		}
	}
	return say("it said nothing")
}

// toolCall tells what became of a call of the reply at event j.
func (t *trail) toolCall(j int, p model.Part, choice bool) ToolCall {
	c := ToolCall{Call: p.Call, Outcome: ToolOpen, Text: say("call open", "call", line(p.Call))}
	if choice { // nobody answers it: the choice itself is what was asked for
		c.Event, c.Outcome, c.Text = t.seq(j), ToolCalled, say("call chose", "choice", choiceText(t.data(p)))
		return c
	}
	for k := j + 1; k < min(len(t.r.Events), j+maxBack); k++ {
		body := t.event(k).Body
		switch body.(type) {
		case *event.Called, *event.Started:
			return c
		}
		call, result := resultOf(body)
		if call != p.Call || result.Kind == "" {
			continue
		}
		c.Event = t.seq(k)
		text := clip(t.data(result), 120)
		name := "call returned"
		reason := ""
		c.Outcome = ToolCalled
		switch b := body.(type) {
		case *event.Returned:
			switch {
			case b.Executed && b.Status == spoor.Failure:
				c.Outcome, name = ToolFailed, "call failed"
			case b.Executed:
			case b.Status == spoor.Denied:
				c.Outcome, name = ToolDenied, "call denied"
			case b.Status == spoor.Invalid:
				c.Outcome, name = ToolInvalid, "call invalid"
			default:
				c.Outcome, name = ToolFailed, "call unreached"
				reason = line(string(b.Status))
			}
		case *event.Refused:
			switch b.Reason {
			case event.Declined:
				c.Outcome, name = ToolDeclined, "call declined"
			case event.Lost:
				c.Outcome, name = ToolLost, "call lost"
			case event.Cut:
				c.Outcome, name = ToolCut, "call cut"
			default:
				c.Outcome, name = ToolRefused, "call refused"
				reason = line(string(b.Reason))
			}
		case *event.Rejected:
			c.Outcome, name = ToolRefused, "call refused"
			reason = either(b.Posture != "", "posture "+line(string(b.Posture)), "not in reach")
		}
		c.Text = say(name, "call", line(call), "reason", reason, "text", text)
		return c
	}
	return c
}

// owners are the skills that list a tool, hidden ones too.
func (m *mapped) owners(tool string) (ids []string) {
	if m.m == nil {
		return nil
	}
	for i := range m.m.Skills {
		if s := &m.m.Skills[i]; slices.Contains(s.Tools, tool) {
			ids = append(ids, s.ID)
		}
	}
	for i := range m.agent {
		if s := &m.agent[i]; slices.Contains(s.Tools, tool) {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// offering lists what a model call for an answer offers after a move, as the
// machine of the walk does: read_skill if there is anything to read, the tools
// of no skill, and those that some skill lists which is active or does not scope
// its tools. A hidden skill lists nothing, and keeps its tools for itself.
func offering(g *spoor.Graph, owners func(tool string) []string, tools []event.Tool, active []string) []string {
	var offered []string
	ids := g.Skills()
	open := slices.ContainsFunc(ids, g.Open)
	if open || g.Map().Tree == nil && (len(ids) > 1 || len(ids) == 1 && g.Trigger(ids[0]) != spoor.TriggerAlways) {
		offered = append(offered, readSkill)
	}
	for _, tool := range tools {
		list := owners(tool.Name)
		if len(list) == 0 || slices.ContainsFunc(list, func(skill string) bool {
			return g.Skill(skill) != nil && (!g.Scoped(skill) || slices.Contains(active, skill))
		}) {
			offered = append(offered, tool.Name)
		}
	}
	return offered
}

// unofferedText says why a tool was not offered to a model call.
func (t *trail) unofferedText(i int, b *event.Called, name string, owners []string) (Evidence, string) {
	m := t.mapOf(i)
	s := t.started(i)
	brought := s != nil && slices.ContainsFunc(s.Tools, func(tool event.Tool) bool { return tool.Name == name })
	switch {
	case b.Choice != nil:
		return Fact, say("tool forced", "purpose", line(string(b.Purpose)), "tool", line(b.Choice.Name))
	case aside(b.Purpose):
		return Fact, say("tool aside", "purpose", line(string(b.Purpose)))
	case b.Last:
		return Fact, say("tool last", "limit", plain.limitText(b.Limit))
	case name == readSkill:
		return Derived, say("tool no read")
	case !brought:
		return Fact, say("tool not brought")
	case m.m == nil:
		return Fact, say("no map", "error", clip(fmt.Sprint(m.err), 200))
	}
	var hidden, inactive []string
	for _, id := range owners {
		if m.hides(id) {
			hidden = append(hidden, id)
		} else {
			inactive = append(inactive, id)
		}
	}
	switch {
	case inactive != nil:
		return Derived, say("tool scoped", "skills", listed(inactive), "active", listed(t.activeAt(i)))
	case hidden != nil:
		return Derived, say("tool hidden", "skills", listed(hidden))
	}
	return Derived, say("tool odd")
}

// activeAt are the skills that were active when a model call was made.
func (t *trail) activeAt(i int) []string {
	var ids []string
	if move := t.moveBefore(i); move >= 0 {
		for _, a := range t.active[move] {
			ids = append(ids, a.Skill)
		}
	}
	return ids
}

// activeAfter are the skills that are active after a move that was made again.
func (d *made) activeAfter() []string {
	f := d.facts
	on := f.Activated
	if slices.Contains(on, f.Cursor) && d.move.To != f.Cursor && d.g.Bare(f.Cursor) {
		on = slices.DeleteFunc(slices.Clone(on), func(id string) bool { return id == f.Cursor })
	}
	if d.g.Bare(d.move.To) || d.g.Open(d.move.To) {
		on = append(slices.Clip(on), d.move.To)
	}
	f.Activated = slices.Concat(on, d.g.Injected(d.facts, d.move).Skills)
	return d.g.Active(f, d.move)
}

// toolChanges finds what would have offered a tool to a model call, or let it
// be called.
func (t *trail) toolChanges(i int, b *event.Called, o *ToolOccasion, name string) ([]Change, *NotFound) {
	none := func(kind Absence, reason string) ([]Change, *NotFound) {
		return nil, &NotFound{Kind: kind, Reason: reason}
	}
	refused := o.Outcome == ToolRefused && !o.Offered
	budget := o.Outcome == ToolRefused && o.Offered
	switch {
	case aside(b.Purpose):
		return none(NotReached, say("no change aside"))
	case o.Outcome == ToolNotCalled:
		return none(NotReached, say("no change own choice"))
	case o.Outcome == ToolOpen, o.Outcome == ToolNoReply, o.Outcome == ToolLost, o.Outcome == ToolCut:
		return none(NotReached, say("no change world"))
	case o.Outcome == ToolDeclined:
		return none(Refused, say("no change person"))
	case o.Outcome == ToolDenied:
		return none(Refused, say("no change policy"))
	case o.Outcome == ToolInvalid:
		return none(Refused, say("no change arguments"))
	case name == readSkill && o.Offered:
		return none(Refused, say("no change read"))
	case b.Last || budget:
		return t.limitChange(i, b)
	case o.Outcome != ToolNotOffered && !refused:
		return none(NotReached, say("no change world"))
	}
	s := t.started(i)
	move := t.moveBefore(i)
	m := t.mapOf(i)
	if s == nil || move < 0 || m.m == nil {
		return none(NotRecorded, say("no graph"))
	}
	w := t.waysAt(move, "")
	if w.base == nil {
		return none(NotRecorded, say("no graph"))
	}
	brought := slices.ContainsFunc(s.Tools, func(tool event.Tool) bool { return tool.Name == name })
	if !brought {
		return none(NotRecorded, say("no change brought"))
	}
	return w.offerChanges(name, o.Skills, s.Tools)
}

// waysAt is what is known of a move, asked about a skill.
func (t *trail) waysAt(move int, id string) *ways {
	w := &ways{t: t, i: move, id: id, move: t.move(move), mapped: t.mapOf(move), results: t.results(move), fired: t.fired(move)}
	w.begin()
	return w
}

// reached are changes with which a move would have led to a skill, or stayed
// there.
func (t *trail) reached(move int, id string) ([]Change, *NotFound) {
	if m := t.move(move); m.From == id && m.To != id {
		w := t.waysAt(move, id)
		return w.open([]trial{{}, {inMap: true}})
	}
	o := t.occasion(move, id)
	var changes []Change
	if o.Change != nil {
		changes = append(changes, *o.Change)
	}
	for _, w := range o.Ways {
		changes = append(changes, w.Changes...)
	}
	return changes, o.NoChange
}

// offerChanges finds what would have offered a tool after a move: that the walk
// had gone to a skill that lists it, or that the map offered it where the walk
// went.
func (w *ways) offerChanges(name string, owners []string, tools []event.Tool) ([]Change, *NotFound) {
	var changes []Change
	for n, id := range owners {
		if n == 8 { // of more there is one that is near
			break
		}
		more, _ := w.t.reached(w.i, id)
		changes = append(changes, more...)
	}
	lists := func(d *made) func(string) []string {
		return func(tool string) []string {
			list := w.mapped.owners(tool)
			if d.m != nil {
				list = (&mapped{m: d.m, agent: w.mapped.agent}).owners(tool)
			}
			return list
		}
	}
	offers := func(d *made) bool {
		return d != nil && d.why == "" && slices.Contains(offering(d.g, lists(d), tools, d.activeAfter()), name)
	}
	for k := range changes {
		c := &changes[k]
		if c.Verified && !offers(c.made) {
			c.Verified, c.Evidence, c.Why = false, Assumed, say("tool still not")
		}
	}
	changes = slices.DeleteFunc(changes, func(c Change) bool { return !c.Verified && c.made != nil && c.Why == say("tool still not") })
	for _, edit := range w.offerEdits(name, owners) {
		t := trial{inMap: true, edits: []MapEdit{edit}}
		if d := w.attempt(t); offers(d) && d.move.To == w.move.To {
			changes = append(changes, w.changed(t, d))
		}
	}
	if changes = smallest(changes); len(changes) > 0 {
		return changes, nil
	}
	return nil, w.nothing()
}

// offerEdits are edits of the map that could offer a tool where the walk stands.
func (w *ways) offerEdits(name string, owners []string) []MapEdit {
	var edits []MapEdit
	for k := range w.mapped.m.Skills {
		s := &w.mapped.m.Skills[k]
		if s.ID == w.move.To || w.t.isActive(w.i, s.ID) {
			at := spoor.Ref("skills").At(k).Key("tools")
			edits = append(edits, put(OpAdd, at, name, say("edit list", "ref", line(string(at)), "tool", line(name)), func(e *editing) {
				e.m.Skills[k].Tools = append(slices.Clip(e.m.Skills[k].Tools), name)
			}))
		}
		if slices.Contains(owners, s.ID) {
			at := spoor.Ref("skills").At(k).Key("autoActivate")
			edits = append(edits, put(OpSet, at, spoor.Always, say("edit set", "ref", line(string(at)), "value", string(spoor.Always)), func(e *editing) {
				e.m.Skills[k].AutoActivate = spoor.Always
			}))
		}
	}
	return edits
}

// limitChange is the larger limit that leaves a model call its tools, or a batch
// its calls.
func (t *trail) limitChange(i int, b *event.Called) ([]Change, *NotFound) {
	s := t.started(i)
	if s == nil {
		return nil, &NotFound{Kind: NotRecorded, Reason: say("no graph")}
	}
	calls, sent := 0, 0
	for j := max(t.turn[i], 0); j < len(t.r.Events) && t.turn[j] == t.turn[i]; j++ {
		switch b := t.event(j).Body.(type) {
		case *event.Called:
			if j < i {
				calls++
			}
		case *event.Sent:
			if j < i {
				sent += len(b.Calls)
			}
		}
	}
	if reply, j := t.replyTo(i); j >= 0 {
		for _, p := range reply.Parts {
			if p.Kind == model.Call && p.Tool != readSkill {
				sent++
			}
		}
	}
	limit := b.Limit
	if limit == "" { // it did not take the tools away, but the batch was over it
		limit = spoor.LimitTime
		if s.Limits.ToolCalls > 0 {
			limit = spoor.LimitToolCalls
		}
	}
	e := FactEdit{What: FactLimit, Key: string(limit)}
	alone := s.Limits
	alone.Prices = nil
	switch limit {
	case spoor.LimitModelCalls:
		e.Was, e.value = rawOf(guard.Of(s.MaxIterations), 0), guard.Of(calls+2)
	case spoor.LimitToolCalls:
		e.Was, e.value = rawOf(guard.Of(s.Limits.ToolCalls), 0), guard.Of(sent+1)
		alone.ToolCalls = 0
	default:
		c := Change{Evidence: Assumed, Kind: OfFacts, Facts: []FactEdit{e}, Text: say("larger", "limit", plain.limitText(limit)), Why: say("limit unsure")}
		return []Change{c}, nil
	}
	e.Want = rawOf(e.value, 0)
	c := Change{Evidence: Assumed, Kind: OfFacts, Facts: []FactEdit{e}, Text: factText(&e), Why: say("limit counted")}
	if alone.ToolCalls+alone.Tokens+alone.PingPong+alone.Refusals > 0 || alone.Cost > 0 || alone.Time > 0 {
		c.Why = say("limit others")
	}
	return []Change{c}, nil
}

func (n *NotToolReason) String() string {
	var p page
	if n.NotFound != nil {
		p.put(0, quote(n.Tool, 80)+":")
		p.notFound(2, n.NotFound)
		p.footnotes(n.Incomplete)
		p.warn(n.Changed)
		return p.String()
	}
	calls := counted(len(n.Occasions), "model call")
	if n.Called == nil {
		p.put(0, fmt.Sprintf("%s was not called. What became of it in %s:", quote(n.Tool, 80), calls))
	} else {
		p.put(0, fmt.Sprintf("%s was called:", quote(n.Tool, 80)))
		for _, l := range n.Called {
			p.link(2, l)
		}
		p.put(0, fmt.Sprintf("All that became of it in %s:", calls))
	}
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

// placeText names an occasion, or several in a row.
func placeText(turns bool, turn, iteration, event, lastIteration, lastEvent int) string {
	at := fmt.Sprintf("iteration %d, event %d", iteration, event)
	if lastEvent != event {
		at = fmt.Sprintf("iterations %d–%d, events %d–%d", iteration, lastIteration, event, lastEvent)
	}
	if turns {
		at = fmt.Sprintf("turn %d, %s", turn, at)
	}
	return at
}

// text tells an occasion; what is the same in a row is told once.
func (o *ToolOccasion) text() string {
	var p page
	p.put(0, either(o.Skill == "", say("asked nowhere"), say("asked there", "skill", line(o.Skill))))
	if len(o.Calls) == 0 {
		p.hang(2, 4, fmt.Sprintf("%s (%s)", o.Text, o.Evidence))
	}
	for _, c := range o.Calls {
		p.hang(2, 4, fmt.Sprintf("%s (%s)", c.Text, Fact))
	}
	p.told(4, o.Changes, "tool")
	if o.NoChange != nil && o.Changes == nil && (o.Outcome == ToolNotOffered || o.Outcome == ToolRefused) {
		p.notFound(4, o.NoChange)
	}
	return p.String()
}
