package check

import (
	"errors"
	"slices"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/internal/phrase"
)

// A claim is an example of a start rule, and which rules claim it on a cold
// start: in the first iteration, with no history, no result and no cursor.
// Rules are numbered as in starts; -1 is none.
type claim struct {
	owner   int // whose example it is
	example int // in the examples of its owner

	own     bool  // the condition of its owner holds
	failed  error // or could not be judged
	unknown bool  // or can be judged by another program alone

	winner int // the rule that starts the turn
	first  int // the first rule with a condition that claims it
}

// shadow reports whether an earlier rule of another skill wins, and whether
// only because it has no condition.
func (c *claim) shadow(starts []spoor.StartRule) (shadowed, byDefault bool) {
	if c.winner < 0 || c.winner >= c.owner || starts[c.winner].Use == starts[c.owner].Use {
		return false, false
	}
	return true, c.first < 0 || c.first >= c.owner
}

// mostJudged is how often rules with a regex or a when are held against
// phrases. All keywords of a map are found in one pass, these one by one.
const mostJudged = 2_000_000

// room is how many phrases can be held against the rules.
func (s *subject) room() int {
	cost := 1
	for _, r := range s.starts {
		switch {
		case r.When != "":
			cost += 10
		case r.Match != nil:
			for p := range r.Match.Parts() {
				if p.Keywords == nil {
					cost++
				}
			}
		}
	}
	return mostJudged / cost
}

// held notes that not all phrases were held against the rules.
func (s *subject) held(n int, what string) {
	s.note("Only the first %d %s were held against the start rules: those with a regex or a when are too many to judge them all.", n, what)
}

func (s *subject) claimExamples() []claim {
	var claims []claim
	room := s.room()
	number := s.numbers()
	byDefault := s.unconditional()
	if s.m.Start.Classify != "" {
		byDefault = -1 // a cascade passes it over
	}
	for i, r := range s.starts {
		for j, example := range r.Examples {
			if len(claims) == room {
				s.held(room, "examples")
				return claims
			}
			f := cold(example)
			first, _ := s.g.FirstRule(f)
			c := claim{owner: i, example: j, first: number(first)}
			if c.winner = c.first; byDefault >= 0 && (c.first < 0 || byDefault < c.first) {
				c.winner = byDefault
			}
			switch {
			case c.first == i:
				c.own = true
			case r.Match == nil || 0 <= c.first && c.first < i: // the first match that holds is c.first
				c.own, c.failed = s.g.Claims(i, f)
				c.unknown = errors.Is(c.failed, spoor.ErrUnbound)
			}
			claims = append(claims, c)
		}
	}
	return claims
}

// numbers makes the function that tells which rule made a move of a cold
// start.
func (s *subject) numbers() func(spoor.Move) int {
	byRef := make(map[spoor.Ref]int, len(s.starts))
	for i := range s.starts {
		byRef[s.starts[i].Ref] = i
	}
	return func(m spoor.Move) int {
		if i, ok := byRef[m.Ref]; ok {
			return i
		}
		return -1
	}
}

// boundElsewhere lists the rules whose condition another program alone can judge.
func (s *subject) boundElsewhere() (refs []string) {
	for i, r := range s.starts {
		if r.When == "" {
			continue
		}
		if _, err := s.g.Claims(i, cold("")); errors.Is(err, spoor.ErrUnbound) {
			refs = append(refs, string(r.Ref))
		}
	}
	return refs
}

// unconditional is the first start rule without a condition; -1 if there is
// none.
func (s *subject) unconditional() int {
	return slices.IndexFunc(s.starts, func(r spoor.StartRule) bool { return !r.Conditional() })
}

// cold is all that a start rule can look at when a conversation begins.
func cold(message string) spoor.Facts { return spoor.Facts{Iteration: 1, UserMessage: message} }

// A forbidden phrase is one of neverRoutes, and what contradicts it. Rules are numbered
// as in starts; -1 is none.
type forbidden struct {
	text      string
	example   int // the rule of which it is an example
	first     int // the first rule with a condition that claims it
	byDefault int // else the first rule without a condition
}

func (s *subject) claimPhrases() []forbidden {
	if len(s.m.NeverRoutes) == 0 {
		return nil
	}
	number, byDefault := s.numbers(), s.unconditional()
	owners := map[string]int{} // by key
	for i := range s.starts {
		for _, example := range s.examples(i) {
			if _, taken := owners[phrase.Key(example)]; !taken {
				owners[phrase.Key(example)] = i
			}
		}
	}
	phrases := make([]forbidden, len(s.m.NeverRoutes))
	room := s.room()
	for i, text := range s.m.NeverRoutes {
		if i == room {
			s.held(room, "phrases of neverRoutes")
			return phrases[:i]
		}
		p := &phrases[i]
		*p = forbidden{text: text, example: -1, first: -1, byDefault: -1}
		if owner, ok := owners[phrase.Key(text)]; ok {
			p.example = owner
			continue
		}
		if m, ok := s.g.FirstRule(cold(text)); ok {
			p.first = number(m)
			continue
		}
		p.byDefault = byDefault
	}
	return phrases
}

// examples are those of a start rule: test material or, of an intent, what a
// classifier learns from.
func (s *subject) examples(i int) []string {
	if rules := s.m.Start.Rules; rules != nil && rules[i].Match.Intent != nil {
		return rules[i].Match.Examples
	}
	return s.starts[i].Examples
}

func (c *claim) text(s *subject) string { return s.starts[c.owner].Examples[c.example] }

func (c *claim) ref(s *subject) spoor.Ref {
	return s.starts[c.owner].Ref.Key("examples").At(c.example)
}

// problem is what a claim has that another rule wins.
func (c *claim) problem(s *subject, message, hint string) spoor.Problem {
	owner := s.starts[c.owner].Use
	return spoor.Problem{
		Ref: c.ref(s), Skill: owner, From: s.starts[c.winner].Use, To: owner, Example: c.text(s), Message: message, Hint: hint,
	}
}
