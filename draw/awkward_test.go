package draw_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/draw"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
)

// awkward are texts that mean something to Mermaid, to Graphviz, to Markdown,
// to HTML or to a terminal, or that are hard to show.
var awkward = []string{
	"end", "graph", "subgraph", "class", "style", "click", "default", "linkStyle", "classDef", "flowchart", "start", "open", "n0", "d0",
	"node", "edge", "digraph", "strict", "cluster_open", "o--x", "x", "o", "v", "io profile", "fraud.check", "Ünïcode", "日本語", "שלום עולם",
	`a"b`, "<script>", "<script>alert(1)</script>", "`md`", "#35;", "#quot;", "&#35;", "&amp;", "&lt;b&gt;", "%%{init}%%",
	"%%{init: {'theme': 'dark'}}%%", "%% comment", "---", "--> n1", "n0 --> n1", "a\nb", "a\r\nb", "\ttab\t", "a\x00b", "\x1b[31mred", "\x7f", "\u0085",
	"\u2028", "|", "a|b", "]", `"]`, `"];`, `"| n1`, "[", "[[", "((", "))", "{", "}", "{{", "(((", "[/", `/]`, "\\", `\`, `\N`, `\G`, `\n`, `\l`, `\"`, `\\"`, `x\`,
	"<", ">", "<br/>", "<b>", "<i x=\"y\">", "</table>", "😀", "👩‍👩‍👧", "🏳️‍🌈", "\u202eevil", "a\u200bb", "\ufeff", "e\u0301", "\u0301", "Z̷͎̈́", " ", "  ", "\n", "\u00a0",
	"style a:b#c;", "classDef x fill:#fff;", "class n0 here", "click n0 call alert()", "direction LR", "redirection TB", "direction\nRL",
	"accTitle: x", "accDescr { x }", "1. one", "12) twelve", "- a", "+ a", "* a", "# a", "> a", "===", "___", "**bold**", "_em_", "~~s~~", "snake_case", "__init__",
	"[a](b)", "![a](b)", "http://a.b", "www.a.bc", "WWW.a.bc", "a@b.cd", "$$x$$", "fa:fa-car", "ﬂ°°35¶ß", "ﬂ", "¶", "ß", ";", "a;b", ":::here", "@{shape: x}", "n0@{ shape: rect }",
	"&", "a & b", "'", "''", "×3", "shut ×1", "no", "yes", "decide", "undefined", "null", "__proto", "constructor", "0", "-1", "1.5", "a,b", "=", "a=b", "^", "~~~", "...", "…",
	"a \"quoted\" word, and more", "when riskLevel ≥ high AND score ≥ 0.7", "\xff\xfe", "\U0010ffff", "\ufffd", "\ue000",
}

// A zoo makes maps and walks that are as awkward as may be, the same from the
// same seed.
type zoo struct{ *rand.Rand }

func newZoo(seed uint64) zoo { return zoo{rand.New(rand.NewPCG(seed, 7))} }

func (z zoo) chance(percent int) bool { return z.IntN(100) < percent }

// text is an awkward one, or several, or a long one.
func (z zoo) text() string {
	s := awkward[z.IntN(len(awkward))]
	switch z.IntN(10) {
	case 0, 1:
		s += awkward[z.IntN(len(awkward))]
	case 2:
		s += " " + awkward[z.IntN(len(awkward))] + " " + awkward[z.IntN(len(awkward))]
	case 3:
		s = strings.Repeat(s+strings.Repeat(" ", z.IntN(2)), 1+z.IntN(60))
	case 4:
		r := make([]rune, 1+z.IntN(12))
		for i := range r {
			r[i] = rune(z.IntN(0x250))
		}
		s = string(r)
	case 5:
		r := make([]byte, 1+z.IntN(30))
		for i := range r {
			r[i] = " !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~0a1b wW\n"[z.IntN(41)]
		}
		s = string(r)
	}
	return s
}

func (z zoo) label() string {
	if z.chance(50) {
		return ""
	}
	return z.text()
}

func (z zoo) skills() (skills []spoor.Skill, ids []string) {
	taken := map[string]bool{}
	for range 1 + z.IntN(9) {
		id := z.text()
		if id == "" || taken[id] {
			continue
		}
		taken[id] = true
		s := spoor.Skill{ID: id}
		if z.chance(50) {
			s.Description = z.text()
		}
		skills, ids = append(skills, s), append(ids, id)
	}
	return skills, ids
}

func (z zoo) guard() guard.Guard {
	var g guard.Guard
	for i := range 1 + z.IntN(3) {
		key := fmt.Sprint(z.text(), i)
		switch z.IntN(5) {
		case 0:
			g = append(g, guard.In(key, z.text(), z.Float64(), true, nil))
		case 1:
			g = append(g, guard.Gte(key, z.IntN(1000)))
		case 2:
			g = append(g, guard.NotIn(key, z.text()))
		default:
			g = append(g, guard.Eq(key, z.text()))
		}
	}
	return g
}

func (z zoo) match() match.Match {
	switch z.IntN(4) {
	case 0:
		return match.Regex([]string{`\b(refund|"x")\b`, `[|\]]`, "`|;#", `^\s*#?\d+$`, `%%\{init\}%%`, `[^<>]{2,}`, "direction LR"}[z.IntN(7)], []string{"", "i", "ims"}[z.IntN(3)])
	case 1:
		return match.All(match.Keywords("a"+z.text()), match.Regex("x|\"", ""))
	}
	words := make([]string, 1+z.IntN(5))
	for i := range words {
		words[i] = z.text() + "a"
	}
	return match.Keywords(words...)
}

// anything is a condition that a text of any kind stands for.
type anything struct{}

func (anything) Condition(string, bool) (spoor.Condition, error) {
	return func(spoor.Situation) (bool, error) { return true, nil }, nil
}

func (z zoo) flat() *spoor.Map {
	m := &spoor.Map{Name: z.text()}
	var ids []string
	m.Skills, ids = z.skills()
	if len(ids) == 0 {
		return m
	}
	id := func() string { return ids[z.IntN(len(ids))] }
	switch z.IntN(5) {
	case 0:
		m.Start.Use = id()
	case 1:
		for range 1 + z.IntN(4) {
			e := spoor.Entry{Use: id(), Label: z.label()}
			if z.chance(40) {
				e.Match = z.match()
			} else if z.chance(40) {
				e.When = z.text()
			}
			m.Start.Entries = append(m.Start.Entries, e)
		}
		if z.chance(50) {
			m.Start.ScoredBy = "keyword"
		}
	case 2, 3:
		if z.chance(50) {
			m.Start.Classify = "keyword"
		}
		for range 1 + z.IntN(5) {
			r := spoor.Rule{Use: id(), Label: z.label()}
			switch n := z.IntN(4); {
			case n == 0:
				r.When = z.text()
			case n == 1 && m.Start.Classify != "":
				r.Match = match.Intent("a"+z.text(), z.text()+"a")
			case n < 3:
				r.Match = z.match()
			}
			m.Start.Rules = append(m.Start.Rules, r)
		}
	}
	for range z.IntN(14) {
		s := spoor.Step{From: id(), To: id(), Label: z.label()}
		if z.chance(20) {
			s.When = z.text()
		} else if z.chance(80) {
			if z.chance(50) {
				s.OnToolReturn = spoor.ToolName(z.text())
			} else if z.chance(30) {
				s.OnToolReturn = spoor.ToolPattern(`^[|"<>]_`, "i")
			}
			if z.chance(30) {
				s.OnToolStatus = []spoor.Statuses{{spoor.Denied}, {spoor.Success, spoor.Partial}}[z.IntN(2)]
			}
			if z.chance(50) {
				s.Guard = z.guard()
			}
		}
		m.Steps = append(m.Steps, s)
	}
	return m
}

func (z zoo) tree() *spoor.Map {
	m := &spoor.Map{}
	skills, ids := z.skills()
	used := map[string]bool{}
	var grow func(depth int) *spoor.Tree
	grow = func(depth int) *spoor.Tree {
		if depth > 5 || z.chance(30) {
			id := ids[z.IntN(len(ids))]
			used[id] = true
			return &spoor.Tree{Skill: id}
		}
		return &spoor.Tree{When: z.text(), Label: z.label(), WhenTrue: grow(depth + 1), WhenFalse: grow(depth + 1)}
	}
	if len(ids) == 0 {
		return m
	}
	m.Tree = grow(0)
	for _, s := range skills {
		if used[s.ID] {
			m.Skills = append(m.Skills, s)
		}
	}
	return m
}

// graph makes maps until one is a graph: some texts are no tool, no keyword or
// no condition.
func (z zoo) graph(t testing.TB) *spoor.Graph {
	t.Helper()
	for range 1000 {
		m := z.flat()
		if z.chance(25) {
			m = z.tree()
		}
		if g, err := spoor.Compile(m, anything{}); err == nil && len(m.Skills) > 0 {
			return g
		}
	}
	t.Fatal("no map of the zoo is a graph")
	return nil
}

// moves are some that a graph could be said to have made, right and wrong.
func (z zoo) moves(g *spoor.Graph) (moves []spoor.Move) {
	edges := g.Edges()
	ids := []string{"", "nowhere"}
	for _, s := range g.Map().Skills {
		ids = append(ids, s.ID)
	}
	id := func() string { return ids[z.IntN(len(ids))] }
	causes := []spoor.Cause{spoor.ByEntry, spoor.ByIntent, spoor.ByContinuity, spoor.ByDecider, spoor.ByProposal, spoor.ByPick, spoor.ByPick, spoor.ByStay, "`x`|\"]"}
	for range z.IntN(12) {
		m := spoor.Move{From: id(), To: id(), By: causes[z.IntN(len(causes))]}
		if len(edges) > 0 && z.chance(60) {
			e := edges[z.IntN(len(edges))]
			switch {
			case g.Map().Tree != nil:
				m = spoor.Move{By: spoor.ByNone, Ref: e.Ref}
			case e.Kind != spoor.EdgeModel:
				m = spoor.Move{From: e.From, To: e.To, By: spoor.ByRoute, Ref: e.Ref}
			case z.chance(50):
				m = spoor.Move{From: e.From, To: e.To, By: spoor.ByPick}
			}
		} else if m.From == m.To {
			m.By = spoor.ByStay
		}
		for _, e := range edges {
			if e.From == m.From && e.Guard != nil && e.From != "" && z.chance(50) {
				m.Closed = append(m.Closed, spoor.Judgement{Ref: e.Ref, From: e.From, To: e.To})
			}
		}
		moves = append(moves, m)
	}
	return moves
}

func (z zoo) walk(g *spoor.Graph) *draw.Walk {
	if z.chance(30) {
		return nil
	}
	return draw.Of(z.moves(g))
}
