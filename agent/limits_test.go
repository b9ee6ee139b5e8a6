package agent_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/score"
	"github.com/spoorhq/spoor/tool"
)

// An eager model calls one tool for ever, as long as tools are offered, and
// then says what it has.
type eager struct {
	call  string // "rate {}"
	times int    // in one reply; 0 is once
	usage model.Usage
	name  string
	asked *int
}

func (m eager) Call(_ context.Context, r *model.Request, _ func(model.Delta)) (model.Reply, error) {
	if m.asked != nil {
		*m.asked++
	}
	reply := act("say this is what I have")
	if len(r.Tools) > 0 {
		reply = act(slices.Repeat([]string{m.call}, max(m.times, 1))...)
	}
	reply.Usage, reply.Model = m.usage, m.name
	return reply, nil
}

var thousand = model.Usage{Input: 900, Output: 100}

// TestLimits is every limit, reached by a model that calls a tool for ever: the
// last call that it allows offers no tools, so that the turn has an answer, and
// says which limit it was.
func TestLimits(t *testing.T) {
	prices := []spoor.Price{{Model: "large", Input: 10, Output: 50, Cached: 1, Written: 12}, {Model: "large-lite", Input: 1, Output: 1}}
	for _, test := range []struct {
		name   string
		most   int
		limits spoor.Limits
		model  eager
		limit  spoor.Limit
		asked  int // model calls
		ran    int // tool calls
		answer bool
	}{
		{"model calls", 3, spoor.Limits{}, eager{}, spoor.LimitModelCalls, 3, 2, true},
		{"one model call", 1, spoor.Limits{}, eager{}, "", 1, 0, true}, // which used no tools: nothing was cut
		{"tool calls", 50, spoor.Limits{ToolCalls: 4}, eager{}, spoor.LimitToolCalls, 5, 4, true},
		{"tool calls within a batch", 50, spoor.Limits{ToolCalls: 4}, eager{times: 3}, spoor.LimitToolCalls, 3, 4, true},
		{"tokens", 50, spoor.Limits{Tokens: 5000}, eager{usage: thousand}, spoor.LimitTokens, 5, 4, true},
		{"tokens that are gone at once", 50, spoor.Limits{Tokens: 500}, eager{usage: thousand}, spoor.LimitTokens, 1, 0, false},
		{"tokens of a model that counts none", 4, spoor.Limits{Tokens: 500}, eager{}, spoor.LimitModelCalls, 4, 3, true},
		// 900 × 10 + 100 × 50 = 14,000 millionths a call: 0.014
		{"cost", 50, spoor.Limits{Cost: 0.05, Prices: prices}, eager{usage: thousand, name: "large-2026"}, spoor.LimitCost, 3, 2, true},
		// 0.001 a call, by the longer name
		{"cost of the longest name", 50, spoor.Limits{Cost: 0.01, Prices: prices}, eager{usage: thousand, name: "large-lite-2"}, spoor.LimitCost, 10, 9, true},
		// 100 × 10 + 700 × 1 + 100 × 12 + 100 × 50 = 7,900 millionths
		{"cost with a cache", 50, spoor.Limits{Cost: 0.0316, Prices: prices}, eager{usage: model.Usage{Input: 900, Output: 100, Cached: 700, Written: 100}, name: "large"}, spoor.LimitCost, 4, 3, true},
		{"a model without a price", 50, spoor.Limits{Cost: 1, Prices: prices}, eager{usage: thousand, name: "small"}, spoor.LimitPrice, 1, 0, false},
		{"a model without a name", 50, spoor.Limits{Cost: 1, Prices: prices}, eager{usage: thousand}, spoor.LimitPrice, 1, 0, false},
		{"prices without a limit", 3, spoor.Limits{Prices: prices}, eager{usage: thousand, name: "small"}, spoor.LimitModelCalls, 3, 2, true},
		{"the usage of a liar", 50, spoor.Limits{Tokens: 1 << 20}, eager{usage: model.Usage{Input: math.MaxInt, Output: math.MaxInt}}, spoor.LimitTokens, 1, 0, false},
		{"a usage below nothing", 4, spoor.Limits{Tokens: 1000}, eager{usage: model.Usage{Input: -1000, Output: math.MinInt}}, spoor.LimitModelCalls, 4, 3, true},
		// all 900 from the cache: 900 × 1 + 100 × 50 = 5,900 millionths
		{"more from the cache than there was", 50, spoor.Limits{Cost: 0.05, Prices: prices}, eager{usage: model.Usage{Input: 900, Output: 100, Cached: math.MaxInt, Written: math.MaxInt}, name: "large"}, spoor.LimitCost, 8, 7, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			asked, ran := 0, 0
			m := test.model
			m.call, m.asked = "rate {}", &asked
			a := newAgent(t, agent.Config{
				Model: m, MaxIterations: test.most, Limits: test.limits, Store: &recording.Folder{Dir: t.TempDir()},
				Tools: []tool.Tool{does("rate", func(context.Context, string) (string, error) { ran++; return "{}", nil })},
			})
			run, err := a.Run(t.Context(), "refund")
			if err != nil {
				t.Fatal(err)
			}
			sound(t, run)
			if run.Limit != test.limit || run.Limited != (test.limit != "") {
				t.Errorf("the limit is %q, limited %v; want %q", run.Limit, run.Limited, test.limit)
			}
			if asked != test.asked || ran != test.ran {
				t.Errorf("%d model calls and %d tool calls, want %d and %d", asked, ran, test.asked, test.ran)
			}
			if (run.Answer == "this is what I have") != test.answer {
				t.Errorf("the answer is %q", run.Answer)
			}
			last := bodies[*event.Called](run.Recording)
			if c := last[len(last)-1]; test.answer && c.Limit != test.limit && test.limit != "" {
				t.Errorf("the last call was made under the limit %q", c.Limit)
			}
		})
	}
}

// TestWhatTheLastCallIsTold is one note, so that the model answers with what it
// has; and a model that calls on is answered, and called no more.
func TestWhatTheLastCallIsTold(t *testing.T) {
	stubborn := modelFunc(func(context.Context, *model.Request) (model.Reply, error) {
		return act("say one moment", "rate {}"), nil
	})
	ran := 0
	run, err := newAgent(t, agent.Config{Model: stubborn, Limits: spoor.Limits{ToolCalls: 2}, Tools: []tool.Tool{
		does("rate", func(context.Context, string) (string, error) { ran++; return "{}", nil }),
	}}).Run(t.Context(), "refund")
	if err != nil || run.Limit != spoor.LimitToolCalls || ran != 2 || run.Answer != "one moment" {
		t.Fatal(run, err, ran)
	}
	sound(t, run)
	if d := cmp.Diff([]string{"This is the last call of this turn, and no tools are offered. Answer with what you have."}, told(run.Recording, model.Note)); d != "" {
		t.Error(d)
	}
	if got := answers(run.Recording); got[2] != "i3.1 invalid: This call was not made: the turn may make no further model call." {
		t.Error(got)
	}
}

// TestTime holds that a turn ends in its time, whatever hangs: three quarters
// of it are for the work, and the last one is for the answer.
func TestTime(t *testing.T) {
	for _, test := range []struct {
		name   string
		tool   time.Duration // of one call
		model  time.Duration
		batch  int
		took   time.Duration
		answer string
		stop   bool
		told   string // what the last call was answered
		ran    int64
	}{
		{"nothing hangs", 0, 0, 1, 0, "this is what I have", false, "i9.1: {}", 9},
		{"tools that take their time", 4 * time.Second, 0, 1, 7500 * time.Millisecond, "this is what I have", false, "i2.1 failure: The tool gave no answer before the time of the turn ran short.", 2},
		{"a tool that hangs", time.Hour, 0, 1, 7500 * time.Millisecond, "this is what I have", false, "i1.1 failure: The tool gave no answer before the time of the turn ran short.", 1},
		{"a tool that hangs, and two more", time.Hour, 0, 3, 7500 * time.Millisecond, "this is what I have", false, "i1.3 invalid: This call was not made: the turn has no time left for tools. Answer with what you have.", 1},
		{"a model that hangs", 0, time.Hour, 1, 10 * time.Second, "", true, "", 0},
		{"a model that takes its time", 0, 3 * time.Second, 1, 9 * time.Second, "this is what I have", false, "i2.1: {}", 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var ran atomic.Int64 // a tool that was given up may run on
				slow := does("rate", func(ctx context.Context, _ string) (string, error) {
					ran.Add(1)
					select {
					case <-time.After(test.tool):
						return "{}", nil
					case <-ctx.Done():
						return "", ctx.Err()
					}
				})
				m := modelFunc(func(ctx context.Context, r *model.Request) (model.Reply, error) {
					if err := wait(ctx, test.model); err != nil {
						return model.Reply{}, err
					}
					return eager{call: "rate {}", times: test.batch}.Call(ctx, r, nil)
				})
				a := newAgent(t, agent.Config{Model: m, Tools: []tool.Tool{slow}, Limits: spoor.Limits{Time: 10 * time.Second}})
				begun := time.Now()
				run, err := a.Run(t.Context(), "refund")
				if got := time.Since(begun); got != test.took {
					t.Errorf("it took %v, not %v", got, test.took)
				}
				sound(t, run)
				if errors.Is(err, agent.ErrStopped) != test.stop || run.Answer != test.answer {
					t.Errorf("answer %q, %v", run.Answer, err)
				}
				if test.took > 0 && (run.Limit != spoor.LimitTime || !run.Limited) {
					t.Errorf("the limit is %q", run.Limit)
				}
				if test.stop && !strings.Contains(err.Error(), "the turn has used all of its time") {
					t.Error(err)
				}
				if got := answers(run.Recording); test.told != "" && (len(got) == 0 || got[len(got)-1] != test.told) {
					t.Errorf("the calls were answered\n%s\nwant at the end\n%s", strings.Join(got, "\n"), test.told)
				}
				if got := ran.Load(); got != test.ran {
					t.Errorf("the tool ran %d times, not %d", got, test.ran)
				}
			})
		})
	}
}

// wait waits for a while, or until ctx is done.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TestTimeOfAScorer holds that a scorer which hangs leaves time for the answer.
func TestTimeOfAScorer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := judge(func(ctx context.Context, _ score.Query) ([]score.Score, error) { return nil, wait(ctx, time.Hour) })
		a := newAgent(t, agent.Config{
			Map: read(t, classifiedBy("judge")), Model: talk{}, Tools: []tool.Tool{}, Scorers: map[string]score.Scorer{"judge": hangs}, Limits: spoor.Limits{Time: 10 * time.Second},
		})
		begun := time.Now()
		run, err := a.Run(t.Context(), "hello")
		if took := time.Since(begun); err != nil || run.Answer == "" || took != 7500*time.Millisecond {
			t.Errorf("%v after %v, answer %q", err, took, run.Answer)
		}
		sound(t, run)
	})
}

// TestTimeWhileAPersonIsAsked holds that the time of a turn does not run while
// it waits for a person: what is left is what was left.
func TestTimeWhileAPersonIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &recording.Folder{Dir: t.TempDir()}
		a := newAgent(t, agent.Config{
			Store: store, Limits: spoor.Limits{Time: 10 * time.Second}, Model: acts{{"rate {}", "rate {}"}, {"rate {}"}, {"rate {}"}},
			Tools: []tool.Tool{does("rate", func(ctx context.Context, _ string) (string, error) {
				if err := wait(ctx, 2*time.Second); err != nil {
					return "", err
				}
				if said, ok := tool.Answer(ctx); ok {
					return said, nil
				}
				return "", &tool.Question{Text: "May I?"}
			})},
		})
		run, err := a.Run(t.Context(), "refund") // 4 s: two calls that ask
		if err != nil || run.Question == nil {
			t.Fatal(run, err)
		}
		for i := 0; run.Question != nil; i++ {
			time.Sleep(24 * time.Hour)
			rec, err := recording.Open(run.Recording.Path)
			if err != nil {
				t.Fatal(err)
			}
			if run, err = a.Resume(t.Context(), rec, &agent.Answer{Text: fmt.Sprint("yes ", i)}); err != nil {
				t.Fatal(err)
			}
		}
		sound(t, run)
		want := []string{
			"i1.1: yes 0", // until 6 s
			"i1.2 failure: The tool gave no answer before the time of the turn ran short.", // at 7.5 s
		}
		if d := cmp.Diff(want, answers(run.Recording)); d != "" || run.Limit != spoor.LimitTime || run.Answer != "done" {
			t.Errorf("limit %q, answer %q: %s", run.Limit, run.Answer, d)
		}
	})
}

// TestTimeAfterACrash holds the same of the time between a crash and the
// process that takes over.
func TestTimeAfterACrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := does("rate", func(ctx context.Context, _ string) (string, error) { return "{}", wait(ctx, 2*time.Second) })
		slow.Repeatable = true
		a := newAgent(t, agent.Config{Store: &recording.Folder{Dir: t.TempDir()}, Limits: spoor.Limits{Time: 10 * time.Second}, Model: talk{"rate {}"}, Tools: []tool.Tool{slow}})
		run, err := a.Run(t.Context(), "refund")
		if err != nil {
			t.Fatal(err)
		}
		whole, err := os.ReadFile(run.Recording.Path)
		if err != nil {
			t.Fatal(err)
		}
		at := strings.Index(string(whole), `"kind":"sent"`)
		at += strings.Index(string(whole[at:]), "\n") + 1
		if err := os.WriteFile(run.Recording.Path, whole[:at], 0o600); err != nil {
			t.Fatal(err)
		}
		time.Sleep(24 * time.Hour)
		if run, err = a.Resume(t.Context(), run.Recording, nil); err != nil || run.Limited || run.Answer != "It was {}" {
			t.Fatal(run, err)
		}
		sound(t, run)
	})
}

const toAndFro = `
skills: [{id: a, description: One side.}, {id: b, description: The other side.}, {id: c, description: A way out.}]
start: {use: a}
steps: [{from: a, to: b}, {from: b, to: a}, {from: b, to: c}]
`

// TestPingPong holds that a model which goes to and fro between two skills is
// stopped at the limit, and not before.
func TestPingPong(t *testing.T) {
	fro := acts{{`read_skill {"id":"b"}`}, {`read_skill {"id":"a"}`}, {`read_skill {"id":"b"}`}, {`read_skill {"id":"a"}`}, {`read_skill {"id":"b"}`}, {`read_skill {"id":"c"}`}}
	for limit, want := range map[int]string{0: "a b a b a b c", 2: "a b a", 4: "a b a b a", 5: "a b a b a b"} {
		a := newAgent(t, agent.Config{Map: read(t, toAndFro), Model: fro, Tools: []tool.Tool{}, Limits: spoor.Limits{PingPong: limit}})
		run, err := a.Run(t.Context(), "hello")
		if err != nil || run.Answer != "done" {
			t.Fatal(run, err)
		}
		sound(t, run)
		if got := strings.Join(run.Recording.Entry().Skills, " "); got != want || (run.Limit == spoor.LimitPingPong) != (limit > 0) {
			t.Errorf("%d: it walked %s, limit %q; want %s", limit, got, run.Limit, want)
		}
	}
}

// TestRefusals holds that a model which reads what it cannot reach is stopped
// after so many refusals in a row; a move in between forgets them.
func TestRefusals(t *testing.T) {
	bad, good := `read_skill {"id":"c"}`, `read_skill {"id":"b"}`
	for _, test := range []struct {
		limit   int
		acts    acts
		calls   int
		reached spoor.Limit
	}{
		{0, acts{{bad}, {bad}, {bad}, {bad}, {bad}}, 6, ""},
		{3, acts{{bad}, {bad}, {bad}, {bad}, {bad}}, 4, spoor.LimitRefusals},
		{3, acts{{bad, bad, bad, bad}, {bad}}, 2, spoor.LimitRefusals},
		{3, acts{{bad}, {bad}, {good}, {`read_skill {"id":"x"}`}, {`read_skill {`}}, 6, ""},
	} {
		a := newAgent(t, agent.Config{Map: read(t, toAndFro), Model: test.acts, Tools: []tool.Tool{}, Limits: spoor.Limits{Refusals: test.limit}})
		run, err := a.Run(t.Context(), "hello")
		if err != nil || run.Answer != "done" {
			t.Fatal(run, err)
		}
		sound(t, run)
		if calls := len(bodies[*event.Called](run.Recording)); calls != test.calls || run.Limit != test.reached {
			t.Errorf("%d of %v: %d model calls, limit %q", test.limit, test.acts, calls, run.Limit)
		}
	}
}

// TestLimitsOfTheNextTurn begin anew.
func TestLimitsOfTheNextTurn(t *testing.T) {
	a := newAgent(t, agent.Config{Model: eager{call: "rate {}", usage: thousand}, Limits: spoor.Limits{Tokens: 5000, ToolCalls: 3}, Continuity: spoor.ContinueConversation})
	run, err := a.Run(t.Context(), "refund")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if run, err = a.Reply(t.Context(), run.Recording, "refund"); err != nil || run.Limit != spoor.LimitToolCalls {
			t.Fatal(run.Limit, err)
		}
	}
	sound(t, run)
	if n := len(returned(run.Recording)); n != 12 {
		t.Errorf("%d tool calls in four turns of three", n)
	}
}
