package walk_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/score"
	"github.com/spoorhq/spoor/walk"
)

// A host is one of the machine in which everything happens that can: it
// says what models, scorers, tools and persons say, stops turns, is late, dies
// and comes back. All of it comes from one seed.
type host struct {
	r       *rand.Rand
	plan    *plan
	machine *walk.Machine
	state   *walk.State
	ledger  *ledger
	clock   time.Time
	events  []event.Event // of this turn, as they were written
	before  []event.Event // of the conversation, before this turn
	derived int           // events that followed in the step in hand
	stats   stats
	mutant  *fault // nil: none
	blind   bool   // what comes again is not compared with what was lost
}

// A failure says which law does not hold, and after which event.
type failure struct {
	law, what string
	event     *event.Event // nil: none
}

func (h *host) fail(law, format string, args ...any) {
	panic(&failure{law: law, what: fmt.Sprintf(format, args...)})
}

// newHost makes the host of a seed.
func newHost(seed uint64, mu *mutant) (*host, error) {
	r := rand.New(rand.NewPCG(seed, 0))
	p, err := randomPlan(r)
	if err != nil {
		return nil, err
	}
	h := &host{r: r, plan: p, machine: walk.New(p.graph), clock: time.Unix(1_800_000_000, 0).UTC(), stats: stats{}}
	if mu != nil {
		h.mutant, h.blind = mu.make(h), mu.law != ofDeaths
	}
	h.machine.Break(func(s *walk.State, b event.Body) event.Body {
		if h.derived++; h.derived > 2000 {
			h.fail("a-step-ends", "%d events followed, and there is no end", h.derived)
		}
		if h.mutant != nil && h.mutant.derived != nil {
			return h.mutant.derived(s, b)
		}
		return b
	})
	h.converse()
	return h, nil
}

// converse begins a conversation.
func (h *host) converse() {
	h.state, h.ledger = new(walk.State), newLedger(h.plan, h.stats)
	h.events, h.before = nil, nil
}

// turn walks one turn to its end.
func (h *host) turn() {
	if h.ledger.turn > 0 && one(h.r, 3) {
		h.converse()
	}
	h.stats["turns"]++
	before := h.ledger.turn
	for h.ledger.turn == before {
		h.step(h.started())
	}
	for n := 0; !h.ledger.over; n++ {
		if n > 1000 {
			h.fail("a-turn-ends-from-anywhere", "%d outcomes came, and the turn has no end", n)
		}
		h.step(h.outcome())
	}
	if visible := slices.DeleteFunc(slices.Clone(h.plan.chart.ids), func(id string) bool { return !h.ledger.sees(id) }); len(visible) > 0 {
		spec := walk.ReadSkillSpec(h.ledger.view)
		if ids := enumOf(spec.Schema); !slices.Equal(ids, visible) {
			h.fail("hidden-skills-are-not-seen", "read_skill takes %q, and %q may be seen", ids, visible)
		}
	}
	if what := h.ledger.conversation(h.state.Conversation()); what != "" {
		h.fail("a-conversation-is-what-was-said", "%s", what)
	}
	wantAt, wantOn := h.ledger.stands()
	if at, on := h.state.Place(); at != wantAt || !slices.Equal(on, wantOn) {
		h.fail("a-conversation-is-what-was-said", "it goes on in %q with %q, and must in %q with %q", at, on, wantAt, wantOn)
	}
}

// step brings an outcome to the machine, and writes what follows. Sometimes
// the process dies while it writes.
func (h *host) step(o event.Outcome) {
	h.clock = h.clock.Add(time.Duration(h.r.IntN(1000)) * time.Millisecond)
	if one(h.r, 50) {
		h.clock = h.clock.Add(time.Duration(h.r.IntN(20)) * time.Second)
	}
	h.ledger.hand(o, h.clock)
	h.derived = 0
	events := h.machine.Step(h.state, o, h.clock)
	if h.mutant != nil && h.mutant.step != nil {
		events = h.mutant.step(h.state, events)
	}
	if one(h.r, 40) {
		h.die(slices.Clone(events), h.r.IntN(len(events)+1))
		return
	}
	h.write(events)
	h.wants()
}

func (h *host) write(events []event.Event) {
	for i := range events {
		e := events[i]
		if _, starts := e.Body.(*event.Started); starts {
			h.before, h.events = append(h.before, h.events...), nil
		}
		h.events = append(h.events, e)
		if law, what := h.ledger.read(&e); law != "" {
			panic(&failure{law, what, &e})
		}
	}
}

// wants holds what the machine asks of the world against what the events say.
func (h *host) wants() {
	if law, what := h.ledger.wants(h.machine.Command(h.state), h.state); law != "" {
		h.fail(law, "%s", what)
	}
}

// die loses the process while it writes: the state is gone, and so are the
// events after the first few. Another process folds what was written, settles
// it, and takes over.
func (h *host) die(events []event.Event, written int) {
	h.stats["kills"]++
	h.write(events[:written])
	h.revive(events[written:], written > 0)
	if !h.ledger.under() {
		return
	}
	if one(h.r, 2) {
		h.stats["resumes after hours"]++
		h.clock = h.clock.Add(time.Duration(h.r.IntN(20)) * time.Hour)
	}
	h.step(&event.Resumed{Repeat: h.repeatable()})
}

// revive folds what was written, and settles it. What was lost comes again,
// unless the outcome was lost with it.
func (h *host) revive(lost []event.Event, cut bool) {
	h.state = fold(h.events)
	h.derived = 0
	settled := h.machine.Settle(h.state)
	if !cut {
		lost = nil
	}
	if h.blind {
		lost = settled
	}
	if len(settled) != len(lost) {
		h.fail("a-step-can-be-finished", "%d events were lost, and %d follow", len(lost), len(settled))
	}
	for i := range settled {
		if was, is := line(&lost[i]), line(&settled[i]); was != is {
			h.fail("a-step-can-be-finished", "what was lost comes again, but\nwas %s\nis  %s", was, is)
		}
	}
	h.ledger.hand(nil, h.ledger.now)
	h.write(settled)
	h.wants()
}

// repeatable are some of the calls that were out.
func (h *host) repeatable() (ids []string) {
	for _, c := range h.state.Out() {
		if one(h.r, 2) {
			ids = append(ids, c.ID)
		}
	}
	if one(h.r, 8) {
		ids = append(ids, "i9.9")
	}
	return ids
}

// started begins a turn with anything that a host may ask for.
func (h *host) started() *event.Started {
	r := h.r
	b := &event.Started{
		Run: "random", Graph: h.plan.recorded, Injections: h.plan.injected, Tools: h.plan.tools, History: h.history(),
		Message:       model.NewPart(model.User, model.Text, pick(r, sayings...)),
		Posture:       pick(r, "", spoor.PostureAssist, spoor.PostureGuard, spoor.PostureGuard, spoor.PostureRails),
		Decider:       one(r, 2),
		MaxIterations: pick(r, 1+r.IntN(10), 10),
		Limits:        randomLimits(r),
	}
	if one(r, 2) {
		b.System = []model.Part{model.NewPart(model.System, model.Text, "You sit at a desk.")}
	}
	if h.plan.chart.byModel && b.Posture == spoor.PostureRails {
		b.Posture = spoor.PostureGuard // an agent refuses it: nobody could start a turn
	}
	if !h.plan.chart.tree && !one(r, 3) {
		b.Continuity = spoor.ContinueConversation
	}
	if last := h.ledger; last.turn > 0 {
		b.Cursor, b.Activated = last.stands()
	}
	switch {
	case h.plan.chart.tree:
	case one(r, 12): // the map has changed since
		b.Cursor, b.Activated = "gone", []string{"gone", pick(r, h.plan.chart.ids...)}
	case b.Cursor == "" && one(r, 3):
		b.Cursor = pick(r, h.plan.chart.ids...)
	}
	if one(r, 3) {
		for _, id := range h.plan.chart.ids {
			if one(r, 3) {
				b.Hidden = append(b.Hidden, id)
			}
		}
	}
	return b
}

func (h *host) history() []model.Part {
	if h.ledger.turn == 0 {
		return nil
	}
	return h.state.Conversation()
}

func randomLimits(r *rand.Rand) (l spoor.Limits) {
	if one(r, 2) {
		return l
	}
	if one(r, 3) {
		l.ToolCalls = 1 + r.IntN(5)
	}
	if one(r, 4) {
		l.Tokens = 1000 + 100*r.IntN(100)
	}
	if one(r, 4) {
		l.Cost = 0.001 * float64(1+r.IntN(20))
		l.Prices = []spoor.Price{{Model: "m", Input: 1, Output: 4, Cached: 0.1, Written: 1.3}, {Model: "m-large", Input: 3, Output: 12}}
	}
	if one(r, 3) {
		l.Time = time.Duration(1000+r.IntN(20000)) * time.Millisecond
	}
	if one(r, 4) {
		l.PingPong = 1 + r.IntN(3)
	}
	if one(r, 4) {
		l.Refusals = 1 + r.IntN(3)
	}
	return l
}

// outcome is what happens next: what was asked for, or something else.
func (h *host) outcome() event.Outcome {
	if one(h.r, 25) {
		return h.stray()
	}
	switch c := h.machine.Command(h.state).(type) {
	case walk.Score:
		return h.scored(c.Query)
	case walk.CallModel:
		if c.Purpose != model.Answer {
			return h.chosen()
		}
		return h.replied(c)
	case walk.CallTools:
		return h.returned(pick(h.r, c.Calls...))
	case walk.Ask:
		if one(h.r, 3) { // nobody waits: the process ends, and another one asks again
			h.stats["pauses over processes"]++
			h.revive(nil, true)
			h.clock = h.clock.Add(time.Duration(1+h.r.IntN(50)) * time.Hour)
			return &event.Resumed{}
		}
		if one(h.r, 3) {
			h.clock = h.clock.Add(time.Duration(h.r.IntN(50)) * time.Minute)
		}
		b := &event.Answered{Call: c.Call.ID, Answer: model.NewPart(model.User, model.Text, pick(h.r, "yes", "number 17", ""))}
		b.Declined = one(h.r, 3)
		return b
	}
	h.fail("a-turn-goes-on", "the turn is %s, and nothing is wanted of the world", h.state.Phase)
	return nil
}

// stray is what nobody asked for, or what comes at any time.
func (h *host) stray() event.Outcome {
	r := h.r
	id := pick(r, "i1.1", "i2.1", "t2i1.1", "x", "")
	call := &walk.Call{ID: id, Tool: "find"}
	switch r.IntN(12) {
	case 0, 1:
		return &event.Stopped{Reason: "somebody hung up"}
	case 2:
		return &event.Failed{Error: "the model is away", Fault: pick(r, "", model.FaultKey, model.FaultServer)}
	case 3:
		return &event.Resumed{Repeat: h.repeatable()}
	case 4, 5:
		b := returned(*call, true, spoor.Success, `{"risk":"high","score":1}`)
		if one(r, 2) {
			b.More = []model.Part{model.NewPart(model.Tool, model.Text, "And that.")}
		}
		return b
	case 6:
		return &event.Late{Call: id, Error: "it took too long"}
	case 7:
		return h.started()
	case 8:
		return &event.Scored{Error: "nobody asked"}
	case 9:
		return &event.Replied{Parts: []model.Part{model.NewPart(model.Assistant, model.Text, "Too late, perhaps.")}}
	case 10:
		return &event.Needs{Call: id, By: event.ByTool, Question: model.NewPart(model.Tool, model.Text, "Which one?")}
	}
	return &event.Answered{Call: id, Answer: model.NewPart(model.User, model.Text, "the second")}
}

func (h *host) scored(q score.Query) *event.Scored {
	r := h.r
	b := &event.Scored{Categorical: one(r, 6)}
	if one(r, 3) {
		b.Floor = new(0.2)
	}
	for _, c := range q.Candidates {
		b.Scores = append(b.Scores, score.Score{ID: c.ID, Score: pick(r, 0, 0.1, 0.5, 0.52, 0.9, 3, r.Float64())})
	}
	if one(r, 3) { // a near tie of all but the last, which the incumbent often is
		for i := range b.Scores {
			b.Scores[i].Score = 0.5
		}
		b.Scores[len(b.Scores)-1].Score = pick(r, 0, 0.5)
	}
	if one(r, 6) { // nothing fits
		b.Floor = new(0.2)
		for i := range b.Scores {
			b.Scores[i].Score = 0.1
		}
	}
	switch r.IntN(20) {
	case 0:
		b.Error = "the scorer is away"
		if one(r, 2) {
			b.Scores = nil
		}
	case 1:
		b.Scores = b.Scores[1:]
	case 2:
		b.Scores = append(b.Scores, score.Score{ID: "gone", Score: 1})
	case 3:
		b.Scores[r.IntN(len(b.Scores))].Score = pick(r, math.NaN(), math.Inf(1))
	case 4:
		for i := range b.Scores {
			b.Scores[i].Score = math.NaN()
		}
	case 5:
		slices.Reverse(b.Scores)
	}
	return b
}

// chosen answers a forced choice: with one of the options, in one of several
// ways, or not.
func (h *host) chosen() event.Outcome {
	r := h.r
	option := pick(r, h.ledger.options...)
	b := &event.Replied{Usage: randomUsage(r), Model: pick(r, "m-small", "m-large", "m-large", "other")}
	switch r.IntN(12) {
	case 0:
		return &event.Failed{Error: "the model is away", Fault: model.FaultServer}
	case 1:
		return b
	case 2:
		b.Parts = []model.Part{model.NewPart(model.Assistant, model.Text, "I would say "+option)}
	case 3:
		b.Parts = []model.Part{callPart("choose", pick(r, `{"id":"gone"}`, `{"id":7}`, `nonsense`))}
	case 4, 5:
		b.Parts = []model.Part{model.NewPart(model.Assistant, model.Text, "`"+option+"`.\n")}
	default:
		b.Parts = []model.Part{callPart("choose", fmt.Sprintf(`{"id":%q}`, option))}
	}
	return b
}

func callPart(tool, args string) model.Part {
	p := model.NewPart(model.Assistant, model.Call, args)
	p.Tool, p.Call = tool, "theirs"
	return p
}

func randomUsage(r *rand.Rand) model.Usage {
	u := model.Usage{Input: 100 * r.IntN(15), Output: 100 * r.IntN(3)} // limits are met to the token
	if one(r, 3) {
		u.Cached, u.Written = u.Input/2, u.Input/4
	}
	return u
}

// replied answers the person, calls tools, reads skills, or says nothing.
func (h *host) replied(c walk.CallModel) event.Outcome {
	r := h.r
	if one(r, 40) {
		return &event.Failed{Error: "the model is away", Fault: pick(r, "", model.FaultTooLong, model.FaultServer, model.FaultKey)}
	}
	b := &event.Replied{Usage: randomUsage(r), Model: pick(r, "m-small", "m-small", "m-small", "m-large", "m-large")}
	if one(r, 50) {
		b.Model = pick(r, "other", "")
	}
	if one(r, 3) {
		b.Parts = append(b.Parts, model.NewPart(model.Assistant, model.Thinking, "Hm."))
	}
	if one(r, 2) {
		b.Parts = append(b.Parts, model.NewPart(model.Assistant, model.Text, pick(r, "Well.", "So be it.", "")))
	}
	if one(r, 10) || len(c.Offered) == 0 && !one(r, 4) {
		return b
	}
	for range 1 + r.IntN(4) {
		b.Parts = append(b.Parts, h.call(c.Offered))
	}
	return b
}

func (h *host) call(offered []string) model.Part {
	r := h.r
	if !one(r, 2) {
		id := pick(r, append(h.plan.chart.ids, "gone")...)
		if hop := h.ledger.reachable(h.ledger.place); len(hop) > 0 && !one(r, 3) {
			id = pick(r, hop...)
		}
		args := fmt.Sprintf(`{"id":%q}`, id)
		if one(r, 12) {
			args = pick(r, `{}`, `{"id":1}`, `nonsense`, ``)
		}
		return callPart(walk.ReadSkill, args)
	}
	tool := pick(r, append([]string{"fnid"}, allTools...)...)
	if len(offered) > 0 && !one(r, 4) {
		tool = pick(r, offered...)
	}
	return callPart(tool, `{"order":17}`)
}

// returned is what became of a call: a result, with what the tool asks of the
// walk, or a question.
func (h *host) returned(c *walk.Call) event.Outcome {
	r := h.r
	if one(r, 8) {
		return &event.Needs{Call: c.ID, By: pick(r, event.ByTool, event.ByPolicy), Question: model.NewPart(model.Tool, model.Text, "May it?")}
	}
	b := returned(*c, !one(r, 7), pick(r, "", "", "", spoor.Success, spoor.Failure, spoor.Pending),
		pick(r, `{"risk":"high","score":0.9}`, `{"risk":"low","n":3}`, `{"paid":true}`, `[]`, `plain`, ``, `{"risk":"low"} and more`))
	if !b.Executed {
		b.Status = pick(r, spoor.Denied, spoor.Invalid, spoor.Failure)
		b.Result.Status = string(b.Status)
	}
	if one(r, 8) {
		b.More = []model.Part{model.NewPart(model.Tool, model.Text, "And this.")}
	}
	for range r.IntN(3) {
		if !one(r, 3) {
			b.Effects = append(b.Effects, h.effect())
		}
	}
	return b
}

func (h *host) effect() spoor.Effect {
	r := h.r
	if one(r, 20) {
		return spoor.Effect{Kind: "other"}
	}
	if one(r, 3) {
		return spoor.Effect{
			Kind: spoor.RequireInstruction, Instruction: pick(r, "tone", "tone", "sums", "odd", "gone", ""),
			Lease: pick(r, spoor.NextCall, spoor.NextCall, spoor.UntilSkillExit, spoor.UntilSkillExit, spoor.UntilSkillExit, "forever", ""),
		}
	}
	e := spoor.Effect{Kind: spoor.ProposeTransition, Target: pick(r, append(h.plan.chart.ids, "gone", "")...), Reason: "it belongs there"}
	if hop := h.ledger.reachable(h.ledger.place); len(hop) > 0 && !one(r, 3) {
		e.Target = pick(r, hop...)
	}
	if one(r, 10) {
		e.Reason = pick(r, "", " ")
	}
	return e
}
