package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/check"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/tool"
	"github.com/spoorhq/spoor/tool/mcp"
)

// A session is what the command line of run asks for.
type session struct {
	store         store
	message       string
	model         string
	script        string
	maxIterations int
	timeout       time.Duration
	resume        string
	answer        *agent.Answer // to what the run of resume waits for; nil: none
	json          bool

	in       io.Reader
	out, err io.Writer

	name     string // of the map file
	agent    *agent.Agent
	servers  *mcp.Servers // nil if the map has none
	text     *lines       // the answers, unless json
	turns    []turn
	rec      *recording.Recording // nil until something is recorded
	question *agent.Question      // that the last turn waits for the answer to; nil if it waits for nobody
}

// A report is what run prints as JSON.
type report struct {
	Run    string   `json:"run"`
	Path   string   `json:"path"`
	Map    string   `json:"map,omitempty"`
	Skills []string `json:"skills"`
	Calls  int      `json:"calls"`
	Turns  []turn   `json:"turns"`
}

// A turn is what became of one message.
type turn struct {
	Message  string      `json:"message"`
	Answer   string      `json:"answer"`
	Limited  bool        `json:"limited,omitempty"`
	Limit    spoor.Limit `json:"limit,omitempty"`
	Stop     model.Stop  `json:"stop,omitempty"`
	Question *asked      `json:"question,omitempty"`
	Error    string      `json:"error,omitempty"`
}

func newRun() *cobra.Command {
	s := new(session)
	cmd := &cobra.Command{
		Use:   "run MAP",
		Short: "Walk a map: answer a message, or hold a conversation",
		Long: `Walk a map: answer the message of -m, or without it hold a conversation, a message a line from
stdin. Answers go to stdout while they arrive; all that happens is recorded in the store.

The model is the agent.model of the map file unless a flag says otherwise:

  openai/NAME      OpenAI, or a server that speaks its chat completions (Ollama, vLLM, llama.cpp);
                   the key is OPENAI_API_KEY, the address OPENAI_BASE_URL, such as
                   http://127.0.0.1:11434/v1
  anthropic/NAME   Claude; the key is ANTHROPIC_API_KEY, the address ANTHROPIC_BASE_URL
  script:FILE      rules that answer without a network

The tools are the fixed ones of the map file and those of its mcpServers, which are started for the
run; the command "spoor" there is this one. What else the file says of its agent and this version
cannot honour is refused. A conversation on a terminal goes on after an error or an interrupt.

A tool may ask a person. Then the turn waits, for as long as it takes: the question is printed, and
--resume RUN goes on with --answer TEXT, or with --decline REASON, so that the call is not made.
Without either it prints the question again. In a conversation on a terminal it is asked right
there. --resume also goes on with a turn that a crash cut, and with -m it says the next message of a
conversation that has come to its end.

It leaves with 0 if every message was answered, with 1 if the map is wrong, a limit left no answer
or a turn waits for a person, and with 2 if a turn could not come to an end: a model without an
answer, a tool that is not there, an interrupt. A turn that is interrupted is stopped, and recorded
as stopped.

With --json, one object at the end: {run, path, map, skills, calls, turns}. Skills are where the
walk stood, calls are model calls, and a turn is {message, answer, limited, limit, stop, question,
error}; limited says that a limit cut the work short, and limit which one: model-calls, tool-calls,
tokens, cost, time, ping-pong or refusals. Stop says that the model or its provider did. A question
is {call, tool, args, text}, of a turn that waits.`,
		Example: `  spoor run map.yaml -m "Where is order 17?"
  spoor run map.yaml --model openai/gpt-5-mini
  spoor run map.yaml --script script.yaml --json -m "Where is order 17?"
  spoor run map.yaml --resume last --answer yes`,
		Args: one(aMap),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.in, s.out, s.err = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			if err := s.flags(cmd); err != nil {
				return err
			}
			defer s.close()
			if err := s.open(cmd.Context(), args[0]); err != nil {
				return err
			}
			return s.run(cmd.Context())
		},
		ValidArgsFunction: completeMaps,
	}
	f := cmd.Flags()
	f.String("answer", "", "with --resume: what a person says to the question")
	f.String("decline", "", "with --resume: why the call that asks must not be made")
	f.StringVarP(&s.message, "message", "m", "", "the message; without it, a conversation from stdin")
	f.StringVar(&s.model, "model", "", "the model that answers: openai/NAME, anthropic/NAME or script:FILE")
	f.StringVar(&s.script, "script", "", "short for --model script:FILE")
	f.IntVar(&s.maxIterations, "max-iterations", 0, "how many model calls a turn may make (default that of the map, or 10)")
	f.DurationVar(&s.timeout, "timeout", 0, "how long a turn may take, such as 90s (default: as long as it takes)")
	f.StringVar(&s.resume, "resume", "", "go on with this RUN: one that waits or was cut, or say more with -m")
	s.store.flag(cmd)
	jsonFlag(cmd, &s.json)
	_ = cmd.RegisterFlagCompletionFunc("resume", s.store.ids)
	for _, words := range []string{"message", "answer", "decline"} {
		_ = cmd.RegisterFlagCompletionFunc(words, cobra.NoFileCompletions)
	}
	return cmd
}

// flags refuses what no turn can be made of.
func (s *session) flags(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	switch {
	case given("message") && strings.TrimSpace(s.message) == "":
		return errors.New("the message of -m is empty; write what the person says, or leave it out for a conversation")
	case given("message") && given("resume") && (given("answer") || given("decline")):
		return errors.New("-m and --answer exclude each other: an answer goes on with the message that waits for it; -m says the next one")
	case given("max-iterations") && given("resume") && !given("message"):
		return errors.New("--max-iterations and --resume exclude each other: the budget of a turn is fixed when it begins")
	case given("model") && s.model == "":
		return errors.New("--model is empty; write openai/NAME, anthropic/NAME or script:FILE")
	case given("script") && s.script == "":
		return errors.New("--script is empty; name a file of rules")
	case given("model") && given("script"):
		return errors.New("--model and --script exclude each other: both name the model")
	case given("timeout") && s.timeout <= 0:
		return fmt.Errorf("--timeout is %v; it is a time, such as 90s", s.timeout)
	case given("max-iterations") && s.maxIterations < 1:
		return fmt.Errorf("--max-iterations is %d; it is a number of model calls, from 1", s.maxIterations)
	case given("answer") && given("decline"):
		return errors.New("--answer and --decline exclude each other: a call that is declined is told no answer")
	case given("answer") || given("decline"):
		return s.answered(cmd)
	}
	return nil
}

// open makes the agent of a map file.
func (s *session) open(ctx context.Context, name string) error {
	s.name = name
	f, faults, err := openMap(name)
	if err != nil {
		return err
	}
	if len(faults) > 0 {
		return refuse(name, faults)
	}
	tools, problems := fixedTools(f)
	problems = append(problems, beyond(f)...)
	problems = append(problems, unbound(f)...)
	servers, more := serversOf(f)
	problems = append(problems, more...)
	var loud atomic.Bool
	c := configOf(f, tools)
	modelErr := s.openModels(f, &c)
	c.Store, c.Log = &s.store.Folder, slog.New(notes{s.err, loud.Load})
	if s.maxIterations > 0 {
		c.MaxIterations = s.maxIterations
	}
	if !s.json {
		s.text = &lines{w: s.out}
		c.Text = s.text
	}
	found, err := s.prepare(c, func(p spoor.Problem) bool {
		return p.Code == "unknown-tool" && len(f.MCPServers) > 0 // a server may have it
	})
	if err != nil && modelErr == nil {
		return err
	}
	problems = append(problems, found...)
	if len(problems) > 0 {
		return refuse(name, locate(f, problems))
	}
	if modelErr != nil {
		return modelErr // after the map's own faults, of which there may be many
	}
	if len(servers) > 0 {
		if err := s.start(ctx, servers, c); err != nil {
			var problems spoor.Problems
			if errors.As(err, &problems) {
				return refuse(name, locate(f, problems))
			}
			return err
		}
	} else {
		for _, note := range strangers(f) {
			fmt.Fprintf(s.err, "note: %s\n", note)
		}
	}
	if slices.ContainsFunc(s.agent.Problems(), func(p spoor.Problem) bool { return p.Level == check.Error }) {
		fmt.Fprintf(s.err, "note: %s has errors, which agent.check lets pass; read them with: spoor check %s\n", name, word(name))
	}
	loud.Store(true)
	return nil
}

// prepare makes the agent, or says what is wrong with it, but for what is to be
// forgiven. What fixedTools has said already, with its place, is left out.
func (s *session) prepare(c agent.Config, forgiven func(spoor.Problem) bool) (problems spoor.Problems, err error) {
	s.agent, err = agent.New(c)
	var all spoor.Problems
	if !errors.As(err, &all) {
		return nil, plain(err)
	}
	for _, p := range all {
		if p.Code == "bad-tool" && p.Ref == "" && c.Discover == nil || forgiven(p) {
			continue
		}
		switch {
		case p.Code != "unsupported":
		case p.Ref == "start.classify":
			p.Hint = "write keyword or llm to run this map; a program can bind others"
		case p.Ref == "start.scoredBy":
			p.Hint = "write keyword, or leave it out and the model picks an entry; a program can bind others"
		}
		if p.Code == "unknown-tool" && !strings.HasPrefix(p.Hint, "did you mean") {
			p.Hint = "declare it under tools, with the results that it gives, or take it off the skill"
			if c.Discover != nil {
				p.Hint = "no server has it; declare it under tools, or take it off the skill"
			}
		}
		problems = append(problems, p)
	}
	return problems, nil
}

// start starts the MCP servers, when nothing else stands in the way, and makes
// the agent with their tools. An interrupt ends the start, so that no server is
// left behind.
func (s *session) start(ctx context.Context, servers []mcp.Server, c agent.Config) (err error) {
	ctx, done := interruptible(ctx)
	defer done()
	if s.servers, err = mcp.Open(ctx, slog.New(notes{s.err, func() bool { return true }}), servers...); err != nil {
		return err
	}
	c.Discover = s.servers.Tools
	problems, err := s.prepare(c, func(spoor.Problem) bool { return false })
	if err == nil && len(problems) > 0 {
		return problems
	}
	return err
}

// close stops the MCP servers.
func (s *session) close() {
	if s.servers != nil {
		s.servers.Close()
	}
}

// refuse is the error of a map that cannot be walked.
func refuse(name string, faults mapfile.Faults) error {
	if len(faults) == 1 {
		return exit{faultCode(faults), errors.New(faults[0].String())}
	}
	return exit{faultCode(faults), fmt.Errorf("%s cannot be walked, for %d reasons:\n%w", name, len(faults), faults)}
}

// configOf is the agent that a map file sets up, with stand-ins for its models.
// Its conditions may name what only a program can bind.
func configOf(f *mapfile.File, tools []tool.Tool) agent.Config {
	a := &f.Agent
	c := agent.Config{
		Map: f.Map, Conditions: &cond.Set{AllowUnbound: true}, Injections: a.Injections,
		Model: unopened{}, Tools: tools, System: a.System,
		Posture: spoor.Posture(a.Posture), Continuity: spoor.Continuity(a.Continuity),
		MaxIterations: a.MaxIterations, Limits: a.Limits,
		Check: agent.Check(a.Check), Sync: agent.Sync(a.Sync),
	}
	if a.ClassifierModel != "" {
		c.Classifier = unopened{}
	}
	if a.DeciderModel != "" {
		c.Decider = unopened{}
	}
	return c
}

// openModels opens the models of an agent. The one that answers may be named by
// a flag.
func (s *session) openModels(f *mapfile.File, c *agent.Config) error {
	m, err := s.openModel(f)
	if err == nil {
		c.Model = m
	}
	to := []*model.Model{&c.Classifier, &c.Decider}
	for i, other := range modelsOf(f)[1:] {
		if other.name == "" {
			continue
		}
		if m, otherErr := openModel(other.name, f.Dir()); otherErr == nil {
			*to[i] = m
		} else if err == nil {
			err = fmt.Errorf("%s: %w", other.ref, otherErr)
		}
	}
	return err
}

// openModel opens the model that a flag or the map file names.
func (s *session) openModel(f *mapfile.File) (model.Model, error) {
	name, dir := s.model, ""
	switch {
	case s.script != "":
		name = "script:" + s.script
	case s.model == "":
		name, dir = f.Agent.Model, f.Dir()
	}
	if name == "" {
		return nil, errors.New("no model is named; give --model openai/NAME, --model anthropic/NAME or --script FILE, or write agent: {model: …} into the map file")
	}
	return openModel(name, dir)
}

// unopened stands for a model that could not be opened while the rest of a map
// is looked at.
type unopened struct{}

func (unopened) Call(context.Context, *model.Request, func(model.Delta)) (model.Reply, error) {
	return model.Reply{}, errors.New("the model was not opened")
}

// beyond names what a map file may say of its agent and this version cannot
// honour.
func beyond(f *mapfile.File) (ps spoor.Problems) {
	add := func(there bool, ref spoor.Ref, what string) {
		if there {
			ps = append(ps, spoor.Problem{
				Level: "error", Code: "unsupported", Ref: ref,
				Message: "spoor run does not know " + what, Hint: "leave it out to run this map",
			})
		}
	}
	a := &f.Agent
	add(a.Embedding != mapfile.Embedding{}, "agent.embedding", "embeddings")
	add(a.MaxInlineBytes != 0, "agent.maxInlineBytes", "a bound on the results in a prompt")
	for _, server := range f.MCPServers {
		ref := spoor.Ref("mcpServers").Key(server.Name)
		add(server.URL != "", ref.Key("url"), "MCP servers over HTTP")
		add(slices.ContainsFunc(server.Args, func(arg string) bool { return strings.Contains(arg, "${") }), ref.Key("args"), "variables in args; env takes them")
	}
	return ps
}

// unwalked names what a map and its agent may say and no agent here walks, in
// the words of the agent.
func unwalked(f *mapfile.File) spoor.Problems {
	tools, _ := fixedTools(f)
	c := configOf(f, tools)
	c.Check, c.Log = agent.CheckOff, slog.New(slog.DiscardHandler)
	_, err := agent.New(c)
	all, _ := errors.AsType[spoor.Problems](err)
	return slices.DeleteFunc(all, func(p spoor.Problem) bool { return p.Code != "unsupported" })
}

// unbound names the conditions that only a program can bind.
func unbound(f *mapfile.File) (ps spoor.Problems) {
	m := f.Map
	ask := func(when string, result bool, ref spoor.Ref) {
		if when == "" {
			return
		}
		conditions := &cond.Set{AllowUnbound: true}
		if _, err := conditions.Condition(when, result); err == nil && len(conditions.Unbound()) > 0 {
			ps = append(ps, spoor.Problem{
				Level: "error", Code: "unsupported", Ref: ref,
				Message: fmt.Sprintf("nothing here is bound to the condition %q", when), Hint: "write it in CEL to run this map",
			})
		}
	}
	for i, r := range m.Start.Rules {
		ask(r.When, false, spoor.Ref("start.rules").At(i).Key("when"))
	}
	for i, e := range m.Start.Entries {
		ask(e.When, false, spoor.Ref("start.entries").At(i).Key("when"))
	}
	for i, s := range m.Steps {
		ask(s.When, true, spoor.Ref("steps").At(i).Key("when"))
	}
	var branch func(t *spoor.Tree, ref spoor.Ref)
	branch = func(t *spoor.Tree, ref spoor.Ref) {
		if t != nil {
			ask(t.When, false, ref.Key("when"))
			branch(t.WhenTrue, ref.Key("whenTrue"))
			branch(t.WhenFalse, ref.Key("whenFalse"))
		}
	}
	branch(m.Tree, "tree")
	for i, s := range f.Agent.Skills {
		ask(s.When, false, spoor.Ref("agent.skills").At(i).Key("when"))
	}
	for i, n := range f.Agent.Instructions {
		ask(n.When, false, spoor.Ref("agent.instructions").At(i).Key("when"))
	}
	return ps
}

// run makes the turns and says what became of them.
func (s *session) run(ctx context.Context) error {
	err := s.walk(ctx)
	if s.rec == nil {
		return err
	}
	if s.json {
		e := s.rec.Entry()
		r := report{e.Run, e.Path, e.Map, e.Skills, e.Calls, s.turns}
		if r.Skills == nil {
			r.Skills = []string{}
		}
		if err := printJSON(s.out, r); err != nil {
			return err
		}
	}
	name := "last" + s.store.flagFor()
	if s.resume != "" {
		name = s.store.again(s.resume, s.rec)
	}
	fmt.Fprintf(s.err, "Recorded as %s; ask it why with: spoor why %s\n", oneLine(s.rec.Run, 200), name)
	if s.question != nil {
		s.tellHow()
	}
	return err
}

func (s *session) walk(ctx context.Context) error {
	switch {
	case s.resume != "":
		rec, err := s.store.open(s.resume)
		if err != nil {
			return err
		}
		if s.message != "" {
			s.rec = rec
			return s.say(ctx, s.message)
		}
		return s.turn(ctx, lastMessage(rec), func(ctx context.Context) (*agent.Run, error) {
			r, err := s.agent.Resume(ctx, rec, s.answer)
			if r == nil && rec.Finished() != nil {
				err = fmt.Errorf("%w; say the next message of the conversation with -m", err)
			}
			return r, err
		})
	case s.message != "":
		return s.say(ctx, s.message)
	}
	return s.converse(ctx)
}

// lastMessage is the message of the last turn.
func lastMessage(rec *recording.Recording) string {
	if n := len(rec.Events); n > 0 {
		if started := rec.Started(rec.Events[n-1].Seq); started != nil {
			return started.Message.Data
		}
	}
	return ""
}

// interruptible is done at an interrupt. Once done is called, an interrupt ends
// the program again.
func interruptible(ctx context.Context) (_ context.Context, done context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
}

// A line is one of stdin, or its end.
type line struct {
	text string
	end  error
}

// linesOf reads lines, each when it is wanted.
func linesOf(r io.Reader) <-chan line {
	c := make(chan line)
	go func() {
		in := bufio.NewReader(r)
		for {
			text, end := in.ReadString('\n')
			c <- line{text, end}
			if end != nil {
				return
			}
		}
	}()
	return c
}

// await waits for a line, or for an interrupt.
func await(ctx context.Context, lines <-chan line) line {
	ctx, done := interruptible(ctx)
	defer done()
	select {
	case l := <-lines:
		return l
	case <-ctx.Done():
		return line{end: context.Cause(ctx)}
	}
}

// converse answers a message a line.
func (s *session) converse(ctx context.Context) error {
	prompt := ""
	if isTerminal(s.in) {
		prompt = "> "
	}
	lines := linesOf(s.in)
	for {
		io.WriteString(s.err, prompt)
		l := await(ctx, lines)
		if message := strings.TrimSpace(l.text); message != "" {
			err := s.say(ctx, message)
			for s.question != nil && prompt != "" {
				answer := s.ask(ctx, lines)
				if answer == nil {
					return err
				}
				err = s.turn(ctx, message, func(ctx context.Context) (*agent.Run, error) {
					return s.agent.Resume(ctx, s.rec, answer)
				})
				if s.question != nil && err.Error() != "" {
					fmt.Fprintf(s.err, "spoor: %s\n", err)
				}
			}
			switch {
			case err == nil:
			case s.question != nil:
				return err
			case prompt == "" || s.rec == nil:
				return err
			default: // a person may try again
				fmt.Fprintf(s.err, "spoor: %s\n", err)
			}
		}
		switch {
		case l.end == nil:
		case errors.Is(l.end, context.Canceled) && prompt != "" && s.rec != nil: // a person has left
			fmt.Fprintln(s.err)
			return nil
		case l.end != io.EOF:
			return fmt.Errorf("stdin cannot be read: %w", l.end)
		case s.rec == nil:
			return errors.New("nothing was said; give the message with -m, or a line of it on stdin")
		default:
			if prompt != "" {
				fmt.Fprintln(s.err)
			}
			return nil
		}
	}
}

// say makes the next turn of the conversation, or the first.
func (s *session) say(ctx context.Context, message string) error {
	return s.turn(ctx, message, func(ctx context.Context) (*agent.Run, error) {
		if s.rec == nil {
			return s.agent.Run(ctx, message)
		}
		return s.agent.Reply(ctx, s.rec, message)
	})
}

// turn makes one turn. An interrupt stops it, and a second one the program.
func (s *session) turn(ctx context.Context, message string, walk func(context.Context) (*agent.Run, error)) error {
	ctx, done := interruptible(ctx)
	defer done()
	context.AfterFunc(ctx, done)
	if s.timeout > 0 {
		var over context.CancelFunc
		ctx, over = context.WithTimeoutCause(ctx, s.timeout, fmt.Errorf("it took more than %v", s.timeout))
		defer over()
	}

	if s.text != nil {
		s.text.empty = true
	}
	r, err := walk(ctx)
	var path *fs.PathError
	if r == nil && s.rec == nil && s.resume == "" && errors.As(err, &path) {
		err = fmt.Errorf("nothing can be recorded in %s: %w; name another folder with --store", s.store.Dir, path.Err)
	}
	err = plain(err)
	t, goesOn := turn{Message: message}, s.question != nil
	if r != nil {
		s.rec, s.question = r.Recording, r.Question
		t.Answer, t.Limited, t.Limit, t.Stop = r.Answer, r.Limited, r.Limit, r.Stop
	}
	switch {
	case err != nil && !t.Limited:
	case s.question != nil:
		t.Question = askedOf(s.question)
	case t.Answer == "" && t.Limited:
		err = exit{no, errors.New("no answer came: " + reached(t.Limit))}
	case strings.TrimSpace(t.Answer) == "":
		err = exit{no, errors.New("no answer came: the model answered with nothing")}
	}
	if err != nil {
		t.Error = err.Error()
	}
	if s.text != nil {
		s.text.end(t.Answer)
		if line := cutShort(t.Stop); line != "" {
			fmt.Fprintln(s.err, line)
		}
		if t.Limited && err == nil {
			fmt.Fprintf(s.err, "The work of this turn was cut short: %s.\n", reached(t.Limit))
		}
	}
	if r != nil && goesOn {
		s.turns = s.turns[:len(s.turns)-1]
	}
	if r != nil {
		s.turns = append(s.turns, t)
	}
	if err == nil && s.question != nil {
		s.printQuestion()
		err = exit{code: no}
	}
	return err
}

// plain is the error of an agent without the name of the package.
func plain(err error) error {
	if err == nil {
		return nil
	}
	if text, ok := strings.CutPrefix(err.Error(), "agent: "); ok {
		return errors.New(text)
	}
	return err
}

// Lines is where the text of answers goes while it arrives.
type lines struct {
	w     io.Writer
	empty bool // nothing of this turn has arrived
	open  bool // the last line has not ended
}

func (l *lines) Write(p []byte) (int, error) {
	if len(p) > 0 {
		l.empty, l.open = false, p[len(p)-1] != '\n'
	}
	return l.w.Write(p)
}

// end ends a turn. What a model did not send on the way is written now.
func (l *lines) end(answer string) {
	if l.empty {
		io.WriteString(l, answer)
	}
	if l.open {
		io.WriteString(l, "\n")
	}
}

// isTerminal reports whether somebody types into r.
func isTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
