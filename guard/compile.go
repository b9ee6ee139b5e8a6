package guard

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spoorhq/spoor/internal/nearest"
)

// maxList bounds the entries of in and notIn.
const maxList = 1000

// A Fault says why a guard cannot be compiled, and what to do.
type Fault struct {
	At      int    // the index of the condition, or -1 for the guard as a whole
	Message string // one sentence: what is wrong, and on which key
	Hint    string // what to do; may be empty
}

// Error returns the message, and the hint in parentheses.
func (f Fault) Error() string { return sentence(f.Message, f.Hint) }

func sentence(message, hint string) string {
	if hint == "" {
		return message
	}
	return message + " (" + hint + ")"
}

// A Compiled guard is ready to judge. It never changes and is safe for
// concurrent use.
type Compiled struct {
	guard Guard
	names names // of the fields of the result that are read
	conds []cond
}

// A cond is a condition in the form in which it is judged.
type cond struct {
	Cond
	first   bool // of the conditions of its key
	hop     hop
	slot    int // the index in Compiled.names
	test    test
	want    bool        // testEqual, testMember: the answer that passes; testOrder: whether greater passes, else less
	orEqual bool        // testOrder: whether equal passes
	one     threshold   // testEqual, testOrder
	many    []threshold // testMember
	scale   scale       // testOrder: the ranks to compare, if any
}

// A test is what the operators have in common.
type test uint8

const (
	testEqual  test = iota // eq, ne
	testMember             // in, notIn
	testOrder              // gt, gte, lt, lte
)

// A threshold is one value to compare with.
type threshold struct {
	kind Kind
	text string
	num  number
	rank int // with a scale
}

// A hop says where a condition finds its value.
type hop uint8

const (
	hopField hop = iota
	hopToolName
	hopResult
	hopStatus
	hopIteration
	hopUserMessage
	hopCurrentSkillID
)

func hopOf(key string) hop { return hop(slices.Index(HopKeys(), key) + 1) }

// Compile returns g ready to judge, or every fault that stops it from being a
// guard, in declared order. Scales may be nil; they are taken to be without
// faults of their own (see [Scales.Faults]), and their words must not be changed
// afterwards. Compile keeps no part of g.
func Compile(g Guard, scales Scales) (*Compiled, []Fault) {
	if len(g) == 0 {
		return nil, []Fault{{-1, "the guard has no conditions", "declare at least one, or leave the guard out"}}
	}
	var faults []Fault
	c := &Compiled{guard: slices.Clone(g), conds: make([]cond, 0, len(g))}
	var fields []string
	keys := keySet{of: g}
	var seen []Op // of the key
	for i, cd := range c.guard {
		fault := func(hint, format string, args ...any) {
			faults = append(faults, Fault{i, display(cd.Key) + ": " + fmt.Sprintf(format, args...), hint})
		}
		first := i == 0 || g[i-1].Key != cd.Key
		if first {
			seen = seen[:0]
			switch {
			case slices.Contains(reservedKeys, cd.Key):
				fault("rename the field", "a guard cannot read this reserved key")
			case !utf8.ValidString(cd.Key):
				fault("", "the key is not UTF-8")
			case keys.before(i):
				fault("move the conditions of one key together", "its conditions do not stand together")
			}
		}
		if cd.Op == "" && cd.Value.kind == Missing {
			fault("operators are "+opList(), "the key has no operator")
			continue
		}
		if !cd.Op.known() {
			fault(nearestOp(cd.Op), "there is no operator %q", string(cd.Op))
			continue
		}
		if slices.Contains(seen, cd.Op) {
			fault("an operator occurs once a key", "the operator %s stands twice", cd.Op)
		} else {
			seen = append(seen, cd.Op)
		}
		out := cond{
			Cond:    cd,
			first:   first,
			hop:     hopOf(cd.Key),
			want:    cd.Op == OpEq || cd.Op == OpIn || cd.Op == OpGt || cd.Op == OpGte,
			orEqual: cd.Op == OpGte || cd.Op == OpLte,
		}
		switch cd.Op {
		case OpEq, OpNe:
			out.test = testEqual
		case OpIn, OpNotIn:
			out.test = testMember
		default:
			out.test = testOrder
		}
		if out.test == testOrder && out.hop == hopField {
			out.scale = scales.of(cd.Key)
		}
		if out.test == testMember {
			out.many = compileList(cd, fault)
		} else {
			out.one = compileOne(cd, out.scale, fault)
		}
		if out.hop == hopField {
			if out.first {
				fields = append(fields, cd.Key)
			}
			out.slot = len(fields) - 1
		}
		c.conds = append(c.conds, out)
	}
	if faults != nil {
		return nil, faults
	}
	c.names = namesOf(fields)
	return c, nil
}

// A faultFunc adds a fault of the condition that is being compiled.
type faultFunc func(hint, format string, args ...any)

// compileOne returns the threshold of every operator but in and notIn.
func compileOne(cd Cond, s scale, fault faultFunc) threshold {
	v := cd.Value
	if what := v.notScalar(); what != "" {
		hint := "a value is a string, a number, a boolean or null"
		if v.kind == List {
			hint = "for one of several values use in or notIn"
		}
		fault(hint, "%s compares with %s", cd.Op, what)
		return threshold{}
	}
	t := newThreshold(v)
	switch {
	case !t.finite():
		fault("write a number that a float64 can hold", "%s compares with %s, which is not finite", cd.Op, summary(v.text))
	case cd.Op.Ordered() && v.kind != String && v.kind != Number:
		fault("what has no order is compared with eq or ne", "%s compares with %s", cd.Op, v)
	case s != nil:
		rank, ok := s.rank(v.text)
		if !ok || v.kind != String {
			fault("its words are "+summary(strings.Join(s, ", ")), "%s compares with %s, which is no word of the scale", cd.Op, v)
		}
		t.rank = rank
	}
	return t
}

// compileList returns the thresholds of in and notIn.
func compileList(cd Cond, fault faultFunc) []threshold {
	const hint = "list strings, numbers, booleans or null"
	if v := cd.Value; v.kind != List {
		what := v.notScalar()
		if what == "" {
			what = v.String()
		}
		fault(hint, "%s compares with %s, where it needs a list", cd.Op, what)
		return nil
	}
	elems := cd.Value.Elems()
	switch n := len(elems); {
	case n == 0:
		fault(hint, "%s has an empty list", cd.Op)
	case n > maxList:
		fault("use a range, or let the tool answer with a flag", "%s has %d entries, and at most %d are allowed", cd.Op, n, maxList)
		return nil
	}
	many := make([]threshold, 0, len(elems))
	for i, v := range elems {
		if what := v.notScalar(); what != "" {
			fault(hint, "entry %d of %s is %s", i+1, cd.Op, what)
			continue
		}
		t := newThreshold(v)
		if !t.finite() {
			fault("write a number that a float64 can hold", "entry %d of %s is %s, which is not finite", i+1, cd.Op, summary(v.text))
		}
		many = append(many, t)
	}
	return many
}

// notScalar returns what v is, if it is not one datum, and else "".
func (v Value) notScalar() string {
	switch v.kind {
	case Missing:
		return "nothing"
	case List:
		return "a list"
	case Other:
		return "an object"
	case Invalid:
		return v.text + ", which is not data"
	}
	return ""
}

func newThreshold(v Value) threshold {
	t := threshold{kind: v.kind, text: v.text}
	if v.kind == Number {
		t.num = parseNumber(v.text)
	}
	return t
}

func (t threshold) finite() bool { return t.kind != Number || t.num.finite() }

// Guard returns the guard that c was compiled from.
func (c *Compiled) Guard() Guard { return slices.Clone(c.guard) }

// Keys returns the fields of the result that c reads, in declared order,
// without the hop keys.
func (c *Compiled) Keys() []string { return slices.Clone(c.names.list) }

func opList() string {
	var names []string
	for _, op := range Ops() {
		names = append(names, string(op))
	}
	return strings.Join(names, ", ")
}

// opAliases are what other languages call the operators.
var opAliases = map[string]Op{
	"=": OpEq, "==": OpEq, "===": OpEq, "equals": OpEq, "is": OpEq,
	"!=": OpNe, "!==": OpNe, "<>": OpNe, "neq": OpNe, "not": OpNe, "≠": OpNe,
	">": OpGt, ">=": OpGte, "≥": OpGte, "ge": OpGte, "min": OpGte,
	"<": OpLt, "<=": OpLte, "≤": OpLte, "le": OpLte, "max": OpLte,
	"oneof": OpIn, "any": OpIn, "nin": OpNotIn, "not_in": OpNotIn, "not in": OpNotIn, "noneof": OpNotIn,
}

// nearestOp returns the hint for an unknown operator.
func nearestOp(op Op) string {
	name := strings.TrimPrefix(strings.ToLower(string(op)), "$")
	best, ok := opAliases[name]
	if !ok {
		best = Op(nearest.Name(name, func(yield func(string) bool) {
			for _, o := range Ops() {
				if !yield(string(o)) {
					return
				}
			}
		}))
	}
	if best == "" {
		return "operators are " + opList()
	}
	return "did you mean " + string(best) + "?"
}

// A keySet tells which keys of a guard stood before.
type keySet struct {
	of    Guard
	index map[string]int // by key, where it stands first; nil for few conditions
}

// before reports whether the key of condition i is that of an earlier one.
func (k *keySet) before(i int) bool {
	const few = 32
	if i < few {
		return slices.ContainsFunc(k.of[:i], func(c Cond) bool { return c.Key == k.of[i].Key })
	}
	if k.index == nil {
		k.index = make(map[string]int, len(k.of))
		for i, c := range k.of {
			if _, there := k.index[c.Key]; !there {
				k.index[c.Key] = i
			}
		}
	}
	return k.index[k.of[i].Key] < i
}
