package guard

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// passing is the first of the values at which all conditions on a key hold; not
// ok if there is none.
func passing(t *testing.T, g Guard, scales Scales, key string, actual any, d Domain) (v Value, ok bool) {
	t.Helper()
	c := compile(t, g, scales)
	near := Value{}
	if actual != nil {
		near = Of(actual)
	}
	for _, v := range Values(key, near, d, c) {
		if holdsAt(c, key, v) {
			return v, true
		}
	}
	return Value{}, false
}

// holdsAt reports whether a guard on one key holds where it has a value.
func holdsAt(c *Compiled, key string, v Value) bool {
	view := View{Result: "{}"}
	text := v.Text()
	switch key {
	case KeyToolName:
		view.ToolName = text
	case KeyStatus:
		view.Status = text
	case KeyIteration:
		view.Iteration = int(parseNumber(text).i)
	case KeyUserMessage:
		view.UserMessage = text
	default:
		if v.Kind() != Missing {
			view.Result = `{"` + key + `":` + string(v.AppendJSON(nil)) + `}`
		}
	}
	return c.Holds(&view)
}

func TestValues(t *testing.T) {
	scales := Scales{"risk": {"low", "medium", "high", "critical"}}
	big := json.Number("9007199254740993")
	for _, test := range []struct {
		guard  Guard
		actual any
		want   string // "none" if there is none
	}{
		{Guard{Gte("x", 0.7)}, 0.65, "0.7"},
		{Guard{Gt("x", 0.7)}, 0.65, "0.71"},
		{Guard{Gt("x", 0.7)}, nil, "0.8"},
		{Guard{Gt("x", 5)}, 3, "6"},
		{Guard{Lt("x", 5)}, 9, "4"},
		{Guard{Lt("x", 5)}, 9.25, "4.99"},
		{Guard{Gt("x", 1), Lt("x", 2)}, 7, "1.9999999999999998"},
		{Guard{Gte("x", 1), Lte("x", 9), Ne("x", 9)}, 12, "8"},
		{Guard{Gt("x", big)}, 1, "9007199254740994"},
		{Guard{Eq("x", big)}, 9007199254740992.0, "9007199254740993"},
		{Guard{In("x", 1, 5, 9)}, 6, "5"},
		{Guard{NotIn("x", 1, 2)}, 1, "0"},
		{Guard{Eq("x", "paid")}, "open", "paid"},
		{Guard{Ne("x", "open")}, "open", `""`},
		{Guard{Eq("x", true)}, false, "true"},
		{Guard{Ne("x", true)}, true, "false"},
		{Guard{Gt("x", "2026-01-01")}, "2025-12-24", "2026-01-02"},
		{Guard{Gt("x", "b")}, "a", "ba"},
		{Guard{Gte("risk", "high")}, "medium", "high"},
		{Guard{Gt("risk", "low"), Ne("risk", "medium")}, "low", "high"},
		{Guard{Lte("risk", "medium")}, "critical", "medium"},
		{Guard{Gte("risk", "high")}, "odd", "high"},
		{Guard{Gt("risk", "critical")}, "low", "none"},
		{Guard{Gt("x", 2), Lt("x", 1)}, 1, "none"},
		{Guard{Eq("status", "denied")}, "success", "denied"},
		{Guard{NotIn("status", "success", "partial")}, "success", "pending"},
		{Guard{Eq("status", "odd")}, "success", "none"},
		{Guard{Gte("iteration", 2.5)}, 2, "3"},
		{Guard{Gt("iteration", 4)}, 2, "5"},
	} {
		v, ok := passing(t, test.guard, scales, test.guard[0].Key, test.actual, Domain{AllStatuses: statuses})
		got := v.String()
		if !ok {
			got = "none"
		}
		if got != test.want {
			t.Errorf("%s, from %v: %s, want %s", test.guard.Caption(), test.actual, got, test.want)
		}
	}
}

// One value can open a guard and shut another, if any value can.
func TestValuesOfTwoGuards(t *testing.T) {
	high, low := compile(t, Guard{Gte("score", 0.9)}, nil), compile(t, Guard{Gte("score", 0.7)}, nil)
	for _, v := range Values("score", Of(0.95), Domain{}, low, high) {
		if holdsAt(low, "score", v) && !holdsAt(high, "score", v) {
			if v.String() != "0.89" {
				t.Errorf("got %s, want 0.89", v)
			}
			return
		}
	}
	t.Error("no value is between")
}

// Some value passes if and only if the guard is satisfiable, whatever is there;
// and no other number that a threshold names is nearer.
func TestValuesByForce(t *testing.T) {
	thresholds := []any{
		nil, true, "", "a", "a\x00", "b", "b9", 0, 1, 1.5, 2, -3, 1e300, math.Nextafter(1, 2), math.Nextafter(2, 0),
		json.Number("9007199254740992.0"), json.Number("9007199254740993"), json.Number("-99999999999999999999"), json.Number("1e-7"),
	}
	r := rand.New(rand.NewPCG(5, 6))
	pick := func() any { return thresholds[r.IntN(len(thresholds))] }
	none, some := 0, 0
	for range 6000 {
		key := []string{"x", "status", "iteration", "userMessage"}[min(3, r.IntN(9)/2)]
		var g Guard
		for _, i := range r.Perm(8)[:1+r.IntN(4)] {
			switch op := Ops()[i]; op {
			case OpIn, OpNotIn:
				g = append(g, Cond{key, op, Of([]any{pick(), pick(), pick()})})
			default:
				g = append(g, Cond{key, op, Of(pick())})
			}
		}
		c, faults := Compile(g, nil)
		if faults != nil {
			continue
		}
		actual := Of(pick())
		var found *Value
		for _, v := range Values(key, actual, Domain{AllStatuses: statuses}, c) {
			if holdsAt(c, key, v) {
				found = &v
				break
			}
		}
		reason, never := c.Unsatisfiable(Domain{AllStatuses: statuses})
		if never != (found == nil) && key != "iteration" { // some iterations are larger than an int

			t.Fatalf("%s: %v %q, but a value is %v", g.Caption(), never, reason, found)
		}
		if found == nil {
			none++
			continue
		}
		some++
		if actual.Kind() != Number || found.Kind() != Number || key != "x" {
			continue
		}
		for _, th := range thresholds {
			v := Of(th)
			if v.Kind() == Number && holdsAt(c, key, v) && slices.ContainsFunc(g, func(c Cond) bool { return c.Value == v }) &&
				actual.far(v, nil).by < actual.far(*found, nil).by {
				t.Fatalf("%s, from %s: %s, but %s is nearer", g.Caption(), actual, found, v)
			}
		}
	}
	if none < 200 || some < 1000 {
		t.Errorf("%d without a value, %d with one: too few to mean anything", none, some)
	}
}
