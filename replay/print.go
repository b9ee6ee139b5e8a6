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
	say := func(format string, args ...any) { put(&b, 2, fmt.Sprintf(format, args...)) }
	note := func(format string, args ...any) {
		b.WriteByte('\n')
		say(format, args...)
	}
	fmt.Fprintf(&b, "%s, walked again: %s\n", line(r.Run), r.verdict())
	r.printRows(&b)
	r.printDivergence(&b)
	for i, c := range r.Blocked {
		if i == shownRows {
			say("And %d more calls would be refused.", len(r.Blocked)-i)
			break
		}
		note("Blocked: %s %s %s would be refused (%s) in event %d: %s", line(c.Call), line(c.Tool), clip(c.Arguments, 60), c.Reason, c.Event, clip(c.Text, 160))
	}
	if m := r.Missing; m != nil {
		note("The walk ends in turn %d, iteration %d: %s.", m.Turn, m.Iteration, m.Reason)
	}
	if u := r.Unreached; u != nil {
		note("Not reached: %s of the recording from event %d on, with %s.", counted(u.Events, "event"), u.Event, counted(u.Moves, "move"))
	}
	if !r.Same {
		r.printMoves(&b)
	}
	r.printAnswer(&b)
	for i, c := range r.MapChanges {
		switch i {
		case 0:
			note("What of the map is another:")
		case shownMap:
			b.WriteString("  and more\n")
		}
		if i >= shownMap {
			break
		}
		put(&b, 4, fmt.Sprintf("  %s: %s → %s", clip(c.Path, 80), value(c.Was), value(c.Now)))
	}
	for i, c := range r.Conditions {
		if i == shownRows {
			say("And %d more moves rest on such a verdict.", len(r.Conditions)-i)
			break
		}
		note("Note: the move of turn %d, iteration %d is assumed: only the program that binds %s can ask it, so its verdict is that of the record.",
			c.Turn, c.Iteration, clip(strings.Join(c.Conditions, ", "), 80))
	}
	if r.Changed != "" {
		note("Note: the recording is not as it was written: %s.", line(r.Changed))
	}
	if r.Incomplete != "" {
		note("Note: the recording is not whole: %s.", line(r.Incomplete))
	}
	return b.String()
}

func value(s string) string {
	if s == "" {
		return "(nothing)"
	}
	return clip(s, 60)
}

// verdict says the whole in one sentence.
func (r *Report) verdict() string {
	moves, requests := counted(len(r.Moves), "move"), counted(r.Requests, "request")
	sure, assumed := 0, 0
	for _, m := range r.Moves {
		switch {
		case m.Changed && m.Evidence == explain.Assumed:
			assumed++
		case m.Changed:
			sure++
		}
	}
	goes := func(n int) string {
		if n == 1 {
			return "1 of " + moves + " goes"
		}
		return fmt.Sprintf("%d of %s go", n, moves)
	}
	switch {
	case r.Same && r.Assumed != nil:
		return fmt.Sprintf("no difference in %s and %s, if all was said that was said.", moves, requests)
	case r.Same && len(r.MapChanges) == 0:
		return fmt.Sprintf("no difference in %s and %s.", moves, requests)
	case r.Same:
		return fmt.Sprintf("no difference in %s and %s, though the map is another one.", moves, requests)
	case sure > 0 && assumed > 0:
		return fmt.Sprintf("%s another way, and %d more if the model says what it said.", goes(sure), assumed)
	case sure > 0:
		return goes(sure) + " another way."
	case assumed > 0:
		return goes(assumed) + " another way, if the model says what it said to other requests."
	case r.Missing != nil:
		return fmt.Sprintf("not all of it can be walked; %s of the recording, no other one so far.", moves)
	case r.ChangedRequests > 0:
		return fmt.Sprintf("%s, and all go the same way; %d of %s would be another one.", moves, r.ChangedRequests, requests)
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
			at := fmt.Sprintf("iteration %d", m.Iteration)
			if r.Moves[len(r.Moves)-1].Turn > 1 {
				at = fmt.Sprintf("turn %d, %s", m.Turn, at)
			}
			row.print(b, at, m.Evidence)
		}
	}
}

func (w *Row) print(b *strings.Builder, at string, e explain.Evidence) {
	j := w.Now
	if j == nil {
		j = w.Was
	}
	label := ""
	if w.Label != "" {
		label = " " + quote(w.Label, 40)
	}
	was, now := gate(w.Was), gate(w.Now)
	if w.Added {
		was = "not there"
	}
	if w.Removed {
		now = "not there"
	}
	if e == explain.Assumed {
		now += " (assumed)"
	}
	put(b, 2, fmt.Sprintf("%s, %s%s to %s, on %s %s: was %s, is %s", at, line(string(j.Ref)), label, line(w.To), line(w.Call), line(w.Tool), was, now))
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
			b.WriteByte('\n')
			put(b, 2, fmt.Sprintf("From event %d on all is assumed: %s.", r.Assumed.Event, r.Assumed.Why))
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
		put(b, 4, "  "+p.words())
	}
	tools := func(list []string, what string) {
		if len(list) > 0 {
			put(b, 4, fmt.Sprintf("  %s: %s", what, clip(strings.Join(list, ", "), 200)))
		}
	}
	tools(d.Gained, "tools gained")
	tools(d.Lost, "tools lost")
	tools(d.Specified, "tools described otherwise")
	if d.Reordered {
		b.WriteString("  the tools are offered in another order\n")
	}
	if a := r.Assumed; a != nil {
		put(b, 2, fmt.Sprintf("All from event %d on is assumed: %s.", a.Event, a.Why))
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
	text := quote(p.Line, 60)
	if d := p.Differs; d != nil {
		text = fmt.Sprintf("%s → %s", quote(d.Was, 60), quote(d.Now, 60))
		if d.Number > 1 {
			text = fmt.Sprintf("%s, line %d: %s", quote(p.Line, 40), d.Number, text)
		}
	}
	return fmt.Sprintf("%s %s, %s, %s %s: %s", sign, name, p.Change, part, short(p.Digest), text)
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
	if h.By == spoor.ByNone && h.To != "" {
		return place(h.To) + " (leaf)"
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
	switch {
	case a.Evidence == explain.Assumed && r.FirstDivergence != nil:
		kind = "assumed: it was given to another request"
	case a.Evidence == explain.Assumed:
		kind = "assumed"
	}
	if !a.Changed && a.Text == "" {
		fmt.Fprintf(b, "\nTurn %d comes to no answer, as in the recording.\n", a.Turn)
		return
	}
	if !a.Changed {
		fmt.Fprintf(b, "\nThe answer of turn %d is that of the recording (%s).\n", a.Turn, kind)
		return
	}
	fmt.Fprintf(b, "\nThe answer of turn %d (%s):\n  was %s\n  is  %s\n", a.Turn, kind, quote(a.Was, 200), quote(a.Text, 200))
}
