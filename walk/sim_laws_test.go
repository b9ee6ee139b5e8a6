package walk_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/walk"
)

// A law is something that holds in every run. What a check returns is how an
// event, or what the machine wants after it, breaks the law; empty if it does
// not. The ledger is that of the events before.
type law struct {
	name    string
	doc     string
	event   func(l *ledger, e *event.Event) string
	command func(l *ledger, c walk.Command, s *walk.State) string
}

// The laws, in the order in which they are asked: one that speaks of a single
// thing comes before one that speaks of many.
var laws = []law{
	{name: "events-are-in-order", event: inOrderOfEvents,
		doc: "Events are numbered without gaps, carry the time of their outcome, and count iterations from 1."},
	{name: "a-turn-keeps-its-id", event: turnKeepsItsID,
		doc: "A turn is one turn over pauses and processes (D29)."},
	{name: "what-is-late-changes-nothing", event: lateChangesNothing,
		doc: "What nobody waits for is recorded as late, and nothing follows from it; what somebody waits for is recorded as it came."},
	{name: "calls-have-ids-of-their-own", event: callsHaveIDs,
		doc: "The calls of a reply are numbered by turn and iteration, whatever ids a provider gave them."},
	{name: "every-call-is-answered-once", event: answeredOnce,
		doc: "Every call, read_skill too, has exactly one answer when its turn ends, and the others have theirs before the walk moves (D1)."},
	{name: "hidden-skills-are-not-seen", event: hiddenIsNotSeen,
		doc: "A hidden skill starts no turn, is no candidate, is in no menu, message, offer or list, and is never active (D10)."},

	// Where a turn starts.
	{name: "a-menu-leaves-rails-alone", event: railsHaveNoMenu,
		doc: "Under rails no menu is open: nobody may choose from it."},
	{name: "a-scorer-starts-by-entry", event: scorerStartsByEntry,
		doc: "An entry scorer starts a cold turn by entry, a classifier by intent, both with the scores and never as a stay (D11)."},
	{name: "the-incumbent-is-a-candidate", event: incumbentIsCandidate,
		doc: "Where the conversation stands is scored by its description (D24)."},
	{name: "a-near-tie-without-the-incumbent-opens-a-menu", event: nearTieOpensMenu,
		doc: "If others tie and the incumbent is not among them, a menu opens, with stay (D23)."},
	{name: "a-decider-chooses-from-the-menu", event: deciderChooses,
		doc: "A decider is asked if a menu is left and a call for the answer too; what it picks starts the turn, and nothing else it says does."},
	{name: "continuity-restores-the-place", event: continuityRestores,
		doc: "A conversation goes on where it stood, with what was switched on; a place that is no more is dropped, and other turns start cold (D3)."},
	{name: "the-start-follows-from-the-rules", event: startFollows,
		doc: "A turn starts as the rules, the scores and the choices say."},

	// What a move follows from.
	{name: "reading-where-one-stands-is-a-stay", event: selfReadIsAStay,
		doc: "A read of the place itself is answered in every posture: no refusal, pick, activation or second body."},
	{name: "facts-belong-to-one-iteration", event: factsBelongToOneIteration,
		doc: "Results, picks and proposals count in the next move, and in no other (D6)."},
	{name: "a-read-is-no-result", event: readIsNoResult,
		doc: "No step sees the answer to read_skill."},
	{name: "steps-see-what-the-tools-said", event: stepsSeeWhatToolsSaid,
		doc: "A result reaches the steps as it came: its text, executed or not, and without a status if it declared none (D4, D28)."},
	{name: "one-request-wins", event: oneRequestWins,
		doc: "Of a batch one request moves the walk: a step, then the first accepted proposal, then the first accepted pick (D5, D9)."},
	{name: "results-are-in-the-order-of-the-calls", event: resultsInOrder,
		doc: "Steps judge results in the order of the calls, whenever they came."},
	{name: "a-menu-closes-once", event: menuClosesOnce,
		doc: "A menu closes at the first accepted pick or move, and does not open again (D14)."},
	{name: "the-posture-holds", event: postureHolds,
		doc: "Assist lets the model move anywhere in reach, guard only to what an open menu has, rails not at all."},
	{name: "the-move-follows-from-the-facts", event: moveFollows,
		doc: "The move is that of the facts, with all its evidence."},
	{name: "activation-follows-the-walk", event: activationFollows,
		doc: "A wired skill is active exactly while the walk is on it, an open one once it is read, and one that only the model leads to while the walk stands there (D3, D17, D20)."},
	{name: "an-instruction-stays-as-long-as-its-lease", event: leasesHold,
		doc: "An instruction is in the prompt while its condition holds, in the next call, or until the walk leaves the place where it was required."},
	{name: "the-context-is-complete", event: contextIsComplete,
		doc: "context.evaluated names what is in reach, what was superseded and what was skipped, and why a skill is active."},
	{name: "a-list-is-recorded-once", event: listsAreNamed,
		doc: "A list that equals the one before it is named by the event that has it."},

	// What the model is told.
	{name: "losers-are-told", event: losersAreTold,
		doc: "Each accepted request that did not get its way is an event, and the model is told; a promise that a step kept is none."},
	{name: "reads-are-answered-after-the-move", event: readsAreAnswered,
		doc: "An accepted read is answered with what happened: where the walk is, or the body."},
	{name: "a-refused-read-teaches", event: rejectionsTeach,
		doc: "A refused read says which skills can be read."},

	// Calls.
	{name: "a-call-in-flight-is-not-repeated", event: inFlightIsPending, command: lostCallsAreNotOut,
		doc: "A call that was out when its process died runs again only if the host says so; else it is pending, and not executed."},
	{name: "a-call-that-was-cut-failed", event: cutCallsFailed,
		doc: "A call that a stop cut is a failure, and not executed."},
	{name: "a-declined-call-is-not-made", event: declinedIsNotMade,
		doc: "A call that a person declined is denied, and the model is told why."},
	{name: "the-tools-offered-are-the-tools-that-run", event: offeredIsRun,
		doc: "A call to a tool that was not offered is refused, and any other is made (D7)."},
	{name: "calls-stay-under-the-ceiling", event: ceilingHolds,
		doc: "No more tools are called than the limit allows, nor any once their time is over; a call that is made again after a question counts once."},
	{name: "a-pause-keeps-the-batch", event: pauseKeepsBatch, command: pauseAsksOne,
		doc: "A person is asked once nothing else runs, one question at a time, and then the call is made again and no other (D1, D2)."},
	{name: "effects-are-judged-once", event: effectsAreJudged,
		doc: "Each effect is judged once, in order, and against where the walk stands; one that is refused says why, and the model is told."},

	// Limits.
	{name: "one-budget-counts-every-call", event: oneBudget,
		doc: "Model calls of every purpose count, and the last one is kept for an answer without tools (D15)."},
	{name: "a-ping-pong-is-cut", event: pingPongIsCut,
		doc: "Moves to and fro, and refused reads in a row, end in a last call if they are limited (D30)."},
	{name: "limits-hold", event: limitsHold,
		doc: "Tool calls, tokens, cost and time leave one call to wrap up, and end the turn once they are used up; the event names the limit."},
	{name: "the-end-says-why", event: endSaysWhy,
		doc: "The end of a turn has the answer, or why there is none, and the limit that cut it short."},

	// Requests.
	{name: "the-offer-is-of-the-active-skills", event: offerIsScoped,
		doc: "Offered are the tools of no skill, of a skill that does not scope them, and of active ones (D22)."},
	{name: "bodies-are-of-the-active-skills", event: bodiesAreActive,
		doc: "A request begins with the system, the steering and the facts, and the bodies of the active skills (D17)."},
	{name: "a-result-is-told-as-it-came", event: historyIsSaid,
		doc: "The history is what was said, in order: replies, a result for each call, and notes as parts of their own (D28)."},
	{name: "a-piece-names-its-bytes", event: piecesNameBytes,
		doc: "The digest of every part of a request is that of its bytes."},
	{name: "a-request-ends-with-one-tail", event: oneTail,
		doc: "The instructions and the menu come last, and once."},
	{name: "a-menu-names-what-can-be-read", event: menuNames,
		doc: "The menu names what a read would move to or open, and tells it from what it would not."},
	{name: "a-request-only-grows", event: requestGrows,
		doc: "While the active skills and the offer stay, a request drops the tail of the one before it and appends."},
	{name: "events-name-their-reasons", event: reasonsAreNamed,
		doc: "Every event names those it follows from."},

	// What is wanted.
	{name: "requests-read-back-from-called-events", command: requestsReadBack,
		doc: "Law (c): every request is what called events add up to."},
	{name: "time-stands-still-in-pauses", command: timeStandsStill,
		doc: "A deadline moves by as long as the turn waits for a person, or for a process that takes over."},
	{name: "a-turn-goes-on", event: turnWaits, command: turnGoesOn,
		doc: "What is wanted follows from the events, and a turn that is not over wants something; while it waits, nothing follows."},

	// Of whole turns; sim_test.go and laws_test.go ask them.
	{name: "a-step-ends", doc: "What follows from an outcome comes to an end."},
	{name: "a-step-can-be-finished", doc: "What a process lost while it wrote comes again, byte for byte, once what it wrote is folded and settled."},
	{name: "a-conversation-is-what-was-said", doc: "The next turn is told what was said in this one."},
	{name: "the-same-outcomes-give-the-same-bytes", doc: "Law (a): any prefix, folded, settled and fed the outcomes that remain, gives the same bytes."},
	{name: "a-turn-ends-from-anywhere", doc: "Law (b): stopped after any prefix, or resumed and driven on, the turn ends, with one answer to every call."},
	{name: "the-machine-does-not-panic", doc: "It does not."},
}

// read holds an event against the laws, and adds it to the ledger.
func (l *ledger) read(e *event.Event) (broken, what string) {
	switch b := e.Body.(type) {
	case *event.Evaluated:
		if l.under() {
			l.want = l.expect()
		}
	case *event.Called:
		if b.Purpose == model.Answer && l.under() {
			l.draft = l.compose(b)
		}
	}
	l.opened = nil
	for i := range laws {
		if laws[i].event == nil {
			continue
		}
		if what := laws[i].event(l, e); what != "" {
			return laws[i].name, what
		}
	}
	l.count(e)
	late := !l.awaited
	if l.fed != nil {
		l.fed, l.idle = nil, late
	}
	l.keep(e)
	return "", ""
}

// wants holds what the machine asks of the world against the laws.
func (l *ledger) wants(c walk.Command, s *walk.State) (broken, what string) {
	for i := range laws {
		if laws[i].command == nil {
			continue
		}
		if what := laws[i].command(l, c, s); what != "" {
			return laws[i].name, what
		}
	}
	return "", ""
}

// But says what was wanted, if it is not what there is.
func but[T comparable](name string, got, want T) string {
	if got == want {
		return ""
	}
	return fmt.Sprintf("%s is %v, and must be %v", name, got, want)
}

func butList(name string, got, want []string) string {
	if slices.Equal(got, want) {
		return ""
	}
	return fmt.Sprintf("%s are %q, and must be %q", name, got, want)
}

// first is the first complaint.
func first(complaints ...string) string {
	for _, c := range complaints {
		if c != "" {
			return c
		}
	}
	return ""
}

// same reports whether two lists have the same members.
func same(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func inOrderOfEvents(l *ledger, e *event.Event) string {
	iteration := l.iteration
	switch e.Body.(type) {
	case *event.Started:
		iteration = 0
	case *event.Evaluated:
		iteration++
	default:
		if l.in != nil {
			iteration = max(iteration, 1) // which they prepare
		}
	}
	return first(
		but("the number of the event", e.Seq, l.seq+1),
		but("its iteration", e.Iteration, iteration),
		but("its time", e.Time, l.at),
	)
}

func turnKeepsItsID(l *ledger, e *event.Event) string {
	turn := l.turn
	if _, starts := e.Body.(*event.Started); starts {
		turn++
	}
	return but("the turn", e.Turn, turn)
}

func lateChangesNothing(l *ledger, e *event.Event) string {
	_, late := e.Body.(*event.Late)
	switch {
	case l.fed == nil && l.idle:
		return e.Body.Kind() + " follows from something that is late"
	case l.fed == nil:
		if _, outcome := e.Body.(event.Outcome); outcome {
			return "the machine itself says " + e.Body.Kind()
		}
	case l.awaited && e.Body != event.Body(l.fed):
		return "a turn waits for " + l.fed.Kind() + ", and it is recorded as " + e.Body.Kind()
	case !l.awaited && !late:
		return "nobody waits for " + l.fed.Kind() + ", and it is not late"
	case late:
		return keptLate(l.fed, e.Body.(*event.Late))
	}
	return ""
}

// keptLate complains if what was said too late is lost.
func keptLate(o event.Outcome, late *event.Late) string {
	call, parts := "", []model.Part(nil)
	switch b := o.(type) {
	case *event.Late:
		call, parts = b.Call, b.Parts
	case *event.Replied:
		parts = b.Parts
	case *event.Returned:
		call, parts = b.Call, append([]model.Part{b.Result}, b.More...)
	case *event.Needs:
		call, parts = b.Call, []model.Part{b.Question}
	case *event.Answered:
		call, parts = b.Call, []model.Part{b.Answer}
	case *event.Started:
		parts = []model.Part{b.Message}
	default:
		return but("that the event says why", late.Error != "", true)
	}
	if !slices.Equal(late.Parts, parts) {
		return "what came late is " + shown(late.Parts) + ", and must be " + shown(parts)
	}
	return but("the call", late.Call, call)
}

func callsHaveIDs(l *ledger, e *event.Event) string {
	b, ok := e.Body.(*event.Replied)
	if !ok {
		return ""
	}
	n := 0
	for _, p := range b.Parts {
		if p.Kind != model.Call {
			continue
		}
		n++
		id := fmt.Sprintf("i%d.%d", l.iteration, n)
		if l.turn > 1 {
			id = fmt.Sprintf("t%d%s", l.turn, id)
		}
		if l.waits == forChoice {
			id = ""
		}
		if p.Call != id {
			return but("the id of a call", p.Call, id)
		}
	}
	return ""
}

func hiddenIsNotSeen(l *ledger, e *event.Event) string {
	if l.in == nil || len(l.in.Hidden) == 0 {
		return ""
	}
	seen := func(what string, ids ...string) string {
		for _, id := range ids {
			if slices.Contains(l.in.Hidden, id) {
				return what + " has " + id + ", which is hidden"
			}
		}
		return ""
	}
	// said looks for a name in words; a name that is a word of the machine, or
	// that was asked for, is not looked for.
	said := func(what, text string, but ...string) string {
		for _, id := range l.in.Hidden {
			if !slices.Contains(but, id) && !slices.Contains(oddSkills, id) && strings.Contains(text, id) {
				return what + " says " + id + ", which is hidden"
			}
		}
		return ""
	}
	switch b := e.Body.(type) {
	case *event.Asked:
		for _, c := range b.Query.Candidates {
			if what := seen("the query", c.ID); what != "" {
				return what
			}
		}
	case *event.TurnRouted:
		return first(seen("the start", b.To, b.From), seen("its menu", b.Offered...))
	case *event.Evaluated:
		for _, x := range b.Skipped {
			for i := range l.p.in.Skills {
				if x.Ref != "" && x.Ref == spoor.Ref("agent.skills").At(i).Key("when") {
					if what := seen("what is skipped", l.p.in.Skills[i].ID); what != "" {
						return what
					}
				}
			}
		}
		return first(seen("the move", b.Move.To), seen("the pick", b.Pick), seen("the proposal", b.Proposal), seen("the active list", actives(b)...),
			seen("the activated list", b.Activated...), seen("the reach", b.Reachable...), seen("the superseded list", b.Superseded...))
	case *event.RerouteSuperseded:
		return first(seen("a request", b.VolunteeredID, b.WonID), said("a note", b.Note.Data))
	case *event.RouteConflict:
		return said("a note", b.Note.Data)
	case *event.EffectJudged:
		return said("a note", b.Note.Data+b.Refusal, b.Target)
	case *event.Rejected:
		return first(seen("what can be read", b.Allowed...), said("the answer", b.Result.Data, b.RequestedID))
	case *event.Read:
		return first(seen("a read", b.Skill), said("the answer", b.Result.Data))
	case *event.Called:
		for _, s := range b.Splices {
			for _, p := range s.Put {
				if p.Role != model.System || p.Kind == model.Note {
					continue
				}
				if what := first(seen("a body", p.Skill), said("a "+string(p.Kind), p.Data)); what != "" {
					return what
				}
			}
		}
		for _, t := range b.Offered {
			owners := l.c.owned[t]
			if len(owners) > 0 && !slices.ContainsFunc(owners, l.sees) {
				return "the offer has " + t + ", of hidden skills alone"
			}
		}
		if b.Choice != nil {
			for _, id := range enumerated(b.Choice) {
				if !slices.Contains(oddSkills, id) {
					if what := seen("the choice", id); what != "" {
						return what
					}
				}
			}
		}
	}
	return ""
}

func railsHaveNoMenu(l *ledger, e *event.Event) string {
	if b, ok := e.Body.(*event.TurnRouted); ok && b.By == spoor.ByMenu && l.in.Posture == spoor.PostureRails {
		return "a menu is open under rails"
	}
	return ""
}

func scorerStartsByEntry(l *ledger, e *event.Event) string {
	b, ok := e.Body.(*event.TurnRouted)
	if !ok {
		return ""
	}
	if w := l.starts(); !w.error && w.decider == nil && (w.by == spoor.ByIntent || w.by == spoor.ByEntry && w.ref == "") {
		if b.Scores == nil {
			return "the start has no scores"
		}
		return but("the cause of the start", b.By, w.by)
	}
	return ""
}

func incumbentIsCandidate(l *ledger, e *event.Event) string {
	b, ok := e.Body.(*event.Asked)
	if !ok || l.in.Continuity != spoor.ContinueConversation || !l.canStand(l.in.Cursor) {
		return ""
	}
	for _, c := range b.Query.Candidates {
		if c.ID == l.in.Cursor {
			return ""
		}
	}
	return "the incumbent " + l.in.Cursor + " is not scored"
}

func nearTieOpensMenu(l *ledger, e *event.Event) string {
	b, ok := e.Body.(*event.TurnRouted)
	if !ok {
		return ""
	}
	if w := l.starts(); w.near && (w.by == spoor.ByMenu || w.by == spoor.ByNone) {
		return first(but("the cause of the start", b.By, w.by), but("the offer to stay", b.Stay, true))
	}
	return ""
}

func deciderChooses(l *ledger, e *event.Event) string {
	switch b := e.Body.(type) {
	case *event.Called:
		if b.Purpose != model.Decide {
			return ""
		}
		w := l.starts()
		if !w.decide {
			return "a decider is asked, and there is nothing to decide"
		}
		options := enumerated(b.Choice)
		extra := 1
		if w.stay {
			extra = 2
		}
		if len(options) != len(w.options)+extra || !slices.Equal(options[:len(w.options)], w.options) || repeats(options) {
			return fmt.Sprintf("the options are %q, and the menu is %q, with stay: %v", options, w.options, w.stay)
		}
	case *event.TurnRouted:
		w := l.starts()
		switch {
		case w.decide:
			return "the decider was not asked"
		case w.decider == nil && b.Decider != nil:
			return "there was nothing to decide"
		case w.decider == nil:
			return ""
		case b.Decider == nil:
			return "the decider is left out"
		}
		return first(
			but("its pick", b.Decider.Picked, w.decider.Picked), but("its stay", b.Decider.Stay, w.decider.Stay),
			but("its model", b.Decider.Model, w.decider.Model), but("its failure", b.Decider.Error != "", w.decider.Error != ""),
			but("the cause", b.By, w.by), but("the start", b.To, w.to),
		)
	}
	return ""
}

func repeats(list []string) bool {
	sorted := slices.Sorted(slices.Values(list))
	return len(slices.Compact(sorted)) < len(list)
}

func continuityRestores(l *ledger, e *event.Event) string {
	switch b := e.Body.(type) {
	case *event.TurnRouted:
		return but("the dropped place", b.Dropped, l.starts().dropped)
	case *event.Evaluated:
		if b.Move.From != "" && l.iteration == 0 && l.place == "" {
			return "the turn is cold, and moves from " + b.Move.From
		}
		if l.iteration > 0 {
			return ""
		}
		for _, id := range l.kept() {
			if !slices.Contains(b.Activated, id) && (id != l.place || id == b.Move.To || l.c.open(id)) {
				return id + " was switched on before this turn, and is no more"
			}
		}
	}
	return ""
}

func startFollows(l *ledger, e *event.Event) string {
	if !l.routing || l.in == nil {
		return ""
	}
	if _, outcome := e.Body.(event.Outcome); outcome {
		return ""
	}
	w := l.starts()
	switch b := e.Body.(type) {
	case *event.Asked:
		if w.ask == nil || w.scorer == walk.LLM || !reflect.DeepEqual(b.Query, *w.ask) || b.Scorer != w.scorer {
			return fmt.Sprintf("%s is asked %v, and must be asked %v", b.Scorer, b.Query, w.ask)
		}
	case *event.Called:
		var put []model.Part
		for _, splice := range b.Splices {
			put = append(put, splice.Put...)
		}
		if len(put) != 2 || put[0].Role != model.System || put[1] != l.in.Message || b.Last || len(b.Offered) > 0 || b.Choice == nil {
			return "the model is asked " + shown(put) + ", with tools"
		}
		for _, option := range enumerated(b.Choice) {
			if !strings.Contains(put[0].Data, option) {
				return "the model is not told of the option " + option
			}
		}
		switch {
		case b.Purpose == model.Classify && w.ask != nil && w.scorer == walk.LLM:
			options := enumerated(b.Choice)
			if len(options) != len(w.candidates)+1 || !slices.Equal(options[:len(w.candidates)], w.candidates) || repeats(options) {
				return fmt.Sprintf("the options are %q, and the candidates %q", options, w.candidates)
			}
		case b.Purpose == model.Decide && w.decide:
		default:
			return "a model is asked to " + string(b.Purpose)
		}
	case *event.TurnRouted:
		if w.ask != nil {
			return "the turn starts before the scorer was asked"
		}
		return first(
			but("the cause of the start", b.By, w.by), but("its place", b.To, w.to), but("where it comes from", b.From, w.from),
			butList("the skills of the menu", b.Offered, w.offered), but("the offer to stay", b.Stay, w.stay),
			but("the failure of the scorer", b.Error != "", w.error),
			but("the scorer", b.Scorer != "", l.scored != nil || l.classified != nil),
			but("the address of the rule", w.ref == "" || b.Ref == w.ref, true),
			but("that the words of the rule are those that it claims", w.ref == "" || reflect.DeepEqual(b.Witness, w.witness), true),
		)
	case *event.Evaluated:
		if w.ask != nil || w.decide || w.by != "" || w.dropped != "" {
			return "the walk moves before it is known where it starts"
		}
	default:
		return e.Body.Kind() + " comes before it is known where the turn starts"
	}
	return ""
}

// moves is the move of an event, and what it must be.
func moves(l *ledger, e *event.Event) (*event.Evaluated, *expectation) {
	b, _ := e.Body.(*event.Evaluated)
	if b == nil || l.want == nil {
		return nil, nil
	}
	return b, l.want
}

func factsBelongToOneIteration(l *ledger, e *event.Event) string {
	b, w := moves(l, e)
	if b == nil {
		return ""
	}
	asked := func(wants func(c *call) bool) bool { return slices.ContainsFunc(l.batch, wants) }
	if b.Pick != "" && !asked(func(c *call) bool { return c.read() && named(c.args) == b.Pick }) {
		return "no read of this batch picks " + b.Pick
	}
	if b.Proposal != "" && !asked(func(c *call) bool {
		return slices.ContainsFunc(c.effects, func(f spoor.Effect) bool { return f.Target == b.Proposal })
	}) {
		return "no tool of this batch proposes " + b.Proposal
	}
	if len(l.before) > 0 {
		stale := w.facts
		stale.Results = slices.Concat(l.before, stale.Results)
		return l.madeOf("results of an iteration that is over", b, w, stale)
	}
	return ""
}

// madeOf complains if a move is not that of the facts but of others.
func (l *ledger) madeOf(what string, b *event.Evaluated, w *expectation, others spoor.Facts) string {
	if !reflect.DeepEqual(b.Move, w.move) && reflect.DeepEqual(b.Move, l.view.Next(others)) {
		return fmt.Sprintf("the move to %q by %s is made of %s", b.Move.To, b.Move.By, what)
	}
	return ""
}

func readIsNoResult(l *ledger, e *event.Event) string {
	b, w := moves(l, e)
	if b == nil {
		return ""
	}
	f := w.facts
	f.Results = nil
	for _, c := range l.batch {
		r := c.asResult()
		r.Executed = r.Executed || c.read()
		f.Results = append(f.Results, r)
	}
	return l.madeOf("a read", b, w, f)
}

func stepsSeeWhatToolsSaid(l *ledger, e *event.Event) string {
	b, w := moves(l, e)
	if b == nil || len(w.facts.Results) == 0 || reflect.DeepEqual(b.Move, w.move) {
		return ""
	}
	with := func(change func(*spoor.Result)) string {
		f := w.facts
		f.Results = slices.Clone(f.Results)
		for i := range f.Results {
			change(&f.Results[i])
		}
		return l.madeOf("what no tool said", b, w, f)
	}
	return first(
		with(func(r *spoor.Result) { r.Executed = true }),
		with(func(r *spoor.Result) {
			if r.Status == "" {
				r.Status = spoor.Success
			}
		}),
		with(func(r *spoor.Result) { r.Text += "\n(note)" }),
	)
}

func resultsInOrder(l *ledger, e *event.Event) string {
	b, w := moves(l, e)
	if b == nil || len(w.facts.Results) < 2 || reflect.DeepEqual(b.Move, w.move) {
		return ""
	}
	reversed, arrived := w.facts, w.facts
	reversed.Results = slices.Clone(reversed.Results)
	slices.Reverse(reversed.Results)
	arrived.Results = slices.Clone(arrived.Results)
	slices.SortFunc(arrived.Results, func(a, b spoor.Result) int { return l.call(a.CallID).answered - l.call(b.CallID).answered })
	return first(l.madeOf("results in another order", b, w, reversed), l.madeOf("results in the order in which they came", b, w, arrived))
}

// admitted is a read that moved the walk, or was answered as if it may.
func admitted(l *ledger, e *event.Event) (c *call) {
	switch b := e.Body.(type) {
	case *event.Evaluated:
		if l.want != nil && b.Pick != l.want.facts.Pick {
			for _, c := range l.batch {
				if c.read() && c.wants == b.Pick {
					return c
				}
			}
		}
	case *event.Read:
		return l.call(b.Call)
	}
	return nil
}

func menuClosesOnce(l *ledger, e *event.Event) string {
	if b, ok := e.Body.(*event.Evaluated); ok && b.Declined && !l.menuOpen && (l.place != "" || !l.c.byModel) {
		return "a menu that is closed was declined"
	}
	if b := asked(e); b != nil && !b.Last && !l.menuOpen && l.routed != nil && l.routed.By == spoor.ByMenu && len(l.draft) > 0 {
		blocks, _ := menuBlocks(l.draft[len(l.draft)-1].Data)
		want := l.readable()
		if len(blocks) > 0 && slices.Equal(blocks[0], without(l.routed.Offered, l.place)) && (len(want) == 0 || !slices.Equal(want[0], blocks[0])) {
			return "the menu is closed, and the model is told of it"
		}
	}
	var offered []string
	switch {
	case l.routed != nil && l.routed.By == spoor.ByMenu:
		offered = l.routed.Offered
	case l.c.byModel && (l.routed == nil || l.routed.By == ""):
		offered = l.reachable("")
	}
	if b, ok := e.Body.(*event.Rejected); ok && l.in.Posture == spoor.PostureGuard {
		if c := l.call(b.Call); c != nil && c.menu == nil && slices.ContainsFunc(or(b.Allowed, b.AllowedAs, l.allowed), func(id string) bool { return slices.Contains(offered, id) }) {
			return "the menu is closed, and the model is told that it can be read from"
		}
	}
	if c := admitted(l, e); c != nil && c.refused == spoor.PostureGuard && slices.Contains(offered, c.wants) {
		return "the menu is closed, and " + c.wants + " is picked from it"
	}
	return ""
}

func postureHolds(l *ledger, e *event.Event) string {
	if c := admitted(l, e); c != nil && c.refused != "" {
		return fmt.Sprintf("%s is picked under %s", c.wants, c.refused)
	}
	switch b := e.Body.(type) {
	case *event.Evaluated:
		if l.want != nil && l.want.facts.Pick != "" && b.Pick == "" {
			return "the pick of " + l.want.facts.Pick + " does not count"
		}
	case *event.Rejected:
		if c := l.call(b.Call); c != nil && !c.rejected() && c.target == spoor.Hop {
			return fmt.Sprintf("%s is refused under %q", c.wants, l.in.Posture)
		}
	}
	return ""
}

func oneRequestWins(l *ledger, e *event.Event) string {
	if b, ok := e.Body.(*event.EffectJudged); ok && b.Effect.Kind == spoor.ProposeTransition && b.Outcome == event.EffectAccepted {
		if first := l.proposal.skill; first != "" && first != b.Target {
			return "the proposal of " + b.Target + " is accepted, and " + first + " was before it"
		}
	}
	b, w := moves(l, e)
	if b == nil {
		return ""
	}
	for _, c := range l.batch {
		if b.Pick != w.facts.Pick && c.read() && c.wants == b.Pick && c.target == spoor.Hop && c.refused == "" {
			return "the pick is " + b.Pick + ", and the first is " + w.facts.Pick
		}
	}
	if what := but("the proposal", b.Proposal, w.facts.Proposal); what != "" || b.Move.By == w.move.By {
		return what
	}
	tools, model, proposal := w.facts, w.facts, w.facts
	tools.Results = nil
	model.Results, model.Proposal = nil, ""
	proposal.Proposal = ""
	return first(
		l.madeOf("what the tools and the model asked for, against a step", b, w, tools), l.madeOf("what the model asked for, against a step", b, w, model),
		l.madeOf("what the model asked for, against a tool", b, w, proposal),
	)
}

func selfReadIsAStay(l *ledger, e *event.Event) string {
	switch b := e.Body.(type) {
	case *event.Evaluated:
		if b.Pick != "" && b.Pick == l.place {
			return "the place itself is picked"
		}
	case *event.Rejected:
		if c := l.call(b.Call); c != nil && c.target == spoor.Self {
			return "a read of the place itself is refused"
		}
	case *event.Read:
		c := l.call(b.Call)
		if c == nil || c.target != spoor.Self {
			return ""
		}
		if s := l.c.spots[b.Skill]; s != nil && s.skill.Body != "" && strings.Contains(b.Result.Data, s.skill.Body) {
			return "the body of the place comes a second time"
		}
		return but("the target", b.Target, spoor.Self)
	}
	return ""
}

func moveFollows(l *ledger, e *event.Event) string {
	b, w := moves(l, e)
	if b == nil || reflect.DeepEqual(b.Move, w.move) {
		return ""
	}
	return fmt.Sprintf("the move is %+v, and must be %+v", b.Move, w.move)
}

func activationFollows(l *ledger, e *event.Event) string {
	b, w := moves(l, e)
	if b == nil {
		return ""
	}
	if got := or(b.Activated, b.ActivatedAs, list{l.activated, l.activatedAt}); !same(got, w.activated) {
		return butList("the activated skills", got, w.activated)
	}
	return butList("the active skills", or(actives(b), b.ActiveAs, l.active), w.active)
}

// or is a list, or the one that an event names.
func or(items []string, as int, was list) []string {
	if as != 0 {
		return was.items
	}
	return items
}

func leasesHold(l *ledger, e *event.Event) string {
	b, w := moves(l, e)
	if b == nil {
		return ""
	}
	if what := butList("the instructions", or(instructions(b), b.InstructionsAs, l.told), w.instructions); what != "" {
		return what
	}
	for _, n := range b.Instructions {
		if _, ref := l.p.graph.Instruction(n.ID); n.Ref != ref {
			return but("the address of "+n.ID, n.Ref, ref)
		}
		ruled := slices.Contains(w.rules, n.ID)
		leased := slices.ContainsFunc(l.leases, func(x lease) bool {
			return x.id == n.ID && x.call == n.Call && x.lease == n.Lease && x.holds(l.iteration+1, l.spotOf(w.move))
		})
		if ruled && n.Via != spoor.ViaRule || !ruled && (n.Via != spoor.ViaLease || !leased) {
			return fmt.Sprintf("the instruction %s is there by %s of %q", n.ID, n.Via, n.Call)
		}
	}
	return ""
}

func contextIsComplete(l *ledger, e *event.Event) string {
	b, w := moves(l, e)
	if b == nil {
		return ""
	}
	if b.ActiveAs == 0 {
		if what := butList("the ways to the active skills", ways(b), w.ways); what != "" {
			return what
		}
	}
	for _, s := range b.Skipped {
		if hidden := slices.Contains(l.in.Hidden, s.ID); hidden != (s.Reason == event.SkipHidden) || !hidden && s.Error == "" {
			return fmt.Sprintf("%s%s is skipped for %s", s.ID, s.Ref, s.Reason)
		}
	}
	menu := l.menu(l.menuOpen, l.place)
	declined := menu != nil && b.Pick != "" && !slices.Contains(menu, b.Pick)
	return first(
		butList("the skills in reach", or(b.Reachable, b.ReachableAs, l.reach), w.reachable),
		butList("the superseded skills", or(b.Superseded, b.SupersededAs, l.superseded), w.superseded),
		butList("what is skipped", or(skips(b), b.SkippedAs, l.skipped), w.skipped),
		but("that the menu was declined", b.Declined, declined),
	)
}

func listsAreNamed(l *ledger, e *event.Event) string {
	once := func(name string, n int, as int, was list, same bool) string {
		switch {
		case as != 0 && (as != was.at || n > 0 || !same):
			return fmt.Sprintf("%s are those of event %d, which has others", name, as)
		case as == 0 && n > 0 && same:
			return fmt.Sprintf("%s are recorded again", name)
		}
		return ""
	}
	switch b := e.Body.(type) {
	case *event.Evaluated:
		if l.want == nil {
			return ""
		}
		return first(
			once("the active skills", len(b.Active), b.ActiveAs, l.active, slices.Equal(l.active.items, l.want.active) && slices.Equal(l.ways, l.want.ways)),
			once("the activated skills", len(b.Activated), b.ActivatedAs, list{l.activated, l.activatedAt}, l.activatedAt > 0 && slices.Equal(l.activated, l.want.activated)),
			once("the skills that are on", len(b.Activated), b.ActivatedAs, list{l.activated, l.activatedAt}, l.activatedAt > 0 && slices.Equal(l.activated, l.want.activated)),
			once("the skills in reach", len(b.Reachable), b.ReachableAs, l.reach, slices.Equal(l.reach.items, l.want.reachable)),
			once("the superseded skills", len(b.Superseded), b.SupersededAs, l.superseded, slices.Equal(l.superseded.items, l.want.superseded)),
		)
	case *event.Rejected:
		return once("the skills that can be read", len(b.Allowed), b.AllowedAs, l.allowed, b.AllowedAs != 0 || slices.Equal(l.allowed.items, b.Allowed))
	case *event.Called:
		if b.Purpose == model.Answer {
			return once("the tools", len(b.Offered), b.OfferedAs, l.offered, b.OfferedAs != 0 || slices.Equal(l.offered.items, b.Offered))
		}
	}
	return ""
}

func losersAreTold(l *ledger, e *event.Event) string {
	lost := l.proposal.skill != "" && l.proposal.skill != l.move.To
	switch b := e.Body.(type) {
	case *event.RouteConflict:
		c := l.move.Conflict
		if c == nil || l.conflict || !reflect.DeepEqual(b.Winner, c.Winner) || !reflect.DeepEqual(b.Losers, c.Losers) {
			return "there is no such conflict"
		}
		for _, loser := range c.Losers {
			if !strings.Contains(b.Note.Data, loser.Target) || b.Note.Kind != model.Note {
				return "the model is not told that " + loser.Target + " lost"
			}
		}
	case *event.RerouteSuperseded:
		if what := first(but("the winner", b.WonID, l.move.To), but("the cause", b.By, l.move.By)); what != "" {
			return what
		}
		if b.Source == spoor.ByProposal {
			if !lost || l.beaten || b.Call != l.proposal.call || b.VolunteeredID != l.proposal.skill {
				return "the proposal of " + b.VolunteeredID + " did not lose"
			}
			if !strings.Contains(b.Note.Data, b.VolunteeredID) || b.Note.Kind != model.Note {
				return "the model is not told that " + b.VolunteeredID + " lost"
			}
			return ""
		}
		c := l.call(b.Call)
		if c == nil || c.target != spoor.Hop || c.rejected() || c.wants != b.VolunteeredID || c.wants == l.move.To || c.beaten || b.Source != spoor.ByPick {
			return "the pick of " + b.VolunteeredID + " did not lose"
		}
	case *event.Read:
		c := l.call(b.Call)
		if c == nil {
			return ""
		}
		switch loses := c.target == spoor.Hop && c.wants != l.move.To; {
		case loses && !c.beaten:
			return "the pick of " + c.wants + " lost, and that is no event"
		case loses && (!strings.Contains(b.Result.Data, l.move.To) || strings.Contains(b.Result.Data, "in \""+c.wants)):
			return "the model is not told that " + c.wants + " lost: " + b.Result.Data
		}
	case *event.Called, *event.Finished:
		if !l.telling || l.ending {
			return ""
		}
		if l.move.Conflict != nil && !l.conflict {
			return "results led to different places, and that is no event"
		}
		if lost && !l.beaten {
			return "the proposal of " + l.proposal.skill + " lost, and that is no event"
		}
	case *event.EffectJudged:
		if b.Outcome != event.EffectAccepted && (b.Note.Kind != model.Note || b.Note.Data == "") {
			return "the model is not told that an effect of " + b.Tool + " was " + string(b.Outcome)
		}
	}
	return ""
}

func readsAreAnswered(l *ledger, e *event.Event) string {
	b, ok := e.Body.(*event.Read)
	if !ok {
		return ""
	}
	c := l.call(b.Call)
	s := l.c.spots[b.Skill]
	if c == nil || s == nil || !l.telling {
		return "there is no such read"
	}
	if what := first(but("the skill", b.Skill, c.wants), but("the target", b.Target, c.target), but("the call", b.Result.Call, c.id), resultOf(c, b.Result, "")); what != "" {
		return what
	}
	if c.rejected() {
		return c.wants + " can not be read"
	}
	body, text := s.skill.Body, b.Result.Data
	delivered := body != "" && (s.skill.Delivery == spoor.DeliverBoth || s.skill.Delivery == spoor.DeliverResult && c.target == spoor.OpenSkill)
	moved := c.target != spoor.OpenSkill && c.wants != l.move.To
	for _, other := range l.batch { // a batch is told a body once
		if other == c {
			break
		}
		delivered = delivered && !(c.target == spoor.OpenSkill && other.read() && other.wants == c.wants && other.target == c.target)
	}
	switch {
	case c.target == spoor.Self || moved:
		if !strings.Contains(text, c.wants) || !strings.Contains(text, l.move.To) || text == body {
			return "the answer does not say where the walk is: " + text
		}
	case delivered:
		return but("the answer", text, body)
	case text == body || !strings.Contains(text, c.wants):
		return "the answer does not say where the instructions are: " + text
	}
	return ""
}

// resultOf complains about a part that is not the result of a call.
func resultOf(c *call, p model.Part, status spoor.Status) string {
	return first(
		but("the role of the answer", p.Role, model.Tool), but("its kind", p.Kind, model.Result), but("its call", p.Call, c.id),
		but("its tool", p.Tool, c.tool), but("its status", p.Status, string(status)), but("that it says something", p.Data != "", true),
	)
}

func rejectionsTeach(l *ledger, e *event.Event) string {
	b, ok := e.Body.(*event.Rejected)
	if !ok {
		return ""
	}
	c := l.call(b.Call)
	if c == nil || !c.rejected() || !l.telling {
		return "there is no read that is refused"
	}
	from := l.move.From
	var allowed []string
	switch l.in.Posture {
	case spoor.PostureRails:
	case spoor.PostureGuard:
		for _, id := range c.menu {
			if id != from {
				allowed = append(allowed, id)
			}
		}
	default:
		allowed = l.reachable(from)
	}
	allowed = append(allowed, l.opens(from)...)
	for _, id := range allowed {
		if !strings.Contains(b.Result.Data, id) {
			return "the answer does not name " + id + ", which can be read: " + b.Result.Data
		}
	}
	return first(
		but("the skill asked for", b.RequestedID, c.wants), but("the place", b.CurrentSkillID, from), but("the posture", b.Posture, c.refused),
		butList("the skills that can be read", or(b.Allowed, b.AllowedAs, l.allowed), allowed), resultOf(c, b.Result, ""),
	)
}

func answeredOnce(l *ledger, e *event.Event) string {
	id := ""
	switch b := e.Body.(type) {
	case *event.Returned:
		id = b.Call
	case *event.Refused:
		id = b.Call
	case *event.Read:
		id = b.Call
	case *event.Rejected:
		id = b.Call
	case *event.Evaluated:
		for _, c := range l.batch {
			if c.answered == 0 && !(c.read() && slices.Contains(l.offered.items, c.tool)) {
				return "the walk moves, and " + c.id + " is not answered"
			}
		}
		return ""
	case *event.Called, *event.Finished:
		for _, c := range l.batch {
			if c.answered == 0 {
				return e.Body.Kind() + " comes, and " + c.id + " is not answered"
			}
		}
		return ""
	default:
		return ""
	}
	if c := l.call(id); c == nil || c.answered > 0 {
		return id + " is answered, and nothing is open"
	}
	return ""
}

// refuses is a call that the machine answers, and the reason that it must have.
func refuses(l *ledger, e *event.Event) (b *event.Refused, c *call, want event.Reason, status spoor.Status) {
	b, ok := e.Body.(*event.Refused)
	if !ok {
		return nil, nil, "", ""
	}
	if c = l.call(b.Call); c == nil {
		return nil, nil, "", ""
	}
	want, status = l.verdict(c)
	return b, c, want, status
}

// refusedBy complains if a call is refused for this reason and must not be, or
// must be and is not.
func refusedBy(l *ledger, e *event.Event, reason event.Reason) string {
	if b, ok := e.Body.(*event.Sent); ok {
		for _, id := range b.Calls {
			if c := l.call(id); c != nil {
				if want, _ := l.verdict(c); want == reason {
					return id + " is sent, and must be refused: " + string(reason)
				}
			}
		}
		return ""
	}
	b, c, want, status := refuses(l, e)
	if b == nil || b.Reason != reason && want != reason {
		return ""
	}
	return first(but("the reason", b.Reason, want), but("the status", b.Status, status), but("the tool", b.Tool, c.tool), resultOf(c, b.Result, status))
}

func inFlightIsPending(l *ledger, e *event.Event) string { return refusedBy(l, e, event.Lost) }

func lostCallsAreNotOut(l *ledger, c walk.Command, _ *walk.State) string {
	for _, c := range l.batch {
		if c.lost {
			return c.id + " was in flight when its process died, and nobody answers it"
		}
	}
	return ""
}

func cutCallsFailed(l *ledger, e *event.Event) string { return refusedBy(l, e, event.Cut) }

func declinedIsNotMade(l *ledger, e *event.Event) string {
	if what := refusedBy(l, e, event.Declined); what != "" {
		return what
	}
	if b, c, _, _ := refuses(l, e); b != nil && b.Reason == event.Declined && !strings.Contains(b.Result.Data, c.person.Answer.Data) {
		return "the model is not told why " + c.id + " was declined"
	}
	return ""
}

func offeredIsRun(l *ledger, e *event.Event) string {
	if what := refusedBy(l, e, event.Unoffered); what != "" {
		return what
	}
	if b, c, _, _ := refuses(l, e); b != nil && b.Reason == event.Unoffered && !strings.Contains(b.Result.Data, c.tool) {
		return "the model is not told that there is no " + c.tool
	}
	return ""
}

func ceilingHolds(l *ledger, e *event.Event) string { return refusedBy(l, e, event.Budget) }

func pauseKeepsBatch(l *ledger, e *event.Event) string {
	switch b := e.Body.(type) {
	case *event.Paused:
		for _, c := range l.batch {
			if c.out {
				return "a person is asked while " + c.id + " runs"
			}
		}
		if c := l.asking(); c == nil || c.id != b.Call {
			return b.Call + " is not the first call that asks"
		}
	case *event.Sent:
		var must []string
		for _, c := range l.batch {
			if reason, _ := l.verdict(c); reason == "" && c.answered == 0 && !c.out && c.asks == nil && !c.read() {
				must = append(must, c.id)
			}
		}
		return butList("the calls sent", b.Calls, must)
	}
	return ""
}

func pauseAsksOne(l *ledger, c walk.Command, _ *walk.State) string {
	ask, ok := c.(walk.Ask)
	if ok != (l.waits == forPerson) {
		return fmt.Sprintf("a person is asked: %v", ok)
	}
	if want := l.asking(); ok && (want == nil || want.id != ask.Call.ID || want.asks != ask.Question) {
		return "a person is asked what no call asks"
	}
	return ""
}

func effectsAreJudged(l *ledger, e *event.Event) string {
	switch b := e.Body.(type) {
	case *event.EffectJudged:
		for _, c := range l.batch {
			if c.judged < len(c.effects) {
				want, by := l.judged(c.effects[c.judged])
				if b.Call != c.id || b.Effect != c.effects[c.judged] || b.Tool != c.tool {
					return "the next effect is one of " + c.id
				}
				if want == event.EffectRefused && l.unreached(c.effects[c.judged]) {
					for _, id := range l.reachable(l.place) {
						if !strings.Contains(b.Note.Data, id) {
							return "the model is not told that " + id + " is in reach"
						}
					}
				}
				return first(
					but("the outcome", b.Outcome, want), but("what it lost to", b.SupersededBy, by),
					but("that a refusal has a reason", b.Refusal != "", want == event.EffectRefused),
					but("that there is a note", b.Note.Kind != "", want != event.EffectAccepted),
				)
			}
		}
		return "there is no such effect"
	case *event.Evaluated:
		for _, c := range l.batch {
			if c.judged < len(c.effects) {
				return "the walk moves, and an effect of " + c.id + " is not judged"
			}
		}
	}
	return ""
}

// unreached reports whether an effect proposes, with a reason, a skill that is
// not in reach.
func (l *ledger) unreached(f spoor.Effect) bool {
	return f.Kind == spoor.ProposeTransition && f.Target != "" && strings.TrimSpace(f.Reason) != "" && l.class(l.place, f.Target) == spoor.Unreachable
}

// judged says what becomes of an effect.
func (l *ledger) judged(f spoor.Effect) (event.EffectOutcome, string) {
	known := func() bool {
		return slices.ContainsFunc(l.p.in.Instructions, func(n spoor.Instruction) bool { return n.ID == f.Instruction })
	}
	switch {
	case f.Kind == spoor.RequireInstruction && known() && (f.Lease == spoor.NextCall || f.Lease == spoor.UntilSkillExit):
		return event.EffectAccepted, ""
	case f.Kind == spoor.ProposeTransition && strings.TrimSpace(f.Reason) != "":
		if t := l.class(l.place, f.Target); t == spoor.Hop || t == spoor.Self {
			if l.proposal.skill != "" && l.proposal.skill != f.Target {
				return event.EffectSuperseded, l.proposal.skill
			}
			return event.EffectAccepted, ""
		}
	}
	return event.EffectRefused, ""
}

// counted are the limits that a law speaks of.
func counted(l *ledger, e *event.Event, mine func(spoor.Limit) bool) string {
	b, ok := e.Body.(*event.Called)
	if !ok {
		return ""
	}
	closing, spent := l.closing(), l.spent()
	switch {
	case mine(spent):
		return "a model is asked, and the turn has no more " + string(spent)
	case b.Purpose != model.Answer && mine(closing):
		return "a model is asked to " + string(b.Purpose) + ", and only the answer is left: " + string(closing)
	case b.Purpose == model.Answer && (mine(closing) || mine(b.Limit)):
		return first(but("the limit", b.Limit, closing), but("that the call is the last", b.Last, closing != ""),
			but("that the last call has no tools", closing != "" && len(b.Offered) > 0, false))
	}
	return ""
}

func oneBudget(l *ledger, e *event.Event) string {
	return counted(l, e, func(m spoor.Limit) bool { return m == spoor.LimitModelCalls })
}

func pingPongIsCut(l *ledger, e *event.Event) string {
	return counted(l, e, func(m spoor.Limit) bool { return m == spoor.LimitPingPong || m == spoor.LimitRefusals })
}

func limitsHold(l *ledger, e *event.Event) string {
	return counted(l, e, func(m spoor.Limit) bool { return m != "" })
}

func endSaysWhy(l *ledger, e *event.Event) string {
	b, ok := e.Body.(*event.Finished)
	if !ok {
		return ""
	}
	by, why, limit := event.ByAnswer, "", spoor.Limit("")
	var answer []model.Part
	switch {
	case l.stopped != "":
		by, why = event.ByStop, l.stopped
		if l.expired() {
			limit = spoor.LimitTime
		}
	case l.failed != "":
		by, why = event.ByError, l.failed
	default:
		if !l.ending && l.spent() == "" {
			return "the turn ends, and it may go on"
		}
		switch {
		case l.final != "" && (l.answers > 1 || len(l.batch) > 0):
			limit = l.final
		case len(l.batch) > 0 || l.answers == 0:
			limit = l.spent()
		}
		for _, p := range l.reply {
			if p.Kind == model.Text {
				answer = append(answer, p)
			}
		}
	}
	return first(
		but("the end", b.By, by), but("its error", b.Error, why), but("its limit", b.Limit, limit), but("that it is limited", b.Limited, limit != ""),
		but("that the answer is what was said last", slices.Equal(b.Answer, answer), true),
	)
}

// asked is a call for an answer.
func asked(e *event.Event) *event.Called {
	b, _ := e.Body.(*event.Called)
	if b == nil || b.Purpose != model.Answer {
		return nil
	}
	return b
}

func offerIsScoped(l *ledger, e *event.Event) string {
	b := asked(e)
	if b == nil {
		return ""
	}
	var want []string
	if !b.Last {
		if l.canRead() {
			want = append(want, walk.ReadSkill)
		}
		for _, t := range l.in.Tools {
			owners := l.c.owned[t.Name]
			if len(owners) == 0 || slices.ContainsFunc(owners, func(id string) bool {
				return l.sees(id) && (!l.c.spots[id].scoped || slices.Contains(l.active.items, id))
			}) {
				want = append(want, t.Name)
			}
		}
	}
	if b.OfferedAs != 0 && len(b.Offered) > 0 {
		return "the offer is named and given"
	}
	return first(butList("the tools", or(b.Offered, b.OfferedAs, l.offered), want), but("the place", b.Skill, l.place))
}

// compose makes the request of an event as its splices make it; nil if they
// cannot be applied.
func (l *ledger) compose(b *event.Called) []model.Part {
	parts := l.request
	if l.answers == 0 {
		parts = nil
	}
	length := len(parts)
	for _, s := range b.Splices {
		if s.At < 0 || s.Drop < 0 || s.At+s.Drop > length {
			return nil
		}
		length += len(s.Put) - s.Drop
	}
	return spliced(slices.Clone(parts), b.Splices)
}

func bodiesAreActive(l *ledger, e *event.Event) string {
	if asked(e) == nil {
		return ""
	}
	parts := l.draft
	if parts == nil {
		return "the splices reach beyond the request"
	}
	bodies := l.bodiesNow()
	n := len(l.head) + len(bodies)
	if len(parts) < n || !slices.Equal(parts[:len(l.head)], l.head) || !slices.Equal(parts[len(l.head):n], bodies) {
		return "the request begins " + shown(parts[:min(n+1, len(parts))]) + ", and must begin " + shown(slices.Concat(l.head, bodies))
	}
	if n < len(parts) && parts[n].Skill != "" {
		return "the request has the body of " + parts[n].Skill
	}
	return ""
}

func historyIsSaid(l *ledger, e *event.Event) string {
	b := asked(e)
	if b == nil {
		return ""
	}
	parts := l.draft
	at := len(l.head) + len(l.bodiesNow())
	end := len(parts) - tailLength(parts)
	if b.Last {
		end--
		if end < at || parts[end].Kind != model.Note || parts[end].Role != model.System {
			return "the model is not told that this is the last call"
		}
	}
	got := parts[min(at, end):end]
	news := l.news()
	if len(got) != len(l.said)+len(news) || !slices.Equal(got[:len(l.said)], l.said) || !slices.Equal(got[len(l.said):], news) {
		return "the request says " + shown(got) + ", and " + shown(slices.Concat(l.said, news)) + " was said"
	}
	return ""
}

func piecesNameBytes(l *ledger, e *event.Event) string {
	b, ok := e.Body.(*event.Called)
	if !ok {
		return ""
	}
	for _, s := range b.Splices {
		for _, p := range s.Put {
			if p.Piece != model.Sum(p.Data) {
				return "the digest of " + p.Data + " is that of something else"
			}
		}
	}
	if t := b.Choice; t != nil && t.Piece != model.Sum(t.Data) {
		return "the digest of the choice is that of something else"
	}
	return ""
}

func oneTail(l *ledger, e *event.Event) string {
	b := asked(e)
	if b == nil {
		return ""
	}
	parts := l.draft
	tail := parts[len(parts)-tailLength(parts):]
	for _, id := range l.told.items {
		i := slices.IndexFunc(l.p.in.Instructions, func(n spoor.Instruction) bool { return n.ID == id })
		if len(tail) == 0 || tail[0] != model.NewPart(model.System, model.Instruction, l.p.in.Instructions[i].Text) {
			return "the request does not end with the instruction " + id
		}
		tail = tail[1:]
	}
	menu := !b.Last && l.hasMenu()
	if menu != (len(tail) == 1 && tail[0].Kind == model.Menu && tail[0].Role == model.System) || !menu && len(tail) > 0 {
		return fmt.Sprintf("the request ends with %s, and a menu belongs there: %v", shown(tail), menu)
	}
	return ""
}

// readable lists what a read would move to or open: what the menu of the start
// offers, while it is open, what else is in reach, and what is open.
func (l *ledger) readable() (blocks [][]string) {
	add := func(ids []string) {
		if len(ids) > 0 {
			blocks = append(blocks, ids)
		}
	}
	var offered []string
	if l.menuOpen {
		offered = without(l.routed.Offered, l.place)
	}
	add(offered)
	free := l.in.Posture == "" || l.in.Posture == spoor.PostureAssist
	if free || l.in.Posture == spoor.PostureGuard && !l.menuOpen && l.menu(false, l.place) != nil {
		add(slices.DeleteFunc(l.reachable(l.place), func(id string) bool { return slices.Contains(offered, id) }))
	}
	add(l.opens(l.place))
	return blocks
}

// barred lists what cannot be read from here.
func (l *ledger) barred() (ids []string) {
	readable := slices.Concat(l.readable()...)
	for _, id := range l.c.ids {
		if l.sees(id) && id != l.place && !slices.Contains(readable, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// canRead reports whether some skill may be read in this turn: an open one, or
// one that the walk may stand beside.
func (l *ledger) canRead() bool {
	seen := slices.DeleteFunc(slices.Clone(l.c.ids), func(id string) bool { return !l.sees(id) })
	if slices.ContainsFunc(seen, l.c.open) {
		return true
	}
	return !l.c.tree && (len(seen) > 1 || len(seen) == 1 && !l.c.spots[seen[0]].always)
}

func (l *ledger) hasMenu() bool {
	if !l.canRead() {
		return false
	}
	return len(l.readable()) > 0 || !l.c.tree && len(l.barred()) > 0
}

// menuBlocks are the skills that each block of a menu lists, and the words
// after them.
func menuBlocks(text string) (blocks [][]string, last string) {
	for block := range strings.SplitSeq(text, "\n\n") {
		var ids []string
		for row := range strings.Lines(block) {
			if row, ok := strings.CutPrefix(row, "- "); ok {
				id, _, _ := strings.Cut(strings.TrimRight(row, "\n"), ":")
				id, _, _ = strings.Cut(id, " (")
				ids = append(ids, id)
			}
		}
		if ids == nil {
			last = block
		} else {
			blocks = append(blocks, ids)
		}
	}
	return blocks, last
}

func menuNames(l *ledger, e *event.Event) string {
	b := asked(e)
	if b == nil || b.Last {
		return ""
	}
	parts := l.draft
	if len(parts) == 0 || parts[len(parts)-1].Kind != model.Menu {
		return ""
	}
	text := parts[len(parts)-1].Data
	blocks, last := menuBlocks(text)
	if want := l.readable(); !reflect.DeepEqual(blocks, want) {
		return fmt.Sprintf("the menu lists %q, and must list %q", blocks, want)
	}
	if l.menuOpen && l.routed.Stay && len(without(l.routed.Offered, l.place)) > 0 && !strings.Contains(text, "stay in \""+l.place) {
		return "the menu does not offer to stay"
	}
	for _, id := range l.barred() {
		if !l.c.tree && !strings.Contains(last, id) {
			return "the menu does not say that " + id + " cannot be read"
		}
	}
	return ""
}

func requestGrows(l *ledger, e *event.Event) string {
	b := asked(e)
	if b == nil || l.answers == 0 || l.fresh || b.OfferedAs == 0 || l.move.To != l.move.From {
		return ""
	}
	for _, s := range b.Splices {
		if s.At < len(l.request)-l.tail {
			return fmt.Sprintf("the request changes at part %d of %d, and its tail has %d", s.At, len(l.request), l.tail)
		}
	}
	return ""
}

func reasonsAreNamed(l *ledger, e *event.Event) string {
	var want []int
	switch b := e.Body.(type) {
	case *event.Started, *event.Stopped, *event.Resumed, *event.Late:
		want = []int{}
	case *event.Scored:
		want = []int{l.last.asked}
	case *event.Replied, *event.Failed:
		want = []int{l.last.called}
	case *event.Returned, *event.Needs:
		want = []int{l.last.sent}
	case *event.Answered:
		want = []int{l.last.paused}
	case *event.EffectJudged:
		want = []int{l.call(b.Call).answered}
	case *event.Paused:
		want = []int{l.call(b.Call).asked}
	case *event.Read, *event.Rejected, *event.RerouteSuperseded, *event.RouteConflict:
		want = []int{l.last.evaluated}
	case *event.Asked:
		want = []int{l.last.started}
	case *event.Called:
		if b.Purpose == model.Answer {
			want = []int{l.last.evaluated}
		}
	case *event.Evaluated:
		for _, c := range l.batch {
			want = append(want, c.answered)
			if c.answered == 0 {
				want[len(want)-1] = l.last.replied
			}
		}
		if l.proposal.skill != "" {
			want = append(want, l.last.proposed)
		}
		if len(l.batch) == 0 {
			want = []int{max(l.last.started, l.last.routed)}
		}
		slices.Sort(want)
		want = slices.Compact(want)
	case *event.Sent:
		want = []int{l.last.replied}
		for _, id := range b.Calls {
			if c := l.call(id); c != nil && c.told > 0 {
				want = append(want, c.told)
			}
		}
	case *event.Refused:
		switch {
		case l.ending:
			want = []int{l.last.ended}
		case b.Reason == event.Lost:
			want = []int{l.last.resumed}
		case b.Reason == event.Declined:
			want = []int{l.call(b.Call).told}
		default:
			want = []int{l.last.replied}
		}
	case *event.Finished:
		if want = []int{l.last.ended}; !l.ending {
			want = []int{l.last.evaluated}
		}
	}
	if want != nil && !slices.Equal(e.Because, want) {
		return fmt.Sprintf("the event follows from %v, and must from %v", e.Because, want)
	}
	if want == nil && len(e.Because) == 0 {
		return "the event follows from nothing"
	}
	for _, seq := range e.Because {
		if seq < l.last.started || seq >= e.Seq {
			return fmt.Sprintf("the event follows from %d, which is not before it in this turn", seq)
		}
	}
	return ""
}

func requestsReadBack(l *ledger, c walk.Command, _ *walk.State) string {
	ask, ok := c.(walk.CallModel)
	if !ok || ask.Purpose != model.Answer {
		return ""
	}
	if !slices.Equal(ask.Parts, l.request) {
		return "the model is asked " + shown(ask.Parts) + ", and called events add up to " + shown(l.request)
	}
	return first(but("the place", ask.Skill, l.place), but("the iteration", ask.Iteration, l.iteration), butList("the tools", ask.Offered, l.offered.items))
}

func timeStandsStill(l *ledger, c walk.Command, _ *walk.State) string {
	if !l.under() {
		return ""
	}
	at := func(got fmt.Stringer, isZero bool, unix int64, left int64) string {
		switch {
		case l.whole() == 0 && !isZero:
			return "a turn without a limit has the deadline " + got.String()
		case l.whole() > 0 && unix != l.now.UnixNano()+left:
			return fmt.Sprintf("the deadline is %s, and %d ns are left after %s", got, left, l.now)
		}
		return ""
	}
	whole, last := int64(l.whole()-l.elapsed), int64(l.whole()-l.whole()/4-l.elapsed)
	switch c := c.(type) {
	case walk.Score:
		return at(c.Deadline, c.Deadline.IsZero(), c.Deadline.UnixNano(), last)
	case walk.CallModel:
		if c.Purpose != model.Answer {
			whole = last // the answer is still to come
		}
		return at(c.Deadline, c.Deadline.IsZero(), c.Deadline.UnixNano(), whole)
	case walk.CallTools:
		return at(c.Deadline, c.Deadline.IsZero(), c.Deadline.UnixNano(), last)
	}
	return ""
}

func turnWaits(l *ledger, e *event.Event) string {
	if _, outcome := e.Body.(event.Outcome); !outcome && l.waits != forNothing {
		return e.Body.Kind() + " follows, and the turn waits for " + string(l.waits)
	}
	return ""
}

func turnGoesOn(l *ledger, c walk.Command, s *walk.State) string {
	var out []string
	for _, c := range l.batch {
		if c.out {
			out = append(out, c.id)
		}
	}
	want := "nothing"
	switch {
	case !l.under():
	case l.waits == forScores:
		want = "scores"
	case l.waits == forChoice:
		want = "a model to " + string(l.aside)
	case l.waits == forModel:
		want = "a model to answer"
	case l.waits == forPerson:
		want = "a person"
	case out != nil:
		want = strings.Join(out, " ")
	default:
		want = "something"
	}
	got := "nothing"
	switch c := c.(type) {
	case walk.Score:
		got = "scores"
		if w := l.starts(); w.ask == nil || c.Scorer != w.scorer || !reflect.DeepEqual(c.Query, *w.ask) {
			return fmt.Sprintf("%s is asked %v", c.Scorer, c.Query)
		}
	case walk.CallModel:
		got = "a model to " + string(c.Purpose)
		if c.Purpose == model.Answer {
			break
		}
		if !slices.Equal(enumerated(c.Choice), l.options) || len(c.Parts) != 2 || c.Parts[1] != l.in.Message || c.Offered != nil || c.Iteration != 1 {
			return "the choice is another one"
		}
	case walk.Ask:
		got = "a person"
	case walk.CallTools:
		var ids []string
		for _, c := range c.Calls {
			ids = append(ids, c.ID)
		}
		got = strings.Join(ids, " ")
	}
	return but("what is wanted", got, want)
}
