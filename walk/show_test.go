package walk_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/score"
)

// A page is events as the files of testdata have them: each on a line, and all
// that it says on lines below it.
type page struct{ strings.Builder }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, "\n    "+format, args...) }

// field is a line for what is not empty.
func (p *page) field(name, value string) {
	if value != "" {
		p.line("%s %s", name, value)
	}
}

// list is a line for a list, or for the event that has it.
func (p *page) list(name string, as int, list []string) {
	switch {
	case as > 0:
		p.line("%s as in %d", name, as)
	case len(list) > 0:
		p.line("%s %s", name, list)
	}
}

// part is a line for a part of a request or reply, if there is one.
func (p *page) part(sign string, part model.Part) {
	if part.Kind == "" {
		return
	}
	name := string(part.Role) + " " + string(part.Kind)
	for _, s := range []string{part.Skill, part.Call, part.Tool, part.Status} {
		if s != "" {
			name += " " + s
		}
	}
	p.line("%s %s: %s", sign, name, strings.ReplaceAll(part.Data, "\n", "\\n"))
}

func (p *page) failed(failed []spoor.Failed) {
	for _, f := range failed {
		p.line("failed %s: %s", f.Ref, f.Error)
	}
}

func show(e event.Event) string {
	p := new(page)
	fmt.Fprintf(p, "%d %s", e.Seq, e.Body.Kind())
	if len(e.Because) > 0 {
		fmt.Fprintf(p, " <- %s", strings.Trim(fmt.Sprint(e.Because), "[]"))
	}
	switch v := e.Body.(type) {
	case *event.Started:
		if v.Continuity == spoor.ContinueConversation {
			p.field("cursor", v.Cursor)
			p.list("activated", 0, v.Activated)
		}
	case *event.Asked:
		p.line("%s: %q", v.Scorer, v.Query.Message)
		for _, c := range v.Query.Candidates {
			p.line("  %s: %s", c.ID, strings.Join(append([]string{c.Text}, c.Examples...), "; "))
		}
	case *event.Scored:
		for _, s := range v.Scores {
			p.line("%s %.2f", s.ID, s.Score)
		}
		if v.Floor != nil {
			p.line("floor %g", *v.Floor)
		}
		if v.Categorical {
			p.line("categorical")
		}
		p.field("error", v.Error)
	case *event.TurnRouted:
		p.routed(v)
	case *event.Evaluated:
		p.evaluated(v)
	case *event.Called:
		if v.Purpose != model.Answer {
			p.line("to %s", v.Purpose)
		}
		p.list("offered", v.OfferedAs, v.Offered)
		if v.Choice != nil {
			p.line("choice %s", options(v.Choice))
		}
		if v.Last {
			p.line("last: %s", v.Limit)
		}
		for _, s := range v.Splices {
			p.line("at %d drop %d", s.At, s.Drop)
			for _, part := range s.Put {
				p.part("+", part)
			}
		}
	case *event.Replied:
		if v.Usage != (model.Usage{}) {
			p.line("%d in, %d out %s", v.Usage.Input, v.Usage.Output, v.Model)
		}
		for _, part := range v.Parts {
			if part.Kind == model.Call && part.Call == "" { // a choice, which is in no request
				p.part("=", part)
			}
		}
	case *event.Failed:
		p.field("error", v.Error)
	case *event.Sent:
		p.line("%s", v.Calls)
	case *event.Needs:
		p.line("%s, by %s", v.Call, v.By)
		p.part("=", v.Question)
	case *event.Paused:
		p.line("%s", v.Call)
	case *event.Answered:
		p.line("%s, declined %v", v.Call, v.Declined)
		p.part("=", v.Answer)
	case *event.Returned:
		p.line("executed %v", v.Executed)
		p.part("=", v.Result)
		for _, e := range v.Effects {
			p.line("effect %s", effectLine(e))
		}
	case *event.Refused:
		p.line("%s", v.Reason)
		p.part("=", v.Result)
	case *event.Read:
		p.line("%s %s", v.Skill, v.Target)
		p.part("=", v.Result)
	case *event.Rejected:
		p.line("%q from %q", v.RequestedID, v.CurrentSkillID)
		p.list("allowed", v.AllowedAs, v.Allowed)
		p.field("posture", string(v.Posture))
		p.part("=", v.Result)
	case *event.EffectJudged:
		p.line("%s %s of %s", v.Outcome, effectLine(v.Effect), v.Call)
		p.field("because", v.Refusal)
		p.field("superseded by", v.SupersededBy)
		p.part("=", v.Note)
	case *event.RerouteSuperseded:
		p.line("%s of %s wanted %s, and %s won by %s", v.Source, v.Call, v.VolunteeredID, v.WonID, v.By)
		p.part("=", v.Note)
	case *event.RouteConflict:
		p.line("%s to %s won", v.Winner.CallID, v.Winner.Target)
		for _, l := range v.Losers {
			p.line("%s to %s lost", l.CallID, l.Target)
		}
		p.part("=", v.Note)
	case *event.Resumed:
		p.list("repeat", 0, v.Repeat)
	case *event.Stopped:
		p.field("because", v.Reason)
	case *event.Late:
		p.field("call", v.Call)
		p.field("error", v.Error)
		for _, part := range v.Parts {
			p.part("=", part)
		}
	case *event.Finished:
		p.line("by %s", v.By)
		if v.Limited {
			p.line("limited: %s", v.Limit)
		}
		p.field("error", v.Error)
		for _, part := range v.Answer {
			p.part("=", part)
		}
	default:
		p.line("%T is not shown", v)
	}
	return p.String()
}

func (p *page) evaluated(v *event.Evaluated) {
	p.line("%s", moveLine(v.Move))
	for _, j := range v.Move.Closed {
		p.line("closed %s to %s on %s", j.Ref, j.To, j.CallID)
		for _, c := range j.Conditions {
			p.line("  %s", c)
		}
	}
	p.failed(v.Move.Failed)
	p.field("pick", v.Pick)
	if v.Declined {
		p.line("declined the menu")
	}
	p.field("proposal", v.Proposal)
	var active []string
	for _, a := range v.Active {
		active = append(active, a.Skill+" by "+string(a.Via))
	}
	if v.ActiveAs > 0 {
		p.line("active as in %d", v.ActiveAs)
	} else {
		p.field("active", strings.Join(active, ", "))
	}
	p.list("activated", v.ActivatedAs, v.Activated)
	p.list("reachable", v.ReachableAs, v.Reachable)
	p.list("superseded", v.SupersededAs, v.Superseded)
	if v.InstructionsAs > 0 {
		p.line("instructions as in %d", v.InstructionsAs)
	}
	for _, n := range v.Instructions {
		line := fmt.Sprintf("instruction %s by %s", n.ID, n.Via)
		if n.Call != "" {
			line += fmt.Sprintf(" %s of %s", n.Lease, n.Call)
		}
		p.line("%s", line)
	}
	if v.SkippedAs > 0 {
		p.line("skipped as in %d", v.SkippedAs)
	}
	for _, s := range v.Skipped {
		line := fmt.Sprintf("skipped %s%s: %s", s.ID, s.Ref, s.Reason)
		if s.Error != "" {
			line += ": " + s.Error
		}
		p.line("%s", line)
	}
}

func (p *page) routed(v *event.TurnRouted) {
	by := v.By
	if by == "" {
		by = "nothing judged"
	}
	p.line("%s: %q to %q", by, v.From, v.To)
	if v.Ref != "" {
		p.line("by %s", v.Ref)
	}
	if v.Witness != nil {
		p.line("on %q", v.Witness.Text)
	}
	p.list("offered", 0, v.Offered)
	if v.Stay {
		p.line("or stay")
	}
	p.field("scorer", v.Scorer)
	if s := v.Scores; s != nil {
		p.line("scores %s, decisive %v: %s", s.Kind, s.Decisive, rankedLine(s.Ranked))
		if s.RunnerUp != nil {
			p.line("runner-up %s, %.2f behind", s.RunnerUp.ID, s.RunnerUp.Gap)
		}
	}
	p.field("error", v.Error)
	if d := v.Decider; d != nil {
		line := "decider picked " + d.Picked
		if d.Picked == "" {
			line = "decider picked nothing"
		}
		if d.Stay {
			line += ", to stay"
		}
		if d.Model != "" {
			line += " (" + d.Model + ")"
		}
		if d.Error != "" {
			line += ": " + d.Error
		}
		p.line("%s", line)
	}
	p.field("dropped", v.Dropped)
	p.failed(v.Failed)
}

func rankedLine(ranked []score.Ranked) string {
	var list []string
	for _, r := range ranked {
		list = append(list, fmt.Sprintf("%s %.2f (%.0f %%)", r.ID, r.Score, 100*r.Relevance))
	}
	return strings.Join(list, ", ")
}

func effectLine(e spoor.Effect) string {
	return strings.Join(strings.Fields(fmt.Sprint(e.Kind, " ", e.Target, e.Instruction, " ", e.Reason, e.Lease)), " ")
}

// options are those of a forced choice.
func options(t *event.Tool) []string {
	var spec struct {
		Schema string
	}
	var schema struct {
		Properties struct {
			ID struct{ Enum []string }
		}
	}
	if err := json.Unmarshal([]byte(t.Data), &spec); err != nil {
		return []string{err.Error()}
	}
	if err := json.Unmarshal([]byte(spec.Schema), &schema); err != nil {
		return []string{err.Error()}
	}
	return schema.Properties.ID.Enum
}

func moveLine(m spoor.Move) string {
	s := fmt.Sprintf("%s: %q to %q", m.By, m.From, m.To)
	if m.Ref != "" {
		s += " by " + string(m.Ref)
	}
	if m.Witness != nil {
		s += fmt.Sprintf(" on %q", m.Witness.Text)
	}
	if m.Guard != nil {
		for _, c := range m.Guard.Conditions {
			s += "\n      " + c.String()
		}
	}
	return s
}
