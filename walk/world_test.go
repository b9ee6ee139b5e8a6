package walk_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/score"
	"github.com/spoorhq/spoor/walk"
)

// A world plays all that a turn wants of the world, from lines. Each line is a
// second after the one before it.
//
// Settings, which hold for the turns that begin after them:
//
//	posture assist|guard|rails
//	continuity turn|conversation   a conversation goes on where the turn before it ended
//	cursor [SKILL [ACTIVATED …]]   the next turn goes on there instead
//	hidden SKILL …                 skills that must not be seen
//	decider                        a model chooses from the menu of the start
//	budget N                       how many model calls a turn may make; 10
//	limit NAME N                   toolCalls, tokens, cost, pingPong, refusals, or time as in 30s
//	price MODEL INPUT OUTPUT       of a million tokens
//
// What the world says. Every line but say, stop and resume must be what the
// turn wants then:
//
//	say MESSAGE                    a person's message, which starts a turn
//	scores SKILL=N … [floor=N] [categorical]      what the scorer answers, one score a candidate
//	scores keyword                 what the keyword scorer answers
//	scores error TEXT              the scorer fails
//	answer TEXT                    the model answers; without a TEXT, with nothing
//	call TOOL ARGS [; TOOL ARGS …] the model asks for tools
//	choose ID                      the model chooses, where it must
//	fail ERROR                     the model brings no answer
//	tool CALL TEXT                 a tool returns; CALL! it failed; CALL=STATUS it says so;
//	                               CALL?STATUS the call did not reach it
//	needs CALL tool|policy TEXT    a person must be asked, because that one wants it
//	answered CALL TEXT             the person answers
//	declined CALL TEXT             the person says no
//	stop REASON
//	resume [CALL …]                another process took over; these calls are safe to repeat
//
// What goes with a line after it:
//
//	usage INPUT OUTPUT [MODEL]     what the next reply of a model took, and whose it is
//	effect CALL propose-transition SKILL [REASON]
//	effect CALL require-instruction ID LEASE
//	                               what the next return of the call asks of the walk
//	wait DURATION                  time passes
//	late LINE                      nobody waits for that line: it is recorded, and changes nothing
//
// What becomes of the process:
//
//	restart                        another one loads the run from its recording
//	kill N                         it died when N events of the last line were written, and
//	                               another one loads them; what was lost follows again
//
// A line that begins with # says nothing. The world ends when the turn is
// over, or with a line that is `…`, where the turn still wants something.
type world struct {
	t       *testing.T
	file    string
	graph   event.Graph
	in      event.Injections
	tools   []event.Tool
	machine *walk.Machine
	state   *walk.State
	line    int // in hand, in the file
	clock   time.Time
	events  []event.Event // all of them
	last    int           // how many of them the last line made

	set     event.Started // the settings
	cursor  []string      // of the next turn, in place of the one before it; nil: not given
	usage   model.Usage   // of the next reply
	model   string
	effects map[string][]spoor.Effect // of the next return of a call
}

// newWorld reads the map of a file.
func newWorld(t *testing.T, file, yaml string) *world {
	t.Helper()
	f, err := mapfile.Read(fstest.MapFS{"map.yaml": {Data: []byte(yaml)}}, "map.yaml")
	if err != nil {
		t.Fatal(err)
	}
	g, err := spoor.Compile(f.Map, cond.CEL)
	if err != nil {
		t.Fatal(err)
	}
	if g, err = g.Inject(f.Agent.Injections, cond.CEL); err != nil {
		t.Fatal(err)
	}
	w := &world{
		t: t, file: file, machine: walk.New(g), state: new(walk.State), clock: time.Unix(0, 0).UTC(),
		set: event.Started{MaxIterations: 10}, effects: map[string][]spoor.Effect{},
	}
	if w.graph, err = event.NewGraph(f.Map); err != nil {
		t.Fatal(err)
	}
	if w.in, err = w.graph.NewInjections(f.Agent.Injections); err != nil {
		t.Fatal(err)
	}
	for _, name := range toolsOf(g) {
		w.tools = append(w.tools, event.Tool{Name: name, Piece: model.Sum(name), Data: name})
	}
	return w
}

// toolsOf are the tools of every skill, and before them mail, which is the
// agent's.
func toolsOf(g *spoor.Graph) []string {
	names := []string{"mail"}
	for _, id := range g.Skills() {
		for _, name := range g.Skill(id).Tools {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func (w *world) fatal(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("%s:%d: %s", w.file, w.line, fmt.Sprintf(format, args...))
}

// play plays the lines of a world, of which the first is that line of the file.
func (w *world) play(lines string, first int) {
	w.t.Helper()
	open := false
	for i, text := range strings.Split(strings.TrimRight(lines, "\n"), "\n") {
		w.line = first + i
		text = strings.TrimSpace(text)
		if text == "" || text[0] == '#' {
			continue
		}
		if open {
			w.fatal("the world goes on after …")
		}
		if open = text == "…"; !open {
			w.do(text)
		}
	}
	if len(w.effects) > 0 || w.usage != (model.Usage{}) {
		w.fatal("the world ends, and the line is still to come that goes with usage %v and effects %v", w.usage, w.effects)
	}
	if wants := w.wants(); open != (wants != "") {
		w.fatal("the world ends, and the turn wants %q; one that wants something ends with …", wants)
	}
}

// do plays one line.
func (w *world) do(text string) {
	w.t.Helper()
	verb, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case w.setting(verb, rest):
		return
	case verb == "late":
		verb, rest, _ = strings.Cut(rest, " ")
		w.step(w.outcome(verb, rest))
		if got := w.events[len(w.events)-w.last].Body; got.Kind() != "late" {
			w.fatal("this is recorded as %s, and not as late", got.Kind())
		}
		return
	}
	wants := w.wants()
	switch verb {
	case "say":
		if wants != "" {
			w.fatal("a turn is under way, which wants %s", wants)
		}
	case "stop", "resume":
		if wants == "" {
			w.fatal("no turn is under way")
		}
	case "choose", "answer", "fail", "call":
		if !strings.HasPrefix(wants, "answer") && (wants != "choose" || verb == "call") {
			w.fatal("this is %q, and the turn wants %q", verb, wants)
		}
	case "tool", "needs", "answered", "declined", "scores":
		call, _, _ := strings.Cut(rest, " ")
		call = strings.TrimRight(strings.FieldsFunc(call+" ", func(r rune) bool { return r == '=' || r == '?' })[0], "! ")
		if words := strings.Fields(wants); len(words) == 0 || !slices.Contains(strings.Split(words[0], "|"), verb) ||
			verb != "scores" && !slices.Contains(words[1:], call) {
			w.fatal("this is %q, and the turn wants %q", text, wants)
		}
	}
	w.step(w.outcome(verb, rest))
}

// wants is what the turn wants now, as a line begins; empty if it is over.
func (w *world) wants() string {
	switch c := w.machine.Command(w.state).(type) {
	case walk.Score:
		return "scores"
	case walk.CallModel:
		if c.Choice != nil {
			return "choose"
		}
		return "answer|call|fail"
	case walk.CallTools:
		words := "tool|needs"
		for _, call := range c.Calls {
			words += " " + call.ID
		}
		return words
	case walk.Ask:
		return "answered|declined " + c.Call.ID
	}
	return ""
}

// setting takes a line that is no outcome, and reports whether it is one.
func (w *world) setting(verb, rest string) bool {
	w.t.Helper()
	words := strings.Fields(rest)
	l := &w.set.Limits
	switch verb {
	case "posture":
		w.set.Posture = spoor.Posture(rest)
		if !slices.Contains([]spoor.Posture{spoor.PostureAssist, spoor.PostureGuard, spoor.PostureRails}, w.set.Posture) {
			w.fatal("there is no posture %q", rest)
		}
	case "continuity":
		w.set.Continuity = spoor.Continuity(rest)
		if w.set.Continuity != spoor.ContinueTurn && w.set.Continuity != spoor.ContinueConversation {
			w.fatal("there is no continuity %q", rest)
		}
	case "cursor":
		w.cursor = append([]string{}, words...)
	case "hidden":
		w.set.Hidden = words
	case "decider":
		w.set.Decider = true
	case "budget":
		w.set.MaxIterations = int(w.number(rest))
	case "limit":
		if len(words) != 2 {
			w.fatal("limit takes a name and a number")
		}
		switch name, n := words[0], words[1]; name {
		case "toolCalls":
			l.ToolCalls = int(w.number(n))
		case "tokens":
			l.Tokens = int(w.number(n))
		case "cost":
			l.Cost = w.number(n)
		case "pingPong":
			l.PingPong = int(w.number(n))
		case "refusals":
			l.Refusals = int(w.number(n))
		case "time":
			l.Time = w.duration(n)
		default:
			w.fatal("there is no limit %q", name)
		}
	case "price":
		if len(words) != 3 {
			w.fatal("price takes a model and two numbers")
		}
		l.Prices = append(l.Prices, spoor.Price{Model: words[0], Input: w.number(words[1]), Output: w.number(words[2])})
	case "usage":
		if len(words) < 2 {
			w.fatal("usage takes two numbers")
		}
		w.usage = model.Usage{Input: int(w.number(words[0])), Output: int(w.number(words[1]))}
		w.model = strings.Join(words[2:], " ")
	case "effect":
		if len(words) < 3 {
			w.fatal("effect takes a call, a kind and what it asks for")
		}
		e := spoor.Effect{Kind: spoor.EffectKind(words[1])}
		if e.Kind == spoor.RequireInstruction {
			e.Instruction, e.Lease = words[2], spoor.Lease(strings.Join(words[3:], " "))
		} else {
			e.Target, e.Reason = words[2], strings.Join(words[3:], " ")
		}
		w.effects[words[0]] = append(w.effects[words[0]], e)
	case "wait":
		w.clock = w.clock.Add(w.duration(rest))
	case "restart":
		w.load(0)
	case "kill":
		w.load(w.last - int(w.number(rest)))
	default:
		return false
	}
	return true
}

func (w *world) number(s string) float64 {
	w.t.Helper()
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		w.fatal("%q is no number", s)
	}
	return n
}

func (w *world) duration(s string) time.Duration {
	w.t.Helper()
	d, err := time.ParseDuration(s)
	if err != nil {
		w.fatal("%v", err)
	}
	return d
}

// outcome is what a line says.
func (w *world) outcome(verb, rest string) event.Outcome {
	w.t.Helper()
	says := func(parts ...model.Part) *event.Replied {
		r := &event.Replied{Parts: parts, Usage: w.usage, Model: w.model}
		w.usage, w.model = model.Usage{}, ""
		return r
	}
	asks := func(tool, args string) model.Part {
		p := model.NewPart(model.Assistant, model.Call, strings.TrimSpace(args))
		p.Tool = tool
		return p
	}
	switch verb {
	case "say":
		return w.started(rest)
	case "answer":
		if rest == "" {
			return says()
		}
		return says(model.NewPart(model.Assistant, model.Text, rest))
	case "choose":
		return says(asks("choose", fmt.Sprintf(`{"id":%q}`, rest)))
	case "call":
		var parts []model.Part
		for call := range strings.SplitSeq(rest, ";") {
			tool, args, _ := strings.Cut(strings.TrimSpace(call), " ")
			parts = append(parts, asks(tool, args))
		}
		return says(parts...)
	case "fail":
		return &event.Failed{Error: rest}
	case "scores":
		return w.scored(rest)
	case "tool":
		return w.returned(rest)
	case "needs":
		call, rest, _ := strings.Cut(rest, " ")
		by, question, _ := strings.Cut(rest, " ")
		return &event.Needs{Call: call, By: event.Asker(by), Question: model.NewPart(model.Tool, model.Text, question)}
	case "answered", "declined":
		call, answer, _ := strings.Cut(rest, " ")
		return &event.Answered{Call: call, Answer: model.NewPart(model.User, model.Text, answer), Declined: verb == "declined"}
	case "stop":
		return &event.Stopped{Reason: rest}
	case "resume":
		return &event.Resumed{Repeat: strings.Fields(rest)}
	}
	w.fatal("%q is no verb", verb)
	return nil
}

func (w *world) started(message string) *event.Started {
	s := w.set
	s.Run, s.Graph, s.Injections, s.Tools = "test", w.graph, w.in, w.tools
	s.Message = model.NewPart(model.User, model.Text, message)
	s.System = []model.Part{model.NewPart(model.System, model.Text, "Be brief.")}
	s.History = w.state.Conversation()
	if s.Continuity == spoor.ContinueConversation {
		s.Cursor, s.Activated = w.state.Cursor, w.state.Activated
		if w.cursor != nil {
			s.Cursor, s.Activated = "", nil
			if len(w.cursor) > 0 {
				s.Cursor, s.Activated = w.cursor[0], w.cursor[1:]
			}
		}
	}
	w.cursor = nil
	return &s
}

// scored answers the query that is asked, with scores in the order of its
// candidates.
func (w *world) scored(rest string) *event.Scored {
	w.t.Helper()
	if why, ok := strings.CutPrefix(rest, "error "); ok {
		return &event.Scored{Error: why}
	}
	if rest == "keyword" {
		c, ok := w.machine.Command(w.state).(walk.Score)
		if !ok {
			w.fatal("no scorer is asked")
		}
		scores, err := score.Ask(w.t.Context(), score.Keyword, c.Query)
		if err != nil {
			w.fatal("%v", err)
		}
		return &event.Scored{Scores: scores, Floor: score.Keyword.Traits().Floor}
	}
	s := new(event.Scored)
	for _, word := range strings.Fields(rest) {
		name, n, _ := strings.Cut(word, "=")
		switch name {
		case "floor":
			s.Floor = new(w.number(n))
		case "categorical":
			s.Categorical = true
		default:
			s.Scores = append(s.Scores, score.Score{ID: name, Score: w.number(n)})
		}
	}
	return s
}

func (w *world) returned(line string) *event.Returned {
	id, text, _ := strings.Cut(line, " ")
	executed, status := true, ""
	if head, ok := strings.CutSuffix(id, "!"); ok {
		id, status = head, "failure"
	} else if head, declared, ok := strings.Cut(id, "="); ok {
		id, status = head, declared
	} else if head, verdict, ok := strings.Cut(id, "?"); ok {
		id, status, executed = head, verdict, false
	}
	call := walk.Call{ID: id}
	for _, c := range w.state.Batch {
		if c.ID == id {
			call = c
		}
	}
	r := returned(call, executed, spoor.Status(status), text)
	r.Effects = w.effects[id]
	delete(w.effects, id)
	return r
}

func (w *world) step(o event.Outcome) {
	w.clock = w.clock.Add(time.Second)
	n := len(w.events)
	w.events = append(w.events, w.machine.Step(w.state, o, w.clock)...)
	w.last = len(w.events) - n
}

// load folds the run anew, as it is written but for its last lost events, in
// a process of its own. What was lost must follow again.
func (w *world) load(lost int) {
	w.t.Helper()
	n := len(w.events) - lost
	if lost < 0 || lost > w.last {
		w.fatal("the last line made %d events", w.last)
	}
	run, err := readBack(w.events[:n])
	if err != nil {
		w.fatal("%v", err)
	}
	w.machine, w.state = machineOf(w.t, run, n), fold(run)
	again := w.machine.Settle(w.state)
	if lost == w.last {
		w.events, w.last = w.events[:n], 0
		return
	}
	if got, want := lines(again), lines(w.events[n:]); !slices.Equal(got, want) {
		w.fatal("what was lost does not follow again:\nwas %s\nis  %s", strings.Join(want, "\n    "), strings.Join(got, "\n    "))
	}
}

// readBack writes events to a recording, and reads it.
func readBack(events []event.Event) ([]event.Event, error) {
	if len(events) == 0 {
		return nil, nil
	}
	var file bytes.Buffer
	if err := recording.NewWriter(&file, "test").Append(events); err != nil {
		return nil, err
	}
	rec, err := recording.Read(&file)
	if err == nil && rec.Damage != "" {
		err = errors.New(rec.Damage)
	}
	if err != nil {
		return nil, err
	}
	return rec.Events, nil
}

// playFile plays the world of a file, given its parts, and returns what
// happened.
func playFile(t *testing.T, file, yaml, lines string, first int) []event.Event {
	t.Helper()
	w := newWorld(t, filepath.ToSlash(file), yaml)
	w.play(lines, first)
	return w.events
}
