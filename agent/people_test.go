package agent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/tool"
)

// counterMap is a map with a step that follows from what a person allowed, and
// an open skill that can be read at any time.
const counterMap = `
skills:
  - {id: counter, description: Take refunds., body: Look it up and refund it., tools: [look, refund, mail]}
  - {id: paid, description: Say that it is paid., body: Say when the money comes.}
  - {id: help, description: How this works., body: Ask a person.}
start: {use: counter}
steps: [{from: counter, to: paid, onToolReturn: refund, guard: {paid: {eq: true}}}]
`

// A till is the tools of a counter: refund asks a person, and notes what it
// did. It is in one process what the tools are in many.
type till struct{ did []string }

func (c *till) tools() []tool.Tool {
	note := func(name string) tool.Tool {
		return does(name, func(_ context.Context, args string) (string, error) {
			c.did = append(c.did, name)
			return `{"` + name + `":true}`, nil
		})
	}
	return []tool.Tool{note("look"), does("refund", func(ctx context.Context, args string) (string, error) {
		said, ok := tool.Answer(ctx)
		if !ok {
			c.did = append(c.did, "ask")
			return "", &tool.Question{Text: "May I refund " + args + "?"}
		}
		c.did = append(c.did, "refund: "+said)
		return `{"paid":true}`, nil
	}), note("mail")}
}

func (c *till) config(t *testing.T, store *recording.Folder, acts acts) agent.Config {
	m := read(t, counterMap)
	m.Skills = m.Skills[:2]
	return agent.Config{
		Map: m, Model: acts, Tools: c.tools(), Store: store, Log: quiet, Continuity: spoor.ContinueTurn,
		Injections: spoor.Injections{Skills: []spoor.AgentSkill{{Skill: spoor.Skill{ID: "help", Description: "How this works.", Body: "Ask a person."}}}},
	}
}

var refundFirst = acts{{`refund {"order":17}`, `look {}`, `read_skill {"id":"help"}`, `mail {}`}}

// TestAQuestion is a tool that asks a person: the turn pauses, which is no
// error, when the rest of its batch has run; with the answer the call goes on,
// and then the turn.
func TestAQuestion(t *testing.T) {
	var c till
	a := newAgent(t, c.config(t, nil, refundFirst))
	run, err := a.Run(t.Context(), "my order")
	if err != nil {
		t.Fatal(err)
	}
	want := &agent.Question{Call: "i1.1", Tool: "refund", Args: `{"order":17}`, Text: `May I refund {"order":17}?`}
	if d := cmp.Diff(want, run.Question); d != "" || run.Answer != "" || !run.Recording.Incomplete() {
		t.Fatalf("%s, answer %q", d, run.Answer)
	}
	if w := run.Recording.Waiting(); w == nil || w.Call != "i1.1" || w.Tool != "refund" || w.Text != want.Text || w.By != event.ByTool {
		t.Errorf("the recording waits for %+v", w)
	}
	if d := cmp.Diff([]string{"ask", "look", "mail"}, c.did); d != "" {
		t.Errorf("before the pause: %s", d)
	}

	run, err = a.Resume(t.Context(), run.Recording, &agent.Answer{Text: "yes, gladly"})
	if err != nil || run.Question != nil || run.Answer != "done" {
		t.Fatal(run, err)
	}
	sound(t, run)
	if d := cmp.Diff([]string{"ask", "look", "mail", "refund: yes, gladly"}, c.did); d != "" {
		t.Errorf("at the end: %s", d)
	}
	if d := cmp.Diff([]string{`i1.2: {"look":true}`, `i1.4: {"mail":true}`, `i1.1: {"paid":true}`, `i1.3: "help" is open now; its instructions are in the prompt.`}, answers(run.Recording)); d != "" {
		t.Error(d)
	}
	if got := run.Recording.Entry().Skills; !slices.Equal(got, []string{"counter", "paid"}) {
		t.Errorf("the result of the call that asked led to %v", got)
	}
}

// TestHoursLaterInAnotherProcess does the same with a second agent, which has
// nothing of the first one but the folder, and comes two days later. The time
// of the turn stands still while it waits.
func TestHoursLaterInAnotherProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &recording.Folder{Dir: t.TempDir()}
		var c till
		config := c.config(t, store, refundFirst)
		config.Limits.Time = time.Minute
		first, err := newAgent(t, config).Run(t.Context(), "my order")
		if err != nil || first.Question == nil {
			t.Fatal(first, err)
		}
		before, err := os.ReadFile(first.Recording.Path)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(48 * time.Hour)

		path, err := store.Find("last")
		if err != nil {
			t.Fatal(err)
		}
		rec, err := recording.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		config.Map = read(t, counterMap)
		config.Map.Skills = config.Map.Skills[:2]
		run, err := newAgent(t, config).Resume(t.Context(), rec, &agent.Answer{Text: "yes"})
		if err != nil || run.Answer != "done" || run.Limited {
			t.Fatal(run, err)
		}
		sound(t, run)
		if run.Recording.Run != first.Recording.Run || run.Recording.Entry().Turns != 1 {
			t.Errorf("it is another turn: %+v", run.Recording.Entry())
		}
		after, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(after), string(before)) {
			t.Errorf("what was on record is not as it was: %v", err)
		}
		if d := cmp.Diff([]string{"ask", "look", "mail", "refund: yes"}, c.did); d != "" {
			t.Error(d)
		}
	})
}

// TestASecondQuestion holds that a call may ask as often as it likes: it gets
// the answer to its last question.
func TestASecondQuestion(t *testing.T) {
	var heard []string
	a := newAgent(t, agent.Config{Model: talk{"rate {}"}, Tools: []tool.Tool{does("rate", func(ctx context.Context, _ string) (string, error) {
		said, ok := tool.Answer(ctx)
		heard = append(heard, fmt.Sprint(said, " ", ok))
		switch said {
		case "":
			return "", &tool.Question{Text: "Which order?"}
		case "17":
			return "", fmt.Errorf("it is not that easy: %w", &tool.Question{Text: "Which of its two parcels?"})
		}
		return "it was " + said, nil
	})}})
	run, err := a.Run(t.Context(), "refund")
	if err != nil || run.Question == nil || run.Question.Text != "Which order?" {
		t.Fatal(run, err)
	}
	run, err = a.Resume(t.Context(), run.Recording, &agent.Answer{Text: "17"})
	if err != nil || run.Question == nil || run.Question.Text != "Which of its two parcels?" || run.Question.Call != "i1.1" {
		t.Fatal(run.Question, err)
	}
	run, err = a.Resume(t.Context(), run.Recording, &agent.Answer{Text: "both"})
	if err != nil || run.Answer != "It was it was both" {
		t.Fatal(run, err)
	}
	sound(t, run)
	if d := cmp.Diff([]string{" false", "17 true", "both true"}, heard); d != "" {
		t.Error(d)
	}
}

// TestTwoCallsThatAsk are asked one after the other, in the order of the calls,
// each with an answer of its own.
func TestTwoCallsThatAsk(t *testing.T) {
	store := &recording.Folder{Dir: t.TempDir()}
	var c till
	a := newAgent(t, c.config(t, store, acts{{`refund {"order":17}`, `refund {"order":18}`, `look {}`}}))
	run, err := a.Run(t.Context(), "my orders")
	if err != nil || run.Question == nil || run.Question.Call != "i1.1" {
		t.Fatal(run, err)
	}
	run, err = a.Resume(t.Context(), run.Recording, &agent.Answer{Text: "first"})
	if err != nil || run.Question == nil || run.Question.Call != "i1.2" || run.Question.Text != `May I refund {"order":18}?` {
		t.Fatal(run, err)
	}
	run, err = a.Resume(t.Context(), run.Recording, &agent.Answer{Text: "second"})
	if err != nil || run.Question != nil {
		t.Fatal(run, err)
	}
	sound(t, run)
	if d := cmp.Diff([]string{"ask", "ask", "look", "refund: first", "refund: second"}, c.did); d != "" {
		t.Error(d)
	}
}

// TestDeclined holds that a call which a person declines is not made: the model
// is told so, with the reason if there is one, and no guard sees a result.
func TestDeclined(t *testing.T) {
	for reason, want := range map[string]string{
		"the order is too old": "A person declined this call, so it was not carried out: the order is too old",
		"":                     "A person declined this call, so it was not carried out.",
	} {
		var c till
		a := newAgent(t, c.config(t, nil, acts{{`refund {"order":17}`}}))
		run, err := a.Run(t.Context(), "my order")
		if err != nil {
			t.Fatal(err)
		}
		run, err = a.Resume(t.Context(), run.Recording, &agent.Answer{Text: reason, Declined: true})
		if err != nil || run.Answer != "done" {
			t.Fatal(run, err)
		}
		sound(t, run)
		if d := cmp.Diff([]string{"ask"}, c.did); d != "" {
			t.Errorf("the tool was called: %s", d)
		}
		if d := cmp.Diff([]string{"i1.1 denied: " + want}, answers(run.Recording)); d != "" {
			t.Error(d)
		}
		if got := run.Recording.Entry().Skills; !slices.Equal(got, []string{"counter"}) {
			t.Errorf("it walked %v", got)
		}
	}
}

// TestAWaitingTurn is what else can be asked of a turn that waits: nothing
// changes its file but an answer.
func TestAWaitingTurn(t *testing.T) {
	store := &recording.Folder{Dir: t.TempDir()}
	var c till
	a := newAgent(t, c.config(t, store, refundFirst))
	run, err := a.Run(t.Context(), "my order")
	if err != nil {
		t.Fatal(err)
	}
	path := run.Recording.Path
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	unchanged := func(what string) {
		t.Helper()
		if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
			t.Errorf("%s: the file has %d bytes, and had %d; %v", what, len(after), len(before), err)
		}
	}

	for range 3 {
		again, err := a.Resume(t.Context(), run.Recording, nil)
		if err != nil || cmp.Diff(run.Question, again.Question) != "" {
			t.Errorf("without an answer it asks %+v, %v", again.Question, err)
		}
		unchanged("resumed without an answer")
	}
	_, err = a.Reply(t.Context(), run.Recording, "never mind")
	if want := `waits for an answer to "May I refund {\"order\":17}?"; resume it with one first`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a reply: %v", err)
	}
	unchanged("replied to")

	m := read(t, counterMap)
	m.Skills = m.Skills[:2]
	m.Skills[0].Body += " Please."
	config := c.config(t, store, nil)
	config.Map = m
	if _, err := newAgent(t, config).Resume(t.Context(), run.Recording, &agent.Answer{Text: "yes"}); err == nil || !strings.Contains(err.Error(), "another map") {
		t.Errorf("on another map: %v", err)
	}
	unchanged("resumed on another map")

	if run, err = a.Resume(t.Context(), run.Recording, &agent.Answer{Text: "yes"}); err != nil || run.Answer != "done" {
		t.Fatal(run, err)
	}
	_, err = a.Resume(t.Context(), run.Recording, &agent.Answer{Text: "yes"})
	if err == nil || !strings.Contains(err.Error(), "has come to its end") {
		t.Errorf("an answer behind the end: %v", err)
	}
	sound(t, run)
}

// TestAnAnswerThatNobodyWaitsFor is refused, and the run can go on without it:
// one that a crash cut, and one of which only the last hash was cut off.
func TestAnAnswerThatNobodyWaitsFor(t *testing.T) {
	a := newAgent(t, agent.Config{Store: &recording.Folder{Dir: t.TempDir()}})
	run, err := a.Run(t.Context(), "refund")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(run.Recording.Path)
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []string{`"kind":"sent"`, `"kind":"returned"`, `{"hash":`} {
		at := strings.LastIndex(string(whole), cut)
		at = strings.LastIndex(string(whole[:at]), "\n") + 1
		if cut != `{"hash":` {
			at += strings.Index(string(whole[at:]), "\n") + 1
		}
		if err := os.WriteFile(run.Recording.Path, whole[:at], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Resume(t.Context(), run.Recording, &agent.Answer{Text: "yes"}); err == nil || !strings.Contains(err.Error(), "waits for no answer; resume it without one") {
			t.Errorf("cut behind %s: %v", cut, err)
		}
		if now, _ := os.ReadFile(run.Recording.Path); len(now) != at {
			t.Errorf("cut behind %s: the file has %d bytes, and had %d", cut, len(now), at)
		}
		again, err := a.Resume(t.Context(), run.Recording, nil)
		if err != nil {
			t.Fatal(err)
		}
		sound(t, again)
	}
}

// TestTwoAnswersAtOnce holds that of two people who answer at once one is
// heard, and the call is made once.
func TestTwoAnswersAtOnce(t *testing.T) {
	for name, store := range map[string]*recording.Folder{"in memory": nil, "on disk": {Dir: t.TempDir()}} {
		t.Run(name, func(t *testing.T) {
			var did atomic.Int64
			a := newAgent(t, agent.Config{Store: store, Model: talk{"rate {}"}, Tools: []tool.Tool{does("rate", func(ctx context.Context, _ string) (string, error) {
				if said, ok := tool.Answer(ctx); ok {
					did.Add(1)
					return said, nil
				}
				return "", &tool.Question{Text: "May I?"}
			})}})
			run, err := a.Run(t.Context(), "refund")
			if err != nil {
				t.Fatal(err)
			}
			rec := run.Recording
			var wg sync.WaitGroup
			var heard atomic.Int64
			for range 8 {
				wg.Go(func() {
					switch run, err := a.Resume(t.Context(), rec, &agent.Answer{Text: "yes"}); {
					case err == nil && run.Answer == "It was yes":
						heard.Add(1)
					case err == nil, !strings.Contains(err.Error(), "is being written by another turn") && !strings.Contains(err.Error(), "has come to its end"):
						t.Error(run, err)
					}
				})
			}
			wg.Wait()
			if heard.Load() != 1 || did.Load() != 1 {
				t.Errorf("%d answers were heard, and the call was made %d times", heard.Load(), did.Load())
			}
		})
	}
}

// TestALateQuestion holds that nobody is asked for a call that was given up.
func TestALateQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := does("rate", func(context.Context, string) (string, error) {
			time.Sleep(5 * time.Second)
			return "", &tool.Question{Text: "May I?"}
		})
		slow.Timeout = time.Second
		wait := does("wait", func(context.Context, string) (string, error) { time.Sleep(time.Minute / 2); return "", nil })
		run, err := newAgent(t, agent.Config{Model: acts{{"rate {}", "wait {}"}}, Tools: []tool.Tool{slow, wait}}).Run(t.Context(), "refund")
		if err != nil || run.Question != nil || run.Answer != "done" {
			t.Fatal(run, err)
		}
		sound(t, run)
		if late := bodies[*event.Late](run.Recording); len(late) != 1 || late[0].Parts[0].Data != "May I?" {
			t.Errorf("late: %+v", late)
		}
		if got := answers(run.Recording)[0]; got != "i1.1 failure: The tool gave no answer within 1s." {
			t.Error(got)
		}
	})
}

// TestAToolThatGivesUpAsItIsGivenUp holds that the context of a call which ran
// out of its time is done then, and that the call has one answer, which says so,
// whatever the tool says as it learns that.
func TestAToolThatGivesUpAsItIsGivenUp(t *testing.T) {
	for name, last := range map[string]error{"an error": errors.New("I was told to stop"), "a question": &tool.Question{Text: "May I go on?"}, "nothing": nil} {
		synctest.Test(t, func(t *testing.T) {
			obeys := does("rate", func(ctx context.Context, _ string) (string, error) {
				begun := time.Now()
				<-ctx.Done()
				if took := time.Since(begun); took != time.Second {
					t.Errorf("%s: its context was done after %v", name, took)
				}
				return "done after all", last
			})
			obeys.Timeout = time.Second
			run, err := newAgent(t, agent.Config{Model: acts{repeated(128, "rate {}")}, Tools: []tool.Tool{obeys}}).Run(t.Context(), "refund")
			if err != nil || run.Question != nil {
				t.Fatal(run, err)
			}
			sound(t, run)
			for _, a := range answers(run.Recording) { // the two race each time
				if !strings.HasSuffix(a, " failure: The tool gave no answer within 1s.") {
					t.Errorf("%s: %s", name, a)
				}
			}
		})
	}
}

// TestAStopAsATurnIsResumed ends the turn, with every call answered.
func TestAStopAsATurnIsResumed(t *testing.T) {
	var c till
	a := newAgent(t, c.config(t, &recording.Folder{Dir: t.TempDir()}, refundFirst))
	run, err := a.Run(t.Context(), "my order")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	run, err = a.Resume(ctx, run.Recording, &agent.Answer{Text: "yes"})
	if !errors.Is(err, agent.ErrStopped) {
		t.Fatal(err)
	}
	sound(t, run)
	if d := cmp.Diff([]string{"ask", "look", "mail"}, c.did); d != "" {
		t.Errorf("the call was made: %s", d)
	}
	if got := answers(run.Recording); !slices.Contains(got, "i1.1 failure: The turn was stopped before this call was answered.") {
		t.Error(got)
	}
}

// TestAStopAsAPersonIsAsked comes too late: the question is on record.
func TestAStopAsAPersonIsAsked(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	a := newAgent(t, agent.Config{Tools: []tool.Tool{does("rate", func(ctx context.Context, _ string) (string, error) {
		if _, ok := tool.Answer(ctx); ok {
			return "yes", nil
		}
		return "", &tool.Question{Text: "May I?"}
	})}, Model: modelStops{talk{"rate {}"}, cancel, 2}})
	run, err := a.Run(ctx, "refund")
	if err != nil || run.Question == nil {
		t.Fatal(run, err)
	}
	run, err = a.Resume(ctx, run.Recording, &agent.Answer{Text: "yes"})
	if err != nil || run.Answer != "It was yes" { // the reply that came with the stop was whole
		t.Fatal(run, err)
	}
	sound(t, run)
}
