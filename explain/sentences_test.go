package explain

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSentencesOf(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"signs", "It is up. Is it? It is! Good… Really", []string{"It is up.", "Is it?", "It is!", "Good…", "Really"}},
		{"numbers", "It costs 3.5 euros. Version 1.2.3 of example.com is out.", []string{"It costs 3.5 euros.", "Version 1.2.3 of example.com is out."}},
		{"abbreviations", "Dr. Smith, e.g. J. Brown vs. Mr. Jones, is in. See No. 17 and Fig. 3. Approx. 5 left.",
			[]string{"Dr. Smith, e.g. J. Brown vs. Mr. Jones, is in.", "See No. 17 and Fig. 3.", "Approx. 5 left."}},
		{"no is a sentence too", "Is it up? No. It is down.", []string{"Is it up?", "No.", "It is down."}},
		{"small letters go on", "It is 5 p.m. now, i.e. late.", []string{"It is 5 p.m. now, i.e. late."}},
		{"quotes and brackets", `He said "It is up." Then (it fell.) He left.`, []string{`He said "It is up."`, "Then (it fell.)", "He left."}},
		{"lines", "Port 1: 12\nPort 3: 41", []string{"Port 1: 12", "Port 3: 41"}},
		{"a full line goes on", "The port that you asked about is down since this\nmorning, and nobody knows why.", []string{"The port that you asked about is down since this\nmorning, and nobody knows why."}},
		{"lists", "1. First. And more.\n2) Second\n- a\n  * b\n• c\n- [x] done", []string{"1. First.", "And more.", "2) Second", "- a", "* b", "• c", "- [x] done"}},
		{"headings and quotations", "# Ports\nThey are up.\n> Said he.", []string{"# Ports", "They are up.", "> Said he."}},
		{"a table", "| Port | Errors |\n|---|---|\n| 1 | 3.5 of. It |", []string{"| Port | Errors |", "| 1 | 3.5 of. It |"}},
		{"code", "So:\n```\na. B\nc\n```\nDone.", []string{"So:", "```\na. B\nc\n```", "Done."}},
		{"code without an end", "~~~\na\n```\nb", []string{"~~~\na\n```\nb"}},
		{"Chinese and Japanese", "端口三有错误。它坏了！「はい。」そうです", []string{"端口三有错误。", "它坏了！", "「はい。」", "そうです"}},
		{"Hindi and Arabic", "यह ठीक है। हाँ۔ نعم؟ لا", []string{"यह ठीक है।", "हाँ۔", "نعم؟", "لا"}},
		{"nothing", " \n\n --- \n***\n", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, r := range sentencesOf(test.text) {
				got = append(got, test.text[r.Start:r.End])
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

// covers checks that every letter and digit is in one sentence.
func covers(t *testing.T, text string) {
	t.Helper()
	at := 0
	gap := func(end int) {
		if rest := text[at:end]; hasWord(rest) {
			t.Fatalf("%q of %q is in no sentence", rest, text)
		}
	}
	for _, r := range sentencesOf(text) {
		if r.Start < at || r.End <= r.Start || r.End > len(text) || !hasWord(text[r.Start:r.End]) {
			t.Fatalf("the sentence %v of %q overlaps, or has no word", r, text)
		}
		if utf8.ValidString(text) && !utf8.ValidString(text[r.Start:r.End]) {
			t.Fatalf("the sentence %v of %q cuts a character", r, text)
		}
		gap(r.Start)
		at = r.End
	}
	gap(len(text))
}

func TestSentencesCover(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"Port", "3.5", "e.g.", "J.", ". ", "? ", "! ", "\n", "\n\n", "- ", "1. ", "| ", "|---|\n", "```\n", "~~~", "# ", "> ", "。", "…", ":", "\"", ")", " ", "\t", "\r\n", "日本", "\xff", "it", "I"}
	for range 20000 {
		var b strings.Builder
		for range rng.IntN(30) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		covers(t, b.String())
	}
}

func FuzzSentences(f *testing.F) {
	f.Add("Dr. Smith has 3.5. It\n- is 1. up\n```\nx\n```\n| a | b |。端口")
	f.Add("# a\n\n> b: \"c.\" (d)\r\n1) e…")
	f.Fuzz(func(t *testing.T, text string) { covers(t, text) })
}

// A document of a table keeps to its text, as one of JSON does.
func checkTable(t *testing.T, text string) {
	t.Helper()
	d := parseTable(text)
	if d == nil {
		return
	}
	g := &grid{document: d, table: true}
	for i := range d.nodes {
		n := &d.nodes[i]
		if n.start < 0 || n.end < n.start || n.end > len(text) || n.inner.Start < n.start || n.inner.End > n.end || n.parent >= i {
			t.Fatalf("node %d of %q is %+v", i, text, n)
		}
		if n.parent >= 0 {
			p := &d.nodes[n.parent]
			if n.start < p.start || n.end > p.end || n.start < d.nodes[i-1].start {
				t.Fatalf("node %d of %q is not inside its parent, or out of order: %+v in %+v", i, text, n, p)
			}
		}
		if !n.container {
			_, _ = d.plain(n), d.name(n)
			if d.plain(n) == "" && n.parent == 0 {
				t.Fatalf("node %d of %q is empty", i, text)
			}
		}
		_ = g.path(n)
	}
}

func FuzzTable(f *testing.F) {
	f.Add("port,errors\n1,\"a \"\"b\"\"\"\n3,x")
	f.Add("| a | b |\n|---|:-:|\n| 1 | **2** |\n| 3 \\| 4 |")
	f.Add("a\tb\n1\t2\n\n3\t4\n")
	f.Add("port: 1\nerrors: 2\n\n- port: 3\n- errors: 4\ntext")
	f.Add("{\"n\":1}\n{\"n\":\"{\\\"m\\\":2}\"}\n")
	f.Fuzz(checkTable)
}

// What is written as a table is read again.
func TestTables(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	words := []string{"up", "3", "41,200", `he said "no"`, "a\nb", "x; y", "é", "日本", "a b", "7.5"}
	for range 2000 {
		columns, rows := 2+rng.IntN(4), 1+rng.IntN(5)
		var b strings.Builder
		w := csv.NewWriter(&b)
		w.Comma = []rune{',', '\t', ';'}[rng.IntN(3)]
		header := make([]string, columns)
		for i := range header {
			header[i] = fmt.Sprintf("col%c", 'A'+i)
		}
		_ = w.Write(header)
		var want []string
		for range rows {
			row := make([]string, columns)
			for i := range row {
				row[i] = words[rng.IntN(len(words))]
				want = append(want, header[i]+"="+row[i])
			}
			_ = w.Write(row)
		}
		w.Flush()
		checkTable(t, b.String())
		d := parseTable(b.String())
		if d == nil {
			t.Fatalf("this is no table:\n%s", b.String())
		}
		var got []string
		for i := range d.nodes {
			if n := &d.nodes[i]; !n.container {
				got = append(got, d.name(n)+"="+d.plain(n))
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got  %q\nwant %q\nof\n%s", got, want, b.String())
		}
	}
	for _, text := range []string{"", "Hello, world.", "Dear Sir, dear Madam,\nthe port is down, and it will stay so. I am sorry.", "a\nb\nc", "12,13\n14,15", "{\"a\":1}"} {
		if d := parseTable(text); d != nil {
			t.Errorf("%q is a table with %d nodes", text, len(d.nodes))
		}
	}
}

func TestCanonical(t *testing.T) {
	for _, test := range []struct{ a, b string }{
		{`{"n":3,"deep":true}`, ` { "deep" : true, "n" : 3.0 } `},
		{`{"a":[1.50e2,0.0,-0]}`, `{"a":[150,0,0e9]}`},
		{`{"a":"\u00e9"}`, `{"a":"é"}`},
		{``, `{}`},
		{`no JSON`, `no JSON`},
		{`{"n":10000000000000000000001}`, `{"n":1.0000000000000000000001e22}`},
	} {
		if canonical(test.a) != canonical(test.b) {
			t.Errorf("%s and %s differ: %s and %s", test.a, test.b, canonical(test.a), canonical(test.b))
		}
	}
	for _, test := range []struct{ a, b string }{{`{"n":3}`, `{"n":"3"}`}, {`{"n":3}`, `{"n":30}`}, {`{"n":-3}`, `{"n":3}`}, {`[1,2]`, `[2,1]`}, {`{"n":0.1}`, `{"n":1}`}} {
		if canonical(test.a) == canonical(test.b) {
			t.Errorf("%s and %s are one: %s", test.a, test.b, canonical(test.a))
		}
	}
}

// The words of a name, whatever its style is.
func TestNameWords(t *testing.T) {
	for name, want := range map[string]string{
		"paymentState": "payment state", "order_id": "order id", "orderID": "order id", "HTTPServer": "http server", "Error Count": "error count",
		"a-b.c": "a b c", "größeÄnderung": "größe änderung", "\xff": "", "": "", "n3": "n3", "port3Errors": "port3 errors",
	} {
		if got := strings.Join(nameWords(name), " "); got != want {
			t.Errorf("%q has the words %q, want %q", name, got, want)
		}
	}
}
