package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/check"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/internal/nearest"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/model/script"
	"github.com/spoorhq/spoor/score"
)

// A checkup is what check prints as JSON.
type checkup struct {
	OK       bool           `json:"ok"`
	Problems mapfile.Faults `json:"problems"`
	Notes    []string       `json:"notes"`

	name  string
	file  *mapfile.File
	graph *spoor.Graph // nil if the map is none
}

func newCheck() *cobra.Command {
	var asJSON, strict, intents bool
	cmd := &cobra.Command{
		Use:   "check MAP",
		Short: "Tell what is wrong with a map",
		Long: `Tell all that is wrong with a map file and the files that it names, the scripts of its models among
them, each with file, line and column: what cannot be read, what cannot be a graph, and what will
hurt on a map that is one. An error is a map that is refused, a warning will most likely hurt, and
advice may be meant so. Notes tell what was not checked, and what spoor run refuses. Each code has
a page in docs/check.

It leaves with 0 if there is no error and with 1 if there is one; with --strict a warning counts as
an error. If the map file cannot be read, or if all that is wrong is what is not there or not known
to this version, it leaves with 2.

With --intents it asks the classifier of the map about each example of each intent, without that
example, and tells which examples it would take for another intent.

With --json, {ok, problems, notes}. A problem is {level, code, message, hint, ref, skill, from,
to, example, pos: {file, line, column}} without what does not apply; ok says that there is no
error.`,
		Example: "  spoor check map.yaml\n  spoor check map.yaml --strict --json\n  spoor check map.yaml --intents",
		Args:    one(aMap),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := examine(args[0])
			if err == nil && intents {
				err = c.audit(cmd.Context(), cmd.ErrOrStderr(), scorer)
			}
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), c)
			} else {
				c.print(cmd.OutOrStdout())
			}
			if err == nil {
				err = c.exit(strict)
			}
			return err
		},
		ValidArgsFunction: completeMaps,
	}
	jsonFlag(cmd, &asJSON)
	cmd.Flags().BoolVar(&strict, "strict", false, "let a warning count as an error")
	cmd.Flags().BoolVar(&intents, "intents", false, "ask the classifier about the examples of the intents")
	return cmd
}

// exit is how check leaves.
func (c *checkup) exit(strict bool) error {
	wrong := slices.DeleteFunc(slices.Clone(c.Problems), func(f mapfile.Fault) bool {
		return f.Level == check.Advice || f.Level == check.Warning && !strict
	})
	if len(wrong) == 0 {
		return nil
	}
	return exit{code: faultCode(wrong)}
}

func (c *checkup) note(format string, args ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(format, args...))
}

// add adds problems and notes of a check-up.
func (c *checkup) add(r check.Report) {
	c.OK = c.OK && r.OK
	c.Problems = append(c.Problems, locate(c.file, r.Problems)...)
	c.Notes = append(c.Notes, r.Notes...)
	sortFaults(c.Problems)
}

func examine(name string) (*checkup, error) {
	f, faults, err := openMap(name)
	if err != nil {
		return nil, err
	}
	c := &checkup{name: name, file: f, Notes: []string{}, Problems: append(mapfile.Faults{}, faults...)}
	if f == nil {
		c.note("A map that cannot be read is not compiled; there may be more to say once it can.")
		return c, nil
	}
	whole := len(faults) == 0
	conditions := &cond.Set{AllowUnbound: true}
	g, problems, err := compile(f, conditions)
	if err != nil {
		return nil, err
	}
	_, toolFaults := fixedTools(f)
	problems = append(problems, toolFaults...)
	if !whole {
		problems = certain(problems, f.Map, faults)
	}
	c.Problems = append(c.Problems, c.most(locate(f, problems))...)
	c.Problems = append(c.Problems, checkScripts(f)...)
	c.OK = len(c.Problems) == 0
	for _, m := range modelsOf(f) {
		if m.name != "" && scriptOf(m.name) == "" && vendorModel(m.name) == nil {
			c.note("%s: %s", m.ref, noModel(m.name))
		}
	}
	if len(f.MCPServers) > 0 {
		c.note("A check-up starts no MCP server, so it does not know what tools they have.")
	}
	for _, p := range beyond(f) {
		c.note("%s: %s, so it refuses this map.", p.Ref, p.Message)
	}
	for _, p := range unwalked(f) {
		if !stranger(f.Map, p.Ref) {
			c.note("%s: spoor run refuses this map: %s.", p.Ref, p.Message)
		}
	}
	if ref, name := scorerOf(f.Map); stranger(f.Map, ref) {
		hint := nearest.Hint(name, slices.Values(scorers))
		if hint != "" {
			hint = "; " + hint
		}
		c.note("%s: nothing here is bound to the scorer %q; a program can bind it%s", ref, name, hint)
	}
	for _, name := range conditions.Unbound() {
		c.note("Nothing here is bound to the condition %q; spoor run refuses it, a program can bind it.", name)
	}
	var tools []string
	for _, t := range f.Tools {
		tools = append(tools, t.Name)
	}
	for _, s := range f.Agent.Skills {
		tools = append(tools, s.Tools...)
	}
	switch {
	case !whole:
		c.note("What depends on a value that cannot be read was not checked; there may be more to say once all can.")
	case g == nil:
		c.Notes = append(c.Notes, strangers(f)...)
		c.add(check.Parts(f.Map, tools...))
		c.note("A map that is no graph is checked in part: there may be more to say once it is one.")
	default:
		c.Notes = append(c.Notes, strangers(f)...)
		c.graph = g
		c.Problems = append(c.Problems, newTester(f, g).faults(placed(f.Dir(), f.Cases))...)
		c.OK = len(c.Problems) == 0
		c.add(check.Run(g, tools...))
	}
	sortFaults(c.Problems)
	return c, nil
}

// sizeOf says of how much a map consists.
func sizeOf(m *spoor.Map) string {
	skills := count(len(m.Skills), "skill")
	if m.Tree != nil {
		return skills + " and a tree"
	}
	starts := len(m.Start.Rules) + len(m.Start.Entries)
	if m.Start.Use != "" {
		starts++
	}
	return fmt.Sprintf("%s, %s and %s", skills, count(starts, "start"), count(len(m.Steps), "step"))
}

// summary tells in one line what was found.
func (c *checkup) summary() string {
	if len(c.Problems) == 0 {
		return fmt.Sprintf("%s: no problems in %s.", c.name, sizeOf(c.file.Map))
	}
	counts := map[string]int{}
	for _, p := range c.Problems {
		counts[p.Level]++
	}
	found := []string{"no errors"}
	if n := counts[check.Error]; n > 0 {
		found[0] = count(n, "error")
	}
	if n := counts[check.Warning]; n > 0 {
		found = append(found, count(n, "warning"))
	}
	if n := counts[check.Advice]; n > 0 {
		found = append(found, count(n, "piece")+" of advice")
	}
	return fmt.Sprintf("%s: %s.", c.name, strings.Join(found, ", "))
}

// most keeps the first hundred faults of each code, and notes that there are
// more.
func (c *checkup) most(faults mapfile.Faults) mapfile.Faults {
	const most = 100
	counts := map[string]int{}
	kept := slices.DeleteFunc(faults, func(f mapfile.Fault) bool {
		counts[f.Code]++
		return counts[f.Code] > most
	})
	for _, code := range slices.Sorted(maps.Keys(counts)) {
		if n := counts[code]; n > most {
			c.note("There are %d more problems %s than the %d that are listed.", n-most, code, most)
		}
	}
	return kept
}

// audit asks the classifier about the examples of the intents. If that asks a
// model, it says how often before it begins.
func (c *checkup) audit(ctx context.Context, stderr io.Writer, scorer func(string) (score.Scorer, error)) error {
	if c.graph == nil {
		c.note("The intents of a map that is no graph are not audited.")
		return nil
	}
	classifier := c.file.Map.Start.Classify
	if classifier == "" {
		return errors.New("--intents asks the classifier of the map, and it has none; name one under start.classify, such as keyword")
	}
	s, err := scorer(classifier)
	if err != nil {
		return fmt.Errorf("--intents asks the classifier of the map: %w", err)
	}
	if model := s.Traits().Model; model != "" {
		fmt.Fprintf(stderr, "The audit asks the model %s %s.\n", model, count(check.IntentCalls(c.graph), "time"))
	}
	r, err := check.Intents(ctx, c.graph, classifier, s)
	if err != nil {
		return err
	}
	r.Problems = slices.DeleteFunc(r.Problems, func(p spoor.Problem) bool { return p.Code != "overlapping-intents" }) // the rest is told
	c.add(r)
	return nil
}

// scorer is the one with that name.
func scorer(name string) (score.Scorer, error) {
	if name == "keyword" {
		return score.Keyword, nil
	}
	return nil, fmt.Errorf("nothing here is bound to the scorer %q; write keyword, or bind it in a program", name)
}

// certain keeps, of the problems of a map of which only a part could be read,
// those that the whole map has too.
func certain(ps spoor.Problems, m *spoor.Map, faults mapfile.Faults) (kept spoor.Problems) {
	within := func(ref, around spoor.Ref) bool {
		rest, ok := strings.CutPrefix(string(ref), string(around))
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	}
	read := func(around spoor.Ref) bool {
		return !slices.ContainsFunc(faults, func(f mapfile.Fault) bool { return within(f.Ref, around) })
	}
	keys, names := true, true // all keys of the map were read, and all names of skills
	for _, f := range faults {
		ref := string(f.Ref)
		keys = keys && strings.ContainsAny(ref, ".[")
		if skill, ok := strings.CutPrefix(ref, "skills["); ok {
			_, key, _ := strings.Cut(skill, "]")
			names = names && key != "" && key != ".id" && key != ".dir" && key != ".name"
		}
	}
	for _, s := range m.Skills {
		names = names && s.ID != ""
	}
	for _, p := range ps {
		around := p.Ref
		if i := strings.IndexByte(string(around), ']'); i >= 0 {
			around = around[:i+1]
		}
		ok := read(around)
		switch p.Code {
		case "bad-match", "bad-status", "bad-tool", "mixed-step", "two-conditions", "misplaced-examples":
		case "bad-condition":
			ok = read(p.Ref)
		case "bad-guard":
			ok = ok && keys && read("scales")
		case "unknown-skill":
			ok = p.Skill != "" && read(p.Ref) && keys && names
		case "duplicate-skill":
			ok = ok && keys && names
		default:
			ok = false
		}
		if ok && !slices.ContainsFunc(faults, func(f mapfile.Fault) bool { return f.Code == "more" }) {
			kept = append(kept, p)
		}
	}
	return kept
}

// compile makes the graph of a map file, and says all that is wrong with it and
// with what the agent brings along; the graph does not hold that.
func compile(f *mapfile.File, conditions spoor.Conditions) (g *spoor.Graph, problems spoor.Problems, err error) {
	of := func(err error) error {
		more, ok := errors.AsType[spoor.Problems](err)
		if problems = append(problems, more...); ok {
			return nil
		}
		return err
	}
	g, err = spoor.Compile(f.Map, conditions)
	if err = of(err); err != nil {
		return nil, nil, err
	}
	beside := g
	if g == nil { // what is wrong beside the map can be told all the same
		if beside, err = spoor.Compile(&spoor.Map{Skills: named(f.Map)}, conditions); err != nil {
			return nil, problems, nil
		}
	}
	_, err = beside.Inject(f.Agent.Injections, conditions)
	return g, problems, of(err)
}

// named are the skills of a map, each once, and of each only its id.
func named(m *spoor.Map) (skills []spoor.Skill) {
	seen := map[string]bool{"": true}
	for _, s := range m.Skills {
		if !seen[s.ID] {
			skills = append(skills, spoor.Skill{ID: s.ID})
		}
		seen[s.ID] = true
	}
	return skills
}

// checkScripts reads the scripts that a map file names as its models.
func checkScripts(f *mapfile.File) (faults mapfile.Faults) {
	for _, m := range modelsOf(f) {
		for _, fault := range checkScript(f, m.ref, m.name) {
			again := func(other mapfile.Fault) bool {
				return other.Code == "bad-script" && other.Pos == fault.Pos && other.Message == fault.Message
			}
			if !slices.ContainsFunc(faults, again) { // two models may be one script
				faults = append(faults, fault)
			}
		}
	}
	return faults
}

// checkScript reads the script that a model is, if it is one.
func checkScript(f *mapfile.File, ref spoor.Ref, model string) (faults mapfile.Faults) {
	file := scriptOf(model)
	if file == "" {
		return nil
	}
	_, err := openScript(file, f.Dir())
	var list script.Faults
	var lost *noScript
	switch {
	case errors.As(err, &list):
		for _, s := range list {
			at := ref
			if s.At != "" {
				at = at.Key(s.At)
			}
			faults = append(faults, mapfile.Fault{
				Problem: spoor.Problem{Level: "error", Code: "bad-script", Ref: at, Message: s.Message, Hint: s.Hint},
				Pos:     mapfile.Position{File: s.File, Line: s.Line, Column: s.Column},
			})
		}
	case errors.As(err, &lost):
		faults = locate(f, spoor.Problems{{Level: "error", Code: "bad-file", Ref: ref, Message: lost.message, Hint: lost.hint}})
	}
	return faults
}

// strangers are notes about the tools that steps wait for and that nothing in
// the file has. A program may bring such a tool.
func strangers(f *mapfile.File) (notes []string) {
	names := toolNames(f)
	known := map[string]bool{}
	for _, name := range names {
		known[name] = true
	}
	add := func(name, format string, args ...any) {
		note := fmt.Sprintf(format, args...)
		switch {
		case len(notes) > mostNotes:
			return
		case len(notes) == mostNotes:
			notes = append(notes, "There are more tools that nothing in the file has.")
			return
		}
		if hint := nearest.Hint(name, slices.Values(names)); hint != "" {
			note += "; " + hint
		}
		notes = append(notes, note)
	}
	ask := func(ref spoor.Ref, name string) {
		switch {
		case name == "" || known[name]:
		case name == readSkill:
			known[name] = true
			notes = append(notes, fmt.Sprintf("%s waits for %q, whose answers no step sees", ref, name))
		default:
			add(name, "%s waits for %q, which no skill lists and the file does not declare", ref, name)
		}
	}
	declared := map[string]bool{}
	for _, t := range f.Tools {
		declared[t.Name] = true
	}
	lists := func(ref spoor.Ref, tools []string) {
		for j, name := range tools {
			if len(declared) > 0 && !declared[name] && len(f.MCPServers) == 0 {
				add(name, "%s: the file declares other tools, and not %q, so spoor run refuses this map", ref.Key("tools").At(j), name)
			}
		}
	}
	for i, s := range f.Map.Skills {
		lists(spoor.Ref("skills").At(i), s.Tools)
	}
	for i, s := range f.Agent.Skills {
		lists(spoor.Ref("agent.skills").At(i), s.Tools)
	}
	for i, s := range f.Map.Steps {
		ref := spoor.Ref("steps").At(i)
		if _, _, pattern := s.OnToolReturn.Pattern(); !pattern {
			ask(ref.Key("onToolReturn"), string(s.OnToolReturn))
		}
		for j, c := range s.Guard {
			if c.Key == "toolName" && (c.Op == "eq" || c.Op == "in") {
				for _, v := range append(c.Value.Elems(), c.Value) {
					if v.Kind().String() == "string" {
						ask(ref.Key("guard").At(j), v.Text())
					}
				}
			}
		}
	}
	return notes
}

func (c *checkup) print(w io.Writer) {
	if len(c.Problems) > 0 {
		fmt.Fprintln(w, c.Problems)
	}
	fmt.Fprintln(w, c.summary())
	for _, note := range c.Notes {
		fmt.Fprintf(w, "note: %s\n", note)
	}
}

// count is a number and a noun, in its plural if need be.
func count(n int, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "sh"):
		noun += "es"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
