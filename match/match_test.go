package match_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/spoorhq/spoor/match"
)

// compile fails the test if m is refused.
func compile(t *testing.T, m match.Match) *match.Compiled {
	t.Helper()
	c, faults := match.Compile(m)
	if faults != nil {
		t.Fatalf("%s: %v", m.Caption(), faults)
	}
	return c
}

func TestKeywords(t *testing.T) {
	for _, tt := range []struct {
		why     string
		words   []string
		message string
		want    match.Witness // zero: no match
	}{
		{"a whole word", []string{"refund"}, "one refund, please", match.Witness{Text: "refund", Keyword: "refund"}},
		{"not inside a word", []string{"refund"}, "refunds prefund refund_1", match.Witness{}},
		{"an underscore and a digit belong to a word", []string{"refund"}, "_refund refund7", match.Witness{}},
		{"later in the message, after a word it is inside of", []string{"refund"}, "refunds and a refund", match.Witness{Text: "refund", Keyword: "refund"}},
		{"the message is quoted as written", []string{"Refund"}, "REFUND or refund", match.Witness{Text: "REFUND", Keyword: "Refund"}},
		{"the first keyword declared, not the first in the message", []string{"late", "refund"}, "a refund, it is late", match.Witness{Text: "late", Keyword: "late"}},
		{"one keyword inside another", []string{"card", "visa card"}, "my visa card", match.Witness{Text: "card", Keyword: "card"}},
		{"one keyword begins like another", []string{"visa card number", "card nine"}, "my visa card nine", match.Witness{Text: "card nine", Keyword: "card nine"}},
		{"space around a keyword is trimmed", []string{" refund\t"}, "refund", match.Witness{Text: "refund", Keyword: "refund"}},
		{"space inside is compared as written", []string{"visa card"}, "visa  card, visa\ncard", match.Witness{}},
		{"and made one in the quotation", []string{"visa  card"}, "visa  card", match.Witness{Text: "visa card", Keyword: "visa  card"}},
		{"an edge that is no word character asks nothing", []string{"v2?"}, "is it v2?x", match.Witness{Text: "v2?", Keyword: "v2?"}},
		{"the other edge still does", []string{"v2?"}, "rev2?", match.Witness{}},
		{"a sign alone", []string{"#"}, "order#1", match.Witness{Text: "#", Keyword: "#"}},
		{"a letter beyond ASCII is no word character, so it may begin inside a word", []string{"über"}, "darüber", match.Witness{Text: "über", Keyword: "über"}},
		{"and a word may begin after it", []string{"order"}, "éorder", match.Witness{Text: "order", Keyword: "order"}},
		{"either case beyond ASCII", []string{"ÉCOLE", "σας"}, "une école", match.Witness{Text: "école", Keyword: "ÉCOLE"}},
		{"three forms of one letter", []string{"ΣΑΣ"}, "σας", match.Witness{Text: "σας", Keyword: "ΣΑΣ"}},
		{"cases of different length", []string{"groß", "ⱥ"}, "GROẞ Ⱥ", match.Witness{Text: "GROẞ", Keyword: "groß"}},
		{"never one character to two", []string{"gross"}, "groß", match.Witness{}},
		{"the Kelvin sign is not k", []string{"k"}, "5 \u212a", match.Witness{}},
		{"the long s is not s", []string{"s"}, "\u017f", match.Witness{}},
		{"the Turkish dotted and dotless i are not i", []string{"istanbul"}, "İstanbul ıstanbul", match.Witness{}},
		{"a combining accent is a character", []string{"é"}, "e\u0301", match.Witness{}},
		{"beyond the first plane", []string{"𐐀"}, "𐐨", match.Witness{Text: "𐐨", Keyword: "𐐀"}},
		{"a byte that is not UTF-8 equals nothing", []string{"\ufffd"}, "\xff", match.Witness{}},
		{"and hides nothing", []string{"order"}, "\xfforder\xe8\xbf", match.Witness{Text: "order", Keyword: "order"}},
		{"an empty message", []string{"refund"}, "", match.Witness{}},
		{"a long keyword is cut in the quotation", []string{strings.Repeat("é", 81)}, strings.Repeat("É", 81),
			match.Witness{Text: strings.Repeat("É", 79) + "…", Keyword: strings.Repeat("é", 81)}},
	} {
		c := compile(t, match.Keywords(tt.words...))
		w, ok := c.Match(tt.message)
		if w != tt.want || ok != (tt.want != match.Witness{}) {
			t.Errorf("%s: %q in %q: got %+v, %v, want %+v", tt.why, tt.words, tt.message, w, ok, tt.want)
		}
		agree(t, []match.Match{match.Keywords("other"), match.Keywords(tt.words...)}, tt.message)
	}
}

func TestRegexAndAll(t *testing.T) {
	order := match.Regex(`order #\d+`, "i")
	for _, tt := range []struct {
		why     string
		match   match.Match
		message string
		ok      bool
		want    match.Witness
	}{
		{"found anywhere", order, "where is Order #17?", true, match.Witness{Text: "Order #17"}},
		{"case counts without i", match.Regex("order"), "Order", false, match.Witness{}},
		{"a dot is no line end", match.Regex("a.b"), "a\nb", false, match.Witness{}},
		{"but with s", match.Regex("a.b", "s"), "a\nb", true, match.Witness{Text: "a b"}},
		{"^ is the start of the text", match.Regex("^b"), "a\nb", false, match.Witness{}},
		{"and with m of a line", match.Regex("^b", "m"), "a\nb", true, match.Witness{Text: "b"}},
		{"flags reach every branch", match.Regex("a|b", "i"), "B", true, match.Witness{Text: "B"}},
		{"an escaped slash", match.Regex(`a\/b`), "a/b", true, match.Witness{Text: "a/b"}},
		{"nothing to quote between two characters", match.Regex("^"), "hello", true, match.Witness{}},
		{"nothing to quote in space", match.Regex(`\s+`), "a \t b", true, match.Witness{}},
		{"space is made one and trimmed", match.Regex(".*"), "  a \t\u00a0\u2003 b ", true, match.Witness{Text: "a b"}},
		{"80 characters are quoted whole", match.Regex(".*"), strings.Repeat("é", 80) + " ", true, match.Witness{Text: strings.Repeat("é", 80)}},
		{"of 81 the last two make room for the ellipsis", match.Regex(".*"), strings.Repeat("é", 81), true, match.Witness{Text: strings.Repeat("é", 79) + "…"}},
		{"space made one counts once", match.Regex(".*"), strings.Repeat("a  ", 40), true, match.Witness{Text: strings.TrimSpace(strings.Repeat("a ", 40))}},
		{"all wants every part", match.All(order, match.Keywords("late")), "order #1", false, match.Witness{}},
		{"and quotes the first", match.All(order, match.Keywords("late")), "late: order #1", true, match.Witness{Text: "order #1"}},
		{"that yields something", match.All(match.Regex("^"), match.Keywords("late", "overdue")), "it is overdue", true, match.Witness{Text: "overdue", Keyword: "overdue"}},
		{"or nothing", match.All(match.Regex("^"), match.Regex("$")), "x", true, match.Witness{}},
		{"an intent claims nothing", match.Intent("wants out", "let me out"), "let me out", false, match.Witness{}},
	} {
		c := compile(t, tt.match)
		if w, ok := c.Match(tt.message); w != tt.want || ok != tt.ok {
			t.Errorf("%s: %s in %q: got %+v, %v, want %+v, %v", tt.why, c.Data().Caption(), tt.message, w, ok, tt.want, tt.ok)
		}
		agree(t, []match.Match{match.Keywords("late"), tt.match}, tt.message)
	}
}

func TestSetKeepsIndexes(t *testing.T) {
	set := match.NewSet([]*match.Compiled{
		nil,
		compile(t, match.Intent("wants out", "let me out")),
		compile(t, match.Keywords("out")),
		compile(t, match.Regex("let")),
	})
	hits := set.Scan("let me out")
	var got []bool
	for i := range 4 {
		_, ok := hits.Match(i)
		got = append(got, ok)
	}
	if want := []bool{false, false, true, true}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	var none match.Hits
	if _, ok := none.Match(0); ok {
		t.Error("the zero Hits match")
	}
	if i, _, ok := none.First(0); ok || i != -1 {
		t.Error("the zero Hits have a first")
	}
}

// TestConcurrent asks one matcher and one Set from many goroutines.
func TestConcurrent(t *testing.T) {
	c := compile(t, match.All(match.Keywords("late", "overdue"), match.Regex(`#\d+`)))
	set := match.NewSet([]*match.Compiled{c})
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			hits := set.Scan("order #1 is overdue")
			w, ok := hits.Match(0)
			if same, _ := c.Match("order #1 is overdue"); !ok || w != same {
				t.Errorf("got %+v and %+v", w, same)
			}
		})
	}
	wait.Wait()
}

// TestHostile holds that long and nested input stays linear: each line takes
// milliseconds, and minutes if it does not.
func TestHostile(t *testing.T) {
	nested := make([]string, 100) // each keyword ends in all the shorter ones
	for i := range nested {
		nested[i] = strings.TrimSpace(strings.Repeat("a ", i+1))
	}
	compile(t, match.Keywords(nested...)).Match(strings.Repeat("a ", 1<<19))
	compile(t, match.Keywords(nested...)).Match(strings.Repeat("a", 1<<20))
	compile(t, match.Regex("(a*)*b")).Match(strings.Repeat("a", 1<<16))

	m := match.Keywords("x") // 10^60 parts
	for range 60 {
		m = match.All(m, m, m, m, m, m, m, m, m, m)
	}
	if c, faults := match.Compile(m); c != nil || len(faults) != 1 {
		t.Errorf("10^60 parts: %v", faults)
	}
	deep := strings.Repeat(`{"all":[`, 9000) + `{"regex":"a"}` + strings.Repeat("]}", 9000)
	if err := json.Unmarshal([]byte(deep), &m); err == nil {
		t.Error("9000 matchers in one another are read")
	}
}

func TestCompare(t *testing.T) {
	words := func(s string) match.Match { return match.Keywords(strings.Split(s, ",")...) }
	a, b := match.Regex("a"), match.Regex("b")
	for _, tt := range []struct {
		why            string
		earlier, later match.Match
		want           match.Relation
	}{
		{"equal regexes", a, match.Regex("a"), match.Shadows},
		{"other sources", a, b, ""},
		{"other flags", a, match.Regex("a", "i"), ""},
		{"m is not s", match.Regex("a", "m"), match.Regex("a", "s"), ""},
		{"equal flags m", match.Regex("a", "m"), match.Regex("a", "m"), match.Shadows},
		{"equal flags in another order", match.Regex("a", "msi"), match.Regex("a", "i", "s", "m"), match.Shadows},
		{"flags that are dropped", match.Regex("a", "gi"), match.Regex("a", "iuy"), match.Shadows},
		{"later among earlier", words("a,b,c"), words("b,A"), match.Shadows},
		{"a word more", words("a,b"), words("b,c"), match.Overlaps},
		{"earlier among later", words("a"), words("a,b"), match.Overlaps},
		{"nothing shared", words("a"), words("b"), ""},
		{"case does not count", words("É"), words("é"), match.Shadows},
		{"regex and keywords", match.Regex("a"), words("a"), ""},
		{"one part of the later", a, match.All(a, b), match.Shadows},
		{"the earlier wants more", match.All(a, b), a, ""},
		{"parts in any order", match.All(a, b), match.All(b, a, words("c")), match.Shadows},
		{"wider keywords in an all", match.All(words("a,b"), a), match.All(a, words("b")), match.Shadows},
		{"narrower keywords in an all never overlap", match.All(words("a")), match.All(words("a,b")), ""},
		{"an all of one part is that part", match.All(a), a, match.Shadows},
		{"intents", match.Intent("a", "b"), match.Intent("a", "b"), ""},
		{"an intent and an all", match.All(a), match.Intent("a", "b"), ""},
	} {
		if got := match.Compare(compile(t, tt.earlier), compile(t, tt.later)); got != tt.want {
			t.Errorf("%s: %s, %s: got %q, want %q", tt.why, tt.earlier.Caption(), tt.later.Caption(), got, tt.want)
		}
	}
	if got := match.Compare(nil, compile(t, a)); got != "" {
		t.Errorf("nil: got %q", got)
	}
}

func TestCaption(t *testing.T) {
	for _, tt := range []struct {
		match            match.Match
		caption, mermaid string
	}{
		{match.Match{}, "", ""},
		{match.Regex(`(a|b) "c"`, "i"), `/(a|b) "c"/i`, `/(a#124;b) #quot;c#quot;/i`},
		{match.Keywords("a", "b", "c"), "a, b, c", "a, b, c"},
		{match.Keywords("a", "b", "c", "d", "e"), "a, b, c, +2 more", "a, b, c, +2 more"},
		{match.All(match.Regex("a"), match.Keywords("b", "c")), "/a/ AND b, c", "/a/ AND b, c"},
		{match.Intent(strings.Repeat("é", 40), "x"), "intent: " + strings.Repeat("é", 40), "intent: " + strings.Repeat("é", 40)},
		{match.Intent(strings.Repeat("é", 41), "x"), "intent: " + strings.Repeat("é", 40) + "…", "intent: " + strings.Repeat("é", 40) + "…"},
	} {
		if got := tt.match.Caption(); got != tt.caption {
			t.Errorf("Caption: got %s, want %s", got, tt.caption)
		}
		if got := tt.match.Mermaid(); got != tt.mermaid {
			t.Errorf("Mermaid: got %s, want %s", got, tt.mermaid)
		}
	}
}

func TestData(t *testing.T) {
	m := match.All(match.Regex("a", "mgi", "i"), match.All(match.Keywords(" b "), match.All(match.Regex("c"))))
	want := match.All(match.Regex("a", "im"), match.Keywords("b"), match.Regex("c"))
	c := compile(t, m)
	if got := c.Data(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %s, want %s", got.Caption(), want.Caption())
	}
	c.Data().All[1].Keywords[0] = "x"
	if got := c.Data(); !reflect.DeepEqual(got, want) {
		t.Errorf("changing the copy changed the matcher: %s", got.Caption())
	}
}
