package spoor

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/internal/nearest"
	"github.com/spoorhq/spoor/internal/phrase"
	"github.com/spoorhq/spoor/match"
)

// Compile makes the graph of a map. Conditions finds what a `when` names; if
// it is nil, a map with a `when` is refused. The error is Problems: every
// fault that stops the map from being a graph.
//
// The map belongs to the graph afterwards and must not be changed.
func Compile(m *Map, c Conditions) (*Graph, error) {
	k := compiler{m: m, conditions: c, g: &Graph{m: m, skills: make(map[string]*place, len(m.Skills))}}
	k.skills()
	k.start()
	k.steps()
	k.neverRoutes()
	k.scales()
	k.tree()
	if len(k.problems) > 0 {
		return nil, k.problems
	}
	k.index()
	return k.g, nil
}

type compiler struct {
	m          *Map
	conditions Conditions
	g          *Graph
	problems   Problems
	treeCut    bool // the tree is too large, and that was said

	hints        int // how often a name was looked for that was meant
	instructions int // of the regexes so far
	conditioned  int // what the conditions so far count against maxConditions
	unreadable   int // conditions that could not be read
}

// Bounds on what a map may take to compile. Each is far above what a map of
// 20,000 skills needs, and keeps a hostile one to some seconds.
const (
	maxHints        = 100     // searches for the name that was meant
	maxInstructions = 1 << 21 // of all regexes; one has at most 10,000
	maxConditions   = 3 << 20 // bytes of all conditions, and perCondition for each
	perCondition    = 64
	maxUnreadable   = 100 // conditions with a fault, after which no more are read
)

// meant is a hint about the name that was meant, or the other hint.
func (k *compiler) meant(name string, known iter.Seq[string], other string) string {
	if k.hints++; k.hints > maxHints {
		return other
	}
	return cmp.Or(nearest.Hint(name, known), other)
}

func (k *compiler) problem(code string, ref Ref, hint, format string, args ...any) *Problem {
	k.problems = append(k.problems, Problem{
		Level: "error", Code: code, Ref: ref, Message: fmt.Sprintf(format, args...), Hint: hint,
	})
	return &k.problems[len(k.problems)-1]
}

func (k *compiler) skills() {
	for i := range k.m.Skills {
		k.skill(&k.m.Skills[i], Ref("skills").At(i), i)
	}
}

// skill makes the place of a skill; ok is false if it can have none.
func (k *compiler) skill(s *Skill, ref Ref, index int) (ok bool) {
	if s.ID == "" {
		k.problem("wrong-type", ref.Key("id"), "give it a name that steps can use", "a skill has no id")
		return false
	}
	if first, taken := k.g.skills[s.ID]; taken {
		at := Ref("skills").At(first.index)
		if first.agent {
			at = Ref("agent.skills").At(first.index - len(k.m.Skills))
		}
		k.problem("duplicate-skill", ref.Key("id"), "rename one of them",
			"skill %q is declared twice, first as %s", s.ID, at).Skill = s.ID
		return false
	}
	if s.AutoActivate != "" && s.AutoActivate != CurrentSkill && s.AutoActivate != Always {
		k.problem("wrong-type", ref.Key("autoActivate"), "write currentSkill or always",
			"%q is not a way to offer tools", string(s.AutoActivate)).Skill = s.ID
	}
	if s.Delivery != "" && s.Delivery != DeliverPrompt && s.Delivery != DeliverResult && s.Delivery != DeliverBoth {
		k.problem("wrong-type", ref.Key("delivery"), "write prompt, result or both",
			"%q is not a way to deliver a body", string(s.Delivery)).Skill = s.ID
	}
	k.g.skills[s.ID] = &place{index: index}
	return true
}

// ids yields the ids of the skills.
func (k *compiler) ids(yield func(string) bool) {
	for _, s := range k.m.Skills {
		if !yield(s.ID) {
			return
		}
	}
}

// known reports an id that no skill has, which stands under a key.
func (k *compiler) known(id string, at Ref, key string) {
	if k.g.skills[id] != nil {
		return
	}
	hint := k.meant(id, k.ids, "declare it under skills, or correct the name")
	k.problem("unknown-skill", at.Key(key), hint, "there is no skill %q", id).Skill = id
}

func (k *compiler) scales() {
	for _, f := range k.m.Scales.Faults() {
		ref := Ref("scales").Key(f.Key)
		if f.At >= 0 {
			ref = ref.At(f.At)
		}
		k.problem("bad-guard", ref, f.Hint, "%s", f.Message)
	}
}

func (k *compiler) start() {
	s := &k.m.Start
	var forms []string
	if s.Use != "" {
		forms = append(forms, "use")
	}
	if s.Rules != nil {
		forms = append(forms, "rules")
	}
	if s.Entries != nil {
		forms = append(forms, "entries")
	}
	if len(forms) > 1 {
		k.problem("two-starts", Ref("start").Key(forms[1]), "keep one of them", "a turn starts by %s, not by more than one", strings.Join(forms, " and by "))
	}
	k.routing(forms)

	if s.Use != "" {
		k.known(s.Use, "start", "use")
		k.entry(entry{skill: s.Use, ref: "start.use"}, match.Match{}, "")
	}
	for i, r := range s.Rules {
		ref := Ref("start.rules").At(i)
		k.known(r.Use, ref, "use")
		k.entry(entry{skill: r.Use, ref: ref, label: r.Label, examples: r.Examples}, r.Match, r.When)
		for j, example := range r.Examples {
			if phrase.Key(example) == "" {
				k.problem("misplaced-examples", ref.Key("examples").At(j), "write a message, or drop the row", "a blank example proves nothing").Skill = r.Use
			}
		}
		if len(r.Examples) > 0 && r.When == "" {
			switch {
			case r.Match.IsZero():
				k.problem("misplaced-examples", ref.Key("examples"), "give the rule a match or a when, or drop the examples",
					"an unconditional rule claims every message, so examples of it prove nothing").Skill = r.Use
			case r.Match.Intent != nil:
				k.problem("misplaced-examples", ref.Key("examples"), "move them into match.examples, where a classifier learns from them",
					"the examples of an intent belong to its match").Skill = r.Use
			}
		}
	}
	for i, e := range s.Entries {
		ref := Ref("start.entries").At(i)
		k.known(e.Use, ref, "use")
		k.entry(entry{skill: e.Use, ref: ref, label: e.Label}, e.Match, e.When)
	}
	k.g.exclusive = s.Entries != nil || s.Classify != ""
	k.g.coldWalk = s.Classify == "" && (s.Entries == nil || s.ScoredBy != "")
}

// routing checks what chooses among the entries.
func (k *compiler) routing(forms []string) {
	s := &k.m.Start
	beside := slices.Contains(forms, "use") || slices.Contains(forms, "entries")
	if s.Classify != "" && beside {
		k.problem("bad-routing", "start.classify", "write the start as rules, or drop it",
			"classify judges the intents of rules, and this start has none")
	}
	if s.ScoredBy != "" && s.Entries == nil {
		k.problem("bad-routing", "start.scoredBy", "list the skills to rank under entries, or drop it",
			"scoredBy ranks entries, and this start has none")
	}
	r := s.Routing
	if r == nil {
		return
	}
	if s.Classify == "" {
		k.problem("bad-routing", "start.routing", "name a classifier under classify, or drop it",
			"routing says when a classifier is decisive, and there is no classifier")
	}
	if m := r.NearTieMargin; m != nil && !(*m >= 0 && *m <= 1) {
		k.problem("bad-routing", "start.routing.nearTieMargin", "write a number from 0 to 1", "a margin of %v is no share", *m)
	}
	if n := r.MenuSize; n != nil && *n < 1 {
		k.problem("bad-routing", "start.routing.menuSize", "write a whole number from 1", "a menu of %d has no room for a skill", *n)
	}
	if f := r.Floor; f != nil && (math.IsNaN(*f) || math.IsInf(*f, 0)) {
		k.problem("bad-routing", "start.routing.floor", "write a number", "a floor of %v is no number", *f)
	}
}

// entry compiles one entry and its condition, if it has one.
func (k *compiler) entry(e entry, m match.Match, when string) {
	if !m.IsZero() && when != "" {
		k.problem("two-conditions", e.ref.Key("when"), "keep match or when; a when can ask for both", "an entry has one condition, and this one has two").Skill = e.skill
	}
	if when != "" {
		e.whenText = when
		e.when = k.condition(when, false, e.ref.Key("when"), e.skill)
		e.conditional = true
	}
	if !m.IsZero() {
		e.match = k.match(m, e.ref.Key("match"), e.skill)
		e.conditional = true
		if m.Intent != nil && k.m.Start.Classify == "" {
			hint := "name one under start.classify, such as keyword"
			if k.m.Start.Entries != nil {
				hint = "write the start as rules with a classifier; entries have no intents"
			}
			k.problem("intent-without-classify", e.ref.Key("match"), hint,
				"an intent is judged by a classifier, and this start has none").Skill = e.skill
		}
	}
	k.g.entries = append(k.g.entries, e)
}

func (k *compiler) match(m match.Match, ref Ref, skill string) *match.Compiled {
	if k.instructions > maxInstructions {
		return nil
	}
	c, faults := match.Compile(m)
	if c != nil {
		if k.instructions += c.Instructions(); k.instructions > maxInstructions {
			k.problem("bad-match", ref, "lower the repeat counts, or list words as keywords",
				"the regexes up to here compile to more than %d instructions together", maxInstructions).Skill = skill
		}
	}
	for _, f := range faults {
		k.problem("bad-match", ref.join(f.At), f.Hint, "%s", f.Message).Skill = skill
	}
	return c
}

func (k *compiler) condition(when string, result bool, ref Ref, skill string) Condition {
	if k.conditions == nil {
		k.problem("bad-condition", ref, "pass cond.CEL to Compile", "nothing here can read the condition %q", when).Skill = skill
		return nil
	}
	if k.conditioned > maxConditions || k.unreadable == maxUnreadable {
		return nil
	}
	if k.conditioned += len(when) + perCondition; k.conditioned > maxConditions {
		k.problem("bad-condition", ref, "use guards and matchers, which take less",
			"the conditions up to here are too many, or too long together").Skill = skill
		return nil
	}
	c, err := k.conditions.Condition(when, result)
	if err != nil {
		k.problem("bad-condition", ref, "", "%v", err).Skill = skill
		if k.unreadable++; k.unreadable == maxUnreadable {
			k.problem("bad-condition", ref, "correct the others first", "%d conditions cannot be read; those after this one were not looked at", maxUnreadable)
		}
	}
	return c
}

func (k *compiler) steps() {
	k.g.guards = make([]*guard.Compiled, len(k.m.Steps))
	k.room()
	for i, s := range k.m.Steps {
		ref := Ref("steps").At(i)
		before := len(k.problems)
		k.known(s.From, ref, "from")
		k.known(s.To, ref, "to")
		c := step{to: s.To, ref: ref, bare: s.Bare()}

		if s.When != "" {
			c.when = k.condition(s.When, true, ref.Key("when"), "")
			if s.OnToolReturn != "" || s.OnToolStatus != nil || s.Guard != nil {
				k.problem("mixed-step", ref.Key("when"), "say it all in the when, or use a guard",
					"a when stands alone: it is refused beside onToolReturn, onToolStatus and guard")
			}
		}
		c.tool, c.toolPattern = k.toolName(s.OnToolReturn, ref)
		if s.OnToolStatus != nil && len(s.OnToolStatus) == 0 {
			k.problem("bad-status", ref.Key("onToolStatus"), "list one at least, or drop it", "an empty set of statuses is never met")
		}
		for j, status := range s.OnToolStatus {
			if !status.Valid() {
				hint := cmp.Or(nearest.Hint(string(status), statuses), "write one of "+strings.Join(slices.Collect(statuses), ", "))
				k.problem("bad-status", ref.Key("onToolStatus").At(j), hint, "%q is not a status", string(status))
			}
		}
		c.statuses = s.OnToolStatus
		if s.Guard != nil {
			g, faults := guard.Compile(s.Guard, k.m.Scales)
			for _, f := range faults {
				at := ref.Key("guard")
				if f.At >= 0 {
					at = at.At(f.At)
				}
				k.problem("bad-guard", at, f.Hint, "%s", f.Message)
			}
			c.guard, k.g.guards[i] = g, g
		}
		if from := k.g.skills[s.From]; from != nil {
			from.steps = append(from.steps, c)
		}
		for j := before; j < len(k.problems); j++ {
			k.problems[j].From, k.problems[j].To = s.From, s.To
		}
	}
}

// room makes room for the steps out of each skill.
func (k *compiler) room() {
	out := make([]int, len(k.m.Skills))
	for _, s := range k.m.Steps {
		if from := k.g.skills[s.From]; from != nil {
			out[from.index]++
		}
	}
	steps := make([]step, len(k.m.Steps))
	for i, s := range k.m.Skills {
		if p := k.g.skills[s.ID]; p != nil && p.index == i {
			p.steps, steps = steps[:0:out[i]], steps[out[i]:]
		}
	}
}

// statuses yields the closed set as texts.
func statuses(yield func(string) bool) {
	for _, s := range AllStatuses() {
		if !yield(string(s)) {
			return
		}
	}
}

func (k *compiler) toolName(t ToolName, ref Ref) (name string, pattern *match.Compiled) {
	source, flags, ok := t.Pattern()
	if !ok {
		return string(t), nil
	}
	return "", k.match(match.Regex(source, flags), ref.Key("onToolReturn"), "")
}

func (k *compiler) neverRoutes() {
	seen := map[string]int{}
	for i, row := range k.m.NeverRoutes {
		ref := Ref("neverRoutes").At(i)
		key := phrase.Key(row)
		if key == "" {
			k.problem("bad-never-route", ref, "write a phrase, or drop the row", "a blank phrase asserts nothing")
		} else if first, again := seen[key]; again {
			k.problem("bad-never-route", ref, "drop one of them", "this is neverRoutes[%d] again; one row already asserts it against every rule", first)
		} else {
			seen[key] = i
		}
	}
}

// index is built once, so that a move costs what the cursor's own steps cost.
func (k *compiler) index() {
	g := k.g
	matchers := make([]*match.Compiled, len(g.entries))
	for i := range g.entries {
		e := &g.entries[i]
		if matchers[i] = e.match; e.match == nil {
			g.unmatched = append(g.unmatched, i)
		}
		p := g.skills[e.skill]
		if !p.entry {
			p.entry = true
			p.firstEntry = i
		}
		p.always = p.always || !e.conditional && !g.exclusive
	}
	g.matchers = match.NewSet(matchers)
	for i := len(k.m.Steps) - 1; i >= 0; i-- {
		if s := &k.m.Steps[i]; !s.Bare() {
			to := g.skills[s.To]
			to.routed, to.firstRoute = true, i
		}
	}
	seen := make([]int, len(k.m.Skills)) // the last skill, from 1, of which one is a successor
	for _, s := range k.m.Skills {
		from := g.skills[s.ID]
		keys := map[string]bool{}
		for i := range from.steps {
			st := &from.steps[i]
			to := g.skills[st.to]
			to.stepIn = true
			from.wired, to.wired = true, true
			if st.guard != nil {
				for _, key := range st.guard.Keys() {
					keys[key] = true
				}
			}
			if to != from && seen[to.index] != from.index+1 {
				seen[to.index] = from.index + 1
				from.next = append(from.next, st.to)
			}
		}
		from.keys = slices.Sorted(maps.Keys(keys))
	}
	scoped := g.tree != nil // a leaf's tools are its own, unless the map says otherwise
	if k.m.ScopeTools != nil {
		scoped = *k.m.ScopeTools
	}
	for i := range k.m.Skills {
		s := &k.m.Skills[i]
		p := g.skills[s.ID]
		p.wired = p.wired || p.entry || g.tree != nil
		p.scoped = s.AutoActivate == CurrentSkill || s.AutoActivate == "" && scoped && p.wired
		if p.always {
			g.always = append(g.always, i)
		}
	}
}
