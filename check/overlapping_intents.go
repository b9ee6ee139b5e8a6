package check

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/internal/phrase"
	"github.com/spoorhq/spoor/match"
	"github.com/spoorhq/spoor/score"
)

var overlappingIntents = Rule{
	Code:  "overlapping-intents",
	Level: Warning,
	Doc: `An example of an intent, left out of it, is nearer to an intent of another skill, or so near to one that the turn
would open a menu. It takes one call of the scorer for each example, so it is found by an audit of its own and not by
each check-up.

It proves what that scorer makes of the examples, under the routing of the map. What users write instead is not seen,
nor are start rules that claim a message before any scorer is asked. An example that fits no intent says nothing.

Give the intent more examples of its own kind, say in its sentence what sets it apart, or move the example.`,
	Example: `
skills:
  - {id: refund}
  - {id: billing}
start:
  rules:
    - use: refund
      match: {intent: wants money back, examples: [take the invoice back]}  # want overlapping-intents
    - use: billing
      match: {intent: asks about an invoice, examples: [send the invoice once more]}  # want overlapping-intents
  classify: keyword
`,
}

// Intents asks a scorer, which the messages call by its name, whether the
// intents of a map can be told apart: each example is scored against all
// intents with itself left out. It reports duplicate-intent-example and
// overlapping-intents, and is an error if the map has no classifier or the
// scorer fails.
func Intents(ctx context.Context, g *spoor.Graph, name string, s score.Scorer) (Report, error) {
	if g.Map().Start.Classify == "" {
		return Report{}, errors.New("check: the map names no classifier under start.classify, and intents are told apart by one")
	}
	a := newAudit(g, name, s)
	a.run(duplicateIntentExample)
	var err error
	audit := overlappingIntents
	audit.judge = func(*subject) { err = a.ask(ctx) }
	a.run(audit)
	if err != nil {
		return Report{}, err
	}
	a.notes()
	return a.Report, nil
}

// IntentCalls is how often Intents asks the scorer.
func IntentCalls(g *spoor.Graph) int {
	n := 0
	for range newAudit(g, "", nil).examples() {
		n++
	}
	return n
}

// An audit asks a scorer about intents.
type audit struct {
	*subject
	name       string
	scorer     score.Scorer
	candidates []score.Candidate // the intents
	rules      []int             // theirs, in starts
	asked      int               // examples
	lost       int               // those of them that fit nothing
	claimed    map[int]int       // by rule: how many of the examples it claims before the scorer is asked
}

func newAudit(g *spoor.Graph, name string, scorer score.Scorer) *audit {
	a := &audit{subject: newSubject(g, nil), name: name, scorer: scorer, claimed: map[int]int{}}
	for i, r := range a.starts {
		if r.Match != nil && r.Match.IsIntent() {
			m := r.Match.Data()
			a.candidates = append(a.candidates, score.Candidate{ID: r.Use, Text: *m.Intent, Examples: m.Examples})
			a.rules = append(a.rules, i)
		}
	}
	return a
}

// examples yields what the scorer is asked about: each example of an intent
// once, as the numbers of its candidate and in it. If all intents are of one
// skill, there is nothing to tell apart.
func (a *audit) examples() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		if !slices.ContainsFunc(a.candidates, func(c score.Candidate) bool { return c.ID != a.candidates[0].ID }) {
			return
		}
		for i, c := range a.candidates {
			asked := map[string]bool{}
			for j, example := range c.Examples {
				if k := phrase.Key(example); !asked[k] {
					asked[k] = true
					if !yield(i, j) {
						return
					}
				}
			}
		}
	}
}

// ask reports the examples that are nearer to another skill than to their own,
// or too near to one.
func (a *audit) ask(ctx context.Context) error {
	matchers := make([]*match.Compiled, len(a.starts))
	for i, r := range a.starts {
		matchers[i] = r.Match
	}
	rules := match.NewSet(matchers)
	for own, example := range a.examples() {
		text := a.candidates[own].Examples[example]
		ref := a.starts[a.rules[own]].Ref.Key("match.examples").At(example)
		scores, err := score.Ask(ctx, a.scorer, a.without(own, text))
		if err != nil {
			return fmt.Errorf("check: %s: %w", ref, err)
		}
		hits := rules.Scan(text)
		if rule, _, claimed := hits.First(0); claimed {
			a.claimed[rule]++
		}
		v := score.Decide(scores, a.m.Start.Routing, a.scorer.Traits(), "")
		if a.asked++; v.Kind == score.Unmatched {
			a.lost++
			continue
		}
		skill := a.candidates[own].ID
		near, other, verdict := own, best(v, scores, v.Ranked[0].ID), "which is nearer"
		if v.Ranked[0].ID == skill {
			if v.Decisive {
				continue
			}
			near, other = other, best(v, scores, v.RunnerUp.ID)
			verdict = fmt.Sprintf("which is too close to call (a gap of %.3g, under %.3g)", v.RunnerUp.Gap, v.Thresholds.NearTieMargin)
		}
		if !a.found(spoor.Problem{
			Ref: ref, Skill: skill, From: skill, To: a.candidates[other].ID,
			Message: fmt.Sprintf("%q, an example of %s and left out of it, scores %.3g for %s and %.3g for %s, %s (scorer %s)", short(text), a.start(a.rules[own]),
				scores[near].Score, a.intent(near), scores[other].Score, a.intent(other), verdict, a.name),
			Hint: "give the intent more examples like it, or move it to the other one",
		}) {
			return nil
		}
	}
	return nil
}

// without is the question about a phrase, which is left out of one candidate.
func (a *audit) without(candidate int, text string) score.Query {
	q := score.Query{Message: text, Candidates: slices.Clone(a.candidates)}
	c := &q.Candidates[candidate]
	k := phrase.Key(text)
	c.Examples = slices.DeleteFunc(slices.Clone(c.Examples), func(e string) bool { return phrase.Key(e) == k })
	return q
}

// best is the best candidate with an id, which is alive.
func best(v score.Verdict, scores []score.Score, id string) int {
	i := slices.IndexFunc(v.Ranked, func(r score.Ranked) bool { return r.ID == id })
	return slices.Index(scores, score.Score{ID: id, Score: v.Ranked[i].Score})
}

func (a *audit) intent(candidate int) string {
	return fmt.Sprintf("%q of %s", short(a.candidates[candidate].Text), a.start(a.rules[candidate]))
}

// notes says what the audit does not cover.
func (a *audit) notes() {
	a.note("%s asked about %s; %d of them fit no intent.", a.name, count(a.asked, "example"), a.lost)
	a.note("Conditions were not checked: a rule with a when may claim an example of an intent before %s is asked.", a.name)
	var names []string
	for _, rule := range slices.Sorted(maps.Keys(a.claimed)) {
		names = append(names, fmt.Sprintf("%s claims %s", a.start(rule), count(a.claimed[rule], "example")))
	}
	if names != nil {
		a.note("Rules that claim an example of an intent before %s is asked: %s.", a.name, strings.Join(names, ", "))
	}
}
