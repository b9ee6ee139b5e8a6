// Package agent walks a map in this process: it asks the model, runs the
// tools, and records everything before it acts.
package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/check"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/score"
	"github.com/spoorhq/spoor/tool"
	"github.com/spoorhq/spoor/walk"
)

// A Config says what an agent is. New copies it.
type Config struct {
	// Map is what the agent walks. It belongs to the agent afterwards.
	Map *spoor.Map

	// Conditions finds what a `when` of the map names. If nil, a map with a
	// `when` is refused; cond.CEL reads CEL.
	Conditions spoor.Conditions

	// Injections are what the agent brings along beside the map.
	Injections spoor.Injections

	// Model answers. It is required. One that is a model.Checker is asked by
	// New whether it can work, as are Classifier and Decider.
	Model model.Model

	// Classifier judges where a turn starts on a map that says classify: llm.
	// If nil, Model does.
	Classifier model.Model

	// Decider chooses from the menu that the start of a turn leaves, where a
	// menu can open. If nil, the model chooses with read_skill.
	Decider model.Model

	// Scorers are those that a map names to judge the start of a turn, beside
	// keyword, which needs none.
	Scorers map[string]score.Scorer

	// Posture says how free the model is to move the walk with read_skill. If
	// empty, it is spoor.PostureAssist.
	Posture spoor.Posture

	// Continuity says where the next turn of a conversation begins. If empty,
	// it is spoor.ContinueTurn: anew.
	Continuity spoor.Continuity

	// Tools are all that may be called. Every tool that a skill lists must be
	// among them; one that no skill lists is always offered.
	Tools []tool.Tool

	// Discover lists more tools, whose set may change: those of MCP servers,
	// say. New asks it, and then each turn as it begins: what it lists then is
	// what the turn has. If nil, Tools are all.
	Discover func(context.Context) ([]tool.Tool, error)

	// System is what every prompt begins with.
	System string

	// MaxIterations is how many model calls a turn may make, of every purpose.
	// The last one is offered no tools. If zero, it is 10.
	MaxIterations int

	// Limits bound a turn beside it.
	Limits spoor.Limits

	// Check says what New does with the problems of a check-up of the map. If
	// empty, it is CheckThrow.
	Check Check

	// Log gets a line for each of Agent.Problems that is no advice. If nil, it
	// is slog.Default.
	Log *slog.Logger

	// Store keeps the recordings. If nil, they are in memory only.
	Store *recording.Folder

	// Sync says what a recording must survive. If empty, it is that this
	// process is killed.
	Sync Sync

	// Text gets the text of answers as it arrives. If nil, nothing does. Runs
	// that are walked at once write to it at once.
	Text io.Writer
}

// Sync says when what is recorded is forced onto the disk.
type Sync string

// SyncEffects forces it there before each call of a tool that is not
// Repeatable, so that a loss of power cannot make the agent forget that it
// called.
const SyncEffects Sync = "effects"

// Check says what becomes of what a check-up finds.
type Check string

const (
	CheckThrow Check = "throw" // a map with an error is refused
	CheckWarn  Check = "warn"  // nothing is refused: errors are told like warnings
	CheckOff   Check = "off"   // nothing is checked
)

// An Agent walks one map. It is safe for concurrent use; all that changes
// belongs to a run.
type Agent struct {
	config     Config
	machine    *walk.Machine
	graph      event.Graph
	injections event.Injections
	system     []model.Part
	read       model.ToolSpec // of read_skill
	fixed      *toolset       // nil if the tools are discovered
	told       sync.Map       // problems of tools that are logged

	problems spoor.Problems
}

// New makes an agent. If the map or the tools are at fault, the error is
// spoor.Problems: all that is wrong. What a check-up finds besides, and what
// Config.Check lets pass, is Agent.Problems.
func New(c Config) (*Agent, error) {
	if c.Map == nil {
		return nil, errors.New("agent: Config.Map is nil; an agent needs a map to walk")
	}
	if c.Model == nil {
		return nil, errors.New("agent: Config.Model is nil; an agent needs a model to ask")
	}
	if err := badWords(&c); err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	if c.MaxIterations == 0 {
		c.MaxIterations = 10
	}
	tools, err := allTools(context.Background(), &c)
	if err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	g, err := spoor.Compile(c.Map, c.Conditions)
	problems, _ := errors.AsType[spoor.Problems](err)
	if err == nil {
		problems = neverStarts(g, &c)
		with, err := g.Inject(c.Injections, c.Conditions)
		if more, ok := errors.AsType[spoor.Problems](err); ok {
			problems = append(problems, more...)
		} else {
			g = with
		}
	}
	problems = append(problems, toolProblems(&c, tools)...)
	var passed spoor.Problems
	if g != nil {
		var refused spoor.Problems
		refused, passed = checkup(g, c.Check, tools)
		problems = append(problems, refused...)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	for _, m := range []model.Model{c.Model, c.Classifier, c.Decider} {
		if m, ok := m.(model.Checker); ok {
			if err := m.Check(); err != nil {
				return nil, fmt.Errorf("agent: %w", err)
			}
		}
	}
	for _, p := range passed {
		if p.Level != check.Advice {
			cmp.Or(c.Log, slog.Default()).Warn(p.Message, "code", p.Code, "ref", p.Ref, "hint", p.Hint)
		}
	}
	a := &Agent{config: c, problems: passed, machine: walk.New(g)}
	if a.graph, err = event.NewGraph(c.Map); err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	if a.injections, err = a.graph.NewInjections(c.Injections); err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	if c.System != "" {
		a.system = []model.Part{model.NewPart(model.System, model.Text, c.System)}
	}
	a.config.Tools, a.config.Scorers = slices.Clone(c.Tools), maps.Clone(c.Scorers)
	a.config.Limits.Prices = slices.Clone(c.Limits.Prices)
	a.read = walk.ReadSkillSpec(g)
	if c.Discover == nil {
		if a.fixed, err = a.toolsNow(context.Background()); err != nil {
			return nil, fmt.Errorf("agent: %w", err)
		}
	}
	return a, nil
}

// Problems is what a check-up of the map found and New let pass: warnings and
// advice and, under CheckWarn, errors. The slice must not be changed.
func (a *Agent) Problems() spoor.Problems { return a.problems }

// checkup checks the map with the tools of the agent. A map of skills alone
// has no entry, and is walked with every skill open.
func checkup(g *spoor.Graph, how Check, tools []tool.Tool) (refused, passed spoor.Problems) {
	if how == CheckOff {
		return nil, nil
	}
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	m := g.Map()
	alone := m.Start.IsZero() && len(m.Steps) == 0 && m.Tree == nil
	for _, p := range check.Run(g, names...).Problems {
		switch {
		case alone && (p.Code == "no-entry" || p.Code == "unreachable-skill"):
		case p.Level == check.Error && how != CheckWarn:
			refused = append(refused, p)
		default:
			passed = append(passed, p)
		}
	}
	return refused, passed
}

// A Run is what became of a turn.
type Run struct {
	// Recording is all that happened. It is never nil.
	Recording *recording.Recording

	Answer  string      // the text of the answer
	Limited bool        // a limit cut the work short
	Limit   spoor.Limit // that limit
	Stop    model.Stop  // what ended the last reply before its end

	// Question is what a person must answer before the turn can go on; nil if
	// it waits for nobody. Resume takes the answer.
	Question *Question
}

// A Question is what a tool call asks a person.
type Question struct {
	Call string // its id
	Tool string
	Args string // JSON
	Text string
}

// An Answer is what a person says to a Question.
type Answer struct {
	Text     string // what the tool is told; of a declined call the reason, which the model is told
	Declined bool   // the call must not be made
}

// Run walks one turn: the message of a person, to the answer, or to a question
// that a person must answer first. The error says that the turn did not come
// to either: the model failed, ctx was done, or the recording could not be
// written. What happened until then is in the Run, which is nil only if nothing
// was recorded.
//
// An answer may be empty: the model said nothing, or a limit left no call for
// one (Run.Limited). A turn whose time is over while the model is asked was
// stopped: its error is ErrStopped, and Run.Limit says why.
func (a *Agent) Run(ctx context.Context, message string) (*Run, error) {
	tools, err := a.toolsNow(ctx)
	if err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	id := recording.NewRun(time.Now())
	w := recording.NewWriter(nil, id)
	if a.config.Store != nil {
		if w, err = a.config.Store.Create(id); err != nil {
			return nil, fmt.Errorf("agent: %w", err)
		}
	}
	r := a.newRun(w, new(walk.State), tools)
	return r.start(ctx, message)
}

// Reply walks the next turn of a conversation: the message is the person's
// reply to the answer that the recording ends with. The turn is added to the
// recording.
func (a *Agent) Reply(ctx context.Context, rec *recording.Recording, message string) (*Run, error) {
	r, err := a.reopen(ctx, rec)
	if err != nil {
		return nil, err
	}
	if r.state.Started == nil {
		r.w.Close()
		return nil, fmt.Errorf("agent: run %s %w", rec.Run, errNoTurn)
	}
	switch r.state.Phase {
	case walk.Done:
		return r.start(ctx, message)
	case walk.Paused:
		err = fmt.Errorf("agent: turn %d of run %s waits for an answer to %q; resume it with one first", r.state.Turn, rec.Run, r.question().Text)
	default:
		err = fmt.Errorf("agent: turn %d of run %s has not come to its end; resume it first", r.state.Turn, rec.Run)
	}
	r.w.Close()
	return nil, err
}

// Resume goes on with a turn that waits for a person, with the answer, or with
// one that a crash cut, without any. It may be hours later and in another
// process. A turn that waits and gets no answer waits on.
//
// After a crash a call that had reached its tool and has no answer is made
// again if the tool is Repeatable; otherwise the model is told that nobody
// knows what became of it.
func (a *Agent) Resume(ctx context.Context, rec *recording.Recording, answer *Answer) (*Run, error) {
	r, err := a.reopen(ctx, rec)
	if err != nil {
		return nil, err
	}
	noAnswer := fmt.Errorf("agent: run %s waits for no answer; resume it without one", rec.Run)
	if r.w.Unsealed() { // only the last hash was cut off
		defer r.w.Close()
		if answer != nil {
			return nil, noAnswer
		}
		if err := r.w.Seal(); err != nil {
			return nil, fmt.Errorf("agent: %w", err)
		}
		return r.result()
	}
	if err := r.canResume(); err != nil {
		r.w.Close()
		return nil, fmt.Errorf("agent: %w", err)
	}
	var died []string
	for _, c := range r.state.Out() {
		died = append(died, c.ID)
	}
	events := slices.Clone(a.machine.Settle(r.state))
	switch paused := r.state.Phase == walk.Paused; {
	case answer != nil && !paused:
		r.w.Close()
		return nil, noAnswer
	case answer != nil:
		q := r.question()
		part := model.NewPart(model.User, model.Text, text(answer.Text))
		part.Call, part.Tool = q.Call, q.Tool
		events = append(events, a.machine.Step(r.state, &event.Answered{Call: q.Call, Answer: part, Declined: answer.Declined}, time.Now())...)
		return r.finish(ctx, events)
	case paused, r.state.Phase == walk.Done: // only the end of the last step was cut off, if anything
		defer r.w.Close()
		if err := r.w.Append(events); err != nil {
			return nil, fmt.Errorf("agent: %w", err)
		}
		return r.result()
	}
	var repeat []string
	for _, c := range r.state.Out() {
		if t := r.tools.byName[c.Tool]; !slices.Contains(died, c.ID) || t != nil && t.Repeatable { // a call that only Settle sent was never made
			repeat = append(repeat, c.ID)
		}
	}
	events = append(events, a.machine.Step(r.state, &event.Resumed{Repeat: repeat}, time.Now())...)
	return r.finish(ctx, events)
}

var errNoTurn = errors.New("was cut before its turn began; there is nothing to resume")

// canResume says why a turn cannot go on with this agent.
func (r *run) canResume() error {
	a, s, run := r.agent, r.state, r.w.Recording().Run
	started := s.Started
	switch {
	case started == nil:
		return fmt.Errorf("run %s %w", run, errNoTurn)
	case s.Phase == walk.Done:
		return fmt.Errorf("run %s has come to its end; there is nothing to resume", run)
	case started.Machine != walk.Version:
		return fmt.Errorf("run %s was walked by version %d of the machine; this is version %d", run, started.Machine, walk.Version)
	case !started.Graph.Same(&a.graph) || !started.Injections.Same(&a.injections):
		return fmt.Errorf("run %s walked another map than this one: %s is not the same; resume it with the map that it was made with", run, a.differs(started))
	case started.Decider && a.config.Decider == nil:
		return fmt.Errorf("run %s leaves menus to a decider, which this agent does not have", run)
	}
	for _, t := range started.Tools {
		offer := r.tools.offer
		i := slices.IndexFunc(offer, func(o event.Tool) bool { return o.Name == t.Name })
		switch {
		case i < 0:
			return fmt.Errorf("run %s was offered the tool %q, which this agent does not have", run, t.Name)
		case offer[i].Piece != t.Piece:
			return fmt.Errorf("run %s was offered another tool %q than this agent has: its description or its schema has changed", run, t.Name)
		}
	}
	return nil
}

// differs names something that is not as it was when a turn began.
func (a *Agent) differs(b *event.Started) string {
	body := func(g *event.Graph, skill string) (d model.Digest) {
		for _, text := range g.Bodies {
			if text.Skill == skill {
				d = text.Piece
			}
		}
		return d
	}
	for _, g := range []*event.Graph{&b.Graph, &a.graph} {
		for _, text := range g.Bodies {
			if body(&b.Graph, text.Skill) != body(&a.graph, text.Skill) {
				return fmt.Sprintf("the body of the skill %q", text.Skill)
			}
		}
	}
	if b.Graph.Map != a.graph.Map {
		return "a skill, the start or a step"
	}
	then, now := &b.Injections, &a.injections
	for _, list := range []struct {
		name      string
		then, now []event.Passage
	}{
		{"agent.steering", then.Steering, now.Steering}, {"agent.facts", then.Facts, now.Facts}, {"agent.instructions", then.Instructions, now.Instructions},
	} {
		for i := range max(len(list.then), len(list.now)) {
			if i >= len(list.then) || i >= len(list.now) || list.then[i] != list.now[i] {
				return string(spoor.Ref(list.name).At(i))
			}
		}
	}
	return "agent.skills"
}

// reopen folds a recording and makes ready to add to it.
func (a *Agent) reopen(ctx context.Context, rec *recording.Recording) (*run, error) {
	if rec.Path == "" && len(rec.Faults) > 0 {
		return nil, fmt.Errorf("agent: run %s is not as it was written and cannot go on: %s", rec.Run, rec.Faults[0])
	}
	tools, err := a.toolsNow(ctx)
	if err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	var w *recording.Writer
	if rec.Path == "" {
		w, err = recording.Extend(rec)
	} else {
		w, err = recording.Continue(rec.Path)
	}
	if err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	s := new(walk.State)
	for _, e := range w.Recording().Events {
		s.Apply(e)
	}
	return a.newRun(w, s, tools), nil
}

func (a *Agent) newRun(w *recording.Writer, s *walk.State, tools *toolset) *run {
	r := &run{agent: a, w: w, state: s, tools: tools, text: answerText{w: a.config.Text, log: cmp.Or(a.config.Log, slog.Default())}}
	r.emit = r.text.emit
	return r
}

// ErrModel is the error of a turn in which the model brought no answer.
var ErrModel = errors.New("the model brought no answer")

// ErrStopped is the error of a turn that was stopped from outside.
var ErrStopped = errors.New("the turn was stopped")

// result is what the turn came to.
func (r *run) result() (*Run, error) {
	rec := r.w.Recording()
	if r.state.Phase == walk.Paused {
		return &Run{Recording: rec, Question: r.question()}, nil
	}
	end := rec.Finished()
	out := &Run{Recording: rec, Answer: event.Text(end.Answer), Limited: end.Limited, Limit: end.Limit, Stop: lastStop(rec.Events)}
	switch end.By {
	case event.ByError:
		return out, fmt.Errorf("agent: %w: %s", ErrModel, end.Error)
	case event.ByStop:
		return out, fmt.Errorf("agent: %w: %s", ErrStopped, end.Error)
	}
	return out, nil
}

// question is what the turn waits for; nil if it waits for nobody.
func (r *run) question() *Question {
	ask, ok := r.agent.machine.Command(r.state).(walk.Ask)
	if !ok {
		return nil
	}
	return &Question{Call: ask.Call.ID, Tool: ask.Call.Tool, Args: ask.Call.Args, Text: ask.Question.Question.Data}
}

// lastStop is what ended the last reply of the last turn before its end.
func lastStop(events []event.Event) model.Stop {
	for _, e := range slices.Backward(events) {
		switch b := e.Body.(type) {
		case *event.Replied:
			return b.Stop
		case *event.Started:
			return ""
		}
	}
	return ""
}

// cut shortens text that a model or a tool made to what an event should hold.
func cut(s string) string {
	const most = 2000
	if len(s) <= most {
		return text(s)
	}
	return text(s[:most]) + "…"
}

// text is s as a recording can hold it: what is not UTF-8 in it is replaced.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
