package explain

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/score"
)

// What follows says of every kind of way what is tried to open it. What does
// not lead into the skill when it is tried is no change.

// stepTrials are those of a step, for the result of a call or, with an empty
// one, for any.
func (w *ways) stepTrials(k int, call string) []trial {
	if w.base == nil {
		return nil
	}
	s := &w.mapped.m.Steps[k]
	var list []trial
	for _, r := range w.sit.facts.Results {
		if call != "" && r.CallID != call || r.CallID == "" {
			continue
		}
		base := trial{way: k + 1, call: r.CallID}
		if facts, ok := w.meet(k, s, r); ok {
			list = append(list, base.with(facts))
		}
		if edits, ok := w.widen(k, s, r); ok {
			t := base.with(nil, edits...)
			t.inMap = true
			list = append(list, t)
		}
	}
	if call == "" && w.sit.facts.Iteration > 1 {
		if e, ok := w.newResult(k, s); ok {
			list = append(list, trial{way: k + 1, facts: e})
		}
	}
	return list
}

// judged is the evidence of a guard on a result; nil if the step has none.
func (w *ways) judged(k int, r spoor.Result) []guard.Evidence {
	g := w.guardAt(k)
	if g == nil {
		return nil
	}
	f := &w.sit.facts
	return g.Evaluate(&guard.View{
		ToolName: r.Tool, Result: r.Text, Status: string(r.Status), Iteration: f.Iteration, UserMessage: f.UserMessage, CurrentSkillID: f.Cursor,
	}).Conditions
}

func (w *ways) guardAt(k int) *guard.Compiled {
	if g := w.mapped.compiled(); g != nil {
		return g.StepGuard(k)
	}
	return nil
}

// waitsFor reports whether a step waits for a tool.
func (w *ways) waitsFor(k int, s *spoor.Step, tool string) bool {
	if _, _, pattern := s.OnToolReturn.Pattern(); !pattern {
		return s.OnToolReturn == "" || string(s.OnToolReturn) == tool
	}
	key := spoor.Ref("steps").At(k).Key("onToolReturn")
	g := w.mapped.probe(key, spoor.Start{}, []spoor.Step{{From: s.From, To: s.To, OnToolReturn: s.OnToolReturn}})
	return g != nil && g.Next(w.facts(spoor.Result{Tool: tool, Executed: true})).By == spoor.ByRoute
}

// meet are the facts with which a result would open a step; not ok if none
// would. The tool stays the one that it is.
func (w *ways) meet(k int, s *spoor.Step, r spoor.Result) (edits []FactEdit, ok bool) {
	if !w.waitsFor(k, s, r.Tool) {
		return nil, false
	}
	if s.When != "" {
		if !r.Executed {
			edits = append(edits, fact(FactExecuted, r.CallID, guard.Of(false), guard.Of(true)))
			r.Executed = true
		}
		if w.mapped.bound(s.When) {
			return append(edits, function(s.When)), true
		}
		more, ok := w.guess(s.When, r, true)
		return append(edits, more...), ok
	}
	g := w.guardAt(k)
	if s.OnToolStatus == nil && !r.Executed {
		edits = append(edits, fact(FactExecuted, r.CallID, guard.Of(false), guard.Of(true)))
		edits[0].Tool, r.Executed = r.Tool, true
	}
	domain := domainOf(s)
	if s.OnToolStatus != nil && !slices.Contains(s.OnToolStatus, r.Status) {
		was, _ := valueAt(r, guard.KeyStatus)
		for _, status := range s.OnToolStatus {
			if g == nil || passes(g, guard.KeyStatus, guard.Of(string(status))) {
				e, _ := w.fieldEdit(r, guard.KeyStatus, was, guard.Of(string(status)))
				edits = append(edits, e)
				r.Status = status
				break
			}
		}
	}
	if g == nil {
		return edits, true
	}
	more, ok := w.satisfy(g, w.judged(k, r), r, domain)
	return append(edits, more...), ok
}

// domainOf is what is known of a result that a step sees.
func domainOf(s *spoor.Step) guard.Domain {
	d := anyStatus
	d.Statuses = statusTexts(s.OnToolStatus)
	if _, _, pattern := s.OnToolReturn.Pattern(); !pattern {
		d.ToolName = string(s.OnToolReturn)
	}
	return d
}

// satisfy are the edits with which a guard holds for a result: one for each key
// with a condition that failed, the value nearest to what is there.
func (w *ways) satisfy(g *guard.Compiled, evidence []guard.Evidence, r spoor.Result, d guard.Domain) (edits []FactEdit, ok bool) {
	for _, key := range keysOf(g) {
		if !slices.ContainsFunc(evidence, func(c guard.Evidence) bool { return c.Key == key && !c.Passed }) {
			continue
		}
		e, ok := w.nearest(g, key, r, d)
		if !ok {
			return nil, false
		}
		edits = append(edits, e)
	}
	return edits, true
}

// nearest is the edit that gives a key the value nearest to what it has with
// which all conditions on it hold.
func (w *ways) nearest(g *guard.Compiled, key string, r spoor.Result, d guard.Domain) (FactEdit, bool) {
	if w.mapped.work += len(r.Text) / 32; w.mapped.work > maxWork {
		return FactEdit{}, false
	}
	actual, _ := valueAt(r, key)
	switch key {
	case guard.KeyIteration:
		actual = guard.Of(w.sit.facts.Iteration)
	case guard.KeyUserMessage:
		actual = textValue(w.sit.facts.UserMessage)
	}
	for n, v := range guard.Values(key, actual, d, g) {
		if n == maxOptions {
			break
		}
		if passes(g, key, v) {
			if e, ok := w.fieldEdit(r, key, actual, v); ok {
				return e, true
			}
		}
	}
	return FactEdit{}, false
}

// newResult is one more result, with which a step would open, and what else it
// needs.
func (w *ways) newResult(k int, s *spoor.Step) (edits []FactEdit, ok bool) {
	g := w.guardAt(k)
	r := spoor.Result{Tool: string(s.OnToolReturn), Executed: true, Text: "{}"}
	if _, _, pattern := s.OnToolReturn.Pattern(); pattern || r.Tool == "" {
		r.Tool = ""
		for _, tool := range w.tools() {
			if w.waitsFor(k, s, tool) && (g == nil || passes(g, guard.KeyToolName, textValue(tool))) {
				r.Tool = tool
				break
			}
		}
		if r.Tool == "" && g != nil && s.OnToolReturn == "" {
			for _, v := range guard.Values(guard.KeyToolName, guard.Value{}, anyStatus, g) {
				if passes(g, guard.KeyToolName, v) && v.Text() != "" {
					r.Tool = v.Text()
					break
				}
			}
		}
		if r.Tool == "" {
			return nil, false
		}
	}
	if len(s.OnToolStatus) > 0 {
		r.Status = s.OnToolStatus[0]
	}
	facts, ok := w.meet(k, s, r)
	if !ok {
		return nil, false
	}
	for _, e := range facts {
		switch e.What {
		case FactField:
			r.Text, _ = setField(r.Text, e.Key, e.value)
		case FactText:
			r.Text = e.value.Text()
		case FactStatus:
			r.Status = spoor.Status(e.value.Text())
		case FactToolName:
			r.Tool = e.value.Text()
		default:
			edits = append(edits, e)
		}
	}
	e := fact(FactResult, "", guard.Value{}, textValue(r.Text))
	e.Tool, e.Status = r.Tool, r.Status
	return append([]FactEdit{e}, edits...), true
}

// tools are the names of the tools of the turn.
func (w *ways) tools() (names []string) {
	if s := w.t.started(w.i); s != nil {
		for _, tool := range s.Tools {
			names = append(names, tool.Name)
		}
	}
	return names
}

// widen are the edits of a step with which it would have opened for a result as
// it is.
func (w *ways) widen(k int, s *spoor.Step, r spoor.Result) (edits []MapEdit, ok bool) {
	ref := spoor.Ref("steps").At(k)
	if s.When != "" {
		return []MapEdit{always(ref, true, func(e *editing, when string) { e.m.Steps[k].When = when })}, r.Executed
	}
	if !w.waitsFor(k, s, r.Tool) {
		tool := spoor.ToolName(r.Tool)
		if _, _, pattern := tool.Pattern(); pattern {
			return nil, false
		}
		at := ref.Key("onToolReturn")
		edits = append(edits, put(OpSet, at, tool, say("edit set", "ref", line(string(at)), "value", line(r.Tool)),
			func(e *editing) { e.m.Steps[k].OnToolReturn = tool }))
	}
	if s.OnToolStatus != nil && !slices.Contains(s.OnToolStatus, r.Status) {
		if r.Status == "" {
			return nil, false
		}
		at, with := ref.Key("onToolStatus"), append(slices.Clone(s.OnToolStatus), r.Status)
		edits = append(edits, put(OpSet, at, with, say("edit add", "ref", line(string(at)), "value", line(string(r.Status))),
			func(e *editing) { e.m.Steps[k].OnToolStatus = with }))
	} else if s.OnToolStatus == nil && !r.Executed {
		return nil, false
	}
	return append(edits, w.conditions(k, s, r, w.judged(k, r))...), true
}

// function is that a condition holds which only the program can ask.
func function(when string) FactEdit {
	e := fact(FactFunction, "", guard.Value{}, guard.Of(true))
	e.Key = strings.TrimSpace(when)
	return e
}

// atoms finds comparisons in a condition that a guard could make, and words
// that the message is to contain.
var (
	atoms    = regexp.MustCompile(`(json\.[A-Za-z_]\w*|\btoolName|\bstatus|\bresult|\bcurrentSkillId|\buserMessage|\biteration)\s*(==|!=|>=|<=|>|<)\s*('[^'\\]*'|"[^"\\]*"|-?\d+(?:\.\d+)?\b|true\b|false\b|null\b)`)
	contains = regexp.MustCompile(`(!?)\s*\buserMessage\s*\.\s*contains\(\s*('[^'\\]*'|"[^"\\]*")\s*\)`)
)

var celOps = map[string]guard.Op{
	"==": guard.OpEq, "!=": guard.OpNe, ">": guard.OpGt, ">=": guard.OpGte, "<": guard.OpLt, "<=": guard.OpLte,
}

var opposite = map[guard.Op]guard.Op{
	guard.OpEq: guard.OpNe, guard.OpNe: guard.OpEq, guard.OpGt: guard.OpLte, guard.OpLte: guard.OpGt, guard.OpLt: guard.OpGte, guard.OpGte: guard.OpLt,
}

// guess reads what it can of a condition, and gives a result and the message
// the values with which it could hold, or could not. Whether it does is seen
// when it is tried.
func (w *ways) guess(when string, r spoor.Result, holds bool) (edits []FactEdit, ok bool) {
	var g guard.Guard
	for _, m := range atoms.FindAllStringSubmatch(when, 32) {
		c := guard.Cond{Key: strings.TrimPrefix(m[1], "json."), Op: celOps[m[2]], Value: literal(m[3])}
		if !holds {
			c.Op = opposite[c.Op]
		}
		at := len(g)
		for i := range g {
			if g[i].Key == c.Key {
				at = i + 1
			}
		}
		if slices.ContainsFunc(g, func(o guard.Cond) bool { return o.Key == c.Key && o.Op == c.Op }) {
			continue
		}
		g = slices.Insert(g, at, c)
		if !holds {
			break // one that does not hold is enough
		}
	}
	message := w.sit.facts.UserMessage
	for _, m := range contains.FindAllStringSubmatch(when, 32) {
		word, has := literal(m[2]).Text(), false
		has = strings.Contains(message, word)
		switch want := (m[1] == "") == holds; {
		case want && !has:
			message = strings.TrimSpace(message + " " + word)
		case !want && has:
			message = strings.Join(strings.Fields(strings.ReplaceAll(message, word, "")), " ")
		}
	}
	if message != w.sit.facts.UserMessage {
		edits = append(edits, fact(FactMessage, "", textValue(w.sit.facts.UserMessage), textValue(message)))
	}
	if g == nil {
		return edits, edits != nil
	}
	c, faults := guard.Compile(g, nil)
	if faults != nil {
		return edits, edits != nil
	}
	f := &w.sit.facts
	evidence := c.Evaluate(&guard.View{
		ToolName: r.Tool, Result: r.Text, Status: string(r.Status), Iteration: f.Iteration, UserMessage: f.UserMessage, CurrentSkillID: f.Cursor,
	}).Conditions
	more, ok := w.satisfy(c, evidence, r, anyStatus)
	return append(edits, more...), ok && edits != nil || len(more) > 0
}

// literal is a literal of a condition.
func literal(s string) guard.Value {
	if s[0] == '\'' || s[0] == '"' {
		return textValue(s[1 : len(s)-1])
	}
	var v guard.Value
	if v.UnmarshalJSON([]byte(s)) != nil {
		return guard.Value{}
	}
	return v
}

// ruleTrials are those of a start rule or an entry.
func (w *ways) ruleTrials(ref spoor.Ref, r spoor.Rule) []trial {
	if w.base == nil {
		return nil
	}
	base := trial{}
	for _, form := range []string{"start.rules[%d]", "start.entries[%d]"} {
		var i int
		if index(ref, form, &i) {
			base.way = i + 1
		}
	}
	message := w.sit.facts.UserMessage
	saying := func(text string) trial {
		return base.with([]FactEdit{fact(FactMessage, "", textValue(message), textValue(text))})
	}
	inMap := base
	inMap.inMap = true
	list := []trial{base, inMap}
	for _, word := range shortest(r.Match.Keywords) {
		list = append(list, saying(strings.TrimSpace(message+" "+word)))
	}
	if r.Match.All != nil {
		whole := message
		for _, p := range r.Match.All {
			if words := shortest(p.Keywords); words != nil && !claims(words, message) {
				whole = strings.TrimSpace(whole + " " + words[0])
			}
		}
		list = append(list, saying(whole))
	}
	if r.When != "" && !w.mapped.bound(r.When) {
		if facts, ok := w.guess(r.When, spoor.Result{Executed: true}, true); ok {
			list = append(list, base.with(facts))
		}
	}
	examples := slices.Clone([]string(r.Examples))
	slices.SortStableFunc(examples, func(a, b string) int { return otherWords(message, a) - otherWords(message, b) })
	for _, text := range examples[:min(len(examples), 16)] {
		list = append(list, saying(text))
	}
	switch {
	case base.way == 0:
	case r.When != "":
		edit := always(ref, true, func(e *editing, when string) {
			if e.m.Start.Entries != nil {
				e.m.Start.Entries[base.way-1].When = when
			} else {
				e.m.Start.Rules[base.way-1].When = when
			}
		})
		list = append(list, inMap.with(nil, edit))
		if w.mapped.bound(r.When) {
			list = append(list, base.with([]FactEdit{function(r.When)}))
		}
	case r.Match.Intent == nil && !r.Match.IsZero():
		at := ref.Key("match")
		every := spoor.Rule{}.Match
		every.Regex = new("^")
		edit := put(OpSet, at, every, say("edit claim", "ref", line(string(at))), func(e *editing) {
			if e.m.Start.Entries != nil {
				e.m.Start.Entries[base.way-1].Match = every
			} else {
				e.m.Start.Rules[base.way-1].Match = every
			}
		})
		list = append(list, inMap.with(nil, edit))
	}
	return list
}

// shortest are some of the keywords, those of fewest words and letters first.
func shortest(keywords []string) []string {
	words := slices.Clone(keywords)
	slices.SortStableFunc(words, func(a, b string) int {
		if n := len(strings.Fields(a)) - len(strings.Fields(b)); n != 0 {
			return n
		}
		return len(a) - len(b)
	})
	return words[:min(len(words), 16)]
}

// claims reports whether one of some words stands in a message, more or less.
func claims(words []string, message string) bool {
	message = strings.ToLower(message)
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(message, strings.ToLower(word)) })
}

// otherWords counts the words of two messages that are not in both.
func otherWords(a, b string) int {
	x, y := strings.Fields(strings.ToLower(a)), strings.Fields(strings.ToLower(b))
	x, y = x[:min(len(x), 200)], y[:min(len(y), 200)]
	n := 0
	for _, word := range x {
		if !slices.Contains(y, word) {
			n++
		}
	}
	for _, word := range y {
		if !slices.Contains(x, word) {
			n++
		}
	}
	return n
}

// scoreTrials are those of a candidate that was scored: its score, and the
// numbers by which a verdict is decisive.
func (w *ways) scoreTrials(at int) []trial {
	b := w.routed
	if w.base == nil || b == nil {
		return nil
	}
	v := b.Scores
	if v == nil {
		return []trial{{facts: []FactEdit{w.scoreEdit(math.NaN(), 1)}}}
	}
	best := math.Inf(-1)
	for _, r := range v.Ranked {
		if r.ID != w.id && !math.IsNaN(r.Score) && !math.IsInf(r.Score, 0) {
			best = max(best, r.Score)
		}
	}
	if f := v.Thresholds.Floor; f != nil {
		best = max(best, *f)
	}
	var list []trial
	if !math.IsInf(best, 0) {
		lead := 0.0
		if m := v.Thresholds.NearTieMargin; m < 1 && !w.sit.traits.Categorical {
			lead = 2 * math.Atanh(m)
		}
		if w.sit.traits.Categorical && best < 1 {
			list = append(list, trial{facts: []FactEdit{w.scoreEdit(v.Ranked[at].Score, 1)}})
		}
		for _, to := range []float64{best, rounded(best + lead), math.Nextafter(best+lead, math.Inf(1)), rounded(best + 2*lead + 1)} {
			list = append(list, trial{facts: []FactEdit{w.scoreEdit(v.Ranked[at].Score, to)}})
		}
	}
	if s := w.t.started(w.i); s != nil && s.Decider && slices.Contains(b.Offered, w.id) {
		e := fact(FactDecided, "", textValue(decidedBy(b)), textValue(w.id))
		list = append(list, trial{facts: []FactEdit{e}})
	}
	if w.mapped.m.Start.Classify == "" {
		return list
	}
	floor, margin := v.Ranked[at].Score, v.Thresholds.NearTieMargin
	if below := floorBelow(floor); v.Thresholds.Floor != nil && dead(b, at) && !math.IsNaN(below) {
		list = append(list, trial{inMap: true, edits: []MapEdit{routing("floor", below)}})
		list = append(list, trial{inMap: true, edits: []MapEdit{
			routing("floor", below), routing("nearTieMargin", 0),
		}})
	}
	if at == 0 && v.RunnerUp != nil && v.RunnerUp.Gap < margin {
		list = append(list, trial{inMap: true, edits: []MapEdit{routing("nearTieMargin", v.RunnerUp.Gap)}})
	}
	return list
}

// decidedBy is what a decider chose.
func decidedBy(b *event.TurnRouted) string {
	if b.Decider == nil {
		return ""
	}
	return b.Decider.Picked
}

// floorBelow is a floor that a score is above.
func floorBelow(score float64) float64 {
	if math.IsNaN(score) || math.IsInf(score, 0) {
		return math.NaN()
	}
	return math.Nextafter(math.Floor(score*100)/100-0.01, math.Inf(-1))
}

// rounded is a number in four digits that count, not below it.
func rounded(f float64) float64 {
	if f == 0 || math.IsInf(f, 0) || math.IsNaN(f) {
		return f
	}
	unit := math.Pow(10, math.Floor(math.Log10(math.Abs(f)))-3)
	return math.Ceil(f/unit) * unit
}

// scoreEdit is another score of the skill.
func (w *ways) scoreEdit(was, want float64) FactEdit {
	e := fact(FactScore, "", guard.Of(was), guard.Of(want)) // what is no number has no JSON
	e.Key = w.id
	return e
}

// routing sets a number of the start's routing.
func routing(key string, to float64) MapEdit {
	at := spoor.Ref("start.routing").Key(key)
	text := say("edit set", "ref", line(string(at)), "value", number(to))
	return put(OpSet, at, to, text, func(e *editing) {
		var p score.Policy
		if e.m.Start.Routing != nil {
			p = *e.m.Start.Routing
		}
		if key == "floor" {
			p.Floor = &to
		} else {
			p.NearTieMargin = &to
		}
		e.m.Start.Routing = &p
	})
}

// readTrials are those of the model's choice of the skill.
func (w *ways) readTrials() []trial {
	if w.base == nil {
		return nil
	}
	was := guard.Value{}
	if w.sit.facts.Pick != "" {
		was = textValue(w.sit.facts.Pick)
	}
	pick := fact(FactPick, "", was, textValue(w.id))
	assist := fact(FactPosture, "", textValue(string(w.sit.posture)), textValue(string(spoor.PostureAssist)))
	list := []trial{
		{facts: []FactEdit{pick}},
		{facts: []FactEdit{pick, assist}},
		{facts: []FactEdit{pick}, inMap: true},
	}
	if slices.Contains(w.sit.reads, w.id) {
		list = append([]trial{{facts: []FactEdit{assist}}}, list...)
	}
	if from := w.sit.facts.Cursor; from != "" {
		text := say("edit step", "from", line(from), "to", line(w.id))
		step := stepAdded(spoor.Step{From: from, To: w.id}, text)
		list = append(list, trial{facts: []FactEdit{pick}, edits: []MapEdit{step}, inMap: true})
	}
	return list
}

// proposalTrials are those of a tool's proposal.
func (w *ways) proposalTrials() []trial {
	if w.base == nil {
		return nil
	}
	was := guard.Value{}
	if w.sit.facts.Proposal != "" {
		was = textValue(w.sit.facts.Proposal)
	}
	from := w.sit.facts.Cursor
	g := w.mapped.compiled()
	e := fact(FactProposal, "", was, textValue(w.id))
	switch {
	case g.Classify(from, w.id) == spoor.Hop:
		return []trial{{facts: []FactEdit{e}}, {facts: []FactEdit{e}, inMap: true}}
	case from != "":
		step := stepAdded(spoor.Step{From: from, To: w.id}, say("edit step", "from", line(from), "to", line(w.id)))
		return []trial{{facts: []FactEdit{e}, edits: []MapEdit{step}, inMap: true}}
	}
	return nil
}

// nowhereTrials are those of a move that had no way into the skill.
func (w *ways) nowhereTrials() []trial {
	if w.base == nil {
		return nil
	}
	if w.sit.facts.Iteration > 1 {
		return w.readTrials()
	}
	if own, ref := w.mapped.own(w.id); own != nil {
		return w.ownTrials(own, ref)
	}
	start := &w.mapped.m.Start
	rule := spoor.Rule{Use: w.id}
	if start.Classify != "" { // there a rule without a condition claims nothing
		rule.When = "true"
	}
	at := spoor.Ref("start.rules").At(len(start.Rules))
	text := say("edit rule", "ref", line(string(at)), "skill", line(w.id))
	switch {
	case start.Use != "":
		at = "start.use"
		id := w.id
		return []trial{{inMap: true, edits: []MapEdit{put(OpSet, at, id, say("edit set", "ref", "start.use", "value", line(id)), func(e *editing) { e.m.Start.Use = id })}}}
	case start.Entries == nil && w.mapped.m.Tree == nil:
		return []trial{{inMap: true, way: len(start.Rules) + 1, edits: []MapEdit{put(OpAdd, at, rule, text, func(e *editing) { e.m.Start.Rules = append(e.m.Start.Rules, rule) })}}}
	}
	return nil
}

// leafTrials are those of a leaf of a tree: the forks on the way to it turned,
// where the tree turned away.
func (w *ways) leafTrials(ref spoor.Ref) []trial {
	if w.base == nil {
		return nil
	}
	var list []trial
	t := trial{inMap: true}
	flips := map[spoor.Ref]bool{}
	for range 64 { // from the root down
		d := w.attempt(t)
		if d == nil {
			break
		}
		if w.led(d) {
			list = append(list, t)
			break
		}
		at := string(d.move.Ref)
		for _, f := range d.move.Failed {
			at = strings.TrimSuffix(string(f.Ref), ".when")
		}
		fork := spoor.Ref(parting(string(ref), at))
		if flips[fork] || fork == ref || at == "" {
			break
		}
		flips[fork] = true
		holds := strings.HasPrefix(string(ref)[len(fork):], ".whenTrue")
		t = t.with(nil, always(fork, holds, func(e *editing, when string) { e.turn(fork, when) }))
	}
	return append(list, w.leafFacts(ref)...)
}

// turn sets the condition of a fork, in a tree of its own.
func (e *editing) turn(fork spoor.Ref, when string) {
	sides := strings.Split(string(fork), ".")[1:]
	if e.m.Tree == nil {
		return
	}
	node := new(*e.m.Tree)
	e.m.Tree = node
	for _, side := range sides {
		next := &node.WhenFalse
		if side == "whenTrue" {
			next = &node.WhenTrue
		}
		if *next == nil {
			return
		}
		*next = new(**next)
		node = *next
	}
	node.When = when
}

// leafFacts are facts with which all forks on the way to a leaf could turn to it.
func (w *ways) leafFacts(ref spoor.Ref) []trial {
	results := w.sit.facts.Results
	if len(results) == 0 {
		results = []spoor.Result{{Executed: true}}
	}
	var list []trial
	for _, r := range results[:min(len(results), 4)] {
		t, some := trial{}, false
		sides := strings.Split(string(ref), ".")
		for n := 1; n < len(sides) && n < 64; n++ {
			node := w.mapped.m.Tree.At(spoor.Ref(strings.Join(sides[:n], ".")))
			if node == nil {
				return nil
			}
			if w.mapped.bound(node.When) {
				continue
			}
			facts, ok := w.guess(node.When, r, sides[n] == "whenTrue")
			facts = slices.DeleteFunc(facts, func(e FactEdit) bool { return r.CallID == "" && e.What != FactMessage })
			t, some = t.with(facts), some || ok && len(facts) > 0
		}
		if some {
			list = append(list, t)
		}
	}
	return list
}

// ownTrials are those of the condition of a skill that the agent brings along.
func (w *ways) ownTrials(s *spoor.AgentSkill, ref spoor.Ref) []trial {
	if w.base == nil {
		return nil
	}
	var i int
	index(ref, "agent.skills[%d]", &i)
	edit := always(ref, true, func(e *editing, when string) {
		e.in.Skills = slices.Clone(e.in.Skills)
		e.in.Skills[i].When = when
	})
	list := []trial{{edits: []MapEdit{edit}}}
	if w.mapped.bound(s.When) {
		return append(list, trial{facts: []FactEdit{function(s.When)}})
	}
	results := w.sit.facts.Results
	if len(results) == 0 {
		results = []spoor.Result{{Executed: true}}
	}
	for _, r := range results[:min(len(results), 4)] {
		facts, ok := w.guess(s.When, r, true)
		facts = slices.DeleteFunc(facts, func(e FactEdit) bool { return r.CallID == "" && e.What != FactMessage })
		if ok && len(facts) > 0 {
			list = append(list, trial{facts: facts})
		}
	}
	return list
}
