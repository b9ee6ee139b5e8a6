package conformance

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/check"
	"github.com/spoorhq/spoor/score"
)

// ours are the codes that the vectors do not know.
var ours = []string{"guard-lexicographic"}

type problem struct{ Kind, Code, Skill, From, To, Example string }

// checkup compares all of a report but its words: whether the map may run, its
// problems in any order, and how many notes it has.
func (v *graphLine) checkup(g *spoor.Graph) string {
	r := check.Run(g)
	return cmp.Diff(v.Checkup.OK, r.OK) + problems(v.Checkup.Problems, r.Problems) + cmp.Diff(v.Checkup.Notes, len(r.Notes))
}

// intents compares the audit of the intents, if the line has one.
func (v *graphLine) intents(g *spoor.Graph) string {
	if v.CheckupIntents == nil {
		return ""
	}
	r, err := check.Intents(context.Background(), g, "keyword", score.Keyword)
	if err != nil {
		return err.Error()
	}
	return problems(v.CheckupIntents, r.Problems)
}

func problems(want []problem, found spoor.Problems) string {
	got := []problem{}
	for _, p := range found {
		if slices.Contains(ours, p.Code) {
			continue
		}
		if p.Level == check.Advice {
			p.Level = check.Warning // the vectors know two levels
		}
		got = append(got, problem{p.Level, p.Code, p.Skill, p.From, p.To, p.Example})
	}
	inOrder := func(a, b problem) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }
	slices.SortFunc(want, inOrder)
	slices.SortFunc(got, inOrder)
	return cmp.Diff(want, got, cmpopts.EquateEmpty())
}
