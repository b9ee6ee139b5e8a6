package explain

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spoorhq/spoor/internal/value"
	"github.com/spoorhq/spoor/model"
)

// A said text knows its words, and where it has the words of a name.
type said struct {
	text    string
	words   []word
	phrases map[uint64]int32   // by hash: the first in ats of those with these words
	spelled map[string][]int32 // by what a value is called in one spelling: those of phrases
	ats     []phrase
}

type word struct {
	Range
	fold string
}

// A phrase is a row of words.
type phrase struct {
	Range
	id int32 // of all that say the same: the first of them
}

func newSaid(text string, values []value.Value) *said {
	s := &said{text: text, words: wordsOf(text, nil), phrases: map[uint64]int32{}, spelled: map[string][]int32{}}
	at := map[Range]int32{}
	for i := range s.words {
		h := uint64(hashStart)
		for k := i; k < min(len(s.words), i+maxIDWords); k++ {
			h = hashWord(h, s.words[k].fold)
			r := Range{s.words[i].Start, s.words[k].End}
			if r.End-r.Start > maxID {
				break
			}
			if !alone(text, r) {
				continue
			}
			id, ok := s.phrases[h]
			if !ok {
				id = int32(len(s.ats))
				s.phrases[h] = id
			}
			at[r] = id
			s.ats = append(s.ats, phrase{r, id})
		}
	}
	for _, v := range values {
		if id, ok := at[Range{v.Start, v.End}]; ok && (v.Kind == value.Date || v.Kind == value.Number) && hasDigit(v.Text()) {
			if name := v.String(); name != text[v.Start:v.End] && !slices.Contains(s.spelled[name], id) {
				s.spelled[name] = append(s.spelled[name], id)
			}
		}
	}
	return s
}

// spellings are the ids of what says a number or a date otherwise than it is
// written.
func (s *said) spellings(text string) []int32 {
	if len(s.spelled) == 0 || len(text) > 32 || !hasDigit(text) {
		return nil
	}
	v := value.Scan(text)
	if len(v) != 1 || v[0].Start != 0 || v[0].End != len(text) {
		return nil
	}
	name := v[0].String()
	ids := s.spelled[name]
	if v[0].Kind == value.Date && len(name) == len("2026-01-06") {
		ids = append(slices.Clip(ids), s.spelled["--"+name[5:]]...)
	}
	return ids
}

// find is the id of what says the same as a name; -1 if nothing does.
func (s *said) find(name string, room []word) (int32, []word) {
	if len(name) > maxID {
		return -1, room
	}
	room = wordsOf(name, room[:0])
	if len(room) == 0 || len(room) > maxIDWords {
		return -1, room
	}
	h := uint64(hashStart)
	for _, w := range room {
		h = hashWord(h, w.fold)
	}
	id, ok := s.phrases[h]
	if !ok {
		return -1, room
	}
	return id, room
}

// in lists where in a range of the text something is said.
func (s *said) in(r Range) []phrase {
	i := sort.Search(len(s.ats), func(i int) bool { return s.ats[i].Start >= r.Start })
	k := sort.Search(len(s.ats), func(i int) bool { return s.ats[i].Start >= r.End })
	list := make([]phrase, 0, k-i)
	for _, g := range s.ats[i:k] {
		if g.End <= r.End {
			list = append(list, g)
		}
	}
	return list
}

// inWords lists the words in a range.
func (s *said) inWords(r Range) []word {
	i := sort.Search(len(s.words), func(i int) bool { return s.words[i].Start >= r.Start })
	k := sort.Search(len(s.words), func(i int) bool { return s.words[i].Start >= r.End })
	return s.words[i:k]
}

const hashStart = 14695981039346656037

func hashWord(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return (h ^ 0xff) * 1099511628211
}

// wordsOf lists the words of a text: letters and digits in a row, and of a
// script without spaces each character.
func wordsOf(text string, words []word) []word {
	begin := -1
	end := func(i int) {
		if begin >= 0 {
			words = append(words, word{Range{begin, i}, strings.ToLower(text[begin:i])})
			begin = -1
		}
	}
	for i, r := range text {
		switch {
		case r != '_' && inWord(r):
			if begin < 0 {
				begin = i
			}
		case r != utf8.RuneError && unicode.IsLetter(r):
			end(i)
			begin = i
			end(i + utf8.RuneLen(r))
		default:
			end(i)
		}
	}
	end(len(text))
	return words
}

// alone reports whether a range of an answer is no part of a longer word: of
// 3.5, R-17 or order/17.
func alone(s string, r Range) bool {
	if !tokenEdge(s, r.Start) {
		return false
	}
	if tokenEdge(s, r.End) {
		return true
	}
	rest := s[r.End:]
	return strings.HasPrefix(rest, "'s") || strings.HasPrefix(rest, "’s")
}

// A grid is a piece whose values stand in rows.
type grid struct {
	*document
	table  bool
	shape  []int32 // by node
	shapes []shape
	near   []string          // what a row may be called of which no name says it
	said   map[int32][]entry // by what the answer says
}

// A shape is what the places have in common whose paths differ only in
// indexes, and in keys that are ids.
type shape struct {
	parent int32
	name   string
	words  []string // of the name, in the singular
	id     bool     // its values tell rows apart
	self   bool     // and are said of nothing but the row
	keyed  bool     // the keys of its children tell them apart
	class  []string // what stands before an id in a text: port, in port 3
}

// An entry is a value, or a key, that the answer says as well and that tells
// rows apart.
type entry struct {
	node  int32
	owner int32 // what it is an id of: the row, or what has the key
	shape int32 // of the owner
	kind  int32 // of all that mean the same of an owner: the shape of the value; -1 of a key
	part  bool  // only one word of a name is meant
	above bool  // the owner has it in an object of its own
}

// grid is that of a piece, or of the arguments that it came from; nil if it
// has no rows.
func (q *inquiry) grid(of gridOf) *grid {
	w := q.rowed()
	if g, ok := w.grids[of]; ok {
		return g
	}
	s := &q.shown[of.shown]
	d, table := q.document(of), false
	if d == nil && !of.arguments && s.kind == FromResult && len(s.data) <= maxDocument {
		d, table = parseTable(s.data), true
	}
	var g *grid
	if d != nil && q.step(len(d.nodes)) {
		g = q.newGrid(d, table, s)
	}
	w.grids[of] = g
	return g
}

// document is the JSON of a piece, or of the arguments that it came from; nil if
// it is none.
func (q *inquiry) document(of gridOf) *document {
	s := &q.shown[of.shown]
	if !of.arguments {
		return s.json
	}
	part := q.given(s)
	if k, known := q.args.known[part.Piece]; known && q.args.pieces[k].json != nil {
		return q.args.pieces[k].json
	}
	return parseDocument(q.t.data(part))
}

// given are the arguments of the call that brought a piece, if one did.
func (q *inquiry) given(s *shown) (part model.Part) {
	if s.kind == FromResult && s.origin >= 0 {
		part = q.t.asks[s.origin].part
	}
	return part
}

func (q *inquiry) arguments(s *shown) string { return q.t.data(q.given(s)) }

// mentions reports whether the answer says any name or value of a document.
func (q *inquiry) mentions(d *document) bool {
	w := q.rowed()
	yes, known := w.mentions[d]
	if !known {
		if w.mentions == nil {
			w.mentions = map[*document]bool{}
		}
		yes = w.said.mentions(d)
		w.mentions[d] = yes
	}
	return yes
}

// mentions looks for the names and values of a document in the text.
func (s *said) mentions(d *document) bool {
	var room []word
	says := func(text string) bool {
		if len(text) > maxID {
			return false
		}
		var id int32
		id, room = s.find(text, room)
		return id >= 0 || len(s.spellings(text)) > 0
	}
	for i := range d.nodes {
		n := &d.nodes[i]
		if n.key >= 0 { // the keys that may be ids
			if name := d.name(n); (n.container || hasDigit(name)) && says(name) {
				return true
			}
		}
		if n.container {
			continue
		}
		text := d.plain(n)
		if says(text) {
			return true
		}
		if len(text) <= maxID && strings.IndexByte(text, ' ') > 0 && strings.IndexFunc(text, unicode.IsUpper) >= 0 {
			for _, w := range wordsOf(text, nil) {
				if isSurname(text[w.Start:w.End]) && says(text[w.Start:w.End]) {
					return true
				}
			}
		}
	}
	return false
}

type shapeKey struct {
	parent int32
	name   string
}

func (q *inquiry) newGrid(d *document, table bool, s *shown) *grid {
	g := &grid{document: d, table: table, shape: make([]int32, len(d.nodes)), said: map[int32][]entry{}, near: q.toolNouns(s.Tool)}
	known := map[shapeKey]int32{}
	full, parted := false, false
	said := q.rowing.said
	var room []word
	for i := range d.nodes {
		n := &d.nodes[i]
		up, name := int32(-1), "*"
		keyed := false
		if n.parent >= 0 {
			up = g.shape[n.parent]
			keyed = g.shapes[up].keyed && n.key >= 0
		}
		if n.key >= 0 && !keyed {
			name = d.name(n)
		}
		at, ok := known[shapeKey{up, name}]
		if !ok {
			at = int32(len(g.shapes))
			known[shapeKey{up, name}] = at
			g.shapes = append(g.shapes, g.newShape(i, up, name, n.key >= 0 && !keyed))
		}
		g.shape[i] = at
		file := func(id int32, e entry) {
			if len(g.said[id]) == maxEntries {
				full = true
				return
			}
			g.said[id] = append(g.said[id], e)
		}
		add := func(text string, owner, kind int32, part bool) {
			var id int32
			id, room = said.find(text, room)
			ids := said.spellings(text)
			if id >= 0 && !slices.Contains(ids, id) {
				ids = append(slices.Clip(ids), id)
			}
			for _, id := range ids {
				file(id, entry{int32(i), owner, g.shape[owner], kind, part, false})
				for up, level := owner, 0; kind >= 0 && level < 2 && g.plainObject(int(up)); level++ {
					up = int32(g.nodes[up].parent)
					file(id, entry{int32(i), up, g.shape[up], kind, part, true})
				}
			}
			parted = parted || part && len(ids) > 0
		}
		if keyed {
			add(d.name(n), int32(i), -1, false)
		}
		if n.container || n.parent < 0 {
			continue
		}
		text := d.plain(n)
		if len(text) > maxID || !g.shapes[at].id && !(n.quoted && mayName(text)) {
			continue
		}
		owner := int32(g.record(i))
		add(text, owner, at, false)
		if n.quoted && strings.IndexByte(text, ' ') > 0 {
			for _, w := range wordsOf(text, nil) {
				if isSurname(text[w.Start:w.End]) {
					add(text[w.Start:w.End], owner, at, true)
				}
			}
		}
	}
	if parted {
		g.unshare()
	}
	if full {
		q.cut = true
	}
	return g
}

// toolNouns lists what the rows of a tool may be called that no name says: ports, of
// list_ports.
func (q *inquiry) toolNouns(tool string) []string {
	near, ok := q.rowing.nearby[tool]
	if !ok {
		for _, w := range slices.Backward(nameWords(tool)) {
			if !toolVerbs[w] {
				near = append(near, singular(w))
			}
		}
		if q.rowing.nearby == nil {
			q.rowing.nearby = map[string][]string{}
		}
		q.rowing.nearby[tool] = near
	}
	return near
}

// unshare takes out the words of names that several rows have.
func (g *grid) unshare() {
	for id, list := range g.said {
		rows := map[[2]int32]int32{} // by shape and kind: whose name has the word, or -1
		for _, e := range list {
			k := [2]int32{e.shape, e.kind}
			if owner, ok := rows[k]; ok && owner != e.owner {
				rows[k] = -1
			} else if !ok {
				rows[k] = e.owner
			}
		}
		g.said[id] = slices.DeleteFunc(list, func(e entry) bool { return e.part && rows[[2]int32{e.shape, e.kind}] < 0 })
	}
}

// isSurname reports whether one word may stand for a name of several.
func isSurname(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return len(w) >= 3 && unicode.IsUpper(r) && !functionWords[strings.ToLower(w)] && !hasDigit(w)
}

// plainObject reports whether a node is an object that another one has under a
// name, so that it tells of that one.
func (g *grid) plainObject(i int) bool {
	n := &g.nodes[i]
	if !n.container || n.parent < 0 || n.key < 0 || g.list(i) || g.list(n.parent) || n.inside {
		return false
	}
	return g.nodes[n.parent].container && !g.shapes[g.shape[n.parent]].keyed
}

// direct reports whether what an object has in objects of its own tells of a
// value as well: if it is not in such a one itself.
func (g *grid) direct(cell, c int) bool {
	for i := cell; i >= 0 && i != c; i = g.nodes[i].parent {
		if i != cell && g.nodes[i].parent == c {
			return !g.plainObject(i)
		}
	}
	return true
}

// mayName reports whether a text is more than a number: a name, or a date.
func mayName(text string) bool {
	for _, r := range text {
		if unicode.IsLetter(r) {
			return true
		}
	}
	return strings.Count(text, "-") == 2 // a date
}

// record is the object or the line of a table that a value is in; that of a
// value in a list is that of the list.
func (g *grid) record(i int) int {
	i = g.nodes[i].parent
	for n := 0; i > 0 && n < maxAround && (!g.nodes[i].container || g.list(i)); n++ {
		i = g.nodes[i].parent
	}
	return max(i, 0)
}

// list reports whether a node is a JSON array.
func (g *grid) list(i int) bool {
	n := &g.nodes[i]
	return n.container && !g.table && g.texts[n.plain].text[n.from] == '['
}

// newShape is the shape of node i, the first that has it.
func (g *grid) newShape(i int, parent int32, name string, named bool) shape {
	s := shape{parent: parent}
	if named {
		s.name = name
		for _, w := range nameWords(name) {
			s.words = append(s.words, singular(w))
		}
	}
	n := &g.nodes[i]
	around := g.called(parent)
	if n.container {
		s.keyed = g.isKeyed(i)
		s.class = around
		if s.words != nil {
			s.class = s.words[len(s.words)-1:]
		}
		return s
	}
	if s.words == nil {
		return s
	}
	last := s.words[len(s.words)-1]
	switch {
	case idWords[last]:
		s.id, s.self = true, true
		s.class = slices.Clone(s.words[:len(s.words)-1])
		if len(s.class) == 0 {
			s.class = slices.Clone(around)
		}
		s.class = append(s.class, last)
	case slices.Contains(around, strings.Join(s.words, " ")), g.first(i):
		s.id, s.self, s.class = true, true, append(slices.Clone(s.words), around...)
	case nounIDs[last] && len(nameWords(name)) == 1 && nameWords(name)[0] == last:
		s.id, s.class = true, s.words
	}
	return s
}

// called is what rows of a shape are called: by the name of the nearest shape
// around them that has one.
func (g *grid) called(at int32) []string {
	for n := 0; at >= 0 && n < maxAround; at, n = g.shapes[at].parent, n+1 {
		if w := g.shapes[at].words; w != nil {
			return []string{w[len(w)-1]}
		}
	}
	return g.near
}

// first reports whether a value is what tells rows apart that have no id: the
// first column of a table, and in a list of objects the first number, or else the
// first name.
func (g *grid) first(i int) bool {
	p := g.nodes[i].parent
	if g.nodes[p].parent < 0 {
		return false
	}
	up := g.nodes[p].parent
	if g.table {
		return up == 0 && p == i-1
	}
	if !g.list(up) && !g.shapes[g.shape[p]].keyed && !(g.nodes[p].key >= 0 && g.shapes[g.shape[up]].keyed) {
		return false
	}
	name := g.nodes[i].quoted && mayName(g.plain(&g.nodes[i]))
	if !name && (p != i-1 || !g.list(up) || strings.Trim(g.plain(&g.nodes[i]), "0123456789") != "") {
		return false
	}
	for k := p + 1; k < len(g.nodes) && k < p+64 && g.nodes[k].start < g.nodes[p].end; k++ {
		n := &g.nodes[k]
		if n.parent != p || n.container || k == i {
			continue
		}
		words := nameWords(g.name(n))
		if len(words) == 0 || idWords[words[len(words)-1]] || nounIDs[words[len(words)-1]] {
			return false
		}
		if n.quoted && mayName(g.plain(n)) && (k < i || !name) {
			return false
		}
	}
	return !name || g.list(up)
}

// isKeyed reports whether the keys of an object are ids of what they have, and
// not names of fields: they have digits, or what they have is alike.
func (g *grid) isKeyed(i int) bool {
	if g.table || g.list(i) {
		return false
	}
	end, first := g.nodes[i].end, ""
	digits, alike, n := 0, 0, 0
	for k := i + 1; k < len(g.nodes) && g.nodes[k].start < end && n < 8; n++ {
		c := &g.nodes[k]
		if c.parent != i || c.key < 0 {
			return false
		}
		name := g.name(c)
		digit := strings.ContainsAny(name, "0123456789")
		if digit && (c.container || strings.IndexFunc(name, unicode.IsLetter) < 0 || strings.ContainsAny(name, "-/:#")) {
			digits++
		}
		if !c.container {
			if !digit {
				return false
			}
			k++
			if !c.quoted {
				continue
			}
		} else if k+1 < len(g.nodes) && g.nodes[k+1].parent == k && g.nodes[k+1].key >= 0 {
			field := g.name(&g.nodes[k+1])
			if n == 0 {
				first = field
			}
			if field == first && field != "" {
				alike++
			}
		}
		from := k
		k += sort.Search(len(g.nodes)-from, func(j int) bool { return g.nodes[from+j].start >= c.end })
	}
	return n > 0 && digits == n || n > 1 && alike == n
}

// nameWords are the words of the name of a field: paymentState has two.
func nameWords(name string) []string {
	if len(name) > 4*maxID {
		name = name[:4*maxID]
	}
	var words []string
	begin, before := -1, rune(0)
	end := func(i int) {
		if begin >= 0 {
			words = append(words, strings.ToLower(name[begin:i]))
		}
		begin = -1
	}
	for i, r := range name {
		_, n := utf8.DecodeRuneInString(name[i:])
		next, _ := utf8.DecodeRuneInString(name[i+n:])
		switch {
		case r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end(i)
		case begin < 0:
			begin = i
		case unicode.IsUpper(r) && (unicode.IsLower(before) || unicode.IsDigit(before) || unicode.IsUpper(before) && unicode.IsLower(next)):
			end(i)
			begin = i
		}
		before = r
	}
	end(len(name))
	return words
}

// singular is a word without the ending of many.
func singular(w string) string {
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 4 && (strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes") || strings.HasSuffix(w, "xes") || strings.HasSuffix(w, "sses")):
		return w[:len(w)-2]
	case len(w) > 2 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us"):
		return w[:len(w)-1]
	}
	return w
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// toolVerbs begin the names of tools, and say nothing of what these are about.
var toolVerbs = set("get read list find fetch show lookup look search check query load describe inspect view by all of for")

// idWords end the names of fields that tell rows apart. nounIDs do so if they
// are all of a name: a port is one, and ports are how many.
var (
	idWords = set("id uuid guid key n no nr num number name code sku ref reference slug title label serial email mail ip host hostname iban isbn ean login username handle index position pos")
	nounIDs = set("port account user customer client invoice ticket case item product article room seat flight gate page row line step year month day date week quarter order server node device switch interface vlan bed unit branch station region country city store shop site zone shelf bin batch lot job task issue build release version chapter section question candidate employee patient student team member vehicle car truck train bus route track channel sensor meter pump valve tank cell tower floor level table desk")
)

// A mention is an entry, where the answer says it. It is sure if it cannot
// well be taken for anything else.
type mention struct {
	entry
	at   Range
	sure bool
}

// A talk is what a range of the answer says of a grid.
type talk struct {
	of    map[int32][]mention // by owner
	shape map[int32][]mention // by the shape of the owner
	all   []mention           // in the order in which they are said
}

// talk lists what a range of the answer says of a grid, but for what stands at
// one place of it.
func (q *inquiry) talk(of gridOf, g *grid, scope Range) *talk {
	key := talkOf{of, scope}
	if t, ok := q.rowing.talks[key]; ok {
		return t
	}
	t := &talk{of: map[int32][]mention{}, shape: map[int32][]mention{}}
	q.rowing.talks[key] = t
	for _, at := range q.rowing.said.in(scope) {
		for _, e := range g.said[at.id] {
			if !q.step(1) {
				return t
			}
			m := mention{e, at.Range, q.sure(at.Range, g.classOf(e))}
			if r, _ := utf8.DecodeRuneInString(q.answer[at.Start:]); e.part && !unicode.IsUpper(r) {
				continue
			}
			if !m.sure && e.kind >= 0 && !g.shapes[e.kind].id && vague(q.answer[at.Start:at.End], g.plain(&g.nodes[e.node])) {
				continue
			}
			t.all = append(t.all, m)
			t.of[e.owner] = append(t.of[e.owner], m)
			t.shape[e.shape] = append(t.shape[e.shape], m)
		}
	}
	return t
}

// vague reports whether a text says a short name only by chance: "it" is not IT.
func vague(text, name string) bool { return utf8.RuneCountInString(name) <= 3 && text != name }

func (g *grid) classOf(e entry) []string {
	if e.kind < 0 {
		if p := g.nodes[e.node].parent; p >= 0 {
			return g.shapes[g.shape[p]].class
		}
		return nil
	}
	return g.shapes[e.kind].class
}

// sure reports whether a place of the answer says an id: it has letters, or
// many digits, or says before it of what it is one.
func (q *inquiry) sure(at Range, class []string) bool {
	text := q.answer[at.Start:at.End]
	letters, digits := 0, 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
		} else if unicode.IsDigit(r) {
			digits++
		}
	}
	if letters > 2 || letters > 0 && digits > 0 || digits > 3 || letters == 2 && (text == strings.ToUpper(text) || isCapital(text) && !functionWords[strings.ToLower(text)]) {
		return true
	}
	noun, marked := q.nounBefore(at.Start)
	counts := q.counts(at)
	if noun == "" {
		return marked && !(counts && strings.HasPrefix(q.answer[at.End:], " ")) // 2 builds
	}
	fold := singular(strings.ToLower(noun))
	if marked || slices.Contains(class, fold) {
		return true
	}
	if nounIDs[fold] && fold == strings.ToLower(noun) { // of another kind, if that is known
		return !slices.ContainsFunc(class, func(w string) bool { return nounIDs[w] })
	}
	if r, _ := utf8.DecodeRuneInString(noun); !unicode.IsUpper(r) || functionWords[strings.ToLower(noun)] {
		return false
	}
	return !counts
}

// counts reports whether a number says how many: what follows is a unit, or there
// are several of it.
func (q *inquiry) counts(at Range) bool {
	next, _, _ := strings.Cut(strings.TrimLeft(q.answer[at.End:min(len(q.answer), at.End+24)], " "), " ")
	next = strings.TrimRight(next, ".,;:!?")
	return units[strings.ToLower(next)] || len(next) > 3 && strings.HasSuffix(next, "s") && !functionWords[next] && strings.ToLower(next) == next && !verbs[next]
}

// nounBefore is the word before a number: ports, of both numbers in "ports 1 and
// 3". Marked is set if a sign says that the number is one of a row: # or no., or that a
// line begins with it as a table's or a list's does.
func (q *inquiry) nounBefore(at int) (noun string, marked bool) {
	for range 16 {
		before := strings.TrimRight(q.answer[max(0, at-48):at], " \t*_`\"'(=:")
		if before == "" {
			return "", at <= 4
		}
		r, n := utf8.DecodeLastRuneInString(before)
		switch {
		case r == '#':
			marked = true
			at -= len(q.answer[max(0, at-48):at]) - len(before) + n
			continue
		case r == '|' || r == '\n':
			return "", true
		case ends(r) && !abbreviated(before[:len(before)-n], q.answer[at:min(len(q.answer), at+16)]):
			return "", marked // that was another sentence
		case r == '-' || r == '•':
			return "", strings.HasSuffix(before, "\n-") || before == "-"
		}
		skipped := len(q.answer[max(0, at-48):at]) - len(before)
		begin := strings.LastIndexFunc(before, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != ',' }) + 1
		word := strings.Trim(before[begin:], ".,")
		switch fold := strings.ToLower(word); {
		case fold == "no" || fold == "nr" || fold == "number" || fold == "num" || fold == "id":
			marked = true
		case fold == "and" || fold == "or" || fold == "" || fold == "to" || strings.Trim(word, "0123456789") == "":
		default:
			return word, marked
		}
		at -= skipped + len(before) - begin
	}
	return "", marked
}

var (
	functionWords = set("a about above after again all almost also am an and any are around as at be because been before being below between both but by can could did do does doing down during each either even every exactly few first for from further get gets got had has have having he her here hers him his how i if in into is it its itself just last least less like may me might mine more most much must my near nearly neither next no nor not now of off on once one only onto or other our ours out over own past per please roughly same second shall she should since so some soon still such than that the their theirs them then there these they this those through till to too total two under until up upon us very was we were what when where which while who whom whose why will with within without would yes you your yours see costs cost needs need takes took shows says saw found")
	verbs         = set("has was is does shows says reads gives lasts costs needs takes runs holds drops")
	contrastWords = set("unlike except besides excluding compared apart")
	units         = set("% ms s sec second seconds min minute minutes hour hours h day days week weeks month months year years time times percent euro euros eur usd dollar dollars cent cents kg g km m cm mm gb mb kb gib mib kib tb w kw v a hz mhz ghz °c °f")
)
