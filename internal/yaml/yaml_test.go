package yaml_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/spoorhq/spoor/internal/yaml"
)

var update = flag.Bool("update", false, "rewrite the wanted parts of testdata")

// TestRead runs testdata/*.txtar: each has documents named in, each followed
// by want, which is its tree or its error.
func TestRead(t *testing.T) {
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
			got := show(yaml.Read(f.Data))
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
// the file hold, the first of them; or it gives the faults.
func show(n *yaml.Node, faults []yaml.Fault) string {
	var b strings.Builder
	for _, f := range faults {
		fmt.Fprintf(&b, "%d:%d: ", f.Pos.Line, f.Pos.Column)
		if f.At != "" {
			b.WriteString(f.At + ": ")
		}
		b.WriteString(f.Message)
		if f.Hint != "" {
			b.WriteString(" (" + f.Hint + ")")
		}
		b.WriteByte('\n')
	}
	if faults != nil {
		return b.String()
	}
	var walk func(n *yaml.Node, lead string)
	walk = func(n *yaml.Node, lead string) {
		at := fmt.Sprintf("%d:%d", n.Pos.Line, n.Pos.Column)
		fmt.Fprintf(&b, "%-6s %s%s", at, lead, [...]string{"null", "bool", "number", "odd", "text", "list", "map"}[n.Kind])
		switch n.Kind {
		case yaml.String:
			fmt.Fprintf(&b, " %q", n.Text)
			if n.TextLine != 0 && n.TextLine != n.Pos.Line {
				fmt.Fprintf(&b, " from line %d", n.TextLine)
			}
		case yaml.Bool, yaml.Number, yaml.Odd:
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
func TestReadBytes(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", "1:1    null\n"},
		{"\ufeffa: 1\r\nb: |\r\n  x\r\n\r\n  y\r\n", "1:1    map\n1:4      a: number 1\n2:4      b: text \"x\\n\\ny\\n\" from line 3\n"},
		{"a: 1\rb: 2\r", "1:5: a carriage return stands alone (save the file with the line ends of Unix or Windows)\n"},
		{"é: x\xff", "1:5: byte 0xff is not UTF-8 (save the file as UTF-8)\n"},
		{"a: \x01", "1:4: a control character (U+0001) is no text (write it as \"\\u0001\")\n"},
		{"a:\n\tb: 1", "2:1: a tab indents this line (indent with spaces)\n"},
		{"-\t- x", "1:2: a tab indents this line (indent with spaces)\n"},
		{"a: \u2028", "1:4: a control character (U+2028) is no text (write it as \"\\u2028\")\n"},
		{"a:\t1\t# c\n", "1:1    map\n1:4      a: number 1\n"},
		{"{\n\t\"a\":\t1\n}\t\n", "1:1    map\n2:7      a: number 1\n"},
		{"a: " + strings.Repeat("[", 64) + strings.Repeat("]", 64), "1:67: a" + strings.Repeat("[0]", 63) + ": values are nested deeper than 64 levels\n"},
		{strings.Repeat("[", 65) + strings.Repeat("]", 65), "1:65: " + strings.Repeat("[0]", 64) + ": values are nested deeper than 64 levels\n"},
		{strings.Repeat("- ", 65) + "x", "1:129: " + strings.Repeat("[0]", 64) + ": values are nested deeper than 64 levels\n"},
		{strings.Repeat("- a\n", 1<<20), "1048576:3: [1048575]: there are more than 1048576 values (split the file)\n"},
		{"[" + strings.Repeat("1,", 1<<20) + "1]", "1:2097152: [1048575]: there are more than 1048576 values (split the file)\n"},
		{strings.Repeat("[", 5<<10), "1:1: a value or a closing bracket is missing here\n"},
		{strings.Repeat("[", 1<<20), "1:1: this is not YAML: exceeded max depth of 10000\n"},
		{"# " + strings.Repeat("x", 1<<20) + "\na: b\n- c\n", "1:1: a key that lines up with the other keys is wanted here (line it up with what it belongs to, or quote the whole value above it)\n"},
		{"a: |\n  x", "1:1    map\n1:4      a: text \"x\" from line 2\n"},
		{"a: |\n  x  \n  \n   \n  y\n", "1:1    map\n1:4      a: text \"x  \\n\\n \\ny\\n\" from line 2\n"},
	} {
		if diff := cmp.Diff(test.want, show(yaml.Read([]byte(test.in)))); diff != "" {
			t.Errorf("%.60q\n%s", test.in, diff)
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
			return
		}
		n, faults := yaml.Read(data)
		if faults != nil {
			if m := faults[0].Message; strings.Contains(m, "one half") || strings.Contains(m, "deeper") {
				return
			}
			t.Fatalf("%s: %v", data, faults)
		}
		d := json.NewDecoder(strings.NewReader(s))
		d.UseNumber()
		var want any
		if err := d.Decode(&want); err != nil {
			return
		}
		if diff := cmp.Diff(want, plain(n)); diff != "" {
			t.Errorf("%s\n%s", data, diff)
		}
	})
}

func plain(n *yaml.Node) any {
	switch n.Kind {
	case yaml.Null:
		return nil
	case yaml.Bool:
		return n.Text[0] == 't'
	case yaml.Number:
		return json.Number(n.Text)
	case yaml.List:
		list := []any{}
		for _, item := range n.Items {
			list = append(list, plain(item))
		}
		return list
	case yaml.Map:
		m := map[string]any{}
		for _, f := range n.Fields {
			m[f.Key.Text] = plain(f.Value)
		}
		return m
	}
	return n.Text
}

// No text makes Read panic, and everything has a place inside the file: what
// stands at the place of a text is that text, and its lines are where it says.
func FuzzRead(f *testing.F) {
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
		lines := strings.Split(strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n"), "\n")
		from := func(line, column int) string {
			row := lines[line-1]
			for ; column > 1; column-- {
				_, size := utf8.DecodeRuneInString(row)
				if size == 0 {
					t.Fatalf("line %d has no column %d more", line, column)
				}
				row = row[size:]
			}
			return row
		}
		n, faults := yaml.Read(data)
		for _, fault := range faults {
			if fault.Message == "" || fault.Pos.Column < 1 {
				t.Errorf("%+v", fault)
			}
			from(fault.Pos.Line, fault.Pos.Column)
		}
		if n == nil || faults != nil {
			if faults == nil {
				t.Error("no tree and no fault")
			}
			return
		}
		walk(n, func(n *yaml.Node) {
			row := from(n.Pos.Line, n.Pos.Column)
			if n.TextColumn > 0 && !strings.HasPrefix(from(n.TextLine, n.TextColumn), n.Text) {
				t.Errorf("%q does not stand in %q", n.Text, row)
			}
			if n.TextLine > n.Pos.Line {
				for i, row := range strings.Split(strings.TrimSuffix(n.Text, "\n"), "\n") {
					if !strings.HasSuffix(from(n.TextLine+i, 1), row) {
						t.Errorf("line %d of %q is not in line %d", i+1, n.Text, n.TextLine+i)
					}
				}
			}
			if (n.Kind == yaml.Number || n.Kind == yaml.Odd || n.Kind == yaml.Bool) && !strings.HasPrefix(row, n.Text) {
				t.Errorf("%q does not stand in %q", n.Text, row)
			}
			for _, f := range n.Fields {
				key := from(f.Key.Pos.Line, f.Key.Pos.Column)
				if !strings.HasPrefix(key, f.Key.Text) && key[0] != '"' && key[0] != '\'' {
					t.Errorf("the key %q does not stand in %q", f.Key.Text, key)
				}
			}
		})
	})
}

func walk(n *yaml.Node, f func(*yaml.Node)) {
	f(n)
	for _, item := range n.Items {
		walk(item, f)
	}
	for _, field := range n.Fields {
		walk(field.Value, f)
	}
}
