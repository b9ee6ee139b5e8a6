package explain

import (
	"hash/maphash"
	"slices"
	"strings"
	"unicode/utf8"
)

// An Edit is one place where two texts differ.
type Edit struct {
	Kind EditKind `json:"kind"`

	// Path is where: in JSON a path such as $.orders[3].id, in a map a Ref, in
	// a text "line 4". In B it stands at PathB, if that is elsewhere.
	Path  string `json:"path"`
	PathB string `json:"pathB,omitempty"`

	// A and B are what stands there, up to a few hundred bytes from where the
	// two begin to differ.
	A string `json:"a,omitempty"`
	B string `json:"b,omitempty"`

	// Words cuts a text that changed into what both have and what not; nil if
	// it is no text, or if there is too much to compare.
	Words []Segment `json:"words,omitempty"`
}

// EditKind says what became of a place from A to B.
type EditKind string

const (
	Added   EditKind = "added"   // only B has it
	Removed EditKind = "removed" // only A has it
	Changed EditKind = "changed" // both have it, and differ
)

// place names where a change is, whichever text is named first.
func (c *Edit) place() string {
	if c.PathB != "" {
		return min(c.Path, c.PathB)
	}
	return c.Path
}

// mirror makes it the change from B to A.
func (c *Edit) mirror() {
	switch c.Kind {
	case Added:
		c.Kind = Removed
	case Removed:
		c.Kind = Added
	}
	if c.PathB != "" {
		c.Path, c.PathB = c.PathB, c.Path
	}
	c.A, c.B = c.B, c.A
	for i := range c.Words {
		s := &c.Words[i]
		s.A, s.B = s.B, s.A
	}
}

// What a list of changes holds.
const (
	maxChanges     = 100
	maxChangeShown = 400 // bytes of a value
	maxEdits       = 400 // of a list, before it is compared place by place
	maxWordBytes   = 4 << 10
)

// newEdit is a change of two texts that are shown cut to where they begin to
// differ. Text says that they are texts, whose words can be compared.
func newEdit(path, pathB, a, b string, text bool) Edit {
	c := Edit{Kind: Changed, Path: path}
	if pathB != path {
		c.PathB = pathB
	}
	if text && len(a) <= maxWordBytes && len(b) <= maxWordBytes {
		c.Words = compareWords(strings.ToValidUTF8(a, "\uFFFD"), strings.ToValidUTF8(b, "\uFFFD"))
	}
	c.A, c.B = apart(a, b)
	return c
}

func oneSided(kind EditKind, path, text string) Edit {
	c := Edit{Kind: kind, Path: path}
	if text = excerpt(text, 0); kind == Added {
		c.B = text
	} else {
		c.A = text
	}
	return c
}

// apart cuts two texts to where they begin to differ, and what stands around
// that.
func apart(a, b string) (string, string) {
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	const before = 60
	from := 0
	if len(a) > maxChangeShown || len(b) > maxChangeShown {
		from = max(0, same-before)
	}
	return excerpt(a, from), excerpt(b, from)
}

// excerpt is what a text has from a byte on, as far as it is shown.
func excerpt(s string, from int) string {
	from = min(from, len(s))
	for from > 0 && from < len(s) && !utf8.RuneStart(s[from]) {
		from--
	}
	head, tail := either(from > 0, "…", ""), ""
	if s = s[from:]; len(s) > maxChangeShown {
		s, tail = s[:maxChangeShown], "…"
		for k := len(s) - 1; k >= len(s)-utf8.UTFMax; k-- {
			if utf8.RuneStart(s[k]) {
				if !utf8.FullRuneInString(s[k:]) {
					s = s[:k]
				}
				break
			}
		}
	}
	return head + strings.ToValidUTF8(s, "\uFFFD") + tail
}

// changesOf compares two texts: by path if both are JSON, else line by line.
// More says that there are more changes than are listed, or too much to
// compare. Texts that differ have at least one change.
func changesOf(a, b string) (list []Edit, more bool) {
	if a == b {
		return nil, false
	}
	if da, db := parseFlat(a), parseFlat(b); da != nil && db != nil && (da.nodes[0].container || db.nodes[0].container) {
		d := jsonDiff{a: newTree(da), b: newTree(db)}
		d.values(0, 0)
		if d.list != nil {
			return d.list, d.more
		}
		return []Edit{newEdit("$", "$", a, b, false)}, false // the same values, written otherwise
	}
	return lineChanges(a, b)
}

// lineChanges compares two texts line by line.
func lineChanges(a, b string) (list []Edit, more bool) {
	rowsA, rowsB := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
	if len(rowsA) == 1 && len(rowsB) == 1 {
		return []Edit{newEdit("line 1", "line 1", a, b, true)}, false
	}
	ids := map[string]int32{}
	number := func(rows []string) []int32 {
		list := make([]int32, len(rows))
		for i, row := range rows {
			if _, ok := ids[row]; !ok {
				ids[row] = int32(len(ids))
			}
			list[i] = ids[row]
		}
		return list
	}
	pairs, full := align(number(rowsA), number(rowsB), maxEdits)
	more = !full
	row := func(s string) string { return strings.TrimRight(s, "\r\n") }
	name := func(i int) string { return "line " + itoa(i+1) }
	gaps(pairs, len(rowsA), len(rowsB), func(i, j int) bool {
		switch {
		case len(list) == maxChanges:
			more = true
			return false
		case i < 0:
			list = append(list, oneSided(Added, name(j), row(rowsB[j])))
		case j < 0:
			list = append(list, oneSided(Removed, name(i), row(rowsA[i])))
		default:
			list = append(list, newEdit(name(i), name(j), row(rowsA[i]), row(rowsB[j]), true))
		}
		return true
	})
	return list, more
}

// gaps yields what stands between the pairs of an alignment, paired in order as
// far as both lists have something there; -1 stands for nothing.
func gaps(pairs []pair, n, m int, yield func(i, j int) bool) {
	i, j := 0, 0
	for k := range len(pairs) + 1 {
		p := pair{n, m}
		if k < len(pairs) {
			p = pairs[k]
		}
		for i < p.a || j < p.b {
			x, y := -1, -1
			if i < p.a {
				x, i = i, i+1
			}
			if j < p.b {
				y, j = j, j+1
			}
			if !yield(x, y) {
				return
			}
		}
		i, j = p.a+1, p.b+1
	}
}

// A tree is a document whose values know what they hold.
type tree struct {
	*document
	kids [][]int32 // of a container, in order
	sums []uint64  // equal for equal values, keys in any order
}

var seed = maphash.MakeSeed()

func newTree(d *document) *tree {
	t := &tree{document: d, kids: make([][]int32, len(d.nodes)), sums: make([]uint64, len(d.nodes))}
	for i := 1; i < len(d.nodes); i++ {
		p := d.nodes[i].parent
		t.kids[p] = append(t.kids[p], int32(i))
	}
	for i := len(d.nodes) - 1; i >= 0; i-- {
		n := &d.nodes[i]
		if !n.container {
			t.sums[i] = maphash.String(seed, t.scalar(i))
			continue
		}
		var h maphash.Hash
		h.SetSeed(seed)
		if t.text[n.start] == '[' {
			h.WriteByte('[')
			for _, k := range t.kids[i] {
				maphash.WriteComparable(&h, t.sums[k])
			}
			t.sums[i] = h.Sum64()
			continue
		}
		h.WriteByte('{')
		var sum uint64
		for _, k := range t.members(i) {
			sum += maphash.Comparable(seed, member{t.name(int(k)), t.sums[k]})
		}
		maphash.WriteComparable(&h, sum)
		t.sums[i] = h.Sum64()
	}
	return t
}

type member struct {
	name string
	sum  uint64
}

// raw is the text of a value.
func (t *tree) raw(i int) string { return t.text[t.nodes[i].start:t.nodes[i].end] }

// scalar is a text that is equal for equal values.
func (t *tree) scalar(i int) string {
	raw := t.raw(i)
	if raw[0] == '"' && strings.IndexByte(raw, '\\') >= 0 {
		return `"` + unescaped(raw[1:len(raw)-1]) + `"`
	}
	return raw
}

// name is the key of a member.
func (t *tree) name(i int) string {
	key := t.nodes[i].key
	name := t.text[key+1 : stringEnd(t.text, key)-1]
	if strings.IndexByte(name, '\\') >= 0 {
		name = unescaped(name)
	}
	return name
}

func (t *tree) is(i int, open byte) bool { return t.text[t.nodes[i].start] == open }

// members are those of an object, of two with one name the last.
func (t *tree) members(i int) []int32 {
	kids := t.kids[i]
	last := make(map[string]int32, len(kids))
	for _, k := range kids {
		last[t.name(int(k))] = k
	}
	if len(last) == len(kids) {
		return kids
	}
	return slices.DeleteFunc(slices.Clone(kids), func(k int32) bool { return last[t.name(int(k))] != k })
}

// called is what names an element of a list; empty if nothing does.
func (t *tree) called(i int) string {
	if !t.is(i, '{') {
		return ""
	}
	var from, to, use string
	for _, k := range t.kids[i] {
		switch t.name(int(k)) {
		case "id", "name":
			return t.scalar(int(k))
		case "from":
			from = t.scalar(int(k))
		case "to":
			to = t.scalar(int(k))
		case "use":
			use = t.scalar(int(k))
		}
	}
	return from + to + use
}

// A jsonDiff compares two trees.
type jsonDiff struct {
	a, b *tree
	list []Edit
	more bool
}

func (d *jsonDiff) add(c Edit) bool {
	if len(d.list) == maxChanges {
		d.more = true
		return false
	}
	d.list = append(d.list, c)
	return true
}

func (d *jsonDiff) removed(i int32) bool {
	return d.add(oneSided(Removed, d.a.path(&d.a.nodes[i]), d.a.raw(int(i))))
}

func (d *jsonDiff) added(j int32) bool {
	return d.add(oneSided(Added, d.b.path(&d.b.nodes[j]), d.b.raw(int(j))))
}

// values compares two values. It returns false once there is no room for more
// changes.
func (d *jsonDiff) values(i, j int) bool {
	switch {
	case d.a.sums[i] == d.b.sums[j]:
		return true
	case d.a.is(i, '{') && d.b.is(j, '{'):
		return d.objects(i, j)
	case d.a.is(i, '[') && d.b.is(j, '['):
		return d.arrays(d.a.kids[i], d.b.kids[j])
	}
	a, b := d.a.raw(i), d.b.raw(j)
	text := d.a.is(i, '"') && d.b.is(j, '"')
	return d.add(newEdit(d.a.path(&d.a.nodes[i]), d.b.path(&d.b.nodes[j]), a, b, text))
}

func (d *jsonDiff) objects(i, j int) bool {
	names := map[string]int32{}
	for _, k := range d.b.members(j) {
		names[d.b.name(int(k))] = k
	}
	for _, k := range d.a.members(i) {
		name := d.a.name(int(k))
		other, both := names[name]
		delete(names, name)
		if both && !d.values(int(k), int(other)) || !both && !d.removed(k) {
			return false
		}
	}
	for _, k := range d.b.members(j) {
		if _, left := names[d.b.name(int(k))]; left && !d.added(k) {
			return false
		}
	}
	return true
}

// arrays pairs what is equal, between that what has the same name, and between
// that in order.
func (d *jsonDiff) arrays(a, b []int32) bool {
	ids := map[uint64]int32{}
	number := func(t *tree, list []int32) []int32 {
		out := make([]int32, len(list))
		for i, k := range list {
			if _, ok := ids[t.sums[k]]; !ok {
				ids[t.sums[k]] = int32(len(ids))
			}
			out[i] = ids[t.sums[k]]
		}
		return out
	}
	pairs, full := align(number(d.a, a), number(d.b, b), maxEdits)
	d.more = d.more || !full
	ok := true
	between(pairs, len(a), len(b), func(i, endA, j, endB int) bool {
		ok = d.gap(a[i:endA], b[j:endB])
		return ok
	})
	return ok
}

// gap compares what stands between two pairs.
func (d *jsonDiff) gap(a, b []int32) bool {
	names := map[string]int32{}
	number := func(t *tree, list []int32) []int32 {
		out := make([]int32, len(list))
		for i, k := range list {
			name := t.called(int(k))
			if _, ok := names[name]; !ok {
				names[name] = int32(len(names))
			}
			if out[i] = names[name]; name == "" {
				out[i] = -1 - k // nothing names it
			}
		}
		return out
	}
	var named []pair
	if len(a) > 0 && len(b) > 0 && (len(a) > 1 || len(b) > 1) {
		na, nb := number(d.a, a), number(d.b, b)
		for i := range nb {
			if nb[i] < 0 {
				nb[i] = -1 << 30 // equals nothing of a
			}
		}
		named, _ = align(na, nb, maxEdits)
	}
	compare := func(i, j int) bool {
		switch {
		case i < 0:
			return d.added(b[j])
		case j < 0:
			return d.removed(a[i])
		}
		return d.values(int(a[i]), int(b[j]))
	}
	ok := true
	i, j := 0, 0
	for _, p := range append(named, pair{len(a), len(b)}) {
		gaps(nil, p.a-i, p.b-j, func(x, y int) bool {
			if x >= 0 {
				x += i
			}
			if y >= 0 {
				y += j
			}
			ok = compare(x, y)
			return ok
		})
		if !ok {
			return false
		}
		if p.a < len(a) && !compare(p.a, p.b) {
			return false
		}
		i, j = p.a+1, p.b+1
	}
	return true
}

// between yields the stretches of two lists between the pairs of an alignment.
func between(pairs []pair, n, m int, yield func(i, endA, j, endB int) bool) {
	i, j := 0, 0
	for k := range len(pairs) + 1 {
		p := pair{n, m}
		if k < len(pairs) {
			p = pairs[k]
		}
		if (i < p.a || j < p.b) && !yield(i, p.a, j, p.b) {
			return
		}
		i, j = p.a+1, p.b+1
	}
}
