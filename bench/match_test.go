// Package bench compares spoor with libraries that it does not depend on.
package bench

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	bobu "github.com/BobuSumisu/aho-corasick"
	coregx "github.com/coregx/ahocorasick"

	"github.com/spoorhq/spoor/match"
)

// keywords are those of n start rules, three a rule.
func keywords(n int) [][]string {
	rules := make([][]string, n)
	for i := range rules {
		rules[i] = []string{fmt.Sprintf("alpha%d", i), fmt.Sprintf("beta %d", i), fmt.Sprintf("gamma-%d", i)}
	}
	return rules
}

// say is a message of 200 characters that ends with s.
func say(s string) string {
	filler := strings.Repeat("Please look at the alphabet of my gamma ray order, it is a beta version and was charged twice. ", 3)
	return filler[:199-len(s)] + " " + s
}

// dense are keywords and a message of 200 characters out of one set of
// syllables, so that all of the message is the beginning of some keyword.
func dense(n int) (rules [][]string, message string) {
	syllables := strings.Fields("re fu nd ca n cel or der bi ll pay ment in voice ship ping ad dress a ac count pass word lo gin user name er s ed ing")
	r := rand.New(rand.NewPCG(1, 2))
	word := func() (s string) {
		for range 1 + r.IntN(4) {
			s += syllables[r.IntN(len(syllables))]
		}
		return s
	}
	seen := map[string]bool{}
	rules = make([][]string, n)
	for i := range rules {
		for len(rules[i]) < 3 {
			w := word()
			if i%3 == 0 {
				w += " " + word()
			}
			if len(w) > 6 && !seen[w] {
				seen[w] = true
				rules[i] = append(rules[i], w)
			}
		}
	}
	for len(message) < 200 {
		message += word() + " "
	}
	return rules, message[:200]
}

// finders make, of the keywords of rules, what finds the first rule that claims
// a message, or -1. All but the bare one answer the same: whole words, in
// either case of ASCII. The libraries know bytes alone, so they are given
// keywords and a message in lower case, and the borders are looked at here.
var finders = []struct {
	name string
	make func(testing.TB, [][]string) func(string) int
}{
	{"spoor", func(tb testing.TB, rules [][]string) func(string) int {
		ms := make([]*match.Compiled, len(rules))
		for i, words := range rules {
			var faults []match.Fault
			if ms[i], faults = match.Compile(match.Keywords(words...)); faults != nil {
				tb.Fatal(faults)
			}
		}
		set := match.NewSet(ms)
		return func(message string) int {
			hits := set.Scan(message)
			i, _, _ := hits.First(0)
			return i
		}
	}},
	{"bobu", func(_ testing.TB, rules [][]string) func(string) int {
		patterns, rule := flat(rules)
		trie := bobu.NewTrieBuilder().AddStrings(patterns).Build()
		var buf []byte
		return func(message string) int {
			buf = lower(buf, message)
			first := len(rules)
			trie.Walk(buf, func(end, n, pattern int64) bool {
				if r := rule[pattern]; r < first && whole(buf, int(end-n+1), int(end+1)) {
					first = r
				}
				return true
			})
			return found(first, rules)
		}
	}},
	{"coregx", func(tb testing.TB, rules [][]string) func(string) int {
		patterns, rule := flat(rules)
		automaton, err := coregx.NewBuilder().AddStrings(patterns).Build()
		if err != nil {
			tb.Fatal(err)
		}
		var buf []byte
		return func(message string) int {
			buf = lower(buf, message)
			first := len(rules)
			for _, m := range automaton.FindAllOverlapping(buf) {
				if r := rule[m.PatternID]; r < first && whole(buf, m.Start, m.End) {
					first = r
				}
			}
			return found(first, rules)
		}
	}},
	// The least that any of them could take: the first keyword anywhere, whole
	// word or not.
	{"coregx-bare", func(tb testing.TB, rules [][]string) func(string) int {
		patterns, rule := flat(rules)
		automaton, err := coregx.NewBuilder().AddStrings(patterns).Build()
		if err != nil {
			tb.Fatal(err)
		}
		var buf []byte
		return func(message string) int {
			buf = lower(buf, message)
			if m, ok := automaton.Find(buf, 0); ok {
				return rule[m.PatternID]
			}
			return -1
		}
	}},
}

func flat(rules [][]string) (patterns []string, rule []int) {
	for i, words := range rules {
		for _, w := range words {
			patterns = append(patterns, w)
			rule = append(rule, i)
		}
	}
	return patterns, rule
}

func lower(buf []byte, s string) []byte {
	buf = append(buf[:0], s...)
	for i, c := range buf {
		if 'A' <= c && c <= 'Z' {
			buf[i] = c + 'a' - 'A'
		}
	}
	return buf
}

func whole(s []byte, start, end int) bool {
	word := func(i int) bool {
		if i < 0 || i >= len(s) {
			return false
		}
		c := s[i]
		return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_'
	}
	return !(word(start-1) && word(start)) && !(word(end-1) && word(end))
}

func found(first int, rules [][]string) int {
	if first == len(rules) {
		return -1
	}
	return first
}

func BenchmarkFirstRule(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		rules := keywords(n)
		run(b, fmt.Sprintf("last/%d", n), rules, say(fmt.Sprintf("Gamma-%d", n-1)))
		run(b, fmt.Sprintf("none/%d", n), rules, say("nothing"))
		rules, message := dense(n)
		run(b, fmt.Sprintf("dense/%d", n), rules, message)
	}
}

func run(b *testing.B, name string, rules [][]string, message string) {
	want := finders[0].make(b, rules)(message)
	for _, f := range finders {
		b.Run(name+"/"+f.name, func(b *testing.B) {
			first := f.make(b, rules)
			if got := first(message); got != want && f.name != "coregx-bare" {
				b.Fatalf("%d, want %d", got, want)
			}
			b.ReportAllocs()
			for b.Loop() {
				first(message)
			}
		})
	}
}
