package explain

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spoorhq/spoor/internal/value"
)

// Bounds of the search. What goes beyond them is said in Unsearched.
const (
	minCopy     = 16       // bytes of a stretch of whole words that counts as copied by its length
	minShared   = 24       // bytes of a stretch that does so however it is cut
	maxFill     = 32       // bytes of a JSON value that counts because the answer has all of it
	maxAnswer   = 1 << 20  // bytes of an answer that are searched
	maxShown    = 32 << 20 // bytes of what the model was shown that are searched
	maxValues   = 1 << 20  // values of it
	maxMatches  = 1 << 16  // matches that are kept
	maxSteps    = 1 << 25  // comparisons
	maxSame     = 4096     // values that are compared with one of the answer
	maxName     = 8        // places where a name is still rare
	maxTrace    = 1 << 24  // bytes that are looked through for arguments
	maxScan     = 1 << 29  // bytes that are looked through for few words
	maxTogether = 200      // of them that are looked at for what stands beside
	maxHits     = 1000     // places of one run that are judged
	maxTries    = 1 << 18  // combinations of values
	maxDepth    = 3        // calls whose arguments are followed
	maxGivens   = 200      // arguments of one answer that are followed
	maxSources  = 100      // of one run
	maxWeak     = 8        // of one run, if they are weak
	maxChains   = 2000     // sources of one answer
)

// How says how a source agrees with the words of the answer.
type How string

const (
	Verbatim  How = "verbatim" // the same bytes, the escapes of JSON undone
	Folded    How = "folded"   // but for case, and the kind of space, quotation mark and dash
	SameAs    How = "value"    // a value in another spelling
	DerivedOf How = "derived"  // it can be computed from what stands there
)

func (h How) rank() int { return slices.Index([]How{Verbatim, Folded, SameAs, DerivedOf}, h) }

// A lookup is a text that was looked up in an index.
type lookup struct {
	ix      *corpus
	has     func(piece int) bool // which pieces count
	tells   func(piece int) bool // and for less than minCopy bytes
	text    string
	folded  string
	foldAt  []int32
	copies  []copied
	values  []value.Value // of the text, in order
	wholes  []Range       // what only counts whole: links, and the values in none
	same    map[int][]agreed
	steps   int
	limited bool
}

// A copied is a stretch of the text that stands in a view, from at on.
type copied struct {
	Range      // of the text looked up
	at    int  // in the text of the index, or in what of it is folded
	from  int  // where the stretch begins in the folded text, if it is folded
	loose bool // it is folded
	brief bool // a name, or what fills a value
}

// An agreed value is one of the index that says what one of the text does.
type agreed struct {
	value int
	value.Relation
}

// A place in a piece.
type site struct {
	piece int
	Range
	how How
	as  value.Relation // of a value; of a copy it is Equal
}

// look looks a text up.
func (ix *corpus) look(text string, has, tells func(piece int) bool) *lookup {
	l := &lookup{ix: ix, has: has, tells: tells, text: text, same: map[int][]agreed{}, steps: maxSteps}
	b, at := fold(make([]byte, 0, len(text)+16), make([]int32, 0, len(text)+16), text, 0)
	l.folded, l.foldAt = string(b), at
	for v := range value.All(text) {
		if len(l.values) == maxMatches {
			l.limited = true
			break
		}
		l.values = append(l.values, v)
	}
	l.wholes = linksIn(text, Range{0, len(text)})
	links := len(l.wholes)
	for _, v := range l.values {
		i := sort.Search(links, func(i int) bool { return l.wholes[i].End > v.Start })
		if i == links || l.wholes[i].Start >= v.End {
			l.wholes = append(l.wholes, Range{v.Start, v.End})
		}
	}
	slices.SortFunc(l.wholes, func(a, b Range) int { return cmp.Compare(a.Start, b.Start) })
	l.verbatim()
	l.loosely()
	l.filling()
	l.named()
	slices.SortStableFunc(l.copies, func(a, b copied) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	return l
}

func (l *lookup) verbatim() {
	ix := l.ix
	bounds := func(p int) (int, int) { v := ix.viewAt(p); return int(v.start), int(v.end) }
	ok := ix.exact.match(l.text, &l.steps, bounds, func(i, p, n int) {
		v := ix.viewAt(p)
		if !l.has(int(v.piece)) {
			return
		}
		a, s := l.text, ix.text[v.start:v.end]
		if from, to := trimmed(a, i, i+n, s, p-int(v.start), &l.steps); from < to {
			l.add(copied{Range: Range{from, to}, at: p + from - i})
		}
	})
	l.limited = l.limited || !ok
}

func (l *lookup) loosely() {
	ix := l.ix
	bounds := func(p int) (int, int) { _, from, to := ix.foldedView(p); return from, to }
	ok := ix.loose.match(l.folded, &l.steps, bounds, func(i, p, n int) {
		v, begin, end := ix.foldedView(p)
		if !l.has(int(v.piece)) {
			return
		}
		from, to := trimmed(l.folded, i, i+n, ix.folded[begin:end], p-begin, &l.steps)
		if from >= to {
			return
		}
		r := Range{l.unfold(from), l.unfold(to)}
		c := copied{Range: r, at: p + from - i, from: from, loose: true}
		if in := ix.unfold(c.at, c.at+to-from); ix.text[in.Start:in.End] != l.text[r.Start:r.End] {
			l.add(c) // else it was copied as it is
		}
	})
	l.limited = l.limited || !ok
}

// unfold is where byte i of the folded text stands.
func (l *lookup) unfold(i int) int {
	if i == len(l.foldAt) {
		return len(l.text)
	}
	return int(l.foldAt[i])
}

// unfold is where a range of what is folded stands in the text, in one view.
func (ix *corpus) unfold(from, to int) Range {
	v, _, _ := ix.foldedView(from)
	end := int(v.end)
	if to < len(ix.foldAt) {
		end = min(end, int(ix.foldAt[to]))
	}
	return Range{int(ix.foldAt[from]), end}
}

// trimmed trims a stretch [from, to) of a, which stands in s from at on, to
// whole words of both, and of values to whole ones. What is long and no word is
// left as it is. It is empty if too little is left.
func trimmed(a string, from, to int, s string, at int, steps *int) (int, int) {
	start, end := from, to
	edge := func(i int) bool { return valueEdge(a, i) && valueEdge(s, at+i-from) }
	for start < end && !(edge(start) && starts(a[start:end])) {
		start++
	}
	for end > start && !(edge(end) && !endsInSpace(a[:end])) {
		end--
	}
	*steps -= (start - from + to - end) / 4
	cut := func(i int) bool { return !runeEdge(a, i) || !runeEdge(s, at+i-from) }
	if start-from >= minShared || end-start < minCopy {
		for start = from; start < to && (cut(start) || !starts(a[start:to])); {
			start++
		}
	}
	if to-end >= minShared || end-start < minCopy {
		for end = to; end > start && (cut(end) || endsInSpace(a[:end])); {
			end--
		}
	}
	whole := edge(start) && edge(end)
	if whole && end-start < minCopy || !whole && to-from < minShared || !hasWord(a[start:end]) {
		return 0, 0
	}
	return start, end
}

func runeEdge(s string, i int) bool { return i >= len(s) || utf8.RuneStart(s[i]) }

// valueEdge is wordEdge, where also a number is one word with its separators,
// its decimals and its sign.
func valueEdge(s string, i int) bool {
	if !wordEdge(s, i) {
		return false
	}
	if i == 0 || i == len(s) {
		return true
	}
	digit := func(i int) bool { return i >= 0 && i < len(s) && '0' <= s[i] && s[i] <= '9' }
	mark := func(c byte) bool { return c == '.' || c == ',' || c == ':' || c == '-' || c == '/' || c == '\'' }
	switch {
	case digit(i-1) && mark(s[i]) && digit(i+1), mark(s[i-1]) && digit(i-2) && digit(i):
		return false
	case s[i-1] == '-' && digit(i) && (i == 1 || s[i-2] == ' ' || s[i-2] == '\n' || s[i-2] == '('):
		return false // the sign
	}
	return true
}

func (l *lookup) add(c copied) {
	if len(l.copies) >= maxMatches {
		l.limited = true
		return
	}
	l.copies = append(l.copies, c)
}

// filling looks for what fills a JSON value, or all of a result, as a word of
// its own. What is longer is found by its length.
func (l *lookup) filling() {
	s := l.folded
	if len(l.ix.fills) == 0 {
		return
	}
	edge := make([]bool, len(s)+1)
	for i := range edge {
		edge[i] = tokenEdge(s, i)
	}
	for i := range len(s) {
		if s[i] == ' ' || !edge[i] {
			continue
		}
		h := uint64(offset)
		for at := i; at < len(s) && at-i < maxFill; {
			h = (h ^ uint64(s[at])) * prime
			at++
			if !edge[at] || s[at-1] == ' ' {
				continue
			}
			for k := l.ix.leaves.first(h); k >= 0; k = l.ix.leaves.next[k] {
				if l.steps--; l.steps < 0 {
					l.limited = true
					return
				}
				if l.ix.hashes[k] == h {
					l.fill(l.ix.fills[k], i, at)
				}
			}
		}
	}
}

// fill keeps a value that is what [i, end) of the folded text says.
func (l *lookup) fill(r Range, i, end int) {
	ix := l.ix
	text := ix.text[r.Start:r.End]
	a := Range{l.unfold(i), l.unfold(end)}
	a.End = a.Start + len(strings.TrimRightFunc(l.text[a.Start:a.End], unicode.IsSpace))
	words := l.text[a.Start:a.End]
	if text != words && folded(text) != l.folded[i:end] || !hasWord(words) {
		return
	}
	if !l.tells(int(ix.viewAt(r.Start).piece)) {
		return
	}
	if text == words {
		l.add(copied{Range: a, at: r.Start, brief: true})
		return
	}
	from := sort.Search(len(ix.foldAt), func(k int) bool { return int(ix.foldAt[k]) >= r.Start })
	for from < len(ix.folded) && ix.folded[from] == ' ' {
		from++
	}
	if from+end-i <= len(ix.folded) && ix.folded[from:from+end-i] == l.folded[i:end] {
		l.add(copied{Range: a, at: from, from: i, loose: true, brief: true})
	}
}

// named looks for names: words with a capital letter, where that is not the
// first of a sentence.
func (l *lookup) named() {
	ix, s := l.ix, l.text
	if len(ix.words) == 0 {
		return
	}
	end := 0 // of the words with a capital letter
	for i := 0; i < len(s); {
		if !isCapital(s[i:]) || !wordEdge(s, i) {
			i++
			continue
		}
		word := i + wordLen(s[i:])
		if end <= i {
			end = nameEnd(s, i)
		}
		best := i
		var at []Range
		exact := false
		for k, n := ix.names.first(foldedHash(s[i:word])), 0; k >= 0; k = ix.names.next[k] {
			if l.steps--; l.steps < 0 {
				l.limited = true
				return
			}
			if n++; n > 64*maxName {
				break // it is no rare word
			}
			w := ix.words[k]
			v := ix.viewAt(w.Start)
			t := ix.text[w.Start:v.end]
			same, as := 0, false
			for e := word; e <= end; e++ {
				if n := e - i; n <= len(t) && valueEdge(s, e) && valueEdge(t, n) && strings.EqualFold(s[i:e], t[:n]) {
					if is := s[i:e] == t[:n]; is || e > word { // of one word the case tells that it is a name
						same, as = n, is
					}
				}
			}
			if same == 0 || !l.tells(int(v.piece)) {
				continue
			}
			if i+same > best || i+same == best && as && !exact {
				best, at, exact = i+same, at[:0], as
			}
			if i+same == best && as == exact {
				at = append(at, Range{w.Start, w.Start + same})
			}
		}
		one := best <= word
		if best-i >= minName && !(one && beginsSentence(s, i)) {
			for _, r := range at {
				if exact {
					l.add(copied{Range: Range{i, best}, at: r.Start, brief: true})
				} else {
					from := sort.Search(len(ix.foldAt), func(k int) bool { return int(ix.foldAt[k]) >= r.Start })
					l.add(copied{Range: Range{i, best}, at: from, from: l.foldedAt(i), loose: true, brief: true})
				}
			}
		}
		i = max(word, best)
	}
}

const minName = 3 // bytes

// nameEnd is the end of the words with capital letters that begin at i.
func nameEnd(s string, i int) int {
	end := i + wordLen(s[i:])
	for end+1 < len(s) && (s[end] == ' ' || s[end] == '-') && isCapital(s[end+1:]) {
		end += 1 + wordLen(s[end+1:])
	}
	return end
}

// beginsSentence reports whether what stands at i is the first word of a
// sentence.
func beginsSentence(s string, i int) bool {
	before := strings.TrimRight(s[:i], " \t\"'“„‘(*_-")
	r, _ := utf8.DecodeLastRuneInString(before)
	return before == "" || strings.ContainsRune(".!?:\n\r…", r)
}

// agreeing are the values of the index that say what value k of the text does.
func (l *lookup) agreeing(k int) []agreed {
	if list, ok := l.same[k]; ok {
		return list
	}
	var list []agreed
	seen := map[int32]bool{}
	ix, v := l.ix, l.values[k]
	compared := 0
	for _, key := range v.AppendLookup(nil) {
		for i := ix.keys.first(uint64(key)); i >= 0; i = ix.keys.next[i] {
			f := ix.filed[i]
			if f.key != key || seen[f.value] {
				continue
			}
			l.steps -= 16
			if compared++; compared > maxSame || l.steps < 0 {
				l.limited = true
				break
			}
			seen[f.value] = true
			if as := value.Same(v, ix.values[f.value].Value); as != value.None && l.counts(v, ix.pieceOf(int(f.value))) {
				list = append(list, agreed{int(f.value), as})
			}
		}
	}
	l.same[k] = list
	return list
}

// counts reports whether a value tells something where a piece has it: one that
// is not common does wherever it stands.
func (l *lookup) counts(v value.Value, piece int) bool {
	return l.tells(piece) || !v.Common && v.End-v.Start > 2 && l.has(piece)
}

// pieceOf is the piece that has a value.
func (ix *corpus) pieceOf(i int) int {
	return sort.Search(len(ix.pieces), func(k int) bool { return ix.pieces[k].values[1] > i })
}

// valueAt is the value of the text that is all of a range, or -1.
func (l *lookup) valueAt(r Range) int {
	k := sort.Search(len(l.values), func(k int) bool { return l.values[k].Start >= r.Start })
	if k < len(l.values) && l.values[k].Start == r.Start && l.values[k].End == r.End {
		return k
	}
	return -1
}

// runs cuts the text into the stretches that stand somewhere: none overlap, and
// of two long ones that did, the longer one keeps what they share.
func (l *lookup) runs() []Range {
	var whole []Range // long ones, none of which is inside another
	var short []Range
	for i, c := range l.copies {
		if c.brief && c.End-c.Start < minCopy {
			if l.uncut(c.Range) == c.Range {
				short = append(short, c.Range)
			}
		} else if c.loose && l.mostly(i) {
			continue // those words are told as a fact, and the others are few
		} else if n := len(whole); n == 0 || c.End > whole[n-1].End {
			whole = append(whole, c.Range)
		}
	}
	var runs []Range
	for _, r := range whole {
		start := r.Start
		for n := len(runs); n > 0 && r.Start < runs[n-1].End; n = len(runs) {
			last := &runs[n-1]
			if r.End-r.Start <= last.End-last.Start {
				r.Start = last.End
				break
			}
			last.End = max(last.Start, r.Start) // its own start may have been cut
			if *last = l.trim(*last); last.End > last.Start {
				break
			}
			runs = runs[:n-1]
		}
		if r.Start > start {
			r = l.trim(r)
		}
		if r.End > r.Start {
			runs = append(runs, r)
		}
	}
	for i := range runs {
		runs[i] = l.uncut(runs[i])
	}
	runs = slices.DeleteFunc(runs, func(r Range) bool { return r.Start == r.End })
	free := func(r Range) bool {
		i := sort.Search(len(runs), func(i int) bool { return runs[i].End > r.Start })
		return i == len(runs) || runs[i].Start >= r.End
	}
	for k, v := range l.values {
		if r := (Range{v.Start, v.End}); free(r) && l.uncut(r) == r && len(l.agreeing(k)) > 0 {
			short = append(short, r)
		}
	}
	slices.SortStableFunc(short, func(a, b Range) int {
		return cmp.Or(cmp.Compare(b.End-b.Start, a.End-a.Start), cmp.Compare(a.Start, b.Start))
	})
	var kept []Range // in order
	for _, r := range short {
		i := sort.Search(len(kept), func(i int) bool { return kept[i].End > r.Start })
		if free(r) && (i == len(kept) || kept[i].Start >= r.End) {
			kept = slices.Insert(kept, i, r)
		}
	}
	runs = append(runs, kept...)
	slices.SortFunc(runs, func(a, b Range) int { return cmp.Compare(a.Start, b.Start) })
	return runs
}

// uncut is a stretch without the values at its ends of which it has only a part: "EUR need
// a manager" says nothing of 800 EUR. It is empty if nothing is left.
func (l *lookup) uncut(r Range) Range {
	from := sort.Search(len(l.wholes), func(k int) bool { return l.wholes[k].End > r.Start })
	cut := r
	for _, v := range l.wholes[from:] {
		if v.Start >= r.End {
			break
		}
		shared := min(v.End, r.End) - max(v.Start, r.Start)
		left, right := v.Start < r.Start, r.End < v.End
		inside := v != r && v.Start <= r.Start && r.End <= v.End
		switch {
		case inside && shared < minShared, (left || right) && r.End-r.Start < minCopy:
			return Range{r.Start, r.Start}
		case inside, shared >= minCopy: // much of something long
		case left:
			cut.Start = v.End
		case right:
			cut.End = v.Start
		}
	}
	if cut == r {
		return r
	}
	text := func() string { return l.text[cut.Start:max(cut.Start, cut.End)] }
	for cut.Start > r.Start && text() != "" && !starts(text()) {
		_, n := utf8.DecodeRuneInString(text())
		cut.Start += n
	}
	if cut.End < r.End {
		cut.End = cut.Start + len(strings.TrimRightFunc(text(), unicode.IsSpace))
	}
	if !hasWord(text()) {
		return Range{r.Start, r.Start}
	}
	return cut
}

// mostly reports whether half of a folded copy or more is a copy as it is.
func (l *lookup) mostly(i int) bool {
	c := &l.copies[i]
	half := (c.End - c.Start + 1) / 2
	first := sort.Search(len(l.copies), func(k int) bool { return l.copies[k].Start >= c.Start })
	for k := first; k < len(l.copies) && l.copies[k].Start <= c.End-half; k++ {
		if l.steps--; l.steps < 0 {
			l.limited = true
			return false
		}
		if v := &l.copies[k]; !v.loose && min(v.End, c.End)-v.Start >= half {
			return true
		}
	}
	return false
}

// trim makes a stretch whole words again, where it was cut.
func (l *lookup) trim(r Range) Range {
	s := l.text
	for r.Start < r.End && !(valueEdge(s, r.Start) && starts(s[r.Start:r.End])) {
		r.Start++
	}
	for r.End > r.Start && (!valueEdge(s, r.End) || endsInSpace(s[:r.End])) {
		r.End--
	}
	if !hasWord(s[r.Start:r.End]) {
		r.End = r.Start
	}
	return r
}

// sites lists where a range of the text stands: inside each copy that has all
// of it, and the values that say what it says.
func (l *lookup) sites(r Range) []site {
	var found []site
	text := l.text[r.Start:r.End]
	for i := range l.copies {
		c := &l.copies[i]
		if c.Start > r.Start {
			break // they are sorted by their start
		}
		if l.steps--; l.steps < 0 {
			l.limited = true
			break
		}
		if c.End < r.End {
			continue
		}
		in, how := Range{c.at + r.Start - c.Start, c.at + r.End - c.Start}, Verbatim
		if c.loose {
			from, to := l.foldedAt(r.Start), l.foldedAt(r.End)
			in = l.ix.unfold(c.at+from-c.from, c.at+to-c.from)
			if l.ix.text[in.Start:in.End] != text {
				how = Folded
			}
		}
		v := l.ix.viewAt(in.Start)
		found = append(found, site{piece: int(v.piece), Range: v.place(in.Start, in.End), how: how, as: value.Equal})
	}
	if k := l.valueAt(r); k >= 0 {
		for _, s := range l.agreeing(k) {
			found = append(found, l.valueSite(k, s, text))
		}
	}
	slices.SortFunc(found, func(a, b site) int {
		return cmp.Or(cmp.Compare(a.piece, b.piece), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.how.rank(), b.how.rank()))
	})
	return slices.CompactFunc(found, func(a, b site) bool { return a.piece == b.piece && a.Range == b.Range })
}

func (l *lookup) valueSite(k int, s agreed, text string) site {
	v := &l.ix.values[s.value]
	w := site{piece: l.ix.pieceOf(s.value), Range: v.Range, how: SameAs, as: s.Relation}
	switch says := v.Text(); {
	case says == text:
		w.how = Verbatim
	case folded(says) == folded(text):
		w.how = Folded
	}
	return w
}

// foldedAt is where the folded text has byte i.
func (l *lookup) foldedAt(i int) int {
	return sort.Search(len(l.foldAt), func(k int) bool { return int(l.foldAt[k]) >= i })
}

// A hit is a place in what the model was shown.
type hit struct {
	shown int
	Range // of the piece
	how   How
	as    value.Relation
}

func (h hit) compare(b hit) int {
	return cmp.Or(cmp.Compare(h.shown, b.shown), cmp.Compare(h.Start, b.Start), cmp.Compare(h.End, b.End), cmp.Compare(h.how.rank(), b.how.rank()))
}

// wordEdge reports whether no word and no character goes on across place i.
func wordEdge(s string, i int) bool {
	if i <= 0 || i >= len(s) {
		return i == 0 || i == len(s)
	}
	if b, a := s[i-1], s[i]; b < utf8.RuneSelf && a < utf8.RuneSelf {
		return !wordByte[b] || !wordByte[a]
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
	if 0 <= r && r < utf8.RuneSelf {
		return wordByte[r]
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// wordByte is inWord of ASCII.
var wordByte = func() (t [utf8.RuneSelf]bool) {
	for i := range t {
		c := rune(i)
		t[i] = c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	return t
}()

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
