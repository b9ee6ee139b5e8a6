package event_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/model"
)

// A batch is a model call, its reply with one tool call, the result, and the
// move, in which a guard judged what came back.
func batch(seq, iteration int, at time.Time, score string) []event.Event {
	call := model.Part{Role: model.Assistant, Kind: model.Call, Piece: model.Sum("{}"), Call: "i1", Tool: "rate"}
	result := model.Part{Role: model.Tool, Kind: model.Result, Piece: model.Sum(score), Call: "i1", Tool: "rate"}
	least := guard.Gte("score", 0.7)
	row := guard.Evidence{Cond: &least, Actual: score, Kind: guard.Number}
	return []event.Event{
		{Seq: seq, Time: at, Turn: 1, Iteration: iteration, Because: []int{seq - 1}, Body: &event.Replied{Parts: []model.Part{call}}},
		{Seq: seq + 1, Time: at, Turn: 1, Iteration: iteration, Because: []int{seq}, Body: &event.Returned{Call: "i1", Tool: "rate", Executed: true, Result: result}},
		{Seq: seq + 2, Time: at, Turn: 1, Iteration: iteration + 1, Because: []int{seq, seq + 1}, Body: &event.Evaluated{Move: spoor.Move{
			From: "triage", To: "triage", By: spoor.ByStay,
			Closed: []spoor.Judgement{{Ref: "steps[0]", From: "triage", To: "desk", Tool: "rate", CallID: "i1", Verdict: guard.Verdict{Conditions: []guard.Evidence{row}}}},
		}}},
		{Seq: seq + 3, Time: at, Turn: 1, Iteration: iteration + 1, Because: []int{seq + 2}, Body: &event.Called{Splices: []event.Splice{{At: 1, Put: []model.Part{call, result}}}}},
	}
}

// What the lines before have said is not said again.
func TestLinesSayItOnce(t *testing.T) {
	at := time.Date(2026, 11, 30, 22, 6, 4, 0, time.UTC)
	events := append(batch(1, 1, at, "0.65"), batch(5, 2, at, "0.65")...)
	var l event.Lines
	var got []string
	for i := range events {
		got = append(got, string(l.Append(nil, &events[i])))
	}
	piece := func(s string) string { return model.Sum(s).String() }
	want := []string{
		`{"seq":5,"kind":"replied","body":{"parts":[{"role":"assistant","kind":"call","piece":"` + piece("{}") + `","call":"i1","tool":"rate"}]}}`,
		`{"seq":6,"kind":"returned","body":{"call":"i1","tool":"rate","executed":true,"result":"` + piece("0.65") + `"}}`,
		`{"seq":7,"iteration":3,"kind":"context.evaluated","because":[5,6],"body":{"move":{"from":"triage","to":"triage","by":"stay",` +
			`"guardsClosed":[{"ref":"steps[0]","toolCallId":"i1","as":3}]}}}`,
		`{"seq":8,"kind":"called","body":{"purpose":"","splices":[{"at":1,"put":[5,6]}]}}`,
	}
	if d := cmp.Diff(want, got[4:]); d != "" {
		t.Error(d)
	}
	read(t, events, got)
}

// Whatever the events, their lines read as the same events.
func TestLinesOfAnyEvents(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		var events []event.Event
		at := time.Date(2026, 11, 30, 22, 6, 4, 0, time.UTC)
		for len(events) < 40 {
			if r.IntN(3) == 0 {
				events = append(events, batch(len(events)+1, r.IntN(3), at, []string{"0.65", "0.7"}[r.IntN(2)])...)
				continue
			}
			all := bodies()
			body := all[r.IntN(len(all))]
			(&filler{r: r}).fill(body)
			e := event.Event{Seq: len(events) + 1, Time: at, Turn: 1 + r.IntN(2), Iteration: r.IntN(3), Body: body}
			for range r.IntN(3) {
				e.Because = append(e.Because, e.Seq-1-r.IntN(2))
			}
			events = append(events, e)
			if r.IntN(2) == 0 {
				at = at.Add(time.Duration(r.IntN(1e9)))
			}
		}
		for i := range events { // requests that repeat what came in
			c, ok := events[i].Body.(*event.Called)
			if !ok {
				continue
			}
			var put []model.Part
			for _, e := range events[max(0, i-6):i] {
				switch b := e.Body.(type) {
				case *event.Replied:
					put = append(put, b.Parts...)
				case *event.Returned:
					put = append(append(put, b.Result), b.More...)
				case *event.EffectJudged:
					put = append(put, b.Note, b.Note)
				case *event.Rejected:
					put = append(put, b.Result)
				}
			}
			if len(put) > 0 {
				c.Splices = append(c.Splices, event.Splice{Put: put[r.IntN(len(put)):]})
			}
		}
		var l event.Lines
		var lines []string
		for i := range events {
			lines = append(lines, string(l.Append(nil, &events[i])))
		}
		read(t, events, lines)
	}
}

// read holds that lines read as events, and that these make the same lines.
func read(t *testing.T, events []event.Event, lines []string) {
	t.Helper()
	var in, out event.Lines
	for i, line := range lines {
		got, err := in.Read([]byte(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if d := cmp.Diff(&events[i], got, values); d != "" {
			t.Fatalf("%s (-want +got):\n%s", line, d)
		}
		if again := string(out.Append(nil, got)); again != line {
			t.Fatalf("the same event, two lines:\n%s\n%s", line, again)
		}
	}
}

// What is named and is not there is an error, not a guess.
func TestLinesNameWhatIsThere(t *testing.T) {
	for _, c := range []struct{ lines, want string }{
		{`{"seq":1,"kind":"called","body":{"splices":[{"put":[7]}]}}`, "what event 7 brought in"},
		{`{"seq":1,"kind":"replied","body":{"parts":[{"kind":"text","piece":""}]}}` + "\n" +
			`{"seq":2,"kind":"called","body":{"splices":[{"put":[1,1]}]}}`, "what event 1 brought in"},
		{`{"seq":1,"kind":"replied","body":{"parts":[{"kind":"text","piece":""}]}}` + "\n" + `{"seq":2,"kind":"called","body":{}}` + "\n" +
			`{"seq":3,"kind":"called","body":{"splices":[{"put":[1]}]}}`, "what event 1 brought in"},
		{`{"seq":1,"kind":"called","body":{"splices":[{"put":[null]}]}}`, "what event 0 brought in"},
		{`{"seq":1,"kind":"context.evaluated","body":{"move":{"guard":{"ref":"steps[0]","as":4}}}}`, "as in event 4"},
		{`{"seq":1,"kind":"returned","body":{"result":"abc"}}`, "event 1, returned"},
		{`{"seq":1,"kind":"called"}`, "has a kind and a body"},
		{`[]`, "cannot unmarshal"},
	} {
		var l event.Lines
		var err error
		for line := range strings.Lines(c.lines) {
			_, err = l.Read([]byte(line))
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.lines, err, c.want)
		}
	}
}

// FuzzLines reads any lines. What can be read is written so that it reads as
// the same.
func FuzzLines(f *testing.F) {
	at := time.Date(2026, 11, 30, 22, 6, 4, 0, time.UTC)
	var l event.Lines
	var seed []byte
	for _, e := range append(batch(1, 1, at, "0.65"), batch(5, 2, at, "0.65")...) {
		seed = append(l.Append(seed, &e), '\n')
	}
	f.Add(string(seed))
	f.Add(`{"seq":1,"kind":"x","body":{}}`)
	sameInJSON := cmp.Comparer(func(a, b guard.Value) bool { return string(a.AppendJSON(nil)) == string(b.AppendJSON(nil)) })
	f.Fuzz(func(t *testing.T, text string) {
		var in, out, again event.Lines
		for line := range strings.Lines(text) {
			e, err := in.Read([]byte(line))
			if err != nil {
				return
			}
			if _, unknown := e.Body.(*event.Unknown); unknown || e.Time.Year() < 0 || e.Time.Year() > 9999 {
				return // it is written as it was read
			}
			written := out.Append(nil, e)
			back, err := again.Read(written)
			if err != nil {
				t.Fatalf("%s: %v", written, err)
			}
			if d := cmp.Diff(e, back, sameInJSON, cmpopts.EquateEmpty()); d != "" {
				t.Fatalf("%s (-read +again):\n%s", written, d)
			}
		}
	})
}

// Conditions that a line names again are not looked at for each time: what
// follows is written as if they had been.
func TestAJudgementThatIsNamedIsWrittenAgain(t *testing.T) {
	text := `{"seq":1,"kind":"context.evaluated","body":{"move":{"by":"stay","guardsClosed":[{"ref":"steps[0]","from":"a","to":"b","toolName":"t","verdict":false,"conditions":[{"key":"n","op":"eq","value":1,"actual":"2","kind":"number","passed":false}]}]}}}
{"seq":2,"kind":"context.evaluated","body":{"move":{"by":"stay","guardsClosed":[{"ref":"steps[0]","toolCallId":"i1.1","as":1},{"ref":"steps[0]","toolCallId":"i1.2","as":1}]}}}
`
	var in, out, again event.Lines
	for line := range strings.Lines(text) {
		e, err := in.Read([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		written := out.Append(nil, e)
		if e.Seq == 2 && strings.Count(string(written), `"as":1`) != 2 {
			t.Errorf("it is written as %s", written)
		}
		back, err := again.Read(written)
		if err != nil || string(back.AppendJSON(nil)) != string(e.AppendJSON(nil)) {
			t.Errorf("%s, %v", written, err)
		}
	}
}

// A judgement that is long is written out each time, so that a line of a few
// bytes does not stand for many.
func TestALongJudgementIsWrittenOut(t *testing.T) {
	at := time.Date(2026, 11, 30, 22, 6, 4, 0, time.UTC)
	events := append(batch(1, 1, at, strings.Repeat("6", 5000)), batch(5, 2, at, strings.Repeat("6", 5000))...)
	var l event.Lines
	var lines []string
	for i := range events {
		lines = append(lines, string(l.Append(nil, &events[i])))
	}
	if strings.Contains(lines[6], `"as"`) {
		t.Errorf("it is written as %.200s", lines[6])
	}
	read(t, events, lines)
}
