package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/internal/nearest"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/model/script"
)

// A checkup is what check prints as JSON.
type checkup struct {
	OK       bool           `json:"ok"`
	Problems mapfile.Faults `json:"problems"`
	Notes    []string       `json:"notes"`

	summary string
}

func newCheck() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check MAP",
		Short: "Tell what is wrong with a map",
		Long: `Tell all that is wrong with a map file and the files that it names, the script of agent.model among
them, each with file, line and column: what cannot be read, and what cannot be a graph. Notes tell
what may be meant so, and what spoor run refuses.

It leaves with 0 if nothing is wrong and with 1 if something is. If the map file cannot be read,
or if all that is wrong is what is not there or not known to this version, it leaves with 2.

With --json, {ok, problems, notes}. A problem is {level, code, message, hint, ref, skill, from,
to, example, pos: {file, line, column}} without what does not apply; notes also say what was not
checked.`,
		Example: "  spoor check map.yaml\n  spoor check map.yaml --json",
		Args:    one(aMap),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := check(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), c)
			} else {
				c.print(cmd.OutOrStdout())
			}
			if err == nil && !c.OK {
				err = exit{code: faultCode(c.Problems)}
			}
			return err
		},
		ValidArgsFunction: completeMaps,
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func check(name string) (*checkup, error) {
	f, faults, err := openMap(name)
	if err != nil {
		return nil, err
	}
	whole := len(faults) == 0
	c := &checkup{Notes: []string{}}
	note := func(format string, args ...any) { c.Notes = append(c.Notes, fmt.Sprintf(format, args...)) }
	if f != nil {
		conditions := &cond.Set{AllowUnbound: true}
		var problems spoor.Problems
		if _, err := spoor.Compile(f.Map, conditions); err != nil && !errors.As(err, &problems) {
			return nil, err
		}
		_, toolFaults := fixedTools(f)
		problems = append(problems, toolFaults...)
		if !whole {
			problems = certain(problems, f.Map, faults)
		}
		faults = append(faults, locate(f, problems)...)
		faults = append(faults, checkScript(f)...)
		sortFaults(faults)
		if m := f.Agent.Model; m != "" && scriptOf(m) == "" {
			note("agent.model: spoor run does not know the model %q; it wants another, with --script FILE.", m)
		}
		for _, p := range append(beyond(f), unwalked(f.Map)...) {
			note("%s: %s, so it refuses this map.", p.Ref, p.Message)
		}
		for _, name := range conditions.Unbound() {
			note("Nothing here is bound to the condition %q; spoor run refuses it, a program can bind it.", name)
		}
		if whole {
			c.Notes = append(c.Notes, strangers(f)...)
			note("not checked: skills out of reach, rules shadowed by earlier ones")
		}
		m := f.Map
		starts := len(m.Start.Rules) + len(m.Start.Entries)
		if m.Start.Use != "" {
			starts++
		}
		c.summary = fmt.Sprintf("%s: no problems in %s, %s and %s.\n", name,
			count(len(m.Skills), "skill"), count(starts, "start"), count(len(m.Steps), "step"))
	}
	switch {
	case f == nil:
		note("A map that cannot be read is not compiled; there may be more to say once it can.")
	case !whole:
		note("What depends on a value that cannot be read was not checked; there may be more to say once all can.")
	}
	c.OK = len(faults) == 0
	c.Problems = append(mapfile.Faults{}, faults...)
	return c, nil
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

// checkScript reads the script that a map file names as its model, if it does.
func checkScript(f *mapfile.File) (faults mapfile.Faults) {
	const ref = spoor.Ref("agent.model")
	file := scriptOf(f.Agent.Model)
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
	var known []string
	for _, s := range f.Map.Skills {
		known = append(known, s.Tools...)
	}
	for _, s := range f.Agent.Skills {
		known = append(known, s.Tools...)
	}
	known = append(known, f.Map.KnownTools...)
	for _, t := range f.Tools {
		known = append(known, t.Name)
	}
	ask := func(ref spoor.Ref, name string) {
		if name == "" || slices.Contains(known, name) {
			return
		}
		if name == readSkill {
			notes = append(notes, fmt.Sprintf("%s waits for %q, whose answers no step sees", ref, name))
			return
		}
		hint := nearest.Hint(name, slices.Values(known))
		if hint != "" {
			hint = "; " + hint
		}
		notes = append(notes, fmt.Sprintf("%s waits for %q, which no skill lists and the file does not declare%s", ref, name, hint))
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
	if c.OK {
		io.WriteString(w, c.summary)
	} else {
		fmt.Fprintln(w, c.Problems)
	}
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
