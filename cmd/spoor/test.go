package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/score"
)

// A trial is what test prints as JSON.
type trial struct {
	OK     bool     `json:"ok"`
	Passed int      `json:"passed"`
	Failed int      `json:"failed"`
	Cases  []tried  `json:"cases"`
	Notes  []string `json:"notes"`

	name    string // of the map file
	sources string // where the cases stand, if in more than one file
}

// A tried is a case and what came of it.
type tried struct {
	File    string     `json:"file"`
	Line    int        `json:"line"`
	Say     string     `json:"say,omitempty"`
	At      string     `json:"at,omitempty"`
	Want    outcome    `json:"want"`
	Got     outcome    `json:"got"`
	Pass    bool       `json:"pass"`
	Reasons []string   `json:"reasons"`
	Move    spoor.Move `json:"move"`

	// For people: the case, what it wants, what came of that, and all that came.
	name, wanted, came, all string
}

// An outcome is where a message starts the turn, or where results lead. Starts
// or Leads is a *string, and nil in JSON for nowhere; the other is not there.
type outcome struct {
	Starts  any       `json:"starts,omitempty"`
	Leads   any       `json:"leads,omitempty"`
	By      string    `json:"by,omitempty"`
	Ref     spoor.Ref `json:"ref,omitempty"`
	Offered []string  `json:"offered,omitempty"`
	Closed  []string  `json:"closed,omitzero"` // the steps whose guard stays shut
}

func newTest() *cobra.Command {
	var file string
	var asJSON, verbose bool
	cmd := &cobra.Command{
		Use:   "test MAP",
		Short: "Try a map on its cases: where messages start, where results lead",
		Long: `Try a map on its own cases. They stand under cases: in the map file or, as a list, in cases.yaml
beside it; if there are both, both are tried. With --cases, only those in FILE. A case is one of

  - {say: MESSAGE, starts: SKILL}                     the skill where this message starts a turn;
                                                      null for nowhere
  - {say: MESSAGE, starts: SKILL, by: CAUSE}          and by what: entry, intent, menu, none, or the
                                                      address of the rule, such as start.rules[0]
  - {at: SKILL, results: [RESULT], leads: SKILL}      the skill that the results of one batch lead
                                                      to; null if they lead nowhere
  - {at: …, results: …, leads: …, closed: [STEP]}     and all steps whose guard stays shut on them,
                                                      by address, such as steps[2], or by target

A RESULT is {tool, result, status, executed}: result is a text, or anything else for its JSON, and
executed: false says that the call did not reach the tool. Messages start cold, without history.
No model is asked and no tool is called; of the scorers only keyword is asked.

It leaves with 0 if all cases pass, with 1 if one fails or if the map or a case is wrong, and with
2 if there are no cases, or if the map asks for what only a program has.

With --json, {ok, passed, failed, cases, notes}. A case is {file, line, say, at, want, got, pass,
reasons, move}: want and got are {starts, by, ref, offered} or {leads, ref, closed}, reasons are
what is told of a case that failed, and move is that of spoor next.`,
		Example: "  spoor test map.yaml\n  spoor test map.yaml -v\n  spoor test map.yaml --cases more.yaml --json",
		Args:    one(aMap),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := test(cmd.Context(), args[0], file, cmd.Flags().Changed("cases"))
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), t)
			} else {
				t.print(cmd.OutOrStdout(), verbose)
			}
			if err == nil && !t.OK {
				err = exit{code: no}
			}
			return err
		},
		ValidArgsFunction: completeMaps,
	}
	cmd.Flags().StringVar(&file, "cases", "", "a file of cases, tried instead of those of the map")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "list the cases that pass, too")
	_ = cmd.MarkFlagFilename("cases", "yaml", "yml", "json")
	jsonFlag(cmd, &asJSON)
	return cmd
}

func test(ctx context.Context, name, file string, given bool) (*trial, error) {
	f, g, err := openGraph(name)
	if err != nil {
		return nil, err
	}
	cases, sources, err := openCases(name, f, file, given)
	if err != nil {
		return nil, err
	}
	t := newTester(f, g)
	if faults := t.faults(cases); len(faults) > 0 {
		return nil, exit{no, wrong("cases", faults)}
	}
	result := &trial{Cases: []tried{}, Notes: strangeTools(f, cases), name: name, sources: sources}
	for _, c := range cases {
		done, err := t.try(ctx, c)
		if err != nil {
			return nil, err
		}
		if done.Pass {
			result.Passed++
		}
		result.Cases = append(result.Cases, done)
	}
	result.Failed = len(cases) - result.Passed
	result.OK = result.Failed == 0
	return result, nil
}

func (t *trial) print(w io.Writer, verbose bool) {
	for _, c := range t.Cases {
		switch {
		case !c.Pass:
			fmt.Fprintf(w, "--- FAIL: %s:%d: %s (want %s, got %s)\n", c.File, c.Line, c.name, c.wanted, c.came)
			for _, r := range c.Reasons {
				fmt.Fprintf(w, "    %s\n", r)
			}
		case verbose:
			fmt.Fprintf(w, "--- PASS: %s:%d: %s (%s)\n", c.File, c.Line, c.name, c.all)
		}
	}
	for _, note := range t.Notes {
		fmt.Fprintf(w, "note: %s\n", note)
	}
	word, failed := "ok  ", ""
	if !t.OK {
		word, failed = "FAIL", fmt.Sprintf(", %d failed", t.Failed)
	}
	fmt.Fprintf(w, "%s  %s  %s%s%s\n", word, t.name, count(len(t.Cases), "case"), failed, t.sources)
}

// A tester tries cases on a map.
type tester struct {
	file  *mapfile.File
	g     *spoor.Graph
	edges map[spoor.Ref]spoor.Edge // by what declares them
}

func newTester(f *mapfile.File, g *spoor.Graph) *tester {
	t := &tester{f, g, map[spoor.Ref]spoor.Edge{}}
	for _, e := range g.Edges() {
		t.edges[e.Ref] = e
	}
	return t
}

// try tries one case, and says why if it fails.
func (t *tester) try(ctx context.Context, c mapfile.Case) (done tried, err error) {
	f, route := factsOf(c), spoor.TurnRoute{}
	if c.At == "" {
		if route, err = t.route(ctx, f); err != nil {
			return done, err
		}
		f.Verdict = route.Fact()
	}
	done = tried{File: c.Pos.File, Line: c.Pos.Line, Say: c.Say, At: c.At, Move: t.g.Next(f), Reasons: []string{}}
	if c.At == "" {
		t.compareStart(&done, c, route)
	} else {
		done.compareLead(c)
	}
	if !done.Pass {
		done.Reasons = t.why(c, f, done, route)
	}
	return done, nil
}

// route decides how the turn is routed, and asks the scorer for it if need be.
func (t *tester) route(ctx context.Context, f spoor.Facts) (spoor.TurnRoute, error) {
	continuity := spoor.Continuity(t.file.Agent.Continuity)
	r := t.g.Route(f, continuity, nil)
	if r.Ask == nil {
		return r, nil
	}
	if ref, name := scorerOf(t.file.Map); name != "keyword" {
		return r, noScorer(t.file, ref, fmt.Sprintf("spoor test asks no scorer %q", name), "name keyword to try the messages that no rule claims")
	}
	scores, err := score.Ask(ctx, score.Keyword, *r.Ask)
	if err != nil {
		return r, err
	}
	return t.g.Route(f, continuity, &spoor.Scored{Scores: scores, Traits: score.Keyword.Traits()}), nil
}

// compareStart holds where the message starts against what the case wants.
func (t *tester) compareStart(done *tried, c mapfile.Case, route spoor.TurnRoute) {
	m, starts := done.Move, done.Move.To
	if leaf := t.file.Map.Tree.At(m.Ref); leaf != nil {
		starts = leaf.Skill
	}
	got := outcome{Starts: nullable(starts), By: string(cmp.Or(route.By, m.By)), Ref: m.Ref, Offered: route.Offered}
	if t.g.Selection() == spoor.SelectModel && m.By == spoor.ByNone {
		got.By, got.Offered = string(spoor.ByMenu), t.g.Reachable("")
	}
	by := got.By // in the words of the case
	switch {
	case c.By == "":
		by = ""
	case got.Ref != "" && strings.ContainsAny(c.By, "[."):
		by = string(got.Ref)
	}
	done.Want, done.Got = outcome{Starts: nullable(c.Starts), By: c.By}, got
	done.Pass = starts == c.Starts && (c.By == "" || slices.Contains([]string{got.By, string(m.By), string(got.Ref)}, c.By))
	done.name = fmt.Sprintf("say %q", oneLine(c.Say, 60))
	done.wanted = inWords(cmp.Or(c.Starts, "nowhere"), c.By, nil, nil)
	done.came = inWords(cmp.Or(starts, "nowhere"), by, got.Offered, nil)
	done.all = inWords(cmp.Or(starts, "nowhere"), cmp.Or(string(got.Ref), got.By), got.Offered, nil)
}

// compareLead holds where the results lead against what the case wants.
func (done *tried) compareLead(c mapfile.Case) {
	leads, refs, closed := "", []string{}, []string{}
	if done.Move.By == spoor.ByRoute {
		leads = done.Move.To
	}
	for _, j := range done.Move.Closed {
		refs = append(refs, string(j.Ref))
		closed = append(closed, fmt.Sprintf("%s to %s", j.Ref, j.To))
	}
	done.Want, done.Got = outcome{Leads: nullable(c.Leads), Closed: c.Closed}, outcome{Leads: nullable(leads), Ref: done.Move.Ref, Closed: refs}
	done.Pass = leads == c.Leads && (c.Closed == nil || sameSteps(c.Closed, done.Move.Closed))
	done.name = "at " + c.At
	for _, r := range c.Results {
		done.name += strings.TrimRight(", "+r.Tool+" "+string(r.Status), " ")
		done.name += strings.TrimRight(" "+r.Result, " ")
	}
	done.name = oneLine(done.name, 80)
	done.wanted = inWords(cmp.Or(c.Leads, "no move"), "", nil, c.Closed)
	done.all = inWords(cmp.Or(leads, "no move"), string(done.Move.Ref), nil, closed)
	if c.Closed == nil {
		closed = nil
	}
	done.came = inWords(cmp.Or(leads, "no move"), "", nil, closed)
}

func nullable(id string) any {
	if id == "" {
		return (*string)(nil)
	}
	return &id
}

// inWords says an outcome in a few words. What is empty or nil is not said.
func inWords(where, by string, offered, closed []string) string {
	if by != "" && by != string(spoor.ByNone) {
		where += " by " + by
	}
	if offered != nil {
		where += ", with a menu of " + strings.Join(offered, ", ")
	}
	if closed != nil && len(closed) == 0 {
		where += ", nothing closed"
	} else if closed != nil {
		where += ", closed " + strings.Join(closed, " and ")
	}
	return where
}

// means reports whether a case means this judgement: by the address of the
// step, or by the skill that it leads to.
func means(step string, j spoor.Judgement) bool { return step == string(j.Ref) || step == j.To }

func sameSteps(want []string, got []spoor.Judgement) bool {
	missing := func(step string) bool {
		return !slices.ContainsFunc(got, func(j spoor.Judgement) bool { return means(step, j) })
	}
	extra := func(j spoor.Judgement) bool {
		return !slices.ContainsFunc(want, func(step string) bool { return means(step, j) })
	}
	return !slices.ContainsFunc(want, missing) && !slices.ContainsFunc(got, extra)
}
