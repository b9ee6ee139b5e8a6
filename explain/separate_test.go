package explain_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/model"
)

// separation is that of runs of the desk: the bad ones have a stale runbook,
// or a risk that is too high.
func separation(t testing.TB, n int, bad func(i int) map[string]string) *explain.Separation {
	t.Helper()
	var s explain.Separator
	for i := range n {
		ask := fmt.Sprintf("I was charged twice for order %d.", i)
		replies := func() (list [][]model.Part) {
			return [][]model.Part{call("lookup_order", fmt.Sprintf(`{"orderId":%d}`, i)), call("assess_risk", `{"orderId":17}`), say("Done.")}
		}
		s.Good(run(t, desk(staleLine), map[string]string{"assess_risk": fmt.Sprintf(`{"riskLevel":"low","score":0.%d}`, 1+i%4)}, ask, replies()...))
		s.Bad(run(t, desk(staleLine), bad(i), ask, replies()...))
	}
	return s.Result()
}

func TestSeparate(t *testing.T) {
	s := separation(t, 8, func(i int) map[string]string {
		return map[string]string{"assess_risk": fmt.Sprintf(`{"riskLevel":"high","score":0.%d}`, 7+i%3)}
	})
	golden(t, "separate.txt", s.String())
	if !s.Separates || s.Evidence != explain.Proxy {
		t.Errorf("got %+v", s)
	}
	var names []string
	for _, f := range s.Groups[0].Features {
		names = append(names, f.Name)
	}
	for _, want := range []string{`assess_risk $.riskLevel = "high"`, "assess_risk $.score ≥ 0.7"} {
		if all := strings.Join(names, "\n"); !strings.Contains(all, want) {
			t.Errorf("%s is not among the best:\n%s", want, all)
		}
	}
}

func TestSeparateNothing(t *testing.T) {
	same := func(i int) map[string]string {
		return map[string]string{"assess_risk": fmt.Sprintf(`{"riskLevel":"low","score":0.%d}`, 1+i%4)}
	}
	if s := separation(t, 4, same); s.NotFound == nil || s.Separates {
		t.Errorf("got %s", s)
	}
	if s := separation(t, 1, same); s.NotFound == nil || s.NotFound.Kind != explain.NotRecorded {
		t.Errorf("got %s", s)
	}
	if s := separation(t, 3, func(int) map[string]string {
		return map[string]string{"assess_risk": `{"riskLevel":"high","score":0.9}`}
	}); s.Separates || len(s.Groups) == 0 {
		t.Errorf("got %s", s)
	} else {
		golden(t, "separate-few.txt", s.String())
	}
}
