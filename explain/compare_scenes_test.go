package explain_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/score"
)

// A scene is a conversation of two turns in which two tools are called and a
// person is asked. The fields are what happens in it; the zero value of most is
// what happens by default.
type scene struct {
	scores   float64 // of billing
	looked   string  // what look_up returns
	paid     string  // what pay_back returns
	person   string  // what the person says to the question; empty: yes
	declined bool
	waits    bool // the person says nothing
	stops    bool // the turn is stopped while pay_back is out
	lost     bool // another process takes over while look_up is out, which is not safe to repeat
	ask      string
	second   string // the message of the second turn; empty: there is none
	anew     bool   // the second turn does not go on where the first one ended
	start    func(*event.Started)
	asks     int // that look_up is called once more before pay_back, with these orders
	late     bool
	cut      int // events that are recorded; 0: all
}

func (s scene) play(t testing.TB) *recording.Recording {
	t.Helper()
	or := func(text, other string) string {
		if text == "" {
			return other
		}
		return text
	}
	w := newWorld(t, helpdesk(), brought())
	w.say(or(s.ask, "I was charged twice."), func(b *event.Started) {
		if s.start != nil {
			s.start(b)
		}
	})
	w.step(&event.Scored{Scores: []score.Score{{ID: "billing", Score: 9 - s.scores}, {ID: "delivery", Score: 1 + s.scores}, {ID: "returns", Score: 0}}})
	w.replies(call("look_up", `{"order":17}`, "pay_back", `{"order":17}`))
	iteration := 1
	id := func(n int) string { return fmt.Sprintf("i%d.%d", iteration, n) }
	if s.late {
		w.returns(id(1), or(s.looked, `{"parcel":false,"cents":8990}`))
		w.asks(id(2), event.ByTool, "Pay 89.90 EUR back?")
	} else {
		w.asks(id(2), event.ByTool, "Pay 89.90 EUR back?")
		if s.lost {
			w.step(&event.Resumed{})
		} else {
			w.returns(id(1), or(s.looked, `{"parcel":false,"cents":8990}`))
		}
	}
	if !s.waits {
		w.answers(id(2), or(s.person, "yes"), s.declined)
		switch {
		case s.declined:
		case s.stops:
			w.step(&event.Stopped{Reason: "the desk closes"})
		default:
			w.returns(id(2), or(s.paid, `{"paid":true}`))
		}
	}
	for range s.asks {
		iteration++
		w.replies(call("look_up", `{"order":71}`))
		w.returns(id(1), `{"parcel":false}`)
	}
	if !s.waits && !s.stops {
		w.replies(say("It is paid: " + or(s.paid, "all of it") + or(s.looked, ".")))
	}
	if s.second != "" {
		w.say(s.second, func(b *event.Started) {
			if !s.anew {
				b.Continuity, b.Cursor, b.Activated = spoor.ContinueConversation, w.state.Cursor, w.state.Activated
			}
		})
		w.step(&event.Scored{Scores: []score.Score{{ID: "billing", Score: 9}, {ID: "delivery", Score: 1}, {ID: "returns", Score: 0}}})
		w.replies(say("You are welcome."))
	}
	r := w.recording()
	if s.cut > 0 {
		r = &recording.Recording{Run: r.Run, Events: r.Events[:s.cut]}
	}
	return r
}

// Every class of what differs by itself, and what follows from it.
func TestCompareScenes(t *testing.T) {
	config := func(f func(*event.Started)) scene { return scene{start: f} }
	for _, test := range []struct {
		name         string
		a, b         scene
		class        explain.Class
		place        string
		text         string // of the first difference
		independents []explain.Class
	}{
		{name: "nothing"},
		{name: "the order in which results came", b: scene{late: true}},
		{name: "scores", b: scene{scores: 7}, class: explain.Scores, place: "$.scores[0].score", text: "9 against 2"},
		{name: "a result", b: scene{looked: `{"parcel":true,"cents":8990}`}, class: explain.ToolResult, place: "$.parcel", text: "i1.1 look_up returned otherwise at $.parcel: false against true"},
		{name: "a result that is text", a: scene{looked: "Parcel 9 is here."}, b: scene{looked: "Parcel 7 is here."}, class: explain.ToolResult, place: "line 1", text: `"Parcel 9 is here." against "Parcel 7 is here."`},
		{name: "spelled otherwise", b: scene{looked: `{"cents":8990, "parcel":false}`}, class: explain.ToolResult, place: "$"},
		{name: "two results", b: scene{looked: `{"parcel":false,"cents":1}`, paid: `{"paid":false}`}, class: explain.ToolResult, place: "$.cents", independents: []explain.Class{explain.ToolResult}},
		{name: "what a person says", b: scene{person: "yes, by credit note"}, class: explain.Person, place: "answer", text: "yes"},
		{name: "a person declines", b: scene{declined: true}, class: explain.Person, place: "declined"},
		{name: "a person waits", b: scene{waits: true}, class: explain.Person},
		{name: "a stop", b: scene{stops: true}, class: explain.Stop, text: "a stop, only in B: the turn was stopped: the desk closes"},
		{name: "another process", b: scene{lost: true}, class: explain.Process},
		{name: "an answer", b: scene{paid: `{"paid":false}`, ask: "I was charged twice!"}, class: explain.Person, place: "message", independents: []explain.Class{explain.ToolResult}},
		{name: "one call more", b: scene{asks: 1}, class: explain.ModelOutput, place: "calls", text: "none against look_up"},
		{name: "two calls more", a: scene{asks: 1}, b: scene{asks: 3}, class: explain.ModelOutput, place: "calls"},
		{name: "another turn", b: scene{second: "Thank you."}, class: explain.Person, place: "message", text: "only in B"},
		{name: "the second turn", a: scene{second: "Thank you."}, b: scene{second: "Thanks."}, class: explain.Person, place: "message"},
		{name: "where the second turn begins", a: scene{second: "Thank you.", anew: true}, b: scene{second: "Thank you."}, class: explain.Configuration, place: "continuity", text: "turn against conversation"},
		{name: "what the second turn carries", a: scene{second: "Thank you."}, b: scene{second: "Thank you.", paid: `{"paid":false}`}, class: explain.ToolResult, place: "$.paid"},
		{name: "posture", b: config(func(b *event.Started) { b.Posture = spoor.PostureRails }), class: explain.Configuration, place: "posture"},
		{name: "hidden", b: config(func(b *event.Started) { b.Hidden = []string{"fraud"} }), class: explain.Configuration, place: "hidden"},
		{name: "limits", b: config(func(b *event.Started) { b.Limits.ToolCalls = 7 }), class: explain.Configuration, place: "limits.toolCalls"},
		{name: "budget", b: config(func(b *event.Started) { b.MaxIterations = 1 }), class: explain.Configuration, place: "maxIterations"},
		{name: "machine", b: config(func(b *event.Started) { b.Machine = 9 }), class: explain.Configuration, place: "machine"},
		{name: "system", b: config(func(b *event.Started) { b.System = nil }), class: explain.Configuration, place: "system[0]"},
		{name: "steering", b: config(func(b *event.Started) {
			b.Injections.Steering = []event.Passage{{Piece: model.Sum("Be brief."), Data: "Be brief."}}
		}), class: explain.Configuration, place: "agent.steering[0]"},
		{name: "a tool", b: config(func(b *event.Started) {
			spec := `{"name":"look_up","description":"Look it up."}`
			b.Tools = slices.Clone(b.Tools)
			b.Tools[slices.IndexFunc(b.Tools, func(t event.Tool) bool { return t.Name == "look_up" })] = event.Tool{Name: "look_up", Piece: model.Sum(spec), Data: spec}
		}), class: explain.ToolSchema, place: "tools.look_up.description"},
		{name: "a tool that is missing", b: config(func(b *event.Started) { b.Tools = b.Tools[:1] }), class: explain.ToolMissing, place: "tools.look_up"},
		{name: "a label", b: config(func(b *event.Started) {
			b.Graph.Data = strings.Replace(b.Graph.Data, `"to":"manager"`, `"to":"manager","label":"angry"`, 1)
			b.Graph.Map = model.Sum(b.Graph.Data)
		}), class: explain.InMap, place: "steps[1].label"},
		{name: "cut", b: scene{cut: 9}, class: explain.Cut},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, b := test.a.play(t), test.b.play(t)
			c := explain.Compare(a, b)
			mirrored(t, a, b)
			if test.class == "" {
				if !c.Same || c.First != nil {
					t.Fatalf("nothing differs that counts:\n%s", c)
				}
				return
			}
			if c.First == nil || c.First.Class != test.class || c.First.Place != test.place || !strings.Contains(c.First.Text, test.text) {
				t.Fatalf("want first %s at %q, %s; got\n%+v\n%s", test.class, test.place, test.text, c.First, c)
			}
			if c.First.Origin != explain.FirstOne || c.First.Evidence != explain.Fact {
				t.Errorf("the first is %s, %s", c.First.Origin, c.First.Evidence)
			}
			var independents []explain.Class
			for _, d := range c.Then {
				switch {
				case d.Class == explain.Walk:
					t.Errorf("the walk itself is said to differ:\n%s", c)
				case d.Origin == explain.Independent:
					independents = append(independents, d.Class)
				case d.Link != explain.Derived || len(d.From) == 0 || slices.Max(d.From) >= d.Number:
					t.Errorf("difference %d is %s by %v, %s", d.Number, d.Origin, d.From, d.Link)
				}
			}
			if !slices.Equal(independents, test.independents) {
				t.Errorf("independent are %v, want %v:\n%s", independents, test.independents, c)
			}
			golden(t, "scene-"+strings.ReplaceAll(test.name, " ", "-")+".txt", c.String())
		})
	}
}

// What is chance makes no difference: ids, times, usage, the wire, attempts.
func TestCompareChance(t *testing.T) {
	for name, r := range each(t) {
		text := recorded(t, r)
		for _, edit := range [][2]string{
			{`"run":"RUN"`, `"run":"OTHER"`}, {`"time":"2026`, `"time":"2027`}, {`"model":"small-1"`, `"model":"small-2"`},
			{`"model":"small-1"`, `"usage":{"input":7},"wire":{"sha256":"ab","bytes":2},"attempts":[{"fault":"server","error":"no"}],"model":"small-1"`},
		} {
			other, err := recording.Read(bytes.NewReader(bytes.ReplaceAll(text, []byte(edit[0]), []byte(edit[1]))))
			if err != nil {
				t.Fatal(err)
			}
			if c := explain.Compare(r, other); !c.Same {
				t.Errorf("%s, %s:\n%s", name, edit[1], c)
			}
		}
	}
}

// All pairs of the walks of this package, however little they have in common.
func TestCompareEach(t *testing.T) {
	list := each(t)
	for _, a := range list {
		for _, b := range list {
			mirrored(t, a, b)
			c := explain.Compare(a, b)
			if text := c.String(); regexp.MustCompile(`\{[a-z]+\}`).MatchString(text) {
				t.Errorf("a place is left open:\n%s", text)
			}
			if _, err := json.Marshal(c); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestCompareNoTurn(t *testing.T) {
	empty := &recording.Recording{Run: "EMPTY"}
	c := explain.Compare(empty, scene{}.play(t))
	if c.Same || c.NotFound == nil || c.NotFound.Kind != explain.NotRecorded || c.A.Incomplete == "" {
		t.Errorf("got %+v", c)
	}
}

// Whatever stands in two files, they are compared without a panic, a recording
// is the same as itself, and the two sides are alike.
func FuzzCompare(f *testing.F) {
	whole := recorded(f, scene{second: "Thank you."}.play(f))
	other := recorded(f, scene{second: "Thank you.", looked: `{"parcel":true}`, asks: 2}.play(f))
	f.Add(whole, other)
	f.Add(whole, bytes.ReplaceAll(whole, []byte(`"because":[`), []byte(`"because":[99,20,3,1,`)))
	f.Add(whole, bytes.ReplaceAll(whole, []byte(`"at":`), []byte(`"drop":9223372036854775807,"at":`)))
	f.Add(whole, bytes.ReplaceAll(whole, []byte(`"kind":"started"`), []byte(`"kind":"begun"`)))
	f.Add(bytes.ReplaceAll(whole, []byte(`"piece"`), []byte(`"peace"`)), other)
	f.Add(bytes.ReplaceAll(whole, []byte(`"call":"i1.1"`), []byte(`"call":"i1.2"`)), whole[:len(whole)*2/3])
	f.Add(bytes.ReplaceAll(whole, []byte(`"turn":2`), []byte(`"turn":-7`)), bytes.ReplaceAll(other, []byte(`"seq":5,`), []byte(`"seq":2,`)))
	f.Fuzz(func(t *testing.T, x, y []byte) {
		a, err := recording.Read(bytes.NewReader(x))
		if err != nil {
			return
		}
		b, err := recording.Read(bytes.NewReader(y))
		if err != nil {
			return
		}
		mirrored(t, a, b)
		c := explain.Compare(a, b)
		_ = c.String()
		if _, err := json.Marshal(c); err != nil {
			t.Fatal(err)
		}
		var s explain.Separator
		for range 2 {
			s.Good(a)
			s.Bad(b)
		}
		sep := s.Result()
		_ = sep.String()
		if _, err := json.Marshal(sep); err != nil {
			t.Fatal(err)
		}
	})
}

// long is a run of so many events at least.
func long(tb testing.TB, events int, result func(i int) string) *recording.Recording {
	w := newWorld(tb, helpdesk(), brought())
	w.say("I was charged twice.", func(s *event.Started) { s.MaxIterations = events })
	w.step(&event.Scored{Scores: []score.Score{{ID: "billing", Score: 9}, {ID: "delivery", Score: 1}, {ID: "returns", Score: 0}}})
	for i := 1; len(w.recording().Events) < events; i++ {
		w.replies(call("look_up", fmt.Sprintf(`{"order":%d}`, i%700)))
		w.returns(fmt.Sprintf("i%d.1", i), result(i))
	}
	w.replies(say("That is all."))
	return w.recording()
}

func BenchmarkCompare(b *testing.B) {
	result := func(i int) string { return fmt.Sprintf(`{"parcel":false,"order":%d,"rows":[1,2,3]}`, i) }
	base := long(b, 10_000, result)
	for name, other := range map[string]*recording.Recording{
		"same": base,
		"one": long(b, 10_000, func(i int) string {
			return strings.Replace(result(i), "rows", map[bool]string{true: "lines", false: "rows"}[i == 1000], 1)
		}),
		"all": long(b, 10_000, func(i int) string { return result(i + 1) }),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				explain.Compare(base, other)
			}
		})
	}
}

func BenchmarkSeparator(b *testing.B) {
	r := long(b, 1000, func(i int) string { return fmt.Sprintf(`{"parcel":false,"order":%d,"rows":[1,2,3]}`, i) })
	b.ReportAllocs()
	for b.Loop() {
		var s explain.Separator
		s.Good(r)
		s.Bad(r)
	}
}
