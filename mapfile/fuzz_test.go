package mapfile_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"
	yaml3 "go.yaml.in/yaml/v3"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/match"
	"github.com/spoorhq/spoor/score"
)

// No map file and no SKILL.md makes Read panic; every fault has a place; what
// can be read can be written, and every line of a body is where it says.
func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(archive.Files[0].Data, archive.Files[1].Data)
	}
	f.Fuzz(func(t *testing.T, text, skill []byte) {
		fsys := fstest.MapFS{
			"maps/map.yaml":            {Data: text},
			"maps/skills/one/SKILL.md": {Data: skill},
			"maps/escalation.md":       {Data: skill},
		}
		file, err := mapfile.Read(fsys, "maps/map.yaml")
		if err == nil {
			testWrite(t, file)
			testSources(t, file, fsys)
			return
		}
		var faults mapfile.Faults
		if !errors.As(err, &faults) || len(faults) == 0 || len(faults) > 101 {
			t.Fatalf("%d faults: %v", len(faults), err)
		}
		for _, fault := range faults {
			if fault.Pos.File == "" || fault.Pos.Line < 1 || fault.Pos.Column < 1 || fault.Message == "" || fault.Code == "" || fault.Level != "error" {
				t.Errorf("an incomplete fault: %+v", fault)
			}
		}
	})
}

// Read(Marshal(f)) = f, whatever the texts of a map are.
func FuzzWrite(f *testing.F) {
	f.Add([]byte("a map"), "a text")
	for _, seed := range []string{"yes", "010", "~", " a: b #c\n\n", "\u2028\u0085\ufeff😀", "'\"\\", "- x\n  y \n", "\x00\r\x7f"} {
		f.Add([]byte(strings.Repeat(seed, 20)), seed)
	}
	f.Fuzz(func(t *testing.T, choices []byte, text string) {
		g := &generator{choices: choices, text: text}
		file := g.file()
		if !utf8.ValidString(text) {
			if _, err := file.Marshal(); err == nil {
				t.Fatal("a text that is not UTF-8 was written")
			}
			return
		}
		testWrite(t, file)
	})
}

// A reader of YAML 1.1 that decides by itself what is a text reads the same.
func TestAnotherReader(t *testing.T) {
	for seed := range uint64(500) {
		random := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
		choices := make([]byte, 400)
		random.Read(choices)
		g := &generator{choices: choices, text: words[seed%uint64(len(words))]}
		file := g.file()
		written := testWrite(t, file)
		var other struct {
			Skills []struct{ ID, Description, Body, Model string }
		}
		if err := yaml3.Unmarshal(written, &other); err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		for i, s := range file.Map.Skills {
			if o := other.Skills[i]; o.ID != s.ID || o.Description != s.Description || o.Body != s.Body || o.Model != s.Model {
				t.Errorf("%+v for %+v:\n%s", o, s, written)
			}
		}
	}
}

// A generator makes a file out of bytes. When they are used up, it ends soon.
type generator struct {
	choices []byte
	text    string
}

func (g *generator) choose(n int) int {
	if len(g.choices) == 0 {
		return 0
	}
	c := g.choices[0]
	g.choices = g.choices[1:]
	return int(c) % n
}

var words = []string{
	"", "x", "two words", "yes", "No", "null", "~", "true", "010", "1e3", "-", "- x", "a: b", "a #b", "#", "[", "{x}", "it's", `say "x"`, `\d+`,
	" x", "x ", "one\ntwo", "one\n\n  two\n", "\n", "x\n\n", "\tx", "a\n \nb", "😀", "\u2028", "\u0085", "\ufeff", "\x00", "\r\n", "${X}", "---", "...", "a\n---\n", "%", "*x", "&x", "!x", "|", ">",
}

func (g *generator) any() string {
	if c := g.choose(len(words) + 10); c < len(words) {
		return words[c]
	}
	return g.text
}

// some is a text that is not empty and fit to be a key.
func (g *generator) some() string {
	s := "x" + g.any()
	return strings.ToValidUTF8(s[:min(len(s), 40)], "")
}

func (g *generator) name() string {
	if s := g.any(); s != "" {
		return s
	}
	return "name"
}

func (g *generator) texts() []string {
	n := g.choose(5)
	if n == 4 {
		return nil
	}
	list := []string{}
	for range n {
		list = append(list, g.any())
	}
	return list
}

// tools are texts of which none stands twice.
func (g *generator) tools() []string {
	list := g.texts()
	for i := range list {
		list[i] = strings.Repeat("x", i) + list[i]
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (g *generator) datum() any {
	switch g.choose(6) {
	case 0:
		return nil
	case 1:
		return g.choose(2) == 0
	case 2:
		return json.Number([]string{"0", "-1.50", "1e400", "9007199254740993", "123456789012345678901234567890", "2E-3"}[g.choose(6)])
	}
	return g.any()
}

func (g *generator) data() string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // as Read writes it
	_ = e.Encode(map[string]any{"k": []any{g.datum(), g.datum()}, g.some(): map[string]any{"z": g.datum()}})
	return strings.TrimSpace(b.String())
}

func (g *generator) match(depth int) match.Match {
	switch g.choose(5) {
	case 0:
		return match.Regex(g.any(), []string{"", "i", "xy"}[g.choose(3)])
	case 1:
		return match.Keywords(g.texts()...)
	case 2:
		m := match.Intent(g.any(), g.texts()...)
		if g.choose(2) == 0 {
			m.Examples = nil
		}
		return m
	case 3:
		if depth < 5 {
			parts := []match.Match{}
			for range g.choose(4) {
				if m := g.match(depth + 1); !m.IsZero() {
					parts = append(parts, m)
				}
			}
			return match.All(parts...)
		}
	}
	if depth > 0 {
		return match.Keywords("x")
	}
	return match.Match{}
}

func (g *generator) guard() guard.Guard {
	if g.choose(3) == 0 {
		return nil
	}
	conditions := guard.Guard{}
	keys := map[string]bool{}
	for range g.choose(4) {
		key := g.some()
		if keys[key] {
			continue
		}
		keys[key] = true
		if g.choose(5) == 0 {
			conditions = append(conditions, guard.Cond{Key: key})
			continue
		}
		for i, op := range guard.Ops() {
			if g.choose(4) != 0 && i > 0 {
				continue
			}
			value := guard.Of(g.datum())
			if op == guard.OpIn {
				value = guard.Of([]any{g.datum(), g.datum()})
			}
			conditions = append(conditions, guard.Cond{Key: key, Op: op, Value: value})
		}
	}
	return conditions
}

func (g *generator) skill() spoor.Skill {
	return spoor.Skill{
		ID: g.name(), Description: g.any(), Body: g.any() + g.any(), Tools: g.tools(), Model: g.any(),
		AutoActivate: []spoor.AutoActivate{"", spoor.CurrentSkill, spoor.Always}[g.choose(3)],
		Delivery:     []spoor.Delivery{"", spoor.DeliverPrompt, spoor.DeliverResult, spoor.DeliverBoth}[g.choose(4)],
	}
}

func (g *generator) tree(depth int) *spoor.Tree {
	t := &spoor.Tree{Skill: g.any(), When: g.any(), Label: g.any()}
	if depth < 5 && g.choose(2) == 1 {
		t.WhenTrue = g.tree(depth + 1)
	}
	if depth < 5 && g.choose(2) == 1 {
		t.WhenFalse = g.tree(depth + 1)
	}
	return t
}

func (g *generator) file() *mapfile.File {
	m := &spoor.Map{Name: g.text, NeverRoutes: g.texts(), KnownTools: g.texts()}
	for range g.choose(4) {
		m.Skills = append(m.Skills, g.skill())
	}
	if g.choose(6) == 5 {
		m.Tree = g.tree(0)
	}
	switch g.choose(4) {
	case 0:
		m.Start.Use = g.any()
	case 1:
		m.Start.Rules = []spoor.Rule{}
		for range g.choose(4) {
			m.Start.Rules = append(m.Start.Rules, spoor.Rule{Use: g.name(), Match: g.match(0), When: g.any(), Examples: g.texts(), Label: g.any()})
		}
		m.Start.Classify = g.any()
	case 2:
		m.Start.Entries = []spoor.Entry{}
		for range g.choose(4) {
			m.Start.Entries = append(m.Start.Entries, spoor.Entry{Use: g.name(), Match: g.match(0), When: g.any(), Label: g.any()})
		}
		m.Start.ScoredBy = g.any()
	}
	if g.choose(2) == 1 {
		margin, size := float64(g.choose(256))/7, g.choose(256)
		m.Start.Routing = &score.Policy{NearTieMargin: &margin, MenuSize: &size}
	}
	for range g.choose(5) {
		s := spoor.Step{From: g.name(), To: g.name(), Guard: g.guard(), When: g.any(), Label: g.any()}
		switch g.choose(3) {
		case 0:
			s.OnToolReturn = spoor.ToolPattern(g.any(), []string{"", "i"}[g.choose(2)])
		case 1:
			s.OnToolReturn = spoor.ToolName(g.some())
		}
		if g.choose(2) == 1 {
			s.OnToolStatus = spoor.Statuses{spoor.Denied, spoor.Status(g.any())}
		}
		m.Steps = append(m.Steps, s)
	}
	if c := g.choose(3); c > 0 {
		scoped := c == 1
		m.ScopeTools = &scoped
		m.Scales = guard.Scales{g.some(): append([]string{}, g.texts()...)}
	}
	f := &mapfile.File{Map: m}
	f.Agent = mapfile.Agent{Model: g.any(), System: g.any() + g.any(), MaxIterations: g.choose(9)}
	f.Agent.Steering = g.texts()
	if g.choose(2) == 1 {
		f.Agent.Posture = "rails"
		f.Agent.Embedding = mapfile.Embedding{URL: g.name(), Model: g.name()}
		f.Agent.Skills = []spoor.AgentSkill{{Skill: g.skill(), When: g.any()}}
		f.Agent.Facts = []spoor.Fact{{ID: "a", Text: g.name()}}
		f.Agent.Instructions = []spoor.Instruction{{ID: "x" + g.name(), When: g.name(), Text: g.name()}, {ID: "y", Text: g.name()}}
		f.Agent.Limits.ToolCalls, f.Agent.Limits.Tokens, f.Agent.Limits.PingPong, f.Agent.Limits.Refusals = g.choose(3), g.choose(3), g.choose(3), g.choose(3)
		f.Agent.Limits.Cost, f.Agent.Limits.Time = float64(g.choose(256))/7, time.Duration(g.choose(256))*123_456_789
		f.Agent.Limits.Prices = []spoor.Price{{Model: g.some(), Input: float64(g.choose(256)) / 7, Cached: 1e-9}, {Output: 1e21}}
		f.Agent.Sync = []string{"", "effects"}[g.choose(2)]
		f.MCPServers = []mapfile.Server{
			{Name: "a", Command: g.name(), Args: g.texts(), Env: []mapfile.Variable{{Name: g.some(), From: "X_1"}}},
			{Name: g.some(), URL: g.name(), Headers: []mapfile.Variable{}},
		}
	}
	if g.choose(2) == 1 {
		f.Tools = []mapfile.Tool{{Name: g.name(), Description: g.any(), InputSchema: g.data(), Results: []mapfile.Result{{If: g.any(), Result: g.data()}, {Result: g.data(), Status: spoor.Absent}, {If: g.any(), Ask: g.name()}}}}
		f.Cases = []mapfile.Case{
			{Say: g.name(), Starts: g.any(), By: g.any()},
			{At: g.name(), Results: []mapfile.CaseResult{{Tool: g.name(), Result: g.data(), Status: spoor.Failure, Executed: new(g.choose(2) == 1)}}, Leads: g.any(), Closed: g.texts()},
		}
	}
	return f
}
