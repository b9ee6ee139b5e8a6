package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/internal/nearest"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
)

// A NotSkillReason says when a skill could have been entered, and what shut it.
type NotSkillReason struct {
	Skill string `json:"skill"`

	// Entered lists the moves that did lead there.
	Entered []Link `json:"entered,omitempty"`

	// Occasions are all the moves of the recording, in order.
	Occasions []Occasion `json:"occasions,omitempty"`

	NotFound   *NotFound `json:"notFound,omitempty"` // why there are no occasions
	Changed    string    `json:"changed,omitempty"`  // why not all of it is as it was recorded
	Incomplete string    `json:"incomplete,omitempty"`
}

// An Occasion is one move, and the ways that it had into the skill.
type Occasion struct {
	Turn      int         `json:"turn"`
	Iteration int         `json:"iteration"`
	Event     int         `json:"event"`
	From      string      `json:"from,omitempty"` // where the walk stood; empty if nowhere
	To        string      `json:"to,omitempty"`   // where it went
	By        spoor.Cause `json:"by"`
	Entered   bool        `json:"entered,omitempty"` // the move led into the skill
	Active    bool        `json:"active,omitempty"`  // the skill was in play after the move

	// Ways are empty if the walk stood in the skill already, or if NotFound
	// says that there was none.
	Ways     []Way     `json:"ways,omitempty"`
	NotFound *NotFound `json:"notFound,omitempty"`

	// Change is the smallest one that would have led into the skill; nil if the
	// move did, or if NoChange says why none was found.
	Change   *Change   `json:"change,omitempty"`
	NoChange *NotFound `json:"noChange,omitempty"`
}

// A Way is one way into the skill, and what became of it.
type Way struct {
	Evidence Evidence         `json:"evidence"`
	Kind     WayKind          `json:"kind"`
	Ref      spoor.Ref        `json:"ref,omitempty"` // of the rule or step
	Label    string           `json:"label,omitempty"`
	Outcome  WayOutcome       `json:"outcome"`
	Text     string           `json:"text"`            // one line
	Event    int              `json:"event,omitempty"` // that says so, if it is not the move
	Guard    *spoor.Judgement `json:"guard,omitempty"` // how its guard was judged

	// Changes would have opened it, and led into the skill: the smallest of the
	// facts, and of the map, that were found; the smaller one first. There are
	// none where the move led there. NoChange says why there are none, or none of
	// the facts.
	Changes  []Change  `json:"changes,omitempty"`
	NoChange *NotFound `json:"noChange,omitempty"`
}

// WayKind says what a way is.
type WayKind string

const (
	ByRule WayKind = "rule" // a start rule or entry that leads there
	ByStep WayKind = "step" // a step that leads there
	ByRead WayKind = "read" // the model's read_skill
	ByLeaf WayKind = "leaf" // a leaf of the tree

	ByProposal  WayKind = "proposal"  // of a tool
	ByCondition WayKind = "condition" // of a skill that the agent brings along: it is active while its own holds
)

// WayOutcome says what became of a way.
type WayOutcome string

const (
	Taken     WayOutcome = "taken"
	NotMet    WayOutcome = "not met"    // no result had what the step waits for; the rule did not claim the message
	Closed    WayOutcome = "closed"     // its guard or condition did not hold
	Beaten    WayOutcome = "beaten"     // it was open, and something else came first
	NotAsked  WayOutcome = "not asked"  // the model did not ask to read it
	Rejected  WayOutcome = "rejected"   // the model asked, and it was refused
	NotJudged WayOutcome = "not judged" // it cannot be told from the recording
)

// NotSkill explains why a skill was not entered: every move, the ways that it
// had into the skill, and what shut each of them.
//
// What a move has on record is a fact: a guard that refused, a conflict, a
// read that was rejected. The rest is derived: the map of the recording is
// compiled with one step or rule alone, and asked with the recorded facts.
func NotSkill(r *recording.Recording, id string) *NotSkillReason {
	t := newTrail(r)
	n := &NotSkillReason{Skill: id, Incomplete: incomplete(r)}
	if n.NotFound = t.unknown(id); n.NotFound != nil {
		n.Changed = t.changed()
		return n
	}
	for _, i := range t.moves {
		o := t.occasion(i, id)
		if o.Entered {
			n.Entered = append(n.Entered, t.moveLink(i, Fact))
		}
		n.Occasions = append(n.Occasions, o)
	}
	n.Changed = t.changed()
	return n
}

// unknown says why nothing can be told of a skill; nil if something can.
func (t *trail) unknown(id string) *NotFound {
	var first *mapped
	for i := len(t.turn) - 1; i >= 0; i-- {
		if t.turn[i] != i {
			continue
		}
		m := t.mapOf(i)
		if m.m == nil || slices.Contains(m.skills(), id) {
			first = nil
			break
		}
		if first == nil {
			first = m
		}
	}
	switch {
	case first != nil:
		hint := nearest.Hint(id, slices.Values(first.skills()))
		return &NotFound{Kind: NotRecorded, Reason: say("no such", "skill", quote(id, 80), "hint", either(hint != "", "; "+hint, ""))}
	case len(t.moves) == 0 && !slices.ContainsFunc(t.turn, func(i int) bool { return i >= 0 }):
		return &NotFound{Kind: NotRecorded, Reason: say("no turn")}
	case len(t.moves) == 0:
		return &NotFound{Kind: NotReached, Reason: say("no moves")}
	}
	return nil
}

// occasion tells what one move had to do with a skill.
func (t *trail) occasion(i int, id string) (o Occasion) {
	e, m := t.event(i), t.move(i)
	o = Occasion{
		Turn: e.Turn, Iteration: e.Iteration, Event: e.Seq, From: m.From, To: m.To, By: m.By,
		Entered: m.To == id && m.From != id, Active: t.isActive(i, id),
	}
	mapped := t.mapOf(i)
	inTree := mapped.m != nil && mapped.m.Tree != nil
	if s, _ := mapped.own(id); s == nil { // what the agent brings along is no leaf
		o.Entered = o.Entered || inTree && o.Active
	}
	if m.From == id {
		return o
	}
	w := &ways{t: t, i: i, id: id, move: m, mapped: mapped, results: t.results(i), fired: t.fired(i)}
	w.begin()
	if mapped.hides(id) {
		o.NotFound = &NotFound{Kind: Refused, Reason: say("hidden skill")}
		shown := fact(FactHidden, "", guard.Of(true), guard.Of(false))
		shown.Key = id
		o.take(w.open(w.all([]FactEdit{shown})))
		return o
	}
	defer w.settle(&o)
	switch {
	case w.mapped.m == nil:
		w.unmapped()
	case inTree:
		w.leaves(w.mapped.m.Tree, "tree")
	default:
		w.rules()
		w.steps()
	}
	own := w.condition()
	if inTree && !own {
		o.Ways = w.list
		return o
	}
	w.proposals()
	far := w.reads()
	if len(w.list) == 0 || far && len(w.list) == 1 {
		name := either(m.From == "", "no way cold", "no way")
		o.NotFound = &NotFound{Kind: NotReached, Reason: say(name, "from", line(m.From), "skill", line(id))}
		o.take(w.open(w.nowhereTrials()))
		return o
	}
	o.Ways = w.list
	return o
}

// there reports whether the move led into the skill as it is.
func (w *ways) there() bool {
	return w.move.To == w.id || w.base != nil && w.led(w.base)
}

// take takes over the smallest of some changes.
func (o *Occasion) take(changes []Change, none *NotFound) {
	if len(changes) > 0 {
		o.Change = &changes[0]
		return
	}
	o.NoChange = none
}

// settle says of an occasion which change is the smallest.
func (w *ways) settle(o *Occasion) {
	if o.Entered || w.there() || o.Change != nil || o.NoChange != nil {
		return
	}
	var all []Change
	for i := range o.Ways {
		all = append(all, o.Ways[i].Changes...)
	}
	o.take(smallest(all), w.nothing())
}

// all are the trials of every kind of way, each with some facts before.
func (w *ways) all(facts []FactEdit) []trial {
	if w.base == nil {
		return nil
	}
	list := []trial{{facts: facts}}
	add := func(more []trial) {
		for _, t := range more {
			t.facts = slices.Concat(facts, t.facts)
			list = append(list, t)
		}
	}
	for k := range w.mapped.m.Steps {
		if s := &w.mapped.m.Steps[k]; s.From == w.sit.facts.Cursor && s.To == w.id && !s.Bare() {
			add(w.stepTrials(k, ""))
		}
	}
	if w.sit.facts.Iteration > 1 {
		add(w.readTrials())
		return list
	}
	for k, r := range w.mapped.m.Start.Rules {
		if r.Use == w.id {
			add(w.ruleTrials(spoor.Ref("start.rules").At(k), r))
		}
	}
	return list
}

// ways collects the ways that one move had into a skill.
type ways struct {
	t       *trail
	i       int
	id      string
	move    *spoor.Move
	mapped  *mapped
	results []Result
	cut     bool              // not all that could be tried was
	fired   *Result           // the result that took the step of the move, if one did
	routed  *event.TurnRouted // what judged the start of the turn; nil if nothing did
	list    []Way

	sit  situation // of the move
	base *made     // the move made again; nil if the map cannot be walked
	same bool      // it is the move on record
}

// add adds a way, and if it was not taken, what would have opened it.
func (w *ways) add(way Way, trials ...trial) {
	way.Label, way.Evidence = w.mapped.label(way.Ref), w.t.grade(w.t.seq(w.i), way.Evidence)
	if way.Outcome != Taken && !w.there() {
		way.Changes, way.NoChange = w.open(trials)
	}
	w.list = append(w.list, way)
}

// failed is the error of a condition that could not be judged, if it is on
// record.
func (w *ways) failed(ref spoor.Ref) (string, bool) {
	for _, f := range w.move.Failed {
		if f.Ref == ref.Key("when") {
			return f.Error, true
		}
	}
	return "", false
}

// facts are those of the move, with one result or none.
func (w *ways) facts(results ...spoor.Result) spoor.Facts {
	f := spoor.Facts{Iteration: w.t.event(w.i).Iteration, Cursor: w.move.From, Results: results}
	if s := w.t.started(w.i); s != nil {
		f.UserMessage = w.t.data(s.Message)
		for _, p := range s.History {
			if p.Kind == model.Text && p.Role != model.Tool {
				f.History = append(f.History, spoor.Message{Role: string(p.Role), Content: w.t.data(p)})
			}
		}
	}
	return f
}

// unmapped tells what is on record where the map cannot be read.
func (w *ways) unmapped() {
	for k := range w.move.Closed {
		if c := &w.move.Closed[k]; c.To == w.id {
			w.add(Way{Evidence: Fact, Kind: ByStep, Ref: c.Ref, Outcome: Closed, Text: closedText(c), Guard: c})
		}
	}
	if len(w.list) == 0 {
		w.add(Way{Evidence: Fact, Kind: ByStep, Outcome: NotJudged, Text: say("no map", "error", clip(fmt.Sprint(w.mapped.err), 200))})
	}
}

// rules tells of the entries. They decide only where a walk begins, and where
// a turn does that was routed: after its first move a menu is in their place.
func (w *ways) rules() {
	w.routed, _ = w.t.routed(w.i)
	if w.routed != nil && w.routed.By == "" {
		w.routed = nil // the entries decided
	}
	first := w.t.event(w.i).Iteration == 1
	if w.routed != nil && !first || w.routed == nil && w.move.From != "" {
		return
	}
	start := &w.mapped.m.Start
	if start.Use == w.id {
		w.rule("start.use", spoor.Rule{Use: start.Use})
	}
	for k, r := range start.Rules {
		if r.Use == w.id {
			w.rule(spoor.Ref("start.rules").At(k), r)
		}
	}
	for k, e := range start.Entries {
		if e.Use != w.id {
			continue
		}
		ref := spoor.Ref("start.entries").At(k)
		if start.ScoredBy != "" && w.routed != nil {
			w.scored(ref, spoor.Rule{Use: e.Use, Match: e.Match, When: e.When})
			continue
		}
		if start.ScoredBy == "" {
			w.add(Way{Evidence: Fact, Kind: ByRule, Ref: ref, Outcome: NotJudged, Text: say("entry not judged")})
			w.list[len(w.list)-1].NoChange = &NotFound{Kind: NotReached, Reason: say("no change yet")}
			continue
		}
		w.rule(ref, spoor.Rule{Use: e.Use, Match: e.Match, When: e.When})
	}
}

func (w *ways) rule(ref spoor.Ref, r spoor.Rule) {
	way := Way{Evidence: Fact, Kind: ByRule, Ref: ref}
	switch err, failed := w.failed(ref); {
	case w.move.Ref == ref || w.move.By == spoor.ByEntry && w.move.To == w.id && w.move.Ref == "":
		way.Outcome, way.Text = Taken, say("way taken", "what", "it")
	case failed:
		way.Outcome, way.Text = NotMet, say("when failed", "error", clip(err, 200))
	case r.Match.Intent != nil && w.routed != nil:
		w.scored(ref, r)
		return
	case r.Match.Intent != nil:
		way.Outcome, way.Text = NotJudged, say("intent unjudged")
	case r.Match.IsZero() && r.When == "":
		way.Outcome, way.Text = Beaten, say("rule above", "witness", "", "ref", w.winner())
		if w.t.isActive(w.i, w.id) {
			way.Text = say("rule open", "skill", line(w.id), "to", either(w.move.To != "", line(w.move.To), "nowhere"))
		}
	default:
		way.Evidence = Derived
		w.claim(&way, r)
	}
	w.add(way, w.ruleTrials(ref, r)...)
	last := &w.list[len(w.list)-1]
	ofFacts := func(c Change) bool { return c.Kind == OfFacts }
	if r.Match.Regex != nil && way.Outcome == NotMet && !slices.ContainsFunc(last.Changes, ofFacts) {
		last.NoChange = &NotFound{Kind: NotReached, Reason: say(either(len(r.Examples) > 0, "regex examples", "regex no word"))}
	}
}

// scored tells how well a candidate fitted the message, and what came of it.
func (w *ways) scored(ref spoor.Ref, r spoor.Rule) {
	way := Way{Evidence: Fact, Kind: ByRule, Ref: ref, Outcome: NotJudged}
	if _, j := w.t.routed(w.i); j >= 0 {
		way.Event = w.t.seq(j)
	}
	b, v := w.routed, w.routed.Scores
	at := -1 // its best row
	for k := 0; v != nil && at < 0 && k < len(v.Ranked); k++ {
		if v.Ranked[k].ID == w.id {
			at = k
		}
	}
	switch {
	case w.move.Ref == ref || w.move.To == w.id:
		way.Outcome, way.Text = Taken, say("way taken", "what", "it")
	case b.Error != "":
		way.Text = say("scores failed", "error", clip(b.Error, 200))
	case v == nil:
		way.Text = say("not scored", "winner", w.winner())
	case at < 0 && (r.When != "" || !r.Match.IsZero() && r.Match.Intent == nil):
		way.Evidence, way.Event = Derived, 0
		w.claim(&way, r)
	case at < 0:
		way.Text = say("no score")
	default:
		way.Outcome, way.Text = Beaten, w.scoreText(at)
		if dead(b, at) {
			way.Outcome = NotMet
		}
	}
	if at < 0 && b.Error == "" {
		w.add(way, w.ruleTrials(ref, r)...)
		return
	}
	w.add(way, w.scoreTrials(at)...)
}

// dead reports whether a row of a verdict does not count.
func dead(b *event.TurnRouted, at int) bool {
	v := b.Scores
	f := v.Ranked[at].Score
	return math.IsNaN(f) || math.IsInf(f, 0) || v.Thresholds.Floor != nil && f <= *v.Thresholds.Floor
}

// scoreText says why a candidate that was scored is not where the turn starts.
func (w *ways) scoreText(at int) string {
	b, v := w.routed, w.routed.Scores
	row := v.Ranked[at]
	gap := ""
	if v.RunnerUp != nil && v.RunnerUp.ID == w.id {
		gap = say("score gap", "gap", number(v.RunnerUp.Gap))
	}
	name := "score off menu"
	switch {
	case dead(b, at):
		name = "score dead"
	case b.By == spoor.ByContinuity:
		name = "score stay"
	case b.By == spoor.ByDecider:
		name = "score decider"
	case b.By == spoor.ByEntry, b.By == spoor.ByIntent:
		name = "score ahead"
	case slices.Contains(b.Offered, w.id):
		name = "score menu"
	}
	return say(name, "score", number(row.Score), "share", percent(row.Relevance), "winner", line(v.Ranked[0].ID),
		"best", number(v.Ranked[0].Score), "gap", gap, "to", either(w.move.To != "", line(w.move.To), "nowhere"),
		"offered", listed(b.Offered), "floor", floorOf(b))
}

// condition tells of the condition of a skill that the agent brings along. Own
// says that it is one.
func (w *ways) condition() (own bool) {
	s, ref := w.mapped.own(w.id)
	if s == nil || s.When == "" {
		return s != nil
	}
	way := Way{Evidence: Derived, Kind: ByCondition, Ref: ref, Outcome: NotMet, Text: say("own when", "when", clip(s.When, 200))}
	for _, a := range w.t.active[w.i] {
		switch {
		case a.Skill != w.id:
		case a.Via != spoor.ViaRule: // the model has read it, and the condition is not on record
			return true
		default:
			way.Evidence, way.Outcome, way.Text = Fact, Taken, say("own holds")
		}
	}
	for _, skipped := range w.t.skipped(w.i) {
		if skipped.Ref == ref.Key("when") {
			way.Evidence, way.Text = Fact, say("when failed", "error", clip(skipped.Error, 200))
		}
	}
	w.add(way, w.ownTrials(s, ref)...)
	return true
}

// skipped is what a move passed over, its As followed.
func (t *trail) skipped(i int) []event.Skipped {
	b := t.event(i).Body.(*event.Evaluated)
	if j, ok := t.at[b.SkippedAs]; ok && b.SkippedAs != 0 && j < i {
		if as, ok := t.event(j).Body.(*event.Evaluated); ok {
			return as.Skipped
		}
	}
	return b.Skipped
}

// proposals tells of the tools that proposed the skill.
func (w *ways) proposals() {
	for j := w.i - 1; j >= max(0, w.t.turn[w.i], w.i-maxBack); j-- {
		switch b := w.t.event(j).Body.(type) {
		case *event.Called, *event.Evaluated:
			return
		case *event.EffectJudged:
			if b.Effect.Kind == spoor.ProposeTransition && b.Target == w.id {
				w.proposal(j, b)
			}
		}
	}
}

func (w *ways) proposal(j int, b *event.EffectJudged) {
	way := Way{Evidence: Fact, Kind: ByProposal, Event: w.t.seq(j)}
	name := ""
	switch {
	case b.Outcome == event.EffectRefused:
		way.Outcome, name = Rejected, "proposal refused"
	case b.Outcome == event.EffectSuperseded:
		way.Outcome, name = Beaten, "proposal after"
	case w.move.To == w.id && w.move.By == spoor.ByProposal:
		way.Outcome, name = Taken, "proposal taken"
	default:
		way.Outcome, name = Beaten, "proposal beaten"
	}
	way.Text = say(name, "call", line(b.Call), "tool", line(b.Tool), "reason", clip(b.Refusal, 200), "skill", line(b.SupersededBy),
		"to", either(w.move.To != "", line(w.move.To), "nowhere"), "by", line(string(w.move.By)))
	w.add(way, w.proposalTrials()...)
}

// claim asks whether a rule alone claims the message.
func (w *ways) claim(way *Way, r spoor.Rule) {
	g := w.mapped.probe(way.Ref, spoor.Start{Rules: []spoor.Rule{{Use: r.Use, Match: r.Match, When: r.When}}}, nil)
	if g == nil {
		way.Outcome, way.Text = NotJudged, say("no map", "error", "it does not compile")
		return
	}
	m, ok := g.FirstRule(w.facts())
	switch {
	case ok:
		witness := ""
		if m.Witness != nil {
			witness = " by " + quote(m.Witness.Text, 40)
		}
		if slices.Contains(w.t.superseded(w.i), w.id) {
			way.Evidence = Fact
		}
		way.Outcome, way.Text = Beaten, say("rule above", "witness", witness, "ref", w.winner())
	case w.mapped.bound(r.When) && w.above(way.Ref):
		way.Outcome, way.Text = NotJudged, say("when bound", "ref", w.winner(), "when", clip(r.When, 200))
	case w.mapped.bound(r.When):
		way.Outcome, way.Text = NotMet, say("rule when", "when", clip(r.When, 200))
	case len(m.Failed) > 0:
		way.Outcome, way.Text = NotMet, say("when failed", "error", clip(m.Failed[0].Error, 200))
	case r.When != "":
		way.Outcome, way.Text = NotMet, say("rule when", "when", clip(r.When, 200))
	default:
		way.Outcome, way.Text = NotMet, say("rule unclaimed", "match", clip(r.Match.Caption(), 200))
	}
}

// winner names what decided the move.
func (w *ways) winner() string {
	if w.move.Ref == "" {
		return line(string(w.move.By))
	}
	label := w.mapped.label(w.move.Ref)
	return line(string(w.move.Ref)) + either(label != "", " "+quote(label, 40), "")
}

// above reports whether what decided the move stands above another rule or
// step of its list, so that the other was not judged.
func (w *ways) above(ref spoor.Ref) bool {
	for _, form := range []string{"steps[%d]", "start.rules[%d]", "start.entries[%d]"} {
		var i, winner int
		if index(ref, form, &i) && index(w.move.Ref, form, &winner) {
			return winner < i
		}
	}
	return false
}

// steps tells of every step from where the walk stood into the skill.
func (w *ways) steps() {
	for k := range w.mapped.m.Steps {
		s := &w.mapped.m.Steps[k]
		if s.From == w.move.From && s.To == w.id && !s.Bare() {
			w.step(spoor.Ref("steps").At(k), k, s)
		}
	}
}

func (w *ways) step(ref spoor.Ref, k int, s *spoor.Step) {
	if w.move.Ref == ref {
		w.add(Way{Evidence: Fact, Kind: ByStep, Ref: ref, Outcome: Taken, Text: say("way taken", "what", "it"), Guard: w.move.Guard})
		return
	}
	if len(w.results) == 0 {
		w.add(Way{Evidence: Fact, Kind: ByStep, Ref: ref, Outcome: NotMet, Text: say("no result")}, w.stepTrials(k, "")...)
		return
	}
	before := len(w.list)
	for j := range w.move.Closed {
		if c := &w.move.Closed[j]; c.Ref == ref {
			w.add(Way{Evidence: Fact, Kind: ByStep, Ref: ref, Outcome: Closed, Text: closedText(c), Guard: c}, w.stepTrials(k, c.CallID)...)
		}
	}
	if err, failed := w.failed(ref); failed {
		w.add(Way{Evidence: Fact, Kind: ByStep, Ref: ref, Outcome: Closed, Text: say("when failed", "error", clip(err, 200))}, w.stepTrials(k, "")...)
	}
	shut := len(w.list) > before
	g := w.mapped.probe(ref, spoor.Start{}, []spoor.Step{*s})
	for j := range w.results {
		if g != nil {
			w.probe(g, ref, k, s, &w.results[j], shut)
		}
	}
	if len(w.list) > before {
		return
	}
	returned := make([]string, len(w.results))
	for j, r := range w.results {
		switch {
		case r.Reason == event.Lost || r.Reason == event.Cut:
			returned[j] = r.Tool + ", of which nobody knows whether it was carried out"
		default:
			returned[j] = r.Tool + either(r.Executed, "", ", which did not reach its tool")
		}
		if s.OnToolStatus != nil {
			returned[j] += either(r.Status != "", " with "+string(r.Status), " with no status")
		}
	}
	w.add(Way{Evidence: Derived, Kind: ByStep, Ref: ref, Outcome: NotMet, Text: say("waits", "waits", waits(s), "results", listed(returned))}, w.stepTrials(k, "")...)
}

// probe asks whether one result would have taken a step that stands alone.
// Shut says that the step has a refusal on record, which is not told again.
func (w *ways) probe(g *spoor.Graph, ref spoor.Ref, k int, s *spoor.Step, r *Result, shut bool) {
	m := g.Next(w.facts(w.alone(r, s.When != "")...))
	way := Way{Evidence: Derived, Kind: ByStep, Ref: ref}
	call, tool := line(r.Call), line(r.Tool)
	switch {
	case m.By == spoor.ByRoute:
		way.Outcome, way.Guard = Beaten, m.Guard
		lost := w.move.Conflict != nil && slices.ContainsFunc(w.move.Conflict.Losers, func(o spoor.Outcome) bool {
			return o.CallID == r.Call && o.Target == w.id
		})
		switch {
		case lost:
			way.Evidence = Fact
			way.Text = say("conflict lost", "call", call, "tool", tool, "winner", line(w.move.Conflict.Winner.Tool), "to", line(w.move.To))
		case w.fired != nil && w.fired.Call == r.Call:
			way.Text = say("above", "call", call, "tool", tool, "ref", w.winner())
		case w.move.By == spoor.ByRoute:
			way.Text = say("earlier", "call", call, "tool", tool, "ref", w.winner())
		default:
			way.Text = say("open but", "call", call, "tool", tool)
		}
	case len(m.Closed) > 0:
		if shut {
			return
		}
		way.Outcome, way.Text, way.Guard = Closed, closedText(&m.Closed[0]), &m.Closed[0]
	case len(m.Failed) > 0:
		if shut {
			return
		}
		way.Outcome, way.Text = Closed, say("when failed", "error", clip(m.Failed[0].Error, 200))
		if w.mapped.bound(s.When) {
			way.Text = say("when shut", "results", call+" "+tool, "when", clip(s.When, 200))
			if w.fired != nil && w.fired.Call == r.Call && w.above(ref) {
				way.Outcome, way.Text = NotJudged, say("when bound", "ref", w.winner(), "when", clip(s.When, 200))
			}
		}
	case s.When != "" && r.Executed:
		if shut {
			return
		}
		way.Outcome, way.Text = Closed, say("when shut", "results", call+" "+tool, "when", clip(s.When, 200))
	default:
		return
	}
	w.add(way, w.stepTrials(k, r.Call)...)
}

// alone is one result, or all of them, of which no other one can fire a step
// with a condition, though the condition sees them all.
func (w *ways) alone(r *Result, all bool) []spoor.Result {
	var list []spoor.Result
	for k := range w.results {
		o := &w.results[k]
		if o == r || all && o.Tool != readSkill {
			list = append(list, spoor.Result{Tool: o.Tool, CallID: o.Call, Executed: o.Executed && o == r, Status: o.Status, Text: o.Text})
		}
	}
	return list
}

// closedText names the conditions of a guard that failed.
func closedText(j *spoor.Judgement) string {
	var failing []string
	for _, c := range j.Conditions {
		if !c.Passed {
			failing = append(failing, line(c.String()))
		}
	}
	return say("way closed", "call", line(j.CallID), "tool", line(j.Tool), "conditions", strings.Join(failing, "; "))
}

// waits says what a step waits for.
func waits(s *spoor.Step) string {
	what := "any result"
	if source, flags, ok := s.OnToolReturn.Pattern(); ok {
		what = "a result of a tool like /" + source + "/" + flags
	} else if s.OnToolReturn != "" {
		what = "a result of " + string(s.OnToolReturn)
	}
	for k, status := range s.OnToolStatus {
		what += either(k == 0, " with the status ", " or ") + string(status)
	}
	if s.OnToolReturn == "" && s.OnToolStatus == nil {
		what += " that reached its tool"
	}
	return line(what)
}

// reads tells of the model's requests to read the skill. Far says that there
// was none, and could not have been.
func (w *ways) reads() (far bool) {
	reply, j, _ := w.t.reply(w.i)
	if j < 0 {
		return false // the model has not been asked yet
	}
	asked := false
	for _, p := range reply.Parts {
		if p.Kind == model.Call && p.Tool == readSkill && readID(w.t.data(p)) == w.id {
			asked = true
			w.read(p.Call)
		}
	}
	if asked {
		return false
	}
	way := Way{Evidence: Fact, Kind: ByRead, Outcome: NotAsked, Text: say("not asked")}
	if _, request, _ := cause[*event.Called](w.t, j); request >= 0 && !slices.Contains(w.t.offered(request), readSkill) {
		way.Text = say("not offered")
	}
	if g := w.mapped.compiled(); g != nil {
		posture := spoor.Posture("")
		if s := w.t.started(w.i); s != nil {
			posture = s.Posture
		}
		switch target := g.Classify(w.move.From, w.id); {
		case target == spoor.Unreachable:
			far = true
			way.Evidence, way.Text = Derived, say("not asked far")
		case target == spoor.Hop && posture == spoor.PostureRails:
			way.Evidence, way.Text = Derived, say("not asked rails")
		case target == spoor.Hop && posture == spoor.PostureGuard && !slices.Contains(w.menu(g), w.id):
			way.Evidence, way.Text = Derived, say("not asked guard")
		}
	}
	w.add(way, w.readTrials()...)
	return far
}

// menu is what the model could choose from when the move was made; nil if
// there was no menu.
func (w *ways) menu(g *spoor.Graph) []string {
	if menu := w.t.menus[w.i]; menu != nil {
		return menu
	}
	if b, j := w.t.routed(w.i); w.move.From == "" && (j < 0 || b.By == "") && g.Selection() == spoor.SelectModel {
		return g.Reachable("")
	}
	return nil
}

// read tells what became of one request to read the skill.
func (w *ways) read(call string) {
	way := Way{Evidence: Fact, Kind: ByRead, Outcome: NotJudged, Text: say("read open end", "call", line(call))}
	for _, r := range w.results {
		if r.Call == call { // answered before the move: it was not offered, say
			way.Outcome, way.Event, way.Text = Rejected, r.Event, r.told()
		}
	}
	lost := false
	w.t.after(w.i, func(j int, b event.Body) {
		switch b := b.(type) {
		case *event.Rejected:
			if b.Call == call {
				way.Outcome, way.Event = Rejected, w.t.seq(j)
				way.Text = say(either(b.Posture != "", "read posture", "read rejected"), "posture", line(string(b.Posture)), "call", line(call), "from", either(b.CurrentSkillID != "", line(b.CurrentSkillID), "nowhere"), "allowed", listed(w.t.allowed(j)))
			}
		case *event.RerouteSuperseded:
			if b.Call == call {
				lost = true
				way.Outcome, way.Event = Beaten, w.t.seq(j)
				way.Text = say("read lost", "call", line(call), "won", line(b.WonID), "by", line(string(b.By)))
			}
		case *event.Read:
			if b.Call != call || lost {
				return
			}
			way.Event = w.t.seq(j)
			switch {
			case b.Target == spoor.OpenSkill:
				way.Outcome, way.Text = Taken, say("read open", "call", line(call))
			case w.move.To == w.id:
				way.Outcome, way.Text = Taken, say("read taken", "call", line(call))
			default:
				way.Outcome, way.Text = Beaten, say("read stayed", "call", line(call), "to", line(w.move.To), "by", line(string(w.move.By)))
			}
		}
	})
	w.add(way, w.readTrials()...)
}

func (n *NotSkillReason) String() string {
	var p page
	if n.NotFound != nil {
		p.put(0, quote(n.Skill, 80)+":")
		p.notFound(2, n.NotFound)
		p.footnotes(n.Incomplete)
		p.warn(n.Changed)
		return p.String()
	}
	active := slices.IndexFunc(n.Occasions, func(o Occasion) bool { return o.Active })
	switch {
	case n.Entered == nil && active >= 0:
		o := n.Occasions[active]
		p.put(0, fmt.Sprintf("%s was not entered, but it was active from iteration %d on, event %d. The walk made %s:",
			quote(n.Skill, 80), o.Iteration, o.Event, counted(len(n.Occasions), "move")))
	case n.Entered == nil:
		p.put(0, fmt.Sprintf("%s was not entered. The walk made %s:", quote(n.Skill, 80), counted(len(n.Occasions), "move")))
	default:
		p.put(0, fmt.Sprintf("%s was entered:", quote(n.Skill, 80)))
		for _, l := range n.Entered {
			p.link(2, l)
		}
		p.put(0, fmt.Sprintf("All that was decided about it, in %s:", counted(len(n.Occasions), "move")))
	}
	turns := n.Occasions[len(n.Occasions)-1].Turn != n.Occasions[0].Turn
	for i := 0; i < len(n.Occasions); {
		o, last := &n.Occasions[i], i
		text := o.text(n.Skill)
		for last+1 < len(n.Occasions) && n.Occasions[last+1].Turn == o.Turn && n.Occasions[last+1].text(n.Skill) == text {
			last++
		}
		at := fmt.Sprintf("iteration %d, event %d", o.Iteration, o.Event)
		if last > i {
			end := &n.Occasions[last]
			at = fmt.Sprintf("iterations %d–%d, events %d–%d", o.Iteration, end.Iteration, o.Event, end.Event)
		}
		if turns {
			at = fmt.Sprintf("turn %d, %s", o.Turn, at)
		}
		p.WriteString("\n" + at + ": " + text)
		i = last + 1
	}
	p.footnotes(n.Incomplete)
	p.warn(n.Changed)
	return p.String()
}

// text tells an occasion; what is the same in a row is told once.
func (o *Occasion) text(skill string) string {
	var p page
	p.put(0, o.heading(skill))
	p.notFound(2, o.NotFound)
	for _, w := range o.Ways {
		what := line(string(w.Ref))
		switch w.Kind {
		case ByRead:
			what = readSkill
		case ByProposal:
			what = string(ByProposal)
		}
		if w.Label != "" {
			what += " " + quote(w.Label, 40)
		}
		p.hang(2, 4, fmt.Sprintf("%s: %s (%s)", what, w.Text, w.Evidence))
		p.told(4, w.Changes, "skill")
		if o.Change != nil {
			p.notFound(4, w.NoChange)
		}
	}
	p.notFound(2, o.NoChange)
	if o.NotFound != nil && o.Change != nil {
		p.told(4, []Change{*o.Change}, "skill")
	}
	if o.Active && !o.Entered && o.From != skill {
		p.put(2, say("in play"))
	}
	return p.String()
}

// heading says where the walk stood and went.
func (o *Occasion) heading(skill string) string {
	from, to := either(o.From == "", "nowhere", "in "+line(o.From)), either(o.To == "", "nowhere", "to "+line(o.To))
	switch {
	case o.From == skill && o.To == skill:
		return "the walk stood there already, and stayed."
	case o.From == skill:
		return fmt.Sprintf("the walk stood there already, and went %s.", to)
	case o.From == o.To && o.From == "":
		return "the walk stood nowhere, and stayed so."
	case o.From == o.To:
		return fmt.Sprintf("the walk stood %s, and stayed.", from)
	}
	return fmt.Sprintf("the walk stood %s, and went %s.", from, to)
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return itoa(n) + " " + what + "s"
}
