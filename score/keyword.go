package score

import (
	"context"
	"math"
	"slices"
	"strings"
)

// Keyword scores by shared words: of the words of the message, A, and those of
// the candidate's text and examples together, B, it is |A∩B| / √(|A|·|B|),
// from 0, nothing shared, to 1, the same words. Its floor is 0.
//
// A word is a run of two or more ASCII letters and digits without regard to
// case; anything else splits, letters outside ASCII too. Words that say little
// (the, please, want) are left out. Then one s at the end is dropped from a
// word of four or more, unless it ends in ss. How often a word stands in a
// text does not matter.
var Keyword Scorer = keyword{}

type keyword struct{}

func (keyword) Traits() Traits { return Traits{Floor: new(0.0)} }

func (keyword) Score(_ context.Context, q Query) ([]Score, error) {
	message := unique(words(nil, q.Message))
	scores := make([]Score, len(q.Candidates))
	var theirs []string
	for i, c := range q.Candidates {
		theirs = words(theirs[:0], c.Text)
		for _, e := range c.Examples {
			theirs = words(theirs, e)
		}
		scores[i] = Score{c.ID, similarity(message, unique(theirs))}
	}
	return scores, nil
}

// words appends the words of a text, in its order. They share its memory
// unless they had a capital.
func words(list []string, text string) []string {
	start, capital := 0, false
	for i := 0; i <= len(text); i++ {
		if i < len(text) {
			switch b := text[i]; {
			case 'a' <= b && b <= 'z', '0' <= b && b <= '9':
				continue
			case 'A' <= b && b <= 'Z':
				capital = true
				continue
			}
		}
		if word := text[start:i]; len(word) > 1 {
			if capital {
				word = strings.ToLower(word)
			}
			if !stop(word) {
				list = append(list, fold(word))
			}
		}
		start, capital = i+1, false
	}
	return list
}

// stop reports whether a word says too little to count.
func stop(word string) bool {
	switch word {
	case "a", "an", "the", "and", "or", "but", "if", "to", "of", "for", "in", "on", "at", "by", "with",
		"is", "are", "was", "were", "be", "been", "it", "this", "that", "these", "those",
		"i", "you", "we", "my", "our", "me", "please", "can", "could", "would", "should",
		"do", "does", "how", "what", "need", "want":
		return true
	}
	return false
}

// fold drops the s of a plural. It comes after stop: "wants" counts, as "want".
func fold(word string) string {
	if n := len(word); n >= 4 && word[n-1] == 's' && word[n-2] != 's' {
		return word[:n-1]
	}
	return word
}

// unique sorts the words in place, and drops repeats.
func unique(words []string) []string {
	slices.Sort(words)
	return slices.Compact(words)
}

// similarity compares two sorted sets.
func similarity(a, b []string) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	shared := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			shared, i, j = shared+1, i+1, j+1
		}
	}
	return float64(shared) / math.Sqrt(float64(len(a))*float64(len(b)))
}
