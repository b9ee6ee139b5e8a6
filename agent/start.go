package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/score"
	"github.com/spoorhq/spoor/walk"
)

// badWords refuses what no map could make sense of: all of it.
func badWords(c *Config) error {
	var wrong []error
	add := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	l := &c.Limits
	if c.MaxIterations < 0 {
		add("Config.MaxIterations is %d; it is a count of model calls", c.MaxIterations)
	}
	if !slices.Contains([]spoor.Posture{"", spoor.PostureAssist, spoor.PostureGuard, spoor.PostureRails}, c.Posture) {
		add("Config.Posture is %q; it is assist, guard or rails", c.Posture)
	}
	if !slices.Contains([]spoor.Continuity{"", spoor.ContinueTurn, spoor.ContinueConversation}, c.Continuity) {
		add("Config.Continuity is %q; it is turn or conversation", c.Continuity)
	}
	if !slices.Contains([]Check{"", CheckThrow, CheckWarn, CheckOff}, c.Check) {
		add("Config.Check is %q; it is throw, warn or off", c.Check)
	}
	if c.Sync != "" && c.Sync != SyncEffects {
		add("Config.Sync is %q; it is effects, or empty", c.Sync)
	}
	for _, n := range []struct {
		name  string
		value int
	}{{"ToolCalls", l.ToolCalls}, {"Tokens", l.Tokens}, {"PingPong", l.PingPong}, {"Refusals", l.Refusals}} {
		if n.value < 0 {
			add("Config.Limits.%s is %d; it is a count, or zero for no limit", n.name, n.value)
		}
	}
	if l.Time < 0 {
		add("Config.Limits.Time is %v; it is a time, or zero for no limit", l.Time)
	}
	if !(l.Cost >= 0) || math.IsInf(l.Cost, 0) {
		add("Config.Limits.Cost is %v; it is a number, or zero for no limit", l.Cost)
	}
	if l.Cost > 0 && len(l.Prices) == 0 {
		add("Config.Limits.Cost is %v, and nothing has a price; list what models cost under Prices", l.Cost)
	}
	for _, p := range l.Prices {
		for _, price := range []float64{p.Input, p.Output, p.Cached, p.Written} {
			if !(price >= 0) || math.IsInf(price, 0) {
				add("Config.Limits.Prices has %v for %q; a price is a number from zero", price, p.Model)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Scorers)) {
		if builtIn(name) {
			add("Config.Scorers binds %q, which is a name of spoor's own; bind another", name)
		}
	}
	return errors.Join(wrong...)
}

// builtIn reports whether a scorer of that name needs, or will need, no program
// to bind it.
func builtIn(name string) bool {
	return slices.Contains([]string{"", "keyword", "linear", "embedding", walk.LLM}, name)
}

// neverStarts names what a map declares and this agent cannot walk, and the
// combinations under which no turn could ever start, or something would never
// be used.
func neverStarts(g *spoor.Graph, c *Config) (ps spoor.Problems) {
	m := g.Map()
	start := &m.Start
	add := func(ref spoor.Ref, hint, format string, args ...any) {
		ps = append(ps, spoor.Problem{Level: "error", Code: "unsupported", Ref: ref, Message: fmt.Sprintf(format, args...), Hint: hint})
	}
	selects := g.Selection()
	cascade := selects == spoor.SelectClassify || selects == spoor.SelectScorer && c.Continuity == spoor.ContinueConversation

	if name := start.Classify; name != "" && name != walk.LLM && c.scorer(name) == nil {
		add("start.classify", "write keyword or llm, or bind it in Config.Scorers", "nothing here is bound to the classifier %q", name)
	}
	if name := start.ScoredBy; name != "" && c.scorer(name) == nil {
		add("start.scoredBy", "write keyword, bind it in Config.Scorers, or leave it out and the model picks an entry", "nothing here is bound to the scorer %q", name)
	}
	for i, s := range m.Skills {
		if s.Model != "" {
			add(spoor.Ref("skills").At(i).Key("model"), "leave it out to run this map", "an agent has one model, so skill %q cannot have %q", s.ID, s.Model)
		}
	}
	for i, s := range c.Injections.Skills {
		if s.Model != "" {
			add(spoor.Ref("agent.skills").At(i).Key("model"), "leave it out to run this map", "an agent has one model, so skill %q cannot have %q", s.ID, s.Model)
		}
	}

	strict := c.Posture == spoor.PostureGuard || c.Posture == spoor.PostureRails
	switch {
	case !strict || m.Tree != nil:
	case c.Posture == spoor.PostureRails && selects == spoor.SelectModel:
		add("agent.posture", "write guard, or start by rules", "under rails the model moves nothing, and on this map a turn starts where the model reads to")
	case c.Posture == spoor.PostureRails && selects == spoor.SelectClassify && c.Decider == nil && onlyMenus(g):
		add("agent.posture", "name a decider, write guard, or give a rule a condition", "under rails nobody chooses from a menu, and no rule of this map has a condition or an intent, so that a menu is all it comes to")
	case len(m.Steps) > 0 && len(g.Starts()) == 0:
		add("agent.posture", "declare where a turn starts", "under %s no turn can start on this map, which has no entry", c.Posture)
	}
	if c.Continuity == spoor.ContinueConversation && m.Tree != nil {
		add("agent.continuity", "leave it out; a tree decides in each iteration anew", "a tree has no place where a conversation could go on")
	}
	if c.Decider != nil && (m.Tree != nil || !cascade) {
		add("agent.deciderModel", "leave it out, or start by a classifier", "no menu opens at the start of a turn on this map, so there is nothing to decide")
	}
	if c.Classifier != nil && start.Classify != walk.LLM {
		add("agent.classifierModel", "leave it out, or write classify: llm", "no model classifies on this map")
	}
	return ps
}

// onlyMenus reports whether no rule of a classifier can ever claim a message.
func onlyMenus(g *spoor.Graph) bool {
	return !slices.ContainsFunc(g.Starts(), spoor.StartRule.Conditional)
}

// scorer finds a scorer by the name that a map has for it; nil if there is none.
func (c *Config) scorer(name string) score.Scorer {
	if name == "keyword" {
		return score.Keyword
	}
	return c.Scorers[name]
}

// score asks a scorer where the turn starts. One that fails, panics, or gives
// no answer within a minute has an outcome too: the walk goes on without it.
func (r *run) score(ctx context.Context, c walk.Score) event.Outcome {
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	s := r.agent.config.scorer(c.Scorer)
	if s == nil { // the run was begun by another agent
		return &event.Scored{Error: fmt.Sprintf("nothing here is bound to the scorer %q", c.Scorer)}
	}
	asked, done := context.WithTimeoutCause(ctx, defaultTimeout, fmt.Errorf("the scorer %q gave no answer within %v", c.Scorer, defaultTimeout))
	defer done()
	answer := make(chan *event.Scored, 1)
	go func() {
		scored := &event.Scored{Error: "the scorer ended its goroutine"}
		defer func() {
			if p := recover(); p != nil {
				scored = &event.Scored{Error: cut(fmt.Sprintf("the scorer panicked: %v", p))}
			}
			answer <- scored
		}()
		scored = ask(asked, s, c.Query)
	}()
	select {
	case scored := <-answer:
		if scored.Error != "" && ctx.Err() != nil {
			return stopped(ctx)
		}
		return scored
	case <-asked.Done():
	}
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	return &event.Scored{Error: cut(context.Cause(asked).Error())}
}

// ask is what a scorer answers, and says of itself.
func ask(ctx context.Context, s score.Scorer, q score.Query) *event.Scored {
	scores, err := score.Ask(ctx, s, q)
	if err != nil {
		return &event.Scored{Error: cut(err.Error())}
	}
	traits := s.Traits()
	if f := traits.Floor; f != nil && (math.IsNaN(*f) || math.IsInf(*f, 0)) {
		return &event.Scored{Error: fmt.Sprintf("the floor of the scorer is %v, which is no number", *f)}
	}
	return &event.Scored{Scores: scores, Floor: traits.Floor, Categorical: traits.Categorical}
}
