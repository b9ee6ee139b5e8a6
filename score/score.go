// Package score chooses among skills by how well they fit a message.
//
// A [Scorer] gives each candidate a number; what the number means is its own
// matter. [Rank] turns the numbers into shares of one whole and names the best.
// [Decide] also judges whether the best is good enough and far enough ahead:
// it moves, stays, offers a menu, or finds nothing.
//
//	Query ──Ask──▶ []Score ──Rank────▶ []Ranked, the best
//	                   └─────Decide──▶ Verdict
//
// [Keyword] is a scorer that needs no model.
//
// # Non-finite scores
//
// NaN and the infinities rank below every number and have no share, but are
// shown as they were given. In JSON they are the strings "NaN", "+Inf" and
// "-Inf".
package score

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
)

// A Candidate is one thing that a scorer compares with a message: an entry
// with its description, or an intent with its sentence and examples. A skill
// with several intents is several candidates with one ID.
type Candidate struct {
	ID       string   `json:"id"`
	Text     string   `json:"text"`
	Examples []string `json:"examples,omitempty"`
}

// A Query asks how well each candidate fits the message. The order of the
// candidates is meaning: of equals the first wins.
type Query struct {
	Message    string      `json:"message"`
	Candidates []Candidate `json:"candidates"`
}

// A Score is how well a candidate fits, in the scorer's own unit; more is
// better.
type Score struct {
	ID    string  `json:"id"`
	Score float64 `json:"score"`
}

// Traits are what one must know of a scorer to read its scores. The zero value
// is a scorer without a floor that asks no model.
type Traits struct {
	Floor       *float64 // at or below it a candidate is dead; nil: none
	Categorical bool     // its best answer is decisive whatever the gap
	Model       string   // the model that one call asks; empty: none
}

// A Scorer scores every candidate of a query once, in any order. It must be
// safe for concurrent use and must not change the query; one that waits gives
// up when the context is done. [Ask] holds a scorer to this.
type Scorer interface {
	Traits() Traits
	Score(ctx context.Context, q Query) ([]Score, error)
}

// Ask asks a scorer, and returns the scores in the order of the candidates. A
// scorer that panics, and one whose answer [Query.Answer] refuses, has failed.
// The scores belong to the caller.
func Ask(ctx context.Context, s Scorer, q Query) (scores []Score, err error) {
	defer func() {
		if p := recover(); p != nil {
			scores, err = nil, fmt.Errorf("score: the scorer panicked: %v", p)
		}
	}()
	scores, err = s.Score(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("score: %w", err)
	}
	return q.Answer(scores)
}

// Answer puts what a scorer returned into the order of the candidates. An ID
// that several candidates share must be scored as often, in their order.
//
// The error names every score without a candidate and every candidate without
// a score. A winner must be finite: if there are candidates and no score is a
// finite number, that is an error too.
func (q Query) Answer(scores []Score) ([]Score, error) {
	places := make(map[string]int, len(q.Candidates)) // the next candidate of an ID, from 1
	after := make([]int, len(q.Candidates))           // the one after it; 0: there is none
	for i := len(q.Candidates) - 1; i >= 0; i-- {
		id := q.Candidates[i].ID
		after[i] = places[id]
		places[id] = i + 1
	}
	ordered := make([]Score, len(q.Candidates))
	var faults []string
	some := len(q.Candidates) == 0
	for _, s := range scores {
		next, known := places[s.ID]
		switch {
		case !known:
			faults = append(faults, fmt.Sprintf("%.80q is no candidate", s.ID))
		case next == 0:
			faults = append(faults, fmt.Sprintf("%q has a score too many", s.ID))
		default:
			ordered[next-1] = s
			places[s.ID] = after[next-1]
			some = some || finite(s.Score)
		}
	}
	for _, c := range q.Candidates {
		if next := places[c.ID]; next != 0 {
			faults = append(faults, fmt.Sprintf("%q has no score", c.ID))
			places[c.ID] = after[next-1]
		}
	}
	if faults != nil {
		return nil, fmt.Errorf("score: %s; a scorer returns one score for each candidate, under its ID",
			strings.Join(faults, ", "))
	}
	if !some {
		return nil, errors.New("score: no score is finite, so no candidate can win; a scorer gives " +
			"a candidate that does not fit a low number, and reports with an error that it could not score")
	}
	return ordered, nil
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
