package explain

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A pair is an element of one list and the element of another that it equals.
type pair struct{ a, b int }

// align pairs equal elements of two lists in order, as many as there can be:
// a longest common subsequence, found as Myers does. It gives up, and is not
// full, where more than most elements that both lists have would stay alone;
// then it pairs only what both lists begin and end with.
func align(a, b []int32, most int) (pairs []pair, full bool) {
	begin := 0
	for begin < len(a) && begin < len(b) && a[begin] == b[begin] {
		pairs = append(pairs, pair{begin, begin})
		begin++
	}
	endA, endB := len(a), len(b)
	for endA > begin && endB > begin && a[endA-1] == b[endB-1] {
		endA, endB = endA-1, endB-1
	}
	inner, full := alignShared(a[begin:endA], b[begin:endB], most)
	for _, p := range inner {
		pairs = append(pairs, pair{begin + p.a, begin + p.b})
	}
	for i := range len(a) - endA {
		pairs = append(pairs, pair{endA + i, endB + i})
	}
	return pairs, full
}

// alignShared aligns what each list shares with the other. What only one has
// stays alone in any case.
func alignShared(a, b []int32, most int) ([]pair, bool) {
	shared := func(list, other []int32) (ids []int32, at []int) {
		in := make(map[int32]bool, len(other))
		for _, id := range other {
			in[id] = true
		}
		for i, id := range list {
			if in[id] {
				ids, at = append(ids, id), append(at, i)
			}
		}
		return ids, at
	}
	idsA, atA := shared(a, b)
	idsB, atB := shared(b, a)
	pairs, full := myers(idsA, idsB, most)
	for i, p := range pairs {
		pairs[i] = pair{atA[p.a], atB[p.b]}
	}
	return pairs, full
}

// myers is the greedy algorithm of "An O(ND) Difference Algorithm and Its
// Variations": on diagonal k, v is how far in a one comes with d edits.
func myers(a, b []int32, most int) (pairs []pair, full bool) {
	if len(a) == 0 || len(b) == 0 {
		return nil, true
	}
	most = min(most, len(a)+len(b))
	v := make([]int32, 2*most+3)
	at := func(k int) *int32 { return &v[k+most+1] }
	var trace [][]int32 // of v, what the edits before could reach
	for d := 0; d <= most; d++ {
		trace = append(trace, slices.Clone(v[most+1-d:most+2+d]))
		for k := -d; k <= d; k += 2 {
			var x int
			if k == -d || k != d && *at(k - 1) < *at(k + 1) {
				x = int(*at(k + 1))
			} else {
				x = int(*at(k - 1)) + 1
			}
			y := x - k
			for x < len(a) && y < len(b) && a[x] == b[y] {
				x, y = x+1, y+1
			}
			*at(k) = int32(x)
			if x >= len(a) && y >= len(b) {
				return retrace(len(a), len(b), trace), true
			}
		}
	}
	return nil, false
}

func retrace(x, y int, trace [][]int32) (pairs []pair) {
	for d := len(trace) - 1; d >= 0; d-- {
		at := func(k int) int { return int(trace[d][k+d]) }
		k, fromX, fromY := x-y, 0, 0
		if d > 0 {
			before := k - 1
			if k == -d || k != d && at(k-1) < at(k+1) {
				before = k + 1
			}
			fromX = at(before)
			fromY = fromX - before
		}
		for x > fromX && y > fromY {
			x, y = x-1, y-1
			pairs = append(pairs, pair{x, y})
		}
		x, y = fromX, fromY
	}
	slices.Reverse(pairs)
	return pairs
}

// A Segment is a stretch of two texts: one that both have, or what each has in
// its place.
type Segment struct {
	Both string `json:"both,omitempty"`
	A    string `json:"a,omitempty"`
	B    string `json:"b,omitempty"`
}

// What a comparison of words looks at.
const (
	maxWords     = 20_000 // in each text
	maxWordEdits = 500
)

// compareWords cuts two texts into what they share and what they do not. It is
// nil if there is too much to compare.
func compareWords(a, b string) []Segment {
	wordsA, wordsB := cutWords(a), cutWords(b)
	if wordsA == nil || wordsB == nil {
		return nil
	}
	ids := map[string]int32{}
	number := func(words []string) []int32 {
		list := make([]int32, len(words))
		for i, w := range words {
			id, ok := ids[w]
			if !ok {
				id = int32(len(ids))
				ids[w] = id
			}
			list[i] = id
		}
		return list
	}
	pairs, full := align(number(wordsA), number(wordsB), maxWordEdits)
	if !full {
		return nil
	}
	var list []Segment
	i, j := 0, 0
	for _, p := range append(pairs, pair{len(wordsA), len(wordsB)}) {
		if i < p.a || j < p.b {
			list = append(list, Segment{A: strings.Join(wordsA[i:p.a], ""), B: strings.Join(wordsB[j:p.b], "")})
		}
		if i, j = p.a+1, p.b+1; p.a < len(wordsA) {
			if n := len(list); n > 0 && list[n-1].Both != "" {
				list[n-1].Both += wordsA[p.a]
			} else {
				list = append(list, Segment{Both: wordsA[p.a]})
			}
		}
	}
	return list
}

// cutWords cuts a text into words, stretches of space, and single other
// characters. It is nil if there are too many.
func cutWords(s string) []string {
	words := []string{}
	class := func(r rune) int {
		switch {
		case inWord(r):
			return 1
		case unicode.IsSpace(r):
			return 2
		}
		return 0
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		c, end := class(r), i+n
		for c != 0 && end < len(s) {
			r, n := utf8.DecodeRuneInString(s[end:])
			if class(r) != c {
				break
			}
			end += n
		}
		if words = append(words, s[i:end]); len(words) > maxWords {
			return nil
		}
		i = end
	}
	return words
}
