package yaml

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	goccy "github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the wanted parts of testdata")

// TestParse runs testdata/*.txtar: each has documents named in, each followed
// by want, which is its tree or its error.
func TestParse(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range archive.Files {
			if f.Name != "in" {
				continue
			}
			got := show(Parse(f.Data))
			want := &archive.Files[i+1]
			if *update {
				want.Data = []byte(got)
			} else if diff := cmp.Diff(string(want.Data), got); diff != "" {
				t.Errorf("%s: %s\n%s", file, f.Data, diff)
			}
		}
		if *update {
			if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// show gives each value a line: place, kind, text and, for a text that lines of
// the file hold, the first of them.
func show(n *Node, err error) string {
	if err != nil {
		e := err.(*Error)
		return fmt.Sprintf("%d:%d: %s\n", e.Pos.Line, e.Pos.Column, e)
	}
	var b strings.Builder
	var walk func(n *Node, lead string)
	walk = func(n *Node, lead string) {
		at := fmt.Sprintf("%d:%d", n.Pos.Line, n.Pos.Column)
		fmt.Fprintf(&b, "%-6s %s%s", at, lead, [...]string{"null", "bool", "number", "odd", "text", "list", "map"}[n.Kind])
		switch n.Kind {
		case String:
			fmt.Fprintf(&b, " %q", n.Text)
			if n.TextLine != 0 && n.TextLine != n.Pos.Line {
				fmt.Fprintf(&b, " from line %d", n.TextLine)
			}
		case Bool, Number, Odd:
			b.WriteString(" " + n.Text)
		}
		b.WriteByte('\n')
		indent := strings.Repeat("  ", (len(lead)-len(strings.TrimLeft(lead, " ")))/2+1)
		for _, item := range n.Items {
			walk(item, indent+"- ")
		}
		for _, f := range n.Fields {
			walk(f.Value, indent+f.Key.Text+": ")
		}
	}
	walk(n, "")
	return b.String()
}

// Bytes that a txtar cannot hold.
func TestParseBytes(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", "1:1    null\n"},
		{"\ufeffa: 1\r\nb: |\r\n  x\r\n\r\n  y\r\n", "1:1    map\n1:4      a: number 1\n2:4      b: text \"x\\n\\ny\\n\" from line 3\n"},
		{"a: 1\rb: 2\r", "1:5: a carriage return stands alone (save the file with the line ends of Unix or Windows)\n"},
		{"é: x\xff", "1:5: byte 0xff is not UTF-8 (save the file as UTF-8)\n"},
		{"a: \x01", "1:4: a control character (U+0001) is no text (write it as \"\\u0001\")\n"},
		{"a:\n\tb: 1", "2:1: a tab indents this line (indent with spaces)\n"},
		{"a:\t1\t# c\n", "1:1    map\n1:4      a: number 1\n"},
		{"{\n\t\"a\":\t1\n}\t\n", "1:1    map\n2:7      a: number 1\n"},
		{strings.Repeat("[", 65), "1:65: values are nested deeper than 64 levels\n"},
		{strings.Repeat("- ", 65) + "x", "1:129: values are nested deeper than 64 levels\n"},
		{"a: |\n  x", "1:1    map\n1:4      a: text \"x\" from line 2\n"},
		{"a: |\n  x  \n  \n   \n  y\n", "1:1    map\n1:4      a: text \"x  \\n\\n \\ny\\n\" from line 2\n"},
	} {
		if diff := cmp.Diff(test.want, show(Parse([]byte(test.in)))); diff != "" {
			t.Errorf("%q\n%s", test.in, diff)
		}
	}
}

// JSON is YAML: the same text means the same to encoding/json.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,-0.5e+7,true,null,"\/\ud83d\ude00\u0000\b\f\n\r\t\"\\"],"":{},"b":[]}`,
		"{\n\t\"a\" :\n1\n,\"\x7f\":\"\u2028\u0085\"}", `[[],{"a: b":"- c # d"}]`, "12 ", `"x: y"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := string(data)
		if !json.Valid(data) || !utf8.Valid(data) || strings.Contains(strings.ReplaceAll(s, "\r\n", ""), "\r") {
			t.Skip()
		}
		if first := strings.TrimLeft(s, " \n"); first != "" && first[0] == '\t' || !strings.ContainsAny(s, "{[") {
			t.Skip() // a tab may indent only brackets
		}
		n, err := Parse(data)
		if err != nil {
			if m := err.(*Error).Message; strings.Contains(m, "one half") || strings.Contains(m, "deeper") {
				t.Skip()
			}
			t.Fatalf("%s: %v", data, err)
		}
		d := json.NewDecoder(strings.NewReader(s))
		d.UseNumber()
		var want any
		if err := d.Decode(&want); err != nil {
			t.Skip()
		}
		if diff := cmp.Diff(want, plain(n)); diff != "" {
			t.Errorf("%s\n%s", data, diff)
		}
	})
}

func plain(n *Node) any {
	switch n.Kind {
	case Null:
		return nil
	case Bool:
		return n.Text[0] == 't'
	case Number:
		return json.Number(n.Text)
	case List:
		list := []any{}
		for _, item := range n.Items {
			list = append(list, plain(item))
		}
		return list
	case Map:
		m := map[string]any{}
		for _, f := range n.Fields {
			m[f.Key.Text] = plain(f.Value)
		}
		return m
	}
	return n.Text
}

// Whatever can be read can be written, and reads the same; the places are those
// of the text.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if file.Name == "in" {
				f.Add(file.Data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := Parse(data)
		if err != nil {
			if e := err.(*Error); e.Pos.Line < 1 || e.Pos.Column < 1 || e.Message == "" {
				t.Fatalf("an error without a place: %#v", e)
			}
			return
		}
		lines := strings.Split(strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n"), "\n")
		odd := false
		walk(n, func(n *Node) {
			odd = odd || n.Kind == Odd
			line := lines[n.Pos.Line-1]
			if n.Pos.Column > utf8.RuneCountInString(line) && line != "" {
				t.Errorf("%v is not in the line %q", n.Pos, line)
			}
			if n.TextLine > 0 && n.Kind == String {
				for i, row := range strings.Split(strings.TrimSuffix(n.Text, "\n"), "\n") {
					if n.TextLine == n.Pos.Line {
						break // within a line, where escapes may stand
					}
					if at := n.TextLine - 1 + i; at >= len(lines) || !strings.HasSuffix(lines[at], row) {
						t.Fatalf("line %d of %q is not in line %d", i+1, n.Text, at+1)
					}
				}
			}
		})
		if !odd {
			testWrite(t, n)
		}
	})
}

func walk(n *Node, f func(*Node)) {
	f(n)
	for _, item := range n.Items {
		walk(item, f)
	}
	for _, field := range n.Fields {
		walk(field.Value, f)
	}
}

// testWrite holds the law Parse(Marshal(n)) = n.
func testWrite(t *testing.T, n *Node) {
	b, err := Marshal(n)
	if err != nil {
		t.Fatalf("Marshal: %v", err)
	}
	back, err := Parse(b)
	if err != nil {
		t.Fatalf("%v in\n%s", err, b)
	}
	if diff := cmp.Diff(strip(n), strip(back)); diff != "" {
		t.Errorf("%s\n%s", b, diff)
	}
	if again, _ := Marshal(n); string(again) != string(b) {
		t.Errorf("written differently:\n%s\n%s", b, again)
	}
}

// strip drops places.
func strip(n *Node) *Node {
	s := &Node{Kind: n.Kind, Text: n.Text}
	if n.Kind == Null {
		s.Text = ""
	}
	for _, item := range n.Items {
		s.Items = append(s.Items, strip(item))
	}
	for _, f := range n.Fields {
		s.Fields = append(s.Fields, Field{&Node{Kind: String, Text: f.Key.Text}, strip(f.Value)})
	}
	return s
}

// Every text survives, in every place where a text can stand.
func FuzzText(f *testing.F) {
	for _, s := range texts {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text := func() *Node { return &Node{Kind: String, Text: s} }
		list := func(flow bool, items ...*Node) *Node { return &Node{Kind: List, Items: items, Flow: flow} }
		object := func(flow bool) *Node {
			return &Node{Kind: Map, Flow: flow, Fields: []Field{{text(), text()}, {&Node{Kind: String, Text: "z"}, list(flow, text(), text())}}}
		}
		n := list(false, text(), object(false), object(true), list(false, list(false, text(), object(false))), list(true, object(true)))
		if !utf8.ValidString(s) {
			if _, err := Marshal(n); err == nil {
				t.Errorf("%q was written", s)
			}
			return
		}
		testWrite(t, n)
		testWrite(t, text())
	})
}

var texts = []string{
	"", " ", "a", " a", "a ", "\n", "a\n", "a\n\n", "a\nb", " a\nb", "a\n b\n", "a\n\nb", "a\n \nb", "a\nb ", "\na", "a\tb", "\ta\n\tb", "a\n\tb",
	"yes", "No", "null", "~", "true", "010", "0x1F", "1_000", "1e3", "-0", ".5", "1.", ".nan", ".inf", "+1", "1:30", "2020-01-01", "12", "1.0",
	"#x", "a #x", "a: b", "a:", ":a", ": a", "- a", "-", "?", "? a", "a, b", "[a]", "{a: b}", "&a", "*a", "!a", "!!str a", "%a", "@a", "`a", "|", ">", "|-\n  a",
	`"`, `'`, `it's`, `say "hi"`, `\bcheck\b`, `a\`, "\\\n", "---", "...", "--- a", "a\n---\nb", "a\n...\n", "<<", "=", "é", "日本語: x", "😀", "\u2028", "a\u2029b", "\u0085", "\ufeff", "a\ufeffb",
	"\u00a0", "\u200b", "\x00", "\x1b[0m", "\x7f", "\r", "a\r\nb", "a\rb", "\U000e0001", "\ufffd", "\ufffe", "x\xff", "(a || b) && c", "toolName == 'x' && json.a > 1", "${NAME}", "http://x.y/z?a=b#c", strings.Repeat("long ", 40),
}

// Another reader reads what Marshal writes as the same texts.
func TestAnotherReader(t *testing.T) {
	for _, s := range texts {
		text := &Node{Kind: String, Text: s}
		b, err := Marshal(&Node{Kind: List, Items: []*Node{text, {Kind: List, Items: []*Node{text}, Flow: true}}})
		if err != nil {
			continue // not UTF-8
		}
		var other []any
		if err := goccy.Unmarshal(b, &other); err != nil || !reflect.DeepEqual(other, []any{s, []any{s}}) {
			t.Errorf("%q is read as %q, %v; from\n%s", s, other, err, b)
		}
	}
}
