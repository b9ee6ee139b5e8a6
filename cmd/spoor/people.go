package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spoorhq/spoor/agent"
)

// An asked is what a turn waits with, as JSON.
type asked struct {
	Call string          `json:"call"`
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
	Text string          `json:"text"`
}

func askedOf(q *agent.Question) *asked {
	return &asked{q.Call, q.Tool, json.RawMessage(q.Args), q.Text} // a call has reached its tool only with a JSON object
}

// answered keeps what --answer or --decline say.
func (s *session) answered(cmd *cobra.Command) error {
	declined := cmd.Flags().Changed("decline")
	name := "answer"
	if declined {
		name = "decline"
	}
	text, err := cmd.Flags().GetString(name)
	switch {
	case err != nil:
		return err
	case s.resume == "":
		return fmt.Errorf("--%s wants --resume and the RUN that waits for it; spoor runs lists them", name)
	case !declined && strings.TrimSpace(text) == "":
		return errors.New("--answer is empty; write what the person says")
	}
	s.answer = &agent.Answer{Text: text, Declined: declined}
	return nil
}

// printQuestion says what the turn waits with.
func (s *session) printQuestion() {
	q := s.question
	text := strings.ReplaceAll(strings.TrimSpace(q.Text), "\n", "\n  ")
	fmt.Fprintf(s.err, "%s %s asks:\n  %s\n", q.Tool, oneLine(q.Args, 300), text)
}

// tellHow says how a turn that waits goes on.
func (s *session) tellHow() {
	command := "spoor run " + word(s.name)
	switch {
	case s.script != "":
		command += " --script " + word(s.script)
	case s.model != "":
		command += " --model " + word(s.model)
	}
	name := word(oneLine(s.rec.Run, 200)) + s.store.flagFor()
	if s.resume != "" {
		name = s.store.again(s.resume, s.rec)
	}
	command += " --resume " + name
	fmt.Fprintf(s.err, "It waits for a person. Answer with: %s --answer TEXT\nOr let the call not be made: %s --decline REASON\n", command, command)
}

// ask asks the person at the terminal. The answer is nil if they say nothing
// more.
func (s *session) ask(ctx context.Context, lines <-chan line) *agent.Answer {
	const decline = "/decline"
	for {
		fmt.Fprintf(s.err, "your answer, or %s REASON> ", decline)
		l := await(ctx, lines)
		text := strings.TrimSpace(l.text)
		if first, reason, _ := strings.Cut(text, " "); first == decline {
			return &agent.Answer{Text: strings.TrimSpace(reason), Declined: true}
		}
		if text != "" {
			return &agent.Answer{Text: text}
		}
		if l.end != nil {
			fmt.Fprintln(s.err)
			return nil
		}
	}
}
