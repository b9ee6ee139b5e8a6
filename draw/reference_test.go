package draw_test

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/draw"
	"github.com/spoorhq/spoor/match"
)

// A picture is what a person sees in a drawing, whoever read it: these tests,
// or the parser of a program that draws. Nodes are in the order of their names.
type picture struct {
	Nodes []box
	Edges []line
}

type box struct {
	Name, Text string
	Shape      string // start, box or diamond
	Open       bool
	Mark       string // visited or here
}

type line struct {
	From, To, Text string
	Style          string // solid, dashed or jump
	Mark           string // taken or shut
}

// A reference is a picture that is being made from a map alone, without the
// help of Graph.Nodes and Graph.Edges.
type reference struct {
	w     *draw.Walk
	names map[string]string
	nodes []box
	times []int // of nodes
	edges []*edge
}

type edge struct {
	from, to, label string
	ref             spoor.Ref
	bare            bool
	menu            bool // a menu of the start has it, whatever the message
	jump            bool
	times, closed   int
}

// declared is the picture of a map, with what a walk did.
func declared(g *spoor.Graph, w *draw.Walk) picture {
	if w == nil {
		w = new(draw.Walk)
	}
	r := &reference{w: w, names: map[string]string{"": "start"}}
	if m := g.Map(); m.Tree != nil {
		r.tree(m.Tree, "tree", "start", "")
	} else {
		r.flat(g)
	}
	var p picture
	for i, n := range r.nodes {
		n.Text = times(n.Text, r.times[i])
		p.Nodes = append(p.Nodes, n)
	}
	for _, e := range r.edges {
		l := line{From: e.from, To: e.to, Text: times(e.label, e.times), Style: "solid"}
		if e.closed > 0 {
			l.Mark = "shut"
			l.Text = strings.TrimPrefix(l.Text+" ("+times("shut", e.closed)+")", " ")
		}
		if e.times > 0 {
			l.Mark = "taken"
		}
		if e.bare {
			l.Style = "dashed"
		}
		if e.jump {
			l.Style = "jump"
		}
		p.Edges = append(p.Edges, l)
	}
	if slices.ContainsFunc(p.Edges, func(l line) bool { return l.From == "start" }) {
		p.Nodes = append(p.Nodes, box{Name: "start", Shape: "start"})
	}
	p.sort()
	return p
}

func (r *reference) flat(g *spoor.Graph) {
	m := g.Map()
	for i, s := range m.Skills {
		n := box{Name: fmt.Sprint("n", i), Text: shown(s.ID), Shape: "box", Open: true}
		wired := func(ids ...string) {
			if slices.Contains(ids, s.ID) {
				n.Open = false
			}
		}
		wired(m.Start.Use)
		for _, rule := range m.Start.Rules {
			wired(rule.Use)
		}
		for _, entry := range m.Start.Entries {
			wired(entry.Use)
		}
		for _, step := range m.Steps {
			wired(step.To)
		}
		if r.w.Visits[s.ID] > 0 {
			n.Mark = "visited"
		}
		if r.w.At == s.ID {
			n.Mark = "here"
		}
		r.names[s.ID] = n.Name
		r.nodes, r.times = append(r.nodes, n), append(r.times, r.w.Visits[s.ID])
	}
	if m.Start.Use != "" {
		r.edge(edge{to: m.Start.Use, ref: "start.use"})
	}
	for i, rule := range m.Start.Rules {
		r.edge(edge{to: rule.Use, label: first(rule.Label, caption(rule.Match), rule.When),
			ref: spoor.Ref(fmt.Sprintf("start.rules[%d]", i)), menu: m.Start.Classify != "" && (rule.Match.Intent != nil || rule.Match.IsZero() && rule.When == "")})
	}
	for i, entry := range m.Start.Entries {
		r.edge(edge{to: entry.Use, label: first(entry.Label, caption(entry.Match), entry.When),
			ref: spoor.Ref(fmt.Sprintf("start.entries[%d]", i)), menu: m.Start.ScoredBy == "" || entry.Match.IsZero() && entry.When == ""})
	}
	for i, s := range m.Steps {
		guard, declared := "", ""
		if s.Guard != nil {
			guard = "when " + s.Guard.Caption()
		}
		if s.Label == "" && (s.OnToolReturn != "" || s.OnToolStatus != nil) {
			declared = "on"
			if source, _, ok := s.OnToolReturn.Pattern(); ok {
				declared += " /" + source + "/"
			} else if s.OnToolReturn != "" {
				declared += " " + string(s.OnToolReturn)
			}
			if s.OnToolStatus != nil {
				declared += " status=" + strings.Trim(strings.ReplaceAll(fmt.Sprint(s.OnToolStatus), " ", "|"), "[]")
			}
			if guard != "" {
				declared += " " + guard
			}
		}
		r.edge(edge{from: s.From, to: s.To, label: first(s.Label, declared, guard, s.When), bare: s.Bare(),
			ref: spoor.Ref(fmt.Sprintf("steps[%d]", i))})
	}
	for _, j := range r.w.Jumps {
		from, to := r.names[j.From], r.names[j.To]
		var may []*edge
		for _, e := range r.edges {
			picked := j.By == spoor.ByPick && e.from == from && (e.bare || e.menu)
			if !e.jump && e.to == to && (picked || j.By == spoor.ByDecider && e.menu) {
				may = append(may, e)
			}
		}
		switch {
		case len(may) > 0:
			may[0].times += j.Times
		case from == "" || to == "" || j.To == "": // the map has no such place
		default:
			r.edges = append(r.edges, &edge{from: from, to: to, label: shown(string(j.By)), jump: true, times: j.Times})
		}
	}
}

// edge adds one that leads from a skill, or from the start, to another.
func (r *reference) edge(e edge) {
	e.from, e.to = r.names[e.from], r.names[e.to]
	e.times, e.closed = r.w.Taken[e.ref], r.w.Closed[e.ref]
	r.edges = append(r.edges, &e)
}

func (r *reference) tree(t *spoor.Tree, ref spoor.Ref, from, side string) {
	name, ok := r.names[t.Skill]
	if t.Skill == "" || !ok {
		name = fmt.Sprint("n", len(r.nodes))
		n := box{Name: name, Text: shown(t.Skill), Shape: "box"}
		if t.Skill == "" {
			n.Shape, n.Text = "diamond", first(t.Label)
			if n.Text == "" || t.Label == "decide" {
				n.Text = shown(t.When)
			}
		} else {
			r.names[t.Skill] = name
		}
		r.nodes, r.times = append(r.nodes, n), append(r.times, 0)
	}
	e := &edge{from: from, to: name, label: side, ref: ref, times: r.w.Taken[ref], closed: r.w.Closed[ref]}
	r.edges = append(r.edges, e)
	at := slices.IndexFunc(r.nodes, func(n box) bool { return n.Name == name })
	r.times[at] += e.times
	if e.times > 0 && r.nodes[at].Mark == "" {
		r.nodes[at].Mark = "visited"
	}
	if ref == r.w.Leaf {
		r.nodes[at].Mark = "here"
	}
	if t.Skill == "" {
		r.tree(t.WhenTrue, ref+".whenTrue", name, "yes")
		r.tree(t.WhenFalse, ref+".whenFalse", name, "no")
	}
}

// shown is what a person reads of a text.
func shown(s string) string {
	line := []rune(strings.Join(strings.Fields(s), " "))
	for i, r := range line {
		if !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S) && r != ' ' && r != 0x200c && r != 0x200d {
			line[i] = 0xfffd
		}
	}
	if len(line) > 80 {
		line = append(line[:79], '…')
	}
	if len(line) == 0 && s != "" {
		return `" "`
	}
	return string(line)
}

// first is what is shown of the first text that is not blank.
func first(texts ...string) string {
	for _, s := range texts {
		if strings.TrimSpace(s) != "" {
			return shown(s)
		}
	}
	return ""
}

// caption is that of a matcher as it is compiled, with its flags in order.
func caption(m match.Match) string {
	if m.IsZero() {
		return ""
	}
	c, _ := match.Compile(m)
	return c.Data().Caption()
}

func times(text string, n int) string {
	if n > 0 {
		text = strings.TrimPrefix(text+" ×"+strconv.Itoa(n), " ")
	}
	return text
}

func (p *picture) sort() {
	slices.SortFunc(p.Nodes, func(a, b box) int {
		return cmp.Or(len(a.Name)-len(b.Name), strings.Compare(a.Name, b.Name))
	})
}

// The lines of a drawing. In a label stands nothing that could end it, and
// nothing that Mermaid, Graphviz or Markdown could read in it.
const (
	name      = `(start|n\d+)`
	inMermaid = `"((?:[A-Za-z0-9]+(?:[-._][A-Za-z0-9]+)*|[ ,'()/?!=+]|#\d+;|#quot;|[^\x00-\x7f\p{C}\p{Z}ﬂ¶]|[\x{200c}\x{200d}])+)"`
	inDOT     = `"((?:[^"\\&\p{C}\p{Zl}\p{Zp}]|\\\\|\\"|\\n|&amp;|[\x{200c}\x{200d}])*)"`
)

var (
	mermaidNode = regexp.MustCompile(`^(?:    |        )(n\d+)(\[|\[\[|\{)` + inMermaid + `(\]|\]\]|\})$`)
	mermaidEdge = regexp.MustCompile(`^    ` + name + ` (-->|-\.->|==>|--x|-\.-o)(?:\|` + inMermaid + `\|)? (n\d+)$`)
	mermaidLook = regexp.MustCompile(`^    (?:classDef (?:visited|here) [a-z0-9#,:-]+|class ([n0-9,]+) (visited|here)|linkStyle ([0-9,]+) ([a-z0-9#,:-]+))$`)

	dotNode  = regexp.MustCompile(`^\t{1,2}(n\d+) \[label=` + inDOT + `, tooltip=` + inDOT + `((?:, [a-z]+=(?:[a-z0-9.]+|"[#a-f0-9.,]+"))*)\]$`)
	dotEdge  = regexp.MustCompile(`^\t` + name + ` -> (n\d+) \[(?:x?label=` + inDOT + `, labeltooltip=` + inDOT + `, )?tooltip=` + inDOT + `((?:, [a-z]+=(?:[a-z0-9.]+|"[#a-f0-9]+"))*)\]$`)
	dotStart = regexp.MustCompile(`^\tstart \[label="", shape=circle, .*\]$`)
)

// readMermaid reads a drawing for Mermaid, line by line. That Mermaid reads it
// in the same way is for another test.
func readMermaid(t testing.TB, text string) (p picture) {
	t.Helper()
	lines := strings.SplitAfter(text, "\n")
	if lines[0] != "flowchart TB\n" {
		t.Fatalf("the first line is %q", lines[0])
	}
	open, thick := false, map[string]bool{}
	for _, l := range lines[1 : len(lines)-1] {
		l = strings.TrimSuffix(l, "\n")
		switch {
		case l == `    start(["start"])`:
			p.Nodes = append(p.Nodes, box{Name: "start", Shape: "start"})
		case l == `    subgraph open["read from anywhere"]` && !open:
			open = true
		case l == "    end" && open:
			open = false
		case mermaidNode.MatchString(l):
			m := mermaidNode.FindStringSubmatch(l)
			n := box{Name: m[1], Text: unescape(t, m[3]), Shape: "box", Open: open}
			switch m[2] + m[4] {
			case "{}":
				n.Shape = "diamond"
			case "[[]]":
				n.Mark = "here"
			case "[]":
			default:
				t.Errorf("line %q", l)
			}
			p.Nodes = append(p.Nodes, n)
		case mermaidEdge.MatchString(l):
			m := mermaidEdge.FindStringSubmatch(l)
			e := line{From: m[1], To: m[4], Text: unescape(t, m[3])}
			e.Style, e.Mark = mermaidLine(m[2])
			p.Edges = append(p.Edges, e)
		case mermaidLook.MatchString(l):
			m := mermaidLook.FindStringSubmatch(l)
			for name := range strings.SplitSeq(m[1], ",") {
				if i := slices.IndexFunc(p.Nodes, func(n box) bool { return n.Name == name }); i >= 0 {
					p.Nodes[i].Mark = m[2]
				}
			}
			for number := range strings.SplitSeq(m[3], ",") {
				thick[number] = strings.Contains(m[4], "#1c7ed6")
			}
		default:
			t.Errorf("line %q is of no kind", l)
		}
	}
	for i := range p.Edges {
		if thick[strconv.Itoa(i)] {
			p.Edges[i].Mark = "taken"
		}
	}
	p.sort()
	return p
}

func mermaidLine(arrow string) (style, mark string) {
	switch arrow {
	case "==>":
		return "solid", "taken"
	case "--x":
		return "solid", "shut"
	case "-.->":
		return "dashed", ""
	case "-.-o":
		return "jump", ""
	}
	return "solid", ""
}

var numbers = regexp.MustCompile(`#(\d+|quot);`)

// unescape reads the inside of a label of Mermaid.
func unescape(t testing.TB, label string) string {
	return numbers.ReplaceAllStringFunc(label, func(s string) string {
		if s == "#quot;" {
			return `"`
		}
		n, err := strconv.Atoi(s[1 : len(s)-1])
		if err != nil {
			t.Error(err)
		}
		return string(rune(n))
	})
}

// readDOT reads a drawing for Graphviz, line by line.
func readDOT(t testing.TB, text string) (p picture) {
	t.Helper()
	lines := strings.SplitAfter(text, "\n")
	if len(lines) < 6 || lines[0] != "digraph spoor {\n" || lines[len(lines)-2] != "}\n" || !strings.HasPrefix(lines[1], "\tgraph [") ||
		!strings.HasPrefix(lines[2], "\tnode [") || !strings.HasPrefix(lines[3], "\tedge [") {
		t.Fatalf("this is no graph of ours:\n%s", text)
	}
	open := false
	for _, l := range lines[4 : len(lines)-2] {
		l = strings.TrimSuffix(l, "\n")
		switch {
		case dotStart.MatchString(l):
			p.Nodes = append(p.Nodes, box{Name: "start", Shape: "start"})
		case l == "\tsubgraph cluster_open {" && !open:
			open = true
		case strings.HasPrefix(l, "\t\tgraph [label=\"read from anywhere\", ") && open:
		case l == "\t}" && open:
			open = false
		case dotNode.MatchString(l):
			m := dotNode.FindStringSubmatch(l)
			n := box{Name: m[1], Text: undot(m[2]), Shape: "box", Open: open}
			if strings.Contains(m[4], "shape=diamond") {
				n.Shape = "diamond"
			}
			if strings.Contains(m[4], "peripheries=2") {
				n.Mark = "here"
			} else if strings.Contains(m[4], "penwidth=2") {
				n.Mark = "visited"
			}
			p.Nodes = append(p.Nodes, n)
		case dotEdge.MatchString(l):
			m := dotEdge.FindStringSubmatch(l)
			p.Edges = append(p.Edges, line{From: m[1], To: m[2], Text: undot(m[3]), Style: dotStyle(m[6]), Mark: dotMark(m[6])})
		default:
			t.Errorf("line %q is of no kind", l)
		}
	}
	p.sort()
	return p
}

func dotStyle(attributes string) string {
	switch {
	case strings.Contains(attributes, "style=dashed"):
		return "dashed"
	case strings.Contains(attributes, "style=dotted"):
		return "jump"
	}
	return "solid"
}

func dotMark(attributes string) string {
	switch {
	case strings.Contains(attributes, "penwidth=2.5"):
		return "taken"
	case strings.Contains(attributes, "arrowhead=tee"):
		return "shut"
	}
	return ""
}

// undot reads the inside of a string of DOT, and its lines as one.
func undot(s string) string {
	return oneLine(strings.NewReplacer(`\\`, `\`, `\"`, `"`, `&amp;`, `&`, `\n`, "\n").Replace(s))
}

// oneLine joins the lines of a label.
func oneLine(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSpace(l)
	}
	return strings.Join(lines, " ")
}
