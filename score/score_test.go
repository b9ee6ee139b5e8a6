package score_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spoorhq/spoor/score"
)

var nan, inf = math.NaN(), math.Inf(1)

// scored makes scores from ids and numbers by turns.
func scored(list ...any) []score.Score {
	scores := []score.Score{}
	for i := 0; i < len(list); i += 2 {
		f, ok := list[i+1].(float64)
		if !ok {
			f = float64(list[i+1].(int))
		}
		scores = append(scores, score.Score{ID: list[i].(string), Score: f})
	}
	return scores
}

// fixed is a scorer that always gives the same answer, or panics with it.
type fixed struct {
	scores []score.Score
	err    error
	panics any
}

func (fixed) Traits() score.Traits { return score.Traits{} }

func (f fixed) Score(context.Context, score.Query) ([]score.Score, error) {
	if f.panics != nil {
		panic(f.panics)
	}
	return f.scores, f.err
}

// query asks for candidates of these ids.
func query(ids ...string) score.Query {
	q := score.Query{Message: "hello"}
	for _, id := range ids {
		q.Candidates = append(q.Candidates, score.Candidate{ID: id})
	}
	return q
}

func TestAsk(t *testing.T) {
	for _, tt := range []struct {
		why    string
		query  score.Query
		scorer score.Scorer
		want   string // the scores, or what the error says
	}{
		{"the order is that of the candidates", query("a", "b", "c"), fixed{scores: scored("c", 3, "a", 1, "b", 2)}, "[{a 1} {b 2} {c 3}]"},
		{"a shared ID is scored as often, in its order", query("a", "b", "a"), fixed{scores: scored("a", 1, "a", 3, "b", 2)}, "[{a 1} {b 2} {a 3}]"},
		{"one finite score is enough", query("a", "b", "c"), fixed{scores: scored("a", inf, "b", 0, "c", nan)}, "[{a +Inf} {b 0} {c NaN}]"},
		{"no candidates", query(), fixed{}, "[]"},
		{"a missing score", query("a", "b"), fixed{scores: scored("a", 1)},
			`score: "b" has no score; a scorer returns one score for each candidate, under its ID`},
		{"a foreign one", query("a"), fixed{scores: scored("a", 1, "x", 1)}, `"x" is no candidate`},
		{"a second one", query("a"), fixed{scores: scored("a", 1, "a", 1)}, `"a" has a score too many`},
		{"too few of a shared ID", query("a", "a", "a"), fixed{scores: scored("a", 1)}, `"a" has no score, "a" has no score`},
		{"all faults, scores before candidates", query("a", "b", "c"), fixed{scores: scored("x", 1, "b", 1, "b", 1)},
			`score: "x" is no candidate, "b" has a score too many, "a" has no score, "c" has no score`},
		{"a score without candidates", query(), fixed{scores: scored("x", 1)}, `"x" is no candidate`},
		{"nothing could win", query("a", "b"), fixed{scores: scored("a", nan, "b", inf)}, "no score is finite"},
		{"an error", query("a"), fixed{scores: scored("a", 1), err: errors.New("no route to host")}, "score: no route to host"},
		{"a panic is one", query("a"), fixed{panics: "index out of range"}, "score: the scorer panicked: index out of range"},
		{"so is a scorer that is nil", query("a"), nil, "score: the scorer panicked"},
	} {
		scores, err := score.Ask(t.Context(), tt.scorer, tt.query)
		got := fmt.Sprint(scores)
		if err != nil {
			got = err.Error()
			if scores != nil {
				t.Errorf("%s: scores beside an error: %v", tt.why, scores)
			}
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %s, want %s", tt.why, got, tt.want)
		}
	}
}

func TestAskKeepsTheCause(t *testing.T) {
	_, err := score.Ask(t.Context(), fixed{err: context.Canceled}, query("a"))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want one that is context.Canceled", err)
	}
}

func TestAnswerIsACopy(t *testing.T) {
	given := scored("a", 1)
	got, err := query("a").Answer(given)
	if err != nil {
		t.Fatal(err)
	}
	if got[0].Score = 2; given[0].Score != 1 {
		t.Error("the answer shares memory with what the scorer returned")
	}
}

func TestRank(t *testing.T) {
	for _, tt := range []struct {
		why    string
		scores []score.Score
		chosen string
		shares []float64
	}{
		{"the greatest, in declared order", scored("a", 0, "b", math.Log(3)), "b", []float64{0.25, 0.75}},
		{"of equals the first", scored("a", 1, "b", 2, "c", 2), "b", []float64{0.1554, 0.4223, 0.4223}},
		{"what is not finite has no share", scored("a", nan, "b", -5, "c", inf, "d", math.Inf(-1)), "b", []float64{0, 1, 0, 0}},
		{"nothing finite: equal shares", scored("a", nan, "b", inf), "a", []float64{0.5, 0.5}},
		{"numbers of any size", scored("a", -math.MaxFloat64, "b", math.MaxFloat64), "b", []float64{0, 1}},
		{"one", scored("a", -3), "a", []float64{1}},
		{"none", nil, "", nil},
	} {
		ranked, chosen := score.Rank(tt.scores)
		if chosen != tt.chosen {
			t.Errorf("%s: chosen %q, want %q", tt.why, chosen, tt.chosen)
		}
		if ranked == nil || len(ranked) != len(tt.scores) {
			t.Fatalf("%s: got %v", tt.why, ranked)
		}
		for i, r := range ranked {
			if r.ID != tt.scores[i].ID || math.Float64bits(r.Score) != math.Float64bits(tt.scores[i].Score) ||
				math.Abs(r.Relevance-tt.shares[i]) > 1e-4 {
				t.Errorf("%s: row %d is %v, want %v with a share of %v", tt.why, i, r, tt.scores[i], tt.shares[i])
			}
		}
	}
}

func TestDecide(t *testing.T) {
	zero := score.Traits{Floor: new(0.0)}
	oneOf := score.Traits{Categorical: true}
	near := math.Tanh(0.05) // the gap of two scores that differ by 0.1
	for _, tt := range []struct {
		why       string
		scores    []score.Score
		policy    *score.Policy
		traits    score.Traits
		incumbent string
		want      string // kind, to or offered, runner-up, decisive
	}{
		{"far ahead", scored("a", 0, "b", 2), nil, score.Traits{}, "", "move b, then a, decisive"},
		{"too close", scored("a", 0.1, "b", 0.2), nil, score.Traits{}, "", "menu [b a], then a"},
		{"equals are offered in declared order", scored("a", 1, "b", 1), nil, score.Traits{}, "", "menu [a b], then b"},
		{"nothing to judge", nil, nil, score.Traits{}, "", "unmatched"},

		{"a gap exactly at the margin is enough", scored("a", 0.1, "b", 0), &score.Policy{NearTieMargin: &near}, score.Traits{}, "", "move a, then b, decisive"},
		{"a hair less is not", scored("a", 0.1, "b", 0), &score.Policy{NearTieMargin: new(math.Nextafter(near, 1))}, score.Traits{}, "", "menu [a b], then b"},
		{"one exactly at the margin is not offered", scored("a", 0.1, "b", 0, "c", 0.1), &score.Policy{NearTieMargin: &near}, score.Traits{}, "", "menu [a c], then c"},
		{"a margin of 0: the first of equals", scored("a", 1, "b", 1), &score.Policy{NearTieMargin: new(0.0)}, score.Traits{}, "", "move a, then b, decisive"},
		{"a margin of 1: only what is alone in the world", scored("a", 20, "b", 0), &score.Policy{NearTieMargin: new(1.0)}, score.Traits{}, "", "menu [a b], then b"},

		{"one alive needs no margin", scored("a", 0.01, "b", 0), nil, zero, "", "move a, decisive"},
		{"at the floor is dead", scored("a", 0, "b", -1), nil, zero, "", "unmatched"},
		{"the policy's floor beats a higher one", scored("a", 0.2, "b", 0.1), &score.Policy{Floor: new(0.0)}, score.Traits{Floor: new(0.5)}, "", "menu [a b], then b"},
		{"and a lower one", scored("a", 0.2, "b", 0.1), &score.Policy{Floor: new(0.1)}, zero, "", "move a, decisive"},
		{"no floor: the worst is alive", scored("a", -1000), nil, score.Traits{}, "", "move a, decisive"},
		{"a dead one is not offered", scored("a", 0.02, "b", 0.01, "c", 0), nil, zero, "", "menu [a b], then b"},

		{"what is not finite is dead", scored("a", inf, "b", 0, "c", nan), nil, score.Traits{}, "", "move b, decisive"},
		{"and nothing else is there", scored("a", inf, "b", math.Inf(-1), "c", nan), nil, score.Traits{}, "", "unmatched"},

		{"a menu of three, unless told", scored("a", 0, "b", 0, "c", 0, "d", 0), nil, score.Traits{}, "", "menu [a b c], then b"},
		{"of as many as told", scored("a", 0, "b", 0, "c", 0, "d", 0), &score.Policy{MenuSize: new(4)}, score.Traits{}, "", "menu [a b c d], then b"},
		{"of two at least", scored("a", 0, "b", 0, "c", 0, "d", 0), &score.Policy{MenuSize: new(1)}, score.Traits{}, "", "menu [a b], then b"},

		{"the answer of a categorical scorer is decisive", scored("a", 1, "b", 1), nil, oneOf, "", "move a, then b, decisive"},
		{"also over the incumbent", scored("a", 1, "b", 1), nil, oneOf, "b", "move a, then b, decisive"},
		{"not below the floor", scored("a", 0), nil, score.Traits{Categorical: true, Floor: new(0.0)}, "", "unmatched"},

		{"the incumbent is best", scored("a", 0, "b", 2), nil, score.Traits{}, "b", "stay, then a, decisive"},
		{"another is", scored("a", 0, "b", 2), nil, score.Traits{}, "a", "move b, then a, decisive"},
		{"the incumbent is among the close", scored("a", 1, "b", 1), nil, score.Traits{}, "b", "stay, then b"},
		{"two others are close", scored("a", 2, "b", 2, "c", 0), nil, score.Traits{}, "c", "stay, then b"},
		{"the incumbent is no candidate", scored("a", 2, "b", 2), nil, score.Traits{}, "x", "stay, then b"},
		{"nothing is alive, with an incumbent", scored("a", 0, "b", 0), nil, zero, "a", "unmatched"},

		{"intents of one skill do not compete", scored("a", 1, "a", 1), nil, score.Traits{}, "", "move a, decisive"},
		{"the runner-up is of another skill", scored("a", 2, "a", 2, "b", 0), nil, score.Traits{}, "", "move a, then b, decisive"},
		{"a skill is offered once", scored("a", 0, "b", 0, "a", 0, "b", 0, "c", 0), nil, score.Traits{}, "", "menu [a b c], then b"},
		{"and counts once for the size", scored("a", 0, "a", 0, "a", 0, "b", 0, "c", 0), &score.Policy{MenuSize: new(2)}, score.Traits{}, "", "menu [a b], then b"},
		{"one of its intents is enough to be alive", scored("a", -1, "b", 0.01, "a", 0.02), nil, zero, "", "menu [a b], then b"},
	} {
		v := score.Decide(tt.scores, tt.policy, tt.traits, tt.incumbent)
		got := string(v.Kind)
		if v.To != "" {
			got += " " + v.To
		}
		if v.Offered != nil {
			got += fmt.Sprint(" ", v.Offered)
		}
		if v.RunnerUp != nil {
			got += ", then " + v.RunnerUp.ID
		}
		if v.Decisive {
			got += ", decisive"
		}
		if got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.why, got, tt.want)
		}
	}
}

func TestVerdictIsRankedBestFirst(t *testing.T) {
	v := score.Decide(scored("a", nan, "b", 1, "c", inf, "d", 2, "b", 2), nil, score.Traits{}, "")
	got := ""
	for _, r := range v.Ranked {
		got += fmt.Sprintf("%s %v, ", r.ID, r.Score)
	}
	if want := "d 2, b 2, b 1, a NaN, c +Inf, "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestThresholdsAsUsed(t *testing.T) {
	three := new(3.0)
	for _, tt := range []struct {
		policy *score.Policy
		traits score.Traits
		want   string
	}{
		{nil, score.Traits{}, `{"nearTieMargin":0.15,"menuSize":3}`},
		{new(score.Policy), score.Traits{Floor: new(0.0)}, `{"nearTieMargin":0.15,"menuSize":3,"floor":0}`},
		{&score.Policy{NearTieMargin: new(0.0), MenuSize: new(5)}, score.Traits{}, `{"nearTieMargin":0,"menuSize":5}`},
		{&score.Policy{MenuSize: new(1), Floor: three}, score.Traits{Floor: new(0.0)}, `{"nearTieMargin":0.15,"menuSize":1,"floor":3}`},
	} {
		v := score.Decide(nil, tt.policy, tt.traits, "")
		if got, err := json.Marshal(v.Thresholds); err != nil || string(got) != tt.want {
			t.Errorf("got %s, %v, want %s", got, err, tt.want)
		}
		if v.Thresholds.Floor != nil && v.Thresholds.Floor == three {
			t.Error("the verdict shares the floor with the policy")
		}
	}
}

func TestJSON(t *testing.T) {
	v := score.Decide(scored("a", inf, "b", 0.25, "c", nan, "d", math.Inf(-1)), nil, score.Traits{}, "")
	data, err := json.Marshal(v)
	want := `{"kind":"move","to":"b","ranked":[{"id":"b","score":0.25,"relevance":1},{"id":"a","score":"+Inf","relevance":0},` +
		`{"id":"c","score":"NaN","relevance":0},{"id":"d","score":"-Inf","relevance":0}],"decisive":true,` +
		`"thresholds":{"nearTieMargin":0.15,"menuSize":3}}`
	if err != nil || string(data) != want {
		t.Errorf("got %s, %v, want %s", data, err, want)
	}
	var back score.Verdict
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(back) != fmt.Sprint(v) { // NaN equals nothing but its print
		t.Errorf("read back as %v, want %v", back, v)
	}

	scores := scored("a", nan, "b", 1e21, "c", inf)
	if data, err = json.Marshal(scores); err != nil {
		t.Fatal(err)
	}
	var read []score.Score
	if err := json.Unmarshal(data, &read); err != nil || fmt.Sprint(read) != fmt.Sprint(scores) {
		t.Errorf("%s read back as %v, %v", data, read, err)
	}
	if data, err := json.Marshal(score.Decide(nil, nil, score.Traits{}, "")); err != nil || !strings.Contains(string(data), `"ranked":[]`) {
		t.Errorf("got %s, %v, want an empty list of rows", data, err)
	}
	for _, wrong := range []string{`"Inf"`, `"1"`, `true`, `1e999`} {
		err := json.Unmarshal([]byte(`{"id":"a","score":`+wrong+`}`), new(score.Ranked))
		if err == nil || !strings.Contains(err.Error(), wrong+" is no score") {
			t.Errorf("%s: got %v, want an error that names it", wrong, err)
		}
	}
}

// TestLaws holds what must be true of any scores.
func TestLaws(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var scores, shifted []score.Score
		by := random.NormFloat64() * 10
		for i := range 1 + random.IntN(6) {
			s := score.Score{ID: string(rune('a' + i)), Score: math.Round(random.NormFloat64()*10) / 10}
			if random.IntN(8) == 0 {
				s.Score = []float64{nan, inf, -inf}[random.IntN(3)]
			}
			scores = append(scores, s)
			shifted = append(shifted, score.Score{ID: s.ID, Score: s.Score + by})
		}

		ranked, _ := score.Rank(scores)
		moved, _ := score.Rank(shifted)
		sum := 0.0
		for i := range ranked {
			sum += ranked[i].Relevance
			if math.Abs(ranked[i].Relevance-moved[i].Relevance) > 1e-9 {
				t.Fatalf("%v: all scores by %v more change a share: %v, %v", scores, by, ranked, moved)
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("%v: the shares sum to %v", scores, sum)
		}

		traits := score.Traits{Categorical: random.IntN(4) == 0}
		incumbent := []string{"", "a", "x"}[random.IntN(3)]
		few := score.Decide(scores, nil, traits, incumbent)
		if few.RunnerUp == nil {
			continue
		}
		many := score.Decide(append(slices.Clone(scores), scored("y", -100, "z", -101)...), nil, traits, incumbent)
		if few.Kind != many.Kind || few.To != many.To || few.Decisive != many.Decisive ||
			*few.RunnerUp != *many.RunnerUp || !reflect.DeepEqual(few.Offered, many.Offered) {
			t.Fatalf("%v: what is far below changes %+v to %+v", scores, few, many)
		}
		if few.RunnerUp.Gap < 0 || few.RunnerUp.Gap > 1 {
			t.Fatalf("%v: a gap of %v", scores, few.RunnerUp.Gap)
		}
		if few.Kind == score.Menu && len(few.Offered) < 2 {
			t.Fatalf("%v: a menu of %v", scores, few.Offered)
		}
	}
}

func BenchmarkDecide(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		var scores []score.Score
		for i := range n {
			scores = append(scores, score.Score{ID: fmt.Sprint(i), Score: float64(i*7919%n) / float64(n)})
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				score.Decide(scores, nil, score.Traits{}, "")
			}
		})
	}
}
