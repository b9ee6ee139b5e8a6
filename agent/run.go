package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/tool"
	"github.com/spoorhq/spoor/walk"
)

// A run is one turn in this process. It belongs to one goroutine.
type run struct {
	agent *Agent
	w     *recording.Writer
	state *walk.State
	tools *toolset

	request model.Request // the last one for an answer
	offered []string      // to it
	text    answerText
	emit    func(model.Delta) // of text

	calls  context.Context // of tool calls, until one is given up
	giveUp context.CancelFunc
	timer  *time.Timer   // of the call that runs
	done   chan answer   // its answer; nil if it was given up
	given  chan answer   // that of a call that was given up, until that is on record
	late   []chan answer // of those that are
}

func (r *run) start(ctx context.Context, message string) (*Run, error) {
	a, c := r.agent, &r.agent.config
	started := &event.Started{
		Run: r.w.Recording().Run, Machine: walk.Version,
		Message: model.NewPart(model.User, model.Text, text(message)),
		Graph:   a.graph, System: a.system, Injections: a.injections, Tools: r.tools.offer,
		Posture: c.Posture, Continuity: c.Continuity, Decider: c.Decider != nil,
		MaxIterations: c.MaxIterations, Limits: c.Limits,
	}
	if before := r.state; before.Started != nil {
		started.History = before.Conversation()
		if c.Continuity == spoor.ContinueConversation {
			started.Cursor, started.Activated = before.Place()
		}
	}
	return r.finish(ctx, a.machine.Step(r.state, started, time.Now()))
}

// finish records events and drives the turn to its end.
func (r *run) finish(ctx context.Context, events []event.Event) (*Run, error) {
	defer r.w.Close()
	defer func() {
		if r.giveUp != nil {
			r.giveUp()
		}
	}()
	err := r.w.Append(events)
	if err == nil {
		err = r.drive(ctx)
	}
	if err != nil {
		return &Run{Recording: r.w.Recording()}, fmt.Errorf("agent: %w", err)
	}
	return r.result()
}

// drive is the loop of a host: do what is wanted, step, and record. Nothing is
// done before all that leads to it is on record. It ends with the turn, or
// where a person must answer.
func (r *run) drive(ctx context.Context) error {
	for {
		var o event.Outcome
		switch c := r.agent.machine.Command(r.state).(type) {
		case nil, walk.Ask:
			return nil
		case walk.Score:
			until, done := within(ctx, c.Deadline)
			o = r.score(until, c)
			done()
			if stop, ok := o.(*event.Stopped); ok && ctx.Err() == nil { // the turn goes on without it
				o = &event.Scored{Error: stop.Reason}
			}
		case walk.CallModel:
			until, done := within(ctx, c.Deadline)
			o = r.ask(until, c)
			done()
			if stop, ok := o.(*event.Stopped); ok && ctx.Err() == nil && c.Purpose != model.Answer {
				o = &event.Failed{Error: stop.Reason, Wire: stop.Wire, Attempts: stop.Attempts}
			}
		case walk.CallTools:
			if err := r.sync(c.Calls[0]); err != nil {
				return err
			}
			o = r.call(ctx, c.Calls[0], c.Deadline)
		}
		if err := r.step(o); err != nil {
			return err
		}
	}
}

var errTime = errors.New("the turn has used all of its time")

// within is done at a deadline, if there is one.
func within(ctx context.Context, deadline time.Time) (context.Context, context.CancelFunc) {
	if deadline.IsZero() {
		return ctx, func() {}
	}
	return context.WithDeadlineCause(ctx, deadline, errTime)
}

// sync forces the recording onto the disk before a call that must not be made
// twice.
func (r *run) sync(c *walk.Call) error {
	t := r.tools.byName[c.Tool]
	if r.agent.config.Sync != SyncEffects || t == nil || t.Repeatable {
		return nil
	}
	return r.w.Sync()
}

// step lets the machine step, and records what it says.
func (r *run) step(o event.Outcome) error {
	now := time.Now()
	for _, late := range r.arrived() {
		if err := r.w.Append(r.agent.machine.Step(r.state, late, now)); err != nil {
			return err
		}
	}
	if r.given != nil {
		r.late, r.given = append(r.late, r.given), nil
	}
	return r.w.Append(r.agent.machine.Step(r.state, o, now))
}

func stopped(ctx context.Context) *event.Stopped {
	return &event.Stopped{Reason: cut(context.Cause(ctx).Error())}
}

// broken is the stop of a turn whose model was asked.
func broken(ctx context.Context, err error) *event.Stopped {
	s := stopped(ctx)
	if e, ok := errors.AsType[*model.Error](err); ok {
		s.Wire, s.Attempts = e.Wire, tidy(e.Attempts)
	}
	return s
}

// ask makes one model call.
func (r *run) ask(ctx context.Context, c walk.CallModel) (o event.Outcome) {
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	defer func() {
		if p := recover(); p != nil {
			o = &event.Failed{Error: cut(fmt.Sprintf("the model panicked: %v", p))}
		}
	}()
	if c.Purpose != model.Answer {
		return r.choose(ctx, c)
	}
	if !slices.Equal(c.Offered, r.offered) {
		r.offered, r.request.Tools = c.Offered, nil
		for _, name := range c.Offered {
			r.request.Tools = append(r.request.Tools, r.tools.specs[name])
		}
	}
	r.request.Purpose, r.request.Parts, r.request.Skill, r.request.Iteration = c.Purpose, c.Parts, c.Skill, c.Iteration
	reply, err := r.agent.config.Model.Call(ctx, &r.request, r.emit)
	if slices.ContainsFunc(reply.Parts, func(p model.Part) bool { return p.Kind == model.Call }) {
		r.text.end() // more is to come
	}
	return replied(ctx, reply, err)
}

// choose asks a model for a forced choice: where the turn starts.
func (r *run) choose(ctx context.Context, c walk.CallModel) event.Outcome {
	m := r.agent.config.Model
	switch own := r.agent.config; {
	case c.Purpose == model.Classify && own.Classifier != nil:
		m = own.Classifier
	case c.Purpose == model.Decide && own.Decider != nil:
		m = own.Decider
	}
	var spec model.ToolSpec
	if err := json.Unmarshal([]byte(c.Choice.Data), &spec); err != nil {
		return &event.Failed{Error: cut(fmt.Sprintf("the choice cannot be read: %v", err))}
	}
	reply, err := m.Call(ctx, &model.Request{
		Purpose: c.Purpose, Parts: c.Parts, Tools: []model.ToolSpec{spec}, Choice: spec.Name, Skill: c.Skill, Iteration: c.Iteration,
	}, func(model.Delta) {})
	return replied(ctx, reply, err)
}

// replied is the outcome of a model call.
func replied(ctx context.Context, reply model.Reply, err error) event.Outcome {
	switch {
	case err != nil && ctx.Err() != nil:
		return broken(ctx, err)
	case err != nil:
		return failed(err)
	}
	return checked(reply)
}

// failed is what a recording keeps of a model call that brought no answer.
func failed(err error) *event.Failed {
	f := &event.Failed{Error: cut(err.Error())}
	if e, ok := errors.AsType[*model.Error](err); ok {
		f.Fault, f.Status, f.Wire, f.Attempts = e.Fault, e.Status, e.Wire, tidy(e.Attempts)
	}
	return f
}

// tidy bounds what attempts say.
func tidy(attempts []model.Attempt) []model.Attempt {
	attempts = slices.Clone(attempts)
	for i := range attempts {
		attempts[i].Error = cut(attempts[i].Error)
	}
	return attempts
}

// answerText hands the text of answers on as it arrives.
type answerText struct {
	w    io.Writer // may be nil
	log  *slog.Logger
	open bool // a line has begun
}

func (t *answerText) emit(d model.Delta) {
	if d.Reset && t.open {
		t.end()
		t.log.Warn("the answer broke off, and is asked for again; its last line is void")
	}
	if t.w != nil && d.Text != "" {
		io.WriteString(t.w, d.Text)
		t.open = true
	}
}

// end ends the line, so that the text of the next reply begins a new one.
func (t *answerText) end() {
	if t.open {
		io.WriteString(t.w, "\n")
		t.open = false
	}
}

// Bounds on what comes from a model or a tool.
const (
	maxReply   = 8 << 20 // bytes of one reply
	maxCalls   = 128     // calls of one reply
	maxResult  = 1 << 20 // bytes of the texts of one result
	maxMedia   = 8 << 20 // bytes of the images and documents of one result
	maxMore    = 1000    // parts beside its text, and parts of one reply
	maxEffects = 100     // effects of one result
	maxTokens  = 1 << 40 // of one call, whatever its provider says

	defaultTimeout = time.Minute // of a tool that has none, and of a scorer
)

// checked takes nothing from a model on trust: neither the role of a part, nor
// the name of its piece, nor its size.
func checked(reply model.Reply) event.Outcome {
	size, calls := 0, 0
	parts, attempts := reply.Parts, tidy(reply.Attempts)
	wrong := func(format string, args ...any) event.Outcome {
		return &event.Failed{Error: cut(fmt.Sprintf(format, args...)), Fault: model.FaultBroken, Wire: reply.Wire, Attempts: attempts}
	}
	if len(parts) > maxMore {
		return wrong("the model answered with %d parts; at most %d are taken", len(parts), maxMore)
	}
	for i := range parts {
		p := &parts[i]
		switch p.Kind {
		case model.Text, model.Thinking:
			p.Call, p.Tool = "", ""
		case model.Call:
			calls++
		default:
			return wrong("the model answered with a part of kind %q; an answer has text, calls and thinking", p.Kind)
		}
		p.Role, p.Status, p.Skill = model.Assistant, "", ""
		p.Tool, p.Media = cut(p.Tool), cut(p.Media)
		if !utf8.ValidString(p.Provider) {
			return wrong("the model's adapter gave provider data that is not UTF-8")
		}
		p.Piece = model.Sum(p.Data)
		size += len(p.Data) + len(p.Tool) + len(p.Provider)
	}
	switch {
	case size > maxReply:
		return wrong("the model answered with %d bytes; at most %d are taken", size, maxReply)
	case calls > maxCalls:
		return wrong("the model asked for %d calls at once; at most %d are taken", calls, maxCalls)
	}
	u := &reply.Usage
	for _, n := range []*int{&u.Input, &u.Output, &u.Cached, &u.Written, &u.Thinking} {
		*n = min(max(*n, 0), maxTokens)
	}
	u.Cached = min(u.Cached, u.Input) // so that no cost is below zero
	u.Written = min(u.Written, u.Input-u.Cached)
	u.Thinking = min(u.Thinking, u.Output)
	return &event.Replied{
		Parts: parts, Usage: *u, Model: text(reply.Model), Stop: reply.Stop, Wire: reply.Wire, Attempts: attempts,
	}
}

// An answer is what a tool said.
type answer struct {
	call   string
	tool   string
	result tool.Result
	err    error
	said   event.Outcome // of the call
}

// call makes one tool call. Whatever becomes of it is a result, an error, a
// panic or a time-out too, unless it asks a person.
func (r *run) call(ctx context.Context, c *walk.Call, deadline time.Time) event.Outcome {
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	t := r.tools.byName[c.Tool]
	if t == nil { // a damaged recording sent it
		return returned(c.ID, c.Tool, false, spoor.Invalid, "There is no such tool, so nothing was called.")
	}
	if !isObject(c.Args) {
		return returned(c.ID, c.Tool, false, spoor.Invalid, "The arguments are not one JSON object, so nothing was called.")
	}
	left := time.Until(deadline)
	if !deadline.IsZero() && left <= 0 { // those before it took all of the time
		return returned(c.ID, c.Tool, false, spoor.Invalid, "This call was not made: the turn has no time left for tools. Answer with what you have.")
	}
	if r.done == nil { // the first call, or the one before was given up
		r.done = make(chan answer, 1)
		r.calls, r.giveUp = context.WithCancel(ctx)
		r.timer = time.NewTimer(0)
	}
	timeout := cmp.Or(t.Timeout, defaultTimeout)
	short := false // the turn has less time than the tool may take
	if !deadline.IsZero() && left < timeout {
		timeout, short = left, true
	}
	r.timer.Reset(timeout)
	calls := r.calls
	if c.Answer != nil && c.By == event.ByTool {
		calls = tool.WithAnswer(calls, c.Answer.Answer.Data)
	}
	go invoke(calls, t, c.ID, c.Args, r.done)
	select {
	case a := <-r.done:
		if a.err != nil && ctx.Err() != nil { // it gave up because it was told to
			return stopped(ctx)
		}
		return a.said
	case <-r.timer.C:
	case <-ctx.Done():
	}
	r.giveUp()
	if ctx.Err() != nil { // what it says now is no answer
		r.done = nil
		return stopped(ctx)
	}
	r.given, r.done = r.done, nil
	silence := fmt.Sprintf("The tool gave no answer within %v.", timeout)
	if short {
		silence = "The tool gave no answer before the time of the turn ran short."
	}
	return returned(c.ID, c.Tool, true, spoor.Failure, silence)
}

func invoke(ctx context.Context, t *tool.Tool, id, args string, done chan<- answer) {
	a := answer{call: id, tool: t.Name}
	defer func() {
		if p := recover(); p != nil {
			a.fails(fmt.Errorf("it panicked: %v", p))
		} else if a.said == nil {
			a.fails(errors.New("it ended its goroutine"))
		}
		done <- a
	}()
	a.result, a.err = t.Call(ctx, args)
	a.said = a.outcome() // which reads an error that may panic as well
}

func (a *answer) fails(err error) {
	a.err, a.said = err, returned(a.call, a.tool, true, spoor.Failure, cut("The tool failed: "+err.Error()))
}

func (a *answer) outcome() event.Outcome {
	if q, ok := errors.AsType[*tool.Question](a.err); ok {
		part := model.NewPart(model.Tool, model.Text, cut(q.Text))
		part.Call, part.Tool = a.call, a.tool
		return &event.Needs{Call: a.call, By: event.ByTool, Question: part}
	}
	if bad, ok := errors.AsType[*tool.ArgumentError](a.err); ok {
		return returned(a.call, a.tool, false, spoor.Invalid, cut("Nothing was called: "+bad.Error()))
	}
	if a.err != nil {
		return returned(a.call, a.tool, true, spoor.Failure, cut("The tool failed: "+a.err.Error()))
	}
	more := slices.Clone(a.result.More) // the tool may keep its own
	texts, media := len(a.result.Text), 0
	for i := range more {
		p := &more[i]
		switch p.Kind {
		case model.Text:
			texts += len(p.Data)
		case model.Image, model.Document:
			media += len(p.Data)
		default:
			return returned(a.call, a.tool, true, spoor.Invalid, fmt.Sprintf("The tool answered with a part of kind %q; a result has text, images and documents.", text(string(p.Kind))))
		}
		*p = model.Part{Role: model.Tool, Kind: p.Kind, Piece: model.Sum(p.Data), Call: a.call, Tool: a.tool, Media: text(p.Media), Data: p.Data}
	}
	switch {
	case len(more) > maxMore:
		return returned(a.call, a.tool, true, spoor.Invalid, fmt.Sprintf("The tool answered with %d parts beside its text; at most %d can be shown. Ask for less.", len(more), maxMore))
	case texts > maxResult:
		return returned(a.call, a.tool, true, spoor.Invalid, fmt.Sprintf("The tool answered with %d bytes; at most %d can be shown. Ask for less.", texts, maxResult))
	case media > maxMedia:
		return returned(a.call, a.tool, true, spoor.Invalid, fmt.Sprintf("The tool answered with %d bytes of images and documents; at most %d can be shown. Ask for less.", media, maxMedia))
	}
	told, status, effects := a.result.Text, a.result.Status, a.result.Effects
	if status != "" && !status.Valid() {
		return returned(a.call, a.tool, true, spoor.Failure, fmt.Sprintf("The tool declared the status %q, which there is not.", text(string(status))))
	}
	if status == "" && len(effects) == 0 {
		told, status, effects = tool.Unwrap(told)
	}
	if len(effects) > maxEffects {
		return returned(a.call, a.tool, true, spoor.Invalid, fmt.Sprintf("The tool answered with %d effects; at most %d are judged.", len(effects), maxEffects))
	}
	r := returned(a.call, a.tool, true, status, told)
	r.More, r.Effects = more, slices.Clone(effects)
	for i := range r.Effects {
		e := &r.Effects[i]
		e.Kind, e.Lease = spoor.EffectKind(cut(string(e.Kind))), spoor.Lease(cut(string(e.Lease)))
		e.Target, e.Reason, e.Instruction = cut(e.Target), cut(e.Reason), cut(e.Instruction)
	}
	return r
}

func returned(call, name string, executed bool, status spoor.Status, text string) *event.Returned {
	part := model.NewPart(model.Tool, model.Result, text)
	part.Call, part.Tool, part.Status = call, name, string(status)
	return &event.Returned{Call: call, Tool: name, Executed: executed, Status: status, Result: part}
}

// arrived collects answers that nobody waits for any more.
func (r *run) arrived() []event.Outcome {
	var got []event.Outcome
	r.late = slices.DeleteFunc(r.late, func(done chan answer) bool {
		select {
		case a := <-done:
			got = append(got, a.said)
			return true
		default:
			return false
		}
	})
	return got
}

func isObject(args string) bool {
	for i := range len(args) {
		switch args[i] {
		case ' ', '\t', '\r', '\n':
		case '{':
			return json.Valid([]byte(args))
		default:
			return false
		}
	}
	return false
}
