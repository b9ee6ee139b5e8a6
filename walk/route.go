package walk

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/score"
)

// LLM is the classifier of a map that is a model: `classify: llm`.
const LLM = "llm"

// scorer is what the map names to judge the start of a turn.
func (m *Machine) scorer() string {
	s := &m.graph.Map().Start
	return cmp.Or(s.Classify, s.ScoredBy)
}

// startOf is where the turn starts, as far as it is known by now.
func (m *Machine) startOf(s *State) spoor.TurnRoute {
	g := m.seen(s)
	facts := m.facts(s, g)
	ask := func(scored *spoor.Scored) spoor.TurnRoute { return g.Route(facts, s.Started.Continuity, scored) }
	switch t := ask(nil); {
	case t.Ask == nil:
		return t
	case s.Scored != nil:
		b := s.Scored
		scored := &spoor.Scored{Scores: b.Scores, Traits: score.Traits{Floor: b.Floor, Categorical: b.Categorical}}
		if b.Error != "" {
			scored.Err = errors.New(b.Error)
		}
		return ask(scored)
	case m.scorer() == LLM && s.Classified != nil:
		return ask(classified(t.Ask, s.Classified))
	case m.scorer() == LLM && !s.room():
		return ask(&spoor.Scored{Err: errors.New(noRoomText)})
	default:
		return t
	}
}

// room reports whether a model call can be made that is none for the answer.
func (s *State) room() bool {
	return s.Spent.last(s.Started, s.Time) == "" && s.Spent.over(s.Started, s.Time) == ""
}

// route decides where the turn starts: it asks a scorer or a model, if the map
// wants one, and the decider, if a menu is left.
func (m *Machine) route(s *State) (event.Body, []int) {
	t := m.startOf(s)
	switch {
	case t.Ask != nil && m.scorer() == LLM:
		return choose(model.Classify, classifyText(t.Ask), s, idsOf(t.Ask)), s.because(s.Last.Started)
	case t.Ask != nil:
		return &event.Asked{Scorer: m.scorer(), Query: *t.Ask}, s.because(s.Last.Started)
	}
	r := &event.TurnRouted{TurnRoute: t}
	because := []int{s.Last.Started}
	if s.Last.Scored > 0 {
		r.Scorer, because = m.scorer(), append(because, s.Last.Scored)
	}
	if s.Classified != nil {
		r.Scorer, because = m.scorer(), append(because, s.Classified.Seq)
	}
	if t.By == spoor.ByMenu && len(others(t.Offered, s.Cursor)) > 0 && s.Started.Decider {
		switch {
		case s.Decided != nil:
			m.decided(r, s)
			because = append(because, s.Decided.Seq)
		case !s.room():
			r.Decider = &event.Decided{Error: noRoomText}
		default:
			options, text := m.decideText(m.seen(s), &t, s.Cursor)
			return choose(model.Decide, text, s, options), because
		}
	}
	if r.By == spoor.ByMenu && s.Started.Posture == spoor.PostureRails {
		r.By = spoor.ByNone // nobody may choose from it
	}
	told := len(r.Failed) == 0 || m.seen(s).Selection() != spoor.SelectModel // the entries that failed are judged again
	if r.By == "" && r.Dropped == "" && told {
		return m.decide(s)
	}
	return r, because
}

// decided is what the decider makes of a menu. If it picks nothing, the menu
// stands.
func (m *Machine) decided(r *event.TurnRouted, s *State) {
	options, _ := m.decideText(m.seen(s), &r.TurnRoute, s.Cursor)
	picked, fault := picked(s.Decided, options)
	d := &event.Decided{Model: s.Decided.Model, Error: fault}
	r.Decider = d
	incumbent := s.Cursor
	if r.Dropped != "" {
		incumbent = "" // the map has it no more
	}
	switch {
	case fault != "":
	case picked == stayOption(r.Offered) && r.Stay:
		d.Picked, d.Stay = incumbent, true
		r.By, r.To, r.From = spoor.ByContinuity, incumbent, incumbent
	case picked != noneOption(r.Offered):
		d.Picked = picked
		r.By, r.To, r.From = spoor.ByDecider, picked, incumbent
	}
}

// classified is what a model's choice is as scores: it is categorical.
func classified(q *score.Query, c *Choice) *spoor.Scored {
	options := idsOf(q)
	choice, fault := picked(c, options)
	if fault != "" {
		return &spoor.Scored{Err: errors.New(fault)}
	}
	scores := make([]score.Score, len(q.Candidates))
	for i, candidate := range q.Candidates {
		scores[i].ID = candidate.ID
		if candidate.ID == choice {
			scores[i].Score = 1
		}
	}
	return &spoor.Scored{Scores: scores, Traits: score.Traits{Categorical: true, Floor: new(0.0)}}
}

// idsOf are the candidates of a query, each once, and none of them.
func idsOf(q *score.Query) []string {
	var ids []string
	for _, c := range q.Candidates {
		if !slices.Contains(ids, c.ID) {
			ids = append(ids, c.ID)
		}
	}
	return append(ids, noneOption(ids))
}

// noneOption and stayOption are options beside skills. In the unlikely case
// that a skill has the name, they are written in parentheses.
func noneOption(ids []string) string { return besides("none", ids) }
func stayOption(ids []string) string { return besides("stay", ids) }

func besides(word string, ids []string) string {
	for slices.Contains(ids, word) {
		word = "(" + word + ")"
	}
	return word
}

// choiceTool is the one tool of a forced choice.
const choiceTool = "choose"

// choose asks a model for one of the options, in a request of its own.
func choose(purpose model.Purpose, text string, s *State, options []string) *event.Called {
	spec, err := json.Marshal(model.ToolSpec{
		Name: choiceTool, Description: "Say which of the options fits best.",
		Schema: `{"type":"object","properties":{"id":{"type":"string","enum":` + enum(options) + `}},"required":["id"]}`,
	})
	if err != nil {
		panic("walk: " + err.Error()) // three strings marshal
	}
	return &event.Called{
		Purpose: purpose, Skill: s.Cursor,
		Splices: []event.Splice{{Put: []model.Part{model.NewPart(model.System, model.Text, text), s.Started.Message}}},
		Choice:  &event.Tool{Name: choiceTool, Piece: model.Sum(string(spec)), Data: string(spec)},
	}
}

// picked is the option that a model chose: by the call that it was asked for,
// or, from a model that cannot be forced, by an answer that is the option and
// nothing else.
func picked(c *Choice, options []string) (option, fault string) {
	if c.Error != "" {
		return "", c.Error
	}
	var called, said []string
	for _, p := range c.Parts {
		text := strings.TrimSpace(p.Data)
		switch {
		case p.Kind == model.Call:
			called = append(called, "")
			if p.Tool == choiceTool {
				called = append(called, readID(p.Data))
			}
		case p.Kind == model.Text && text != "":
			said = append(said, text, strings.Trim(text, "\"'`."))
		}
	}
	words := called
	if called == nil && len(said) == 2 {
		words = said
	}
	for _, word := range words {
		if slices.Contains(options, word) {
			return word, ""
		}
	}
	return "", noChoiceText
}
