package guard

import (
	"encoding/json"
	"strconv"
	"strings"
)

// A Verdict is a guard's answer with its reasons.
type Verdict struct {
	Passed     bool       `json:"verdict"`
	Conditions []Evidence `json:"conditions"` // one for each condition, in declared order
}

// Evidence is one condition as it was judged.
type Evidence struct {
	*Cond // what was judged; it must not be changed

	// Actual is the judged value in at most 80 code points, a final ellipsis
	// among them: the text of a string, otherwise compact JSON. Kind tells 5
	// from "5", and is Missing where there was no value.
	Actual string `json:"actual"`
	Kind   Kind   `json:"kind"`

	// OffScale is set where the condition failed because the key has a scale
	// and the value is no word of it.
	OffScale bool `json:"offScale,omitempty"`
	Passed   bool `json:"passed"`
}

// UnmarshalJSON reads evidence; the condition is there whatever is read.
func (e *Evidence) UnmarshalJSON(data []byte) error {
	type plain Evidence
	*e = Evidence{Cond: new(Cond)}
	return json.Unmarshal(data, (*plain)(e))
}

// String returns e in one line for people. A string that could be read as
// another kind is quoted.
//
//	riskLevel = low: wanted in [high, critical]
//	score = "0.9": wanted ≥ 0.7
//	score is missing: wanted ≥ 0.7
//	iteration = 2: passed ≤ 5
//	riskLevel = huge: wanted ≥ high, by a scale that does not have this value
func (e Evidence) String() string {
	var b strings.Builder
	b.WriteString(display(e.Key))
	switch e.Kind {
	case Missing:
		b.WriteString(" is missing")
	case String:
		b.WriteString(" = " + display(e.Actual))
	default:
		b.WriteString(" = " + e.Actual)
	}
	if e.Passed {
		b.WriteString(": passed ")
	} else {
		b.WriteString(": wanted ")
	}
	b.WriteString(e.Op.word() + " " + e.Value.String())
	if e.OffScale {
		b.WriteString(", by a scale that does not have this value")
	}
	return b.String()
}

// A datum is a judged value.
type datum struct {
	kind  Kind
	plain bool // a string whose text is not escaped
	share bool // its text may be kept: it keeps nothing large alive
	form  numberForm
	i     int64
	f     float64
	text  string // of a string; otherwise as it is written; none of an iteration from 100
}

// A datum is passed in registers, which is why it does not hold its number.
func (d *datum) number() number { return number{d.form, d.i, d.f, d.text} }

func numberDatum(n number) datum {
	return datum{kind: Number, form: n.form, i: n.i, f: n.f, text: n.text}
}

// A reader finds the values that conditions judge.
type reader struct {
	view *View
	from source
	own  spans
}

// A source says where a reader finds fields.
type source uint8

const (
	undecided source = iota
	fromView         // View.Fields
	fromOwn          // read here
)

func (r *reader) field(c *Compiled, cd *cond) field {
	if r.from == undecided {
		r.from = fromView
		if !r.view.Fields.has(c.names.list) {
			r.from = fromOwn
			r.own.read(r.view.Result, &c.names)
		}
	}
	if r.from == fromOwn {
		return r.own.at(cd.slot).of(r.view.Result)
	}
	f := &r.view.Fields
	return f.spans.at(f.names.find(cd.Key)).of(f.result)
}

// find returns the value that cd judges, as it is written; of the iteration only
// the kind.
func (r *reader) find(c *Compiled, cd *cond) field {
	v := r.view
	switch cd.hop {
	case hopToolName:
		return field{String, v.ToolName}
	case hopResult:
		return field{String, v.Result}
	case hopUserMessage:
		return field{String, v.UserMessage}
	case hopIteration:
		return field{kind: Number}
	case hopStatus:
		return optional(v.Status)
	case hopCurrentSkillID:
		return optional(v.CurrentSkillID)
	}
	return r.field(c, cd)
}

// shares reports whether evidence may keep parts of the result.
func (r *reader) shares() bool { return len(r.view.Result) <= maxShared }

func optional(s string) field {
	if s == "" {
		return field{}
	}
	return field{String, s}
}

// read returns the value that cd judges. Nothing of the View moves to the heap:
// hence a returned datum and not one to fill in.
func (r *reader) read(c *Compiled, cd *cond) datum {
	f := r.find(c, cd)
	d := datum{kind: f.kind, text: f.text, share: cd.hop != hopField || r.shares()}
	switch {
	case cd.hop == hopIteration:
		if d.i = int64(r.view.Iteration); 0 <= d.i && d.i < 100 {
			d.text = strconv.Itoa(int(d.i)) // a constant
		}
	case cd.hop != hopField:
		d.plain = true
	case f.kind == Null:
		d.text = "null"
	case f.kind == Bool:
		if d.text = "false"; f.text[0] == 't' {
			d.text = "true"
		}
	case f.kind == Number:
		n := parseNumber(f.text)
		d.form, d.i, d.f = n.form, n.i, n.f
	case f.kind == String:
		d.plain = isPlain(f.text)
	}
	return d
}

// Holds reports whether every condition holds for v. It is Evaluate without
// the evidence, stops at the first condition that fails, and allocates nothing.
func (c *Compiled) Holds(v *View) bool {
	r := reader{view: v}
	var d datum
	for _, fields := range [...]bool{false, true} { // what the View itself holds is cheap, and comes first
		for i := range c.conds {
			cd := &c.conds[i]
			if (cd.hop == hopField) != fields {
				continue
			}
			if cd.first {
				d = r.read(c, cd)
			}
			if !cd.holds(&d) {
				return false
			}
		}
	}
	return true
}

// Evaluate judges every condition on v, also after one has failed, and returns
// the evidence, which keeps no long result or message of v alive.
func (c *Compiled) Evaluate(v *View) Verdict {
	r := reader{view: v}
	evidence := make([]Evidence, len(c.conds))
	verdict := Verdict{Passed: true, Conditions: evidence}
	var texts strings.Builder // of all summaries, so that they cost one allocation
	var d datum
	for i := range c.conds {
		cd := &c.conds[i]
		e := &evidence[i]
		e.Cond = &cd.Cond
		if cd.first {
			d = r.read(c, cd)
			if !d.copied() {
				e.Actual = d.text
			} else {
				if texts.Cap() == 0 {
					texts.Grow(r.copiedSize(c, i))
				}
				e.Actual = d.summary(&texts)
			}
		} else {
			e.Actual = evidence[i-1].Actual
		}
		e.Kind = d.kind
		e.Passed = cd.holds(&d)
		if !e.Passed {
			verdict.Passed = false
			if cd.scale != nil && d.kind != Missing {
				_, ok := cd.scale.of(&d)
				e.OffScale = !ok
			}
		}
	}
	return verdict
}

// holds reports whether c holds for d.
func (c *cond) holds(d *datum) bool {
	switch c.test {
	case testEqual:
		return d.equal(&c.one) == c.want
	case testMember:
		for i := range c.many {
			if d.equal(&c.many[i]) {
				return c.want
			}
		}
		return !c.want
	}
	n, ok := c.order(d)
	return ok && (n == 0 && c.orEqual || n != 0 && (n > 0) == c.want)
}

// order compares d with the threshold, if the two have an order.
func (c *cond) order(d *datum) (n int, ok bool) {
	switch {
	case d.kind != c.one.kind:
		return 0, false
	case d.kind == Number:
		return d.number().compare(c.one.num), true
	case c.scale == nil:
		return d.compareText(c.one.text), true
	}
	rank, ok := c.scale.of(d)
	return rank - c.one.rank, ok
}

func (d *datum) equal(t *threshold) bool {
	if d.kind != t.kind {
		return false
	}
	switch d.kind {
	case Null:
		return true
	case Number:
		return d.number().compare(t.num) == 0
	case String:
		return d.plain && d.text == t.text || !d.plain && compareText(d.text, t.text) == 0
	}
	return d.text == t.text
}

func (d *datum) compareText(t string) int {
	if d.plain {
		return order(d.text < t, d.text != t)
	}
	return compareText(d.text, t)
}
