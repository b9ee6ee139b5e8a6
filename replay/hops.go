package replay

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/walk"
)

// hop is where a move goes on the map of a turn.
func (t *table) hop(e *event.Event, b *event.Evaluated) *Hop {
	m := &b.Move
	h := &Hop{Event: e.Seq, From: m.From, To: m.To, By: m.By, Ref: m.Ref, Label: t.label(m.Ref)}
	if tree := t.graph.Map().Tree; tree != nil && m.To == "" {
		if leaf := tree.At(m.Ref); leaf != nil {
			h.To = leaf.Skill
		}
	}
	return h
}

// label is what the author calls a clause of the map.
func (t *table) label(ref spoor.Ref) string {
	m := t.graph.Map()
	switch list, i := place(ref); {
	case list == "steps" && i < len(m.Steps):
		return m.Steps[i].Label
	case list == "start.rules" && i < len(m.Start.Rules):
		return m.Start.Rules[i].Label
	case list == "start.entries" && i < len(m.Start.Entries):
		return m.Start.Entries[i].Label
	}
	return ""
}

// move holds a move against the recorded one of the same iteration.
func (p *player) move(e *event.Event, b *event.Evaluated) Move {
	m := Move{Turn: e.Turn, Iteration: e.Iteration, Now: p.now.hop(e, b), Evidence: p.evidence(e.Seq)}
	i, ok := p.moves[e.Iteration]
	if !ok {
		m.Changed = true
		return m
	}
	old, ok := p.turn[i].Body.(*event.Evaluated)
	if !ok {
		return m
	}
	m.Was = p.was.hop(&p.turn[i], old)
	m.Changed = m.Was.From != m.Now.From || m.Was.To != m.Now.To
	then := p.was.judged(p.old, p.turn, e.Iteration, &old.Move)
	now := p.now.judged(p.new, p.w.Recording().Events, e.Iteration, &b.Move)
	m.Guards = p.rows(&old.Move, &b.Move, then, now)
	return m
}

// judged are the guards that a move judged. Of results that lost to an earlier
// one of their batch a move has no guard that opened, so that one is judged again.
func (t *table) judged(s *walk.State, events []event.Event, iteration int, m *spoor.Move) []*spoor.Judgement {
	var list []*spoor.Judgement
	for i := range m.Closed {
		list = append(list, &m.Closed[i])
	}
	if m.Guard != nil {
		list = append(list, m.Guard)
	}
	if m.Conflict == nil {
		return list
	}
	b := t.bound
	asked, guessed := b.asked, b.guessed // a verdict of the record is no new one here
	for _, l := range m.Conflict.Losers {
		r, ok := resultOf(events, l.CallID)
		if !ok {
			continue
		}
		alone := b.hidden.Next(spoor.Facts{
			Iteration: iteration, UserMessage: t.started.Message.Data, History: s.Messages, Cursor: m.From, Results: []spoor.Result{r},
		})
		if alone.Guard != nil && alone.To == l.Target {
			list = append(list, alone.Guard)
		}
	}
	b.asked, b.guessed = asked, guessed
	return list
}

// resultOf is the last result of a call.
func resultOf(events []event.Event, call string) (r spoor.Result, ok bool) {
	for i := len(events) - 1; i >= 0 && call != ""; i-- {
		switch b := events[i].Body.(type) {
		case *event.Returned:
			if b.Call == call {
				return spoor.Result{Tool: b.Tool, CallID: call, Executed: b.Executed, Status: b.Status, Text: b.Result.Data}, true
			}
		case *event.Refused:
			if b.Call == call {
				return spoor.Result{Tool: b.Tool, CallID: call, Status: b.Status, Text: b.Result.Data}, true
			}
		}
	}
	return r, false
}

// rows are the guards whose verdict on a result is not what it was. Of a move
// that goes elsewhere a guard is told as well that opened and that the other move
// did not judge.
func (p *player) rows(was, now *spoor.Move, then, here []*spoor.Judgement) (rows []Row) {
	elsewhere := was.From != now.From || was.To != now.To || was.By != now.By
	for _, j := range here {
		r := Row{Call: j.CallID, Tool: j.Tool, To: j.To, Label: p.now.label(j.Ref), Now: j}
		i := slices.IndexFunc(then, func(o *spoor.Judgement) bool { return o.CallID == j.CallID && p.steps[j.Ref] == o.Ref })
		if i >= 0 {
			r.Was = then[i]
			then = slices.Delete(then, i, i+1)
			if r.Was.Passed == j.Passed {
				continue
			}
		} else if !elsewhere || !j.Passed {
			continue
		}
		_, stood := p.steps[j.Ref]
		r.Added = !stood
		rows = append(rows, r)
	}
	for _, o := range then {
		if elsewhere && o.Passed {
			_, there := find(p.steps, o.Ref)
			rows = append(rows, Row{Call: o.CallID, Tool: o.Tool, To: o.To, Label: p.was.label(o.Ref), Was: o, Removed: !there})
		}
	}
	return rows
}

// find finds the step that a recorded one is now.
func find(steps map[spoor.Ref]spoor.Ref, was spoor.Ref) (now spoor.Ref, ok bool) {
	for now, stood := range steps {
		if stood == was {
			return now, true
		}
	}
	return "", false
}

// sameSteps finds, for each step of a map, the one of the recorded map that it
// was: one that is the same but for its label, else one with the same ends that
// waits for the same, else one with the same ends, in their order.
func sameSteps(was, now *spoor.Map) map[spoor.Ref]spoor.Ref {
	text := func(s spoor.Step) string {
		data, err := json.Marshal(s)
		if err != nil {
			return ""
		}
		return string(data)
	}
	levels := []func(s spoor.Step) string{
		func(s spoor.Step) string { s.Label = ""; return text(s) },
		func(s spoor.Step) string { s.Label, s.Guard, s.When = "", nil, ""; return text(s) },
		func(s spoor.Step) string { return text(spoor.Step{From: s.From, To: s.To}) },
	}
	same, taken := map[spoor.Ref]spoor.Ref{}, map[spoor.Ref]bool{}
	for _, level := range levels {
		stood := map[string][]spoor.Ref{}
		for i, s := range was.Steps {
			if ref := spoor.Ref("steps").At(i); !taken[ref] {
				stood[level(s)] = append(stood[level(s)], ref)
			}
		}
		for i, s := range now.Steps {
			ref := spoor.Ref("steps").At(i)
			if _, ok := same[ref]; ok {
				continue
			}
			if refs := stood[level(s)]; len(refs) > 0 {
				same[ref], taken[refs[0]] = refs[0], true
				stood[level(s)] = refs[1:]
			}
		}
	}
	return same
}

// A clause is a part of a map that has a condition, and a text that is the same
// for the same clause of two maps.
type clause struct {
	ref  spoor.Ref
	text string
}

// clauses lists what has a condition in the map of a turn.
func clauses(b *event.Started) (list []clause, err error) {
	m, err := b.Graph.Decode()
	if err != nil {
		return nil, err
	}
	in, err := b.Injections.Decode(&b.Graph)
	if err != nil {
		return nil, err
	}
	add := func(ref spoor.Ref, words ...string) {
		if words[len(words)-1] != "" {
			list = append(list, clause{ref, strings.Join(words, "\x00")})
		}
	}
	for i, r := range m.Start.Rules {
		add(spoor.Ref("start.rules").At(i), "rule", r.Use, r.When)
	}
	for i, e := range m.Start.Entries {
		add(spoor.Ref("start.entries").At(i), "entry", e.Use, e.When)
	}
	for i, s := range m.Steps {
		add(spoor.Ref("steps").At(i), "step", s.From, s.To, s.When)
	}
	var branch func(t *spoor.Tree, ref spoor.Ref, depth int)
	branch = func(t *spoor.Tree, ref spoor.Ref, depth int) {
		if t != nil && depth < maxDepth {
			add(ref, string(ref), t.When)
			branch(t.WhenTrue, ref.Key("whenTrue"), depth+1)
			branch(t.WhenFalse, ref.Key("whenFalse"), depth+1)
		}
	}
	branch(m.Tree, "tree", 0)
	for i, s := range in.Skills {
		add(spoor.Ref("agent.skills").At(i), "skill", s.ID, s.When)
	}
	for i, n := range in.Instructions {
		add(spoor.Ref("agent.instructions").At(i), "instruction", n.ID, n.When)
	}
	return list, nil
}

// mapChanges lists what of the map, and of the set-up of the agent, is not as it
// was when a turn began.
func (r *Report) mapChanges(was, now *event.Started) {
	add := func(list []Change, more bool) {
		const most = 50
		room := most - len(r.MapChanges)
		r.MapChanges = append(r.MapChanges, list[:min(len(list), room)]...)
		r.MoreMapChanges = r.MoreMapChanges || more || len(list) > room
	}
	if was.Graph.Map != now.Graph.Map {
		add(changes(was.Graph.Data, now.Graph.Data, ""))
	}
	texts := func(g *event.Graph) map[string]*event.BodyText {
		list := map[string]*event.BodyText{}
		for i := range g.Bodies {
			list[g.Bodies[i].Skill] = &g.Bodies[i]
		}
		return list
	}
	then, here := texts(&was.Graph), texts(&now.Graph)
	seen := map[string]bool{}
	for _, t := range slices.Concat(was.Graph.Bodies, now.Graph.Bodies) {
		a, b := cmp.Or(then[t.Skill], &event.BodyText{}), cmp.Or(here[t.Skill], &event.BodyText{})
		if !seen[t.Skill] && a.Piece != b.Piece {
			name := func(t *event.BodyText, line string) string {
				if t.Data == "" {
					return ""
				}
				return encode(line)
			}
			lines := linesOf(a.Data, b.Data)
			add([]Change{{fmt.Sprintf("body of %s, line %d", t.Skill, lines.Number), name(a, lines.Was), name(b, lines.Now)}}, false)
		}
		seen[t.Skill] = true
	}
	add(changes(setup(was), setup(now), "agent"))
}

// setup is how the agent of a turn is set up beside its map, as JSON.
func setup(b *event.Started) string {
	words := func(list []event.Passage) (texts []map[string]string) {
		for _, p := range list {
			texts = append(texts, map[string]string{"id": p.ID, "when": p.When, "text": headline(p.Data) + " " + short(p.Piece)})
		}
		return texts
	}
	system := ""
	for _, p := range b.System {
		system += headline(p.Data) + " " + short(p.Piece)
	}
	data, err := json.Marshal(map[string]any{
		"system": system, "skills": decode([]byte(cmp.Or(b.Injections.SkillsData, "[]"))),
		"steering": words(b.Injections.Steering), "facts": words(b.Injections.Facts), "instructions": words(b.Injections.Instructions),
		"posture": cmp.Or(b.Posture, spoor.PostureAssist), "continuity": cmp.Or(b.Continuity, spoor.ContinueTurn),
		"decider": b.Decider, "maxIterations": b.MaxIterations, "limits": b.Limits,
	})
	if err != nil {
		return ""
	}
	return string(data)
}

// close sums up.
func (r *Report) close() {
	r.Same = r.ChangedRequests == 0 && r.Blocked == nil && r.Missing == nil && r.Unreached == nil &&
		!slices.ContainsFunc(r.Moves, func(m Move) bool { return m.Changed })
}
