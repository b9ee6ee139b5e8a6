package event_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/score"
)

var update = flag.Bool("update", false, "rewrite testdata/events.jsonl")

// bodies is one of each kind.
func bodies() []event.Body {
	return []event.Body{
		new(event.Started), new(event.Asked), new(event.Scored), new(event.TurnRouted),
		new(event.Replied), new(event.Failed), new(event.Returned), new(event.Needs), new(event.Answered),
		new(event.Resumed), new(event.Stopped), new(event.Late),
		new(event.Evaluated), new(event.EffectJudged), new(event.RouteConflict), new(event.RerouteSuperseded),
		new(event.Read), new(event.Rejected), new(event.Refused),
		new(event.Called), new(event.Sent), new(event.Paused), new(event.Finished),
	}
}

var values = cmpopts.EquateComparable(guard.Value{})

// TestEveryKindIsTheSameAfterJSON has every field of every body set: first to
// its own name, which is what testdata/events.jsonl shows, then by chance.
func TestEveryKindIsTheSameAfterJSON(t *testing.T) {
	at := time.Date(2026, 11, 30, 22, 6, 4, 120_000_000, time.UTC)
	var golden bytes.Buffer
	for i, body := range bodies() {
		(&filler{all: true}).fill(body)
		e := event.Event{Seq: i + 1, Time: at, Turn: 1, Iteration: 2, Because: []int{i}, Body: body}
		golden.Write(append(holds(t, e), '\n'))
	}
	const file = "testdata/events.jsonl"
	if *update {
		if err := os.WriteFile(file, golden.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), golden.String()); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}

	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		for _, body := range bodies() {
			(&filler{r: r}).fill(body)
			e := event.Event{Seq: r.IntN(1e6), Time: at.Add(time.Duration(r.Int64N(1e18))), Turn: r.IntN(9), Iteration: r.IntN(9), Body: body}
			for range r.IntN(3) {
				e.Because = append(e.Because, r.IntN(1e6))
			}
			holds(t, e)
		}
	}
}

// holds tests one event: its line reads as the same event, writes as the same
// line, and its body is the JSON value that encoding/json makes of the struct.
func holds(t *testing.T, e event.Event) []byte {
	t.Helper()
	line := e.AppendJSON(nil)
	var back event.Event
	if err := json.Unmarshal(line, &back); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	if d := cmp.Diff(e, back, values); d != "" {
		t.Fatalf("%s (-want +got):\n%s", line, d)
	}
	if again := back.AppendJSON(nil); !bytes.Equal(line, again) {
		t.Fatalf("the same event, two lines:\n%s\n%s", line, again)
	}
	if marshalled, err := json.Marshal(e); err != nil || !sameJSON(t, line, marshalled) {
		t.Fatalf("AppendJSON %s\nand Marshal %s, %v", line, marshalled, err)
	}
	var written struct{ Body json.RawMessage }
	if err := json.Unmarshal(line, &written); err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(e.Body)
	if err != nil {
		t.Fatal(err)
	}
	if !sameJSON(t, want, written.Body) {
		t.Fatalf("%s is written as\n%s\nand encoding/json says\n%s", e.Body.Kind(), written.Body, want)
	}
	return line
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var v [2]any
	for i, data := range [][]byte{a, b} {
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()
		if err := d.Decode(&v[i]); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
	}
	return reflect.DeepEqual(v[0], v[1])
}

// A filler sets fields: all of them, a text to the name of its field, or, with
// r, some of them by chance. It leaves those that are not in JSON alone,
// unless data is set.
type filler struct {
	all  bool
	r    *rand.Rand
	n    int
	data bool
}

func (f *filler) fill(body event.Body) {
	f.value(reflect.ValueOf(body).Elem(), body.Kind(), true)
}

func (f *filler) value(v reflect.Value, name string, needed bool) {
	if !f.all && !needed && f.r.IntN(3) == 0 {
		return
	}
	f.n++
	choose := func(n int) int {
		if f.all {
			return 0
		}
		return f.r.IntN(n)
	}
	switch p := v.Addr().Interface().(type) {
	case *model.Digest:
		*p = model.Sum(fmt.Sprint(name, f.n))
		return
	case *guard.Value:
		list := []any{[]any{"high", 1, nil}, "high", "", "5", 5, 9007199254740993, 0.7, true, nil, "<&>\u2028\x00"}
		*p = guard.Of(list[choose(len(list))])
		return
	case *guard.Kind:
		*p = guard.Null + guard.Kind(choose(5))
		return
	case *guard.Guard:
		*p = guard.Guard{guard.In("riskLevel", "high", "critical"), guard.Gte("score", 0.7), guard.Lt("score", 1)}
		return
	case *match.Match:
		list := []match.Match{match.All(match.Regex("x", "i"), match.Keywords("a", "b")), match.Intent("wants", "x"), match.Keywords("<b>")}
		*p = list[choose(len(list))]
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			tag := field.Tag.Get("json")
			if tag == "-" && !f.data {
				continue
			}
			name, options, _ := strings.Cut(tag, ",")
			if name == "-" {
				name = fmt.Sprint("data ", f.n)
			}
			f.value(v.Field(i), name, !strings.Contains(options, "omit"))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.value(v.Elem(), name, true)
	case reflect.Slice:
		n := 1
		if !f.all {
			n += f.r.IntN(3)
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			f.value(v.Index(i), name, true)
		}
	case reflect.String:
		v.SetString(name)
		if !f.all {
			list := []string{"a", "triage", "two\nlines\t\"quoted\" \\", "<b>&amp;</b>", "Köln, 東京, 🙂", "\u2028\u2029\x00\x7f", "a\ufffdb"}
			v.SetString(list[f.r.IntN(len(list))])
		}
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(1 + choose(1e9)))
	case reflect.Float64:
		list := []float64{0.5, 1, -2.25, 1.0 / 3, 1e-9, 1e21}
		v.SetFloat(list[choose(len(list))])
	case reflect.Bool:
		v.SetBool(f.all || choose(2) == 0)
	default:
		panic("no way to fill " + v.Type().String())
	}
}

// JSON has no numbers that are not finite, and a scorer may give some.
func TestAScoreThatIsNotFiniteIsKept(t *testing.T) {
	given := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0.5}
	var scored event.Scored
	for _, s := range given {
		scored.Scores = append(scored.Scores, score.Score{ID: "triage", Score: s})
	}
	verdict := score.Decide(scored.Scores, nil, score.Traits{}, "")
	for _, body := range []event.Body{&scored, &event.TurnRouted{TurnRoute: spoor.TurnRoute{Scores: &verdict}}} {
		e := event.Event{Seq: 1, Turn: 1, Body: body}
		var back event.Event
		if err := json.Unmarshal(e.AppendJSON(nil), &back); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(e, back, values, cmpopts.EquateNaNs()); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
}

func TestTextThatIsNoUTF8IsReplaced(t *testing.T) {
	e := event.Event{Seq: 1, Body: &event.Returned{Call: "c", Tool: "a\xffb"}}
	var back event.Event
	if err := json.Unmarshal(e.AppendJSON(nil), &back); err != nil {
		t.Fatal(err)
	}
	if got := back.Body.(*event.Returned).Tool; got != "a\ufffdb" {
		t.Errorf("got %q", got)
	}
}

func TestTimeIsWrittenInUTC(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600))
	line := string((&event.Event{Seq: 1, Time: at, Turn: 1, Body: &event.Stopped{Reason: "x"}}).AppendJSON(nil))
	want := `{"seq":1,"time":"2026-01-02T02:04:05.000000006Z","turn":1,"kind":"stopped","body":{"reason":"x"}}`
	if line != want {
		t.Errorf("got  %s\nwant %s", line, want)
	}
}

func TestAppendJSONAppends(t *testing.T) {
	e := event.Event{Seq: 1, Body: &event.Sent{Calls: []string{"i1.1"}}}
	if got, want := string(e.AppendJSON([]byte("before "))), "before "+string(e.AppendJSON(nil)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A reader keeps what it does not know: a kind to the byte, and a known kind
// as far as it is known.
func TestAnUnknownKindIsKeptToTheByte(t *testing.T) {
	for _, body := range []string{
		`{"lease":"next-call", "n" : 1.0e2,"big":12345678901234567890, "html":"<&>","twice":1,"twice":2}`,
		`{}`, `[]`, `null`, `"text"`, `1.50`,
	} {
		line := `{"seq":7,"time":"2026-01-02T03:04:05Z","turn":1,"iteration":2,"kind":"context.packed","because":[5,6],"body":` + body + `}`
		var e event.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if u, ok := e.Body.(*event.Unknown); !ok || u.Kind() != "context.packed" || u.Raw != body {
			t.Errorf("%s is read as %#v", line, e.Body)
		}
		if got := string(e.AppendJSON(nil)); got != line {
			t.Errorf("got  %s\nwant %s", got, line)
		}
		if pieces := e.Pieces(nil); len(pieces) != 0 {
			t.Errorf("%s names %v", line, pieces)
		}
	}
}

func TestAFieldThatIsNotKnownIsPassedOver(t *testing.T) {
	var e event.Event
	err := json.Unmarshal([]byte(`{"seq":1,"kind":"stopped","later":true,"body":{"reason":"x","by":"a person"}}`), &e)
	if d := cmp.Diff(&event.Stopped{Reason: "x"}, e.Body); err != nil || d != "" {
		t.Error(err, d)
	}
}

func TestWhatIsNoEventIsRefused(t *testing.T) {
	for _, line := range []string{
		``, `null`, `[]`, `{}`, `{"seq":1}`,
		`{"seq":1,"kind":"stopped"}`,
		`{"seq":1,"body":{}}`,
		`{"seq":"1","kind":"stopped","body":{}}`,
		`{"seq":1,"time":"yesterday","kind":"stopped","body":{}}`,
		`{"seq":1,"kind":"stopped","body":[]}`,
		`{"seq":1,"kind":"replied","body":{"parts":[{"piece":"abc"}]}}`,
		`{"seq":1,"kind":"stopped","body":{}} {}`,
	} {
		if err := new(event.Event).UnmarshalJSON([]byte(line)); err == nil {
			t.Errorf("%s is read", line)
		}
	}
}

// FuzzEventJSON: whatever reads as an event reads as the same once written.
func FuzzEventJSON(f *testing.F) {
	for i, body := range bodies() {
		(&filler{all: true}).fill(body)
		f.Add((&event.Event{Seq: i, Turn: 1, Because: []int{1}, Body: body}).AppendJSON(nil))
	}
	f.Add([]byte(`{"seq":1,"kind":"later","body":{"a":[1, 2]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var e event.Event
		if json.Unmarshal(data, &e) != nil {
			return
		}
		if y := e.Time.UTC().Year(); y < 0 || y > 9999 {
			return // RFC 3339 cannot say it
		}
		line := e.AppendJSON(nil)
		var back event.Event
		if err := json.Unmarshal(line, &back); err != nil {
			t.Fatalf("%s is written as %s: %v", data, line, err)
		}
		// Evidence of a condition without a value, which no guard has, is
		// written as one with null.
		sameInJSON := cmp.Comparer(func(a, b guard.Value) bool { return string(a.AppendJSON(nil)) == string(b.AppendJSON(nil)) })
		if d := cmp.Diff(e, back, sameInJSON, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s is written as %s (-want +got):\n%s", data, line, d)
		}
	})
}

// Every piece that a body names is one that a recording is asked to store, and
// the place for its bytes is the body's own.
func TestPiecesAreAllThatABodyNames(t *testing.T) {
	for _, body := range bodies() {
		(&filler{all: true, data: true}).fill(body)
		want := map[model.Digest]string{}
		named(reflect.ValueOf(body).Elem(), want)
		e := event.Event{Body: body}
		got := map[model.Digest]string{}
		for _, p := range e.Pieces(nil) {
			got[p.Digest] = *p.Data
			*p.Data = "put back"
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", body.Kind(), d)
		}
		for _, p := range e.Pieces(nil) {
			if *p.Data != "put back" {
				t.Errorf("%s: the place of %s is not in the body", body.Kind(), p.Digest)
			}
		}
	}
}

// named finds every digest and its bytes: those of a field X are in XData, or in Data.
func named(v reflect.Value, found map[model.Digest]string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			named(v.Elem(), found)
		}
	case reflect.Slice:
		for i := range v.Len() {
			named(v.Index(i), found)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if !v.Type().Field(i).IsExported() {
				continue
			}
			if d, ok := v.Field(i).Interface().(model.Digest); ok {
				data := v.FieldByName(v.Type().Field(i).Name + "Data")
				if !data.IsValid() {
					data = v.FieldByName("Data")
				}
				found[d] = data.String()
			}
			named(v.Field(i), found)
		}
	}
}

func TestOutcomesAreWhatOnlyTheWorldCanSay(t *testing.T) {
	var outcomes []string
	for _, body := range bodies() {
		if _, ok := body.(event.Outcome); ok {
			outcomes = append(outcomes, body.Kind())
		}
	}
	if got := strings.Join(outcomes, " "); got != "started scored replied failed returned needs answered resumed stopped late" {
		t.Error(got)
	}
}

// BenchmarkAppendJSON is the events on the path of every model call.
func BenchmarkAppendJSON(b *testing.B) {
	for _, body := range []event.Body{new(event.Evaluated), new(event.Called), new(event.Replied), new(event.Returned)} {
		f := &filler{all: true}
		f.fill(body)
		if v, ok := body.(*event.Evaluated); ok { // as in most iterations
			v.Active, v.Move.Conflict, v.Move.Failed = nil, nil, nil
		}
		if v, ok := body.(*event.Replied); ok {
			v.Usage = model.Usage{}
		}
		b.Run(body.Kind(), func(b *testing.B) {
			e := event.Event{Seq: 1, Turn: 1, Iteration: 2, Because: []int{1}, Body: body}
			var buf []byte
			b.ReportAllocs()
			for b.Loop() {
				buf = e.AppendJSON(buf[:0])
			}
			b.SetBytes(int64(len(buf)))
		})
	}
}
