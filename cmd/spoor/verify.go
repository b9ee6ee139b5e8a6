package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/spoorhq/spoor/recording"
)

// A verdict is what verify prints as JSON.
type verdict struct {
	OK   bool   `json:"ok"`
	Path string `json:"path"`
	*recording.Report

	again string // what names it to another command
}

func newVerify() *cobra.Command {
	var from store
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify RUN",
		Short: "Compare a recording with its hashes",
		Long: `Compare the lines of a recording with its running hashes, its content with the names of its
content, and its events with each other. It leaves with 0 if the recording is whole and as it was
written, also if its last turn waits for a person, and with 1 if it is not.

RUN is an id, a unique beginning of one, last, or a file.

With --json, {ok, path, run, lines, events, pieces, hashes, unsealed, torn, complete, waiting,
faults, stopped}: unsealed counts the lines that no hash follows, torn says that the file ends in
the middle of a line, complete that the last turn has come to its end, waiting that it waits for a
person, faults is a list of {line, message}, and stopped says that nothing behind the last of them
was read.`,
		Example: "  spoor verify last\n  spoor verify .spoor/20261130-220604.157203-k7q2.jsonl --json",
		Args:    one(aRun),
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := verify(&from, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), v)
			} else {
				v.print(cmd.OutOrStdout())
			}
			if err == nil && !v.OK {
				err = exit{code: no}
			}
			return err
		},
		ValidArgsFunction: from.complete,
	}
	from.flag(cmd)
	jsonFlag(cmd, &asJSON)
	return cmd
}

func verify(from *store, name string) (*verdict, error) {
	path, err := from.Find(name)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	report, err := recording.Verify(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &verdict{report.OK(), path, report, from.again(name, &recording.Recording{Run: report.Run, Path: path})}, nil
}

func (v *verdict) print(w io.Writer) {
	if v.OK {
		fmt.Fprintf(w, "%s: whole: %s with %s and %s of content, under %s.\n", v.Path,
			count(v.Lines, "line"), count(v.Events, "event"), count(v.Pieces, "piece"), count(v.Hashes, "hash"))
		if v.Waiting {
			fmt.Fprintf(w, "The last turn waits for a person; spoor run MAP --resume %s goes on with it.\n", v.again)
		}
		return
	}
	fmt.Fprintf(w, "%s: not whole.\n", v.Path)
	for _, f := range v.Faults {
		fmt.Fprintf(w, "line %d: %s\n", f.Line, oneLine(f.Message, 500))
	}
	if v.Torn {
		fmt.Fprintf(w, "line %d: the file ends in the middle of this line\n", v.Lines+1)
	}
	if v.Unsealed > 0 {
		fmt.Fprintf(w, "line %d: %s after the last hash, which nothing vouches for\n", v.Lines, count(v.Unsealed, "line"))
	}
	switch {
	case v.Stopped:
		fmt.Fprintf(w, "line %d: incomplete: this line and what follows it were not read\n", v.Lines)
	case v.Complete:
	case v.Events == 0:
		fmt.Fprintf(w, "line %d: incomplete: no turn has begun\n", v.Lines)
	case len(v.Faults) == 0:
		fmt.Fprintf(w, "line %d: incomplete: the last turn has not come to its end; spoor run MAP --resume %s goes on with it\n", v.Lines, v.again)
	default:
		fmt.Fprintf(w, "line %d: incomplete: the last turn has not come to its end\n", v.Lines)
	}
}
