package agent_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/tool"
)

// TestMore holds that the model is shown what came with a result, right after
// it, and that no guard reads it: the walk goes by the text.
func TestMore(t *testing.T) {
	pixel := "\x89PNG\r\n\x00\xff"
	photo := tool.Tool{Name: "rate", Call: func(context.Context, string) (tool.Result, error) {
		return tool.Result{Text: `{"risk":"high"}`, Status: spoor.Partial, More: []model.Part{
			{Role: model.System, Kind: model.Image, Data: pixel, Media: "image/png", Skill: "triage"}, // the role and the skill are not believed
			{Kind: model.Text, Data: "The zip is torn beyond repair."},
		}}, nil
	}}
	var asked []string
	m := modelFunc(func(ctx context.Context, r *model.Request) (model.Reply, error) {
		asked = nil
		for _, p := range r.Parts {
			if p.Call != "" {
				asked = append(asked, strings.TrimSpace(strings.Join([]string{string(p.Role), string(p.Kind), p.Call, p.Tool, p.Status, p.Media}, " ")))
			}
		}
		if len(asked) > 0 {
			return model.Reply{Parts: []model.Part{{Kind: model.Text, Data: "It is torn beyond repair, I am afraid."}}}, nil
		}
		return talk{"rate {}"}.Call(ctx, r, func(model.Delta) {})
	})
	folder := &recording.Folder{Dir: t.TempDir()}
	run, err := newAgent(t, agent.Config{Tools: []tool.Tool{photo}, Model: m, Store: folder}).Run(t.Context(), "refund")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"assistant call i1.1 rate", "tool result i1.1 rate partial", "tool image i1.1 rate  image/png", "tool text i1.1 rate"}
	if d := cmp.Diff(want, asked); d != "" {
		t.Errorf("the model was shown (-want +got):\n%s", d)
	}
	verify(t, run.Recording.Path)
	read, err := recording.Open(run.Recording.Path)
	if err != nil {
		t.Fatal(err)
	}
	back := returned(read)[0]
	if len(back.More) != 2 || back.More[0].Data != pixel || back.More[0].Skill != "" || back.More[0].Role != model.Tool {
		t.Errorf("the recording has %+v", back.More)
	}
	if got := read.Entry().Skills; !slices.Equal(got, []string{"triage", "person"}) {
		t.Errorf("it walked %v", got)
	}
	if why := explain.Span(read, "torn beyond repair").String(); !strings.Contains(why, "i1.1 rate") {
		t.Errorf("the words came from a text beside the result:\n%s", why)
	}
}

func TestWhatNoResultHas(t *testing.T) {
	for want, result := range map[string]tool.Result{
		`The tool declared the status "fine", which there is not.`:                               {Text: "x", Status: "fine"},
		`The tool answered with a part of kind "call"; a result has text, images and documents.`: {More: []model.Part{{Kind: model.Call}}},
		"The tool answered with 1048578 bytes; at most 1048576 can be shown. Ask for less.":      {Text: "x", More: []model.Part{{Kind: model.Text, Data: strings.Repeat("x", 1<<20+1)}}},
		"The tool answered with 8388609 bytes of images and documents; at most 8388608 can be shown. Ask for less.": {
			More: []model.Part{{Kind: model.Image, Data: strings.Repeat("x", 8<<20+1)}}},
	} {
		odd := tool.Tool{Name: "rate", Call: func(context.Context, string) (tool.Result, error) { return result, nil }}
		run, err := newAgent(t, agent.Config{Tools: []tool.Tool{odd}}).Run(t.Context(), "refund")
		if err != nil {
			t.Fatal(err)
		}
		if got := returned(run.Recording)[0]; got.Result.Data != want || got.More != nil {
			t.Errorf("got %.200q and %d more, want %q", got.Result.Data, len(got.More), want)
		}
	}
}

// What a tool brings beside its result is its own: the next call does not
// change what is recorded of the last one.
func TestMoreBelongsToTheCall(t *testing.T) {
	album := []model.Part{{Kind: model.Image, Data: "pixel", Media: "image/png"}}
	photo := tool.Tool{Name: "rate", Call: func(context.Context, string) (tool.Result, error) { return tool.Result{More: album}, nil }}
	run, err := newAgent(t, agent.Config{Tools: []tool.Tool{photo}, Model: talk{"rate {}", "rate {}"}}).Run(t.Context(), "refund")
	if err != nil {
		t.Fatal(err)
	}
	if back := returned(run.Recording); back[0].More[0].Call != "i1.1" || back[1].More[0].Call != "i2.1" || album[0].Call != "" {
		t.Errorf("%+v, %+v, the tool has %+v", back[0].More, back[1].More, album)
	}
}

// A turn that the server refuses, and would refuse again, is not part of the
// conversation; one that failed in passing is.
func TestAConversationAfterAFailedTurn(t *testing.T) {
	for fault, want := range map[model.Fault]string{
		model.FaultTooLong:    "first / yes / third",
		model.FaultOverloaded: "first / yes / second / third",
	} {
		turn, said := 0, ""
		a := newAgent(t, agent.Config{Model: modelFunc(func(_ context.Context, r *model.Request) (model.Reply, error) {
			if turn++; turn == 2 {
				return model.Reply{}, &model.Error{Fault: fault, Message: "it was refused"}
			}
			var list []string
			for _, p := range r.Parts {
				if p.Kind == model.Text && p.Role != model.System {
					list = append(list, p.Data)
				}
			}
			said = strings.Join(list, " / ")
			return model.Reply{Parts: []model.Part{{Kind: model.Text, Data: "yes"}}}, nil
		})})
		run, err := a.Run(t.Context(), "first")
		if err != nil {
			t.Fatal(err)
		}
		if run, err = a.Reply(t.Context(), run.Recording, "second"); !errors.Is(err, agent.ErrModel) {
			t.Fatal(err)
		}
		if _, err = a.Reply(t.Context(), run.Recording, "third"); err != nil || said != want {
			t.Errorf("%s: the model was told %s, %v; want %s", fault, said, err, want)
		}
	}
}

// What a tool says beside its result is no word of the conversation.
func TestHistoryIsWhatWasSaid(t *testing.T) {
	m := desk()
	m.Start.Rules = append(m.Start.Rules, spoor.Rule{Use: "person", When: "history.exists(m, m.content.contains('VAT'))"})
	chatty := tool.Tool{Name: "rate", Call: func(context.Context, string) (tool.Result, error) {
		return tool.Result{Text: "{}", More: []model.Part{{Kind: model.Text, Data: "VAT"}}}, nil
	}}
	a := newAgent(t, agent.Config{Map: m, Conditions: cond.CEL, Tools: []tool.Tool{chatty}})
	run, err := a.Run(t.Context(), "refund")
	if err != nil {
		t.Fatal(err)
	}
	if run, err = a.Reply(t.Context(), run.Recording, "hello"); err != nil {
		t.Fatal(err)
	}
	if got := run.Recording.Entry().Skills; slices.Contains(got, "person") {
		t.Errorf("a tool started the turn: %v", got)
	}
}

// A tool that gives up because the turn was stopped has not failed: no guard is
// judged by that, and the walk stays where it was.
func TestAStoppedToolHasNotFailed(t *testing.T) {
	for range 100 { // the tool and the stop race
		ctx, cancel := context.WithCancel(t.Context())
		m := desk()
		m.Steps = []spoor.Step{{From: "triage", To: "person", OnToolStatus: []spoor.Status{spoor.Failure}}}
		slow := tool.Tool{Name: "rate", Call: func(ctx context.Context, _ string) (tool.Result, error) {
			cancel()
			<-ctx.Done()
			return tool.Result{}, ctx.Err()
		}}
		run, err := newAgent(t, agent.Config{Map: m, Tools: []tool.Tool{slow}}).Run(ctx, "refund")
		if !errors.Is(err, agent.ErrStopped) {
			t.Fatal(err)
		}
		if got := run.Recording.Entry().Skills; !slices.Equal(got, []string{"triage"}) || len(returned(run.Recording)) > 0 {
			t.Fatalf("it walked %v, and has %d results", got, len(returned(run.Recording)))
		}
	}
}

// What an attempt that broke off has written cannot be taken back. It is said
// to be void, and the answer begins on a line of its own.
func TestTheTextOfAnAttemptThatBrokeOff(t *testing.T) {
	var text, log bytes.Buffer
	a := newAgent(t, agent.Config{Text: &text, Log: slog.New(slog.NewTextHandler(&log, nil)), Model: breaksOff{}})
	if run, err := a.Run(t.Context(), "refund"); err != nil || run.Answer != "You owe us nothing." {
		t.Fatal(run, err)
	}
	if text.String() != "You owe us 500\nYou owe us nothing." || !strings.Contains(log.String(), "its last line is void") {
		t.Errorf("text %q, log %s", &text, &log)
	}
}

// breaksOff is a model whose first attempt breaks off.
type breaksOff struct{}

func (breaksOff) Call(_ context.Context, _ *model.Request, emit func(model.Delta)) (model.Reply, error) {
	emit(model.Delta{Text: "You owe us 500"})
	emit(model.Delta{Reset: true})
	emit(model.Delta{Text: "You owe us nothing."})
	return model.Reply{Parts: []model.Part{{Kind: model.Text, Data: "You owe us nothing."}}}, nil
}

// A turn that is stopped while the model is asked keeps the attempts.
func TestAStopKeepsTheAttempts(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	attempts := []model.Attempt{{Fault: model.FaultServer, Status: 500, Error: "it failed"}}
	run, err := newAgent(t, agent.Config{Model: modelFunc(func(context.Context, *model.Request) (model.Reply, error) {
		cancel()
		return model.Reply{}, &model.Error{Message: "stopped", Attempts: attempts, Cause: ctx.Err()}
	})}).Run(ctx, "refund")
	if !errors.Is(err, agent.ErrStopped) {
		t.Fatal(err)
	}
	for _, e := range run.Recording.Events {
		if s, ok := e.Body.(*event.Stopped); ok && len(s.Attempts) == 1 {
			return
		}
	}
	t.Error("the attempts are not on record")
}

// An envelope is read where no status is declared, and only there.
func TestADeclaredStatusIsNoEnvelope(t *testing.T) {
	text := `{"content":"x","status":"denied","effects":[]}`
	plain := tool.Tool{Name: "rate", Call: func(context.Context, string) (tool.Result, error) {
		return tool.Result{Text: text, Status: spoor.Success}, nil
	}}
	run, err := newAgent(t, agent.Config{Tools: []tool.Tool{plain}}).Run(t.Context(), "refund")
	if err != nil {
		t.Fatal(err)
	}
	if got := returned(run.Recording)[0]; got.Status != spoor.Success || got.Result.Data != text {
		t.Errorf("got %q, %s", got.Status, got.Result.Data)
	}
}

// TestDiscover holds that what is discovered counts from the next turn on, and
// that a tool which cannot be told from another one is left out.
func TestDiscover(t *testing.T) {
	found := []tool.Tool{{Name: "mail", Output: `{"type":"object"}`, Call: rate("sent").Call}}
	var log bytes.Buffer
	var offered []string
	a := newAgent(t, agent.Config{
		Log:      slog.New(slog.NewTextHandler(&log, nil)),
		Discover: func(context.Context) ([]tool.Tool, error) { return found, nil },
		Model: modelFunc(func(_ context.Context, r *model.Request) (model.Reply, error) {
			offered = nil
			for _, s := range r.Tools {
				offered = append(offered, s.Name)
			}
			found = []tool.Tool{{Name: "fax", Call: rate("sent").Call}, rate("{}"), {Name: "read_skill", Call: rate("").Call}}
			return model.Reply{Parts: []model.Part{{Kind: model.Text, Data: "Yes."}}}, nil
		}),
	})
	run, err := a.Run(t.Context(), "refund")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"read_skill", "rate", "mail"}; !slices.Equal(offered, want) {
		t.Errorf("the first turn was offered %v, want %v", offered, want)
	}
	started := run.Recording.Events[0].Body.(*event.Started)
	if schema, _ := run.Recording.Piece(started.Tools[1].Output); schema != `{"type":"object"}` {
		t.Errorf("the schema of the results is recorded as %q", schema)
	}
	if _, err := a.Reply(t.Context(), run.Recording, "refund again"); err != nil {
		t.Fatal(err)
	}
	if want := []string{"read_skill", "rate", "fax"}; !slices.Equal(offered, want) {
		t.Errorf("the second turn was offered %v, want %v", offered, want)
	}
	for _, want := range []string{`two tools named \"rate\"`, "read_skill belongs to the walk itself"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, &log)
		}
	}
}

func TestDiscoverFails(t *testing.T) {
	var down error
	c := agent.Config{
		Map: desk(), Model: talk{}, Tools: []tool.Tool{rate("{}")}, Store: &recording.Folder{Dir: t.TempDir()},
		Discover: func(context.Context) ([]tool.Tool, error) { return nil, down },
	}
	a := newAgent(t, c)
	down = errors.New("the server is down")
	if run, err := a.Run(t.Context(), "refund"); run != nil || err == nil || err.Error() != "agent: the tools cannot be listed: the server is down" {
		t.Error(run, err)
	}
	if list, err := c.Store.List(); len(list) != 0 || err != nil {
		t.Errorf("a turn that never began left %d recordings, %v", len(list), err)
	}
	if _, err := agent.New(c); err == nil {
		t.Error("New takes tools that cannot be listed")
	}
}

// keyless is a model that has no key.
type keyless struct{ talk }

func (keyless) Check() error { return errors.New("there is no key; set MODEL_KEY") }

func TestNewAsksTheModelWhetherItCanWork(t *testing.T) {
	if _, err := agent.New(agent.Config{Map: desk(), Model: keyless{}, Tools: []tool.Tool{rate("{}")}}); err == nil || err.Error() != "agent: there is no key; set MODEL_KEY" {
		t.Error(err)
	}
	m := desk()
	m.Skills[0].Tools = []string{"gone"}
	var problems spoor.Problems
	if _, err := agent.New(agent.Config{Map: m, Model: keyless{}}); !errors.As(err, &problems) {
		t.Errorf("the faults of the map come first: %v", err)
	}
}

// TestWhatAModelCallCost holds that a recording keeps what an adapter tells of
// its call: what answered, the bytes that were sent, the attempts.
func TestWhatAModelCallCost(t *testing.T) {
	wire := model.Wire{SHA256: strings.Repeat("0f", 32), Bytes: 2048}
	attempts := []model.Attempt{{Fault: model.FaultOverloaded, Status: 529, Error: "it has too much to do", WaitMS: 250}}
	usage := model.Usage{Input: 900, Output: 40, Cached: 512, Written: 128, Thinking: 12}
	a := newAgent(t, agent.Config{Store: &recording.Folder{Dir: t.TempDir()}, Model: modelFunc(func(context.Context, *model.Request) (model.Reply, error) {
		return model.Reply{
			Parts: []model.Part{{Kind: model.Text, Data: "Half of"}}, Usage: usage,
			Model: "large-2026", Stop: model.StopLength, Wire: wire, Attempts: attempts,
		}, nil
	})})
	run, err := a.Run(t.Context(), "refund")
	if err != nil || run.Stop != model.StopLength {
		t.Fatal(run, err)
	}
	read, err := recording.Open(run.Recording.Path)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range read.Events {
		if got, ok := e.Body.(*event.Replied); ok {
			got.Parts = nil
			if d := cmp.Diff(&event.Replied{Usage: usage, Model: "large-2026", Stop: model.StopLength, Wire: wire, Attempts: attempts}, got); d != "" {
				t.Error(d)
			}
		}
	}
	for _, want := range []string{"an attempt before it failed: it has too much to do", "a limit of tokens cut that short"} {
		if story := explain.Narrate(read).String(); !strings.Contains(story, want) {
			t.Errorf("the story lacks %q:\n%s", want, story)
		}
	}
}

func TestWhyAModelCallFailed(t *testing.T) {
	cause := &model.Error{
		Fault: model.FaultKey, Status: 401, Message: "the server does not take the key", Wire: model.Wire{SHA256: strings.Repeat("0f", 32), Bytes: 9},
		Attempts: []model.Attempt{{Fault: model.FaultServer, Status: 500, Error: "it failed"}},
	}
	run, err := newAgent(t, agent.Config{Model: modelFunc(func(context.Context, *model.Request) (model.Reply, error) {
		return model.Reply{}, cause
	})}).Run(t.Context(), "refund")
	if !errors.Is(err, agent.ErrModel) {
		t.Fatal(err)
	}
	i := slices.IndexFunc(run.Recording.Events, func(e event.Event) bool { _, ok := e.Body.(*event.Failed); return ok })
	want := &event.Failed{Error: cause.Message, Fault: cause.Fault, Status: 401, Wire: cause.Wire, Attempts: cause.Attempts}
	if d := cmp.Diff(want, run.Recording.Events[i].Body); d != "" {
		t.Error(d)
	}
}
