package explain

import (
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Bounds of the search. What goes beyond them is said in Unsearched.
const (
	minCopy    = 16       // bytes of a stretch that counts as copied by its length
	maxValue   = 256      // bytes of a JSON value that counts because the answer has all of it
	maxAnswer  = 1 << 20  // bytes of an answer that are searched
	maxShown   = 64 << 20 // bytes of what the model was shown that are searched
	maxMatches = 1 << 16  // matches that are kept
	maxSteps   = 1 << 25  // comparisons
	maxScan    = 1 << 29  // bytes that are looked through for few words
	maxSources = 100      // of one run
	maxChains  = 2000     // sources of one answer
)

// A view is a text in which words of the answer are looked for: all of a
// piece, or one JSON string of it with its escapes undone.
type view struct {
	shown int // which part of what the model was shown
	text  string
	base  int     // where the text begins in the piece
	at    []int32 // where each byte of the text stands, from base on; nil: at its own place

	escapes bool // it is JSON, so what follows a backslash is not what it looks like
}

// place is where a range of the view stands in the piece.
func (v *view) place(start, end int) Range {
	if v.at == nil {
		return Range{v.base + start, v.base + end}
	}
	return Range{v.base + int(v.at[start]), v.base + int(v.at[end])}
}

// A copied is a stretch of the answer that stands in a view, from at on.
type copied struct {
	Range // of the answer
	view  int
	at    int
}

// A matcher finds the stretches of an answer that stand verbatim elsewhere.
//
// It knows the hash of every minCopy bytes of the answer. A hash of equal
// length is rolled over each view; where it is known, the bytes are compared
// and the stretch is extended both ways. So every common stretch of minCopy
// bytes is found, in one pass over what the model was shown.
type matcher struct {
	answer  string
	heads   []int32 // by slot: the last place in the answer with such a hash, or -1
	next    []int32 // by place: the one before it in the same slot
	shift   uint
	values  map[prefix][]int32 // where a word begins in the answer, by its first bytes
	views   []view
	copies  []copied
	steps   int
	limited bool
}

// A prefix is the first one, two or three bytes of a word, and how many.
type prefix [4]byte

func prefixOf(s string) prefix {
	p := prefix{3: byte(min(len(s), 3))}
	copy(p[:3], s)
	return p
}

func newMatcher(answer string) *matcher {
	m := &matcher{answer: answer, values: map[prefix][]int32{}}
	size := 1
	for m.shift = 64; size < 2*len(answer); m.shift-- {
		size *= 2
	}
	m.heads = make([]int32, size)
	for i := range m.heads {
		m.heads[i] = -1
	}
	m.next = make([]int32, len(answer))
	roll(answer, func(i int, h uint64) bool {
		slot := m.slot(h)
		m.next[i] = m.heads[slot]
		m.heads[slot] = int32(i)
		return true
	})
	for i := range len(answer) {
		if tokenEdge(answer, i) {
			for n := 1; n <= 3 && i+n <= len(answer); n++ {
				p := prefixOf(answer[i : i+n])
				m.values[p] = append(m.values[p], int32(i))
			}
		}
	}
	return m
}

func (m *matcher) slot(h uint64) uint64 {
	if m.shift == 64 {
		return 0
	}
	return h * 0x9E3779B97F4A7C15 >> m.shift
}

// roll yields the hash of every minCopy bytes of s.
func roll(s string, yield func(i int, h uint64) bool) {
	const prime = 0x100000001B3
	drop := powPrime
	var h uint64
	for i := range len(s) {
		if i >= minCopy {
			h -= uint64(s[i-minCopy]) * drop
		}
		h = h*prime + uint64(s[i])
		if i >= minCopy-1 && !yield(i-minCopy+1, h) {
			return
		}
	}
}

// powPrime is the prime of roll to the power minCopy-1, modulo 1<<64.
var powPrime = func() uint64 {
	n := uint64(1)
	for range minCopy - 1 {
		n *= 0x100000001B3
	}
	return n
}()

// search looks for stretches of the answer in a view.
func (m *matcher) search(v view) {
	m.views = append(m.views, v)
	index := len(m.views) - 1
	a, s := m.answer, v.text
	roll(s, func(p int, h uint64) bool {
		for i := m.heads[m.slot(h)]; i >= 0; i = m.next[i] {
			if m.steps++; m.steps > maxSteps {
				m.limited = true
				return false
			}
			start := int(i)
			if p > 0 && start > 0 && s[p-1] == a[start-1] || a[start:start+minCopy] != s[p:p+minCopy] {
				continue // it began earlier, or the hash lied
			}
			n := minCopy
			for start+n < len(a) && p+n < len(s) && a[start+n] == s[p+n] {
				n++
			}
			m.steps += n / 8
			m.keep(index, p, Range{start, start + n})
		}
		return true
	})
}

// keep trims a stretch to whole words, in the answer and in the view, and
// keeps it if it is still long.
func (m *matcher) keep(index, at int, r Range) {
	s, begin, end := m.views[index].text, r.Start, r.End
	for r.Start < r.End && !(wordEdge(m.answer, r.Start) && wordEdge(s, at+r.Start-begin) && starts(m.answer[r.Start:r.End])) {
		r.Start++
	}
	for r.End > r.Start && !(wordEdge(m.answer, r.End) && wordEdge(s, at+r.End-begin) && !endsInSpace(m.answer[:r.End])) {
		r.End--
	}
	m.steps += r.Start - begin + end - r.End
	if r.End-r.Start < minCopy || !hasWord(m.answer[r.Start:r.End]) {
		return
	}
	m.add(copied{r, index, at + r.Start - begin})
}

func (m *matcher) add(c copied) {
	if len(m.copies) >= maxMatches {
		m.limited = true
		return
	}
	m.copies = append(m.copies, c)
}

// value looks for all of a view in the answer: a short value that fills it.
func (m *matcher) value(v view) {
	if len(v.text) == 0 || len(v.text) > maxValue || !hasWord(v.text) {
		return
	}
	index := -1
	for _, i := range m.values[prefixOf(v.text)] {
		if m.steps++; m.steps > maxSteps {
			m.limited = true
			return
		}
		start, end := int(i), int(i)+len(v.text)
		if end > len(m.answer) || m.answer[start:end] != v.text || !tokenEdge(m.answer, end) {
			continue
		}
		if index < 0 {
			m.views = append(m.views, v)
			index = len(m.views) - 1
		}
		m.add(copied{Range{start, end}, index, 0})
	}
}

// runs cuts the answer into the stretches that were copied: none overlap, and
// of two that did, the longer one keeps what they share.
func (m *matcher) runs() []Range {
	slices.SortStableFunc(m.copies, func(a, b copied) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	var whole []Range // none of which is inside another
	for _, c := range m.copies {
		if n := len(whole); n == 0 || c.End > whole[n-1].End {
			whole = append(whole, c.Range)
		}
	}
	var runs []Range
	for _, r := range whole {
		for n := len(runs); n > 0 && r.Start < runs[n-1].End; n = len(runs) {
			last := &runs[n-1]
			if r.End-r.Start <= last.End-last.Start {
				r.Start = last.End
				break
			}
			last.End = max(last.Start, r.Start) // its own start may have been cut
			if *last = m.trim(*last); last.End > last.Start {
				break
			}
			runs = runs[:n-1]
		}
		if r = m.trim(r); r.End > r.Start {
			runs = append(runs, r)
		}
	}
	return runs
}

// trim makes a stretch whole words again, where it was cut.
func (m *matcher) trim(r Range) Range {
	for r.Start < r.End && !(wordEdge(m.answer, r.Start) && starts(m.answer[r.Start:r.End])) {
		r.Start++
	}
	for r.End > r.Start && (!wordEdge(m.answer, r.End) || endsInSpace(m.answer[:r.End])) {
		r.End--
	}
	if !hasWord(m.answer[r.Start:r.End]) {
		r.End = r.Start
	}
	return r
}

// A hit is a place in what the model was shown.
type hit struct {
	shown int
	Range // of the piece
}

// hits lists where a stretch of the answer stands: inside each copy that has
// all of it. Order is that of the parts, then of the places.
func (m *matcher) hits(r Range) []hit {
	var found []hit
	for i := range m.copies {
		c := &m.copies[i]
		if c.Start > r.Start {
			break // they are sorted by their start
		}
		if c.End < r.End {
			continue
		}
		v := &m.views[c.view]
		at := c.at + r.Start - c.Start
		found = append(found, hit{v.shown, v.place(at, at+r.End-r.Start)})
	}
	slices.SortFunc(found, hit.compare)
	return slices.Compact(found)
}

func (h hit) compare(b hit) int {
	return cmp.Or(cmp.Compare(h.shown, b.shown), cmp.Compare(h.Start, b.Start), cmp.Compare(h.End, b.End))
}

// wordEdge reports whether no word and no character goes on across place i.
func wordEdge(s string, i int) bool {
	if i <= 0 || i >= len(s) {
		return i == 0 || i == len(s)
	}
	if !utf8.RuneStart(s[i]) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i:])
	return !inWord(before) || !inWord(after)
}

// tokenEdge is wordEdge, where also 2.5, 10-30, R-17 and order/17 are one word.
func tokenEdge(s string, i int) bool {
	if !wordEdge(s, i) {
		return false
	}
	if i == 0 || i == len(s) {
		return true
	}
	before, n := utf8.DecodeLastRuneInString(s[:i])
	after, k := utf8.DecodeRuneInString(s[i:])
	if inWord(before) && joins(after) && i+k < len(s) {
		r, _ := utf8.DecodeRuneInString(s[i+k:])
		return !inWord(r)
	}
	if inWord(after) && joins(before) {
		if before == '-' && unicode.IsDigit(after) {
			return false // the sign of a number
		}
		if i > n {
			r, _ := utf8.DecodeLastRuneInString(s[:i-n])
			return !inWord(r)
		}
	}
	return true
}

// inWord reports whether r goes on a word. Scripts that write no space
// between words have an edge at every character.
func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func joins(r rune) bool {
	switch r {
	case '.', ',', ':', '-', '/', '@', '\'', '+', '’':
		return true
	}
	return false
}

// starts reports whether s begins with something worth quoting: not with
// space, and not with the punctuation that ends what came before.
func starts(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	switch r {
	case '.', ',', ';', ':', '!', '?', ')', ']', '}':
		return false
	}
	return !unicode.IsSpace(r)
}

func endsInSpace(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsSpace(r)
}

func hasWord(s string) bool {
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return true
		}
	}
	return false
}
