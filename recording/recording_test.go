package recording_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
)

var values = cmpopts.EquateComparable(guard.Value{})

const binary = "\x89PNG\xff\x00\n"

// turn is a short turn in batches, as a host appends them: two iterations, a
// tool call between them, and an image in the answer.
func turn(t testing.TB) [][]event.Event {
	t.Helper()
	graph, err := event.NewGraph(&spoor.Map{
		Name:   "desk",
		Skills: []spoor.Skill{{ID: "triage", Body: "Rate it.", Source: spoor.Source{File: "map.yaml", Line: 3}}, {ID: "person"}},
		Start:  spoor.Start{Rules: []spoor.Rule{{Use: "triage", Match: match.Keywords("refund")}}},
		Steps:  []spoor.Step{{From: "triage", To: "person", OnToolReturn: "rate"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	message := model.NewPart(model.User, model.Text, "I want a <refund>")
	call := model.NewPart(model.Assistant, model.Call, `{"id":17}`)
	call.Call, call.Tool = "i1.1", "rate"
	result := model.NewPart(model.Tool, model.Result, `{"score":0.9}`)
	result.Call, result.Tool = "i1.1", "rate"
	image := model.NewPart(model.Assistant, model.Image, binary)
	image.Media = "image/png"
	answer := []model.Part{model.NewPart(model.Assistant, model.Text, "A person takes over."), image}

	var seq int
	say := func(iteration int, bodies ...event.Body) (batch []event.Event) {
		for _, b := range bodies {
			e := event.Event{Seq: seq + 1, Time: time.Unix(int64(seq), 0).UTC(), Turn: 1, Iteration: iteration, Body: b}
			if seq > 0 {
				e.Because = []int{seq}
			}
			batch = append(batch, e)
			seq++
		}
		return batch
	}
	return [][]event.Event{
		slices.Concat(
			say(0, &event.Started{Run: "run", Machine: 1, Message: message, Graph: graph, MaxIterations: 9}),
			say(1,
				&event.Evaluated{Move: spoor.Move{To: "triage", By: spoor.ByEntry, Ref: "start.rules[0]"}},
				&event.Called{Purpose: model.Answer, Splices: []event.Splice{{Put: []model.Part{message}}}, Offered: []string{"rate"}})),
		say(1, &event.Replied{Parts: []model.Part{call}}, &event.Sent{Calls: []string{"i1.1"}}),
		slices.Concat(
			say(1, &event.Returned{Call: "i1.1", Tool: "rate", Executed: true, Result: result}),
			say(2,
				&event.Evaluated{Move: spoor.Move{From: "triage", To: "person", By: spoor.ByRoute, Ref: "steps[0]"}},
				&event.Called{Purpose: model.Answer, Splices: []event.Splice{{At: 1, Put: []model.Part{call, result}}}, OfferedAs: 3})),
		say(2, &event.Replied{Parts: answer}, &event.Finished{By: event.ByAnswer, Answer: answer}),
	}
}

// record writes the turn.
func record(t testing.TB) []byte {
	t.Helper()
	var file bytes.Buffer
	w := recording.NewWriter(&file, "run")
	for _, batch := range turn(t) {
		if err := w.Append(batch); err != nil {
			t.Fatal(err)
		}
	}
	return file.Bytes()
}

func read(t testing.TB, file []byte) *recording.Recording {
	t.Helper()
	rec, err := recording.Read(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func verify(t testing.TB, file []byte) *recording.Report {
	t.Helper()
	report, err := recording.Verify(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestWhatIsWrittenReadsAsTheSame(t *testing.T) {
	var file bytes.Buffer
	w := recording.NewWriter(&file, "run")
	for _, batch := range turn(t) {
		if err := w.Append(batch); err != nil {
			t.Fatal(err)
		}
	}
	rec := read(t, file.Bytes())
	if d := cmp.Diff(slices.Concat(turn(t)...), rec.Events, values); d != "" {
		t.Errorf("events (-written +read):\n%s", d)
	}
	if d := cmp.Diff(w.Recording().Events, rec.Events, values); d != "" {
		t.Errorf("events (-in memory +read):\n%s", d)
	}
	n, size := rec.Pieces()
	if wn, ws := w.Recording().Pieces(); n != wn || size != ws || n != 7 {
		t.Errorf("read %d pieces of %d bytes, wrote %d of %d", n, size, wn, ws)
	}
	if data, ok := rec.Piece(model.Sum(binary)); !ok || data != binary {
		t.Errorf("the image is %q, %v", data, ok)
	}
	if _, ok := rec.Piece(model.Sum("nobody said this")); ok {
		t.Error("a piece that is not there")
	}
	if rec.Run != "run" || rec.Incomplete() || rec.Damage != "" || rec.Answer() != "A person takes over.\n"+binary {
		t.Errorf("run %q, damage %q, answer %q", rec.Run, rec.Damage, rec.Answer())
	}
	m, err := rec.Map()
	if err != nil || m.Skills[0].Body != "Rate it." || m.Skills[0].Source.File != "map.yaml" {
		t.Errorf("%+v, %v", m, err)
	}
	if r := verify(t, file.Bytes()); !r.OK() || r.Lines != bytes.Count(file.Bytes(), []byte("\n")) || r.Events != 10 || r.Hashes != 2 {
		t.Errorf("%+v", r)
	}
}

func TestARequestReadsBackFromCalledEvents(t *testing.T) {
	rec := read(t, record(t))
	for seq, want := range map[int]string{
		3: "I want a <refund>",
		8: "I want a <refund>\n{\"id\":17}\n{\"score\":0.9}",
	} {
		parts, called := rec.Request(seq)
		if called == nil || event.Text(parts) != want {
			t.Errorf("event %d: %q, want %q", seq, event.Text(parts), want)
		}
	}
	if parts, called := rec.Request(4); parts != nil || called != nil {
		t.Errorf("event 4 asks no model, and has the request %v", parts)
	}
}

func TestEventsAreFoundBySeq(t *testing.T) {
	rec := read(t, record(t))
	for seq := range 12 {
		e := rec.Event(seq)
		if there := seq >= 1 && seq <= 10; (e != nil) != there || there && e.Seq != seq {
			t.Errorf("event %d: %+v", seq, e)
		}
	}
	if rec.Started(1) == nil || rec.Started(10) == nil || rec.Started(0) != nil {
		t.Error("events 1 to 10 are of the turn that event 1 began")
	}
}

func TestContentIsWrittenOnceBeforeItIsNamed(t *testing.T) {
	seen := map[string]bool{}
	for line := range bytes.Lines(record(t)) {
		var v struct {
			Piece string
			Body  json.RawMessage
		}
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		if v.Piece != "" {
			if seen[v.Piece] {
				t.Errorf("%s is written twice", v.Piece)
			}
			seen[v.Piece] = true
		}
		for rest := string(v.Body); ; {
			_, after, ok := strings.Cut(rest, `"piece":"`)
			if !ok {
				break
			}
			if !seen[after[:64]] {
				t.Errorf("%s is named before it is written", after[:64])
			}
			rest = after
		}
	}
}

func TestOneAppendIsOneWrite(t *testing.T) {
	writes := 0
	w := recording.NewWriter(writerFunc(func(b []byte) (int, error) {
		if writes++; !bytes.HasSuffix(b, []byte("}\n")) {
			t.Errorf("write %d ends in the middle of a line", writes)
		}
		return len(b), nil
	}), "run")
	for i, batch := range turn(t) {
		if err := w.Append(batch); err != nil || writes != i+1 {
			t.Errorf("%d writes after %d appends, %v", writes, i+1, err)
		}
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func TestAFailedWriteIsTheLast(t *testing.T) {
	full := errors.New("the disk is full")
	writes := 0
	w := recording.NewWriter(writerFunc(func(b []byte) (int, error) {
		if writes++; writes == 2 {
			return 0, full
		}
		return len(b), nil
	}), "run")
	batches := turn(t)
	if err := w.Append(batches[0]); err != nil {
		t.Fatal(err)
	}
	for _, batch := range batches[1:] {
		if err := w.Append(batch); !errors.Is(err, full) || !strings.Contains(err.Error(), "run") {
			t.Errorf("got %v", err)
		}
	}
	if writes != 2 || len(w.Recording().Events) != len(batches[0]) {
		t.Errorf("%d writes, %d events on record", writes, len(w.Recording().Events))
	}
}

func TestARecordingInMemoryGoesOn(t *testing.T) {
	w := recording.NewWriter(nil, "run")
	batches := turn(t)
	for _, batch := range batches[:2] {
		if err := w.Append(batch); err != nil {
			t.Fatal(err)
		}
	}
	if !w.Recording().Incomplete() || w.Recording().Answer() != "" {
		t.Error("a turn that is not at its end is complete")
	}
	const inUse = "run run is being written by another turn; wait for its end"
	if _, err := recording.Extend(w.Recording()); fmt.Sprint(err) != inUse {
		t.Errorf("while it is written: %v", err)
	}
	w.Close()
	more, err := recording.Extend(w.Recording())
	if err != nil {
		t.Fatal(err)
	}
	w.Close() // again, which does not take it from its new writer
	if _, err := recording.Extend(w.Recording()); fmt.Sprint(err) != inUse {
		t.Errorf("while it goes on: %v", err)
	}
	if err := w.Append(batches[2]); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a writer that is closed appends: %v", err)
	}
	for _, batch := range batches[2:] {
		if err := more.Append(batch); err != nil {
			t.Fatal(err)
		}
	}
	if rec := more.Recording(); rec.Incomplete() || len(rec.Events) != 10 || more.Close() != nil {
		t.Errorf("%d events", len(rec.Events))
	}
}

func TestOneOfManyGoesOn(t *testing.T) {
	w := recording.NewWriter(nil, "run")
	w.Close()
	var got atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := recording.Extend(w.Recording()); err == nil {
				got.Add(1)
			}
		})
	}
	wg.Wait()
	if got.Load() != 1 {
		t.Errorf("%d go on at once", got.Load())
	}
}

// A file is a writer that knows what reached the disk.
type file struct {
	bytes.Buffer
	synced int // bytes
	err    error
}

func (f *file) Sync() error {
	f.synced = f.Len()
	return f.err
}

func TestSyncBringsAllThatIsWrittenToTheDisk(t *testing.T) {
	var f file
	w := recording.NewWriter(&f, "run")
	for _, batch := range turn(t) {
		if err := errors.Join(w.Append(batch), w.Sync()); err != nil || f.synced != f.Len() {
			t.Errorf("%d bytes of %d, %v", f.synced, f.Len(), err)
		}
	}
	for _, w := range []*recording.Writer{recording.NewWriter(nil, "memory"), recording.NewWriter(new(bytes.Buffer), "no file")} {
		if err := w.Sync(); err != nil {
			t.Error(err)
		}
	}
}

// What a failed sync left on the disk nobody knows, whatever a later one says.
func TestAFailedSyncIsTheLastWrite(t *testing.T) {
	f := &file{err: errors.New("the disk is gone")}
	w := recording.NewWriter(f, "run")
	batches := turn(t)
	if err := w.Append(batches[0]); err != nil {
		t.Fatal(err)
	}
	first := w.Sync()
	if !errors.Is(first, f.err) || !strings.Contains(first.Error(), "run") {
		t.Error(first)
	}
	f.err = nil
	if err := w.Append(batches[1]); err != first || len(w.Recording().Events) != len(batches[0]) {
		t.Errorf("%d events, %v", len(w.Recording().Events), err)
	}
	if err := w.Sync(); err != first {
		t.Error(err)
	}
}

// Each purpose has a chain of requests of its own, in each turn.
func TestARequestIsAChangeOfTheOneOfItsPurpose(t *testing.T) {
	part := func(words string) (parts []model.Part) {
		for word := range strings.FieldsSeq(words) {
			parts = append(parts, model.NewPart(model.User, model.Text, word))
		}
		return parts
	}
	ask := func(p model.Purpose, at, drop int, put string) *event.Called {
		return &event.Called{Purpose: p, Splices: []event.Splice{{At: at, Drop: drop, Put: part(put)}}}
	}
	w := recording.NewWriter(nil, "run")
	var events []event.Event
	for i, b := range []event.Body{
		new(event.Started), ask(model.Classify, 0, 0, "which intent"), ask(model.Decide, 0, 0, "which skill"),
		ask(model.Answer, 0, 0, "be kind"), ask(model.Decide, 1, 1, "menu"), ask(model.Answer, 2, 0, "hello"),
		new(event.Started), ask(model.Answer, 0, 0, "again"),
	} {
		events = append(events, event.Event{Seq: i + 1, Turn: 1, Body: b})
	}
	if err := w.Append(events); err != nil {
		t.Fatal(err)
	}
	for seq, want := range map[int]string{
		2: "which intent", 3: "which skill", 4: "be kind", 5: "which menu", 6: "be kind hello", 8: "again",
	} {
		parts, called := w.Recording().Request(seq)
		if got := strings.ReplaceAll(event.Text(parts), "\n", " "); called == nil || got != want {
			t.Errorf("event %d: got %q, want %q", seq, got, want)
		}
	}
}

func TestARunWaitsForAPerson(t *testing.T) {
	asks := func(id string) model.Part {
		p := model.NewPart(model.Assistant, model.Call, "{}")
		p.Call, p.Tool = id, "pay"
		return p
	}
	needs := func(id, text string) *event.Needs {
		return &event.Needs{Call: id, By: event.ByTool, Question: model.NewPart(model.Tool, model.Text, text)}
	}
	pays := &event.Replied{Parts: []model.Part{asks("i1.1"), asks("i1.2")}}
	first := &recording.Question{Call: "i1.1", Tool: "pay", By: event.ByTool, Text: "Pay 17?"}
	second := &recording.Question{Call: "i1.2", Tool: "pay", By: event.ByTool, Text: "Pay 19?"}
	r := &recording.Recording{}
	for i, c := range []struct {
		body event.Body
		want *recording.Question
	}{
		{new(event.Started), nil},
		{pays, nil},
		{needs("i1.1", "Pay 1?"), nil},
		{&event.Paused{Call: "i1.1"}, &recording.Question{Call: "i1.1", Tool: "pay", By: event.ByTool, Text: "Pay 1?"}},
		{&event.Answered{Call: "i1.1"}, nil},
		{needs("i1.1", "Pay 17?"), nil}, // it asks again
		{needs("i1.2", "Pay 19?"), nil},
		{&event.Paused{Call: "i1.1"}, first},
		{new(event.Resumed), first},
		{new(event.Late), first},
		{&event.Answered{Call: "i1.1", Declined: true}, nil},
		{&event.Paused{Call: "i1.2"}, second},
		{&event.Stopped{Reason: "the desk closes"}, nil},
		{&event.Finished{By: event.ByStop}, nil},
		{new(event.Started), nil},
		{&event.Paused{Call: "i1.2"}, &recording.Question{Call: "i1.2"}}, // which no machine writes
	} {
		r.Events = append(r.Events, event.Event{Seq: i + 1, Turn: 1, Body: c.body})
		if d := cmp.Diff(c.want, r.Waiting()); d != "" {
			t.Errorf("after event %d, %s (-want +got):\n%s", i+1, c.body.Kind(), d)
		}
		if d := cmp.Diff(c.want, r.Entry().Waiting); d != "" {
			t.Errorf("in a list, after event %d (-want +got):\n%s", i+1, d)
		}
	}
}

func TestARecordingMarshalsAsItsEvents(t *testing.T) {
	data, err := json.Marshal(read(t, record(t)))
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Run    string
		Events []event.Event
	}
	if err := json.Unmarshal(data, &v); err != nil || v.Run != "run" || len(v.Events) != 10 {
		t.Errorf("%s, %v", data, err)
	}
}

func TestIdsOfRunsSortByTime(t *testing.T) {
	at := time.Date(2026, 11, 30, 22, 6, 4, 0, time.FixedZone("", 7200))
	a, b := recording.NewRun(at), recording.NewRun(at.Add(time.Second))
	if !strings.HasPrefix(a, "20261130-200604") || a >= b || a != strings.ToLower(a) {
		t.Errorf("%s, %s", a, b)
	}
	if again := recording.NewRun(at); again == a {
		t.Errorf("%s twice", a)
	}
}

// A damage is what somebody or something did to a file. lines are those of
// the file, with their ends.
type damage struct {
	what string
	do   func(lines []string) []string
	want string // how the first fault begins, or what else the report says
}

// find returns the index of the first line with all the words.
func find(lines []string, words ...string) int {
	return slices.IndexFunc(lines, func(l string) bool {
		for _, w := range words {
			if !strings.Contains(l, w) {
				return false
			}
		}
		return true
	})
}

func replace(from, to string, words ...string) func([]string) []string {
	return func(lines []string) []string {
		i := find(lines, append(words, from)...)
		lines[i] = strings.Replace(lines[i], from, to, 1)
		return lines
	}
}

// The fault names the line of the damage or, where only the running hash can
// tell, that of the next hash.
func TestVerifyFindsEveryDamage(t *testing.T) {
	whole := slices.Collect(strings.Lines(string(record(t))))
	hash := find(whole, `"hash":`) + 1 // the line of the first
	last := len(whole)                 // the line of the last
	edited := fmt.Sprintf("line %d: the lines before this one are not as they were written", hash)
	wrong := func(words ...string) string { return fmt.Sprintf("line %d: ", find(whole, words...)+1) }
	for _, d := range []damage{
		{"an edited event", replace(`"to":"triage"`, `"to":"person"`), edited},
		{"an edited event after the first hash", replace(`"by":"route"`, `"by":"stay"`),
			fmt.Sprintf("line %d: the lines before", last)},
		{"an edited piece of text", replace("refund", "reward", `"piece"`, "want a"), wrong("want a") + "this content is not what its name says"},
		{"an edited binary piece", replace(`"base64":"i`, `"base64":"j`), wrong("base64") + "this content is not what its name says"},
		{"an edited name of a piece", func(lines []string) []string {
			i := find(lines, "want a")
			lines[i] = strings.Replace(lines[i], lines[i][10:14], "beef", 1)
			return lines
		}, wrong("want a") + "this content is not what its name says"},
		{"an edited first line", replace(`"run":"run"`, `"run":"ran"`), edited},
		{"a hash that is none", replace(`"hash":"`, `"hash":"00`), fmt.Sprintf("line %d: this line cannot be read", hash)},
		{"another hash", func(lines []string) []string {
			lines[hash-1] = fmt.Sprintf("{\"hash\":%q}\n", model.Sum("another"))
			return lines
		}, edited},
		{"a removed event", func(lines []string) []string {
			i := find(lines, `"seq":2`)
			return slices.Delete(lines, i, i+1)
		}, fmt.Sprintf("line %d: event 3 follows event 1", find(whole, `"seq":2`)+1)},
		{"a removed piece", func(lines []string) []string {
			i := find(lines, `"piece"`, "want a")
			return slices.Delete(lines, i, i+1)
		}, fmt.Sprintf("line %d: event 1 names the content", find(whole, `"seq":1,`))},
		{"a removed hash", func(lines []string) []string { return slices.Delete(lines, hash-1, hash) },
			fmt.Sprintf("line %d: the lines before", last-1)},
		{"two swapped events", func(lines []string) []string {
			i := find(lines, `"seq":2`)
			lines[i], lines[i+1] = lines[i+1], lines[i]
			return lines
		}, fmt.Sprintf("line %d: event 3 follows event 1", find(whole, `"seq":2`)+1)},
		{"two swapped pieces", func(lines []string) []string {
			lines[1], lines[2] = lines[2], lines[1]
			return lines
		}, edited},
		{"a line that is no JSON", replace("{", "", `"seq":2`), wrong(`"seq":2`) + "this line cannot be read"},
		{"an event that is none", replace(`"kind":"sent"`, `"kind":""`), wrong(`"sent"`) + "this event cannot be read"},
		{"an inserted line", func(lines []string) []string { return slices.Insert(lines, 2, "{\"note\":\"mine\"}\n") },
			fmt.Sprintf("line %d: the lines before", hash+1)},
		{"an inserted blank line", func(lines []string) []string { return slices.Insert(lines, 2, "\n") },
			"line 3: this line is empty"},
		{"an appended line", func(lines []string) []string { return append(lines, "{\"note\":\"mine\"}\n") }, "unsealed 1"},
		{"an appended event", func(lines []string) []string {
			return append(lines, "{\"seq\":11,\"turn\":1,\"kind\":\"stopped\",\"body\":{\"reason\":\"x\"}}\n")
		}, "unsealed 1"},
		{"a torn last line", func(lines []string) []string {
			lines[last-1] = lines[last-1][:20]
			return lines
		}, "torn"},
		{"a missing last line end", func(lines []string) []string {
			lines[last-1] = strings.TrimSuffix(lines[last-1], "\n")
			return lines
		}, "torn"},
		{"a missing last line", func(lines []string) []string { return lines[:last-1] }, "unsealed"},
		{"a tail cut off at a hash", func(lines []string) []string { return lines[:hash] }, "incomplete"},
	} {
		t.Run(d.what, func(t *testing.T) {
			file := strings.Join(d.do(slices.Clone(whole)), "")
			if file == strings.Join(whole, "") {
				t.Fatal("the file is as it was")
			}
			r := verify(t, []byte(file))
			got := ""
			switch {
			case len(r.Faults) > 0:
				got = r.Faults[0].String()
			case r.Torn:
				got = "torn"
			case r.Unsealed > 0:
				got = fmt.Sprint("unsealed ", r.Unsealed)
			case !r.Complete:
				got = "incomplete"
			}
			if r.OK() || !strings.HasPrefix(got, d.want) {
				t.Errorf("ok %v, got %s\nwant %s", r.OK(), got, d.want)
			}
		})
	}
}

func TestWhatIsNoRecordingIsRefused(t *testing.T) {
	for file, want := range map[string]string{
		"":                        "this is no recording",
		"\n":                      "this is no recording",
		"hello\n":                 "this is no recording",
		"[]\n":                    "this is no recording",
		`{"spoor":0,"run":"run"}`: "this is no recording",
		"{\"run\":\"run\"}\n":     "this is no recording",
		"{\"seq\":1,\"kind\":\"stopped\",\"body\":{}}\n":        "this is no recording",
		"{\"spoor\":99,\"run\":\"run\"}\n{\"what\":\"ever\"}\n": "format 99, and this program reads format 0",
	} {
		for _, err := range []error{
			func() error { _, err := recording.Read(strings.NewReader(file)); return err }(),
			func() error { _, err := recording.Verify(strings.NewReader(file)); return err }(),
		} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: got %v, want %s", file, err, want)
			}
		}
	}
}

func TestAReaderThatFailsIsAnError(t *testing.T) {
	broken := errors.New("the cable is out")
	if _, err := recording.Read(readerFunc(func([]byte) (int, error) { return 0, broken })); !errors.Is(err, broken) {
		t.Error(err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

func TestReadingStopsAtTheDamageAndKeepsWhatIsBefore(t *testing.T) {
	lines := slices.Collect(strings.Lines(string(record(t))))
	i := find(lines, `"seq":5`)
	lines[i] = "{\"seq\":5,\n"
	rec := read(t, []byte(strings.Join(lines, "")))
	if len(rec.Events) != 4 || !rec.Incomplete() || !strings.HasPrefix(rec.Damage, fmt.Sprintf("line %d: ", i+1)) {
		t.Errorf("%d events, damage %q", len(rec.Events), rec.Damage)
	}
}

func TestContentThatIsMissingIsEmpty(t *testing.T) {
	lines := slices.Collect(strings.Lines(string(record(t))))
	i := find(lines, `"piece"`, "want a")
	rec := read(t, []byte(strings.Join(slices.Delete(lines, i, i+1), "")))
	if len(rec.Events) != 10 || rec.Started(1).Message.Data != "" || rec.Damage != "" {
		t.Errorf("%d events, message %q, damage %q", len(rec.Events), rec.Started(1).Message.Data, rec.Damage)
	}
}

func TestALongLineIsRead(t *testing.T) {
	long := strings.Repeat("long ", 1<<20)
	var file bytes.Buffer
	batch := turn(t)[0]
	batch[0].Body.(*event.Started).Message = model.NewPart(model.User, model.Text, long)
	if err := recording.NewWriter(&file, "run").Append(batch); err != nil {
		t.Fatal(err)
	}
	if got := read(t, file.Bytes()).Started(1).Message.Data; got != long {
		t.Errorf("%d bytes of %d", len(got), len(long))
	}
}

// Every prefix of a recording reads as far as it is whole, and goes on.
func TestEveryPrefixGoesOn(t *testing.T) {
	batches := turn(t)
	all := slices.Concat(batches...)
	file := record(t)
	first := bytes.IndexByte(file, '\n') + 1
	dir := t.TempDir()
	for cut := first; cut <= len(file); cut++ {
		if cut > first+1 && cut%7 != 0 && file[cut-1] != '\n' && cut != len(file) {
			continue // every seventh byte, and every line end
		}
		path := filepath.Join(dir, fmt.Sprint(cut))
		if err := os.WriteFile(path, file[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		w, err := recording.Continue(path)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		n := len(w.Recording().Events)
		if d := cmp.Diff(all[:n], w.Recording().Events, values, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("cut at %d: not a beginning (-want +got):\n%s", cut, d)
		}
		rest := all[n:]
		if len(rest) == 0 { // all but the last hash is there
			rest = []event.Event{{Seq: n + 1, Turn: 1, Body: &event.Finished{By: event.ByStop}}}
		}
		if err := errors.Join(w.Append(rest), w.Close()); err != nil {
			t.Fatal(err)
		}
		back, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if r := verify(t, back); !r.OK() || r.Events < len(all) {
			t.Fatalf("cut at %d and gone on: %+v", cut, r)
		}
	}
}

func TestADamagedFileDoesNotGoOn(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run.jsonl")
	file := bytes.Replace(record(t), []byte(`{"seq":5`), []byte(`"seq":5`), 1)
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := recording.Continue(path); err == nil || !strings.Contains(err.Error(), "not as it was written") || !strings.Contains(err.Error(), "line") {
		t.Errorf("got %v", err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, file) {
		t.Error("the file has changed", err)
	}
	if _, err := recording.Continue(filepath.Join(dir, "nothing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// FuzzRead: whatever the file, reading it does not panic, and damage takes
// nothing from what stands before it.
func FuzzRead(f *testing.F) {
	file := record(f)
	file = file[:bytes.Index(file, []byte(`{"hash"`))] // two appends of the four
	f.Add([]byte("{\"spoor\":0,\"run\":\"run\"}\n{\"seq\":1,\"turn\":1,\"kind\":\"sent\",\"body\":{\"calls\":[\"i1.1\"]}}\n"))
	f.Add([]byte("{\"seq\":7,\"kind\":\"called\",\"body\":{\"splices\":[{\"at\":5,\"drop\":9223372036854775807}]}}\n"))
	f.Add([]byte("{\"seq\":7,\"kind\":\"started\",\"body\":null}\n{\"piece\":\"\"}\n"))
	before := lines(read(f, file).Events)
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, file := range [][]byte{data, slices.Concat(file, data)} {
			rec, err := recording.Read(bytes.NewReader(file))
			if err != nil {
				continue
			}
			rec.Entry()
			rec.Answer()
			rec.Map()
			rec.Waiting()
			for i := range rec.Events {
				rec.Request(rec.Events[i].Seq)
				rec.Event(rec.Events[i].Seq)
			}
			if after := lines(rec.Events); len(file) > len(data) && !strings.HasPrefix(after, before) {
				t.Errorf("what stood before the damage is not kept:\n%s", after)
			}
		}
	})
}

func lines(events []event.Event) string {
	var b []byte
	for i := range events {
		b = append(events[i].AppendJSON(b), '\n')
	}
	return string(b)
}

// A line that is too long ends the reading, and what stands before it is kept.
func TestALineThatIsTooLong(t *testing.T) {
	before := "{\"spoor\":0,\"run\":\"run\"}\n{\"seq\":1,\"turn\":1,\"kind\":\"sent\",\"body\":{\"calls\":[\"i1.1\"]}}\n"
	long := io.MultiReader(strings.NewReader(before+`{"piece":"`), io.LimitReader(readerFunc(func(b []byte) (int, error) {
		for i := range b {
			b[i] = 'x'
		}
		return len(b), nil
	}), 257<<20))
	rec, err := recording.Read(long)
	if err != nil || len(rec.Events) != 1 || !strings.Contains(rec.Damage, "line 3: this line is longer than 256 MiB") {
		t.Errorf("%v, %v", rec, err)
	}
}

// An empty line, which an editor leaves, takes nothing from what follows it.
func TestAnEmptyLineIsNoEnd(t *testing.T) {
	file := string(record(t))
	rec, err := recording.Read(strings.NewReader(strings.ReplaceAll(file, "\n", "\n\r\n")))
	if err != nil || rec.Damage != "" || len(rec.Faults) == 0 || rec.Faults[0].String() != "line 2: this line is empty" {
		t.Fatalf("%v, %+v", err, rec)
	}
	if want := read(t, []byte(file)); lines(rec.Events) != lines(want.Events) {
		t.Errorf("the events are other ones:\n%s", lines(rec.Events))
	}
}

// A recording in another dress is told by it.
func TestARecordingInAnotherDress(t *testing.T) {
	file := string(record(t))
	for begins, want := range map[string]string{
		"\x1f\x8b\x08":        "gzip",
		"\x28\xb5\x2f\xfd":    "zstd",
		"\xff\xfe{\x00":       "UTF-16",
		"\xfe\xff\x00{":       "UTF-16",
		"\xef\xbb\xbf" + file: "byte order mark",
		"{\"version\": 2}\n":  "its first line",
	} {
		if _, err := recording.Read(strings.NewReader(begins)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.8q: %v, want %q", begins, err, want)
		}
	}
}

// Content reads the same however its line is spelled.
func TestContentHoweverItIsSpelled(t *testing.T) {
	for _, text := range []string{"", "x", "a \"quoted\" \\ line\n", "\u00e9\u2028\x00", "\U0001f600"} {
		quoted, _ := json.Marshal(text)
		name := model.Sum(text).String()
		for _, line := range []string{
			`{"piece":"` + name + `","text":` + string(quoted) + `}`,
			`{"piece": "` + name + `", "text": ` + string(quoted) + `}`,
			`{"text":` + string(quoted) + `,"piece":"` + name + `"}`,
			`{"piece":"` + strings.ToUpper(name) + `","text":` + string(quoted) + ` }`,
		} {
			rec, err := recording.Read(strings.NewReader("{\"spoor\":0,\"run\":\"run\"}\n" + line + "\n"))
			if err != nil || rec.Damage != "" || rec.Faults != nil {
				t.Fatalf("%s: %v, %v", line, rec, err)
			}
			if got, ok := rec.Piece(model.Sum(text)); !ok || got != text {
				t.Errorf("%s: %q, %v", line, got, ok)
			}
		}
	}
}

// A recording can be asked for as it was at the end of a turn.
func TestATurnIsTheRecordingUpToItsEnd(t *testing.T) {
	w := recording.NewWriter(nil, "RUN")
	for n, message := range []string{"hello", "and now?", "and then?"} {
		seq := 2 * n
		events := []event.Event{
			{Seq: seq + 1, Turn: n + 1, Body: &event.Started{Message: model.Part{Kind: model.Text, Data: message}}},
			{Seq: seq + 2, Turn: n + 1, Body: &event.Finished{By: event.ByAnswer, Answer: []model.Part{{Kind: model.Text, Data: "to " + message}}}},
		}
		if n == 2 {
			events = events[:1]
		}
		if err := w.Append(events); err != nil {
			t.Fatal(err)
		}
	}
	r := w.Recording()
	if n := r.Turns(); n != 3 {
		t.Errorf("there are %d turns, want 3", n)
	}
	for n, want := range map[int]string{1: "to hello", 2: "to and now?", 3: ""} {
		turn := r.Turn(n)
		if turn == nil || turn.Answer() != want || turn.Incomplete() != (want == "") || len(turn.Events) != min(2*n, 5) {
			t.Errorf("turn %d is %+v, want the answer %q", n, turn, want)
		}
	}
	if r.Turn(0) != nil || r.Turn(4) != nil {
		t.Error("there is no turn 0 and no turn 4")
	}
	if len(r.Events) != 5 {
		t.Error("the recording itself was cut")
	}
}

// FuzzContent: the form in which content is written is read as any other form of
// the same line.
func FuzzContent(f *testing.F) {
	f.Add(`"a \"quoted\" \\ line\n"`)
	f.Add("\"\xff\\ud800\\ud83d\\ude00\"")
	f.Add(`"x","base64":"AAAA"`)
	f.Add(`"x","text":"y"`)
	f.Fuzz(func(t *testing.T, quoted string) {
		if strings.ContainsAny(quoted, "\n") {
			return
		}
		name := model.Sum("x").String()
		file := func(line string) *recording.Recording {
			rec, err := recording.Read(strings.NewReader("{\"spoor\":0,\"run\":\"run\"}\n" + line + "\n"))
			if err != nil {
				t.Fatal(err)
			}
			return rec
		}
		quick, plain := file(`{"piece":"`+name+`","text":`+quoted+`}`), file(`{ "piece":"`+name+`","text":`+quoted+`}`)
		got, there := quick.Piece(model.Sum("x"))
		want, also := plain.Piece(model.Sum("x"))
		if got != want || there != also || (quick.Damage == "") != (plain.Damage == "") || len(quick.Faults) != len(plain.Faults) {
			t.Fatalf("%s is read as %q (%v), and otherwise as %q (%v)", quoted, got, quick.Faults, want, plain.Faults)
		}
	})
}
