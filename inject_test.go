package spoor_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/match"
	"github.com/spoorhq/spoor/score"
)

// helped is a map with what an agent brings along.
func helped(t *testing.T, m *spoor.Map, in spoor.Injections) *spoor.Graph {
	t.Helper()
	g, err := spoor.Compile(m, cond.CEL)
	if err != nil {
		t.Fatal(err)
	}
	with, err := g.Inject(in, cond.CEL)
	if err != nil {
		t.Fatal(err)
	}
	return with
}

func TestInject(t *testing.T) {
	desk := func() *spoor.Map {
		return &spoor.Map{
			Skills: []spoor.Skill{{ID: "a", Tools: []string{"one"}}, {ID: "b"}, {ID: "open"}},
			Start:  spoor.Start{Rules: []spoor.Rule{{Use: "a", Match: match.Keywords("hello")}}},
			Steps:  []spoor.Step{{From: "a", To: "b", OnToolReturn: spoor.ToolName("one")}},
		}
	}
	in := spoor.Injections{
		Skills: []spoor.AgentSkill{
			{Skill: spoor.Skill{ID: "manual", Tools: []string{"lookup"}, AutoActivate: spoor.CurrentSkill}},
			{Skill: spoor.Skill{ID: "care"}, When: "userMessage.contains('angry')"},
		},
		Steering:     []string{"Never guess."},
		Facts:        []spoor.Fact{{ID: "office", Text: "In Berlin."}},
		Instructions: []spoor.Instruction{{ID: "in-b", When: "currentSkillId == 'b'", Text: "You are in b."}, {ID: "tone", Text: "Be gentle."}},
	}

	t.Run("nothing", func(t *testing.T) {
		g, err := spoor.Compile(desk(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if with, err := g.Inject(spoor.Injections{}, nil); err != nil || with != g {
			t.Errorf("got another graph, %v", err)
		}
	})
	t.Run("the graph stays as it was", func(t *testing.T) {
		g, err := spoor.Compile(desk(), cond.CEL)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Inject(in, cond.CEL); err != nil {
			t.Fatal(err)
		}
		if got := g.Skills(); !slices.Equal(got, []string{"a", "b", "open"}) || g.Skill("care") != nil {
			t.Errorf("the graph has %v, and care %v", got, g.Skill("care"))
		}
		if n, _ := g.Instruction("tone"); n != nil || !g.Injections().IsZero() {
			t.Error("the graph has injections")
		}
	})
	t.Run("skills", func(t *testing.T) {
		g := helped(t, desk(), in)
		if got, want := g.Skills(), []string{"a", "b", "open", "manual", "care"}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		for _, id := range []string{"open", "manual", "care"} {
			if !g.Open(id) || g.Skill(id).ID != id || g.Bare(id) || g.Classify("a", id) != spoor.OpenSkill {
				t.Errorf("%s is not open", id)
			}
		}
		if !g.Scoped("manual") || g.Scoped("care") || g.Scoped("a") {
			t.Error("only manual has scoped tools")
		}
		if got := g.Reachable(""); !slices.Equal(got, []string{"a"}) {
			t.Errorf("%v are in reach on a cold start", got)
		}
		f := spoor.Facts{Cursor: "b", Activated: []string{"care", "manual", "gone"}}
		if got, want := g.Active(f, g.Next(f)), []string{"b", "manual", "care"}; !slices.Equal(got, want) {
			t.Errorf("active are %v, want %v", got, want)
		}
	})
	t.Run("in a tree", func(t *testing.T) {
		g := helped(t, &spoor.Map{
			Skills: []spoor.Skill{{ID: "a"}, {ID: "b"}},
			Tree:   &spoor.Tree{When: "iteration == 1", WhenTrue: &spoor.Tree{Skill: "a"}, WhenFalse: &spoor.Tree{Skill: "b"}},
		}, in)
		if g.Open("a") || !g.Open("manual") || g.Scoped("care") || !g.Scoped("a") {
			t.Error("a leaf is scoped, and only the skills of the agent are open")
		}
		f := spoor.Facts{Iteration: 1, Activated: []string{"manual", "b"}}
		if got, want := g.Active(f, g.Next(f)), []string{"a", "manual"}; !slices.Equal(got, want) {
			t.Errorf("active are %v, want %v", got, want)
		}
	})
	t.Run("instructions", func(t *testing.T) {
		g := helped(t, desk(), in)
		if n, ref := g.Instruction("tone"); n == nil || n.Text != "Be gentle." || ref != "agent.instructions[1]" {
			t.Errorf("got %v at %s", n, ref)
		}
		if n, ref := g.Instruction("gone"); n != nil || ref != "" {
			t.Errorf("got %v at %s", n, ref)
		}
		if d := cmp.Diff(in, g.Injections()); d != "" {
			t.Errorf("the injections (-want +got):\n%s", d)
		}
	})
}

// TestInjected holds that conditions are judged in order, on the facts of the
// move and with the place where it lands as cursor.
func TestInjected(t *testing.T) {
	conditions := &cond.Set{Funcs: map[string]spoor.Condition{
		"yes":    func(spoor.Situation) (bool, error) { return true, nil },
		"in_b":   func(s spoor.Situation) (bool, error) { return s.Facts.Cursor == "b", nil },
		"fails":  func(spoor.Situation) (bool, error) { return true, errors.New("out of cheese") },
		"panics": func(spoor.Situation) (bool, error) { panic("out of cheese") },
	}}
	g, err := spoor.Compile(&spoor.Map{Skills: []spoor.Skill{{ID: "a"}, {ID: "b"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	skill := func(id, when string) spoor.AgentSkill {
		return spoor.AgentSkill{Skill: spoor.Skill{ID: id}, When: when}
	}
	g, err = g.Inject(spoor.Injections{
		Skills: []spoor.AgentSkill{skill("read", ""), skill("x", "in_b"), skill("y", "fails"), skill("z", "yes")},
		Instructions: []spoor.Instruction{
			{ID: "k", When: "yes", Text: "K."}, {ID: "l", Text: "L."}, {ID: "m", When: "panics", Text: "M."}, {ID: "n", When: "in_b", Text: "N."},
		},
	}, conditions)
	if err != nil {
		t.Fatal(err)
	}
	failed := []spoor.Failed{
		{Ref: "agent.skills[2].when", Error: "out of cheese"},
		{Ref: "agent.instructions[2].when", Error: "the condition panicked: out of cheese"},
	}
	for _, c := range []struct {
		to   string
		want spoor.Injected
	}{
		{"a", spoor.Injected{Skills: []string{"z"}, Instructions: []string{"k"}, Failed: failed}},
		{"b", spoor.Injected{Skills: []string{"x", "z"}, Instructions: []string{"k", "n"}, Failed: failed}},
	} {
		if d := cmp.Diff(c.want, g.Injected(spoor.Facts{Cursor: "a"}, spoor.Move{From: "a", To: c.to})); d != "" {
			t.Errorf("to %s (-want +got):\n%s", c.to, d)
		}
	}
	hidden := g.Hide([]string{"y", "z"}).Injected(spoor.Facts{}, spoor.Move{To: "b"})
	if d := cmp.Diff(spoor.Injected{Skills: []string{"x"}, Instructions: []string{"k", "n"}, Failed: failed[1:]}, hidden); d != "" {
		t.Errorf("a hidden skill is judged (-want +got):\n%s", d)
	}
}

func TestInjectProblems(t *testing.T) {
	g, err := spoor.Compile(&spoor.Map{Skills: []spoor.Skill{{ID: "a"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	skill := func(s spoor.Skill) []spoor.AgentSkill { return []spoor.AgentSkill{{Skill: s}} }
	for _, c := range []struct {
		what      string
		in        spoor.Injections
		code, ref string
	}{
		{"a skill without an id", spoor.Injections{Skills: skill(spoor.Skill{})}, "wrong-type", "agent.skills[0].id"},
		{"a skill of the map", spoor.Injections{Skills: skill(spoor.Skill{ID: "a"})}, "duplicate-skill", "agent.skills[0].id"},
		{"a skill twice", spoor.Injections{Skills: append(skill(spoor.Skill{ID: "b"}), skill(spoor.Skill{ID: "b"})...)}, "duplicate-skill", "agent.skills[1].id"},
		{"a skill offered in another way", spoor.Injections{Skills: skill(spoor.Skill{ID: "b", AutoActivate: "never"})}, "wrong-type", "agent.skills[0].autoActivate"},
		{"a skill whose condition is none", spoor.Injections{Skills: []spoor.AgentSkill{{Skill: spoor.Skill{ID: "b"}, When: "iteration +"}}}, "bad-condition", "agent.skills[0].when"},
		{"a steering without words", spoor.Injections{Steering: []string{"Be kind.", " "}}, "wrong-type", "agent.steering[1]"},
		{"a fact without an id", spoor.Injections{Facts: []spoor.Fact{{Text: "x"}}}, "wrong-type", "agent.facts[0].id"},
		{"a fact without words", spoor.Injections{Facts: []spoor.Fact{{ID: "x"}}}, "wrong-type", "agent.facts[0].text"},
		{"a fact twice", spoor.Injections{Facts: []spoor.Fact{{"x", "x"}, {"x", "y"}}}, "duplicate-name", "agent.facts[1].id"},
		{"an instruction without an id", spoor.Injections{Instructions: []spoor.Instruction{{Text: "x"}}}, "wrong-type", "agent.instructions[0].id"},
		{"an instruction without words", spoor.Injections{Instructions: []spoor.Instruction{{ID: "x", Text: "\n"}}}, "wrong-type", "agent.instructions[0].text"},
		{"an instruction twice", spoor.Injections{Instructions: []spoor.Instruction{{ID: "x", Text: "x"}, {ID: "x", Text: "y"}}}, "duplicate-name", "agent.instructions[1].id"},
		{"an instruction that speaks of a result", spoor.Injections{Instructions: []spoor.Instruction{{ID: "x", When: "toolName == 'y'", Text: "x"}}}, "bad-condition", "agent.instructions[0].when"},
	} {
		_, err := g.Inject(c.in, cond.CEL)
		var problems spoor.Problems
		if !errors.As(err, &problems) || len(problems) != 1 {
			t.Errorf("%s: got %v, want one problem", c.what, err)
			continue
		}
		if p := problems[0]; p.Code != c.code || p.Ref != spoor.Ref(c.ref) {
			t.Errorf("%s: got %s at %s, want %s at %s", c.what, p.Code, p.Ref, c.code, c.ref)
		}
	}
	in := spoor.Injections{Skills: skill(spoor.Skill{ID: "a"}), Steering: []string{""}, Facts: []spoor.Fact{{}}, Instructions: []spoor.Instruction{{}}}
	var problems spoor.Problems
	if _, err := g.Inject(in, nil); !errors.As(err, &problems) || len(problems) != 6 {
		t.Errorf("all problems at once: got %d: %v", len(problems), err)
	}
	if slices.Contains(g.Skills(), "b") {
		t.Error("what was refused is in the graph")
	}
}

// secrets is a map in which every skill can be reached in every way.
func secrets(change ...func(*spoor.Map)) *spoor.Map {
	m := &spoor.Map{
		Skills: []spoor.Skill{{ID: "a", Description: "A."}, {ID: "b", Description: "B."}, {ID: "c", Description: "C."}, {ID: "open"}},
		Start: spoor.Start{Rules: []spoor.Rule{
			{Use: "b", Match: match.Keywords("secret")},
			{Use: "a", Match: match.Keywords("secret", "hello")},
			{Use: "c", When: "userMessage.contains('hello')"},
			{Use: "b"},
		}},
		Steps: []spoor.Step{
			{From: "a", To: "b", OnToolReturn: spoor.ToolName("go")},
			{From: "a", To: "c", OnToolReturn: spoor.ToolName("go")},
			{From: "a", To: "c"},
			{From: "b", To: "a", OnToolStatus: spoor.Statuses{spoor.Failure}},
			{From: "b", To: "c", When: "toolName == 'look'"},
			{From: "c", To: "b"},
		},
	}
	for _, c := range change {
		c(m)
	}
	return m
}

// TestHide holds that a graph names no hidden skill, whatever is hidden and
// whatever the facts are; and that what is not hidden is what it was.
func TestHide(t *testing.T) {
	intents := func(m *spoor.Map) {
		m.Start.Classify = "keyword"
		for _, id := range []string{"a", "b", "c"} {
			m.Start.Rules = append(m.Start.Rules, spoor.Rule{Use: id, Match: match.Intent("about "+id, id)})
		}
	}
	entries := func(m *spoor.Map) {
		m.Start = spoor.Start{Entries: []spoor.Entry{{Use: "b"}, {Use: "a"}, {Use: "c", When: "iteration == 1"}}}
	}
	scored := func(m *spoor.Map) { entries(m); m.Start.ScoredBy = "keyword" }
	tree := func(m *spoor.Map) {
		m.Start, m.Steps = spoor.Start{}, nil
		m.Tree = &spoor.Tree{
			When: "userMessage.contains('hello')", WhenTrue: &spoor.Tree{Skill: "a"},
			WhenFalse: &spoor.Tree{When: "iteration == 1", WhenTrue: &spoor.Tree{Skill: "b"}, WhenFalse: &spoor.Tree{
				When: "iteration == 2", WhenTrue: &spoor.Tree{Skill: "c"}, WhenFalse: &spoor.Tree{Skill: "open"},
			}},
		}
	}
	in := spoor.Injections{Skills: []spoor.AgentSkill{{Skill: spoor.Skill{ID: "agents"}, When: "iteration == 1"}}}
	for _, c := range []struct {
		what   string
		change func(*spoor.Map)
	}{{"rules", func(*spoor.Map) {}}, {"intents", intents}, {"entries", entries}, {"scored", scored}, {"tree", tree}} {
		g := helped(t, secrets(c.change), in)
		all := g.Skills()
		for set := range 1 << len(all) {
			var hidden []string
			for i, id := range all {
				if set>>i&1 == 1 {
					hidden = append(hidden, id)
				}
			}
			seen := g.Hide(hidden)
			if set == 0 && seen != g {
				t.Errorf("%s: nothing is hidden, and the graph is another one", c.what)
			}
			for _, message := range []string{"", "hello", "a secret"} {
				for _, cursor := range append(all, "") {
					hides(t, c.what, g, seen, hidden, message, cursor)
				}
			}
		}
		if got := g.Skills(); !slices.Equal(got, all) {
			t.Errorf("%s: the graph has %v, and had %v", c.what, got, all)
		}
	}
}

// hides asks a graph that hides skills all it can be asked with some facts.
func hides(t *testing.T, what string, g, seen *spoor.Graph, hidden []string, message, cursor string) {
	t.Helper()
	isHidden := func(id string) bool { return slices.Contains(hidden, id) }
	names := func(where string, ids ...string) {
		t.Helper()
		if slices.ContainsFunc(ids, isHidden) {
			t.Errorf("%s, %q from %q, %v hidden: %s names %v", what, message, cursor, hidden, where, ids)
		}
	}
	names("Skills", seen.Skills()...)
	if len(seen.Skills())+len(hidden) != len(g.Skills()) {
		t.Errorf("%s: %v and the hidden %v are not all", what, seen.Skills(), hidden)
	}
	names("Reachable", seen.Reachable(cursor)...)
	names("Successors", seen.Successors(cursor)...)
	for _, id := range g.Skills() {
		want := g.Classify(cursor, id)
		if isHidden(id) || isHidden(cursor) && slices.Contains(g.Successors(cursor), id) && !slices.Contains(g.Reachable(""), id) {
			want = spoor.Unreachable // from a hidden place no step leads
		}
		if cursor == id && isHidden(id) { // the walk never stands there
			continue
		}
		if got := seen.Classify(cursor, id); got != want {
			t.Errorf("%s, %v hidden: %s from %q is %s, want %s", what, hidden, id, cursor, got, want)
		}
		if (seen.Skill(id) == nil) != isHidden(id) || isHidden(id) && (seen.Open(id) || seen.Bare(id) || seen.Scoped(id)) {
			t.Errorf("%s, %v hidden: %s is known", what, hidden, id)
		}
	}
	if isHidden(cursor) {
		cursor = ""
	}
	for iteration := 1; iteration <= 3; iteration++ {
		f := spoor.Facts{Iteration: iteration, UserMessage: message, Cursor: cursor, Activated: g.Skills()}
		if iteration > 1 {
			f.Results = []spoor.Result{
				{CallID: "1", Tool: "go", Executed: true}, {CallID: "2", Tool: "look", Executed: true}, {CallID: "3", Tool: "x", Status: spoor.Failure},
			}
		}
		m := seen.Next(f)
		names("Next", m.To)
		if m.Conflict != nil {
			names("a conflict", m.Conflict.Winner.Target)
			for _, l := range m.Conflict.Losers {
				names("a conflict", l.Target)
			}
		}
		names("Active", seen.Active(f, m)...)
		names("Superseded", seen.Superseded(f, m)...)
		names("Injected", seen.Injected(f, m).Skills...)
		rule, _ := seen.FirstRule(f)
		names("FirstRule", rule.To)
	}
	for _, continuity := range []spoor.Continuity{spoor.ContinueTurn, spoor.ContinueConversation} {
		f := spoor.Facts{Iteration: 1, UserMessage: message, Cursor: cursor}
		r := seen.Route(f, continuity, nil)
		if r.Ask != nil {
			var scores []score.Score
			for _, c := range r.Ask.Candidates {
				names("a query", c.ID)
				scores = append(scores, score.Score{ID: c.ID})
			}
			r = seen.Route(f, continuity, &spoor.Scored{Scores: scores, Traits: score.Keyword.Traits()})
		}
		names("Route", append(r.Offered, r.To)...)
	}
}
