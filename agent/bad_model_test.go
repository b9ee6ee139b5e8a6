package agent_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/tool"
)

// badMap has all that a model can misuse: a menu at the start, tools in and out
// of scope, steps, bare targets and a skill that can always be read.
const badMap = `
skills:
  - {id: triage, description: Rate a request., body: Call rate., tools: [rate]}
  - {id: person, description: Hand over., body: Say who takes over., tools: [mail]}
  - {id: far, description: Nobody leads here.}
  - {id: farther, description: Far leads here.}
scopeTools: true
start:
  classify: llm
  rules: [{use: triage, match: {intent: a refund, examples: [my money back]}}, {use: person, match: {intent: a person, examples: [get me a human]}}]
steps:
  - {from: triage, to: person, onToolReturn: rate, guard: {risk: {eq: high}}}
  - {from: person, to: triage}
  - {from: farther, to: far}
`

// badly runs a turn with a model that always replies so, whatever it is asked
// for, and holds that it comes to its end within its budget.
func badly(t *testing.T, reply func(r *model.Request) (model.Reply, error)) (*agent.Run, error) {
	t.Helper()
	ran, mailed := 0, 0
	m := modelFunc(func(_ context.Context, r *model.Request) (model.Reply, error) { return reply(r) })
	a := newAgent(t, agent.Config{
		Map: read(t, badMap), Model: m, Decider: m, MaxIterations: 6, Limits: spoor.Limits{ToolCalls: 300}, Log: quiet, Check: agent.CheckOff,
		Store: &recording.Folder{Dir: t.TempDir()},
		Tools: []tool.Tool{
			does("rate", func(context.Context, string) (string, error) { ran++; return `{"risk":"low"}`, nil }),
			does("mail", func(context.Context, string) (string, error) { mailed++; return "sent", nil }),
		},
	})
	run, err := a.Run(t.Context(), "hello")
	if err != nil && !errors.Is(err, agent.ErrModel) {
		t.Fatal(err)
	}
	sound(t, run)
	if ran+mailed > 300 {
		t.Errorf("%d tool calls were made", ran+mailed)
	}
	return run, err
}

// TestBadModels holds that a turn ends in its budget, on record and explained,
// whatever the model does: at the start of the turn, where it is to choose, and
// after it.
func TestBadModels(t *testing.T) {
	say := func(acts ...string) func(*model.Request) (model.Reply, error) {
		return func(*model.Request) (model.Reply, error) { return act(acts...), nil }
	}
	parts := func(parts ...model.Part) func(*model.Request) (model.Reply, error) {
		return func(*model.Request) (model.Reply, error) {
			return model.Reply{Parts: append([]model.Part(nil), parts...)}, nil
		}
	}
	long := strings.Repeat("x", 1<<20)
	for _, test := range []struct {
		name  string
		reply func(*model.Request) (model.Reply, error)
		want  string // of the first answer to a call, or of the error
	}{
		{"nothing", say(), ""},
		{"nothing but space", say("say  \n\t "), ""},
		{"thinking and no answer", parts(model.Part{Kind: model.Thinking, Data: "Hm."}), ""},
		{"an empty answer", parts(model.Part{Kind: model.Text}), ""},
		{"a tool that there is not", say(`refund {"id":17}`), `i1.1 invalid: There is no tool "refund" here`},
		{"a tool with no name", parts(model.Part{Kind: model.Call, Data: "{}"}), `i1.1 invalid: There is no tool "" here`},
		{"a tool with a name of a megabyte", parts(model.Part{Kind: model.Call, Tool: long, Data: "{}"}), `i1.1 invalid: There is no tool "xxx`},
		{"a tool whose name is no text", parts(model.Part{Kind: model.Call, Tool: "ra\xffte\x00\n", Data: "{}"}), `i1.1 invalid: There is no tool "ra`},
		{"a tool of another skill", say("mail {}"), `i1.1 invalid: There is no tool "mail" here`},
		{"the tool that chooses", say(`choose {"id":"triage"}`), `i1.1 invalid: There is no tool "choose" here`},
		{"no choice, in broken JSON", say(`choose {"id":`), `i1.1 invalid: There is no tool "choose" here`},
		{"arguments that are broken JSON", say(`rate {"id":`), ""},
		{"arguments of a megabyte", say(`rate {"id":"` + long + `"}`), ""},
		{"arguments that are no text", say("rate {\"id\":\"\xff\xfe\"}"), ""},
		{"arguments that nest deeply", say(`rate ` + strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000)), ""},
		{"a read of nothing", say("read_skill "), `i1.1: read_skill takes {"id": the name of a skill}.`},
		{"a read in broken JSON", say(`read_skill {"id":`), `i1.1: read_skill takes {"id": the name of a skill}.`},
		{"a read of a list", say(`read_skill ["triage"]`), `i1.1: read_skill takes {"id": the name of a skill}.`},
		{"a read of a number", say(`read_skill {"id":7}`), `i1.1: read_skill takes {"id": the name of a skill}.`},
		{"a read of what there is not", say(`read_skill {"id":"garden"}`), `i1.1: "garden" is not in reach.`},
		{"a read of a long name", say(`read_skill {"id":"` + long[:1<<14] + `"}`), `i1.1: "xxx`},
		{"a read of what is out of reach, for ever", say(`read_skill {"id":"far"}`), `i1.1: "far" is not in reach.`},
		{"a hundred reads at once", say(repeated(100, `read_skill {"id":"far"}`)...), `i1.1: "far" is not in reach.`},
		{"one tool a hundred times, for ever", say(repeated(100, "rate {}")...), ""},
		{"one tool a thousand times at once", say(repeated(1000, "rate {}")...), "the model asked for 1000 calls at once; at most 128 are taken"},
		{"to and fro, for ever", func(r *model.Request) (model.Reply, error) {
			if r.Skill == "person" {
				return act(`read_skill {"id":"triage"}`), nil
			}
			return act(`read_skill {"id":"person"}`), nil
		}, ""},
		{"a part of a kind that there is not", parts(model.Part{Kind: "garbage", Data: "\x00\xff"}), `a part of kind "garbage"`},
		{"a part without a kind", parts(model.Part{Data: "Hello."}), `a part of kind ""`},
		{"a result that it made up", parts(model.Part{Kind: model.Call, Tool: "rate", Call: "i1.1", Data: "{}"}, model.Part{Kind: model.Result, Call: "i1.1", Data: `{"risk":"high"}`}), `a part of kind "result"`},
		{"words of the system", parts(model.Part{Role: model.System, Kind: model.Note, Data: "Obey."}), `a part of kind "note"`},
		{"garbage for text", say("say \x00\xff\xfe\u2028\x1b[2J"), ""},
		{"a thousand parts of nothing", parts(make([]model.Part, 1000)...), `a part of kind ""`},
		{"a hundred thousand empty texts", parts(repeated(100_000, model.Part{Kind: model.Text})...), "the model answered with 100000 parts; at most 1000 are taken"},
		{"nine megabytes", say("say " + strings.Repeat(long, 9)), "the model answered with 9437184 bytes; at most 8388608 are taken"},
		{"an error as long as a book", func(*model.Request) (model.Reply, error) { return model.Reply{}, errors.New(long) }, "xxx"},
		{"an error that is no text", func(*model.Request) (model.Reply, error) { return model.Reply{}, errors.New("\xff") }, "\uFFFD"},
		{"an error that cannot be read", func(*model.Request) (model.Reply, error) { return model.Reply{}, (*badError)(nil) }, "the model panicked: "},
		{"a panic", func(*model.Request) (model.Reply, error) { panic(errors.New("nil map")) }, "the model panicked: nil map"},
		{"words that are the kind of the fault", func(*model.Request) (model.Reply, error) {
			return model.Reply{}, &model.Error{Fault: "\xff", Message: "no", Wire: model.Wire{SHA256: "\xff"}}
		}, "no"},
		{"a name that is no text", func(*model.Request) (model.Reply, error) {
			r := act("say done")
			r.Model, r.Stop, r.Wire.SHA256 = "\xff", "\xff", "\xff"
			r.Attempts = []model.Attempt{{Fault: "\xff", Error: "\xff"}}
			return r, nil
		}, ""},
		{"provider data that is no text", parts(model.Part{Kind: model.Text, Data: "x", Provider: "\xff"}), "provider data that is not UTF-8"},
	} {
		t.Run(test.name, func(t *testing.T) {
			run, err := badly(t, test.reply)
			got := fmt.Sprint(err)
			if err == nil {
				got = strings.Join(answers(run.Recording), "\n")
			}
			if !strings.Contains(got, test.want) {
				t.Errorf("got  %.300s\nwant %s", got, test.want)
			}
			if len(fmt.Sprint(err)) > 3000 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
		})
	}
}

func repeated[T any](n int, one T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = one
	}
	return list
}

// TestATurnThatCallsForEver holds that thousands of calls, one an iteration,
// end with the last that the budget allows.
func TestATurnThatCallsForEver(t *testing.T) {
	ran := 0
	a := newAgent(t, agent.Config{
		Model: eager{call: "rate {}"}, MaxIterations: 1001, Store: &recording.Folder{Dir: t.TempDir()},
		Tools: []tool.Tool{does("rate", func(context.Context, string) (string, error) { ran++; return "{}", nil })},
	})
	run, err := a.Run(t.Context(), "refund")
	if err != nil || ran != 1000 || run.Answer != "this is what I have" || run.Limit != spoor.LimitModelCalls {
		t.Fatal(run, err, ran)
	}
	sound(t, run)
}

// TestRandomModels holds the same of models that do anything at all, in any
// order.
func TestRandomModels(t *testing.T) {
	seed := seedOf(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	words := []string{"rate", "mail", "read_skill", "choose", "", "say", "triage", "person", "far", "none", "\xff", "id", "{}", "null"}
	word := func() string { return words[rng.IntN(len(words))] }
	args := func() string {
		switch rng.IntN(6) {
		case 0:
			return fmt.Sprintf(`{"id":%q}`, word())
		case 1:
			return `{"id":"triage"}`
		case 2:
			return `{"id":"person"}`
		case 3:
			return word()
		case 4:
			return `{"id":` + word()
		}
		return "{}"
	}
	kinds := []model.Kind{model.Call, model.Call, model.Call, model.Call, model.Text, model.Thinking}
	for i := range 150 {
		run, err := badly(t, func(r *model.Request) (model.Reply, error) {
			switch rng.IntN(40) {
			case 0:
				return model.Reply{}, errors.New(word())
			case 1:
				panic(word())
			case 2:
				kinds := []model.Kind{model.Result, model.Note, model.Menu, model.Image, ""}
				return model.Reply{Parts: []model.Part{{Kind: kinds[rng.IntN(len(kinds))]}}}, nil
			}
			var reply model.Reply
			for range rng.IntN(6) {
				p := model.Part{Kind: kinds[rng.IntN(len(kinds))], Tool: word(), Data: args(), Call: word(), Skill: word(), Status: word()}
				reply.Parts = append(reply.Parts, p)
			}
			reply.Usage.Input = rng.IntN(100) - 50
			return reply, nil
		})
		if t.Failed() {
			t.Fatalf("run %d of seed %d: %v\n%s", i, seed, err, kindsOf(run))
		}
	}
}

func kindsOf(run *agent.Run) string { return kinds(run.Recording, 1) }
