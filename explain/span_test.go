package explain_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/internal/value"
	"github.com/spoorhq/spoor/recording"
)

func TestSpan(t *testing.T) {
	r := wrong(t, staleLine)
	golden(t, "span.txt", explain.Span(r, "within 60 days of delivery").String())
	golden(t, "span-mixed.txt", explain.Span(r, "arrived 42 days ago").String())
	golden(t, "answer.txt", explain.Answer(r).String())

	// Whoever asks about a few words of a copied sentence gets those words.
	s := explain.Span(r, "60 days")
	if got, want := fmt.Sprint(places(s)), `["60 days" body bytes 95–102 skills/refunds/SKILL.md:11:41]`; got != want {
		t.Errorf("the words 60 days come from %s, want %s", got, want)
	}

	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "span.json", string(data)+"\n")
}

// places says of every run where it comes from.
func places(s *explain.SpanReason) []string {
	var list []string
	for _, r := range s.Runs {
		if r.Sources == nil {
			list = append(list, fmt.Sprintf("%q %s", r.Text, r.NotFound.Kind))
		}
		for _, src := range r.Sources {
			at := fmt.Sprintf("%q %s bytes %d–%d", r.Text, src.Kind, src.Start, src.End)
			switch {
			case src.File != "":
				at += fmt.Sprintf(" %s:%d:%d", src.File, src.Line, src.Column)
			case src.Path != "":
				at += strings.TrimRight(" "+src.Call, " ") + " " + src.Path
			}
			if src.Brief {
				at += " brief"
			}
			list = append(list, at)
		}
	}
	return list
}

// The words are not in the script of the test: whatever stands in the runbook
// is what the answer repeats, and where it stands is what why names.
func TestRewrittenLine(t *testing.T) {
	const line = "- Since spring, refunds close 21 days after the parcel has come."
	r := wrong(t, line)
	s := explain.Span(r, "refunds close 21 days after the parcel")
	if len(s.Runs) != 1 || len(s.Runs[0].Sources) != 1 {
		t.Fatalf("want one run with one source, got\n%v", s)
	}
	src := s.Runs[0].Sources[0]
	start := strings.Index(runbook(line), "refunds close 21")
	want := explain.Range{Start: start, End: start + len(s.Text)}
	if src.Range != want || src.File != "skills/refunds/SKILL.md" || src.Line != 11 || src.Column != 17 {
		t.Errorf("got %v %s:%d:%d, want %v skills/refunds/SKILL.md:11:17", src.Range, src.File, src.Line, src.Column, want)
	}
	if s := explain.Span(r, "60 days"); s.NotFound == nil || s.NotFound.Kind != explain.NotRecorded {
		t.Errorf("60 days stands nowhere any more, got\n%v", s)
	}
}

func TestSources(t *testing.T) {
	for _, test := range []struct {
		name   string
		result string // of check_refund
		answer string
		span   string // empty: all of it
		want   []string
	}{{
		name:   "two sources, the runbook first: it was there from the start",
		result: `{"rule":"ask for a refund within 60 days of delivery"}`,
		answer: "You can ask for a refund within 60 days of delivery.",
		span:   "ask for a refund within 60 days of delivery",
		want: []string{
			`"ask for a refund within 60 days of delivery" body bytes 71–114 skills/refunds/SKILL.md:11:17`,
			`"ask for a refund within 60 days of delivery" result bytes 9–52 i2.1 $.rule`,
		},
	}, {
		name:   "a number that fills a JSON value",
		result: `{"windowDays":30}`,
		answer: "The window is 30 days.",
		want:   []string{`"The window is" not recorded`, `"30 days" result bytes 14–16 i2.1 $.windowDays`},
	}, {
		name:   "a number that only occurs inside a longer one",
		result: `{"windowDays":300,"note":"30d7","id":"A-30"}`,
		answer: "The window is 30 days.",
		want:   []string{`"The window is 30 days." not recorded`},
	}, {
		name:   "a value inside a longer word of the answer",
		result: `{"id":17,"half":5}`,
		answer: "See R-17, 17.5, 2017 and -5.",
		want:   []string{`"See R-17, 17.5, 2017 and -5." not recorded`},
	}, {
		name:   "words, truth and a list",
		result: `{"order":{"state":"paid","twice":true},"days":["Mon","Tue"],"a key":{"#":7}}`,
		answer: "It is paid (true); Tue, 7.",
		want: []string{
			`"It is" not recorded`, `"paid" result bytes 19–23 i2.1 $.order.state`,
			`"true" result bytes 33–37 i2.1 $.order.twice`, `"Tue" result bytes 54–57 i2.1 $.days[1]`,
			`"7" result bytes 73–74 i2.1 $["a key"]["#"]`,
		},
	}, {
		name:   "a string is compared by what it says, and its bytes are those of the file",
		result: `{"reason":"the \"window\" is over:\ncall us \u2013 caf\u00e9"}`,
		answer: "Sorry, the \"window\" is over:\ncall us – café.",
		want: []string{
			`"Sorry," not recorded`,
			`"the \"window\" is over:\ncall us – café" result bytes 11–60 i2.1 $.reason`,
		},
	}, {
		name:   "a short string with escapes",
		result: `{"size":"12\""}`,
		answer: `It is 12" wide.`,
		want:   []string{`"It is" not recorded`, `"12\"" result bytes 9–13 i2.1 $.size`, `"wide." not recorded`},
	}, {
		name:   "all of a result that is no JSON",
		result: `held`,
		answer: "The order is held.",
		want:   []string{`"The order is" not recorded`, `"held" result bytes 0–4`},
	}, {
		name:   "the message is a source",
		answer: "You say: I was charged twice for order 17.",
		span:   "I was charged twice for order 17",
		want:   []string{`"I was charged twice for order 17" message bytes 0–32`},
	}, {
		name:   "what every prompt begins with is a source",
		answer: "This is the refund desk of a shop for outdoor gear.",
		span:   "the refund desk of a shop",
		want:   []string{`"the refund desk of a shop" system bytes 8–33`},
	}, {
		name:   "the menu is a source",
		answer: "I can only Hand over to a person.",
		span:   "Hand over to a person",
		want:   []string{`"Hand over to a person" menu bytes 60–81`},
	}, {
		name:   "one word that is asked about by name",
		answer: "Order gear for a tent.",
		span:   "gear",
		want:   []string{`"gear" system bytes 46–50 brief`},
	}, {
		name:   "two words in a row, and one that stands nowhere with them",
		answer: "You have 60 days, or so.",
		span:   "have 60 days, or so",
		want:   []string{`"have" not recorded`, `"60 days" body bytes 95–102 skills/refunds/SKILL.md:11:41`, `"or so" not recorded`},
	}, {
		name:   "a short value, first where it has the name that the sentence has",
		result: `{"orderId":17,"cents":{"17":"x"}}`,
		answer: "It is order no. 17.",
		span:   "17",
		want: []string{
			`"17" result bytes 11–13 i1.1 $.orderId`, `"17" result bytes 11–13 i2.1 $.orderId`,
			`"17" message bytes 30–32`, `"17" result bytes 24–26 i2.1 $.cents`,
		},
	}, {
		name:   "the key of a JSON object",
		result: `{"windowDays":30}`,
		answer: "It says windowDays.",
		span:   "windowDays",
		want:   []string{`"windowDays" result bytes 2–12 i2.1 $ brief`},
	}, {
		name:   "an escape in JSON is no word",
		result: `{"reason":"the\nend, n = \"7\""}`,
		answer: "It is n.",
		span:   "n",
		want:   []string{`"n" result bytes 21–22 i2.1 $.reason brief`},
	}, {
		name:   "what the model was told of a tool",
		answer: "I can open_case for you.",
		span:   "open_case",
		want:   []string{`"open_case" tool bytes 9–18 $.name brief`},
	}, {
		name:   "a part of a word stands where it stands, a word only as a word",
		answer: "We lunge for a tent.",
		span:   "ten",
		want:   []string{`"ten" not recorded`},
	}, {
		name:   "half a word",
		answer: "We deliverx.",
		span:   "deliver",
		want:   []string{`"deliver" body bytes 106–113 skills/refunds/SKILL.md:11:52 brief`},
	}} {
		t.Run(test.name, func(t *testing.T) {
			result := test.result
			if result == "" {
				result = "{}"
			}
			r := run(t, desk(staleLine), map[string]string{"check_refund": result}, question,
				call("assess_risk", `{}`), call("check_refund", `{}`), say(test.answer))
			span := test.span
			if span == "" {
				span = test.answer
			}
			s := explain.Span(r, span)
			if diff := cmp.Diff(test.want, places(s)); diff != "" {
				t.Errorf("sources of %q (-want +got):\n%s", span, diff)
			}
			hold(t, r, s.Runs)
		})
	}
}

// What the model said before, and what it gave to tools, is never a source.
func TestOwnWords(t *testing.T) {
	const words = "the parcel was opened by a curious badger"
	r := run(t, desk(staleLine), nil, question,
		append(say("I think "+words), call("lookup_order", `{"note":"`+words+`"}`)...),
		say("Sorry, "+words+"."))
	s := explain.Span(r, words)
	if len(s.Runs) != 1 || s.Runs[0].Sources != nil || s.Runs[0].NotFound.Kind != explain.NotRecorded {
		t.Errorf("want no source, got\n%v", s)
	}
}

// The instructions that read_skill brought are lines of the skill's file too.
func TestReadBody(t *testing.T) {
	m := desk(staleLine)
	m.Skills[4].Source = spoor.Source{File: "skills/tone/SKILL.md", Line: 4}
	r := run(t, m, nil, question, call("read_skill", `{"id":"tone"}`), say("I never shout at a customer."))
	golden(t, "span-read.txt", explain.Span(r, "never shout at a customer").String())
}

func TestUnanswered(t *testing.T) {
	failed := run(t, desk(staleLine), nil, question) // the script has no reply
	empty := recording.NewWriter(nil, "empty").Recording()
	whole := wrong(t, staleLine)
	for _, test := range []struct {
		r    *recording.Recording
		span string
		want string
	}{
		{whole, "within 90 days", "\"within 90 days\":\n  the answer does not contain these words\n  Nearest to it there: \"within\"\n"},
		{whole, "WITHIN 60\n days", "\"WITHIN 60 days\":\n  the answer does not contain these words\n  Nearest to it there: \"within 60 days\"\n"},
		{whole, " ", "\"\":\n  no words were asked about\n"},
		{whole, ".", "\".\":\n  no words were asked about\n"},
		{failed, "60 days", "\"60 days\":\n  the turn ended without an answer: failed: the script has no reply for iteration 1 (not\n  reached)\n"},
		{empty, "60 days", "\"60 days\":\n  the recording has no turn, so there is no answer (not recorded)\n\nNote: the recording is incomplete: it has no events.\n"},
	} {
		if diff := cmp.Diff(test.want, explain.Span(test.r, test.span).String()); diff != "" {
			t.Errorf("Span(%q) (-want +got):\n%s", test.span, diff)
		}
	}
}

// hold checks what every run must keep: it is what stands in the answer, its
// sources are what stands in their pieces, and nothing is without a reason.
func hold(t *testing.T, r *recording.Recording, runs []explain.Run) {
	t.Helper()
	answer := r.Answer()
	end := 0
	for _, run := range runs {
		if run.Start < end || run.End <= run.Start || answer[run.Start:run.End] != run.Text {
			t.Fatalf("run %v %q is not in order, or not what stands there", run.Range, run.Text)
		}
		end = run.End
		if (run.Sources == nil) == (run.NotFound == nil) {
			t.Fatalf("run %q has %d sources, and the reason %v", run.Text, len(run.Sources), run.NotFound)
		}
		for _, src := range run.Sources {
			piece, ok := r.Piece(src.Piece)
			if !ok || src.Start > src.End || piece[src.Start:src.End] != src.Text {
				t.Fatalf("source %v of %q is not what stands there: %q", src.Range, run.Text, src.Text)
			}
			agree(t, run, src)
			if parts, _ := r.Request(src.Chain[1].Event); src.Kind != explain.FromTool && parts[src.Part-1].Piece != src.Piece {
				t.Fatalf("part %d of the request is not the source of %q", src.Part, run.Text)
			}
			if src.File != "" { // its body begins at line 5
				line := strings.Split(piece, "\n")[src.Line-5]
				if first, _, _ := strings.Cut(src.Text, "\n"); !strings.HasPrefix(line[src.Column-1:], first) {
					t.Fatalf("line %d of %s has no %q in column %d", src.Line, src.File, first, src.Column)
				}
			}
			if n := len(src.Chain); n < 3 || src.Chain[n-1].Kind != "started" {
				t.Fatalf("the chain of %q does not lead to the message: %v", run.Text, src.Chain)
			}
			for i := 1; i < len(src.Chain); i++ {
				if l := src.Chain[i]; l.Event >= src.Chain[i-1].Event || l.Text == "" || l.Evidence != explain.Fact && l.Evidence != explain.Derived {
					t.Fatalf("link %d of the chain of %q is %+v, after event %d", i, run.Text, l, src.Chain[i-1].Event)
				}
			}
		}
	}
}

// agree checks that a source says what a run says, in the way that it claims.
func agree(t *testing.T, run explain.Run, src explain.Source) {
	t.Helper()
	says := []string{src.Text}
	for range 4 { // a string of JSON in a string of JSON
		var text string
		if json.Unmarshal([]byte(`"`+says[len(says)-1]+`"`), &text) != nil {
			break
		}
		says = append(says, text)
	}
	any := func(yes func(says string) bool) bool { return slices.ContainsFunc(says, yes) }
	want := explain.Derived
	ok := true
	switch src.How {
	case explain.Verbatim:
		want = explain.Fact
		ok = any(func(says string) bool { return says == run.Text || says == strings.ToValidUTF8(run.Text, "\uFFFD") })
	case explain.Folded:
		ok = any(func(says string) bool { return explain.Fold(says) == explain.Fold(run.Text) })
	case explain.SameAs:
		a := value.Scan(run.Text)
		name := src.Path[strings.LastIndexAny(src.Path, ".]")+1:]
		ok = len(a) == 1 && any(func(says string) bool {
			b := value.Scan(says)
			return len(b) == 1 && (value.Same(a[0], b[0]) != value.None || name == "" || value.Same(a[0], b[0].Under(name)) != value.None)
		})
	case explain.DerivedOf:
		ok = src.Rule != "" && len(src.From) > 0
		for _, p := range src.From {
			ok = ok && p.Start >= src.Start && p.End <= src.End && p.Text == src.Text[p.Start-src.Start:p.End-src.Start]
		}
	}
	if !ok || src.Evidence != want {
		t.Fatalf("source %q, %s, %s, does not say %q", src.Text, src.How, src.Evidence, run.Text)
	}
}

// Whatever was copied is found, where it was copied from.
func TestPlanted(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		return []string{"tent", "days", "order", "30", "über", "a", "refund", "\"so\"", "日本"}[rng.IntN(9)]
	}
	text := func(n int) string {
		words := make([]string, n)
		for i := range words {
			words[i] = word()
		}
		return strings.Join(words, " ")
	}
	for range 200 {
		long, short := text(40), fmt.Sprintf("K%d", rng.IntN(1000))
		data, _ := json.Marshal(map[string]any{"long": long, "list": []string{"x", short}})
		words := strings.Split(long, " ")
		from := rng.IntN(20)
		planted := strings.Join(words[from:from+12], " ")
		answer := "zz " + planted + " zz " + short + " zz"
		r := run(t, desk(text(10)), map[string]string{"check_refund": string(data)}, question,
			call("assess_risk", "{}"), call("check_refund", "{}"), say(answer))
		a := explain.Answer(r)
		hold(t, r, a.Runs)
		hold(t, r, explain.Span(r, planted).Runs)
		for _, want := range []struct{ text, path string }{{planted, "$.long"}, {short, "$.list[1]"}} {
			s := explain.Span(r, want.text)
			if len(s.Runs) != 1 || !slices.ContainsFunc(s.Runs[0].Sources, func(src explain.Source) bool { return src.Path == want.path }) {
				t.Fatalf("%q was copied from %s of\n%s\ngot\n%v", want.text, want.path, data, s)
			}
		}
	}
}

func TestBigContext(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	b.WriteString(`{"rows":[`)
	for i := range 9000 {
		fmt.Fprintf(&b, `{"id":%d,"note":"row %d was read at %x, \"twice\""},`, i, i, rng.Uint64())
	}
	b.WriteString(`{"note":"the window closes sixty days after delivery"}]}`)
	big := map[string]string{"check_refund": b.String(), "lookup_order": b.String()}
	answer := strings.Repeat("I have no idea what to say here, I am afraid. ", 80) + "the window closes sixty days after delivery"
	r := run(t, desk(staleLine), big, question, call("lookup_order", "{}", "assess_risk", "{}"), call("check_refund", "{}"), say(answer))
	begin := time.Now()
	s := explain.Span(r, "the window closes sixty days after delivery")
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("%d KB of context took %v", 2*b.Len()/1000, took)
	}
	if got := places(s); len(got) != 2 || !strings.HasSuffix(got[0], " i1.1 $.rows[9000].note") {
		t.Errorf("got %q", got)
	}
}

func BenchmarkSpan(b *testing.B) {
	var rows strings.Builder
	for i := range 15000 {
		fmt.Fprintf(&rows, `{"id":%d,"note":"row %d is like any other row"},`, i, i)
	}
	big := "[" + rows.String() + `"the window closes sixty days after delivery"]`
	answer := strings.Repeat("Whatever else there is to say, row 77 is fine. ", 80) + "the window closes sixty days after delivery"
	r := run(b, desk(staleLine), map[string]string{"check_refund": big}, question, call("assess_risk", "{}"), call("check_refund", "{}"), say(answer))
	b.SetBytes(int64(len(big)))
	for b.Loop() {
		explain.Span(r, "sixty days")
	}
}

// What would take too long is given up, and said so.
func TestTooMuch(t *testing.T) {
	text := strings.Repeat("ab ", 1<<17)
	r := run(t, desk(staleLine), map[string]string{"check_refund": text}, question,
		call("assess_risk", "{}"), call("check_refund", "{}"), say(text[1:]))
	begin := time.Now()
	a := explain.Answer(r)
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if a.Unsearched == "" {
		t.Errorf("nothing says that the search was given up")
	}
	for _, run := range a.Runs {
		if run.NotFound != nil && run.NotFound.Kind != explain.OutOfBudget {
			t.Errorf("bytes %d–%d are %s, though the search was given up", run.Start, run.End, run.NotFound.Kind)
		}
	}
}

// A recording that was cut says so, and is explained as far as it goes.
func TestCut(t *testing.T) {
	whole := recorded(t, wrong(t, staleLine))
	lines := bytes.SplitAfter(whole, []byte("\n"))
	for n := 1; n < len(lines)-2; n++ { // the last two seal the turn
		cut := append(bytes.Join(lines[:n], nil), lines[n][:len(lines[n])/2]...)
		r, err := recording.Read(bytes.NewReader(cut))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range everything(r, "60 days", "refunds") {
			if text := v.String(); !strings.Contains(text, "incomplete") {
				t.Errorf("cut in line %d: this does not say that the recording is incomplete:\n%s", n+1, text)
			}
		}
	}
	// What was said last is answered for, though the end is missing.
	cut := bytes.Join(lines[:len(lines)-3], nil)
	r, err := recording.Read(bytes.NewReader(cut))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "cut.txt", explain.Span(r, "60 days").String())
}

// What was changed after it was recorded is not told without a word.
func TestChanged(t *testing.T) {
	whole := recorded(t, wrong(t, staleLine))
	const note = "the recording is not as it was written"
	for _, test := range []struct {
		old, new string
		all      bool // every answer rests on it
	}{
		{"refund within 60 days of", "refund within 61 days of", false}, // the runbook and the answer
		{"How long do I have", "How long did I have", true},             // the message
		{`\"name\":\"desk\"`, `\"name\":\"disk\"`, true},                // the map
	} {
		if !bytes.Contains(whole, []byte(test.old)) {
			t.Fatalf("the recording has no %s", test.old)
		}
		r, err := recording.Read(bytes.NewReader(bytes.ReplaceAll(whole, []byte(test.old), []byte(test.new))))
		if err != nil {
			t.Fatal(err)
		}
		rest := []fmt.Stringer{explain.Narrate(r), explain.Span(r, "delivery"), explain.Answer(r)}
		if test.all {
			rest = append(rest, explain.Move(r, 3), explain.NotSkill(r, "feedback"))
		}
		for _, v := range rest {
			data, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			if text := strings.Join(strings.Fields(v.String()), " "); !strings.Contains(text, note) || !strings.Contains(string(data), note) {
				t.Errorf("%s: this does not say that something was changed:\n%s\n%s", test.new, text, data)
			}
		}
	}
	r, err := recording.Read(bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range everything(r, "60 days", "refunds") {
		if strings.Contains(v.String(), note) {
			t.Errorf("nothing was changed:\n%s", v)
		}
	}
}

// Few words that are asked about by name are told with their file, their line
// and the way to the message.
func TestBrief(t *testing.T) {
	r := run(t, desk("- A loan can be renewed 9 times."), nil, question,
		call("assess_risk", "{}"), say("Yes, up to 9 times."))
	golden(t, "span-brief.txt", explain.Span(r, "9 times").String())
	s := explain.Span(r, "9 times")
	if len(s.Runs) != 1 || s.Copied != 0 {
		t.Errorf("%d bytes are said to be copied, in %d runs", s.Copied, len(s.Runs))
	}
	hold(t, r, s.Runs)

	// One letter stands in too many places to list, and what was copied stays.
	many := strings.Repeat(`"a b",`, 200)
	r = run(t, desk(staleLine), map[string]string{"check_refund": `[` + many + `"b"]`}, question,
		call("assess_risk", "{}"), call("check_refund", "{}"), say("It is b."))
	s = explain.Span(r, "b")
	sources := s.Runs[0].Sources
	if len(sources) != 100 || sources[0].Brief || !sources[0].Fills || !sources[99].Brief || s.Unsearched == "" {
		t.Errorf("there are %d sources, the first of which is %+v, and it is said %q", len(sources), sources[0], s.Unsearched)
	}
	hold(t, r, s.Runs)
}

// recorded is the file of a recording.
func recorded(t testing.TB, r *recording.Recording) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := recording.NewWriter(&b, "RUN").Append(r.Events); err != nil {
		t.Fatal(err)
	}
	return []byte(`{"spoor":0,"run":"RUN"}` + "\n" + strings.TrimPrefix(b.String(), `{"spoor":0,"run":"RUN"}`+"\n"))
}

// everything asks all there is to ask.
func everything(r *recording.Recording, span, skill string) []fmt.Stringer {
	list := []fmt.Stringer{explain.Narrate(r), explain.Span(r, span), explain.Answer(r), explain.NotSkill(r, skill)}
	for n := range 6 {
		list = append(list, explain.Move(r, n), explain.Tool(r, fmt.Sprintf("i%d.1", n)))
	}
	return list
}

// However a recording was damaged, it is explained without a panic.
func FuzzRecording(f *testing.F) {
	whole := recorded(f, wrong(f, staleLine))
	f.Add(whole)
	f.Add(bytes.ReplaceAll(whole, []byte(`"because":[`), []byte(`"because":[99,20,`)))
	f.Add(bytes.ReplaceAll(whole, []byte(`"seq":1`), []byte(`"seq":-1`)))
	f.Add(bytes.ReplaceAll(whole, []byte(`"at":`), []byte(`"drop":9223372036854775807,"at":`)))
	f.Add(bytes.ReplaceAll(whole, []byte(`"kind":"started"`), []byte(`"kind":"begun"`)))
	f.Add(bytes.ReplaceAll(whole, []byte(`"piece"`), []byte(`"peace"`)))
	for _, r := range each(f) {
		f.Add(recorded(f, r))
		f.Add(bytes.ReplaceAll(recorded(f, r), []byte(`"because":[`), []byte(`"because":[99,20,3,`)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := recording.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, v := range append(everything(r, "60 days", "refunds"), everything(r, "sorry for it", "delivery")...) {
			_ = v.String()
			if _, err := json.Marshal(v); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func FuzzSpan(f *testing.F) {
	f.Add("You have 30 days.", `{"windowDays":30}`, "30 days", "have 30")
	f.Add("the \"window\" is\nover now, sorry", `{"reason":"the \"window\" is\nover now"}`, "", "window")
	f.Add("\xff\xfe 日本語の返金ポリシーです", `["日本語の返金ポリシーです", "\ud83d\ude00", "\ud83d"]`, "日本語", "返金")
	f.Add(strings.Repeat("a b ", 30), strings.Repeat("a b ", 60), "a b a b a b a b a b", "b a")
	f.Add(strings.Repeat("a b ", 27)+"a b\x00a a b a b ", strings.Repeat("a b ", 14)+"a b\x00\x00\x00@ "+strings.Repeat("a b ", 24)+"\x01 b "+strings.Repeat("a b ", 20), "a b a b\fa b a\rb a b b", "b a")
	f.Fuzz(func(t *testing.T, answer, result, body, span string) {
		r := run(t, desk(body), map[string]string{"check_refund": result}, question,
			call("assess_risk", "{}"), call("check_refund", "{}"), say(answer))
		s, a := explain.Span(r, span), explain.Answer(r)
		_, _ = s.String(), a.String()
		hold(t, r, s.Runs)
		hold(t, r, a.Runs)
		for _, at := range s.At {
			if answer[at.Start:at.End] != span {
				t.Fatalf("%q does not stand at %v", span, at)
			}
		}
	})
}
