package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"path"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing/fstest"

	"github.com/spf13/cobra"

	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/event"
	refunddesk "github.com/spoorhq/spoor/examples/refund-desk"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/model/script"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/tool/mcp"
)

func newDemo() *cobra.Command {
	var to store
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show a wrong answer, and the line that it came from",
		Long: `Show the main job on an example that is built in: the refund desk of a shop, walked by a model
that is a script, so there is no network and no key. Its tools are those of an MCP server over a
database of orders, which the command starts: itself, as spoor demo orders. It gets a wrong answer,
asks why, is told the file, the line and the bytes that the wrong words came from, and makes the
turn again without that line.

Both turns are recorded, so that they can be looked at with spoor show, why and verify. It leaves
with 1 if the answer did not change.`,
		Example: "  spoor demo\n  spoor demo --store desk-recordings",
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return demo(cmd.Context(), cmd.OutOrStdout(), refunddesk.Files, to)
		},
	}
	to.flag(cmd)
	cmd.AddCommand(newOrders())
	return cmd
}

func newOrders() *cobra.Command {
	return &cobra.Command{
		Use:   "orders [FILE]",
		Short: "Be the MCP server of the example",
		Long: `Be the MCP server of the example, over stdin and stdout: the tools of the refund desk, over the
orders in FILE, a SQLite database. If it is not there it is made, and keeps what the tools change.
Without FILE the orders are in a temporary one.`,
		Example: "  spoor demo orders orders.db",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file := ""
			if len(args) > 0 {
				file = args[0]
			}
			ctx, done := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer done()
			desk, err := refunddesk.Open(file)
			if err != nil {
				return err
			}
			defer desk.Close()
			return desk.Serve(ctx, cmd.InOrStdin(), os.Stdout)
		},
	}
}

// demo asks the refund desk of files its question, explains the answer, and
// asks again without the line that the answer was copied from. All that it
// prints comes from these two runs and what package explain says of them.
func demo(ctx context.Context, w io.Writer, files fs.FS, to store) error {
	p := &page{w: w}
	p.text("This is the refund desk of a shop: a map of skills, their runbooks, an MCP server over a database of " +
		"orders, and a model that is a script, so it needs no network and no key. What happens here is recorded in " + to.Dir + ".")
	servers, err := deskServers(ctx, files)
	if err != nil {
		return err
	}
	defer servers.Close()

	p.title("The question, and the walk that it set off")
	first, err := ask(ctx, files, servers, to)
	if err != nil {
		return err
	}
	p.block(walk(first).String())

	p.title("The answer")
	p.quote(first.Answer())
	words, source, err := culprit(first)
	if err != nil {
		return err
	}
	if r := lastResult(first); r != nil {
		p.text(doubt(first, words.Text) + "The last one that was called, " + r.Tool + ", returned:")
		p.quote(r.Result.Data)
	}

	p.title("Why? Where the words came from")
	p.block(explain.Span(first, words.Text).String())

	p.title("The same turn without that line")
	copied, removed, err := without(files, source)
	if err != nil {
		return err
	}
	p.text(fmt.Sprintf("In a copy, %s has lost line %d:", source.File, source.Line))
	p.quote(removed)
	second, err := ask(ctx, copied, servers, to)
	if err != nil {
		return err
	}
	p.text("The same question, the same map, the same tools and the same model; now the answer is:")
	p.quote(second.Answer())
	if second.Answer() == first.Answer() {
		return exit{no, errors.New("the answer did not change, so it did not depend on that line")}
	}
	for _, line := range fromResults(second, first.Answer()) {
		p.text(line)
	}

	p.title("What to try next")
	p.block(next(first, second, to.flagFor()))
	return p.err
}

// deskServers starts the MCP servers of the map of files.
func deskServers(ctx context.Context, files fs.FS) (*mcp.Servers, error) {
	f, err := mapfile.Read(files, "map.yaml")
	if err != nil {
		return nil, err
	}
	list, problems := serversOf(f)
	if len(problems) > 0 {
		return nil, problems
	}
	return mcp.Open(ctx, slog.New(slog.DiscardHandler), list...)
}

// ask walks the map of files with the tools of servers, and records the turn.
func ask(ctx context.Context, files fs.FS, servers *mcp.Servers, to store) (*recording.Recording, error) {
	f, err := mapfile.Read(files, "map.yaml")
	if err != nil {
		return nil, err
	}
	m, err := script.Read(files, path.Join(f.Dir(), strings.TrimPrefix(f.Agent.Model, "script:")))
	if err != nil {
		return nil, err
	}
	c := configOf(f, nil)
	c.Conditions, c.Model, c.Discover = cond.CEL, m, servers.Tools
	c.Store, c.Log = &to.Folder, slog.New(slog.DiscardHandler)
	a, err := agent.New(c)
	if err != nil {
		return nil, err
	}
	r, err := a.Run(ctx, refunddesk.Question)
	if err != nil {
		return nil, err
	}
	return r.Recording, nil
}

// culprit is the longest stretch of the answer that was copied from a runbook,
// and where it stands there.
func culprit(rec *recording.Recording) (words explain.Run, from explain.Source, err error) {
	for _, r := range explain.Answer(rec).Runs {
		i := slices.IndexFunc(r.Sources, func(s explain.Source) bool { return s.Kind == explain.FromBody && s.File != "" && !s.Brief })
		if i >= 0 && len(r.Text) > len(words.Text) {
			words, from = r, r.Sources[i]
		}
	}
	if words.Text == "" {
		err = exit{no, errors.New("no words of the answer were copied from a runbook")}
	}
	return words, from, err
}

// walk tells what happened without the model calls, which spoor show tells.
func walk(rec *recording.Recording) *explain.Story {
	s := explain.Narrate(rec)
	s.Lines = slices.DeleteFunc(s.Lines, func(l explain.Line) bool { return l.Kind == "called" || l.Kind == "sent" })
	return s
}

// doubt is a sentence about the first number among words that no tool
// returned, if there is one.
func doubt(rec *recording.Recording, words string) string {
	number := regexp.MustCompile(`[0-9]+`)
	var returned []string
	for i := range rec.Events {
		if r, ok := rec.Events[i].Body.(*event.Returned); ok {
			returned = append(returned, number.FindAllString(r.Result.Data, -1)...)
		}
	}
	for _, n := range number.FindAllString(words, -1) {
		if !slices.Contains(returned, n) {
			return "No tool returned a " + n + ". "
		}
	}
	return ""
}

// lastResult is what the last tool call brought back.
func lastResult(rec *recording.Recording) (last *event.Returned) {
	for i := range rec.Events {
		if r, ok := rec.Events[i].Body.(*event.Returned); ok {
			last = r
		}
	}
	return last
}

// without is a copy of files in which the lines of a source are missing, and
// what they were.
func without(files fs.FS, s explain.Source) (copied fstest.MapFS, removed string, err error) {
	copied = fstest.MapFS{}
	err = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		copied[name] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		return nil, "", err
	}
	file := copied[s.File]
	if file == nil {
		return nil, "", fmt.Errorf("explain names the file %s, which is not there", s.File)
	}
	lines := strings.SplitAfter(string(file.Data), "\n")
	from, to := s.Line-1, s.Line+strings.Count(s.Text, "\n")
	if from < 0 || to > len(lines) {
		return nil, "", fmt.Errorf("explain names line %d of %s, which has %d lines", s.Line, s.File, len(lines))
	}
	removed = strings.Join(lines[from:to], "")
	if !strings.Contains(removed, s.Text) {
		return nil, "", fmt.Errorf("explain names line %d of %s, which does not hold the words %q", s.Line, s.File, s.Text)
	}
	file.Data = []byte(strings.Join(slices.Delete(lines, from, to), ""))
	return copied, removed, nil
}

// fromResults says which words of the answer are a whole value of a result,
// but for words that were said before.
func fromResults(rec *recording.Recording, before string) (list []string) {
	for _, r := range explain.Answer(rec).Runs {
		i := slices.IndexFunc(r.Sources, func(s explain.Source) bool { return s.Kind == explain.FromResult && s.Fills && !s.Brief })
		if i >= 0 && !strings.Contains(before, r.Text) {
			list = append(list, fmt.Sprintf("%q now comes from what %s returned, at %s.", r.Text, r.Sources[i].Tool, r.Sources[i].Path))
		}
	}
	return list
}

// next lists commands that look at the two runs.
func next(first, second *recording.Recording, store string) string {
	var b strings.Builder
	line := func(what, command string) { fmt.Fprintf(&b, "%s\n    spoor %s%s\n", what, command, store) }
	line("All that happened in the first turn, with what the model was asked:", "show "+first.Run+" --full")
	line("Where each word of its answer came from:", "why "+first.Run)
	if to := untaken(first); to != "" {
		line("Why it did not go to "+to+":", "why "+first.Run+" --not skill:"+to)
	}
	line("Where the words of the second answer came from:", "why "+second.Run)
	line("Whether a recording is as it was written:", "verify "+second.Run)
	line("All recordings:", "runs")
	return b.String()
}

// untaken is a skill that a guard shut while the walk went to another one.
func untaken(rec *recording.Recording) string {
	for i := range rec.Events {
		if e, ok := rec.Events[i].Body.(*event.Evaluated); ok && e.Move.From != e.Move.To && e.Move.Closed != nil {
			return e.Move.Closed[0].To
		}
	}
	return ""
}

// A page is text in numbered parts, at most 100 columns wide.
type page struct {
	w     io.Writer
	parts int
	err   error // the first one of w
}

const columns = 100

func (p *page) print(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *page) title(title string) {
	p.parts++
	p.print("%d. %s\n\n", p.parts, title)
}

func (p *page) text(text string) { p.print("%s\n\n", fold(text, "")) }

// quote prints what was said or stands somewhere.
func (p *page) quote(text string) { p.print("%s\n\n", fold(strings.TrimSpace(text), "    > ")) }

// block prints lines as they are laid out.
func (p *page) block(text string) {
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		text := strings.TrimLeft(line, " ")
		if text != "" {
			text = fold(text, "  "+line[:len(line)-len(text)])
		}
		p.print("%s\n", text)
	}
	p.print("\n")
}

// fold breaks a text into lines that begin with prefix, between words or, in
// JSON, behind a comma.
func fold(text, prefix string) string {
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		for len(prefix)+len(line) > columns {
			most := line[:columns-len(prefix)]
			cut := max(strings.LastIndexByte(most, ' '), strings.LastIndexByte(most, ',')+1)
			if cut <= 0 {
				break
			}
			lines = append(lines, prefix+line[:cut])
			line = strings.TrimPrefix(line[cut:], " ")
		}
		lines = append(lines, prefix+line)
	}
	return strings.Join(lines, "\n")
}
