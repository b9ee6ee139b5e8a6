package explain_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
)

// ports walks a turn of 16 iterations, each of which reads a port. What the
// third read returns is given, and what the answer is.
func ports(t testing.TB, third, answer string) *recording.Recording {
	t.Helper()
	var results []string
	var replies [][]model.Part
	for n := 1; n <= 16; n++ {
		results = append(results, fmt.Sprintf(`{"port":{"n":%d,"name":"ge-0/0/%d","state":"up","errors":%d}}`, n, n, n*n%7))
		replies = append(replies, call("page", fmt.Sprintf(`{"n":%d}`, n)))
	}
	results[2] = third
	return pages(t, results, append(replies, say(answer))...)
}

// A wrong fact in the third of sixteen results, however the answer spells it, is
// found where it stands: that is the first place of the first run.
func TestFirstHit(t *testing.T) {
	const plain = `{"port":{"n":3,"name":"ge-0/0/3","state":"up","errors":41200}}`
	for _, test := range []struct {
		third, answer, span string
		path, text          string
		how                 explain.How
	}{
		{plain, "Errors: 41200 on one of the ports.", "41200", "$.port.errors", "41200", explain.Verbatim},
		{plain, "There were 41,200 errors.", "41,200", "$.port.errors", "41200", explain.SameAs},
		{plain, "There were 41 200 errors.", "41 200", "$.port.errors", "41200", explain.SameAs},
		{plain, "There were 41.2k errors.", "41.2k", "$.port.errors", "41200", explain.SameAs},
		{plain, "There were about 41 thousand errors.", "41 thousand", "$.port.errors", "41200", explain.SameAs},
		{plain, "See GE-0/0/3 for it.", "GE-0/0/3", "$.port.name", "ge-0/0/3", explain.Folded},
		{`{"port":{"n":3,"note":"41\u002c200 errors"}}`, "I read 41,200 there.", "41,200", "$.port.note", `41\u002c200`, explain.Verbatim},
		{`{"port":{"n":3,"note":"it was the\nGrand Caf\u00e9 \"Zur Post\" that called"}}`, "It was “the grand café ‘Zur Post’” that called.", "the grand café ‘Zur Post’",
			"$.port.note", "", explain.Folded},
		{`{"text":"{\"port\":{\"errors\":41200}}"}`, "There were 41,200 errors.", "41,200", "$.text→$.port.errors", "41200", explain.SameAs},
		{`{"content":[{"text":"[{\"note\":\"a badger, \\\"Bert\\\"\"}]"}]}`, `It was a badger, "Bert" of course.`, `a badger, "Bert"`,
			"$.content[0].text→$[0].note", `a badger, \\\"Bert\\\"`, explain.Verbatim},
		{`{"at":"2026-11-30T22:06:04Z"}`, "It was on 30 November 2026.", "30 November 2026", "$.at", "2026-11-30T22:06:04Z", explain.SameAs},
		{`{"priceCents":129900,"currency":"EUR"}`, "It costs €1,299.00.", "€1,299.00", "$.priceCents", "129900", explain.SameAs},
		{`{"share":0.25}`, "That is 25 % of it.", "25 %", "$.share", "0.25", explain.SameAs},
		{`{"rows":[{"errors":41200},{"errors":1700}]}`, "In sum there were 42,900 errors.", "42,900", "$.rows", "", explain.DerivedOf},
		{"port 3\nin 41200 out 1700\n", "The sum is 42,900.", "42,900", "", "in 41200 out 1700", explain.DerivedOf},
		{`{"port":{"in":41200,"out":1700}}`, "They differ by 39500.", "39500", "$.port", "", explain.DerivedOf},
		{"The last call came from Mara Lindqvist, who is angry.", "Please call Mara Lindqvist.", "Mara Lindqvist", "", "Mara Lindqvist", explain.Verbatim},
	} {
		r := ports(t, test.third, test.answer)
		a, s := explain.Answer(r), explain.Span(r, test.span)
		for _, runs := range [][]explain.Run{a.Runs, s.Runs} {
			i := slices.IndexFunc(runs, func(r explain.Run) bool { return r.Sources != nil && strings.Contains(r.Text, test.span) })
			if i < 0 {
				t.Errorf("%q of %q has no source:\n%s", test.span, test.answer, a)
				continue
			}
			src := runs[i].Sources[0]
			if src.Call != "i3.1" || src.Path != test.path || src.How != test.how || test.text != "" && src.Text != test.text || src.Echoed || src.Weak {
				t.Errorf("%q of %q: want %s %q of i3.1, %s; got %s %s %q, %s (echoed %v, weak %v)\n%s", test.span, test.answer,
					test.path, test.text, test.how, src.Call, src.Path, src.Text, src.How, src.Echoed, src.Weak, a)
			}
		}
		hold(t, r, a.Runs)
		hold(t, r, s.Runs)
		_, _ = json.Marshal(a)
	}
}

// The whole of it for people: a wrong answer of many iterations.
func TestWrongPort(t *testing.T) {
	r := ports(t, `{"port":{"n":3,"name":"ge-0/0/3","state":"up","errors":41200}}`, "Port 3 is unwell: it has 41,200 errors. Please replace it within 5 hours.")
	a := explain.Answer(r)
	first := a.Runs[slices.IndexFunc(a.Runs, func(r explain.Run) bool { return r.Sources != nil })]
	if src := first.Sources[0]; src.Call != "i3.1" || src.Path != "$.port.n" || src.Echoed || src.Weak {
		t.Errorf("the first place of the first run %q is %s %s\n%s", first.Text, src.Call, src.Path, a)
	}
	golden(t, "answer-port.txt", a.String())
	golden(t, "tool-port.txt", explain.Tool(r, "i3.1").String())
}

// Why a call was made, where its arguments came from, and what became of it.
func TestTool(t *testing.T) {
	r := wrong(t, staleLine)
	golden(t, "tool.txt", explain.Tool(r, "i3.1").String())
	data, err := json.MarshalIndent(explain.Tool(r, "i3.1"), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "tool.json", string(data)+"\n")
	failed := run(t, desk(staleLine), nil, question, call("open_case", `{"why":"I was charged twice, says a curious badger"}`), call("refund_all", `{"orderId":18}`))
	golden(t, "tool-parts.txt", explain.Tool(failed, "i1.1").String())
	golden(t, "tool-refused.txt", explain.Tool(failed, "i2.1").String()) // there is no such tool
	for _, test := range []struct {
		r    *recording.Recording
		call string
		kind explain.Absence
	}{
		{r, "i9.1", explain.NotRecorded}, {r, "lookup_order", explain.NotRecorded}, {r, "", explain.NotRecorded},
		{recording.NewWriter(nil, "empty").Recording(), "i1.1", explain.NotReached},
	} {
		if why := explain.Tool(test.r, test.call); why.NotFound == nil || why.NotFound.Kind != test.kind {
			t.Errorf("the call %q is %v", test.call, why)
		}
	}
}

// The sum of each of many long lists is found, and what is not searched is told.
func TestSums(t *testing.T) {
	var results, sums []string
	var replies [][]model.Part
	for n := range 5 {
		sum := 0
		var list []string
		for i := range 300 {
			x := 1000 + (i*i*7919+n*104729)%9000
			sum += x
			list = append(list, fmt.Sprint(x))
		}
		results = append(results, fmt.Sprintf(`{"list%d":[%s]}`, n, strings.Join(list, ",")))
		replies = append(replies, call("page", fmt.Sprintf(`{"n":%d}`, n)))
		sums = append(sums, fmt.Sprint(sum))
	}
	r := pages(t, results, append(replies, say("They are "+strings.Join(sums, ", ")+"."))...)
	a := explain.Answer(r)
	for _, sum := range sums {
		if !slices.ContainsFunc(a.Runs, func(r explain.Run) bool { return r.Text == sum && r.Sources != nil }) {
			t.Errorf("the sum %s has no source", sum)
		}
	}
	if a.Unsearched != "" {
		t.Errorf("unsearched: %s", a.Unsearched)
	}

	// Of many lists of ten digits not all pairs are tried.
	results, replies = nil, nil
	for n := range 5 {
		var list []string
		for i := range 300 {
			list = append(list, fmt.Sprint(1000000000+(i*i*7919+n*104729)%900000000))
		}
		results = append(results, fmt.Sprintf(`{"list%d":[%s]}`, n, strings.Join(list, ",")))
		replies = append(replies, call("page", fmt.Sprintf(`{"n":%d}`, n)))
	}
	a = explain.Answer(pages(t, results, append(replies, say("It is 4123456789123."))...))
	if last := a.Runs[len(a.Runs)-1]; a.Unsearched == "" || last.NotFound == nil || last.NotFound.Kind != explain.OutOfBudget {
		t.Errorf("what was not tried is not told:\n%s", a)
	}
}

// What says little alone is no evidence, unless it stands where the sentence
// looks.
func TestWeak(t *testing.T) {
	for _, test := range []struct {
		third, answer, span string
		weak                bool
	}{
		{`{"retries":5,"note":"none"}`, "We have 5 of them.", "5", true},
		{`{"retries":5,"note":"none"}`, "There were 5 retries.", "5", false},
		{`{"windowDays":9}`, "The window has 9 days.", "9 days", false},
		{`{"open":true}`, "That is true.", "true", true},
		{"A loan can be renewed 9 times by its reader.", "Each reader renews a loan up to 9 times.", "9", false},
	} {
		r := ports(t, test.third, test.answer)
		s := explain.Span(r, test.span)
		i := slices.IndexFunc(s.Runs, func(r explain.Run) bool { return r.Sources != nil })
		if i < 0 {
			t.Errorf("%q has no source:\n%s", test.span, s)
			continue
		}
		if src := s.Runs[i].Sources[0]; src.Weak != test.weak {
			t.Errorf("%q of %q is weak: %v, want %v\n%s", test.span, test.answer, src.Weak, test.weak, s)
		}
	}
}

// A result that repeats what the model had made up is no evidence of it.
func TestEchoed(t *testing.T) {
	const question = "I was charged twice for order 17."
	for _, test := range []struct {
		name    string
		args    string
		results map[string]string
		answer  string
		span    string
		want    []string
	}{{
		name: "only repeated", args: `{"note":"refund 41200 to them"}`,
		results: map[string]string{"lookup_order": `{"saved":{"note":"refund 41200 to them"}}`},
		answer:  "They get 41,200 back.", span: "41,200",
		want: []string{"i1.1 $.saved.note echoed"},
	}, {
		name: "repeated, and in a later result of its own", args: `{"number":41200}`,
		results: map[string]string{"lookup_order": `{"number":41200}`, "assess_risk": `{"note":"41200 was repeated"}`},
		answer:  "They get 41,200 back.", span: "41,200",
		want: []string{"i2.1 $.note echoed", "i1.1 $.number echoed"},
	}, {
		name: "the message had it first", args: `{"orderId":17}`,
		results: map[string]string{"lookup_order": `{"orderId":17}`},
		answer:  "It is order no. 17.", span: "17",
		want: []string{"message", "i1.1 $.orderId"},
	}, {
		name: "a row says more than was given", args: `{"n":3}`,
		results: map[string]string{"lookup_order": `{"n":3,"errors":41200}`},
		answer:  "Number 3, n that is, has 41,200 errors.", span: "41,200",
		want: []string{"i1.1 $.errors"},
	}} {
		t.Run(test.name, func(t *testing.T) {
			m := desk(staleLine)
			r := run(t, m, merge(map[string]string{"assess_risk": `{}`}, test.results), question,
				call("lookup_order", test.args), call("assess_risk", `{}`), say(test.answer))
			var got []string
			for _, run := range explain.Span(r, test.span).Runs {
				for _, s := range run.Sources {
					at := strings.TrimSpace(s.Call + " " + s.Path)
					if at == "" {
						at = string(s.Kind)
					}
					if s.Echoed {
						at += " echoed"
					}
					got = append(got, at)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("sources of %q (-want +got):\n%s", test.span, diff)
			}
		})
	}
}

func merge(a, b map[string]string) map[string]string {
	for k, v := range b {
		a[k] = v
	}
	return a
}

// An inquiry that is made once answers as one that is made anew.
func TestIndex(t *testing.T) {
	r := wrong(t, staleLine)
	p := explain.Index(r)
	for _, span := range []string{"60 days", "42", "17", "so there is", "60 days", "nowhere"} {
		if diff := cmp.Diff(explain.Span(r, span).String(), p.Span(span).String()); diff != "" {
			t.Errorf("%q (-once +again):\n%s", span, diff)
		}
	}
	if diff := cmp.Diff(explain.Answer(r).String(), p.Answer().String()); diff != "" {
		t.Error(diff)
	}
	empty := explain.Index(recording.NewWriter(nil, "empty").Recording())
	if s := empty.Span("x"); s.NotFound == nil || s.NotFound.Kind != explain.NotRecorded {
		t.Errorf("got %v", s)
	}
}

// Every stretch of 24 bytes or more that the answer shares with what the model
// was shown is found: what trying all of them says.
func TestShared(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	word := func() string {
		return []string{"a", "tent", "order", "1,200", "ü", "日本", "R-17", "9f86d081884c7d659a2feaa0c55ad015", " ", "\n", "- ", "x=", "(", "“so”", ". "}[rng.IntN(15)]
	}
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(word())
			if rng.IntN(3) > 0 {
				b.WriteByte(' ')
			}
		}
		return b.String()
	}
	for range 150 {
		shown := text(60)
		answer := text(5)
		for range 3 {
			from := rng.IntN(len(shown))
			answer += shown[from:min(len(shown), from+20+rng.IntN(60))] + text(3)
		}
		answer = strings.ToValidUTF8(answer, "?")
		r := ports(t, shown, answer)
		found := make([]bool, len(answer)+1)
		a := explain.Answer(r)
		hold(t, r, a.Runs)
		for _, run := range a.Runs {
			for i := run.Start; run.Sources != nil && i < run.End; i++ {
				found[i] = true
			}
		}
		for i := range answer {
			for p := range shown {
				if i > 0 && p > 0 && answer[i-1] == shown[p-1] {
					continue
				}
				n := 0
				for i+n < len(answer) && p+n < len(shown) && answer[i+n] == shown[p+n] {
					n++
				}
				if n < 24 || !strings.ContainsFunc(answer[i:i+n], func(r rune) bool { return r != ' ' && r != '\n' && r != '.' && r != '-' && r != '(' && r != '=' }) {
					continue
				}
				// What is left out at its ends are words that go on otherwise.
				covered, gap := 0, 0
				for k := i; k < i+n; k++ {
					if gap++; found[k] {
						covered, gap = covered+1, 0
					}
					if gap >= 24 && strings.ContainsFunc(answer[k+1-gap:k+1], unicode.IsLetter) {
						t.Fatalf("%q is shared, and %q of it is not found in\n%q\n%s", answer[i:i+n], answer[k+1-gap:k+1], answer, a)
					}
				}
				if covered == 0 {
					t.Fatalf("%q is shared, and nothing of it is found in\n%q\n%s", answer[i:i+n], answer, a)
				}
			}
		}
	}
}

// Whatever is planted in whatever JSON, with whatever escapes and in whatever
// spelling, is found where it was planted.
func TestPlantedAnywhere(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	escaped := func(s string) string {
		var b strings.Builder
		for _, r := range s {
			switch {
			case r == '"' || r == '\\':
				b.WriteString(`\` + string(r))
			case r < ' ' || r < 0x10000 && rng.IntN(5) == 0:
				fmt.Fprintf(&b, `\u%04x`, r)
			default:
				b.WriteRune(r)
			}
		}
		return b.String()
	}
	var wrap func(value string, depth int) (text, path string)
	wrap = func(value string, depth int) (text, path string) {
		if depth == 0 {
			return value, ""
		}
		in, path := wrap(value, depth-1)
		switch rng.IntN(4) {
		case 0:
			return fmt.Sprintf(`["x", %s ,{"y":null}]`, in), "[1]" + path
		case 1:
			return fmt.Sprintf(`{"k%d":"v","in":%s}`, depth, in), ".in" + path
		case 2:
			return fmt.Sprintf(`{"a b":%s, "z":[]}`, in), `["a b"]` + path
		}
		return in, path
	}
	for range 200 {
		n := 100_000 + rng.IntN(9_000_000)
		spelled := fmt.Sprintf("%d,%03d", n/1000, n%1000)
		if n >= 1_000_000 {
			spelled = fmt.Sprintf("%d,%03d,%03d", n/1_000_000, n/1000%1000, n%1000)
		}
		name := fmt.Sprintf("the „Café %c%c“ at no. %d", 'A'+rng.IntN(26), 'a'+rng.IntN(26), 100+rng.IntN(900))
		for _, plant := range []struct{ value, said string }{
			{fmt.Sprint(n), spelled},
			{`"` + escaped(spelled) + `"`, fmt.Sprint(n)},
			{`"` + escaped(name) + `"`, name},
			{`"` + escaped(name) + `"`, strings.ToUpper(name)},
			{`"` + escaped("say:\n"+name+"\tnow") + `"`, "say: " + name + " now"},
		} {
			third, path := wrap(plant.value, rng.IntN(5))
			path = "$" + path
			if rng.IntN(3) == 0 {
				path = "$.text→" + path
				if path == "$.text→$" && !strings.Contains(third, `\`) { // a value alone in a string is text
					path = "$.text"
				}
				third = `{"text":"` + escaped(third) + `"}`
			}
			r := ports(t, third, "zz: "+plant.said+" zz")
			s := explain.Span(r, plant.said)
			hold(t, r, s.Runs)
			if len(s.Runs) != 1 || s.Runs[0].Sources == nil || s.Runs[0].Sources[0].Path != path || s.Runs[0].Sources[0].Call != "i3.1" {
				t.Fatalf("%q was planted at %s of\n%s\ngot\n%s", plant.said, path, third, s)
			}
		}
	}
}

// Whatever the answer and whatever was shown: no panic, and every source is what
// it says it is.
func FuzzProvenance(f *testing.F) {
	f.Add("There were 41,200 errors on ge-0/0/3.", `{"port":{"n":3,"errors":41200,"x":"41\u002c200"}}`, "See GE-0/0/3: 41200 of 82400, or 50 %.")
	f.Add("a “b” \u00a0c—d", `{"text":"{\"a\":\"\\\"b\\\"  c-d\",\"n\":[1,2,3]}"}`, "A \"B\"\nC-D 6")
	f.Add("\xff 30 Nov 2026 \xc3", "a;b\n1;2\n3;4\n", `["\ud83d","\ud83d\ude00",{"":{"":1e999}}]`)
	f.Add(strings.Repeat("ab 12 ", 40), strings.Repeat(`[12,"ab"],`, 40), "["+strings.Repeat(`[12,"ab 12"],`, 40)+"1]")
	f.Fuzz(func(t *testing.T, answer, result, body string) {
		if len(answer)+len(result)+len(body) > 1<<14 {
			return
		}
		r := run(t, desk(body), map[string]string{"check_refund": result}, question,
			call("assess_risk", "{}"), call("check_refund", `{"n":41200,"x":"ab"}`), say(answer))
		a := explain.Answer(r)
		_ = a.String()
		hold(t, r, a.Runs)
		_ = explain.Tool(r, "i2.1").String()
		if _, err := json.Marshal(a); err != nil {
			t.Fatal(err)
		}
		for _, run := range a.Runs {
			if utf8.ValidString(answer) && !utf8.ValidString(run.Text) {
				t.Fatalf("%q cuts a character", run.Text)
			}
		}
	})
}
