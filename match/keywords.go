package match

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Set asks many matchers about one message: a single pass finds the keywords
// of all of them, and a regex runs only when its matcher is asked for. It never
// changes and is safe for concurrent use.
//
// It is an Aho–Corasick automaton over the folded keywords. A state stands for
// the longest end of the text read that begins some keyword at a place where a
// keyword may begin: ends that begin inside a word are left out when the
// automaton is built, so only the right edge is looked at when one is found.
type Set struct {
	nodes    []node
	starts   [utf8.RuneSelf]uint32 // the root's child by ASCII character, either case
	folds    map[rune]rune         // other characters that occur in keywords, in each case
	patterns int                   // different keywords
	members  []member
	owners   [][]int // by pattern: the plain keyword matchers that have it, ascending
	others   []int   // the matchers that are no plain keywords, ascending
}

// A node is a state of the automaton. Nodes stand in breadth-first order, so
// the children of a node are nodes[n.first:next.first], by label.
type node struct {
	label   rune
	first   uint32 // first child
	fail    uint32 // where to go on if no child fits
	out     uint32 // the next shorter keyword that ends here as well; 0: none
	pattern uint32 // 1 + the keyword that ends here; 0: none
}

// A member is a matcher in a Set.
type member struct {
	*Compiled
	words [][]uint32 // by part: its keywords as patterns, in declared order
}

// NewSet makes a Set of the matchers, which keep their indexes. A nil matcher
// and an intent match nothing.
func NewSet(ms []*Compiled) *Set {
	s := &Set{members: make([]member, len(ms)), folds: map[rune]rune{}}
	var words []string
	for _, c := range ms {
		if c != nil {
			for _, p := range c.parts {
				words = append(words, p.folded...)
			}
		}
	}
	slices.Sort(words)
	words = slices.Compact(words)
	s.patterns = len(words)
	s.build(words)

	s.owners = make([][]int, len(words))
	for i, c := range ms {
		if c == nil || len(c.parts) == 0 {
			continue
		}
		m := member{Compiled: c, words: make([][]uint32, len(c.parts))}
		for k, p := range c.parts {
			for _, w := range p.words {
				pattern, _ := slices.BinarySearch(words, foldString(w))
				m.words[k] = append(m.words[k], uint32(pattern))
			}
		}
		s.members[i] = m
		if c.data.Keywords == nil {
			s.others = append(s.others, i)
			continue
		}
		for _, pattern := range m.words[0] {
			if own := s.owners[pattern]; len(own) == 0 || own[len(own)-1] != i {
				s.owners[pattern] = append(own, i)
			}
		}
	}
	return s
}

// build makes the automaton of the words, which are sorted, each once. (UTF-8
// sorts by bytes as it does by characters.)
func (s *Set) build(words []string) {
	type span struct{ lo, hi, at int } // the words below a node, and how much of each is above it
	spans := []span{{0, len(words), 0}}
	s.nodes = []node{{label: -1}}
	for i := 0; i < len(s.nodes); i++ {
		sp := spans[i]
		s.nodes[i].first = uint32(len(s.nodes))
		for sp.lo < sp.hi {
			label, size := utf8.DecodeRuneInString(words[sp.lo][sp.at:])
			prefix := words[sp.lo][sp.at : sp.at+size]
			end := sp.lo + 1
			for end < sp.hi && strings.HasPrefix(words[end][sp.at:], prefix) {
				end++
			}
			below := span{sp.lo, end, sp.at + size}
			child := node{label: label}
			if len(words[sp.lo]) == below.at {
				below.lo++
				child.pattern = uint32(below.lo)
			}
			if i > 0 {
				child.fail = s.next(s.nodes[i].fail, label, isWord(s.nodes[i].label))
				child.out = child.fail
				if s.nodes[child.fail].pattern == 0 {
					child.out = s.nodes[child.fail].out
				}
			}
			s.nodes = append(s.nodes, child)
			spans = append(spans, below)
			sp.lo = end
		}
	}
	s.nodes = append(s.nodes, node{first: uint32(len(s.nodes))}) // ends the last node's children
	s.nodes = slices.Clip(s.nodes)

	for c := range s.starts {
		s.starts[c] = s.child(0, fold(rune(c)))
	}
	for _, n := range s.nodes {
		if n.label >= utf8.RuneSelf {
			for r := range orbit(n.label) {
				s.folds[r] = n.label
			}
		}
	}
}

// child returns the child of state n by the folded character r, or 0.
func (s *Set) child(n uint32, r rune) uint32 {
	lo, hi := s.nodes[n].first, s.nodes[n+1].first
	for hi-lo > 8 {
		if mid := (lo + hi) / 2; s.nodes[mid].label <= r {
			lo = mid
		} else {
			hi = mid
		}
	}
	for ; lo < hi; lo++ {
		if s.nodes[lo].label == r {
			return lo
		}
	}
	return 0
}

// next returns the state after n and the folded character r. Inside reports
// whether the character before r is a word character, so that no keyword
// begins at r if that is one too.
func (s *Set) next(n uint32, r rune, inside bool) uint32 {
	for n != 0 {
		if c := s.child(n, r); c != 0 {
			return c
		}
		n = s.nodes[n].fail
	}
	if inside && isWord(r) {
		return 0
	}
	return s.child(0, r)
}

// Scan looks for all keywords in the message.
func (s *Set) Scan(message string) Hits {
	h := Hits{set: s, message: message}
	if s.patterns == 0 {
		return h
	}
	state, inside := uint32(0), false
	for i := 0; i < len(message); {
		c := message[i]
		switch {
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(message[i:])
			i += size
			if f, ok := s.folds[r]; ok && (r != utf8.RuneError || size > 1) {
				state = s.next(state, f, inside)
			} else {
				state = 0
			}
			inside = false
		case state == 0: // most of a message
			for {
				i++
				word := wordBytes[c]
				if !inside || !word {
					state = s.starts[c]
				}
				inside = word
				if state != 0 || i == len(message) {
					break
				}
				if c = message[i]; c >= utf8.RuneSelf {
					break
				}
			}
		default:
			i++
			state = s.next(state, rune(lowerBytes[c]), inside)
			inside = wordBytes[c]
		}
		if state == 0 {
			continue
		}
		n := &s.nodes[state]
		if n.pattern|n.out == 0 || inside && i < len(message) && wordBytes[message[i]] {
			continue // no keyword ends here; all that do end in the same character
		}
		if n.pattern == 0 {
			n = &s.nodes[n.out]
		}
		// A keyword that is known has had all that end inside it noted.
		for h.note(n.pattern-1, i) && n.out != 0 {
			n = &s.nodes[n.out]
		}
	}
	return h
}

// Hits are the keywords of a Set that occur in one message. They may be read
// concurrently.
type Hits struct {
	set     *Set
	message string
	n       int    // how many of few
	few     [8]hit // the keywords that occur, while they fit
	ends    []int  // then by pattern: where it ends; 0: it does not occur
}

type hit struct {
	pattern uint32
	end     int // of the first occurrence
}

// note keeps the end of the first occurrence of a pattern; false if it has one.
func (h *Hits) note(pattern uint32, end int) bool {
	if h.end(pattern) > 0 {
		return false
	}
	if h.ends == nil && h.n < len(h.few) {
		h.few[h.n] = hit{pattern, end}
		h.n++
		return true
	}
	if h.ends == nil {
		h.ends = make([]int, h.set.patterns)
		for _, f := range h.few {
			h.ends[f.pattern] = f.end
		}
	}
	h.ends[pattern] = end
	return true
}

// end returns where the first occurrence of a pattern ends; 0: there is none.
func (h *Hits) end(pattern uint32) int {
	if h.ends != nil {
		return h.ends[pattern]
	}
	for _, f := range h.few[:h.n] {
		if f.pattern == pattern {
			return f.end
		}
	}
	return 0
}

// Match reports whether the Set's matcher i claims the message, and the words
// that decided it, as its own Match does.
func (h *Hits) Match(i int) (Witness, bool) {
	if h.set == nil {
		return Witness{}, false
	}
	m := &h.set.members[i]
	if len(m.words) == 0 {
		return Witness{}, false // nil, or an intent
	}
	for k := range m.parts {
		if m.parts[k].regex == nil && !h.any(m.words[k]) {
			return Witness{}, false // before any regex runs
		}
	}
	var w Witness
	for k := range m.parts {
		switch p := &m.parts[k]; {
		case w.Text != "":
			if p.regex != nil && !p.regex.MatchString(h.message) {
				return Witness{}, false
			}
		case p.regex != nil:
			at := p.regex.FindStringIndex(h.message)
			if at == nil {
				return Witness{}, false
			}
			w.Text = quote(h.message[at[0]:at[1]])
		default:
			w = h.keyword(p.words, m.words[k])
		}
	}
	return w, true
}

// First returns the first matcher of the Set at index from or after it that
// claims the message, and its witness; i is -1 if none does. It looks only at
// matchers whose keywords occur and at those with a regex.
func (h *Hits) First(from int) (i int, w Witness, ok bool) {
	if h.set == nil {
		return -1, Witness{}, false
	}
	plain := len(h.set.members)
	see := func(pattern int) {
		own := h.set.owners[pattern]
		if k, _ := slices.BinarySearch(own, from); k < len(own) {
			plain = min(plain, own[k])
		}
	}
	for _, f := range h.few[:h.n] {
		see(int(f.pattern))
	}
	for pattern, end := range h.ends {
		if end > 0 {
			see(pattern)
		}
	}
	k, _ := slices.BinarySearch(h.set.others, from)
	for ; k < len(h.set.others) && h.set.others[k] < plain; k++ {
		if w, ok := h.Match(h.set.others[k]); ok {
			return h.set.others[k], w, true
		}
	}
	if plain == len(h.set.members) {
		return -1, Witness{}, false
	}
	w, ok = h.Match(plain)
	return plain, w, ok
}

// any reports whether one of the patterns occurs.
func (h *Hits) any(patterns []uint32) bool {
	if h.n == 0 {
		return false
	}
	return slices.ContainsFunc(patterns, func(p uint32) bool { return h.end(p) > 0 })
}

// keyword returns the witness of the first of the patterns that occurs; words
// are the patterns as declared.
func (h *Hits) keyword(words []string, patterns []uint32) Witness {
	for k, p := range patterns {
		if end := h.end(p); end > 0 {
			start := end // case may change a character's length, never the number of characters
			for range utf8.RuneCountInString(words[k]) {
				_, size := utf8.DecodeLastRuneInString(h.message[:start])
				start -= size
			}
			return Witness{Text: quote(h.message[start:end]), Keyword: words[k]}
		}
	}
	return Witness{}
}

// fold returns the one character that stands for r in either case. An ASCII
// letter folds with its other case alone.
func fold(r rune) rune {
	if r < utf8.RuneSelf {
		return rune(lowerBytes[r])
	}
	least := r
	for f := range orbit(r) {
		least = min(least, f)
	}
	return least
}

// orbit yields the characters that differ from r, which is not ASCII, in case
// alone, and r; ASCII characters are left out.
func orbit(r rune) iter.Seq[rune] {
	return func(yield func(rune) bool) {
		for f := unicode.SimpleFold(r); ; f = unicode.SimpleFold(f) {
			if f >= utf8.RuneSelf && !yield(f) || f == r {
				return
			}
		}
	}
}

func foldString(s string) string { return strings.Map(fold, s) }

// isWord reports whether r is an ASCII word character.
func isWord(r rune) bool { return r >= 0 && r < utf8.RuneSelf && wordBytes[r] }

// wordBytes tells the ASCII word characters, lowerBytes the lower case of ASCII.
var wordBytes, lowerBytes = func() (word [256]bool, lower [256]byte) {
	for i := range 256 {
		c := byte(i)
		lower[c] = c
		switch {
		case 'A' <= c && c <= 'Z':
			lower[c] += 'a' - 'A'
			word[c] = true
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '_':
			word[c] = true
		}
	}
	return word, lower
}()
