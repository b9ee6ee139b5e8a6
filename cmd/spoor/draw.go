package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/draw"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/recording"
)

// What Mermaid shows of a drawing unless it is told otherwise.
const (
	mermaidEdges = 500
	mermaidText  = 50_000
)

// formats are the languages that a map is drawn in.
var formats = []string{"mermaid", "dot"}

func newDraw() *cobra.Command {
	var from store
	var format, run string
	cmd := &cobra.Command{
		Use:   "draw MAP",
		Short: "Draw a map, with a recorded walk laid over it",
		Long: `Draw a map as text: a flowchart for Mermaid, which many viewers of Markdown show, or with --format
dot a graph for Graphviz, which has the descriptions and the whole conditions as tooltips.

All that the map declares is drawn: every skill, every start and every step once, under the label of
its author or else under its condition. A step that is left to the model is dashed, and a skill that
can be read from anywhere stands apart. Skills under agent: are not of the map.

With --run the walk of that recording is laid over it, all turns together. Where the walk was is
filled, where it stands has a double border, and the edges that it took are thick. An edge whose
guard stayed shut ends in a cross, in DOT in a bar. A move that no edge declares is dotted, ends in
a circle and is called by its cause. ×3 says how often, (shut ×2) how often a guard refused. MAP
must have the skills and the ways of the map that was recorded. A recording that was cut is drawn
as far as it goes.

It leaves with 0, with 1 if the map is wrong, and with 2 if the walk is that of another map.`,
		Example: `  spoor draw map.yaml
  spoor draw map.yaml --run last
  spoor draw map.yaml --format dot | dot -Tsvg -o map.svg`,
		Args: one(aMap),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case !slices.Contains(formats, format):
				return fmt.Errorf("--format is %q; write %s", format, strings.Join(formats, " or "))
			case cmd.Flags().Changed("run") && run == "":
				return errors.New("--run is empty; name a run: an id, its beginning, last, or a file")
			case cmd.Flags().Changed("store") && run == "":
				return errors.New("--store says where --run is looked up, and there is no --run")
			}
			g, err := openDrawing(args[0], cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			var w *draw.Walk
			if run != "" {
				rec, err := from.open(run)
				if err != nil {
					return err
				}
				moves, err := movesOn(g.Map(), args[0], rec)
				if err != nil {
					return err
				}
				w = draw.Of(moves)
			}
			text := drawIn(format, g, w)
			if format == "mermaid" && (len(text) > mermaidText || len(g.Edges()) > mermaidEdges) {
				fmt.Fprintf(cmd.ErrOrStderr(), "note: Mermaid shows no more than %d edges and %d characters, unless its maxEdges and maxTextSize allow it; --format dot has no such bounds.\n",
					mermaidEdges, mermaidText)
			}
			_, err = io.WriteString(cmd.OutOrStdout(), text)
			return err
		},
		ValidArgsFunction: completeMaps,
	}
	f := cmd.Flags()
	f.StringVar(&format, "format", formats[0], "mermaid or dot")
	f.StringVar(&run, "run", "", "lay the walk of this RUN over the map")
	from.flag(cmd)
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("run", from.ids)
	return cmd
}

func drawIn(format string, g *spoor.Graph, w *draw.Walk) string {
	if format == "dot" {
		return draw.DOT(g, w)
	}
	return draw.Mermaid(g, w)
}

// openDrawing compiles a map file that is to be drawn. A condition that only a
// program can bind is drawn by its name.
func openDrawing(name string, stderr io.Writer) (*spoor.Graph, error) {
	f, faults, err := openMap(name)
	if err != nil {
		return nil, err
	}
	if len(faults) > 0 {
		return nil, undrawn(name, faults)
	}
	conditions := &cond.Set{AllowUnbound: true}
	g, err := spoor.Compile(f.Map, conditions)
	var problems spoor.Problems
	if errors.As(err, &problems) {
		return nil, undrawn(name, locate(f, problems))
	}
	for _, c := range conditions.Unbound() {
		fmt.Fprintf(stderr, "note: Nothing here is bound to the condition %q; it is drawn by its name.\n", c)
	}
	return g, err
}

// undrawn is the error of a map that cannot be drawn.
func undrawn(name string, faults mapfile.Faults) error {
	if len(faults) == 1 {
		return exit{faultCode(faults), errors.New(faults[0].String())}
	}
	return exit{faultCode(faults), fmt.Errorf("%s cannot be drawn, for %d reasons:\n%w", name, len(faults), faults)}
}

// movesOn are the moves of all turns of a recording. Each turn must have
// walked the map m of the named file, whatever its skills have said.
func movesOn(m *spoor.Map, name string, rec *recording.Recording) (moves []spoor.Move, err error) {
	turns := 0
	for _, e := range rec.Events {
		switch b := e.Body.(type) {
		case *event.Started:
			turns++
			walked, err := b.Graph.Decode()
			if err != nil {
				return nil, err
			}
			if ref, same := sameWays(m, walked); !same {
				return nil, fmt.Errorf("%s walked another map than %s: %s was not the same; draw the map file as it was then", oneLine(rec.Run, 100), name, ref)
			}
		case *event.Evaluated:
			moves = append(moves, b.Move)
		}
	}
	if turns == 0 {
		return nil, fmt.Errorf("%s was cut before its first turn began, so there is no walk to draw", oneLine(rec.Run, 100))
	}
	return moves, nil
}

// sameWays reports whether two maps have the same skills and the same ways
// between them, and where they begin to differ. Labels and examples are for
// people, and may differ.
func sameWays(a, b *spoor.Map) (ref spoor.Ref, same bool) {
	for i := range max(len(a.Skills), len(b.Skills)) {
		if i >= len(a.Skills) || i >= len(b.Skills) || a.Skills[i].ID != b.Skills[i].ID {
			return spoor.Ref("skills").At(i), false
		}
	}
	if !sameJSON(bareStart(a.Start), bareStart(b.Start)) {
		return "start", false
	}
	for i := range max(len(a.Steps), len(b.Steps)) {
		if i >= len(a.Steps) || i >= len(b.Steps) || !sameJSON(bareStep(a.Steps[i]), bareStep(b.Steps[i])) {
			return spoor.Ref("steps").At(i), false
		}
	}
	return "tree", sameJSON(bareTree(a.Tree), bareTree(b.Tree))
}

func bareStart(s spoor.Start) spoor.Start {
	s.Rules, s.Entries = slices.Clone(s.Rules), slices.Clone(s.Entries)
	for i := range s.Rules {
		s.Rules[i].Label, s.Rules[i].Examples = "", nil
	}
	for i := range s.Entries {
		s.Entries[i].Label = ""
	}
	return s
}

func bareStep(s spoor.Step) spoor.Step {
	s.Label = ""
	return s
}

func bareTree(t *spoor.Tree) *spoor.Tree {
	if t == nil {
		return nil
	}
	return &spoor.Tree{Skill: t.Skill, When: t.When, WhenTrue: bareTree(t.WhenTrue), WhenFalse: bareTree(t.WhenFalse)}
}

// sameJSON compares as a recording has it, where a list of none is no list.
func sameJSON(a, b any) bool {
	x, errA := json.Marshal(a)
	y, errB := json.Marshal(b)
	return errA == nil && errB == nil && bytes.Equal(x, y)
}
