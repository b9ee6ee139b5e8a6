package score

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// A Ranked is a candidate's score and its share of all: the relevances of one
// ranking sum to 1.
type Ranked struct {
	ID        string  `json:"id"`
	Score     float64 `json:"score"`
	Relevance float64 `json:"relevance"`
}

// Rank gives each score its relevance, the softmax over all, in the order of
// the scores, and the ID of the greatest; of equals the first. If no score is
// finite, the shares are equal and the first is chosen; without scores none
// is, and chosen is empty.
//
// The rows belong to the caller.
func Rank(scores []Score) (ranked []Ranked, chosen string) {
	ranked = make([]Ranked, len(scores))
	best := math.Inf(-1)
	for i, s := range scores {
		ranked[i] = Ranked{ID: s.ID, Score: s.Score}
		if v := value(s.Score); i == 0 || v > best {
			best, chosen = v, s.ID
		}
	}
	sum := 0.0
	for i, s := range scores {
		weight := 1.0
		if finite(best) {
			weight = math.Exp(value(s.Score) - best)
		}
		ranked[i].Relevance = weight
		sum += weight
	}
	for i := range ranked {
		ranked[i].Relevance /= sum
	}
	return ranked, chosen
}

// value is what a score counts as.
func value(score float64) float64 {
	if finite(score) {
		return score
	}
	return math.Inf(-1)
}

// The forms of JSON, which has no numbers that are not finite.
type (
	number    float64
	scoreJSON struct {
		ID    string `json:"id"`
		Score number `json:"score"`
	}
	rankedJSON struct {
		scoreJSON
		Relevance number `json:"relevance"`
	}
)

func (s Score) MarshalJSON() ([]byte, error) { return json.Marshal(scoreJSON{s.ID, number(s.Score)}) }

func (s *Score) UnmarshalJSON(data []byte) error {
	var read scoreJSON
	err := json.Unmarshal(data, &read)
	*s = Score{read.ID, float64(read.Score)}
	return err
}

func (r Ranked) MarshalJSON() ([]byte, error) {
	return json.Marshal(rankedJSON{scoreJSON{r.ID, number(r.Score)}, number(r.Relevance)})
}

func (r *Ranked) UnmarshalJSON(data []byte) error {
	var read rankedJSON
	err := json.Unmarshal(data, &read)
	*r = Ranked{read.ID, float64(read.Score), float64(read.Relevance)}
	return err
}

func (n number) MarshalJSON() ([]byte, error) {
	if f := float64(n); !finite(f) {
		return []byte(strconv.Quote(strconv.FormatFloat(f, 'g', -1, 64))), nil
	}
	return json.Marshal(float64(n))
}

func (n *number) UnmarshalJSON(data []byte) error {
	switch text := string(data); text {
	case `"NaN"`, `"+Inf"`, `"-Inf"`:
		f, err := strconv.ParseFloat(text[1:len(text)-1], 64)
		*n = number(f)
		return err
	}
	if err := json.Unmarshal(data, (*float64)(n)); err != nil {
		return fmt.Errorf(`score: %.80s is no score; write a number, "NaN", "+Inf" or "-Inf"`, data)
	}
	return nil
}
