package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/score"
	"github.com/spoorhq/spoor/walk"
)

// A player walks a recording with an edit. It is the host of the machine: what
// a model, a tool or a person says comes out of the recording.
type player struct {
	edit   Edit
	rec    *recording.Recording
	report *Report
	w      *recording.Writer

	was, now table
	maps     [2]*spoor.Graph // of which steps are
	old, new *walk.State     // after the events of the recording that are used, and of the replayed run

	turn  []event.Event           // of the recording, that is walked
	pos   int                     // the first that is not used
	at    int                     // its seq, for a fault
	moves map[int]int             // the moves of the turn, by iteration
	sent  map[string]bool         // calls that reached their tools in it
	args  map[string]string       // of its calls
	steps map[spoor.Ref]spoor.Ref // for a step of the map, the recorded one that it was
	ended bool                    // nothing more can be walked

	results    map[string][]*event.Returned // of the whole recording, by tool and arguments
	taken      map[string]bool              // calls whose result was used
	questioned map[string]bool              // calls whose question to a person is another one
	told       map[string]bool              // calls to which a person says something else
	situations map[int]situation            // what the recorded moves looked at, by their seq
}

// play walks the turns.
func (p *player) play() error {
	p.w = recording.NewWriter(nil, p.rec.Run+Suffix)
	p.old, p.new = new(walk.State), new(walk.State)
	p.taken, p.questioned, p.told = map[string]bool{}, map[string]bool{}, map[string]bool{}
	p.was.funcs, p.now.funcs = p.edit.Conditions, p.edit.Conditions
	events := p.rec.Events
	if _, from, _ := explain.Replayed(p.rec.Run); from > 0 {
		if e := p.rec.Event(from); e != nil {
			p.assume(from, e.Turn, e.Iteration, "the recording is a replayed run itself, which is assumed from there on")
		}
	}
	for i := 0; i < len(events) && !p.ended; {
		b, starts := events[i].Body.(*event.Started)
		end := i + 1
		for end < len(events) {
			if _, next := events[end].Body.(*event.Started); next {
				break
			}
			end++
		}
		switch number := p.old.Turn + 1; {
		case !starts || number < p.edit.Turn:
			if err := p.copy(events[i:end]); err != nil {
				return err
			}
		case p.edit.Turn > 0 && number > p.edit.Turn:
			p.ended = true
		default:
			if err := p.walk(b, i, end); err != nil {
				return err
			}
		}
		i = end
		if p.ended && i < len(events) && p.edit.Turn == 0 {
			p.unreached(events[i:])
		}
	}
	p.report.Recording = p.w.Recording()
	p.name(p.report.Recording)
	return p.w.Close()
}

// name gives the replayed run its id, which says what of it is assumed.
func (p *player) name(r *recording.Recording) {
	if p.report.Assumed == nil {
		return
	}
	r.Run += fmt.Sprintf("-assumed-from-%d", p.report.Assumed.Event)
	for i := range r.Events {
		if b, ok := r.Events[i].Body.(*event.Started); ok {
			b.Run = r.Run
		}
	}
}

// copy takes events as they are recorded.
func (p *player) copy(events []event.Event) error {
	list := slices.Clone(events)
	for i := range list {
		if b, ok := list[i].Body.(*event.Started); ok {
			own := *b
			own.Run = p.rec.Run + Suffix
			list[i].Body = &own
		}
		p.old.Apply(list[i])
		p.new.Apply(list[i])
	}
	return p.w.Append(list)
}

// walk walks the turn that begins with events[from].
func (p *player) walk(b *event.Started, from, to int) error {
	events := p.rec.Events
	if err := p.was.seat(b); err != nil {
		return fmt.Errorf("the recorded map is no graph: %w", err)
	}
	p.was.bound.turn(newLedger(events, from), b.Hidden)
	s, err := p.started(b)
	if err != nil {
		return err
	}
	if err := p.now.seat(s); err != nil {
		return err
	}
	ledger := newLedger(events, from)
	p.now.bound.turn(ledger, s.Hidden)
	if p.now.bound.any() {
		if err := p.remember(b, ledger, from, to); err != nil {
			return err
		}
	}
	if p.report.Turns++; p.report.Turns == 1 {
		p.report.mapChanges(b, s)
	}
	p.turn, p.pos = events[from:to:to], 1
	p.settle()
	p.moves, p.sent, p.args = map[int]int{}, map[string]bool{}, map[string]string{}
	if maps := [2]*spoor.Graph{p.was.graph, p.now.graph}; p.maps != maps {
		p.maps, p.steps = maps, sameSteps(p.was.graph.Map(), p.now.graph.Map())
	}
	for i := range p.turn {
		switch b := p.turn[i].Body.(type) {
		case *event.Evaluated:
			p.moves[p.turn[i].Iteration] = i
		case *event.Sent:
			for _, id := range b.Calls {
				p.sent[id] = true
			}
		case *event.Replied:
			for _, part := range b.Parts {
				if part.Kind == model.Call {
					p.args[part.Call] = part.Data
				}
			}
		}
	}
	p.at = p.turn[0].Seq
	p.old.Apply(p.turn[0])
	if err := p.step(s, p.turn[0].Time); err != nil {
		return err
	}
	for on := true; on && err == nil; {
		switch c := p.now.machine.Command(p.new).(type) {
		case nil:
			return p.rest()
		case walk.Score:
			on, err = p.score(c)
		case walk.CallModel:
			on, err = p.ask(c)
		case walk.CallTools:
			on, err = p.tools(c)
		case walk.Ask:
			on, err = p.person(c)
		}
	}
	p.ended = true
	p.unreached(p.turn[p.pos:])
	p.unmade(false)
	return err
}

// settle adds to the last turn of a recording that was cut what follows by
// itself from its last outcome.
func (p *player) settle() {
	if !p.rec.Incomplete() || p.turn[len(p.turn)-1].Seq != p.rec.Events[len(p.rec.Events)-1].Seq {
		return
	}
	s := new(walk.State)
	for i := range p.rec.Events {
		s.Apply(p.rec.Events[i])
	}
	p.turn = append(p.turn, p.was.machine.Settle(s)...)
}

// remember notes what the recorded moves of a turn looked at, and where the
// clauses of the map stood.
func (p *player) remember(b *event.Started, l *ledger, from, to int) error {
	if p.situations == nil {
		p.situations = map[int]situation{}
		s := new(walk.State)
		for i := range p.rec.Events {
			e := &p.rec.Events[i]
			if _, moved := e.Body.(*event.Evaluated); moved {
				p.situations[e.Seq] = situationOf(s)
			}
			s.Apply(*e)
		}
	}
	l.facts = map[int]situation{}
	for i := from; i < to; i++ {
		if e := &p.rec.Events[i]; l.moves[e.Iteration] == e.Body {
			l.facts[e.Iteration] = p.situations[e.Seq]
		}
	}
	was, err := clauses(b)
	if err != nil {
		return err
	}
	now, err := clauses(p.now.started)
	if err != nil {
		return err
	}
	stood := map[string][]spoor.Ref{}
	for _, c := range was {
		stood[c.text] = append(stood[c.text], c.ref)
	}
	where := map[spoor.Ref]spoor.Ref{}
	for _, c := range now {
		if refs := stood[c.text]; len(refs) > 0 {
			where[c.ref], stood[c.text] = refs[0], refs[1:]
		}
	}
	p.now.bound.was = func(r spoor.Ref) (spoor.Ref, bool) {
		was, ok := where[r]
		return was, ok
	}
	return nil
}

func situationOf(s *walk.State) situation {
	at := situation{cursor: s.Cursor}
	if s.Started != nil {
		at.message = s.Started.Message.Data
	}
	for i := range s.Batch {
		if c := &s.Batch[i]; c.Tool != walk.ReadSkill {
			at.results = append(at.results, spoor.Result{Tool: c.Tool, CallID: c.ID, Executed: c.Executed, Status: c.Status, Text: c.Result.Data})
		}
	}
	return at
}

// step lets the machine take an outcome, and records what follows.
func (p *player) step(o event.Outcome, at time.Time) error {
	b := p.now.bound
	b.guessed, b.asked = false, nil
	made := slices.Clone(p.now.machine.Step(p.new, o, at))
	if err := p.w.Append(made); err != nil {
		return err
	}
	if b.guessed {
		i := slices.IndexFunc(made, func(e event.Event) bool { _, outcome := e.Body.(event.Outcome); return !outcome })
		e := &made[max(i, 0)]
		p.assume(e.Seq, e.Turn, e.Iteration, "only the program that binds "+clip(b.asked[0], 60)+" can ask it, and the recording has no verdict of it in this situation")
	}
	for i := range made {
		p.look(&made[i])
	}
	return nil
}

// look notes what an event of the replayed run is to the report.
func (p *player) look(e *event.Event) {
	r := p.report
	switch b := e.Body.(type) {
	case *event.Evaluated:
		r.Moves = append(r.Moves, p.move(e, b))
		if asked := p.now.bound.asked; len(asked) > 0 {
			r.Conditions = append(r.Conditions, Assumed{e.Turn, e.Iteration, e.Seq, asked})
			r.Moves[len(r.Moves)-1].Evidence = explain.Assumed
			p.now.bound.asked = nil
		}
	case *event.Refused:
		if p.sent[b.Call] && b.Reason != event.Lost && b.Reason != event.Cut && b.Reason != event.Declined {
			r.Blocked = append(r.Blocked, Blocked{e.Turn, e.Iteration, e.Seq, b.Call, b.Tool, clipped(p.args[b.Call]), b.Reason, clipped(b.Result.Data)})
		}
	case *event.Finished:
		r.Answer = &Answer{Turn: e.Turn, Text: event.Text(b.Answer), Evidence: p.evidence(e.Seq)}
		for i := range p.turn {
			if was, ok := p.turn[i].Body.(*event.Finished); ok {
				r.Answer.Was = event.Text(was.Answer)
			}
		}
		r.Answer.Changed = r.Answer.Text != r.Answer.Was
	}
}

// assume says that nothing is exact from an event on.
func (p *player) assume(seq, turn, iteration int, why string) {
	if p.report.Assumed == nil || seq < p.report.Assumed.Event {
		p.report.Assumed = &Assumption{seq, turn, iteration, why}
	}
}

func (p *player) evidence(seq int) explain.Evidence {
	if a := p.report.Assumed; a != nil && seq >= a.Event {
		return explain.Assumed
	}
	return explain.Counterfactual
}

// use takes the next event of the recording: what changes nothing but the state
// of the walk is walked, and of anything else it is the caller's to say.
func (p *player) use() (*event.Event, error) {
	e := &p.turn[p.pos]
	p.at = e.Seq
	p.pos++
	p.old.Apply(*e)
	switch o := e.Body.(type) {
	case *event.Late:
		return e, p.step(p.edited(o), e.Time)
	case *event.Resumed:
		if p.new.Phase != walk.Done && p.new.Phase != walk.Idle {
			return e, p.step(o, e.Time)
		}
	case *event.Stopped:
		if p.new.Phase != walk.Done && p.new.Phase != walk.Idle {
			return e, p.step(o, e.Time)
		}
	}
	return e, nil
}

// over reports whether the turn has come to its end.
func (p *player) over() bool { return p.new.Phase == walk.Done }

// until uses the events before an index.
func (p *player) until(i int) error {
	for p.pos < i && !p.over() {
		if _, err := p.use(); err != nil {
			return err
		}
	}
	return nil
}

// called finds the next request of a purpose that is not used; -1 if there is
// none. One that decides the start stands before the first for an answer.
func (p *player) called(purpose model.Purpose) int {
	for i := p.pos; i < len(p.turn); i++ {
		b, ok := p.turn[i].Body.(*event.Called)
		switch {
		case !ok:
		case b.Purpose == purpose:
			return i
		case b.Purpose == model.Answer:
			return -1
		}
	}
	return -1
}

// ask answers a model call.
func (p *player) ask(c walk.CallModel) (on bool, err error) {
	p.report.Requests++
	i := p.called(c.Purpose)
	if i < 0 {
		return false, p.miss(Missing{What: "reply", Reason: p.noReply(c.Purpose)})
	}
	if err := p.until(i); err != nil || p.over() {
		return true, err
	}
	e, err := p.use()
	if err != nil {
		return false, err
	}
	p.compare(c, e)
	for p.pos < len(p.turn) {
		if _, next := p.turn[p.pos].Body.(*event.Called); next {
			break
		}
		e, err := p.use()
		if err != nil || p.over() {
			return true, err
		}
		switch o := e.Body.(type) {
		case *event.Replied:
			return true, p.step(taken(p.edited(o)), e.Time)
		case *event.Failed:
			return true, p.step(o, e.Time)
		}
	}
	return false, p.miss(Missing{What: "reply", Reason: "the recording has no reply to this request"})
}

func (p *player) noReply(purpose model.Purpose) string {
	if purpose == model.Answer {
		return "the model is asked once more than in the recording, which has no further reply"
	}
	return fmt.Sprintf("a model is asked to %s where the turn starts, and the recording has no such request", purpose)
}

// compare holds a request against the recorded one.
func (p *player) compare(c walk.CallModel, e *event.Event) {
	d := &Divergence{Event: p.new.Seq, WasEvent: e.Seq, Turn: p.new.Turn, Iteration: max(p.new.Iteration, 1), Purpose: string(c.Purpose)}
	was := p.old.Request
	same := true
	if c.Purpose == model.Answer {
		same = d.tools(p.old.Offered.Items, c.Offered, p.was.specs(p.old.Started), p.now.specs(p.new.Started))
	} else {
		was = event.Splices(nil, p.old.Aside.Splices)
		if a, b := p.old.Aside.Choice, c.Choice; a == nil || b == nil || a.Name != b.Name || a.Piece != b.Piece {
			same, d.Specified = false, []string{c.Choice.Name}
		}
	}
	if !p.sameSplices(c, e) && !sameParts(was, c.Parts) {
		same = false
		d.parts(was, c.Parts)
	}
	if !same {
		d.classify(p.isEdited)
		p.diverge(d)
	}
}

// sameSplices reports whether a request changes the one before it as the
// recorded one does, which is all there is to compare while none was another one.
func (p *player) sameSplices(c walk.CallModel, e *event.Event) bool {
	events := p.w.Recording().Events
	now, ok := events[len(events)-1].Body.(*event.Called)
	was, _ := e.Body.(*event.Called)
	return ok && was != nil && c.Purpose == model.Answer && p.report.ChangedRequests == 0 &&
		slices.EqualFunc(was.Splices, now.Splices, func(a, b event.Splice) bool {
			return a.At == b.At && a.Drop == b.Drop && sameParts(a.Put, b.Put)
		})
}

// diverge notes a request that is another one.
func (p *player) diverge(d *Divergence) {
	p.report.ChangedRequests++
	if p.report.FirstDivergence != nil {
		return
	}
	p.report.FirstDivergence = d
	who := "the model"
	if d.Purpose == scoring {
		who = "the scorer"
	}
	p.assume(d.Event+1, d.Turn, d.Iteration, fmt.Sprintf("%s is asked something else in event %d, and what it would say nobody knows", who, d.Event))
}

// scoring is the purpose of a question to a scorer.
const scoring = "score"

// score answers a scorer's question.
func (p *player) score(c walk.Score) (on bool, err error) {
	p.report.Requests++
	var was *event.Asked
	var said *event.Scored
	at := p.new.Time
	seq := p.new.Seq
	for i := p.pos; i < len(p.turn); i++ {
		if b, ok := p.turn[i].Body.(*event.Called); ok && b.Purpose == model.Answer {
			break
		}
		if b, ok := p.turn[i].Body.(*event.Asked); ok {
			if err := p.until(i + 1); err != nil || p.over() {
				return true, err
			}
			was = b
			break
		}
	}
	for was != nil && said == nil && p.pos < len(p.turn) {
		if _, next := p.turn[p.pos].Body.(*event.Called); next {
			break
		}
		e, err := p.use()
		if err != nil || p.over() {
			return true, err
		}
		if b, ok := e.Body.(*event.Scored); ok {
			said, at = b, e.Time
		}
	}
	if was != nil && said == nil {
		return false, p.miss(Missing{What: "score", Reason: "the recording has no answer of the scorer"})
	}
	d := &Divergence{Event: seq, Turn: p.new.Turn, Iteration: 1, Purpose: scoring}
	if was != nil && was.Scorer == c.Scorer && d.query(&was.Query, &c.Query) {
		return true, p.step(said, at)
	}
	if scored := p.keyword(c, was, said); scored != nil { // it is a function, and says the same to everyone
		return true, p.step(scored, at)
	}
	if was == nil {
		return false, p.miss(Missing{What: "score", Reason: fmt.Sprintf("the scorer %s is asked where the turn starts, and the recording has no answer of it", quote(c.Scorer, 40))})
	}
	d.WasEvent = p.old.Last.Asked
	d.classify(p.isEdited)
	p.diverge(d)
	scored, id := byID(&c.Query, &was.Query, said)
	if scored == nil {
		return false, p.miss(Missing{What: "score", Reason: "the recording has no score of " + quote(id, 60)})
	}
	return true, p.step(scored, at)
}

// keyword is what the keyword scorer says, if it is the one that is asked, and
// if what is on record of it is what it says here.
func (p *player) keyword(c walk.Score, was *event.Asked, said *event.Scored) *event.Scored {
	ask := func(q score.Query) *event.Scored {
		scores, err := score.Ask(context.Background(), score.Keyword, q)
		if err != nil {
			return &event.Scored{Error: err.Error()}
		}
		traits := score.Keyword.Traits()
		return &event.Scored{Scores: scores, Floor: traits.Floor, Categorical: traits.Categorical}
	}
	if c.Scorer != "keyword" {
		return nil
	}
	if was != nil && was.Scorer == "keyword" {
		a := event.Event{Body: said}
		b := event.Event{Body: ask(was.Query)}
		if !bytes.Equal(a.AppendJSON(nil), b.AppendJSON(nil)) {
			return nil
		}
	}
	return ask(c.Query)
}

// byID gives candidates the scores that they have on record; or it names one
// that has none.
func byID(now, was *score.Query, said *event.Scored) (scored *event.Scored, missing string) {
	own := *said
	if said.Error != "" {
		return &own, ""
	}
	scores := map[string][]score.Score{}
	for _, s := range said.Scores {
		scores[s.ID] = append(scores[s.ID], s)
	}
	own.Scores = nil
	for _, c := range now.Candidates {
		list := scores[c.ID]
		if len(list) == 0 {
			return nil, c.ID
		}
		own.Scores = append(own.Scores, list[0])
		scores[c.ID] = list[1:]
	}
	return &own, ""
}

// tools answers one of the calls that are out.
func (p *player) tools(c walk.CallTools) (on bool, err error) {
	for p.pos < len(p.turn) {
		if _, next := p.turn[p.pos].Body.(*event.Called); next {
			break
		}
		e, err := p.use()
		if err != nil {
			return false, err
		}
		switch o := e.Body.(type) {
		case *event.Late, *event.Resumed, *event.Stopped:
			return true, nil
		case *event.Returned:
			if call := out(c.Calls, o.Call); call != nil && p.sameCall(call) {
				p.taken[o.Call] = true
				if _, given := p.edit.Results[o.Call]; p.told[o.Call] && !given {
					p.assume(p.new.Seq+1, p.new.Turn, p.new.Iteration, fmt.Sprintf("a person tells %s %s something else, and what it would return nobody knows", line(call.ID), line(call.Tool)))
				}
				return true, p.step(p.edited(o), e.Time)
			}
		case *event.Needs:
			if call := out(c.Calls, o.Call); call != nil && p.sameCall(call) {
				own, _ := p.edited(o).(*event.Needs)
				if own.Question.Piece != o.Question.Piece {
					p.questioned[o.Call] = true
				}
				return true, p.step(own, e.Time)
			}
		}
	}
	if p.cut() {
		return false, nil
	}
	call := c.Calls[0]
	if r := p.lookup(call); r != nil {
		own, ok := p.edited(r).(*event.Returned)
		if !ok {
			return false, nil
		}
		p.taken[r.Call] = true
		own.Call, own.Result.Call = call.ID, call.ID
		for i := range own.More {
			own.More[i].Call = call.ID
		}
		p.assume(p.new.Seq+1, p.new.Turn, p.new.Iteration, fmt.Sprintf("%s was not called there in the recording; the result is that of %s, which had the same arguments", line(call.Tool), line(r.Call)))
		return true, p.step(own, p.new.Time)
	}
	return false, p.miss(Missing{
		What: "result", Call: call.ID, Tool: call.Tool, Arguments: clipped(call.Args),
		Reason: fmt.Sprintf("missing result of %s(%s): the recording has no further call like it", line(call.Tool), clip(call.Args, 100)),
	})
}

func out(calls []*walk.Call, id string) *walk.Call {
	for _, c := range calls {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// sameCall reports whether a call is, in the recording, the one with its id.
func (p *player) sameCall(c *walk.Call) bool {
	for i := range p.old.Batch {
		if o := &p.old.Batch[i]; o.ID == c.ID {
			return o.Tool == c.Tool && canonical(o.Args) == canonical(c.Args)
		}
	}
	return false
}

// lookup finds a result of the same tool with the same arguments that was not
// used yet.
func (p *player) lookup(c *walk.Call) *event.Returned {
	if p.results == nil {
		p.results = map[string][]*event.Returned{}
		args := map[string]string{}
		for i := range p.rec.Events {
			switch b := p.rec.Events[i].Body.(type) {
			case *event.Replied:
				for _, part := range b.Parts {
					if part.Kind == model.Call {
						args[part.Call] = part.Data
					}
				}
			case *event.Returned:
				key := callKey(b.Tool, args[b.Call])
				p.results[key] = append(p.results[key], b)
			}
		}
	}
	for _, r := range p.results[callKey(c.Tool, c.Args)] {
		if !p.taken[r.Call] {
			return r
		}
	}
	return nil
}

func callKey(tool, args string) string { return tool + "\x00" + canonical(args) }

// canonical is one spelling of a JSON text: without space, with sorted keys,
// numbers as they are written. What is no JSON is itself.
func canonical(args string) string {
	d := json.NewDecoder(bytes.NewReader([]byte(args)))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		return args
	}
	return encode(v)
}

// person answers the question of a call.
func (p *player) person(c walk.Ask) (on bool, err error) {
	for p.pos < len(p.turn) {
		if _, next := p.turn[p.pos].Body.(*event.Called); next {
			break
		}
		e, err := p.use()
		if err != nil || p.over() {
			return true, err
		}
		if o, ok := e.Body.(*event.Answered); ok && o.Call == c.Call.ID {
			own, _ := p.edited(o).(*event.Answered)
			p.told[o.Call] = !o.Declined && own.Answer.Piece != o.Answer.Piece
			if p.questioned[o.Call] {
				p.assume(p.new.Seq+1, p.new.Turn, p.new.Iteration, fmt.Sprintf("%s %s asks a person something else, and what they would say nobody knows", line(c.Call.ID), line(c.Call.Tool)))
			}
			return true, p.step(own, e.Time)
		}
	}
	return false, p.miss(Missing{What: "answer", Call: c.Call.ID, Tool: c.Call.Tool, Arguments: clipped(c.Call.Args),
		Reason: fmt.Sprintf("%s asks a person, and the recording has no answer", line(c.Call.Tool))})
}

// cut reports whether the recording ends here as well.
func (p *player) cut() bool { return p.pos == len(p.turn) && p.old.Phase != walk.Done }

// miss ends the walk where the recording has nothing more. If it ends there
// itself, nothing is missing.
func (p *player) miss(m Missing) error {
	if p.cut() {
		return nil
	}
	m.Turn, m.Iteration = p.new.Turn, max(p.new.Iteration, 1)
	p.report.Missing = &m
	return nil
}

// rest uses what of the recorded turn follows once the walk has come to its end.
func (p *player) rest() error {
	for p.pos < len(p.turn) {
		e, err := p.use()
		if err != nil {
			return err
		}
		switch e.Body.(type) {
		case *event.Late, *event.Stopped, *event.Resumed:
		case event.Outcome:
			p.unreached(p.turn[p.pos-1:])
			for ; p.pos < len(p.turn); p.pos++ {
				p.old.Apply(p.turn[p.pos])
			}
		}
	}
	p.unmade(true)
	return nil
}

// unmade notes the recorded moves of the turn that were not made: because the
// walk came to its end before them, which changes them, or because nobody knows
// how it goes on.
func (p *player) unmade(changed bool) {
	last := 0
	for _, m := range p.report.Moves {
		if m.Turn == p.new.Turn {
			last = m.Iteration
		}
	}
	for i := range p.turn {
		e := &p.turn[i]
		if b, ok := e.Body.(*event.Evaluated); ok && e.Iteration > last {
			p.report.Moves = append(p.report.Moves, Move{
				Turn: e.Turn, Iteration: e.Iteration, Was: p.was.hop(e, b), Changed: changed, Evidence: p.evidence(p.new.Seq),
			})
		}
	}
}

// unreached notes events that were not used.
func (p *player) unreached(events []event.Event) {
	first := slices.IndexFunc(events, func(e event.Event) bool {
		_, late := e.Body.(*event.Late)
		_, outcome := e.Body.(event.Outcome)
		return outcome && !late
	})
	if first < 0 {
		return
	}
	u := p.report.Unreached
	if u == nil {
		u = &Unreached{Event: events[first].Seq}
		p.report.Unreached = u
	}
	for _, e := range events[first:] {
		u.Events++
		if _, moved := e.Body.(*event.Evaluated); moved {
			u.Moves++
		}
	}
}
