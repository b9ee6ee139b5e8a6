package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/match"
)

// A decision is what next prints.
type decision struct {
	Move       spoor.Move `json:"move"`
	Superseded []string   `json:"superseded"`
	Reachable  []string   `json:"reachable"`
	Active     []string   `json:"active"`

	// FirstRule is nil for a tree, and otherwise a *claim, which may be nil.
	FirstRule any `json:"firstRule,omitempty"`
}

// A claim is the rule that claims a message first.
type claim struct {
	To      string         `json:"to"`
	Ref     spoor.Ref      `json:"ref"`
	Witness *match.Witness `json:"witness,omitempty"`
}

func newNext() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "next MAP --facts FILE",
		Short: "Decide one move, for facts that you give",
		Long: `Decide where the walk goes for one set of facts, as an agent would before a model call, and print
the decision with its evidence as JSON. No model is asked, no tool is called, nothing is recorded.

The file of facts is YAML or JSON; - is stdin. All keys may be left out:

  iteration              from 1 in each turn; 1 if it is not given
  userMessage            the message of this turn
  history                the messages before this turn: a list of {role, content}
  currentSkillId         the skill where the walk stands; without it, a cold start
  toolResults            what the last calls returned, in their order: a list of {toolName, result,
                         status, toolCallId, executed}; a result is a text, or anything else for its
                         JSON; executed: false says that the call did not reach its tool
  pendingSkillPick       the skill that the model chose with read_skill, once accepted
  pendingToolTransition  {targetSkillId}: the skill that a tool proposed, once accepted
  activatedInjectionIds  the skills that were switched on by reading, those of the agent too
  turnRoute              how the turn was routed, by a classifier for one: {by, from, to, witness:
                         {text, keyword}, offered}; by is entry, intent, continuity, decider, menu
                         or none

What it prints is {move, superseded, reachable, active, firstRule}:

  move        {from, to, by, ref, witness, guard, guardsClosed, conflict, failed}, without what does
              not apply; ref is the rule, the step or the leaf that decided
  superseded  skills whose own start condition holds although the move went elsewhere
  reachable   skills that the model may move to from where the move lands
  active      skills that are active then
  firstRule   {to, ref, witness} of the first conditional start rule that claims the message, or
              null; a tree has none

It leaves with 0, and with 2 if the question cannot be asked: the map or the facts are wrong, or a
condition or scorer of the map is a name that only a program can bind.`,
		Example: `  spoor next map.yaml --facts facts.yaml

  spoor next map.yaml --facts - <<END
  userMessage: I was charged twice for order 17
  iteration: 3
  currentSkillId: triage
  toolResults:
    - {toolName: assess_risk, result: {riskLevel: high, score: 0.9}}
  END`,
		Args: one(aMap),
		RunE: func(cmd *cobra.Command, args []string) error {
			if file == "" {
				return errors.New("the facts are missing; give --facts FILE, or --facts - for stdin; spoor next --help shows an example")
			}
			f, g, err := openGraph(args[0])
			if err == nil {
				g, err = inject(args[0], f, g)
			}
			if err != nil {
				return exit{unasked, err}
			}
			facts, err := openFacts(file, cmd.InOrStdin(), f)
			if err != nil {
				return err
			}
			if _, scorer := scorerOf(f.Map); scorer != "" && facts.Cursor == "" && facts.Iteration == 1 && facts.Verdict == nil {
				fmt.Fprintf(cmd.ErrOrStderr(), "note: the scorer %q decides where a turn starts, and next asks none; give what it decided as turnRoute, or ask spoor test.\n", scorer)
			}
			return printJSON(cmd.OutOrStdout(), decide(g, facts))
		},
		ValidArgsFunction: completeMaps,
	}
	cmd.Flags().StringVar(&file, "facts", "", "the file of facts, in YAML or JSON; - is stdin")
	_ = cmd.MarkFlagFilename("facts", "yaml", "yml", "json")
	return cmd
}

func decide(g *spoor.Graph, f spoor.Facts) decision {
	m := g.Next(f)
	active := f // the skills of the agent whose condition holds are active, too
	active.Activated = slices.Concat(f.Activated, g.Injected(f, m).Skills)
	d := decision{
		Move:       m,
		Superseded: listed(g.Superseded(f, m)),
		Reachable:  listed(g.Reachable(m.To)),
		Active:     listed(g.Active(active, m)),
	}
	if g.Map().Tree == nil {
		var first *claim
		if rule, ok := g.FirstRule(f); ok {
			first = &claim{rule.To, rule.Ref, rule.Witness}
		}
		d.FirstRule = first
	}
	return d
}

// listed is a list that is not null in JSON.
func listed(ids []string) []string { return append([]string{}, ids...) }

// openGraph opens a map file whose graph is asked and not walked. The error is
// an exit if the map is wrong.
func openGraph(name string) (*mapfile.File, *spoor.Graph, error) {
	f, faults, err := openMap(name)
	if err != nil {
		return nil, nil, err
	}
	if len(faults) > 0 {
		return nil, nil, refuse(name, faults)
	}
	g, err := conditioned(name, f, func(c spoor.Conditions) (*spoor.Graph, error) { return spoor.Compile(f.Map, c) })
	if err == nil {
		err = boundScorer(f)
	}
	return f, g, err
}

// inject is a graph with what the agent of its map file brings along.
func inject(name string, f *mapfile.File, g *spoor.Graph) (*spoor.Graph, error) {
	return conditioned(name, f, func(c spoor.Conditions) (*spoor.Graph, error) { return g.Inject(f.Agent.Injections, c) })
}

// conditioned makes a graph whose conditions are asked here. The error is an
// exit if one of them is wrong, or is a name that only a program can bind.
func conditioned(name string, f *mapfile.File, make func(spoor.Conditions) (*spoor.Graph, error)) (*spoor.Graph, error) {
	conditions := &cond.Set{AllowUnbound: true}
	g, err := make(conditions)
	if err == nil && len(conditions.Unbound()) > 0 {
		_, err = make(cond.CEL) // whose only problems are these
		unbound, _ := errors.AsType[spoor.Problems](err)
		for i := range unbound {
			p := &unbound[i]
			p.Code, p.Hint = "unsupported", "write it in CEL to ask this map here; a program can bind it"
			p.Message, _, _ = strings.Cut(p.Message, "; ")
		}
	}
	if problems, ok := errors.AsType[spoor.Problems](err); ok {
		return nil, refuse(name, locate(f, problems))
	}
	return g, err
}

// boundScorer refuses a scorer that only a program can bind.
func boundScorer(f *mapfile.File) error {
	ref, name := scorerOf(f.Map)
	if !stranger(f.Map, ref) {
		return nil
	}
	return noScorer(f, ref, fmt.Sprintf("nothing here is bound to the scorer %q", name), "name keyword to ask this map here; a program can bind it")
}

// scorers are the names that need no program to bind them.
var scorers = []string{"keyword", "linear", "embedding", "llm"}

// scorerOf is the scorer that a map names, and where.
func scorerOf(m *spoor.Map) (ref spoor.Ref, name string) {
	if m.Start.ScoredBy != "" {
		return "start.scoredBy", m.Start.ScoredBy
	}
	return "start.classify", m.Start.Classify
}

// stranger reports whether a map names a scorer there that only a program can
// bind.
func stranger(m *spoor.Map, at spoor.Ref) bool {
	ref, name := scorerOf(m)
	return ref == at && name != "" && !slices.Contains(scorers, name)
}

func noScorer(f *mapfile.File, ref spoor.Ref, message, hint string) error {
	faults := locate(f, spoor.Problems{{Level: "error", Code: "unsupported", Ref: ref, Message: message, Hint: hint}})
	return exit{unasked, errors.New(faults[0].String())}
}
