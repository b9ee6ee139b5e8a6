package expr

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// vars are variables by name; a string that begins with JSON: is read as JSON.
type vars map[string]any

func (m vars) Var(name string) Value {
	switch v := m[name].(type) {
	case string:
		if text, ok := strings.CutPrefix(v, "JSON:"); ok {
			return JSON(text)
		}
		return Text(v)
	case int:
		return Number(v)
	case Value:
		return v
	}
	return Value{}
}

var (
	message = Object("message", Var{"role", String}, Var{"content", String})
	testEnv = New(Var{"n", Int}, Var{"s", String}, Var{"json", Any}, Var{"history", List(message.Type)})
)

func values(json string) vars {
	return vars{"n": 3, "s": "VAT", "json": "JSON:" + json, "history": ListOf(2, func(i int) Value {
		return message.Of(vars{"role": "user", "content": fmt.Sprint("message ", i)})
	})}
}

func TestCondition(t *testing.T) {
	const doc = `{"port": {"n": 3, "errors": 41200}, "score": 0.70, "tags": ["a", "b"], "one": 1.0, "twice": 1, "twice": 2}`
	for _, test := range []struct {
		src  string
		want string // true, false or the error
	}{
		{`n == 3 && s.contains('VAT')`, `true`},
		{`json.port.errors > 1000`, `true`},
		{`json.port.errors > 41199.5`, `true`},
		{`json.score >= 0.7 && json.one == 1`, `true`},
		{`json.twice == 2`, `true`},
		{`'a' in json.tags && !('c' in json.tags)`, `true`},
		{`has(json.port) && !has(json.other)`, `true`},
		{`json.tags.exists(t, t == 'b')`, `true`},
		{`json.map(k, k) == ['port', 'score', 'tags', 'one', 'twice']`, `true`},
		{`{'b': 1, 'a': 2}.map(k, k) == ['a', 'b']`, `true`},
		{`{'b': 1, 'a': n} == {'a': 3, 'b': 1}`, `true`},
		{`json.port == {'errors': 41200, 'n': 3}`, `true`},
		{`history.all(m, m.role == 'user') && history[1].content == 'message 1'`, `true`},
		{`'x,y'.split(',').join('-').upperAscii() == 'X-Y'`, `true`},
		{`math.greatest(n, 5) == 5`, `true`},
		{`s.matches('^V.T$')`, `true`},

		{`s`, `1:1: a condition must be true or false, and this is of type string (compare it with something)`},
		{`json.score`, `1:1: a condition must be true or false, and this is of type double`},
		{`n == 3 && x > 1`, `1:11: there is no variable or function "x" here (the variables are n, s, json, history)`},
		{`history.exists(m, m.rol == 'user')`, `1:20: there is no field "rol" (history has role, content)`},
		{`n == s`, `1:3: == is not defined for (int, string)`},
		{"n == 3 &&\n  s ==", `2:7: the expression ends too early`},
		{`json.port.speed > 1`, `1:10: no such key: speed`},
		{`json.tags[2] == 'c'`, `1:10: index out of bounds: 2`},
		{`n / 0 == 1`, `1:3: division by zero`},
		{`json.score > 'a'`, `1:12: this is not defined for values of these types`},
		{`timestamp('2024-01-01T00:00:00Z').getHours('Europe/Berlin') == 1`, `1:43: getHours is not defined for timestamp.(string)`},
		{`now() > 1`, `1:1: there is no function "now"`},
		{`s.contans('a')`, `1:3: there is no function "contans" (did you mean "contains"?)`},
		{`history.exist(m, m.role == 'user' && x)`, `1:9: there is no function "exist" (did you mean "exists"?); 1:38: there is no variable or function "x" here (the variables are n, s, json, history)`},
		{`json.x = 1`, `1:8: = means nothing in CEL (write == to compare)`},
		{"n == 3 &&\n  s === 'a'", `2:7: = means nothing in CEL (write == to compare)`},
		{`n => 3`, `1:3: => means nothing in CEL (write >= for at least)`},
		{`s =~ 'x'`, `1:3: =~ means nothing in CEL (matches() looks for a regular expression)`},
		{`n == 1 & n == 2`, `1:8: & means nothing in CEL (write && for and)`},
		{`n == 1 | n == 2`, `1:8: | means nothing in CEL (write || for or)`},
		{`n == 1 and n == 2`, `1:8: and cannot stand here (write && for and)`},
		{`n == 1 or n == 2`, `1:8: or cannot stand here (write || for or)`},
		{`not n == 1`, `1:5: n cannot stand here (write ! for not)`},
		{`n <> 1`, `1:4: > cannot stand here (write != for unequal)`},
		{`n == 1;`, `1:7: ; means nothing in CEL`},
		{`(n == 1`, `1:8: a ) is missing here`},
		{`json.`, `1:6: something is missing behind .`},
		{`s == 'a`, `1:6: this quote is never closed`},
		{`s == 'a\'`, `1:6: this quote is never closed`},
		{`s == 'a\\d`, `1:6: this quote is never closed`},
		{`s == "é = ü`, `1:6: this quote is never closed`},
		{`s.matches('\d')`, `1:11: there is no escape \d (write \\ for a backslash)`},
	} {
		p, err := testEnv.Condition(test.src)
		var ok bool
		if err == nil {
			ok, err = p.Bool(testEnv.Scope(values(doc)))
		}
		got := fmt.Sprint(ok)
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.src, got, test.want)
		}
	}
}

func TestNumbersAreExact(t *testing.T) {
	for _, test := range []struct{ json, src, want string }{
		{`9007199254740993`, `json == 9007199254740993`, `true`},
		{`9007199254740993`, `json == 9007199254740992`, `false`},
		{`9007199254740993`, `json`, `9007199254740993`},
		{`-9223372036854775808`, `json - 0`, `-9223372036854775808`},
		{`18446744073709551615`, `json > n`, `true`},
		{`18446744073709551615`, `json`, `18446744073709551615`},
		{`18446744073709551616`, `json`, `18446744073709551616`},
		{`18446744073709551616`, `[json]`, `[18446744073709551616]`},
		{`18446744073709551616`, `string(json)`, `"18446744073709551616"`},
		{`18446744073709551616`, `json == 18446744073709551615u`, `false`},
		{`18446744073709551616`, `json == json`, `true`},
		{`18446744073709551616`, `json > 1`, `1:6: this is not defined for values of these types`},
		{`1e400`, `json`, `1e400`},
		{`1.0`, `json`, `1`},
		{`1e21`, `json`, `1e+21`},
		{`0.1`, `json`, `0.1`},
		{`{"a":{"b":[1,"x",null,true]}}`, `json`, `{"a":{"b":[1,"x",null,true]}}`},
		{`"\ud83d\ude00 \u0001\n<>"`, `json`, `"😀 \u0001\n<>"`},
		{`not json`, `json`, `null`},
	} {
		p, err := testEnv.Compile(test.src)
		var b []byte
		if err == nil {
			var v Value
			if v, err = p.Value(testEnv.Scope(values(test.json))); err == nil {
				b, err = v.AppendJSON(nil)
			}
		}
		got := string(b)
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s with %s\n got %s\nwant %s", test.src, test.json, got, test.want)
		}
	}
}

func TestJSONObject(t *testing.T) {
	for text, want := range map[string]string{
		` {"a":1} `: `{"a":1}`,
		`{"a":1} x`: `null`,
		`[1]`:       `null`,
		`3`:         `null`,
		``:          `null`,
	} {
		if got, _ := JSONObject(text).AppendJSON(nil); string(got) != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// Each of these would run for minutes or hours, or take all memory: without its
// limit the test does not end.
func TestLimits(t *testing.T) {
	twice := func(pattern, last string, n int) string { // let x = [x, x], n times
		s := last
		for range n {
			s = fmt.Sprintf(pattern, s)
		}
		return s
	}
	var numbers []string
	for i := range 20_000 {
		numbers = append(numbers, fmt.Sprint(i))
	}
	list := strings.Join(numbers, ",")
	doc := `JSON:{"k":[` + list + `],"l":[[[[` + list + `]]]],"o":{"n":[` + list + `]}}`
	fold := strings.Repeat("[Ā-𞥂]", 500)
	for name, test := range map[string]struct{ src, want string }{
		"work":     {`[1,2,3,4,5,6,7,8,9,0].all(a, [1,2,3,4,5,6,7,8,9,0].all(b, [1,2,3,4,5,6,7,8,9,0].all(c, [1,2,3,4,5,6,7,8,9,0].all(d, [1,2,3,4,5,6,7,8,9,0].all(e, [1,2,3,4,5,6,7,8,9,0].all(f, a+b+c+d+e+f >= 0))))))`, "too much work"},
		"loops":    {`doc.k.all(a, doc.k.all(b, a + b >= 0))`, "too much work"},
		"sharing":  {"[[1]].exists(x, " + twice("[[x,x]].exists(x, %s)", "x == x", 40) + ")", "too large"},
		"maps":     {"[[1]].exists(x, " + twice("[[{'a': x, 'b': x}]].exists(x, %s)", "x == x", 25) + ")", "too large"},
		"replace":  {`json.replace('c', s) == ''`, "too long"},
		"join":     {`[json, json].join() == ''`, "too long"},
		"format":   {`'%s%s'.format([json, json]) == ''`, "too long"},
		"search":   {`json.indexOf(s) < 0`, "too much work"},
		"doubling": {"['aaaaaaaaaa'].exists(x, " + twice("[x+x].exists(x, %s)", "x == ''", 40) + ")", "too"},
		"concat":   {"[[1]].exists(x, " + twice("[x+x].exists(x, %s)", "size(x) == 0", 40) + ")", "too large"},
		"length":   {strings.Repeat(" ", MaxSource) + "true", "longer than 4096 bytes"},
		"nesting":  {strings.Repeat("(", 500) + "true" + strings.Repeat(")", 500), "recursion"},

		// What CEL takes for one step, or for less than it is.
		"equal":      {`doc.k.all(a, doc == doc)`, "too much work"},
		"equal deep": {`doc.k.all(a, doc.l == doc.l)`, "too much work"},
		"unequal":    {`doc.k.all(a, [doc.o] != [doc.l] || doc.o != doc.o)`, "too much work"},
		"in":         {`doc.k.all(a, doc.l in [doc.l])`, "too much work"},
		"map":        {`doc.k.map(a, a) != []`, "too much work"},
		"size":       {`doc.k.all(a, json.size() > 0)`, "too much work"},
		"conversion": {`doc.k.all(a, int(json) > 0 || true)`, "too much work"},
		"greatest":   {`doc.k.all(a, math.greatest(doc.k) > 0)`, "too much work"},

		// Regular expressions.
		"regex":      {`s.matches('(((a{10}){10}){10}){10}')`, "regex"},
		"long regex": {`json.matches('(.?){99}x')`, "the text is too long for this regular expression"},
		"many regex": {`doc.k.all(a, json.matches('(a|b|.)*$'))`, "too much work"},
		"fold":       {`s.matches('(?i)` + fold[:3900] + `')`, "names too many characters"},
		"made fold":  {`s.matches('(?i)' + fold)`, "too long for one that is not written out"},
		"made folds": {`doc.k.all(a, !s.matches('(?i)[\u0100-\U0001e942]' + string(a)))`, "too much work"},
		"made long":  {`s.matches(json)`, "too long for one that is not written out"},
	} {
		t.Run(name, func(t *testing.T) {
			env := New(append([]Var{{"doc", Any}, {"fold", String}}, testEnv.vars...)...)
			p, err := env.Condition(test.src)
			if err == nil {
				_, err = p.Bool(env.Scope(vars{"n": 1, "s": strings.Repeat("b", 50_000), "json": strings.Repeat("c", 700_000), "doc": doc, "fold": fold}))
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}

// What takes little work on a large value is let through.
func TestLimitsLeaveRoom(t *testing.T) {
	items := strings.TrimSuffix(strings.Repeat(`{"id":17,"state":"paid","tags":["a","b"]},`, 2000), ",")
	for _, src := range []string{
		`json.items.all(i, i.state == 'paid' && i.id in [1, 17] && size(i.tags) == 2)`,
		`json.items.exists(i, i == json.items[1999])`,
		`json.items.filter(i, 'b' in i.tags).map(i, i.id).size() == 2000`,
		`json.items.all(i, i.state.matches('^(?i)paid|über$') && string(i.id).matches('^1' + '7$'))`,
		`json.items == json.items && json.items[0] in json.items`,
		`s.matches('(?i)no[a-z]+ (error|timeout).*$') == false`,
		`json.items.all(i, json.items.size() == 2000 && s.size() > 10)`,
	} {
		p, err := testEnv.Condition(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if ok, err := p.Bool(testEnv.Scope(vars{"n": 1, "s": strings.Repeat("no ", 1000), "json": `JSON:{"items":[` + items + `]}`})); !ok {
			t.Errorf("%s: %v", src, err)
		}
	}
}

func TestConcurrent(t *testing.T) {
	p, err := testEnv.Condition(`json.tags.exists(t, t == 'b') && {'a': n}['a'] == 3`)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				if ok, err := p.Bool(testEnv.Scope(values(`{"tags": ["a", "b"]}`))); !ok {
					t.Error(ok, err)
					return
				}
				if _, err := p.Bool(testEnv.Scope(values(`{"tags": [1, 2, {"a": 1}]}`))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestTemplate(t *testing.T) {
	for _, test := range []struct{ text, want, json string }{
		{`plain`, `plain`, `"plain"`},
		{``, ``, `""`},
		{`n is ${n}.`, `n is 3.`, `"n is 3."`},
		{`${n}`, `3`, `3`},
		{` ${n}`, ` 3`, `" 3"`},
		{`${n}${n}`, `33`, `"33"`},
		{`${s}`, `VAT`, `"VAT"`},
		{`${json}`, `{"a":[1,2.5,null]}`, `{"a":[1,2.5,null]}`},
		{`${json.a[2]} and ${json.a[1]}`, `null and 2.5`, `"null and 2.5"`},
		{`${history}`, `[{"role":"user","content":"message 0"},{"role":"user","content":"message 1"}]`, `[{"role":"user","content":"message 0"},{"role":"user","content":"message 1"}]`},
		{`a $${n} $n $$ $`, `a ${n} $n $$ $`, `"a ${n} $n $$ $"`},
		{`${'}'}${"}"}${'''}'"}'''}`, `}}}'"}`, `"}}}'\"}"`},
		{`${{'a': {'b': 1}}.a.b}`, `1`, `1`},
		{`${'\'}'}`, `'}`, `"'}"`},
		{`${r'\'}`, `\`, `"\\"`},
		{`${n // }` + "\n" + `}`, `3`, `3`},
		{`${'$'}${n}`, `$3`, `"$3"`},
	} {
		tmpl, err := testEnv.Template(test.text)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		scope := testEnv.Scope(values(`{"a": [1, 2.5, null]}`))
		got, err := tmpl.Text(scope)
		if got != test.want || err != nil {
			t.Errorf("%s as text\n got %s, %v\nwant %s", test.text, got, err, test.want)
		}
		json, err := tmpl.AppendJSON(nil, scope)
		if string(json) != test.json || err != nil {
			t.Errorf("%s as JSON\n got %s, %v\nwant %s", test.text, json, err, test.json)
		}
	}
}

func TestTemplateFaults(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`costs ${n`, `1:7: this ${ has no closing } (write $${ for the two letters)`},
		{`${'}`, `1:1: this ${ has no closing } (write $${ for the two letters)`},
		{`${ }`, `1:1: there is no expression between ${ and } (write $${ for the two letters)`},
		{"é ${x}\n ${n +\n y}", `1:5: there is no variable or function "x" here (the variables are n, s, json, history); 3:2: there is no variable or function "y" here (the variables are n, s, json, history)`},
		{`ok: ${json.b}`, `1:11: no such key: b`},
		{`ok: ${b'x'}`, `1:7: a value of type bytes cannot be written; make it a string`},
		{`ok: ${{1: 2}}`, `1:7: a key of type int cannot be written as JSON; make it a string`},
		{`ok: ${1.0 / 0.0}`, `1:7: a number that is not finite cannot be written`},
	} {
		tmpl, err := testEnv.Template(test.text)
		if err == nil {
			_, err = tmpl.Text(testEnv.Scope(values(`{"a": 1}`)))
		}
		if err == nil || err.Error() != test.want {
			t.Errorf("%s\n got %v\nwant %s", test.text, err, test.want)
		}
	}
}

func FuzzCompile(f *testing.F) {
	for _, src := range []string{
		`n == 3 && s.contains('VAT')`, `json.a.exists(x, x > 1)`, `history[0].role == "user"`,
		`{'a': [1, 2.5, 3u, null, b'x']}.a[1] > 1`, `'%s'.format([json])`, `s.replace('a', s).split('')`,
		`[[1]].exists(x, [[x,x]].exists(x, x == x))`, `"\u00e9" + r'\'`, `json.map(k, json[k])`, `-(-n) % 0`,
	} {
		f.Add(src, `{"a":[1,2],"b":{"c":"d"}}`)
	}
	f.Fuzz(func(t *testing.T, src, json string) {
		start := time.Now()
		p, err := testEnv.Compile(src)
		if err != nil {
			if len(err.(Faults)) == 0 {
				t.Error("no fault")
			}
			return
		}
		write := func() string {
			v, err := p.Value(testEnv.Scope(values(json)))
			if err != nil {
				return "error"
			}
			b, err := v.AppendJSON(nil)
			if err != nil {
				return "error"
			}
			return string(b)
		}
		if a, b := write(), write(); a != b {
			t.Errorf("%s gave %s and %s", src, a, b)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%s took %v", src, d)
		}
	})
}

func FuzzTemplate(f *testing.F) {
	for _, s := range []string{`n is ${n}.`, `$${n} ${'}'}`, `${{'a': 1}.a}`, `${r'\'}${"""}"""}`, `${n // }`, "${\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tmpl, err := testEnv.Template(text)
		if err != nil {
			for _, fault := range err.(Faults) {
				if fault.Line < 1 || fault.Column < 1 {
					t.Errorf("%q: %v", text, fault)
				}
			}
			return
		}
		got, err := tmpl.Text(testEnv.Scope(values(`{"a":1}`)))
		if err == nil && !strings.Contains(text, "${") && got != text {
			t.Errorf("%q gave %q", text, got)
		}
	})
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5,null,true],"b":"\u00e9"}`, `18446744073709551616`, `"\ud800"`, `[[],{}]`, `{"a":1,"a":2}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once, err := JSON(text).AppendJSON(nil)
		if err != nil {
			return
		}
		twice, err := JSON(string(once)).AppendJSON(nil)
		if err != nil || string(once) != string(twice) {
			t.Errorf("%s: %s, then %s, %v", text, once, twice, err)
		}
	})
}

func BenchmarkBool(b *testing.B) {
	for name, src := range map[string]string{
		"light":  `n == 3 && s.contains('VAT')`,
		"json":   `json.port.errors > 1000`,
		"macro":  `history.exists(m, m.role == 'user')`,
		"string": `s.lowerAscii() == 'vat'`,
	} {
		b.Run(name, func(b *testing.B) {
			p, err := testEnv.Condition(src)
			if err != nil {
				b.Fatal(err)
			}
			v := values(`{"port": {"n": 3, "errors": 41200}, "score": 0.70, "tags": ["a", "b"]}`)
			b.ReportAllocs()
			for b.Loop() {
				if ok, err := p.Bool(testEnv.Scope(v)); !ok {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		if _, err := testEnv.Condition(`n == 3 && s.contains('VAT')`); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEnv(b *testing.B) {
	base()
	for b.Loop() {
		New(testEnv.vars...).build()
	}
}
