package explain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spoorhq/spoor/internal/value"
)

// A Conflict is a thing of which the model was shown different values: under one
// name, of one subject.
type Conflict struct {
	Field   string `json:"field"`
	Subject string `json:"subject"` // as in port 3, or the call that was made twice

	// Says are the places, earliest origin first.
	Says []Saying `json:"says"`
}

// A Saying is one place of a conflict.
type Saying struct {
	Event int    `json:"event"`
	Call  string `json:"call,omitempty"`
	Tool  string `json:"tool,omitempty"`
	Path  string `json:"path,omitempty"`
	Range        // of the piece
	Text  string `json:"text"`

	// At is where the answer says this value; empty if it does not.
	At []Range `json:"at,omitempty"`

	// Stale is set if a later result of the same call took the place of this one.
	Stale bool `json:"stale,omitempty"`

	shown, node int
}

// Bounds of conflicts. Where they are reached, the inquiry is cut.
const (
	maxConflicts = 64
	maxSayings   = 16
	maxThing     = 256 // bytes of a value
	maxLevels    = 6   // objects around a value that are looked at for ids
)

// An ident is an id of what a value is said of.
type ident struct {
	name  string   // of the field that has it, folded
	class []string // what it is an id of: port
	text  string   // folded
	said  string   // as it is written
	own   bool     // it stands in the row of the value
}

// A thing is a value under a name, and what it is said of.
type thing struct {
	shown, node int
	g           *grid
	field       string // folded
	ids         []ident
	call        string // the call and the path, if the path has no list in it
	rest        string // what else the row says
}

// conflicts lists those that touch what the answer says.
func (q *inquiry) conflicts(runs []Run) []Conflict {
	if q.notFound != nil || q.called < 0 {
		return nil
	}
	touched, at := q.touched(runs)
	if len(touched) == 0 {
		return nil
	}
	wanted := wanted{fields: map[string]bool{}, keys: map[string]bool{}, words: map[string]bool{}, calls: map[string]bool{}}
	for _, t := range touched {
		wanted.fields[t.field] = true
		for _, key := range t.keys() {
			wanted.keys[key] = true
		}
		for _, id := range t.ids {
			word, _, _ := strings.Cut(id.text, " ")
			wanted.words[word] = true
		}
		if call, _, ok := strings.Cut(t.call, "\x00$"); ok {
			wanted.calls[call] = true
		}
	}
	known := q.things(&wanted)
	var list []Conflict
	told := map[hit]bool{} // a place is in one conflict
	for _, t := range touched {
		n := &t.g.nodes[t.node]
		if told[hit{shown: t.shown, Range: Range{n.start, n.end}}] {
			continue
		}
		same := q.same(t, known)
		c := q.conflict(t, same, at)
		if c == nil || t.momentary() && !slices.ContainsFunc(c.Says, func(s Saying) bool { return s.At != nil }) {
			continue
		}
		for _, s := range c.Says {
			n := &q.grid(gridOf{s.shown, false}).nodes[s.node]
			told[hit{shown: s.shown, Range: Range{n.start, n.end}}] = true
		}
		if len(list) == maxConflicts {
			q.cut = true
			break
		}
		list = append(list, *c)
	}
	return list
}

// wanted is what is looked for: things of some fields and keys. A piece without
// any of the words, that did not come of the calls, has none.
type wanted struct{ fields, keys, words, calls map[string]bool }

// in reports whether a result may have something that is looked for.
func (w *wanted) in(q *inquiry, k int) bool {
	const short = 1 << 12 // of what is longer it costs more to know
	s := &q.shown[k]
	args := q.arguments(s)
	if len(s.data)+len(args) > short {
		return true
	}
	if call, ok := q.callKey(s.origin); ok && w.calls[call] {
		return true
	}
	for _, text := range []string{s.data, args} {
		for _, word := range wordsOf(text, nil) {
			if w.words[word.fold] {
				return true
			}
		}
	}
	return strings.Contains(s.data, `\`)
}

// A cell is a value of a part that was shown.
type cell struct{ shown, node int }

// touched lists the values that the answer says, and those of what it speaks
// of, and where it says them.
func (q *inquiry) touched(runs []Run) ([]thing, map[cell][]Range) {
	const most = 2048
	w := q.rowed()
	var list []thing
	seen := map[cell]bool{}
	at := map[cell][]Range{}
	add := func(shown int, r Range, said Range) {
		g := q.grid(gridOf{shown, false})
		if g == nil || len(list) == most {
			q.cut = q.cut || g != nil
			return
		}
		i := g.at(r)
		if i < 0 || g.nodes[i].container {
			return
		}
		c := cell{shown, i}
		if said.End > 0 && !slices.Contains(at[c], said) {
			at[c] = append(at[c], said)
		}
		if seen[c] {
			return
		}
		seen[c] = true
		if t, ok := q.thing(shown, g, i); ok {
			list = append(list, t)
		}
	}
	place := func(p Place, by *Source) {
		if p.Key || p.Argument {
			return
		}
		for i := range q.shown {
			s := &q.shown[i]
			if s.kind == FromResult && (p.Event != 0 && q.t.seq(s.origin) == p.Event && s.Call == p.Call || p.Event == 0 && by != nil && s.number == by.Part) {
				add(i, p.Range, Range{})
			}
		}
	}
	if w.judged == nil {
		q.sentences(runs)
	}
	for _, s := range w.judged {
		for _, c := range s.Claims {
			for _, p := range c.Instead {
				place(p, c.Source)
			}
			if c.Source == nil {
				continue
			}
			for k := range runs[c.Run].Sources {
				src := &runs[c.Run].Sources[k]
				if i, ok := w.parts[src.Part]; ok && src.Kind == FromResult && !src.Weak && !src.Brief && src.How != DerivedOf {
					add(i, src.Range, c.Range)
				}
			}
		}
		for _, p := range q.contradicted(s.Range, nil, nil) {
			place(p, nil)
		}
	}
	return list, at
}

// thing is what a value is and of what it is said; ok is false if that is not
// told.
func (q *inquiry) thing(shown int, g *grid, i int) (t thing, ok bool) {
	n := &g.nodes[i]
	if n.container || n.key < 0 || n.parent < 0 || g.shapes[g.shape[i]].id || g.plain(n) == "null" || len(g.plain(n)) > maxThing {
		return t, false
	}
	t = thing{shown: shown, node: i, g: g, field: foldName(g.name(n))}
	record := g.record(i)
	listed := false
	at := i
	if up := g.nodes[i].parent; !g.shapes[g.shape[up]].keyed {
		at = up
	} else {
		t.field = "" // the key says of what
		for p := up; p >= 0 && t.field == ""; p = g.nodes[p].parent {
			t.field = foldName(g.name(&g.nodes[p]))
		}
	}
	for c, level, n := at, 0, 0; c >= 0 && level < maxLevels && n < maxAround; c, level, n = g.nodes[c].parent, level+1, n+1 {
		if g.list(c) || g.table && c == 0 {
			listed = true
			level--
			continue
		}
		for _, k := range g.ids(c) {
			if k == i && c != i {
				continue
			}
			id := ident{own: c == record || c == i}
			if k == c {
				up := &g.shapes[g.shape[g.nodes[c].parent]]
				id.name, id.class, id.text = strings.Join(up.class, " "), up.class, foldText(g.name(&g.nodes[k]))
				id.said = g.name(&g.nodes[k])
			} else {
				s := &g.shapes[g.shape[k]]
				id.name, id.class, id.text = strings.Join(s.words, ""), s.class, foldText(g.plain(&g.nodes[k]))
				id.said = g.plain(&g.nodes[k])
				if s.class == nil {
					id.class = s.words
				}
			}
			t.ids = append(t.ids, id)
		}
	}
	if args := q.grid(gridOf{shown, true}); args != nil {
		for k := range args.nodes[:min(len(args.nodes), 64)] {
			s := &args.shapes[args.shape[k]]
			if !args.nodes[k].container && (s.id || args.nodes[k].quoted) && len(args.plain(&args.nodes[k])) <= maxID {
				class := s.class
				if class == nil {
					class = s.words
				}
				t.ids = append(t.ids, ident{name: strings.Join(s.words, ""), class: class, text: foldText(args.plain(&args.nodes[k])), said: args.plain(&args.nodes[k])})
			}
		}
	}
	if key, ok := q.callKey(q.shown[shown].origin); ok && !listed {
		t.call = key + "\x00" + g.path(n)
	}
	var rest []string
	for k := record + 1; k < min(len(g.nodes), record+64) && g.nodes[k].start < g.nodes[record].end; k++ {
		if c := &g.nodes[k]; k != i && c.parent == record && c.quoted && !g.shapes[g.shape[k]].id && len(g.plain(c)) <= maxID {
			rest = append(rest, g.name(c)+"="+g.plain(c))
		}
	}
	slices.Sort(rest)
	t.rest = strings.Join(rest, "\x00")
	return t, t.field != "" && (t.ids != nil || t.call != "")
}

// foldText is a text without case and without what stands between its words.
func foldText(text string) string {
	words := wordsOf(text, nil)
	fold := make([]string, len(words))
	for i, w := range words {
		fold[i] = w.fold
	}
	if len(words) == 0 {
		return text
	}
	return strings.Join(fold, " ")
}

// keys are those under which a thing is found: some of two that are one are the
// same.
func (t *thing) keys() []string {
	var keys []string
	for _, id := range t.ids {
		for _, class := range id.nouns() {
			keys = append(keys, t.field+"\x00"+class+"\x00"+id.text)
		}
	}
	if t.call != "" {
		keys = append(keys, "\x00"+t.call)
	}
	return keys
}

// nouns are what an id is one of; if nothing says that, what the field is
// called.
func (id *ident) nouns() []string {
	var nouns []string
	for _, w := range id.class {
		if (!idWords[w] || idKinds[w]) && !slices.Contains(nouns, w) {
			nouns = append(nouns, w)
		}
	}
	if nouns == nil {
		return id.class
	}
	return nouns
}

// idKinds are names of ids that mean the same wherever they stand.
var idKinds = set("sku iban isbn ean email mail ip host hostname serial uuid guid login username")

// things lists those in all results that have a field of these and a key of
// those, by key.
func (q *inquiry) things(wanted *wanted) map[string][]thing {
	const most = 1 << 10
	known := map[string][]thing{}
	for k := range q.shown {
		if q.shown[k].kind != FromResult || !wanted.in(q, k) {
			continue
		}
		g := q.grid(gridOf{k, false})
		if g == nil {
			continue
		}
		has := make([]bool, len(g.shapes))
		any := false
		for i, s := range g.shapes {
			keyed := s.parent >= 0 && g.shapes[s.parent].keyed
			has[i] = wanted.fields[foldName(s.name)] || keyed
			any = any || has[i]
		}
		for i := range g.nodes {
			if !any || !has[g.shape[i]] {
				continue
			}
			if !q.step(16) {
				return known
			}
			t, ok := q.thing(k, g, i)
			if !ok || !wanted.fields[t.field] {
				continue
			}
			for _, key := range t.keys() {
				if !wanted.keys[key] {
					continue
				}
				if len(known[key]) == most {
					q.cut = true
					continue
				}
				known[key] = append(known[key], t)
			}
		}
	}
	return known
}

// same lists what is said of the same as a thing, and itself.
func (q *inquiry) same(t thing, known map[string][]thing) []thing {
	var list []thing
	seen := map[cell]bool{}
	for _, key := range t.keys() {
		for _, o := range known[key] {
			if c := (cell{o.shown, o.node}); !seen[c] && q.step(1) && t.is(&o) {
				seen[c] = true
				list = append(list, o)
			}
		}
	}
	return list
}

// is reports whether nothing says that two things are not one.
func (t *thing) is(o *thing) bool {
	if t.shown == o.shown && t.node == o.node {
		return true
	}
	if t.call != "" && t.call == o.call {
		return true
	}
	one := false // an id of both says so; then a name of other kind does not refute it
	for _, a := range t.ids {
		one = one || slices.ContainsFunc(o.ids, func(b ident) bool { return a.text == b.text && overlap(a.nouns(), b.nouns()) })
	}
	for _, a := range t.ids {
		for _, b := range o.ids {
			if a.text == b.text {
				continue
			}
			if a.name == b.name && (a.own && b.own || overlap(a.nouns(), b.nouns())) || !one && numeric(a.text) == numeric(b.text) && a.nouns()[0] == b.nouns()[0] {
				return false
			}
		}
	}
	if t.shown == o.shown && t.rest != o.rest && t.g.nodes[t.g.record(t.node)].parent == o.g.nodes[o.g.record(o.node)].parent {
		return false
	}
	return true
}

func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

func numeric(s string) bool { return strings.Trim(s, "0123456789 ") == "" }

// conflict is that of a thing, if what is said of it differs; else nil.
func (q *inquiry) conflict(t thing, same []thing, at map[cell][]Range) *Conflict {
	differ := false
	for i := range same {
		if differ = differs(&t, &same[i]); differ {
			break
		}
	}
	if !differ {
		return nil
	}
	c := &Conflict{Field: t.g.name(&t.g.nodes[t.node]), Subject: t.subject(q, same)}
	slices.SortFunc(same, func(a, b thing) int {
		return cmp.Or(cmp.Compare(q.shown[a.shown].origin, q.shown[b.shown].origin), cmp.Compare(a.shown, b.shown), cmp.Compare(a.node, b.node))
	})
	for i := range same {
		if len(c.Says) == maxSayings {
			q.cut = true
			break
		}
		o := &same[i]
		s := &q.shown[o.shown]
		n := &o.g.nodes[o.node]
		stale := q.stale(s)
		c.Says = append(c.Says, Saying{
			Event: q.t.seq(s.origin), Call: s.Call, Tool: s.Tool, Path: o.g.path(n), Range: o.g.content(n), Text: o.g.plain(n),
			At: at[cell{o.shown, o.node}], Stale: stale != nil && !stale.Same, shown: o.shown, node: o.node,
		})
	}
	return c
}

// differs reports whether two things have different values.
func differs(a, b *thing) bool {
	x, y := a.g.plain(&a.g.nodes[a.node]), b.g.plain(&b.g.nodes[b.node])
	v, w := value.Scan(x), value.Scan(y)
	if len(v) == 1 && len(w) == 1 && v[0].Start == 0 && v[0].End == len(x) && w[0].Start == 0 && w[0].End == len(y) {
		return value.Same(v[0].Under(a.name()), w[0].Under(b.name())) == value.None
	}
	return foldText(x) != foldText(y)
}

func (t *thing) name() string { return t.g.name(&t.g.nodes[t.node]) }

// momentary reports whether a value says when or in what order it was read, and
// differs each time.
func (t *thing) momentary() bool {
	for w := range wordsIn(t.name()) {
		if momentWords[w] {
			return true
		}
	}
	return false
}

var momentWords = set("at time timestamp ts epoch seq sequence")

// subject says what the values of a conflict are said of.
func (t *thing) subject(q *inquiry, same []thing) string {
	for _, id := range t.ids {
		shared := true
		for i := range same {
			shared = shared && slices.ContainsFunc(same[i].ids, func(o ident) bool { return o.text == id.text && overlap(o.nouns(), id.nouns()) })
		}
		if shared && len(same) > 1 {
			return id.nouns()[0] + " " + id.said
		}
	}
	s := &q.shown[t.shown]
	return s.Tool + " " + clip(q.arguments(s), 60)
}
