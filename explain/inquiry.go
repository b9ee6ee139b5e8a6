package explain

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/internal/value"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
)

// An inquiry is a text that a model wrote in a reply, mostly the last answer,
// and all that the model was shown when it wrote it.
type inquiry struct {
	t       *trail
	ix      *corpus // of all that the model calls of the turn were shown
	args    *corpus // of what the model itself gave to tools
	asks    [][]ask
	answer  string
	reply   int // the event that has it, or -1
	called  int // the request that it answers, or -1
	parts   int // of that request
	shown   []shown
	at      [][]int // by piece of the index: where it is in shown
	missing int     // parts whose bytes are not in the recording

	look    *lookup // of the answer in what was shown
	gave    *lookup // in what the model gave to tools
	said    []Range // the sentences of the answer
	words   map[int]map[string]bool
	stand   map[Range][]site // of runs
	chains  map[int][]Link   // by shown
	derived map[int][]derived
	first   map[int]likeliest // by sentence
	f       *follower
	depth   int    // how far arguments are followed
	most    int    // sources of a run; 0 is maxSources
	named   string // of arguments: the name of what is asked about
	runs    []Range
	scan    int          // bytes that may still be looked through for few words
	sums    int          // values that may still be looked at in lists, to make an answer's of them
	tries   int          // combinations of values that may still be tried
	untried map[int]bool // values of the answer for which that did not suffice
	sources int

	cut      bool // there was too much to search
	more     bool // there was too much to list
	spent    bool // scan was used up
	notFound *NotFound
	rowing   rowing // what rows, sentences and conflicts are found with
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
	piece  int // of the index, or -1
}

// inquire finds the last answer and searches what the model was shown.
func inquire(r *recording.Recording) *inquiry {
	q := &inquiry{t: newTrail(r), reply: -1, called: -1, depth: maxDepth}
	q.f = newFollower(q.t)
	if q.notFound = q.find(); q.notFound != nil {
		return q
	}
	if q.notFound = q.asked(); q.notFound != nil {
		return q
	}
	s := q.f.scope(q.called)
	q.ix, q.args, q.asks = s.ix, s.args, s.asks
	q.show()
	q.search()
	return q
}

// asked finds the request that the reply answers.
func (q *inquiry) asked() *NotFound {
	if _, q.called, _ = cause[*event.Called](q.t, q.reply); q.called < 0 {
		return &NotFound{Kind: NotRecorded, Reason: say("no request")}
	}
	return nil
}

// indexes are those of all that the model calls of a turn were shown, up to one
// of them, and of the arguments that the model gave to tools before it: of each
// piece of these, which calls have it.
func (t *trail) indexes(called int) (shown, args *corpus, asks [][]ask) {
	var pieces, given []raw
	known := make(map[model.Digest]int, (called-max(t.turn[called], 0))/4)
	add := func(piece model.Digest, data string, json bool) {
		if i, again := known[piece]; again {
			pieces[i].json = pieces[i].json || json
			return
		}
		known[piece] = len(pieces)
		pieces = append(pieces, raw{piece, data, json})
	}
	from := max(t.turn[called], 0)
	for i := from; i <= called; i++ {
		b, ok := t.event(i).Body.(*event.Called)
		if !ok || t.aside[i] != "" {
			continue
		}
		for _, s := range b.Splices {
			for _, p := range s.Put {
				if data, ok := t.r.Piece(p.Piece); ok && source(p) && readable(p, data) {
					add(p.Piece, data, p.Role == model.Tool)
				}
			}
		}
		if b.Choice != nil {
			if data, ok := t.r.Piece(b.Choice.Piece); ok {
				add(b.Choice.Piece, data, true)
			}
		}
	}
	if s := t.started(called); s != nil {
		for _, tool := range s.Tools {
			if data, ok := t.r.Piece(tool.Piece); ok {
				add(tool.Piece, data, true)
			}
		}
	}
	at := map[model.Digest]int{}
	for i := max(0, from-maxBack); i < called; i++ {
		b, ok := t.event(i).Body.(*event.Replied)
		if !ok || t.aside[i] != "" {
			continue
		}
		for _, p := range b.Parts {
			if p.Kind != model.Call {
				continue
			}
			k, again := at[p.Piece]
			if !again {
				k = len(given)
				at[p.Piece] = k
				given = append(given, raw{p.Piece, t.data(p), true})
				asks = append(asks, nil)
			}
			asks[k] = append(asks[k], ask{i, p})
		}
	}
	return newCorpus(pieces), newCorpus(given), asks
}

// source reports whether a part of a request can be a source: not what the
// model itself has said.
func source(p model.Part) bool {
	return p.Role != model.Assistant && p.Kind != model.Call && p.Kind != model.Thinking
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
	from := q.f.origins()
	q.parts = len(parts)
	q.shown = make([]shown, 0, len(parts)/2+8) // the other half is what the model said itself
	for i, p := range parts {
		if !source(p.Part) {
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
	earlier := func(a, b shown) int { return cmp.Compare(a.origin, b.origin) }
	if !slices.IsSortedFunc(q.shown, earlier) {
		slices.SortStableFunc(q.shown, earlier)
	}
	q.at = make([][]int, len(q.ix.pieces))
	for i := range q.shown {
		s := &q.shown[i]
		k, ok := q.ix.known[s.Piece]
		if !ok {
			s.piece, q.cut = -1, true
			continue
		}
		s.piece, s.json = k, q.ix.pieces[k].json
		q.at[k] = append(q.at[k], i)
	}
}

// origins knows which events bring parts in.
type origins struct {
	results  map[key][]int          // by call id and piece, which may be of an earlier turn
	messages map[model.Digest][]int // of turns
}

type key struct {
	call  string
	piece model.Digest
}

func (t *trail) origins() *origins {
	o := &origins{make(map[key][]int, len(t.r.Events)/4), map[model.Digest][]int{}}
	for i := range t.r.Events {
		switch b := t.event(i).Body.(type) {
		case *event.Started:
			o.messages[b.Message.Piece] = append(o.messages[b.Message.Piece], i)
		default:
			if call, result := resultOf(b); result.Kind != "" {
				k := key{call, result.Piece}
				o.results[k] = append(o.results[k], i)
			}
			if r, ok := b.(*event.Returned); ok {
				for _, p := range r.More {
					k := key{r.Call, p.Piece}
					o.results[k] = append(o.results[k], i)
				}
			}
		}
	}
	return o
}

// lastUntil is the last of rising numbers that is not above i.
func lastUntil(list []int, i int) (int, bool) {
	k, found := slices.BinarySearch(list, i)
	if found {
		k++
	}
	if k == 0 {
		return 0, false
	}
	return list[k-1], true
}

// origin says what a part is that stands at a place of the request, what its
// author calls it, and which event brought it in: what nothing else did was put
// in by the request.
func (q *inquiry) origin(o *origins, p placed, at int) (kind SourceKind, name string, origin int) {
	turn := max(q.t.turn[q.called], 0)
	switch s := q.t.started(q.called); {
	case p.Role == model.Tool:
		if i, ok := lastUntil(o.results[key{p.Call, p.Piece}], q.called); ok {
			return FromResult, "", i
		}
		return FromResult, "", p.by
	case p.Role == model.User && s != nil && p.Piece == s.Message.Piece:
		return FromMessage, "", turn
	case p.Role == model.User:
		if i, ok := lastUntil(o.messages[p.Piece], turn-1); ok {
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

// search finds all stretches of the answer that stand in what was shown, and
// the values in it that can be computed from there.
func (q *inquiry) search() {
	const mostRuns = 4096
	text := q.answer
	if len(text) > maxAnswer {
		q.cut, text = true, text[:maxAnswer]
	}
	q.scan, q.sums, q.tries, q.untried = maxScan, maxSums, maxTries, map[int]bool{}
	q.words, q.chains, q.derived = map[int]map[string]bool{}, map[int][]Link{}, map[int][]derived{}
	q.first = map[int]likeliest{}
	q.stand = map[Range][]site{}
	q.look = q.ix.look(text, func(p int) bool { return len(q.at[p]) > 0 }, func(p int) bool {
		return slices.ContainsFunc(q.at[p], func(i int) bool { return q.shown[i].kind != FromTool && q.shown[i].kind != FromMenu })
	})
	all := func(int) bool { return true }
	q.gave = q.args.look(text, all, all)
	q.said = sentencesOf(text)
	q.runs = q.look.runs()
	var found []Range
	for k, v := range q.look.values {
		r := Range{v.Start, v.End}
		i := sort.Search(len(q.runs), func(i int) bool { return q.runs[i].End > r.Start })
		has := false // a run has digits of it, and not only its unit
		for ; i < len(q.runs) && q.runs[i].Start < r.End; i++ {
			has = has || !hasDigit(text[r.Start:r.End]) || hasDigit(text[max(r.Start, q.runs[i].Start):min(r.End, q.runs[i].End)])
		}
		if q.most == 0 && !has && q.look.uncut(r) == r && len(q.derive(k)) > 0 {
			found = append(found, r)
		}
	}
	if found != nil {
		q.runs = slices.Concat(without(q.runs, found), found)
		slices.SortFunc(q.runs, func(a, b Range) int { return cmp.Compare(a.Start, b.Start) })
	}
	if len(q.runs) > mostRuns {
		q.cut, q.runs = true, q.runs[:mostRuns]
	}
}

// without cuts from ranges what others have of them; both are in order.
func without(ranges, others []Range) []Range {
	var list []Range
	for _, r := range ranges {
		i := sort.Search(len(others), func(i int) bool { return others[i].End > r.Start })
		for ; i < len(others) && others[i].Start < r.End; i++ {
			if r.Start < others[i].Start {
				list = append(list, Range{r.Start, others[i].Start})
			}
			r.Start = others[i].End
		}
		if r.Start < r.End {
			list = append(list, r)
		}
	}
	return list
}

// again readies the inquiry for another question.
func (q *inquiry) again() {
	q.scan, q.sums, q.tries, q.sources = maxScan, maxSums, maxTries, 0
	q.more, q.spent = false, false
	q.f.left, q.f.scan = maxGivens, maxTrace
}

// sentence is the one of the answer that has byte i.
func (q *inquiry) sentence(i int) (Range, int) {
	k := sort.Search(len(q.said), func(k int) bool { return q.said[k].End > i })
	if k == len(q.said) {
		return Range{0, len(q.answer)}, -1
	}
	return q.said[k], k
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

// covered counts the bytes of a range that stand somewhere.
func (q *inquiry) covered(r Range) (n int) {
	for _, run := range q.inside(r) {
		n += run.End - run.Start
	}
	return n
}

// copied counts the bytes of runs that are backed by what was copied.
func copiedOf(runs []Run) (n int) {
	for _, r := range runs {
		if slices.ContainsFunc(r.Sources, func(s Source) bool { return s.solid() && (s.How == Verbatim || s.How == Folded) }) {
			n += r.End - r.Start
		}
	}
	return n
}

// explain cuts a range into runs: what was copied, and what was not.
func (q *inquiry) explain(r Range) []Run {
	return q.split(r, q.inside(r), func(gap Range) []Run { return []Run{q.own(gap, say("not copied"), false)} })
}

// asking cuts a range that is asked about by name into runs: it is one if it
// stands somewhere as a whole, and else few words in a row are runs as well.
func (q *inquiry) asking(r Range) []Run {
	if sources := q.sourcesOf(r); sources != nil {
		return []Run{q.run(r, sources)}
	}
	least := min(2, len(q.each(r)))
	return q.split(r, q.widened(r), func(gap Range) []Run { return q.rows(gap, least) })
}

// widened are the stretches of inside, those of one word or a few with the words beside them
// that stand there, too: of "is paid back" the word "paid" is a value elsewhere as well.
func (q *inquiry) widened(r Range) []Range {
	runs, words := q.inside(r), q.each(r)
	for i := range runs {
		run := &runs[i]
		if run.End-run.Start >= minCopy || hasDigit(q.answer[run.Start:run.End]) {
			continue
		}
		from, to := r.Start, r.End
		if i > 0 {
			from = runs[i-1].End
		}
		if i+1 < len(runs) {
			to = runs[i+1].Start
		}
		first := sort.Search(len(words), func(k int) bool { return words[k].End > run.Start })
		for k := first - 1; k >= 0 && words[k].Start >= from; k-- {
			if wider := (Range{words[k].Start, run.End}); len(q.standing(wider, 1)) > 0 {
				*run = wider
				continue
			}
			break
		}
		last := sort.Search(len(words), func(k int) bool { return words[k].Start >= run.End })
		for k := last; k < len(words) && words[k].End <= to; k++ {
			if wider := (Range{run.Start, words[k].End}); len(q.standing(wider, 1)) > 0 {
				*run = wider
				continue
			}
			break
		}
	}
	return runs
}

// split cuts a range into what was copied, and what other makes of the rest.
func (q *inquiry) split(r Range, copied []Range, other func(gap Range) []Run) []Run {
	var runs []Run
	rest := func(start, end int) {
		if gap := q.bare(Range{start, end}); gap.Start < gap.End {
			runs = append(runs, other(gap)...)
		}
	}
	at := r.Start
	for _, in := range copied {
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
	for k := range q.untried {
		givenUp = givenUp || q.look.values[k].Start < r.End && q.look.values[k].End > r.Start
	}
	if givenUp || q.cut || q.ix.cut || q.look.limited {
		none = &NotFound{Kind: OutOfBudget, Reason: say("given up")}
	}
	return Run{Range: r, Text: q.answer[r.Start:r.End], NotFound: none}
}

// rows cuts a range that was not copied into rows of words that stand
// somewhere, and the rest. A row has at least so many words.
func (q *inquiry) rows(r Range, least int) []Run {
	words := q.each(r)
	row := func(i, end int) Range { return Range{words[i].Start, words[end-1].End} }
	stands := func(i, end int) bool { return len(q.standing(row(i, end), 1)) > 0 }
	own := func(gap Range) Run {
		return q.own(gap, say(either(len(q.each(gap)) > 1, "own words", "own word")), q.spent)
	}
	var runs []Run
	from := 0 // the first word without a source
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
	for i := range q.shown {
		s := &q.shown[i]
		if s.piece < 0 {
			continue
		}
		texts := []plainText{{text: s.data}}
		if s.json != nil {
			texts = s.json.texts
		}
		for k := range texts {
			v := &texts[k]
			q.scan -= len(v.text) + 1
			for at := 0; q.scan >= 0; at++ {
				n := strings.Index(v.text[at:], text)
				if n < 0 {
					break
				}
				at += n
				q.scan -= len(text)
				end := at + len(text)
				escaped := s.json != nil && k == 0 && at > 0 && v.text[at-1] == '\\'
				if left && !wordEdge(v.text, at) || right && !wordEdge(v.text, end) || escaped {
					continue
				}
				if h := (hit{shown: i, Range: Range{v.place(at), v.place(end)}, how: Verbatim, as: value.Equal}); !slices.Contains(found, h) {
					found = append(found, h)
				}
				if len(found) == most {
					return found
				}
			}
			if q.scan < 0 {
				q.spent = true
				return found
			}
		}
	}
	return found
}

// bare is a range without the space around it, and without what ends the words
// before it; empty if there is no word in
// it.
func (q *inquiry) bare(r Range) Range {
	text := q.answer[r.Start:r.End]
	if !hasWord(text) {
		return Range{r.Start, r.Start}
	}
	r.Start += len(text) - len(strings.TrimLeft(text, " \t\r\n.,;:!?)]}"))
	r.End -= len(text) - len(strings.TrimRight(text, " \t\r\n"))
	return r
}

// hits lists where a range of the answer stands.
func (q *inquiry) hits(r Range) []hit {
	var hits []hit
	for _, s := range q.look.sites(r) {
		for _, i := range q.at[s.piece] {
			hits = append(hits, hit{shown: i, Range: s.Range, how: s.how, as: s.as})
		}
	}
	return hits
}

// A finding is a hit with what is known of it.
type finding struct {
	hit
	brief, weak, echoed bool
	repeats             bool // what its own call was given
	row                 *Row
	from                []Place // of what is derived
	rule                string
}

// rank orders findings: what a person would point at comes first.
func (q *inquiry) rank(a, b finding) int {
	no := func(yes bool) int { return map[bool]int{true: 1}[yes] }
	row := func(f *finding) int {
		switch {
		case f.row == nil:
			return 1
		case f.row.Wrong:
			return 2
		}
		return 0
	}
	return cmp.Or(cmp.Compare(no(a.echoed), no(b.echoed)), cmp.Compare(no(a.brief), no(b.brief)), cmp.Compare(no(a.weak), no(b.weak)),
		cmp.Compare(no(a.repeats), no(b.repeats)), cmp.Compare(row(&a), row(&b)), cmp.Compare(no(q.offered(a.shown)), no(q.offered(b.shown))), cmp.Compare(a.how.rank(), b.how.rank()), cmp.Compare(b.as, a.as),
		cmp.Compare(q.shown[a.shown].origin, q.shown[b.shown].origin), a.hit.compare(b.hit))
}

// offered reports whether a part says what there is to call or to read.
func (q *inquiry) offered(i int) bool {
	return q.shown[i].kind == FromTool || q.shown[i].kind == FromMenu
}

// findings lists where a run stands, what backs it most first.
func (q *inquiry) findings(r Range) []finding {
	hits := q.hits(r)
	copies := len(hits)
	if copies == 0 || r.End-r.Start < minCopy { // what is longer was found already
		for _, h := range q.standing(r, maxSources+1) {
			if !slices.ContainsFunc(hits[:copies], func(b hit) bool { return b.shown == h.shown && b.Range == h.Range }) {
				hits = append(hits, h)
			}
		}
	}
	if len(hits) > maxHits { // what was copied stays
		q.more, hits = true, hits[:maxHits]
	}
	_, number := q.sentence(r.Start)
	common := q.common(r)
	list := make([]finding, len(hits))
	for i, h := range hits {
		f := finding{hit: h, brief: i >= copies && r.End-r.Start < minCopy, row: q.row(h, r)}
		said := q.most > 0 && (q.shown[h.shown].kind == FromMessage || q.shown[h.shown].kind == FromHistory) // what a person gave
		f.weak = !f.brief && common && !said && (f.row == nil || f.row.Wrong || f.row.listed) && !q.near(h, number) && !(i < maxTogether && q.together(r, h, ""))
		f.weak = f.weak || !f.brief && common && q.onlyID(h, r)
		list[i] = f
	}
	q.echo(r, common, list)
	wrong := slices.ContainsFunc(list, func(f finding) bool { return f.row != nil && f.row.Wrong })
	if common && !wrong || !slices.ContainsFunc(list, func(f finding) bool { return !f.weak && !f.echoed && !f.brief }) {
		if k := q.look.valueAt(r); k >= 0 {
			for _, d := range q.derive(k) {
				list = append(list, d.finding)
			}
		}
	}
	slices.SortStableFunc(list, q.rank)
	return list
}

// sourcesOf lists where a run stands: where it was copied from, and where else.
func (q *inquiry) sourcesOf(r Range) []Source {
	var sources []Source
	weak := 0
	for _, f := range q.findings(r) {
		if f.weak {
			if weak++; weak > maxWeak {
				continue // it says nothing more
			}
		}
		if q.sources++; q.sources > maxChains || len(sources) == cmp.Or(q.most, maxSources) {
			q.more = q.most == 0
			break
		}
		sources = append(sources, q.source(f, len(sources) == 0))
	}
	return sources
}

// common reports whether a range of the answer says little by itself.
func (q *inquiry) common(r Range) bool {
	if r.End-r.Start >= minCopy {
		return false
	}
	if k := q.look.valueAt(r); k >= 0 {
		return q.look.values[k].Common
	}
	text := folded(q.answer[r.Start:r.End])
	return len(text) <= 3 && !hasDigit(text) && !isCapital(q.answer[r.Start:]) || slices.Contains([]string{"true", "false", "null", "none"}, text)
}

// near reports whether the sentence speaks of what a hit says: of the key of
// the JSON value that it fills, or of other words of its line.
func (q *inquiry) near(h hit, sentence int) bool {
	s := &q.shown[h.shown]
	words := q.wordsOf(sentence)
	if s.json == nil {
		if h.Range == (Range{0, len(s.data)}) && s.kind == FromResult {
			return true
		}
		at, n := lineAround(s.data, h.Range), 0
		for w := range wordsIn(s.data[at.Start:h.Start] + " " + s.data[h.End:max(h.End, at.End)]) {
			if len(w) >= 4 && words[w] {
				n++
			}
		}
		return n >= 2
	}
	n := s.json.around(h.Range)
	if n == nil || n.container || n.inner != h.Range {
		return false
	}
	for n.key < 0 && n.parent >= 0 {
		n = &s.json.nodes[n.parent]
	}
	any := false
	for w := range wordsIn(s.json.name(n)) {
		if !words[w] {
			return false
		}
		any = true
	}
	return any
}

// wordsOf are the words of a sentence of the answer.
func (q *inquiry) wordsOf(sentence int) map[string]bool {
	if words, ok := q.words[sentence]; ok {
		return words
	}
	text := q.answer
	if sentence >= 0 {
		text = text[q.said[sentence].Start:q.said[sentence].End]
	}
	q.words[sentence] = wordsIn(text + " " + q.named)
	return q.words[sentence]
}

// wordsIn are the words of a text, folded, in the singular; of windowDays they
// are window and day.
func wordsIn(text string) map[string]bool {
	words := map[string]bool{}
	start := 0
	put := func(end int) {
		if start < end {
			w := folded(text[start:end])
			if len(w) > 3 {
				w = strings.TrimSuffix(w, "s")
			}
			words[w] = true
		}
		start = end
	}
	var before rune
	for i, r := range text {
		switch {
		case r == '_' || !inWord(r):
			put(i)
			start = i + utf8.RuneLen(r)
			if r == utf8.RuneError {
				start = i + 1
			}
		case unicode.IsUpper(r) && unicode.IsLower(before):
			put(i)
		}
		before = r
	}
	put(len(text))
	return words
}

// echo marks the results that only repeat what the model itself gave to a tool:
// nothing that it had been shown by then has it.
func (q *inquiry) echo(r Range, common bool, list []finding) {
	var own []ask
	for _, s := range q.gave.sites(r) {
		own = append(own, q.asks[s.piece]...)
	}
	if own == nil {
		return
	}
	first := -1 // the origin of the first that is no echo
	for _, i := range order(list, func(a, b finding) int { return cmp.Compare(q.shown[a.shown].origin, q.shown[b.shown].origin) }) {
		f := &list[i]
		s := &q.shown[f.shown]
		if a, ok := q.t.asks[s.origin]; ok && s.kind == FromResult {
			for _, o := range own {
				same := o.reply == a.reply && o.part.Call == a.part.Call
				if o.reply > a.reply || !same && common || q.together(r, f.hit, folded(q.t.data(o.part))) {
					continue
				}
				f.repeats = f.repeats || same
				f.echoed = f.echoed || first < 0 || first >= o.reply
			}
		}
		if !f.echoed && first < 0 {
			first = s.origin
		}
	}
}

// together reports whether a hit of a run stands in one JSON object with something
// else that its sentence says, and that is not in a text that was given: then it
// is how the tool says what its answer is about.
func (q *inquiry) together(r Range, f hit, given string) bool {
	const near = 2048
	s := &q.shown[f.shown]
	if s.json == nil {
		return false
	}
	n := s.json.around(f.Range)
	for n != nil && n.parent >= 0 {
		up := &s.json.nodes[n.parent]
		if n.container && (n.key < 0 || up.end-up.start > near) {
			break // beside it are other rows
		}
		n = up
	}
	if n == nil {
		return false
	}
	sentence, _ := q.sentence(r.Start)
	return slices.ContainsFunc(q.runs, func(other Range) bool {
		if other.Start < sentence.Start || other.End > sentence.End || other == r || given != "" && strings.Contains(given, folded(q.answer[other.Start:other.End])) {
			return false
		}
		return slices.ContainsFunc(q.sites(other), func(w site) bool {
			return w.piece == s.piece && w.Start >= n.start && w.End <= n.end && (w.End <= f.Start || w.Start >= f.End) &&
				!(given != "" && strings.Contains(given, folded(s.data[w.Start:w.End])))
		})
	})
}

// sites are those of a run, looked up once.
func (q *inquiry) sites(run Range) []site {
	list, ok := q.stand[run]
	if !ok {
		list = q.look.sites(run)
		q.stand[run] = list
	}
	return list
}

// order is the order of a list, which stays as it is.
func order[T any](list []T, compare func(a, b T) int) []int {
	at := make([]int, len(list))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return compare(list[a], list[b]) })
	return at
}

// unsearched says what was left out.
func (q *inquiry) unsearched() string {
	var said []string
	if q.cut || q.ix.cut || q.more || q.spent || len(q.untried) > 0 || q.look.limited {
		said = append(said, say("too much"))
	}
	if q.missing > 0 {
		said = append(said, say("missing pieces", "n", itoa(q.missing)))
	}
	return strings.Join(said, "; ")
}

// source tells a finding. The best of its run tells as well where the arguments
// of the calls on the way came from.
func (q *inquiry) source(h finding, best bool) Source {
	s := &q.shown[h.shown]
	src := Source{
		Evidence: Fact, How: h.how, Kind: s.kind, Event: q.t.seq(s.origin), Part: s.number, Piece: s.Piece,
		Range: h.Range, Text: s.data[h.Start:h.End], Name: s.name,
		Brief: h.brief, Weak: h.weak, Echoed: h.echoed, Row: h.row, Rule: h.rule, From: h.from,
	}
	if h.how != Verbatim {
		src.Evidence = Derived
	}
	if h.how == SameAs && h.as != value.Equal {
		src.Rule = h.as.String()
	}
	if s.kind == FromResult && q.most == 0 {
		src.Stale = q.stale(s)
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
	if q.most == 0 || best {
		src.Chain = q.chainOf(h.shown)
	}
	if best {
		src.Chain = q.follow(src.Chain)
	}
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

// chainOf is the chain of a part, made once. It is shared, and never changed.
func (q *inquiry) chainOf(i int) []Link {
	links, ok := q.chains[i]
	if !ok {
		links = slices.Clip(q.chain(&q.shown[i]))
		q.chains[i] = links
	}
	return links
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
