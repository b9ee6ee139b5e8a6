package score_test

import (
	"context"
	"fmt"

	"github.com/spoorhq/spoor/score"
)

var intents = []score.Candidate{
	{ID: "refunds", Text: "wants money back", Examples: []string{"I was charged twice", "refund my order"}},
	{ID: "delivery", Text: "asks where a parcel is", Examples: []string{"my order is late"}},
	{ID: "account", Text: "cannot log in", Examples: []string{"I lost my password"}},
}

func Example() {
	for _, message := range []string{"I was charged twice for one order", "my order", "good morning"} {
		scores, err := score.Ask(context.Background(), score.Keyword, score.Query{Message: message, Candidates: intents})
		if err != nil {
			fmt.Println(err)
			return
		}
		switch v := score.Decide(scores, nil, score.Keyword.Traits(), ""); v.Kind {
		case score.Move:
			fmt.Printf("%s: go to %s, %.2f ahead of %s\n", message, v.To, v.RunnerUp.Gap, v.RunnerUp.ID)
		case score.Menu:
			fmt.Printf("%s: ask which of %v\n", message, v.Offered)
		case score.Unmatched:
			fmt.Printf("%s: nothing fits\n", message)
		}
	}
	// Output:
	// I was charged twice for one order: go to refunds, 0.17 ahead of delivery
	// my order: ask which of [delivery refunds]
	// good morning: nothing fits
}

func ExampleRank() {
	ranked, chosen := score.Rank([]score.Score{{"refunds", 0.2}, {"delivery", 0.5}, {"account", 0.5}})
	fmt.Println(chosen)
	for _, r := range ranked {
		fmt.Printf("%s %.2f\n", r.ID, r.Relevance)
	}
	// Output:
	// delivery
	// refunds 0.27
	// delivery 0.36
	// account 0.36
}

func ExampleQuery_Answer() {
	q := score.Query{Candidates: intents}
	_, err := q.Answer([]score.Score{{"refunds", 0.9}, {"delivery", 0.1}, {"billing", 0.3}})
	fmt.Println(err)
	// Output:
	// score: "billing" is no candidate, "account" has no score; a scorer returns one score for each candidate, under its ID
}
