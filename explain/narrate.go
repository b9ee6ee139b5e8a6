package explain

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
)

// A Story is a walk as prose, a fact a line.
type Story struct {
	Run        string `json:"run"`
	Lines      []Line `json:"lines"`
	Changed    string `json:"changed,omitempty"`    // why not all of it is as it was recorded
	Incomplete string `json:"incomplete,omitempty"` // why the recording is not whole

	words *Words
}

// A Line says one fact.
type Line struct {
	Event     int    `json:"event"`
	Turn      int    `json:"turn"`
	Iteration int    `json:"iteration,omitempty"`
	Kind      string `json:"kind"`            // of the event
	Depth     int    `json:"depth,omitempty"` // 0, or how far it belongs to the lines before it
	Text      string `json:"text"`            // one line
	Full      string `json:"full,omitempty"`  // all of a text that the line has cut or only names

	// Assumed says of a replayed run that nobody knows whether it would be so.
	Assumed bool `json:"assumed,omitempty"`
}

// Narrate tells a recording as prose: every event, in order, with what was
// judged. Long texts are shortened. Every line is a fact, unless it is assumed.
func Narrate(r *recording.Recording) *Story { return plain.narrate(r, false) }

// NarrateFull tells a recording as Narrate does, and of every model call all
// parts of the request and what it was told of the tools, in their whole text.
// Replies and results are not shortened either.
func NarrateFull(r *recording.Recording) *Story { return plain.narrate(r, true) }

func (w *Words) narrate(r *recording.Recording, full bool) *Story {
	t := newTrail(r)
	t.words, t.full = w, full
	s := &Story{Run: r.Run, Lines: []Line{}, Incomplete: w.incomplete(r), words: w}
	for i := range r.Events {
		e := &r.Events[i]
		for _, l := range t.told(i) {
			l.Event, l.Turn, l.Iteration, l.Kind = e.Seq, e.Turn, e.Iteration, e.Body.Kind()
			l.Assumed = t.assumed(e.Seq)
			s.Lines = append(s.Lines, l)
		}
	}
	s.Changed = t.changed()
	return s
}

// told tells one event: a line, and what belongs to it.
func (t *trail) told(i int) []Line {
	w := t.words
	var lines []Line
	add := func(depth int, name string, values ...string) {
		lines = append(lines, Line{Depth: depth, Text: w.say(name, values...)})
	}
	whole := func(text string, shown int) { // of the last line, which shows so much of it
		if t.full && (shown == 0 || clip(text, shown) != text) {
			lines[len(lines)-1].Full = text
		}
	}
	failure := func(name, text string) {
		first, more := firstLine(text)
		add(0, name, "reason", clip(first, 300))
		whole(first, 300)
		lines = append(lines, rowsBelow(more)...)
	}
	switch b := t.event(i).Body.(type) {
	case *event.Started:
		add(0, "message", "message", quote(t.data(b.Message), 300))
		whole(t.data(b.Message), 300)
		if len(b.History) > 0 {
			add(1, "history", "n", itoa(len(b.History)))
		}
		if m := t.mapOf(i).m; m != nil {
			add(1, "map", "map", either(m.Name != "", quote(m.Name, 60), w.say("without name")), "skills", w.counted(len(m.Skills), "skill", "skills"),
				"steps", w.counted(len(m.Steps), "step", "steps"), "tools", w.counted(len(b.Tools), "tool", "tools"), "max", w.counted(b.MaxIterations, "model call", "model calls"))
		} else {
			add(1, "no map", "error", clip(t.mapOf(i).err.Error(), 200))
		}
		lines = append(lines, t.startedLines(i, b)...)
	case *event.Asked:
		add(0, "scorer asked", "scorer", line(b.Scorer), "skills", w.candidatesText(b))
	case *event.Scored:
		if b.Error != "" {
			failure("scorer failed", b.Error)
			break
		}
		add(0, "scored", "scores", w.scoredText(b))
	case *event.TurnRouted:
		lines = append(lines, w.routedLines(b, t.mapOf(i).label(b.Ref))...)
	case *event.EffectJudged:
		lines = append(lines, Line{Text: w.effectText(b)})
		whole(t.data(b.Note), 0)
	case *event.Needs:
		add(0, either(b.By == event.ByPolicy, "needs leave", "needs"), "call", line(b.Call), "tool", line(t.asks[i].part.Tool),
			"question", quote(t.data(b.Question), 200))
		whole(t.data(b.Question), 200)
	case *event.Answered:
		add(0, either(b.Declined, "declined", "person"), "call", line(b.Call), "tool", line(t.asks[i].part.Tool), "answer", quote(t.data(b.Answer), 200))
		whole(t.data(b.Answer), 200)
	case *event.Paused:
		add(0, "paused", "call", line(b.Call), "tool", line(t.asks[i].part.Tool))
	case *event.Evaluated:
		label := t.mapOf(i).label
		add(0, "moved", "iteration", itoa(t.event(i).Iteration), "move", w.moveText(&b.Move, label(b.Move.Ref), t.fired(i)))
		lines = append(lines, w.evidenceOf(&b.Move, label)...)
		if fresh := t.fresh[i]; fresh != nil {
			add(1, "superseded", "skills", w.listed(fresh))
		}
		if on := t.switchedOn(i); len(on) > 0 {
			add(1, "activated", "skills", w.listed(on))
		}
		lines = append(lines, t.evaluatedLines(i, b)...)
	case *event.RouteConflict:
		add(0, "conflict", "call", line(b.Winner.CallID), "tool", line(b.Winner.Tool), "to", line(b.Winner.Target))
		whole(t.data(b.Note), 0)
	case *event.RerouteSuperseded:
		add(0, either(b.Source == spoor.ByProposal, "proposal lost", "reroute"), "tool", line(t.asks[i].part.Tool),
			"call", line(b.Call), "skill", line(b.VolunteeredID), "won", line(b.WonID), "by", line(string(b.By)))
		whole(t.data(b.Note), 0)
	case *event.Read:
		add(0, "read", "call", line(b.Call), "skill", line(b.Skill), "text", clip(t.data(b.Result), 120))
		whole(t.data(b.Result), 120)
	case *event.Rejected:
		add(0, either(b.Posture != "", "rejected posture", "rejected"), "posture", line(string(b.Posture)), "call", line(b.Call), "skill", either(b.RequestedID != "", line(b.RequestedID), `""`),
			"from", either(b.CurrentSkillID != "", line(b.CurrentSkillID), w.say("nowhere")), "allowed", w.listed(t.allowed(i)))
		whole(t.data(b.Result), 0)
	case *event.Refused:
		add(0, fate(b.Reason), "call", line(b.Call), "tool", line(b.Tool), "reason", line(string(b.Reason)), "text", clip(t.data(b.Result), 120))
		whole(t.data(b.Result), 120)
	case *event.Called:
		add(0, calledName(b), "parts", itoa(t.parts[i]), "tools", w.toolsText(t.offered(i)), "limit", w.limitText(b.Limit), "purpose", line(string(b.Purpose)))
		if t.full {
			lines = append(lines, t.asked(i)...)
		}
	case *event.Sent:
		add(0, "sent", "calls", w.listed(b.Calls))
	case *event.Replied:
		lines = append(lines, w.attempts(b.Attempts)...)
		calls := slices.ContainsFunc(b.Parts, func(p model.Part) bool { return p.Kind == model.Call })
		for _, p := range b.Parts {
			switch p.Kind {
			case model.Call:
				if t.aside[i] != "" {
					add(0, "chose", "choice", choiceText(t.data(p)))
					whole(t.data(p), 0)
					break
				}
				add(0, "asked for", "call", line(p.Call), "tool", line(p.Tool), "args", clip(t.data(p), 120))
				whole(t.data(p), 120)
			case model.Thinking:
				add(0, "thought", "bytes", w.counted(len(t.data(p)), "byte", "bytes"))
				whole(t.data(p), 0)
			case model.Text:
				add(0, either(calls, "said", "answered"), "text", quote(t.data(p), 600))
				whole(t.data(p), 600)
			}
		}
		if len(b.Parts) == 0 {
			add(0, "answered", "text", `""`)
		}
		if b.Model != "" {
			u := b.Usage
			add(1, either(u == (model.Usage{}), "by model", either(u.Cached > 0, "by model cached", "by model usage")),
				"model", line(b.Model), "input", w.counted(u.Input, "token", "tokens"), "cached", itoa(u.Cached), "output", itoa(u.Output))
		}
		if b.Stop != "" {
			add(1, either(b.Stop == model.StopLength, "cut short", "withheld"))
		}
	case *event.Returned:
		r := Result{Call: b.Call, Tool: b.Tool, Executed: b.Executed, Status: b.Status, Text: t.data(b.Result)}
		lines = append(lines, Line{Text: w.result(&r)})
		whole(r.Text, 120)
		for _, p := range b.More {
			text := t.data(p)
			what := either(p.Media != "", line(p.Media), line(string(p.Kind)))
			add(1, "showed", "what", what, "bytes", w.counted(len(text), "byte", "bytes"))
			if readable(p, text) {
				whole(text, 0)
			}
		}
	case *event.Failed:
		lines = append(lines, w.attempts(b.Attempts)...)
		failure("model failed", b.Error)
	case *event.Resumed:
		add(0, either(len(b.Repeat) > 0, "resumed with", "resumed"), "calls", w.listed(b.Repeat))
	case *event.Stopped:
		lines = append(lines, w.attempts(b.Attempts)...)
		failure("stopped", b.Reason)
	case *event.Late:
		what := b.Error
		if len(b.Parts) > 0 {
			what = b.Call + " " + t.data(b.Parts[0])
		}
		add(0, "late", "what", clip(what, 120))
		whole(what, 120)
	case *event.Finished:
		first, more := firstLine(b.Error)
		if j := i - 1; j >= 0 && more != "" {
			if f, ok := t.event(j).Body.(*event.Failed); ok && f.Error == b.Error {
				more = "" // the event before has told it
			}
		}
		answered := b.By == event.ByAnswer && b.Error == ""
		switch {
		case answered && event.Text(b.Answer) == "" && b.Limited:
			add(0, "ended without", "reason", w.spentText(b.Limit))
		case answered && event.Text(b.Answer) == "":
			add(0, "ended without", "reason", w.say("no text"))
		case answered:
			add(0, either(b.Limited, "limited", "finished"), "limit", w.limitText(b.Limit))
		case b.By == event.ByStop:
			add(0, "stopped", "reason", clip(first, 300))
			if b.Limited {
				add(1, "spent", "spent", w.spentText(b.Limit))
			}
		default:
			add(0, "failed", "reason", clip(first, 300))
		}
		lines = append(lines, rowsBelow(more)...)
	default:
		add(0, "unknown", "kind", line(b.Kind()))
	}
	return lines
}

// asked tells all of a request.
func (t *trail) asked(i int) []Line {
	w := t.words
	var lines []Line
	for k, p := range t.request(i) {
		what := line(string(p.Role)) + " " + line(string(p.Kind))
		if p.Skill != "" {
			what += w.say("of skill", "skill", line(p.Skill))
		}
		for _, s := range []string{p.Call, p.Tool} {
			if s != "" {
				what += " " + line(s)
			}
		}
		if p.Status != "" {
			what += w.say("of status", "status", line(p.Status))
		}
		if p.Media != "" {
			what += ", " + line(p.Media)
		}
		text := t.data(p.Part)
		l := Line{Depth: 1, Text: w.say("part", "n", itoa(k+1), "what", what, "bytes", w.counted(len(text), "byte", "bytes")), Full: text}
		if !readable(p.Part, text) {
			l.Full = ""
		}
		lines = append(lines, l)
	}
	for _, spec := range t.specs(i) {
		text := w.say("told tool", "tool", line(spec.Name), "bytes", w.counted(len(spec.Data), "byte", "bytes"))
		lines = append(lines, Line{Depth: 1, Text: text, Full: spec.Data})
	}
	return lines
}

// specs are what a request told of the tools that it offered, as far as it is
// on record.
func (t *trail) specs(i int) []event.Tool {
	if b := t.event(i).Body.(*event.Called); b.Choice != nil {
		if text, ok := t.r.Piece(b.Choice.Piece); ok {
			return []event.Tool{{Name: b.Choice.Name, Piece: b.Choice.Piece, Data: text}}
		}
	}
	s := t.started(i)
	if s == nil {
		return nil
	}
	var list []event.Tool
	for _, name := range t.offered(i) {
		for _, tool := range s.Tools {
			if text, ok := t.r.Piece(tool.Piece); ok && tool.Name == name {
				list = append(list, event.Tool{Name: name, Piece: tool.Piece, Data: text})
				break
			}
		}
	}
	return list
}

// readable reports whether the bytes of a part are text, and so can be shown to
// a model as text.
func readable(p model.Part, text string) bool {
	return p.Kind != model.Image && utf8.ValidString(text) && !strings.Contains(text, "\x00")
}

// attempts tells the errors before a reply, of each its first line.
func (w *Words) attempts(list []model.Attempt) []Line {
	var lines []Line
	for _, a := range list {
		first, _ := firstLine(a.Error)
		lines = append(lines, Line{Depth: 1, Text: w.say("attempt", "error", clip(first, 200))})
	}
	return lines
}

// rowsBelow tells what follows the first line of an error, a line each.
func rowsBelow(more string) []Line {
	const most = 100
	if more == "" {
		return nil
	}
	var lines []Line
	for _, row := range rows(more) {
		if len(lines) == most {
			return append(lines, Line{Depth: 1, Text: "…"})
		}
		if row != "" {
			lines = append(lines, Line{Depth: 1, Text: row})
		}
	}
	return lines
}

// fate is the template of a call that the walk itself answered: one that was
// lost, or cut off, may have been carried out.
func fate(r event.Reason) string {
	name := either(r == event.Lost, "lost", either(r == event.Cut, "cut", "refused"))
	return name
}

// switched are the skills that are switched on after a move, its As followed.
func (t *trail) switched(i int) []string {
	b := t.event(i).Body.(*event.Evaluated)
	if j, ok := t.at[b.ActivatedAs]; ok && b.ActivatedAs != 0 && j < i {
		if as, ok := t.event(j).Body.(*event.Evaluated); ok {
			return as.Activated
		}
	}
	return b.Activated
}

// allowed are the skills that could be read where a read was refused, its As
// followed.
func (t *trail) allowed(i int) []string {
	b := t.event(i).Body.(*event.Rejected)
	if j, ok := t.at[b.AllowedAs]; ok && b.AllowedAs != 0 && j < i {
		if as, ok := t.event(j).Body.(*event.Rejected); ok {
			return as.Allowed
		}
	}
	return b.Allowed
}

// switchedOn are the skills that were switched on at a move.
func (t *trail) switchedOn(i int) []string {
	now := t.switched(i)
	var before []string
	if j := t.moveBefore(i); j >= 0 {
		before = t.switched(j)
	} else if s := t.started(i); s != nil && s.Continuity == spoor.ContinueConversation {
		before = s.Activated
	}
	var on []string
	for _, id := range now {
		if !slices.Contains(before, id) {
			on = append(on, id)
		}
	}
	return on
}

// offered are the tools of a request, its As followed.
func (t *trail) offered(i int) []string {
	b := t.event(i).Body.(*event.Called)
	if j, ok := t.at[b.OfferedAs]; ok && b.OfferedAs != 0 && j < i {
		if as, ok := t.event(j).Body.(*event.Called); ok {
			return as.Offered
		}
	}
	return b.Offered
}

func (w *Words) toolsText(offered []string) string {
	switch len(offered) {
	case 0:
		return w.say("no tools")
	case 1:
		return w.say("offered tool", "tool", w.listed(offered))
	}
	return w.say("offered tools", "tools", w.listed(offered))
}

func (s *Story) String() string {
	var p page
	p.put(0, s.words.say("run", "run", line(s.Run)))
	turn := 0
	for i, l := range s.Lines {
		if l.Turn != turn && (i == 0 || l.Depth == 0) {
			turn = l.Turn
			p.put(0, "\n"+s.words.say("turn", "turn", itoa(turn)))
		} else if l.Kind == (event.Evaluated{}).Kind() && l.Depth == 0 {
			p.WriteByte('\n')
		}
		if l.Depth > 0 {
			p.hang(5+2*l.Depth, 7+2*l.Depth, l.Text)
		} else {
			text := l.Text
			if l.Assumed {
				text = s.words.say("assumed", "text", text)
			}
			p.hang(0, 5, fmt.Sprintf("%4d %s", l.Event, text))
		}
		if l.Full != "" {
			p.whole(9+2*l.Depth, l.Full)
		}
	}
	for _, note := range []string{s.Changed, s.Incomplete} {
		if note != "" {
			p.put(0, "\n"+s.words.say("note", "note", note))
		}
	}
	return p.String()
}
