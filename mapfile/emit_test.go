package mapfile

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	yaml3 "go.yaml.in/yaml/v3"

	"github.com/spoorhq/spoor/internal/yaml"
)

// Every text survives, in every place where a text can stand.
func FuzzText(f *testing.F) {
	for _, s := range awkward {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 500 {
			return // for a key
		}
		text := func() *yaml.Node { return &yaml.Node{Kind: yaml.String, Text: s} }
		list := func(flow bool, items ...*yaml.Node) *yaml.Node {
			return &yaml.Node{Kind: yaml.List, Items: items, Flow: flow}
		}
		object := func(flow bool) *yaml.Node {
			return &yaml.Node{Kind: yaml.Map, Flow: flow, Fields: []yaml.Field{{Key: text(), Value: text()}, {Key: &yaml.Node{Kind: yaml.String, Text: "z"}, Value: list(flow, text(), text())}}}
		}
		n := list(false, text(), object(false), object(true), list(false, list(false, text(), object(false))), list(true, object(true)))
		if !utf8.ValidString(s) {
			if _, err := emit(n); err == nil {
				t.Errorf("%q was written", s)
			}
			return
		}
		testEmit(t, n)
		testEmit(t, text())
	})
}

// testEmit holds the law yaml.Read(emit(n)) = n.
func testEmit(t *testing.T, n *yaml.Node) {
	b, err := emit(n)
	if err != nil {
		t.Fatalf("emit: %v", err)
	}
	back, faults := yaml.Read(b)
	if faults != nil {
		t.Fatalf("%v in\n%s", faults, b)
	}
	if diff := cmp.Diff(strip(n), strip(back)); diff != "" {
		t.Errorf("%s\n%s", b, diff)
	}
	if again, _ := emit(n); string(again) != string(b) {
		t.Errorf("written differently:\n%s\n%s", b, again)
	}
}

// strip drops places.
func strip(n *yaml.Node) *yaml.Node {
	s := &yaml.Node{Kind: n.Kind, Text: n.Text}
	if n.Kind == yaml.Null {
		s.Text = ""
	}
	for _, item := range n.Items {
		s.Items = append(s.Items, strip(item))
	}
	for _, f := range n.Fields {
		s.Fields = append(s.Fields, yaml.Field{Key: &yaml.Node{Kind: yaml.String, Text: f.Key.Text}, Value: strip(f.Value)})
	}
	return s
}

var awkward = []string{
	"", " ", "a", " a", "a ", "\n", "a\n", "a\n\n", "a\nb", " a\nb", "a\n b\n", "a\n\nb", "a\n \nb", "a\nb ", "\na", "a\tb", "\ta\n\tb", "a\n\tb",
	"yes", "No", "null", "~", "true", "010", "0x1F", "1_000", "1e3", "-0", ".5", "1.", ".nan", ".inf", "+1", "1:30", "2020-01-01", "12", "1.0",
	"#x", "a #x", "a: b", "a:", ":a", ": a", "- a", "-", "?", "? a", "a, b", "[a]", "{a: b}", "&a", "*a", "!a", "!!str a", "%a", "@a", "`a", "|", ">", "|-\n  a",
	`"`, `'`, `it's`, `say "hi"`, `\bcheck\b`, `a\`, "\\\n", "---", "...", "--- a", "a\n---\nb", "a\n...\n", "<<", "=", "é", "日本語: x", "😀", "\u2028", "a\u2029b", "\u0085", "\ufeff", "a\ufeffb",
	"\u00a0", "\u200b", "\x00", "\x1b[0m", "\x7f", "\r", "a\r\nb", "a\rb", "\U000e0001", "\ufffd", "\ufffe", "x\xff", "(a || b) && c", "toolName == 'x' && json.a > 1", "${NAME}", "http://x.y/z?a=b#c", strings.Repeat("long ", 40),
}

// A reader of YAML 1.1 that decides by itself what is a text reads the same.
func TestAnotherReader(t *testing.T) {
	for _, s := range awkward {
		text := &yaml.Node{Kind: yaml.String, Text: s}
		b, err := emit(&yaml.Node{Kind: yaml.List, Items: []*yaml.Node{text, {Kind: yaml.List, Items: []*yaml.Node{text}, Flow: true}}})
		if err != nil {
			continue // not UTF-8
		}
		var other []any
		if err := yaml3.Unmarshal(b, &other); err != nil || !reflect.DeepEqual(other, []any{s, []any{s}}) {
			t.Errorf("%q is read as %q, %v; from\n%s", s, other, err, b)
		}
	}
}
