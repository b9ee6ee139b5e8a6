package guard

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Values returns values that a key can have in a domain, those near to actual
// first. Whatever the conditions on the key, of all the guards together, can
// say of a value of that key they say of one of these. So they are enough to
// find a value that opens a guard, or shuts it, or opens one and shuts another.
//
// Near is what a person would change least: a value of the same kind before any
// other, of numbers the difference, of the words of a scale the ranks between.
// What lies beyond a number that is excluded is written with no more decimals
// than the numbers have; values between come after it, and are there for guards
// that leave no other. The zero Value says that the value is missing.
func Values(key string, actual Value, d Domain, guards ...*Compiled) []Value {
	var conds []cond
	for _, c := range guards {
		for i := range c.conds {
			if c.conds[i].Key == key {
				conds = append(conds, c.conds[i])
			}
		}
	}
	s := spaceOf(hopOf(key), d)
	var list []ranked
	add := func(d datum, tier int) {
		if v, ok := d.value(); ok && (s.only != nil || s.has(&d)) {
			list = append(list, ranked{v, tier, actual.far(v, conds)})
		}
	}
	if s.only != nil {
		for _, d := range s.points(nil) {
			add(d, 0)
		}
	} else {
		for i := range conds {
			for _, t := range conds[i].thresholds() {
				add(t.point(), 0)
				for _, d := range t.near(actual) {
					add(d, 1)
				}
			}
			for _, word := range conds[i].scale {
				add(stringPoint(word), 1)
			}
		}
		add(stringPoint(""), 2)
		for i := range conds {
			for _, t := range conds[i].thresholds() {
				if t.kind == String {
					add(stringPoint(t.text+"a"), 2)
				}
			}
		}
		for _, d := range s.around(conds) {
			add(d, 2)
		}
	}
	slices.SortStableFunc(list, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.far.kind, b.far.kind), cmp.Compare(a.tier/2, b.tier/2),
			cmp.Compare(a.far.by, b.far.by), cmp.Compare(a.tier, b.tier))
	})
	values := make([]Value, 0, len(list))
	seen := map[Value]bool{}
	for _, r := range list {
		if !seen[r.Value] {
			seen[r.Value] = true
			values = append(values, r.Value)
		}
	}
	return values
}

// A ranked value is one of Values. Its tier is 0 for what a condition names, 1
// for what a person would write next to it, and 2 for the rest.
type ranked struct {
	Value
	tier int
	far  distance
}

// A distance is how far a value is from another one.
type distance struct {
	kind int     // 0: of the same kind; 1: of another one; 2: missing, or one of them is
	by   float64 // within a kind
}

// far is how far a value is from v, under the scale of the conditions, if they
// have one.
func (v Value) far(to Value, conds []cond) distance {
	switch {
	case to.kind == Missing && v.kind != Missing:
		return distance{kind: 2}
	case to.kind != v.kind:
		return distance{kind: 1}
	case v.kind == Number:
		a, b := parseNumber(v.text), parseNumber(to.text)
		if by := math.Abs(a.float() - b.float()); by > 0 || a.compare(b) == 0 {
			return distance{by: by}
		}
		return distance{by: math.SmallestNonzeroFloat64} // they differ by less than a float64 tells
	case v.kind != String || v.text == to.text:
		return distance{}
	}
	for i := range conds {
		a, ok := conds[i].scale.rank(v.text)
		b, on := conds[i].scale.rank(to.text)
		if ok && on {
			return distance{by: math.Abs(float64(a - b))}
		}
	}
	return distance{by: math.MaxInt32}
}

func (n number) float() float64 {
	switch n.form {
	case small:
		return float64(n.i)
	case big:
		return parseFloat(n.text).f
	}
	return n.f
}

// value is the datum as a Value; not ok if it has no JSON.
func (d *datum) value() (v Value, ok bool) {
	switch d.kind {
	case Missing:
		return Value{}, true
	case Number:
		n := d.number()
		switch {
		case n.form == small:
			return Value{Number, strconv.FormatInt(n.i, 10)}, true
		case n.form == big:
			return Value{Number, n.text}, true
		}
		return Value{Number, formatFloat(n.f)}, n.finite()
	case String:
		return Value{String, d.text}, utf8.ValidString(d.text)
	}
	return Value{d.kind, d.text}, true
}

// thresholds are all values that a condition compares with.
func (c *cond) thresholds() []threshold {
	if c.test == testMember {
		return c.many
	}
	return []threshold{c.one}
}

// near are the values next to a threshold that a person would write: numbers
// with no more decimals than it or the actual value has, and texts whose last
// digit is the next one, as in a date.
func (t *threshold) near(actual Value) []datum {
	switch t.kind {
	case Number:
		decimals := decimalsOf(t.text)
		if actual.kind == Number {
			decimals = max(decimals, decimalsOf(actual.text))
		}
		if decimals > 15 {
			return nil
		}
		if n := t.num.floor(); t.num.whole() && decimals == 0 {
			return []datum{numberDatum(n.plus(-1)), numberDatum(n.plus(1))}
		}
		var points []datum
		for _, sign := range []float64{-1, 1} {
			text := strconv.FormatFloat(t.num.float()+sign*math.Pow(10, -float64(decimals)), 'f', decimals, 64)
			points = append(points, numberDatum(parseNumber(text)))
		}
		return points
	case String:
		n := len(t.text) - 1
		if n < 0 || t.text[n] < '1' || t.text[n] > '8' {
			return nil
		}
		return []datum{stringPoint(t.text[:n] + string(rune(t.text[n]-1))), stringPoint(t.text[:n] + string(rune(t.text[n]+1)))}
	}
	return nil
}

// decimalsOf counts the decimals of a literal; many if it has an exponent.
func decimalsOf(text string) int {
	if strings.ContainsAny(text, "eE") {
		return 16
	}
	_, decimals, _ := strings.Cut(text, ".")
	return len(decimals)
}
