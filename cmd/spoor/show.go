package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/spoorhq/spoor/explain"
)

func newShow() *cobra.Command {
	var from store
	var asJSON, full bool
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Tell a recording as prose",
		Long: `Tell a recording as prose, a fact a line: what was said, where the walk went on what evidence,
what was called and what came back. Long texts are shortened. A recording that was cut is told as
far as it goes.

With --full nothing is shortened: below each model call stands the whole request, every part as the
recording reads it back and what the model was told of each tool but read_skill, and below each
reply and result its whole text, thinking included.

RUN is an id, a unique beginning of one, last, or a file.

With --json, {run, lines, changed, incomplete}: a line is {event, turn, iteration, kind, depth,
text, full}, changed says why not all of it is as it was recorded, and incomplete why the recording
is not whole.`,
		Example: "  spoor show last\n  spoor show last --full\n  spoor show 20261130-22 --json",
		Args:    one(aRun),
		RunE: func(cmd *cobra.Command, args []string) error {
			rec, err := from.open(args[0])
			if err != nil {
				return err
			}
			tell := explain.Narrate
			if full {
				tell = explain.NarrateFull
			}
			return printReason(cmd, tell(rec), asJSON)
		},
		ValidArgsFunction: from.complete,
	}
	cmd.Flags().BoolVar(&full, "full", false, "the whole requests, replies and results")
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
