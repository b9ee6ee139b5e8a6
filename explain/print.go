package explain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spoorhq/spoor/internal/value"
)

// columns is how wide the texts for people are.
const columns = 96

// A page is a text for people, as it is written.
type page struct{ strings.Builder }

// put writes a line, indented, in as many lines as it needs.
func (p *page) put(indent int, text string) { p.hang(indent, indent, text) }

// hang writes a line whose further lines are indented otherwise. A word that no
// line has room for is broken, after a comma if it has one.
func (p *page) hang(indent, further int, text string) {
	p.WriteString(strings.Repeat(" ", indent))
	at, begin := indent, true // where in the line, and whether nothing stands there yet
	next := func() {
		p.WriteString("\n" + strings.Repeat(" ", further))
		at, begin = further, true
	}
	for word := range strings.SplitSeq(text, " ") {
		n := utf8.RuneCountInString(word)
		for n > columns-further {
			if !begin && at+1 < columns-20 {
				p.WriteByte(' ')
				at++
			} else if !begin {
				next()
			}
			head := breakWord(word, columns-at)
			p.WriteString(head)
			word = word[len(head):]
			n -= utf8.RuneCountInString(head)
			next()
		}
		if !begin && at+1+n > columns {
			next()
		}
		if !begin {
			p.WriteByte(' ')
			at++
		}
		p.WriteString(word)
		at, begin = at+n, false
	}
	p.WriteByte('\n')
}

// breakWord is the beginning of a word that has room in n columns.
func breakWord(word string, n int) string {
	end := len(word)
	for i := range word {
		if n--; n < 0 {
			end = i
			break
		}
	}
	if comma := strings.LastIndexByte(word[:end], ','); comma > 0 {
		return word[:comma+1]
	}
	return word[:end]
}

func (p *page) notFound(indent int, n *NotFound) {
	if n == nil {
		return
	}
	p.put(indent, n.Reason+either(n.plain, "", " ("+string(n.Kind)+")"))
	if n.More != "" {
		p.whole(indent+2, n.More)
	}
}

// whole writes a text line by line, as it is laid out.
func (p *page) whole(indent int, text string) {
	for _, row := range rows(text) {
		if row != "" {
			p.WriteString(strings.Repeat(" ", indent) + row)
		}
		p.WriteByte('\n')
	}
}

// warn says before all else that the recording is not as it was written.
func (p *page) warn(changed string) {
	if changed != "" {
		text := p.String()
		p.Reset()
		p.put(0, "Note: "+changed+".\n")
		p.WriteString(text)
	}
}

// footnotes say what the reader should know of the whole.
func (p *page) footnotes(notes ...string) {
	for _, n := range notes {
		if n != "" {
			p.put(0, "\nNote: "+n+".")
		}
	}
}

func (r Range) words() string { return fmt.Sprintf("bytes %d–%d", r.Start, r.End) }

func (s *SpanReason) String() string {
	var p page
	if s.NotFound != nil {
		p.put(0, quote(s.Text, 200)+":")
		p.notFound(2, s.NotFound)
		if s.Nearest != "" {
			p.put(2, "Nearest to it there: "+quote(s.Nearest, 200))
		}
		p.footnotes(s.Incomplete)
		p.warn(s.Changed)
		return p.String()
	}
	at := make([]string, len(s.At))
	for i, r := range s.At {
		at[i] = r.words()
	}
	p.put(0, fmt.Sprintf("%s stands in the answer, %s.", quote(s.Text, 200), listed(at)))
	whole := len(s.Runs) == 1 && s.Runs[0].End-s.Runs[0].Start == len(s.Text)
	if !whole {
		text := fmt.Sprintf("Of its %d bytes %d were copied", len(s.Text), s.Copied)
		if n := otherwiseOf(s.Runs); n > 0 {
			text += say("answer values", "n", itoa(n))
		}
		p.put(0, text+".")
	}
	runs := slices.Clone(s.Runs)
	slices.SortStableFunc(runs, func(a, b Run) int { // a number without a source comes first
		made := func(r Run) int { return map[bool]int{true: 1}[r.Sources == nil && hasDigit(r.Text)] }
		return cmp.Compare(made(b), made(a))
	})
	for _, r := range runs {
		p.WriteByte('\n')
		if !whole {
			p.put(0, quote(r.Text, 200)+", "+r.Range.words())
		}
		p.notFound(2, r.NotFound)
		told := tale{}
		const most = 10
		list := r.Sources[:min(len(r.Sources), most)]
		for _, src := range list {
			p.hang(2, 4, src.from())
			p.excerpt(4, src)
			for _, f := range src.From[:min(len(src.From), most)] {
				p.hang(4, 6, say(either(f.Path != "", "operand", "operand of text"), "text", quote(f.Text, 40), "path", clip(f.Path, 80), "at", f.Range.words()))
			}
		}
		if n := len(r.Sources) - len(list); n > 0 {
			p.put(2, say("more sources", "places", counted(n, "more place")))
		}
		for _, src := range list {
			if len(r.Sources) == 1 {
				p.put(2, "how it got there:")
			} else {
				p.hang(2, 4, "how it got from "+src.where()+":")
			}
			p.chain(4, src.Chain, told)
		}
	}
	p.footnotes(s.Unsearched, s.Incomplete)
	p.warn(s.Changed)
	return p.String()
}

func (a *AnswerReason) String() string {
	var p page
	if a.NotFound != nil {
		p.notFound(0, a.NotFound)
		p.footnotes(a.Incomplete)
		p.warn(a.Changed)
		return p.String()
	}
	p.put(0, a.summary())
	numbers := make([]int, len(a.Runs)) // of those with sources, from 1
	for i, n := 0, 0; i < len(a.Runs); i++ {
		if a.Runs[i].Sources != nil {
			n++
			numbers[i] = n
		}
	}
	sentences := a.Sentences
	if sentences == nil {
		sentences = []Sentence{{Range: Range{0, len(a.Text)}}}
	}
	const most = 500 // sentences
	for _, s := range sentences[:min(len(sentences), most)] {
		p.WriteByte('\n')
		p.hang(0, 2, s.heading()+a.marked(s.Range, numbers))
		for i, r := range a.Runs {
			if r.End <= s.Start || r.Start >= s.End {
				continue
			}
			switch {
			case r.Sources == nil && r.NotFound.Kind != NotRecorded:
				p.hang(2, 4, say("no source", "words", quote(r.Text, 200))+otherwise(r.NotFound))
			case r.Sources == nil:
			case r.Start < s.Start:
				p.put(2, fmt.Sprintf("(%d) as above", numbers[i]))
			default:
				p.sources(2, fmt.Sprintf("(%d) ", numbers[i]), r.Sources)
			}
		}
		for _, r := range s.Unsupported {
			p.hang(2, 4, say("no source", "words", quote(a.Text[r.Start:r.End], 200)))
		}
	}
	if n := len(sentences) - most; n > 0 {
		p.put(0, say("more sentences", "sentences", counted(n, "more sentence")))
	}
	p.conflicts(a.Conflicts)
	p.footnotes(a.Unsearched, a.Incomplete)
	p.warn(a.Changed)
	return p.String()
}

// summary says how much of the answer stands elsewhere, and of how many of its
// sentences what they say is backed.
func (a *AnswerReason) summary() string {
	text := say("answer has", "event", itoa(a.Event), "bytes", itoa(len(a.Text)), "copied", itoa(a.Copied))
	if n := otherwiseOf(a.Runs); n > 0 {
		text += say("answer values", "n", itoa(n))
	}
	var counts []string
	for _, v := range []Verdict{Grounded, Partly, Misplaced, Unsupported, Unchecked, Unsearched} {
		n, stale := 0, 0
		for _, s := range a.Sentences {
			if s.Verdict == v {
				n++
				if s.stale() {
					stale++
				}
			}
		}
		switch {
		case stale > 0:
			counts = append(counts, say("stale verdicts", "n", itoa(n), "verdict", line(string(v)), "stale", itoa(stale)))
		case n > 0:
			counts = append(counts, itoa(n)+" "+line(string(v)))
		}
	}
	if counts == nil {
		text += "."
	} else {
		text += say("answer sentences", "sentences", counted(len(a.Sentences), "sentence"), "verdicts", strings.Join(counts, ", "))
	}
	return text
}

// otherwiseOf counts the bytes of runs that stand elsewhere, and were not copied.
func otherwiseOf(runs []Run) (n int) {
	for _, r := range runs {
		if r.Sources != nil && r.Sources[0].solid() && (r.Sources[0].How == SameAs || r.Sources[0].How == DerivedOf) {
			n += r.End - r.Start
		}
	}
	return n
}

// heading is what a line about a sentence begins with.
func (s *Sentence) heading() string {
	switch {
	case s.Verdict == "":
		return ""
	case s.stale():
		return strings.ToUpper(say("stale verdict", "verdict", line(string(s.Verdict)))) + ": "
	}
	return strings.ToUpper(line(string(s.Verdict))) + ": "
}

// stale reports whether a sentence is backed by what a later result says otherwise.
func (s *Sentence) stale() bool { return s.Stale && (s.Verdict == Grounded || s.Verdict == Partly) }

// otherwise tells why words have no source, if it is not that they stand nowhere.
func otherwise(n *NotFound) string {
	if n == nil || n.Kind == NotRecorded {
		return ""
	}
	return ": " + n.Reason + " (" + string(n.Kind) + ")"
}

// sources tells where a run stands: the first places, and how many more there
// are.
func (p *page) sources(indent int, mark string, list []Source) {
	const most = 3
	n := len(list)
	if list[0].solid() { // what is no evidence only matters where there is none
		n = 1
		for n < len(list) && list[n].solid() {
			n++
		}
	}
	for i := range list[:min(n, most)] {
		p.hang(indent, indent+6, mark+list[i].from())
		mark = "  and "
	}
	if more := len(list) - min(n, most); more > 0 {
		p.put(indent+2, say("more sources", "places", counted(more, "more place")))
	}
}

// marked is a sentence of the answer with what stands elsewhere in numbered
// brackets.
func (a *AnswerReason) marked(s Range, numbers []int) string {
	var b strings.Builder
	at := s.Start
	for i, r := range a.Runs {
		start, end := max(r.Start, s.Start), min(r.End, s.End)
		if r.Sources == nil || start >= end {
			continue
		}
		fmt.Fprintf(&b, "%s[%s](%d)", a.Text[at:start], a.Text[start:end], numbers[i])
		at = end
	}
	return clip(b.String()+a.Text[at:s.End], 4000)
}

// conflicts tells the things of which what was shown says different values.
func (p *page) conflicts(list []Conflict) {
	const most = 50
	for _, c := range list[:min(len(list), most)] {
		p.WriteByte('\n')
		p.put(0, say("conflict of", "field", line(c.Field), "subject", line(c.Subject)))
		for _, s := range c.Says {
			where := strings.TrimSpace(clip(s.Path, 80) + " " + line(s.Call) + " " + line(s.Tool))
			notes := ""
			if s.At != nil {
				notes += ", " + say("said so")
			}
			if s.Stale {
				notes += ", " + say("replaced")
			}
			p.hang(2, 4, fmt.Sprintf("%s: event %d %s, %s%s", quote(s.Text, 60), s.Event, where, s.Range.words(), notes))
		}
	}
}

// from names a source, and what is known of it.
func (s *Source) from() string {
	notes := []string{string(s.Evidence)}
	switch {
	case s.Echoed:
		notes[0] = say("echoed")
	case s.Brief:
		notes[0] = say("brief")
	case s.Weak:
		notes[0] = say("weak")
	case s.How == DerivedOf:
		notes[0] += ": " + s.Rule
	case s.How == SameAs:
		notes[0] += ": " + quote(s.plain(), 60)
		if text := asText(s.Rule); text != "" {
			notes[0] += ", " + text
		}
	case s.How == Folded:
		notes[0] += ": " + quote(s.plain(), 60)
	}
	if r := s.Row; r != nil {
		if r.Wrong && r.Spoken != nil {
			told := say("wrong place", "spoken", subjects(r.Spoken, ""))
			if beside := subjects(r.Subject, ""); beside != "" {
				told = say("wrong row", "subject", beside, "spoken", subjects(r.Spoken, ""))
			}
			if r.Instead != nil {
				told = say("wrong row instead", "row", told, "instead", subjects(r.Instead, ""))
			}
			notes = append(notes, told)
		} else if beside := subjects(r.Subject, r.Field); beside != "" && !r.Wrong {
			notes = append(notes, say("beside", "subject", beside))
		}
	}
	if s.Stale != nil && !s.Stale.Same {
		notes = append(notes, say("stale", "event", itoa(s.Stale.Event), "call", line(s.Stale.Call), "tool", line(s.Stale.Tool)))
	}
	return "from " + s.where() + " (" + strings.Join(notes, "; ") + ")"
}

// plain is the text of a source without the escapes of the strings of JSON that it stands in.
func (s *Source) plain() string {
	text := s.Text
	for n := 0; s.Path != "" && n <= strings.Count(s.Path, "→") && strings.Contains(text, "\\"); n++ {
		var in string
		if json.Unmarshal([]byte(`"`+text+`"`), &in) != nil {
			break
		}
		text = in
	}
	return text
}

// asText tells how a value agrees that is not equal.
func asText(relation string) string {
	switch relation {
	case value.Partial.String():
		return say("as partial")
	case value.Rounded.String():
		return say("as rounded")
	case value.Reading.String():
		return say("as reading")
	case value.Bare.String():
		return say("as bare")
	case value.Unit.String():
		return say("as unit")
	}
	return ""
}

// subjects names what a value stands beside, but for what it is called itself.
func subjects(list []Place, field string) string {
	const most = 3
	var names []string
	for _, p := range list {
		if p.Key && p.Text == field || p.Argument && field != "" {
			continue // the call is told with its arguments
		}
		if name := quote(p.Text, 40); p.Text != "" && !slices.Contains(names, name) && len(names) < most {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// where names a source in a few words.
func (s *Source) where() string {
	at := s.Range.words()
	call := fmt.Sprintf("%s %s %s", line(s.Call), line(s.Tool), clip(s.Arguments, 60))
	switch s.Kind {
	case FromBody:
		place := fmt.Sprintf("%s of the body of %s", at, quote(s.Skill, 60))
		switch {
		case s.File != "":
			place = fmt.Sprintf("%s:%d:%d, %s", line(s.File), s.Line, s.Column, place)
		case s.Line > 0:
			place = fmt.Sprintf("line %d, %s", s.Line, place)
		}
		if s.Call != "" {
			place += ", read by " + call
		}
		return place
	case FromResult:
		if s.Path != "" {
			return clip(s.Path, 80) + " of the result of " + call + ", " + at
		}
		return "the result of " + call + ", " + at
	case FromMessage:
		return "the message, " + at
	case FromHistory:
		return "what was said in an earlier turn, " + at
	case FromNote:
		return "a note of spoor to the model, " + at
	case FromTool:
		if s.Path != "" {
			at = clip(s.Path, 80) + ", " + at
		}
		return "what the model was told of the tool " + line(s.Tool) + ", " + at
	case FromSteering:
		return "the agent's " + line(s.Name) + ", " + at
	case FromFact:
		return "the agent's fact " + line(s.Name) + ", " + at
	case FromInstruction:
		return "the agent's instruction " + line(s.Name) + ", " + at
	case FromMenu:
		return "the menu of skills, " + at
	}
	return "the system prompt, " + at
}

// excerpt shows the line of a source, with the range underlined.
func (p *page) excerpt(indent int, s Source) {
	const before = 28
	width := columns - indent
	text, mark := []rune{}, [2]int{}
	for i, r := range s.line {
		if i == s.Start-s.around.Start {
			mark[0] = len(text)
		}
		if i < s.End-s.around.Start {
			mark[1] = len(text) + 1
		}
		if r = printable(r); r == '\uFFFD' {
			r = ' '
		}
		text = append(text, r)
	}
	if len(text) > width {
		if from := max(0, min(mark[0]-before, len(text)-width)); from > 0 {
			text = append([]rune{'…'}, text[from+1:]...)
			mark[0], mark[1] = mark[0]-from, mark[1]-from
		}
		if len(text) > width {
			text = append(text[:width-1], '…')
		}
	}
	end := max(mark[0]+1, min(mark[1], len(text)))
	pad := strings.Repeat(" ", indent)
	p.WriteString(pad + string(text) + "\n")
	p.WriteString(pad + strings.Repeat(" ", mark[0]) + strings.Repeat("^", end-mark[0]) + "\n")
}

// A tale remembers how chains end that were told already.
type tale map[uint64]bool

// chain shows links, an event a line. What every chain begins with is told
// once, and where a chain goes on as an earlier one did it stops.
func (p *page) chain(indent int, links []Link, told tale) {
	ends := make([]uint64, len(links)) // of each link and all that follow
	end := uint64(0)
	for i := len(links) - 1; i >= 0; i-- {
		h := fnv.New64a()
		fmt.Fprintf(h, "%d %d %s", end, links[i].Event, links[i].Text)
		end = h.Sum64()
		ends[i] = end
	}
	again := len(told) > 0
	for i, l := range links {
		if again && i == 0 {
			continue
		}
		if told[ends[i]] {
			p.put(indent, fmt.Sprintf("event %-4d as above", l.Event))
			break
		}
		p.link(indent, l)
	}
	for _, end := range ends {
		told[end] = true
	}
}

func (p *page) link(indent int, l Link) {
	text := fmt.Sprintf("event %-4d %s", l.Event, l.Text)
	if l.Evidence != Fact {
		text += " (" + string(l.Evidence) + ")"
	}
	p.hang(indent, indent+11, text)
	if l.Move != nil && l.Move.Guard != nil {
		for _, c := range l.Move.Guard.Conditions {
			p.put(indent+13, line(c.String()))
		}
	}
	p.givens(indent+11, l.From)
}
