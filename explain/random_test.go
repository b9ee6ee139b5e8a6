package explain_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/score"
	"github.com/spoorhq/spoor/walk"
)

// wander walks a random conversation on a random map: steps of every kind,
// starts of every kind, picks that are refused, tools that propose.
func wander(t testing.TB, seed uint64) *recording.Recording {
	rnd := rand.New(rand.NewPCG(seed, 7))
	chance := func(n int) bool { return rnd.IntN(n) == 0 }
	m := &spoor.Map{Name: "random"}
	ids := []string{"a", "b", "c", "d", "e"}[:2+rnd.IntN(4)]
	any := func() string { return ids[rnd.IntN(len(ids))] }
	for i, id := range ids {
		m.Skills = append(m.Skills, spoor.Skill{ID: id, Description: "Skill " + id + ".", Body: "Do " + id + ".", Tools: []string{"t", fmt.Sprint("t", i)}})
	}
	if chance(2) {
		m.ScopeTools = new(true)
	}
	for range 1 + rnd.IntN(8) {
		s := spoor.Step{From: any(), To: any()}
		switch rnd.IntN(5) {
		case 0:
			s.OnToolReturn = "t"
		case 1:
			s.OnToolReturn, s.Guard = "t", guard.Guard{guard.Gte("n", float64(rnd.IntN(4)))}
		case 2:
			s.When = "toolName == 't' && json.n > " + fmt.Sprint(rnd.IntN(4))
		case 3:
			s.OnToolStatus = spoor.Statuses{spoor.Failure}
		}
		if chance(3) {
			s.Label = "label"
		}
		m.Steps = append(m.Steps, s)
	}
	switch rnd.IntN(6) {
	case 0:
		m.Start = spoor.Start{Rules: []spoor.Rule{{Use: any(), Match: match.Keywords("go", "start")}, {Use: any()}}}
	case 1:
		m.Start = spoor.Start{Classify: "keyword", Rules: []spoor.Rule{{Use: ids[0], Match: match.Intent("first", "the first one")}, {Use: ids[1], Match: match.Intent("second", "the other one")}}}
	case 2:
		m.Start = spoor.Start{ScoredBy: "keyword", Entries: []spoor.Entry{{Use: ids[0]}, {Use: ids[1]}}}
	case 3:
		m.Start = spoor.Start{Entries: []spoor.Entry{{Use: ids[0]}, {Use: ids[1]}}}
	case 4:
		m.Start = spoor.Start{Classify: walk.LLM, Rules: []spoor.Rule{{Use: ids[0], Match: match.Intent("first", "the first one")}, {Use: ids[1], Match: match.Intent("second", "the other one")}}}
	default:
		m = &spoor.Map{Skills: m.Skills[:2], Tree: &spoor.Tree{When: "iteration % 2 == 0", WhenTrue: &spoor.Tree{Skill: "a"}, WhenFalse: &spoor.Tree{Skill: "b"}}}
	}
	w := newWorld(t, m, brought())
	for range 1 + rnd.IntN(3) {
		w.say([]string{"go on", "I was charged", "what?"}[rnd.IntN(3)], func(s *event.Started) {
			s.MaxIterations = 3 + rnd.IntN(15)
			s.Posture = []spoor.Posture{"", spoor.PostureGuard, ""}[rnd.IntN(3)]
			s.Decider = chance(2)
			if chance(3) {
				s.Limits.PingPong, s.Limits.Refusals = 3, 3
			}
			if chance(2) && w.state.Turn > 0 {
				s.Continuity, s.Cursor, s.Activated = spoor.ContinueConversation, w.state.Cursor, w.state.Activated
			}
		})
		w.goOn(rnd, any)
	}
	return w.recording()
}

// goOn walks a turn to its end.
func (w *world) goOn(rnd *rand.Rand, any func() string) {
	for {
		switch c := w.machine.Command(w.state).(type) {
		case nil:
			return
		case walk.Score:
			s := &event.Scored{}
			for _, candidate := range c.Query.Candidates {
				s.Scores = append(s.Scores, score.Score{ID: candidate.ID, Score: float64(rnd.IntN(3))})
			}
			w.step(s)
		case walk.CallModel:
			w.replies(answer(rnd, c, any))
		case walk.CallTools:
			call := c.Calls[0]
			var effects []spoor.Effect
			switch rnd.IntN(12) {
			case 0:
				effects = []spoor.Effect{{Kind: spoor.ProposeTransition, Target: any(), Reason: "so"}}
			case 1:
				effects = []spoor.Effect{{Kind: spoor.RequireInstruction, Instruction: "sorry", Lease: spoor.NextCall}}
			case 2:
				w.asks(call.ID, event.ByTool, "May I?")
				continue
			}
			p := model.NewPart(model.Tool, model.Result, fmt.Sprintf(`{"n":%d}`, rnd.IntN(5)))
			p.Call, p.Tool = call.ID, call.Tool
			w.step(&event.Returned{Call: call.ID, Tool: call.Tool, Executed: true, Result: p, Effects: effects,
				Status: []spoor.Status{"", spoor.Success, spoor.Failure}[rnd.IntN(3)]})
		case walk.Ask:
			w.answers(c.Call.ID, "yes", rnd.IntN(2) == 0)
		}
	}
}

// answer is a random reply to a request.
func answer(rnd *rand.Rand, c walk.CallModel, any func() string) []model.Part {
	if c.Choice != nil {
		return call("choose", fmt.Sprintf(`{"id":%q}`, []string{any(), "none", "stay"}[rnd.IntN(3)]))
	}
	if rnd.IntN(8) == 0 {
		return say("Done.")
	}
	parts := []model.Part{{Kind: model.Thinking, Data: "So."}}
	for range 1 + rnd.IntN(2) {
		switch rnd.IntN(3) {
		case 0:
			parts = append(parts, call("read_skill", fmt.Sprintf(`{"id":%q}`, []string{any(), any(), "gone", "glossary"}[rnd.IntN(4)]))...)
		case 1:
			parts = append(parts, call(fmt.Sprint("t", rnd.IntN(5)), "{}")...)
		default:
			parts = append(parts, call("t", "{}")...)
		}
	}
	return parts
}
