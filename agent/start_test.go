package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/score"
	"github.com/spoorhq/spoor/tool"
)

// Two skills of a desk, and nothing else: each test says where a turn starts.
const twoSkills = `
skills:
  - {id: billing, description: Invoices and refunds., body: Look at the bill.}
  - {id: parcels, description: Where a parcel is., body: Look at the tracking.}
`

const (
	byRules    = twoSkills + "start: {rules: [{use: billing, match: {keywords: [refund]}}, {use: parcels}]}\n"
	byModel    = twoSkills + "start: {entries: [billing, parcels]}\n"
	byScorer   = twoSkills + "start: {entries: [billing, parcels], scoredBy: judge}\n"
	byKeyword  = twoSkills + "start: {entries: [billing, parcels], scoredBy: keyword}\n"
	byNothing  = twoSkills + "steps: [{from: billing, to: parcels}]\n"
	byTree     = twoSkills + "tree: {when: userMessage.contains('bill'), whenTrue: {skill: billing}, whenFalse: {skill: parcels}}\n"
	onlyUncond = twoSkills + "start: {classify: keyword, rules: [{use: billing}, {use: parcels}]}\n"
	intents    = twoSkills + `start:
  classify: %s
  rules:
    - {use: billing, match: {intent: the customer asks about a bill, examples: [my invoice is wrong]}}
    - {use: parcels, match: {intent: the customer waits for a parcel, examples: [where is my parcel]}}
`
)

func classifiedBy(name string) string { return fmt.Sprintf(intents, name) }

// TestWhatNeverStarts is every combination of a map and a Config that no turn
// could start on, or in which something would never be used: New refuses it,
// and says where and why. An empty want is a combination that works.
func TestWhatNeverStarts(t *testing.T) {
	m := acts{}
	for _, test := range []struct {
		name string
		m    string
		c    agent.Config
		want string
	}{
		{"rules, under every posture", byRules, agent.Config{Posture: spoor.PostureRails}, ""},
		{"the model reads the entries, free", byModel, agent.Config{}, ""},
		{"the model reads the entries, under guard", byModel, agent.Config{Posture: spoor.PostureGuard}, ""},
		{"the model reads the entries, under rails", byModel, agent.Config{Posture: spoor.PostureRails},
			"agent.posture: unsupported: under rails the model moves nothing, and on this map a turn starts where the model reads to (write guard, or start by rules)"},
		{"a scorer reads them, under rails", byKeyword, agent.Config{Posture: spoor.PostureRails}, ""},
		{"no entry at all, under guard", byNothing, agent.Config{Posture: spoor.PostureGuard, Check: agent.CheckOff},
			"agent.posture: unsupported: under guard no turn can start on this map, which has no entry (declare where a turn starts)"},
		{"no entry at all, under rails", byNothing, agent.Config{Posture: spoor.PostureRails, Check: agent.CheckOff},
			"agent.posture: unsupported: under rails no turn can start on this map, which has no entry (declare where a turn starts)"},
		{"skills alone, under guard", twoSkills, agent.Config{Posture: spoor.PostureGuard}, ""},
		{"a tree, under rails", byTree, agent.Config{Posture: spoor.PostureRails}, ""},
		{"a classifier that only ever opens a menu, under rails", onlyUncond, agent.Config{Posture: spoor.PostureRails},
			"agent.posture: unsupported: under rails nobody chooses from a menu, and no rule of this map has a condition or an intent, so that a menu is all it comes to (name a decider, write guard, or give a rule a condition)"},
		{"the same with a decider", onlyUncond, agent.Config{Posture: spoor.PostureRails, Decider: m}, ""},
		{"the same under guard", onlyUncond, agent.Config{Posture: spoor.PostureGuard}, ""},
		{"a conversation on a tree", byTree, agent.Config{Continuity: spoor.ContinueConversation},
			"agent.continuity: unsupported: a tree has no place where a conversation could go on (leave it out; a tree decides in each iteration anew)"},
		{"a decider where no menu opens", byRules, agent.Config{Decider: m},
			"agent.deciderModel: unsupported: no menu opens at the start of a turn on this map, so there is nothing to decide (leave it out, or start by a classifier)"},
		{"a decider beside a scorer of one turn", byKeyword, agent.Config{Decider: m},
			"agent.deciderModel: unsupported: no menu opens at the start of a turn on this map, so there is nothing to decide (leave it out, or start by a classifier)"},
		{"a decider beside a scorer of a conversation", byKeyword, agent.Config{Decider: m, Continuity: spoor.ContinueConversation}, ""},
		{"a classifier where nothing classifies", byRules, agent.Config{Classifier: m},
			"agent.classifierModel: unsupported: no model classifies on this map (leave it out, or write classify: llm)"},
		{"a classifier beside classify: keyword", classifiedBy("keyword"), agent.Config{Classifier: m},
			"agent.classifierModel: unsupported: no model classifies on this map (leave it out, or write classify: llm)"},
		{"classify: llm needs no Classifier", classifiedBy("llm"), agent.Config{}, ""},
		{"a classifier that nobody bound", classifiedBy("judge"), agent.Config{},
			`start.classify: unsupported: nothing here is bound to the classifier "judge" (write keyword or llm, or bind it in Config.Scorers)`},
		{"one that is bound", classifiedBy("judge"), agent.Config{Scorers: map[string]score.Scorer{"judge": score.Keyword}}, ""},
		{"a scorer that nobody bound", byScorer, agent.Config{},
			`start.scoredBy: unsupported: nothing here is bound to the scorer "judge" (write keyword, bind it in Config.Scorers, or leave it out and the model picks an entry)`},
		{"linear", classifiedBy("linear"), agent.Config{},
			`start.classify: unsupported: nothing here is bound to the classifier "linear" (write keyword or llm, or bind it in Config.Scorers)`},
		{"embedding", strings.Replace(byScorer, "judge", "embedding", 1), agent.Config{},
			`start.scoredBy: unsupported: nothing here is bound to the scorer "embedding" (write keyword, bind it in Config.Scorers, or leave it out and the model picks an entry)`},
		{"a skill of the agent that the map has", byRules, agent.Config{Injections: spoor.Injections{Skills: []spoor.AgentSkill{{Skill: spoor.Skill{ID: "billing"}}}}},
			`agent.skills[0].id: duplicate-skill: skill "billing" is declared twice, first as skills[0]`},
		{"a condition of the agent that is none", byRules, agent.Config{Injections: spoor.Injections{Instructions: []spoor.Instruction{{ID: "vat", When: "userMessage ==", Text: "Mind the VAT."}}}},
			"agent.instructions[0].when: bad-condition"},
		{"a skill of the agent with a tool that there is not", byRules, agent.Config{Injections: spoor.Injections{Skills: []spoor.AgentSkill{{Skill: spoor.Skill{ID: "help", Body: "Help.", Tools: []string{"gone"}}}}}},
			`agent.skills[0].tools[0]: unknown-tool: skill "help" lists the tool "gone", which the agent does not have`},
	} {
		c := test.c
		c.Map, c.Model, c.Conditions, c.Log = read(t, test.m), m, cond.CEL, quiet
		_, err := agent.New(c)
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case test.want != "" && (err == nil || !strings.HasPrefix(err.Error(), test.want)):
			t.Errorf("%s:\n got %v\nwant %s", test.name, err, test.want)
		case test.want != "" && strings.Contains(err.Error(), "\n"):
			t.Errorf("%s: more than one problem:\n%v", test.name, err)
		}
	}
}

// TestWordsOfAConfig are the words and numbers of a Config that mean nothing.
// All of them are named at once.
func TestWordsOfAConfig(t *testing.T) {
	for want, c := range map[string]agent.Config{
		`Config.Posture is "rail"; it is assist, guard or rails`:                             {Posture: "rail"},
		`Config.Continuity is "for ever"; it is turn or conversation`:                        {Continuity: "for ever"},
		`Config.Check is "of"; it is throw, warn or off`:                                     {Check: "of"},
		`Config.Sync is "always"; it is effects, or empty`:                                   {Sync: "always"},
		`Config.MaxIterations is -1; it is a count of model calls`:                           {MaxIterations: -1},
		"Config.Limits.ToolCalls is -2; it is a count, or zero for no limit":                 {Limits: spoor.Limits{ToolCalls: -2}},
		"Config.Limits.Tokens is -1; it is a count, or zero for no limit":                    {Limits: spoor.Limits{Tokens: -1}},
		"Config.Limits.PingPong is -3; it is a count, or zero for no limit":                  {Limits: spoor.Limits{PingPong: -3}},
		"Config.Limits.Refusals is -4; it is a count, or zero for no limit":                  {Limits: spoor.Limits{Refusals: -4}},
		"Config.Limits.Time is -1s; it is a time, or zero for no limit":                      {Limits: spoor.Limits{Time: -time.Second}},
		"Config.Limits.Cost is NaN; it is a number, or zero for no limit":                    {Limits: spoor.Limits{Cost: math.NaN()}},
		"Config.Limits.Cost is -1; it is a number, or zero for no limit":                     {Limits: spoor.Limits{Cost: -1}},
		"Config.Limits.Cost is 2, and nothing has a price":                                   {Limits: spoor.Limits{Cost: 2}},
		`Config.Limits.Prices has -1 for "large"; a price is a number from zero`:             {Limits: spoor.Limits{Cost: 2, Prices: []spoor.Price{{Model: "large", Input: -1}}}},
		`Config.Limits.Prices has +Inf for "large"`:                                          {Limits: spoor.Limits{Prices: []spoor.Price{{Model: "large", Output: math.Inf(1)}}}},
		`Config.Scorers binds "keyword", which is a name of spoor's own; bind another`:       {Scorers: map[string]score.Scorer{"keyword": score.Keyword}},
		`Config.Scorers binds "llm", which is a name of spoor's own; bind another`:           {Scorers: map[string]score.Scorer{"llm": score.Keyword}},
		"agent: Config.Posture is \"x\"; it is assist, guard or rails\nConfig.Sync is \"y\"": {Posture: "x", Sync: "y"},
	} {
		c.Map, c.Model = read(t, byRules), acts{}
		if _, err := agent.New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
}

// TestAllThatIsWrong holds that the faults of the map, of what the agent brings
// along, of the posture and of the tools are told at once.
func TestAllThatIsWrong(t *testing.T) {
	m := read(t, byModel)
	m.Skills[0].Tools, m.Skills[1].Model = []string{"gone"}, "large"
	_, err := agent.New(agent.Config{
		Map: m, Model: acts{}, Posture: spoor.PostureRails, Decider: acts{}, Classifier: acts{}, Conditions: cond.CEL, Log: quiet,
		Tools: []tool.Tool{says("", "")},
		Injections: spoor.Injections{
			Skills:       []spoor.AgentSkill{{Skill: spoor.Skill{ID: "parcels"}}, {Skill: spoor.Skill{ID: "help", Model: "small"}}},
			Instructions: []spoor.Instruction{{ID: "vat", Text: "VAT", When: "1 + 1"}, {ID: "vat", Text: "VAT"}},
		},
	})
	var problems spoor.Problems
	if !errors.As(err, &problems) {
		t.Fatal(err)
	}
	var refs []string
	for _, p := range problems {
		refs = append(refs, strings.TrimPrefix(string(p.Ref)+" "+p.Code, " "))
	}
	want := []string{
		"skills[1].model unsupported", "agent.skills[1].model unsupported",
		"agent.posture unsupported", "agent.deciderModel unsupported", "agent.classifierModel unsupported",
		"agent.skills[0].id duplicate-skill", "agent.instructions[0].when bad-condition", "agent.instructions[1].id duplicate-name",
		"bad-tool", "skills[0].tools[0] unknown-tool",
	}
	if d := cmp.Diff(want, refs); d != "" {
		t.Errorf("%s\n%v", d, err)
	}
}

// routed is where a turn on a map starts: the one decision of it.
func routed(t *testing.T, c agent.Config, message string) (*event.TurnRouted, *agent.Run) {
	t.Helper()
	if c.Model == nil {
		c.Model = acts{}
	}
	c.Log = quiet
	a, err := agent.New(c)
	if err != nil {
		t.Fatal(err)
	}
	run, err := a.Run(t.Context(), message)
	if err != nil {
		t.Fatal(err)
	}
	sound(t, run)
	list := bodies[*event.TurnRouted](run.Recording)
	if len(list) != 1 {
		t.Fatalf("%d decisions on where the turn starts: %s", len(list), kinds(run.Recording, 1))
	}
	return list[0], run
}

// start writes a decision in short.
func start(r *event.TurnRouted) string {
	s := string(r.By)
	if r.To != "" {
		s += " " + r.To
	}
	if r.Offered != nil {
		s += fmt.Sprint(" ", r.Offered)
	}
	if r.Error != "" {
		s += ": " + r.Error
	}
	return s
}

// TestClassifyByKeyword starts turns by what their words share with an intent:
// one that fits starts, two that fit as well are a menu, and where nothing fits
// the menu has all entries.
func TestClassifyByKeyword(t *testing.T) {
	for message, want := range map[string]string{
		"my invoice is wrong":                      "intent billing",
		"where is my parcel":                       "intent parcels",
		"the invoice is wrong, where is my parcel": "menu [parcels billing]",
		"good morning":                             "menu [billing parcels]",
	} {
		r, run := routed(t, agent.Config{Map: read(t, classifiedBy("keyword"))}, message)
		if got := start(r); got != want {
			t.Errorf("%s: %s, want %s", message, got, want)
		}
		if to := run.Recording.Entry().Skills; r.To != "" && !cmp.Equal(to, []string{r.To}) {
			t.Errorf("%s: it walked %v", message, to)
		}
	}
}

// A judge is a scorer that is a function.
type judge func(ctx context.Context, q score.Query) ([]score.Score, error)

func (j judge) Traits() score.Traits                                            { return score.Traits{} }
func (j judge) Score(ctx context.Context, q score.Query) ([]score.Score, error) { return j(ctx, q) }

// TestScorers holds that a turn starts whatever its scorer does: one that
// fails, panics, answers nonsense or nothing is on record with the reason, and
// the walk goes on without it.
func TestScorers(t *testing.T) {
	both := func(b, p float64) []score.Score {
		return []score.Score{{ID: "billing", Score: b}, {ID: "parcels", Score: p}}
	}
	for _, test := range []struct {
		name  string
		judge judge
		want  string
	}{
		{"decisive", func(context.Context, score.Query) ([]score.Score, error) { return both(0.1, 0.9), nil }, "intent parcels"},
		{"in another order", func(context.Context, score.Query) ([]score.Score, error) {
			s := both(0.1, 0.9)
			return []score.Score{s[1], s[0]}, nil
		}, "intent parcels"},
		{"too close", func(context.Context, score.Query) ([]score.Score, error) { return both(0.5, 0.5), nil }, "menu [billing parcels]"},
		{"an error", func(context.Context, score.Query) ([]score.Score, error) { return nil, errors.New("no connection") },
			"menu [billing parcels]: score: no connection"},
		{"an error and scores", func(context.Context, score.Query) ([]score.Score, error) { return both(0, 1), errors.New("half") },
			"menu [billing parcels]: score: half"},
		{"a panic", func(context.Context, score.Query) ([]score.Score, error) { panic("nil map") },
			"menu [billing parcels]: score: the scorer panicked: nil map"},
		{"an error that panics", func(context.Context, score.Query) ([]score.Score, error) { return nil, (*badError)(nil) },
			"menu [billing parcels]: score: "},
		{"too few", func(context.Context, score.Query) ([]score.Score, error) { return both(0, 1)[:1], nil },
			"menu [billing parcels]: score: "},
		{"a stranger", func(context.Context, score.Query) ([]score.Score, error) {
			return []score.Score{{ID: "billing"}, {ID: "garden"}}, nil
		}, "menu [billing parcels]: score: "},
		{"no number", func(context.Context, score.Query) ([]score.Score, error) { return both(math.NaN(), 1), nil }, "intent parcels"},
		{"beyond all numbers", func(context.Context, score.Query) ([]score.Score, error) { return both(math.Inf(1), 1), nil }, "intent parcels"},
		{"a flood", func(context.Context, score.Query) ([]score.Score, error) { return make([]score.Score, 100_000), nil },
			"menu [billing parcels]: score: "},
		{"a long error", func(context.Context, score.Query) ([]score.Score, error) {
			return nil, errors.New(strings.Repeat("x", 1<<20))
		}, "menu [billing parcels]: score: xxx"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := agent.Config{Map: read(t, classifiedBy("judge")), Scorers: map[string]score.Scorer{"judge": test.judge}, Store: &recording.Folder{Dir: t.TempDir()}}
			r, run := routed(t, c, "hello")
			if got := start(r); !strings.HasPrefix(got, test.want) || len(got) > 2200 {
				t.Errorf("got  %.300s\nwant %s", got, test.want)
			}
			asked := bodies[*event.Asked](run.Recording)
			if len(asked) != 1 || asked[0].Scorer != "judge" || asked[0].Query.Message != "hello" || r.Scorer != "judge" {
				t.Errorf("asked %+v, by %q", asked, r.Scorer)
			}
			if run.Answer != "done" {
				t.Errorf("the answer is %q", run.Answer)
			}
		})
	}
}

// A badError is an error that cannot even be read.
type badError struct{ text string }

func (e *badError) Error() string { return e.text }

// TestTheFloorOfAScorer holds that what a scorer says of itself is not believed
// either.
func TestTheFloorOfAScorer(t *testing.T) {
	for name, test := range map[string]struct {
		s    odd
		want string
	}{
		"a floor":            {odd{traits: func() score.Traits { return score.Traits{Floor: new(0.95)} }}, "menu [billing parcels]"},
		"no number":          {odd{traits: func() score.Traits { return score.Traits{Floor: new(math.NaN())} }}, "menu [billing parcels]: "},
		"beyond all numbers": {odd{traits: func() score.Traits { return score.Traits{Floor: new(math.Inf(-1))} }}, "menu [billing parcels]: "},
		"a panic":            {odd{traits: func() score.Traits { panic("nil map") }}, "menu [billing parcels]: the scorer panicked: nil map"},
	} {
		t.Run(name, func(t *testing.T) {
			c := agent.Config{Map: read(t, classifiedBy("judge")), Scorers: map[string]score.Scorer{"judge": test.s}, Store: &recording.Folder{Dir: t.TempDir()}}
			r, _ := routed(t, c, "hello")
			if got := start(r); !strings.HasPrefix(got, test.want) {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// odd is a scorer that is sure, and says of itself what it likes.
type odd struct{ traits func() score.Traits }

func (o odd) Traits() score.Traits { return o.traits() }
func (odd) Score(context.Context, score.Query) ([]score.Score, error) {
	return []score.Score{{ID: "billing", Score: 0.1}, {ID: "parcels", Score: 0.9}}, nil
}

// TestAScorerThatHangs holds that nobody waits for a scorer longer than a
// minute, whether it listens to its context or not, and that what it says
// later is lost.
func TestAScorerThatHangs(t *testing.T) {
	for name, hangs := range map[string]judge{
		"listening": func(ctx context.Context, _ score.Query) ([]score.Score, error) { <-ctx.Done(); return nil, ctx.Err() },
		"deaf": func(context.Context, score.Query) ([]score.Score, error) {
			time.Sleep(time.Hour)
			return []score.Score{{ID: "billing", Score: 1}, {ID: "parcels"}}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				r, _ := routed(t, agent.Config{Map: read(t, classifiedBy("judge")), Scorers: map[string]score.Scorer{"judge": hangs}}, "hello")
				if got := time.Since(begun); got != time.Minute {
					t.Errorf("it took %v", got)
				}
				if got := start(r); !strings.HasPrefix(got, "menu [billing parcels]: ") {
					t.Error(got)
				}
				if name == "deaf" && r.Error != `the scorer "judge" gave no answer within 1m0s` {
					t.Error(r.Error)
				}
				time.Sleep(time.Hour) // it answers, and nobody hears it
			})
		})
	}
}

// TestAStopWhileAScorerIsAsked ends the turn at once.
func TestAStopWhileAScorerIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		deaf := judge(func(context.Context, score.Query) ([]score.Score, error) {
			cancel()
			time.Sleep(time.Hour)
			return nil, nil
		})
		a := newAgent(t, agent.Config{Map: read(t, classifiedBy("judge")), Tools: []tool.Tool{}, Scorers: map[string]score.Scorer{"judge": deaf}})
		begun := time.Now()
		run, err := a.Run(ctx, "hello")
		if !errors.Is(err, agent.ErrStopped) || time.Since(begun) != 0 {
			t.Error(err, time.Since(begun))
		}
		sound(t, run)
		time.Sleep(time.Hour) // it answers, and nobody hears it
	})
}

// TestScoredEntries holds that a scorer alone ranks the entries whose condition
// holds, and that the best one starts, however close.
func TestScoredEntries(t *testing.T) {
	for message, want := range map[string]string{
		"invoices and refunds": "entry billing",
		"where is a parcel":    "entry parcels",
		"good morning":         "entry billing", // the first of equals
	} {
		r, _ := routed(t, agent.Config{Map: read(t, byKeyword)}, message)
		if got := start(r); got != want || r.Scores == nil {
			t.Errorf("%s: %s with scores %v, want %s", message, got, r.Scores, want)
		}
	}
}

// TestClassifyByAModel shows the request that a model is asked where the turn
// starts: what it is for, one tool that it must call, and nothing of the
// conversation but the message. Config.Classifier is asked, or else the Model.
func TestClassifyByAModel(t *testing.T) {
	for _, own := range []bool{false, true} {
		var asked []string
		classify := func(by string) modelFunc {
			return func(_ context.Context, r *model.Request) (model.Reply, error) {
				asked = append(asked, by+" "+string(r.Purpose))
				if r.Purpose != model.Classify {
					return act("say done"), nil
				}
				var said []string
				for _, p := range r.Parts {
					said = append(said, string(p.Role)+": "+p.Data)
				}
				want := []string{
					"system: Say which of these the message of the person is about, by calling choose once with its id; none if it is about none of them.\n\n" +
						"- billing: the customer asks about a bill (such as: my invoice is wrong)\n" +
						"- parcels: the customer waits for a parcel (such as: where is my parcel)",
					"user: it is still not here",
				}
				if d := cmp.Diff(want, said); d != "" {
					t.Errorf("it was told (-want +got):\n%s", d)
				}
				if len(r.Tools) != 1 || r.Tools[0].Name != "choose" || r.Choice != "choose" || r.Iteration != 1 ||
					!strings.Contains(r.Tools[0].Schema, `"enum":["billing","parcels","none"]`) {
					t.Errorf("it was offered %+v, and must call %q", r.Tools, r.Choice)
				}
				return act(`choose {"id":"parcels"}`), nil
			}
		}
		c := agent.Config{Map: read(t, classifiedBy("llm")), Model: classify("model"), Store: &recording.Folder{Dir: t.TempDir()}}
		want := []string{"model classify", "model answer"}
		if own {
			c.Classifier, want = classify("classifier"), []string{"classifier classify", "model answer"}
		}
		r, run := routed(t, c, "it is still not here")
		if d := cmp.Diff(want, asked); d != "" || start(r) != "intent parcels" || r.Scorer != "llm" {
			t.Errorf("%s: %s", start(r), d)
		}

		read, err := recording.Open(run.Recording.Path)
		if err != nil {
			t.Fatal(err)
		}
		called := bodies[*event.Called](read)
		var spec model.ToolSpec
		if c := called[0]; c.Purpose != model.Classify || c.Choice == nil || json.Unmarshal([]byte(c.Choice.Data), &spec) != nil || spec.Name != "choose" {
			t.Errorf("the first call is recorded as %+v", called[0])
		}
		parts, _ := read.Request(read.Events[1].Seq)
		if len(parts) != 2 || parts[1].Data != "it is still not here" {
			t.Errorf("its request reads back as %v", parts)
		}
	}
}

// TestTheDecider chooses from the menu that the start leaves. Whatever it says
// or does not say, the turn goes on, and what it was not asked is not said.
func TestTheDecider(t *testing.T) {
	for _, test := range []struct {
		name  string
		reply func() (model.Reply, error)
		want  string
		error string
	}{
		{"picks", func() (model.Reply, error) { return act(`choose {"id":"parcels"}`), nil }, "decider parcels [billing parcels]", ""},
		{"says it in words", func() (model.Reply, error) { return act("say parcels."), nil }, "decider parcels [billing parcels]", ""},
		{"none of them", func() (model.Reply, error) { return act(`choose {"id":"none"}`), nil }, "menu [billing parcels]", ""},
		{"a skill that is not on it", func() (model.Reply, error) { return act(`choose {"id":"garden"}`), nil }, "menu [billing parcels]", "the model chose none of the options"},
		{"broken JSON", func() (model.Reply, error) { return act(`choose {"id":`), nil }, "menu [billing parcels]", "the model chose none of the options"},
		{"another tool", func() (model.Reply, error) { return act(`refund {"id":"parcels"}`), nil }, "menu [billing parcels]", "the model chose none of the options"},
		{"two hundred calls", func() (model.Reply, error) {
			return act(strings.Split(strings.Repeat(`choose {"id":"parcels"}`+"\n", 200), "\n")...), nil
		}, "menu [billing parcels]", "asked for 201 calls at once"},
		{"nothing", func() (model.Reply, error) { return model.Reply{}, nil }, "menu [billing parcels]", "the model chose none of the options"},
		{"fails", func() (model.Reply, error) { return model.Reply{}, errors.New("overloaded") }, "menu [billing parcels]", "overloaded"},
		{"panics", func() (model.Reply, error) { panic("nil map") }, "menu [billing parcels]", "the model panicked: nil map"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := agent.Config{
				Map: read(t, classifiedBy("keyword")), Store: &recording.Folder{Dir: t.TempDir()},
				Decider: modelFunc(func(_ context.Context, r *model.Request) (model.Reply, error) {
					if r.Purpose != model.Decide || r.Choice != "choose" {
						t.Errorf("the decider was asked for %s, with the choice %q", r.Purpose, r.Choice)
					}
					return test.reply()
				}),
			}
			r, run := routed(t, c, "good morning")
			if got := start(r); got != test.want || r.Decider == nil || !strings.Contains(r.Decider.Error, test.error) || (r.Decider.Error == "") != (test.error == "") {
				t.Errorf("%s, decided %+v; want %s", got, r.Decider, test.want)
			}
			if strings.Contains(strings.Join(answers(run.Recording), ""), "choose") {
				t.Errorf("a call to choose was answered: %v", answers(run.Recording))
			}
		})
	}
}

// TestRailsWithoutAChoice holds that under rails a menu that nobody chooses
// from is no menu: the turn runs with the base prompt.
func TestRailsWithoutAChoice(t *testing.T) {
	c := agent.Config{Map: read(t, classifiedBy("keyword")), Posture: spoor.PostureRails, Model: acts{{`read_skill {"id":"billing"}`}}}
	r, run := routed(t, c, "good morning")
	if got := start(r); got != "none [billing parcels]" {
		t.Error(got)
	}
	if got := run.Recording.Entry().Skills; len(got) > 0 {
		t.Errorf("it walked %v", got)
	}
	if got := bodies[*event.Rejected](run.Recording); len(got) != 1 || got[0].Posture != spoor.PostureRails {
		t.Errorf("%+v", got)
	}
}

// TestABudgetOfOne holds that the one model call that a turn has is for its
// answer: no model is asked where it starts.
func TestABudgetOfOne(t *testing.T) {
	for _, m := range []string{classifiedBy("llm"), classifiedBy("keyword")} {
		var asked []model.Purpose
		ask := modelFunc(func(_ context.Context, r *model.Request) (model.Reply, error) {
			asked = append(asked, r.Purpose)
			return act("say done"), nil
		})
		c := agent.Config{Map: read(t, m), Model: ask, Decider: ask, MaxIterations: 1}
		r, run := routed(t, c, "good morning")
		if d := cmp.Diff([]model.Purpose{model.Answer}, asked); d != "" || run.Answer != "done" {
			t.Errorf("%s: asked for %v, answer %q", start(r), asked, run.Answer)
		}
		if why := r.Error + r.Decider.Error; !strings.Contains(why, "no model call beside that for the answer") {
			t.Errorf("%s, decided %+v", start(r), r.Decider)
		}
	}
}
