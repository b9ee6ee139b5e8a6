package explain

import (
	"cmp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"

	"github.com/spoorhq/spoor/internal/value"
)

// A group is a list of values of one piece of which a sum or a ratio may mean
// something: an array of numbers, a column of an array of objects, the numbers
// of one object, of one line, or of one column of a table.
type group struct {
	values []int  // of the index
	at     Range  // of the piece
	name   string // of the field that has the values, if it is one
	count  int    // of the elements of an array, which has no values here
	node   int32  // of that array
}

// derived is a way to compute a value of the answer.
type derived struct{ finding }

// derive lists ways to compute value k of an answer from one group, those of
// the parts that its sentence has words of first.
func (q *inquiry) derive(k int) []derived {
	if list, ok := q.derived[k]; ok {
		return list
	}
	const most = 4
	var list []derived
	v := q.look.values[k]
	q.derived[k] = nil
	if !isNumber(v.Kind) || q.most > 0 {
		return nil
	}
	_, number := q.sentence(v.Start)
	done := make([]bool, len(q.ix.pieces))
	words := q.wordsOf(number)
	var named, lists []operands // of numbers
	parts, near := q.likely(v.Start)
	for n, i := range parts {
		s := &q.shown[i]
		if s.piece < 0 || done[s.piece] || s.kind == FromTool || s.kind == FromMenu {
			continue
		}
		done[s.piece] = true
		if n < near || len(s.data) <= 1<<14 {
			if d, ok := q.countedRows(v, i, number); ok {
				list = append(list, d)
			}
		}
		groups := q.ix.groupsOf(s.piece)
		for j := range groups {
			g := &groups[j]
			if d, ok := q.counted(v, i, *g, number); ok && len(list) < most {
				list = append(list, d)
			}
			switch {
			case len(g.values) < 2:
			case g.name != "" && within(wordsIn(g.name), words):
				named = append(named, operands{i, g})
			default:
				lists = append(lists, operands{i, g})
			}
		}
	}
	if !v.Common {
		list = q.computed(k, list, most, named, lists)
	}
	q.derived[k] = list
	return list
}

// within reports whether all words are among others.
func within(words, others map[string]bool) bool {
	for w := range words {
		if !others[w] {
			return false
		}
	}
	return true
}

// Operands are a group of a part that was shown.
type operands struct {
	shown int
	*group
}

// computed adds to a list the ways to compute value k from whole groups, those
// under a name that the sentence has first, and then from two or three values.
func (q *inquiry) computed(k int, list []derived, most int, named, others []operands) []derived {
	v := q.look.values[k]
	tried := chance{room: specific(v)}
	all := slices.Concat(named, others)
	try := func(at, tries int) {
		l := all[at]
		s := &q.shown[l.shown]
		values := make([]value.Value, len(l.values))
		for j, at := range l.values {
			values[j] = q.ix.values[at].Value
		}
		ways, whole := value.Derive(v, values, tries)
		if tries > 0 && !whole {
			q.untried[k] = true
		}
		for _, w := range ways {
			if w.Op == value.Count || w.Loose || !fits(v, w, values) {
				continue
			}
			d := derived{finding{hit: hit{shown: l.shown, Range: l.at, how: DerivedOf, as: value.Equal}, rule: rule(w, values)}}
			for _, j := range w.Of[:min(len(w.Of), maxOperands)] {
				d.from = append(d.from, q.valuePlace(s, &q.ix.values[l.values[j]]))
			}
			list = append(list, d)
			return // the simplest of this group
		}
	}
	for at, l := range all {
		if len(list) >= most || at >= len(named) && !tried.whole() {
			break
		}
		if q.sums -= len(l.values); q.sums < 0 {
			q.untried[k] = true
			break
		}
		try(at, 0)
	}
	if len(list) > 0 {
		return list // what is simpler
	}
	for at, l := range all {
		n := len(l.values)
		if len(list) >= most {
			break
		} else if !tried.some(n) {
			continue
		}
		if q.tries -= min(n*n, mostTries); q.tries < 0 {
			q.untried[k] = true
			break
		}
		try(at, mostTries)
	}
	return list
}

// A chance says how likely it is that a value is met by chance: by how many
// numbers it has been compared with, out of all that are as long as it is.
type chance struct {
	room        float64
	alls, somes float64 // numbers made of whole lists, and of two or three values
}

// whole reports whether what one more whole list makes may mean something.
func (c *chance) whole() bool {
	c.alls += 4 // sum, mean, least, most
	return 4*c.alls < c.room
}

// some reports it of two or three values of a list.
func (c *chance) some(n int) bool {
	f := float64(n)
	if more := 6*f*f + f*f*f/6; c.somes+more < c.room {
		c.somes += more
		return true
	}
	return false
}

// specific is how many numbers are as long as that of a value.
func specific(v value.Value) float64 {
	n := 1.0
	for _, c := range strings.TrimLeft(strings.ReplaceAll(v.Num.String(), ".", ""), "-0") {
		if '0' <= c && c <= '9' {
			n *= 10
		}
	}
	return n
}

// fits reports whether a computation may be of what the value is: of what is
// short only exactly, and of an amount or a time from mere numbers only if it is
// long, too.
func fits(v value.Value, d value.Derivation, list []value.Value) bool {
	if v.Unit != "" && v.Unit != "%" && !slices.ContainsFunc(d.Of, func(i int) bool { return list[i].Unit != "" }) {
		return d.Exact && specific(v) >= 1000
	}
	return d.Exact || v.Unit == "%" || specific(v) >= 1000
}

const (
	maxSums   = 1 << 20 // values of whole lists that are added, for an answer
	mostTries = 1 << 16 // combinations of the values of one list
)

// maxOperands bounds how many places of a sum are listed.
const maxOperands = 64

// counted says that an array has as many elements as the answer tells, if its
// sentence speaks of them.
func (q *inquiry) counted(v value.Value, i int, g group, sentence int) (d derived, ok bool) {
	if g.count == 0 || v.Kind != value.Number && v.Kind != value.Quantity || v.Num.String() != strconv.Itoa(g.count) {
		return d, false
	}
	s := &q.shown[i]
	words, any := q.wordsOf(sentence), false
	for w := range wordsIn(s.json.name(&s.json.nodes[g.node])) {
		if !words[w] {
			return d, false
		}
		any = true
	}
	if !any {
		return d, false
	}
	path := s.json.path(&s.json.nodes[g.node])
	d.finding = finding{hit: hit{shown: i, Range: g.at, how: DerivedOf, as: value.Equal}, rule: say("count", "n", itoa(g.count), "path", path)}
	d.from = []Place{{Path: path, Range: g.at, Text: q.shown[i].data[g.at.Start:g.at.End]}}
	return d, true
}

// onlyID reports whether a hit is an id, and the answer says how many: 4 ports are
// not port 4.
func (q *inquiry) onlyID(h hit, at Range) bool {
	if q.shown[h.shown].kind != FromResult || !q.counts(at) && !strings.HasPrefix(q.answer[at.End:], " of the") {
		return false
	}
	g := q.grid(gridOf{h.shown, false})
	if g == nil {
		return false
	}
	i := g.at(h.Range)
	return i >= 0 && g.shapes[g.shape[i]].id
}

// Kindred are how many rows of a list have the same text under one name, which the
// answer has as well; without a name it is how many rows there are.
type kindred struct {
	list        int32 // the node that has the rows
	name, text  string
	cells       []int32
	truth, rows bool
}

// countedRows says that a list has as many rows of a kind as the answer tells, if
// its sentence says what kind: 2 builds failed.
func (q *inquiry) countedRows(v value.Value, i, sentence int) (d derived, ok bool) {
	if v.Kind != value.Number && v.Kind != value.Quantity || !v.Num.Whole() || v.Num.Sign() <= 0 || q.shown[i].kind != FromResult {
		return d, false
	}
	words := q.wordsOf(sentence)
	said := func(text string) bool {
		any := false
		for w := range wordsIn(text) {
			if !words[w] {
				return false
			}
			any = true
		}
		return any
	}
	g := q.grid(gridOf{i, false})
	for _, t := range q.kindred(i) {
		n := itoa(len(t.cells))
		if v.Num.String() != n {
			continue
		}
		rule := ""
		switch {
		case t.rows && slices.ContainsFunc(g.near, said):
			rule = say("count rows", "n", n)
		case t.truth && said(t.name):
			rule = say("count cells", "n", n, "name", line(t.name), "text", "true")
		case !t.rows && !t.truth && said(t.text):
			rule = say("count cells", "n", n, "name", line(t.name), "text", line(t.text))
		default:
			continue
		}
		over := &g.nodes[t.list]
		d.finding = finding{hit: hit{shown: i, Range: Range{over.start, over.end}, how: DerivedOf, as: value.Equal}, rule: rule}
		for _, c := range t.cells[:min(len(t.cells), maxOperands)] {
			n := &g.nodes[c]
			d.from = append(d.from, Place{Path: g.path(n), Range: g.content(n), Text: g.plain(n)})
		}
		return d, true
	}
	return d, false
}

// kindred are those of a piece, made once.
func (q *inquiry) kindred(i int) []kindred {
	w := q.rowed()
	if list, ok := w.kindred[i]; ok {
		return list
	}
	if w.kindred == nil {
		w.kindred = map[int][]kindred{}
	}
	w.kindred[i] = nil
	g := q.grid(gridOf{i, false})
	if g == nil || !q.step(len(g.nodes)) {
		return nil
	}
	type key struct {
		list       int32
		name, text string
	}
	at := map[key]int{}
	var list []kindred
	var room []word
	put := func(k key, cell int, t kindred) {
		n, ok := at[k]
		if !ok {
			if len(list) == maxGroups {
				return
			}
			n = len(list)
			at[k] = n
			t.list, t.name, t.text = k.list, k.name, k.text
			list = append(list, t)
		}
		list[n].cells = append(list[n].cells, int32(cell))
	}
	for c := range g.nodes {
		n := &g.nodes[c]
		if n.parent < 0 {
			continue
		}
		up := &g.nodes[n.parent]
		if n.container && (g.table && n.parent == 0 || !g.table && up.parent < 0 && g.list(n.parent)) {
			put(key{list: int32(n.parent)}, c, kindred{rows: true})
		}
		if n.container || n.key < 0 || up.parent < 0 || !g.table && !g.list(up.parent) {
			continue
		}
		text := g.plain(n)
		if text == "true" && !n.quoted {
			put(key{int32(up.parent), g.name(n), text}, c, kindred{truth: true})
			continue
		}
		if !n.quoted || len(text) > maxFill || strings.IndexFunc(text, unicode.IsLetter) < 0 {
			continue
		}
		var id int32
		if id, room = w.said.find(text, room); id < 0 {
			id, room = w.said.find(text+"s", room)
		}
		if id >= 0 {
			put(key{int32(up.parent), g.name(n), folded(text)}, c, kindred{})
		}
	}
	w.kindred[i] = list
	return list
}

// A likeliest is what likely says of a sentence.
type likeliest struct {
	list []int
	near int
}

// likely are the parts in the order in which they are tried: those that the
// sentence has words of, so many, then the others, the last one first.
func (q *inquiry) likely(at int) (list []int, near int) {
	sentence, number := q.sentence(at)
	if known, ok := q.first[number]; ok {
		return known.list, known.near
	}
	seen := make([]bool, len(q.shown))
	for _, r := range q.runs[sort.Search(len(q.runs), func(i int) bool { return q.runs[i].Start >= sentence.Start }):] {
		if r.End > sentence.End {
			break
		}
		for _, s := range q.look.sites(r) {
			for _, i := range q.at[s.piece] {
				if !seen[i] {
					seen[i] = true
					list = append(list, i)
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b int) int {
		return cmp.Compare(len(q.shown[a].data)/4096, len(q.shown[b].data)/4096) // what is small is quick
	})
	near = len(list)
	for i := range slices.Backward(q.shown) {
		if !seen[i] {
			list = append(list, i)
		}
	}
	q.first[number] = likeliest{list, near}
	return list, near
}

func (q *inquiry) valuePlace(s *shown, v *indexed) Place {
	p := Place{Range: v.Range, Text: s.data[v.Range.Start:v.Range.End]}
	if s.json != nil && v.node >= 0 {
		p.Path = s.json.path(&s.json.nodes[v.node])
	}
	return p
}

func isNumber(k value.Kind) bool {
	switch k {
	case value.Number, value.Percent, value.Amount, value.Quantity, value.Duration:
		return true
	}
	return false
}

// rule tells a derivation.
func rule(d value.Derivation, list []value.Value) string {
	const most = 8
	is := either(d.Exact, " = ", " ≈ ") + d.Result
	var of []string
	for _, i := range d.Of[:min(len(d.Of), most)] {
		of = append(of, line(list[i].Text()))
	}
	more := ""
	if n := len(d.Of) - len(of); n > 0 {
		more = " and " + itoa(n) + " more"
	}
	switch {
	case d.Op == value.Sum:
		return strings.Join(of, " + ") + either(more != "", " +", "") + more + is
	case d.Op == value.Difference && len(of) == 2:
		return of[0] + " - " + of[1] + is
	case d.Op == value.Ratio && len(of) == 2:
		return of[0] + " / " + of[1] + is
	case d.Op == value.Share && len(of) == 2:
		return of[0] + " / " + of[1] + is + " %"
	case d.Op == value.Change && len(of) == 2:
		return "(" + of[1] + " - " + of[0] + ") / " + of[0] + is + " %"
	}
	return d.Op.String() + " of " + strings.Join(of, ", ") + more + is
}

// groupsOf are the groups of a piece, found when they are first asked for.
func (ix *corpus) groupsOf(p int) []group {
	n := &ix.pieces[p]
	if !n.tried {
		n.tried = true
		if n.json != nil {
			n.groups = ix.jsonGroups(n)
		} else {
			n.groups = ix.lineGroups(n)
		}
	}
	return n.groups
}

// Bounds of the groups of a piece.
const (
	maxGroups = 1 << 14
	maxColumn = 64 // names on the way from an element down to a value of its column
)

func (ix *corpus) jsonGroups(p *piece) []group {
	d := p.json
	type key struct {
		node int
		path string
	}
	var list []group
	at := map[key]int{}
	put := func(k key, node *node, i int, name string) {
		g, ok := at[k]
		if !ok {
			if len(list) == maxGroups {
				return
			}
			g = len(list)
			at[k] = g
			list = append(list, group{at: Range{node.start, node.end}, name: name})
		}
		list[g].values = append(list[g].values, i)
	}
	for i := p.values[0]; i < p.values[1]; i++ {
		v := &ix.values[i]
		n := &d.nodes[v.node]
		if v.Range.Start < n.start || !isNumber(v.Kind) {
			continue // a key, or nothing to compute with
		}
		if v.Range != n.inner && len(d.plain(n)) > v.Value.End-v.Value.Start+8 { // in a text
			put(key{v.node, "text"}, n, i, "")
			continue
		}
		if n.parent < 0 {
			continue
		}
		up := &d.nodes[n.parent]
		if n.key < 0 {
			put(key{n.parent, ""}, up, i, d.name(up))
			continue
		}
		if wordsIn(d.name(n))["id"] {
			continue
		}
		put(key{n.parent, ""}, up, i, "")
		// Up to the elements of the arrays around it, and to the members of an object
		// of objects.
		path := "." + d.name(n)
		for levels, steps, m := 0, 0, up; m.parent >= 0 && levels < 2 && steps < maxColumn; steps, m = steps+1, &d.nodes[m.parent] {
			over := &d.nodes[m.parent]
			switch {
			case m.inside:
				path = "→" + path
				continue
			case m.key < 0:
				path = "[*]" + path
				levels++
			case m == up && over.container:
				path, levels = ".*"+path, levels+1
			default:
				path = "." + d.name(m) + path
				continue
			}
			put(key{m.parent, path}, over, i, d.name(n))
		}
	}
	counts := map[int]int{}
	for i := range d.nodes {
		if n := &d.nodes[i]; n.parent >= 0 && n.key < 0 && !n.inside {
			counts[n.parent]++
		}
	}
	for i := range d.nodes {
		if n := counts[i]; n > 0 && len(list) < 2*maxGroups {
			over := &d.nodes[i]
			list = append(list, group{at: Range{over.start, over.end}, count: n, node: int32(i)})
		}
	}
	return list
}

func (ix *corpus) lineGroups(p *piece) []group {
	var list []group
	var rows [][]int // of the lines that follow each other with as many values each
	begin, end := 0, 0
	flush := func() {
		if len(rows) > 1 && len(list) < maxGroups {
			for c := range rows[0] {
				g := group{at: Range{begin, end}}
				for _, row := range rows {
					g.values = append(g.values, row[c])
				}
				list = append(list, g)
			}
		}
		rows = nil
	}
	i, at := p.values[0], 0
	for text := range strings.Lines(p.data) {
		var row []int
		for ; i < p.values[1] && ix.values[i].Range.Start < at+len(text); i++ {
			if isNumber(ix.values[i].Kind) {
				row = append(row, i)
			}
		}
		r := Range{at, at + len(strings.TrimRight(text, "\r\n"))}
		at += len(text)
		if len(row) > 1 && len(list) < maxGroups {
			list = append(list, group{values: row, at: r})
		}
		if rows != nil && len(rows[0]) != len(row) || len(row) == 0 {
			flush()
		}
		if len(row) > 0 {
			if rows == nil {
				begin = r.Start
			}
			rows, end = append(rows, row), r.End
		}
	}
	flush()
	return list
}
