package draw

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spoorhq/spoor"
)

// Columns after which a label of DOT is broken. Graphviz breaks none itself.
const (
	nodeWidth = 24
	edgeWidth = 22
)

// DOT draws a graph in the language of Graphviz. Descriptions and whole
// conditions are its tooltips. If w is not nil, it draws what that walk did as
// well: where it was is filled, where it stands has a double border, the edges
// that it took are thick, those whose guard stayed shut end in a bar, and the
// jumps that nothing declares are dotted and end in a circle; numbers say how
// often.
func DOT(g *spoor.Graph, w *Walk) string {
	d := newDrawing(g, w)
	b := new(strings.Builder)
	b.WriteString(`digraph spoor {
	graph [rankdir=TB, nodesep=0.35, ranksep=0.55, pad=0.2, fontname="Helvetica,Arial,sans-serif", fontsize=10, fontcolor="#495057"]
	node [shape=box, style="rounded,filled", fillcolor="#f8f9fa", color="#868e96", fontname="Helvetica,Arial,sans-serif", fontsize=11, margin="0.15,0.07", height=0.4]
	edge [color="#868e96", fontcolor="#343a40", fontname="Helvetica,Arial,sans-serif", fontsize=9, arrowsize=0.7]
`)
	if d.starts {
		b.WriteString(`	start [label="", shape=circle, style=filled, fillcolor="#343a40", color="#343a40", height=0.18, fixedsize=true, tooltip="a turn starts here"]` + "\n")
	}
	open := false
	for i, n := range d.nodes {
		if n.open {
			open = true
			continue
		}
		fmt.Fprintf(b, "\t%s\n", n.dot(i))
	}
	if open {
		b.WriteString("\tsubgraph cluster_open {\n\t\tgraph [label=\"read from anywhere\", style=\"rounded,dashed\", color=\"#868e96\"]\n")
		for i, n := range d.nodes {
			if n.open {
				fmt.Fprintf(b, "\t\t%s\n", n.dot(i))
			}
		}
		b.WriteString("\t}\n")
	}
	for _, a := range d.arrows {
		fmt.Fprintf(b, "\t%s\n", a.dot())
	}
	b.WriteString("}\n")
	return b.String()
}

// attributes are those of one node or edge, in the order in which they are set.
type attributes []string

// set adds an attribute whose value is a word of ours.
func (a *attributes) set(key, value string) { *a = append(*a, key+"="+value) }

// text adds an attribute whose value is a text, escaped.
func (a *attributes) text(key, value string) { a.set(key, `"`+value+`"`) }

func (a attributes) String() string {
	return " [" + strings.Join(a, ", ") + "]"
}

func dotName(i int) string {
	if i == start {
		return "start"
	}
	return "n" + strconv.Itoa(i)
}

func (n node) dot(i int) string {
	var a attributes
	a.text("label", dotText(join("\n", wrap(n.label, nodeWidth), counts(n.times, 0))))
	a.text("tooltip", dotTip(n.about))
	if n.kind == spoor.NodeDecision {
		a.set("shape", "diamond")
		a.set("style", "filled")
		a.set("margin", `"0.02,0.02"`)
	}
	switch {
	case n.here:
		a.set("fillcolor", `"#a5d8ff"`)
		a.set("color", `"#1864ab"`)
		a.set("penwidth", "2")
		a.set("peripheries", "2")
	case n.times > 0:
		a.set("fillcolor", `"#d0ebff"`)
		a.set("color", `"#1864ab"`)
		a.set("penwidth", "2")
	}
	return dotName(i) + a.String()
}

func (e arrow) dot() string {
	var a attributes
	if label := join("\n", wrap(e.label, edgeWidth), counts(e.times, e.closed)); label != "" {
		key := "label"
		if e.aside {
			key = "xlabel"
		}
		a.text(key, dotText(" "+strings.ReplaceAll(label, "\n", " \n ")+" ")) // not close to the line
		a.text("labeltooltip", dotTip(e.about))
	}
	a.text("tooltip", dotTip(e.about))
	switch {
	case e.aside:
		// Graphviz 2.43 writes beyond its memory if such an edge has a label of
		// its own, or if any edge has one and no constraint.
		a.set("style", "dotted")
		a.set("arrowhead", "odot")
		a.set("constraint", "false")
	case e.jump:
		a.set("style", "dotted")
		a.set("arrowhead", "odot")
		a.set("weight", "0") // it may be long and bent; the map keeps its shape
	case e.model:
		a.set("style", "dashed")
	}
	switch {
	case e.times > 0:
		a.set("color", `"#1864ab"`)
		a.set("fontcolor", `"#1864ab"`)
		a.set("penwidth", "2.5")
	case e.closed > 0:
		a.set("color", `"#c92a2a"`)
		a.set("fontcolor", `"#c92a2a"`)
		a.set("arrowhead", "tee")
	}
	return dotName(e.from) + " -> " + dotName(e.to) + a.String()
}
