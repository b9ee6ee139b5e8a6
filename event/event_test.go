package event_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor"
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
