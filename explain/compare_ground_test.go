package explain_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/tool"
)

// A ground is a map, tools and a model in which nothing is left to chance: the
// same ground walks the same way twice. The model looks at every byte that it
// is shown, so whatever differs in a request makes it answer otherwise.
type ground struct {
	system, message string
	max             int
	bodies          []string
	limits          []int             // of the guards
	results         map[string]string // by tool and n
	told            []string          // of the tools
	replies         map[int]string    // what the model says in an iteration, whatever it is asked
	fails           int               // the iteration in which no model answers
	seed            uint64
}

const (
	skillsOf = 4
	toolsOf  = 3
	argsOf   = 3
)

func newGround(rnd *rand.Rand) *ground {
	w := &ground{
		system: "You are a desk.", message: "go " + fmt.Sprint(rnd.IntN(100)), max: 4 + rnd.IntN(6),
		results: map[string]string{}, replies: map[int]string{}, seed: rnd.Uint64(),
	}
	for i := range skillsOf {
		w.bodies = append(w.bodies, fmt.Sprintf("# Skill %d\n\nFirst line %d.\nSecond line %d.\n", i, rnd.IntN(9), rnd.IntN(9)))
		w.limits = append(w.limits, 20+rnd.IntN(60))
	}
	for i := range toolsOf {
		w.told = append(w.told, fmt.Sprintf("Tool number %d.", i))
		for n := range argsOf {
			w.results[fmt.Sprintf("t%d %d", i, n)] = fmt.Sprintf(`{"score":%d,"rows":[{"id":1,"v":%d},{"id":2,"v":%d}],"text":"row %d of %d"}`,
				rnd.IntN(100), rnd.IntN(1000), rnd.IntN(1000), n, i)
		}
	}
	return w
}

// but is the ground with one thing changed.
func (w *ground) but(change func(*ground)) *ground {
	c := *w
	c.bodies, c.limits, c.told = slices.Clone(w.bodies), slices.Clone(w.limits), slices.Clone(w.told)
	c.results, c.replies = map[string]string{}, map[int]string{}
	for k, v := range w.results {
		c.results[k] = v
	}
	for k, v := range w.replies {
		c.replies[k] = v
	}
	change(&c)
	return &c
}

func (w *ground) Call(_ context.Context, req *model.Request, _ func(model.Delta)) (model.Reply, error) {
	if req.Iteration == w.fails {
		return model.Reply{}, errors.New("no model answers")
	}
	if text, ok := w.replies[req.Iteration]; ok {
		return model.Reply{Parts: say(text)}, nil
	}
	h := fnv.New64a()
	fmt.Fprint(h, w.seed)
	for _, p := range req.Parts {
		fmt.Fprint(h, p.Role, p.Kind, p.Data)
	}
	for _, s := range req.Tools {
		fmt.Fprint(h, s.Name, s.Description, s.Schema)
	}
	sum := h.Sum64()
	reply := model.Reply{Usage: model.Usage{Input: int(sum % 100)}}
	var offered []string
	for _, s := range req.Tools {
		if s.Name != "read_skill" {
			offered = append(offered, s.Name)
		}
	}
	if len(offered) == 0 || sum%8 == 0 {
		reply.Parts = say(fmt.Sprintf("Done after %d, with %d.", req.Iteration, sum%1000))
		return reply, nil
	}
	for range 1 + sum%2 {
		sum = sum*6364136223846793005 + 1442695040888963407
		reply.Parts = append(reply.Parts, call(offered[sum>>33%uint64(len(offered))], fmt.Sprintf(`{"n":%d}`, sum>>40%argsOf))...)
	}
	return reply, nil
}

func (w *ground) run(t testing.TB) *recording.Recording {
	t.Helper()
	m := &spoor.Map{Name: "world"}
	for i, body := range w.bodies {
		id := fmt.Sprintf("s%d", i)
		m.Skills = append(m.Skills, spoor.Skill{ID: id, Description: "Skill " + id, Body: body})
		m.Steps = append(m.Steps, spoor.Step{
			From: id, To: fmt.Sprintf("s%d", (i+1)%skillsOf), OnToolReturn: spoor.ToolName(fmt.Sprintf("t%d", i%toolsOf)),
			Guard: guard.Guard{guard.Gte("score", w.limits[i]), guard.Ne("text", "nothing")},
		})
	}
	m.Start.Rules = []spoor.Rule{{Use: "s0", Match: match.Keywords("go")}}
	c := agent.Config{Map: m, Model: w, Conditions: cond.CEL, System: w.system, MaxIterations: w.max}
	for i, told := range w.told {
		name := fmt.Sprintf("t%d", i)
		c.Tools = append(c.Tools, tool.Tool{Name: name, Description: told, Call: func(_ context.Context, args string) (tool.Result, error) {
			var a struct{ N int }
			if err := json.Unmarshal([]byte(args), &a); err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: w.results[fmt.Sprintf("%s %d", name, a.N)]}, nil
		}})
	}
	a, err := agent.New(c)
	if err != nil {
		t.Fatal(err)
	}
	out, err := a.Run(context.Background(), w.message)
	if out == nil {
		t.Fatal(err)
	}
	return out.Recording
}

// firstCall is a call that reached its tool, and what its result is called in
// the world.
func firstCall(r *recording.Recording, skip int) (call, key string) {
	args := map[string]string{}
	for i := range r.Events {
		switch b := r.Events[i].Body.(type) {
		case *event.Replied:
			for _, p := range b.Parts {
				args[p.Call] = p.Data
			}
		case *event.Returned:
			var a struct{ N int }
			_ = json.Unmarshal([]byte(args[b.Call]), &a)
			if skip--; skip < 0 {
				return b.Call, fmt.Sprintf("%s %d", b.Tool, a.N)
			}
		}
	}
	return "", ""
}

// One thing is changed in a world without chance. It is the first difference,
// with its class and place, and all that differs after it is caused by it.
func TestComparePlanted(t *testing.T) {
	found := map[explain.Class]int{}
	for n := range uint64(25) {
		rnd := rand.New(rand.NewPCG(n, 1))
		w := newGround(rnd)
		base := w.run(t)
		skill, tool := rnd.IntN(skillsOf), rnd.IntN(toolsOf)
		_, key := firstCall(base, rnd.IntN(3))
		iteration := 1 + rnd.IntN(3)
		for _, plant := range []struct {
			class  explain.Class
			place  string
			change func(*ground)
		}{
			{explain.ToolResult, "$.score", func(w *ground) {
				w.results[key] = strings.Replace(w.results[key], `"score":`, `"score":1`, 1)
			}},
			{explain.ToolResult, "$.rows[1].v", func(w *ground) {
				w.results[key] = strings.Replace(w.results[key], `"id":2,"v":`, `"id":2,"v":7`, 1)
			}},
			{explain.ToolResult, "$.text", func(w *ground) {
				w.results[key] = strings.Replace(w.results[key], `"text":"row`, `"text":"no row`, 1)
			}},
			{explain.InMap, fmt.Sprintf("skills[%d].body", skill), func(w *ground) { w.bodies[skill] += "Third line.\n" }},
			{explain.InMap, fmt.Sprintf("steps[%d].guard[0]", skill), func(w *ground) { w.limits[skill] += 15 }},
			{explain.ToolSchema, fmt.Sprintf("tools.t%d.description", tool), func(w *ground) { w.told[tool] += " Beware." }},
			{explain.Person, "message", func(w *ground) { w.message += " please" }},
			{explain.Configuration, "system[0]", func(w *ground) { w.system += " Be brief." }},
			{explain.Configuration, "maxIterations", func(w *ground) { w.max++ }},
			{explain.ModelOutput, "", func(w *ground) { w.replies[iteration] = "Something else." }},
			{explain.ModelFailure, "", func(w *ground) { w.fails = iteration }},
		} {
			if key == "" && plant.class == explain.ToolResult {
				continue
			}
			other := w.but(plant.change).run(t)
			c := explain.Compare(base, other)
			if c.First == nil {
				if plant.class != explain.ModelOutput && plant.class != explain.ModelFailure { // the turn may have ended before
					t.Errorf("world %d: %s at %s is no difference", n, plant.class, plant.place)
				}
				continue
			}
			found[plant.class]++
			if c.First.Class != plant.class || plant.place != "" && c.First.Place != plant.place {
				t.Errorf("world %d: the first difference is %s at %s, want %s at %s:\n%s", n, c.First.Class, c.First.Place, plant.class, plant.place, c)
			}
			for _, d := range c.Then {
				if d.Origin != explain.Caused || !cmp.Equal(d.Roots, []int{1}) || d.Class == explain.Walk {
					t.Fatalf("world %d, %s: difference %d is %s with roots %v:\n%s", n, plant.class, d.Number, d.Origin, d.Roots, c)
				}
			}
			mirrored(t, base, other)
		}
	}
	for _, class := range []explain.Class{explain.ToolResult, explain.ModelOutput, explain.ModelFailure} {
		if found[class] < 5 {
			t.Errorf("%s was looked at in %d worlds", class, found[class])
		}
	}
}

// Compare(b, a) is Compare(a, b) with the sides swapped, and a recording does
// not differ from itself.
func mirrored(t testing.TB, a, b *recording.Recording) {
	t.Helper()
	for _, r := range []*recording.Recording{a, b} {
		if c := explain.Compare(r, r); !c.Same && c.NotFound == nil {
			t.Fatalf("a recording differs from itself:\n%s", c)
		}
	}
	there, back := explain.Compare(a, b), explain.Compare(b, a)
	if there.Same != back.Same || (there.First == nil) != (back.First == nil) || len(there.Then) != len(back.Then) {
		t.Fatalf("there:\n%s\nback:\n%s", there, back)
	}
	list := func(c *explain.Comparison) []explain.Difference {
		if c.First == nil {
			return nil
		}
		return append([]explain.Difference{*c.First}, c.Then...)
	}
	x, y := list(there), list(back)
	for i := range x {
		d, e := x[i], y[i]
		d.Text, e.Text = "", ""
		e.A, e.B = e.B, e.A
		e.Changes = slices.Clone(e.Changes)
		for k := range e.Changes {
			c := &e.Changes[k]
			if c.PathB != "" {
				c.Path, c.PathB = c.PathB, c.Path
			}
			c.A, c.B = c.B, c.A
			c.Kind = map[explain.EditKind]explain.EditKind{explain.Added: explain.Removed, explain.Removed: explain.Added, explain.Changed: explain.Changed}[c.Kind]
			c.Words = slices.Clone(c.Words)
			for w := range c.Words {
				c.Words[w].A, c.Words[w].B = c.Words[w].B, c.Words[w].A
			}
		}
		if diff := cmp.Diff(d, e); diff != "" {
			t.Fatalf("difference %d is another one from the other side:\n%s", d.Number, diff)
		}
	}
}

// Two worlds that have nothing to do with each other.
func TestCompareRandomPairs(t *testing.T) {
	for n := range uint64(20) {
		rnd := rand.New(rand.NewPCG(n, 2))
		mirrored(t, newGround(rnd).run(t), newGround(rnd).run(t))
	}
}
