package explain

import (
	"fmt"
	"slices"

	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
)

// A ToolReason says why a tool was called, and what became of the call.
type ToolReason struct {
	Evidence  Evidence `json:"evidence"` // of all that is told of the call
	Call      string   `json:"call"`     // the id asked about
	Tool      string   `json:"tool,omitempty"`
	Turn      int      `json:"turn,omitempty"`
	Iteration int      `json:"iteration,omitempty"`
	Event     int      `json:"event,omitempty"` // the reply that asked for it
	Skill     string   `json:"skill,omitempty"` // where the walk stood
	Said      string   `json:"said,omitempty"`  // the words of that reply
	Arguments string   `json:"arguments,omitempty"`

	// From are the values of the arguments, in order, and where each came from.
	From []Given `json:"from,omitempty"`

	// Became is what came of the call, in order: what a person was asked and said,
	// its result or why it was refused, what it asked of the walk.
	Became []Link  `json:"became,omitempty"`
	Result *Result `json:"result,omitempty"`
	Open   string  `json:"open,omitempty"` // why there is no result

	// Chain leads from the reply back to the message.
	Chain []Link `json:"chain,omitempty"`

	NotFound   *NotFound `json:"notFound,omitempty"`
	Unsearched string    `json:"unsearched,omitempty"`
	Changed    string    `json:"changed,omitempty"`
	Incomplete string    `json:"incomplete,omitempty"`
}

// A Given is one value of the arguments of a call.
type Given struct {
	Path  string `json:"path"` // in the arguments, as in $.orderId
	Range        // of the arguments
	Text  string `json:"text"` // what it says, without escapes

	// Sources are up to three places in what the model was shown where all of it
	// stands, the likeliest first. The first has a chain.
	Sources []Source `json:"sources,omitempty"`

	// Parts are runs of it, if it stands nowhere as a whole.
	Parts []Run `json:"parts,omitempty"`

	NotFound *NotFound `json:"notFound,omitempty"` // why there are neither
}

// Tool explains why a tool was called, by the id of the call: i2.1 is the first
// call of iteration 2, and t3i2.1 that of turn 3. Of several with one id it is
// the last one.
func Tool(r *recording.Recording, call string) *ToolReason {
	t := newTrail(r)
	why := &ToolReason{Evidence: Fact, Call: call, Changed: t.changed(), Incomplete: incomplete(r)}
	a, ok := t.askOf(call)
	if !ok {
		why.NotFound = t.noCall(call)
		return why
	}
	e := t.event(a.reply)
	why.Evidence = t.grade(e.Seq, Fact)
	why.Tool, why.Arguments = a.part.Tool, t.data(a.part)
	why.Turn, why.Iteration, why.Event = e.Turn, e.Iteration, e.Seq
	var words []model.Part
	for _, p := range e.Body.(*event.Replied).Parts {
		if p.Kind == model.Text {
			p.Data = t.data(p)
			words = append(words, p)
		}
	}
	why.Said = event.Text(words)
	f := newFollower(t)
	why.From = f.gave(a, maxDepth)
	if request, j, _ := cause[*event.Called](t, a.reply); j >= 0 {
		why.Skill = request.Skill
	}
	why.Chain = append([]Link{t.askLink(a.reply, Fact, a.part, why.Skill)}, t.whereabouts(a.reply)...)
	why.became(t, a)
	why.Unsearched = f.unsearched()
	return why
}

// ToolOf is Tool of a call of one turn, the first of which is 1, as the recording
// was when it ended. A call of another turn is not reached, and the reason names
// that turn.
func ToolOf(r *recording.Recording, turn int, call string) *ToolReason {
	then := r.Turn(turn)
	if then == nil {
		return &ToolReason{Evidence: Fact, Call: call, NotFound: &NotFound{Kind: NotReached, Reason: say("no turn of", "turn", itoa(turn))}}
	}
	why := Tool(then, call)
	if why.NotFound == nil && why.Turn == turn {
		return why
	}
	other := why
	if why.NotFound != nil {
		other = Tool(r, call)
	}
	if other.NotFound != nil || other.Turn == turn {
		return why
	}
	none := &NotFound{Kind: NotReached, Reason: say("call of turn", "turn", itoa(turn), "other", itoa(other.Turn))}
	return &ToolReason{Evidence: Fact, Call: call, NotFound: none, Incomplete: why.Incomplete}
}

// askOf is the last call with an id.
func (t *trail) askOf(call string) (ask, bool) {
	for i := range slices.Backward(t.r.Events) {
		if b, ok := t.event(i).Body.(*event.Replied); ok && t.aside[i] == "" {
			for _, p := range b.Parts {
				if p.Kind == model.Call && p.Call == call {
					return ask{i, p}, true
				}
			}
		}
	}
	return ask{}, false
}

// noCall says that there is no call with an id, and which there are.
func (t *trail) noCall(call string) *NotFound {
	var calls, of []string
	for i := range t.r.Events {
		b, ok := t.event(i).Body.(*event.Replied)
		if !ok || t.aside[i] != "" {
			continue
		}
		for _, p := range b.Parts {
			if p.Kind == model.Call {
				calls = append(calls, p.Call)
				if p.Tool == call {
					of = append(of, p.Call)
				}
			}
		}
	}
	switch {
	case calls == nil:
		return &NotFound{Kind: NotReached, Reason: say("no calls")}
	case of != nil:
		return &NotFound{Kind: NotRecorded, Reason: say("tool no call", "tool", line(call), "calls", listed(of))}
	}
	return &NotFound{Kind: NotRecorded, Reason: say("no call", "calls", listed(calls))}
}

// became tells what came of the call.
func (why *ToolReason) became(t *trail, a ask) {
	for i := a.reply + 1; i < len(t.r.Events) && t.turn[i] == t.turn[a.reply]; i++ {
		e := t.event(i)
		if b, ok := e.Body.(*event.Sent); ok && slices.Contains(b.Calls, a.part.Call) {
			why.Became = append(why.Became, t.toldLink(i, Fact))
		}
		late, isLate := e.Body.(*event.Late)
		if callOf(e.Body) != a.part.Call && !(isLate && late.Call == a.part.Call) {
			continue
		}
		why.Became = append(why.Became, t.toldLink(i, Fact))
		if _, part := resultOf(e.Body); part.Kind == "" || why.Result != nil {
			continue
		}
		why.Result = t.result(i)
	}
	if why.Result == nil {
		why.Open = say(either(t.turn[len(t.turn)-1] == t.turn[a.reply] && t.r.Finished() == nil, "call unanswered", "call unrecorded"))
	}
}

// A follower tells where the arguments of calls came from. It remembers what it
// has told, and what each model call was shown.
type follower struct {
	t       *trail
	turns   map[int]*scope   // by where a turn began
	scenes  map[int]*inquiry // by model call
	told    map[told][]Given
	left    int // values that may still be followed
	scan    int // bytes that may still be looked through for them
	limited bool
	from    *origins
}

type told struct {
	reply int
	call  string
	depth int
}

// A scope is what the model calls of a turn were shown, and what the model gave
// to tools.
type scope struct {
	ix, args *corpus
	asks     [][]ask
	until    int // the last model call that it has
}

func newFollower(t *trail) *follower {
	return &follower{t: t, turns: map[int]*scope{}, scenes: map[int]*inquiry{}, told: map[told][]Given{}, left: maxGivens, scan: maxTrace}
}

func (f *follower) origins() *origins {
	if f.from == nil {
		f.from = f.t.origins()
	}
	return f.from
}

// scope is that of a model call.
func (f *follower) scope(called int) *scope {
	turn := f.t.turn[called]
	s := f.turns[turn]
	if s == nil || s.until < called {
		s = &scope{until: called}
		s.ix, s.args, s.asks = f.t.indexes(called)
		f.turns[turn] = s
	}
	return s
}

// scene is an inquiry of what was shown when a reply was given, without a text.
func (f *follower) scene(reply int) *inquiry {
	q := &inquiry{t: f.t, f: f, reply: reply, called: -1}
	if q.asked() != nil {
		return nil
	}
	if known := f.scenes[q.called]; known != nil {
		return known
	}
	s := f.scope(q.called)
	q.ix, q.args, q.asks = s.ix, s.args, s.asks
	q.show()
	f.scenes[q.called] = q
	return q
}

// gave tells where the arguments of a call came from.
func (f *follower) gave(a ask, depth int) []Given {
	key := told{a.reply, a.part.Call, depth}
	if list, ok := f.told[key]; ok {
		return list
	}
	f.told[key] = nil
	d := parseDocument(f.t.data(a.part))
	scene := f.scene(a.reply)
	if d == nil || scene == nil {
		return nil
	}
	const most = 32 // of one call
	var list []Given
	for i := range d.nodes {
		n := &d.nodes[i]
		if n.container || i+1 < len(d.nodes) && d.nodes[i+1].inside && d.nodes[i+1].parent == i {
			continue
		}
		if f.left--; f.left < 0 || len(list) == most {
			f.limited = true
			break
		}
		g := Given{Path: d.path(n), Range: d.content(n), Text: d.plain(n)}
		for up := n; ; up = &d.nodes[up.parent] {
			if up.key >= 0 || up.parent < 0 {
				scene.trace(&g, d.name(up), depth)
				break
			}
		}
		list = append(list, g)
	}
	f.told[key] = list
	return list
}

// trace tells where a value of arguments came from that has a name there.
func (q *inquiry) trace(g *Given, name string, depth int) {
	const most = 3
	if !hasWord(g.Text) {
		g.NotFound = &NotFound{Kind: NotRecorded, Reason: say("no words")}
		return
	}
	of := *q // the same request, another text
	of.answer, of.depth, of.most, of.named = g.Text, depth, most, name
	of.rowing = rowing{}
	of.search()
	of.scan, of.tries = q.f.scan, maxTries>>6
	defer func() { q.f.scan = of.scan }()
	whole := of.bare(Range{0, len(of.answer)})
	if g.Sources = of.sourcesOf(whole); g.Sources != nil {
		return
	}
	for _, run := range of.explain(whole) {
		if run.Sources != nil {
			g.Parts = append(g.Parts, run)
		}
	}
	if g.Parts == nil {
		g.NotFound = of.own(whole, say("own argument"), of.spent).NotFound
	}
}

// follow tells of the calls of a chain where their arguments came from: of the
// first, and of the chain of an answer of some more.
func (q *inquiry) follow(links []Link) []Link {
	calls := 1
	if q.depth == maxDepth {
		calls = 3
	}
	if q.depth <= 0 {
		return links
	}
	links = slices.Clone(links)
	for i := range links {
		l := &links[i]
		if l.Arguments == "" || l.Kind != (event.Replied{}).Kind() {
			continue
		}
		j, ok := q.t.at[l.Event]
		if !ok {
			continue
		}
		b, ok := q.t.event(j).Body.(*event.Replied)
		if !ok {
			continue
		}
		for _, p := range b.Parts {
			if p.Kind == model.Call && p.Call == l.Call {
				l.From = q.f.gave(ask{j, p}, q.depth-1)
				break
			}
		}
		if calls--; calls == 0 {
			break
		}
	}
	return links
}

// unsearched says what was left out.
func (f *follower) unsearched() string {
	cut := f.limited
	for _, s := range f.turns {
		cut = cut || s.ix.cut
	}
	if cut {
		return say("too much")
	}
	return ""
}

func (why *ToolReason) String() string {
	var p page
	if why.NotFound != nil {
		p.put(0, "Call "+quote(why.Call, 60)+":")
		p.notFound(2, why.NotFound)
		p.footnotes(why.Incomplete)
		p.warn(why.Changed)
		return p.String()
	}
	p.put(0, fmt.Sprintf("%s %s, event %d: %s (%s)", line(why.Call), line(why.Tool), why.Event,
		say(either(why.Skill != "", "call in", "call of"), "iteration", itoa(why.Iteration), "skill", line(why.Skill)), why.Evidence))
	if why.Said != "" {
		p.hang(2, 4, say("said", "text", quote(why.Said, 200)))
	}
	p.WriteByte('\n')
	p.put(2, "its arguments:")
	p.put(4, clip(why.Arguments, 400))
	p.givens(4, why.From)
	p.WriteByte('\n')
	p.put(2, "what became of it:")
	for _, l := range why.Became {
		p.link(4, l)
	}
	if why.Open != "" {
		p.put(4, why.Open)
	}
	p.WriteByte('\n')
	p.put(2, "how the walk got there:")
	told := tale{}
	p.chain(4, why.Chain, told)
	p.footnotes(why.Unsearched, why.Incomplete)
	p.warn(why.Changed)
	return p.String()
}

// givens tells where arguments came from, one a line.
func (p *page) givens(indent int, list []Given) {
	for _, g := range list {
		name := clip(g.Path, 60) + " " + quote(g.Text, 60)
		switch {
		case g.Sources != nil:
			s := &g.Sources[0]
			p.hang(indent, indent+2, name+" "+s.from())
			for _, l := range s.Chain {
				if l.From != nil {
					p.givens(indent+2, l.From)
				}
			}
		case g.Parts != nil:
			p.hang(indent, indent+2, name+": "+say("parts of it"))
			for i := range g.Parts {
				p.hang(indent+2, indent+4, quote(g.Parts[i].Text, 60)+" "+g.Parts[i].Sources[0].from())
			}
		default:
			p.hang(indent, indent+2, name+": "+g.NotFound.Reason+" ("+string(g.NotFound.Kind)+")")
		}
	}
}
