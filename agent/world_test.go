package agent_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/score"
	"github.com/spoorhq/spoor/tool"
)

var worlds = flag.Int("worlds", 40, "how many worlds TestRandomWorlds walks")

// A world is everything around an agent, by chance: what models say, what tools
// do and ask, what people answer, when somebody stops the turn, and where its
// file is cut.
type world struct {
	mu   sync.Mutex // a tool that was given up may have drawn
	rand *rand.Rand
}

func (w *world) IntN(n int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rand.IntN(n)
}

func (w *world) of(words ...string) string { return words[w.IntN(len(words))] }

var worldMaps = []string{
	badMap, sorting, toAndFro, counterMap, byNothing, byTree, house,
	strings.Replace(badMap, "classify: llm", "classify: judge", 1),
	twoSkills + "start: {entries: [billing, parcels], scoredBy: judge}\nsteps: [{from: billing, to: parcels, onToolReturn: look}]\n",
	twoSkills + "start: {entries: [billing, parcels]}\nsteps: [{from: billing, to: parcels, onToolStatus: [failure, denied]}]\n",
}

func (w *world) Call(ctx context.Context, r *model.Request, emit func(model.Delta)) (model.Reply, error) {
	switch w.IntN(60) {
	case 0:
		return model.Reply{}, &model.Error{Fault: model.FaultTooLong, Message: "too long"}
	case 1:
		panic("nil map")
	case 2:
		if err := wait(ctx, time.Duration(w.IntN(10_000))*time.Millisecond); err != nil {
			return model.Reply{}, err
		}
	case 3:
		emit(model.Delta{Text: "one mo"})
		emit(model.Delta{Reset: true})
	}
	ids := []string{"triage", "person", "far", "billing", "parcels", "a", "b", "c", "hall", "cellar", "help", "none", "x", ""}
	if r.Choice != "" {
		return act(fmt.Sprintf(`choose {"id":%q}`, w.of(ids...))), nil
	}
	var acts []string
	for range w.IntN(5) {
		switch w.IntN(4) {
		case 0:
			acts = append(acts, fmt.Sprintf(`read_skill {"id":%q}`, w.of(ids...)))
		case 1:
			acts = append(acts, w.of("say yes", "say ", "gone {}", "look [", "pay", "read_skill 7"))
		default:
			acts = append(acts, w.of("look", "pay", "rate", "mail", "sort", "dig", "refund", "odd")+" {}")
		}
	}
	reply := act(acts...)
	reply.Model, reply.Usage = w.of("large", "small", ""), model.Usage{Input: w.IntN(300) - 10, Output: w.IntN(100), Cached: w.IntN(300)}
	return reply, nil
}

func (w *world) tool(name string) tool.Tool {
	return tool.Tool{Name: name, Repeatable: w.IntN(2) == 0, Timeout: time.Duration(w.IntN(3)) * time.Second, Call: func(ctx context.Context, _ string) (tool.Result, error) {
		said, answered := tool.Answer(ctx)
		target := w.of("billing", "parcels", "attic", "person", "a", "b", "c", "x", "")
		switch w.IntN(24) {
		case 0:
			return tool.Result{}, errors.New("no connection")
		case 1:
			panic("nil map")
		case 2:
			runtime.Goexit()
		case 3:
			return tool.Result{}, &tool.ArgumentError{Err: errors.New("no id")}
		case 4, 5, 6:
			return tool.Result{}, &tool.Question{Text: w.of("May I?", "", "Really?")}
		case 7:
			time.Sleep(time.Duration(w.IntN(5)) * time.Second) // deaf: the world may have gone on
			return tool.Result{Text: "{}"}, nil
		case 8:
			return tool.Result{}, wait(ctx, time.Hour)
		case 9:
			return tool.Result{Text: `{"risk":"high","paid":true}`, Effects: []spoor.Effect{propose(target), {Kind: spoor.RequireInstruction, Instruction: w.of("vat", "x"), Lease: spoor.Lease(w.of("next-call", "until-skill-exit", ""))}}}, nil
		case 10:
			return tool.Result{Text: fmt.Sprintf(`{"content":{"paid":true},"status":%q,"effects":[{"kind":"propose-transition","targetSkillId":%q,"reason":"r"}]}`, w.of("success", "denied", "fine"), target)}, nil
		case 11:
			return tool.Result{Text: strings.Repeat("x", w.IntN(20)*100<<10)}, nil // perhaps too much
		case 12:
			return tool.Result{Text: "\xff", More: []model.Part{{Kind: model.Image, Data: "\x00", Media: "image/png"}}}, nil
		}
		if answered {
			return tool.Result{Text: said}, nil
		}
		return tool.Result{Text: w.of("{}", `{"risk":"high"}`, `{"paid":true}`, "[]"), Status: spoor.Status(w.of("", "", "failure", "success"))}, nil
	}}
}

func (w *world) config(t *testing.T) agent.Config {
	some := func(n int) int { return max(0, w.IntN(2*n)-n) } // half of the time none
	c := agent.Config{
		Map: read(t, worldMaps[w.IntN(len(worldMaps))]), Model: w, Conditions: cond.CEL, Log: quiet, Check: agent.CheckOff,
		Store: &recording.Folder{Dir: t.TempDir()}, Text: new(strings.Builder), MaxIterations: 1 + w.IntN(8),
		Posture: spoor.Posture(w.of("", "assist", "guard", "rails")), Continuity: spoor.Continuity(w.of("", "turn", "conversation")),
		Sync: agent.Sync(w.of("", "effects")),
		Limits: spoor.Limits{
			ToolCalls: some(6), Tokens: some(2000), PingPong: some(4), Refusals: some(4), Time: time.Duration(some(20_000)) * time.Millisecond,
			Cost: float64(some(3)) / 1000, Prices: []spoor.Price{{Model: "large", Input: 3, Output: 15}, {Model: "", Input: 1}},
		},
		Injections: spoor.Injections{
			Steering: []string{"Be kind."}, Facts: []spoor.Fact{{ID: "day", Text: "It is Monday."}},
			Instructions: []spoor.Instruction{{ID: "vat", Text: "Mind the VAT.", When: w.of("", "iteration > 1", "toolResults.exists(r, r.status == 'failure')")}},
		},
		Scorers: map[string]score.Scorer{"judge": judge(func(ctx context.Context, q score.Query) (list []score.Score, err error) {
			switch w.IntN(8) {
			case 0:
				return nil, errors.New("no connection")
			case 1:
				panic("nil map")
			case 2:
				return nil, wait(ctx, time.Hour)
			}
			for _, c := range q.Candidates {
				list = append(list, score.Score{ID: c.ID, Score: []float64{0, 0.5, 1, math.NaN()}[w.IntN(4)]})
			}
			return list, nil
		})},
	}
	for _, name := range []string{"look", "pay", "rate", "mail", "sort", "dig", "refund", "odd"} {
		c.Tools = append(c.Tools, w.tool(name))
	}
	if w.IntN(2) == 0 {
		c.Decider = w
	}
	return c
}

// TestRandomWorlds walks conversations in worlds of chance, each turn to its
// end: over questions to people, stops, and crashes that cut the file anywhere.
func TestRandomWorlds(t *testing.T) {
	seed := seedOf(t)
	ended := map[string]int{}
	n := uint64(*worlds)
	if raced {
		n /= 4
	}
	for i := range n {
		synctest.Test(t, func(t *testing.T) {
			w := &world{rand: rand.New(rand.NewPCG(seed, i))}
			a := w.agent(t)
			run, err := a.Run(w.context(t), w.of("hello", "my bill", "unsure"))
			for turns := 1; ; {
				how := w.end(t, run, err)
				ended[how]++
				path := run.Recording.Path
				if w.IntN(3) == 0 {
					cutFile(t, w, path)
				}
				rec, oerr := recording.Open(path)
				if oerr != nil {
					break // not even its first line is left
				}
				var said *agent.Answer
				if rec.Waiting() != nil && w.IntN(5) > 0 {
					said = &agent.Answer{Text: w.of("yes", "no", ""), Declined: w.IntN(4) == 0}
				}
				time.Sleep(time.Duration(w.IntN(60)) * time.Second) // so much later
				next, nerr := a.Resume(w.context(t), rec, said)
				if nerr != nil && next == nil { // there is nothing to go on with
					if strings.Contains(nerr.Error(), "before its turn began") {
						break
					}
					if !strings.Contains(nerr.Error(), "has come to its end") {
						t.Fatalf("world %d: %v\n%s", i, nerr, kinds(rec, 1))
					}
					if turns++; turns > 3 {
						break
					}
					next, nerr = a.Reply(w.context(t), rec, w.of("hello", "go on"))
				}
				run, err = next, nerr
			}
			time.Sleep(2 * time.Hour) // for what was left behind
			if t.Failed() {
				t.Fatalf("world %d of -seed %d: %v\n%s", i, seed, err, kindsOf(run))
			}
		})
	}
	t.Log(ended)
}

func (w *world) agent(t *testing.T) *agent.Agent {
	for {
		a, err := agent.New(w.config(t))
		if err == nil {
			return a
		}
		if _, ok := errors.AsType[spoor.Problems](err); !ok { // what never starts
			t.Fatal(err)
		}
	}
}

// context is one that is done some time, or before it begins, or never.
func (w *world) context(t *testing.T) context.Context {
	if w.IntN(4) > 0 {
		return t.Context()
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(w.IntN(5000))*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

// end holds what a turn came to.
func (w *world) end(t *testing.T, run *agent.Run, err error) string {
	t.Helper()
	switch {
	case run == nil:
		t.Fatal(err)
	case run.Question != nil:
		if err != nil || run.Recording.Waiting() == nil {
			t.Errorf("a question, %v, and the recording waits for %v", err, run.Recording.Waiting())
		}
		if back, err := recording.Open(run.Recording.Path); err != nil || back.Faults != nil || back.Waiting() == nil {
			t.Errorf("its file: %v, %v", back, err)
		}
		return "question"
	case errors.Is(err, agent.ErrModel):
		sound(t, run)
		return "model"
	case errors.Is(err, agent.ErrStopped):
		sound(t, run)
		return "stopped"
	case err != nil:
		t.Error(err)
	}
	sound(t, run)
	if run.Limited {
		return string(run.Limit)
	}
	return "answer"
}

// cutFile leaves of a file what a crash could leave of its last turn.
func cutFile(t *testing.T, w *world, path string) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	from := strings.LastIndex(string(data), `"kind":"started"`)
	if err := os.WriteFile(path, data[:from+w.IntN(len(data)-from)], 0o600); err != nil {
		t.Fatal(err)
	}
}
