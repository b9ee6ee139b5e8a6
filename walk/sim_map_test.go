package walk_test

import (
	"math/rand/v2"
	"slices"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/score"
)

// A plan is what one seed walks: a random map and what an agent brings along.
// It is compiled once and walked for many turns.
type plan struct {
	m        *spoor.Map
	in       spoor.Injections
	graph    *spoor.Graph
	recorded event.Graph
	injected event.Injections
	tools    []event.Tool
	chart    *chart
}

// The words of random maps. No skill is called by a word that the machine uses
// in its texts, except for a few that are: an option of a choice has to be
// told from them.
var (
	mapSkills   = []string{"Ada", "Bly", "Cox", "Dee", "Eli", "Fay"}
	agentSkills = []string{"Gus", "Hal"}
	oddSkills   = []string{"none", "stay"}
	mapTools    = []string{"find", "rate", "pay"}
	allTools    = []string{"find", "rate", "pay", "mail"} // mail is the agent's
	sayings     = []string{"refund me", "charged twice", "an invoice, late", "hello", ""}
)

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// one reports, once in n times, that something is so.
func one(r *rand.Rand, n int) bool { return r.IntN(n) == 0 }

func randomPlan(r *rand.Rand) (*plan, error) {
	p := &plan{m: randomMap(r)}
	if !one(r, 3) {
		p.in = randomInjections(r)
	}
	g, err := spoor.Compile(p.m, cond.CEL)
	if err != nil {
		return nil, err
	}
	if p.graph, err = g.Inject(p.in, cond.CEL); err != nil {
		return nil, err
	}
	if p.recorded, err = event.NewGraph(p.m); err != nil {
		return nil, err
	}
	if p.injected, err = p.recorded.NewInjections(p.in); err != nil {
		return nil, err
	}
	for _, name := range allTools {
		p.tools = append(p.tools, event.Tool{Name: name, Piece: model.Sum(name), Data: name})
	}
	p.chart = newChart(p.m, p.in)
	return p, nil
}

func randomMap(r *rand.Rand) *spoor.Map {
	m := &spoor.Map{Name: "random"}
	ids := slices.Clone(mapSkills[:pick(r, 1, 2, 3, 4, 4, 5, 6)])
	if one(r, 8) {
		ids[r.IntN(len(ids))] = pick(r, oddSkills...)
	}
	for _, id := range ids {
		m.Skills = append(m.Skills, randomSkill(r, id))
	}
	if one(r, 2) {
		m.ScopeTools = new(one(r, 2))
	}
	start := r.IntN(14)
	if start == 0 {
		m.Tree = randomTree(r, ids)
		return m
	}
	m.Start = randomStart(r, start, ids)
	for range r.IntN(4 * len(ids)) {
		m.Steps = append(m.Steps, randomStep(r, ids))
	}
	return m
}

func randomSkill(r *rand.Rand, id string) spoor.Skill {
	s := spoor.Skill{ID: id, Delivery: pick(r, "", spoor.DeliverPrompt, spoor.DeliverResult, spoor.DeliverBoth)}
	if !one(r, 4) {
		s.Description = "About " + id
	}
	if !one(r, 4) {
		s.Body = "Body of " + id
	}
	for _, tool := range mapTools {
		if one(r, 3) {
			s.Tools = append(s.Tools, tool)
		}
	}
	if one(r, 4) {
		s.AutoActivate = pick(r, spoor.CurrentSkill, spoor.Always)
	}
	return s
}

// randomStart is a start of one of the forms that a map can have.
func randomStart(r *rand.Rand, form int, ids []string) (s spoor.Start) {
	n := 1 + r.IntN(3)
	switch form {
	case 1: // skills alone, or skills that only steps wire
	case 2:
		s.Use = pick(r, ids...)
	case 3, 4:
		for range n {
			rule := spoor.Rule{Use: pick(r, ids...)}
			if !one(r, 4) {
				rule.Match, rule.When = randomClaim(r)
			}
			s.Rules = append(s.Rules, rule)
		}
	case 5, 6, 7, 12, 13:
		s.Classify = pick(r, "keyword", "llm", "llm", "judge")
		if one(r, 2) {
			s.Routing = &score.Policy{NearTieMargin: new(pick(r, 0.05, 0.3, 0.7)), MenuSize: new(1 + r.IntN(3))}
			if one(r, 2) {
				s.Routing.Floor = new(pick(r, 0.1, 0.4))
			}
		}
		for range n + 2 {
			rule := spoor.Rule{Use: pick(r, ids...)}
			switch {
			case !one(r, 4):
				rule.Match = match.Match{Intent: new("somebody wants " + rule.Use), Examples: []string{rule.Use + ", please"}}
			case !one(r, 4):
				rule.Match, rule.When = randomClaim(r)
			}
			s.Rules = append(s.Rules, rule)
		}
	default:
		for range n {
			e := spoor.Entry{Use: pick(r, ids...)}
			if one(r, 3) {
				e.Match, e.When = randomClaim(r)
			}
			s.Entries = append(s.Entries, e)
		}
		if form > 9 {
			s.ScoredBy = pick(r, "keyword", "linear", "judge")
		}
	}
	return s
}

// randomClaim is a matcher or a condition of a start rule; some conditions
// fail.
func randomClaim(r *rand.Rand) (match.Match, string) {
	switch r.IntN(6) {
	case 0, 1:
		return match.Keywords(pick(r, "refund", "charged"), "invoice"), ""
	case 2:
		return match.Regex("^(re|ch)"), ""
	case 3:
		return match.Match{All: []match.Match{match.Regex("invoice"), match.Keywords("late")}}, ""
	case 4:
		return match.Match{}, pick(r, "iteration > 1", "userMessage.contains('twice')", "size(history) > 0", "history.exists(m, m.role == 'tool')")
	}
	return match.Match{}, pick(r, "toolResults[0].status == 'failure'", "history[9].role == 'user'")
}

func randomStep(r *rand.Rand, ids []string) spoor.Step {
	s := spoor.Step{From: pick(r, ids...), To: pick(r, ids...)}
	tool := func() spoor.ToolName {
		return pick(r, spoor.ToolPattern("a", "i"), spoor.ToolName(pick(r, allTools...)))
	}
	judged := func() guard.Guard {
		return pick(r,
			guard.Guard{guard.Eq("risk", "high"), guard.Gte("score", 0.7)},
			guard.Guard{guard.Eq("risk", "low")},
			guard.Guard{guard.Ne("status", "failure"), guard.Lte("iteration", 4)},
			guard.Guard{guard.In("toolName", "find", "mail")})
	}
	switch r.IntN(9) {
	case 0, 1, 2: // bare
	case 3:
		s.OnToolReturn = tool()
	case 4:
		s.OnToolStatus = pick(r, spoor.Statuses{spoor.Failure, spoor.Invalid, spoor.Denied}, spoor.Statuses{spoor.Success}, spoor.Statuses{spoor.Pending, spoor.Absent})
		if one(r, 2) {
			s.OnToolReturn = tool()
		}
	case 5:
		s.Guard = judged()
	case 6:
		s.OnToolReturn, s.Guard = tool(), judged()
	default:
		s.When = pick(r, "result.contains('low')", "toolName == 'pay'", "json.n > 1", "status == '' && iteration > 2")
	}
	return s
}

// randomTree is a tree with these leaves.
func randomTree(r *rand.Rand, leaves []string) *spoor.Tree {
	if len(leaves) == 1 {
		return &spoor.Tree{Skill: leaves[0]}
	}
	n := 1 + r.IntN(len(leaves)-1)
	return &spoor.Tree{
		When:     pick(r, "iteration > 1", "userMessage.contains('refund')", "size(toolResults) > 0", "toolResults[0].status == 'failure'"),
		WhenTrue: randomTree(r, leaves[:n]), WhenFalse: randomTree(r, leaves[n:]),
	}
}

func randomInjections(r *rand.Rand) (in spoor.Injections) {
	for _, id := range agentSkills[:r.IntN(3)] {
		s := spoor.AgentSkill{Skill: randomSkill(r, id)}
		if one(r, 2) {
			s.When = pick(r, "iteration == 2", "currentSkillId == 'Ada'", "toolResults[0].status == 'failure'")
		}
		in.Skills = append(in.Skills, s)
	}
	if one(r, 2) {
		in.Steering = []string{"Be kind.", "Be brief."}[:1+r.IntN(2)]
	}
	if one(r, 2) {
		in.Facts = []spoor.Fact{{ID: "hours", Text: "We open at nine."}}
	}
	in.Instructions = []spoor.Instruction{
		{ID: "tone", Text: "Mind the tone."},
		{ID: "sums", Text: "Show the sums.", When: pick(r, "iteration > 1", "currentSkillId == 'Bly'")},
		{ID: "odd", Text: "This is odd.", When: "toolResults[1].status == 'failure'"},
	}[:pick(r, 0, 1, 2, 3, 3, 3)]
	return in
}

// A chart is a map as the laws read it: from its data, without what Compile
// makes of it.
type chart struct {
	ids     []string // of the map, then of the agent
	spots   map[string]*spot
	starts  []string // the skills that a turn can start in, each once, in order
	tree    bool
	chosen  bool // only the entry that is chosen is active
	byModel bool // the model reads the entries and picks
	owned   map[string][]string
}

// A spot is what a map says of one skill.
type spot struct {
	skill  *spoor.Skill
	agent  bool // of the agent
	entry  bool
	always bool // in every iteration
	stepIn bool // some step leads here
	routed bool // some step leads here by itself
	scoped bool
	next   []string // where steps lead, each once
}

func newChart(m *spoor.Map, in spoor.Injections) *chart {
	c := &chart{spots: map[string]*spot{}, owned: map[string][]string{}, tree: m.Tree != nil}
	c.chosen = m.Start.Classify != "" || m.Start.Entries != nil
	c.byModel = m.Start.Entries != nil && m.Start.ScoredBy == ""
	add := func(s *spoor.Skill, agent bool) {
		c.ids = append(c.ids, s.ID)
		c.spots[s.ID] = &spot{skill: s, agent: agent}
		for _, t := range s.Tools {
			c.owned[t] = append(c.owned[t], s.ID)
		}
	}
	for i := range m.Skills {
		add(&m.Skills[i], false)
	}
	wired := map[string]bool{}
	start := func(id string, always bool) {
		p := c.spots[id]
		if !p.entry {
			c.starts = append(c.starts, id)
		}
		p.entry, p.always = true, p.always || always
		wired[id] = true
	}
	if m.Start.Use != "" {
		start(m.Start.Use, true)
	}
	for _, rule := range m.Start.Rules {
		start(rule.Use, rule.Match.IsZero() && rule.When == "" && !c.chosen)
	}
	for _, e := range m.Start.Entries {
		start(e.Use, false)
	}
	for _, s := range m.Steps {
		from, to := c.spots[s.From], c.spots[s.To]
		to.stepIn, to.routed = true, to.routed || !s.Bare()
		wired[s.From], wired[s.To] = true, true
		if s.From != s.To && !slices.Contains(from.next, s.To) {
			from.next = append(from.next, s.To)
		}
	}
	for i := range m.Skills {
		s := &m.Skills[i]
		scoped := c.tree
		if m.ScopeTools != nil {
			scoped = *m.ScopeTools
		}
		c.spots[s.ID].scoped = s.AutoActivate == spoor.CurrentSkill ||
			s.AutoActivate == "" && scoped && (c.tree || wired[s.ID])
	}
	for i := range in.Skills {
		s := &in.Skills[i].Skill
		add(s, true)
		c.spots[s.ID].scoped = s.AutoActivate == spoor.CurrentSkill
	}
	c.ids = slices.Clip(c.ids)
	return c
}

// open reports whether a skill can be read from anywhere, and moves nothing.
func (c *chart) open(id string) bool {
	p := c.spots[id]
	return p != nil && (p.agent || !c.tree && !p.entry && !p.stepIn)
}

// bare reports whether only the model's choice leads to a skill.
func (c *chart) bare(id string) bool {
	p := c.spots[id]
	return p != nil && !p.entry && p.stepIn && !p.routed
}
