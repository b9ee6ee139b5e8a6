package explain

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestChanges(t *testing.T) {
	for _, test := range []struct{ a, b, want string }{
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, `changed $: {"a":1,"b":2} | {"b":2,"a":1}`},
		{`{"a":1}`, `{"a":2}`, `changed $.a: 1 | 2`},
		{`{"a":1}`, `{"b":1}`, `removed $.a: 1 | ; added $.b:  | 1`},
		{`{"a":{"b c":[1,{"d":"x"}]}}`, `{"a":{"b c":[1,{"d":"y"}]}}`, `changed $.a["b c"][1].d: "x" | "y"`},
		{`[1,2,3]`, `[2,3]`, `removed $[0]: 1 | `},
		{`[{"id":1,"v":1},{"id":2,"v":2}]`, `[{"id":0,"v":0},{"id":1,"v":1},{"id":2,"v":3}]`, `added $[0]:  | {"id":0,"v":0}; changed $[1].v>$[2].v: 2 | 3`},
		{`{"a":"\u0041"}`, `{"a":"A"}`, `changed $: {"a":"\u0041"} | {"a":"A"}`},
		{`{"a":1,"a":2}`, `{"a":3,"a":2}`, `changed $: {"a":1,"a":2} | {"a":3,"a":2}`},
		{`{"a":1}`, `[1]`, `changed $: {"a":1} | [1]`},
		{`{"a":1}`, `no JSON`, `changed line 1: {"a":1} | no JSON`},
		{"one\ntwo\nthree\n", "one\n2\nthree\nfour\n", "changed line 2: two | 2; added line 4:  | four"},
		{"one\r\ntwo", "two", "removed line 1: one | "},
		{"", "x", "changed line 1:  | x"},
	} {
		list, more := changesOf(test.a, test.b)
		if got := changesText(list); got != test.want || more {
			t.Errorf("%s against %s:\n got %s\nwant %s", test.a, test.b, got, test.want)
		}
	}
	if list, more := changesOf("a", "a"); list != nil || more {
		t.Error("a text differs from itself")
	}
}

func changesText(list []Edit) string {
	var out []string
	for _, c := range list {
		path := c.Path
		if c.PathB != "" {
			path += ">" + c.PathB
		}
		out = append(out, fmt.Sprintf("%s %s: %s | %s", c.Kind, path, c.A, c.B))
	}
	return strings.Join(out, "; ")
}

// A value that is planted somewhere in a document is named by its path, and
// nothing else is.
func TestChangePlanted(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		n := 0
		var make func(depth int) any
		make = func(depth int) any {
			switch k := rnd.IntN(4); {
			case depth == 0 || k == 3:
				n++
				return fmt.Sprintf("value %d", n)
			case k == 0:
				list := []any{}
				for range rnd.IntN(4) {
					list = append(list, make(depth-1))
				}
				return list
			}
			m := map[string]any{}
			for i := range 1 + rnd.IntN(4) {
				m[fmt.Sprintf("k%d", i)] = make(depth - 1)
			}
			return m
		}
		data, _ := json.Marshal(map[string]any{"x": make(4)})
		a := string(data)
		target := fmt.Sprintf("%q", fmt.Sprintf("value %d", 1+rnd.IntN(max(1, n))))
		if !strings.Contains(a, target) {
			continue
		}
		b := strings.Replace(a, target, `"planted"`, 1)
		list, _ := changesOf(a, b)
		d := parseFlat(a)
		i := slices.IndexFunc(d.nodes, func(n node) bool { return !n.container && d.text[n.start:n.end] == target })
		if want := d.path(&d.nodes[i]); len(list) != 1 || list[0].Path != want || list[0].A != target || list[0].B != `"planted"` {
			t.Fatalf("%s\n%s\ngot %s, want one at %s", a, b, changesText(list), want)
		}
	}
}

// An alignment is a longest one: by the book, it is found in a table.
func TestAlign(t *testing.T) {
	for seed := range uint64(500) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		random := func() []int32 {
			list := make([]int32, rnd.IntN(14))
			for i := range list {
				list[i] = rnd.Int32N(5)
			}
			return list
		}
		a, b := random(), random()
		pairs, full := align(a, b, 100)
		table := make([][]int, len(a)+1)
		for i := range table {
			table[i] = make([]int, len(b)+1)
			for j := range table[i] {
				switch {
				case i == 0 || j == 0:
				case a[i-1] == b[j-1]:
					table[i][j] = table[i-1][j-1] + 1
				default:
					table[i][j] = max(table[i-1][j], table[i][j-1])
				}
			}
		}
		if len(pairs) != table[len(a)][len(b)] || !full {
			t.Fatalf("%v %v: got %v, want %d", a, b, pairs, table[len(a)][len(b)])
		}
		last := pair{-1, -1}
		for _, p := range pairs {
			if p.a <= last.a || p.b <= last.b || a[p.a] != b[p.b] {
				t.Fatalf("%v %v: %v is no alignment", a, b, pairs)
			}
			last = p
		}
		if pairs, full := align(a, b, 0); !full && len(pairs) > min(len(a), len(b)) {
			t.Fatalf("%v", pairs)
		}
	}
}

// The segments of two texts are the texts.
func TestCompareWords(t *testing.T) {
	for _, test := range [][2]string{{"You have 60 days.", "You have 30 days."}, {"", "x"}, {"日本 語", "日本"}, {"a b c", "c b a"}} {
		checkWords(t, test[0], test[1])
	}
	if s := compareWords("You have 60 days.", "You have 30 days."); len(s) != 3 || s[1] != (Segment{A: "60", B: "30"}) {
		t.Errorf("got %+v", s)
	}
}

func checkWords(t *testing.T, a, b string) {
	t.Helper()
	var x, y strings.Builder
	segments := compareWords(a, b)
	if segments == nil && (a != "" || b != "") {
		return // too much
	}
	for _, s := range segments {
		x.WriteString(s.Both + s.A)
		y.WriteString(s.Both + s.B)
	}
	if x.String() != a || y.String() != b {
		t.Fatalf("%q and %q are said to be %q and %q", a, b, x.String(), y.String())
	}
}

// Two texts differ if and only if there is a change, each change says where,
// and nothing is longer than it may be.
func FuzzChanges(f *testing.F) {
	f.Add(`{"a":[1,2,{"id":3}]}`, `{"a":[2,{"id":3,"b":"x\n"}]}`)
	f.Add("one\ntwo", "two\nthree")
	f.Add(`{"a":1,"a":{}}`, `{"\u0061":[]}`)
	f.Add("\xff", "\xfe\xff")
	f.Add(strings.Repeat("[", 2000)+strings.Repeat("]", 2000), strings.Repeat("[", 1999)+strings.Repeat("]", 1999))
	f.Add(`[`+strings.Repeat(`1,`, 500)+`2]`, `[`+strings.Repeat(`2,`, 500)+`1]`)
	f.Fuzz(func(t *testing.T, a, b string) {
		list, _ := changesOf(a, b)
		if (len(list) == 0) != (a == b) || len(list) > maxChanges {
			t.Fatalf("%q and %q: %d changes", a, b, len(list))
		}
		for _, c := range list {
			if c.Path == "" || max(len(c.A), len(c.B)) > 3*maxChangeShown+30 {
				t.Fatalf("%+v", c)
			}
		}
		back, _ := changesOf(b, a)
		if len(back) == 0 && len(list) > 0 {
			t.Fatal("they differ one way only")
		}
		checkWords(t, strings.ToValidUTF8(a, ""), strings.ToValidUTF8(b, ""))
	})
}
