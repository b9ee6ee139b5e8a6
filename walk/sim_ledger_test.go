package walk_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/match"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/score"
)

// A ledger is what the events of a conversation add up to, kept by rules of
// its own: it reads the map and the events, and calls nothing of the machine.
// The laws hold each event against the ledger of the events before it.
type ledger struct {
	p     *plan
	c     *chart
	stats stats

	fed     event.Outcome // that was handed over and is not yet recorded; nil: none
	awaited bool          // somebody waits for it
	idle    bool          // the outcome was late: nothing follows
	at      time.Time     // when it was handed over

	seq, turn, iteration int
	now                  time.Time

	// of the turn
	in       *event.Started
	view     *spoor.Graph
	messages []spoor.Message
	over     bool // it is finished
	routing  bool // where it starts is being decided
	ending   bool // nothing more is asked
	stopped  string
	failed   string
	fault    model.Fault
	waits    waiting
	last     lastSeqs
	elapsed  time.Duration // but for pauses, and for processes that were dead

	scored     *event.Scored
	classified *answer
	decided    *answer
	aside      model.Purpose // of the forced choice that is out
	options    []string      // of the last forced choice
	routed     *event.TurnRouted
	menuOpen   bool

	place       string // where the walk stands
	spot        string // and, in a tree, the leaf
	move        spoor.Move
	activated   []string
	activatedAt int
	allowed     list          // of the last refused read
	askedAt     time.Duration // of elapsed, when the model was asked
	lastTime    time.Duration // of its answer
	active      list
	ways        []string // why each of them is, as recorded
	reach       list
	superseded  list
	told        list // the instructions, as recorded
	skipped     list
	leases      []lease
	fresh       bool // the active skills are others than before the last move

	calls, answers, toolCalls, tokens, lastTokens int
	cost, lastCost                                float64
	unpriced                                      bool
	hops                                          [][2]string
	refusals                                      int

	final    spoor.Limit // of the last call for an answer
	offered  list
	reply    []model.Part
	pending  bool // the reply is not yet part of a request
	batch    []*call
	before   []spoor.Result // of the batch before
	notes    []model.Part
	head     []model.Part // of a request: what it begins with
	bodies   []model.Part
	said     []model.Part
	lastNote int          // of what was said, that this is the last call; it is not told later
	tail     int          // how many parts end the last request
	request  []model.Part // as called events add up

	pick     string
	proposal proposal
	beaten   bool // the proposal lost, and that is on record
	conflict bool // results led to different places, and that is on record
	telling  bool // the walk has moved, and the model was not asked since

	want   *expectation // of the event in hand, if it is a move
	draft  []model.Part // the request of it, if it is a call for an answer
	opened *opening     // how the turn starts, as far as it is known before it
}

type waiting string

const (
	forNothing waiting = ""
	forScores  waiting = "scores"
	forChoice  waiting = "choice"
	forModel   waiting = "model"
	forPerson  waiting = "person"
)

type lastSeqs struct {
	started, asked, scored, routed, evaluated, called, replied, sent, paused, resumed, ended, proposed int
}

// A list is a recorded list, and the event that has it.
type list struct {
	items []string
	at    int
}

type lease struct {
	id        string
	call      string
	lease     spoor.Lease
	iteration int
	spot      string
	left      bool // the walk left the spot
}

// An answer is what a model made of a forced choice.
type answer struct {
	options []string // that it was given
	parts   []model.Part
	model   string
	error   string
}

type proposal struct{ skill, call, tool string }

// A call is one of the batch.
type call struct {
	id, tool, args string

	sent   int             // how often
	out    bool            // its tool owes the answer
	lost   bool            // the process died, and it must not run again
	asks   *event.Needs    // what it asks a person now
	asked  int             // the event of it
	person *event.Answered // what a person said last
	told   int             // the event of it

	answered int // the event that answered it
	executed bool
	status   spoor.Status
	result   model.Part
	more     []model.Part
	effects  []spoor.Effect
	judged   int

	target  spoor.Target  // of a read_skill, once the batch is whole
	refused spoor.Posture // that refuses it
	wants   string        // the skill
	menu    []string      // that was open then
	beaten  bool          // it lost, and that is on record
}

func (c *call) read() bool { return c.tool == "read_skill" }

// rejected reports whether a read_skill is refused.
func (c *call) rejected() bool { return c.target == spoor.Unreachable || c.refused != "" }

func newLedger(p *plan, s stats) *ledger { return &ledger{p: p, c: p.chart, stats: s} }

// under reports whether a turn is under way.
func (l *ledger) under() bool { return l.in != nil && !l.over }

// hand announces an outcome, and when it is brought to the machine.
func (l *ledger) hand(o event.Outcome, at time.Time) {
	l.fed, l.at, l.idle = o, at, false
	l.awaited = o != nil && l.awaits(o)
}

// awaits reports whether an outcome counts now.
func (l *ledger) awaits(o event.Outcome) bool {
	switch b := o.(type) {
	case *event.Late:
		return false
	case *event.Started:
		return !l.under()
	case *event.Scored:
		return l.under() && l.waits == forScores
	case *event.Replied, *event.Failed:
		return l.under() && (l.waits == forModel || l.waits == forChoice)
	case *event.Returned:
		c := l.call(b.Call)
		return l.under() && c != nil && c.out
	case *event.Needs:
		c := l.call(b.Call)
		return l.under() && c != nil && c.out
	case *event.Answered:
		c := l.asking()
		return l.under() && l.waits == forPerson && c != nil && c.id == b.Call
	}
	return l.under()
}

func (l *ledger) call(id string) *call {
	for _, c := range l.batch {
		if c.id == id {
			return c
		}
	}
	return nil
}

// asking is the first call that waits for a person.
func (l *ledger) asking() *call {
	for _, c := range l.batch {
		if c.asks != nil && c.answered == 0 {
			return c
		}
	}
	return nil
}

// sees reports whether this turn may know of a skill.
func (l *ledger) sees(id string) bool {
	return l.c.spots[id] != nil && (l.in == nil || !slices.Contains(l.in.Hidden, id))
}

// canStand reports whether a conversation can go on in a skill.
func (l *ledger) canStand(id string) bool { return l.sees(id) && !l.c.spots[id].agent }

// reachable lists where the model may move to from a place.
func (l *ledger) reachable(place string) (ids []string) {
	if l.in == nil {
		return nil
	}
	add := func(id string) {
		if id != place && l.sees(id) && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, id := range l.steps(place) {
		add(id)
	}
	for _, id := range l.c.starts {
		add(id)
	}
	return ids
}

// steps lists where the steps from a place lead.
func (l *ledger) steps(place string) (ids []string) {
	if !l.sees(place) {
		return nil
	}
	for _, id := range l.c.spots[place].next {
		if l.sees(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// opens lists what can be read from anywhere, but for the place itself.
func (l *ledger) opens(place string) (ids []string) {
	for _, id := range l.c.ids {
		if id != place && l.sees(id) && l.c.open(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// class says what a skill is from a place.
func (l *ledger) class(place, id string) spoor.Target {
	switch {
	case place != "" && id == place:
		return spoor.Self
	case slices.Contains(l.reachable(place), id):
		return spoor.Hop
	case l.sees(id) && l.c.open(id):
		return spoor.OpenSkill
	}
	return spoor.Unreachable
}

// menu is what the model may choose from at a place: what the start offered,
// while that is open, or the entries that it is to read, on a cold start.
func (l *ledger) menu(open bool, place string) []string {
	switch {
	case open:
		return l.routed.Offered
	case place == "" && l.c.byModel && (l.routed == nil || l.routed.By == ""):
		return l.reachable("")
	}
	return nil
}

// judgeReads says what becomes of each read of the batch, and which skill the
// model picked.
func (l *ledger) judgeReads() (picked string) {
	menu := l.menu(l.menuOpen, l.place)
	for _, c := range l.batch {
		if !c.read() || c.answered > 0 {
			continue
		}
		c.wants, c.refused = named(c.args), ""
		if c.target, c.menu = l.class(l.place, c.wants), menu; picked != "" {
			c.menu = nil // it is closed
		}
		if c.target != spoor.Hop {
			continue
		}
		switch p := l.in.Posture; {
		case p == spoor.PostureRails, p == spoor.PostureGuard && !slices.Contains(menu, c.wants):
			c.refused = p
		case picked == "":
			picked, menu = c.wants, []string{c.wants}
		}
	}
	return picked
}

// named is the skill that the arguments of a read_skill name.
func named(args string) string {
	var v map[string]any
	if json.Unmarshal([]byte(args), &v) != nil {
		return ""
	}
	id, _ := v["id"].(string)
	return id
}

// An expectation is what a move must be, and what must follow from it.
type expectation struct {
	facts        spoor.Facts
	move         spoor.Move
	activated    []string
	active       []string
	ways         []string // why each of them is
	ruled        []string // skills of the agent whose condition holds
	reachable    []string
	superseded   []string
	skipped      []string
	instructions []string
	rules        []string // instructions whose condition holds
}

// expect makes the facts of the next move from this batch alone, and what
// follows from them.
func (l *ledger) expect() *expectation {
	w := &expectation{facts: spoor.Facts{
		Iteration: l.iteration + 1, UserMessage: l.in.Message.Data, History: l.messages, Cursor: l.place,
		Pick: l.judgeReads(), Proposal: l.proposal.skill, Activated: l.kept(),
	}}
	if l.routed != nil && l.routed.By != "" {
		w.facts.Verdict = &l.routed.Verdict
	}
	for _, c := range l.batch {
		switch {
		case !c.read():
			w.facts.Results = append(w.facts.Results, c.asResult())
		case c.answered == 0 && c.target == spoor.OpenSkill && !slices.Contains(w.facts.Activated, c.wants):
			w.facts.Activated = append(w.facts.Activated, c.wants)
		}
	}
	w.move = l.view.Next(w.facts)
	to := w.move.To

	w.activated = slices.Clone(w.facts.Activated)
	if to != l.place && l.sees(l.place) && l.c.bare(l.place) {
		w.activated = slices.DeleteFunc(w.activated, func(id string) bool { return id == l.place })
	}
	if l.sees(to) && (l.c.bare(to) || l.c.open(to)) && !slices.Contains(w.activated, to) {
		w.activated = append(w.activated, to)
	}
	after := w.facts
	after.Activated = w.activated
	injected := l.view.Injected(after, w.move)
	w.ruled, w.rules = injected.Skills, injected.Instructions
	w.active = l.activeAt(w)
	for _, id := range w.active {
		w.ways = append(w.ways, string(l.wayTo(id, w)))
	}
	w.reachable = l.steps(to)
	w.superseded = l.alsoClaim(w)
	w.skipped = slices.Clone(l.in.Hidden)
	for _, f := range injected.Failed {
		w.skipped = append(w.skipped, string(f.Ref))
	}
	w.instructions = l.leased(w)
	return w
}

func (c *call) asResult() spoor.Result {
	return spoor.Result{Tool: c.tool, CallID: c.id, Executed: c.executed, Status: c.status, Text: c.result.Data}
}

// kept is what the model switched on and what is still on: the open skills,
// and where the walk stands, if only the model leads there.
func (l *ledger) kept() (ids []string) {
	for _, id := range l.activated {
		if l.sees(id) && (l.c.open(id) || id == l.place && l.c.bare(id)) {
			ids = append(ids, id)
		}
	}
	return ids
}

// activeAt lists the skills that a move makes active, in the order of the map.
func (l *ledger) activeAt(w *expectation) (ids []string) {
	leaf := ""
	if t := l.p.m.Tree.At(w.move.Ref); l.c.tree && t != nil {
		leaf = t.Skill
	}
	for _, id := range l.c.ids {
		p := l.c.spots[id]
		on := false
		switch {
		case !l.sees(id):
		case l.c.tree && !p.agent:
			on = id == leaf
		case p.always:
			on = true
		case p.entry || p.routed:
			on = id == w.move.To
		default:
			on = slices.Contains(w.activated, id) || slices.Contains(w.ruled, id)
		}
		if on {
			ids = append(ids, id)
		}
	}
	return ids
}

// wayTo is why a skill is active.
func (l *ledger) wayTo(id string, w *expectation) spoor.Via {
	switch p := l.c.spots[id]; {
	case l.c.tree && !p.agent:
		return spoor.ViaTree
	case p.agent && slices.Contains(w.ruled, id) && !slices.Contains(w.activated, id):
		return spoor.ViaRule
	case p.entry:
		return spoor.ViaEntry
	case p.routed:
		return spoor.ViaRoute
	}
	return spoor.ViaModel
}

// alsoClaim lists the entries that claim the message too, and are not active.
func (l *ledger) alsoClaim(w *expectation) (ids []string) {
	if w.move.To == "" || l.c.chosen || l.c.tree {
		return nil
	}
	f := w.facts
	f.Activated = w.activated
	for i, s := range l.view.Starts() {
		p := l.c.spots[s.Use]
		if !s.Conditional() || !l.sees(s.Use) || s.Use == w.move.To || p.always || slices.Contains(ids, s.Use) {
			continue
		}
		if holds, err := l.view.Claims(i, f); err == nil && holds {
			ids = append(ids, s.Use)
		}
	}
	return ids
}

// leased lists the instructions of the next request, in declared order.
func (l *ledger) leased(w *expectation) (ids []string) {
	spot := l.spotOf(w.move)
	for _, n := range l.p.in.Instructions {
		on := slices.Contains(w.rules, n.ID)
		for _, lease := range l.leases {
			on = on || lease.id == n.ID && lease.holds(l.iteration+1, spot)
		}
		if on {
			ids = append(ids, n.ID)
		}
	}
	return ids
}

func (lease *lease) holds(iteration int, spot string) bool {
	if lease.lease == spoor.NextCall {
		return lease.iteration+1 == iteration
	}
	return !lease.left && lease.spot == spot
}

// spotOf is where a move lands: a skill, or that of the leaf of a tree.
func (l *ledger) spotOf(m spoor.Move) string {
	if leaf := l.p.m.Tree.At(m.Ref); l.c.tree && leaf != nil && l.sees(leaf.Skill) {
		return leaf.Skill
	}
	return m.To
}

// An opening is how a turn must start.
type opening struct {
	ask        *score.Query // what a scorer has to be asked first
	candidates []string     // of it, each once
	by         spoor.Cause
	to, from   string
	ref        spoor.Ref
	witness    *match.Witness
	offered    []string
	stay       bool
	dropped    string
	error      bool // the scorer's answer does not count
	near       bool // the incumbent is not among those that tie
	scorer     string
	decider    *event.Decided
	decide     bool     // a decider has to be asked first
	options    []string // the skills that it chooses from
}

// starts says how the turn starts, as far as the world has said it.
func (l *ledger) starts() *opening {
	if l.opened == nil {
		o := l.opening()
		l.opened = &o
	}
	return l.opened
}

func (l *ledger) opening() (o opening) {
	start := &l.p.m.Start
	conversation := l.in.Continuity == spoor.ContinueConversation
	incumbent := ""
	if conversation {
		incumbent = l.in.Cursor
	}
	if incumbent != "" && !l.canStand(incumbent) {
		o.dropped, incumbent = incumbent, ""
	}
	o.scorer = start.Classify + start.ScoredBy
	if l.c.tree || !conversation && o.scorer == "" {
		return o
	}
	f := spoor.Facts{Iteration: 1, UserMessage: l.in.Message.Data, History: l.messages, Cursor: incumbent}
	if conversation || start.Classify != "" {
		if rule, claims := l.view.FirstRule(f); claims {
			o.by, o.to, o.from, o.ref, o.witness = spoor.ByEntry, rule.To, incumbent, rule.Ref, rule.Witness
			return o
		}
	}
	menu := func(ids []string, stay bool) { o.by, o.offered, o.stay = spoor.ByMenu, ids, stay }
	stays := func() { o.by, o.to, o.from = spoor.ByContinuity, incumbent, incumbent }
	switch q := l.query(f); {
	case o.scorer == "" && incumbent != "":
		stays()
		return o
	case o.scorer == "":
		return o
	case len(q.Candidates) == 0:
		menu(l.reachable(""), false)
	default:
		scores, categorical, floor, failed, known := l.scores(q, o.scorer)
		switch {
		case !known:
			o.ask = q
			for _, c := range q.Candidates {
				if !slices.Contains(o.candidates, c.ID) {
					o.candidates = append(o.candidates, c.ID)
				}
			}
			return o
		case failed && incumbent != "":
			o.error = true
			stays()
		case failed:
			o.error = true
			menu(l.reachable(""), false)
		case start.ScoredBy != "" && !conversation:
			o.by, o.to = spoor.ByEntry, best(scores)
		default:
			l.tier2(&o, scores, categorical, floor, incumbent, menu, stays)
		}
	}
	l.decider(&o, incumbent)
	if o.by == spoor.ByMenu && l.in.Posture == spoor.PostureRails {
		o.by = spoor.ByNone
	}
	return o
}

// query is what a scorer is asked: the intents, or the entries whose condition
// holds, and the incumbent by its description.
func (l *ledger) query(f spoor.Facts) *score.Query {
	q := &score.Query{Message: f.UserMessage}
	start := &l.p.m.Start
	for _, rule := range start.Rules {
		if m := rule.Match; l.sees(rule.Use) && m.Intent != nil {
			q.Candidates = append(q.Candidates, score.Candidate{ID: rule.Use, Text: *m.Intent, Examples: m.Examples})
		}
	}
	for i, e := range start.Entries {
		if !l.sees(e.Use) {
			continue
		}
		if holds, err := l.view.Claims(i, f); err == nil && holds {
			q.Candidates = append(q.Candidates, score.Candidate{ID: e.Use, Text: l.c.spots[e.Use].skill.Description})
		}
	}
	if f.Cursor != "" && !slices.ContainsFunc(q.Candidates, func(c score.Candidate) bool { return c.ID == f.Cursor }) {
		q.Candidates = append(q.Candidates, score.Candidate{ID: f.Cursor, Text: l.c.spots[f.Cursor].skill.Description})
	}
	return q
}

// scores are what the scorer, or a model in its place, made of the candidates.
func (l *ledger) scores(q *score.Query, scorer string) (s []score.Score, categorical bool, floor *float64, failed, known bool) {
	if scorer == "llm" {
		switch {
		case l.classified == nil && l.roomForAside():
			return nil, false, nil, false, false
		case l.classified == nil:
			return nil, false, nil, true, true
		}
		option, ok := l.classified.choice()
		if !ok {
			return nil, false, nil, true, true
		}
		for _, c := range q.Candidates {
			value := 0.0
			if c.ID == option {
				value = 1
			}
			s = append(s, score.Score{ID: c.ID, Score: value})
		}
		return s, true, new(0.0), false, true
	}
	if l.scored == nil {
		return nil, false, nil, false, false
	}
	s, ok := inOrder(q, l.scored)
	return s, l.scored.Categorical, l.scored.Floor, !ok, true
}

// inOrder puts scores in the order of the candidates; ok is false if they are
// no answer.
func inOrder(q *score.Query, b *event.Scored) (s []score.Score, ok bool) {
	if b.Error != "" || len(b.Scores) != len(q.Candidates) {
		return nil, false
	}
	rest := slices.Clone(b.Scores)
	for _, c := range q.Candidates {
		i := slices.IndexFunc(rest, func(s score.Score) bool { return s.ID == c.ID })
		if i < 0 {
			return nil, false
		}
		s = append(s, rest[i])
		rest = slices.Delete(rest, i, i+1)
		ok = ok || isFinite(s[len(s)-1].Score)
	}
	return s, ok
}

func isFinite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// best is the first of the greatest.
func best(scores []score.Score) (id string) {
	top := math.Inf(-1)
	for _, s := range scores {
		if isFinite(s.Score) && s.Score > top {
			id, top = s.ID, s.Score
		}
	}
	return id
}

// tier2 is what scores say: move, stay, or a menu of those that are too close
// to call, with stay if the incumbent is not among them.
func (l *ledger) tier2(o *opening, scores []score.Score, categorical bool, floor *float64, incumbent string, menu func([]string, bool), stays func()) {
	margin, size := 0.15, 3
	if p := l.p.m.Start.Routing; p != nil {
		if p.NearTieMargin != nil {
			margin = *p.NearTieMargin
		}
		if p.MenuSize != nil {
			size = *p.MenuSize
		}
		if p.Floor != nil {
			floor = p.Floor
		}
	}
	var alive []score.Score
	for _, s := range scores {
		if isFinite(s.Score) && (floor == nil || s.Score > *floor) {
			alive = append(alive, s)
		}
	}
	slices.SortStableFunc(alive, func(a, b score.Score) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	if len(alive) == 0 {
		menu(l.reachable(""), incumbent != "")
		return
	}
	top := alive[0]
	gap := func(s score.Score) float64 { return math.Tanh((top.Score - s.Score) / 2) }
	decisive := true
	var cluster []string
	for _, s := range alive {
		if s.ID != top.ID && gap(s) < margin {
			decisive = categorical
		}
		if gap(s) < margin && !slices.Contains(cluster, s.ID) {
			cluster = append(cluster, s.ID)
		}
	}
	switch {
	case decisive && top.ID == incumbent, !decisive && slices.Contains(cluster, incumbent):
		stays()
	case decisive:
		o.by, o.to, o.from = spoor.ByIntent, top.ID, incumbent
	default:
		o.near = incumbent != ""
		menu(cluster[:min(len(cluster), max(2, size))], incumbent != "")
	}
}

// decider is what a model makes of a menu, if it may choose. Where the
// conversation stands is not one of its options: there it stays.
func (l *ledger) decider(o *opening, incumbent string) {
	if o.by != spoor.ByMenu {
		return
	}
	o.options = without(o.offered, incumbent)
	switch {
	case len(o.options) == 0 || !l.in.Decider:
		return
	case l.decided == nil && l.roomForAside():
		o.decide = true
		return
	case l.decided == nil:
		o.decider = &event.Decided{Error: "no room"}
		return
	}
	o.decider = &event.Decided{Model: l.decided.model}
	option, ok := l.decided.choice()
	switch i := slices.Index(l.decided.options, option); {
	case !ok:
		o.decider.Error = "no choice"
	case i < len(o.options):
		o.decider.Picked = option
		o.by, o.to, o.from = spoor.ByDecider, option, incumbent
	case i > len(o.options): // after the menu comes none, and after it stay
		o.decider.Picked, o.decider.Stay = incumbent, true
		o.by, o.to, o.from = spoor.ByContinuity, incumbent, incumbent
	}
}

// without is a list without one of its members.
func without(ids []string, id string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(other string) bool { return other == id })
}

// choice is the option that a model chose: by the call that it was asked for,
// or by words that are nothing but the option.
func (a *answer) choice() (option string, ok bool) {
	if a.error != "" {
		return "", false
	}
	calls, texts := 0, 0
	for _, p := range a.parts {
		switch {
		case p.Kind == model.Call:
			calls++
		case p.Kind == model.Text && strings.TrimSpace(p.Data) != "":
			texts++
		}
	}
	for _, p := range a.parts {
		said := strings.TrimSpace(p.Data)
		switch {
		case p.Kind == model.Call && p.Tool == "choose":
			said = named(p.Data)
		case p.Kind != model.Text || calls > 0 || texts != 1:
			continue
		case !slices.Contains(a.options, said):
			said = strings.Trim(said, "\"'`.")
		}
		if slices.Contains(a.options, said) {
			return said, true
		}
	}
	return "", false
}

// enumerated are the options that a forced choice offers.
func enumerated(t *event.Tool) []string {
	var spec struct{ Schema string }
	if t == nil || json.Unmarshal([]byte(t.Data), &spec) != nil {
		return nil
	}
	return enumOf(spec.Schema)
}

// enumOf are the values that a schema has for an id.
func enumOf(text string) []string {
	var schema struct {
		Properties struct{ ID struct{ Enum []string } }
	}
	if json.Unmarshal([]byte(text), &schema) != nil {
		return nil
	}
	return schema.Properties.ID.Enum
}

// Limits.

// whole is the time of the turn; zero if it has no end.
func (l *ledger) whole() time.Duration { return l.in.Limits.Time }

// late reports whether only the last call has time.
func (l *ledger) late() bool { return l.whole() > 0 && l.elapsed >= l.whole()-l.whole()/4 }

func (l *ledger) expired() bool { return l.whole() > 0 && l.elapsed >= l.whole() }

// spent is the limit after which no model call at all may be made.
func (l *ledger) spent() spoor.Limit {
	m := &l.in.Limits
	switch {
	case l.calls >= l.in.MaxIterations:
		return spoor.LimitModelCalls
	case m.Tokens > 0 && l.tokens >= m.Tokens:
		return spoor.LimitTokens
	case m.Cost > 0 && l.unpriced:
		return spoor.LimitPrice
	case m.Cost > 0 && l.cost >= m.Cost:
		return spoor.LimitCost
	case l.expired():
		return spoor.LimitTime
	}
	return ""
}

// closing is the limit that makes the next model call the last one.
func (l *ledger) closing() spoor.Limit {
	m := &l.in.Limits
	switch {
	case l.in.MaxIterations-l.calls <= 1:
		return spoor.LimitModelCalls
	case m.ToolCalls > 0 && l.toolCalls >= m.ToolCalls:
		return spoor.LimitToolCalls
	case m.Tokens > 0 && m.Tokens-l.tokens < 2*l.lastTokens:
		return spoor.LimitTokens
	case m.Cost > 0 && l.cost+2*l.lastCost > m.Cost:
		return spoor.LimitCost
	case l.late(), l.whole() > 0 && l.elapsed+2*l.lastTime > l.whole():
		return spoor.LimitTime
	case m.PingPong > 0 && l.toAndFro() >= max(m.PingPong, 2):
		return spoor.LimitPingPong
	case m.Refusals > 0 && l.refusals >= m.Refusals:
		return spoor.LimitRefusals
	}
	return ""
}

// roomForAside reports whether a model may be asked something else than for an
// answer: a call for that must be left, with tools.
func (l *ledger) roomForAside() bool { return l.closing() == "" && l.spent() == "" }

// toAndFro counts the last moves that each went back where the one before it
// came from.
func (l *ledger) toAndFro() (n int) {
	for i := len(l.hops) - 1; i >= 0; i-- {
		n++
		if i == 0 || l.hops[i-1] != [2]string{l.hops[i][1], l.hops[i][0]} {
			break
		}
	}
	return n
}

// verdict is why the machine has to answer a call itself; empty if it must not.
func (l *ledger) verdict(c *call) (event.Reason, spoor.Status) {
	if l.ending {
		if l.stopped != "" || l.failed != "" {
			return event.Cut, spoor.Failure
		}
		return event.Budget, spoor.Invalid
	}
	switch {
	case c.answered > 0:
	case c.lost:
		return event.Lost, spoor.Pending
	case c.asks != nil || c.out:
	case c.person != nil && c.person.Declined:
		return event.Declined, spoor.Denied
	case c.person != nil:
	case !slices.Contains(l.offered.items, c.tool):
		return event.Unoffered, spoor.Invalid
	case c.read():
	case l.late(), l.in.Limits.ToolCalls > 0 && l.toolCalls+l.toSend(c) >= l.in.Limits.ToolCalls:
		return event.Budget, spoor.Invalid
	}
	return "", ""
}

// toSend counts the calls before one that are to be sent for the first time.
func (l *ledger) toSend(before *call) (n int) {
	for _, c := range l.batch {
		if c == before {
			break
		}
		if c.answered == 0 && !c.read() && c.sent == 0 && slices.Contains(l.offered.items, c.tool) {
			n++
		}
	}
	return n
}

// news is what the reply in hand adds to the conversation.
func (l *ledger) news() (parts []model.Part) {
	if !l.pending {
		return nil
	}
	parts = append(parts, l.reply...)
	for _, c := range l.batch {
		parts = append(append(parts, c.result), c.more...)
	}
	return append(parts, l.notes...)
}

// void reports whether a server refused the turn, and would refuse it again.
func (l *ledger) void() bool { return l.failed != "" && l.fault != "" && !l.fault.Passing() }

// stands is where the next turn goes on. A turn that made no move leaves what
// it began with.
func (l *ledger) stands() (place string, activated []string) {
	switch {
	case !l.void() && l.iteration > 0:
		return l.place, l.activated
	case l.in.Continuity == spoor.ContinueConversation:
		return l.in.Cursor, l.in.Activated
	}
	return "", nil
}

// conversation holds what the next turn is told of this one against what was
// said.
func (l *ledger) conversation(got []model.Part) string {
	want := l.in.History
	if !l.void() {
		want = nil
		for i, p := range slices.Concat(l.said, l.news()) {
			if i != l.lastNote {
				want = append(want, p)
			}
		}
	}
	if !slices.Equal(got, want) {
		return "the next turn would be told " + shown(got) + ", and " + shown(want) + " was said"
	}
	return ""
}

// shown is parts in short.
func shown(parts []model.Part) string {
	var words []string
	for _, p := range parts {
		words = append(words, string(p.Role)+" "+string(p.Kind)+" "+p.Data)
	}
	return "[" + strings.Join(words, " | ") + "]"
}

// keep adds an event to the ledger.
func (l *ledger) keep(e *event.Event) {
	_, resumes := e.Body.(*event.Resumed)
	if l.in != nil && l.waits != forPerson && !resumes {
		l.elapsed += e.Time.Sub(l.now)
	}
	l.seq, l.now = e.Seq, e.Time
	switch b := e.Body.(type) {
	case *event.Started:
		*l = ledger{
			p: l.p, c: l.c, stats: l.stats, at: l.at, seq: e.Seq, turn: e.Turn, now: e.Time, in: b, routing: true,
			view: l.p.graph.Hide(b.Hidden), last: lastSeqs{started: e.Seq},
		}
		if b.Continuity == spoor.ContinueConversation {
			l.place, l.activated = b.Cursor, b.Activated
			if !l.canStand(l.place) {
				l.place = ""
			}
		}
		for _, p := range b.History {
			if p.Kind == model.Text && p.Role != model.Tool {
				l.messages = append(l.messages, spoor.Message{Role: string(p.Role), Content: p.Data})
			}
		}
		l.head = slices.Clone(b.System)
		for _, text := range l.p.in.Steering {
			l.head = append(l.head, model.NewPart(model.System, model.Text, text))
		}
		for _, f := range l.p.in.Facts {
			l.head = append(l.head, model.NewPart(model.System, model.Text, f.Text))
		}
		l.said, l.lastNote = append(slices.Clone(b.History), b.Message), -1
	case *event.Asked:
		l.waits, l.last.asked = forScores, e.Seq
	case *event.Scored:
		l.waits, l.scored, l.last.scored = forNothing, b, e.Seq
	case *event.TurnRouted:
		l.routing, l.routed, l.last.routed = false, b, e.Seq
		l.menuOpen = b.By == spoor.ByMenu
	case *event.EffectJudged:
		l.keepEffect(b, e)
	case *event.Evaluated:
		l.keepMove(b, e)
	case *event.RouteConflict:
		l.conflict = true
		l.keepNote(b.Note)
	case *event.RerouteSuperseded:
		if b.Source == spoor.ByProposal {
			l.beaten = true
		} else if c := l.call(b.Call); c != nil {
			c.beaten = true
		}
		l.keepNote(b.Note)
	case *event.Read:
		l.keepAnswer(b.Call, e.Seq, false, "", b.Result)
	case *event.Rejected:
		l.keepAnswer(b.Call, e.Seq, false, "", b.Result)
		l.refusals++
		l.allowed.keep(b.Allowed, b.AllowedAs, e.Seq)
	case *event.Refused:
		l.keepAnswer(b.Call, e.Seq, false, b.Status, b.Result)
	case *event.Returned:
		l.keepAnswer(b.Call, e.Seq, b.Executed, b.Status, b.Result)
		if c := l.call(b.Call); c != nil {
			if c.more = b.More; b.Executed { // a call that reached no tool asks for nothing
				c.effects = b.Effects
			}
		}
	case *event.Called:
		l.keepCalled(b, e)
	case *event.Replied:
		l.keepReply(b, e)
	case *event.Failed:
		if l.waits == forChoice {
			l.keepChoice(&answer{error: b.Error})
			break
		}
		l.waits, l.ending, l.failed, l.fault, l.last.ended = forNothing, true, b.Error, b.Fault, e.Seq
	case *event.Stopped:
		l.waits, l.ending, l.stopped, l.routing, l.last.ended = forNothing, true, b.Reason, false, e.Seq
	case *event.Sent:
		l.last.sent = e.Seq
		for _, id := range b.Calls {
			if c := l.call(id); c != nil {
				if c.sent++; c.sent == 1 {
					l.toolCalls++
				}
				c.out = true
			}
		}
	case *event.Needs:
		if c := l.call(b.Call); c != nil {
			c.out, c.asks, c.asked = false, b, e.Seq
		}
	case *event.Paused:
		l.waits, l.last.paused = forPerson, e.Seq
	case *event.Answered:
		l.waits = forNothing
		if c := l.call(b.Call); c != nil {
			c.asks, c.person, c.told = nil, b, e.Seq
		}
	case *event.Resumed:
		l.last.resumed = e.Seq
		for _, c := range l.batch {
			if c.out && !slices.Contains(b.Repeat, c.id) {
				c.out, c.lost = false, true
			}
		}
	case *event.Finished:
		l.over, l.waits = true, forNothing
	}
}

func (l *ledger) keepNote(p model.Part) {
	if p.Kind != "" {
		l.notes = append(l.notes, p)
	}
}

func (l *ledger) keepAnswer(id string, seq int, executed bool, status spoor.Status, result model.Part) {
	if c := l.call(id); c != nil {
		c.answered, c.executed, c.status, c.result = seq, executed, status, result
		c.out, c.asks, c.lost = false, nil, false
	}
}

func (l *ledger) keepChoice(a *answer) {
	l.waits, a.options = forNothing, l.options
	if l.aside == model.Decide {
		l.decided = a
	} else {
		l.classified = a
	}
}

func (l *ledger) keepEffect(b *event.EffectJudged, e *event.Event) {
	if c := l.call(b.Call); c != nil {
		c.judged++
	}
	l.keepNote(b.Note)
	switch {
	case b.Outcome != event.EffectAccepted:
	case b.Effect.Kind == spoor.RequireInstruction:
		l.leases = append(l.leases, lease{id: b.Instruction, call: b.Call, lease: b.Lease, iteration: l.iteration, spot: l.spot})
	case l.proposal.skill == "" && b.Target != l.place:
		l.proposal, l.last.proposed = proposal{b.Target, b.Call, b.Tool}, e.Seq
	}
}

func (l *ledger) keepMove(b *event.Evaluated, e *event.Event) {
	l.routing, l.telling, l.iteration, l.last.evaluated = false, true, e.Iteration, e.Seq
	moved := b.Move.To != b.Move.From
	if b.Pick != "" || e.Iteration > 1 && moved {
		l.menuOpen = false
	}
	if moved {
		l.refusals = 0
		if b.Move.From != "" && e.Iteration > 1 {
			l.hops = append(l.hops, [2]string{b.Move.From, b.Move.To})
		}
	}
	l.move, l.place, l.spot, l.pick = b.Move, b.Move.To, l.spotOf(b.Move), b.Pick
	if b.ActivatedAs == 0 {
		l.activated, l.activatedAt = b.Activated, e.Seq
	}
	for i := range l.leases {
		l.leases[i].left = l.leases[i].left || l.leases[i].spot != l.spot
	}
	l.fresh = b.ActiveAs == 0
	if l.active.keep(actives(b), b.ActiveAs, e.Seq); b.ActiveAs == 0 {
		l.ways = ways(b)
	}
	l.reach.keep(b.Reachable, b.ReachableAs, e.Seq)
	l.superseded.keep(b.Superseded, b.SupersededAs, e.Seq)
	l.told.keep(instructions(b), b.InstructionsAs, e.Seq)
	l.skipped.keep(skips(b), b.SkippedAs, e.Seq)
}

func (l *list) keep(items []string, as, seq int) {
	if as == 0 {
		*l = list{items, seq}
	}
}

func actives(b *event.Evaluated) (ids []string) {
	for _, a := range b.Active {
		ids = append(ids, a.Skill)
	}
	return ids
}

func ways(b *event.Evaluated) (list []string) {
	for _, a := range b.Active {
		list = append(list, string(a.Via))
	}
	return list
}

func instructions(b *event.Evaluated) (ids []string) {
	for _, n := range b.Instructions {
		ids = append(ids, n.ID)
	}
	return ids
}

func skips(b *event.Evaluated) (ids []string) {
	for _, s := range b.Skipped {
		ids = append(ids, s.ID+string(s.Ref))
	}
	return ids
}

func (l *ledger) keepCalled(b *event.Called, e *event.Event) {
	l.calls++
	l.last.called = e.Seq
	if b.Purpose != model.Answer {
		l.waits, l.aside, l.options = forChoice, b.Purpose, enumerated(b.Choice)
		return
	}
	l.waits, l.telling, l.askedAt = forModel, false, l.elapsed
	l.said = append(l.said, l.news()...)
	if b.Last {
		l.said = append(l.said, model.Part{Role: model.System, Kind: model.Note})
	}
	l.bodies, l.request = l.bodiesNow(), l.draft
	l.tail = tailLength(l.request)
	if b.Last { // the words of the note are the machine's
		l.lastNote = len(l.said) - 1
		l.said[l.lastNote] = l.request[len(l.request)-l.tail-1]
	}
	l.answers++
	l.final = b.Limit
	l.offered.keep(b.Offered, b.OfferedAs, e.Seq)
	l.before = nil
	for _, c := range l.batch {
		if !c.read() {
			l.before = append(l.before, c.asResult())
		}
	}
	l.reply, l.batch, l.notes, l.pending = nil, nil, nil, false
	l.proposal, l.beaten, l.conflict = proposal{}, false, false
}

// bodiesNow are the bodies that the next request must have: while the active
// skills stay and the walk stands, those of the last one. One that was told as
// the answer to a read is not among them, unless it was there already.
func (l *ledger) bodiesNow() (parts []model.Part) {
	if l.answers > 0 && !l.fresh && l.move.To == l.move.From {
		return l.bodies
	}
	for _, id := range l.active.items {
		s := l.c.spots[id].skill
		told := id != l.place && l.c.open(id) && slices.Contains(l.activated, id) && s.Delivery == spoor.DeliverResult
		there := l.answers > 0 && slices.ContainsFunc(l.bodies, func(p model.Part) bool { return p.Skill == id })
		if s.Body != "" && (!told || there) {
			body := model.NewPart(model.System, model.Text, s.Body)
			body.Skill = id
			parts = append(parts, body)
		}
	}
	return parts
}

// spliced is a request, changed.
func spliced(parts []model.Part, splices []event.Splice) []model.Part {
	for _, s := range splices {
		parts = slices.Replace(parts, s.At, s.At+s.Drop, s.Put...)
	}
	return parts
}

func tailLength(parts []model.Part) (n int) {
	for n < len(parts) {
		if k := parts[len(parts)-1-n].Kind; k != model.Menu && k != model.Instruction {
			break
		}
		n++
	}
	return n
}

func (l *ledger) keepReply(b *event.Replied, e *event.Event) {
	l.lastTokens = b.Usage.Input + b.Usage.Output
	l.tokens += l.lastTokens
	if m := &l.in.Limits; m.Cost > 0 {
		l.pay(b, m.Prices)
	}
	if l.waits == forChoice {
		l.keepChoice(&answer{parts: b.Parts, model: b.Model})
		return
	}
	l.waits, l.last.replied, l.lastTime = forNothing, e.Seq, l.elapsed-l.askedAt
	l.reply, l.pending = b.Parts, true
	for _, p := range b.Parts {
		if p.Kind == model.Call {
			l.batch = append(l.batch, &call{id: p.Call, tool: p.Tool, args: p.Data})
		}
	}
	if len(l.batch) == 0 || l.final != "" || l.spent() != "" {
		l.ending, l.last.ended = true, e.Seq
	}
}

func (l *ledger) pay(b *event.Replied, prices []spoor.Price) {
	i := -1
	for j, p := range prices {
		if strings.HasPrefix(b.Model, p.Model) && (i < 0 || len(p.Model) > len(prices[i].Model)) {
			i = j
		}
	}
	if i < 0 {
		l.unpriced = true
		return
	}
	u, p := b.Usage, prices[i]
	if p.Cached == 0 {
		p.Cached = p.Input
	}
	if p.Written == 0 {
		p.Written = p.Input
	}
	l.lastCost = float64(float64(u.Input-u.Cached-u.Written)*p.Input)/1e6 + float64(float64(u.Output)*p.Output)/1e6
	l.lastCost += float64(float64(u.Cached)*p.Cached)/1e6 + float64(float64(u.Written)*p.Written)/1e6
	l.cost += l.lastCost
}
