package score

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestWords(t *testing.T) {
	for _, tt := range []struct {
		why  string
		text string
		want string // the words, by a space
	}{
		{"case does not count", "Refund REFUND reFund", "refund refund refund"},
		{"all but letters and digits splits", "late,order/no.17-b_2:x#99", "late order no 17 99"},
		{"letters and digits are one word", "v2 7up a4", "v2 7up a4"},
		{"one character is no word", "x 7 b - ok", "ok"},
		{"words that say little are left out", "How can I get the refund to my card, please?", "get refund card"},
		{"whatever their case", "THE Please WANT order", "order"},
		{"the s of a plural is dropped", "refunds orders 100s", "refund order 100"},
		{"after the stop words, so that wants counts", "wants needs cans want", "want need can"},
		{"and a word may end as a stop word", "wills does ours", "will our"},
		{"not from ss", "address loss boss", "address loss boss"},
		{"not from three letters", "bus gas its", "bus gas its"},
		{"only one s", "buses glasses", "buse glasse"},
		{"letters outside ASCII split", "naïve café Straße", "na ve caf stra"},
		{"also those whose lower case is ASCII", "to\u212aen İstanbul", "en stanbul"},
		{"a byte that is not UTF-8 splits", "late\xfforder", "late order"},
		{"nothing", "", ""},
		{"nothing that counts", "what is this? ¿…!", ""},
	} {
		if got := strings.Join(words(nil, tt.text), " "); got != tt.want {
			t.Errorf("%s: %q: got %q, want %q", tt.why, tt.text, got, tt.want)
		}
	}
}

func TestKeyword(t *testing.T) {
	for _, tt := range []struct {
		why     string
		message string
		text    string
		more    []string
		want    float64
	}{
		{"the same words", "refund order", "Order: refunds", nil, 1},
		{"nothing shared", "refund order", "open an account", nil, 0},
		{"one of two and of three", "refund order", "refund late parcel", nil, 1 / math.Sqrt(6)},
		{"repeats do not count", "refund refund order", "refund late late parcel", nil, 1 / math.Sqrt(6)},
		{"examples count like the text", "card stolen", "lost", []string{"my card is stolen", "card gone"}, 2 / math.Sqrt(8)},
		{"an example does not continue the text", "lostcard", "lost", []string{"card"}, 0},
		{"a message without words", "what is this?", "what is this?", nil, 0},
		{"a text without words", "refund", "", nil, 0},
	} {
		q := Query{tt.message, []Candidate{{ID: "other", Text: tt.message}, {"a", tt.text, tt.more}}}
		scores, err := Ask(t.Context(), Keyword, q)
		if err != nil || scores[1].ID != "a" || math.Abs(scores[1].Score-tt.want) > 1e-12 {
			t.Errorf("%s: got %v, %v, want %v", tt.why, scores, err, tt.want)
		}
	}
}

func TestKeywordTraits(t *testing.T) {
	a := Keyword.Traits()
	if *a.Floor != 0 || a.Categorical || a.Model != "" {
		t.Errorf("got %+v, want a floor of 0 alone", a)
	}
	if *a.Floor = 1; *Keyword.Traits().Floor != 0 {
		t.Error("who changes its traits changes the scorer")
	}
}

// FuzzWords compares words with the rule, written out step by step.
func FuzzWords(f *testing.F) {
	f.Add("How do I return 2 orders? Addresses, v2; cafés")
	f.Add("Wants THE bus\xff\u212a ss s")
	f.Fuzz(func(t *testing.T, text string) {
		var want []string
		for _, w := range strings.FieldsFunc(text, func(r rune) bool {
			return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}) {
			w = strings.ToLower(w)
			if len(w) < 2 || slices.Contains(stopWords, w) {
				continue
			}
			if len(w) >= 4 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
				w = strings.TrimSuffix(w, "s")
			}
			want = append(want, w)
		}
		if got := words(nil, text); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	})
}

var stopWords = strings.Fields(`a an the and or but if to of for in on at by with is are was were be been it this that
	these those i you we my our me please can could would should do does how what need want`)

// candidates are n intents of about thirty words.
func candidates(n int) []Candidate {
	list := make([]Candidate, n)
	for i := range list {
		list[i] = Candidate{
			ID:   fmt.Sprint("skill", i),
			Text: fmt.Sprintf("The customer wants a refund of type%d or asks where the parcel%d is", i%7, i),
			Examples: []string{
				fmt.Sprintf("where is my order %d, it should have been here on Monday", i),
				fmt.Sprintf("I was charged twice for article%d and need the money back", i%31),
			},
		}
	}
	return list
}

const complaint = "Hello, I was charged twice for order 17 and the parcel17 still isn't here, please refund the second charge."

func BenchmarkAsk(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		q := Query{complaint, candidates(n)}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Ask(b.Context(), Keyword, q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestWordsAllocate holds that only words with a capital cost memory.
func TestWordsAllocate(t *testing.T) {
	list := make([]string, 0, 100)
	for text, want := range map[string]float64{strings.ToLower(complaint): 0, "Late refund of Order 17, The END": 4} {
		if n := testing.AllocsPerRun(100, func() { words(list, text) }); n != want {
			t.Errorf("%q: %v allocations, want %v", text, n, want)
		}
	}
}
