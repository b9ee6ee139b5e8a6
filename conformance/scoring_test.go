package conformance

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/score"
)

// numbers compare within 1e-9.
var numbers = cmpopts.EquateApprox(0, 1e-9)

// A verdict of the vectors does not tell the thresholds.
var told = cmp.Options{numbers, cmpopts.IgnoreFields(score.Verdict{}, "Thresholds")}

type ranking struct {
	Ranked []score.Ranked
	Chosen string
}

func rank(scores []score.Score) ranking {
	ranked, chosen := score.Rank(scores)
	return ranking{ranked, chosen}
}

// diff says how two values differ.
func diff(what string, want, got any, options cmp.Option) string {
	if d := cmp.Diff(want, got, options); d != "" {
		return fmt.Sprintf("%s (-want +got):\n%s", what, d)
	}
	return ""
}

func TestVectorsOfScoring(t *testing.T) {
	c := tally{file: "scoring"}
	for n, line := range lines(t, "scoring") {
		var v struct {
			Scores    []score.Score
			Policy    *score.Policy
			Incumbent string
			Traits    score.Traits
			Verdict   score.Verdict
			Ranking   ranking
		}
		decode(t, line, &v)
		c.line(t, n, diff("verdict", v.Verdict, score.Decide(v.Scores, v.Policy, v.Traits, v.Incumbent), told)+
			diff("ranking", v.Ranking, rank(v.Scores), numbers))
	}
	c.print()
}

// TestVectorsOfGraphsScores counts the lines of graphs that have scores: the
// ranking of entries, and the candidates and verdicts of intents, both by the
// keyword scorer.
func TestVectorsOfGraphsScores(t *testing.T) {
	entries := tally{file: "graphs, scores"}
	intents := tally{file: "graphs, tier 2"}
	for n, line := range lines(t, "graphs") {
		var v scoredLine
		decode(t, line, &v)
		if v.Scores == nil && v.Tier2 == nil {
			continue
		}
		m := new(spoor.Map)
		decode(t, v.Map, m)
		g, err := spoor.Compile(m, cond.CEL)
		if err != nil {
			t.Errorf("graphs, line %d: %v", n, err)
			continue
		}
		if v.Scores != nil {
			entries.line(t, n, v.rankings(t, g))
		}
		if v.Tier2 != nil {
			intents.line(t, n, v.verdicts(t, g))
		}
	}
	entries.print()
	intents.print()
}

type scoredLine struct {
	Map    json.RawMessage
	Scores []struct {
		UserMessage string
		ranking
	}
	Tier2 []struct {
		Message    string
		Incumbent  string
		Candidates []struct {
			ID, Intent string
			Examples   []string
		}
		Scores  []score.Score
		Verdict score.Verdict
	}
}

func (v *scoredLine) rankings(t *testing.T, g *spoor.Graph) string {
	var diffs []string
	for i, row := range v.Scores {
		var q score.Query
		if r := g.Route(spoor.Facts{Iteration: 1, UserMessage: row.UserMessage}, spoor.ContinueTurn, nil); r.Ask != nil {
			q = *r.Ask
		}
		diffs = append(diffs, diff(fmt.Sprintf("scores[%d]", i), row.ranking, rank(ask(t, q)), numbers))
	}
	return strings.Join(diffs, "")
}

func (v *scoredLine) verdicts(t *testing.T, g *spoor.Graph) string {
	var diffs []string
	for i, row := range v.Tier2 {
		q := score.Query{Message: row.Message}
		for _, c := range row.Candidates {
			q.Candidates = append(q.Candidates, score.Candidate{ID: c.ID, Text: c.Intent, Examples: c.Examples})
		}
		// A turn asks the same question, unless a rule claims the message first.
		f := spoor.Facts{Iteration: 1, UserMessage: row.Message, Cursor: row.Incumbent}
		if r := g.Route(f, spoor.ContinueConversation, nil); r.Ask != nil {
			diffs = append(diffs, diff(fmt.Sprintf("tier2[%d], candidates", i), q, *r.Ask, cmpopts.EquateEmpty()))
		}
		scores := ask(t, q)
		verdict := score.Decide(scores, g.Map().Start.Routing, score.Keyword.Traits(), row.Incumbent)
		diffs = append(diffs,
			diff(fmt.Sprintf("tier2[%d], scores", i), row.Scores, scores, numbers),
			diff(fmt.Sprintf("tier2[%d], verdict", i), row.Verdict, verdict, told))
	}
	return strings.Join(diffs, "")
}

func ask(t *testing.T, q score.Query) []score.Score {
	t.Helper()
	scores, err := score.Ask(t.Context(), score.Keyword, q)
	if err != nil {
		t.Fatal(err)
	}
	return scores
}
