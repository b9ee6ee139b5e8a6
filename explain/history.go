package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/recording"
)

// A RouteHistory is the way of a walk over all turns of a recording: every hop
// with what decided it, and what was refused on the way.
type RouteHistory struct {
	Run   string `json:"run"`
	Turns int    `json:"turns"` // that have begun

	// Hops are the first move of each turn, every move that led elsewhere, and
	// every one by a step, also by one back to where the walk stood. A tree
	// moves nothing; there a hop is a move whose leaf is another one than
	// before.
	Hops []Hop `json:"hops,omitempty"`

	// Rejections are the reads and the calls that the walk refused. A call that
	// nobody carried out because the turn ended, or its process died, is none.
	Rejections []Rejection `json:"rejections,omitempty"`

	// Streaks are hops to and fro and refused reads in a row, of at least two,
	// in the order in which they began.
	Streaks []Streak `json:"streaks,omitempty"`

	Groups []GroupCount `json:"groups,omitempty"` // those that there are
	Skills []SkillCount `json:"skills,omitempty"` // in the order in which the walk first stood there
	Edges  []EdgeCount  `json:"edges,omitempty"`  // in the order in which the walk first went there

	NotFound   *NotFound `json:"notFound,omitempty"` // why there are no hops
	Changed    string    `json:"changed,omitempty"`  // why not all of it is as it was recorded
	Incomplete string    `json:"incomplete,omitempty"`
}

// A Hop is one move of a RouteHistory.
type Hop struct {
	// Evidence is Derived where the recording does not say itself which of
	// several results took a step.
	Evidence  Evidence `json:"evidence"`
	Event     int      `json:"event"`
	Turn      int      `json:"turn"`
	Iteration int      `json:"iteration"`

	From  string      `json:"from,omitempty"` // empty: nowhere
	To    string      `json:"to,omitempty"`   // empty: nowhere, or a leaf
	By    spoor.Cause `json:"by"`
	Group Group       `json:"group"`
	Ref   spoor.Ref   `json:"ref,omitempty"`   // the rule, entry, step or leaf that decided
	Label string      `json:"label,omitempty"` // of the rule or step; of a leaf its skill
	Text  string      `json:"text"`            // one line

	// Tool and Call are the tool that decided, and its call: the one whose
	// result took the step, the one that proposed, or read_skill.
	Tool string `json:"tool,omitempty"`
	Call string `json:"call,omitempty"`

	// Guard is the evidence that opened the step, row by row.
	Guard *spoor.Judgement `json:"guard,omitempty"`

	// Of the first hop of a turn. Witness is the words of the message that a
	// rule matched, and Keyword the keyword that they match. Shares is what a
	// scorer gave, best first; Scorer its name in the map. Offered is the menu
	// that was left, and Decider the model that chose from it, as its provider
	// names it.
	Witness string   `json:"witness,omitempty"`
	Keyword string   `json:"keyword,omitempty"`
	Scorer  string   `json:"scorer,omitempty"`
	Shares  []Share  `json:"shares,omitempty"`
	Offered []string `json:"offered,omitempty"`
	Decider string   `json:"decider,omitempty"`

	at int // the index of the event
}

// A Share is what a scorer gave a skill, and its part of the whole.
type Share struct {
	Skill string  `json:"skill"`
	Score float64 `json:"score"`
	Share float64 `json:"share"` // from 0 to 1
}

// A Group says who or what decided a hop.
type Group string

const (
	GroupStart     Group = "start"     // a rule, an entry or a scorer began the turn
	GroupStay      Group = "stay"      // the turn began where the turn before it ended
	GroupNowhere   Group = "nowhere"   // the turn began nowhere
	GroupPick      Group = "pick"      // a model chose: with read_skill, or from the menu of the start
	GroupGuard     Group = "guard"     // a step whose guard was judged
	GroupCondition Group = "condition" // a step whose own condition was judged
	GroupHandOff   Group = "hand-off"  // a step on a tool's return alone
	GroupStep      Group = "step"      // a step, and the recorded map does not say of which kind
	GroupProposal  Group = "proposal"  // a tool proposed it
	GroupLeaf      Group = "leaf"      // a tree led to another leaf
	GroupOther     Group = "other"     // a cause that is not known here
)

var groups = []Group{
	GroupStart, GroupStay, GroupNowhere, GroupPick, GroupGuard, GroupCondition, GroupHandOff, GroupStep, GroupProposal, GroupLeaf, GroupOther,
}

// A Rejection is one read or call that the walk refused.
type Rejection struct {
	Event     int    `json:"event"`
	Turn      int    `json:"turn"`
	Iteration int    `json:"iteration"`
	Call      string `json:"call"`
	Tool      string `json:"tool"`           // read_skill of a read
	From      string `json:"from,omitempty"` // where the walk stood
	Text      string `json:"text"`           // one line

	// Of a read: what was asked for, what could be read there, and the posture
	// that refused it, if one did.
	Skill   string        `json:"skill,omitempty"`
	Allowed []string      `json:"allowed,omitempty"`
	Posture spoor.Posture `json:"posture,omitempty"`

	// Reason says why another call was refused.
	Reason event.Reason `json:"reason,omitempty"`

	at int
}

// A Streak is what happened again and again.
type Streak struct {
	Kind   StreakKind `json:"kind"`
	Turn   int        `json:"turn"`
	Length int        `json:"length"` // moves or reads
	Skills []string   `json:"skills"` // the two of a ping-pong; those asked for, each once, at most a hundred
	First  int        `json:"first"`  // event
	Last   int        `json:"last"`   // event
}

// A StreakKind says what a streak is of.
type StreakKind string

const (
	// PingPong is moves in a row of one turn each of which goes back to where
	// the one before it came from, as the limit of moves to and fro counts them.
	PingPong StreakKind = "ping-pong"

	// Refusals is reads in a row of one turn that were refused, without a move
	// in between, as the limit of refused reads counts them.
	Refusals StreakKind = "refusals"
)

// A GroupCount counts the hops of a group.
type GroupCount struct {
	Group Group `json:"group"`
	Hops  int   `json:"hops"`
}

// A SkillCount counts how often the walk came to a skill from elsewhere, and
// the iterations that it spent there. Without a name it is nowhere.
type SkillCount struct {
	Skill      string `json:"skill"`
	Entered    int    `json:"entered"`
	Iterations int    `json:"iterations"`
}

// An EdgeCount counts the hops between two skills. From is empty for hops from
// nowhere.
type EdgeCount struct {
	From string `json:"from,omitempty"`
	To   string `json:"to"`
	Hops int    `json:"hops"`
}

// History tells the way of the walk over all turns.
func History(r *recording.Recording) *RouteHistory {
	t := newTrail(r)
	h := &RouteHistory{Run: r.Run, Turns: t.turns(), Incomplete: incomplete(r)}
	c := counts{h: h, skills: map[string]int{}, edges: map[[2]string]int{}, groups: map[Group]int{}}
	before := -1 // the last move of this turn
	for i := range r.Events {
		switch b := t.event(i).Body.(type) {
		case *event.Started:
			before = -1
			c.turn()
		case *event.Evaluated:
			c.move(t, i, before)
			if hop, ok := t.hop(i, before); ok {
				h.Hops = append(h.Hops, hop)
				c.hop(&hop)
			}
			before = i
		case *event.Rejected:
			h.Rejections = append(h.Rejections, t.rejection(i))
			c.refusal(t.event(i), b.RequestedID)
		case *event.Refused:
			if b.Reason != event.Lost && b.Reason != event.Cut {
				h.Rejections = append(h.Rejections, t.rejection(i))
			}
		}
	}
	c.done()
	switch {
	case h.Hops != nil:
	case h.Turns == 0:
		h.NotFound = &NotFound{Kind: NotRecorded, Reason: say("no route")}
	default:
		h.NotFound = &NotFound{Kind: NotReached, Reason: say("no moves")}
	}
	h.Changed = t.changed()
	return h
}

// place is where the walk stands after move i: a skill, or that of the leaf of
// a tree.
func (t *trail) place(i int) string {
	m := t.move(i)
	if mapped := t.mapOf(i); m.To == "" && mapped.m != nil && mapped.m.Tree != nil {
		return mapped.label(m.Ref)
	}
	return m.To
}

// hop is move i, if it is one. Before is the move before it in its turn, or -1.
func (t *trail) hop(i, before int) (hop Hop, ok bool) {
	m := t.move(i)
	leaf := strings.HasPrefix(string(m.Ref), "tree")
	turned := leaf && (before < 0 || t.move(before).Ref != m.Ref)
	if before >= 0 && m.To == m.From && m.By != spoor.ByRoute && !turned {
		return hop, false
	}
	e, mapped := t.event(i), t.mapOf(i)
	hop = Hop{
		Evidence: Fact, Event: e.Seq, Turn: e.Turn, Iteration: e.Iteration, From: m.From, To: m.To, By: m.By, Ref: m.Ref,
		Label: mapped.label(m.Ref), at: i,
	}
	fired := t.fired(i)
	hop.Text = moveText(m, hop.Label, fired)
	hop.Group = t.group(i)
	switch hop.By {
	case spoor.ByRoute:
		if m.Guard != nil {
			hop.Tool, hop.Call, hop.Guard = m.Guard.Tool, m.Guard.CallID, m.Guard
		} else if m.Conflict != nil {
			hop.Tool, hop.Call = m.Conflict.Winner.Tool, m.Conflict.Winner.CallID
		} else if fired != nil {
			hop.Tool, hop.Call = fired.Tool, fired.Call
			if len(t.results(i)) > 1 {
				hop.Evidence = Derived
			}
		}
	case spoor.ByPick:
		hop.Tool = readSkill
		if links := t.pickLinks(i); links != nil {
			hop.Call = links[0].Call
		}
	case spoor.ByProposal:
		if b, j, _ := cause[*event.EffectJudged](t, i); j >= 0 && b.Target == m.To && b.Outcome == event.EffectAccepted {
			hop.Tool, hop.Call = b.Tool, b.Call
		}
	}
	if m.Witness != nil {
		hop.Witness, hop.Keyword = m.Witness.Text, m.Witness.Keyword
	}
	if b, j := t.routed(i); before < 0 && j >= 0 {
		hop.Scorer, hop.Offered = b.Scorer, b.Offered
		if b.Scores != nil {
			for _, r := range b.Scores.Ranked {
				hop.Shares = append(hop.Shares, Share{r.ID, r.Score, r.Relevance})
			}
		}
		if b.Decider != nil && hop.By == spoor.ByDecider || b.Decider != nil && b.Decider.Stay {
			hop.Decider = b.Decider.Model
		}
	}
	hop.Evidence = t.grade(e.Seq, hop.Evidence)
	return hop, true
}

// group is that of move i.
func (t *trail) group(i int) Group {
	switch m := t.move(i); m.By {
	case spoor.ByEntry, spoor.ByIntent:
		return GroupStart
	case spoor.ByContinuity:
		if b, j := t.routed(i); j >= 0 && b.Decider != nil && b.Decider.Stay {
			return GroupPick
		}
		return GroupStay
	case spoor.ByDecider, spoor.ByPick:
		return GroupPick
	case spoor.ByProposal:
		return GroupProposal
	case spoor.ByRoute:
		s := t.mapOf(i).step(m.Ref)
		switch {
		case m.Guard != nil:
			return GroupGuard
		case s == nil:
			return GroupStep
		case s.When != "":
			return GroupCondition
		case len(s.Guard) > 0: // the move does not have its evidence
			return GroupStep
		}
		return GroupHandOff
	case spoor.ByStay, spoor.ByNone:
		switch {
		case strings.HasPrefix(string(m.Ref), "tree"):
			return GroupLeaf
		case m.By == spoor.ByNone:
			return GroupNowhere
		}
		return GroupStay
	}
	return GroupOther
}

// rejection is the refusal of event i.
func (t *trail) rejection(i int) Rejection {
	e := t.event(i)
	x := Rejection{Event: e.Seq, Turn: e.Turn, Iteration: e.Iteration, Text: t.told(i)[0].Text, at: i}
	switch b := e.Body.(type) {
	case *event.Rejected:
		x.Call, x.Tool, x.Skill, x.From = b.Call, readSkill, b.RequestedID, b.CurrentSkillID
		x.Allowed, x.Posture = t.allowed(i), b.Posture
	case *event.Refused:
		x.Call, x.Tool, x.Reason = b.Call, b.Tool, b.Reason
		if j := t.moveBefore(i); j >= 0 {
			x.From = t.move(j).To
		}
	}
	return x
}

// counts counts what happens, event by event.
type counts struct {
	h      *RouteHistory
	skills map[string]int // where it stands in the list
	edges  map[[2]string]int
	groups map[Group]int

	toAndFro, refused Streak // under way
	from              string // where the last move came from
}

// turn ends what belongs to one turn.
func (c *counts) turn() {
	c.end(&c.toAndFro)
	c.end(&c.refused)
	c.from = ""
}

// done ends the counting.
func (c *counts) done() {
	c.turn()
	slices.SortStableFunc(c.h.Streaks, func(a, b Streak) int { return cmp.Compare(a.First, b.First) })
	for _, g := range groups {
		if n := c.groups[g]; n > 0 {
			c.h.Groups = append(c.h.Groups, GroupCount{g, n})
		}
	}
}

// end keeps a streak, if it is one.
func (c *counts) end(s *Streak) {
	if s.Length > 1 {
		c.h.Streaks = append(c.h.Streaks, *s)
	}
	*s = Streak{}
}

// more adds an event to a streak.
func (s *Streak) more(kind StreakKind, e *event.Event) {
	if s.Length == 0 {
		s.Kind, s.Turn, s.First = kind, e.Turn, e.Seq
	}
	s.Length++
	s.Last = e.Seq
}

func (c *counts) refusal(e *event.Event, skill string) {
	c.refused.more(Refusals, e)
	const most = 100
	if len(c.refused.Skills) < most && !slices.Contains(c.refused.Skills, skill) {
		c.refused.Skills = append(c.refused.Skills, skill)
	}
}

// move counts where the walk stands, and moves to and fro as the walk itself
// does: a start is none of them.
func (c *counts) move(t *trail, i, before int) {
	e, m := t.event(i), t.move(i)
	place, from := t.place(i), m.From
	if m.To == "" && before >= 0 {
		from = t.place(before)
	}
	k, known := c.skills[place]
	if !known {
		k = len(c.h.Skills)
		c.skills[place] = k
		c.h.Skills = append(c.h.Skills, SkillCount{Skill: place})
	}
	c.h.Skills[k].Iterations++
	if place != from {
		c.h.Skills[k].Entered++
	}
	if m.To == m.From || e.Iteration <= 1 {
		return
	}
	c.end(&c.refused)
	if m.From == "" {
		return
	}
	if m.To != c.from {
		c.end(&c.toAndFro)
	}
	if c.toAndFro.Length == 0 {
		c.toAndFro.Skills = []string{m.From, m.To}
	}
	c.toAndFro.more(PingPong, e)
	c.from = m.From
}

func (c *counts) hop(hop *Hop) {
	c.groups[hop.Group]++
	if hop.To == "" || hop.To == hop.From && hop.By != spoor.ByRoute {
		return
	}
	edge := [2]string{hop.From, hop.To}
	k, known := c.edges[edge]
	if !known {
		k = len(c.h.Edges)
		c.edges[edge] = k
		c.h.Edges = append(c.h.Edges, EdgeCount{From: hop.From, To: hop.To})
	}
	c.h.Edges[k].Hops++
}

// skillName is the name of a skill for people.
func skillName(skill string) string {
	if skill == "" {
		return say("nowhere")
	}
	return clip(skill, 40)
}

func skillNames(skills []string) string {
	list := make([]string, len(skills))
	for i, s := range skills {
		list[i] = skillName(s)
	}
	return listed(list)
}

// way is where a hop leads, in two names.
func (hop *Hop) way() string {
	switch {
	case hop.Group == GroupLeaf:
		return "→ " + skillName(hop.Label)
	case hop.To == "":
		return skillName("")
	case hop.To == hop.From && hop.By != spoor.ByRoute:
		return "in " + skillName(hop.To)
	}
	return skillName(hop.From) + " → " + skillName(hop.To)
}

// why is what decided a hop, as short as can be.
func (hop *Hop) why() string {
	var list []string
	add := func(text string) {
		if text != "" {
			list = append(list, text)
		}
	}
	ref := line(string(hop.Ref))
	if hop.Label != "" && hop.Group != GroupLeaf {
		ref += " " + quote(hop.Label, 40)
	}
	add(ref)
	add(line(strings.TrimSpace(hop.Call + " " + hop.Tool)))
	if hop.Witness != "" {
		add("by " + quote(hop.Witness, 40))
	}
	if hop.By == spoor.ByDecider || hop.By == spoor.ByContinuity && hop.Group == GroupPick {
		add(either(hop.Decider != "", line(hop.Decider)+" chose from "+skillNames(hop.Offered), "chosen from "+skillNames(hop.Offered)))
	}
	text := strings.Join(list, ", ")
	if hop.Evidence != Fact {
		text += " (" + string(hop.Evidence) + ")"
	}
	return text
}

func (h *RouteHistory) String() string {
	var p page
	if h.NotFound != nil {
		p.put(0, "Run "+line(h.Run)+":")
		p.notFound(2, h.NotFound)
	} else {
		p.put(0, fmt.Sprintf("Run %s: %s in %s, %s", line(h.Run), counted(len(h.Hops), "hop"), counted(h.Turns, "turn"), counted(len(h.Rejections), "rejection")))
	}
	way, group := 0, 0
	for i := range h.Hops {
		way = max(way, utf8.RuneCountInString(h.Hops[i].way()))
		group = max(group, len(h.Hops[i].Group))
	}
	way = min(way, 40)
	turn := -1
	heading := func(now int) {
		if now != turn {
			turn = now
			p.put(0, fmt.Sprintf("\nTurn %d", turn))
		}
	}
	rejections := h.Rejections
	rejected := func(before int) {
		for len(rejections) > 0 && rejections[0].at < before {
			x := &rejections[0]
			heading(x.Turn)
			p.hang(2, 15, fmt.Sprintf("event %-4d %2d  %s", x.Event, x.Iteration, x.Text))
			rejections = rejections[1:]
		}
	}
	for i := range h.Hops {
		hop := &h.Hops[i]
		rejected(hop.at)
		heading(hop.Turn)
		head := fmt.Sprintf("event %-4d %2d  %s  %-*s  %s", hop.Event, hop.Iteration, pad(hop.way(), way), group, hop.Group, hop.why()+either(hop.Evidence == Assumed, " (assumed)", ""))
		p.hang(2, 15, strings.TrimRight(head, " "))
		if hop.Shares != nil {
			list := make([]string, len(hop.Shares))
			for k, s := range hop.Shares {
				list[k] = line(s.Skill) + " " + number(s.Score) + " (" + percent(s.Share) + ")"
			}
			p.hang(15, 17, say("ranked", "scorer", line(hop.Scorer), "ranked", listed(list)))
		}
		if hop.Guard != nil {
			for _, row := range hop.Guard.Conditions {
				p.hang(15, 17, say("row", "evidence", line(row.String())))
			}
		}
	}
	rejected(int(^uint(0) >> 1))
	for i := range h.Streaks {
		s := &h.Streaks[i]
		if i == 0 {
			p.WriteByte('\n')
		}
		p.hang(0, 2, say(either(s.Kind == PingPong, "to and fro", "refused in a row"), "skills", skillNames(s.Skills), "n", itoa(s.Length),
			"turn", itoa(s.Turn), "first", itoa(s.First), "last", itoa(s.Last)))
	}
	if h.NotFound == nil {
		var by, to, in []string
		for _, c := range h.Groups {
			by = append(by, fmt.Sprintf("%s %d", c.Group, c.Hops))
		}
		for _, c := range h.Edges {
			to = append(to, fmt.Sprintf("%s → %s %d", skillName(c.From), skillName(c.To), c.Hops))
		}
		for _, c := range h.Skills {
			in = append(in, fmt.Sprintf("%s %s, entered %s", skillName(c.Skill), counted(c.Iterations, "iteration"), either(c.Entered == 1, "once", itoa(c.Entered)+" times")))
		}
		p.hang(0, 2, "\nhops: "+strings.Join(by, ", "))
		if to != nil {
			p.hang(0, 2, "edges: "+strings.Join(to, ", "))
		}
		p.hang(0, 2, "skills: "+strings.Join(in, "; "))
	}
	p.footnotes(h.Incomplete)
	p.warn(h.Changed)
	return p.String()
}

// pad fills a text up to n characters.
func pad(text string, n int) string {
	return text + strings.Repeat(" ", max(0, n-utf8.RuneCountInString(text)))
}
