package guard

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Domain says what the values of a step can be, beyond what a guard knows of
// its keys. The zero Domain says nothing.
type Domain struct {
	ToolName    string   // the exact tool that the step is for; any if empty
	Statuses    []string // the statuses that the step is for; any if empty
	AllStatuses []string // the closed set of statuses; any string is one if empty
}

// Unsatisfiable reports whether no view of the domain can pass c, and if so
// why: the reason names a smallest set of conditions that cannot hold together.
//
// The answer is exact for each key, and nothing is claimed across keys. A field
// of a result can be missing or any JSON scalar; there is no number between
// neighbouring float64 values but an integer, and no string between "a" and
// "a\x00". The status is one of the closed set, or missing unless the step
// declares statuses; iteration is a whole number from 1; the other hop keys are
// any string.
func (c *Compiled) Unsatisfiable(d Domain) (reason string, ok bool) {
	for i := 0; i < len(c.conds); {
		first := i
		for i < len(c.conds) && c.conds[i].Key == c.conds[first].Key {
			i++
		}
		conds := c.conds[first:i]
		if len(conds) == 1 && conds[0].open() {
			continue
		}
		s := spaceOf(conds[0].hop, d)
		if s.satisfies(conds) {
			continue
		}
		conds = slices.Clone(conds)
		for k := 0; k < len(conds) && len(conds) > 1; {
			if fewer := slices.Delete(slices.Clone(conds), k, k+1); !s.satisfies(fewer) {
				conds = fewer
			} else {
				k++
			}
		}
		return s.reason(conds), true
	}
	return "", false
}

// open reports whether some result plainly has a value that passes: a field can
// be any datum, and there is a number on either side of every small integer.
func (c *cond) open() bool {
	return c.hop == hopField && c.scale == nil &&
		(c.test != testOrder || c.one.kind == Number && c.one.num.form == small)
}

// A space is the set of values that a key can have.
type space struct {
	hop    hop
	only   []string // if not nil, the strings it consists of
	absent bool     // whether the value can be missing
	why    string   // what a value of it is, for people
}

func spaceOf(h hop, d Domain) space {
	switch {
	case h == hopField:
		return space{hop: h, absent: true}
	case h == hopIteration:
		return space{hop: h, why: "iteration is a whole number from 1"}
	case h == hopToolName && d.ToolName != "":
		return space{hop: h, only: []string{d.ToolName}, why: "the step is for the tool " + display(d.ToolName)}
	case h == hopStatus && len(d.Statuses) > 0:
		return space{hop: h, only: d.Statuses, why: "the step is for the status " + strings.Join(d.Statuses, " or ")}
	case h == hopStatus && len(d.AllStatuses) > 0:
		return space{hop: h, only: d.AllStatuses, absent: true, why: "a status is one of " + strings.Join(d.AllStatuses, ", ")}
	case h == hopStatus:
		return space{hop: h, absent: true, why: "status is a string"}
	}
	return space{hop: h, why: HopKeys()[h-1] + " is a string"}
}

func (s space) reason(conds []cond) string {
	var b strings.Builder
	for i := range conds {
		if i > 0 {
			b.WriteString(" and ")
		}
		b.WriteString(conds[i].String())
	}
	b.WriteString(" cannot hold")
	if len(conds) > 1 {
		b.WriteString(" together")
	}
	if anything := (space{absent: true}); s.hop != hopField && anything.satisfies(conds) {
		b.WriteString(": " + s.why)
	}
	if i := slices.IndexFunc(conds, func(c cond) bool { return c.scale != nil }); i >= 0 {
		b.WriteString(": the scale is " + summary(strings.Join(conds[i].scale, ", ")))
	}
	return b.String()
}

// satisfies reports whether a value of s satisfies all of conds, which are
// conditions of one key.
func (s space) satisfies(conds []cond) bool {
	return slices.ContainsFunc(s.points(conds), func(d datum) bool {
		for i := range conds {
			if !conds[i].holds(&d) {
				return false
			}
		}
		return true
	})
}

// points returns values of s of which one satisfies conds if any value of s
// does. Every condition has one answer for all values between two neighbouring
// thresholds, so each threshold and its neighbours are enough.
func (s space) points(conds []cond) []datum {
	if s.only != nil {
		var points []datum
		for _, text := range s.only {
			points = append(points, stringPoint(text))
		}
		if s.absent {
			points = append(points, datum{})
		}
		return points
	}
	points := required(conds)
	if points == nil {
		points = s.around(conds)
	}
	return slices.DeleteFunc(points, func(d datum) bool { return !s.has(&d) })
}

// required returns the values that an eq or in of conds demands, and nil if
// there is none.
func required(conds []cond) []datum {
	for i := range conds {
		switch c := &conds[i]; c.Op {
		case OpEq:
			return []datum{c.one.point()}
		case OpIn:
			var points []datum
			for j := range c.many {
				points = append(points, c.many[j].point())
			}
			return points
		}
	}
	return nil
}

// around returns the thresholds of conds with their neighbours, and a value of
// each kind.
func (s space) around(conds []cond) []datum {
	points := []datum{
		{},
		{kind: Null, text: "null"},
		{kind: Bool, text: "false"},
		{kind: Bool, text: "true"},
		{kind: Number},
		numberDatum(number{i: 1}),
		stringPoint(""),
	}
	add := func(t *threshold) {
		switch t.kind {
		case String:
			points = append(points, stringPoint(t.text), stringPoint(t.text+"\x00"))
		case Number:
			below, at, above := t.num.next(-1), t.num, t.num.next(1)
			if s.hop == hopIteration {
				at = t.num.floor()
				below, above = at.plus(-1), at.plus(1)
			}
			for _, n := range []number{below, at, above} {
				points = append(points, numberDatum(n))
			}
		}
	}
	for i := range conds {
		c := &conds[i]
		if c.test != testMember {
			add(&c.one)
		}
		for j := range c.many {
			add(&c.many[j])
		}
		for _, word := range c.scale {
			points = append(points, stringPoint(word))
		}
	}
	return points
}

// has reports whether d is a value of s, if s is not a finite set.
func (s space) has(d *datum) bool {
	switch {
	case s.hop == hopField || d.kind == Missing && s.absent:
		return true
	case s.hop == hopIteration:
		return d.kind == Number && d.number().whole() && d.number().compare(number{i: 1}) >= 0
	}
	return d.kind == String
}

func stringPoint(text string) datum { return datum{kind: String, plain: true, text: text} }

func (t *threshold) point() datum {
	if t.kind == Number {
		return numberDatum(t.num)
	}
	return datum{kind: t.kind, plain: true, text: t.text}
}

func (n number) whole() bool { return n.form != float || n.f == math.Trunc(n.f) }

// floor returns the greatest integer that is not greater than n, which is
// finite.
func (n number) floor() number {
	if n.form != float {
		return n
	}
	return parseNumber(strconv.FormatFloat(math.Floor(n.f), 'f', 0, 64))
}

// next returns the neighbour of n, which is finite, among all numbers that a
// literal can stand for: the float64 values and the integers.
func (n number) next(sign int) number {
	f := n.f
	if n.form == small {
		f = float64(n.i)
	}
	if n.form == big || math.Abs(f) >= 1<<53 { // here every float64 is an integer
		return n.floor().plus(sign)
	}
	return number{form: float, f: math.Nextafter(f, math.Inf(sign))}
}

// plus returns n, which is an integer, plus sign, which is 1 or -1.
func (n number) plus(sign int) number {
	if n.form == small && n.i > math.MinInt64 && n.i < math.MaxInt64 {
		return number{i: n.i + int64(sign)}
	}
	text := n.text
	if n.form == small {
		text = strconv.FormatInt(n.i, 10)
	}
	// Away from zero the digits count up, towards it down.
	minus, digits := "", text
	if text[0] == '-' {
		minus, digits = "-", text[1:]
		sign = -sign
	}
	b := []byte(digits)
	wrap, carry := byte('9'), byte('0')
	if sign < 0 {
		wrap, carry = carry, wrap
	}
	i := len(b) - 1
	for ; i >= 0 && b[i] == wrap; i-- {
		b[i] = carry
	}
	switch {
	case i < 0:
		b = append([]byte{'1'}, b...)
	case sign > 0:
		b[i]++
	default:
		b[i]--
	}
	if b[0] == '0' && len(b) > 1 {
		b = b[1:]
	}
	return parseNumber(minus + string(b))
}
