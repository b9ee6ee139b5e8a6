package check

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/match"
	"github.com/spoorhq/spoor/score"
)

// A judge is a scorer that keeps what it was asked.
type judge struct {
	traits score.Traits
	score  func(q score.Query) []float64
	asked  []score.Query
}

func (j *judge) Traits() score.Traits { return j.traits }

func (j *judge) Score(_ context.Context, q score.Query) (scores []score.Score, err error) {
	j.asked = append(j.asked, q)
	for i, f := range j.score(q) {
		scores = append(scores, score.Score{ID: q.Candidates[i].ID, Score: f})
	}
	return scores, nil
}

func intents(rules ...spoor.Rule) *spoor.Map {
	return &spoor.Map{Skills: skills(3), Start: spoor.Start{Rules: rules, Classify: "judge"}}
}

func intent(use, sentence string, examples ...string) spoor.Rule {
	return spoor.Rule{Use: use, Match: match.Intent(sentence, examples...)}
}

func TestIntents(t *testing.T) {
	margin := math.Tanh(0.1 / 2)
	tests := []struct {
		name   string
		rules  []spoor.Rule
		traits score.Traits
		policy *score.Policy
		scores map[string][]float64 // by message
		want   []string             // From, To and the message
	}{
		{
			name:  "told apart",
			rules: []spoor.Rule{intent("a", "A", "x"), intent("b", "B", "y")},
			scores: map[string][]float64{
				"x": {2, 0},
				"y": {0, 2},
			},
		},
		{
			name:  "nearer to the other, and too near",
			rules: []spoor.Rule{intent("a", "A", "x"), intent("b", "B", "y")},
			scores: map[string][]float64{
				"x": {0.5, 2},
				"y": {2, 2.1},
			},
			want: []string{
				`a>b "x", an example of start.rules[0] ("a") and left out of it, scores 0.5 for "A" of start.rules[0] ("a") and 2 for "B" of start.rules[1] ("b"), which is nearer (scorer judge)`,
				`b>a "y", an example of start.rules[1] ("b") and left out of it, scores 2.1 for "B" of start.rules[1] ("b") and 2 for "A" of start.rules[0] ("a"), which is too close to call (a gap of 0.05, under 0.15) (scorer judge)`,
			},
		},
		{
			name:  "nothing fits",
			rules: []spoor.Rule{intent("a", "A", "x"), intent("b", "B", "y")},
			scores: map[string][]float64{
				"x": {0, 0},
				"y": {-1, 0},
			},
			traits: score.Traits{Floor: new(0.0)},
		},
		{
			name:   "a gap exactly at the margin",
			rules:  []spoor.Rule{intent("a", "A", "x"), intent("b", "B", "y")},
			policy: &score.Policy{NearTieMargin: &margin},
			scores: map[string][]float64{
				"x": {0.1, 0},
				"y": {0.05, 0.1},
			},
			want: []string{
				`b>a "y", an example of start.rules[1] ("b") and left out of it, scores 0.1 for "B" of start.rules[1] ("b") and 0.05 for "A" of start.rules[0] ("a"), which is too close to call (a gap of 0.025, under 0.05) (scorer judge)`,
			},
		},
		{
			name:   "a categorical answer is never too close",
			rules:  []spoor.Rule{intent("a", "A", "x"), intent("b", "B", "y")},
			traits: score.Traits{Categorical: true},
			scores: map[string][]float64{
				"x": {0.1, 0.09},
				"y": {0.1, 0},
			},
			want: []string{
				`b>a "y", an example of start.rules[1] ("b") and left out of it, scores 0 for "B" of start.rules[1] ("b") and 0.1 for "A" of start.rules[0] ("a"), which is nearer (scorer judge)`,
			},
		},
		{
			name:  "several intents of one skill",
			rules: []spoor.Rule{intent("a", "A", "x"), intent("a", "A too", "z"), intent("b", "B", "y"), intent("b", "B too", "u")},
			scores: map[string][]float64{
				"x": {1, 2, 0, 0},      // the other one of the same skill is as good
				"z": {2, 1.9, 0, 1.95}, // the runner-up is the best of another skill
				"y": {1, 3, 2, 0},
				"u": {0, 0.95, 1, 1},
			},
			want: []string{
				`a>b "z", an example of start.rules[1] ("a") and left out of it, scores 2 for "A" of start.rules[0] ("a") and 1.95 for "B too" of start.rules[3] ("b"), which is too close to call (a gap of 0.025, under 0.15) (scorer judge)`,
				`b>a "y", an example of start.rules[2] ("b") and left out of it, scores 2 for "B" of start.rules[2] ("b") and 3 for "A too" of start.rules[1] ("a"), which is nearer (scorer judge)`,
				`b>a "u", an example of start.rules[3] ("b") and left out of it, scores 1 for "B" of start.rules[2] ("b") and 0.95 for "A too" of start.rules[1] ("a"), which is too close to call (a gap of 0.025, under 0.15) (scorer judge)`,
			},
		},
		{
			name:  "scores that are no numbers",
			rules: []spoor.Rule{intent("a", "A", "x"), intent("b", "B", "y"), intent("c", "C", "z")},
			scores: map[string][]float64{
				"x": {math.NaN(), math.Inf(1), 1},
				"y": {math.Inf(1), 1, math.Inf(-1)},
				"z": {math.NaN(), 1, 1.1},
			},
			want: []string{
				`a>c "x", an example of start.rules[0] ("a") and left out of it, scores NaN for "A" of start.rules[0] ("a") and 1 for "C" of start.rules[2] ("c"), which is nearer (scorer judge)`,
				`c>b "z", an example of start.rules[2] ("c") and left out of it, scores 1.1 for "C" of start.rules[2] ("c") and 1 for "B" of start.rules[1] ("b"), which is too close to call (a gap of 0.05, under 0.15) (scorer judge)`,
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := intents(tt.rules...)
			m.Start.Routing = tt.policy
			g := compile(t, m)
			j := &judge{traits: tt.traits, score: func(q score.Query) []float64 { return tt.scores[q.Message] }}
			r, err := Intents(t.Context(), g, "judge", j)
			if err != nil {
				t.Fatal(err)
			}
			if !r.OK {
				t.Error("warnings are no reason to refuse a map")
			}
			var got []string
			for _, p := range r.Problems {
				if p.Code != "overlapping-intents" || p.Level != Warning || p.Skill != p.From || p.Example != "" {
					t.Errorf("%+v", p)
				}
				got = append(got, fmt.Sprintf("%s>%s %s", p.From, p.To, p.Message))
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s\n%v", d, r.Problems)
			}
			if calls := IntentCalls(g); calls != len(j.asked) {
				t.Errorf("%d calls were made, and %d announced", len(j.asked), calls)
			}
		})
	}
}

// What the scorer is asked: all intents in their order, and one example less.
func TestIntentsLeaveOneOut(t *testing.T) {
	g := compile(t, intents(
		intent("a", "A", "x", "z", " X"), // x stands twice
		spoor.Rule{Use: "c", Match: match.Keywords("z")},
		intent("b", "B", "x"),
	))
	j := &judge{score: func(q score.Query) []float64 { return []float64{2, 0} }}
	r, err := Intents(t.Context(), g, "judge", j)
	if err != nil {
		t.Fatal(err)
	}
	want := []score.Query{
		{Message: "x", Candidates: []score.Candidate{{ID: "a", Text: "A", Examples: []string{"z"}}, {ID: "b", Text: "B", Examples: []string{"x"}}}},
		{Message: "z", Candidates: []score.Candidate{{ID: "a", Text: "A", Examples: []string{"x", " X"}}, {ID: "b", Text: "B", Examples: []string{"x"}}}},
		{Message: "x", Candidates: []score.Candidate{{ID: "a", Text: "A", Examples: []string{"x", "z", " X"}}, {ID: "b", Text: "B", Examples: []string{}}}},
	}
	if d := cmp.Diff(want, j.asked); d != "" {
		t.Errorf("asked (-want +got):\n%s", d)
	}
	if n := IntentCalls(g); n != len(want) {
		t.Errorf("%d calls were announced", n)
	}
	codes := ""
	for _, p := range r.Problems {
		codes += fmt.Sprintf("%s %s %s>%s\n", p.Ref, p.Code, p.From, p.To)
	}
	if d := cmp.Diff("start.rules[2].match.examples[0] duplicate-intent-example a>b\n"+
		"start.rules[2].match.examples[0] overlapping-intents b>a\n", codes); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	notes := strings.Join(r.Notes, "\n")
	for _, part := range []string{"conditions", `start.rules[1] ("c") claims 1 example`} {
		if !strings.Contains(strings.ToLower(notes), strings.ToLower(part)) {
			t.Errorf("the notes do not say %q:\n%s", part, notes)
		}
	}
}

func TestIntentsThatCannotBeAsked(t *testing.T) {
	one := compile(t, intents(intent("a", "A", "x"), intent("a", "A too", "y")))
	never := &judge{score: func(score.Query) []float64 { panic("asked") }}
	r, err := Intents(t.Context(), one, "judge", never)
	if err != nil || len(r.Problems) > 0 || r.Problems == nil || IntentCalls(one) != 0 {
		t.Errorf("intents of one skill have nothing to be told apart from: %v, %v", r.Problems, err)
	}

	m := intents(intent("a", "A", "x"), intent("b", "B", "y"))
	_, err = Intents(t.Context(), compile(t, m), "judge", never)
	if err == nil || !strings.Contains(err.Error(), "start.rules[0].match.examples[0]") {
		t.Errorf("the scorer failed: %v", err)
	}
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stopped)
	patient := scorerFunc(func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) })
	if _, err := Intents(ctx, compile(t, m), "judge", patient); !errors.Is(err, stopped) {
		t.Errorf("the context was done: %v", err)
	}

	m = &spoor.Map{Skills: skills(1), Start: spoor.Start{Use: "a"}}
	if _, err := Intents(t.Context(), compile(t, m), "judge", never); err == nil || IntentCalls(compile(t, m)) != 0 {
		t.Error("a map without a classifier has nothing to ask")
	}
}

type scorerFunc func(context.Context) error

func (scorerFunc) Traits() score.Traits { return score.Traits{} }

func (f scorerFunc) Score(ctx context.Context, _ score.Query) ([]score.Score, error) {
	return nil, f(ctx)
}

// After the hundred that are listed the scorer is asked once more.
func TestIntentsStop(t *testing.T) {
	var examples []string
	for i := range 300 {
		examples = append(examples, fmt.Sprint("x", i))
	}
	g := compile(t, intents(intent("a", "A", examples...), intent("b", "B", "y")))
	j := &judge{score: func(q score.Query) []float64 { return []float64{1, 1} }}
	r, err := Intents(t.Context(), g, "judge", j)
	if err != nil || len(r.Problems) != mostOfOne || len(j.asked) != mostOfOne+1 || IntentCalls(g) != 301 {
		t.Errorf("%d problems, %d calls, %v", len(r.Problems), len(j.asked), err)
	}
	if !strings.Contains(strings.Join(r.Notes, "\n"), "more") {
		t.Errorf("no note says that there are more: %q", r.Notes)
	}
}
