package draw

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spoorhq/spoor"
)

// Mermaid draws a graph as a flowchart in the language of Mermaid. If w is not
// nil, it draws what that walk did as well: where it was is filled, where it
// stands has a double border, the edges that it took are thick, those whose
// guard stayed shut end in a cross, and the jumps that nothing declares are
// dotted and end in a circle; numbers say how often.
//
// Mermaid itself makes a picture of no more than 500 edges and 50,000
// characters, unless maxEdges and maxTextSize of its configuration allow it.
func Mermaid(g *spoor.Graph, w *Walk) string {
	d := newDrawing(g, w)
	b := new(strings.Builder)
	b.WriteString("flowchart TB\n")
	if d.starts {
		b.WriteString("    start([\"start\"])\n")
	}
	var open, visited, here []string
	for i, n := range d.nodes {
		name := mermaidName(i)
		if n.here {
			here = append(here, name)
		} else if n.times > 0 {
			visited = append(visited, name)
		}
		if n.open {
			open = append(open, n.mermaid(name))
		} else {
			fmt.Fprintf(b, "    %s\n", n.mermaid(name))
		}
	}
	if open != nil {
		b.WriteString("    subgraph open[\"read from anywhere\"]\n")
		for _, line := range open {
			fmt.Fprintf(b, "        %s\n", line)
		}
		b.WriteString("    end\n")
	}
	var thick, crossed, dotted []string
	for i, a := range d.arrows {
		number := strconv.Itoa(i)
		switch {
		case a.jump:
			dotted = append(dotted, number)
		case a.times > 0:
			thick = append(thick, number)
		case a.closed > 0:
			crossed = append(crossed, number)
		}
		fmt.Fprintf(b, "    %s\n", a.mermaid())
	}
	style := func(statement string, names []string, style string) {
		if names != nil {
			fmt.Fprintf(b, statement, strings.Join(names, ","), style)
		}
	}
	const class = "    class %s %s\n"
	if visited != nil {
		b.WriteString("    classDef visited fill:#d0ebff,stroke:#1864ab,stroke-width:2px,color:#000\n")
		style(class, visited, "visited")
	}
	if here != nil {
		b.WriteString("    classDef here fill:#a5d8ff,stroke:#1864ab,stroke-width:4px,color:#000\n")
		style(class, here, "here")
	}
	const link = "    linkStyle %s %s\n"
	style(link, thick, "stroke:#1c7ed6,stroke-width:3px")
	style(link, crossed, "stroke:#e03131")
	style(link, dotted, "stroke:#1c7ed6,stroke-width:2px,stroke-dasharray:2")
	return b.String()
}

func mermaidName(i int) string {
	if i == start {
		return "start"
	}
	return "n" + strconv.Itoa(i)
}

func (n node) mermaid(name string) string {
	text := mermaidText(join(" ", n.label, counts(n.times, 0)))
	switch {
	case n.kind == spoor.NodeDecision:
		return name + `{"` + text + `"}`
	case n.here:
		return name + `[["` + text + `"]]`
	}
	return name + `["` + text + `"]`
}

func (a arrow) mermaid() string {
	line := "-->"
	switch {
	case a.jump:
		line = "-.-o"
	case a.model:
		line = "-.->"
	case a.times > 0:
		line = "==>"
	case a.closed > 0:
		line = "--x"
	}
	if text := join(" ", a.label, counts(a.times, a.closed)); text != "" {
		line += `|"` + mermaidText(text) + `"|`
	}
	return mermaidName(a.from) + " " + line + " " + mermaidName(a.to)
}
