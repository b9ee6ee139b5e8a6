package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/score"
)

// reasons tells of a case that failed why its facts lead where they lead, and
// not where it wants them.
type reasons struct {
	*tester
	c     mapfile.Case
	f     spoor.Facts
	m     spoor.Move
	lines []string
}

func (t *tester) why(c mapfile.Case, f spoor.Facts, done tried, route spoor.TurnRoute) []string {
	r := &reasons{tester: t, c: c, f: f, m: done.Move, lines: []string{}}
	switch {
	case c.At != "":
		r.ofSteps()
	case t.file.Map.Tree != nil:
		r.ofLeaf(done.Got.Ref)
	default:
		r.ofStart(done.Got, route)
	}
	return r.lines
}

func (r *reasons) add(format string, args ...any) {
	if line := fmt.Sprintf(format, args...); !slices.Contains(r.lines, line) {
		r.lines = append(r.lines, line)
	}
}

// place names a rule, step or leaf: where it stands, and what it is called.
func (r *reasons) place(ref spoor.Ref) string {
	text := string(ref)
	if label := r.edges[ref].Label; label != "" && r.file.Map.Tree == nil {
		text += " (" + oneLine(label, 40) + ")"
	}
	if pos, ok := r.file.Position(ref); ok {
		text = fmt.Sprintf("%s:%d: %s", filepath.Join(r.file.Dir(), pos.File), pos.Line, text)
	}
	return text
}

func (r *reasons) failed(list []spoor.Failed, so string) {
	for _, f := range list {
		r.add("%s could not be judged, so %s: %s", r.place(f.Ref), so, oneLine(f.Error, 200))
	}
}

// ofStart tells what the rules say to the message, or what scored best.
func (r *reasons) ofStart(got outcome, route spoor.TurnRoute) {
	starts, selects := r.g.Starts(), r.g.Selection()
	i := slices.IndexFunc(starts, func(s spoor.StartRule) bool { return s.Ref == got.Ref })
	switch {
	case route.Scores != nil:
		r.scored(route.Scores, got.Ref)
	case i >= 0:
		r.add("%s %s", r.place(got.Ref), claims(starts[i], r.f.UserMessage))
	case selects == spoor.SelectModel:
		r.add("the model picks among the entries, from a menu")
	case got.Offered != nil:
		r.add("no rule claims it, and the model picks from a menu")
	default:
		r.add("no rule claims it")
	}
	r.failed(slices.Concat(r.m.Failed, route.Failed), "it does not hold")
	n, address := 0, r.c.By != "" && !slices.Contains(causes, r.c.By)
	for i, s := range starts {
		if s.Ref == got.Ref || address && string(s.Ref) != r.c.By || !address && s.Use != r.c.Starts {
			continue
		}
		if n++; n > 5 {
			r.add("and so on: there are more rules for %s", r.c.Starts)
			break
		}
		where := r.place(s.Ref)
		switch holds, _ := r.g.Claims(i, r.f); {
		case s.Match != nil && s.Match.IsIntent():
			r.add("%s is an intent, which only the scorer judges: %s", where, oneLine(*s.Match.Data().Intent, 80))
		case holds && (selects == "" || selects == spoor.SelectClassify && s.Conditional()):
			r.add("%s %s too, but it comes later: the first rule that claims a message wins", where, claims(s, r.f.UserMessage))
		case holds && selects == spoor.SelectClassify:
			r.add("%s has no condition, so beside a classifier only a menu has it", where)
		case holds: // The scores, or the menu, have it.
		case selects == spoor.SelectModel: // The model picks from the menu, whatever holds.
		case s.Match != nil:
			r.add("%s does not claim it: %s", where, s.Match.Data().Caption())
		default:
			r.add("%s does not claim it: %s does not hold", where, oneLine(s.When, 120))
		}
	}
	if able := r.g.Reachable(""); n == 0 && r.c.Starts != "" && !slices.Contains(able, r.c.Starts) {
		r.add("no rule starts a turn in %s; these skills can start one: %s", r.c.Starts, cmp.Or(strings.Join(able, ", "), "none"))
	}
	others := slices.DeleteFunc(r.g.Superseded(r.f, r.m), func(id string) bool { return id == r.c.Starts })
	if len(others) > 0 {
		r.add("superseded, since their rules come later: %s", strings.Join(others, ", "))
	}
}

// claims says by what a rule claims a message.
func claims(s spoor.StartRule, message string) string {
	if s.Match != nil {
		if w, _ := s.Match.Match(message); w.Text != "" {
			return fmt.Sprintf("claims it by the words %q", w.Text)
		}
		return "claims it"
	}
	if s.When != "" {
		return "claims it: " + oneLine(s.When, 80) + " holds"
	}
	return "claims every message"
}

// scored tells what the scorer found.
func (r *reasons) scored(v *score.Verdict, best spoor.Ref) {
	_, name := scorerOf(r.file.Map)
	var rows []string
	for _, row := range v.Ranked {
		rows = append(rows, fmt.Sprintf("%s %.3g", row.ID, row.Score))
	}
	if len(rows) > 4 {
		rows = append(rows[:4], "…")
	}
	text := name + " scored " + strings.Join(rows, ", ")
	if r.g.Selection() != spoor.SelectScorer {
		text = "no rule claims it, and " + text
	}
	switch {
	case v.Kind == score.Unmatched:
		text += "; none of them is above the floor, so a menu is open"
	case v.Kind == score.Menu && v.RunnerUp != nil:
		text += fmt.Sprintf("; the first are too close to call (a gap of %.3g, under %.3g), so a menu is open", v.RunnerUp.Gap, v.Thresholds.NearTieMargin)
	case best != "":
		text += "; the best is " + r.place(best)
	}
	r.add("%s", text)
}

// ofLeaf tells the way through the tree, and where the skill that was wanted
// stands.
func (r *reasons) ofLeaf(leaf spoor.Ref) {
	end, at := string(leaf), spoor.Ref("tree")
	for _, failed := range r.m.Failed {
		end = strings.TrimSuffix(string(failed.Ref), ".when")
	}
	for _, side := range strings.Split(end, ".")[1:] {
		n, answer := r.file.Map.Tree.At(at), "holds"
		if side == "whenFalse" {
			answer = "does not hold"
		}
		question := strings.TrimSpace(oneLine(n.Label, 40) + " " + oneLine(n.When, 80))
		r.add("%s: %s %s", r.place(at), question, answer)
		at = at.Key(side)
	}
	r.failed(r.m.Failed, "no leaf is active")
	for _, e := range r.g.Edges() {
		if e.To == r.c.Starts && e.Ref != leaf {
			r.add("%s is the leaf %s", r.place(e.Ref), e.To)
		}
	}
}

// ofSteps tells what the steps say to the results.
func (r *reasons) ofSteps() {
	if r.m.By == spoor.ByRoute {
		r.step(r.m.Ref)
	} else {
		r.add("no step from %s is taken on what returned: %s", r.c.At, returned(r.f.Results))
	}
	for _, j := range r.m.Closed {
		r.step(j.Ref)
	}
	r.failed(r.m.Failed, "it does not hold")
	if r.m.Conflict != nil {
		for _, l := range r.m.Conflict.Losers {
			r.add("%s %s would lead to %s, but the first result that leads anywhere decides", l.CallID, l.Tool, l.Target)
		}
	}
	if r.c.Leads != "" && (r.m.By != spoor.ByRoute || r.m.To != r.c.Leads) {
		r.wanted(r.c.Leads, false)
	}
	for _, step := range r.c.Closed {
		if !slices.ContainsFunc(r.m.Closed, func(j spoor.Judgement) bool { return means(step, j) }) {
			r.wanted(step, true)
		}
	}
}

func returned(results []spoor.Result) string {
	list := make([]string, len(results))
	for i, res := range results {
		list[i] = res.Tool + " without a status"
		if res.Status != "" {
			list[i] = res.Tool + " with the status " + string(res.Status)
		}
		if !res.Executed {
			list[i] += " (not executed)"
		}
	}
	return cmp.Or(strings.Join(list, ", "), "nothing")
}

// wanted tells of the steps with this address, or with this target, why they are
// not taken, or not closed.
func (r *reasons) wanted(name string, closed bool) {
	found := false
	for i, s := range r.file.Map.Steps {
		ref := spoor.Ref("steps").At(i)
		switch {
		case string(ref) != name && (s.From != r.c.At || s.To != name):
			continue
		case s.From != r.c.At:
			r.add("%s leaves %s, and not %s", r.place(ref), s.From, r.c.At)
		case closed && s.Guard == nil:
			r.add("%s to %s has no guard, so it is never closed", r.place(ref), s.To)
		default:
			r.step(ref)
		}
		found = true
	}
	if !found {
		there := "no step leaves it"
		if next := r.g.Successors(r.c.At); len(next) > 0 {
			there = "from there they lead to " + strings.Join(next, ", ")
		}
		r.add("no step leads from %s to %s; %s", r.c.At, name, there)
	}
}

// step tells what became of one step.
func (r *reasons) step(ref spoor.Ref) {
	var i int
	_, _ = fmt.Sscanf(string(ref), "steps[%d]", &i)
	s := r.file.Map.Steps[i]
	to := r.place(ref) + " to " + s.To
	closed := slices.IndexFunc(r.m.Closed, func(j spoor.Judgement) bool { return j.Ref == ref })
	switch {
	case r.m.Ref == ref && r.m.Guard != nil:
		r.add("%s is taken on %s", to, evidence(*r.m.Guard))
	case r.m.Ref == ref:
		r.add("%s is taken: %s", to, waits(s))
	case closed >= 0:
		r.add("%s stays shut on %s", to, evidence(r.m.Closed[closed]))
	case s.Bare():
		r.add("%s waits for nothing that returns: only the model takes it", to)
	default:
		r.add("%s %s", to, r.untaken(s))
	}
}

// untaken tells why a step is not taken that was not closed. What it would do
// alone says whether another step came first.
func (r *reasons) untaken(s spoor.Step) string {
	alone, err := spoor.Compile(&spoor.Map{Skills: r.file.Map.Skills, Steps: []spoor.Step{s}, Scales: r.file.Map.Scales}, cond.CEL)
	if err != nil {
		return "is not taken: " + err.Error()
	}
	switch m := alone.Next(r.f); {
	case m.By == spoor.ByRoute:
		return fmt.Sprintf("would be taken, but %s is first", r.m.Ref)
	case len(m.Closed) > 0:
		return fmt.Sprintf("is not judged, since %s is taken first; it would stay shut on %s", r.m.Ref, evidence(m.Closed[0]))
	}
	reached := r.f
	for _, res := range r.f.Results {
		if !res.Executed {
			res.Executed = true
			reached.Results = []spoor.Result{res}
			if m := alone.Next(reached); m.By == spoor.ByRoute || len(m.Closed) > 0 {
				return fmt.Sprintf("is not taken: %s, and the call of %s did not reach its tool", waits(s), res.Tool)
			}
		}
	}
	return "is not taken: " + waits(s)
}

func evidence(j spoor.Judgement) string {
	rows := make([]string, len(j.Conditions))
	for i, e := range j.Conditions {
		rows[i] = e.String()
	}
	return strings.TrimSpace(j.CallID+" "+j.Tool) + ": " + strings.Join(rows, "; ")
}

// waits says what a step waits for.
func waits(s spoor.Step) string {
	if s.When != "" {
		return "it waits for a result of which this holds: " + oneLine(s.When, 120)
	}
	what := "it waits for " + cmp.Or(string(s.OnToolReturn), "any tool")
	if source, _, ok := s.OnToolReturn.Pattern(); ok {
		what = "it waits for a tool with /" + oneLine(source, 60) + "/ in its name"
	}
	for i, status := range s.OnToolStatus {
		what += []string{" with the status ", " or "}[min(i, 1)] + string(status)
	}
	return what
}
