package mapfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
)

// objects are the objects of the schema, by their key in $defs: a map with a
// place for one of them, and some that may stand there.
var objects = []struct {
	def, file string
	good      []string
}{
	{"", `%s`, []string{`{"skills": [{"id": "a"}]}`, `{"skills": [{"id": "a"}], "tree": {"skill": "a"}}`}},
	{"skill", `{"skills": [%s]}`, []string{`{"id": "a"}`, `{"id": "a", "body": "x"}`, `{"dir": "b"}`, `{"dir": "*"}`}},
	{"openSkill", `{"agent": {"skills": [%s]}}`, []string{`{"id": "a"}`, `{"id": "a", "body": "x"}`, `{"dir": "b"}`, `{"dir": "*"}`}},
	{"start", `{"skills": [{"id": "a"}], "start": %s}`, []string{
		`{}`, `{"use": "a"}`, `{"rules": [{"use": "a"}]}`, `{"rules": [], "classify": "keyword"}`, `{"entries": ["a"]}`,
	}},
	{"rule", `{"skills": [{"id": "a"}], "start": {"rules": [%s]}}`, []string{
		`{"use": "a"}`, `{"use": "a", "when": "x"}`, `{"use": "a", "match": {"regex": "a"}}`, `{"use": "a", "match": {"intent": "x", "examples": "x"}}`,
	}},
	{"entry", `{"skills": [{"id": "a"}], "start": {"entries": [%s]}}`, []string{`{"use": "a"}`, `{"use": "a", "when": "x"}`}},
	{"match", `{"skills": [{"id": "a"}], "start": {"rules": [{"use": "a", "match": %s}]}}`, []string{
		`{"regex": "a"}`, `{"keywords": ["a"]}`, `{"all": [{"regex": "a"}]}`, `{"intent": "a", "examples": ["a"]}`,
	}},
	{"match", `{"skills": [{"id": "a"}], "start": {"rules": [{"use": "a", "match": {"all": [%s]}}]}}`, []string{
		`{"regex": "a"}`, `{"keywords": ["a"]}`, `{"all": [{"regex": "a"}]}`,
	}},
	{"routing", `{"start": {"rules": [], "classify": "x", "routing": %s}}`, []string{`{}`}},
	{"step", `{"skills": [{"id": "a"}], "steps": [%s]}`, []string{`{"from": "a", "to": "a"}`, `{"from": "a", "to": "a", "when": "x"}`}},
	{"toolName", `{"skills": [{"id": "a"}], "steps": [{"from": "a", "to": "a", "onToolReturn": %s}]}`, []string{`{"regex": "a"}`}},
	{"operators", `{"skills": [{"id": "a"}], "steps": [{"from": "a", "to": "a", "guard": {"x": %s}}]}`, []string{`{"eq": 1}`}},
	{"tree", `{"skills": [{"id": "a"}], "tree": %s}`, []string{`{"skill": "a"}`, `{"when": "x", "whenTrue": {"skill": "a"}, "whenFalse": {"skill": "a"}}`}},
	{"agent", `{"agent": %s}`, []string{`{}`, `{"maxCost": 1, "prices": {"a": {"input": 1, "output": 1}}}`}},
	{"price", `{"agent": {"prices": {"x": %s}}}`, []string{`{"input": 1, "output": 1}`}},
	{"embedding", `{"agent": {"embedding": %s}}`, []string{`{"url": "x", "model": "x"}`}},
	{"instruction", `{"agent": {"instructions": [%s]}}`, []string{`{"id": "x", "text": "x"}`, `{"id": "x", "when": "x", "text": "x"}`}},
	{"fact", `{"agent": {"facts": [%s]}}`, []string{`{"id": "x", "text": "x"}`}},
	{"server", `{"mcpServers": {"x": %s}}`, []string{`{"command": "x"}`, `{"url": "x"}`}},
	{"tool", `{"tools": [%s]}`, []string{`{"name": "x", "results": []}`}},
	{"result", `{"tools": [{"name": "x", "results": [%s]}]}`, []string{`{"result": 1}`, `{"ask": "x"}`}},
	{"case", `{"cases": [%s]}`, []string{`{"say": "x", "starts": null}`, `{"at": "x", "results": [], "leads": "x"}`}},
	{"caseResult", `{"cases": [{"at": "x", "leads": null, "results": [%s]}]}`, []string{`{"tool": "x"}`}},
}

// values are what each key of each object is tried with.
var values = []string{
	`"a"`, `"b"`, `"i"`, `" "`, `""`, `null`, `true`, `false`, `0`, `1`, `-1`, `0.5`, `1.5`, `2`,
	`[]`, `["a"]`, `["a", "a"]`, `["a", "b"]`, `["a", 1]`, `["a", ""]`, `["a", null]`, `[1]`, `[true, null]`, `[[]]`, `[{}]`, `{}`,
	`"currentSkill"`, `"always"`, `"prompt"`, `"both"`, `"assist"`, `"rails"`, `"turn"`, `"conversation"`, `"throw"`, `"off"`, `"effects"`, `"90s"`, `"1h1.5m"`, `"0s"`, `"90"`, `"-5s"`,
	`"success"`, `"absent"`, `["success", "denied"]`, `["success", "done"]`, `"${A}"`,
	`{"a": 1}`, `{"a": "x"}`, `{"a": "${A}"}`, `{"a": "${1}"}`, `{"a": ["x"]}`, `{"a": ["x", "x"]}`, `{"a": []}`, `{"status": ["x"]}`, `{"toString": ["x"]}`,
	`{"a": {}}`, `{"a": {"eq": 1}}`, `{"a": {"over": 1}}`, `{"a": null}`, `{"toString": {"eq": 1}}`, `{"": {"in": ["x"]}}`,
	`{"a": {"command": "x"}}`, `{"a": {"args": []}}`, `{"url": "x", "model": "x"}`, `{"type": "object"}`, `{"nearTieMargin": 0.5}`,
	`{"use": "a"}`, `[{"use": "a"}]`, `{"use": "a", "rules": []}`, `{"regex": "a"}`, `{"regex": "a", "flags": "x"}`, `[{"regex": "a"}]`, `[{"intent": "a", "examples": "a"}]`,
	`{"skill": "a"}`, `{"when": "x", "whenTrue": {"skill": "a"}}`, `[{"id": "a"}]`, `[{"id": "c"}]`, `[{"dir": "b"}]`, `[{"from": "a", "to": "a"}]`,
	`[{"id": "a", "text": "x"}]`, `[{"id": "a", "when": "x", "text": "x"}]`, `[{"name": "a", "results": []}]`, `[{"result": 1}]`, `{"a": {"input": 1, "output": 0.5}}`, `{"a": {"input": 1}}`,
	`[{"say": "x", "starts": "a"}]`, `[{"tool": "x"}]`,
}

// The schema and the decoder know the same keys: the decoder lists its own in
// the hint about a key that it does not know.
func TestSchemaHasTheKeysOfTheDecoder(t *testing.T) {
	found := map[string]*jsonschema.Schema{}
	for def, s := range testSchema(t).Defs {
		if s.AdditionalProperties != nil && s.Properties != nil {
			found[def] = s
		}
	}
	found[""] = testSchema(t)
	for _, o := range objects {
		delete(found, o.def)
		for _, good := range o.good {
			if strings.Contains(good, "*") {
				continue // nothing stands beside it, so its hint is another
			}
			text := fmt.Sprintf(o.file, with(t, good, `"?"`, `"x"`))
			if accepts(t, text) == nil {
				t.Errorf("%s: the schema accepts an unknown key", text)
			}
			err := fmt.Sprint(reads(text))
			_, list, ok := strings.Cut(err, "the keys are ")
			if !ok {
				_, list, ok = strings.Cut(err, "operators are ")
			}
			list, _, _ = strings.Cut(list, ")")
			if !ok {
				t.Errorf("%s: the decoder lists no keys, which it does up to 24: %s", text, err)
			}
			want := slices.Sorted(strings.SplitSeq(list, ", "))
			if diff := cmp.Diff(want, slices.Sorted(maps.Keys(definition(t, o.def).Properties))); diff != "" {
				t.Errorf("%q (-decoder +schema):\n%s", o.def, diff)
			}
		}
	}
	for def := range found {
		t.Errorf("the object %q is not among those of this test", def)
	}
}

// Every key of the schema tells about itself.
func TestSchemaDescribesEveryKey(t *testing.T) {
	sentence := regexp.MustCompile(`^[A-Z][^\n]+\.$`)
	var walk func(at string, node any)
	walk = func(at string, node any) {
		object, _ := node.(map[string]any)
		keys, _ := object["properties"].(map[string]any)
		for key, s := range keys {
			about, _ := s.(map[string]any)
			if about == nil {
				continue // false: a key that is known elsewhere
			}
			ref, _ := about["$ref"].(string)
			text, _ := about["description"].(string)
			isAnother := strings.Contains(ref, "/properties/")
			if _, open := object["additionalProperties"]; open && !isAnother && !sentence.MatchString(text) {
				t.Errorf("%s: %q has no sentence about it: %q", at, key, text)
			}
		}
		for key, s := range object {
			walk(at+"/"+key, s)
		}
		if list, ok := node.([]any); ok {
			for i, s := range list {
				walk(fmt.Sprint(at, "/", i), s)
			}
		}
	}
	var root any
	if err := json.Unmarshal(Schema(), &root); err != nil {
		t.Fatal(err)
	}
	walk("", root)
}

// empty is a key that is written where it does not belong, but says nothing, so
// that it counts as absent to Compile.
var empty = regexp.MustCompile(`"flags":""|"start":\{\},"tree"`)

// The schema and the readers agree on every object with every one of its keys
// set to every value, and with every two of them set to values that are good.
func TestSchemaAgrees(t *testing.T) {
	asked := 0
	agree := func(text string) bool {
		asked++
		schema, reader := accepts(t, text), reads(text)
		if reader == nil && empty.MatchString(text) {
			return schema == nil
		}
		if (schema == nil) != (reader == nil) {
			t.Errorf("%s\n\tschema: %v\n\treader: %v", text, schema, reader)
		}
		return schema == nil
	}
	for _, o := range objects {
		keys := slices.Sorted(maps.Keys(definition(t, o.def).Properties))
		agree(fmt.Sprintf(o.file, "{}"))
		for _, value := range values {
			agree(fmt.Sprintf(o.file, value))
		}
		goodFor := map[string]string{}
		for _, good := range o.good {
			if !agree(fmt.Sprintf(o.file, good)) {
				t.Errorf("%s is not good in %s", good, o.file)
			}
			for _, key := range keys {
				for _, value := range values {
					if agree(fmt.Sprintf(o.file, with(t, good, key, value))) && goodFor[key] == "" {
						goodFor[key] = value
					}
				}
			}
		}
		for _, good := range append([]string{"{}"}, o.good...) {
			for i, key := range keys {
				if goodFor[key] == "" && !strings.Contains(o.file, `"all": [`) {
					t.Errorf("no value is good for %s in %s", key, o.file)
				}
				for _, other := range keys[:i] {
					agree(fmt.Sprintf(o.file, with(t, with(t, good, key, goodFor[key]), other, goodFor[other])))
				}
			}
		}
	}
	t.Logf("%d maps", asked)
}

// What people get wrong is marked by an editor as it is by check.
func TestSchemaRefuses(t *testing.T) {
	for _, text := range []string{
		"", "[]", "skils: []", "name: 5",
		"skills: [{body: no id}]",
		"skills: [{id: a, tools: search}]",
		"skills: [{id: a, autoActivate: sometimes}]",
		"skills: [{id: a, body: x, bodyFile: a}]",
		"skills: [{dir: b, description: x}]",
		"skills: [{dir: ./*, tools: [x]}]",
		"start: {use: a, rules: []}",
		"start: {entries: [a], classify: keyword}",
		"start: {rules: [{use: a, match: {keyword: [x]}}]}",
		"start: {rules: [{use: a, match: {keywords: refund}}]}",
		"start: {rules: [{use: a, match: {regex: x, keywords: [x]}}]}",
		"start: {rules: [{use: a, examples: x}]}",
		"start: {rules: [], classify: keyword, routing: {menuSize: 0}}",
		"start: {rules: [], classify: keyword, routing: {nearTieMargin: 2}}",
		"steps: [{from: a}]",
		"steps: [{from: a, to: a, onToolStatus: failed}]",
		"steps: [{from: a, to: a, when: x, onToolReturn: y}]",
		"steps: [{from: a, to: a, onToolReturn: /x/i}]",
		"steps: [{from: a, to: a, guard: {}}]",
		"steps: [{from: a, to: a, guard: {risk: high}}]",
		"steps: [{from: a, to: a, guard: {risk: {over: 1}}}]",
		"steps: [{from: a, to: a, guard: {risk: {in: []}}}]",
		"neverRoutes: [' ']",
		"scopeTools: yes",
		"scales: {status: [success, failure]}",
		"tree: {when: x, whenTrue: {skill: a}}",
		"tree: {skill: a}\nsteps: []",
		"agent: {maxIterations: 0}",
		"agent: {posture: gard}",
		"agent: {maxCost: 0}",
		"agent: {maxCost: 1}",
		"agent: {maxCost: 1, prices: {}}",
		"agent: {maxTime: 90}",
		"agent: {maxTime: soon}",
		"agent: {prices: {a: {input: -1, output: 1}}}",
		"agent: {sync: always}",
		"agent: {steering: [' ']}",
		"agent: {facts: [{id: a, text: ' '}]}",
		"agent: {instructions: [{id: a, text: ' '}]}",
		"mcpServers: {a: {command: x, env: {TOKEN: abc}}}",
		"mcpServers: {a: {command: x, url: y}}",
		"tools: [{name: a, results: [{status: succes, result: 1}]}]",
		"tools: [{name: a, results: [{status: denied, ask: x}]}]",
		"tools: [{name: a, results: [{result: 1, ask: x}]}]",
		"cases: [{say: hi}]",
		"cases: [{at: a, results: [], leads: a, starts: a}]",
	} {
		if !strings.Contains(text, "skills") && strings.Contains(text, "a") {
			text += "\nskills: [{id: a}]"
		}
		if err := accepts(t, text); err == nil {
			t.Errorf("the schema accepts %q", text)
		}
		if err := reads(text); err == nil {
			t.Errorf("the reader accepts %q", text)
		}
	}
}

// The schema accepts every map of this repository that can be compiled.
func TestSchemaAcceptsTheMapsOfTheRepository(t *testing.T) {
	checked := 0
	check := func(fsys fs.FS, name, at string) {
		f, err := Read(fsys, name)
		if err != nil || len(f.Map.Skills) == 0 {
			return
		}
		conditions := &cond.Set{AllowUnbound: true}
		g, err := spoor.Compile(f.Map, conditions)
		if err == nil {
			_, err = g.Inject(f.Agent.Injections, conditions)
		}
		if err != nil {
			return
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			t.Fatal(err)
		}
		if err := accepts(t, string(text)); err != nil {
			t.Errorf("%s: %v", at, err)
		}
		checked++
	}
	block := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && len(d.Name()) > 2 && d.Name()[0] == '.' {
			return fs.SkipDir
		}
		switch filepath.Ext(file) {
		case ".yaml", ".json":
			check(os.DirFS(filepath.Dir(file)), filepath.Base(file), file)
		case ".txtar":
			archive, err := txtar.ParseFile(file)
			if err != nil {
				return err
			}
			fsys := fstest.MapFS{}
			for _, f := range archive.Files {
				if fs.ValidPath(f.Name) {
					fsys[f.Name] = &fstest.MapFile{Data: f.Data}
				}
			}
			for name := range fsys {
				check(fsys, name, file+": "+name)
			}
		case ".md":
			page, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			for _, b := range block.FindAllSubmatch(page, -1) {
				fsys := fstest.MapFS{
					"map.yaml": {Data: b[1]}, "escalation.md": {Data: []byte("x")},
					"skills/billing/SKILL.md": {Data: []byte("---\nname: billing\ndescription: x\n---\nx")},
				}
				check(fsys, "map.yaml", file)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d maps", checked)
	if checked < 30 {
		t.Errorf("only %d maps were found", checked)
	}
}

func testSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s := new(jsonschema.Schema)
	if err := json.Unmarshal(Schema(), s); err != nil {
		t.Fatal(err)
	}
	return s
}

func definition(t *testing.T, def string) *jsonschema.Schema {
	t.Helper()
	s := testSchema(t)
	if def != "" {
		s = s.Defs[def]
	}
	return s
}

var resolved *jsonschema.Resolved

// accepts says why the schema refuses a map. A file is read as YAML is here.
func accepts(t *testing.T, text string) error {
	t.Helper()
	if resolved == nil {
		var err error
		if resolved, err = testSchema(t).Resolve(nil); err != nil {
			t.Fatal(err)
		}
	}
	d := newDecoder(fstest.MapFS{}, "map.yaml", 0)
	var data string
	if v, ok := d.parse([]byte(text), "map.yaml", ""); ok {
		jsonText(&data)(v)
	}
	if err := d.err(); err != nil {
		return err
	}
	var instance any
	if err := json.Unmarshal([]byte(data), &instance); err != nil && !errors.As(err, new(*json.UnmarshalTypeError)) {
		t.Fatal(err) // but for a number beyond float64, which becomes null
	}
	return resolved.Validate(instance)
}

// seen reports whether a schema can tell that there is such a problem.
func seen(p spoor.Problem) bool {
	switch p.Code {
	case "bad-file", "duplicate-skill", "unknown-skill", "intent-without-classify":
		return false
	case "bad-condition":
		return !strings.HasSuffix(string(p.Ref), ".when") // one that is not there
	case "duplicate-name":
		return strings.Contains(p.Message, "is listed twice") // and not declared
	case "tree-leaves":
		return !strings.HasPrefix(string(p.Ref), "skills") && !strings.HasSuffix(string(p.Ref), ".skill")
	}
	return true
}

// reads says why a map cannot be read, compiled or run, if a schema can tell.
func reads(text string) error {
	f, err := Read(fstest.MapFS{
		"map.yaml": {Data: []byte(text)}, "a": {Data: []byte("x")},
		"b/SKILL.md": {Data: []byte("---\nname: b\ndescription: x\n---\nx")},
	}, "map.yaml")
	var faults Faults
	problems := spoor.Problems{}
	conditions := &cond.Set{AllowUnbound: true}
	if errors.As(err, &faults) {
		problems = faults.Problems()
	} else if g, err := spoor.Compile(f.Map, conditions); err != nil {
		problems = err.(spoor.Problems)
	} else if _, err := g.Inject(f.Agent.Injections, conditions); err != nil {
		problems = err.(spoor.Problems)
	}
	problems = slices.DeleteFunc(problems, func(p spoor.Problem) bool { return !seen(p) })
	if len(problems) > 0 {
		return problems
	}
	return nil
}

// with is a JSON object with one more key, or another value of it.
func with(t *testing.T, object, key, value string) string {
	t.Helper()
	keys := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(object), &keys); err != nil {
		t.Fatal(err)
	}
	if value != "" {
		keys[strings.Trim(key, `"`)] = json.RawMessage(value)
	}
	text, err := json.Marshal(keys)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
