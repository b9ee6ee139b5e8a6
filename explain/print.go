package explain

import (
	"fmt"
	"hash/fnv"
	"strings"
	"unicode/utf8"
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
		p.footnotes(s.Changed, s.Incomplete)
		return p.String()
	}
	at := make([]string, len(s.At))
	for i, r := range s.At {
		at[i] = r.words()
	}
	p.put(0, fmt.Sprintf("%s stands in the answer, %s.", quote(s.Text, 200), listed(at)))
	whole := len(s.Runs) == 1 && s.Runs[0].End-s.Runs[0].Start == len(s.Text)
	if !whole {
		p.put(0, fmt.Sprintf("Of its %d bytes %d were copied.", len(s.Text), s.Copied))
	}
	for _, r := range s.Runs {
		p.WriteByte('\n')
		if !whole {
			p.put(0, quote(r.Text, 200)+", "+r.Range.words())
		}
		p.notFound(2, r.NotFound)
		told := tale{}
		for _, src := range r.Sources {
			p.hang(2, 4, src.from())
			p.excerpt(4, src)
		}
		for _, src := range r.Sources {
			if len(r.Sources) == 1 {
				p.put(2, "how it got there:")
			} else {
				p.hang(2, 4, "how it got from "+src.where()+":")
			}
			p.chain(4, src.Chain, told)
		}
	}
	p.footnotes(s.Unsearched, s.Changed, s.Incomplete)
	return p.String()
}

func (a *AnswerReason) String() string {
	var p page
	if a.NotFound != nil {
		p.notFound(0, a.NotFound)
		p.footnotes(a.Changed, a.Incomplete)
		return p.String()
	}
	p.put(0, fmt.Sprintf("The answer, event %d, has %d bytes. %d were copied from what the model was shown:", a.Event, len(a.Text), a.Copied))
	p.WriteByte('\n')
	p.put(2, a.marked())
	p.WriteByte('\n')
	n := 0
	for _, r := range a.Runs {
		if r.Sources == nil {
			continue
		}
		n++
		p.put(0, fmt.Sprintf("(%d) %s, %s", n, quote(r.Text, 200), r.words()))
		for _, src := range r.Sources {
			p.hang(2, 4, src.from())
		}
	}
	if own := a.own(); own != nil {
		p.put(0, either(n > 0, "outside the brackets", "all of it"))
		p.notFound(2, own)
	}
	p.footnotes(a.Unsearched, a.Changed, a.Incomplete)
	return p.String()
}

// marked is the answer with what was copied in numbered brackets.
func (a *AnswerReason) marked() string {
	var b strings.Builder
	at, n := 0, 0
	for _, r := range a.Runs {
		if r.Sources == nil {
			continue
		}
		n++
		fmt.Fprintf(&b, "%s[%s](%d)", a.Text[at:r.Start], r.Text, n)
		at = r.End
	}
	return clip(b.String()+a.Text[at:], 4000)
}

// own says of the words that were not copied why they have no source.
func (a *AnswerReason) own() *NotFound {
	for _, r := range a.Runs {
		if r.NotFound != nil {
			return r.NotFound
		}
	}
	return nil
}

// from names a source, and what is known of it.
func (s *Source) from() string {
	if s.Brief {
		return "from " + s.where() + " (" + say("brief") + ")"
	}
	return "from " + s.where() + " (" + string(s.Evidence) + ")"
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
}
