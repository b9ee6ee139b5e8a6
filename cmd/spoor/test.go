package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/internal/nearest"
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

	name string
}

// An outcome is what a case wants, or what came.
type outcome interface {
	// tell says it in a few words: all of it, or what another outcome is about.
	tell(of outcome) string
}

// A begun is where a message starts the turn.
type begun struct {
	Starts  *string   `json:"starts"`
	By      string    `json:"by,omitempty"`
	Ref     spoor.Ref `json:"ref,omitempty"`
	Offered []string  `json:"offered,omitempty"`
}

// A led is where results lead. Closed are the steps whose guard stays shut.
type led struct {
	Leads  *string   `json:"leads"`
	Ref    spoor.Ref `json:"ref,omitempty"`
	Closed []string  `json:"closed,omitzero"`

	closed []string // the same for people
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
			t, err := test(cmd.Context(), args[0], file)
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

func test(ctx context.Context, name, file string) (*trial, error) {
	f, g, err := openGraph(name)
	if err != nil {
		return nil, err
	}
	if err := boundScorer(f); err != nil {
		return nil, err
	}
	cases, sources, err := openCases(name, f, file)
	if err != nil {
		return nil, err
	}
	t := newTester(f, g)
	if faults := t.check(cases); len(faults) > 0 {
		return nil, wrongCases(faults)
	}
	result := &trial{Cases: []tried{}, Notes: t.strangers(cases), name: name, sources: sources}
	for _, c := range cases {
		var done tried
		if c.At != "" {
			done = t.at(c)
		} else if done, err = t.say(ctx, c); err != nil {
			return nil, err
		}
		done.File, done.Line = c.Pos.File, c.Pos.Line
		if done.Reasons == nil {
			done.Reasons = []string{}
		}
		if done.Pass {
			result.Passed++
		} else {
			result.Failed++
		}
		result.Cases = append(result.Cases, done)
	}
	result.OK = result.Failed == 0
	return result, nil
}

func (t *trial) print(w io.Writer, verbose bool) {
	for _, c := range t.Cases {
		switch {
		case !c.Pass:
			fmt.Fprintf(w, "--- FAIL: %s:%d: %s (want %s, got %s)\n", c.File, c.Line, c.name, c.Want.tell(c.Want), c.Got.tell(c.Want))
			for _, r := range c.Reasons {
				fmt.Fprintf(w, "    %s\n", r)
			}
		case verbose:
			fmt.Fprintf(w, "--- PASS: %s:%d: %s (%s)\n", c.File, c.Line, c.name, c.Got.tell(c.Got))
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

// openCases opens the cases of a map, or those of another file. If they stand
// in two files, sources says how many in which.
func openCases(name string, f *mapfile.File, file string) (cases []mapfile.Case, sources string, err error) {
	const beside = "cases.yaml"
	if file != "" {
		cases, err = readCases(file)
		if err == nil && len(cases) == 0 {
			err = fmt.Errorf("there are no cases in %s; write them as a list, such as\n%s", file, exampleCase(f))
		}
		return cases, "", err
	}
	for _, c := range f.Cases {
		c.Pos.File = filepath.Join(f.Dir(), c.Pos.File)
		cases = append(cases, c)
	}
	path := filepath.Join(f.Dir(), beside)
	if _, err := os.Stat(path); filepath.Base(name) != beside && !errors.Is(err, fs.ErrNotExist) {
		more, err := readCases(path)
		if err != nil {
			return nil, "", err
		}
		if len(cases) > 0 && len(more) > 0 {
			sources = fmt.Sprintf(" (%d in %s, %d in %s)", len(cases), name, len(more), path)
		}
		cases = append(cases, more...)
	}
	if len(cases) == 0 {
		return nil, "", fmt.Errorf("%s has no cases; write them under cases: in it, or into %s beside it, such as\n%s", name, beside, exampleCase(f))
	}
	return cases, sources, nil
}

func readCases(name string) ([]mapfile.Case, error) {
	dir, base := filepath.Split(name)
	dir = filepath.Clean(dir)
	cases, err := mapfile.ReadCases(os.DirFS(dir), base)
	var faults mapfile.Faults
	switch {
	case errors.As(err, &faults):
		return nil, wrongCases(below(dir, faults))
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no file of cases %s; give the path of one", name)
	case err != nil:
		return nil, unreadable(name, err)
	}
	for i := range cases {
		cases[i].Pos.File = filepath.Join(dir, cases[i].Pos.File)
	}
	return cases, nil
}

func wrongCases(faults mapfile.Faults) error {
	if len(faults) == 1 {
		return exit{faultCode(faults), faults}
	}
	return exit{faultCode(faults), fmt.Errorf("the cases are wrong, for %d reasons:\n%w", len(faults), faults)}
}

// exampleCase shows how a case of this map is written.
func exampleCase(f *mapfile.File) string {
	m := f.Map
	say, starts := "a message", "null"
	for _, r := range m.Start.Rules {
		if len(r.Examples) > 0 {
			say, starts = r.Examples[0], r.Use
			break
		}
	}
	text := fmt.Sprintf("  - {say: %q, starts: %s}", say, starts)
	for _, s := range m.Steps {
		if _, _, pattern := s.OnToolReturn.Pattern(); s.OnToolReturn != "" && !pattern {
			text += fmt.Sprintf("\n  - {at: %s, results: [{tool: %s, result: {…}}], leads: %s}", s.From, s.OnToolReturn, s.To)
			break
		}
	}
	return text
}

// A tester tries cases on a map.
type tester struct {
	f     *mapfile.File
	g     *spoor.Graph
	edges map[spoor.Ref]spoor.Edge // by what declares them
}

func newTester(f *mapfile.File, g *spoor.Graph) *tester {
	t := &tester{f: f, g: g, edges: map[spoor.Ref]spoor.Edge{}}
	for _, e := range g.Edges() {
		t.edges[e.Ref] = e
	}
	return t
}

var causes = []string{
	string(spoor.ByEntry), string(spoor.ByIntent), string(spoor.ByMenu), string(spoor.ByNone),
	string(spoor.ByContinuity), string(spoor.ByDecider), string(spoor.ByProposal), string(spoor.ByPick),
}

// check finds what cases say of a map that has no such thing.
func (t *tester) check(cases []mapfile.Case) (faults mapfile.Faults) {
	for _, c := range cases {
		add := func(code, key, hint, format string, args ...any) {
			faults = append(faults, mapfile.Fault{
				Problem: spoor.Problem{Level: "error", Code: code, Ref: spoor.Ref(key), Message: fmt.Sprintf(format, args...), Hint: hint},
				Pos:     c.Pos,
			})
		}
		skill := func(key, id string) {
			if id == "" || t.g.Skill(id) != nil {
				return
			}
			add("unknown-skill", key, cmp.Or(nearest.Hint(id, t.ids), "declare it under skills, or correct the name"), "there is no skill %q", id)
		}
		skill("starts", c.Starts)
		skill("at", c.At)
		skill("leads", c.Leads)
		if c.By != "" && !slices.Contains(causes, c.By) && !t.starts(spoor.Ref(c.By)) {
			add("bad-case", "by", t.meant(c.By), "nothing starts a turn by %s", quoteShort(c.By))
		}
		for _, id := range c.Closed {
			if _, step := t.edges[spoor.Ref(id)]; step && strings.HasPrefix(id, "steps[") || t.g.Skill(id) != nil {
				continue
			}
			hint := cmp.Or(nearest.Hint(id, t.ids), "write the address of a step, such as steps[0], or the skill that it leads to")
			add("bad-case", "closed", hint, "there is no step and no skill %s", quoteShort(id))
		}
		if c.At != "" && t.f.Map.Tree != nil {
			add("bad-case", "at", "write {say, starts}", "a tree has no steps, so results lead nowhere")
		}
	}
	return faults
}

// ids yields the ids of the skills.
func (t *tester) ids(yield func(string) bool) {
	for _, s := range t.f.Map.Skills {
		if !yield(s.ID) {
			return
		}
	}
}

// starts reports whether a rule, an entry or a leaf stands at an address.
func (t *tester) starts(ref spoor.Ref) bool {
	e, there := t.edges[ref]
	return there && !strings.HasPrefix(string(ref), "steps[") && t.g.Skill(e.To) != nil
}

// meant is a hint about a cause that there is not.
func (t *tester) meant(by string) string {
	address := ""
	for _, e := range t.g.Edges() {
		switch {
		case !t.starts(e.Ref):
		case e.Label == by:
			return fmt.Sprintf("this is the label of %s; write its address", e.Ref)
		case address == "":
			address = string(e.Ref)
		}
	}
	address = cmp.Or(address, "start.rules[0]")
	return cmp.Or(nearest.Hint(by, slices.Values(causes)), "write entry, intent, menu or none, or the address of a rule, such as "+address)
}

// strangers are notes about tools that no skill, step or tool of the file
// names: a slip in the name of a tool makes a case pass for nothing.
func (t *tester) strangers(cases []mapfile.Case) (notes []string) {
	notes = []string{}
	known := slices.Clone(t.f.Map.KnownTools)
	for _, s := range t.f.Map.Skills {
		known = append(known, s.Tools...)
	}
	for _, s := range t.f.Agent.Skills {
		known = append(known, s.Tools...)
	}
	for _, d := range t.f.Tools {
		known = append(known, d.Name)
	}
	for _, s := range t.f.Map.Steps {
		known = append(known, string(s.OnToolReturn))
	}
	for _, c := range cases {
		for _, r := range c.Results {
			if slices.Contains(known, r.Tool) {
				continue
			}
			hint := nearest.Hint(r.Tool, slices.Values(known))
			if hint != "" {
				hint = "; " + hint
			}
			notes = append(notes, fmt.Sprintf("%s:%d: nothing in the map knows the tool %s%s", c.Pos.File, c.Pos.Line, quoteShort(r.Tool), hint))
		}
	}
	return notes
}

// say tries where a message starts.
func (t *tester) say(ctx context.Context, c mapfile.Case) (tried, error) {
	f := spoor.Facts{Iteration: 1, UserMessage: c.Say}
	route, err := t.route(ctx, f)
	if err != nil {
		return tried{}, err
	}
	if route.By != "" {
		f.Verdict = &route.Verdict
	}
	m := t.g.Next(f)
	got := begun{Starts: nullable(m.To), By: string(cmp.Or(route.By, m.By)), Ref: cmp.Or(route.Ref, m.Ref), Offered: route.Offered}
	if t.f.Map.Tree != nil {
		got.Starts = nullable(t.edges[m.Ref].To)
	}
	if t.g.Selection() == spoor.SelectModel && m.By == spoor.ByNone {
		got.By, got.Offered = string(spoor.ByMenu), t.g.Reachable("")
	}
	done := tried{
		Say: c.Say, Want: begun{Starts: nullable(c.Starts), By: c.By}, Got: got, Move: m,
		name: fmt.Sprintf("say %q", oneLine(c.Say, 60)),
	}
	by := c.By == "" || slices.Contains([]string{got.By, string(m.By), string(got.Ref)}, c.By)
	if done.Pass = by && orEmpty(got.Starts) == c.Starts; !done.Pass {
		done.Reasons = t.whyStart(c, f, m, got, route)
	}
	return done, nil
}

// route decides how the turn is routed, and asks the scorer for it if need be.
func (t *tester) route(ctx context.Context, f spoor.Facts) (spoor.TurnRoute, error) {
	continuity := spoor.Continuity(t.f.Agent.Continuity)
	r := t.g.Route(f, continuity, nil)
	if r.Ask == nil {
		return r, nil
	}
	if ref, name := scorerOf(t.f.Map); name != "keyword" {
		return r, noScorer(t.f, ref, fmt.Sprintf("spoor test asks no scorer %q", name), "name keyword to try the messages that no rule claims")
	}
	scores, err := score.Ask(ctx, score.Keyword, *r.Ask)
	r = t.g.Route(f, continuity, &spoor.Scored{Scores: scores, Traits: score.Keyword.Traits(), Err: err})
	if r.To != "" && r.Ref == "" {
		r.Ref = t.best(f, scores)
	}
	return r, nil
}

// best is the rule or entry that scored best.
func (t *tester) best(f spoor.Facts, scores []score.Score) (ref spoor.Ref) {
	top, next := 0.0, 0
	for i, s := range t.g.Starts() {
		candidate := s.Match != nil && s.Match.IsIntent()
		if t.f.Map.Start.ScoredBy != "" {
			candidate, _ = t.g.Claims(i, f)
		}
		if !candidate || next == len(scores) {
			continue
		}
		if ref == "" || scores[next].Score > top {
			ref, top = s.Ref, scores[next].Score
		}
		next++
	}
	return ref
}

// at tries where results lead.
func (t *tester) at(c mapfile.Case) tried {
	f := spoor.Facts{Iteration: 2, Cursor: c.At}
	name := "at " + c.At
	for i, r := range c.Results {
		text := r.Result
		if strings.HasPrefix(text, `"`) {
			_ = json.Unmarshal([]byte(r.Result), &text) // mapfile wrote it
		}
		res := spoor.Result{Tool: r.Tool, Status: r.Status, Text: text, Executed: r.Executed == nil || *r.Executed}
		if len(c.Results) > 1 {
			res.CallID = fmt.Sprintf("results[%d]", i)
		}
		f.Results = append(f.Results, res)
		name += strings.TrimRight(", "+r.Tool+" "+string(r.Status), " ")
		if r.Result != "" {
			name += " " + r.Result
		}
	}
	m := t.g.Next(f)
	got := led{Ref: m.Ref, Closed: []string{}}
	if m.By == spoor.ByRoute {
		got.Leads = &m.To
	}
	for _, j := range m.Closed {
		got.Closed = append(got.Closed, string(j.Ref))
		got.closed = append(got.closed, fmt.Sprintf("%s to %s", j.Ref, j.To))
	}
	done := tried{At: c.At, Want: led{Leads: nullable(c.Leads), Closed: c.Closed, closed: c.Closed}, Got: got, Move: m, name: oneLine(name, 80)}
	done.Pass = orEmpty(got.Leads) == c.Leads && (c.Closed == nil || sameSteps(c.Closed, m.Closed))
	if !done.Pass {
		done.Reasons = t.whyStep(c, f, m)
	}
	return done
}

// names reports whether a case means this judgement: by the address of the
// step, or by the skill that it leads to.
func names(step string, j spoor.Judgement) bool { return step == string(j.Ref) || step == j.To }

func sameSteps(want []string, got []spoor.Judgement) bool {
	for _, step := range want {
		if !slices.ContainsFunc(got, func(j spoor.Judgement) bool { return names(step, j) }) {
			return false
		}
	}
	for _, j := range got {
		if !slices.ContainsFunc(want, func(step string) bool { return names(step, j) }) {
			return false
		}
	}
	return true
}

func nullable(id string) *string {
	if id == "" {
		return nil
	}
	return &id
}

func orEmpty(id *string) string {
	if id == nil {
		return ""
	}
	return *id
}

func (b begun) tell(of outcome) string {
	text := cmp.Or(orEmpty(b.Starts), "nowhere")
	about := of.(begun)
	by := b.By
	if b.Ref != "" && (about.Ref != "" || strings.ContainsAny(about.By, "[.")) {
		by = string(b.Ref)
	}
	if about.By != "" && by != "" && by != string(spoor.ByNone) {
		text += " by " + by
	}
	if b.Offered != nil {
		text += ", with a menu of " + strings.Join(b.Offered, ", ")
	}
	return text
}

func (l led) tell(of outcome) string {
	text := cmp.Or(orEmpty(l.Leads), "no move")
	about := of.(led)
	if about.Ref != "" && l.Ref != "" {
		text += " by " + string(l.Ref)
	}
	switch {
	case about.Closed == nil:
	case len(l.Closed) == 0:
		text += ", nothing closed"
	default:
		text += ", closed " + strings.Join(l.closed, " and ")
	}
	return text
}
