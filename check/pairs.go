package check

import (
	"iter"
	"math/bits"

	"github.com/spoorhq/spoor/match"
)

// pairs are the start rules of which match.Compare claims something, by the
// later one and then by the earlier; of each kind those that a report lists,
// and one more if there are more.
type pairs struct {
	shadowed    []pair
	overlapping []pair // rules of different skills
}

type pair struct{ earlier, later int } // in starts

// comparePairs does what a loop of match.Compare over all pairs does, where
// order decides which rule claims a message.
func (s *subject) comparePairs() *pairs {
	p := new(pairs)
	if s.m.Start.Rules == nil {
		return p
	}
	full := func(list []pair) bool { return len(list) > mostOfOne }
	skills := map[string]ruleSet{} // the rules so far, by their skill
	x := &index{words: make(map[string]int, len(s.starts)), regexes: map[[2]string]int{}}
	for later, r := range s.starts {
		if full(p.shadowed) && full(p.overlapping) {
			break
		}
		if r.Match == nil || r.Match.IsIntent() {
			continue
		}
		m := x.read(r.Match, s.m.Start.Rules[later].Match.Keywords != nil)
		shadows := x.shadows(m)
		for earlier := range shadows.all() {
			if full(p.shadowed) {
				break
			}
			p.shadowed = append(p.shadowed, pair{earlier, later})
		}
		if m.plain && !full(p.overlapping) {
			for earlier := range x.overlaps(m, shadows, skills[r.Use]).all() {
				if full(p.overlapping) {
					break
				}
				p.overlapping = append(p.overlapping, pair{earlier, later})
			}
		}
		x.add(later, m)
		skills[r.Use] = skills[r.Use].with(later)
	}
	return p
}

// An index compares a matcher with all that were added before it. A question
// about a word costs a 64th of the matchers at the most, so n matchers cost
// n²/64 of the cheapest operations there are.
type index struct {
	words   map[string]int // keywords by number
	regexes map[[2]string]int
	places  []place // by the place of a part in its matcher
	plain   ruleSet // the matchers that are keywords alone

	tokens []int   // what m.parts are made of
	parts  [][]int // m.parts
	rows   [3]row  // for the rules that were added
	blocks ruleSet
}

// A place holds the parts that stand at one place in their matchers.
type place struct {
	having []ruleSet // by token
	last   ruleSet   // the matchers with no part after this one
}

// A matcher is its parts, each as its tokens: the numbers of its keywords, or
// the number of its regex. One part covers another, as match.Compare has it, if
// it has all of the other's tokens.
type matcher struct {
	parts [][]int
	plain bool // it is keywords alone
}

// read numbers the tokens of a matcher. The result is good until the next call.
func (x *index) read(c *match.Compiled, plain bool) matcher {
	x.tokens, x.parts = x.tokens[:0], x.parts[:0]
	for p := range c.Parts() {
		first := len(x.tokens)
		if p.Keywords == nil {
			x.tokens = append(x.tokens, number(x, x.regexes, [2]string{p.Regex, p.Flags}))
		}
		for _, word := range p.Keywords {
			x.tokens = append(x.tokens, number(x, x.words, word))
		}
		x.parts = append(x.parts, x.tokens[first:])
	}
	return matcher{x.parts, plain}
}

func number[K comparable](x *index, tokens map[K]int, token K) int {
	n, known := tokens[token]
	if !known {
		n = len(x.words) + len(x.regexes)
		tokens[token] = n
	}
	return n
}

// shadows returns the matchers of which every part covers one of m's. The row
// is good until the next call.
func (x *index) shadows(m matcher) row {
	whole, open, covered := x.rows[0], x.rows[1], x.rows[2]
	clear(whole)
	for i := range x.places {
		p := &x.places[i]
		clear(covered)
		for _, part := range m.parts {
			covered.add(x.having(p, part))
		}
		if i > 0 {
			covered.keep(open)
		}
		copy(open, covered)
		open.remove(p.last)
		more := false
		for i, bits := range open {
			whole[i] |= covered[i] &^ bits
			more = more || bits != 0
		}
		if !more {
			break
		}
	}
	return whole
}

// overlaps returns the matchers that are keywords alone and share one with m,
// which is so too; those that shadow m and those of its skill are left out. The
// row is good until the next call.
func (x *index) overlaps(m matcher, shadows row, skill ruleSet) row {
	shared := x.rows[1]
	clear(shared)
	if len(x.places) > 0 {
		for _, token := range m.parts[0] {
			if having := x.places[0].having; token < len(having) {
				shared.add(having[token])
			}
		}
	}
	shared.remove(skill)
	plain := x.rows[2]
	clear(plain)
	plain.add(x.plain)
	for i := range shared {
		shared[i] &= plain[i] &^ shadows[i]
	}
	return shared
}

// having returns the matchers whose part at a place has all tokens of a part.
// The set is good until the next call.
func (x *index) having(p *place, part []int) ruleSet {
	rarest := part[0]
	for _, token := range part {
		if token >= len(p.having) || len(p.having[token]) == 0 {
			return nil
		}
		if len(p.having[token]) < len(p.having[rarest]) {
			rarest = token
		}
	}
	all := append(x.blocks[:0], p.having[rarest]...)
	x.blocks = all
	for _, token := range part {
		if token != rarest {
			all = all.and(p.having[token])
		}
	}
	return all
}

// add adds the matcher of a rule. Rules are added in ascending order.
func (x *index) add(rule int, m matcher) {
	for i := range x.rows {
		for rule/64 >= len(x.rows[i]) {
			x.rows[i] = append(x.rows[i], 0)
		}
	}
	for i, part := range m.parts {
		if i == len(x.places) {
			x.places = append(x.places, place{})
		}
		p := &x.places[i]
		if n := len(x.words) + len(x.regexes); n > len(p.having) {
			p.having = append(p.having, make([]ruleSet, n-len(p.having))...)
		}
		for _, token := range part {
			p.having[token] = p.having[token].with(rule)
		}
		if i == len(m.parts)-1 {
			p.last = p.last.with(rule)
		}
	}
	if m.plain {
		x.plain = x.plain.with(rule)
	}
}

// A ruleSet is a set of rules that is kept: its blocks that are not empty, in
// ascending order.
type ruleSet []block

type block struct {
	at   int // the block holds the rules from 64*at
	bits uint64
}

// with adds a rule that is greater than all in s, as append does.
func (s ruleSet) with(rule int) ruleSet {
	if n := len(s); n == 0 || s[n-1].at < rule/64 {
		s = append(s, block{at: rule / 64})
	}
	s[len(s)-1].bits |= 1 << (rule % 64)
	return s
}

// and drops from s, in place, what is not in t.
func (s ruleSet) and(t ruleSet) ruleSet {
	n := 0
	for _, b := range s {
		for len(t) > 0 && t[0].at < b.at {
			t = t[1:]
		}
		if len(t) == 0 {
			break
		}
		if t[0].at == b.at && t[0].bits&b.bits != 0 {
			s[n] = block{b.at, t[0].bits & b.bits}
			n++
		}
	}
	return s[:n]
}

// A row is a set of rules that is worked on: bit i%64 of element i/64 is rule i.
type row []uint64

func (r row) add(s ruleSet) {
	for _, b := range s {
		r[b.at] |= b.bits
	}
}

func (r row) remove(s ruleSet) {
	for _, b := range s {
		r[b.at] &^= b.bits
	}
}

func (r row) keep(s row) {
	for i := range r {
		r[i] &= s[i]
	}
}

// all yields the rules in ascending order.
func (r row) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, set := range r {
			for ; set != 0; set &= set - 1 {
				if !yield(i*64 + bits.TrailingZeros64(set)) {
					return
				}
			}
		}
	}
}
