package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/recording"
)

func newCompare() *cobra.Command {
	var from store
	var asJSON bool
	var sets twoSets
	cmd := &cobra.Command{
		Use:   "compare RUN RUN",
		Short: "Tell where two recordings part, or what separates good from bad ones",
		Long: `Tell where two recordings part, A and B: the first difference, by its class and place, and what
differs after it, each as caused by it or independent. Classes of what differs by itself:
configuration, map, tool schema, tool missing, tool result, model output (on an identical request),
model failure, person, scores, stop, limit, process, walk, cut. What follows from those: start,
move, request, reply, call, steps, end, conversation. What is chance, like times, usage and ids, is
no difference. It leaves with 0 if the two are the same, with 1 if they differ, and with 2 if one
cannot be read or has no turn.

RUN is an id, a unique beginning of one, last, or a file.

With --good and --bad, two folders of recordings, tell what the runs of one have more often than
those of the other: pieces that the model was shown, calls, statuses, skills, moves, rows of guards,
values in results. It is correlation, not cause: Fisher's exact test, adjusted as Holm does. It
leaves with 1 if something separates them beyond chance (adjusted p at most 0.05), with 0 if nothing
does, and with 2 if a folder cannot be read or has fewer than two recordings. Files that are no
recordings are named and passed over.

With --json, of two recordings {a, b, same, first, then, answers, notes, notFound, unsearched}: a
difference is {number, class, evidence, turn, place, text, a, b, changes, moreChanges, origin, from,
roots, link}, a change {kind, path, pathB, a, b, words}. Of two folders {evidence, good, bad,
separates, groups, more, features, tested, leastP, changed, incomplete, notFound, unsearched,
unreadable}: a group is {features, opposite, more, good, bad, effect, p, adjusted, separates}, a
feature {kind, name, piece, tool, path, value}, and unreadable a list of {path, reason}.`,
		Example: "  spoor compare 20261130-22 last\n  spoor compare good.jsonl bad.jsonl --json\n  spoor compare --good runs/good --bad runs/bad --top 10",
		Args: func(cmd *cobra.Command, args []string) error {
			return sets.check(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return sets.compare(cmd, asJSON)
			}
			var recs [2]*recording.Recording
			for i, name := range args {
				rec, err := from.open(name)
				if err != nil {
					return err
				}
				recs[i] = rec
			}
			c := explain.Compare(recs[0], recs[1])
			if err := printReason(cmd, c, asJSON); err != nil {
				return err
			}
			switch {
			case c.NotFound != nil:
				return exit{code: unasked}
			case !c.Same:
				return exit{code: no}
			}
			return nil
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, beginning string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 1 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return from.ids(cmd, args, beginning)
		},
	}
	f := cmd.Flags()
	f.StringVar(&sets.good, "good", "", "a folder of recordings that went well")
	f.StringVar(&sets.bad, "bad", "", "a folder of recordings that did not")
	f.IntVar(&sets.top, "top", 20, "list so many groups of what separates them")
	_ = cmd.MarkFlagDirname("good")
	_ = cmd.MarkFlagDirname("bad")
	from.flag(cmd)
	jsonFlag(cmd, &asJSON)
	return cmd
}

// twoSets are folders of recordings to compare.
type twoSets struct {
	good, bad string
	top       int
}

// check refuses what is no question.
func (s *twoSets) check(cmd *cobra.Command, args []string) error {
	given := cmd.Flags().Changed
	folders := given("good") || given("bad")
	switch {
	case folders && len(args) > 0:
		return fmt.Errorf("%s compares two RUNs or two folders, and %q was given beside --good and --bad", cmd.CommandPath(), args[0])
	case folders && (s.good == "" || s.bad == ""):
		return errors.New("--good and --bad go together; give a folder of recordings to each")
	case given("top") && !folders:
		return errors.New("--top is for two folders; give them with --good and --bad")
	case s.top < 1:
		return fmt.Errorf("--top is %d; it is how many groups to list, from 1", s.top)
	case !folders && len(args) != 2:
		return fmt.Errorf("%s wants two RUNs, and %s given; %s --help shows an example", cmd.CommandPath(), counted(len(args)), cmd.CommandPath())
	}
	return nil
}

// A separated is what compare prints as JSON of two folders.
type separated struct {
	*explain.Separation
	Unreadable []passedOver `json:"unreadable,omitempty"`
}

// A passedOver is a file that is no recording that can be read.
type passedOver struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

func (s *twoSets) compare(cmd *cobra.Command, asJSON bool) error {
	var sep explain.Separator
	var r separated
	for _, set := range []struct {
		dir  string
		take func(*recording.Recording)
	}{{s.good, sep.Good}, {s.bad, sep.Bad}} {
		bad, err := eachRecording(set.dir, set.take)
		if err != nil {
			return err
		}
		r.Unreadable = append(r.Unreadable, bad...)
	}
	for _, u := range r.Unreadable {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s is passed over: %s\n", u.Path, oneLine(u.Reason, 200))
	}
	r.Separation = sep.Result()
	if more := len(r.Groups) - s.top; more > 0 {
		r.Groups, r.More = r.Groups[:s.top], r.More+more
	}
	var err error
	if asJSON {
		err = printJSON(cmd.OutOrStdout(), r)
	} else {
		err = printText(cmd.OutOrStdout(), r.String())
	}
	switch {
	case err != nil:
		return err
	case r.Good < 2 || r.Bad < 2:
		return exit{code: unasked}
	case r.Separates:
		return exit{code: no}
	}
	return nil
}

// eachRecording reads the recordings of a folder, one at a time in the order of
// their names, and lists the files that cannot be read.
func eachRecording(dir string, take func(*recording.Recording)) (bad []passedOver, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read as a folder of recordings: %w", dir, err)
	}
	for _, e := range entries {
		if e.IsDir() || e.Type()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) != 0 || !strings.HasSuffix(e.Name(), ".jsonl") {
			continue
		}
		path := filepath.Join(dir, e.Name())
		rec, err := recording.Open(path)
		if err != nil {
			bad = append(bad, passedOver{path, strings.TrimPrefix(err.Error(), path+": ")})
			continue
		}
		if len(rec.Events) == 0 {
			bad = append(bad, passedOver{path, "it has no events"})
			continue
		}
		take(rec)
	}
	return bad, nil
}
