package regex

import (
	"regexp/syntax"
	"strings"
	"testing"
	"unicode"
)

func TestWork(t *testing.T) {
	for _, test := range []struct {
		source, flags string
		fits          bool
	}{
		{`\brefunds?\b`, "i", true},
		{`order[-_ ]#?\d+`, "i", true},
		{strings.Repeat(`[а-яё]+|`, 500) + "x", "i", true},
		{strings.Repeat(`[一-龥]`, 25), "i", true},
		{strings.Repeat(`\p{L}+ `, 100), "i", true},
		{strings.Repeat(`[Ā-𞥂]`, 500), "", true},
		{strings.Repeat(`[Ā-𞥂]`, 500), "i", false},
		{"(?i)" + strings.Repeat(`[Ā-𞥂]`, 500), "", false},
		{"(?s:(?i:[" + strings.Repeat(`Ā-𞥂`, 500) + "]))", "", false},
		{"[^" + strings.Repeat(`\x{100}-\x{10ffff}`, 20) + "]", "i", false},
		{"[" + strings.Repeat(`\x{100}-\x{0001e940}`, 20) + "]", "i", false},
		{strings.Repeat(`\pL`, 1300), "", false},
		{"[" + strings.Repeat(`\P{Greek}`, 400) + "]", "i", false},
		{"-", "i", true}, {`\`, "i", true}, {`-\x{`, "i", true}, {"-\xff", "i", true},
	} {
		if n := Work(test.source, test.flags); (n <= MaxWork) != test.fits {
			t.Errorf("%.60s with %q: %d", test.source, test.flags, n)
		}
	}
}

func TestLastFolded(t *testing.T) {
	for r := rune(lastFolded + 1); r <= unicode.MaxRune; r++ {
		if unicode.SimpleFold(r) != r {
			t.Fatalf("%U has another case", r)
		}
	}
}

// FuzzWork holds the bound: the characters that the classes of an expression
// end up with, other cases left out, are no more than it visits.
func FuzzWork(f *testing.F) {
	for _, s := range []string{`[а-я]`, `[\x{100}-\x{10ffff}]`, `\pL[^Ā-𞥂é-\x{1e940}]`, `[\--é]`, `[a-\p{Greek}]`, `[+--é]`, `\Q[a-é]\E`, `[\x61-\x{e9}é]`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		work := Work(source, "i")
		if len(source) > 1000 || work > MaxWork {
			return
		}
		tree, err := syntax.Parse(source, syntax.Perl)
		if err != nil {
			return
		}
		var walk func(*syntax.Regexp)
		walk = func(re *syntax.Regexp) {
			if re.Op == syntax.OpCharClass {
				for i := 0; i < len(re.Rune); i += 2 {
					// What is negated or has a name visits no more, and neither do characters side by side.
					lo, hi := max(re.Rune[i], unicode.MaxASCII), min(re.Rune[i+1], lastFolded)
					if width := int(hi - lo); width > len(source) && !strings.ContainsAny(source, `^DSW.pP`) && width > work {
						t.Errorf("%q: a class spans %d characters, and the work is %d", source, width, work)
					}
				}
			}
			for _, sub := range re.Sub {
				walk(sub)
			}
		}
		walk(tree)
	})
}
