package spoor_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/match"
	"github.com/spoorhq/spoor/score"
)

// routed has a rule, two intents, a default and a skill that is no entry.
func routed(change ...func(*spoor.Map)) *spoor.Map {
	m := &spoor.Map{
		Skills: []spoor.Skill{
			{ID: "billing", Description: "Pay back."}, {ID: "person", Description: "Hand over."},
			{ID: "triage", Description: "Sort."}, {ID: "back", Description: "Close the case."},
		},
		Start: spoor.Start{
			Rules: []spoor.Rule{
				{Use: "billing", Match: match.Keywords("refund")},
				{Use: "person", Match: match.Intent("wants a human", "get me a person")},
				{Use: "billing", Match: match.Intent("was charged twice", "you took it twice")},
				{Use: "triage"},
			},
			Classify: "keyword",
		},
		Steps: []spoor.Step{{From: "billing", To: "back"}},
	}
	for _, c := range change {
		c(m)
	}
	return m
}

// ranked has three entries for a scorer, one of them with a condition.
func ranked() *spoor.Map {
	m := routed()
	m.Start = spoor.Start{ScoredBy: "keyword", Entries: []spoor.Entry{
		{Use: "billing"}, {Use: "person", When: "userMessage.contains('person')"}, {Use: "triage"},
	}}
	return m
}

// TestRoute is the table of where a turn starts. The scores are those of the
// candidates in their order; nil says that nothing was asked.
func TestRoute(t *testing.T) {
	flat := func(m *spoor.Map) { m.Start = spoor.Start{Use: "triage"} }
	const conversation = spoor.ContinueConversation
	for _, c := range []struct {
		what       string
		m          *spoor.Map
		continuity spoor.Continuity
		incumbent  string
		message    string
		scores     []float64
		err        error
		want       string // by to | offered, stay
	}{
		{"nothing judges rules alone", routed(flat), "", "", "hello", nil, nil, ""},
		{"a rule", routed(), "", "", "a refund", nil, nil, "entry billing start.rules[0] on refund"},
		{"a rule beats the incumbent", routed(), conversation, "back", "a refund", nil, nil, "entry billing start.rules[0] on refund"},
		{"a scorer is asked", routed(), "", "", "hello", nil, nil, "ask person billing"},
		{"with the incumbent", routed(), conversation, "back", "hello", nil, nil, "ask person billing back"},
		{"once, if it is an intent", routed(), conversation, "billing", "hello", nil, nil, "ask person billing"},

		{"decisive", routed(), "", "", "hello", []float64{0.9, 0}, nil, "intent person start.rules[1]"},
		{"decisive, elsewhere", routed(), conversation, "back", "hello", []float64{0.9, 0, 0.1}, nil, "intent person start.rules[1]"},
		{"decisive, here", routed(), conversation, "back", "hello", []float64{0, 0, 0.9}, nil, "continuity back"},
		{"near tie, cold", routed(), "", "", "hello", []float64{0.5, 0.5}, nil, "menu [person billing]"},
		{"near tie with the incumbent", routed(), conversation, "back", "hello", []float64{0.5, 0, 0.45}, nil, "continuity back"},
		{"near tie without the incumbent", routed(), conversation, "back", "hello", []float64{0.5, 0.5, 0}, nil, "menu [person billing] stay"},
		{"unmatched, cold", routed(), "", "", "hello", []float64{0, 0}, nil, "menu [billing person triage]"},
		{"unmatched, with an incumbent", routed(), conversation, "back", "hello", []float64{0, 0, 0}, nil, "menu [billing person triage] stay"},
		{"failed, cold", routed(), "", "", "hello", nil, errors.New("no answer"), "menu [billing person triage] error no answer"},
		{"failed, with an incumbent", routed(), conversation, "back", "hello", nil, errors.New("no answer"), "continuity back error no answer"},
		{"an answer too short", routed(), "", "", "hello", []float64{1}, nil, "menu [billing person triage] error"},
		{"no candidates", routed(func(m *spoor.Map) { m.Start.Rules = m.Start.Rules[3:] }), "", "", "hello", nil, nil, "menu [triage]"},

		{"entries are ranked", ranked(), "", "", "a person", nil, nil, "ask billing person triage"},
		{"those whose condition holds", ranked(), "", "", "hello", nil, nil, "ask billing triage"},
		{"the best one starts, however close", ranked(), "", "", "hello", []float64{0.5, 0.5}, nil, "entry billing start.entries[0]"},
		{"whatever it has", ranked(), "", "", "hello", []float64{-1, 0}, nil, "entry triage start.entries[2]"},
		{"in a conversation they are intents", ranked(), conversation, "", "hello", []float64{0, 0.9}, nil, "intent triage start.entries[2]"},
		{"and too close is a menu", ranked(), conversation, "", "hello", []float64{0.5, 0.5}, nil, "menu [billing triage]"},

		{"a conversation goes on", routed(flat), conversation, "back", "hello", nil, nil, "continuity back"},
		{"or begins", routed(flat), conversation, "", "hello", nil, nil, ""},
		{"or stood where there is nothing now", routed(flat), conversation, "gone", "hello", nil, nil, "dropped gone"},
		{"and is asked as if cold", routed(), conversation, "gone", "hello", nil, nil, "ask person billing dropped gone"},
	} {
		g, err := spoor.Compile(c.m, cond.CEL)
		if err != nil {
			t.Fatal(err)
		}
		f := spoor.Facts{Iteration: 1, UserMessage: c.message, Cursor: c.incumbent}
		got := g.Route(f, c.continuity, nil)
		if c.scores != nil || c.err != nil {
			answer := &spoor.Scored{Traits: score.Keyword.Traits(), Err: c.err}
			for i, s := range c.scores {
				answer.Scores = append(answer.Scores, score.Score{ID: got.Ask.Candidates[i].ID, Score: s})
			}
			got = g.Route(f, c.continuity, answer)
		}
		if text := routeText(got); text != c.want && !(strings.HasSuffix(c.want, " error") && strings.HasPrefix(text, c.want)) {
			t.Errorf("%s: got %q, want %q", c.what, text, c.want)
		}
		if got.Ask != nil {
			continue
		}
		cold := spoor.Facts{Iteration: 1, UserMessage: c.message, Verdict: got.Fact()}
		want := spoor.Move{To: got.To, By: got.By, From: got.From, Ref: got.Ref, Witness: got.Witness}
		switch got.By {
		case "": // the order of the entries decides
			want = spoor.Move{To: "triage", By: spoor.ByEntry, Ref: "start.use"}
		case spoor.ByMenu:
			want.By = spoor.ByNone
		}
		if d := cmp.Diff(want, g.Next(cold)); d != "" {
			t.Errorf("%s: the move (-want +got):\n%s", c.what, d)
		}
	}
}

func routeText(r spoor.TurnRoute) string {
	var words []string
	add := func(some bool, text ...string) {
		if some {
			words = append(words, text...)
		}
	}
	add(r.By != "", string(r.By))
	add(r.To != "", r.To)
	add(r.Ref != "", string(r.Ref))
	if r.Witness != nil {
		add(true, "on", r.Witness.Text)
	}
	add(r.Offered != nil, "["+strings.Join(r.Offered, " ")+"]")
	add(r.Stay, "stay")
	if r.Ask != nil {
		add(true, "ask")
		for _, c := range r.Ask.Candidates {
			add(true, c.ID)
		}
	}
	add(r.Dropped != "", "dropped", r.Dropped)
	add(r.Error != "", "error", strings.TrimPrefix(r.Error, "score: "))
	return strings.Join(words, " ")
}

// The incumbent is described by its description, an intent by its sentence and
// examples.
func TestRouteCandidates(t *testing.T) {
	g := compile(t, routed())
	r := g.Route(spoor.Facts{Iteration: 1, UserMessage: "hello", Cursor: "back"}, spoor.ContinueConversation, nil)
	want := &score.Query{Message: "hello", Candidates: []score.Candidate{
		{ID: "person", Text: "wants a human", Examples: []string{"get me a person"}},
		{ID: "billing", Text: "was charged twice", Examples: []string{"you took it twice"}},
		{ID: "back", Text: "Close the case."},
	}}
	if d := cmp.Diff(want, r.Ask); d != "" {
		t.Error(d)
	}
}

// What decided is in the route: the scores with their shares, the runner-up
// and the thresholds.
func TestRouteReasons(t *testing.T) {
	margin := 0.9
	g := compile(t, routed(func(m *spoor.Map) { m.Start.Routing = &score.Policy{NearTieMargin: &margin} }))
	f := spoor.Facts{Iteration: 1, UserMessage: "hello"}
	r := g.Route(f, "", &spoor.Scored{Traits: score.Keyword.Traits(), Scores: []score.Score{{ID: "person", Score: 1}, {ID: "billing", Score: 0.5}}})
	v := r.Scores
	if v == nil || v.Kind != score.Menu || v.RunnerUp == nil || v.RunnerUp.ID != "billing" || v.Thresholds.NearTieMargin != 0.9 ||
		!slices.Equal(v.Offered, []string{"person", "billing"}) || len(v.Ranked) != 2 {
		t.Errorf("%+v", v)
	}
}
