package guard

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Kind is the type of a Value. The zero Kind is Missing.
type Kind uint8

const (
	Missing Kind = iota // nothing is there
	Null
	Bool
	Number
	String
	List    // an array: the threshold of in and notIn; as a judged value it equals nothing
	Other   // an object; it equals nothing
	Invalid // a Go value that is not data
)

var kindNames = [...]string{"missing", "null", "boolean", "number", "string", "list", "object", "invalid"}

// String returns the name of k: missing, null, boolean, number, string, list,
// object or invalid.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "kind " + strconv.Itoa(int(k))
}

// MarshalText returns the name of k.
func (k Kind) MarshalText() ([]byte, error) {
	if int(k) >= len(kindNames) {
		return nil, fmt.Errorf("guard: no kind %d", k)
	}
	return []byte(kindNames[k]), nil
}

// UnmarshalText reads the name of a kind.
func (k *Kind) UnmarshalText(text []byte) error {
	for i, name := range kindNames {
		if name == string(text) {
			*k = Kind(i)
			return nil
		}
	}
	return fmt.Errorf("guard: no kind %q", text)
}

// A Value is one datum, as JSON has them. Values compare with ==, by their
// text: the numbers 1 and 1.0 are different Values that an eq condition holds
// equal. The zero Value is missing.
type Value struct {
	kind Kind
	text string // String: the string itself; Invalid: what it is instead; otherwise compact JSON
}

// Of returns the Value of a Go value: a string, bool, nil, any integer or float
// (named types too), a json.Number, a slice or array of these, or a Value. A
// number keeps its text, so that an integer of any length stays exact. Anything
// else is Invalid, among it a number that is not finite and a string that is
// not UTF-8.
func Of(v any) Value {
	switch v := v.(type) {
	case nil:
		return Value{Null, "null"}
	case Value:
		return v
	case string:
		return ofString(v)
	case bool:
		return ofBool(v)
	case int:
		return Value{Number, strconv.Itoa(v)}
	case float64:
		return ofFloat(v)
	case json.Number:
		return ofLiteral(string(v))
	case []any:
		return listOf(v)
	}
	rv := reflect.ValueOf(v)
	switch rv.Kind() {
	case reflect.String:
		return ofString(rv.String())
	case reflect.Bool:
		return ofBool(rv.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return Value{Number, strconv.FormatInt(rv.Int(), 10)}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return Value{Number, strconv.FormatUint(rv.Uint(), 10)}
	case reflect.Float32:
		// The decimal that was written, not the float64 that is nearest to the float32.
		if f, err := strconv.ParseFloat(strconv.FormatFloat(rv.Float(), 'g', -1, 32), 64); err == nil {
			return ofFloat(f)
		}
		return ofFloat(rv.Float())
	case reflect.Float64:
		return ofFloat(rv.Float())
	case reflect.Slice, reflect.Array:
		if rv.Type().Elem().Kind() == reflect.Uint8 {
			break
		}
		vs := make([]any, rv.Len())
		for i := range vs {
			vs[i] = rv.Index(i).Interface()
		}
		return listOf(vs)
	}
	return Value{Invalid, fmt.Sprintf("a Go %T", v)}
}

func ofString(s string) Value {
	if !utf8.ValidString(s) {
		return Value{Invalid, "a string that is not UTF-8"}
	}
	return Value{String, s}
}

func ofBool(b bool) Value { return Value{Bool, strconv.FormatBool(b)} }

func ofFloat(f float64) Value {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return Value{Invalid, strconv.FormatFloat(f, 'g', -1, 64)}
	}
	return Value{Number, formatFloat(f)}
}

func ofLiteral(text string) Value {
	if end := scanNumber(text, 0); end != len(text) || text == "" {
		return Value{Invalid, fmt.Sprintf("the number %q (not JSON notation)", text)}
	}
	return Value{Number, text}
}

func listOf(vs []any) Value {
	b := []byte{'['}
	for i, v := range vs {
		if i > 0 {
			b = append(b, ',')
		}
		switch reflect.ValueOf(v).Kind() {
		case reflect.Slice, reflect.Array: // not followed: a list can hold itself
			return Value{Invalid, "a list in a list"}
		}
		e := Of(v)
		if e.kind == Missing || e.kind == Invalid {
			return Value{Invalid, fmt.Sprintf("a list that holds %s", e)}
		}
		b = e.AppendJSON(b)
	}
	return Value{List, string(append(b, ']'))}
}

// parse returns the value of s, which is one valid JSON text.
func parse(s string) Value {
	i := skipSpace(s, 0)
	at := spanOf(s, i, scanValue(s, i, 0))
	switch f := at.of(s); f.kind {
	case String:
		return Value{String, unquote(f.text)}
	case List, Other:
		return Value{f.kind, compact(f.text)}
	default:
		return Value{f.kind, strings.Clone(f.text)}
	}
}

// Kind returns the kind of v.
func (v Value) Kind() Kind { return v.kind }

// Text returns a string as it is, and any other value as compact JSON; a
// missing value has no text. Of an Invalid value it says what it is.
func (v Value) Text() string { return v.text }

// String is Text for people: a string that could be read as another kind is
// quoted, and numbers are written as JSON writers write them.
func (v Value) String() string {
	switch v.kind {
	case Missing:
		return "missing"
	case String:
		return display(v.text)
	case Number:
		return plainNumber(v.text)
	case List:
		return v.bracketed(Value.String)
	}
	return v.text
}

// Elems returns the values of a List, and nil for any other kind.
func (v Value) Elems() []Value {
	if v.kind != List {
		return nil
	}
	var vs []Value
	elems(v.text, func(e string) { vs = append(vs, parse(e)) })
	return vs
}

func (v Value) bracketed(str func(Value) string) string {
	var parts []string
	for _, e := range v.Elems() {
		parts = append(parts, str(e))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// AppendJSON appends v as JSON; a missing value is written as null.
func (v Value) AppendJSON(b []byte) []byte {
	switch v.kind {
	case String:
		return appendQuoted(b, v.text)
	case Missing:
		return append(b, "null"...)
	}
	return append(b, v.text...)
}

// MarshalJSON returns v as JSON; a missing value is written as null, and an
// Invalid one is an error.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.kind == Invalid {
		return nil, fmt.Errorf("%s is not data", v.text)
	}
	return v.AppendJSON(nil), nil
}

// UnmarshalJSON reads any JSON value.
func (v *Value) UnmarshalJSON(data []byte) error {
	s := string(data)
	if !valid(s) {
		return fmt.Errorf("guard: not JSON")
	}
	*v = parse(s)
	return nil
}

// display returns s, quoted if it could be read as another kind or would not
// show as one word in a sentence.
func display(s string) string {
	quote := s == "" || s == "missing" || strings.TrimSpace(s) != s || strings.ContainsAny(s[:1], `"'[{`) || valid(s)
	for _, r := range s {
		quote = quote || !strconv.IsPrint(r)
	}
	if quote {
		return strconv.Quote(s)
	}
	return s
}

// A number is a parsed literal. It compares by its exact value.
type number struct {
	form numberForm
	i    int64   // if small
	f    float64 // if float; infinite if the literal is beyond float64
	text string  // if big
}

type numberForm uint8

const (
	small numberForm = iota // an integer in the range of int64
	big                     // an integer outside it
	float
)

// parseNumber returns the number of a literal in JSON notation.
func parseNumber(s string) number {
	neg := s[0] == '-'
	first := 0
	if neg {
		first = 1
	}
	var u uint64 // the digits, unless they are too many
	point := -1
	for i := first; i < len(s); i++ {
		c := s[i] - '0'
		switch {
		case c <= 9:
			u = u*10 + uint64(c)
		case s[i] == '.':
			point = i
		default:
			return parseFloat(s)
		}
	}
	if point >= 0 {
		// The quotient of two integers that a float64 holds exactly is rounded
		// once, so it is the nearest.
		decimals := len(s) - point - 1
		if len(s)-first > 16 || decimals >= len(powersOfTen) {
			return parseFloat(s)
		}
		f := float64(u) / powersOfTen[decimals]
		if neg {
			f = -f
		}
		return number{form: float, f: f}
	}
	switch digits := len(s) - first; {
	case digits > 19:
		return number{form: big, text: s}
	case u <= math.MaxInt64 && neg:
		return number{i: -int64(u)}
	case u <= math.MaxInt64:
		return number{i: int64(u)}
	case neg && u == 1<<63:
		return number{i: math.MinInt64}
	}
	return number{form: big, text: s}
}

var powersOfTen = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14}

func parseFloat(s string) number {
	f, _ := strconv.ParseFloat(s, 64) // infinite if beyond float64
	return number{form: float, f: f}
}

func (n number) finite() bool { return n.form != float || !math.IsInf(n.f, 0) }

// compare returns -1, 0 or 1 as a is less than, equal to or greater than b.
func (a number) compare(b number) int {
	switch {
	case a.form == small && b.form == small:
		return order(a.i < b.i, a.i > b.i)
	case a.form == float && b.form == float:
		return order(a.f < b.f, a.f > b.f)
	case a.form == small && b.form == float:
		return compareInt(a.i, b.f)
	case a.form == float && b.form == small:
		return -compareInt(b.i, a.f)
	case a.form == big && b.form == small:
		return order(a.text[0] == '-', true)
	case a.form == small && b.form == big:
		return -b.compare(a)
	case a.form == big && b.form == float:
		return compareBig(a.text, b.f)
	case a.form == float && b.form == big:
		return -compareBig(b.text, a.f)
	}
	return compareDigits(a.text, b.text)
}

func order(less, greater bool) int {
	switch {
	case less:
		return -1
	case greater:
		return 1
	}
	return 0
}

func compareInt(i int64, f float64) int {
	switch {
	case f >= 1<<63:
		return -1
	case f < -1<<63:
		return 1
	}
	whole := math.Trunc(f)
	if n := int64(whole); n != i {
		return order(i < n, true)
	}
	return order(whole < f, whole > f)
}

// compareBig compares an integer outside the range of int64 with a float.
func compareBig(text string, f float64) int {
	switch {
	case math.IsInf(f, 0):
		return order(f > 0, true)
	case math.Abs(f) < 1<<63:
		return order(text[0] == '-', true)
	}
	var buf [320]byte // the greatest float64 has 309 digits
	return compareDigits(text, strconv.AppendFloat(buf[:0], f, 'f', 0, 64))
}

// compareDigits compares two integers without leading zeros.
func compareDigits[B string | []byte](a string, b B) int {
	sign := 1
	switch negA, negB := a[0] == '-', b[0] == '-'; {
	case negA && negB:
		sign = -1
	case negA || negB:
		return order(negA, negB)
	}
	if len(a) != len(b) {
		return sign * order(len(a) < len(b), true)
	}
	return sign * order(a < string(b), a > string(b))
}

// formatFloat returns the literal of a finite f. A whole number is written with
// all its digits below 1e21, so that it reads back as the integer that it is.
func formatFloat(f float64) string {
	abs := math.Abs(f)
	switch {
	case f == 0:
		return "0"
	case abs < 1e21 && abs == math.Trunc(abs):
		return strconv.FormatFloat(f, 'f', 0, 64)
	case abs >= 1e-6 && abs < 1e21:
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	if n := len(s); n >= 4 && s[n-3] == '-' && s[n-2] == '0' { // e-07 is written e-7
		s = s[:n-2] + s[n-1:]
	}
	return s
}

// plainNumber returns a literal as JSON writers write it: 1 for 1.0, 0.7 for
// 7e-1.
func plainNumber(text string) string {
	n := parseNumber(text)
	switch {
	case n.form == float && n.finite():
		return formatFloat(n.f)
	case n.form == small:
		return strconv.FormatInt(n.i, 10)
	}
	return text
}
