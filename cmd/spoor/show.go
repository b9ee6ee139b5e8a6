package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/spoorhq/spoor/explain"
)

func newShow() *cobra.Command {
	var from store
	var asJSON, full, route, templates bool
	var words string
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Tell a recording as prose",
		Long: `Tell a recording as prose, a fact a line: what was said, where the walk went on what evidence,
what was called and what came back. Long texts are shortened. A recording that was cut is told as
far as it goes.

With --full nothing is shortened: below each model call stands the whole request, every part as the
recording reads it back and what the model was told of each tool but read_skill, and below each
reply and result its whole text, thinking included.

With --route only the way of the walk is told, over all turns: every hop with what decided it, what
was refused on the way, moves to and fro, and how often the walk went where and by what.

With --words FILE the story is told in other words. The file is a JSON object of templates by name,
in which {a name in braces} stands for a value; what it leaves out is told as ever. spoor show
--templates prints all of them as such a file.

RUN is an id, a unique beginning of one, last, or a file.

With --json, {run, lines, changed, incomplete}: a line is {event, turn, iteration, kind, depth,
text, full}, changed says why not all of it is as it was recorded, and incomplete why the recording
is not whole. With --route, the keys of RouteHistory in package explain: {run, turns, hops,
rejections, streaks, groups, skills, edges, notFound, changed, incomplete}.`,
		Example: "  spoor show last\n  spoor show last --full\n  spoor show last --route\n  spoor show 20261130-22 --json\n  spoor show --templates > words.json\n  spoor show last --words words.json",
		Args: func(cmd *cobra.Command, args []string) error {
			if templates {
				return none(cmd, args)
			}
			return one(aRun)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			given := cmd.Flags().Changed
			switch {
			case templates && (route || full || asJSON || given("words")):
				return errors.New("--templates tells no recording; leave the other flags out")
			case route && (full || given("words")):
				return errors.New("--route is no prose; leave --full and --words out")
			}
			if templates {
				return printText(cmd.OutOrStdout(), templateFile())
			}
			own, err := openWords(words)
			if err != nil {
				return err
			}
			rec, err := from.open(args[0])
			if err != nil {
				return err
			}
			var reason fmt.Stringer
			switch {
			case route:
				reason = explain.History(rec)
			case full:
				reason = own.NarrateFull(rec)
			default:
				reason = own.Narrate(rec)
			}
			return printReason(cmd, reason, asJSON)
		},
		ValidArgsFunction: from.complete,
	}
	f := cmd.Flags()
	f.BoolVar(&full, "full", false, "the whole requests, replies and results")
	f.BoolVar(&route, "route", false, "the way of the walk, a hop a line")
	f.StringVar(&words, "words", "", "a file of templates to tell it in")
	f.BoolVar(&templates, "templates", false, "print the templates, and tell nothing")
	_ = cmd.MarkFlagFilename("words", "json")
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
