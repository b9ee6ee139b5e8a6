package guard

import (
	"encoding/json"
	"math"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

func compile(tb testing.TB, g Guard, scales Scales) *Compiled {
	tb.Helper()
	c, faults := Compile(g, scales)
	if faults != nil {
		tb.Fatalf("%s: %v", g.Caption(), faults)
	}
	return c
}

func TestCompileRefuses(t *testing.T) {
	risk := Scales{"riskLevel": {"low", "medium", "high"}}
	many := make([]any, 1001)
	for i := range many {
		many[i] = i
	}
	for _, test := range []struct {
		name  string
		guard Guard
		want  []string // one fault each
	}{
		{"nothing", Guard{},
			[]string{"the guard has no conditions (declare at least one, or leave the guard out)"}},
		{"no operator", Guard{{Key: "score"}},
			[]string{"score: the key has no operator (operators are eq, ne, gt, gte, lt, lte, in, notIn)"}},
		{"typo", Guard{{"score", "gle", Of(1)}},
			[]string{`score: there is no operator "gle" (did you mean gte?)`}},
		{"another language", Guard{{"score", ">=", Of(1)}, {"mode", "$nin", Of(1)}},
			[]string{`score: there is no operator ">=" (did you mean gte?)`, `mode: there is no operator "$nin" (did you mean notIn?)`}},
		{"far from any", Guard{{"score", "matches", Of(1)}},
			[]string{`score: there is no operator "matches" (operators are eq, ne, gt, gte, lt, lte, in, notIn)`}},
		{"no value", Guard{{Key: "score", Op: OpEq}},
			[]string{"score: eq compares with nothing (a value is a string, a number, a boolean or null)"}},
		{"not data", Guard{Eq("score", math.NaN()), Lt("mode", func() {})},
			[]string{
				"score: eq compares with NaN, which is not data (a value is a string, a number, a boolean or null)",
				"mode: lt compares with a Go func(), which is not data (a value is a string, a number, a boolean or null)",
			}},
		{"not finite", Guard{Eq("score", json.Number("1e999"))},
			[]string{"score: eq compares with 1e999, which is not finite (write a number that a float64 can hold)"}},
		{"not JSON notation", Guard{Eq("score", json.Number("010"))},
			[]string{`score: eq compares with the number "010" (not JSON notation), which is not data (a value is a string, a number, a boolean or null)`}},
		{"not UTF-8", Guard{Eq("mode", "\xff")},
			[]string{"mode: eq compares with a string that is not UTF-8, which is not data (a value is a string, a number, a boolean or null)"}},
		{"list where one value stands", Guard{Eq("score", []int{1})},
			[]string{"score: eq compares with a list (for one of several values use in or notIn)"}},
		{"no order", Guard{Gt("ok", true), Lte("ok", nil)},
			[]string{
				"ok: gt compares with true (what has no order is compared with eq or ne)",
				"ok: lte compares with null (what has no order is compared with eq or ne)",
			}},
		{"one value where a list stands", Guard{{"mode", OpIn, Of("x")}},
			[]string{"mode: in compares with x, where it needs a list (list strings, numbers, booleans or null)"}},
		{"empty list", Guard{In("mode"), NotIn("mode")},
			[]string{
				"mode: in has an empty list (list strings, numbers, booleans or null)",
				"mode: notIn has an empty list (list strings, numbers, booleans or null)",
			}},
		{"long list", Guard{In("id", many...)},
			[]string{"id: in has 1001 entries, and at most 1000 are allowed (use a range, or let the tool answer with a flag)"}},
		{"reserved", Guard{Eq("__proto__", 1), Eq("toString", 1)},
			[]string{
				"__proto__: a guard cannot read this reserved key (rename the field)",
				"toString: a guard cannot read this reserved key (rename the field)",
			}},
		{"apart", Guard{Gt("a", 1), Eq("b", 1), Lt("a", 2)},
			[]string{"a: its conditions do not stand together (move the conditions of one key together)"}},
		{"twice", Guard{Gt("a", 1), Gt("a", 2)},
			[]string{"a: the operator gt stands twice (an operator occurs once a key)"}},
		{"no word of the scale", Guard{Gte("riskLevel", "High"), Lt("riskLevel", 3), Eq("riskLevel", "High")},
			[]string{
				"riskLevel: gte compares with High, which is no word of the scale (its words are low, medium, high)",
				"riskLevel: lt compares with 3, which is no word of the scale (its words are low, medium, high)",
			}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, faults := Compile(test.guard, risk)
			var got []string
			for _, f := range faults {
				got = append(got, f.Error())
			}
			if c != nil || !reflect.DeepEqual(got, test.want) {
				t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(test.want, "\n\t"))
			}
		})
	}
}

func TestFaultNamesItsCondition(t *testing.T) {
	_, faults := Compile(Guard{Eq("a", 1), {Key: "b"}, Gt("c", nil)}, nil)
	if len(faults) != 2 || faults[0].At != 1 || faults[1].At != 2 {
		t.Errorf("got %v", faults)
	}
	if _, faults := Compile(nil, nil); len(faults) != 1 || faults[0].At != -1 {
		t.Errorf("got %v", faults)
	}
}

func TestCompileAccepts(t *testing.T) {
	many := make([]any, 1000)
	for _, g := range []Guard{
		{In("a", many...)},
		{Eq("", 1)},
		{Eq("weird key", "")},
		{Ne("a", nil), NotIn("a", nil, 1, "1", true)},
		{Eq("id", json.Number(strings.Repeat("9", 1000)))},
		{Gt("status", 5)}, // can never hold, which is for the check-up to say
	} {
		compile(t, g, nil)
	}
}

func TestScaleFaults(t *testing.T) {
	s := Scales{
		"status":      {"a"},
		"empty":       {},
		"riskLevel":   {"low", "high", "low"},
		"constructor": {"a"},
		"fine":        {"Low", "low"},
	}
	want := []string{
		"constructor: a guard cannot read this reserved key (rename the field)",
		"empty: the scale has no words (list its words, from least to greatest)",
		"riskLevel: the word low stands twice (list each word once)",
		"status: a scale is for a field of the result, not for a hop key (name a field of a result)",
	}
	var got []string
	for _, f := range s.Faults() {
		got = append(got, f.Error())
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestManyScaledGuards compiles many guards on a long scale, of which none keeps
// a copy.
func TestManyScaledGuards(t *testing.T) {
	words := make([]string, 1000)
	for i := range words {
		words[i] = strconv.Itoa(i)
	}
	s := Scales{"x": words}
	if faults := s.Faults(); faults != nil {
		t.Fatal(faults)
	}
	g := Guard{Gt("x", "998")}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 1000 {
		compile(t, g, s)
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / 1000; each > 4000 {
		t.Errorf("a guard takes %d bytes", each)
	}
	if !compile(t, g, s).Holds(&View{Result: `{"x":"999"}`}) {
		t.Error("does not hold")
	}

	s["x"] = append(words, "more")
	if faults := s.Faults(); len(faults) != 1 || faults[0].Message != "x: the scale has 1001 words, and at most 1000 are allowed" {
		t.Error(faults)
	}
}

func TestGuardJSON(t *testing.T) {
	for _, text := range []string{
		`{"riskLevel":{"in":["high","critical"]},"score":{"gte":0.7,"lt":1}}`,
		`{"b":{"eq":1},"a":{"eq":1}}`,
		`{"a":{"lt":1,"gt":0}}`,
		`{"id":{"eq":90071992547409931234567890}}`,
		`{"a":{"eq":1.0,"ne":1e2}}`,
		`{"a":{"eq":"<\u0001\"\\é"}}`,
		`{"a":{"eq":null,"notIn":[null,true,"x",1]}}`,
		`{}`,
		// Faulty, and left to Compile.
		`{"a":{}}`,
		`{"a":{"gle":1}}`,
		`{"a":{"eq":{"x":[1]},"in":"x"}}`,
		`{"a":{"":1}}`,
	} {
		var g Guard
		if err := json.Unmarshal([]byte(text), &g); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, err := g.MarshalJSON()
		if err != nil || string(got) != text {
			t.Errorf("%s became %s, %v", text, got, err)
		}
	}
}

func TestGuardJSONRefuses(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`null`, "guard: a guard must be a mapping of keys to operators, not null"},
		{`[]`, "guard: a guard must be a mapping of keys to operators, not []"},
		{`"x"`, `guard: a guard must be a mapping of keys to operators, not "x"`},
		{`{"a":null}`, `guard: "a" must be a mapping of operators to values, not null`},
		{`{"a":[]}`, `guard: "a" must be a mapping of operators to values, not []`},
		{`{"a":{"eq":1},"a":{"gt":0}}`, `guard: key "a" stands twice`},
		{`{"a":{"eq":1,"e\u0071":2}}`, `guard: operator "eq" stands twice on "a"`},
	} {
		var g Guard
		if err := json.Unmarshal([]byte(test.text), &g); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v", test.text, err)
		}
	}
	for _, g := range []Guard{
		{Gt("a", 1), Eq("b", 1), Lt("a", 2)},
		{Gt("a", 1), Gt("a", 2)},
		{Gt("a", 1), {Key: "a"}},
		{Eq("a", math.Inf(1))},
	} {
		if b, err := json.Marshal(g); err == nil {
			t.Errorf("a faulty guard was written as %s", b)
		}
	}
}

func TestOf(t *testing.T) {
	type word string
	type level int8
	for _, test := range []struct {
		v    any
		kind Kind
		text string
	}{
		{nil, Null, "null"},
		{true, Bool, "true"},
		{"x", String, "x"},
		{word("x"), String, "x"},
		{level(-3), Number, "-3"},
		{uint64(math.MaxUint64), Number, "18446744073709551615"},
		{0.7, Number, "0.7"},
		{float32(0.7), Number, "0.7"},
		{1.0, Number, "1"},
		{1e21, Number, "1e+21"},
		{1e-7, Number, "1e-7"},
		{float64(1 << 60), Number, "1152921504606846976"},
		{math.Copysign(0, -1), Number, "0"},
		{json.Number("1.50"), Number, "1.50"},
		{[]string{"a", "b"}, List, `["a","b"]`},
		{[2]any{nil, 1}, List, `[null,1]`},
		{Of(1), Number, "1"},
		{math.NaN(), Invalid, "NaN"},
		{math.Inf(-1), Invalid, "-Inf"},
		{json.Number("1e"), Invalid, `the number "1e" (not JSON notation)`},
		{struct{}{}, Invalid, "a Go struct {}"},
		{[]any{func() {}}, Invalid, "a list that holds a Go func()"},
		{[]any{[]any{}}, Invalid, "a list in a list"},
	} {
		if got := Of(test.v); got != (Value{test.kind, test.text}) {
			t.Errorf("Of(%T %v) = %v %q", test.v, test.v, got.Kind(), got.Text())
		}
	}
	if (Value{}).Kind() != Missing {
		t.Error("the zero Value is not missing")
	}
}

func TestKind(t *testing.T) {
	const want = "missing null boolean number string list object invalid"
	var names []string
	for k := Missing; k <= Invalid; k++ {
		names = append(names, k.String())
		var back Kind
		if err := back.UnmarshalText([]byte(k.String())); err != nil || back != k {
			t.Errorf("%v is read as %v, %v", k, back, err)
		}
	}
	if got := strings.Join(names, " "); got != want {
		t.Errorf("got %s", got)
	}
}

func TestGuardIsCopied(t *testing.T) {
	g := Guard{Eq("a", 1), Eq("b", 1)}
	c := compile(t, g, nil)
	g[0] = Eq("c", 1)
	c.Guard()[1] = Eq("c", 1)
	c.Keys()[0] = "c"
	if c.Guard().Caption() != "a = 1 AND b = 1" || !c.Holds(&View{Result: `{"a":1,"b":1}`}) {
		t.Error("a compiled guard changed")
	}
}

func TestCaption(t *testing.T) {
	g := Guard{
		Gte("riskLevel", "high"),
		Lte("iteration", 5),
		NotIn("mode", "a|b", `say "hi"`, nil, true, 1.50, json.Number("1.0")),
		Ne("", ""),
	}
	want := `riskLevel ≥ high AND iteration ≤ 5 AND mode not in [a|b, say "hi", null, true, 1.5, 1] AND  ≠ `
	if got := g.Caption(); got != want {
		t.Errorf("caption %s", got)
	}
	want = `when riskLevel ≥ high AND iteration ≤ 5 AND mode not in [a#124;b, say #quot;hi#quot;, null, true, 1.5, 1] AND  ≠ `
	if got := g.Mermaid(); got != want {
		t.Errorf("mermaid %s", got)
	}
}

func FuzzGuardJSON(f *testing.F) {
	f.Add(`{"riskLevel":{"in":["high","critical"]},"score":{"gte":0.70}}`)
	f.Add(`{"a":{}, "b":{"eq":{"x" : [1, "\u00e9\ud83d\ude00\ud800"]}}}`)
	f.Add(`{"a":{"":null},"":{"eq":-0}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var g Guard
		err := g.UnmarshalJSON([]byte(text))
		if (err == nil) && !json.Valid([]byte(text)) {
			t.Fatalf("%q was read", text)
		}
		if err != nil {
			return
		}
		written, err := json.Marshal(g)
		if err != nil {
			t.Fatal(err)
		}
		var back Guard
		if err := json.Unmarshal(written, &back); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(g, back) {
			t.Fatalf("%q became %q", g, back)
		}
		g.Mermaid()
		if c, faults := Compile(g, nil); faults == nil {
			c.Unsatisfiable(Domain{})
			c.Evaluate(&View{Result: text})
		}
	})
}
