package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/match"
	"github.com/spoorhq/spoor/score"
)

// reasons are lines about a case that failed.
type reasons []string

func (r *reasons) add(format string, args ...any) {
	if line := fmt.Sprintf(format, args...); !slices.Contains(*r, line) {
		*r = append(*r, line)
	}
}

// place names a rule, step or leaf: where it stands, and what it is called.
func (t *tester) place(ref spoor.Ref) string {
	text := string(ref)
	if label := t.edges[ref].Label; label != "" && t.f.Map.Tree == nil {
		text += " (" + oneLine(label, 40) + ")"
	}
	if pos, ok := t.f.Position(ref); ok {
		text = fmt.Sprintf("%s:%d: %s", filepath.Join(t.f.Dir(), pos.File), pos.Line, text)
	}
	return text
}

// failed tells the conditions that could not be judged.
func (r *reasons) failed(t *tester, list []spoor.Failed) {
	for _, f := range list {
		r.add("%s could not be judged, so it does not hold: %s", t.place(f.Ref), oneLine(f.Error, 200))
	}
}

// whyStart tells why a message starts where it starts, and not where the case
// wants it.
func (t *tester) whyStart(c mapfile.Case, f spoor.Facts, m spoor.Move, got begun, route spoor.TurnRoute) (r reasons) {
	if t.f.Map.Tree != nil {
		t.whyLeaf(c, m, got, &r)
		return r
	}
	switch {
	case route.Scores != nil:
		r.add("%s", t.scores(route, got))
	case got.Ref != "":
		r.add("%s %s", t.place(got.Ref), claims(t.edges[got.Ref], m.Witness))
	case route.Error != "":
		r.add("the scorer failed: %s", oneLine(route.Error, 200))
	case t.g.Selection() == spoor.SelectModel:
		r.add("the model picks among the entries, from a menu")
	case got.Offered != nil:
		r.add("no rule claims it, and the model picks from a menu")
	default:
		r.add("no rule claims it")
	}
	r.failed(t, m.Failed)
	r.failed(t, route.Failed)
	t.whyNotStart(c, f, got, &r)
	if others := slices.DeleteFunc(t.g.Superseded(f, m), func(id string) bool { return id == c.Starts }); len(others) > 0 {
		r.add("superseded, since their rules come later: %s", strings.Join(others, ", "))
	}
	return r
}

// claims says by what a rule claims a message.
func claims(e spoor.Edge, w *match.Witness) string {
	switch {
	case w != nil:
		return fmt.Sprintf("claims it by the words %q", w.Text)
	case e.When != "":
		return "claims it: " + oneLine(e.When, 80) + " holds"
	case !e.Match.IsZero():
		return "claims it"
	}
	return "claims every message"
}

// whyNotStart tells what the rules for the skill that was wanted say.
func (t *tester) whyNotStart(c mapfile.Case, f spoor.Facts, got begun, r *reasons) {
	const most = 5
	n := 0
	for i, s := range t.g.Starts() {
		wanted := s.Use == c.Starts && c.By == "" || string(s.Ref) == c.By
		if slices.Contains(causes, c.By) {
			wanted = s.Use == c.Starts
		}
		if !wanted || s.Ref == got.Ref {
			continue
		}
		if n++; n > most {
			r.add("and so on: there are more rules for %s", c.Starts)
			return
		}
		e, holds := t.edges[s.Ref], false
		intent := s.Match != nil && s.Match.IsIntent()
		if !intent {
			holds, _ = t.g.Claims(i, f)
		}
		switch where := t.place(s.Ref); {
		case intent:
			r.add("%s is an intent, which only the scorer judges: %s", where, oneLine(*e.Match.Intent, 80))
		case holds && t.g.Selection() == spoor.SelectClassify && !s.Conditional():
			r.add("%s has no condition, so beside a classifier only a menu has it", where)
		case holds && t.g.Selection() != "" && t.g.Selection() != spoor.SelectClassify:
			// The scores, or the menu, have it.
		case holds:
			var w *match.Witness
			if s.Match != nil {
				words, _ := s.Match.Match(f.UserMessage)
				w = &words
			}
			r.add("%s %s too, but it comes later: the first rule that claims a message wins", where, claims(e, w))
		case s.Match != nil:
			r.add("%s does not claim it: %s", where, s.Match.Data().Caption())
		default:
			r.add("%s does not claim it: %s does not hold", where, oneLine(e.When, 120))
		}
	}
	if n == 0 && c.Starts != "" && orEmpty(got.Starts) != c.Starts {
		r.add("no rule starts a turn in %s; these skills can start one: %s", c.Starts, cmp.Or(strings.Join(t.g.Reachable(""), ", "), "none"))
	}
}

// scores tells what a scorer found.
func (t *tester) scores(route spoor.TurnRoute, got begun) string {
	const most = 4
	_, name := scorerOf(t.f.Map)
	var rows []string
	for i, row := range route.Scores.Ranked {
		if i == most {
			rows = append(rows, "…")
			break
		}
		rows = append(rows, fmt.Sprintf("%s %.3g", row.ID, row.Score))
	}
	text := fmt.Sprintf("no rule claims it, and %s scored %s", name, strings.Join(rows, ", "))
	if t.g.Selection() == spoor.SelectScorer {
		text = fmt.Sprintf("%s scored %s", name, strings.Join(rows, ", "))
	}
	v := route.Scores
	switch {
	case v.Kind == score.Unmatched:
		text += "; none of them is above the floor, so a menu is open"
	case v.Kind == score.Menu && v.RunnerUp != nil:
		text += fmt.Sprintf("; the first are too close to call (a gap of %.3g, under %.3g), so a menu is open", v.RunnerUp.Gap, v.Thresholds.NearTieMargin)
	case got.Ref != "":
		text += "; the best is " + t.place(got.Ref)
	}
	return text
}

// whyLeaf tells the way through the tree, and where the skill that was wanted
// stands.
func (t *tester) whyLeaf(c mapfile.Case, m spoor.Move, got begun, r *reasons) {
	end := got.Ref
	for _, failed := range m.Failed {
		end = spoor.Ref(strings.TrimSuffix(string(failed.Ref), ".when"))
	}
	at, ref := t.f.Map.Tree, spoor.Ref("tree")
	for ref != end && at.Skill == "" {
		answer, side, next := "does not hold", ref.Key("whenFalse"), at.WhenFalse
		if yes := ref.Key("whenTrue"); end == yes || strings.HasPrefix(string(end), string(yes)+".") {
			answer, side, next = "holds", yes, at.WhenTrue
		}
		question := oneLine(at.When, 80)
		if at.Label != "" {
			question = oneLine(at.Label, 40) + " " + question
		}
		r.add("%s: %s %s", t.place(ref), question, answer)
		at, ref = next, side
	}
	for _, failed := range m.Failed {
		r.add("%s could not be judged, so no leaf is active: %s", t.place(failed.Ref), oneLine(failed.Error, 200))
	}
	for _, e := range t.g.Edges() {
		if e.To == c.Starts && c.Starts != "" && e.Ref != got.Ref {
			r.add("%s is the leaf %s", t.place(e.Ref), c.Starts)
		}
	}
}

// whyStep tells why results lead where they lead, and not where the case wants
// them.
func (t *tester) whyStep(c mapfile.Case, f spoor.Facts, m spoor.Move) (r reasons) {
	if m.By == spoor.ByRoute {
		r.add("%s", t.step(f, m, t.index(m.Ref)))
	} else {
		var returned []string
		for i := range f.Results {
			returned = append(returned, outcomeOf(&f.Results[i]))
		}
		r.add("no step from %s is taken on what returned: %s", c.At, cmp.Or(strings.Join(returned, ", "), "nothing"))
	}
	for _, j := range m.Closed {
		r.add("%s", t.step(f, m, t.index(j.Ref)))
	}
	r.failed(t, m.Failed)
	if m.Conflict != nil {
		for _, l := range m.Conflict.Losers {
			r.add("%s %s would lead to %s, but the first result that leads anywhere decides", l.CallID, l.Tool, l.Target)
		}
	}
	if c.Leads != "" && (m.By != spoor.ByRoute || m.To != c.Leads) {
		t.whyNotStep(c, c.Leads, false, f, m, &r)
	}
	for _, want := range c.Closed {
		if !slices.ContainsFunc(m.Closed, func(j spoor.Judgement) bool { return names(want, j) }) {
			t.whyNotStep(c, want, true, f, m, &r)
		}
	}
	return r
}

// whyNotStep tells of the steps with this address, or with this target: why they
// are not taken, or not closed.
func (t *tester) whyNotStep(c mapfile.Case, name string, closed bool, f spoor.Facts, m spoor.Move, r *reasons) {
	n := 0
	for i, s := range t.f.Map.Steps {
		ref := spoor.Ref("steps").At(i)
		switch {
		case string(ref) == name && s.From != c.At:
			r.add("%s leaves %s, and not %s", t.place(ref), s.From, c.At)
		case string(ref) != name && (s.From != c.At || s.To != name):
			continue
		case closed && s.Guard == nil:
			r.add("%s to %s has no guard, so it is never closed", t.place(ref), s.To)
		default:
			r.add("%s", t.step(f, m, i))
		}
		n++
	}
	if n == 0 {
		r.add("no step leads from %s to %s; from there they lead to %s", c.At, name, cmp.Or(strings.Join(t.g.Successors(c.At), ", "), "nowhere"))
	}
}

// index is which step stands at an address.
func (t *tester) index(ref spoor.Ref) int {
	for i := range t.f.Map.Steps {
		if spoor.Ref("steps").At(i) == ref {
			return i
		}
	}
	return -1
}

// step tells what became of one step in a move.
func (t *tester) step(f spoor.Facts, m spoor.Move, i int) string {
	s := t.f.Map.Steps[i]
	ref := spoor.Ref("steps").At(i)
	where := t.place(ref)
	switch closed := slices.IndexFunc(m.Closed, func(j spoor.Judgement) bool { return j.Ref == ref }); {
	case m.Ref == ref && m.Guard != nil:
		return fmt.Sprintf("%s to %s is taken on %s: %s", where, s.To, judged(m.Guard), rows(m.Guard.Conditions))
	case m.Ref == ref:
		return fmt.Sprintf("%s to %s is taken: %s", where, s.To, waits(s))
	case closed >= 0:
		j := &m.Closed[closed]
		return fmt.Sprintf("%s to %s stays shut on %s: %s", where, s.To, judged(j), rows(j.Conditions))
	case s.Bare():
		return fmt.Sprintf("%s to %s waits for nothing that returns: only the model takes it", where, s.To)
	}
	// What it would do alone says whether another step came first.
	alone, err := spoor.Compile(&spoor.Map{Skills: t.f.Map.Skills, Steps: []spoor.Step{s}, Scales: t.f.Map.Scales}, cond.CEL)
	if err != nil {
		return where + ": " + err.Error()
	}
	switch own := alone.Next(f); {
	case own.By == spoor.ByRoute:
		return fmt.Sprintf("%s to %s would be taken, but %s is first", where, s.To, m.Ref)
	case len(own.Closed) > 0:
		j := &own.Closed[0]
		return fmt.Sprintf("%s to %s is not judged, since %s is taken first; it would stay shut on %s: %s", where, s.To, m.Ref, judged(j), rows(j.Conditions))
	}
	return fmt.Sprintf("%s to %s is not taken: %s", where, s.To, waits(s))
}

func judged(j *spoor.Judgement) string {
	if j.CallID != "" {
		return j.CallID + " " + j.Tool
	}
	return j.Tool
}

func rows(conditions []guard.Evidence) string {
	list := make([]string, len(conditions))
	for i, e := range conditions {
		list[i] = e.String()
	}
	return strings.Join(list, "; ")
}

// waits says what a step waits for.
func waits(s spoor.Step) string {
	if s.When != "" {
		return "it waits for a result of which this holds: " + oneLine(s.When, 120)
	}
	what := "any tool"
	if source, _, ok := s.OnToolReturn.Pattern(); ok {
		what = "a tool with /" + oneLine(source, 60) + "/ in its name"
	} else if s.OnToolReturn != "" {
		what = string(s.OnToolReturn)
	}
	if s.OnToolStatus != nil {
		words := make([]string, len(s.OnToolStatus))
		for i, status := range s.OnToolStatus {
			words[i] = string(status)
		}
		what += " with the status " + strings.Join(words, " or ")
	}
	return "it waits for " + what
}

// outcomeOf is a result in a few words.
func outcomeOf(r *spoor.Result) string {
	text := r.Tool + " without a status"
	if r.Status != "" {
		text = r.Tool + " with the status " + string(r.Status)
	}
	if !r.Executed {
		text += " (not executed)"
	}
	return text
}
