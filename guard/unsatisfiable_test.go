package guard

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// statuses is the closed set, as the caller gives it.
var statuses = []string{"success", "partial", "pending", "failure", "denied", "invalid", "absent"}

func TestUnsatisfiable(t *testing.T) {
	step := Domain{AllStatuses: statuses}
	risk := Scales{"riskLevel": {"low", "medium", "high", "critical"}}
	next := math.Nextafter(1, 2)
	for _, test := range []struct {
		guard  Guard
		domain Domain
		want   string // the reason, "" if some view passes
	}{
		// Fields of a result.
		{Guard{Gt("x", 1), Lt("x", 2)}, step, ""},
		{Guard{Gt("x", 2), Lt("x", 1)}, step, "x > 2 and x < 1 cannot hold together"},
		{Guard{Gt("x", 1), Lte("x", 1)}, step, "x > 1 and x ≤ 1 cannot hold together"},
		{Guard{Gte("x", 1), Lte("x", 1)}, step, ""},
		{Guard{Gte("x", 1), Ne("x", 1), Lte("x", 1)}, step, "x ≥ 1 and x ≠ 1 and x ≤ 1 cannot hold together"},
		{Guard{Eq("x", 5), Ne("y", 5), Gt("y", 1)}, step, ""},
		{Guard{Ne("x", 3), Eq("x", 5), Gt("x", 9)}, step, "x = 5 and x > 9 cannot hold together"},
		{Guard{In("x", 1, 2), NotIn("x", 1, 2.0, 3)}, step, "x in [1, 2] and x not in [1, 2, 3] cannot hold together"},
		{Guard{In("x", 1, "a"), Gt("x", 1)}, step, "x in [1, a] and x > 1 cannot hold together"},
		{Guard{Gt("x", 1), Lt("x", "b")}, step, "x > 1 and x < b cannot hold together"},
		{Guard{Eq("x", "1"), Gte("x", 1)}, step, `x = "1" and x ≥ 1 cannot hold together`},
		{Guard{Ne("x", nil), NotIn("x", true, false, 0, "")}, step, ""},

		// What lies between two values.
		{Guard{Gt("x", 1), Lt("x", next)}, step, "x > 1 and x < 1.0000000000000002 cannot hold together"},
		{Guard{Gt("x", 9007199254740992), Lt("x", 9007199254740994)}, step, ""},
		{Guard{Gt("x", 9007199254740992), Lt("x", 9007199254740993)}, step, "x > 9007199254740992 and x < 9007199254740993 cannot hold together"},
		{Guard{Gt("x", json.Number("99999999999999999999")), Lt("x", json.Number("100000000000000000001"))}, step, ""},
		{Guard{Gt("x", 1e300)}, step, ""},
		{Guard{Lt("x", "")}, step, `x < "" cannot hold`},
		{Guard{Lte("x", "")}, step, ""},
		{Guard{Gt("x", "a"), Lt("x", "b")}, step, ""},
		{Guard{Gt("x", "a"), Lt("x", "a\x00")}, step, `x > a and x < "a\x00" cannot hold together`},
		{Guard{Gt("x", "a"), Lt("x", "a\x00\x00")}, step, ""},
		{Guard{Gt("x", "a"), Ne("x", "a\x00"), Lt("x", "a\x00\x00")}, step, `x > a and x ≠ "a\x00" and x < "a\x00\x00" cannot hold together`},

		// A scale ranks its words.
		{Guard{Gte("riskLevel", "high"), Lte("riskLevel", "medium")}, step,
			"riskLevel ≥ high and riskLevel ≤ medium cannot hold together: the scale is low, medium, high, critical"},
		{Guard{Gt("riskLevel", "low"), Lt("riskLevel", "high")}, step, ""},
		{Guard{Gt("riskLevel", "low"), Ne("riskLevel", "medium"), Lt("riskLevel", "high")}, step,
			"riskLevel > low and riskLevel ≠ medium and riskLevel < high cannot hold together: the scale is low, medium, high, critical"},
		{Guard{Gt("riskLevel", "critical")}, step, "riskLevel > critical cannot hold: the scale is low, medium, high, critical"},
		{Guard{Eq("riskLevel", "huge"), Gte("riskLevel", "low")}, step,
			"riskLevel = huge and riskLevel ≥ low cannot hold together: the scale is low, medium, high, critical"},
		{Guard{Eq("riskLevel", "huge")}, step, ""},

		// The iteration is a whole number from 1.
		{Guard{Gt("iteration", 1), Lt("iteration", 2)}, step, "iteration > 1 and iteration < 2 cannot hold together: iteration is a whole number from 1"},
		{Guard{Gt("iteration", 1), Lte("iteration", 2)}, step, ""},
		{Guard{Lt("iteration", 1)}, step, "iteration < 1 cannot hold: iteration is a whole number from 1"},
		{Guard{Lte("iteration", 1)}, step, ""},
		{Guard{Eq("iteration", 1.5)}, step, "iteration = 1.5 cannot hold: iteration is a whole number from 1"},
		{Guard{Eq("iteration", json.Number("3.0"))}, step, ""},
		{Guard{Gt("iteration", 1.5), Lt("iteration", 2.5), Ne("iteration", 2)}, step,
			"iteration > 1.5 and iteration < 2.5 and iteration ≠ 2 cannot hold together: iteration is a whole number from 1"},
		{Guard{Gt("iteration", 1e300)}, step, ""},
		{Guard{Gte("iteration", "1")}, step, `iteration ≥ "1" cannot hold: iteration is a whole number from 1`},

		// The status is one of a closed set, or missing.
		{Guard{Eq("status", "done")}, step, "status = done cannot hold: a status is one of success, partial, pending, failure, denied, invalid, absent"},
		{Guard{Ne("status", "success")}, step, ""},
		{Guard{NotIn("status", "success", "partial", "pending", "failure", "denied", "invalid", "absent")}, step, ""},
		{Guard{Gte("status", ""), NotIn("status", "success", "partial", "pending", "failure", "denied", "invalid", "absent")}, step,
			"status ≥ \"\" and status not in [success, partial, pending, failure, denied, invalid, absent] cannot hold together: " +
				"a status is one of success, partial, pending, failure, denied, invalid, absent"},
		{Guard{Eq("status", "denied")}, Domain{Statuses: []string{"success", "partial"}, AllStatuses: statuses},
			"status = denied cannot hold: the step is for the status success or partial"},
		{Guard{NotIn("status", "success")}, Domain{Statuses: []string{"success"}}, "status not in [success] cannot hold: the step is for the status success"},
		{Guard{Eq("status", "done")}, Domain{}, ""},

		// Strings.
		{Guard{Eq("toolName", "a")}, Domain{ToolName: "b"}, "toolName = a cannot hold: the step is for the tool b"},
		{Guard{Eq("toolName", "b")}, Domain{ToolName: "b"}, ""},
		{Guard{Eq("userMessage", 5)}, step, "userMessage = 5 cannot hold: userMessage is a string"},
		{Guard{Eq("currentSkillId", "")}, step, ""},
		{Guard{Ne("result", "x"), Lt("result", 3)}, step, "result < 3 cannot hold: result is a string"},
	} {
		c := compile(t, test.guard, risk)
		reason, ok := c.Unsatisfiable(test.domain)
		if reason != test.want || ok != (test.want != "") {
			t.Errorf("%s: %q, %v\nwant %q", test.guard.Caption(), reason, ok, test.want)
		}
	}
}

// TestUnsatisfiableByForce tries every value that could tell the difference, as
// a result that a tool might return.
func TestUnsatisfiableByForce(t *testing.T) {
	thresholds := []any{
		nil, true, false, "", "a", "a\x00", "b", 0, 1, 1.5, 2, math.Nextafter(1, 2), math.Nextafter(2, 0),
		json.Number("9007199254740992.0"), json.Number("9007199254740993"), json.Number("-99999999999999999999"),
	}
	var values []string // JSON
	for _, s := range []string{"", "\x00", "a", "a\x00", "a\x00\x00", "a\x00a", "ab", "b", "b\x00", "z"} {
		b, _ := json.Marshal(s)
		values = append(values, string(b))
	}
	for _, f := range []float64{0, 1, 1.5, 2} {
		for _, g := range []float64{math.Nextafter(f, -9), f, math.Nextafter(f, 9), f + 0.25} {
			values = append(values, strconv.FormatFloat(g, 'g', -1, 64))
		}
	}
	x := math.Nextafter(math.Nextafter(1, 2), 2)
	values = append(values, "null", "true", "false", "[]", strconv.FormatFloat(x, 'g', -1, 64),
		"9007199254740991", "9007199254740992", "9007199254740993", "9007199254740994",
		"-99999999999999999998", "-99999999999999999999", "-100000000000000000000")
	r := rand.New(rand.NewPCG(3, 4))
	pick := func() any { return thresholds[r.IntN(len(thresholds))] }
	never, sometimes := 0, 0
	for range 8000 {
		var g Guard
		for _, i := range r.Perm(8)[:1+r.IntN(4)] {
			switch op := Ops()[i]; op {
			case OpIn, OpNotIn:
				g = append(g, Cond{"x", op, Of([]any{pick(), pick(), pick()})})
			default:
				g = append(g, Cond{"x", op, Of(pick())})
			}
		}
		c, faults := Compile(g, nil)
		if faults != nil {
			continue
		}
		reason, ok := c.Unsatisfiable(Domain{})
		passes := ""
		for _, v := range append(values, "") {
			view := View{Result: `{"x":` + v + `}`}
			if v == "" {
				view.Result = "{}"
			}
			if c.Holds(&view) {
				passes = view.Result
				break
			}
		}
		if ok == (passes != "") {
			t.Fatalf("%s: %v %q, but passes on %q", g.Caption(), ok, reason, passes)
		}
		if ok {
			never++
			// The conditions that the reason names are needed, every one.
			if n := strings.Count(reason, " and ") + 1; n > 1 {
				for drop := range g {
					fewer := append(append(Guard{}, g[:drop]...), g[drop+1:]...)
					if len(fewer) == n-1 {
						if _, still := compile(t, fewer, nil).Unsatisfiable(Domain{}); still {
							t.Fatalf("%s: %q is not smallest", g.Caption(), reason)
						}
					}
				}
			}
		} else {
			sometimes++
		}
	}
	if never < 500 || sometimes < 500 {
		t.Errorf("%d never, %d sometimes: too few to mean anything", never, sometimes)
	}
}
