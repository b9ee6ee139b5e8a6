package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
)

// An inquiry is the last answer of a recording, and all that the model was
// shown when it gave it.
type inquiry struct {
	t        *trail
	answer   string
	reply    int // the event that has it, or -1
	called   int // the request that it answers, or -1
	parts    int // of that request
	shown    []shown
	missing  int // parts whose bytes are not in the recording
	matcher  *matcher
	views    []view // of all that was shown
	scan     int    // bytes of them that may still be looked through for few words
	runs     []Range
	sources  int
	cut      bool // there was too much to search
	more     bool // there was too much to list
	spent    bool // scan was used up
	notFound *NotFound
}

// A shown part is one that can be a source.
type shown struct {
	model.Part
	data   string
	number int // in the request, from 1; 0 of a tool
	kind   SourceKind
	name   string // of what the agent brings along
	origin int    // the event that brought it in
	json   *document
}

// inquire finds the last answer and searches what the model was shown.
func inquire(r *recording.Recording) *inquiry {
	q := &inquiry{t: newTrail(r), reply: -1, called: -1, scan: maxScan}
	if q.notFound = q.find(); q.notFound != nil {
		return q
	}
	_, q.called, _ = cause[*event.Called](q.t, q.reply)
	if q.called < 0 {
		q.notFound = &NotFound{Kind: NotRecorded, Reason: say("no request")}
		return q
	}
	q.show()
	q.search()
	return q
}

// find finds the answer of the last turn. Where the turn has no end on record
// it is the last reply with words in it.
func (q *inquiry) find() *NotFound {
	t := q.t
	for i := len(t.r.Events) - 1; i >= 0; i-- {
		switch b := t.event(i).Body.(type) {
		case *event.Started:
			return &NotFound{Kind: NotReached, Reason: say("no answer")}
		case *event.Finished:
			if q.answer = event.Text(b.Answer); q.answer == "" {
				reason, more := endedText(b)
				return &NotFound{Kind: NotReached, Reason: say("ended without", "reason", reason), More: more}
			}
			for _, p := range b.Answer {
				t.data(p)
			}
			if _, q.reply, _ = cause[*event.Replied](t, i); q.reply < 0 {
				return &NotFound{Kind: NotRecorded, Reason: say("no reply")}
			}
			return nil
		case *event.Replied:
			if t.aside[i] != "" {
				continue
			}
			var words []model.Part
			for _, p := range b.Parts {
				if p.Kind == model.Text {
					words = append(words, p)
				}
			}
			if q.answer = event.Text(words); q.answer != "" {
				q.reply = i
				return nil
			}
		}
	}
	return &NotFound{Kind: NotRecorded, Reason: say("no turn")}
}

// endedText says how a turn ended that has no answer, and what follows in an
// error of more than one line.
func endedText(b *event.Finished) (reason, more string) {
	switch {
	case b.Error != "":
		reason, more = firstLine(b.Error)
		return string(b.By) + ": " + clip(reason, 200), more
	case b.By == event.ByAnswer && b.Limited:
		return spentText(b.Limit), ""
	case b.By == event.ByAnswer:
		return "the last reply has no text", ""
	}
	return line(string(b.By)), ""
}

func (q *inquiry) event() int { return q.t.seq(q.reply) }

// show collects the parts of the request that can be a source, earliest
// origin first.
func (q *inquiry) show() {
	parts := q.t.request(q.called)
	from := q.origins()
	q.parts = len(parts)
	for i, p := range parts {
		if p.Role == model.Assistant || p.Kind == model.Call || p.Kind == model.Thinking {
			continue
		}
		data, ok := q.t.r.Piece(p.Piece)
		if !ok {
			q.missing++
			continue
		}
		if !readable(p.Part, data) { // a document that no model is shown as text
			continue
		}
		kind, name, origin := q.origin(from, p, i)
		q.shown = append(q.shown, shown{Part: p.Part, data: data, number: i + 1, kind: kind, name: name, origin: origin})
	}
	for _, spec := range q.t.specs(q.called) {
		q.shown = append(q.shown, shown{
			Part: model.Part{Tool: spec.Name, Piece: spec.Piece}, data: spec.Data, kind: FromTool, origin: max(q.t.turn[q.called], 0),
		})
	}
	slices.SortStableFunc(q.shown, func(a, b shown) int { return cmp.Compare(a.origin, b.origin) })
}

// origins knows which event brought a part in, the last before the answer.
type origins struct {
	results  map[key]int          // by call id and piece, which may be of an earlier turn
	messages map[model.Digest]int // of earlier turns
}

type key struct {
	call  string
	piece model.Digest
}

func (q *inquiry) origins() origins {
	o := origins{map[key]int{}, map[model.Digest]int{}}
	for i := range q.called + 1 {
		switch b := q.t.event(i).Body.(type) {
		case *event.Started:
			if i < q.t.turn[q.called] {
				o.messages[b.Message.Piece] = i
			}
		default:
			if call, result := resultOf(b); result.Kind != "" {
				o.results[key{call, result.Piece}] = i
			}
			if r, ok := b.(*event.Returned); ok {
				for _, p := range r.More {
					o.results[key{r.Call, p.Piece}] = i
				}
			}
		}
	}
	return o
}

// origin says what a part is that stands at a place of the request, what its
// author calls it, and which event brought it in: what nothing else did was put
// in by the request.
func (q *inquiry) origin(o origins, p placed, at int) (kind SourceKind, name string, origin int) {
	turn := max(q.t.turn[q.called], 0)
	switch s := q.t.started(q.called); {
	case p.Role == model.Tool:
		if i, ok := o.results[key{p.Call, p.Piece}]; ok {
			return FromResult, "", i
		}
		return FromResult, "", p.by
	case p.Role == model.User && s != nil && p.Piece == s.Message.Piece:
		return FromMessage, "", turn
	case p.Role == model.User:
		if i, ok := o.messages[p.Piece]; ok {
			return FromHistory, "", i
		}
		return FromHistory, "", turn
	case p.Skill != "":
		return FromBody, "", turn
	case p.Kind == model.Menu:
		return FromMenu, "", p.by
	case p.Kind == model.Note:
		return FromNote, "", q.t.noted(p)
	case p.Kind == model.Instruction:
		return FromInstruction, q.t.instruction(q.called, p.Piece), turn
	case s != nil:
		kind, name = brought(s, p.Piece, at)
		return kind, name, turn
	}
	return FromSystem, "", turn
}

// brought says what a part of the system prompt is: first comes what every
// prompt begins with, then the steering, then the facts.
func brought(s *event.Started, piece model.Digest, at int) (SourceKind, string) {
	in := &s.Injections
	kind := func(k int) (SourceKind, string) {
		if k < len(in.Steering) {
			return FromSteering, fmt.Sprintf("steering[%d]", k)
		}
		return FromFact, in.Facts[k-len(in.Steering)].ID
	}
	all := slices.Concat(in.Steering, in.Facts)
	if k := at - len(s.System); k >= 0 && k < len(all) && all[k].Piece == piece {
		return kind(k)
	}
	if slices.ContainsFunc(s.System, func(p model.Part) bool { return p.Piece == piece }) {
		return FromSystem, ""
	}
	if k := slices.IndexFunc(all, func(p event.Passage) bool { return p.Piece == piece }); k >= 0 {
		return kind(k)
	}
	return FromSystem, ""
}

// instruction is the id of the instruction that a request has a text of; of two
// with one text the one that is active.
func (t *trail) instruction(called int, piece model.Digest) string {
	s := t.started(called)
	if s == nil {
		return ""
	}
	_, move, _ := cause[*event.Evaluated](t, called)
	id := ""
	for _, n := range s.Injections.Instructions {
		if n.Piece != piece {
			continue
		}
		if t.instructs(move, n.ID) != nil {
			return n.ID
		}
		if id == "" {
			id = n.ID
		}
	}
	return id
}

// instructs is an instruction that is active after a move, or nil.
func (t *trail) instructs(move int, id string) *event.ActiveInstruction {
	list := t.texts[move].list
	if i := slices.IndexFunc(list, func(n event.ActiveInstruction) bool { return n.ID == id }); i >= 0 {
		return &list[i]
	}
	return nil
}

// noted is the event that a note to the model is of, or else the request that
// put it in.
func (t *trail) noted(p placed) int {
	for i := p.by - 1; i >= max(0, t.turn[p.by], p.by-maxBack); i-- {
		var note model.Part
		switch b := t.event(i).Body.(type) {
		case *event.EffectJudged:
			note = b.Note
		case *event.RouteConflict:
			note = b.Note
		case *event.RerouteSuperseded:
			note = b.Note
		}
		if note.Kind != "" && note.Piece == p.Piece {
			return i
		}
	}
	return p.by
}

// search finds all stretches of the answer that stand in what was shown.
func (q *inquiry) search() {
	const mostRuns = 4096
	text := q.answer
	if len(text) > maxAnswer {
		q.cut, text = true, text[:maxAnswer]
	}
	m := newMatcher(text)
	q.matcher = m
	budget := maxShown
	for i := range q.shown {
		s := &q.shown[i]
		if budget -= len(s.data); budget < 0 {
			q.cut = true
			break
		}
		all := view{shown: i, text: s.data}
		m.search(all)
		if s.kind == FromResult {
			m.value(all)
		}
		if s.kind == FromResult || s.kind == FromTool {
			s.json = parseDocument(s.data)
		}
		all.escapes = s.json != nil
		q.views = append(q.views, all)
		if s.json == nil {
			continue
		}
		for n := range s.json.nodes {
			node := &s.json.nodes[n]
			if node.container {
				continue
			}
			at := s.json.content(node)
			v := view{shown: i, text: s.data[at.Start:at.End], base: at.Start}
			if s.data[node.start] == '"' && strings.IndexByte(v.text, '\\') >= 0 {
				v.text, v.at = unescape(v.text)
				q.views = append(q.views, v)
				if len(v.text) >= minCopy {
					m.search(v)
				}
			}
			if s.kind == FromResult {
				m.value(v)
			}
		}
	}
	q.runs = m.runs()
	if len(q.runs) > mostRuns {
		q.cut, q.runs = true, q.runs[:mostRuns]
	}
}

// inside lists the stretches that were copied of a range, cut to it.
func (q *inquiry) inside(r Range) []Range {
	var in []Range
	for _, run := range q.runs {
		run.Start, run.End = max(run.Start, r.Start), min(run.End, r.End)
		if run.Start < run.End {
			in = append(in, run)
		}
	}
	return in
}

// covered counts the bytes of a range that were copied.
func (q *inquiry) covered(r Range) (n int) {
	for _, run := range q.inside(r) {
		n += run.End - run.Start
	}
	return n
}

// explain cuts a range into runs: what was copied, and what was not.
func (q *inquiry) explain(r Range) []Run {
	return q.split(r, func(gap Range) []Run { return []Run{q.own(gap, say("not copied"), false)} })
}

// named cuts a range that is asked about by name into runs: it is one if it
// stands somewhere as a whole, and else few words in a row are runs as well.
func (q *inquiry) named(r Range) []Run {
	if sources := q.sourcesOf(r); sources != nil {
		return []Run{q.run(r, sources)}
	}
	return q.split(r, q.rows)
}

// split cuts a range into what was copied, and what other makes of the rest.
func (q *inquiry) split(r Range, other func(gap Range) []Run) []Run {
	var runs []Run
	rest := func(start, end int) {
		if gap := q.words(Range{start, end}); gap.Start < gap.End {
			runs = append(runs, other(gap)...)
		}
	}
	at := r.Start
	for _, in := range q.inside(r) {
		rest(at, in.Start)
		at = in.End
		runs = append(runs, q.run(in, q.sourcesOf(in)))
	}
	rest(at, r.End)
	return runs
}

func (q *inquiry) run(r Range, sources []Source) Run {
	run := Run{Range: r, Text: q.answer[r.Start:r.End], Sources: sources}
	if sources == nil {
		run.NotFound = &NotFound{Kind: OutOfBudget, Reason: say("too many")}
	}
	return run
}

// own is a run that was found nowhere, with what says so, unless the search
// was given up.
func (q *inquiry) own(r Range, reason string, givenUp bool) Run {
	none := &NotFound{Kind: NotRecorded, Reason: reason}
	if givenUp || q.cut || q.matcher.limited {
		none = &NotFound{Kind: OutOfBudget, Reason: say("given up")}
	}
	return Run{Range: r, Text: q.answer[r.Start:r.End], NotFound: none}
}

// rows cuts a range that was not copied into rows of words that stand
// somewhere, and the rest. A row has two words at least, or is all of it.
func (q *inquiry) rows(r Range) []Run {
	words := q.each(r)
	row := func(i, end int) Range { return Range{words[i].Start, words[end-1].End} }
	stands := func(i, end int) bool { return len(q.standing(row(i, end), 1)) > 0 }
	own := func(gap Range) Run {
		return q.own(gap, say(either(len(q.each(gap)) > 1, "own words", "own word")), q.spent)
	}
	var runs []Run
	least, from := min(2, len(words)), 0 // from is the first word without a source
	for i := 0; i+least <= len(words); {
		end := i + least
		if !stands(i, end) {
			i++
			continue
		}
		for end < len(words) && stands(i, end+1) {
			end++
		}
		if from < i {
			gap := row(from, i)
			if from == 0 {
				gap.Start = r.Start
			}
			runs = append(runs, own(gap))
		}
		runs = append(runs, q.run(row(i, end), q.sourcesOf(row(i, end))))
		i, from = end, end
	}
	switch {
	case from == 0:
		runs = append(runs, own(r))
	case from < len(words):
		runs = append(runs, own(Range{words[from].Start, r.End}))
	}
	return runs
}

// each lists the words of a range, without the punctuation around them.
func (q *inquiry) each(r Range) []Range {
	var words []Range
	at := r.Start
	for field := range strings.FieldsFuncSeq(q.answer[r.Start:r.End], unicode.IsSpace) {
		start := at + strings.Index(q.answer[at:r.End], field)
		at = start + len(field)
		edge := func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c) }
		if word := strings.TrimLeftFunc(field, edge); hasWord(word) {
			start = at - len(word)
			words = append(words, Range{start, start + len(strings.TrimRightFunc(word, edge))})
		}
	}
	return words
}

// standing lists up to so many places where a range of the answer stands: on whole
// words where the range is.
func (q *inquiry) standing(r Range, most int) []hit {
	text := q.answer[r.Start:r.End]
	left, right := wordEdge(q.answer, r.Start), wordEdge(q.answer, r.End)
	var found []hit
	for i := range q.views {
		v := &q.views[i]
		q.scan -= len(v.text) + 1
		for at := 0; q.scan >= 0; at++ {
			n := strings.Index(v.text[at:], text)
			if n < 0 {
				break
			}
			at += n
			q.scan -= len(text)
			end := at + len(text)
			if left && !wordEdge(v.text, at) || right && !wordEdge(v.text, end) || v.escapes && at > 0 && v.text[at-1] == '\\' {
				continue
			}
			if h := (hit{v.shown, v.place(at, end)}); !slices.Contains(found, h) {
				found = append(found, h)
			}
			if len(found) == most {
				return found
			}
		}
		if q.scan < 0 {
			q.spent = true
			break
		}
	}
	return found
}

// words is a range without the space around it; empty if there is no word in
// it.
func (q *inquiry) words(r Range) Range {
	text := q.answer[r.Start:r.End]
	if !hasWord(text) {
		return Range{r.Start, r.Start}
	}
	r.Start += len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	r.End -= len(text) - len(strings.TrimRight(text, " \t\r\n"))
	return r
}

// sourcesOf lists where a run stands: where it was copied from, and where else.
func (q *inquiry) sourcesOf(r Range) []Source {
	copies := q.matcher.hits(r)
	hits := slices.Clone(copies)
	if len(copies) == 0 || r.End-r.Start < minCopy { // what is longer was found already
		for _, h := range q.standing(r, maxSources+1) {
			if !slices.Contains(copies, h) {
				hits = append(hits, h)
			}
		}
	}
	if len(hits) > maxSources { // what was copied stays
		q.more, hits = true, hits[:maxSources]
	}
	slices.SortFunc(hits, hit.compare)
	var sources []Source
	for _, h := range hits {
		if q.sources++; q.sources > maxChains {
			q.more = true
			break
		}
		src := q.source(h)
		src.Brief = r.End-r.Start < minCopy && !slices.Contains(copies, h)
		sources = append(sources, src)
	}
	return sources
}

// unsearched says what was left out.
func (q *inquiry) unsearched() string {
	var said []string
	if q.cut || q.more || q.spent || q.matcher.limited {
		said = append(said, say("too much"))
	}
	if q.missing > 0 {
		said = append(said, say("missing pieces", "n", itoa(q.missing)))
	}
	return strings.Join(said, "; ")
}

func (q *inquiry) source(h hit) Source {
	s := &q.shown[h.shown]
	src := Source{
		Evidence: Fact, Kind: s.kind, Event: q.t.seq(s.origin), Part: s.number, Piece: s.Piece,
		Range: h.Range, Text: s.data[h.Start:h.End], Name: s.name,
	}
	src.around = lineAround(s.data, h.Range)
	src.line = s.data[src.around.Start:src.around.End]
	switch s.kind {
	case FromTool:
		src.Tool = s.Tool
	case FromResult:
		src.Call, src.Tool = s.Call, s.Tool
		if a, ok := q.t.asks[s.origin]; ok {
			src.Arguments = q.t.data(a.part)
		}
		src.Fills = s.json == nil && h.Range == Range{0, len(s.data)}
	}
	if s.json != nil {
		if n := s.json.around(h.Range); n != nil {
			src.Path, src.Fills = s.json.path(n), s.json.content(n) == h.Range
		}
	}
	if b, ok := q.body(s); ok {
		src.Kind, src.Skill, src.File = FromBody, b.Skill, b.File
		before := s.data[:h.Start]
		src.Line = max(b.Line, 1) + strings.Count(before, "\n")
		src.Column = b.Indent + len(before) - strings.LastIndexByte(before, '\n')
	}
	src.Chain = q.chain(s)
	return src
}

// body is the body of a skill that a part has, in the prompt or as the answer
// to read_skill.
func (q *inquiry) body(s *shown) (event.BodyText, bool) {
	if s.kind == FromResult && s.Tool != readSkill {
		return event.BodyText{}, false
	}
	if started := q.t.started(q.called); started != nil && s.Skill != "" {
		for _, b := range started.Graph.Bodies {
			if b.Skill == s.Skill && b.Piece == s.Piece {
				return b, true
			}
		}
	}
	b, ok := q.t.mapOf(q.called).bodies[s.Piece]
	if !ok && s.kind == FromBody {
		return event.BodyText{Skill: s.Skill}, true
	}
	return b, ok && (s.kind == FromBody || s.kind == FromResult)
}

// lineAround is the line that a range begins in, or what of it is near.
func lineAround(text string, r Range) Range {
	const near = 400
	start := max(0, r.Start-near)
	start += strings.LastIndexByte(text[start:r.Start], '\n') + 1
	end := min(len(text), r.Start+near)
	if i := strings.IndexByte(text[r.Start:end], '\n'); i >= 0 {
		end = r.Start + i
	}
	for start < r.Start && !utf8.RuneStart(text[start]) {
		start++
	}
	for end > r.Start && end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	return Range{start, end}
}

// chain leads from the answer to a part, and from there to the message.
func (q *inquiry) chain(s *shown) []Link {
	t := q.t
	reply := t.link(q.reply, Fact, say("reply"))
	_, _, ev := cause[*event.Called](t, q.reply)
	request := t.link(q.called, ev, say("request", "parts", itoa(q.parts), "part", itoa(s.number)))
	if s.kind == FromTool {
		request.Text = say("request tool", "parts", itoa(q.parts), "tool", line(s.Tool))
	}
	request.Skill = t.event(q.called).Body.(*event.Called).Skill
	links := []Link{reply, request}
	switch {
	case s.origin < 0:
	case s.kind == FromBody:
		return append(links, q.bodyChain(s.Skill)...)
	case s.kind == FromResult:
		if turn := t.turn[q.called]; turn >= 0 && turn != t.turn[s.origin] {
			links = append(links, t.link(t.turn[q.called], Fact, say("carried")))
		}
		if _, result := resultOf(t.event(s.origin).Body); result.Kind == "" {
			break // the recording does not say where it came from
		}
		links = append(links, t.resultLinks(s.origin)...)
		at := s.origin
		if a, ok := t.asks[s.origin]; ok {
			at = a.reply
		}
		return append(links, t.whereabouts(at)...)
	case s.kind == FromTool:
		return append(links, t.whereabouts(q.called)...)
	case s.kind == FromInstruction:
		return append(links, t.instructionLinks(q.called, s.name)...)
	case s.kind == FromNote && t.event(s.origin).Body.Kind() != (event.Called{}).Kind():
		links = append(links, t.toldLink(s.origin, Fact))
		at := s.origin
		if _, ok := t.event(at).Body.(*event.EffectJudged); ok {
			links = append(links, t.effectLinks(at)...)
		}
		return append(links, t.whereabouts(at)...)
	case s.kind == FromNote || s.kind == FromMenu:
		if s.origin != q.called {
			links = append(links, t.link(s.origin, Fact, say(either(s.kind == FromMenu, "menu put", "put"))))
		}
		return append(links, t.whereabouts(s.origin)...)
	case s.kind == FromHistory && t.turn[q.called] >= 0 && s.origin != t.turn[q.called]:
		links = append(links, t.link(t.turn[q.called], Fact, say("carried")))
		return append(links, t.message(s.origin)...)
	}
	return append(links, t.message(q.called)...)
}

// bodyChain tells how the body of a skill came into the request.
func (q *inquiry) bodyChain(skill string) []Link {
	t := q.t
	_, now, ev := cause[*event.Evaluated](t, q.called)
	if now < 0 {
		return t.message(q.called)
	}
	var links []Link
	since := t.activated(now, skill)
	if since != now {
		links = append(links, t.moveLink(now, ev))
	}
	switch {
	case t.move(since).To == skill:
		return append(links, t.back(t.entered(since))...)
	case slices.Contains(t.switched(since), skill):
		if b, j, ev := t.reply(since); j >= 0 {
			for _, p := range b.Parts {
				if p.Kind == model.Call && p.Tool == readSkill && readID(t.data(p)) == skill {
					links = append(links, t.askLink(j, ev, p, t.move(since).From))
					break
				}
			}
		}
		return append(links, t.back(t.entered(since))...)
	}
	name := "always"
	if slices.ContainsFunc(t.active[since], func(a event.Active) bool { return a.Skill == skill && a.Via == spoor.ViaRule }) {
		name = "ruled"
	}
	always := t.link(since, Fact, say(name, "iteration", itoa(t.event(since).Iteration), "skill", line(skill)))
	always.Skill = skill
	return append(append(links, always), t.message(since)...)
}

// instructionLinks tells why an instruction is in a request.
func (t *trail) instructionLinks(called int, id string) []Link {
	_, move, ev := cause[*event.Evaluated](t, called)
	n := t.instructs(move, id)
	if n == nil {
		return t.message(called)
	}
	for before := t.moveBefore(move); before >= 0; before = t.moveBefore(move) {
		if b := t.instructs(before, id); b == nil || *b != *n {
			break
		}
		move = before // it has been there since
	}
	at := itoa(t.event(move).Iteration)
	if n.Via != spoor.ViaLease {
		links := []Link{t.link(move, ev, say("ruled text", "iteration", at, "id", line(id)))}
		return append(links, t.back(t.entered(move))...)
	}
	links := []Link{t.link(move, ev, say("leased text", "iteration", at, "id", line(id), "call", line(n.Call), "lease", leaseText(n.Lease)))}
	for i := move - 1; i >= max(0, t.turn[move], move-maxBack); i-- {
		b, ok := t.event(i).Body.(*event.EffectJudged)
		if ok && b.Call == n.Call && b.Effect.Instruction == id && b.Outcome == event.EffectAccepted {
			links = append(links, t.toldLink(i, Fact))
			links = append(links, t.effectLinks(i)...)
			return append(links, t.whereabouts(i)...)
		}
	}
	return append(links, t.whereabouts(move)...)
}

// whereabouts tells how the walk came to where it stood at event i.
func (t *trail) whereabouts(i int) []Link {
	move := t.moveBefore(i)
	if move < 0 {
		return t.message(i)
	}
	return t.back(t.entered(move))
}
