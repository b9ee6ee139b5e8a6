package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

func newRuns() *cobra.Command {
	var from store
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List the recordings",
		Long: `List the recordings, oldest first: the run, the map, where its walk stood, and the first message.

With --json, a list of {run, path, map, time, message, skills, turns, calls, incomplete, waiting,
error}; calls are model calls, incomplete says that the last turn has not come to its end, waiting
is the question {call, tool, by, text} that it waits with, and error says why a recording cannot be
read.`,
		Example: "  spoor runs\n  spoor runs --store /var/lib/desk --json",
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := from.List()
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), list)
			}
			if len(list) == 0 {
				fmt.Fprintf(cmd.ErrOrStderr(), "There are no recordings in %s; make one with spoor demo or spoor run.\n", from.Dir)
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, e := range list {
				text := oneLine(e.Message, 48)
				switch {
				case e.Error != "":
					text = "cannot be read: " + oneLine(e.Error, 120)
				case e.Waiting != nil:
					text += " (waits for a person)"
				case e.Incomplete:
					text += " (incomplete)"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", e.Run, oneLine(e.Map, 20), oneLine(strings.Join(e.Skills, " → "), 40), text)
			}
			return w.Flush()
		},
	}
	from.flag(cmd)
	jsonFlag(cmd, &asJSON)
	return cmd
}
