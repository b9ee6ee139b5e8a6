package explain

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/spoorhq/spoor/internal/value"
)

// A Place is a value, or the key of one, in what the model was shown.
type Place struct {
	// Path is that of the value, as in $.ports[1].n, and of a value in a table
	// its line and column, as in "line 3, errors".
	Path  string `json:"path,omitempty"`
	Range        // of the piece
	Text  string `json:"text"`

	// At is where the answer says it; empty if it does not.
	At Range `json:"at,omitzero"`

	// Key is set if it is the key of an object or of a column, and Argument if
	// it is of the arguments of the call and not of its result.
	Key      bool `json:"key,omitempty"`
	Argument bool `json:"argument,omitempty"`

	// Of a place in another piece than the one of which it is told.
	Event int    `json:"event,omitempty"`
	Call  string `json:"call,omitempty"`
	Tool  string `json:"tool,omitempty"`
}

// A Row is the JSON object, or the line of a table, in which a value stands
// beside what the sentence speaks of.
type Row struct {
	Path  string `json:"path,omitempty"`
	Range        // of the piece
	Field string `json:"field,omitempty"` // what the value is called there

	// Subject is what the value stands beside, nearest first: that of which the
	// sentence speaks, or in a wrong row that of which it does not.
	Subject []Place `json:"subject,omitempty"`

	// Wrong is set if the sentence speaks of something else. Spoken is what that
	// is, and Instead what the field says there; there may be no such row.
	Wrong   bool    `json:"wrong,omitempty"`
	Spoken  []Place `json:"spoken,omitempty"`
	Instead []Place `json:"instead,omitempty"`

	listed bool // it is one of several, and none of them is spoken of
}

// Bounds of rows. Where they are reached, the inquiry is cut.
const (
	maxSaid     = 1 << 16 // bytes of the answer that rows are looked for with
	maxID       = 64      // bytes of a name or an id
	maxIDWords  = 6       // words of it
	maxEntries  = 4096    // values of one piece that say the same
	maxBeside   = 8       // of one row
	maxAround   = 64      // objects and arrays around a value that are looked at
	maxRowSteps = 1 << 24
)

// A rowing is what rows, sentences and conflicts are found with. It is made
// when it is asked for first.
type rowing struct {
	cuts     []cut
	said     *said
	values   []value.Value // of the answer, in order
	grids    map[gridOf]*grid
	mentions map[*document]bool // whether the answer says any name or value of it
	talks    map[talkOf]*talk
	scopes   map[int]scopes // by sentence
	clauses  map[clauseOf]Range
	numbers  map[Range][]numbered  // by range of the answer
	parts    map[int]int           // what was shown, by its number in the request
	calls    map[int]string        // by the event of a result: its tool and arguments
	returned map[string][]returned // by the same
	tools    map[string][]gridOf   // by tool: the results, and arguments, of which the answer says something
	nearby   map[string][]string   // by tool: what its rows may be called
	results  map[string]int        // by tool: how many there are
	kindred  map[int][]kindred     // by what was shown
	known    map[string]bool       // the words of all that was shown
	judged   []Sentence
	steps    int
}

// Scopes say of what a sentence may speak that does not say so itself: leads
// do, and told may.
type scopes struct{ leads, told []Range }

type clauseOf struct {
	shown int
	shape int32
	at    Range
}

// A numbered thing is a number in the answer, with what stands before it.
type numbered struct {
	word
	noun string // in the singular
}

type gridOf struct {
	shown     int
	arguments bool
}

type talkOf struct {
	gridOf
	scope Range
}

// rowed makes what rows are found with.
func (q *inquiry) rowed() *rowing {
	w := &q.rowing
	if w.said == nil {
		text := q.answer
		if len(text) > maxSaid {
			q.cut, text = true, text[:maxSaid]
		}
		w.cuts, w.values = cutsOf(q.answer), value.Scan(text)
		w.said = newSaid(text, w.values)
		w.grids, w.talks = map[gridOf]*grid{}, map[talkOf]*talk{}
		w.scopes, w.clauses, w.numbers = map[int]scopes{}, map[clauseOf]Range{}, map[Range][]numbered{}
		w.parts, w.calls = map[int]int{}, map[int]string{}
		for i := range q.shown {
			if q.shown[i].number > 0 {
				w.parts[q.shown[i].number] = i
			}
		}
	}
	return w
}

// step counts what rows cost, and reports whether there is more to spend.
func (q *inquiry) step(n int) bool {
	if q.rowing.steps += n; q.rowing.steps > maxRowSteps {
		q.cut = true
		return false
	}
	return true
}

// row finds the row of a hit, for what a place of the answer says: it is the
// value there, or all of a sentence. It is nil if the piece has no rows, or if
// nothing of the row is spoken of.
func (q *inquiry) row(h hit, at Range) *Row {
	if q.shown[h.shown].kind != FromResult {
		return nil
	}
	w := q.rowed()
	r := rower{inquiry: q, shown: h.shown, g: q.grid(gridOf{h.shown, false}), args: q.grid(gridOf{h.shown, true}), at: at, cell: -1}
	if r.g == nil && r.args == nil {
		return nil
	}
	if r.g != nil {
		if r.cell = r.g.at(r.g.bare(h.Range)); r.cell < 0 {
			r.g = nil
		} else {
			r.onKey = h.End <= r.g.nodes[r.cell].start
		}
	}
	i := lastBefore(w.cuts, at.Start)
	if i < 0 || len(q.answer) > maxSaid && at.End > maxSaid {
		return nil
	}
	sentence := w.cuts[i].Range
	if !q.step(32) {
		return nil
	}
	scopes := []Range{sentence}
	if r.g != nil {
		key := clauseOf{h.shown, r.g.shape[r.cell], at}
		clause, ok := w.clauses[key]
		if !ok {
			clause = r.clause(sentence)
			w.clauses[key] = clause
		}
		scopes[0] = clause
	}
	about, ok := w.scopes[i]
	if !ok {
		about.leads, about.told = q.leads(i)
		w.scopes[i] = about
	}
	for _, scope := range append(scopes, about.leads...) {
		if row := r.find(scope, true); row != nil {
			return row
		}
	}
	for _, scope := range about.told {
		if row := r.find(scope, false); row != nil {
			return row
		}
	}
	for _, scope := range append([]Range{sentence}, about.leads...) {
		if row := r.named(scope); row != nil {
			return row
		}
	}
	return nil
}

// leads are the sentences that say of what sentence i speaks, where it does
// not: the heading, what a list is introduced with, and what "it" is. Told are those that may.
func (q *inquiry) leads(i int) (leads, told []Range) {
	const far = 200
	cuts := q.rowing.cuts
	c := cuts[i]
	text := func(i int) string { return q.answer[cuts[i].Start:cuts[i].End] }
	opens := func(i int) bool { return strings.HasSuffix(strings.TrimRight(text(i), "*_ "), ":") }
	if i == 0 || c.kind == headCut {
		return nil, nil
	}
	first := strings.ToLower(firstWord(text(i)[min(c.mark, len(text(i))):]))
	if c.kind == furtherCut && pronouns[first] || c.kind == plainCut && pronouns[first] && cuts[i-1].kind <= furtherCut {
		leads = append(leads, cuts[i-1].Range)
	}
	if c.kind == furtherCut {
		for k := i - 1; k >= max(0, i-3) && cuts[k+1].kind == furtherCut; k-- {
			told = append(told, cuts[k].Range)
		}
	}
	for k := i - 1; k >= max(0, i-far); k-- {
		switch {
		case cuts[k].kind == headCut:
			return append(leads, cuts[k].Range), told
		case cuts[k].kind == headerCut:
			if c.kind == rowCut {
				leads = append(leads, cuts[k].Range)
			}
		case cuts[k].kind == itemCut && opens(k) && c.kind == itemCut && q.indent(k) < q.indent(i),
			cuts[k].kind <= furtherCut && opens(k) && (c.kind == itemCut || c.kind == rowCut || k == i-1):
			leads = append(leads, cuts[k].Range)
			return leads, told
		case cuts[k].kind <= furtherCut && c.kind == itemCut && cuts[k+1].kind == itemCut:
			c.kind = plainCut // the list has no introduction
		}
	}
	return leads, told
}

var pronouns = set("it its this that they their he his she her there these those here")

func firstWord(text string) string {
	text = strings.TrimLeftFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if i := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }); i >= 0 {
		return text[:i]
	}
	return text
}

// indent is how far sentence i is from the start of its line.
func (q *inquiry) indent(i int) int {
	at := q.rowing.cuts[i].Start
	return at - 1 - strings.LastIndexByte(q.answer[:at], '\n')
}

// A rower finds the row of one value.
type rower struct {
	*inquiry
	shown int
	g     *grid // nil if the piece has no rows
	args  *grid // nil if it has no arguments
	cell  int
	onKey bool  // the hit is in the key of the cell
	at    Range // of the answer
}

// at is the smallest value around a range; of a key it is the value that has
// it, and -1 if there is none.
func (g *grid) at(r Range) int {
	i := sort.Search(len(g.nodes), func(i int) bool { return g.nodes[i].start > r.Start })
	if i < len(g.nodes) && g.nodes[i].key >= 0 && !g.table && g.nodes[i].key <= r.Start && r.End < g.nodes[i].start {
		return i
	}
	for i--; i >= 0 && g.nodes[i].end < r.End; {
		i = g.nodes[i].parent
	}
	return i
}

// bare is a range of JSON without the signs at its ends: the 12 of "12}".
func (g *grid) bare(r Range) Range {
	if g.table {
		return r
	}
	const signs = " \t\r\n{}[],:"
	s := g.text[r.Start:r.End]
	r.Start += len(s) - len(strings.TrimLeft(s, signs))
	r.End = r.Start + len(strings.Trim(s, signs))
	return r
}

// has reports whether a is b, or has it.
func (g *grid) has(a, b int32) bool {
	return g.nodes[a].start <= g.nodes[b].start && g.nodes[b].end <= g.nodes[a].end && a <= b
}

// clause is the part of a sentence that speaks of a value: in "port 3 has 12
// errors, and port 1 has 7" there are as many as ids and values that take turns.
func (r *rower) clause(sentence Range) Range {
	if r.at.Start <= sentence.Start && sentence.End <= r.at.End {
		return sentence
	}
	t := r.talk(gridOf{r.shown, false}, r.g, sentence)
	var ids []Range
	for c, n := r.cell, 0; c >= 0 && len(ids) < 2 && n < maxAround; c, n = r.g.nodes[c].parent, n+1 {
		ids = nil
		for _, tells := range []bool{true, false} {
			for _, m := range t.shape[r.g.shape[c]] {
				if int(m.node) != r.cell && m.sure && r.g.tells(m) == tells {
					ids = append(ids, m.at)
				}
			}
			if ids != nil {
				break // other words do not count where there are ids
			}
		}
		slices.SortFunc(ids, func(a, b Range) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) })
		ids = disjoint(ids)
	}
	if len(ids) < 2 || len(ids) > 64 {
		return sentence
	}
	var values []Range
	around := r.around(t, sentence)
	for _, v := range r.valuesIn(sentence) {
		if !slices.ContainsFunc(slices.Concat(ids, around), func(id Range) bool { return id.Start < v.End && v.Start < id.End }) {
			values = append(values, Range{v.Start, v.End})
		}
	}
	if len(values) != len(ids) {
		return sentence
	}
	mine := -1
	for i := range ids {
		if r.at.Start < values[i].End && values[i].Start < r.at.End {
			mine = i
		}
		if i > 0 && (ids[0].Start < values[0].Start) != (ids[i].Start < values[i].Start) {
			return sentence
		}
		if i > 0 && (ids[i].Start < values[i-1].Start || values[i].Start < ids[i-1].Start) {
			return sentence
		}
	}
	if mine < 0 {
		return sentence
	}
	return Range{min(ids[mine].Start, values[mine].Start), max(ids[mine].End, values[mine].End)}
}

// around lists where a sentence says what all the rows around a value are of: the switch, of
// its ports.
func (r *rower) around(t *talk, sentence Range) []Range {
	var list []Range
	record := r.g.record(r.cell)
	for _, m := range t.all {
		if m.sure && r.g.tells(m) && int(m.owner) != record && r.g.has(m.owner, int32(record)) && (m.at.End <= r.at.Start || r.at.End <= m.at.Start) {
			list = append(list, m.at)
		}
	}
	if r.args != nil {
		for _, m := range r.asked(sentence) {
			list = append(list, m.at)
		}
	}
	return list
}

// disjoint leaves of ranges that overlap the first: of Lena Fox, Lena and Fox one.
func disjoint(list []Range) []Range {
	kept := list[:0]
	for _, r := range list {
		if n := len(kept); n == 0 || r.Start >= kept[n-1].End {
			kept = append(kept, r)
		}
	}
	return kept
}

// own lists what of the row is spoken of in a scope, nearest first.
func (r *rower) own(t *talk) []mention {
	var own []mention
	for c, n := r.cell, 0; c >= 0 && n < maxAround; c, n = r.g.nodes[c].parent, n+1 {
		for _, m := range t.of[int32(c)] {
			if int(m.node) == r.cell && (m.kind < 0) == r.onKey || m.at.Start < r.at.End && r.at.Start < m.at.End && !r.whole() {
				continue
			}
			if m.sure && (!m.above || r.g.direct(r.cell, c)) {
				own = append(own, m)
			}
		}
	}
	return own
}

// whole reports whether the place of the answer is a sentence.
func (r *rower) whole() bool {
	i := lastBefore(r.rowing.cuts, r.at.Start)
	return i >= 0 && r.at.Start <= r.rowing.cuts[i].Start && r.rowing.cuts[i].End <= r.at.End
}

// find finds the row if a scope speaks of it, or of another one in its place.
func (r *rower) find(scope Range, accuse bool) *Row {
	var own, asked []mention
	var t *talk
	if r.g != nil {
		t = r.talk(gridOf{r.shown, false}, r.g, scope)
		own = r.own(t)
	}
	if r.args != nil {
		asked = r.asked(scope)
	}
	if accuse && r.g != nil {
		if row := r.rival(t, own, scope); row != nil {
			return row
		}
	}
	if accuse && len(asked) == 0 && !slices.ContainsFunc(own, func(m mention) bool { return r.g.tells(m) }) {
		if row := r.otherCall(scope); row != nil {
			return row
		}
		if row := r.otherID(scope); row != nil {
			return row
		}
	}
	if len(own) == 0 && len(asked) == 0 {
		return nil
	}
	row := &Row{Range: Range{0, len(r.inquiry.shown[r.shown].data)}}
	if r.g != nil {
		row = r.start(r.cell)
	}
	if len(own) > 0 {
		row = r.start(int(own[0].owner))
	}
	for _, m := range own {
		row.Subject = r.add(row.Subject, r.g.place(m, false))
	}
	for _, m := range asked {
		row.Subject = r.add(row.Subject, r.args.place(m, true))
	}
	if accuse && r.g != nil {
		if i := r.otherField(); i >= 0 {
			n := &r.g.nodes[i]
			row.Wrong = true
			row.Spoken = []Place{{Path: r.g.path(n), Range: r.g.keyRange(n), Text: r.g.name(n), Key: true}}
			row.Instead = []Place{{Path: r.g.path(n), Range: r.g.content(n), Text: r.g.plain(n)}}
		}
	}
	return row
}

// otherField is another field of the same row that the answer calls the value, where it
// does not call it what it is called there: errors, of packets in "77,000 errors". It is -1
// if there is none.
func (r *rower) otherField() int {
	const far = 64
	g := r.g
	n := &g.nodes[r.cell]
	called := singular(r.calledIn())
	if n.container || n.key < 0 || r.whole() || called == "" {
		return -1
	}
	has := func(name string) bool {
		return slices.ContainsFunc(nameWords(name), func(w string) bool { return singular(w) == called })
	}
	if has(g.name(n)) {
		return -1
	}
	sentence := r.rowing.cuts[lastBefore(r.rowing.cuts, r.at.Start)].Range
	c := g.record(r.cell)
	for i := c + 1; i < min(len(g.nodes), c+far) && g.nodes[i].start < g.nodes[c].end; i++ {
		o := &g.nodes[i]
		if i == r.cell || o.container || o.key < 0 || o.parent != n.parent || g.shapes[g.shape[i]].id || !has(g.name(o)) {
			continue
		}
		if alike(g.plain(o), g.plain(n)) && hasDigit(g.plain(o)) && g.plain(o) != g.plain(n) && r.saysName(g.name(o), sentence, true) && !r.saidToo([]int{i}, sentence) {
			return i
		}
	}
	return -1
}

// linkWords stand between the name of a field and its value.
var linkWords = set("of is are was were at")

// calledIn is the word that the answer calls a value by: what follows it, as in 7 errors, or
// else what is before it, as in errors: 7, or a total of 7; empty if there is none.
func (r *rower) calledIn() string {
	after := r.answer[r.at.End:min(len(r.answer), r.at.End+2*maxID)]
	if strings.HasPrefix(after, " ") {
		if words := wordsOf(after, nil); len(words) > 0 && words[0].Start == 1 && !functionWords[words[0].fold] && !verbs[words[0].fold] && !units[words[0].fold] {
			return words[0].fold
		}
	}
	from := max(r.rowing.cuts[lastBefore(r.rowing.cuts, r.at.Start)].Start, r.at.Start-2*maxID)
	before := r.answer[from:r.at.Start]
	words := wordsOf(before, nil)
	for n, end := 0, len(before); n < 3 && len(words) > 0; n++ {
		last := words[len(words)-1]
		if strings.Trim(before[last.End:end], " :=") != "" {
			return ""
		}
		if !linkWords[last.fold] {
			return last.fold
		}
		words, end = words[:len(words)-1], last.Start
	}
	return ""
}

func (r *rower) add(list []Place, p Place) []Place {
	same := func(o Place) bool {
		return o.Range == p.Range && o.Path == p.Path && o.Event == p.Event && o.Call == p.Call && o.Argument == p.Argument && o.Key == p.Key
	}
	if len(list) < maxBeside && !slices.ContainsFunc(list, same) {
		list = append(list, p)
	}
	return list
}

// asked lists what of the arguments is spoken of.
func (r *rower) asked(scope Range) []mention {
	t := r.talk(gridOf{r.shown, true}, r.args, scope)
	var list []mention
	for _, m := range t.all {
		if m.sure && (m.at.End <= r.at.Start || r.at.End <= m.at.Start || r.whole()) {
			list = append(list, m)
		}
	}
	slices.SortFunc(list, func(a, b mention) int {
		return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.at.Start, b.at.Start))
	})
	return list
}

// start is a row without a subject.
func (r *rower) start(i int) *Row {
	field := ""
	for c, n := r.cell, 0; c >= 0 && field == "" && n < maxAround; c, n = r.g.nodes[c].parent, n+1 {
		field = r.g.name(&r.g.nodes[c])
	}
	if i == r.cell && !r.g.nodes[i].container && r.g.nodes[i].parent >= 0 {
		i = r.g.record(i)
	}
	n := &r.g.nodes[i]
	return &Row{Path: r.g.path(n), Range: Range{n.start, n.end}, Field: field}
}

// place is where a mention stands.
func (g *grid) place(m mention, argument bool) Place {
	n := &g.nodes[m.node]
	p := Place{Path: g.path(n), Range: g.content(n), Text: g.plain(n), At: m.at, Argument: argument}
	if m.kind < 0 {
		p.Range, p.Text, p.Key = g.keyRange(n), g.name(n), true
	}
	return p
}

// keyRange is where the key of a value stands, without quotes.
func (d *document) keyRange(n *node) Range {
	of := &d.texts[n.nameIn]
	return Range{of.place(int(n.name[0])), of.place(int(n.name[1]))}
}

// path names a value: in a table by its line.
func (g *grid) path(n *node) string {
	if !g.table {
		return g.document.path(n)
	}
	end := ""
	for ; n.parent > 0; n = &g.nodes[n.parent] {
		switch {
		case n.key >= 0 && end == "":
			end = g.name(n)
		case n.key >= 0:
			end = g.name(n) + "." + end
		default:
			end = strings.TrimSuffix("["+itoa(n.index)+"]."+end, ".")
		}
	}
	if n.parent < 0 {
		return ""
	}
	line := "line " + itoa(n.index)
	if end != "" {
		line += ", " + end
	}
	return line
}

// valuesIn are the values that a range of the answer names.
func (q *inquiry) valuesIn(r Range) []value.Value {
	all := q.rowed().values
	i := sort.Search(len(all), func(i int) bool { return all[i].Start >= r.Start })
	k := sort.Search(len(all), func(i int) bool { return all[i].Start >= r.End })
	return all[i:k]
}

// rival is the row as a wrong one, if a scope speaks of another that is like
// it, and of nothing in this one that is not in the other, too.
func (r *rower) rival(t *talk, own []mention, scope Range) *Row {
	g := r.g
	if g.nodes[r.cell].container {
		return nil
	}
	contrasts := r.contrasts(scope)
	if len(own) == 0 && contrasts {
		return nil
	}
	record := g.record(r.cell)
	for c, n := r.cell, 0; c >= 0 && n < maxAround; c, n = g.nodes[c].parent, n+1 {
		if c == record && g.shapes[g.shape[r.cell]].self && !r.others(t, own, c) {
			continue
		}
		var spoken []mention
		var cells []int
		for _, m := range t.shape[g.shape[c]] {
			if !r.step(1) {
				return nil
			}
			if int(m.owner) == c || !m.sure || m.above && !g.direct(r.cell, c) || m.kind == g.shape[r.cell] || m.at.Start < r.at.End && r.at.Start < m.at.End && !r.whole() {
				continue
			}
			root, ok := r.instead(t, own, c, m, contrasts)
			if !ok || len(spoken) >= maxBeside {
				continue
			}
			spoken = append(spoken, m)
			cells = append(cells, g.alike(root, r.cell)...)
		}
		if spoken == nil {
			continue
		}
		if r.saidToo(cells, scope) {
			return nil // of which another value of the scope tells
		}
		row := r.start(c)
		row.Wrong = true
		row.Subject = r.ids(c)
		for _, m := range spoken {
			row.Spoken = r.add(row.Spoken, g.place(m, false))
		}
		for _, i := range cells {
			n := &g.nodes[i]
			row.Instead = r.add(row.Instead, Place{Path: g.path(n), Range: g.content(n), Text: g.plain(n)})
		}
		return row
	}
	return nil
}

// saidToo reports whether a scope says what stands in some cells as well, beside
// the value itself: "81,900 (Raj), the lowest 69,350" says of Raj what is Raj's.
func (r *rower) saidToo(cells []int, scope Range) bool {
	for _, i := range cells {
		said := false
		for _, v := range value.Scan(r.g.plain(&r.g.nodes[i])) {
			if v = v.Under(r.g.name(&r.g.nodes[i])); v.Common {
				continue
			}
			said = said || slices.ContainsFunc(r.valuesIn(scope), func(a value.Value) bool {
				return (a.End <= r.at.Start || r.at.End <= a.Start) && value.Same(a, v) > value.Partial
			})
		}
		if !said {
			return false
		}
	}
	return len(cells) > 0
}

// contrasts reports whether a scope may speak of a row only to say what is not
// so.
func (r *rower) contrasts(scope Range) bool {
	return slices.ContainsFunc(r.rowing.said.inWords(scope), func(w word) bool { return contrastWords[w.fold] })
}

// others reports whether a scope speaks of one other row than c, by a name, and of nothing
// in c but the id: Ada's order is 4472.
func (r *rower) others(t *talk, own []mention, c int) bool {
	other := int32(-1)
	for _, m := range own {
		if int(m.owner) == c {
			return false
		}
	}
	for _, m := range t.shape[r.g.shape[c]] {
		switch {
		case !m.sure || int(m.owner) == c:
		case m.kind == r.g.shape[r.cell], m.kind < 0, other >= 0 && other != m.owner:
			return false
		default:
			other = m.owner
		}
	}
	return other >= 0
}

// instead is where the value would stand, if all that a scope says of its own
// place, at c or elsewhere, it says of the place of m as well. Where the scope contrasts, m may
// be what is not spoken of.
func (r *rower) instead(t *talk, own []mention, c int, m mention, contrasts bool) (root int32, ok bool) {
	g := r.g
	root = m.owner
	for _, k := range own {
		if int(k.owner) != c && g.has(k.owner, m.owner) || g.tells(m) && !g.tells(k) {
			continue
		}
		if g.own(m) && !g.own(k) && !contrasts && m.at.End <= r.at.Start {
			continue // several rows may have what k says
		}
		if int(k.owner) == c && k.kind == m.kind {
			return 0, false
		}
		found := false
		for _, e := range t.shape[k.shape] {
			if !r.step(1) {
				return 0, false
			}
			if e.kind == k.kind && e.owner != k.owner && g.has(m.owner, e.owner) {
				found = true
				if g.has(root, e.owner) {
					root = e.owner
				}
				break
			}
		}
		if !found {
			return 0, false
		}
	}
	return root, true
}

// alike lists what in a node has the shape of another.
func (g *grid) alike(root int32, cell int) []int {
	const far, most = 4096, 4
	var list []int
	for i := int(root); i < min(len(g.nodes), int(root)+far) && g.nodes[i].start < g.nodes[root].end && len(list) < most; i++ {
		if g.shape[i] == g.shape[cell] && g.nodes[i].end <= g.nodes[root].end {
			list = append(list, i)
		}
	}
	return list
}

// ids lists what tells a row apart from others: what is called an id, or else
// its first words.
func (r *rower) ids(c int) []Place {
	var list []Place
	for _, i := range r.g.ids(c) {
		if i != r.cell || i == c {
			list = r.add(list, r.idPlace(r.g, c, i, false))
		}
	}
	return list
}

// tells reports whether a mention is one of an id, and not of what several rows
// may have.
func (g *grid) tells(m mention) bool { return m.kind < 0 || g.shapes[m.kind].id }

// own reports whether a mention is one of an id that is said of nothing but its row.
func (g *grid) own(m mention) bool { return m.kind < 0 || g.shapes[m.kind].self }

func (r *rower) idPlace(g *grid, c, i int, argument bool) Place {
	n := &g.nodes[i]
	if i == c {
		return Place{Path: g.path(n), Range: g.keyRange(n), Text: g.name(n), Key: true, Argument: argument}
	}
	return Place{Path: g.path(n), Range: g.content(n), Text: g.plain(n), Argument: argument}
}

// ids lists the nodes that tell a row apart; the row itself stands for its key.
func (g *grid) ids(c int) []int {
	const far = 64
	var ids, names []int
	n := &g.nodes[c]
	if n.parent >= 0 && n.key >= 0 && g.shapes[g.shape[n.parent]].keyed {
		ids = append(ids, c)
	}
	for i := c + 1; i < min(len(g.nodes), c+far) && g.nodes[i].start < n.end; i++ {
		if g.nodes[i].container || g.record(i) != c {
			continue
		}
		switch {
		case g.shapes[g.shape[i]].id:
			ids = append(ids, i)
		case g.nodes[i].quoted && len(g.plain(&g.nodes[i])) <= maxID && mayName(g.plain(&g.nodes[i])):
			names = append(names, i)
		}
	}
	if ids == nil && names != nil && !g.plainObject(c) { // the currency of an account tells it from no other
		ids = names[:1]
	}
	return ids
}

// otherCall is the row as a wrong one, if a scope speaks of another call of the
// tool: of its arguments, or of what its result is about.
func (r *rower) otherCall(scope Range) *Row {
	me := &r.inquiry.shown[r.shown]
	var row *Row
	for _, of := range r.spoken(me.Tool) {
		k, s, arguments, mine := of.shown, &r.inquiry.shown[of.shown], of.arguments, r.g
		if arguments {
			mine = r.args
		}
		if k == r.shown || mine == nil || mine.list(0) || !r.step(1) {
			continue
		}
		other := r.grid(of)
		for _, m := range r.talk(of, other, scope).all {
			if !m.sure || m.owner != 0 || m.at.Start < r.at.End && r.at.Start < m.at.End && !r.whole() {
				continue
			}
			i := mine.follow(other, int(m.node))
			if i < 0 || !arguments && i == r.cell || mine.plain(&mine.nodes[i]) == other.plain(&other.nodes[m.node]) {
				continue
			}
			if row == nil {
				row = r.allOfIt()
				row.Wrong = true
			}
			row.Subject = r.add(row.Subject, r.idPlace(mine, -1, i, arguments))
			row.Spoken = r.add(row.Spoken, r.from(k, other.place(m, arguments)))
			if r.g == nil {
				row.Instead = r.add(row.Instead, r.from(k, Place{Range: Range{0, len(s.data)}, Text: s.data}))
			} else if g := r.grid(gridOf{k, false}); g != nil {
				if i := g.follow(r.g, r.cell); i >= 0 {
					row.Instead = r.add(row.Instead, r.from(k, Place{Path: g.path(&g.nodes[i]), Range: g.content(&g.nodes[i]), Text: g.plain(&g.nodes[i])}))
				}
			}
		}
	}
	return row
}

// spoken lists the results of a tool, and the arguments of its calls, of which
// the answer says something, the latest first.
func (q *inquiry) spoken(tool string) []gridOf {
	w := q.rowed()
	if w.tools == nil {
		w.tools = map[string][]gridOf{}
		for k := len(q.shown) - 1; k >= 0; k-- {
			for _, arguments := range []bool{true, false} {
				of := gridOf{k, arguments}
				if d := q.document(of); q.shown[k].kind != FromResult || d == nil || !q.mentions(d) {
					continue
				}
				if g := q.grid(of); g != nil && !g.table && len(g.said) > 0 {
					w.tools[q.shown[k].Tool] = append(w.tools[q.shown[k].Tool], of)
				}
			}
		}
	}
	return w.tools[tool]
}

// allOfIt is a row that is all of the piece.
func (r *rower) allOfIt() *Row {
	row := &Row{Range: Range{0, len(r.inquiry.shown[r.shown].data)}}
	if r.g != nil {
		row = r.start(0)
		row.Field = r.start(r.cell).Field
	}
	return row
}

// from adds to a place of which piece it is.
func (q *inquiry) from(shown int, p Place) Place {
	s := &q.shown[shown]
	p.Event, p.Call, p.Tool = q.t.seq(s.origin), s.Call, s.Tool
	return p
}

// follow finds the value whose path is that of a value of another grid; -1 if
// there is none.
func (g *grid) follow(from *grid, i int) int {
	var way []int
	for ; i >= 0 && from.nodes[i].parent >= 0; i = from.nodes[i].parent {
		if way = append(way, i); len(way) > 32 {
			return -1
		}
	}
	if len(g.nodes) == 0 {
		return -1
	}
	at := 0
	for _, k := range slices.Backward(way) {
		if at = g.child(at, &from.nodes[k], from); at < 0 {
			return -1
		}
	}
	return at
}

// child finds what in a node has the key or the index of a node elsewhere.
func (g *grid) child(at int, like *node, from *grid) int {
	const most = 1 << 12
	end := g.nodes[at].end
	name := from.name(like)
	for i, n := at+1, 0; i < len(g.nodes) && g.nodes[i].start < end && n < most; n++ {
		c := &g.nodes[i]
		if c.parent == at && (c.key >= 0) == (like.key >= 0) && (c.key >= 0 && g.name(c) == name || c.key < 0 && c.index == like.index) {
			return i
		}
		from := i
		i++
		i += sort.Search(len(g.nodes)-i, func(j int) bool { return g.nodes[i+j].start >= g.nodes[from].end })
	}
	return -1
}

// otherID is the row as a wrong one, if a scope names an id of something that
// is called as the row is, and that is not the row's: port 7 of ports 1 to 4.
func (r *rower) otherID(scope Range) *Row {
	numbers := r.numbersIn(scope)
	if numbers == nil {
		return nil
	}
	var class []string
	var subject []Place
	if r.g != nil {
		if r.g.nodes[r.cell].container || r.g.shapes[r.g.shape[r.cell]].id {
			return nil
		}
		for c, n := r.cell, 0; c >= 0 && n < 8; c, n = r.g.nodes[c].parent, n+1 {
			for _, i := range r.g.ids(c) {
				subject = r.add(subject, r.idPlace(r.g, c, i, false))
				if i == c {
					class = append(class, r.g.shapes[r.g.shape[r.g.nodes[c].parent]].class...)
				} else {
					class = append(class, r.g.shapes[r.g.shape[i]].class...)
				}
			}
		}
	}
	if r.args != nil && subject == nil {
		for i := range r.args.nodes[:min(len(r.args.nodes), 64)] {
			if !r.args.nodes[i].container && r.args.shapes[r.args.shape[i]].id {
				subject = r.add(subject, r.idPlace(r.args, -1, i, true))
				class = append(class, r.args.shapes[r.args.shape[i]].class...)
			}
		}
	}
	if class == nil {
		return nil
	}
	for _, w := range numbers {
		at := w.Range
		if !slices.Contains(class, w.noun) || at.Start < r.at.End && r.at.Start < at.End || slices.ContainsFunc(subject, func(p Place) bool { return p.Text == w.fold }) {
			continue
		}
		row := r.allOfIt()
		if r.g != nil {
			row = r.start(r.g.record(r.cell))
		}
		row.Wrong, row.Subject = true, subject
		spoken, cells := r.elsewhere(w.word, w.noun)
		row.Spoken, row.Instead = spoken, cells
		if row.Spoken == nil {
			row.Spoken = []Place{{Text: r.answer[at.Start:at.End], At: at}}
		}
		return row
	}
	return nil
}

// numbersIn lists the numbers in a range of the answer that have a noun.
func (q *inquiry) numbersIn(r Range) []numbered {
	const most = 400
	list, ok := q.rowing.numbers[r]
	if ok {
		return list
	}
	words := q.rowing.said.inWords(r)
	for _, w := range words[:min(len(words), most)] {
		if strings.Trim(w.fold, "0123456789") != "" || !alone(q.answer, w.Range) {
			continue
		}
		noun, _ := q.nounBefore(w.Start)
		if noun = singular(strings.ToLower(noun)); noun != "" && !idWords[noun] {
			list = append(list, numbered{w, noun})
		}
	}
	q.rowing.numbers[r] = list
	return list
}

// elsewhere finds in all that was shown what is said of an id: where it stands,
// and the field that the value has.
func (r *rower) elsewhere(w word, noun string) (spoken, cells []Place) {
	field := ""
	if r.g != nil {
		field = foldName(r.start(r.cell).Field)
	}
	for k := range r.inquiry.shown {
		if r.inquiry.shown[k].kind != FromResult || len(spoken) == maxBeside {
			continue
		}
		g := r.grid(gridOf{k, false})
		id, _ := r.rowing.said.find(w.fold, nil)
		if g == nil || id < 0 {
			continue
		}
		for _, e := range g.said[id] {
			if !r.step(1) {
				return spoken, cells
			}
			if !slices.Contains(g.classOf(e), noun) {
				continue
			}
			p := g.place(mention{entry: e, at: w.Range}, false)
			if k != r.shown {
				p = r.from(k, p)
			}
			spoken = r.add(spoken, p)
			for i := int(e.owner); i < min(len(g.nodes), int(e.owner)+64) && g.nodes[i].start < g.nodes[e.owner].end; i++ {
				n := &g.nodes[i]
				if n.container || field == "" || foldName(g.name(n)) != field {
					continue
				}
				p := Place{Path: g.path(n), Range: g.content(n), Text: g.plain(n)}
				if k != r.shown {
					p = r.from(k, p)
				}
				cells = r.add(cells, p)
			}
		}
	}
	return spoken, cells
}

// foldName is a name without case, and without what stands between its words.
func foldName(name string) string { return strings.Join(nameWords(name), "") }

// named is the row of a value that a scope calls what it is called there.
func (r *rower) named(scope Range) *Row {
	if r.g == nil {
		return nil
	}
	c := r.cell
	for c >= 0 && (r.g.nodes[c].key < 0 || r.g.nodes[c].parent >= 0 && r.g.shapes[r.g.shape[r.g.nodes[c].parent]].keyed) {
		c = r.g.nodes[c].parent
	}
	if c < 0 {
		return nil
	}
	n := &r.g.nodes[c]
	var said []Range
	words := nameWords(r.g.name(n))
	for _, w := range r.rowing.said.inWords(scope) {
		for _, name := range words {
			if len(name) > 2 && !functionWords[name] && singular(w.fold) == singular(name) && !(w.Start < r.at.End && r.at.Start < w.End && !r.whole()) {
				said = append(said, w.Range)
			}
		}
	}
	if said == nil {
		return nil
	}
	record := r.g.record(c)
	row := r.start(record)
	row.Subject = []Place{{Path: r.g.path(n), Range: r.g.keyRange(n), Text: r.g.name(n), At: said[0], Key: true}}
	p := r.g.nodes[record].parent
	row.listed = p >= 0 && (r.g.list(p) || r.g.table || r.g.shapes[r.g.shape[p]].keyed)
	return row
}
