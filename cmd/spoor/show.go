package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/spoorhq/spoor/explain"
)

func newShow() *cobra.Command {
	var from store
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Tell a recording as prose",
		Long: `Tell a recording as prose, a fact a line: what was said, where the walk went on what evidence,
what was called and what came back. A recording that was cut is told as far as it goes.

RUN is an id, a unique beginning of one, last, or a file.

With --json, {run, lines, incomplete}: a line is {event, turn, iteration, kind, depth, text}, and
incomplete says why the recording is not whole.`,
		Example: "  spoor show last\n  spoor show 20261130-22 --json",
		Args:    one(aRun),
		RunE: func(cmd *cobra.Command, args []string) error {
			rec, err := from.open(args[0])
			if err != nil {
				return err
			}
			return printReason(cmd, explain.Narrate(rec), asJSON)
		},
		ValidArgsFunction: from.complete,
	}
	from.flag(cmd)
	jsonFlag(cmd, &asJSON)
	return cmd
}

// printReason prints what explain says, as text or as JSON.
func printReason(cmd *cobra.Command, reason fmt.Stringer, asJSON bool) error {
	if asJSON {
		return printJSON(cmd.OutOrStdout(), reason)
	}
	return printText(cmd.OutOrStdout(), reason.String())
}
