package match_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/spoorhq/spoor/match"
)

// TestFaults compiles matchers as a file writes them. Each wants its faults, all
// of them in order, as "at: message (hint)"; a fragment of each is enough.
func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		matcher string
		want    []string
	}{
		{`{"flags": "i"}`, []string{"a matcher needs one of regex, keywords, all, intent"}},
		{`{"regex": "a", "keywords": ["b"]}`, []string{"a matcher has one form, and this has regex and keywords"}},
		{`{"keywords": ["a"], "flags": "i", "examples": ["a"]}`, []string{"flags: flags belong to a regex", "examples: examples inside a matcher belong to an intent"}},

		{`{"regex": ""}`, []string{"regex: the regex is empty"}},
		{`{"regex": "a", "flags": "ixx"}`, []string{`flags: the flags "xx" are not known (use i (either case)`}},
		{`{"regex": "(", "flags": "z"}`, []string{`flags: the flags "z"`, "regex: the regex has a fault, missing closing ): ("}},
		{`{"regex": "\bcheck\b"}`, []string{"regex: the regex has a backspace in it"}},
		{`{"regex": "refund(?=ed)"}`, []string{"regex: RE2 has no look-ahead: (?= (`all` says \"and\""}},
		{`{"regex": "^(?!.*refund)"}`, []string{"regex: RE2 has no look-ahead: (?!"}},
		{`{"regex": "(?<=a)b"}`, []string{"regex: RE2 has no look-behind: (?<=a)b"}},
		{`{"regex": "(?<!a)b>"}`, []string{"regex: RE2 has no look-behind: (?<!a)b>"}},
		{`{"regex": "(?>a)"}`, []string{"regex: RE2 has no atomic groups: (?>"}},
		{`{"regex": "(a)\\1"}`, []string{`regex: RE2 has no back-references: \1 (write the repeated text out`}},
		{`{"regex": "(?<n>a)\\k<n>"}`, []string{`regex: RE2 has no back-references: \k`}},
		{`{"regex": "\\u0041"}`, []string{`regex: RE2 does not know the escape \u (write \x{0041} for \u0041`}},
		{`{"regex": "\\cA"}`, []string{`regex: RE2 does not know the escape \c`}},
		{`{"regex": "a++"}`, []string{"regex: RE2 cannot repeat a repetition: ++"}},
		{`{"regex": "a{1001}"}`, []string{"regex: the repeat count is too large: {1001}"}},
		{`{"regex": "[z-a]"}`, []string{"regex: the regex has a fault, invalid character class range: z-a"}},
		{`{"regex": "` + strings.Repeat("a", 4097) + `"}`, []string{"regex: the regex is 4097 bytes long"}},
		{`{"regex": "` + strings.Repeat("a{1000}", 11) + `"}`, []string{"regex: the regex compiles to more than 10000 instructions"}},
		{`{"regex": "(a{1000}){1000}"}`, []string{"regex: the repeat count is too large: {1000} (counts go to 1000, nested ones multiplied)"}},
		{`{"regex": "` + strings.Repeat("(a{9}){9}|", 1<<20) + `"}`, []string{"regex: the regex is 10485760 bytes long"}},
		{`{"regex": "` + strings.Repeat("[Ā-𞥂]", 20) + `", "flags": "i"}`, []string{"regex: the regex names too many characters"}},
		{`{"regex": "` + strings.Repeat(`\\pL`, 1000) + `"}`, []string{"regex: the regex names too many characters"}},

		{`{"keywords": []}`, []string{"keywords: keywords is empty"}},
		{`{"keywords": ["a", "", " \t"]}`, []string{"keywords[1]: the keyword is blank", "keywords[2]: the keyword is blank"}},
		{`{"keywords": ["` + strings.Repeat("a", 257) + `"]}`, []string{"keywords[0]: the keyword is 257 bytes long"}},
		{`{"keywords": ["a"` + strings.Repeat(`,"a"`, 1000) + `]}`, []string{"keywords: keywords has 1001 words"}},

		{`{"all": []}`, []string{"all: `all` without parts"}},
		{`{"all": [{"keywords": ["a", ""]}, {"all": []}, {"all": [{"regex": "("}]}]}`, []string{
			"all[0].keywords[1]: the keyword is blank", "all[1].all: `all` without parts", "all[2].all[0].regex: the regex has a fault"}},
		{`{"all": [{"intent": "a", "examples": ["b"]}, {"regex": "a", "flags": "v"}]}`, []string{"all[0]: an intent cannot be a part", `all[1].flags: the flags "v"`}},
		{`{"all": [{"regex": "a"}` + strings.Repeat(`,{"regex": "a"}`, 64) + `]}`, []string{"all: a matcher has at most 64 parts"}},

		{`{"intent": "a"}`, []string{"examples: an intent needs examples"}},
		{`{"intent": " ", "examples": ["a", " "]}`, []string{"intent: the intent is blank", "examples[1]: the example is blank"}},
		{`{"intent": "` + strings.Repeat("a", 4097) + `", "examples": []}`, []string{"intent: the intent is 4097 bytes long", "examples: an intent needs examples"}},
		{`{"intent": "a", "examples": ["a"` + strings.Repeat(`,"a"`, 1000) + `]}`, []string{"examples: the intent has 1001 examples"}},
	} {
		var m match.Match
		if err := json.Unmarshal([]byte(tt.matcher), &m); err != nil {
			t.Errorf("%.60s: %v", tt.matcher, err)
			continue
		}
		c, faults := match.Compile(m)
		if c != nil {
			t.Errorf("%.60s: compiles", tt.matcher)
		}
		var got []string
		for _, f := range faults {
			got = append(got, f.String())
			if f.Message == "" || f.Hint == "" || len(f.Message) > 200 {
				t.Errorf("%.60s: a fault says what is wrong and what to do, briefly: %+v", tt.matcher, f)
			}
		}
		ok := len(got) == len(tt.want)
		for i := range min(len(got), len(tt.want)) {
			ok = ok && strings.HasPrefix(got[i], tt.want[i])
		}
		if !ok {
			t.Errorf("%.60s:\ngot  %q\nwant %q", tt.matcher, got, tt.want)
		}
	}
	for _, m := range []match.Match{{}, match.All(match.Match{}), match.Keywords("\xff"), match.Regex("\xff"), match.Intent("\xff", "a")} {
		if _, faults := match.Compile(m); len(faults) != 1 {
			t.Errorf("%q: %v", m.Caption(), faults)
		}
	}
}

// TestUnmarshalRefuses reads what a Match cannot hold.
func TestUnmarshalRefuses(t *testing.T) {
	for matcher, want := range map[string]string{
		`null`:                            "match: a matcher is an object with one of regex, keywords, all, intent",
		`"refund"`:                        "match: a matcher is an object with one of regex, keywords, all, intent",
		`{}`:                              "match: a matcher is an object with one of regex, keywords, all, intent",
		`{"regexp": "a"}`:                 "match: regexp: a matcher has no such key",
		`{"Regex": "a"}`:                  "match: Regex: a matcher has no such key",
		`{"regex": null}`:                 "match: regex: wants a text",
		`{"regex": "a", "flags": 1}`:      "match: flags: wants a text",
		`{"keywords": "x"}`:               "match: keywords: wants a list of texts",
		`{"keywords": ["x", null]}`:       "match: keywords: wants a list of texts",
		`{"all": ["x"]}`:                  "match: all[0]: a matcher is an object with one of regex, keywords, all, intent",
		`{"all": [{"keywords": [1]}]}`:    "match: all[0].keywords: wants a list of texts",
		`{"intent": "a", "examples": {}}`: "match: examples: wants a list of texts",
	} {
		m := match.Regex("kept")
		err := m.UnmarshalJSON([]byte(matcher))
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", matcher, err, want)
		}
		if m.Caption() != "/kept/" {
			t.Errorf("%s: changed the matcher", matcher)
		}
	}
}

func TestJSON(t *testing.T) {
	for _, tt := range []struct {
		match match.Match
		want  string
	}{
		{match.Regex("<a>", "i"), `{"regex":"<a>","flags":"i"}`},
		{match.Regex(""), `{"regex":""}`},
		{match.Keywords("a"), `{"keywords":["a"]}`},
		{match.Keywords(), `{"keywords":[]}`},
		{match.All(match.Regex("a"), match.All()), `{"all":[{"regex":"a"},{"all":[]}]}`},
		{match.Intent("a", "b"), `{"intent":"a","examples":["b"]}`},
	} {
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(tt.match); err != nil || strings.TrimSpace(b.String()) != tt.want {
			t.Errorf("got %s, %v, want %s", b.String(), err, tt.want)
		}
	}
	var m match.Match
	if err := json.Unmarshal([]byte(`{"intent": "a", "examples": "b"}`), &m); err != nil || len(m.Examples) != 1 {
		t.Errorf("one phrase is a list of one: got %+v, %v", m, err)
	}
	rule, err := json.Marshal(struct {
		Match match.Match `json:"match,omitzero"`
	}{})
	if string(rule) != `{}` {
		t.Errorf("no matcher is left out: got %s, %v", rule, err)
	}
}

// FuzzMatchJSON holds that what is read is written and read back the same, that
// nothing read makes Compile panic, and that compiling a second time changes
// nothing.
func FuzzMatchJSON(f *testing.F) {
	f.Add([]byte(`{"regex": "\\bcheck\\b", "flags": "mig"}`))
	f.Add([]byte(`{"keywords": ["refund", " charged twice "]}`))
	f.Add([]byte(`{"all": [{"regex": "(a|b)+"}, {"all": [{"keywords": ["late"]}]}]}`))
	f.Add([]byte(`{"intent": "wants a human", "examples": "get me a person"}`))
	f.Add([]byte(`{"regex": "(?<=a)\\k<n>(?=b)\\u0041", "keywords": null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var m, again match.Match
		if json.Unmarshal(data, &m) != nil {
			return
		}
		same(t, m, &again)
		c, faults := match.Compile(m)
		if (c == nil) == (faults == nil) {
			t.Fatalf("%+v: %v, %v", m, c, faults)
		}
		if m.Caption() == "" && c != nil {
			t.Errorf("%+v has no caption", m)
		}
		if c == nil {
			return
		}
		d, faults := match.Compile(c.Data())
		if faults != nil || !reflect.DeepEqual(d.Data(), c.Data()) {
			t.Fatalf("%s: compiled again: %v", c.Data().Caption(), faults)
		}
		c.Match(string(data))
		if r := match.Compare(c, d); r != match.Shadows && !c.IsIntent() {
			t.Errorf("%s does not shadow itself", c.Data().Caption())
		}
	})
}

// same writes m, reads it into again, and compares.
func same(t *testing.T, m match.Match, again *match.Match) {
	t.Helper()
	written, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(written, again); err != nil {
		t.Fatalf("%s: %v", written, err)
	}
	if !reflect.DeepEqual(m, *again) {
		t.Fatalf("%+v is written as %s and read as %+v", m, written, *again)
	}
}
