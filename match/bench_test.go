package match_test

import (
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/spoorhq/spoor/match"
)

// startRules are n rules of three keywords.
func startRules(tb testing.TB, n int) []*match.Compiled {
	out := make([]*match.Compiled, n)
	for i := range out {
		c, faults := match.Compile(match.Keywords(fmt.Sprintf("alpha%d", i), fmt.Sprintf("beta %d", i), fmt.Sprintf("gamma-%d", i)))
		if faults != nil {
			tb.Fatal(faults)
		}
		out[i] = c
	}
	return out
}

// say is a message of 200 characters that ends with s.
func say(s string) string {
	filler := strings.Repeat("Please look at the alphabet of my gamma ray order, it is a beta version and was charged twice. ", 3)
	return filler[:199-len(s)] + " " + s
}

func BenchmarkStartRules(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		set := match.NewSet(startRules(b, n))
		last := say(fmt.Sprintf("Gamma-%d", n-1))
		b.Run(fmt.Sprintf("last/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				hits := set.Scan(last)
				if i, _, _ := hits.First(0); i != n-1 {
					b.Fatal(i)
				}
			}
		})
		none := say("nothing")
		b.Run(fmt.Sprintf("none/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				hits := set.Scan(none)
				if i, _, _ := hits.First(0); i != -1 {
					b.Fatal(i)
				}
			}
		})
		b.Run(fmt.Sprintf("each/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				hits := set.Scan(last)
				for i := range n {
					if _, ok := hits.Match(i); ok != (i == n-1) {
						b.Fatal(i)
					}
				}
			}
		})
	}
}

// BenchmarkNaive asks what BenchmarkStartRules/last does without a Set: each
// matcher in turn, or a regexp for each, as one would write it by hand.
func BenchmarkNaive(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		rules := startRules(b, n)
		expressions := make([]*regexp.Regexp, n)
		for i, c := range rules {
			expressions[i] = regexp.MustCompile(`(?i)\b(?:` + strings.Join(c.Data().Keywords, "|") + `)\b`)
		}
		last := say(fmt.Sprintf("Gamma-%d", n-1))
		first := func(b *testing.B, matches func(i int) bool) {
			b.ReportAllocs()
			for b.Loop() {
				i := 0
				for !matches(i) {
					i++
				}
				if i != n-1 {
					b.Fatal(i)
				}
			}
		}
		b.Run(fmt.Sprintf("match/%d", n), func(b *testing.B) {
			first(b, func(i int) bool { _, ok := rules[i].Match(last); return ok })
		})
		b.Run(fmt.Sprintf("regexp/%d", n), func(b *testing.B) {
			first(b, func(i int) bool { return expressions[i].MatchString(last) })
		})
	}
}

func BenchmarkNewSet(b *testing.B) {
	for _, n := range []int{100, 1000, 5000} {
		rules := startRules(b, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				match.NewSet(rules)
			}
			b.ReportMetric(float64(live(rules)), "live-B")
		})
	}
}

// live is the size of a Set of the rules.
func live(rules []*match.Compiled) uint64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	set := match.NewSet(rules)
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(set)
	return after.HeapAlloc - min(before.HeapAlloc, after.HeapAlloc)
}

// TestScanAllocates holds that a message that no keyword is in costs no memory.
func TestScanAllocates(t *testing.T) {
	set := match.NewSet(startRules(t, 1000))
	message := say("nothing")
	n := testing.AllocsPerRun(100, func() {
		hits := set.Scan(message)
		if _, _, ok := hits.First(0); ok {
			t.Error("matched")
		}
	})
	if n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

// TestSetSize holds that the automaton stays modest: 15,000 keywords of 12
// random letters, which share little, below 10 MB.
func TestSetSize(t *testing.T) {
	rules := make([]*match.Compiled, 5000)
	seed := uint64(1)
	word := func() string {
		b := make([]byte, 12)
		for i := range b {
			seed = seed*6364136223846793005 + 1442695040888963407
			b[i] = 'a' + byte(seed>>33%26)
		}
		return string(b)
	}
	for i := range rules {
		rules[i], _ = match.Compile(match.Keywords(word(), word(), word()))
	}
	if size := live(rules); size > 10<<20 {
		t.Errorf("the Set holds %d bytes, want at most 10 MB", size)
	} else {
		t.Logf("15,000 keywords: %.1f MB", float64(size)/(1<<20))
	}
}
