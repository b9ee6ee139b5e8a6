package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/recording"
)

// A question is what the flags of why ask; at most one of them is given.
type question struct {
	answer bool
	span   string
	move   int
	call   int
	tool   string
	not    string
	turn   int
}

func newWhy() *cobra.Command {
	var from store
	var asJSON bool
	var q question
	cmd := &cobra.Command{
		Use:   "why RUN",
		Short: "Tell where an answer, some words of it or a move came from",
		Long: `Tell where the answer of a recording came from: what of it was copied, from which bytes of which
skill, result or message, and what the model said of its own. Of a conversation this is the last
turn's answer, or that of --turn N; spoor show tells the turns. Of each sentence it says whether
what it says is backed, and where the sources say different things. Or ask for one thing:

  --span TEXT         these words of the last turn's answer, however few, with the way from them
                      back to the message
  --move N            why the walk went where it went in iteration N of the last turn, from 1
  --call N            why a model was called the Nth time in the last turn, whatever for, from 1:
                      what it was asked, part by part, what of that was new or dropped, and what
                      came back
  --tool CALL         why this call was made, as in i3.1, where each value of its arguments came
                      from, and what became of it
  --not skill:ID      every move of all turns that could have entered this skill, and what shut it
  --not tool:NAME     every model call: whether the tool was offered and called, and if not, why
  --not piece:DIGEST  every model call: whether its request had this piece, and if not, why; the
                      first 8 digits of the digest are enough

What shut it comes with the smallest change that would have opened it: of the recorded facts, and of
the map. Each was tried by making the move again (counterfactual), or is marked as assumed.

RUN is an id, a unique beginning of one, last, or a file. It leaves with 0 also if the recording
has no such thing: it says which kind of nothing that is. A recording that was cut is explained as
far as it goes.

--turn N asks about turn N, from 1, as the recording was when it ended.

With --json, the reason as data: the keys are those of AnswerReason, SpanReason, MoveReason,
CallReason, ToolReason, NotSkillReason, NotToolReason and NotPieceReason in package explain;
notFound and noChange are {kind, reason}, changed says why not all of it is as it was recorded, and
incomplete why the recording is not whole. A change is {evidence, kind, text, verified, why, facts,
map, move}, where facts lists {what, call, tool, status, key, was, want} and map lists {op, ref,
above, value}.`,
		Example: "  spoor why last\n  spoor why last --span \"within 60 days\"\n  spoor why last --move 3\n  spoor why last --call 2\n  spoor why last --tool i3.1 --turn 2\n  spoor why last --not skill:escalation --json\n  spoor why last --not tool:issue_refund\n  spoor why last --not piece:9f86d081",
		Args:    one(aRun),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := q.check(cmd); err != nil {
				return err
			}
			rec, err := from.open(args[0])
			if err != nil {
				return err
			}
			all := rec
			if q.turn > 0 {
				turns := rec.Turns()
				if rec = rec.Turn(q.turn); rec == nil {
					return fmt.Errorf("there is no turn %d; turns are numbered from 1, and the recording has %d", q.turn, turns)
				}
			}
			if q.tool != "" && q.turn > 0 {
				return printReason(cmd, explain.ToolOf(all, q.turn, strings.TrimSpace(q.tool)), asJSON)
			}
			return printReason(cmd, q.ask(rec), asJSON)
		},
		ValidArgsFunction: from.complete,
	}
	f := cmd.Flags()
	f.BoolVar(&q.answer, "answer", false, "the whole answer of the last turn; this is what is asked without a flag")
	f.StringVar(&q.span, "span", "", "these words of the last turn's answer")
	f.IntVar(&q.move, "move", 0, "the move of this iteration of the last turn, from 1")
	f.IntVar(&q.call, "call", 0, "this model call of the last turn, from 1")
	f.StringVar(&q.tool, "tool", "", "the call with this id, as in i3.1")
	f.IntVar(&q.turn, "turn", 0, "ask about this turn and not about the last, from 1")
	f.StringVar(&q.not, "not", "", "why not skill:ID, tool:NAME or piece:DIGEST")
	from.flag(cmd)
	jsonFlag(cmd, &asJSON)
	return cmd
}

// check refuses what is no question.
func (q *question) check(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	var asked []string
	for _, flag := range []string{"answer", "span", "move", "call", "tool", "not"} {
		if given(flag) {
			asked = append(asked, "--"+flag)
		}
	}
	kind, name, _ := strings.Cut(q.not, ":")
	switch {
	case len(asked) > 1:
		return fmt.Errorf("%s are %d questions; ask one at a time", strings.Join(asked, " and "), len(asked))
	case given("span") && strings.TrimSpace(q.span) == "":
		return errors.New("--span is empty; give words of the answer")
	case given("move") && q.move < 1:
		return fmt.Errorf("--move is %d; it is the number of an iteration, from 1", q.move)
	case given("call") && q.call < 1:
		return fmt.Errorf("--call is %d; it is the number of a model call, from 1", q.call)
	case given("tool") && strings.TrimSpace(q.tool) == "":
		return errors.New("--tool is empty; give the id of a call, as in i3.1")
	case given("turn") && q.turn < 1:
		return fmt.Errorf("--turn is %d; it is the number of a turn, from 1", q.turn)
	case given("not") && (name == "" || kind != "skill" && kind != "tool" && kind != "piece"):
		return fmt.Errorf("--not %q asks about nothing that is known here; write --not skill:ID, tool:NAME or piece:DIGEST", q.not)
	}
	return nil
}

// ask asks the recording.
func (q *question) ask(rec *recording.Recording) fmt.Stringer {
	switch {
	case q.span != "":
		return explain.Span(rec, q.span)
	case q.move > 0:
		return explain.Move(rec, q.move)
	case q.call > 0:
		return explain.Call(rec, q.call)
	case q.tool != "":
		return explain.Tool(rec, strings.TrimSpace(q.tool))
	case q.not != "":
		switch kind, name, _ := strings.Cut(q.not, ":"); kind {
		case "tool":
			return explain.NotTool(rec, name)
		case "piece":
			return explain.NotPiece(rec, name)
		default:
			return explain.NotSkill(rec, name)
		}
	}
	return explain.Answer(rec)
}
