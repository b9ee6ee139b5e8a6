package explain_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/score"
)

var mark = regexp.MustCompile(`⟦[^⟧]*⟧`)

// stories are recordings in which every template of a story is told.
func stories(t testing.TB) map[string]*recording.Recording {
	all := each(t)
	all["busy"], all["cut"] = busy(t), appended(t, busy(t).Events[:20])
	all["rare"], all["none"] = rare(t), appended(t, nil)
	for _, id := range []string{"RUN-replayed", "RUN-replayed-assumed-from-9"} {
		all[id] = replayed(t, busy(t), id)
	}
	all["judged"] = judged(t, 200, 10)
	whole := recorded(t, busy(t))
	for id, data := range map[string][]byte{
		"changed": bytes.Replace(whole, []byte("Let me see."), []byte("Let us see."), 1), "damaged": append(bytes.Clone(whole), "{\n{}\n"...),
	} {
		r, err := recording.Read(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		all[id] = r
	}
	return all
}

func appended(t testing.TB, events []event.Event) *recording.Recording {
	t.Helper()
	w := recording.NewWriter(nil, "RUN")
	if err := w.Append(events); err != nil {
		t.Fatal(err)
	}
	return w.Recording()
}

// The templates of a story are those that Templates yields, and no others.
func TestStoriesAreToldInTheirTemplates(t *testing.T) {
	heard := map[string]bool{}
	for name, r := range stories(t) {
		plain, marked := explain.NarrateFull(r), explain.Marked().NarrateFull(r)
		for _, m := range mark.FindAllString(strings.Join(strings.Fields(marked.String()), " "), -1) {
			heard[strings.Trim(m, "⟦⟧")] = true
		}
		for i, l := range marked.Lines {
			if got := mark.ReplaceAllString(l.Text, ""); got != plain.Lines[i].Text {
				t.Errorf("%s: marked, a line tells %q, want %q", name, got, plain.Lines[i].Text)
			}
		}
	}
	want := maps.Collect(explain.Templates())
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if !heard[name] {
			t.Errorf("the template %q is told in none of the stories", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(heard)) {
		if _, ok := want[name]; !ok {
			t.Errorf("the template %q is told in a story, and Templates does not have it", name)
		}
	}
}

// A text of the caller changes that phrase and nothing else, wherever it is
// told, also inside of another.
func TestWordsChangeOnePhrase(t *testing.T) {
	all := stories(t)
	plain, marked := map[string]*explain.Story{}, map[string]*explain.Story{}
	for id, r := range all {
		plain[id], marked[id] = explain.NarrateFull(r), explain.Marked().NarrateFull(r)
	}
	for name, text := range explain.Templates() {
		words, err := explain.NewWords(map[string]string{name: "⟦" + name + "⟧" + text})
		if err != nil {
			t.Fatal(err)
		}
		for id, r := range all {
			s := words.NarrateFull(r)
			for i, l := range s.Lines {
				want := strings.Count(marked[id].Lines[i].Text, "⟦"+name+"⟧")
				if got := strings.Count(l.Text, "⟦"+name+"⟧"); got != want {
					t.Errorf("%q is told %d times in %q, want %d", name, got, l.Text, want)
				}
				l.Text = mark.ReplaceAllString(l.Text, "")
				if l != plain[id].Lines[i] {
					t.Errorf("%q changes more than its phrase: %+v, want %+v", name, l, plain[id].Lines[i])
				}
			}
		}
	}
}

// Values stay values, whatever braces they have, and words are nobody else's.
func TestWordsAreOfOneStory(t *testing.T) {
	r := run(t, desk(staleLine), nil, "Refund {limit} and {message}?", say("{text}"))
	plain := explain.Narrate(r).String()
	var wait sync.WaitGroup
	for n := range 8 {
		wait.Go(func() {
			words, err := explain.NewWords(map[string]string{"message": fmt.Sprintf("%d: {message} {message}", n), "moved": "{move}, {iteration}"})
			if err != nil {
				t.Error(err)
				return
			}
			got := words.Narrate(r).Lines
			if want := fmt.Sprintf(`%d: "Refund {limit} and {message}?" "Refund {limit} and {message}?"`, n); got[0].Text != want {
				t.Errorf("got %q, want %q", got[0].Text, want)
			}
		})
	}
	wait.Wait()
	if got := explain.Narrate(r).String(); got != plain {
		t.Errorf("the words of one story changed another:\n%s", cmp.Diff(plain, got))
	}
	if got := new(explain.Words).Narrate(r).String(); got != plain {
		t.Error("the zero Words are not the package's own")
	}
}

// All that is wrong is told at once, by name.
func TestNewWordsTellsAllFaults(t *testing.T) {
	_, err := explain.NewWords(map[string]string{
		"stay": "blieb in {too}", "mesage": "x", "called": "{parts}{}{tols}", "finished": "{n} {n}", "pick": " \n", "read taken": "of another answer", "\x1b": "x",
	})
	var problems spoor.Problems
	if !errors.As(err, &problems) {
		t.Fatalf("got %v", err)
	}
	want := `"\x1b": unknown-template: no template of a story has this name
"called": unknown-placeholder: this template has no value "" (it has {parts}, {tools})
"called": unknown-placeholder: this template has no value "tols" (did you mean "tools"?)
"finished": unknown-placeholder: this template has no value "n" (it has none)
"mesage": unknown-template: no template of a story has this name (did you mean "message"?)
"pick": empty-template: there is no word in the text (a fact is told in words; leave the name out for those of the package)
"read taken": unknown-template: no template of a story has this name (did you mean "read"?)
"stay": unknown-placeholder: this template has no value "too" (did you mean "to"?)`
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Words are told in one line that drives no terminal, and a phrase keeps its
// distance to what it is told in.
func TestWordsAreOneLine(t *testing.T) {
	words, err := explain.NewWords(map[string]string{"message": "a\x1b[31m\n\tb {message}", "floor": " über {floor}\n", "nowhere": "\u202enirgends"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := words.Narrate(served(t)).Lines[0].Text, "a\uFFFD[31m b \"I was"; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := words.Narrate(served(t)).String(); !strings.Contains(got, "close to call über 0") {
		t.Errorf("got\n%s", got)
	}
}

// rare has what hardly happens: nobody walks a turn like it, and a recording
// may have it.
func rare(t testing.TB) *recording.Recording {
	part := func(kind model.Kind, text string) model.Part { return model.NewPart(model.User, kind, text) }
	call := part(model.Call, "{}")
	call.Call, call.Tool = "i1.1", "look"
	document := part(model.Document, "%PDF")
	document.Media = "application/pdf"
	result := part(model.Result, "ok")
	g, err := event.NewGraph(&spoor.Map{Skills: []spoor.Skill{{ID: "one"}}, Steps: []spoor.Step{{From: "one", To: "one"}}})
	if err != nil {
		t.Fatal(err)
	}
	in, err := g.NewInjections(spoor.Injections{
		Skills: []spoor.AgentSkill{{Skill: spoor.Skill{ID: "two"}}, {Skill: spoor.Skill{ID: "three"}}}, Steering: []string{"a", "b"},
		Facts: []spoor.Fact{{ID: "a", Text: "a"}, {ID: "b", Text: "b"}}, Instructions: []spoor.Instruction{{ID: "a", Text: "a"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	evaluated := func(m spoor.Move) *event.Evaluated { return &event.Evaluated{Move: m} }
	effect := func(lease spoor.Lease, outcome event.EffectOutcome) *event.EffectJudged {
		return &event.EffectJudged{Call: "i1.1", Tool: "look", Effect: spoor.Effect{Kind: spoor.RequireInstruction, Instruction: "a", Lease: lease}, Outcome: outcome}
	}
	bodies := []event.Body{
		&event.Started{Message: part(model.Text, "Hello."), History: []model.Part{part(model.Text, "Hi.")}, Graph: g, Injections: in, MaxIterations: 1, Tools: make([]event.Tool, 1),
			Limits: spoor.Limits{ToolCalls: 1, Tokens: 1, Cost: 2.5, PingPong: 1, Refusals: 1}},
		&event.Started{Limits: spoor.Limits{ToolCalls: 2, PingPong: 2, Refusals: 2}},
		&event.TurnRouted{},
		&event.TurnRouted{TurnRoute: spoor.TurnRoute{Verdict: spoor.Verdict{By: spoor.ByContinuity, To: "one"}}},
		&event.TurnRouted{TurnRoute: spoor.TurnRoute{Verdict: spoor.Verdict{By: spoor.ByEntry, To: "one", Ref: "start.rules[0]"}}},
		&event.TurnRouted{TurnRoute: spoor.TurnRoute{Verdict: spoor.Verdict{By: spoor.ByMenu, Offered: []string{"one"}}, Stay: true}, Decider: &event.Decided{}},
		&event.TurnRouted{TurnRoute: spoor.TurnRoute{Scores: &score.Verdict{Decisive: true, RunnerUp: &score.RunnerUp{ID: "two"}}}, Decider: &event.Decided{Picked: "one"}},
		evaluated(spoor.Move{By: spoor.ByEntry, To: "one", Ref: "start.rules[0]"}),
		evaluated(spoor.Move{By: spoor.ByRoute, From: "one", To: "two", Ref: "steps[0]"}),
		evaluated(spoor.Move{By: spoor.ByPick, To: "one"}),
		evaluated(spoor.Move{By: spoor.ByIntent, To: "one", Ref: "start.rules[0]"}),
		evaluated(spoor.Move{By: spoor.ByContinuity, To: "one"}),
		evaluated(spoor.Move{By: spoor.ByDecider, To: "one"}),
		evaluated(spoor.Move{By: "chance", To: "one"}),
		evaluated(spoor.Move{By: spoor.ByNone, Ref: "tree"}),
		evaluated(spoor.Move{By: spoor.ByNone, Failed: []spoor.Failed{{Ref: "tree.when", Error: "no such key"}}}),
		evaluated(spoor.Move{By: spoor.ByRoute, From: "", To: "two", Ref: "steps[0]"}),
		&event.Evaluated{Move: spoor.Move{By: spoor.ByStay, To: "one"}, Skipped: []event.Skipped{{Ref: "agent.skills[0].when", Reason: event.SkipThrew, Error: "no such key"}},
			Instructions: []event.ActiveInstruction{{ID: "a", Via: spoor.ViaLease, Call: "i1.1", Lease: spoor.UntilSkillExit}}},
		&event.Called{Purpose: "guess"}, &event.Replied{},
		&event.Called{Purpose: model.Answer, Offered: []string{"look"}, Splices: []event.Splice{{Put: []model.Part{part(model.Text, "x")}}}},
		&event.Replied{Model: "small-1", Parts: []model.Part{part(model.Thinking, "so"), call}, Usage: model.Usage{Input: 1, Output: 1}, Stop: model.StopLength,
			Attempts: []model.Attempt{{Error: "busy"}}},
		&event.Sent{Calls: strings.Fields("a b c d e f g h i j k l m")},
		&event.Returned{Call: "i1.1", Tool: "look", Executed: true, Status: spoor.Success, Result: result, More: []model.Part{document}},
		&event.Returned{Call: "i1.1", Tool: "look", Status: spoor.Denied, Result: result},
		effect(spoor.UntilSkillExit, event.EffectAccepted), effect(spoor.NextCall, "put off"),
		&event.Refused{Call: "i1.1", Tool: "look", Reason: event.Lost, Result: result}, &event.Refused{Call: "i1.1", Tool: "look", Reason: event.Cut, Result: result},
		&event.Resumed{}, &event.Resumed{Repeat: []string{"i1.1"}},
		&event.RerouteSuperseded{Call: "i1.1", Source: spoor.ByProposal, VolunteeredID: "one", WonID: "two", By: spoor.ByRoute},
		&event.Late{Error: "too slow"}, &event.Unknown{Name: "sung", Raw: "{}"},
		&event.Evaluated{Move: spoor.Move{By: spoor.ByNone}, Pick: "one", Declined: true},
		&event.Called{Purpose: model.Answer}, &event.Called{Purpose: model.Answer, Last: true}, &event.Called{Purpose: model.Answer, Last: true, Limit: spoor.LimitTokens},
		&event.Replied{Model: "small-1", Parts: []model.Part{call, part(model.Text, "Let me see.")}, Usage: model.Usage{Input: 2, Cached: 1}, Stop: model.StopRefusal},
		&event.Stopped{Reason: "no more"}, &event.Finished{By: event.ByStop, Limited: true, Limit: spoor.LimitTime},
		&event.Finished{By: event.ByError, Error: "it broke"}, &event.Finished{By: event.ByAnswer},
	}
	for _, l := range []spoor.Limit{"", spoor.LimitToolCalls, spoor.LimitTokens, spoor.LimitPrice, spoor.LimitCost, spoor.LimitTime, spoor.LimitPingPong, spoor.LimitRefusals, "patience"} {
		bodies = append(bodies, &event.Finished{By: event.ByAnswer, Limited: true, Limit: l, Answer: []model.Part{part(model.Text, "Done.")}}, &event.Finished{By: event.ByAnswer, Limited: true, Limit: l})
	}
	events := make([]event.Event, len(bodies))
	for i, b := range bodies {
		events[i] = event.Event{Seq: i + 1, Turn: 1, Iteration: 1, Body: b}
	}
	return appended(t, events)
}

// Whatever a text says, a story in it prints in lines that drive no terminal.
func FuzzWords(f *testing.F) {
	f.Add("message", "a {message} {message}", "Hello.")
	f.Add("moved", "{", "{move}")
	f.Add("floor", " \x1b[2J{floor}\u202e\n", "")
	f.Add("turn", "}{turn}{", "\xff")
	f.Fuzz(func(t *testing.T, name, text, message string) {
		words, err := explain.NewWords(map[string]string{name: text})
		if err != nil {
			for _, c := range err.Error() {
				if c < ' ' && c != '\n' || c == 0x7f {
					t.Fatalf("the error prints %q", c)
				}
			}
			return
		}
		r := run(t, desk(staleLine), nil, message, say("Well."))
		for _, c := range words.Narrate(r).String() {
			if c < ' ' && c != '\n' || 0x7f <= c && c < 0xa0 || c == '\u202e' {
				t.Fatalf("it prints %q", c)
			}
		}
	})
}
