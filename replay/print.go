package replay

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/model"
)

// What a report lists for people; JSON has all of it.
const (
	shownRows   = 6
	shownPieces = 12
	shownMoves  = 24
	shownMap    = 8
)

func (r *Report) String() string {
	var b strings.Builder
	changed := 0
	for _, m := range r.Moves {
		if m.Changed {
			changed++
		}
	}
	fmt.Fprintf(&b, "%s, walked again: %s\n", line(r.Run), r.verdict(changed))
	if first := slices.IndexFunc(r.Moves, func(m Move) bool { return m.Changed }); first >= 0 {
		m := &r.Moves[first]
		fmt.Fprintf(&b, "The first hop that is another one is that of turn %d, iteration %d, and %s.\n", m.Turn, m.Iteration, exactly(m.Evidence))
	}
	r.printRows(&b)
	r.printDivergence(&b)
	for _, c := range r.Blocked {
		fmt.Fprintf(&b, "\nBlocked: %s %s %s would be refused (%s) in event %d: %s\n", line(c.Call), line(c.Tool), clip(c.Arguments, 60), c.Reason, c.Event, clip(c.Text, 120))
	}
	if m := r.Missing; m != nil {
		fmt.Fprintf(&b, "\nThe walk ends in turn %d, iteration %d: %s.\n", m.Turn, m.Iteration, m.Reason)
	}
	if u := r.Unreached; u != nil {
		fmt.Fprintf(&b, "Of the recording %s from event %d on, with %s, were not reached.\n", counted(u.Events, "event"), u.Event, counted(u.Moves, "move"))
	}
	if changed > 0 || !r.Same {
		r.printMoves(&b)
	}
	r.printAnswer(&b)
	if len(r.MapChanges) > 0 {
		b.WriteString("\nWhat of the map is another:\n")
		for i, c := range r.MapChanges {
			if i == shownMap {
				fmt.Fprintf(&b, "  and more\n")
				break
			}
			fmt.Fprintf(&b, "  %s: %s → %s\n", clip(c.Path, 80), value(c.Was), value(c.Now))
		}
	}
	for i, c := range r.Conditions {
		if i == shownRows {
			fmt.Fprintf(&b, "Note: and %d more moves rest on such a verdict.\n", len(r.Conditions)-i)
			break
		}
		fmt.Fprintf(&b, "\nNote: the move of turn %d, iteration %d is assumed: only the program that binds %s can ask it, so its verdict is that of the record.\n",
			c.Turn, c.Iteration, clip(strings.Join(c.Conditions, ", "), 80))
	}
	if r.Changed != "" {
		fmt.Fprintf(&b, "\nNote: the recording is not as it was written: %s.\n", line(r.Changed))
	}
	if r.Incomplete != "" {
		fmt.Fprintf(&b, "\nNote: the recording is not whole: %s.\n", line(r.Incomplete))
	}
	return b.String()
}

func value(s string) string {
	if s == "" {
		return "(nothing)"
	}
	return clip(s, 60)
}

func exactly(e explain.Evidence) string {
	if e == explain.Assumed {
		return "assumed"
	}
	return "exact"
}

// verdict says the whole in one sentence.
func (r *Report) verdict(changed int) string {
	moves := counted(len(r.Moves), "move")
	switch {
	case r.Same && len(r.MapChanges) == 0:
		return fmt.Sprintf("no difference in %s and %s.", moves, counted(r.Requests, "request"))
	case r.Same:
		return fmt.Sprintf("no difference in %s and %s, though the map is another one.", moves, counted(r.Requests, "request"))
	case changed > 0:
		return fmt.Sprintf("%d of %s go another way.", changed, moves)
	case r.ChangedRequests > 0:
		return fmt.Sprintf("all of %s go the same way, and %d of %s are others.", moves, r.ChangedRequests, counted(r.Requests, "request"))
	}
	return "not all of it can be walked."
}

// printRows writes the guards that flipped in the first move where some did.
func (r *Report) printRows(b *strings.Builder) {
	n := 0
	for _, m := range r.Moves {
		if len(m.Guards) == 0 {
			continue
		}
		if n == 0 {
			b.WriteString("\n")
		}
		for _, row := range m.Guards {
			if n++; n > shownRows {
				b.WriteString("  and more guards\n")
				return
			}
			row.print(b, m.Iteration)
		}
	}
}

func (w *Row) print(b *strings.Builder, iteration int) {
	j := w.Now
	if j == nil {
		j = w.Was
	}
	label := ""
	if w.Label != "" {
		label = " " + quote(w.Label, 40)
	}
	fmt.Fprintf(b, "iteration %d, %s%s to %s, on %s %s: was %s, is %s\n", iteration, line(string(j.Ref)), label, line(w.To), line(w.Call), line(w.Tool), gate(w.Was), gate(w.Now))
	list := func(title string, j *spoor.Judgement) {
		if j == nil {
			return
		}
		for i, c := range j.Conditions {
			if i > 0 {
				title = ""
			}
			fmt.Fprintf(b, "  %-4s %s\n", title, line(c.String()))
		}
	}
	list("was", w.Was)
	list("is", w.Now)
}

func gate(j *spoor.Judgement) string {
	switch {
	case j == nil:
		return "not judged"
	case j.Passed:
		return "open"
	}
	return "shut"
}

func (r *Report) printDivergence(b *strings.Builder) {
	d := r.FirstDivergence
	if d == nil {
		if r.Assumed != nil {
			fmt.Fprintf(b, "\nFrom event %d on all is assumed: %s.\n", r.Assumed.Event, r.Assumed.Why)
		}
		return
	}
	what := "request"
	if d.Purpose == scoring {
		what = "question to the scorer"
	} else if d.Purpose != string(model.Answer) {
		what = "request to " + d.Purpose
	}
	fmt.Fprintf(b, "\nThe first %s that is another one is event %d, in turn %d, iteration %d (%s):\n", what, d.Event, d.Turn, d.Iteration, d.Class)
	for i, p := range d.Pieces {
		if i == shownPieces {
			fmt.Fprintf(b, "  and %d more\n", len(d.Pieces)-i+d.More)
			break
		}
		fmt.Fprintf(b, "  %s\n", p.words())
	}
	tools := func(list []string, what string) {
		if len(list) > 0 {
			fmt.Fprintf(b, "  %s: %s\n", what, clip(strings.Join(list, ", "), 200))
		}
	}
	tools(d.Gained, "tools gained")
	tools(d.Lost, "tools lost")
	tools(d.Specified, "tools described otherwise")
	if d.Reordered {
		b.WriteString("  the tools are offered in another order\n")
	}
	if a := r.Assumed; a != nil {
		fmt.Fprintf(b, "All from event %d on is assumed: %s.\n", a.Event, a.Why)
	}
}

// words names a piece in a line.
func (p *Piece) words() string {
	name := string(p.Kind)
	switch {
	case p.Kind == model.Text && p.Skill != "":
		name = "body of " + line(p.Skill)
	case p.Kind == "candidate":
		name = "candidate " + line(p.Skill)
	case p.Kind == model.Call:
		name = fmt.Sprintf("call %s %s", line(p.Call), line(p.Tool))
	case p.Kind == model.Result:
		name = fmt.Sprintf("result of %s %s", line(p.Call), line(p.Tool))
	case p.Kind == model.Text:
		name = line(string(p.Role)) + " text"
	}
	sign := map[Changed]string{Added: "+", Removed: "-", Edited: "~", Moved: ">"}[p.Change]
	part := fmt.Sprintf("part %d", p.Part)
	if p.Part == 0 {
		part = fmt.Sprintf("was part %d", p.WasPart)
	}
	return fmt.Sprintf("%s %s, %s, %s %s: %s", sign, name, p.Change, part, short(p.Digest), quote(p.Line, 60))
}

// printMoves writes the hops side by side.
func (r *Report) printMoves(b *strings.Builder) {
	was := []string{"recorded"}
	now := []string{"now"}
	mark := []string{" "}
	head := []string{""}
	turns := len(r.Moves) > 0 && r.Moves[0].Turn != r.Moves[len(r.Moves)-1].Turn
	from := 0
	if len(r.Moves) > shownMoves {
		first := slices.IndexFunc(r.Moves, func(m Move) bool { return m.Changed })
		from = max(0, min(first-shownMoves/2, len(r.Moves)-shownMoves))
	}
	shown := r.Moves[from:min(len(r.Moves), from+shownMoves)]
	for _, m := range shown {
		at := fmt.Sprint(m.Iteration)
		if turns {
			at = fmt.Sprintf("%d.%d", m.Turn, m.Iteration)
		}
		head, was = append(head, at), append(was, m.Was.words())
		text := m.Now.words()
		if m.Evidence == explain.Assumed {
			text += " (assumed)"
		}
		now = append(now, text)
		if m.Changed {
			mark = append(mark, "*")
		} else {
			mark = append(mark, " ")
		}
	}
	width := 0
	for _, w := range was {
		width = max(width, utf8.RuneCountInString(w))
	}
	b.WriteString("\n")
	for i := range was {
		fmt.Fprintf(b, "%6s %s %s%s   %s\n", head[i], mark[i], was[i], strings.Repeat(" ", width-utf8.RuneCountInString(was[i])), now[i])
	}
	if more := len(r.Moves) - len(shown); more > 0 {
		fmt.Fprintf(b, "       and %s that are not shown\n", counted(more, "move"))
	}
}

func (h *Hop) words() string {
	if h == nil {
		return "-"
	}
	place := func(s string) string {
		if s == "" {
			return "nowhere"
		}
		return clip(s, 30)
	}
	if h.From == h.To {
		return fmt.Sprintf("in %s (%s)", place(h.To), clip(string(h.By), 20))
	}
	return fmt.Sprintf("%s → %s (%s)", place(h.From), place(h.To), clip(string(h.By), 20))
}

func (r *Report) printAnswer(b *strings.Builder) {
	a := r.Answer
	if a == nil || r.Same {
		return
	}
	kind := "exact"
	if a.Evidence == explain.Assumed {
		kind = "assumed: it was given to another request"
	}
	if !a.Changed {
		fmt.Fprintf(b, "\nThe answer of turn %d is that of the recording (%s).\n", a.Turn, kind)
		return
	}
	fmt.Fprintf(b, "\nThe answer of turn %d (%s):\n  was %s\n  is  %s\n", a.Turn, kind, quote(a.Was, 200), quote(a.Text, 200))
}
