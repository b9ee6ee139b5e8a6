// Package docs holds the pages of the user documentation and a test that they
// are true: every map and every script on them is read, every command is run,
// and every row of a table of answers is asked.
//
// A block after <!-- file NAME --> is a file that the commands of the page
// find. A block of yaml without that is a piece of a map, or of a script. In a
// block of console a line with ... stands for any number of lines.
// UPDATE_DOCS=1 writes what the commands print into the page, but for blocks
// with such a line.
package docs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/model/script"
	"github.com/spoorhq/spoor/tool"
	"github.com/spoorhq/spoor/tool/fixed"
)

func TestMapPage(t *testing.T) {
	p := readPage(t, "map.md")
	p.atMost(t, 600)
	for _, b := range p.blocks {
		switch {
		case b.kind == "yaml" && b.marker == "":
			f, _, err := compile(b.text)
			if err != nil {
				t.Errorf("%s: %v", b.at, err)
				continue
			}
			for _, d := range f.Tools {
				declared := fixed.Tool{Name: d.Name, Description: d.Description, InputSchema: d.InputSchema}
				for _, r := range d.Results {
					declared.Results = append(declared.Results, fixed.Case(r))
				}
				if _, faults := fixed.New(declared); faults != nil {
					t.Errorf("%s: %v", b.at, faults)
				}
			}
		case b.kind == "table":
			for _, r := range b.rows {
				r.check(t, b.marker)
			}
		}
	}
	p.run(t)
}

func TestScriptPage(t *testing.T) {
	p, maps := readPage(t, "script.md"), readPage(t, "map.md")
	p.atMost(t, 150)
	for _, b := range p.blocks {
		switch {
		case b.kind == "yaml" && b.marker == "":
			text := b.text
			if !strings.HasPrefix(text, "rules:") {
				text = "rules:\n  " + strings.ReplaceAll(text, "\n", "\n  ")
			}
			if _, err := script.Parse(b.at, []byte(text)); err != nil {
				t.Error(err)
			}
		case b.kind == "go":
			name := filepath.Join(t.TempDir(), "main.go")
			if err := os.WriteFile(name, []byte(b.text), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("go", "run", name)
			cmd.Dir = ".."
			got, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(b.text, " // "+string(got)) {
				t.Errorf("%s: the program prints (%v)\n%s", b.at, err, got)
			}
		case b.kind == "table":
			for _, r := range b.rows {
				r.check(t, b.marker)
			}
		}
	}
	p.run(t, maps.blocks[:2]...) // its small map
}

func TestComparePage(t *testing.T) {
	p := readPage(t, "compare.md")
	p.atMost(t, 100)
	p.run(t)
}

// On the page of answers is what the command prints.
func TestWhyPage(t *testing.T) {
	p := readPage(t, "why.md")
	p.atMost(t, 155)
	p.run(t)
}

// The maps on the other pages are maps.
func TestOtherPages(t *testing.T) {
	for _, name := range []string{"mcp.md", "models.md"} {
		p := readPage(t, name)
		p.atMost(t, 120)
		for _, b := range p.blocks {
			if b.kind == "yaml" {
				if _, _, err := compile(b.text); err != nil {
					t.Errorf("%s: %v", b.at, err)
				}
			}
		}
	}
}

// A piece of a map is completed with what it leaves out of this one.
var base = []struct{ key, text string }{
	{"skills", "skills: [{id: triage}, {id: billing}, {id: escalation}, {id: faq}]\n"},
	{"start", "start: {rules: [{use: triage, when: \"true\"}]}\n"},
}

var topLevel = regexp.MustCompile(`(?m)^([A-Za-z]+):`)

func compile(text string) (*mapfile.File, *spoor.Graph, error) {
	var keys []string
	for _, m := range topLevel.FindAllStringSubmatch(text, -1) {
		keys = append(keys, m[1])
	}
	for _, b := range base {
		if !slices.Contains(keys, b.key) && !(b.key == "start" && slices.Contains(keys, "tree")) {
			text += b.text
		}
	}
	files := fstest.MapFS{
		"map.yaml":                {Data: []byte(text)},
		"escalation.md":           {Data: []byte("Say who takes over.")},
		"skills/billing/SKILL.md": {Data: []byte("---\nname: billing\ndescription: Pay back.\n---\nPay back once.\n")},
	}
	f, err := mapfile.Read(files, "map.yaml")
	if err != nil {
		return nil, nil, err
	}
	g, err := spoor.Compile(f.Map, cond.CEL)
	if err == nil {
		_, err = g.Inject(f.Agent.Injections, cond.CEL)
	}
	return f, g, err
}

// A row is a question in a table, and its answer.
type row struct {
	at    string
	cells []string
}

func (r row) check(t *testing.T, marker string) {
	t.Helper()
	var answer string
	var err error
	ask, last := r.cells[:len(r.cells)-1], r.cells[len(r.cells)-1]
	switch marker {
	case "guards", "conditions":
		answer, err = step(marker, ask[0], ask[1])
	case "answers":
		answer, err = readSkill(ask[0])
	case "matchers":
		answer, err = claim(ask[0], ask[1])
	case "variables":
		inStep := ask[1] == "steps"
		_, err = cond.CEL.Condition(last, inStep)
		if _, elsewhere := cond.CEL.Condition(last, false); inStep && elsewhere == nil {
			err = errors.New("it is known in rules, too")
		}
		answer = last
	case "script variables":
		_, err = script.New(script.Rule{If: last, Say: "x"})
		answer = last
	default:
		err = fmt.Errorf("there is no table of %s", marker)
	}
	if err != nil || answer != last {
		t.Errorf("%s: %q gives %q, not %q: %v", r.at, ask, answer, last, err)
	}
}

// step asks whether a step leads on when a tool returned text.
func step(what, question, text string) (string, error) {
	key := "guard"
	if what == "conditions" {
		key = "when"
	}
	_, g, err := compile("scales: {riskLevel: [low, medium, high, critical]}\nsteps:\n  - from: triage\n    to: billing\n    " + key + ":\n      " + question + "\n")
	if err != nil {
		return "", err
	}
	m := g.Next(spoor.Facts{Iteration: 2, UserMessage: "I was charged twice", Cursor: "triage", Results: []spoor.Result{
		{Tool: "assess_risk", CallID: "i1.1", Executed: true, Text: text},
	}})
	switch {
	case len(m.Failed) > 0:
		return "fails", nil
	case m.To == "billing":
		return "yes", nil
	}
	return "no", nil
}

// claim asks which words of a message a matcher claims.
func claim(matcher, message string) (string, error) {
	_, g, err := compile("start:\n  rules:\n    - use: triage\n      match: " + matcher + "\n")
	if err != nil {
		return "", err
	}
	m := g.Next(spoor.Facts{Iteration: 1, UserMessage: message})
	switch {
	case m.To == "":
		return "no", nil
	case m.Witness == nil:
		return "yes", nil
	}
	return m.Witness.Text, nil
}

// readSkill asks what a model is told that reads a skill, if question is its
// name, or one that also calls a tool, if question goes on.
func readSkill(question string) (string, error) {
	id, more, _ := strings.Cut(question, "`")
	call := []script.Call{{Tool: "read_skill", Args: map[string]string{"id": id}}}
	if more != "" {
		call = append(call, script.Call{Tool: "read_port"})
	}
	m, err := script.New(
		script.Rule{If: "iteration == 1", Call: call},
		script.Rule{If: "true", Say: "Done."})
	if err != nil {
		return "", err
	}
	bodied := func(id string) spoor.Skill { return spoor.Skill{ID: id, Body: "Do this."} }
	a, err := agent.New(agent.Config{
		Map: &spoor.Map{
			Skills: []spoor.Skill{bodied("look"), bodied("repair"), bodied("yard"), bodied("faq"), bodied("shed")},
			Start:  spoor.Start{Use: "look"},
			Steps: []spoor.Step{
				{From: "look", To: "repair", OnToolReturn: "read_port"}, {From: "look", To: "yard"}, {From: "yard", To: "shed"},
			},
		},
		Model: m,
		Tools: []tool.Tool{{Name: "read_port", Call: func(context.Context, string) (tool.Result, error) { return tool.Result{Text: "{}"}, nil }}},
	})
	if err != nil {
		return "", err
	}
	run, err := a.Run(context.Background(), "How is port 3?")
	if err != nil {
		return "", err
	}
	for _, e := range run.Recording.Events {
		switch b := e.Body.(type) {
		case *event.Read:
			return b.Result.Data, nil
		case *event.Rejected:
			return b.Result.Data, nil
		}
	}
	return "", errors.New("it was not answered")
}

// A page is one file, cut into what can be tested.
type page struct {
	name   string
	lines  []string
	blocks []block
}

// A block is a fenced block, or the rows of a table that has a marker.
type block struct {
	at         string
	kind       string // the language, or table
	marker     string // of the comment before it
	text       string
	rows       []row
	start, end int // of the text, in lines of the page
}

var comment = regexp.MustCompile(`^<!-- (.*) -->$`)

func readPage(t *testing.T, name string) *page {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	p := &page{name: name, lines: strings.SplitAfter(string(data), "\n")}
	marker := ""
	for i := 0; i < len(p.lines); i++ {
		line := strings.TrimRight(p.lines[i], "\n")
		b := block{at: fmt.Sprintf("%s:%d", name, i+1), marker: marker}
		switch found := comment.FindStringSubmatch(line); {
		case found != nil:
			marker = found[1]
			continue
		case strings.HasPrefix(line, "```"):
			b.kind = line[len("```"):]
			for b.start = i + 1; ; i++ {
				if i+1 >= len(p.lines) {
					t.Fatalf("%s: the block is not closed", b.at)
				}
				if strings.HasPrefix(p.lines[i+1], "```") {
					break
				}
				b.text += p.lines[i+1]
			}
			i++
			b.end = i
			p.blocks = append(p.blocks, b)
		case strings.HasPrefix(line, "|") && marker != "":
			b.kind = "table"
			for i += 2; i < len(p.lines) && strings.HasPrefix(p.lines[i], "|"); i++ {
				r := row{at: fmt.Sprintf("%s:%d", name, i+1)}
				for _, cell := range strings.Split(strings.Trim(strings.TrimSpace(p.lines[i]), "|"), " | ") {
					r.cells = append(r.cells, strings.Trim(strings.TrimSpace(cell), "`"))
				}
				b.rows = append(b.rows, r)
			}
			i--
			p.blocks = append(p.blocks, b)
		}
		marker = ""
	}
	return p
}

// atMost says that the page has grown too long.
func (p *page) atMost(t *testing.T, most int) {
	t.Helper()
	if n := len(p.lines) - 1; n > most {
		t.Errorf("%s has %d lines, and at most %d are wanted", p.name, n, most)
	}
}

// run writes the files, those of the page too, and runs its commands, in order.
func (p *page) run(t *testing.T, files ...block) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short leaves out the commands of the page, which need a build")
	}
	dir, spoor := t.TempDir(), filepath.Join(t.TempDir(), "spoor")
	if runtime.GOOS == "windows" {
		spoor += ".exe"
	}
	build := exec.Command("go", "build", "-o", spoor, "../cmd/spoor")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("spoor does not build: %v\n%s", err, out)
	}
	for _, b := range files {
		p.write(t, dir, b)
	}
	for i := range p.blocks {
		b := &p.blocks[i]
		p.write(t, dir, *b)
		if b.kind != "console" {
			continue
		}
		var got strings.Builder
		for _, line := range strings.SplitAfter(b.text, "\n") {
			command, ok := strings.CutPrefix(line, "$ spoor ")
			if !ok {
				continue
			}
			cmd := exec.Command(spoor, words(command)...)
			cmd.Dir = dir
			out, _ := cmd.CombinedOutput() // the exit code is not on the page
			got.WriteString(line)
			got.Write(out)
		}
		want, is := anyRun(b.text), anyRun(got.String())
		switch {
		case want == is || alike(want, is):
		case os.Getenv("UPDATE_DOCS") != "" && !strings.Contains(want, "\n...\n"):
			b.text = exampleRun(got.String())
		default:
			t.Errorf("%s: the commands print\n%s", b.at, got.String())
		}
	}
	if os.Getenv("UPDATE_DOCS") != "" {
		p.update(t)
	}
}

func (p *page) write(t *testing.T, dir string, b block) {
	t.Helper()
	name, ok := strings.CutPrefix(b.marker, "file ")
	if !ok {
		return
	}
	name = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(b.text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (p *page) update(t *testing.T) {
	t.Helper()
	var page bytes.Buffer
	next := 0
	for _, b := range p.blocks {
		if b.kind == "console" {
			page.WriteString(strings.Join(p.lines[next:b.start], "") + b.text)
			next = b.end
		}
	}
	page.WriteString(strings.Join(p.lines[next:], ""))
	if err := os.WriteFile(p.name, page.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// words cuts a command line at its spaces, but for those in double quotes.
func words(line string) (list []string) {
	for i, part := range strings.Split(strings.TrimSpace(line), `"`) {
		if i%2 == 1 {
			list = append(list, part)
		} else {
			list = append(list, strings.Fields(part)...)
		}
	}
	return list
}

var runID = regexp.MustCompile(`\d{8}-\d{6}\.\d{6}-[a-z0-9]{4}`)

func anyRun(text string) string { return runID.ReplaceAllString(text, "RUN") }
func exampleRun(text string) string {
	return runID.ReplaceAllString(text, "20260301-090000.000000-wxyz")
}

// alike reports whether is reads like want, in which a line with ... stands for
// any lines.
func alike(want, is string) bool {
	parts := strings.Split(want, "...\n")
	for i, part := range parts {
		at := strings.Index(is, part)
		if at < 0 || i == 0 && at > 0 {
			return false
		}
		is = is[at+len(part):]
	}
	return is == "" || strings.HasSuffix(want, "...\n")
}
