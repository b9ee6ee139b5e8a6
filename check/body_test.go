package check

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor"
)

// reported runs a check-up and returns what some of its codes report.
func reported(t testing.TB, m *spoor.Map, tools []string, codes ...string) (ps spoor.Problems) {
	t.Helper()
	g, err := spoor.Compile(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range Run(g, tools...).Problems {
		if slices.Contains(codes, p.Code) {
			ps = append(ps, p)
		}
	}
	return ps
}

// bodyProblems are the code and the tool of each problem with a body.
func bodyProblems(t testing.TB, m *spoor.Map, tools ...string) (found []string) {
	t.Helper()
	quoted := regexp.MustCompile(`(?:names the tool|calls) "([^"]*)"`)
	for _, p := range reported(t, m, tools, bodyForeignTool.Code, bodyUnknownTool.Code) {
		found = append(found, fmt.Sprintf("%s %s %s", p.Skill, strings.TrimSuffix(strings.TrimPrefix(p.Code, "body-"), "-tool"), quoted.FindStringSubmatch(p.Message)[1]))
	}
	return found
}

func TestBody(t *testing.T) {
	tests := []struct {
		name  string
		body  string   // of a skill with the tools track_parcel and scan.code
		known []string // knownTools
		agent []string // tools of the agent
		want  []string
	}{
		{name: "its own tool", body: "Call track_parcel(id), then answer."},
		{name: "a foreign tool", body: "If lost, use open_claim.", want: []string{"foreign open_claim"}},
		{name: "a foreign tool that is called", body: "If lost, use open_claim().", want: []string{"foreign open_claim"}},
		{name: "a slip of the hand", body: "If lost, use opn_claim(id).", want: []string{"unknown opn_claim"}},
		{name: "no underscore", body: "Use weigh(id)."},
		{name: "no parenthesis", body: "Never use opn_claim."},
		{name: "a call of SQL", body: "Group by date_trunc('day').", want: []string{"unknown date_trunc"}},
		{name: "part of a word", body: "The open_claims queue, reopen_claim, open_claim2 and Open_claim."},
		{name: "known to the map", body: "Use audit_log, or audit_log(id).", known: []string{"audit_log"}},
		{name: "known to the map, and listed by another", body: "Use open_claim(id).", known: []string{"open_claim"}},
		{name: "of the agent", body: "Use audit_log(id).", agent: []string{"audit_log"}},
		{name: "of the agent, and listed by another", body: "Use open_claim(id).", agent: []string{"open_claim"}, want: []string{"foreign open_claim"}},
		{name: "of nobody", body: "Use audit_log(id).", want: []string{"unknown audit_log"}},
		{name: "read_skill", body: "Use read_skill(id), that is, read_skill."},
		{name: "no body"},

		{name: "spaces before the parenthesis", body: "see_it  (now), see_me\n(now), see_us\t(now)", want: []string{"unknown see_it"}},
		{name: "a letter beyond ASCII is no word character", body: "éopen_claimé, ésee_it(x)", want: []string{"foreign open_claim", "unknown see_it"}},
		{name: "digits", body: "a1_2(x), 1a_b(x), a_(x), _a_b(x), a__b(x), A_b(x), a_B(x), a_b_(x)", want: []string{"unknown a1_2"}},
		{name: "once a name", body: "see_it(x) see_me(x) see_it(x) open_claim open_claim", want: []string{"foreign open_claim", "unknown see_it", "unknown see_me"}},
		{name: "in the order of the tools", body: "a-b open_claim mail.send", want: []string{"foreign open_claim", "foreign mail.send", "foreign a-b"}},
		{name: "names with other characters", body: "mail.sends mail-send xmail.send mail.send!", want: []string{"foreign mail.send"}},
		{name: "inside each other", body: "x.mail.send.y", want: []string{"foreign mail.send", "foreign mail.send.y"}},
		{name: "at both ends", body: "mail.send", want: []string{"foreign mail.send"}},
		{name: "a name that ends at no boundary", body: "Use -dash, and dash-"},
		{name: "a name that begins at one", body: "Use a-dash.", want: []string{"foreign -dash"}},
		{name: "a name that ends at one", body: "Use dash-a.", want: []string{"foreign dash-"}},
		{name: "its own tool with a dot", body: "Use scan.code, not scan."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := &spoor.Map{
				Skills: []spoor.Skill{
					{ID: "parcels", Body: tt.body, Tools: []string{"track_parcel", "scan.code"}},
					{ID: "claims", Tools: []string{"open_claim", "mail.send", "mail.send.y", "a-b", "-dash", "dash-", ""}},
				},
				KnownTools: tt.known,
			}
			got := bodyProblems(t, m, tt.agent...)
			for i := range got {
				got[i] = strings.TrimPrefix(got[i], "parcels ")
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestBodyProblem(t *testing.T) {
	m := &spoor.Map{Skills: []spoor.Skill{
		{ID: "parcels", Body: "Look.\nDo not use ä open_claim.", Source: spoor.Source{File: "skills/parcels/SKILL.md", Line: 5}},
		{ID: "claims", Body: "Sit.\nThen opn_claim(id).", Tools: []string{"open_claim", "open_file"}},
		{ID: "files", Body: "x\nyy open_file", Source: spoor.Source{File: "map.yaml", Line: 12, Indent: 6}},
	}}
	want := spoor.Problems{
		{
			Level: Warning, Code: "body-foreign-tool", Skill: "parcels", Ref: "skills[0].body",
			Message: `the body of "parcels" names the tool "open_claim" of the skill "claims"`, At: spoor.Source{File: "skills/parcels/SKILL.md", Line: 6, Indent: 13},
			Hint: `list it under the tools of "parcels", or under knownTools`,
		},
		{
			Level: Warning, Code: "body-foreign-tool", Skill: "files", Ref: "skills[2].body",
			Message: `the body of "files" names the tool "open_file" of the skill "claims"`, At: spoor.Source{File: "map.yaml", Line: 13, Indent: 9},
			Hint: `list it under the tools of "files", or under knownTools`,
		},
		{
			Level: Warning, Code: "body-unknown-tool", Skill: "claims", Ref: "skills[1].body",
			Message: `the body of "claims" calls "opn_claim", which is no tool, in line 2`,
			Hint:    `did you mean "open_claim"?`,
		},
	}
	if diff := cmp.Diff(want, reported(t, m, nil, "body-foreign-tool", "body-unknown-tool")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestBodyManyProblems(t *testing.T) {
	m := &spoor.Map{Skills: []spoor.Skill{{ID: "all"}}}
	for i := range 3 * mostOfOne {
		m.Skills[0].Tools = append(m.Skills[0].Tools, fmt.Sprint("t", i))
		m.Skills = append(m.Skills, spoor.Skill{ID: fmt.Sprint(i), Body: fmt.Sprintf("t%d, no_tool(x)", i)})
	}
	if got := bodyProblems(t, m); len(got) != 2*mostOfOne || got[mostOfOne] != "0 unknown no_tool" {
		t.Errorf("there are %d problems", len(got))
	}
}

// naiveForeign and naiveCalls are what the rules say, one expression a name.
func naiveForeign(names []string, text string) (found []sighting) {
	for n, name := range names {
		if name == "" {
			continue
		}
		if at := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`).FindStringIndex(text); at != nil {
			found = append(found, sighting{n, at[0]})
		}
	}
	return found
}

var call = regexp.MustCompile(`\b([a-z][a-z0-9]*(?:_[a-z0-9]+)+) *\(`)

func naiveCalls(text string) (found []string) {
	for _, at := range call.FindAllStringSubmatchIndex(text, -1) {
		found = append(found, fmt.Sprint(text[at[2]:at[3]], at[2]))
	}
	return found
}

func compareWithNaive(t *testing.T, names, texts []string) {
	t.Helper()
	f := newFinder(names)
	for _, text := range texts {
		if got, want := f.find(text), naiveForeign(names, text); !slices.Equal(got, want) {
			t.Fatalf("of %q in %q: found %v, want %v", names, text, got, want)
		}
		var got []string
		for name, at := range calls(text) {
			got = append(got, fmt.Sprint(name, at))
		}
		if want := naiveCalls(text); !slices.Equal(got, want) {
			t.Fatalf("calls in %q: found %v, want %v", text, got, want)
		}
	}
}

// TestFinderIsNaive compares with the naive search over words of few letters,
// so that names overlap and stand in each other.
func TestFinderIsNaive(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func(letters string, most int) string {
		b := make([]byte, random.IntN(most+1))
		for i := range b {
			b[i] = letters[random.IntN(len(letters))]
		}
		return string(b)
	}
	for range 5000 {
		letters := []string{"a.", "ab._-", "ab_ (", "aB1_.( é"}[random.IntN(4)]
		names := make([]string, random.IntN(12))
		for i := range names {
			names[i] = strings.ToValidUTF8(word(letters, 7), "")
		}
		slices.Sort(names)
		names = slices.Compact(names)
		random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		compareWithNaive(t, names, []string{strings.ToValidUTF8(word(letters, 40), ""), strings.ToValidUTF8(word(letters, 15), "")})
	}
}

func FuzzFinder(f *testing.F) {
	f.Add("open_claim\nmail.send\n-x", "Use open_claim(id), mail.send and a-x.")
	f.Add("a\na.a\na.a.a", "a.a.a.a b")
	f.Add("é\n\n(", "aéa (x) no_tool (")
	f.Fuzz(func(t *testing.T, list, text string) {
		names := strings.Split(strings.ToValidUTF8(list, "?"), "\n")
		if len(names) > 100 || strings.Contains(list, "\ufffd") {
			return
		}
		slices.Sort(names)
		compareWithNaive(t, slices.Compact(names), []string{strings.ToValidUTF8(text, "?")})
	})
}

// BenchmarkBodies is a map of 10,000 skills with bodies of 1 KB and 10,000
// tools: of plain names, and of names with a dot that begin alike. Each body
// names its own tools.
func BenchmarkBodies(b *testing.B) {
	for _, form := range []string{"do_thing_%d", "server.thing-%d"} {
		b.Run(fmt.Sprintf(form, 0), func(b *testing.B) {
			m := &spoor.Map{}
			for i := range 10_000 {
				tool := fmt.Sprintf(form, i)
				body := strings.Repeat("Look at the order of the person, and say in plain words what happens next. ", 13) + "Then call " + tool + "(id)."
				m.Skills = append(m.Skills, spoor.Skill{ID: fmt.Sprint("s", i), Tools: []string{tool}, Body: body})
			}
			g, err := spoor.Compile(m, nil)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(10_000 * int64(len(m.Skills[0].Body)))
			for b.Loop() {
				s := &subject{g: g, m: m}
				s.run(bodyForeignTool)
				s.run(bodyUnknownTool)
				if len(s.Problems) > 0 {
					b.Fatal(s.Problems)
				}
			}
		})
	}
}

// BenchmarkBodiesFaulty is the same map where every body is wrong.
func BenchmarkBodiesFaulty(b *testing.B) {
	m := &spoor.Map{}
	for i := range 10_000 {
		body := strings.Repeat("Look at the order of the person, and say in plain words what happens next. ", 13)
		body += fmt.Sprintf("Call do_thing_%d, or do_thng_%d(id).", (i+1)%10_000, i)
		m.Skills = append(m.Skills, spoor.Skill{ID: fmt.Sprint("s", i), Tools: []string{fmt.Sprintf("do_thing_%d", i)}, Body: body})
	}
	g, err := spoor.Compile(m, nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s := &subject{g: g, m: m}
		s.run(bodyForeignTool)
		s.run(bodyUnknownTool)
		if len(s.Problems) != 2*mostOfOne {
			b.Fatal(len(s.Problems))
		}
	}
}
