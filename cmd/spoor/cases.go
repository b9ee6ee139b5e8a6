package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/internal/nearest"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/match"
)

// openCases opens the cases of a map, or those of another file. If they stand
// in two files, sources says how many in which.
func openCases(name string, f *mapfile.File, file string, given bool) (cases []mapfile.Case, sources string, err error) {
	const beside = "cases.yaml"
	if given {
		cases, err = readCases(file)
		if err == nil && len(cases) == 0 {
			err = fmt.Errorf("there are no cases in %s; write them as a list, such as\n%s", file, exampleCases(f.Map))
		}
		return cases, "", err
	}
	cases = placed(f.Dir(), f.Cases)
	path := filepath.Join(f.Dir(), beside)
	if _, err := os.Stat(path); filepath.Base(name) != beside && !errors.Is(err, fs.ErrNotExist) {
		more, err := readCases(path)
		if err != nil {
			return nil, "", err
		}
		if len(cases) > 0 && len(more) > 0 {
			sources = fmt.Sprintf(" (%d in %s, %d in %s)", len(cases), name, len(more), path)
		}
		cases = append(cases, more...)
	}
	if len(cases) == 0 {
		err = fmt.Errorf("%s has no cases; write them under cases: in it, or into %s beside it, such as\n%s", name, beside, exampleCases(f.Map))
	}
	return cases, sources, err
}

func readCases(name string) ([]mapfile.Case, error) {
	dir, base := filepath.Split(name)
	dir = filepath.Clean(dir)
	cases, err := mapfile.ReadCases(os.DirFS(dir), base)
	var faults mapfile.Faults
	switch {
	case errors.As(err, &faults):
		return nil, exit{no, wrong("cases", below(dir, faults))}
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no file of cases %s; give the path of one", name)
	case err != nil:
		return nil, unreadable(name, err)
	}
	return placed(dir, cases), nil
}

// placed names the files of cases from the working directory on.
func placed(dir string, cases []mapfile.Case) []mapfile.Case {
	cases = slices.Clone(cases)
	for i := range cases {
		cases[i].Pos.File = filepath.Join(dir, cases[i].Pos.File)
	}
	return cases
}

// exampleCases shows how cases of this map are written.
func exampleCases(m *spoor.Map) string {
	say, starts := "a message", "null"
	if i := slices.IndexFunc(m.Start.Rules, func(r spoor.Rule) bool { return len(r.Examples) > 0 }); i >= 0 {
		say, starts = m.Start.Rules[i].Examples[0], m.Start.Rules[i].Use
	}
	text := fmt.Sprintf("  - {say: %q, starts: %s}", say, starts)
	for _, s := range m.Steps {
		if _, _, pattern := s.OnToolReturn.Pattern(); s.OnToolReturn != "" && !pattern {
			return text + fmt.Sprintf("\n  - {at: %s, results: [{tool: %s, result: {…}}], leads: %s}", s.From, s.OnToolReturn, s.To)
		}
	}
	return text
}

// factsOf are the facts of a case. A message starts cold; results have ids if
// there are several.
func factsOf(c mapfile.Case) spoor.Facts {
	if c.At == "" {
		return spoor.Facts{Iteration: 1, UserMessage: c.Say}
	}
	f := spoor.Facts{Iteration: 2, Cursor: c.At}
	for i, r := range c.Results {
		res := spoor.Result{Tool: r.Tool, Status: r.Status, Text: r.Result, Executed: r.Executed == nil || *r.Executed}
		if strings.HasPrefix(r.Result, `"`) {
			_ = json.Unmarshal([]byte(r.Result), &res.Text) // mapfile wrote it
		}
		if len(c.Results) > 1 {
			res.CallID = fmt.Sprintf("results[%d]", i)
		}
		f.Results = append(f.Results, res)
	}
	return f
}

// strangeTools are notes about tools that nothing in the file names: a slip in
// the name of a tool makes a case pass for nothing.
func strangeTools(f *mapfile.File, cases []mapfile.Case) []string {
	notes, names := []string{}, toolNames(f)
	known := map[string]bool{}
	var patterns []*match.Compiled
	for _, s := range f.Map.Steps {
		if source, flags, ok := s.OnToolReturn.Pattern(); ok {
			if p, faults := match.Compile(match.Regex(source, flags)); faults == nil {
				patterns = append(patterns, p)
			}
			continue
		}
		names = append(names, string(s.OnToolReturn))
		for _, c := range s.Guard {
			if c.Key == "toolName" {
				for _, v := range append(c.Value.Elems(), c.Value) {
					names = append(names, v.Text())
				}
			}
		}
	}
	for _, name := range names {
		known[name] = true
	}
	for _, c := range cases {
		for _, r := range c.Results {
			if known[r.Tool] {
				continue
			}
			known[r.Tool] = true // once is enough
			meets := func(p *match.Compiled) bool { _, ok := p.Match(r.Tool); return ok }
			switch {
			case slices.ContainsFunc(patterns, meets):
			case len(notes) == mostNotes:
				return append(notes, "There are more tools that nothing in the map knows.")
			default:
				note := fmt.Sprintf("%s:%d: nothing in the map knows the tool %s", c.Pos.File, c.Pos.Line, quoteShort(r.Tool))
				if hint := nearest.Hint(r.Tool, slices.Values(names)); hint != "" {
					note += "; " + hint
				}
				notes = append(notes, note)
			}
		}
	}
	return notes
}

// mostNotes is how many notes of one kind are told.
const mostNotes = 100

// causes are those by which a message can start a turn without a model.
var causes = []string{string(spoor.ByEntry), string(spoor.ByIntent), string(spoor.ByMenu), string(spoor.ByNone)}

// faults finds what cases say of a map that has no such thing.
func (t *tester) faults(cases []mapfile.Case) (faults mapfile.Faults) {
	ids := slices.Values(skillIDs(t.file.Map))
	for _, c := range cases {
		if len(faults) >= mostNotes {
			return append(faults, mapfile.Fault{Problem: spoor.Problem{
				Level: "error", Code: "more", Message: "there may be more faults in the cases after this one",
			}, Pos: c.Pos})
		}
		add := func(code, key, message, hint string) {
			p := spoor.Problem{Level: "error", Code: code, Ref: spoor.Ref(key), Message: message, Hint: hint}
			faults = append(faults, mapfile.Fault{Problem: p, Pos: c.Pos})
		}
		for _, skill := range [][2]string{{"starts", c.Starts}, {"at", c.At}, {"leads", c.Leads}} {
			if key, id := skill[0], skill[1]; id != "" && t.g.Skill(id) == nil {
				hint := cmp.Or(nearest.Hint(id, ids), "declare it under skills, or correct the name")
				add("unknown-skill", key, fmt.Sprintf("there is no skill %q", id), hint)
			}
		}
		tree := t.file.Map.Tree != nil
		switch cause := slices.Contains(causes, c.By); {
		case c.By == "" || t.starts(c.By) || cause && (!tree || c.By == string(spoor.ByNone)):
		case tree && cause:
			add("bad-case", "by", "in a tree nothing starts by "+quoteShort(c.By), "write the address of the leaf, such as tree.whenTrue, or drop it")
		default:
			add("bad-case", "by", "nothing starts a turn by "+quoteShort(c.By), t.meant(c.By))
		}
		for _, id := range c.Closed {
			if _, there := t.edges[spoor.Ref(id)]; there && isStep(id) || t.g.Skill(id) != nil {
				continue
			}
			hint := cmp.Or(nearest.Hint(id, ids), "write the address of a step, such as steps[0], or the skill that it leads to")
			add("bad-case", "closed", "there is no step and no skill "+quoteShort(id), hint)
		}
		if c.At != "" && tree {
			add("bad-case", "at", "a tree has no steps, so results lead nowhere", "write {say, starts}")
		}
	}
	return faults
}

func isStep(ref string) bool { return strings.HasPrefix(ref, "steps[") }

// starts reports whether a rule, an entry or a leaf stands at an address.
func (t *tester) starts(ref string) bool {
	return !isStep(ref) && t.g.Skill(t.edges[spoor.Ref(ref)].To) != nil
}

// meant is a hint about a cause that there is not.
func (t *tester) meant(by string) string {
	address, tree := "", t.file.Map.Tree != nil
	for _, e := range t.g.Edges() {
		switch ref := string(e.Ref); {
		case !t.starts(ref):
		case e.Label == by:
			return fmt.Sprintf("this is the label of %s; write its address", ref)
		case address == "":
			address = ref
		}
	}
	if tree {
		return "write the address of a leaf, such as " + cmp.Or(address, "tree.whenTrue") + ", or drop it"
	}
	all := "write entry, intent, menu or none, or the address of a rule, such as " + cmp.Or(address, "start.rules[0]")
	return cmp.Or(nearest.Hint(by, slices.Values(causes)), all)
}
