package check

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
)

// skills are n skills, called a, b, c and so on.
func skills(n int) (list []spoor.Skill) {
	for i := range n {
		list = append(list, spoor.Skill{ID: string(rune('a' + i))})
	}
	return list
}

// stepsBetween are steps written as "ab bc".
func stepsBetween(pairs string) (steps []spoor.Step) {
	for _, pair := range strings.Fields(pairs) {
		steps = append(steps, spoor.Step{From: pair[:1], To: pair[1:]})
	}
	return steps
}

func words(n int) string { return strings.TrimSpace(strings.Repeat("word \n\t", n)) }

func TestToolsSharePrefix(t *testing.T) {
	tests := []struct {
		name   string
		tools  string
		skills int
		want   bool
	}{
		{"one word for all", "jira_find jira_open jira_close", 5, true},
		{"of four skills", "jira_find jira_open jira_close", 4, false},
		{"a verb", "get_user get_plan get_bill", 5, false},
		{"a verb in upper case", "GET_user get_plan Get_bill", 5, false},
		{"two tools", "jira_find jira_open", 5, false},
		{"one without a prefix", "jira_find jira_open close", 5, false},
		{"one with another", "jira_find jira_open mail_send", 5, false},
		{"in several cases", "jira_find Jira_open JIRA_close", 5, true},
		{"an underscore in front", "_find _open _close", 5, false},
		{"an underscore in front of a word", "_jira_find _jira_open _jira_close", 5, false},
		{"no tools", "", 5, false},
	}
	for _, tt := range tests {
		m := &spoor.Map{Skills: skills(tt.skills)}
		m.Skills[2].Tools = strings.Fields(tt.tools)
		var want spoor.Problems
		if tt.want {
			want = spoor.Problems{{
				Level: Advice, Code: "tools-share-prefix", Ref: "skills[2].tools", Skill: "c",
				Message: `all 3 tools of "c" begin with "jira", which names a system and not a task`,
				Hint:    "cut the skills by what a person wants done",
			}}
		}
		if diff := cmp.Diff(want, reported(t, m, nil, "tools-share-prefix")); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.name, diff)
		}
	}
}

func TestSkillWrapsOneTool(t *testing.T) {
	tests := []struct {
		name   string
		tools  string
		body   string
		skills int
		want   string // how many words, if it is reported
	}{
		{"few words", "get_weather", "Look up the weather.", 5, "4 words"},
		{"one word", "get_weather", "Weather.", 5, "1 word"},
		{"no body", "get_weather", "", 5, "0 words"},
		{"24 words", "get_weather", words(24), 5, "24 words"},
		{"25 words", "get_weather", words(25), 5, ""},
		{"two tools", "get_weather get_time", "Look.", 5, ""},
		{"no tool", "", "Look.", 5, ""},
		{"of four skills", "get_weather", "Look.", 4, ""},
	}
	for _, tt := range tests {
		m := &spoor.Map{Skills: skills(tt.skills)}
		m.Skills[1].Tools, m.Skills[1].Body = strings.Fields(tt.tools), tt.body
		var want spoor.Problems
		if tt.want != "" {
			want = spoor.Problems{{
				Level: Advice, Code: "skill-wraps-one-tool", Ref: "skills[1]", Skill: "b",
				Message: fmt.Sprintf(`skill "b" is the tool "get_weather" and %s about it`, tt.want),
				Hint:    "give the tool to the skill that needs it, or say here when and how to use it",
			}}
		}
		if diff := cmp.Diff(want, reported(t, m, nil, "skill-wraps-one-tool")); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.name, diff)
		}
	}
}

func TestFewDeclaredEdges(t *testing.T) {
	tests := []struct {
		skills int
		steps  string
		want   string
	}{
		{8, "ab", "there is less than one step for four skills: 1 step for 8 skills"},
		{8, "ab ac", ""},
		{9, "ab ac", "there is less than one step for four skills: 2 steps for 9 skills"},
		{5, "", "there is less than one step for four skills: 0 steps for 5 skills"},
		{5, "ab", "there is less than one step for four skills: 1 step for 5 skills"},
		{5, "ab bb", ""},
		{4, "", ""},
	}
	for _, tt := range tests {
		m := &spoor.Map{Skills: skills(tt.skills), Steps: stepsBetween(tt.steps)}
		var want spoor.Problems
		if tt.want != "" {
			want = spoor.Problems{{Level: Advice, Code: "few-declared-edges", Ref: "steps", Message: tt.want, Hint: "declare the moves that you know of"}}
		}
		if diff := cmp.Diff(want, reported(t, m, nil, "few-declared-edges")); diff != "" {
			t.Errorf("%d skills and the steps %q (-want +got)\n%s", tt.skills, tt.steps, diff)
		}
	}
}

// TestPartitionOfATree: skills of a tree are looked at, steps are not.
func TestPartitionOfATree(t *testing.T) {
	m := &spoor.Map{Skills: skills(5), Tree: &spoor.Tree{Skill: "a"}}
	for _, s := range m.Skills[1:] {
		m.Tree = &spoor.Tree{When: "x", WhenTrue: m.Tree, WhenFalse: &spoor.Tree{Skill: s.ID}}
	}
	m.Skills[0].Tools = []string{"jira_find", "jira_open", "jira_close"}
	m.Skills[1].Tools = []string{"get_weather"}
	m.Skills[2].Body = "Use get_weather and no_tool()."
	g, err := spoor.Compile(m, never{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range Run(g).Problems {
		got = append(got, p.Code+" "+p.Skill)
	}
	want := []string{"body-foreign-tool c", "body-unknown-tool c", "tools-share-prefix a", "skill-wraps-one-tool b"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// never finds for every condition one that never holds.
type never struct{}

func (never) Condition(string, bool) (spoor.Condition, error) {
	return func(spoor.Situation) (bool, error) { return false, nil }, nil
}

func TestEntryEvidence(t *testing.T) {
	keyword := func(use string) spoor.Rule { return spoor.Rule{Use: use, Match: match.Keywords("word")} }
	keywords := func(uses string) (rules []spoor.Rule) {
		for _, use := range uses {
			rules = append(rules, keyword(string(use)))
		}
		return rules
	}
	example := keyword("a")
	example.Examples = spoor.Phrases{"a word"}
	tests := []struct {
		name  string
		start spoor.Start
		steps string
		never string
		want  string // the codes, by their first letters
	}{
		{name: "three rules, no step, no example", start: spoor.Start{Rules: keywords("abc")}, want: "one-way no-negative"},
		{name: "two rules", start: spoor.Start{Rules: keywords("ab")}},
		{name: "two rules and an unconditional one", start: spoor.Start{Rules: append(keywords("ab"), spoor.Rule{Use: "c"})}},
		{name: "an example", start: spoor.Start{Rules: append(keywords("bc"), example)}, want: "one-way"},
		{name: "neverRoutes", start: spoor.Start{Rules: keywords("abc")}, never: "a phrase", want: "one-way"},
		{name: "four rules, two of them with a step", start: spoor.Start{Rules: keywords("abcd")}, steps: "ab bc", want: "no-negative"},
		{name: "four rules, one of them with a step", start: spoor.Start{Rules: keywords("abcd")}, steps: "ab", want: "one-way no-negative"},
		{name: "three rules, two of them with a step", start: spoor.Start{Rules: keywords("abc")}, steps: "ab bc", want: "no-negative"},
		{name: "a step to itself is one", start: spoor.Start{Rules: keywords("abc")}, steps: "aa bb", want: "no-negative"},
		{name: "a step of another skill is none", start: spoor.Start{Rules: keywords("abc")}, steps: "da db dc", want: "one-way no-negative"},
		{name: "each rule counts", start: spoor.Start{Rules: keywords("aaab")}, steps: "bc", want: "one-way no-negative"},
		{name: "conditions", start: spoor.Start{Rules: []spoor.Rule{{Use: "a", When: "x"}, {Use: "b", When: "x"}, {Use: "c", When: "x"}}}, want: "one-way no-negative"},
		{name: "intents and their examples", start: spoor.Start{Classify: "keyword", Rules: []spoor.Rule{
			{Use: "a", Match: match.Intent("to pay", "a bill")}, {Use: "b", Match: match.Intent("to send", "a parcel")}, {Use: "c", Match: match.Intent("to mend", "a hole")},
		}}, want: "one-way no-negative"},
		{name: "entries with conditions", start: spoor.Start{ScoredBy: "keyword", Entries: []spoor.Entry{
			{Use: "a", When: "x"}, {Use: "b", When: "x"}, {Use: "c", Match: match.Keywords("word")},
		}}, want: "one-way no-negative"},
		{name: "entries without", start: spoor.Start{Entries: []spoor.Entry{{Use: "a"}, {Use: "b"}, {Use: "c"}}}},
		{name: "use", start: spoor.Start{Use: "a"}},
		{name: "no start"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := &spoor.Map{Skills: skills(4), Start: tt.start, Steps: stepsBetween(tt.steps)}
			if tt.never != "" {
				m.NeverRoutes = spoor.Phrases{tt.never}
			}
			g, err := spoor.Compile(m, never{})
			if err != nil {
				t.Fatal(err)
			}
			s := &subject{g: g, m: m, starts: g.Starts()}
			s.run(oneWayEntries)
			s.run(noNegativeEvidence)
			var got []string
			for _, p := range s.Problems {
				got = append(got, p.Code)
				list := spoor.Ref("start.rules")
				if tt.start.Entries != nil {
					list = "start.entries"
				}
				if p.Level != Advice || p.Ref != list || p.Skill+p.From+p.To+p.Example != "" {
					t.Errorf("%+v", p)
				}
			}
			want := strings.NewReplacer("one-way", "one-way-entries", "no-negative", "no-negative-evidence").Replace(tt.want)
			if strings.Join(got, " ") != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestOneWayEntriesNames(t *testing.T) {
	for n, want := range map[int]string{
		3: `of 4 ways to start that have a condition, 4 lead where no step leaves: "a", "b", "c"`,
		6: `of 7 ways to start that have a condition, 7 lead where no step leaves: "a", "b", "c", "d", "e", "f"`,
		7: `of 8 ways to start that have a condition, 8 lead where no step leaves: "a", "b", "c", "d", "e" and 2 more`,
	} {
		m := &spoor.Map{Skills: skills(n)}
		for _, s := range m.Skills {
			m.Start.Rules = append(m.Start.Rules, spoor.Rule{Use: s.ID, Match: match.Keywords("word")})
		}
		m.Start.Rules = append(m.Start.Rules, m.Start.Rules[0])
		if got := reported(t, m, nil, "one-way-entries"); len(got) != 1 || got[0].Message != want {
			t.Errorf("got %v, want %s", got, want)
		}
	}
}

func TestGuardLexicographic(t *testing.T) {
	const (
		scale  = "declare the order of its words under scales: {level: […]}"
		quotes = "write the number without quotes, if the result holds numbers"
		in     = "list the values that are meant under in"
	)
	tests := []struct {
		c    guard.Cond
		hint string // empty: nothing is reported
	}{
		{guard.Gt("level", "high"), scale},
		{guard.Gte("level", "high"), scale},
		{guard.Lt("level", "high"), scale},
		{guard.Lte("level", "high"), scale},
		{guard.Eq("level", "high"), ""},
		{guard.Ne("level", "high"), ""},
		{guard.In("level", "high", "low"), ""},
		{guard.NotIn("level", "high"), ""},
		{guard.Gte("level", 7), ""},
		{guard.Gte("severity", "high"), ""}, // it has a scale

		{guard.Gte("level", "10"), quotes},
		{guard.Gte("level", "-1.5"), quotes},
		{guard.Gte("level", "2026"), quotes},
		{guard.Gte("level", "1.2.3"), scale},

		{guard.Lt("level", "2026-05-01"), ""},
		{guard.Lt("level", "2026-05"), ""},
		{guard.Lt("level", "2026-05-01T12:00"), ""},
		{guard.Lt("level", "2026-05-01T12:00:00Z"), ""},
		{guard.Lt("level", "2026-05-01 12:00:00.25+02:00"), ""},
		{guard.Lt("level", "08:30"), ""},
		{guard.Lt("level", "2026-5-1"), scale},
		{guard.Lt("level", "01.05.2026"), scale},
		{guard.Lt("level", "2026-05-01 or so"), scale},
		{guard.Gt("level", ""), ""},

		{guard.Gte("status", "partial"), in},
		{guard.Gte("toolName", "m"), in},
		{guard.Gte("userMessage", "m"), in},
		{guard.Gte("result", "m"), in},
		{guard.Gte("currentSkillId", "m"), in},
		{guard.Gte("iteration", "m"), ""}, // it can never pass, which another code says
	}
	for _, tt := range tests {
		m := &spoor.Map{
			Skills: skills(2), Start: spoor.Start{Use: "a"},
			Steps:  []spoor.Step{{From: "a", To: "b"}, {From: "b", To: "a", Guard: guard.Guard{guard.Eq("x", 1), tt.c}}},
			Scales: guard.Scales{"severity": {"low", "high"}},
		}
		var want spoor.Problems
		if tt.hint != "" {
			want = spoor.Problems{{
				Level: Warning, Code: "guard-lexicographic", Ref: "steps[1].guard[1]", From: "b", To: "a", Hint: tt.hint,
				Message: fmt.Sprintf("%s %s %q compares texts letter by letter, not by rank", tt.c.Key, tt.c.Op, tt.c.Value.Text()),
			}}
		}
		if diff := cmp.Diff(want, reported(t, m, nil, "guard-lexicographic")); diff != "" {
			t.Errorf("%v (-want +got)\n%s", tt.c, diff)
		}
	}
}
