package walk_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/score"
	"github.com/spoorhq/spoor/walk"
)

// A mutant is a machine with one fault, which breaks one law. There is one for
// each law, and one for each clause of a law that has several.
type mutant struct {
	name string
	law  string
	doc  string
	make func(h *host) *fault // a fault of its own for each seed
}

// A fault is what is wrong with a machine.
type fault struct {
	derived func(s *walk.State, b event.Body) event.Body            // changes what follows, before it is recorded, or the state
	step    func(s *walk.State, events []event.Event) []event.Event // changes the state, or what a step returns
}

// TestMutants holds that the simulation catches every mutant, by the law that
// it breaks. Under the race detector it is one mutant for each law.
func TestMutants(t *testing.T) {
	first := uint64(number(t, "SPOOR_SIM_SEED", 1))
	most := 0
	covered := map[string]bool{}
	for i := range mutants {
		mu := &mutants[i]
		if raced && covered[mu.law] {
			continue
		}
		covered[mu.law] = true
		_, b := simulate(first, 30_000, mu)
		switch {
		case b == nil:
			t.Errorf("%s: nothing caught it", mu.name)
		case b.law != mu.law:
			t.Errorf("%s: it was caught by %s and not by %s, after %d iterations: %s", mu.name, b.law, mu.law, b.iterations, b.what)
		case b.iterations > 100_000:
			t.Errorf("%s: it was caught after %d iterations", mu.name, b.iterations)
		default:
			most = max(most, b.iterations)
			t.Logf("%s: caught after %d iterations by %s", mu.name, b.iterations, b.law)
		}
	}
	for _, law := range laws {
		if !covered[law.name] {
			t.Errorf("%s: no mutant breaks it", law.name)
		}
	}
	if os.Getenv("SPOOR_SIM_TURNS") != "" {
		fmt.Printf("mutants: %d of %d laws, the last was caught after %d iterations\n", len(mutants), len(laws), most)
	}
}

// addActivated adds a skill to those that are switched on.
func addActivated(s *walk.State, b *event.Evaluated, skill string) {
	on := b.Activated
	if b.ActivatedAs != 0 {
		on = s.Activated
	}
	b.Activated, b.ActivatedAs = append(slices.Clone(on), skill), 0
}

// mutantOf finds a mutant by its name, or the first that breaks a law.
func mutantOf(name string) *mutant {
	for i := range mutants {
		if mutants[i].name == name {
			return &mutants[i]
		}
	}
	for i := range mutants {
		if mutants[i].law == name {
			return &mutants[i]
		}
	}
	return nil
}

// on is a fault in events of one kind.
func on[B event.Body](f func(h *host, s *walk.State, b B)) func(*host) *fault {
	return func(h *host) *fault {
		return &fault{derived: func(s *walk.State, b event.Body) event.Body {
			if b, ok := b.(B); ok {
				f(h, s, b)
			}
			return b
		}}
	}
}

// instead is a fault that puts another event in the place of one; nil leaves
// it.
func instead[B event.Body](f func(h *host, s *walk.State, b B) event.Body) func(*host) *fault {
	return func(h *host) *fault {
		return &fault{derived: func(s *walk.State, b event.Body) event.Body {
			if b, ok := b.(B); ok {
				if other := f(h, s, b); other != nil {
					return other
				}
			}
			return b
		}}
	}
}

// always is a fault in the state.
func always(f func(s *walk.State)) func(*host) *fault {
	return func(*host) *fault {
		return &fault{derived: func(s *walk.State, b event.Body) event.Body {
			f(s)
			return b
		}}
	}
}

// after is a fault in what a step returns.
func after(f func(h *host, s *walk.State, events []event.Event) []event.Event) func(*host) *fault {
	return func(h *host) *fault {
		return &fault{step: func(s *walk.State, events []event.Event) []event.Event { return f(h, s, events) }}
	}
}

// moved makes a move of other facts.
func moved(change func(h *host, s *walk.State, f *spoor.Facts)) func(*host) *fault {
	return on(func(h *host, s *walk.State, b *event.Evaluated) {
		b.Move = h.machine.Next(s, func(f *spoor.Facts) {
			f.Results = slices.Clone(f.Results)
			change(h, s, f)
		})
	})
}

// reopened opens the menu of the start, before the walk moves.
func reopened(when func(s *walk.State) bool) func(*host) *fault {
	return func(*host) *fault {
		return &fault{derived: func(s *walk.State, b event.Body) event.Body {
			_, moves := b.(*event.Evaluated)
			if s.Phase == walk.Working && !moves && s.Routed != nil && s.Routed.By == spoor.ByMenu && when(s) {
				s.MenuOpen = true
			}
			return b
		}}
	}
}

// misread makes the second move of a turn of results that say something else.
// Nothing was before it that a law could hold to be the cause.
func misread(change func(r *spoor.Result)) func(*host) *fault {
	return moved(func(_ *host, s *walk.State, f *spoor.Facts) {
		for i := range f.Results {
			if f.Iteration == 2 && !slices.ContainsFunc(s.Batch, isRead) {
				change(&f.Results[i])
			}
		}
	})
}

// A moment is an iteration of a turn.
type moment struct {
	turn      *event.Started
	iteration int
}

func stateCall(s *walk.State, id string) *walk.Call {
	for i := range s.Batch {
		if s.Batch[i].ID == id {
			return &s.Batch[i]
		}
	}
	return new(walk.Call)
}

// unlimited lets a call be none of the last ones that a limit allows.
func unlimited(limit spoor.Limit) func(*host) *fault {
	return on(func(_ *host, _ *walk.State, b *event.Called) {
		if b.Limit == limit {
			b.Limit, b.Last = "", false
		}
	})
}

func isRead(c walk.Call) bool { return c.Tool == walk.ReadSkill }

// told is a part with other words.
func told(p model.Part, text string) model.Part {
	p.Data, p.Piece = text, model.Sum(text)
	return p
}

// admit answers a refused read as if it were accepted.
func admit(h *host, s *walk.State, b *event.Rejected) event.Body {
	return &event.Read{Call: b.Call, Skill: b.RequestedID, Target: spoor.Hop, Result: told(b.Result, "You are in "+b.RequestedID+", by way of "+s.Move.To)}
}

// parts goes over what a call for an answer puts into the request.
func parts(b *event.Called, f func(p *model.Part) (keep bool)) {
	for i := range b.Splices {
		put := slices.Clone(b.Splices[i].Put)
		b.Splices[i].Put = put[:0]
		for j := range put {
			if f(&put[j]) {
				b.Splices[i].Put = append(b.Splices[i].Put, put[j])
			}
		}
	}
}

var mutants = []mutant{
	{"times-of-their-own", "events-are-in-order", "what follows from an outcome has the time of the process", after(func(_ *host, _ *walk.State, events []event.Event) []event.Event {
		for i := range events {
			events[i].Time = events[i].Time.Add(time.Duration(i) * time.Millisecond)
		}
		return events
	})},
	{"a-resume-is-a-new-turn", "a-turn-keeps-its-id", "who takes over counts a turn", after(func(_ *host, s *walk.State, events []event.Event) []event.Event {
		if _, ok := events[0].Body.(*event.Resumed); ok {
			s.Turn++
			for i := range events {
				events[i].Turn++
			}
		}
		return events
	})},
	{"a-late-result-is-taken", "what-is-late-changes-nothing", "a result that nobody waits for is recorded as one", after(func(_ *host, _ *walk.State, events []event.Event) []event.Event {
		if b, ok := events[0].Body.(*event.Late); ok && len(b.Parts) > 0 && b.Parts[0].Kind == model.Result {
			events[0].Body = &event.Returned{Call: b.Call, Result: b.Parts[0]}
		}
		return events
	})},
	{"an-answer-is-late", "what-is-late-changes-nothing", "a result that came after a second process took over is late", after(func(_ *host, s *walk.State, events []event.Event) []event.Event {
		if b, ok := events[0].Body.(*event.Returned); ok && s.Last.Resumed > 0 {
			events[0].Body = &event.Late{Call: b.Call, Parts: []model.Part{b.Result}}
		}
		return events
	})},
	{"late-words-are-lost", "what-is-late-changes-nothing", "what came too late is not kept", after(func(_ *host, _ *walk.State, events []event.Event) []event.Event {
		if b, ok := events[0].Body.(*event.Late); ok {
			b.Parts = nil
		}
		return events
	})},
	{"ids-of-the-provider", "calls-have-ids-of-their-own", "a call keeps the id that its provider gave it", after(func(_ *host, _ *walk.State, events []event.Event) []event.Event {
		if b, ok := events[0].Body.(*event.Replied); ok {
			for i := range b.Parts {
				if b.Parts[i].Kind == model.Call {
					b.Parts[i].Call = "theirs"
				}
			}
		}
		return events
	})},

	{"hidden-is-seen", "hidden-skills-are-not-seen", "the hidden set is forgotten once the turn has begun", func(h *host) *fault {
		return &fault{derived: func(s *walk.State, b event.Body) event.Body {
			h.machine.Unhide(s)
			return b
		}}
	}},
	{"hidden-in-allowed", "hidden-skills-are-not-seen", "a refusal names what is hidden", on(func(_ *host, s *walk.State, b *event.Rejected) {
		b.Allowed = append(slices.Clone(b.Allowed), s.Started.Hidden...)
	})},
	{"hidden-in-reach", "hidden-skills-are-not-seen", "context.evaluated names what is hidden as in reach", on(func(h *host, s *walk.State, b *event.Evaluated) {
		if b.ReachableAs == 0 {
			b.Reachable = h.plan.graph.Successors(b.Move.To)
		}
	})},
	{"hidden-stays-on", "hidden-skills-are-not-seen", "what a conversation switched on stays on when it is hidden", on(func(_ *host, s *walk.State, b *event.Evaluated) {
		for _, id := range s.Started.Activated {
			if s.Started.Continuity == spoor.ContinueConversation && slices.Contains(s.Started.Hidden, id) {
				addActivated(s, b, id)
			}
		}
	})},
	{"hidden-candidate", "hidden-skills-are-not-seen", "a hidden skill is scored", on(func(h *host, s *walk.State, b *event.Asked) {
		if len(s.Started.Hidden) > 0 {
			b.Query.Candidates = append(slices.Clone(b.Query.Candidates), score.Candidate{ID: s.Started.Hidden[0]})
		}
	})},
	{"hidden-in-the-menu", "hidden-skills-are-not-seen", "the menu lists what is hidden", on(func(_ *host, s *walk.State, b *event.Called) {
		parts(b, func(p *model.Part) bool {
			if p.Kind == model.Menu && len(s.Started.Hidden) > 0 {
				*p = told(*p, p.Data+"\n- "+s.Started.Hidden[0])
			}
			return true
		})
	})},

	{"rails-have-a-menu", "a-menu-leaves-rails-alone", "a menu is open under rails", on(func(_ *host, s *walk.State, b *event.TurnRouted) {
		if b.By == spoor.ByNone {
			b.By = spoor.ByMenu
		}
	})},
	{"a-scorer-stays", "a-scorer-starts-by-entry", "the start of a scorer is recorded as a stay", on(func(_ *host, s *walk.State, b *event.TurnRouted) {
		if b.By == spoor.ByEntry && b.Scores != nil {
			b.By, b.From = spoor.ByContinuity, b.To
		}
	})},
	{"a-classifier-enters", "a-scorer-starts-by-entry", "a classifier starts by entry", on(func(_ *host, s *walk.State, b *event.TurnRouted) {
		if b.By == spoor.ByIntent {
			b.By = spoor.ByEntry
		}
	})},
	{"scores-are-lost", "a-scorer-starts-by-entry", "the start does not carry its scores", on(func(_ *host, s *walk.State, b *event.TurnRouted) { b.Scores = nil })},
	{"the-incumbent-scores-nothing", "the-incumbent-is-a-candidate", "where the conversation stands is not scored", on(func(_ *host, s *walk.State, b *event.Asked) {
		b.Query.Candidates = slices.DeleteFunc(slices.Clone(b.Query.Candidates), func(c score.Candidate) bool { return c.ID == s.Cursor })
	})},
	{"a-near-tie-stays", "a-near-tie-without-the-incumbent-opens-a-menu", "a near tie of two others leaves the conversation where it is", on(func(_ *host, s *walk.State, b *event.TurnRouted) {
		if b.Stay && b.Scores != nil && b.Scores.Kind == score.Stay && b.Decider == nil {
			b.By, b.To, b.From, b.Offered, b.Stay = spoor.ByContinuity, s.Cursor, s.Cursor, nil, false
		}
	})},
	{"a-decider-must-choose", "a-decider-chooses-from-the-menu", "a decider that fails takes the first of the menu", on(func(_ *host, s *walk.State, b *event.TurnRouted) {
		if d := b.Decider; d != nil && d.Picked == "" && len(b.Offered) > 0 {
			d.Picked, d.Error = b.Offered[0], ""
			b.By, b.To = spoor.ByDecider, b.Offered[0]
		}
	})},
	{"a-decider-takes-the-last-call", "a-decider-chooses-from-the-menu", "a decider is not asked although there is room", on(func(_ *host, s *walk.State, b *event.TurnRouted) { b.Decider = nil })},
	{"a-conversation-forgets-what-was-read", "continuity-restores-the-place", "the place is restored, and what was switched on is not", on(func(_ *host, s *walk.State, b *event.Evaluated) {
		if s.Iteration == 0 {
			b.Activated = slices.DeleteFunc(slices.Clone(b.Activated), func(id string) bool { return slices.Contains(s.Activated, id) && id != b.Move.To })
		}
	})},
	{"a-place-that-is-gone-is-silent", "continuity-restores-the-place", "that the map has the place no more is not recorded", on(func(_ *host, s *walk.State, b *event.TurnRouted) { b.Dropped = "" })},
	{"a-turn-starts-warm", "continuity-restores-the-place", "a turn without continuity goes on where the one before it ended", on(func(_ *host, s *walk.State, b *event.Evaluated) {
		if s.Iteration == 0 && s.Cursor == "" {
			b.Move.From = s.Started.Cursor
		}
	})},
	{"a-classifier-is-asked-nothing", "the-start-follows-from-the-rules", "a classifier is not told the message", on(func(_ *host, _ *walk.State, b *event.Called) {
		if b.Purpose == model.Classify {
			b.Splices = []event.Splice{{Put: b.Splices[0].Put[:1]}}
		}
	})},
	{"a-failed-scorer-starts", "the-start-follows-from-the-rules", "a scorer that failed starts the turn in the first entry", on(func(_ *host, s *walk.State, b *event.TurnRouted) {
		if b.Error != "" && b.Decider == nil && b.By == spoor.ByMenu && len(b.Offered) > 0 {
			b.By, b.To, b.Offered = spoor.ByEntry, b.Offered[0], nil
		}
	})},
	{"a-menu-is-cut", "the-start-follows-from-the-rules", "a menu of all entries has as many as one of a tie", on(func(_ *host, s *walk.State, b *event.TurnRouted) {
		if b.By == spoor.ByMenu && b.Decider == nil {
			b.Offered = b.Offered[:min(len(b.Offered), 2)]
		}
	})},
	{"a-stay-is-not-offered", "the-start-follows-from-the-rules", "the menu of an unmatched conversation does not offer to stay", on(func(_ *host, s *walk.State, b *event.TurnRouted) {
		if b.Scores != nil && b.Scores.Kind == score.Unmatched && b.Decider == nil {
			b.Stay = false
		}
	})},

	{"results-count-again", "facts-belong-to-one-iteration", "a result fires a step in the iteration after the next, too", func(h *host) *fault {
		all := map[moment][]spoor.Result{}
		return moved(func(_ *host, s *walk.State, f *spoor.Facts) {
			all[moment{s.Started, s.Iteration}] = slices.Clone(f.Results)
			if len(f.Results) == 0 {
				f.Results = slices.Concat(all[moment{s.Started, s.Iteration - 1}], f.Results)
			}
		})(h)
	}},
	{"a-lost-pick-counts-later", "facts-belong-to-one-iteration", "a pick that lost moves the walk later", func(*host) *fault {
		lost := map[moment]string{}
		return &fault{derived: func(s *walk.State, b event.Body) event.Body {
			now := moment{s.Started, s.Iteration}
			switch b := b.(type) {
			case *event.RerouteSuperseded:
				if b.Source == spoor.ByPick {
					lost[now] = b.VolunteeredID
				}
			case *event.Evaluated:
				again := slices.ContainsFunc(s.Batch, func(c walk.Call) bool { return isRead(c) && named(c.Args) == lost[now] })
				if id := lost[now]; b.Pick == "" && id != "" && !again && b.Move.By == spoor.ByStay && id != s.Cursor {
					b.Pick, b.Move.To, b.Move.By = id, id, spoor.ByPick
				}
			}
			return b
		}}
	}},
	{"a-proposal-counts-later", "facts-belong-to-one-iteration", "a proposal is not forgotten when the model is asked", func(h *host) *fault {
		last := map[moment]string{}
		return &fault{derived: func(s *walk.State, b event.Body) event.Body {
			now := moment{s.Started, s.Iteration}
			switch b := b.(type) {
			case *event.Called:
				last[now] = s.Proposal.Skill
			case *event.Evaluated:
				if id := last[now]; b.Proposal == "" && id != "" {
					b.Proposal = id
					b.Move = h.machine.Next(s, func(f *spoor.Facts) { f.Proposal = id })
				}
			}
			return b
		}}
	}},
	{"a-read-is-a-result", "a-read-is-no-result", "the answer to read_skill fires steps", moved(func(h *host, s *walk.State, f *spoor.Facts) {
		if f.Iteration > 2 {
			return
		}
		f.Results = nil
		for _, c := range s.Batch {
			f.Results = append(f.Results, spoor.Result{Tool: c.Tool, CallID: c.ID, Executed: c.Executed || isRead(c), Status: c.Status, Text: c.Result.Data})
		}
	})},
	{"success-by-default", "steps-see-what-the-tools-said", "a call that declared nothing is a success", misread(func(r *spoor.Result) {
		if r.Status == "" {
			r.Status = spoor.Success
		}
	})},
	{"steps-see-calls-that-never-ran", "steps-see-what-the-tools-said", "a step fires on a call that reached no tool", misread(func(r *spoor.Result) { r.Executed = true })},
	{"notes-are-appended", "steps-see-what-the-tools-said", "a guard reads the result with a note behind it", misread(func(r *spoor.Result) { r.Text += "\n(note)" })},
	{"the-last-result-first", "results-are-in-the-order-of-the-calls", "steps judge the last result first", moved(func(_ *host, s *walk.State, f *spoor.Facts) {
		plain := f.Iteration == 2
		for _, c := range s.Batch {
			plain = plain && !isRead(c) && c.Executed && c.Status != ""
		}
		if plain {
			slices.Reverse(f.Results)
		}
	})},

	{"a-menu-stays-open", "a-menu-closes-once", "a menu is open as long as the turn", reopened(func(*walk.State) bool { return true })},
	{"a-menu-admits-two", "a-menu-closes-once", "two picks of one batch are accepted from a menu", instead(func(h *host, s *walk.State, b *event.Rejected) event.Body {
		if b.Posture == spoor.PostureGuard && s.Routed != nil && s.MenuWas && slices.Contains(s.Routed.Offered, b.RequestedID) {
			return admit(h, s, b)
		}
		return nil
	})},
	{"a-menu-opens-again", "a-menu-closes-once", "a menu opens again where it was open", reopened(func(s *walk.State) bool {
		return s.Cursor == s.Started.Cursor && s.Started.Continuity == spoor.ContinueConversation
	})},
	{"guard-admits-what-is-not-offered", "the-posture-holds", "guard accepts any skill in reach", instead(func(h *host, s *walk.State, b *event.Rejected) event.Body {
		if b.Posture == spoor.PostureGuard && s.Routed != nil && s.Routed.By == spoor.ByMenu && !slices.Contains(s.Routed.Offered, b.RequestedID) {
			return admit(h, s, b)
		}
		return nil
	})},
	{"rails-admit", "the-posture-holds", "the model moves under rails", instead(func(h *host, s *walk.State, b *event.Rejected) event.Body {
		if b.Posture == spoor.PostureRails {
			return admit(h, s, b)
		}
		return nil
	})},
	{"assist-keeps-to-the-menu", "the-posture-holds", "assist refuses a skill in reach that is not on the menu", on(func(_ *host, s *walk.State, b *event.Evaluated) {
		if b.Declined {
			b.Pick = ""
		}
	})},
	{"the-last-pick-wins", "one-request-wins", "the last accepted pick moves the walk", on(func(h *host, s *walk.State, b *event.Evaluated) {
		for _, c := range s.Batch {
			if id := named(c.Args); isRead(c) && b.Pick != "" && s.Started.Posture != spoor.PostureGuard && h.ledger.class(s.Cursor, id) == spoor.Hop {
				b.Pick = id
			}
		}
	})},
	{"a-pick-beats-a-proposal", "one-request-wins", "the model beats a tool", moved(func(_ *host, _ *walk.State, f *spoor.Facts) {
		if f.Pick != "" {
			f.Proposal = ""
		}
	})},
	{"a-proposal-beats-a-step", "one-request-wins", "a tool beats the map", on(func(h *host, s *walk.State, b *event.Evaluated) {
		plain := slices.ContainsFunc(h.plan.graph.Edges(), func(e spoor.Edge) bool {
			return e.Ref == b.Move.Ref && e.When == "" && e.Guard == nil
		})
		for _, c := range s.Batch {
			plain = plain && (isRead(c) || c.Executed && c.Status != "")
		}
		if b.Move.By == spoor.ByRoute && b.Proposal != "" && plain {
			b.Move = h.machine.Next(s, func(f *spoor.Facts) { f.Results = nil })
		}
	})},
	{"the-last-proposal-wins", "one-request-wins", "a later proposal takes the place of the first", on(func(_ *host, s *walk.State, b *event.EffectJudged) {
		if b.Outcome == event.EffectSuperseded {
			b.Outcome, b.SupersededBy, b.Note = event.EffectAccepted, "", model.Part{}
			s.Proposal = walk.Proposal{}
		}
	})},
	{"the-place-is-refused", "reading-where-one-stands-is-a-stay", "a read of the place is refused as out of reach", instead(func(_ *host, s *walk.State, b *event.Read) event.Body {
		if b.Target == spoor.Self {
			return &event.Rejected{Call: b.Call, RequestedID: b.Skill, CurrentSkillID: s.Move.From, Result: b.Result}
		}
		return nil
	})},
	{"the-place-is-picked", "reading-where-one-stands-is-a-stay", "a read of the place is a pick", on(func(_ *host, s *walk.State, b *event.Evaluated) {
		for _, c := range s.Batch {
			if isRead(c) && named(c.Args) == s.Cursor && b.Pick == "" {
				b.Pick = s.Cursor
			}
		}
	})},
	{"the-place-is-read-again", "reading-where-one-stands-is-a-stay", "a read of the place brings its body a second time", on(func(h *host, s *walk.State, b *event.Read) {
		if body := h.plan.chart.spots[b.Skill].skill.Body; b.Target == spoor.Self && body != "" {
			b.Result = told(b.Result, body)
		}
	})},
	{"evidence-is-lost", "the-move-follows-from-the-facts", "a move does not carry the guard that opened its step", on(func(_ *host, _ *walk.State, b *event.Evaluated) { b.Move.Guard = nil })},
	{"closed-guards-are-lost", "the-move-follows-from-the-facts", "a move does not carry the guards that refused", on(func(_ *host, _ *walk.State, b *event.Evaluated) { b.Move.Closed = nil })},

	{"a-bare-target-stays-on", "activation-follows-the-walk", "where only the model leads stays active after the walk left", on(func(h *host, s *walk.State, b *event.Evaluated) {
		if h.plan.chart.bare(s.Cursor) && !slices.Contains(s.Started.Hidden, s.Cursor) && !slices.Contains(b.Activated, s.Cursor) {
			addActivated(s, b, s.Cursor)
		}
	})},
	{"a-lost-pick-is-on", "activation-follows-the-walk", "a pick that lost is switched on", on(func(h *host, s *walk.State, b *event.Evaluated) {
		if b.Pick != "" && b.Pick != b.Move.To && h.plan.chart.bare(b.Pick) {
			addActivated(s, b, b.Pick)
		}
	})},
	{"the-place-is-not-active", "activation-follows-the-walk", "a place that the walk reached is not active", on(func(h *host, _ *walk.State, b *event.Evaluated) {
		b.Active = slices.DeleteFunc(slices.Clone(b.Active), func(a event.Active) bool { return a.Skill == b.Move.To && a.Via != spoor.ViaEntry })
	})},
	{"the-last-place-stays-active", "activation-follows-the-walk", "where the walk was stays active", on(func(h *host, s *walk.State, b *event.Evaluated) {
		if b.ActiveAs == 0 && s.Cursor != "" && s.Cursor != b.Move.To && !slices.Contains(s.Started.Hidden, s.Cursor) && !slices.ContainsFunc(b.Active, func(a event.Active) bool { return a.Skill == s.Cursor }) {
			b.Active = append(b.Active, event.Active{Skill: s.Cursor, Provenance: spoor.Provenance{Via: spoor.ViaEntry}})
		}
	})},
	{"a-next-call-stays", "an-instruction-stays-as-long-as-its-lease", "an instruction of the next call stays for two", func(*host) *fault {
		all := map[moment][]event.ActiveInstruction{}
		return &fault{derived: func(s *walk.State, b event.Body) event.Body {
			if b, ok := b.(*event.Evaluated); ok {
				for _, n := range b.Instructions {
					if n.Lease == spoor.NextCall {
						all[moment{s.Started, s.Iteration}] = append(all[moment{s.Started, s.Iteration}], n)
					}
				}
				for _, n := range all[moment{s.Started, s.Iteration - 1}] {
					b.Instructions, b.InstructionsAs = append(slices.Clone(b.Instructions), n), 0
				}
			}
			return b
		}}
	}},
	{"a-lease-comes-back", "an-instruction-stays-as-long-as-its-lease", "an instruction comes back with the walk", func(h *host) *fault {
		all := map[*event.Started]map[string]event.ActiveInstruction{} // by place
		return &fault{derived: func(s *walk.State, b event.Body) event.Body {
			if b, ok := b.(*event.Evaluated); ok {
				if all[s.Started] == nil {
					all[s.Started] = map[string]event.ActiveInstruction{}
				}
				if n, ok := all[s.Started][h.ledger.spotOf(b.Move)]; ok && b.Move.From != b.Move.To {
					b.Instructions, b.InstructionsAs = append(slices.Clone(b.Instructions), n), 0
				}
				for _, n := range b.Instructions {
					if n.Lease == spoor.UntilSkillExit {
						all[s.Started][h.ledger.spotOf(b.Move)] = n
					}
				}
			}
			return b
		}}
	}},
	{"a-lease-is-not-kept", "an-instruction-stays-as-long-as-its-lease", "what a tool required is not in the prompt", on(func(_ *host, s *walk.State, b *event.Evaluated) {
		b.Instructions = slices.DeleteFunc(slices.Clone(b.Instructions), func(n event.ActiveInstruction) bool { return n.Via == spoor.ViaLease })
	})},
	{"what-is-skipped-is-silent", "the-context-is-complete", "conditions that failed are not named", on(func(_ *host, s *walk.State, b *event.Evaluated) {
		b.Skipped = slices.DeleteFunc(slices.Clone(b.Skipped), func(x event.Skipped) bool { return x.ID == "" })
	})},
	{"superseded-is-silent", "the-context-is-complete", "entries that match and are not active are not named", on(func(_ *host, s *walk.State, b *event.Evaluated) { b.Superseded = nil })},
	{"a-declined-menu-is-silent", "the-context-is-complete", "that the menu was declined is not recorded", on(func(_ *host, s *walk.State, b *event.Evaluated) { b.Declined = false })},
	{"lists-are-repeated", "a-list-is-recorded-once", "a list is recorded each time", on(func(_ *host, s *walk.State, b *event.Evaluated) {
		if b.ReachableAs != 0 {
			b.Reachable, b.ReachableAs = s.Reachable.Items, 0
		}
	})},

	{"a-lost-pick-is-silent", "losers-are-told", "a pick that lost is no event", instead(func(h *host, s *walk.State, b *event.RerouteSuperseded) event.Body {
		if b.Source != spoor.ByPick {
			return nil
		}
		stateCall(s, b.Call).Beaten = true
		return h.machine.Follows(s)
	})},
	{"a-lost-proposal-is-silent", "losers-are-told", "a proposal that lost is no event", instead(func(h *host, s *walk.State, b *event.RerouteSuperseded) event.Body {
		if b.Source != spoor.ByProposal {
			return nil
		}
		s.Dropped = true
		return h.machine.Follows(s)
	})},
	{"a-lost-step-is-silent", "losers-are-told", "results that led elsewhere are no event", instead(func(h *host, s *walk.State, b *event.RouteConflict) event.Body {
		s.Conflict = nil
		return h.machine.Follows(s)
	})},
	{"a-kept-promise-lost", "losers-are-told", "a pick of the place where a step leads is told that it lost", instead(func(_ *host, s *walk.State, b *event.Read) event.Body {
		if c := stateCall(s, b.Call); b.Target == spoor.Hop && b.Skill == s.Move.To && s.Move.By == spoor.ByRoute && !c.Beaten {
			return &event.RerouteSuperseded{Call: b.Call, VolunteeredID: b.Skill, WonID: s.Move.To, By: s.Move.By, Source: spoor.ByPick}
		}
		return nil
	})},
	{"a-lost-pick-is-welcome", "losers-are-told", "a pick that lost is told that it is active", on(func(_ *host, s *walk.State, b *event.Read) {
		if b.Target == spoor.Hop && b.Skill != s.Move.To {
			b.Result = told(b.Result, fmt.Sprintf("You are in %q now; its instructions are in the prompt.", b.Skill))
		}
	})},
	{"a-refused-effect-is-silent", "losers-are-told", "the model is not told that an effect was refused", on(func(_ *host, s *walk.State, b *event.EffectJudged) { b.Note = model.Part{} })},
	{"a-body-is-not-delivered", "reads-are-answered-after-the-move", "a body that belongs into the answer is not there", on(func(h *host, s *walk.State, b *event.Read) {
		if b.Result.Data == h.plan.chart.spots[b.Skill].skill.Body {
			b.Result = told(b.Result, "It is active: "+b.Skill)
		}
	})},
	{"a-read-is-answered-before-the-move", "reads-are-answered-after-the-move", "an accepted read of the place says where the walk was", on(func(h *host, s *walk.State, b *event.Read) {
		if b.Target == spoor.Self {
			b.Result = told(b.Result, "You are in "+b.Skill)
		}
	})},
	{"a-refusal-names-nothing", "a-refused-read-teaches", "a refused read does not say what can be read", on(func(_ *host, s *walk.State, b *event.Rejected) { b.Result = told(b.Result, "No.") })},
	{"a-refusal-looks-from-the-new-place", "a-refused-read-teaches", "a refused read names what is in reach after the move", on(func(h *host, s *walk.State, b *event.Rejected) { b.CurrentSkillID = s.Move.To })},

	{"a-pause-drops-the-rest", "every-call-is-answered-once", "the calls that ask after the first are dropped", on(func(_ *host, s *walk.State, b *event.Paused) {
		for i := range s.Batch {
			c := &s.Batch[i]
			if c.ID != b.Call && c.Question != nil && c.Answered == 0 {
				s.Batch = append(slices.Clone(s.Batch[:i]), s.Batch[i+1:]...)
				return
			}
		}
	})},
	{"a-stop-forgets-the-last-call", "every-call-is-answered-once", "a stop leaves a call without an answer", instead(func(h *host, s *walk.State, b *event.Refused) event.Body {
		if last := len(s.Batch) - 1; b.Reason == event.Cut && b.Call == s.Batch[last].ID {
			s.Batch = s.Batch[:last]
			return h.machine.Follows(s)
		}
		return nil
	})},
	{"a-lost-call-is-repeated", "a-call-in-flight-is-not-repeated", "a call that was in flight runs again, whatever the host says", after(func(_ *host, s *walk.State, events []event.Event) []event.Event {
		for i := range s.Batch {
			s.Batch[i].Lost = false
		}
		if _, ok := events[0].Body.(*event.Resumed); ok {
			return events[:1]
		}
		return events
	})},
	{"a-lost-call-failed", "a-call-in-flight-is-not-repeated", "a call that was in flight is a failure", on(func(_ *host, s *walk.State, b *event.Refused) {
		if b.Reason == event.Lost {
			b.Status = spoor.Failure
		}
	})},
	{"a-cut-call-is-pending", "a-call-that-was-cut-failed", "a call that a stop cut is pending", on(func(_ *host, s *walk.State, b *event.Refused) {
		if b.Reason == event.Cut {
			b.Status = spoor.Pending
		}
	})},
	{"a-declined-call-is-made", "a-declined-call-is-not-made", "a call is made although a person declined it", instead(func(_ *host, s *walk.State, b *event.Refused) event.Body {
		if b.Reason == event.Declined {
			return &event.Sent{Calls: []string{b.Call}}
		}
		return nil
	})},
	{"a-decline-gives-no-reason", "a-declined-call-is-not-made", "the model is not told why a person declined", on(func(_ *host, s *walk.State, b *event.Refused) {
		if b.Reason == event.Declined {
			b.Result = told(b.Result, "Declined.")
		}
	})},
	{"what-is-not-offered-runs", "the-tools-offered-are-the-tools-that-run", "a call runs although its tool was not offered", instead(func(_ *host, s *walk.State, b *event.Refused) event.Body {
		if b.Reason == event.Unoffered && slices.Contains(allTools, b.Tool) {
			return &event.Sent{Calls: []string{b.Call}}
		}
		return nil
	})},
	{"what-is-unknown-failed", "the-tools-offered-are-the-tools-that-run", "a call to a tool that is not there is a failure", on(func(_ *host, s *walk.State, b *event.Refused) {
		if b.Reason == event.Unoffered {
			b.Status = spoor.Failure
		}
	})},
	{"the-ceiling-is-ignored", "calls-stay-under-the-ceiling", "more tools are called than the limit allows", instead(func(_ *host, s *walk.State, b *event.Refused) event.Body {
		if b.Reason == event.Budget && s.Phase == walk.Working {
			return &event.Sent{Calls: []string{b.Call}}
		}
		return nil
	})},
	{"a-person-is-asked-too-soon", "a-pause-keeps-the-batch", "a person is asked while other calls run", after(func(_ *host, s *walk.State, events []event.Event) []event.Event {
		last := &events[len(events)-1]
		if b, ok := last.Body.(*event.Needs); ok && len(s.Out()) > 0 {
			e := *last
			e.Seq, e.Body = e.Seq+1, &event.Paused{Call: b.Call}
			s.Apply(e)
			events = append(slices.Clone(events), e)
		}
		return events
	})},
	{"an-answer-sends-all", "a-pause-keeps-the-batch", "an answer sends the calls again that have an answer", on(func(_ *host, s *walk.State, b *event.Sent) {
		if len(b.Calls) == 1 && stateCall(s, b.Calls[0]).Answer != nil {
			for _, c := range s.Batch {
				if c.Answered > 0 && c.Executed {
					b.Calls = append(b.Calls, c.ID)
				}
			}
		}
	})},
	{"the-last-question-first", "a-pause-keeps-the-batch", "of several questions the last comes first", on(func(_ *host, s *walk.State, b *event.Paused) {
		for _, c := range s.Batch {
			if c.Question != nil && c.Answered == 0 {
				b.Call = c.ID
			}
		}
	})},
	{"any-proposal-is-accepted", "effects-are-judged-once", "a proposal of a skill out of reach is accepted", on(func(_ *host, s *walk.State, b *event.EffectJudged) {
		if b.Effect.Kind == spoor.ProposeTransition && b.Outcome == event.EffectRefused && s.Proposal.Skill == "" {
			b.Outcome, b.Refusal, b.Note = event.EffectAccepted, "", model.Part{}
		}
	})},
	{"a-second-effect-is-forgotten", "effects-are-judged-once", "only the first effect of a result is judged", on(func(_ *host, s *walk.State, b *event.EffectJudged) {
		if c := stateCall(s, b.Call); c.Judged == 0 && len(c.Effects) > 1 {
			c.Judged = len(c.Effects) - 1
		}
	})},
	{"an-effect-is-refused-for-nothing", "effects-are-judged-once", "a refusal gives no reason", on(func(_ *host, s *walk.State, b *event.EffectJudged) { b.Refusal = "" })},

	{"asides-are-free", "one-budget-counts-every-call", "calls to classify and to decide are not counted", on(func(_ *host, s *walk.State, b *event.Called) {
		if b.Purpose != model.Answer {
			s.Spent.Calls--
		}
	})},
	{"no-call-is-kept", "one-budget-counts-every-call", "no call is kept to wrap up", unlimited(spoor.LimitModelCalls)},
	{"the-last-call-has-tools", "one-budget-counts-every-call", "the last call offers tools", on(func(_ *host, s *walk.State, b *event.Called) {
		if b.Last && b.Limit == spoor.LimitModelCalls {
			b.Offered = []string{"mail"}
		}
	})},
	{"ping-pong-goes-on", "a-ping-pong-is-cut", "moves to and fro are not counted", always(func(s *walk.State) { s.Spent.PingPong = 0 })},
	{"refusals-go-on", "a-ping-pong-is-cut", "refused reads are not counted", always(func(s *walk.State) { s.Spent.Refusals = 0 })},
	{"a-move-forgives-nothing", "a-ping-pong-is-cut", "refused reads are counted over moves", func(h *host) *fault {
		n := 0
		return &fault{derived: func(s *walk.State, b event.Body) event.Body {
			if s.Iteration == 0 {
				n = 0
			}
			if _, ok := b.(*event.Rejected); ok {
				n++
			}
			if s.Phase == walk.Telling {
				if _, ok := b.(*event.Rejected); !ok {
					s.Spent.Refusals = n
				} else {
					s.Spent.Refusals = n - 1
				}
			}
			return b
		}}
	}},
	{"tokens-are-free", "limits-hold", "tokens do not make a call the last one", unlimited(spoor.LimitTokens)},
	{"money-is-no-matter", "limits-hold", "cost does not make a call the last one", unlimited(spoor.LimitCost)},
	{"no-price-no-cost", "limits-hold", "a model without a price decides for nothing", always(func(s *walk.State) {
		if s.Spent.Answers == 0 {
			s.Spent.Unpriced = false
		}
	})},
	{"tool-calls-are-free", "limits-hold", "tool calls do not make a call the last one", unlimited(spoor.LimitToolCalls)},
	{"there-is-always-time", "limits-hold", "time does not make a call the last one", unlimited(spoor.LimitTime)},
	{"a-limit-is-silent", "the-end-says-why", "the end does not name the limit", on(func(_ *host, s *walk.State, b *event.Finished) { b.Limit, b.Limited = "", false })},
	{"a-stop-is-an-answer", "the-end-says-why", "a turn that was stopped ends by an answer", on(func(_ *host, s *walk.State, b *event.Finished) {
		if b.By == event.ByStop {
			b.By = event.ByAnswer
		}
	})},
	{"an-answer-is-lost", "the-end-says-why", "the end has no answer", on(func(_ *host, s *walk.State, b *event.Finished) { b.Answer = nil })},

	{"one-owner-decides", "the-offer-is-of-the-active-skills", "a tool is offered as the first skill that lists it says", on(func(h *host, s *walk.State, b *event.Called) {
		b.Offered = slices.DeleteFunc(slices.Clone(b.Offered), func(tool string) bool {
			owners := h.plan.chart.owned[tool]
			return len(owners) > 1 && h.plan.chart.spots[owners[0]].scoped && !slices.Contains(s.Active.Items, owners[0])
		})
	})},
	{"nothing-is-scoped", "the-offer-is-of-the-active-skills", "all tools are offered", on(func(h *host, s *walk.State, b *event.Called) {
		if b.Purpose == model.Answer && !b.Last && b.OfferedAs == 0 && len(b.Offered) > 0 {
			b.Offered = slices.DeleteFunc(append([]string{walk.ReadSkill}, allTools...), func(tool string) bool {
				owners := h.plan.chart.owned[tool]
				return len(owners) > 0 && !slices.ContainsFunc(owners, func(id string) bool { return !slices.Contains(s.Started.Hidden, id) })
			})
			if slices.Equal(b.Offered, s.Offered.Items) {
				b.Offered, b.OfferedAs = nil, s.Offered.At
			}
		}
	})},
	{"an-offer-is-not-renewed", "the-offer-is-of-the-active-skills", "the offer stays after a move", on(func(_ *host, s *walk.State, b *event.Called) {
		if b.Purpose == model.Answer && !b.Last && b.OfferedAs == 0 && s.Spent.Answers > 0 && len(s.Offered.Items) > 0 {
			b.Offered, b.OfferedAs = nil, s.Offered.At
		}
	})},
	{"a-body-is-nowhere", "bodies-are-of-the-active-skills", "a body that is delivered as a result is not in the prompt of who moved there", on(func(h *host, s *walk.State, b *event.Called) {
		parts(b, func(p *model.Part) bool {
			return p.Skill == "" || h.plan.chart.spots[p.Skill].skill.Delivery != spoor.DeliverResult
		})
	})},
	{"an-old-body-stays", "bodies-are-of-the-active-skills", "the body of the last place stays in the prompt", on(func(_ *host, s *walk.State, b *event.Called) {
		if s.Spent.Answers > 0 && len(b.Splices) > 1 && b.Splices[0].Drop > 0 {
			kept := b.Splices[0].Drop
			b.Splices = slices.Clone(b.Splices)
			b.Splices[0].Drop = 0
			b.Splices[1].At += kept
		}
	})},
	{"a-result-has-a-note", "a-result-is-told-as-it-came", "a note is appended to a result", on(func(_ *host, s *walk.State, b *event.Called) {
		parts(b, func(p *model.Part) bool {
			if p.Kind == model.Result && len(s.Notes) > 0 && p.Tool != walk.ReadSkill {
				*p = told(*p, p.Data+"\n"+s.Notes[0].Data)
			}
			return true
		})
	})},
	{"notes-are-lost", "a-result-is-told-as-it-came", "notes are not in the history", on(func(_ *host, s *walk.State, b *event.Called) {
		parts(b, func(p *model.Part) bool { return p.Kind != model.Note || len(s.Notes) == 0 })
	})},
	{"thinking-is-lost", "a-result-is-told-as-it-came", "thinking is not returned", on(func(_ *host, s *walk.State, b *event.Called) {
		parts(b, func(p *model.Part) bool { return p.Kind != model.Thinking || s.Spent.Answers == 0 })
	})},
	{"an-image-is-lost", "a-result-is-told-as-it-came", "what comes beside a result is not told", on(func(_ *host, s *walk.State, b *event.Called) {
		parts(b, func(p *model.Part) bool { return p.Data != "And this." || s.Spent.Answers == 0 })
	})},
	{"an-old-digest", "a-piece-names-its-bytes", "a menu has the digest of the one before it", on(func(_ *host, s *walk.State, b *event.Called) {
		parts(b, func(p *model.Part) bool {
			if p.Kind == model.Menu && len(s.Request) > 0 {
				p.Piece = s.Request[len(s.Request)-1].Piece
			}
			return true
		})
	})},
	{"a-menu-is-history", "a-request-ends-with-one-tail", "the last menu stays in the history", on(func(_ *host, s *walk.State, b *event.Called) {
		if i := len(b.Splices) - 1; s.Spent.Answers > 0 && b.Splices[i].Drop > 0 && !b.Last {
			b.Splices = slices.Clone(b.Splices)
			b.Splices[i].Drop = 0
		}
	})},
	{"an-instruction-is-forgotten", "a-request-ends-with-one-tail", "an instruction is active and not in the prompt", on(func(_ *host, s *walk.State, b *event.Called) {
		parts(b, func(p *model.Part) bool { return p.Kind != model.Instruction })
	})},
	{"the-last-call-has-a-menu", "a-request-ends-with-one-tail", "the last call has a menu that nobody can use", on(func(_ *host, s *walk.State, b *event.Called) {
		if b.Last {
			b.Splices = slices.Clone(b.Splices)
			i := len(b.Splices) - 1
			b.Splices[i].Put = append(slices.Clone(b.Splices[i].Put), model.NewPart(model.System, model.Menu, "Nothing can be read."))
		}
	})},
	{"a-menu-forgets-what-is-open", "a-menu-names-what-can-be-read", "the menu does not name open skills", on(func(h *host, s *walk.State, b *event.Called) {
		parts(b, func(p *model.Part) bool {
			if p.Kind == model.Menu {
				for _, id := range h.plan.chart.ids {
					if h.plan.chart.open(id) {
						*p = told(*p, strings.Replace(p.Data, "\n- "+id, "", 1))
					}
				}
			}
			return true
		})
	})},
	{"a-menu-is-not-renewed", "a-menu-names-what-can-be-read", "the menu stays when the walk moves", on(func(h *host, s *walk.State, b *event.Called) {
		if b.Purpose != model.Answer || b.Last || len(s.Request) == 0 || s.Spent.Answers == 0 {
			return
		}
		old := s.Request[len(s.Request)-1]
		parts(b, func(p *model.Part) bool {
			if p.Kind == model.Menu && old.Kind == model.Menu {
				*p = old
			}
			return true
		})
	})},
	{"requests-are-made-anew", "a-request-only-grows", "a request is put together from nothing each time", on(func(_ *host, s *walk.State, b *event.Called) {
		if b.Purpose == model.Answer && s.Spent.Answers > 0 {
			b.Splices = []event.Splice{{Drop: len(s.Request), Put: spliced(slices.Clone(s.Request), b.Splices)}}
		}
	})},
	{"reasons-are-lost", "events-name-their-reasons", "a move does not say what it follows from", after(func(_ *host, s *walk.State, events []event.Event) []event.Event {
		for i := range events {
			if _, ok := events[i].Body.(*event.Evaluated); ok {
				events[i].Because = events[i].Because[:1]
			}
		}
		return events
	})},
	{"a-request-has-a-secret", "requests-read-back-from-called-events", "a model is told what no event has", after(func(_ *host, s *walk.State, events []event.Event) []event.Event {
		if b, ok := events[len(events)-1].Body.(*event.Called); ok && b.Purpose == model.Answer && s.Spent.Answers > 1 {
			s.Request[len(s.Request)-1] = told(s.Request[len(s.Request)-1], "In confidence.")
		}
		return events
	})},
	{"a-pause-takes-time", "time-stands-still-in-pauses", "time runs while a person is asked", after(func(h *host, s *walk.State, events []event.Event) []event.Event {
		if _, ok := events[0].Body.(*event.Answered); ok && h.ledger.awaited && !s.Spent.Deadline.IsZero() {
			gap := h.ledger.now.Sub(events[0].Time)
			s.Spent.Deadline, s.Spent.WrapUp = s.Spent.Deadline.Add(gap), s.Spent.WrapUp.Add(gap)
		}
		return events
	})},
	{"death-takes-time", "time-stands-still-in-pauses", "time runs while no process does", after(func(h *host, s *walk.State, events []event.Event) []event.Event {
		if _, ok := events[0].Body.(*event.Resumed); ok && h.ledger.awaited && s.Phase != walk.Paused && !s.Spent.Deadline.IsZero() {
			gap := h.ledger.now.Sub(events[0].Time)
			s.Spent.Deadline, s.Spent.WrapUp = s.Spent.Deadline.Add(gap), s.Spent.WrapUp.Add(gap)
		}
		return events
	})},
	{"an-aside-is-forgotten", "a-turn-goes-on", "who takes over does not ask a classifier again", after(func(_ *host, s *walk.State, events []event.Event) []event.Event {
		if _, ok := events[0].Body.(*event.Resumed); ok && s.Phase == walk.Choosing {
			s.Phase = walk.Done
		}
		return events
	})},

	{"an-effect-is-judged-for-ever", "a-step-ends", "an effect that was refused is judged again", on(func(_ *host, s *walk.State, b *event.EffectJudged) {
		if b.Outcome == event.EffectRefused {
			stateCall(s, b.Call).Judged--
		}
	})},
	{"a-text-is-counted", "a-step-can-be-finished", "a text says how often the process said it", func(*host) *fault {
		n := 0
		return &fault{derived: func(s *walk.State, b event.Body) event.Body {
			if b, ok := b.(*event.RouteConflict); ok {
				n++
				b.Note = told(b.Note, fmt.Sprint(b.Note.Data, n))
			}
			if b, ok := b.(*event.Rejected); ok {
				n++
				b.Result = told(b.Result, fmt.Sprint(b.Result.Data, n))
			}
			return b
		}}
	}},
	{"the-last-words-are-lost", "a-conversation-is-what-was-said", "the next turn is not told the answer of this one", after(func(_ *host, s *walk.State, events []event.Event) []event.Event {
		if s.Phase == walk.Done {
			s.Reply = nil
		}
		return events
	})},
	{"memory-is-not-folded", "the-same-outcomes-give-the-same-bytes", "a text depends on what only the process remembers that began the turn", func(*host) *fault {
		type memory struct{ seq, iteration int }
		seen := map[*walk.State]memory{}
		return &fault{derived: func(s *walk.State, b event.Body) event.Body {
			m, known := seen[s]
			if !known || m.seq < s.Last.Started {
				m = memory{s.Seq, s.Iteration}
				seen[s] = m
			}
			if b, ok := b.(*event.Refused); ok && m.seq > s.Last.Started && m.iteration == 0 && s.Iteration > 1 {
				b.Result = told(b.Result, b.Result.Data+" ")
			}
			return b
		}}
	}},
	{"a-stop-while-telling-forgets-reads", "a-turn-ends-from-anywhere", "a stop between a move and its answers leaves reads open", instead(func(h *host, s *walk.State, b *event.Refused) event.Body {
		if b.Reason == event.Cut && s.Last.Evaluated > s.Last.Replied {
			s.Batch = slices.DeleteFunc(slices.Clone(s.Batch), func(c walk.Call) bool { return c.ID == b.Call })
			return h.machine.Follows(s)
		}
		return nil
	})},
	{"nothing-allowed-panics", "the-machine-does-not-panic", "a refusal looks at the first skill that can be read", on(func(_ *host, s *walk.State, b *event.Rejected) { _ = b.Allowed[0] })},
}
