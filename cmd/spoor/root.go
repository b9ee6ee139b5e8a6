package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/spoorhq/spoor/internal/nearest"
	"github.com/spoorhq/spoor/recording"
)

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "spoor",
		Short: "An explainable agent framework",
		Long: `spoor walks maps of skills, records what it did and why, and explains it afterwards.

Results go to stdout, everything else to stderr. Exit codes: 0 yes; 1 no (there are problems,
something differs, no answer came); 2 the question could not be asked.`,
		Example:       "  spoor demo\n  spoor check map.yaml\n  spoor run map.yaml -m \"Where is order 17?\"\n  spoor why last",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noSuchCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(badFlag)
	root.AddCommand(newDemo(), newCheck(), newDraw(), newNext(), newTest(), newRun(), newRuns(), newShow(), newWhy(), newReplay(), newCompare(), newVerify(), newSchema(), newInit())
	root.SetHelpCommand(newHelp(root))
	return root
}

func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Tell about a command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err == nil && cmd == root && len(rest) > 0 {
				err = noSuchCommand(root, rest)
			}
			if err != nil {
				return err
			}
			return cmd.Help()
		},
	}
}

// Exit codes.
const (
	yes     = 0
	no      = 1 // there are problems, something differs, no answer came
	unasked = 2 // the question could not be asked
)

// An exit is an error with the code that the command leaves with. Any other
// error leaves with unasked.
type exit struct {
	code int
	err  error // nil if all is said already
}

func (e exit) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e exit) Unwrap() error { return e.err }

// leave prints the error, once, and returns the exit code.
func leave(err error, stderr io.Writer) int {
	if err == nil {
		return yes
	}
	if text := err.Error(); text != "" {
		text = strings.Map(func(r rune) rune {
			if steers(r) {
				return -1
			}
			return r
		}, text)
		fmt.Fprintf(stderr, "spoor: %s\n", text)
	}
	var e exit
	if errors.As(err, &e) {
		return e.code
	}
	return unasked
}

// noSuchCommand refuses arguments that are no command.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := nearest.Hint(args[0], func(yield func(string) bool) {
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() && !yield(c.Name()) {
				return
			}
		}
	})
	if hint == "" {
		hint = "spoor --help lists them"
	}
	return fmt.Errorf("there is no command %q; %s", args[0], hint)
}

// badFlag makes a sentence of what is wrong with the flags of a command.
func badFlag(cmd *cobra.Command, err error) error {
	help := cmd.CommandPath() + " --help lists them"
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var bare *pflag.ValueRequiredError
	switch {
	case errors.As(err, &invalid):
		f := invalid.GetFlag()
		return fmt.Errorf("--%s is %q, and wants %s", f.Name, invalid.GetValue(), wanted(f.Value.Type()))
	case errors.As(err, &bare):
		f := bare.GetFlag()
		return fmt.Errorf("--%s stands alone, and wants %s", f.Name, wanted(f.Value.Type()))
	case !errors.As(err, &unknown):
		return fmt.Errorf("%w; %s", err, help)
	}
	name := unknown.GetSpecifiedName()
	if unknown.GetSpecifiedShortnames() != "" {
		return fmt.Errorf("there is no flag -%s; %s", name, help)
	}
	hint := nearest.Hint("--"+name, func(yield func(string) bool) {
		stop := false
		cmd.Flags().VisitAll(func(f *pflag.Flag) { stop = stop || !yield("--"+f.Name) })
	})
	if hint == "" {
		hint = help
	}
	return fmt.Errorf("there is no flag --%s; %s", name, hint)
}

// wanted says what the values of a flag are.
func wanted(kind string) string {
	switch kind {
	case "int":
		return "a whole number"
	case "duration":
		return "a time, as in 30s or 5m"
	case "bool":
		return "true or false"
	}
	return "a value"
}

// one wants one argument, and says of what kind.
func one(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 {
			return nil
		}
		return fmt.Errorf("%s wants %s, and %s given; %s --help shows an example",
			cmd.CommandPath(), what, counted(len(args)), cmd.CommandPath())
	}
}

// counted says how many arguments there are.
func counted(n int) string {
	switch n {
	case 0:
		return "none was"
	case 1:
		return "one was"
	}
	return fmt.Sprintf("%d were", n)
}

const (
	aMap = "one MAP, a map file"
	aRun = "one RUN: an id, the beginning of one, last, or a file"
)

func none(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%s wants no argument, and %q was given", cmd.CommandPath(), args[0])
}

// completeMaps lets a shell complete map files.
func completeMaps(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"yaml", "yml", "json"}, cobra.ShellCompDirectiveFilterFileExt
}

// A store is where recordings are, as the flag --store says.
type store struct{ recording.Folder }

func (s *store) flag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.Dir, "store", ".spoor", "the folder of the recordings")
	_ = cmd.MarkFlagDirname("store")
}

// open reads the recording that the RUN of a command line names.
func (s *store) open(name string) (*recording.Recording, error) {
	path, err := s.Find(name)
	if err != nil {
		return nil, err
	}
	return recording.Open(path)
}

// complete lets a shell complete a RUN that is the one argument.
func (s *store) complete(cmd *cobra.Command, args []string, beginning string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return s.ids(cmd, args, beginning)
}

// ids are those of the store, newest first.
func (s *store) ids(_ *cobra.Command, _ []string, beginning string) ([]string, cobra.ShellCompDirective) {
	list, err := s.List()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var found []string
	for _, e := range slices.Backward(list) {
		if strings.HasPrefix(e.Run, beginning) {
			found = append(found, cobra.CompletionWithDesc(e.Run, oneLine(e.Message, 60)))
		}
	}
	return found, cobra.ShellCompDirectiveKeepOrder | cobra.ShellCompDirectiveNoFileComp
}

// flagFor is what must stand behind a RUN to find it in s.
func (s *store) flagFor() string {
	if s.Dir == ".spoor" {
		return ""
	}
	return " --store " + word(s.Dir)
}

// again names a recording to another command, as the person who named it does:
// by its file, or by its id with what finds it in s.
func (s *store) again(name string, rec *recording.Recording) string {
	if name == rec.Path {
		return word(name)
	}
	return word(oneLine(rec.Run, 200)) + s.flagFor()
}

// word quotes what a shell would take apart.
func word(s string) string {
	if strings.Trim(s, "%+,-./0123456789:=@ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz") == "" && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// jsonFlag adds the flag --json.
func jsonFlag(cmd *cobra.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, "print JSON")
}

// printJSON prints one value.
func printJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(escaped(b.Bytes()))
	return err
}

// escaped is JSON in which what could steer a terminal, and JSON lets stand in a
// string, is escaped: DEL, the controls of two bytes, and the marks that turn
// the direction of a text.
func escaped(data []byte) []byte {
	if bytes.IndexFunc(data, steers) < 0 {
		return data
	}
	clean := make([]byte, 0, len(data)+len(data)/8)
	for _, r := range string(data) {
		if steers(r) {
			clean = fmt.Appendf(clean, `\u%04x`, r)
		} else {
			clean = utf8.AppendRune(clean, r)
		}
	}
	return clean
}

// steers reports whether a terminal may act on a character that is no control
// of ASCII, or is DEL.
func steers(r rune) bool {
	return 0x7f <= r && r < 0xa0 || unicode.Is(unicode.Bidi_Control, r)
}

// oneLine makes a text fit into a line: white space is one space, what could
// steer a terminal is gone, and what is too long is cut.
func oneLine(text string, most int) string {
	line := []rune(strings.Map(func(r rune) rune {
		if r < ' ' || steers(r) {
			return -1
		}
		return r
	}, strings.Join(strings.Fields(text), " ")))
	if len(line) > most {
		line = append(line[:most-1], '…')
	}
	return string(line)
}

// quoteShort is a text as a part of a sentence.
func quoteShort(text string) string { return strconv.Quote(oneLine(text, 60)) }

// printText prints a text that ends with one line end.
func printText(w io.Writer, text string) error {
	_, err := io.WriteString(w, strings.TrimRight(text, "\n")+"\n")
	return err
}
