// Command spoor walks maps of skills, records what it did and why, and
// explains it afterwards.
//
//	spoor demo             a wrong answer, and the line that it came from
//	spoor init [DIR]       a small map that runs, to change into your own
//	spoor check MAP        what is wrong with a map, with file, line and column
//	spoor draw MAP         a drawing of a map, with a recorded walk laid over it
//	spoor next MAP         one move for one set of facts
//	spoor test MAP         the map's own cases
//	spoor schema           the JSON Schema of a map file, for editors
//	spoor run MAP -m TEXT  a turn; without -m a conversation
//	spoor runs             the recordings
//	spoor show RUN         one of them as prose
//	spoor why RUN          where an answer, some words of it or a move came from
//	spoor verify RUN       whether a recording is as it was written
//
// Results go to stdout, everything else to stderr. The command leaves with 0
// for yes, 1 for no (there are problems, something differs, no answer came) and
// 2 if the question could not be asked (a bad flag, a file that is not there).
package main

import (
	"io"
	"os"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the command without its process; it returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	cmd := newRoot()
	cmd.SetArgs(args)
	cmd.SetIn(stdin)
	out, errs := &console{w: stdout}, &console{w: stderr}
	cmd.SetOut(out)
	cmd.SetErr(errs)
	err := cmd.Execute()
	if failed := out.failure(); failed != nil {
		err = failed
	}
	return leave(err, errs)
}
