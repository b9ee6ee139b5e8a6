package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/mapfile"
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
		Long: `Tell all that is wrong with a map file and the files that it names, each with file, line and
column: what cannot be read, and what cannot be a graph.

It leaves with 0 if nothing is wrong and with 1 if something is. If the map file cannot be read,
or if all that is wrong is what is not there or not known to this version, it leaves with 2.

With --json, {ok, problems, notes}. A problem is {level, code, message, hint, ref, skill, from,
to, example, pos: {file, line, column}} without what does not apply; notes say what was not looked
at.`,
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
	c := &checkup{Notes: []string{}}
	if f == nil {
		c.Notes = append(c.Notes, "A map that cannot be read is not compiled; there may be more to say once it can.")
	} else {
		conditions := &cond.Set{AllowUnbound: true}
		var problems spoor.Problems
		if _, err := spoor.Compile(f.Map, conditions); err != nil && !errors.As(err, &problems) {
			return nil, err
		}
		_, toolFaults := fixedTools(f)
		faults = locate(f, append(problems, toolFaults...))
		for _, p := range beyond(f) {
			c.Notes = append(c.Notes, fmt.Sprintf("%s: %s, so it refuses this map.", p.Ref, p.Message))
		}
		for _, name := range conditions.Unbound() {
			c.Notes = append(c.Notes, fmt.Sprintf("Nothing here is bound to the condition %q; spoor run refuses it, a program can bind it.", name))
		}
		m := f.Map
		starts := len(m.Start.Rules) + len(m.Start.Entries)
		if m.Start.Use != "" {
			starts++
		}
		c.summary = fmt.Sprintf("%s: no problems in %s, %s and %s.\n", name,
			count(len(m.Skills), "skill"), count(starts, "start"), count(len(m.Steps), "step"))
		c.Notes = append(c.Notes, "What a graph makes of its rules and steps (skills out of reach, rules in each other's shadow) was not looked at.")
	}
	c.OK = len(faults) == 0
	c.Problems = append(mapfile.Faults{}, faults...)
	return c, nil
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
