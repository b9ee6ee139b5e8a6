package mapfile_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/mapfile"
)

// lines writes a line n times, with its number in the place of every #.
func lines(n int, line string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(line, "#", fmt.Sprint(i)))
		b.WriteByte('\n')
	}
	return b.String()
}

// What a hostile file costs grows with its length. The memory is counted; the
// sizes are such that the time of the test tells if something grows faster.
func TestHostileFiles(t *testing.T) {
	const one = "skills: [{id: a}]\n"
	deep := func(open, value, end string, n int) string {
		return strings.Repeat(open, n) + value + strings.Repeat(end, n)
	}
	for _, test := range []struct {
		name, text string
		read       string // the beginning of the first fault of Read; empty if there is none
		compile    string // the same of Compile
	}{
		{"ten megabytes of text", "skills:\n- id: a\n  body: |\n" + lines(10<<20/40, "    one more line of what to do, # of it"), "", ""},
		{"ten megabytes on a line", one + "name: " + strings.Repeat("x ", 5<<20), "", ""},
		{"ten megabytes of brackets", strings.Repeat("[", 10<<20), "map.yaml:1:1: syntax: this is not YAML: exceeded max depth", ""},
		{"ten megabytes of steps", one + "steps:\n" + lines(100_000, "- {from: a, to: a, onToolReturn: tool-#, onToolStatus: [success, partial], guard: {x: {gte: #}}}"), "map.yaml:61683:60: syntax: there are more than 1048576 values", ""},
		{"steps", one + "steps:\n" + lines(100_000, "- {from: a, to: a, onToolReturn: tool-#}"), "", ""},
		{"steps in JSON", `{"skills": [{"id": "a"}], "steps": [` + lines(99_999, `{"from": "a", "to": "a", "onToolReturn": "tool-#"},`) + `{"from": "a", "to": "a"}]}`, "", ""},
		{"skills", "skills:\n" + lines(20_001, "- id: skill-#"), "map.yaml:20002:3: skills[20000]: bad-file: there are more than 20000 skills", ""},
		{"open skills", one + "agent:\n  skills:\n" + lines(20_001, "  - id: skill-#"), "map.yaml:20004:5: agent.skills[20000]: bad-file: there are more than 20000 skills", ""},
		{"entries", "skills:\n" + lines(20_000, "- id: skill-#") + "start:\n  entries:\n" + lines(20_000, "  - skill-#"), "", ""},

		{"deep tree", one + "tree: " + deep("{when: 'true', whenFalse: {skill: a}, whenTrue: ", "{skill: a}", "}", 5000), "map.yaml:2:3009: syntax: values are nested deeper than 64 levels", ""},
		{"deep tree in JSON", `{"tree": ` + deep(`{"when": "true", "whenTrue": `, `{"skill": "a"}`, "}", 5000) + "}", "map.yaml:1:1837: syntax: values are nested deeper than 64 levels", ""},
		{"deep lists", "name: " + deep("[", "", "]", 9000), "map.yaml:1:70: syntax: values are nested deeper than 64 levels", ""},
		{"deep blocks", lines(3000, "- - - #"), "map.yaml", ""},
		{"deep all", one + "start: {rules: [{use: a, match: " + deep("{all: [", strings.Repeat("{regex: a}, ", 50_000), "]}", 28) + "}]}", "", "start.rules[0].match.all"},
		{"aliases", "a: &a [x, x, x, x, x, x, x, x, x]\n" + aliases(9), "map.yaml:1:4: syntax: an anchor (&) is not read here", ""},
		{"many aliases", "name: &a x\nknownTools:\n" + lines(100_000, "- *a"), "map.yaml:1:7: syntax: an anchor (&) is not read here", ""},
		{"a merge of itself", "a: &a\n  <<: *a\n", "map.yaml:1:4: syntax: an anchor (&) is not read here", ""},

		{"long regex", rules("{regex: '" + strings.Repeat("(a|b)?", 1<<20/6) + "'}"), "", "start.rules[0].match.regex: bad-match: the regex is 1048572 bytes long"},
		{"repeated regex", rules("{regex: '(a{1000}){1000}'}"), "", "start.rules[0].match.regex: bad-match: the repeat count is too large"},
		{"wide regex", rules("{regex: '(?i)" + strings.Repeat("[Ā-𞥂]", 450) + "'}"), "", "start.rules[0].match.regex: bad-match: the regex names too many characters"},
		{"tool pattern", one + "steps: [{from: a, to: a, onToolReturn: {regex: '((a{100}){100}){100}'}}]\n", "", "steps[0].onToolReturn.regex: bad-match: the repeat count is too large"},
		{"keywords", rules("{keywords: [" + lines(100_000, "word-#,") + "]}"), "", "start.rules[0].match.keywords: bad-match: keywords has 100000 words"},
		{"keywords of many rules", rules(manyKeywords(100)...), "", ""},
		{"condition", one + "steps: [{from: a, to: a, when: \"" + strings.Repeat("(", 1<<20) + "\"}]", "", "steps[0].when: bad-condition: 1:1: the expression is longer than 4096 bytes"},
		{"loops", one + "steps: [{from: a, to: a, when: \"" + deep("[1,2,3].all(x, ", "true", ")", 63) + "\"}]", "", ""},
		{"guard", one + "steps: [{from: a, to: a, guard: {" + lines(100_000, "x#: {gt: #},") + "}}]", "", ""},
		{"guard list", one + "steps: [{from: a, to: a, guard: {x: {in: [" + lines(100_000, "#,") + "]}}}]", "", "steps[0].guard[0]: bad-guard: x: in has 100000 entries"},
		{"number", one + "steps: [{from: a, to: a, guard: {x: {gt: " + strings.Repeat("9", 1<<20) + "}}}]", "", ""},
		{"scale", one + "scales: {x: [" + lines(100_000, "w#,") + "]}", "", "scales.x: bad-guard: x: the scale has 100000 words"},
		{"guards on a scale", one + "scales: {x: [" + lines(1000, "w#,") + "]}\nsteps:\n" + lines(20_000, "- {from: a, to: a, guard: {x: {gte: w#}}}"), "", "steps[1000].guard[0]: bad-guard: x: gte compares with w1000, which is no word of the scale"},

		{"unknown keys", "skills:\n" + lines(100_000, "- idd: skill-#"), "map.yaml:2:3: skills[0].idd: unknown-key: ", ""},
		{"one unknown key a line", lines(100_000, "key#: 1"), "map.yaml:1:1: key0: unknown-key: ", ""},
		{"duplicate keys", strings.Repeat("name: x\n", 100_000), "map.yaml:2:1: name: duplicate-key: ", ""},
		{"duplicate tools", "skills: [{id: a, tools: [" + strings.Repeat("x,\n", 100_000) + "]}]", "map.yaml:2:1: skills[0].tools[1]: duplicate-name: ", ""},
		{"wrong types", "steps:\n" + lines(100_000, "- {from: 1, to: [#], label: {}}"), "map.yaml:2:10: steps[0].from: wrong-type: ", ""},
		{"statuses", one + "steps: [{from: a, to: a, onToolStatus: [" + strings.Repeat("succes,\n", 100_000) + "]}]", "", "steps[0].onToolStatus[0]: bad-status: "},
		{"tags", "knownTools:\n" + lines(100_000, "- !t #"), "map.yaml:2:3: syntax: a tag (!) is not read here", ""},
		{"unknown skills", one + "steps:\n" + lines(100_000, "- {from: a, to: b#}"), "", "steps[0].to: unknown-skill: "},
	} {
		if raced && len(test.text) > 1<<20 {
			continue // it is slow, and nothing here runs beside anything
		}
		t.Run(test.name, func(t *testing.T) {
			fsys := fstest.MapFS{"map.yaml": {Data: []byte(test.text)}}
			before := allocated()
			f, err := mapfile.Read(fsys, "map.yaml")
			used := allocated() - before
			if !begins(err, test.read) {
				t.Fatalf("Read: %.200v", err)
			}
			var faults mapfile.Faults
			if errors.As(err, &faults) && len(faults) > 101 {
				t.Errorf("%d faults are listed", len(faults))
			}
			if test.read == "" {
				before := allocated()
				_, err := spoor.Compile(f.Map, cond.CEL)
				used += allocated() - before
				if !begins(err, test.compile) {
					t.Errorf("Compile: %.200v", err)
				}
			}
			if most := 16<<20 + 500*uint64(len(test.text)); used > most && !raced {
				t.Errorf("%d bytes were allocated, want at most %d for %d bytes of text", used, most, len(test.text))
			}
			t.Logf("%d bytes: %d allocated a byte", len(test.text), used/uint64(len(test.text)))
		})
	}
}

// raced is set by the race detector's build, which allocates on its own account.
var raced bool

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

func begins(err error, want string) bool {
	if want == "" {
		return err == nil
	}
	return err != nil && strings.HasPrefix(err.Error(), want)
}

// aliases are n lists of nine times the one before.
func aliases(n int) string {
	var b strings.Builder
	for i := range n {
		c := string(rune('a' + i))
		fmt.Fprintf(&b, "%c: &%c [%s]\n", 'b'+i, 'b'+i, strings.TrimSuffix(strings.Repeat("*"+c+", ", 9), ", "))
	}
	return b.String()
}

func rules(matchers ...string) string {
	var b strings.Builder
	b.WriteString("skills: [{id: a}]\nstart:\n  rules: [\n")
	for _, m := range matchers {
		b.WriteString("{use: a, match: " + m + "},\n")
	}
	return b.String() + "]\n"
}

// manyKeywords are n matchers of a thousand keywords each.
func manyKeywords(n int) []string {
	matchers := make([]string, n)
	for i := range matchers {
		matchers[i] = "{keywords: [" + lines(1000, fmt.Sprintf("word-%d-#,", i)) + "]}"
	}
	return matchers
}
