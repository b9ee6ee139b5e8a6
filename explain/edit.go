package explain

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/guard"
)

// An editing is a map with edits, and its graph.
type editing struct {
	m            *spoor.Map
	in           spoor.Injections
	g            *spoor.Graph // nil if the map with the edits is at fault
	steps, rules []int        // by index: which one of the map as recorded it is; -1 of a new one

	dropped map[[2]int]bool // conditions of guards: step, and which
}

// edited is the map of a turn with edits, as the turn would see it; not ok if
// there is no such graph, or it is too much to make it.
func (m *mapped) edited(edits []MapEdit, hidden []string) (*editing, bool) {
	if m.m == nil {
		return nil, false
	}
	key := strings.Join(hidden, "\x00") + "\x01"
	for _, e := range edits {
		key += string(e.Op) + "\x00" + string(e.At) + "\x00" + string(e.Above) + "\x00" + string(e.Value) + "\x01"
	}
	e, ok := m.edits[key]
	if !ok {
		starts := len(m.m.Start.Rules) + len(m.m.Start.Entries)
		if m.work += 1 + len(m.start.Graph.Data)/64; m.work > maxWork {
			return nil, false
		}
		e = m.edit(edits, hidden, starts)
		if m.edits == nil {
			m.edits = map[string]*editing{}
		}
		m.edits[key] = e
	}
	return e, e.g != nil
}

func (m *mapped) edit(edits []MapEdit, hidden []string, starts int) *editing {
	e := &editing{m: new(*m.m), dropped: map[[2]int]bool{}}
	e.m.Steps, e.m.Skills = slices.Clone(m.m.Steps), slices.Clone(m.m.Skills)
	e.m.Start.Rules, e.m.Start.Entries = slices.Clone(m.m.Start.Rules), slices.Clone(m.m.Start.Entries)
	for i := range m.m.Steps {
		e.steps = append(e.steps, i)
	}
	for i := range starts {
		e.rules = append(e.rules, i)
	}
	in, err := m.start.Injections.Decode(&m.start.Graph)
	if err != nil {
		return e
	}
	e.in = in
	for _, x := range edits {
		x.do(e)
	}
	for i := range e.m.Steps {
		s := &e.m.Steps[i]
		var g guard.Guard
		for k, c := range s.Guard {
			if !e.dropped[[2]int{i, k}] {
				g = append(g, c)
			}
		}
		s.Guard = g
	}
	e.m.Steps, e.steps = arranged(e.m.Steps, e.steps, len(m.m.Steps))
	if e.m.Start.Entries != nil {
		e.m.Start.Entries, e.rules = arranged(e.m.Start.Entries, e.rules, starts)
	} else {
		e.m.Start.Rules, e.rules = arranged(e.m.Start.Rules, e.rules, starts)
	}
	g, err := spoor.Compile(e.m, &m.asker)
	if err != nil {
		return e
	}
	if g, err = g.Inject(e.in, &m.asker); err == nil {
		e.g = g.Hide(hidden)
	}
	return e
}

// arranged puts a list into an order, and after it what is new in the list and
// not in the order.
func arranged[T any](list []T, order []int, old int) ([]T, []int) {
	if list == nil {
		return nil, nil
	}
	for i := old; i < len(list); i++ {
		if !slices.Contains(order, i) {
			order = append(order, i)
		}
	}
	arranged, from := make([]T, 0, len(list)), make([]int, 0, len(list))
	for _, i := range order {
		if i >= len(list) {
			continue // what was to be added is not
		}
		arranged = append(arranged, list[i])
		if i >= old {
			i = -1
		}
		from = append(from, i)
	}
	return arranged, from
}

// list is the order of what a ref stands in, and which one it is; nil if it is
// no step and no start rule.
func (e *editing) list(ref spoor.Ref) (*[]int, int) {
	var i int
	switch {
	case index(ref, "steps[%d]", &i):
		return &e.steps, i
	case index(ref, "start.rules[%d]", &i), index(ref, "start.entries[%d]", &i):
		return &e.rules, i
	}
	return new([]int), -1
}

// named is a ref, and what the author calls it.
func (w *ways) named(ref spoor.Ref) string {
	label := w.mapped.label(ref)
	return line(string(ref)) + either(label != "", " "+quote(label, 40), "")
}

// removed is the edit that removes a step or a start rule.
func (w *ways) removed(ref spoor.Ref) MapEdit {
	return MapEdit{Op: OpRemove, At: ref, text: say("edit remove", "ref", w.named(ref)), do: func(e *editing) {
		list, i := e.list(ref)
		*list = slices.DeleteFunc(*list, func(k int) bool { return k == i })
	}}
}

// moved is the edit that moves a step or a start rule above another one.
func (w *ways) moved(ref, above spoor.Ref) MapEdit {
	text := say("edit move", "ref", w.named(ref), "above", w.named(above))
	return MapEdit{Op: OpMove, At: ref, Above: above, text: text, do: func(e *editing) {
		list, i := e.list(ref)
		_, to := e.list(above)
		*list = slices.DeleteFunc(*list, func(k int) bool { return k == i })
		if at := slices.Index(*list, to); at >= 0 {
			*list = slices.Insert(*list, at, i)
		} else {
			*list = append(*list, i)
		}
	}}
}

// put is an edit that sets or adds a value at a ref.
func put(op MapOp, ref spoor.Ref, value any, text string, do func(*editing)) MapEdit {
	data, err := json.Marshal(value)
	if err != nil {
		data = nil // the map itself has no such JSON; the edit is tried all the same
	}
	return MapEdit{Op: op, At: ref, Value: data, text: text, do: do}
}

// always is the edit that lets a condition hold, whatever is there, or never.
func always(ref spoor.Ref, holds bool, do func(e *editing, when string)) MapEdit {
	when := either(holds, "true", "false")
	at := ref.Key("when")
	return put(OpSet, at, when, say("edit when", "ref", line(string(at)), "holds", either(holds, "holding", "not holding")),
		func(e *editing) { do(e, when) })
}

// stepAdded is the edit that adds a step.
func stepAdded(s spoor.Step, text string) MapEdit {
	return put(OpAdd, "steps", s, text, func(e *editing) { e.m.Steps = append(e.m.Steps, s) })
}

// conditions are the edits that loosen a guard until it holds for a result.
func (w *ways) conditions(k int, s *spoor.Step, r spoor.Result, failed []guard.Evidence) []MapEdit {
	var edits []MapEdit
	ref := spoor.Ref("steps").At(k).Key("guard")
	left := len(s.Guard)
	for i, c := range failed {
		if c.Passed || i >= len(s.Guard) {
			continue
		}
		was := s.Guard[i]
		actual, _ := valueAt(r, was.Key)
		if was.Key == guard.KeyIteration {
			actual = guard.Of(w.sit.facts.Iteration)
		}
		at := ref.At(i)
		if to, ok := loosened(s.Guard, i, actual, c); ok {
			text := say("edit condition", "ref", line(string(at)), "to", line(to.String()), "was", line(was.String()))
			edits = append(edits, put(OpSet, at, to, text, func(e *editing) {
				g := slices.Clone(e.m.Steps[k].Guard)
				g[i] = to
				e.m.Steps[k].Guard = g
			}))
			continue
		}
		left--
		text := say("edit drop", "ref", line(string(at)), "was", line(was.String()))
		edits = append(edits, MapEdit{Op: OpRemove, At: at, text: text, do: func(e *editing) { e.dropped[[2]int{k, i}] = true }})
	}
	if left == 0 && s.OnToolReturn == "" && s.OnToolStatus == nil { // without a guard it would be the model's
		tool := spoor.ToolName(r.Tool)
		if _, _, pattern := tool.Pattern(); pattern {
			return nil
		}
		at := spoor.Ref("steps").At(k).Key("onToolReturn")
		edits = append(edits, put(OpSet, at, tool, say("edit set", "ref", line(string(at)), "value", line(r.Tool)), func(e *editing) {
			e.m.Steps[k].OnToolReturn = tool
		}))
	}
	return edits
}

// loosened is a condition that holds for a value as well; not ok if it has to
// be dropped.
func loosened(g guard.Guard, i int, actual guard.Value, c guard.Evidence) (to guard.Cond, ok bool) {
	to = g[i]
	twin := func(op guard.Op) bool {
		return slices.ContainsFunc(g, func(c guard.Cond) bool { return c.Key == to.Key && c.Op == op })
	}
	switch kind := actual.Kind(); {
	case kind == guard.Missing || kind == guard.List || kind == guard.Other || kind == guard.Invalid || c.OffScale:
		return to, false
	case to.Op.Ordered() && kind != to.Value.Kind():
		return to, false
	}
	switch to.Op {
	case guard.OpGte, guard.OpLte:
	case guard.OpGt:
		to.Op, ok = guard.OpGte, twin(guard.OpGte)
		if ok {
			return to, false
		}
	case guard.OpLt:
		to.Op, ok = guard.OpLte, twin(guard.OpLte)
		if ok {
			return to, false
		}
	case guard.OpEq:
		if twin(guard.OpIn) {
			return to, false
		}
		to.Op, to.Value = guard.OpIn, guard.Of([]any{to.Value, actual})
		return to, true
	case guard.OpIn:
		list := []any{}
		for _, v := range to.Value.Elems() {
			list = append(list, v)
		}
		to.Value = guard.Of(append(list, actual))
		return to, true
	default:
		return to, false
	}
	to.Value = actual
	return to, true
}

// textValue is a text as a value.
func textValue(s string) guard.Value { return guard.Of(strings.ToValidUTF8(s, "\uFFFD")) }

// rawOf is a value as JSON; nil if it is missing.
func rawOf(v guard.Value, most int) json.RawMessage {
	if v.Kind() == guard.Missing || v.Kind() == guard.Invalid {
		return nil
	}
	if data := v.AppendJSON(nil); most == 0 || len(data) <= most {
		return data
	}
	data, err := json.Marshal(clip(v.Text(), most/4))
	if err != nil {
		return nil
	}
	return data
}

// edit is one fact that would have to be another one.
func fact(what FactKind, call string, was, want guard.Value) FactEdit {
	e := FactEdit{What: what, Call: call, Was: rawOf(was, maxWas), Want: rawOf(want, 0), value: want}
	if what == FactMessage {
		e.whole = was.Text()
	}
	return e
}

// fieldEdit is the edit that gives a key of a guard a value, on one result; not
// ok if nothing can: what the walk itself answered is no other text.
func (w *ways) fieldEdit(r spoor.Result, key string, was, want guard.Value) (e FactEdit, ok bool) {
	what := FactField
	switch key {
	case guard.KeyStatus:
		what = FactStatus
	case guard.KeyToolName:
		what = FactToolName
	case guard.KeyResult:
		what = FactText
	case guard.KeyUserMessage:
		what, was = FactMessage, textValue(w.sit.facts.UserMessage)
	case guard.KeyIteration:
		what, was = FactIteration, guard.Of(w.sit.facts.Iteration)
		var n int
		if json.Unmarshal(rawOf(want, 0), &n) != nil || n < 2 {
			return e, false // a result comes after the first
		}
	case guard.KeyCurrentSkillID:
		return e, false
	default:
		if _, ok := setField(r.Text, key, want); !ok {
			return e, false
		}
	}
	if (what == FactField || what == FactText) && !r.Executed {
		return e, false
	}
	e = fact(what, r.CallID, was, want)
	e.Tool = r.Tool
	if what == FactField {
		e.Key = key
	}
	if what == FactMessage || what == FactIteration {
		e.Call, e.Tool = "", ""
	}
	return e, true
}

// valueAt is what a guard reads of a result at a key.
func valueAt(r spoor.Result, key string) (v guard.Value, ok bool) {
	switch key {
	case guard.KeyToolName:
		return textValue(r.Tool), true
	case guard.KeyResult:
		return textValue(r.Text), true
	case guard.KeyStatus:
		if r.Status == "" {
			return v, false
		}
		return textValue(string(r.Status)), true
	}
	if guard.IsHopKey(key) {
		return v, false
	}
	d := parseFlat(r.Text)
	if d == nil || r.Text[d.nodes[0].start] != '{' {
		return v, false
	}
	for _, n := range d.members(key) {
		if v.UnmarshalJSON([]byte(r.Text[n.start:n.end])) == nil {
			ok = true // the last one counts
		}
	}
	return v, ok
}

// members are those of the root that have a name, in order.
func (d *document) members(name string) []*node {
	var list []*node
	for i := range d.nodes {
		n := &d.nodes[i]
		if n.parent != 0 || n.key < 0 {
			continue
		}
		end := stringEnd(d.text, n.key)
		if strings.ToValidUTF8(unescaped(d.text[n.key+1:end-1]), "\uFFFD") == name {
			list = append(list, n)
		}
	}
	return list
}

// setField gives a top-level field of a result a value, or takes it away if the
// value is missing; all else stays byte for byte. A result that is no object
// becomes one with this field alone.
func setField(text, key string, v guard.Value) (string, bool) {
	if v.Kind() == guard.Invalid {
		return text, false
	}
	d := parseFlat(text)
	if d == nil && len(text) > maxDocument {
		return text, false
	}
	value := string(v.AppendJSON(nil))
	name := string(textValue(key).AppendJSON(nil))
	if d == nil || text[d.nodes[0].start] != '{' {
		if v.Kind() == guard.Missing {
			return text, true
		}
		return "{" + name + ":" + value + "}", true
	}
	found := d.members(key)
	if v.Kind() == guard.Missing {
		for _, n := range slices.Backward(found) {
			text = cutMember(text, n)
		}
		return text, true
	}
	if len(found) > 0 {
		n := found[len(found)-1]
		return text[:n.start] + value + text[n.end:], true
	}
	end := d.nodes[0].end - 1
	comma := ""
	if strings.TrimRight(text[:end], " \t\r\n") != strings.TrimRight(text[:d.nodes[0].start+1], " \t\r\n") {
		comma = ","
	}
	head := strings.TrimRight(text[:end], " \t\r\n")
	return head + comma + name + ":" + value + text[len(head):], true
}

// cutMember takes a member out of an object, with one comma.
func cutMember(text string, n *node) string {
	before := strings.TrimRight(text[:n.key], " \t\r\n")
	after := strings.TrimLeft(text[n.end:], " \t\r\n")
	switch {
	case strings.HasSuffix(before, ","):
		return before[:len(before)-1] + text[n.end:]
	case strings.HasPrefix(after, ","):
		return text[:n.key] + strings.TrimLeft(after[1:], " \t\r\n")
	}
	return text[:n.key] + text[n.end:]
}

// keysOf are the keys that a guard reads, each once.
func keysOf(g *guard.Compiled) []string {
	var keys []string
	for _, c := range g.Guard() {
		if !slices.Contains(keys, c.Key) {
			keys = append(keys, c.Key)
		}
	}
	return keys
}

// passes reports whether all conditions of a guard on a key hold for a value.
func passes(g *guard.Compiled, key string, v guard.Value) bool {
	var view guard.View
	switch text := v.Text(); key {
	case guard.KeyToolName:
		view.ToolName = text
	case guard.KeyResult:
		view.Result = text
	case guard.KeyStatus:
		view.Status = text
	case guard.KeyUserMessage:
		view.UserMessage = text
	case guard.KeyCurrentSkillID:
		view.CurrentSkillID = text
	case guard.KeyIteration:
		if json.Unmarshal(v.AppendJSON(nil), &view.Iteration) != nil {
			return false
		}
	default:
		if v.Kind() != guard.Missing {
			view.Result = fmt.Sprintf("{%s:%s}", textValue(key).AppendJSON(nil), v.AppendJSON(nil))
		}
	}
	for _, c := range g.Evaluate(&view).Conditions {
		if c.Key == key && !c.Passed {
			return false
		}
	}
	return true
}

// changeText says in one line what a trial changes.
func changeText(t trial) string {
	var list []string
	for i := 0; i < len(t.facts); i++ {
		e := &t.facts[i]
		if e.What != FactField {
			list = append(list, factText(e))
			continue
		}
		fields := factText(e)
		for i+1 < len(t.facts) && t.facts[i+1].What == FactField && t.facts[i+1].Call == e.Call {
			i++
			fields += " and " + factText(&t.facts[i])
		}
		list = append(list, say("fields", "fields", fields, "of", callText(e)))
	}
	for _, e := range t.edits {
		list = append(list, e.text)
	}
	return strings.Join(list, ", and ")
}

// factText says in a few words what a fact would have to be.
func factText(e *FactEdit) string {
	was, want := shownJSON(e.Was), e.value.String()
	if e.value.Kind() == guard.String && e.What == FactField {
		want = quote(e.value.Text(), 80)
	}
	of := callText(e)
	instead := either(was != "", say("instead", "was", was), "")
	switch e.What {
	case FactField:
		return say(either(e.Want == nil, "no field", either(was == "", "new field", "field")),
			"key", either(e.Key != "", clip(e.Key, 60), `""`), "want", clip(want, 80), "was", was)
	case FactStatus:
		if e.Want == nil {
			return say("no status", "of", of, "was", was)
		}
		return say("a status", "want", clip(e.value.Text(), 80), "was", either(was != "", shownText(e.Was), "none"), "of", of)
	case FactExecuted:
		return say("executed", "of", of)
	case FactToolName:
		return say("a tool name", "want", clip(e.value.Text(), 80), "of", of)
	case FactText:
		return say("a text", "want", quote(e.value.Text(), 80), "of", of)
	case FactResult:
		with := ""
		if e.Status != "" {
			with = say("its status", "status", line(string(e.Status)))
		}
		return say("a result", "tool", line(e.Tool), "status", with, "text", clip(e.value.Text(), 120))
	case FactNoResult:
		return say("no result of", "of", of)
	case FactIteration:
		return say("an iteration", "want", want, "was", was)
	case FactMessage:
		if add, ok := strings.CutPrefix(e.value.Text(), e.whole); ok && add != "" {
			return say("words added", "words", quote(add, 80))
		}
		return say("a message", "message", quote(e.value.Text(), 120))
	case FactPick:
		if e.Want == nil {
			return say("no pick", "skill", shownText(e.Was))
		}
		return say("a pick", "skill", clip(e.value.Text(), 60))
	case FactProposal:
		if e.Want == nil {
			return say("no proposal", "skill", shownText(e.Was))
		}
		return say("a proposal", "skill", clip(e.value.Text(), 60))
	case FactPosture:
		return say("a posture", "want", want, "was", shownText(e.Was))
	case FactHidden:
		return say("not hidden", "skill", clip(e.Key, 60))
	case FactScore:
		return say("a score", "want", want, "skill", clip(e.Key, 60), "instead", instead)
	case FactDecided:
		return say("a decision", "skill", clip(e.value.Text(), 60))
	case FactLease:
		return say("a lease", "id", clip(e.Key, 60))
	case FactFunction:
		return say("a function", "name", clip(e.Key, 80))
	}
	return say("a limit", "limit", plain.limitText(spoor.Limit(e.Key)), "want", want, "instead", instead)
}

// callText names the call that an edit is of.
func callText(e *FactEdit) string {
	return strings.TrimSpace(line(e.Call) + " " + line(e.Tool))
}

// shownJSON is a recorded value in a few words; empty if it is missing.
func shownJSON(raw json.RawMessage) string {
	var v guard.Value
	if raw == nil || v.UnmarshalJSON(raw) != nil {
		return ""
	}
	if v.Kind() == guard.String {
		return quote(v.Text(), 60)
	}
	return clip(v.String(), 60)
}

// shownText is a recorded text, without quotes.
func shownText(raw json.RawMessage) string {
	var v guard.Value
	if raw == nil || v.UnmarshalJSON(raw) != nil {
		return "none"
	}
	return clip(v.Text(), 60)
}
