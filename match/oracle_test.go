package match_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/spoorhq/spoor/match"
)

// nothing stands for a byte that is not UTF-8 and equals nothing.
const nothing = utf8.MaxRune

// oracle answers as Compiled.Match must, with one regexp a keyword.
func oracle(m match.Match, message string) (match.Witness, bool) {
	switch {
	case m.Regex != nil:
		at := regexp.MustCompile("(?" + m.Flags + ":" + *m.Regex + ")").FindStringIndex(message)
		if at == nil {
			return match.Witness{}, false
		}
		return match.Witness{Text: quotation(message[at[0]:at[1]])}, true
	case m.Keywords != nil:
		var valid strings.Builder
		for i, r := range message {
			if r == utf8.RuneError && !strings.HasPrefix(message[i:], "\uFFFD") {
				r = nothing
			}
			valid.WriteRune(r)
		}
		for _, w := range m.Keywords {
			if found := keywordRegexp(w).FindString(valid.String()); found != "" {
				return match.Witness{Text: quotation(found), Keyword: w}, true
			}
		}
		return match.Witness{}, false
	}
	var witness match.Witness
	for _, p := range m.All {
		w, ok := oracle(p, message)
		if !ok {
			return match.Witness{}, false
		}
		if witness.Text == "" {
			witness = w
		}
	}
	return witness, m.Intent == nil
}

// keywordRegexp spells out what the package comment says of a keyword.
func keywordRegexp(word string) *regexp.Regexp {
	word = strings.TrimSpace(word)
	var b strings.Builder
	isWord := func(r rune) bool {
		return r == '_' || r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r))
	}
	runes := []rune(word)
	if isWord(runes[0]) {
		b.WriteString(`\b`)
	}
	for _, r := range runes {
		forms := []rune{r}
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			if (f < 128) == (r < 128) {
				forms = append(forms, f)
			}
		}
		b.WriteByte('[')
		for _, f := range forms {
			fmt.Fprintf(&b, `\x{%x}`, f)
		}
		b.WriteByte(']')
	}
	if isWord(runes[len(runes)-1]) {
		b.WriteString(`\b`)
	}
	return regexp.MustCompile(b.String())
}

func quotation(s string) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return string(r)
}

// agree compares the oracle with each matcher alone and with all in a Set.
func agree(t *testing.T, ms []match.Match, message string) {
	t.Helper()
	compiled := make([]*match.Compiled, len(ms))
	for i, m := range ms {
		compiled[i], _ = match.Compile(m) // one that is refused is nil and matches nothing
	}
	set := match.NewSet(compiled)
	hits := set.Scan(message)
	for i, c := range compiled {
		var want match.Witness
		var ok bool
		if c != nil {
			want, ok = oracle(c.Data(), message)
			if w, got := c.Match(message); w != want || got != ok {
				t.Errorf("%q: %s: Match = %+v, %v, want %+v, %v", message, c.Data().Caption(), w, got, want, ok)
			}
		}
		if w, got := hits.Match(i); w != want || got != ok {
			t.Errorf("%q: matcher %d: Hits.Match = %+v, %v, want %+v, %v", message, i, w, got, want, ok)
		}
	}
	for from := range len(ms) + 1 {
		want := -1
		for i := from; i < len(ms) && want < 0; i++ {
			if _, ok := hits.Match(i); ok {
				want = i
			}
		}
		i, w, ok := hits.First(from)
		if i != want || ok != (want >= 0) {
			t.Errorf("%q: First(%d) = %d, %v, want %d", message, from, i, ok, want)
		}
		if ok {
			if same, _ := hits.Match(i); same != w {
				t.Errorf("%q: First(%d) has witness %+v, want %+v", message, from, w, same)
			}
		}
	}
}

// TestOracle tries messages and keywords out of few characters, so that they
// often meet: both cases of letters, letters whose cases differ in length, word
// edges of both kinds, space, bytes that are not UTF-8.
func TestOracle(t *testing.T) {
	characters := []string{
		"a", "A", "b", "B", "a", "b", "k", "K", "\u212a", "s", "S", "\u017f", "_", "1", "-", "?", " ", " ", "  ", "\t", "\n", "\u00a0",
		"é", "É", "e\u0301", "ß", "ẞ", "İ", "ı", "i", "I", "Ⱥ", "ⱥ", "Σ", "ς", "返", "𐐀", "𐐨", "\ufffd", "\xff", "\xc3", "\xe8\xbf",
	}
	r := rand.New(rand.NewPCG(1, 2))
	write := func(n, alphabet int) string {
		var b strings.Builder
		for range n {
			b.WriteString(characters[r.IntN(alphabet)])
		}
		return b.String()
	}
	for range 3000 {
		alphabet := 2 + r.IntN(len(characters)-1)
		keywords := func() match.Match {
			words := make([]string, 1+r.IntN(5))
			for i := range words {
				words[i] = write(1+r.IntN(4), alphabet)
			}
			return match.Keywords(words...)
		}
		ms := make([]match.Match, r.IntN(12))
		for i := range ms {
			switch r.IntN(6) {
			case 0:
				ms[i] = match.All(keywords(), match.Regex([]string{"^", "a+", `\s`, "."}[r.IntN(4)]))
			case 1:
				ms[i] = match.All(match.Regex("$"), keywords(), keywords())
			case 2:
				ms[i] = match.Intent("wants a", "give me a")
			default:
				ms[i] = keywords()
			}
		}
		agree(t, ms, write(r.IntN(60), alphabet))
	}
}

// FuzzKeywords reads a matcher a line, its keywords separated by commas.
func FuzzKeywords(f *testing.F) {
	f.Add("refund,charged twice\nv2?\n#1", "I was CHARGED TWICE for v2?x, order #1")
	f.Add("a b c,b c,c\nc,b", "xa b c a b c")
	f.Add("ẞ,Ⱥ\nk,s\ni", "groß \u212a \u017f İ ⱥ")
	f.Add("\ufffd", "\xff \ufffd")
	f.Add("a,b,c,d,e,f,g,h,i,j,k", "k j i h g f e d c b a")
	f.Fuzz(func(t *testing.T, words, message string) {
		if len(words)+len(message) > 1000 || strings.ContainsRune(words, nothing) {
			return
		}
		var ms []match.Match
		for line := range strings.SplitSeq(words, "\n") {
			ms = append(ms, match.Keywords(strings.Split(line, ",")...))
		}
		agree(t, ms, message)
	})
}
