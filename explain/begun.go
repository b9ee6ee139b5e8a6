package explain

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
)

// started compares what two turns begin with, each thing by itself. What was
// so in an earlier turn already is the same difference.
func (c *comparing) started(at both, x, y *event.Started) {
	s := setting{c: c, at: at}
	s.value("machine", itoa(x.Machine), itoa(y.Machine))
	s.parts("system", x.System, y.System)
	s.passages("agent.steering", model.Text, x.Injections.Steering, y.Injections.Steering)
	s.passages("agent.facts", model.Text, x.Injections.Facts, y.Injections.Facts)
	s.passages("agent.instructions", model.Instruction, x.Injections.Instructions, y.Injections.Instructions)
	s.json("agent.skills", either(x.Injections.SkillsData == "", "[]", x.Injections.SkillsData), either(y.Injections.SkillsData == "", "[]", y.Injections.SkillsData))
	s.value("posture", string(cmp.Or(x.Posture, spoor.PostureAssist)), string(cmp.Or(y.Posture, spoor.PostureAssist)))
	continuity := s.value("continuity", string(cmp.Or(x.Continuity, spoor.ContinueTurn)), string(cmp.Or(y.Continuity, spoor.ContinueTurn)))
	s.value("hidden", listed(x.Hidden), listed(y.Hidden))
	s.value("decider", yesNo(x.Decider), yesNo(y.Decider))
	s.value("maxIterations", itoa(x.MaxIterations), itoa(y.MaxIterations))
	s.json("limits", jsonText(x.Limits), jsonText(y.Limits))

	s.class = InMap
	if x.Graph.Data != y.Graph.Data {
		s.json("", mapText(&x.Graph), mapText(&y.Graph))
	}
	same := func(a, b event.BodyText) bool { return a.Skill == b.Skill && a.Data == b.Data }
	if !slices.EqualFunc(x.Graph.Bodies, y.Graph.Bodies, same) {
		s.bodies(x, y)
	}
	s.tools(x.Tools, y.Tools)

	s.class = Person
	if a, b := s.data(0, x.Message), s.data(1, y.Message); a != b {
		n := s.list("message", changedText(a, b))
		c.own(n, c.id(0, x.Message))
		c.own(n, c.id(1, y.Message))
	}
	s.before(x, y, continuity)
}

func yesNo(yes bool) string { return either(yes, "yes", "no") }

// A setting compares the things that a turn begins with.
type setting struct {
	c     *comparing
	at    both
	class Class // if empty, Configuration
}

func (s *setting) data(side int, p model.Part) string { return s.c.side[side].t.data(p) }

// A changed is a list of changes that may not be all.
type changed struct {
	list []Edit
	more bool
}

func changedText(a, b string) changed {
	list, more := changesOf(a, b)
	return changed{list, more}
}

// list lists a difference at a place, if it is not known from an earlier turn.
func (s *setting) list(place string, changes changed, from ...int) int {
	class := s.class
	if class == "" {
		class = Configuration
	}
	key := string(class) + "\x00" + place + "\x00" + jsonText(changes.list)
	n, known := s.c.known[key]
	if !known {
		d := s.c.newDifference(class, s.at)
		d.Place, d.Changes, d.MoreChanges = place, changes.list, changes.more
		if s.c.full {
			return len(s.c.list)
		}
		n = s.c.add(d, from, "")
		if class != Person && class != Conversation {
			s.c.known[key] = n
		}
	}
	s.c.begun = append(s.c.begun, n)
	return n
}

// value compares two values; n is the number of their difference, 0 if there is
// none.
func (s *setting) value(place, a, b string) (n int) {
	if a != b {
		n = s.list(place, changed{list: []Edit{newEdit(place, place, a, b, false)}})
	}
	return n
}

// json lists each place of a JSON text that differs as a difference.
func (s *setting) json(prefix, a, b string) {
	if a == b {
		return
	}
	list, more := changesOf(a, b)
	ref := func(path string) string {
		if path == "" {
			return ""
		}
		path = prefix + strings.TrimPrefix(path, "$")
		return strings.TrimPrefix(path, ".")
	}
	for _, ch := range list {
		ch.Path, ch.PathB = ref(ch.Path), ref(ch.PathB)
		s.list(ch.place(), changed{list: []Edit{ch}, more: more})
	}
}

// parts compares lists of parts of the prompt.
func (s *setting) parts(name string, a, b []model.Part) {
	ids := [2][]int32{}
	for side, list := range [][]model.Part{a, b} {
		for _, p := range list {
			ids[side] = append(ids[side], s.c.id(side, p))
		}
	}
	pairs, _ := align(ids[0], ids[1], maxEdits)
	place := func(i int) string { return name + "[" + itoa(i) + "]" }
	gaps(pairs, len(a), len(b), func(i, j int) bool {
		switch {
		case i < 0:
			s.c.own(s.list(place(j), changed{list: []Edit{oneSided(Added, place(j), s.data(1, b[j]))}}), ids[1][j])
		case j < 0:
			s.c.own(s.list(place(i), changed{list: []Edit{oneSided(Removed, place(i), s.data(0, a[i]))}}), ids[0][i])
		default:
			n := s.list(min(place(i), place(j)), changedText(s.data(0, a[i]), s.data(1, b[j])))
			s.c.own(n, ids[0][i], ids[1][j])
		}
		return !s.c.full
	})
}

// passages compares the words of an agent's author. What changes in one that
// has an id, or in its condition, is a change of it.
func (s *setting) passages(name string, kind model.Kind, a, b []event.Passage) {
	text := func(side int, p event.Passage) model.Part {
		part := model.Part{Role: model.System, Kind: kind, Piece: p.Piece, Data: p.Data}
		part.Data = s.data(side, part)
		return part
	}
	label := func(side int, p event.Passage) string {
		words := text(side, p).Data
		if p.ID != "" {
			words = p.ID + ": " + words
		}
		return words + either(p.When != "", "\nwhen "+p.When, "")
	}
	ids, names := map[string]int32{}, [2][]int32{}
	for side, list := range [][]event.Passage{a, b} {
		for _, p := range list {
			l := label(side, p)
			if _, ok := ids[l]; !ok {
				ids[l] = int32(len(ids))
			}
			names[side] = append(names[side], ids[l])
		}
	}
	pairs, _ := align(names[0], names[1], maxEdits)
	place := func(i int) string { return name + "[" + itoa(i) + "]" }
	gaps(pairs, len(a), len(b), func(i, j int) bool {
		switch {
		case i < 0:
			s.c.own(s.list(place(j), changed{list: []Edit{oneSided(Added, place(j), label(1, b[j]))}}), s.c.id(1, text(1, b[j])))
		case j < 0:
			s.c.own(s.list(place(i), changed{list: []Edit{oneSided(Removed, place(i), label(0, a[i]))}}), s.c.id(0, text(0, a[i])))
		default:
			n := s.list(min(place(i), place(j)), changedText(label(0, a[i]), label(1, b[j])))
			if x, y := s.c.id(0, text(0, a[i])), s.c.id(1, text(1, b[j])); x != y {
				s.c.own(n, x, y)
			}
		}
		return !s.c.full
	})
}

// bodies compares the bodies of the skills, those of the agent among them.
func (s *setting) bodies(x, y *event.Started) {
	type body struct {
		ref   string
		parts [2]*model.Part
	}
	list := map[string]*body{}
	var order []string
	for side, b := range []*event.Started{x, y} {
		refs := bodyRefs(b)
		for i := range b.Graph.Bodies {
			t := &b.Graph.Bodies[i]
			if list[t.Skill] == nil {
				list[t.Skill] = &body{}
				order = append(order, t.Skill)
			}
			l := list[t.Skill]
			ref := refs[t.Skill]
			if l.ref == "" || ref != "" && ref < l.ref {
				l.ref = ref
			}
			p := model.Part{Role: model.System, Kind: model.Text, Skill: t.Skill, Piece: t.Piece, Data: t.Data}
			p.Data = s.data(side, p)
			l.parts[side] = &p
		}
	}
	slices.SortStableFunc(order, func(a, b string) int { return strings.Compare(list[a].ref, list[b].ref) })
	for _, skill := range order {
		b := list[skill]
		p, q := b.parts[0], b.parts[1]
		place := b.ref + ".body"
		if b.ref == "" {
			place = "the body of " + line(skill)
		}
		var ch changed
		switch {
		case p == nil:
			ch.list = []Edit{oneSided(Added, place, q.Data)}
		case q == nil:
			ch.list = []Edit{oneSided(Removed, place, p.Data)}
		case p.Data == q.Data:
			continue
		default:
			ch = changedText(p.Data, q.Data)
		}
		n := s.list(place, ch)
		for side, part := range b.parts {
			if part != nil {
				s.c.own(n, s.c.id(side, *part))
			}
		}
		if d := &s.c.list[n-1]; d.A != nil && d.B != nil {
			d.A.Skill, d.B.Skill = skill, skill
		}
		if s.c.full {
			return
		}
	}
}

// bodyRefs are where the skills of a turn are declared.
func bodyRefs(b *event.Started) map[string]string {
	refs := map[string]string{}
	var m spoor.Map
	if json.Unmarshal([]byte(b.Graph.Data), &m) == nil {
		for i := range m.Skills {
			refs[m.Skills[i].ID] = string(spoor.Ref("skills").At(i))
		}
	}
	var own []spoor.AgentSkill
	if b.Injections.SkillsData != "" && json.Unmarshal([]byte(b.Injections.SkillsData), &own) == nil {
		for i := range own {
			refs[own[i].ID] = string(spoor.Ref("agent.skills").At(i))
		}
	}
	return refs
}

// mapText is the JSON of a map without its bodies, with each guard as the list
// of its conditions, so that a path is a Ref.
func mapText(g *event.Graph) string {
	var m spoor.Map
	if json.Unmarshal([]byte(g.Data), &m) != nil {
		return g.Data
	}
	type step struct {
		spoor.Step
		Guard []string `json:"guard,omitempty"`
	}
	steps := make([]step, len(m.Steps))
	for i, st := range m.Steps {
		steps[i].Step = st
		for _, cond := range st.Guard {
			steps[i].Guard = append(steps[i].Guard, cond.String())
		}
		steps[i].Step.Guard = nil
	}
	m.Steps = nil
	shape := jsonText(&m)
	if len(steps) == 0 || !strings.HasSuffix(shape, "}") {
		return shape
	}
	return strings.TrimSuffix(shape, "}") + `,"steps":` + jsonText(steps) + "}"
}

// tools compares the tools that may be offered, by name.
func (s *setting) tools(a, b []event.Tool) {
	text := func(side int, d model.Digest, data string) string {
		return s.data(side, model.Part{Piece: d, Data: data})
	}
	byName := map[string]*event.Tool{}
	for j := range b {
		byName[b[j].Name] = &b[j]
	}
	place := func(name string) string { return "tools." + line(name) }
	note := func(name string, n int) {
		if s.c.schema[name] == 0 {
			s.c.schema[name] = n
		}
		d := &s.c.list[n-1]
		for _, seen := range []*Seen{d.A, d.B} {
			if seen != nil {
				seen.Tool = name
			}
		}
	}
	for i := range a {
		x := &a[i]
		y := byName[x.Name]
		delete(byName, x.Name)
		specX := text(0, x.Piece, x.Data)
		if y == nil {
			s.class = ToolMissing
			note(x.Name, s.list(place(x.Name), changed{list: []Edit{oneSided(Removed, place(x.Name), specX)}}))
			continue
		}
		s.class = ToolSchema
		if specY := text(1, y.Piece, y.Data); specX != specY {
			ch := changedText(inner(specX), inner(specY))
			if len(ch.list) == 0 { // the same schema, written otherwise
				ch = changedText(specX, specY)
			}
			if len(ch.list) == 0 {
				ch.list = []Edit{newEdit("$", "$", specX, specY, true)}
			}
			note(x.Name, s.list(place(x.Name)+strings.TrimPrefix(ch.list[0].place(), "$"), ch))
		}
		if x.Output == y.Output && x.OutputData == y.OutputData {
			continue
		}
		if outX, outY := text(0, x.Output, x.OutputData), text(1, y.Output, y.OutputData); outX != outY {
			ch := changedText(outX, outY)
			s.list(place(x.Name)+".output", ch)
		}
	}
	names := func(list []event.Tool) (names []string) {
		for i := range list {
			names = append(names, list[i].Name)
		}
		return names
	}
	if x, y := names(a), names(b); !slices.Equal(x, y) && slices.Equal(slices.Sorted(slices.Values(x)), slices.Sorted(slices.Values(y))) {
		s.class = Configuration // they are the same in another order
		s.value("tools", listed(x), listed(y))
	}
	s.class = ToolMissing
	for j := range b {
		y := &b[j]
		if byName[y.Name] == y {
			note(y.Name, s.list(place(y.Name), changed{list: []Edit{oneSided(Added, place(y.Name), text(1, y.Piece, y.Data))}}))
		}
	}
}

// inner is the specification of a tool with its schema, which is JSON in a
// text, as JSON.
func inner(spec string) string {
	var s map[string]json.RawMessage
	if json.Unmarshal([]byte(spec), &s) != nil {
		return spec
	}
	var schema string
	if json.Unmarshal(s["schema"], &schema) != nil || !json.Valid([]byte(schema)) || schema == "" {
		return spec
	}
	s["schema"] = json.RawMessage(schema)
	return jsonText(s)
}

// before compares the conversation that two turns go on with. What an earlier
// turn made otherwise is carried over, and no difference of its own. Continuity
// is the difference by which one of them begins where the turn before it ended,
// and the other does not; 0 if there is none.
func (s *setting) before(x, y *event.Started, continuity int) {
	s.class = Conversation
	count := map[int32]int{}
	for _, p := range x.History {
		count[s.c.id(0, p)]++
	}
	for _, p := range y.History {
		count[s.c.id(1, p)]--
	}
	var from, fresh []int32
	for id, n := range count {
		switch {
		case n == 0:
		case s.c.owner[id] != 0:
			from = append(from, id)
		default:
			fresh = append(fresh, id)
		}
	}
	if len(fresh) > 0 || len(from) == 0 && len(x.History) != len(y.History) {
		slices.Sort(fresh)
		texts := func(side int, list []model.Part) string {
			var out []string
			for _, p := range list {
				out = append(out, line(string(p.Role))+": "+s.data(side, p))
			}
			return strings.Join(out, "\n")
		}
		n := s.list("history", changedText(texts(0, x.History), texts(1, y.History)))
		s.c.own(n, fresh...)
	}
	var places []int // where the turns before left the walk
	for side, i := range s.at {
		t := s.c.side[side].t
		k, _ := slices.BinarySearch(t.moves, i)
		if k > 0 && s.c.side[side].diff[t.moves[k-1]] > 0 {
			places = append(places, s.c.side[side].diff[t.moves[k-1]])
		}
	}
	if continuity > 0 {
		places = append(places, continuity)
	}
	stood := func(b *event.Started) string { return either(b.Cursor == "", "nowhere", line(b.Cursor)) }
	for _, v := range [][3]string{{"cursor", stood(x), stood(y)}, {"activated", listed(x.Activated), listed(y.Activated)}} {
		if v[1] != v[2] {
			s.list(v[0], changed{list: []Edit{newEdit(v[0], v[0], v[1], v[2], false)}}, places...)
		}
	}
}
