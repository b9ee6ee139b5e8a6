package conformance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

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
		if v.Scores != nil {
			entries.line(t, n, v.rankings(t))
		}
		if v.Tier2 != nil {
			intents.line(t, n, v.verdicts(t))
		}
	}
	entries.print()
	intents.print()
}

type scoredLine struct {
	Map struct {
		Skills []struct{ ID, Description string }
		Start  struct {
			Entries []string // none of the vectors has a condition
			Routing *score.Policy
		}
	}
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

func (v *scoredLine) rankings(t *testing.T) string {
	about := map[string]string{}
	for _, s := range v.Map.Skills {
		about[s.ID] = s.Description
	}
	var diffs []string
	for i, row := range v.Scores {
		q := score.Query{Message: row.UserMessage}
		for _, id := range v.Map.Start.Entries {
			q.Candidates = append(q.Candidates, score.Candidate{ID: id, Text: about[id]})
		}
		diffs = append(diffs, diff(fmt.Sprintf("scores[%d]", i), row.ranking, rank(ask(t, q)), numbers))
	}
	return strings.Join(diffs, "")
}

func (v *scoredLine) verdicts(t *testing.T) string {
	var diffs []string
	for i, row := range v.Tier2 {
		q := score.Query{Message: row.Message}
		for _, c := range row.Candidates {
			q.Candidates = append(q.Candidates, score.Candidate{ID: c.ID, Text: c.Intent, Examples: c.Examples})
		}
		scores := ask(t, q)
		verdict := score.Decide(scores, v.Map.Start.Routing, score.Keyword.Traits(), row.Incumbent)
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
