package spoor

import (
	"math"
	"slices"

	"github.com/spoorhq/spoor/score"
)

// Continuity says where a turn of a conversation begins.
type Continuity string

const (
	ContinueTurn         Continuity = "turn"         // cold; the default
	ContinueConversation Continuity = "conversation" // where the turn before it ended
)

// A TurnRoute is where a turn starts, and all that it was decided by. With By
// empty nothing judged the start, and the entries decide by their order.
type TurnRoute struct {
	Verdict

	// Ask is what a scorer must answer first: Route is to be called again
	// with its scores. Nothing else is decided then.
	Ask *score.Query `json:"-"`

	Stay   bool           `json:"stayOffered,omitempty"` // the menu offers to stay, too
	Scores *score.Verdict `json:"scores,omitempty"`      // nil if no scorer answered
	Error  string         `json:"error,omitempty"`       // why the scorer's answer does not count

	// Dropped is the skill where the conversation stood, if the map has it no
	// more, or only the agent has it.
	Dropped string   `json:"droppedResume,omitempty"`
	Failed  []Failed `json:"failed,omitempty"`
}

// Fact is what Next looks at: the verdict, or nil if nothing judged the start.
func (t *TurnRoute) Fact() *Verdict {
	if t.By == "" {
		return nil
	}
	return &t.Verdict
}

// Scored is what a scorer answered, or the error that it failed with.
type Scored struct {
	Scores []score.Score
	Traits score.Traits
	Err    error
}

// Route decides where a turn starts. It is a pure function of the facts of
// the first iteration, whose Cursor is the incumbent: the skill where the
// conversation stands, if it goes on there.
//
// A classifier, and any map under ContinueConversation, is a cascade: the
// first rule that claims the message decides; else the scores do, of the
// intents or the entries and of the incumbent; and where they are too close,
// or nothing fits, a menu is open. The entries of a scorer alone are ranked,
// and the best one starts.
//
// A scorer that failed opens a menu of all entries on a cold start, and leaves
// an incumbent where it is.
func (g *Graph) Route(f Facts, c Continuity, scored *Scored) TurnRoute {
	var t TurnRoute
	conversation := c == ContinueConversation
	if !conversation {
		f.Cursor = ""
	}
	if p := g.skills[f.Cursor]; f.Cursor != "" && (p == nil || p.agent) {
		t.Dropped, f.Cursor = f.Cursor, ""
	}
	selects := g.Selection()
	if g.tree != nil || !conversation && selects != SelectClassify && selects != SelectScorer {
		return t
	}
	if conversation || selects == SelectClassify {
		rule, ok := g.FirstRule(f)
		if t.Failed = rule.Failed; ok {
			t.By, t.To, t.From, t.Ref, t.Witness = ByEntry, rule.To, f.Cursor, rule.Ref, rule.Witness
			return t
		}
	}
	if selects != SelectClassify && selects != SelectScorer {
		if f.Cursor != "" {
			t.stay(f.Cursor)
		}
		return t
	}
	r := ranking{query: score.Query{Message: f.UserMessage}}
	if failed := g.candidates(f, &r); failed != nil {
		t.Failed = failed // those of the first rule are among them
	}
	switch {
	case len(r.refs) == 0:
		t.menu(g.Reachable(""), false)
	case scored == nil:
		t.Ask = &r.query
	default:
		g.judgeScores(&t, f.Cursor, conversation, &r, scored)
	}
	return t
}

// A ranking is what a scorer ranks.
type ranking struct {
	query score.Query
	refs  []Ref // of the candidates; empty of an incumbent that is none otherwise
}

func (r *ranking) add(c score.Candidate, ref Ref) {
	r.query.Candidates = append(r.query.Candidates, c)
	r.refs = append(r.refs, ref)
}

// best is the address of the candidate that a verdict ranks first.
func (r *ranking) best(scores []score.Score, v *score.Verdict) Ref {
	top := v.Ranked[0]
	return r.refs[slices.Index(scores, score.Score{ID: top.ID, Score: top.Score})]
}

// candidates are the intents, or the entries whose condition holds, and the
// incumbent. It returns the conditions that failed.
func (g *Graph) candidates(f Facts, r *ranking) (failed []Failed) {
	classify := g.m.Start.Classify != ""
	among := f.Cursor == ""
	hits := g.matchers.Scan(f.UserMessage)
	for i := range g.entries {
		e := &g.entries[i]
		if g.hides(e.skill) {
			continue
		}
		c := score.Candidate{ID: e.skill}
		if classify {
			intent := g.m.Start.Rules[i].Match
			if intent.Intent == nil {
				continue
			}
			c.Text, c.Examples = *intent.Intent, intent.Examples
		} else {
			holds, err := e.claims(f, &hits, i)
			if err != nil {
				failed = append(failed, Failed{e.ref.Key("when"), err.Error()})
			}
			if !holds {
				continue
			}
			c.Text = g.Skill(e.skill).Description
		}
		r.add(c, e.ref)
		among = among || c.ID == f.Cursor
	}
	if !among {
		r.add(score.Candidate{ID: f.Cursor, Text: g.Skill(f.Cursor).Description}, "")
	}
	return failed
}

// judgeScores makes a verdict of what a scorer answered.
func (g *Graph) judgeScores(t *TurnRoute, incumbent string, conversation bool, r *ranking, scored *Scored) {
	scores, err := scored.Scores, scored.Err
	if err == nil {
		scores, err = r.query.Answer(scores)
	}
	if err != nil {
		t.Error = err.Error()
		if incumbent != "" {
			t.stay(incumbent)
		} else {
			t.menu(g.Reachable(""), false)
		}
		return
	}
	policy, traits := g.m.Start.Routing, scored.Traits
	if g.m.Start.ScoredBy != "" && !conversation {
		best := score.Decide(scores, nil, score.Traits{Categorical: true}, "")
		t.By, t.To, t.Ref, t.Scores = ByEntry, best.To, r.best(scores, &best), &best
		return
	}
	v := score.Decide(scores, policy, traits, incumbent)
	t.Scores = &v
	switch v.Kind {
	case score.Move:
		t.By, t.To, t.From, t.Ref = ByIntent, v.To, incumbent, r.best(scores, &v)
	case score.Menu:
		t.menu(v.Offered, false)
	case score.Unmatched:
		t.menu(g.Reachable(""), incumbent != "")
	case score.Stay:
		if v.Decisive || tied(scores, policy, traits, incumbent) {
			t.stay(incumbent)
		} else {
			t.menu(score.Decide(scores, policy, traits, "").Offered, true)
		}
	}
}

// tied reports whether a skill is among those that are too close to call.
func tied(scores []score.Score, p *score.Policy, traits score.Traits, skill string) bool {
	all := score.Policy{MenuSize: new(math.MaxInt)}
	if p != nil {
		all.NearTieMargin, all.Floor = p.NearTieMargin, p.Floor
	}
	return slices.Contains(score.Decide(scores, &all, traits, "").Offered, skill)
}

func (t *TurnRoute) stay(incumbent string) {
	t.By, t.To, t.From = ByContinuity, incumbent, incumbent
}

func (t *TurnRoute) menu(offered []string, stay bool) {
	t.By, t.Offered, t.Stay = ByMenu, offered, stay
}
