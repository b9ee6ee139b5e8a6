package event_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
	"github.com/spoorhq/spoor/model"
)

func parts(words string) (parts []model.Part) {
	for word := range strings.FieldsSeq(words) {
		parts = append(parts, model.NewPart(model.User, model.Text, word))
	}
	return parts
}

func words(parts []model.Part) string {
	return strings.ReplaceAll(event.Text(parts), "\n", " ")
}

func TestSplicesChangeARequest(t *testing.T) {
	for _, c := range []struct {
		what, before string
		splices      []event.Splice
		want         string
	}{
		{"nothing", "a b", nil, "a b"},
		{"the first request", "", []event.Splice{{Put: parts("a b")}}, "a b"},
		{"the tail", "a b menu", []event.Splice{{At: 2, Drop: 1, Put: parts("c menu")}}, "a b c menu"},
		{"in order, each on what the one before left", "a b c", []event.Splice{{At: 0, Drop: 2}, {At: 1, Put: parts("d")}}, "c d"},
		{"the middle", "a b c", []event.Splice{{At: 1, Drop: 1, Put: parts("x y")}}, "a x y c"},
		{"beyond the end", "a b", []event.Splice{{At: 7, Drop: 2, Put: parts("c")}}, "a b c"},
		{"more than there is", "a b", []event.Splice{{At: 1, Drop: 9}}, "a"},
		{"far more than there is", "a b", []event.Splice{{At: 1, Drop: math.MaxInt}}, "a"},
		{"before the beginning", "a b", []event.Splice{{At: -3, Drop: 1, Put: parts("c")}}, "c b"},
		{"less than nothing", "a b", []event.Splice{{At: 1, Drop: -1, Put: parts("c")}}, "a c b"},
	} {
		if got := words(event.Splices(parts(c.before), c.splices)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, got, c.want)
		}
	}
}

func TestTextJoinsPartsByLines(t *testing.T) {
	for want, list := range map[string][]model.Part{"": nil, "a": parts("a"), "a\nb\nc": parts("a b c")} {
		if got := event.Text(list); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func desk() *spoor.Map {
	return &spoor.Map{
		Name: "desk",
		Skills: []spoor.Skill{
			{ID: "triage", Body: "Rate it.", Tools: []string{"rate"}, Source: spoor.Source{File: "map.yaml", Line: 5}},
			{ID: "empty"},
			{ID: "person", Body: "Say who.", Source: spoor.Source{File: "skills/person/SKILL.md", Line: 4}},
			{ID: "literal", Body: "Rate it."}},
		Start: spoor.Start{Rules: []spoor.Rule{{Use: "triage", Match: match.Keywords("refund")}}},
		Steps: []spoor.Step{{From: "triage", To: "person", OnToolReturn: "rate", Guard: guard.Guard{guard.Gt("score", 0.5)}}},
	}
}

func TestAGraphIsItsShapeAndItsBodies(t *testing.T) {
	m := desk()
	g, err := event.NewGraph(m)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(desk(), m, values); d != "" {
		t.Errorf("the map has changed:\n%s", d)
	}
	if g.Map != model.Sum(g.Data) || strings.Contains(g.Data, "Rate it.") {
		t.Errorf("the shape has no bodies, and is named by its bytes: %s", g.Data)
	}
	var skills []string
	for _, b := range g.Bodies {
		skills = append(skills, b.Skill)
		if b.Piece != model.Sum(b.Data) {
			t.Errorf("the body of %s is not named by its bytes", b.Skill)
		}
	}
	if got := strings.Join(skills, " "); got != "triage person literal" {
		t.Errorf("bodies of %s", got)
	}
	back, err := g.Decode()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(m, back, values); d != "" {
		t.Errorf("put together again (-want +got):\n%s", d)
	}
}

func TestGraphsAreTheSameByShapeAndBodies(t *testing.T) {
	graph := func(change func(*spoor.Map)) *event.Graph {
		m := desk()
		change(m)
		g, err := event.NewGraph(m)
		if err != nil {
			t.Fatal(err)
		}
		return &g
	}
	g := graph(func(*spoor.Map) {})
	for _, c := range []struct {
		what   string
		change func(*spoor.Map)
		same   bool
	}{
		{"nothing", func(*spoor.Map) {}, true},
		{"where a body is from", func(m *spoor.Map) { m.Skills[0].Source.Line = 9 }, true},
		{"a body", func(m *spoor.Map) { m.Skills[0].Body += "!" }, false},
		{"no body", func(m *spoor.Map) { m.Skills[0].Body = "" }, false},
		{"the same body of another skill", func(m *spoor.Map) { m.Skills[0].Body, m.Skills[1].Body = "", m.Skills[0].Body }, false},
		{"the shape", func(m *spoor.Map) { m.Steps[0].Label = "risky" }, false},
	} {
		o := graph(c.change)
		if g.Same(o) != c.same || o.Same(g) != c.same {
			t.Errorf("%s changed: same is not %v", c.what, c.same)
		}
	}
}

func TestAMapWithoutJSONFormIsNoGraph(t *testing.T) {
	m := desk()
	m.Steps[0].Guard = guard.Guard{guard.Eq("score", struct{}{})}
	if _, err := event.NewGraph(m); err == nil {
		t.Error("a guard that is no data is written")
	}
}

func TestADamagedShapeIsAnError(t *testing.T) {
	for _, data := range []string{"", "{", `{"skills": 1}`} {
		g := event.Graph{Data: data}
		if m, err := g.Decode(); err == nil {
			t.Errorf("%q is read as %+v", data, m)
		}
	}
}

func brought() spoor.Injections {
	return spoor.Injections{
		Skills: []spoor.AgentSkill{
			{Skill: spoor.Skill{ID: "notes", Body: "Take notes.", Tools: []string{"note"}, Source: spoor.Source{File: "skills/notes/SKILL.md", Line: 4}}},
			{Skill: spoor.Skill{ID: "glossary", AutoActivate: spoor.CurrentSkill}, When: "iteration == 1"}},
		Steering:     []string{"Be brief.", "Be kind."},
		Facts:        []spoor.Fact{{ID: "vat", Text: "VAT is 19 %."}},
		Instructions: []spoor.Instruction{{ID: "tone", Text: "Rate it."}, {ID: "first", When: "iteration == 1", Text: "Greet them."}},
	}
}

// What an agent brings along is taken apart like a map: its texts and the
// bodies of its skills are pieces, those of the skills in the graph.
func TestInjectionsAreTheirShapeAndTheirTexts(t *testing.T) {
	g, err := event.NewGraph(desk())
	if err != nil {
		t.Fatal(err)
	}
	given := brought()
	in, err := g.NewInjections(given)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(brought(), given, values); d != "" {
		t.Errorf("the injections have changed:\n%s", d)
	}
	if in.Skills != model.Sum(in.SkillsData) || strings.Contains(in.SkillsData, "Take notes.") {
		t.Errorf("the skills have no bodies, and are named by their bytes: %s", in.SkillsData)
	}
	if b := g.Bodies[len(g.Bodies)-1]; b.Skill != "notes" || b.Data != "Take notes." || b.Piece != model.Sum(b.Data) || b.Line != 4 {
		t.Errorf("the last body of the graph is %+v", b)
	}
	back, err := in.Decode(&g)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(given, back, values); d != "" {
		t.Errorf("put together again (-want +got):\n%s", d)
	}
	if m, err := g.Decode(); err != nil {
		t.Error(err)
	} else if d := cmp.Diff(desk(), m, values); d != "" {
		t.Errorf("the map has changed by them (-want +got):\n%s", d)
	}
}

func TestNoInjectionsAreNone(t *testing.T) {
	var g event.Graph
	in, err := g.NewInjections(spoor.Injections{})
	if err != nil || !in.IsZero() || len(g.Bodies) > 0 {
		t.Errorf("%+v, %v", in, err)
	}
	if back, err := in.Decode(&g); err != nil || !back.IsZero() {
		t.Errorf("%+v, %v", back, err)
	}
	line := (&event.Event{Seq: 1, Body: new(event.Started)}).AppendJSON(nil)
	if strings.Contains(string(line), "injections") {
		t.Errorf("they are written: %s", line)
	}
}

func TestInjectionsAreTheSameButForTheBodies(t *testing.T) {
	taken := func(change func(*spoor.Injections)) *event.Injections {
		given := brought()
		change(&given)
		var g event.Graph
		in, err := g.NewInjections(given)
		if err != nil {
			t.Fatal(err)
		}
		return &in
	}
	in := taken(func(*spoor.Injections) {})
	for _, c := range []struct {
		what   string
		change func(*spoor.Injections)
		same   bool
	}{
		{"nothing", func(*spoor.Injections) {}, true},
		{"a body, which is the graph's", func(in *spoor.Injections) { in.Skills[0].Body += "!" }, true},
		{"a condition of a skill", func(in *spoor.Injections) { in.Skills[1].When = "iteration == 2" }, false},
		{"a skill less", func(in *spoor.Injections) { in.Skills = in.Skills[:1] }, false},
		{"steering", func(in *spoor.Injections) { in.Steering[0] += "!" }, false},
		{"the order of the steering", func(in *spoor.Injections) { slices.Reverse(in.Steering) }, false},
		{"the name of a fact", func(in *spoor.Injections) { in.Facts[0].ID = "tax" }, false},
		{"an instruction", func(in *spoor.Injections) { in.Instructions[0].Text += "!" }, false},
		{"a condition of an instruction", func(in *spoor.Injections) { in.Instructions[1].When = "iteration == 2" }, false},
	} {
		o := taken(c.change)
		if in.Same(o) != c.same || o.Same(in) != c.same {
			t.Errorf("%s changed: same is not %v", c.what, c.same)
		}
	}
}

func TestATurnCompilesToWhatItWalked(t *testing.T) {
	g, err := event.NewGraph(desk())
	if err != nil {
		t.Fatal(err)
	}
	in, err := g.NewInjections(brought())
	if err != nil {
		t.Fatal(err)
	}
	started := event.Started{Graph: g, Injections: in}
	graph, err := started.Compile(cond.CEL)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(graph.Skills(), " "); got != "triage empty person literal notes glossary" {
		t.Errorf("skills %s", got)
	}
	if s := graph.Skill("notes"); s.Body != "Take notes." || !graph.Open("notes") {
		t.Errorf("%+v", s)
	}
	if n, ref := graph.Instruction("first"); n == nil || n.Text != "Greet them." || ref != "agent.instructions[1]" {
		t.Errorf("%+v at %s", n, ref)
	}
	damaged := started
	damaged.Graph.Data = "{"
	if _, err := damaged.Compile(cond.CEL); err == nil {
		t.Error("a map that cannot be read compiles")
	}
	damaged = started
	damaged.Injections.SkillsData = "{"
	if _, err := damaged.Compile(cond.CEL); err == nil {
		t.Error("skills that cannot be read compile")
	}
	if _, err := started.Compile(nil); err == nil {
		t.Error("conditions that nobody knows compile")
	}
}
