package explain

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
)

// A Comparison says where two recordings part, and what followed from that.
// What is chance is no difference: the id of the run, times, usage, the ids of
// calls, the bytes on the wire, attempts that failed before a reply, the order
// in which results of one batch came in.
type Comparison struct {
	A Compared `json:"a"`
	B Compared `json:"b"`

	// Same says that the two do not differ.
	Same bool `json:"same"`

	// First is the first difference; nil if there is none. Then is what differs
	// after it, in order.
	First *Difference  `json:"first,omitempty"`
	Then  []Difference `json:"then,omitempty"`

	Answers  Answers   `json:"answers"`
	Notes    []Noted   `json:"notes,omitempty"`
	NotFound *NotFound `json:"notFound,omitempty"` // why nothing could be compared

	// Unsearched is what was too much to compare.
	Unsearched string `json:"unsearched,omitempty"`
}

// Compared is one of the two recordings.
type Compared struct {
	Run        string `json:"run"`
	Turns      int    `json:"turns"`
	Events     int    `json:"events"`
	Changed    string `json:"changed,omitempty"`    // why not all of it is as it was recorded
	Incomplete string `json:"incomplete,omitempty"` // why it is not whole
}

// Answers are those of the last turns.
type Answers struct {
	Same bool   `json:"same"`
	A    string `json:"a"`
	B    string `json:"b"`

	// Words is what the two share and what not; nil if they are the same, or
	// if there is too much to compare.
	Words []Segment `json:"words,omitempty"`
}

// Noted is something that differs and says nothing about why.
type Noted struct {
	What string `json:"what"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// A Difference is one thing that is not the same in both recordings. It is a
// fact that it differs; what it follows from is what Link says.
type Difference struct {
	Number   int      `json:"number"` // from 1
	Class    Class    `json:"class"`
	Evidence Evidence `json:"evidence"`
	Turn     int      `json:"turn"`

	// Place is where in the thing that differs: a Ref of the map, a path in a
	// result, a line of a text, the name of a setting.
	Place string `json:"place,omitempty"`
	Text  string `json:"text"` // one line

	A *Seen `json:"a,omitempty"` // nil if only B has it
	B *Seen `json:"b,omitempty"`

	// Changes are the places where it differs. MoreChanges says that there are
	// more, or that there was too much to compare place by place.
	Changes     []Edit `json:"changes,omitempty"`
	MoreChanges bool   `json:"moreChanges,omitempty"`

	// Origin says whether it follows from a difference before it; From lists
	// those that it follows from directly, Roots the ones without a cause of
	// their own where that began. Link says what the connection rests on.
	Origin Origin   `json:"origin"`
	From   []int    `json:"from,omitempty"`
	Roots  []int    `json:"roots,omitempty"`
	Link   Evidence `json:"link,omitempty"`
}

// Seen is what one recording has of a difference.
type Seen struct {
	Event     int    `json:"event"`
	Iteration int    `json:"iteration,omitempty"`
	Kind      string `json:"kind"` // of the event
	Call      string `json:"call,omitempty"`
	Tool      string `json:"tool,omitempty"`
	Arguments string `json:"arguments,omitempty"` // of the call, shortened
	Skill     string `json:"skill,omitempty"`     // of a body and of a move
	Model     string `json:"model,omitempty"`     // of a reply
	Text      string `json:"text"`                // one line, as the story tells it
	Events    int    `json:"events,omitempty"`    // how many events it is, if more than one
}

// Origin says where a difference comes from.
type Origin string

const (
	FirstOne    Origin = "first"
	Caused      Origin = "caused"      // the first difference reaches it
	Independent Origin = "independent" // it has a root of its own
)

// A Class is a kind of difference.
type Class string

// The classes of what differs by itself.
const (
	Configuration Class = "configuration"
	InMap         Class = "map"
	ToolSchema    Class = "tool schema"
	ToolMissing   Class = "tool missing" // only one of the runs has the tool
	ToolResult    Class = "tool result"  // of the same call
	ModelOutput   Class = "model output" // on an identical request: the model, not us
	ModelFailure  Class = "model failure"
	Person        Class = "person" // the message, or an answer to a question
	Scores        Class = "scores" // on an identical query
	Stop          Class = "stop"
	AtLimit       Class = "limit"
	Process       Class = "process" // another one took over
	Walk          Class = "walk"    // equal facts led elsewhere
	Cut           Class = "cut"     // one recording ends there
)

// The classes of what follows.
const (
	Conversation Class = "conversation" // what a turn begins with
	ToStart      Class = "start"
	ToMove       Class = "move"
	Request      Class = "request"
	Reply        Class = "reply" // to another request
	OfCall       Class = "call"  // what became of a call
	Steps        Class = "steps" // that only one of them has
	AtEnd        Class = "end"
)

// Compare finds the first difference of two recordings, and what of the
// others follows from it. Turns are compared in order. Within a turn the model
// calls are aligned, so that one more of them does not make all that follows
// differ. Compare(b, a) is Compare(a, b) with the sides swapped.
func Compare(a, b *recording.Recording) *Comparison {
	x, y := newCompared(a), newCompared(b)
	turned := compareSides(x, y) > 0 // what is found must not depend on which is named first
	if turned {
		x, y = y, x
	}
	c := newComparing(x, y)
	r := &Comparison{}
	switch {
	case len(x.turns) == 0 || len(y.turns) == 0:
		r.NotFound = &NotFound{Kind: NotRecorded, Reason: say("no turn to compare")}
	default:
		c.compare()
	}
	if c.list != nil {
		r.First, r.Then = &c.list[0], c.list[1:]
	}
	r.Same = r.NotFound == nil && c.list == nil
	r.A, r.B = x.compared(), y.compared()
	r.Answers = answersOf(x.r, y.r)
	r.Notes = notesOf(x, y)
	if c.full {
		r.Unsearched = say("too many differences", "n", itoa(len(c.list)))
	} else if c.loose {
		r.Unsearched = say("not aligned")
	}
	if turned {
		r.mirror()
	}
	for _, d := range r.all() {
		d.Text = d.sentence()
	}
	return r
}

// all are the differences, the first one too.
func (r *Comparison) all() (list []*Difference) {
	if r.First != nil {
		list = append(list, r.First)
	}
	for i := range r.Then {
		list = append(list, &r.Then[i])
	}
	return list
}

// mirror makes it the comparison of B with A.
func (r *Comparison) mirror() {
	r.A, r.B = r.B, r.A
	r.Answers.A, r.Answers.B = r.Answers.B, r.Answers.A
	for i := range r.Answers.Words {
		s := &r.Answers.Words[i]
		s.A, s.B = s.B, s.A
	}
	for i := range r.Notes {
		n := &r.Notes[i]
		n.A, n.B = n.B, n.A
	}
	for _, d := range r.all() {
		d.A, d.B = d.B, d.A
		for i := range d.Changes {
			d.Changes[i].mirror()
		}
	}
}

func (s *compared) compared() Compared {
	return Compared{Run: s.r.Run, Turns: len(s.turns), Events: len(s.r.Events), Changed: s.t.changed(), Incomplete: incomplete(s.r)}
}

func answersOf(a, b *recording.Recording) Answers {
	r := Answers{A: a.Answer(), B: b.Answer()}
	if r.Same = r.A == r.B; !r.Same {
		r.Words = compareWords(strings.ToValidUTF8(r.A, "\uFFFD"), strings.ToValidUTF8(r.B, "\uFFFD"))
	}
	return r
}

// notesOf lists what is chance, or cost.
func notesOf(a, b *compared) (list []Noted) {
	x, y := costOf(a), costOf(b)
	add := func(what, a, b string) {
		if a != b {
			list = append(list, Noted{what, a, b})
		}
	}
	add("model", listed(x.models), listed(y.models))
	add("input tokens", itoa(x.input), itoa(y.input))
	add("output tokens", itoa(x.output), itoa(y.output))
	add("failed attempts", itoa(x.attempts), itoa(y.attempts))
	add("too late", itoa(x.late), itoa(y.late))
	add("time", x.time.String(), y.time.String())
	return list
}

// A cost is what a run took.
type cost struct {
	models                        []string
	input, output, attempts, late int
	time                          time.Duration
}

func costOf(s *compared) (c cost) {
	seen := map[string]bool{}
	for i := range s.r.Events {
		switch b := s.r.Events[i].Body.(type) {
		case *event.Replied:
			c.input += b.Usage.Input
			c.output += b.Usage.Output
			c.attempts += len(b.Attempts)
			if b.Model != "" && !seen[b.Model] {
				seen[b.Model] = true
				c.models = append(c.models, line(b.Model))
			}
		case *event.Failed:
			c.attempts += len(b.Attempts)
		case *event.Stopped:
			c.attempts += len(b.Attempts)
		case *event.Late:
			c.late++
		}
	}
	if n := len(s.r.Events); n > 0 {
		c.time = s.r.Events[n-1].Time.Sub(s.r.Events[0].Time).Round(100 * time.Millisecond)
	}
	return c
}

// sentence tells a difference in a line.
func (d *Difference) sentence() string {
	a, b, at := "", "", ""
	if d.A != nil {
		a = clip(d.A.Text, 100)
	}
	if d.B != nil {
		b = clip(d.B.Text, 100)
	}
	if len(d.Changes) > 0 {
		c := &d.Changes[0]
		at = cmp.Or(d.Place, c.place())
		if a, b = clip(c.A, 60), clip(c.B, 60); strings.HasPrefix(c.Path, "line ") || c.Path == string(model.Text) {
			a, b = quote(c.A, 60), quote(c.B, 60)
		}
		if near := c.near(); near != nil {
			a, b = quote(near[0], 60), quote(near[1], 60)
		}
		if c.PathB != "" && c.Kind == Changed {
			return say("difference changed", "what", d.what(), "at", "", "a", line(c.Path)+" "+a, "b", line(c.PathB)+" "+b)
		}
		switch c.Kind {
		case Added:
			return say("difference added", "what", d.what(), "at", atPlace(at), "value", b)
		case Removed:
			return say("difference removed", "what", d.what(), "at", atPlace(at), "value", a)
		}
		return say("difference changed", "what", d.what(), "at", atPlace(at), "a", a, "b", b)
	}
	switch {
	case d.A == nil:
		return say("difference added", "what", d.what(), "at", atPlace(d.Place), "value", b)
	case d.B == nil:
		return say("difference removed", "what", d.what(), "at", atPlace(d.Place), "value", a)
	}
	return say("difference told", "what", d.what(), "at", atPlace(d.Place), "a", a, "b", b)
}

func atPlace(place string) string {
	if place == "" {
		return ""
	}
	return " at " + clip(place, 80)
}

// near are the words that differ first, with what stands around them. It is nil
// of texts that are short, or have little in common.
func (c *Edit) near() []string {
	shared := 0
	for _, s := range c.Words {
		shared += len(s.Both)
	}
	if max(len(c.A), len(c.B)) <= 60 || 2*shared < min(len(c.A), len(c.B)) {
		return nil
	}
	for i, s := range c.Words {
		if s.Both != "" {
			continue
		}
		var before, after string
		if i > 0 {
			before = c.Words[i-1].Both
			if r := []rune(before); len(r) > 20 {
				before = "…" + string(r[len(r)-19:])
			}
		}
		if i+1 < len(c.Words) {
			after = c.Words[i+1].Both
		}
		return []string{before + s.A + after, before + s.B + after}
	}
	return nil
}

// what names the thing that differs.
func (d *Difference) what() string {
	seen := d.B
	if d.A != nil {
		seen = d.A
	}
	name := "what " + string(d.Class)
	call := line(seen.Call)
	if d.A != nil && d.B != nil && d.A.Call != d.B.Call {
		call += "/" + line(d.B.Call)
	}
	return say(name, "call", call, "tool", line(seen.Tool), "iteration", itoa(seen.Iteration))
}

// mark tells where a difference comes from.
func (d *Difference) mark() string {
	const most = 4
	from := make([]string, 0, most)
	for _, n := range d.From[:min(len(d.From), most)] {
		from = append(from, itoa(n))
	}
	if more := len(d.From) - most; more > 0 {
		from = append(from, "and "+itoa(more)+" more")
	}
	switch {
	case d.From != nil && d.Origin == Caused:
		return say("from", "from", strings.Join(from, ", "), "link", string(d.Link))
	case d.From != nil:
		return say("from another", "from", strings.Join(from, ", "), "link", string(d.Link))
	case d.Link == Assumed:
		return say("independent as far")
	}
	return say("independent")
}

const maxTold = 20 // differences on a page, and changes of one

func (r *Comparison) String() string {
	var p page
	switch {
	case r.NotFound != nil:
		p.notFound(0, r.NotFound)
	case r.Same:
		p.put(0, say("same", "events", counted(r.A.Events, "event")))
	default:
		r.told(&p)
	}
	var notes []string
	if r.Unsearched != "" {
		notes = append(notes, r.Unsearched)
	}
	for _, side := range []struct {
		name string
		c    *Compared
	}{{"A", &r.A}, {"B", &r.B}} {
		for _, note := range []string{side.c.Changed, side.c.Incomplete} {
			if note != "" {
				notes = append(notes, side.name+": "+note)
			}
		}
	}
	p.footnotes(notes...)
	return p.String()
}

func (r *Comparison) told(p *page) {
	d := r.First
	p.hang(0, 2, say("first", "class", d.Class.words(), "difference", d.Text, "evidence", string(d.Evidence)))
	p.WriteByte('\n')
	p.put(2, "A is "+line(r.A.Run))
	p.put(2, "B is "+line(r.B.Run))
	p.sides(2, d)
	p.changes(2, d)
	if len(r.Then) > 0 {
		p.WriteByte('\n')
		p.put(0, "What differs after it:")
		for i := range r.Then[:min(len(r.Then), maxTold)] {
			d := &r.Then[i]
			p.hang(2, 7, fmt.Sprintf("%3d  turn %d: %s (%s)", d.Number, d.Turn, d.Text, d.mark()))
		}
		if more := len(r.Then) - maxTold; more > 0 {
			p.put(7, say("more differences", "n", itoa(more)))
		}
	}
	p.WriteByte('\n')
	if r.Answers.Same {
		p.put(0, say("answers same", "answer", quote(r.Answers.A, 200)))
	} else {
		p.put(0, "The answers differ:")
		p.hang(2, 5, "A  "+quote(r.Answers.A, 300))
		p.hang(2, 5, "B  "+quote(r.Answers.B, 300))
	}
	for _, n := range r.Notes {
		p.hang(2, 4, say("noted", "what", n.What, "a", n.A, "b", n.B))
	}
}

// sides shows what each recording has of a difference.
func (p *page) sides(indent int, d *Difference) {
	if d.A != nil && d.B != nil && d.A.Text == d.B.Text {
		return // the difference is in what is not told of it
	}
	for _, side := range []struct {
		name, other string
		seen        *Seen
	}{{"A", "B", d.A}, {"B", "A", d.B}} {
		if side.seen == nil {
			continue
		}
		text := fmt.Sprintf("%s event %-4d %s", side.name, side.seen.Event, clip(side.seen.Text, 300))
		if side.seen.Events > 0 {
			text += " (" + say("events alone", "n", itoa(side.seen.Events), "other", side.other) + ")"
		}
		p.hang(indent, indent+13, text)
	}
}

// changes shows where a difference is, place by place.
func (p *page) changes(indent int, d *Difference) {
	for i := range d.Changes[:min(len(d.Changes), maxTold)] {
		c := &d.Changes[i]
		at := line(c.Path)
		if c.PathB != "" {
			at += ", in B " + line(c.PathB)
		}
		switch c.Kind {
		case Added:
			p.hang(indent, indent+2, at+", only in B: "+clip(c.B, 200))
		case Removed:
			p.hang(indent, indent+2, at+", only in A: "+clip(c.A, 200))
		default:
			p.hang(indent, indent+2, at+": "+clip(c.A, 200)+" against "+clip(c.B, 200))
		}
	}
	if more := len(d.Changes) - maxTold; more > 0 || d.MoreChanges {
		p.put(indent, say("more changes"))
	}
}

// words names a class in a sentence.
func (c Class) words() string {
	switch c {
	case Configuration, InMap, Scores:
		return "in the " + string(c)
	case ToolMissing:
		return "a tool that is missing"
	case Person:
		return "by a person"
	case Process:
		return "another process"
	case Walk:
		return "the walk itself"
	case Cut:
		return "a recording that was cut"
	}
	return "a " + string(c)
}
