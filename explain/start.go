package explain

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
)

// routed is what decided where the turn of event i starts, if something had
// to before it; the index is -1 if nothing had.
func (t *trail) routed(i int) (b *event.TurnRouted, j int) {
	j, ok := t.routes[t.turn[i]]
	if !ok || j >= i {
		return nil, -1
	}
	return t.event(j).Body.(*event.TurnRouted), j
}

// startLinks tells, of the first move of a turn, what decided it: the route of
// the turn, and who was asked for it.
func (t *trail) startLinks(i int) []Link {
	if t.event(i).Iteration != 1 {
		return nil
	}
	b, j, ev := cause[*event.TurnRouted](t, i)
	if j < 0 {
		return nil
	}
	links := []Link{t.toldLink(j, ev)}
	for _, seq := range slices.Backward(t.event(j).Because) {
		k, ok := t.at[seq]
		if !ok || k >= j || t.turn[k] != t.turn[j] {
			continue
		}
		var asked int
		var ev Evidence
		switch t.event(k).Body.(type) {
		case *event.Scored:
			_, asked, ev = cause[*event.Asked](t, k)
		case *event.Replied, *event.Failed:
			_, asked, ev = cause[*event.Called](t, k)
		default:
			continue
		}
		links = append(links, t.toldLink(k, Fact))
		if asked >= 0 {
			links = append(links, t.toldLink(asked, ev))
		}
	}
	if b.From != "" && t.turn[j] >= 0 {
		links = append(links, t.link(t.turn[j], Fact, say("stood", "skill", line(b.From))))
	}
	return links
}

// routedLines tells where a turn starts, and what that was decided by.
func (w *Words) routedLines(b *event.TurnRouted, label string) []Line {
	var lines []Line
	add := func(depth int, name string, values ...string) {
		lines = append(lines, Line{Depth: depth, Text: w.say(name, values...)})
	}
	to, offered := line(b.To), w.listed(b.Offered)
	ref, name := line(string(b.Ref)), ""
	if label != "" {
		name = " " + quote(label, 40)
	}
	switch b.By {
	case spoor.ByEntry:
		if b.Witness != nil {
			add(0, "routed witness", "ref", ref, "label", name, "witness", quote(b.Witness.Text, 40), "to", to)
			break
		}
		add(0, either(b.Scores != nil, "routed best", "routed entry"), "ref", ref, "label", name, "to", to)
	case spoor.ByIntent:
		add(0, "routed intent", "ref", ref, "label", name, "to", to)
	case spoor.ByContinuity:
		add(0, "routed stay", "to", to)
	case spoor.ByDecider:
		add(0, "routed decider", "to", to, "offered", offered)
	case spoor.ByMenu:
		add(0, either(b.Stay, "routed menu stay", "routed menu"), "offered", offered)
	case spoor.ByNone:
		add(0, "routed none", "offered", offered)
	default:
		add(0, "routed entries")
	}
	if b.Dropped != "" {
		add(1, "dropped", "skill", line(b.Dropped))
	}
	for _, f := range b.Failed {
		add(1, "unjudged", "ref", line(string(f.Ref)), "error", clip(f.Error, 200))
	}
	if b.Error != "" {
		add(1, "no scores", "scorer", line(b.Scorer), "error", clip(b.Error, 200))
	}
	if v := b.Scores; v != nil {
		add(1, "ranked", "scorer", line(b.Scorer), "ranked", w.rankedText(b))
		if v.RunnerUp != nil {
			add(1, "runner up", "skill", line(v.RunnerUp.ID), "gap", number(v.RunnerUp.Gap))
		}
		add(1, either(v.Decisive, "decisive", "near"), "margin", number(v.Thresholds.NearTieMargin),
			"floor", either(v.Thresholds.Floor != nil, w.say("floor", "floor", floorOf(b)), ""))
	}
	if d := b.Decider; d != nil {
		by := either(d.Model != "", ", "+line(d.Model)+",", "")
		switch {
		case d.Error != "":
			add(1, "decider failed", "model", by, "error", clip(d.Error, 200))
		case d.Stay:
			add(1, "decider stay", "model", by, "skill", line(d.Picked))
		case d.Picked != "":
			add(1, "decider pick", "model", by, "skill", line(d.Picked))
		default:
			add(1, "decider none", "model", by)
		}
	}
	return lines
}

// rankedText lists candidates with their score and their share, the best first.
func (w *Words) rankedText(b *event.TurnRouted) string {
	list := make([]string, len(b.Scores.Ranked))
	for i, r := range b.Scores.Ranked {
		list[i] = line(r.ID) + " " + number(r.Score) + " (" + percent(r.Relevance) + ")"
	}
	return w.listed(list)
}

// scoredText lists what a scorer gave.
func (w *Words) scoredText(b *event.Scored) string {
	list := make([]string, len(b.Scores))
	for i, s := range b.Scores {
		list[i] = line(s.ID) + " " + number(s.Score)
	}
	return w.listed(list)
}

func floorOf(b *event.TurnRouted) string {
	if b.Scores.Thresholds.Floor == nil {
		return "any number"
	}
	return number(*b.Scores.Thresholds.Floor)
}

// number is a number in at most four digits that count.
func number(f float64) string { return strconv.FormatFloat(f, 'g', 4, 64) }

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 0, 64) + " %" }

// candidatesText lists what a scorer is asked about, each skill once.
func (w *Words) candidatesText(b *event.Asked) string {
	var ids []string
	for _, c := range b.Query.Candidates {
		if !slices.Contains(ids, c.ID) {
			ids = append(ids, c.ID)
		}
	}
	return w.listed(ids)
}

// choiceText is what a model chose, by the call that it was asked for.
func choiceText(args string) string {
	if id := readID(args); id != "" {
		return clip(id, 60)
	}
	return clip(args, 120)
}

// effectText tells an effect and what became of it.
func (w *Words) effectText(b *event.EffectJudged) string {
	call, tool := line(b.Call), line(b.Tool)
	what := w.say("effect other", "call", call, "tool", tool, "kind", quote(string(b.Effect.Kind), 60))
	switch b.Effect.Kind {
	case spoor.ProposeTransition:
		what = w.say("effect proposal", "call", call, "tool", tool, "skill", either(b.Target != "", line(b.Target), `""`), "reason", quote(b.Effect.Reason, 120))
	case spoor.RequireInstruction:
		what = w.say("effect instruction", "call", call, "tool", tool, "id", either(b.Instruction != "", line(b.Instruction), `""`), "lease", w.leaseText(b.Lease))
	}
	switch b.Outcome {
	case event.EffectAccepted:
		return w.say("accepted", "what", what)
	case event.EffectRefused:
		return w.say("refused effect", "what", what, "reason", clip(b.Refusal, 200))
	case event.EffectSuperseded:
		return w.say("superseded effect", "what", what, "skill", line(b.SupersededBy))
	}
	return w.say("other outcome", "what", what, "outcome", line(string(b.Outcome)))
}

func leaseText(l spoor.Lease) string { return plain.leaseText(l) }

func (w *Words) leaseText(l spoor.Lease) string {
	switch l {
	case spoor.NextCall:
		return w.say("next call")
	case spoor.UntilSkillExit:
		return w.say("until exit")
	}
	return line(string(l))
}

// instructionText names an instruction, and why it is in the prompt.
func (w *Words) instructionText(n *event.ActiveInstruction) string {
	if n.Via == spoor.ViaLease {
		return w.say("leased", "id", line(n.ID), "call", line(n.Call), "lease", w.leaseText(n.Lease))
	}
	return w.say("ruled instruction", "id", line(n.ID))
}

// limitText names a limit of a turn.
func (w *Words) limitText(l spoor.Limit) string {
	switch l {
	case "", spoor.LimitModelCalls:
		return w.say("limit of model calls")
	case spoor.LimitToolCalls:
		return w.say("limit of tool calls")
	case spoor.LimitTokens:
		return w.say("limit of tokens")
	case spoor.LimitPrice:
		return w.say("limit of price")
	case spoor.LimitCost:
		return w.say("limit of cost")
	case spoor.LimitTime:
		return w.say("limit of time")
	case spoor.LimitPingPong:
		return w.say("limit of moves")
	case spoor.LimitRefusals:
		return w.say("limit of reads")
	}
	return w.say("other limit", "limit", line(string(l)))
}

// spentText says that a limit is reached.
func spentText(l spoor.Limit) string { return plain.spentText(l) }

func (w *Words) spentText(l spoor.Limit) string {
	return w.say(either(l == "" || l == spoor.LimitModelCalls, "limit spent", "limit reached"), "limit", w.limitText(l))
}

// limitsText lists the limits of a turn.
func (w *Words) limitsText(l *spoor.Limits) string {
	var list []string
	add := func(set bool, text string) {
		if set {
			list = append(list, text)
		}
	}
	add(l.ToolCalls > 0, w.counted(l.ToolCalls, "tool call", "tool calls"))
	add(l.Tokens > 0, w.counted(l.Tokens, "token", "tokens"))
	add(l.Cost > 0, w.say("at a cost", "cost", number(l.Cost)))
	add(l.Time > 0, l.Time.String())
	add(l.PingPong > 0, w.counted(l.PingPong, "move to and fro", "moves to and fro"))
	add(l.Refusals > 0, w.counted(l.Refusals, "refused read in a row", "refused reads in a row"))
	return strings.Join(list, ", ")
}

// broughtText counts what the agent brings along beside the map.
func (w *Words) broughtText(skills int, in *event.Injections) string {
	var list []string
	add := func(n int, one, many string) {
		if n > 0 {
			list = append(list, w.counted(n, one, many))
		}
	}
	add(skills, "skill", "skills")
	add(len(in.Steering), "text of steering", "texts of steering")
	add(len(in.Facts), "fact", "facts")
	add(len(in.Instructions), "instruction", "instructions")
	return w.listed(list)
}

// counted counts things, which one and many name.
func (w *Words) counted(n int, one, many string) string {
	if n == 1 {
		return w.say("one " + one)
	}
	return w.say("many "+many, "n", itoa(n))
}

// startedLines tells what is special about a turn.
func (t *trail) startedLines(i int, b *event.Started) []Line {
	var lines []Line
	add := func(yes bool, name string, values ...string) {
		if yes {
			lines = append(lines, Line{Depth: 1, Text: t.words.say(name, values...)})
		}
	}
	add(!b.Injections.IsZero(), "brought", "what", t.words.broughtText(len(t.mapOf(i).agent), &b.Injections))
	add(b.Posture == spoor.PostureGuard, "posture guard")
	add(b.Posture == spoor.PostureRails, "posture rails")
	goesOn := b.Continuity == spoor.ContinueConversation
	add(goesOn && b.Cursor != "", "stood", "skill", line(b.Cursor))
	add(goesOn && len(b.Activated) > 0, "were on", "skills", t.words.listed(b.Activated))
	add(len(b.Hidden) > 0, "hidden", "skills", t.words.listed(b.Hidden))
	add(b.Decider, "decider")
	add(t.words.limitsText(&b.Limits) != "", "limits", "limits", t.words.limitsText(&b.Limits))
	return lines
}

// evaluatedLines tells what a move made of the menu, the instructions and what
// was passed over.
func (t *trail) evaluatedLines(i int, b *event.Evaluated) []Line {
	var lines []Line
	add := func(name string, values ...string) {
		lines = append(lines, Line{Depth: 1, Text: t.words.say(name, values...)})
	}
	var ruled []string
	for _, a := range b.Active {
		if a.Via == spoor.ViaRule {
			ruled = append(ruled, a.Skill)
		}
	}
	if ruled != nil {
		add("ruled skills", "skills", t.words.listed(ruled))
	}
	if b.Declined {
		add("off menu", "skill", line(b.Pick))
	}
	if t.closes[i] {
		add("menu closed")
	}
	if texts := t.texts[i]; texts.fresh {
		var list []string
		for k := range texts.list {
			list = append(list, t.words.instructionText(&texts.list[k]))
		}
		add(either(list != nil, "instructions", "no instructions"), "instructions", strings.Join(list, ", "))
	}
	var hidden []string
	for _, s := range b.Skipped {
		switch s.Reason {
		case event.SkipHidden:
			hidden = append(hidden, s.ID)
		default:
			add("unjudged", "ref", line(string(s.Ref)), "error", clip(s.Error, 200))
		}
	}
	if hidden != nil && t.event(i).Iteration > 1 { // the turn began with saying so
		add("hidden", "skills", t.words.listed(hidden))
	}
	return lines
}

// calledName is the template of a model call.
func calledName(b *event.Called) string {
	name := "called"
	switch {
	case b.Purpose == model.Classify:
		name = "called classify"
	case b.Purpose == model.Decide:
		name = "called decide"
	case aside(b.Purpose):
		name = "called aside"
	case b.Last:
		name = either(b.Limit != "", "called last limit", "called last")
	}
	return name
}
