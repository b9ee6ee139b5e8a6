// Package guard decides whether a step may be taken, by conditions that are
// data.
//
// A [Guard] is a list of conditions, all of which must hold, over one tool
// result and the place where it arrived. [Compile] refuses what it cannot
// honour, naming every fault at once; the [Compiled] guard answers two ways
// from one list of conditions: [Compiled.Holds] is the quick yes or no, and
// [Compiled.Evaluate] judges every condition and keeps the [Evidence].
//
//	Guard ──Compile──▶ Compiled ──Holds────▶ bool
//	                      ├──────Evaluate──▶ Verdict{Passed, []Evidence}
//	                      └──────Unsatisfiable ▶ reason, if no result can pass
//
// # What a condition reads
//
// Six hop keys read the [View] itself: toolName, result, status, iteration,
// userMessage and currentSkillId. Any other key reads the top-level field of
// that name in the result, parsed as one JSON object; a result that is
// anything else has no fields.
//
// # How values compare
//
// eq, ne, in and notIn compare type and value: 1 is 1.0 and is not "1". The
// ordered operators compare a number with a number and a string with a string,
// and fail on every other pair. A value that is not there fails every operator
// but ne and notIn. An object or a list equals nothing.
//
// A number written without fraction or exponent is an integer of any length;
// every other number is the nearest float64. Both compare by their exact
// value, so that the order is total: 9007199254740993 is greater than
// 9007199254740993.0, which is the float64 9007199254740992.
//
// Strings order by bytes, unless the key has a scale ([Scales]): then the
// ordered operators compare the ranks of its words.
package guard

import (
	"fmt"
	"slices"
)

// An Op is the operator of a condition.
type Op string

// The operators. In and NotIn take a list, the rest one value.
const (
	OpEq    Op = "eq"
	OpNe    Op = "ne"
	OpGt    Op = "gt"
	OpGte   Op = "gte"
	OpLt    Op = "lt"
	OpLte   Op = "lte"
	OpIn    Op = "in"
	OpNotIn Op = "notIn"
)

// Ops returns the operators, in the order in which they are documented.
func Ops() []Op {
	return []Op{OpEq, OpNe, OpGt, OpGte, OpLt, OpLte, OpIn, OpNotIn}
}

// Ordered reports whether op is gt, gte, lt or lte.
func (op Op) Ordered() bool {
	return op == OpGt || op == OpGte || op == OpLt || op == OpLte
}

func (op Op) known() bool { return slices.Contains(Ops(), op) }

// The hop keys read the View itself. Any other key reads a field of the result.
const (
	KeyToolName       = "toolName"
	KeyResult         = "result"
	KeyStatus         = "status"
	KeyIteration      = "iteration"
	KeyUserMessage    = "userMessage"
	KeyCurrentSkillID = "currentSkillId"
)

// HopKeys returns the six keys that read the View itself.
func HopKeys() []string {
	return []string{KeyToolName, KeyResult, KeyStatus, KeyIteration, KeyUserMessage, KeyCurrentSkillID}
}

// IsHopKey reports whether key reads the View itself.
func IsHopKey(key string) bool { return slices.Contains(HopKeys(), key) }

// reservedKeys would choke readers of recordings written in JavaScript.
var reservedKeys = []string{
	"__proto__", "constructor", "prototype", "toString", "valueOf",
	"hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable",
	"__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__",
}

// A Cond is one condition: the value at Key stands in relation Op to Value.
// An empty Op stands for a key that has no operator; Compile refuses it.
type Cond struct {
	Key   string `json:"key"`
	Op    Op     `json:"op"`
	Value Value  `json:"value"`
}

// Eq is the condition that the value at key is v.
func Eq(key string, v any) Cond { return Cond{key, OpEq, Of(v)} }

// Ne is the condition that the value at key is not v; a missing value is not.
func Ne(key string, v any) Cond { return Cond{key, OpNe, Of(v)} }

// Gt is the condition that the value at key is greater than v.
func Gt(key string, v any) Cond { return Cond{key, OpGt, Of(v)} }

// Gte is the condition that the value at key is v or greater.
func Gte(key string, v any) Cond { return Cond{key, OpGte, Of(v)} }

// Lt is the condition that the value at key is less than v.
func Lt(key string, v any) Cond { return Cond{key, OpLt, Of(v)} }

// Lte is the condition that the value at key is v or less.
func Lte(key string, v any) Cond { return Cond{key, OpLte, Of(v)} }

// In is the condition that the value at key is one of vs.
func In(key string, vs ...any) Cond { return Cond{key, OpIn, listOf(vs)} }

// NotIn is the condition that the value at key is none of vs; a missing value
// is none of them.
func NotIn(key string, vs ...any) Cond { return Cond{key, OpNotIn, listOf(vs)} }

// A Guard is a list of conditions, in declared order; all must hold. The
// conditions of one key stand together and an operator occurs once a key, so
// that its JSON is an ordered mapping of keys to operators:
//
//	{"riskLevel": {"in": ["high", "critical"]}, "score": {"gte": 0.7, "lt": 1}}
//
// A Guard is plain data and may be faulty; Compile says how.
type Guard []Cond

// MarshalJSON writes g as the mapping described at Guard. It fails if the
// mapping cannot hold g: conditions of one key apart, an operator twice on a
// key, or a value that is not data.
func (g Guard) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	keys := make(map[string]bool)
	for i := 0; i < len(g); {
		key := g[i].Key
		if keys[key] {
			return nil, fmt.Errorf("guard: the conditions of %q do not stand together", key)
		}
		keys[key] = true
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendQuoted(b, key), ':', '{')
		first := i
		seen := make(map[Op]bool)
		for ; i < len(g) && g[i].Key == key; i++ {
			c := g[i]
			if c.Op == "" && c.Value.kind == Missing && i == first && (i+1 == len(g) || g[i+1].Key != key) {
				continue // a key with no operator: {}
			}
			if seen[c.Op] {
				return nil, fmt.Errorf("guard: operator %q stands twice on %q", c.Op, key)
			}
			seen[c.Op] = true
			if c.Value.kind == Missing {
				return nil, fmt.Errorf("guard: operator %q of %q has no value", c.Op, key)
			}
			v, err := c.Value.MarshalJSON()
			if err != nil {
				return nil, fmt.Errorf("guard: %s of %q: %w", c.Op, key, err)
			}
			if i > first {
				b = append(b, ',')
			}
			b = append(appendQuoted(b, string(c.Op)), ':')
			b = append(b, v...)
		}
		b = append(b, '}')
	}
	return append(b, '}'), nil
}

// UnmarshalJSON reads the mapping described at Guard and keeps its order. What
// the mapping can hold but a guard cannot, such as an unknown operator, a key
// with no operator or a threshold that is an object, is read as it stands and
// left to Compile. A shape that is not a mapping of mappings is an error, as is
// a key or an operator that occurs twice. The result is never nil.
func (g *Guard) UnmarshalJSON(data []byte) error {
	s := string(data)
	if !valid(s) {
		return fmt.Errorf("guard: not JSON")
	}
	out := Guard{}
	keys := make(map[string]bool)
	err := members(s, func(key, ops string) error {
		if keys[key] {
			return fmt.Errorf("guard: key %q stands twice", key)
		}
		keys[key] = true
		first := len(out)
		seen := make(map[string]bool)
		err := members(ops, func(op, value string) error {
			if seen[op] {
				return fmt.Errorf("guard: operator %q stands twice on %q", op, key)
			}
			seen[op] = true
			out = append(out, Cond{key, Op(op), parse(value)})
			return nil
		})
		if err == errNoObject {
			return fmt.Errorf("guard: %q must be a mapping of operators to values, not %s", key, summary(ops))
		}
		if err == nil && len(out) == first {
			out = append(out, Cond{Key: key})
		}
		return err
	})
	if err == errNoObject {
		return fmt.Errorf("guard: a guard must be a mapping of keys to operators, not %s", summary(s))
	}
	if err != nil {
		return err
	}
	*g = out
	return nil
}
