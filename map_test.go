package spoor_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
	"github.com/spoorhq/spoor/score"
)

// full is a map with every field set.
func full() *spoor.Map {
	yes, margin, size, floor := true, 0.2, 4, -1.5
	return &spoor.Map{
		Name: "desk",
		Skills: []spoor.Skill{
			{ID: "triage", Description: "Sort <requests> & rate them.", Body: "Find the order.\n", Tools: []string{"lookup", "rate"},
				AutoActivate: spoor.CurrentSkill, Delivery: spoor.DeliverBoth, Model: "small"},
			{ID: "billing"}, {ID: "person"}},
		Start: spoor.Start{
			Rules: []spoor.Rule{
				{Use: "triage", Match: match.Keywords("refund", "charge"), Examples: spoor.Phrases{"I was charged twice"}, Label: "money"},
				{Use: "triage", Match: match.All(match.Regex(`\bcheck\b`, "i"), match.Keywords("late"))},
				{Use: "person", Match: match.Intent("wants a human", "get me a person")},
				{Use: "billing", When: "iteration == 1"},
				{Use: "triage"}},
			Classify: "keyword",
			Routing:  &score.Policy{NearTieMargin: &margin, MenuSize: &size, Floor: &floor},
		},
		Steps: []spoor.Step{
			{From: "triage", To: "person", OnToolReturn: "rate", OnToolStatus: spoor.Statuses{spoor.Success, spoor.Partial},
				Guard: guard.Guard{guard.In("risk", "high", "critical"), guard.Gte("score", 0.7), guard.Lt("score", 9007199254740993)},
				Label: "risky"},
			{From: "triage", To: "billing", OnToolReturn: spoor.ToolPattern("^look/up$", "i")},
			{From: "triage", To: "billing", When: "json.paid"},
			{From: "billing", To: "person"}},
		NeverRoutes: spoor.Phrases{"what is the weather", "hello"},
		ScopeTools:  &yes,
		KnownTools:  []string{"search"},
		Scales:      guard.Scales{"risk": {"low", "high", "critical"}},
	}
}

func TestAMapIsTheSameAfterJSON(t *testing.T) {
	for _, m := range []*spoor.Map{
		full(),
		{Skills: []spoor.Skill{}},
		{Skills: []spoor.Skill{{ID: "a"}}, Start: spoor.Start{Use: "a"}},
		{Skills: []spoor.Skill{{ID: "a"}}, Start: spoor.Start{
			Entries:  []spoor.Entry{{Use: "a"}, {Use: "b", Match: match.Regex("x")}, {Use: "c", When: "true", Label: "c"}},
			ScoredBy: "keyword"}},
		// None of these is a graph, and each must stay as refused as it is.
		{Skills: []spoor.Skill{{ID: "a"}}, Start: spoor.Start{Use: "a", Rules: []spoor.Rule{}, Entries: []spoor.Entry{}}},
		{Skills: []spoor.Skill{{ID: "a"}}, Start: spoor.Start{Rules: []spoor.Rule{{Use: "a", Match: match.Keywords()}}}},
	} {
		data, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(m, parse(t, string(data)), values); d != "" {
			t.Errorf("after %s (-want +got):\n%s", data, d)
		}
	}
}

func TestWhatIsNotSetIsNotWritten(t *testing.T) {
	data, err := json.Marshal(&spoor.Map{
		Skills: []spoor.Skill{{ID: "a", Source: spoor.Source{File: "a.md", Line: 3}}},
		Start:  spoor.Start{Entries: []spoor.Entry{{Use: "a"}}},
		Steps:  []spoor.Step{{From: "a", To: "a"}},
	})
	want := `{"skills":[{"id":"a"}],"start":{"entries":["a"]},"steps":[{"from":"a","to":"a"}]}`
	if err != nil || string(data) != want {
		t.Errorf("got %s, %v\nwant %s", data, err, want)
	}
}

func TestShortFormsReadAsTheLongOnes(t *testing.T) {
	for _, c := range []struct{ short, long string }{
		{`{"start": "a"}`, `{"start": {"use": "a"}}`},
		{`{"start": {"entries": ["a"]}}`, `{"start": {"entries": [{"use": "a"}]}}`},
		{`{"neverRoutes": "hello"}`, `{"neverRoutes": ["hello"]}`},
		{`{"start": {"rules": [{"use": "a", "examples": "hello"}]}}`, `{"start": {"rules": [{"use": "a", "examples": ["hello"]}]}}`},
		{`{"start": {"rules": [{"use": "a", "match": {"intent": "x", "examples": "hello"}}]}}`,
			`{"start": {"rules": [{"use": "a", "match": {"intent": "x", "examples": ["hello"]}}]}}`},
		{`{"steps": [{"from": "a", "to": "b", "onToolStatus": "denied"}]}`, `{"steps": [{"from": "a", "to": "b", "onToolStatus": ["denied"]}]}`},
	} {
		if d := cmp.Diff(parse(t, c.long), parse(t, c.short), values); d != "" {
			t.Errorf("%s (-long +short):\n%s", c.short, d)
		}
	}
}

func TestJSONThatIsNoMapIsRefused(t *testing.T) {
	for _, data := range []string{
		`{"start": {"usee": "a"}}`,
		`{"start": {"entries": [{"skill": "a"}]}}`,
		`{"start": 1}`,
		`{"start": {"rules": [{"use": "a", "match": {"words": ["x"]}}]}}`,
		`{"steps": [{"onToolReturn": {"source": "x"}}]}`,
		`{"steps": [{"onToolReturn": 1}]}`,
		`{"steps": [{"onToolReturn": "/x/"}]}`,
		`{"steps": [{"onToolStatus": {"success": true}}]}`,
		`{"steps": [{"guard": ["score"]}]}`,
		`{"steps": [{"guard": {"score": 1}}]}`,
		`{"steps": [{"guard": {"score": {"gt": 1, "gt": 2}}}]}`,
		`{"neverRoutes": [1]}`,
	} {
		if err := json.Unmarshal([]byte(data), new(spoor.Map)); err == nil {
			t.Errorf("%s is read", data)
		}
	}
}

func TestToolNamesAreNamesOrPatterns(t *testing.T) {
	for _, c := range []struct {
		name          spoor.ToolName
		source, flags string
		pattern       bool
		json          string
	}{
		{"rate", "", "", false, `"rate"`},
		{"a/b", "", "", false, `"a/b"`},
		{"/", "", "", false, `"/"`},
		{"/half", "", "", false, `"/half"`},
		{spoor.ToolPattern("^rate_", ""), "^rate_", "", true, `{"regex":"^rate_"}`},
		{spoor.ToolPattern("a/b", "is"), "a/b", "is", true, `{"regex":"a/b","flags":"is"}`},
		{spoor.ToolPattern("/", ""), "/", "", true, `{"regex":"/"}`},
		{"/x/i", "x", "i", true, `{"regex":"x","flags":"i"}`},
	} {
		source, flags, pattern := c.name.Pattern()
		if source != c.source || flags != c.flags || pattern != c.pattern {
			t.Errorf("%s: got %q, %q, %v", c.name, source, flags, pattern)
		}
		data, err := json.Marshal(c.name)
		if err != nil || string(data) != c.json {
			t.Errorf("%s is written as %s, %v", c.name, data, err)
		}
		var back spoor.ToolName
		if err := json.Unmarshal(data, &back); err != nil || back != c.name {
			t.Errorf("%s comes back as %s, %v", c.name, back, err)
		}
	}
}

func TestStatusesAreAClosedSet(t *testing.T) {
	for s := range strings.FieldsSeq("success partial pending failure denied invalid absent") {
		if !spoor.Status(s).Valid() {
			t.Errorf("%s is no status", s)
		}
	}
	for _, s := range []spoor.Status{"", "Success", "ok", " success"} {
		if s.Valid() {
			t.Errorf("%q is a status", s)
		}
	}
}

// FuzzMapJSON: a map that can be read can be written, and reads as the same.
// An empty list may come back as none.
func FuzzMapJSON(f *testing.F) {
	data, err := json.Marshal(full())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(town))
	f.Add([]byte(`{"start": "a", "steps": [{"guard": {"a": {}, "b": {"like": {"c": [1]}}}, "onToolReturn": {"regex": "/"}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m := new(spoor.Map)
		if json.Unmarshal(data, m) != nil {
			return
		}
		written, err := json.Marshal(m)
		if err != nil {
			t.Fatalf("%#v cannot be written: %v", m, err)
		}
		if d := cmp.Diff(m, parse(t, string(written)), values, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("written as %s (-want +got):\n%s", written, d)
		}
	})
}
