package match_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
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
		source := *m.Regex
		if m.Flags != "" {
			source = "(?" + m.Flags + ")" + source
		}
		at := regexp.MustCompile(source).FindStringIndex(message)
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
		slices.Sort(forms) // one regexp for keywords that are equal
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

// A chooser makes matchers and messages out of bytes and few characters, so
// that they often meet: both cases of letters, letters whose cases differ in
// length, word edges of both kinds, space, bytes that are not UTF-8.
type chooser struct {
	bytes    []byte
	alphabet int // how many of the characters
}

var characters = []string{
	"a", "A", "b", "B", "a", "b", "k", "K", "\u212a", "s", "S", "\u017f", "_", "1", "-", "?", " ", " ", "  ", "\t", "\n", "\u00a0",
	"é", "É", "e\u0301", "ß", "ẞ", "İ", "ı", "i", "I", "Ⱥ", "ⱥ", "Σ", "ς", "返", "𐐀", "𐐨", "\ufffd", "\xff", "\xc3", "\xe8\xbf",
}

func newChooser(choices []byte) *chooser {
	c := &chooser{bytes: choices}
	c.alphabet = 2 + c.choose(len(characters)-1)
	return c
}

func (c *chooser) choose(n int) int {
	if len(c.bytes) == 0 {
		return 0
	}
	b := c.bytes[0]
	c.bytes = c.bytes[1:]
	return int(b) % n
}

func (c *chooser) text(n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(characters[c.choose(c.alphabet)])
	}
	return b.String()
}

func (c *chooser) keywords() match.Match {
	words := make([]string, 1+c.choose(5))
	for i := range words {
		words[i] = c.text(1 + c.choose(4))
	}
	return match.Keywords(words...)
}

func (c *chooser) regex() match.Match {
	sources := []string{"^", "$", "a+", `\s`, ".", "^b", `a\b`, "a.*b", "(a|ab)(c|b)?", "k", `\Qa`, "[^a]$", "(?i)é", "x*"}
	return match.Regex(sources[c.choose(len(sources))], []string{"", "", "i", "s", "m", "ismg"}[c.choose(6)])
}

func (c *chooser) match(depth int) match.Match {
	switch c.choose(6) {
	case 0:
		return c.regex()
	case 1, 2:
		if depth < 2 {
			parts := make([]match.Match, 1+c.choose(3))
			for i := range parts {
				parts[i] = c.match(depth + 1)
			}
			return match.All(parts...)
		}
	case 3:
		if depth == 0 {
			return match.Intent("wants a", "give me a")
		}
	}
	return c.keywords()
}

func (c *chooser) matches() []match.Match {
	ms := make([]match.Match, c.choose(12))
	for i := range ms {
		ms[i] = c.match(0)
	}
	return ms
}

func randomBytes(seed int) []byte {
	b := make([]byte, 300)
	_, _ = rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)}).Read(b) // never fails
	return b
}

// FuzzMatchers makes matchers of all forms and a message out of bytes.
func FuzzMatchers(f *testing.F) {
	for i := range 50 {
		f.Add(randomBytes(i))
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		c := newChooser(choices)
		agree(t, c.matches(), c.text(c.choose(60)))
	})
}

// TestOracle does the same with random bytes.
func TestOracle(t *testing.T) {
	for i := range 3000 {
		c := newChooser(randomBytes(i))
		message := c.text(c.choose(60))
		agree(t, c.matches(), message)
	}
}

// FuzzRegex takes a regex as it is written: alone, twice in an all, and beside
// keywords.
func FuzzRegex(f *testing.F) {
	f.Add(`\bcheck\b`, "i", "Check it")
	f.Add(`^a.b$|c`, "smi", "x\nA\nB\n")
	f.Add(`\Q(`, "", "(")
	f.Add(`(?P<n>é+)\pL{0,3}?`, "gyu", "éÉ\xffab")
	f.Add(`(a{10}){10}`, "", "aa")
	f.Add(`a**`, "", "a")
	f.Add("\bcheck\b", "", "check")
	f.Add(strings.Repeat("[Ā-𞥂]", 20), "i", "Ā")
	f.Fuzz(func(t *testing.T, source, flags, message string) {
		if len(source) > 200 || len(message) > 1000 {
			return
		}
		re := match.Regex(source, flags)
		_, faults := match.Compile(re)
		_, err := regexp.Compile(source)
		unknown := strings.Trim(flags, "ismgyu") != ""
		large := len(faults) == 1 && (strings.Contains(faults[0].Message, "instructions") || strings.Contains(faults[0].Message, "too many characters"))
		backspace := strings.ContainsRune(source, '\b')
		if bad := err != nil || unknown || source == "" || backspace; bad != (faults != nil) && !large {
			t.Fatalf("%q %q: %v, %v", source, flags, faults, err)
		}
		agree(t, []match.Match{match.Keywords("a", "é"), re, match.All(re, match.Keywords("a"), re)}, message)
	})
}

// relation says what Compare promises, keyword by keyword.
func relation(earlier, later match.Match) match.Relation {
	parts := func(m match.Match) []match.Match {
		if m.All != nil {
			return m.All
		}
		return []match.Match{m}
	}
	among := func(word string, words []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return keywordRegexp(w).String() == keywordRegexp(word).String() })
	}
	covers := func(e, l match.Match) bool {
		switch {
		case e.Regex != nil && l.Regex != nil:
			return *e.Regex == *l.Regex && e.Flags == l.Flags
		case e.Keywords != nil && l.Keywords != nil:
			return !slices.ContainsFunc(l.Keywords, func(w string) bool { return !among(w, e.Keywords) })
		}
		return false
	}
	if earlier.Intent != nil || later.Intent != nil {
		return ""
	}
	if !slices.ContainsFunc(parts(earlier), func(e match.Match) bool {
		return !slices.ContainsFunc(parts(later), func(l match.Match) bool { return covers(e, l) })
	}) {
		return match.Shadows
	}
	if slices.ContainsFunc(later.Keywords, func(w string) bool { return among(w, earlier.Keywords) }) {
		return match.Overlaps
	}
	return ""
}

// compare holds what Compare claims against its promise and against messages.
func compare(t *testing.T, choices []byte) (claim match.Relation, matched bool) {
	c := newChooser(choices)
	c.alphabet = min(c.alphabet, 2+c.choose(6)) // the fewer, the more often they relate
	a, b := c.match(0), c.match(0)
	if c.choose(4) == 0 && b.Intent == nil {
		b = match.All(a, b)
	}
	earlier, _ := match.Compile(a)
	later, _ := match.Compile(b)
	claim = match.Compare(earlier, later)
	if earlier == nil || later == nil {
		if claim != "" {
			t.Errorf("%q, though a matcher is refused", claim)
		}
		return "", false
	}
	if want := relation(earlier.Data(), later.Data()); claim != want {
		t.Errorf("%s, then %s: %q, want %q", earlier.Data().Caption(), later.Data().Caption(), claim, want)
	}
	both := false
	words := slices.Concat(later.Data().Keywords, []string{"", "a b"})
	for range 6 {
		words = append(words, c.text(c.choose(12)))
	}
	for _, message := range append(words, strings.Join(words, " ")) {
		_, e := earlier.Match(message)
		_, l := later.Match(message)
		if claim == match.Shadows && l && !e {
			t.Errorf("%q: %s shadows %s, and only the later one matches", message, earlier.Data().Caption(), later.Data().Caption())
		}
		matched = matched || l
		both = both || e && l
	}
	if claim == match.Overlaps && !both {
		t.Errorf("%s overlaps %s, and no keyword is in both", earlier.Data().Caption(), later.Data().Caption())
	}
	return claim, matched
}

func FuzzCompare(f *testing.F) {
	for i := range 50 {
		f.Add(randomBytes(i))
	}
	f.Fuzz(func(t *testing.T, choices []byte) { compare(t, choices) })
}

// TestCompareOracle does the same with random bytes.
func TestCompareOracle(t *testing.T) {
	claims := map[match.Relation]int{}
	for i := range 5000 {
		if claim, matched := compare(t, randomBytes(i)); matched {
			claims[claim]++
		}
	}
	if claims[match.Shadows] < 200 || claims[match.Overlaps] < 100 || claims[""] < 200 {
		t.Errorf("%v: too few to mean anything", claims)
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
