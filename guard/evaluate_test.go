package guard

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestJudge is the table of what passes: the value of field x, a condition on
// it, and whether it holds.
func TestJudge(t *testing.T) {
	const missing = ""
	risk := Scales{"x": {"low", "medium", "high", "critical"}}
	for _, test := range []struct {
		json   string // of x
		cond   Cond
		scales Scales
		want   bool
	}{
		// Type and value.
		{`1`, Eq("x", 1), nil, true},
		{`1.0`, Eq("x", 1), nil, true},
		{`1e0`, Eq("x", 1), nil, true},
		{`"1"`, Eq("x", 1), nil, false},
		{`-0`, Eq("x", 0), nil, true},
		{`true`, Eq("x", true), nil, true},
		{`"true"`, Eq("x", true), nil, false},
		{`null`, Eq("x", nil), nil, true},
		{`0`, Eq("x", nil), nil, false},
		{`"a"`, In("x", "b", "a"), nil, true},
		{`1.0`, In("x", "1", 1), nil, true},
		{`null`, NotIn("x", nil), nil, false},

		// A missing value fails all but ne and notIn.
		{missing, Eq("x", nil), nil, false},
		{missing, Ne("x", nil), nil, true},
		{missing, NotIn("x", nil, ""), nil, true},
		{missing, In("x", nil, ""), nil, false},
		{missing, Lt("x", 1), nil, false},
		{missing, Gte("x", ""), nil, false},

		// An object or a list equals nothing and has no order.
		{`{}`, Eq("x", "{}"), nil, false},
		{`[1]`, In("x", 1), nil, false},
		{`[1]`, Ne("x", 1), nil, true},
		{`{}`, Gte("x", ""), nil, false},

		// Order: number with number, string with string.
		{`0.7`, Gte("x", 0.7), nil, true},
		{`0.7`, Gt("x", 0.7), nil, false},
		{`5`, Lt("x", 10), nil, true},
		{`"5"`, Lt("x", 10), nil, false},
		{`5`, Gt("x", "1"), nil, false},
		{`"b"`, Gt("x", "a"), nil, true},
		{`"b"`, Gt("x", "abc"), nil, true},
		{`"é"`, Gt("x", "z"), nil, true},
		{`"\ud83d\ude00"`, Gt("x", "\uffff"), nil, true}, // by bytes, not by UTF-16
		{`true`, Gte("x", 0), nil, false},

		// Escapes are read before values compare.
		{`"\u0068igh"`, Eq("x", "high"), nil, true},
		{`"a\/b\n"`, Eq("x", "a/b\n"), nil, true},
		{`"\"\\\/\b\f\n\r\t\u00E9"`, Eq("x", "\"\\/\b\f\n\r\té"), nil, true},
		{`"\ud800"`, Eq("x", "\ufffd"), nil, true},
		{"\"\xff\"", Eq("x", "\ufffd"), nil, true},
		{`"\u0061"`, Lt("x", "a\x00"), nil, true},

		// Integers are exact, however large.
		{`9007199254740993`, Eq("x", 9007199254740993), nil, true},
		{`9007199254740992`, Eq("x", 9007199254740993), nil, false},
		{`9007199254740993`, Gt("x", 9007199254740992), nil, true},
		{`123456789012345678901234567890`, Eq("x", json.Number("123456789012345678901234567890")), nil, true},
		{`123456789012345678901234567891`, Eq("x", json.Number("123456789012345678901234567890")), nil, false},
		{`-99999999999999999999`, Lt("x", json.Number("-99999999999999999998")), nil, true},
		{`99999999999999999999`, Gt("x", -1), nil, true},

		// An integer and a float compare by what they stand for.
		{`9007199254740993`, Eq("x", json.Number("9007199254740993.0")), nil, false},
		{`9007199254740993`, Gt("x", json.Number("9007199254740993.0")), nil, true},
		{`9007199254740992`, Eq("x", json.Number("9007199254740993.0")), nil, true},
		{`1e30`, Eq("x", json.Number("1000000000000000019884624838656")), nil, true},
		{`1e30`, Eq("x", json.Number("1000000000000000000000000000000")), nil, false},
		{`1e999`, Gt("x", 1e308), nil, true},
		{`-1e999`, Lt("x", json.Number("-"+strings.Repeat("9", 400))), nil, true},

		// Without a scale words order by letters, with one by rank.
		{`"low"`, Gte("x", "high"), nil, true},
		{`"low"`, Gte("x", "high"), risk, false},
		{`"critical"`, Gte("x", "high"), risk, true},
		{`"cr\u0069tical"`, Gte("x", "high"), risk, true},
		{`"high"`, Lte("x", "high"), risk, true},
		{`"huge"`, Lte("x", "critical"), risk, false},
		{`"High"`, Lte("x", "critical"), risk, false},
		{`1`, Lte("x", "critical"), risk, false},
		{`"huge"`, Ne("x", "high"), risk, true},
		{`"huge"`, In("x", "huge"), risk, true},
	} {
		result := `{"y":0,"x":` + test.json + `}`
		if test.json == missing {
			result = `{"y":0}`
		}
		c := compile(t, Guard{test.cond}, test.scales)
		if got := c.Holds(&View{Result: result}); got != test.want {
			t.Errorf("x = %s, %v: %v, want %v", test.json, test.cond, got, test.want)
		}
	}
}

func TestHopKeys(t *testing.T) {
	v := View{
		ToolName: "assess_risk", Result: `{"status":"shipped"}`, Status: "partial",
		Iteration: 2, UserMessage: "hello", CurrentSkillID: "triage",
	}
	g := Guard{
		Eq("toolName", "assess_risk"),
		Eq("result", `{"status":"shipped"}`),
		Eq("status", "partial"), // the tool's, not the field of that name
		Eq("iteration", 2.0),
		Eq("userMessage", "hello"),
		Eq("currentSkillId", "triage"),
	}
	c := compile(t, g, nil)
	if !c.Holds(&v) || len(c.Keys()) != 0 {
		t.Errorf("%v", c.Evaluate(&v))
	}
	for i, e := range c.Evaluate(&View{}).Conditions {
		missing := g[i].Key == "status" || g[i].Key == "currentSkillId"
		if e.Passed || (e.Kind == Missing) != missing {
			t.Errorf("an empty view: %v", e)
		}
	}
}

// TestNoFields shows results that are not one JSON object.
func TestNoFields(t *testing.T) {
	c := compile(t, Guard{Ne("x", 1), Eq("x", 1)}, nil)
	for _, result := range []string{
		``, ` `, `null`, `"x"`, `[{"x":1}]`, `{"x":1} trailing`, `{"x":1}{"x":1}`, `{"x":1`, `{"x":1,}`, `{"x":01}`,
		`{"x":1,"y":tru}`, `{"x":1,"y":"` + "\n" + `"}`, `{x:1}`, `{'x':1}`, `{"x":1,"y":` + strings.Repeat("[", 20000),
		`{"x":1,"y":` + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + `}`,
		"\ufeff" + `{"x":1}`,
	} {
		for _, e := range c.Evaluate(&View{Result: result}).Conditions {
			if e.Kind != Missing || e.Passed != (e.Op == OpNe) || e.Actual != "" {
				t.Errorf("%.40q: %v", result, e)
			}
		}
	}
	deep := `{"x":1,"y":` + strings.Repeat("[", 9999) + strings.Repeat("]", 9999) + `}`
	if e := c.Evaluate(&View{Result: deep}).Conditions[0]; e.Kind != Number {
		t.Errorf("10000 levels: %v", e)
	}
}

func TestEvidence(t *testing.T) {
	emoji := strings.Repeat("😀", 80)
	for _, test := range []struct {
		json, actual string
		kind         Kind
	}{
		{`5`, `5`, Number},
		{`"5"`, `5`, String},
		{`null`, `null`, Null},
		{`"null"`, `null`, String},
		{`false`, `false`, Bool},
		{`1.50e1`, `1.50e1`, Number},
		{`"say \"hi\"\n"`, "say \"hi\"\n", String},
		{` { "a" : [ 1 , "x  y" , "\" " ] } `, `{"a":[1,"x  y","\" "]}`, Other},
		{`[ ]`, `[]`, List},
		{`""`, ``, String},
		{`"` + emoji + `"`, emoji, String},
		{`"` + emoji + `!"`, strings.Repeat("😀", 79) + "…", String},
		{`"` + strings.Repeat(`\u0041`, 80) + `"`, strings.Repeat("A", 80), String},
		{`"` + strings.Repeat(`\u0041`, 81) + `"`, strings.Repeat("A", 79) + "…", String},
		{strings.Repeat("9", 81), strings.Repeat("9", 79) + "…", Number},
		{`[` + strings.Repeat("1 , ", 40) + `1]`, "[" + strings.Repeat("1,", 39) + "…", List},
		{"\"a\xffb\"", "a\ufffdb", String},
	} {
		c := compile(t, Guard{Eq("x", "?"), Ne("x", "?")}, nil)
		for _, pad := range []string{"", strings.Repeat(" ", 2000)} { // of a short and of a long result
			v := c.Evaluate(&View{Result: `{"x":` + test.json + `}` + pad})
			for _, e := range v.Conditions {
				if e.Actual != test.actual || e.Kind != test.kind || utf8.RuneCountInString(e.Actual) > 80 {
					t.Errorf("%s: %q %v", test.json, e.Actual, e.Kind)
				}
			}
		}
	}
	// The iteration and the message are summarised too.
	c := compile(t, Guard{Gt("iteration", 0), Eq("userMessage", "")}, nil)
	v := c.Evaluate(&View{Iteration: 123456, UserMessage: strings.Repeat("é", 100)})
	if a, b := v.Conditions[0].Actual, v.Conditions[1].Actual; a != "123456" || b != strings.Repeat("é", 79)+"…" {
		t.Errorf("got %q, %q", a, b)
	}
}

func TestEvidenceString(t *testing.T) {
	risk := Scales{"riskLevel": {"low", "high"}}
	for _, test := range []struct {
		cond Cond
		json string
		want string
	}{
		{In("mode", "high", "critical"), `{"mode":"low"}`, `mode = low: wanted in [high, critical]`},
		{Gte("score", 0.7), `{"score":"0.9"}`, `score = "0.9": wanted ≥ 0.7`},
		{Gte("score", 0.7), `{"score":0.9}`, `score = 0.9: passed ≥ 0.7`},
		{Eq("score", "5"), `{"score":5}`, `score = 5: wanted = "5"`},
		{Eq("score", "null"), `{"score":null}`, `score = null: wanted = "null"`},
		{NotIn("score", "x"), `{}`, `score is missing: passed not in [x]`},
		{Eq("mode", "missing"), `{"mode":""}`, `mode = "": wanted = "missing"`},
		{Eq("", "a b"), `{"":" a"}`, `"" = " a": wanted = a b`},
		{Gte("riskLevel", "low"), `{"riskLevel":"huge"}`, `riskLevel = huge: wanted ≥ low, by a scale that does not have this value`},
	} {
		v := compile(t, Guard{test.cond}, risk).Evaluate(&View{Result: test.json})
		if got := v.Conditions[0].String(); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

func TestVerdictJSON(t *testing.T) {
	c := compile(t, Guard{Gte("riskLevel", "low"), Eq("n", json.Number("1.0")), In("m", nil, 1)},
		Scales{"riskLevel": {"low", "high"}})
	v := c.Evaluate(&View{Result: `{"riskLevel":"huge","n":1}`})
	const want = `{"verdict":false,"conditions":[` +
		`{"key":"riskLevel","op":"gte","value":"low","actual":"huge","kind":"string","offScale":true,"passed":false},` +
		`{"key":"n","op":"eq","value":1.0,"actual":"1","kind":"number","passed":true},` +
		`{"key":"m","op":"in","value":[null,1],"actual":"","kind":"missing","passed":false}]}`
	got, err := json.Marshal(v)
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
	var back Verdict
	if err := json.Unmarshal(got, &back); err != nil || !reflect.DeepEqual(v, back) {
		t.Errorf("read back: %v, %v", back, err)
	}
}

// TestFields reads a result once for several guards.
func TestFields(t *testing.T) {
	a := compile(t, Guard{Eq("a", 1)}, nil)
	b := compile(t, Guard{Eq("b", 2), Eq("c", 3)}, nil)
	result := `{"c":0,"b":2,"a":0,"a":1,"c":3}`
	v := View{Result: result}
	for _, keys := range [][]string{
		{"c", "a", "b"},
		{"a"}, // b reads the result itself
		nil,
		strings.Split("k1 k2 k3 k4 k5 k6 k7 c b a", " "),
		append(strings.Split(strings.Repeat("k ", 50), " "), "c", "b", "a"),
	} {
		v.Fields.Read(result, keys)
		if !a.Holds(&v) || !b.Holds(&v) || !b.Evaluate(&v).Passed {
			t.Errorf("read ahead %q", keys)
		}
	}
}

// TestManyKeys judges a guard with more keys than are looked for one by one, on
// a result that has a hundred thousand members; so does a set of guards.
func TestManyKeys(t *testing.T) {
	const n = 100_000
	var g Guard
	var b strings.Builder
	b.WriteString(`{"":0`)
	for i := range n {
		g = append(g, Eq(fmt.Sprintf("é%d", i), i))
		fmt.Fprintf(&b, `,"\u00e9%d":0,"é%d":%d`, i, i, i)
	}
	c := compile(t, g, nil)
	v := View{Result: b.String() + "}"}
	if !c.Holds(&v) || !c.Evaluate(&v).Passed {
		t.Error("does not hold")
	}
	v.Fields.Read(v.Result, c.Keys())
	if !c.Holds(&v) || !c.Evaluate(&v).Passed {
		t.Error("does not hold on fields that were read ahead")
	}
	if v.Result = `{"é1":2}`; c.Evaluate(&View{Result: v.Result}).Conditions[1].Actual != "2" {
		t.Error("the value is not found")
	}
}

// randomGuard returns a guard that compiles.
func randomGuard(r *rand.Rand, keys []string) Guard {
	values := []any{
		nil, true, false, 0, 1, 2, 5, 1.5, json.Number("1.0"), json.Number("9007199254740993"),
		json.Number("9007199254740993.0"), "", "a", "a\x00", "b", "low", "high", "success", "denied", "pay",
	}
	pick := func() any { return values[r.IntN(len(values))] }
	var g Guard
	for _, key := range keys {
		for _, i := range r.Perm(8)[:r.IntN(4)] {
			switch op := Ops()[i]; op {
			case OpIn:
				g = append(g, In(key, pick(), pick(), pick()))
			case OpNotIn:
				g = append(g, NotIn(key, pick(), pick(), pick()))
			default:
				g = append(g, Cond{key, op, Of(pick())})
			}
		}
	}
	return g
}

func randomView(r *rand.Rand) View {
	texts := []string{"", "a", "a\x00", "ab", "b", "low", "high", "success", "denied", "pay"}
	fields := []string{
		`null`, `true`, `false`, `0`, `1`, `1.0`, `1.25`, `2`, `5`, `6`, `9007199254740992`, `9007199254740993`,
		`""`, `"a"`, `"a\u0000"`, `"ab"`, `"b"`, `"low"`, `"high"`, `[]`, `{}`,
	}
	text := func() string { return texts[r.IntN(len(texts))] }
	var members []string
	for _, key := range []string{"x", "riskLevel", "x"} {
		if r.IntN(3) > 0 {
			members = append(members, `"`+key+`":`+fields[r.IntN(len(fields))])
		}
	}
	return View{
		ToolName: text(), Result: "{" + strings.Join(members, ",") + "}", Status: text(),
		Iteration: 1 + r.IntN(6), UserMessage: text(), CurrentSkillID: text(),
	}
}

// TestAgreement holds three laws on random guards and views: Holds is the
// verdict of Evaluate, the verdict is that of all its conditions, and no view
// passes an unsatisfiable guard.
func TestAgreement(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	keys := append(HopKeys(), "x", "riskLevel")
	scales := Scales{"riskLevel": {"low", "medium", "high"}}
	passed, unsatisfiable := 0, 0
	for range 6000 {
		g := randomGuard(r, []string{keys[r.IntN(4)], keys[4+r.IntN(4)]})
		c, faults := Compile(g, scales)
		if faults != nil {
			continue
		}
		reason, never := c.Unsatisfiable(Domain{})
		if never {
			unsatisfiable++
		}
		for range 10 {
			view := randomView(r)
			v := c.Evaluate(&view)
			all := true
			for i, e := range v.Conditions {
				all = all && e.Passed
				if (Cond{e.Key, e.Op, e.Value}) != g[i] {
					t.Fatalf("evidence %v is not of %v", e, g[i])
				}
			}
			if v.Passed != all || c.Holds(&view) != all {
				t.Fatalf("%s on %+v: %v", g.Caption(), view, v)
			}
			if all {
				passed++
			}
			if all && never {
				t.Fatalf("%s passes on %+v, although %s", g.Caption(), view, reason)
			}
		}
	}
	if passed < 500 || unsatisfiable < 500 {
		t.Errorf("%d passed, %d unsatisfiable: too few to mean anything", passed, unsatisfiable)
	}
}

// TestNumberOrder compares every pair and every triple of awkward numbers.
func TestNumberOrder(t *testing.T) {
	var ns []number
	for _, s := range strings.Fields(`-1e999 -1e30 -99999999999999999999 -9223372036854775809 -9223372036854775808
		-9223372036854775808.0 -1.5 -1 -0 0 -0.0 5e-324 0.1 0.7 1 1.0 1.0000000000000002 2 9007199254740991
		9007199254740992 9007199254740992.0 9007199254740993 9007199254740993.0 9007199254740994 9007199254740994.0
		9223372036854775807 9223372036854775807.0 9223372036854775808 9223372036854775809 18446744073709551615
		99999999999999999999 1e20 1e30 1000000000000000000000000000000 1e308 1e999`) {
		ns = append(ns, parseNumber(s))
	}
	for _, a := range ns {
		for _, b := range ns {
			if a.compare(b) != -b.compare(a) {
				t.Errorf("%+v and %+v", a, b)
			}
			for _, c := range ns {
				if a.compare(b) <= 0 && b.compare(c) <= 0 && a.compare(c) > 0 {
					t.Errorf("%+v ≤ %+v ≤ %+v", a, b, c)
				}
			}
		}
	}
}

func TestAllocations(t *testing.T) {
	hops := compile(t, Guard{Eq("toolName", "t"), Ne("status", "denied"), Lte("iteration", 500), Ne("userMessage", "x")}, nil)
	scaled := compile(t, Guard{Gte("riskLevel", "high"), Gt("score", 0.1), Ne("list", 1), NotIn("x", "b")}, Scales{"riskLevel": {"low", "high"}})
	for _, test := range []struct {
		name  string
		guard *Compiled
		view  View
	}{
		{"short", benchGuard(t), View{Result: document(300, false), Iteration: 2}},
		{"long", benchGuard(t), View{Result: document(10240, false), Iteration: 2}},
		{"hops", hops, View{ToolName: "t", Iteration: 200, UserMessage: strings.Repeat("long ", 100)}},
		{"escapes", scaled, View{Result: `{"riskLevel":"h\u0069gh","score":1e-3,"score":99999999999999999999,"list":[ 1, 2 ],"x":"` +
			strings.Repeat(`\n`, 2000) + `"}`}},
		{"not UTF-8", scaled, View{Result: "{\"riskLevel\":\"high\",\"score\":1,\"x\":\"\xff\xff\xff\xff\"}"}},
	} {
		if !test.guard.Holds(&test.view) {
			t.Errorf("%s: does not hold", test.name)
		}
		if n := testing.AllocsPerRun(100, func() { test.guard.Holds(&test.view) }); n != 0 {
			t.Errorf("%s: Holds allocates %v times", test.name, n)
		}
		if n := testing.AllocsPerRun(100, func() { test.guard.Evaluate(&test.view) }); n > 2 {
			t.Errorf("%s: Evaluate allocates %v times", test.name, n)
		}
	}
	v := View{Result: document(300, false), Iteration: 2}
	c := benchGuard(t)
	if n := testing.AllocsPerRun(100, func() {
		v := v
		v.Fields.Read(v.Result, c.names.list)
		c.Holds(&v)
	}); n != 0 {
		t.Errorf("reading ahead allocates %v times", n)
	}
}
