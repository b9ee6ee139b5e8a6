package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/tool"
)

// sorting is a map in which a tool may propose where to go.
const sorting = `
skills:
  - {id: inbox, description: Sort it., body: Call sort., tools: [sort]}
  - {id: billing, description: Invoices., body: Look at the bill.}
  - {id: parcels, description: Parcels., body: Look at the tracking.}
  - {id: attic, description: Only from the parcels.}
start: {use: inbox}
steps: [{from: inbox, to: billing}, {from: inbox, to: parcels}, {from: parcels, to: attic}]
`

var vat = spoor.Injections{Instructions: []spoor.Instruction{{ID: "vat", Text: "Mind the VAT."}}}

func propose(target string) spoor.Effect {
	return spoor.Effect{Kind: spoor.ProposeTransition, Target: target, Reason: "it is paid"}
}

// sorted runs a turn in which a tool comes back so, once.
func sorted(t *testing.T, back func() (tool.Result, error)) *agent.Run {
	t.Helper()
	a := newAgent(t, agent.Config{
		Map: read(t, sorting), Injections: vat, Model: acts{{"sort {}"}}, Store: &recording.Folder{Dir: t.TempDir()}, Log: quiet, Check: agent.CheckOff,
		Tools: []tool.Tool{{Name: "sort", Call: func(context.Context, string) (tool.Result, error) { return back() }}},
	})
	run, err := a.Run(t.Context(), "hello")
	if err != nil {
		t.Fatal(err)
	}
	sound(t, run)
	return run
}

// judged are the effects of a run, and what became of each.
func judged(run *agent.Run) (list []string) {
	for _, j := range bodies[*event.EffectJudged](run.Recording) {
		list = append(list, strings.TrimSuffix(fmt.Sprintf("%s %s%s: %s", j.Outcome, j.Target, j.Instruction, j.Refusal), ": "))
	}
	return list
}

// TestEffects holds that a tool says what it asks of the walk in either way, as
// a Go value or in the envelope of its text, and that the two are the same.
func TestEffects(t *testing.T) {
	envelope := `{"content":{"paid":true},"effects":[{"kind":"propose-transition","targetSkillId":"billing","reason":"it is paid"},{"kind":"require-instruction","instructionId":"vat","deliveryLease":"next-call"}]}`
	for name, result := range map[string]tool.Result{
		"a value":                  {Text: `{"paid":true}`, Effects: []spoor.Effect{propose("billing"), {Kind: spoor.RequireInstruction, Instruction: "vat", Lease: spoor.NextCall}}},
		"a text":                   {Text: envelope},
		"a text beside no effects": {Text: envelope, Effects: []spoor.Effect{}},
	} {
		run := sorted(t, func() (tool.Result, error) { return result, nil })
		if d := cmp.Diff([]string{"accepted billing", "accepted vat"}, judged(run)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if d := cmp.Diff([]string{`i1.1: {"paid":true}`}, answers(run.Recording)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if got := run.Recording.Entry().Skills; !slices.Equal(got, []string{"inbox", "billing"}) {
			t.Errorf("%s: it walked %v", name, got)
		}
		if got := told(run.Recording, model.Instruction); !slices.Equal(got, []string{"Mind the VAT."}) {
			t.Errorf("%s: the model was instructed %q", name, got)
		}
	}
}

// TestAnEnvelopeBesideAValue holds that a text is an envelope only where the
// tool says nothing by a value.
func TestAnEnvelopeBesideAValue(t *testing.T) {
	text := `{"content":"x","effects":[{"kind":"propose-transition","targetSkillId":"parcels","reason":"r"}]}`
	for name, result := range map[string]tool.Result{
		"effects":  {Text: text, Effects: []spoor.Effect{propose("billing")}},
		"a status": {Text: text, Status: spoor.Success},
	} {
		run := sorted(t, func() (tool.Result, error) { return result, nil })
		if got := returned(run.Recording)[0]; got.Result.Data != text || slices.Contains(run.Recording.Entry().Skills, "parcels") {
			t.Errorf("%s: %q, walked %v", name, got.Result.Data, run.Recording.Entry().Skills)
		}
	}
}

// TestEffectsThatAreRefused are told to the model, each with its reason, and
// change nothing.
func TestEffectsThatAreRefused(t *testing.T) {
	for _, test := range []struct {
		effect spoor.Effect
		want   string
	}{
		{propose("attic"), `refused attic: "attic" is not in reach; these are: `},
		{propose(""), "refused : it names no skill under targetSkillId"},
		{propose(strings.Repeat("x", 1<<20)), "refused xxx"},
		{spoor.Effect{Kind: spoor.ProposeTransition, Target: "billing", Reason: " \n"}, "refused billing: it gives no reason"},
		{spoor.Effect{Kind: "fireworks", Target: "billing"}, `refused billing: there is no effect "fireworks"`},
		{spoor.Effect{Kind: "\xff", Target: "\xff"}, "refused \uFFFD: there is no effect \"\uFFFD\""},
		{spoor.Effect{Kind: spoor.RequireInstruction, Instruction: "none", Lease: spoor.NextCall}, `refused none: there is no instruction "none"`},
		{spoor.Effect{Kind: spoor.RequireInstruction, Instruction: "vat", Lease: "for ever"}, `refused vat: its deliveryLease must be `},
	} {
		run := sorted(t, func() (tool.Result, error) {
			return tool.Result{Text: "{}", Effects: []spoor.Effect{test.effect}}, nil
		})
		if got := judged(run); len(got) != 1 || !strings.HasPrefix(got[0], test.want) || len(got[0]) > 10_000 {
			t.Errorf("got %.300q, want %s", got, test.want)
		}
		if got := run.Recording.Entry().Skills; !slices.Equal(got, []string{"inbox"}) {
			t.Errorf("%s: it walked %v", test.want, got)
		}
		if notes := told(run.Recording, model.Note); len(notes) != 1 || !strings.Contains(notes[0], "which was refused: ") {
			t.Errorf("%s: the model was told %.300q", test.want, notes)
		}
	}
}

// TestTooManyEffects holds that a hundred are judged, and that of more none is.
func TestTooManyEffects(t *testing.T) {
	for n, want := range map[int]string{100: "{}", 101: "The tool answered with 101 effects; at most 100 are judged."} {
		envelope := `{"content":{},"effects":[` + strings.Repeat(`{"kind":"propose-transition","targetSkillId":"billing","reason":"r"},`, n-1) +
			`{"kind":"propose-transition","targetSkillId":"billing","reason":"r"}]}`
		for _, result := range []tool.Result{{Text: "{}", Effects: slices.Repeat([]spoor.Effect{propose("billing")}, n)}, {Text: envelope}} {
			run := sorted(t, func() (tool.Result, error) { return result, nil })
			back := returned(run.Recording)[0]
			if back.Result.Data != want || len(judged(run))%100 != 0 || (len(judged(run)) > 0) != (n == 100) {
				t.Errorf("%d: %q, %d are judged", n, back.Result.Data, len(judged(run)))
			}
		}
	}
}

// TestACallThatCameToNothingAsksForNothing holds that no effect of a call is
// judged that failed, did not reach its tool, or said too much.
func TestACallThatCameToNothingAsksForNothing(t *testing.T) {
	result := tool.Result{Text: "{}", Effects: []spoor.Effect{propose("billing")}}
	for name, back := range map[string]func() (tool.Result, error){
		"an error":         func() (tool.Result, error) { return result, errors.New("no connection") },
		"wrong arguments":  func() (tool.Result, error) { return result, &tool.ArgumentError{Err: errors.New("no id")} },
		"a panic":          func() (tool.Result, error) { panic("nil map") },
		"too much":         func() (tool.Result, error) { r := result; r.Text = strings.Repeat("x", 1<<20+1); return r, nil },
		"a status of none": func() (tool.Result, error) { r := result; r.Status = "fine"; return r, nil },
	} {
		run := sorted(t, back)
		if got := judged(run); got != nil || !slices.Equal(run.Recording.Entry().Skills, []string{"inbox"}) {
			t.Errorf("%s: judged %v, walked %v", name, got, run.Recording.Entry().Skills)
		}
	}
	run := sorted(t, func() (tool.Result, error) { r := result; r.Status = spoor.Denied; return r, nil })
	if got := judged(run); !slices.Equal(got, []string{"accepted billing"}) {
		t.Errorf("a call that ran and was denied may ask: %v", got)
	}
}

// TestEffectsBelongToTheTool holds that what a tool gives away is not changed,
// and what it changes later is not on record.
func TestEffectsBelongToTheTool(t *testing.T) {
	own := []spoor.Effect{propose(strings.Repeat("x", 3000))}
	run := sorted(t, func() (tool.Result, error) { return tool.Result{Text: "{}", Effects: own}, nil })
	if len(own[0].Target) != 3000 {
		t.Error("the effect of the tool was shortened")
	}
	own[0].Target = "other"
	if got := judged(run); strings.Contains(got[0], "other") {
		t.Error(got)
	}
}

// A worse error than badError: reading it panics.
type worseError struct{}

func (worseError) Error() string { panic("no words") }

// TestErrorsThatCannotBeRead holds that not even the error of a tool ends the
// program.
func TestErrorsThatCannotBeRead(t *testing.T) {
	for name, err := range map[string]error{
		"a nil error with a type": (*badError)(nil), "a panic": worseError{}, "a nil question": (*tool.Question)(nil), "nil arguments": (*tool.ArgumentError)(nil),
		"arguments without an error": &tool.ArgumentError{},
		"no text":                    errors.New("\xff"),
	} {
		run := sorted(t, func() (tool.Result, error) { return tool.Result{}, err })
		if got := returned(run.Recording); len(got) != 1 || got[0].Status != spoor.Failure && got[0].Status != spoor.Invalid {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
