package agent_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/score"
	"github.com/spoorhq/spoor/tool"
)

// house is a map in which one skill leads on to another by the model's choice.
const house = `
skills:
  - {id: hall, description: Where all begin., body: You are in the hall.}
  - {id: cellar, description: Down the stairs., body: You are in the cellar., tools: [dig]}
scopeTools: true
start: {rules: [{use: hall, match: {keywords: [hello]}}]}
steps: [{from: hall, to: cellar}, {from: cellar, to: hall}]
`

func houseConfig(t *testing.T, c agent.Config) agent.Config {
	c.Map, c.Tools, c.Store, c.Log = read(t, house), []tool.Tool{says("dig", "gold")}, &recording.Folder{Dir: t.TempDir()}, quiet
	c.Injections = spoor.Injections{Skills: []spoor.AgentSkill{{Skill: spoor.Skill{ID: "help", Description: "How this works.", Body: "Ask."}}}}
	return c
}

// TestContinuity holds where the next turn of a conversation begins: where the
// last one ended, with what the model had opened, its body and its tools; or,
// without continuity, nowhere.
func TestContinuity(t *testing.T) {
	for how, want := range map[spoor.Continuity]struct{ system, offered, start string }{
		spoor.ContinueConversation: {"You are in the cellar. Ask.", "read_skill dig", "continuity"},
		spoor.ContinueTurn:         {"", "read_skill", "none"},
	} {
		var system, offered []string
		m := modelFunc(func(ctx context.Context, r *model.Request) (model.Reply, error) {
			system, offered = nil, nil
			for _, p := range r.Parts {
				if p.Role == model.System && p.Kind == model.Text {
					system = append(system, p.Data)
				}
			}
			for _, o := range r.Tools {
				offered = append(offered, o.Name)
			}
			if message(r) == "hello" {
				return acts{{`read_skill {"id":"cellar"}`, `read_skill {"id":"help"}`}}.Call(ctx, r, nil)
			}
			return act("say gone on"), nil
		})
		c := houseConfig(t, agent.Config{Model: m, Continuity: how})
		run, err := newAgent(t, c).Run(t.Context(), "hello")
		if err != nil {
			t.Fatal(err)
		}
		if got := run.Recording.Entry().Skills; !slices.Equal(got, []string{"hall", "cellar"}) {
			t.Fatalf("%s: it walked %v", how, got)
		}
		rec, err := recording.Open(run.Recording.Path)
		if err != nil {
			t.Fatal(err)
		}
		c.Map = read(t, house)
		if run, err = newAgent(t, c).Reply(t.Context(), rec, "go on"); err != nil || run.Answer != "gone on" {
			t.Fatal(run, err)
		}
		sound(t, run)
		if got := strings.Join(system, " "); got != want.system {
			t.Errorf("%s: the second turn was told %q, want %q", how, got, want.system)
		}
		if got := strings.Join(offered, " "); got != want.offered {
			t.Errorf("%s: the second turn was offered %s, want %s", how, got, want.offered)
		}
		evaluated := bodies[*event.Evaluated](run.Recording)
		if by := string(evaluated[len(evaluated)-1].Move.By); !strings.HasPrefix(by, want.start) {
			t.Errorf("%s: the second turn began by %s, want %s", how, by, want.start)
		}
		started := bodies[*event.Started](run.Recording)[1]
		if got := started.Cursor; got != map[spoor.Continuity]string{spoor.ContinueConversation: "cellar"}[how] {
			t.Errorf("%s: the second turn has the cursor %q", how, got)
		}
	}
}

// TestASkillThatIsGone holds that a conversation goes on, with the reason on
// record, after the map has lost the skill where it stood.
func TestASkillThatIsGone(t *testing.T) {
	c := houseConfig(t, agent.Config{Model: acts{{`read_skill {"id":"cellar"}`}}, Continuity: spoor.ContinueConversation})
	run, err := newAgent(t, c).Run(t.Context(), "hello")
	if err != nil {
		t.Fatal(err)
	}
	c.Map, c.Tools, c.Model = read(t, "skills: [{id: hall, description: All of it.}]\nstart: {use: hall}\n"), []tool.Tool{}, acts{}
	if run, err = newAgent(t, c).Reply(t.Context(), run.Recording, "go on"); err != nil {
		t.Fatal(err)
	}
	sound(t, run)
	if list := bodies[*event.TurnRouted](run.Recording); list[len(list)-1].Dropped != "cellar" {
		t.Errorf("%+v", list[len(list)-1])
	}
}

// TestAMenuWithStay is a conversation under guard: where two skills are too
// close to call, and neither is where it stands, the model may choose from a
// menu or stay; and a menu that it chose from is closed.
func TestAMenuWithStay(t *testing.T) {
	const shop = `
skills: [{id: a, description: The first., body: In a.}, {id: b, description: The second., body: In b.}, {id: c, description: The third., body: In c.}]
start:
  classify: judge
  rules:
    - {use: a, match: {intent: "the first", examples: [one]}}
    - {use: b, match: {intent: "the second", examples: [two]}}
    - {use: c, match: {intent: "the third", examples: [three]}}
steps: [{from: a, to: b}, {from: a, to: c}, {from: b, to: c}]
`
	scores := map[string][3]float64{"begin": {1, 0, 0}, "unsure": {0, 1, 1}}
	j := judge(func(_ context.Context, q score.Query) (list []score.Score, err error) {
		for i, c := range q.Candidates {
			list = append(list, score.Score{ID: c.ID, Score: scores[q.Message][i]})
		}
		return list, nil
	})
	for _, test := range []struct {
		acts     acts
		walked   string
		rejected int
	}{
		{acts{{`say I stay`}}, "a", 0},
		{acts{{`read_skill {"id":"b"}`}}, "a b", 0},
		{acts{{`read_skill {"id":"b"}`}, {`read_skill {"id":"c"}`}}, "a b", 1},
		{acts{{`read_skill {"id":"a"}`}, {`read_skill {"id":"c"}`}}, "a c", 0}, // where it stands is a stay, which chooses nothing
	} {
		m := modelFunc(func(ctx context.Context, r *model.Request) (model.Reply, error) {
			if message(r) == "begin" {
				return act("say begun"), nil
			}
			return test.acts.Call(ctx, r, nil)
		})
		c := agent.Config{
			Map: read(t, shop), Tools: []tool.Tool{}, Model: m, Scorers: map[string]score.Scorer{"judge": j},
			Posture: spoor.PostureGuard, Continuity: spoor.ContinueConversation, Store: &recording.Folder{Dir: t.TempDir()},
		}
		a := newAgent(t, c)
		run, err := a.Run(t.Context(), "begin")
		if err != nil {
			t.Fatal(err)
		}
		if run, err = a.Reply(t.Context(), run.Recording, "unsure"); err != nil {
			t.Fatal(err)
		}
		sound(t, run)
		routed := bodies[*event.TurnRouted](run.Recording)[1]
		if routed.By != spoor.ByMenu || !routed.Stay || !slices.Equal(routed.Offered, []string{"b", "c"}) {
			t.Errorf("%v: it was routed %+v", test.acts, routed)
		}
		if got := strings.Join(run.Recording.Entry().Skills, " "); got != test.walked || len(bodies[*event.Rejected](run.Recording)) != test.rejected {
			t.Errorf("%v: it walked %s, %d reads were rejected; want %s and %d", test.acts, got, len(bodies[*event.Rejected](run.Recording)), test.walked, test.rejected)
		}
		menu := strings.Join(told(run.Recording, model.Menu), "\n")
		if !strings.Contains(menu, "or stay in \"a\" by going on:") || !strings.Contains(menu, "\n- b") {
			t.Errorf("the menu was\n%s", menu)
		}
	}
}

// TestTwoTurnsAtOnce holds that of two turns on one conversation the second is
// refused, with a sentence, whatever it is; and that the first is unharmed.
func TestTwoTurnsAtOnce(t *testing.T) {
	for name, store := range map[string]*recording.Folder{"in memory": nil, "on disk": {Dir: t.TempDir()}} {
		t.Run(name, func(t *testing.T) {
			inside, goOn := make(chan bool), make(chan bool)
			m := modelFunc(func(_ context.Context, r *model.Request) (model.Reply, error) {
				if message(r) == "slow" {
					inside <- true
					<-goOn
				}
				return act("say done"), nil
			})
			a, other := newAgent(t, agent.Config{Model: m, Store: store}), newAgent(t, agent.Config{Model: m, Store: store})
			begun, err := a.Run(t.Context(), "refund")
			if err != nil {
				t.Fatal(err)
			}
			rec := begun.Recording
			var wg sync.WaitGroup
			var run *agent.Run
			wg.Go(func() {
				var err error
				if run, err = a.Reply(t.Context(), rec, "slow"); err != nil {
					t.Error(err)
				}
			})
			<-inside
			want := "is being written by another turn; wait for its end"
			if store == nil {
				want = "agent: run " + rec.Run + " " + want
			}
			for _, b := range []*agent.Agent{a, other} {
				if _, err := b.Reply(t.Context(), rec, "quick"); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("a second turn: %v", err)
				}
				if _, err := b.Resume(t.Context(), rec, nil); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("a resume: %v", err)
				}
				if _, err := b.Resume(t.Context(), rec, &agent.Answer{Text: "yes"}); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("an answer: %v", err)
				}
			}
			close(goOn)
			wg.Wait()
			sound(t, run)
			if run.Recording.Entry().Turns != 2 || run.Answer != "done" {
				t.Errorf("%+v", run.Recording.Entry())
			}
			if next, err := other.Reply(t.Context(), run.Recording, "quick"); err != nil || next.Recording.Entry().Turns != 3 {
				t.Errorf("the turn after it: %v", err)
			}
		})
	}
}

// TestARaceForAConversation holds that of many turns that begin at once some
// get through, one after the other, and each of the others is refused.
func TestARaceForAConversation(t *testing.T) {
	for name, store := range map[string]*recording.Folder{"in memory": nil, "on disk": {Dir: t.TempDir()}} {
		t.Run(name, func(t *testing.T) {
			a := newAgent(t, agent.Config{Store: store})
			run, err := a.Run(t.Context(), "refund")
			if err != nil {
				t.Fatal(err)
			}
			rec := run.Recording
			var wg sync.WaitGroup
			var mu sync.Mutex
			through := 1
			for range 8 {
				wg.Go(func() {
					_, err := a.Reply(t.Context(), rec, "refund")
					mu.Lock()
					defer mu.Unlock()
					if err == nil {
						through++
					} else if !strings.Contains(err.Error(), "is being written by another turn") {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if store != nil {
				if rec, err = recording.Open(rec.Path); err != nil {
					t.Fatal(err)
				}
				verify(t, rec.Path)
			}
			if got := rec.Entry().Turns; got != through || through < 2 {
				t.Errorf("%d turns are on record, and %d came through", got, through)
			}
		})
	}
}

// TestManyRunsAtOnce are walked by one agent, with a tool that asks a person, a
// scorer and a forced choice in each, and none is mixed with another.
func TestManyRunsAtOnce(t *testing.T) {
	c := agent.Config{
		Map: read(t, classifiedBy("llm")), Store: &recording.Folder{Dir: t.TempDir()},
		Model: modelFunc(func(ctx context.Context, r *model.Request) (model.Reply, error) {
			if r.Purpose == model.Classify {
				return act(`choose {"id":"billing"}`), nil
			}
			return talk{"pay {}"}.Call(ctx, r, func(model.Delta) {})
		}),
		Tools: []tool.Tool{does("pay", func(ctx context.Context, _ string) (string, error) {
			if said, ok := tool.Answer(ctx); ok {
				return said, nil
			}
			return "", &tool.Question{Text: "May I?"}
		})},
	}
	a := newAgent(t, c)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			said := strings.Repeat("x", i)
			run, err := a.Run(t.Context(), "my bill")
			if err != nil || run.Question == nil {
				t.Error(run, err)
				return
			}
			if run, err = a.Resume(t.Context(), run.Recording, &agent.Answer{Text: said}); err != nil || run.Answer != "It was "+said {
				t.Error(run, err)
				return
			}
			sound(t, run)
		})
	}
	wg.Wait()
	if list, err := c.Store.List(); err != nil || len(list) != 16 || cmp.Equal(list[0].Run, list[1].Run) {
		t.Error(list, err)
	}
}
