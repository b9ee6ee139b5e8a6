package guard_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spoorhq/spoor/guard"
)

// This file judges guards a second time: slowly, by encoding/json and math/big,
// and with nothing of package guard but the names of its types. What the two
// disagree on is a fault in one of them.

// A refValue is a datum: nil, bool, string, json.Number, []any or
// map[string]any; absent where nothing is there.
type refValue any

type absent struct{}

type refCond struct {
	key, op string
	value   refValue
}

type refEvidence struct {
	kind, actual     string
	passed, offScale bool
}

var hopKeys = []string{"toolName", "result", "status", "iteration", "userMessage", "currentSkillId"}

// refRead reads a guard; ok is false if it must be refused.
func refRead(text string, scales guard.Scales) (conds []refCond, ok bool) {
	keys, ok := refMembers(text)
	if !ok || len(keys) == 0 {
		return nil, false
	}
	seenKeys := map[string]bool{}
	for _, k := range keys {
		ops, ok := refMembers(k.raw)
		if !ok || len(ops) == 0 || seenKeys[k.name] || slices.Contains(strings.Fields(`__proto__ constructor prototype
			toString valueOf hasOwnProperty isPrototypeOf propertyIsEnumerable
			__defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__`), k.name) {
			return nil, false
		}
		seenKeys[k.name] = true
		seenOps := map[string]bool{}
		for _, op := range ops {
			v := refParse(op.raw)
			if seenOps[op.name] || !refThreshold(k.name, op.name, v, scales) {
				return nil, false
			}
			seenOps[op.name] = true
			conds = append(conds, refCond{k.name, op.name, v})
		}
	}
	return conds, true
}

// refThreshold reports whether a condition of the key may compare with v.
func refThreshold(key, op string, v refValue, scales guard.Scales) bool {
	scalar := func(v refValue) bool {
		switch v := v.(type) {
		case nil, bool, string:
			return true
		case json.Number:
			return refNumber(v).inf == 0
		}
		return false
	}
	switch op {
	case "eq", "ne":
		return scalar(v)
	case "gt", "gte", "lt", "lte":
		if scale := refScale(key, scales); scale != nil {
			word, ok := v.(string)
			return ok && slices.Contains(scale, word)
		}
		_, isText := v.(string)
		_, isNumber := v.(json.Number)
		return scalar(v) && (isText || isNumber)
	case "in", "notIn":
		list, ok := v.([]any)
		if !ok || len(list) < 1 || len(list) > 1000 {
			return false
		}
		for _, e := range list {
			if !scalar(e) {
				return false
			}
		}
		return true
	}
	return false
}

func refScale(key string, scales guard.Scales) []string {
	if slices.Contains(hopKeys, key) {
		return nil
	}
	return scales[key]
}

type refMember struct{ name, raw string }

// refMembers lists the members of a text that is one JSON object.
func refMembers(text string) (members []refMember, ok bool) {
	if !json.Valid([]byte(text)) {
		return nil, false
	}
	d := json.NewDecoder(strings.NewReader(text))
	if first, _ := d.Token(); first != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		name, err := d.Token()
		var raw json.RawMessage
		if err != nil || d.Decode(&raw) != nil {
			panic("valid JSON does not decode")
		}
		members = append(members, refMember{name.(string), string(raw)})
	}
	return members, true
}

func refParse(text string) (v refValue) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		panic(err)
	}
	return v
}

// refLookup returns the value at a key, and its text as JSON.
func refLookup(key string, v *guard.View) (value refValue, raw string) {
	optional := func(s string) (refValue, string) {
		if s == "" {
			return absent{}, ""
		}
		return s, ""
	}
	switch key {
	case "toolName":
		return v.ToolName, ""
	case "result":
		return v.Result, ""
	case "userMessage":
		return v.UserMessage, ""
	case "iteration":
		n := strconv.Itoa(v.Iteration)
		return json.Number(n), n
	case "status":
		return optional(v.Status)
	case "currentSkillId":
		return optional(v.CurrentSkillID)
	}
	value = absent{}
	members, _ := refMembers(v.Result)
	for _, m := range members {
		if m.name == key { // the last one counts
			value, raw = refParse(m.raw), m.raw
		}
	}
	return value, raw
}

// refJudge judges one condition.
func refJudge(c refCond, v *guard.View, scales guard.Scales) refEvidence {
	value, raw := refLookup(c.key, v)
	e := refEvidence{kind: refKind(value), actual: refActual(value, raw)}
	e.passed, e.offScale = refHolds(c, value, scales)
	return e
}

func refHolds(c refCond, value refValue, scales guard.Scales) (passed, offScale bool) {
	switch c.op {
	case "eq":
		return refEqual(value, c.value), false
	case "ne":
		return !refEqual(value, c.value), false
	case "in", "notIn":
		found := false
		for _, e := range c.value.([]any) {
			found = found || refEqual(value, e)
		}
		return found == (c.op == "in"), false
	}
	var order int
	switch v := value.(type) {
	case json.Number:
		threshold, ok := c.value.(json.Number)
		if !ok {
			return false, refScale(c.key, scales) != nil
		}
		order = refNumber(v).compare(refNumber(threshold))
	case string:
		threshold, ok := c.value.(string)
		if !ok {
			return false, false
		}
		order = strings.Compare(v, threshold)
		if scale := refScale(c.key, scales); scale != nil {
			if !slices.Contains(scale, v) {
				return false, true
			}
			order = slices.Index(scale, v) - slices.Index(scale, threshold)
		}
	case absent:
		return false, false
	default:
		return false, refScale(c.key, scales) != nil
	}
	switch c.op {
	case "gt":
		return order > 0, false
	case "gte":
		return order >= 0, false
	case "lt":
		return order < 0, false
	}
	return order <= 0, false
}

// refEqual reports whether a value, which may be anything, is the datum.
func refEqual(value, datum refValue) bool {
	if n, ok := value.(json.Number); ok {
		m, ok := datum.(json.Number)
		return ok && refNumber(n).compare(refNumber(m)) == 0
	}
	switch value.(type) {
	case nil, bool, string:
		return value == datum
	}
	return false
}

// A refNum is a number, exactly, or an infinity.
type refNum struct {
	inf int
	rat *big.Rat
}

func refNumber(n json.Number) refNum {
	if !strings.ContainsAny(string(n), ".eE") {
		i, ok := new(big.Int).SetString(string(n), 10)
		if !ok {
			panic(n)
		}
		return refNum{rat: new(big.Rat).SetInt(i)}
	}
	f, _ := strconv.ParseFloat(string(n), 64)
	if math.IsInf(f, 0) {
		return refNum{inf: int(math.Copysign(1, f))}
	}
	return refNum{rat: new(big.Rat).SetFloat64(f)}
}

func (a refNum) compare(b refNum) int {
	if a.inf != 0 || b.inf != 0 {
		return a.inf - b.inf
	}
	return a.rat.Cmp(b.rat)
}

func refKind(v refValue) string {
	switch v.(type) {
	case absent:
		return "missing"
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case string:
		return "string"
	case []any:
		return "list"
	}
	return "object"
}

func refActual(v refValue, raw string) string {
	text, isText := v.(string)
	if !isText {
		var b bytes.Buffer
		_ = json.Compact(&b, []byte(raw)) // an absent value has no text
		text = b.String()
	}
	runes := []rune(text)
	if len(runes) > 80 {
		runes = append(runes[:79], '…')
	}
	return string(runes)
}

// agree compares package guard with the reference on a guard, as JSON, and a
// view.
func agree(t *testing.T, text string, scales guard.Scales, view guard.View) (accepted, passed bool) {
	t.Helper()
	conds, accepted := refRead(text, scales)
	var g guard.Guard
	var c *guard.Compiled
	err := g.UnmarshalJSON([]byte(text))
	if err == nil {
		var faults []guard.Fault
		if c, faults = guard.Compile(g, scales); faults != nil {
			err = faults[0]
		}
	}
	if (err == nil) != accepted {
		t.Fatalf("%s\naccepted should be %v: %v", text, accepted, err)
	}
	if !accepted {
		return false, false
	}
	var ahead, aheadOfMany guard.Fields
	ahead.Read(view.Result, append([]string{"x"}, c.Keys()...))
	aheadOfMany.Read(view.Result, append(strings.Split(strings.Repeat("p ", 40), " "), c.Keys()...))
	for _, fields := range []guard.Fields{{}, ahead, aheadOfMany} {
		view.Fields = fields
		v := c.Evaluate(&view)
		if len(v.Conditions) != len(conds) {
			t.Fatalf("%s: %d conditions judged", text, len(v.Conditions))
		}
		all := true
		for i, cd := range conds {
			want := refJudge(cd, &view, scales)
			all = all && want.passed
			e := v.Conditions[i]
			got := refEvidence{e.Kind.String(), e.Actual, e.Passed, e.OffScale}
			if got != want || e.Key != cd.key || string(e.Op) != cd.op {
				t.Errorf("%s\non %+v\n%s %s: got %+v, want %+v", text, view, cd.key, cd.op, got, want)
			}
		}
		if v.Passed != all || c.Holds(&view) != all {
			t.Errorf("%s\non %+v\nEvaluate %v, Holds %v, want %v", text, view, v.Passed, c.Holds(&view), all)
		}
		passed = all
	}
	return true, passed
}

var refScales = guard.Scales{"riskLevel": {"low", "medium", "high", "critical"}, "x": {"b", "", "a\x00", "a", "é"}}

// FuzzAgainstReference makes a guard and views out of bytes.
func FuzzAgainstReference(f *testing.F) {
	f.Add([]byte(""))
	for i := range byte(32) {
		f.Add(randomBytes(i))
	}
	f.Fuzz(func(t *testing.T, choices []byte) { againstReference(t, choices) })
}

// TestAgainstReference does the same with random bytes, and holds that they make
// guards that say something.
func TestAgainstReference(t *testing.T) {
	accepted, passed := 0, 0
	for i := range 3000 {
		a, p := againstReference(t, randomBytes(byte(i), byte(i>>8)))
		accepted += a
		passed += p
	}
	if accepted < 6000 || passed < 600 {
		t.Errorf("%d judgements, %d passed: too few to mean anything", accepted, passed)
	}
}

func againstReference(t *testing.T, choices []byte) (accepted, passed int) {
	c := chooser{bytes: choices}
	scales := refScales
	if c.choose(2) == 0 {
		scales = nil
	}
	text := c.guard()
	for range 4 {
		a, p := agree(t, text, scales, c.view())
		if a {
			accepted++
		}
		if p {
			passed++
		}
	}
	return accepted, passed
}

func randomBytes(seed ...byte) []byte {
	b := make([]byte, 150)
	var key [32]byte
	copy(key[:], seed)
	_, _ = rand.NewChaCha8(key).Read(b) // never fails
	return b
}

// FuzzTextAgainstReference takes a guard and a view as they are written. Its
// seeds are some of the conformance vectors.
func FuzzTextAgainstReference(f *testing.F) {
	for i, line := range vectors(f) {
		if i%20 != 0 {
			continue
		}
		var vector struct {
			Guard json.RawMessage
			Evals []struct{ View guard.View }
		}
		if err := json.Unmarshal(line, &vector); err != nil {
			f.Fatal(err)
		}
		var v guard.View
		if len(vector.Evals) > 0 {
			v = vector.Evals[i/20%len(vector.Evals)].View
		}
		f.Add(string(vector.Guard), v.Result, v.ToolName, v.Status, v.UserMessage, v.CurrentSkillID, v.Iteration)
	}
	f.Add(`{"a":{"eq":1,"\u0065q":2}}`, `{"a":1,"\u0061":2}`, "", "", "", "", 1)
	f.Add(`{"\ud800":{"ne":"\ud83d\ude00"}}`, "{\"\xff\":\"\\ud83d\"} ", "\xff", "x", "\xe8\xbf", "…", -1)
	f.Add(`{"a":{"gt":9007199254740993,"lt":9007199254740994.0},"b":{"in":[null,1e3,-0]}}`, `{"b":1000,"a":9007199254740993}`, "", "", "", "", 1)
	f.Fuzz(func(t *testing.T, text, result, tool, status, message, skill string, iteration int) {
		for _, scales := range []guard.Scales{nil, refScales} {
			agree(t, text, scales, guard.View{
				ToolName: tool, Result: result, Status: status, UserMessage: message, CurrentSkillID: skill, Iteration: iteration,
			})
		}
	})
}

func vectors(tb testing.TB) [][]byte {
	file, err := os.Open("../conformance/testdata/guards.jsonl.gz")
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		tb.Fatal(err)
	}
	var lines [][]byte
	scanner := bufio.NewScanner(unpacked)
	scanner.Buffer(nil, 16<<20)
	for scanner.Scan() {
		lines = append(lines, bytes.Clone(scanner.Bytes()))
	}
	if err := scanner.Err(); err != nil {
		tb.Fatal(err)
	}
	return lines
}

// A chooser makes guards and views out of bytes. Most of its values come out of
// few that stand together in the lists, so that they often meet.
type chooser struct {
	bytes []byte
	near  int
}

func (c *chooser) choose(n int) int {
	if len(c.bytes) == 0 {
		return 0
	}
	b := c.bytes[0]
	c.bytes = c.bytes[1:]
	return int(b) % n
}

func oneOf[T any](c *chooser, list []T) T { return list[c.choose(len(list))] }

func nearOf[T any](c *chooser, list []T) T {
	if c.choose(4) > 0 {
		return list[(c.near+c.choose(4))%len(list)]
	}
	return oneOf(c, list)
}

var (
	refKeys    = append(slices.Clone(hopKeys), "x", "x", "riskLevel", "riskLevel", "", "y", "\ufffd", "toString")
	refTexts   = []string{"a", "", "a\x00", "b", "low", "high", "critical", "1", "null", "é", "\ufffd", "\uffff", "😀", "success", "denied", "a\"\\\n", "\x7f", strings.Repeat("é", 80), strings.Repeat("xy", 41)}
	refNumbers = strings.Fields(`1 0 2 -1 1.0 1.5 -0 -0.0 1e0 10e-1 0.1 0.10 1E2 100 1.0000000000000002 0.9999999999999999
		9007199254740991 9007199254740992 9007199254740993 9007199254740993.0 9007199254740994 -9007199254740993
		9223372036854775807 9223372036854775808 9223372036854775807.0 -9223372036854775808 -9223372036854775809
		9223372036854774784.0 18446744073709551615 18446744073709551616 18446744073709551616.0 99999999999999999999 100000000000000000000
		1e20 1e21 1000000000000000000000 1e22 1e23 99999999999999991611392 1e308 1.7976931348623157e308 5e-324 4e-324 2e-324 -5e-324 0e999 123456789012345678901234567890`)
	refTooLarge = []string{"1e309", "-1e999", "1.8e308"}
)

func (c *chooser) number() string {
	switch c.choose(6) {
	case 0, 1, 2:
		return nearOf(c, refNumbers)
	case 3:
		return strconv.Itoa(c.choose(8))
	}
	digits := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = '0' + byte(c.choose(10))
		}
		return string(b)
	}
	s := strconv.Itoa(1+c.choose(9)) + digits(c.choose(22))
	if c.choose(2) == 0 {
		s = "-" + s
	}
	if c.choose(2) == 0 {
		s += "." + digits(1+c.choose(18))
	}
	if c.choose(4) == 0 {
		s += oneOf(c, []string{"e", "E", "e+", "e-"}) + digits(1+c.choose(2))
	}
	return s
}

// quoted writes a text as JSON, in one of several ways.
func (c *chooser) quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	escape := c.choose(4) == 0
	for _, r := range s {
		switch {
		case r == '/' && escape:
			b.WriteString(`\/`)
		case r >= 1<<16 && escape:
			r -= 1 << 16
			fmt.Fprintf(&b, `\u%04x\u%04X`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		case r < ' ' || r == '"' || r == '\\' || escape && r < 1<<16:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func (c *chooser) scalar() string {
	switch c.choose(8) {
	case 0:
		return oneOf(c, []string{"null", "true", "false"})
	case 1, 2, 3:
		return c.quoted(nearOf(c, refTexts))
	}
	return c.number()
}

// guard writes a guard, seldom one that must be refused.
func (c *chooser) guard() string {
	c.near = c.choose(256)
	var keys []string
	seen := map[string]bool{}
	for range oneOf(c, []int{1, 1, 2, 3}) {
		key := oneOf(c, refKeys)
		if seen[key] && c.choose(16) != 0 {
			continue
		}
		seen[key] = true
		keys = append(keys, c.quoted(key)+":"+c.conditions(key))
	}
	return "{" + strings.Join(keys, " , ") + "}"
}

func (c *chooser) conditions(key string) string {
	ops := strings.Fields("eq ne gt gte lt lte in notIn")
	var parts []string
	for range oneOf(c, []int{1, 1, 2, 4}) {
		if len(ops) == 0 {
			break
		}
		i := c.choose(len(ops))
		op := ops[i]
		ops = slices.Delete(ops, i, i+1)
		value := c.scalar()
		switch {
		case op == "in" || op == "notIn":
			list := []string{value}
			for range c.choose(4) {
				list = append(list, c.scalar())
			}
			value = "[" + strings.Join(list, ",") + "]"
		case op == "eq" || op == "ne":
		case refScales[key] != nil && c.choose(8) != 0:
			value = c.quoted(oneOf(c, refScales[key]))
		default:
			for range 3 {
				if value[0] == '"' || value[0] == '-' || '0' <= value[0] && value[0] <= '9' {
					break
				}
				value = c.number()
			}
		}
		if c.choose(64) == 63 {
			value = oneOf(c, []string{"{}", "[]", "[[1]]", "[{}]", refTooLarge[0], refTooLarge[1]})
		}
		parts = append(parts, c.quoted(op)+":"+value)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (c *chooser) view() guard.View {
	texts := append(slices.Clone(refTexts), "\xff", "\xe8\xbfx", "a\xff")
	return guard.View{
		Result: c.result(), Iteration: c.choose(5), Status: oneOf(c, texts),
		ToolName: oneOf(c, texts), UserMessage: oneOf(c, texts), CurrentSkillID: oneOf(c, texts),
	}
}

func (c *chooser) result() string {
	space := oneOf(c, []string{"", " ", "\n        ", "\t"})
	value := func() string {
		switch c.choose(12) {
		case 0:
			return oneOf(c, []string{`{}`, `[]`, `[ 1 , "a\u0062 c" ]`, `{"x": 1, "x" :"\"" }`, "\"\xff\"", `"\ud800"`, "[\"\xe8\xbf\"]"})
		case 1:
			return oneOf(c, refTooLarge)
		}
		return c.scalar()
	}
	var members []string
	for range 1 + c.choose(6) {
		members = append(members, space+c.quoted(oneOf(c, refKeys[6:]))+space+":"+space+value()+space)
	}
	text := space + "{" + space + strings.Join(members, ",") + "}" + space
	switch c.choose(24) {
	case 1:
		return "[" + text + "]"
	case 2:
		return text + "{}"
	case 3:
		return text[:c.choose(len(text))]
	case 4:
		return value()
	case 5:
		return strings.Repeat("x", 1200)
	case 6:
		return strings.Replace(text, "{", "{"+c.quoted("pad")+":"+c.quoted(strings.Repeat("pad ", 300))+",", 1)
	}
	return text
}

// FuzzUnsatisfiable makes a guard out of bytes, and tries every value that can
// tell its conditions apart.
func FuzzUnsatisfiable(f *testing.F) {
	f.Add([]byte(""))
	for i := range byte(32) {
		f.Add(randomBytes(i))
	}
	f.Fuzz(func(t *testing.T, choices []byte) { unsatisfiable(t, choices) })
}

// TestUnsatisfiableAgainstReference does the same with random bytes.
func TestUnsatisfiableAgainstReference(t *testing.T) {
	never, sometimes := 0, 0
	for i := range 3000 {
		switch n, ok := unsatisfiable(t, randomBytes(byte(i), byte(i>>8))); {
		case n:
			never++
		case ok:
			sometimes++
		}
	}
	if never < 300 || sometimes < 300 {
		t.Errorf("%d never, %d sometimes: too few to mean anything", never, sometimes)
	}
}

func unsatisfiable(t *testing.T, choices []byte) (never, accepted bool) {
	statuses := strings.Fields("success partial pending failure denied invalid absent")
	c := chooser{bytes: choices}
	scales := refScales
	if c.choose(2) == 0 {
		scales = nil
	}
	domain := oneOf(&c, []guard.Domain{
		{AllStatuses: statuses}, {}, {ToolName: "a", AllStatuses: statuses},
		{Statuses: []string{"denied", "success"}, AllStatuses: statuses}, {ToolName: "é"},
	})
	text := c.guard()
	conds, ok := refRead(text, scales)
	if !ok {
		return false, false
	}
	var g guard.Guard
	if err := json.Unmarshal([]byte(text), &g); err != nil {
		t.Fatal(err)
	}
	compiled, faults := guard.Compile(g, scales)
	if faults != nil {
		t.Fatal(faults)
	}
	want := refNever(conds, scales, domain)
	reason, never := compiled.Unsatisfiable(domain)
	if never != (want != nil) || !never && reason != "" {
		t.Fatalf("%s for %+v: %v %q, want %v", text, domain, never, reason, want)
	}
	if !never {
		return false, true
	}
	var names []string
	for _, w := range want {
		names = append(names, g[slices.IndexFunc(g, func(c guard.Cond) bool { return c.Key == w.key && string(c.Op) == w.op })].String())
	}
	if lead := strings.Join(names, " and ") + " cannot hold"; !strings.HasPrefix(reason, lead) {
		t.Errorf("%s for %+v\ngot  %s\nwant %s", text, domain, reason, lead)
	}
	return true, true
}

// refNever returns a smallest set of conditions of one key that exclude each
// other, or nil if there is none.
func refNever(conds []refCond, scales guard.Scales, domain guard.Domain) []refCond {
	for len(conds) > 0 {
		n := 1
		for n < len(conds) && conds[n].key == conds[0].key {
			n++
		}
		of := slices.Clone(conds[:n])
		conds = conds[n:]
		values := refDomain(of, scales, domain)
		possible := func(of []refCond) bool {
			return slices.ContainsFunc(values, func(v refValue) bool {
				return !slices.ContainsFunc(of, func(c refCond) bool {
					passed, _ := refHolds(c, v, scales)
					return !passed
				})
			})
		}
		if possible(of) {
			continue
		}
		for i := 0; i < len(of) && len(of) > 1; {
			if fewer := slices.Delete(slices.Clone(of), i, i+1); possible(fewer) {
				i++
			} else {
				of = fewer
			}
		}
		return of
	}
	return nil
}

// refDomain lists values of the key of the conditions: of each kind, all
// thresholds, and what lies next to them.
func refDomain(conds []refCond, scales guard.Scales, domain guard.Domain) []refValue {
	key := conds[0].key
	var values []refValue
	add := func(vs ...refValue) { values = append(values, vs...) }
	texts := func(list []string) {
		for _, s := range list {
			add(s, s+"\x00")
		}
	}
	number := func(r *big.Rat) {
		whole := new(big.Int).Quo(r.Num(), r.Denom()) // towards zero
		for d := int64(-2); d <= 2; d++ {
			add(json.Number(new(big.Int).Add(whole, big.NewInt(d)).String()))
		}
		near, _ := r.Float64()
		for _, to := range []float64{math.Inf(-1), math.Inf(1)} {
			for _, f := range []float64{near, math.Nextafter(near, to), math.Nextafter(math.Nextafter(near, to), to)} {
				if !math.IsInf(f, 0) {
					add(json.Number(strconv.FormatFloat(f, 'e', -1, 64)))
				}
			}
		}
	}
	add(absent{}, nil, true, false)
	texts([]string{"", "z"})
	texts(domain.AllStatuses)
	texts(domain.Statuses)
	texts([]string{domain.ToolName})
	texts(scales[key])
	number(new(big.Rat))
	number(big.NewRat(1, 1))
	for _, c := range conds {
		list, isList := c.value.([]any)
		if !isList {
			list = []any{c.value}
		}
		for _, v := range list {
			switch v := v.(type) {
			case string:
				texts([]string{v})
			case json.Number:
				number(refNumber(v).rat)
			}
		}
	}
	return slices.DeleteFunc(values, func(v refValue) bool {
		s, isText := v.(string)
		missing := v == refValue(absent{})
		switch key {
		case "iteration":
			n, ok := v.(json.Number)
			return !ok || !refNumber(n).rat.IsInt() || refNumber(n).rat.Sign() <= 0
		case "status":
			switch {
			case len(domain.Statuses) > 0:
				return !isText || !slices.Contains(domain.Statuses, s)
			case len(domain.AllStatuses) > 0:
				return !missing && !(isText && slices.Contains(domain.AllStatuses, s))
			}
			return !missing && !isText
		case "toolName":
			return !isText || domain.ToolName != "" && s != domain.ToolName
		case "result", "userMessage", "currentSkillId":
			return !isText
		}
		return false
	})
}
