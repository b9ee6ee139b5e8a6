package explain

import (
	"fmt"
	"slices"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/recording"
)

// A MoveReason says why the walk went where it went.
type MoveReason struct {
	Evidence  Evidence `json:"evidence"` // of all that is told of the move
	Turn      int      `json:"turn,omitempty"`
	Iteration int      `json:"iteration"` // the one asked about
	Event     int      `json:"event,omitempty"`

	Move  *spoor.Move `json:"move,omitempty"`
	Label string      `json:"label,omitempty"` // of the step or rule that decided, if it has one

	// Results are what the move looked at: what became of the calls of the
	// iteration before, in order.
	Results []Result `json:"results,omitempty"`

	// Superseded are entries that claim the message as well.
	Superseded []string `json:"superseded,omitempty"`

	// Effects is what the tools asked of the walk, and what became of that.
	Effects []Link `json:"effects,omitempty"`

	// Reads is what became of the model's requests to read a skill.
	Reads []Link `json:"reads,omitempty"`

	// Chain leads from the move back to the message.
	Chain []Link `json:"chain,omitempty"`

	NotFound   *NotFound `json:"notFound,omitempty"` // why there is no such move
	Changed    string    `json:"changed,omitempty"`  // why not all of it is as it was recorded
	Incomplete string    `json:"incomplete,omitempty"`

	labels map[spoor.Ref]string // of the steps that stayed shut
	fired  *Result
}

// A Result is what became of one tool call.
type Result struct {
	Event     int          `json:"event"`
	Call      string       `json:"call"`
	Tool      string       `json:"tool"`
	Arguments string       `json:"arguments,omitempty"`
	Executed  bool         `json:"executed"`
	Reason    event.Reason `json:"reason,omitempty"` // why the walk itself answered it
	Status    spoor.Status `json:"status,omitempty"`
	Text      string       `json:"text"` // what the model was told
}

// Move explains the move of one iteration of the last turn; the first is 1.
func Move(r *recording.Recording, iteration int) *MoveReason {
	t := newTrail(r)
	m := &MoveReason{Evidence: Fact, Iteration: iteration, Changed: t.changed(), Incomplete: incomplete(r), labels: map[spoor.Ref]string{}}
	i, count := -1, 0
	for _, j := range t.moves {
		if t.turn[j] != t.turn[len(t.turn)-1] {
			continue
		}
		count++
		if i < 0 && t.event(j).Iteration == iteration {
			i = j
		}
	}
	switch {
	case i >= 0:
	case iteration < 1:
		m.NotFound = &NotFound{Kind: NotRecorded, Reason: say("bad number")}
	case count == 0:
		m.NotFound = &NotFound{Kind: NotReached, Reason: say("no moves")}
	default:
		m.NotFound = &NotFound{Kind: NotReached, Reason: say("no move", "moves", counted(count, "move"))}
	}
	if m.NotFound != nil {
		return m
	}
	e := t.event(i)
	m.Turn, m.Event, m.Move, m.Evidence = e.Turn, e.Seq, t.move(i), t.grade(e.Seq, Fact)
	m.Label = t.mapOf(i).label(m.Move.Ref)
	for _, c := range m.Move.Closed {
		m.labels[c.Ref] = t.mapOf(i).label(c.Ref)
	}
	m.Results, m.fired = t.results(i), t.fired(i)
	m.Superseded = t.superseded(i)
	m.Effects = t.effects(i)
	m.Reads = t.reads(i)
	m.Chain = t.back(i)
	return m
}

// superseded is the list of a move, its As followed.
func (t *trail) superseded(i int) []string {
	b := t.event(i).Body.(*event.Evaluated)
	if j, ok := t.at[b.SupersededAs]; ok && b.SupersededAs != 0 && j < i {
		if as, ok := t.event(j).Body.(*event.Evaluated); ok {
			return as.Superseded
		}
	}
	return b.Superseded
}

// after yields what a move did to the requests of its batch: the events from
// it to the next model call or the end of the turn.
func (t *trail) after(i int, yield func(j int, b event.Body)) {
	for j := i + 1; j < len(t.r.Events); j++ {
		switch b := t.event(j).Body.(type) {
		case *event.Called, *event.Evaluated, *event.Finished, *event.Started:
			return
		default:
			yield(j, b)
		}
	}
}

// reads tells what became of the reads of a batch.
func (t *trail) reads(i int) []Link {
	var links []Link
	t.after(i, func(j int, b event.Body) {
		switch b := b.(type) {
		case *event.Read, *event.Rejected:
		case *event.RerouteSuperseded:
			if b.Source == spoor.ByProposal {
				return
			}
		default:
			return
		}
		links = append(links, t.link(j, Fact, t.told(j)[0].Text))
	})
	return links
}

// effects tells what the results before a move asked of the walk, and of a
// proposal that did not get its way, why.
func (t *trail) effects(i int) []Link {
	var links []Link
	for j := i - 1; j >= max(0, t.turn[i], i-maxBack); j-- {
		switch t.event(j).Body.(type) {
		case *event.EffectJudged:
			links = append(links, t.toldLink(j, Fact))
			continue
		case *event.Called, *event.Evaluated:
		default:
			continue
		}
		break
	}
	slices.Reverse(links)
	t.after(i, func(j int, b event.Body) {
		if b, ok := b.(*event.RerouteSuperseded); ok && b.Source == spoor.ByProposal {
			links = append(links, t.toldLink(j, Fact))
		}
	})
	return links
}

func (m *MoveReason) String() string {
	var p page
	if m.NotFound != nil {
		p.put(0, fmt.Sprintf("Move %d:", m.Iteration))
		p.notFound(2, m.NotFound)
		p.footnotes(m.Incomplete)
		p.warn(m.Changed)
		return p.String()
	}
	p.put(0, fmt.Sprintf("Move %d, event %d: %s (%s)", m.Iteration, m.Event, moveText(m.Move, m.Label, m.fired), m.Evidence))
	p.evidence(2, m.Move, m.labels)
	if len(m.Superseded) > 0 {
		p.hang(2, 4, say("superseded", "skills", listed(m.Superseded)))
	}
	if len(m.Results) > 0 {
		p.WriteByte('\n')
		p.put(2, "what had come back:")
		for _, r := range m.Results {
			p.hang(4, 15, fmt.Sprintf("event %-4d %s", r.Event, r.told()))
		}
	}
	if len(m.Effects) > 0 {
		p.WriteByte('\n')
		p.put(2, "what the tools asked of the walk:")
		for _, l := range m.Effects {
			p.link(4, l)
		}
	}
	if len(m.Reads) > 0 {
		p.WriteByte('\n')
		p.put(2, "what became of the model's reads:")
		for _, l := range m.Reads {
			p.link(4, l)
		}
	}
	p.WriteByte('\n')
	p.put(2, "how the walk got there:")
	if len(m.Chain) > 1 {
		p.chain(4, m.Chain[1:], tale{}) // the first is the move itself
	}
	p.footnotes(m.Incomplete)
	p.warn(m.Changed)
	return p.String()
}

// evidence shows the guards that were judged for a move, row by row.
func (p *page) evidence(indent int, m *spoor.Move, labels map[spoor.Ref]string) {
	for _, l := range plain.evidenceOf(m, func(ref spoor.Ref) string { return labels[ref] }) {
		p.hang(indent+2*(l.Depth-1), indent+2*l.Depth, l.Text)
	}
}

// evidenceOf tells the evidence of a move: depth 1, and of a row of a guard 2.
// It is bounded, since a recording can name a judgement of any size again in a
// few bytes.
func (w *Words) evidenceOf(m *spoor.Move, label func(spoor.Ref) string) []Line {
	const most = 1000
	var lines []Line
	more := 0
	add := func(depth int, text string) { lines = append(lines, Line{Depth: depth, Text: text}) }
	rows := func(j *spoor.Judgement) {
		n := min(len(j.Conditions), max(0, most-len(lines)))
		for _, c := range j.Conditions[:n] {
			add(2, w.say("row", "evidence", line(c.String())))
		}
		more += len(j.Conditions) - n
	}
	if m.Guard != nil {
		add(1, w.say("open", "ref", line(string(m.Guard.Ref)), "tool", line(m.Guard.Tool)))
		rows(m.Guard)
	}
	for i := range m.Closed {
		c := &m.Closed[i]
		if len(lines) >= most {
			more += 1 + len(c.Conditions)
			continue
		}
		name := label(c.Ref)
		if name != "" {
			name = " " + quote(name, 40)
		}
		add(1, w.say("closed", "ref", line(string(c.Ref)), "label", name, "to", line(c.To), "tool", line(c.Tool)))
		rows(c)
	}
	if more > 0 {
		add(1, w.say("more rows", "n", itoa(more)))
	}
	for _, f := range m.Failed {
		add(1, w.say("unjudged", "ref", line(string(f.Ref)), "error", clip(f.Error, 200)))
	}
	if m.Conflict != nil {
		for _, o := range m.Conflict.Losers {
			add(1, w.say("loser", "call", line(o.CallID), "tool", line(o.Tool), "to", line(o.Target)))
		}
	}
	return lines
}

// told tells a result in a line.
func (r *Result) told() string { return plain.result(r) }

func (w *Words) result(r *Result) string {
	name := "returned"
	switch {
	case r.Reason == event.Lost || r.Reason == event.Cut:
		name = fate(r.Reason)
	case !r.Executed:
		name = "not run"
	case r.Status != "":
		name = "with status"
	}
	return w.say(name, "call", line(r.Call), "tool", line(r.Tool), "status", line(string(r.Status)), "text", clip(r.Text, 120))
}
