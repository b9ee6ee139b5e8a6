package spoor

import (
	"maps"
	"slices"
	"strings"
)

// Injections are what an agent brings along beside its map. Like a map they
// are plain data.
type Injections struct {
	// Skills are never routed into. The model can read them from everywhere,
	// in a tree too.
	Skills []AgentSkill `json:"skills,omitempty"`

	// Steering and Facts are in every prompt.
	Steering []string `json:"steering,omitempty"`
	Facts    []Fact   `json:"facts,omitempty"`

	// Instructions are in the prompt while they are active.
	Instructions []Instruction `json:"instructions,omitempty"`
}

// IsZero reports whether there are none.
func (in Injections) IsZero() bool {
	return in.Skills == nil && in.Steering == nil && in.Facts == nil && in.Instructions == nil
}

// An AgentSkill is a skill of the agent. It is active once the model has read
// it, and in every iteration in which When, if there is one, holds.
type AgentSkill struct {
	Skill
	When string `json:"when,omitempty"`
}

// A Fact is a text that every prompt has.
type Fact struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// An Instruction is a text at the end of the prompt while When holds. Without
// a When only a tool brings it in, by [RequireInstruction].
type Instruction struct {
	ID   string `json:"id"`
	When string `json:"when,omitempty"`
	Text string `json:"text"`
}

// conditioned is a part of the injections that has a condition of its own.
type conditioned struct {
	id   string
	ref  Ref
	when Condition // nil: it has none
}

// Inject returns the graph with what an agent brings along. Conditions finds
// what a `when` names, as for Compile. The error is Problems, whose addresses
// begin with agent. The injections belong to the graph afterwards.
func (g *Graph) Inject(in Injections, c Conditions) (*Graph, error) {
	if in.IsZero() {
		return g, nil
	}
	with := *g
	with.injections = in
	with.skills = maps.Clone(g.skills)
	k := compiler{m: g.m, conditions: c, g: &with}
	k.agentSkills(in.Skills)
	k.texts(in)
	if len(k.problems) > 0 {
		return nil, k.problems
	}
	return &with, nil
}

// Injections returns what the agent brings along. It must not be changed.
func (g *Graph) Injections() Injections { return g.injections }

func (k *compiler) agentSkills(skills []AgentSkill) {
	g := k.g
	if len(skills) == 0 {
		return
	}
	all := make([]*Skill, 0, len(g.m.Skills)+len(skills))
	for i := range g.m.Skills {
		all = append(all, &g.m.Skills[i])
	}
	for i := range skills {
		s := &skills[i]
		ref := Ref("agent.skills").At(i)
		all = append(all, &s.Skill)
		if s.When != "" {
			g.ruled = append(g.ruled, conditioned{s.ID, ref, k.condition(s.When, false, ref.Key("when"), s.ID)})
		}
		if k.skill(&s.Skill, ref, len(g.m.Skills)+i) {
			p := g.skills[s.ID]
			p.agent = true
			p.scoped = s.AutoActivate == CurrentSkill
		}
	}
	g.all = all
}

// texts checks the texts of an agent, and compiles the conditions of its
// instructions.
func (k *compiler) texts(in Injections) {
	unique := func(what string, ref Ref, seen map[string]Ref, id string) {
		if id == "" {
			k.problem("wrong-type", ref.Key("id"), "name it", "%s has no id", what)
		} else if first, again := seen[id]; again {
			k.problem("duplicate-name", ref.Key("id"), "rename one of them", "%s %q is declared twice, first as %s", what, id, first)
		}
		seen[id] = ref
	}
	some := func(what string, ref Ref, text string) {
		if strings.TrimSpace(text) == "" {
			k.problem("wrong-type", ref, "write it, or drop it", "%s has no text", what)
		}
	}
	for i, text := range in.Steering {
		some("this steering", Ref("agent.steering").At(i), text)
	}
	facts := map[string]Ref{}
	for i, f := range in.Facts {
		ref := Ref("agent.facts").At(i)
		unique("the fact", ref, facts, f.ID)
		some("this fact", ref.Key("text"), f.Text)
	}
	instructions := map[string]Ref{}
	for i, n := range in.Instructions {
		ref := Ref("agent.instructions").At(i)
		unique("the instruction", ref, instructions, n.ID)
		some("this instruction", ref.Key("text"), n.Text)
		c := conditioned{id: n.ID, ref: ref}
		if n.When != "" {
			c.when = k.condition(n.When, false, ref.Key("when"), "")
		}
		k.g.instructions = append(k.g.instructions, c)
	}
}

// Injected is what of an agent's injections holds in one iteration.
type Injected struct {
	Skills       []string // whose condition holds, in order
	Instructions []string // the same
	Failed       []Failed // conditions that could not be judged; none of them holds
}

// Injected judges the conditions of the injections, once m is made: they see
// the facts of the move, and as cursor the skill that it landed on.
func (g *Graph) Injected(f Facts, m Move) (in Injected) {
	f.Cursor = m.To
	ask := func(list []conditioned) (ids []string) {
		for _, c := range list {
			if c.when == nil {
				continue
			}
			holds, err := judge(c.when, f, nil)
			if err != nil {
				in.Failed = append(in.Failed, Failed{c.ref.Key("when"), err.Error()})
			}
			if holds {
				ids = append(ids, c.id)
			}
		}
		return ids
	}
	in.Skills = ask(g.ruled)
	in.Instructions = ask(g.instructions)
	return in
}

// Instruction returns an instruction of the agent, and its address; nil if
// there is none of that id.
func (g *Graph) Instruction(id string) (*Instruction, Ref) {
	i := slices.IndexFunc(g.instructions, func(c conditioned) bool { return c.id == id })
	if i < 0 {
		return nil, ""
	}
	return &g.injections.Instructions[i], g.instructions[i].ref
}

// Skills lists the ids of all skills: those of the map, then those of the
// agent. The slice is the caller's.
func (g *Graph) Skills() []string {
	ids := make([]string, 0, len(g.skills))
	for i := range len(g.m.Skills) + len(g.injections.Skills) {
		if id := g.skillAt(i).ID; g.skills[id] != nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// Hide returns the graph as somebody sees it who may not see some skills: no
// turn starts there, no step leads there, and none of them is known. What the
// other skills are to each other stays.
func (g *Graph) Hide(skills []string) *Graph {
	if len(skills) == 0 {
		return g
	}
	seen := *g
	hidden := func(id string) bool { return slices.Contains(skills, id) }
	seen.skills = make(map[string]*place, len(g.skills))
	for id, p := range g.skills {
		if hidden(id) {
			continue
		}
		if slices.ContainsFunc(p.steps, func(s step) bool { return hidden(s.to) }) {
			p = new(*p)
			p.steps = slices.DeleteFunc(slices.Clone(p.steps), func(s step) bool { return hidden(s.to) })
			p.next = slices.DeleteFunc(slices.Clone(p.next), hidden)
		}
		seen.skills[id] = p
	}
	seen.always = slices.DeleteFunc(slices.Clone(g.always), func(i int) bool { return hidden(g.m.Skills[i].ID) })
	seen.unmatched = slices.DeleteFunc(slices.Clone(g.unmatched), func(i int) bool { return hidden(g.entries[i].skill) })
	seen.ruled = slices.DeleteFunc(slices.Clone(g.ruled), func(c conditioned) bool { return hidden(c.id) })
	return &seen
}

// hides reports whether a skill that the map names is not to be seen.
func (g *Graph) hides(skill string) bool { return g.skills[skill] == nil }
