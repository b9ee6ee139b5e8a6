package explain

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
)

// over reports whether nothing more is compared.
func (c *comparing) over() bool { return c.full || c.ended }

// events compares an event of one side with its partner.
func (c *comparing) events(at both) {
	x, y := c.body(0, at[0]), c.body(1, at[1])
	same := c.side[0].sums[at[0]] == c.side[1].sums[at[1]]
	if a, ok := x.(*event.Called); ok && !aside(a.Purpose) {
		if b, ok := y.(*event.Called); ok {
			c.requests(at, a, b, same)
			return
		}
	}
	if same {
		return
	}
	switch a := x.(type) {
	case *event.Started:
		if b, ok := y.(*event.Started); ok {
			c.started(at, a, b)
		}
	case *event.Scored:
		b := y.(*event.Scored)
		d := c.newDifference(Scores, at)
		from := c.linked(at)
		if from != nil {
			d.Class = ToStart
		}
		d.Changes, d.MoreChanges = changesOf(jsonText(a), jsonText(b))
		c.put(d, at, from, "")
	case *event.Asked:
		d := c.newDifference(ToStart, at)
		d.Changes, d.MoreChanges = changesOf(jsonText(a.Query), jsonText(y.(*event.Asked).Query))
		c.derived(d, at, "start", "skills")
	case *event.TurnRouted:
		c.derived(c.newDifference(ToStart, at), at, "start", "skills")
	case *event.Evaluated:
		c.moves(at, a, y.(*event.Evaluated))
	case *event.Replied, *event.Failed, *event.Stopped:
		c.replies(at)
	case *event.Returned, *event.Refused, *event.Read, *event.Rejected:
		c.answers(at)
	case *event.Needs:
		b := y.(*event.Needs)
		class := ToolResult
		if a.By == event.ByPolicy || b.By == event.ByPolicy {
			class = Configuration
		}
		d := c.newDifference(class, at)
		d.Place = "question"
		d.Changes, d.MoreChanges = c.changes(a.Question, b.Question)
		from, _ := c.callFrom(at)
		c.put(d, at, from, "")
	case *event.Answered:
		b := y.(*event.Answered)
		d := c.newDifference(Person, at)
		if d.Place = "answer"; a.Declined != b.Declined {
			d.Place = "declined"
		} else {
			d.Changes, d.MoreChanges = c.changes(a.Answer, b.Answer)
		}
		c.put(d, at, c.linked(at), "")
	case *event.Resumed:
		c.put(c.newDifference(Process, at), at, nil, "")
	case *event.Finished:
		c.derived(c.newDifference(AtEnd, at), at)
	case *event.Called: // for something else than an answer
		d := c.newDifference(Request, at)
		d.Place = string(a.Purpose)
		c.derived(d, at, "start", "skills")
	default:
		c.derived(c.newDifference(OfCall, at), at, "skills", "steps", "agent")
	}
}

func (c *comparing) body(s, i int) event.Body { return c.side[s].r.Events[i].Body }

// put lists a difference of events, which are part of it from then on. Its
// place is that of its first change, if it has none of its own.
func (c *comparing) put(d Difference, at both, from []int, link Evidence) int {
	if d.Place == "" && len(d.Changes) > 0 {
		d.Place = d.Changes[0].place()
	}
	n := c.add(d, from, link)
	c.take(n, at)
	return n
}

// derived lists a difference of what the walk makes of facts: it follows from
// those that differ, else from what the turn began with. Where there is
// nothing of the kind a limit was reached, or the walks are not the same.
func (c *comparing) derived(d Difference, at both, reads ...string) {
	from := c.linked(at)
	if from == nil {
		from = c.beginning(reads...)
	}
	if from == nil {
		d.Class = Walk
		if c.limited(at) {
			d.Class = AtLimit
		}
	}
	c.put(d, at, from, "")
}

// limited reports whether a limit has to do with one of two events.
func (c *comparing) limited(at both) bool {
	for s, i := range at {
		if i == none {
			continue
		}
		switch b := c.body(s, i).(type) {
		case *event.Called:
			if b.Last {
				return true
			}
		case *event.Finished:
			if b.Limited {
				return true
			}
		case *event.Refused:
			if b.Reason == event.Budget {
				return true
			}
		}
	}
	return false
}

// beginning are the differences of what the turn begins with that a decision
// may rest on: of the map those below the given places, and settings that are
// no words of a prompt.
func (c *comparing) beginning(reads ...string) (from []int) {
	for _, n := range c.begun {
		d := &c.list[n-1]
		switch d.Class {
		case Person, Conversation:
			from = append(from, n)
		case InMap:
			below := func(place string) bool { return strings.HasPrefix(d.Place, place) }
			if !strings.HasSuffix(d.Place, ".body") && (reads == nil || slices.ContainsFunc(reads, below)) || below("tree") || below("scales") {
				from = append(from, n)
			}
		case Configuration:
			switch place, _, _ := strings.Cut(d.Place, "["); place {
			case "system", "agent.steering", "agent.facts":
			default:
				from = append(from, n)
			}
		}
	}
	return from
}

// at are the differences of the map at a Ref, below it or above it.
func (c *comparing) atRef(refs ...spoor.Ref) (from []int) {
	for _, n := range c.begun {
		d := &c.list[n-1]
		if d.Class != InMap {
			continue
		}
		for _, ref := range refs {
			if ref != "" && (strings.HasPrefix(d.Place, string(ref)) || strings.HasPrefix(string(ref), d.Place)) {
				from = append(from, n)
				break
			}
		}
	}
	return from
}

// moves compares two moves. To stay in two places is no difference of its own,
// but goes on with the one that led there.
func (c *comparing) moves(at both, x, y *event.Evaluated) {
	from := c.linked(at)
	var before int
	if x.Move.From != y.Move.From {
		for s, side := range c.side {
			if j := side.t.moveBefore(at[s]); j >= 0 && side.diff[j] > 0 {
				before = side.diff[j]
				from = append(from, before)
			}
		}
		if before == 0 {
			from = append(from, c.beginning("nothing of the map")...)
		}
	}
	place, changes := c.moveChanges(at, x, y)
	if before > 0 && x.Move.By == spoor.ByStay && y.Move.By == spoor.ByStay && changes == nil {
		c.take(before, at)
		return
	}
	var refs []spoor.Ref
	for _, m := range []*spoor.Move{&x.Move, &y.Move} {
		refs = append(refs, m.Ref)
		if m.Guard != nil {
			refs = append(refs, m.Guard.Ref)
		}
		for _, j := range m.Closed {
			refs = append(refs, j.Ref)
		}
	}
	from = append(from, c.atRef(refs...)...)
	d := c.newDifference(ToMove, at)
	d.Place, d.Changes = place, changes
	if from == nil {
		c.derived(d, at, "steps", "start", "skills")
		return
	}
	c.put(d, at, from, "")
}

// moveChanges tells how two moves differ that go to one place by one way.
func (c *comparing) moveChanges(at both, x, y *event.Evaluated) (place string, changes []Edit) {
	place = string(max(x.Move.Ref, y.Move.Ref))
	if x.Move.To != y.Move.To || x.Move.By != y.Move.By || x.Move.Ref != y.Move.Ref {
		if x.Move.By != spoor.ByStay || y.Move.By != spoor.ByStay {
			return place, nil
		}
	}
	name := func(spoor.Ref) string { return "" }
	rowsX, rowsY := plain.evidenceOf(&x.Move, name), plain.evidenceOf(&y.Move, name)
	for k := range max(len(rowsX), len(rowsY)) {
		var a, b string
		if k < len(rowsX) {
			a = rowsX[k].Text
		}
		if k < len(rowsY) {
			b = rowsY[k].Text
		}
		switch {
		case a == b:
			continue
		case b == "":
			changes = []Edit{oneSided(Removed, "evidence", a)}
		case a == "":
			changes = []Edit{oneSided(Added, "evidence", b)}
		default:
			changes = []Edit{newEdit("evidence", "evidence", a, b, false)}
		}
		return place, changes
	}
	if x.Move.From != y.Move.From {
		return place, nil
	}
	lists := func(s int) [][2]string {
		t, i := c.side[s].t, at[s]
		b := t.event(i).Body.(*event.Evaluated)
		var active, texts, skipped []string
		for _, a := range t.active[i] {
			active = append(active, a.Skill)
		}
		for _, n := range t.texts[i].list {
			texts = append(texts, plain.instructionText(&n))
		}
		for _, sk := range b.Skipped {
			skipped = append(skipped, line(sk.ID+string(sk.Ref)))
		}
		return [][2]string{
			{"pick", line(b.Pick)}, {"proposal", line(b.Proposal)}, {"activated", listed(t.switched(i))}, {"active", listed(active)},
			{"instructions", listed(texts)}, {"superseded", listed(t.superseded(i))}, {"skipped", listed(skipped)},
		}
	}
	a, b := lists(0), lists(1)
	for k := range a {
		if a[k] != b[k] {
			return a[k][0], []Edit{newEdit(a[k][0], a[k][0], a[k][1], b[k][1], false)}
		}
	}
	return place, nil
}

// requests compares what the model was asked, as a change of what it was asked
// before. That a request carries what differed before is no difference of its
// own.
func (c *comparing) requests(at both, x, y *event.Called, same bool) {
	touched := append(c.splice(0, x), c.splice(1, y)...)
	a, b := c.side[0], c.side[1]
	a.offered, b.offered = a.t.offered(at[0]), b.t.offered(at[1])
	var fresh []int32 // what differs, and no difference before brought it
	seen := map[int32]bool{}
	for _, id := range touched {
		if c.delta[id] != 0 && c.owner[id] == 0 && !seen[id] {
			seen[id] = true
			fresh = append(fresh, id)
		}
	}
	offering := ""
	if !slices.Equal(a.offered, b.offered) {
		offering = strings.Join(a.offered, "\x00") + "\x01" + strings.Join(b.offered, "\x00")
	}
	last := x.Last != y.Last || x.Limit != y.Limit
	if len(fresh) == 0 && (offering == "" || offering == c.offering) && !last {
		c.offering = offering
		return
	}
	d := c.newDifference(Request, at)
	from := c.linked(at)
	switch {
	case last:
		d.Place = "last"
		if len(from) == 0 {
			from, _ = c.asked()
		}
		if len(from) == 0 {
			from = c.beginning("nothing of the map")
		}
		if len(from) == 0 {
			d.Class = AtLimit
		}
	case len(fresh) == 0:
		d.Place = "tools"
		d.Changes = []Edit{newEdit("tools", "tools", listed(a.offered), listed(b.offered), false)}
	default:
		d.Changes = c.partChanges(fresh)
	}
	if len(from) == 0 && d.Class == Request {
		from = c.beginning()
	}
	if len(from) == 0 && d.Class == Request {
		from = slices.Clone(c.begun)
	}
	if len(from) == 0 && d.Class == Request {
		// What differs in the place of the walk goes on to matter.
		for s, side := range c.side {
			if j := side.t.moveBefore(at[s]); j >= 0 && side.diff[j] > 0 {
				from = append(from, side.diff[j])
			}
		}
	}
	if len(from) == 0 && d.Class == Request {
		d.Class = Walk
	}
	n := c.put(d, at, from, "")
	c.own(n, fresh...)
	if c.offering = offering; offering != "" {
		c.offers = n
	}
}

// partChanges tells which parts only one request has. One that stands in the
// place of another is a change of it.
func (c *comparing) partChanges(ids []int32) (list []Edit) {
	ids = ids[:min(len(ids), 2*maxChanges)]
	names := make(map[int32]content, len(ids))
	for _, id := range ids {
		names[id] = c.parts[id]
	}
	var only [2][]int32
	for _, id := range ids {
		if c.delta[id] > 0 {
			only[0] = append(only[0], id)
		} else {
			only[1] = append(only[1], id)
		}
	}
	body := func(id int32) bool { return names[id].skill != "" }
	for _, id := range only[0] {
		name := contentName(names[id])
		k := slices.IndexFunc(only[1], func(other int32) bool { return contentName(names[other]) == name })
		if k < 0 && body(id) {
			if k = slices.IndexFunc(only[1], body); k >= 0 {
				other := names[only[1][k]]
				list = append(list, newEdit(name, contentName(other), names[id].data, other.data, false))
				only[1] = slices.Delete(only[1], k, k+1)
				continue
			}
		}
		if k < 0 {
			list = append(list, oneSided(Removed, name, names[id].data))
			continue
		}
		list = append(list, newEdit(name, name, names[id].data, names[only[1][k]].data, true))
		only[1] = slices.Delete(only[1], k, k+1)
	}
	for _, id := range only[1] {
		list = append(list, oneSided(Added, contentName(names[id]), names[id].data))
	}
	slices.SortStableFunc(list, func(a, b Edit) int { return strings.Compare(a.place(), b.place()) }) // bodies before menus and notes
	return list[:min(len(list), maxChanges)]
}

func contentName(p content) string {
	switch {
	case p.skill != "":
		return "the body of " + line(p.skill)
	case p.kind == model.Result:
		return "the result of " + line(p.tool)
	case p.kind == model.Call:
		return "a call of " + line(p.tool)
	case p.kind == model.Menu || p.kind == model.Note || p.kind == model.Instruction:
		return "the " + line(string(p.kind))
	}
	return line(string(p.role) + " " + string(p.kind))
}

// replies compares what came of two requests.
func (c *comparing) replies(at both) {
	x, y := c.body(0, at[0]), c.body(1, at[1])
	from, same := c.asked()
	if c.side[0].t.aside[at[0]] != "" {
		from = c.linked(at)
		same = from == nil
	}
	d := c.newDifference(Reply, at)
	d.Place, d.Changes, d.MoreChanges = c.replyChanges(at, x, y)
	d.Class = replyClass(x, y, same)
	if same || d.Class == Stop {
		from = nil
	}
	c.put(d, at, from, "")
}

// replyClass is the class of two replies that differ, to requests that are the
// same or not.
func replyClass(x, y event.Body, same bool) Class {
	class := either(same, string(ModelOutput), string(Reply))
	for _, b := range []event.Body{x, y} {
		switch b.(type) {
		case *event.Stopped:
			return Stop
		case *event.Failed:
			class = string(ModelFailure)
		}
	}
	return Class(class)
}

// replyChanges tells how two replies differ: in what they call, in the
// arguments of a call, or in their words.
func (c *comparing) replyChanges(at both, x, y event.Body) (place string, list []Edit, more bool) {
	a, okA := x.(*event.Replied)
	b, okB := y.(*event.Replied)
	if !okA || !okB {
		if fa, ok := x.(*event.Failed); ok {
			if fb, ok := y.(*event.Failed); ok {
				list, more = changesOf(fa.Error, fb.Error)
				return "error", list, more
			}
		}
		return "", nil, false
	}
	calls := func(s int, parts []model.Part) (tools []string, args []string) {
		for _, p := range parts {
			if p.Kind == model.Call {
				tools, args = append(tools, p.Tool), append(args, c.side[s].t.data(p))
			}
		}
		return tools, args
	}
	words := func(s int, parts []model.Part, kind model.Kind) string {
		var texts []string
		for _, p := range parts {
			if p.Kind == kind {
				texts = append(texts, c.side[s].t.data(p))
			}
		}
		return strings.Join(texts, "\n")
	}
	toolsA, argsA := calls(0, a.Parts)
	toolsB, argsB := calls(1, b.Parts)
	if !slices.Equal(toolsA, toolsB) {
		return "calls", []Edit{newEdit("calls", "calls", listed(toolsA), listed(toolsB), false)}, false
	}
	for k := range argsA {
		if argsA[k] != argsB[k] {
			list, more = changesOf(argsA[k], argsB[k])
			return "calls[" + itoa(k) + "]" + strings.TrimPrefix(list[0].place(), "$"), list, more
		}
	}
	for _, kind := range []model.Kind{model.Text, model.Thinking} {
		if wordsA, wordsB := words(0, a.Parts, kind), words(1, b.Parts, kind); wordsA != wordsB {
			return string(kind), []Edit{newEdit(string(kind), string(kind), wordsA, wordsB, true)}, false
		}
	}
	if a.Stop != b.Stop {
		return "stop", []Edit{newEdit("stop", "stop", string(a.Stop), string(b.Stop), false)}, false
	}
	return "", nil, false
}

// callFrom are the differences that what came of a call follows from. Nothing
// differs before it if the call is the same.
func (c *comparing) callFrom(at both) (from []int, same bool) {
	a, okA := c.side[0].t.asks[at[0]]
	b, okB := c.side[1].t.asks[at[1]]
	if okA && okB && a.part.Tool == b.part.Tool && canonical(c.side[0].t.data(a.part)) == canonical(c.side[1].t.data(b.part)) {
		for s, i := range at { // what a person said to it
			for _, j := range c.side[s].t.people[i] {
				if n := c.side[s].diff[j]; n > 0 {
					from = append(from, n)
				}
			}
		}
		return from, true
	}
	return c.linked(at), false
}

// answers compares what became of a call.
func (c *comparing) answers(at both) {
	x, y := c.body(0, at[0]), c.body(1, at[1])
	a, okA := x.(*event.Returned)
	b, okB := y.(*event.Returned)
	if !okA || !okB {
		d := c.newDifference(OfCall, at)
		from := c.linked(at)
		if !slices.Equal(c.side[0].offered, c.side[1].offered) && c.offers > 0 {
			from = append(from, c.offers)
		}
		if from == nil && okA != okB && !c.limited(at) {
			from, _ = c.asked()
		}
		if from != nil {
			c.put(d, at, from, "")
			return
		}
		c.derived(d, at, "skills", "steps")
		return
	}
	d := c.newDifference(ToolResult, at)
	switch textA, textB := c.side[0].t.data(a.Result), c.side[1].t.data(b.Result); {
	case textA != textB:
		d.Changes, d.MoreChanges = changesOf(textA, textB)
	case a.Status != b.Status:
		d.Place = "status"
		d.Changes = []Edit{newEdit("status", "status", statusText(a.Status), statusText(b.Status), false)}
	case a.Executed != b.Executed:
		d.Place = "executed"
	case jsonText(a.Effects) != jsonText(b.Effects):
		d.Place = "effects"
		d.Changes, d.MoreChanges = changesOf(jsonText(a.Effects), jsonText(b.Effects))
	default:
		d.Place = "more"
	}
	link := Evidence("")
	from, sameCall := c.callFrom(at)
	if !sameCall {
		d.Class = OfCall
	}
	if n := c.schema[a.Tool]; n > 0 && (!a.Executed || !b.Executed) {
		from = append(from, n)
	}
	again := c.sameCall(at, a, b)
	switch n := c.results[again]; {
	case from != nil:
	case n > 0:
		from = []int{n} // the same call brought the same two results before
	case c.called > 0:
		link = Assumed // what the calls before it did to the world is not on record
	}
	n := c.put(d, at, from, link)
	if c.results[again] == 0 {
		c.results[again] = n
	}
}

// sameCall is a text that is equal for the same call with the same two results.
func (c *comparing) sameCall(at both, a, b *event.Returned) model.Digest {
	ask := c.side[0].t.asks[at[0]].part
	return model.Sum(jsonText([]string{
		a.Tool, canonical(c.side[0].t.data(ask)), c.side[0].t.data(a.Result), c.side[1].t.data(b.Result), string(a.Status), string(b.Status),
	}))
}

func statusText(s spoor.Status) string { return either(s == "", "none", line(string(s))) }

// jsonText is JSON as a person reads it: < and > are themselves.
func jsonText(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err.Error() // a number that JSON does not have
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (c *comparing) changes(a, b model.Part) ([]Edit, bool) {
	return changesOf(c.side[0].t.data(a), c.side[1].t.data(b))
}

// alone compares a stretch of events that have no partner. Last says that the
// recording of a side ends with it.
func (c *comparing) alone(list []both, turn int, last [2]bool) {
	first, count := both{none, none}, [2]int{}
	var from []int
	limited := false
	for _, at := range list {
		for s, i := range at {
			if i == none {
				continue
			}
			if count[s]++; first[s] == none {
				first[s] = i
			}
			from = append(from, c.because(s, i)...)
		}
		limited = limited || c.limited(at)
	}
	for s := range c.side {
		if first[s] == none && last[s] && c.isCut(s, turn) {
			c.cut(s, turn)
			return
		}
	}
	d := c.newDifference(Steps, first)
	for s, seen := range []*Seen{d.A, d.B} {
		if seen != nil && count[s] > 1 {
			seen.Events = count[s]
		}
	}
	if class := c.rootOf(first); class != "" {
		d.Class, from = class, nil
	} else if len(from) == 0 {
		d.Class = Walk
		if limited {
			d.Class = AtLimit
		} else if same, _ := c.asked(); len(same) > 0 {
			d.Class, from = Steps, same
		} else if from = c.beginning(); from != nil {
			d.Class = Steps
		}
	}
	n := c.add(d, from, "")
	c.takeAll(n, list)
}

// takeAll makes events part of a difference, with what they put into requests.
func (c *comparing) takeAll(n int, list []both) {
	for _, at := range list {
		c.take(n, at)
		for s, i := range at {
			if i == none {
				continue
			}
			switch b := c.body(s, i).(type) {
			case *event.Called:
				if aside(b.Purpose) {
					break
				}
				for _, id := range c.splice(s, b) {
					if c.delta[id] != 0 {
						c.own(n, id)
					}
				}
				if c.side[s].offered = c.side[s].t.offered(i); !slices.Equal(c.side[0].offered, c.side[1].offered) {
					c.offers = n
				}
			case *event.Returned:
				c.called = n
			}
		}
	}
}

// rootOf is the class of what the world says of its own accord; empty if it
// was asked.
func (c *comparing) rootOf(first both) Class {
	for s, i := range first {
		if i == none {
			continue
		}
		switch b := c.body(s, i).(type) {
		case *event.Stopped:
			return Stop
		case *event.Resumed:
			return Process
		case *event.Answered:
			if len(c.because(s, i)) == 0 {
				return Person // the other one still waits
			}
		case *event.Needs:
			switch {
			case len(c.because(s, i)) > 0 || !slices.Equal(c.side[0].offered, c.side[1].offered):
			case b.By == event.ByPolicy:
				return Configuration
			default:
				return ToolResult
			}
		}
	}
	return ""
}

// isCut reports whether the recording of a side ends in a turn before the turn
// does.
func (c *comparing) isCut(s, turn int) bool {
	side := c.side[s]
	return turn == len(side.turns)-1 && side.r.Incomplete() && side.r.Waiting() == nil
}

// replies reports whether a body is what came of a request.
func replies(b event.Body) bool {
	switch b.(type) {
	case *event.Replied, *event.Failed, *event.Stopped:
		return true
	}
	return false
}

// blockAlone compares a step that one side has alone with what the other did
// where it stood.
func (c *comparing) blockAlone(x, y []block, p step, turn int) {
	blocks, others, k, other := x, y, p.a, p.b
	if p.side == 1 {
		blocks, others, k, other = y, x, p.b, p.a
	}
	b := &blocks[k]
	if other >= len(others) && c.isCut(1-p.side, turn) {
		c.cut(1-p.side, turn)
		return
	}
	at, head := both{none, none}, both{none, none}
	at[p.side], head[p.side] = b.events[0], b.events[0]
	from, same := c.asked()
	d := c.newDifference(Steps, at)
	if same && other < len(others) && replies(c.body(p.side, at[p.side])) {
		head[1-p.side] = others[other].events[0]
		hx, hy := c.body(0, head[0]), c.body(1, head[1])
		if replies(hx) && replies(hy) && c.side[0].sums[head[0]] != c.side[1].sums[head[1]] {
			d = c.newDifference(replyClass(hx, hy, same), head)
			d.Place, d.Changes, d.MoreChanges = c.replyChanges(head, hx, hy)
		}
	}
	if links := c.because(p.side, b.events[0]); d.Class != Steps {
		from = nil
	} else if links != nil {
		from = links
	}
	if seen := []*Seen{d.A, d.B}[p.side]; seen != nil {
		seen.Events = len(b.events)
	}
	if d.Class == Steps && len(from) == 0 {
		if from = c.beginning(); from == nil {
			d.Class = Walk
		}
	}
	n := c.add(d, from, "")
	list := make([]both, len(b.events))
	for k, i := range b.events {
		list[k] = both{none, none}
		list[k][p.side] = i
	}
	c.takeAll(n, list)
}
