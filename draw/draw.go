// Package draw writes a graph as text that other programs make a picture of:
// a flowchart for Mermaid, or a graph for Graphviz.
//
// What is declared is drawn: every node and every edge of the graph once, in
// their order, each under the name that its author gave it or else under its
// condition. What a recorded walk did can be laid over it, and changes nothing
// of that.
//
// Names and conditions are written by people and models, so no text of a map
// reaches the drawing but as a label: the nodes are called n0, n1, …, and in a
// label nothing stands that either language would read. A label is one line of
// at most 80 characters; what does not print is U+FFFD in it.
package draw

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/match"
)

// A drawing is a graph made ready to be written. Its texts are plain, and not
// yet escaped.
type drawing struct {
	nodes  []node
	at     map[name]int // in nodes
	arrows []arrow      // those of the graph, then the jumps of the walk
	starts bool         // some arrow comes from where a turn starts
}

type node struct {
	label string
	about string // what there is to tell besides
	kind  spoor.NodeKind
	open  bool // read from anywhere
	times int  // how often the walk was there
	here  bool // it stands there at the end
}

type arrow struct {
	from, to int // nodes; from is start where a turn starts
	label    string
	about    string
	model    bool // only the model takes it
	jump     bool // not declared
	aside    bool // a jump from or to what is read from anywhere
	times    int  // how often the walk took it
	closed   int  // how often its guard stayed shut
}

const start = -1

// Lengths of texts in characters.
const (
	most      = 80
	mostAbout = 1000
)

// A name is what the graph calls a node. A tree may have a skill that is
// called like one of its decisions.
type name struct {
	kind spoor.NodeKind
	id   string
}

func newDrawing(g *spoor.Graph, w *Walk) *drawing {
	d := &drawing{at: map[name]int{}}
	for i, n := range g.Nodes() {
		d.at[name{n.Kind, n.ID}] = i
		d.nodes = append(d.nodes, newNode(g, n))
	}
	edges := g.Edges()
	if g.Map().Tree != nil {
		d.branches(edges)
	} else {
		d.ways(g, edges)
	}
	if w != nil {
		d.lay(g, edges, w)
	}
	return d
}

// ways adds the edges of a flat map: its entries, then its steps.
func (d *drawing) ways(g *spoor.Graph, edges []spoor.Edge) {
	entries := len(g.Starts())
	for i, e := range edges {
		a := arrow{from: start, to: d.at[name{spoor.NodeSkill, e.To}], label: label(e)}
		if i < entries {
			d.starts = true
			a.about = entryAbout(g, e)
		} else {
			a.from = d.at[name{spoor.NodeSkill, e.From}]
			a.model = e.Kind == spoor.EdgeModel
			a.about = stepAbout(e.Ref, g.Map().Steps[i-entries])
		}
		d.arrows = append(d.arrows, a)
	}
}

// branches adds the edges of a tree, which are in preorder: an edge leads to a
// decision if the next one leads on to its first side.
func (d *drawing) branches(edges []spoor.Edge) {
	d.starts = true
	for i, e := range edges {
		to := name{spoor.NodeSkill, e.To}
		if i+1 < len(edges) && edges[i+1].Ref == e.Ref.Key("whenTrue") {
			to.kind = spoor.NodeDecision
		}
		a := arrow{from: start, to: d.at[to], label: label(e), about: "in each iteration anew"}
		if e.From != "" {
			a.from, a.about = d.at[name{spoor.NodeDecision, e.From}], a.label
		}
		d.arrows = append(d.arrows, a)
	}
}

func newNode(g *spoor.Graph, n spoor.Node) node {
	made := node{label: plain(n.Label, most), about: plain(n.Label, mostAbout), kind: n.Kind}
	if n.Kind == spoor.NodeDecision {
		made.about = plain(n.When, mostAbout)
		if blank(n.Label) || n.Label == "decide" && n.When != "" {
			made.label = plain(n.When, most)
		}
		return made
	}
	made.open = g.Open(n.ID)
	if s := g.Skill(n.ID); !blank(s.Description) {
		made.about = plain(s.Description, mostAbout)
	}
	return made
}

// label is what stands at an edge: the words of its author, or its condition.
func label(e spoor.Edge) string {
	switch {
	case !blank(e.Label):
		return plain(e.Label, most)
	case !e.Match.IsZero():
		return plain(e.Match.Caption(), most)
	case e.Guard != nil:
		return plain("when "+e.Guard.Caption(), most)
	case !blank(e.When):
		return plain(e.When, most)
	}
	return ""
}

// entryAbout is the condition of an entry whole, or else what chooses it, with
// its address.
func entryAbout(g *spoor.Graph, e spoor.Edge) string {
	text := e.When
	if !e.Match.IsZero() {
		text = whole(e.Match)
	}
	start := g.Map().Start
	switch selects := g.Selection(); {
	case selects == spoor.SelectModel && text != "":
		text += "; not asked, since the model picks from the menu"
	case selects == spoor.SelectModel:
		text = "the model picks it from the menu"
	case text != "":
	case selects == spoor.SelectScorer:
		text = "ranked by " + start.ScoredBy
	case selects == spoor.SelectClassify:
		text = "in the menu where " + start.Classify + " finds nothing"
	default:
		text = "unconditional"
	}
	return plain(string(e.Ref)+": "+text, mostAbout)
}

// stepAbout is all that a step waits for, with its address.
func stepAbout(ref spoor.Ref, s spoor.Step) string {
	text := string(ref) + ":"
	if s.OnToolReturn != "" || s.OnToolStatus != nil {
		text += " on"
	}
	if s.OnToolReturn != "" {
		text += " " + string(s.OnToolReturn) // a pattern is /source/flags
	}
	for i, status := range s.OnToolStatus {
		if i == 0 {
			text += " status="
		} else {
			text += "|"
		}
		text += string(status)
	}
	if s.Guard != nil {
		text += " when " + s.Guard.Caption()
	}
	if s.When != "" {
		text += " " + s.When
	}
	if s.Bare() {
		text += " the model may choose it"
	}
	return plain(text, mostAbout)
}

// whole is the caption of a matcher without anything left out.
func whole(m match.Match) string {
	switch {
	case m.Keywords != nil:
		return strings.Join(m.Keywords, ", ")
	case m.All != nil:
		parts := make([]string, len(m.All))
		for i, p := range m.All {
			parts[i] = whole(p)
		}
		return strings.Join(parts, " AND ")
	case m.Intent != nil:
		return "intent: " + *m.Intent
	}
	return m.Caption()
}

// lay lays a walk over the drawing.
func (d *drawing) lay(g *spoor.Graph, edges []spoor.Edge, w *Walk) {
	tree := g.Map().Tree != nil
	for i, e := range edges {
		a := &d.arrows[i]
		a.times, a.closed = w.Taken[e.Ref], w.Closed[e.Ref]
		if tree {
			to := &d.nodes[a.to]
			to.times += a.times
			to.here = to.here || w.Leaf == e.Ref
		}
	}
	if tree {
		return // a walk in it stands nowhere, and jumps nowhere
	}
	skill := func(id string) (i int, ok bool) {
		i, ok = d.at[name{spoor.NodeSkill, id}]
		return i, ok
	}
	for id, times := range w.Visits {
		if i, ok := skill(id); ok {
			d.nodes[i].times = times
		}
	}
	if i, ok := skill(w.At); ok {
		d.nodes[i].here = true
	}
	for _, j := range w.Jumps {
		if i := followed(g, edges, j); i >= 0 {
			d.arrows[i].times += j.Times
			continue
		}
		from, fromOK := skill(j.From)
		if j.From == "" {
			from, fromOK = start, true
		}
		to, toOK := skill(j.To)
		if !fromOK || !toOK {
			continue
		}
		d.starts = d.starts || from == start
		d.arrows = append(d.arrows, arrow{
			from: from, to: to, label: plain(string(j.By), most), about: "no edge declares this move",
			jump: true, aside: d.nodes[to].open || from != start && d.nodes[from].open, times: j.Times,
		})
	}
}

// followed finds the edge that leaves a jump to the model, the first one of
// several; -1 if there is none. A model that chooses from the menu of the start
// follows an entry: the one that is asked to answer only where it stands
// nowhere, and the decider wherever the conversation stood.
func followed(g *spoor.Graph, edges []spoor.Edge, j Jump) int {
	return slices.IndexFunc(edges, func(e spoor.Edge) bool {
		switch {
		case e.To != j.To:
		case e.Kind == spoor.EdgeModel:
			return j.By == spoor.ByPick && e.From == j.From
		case e.Kind == spoor.EdgeEntry && (j.By == spoor.ByDecider || j.By == spoor.ByPick && j.From == ""):
			return offered(g, e)
		}
		return false
	})
}

// offered reports whether a menu of the start has an entry, whatever the
// message: one with a condition of its own may be there although it does not
// hold, and is then not followed.
func offered(g *spoor.Graph, e spoor.Edge) bool {
	switch g.Selection() {
	case spoor.SelectModel:
		return true
	case spoor.SelectClassify, spoor.SelectScorer:
		return e.Match.Intent != nil || e.Match.IsZero() && blank(e.When)
	}
	return false
}

// counts says how often the walk came there, and how often a guard kept it
// out; it is empty if neither ever was.
func counts(times, closed int) string {
	var came, kept string
	if times > 0 {
		came = fmt.Sprintf("×%d", times)
	}
	if closed > 0 {
		kept = fmt.Sprintf("(shut ×%d)", closed)
	}
	return join(" ", came, kept)
}

// join puts texts behind each other, if there are any.
func join(sep string, texts ...string) string {
	var there []string
	for _, t := range texts {
		if t != "" {
			there = append(there, t)
		}
	}
	return strings.Join(there, sep)
}
