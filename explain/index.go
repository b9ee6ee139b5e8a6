package explain

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spoorhq/spoor/internal/value"
	"github.com/spoorhq/spoor/model"
)

// A corpus knows what stands where in some pieces: every stretch of minCopy
// bytes, as it is written and folded, what fills a JSON value, names, and
// values. It is made once, never changes, and any text can be looked up in it.
//
// A piece is in it as it is, and so is every string of its JSON that has
// escapes, without them. These views stand one after the other in text.
type corpus struct {
	pieces []piece
	known  map[model.Digest]int
	views  []view
	text   string
	folded string  // the views folded, in the same order
	foldAt []int32 // where each byte of folded stands in text
	exact  grams   // of text
	loose  grams   // of folded
	leaves table   // by what fills a JSON value, or all of a result
	fills  []Range // of text
	hashes []uint64
	names  table   // by a word that begins with a capital letter
	words  []Range // that word in text
	keys   table   // by what a value may be found by
	filed  []filed
	values []indexed // piece by piece
	cut    bool      // there was too much
}

// A piece of content, each only once.
type piece struct {
	data   string
	json   *document
	values [2]int // of the index
	groups []group
	tried  bool // groups were looked for
}

// A view is a text in which words are looked for: all of a piece, or one JSON
// string of it with its escapes undone.
type view struct {
	piece      int32
	start, end int32 // of the text of the index
	fold       int32 // where it begins in what is folded
	plain      plainText
}

// An indexed value is one that a piece names.
type indexed struct {
	value.Value
	Range     // of the piece
	node  int // of its document, -1 if it is in none; a key is of the value that it names
}

// A filed value is found by a key.
type filed struct {
	key   value.Key
	value int32
}

// A raw piece is one to be indexed.
type raw struct {
	digest model.Digest
	data   string
	json   bool // also a number or a string alone is JSON
}

// newCorpus makes a corpus of pieces.
func newCorpus(pieces []raw) *corpus {
	ix := &corpus{known: map[model.Digest]int{}}
	var text strings.Builder
	room, size := maxShown, 0
	for _, p := range pieces {
		size += len(p.data)
	}
	ix.values = make([]indexed, 0, min(size/32, maxValues))
	for _, p := range pieces {
		if _, again := ix.known[p.digest]; again {
			continue
		}
		if room -= len(p.data); room < 0 {
			ix.cut = true
			break
		}
		ix.known[p.digest] = len(ix.pieces)
		ix.add(p, &text)
	}
	ix.text = text.String()
	ix.foldAll()
	ix.exact, ix.loose = newGrams(ix.text), newGrams(ix.folded)
	ix.fileLeaves()
	ix.fileNames()
	ix.fileValues()
	return ix
}

func (ix *corpus) add(p raw, text *strings.Builder) {
	n := piece{data: p.data}
	if p.json || isContainer(p.data) {
		n.json = parseDocument(p.data)
	}
	texts := []plainText{{text: p.data}}
	if n.json != nil {
		texts = n.json.texts
	}
	first := len(ix.views)
	for _, t := range texts {
		start := int32(text.Len())
		text.WriteString(t.text)
		ix.views = append(ix.views, view{piece: int32(len(ix.pieces)), start: start, end: int32(text.Len()), plain: t})
	}
	switch {
	case n.json != nil:
		for i := range n.json.nodes {
			if node := &n.json.nodes[i]; !node.container {
				start := int(ix.views[first+int(node.plain)].start)
				ix.fills = append(ix.fills, Range{start + int(node.from), start + int(node.to)})
			}
		}
	case p.json:
		ix.fills = append(ix.fills, Range{int(ix.views[first].start), int(ix.views[first].end)})
	}
	n.values[0] = len(ix.values)
	ix.collect(&n)
	n.values[1] = len(ix.values)
	ix.pieces = append(ix.pieces, n)
}

// collect lists the values of a piece.
func (ix *corpus) collect(p *piece) {
	full := func() bool {
		ix.cut = ix.cut || len(ix.values) >= maxValues
		return len(ix.values) >= maxValues
	}
	if p.json == nil {
		for v := range value.All(p.data) {
			if full() {
				return
			}
			ix.values = append(ix.values, indexed{v, Range{v.Start, v.End}, -1})
		}
		return
	}
	d := p.json
	for i := range d.nodes {
		n := &d.nodes[i]
		if full() {
			return
		}
		name := ""
		if n.key >= 0 {
			name = d.name(n)
			if hasDigit(name) {
				at := plainText{text: name}
				from := 0
				if of := &d.texts[n.nameIn]; strings.IndexByte(of.text[n.name[0]:n.name[1]], '\\') >= 0 {
					at = unescape(of, int(n.name[0]), int(n.name[1]))
				} else {
					at, from = *of, int(n.name[0])
				}
				for v := range value.All(name) {
					ix.values = append(ix.values, indexed{v, Range{at.place(from + v.Start), at.place(from + v.End)}, i})
				}
			}
		} else if n.parent >= 0 && !n.inside { // in an array the unit is in the name of the array
			if up := &d.nodes[n.parent]; up.key >= 0 {
				name = d.name(up)
			}
		}
		if n.container {
			continue
		}
		at := &d.texts[n.plain]
		for v := range value.All(d.plain(n)) {
			r := Range{at.place(int(n.from) + v.Start), at.place(int(n.from) + v.End)}
			ix.values = append(ix.values, indexed{v.Under(name), r, i})
		}
	}
}

func hasDigit(s string) bool {
	for i := range len(s) {
		if '0' <= s[i] && s[i] <= '9' {
			return true
		}
	}
	return false
}

func (ix *corpus) foldAll() {
	size := len(ix.text) + len(ix.text)/16
	folded, at := make([]byte, 0, size), make([]int32, 0, size)
	for i := range ix.views {
		v := &ix.views[i]
		v.fold = int32(len(folded))
		folded, at = fold(folded, at, ix.text[v.start:v.end], v.start)
	}
	ix.folded, ix.foldAt = string(folded), at
}

func (ix *corpus) fileLeaves() {
	ix.leaves, ix.hashes = newTable(len(ix.fills)), make([]uint64, len(ix.fills))
	for i, r := range ix.fills {
		if r.Start < r.End && r.End-r.Start <= 2*maxFill {
			ix.hashes[i] = foldedHash(ix.text[r.Start:r.End])
			ix.leaves.put(ix.hashes[i], i)
		}
	}
}

func (ix *corpus) fileNames() {
	for k := range ix.views {
		v := &ix.views[k]
		text := ix.text[v.start:v.end]
		for i := 0; i < len(text); i++ {
			if c := text[i]; c < utf8.RuneSelf && (c < 'A' || c > 'Z') {
				continue
			}
			if wordEdge(text, i) && isCapital(text[i:]) {
				n := wordLen(text[i:])
				ix.words = append(ix.words, Range{int(v.start) + i, int(v.start) + i + n})
				i += n - 1
			}
		}
	}
	ix.names = newTable(len(ix.words))
	for i, r := range ix.words {
		ix.names.put(foldedHash(ix.text[r.Start:r.End]), i)
	}
}

func (ix *corpus) fileValues() {
	var keys []value.Key
	ix.filed = make([]filed, 0, 2*len(ix.values))
	for i := range ix.values {
		keys = ix.values[i].AppendKeys(keys[:0])
		for _, k := range keys {
			ix.filed = append(ix.filed, filed{k, int32(i)})
		}
	}
	ix.keys = newTable(len(ix.filed))
	for i, f := range ix.filed {
		ix.keys.put(uint64(f.key), i)
	}
}

// viewAt is the view that byte i of the text is in.
func (ix *corpus) viewAt(i int) *view {
	n := sort.Search(len(ix.views), func(k int) bool { return int(ix.views[k].end) > i })
	return &ix.views[n]
}

// foldedView is the view that byte i of what is folded is in, and its range
// there.
func (ix *corpus) foldedView(i int) (v *view, from, to int) {
	n := sort.Search(len(ix.views), func(k int) bool { return int(ix.views[k].fold) > i }) - 1
	to = len(ix.folded)
	if n+1 < len(ix.views) {
		to = int(ix.views[n+1].fold)
	}
	return &ix.views[n], int(ix.views[n].fold), to
}

// place is where a range of the text stands in the piece.
func (v *view) place(start, end int) Range {
	return Range{v.plain.place(start - int(v.start)), v.plain.place(end - int(v.start))}
}

// A table finds numbers by a hash. Those of one hash come in falling order, and
// others may come between them.
type table struct {
	heads, next []int32
	shift       uint
}

func newTable(n int) table {
	t := table{shift: 64, next: make([]int32, n)}
	size := 1
	for ; size < 2*n; t.shift-- {
		size *= 2
	}
	t.heads = make([]int32, size)
	for i := range t.heads {
		t.heads[i] = -1
	}
	return t
}

func (t *table) slot(h uint64) uint64 {
	if t.shift == 64 {
		return 0
	}
	return h * 0x9E3779B97F4A7C15 >> t.shift
}

func (t *table) put(h uint64, i int) {
	slot := t.slot(h)
	t.next[i], t.heads[slot] = t.heads[slot], int32(i)
}

func (t *table) first(h uint64) int32 { return t.heads[t.slot(h)] }

const (
	offset = 14695981039346656037
	prime  = 1099511628211
)

// grams find where a stretch of a text stands: they have the hash of every
// shingle bytes that begin at a multiple of stride, so one of them is in every
// stretch of shingle+stride-1 bytes, which is minCopy.
type grams struct {
	text  string
	table table
	marks []byte // of each, the end of its hash, so that few others are looked at
}

const (
	stride  = 8
	shingle = minCopy - stride + 1
)

func newGrams(text string) grams {
	n := max(0, (len(text)-shingle+stride)/stride)
	g := grams{text, newTable(n), make([]byte, n)}
	for i := 0; i+shingle <= len(text); i += stride {
		h := gramHash(text, i)
		g.marks[i/stride] = byte(h)
		g.table.put(h, i/stride)
	}
	return g
}

func gramHash(s string, i int) uint64 {
	_ = s[i+shingle-1]
	x := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
		uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
	x *= 0xff51afd7ed558ccd
	return (x ^ x>>32) + uint64(s[i+8])
}

// match yields the longest stretches of at least minCopy bytes that stand in a
// and, from p on, in one view of the text, whose bounds it is told. It reports
// false if that takes too many steps.
func (g *grams) match(a string, steps *int, bounds func(p int) (from, to int), yield func(i, p, n int)) bool {
	s := g.text
	for i := 0; i+shingle <= len(a); i++ {
		h := gramHash(a, i)
		for k := g.table.first(h); k >= 0; k = g.table.next[k] {
			if *steps--; *steps < 0 {
				return false
			}
			p := int(k) * stride
			if g.marks[k] != byte(h) || s[p:p+shingle] != a[i:i+shingle] {
				continue // the hash lied
			}
			n := shingle
			for i+n < len(a) && p+n < len(s) && a[i+n] == s[p+n] {
				n++
			}
			before := 0
			for before < stride && before < i && before < p && a[i-before-1] == s[p-before-1] {
				before++
			}
			*steps -= n / 8
			if before+n < minCopy {
				continue
			}
			from, to := bounds(p)
			if before == stride && p-before >= from {
				continue // the shingle before this one has found it
			}
			before, n = min(before, p-from), min(n, to-p)
			if before+n >= minCopy {
				yield(i-before, p-before, before+n)
			}
		}
	}
	return true
}

// fold appends a text as it reads when case, the kind of space, of quotation
// mark and of dash do not matter, and for every byte where it stands: base is
// where the text begins. A run of space is one blank. Where at is nil it stays
// nil.
func fold(dst []byte, at []int32, s string, base int32) ([]byte, []int32) {
	begin := len(dst)
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c = folds[c]; c != ' ' || len(dst) == begin || dst[len(dst)-1] != ' ' {
				dst = append(dst, c)
				if at != nil {
					at = append(at, base+int32(i))
				}
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		from := len(dst)
		switch r = foldRune(r); {
		case r == utf8.RuneError && n == 1:
			dst = append(dst, s[i])
		case r == ' ':
			if len(dst) == begin || dst[len(dst)-1] != ' ' {
				dst = append(dst, ' ')
			}
		case r >= 0:
			dst = utf8.AppendRune(dst, r)
		}
		if at != nil {
			for range len(dst) - from {
				at = append(at, base+int32(i))
			}
		}
		i += n
	}
	return dst, at
}

// folds folds ASCII.
var folds = func() (t [utf8.RuneSelf]byte) {
	for i := range t {
		t[i] = byte(i)
		switch c := rune(i); {
		case unicode.IsSpace(c):
			t[i] = ' '
		case c == '`' || c == '"':
			t[i] = '\''
		default:
			t[i] = byte(unicode.ToLower(c))
		}
	}
	return t
}()

// foldRune folds a rune that is not ASCII; -1 if it is not seen.
func foldRune(r rune) rune {
	switch r {
	case '‘', '’', '‚', '‛', '´', '′', '‹', '›', '“', '”', '„', '‟', '″', '«', '»':
		return '\''
	case '‐', '‑', '‒', '–', '—', '―', '−', '﹣', '－':
		return '-'
	case '\u00AD', '\u200B', '\u200C', '\u200D', '\u2060', '\uFEFF':
		return -1
	}
	if unicode.IsSpace(r) {
		return ' '
	}
	return unicode.ToLower(unicode.ToUpper(r))
}

// folded is a text folded, without space around it.
func folded(s string) string {
	b, _ := fold(nil, nil, s, 0)
	return strings.Trim(string(b), " ")
}

// foldedHash is the hash of folded.
func foldedHash(s string) uint64 {
	var room [64]byte
	b, _ := fold(room[:0], nil, s, 0)
	for len(b) > 0 && b[0] == ' ' {
		b = b[1:]
	}
	for len(b) > 0 && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	h := uint64(offset)
	for _, c := range b {
		h = (h ^ uint64(c)) * prime
	}
	return h
}

// isCapital reports whether s begins with a capital letter.
func isCapital(s string) bool {
	if c := s[0]; c < utf8.RuneSelf {
		return 'A' <= c && c <= 'Z'
	}
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r)
}

// wordLen is the length of the word that s begins with.
func wordLen(s string) int {
	i := 0
	for i < len(s) {
		if c := s[i]; c < utf8.RuneSelf {
			if !wordByte[c] {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if !inWord(r) {
			return i
		}
		i += n
	}
	return i
}
