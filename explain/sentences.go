package explain

import (
	"cmp"
	"encoding/json"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spoorhq/spoor/internal/value"
)

// A cut is a sentence, and what it is in the layout of the text.
type cut struct {
	Range
	kind cutKind
	mark int // bytes of the sign that begins it: of a heading, or of an item of a list
}

type cutKind uint8

const (
	plainCut   cutKind = iota // of a paragraph
	furtherCut                // of a paragraph, and not its first
	headCut                   // a heading
	itemCut                   // the first of an item of a list
	headerCut                 // the names of the columns of a table
	rowCut                    // of a table
	codeCut                   // a block of code
)

// sentencesOf cuts a text into sentences. What has a word in it is in one of
// them, and none overlap.
func sentencesOf(text string) []Range {
	cuts := cutsOf(text)
	list := make([]Range, len(cuts))
	for i, c := range cuts {
		list[i] = c.Range
	}
	return list
}

// cutsOf reads the lines of a text: a heading, an item of a list and a row of a
// table begin anew, a block of code is a sentence, and so is what a paragraph
// has up to the sign that ends a sentence. A line ends its sentence, unless it
// was broken because it was full.
func cutsOf(text string) []cut {
	var cuts []cut
	add := func(start, end int, kind cutKind, mark int) {
		r := trimSpace(text, Range{start, end})
		if hasWord(text[r.Start:r.End]) {
			cuts = append(cuts, cut{r, kind, mark})
		}
	}
	data := jsonCuts{text: text}
	for at := 0; at < len(text); {
		if stop := data.end(at); stop > 0 {
			for _, r := range data.rows(at, stop) {
				add(r.Start, r.End, codeCut, 0)
			}
			at = stop
			continue
		}
		end := lineEnd(text, at)
		line := text[at:end]
		if fence := fenceOf(line); fence != "" {
			stop := end
			for stop < len(text) {
				begin := stop + 1
				stop = lineEnd(text, begin)
				if closing := fenceOf(text[begin:stop]); strings.HasPrefix(closing, fence) {
					break
				}
			}
			if begin := min(end+1, stop); data.end(begin) > 0 {
				for i, r := range data.rows(begin, data.end(begin)) {
					if i == 0 {
						r.Start = at
					}
					add(r.Start, r.End, codeCut, 0)
					begin = r.End
				}
				add(begin, stop, codeCut, 0)
			} else {
				add(at, stop, codeCut, 0)
			}
			at = stop + 1
			continue
		}
		kind, mark := lineKind(line)
		switch kind {
		case headCut, rowCut:
			if kind == rowCut && end < len(text) && isRule(text[end+1:lineEnd(text, end+1)]) {
				kind = headerCut
			}
			add(at, end, kind, mark)
			at = end + 1
			continue
		}
		for end < len(text) && goesOn(text[at:end], text[end+1:lineEnd(text, end+1)]) {
			end = lineEnd(text, end+1)
		}
		begin := at + len(line) - len(strings.TrimLeft(line, " \t"))
		for i := begin + mark; i < end; {
			stop := sentenceEnd(text[:end], i)
			add(begin, stop, kind, mark)
			begin, i, mark = stop, stop, 0
			kind = furtherCut
		}
		at = end + 1
	}
	return cuts
}

// jsonCuts finds the JSON in a text that begins a line.
type jsonCuts struct {
	text string
	skip int // no JSON begins before
	last [2]int
}

// end is where the JSON object or array ends that begins at a line; 0 if none
// does, or if something follows it in its last line.
func (j *jsonCuts) end(at int) int {
	if j.last[1] > 0 && j.last[0] == at {
		return j.last[1]
	}
	begin := at + len(j.text[at:]) - len(strings.TrimLeft(j.text[at:], " \t"))
	if begin < j.skip || begin >= len(j.text) || j.text[begin] != '{' && j.text[begin] != '[' {
		return 0
	}
	d := json.NewDecoder(strings.NewReader(j.text[begin:]))
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		j.skip = len(j.text) // it ends in the middle
		if wrong, ok := err.(*json.SyntaxError); ok && wrong.Offset > 0 && begin+int(wrong.Offset) < len(j.text) {
			j.skip = begin + int(wrong.Offset)
		}
		return 0
	}
	end := begin + int(d.InputOffset())
	j.skip = end
	if strings.TrimSpace(j.text[end:lineEnd(j.text, end)]) != "" {
		return 0
	}
	j.last = [2]int{at, end}
	return end
}

// rows cuts JSON after each object that has no other in it, so that each row is
// one piece.
func (j *jsonCuts) rows(at, end int) []Range {
	d := parseFlat(j.text[at:end])
	if d == nil {
		return []Range{{at, end}}
	}
	inner := make([]bool, len(d.nodes)) // it has an object
	object := func(n *node) bool { return n.container && d.text[n.start] == '{' }
	for i := range slices.Backward(d.nodes) {
		if n := &d.nodes[i]; n.parent >= 0 && (object(n) || inner[i]) {
			inner[n.parent] = true
		}
	}
	var list []Range
	from := at
	for i := range d.nodes {
		if n := &d.nodes[i]; object(n) && !inner[i] {
			if !hasWord(j.text[from : at+n.start]) {
				from = at + n.start
			}
			list = append(list, Range{from, at + n.end})
			from = at + n.end
		}
	}
	if len(list) == 0 || hasWord(j.text[from:end]) {
		list = append(list, Range{from, end})
	}
	return list
}

func lineEnd(text string, at int) int {
	if at >= len(text) {
		return len(text)
	}
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(text)
}

// fenceOf is the fence that a line is; empty if it is none.
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " \t")
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 && !strings.Contains(line[n:], c) {
			return line[:n]
		}
	}
	return ""
}

// lineKind says what a line begins, and how long the sign is that says so.
func lineKind(line string) (cutKind, int) {
	trimmed := strings.TrimLeft(line, " \t>")
	before := len(strings.TrimLeft(line, " \t")) - len(trimmed)
	trimmed = strings.TrimRight(trimmed, " \t\r")
	if n := len(trimmed) - len(strings.TrimLeft(trimmed, "#")); 0 < n && n <= 6 && strings.HasPrefix(trimmed[n:], " ") {
		return headCut, before + n
	}
	if strings.HasPrefix(trimmed, "**") && strings.HasSuffix(strings.TrimSuffix(trimmed, ":"), "**") && strings.Count(trimmed, "**") == 2 && len(trimmed) <= 80 {
		return headCut, before // a line in bold
	}
	if strings.HasPrefix(trimmed, "|") && strings.Count(trimmed, "|") > 1 || strings.Count(trimmed, " | ") > 1 {
		return rowCut, 0
	}
	if n := itemMark(trimmed); n > 0 {
		return itemCut, before + n
	}
	return plainCut, before
}

// itemMark is how long the sign of an item of a list is that a line begins
// with: a bullet, or a number of up to three digits or a letter with a dot or a bracket.
func itemMark(line string) int {
	n := 0
	for _, bullet := range []string{"- ", "* ", "+ ", "• ", "– "} {
		if strings.HasPrefix(line, bullet) {
			n = len(bullet)
		}
	}
	if n == 0 {
		i := 0
		if strings.HasPrefix(line, "(") {
			i++
		}
		digits := i
		for i < len(line) && '0' <= line[i] && line[i] <= '9' {
			i++
		}
		if i == digits && i < len(line) && unicode.IsLetter(rune(line[i])) && strings.HasPrefix(line[i+1:], ") ") {
			i++
		}
		if i == digits || i > digits+3 || !strings.HasPrefix(line[i:], ". ") && !strings.HasPrefix(line[i:], ") ") {
			return 0
		}
		n = i + 2
	}
	for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
		if strings.HasPrefix(line[n:], box) {
			n += len(box)
		}
	}
	return n
}

// goesOn reports whether a sentence goes on in the next line: this line was
// full, nothing ends it, and the next one begins nothing.
func goesOn(text, next string) bool {
	const full = 40
	line := strings.TrimRight(text[strings.LastIndexByte(text, '\n')+1:], " \t\r")
	if len(line) < full || strings.TrimSpace(next) == "" || fenceOf(next) != "" {
		return false
	}
	if kind, mark := lineKind(next); kind != plainCut || mark > 0 {
		return false
	}
	switch r, _ := utf8.DecodeLastRuneInString(line); {
	case r == ':', ends(r), strings.ContainsRune(closers, r):
		return false
	}
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(next, " \t"))
	return unicode.IsLower(r) || unicode.IsDigit(r) || r == '(' || unicode.Is(unicode.Han, r)
}

const closers = "\"')]}*_`”’»」』）】"

// ends reports whether r may end a sentence.
func ends(r rune) bool { return r == '.' || r == '!' || r == '?' || r == '…' || endsAlone(r) }

// endsAlone reports whether r ends a sentence also where no space follows.
func endsAlone(r rune) bool {
	switch r {
	case '。', '！', '？', '｡', '।', '۔', '؟', '።':
		return true
	}
	return false
}

// sentenceEnd is the end of the sentence that begins at i.
func sentenceEnd(text string, i int) int {
	begin := i
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		sign := i
		i += n
		if !ends(r) {
			continue
		}
		alone := endsAlone(r)
		for i < len(text) {
			r, n := utf8.DecodeRuneInString(text[i:])
			if !ends(r) && !strings.ContainsRune(closers, r) {
				break
			}
			alone = alone || endsAlone(r)
			i += n
		}
		if i == len(text) || alone {
			return i
		}
		if next, _ := utf8.DecodeRuneInString(text[i:]); !unicode.IsSpace(next) {
			continue
		}
		rest := strings.TrimLeftFunc(text[i:min(len(text), i+64)], func(r rune) bool {
			return unicode.IsSpace(r) || strings.ContainsRune("\"'([{*_`“„‘«¿¡", r)
		})
		next, _ := utf8.DecodeRuneInString(rest)
		if unicode.IsLower(next) && !(r == '.' && surelyEnds(text[begin:sign], rest)) || r == '.' && abbreviated(text[begin:sign], rest) {
			continue
		}
		return i
	}
	return i
}

// surelyEnds reports whether a dot ends a sentence though the next word has no
// capital letter, as names have none that machines have: after a word that is no
// abbreviation, or a number that is no day.
func surelyEnds(text, rest string) bool {
	word := lastWord(text)
	short := strings.ToLower(word)
	if strings.HasSuffix(text, ".") || longAbbreviations[short] || abbreviated(text, rest) {
		return false
	}
	next := firstField(rest)
	named := strings.ContainsAny(next, "0123456789_") // as web-01 is
	digits, letters := 0, 0
	for _, r := range word {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		}
	}
	switch {
	case digits > 0:
		return digits > 2 || letters > 0 || named || strings.ContainsAny(word, ".,%")
	case strings.Contains(word, "."):
		return false
	}
	return letters > 3 || letters > 1 && named || dotlessUnits[short] || named && measured(text, word)
}

var (
	longAbbreviations = set("dept corp assn temp orig misc prev attn govt intl natl evtl inkl exkl zzgl abzgl bspw insb sept tues thurs acct cont appt blvd ident spec")
	dotlessUnits      = set("ms ns gb mb kb tb gib mib kib kw kwh mwh eur usd gbp chf kg km hz khz mhz ghz")
)

// measured reports whether the last word of a text is a unit: a number stands
// before it.
func measured(text, word string) bool {
	before := strings.TrimSuffix(text, word)
	v := value.Scan(text[max(0, len(before)-24):])
	return len(v) > 0 && v[len(v)-1].Unit != "" && max(0, len(before)-24)+v[len(v)-1].End == len(text)
}

// lastWord is what a text ends with, after space or a sign that opens.
func lastWord(text string) string {
	word := text[max(0, len(text)-32):]
	return word[strings.LastIndexFunc(word, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("([\"'“„/*_", r) })+1:]
}

func firstField(text string) string {
	if i := strings.IndexFunc(text, unicode.IsSpace); i >= 0 {
		return text[:i]
	}
	return text
}

// abbreviated reports whether the dot after text is that of an abbreviation or
// of a day, as it is before rest.
func abbreviated(text, rest string) bool {
	word := lastWord(text)
	next, size := utf8.DecodeRuneInString(rest)
	if r, n := utf8.DecodeRuneInString(word); n == len(word) && n > 0 && !unicode.IsDigit(r) {
		// Of a name, or as in z. B.
		return unicode.IsUpper(r) && r != 'I' || unicode.IsLetter(next) && strings.HasPrefix(rest[size:], ".")
	}
	if n := len(word); n > 0 && n <= 2 && strings.Trim(word, "0123456789") == "" && unicode.IsLetter(next) {
		v := value.Scan(word + ". " + rest) // 3. Dezember
		return len(v) > 0 && v[0].Kind == value.Date && v[0].Start == 0 && v[0].End > n+2
	}
	if measured(text, word) {
		return false // 30 ms, and not Ms. Lind
	}
	switch strings.ToLower(word) {
	case "mr", "mrs", "ms", "dr", "prof", "st", "vs", "e.g", "i.e", "eg", "ie", "cf", "approx", "ca", "fig", "sec", "ch", "vol", "ref", "art", "rev",
		"gen", "sen", "rep", "hon", "mt", "resp", "incl", "excl", "max", "min", "avg", "est", "tel", "ext", "dept", "z.b", "d.h", "u.a", "bzw", "sog", "vgl", "p.ex":
		return true
	case "no", "nr", "nos", "pp", "p", "art.no", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec":
		return unicode.IsDigit(next)
	}
	return false
}

func trimSpace(text string, r Range) Range {
	s := text[r.Start:r.End]
	r.Start += len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace))
	return Range{r.Start, r.Start + len(strings.TrimSpace(s))}
}

// lastBefore is the index of the last of some sentences that begins at or before a place; -1
// if there is none.
func lastBefore(cuts []cut, at int) int {
	return sort.Search(len(cuts), func(i int) bool { return cuts[i].Start > at }) - 1
}

// A Verdict says how far the answer is backed by what the model was shown.
type Verdict string

const (
	Grounded    Verdict = "grounded"         // all that can be checked stands there
	Misplaced   Verdict = "misplaced"        // a value stands there only beside what the sentence does not speak of
	Partly      Verdict = "partly"           // some of it stands there
	Unsupported Verdict = "unsupported"      // none of it does
	Unchecked   Verdict = "nothing to check" // it makes no claim
	Unsearched  Verdict = "out of budget"    // there was too much to search
)

// A Sentence is one of the answer, with what backs it.
type Sentence struct {
	Range           // of the answer
	Text    string  `json:"text"`
	Verdict Verdict `json:"verdict"`

	// Claims are what of it can be checked, in order: each value, and each
	// stretch of words that was copied. Where there are neither, but words that
	// claim something, it has none, and is unsupported.
	Claims []Claim `json:"claims,omitempty"`

	// Unsupported are the ranges of the answer that nothing backs: values, or all
	// of the sentence.
	Unsupported []Range `json:"unsupported,omitempty"`

	// Stale is set if a claim rests on a result that a later one of the same call
	// took the place of, and says otherwise.
	Stale bool `json:"stale,omitempty"`
}

// A Claim is what can be checked of a sentence.
type Claim struct {
	Range           // of the answer
	Text    string  `json:"text"`
	Verdict Verdict `json:"verdict"` // grounded, misplaced, unsupported or out of budget

	// Source is what backs it best, or of what is misplaced where it stands. Run
	// and Index say where in the runs of the answer it is. Of what is grounded only as
	// the subject of another claim it is nil, and Subject says where it stands.
	Source  *Source `json:"-"`
	Run     int     `json:"run"`   // from 0; -1 if there is none
	Index   int     `json:"index"` // of the source in the run, from 0; -1 if there is none
	Subject *Place  `json:"subject,omitempty"`

	// Of Source.
	How   How        `json:"how,omitempty"`
	Kind  SourceKind `json:"kind,omitempty"`
	Event int        `json:"event,omitempty"`
	Call  string     `json:"call,omitempty"`
	Tool  string     `json:"tool,omitempty"`
	Path  string     `json:"path,omitempty"`
	At    Range      `json:"at,omitzero"` // of the piece
	Row   *Row       `json:"row,omitempty"`
	Stale *Stale     `json:"stale,omitempty"`

	// Instead is what was shown of what the sentence speaks of, where the claim
	// is misplaced or unsupported.
	Instead []Place `json:"instead,omitempty"`

	words bool // it names no value
}

// sentences judges every sentence of the answer by its runs.
func (q *inquiry) sentences(runs []Run) []Sentence {
	w := q.rowed()
	list := make([]Sentence, 0, len(w.cuts))
	from := 0 // the first run that may reach into the sentence
	for _, c := range w.cuts {
		for from < len(runs) && runs[from].End <= c.Start {
			from++
		}
		s := Sentence{Range: c.Range, Text: q.answer[c.Start:c.End]}
		if c.End > len(w.said.text) {
			s.Verdict = Unsearched
			list = append(list, s)
			continue
		}
		s.Claims = q.claims(c, runs, from)
		q.subjects(s.Claims)
		s.judge(c, q)
		list = append(list, s)
	}
	w.judged = list
	return list
}

// claims lists what of a sentence can be checked.
func (q *inquiry) claims(c cut, runs []Run, from int) []Claim {
	begin := c.Start + c.mark
	var claims []Claim
	values := q.valuesIn(c.Range)
	links := linksIn(q.answer, c.Range)
	within := func(list []Range, r Range) bool {
		return slices.ContainsFunc(list, func(l Range) bool { return l.Start < r.End && r.Start < l.End })
	}
	for _, r := range links {
		claims = append(claims, q.claim(r, false, false, runs, from))
	}
	for _, v := range values {
		if v.Start < begin || within(links, Range{v.Start, v.End}) {
			continue // the number of an item, or of a link
		}
		r := Range{v.Start, min(v.End, c.End)}
		id := q.idSaid(r, c.Range)
		claim := q.claim(r, v.Common, id != nil, runs, from)
		if claim.Source == nil && id != nil {
			claim.Verdict, claim.Subject = Grounded, id
		}
		claims = append(claims, claim)
	}
	for i := from; i < len(runs) && runs[i].Start < c.End; i++ {
		r := Range{max(runs[i].Start, c.Start), min(runs[i].End, c.End)}
		if runs[i].Sources == nil || within(links, r) || slices.ContainsFunc(values, func(v value.Value) bool { return v.Start < r.End && r.Start < v.End }) {
			continue
		}
		if claim := q.claim(r, false, false, runs, i); claim.Source != nil {
			claim.words = true
			claims = append(claims, claim)
		}
	}
	for _, r := range q.unknownNames(c) {
		if !slices.ContainsFunc(claims, func(c Claim) bool { return c.Start < r.End && r.Start < c.End }) {
			claims = append(claims, Claim{Range: r, Text: q.answer[r.Start:r.End], Verdict: Unsupported, Run: -1, Index: -1})
		}
	}
	slices.SortStableFunc(claims, func(a, b Claim) int { return cmp.Compare(a.Start, b.Start) })
	return claims
}

// unknownNames lists the names in a sentence of which no word was shown: two words or more
// with capital letters, in a sentence where other words have none.
func (q *inquiry) unknownNames(c cut) []Range {
	if c.kind == headCut || c.kind == headerCut || c.kind == codeCut {
		return nil
	}
	words := q.rowing.said.inWords(Range{c.Start + c.mark, c.End})
	capital := func(w word) bool {
		text := q.answer[w.Start:w.End]
		r, n := utf8.DecodeRuneInString(text)
		return unicode.IsUpper(r) && len(text) > n && text[n:] == w.fold[len(w.fold)-len(text)+n:] && !hasDigit(text) && !functionWords[w.fold]
	}
	small := 0
	for _, w := range words {
		if !capital(w) {
			small++
		}
		if nounCapitals[w.fold] {
			return nil
		}
	}
	var names []Range
	for i := 0; i < len(words); {
		k := i
		for k < len(words) && capital(words[k]) && (k == i || words[k].Start == words[k-1].End+1 && q.answer[words[k-1].End] == ' ') {
			k++
		}
		if k-i > 1 && k-i <= 3 && small > 0 && !slices.ContainsFunc(words[i:k], func(w word) bool { return q.knows(w.fold) }) {
			names = append(names, Range{words[i].Start, words[k-1].End})
		}
		i = max(k, i+1)
	}
	return names
}

// nounCapitals are words of a language that writes every noun with a capital letter.
var nounCapitals = set("der die das den dem des ein eine einen einem einer und ist sind nicht mit von zu im auf hat wurde bei")

// knows reports whether what was shown has a word, in any case.
func (q *inquiry) knows(fold string) bool {
	w := q.rowed()
	if w.known == nil {
		w.known = map[string]bool{}
		for i := range q.shown {
			if !q.step(1 + len(q.shown[i].data)/64) {
				break
			}
			for _, s := range wordsOf(q.shown[i].data, nil) {
				w.known[singular(s.fold)] = true
			}
			if d := q.shown[i].json; d != nil {
				for k := range d.texts[1:] {
					for _, s := range wordsOf(d.texts[1+k].text, nil) {
						w.known[singular(s.fold)] = true
					}
				}
			}
		}
	}
	return w.known[singular(fold)] || q.rowing.steps > maxRowSteps
}

// linksIn lists the links in a range of a text that are long enough to be found.
func linksIn(text string, r Range) []Range {
	var list []Range
	for at := r.Start; at < r.End; {
		i := strings.Index(text[at:r.End], "://")
		if i < 0 {
			break
		}
		i += at
		begin, end := i, i+len("://")
		for begin > at && wordByte[text[begin-1]&0x7f] && text[begin-1] < utf8.RuneSelf {
			begin--
		}
		if n := strings.IndexFunc(text[end:r.End], func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("<>\"`|", r) }); n >= 0 {
			end += n
		} else {
			end = r.End
		}
		at = end
		end = begin + len(strings.TrimRight(text[begin:end], ".,;:!?)]}*_'"))
		if end-begin >= minCopy {
			list = append(list, Range{begin, end})
		}
	}
	return list
}

// claim judges what a range of the answer claims by the sources of the runs
// that reach into it. Of what is an id only ids count.
func (q *inquiry) claim(r Range, common, id bool, runs []Run, from int) Claim {
	claim := Claim{Range: r, Text: q.answer[r.Start:r.End], Verdict: Unsupported, Run: -1, Index: -1}
	const ( // what a source is worth
		nothing = iota
		said    // by a person, who may be wrong as well, or of a tool and not by it
		wrong
		right
	)
	best := nothing
	var blamed *Source // whose row is a wrong one, under a name that the sentence has
	at := [2]int{}
	for i := from; i < len(runs) && runs[i].Start < r.End; i++ {
		if runs[i].End <= r.Start {
			continue
		}
		if none := runs[i].NotFound; none != nil && none.Kind == OutOfBudget {
			claim.Verdict = Unsearched
		}
		if run := runs[i].Range; r.Start < run.Start || run.End < r.End {
			continue // what has only a part of it
		}
		// What stands there with words around it is there by no chance.
		common := common && !q.wider(runs[i].Range, r)
		for k := range runs[i].Sources {
			src := &runs[i].Sources[k]
			worth := nothing
			switch {
			case src.Echoed && !(common && src.Row.tells() && !q.isID(src)), src.Brief, id && !q.isID(src):
			case src.Row != nil && src.Row.Wrong:
				spoken := q.speaks(src.Row.Field, r)
				if !src.Weak && !poor(src) || spoken || src.opposite() {
					worth = wrong
				}
				if spoken && blamed == nil {
					blamed, at = src, [2]int{i, k}
				}
			case src.Weak || common && src.Row != nil && src.Row.listed || src.Row == nil && (poor(src) || common && !id && src.Path != "" && src.How != DerivedOf):
			case src.Kind == FromMessage || src.Kind == FromHistory || src.Kind == FromTool || src.Kind == FromMenu:
				worth = said
			default:
				worth = right
			}
			if worth > best || worth == best && worth > nothing && claim.Source.stale() && !src.stale() {
				best = worth
				claim.Run, claim.Index, claim.Source = i, k, src
			}
		}
	}
	if best == right && blamed != nil && q.beside(claim.Source, r) {
		best, claim.Source, claim.Run, claim.Index = wrong, blamed, at[0], at[1]
	}
	switch best {
	case nothing:
		return claim
	case wrong:
		claim.Verdict, claim.Instead = Misplaced, claim.Source.Row.Instead
	default:
		claim.Verdict = Grounded
	}
	src := claim.Source
	claim.How, claim.Kind, claim.Event, claim.Call, claim.Tool = src.How, src.Kind, src.Event, src.Call, src.Tool
	claim.Path, claim.At, claim.Row, claim.Stale = src.Path, src.Range, src.Row, src.Stale
	if run := &runs[claim.Run]; run.Range != r {
		claim.Path, claim.At = q.within(run, src, r)
	}
	return claim
}

// within is where a range of the answer stands in a source that a longer run was
// copied from: the path and the range.
func (q *inquiry) within(run *Run, src *Source, r Range) (string, Range) {
	k, ok := q.rowing.parts[src.Part]
	path := func(at Range) string {
		if ok && q.shown[k].json != nil {
			if n := q.shown[k].json.around(at); n != nil {
				return q.shown[k].json.path(n)
			}
		}
		return src.Path
	}
	if src.Text == run.Text && run.Start <= r.Start && r.End <= run.End {
		at := Range{src.Start + r.Start - run.Start, src.Start + r.End - run.Start}
		return path(at), at
	}
	at := src.Range
	found := 0
	for _, s := range q.look.sites(r) {
		if ok && s.piece == q.shown[k].piece && src.Start <= s.Start && s.End <= src.End {
			at = s.Range
			found++
		}
	}
	if found != 1 {
		return src.Path, src.Range
	}
	return path(at), at
}

// beside reports whether a source only happens to have a value: it stands in a
// row of which the sentence does not speak, under a name that it does not have.
func (q *inquiry) beside(src *Source, r Range) bool {
	k, ok := q.rowing.parts[src.Part]
	if !ok || src.Kind != FromResult || src.Row != nil || src.How == DerivedOf {
		return false
	}
	g := q.grid(gridOf{k, false})
	if g == nil {
		return false
	}
	i := g.at(g.bare(src.Range))
	return i >= 0 && !g.nodes[i].container && g.nodes[i].key >= 0 && !q.speaks(g.name(&g.nodes[i]), r)
}

// wider reports whether a run has a word beside a claim in it.
func (q *inquiry) wider(run, claim Range) bool {
	word := func(s string) bool { return strings.ContainsFunc(s, unicode.IsLetter) }
	return run.Start < claim.Start && word(q.answer[run.Start:claim.Start]) || claim.End < run.End && word(q.answer[claim.End:run.End])
}

// opposite reports whether a source is true and the row of which the sentence
// speaks says false, or the other way round.
func (s *Source) opposite() bool {
	return len(s.Row.Instead) == 1 && (s.Text == "true" && s.Row.Instead[0].Text == "false" || s.Text == "false" && s.Row.Instead[0].Text == "true")
}

// stale reports whether a source says what a later result says otherwise.
func (s *Source) stale() bool { return s.Stale != nil && !s.Stale.Same }

// tells reports whether a row is that of which the sentence speaks.
func (r *Row) tells() bool { return r != nil && !r.Wrong && !r.listed }

// poor reports whether a source has only the number, and a common one: 4, of 4
// hours.
func poor(s *Source) bool {
	if s.Rule != value.Bare.String() && s.Rule != value.Partial.String() {
		return false
	}
	v := value.Scan(s.Text)
	return len(v) > 0 && v[0].Common
}

// speaks reports whether the sentence of a place of the answer has a word of a
// name.
func (q *inquiry) speaks(name string, at Range) bool {
	i := lastBefore(q.rowing.cuts, at.Start)
	return i >= 0 && q.saysName(name, q.rowing.cuts[i].Range, false)
}

// saysName reports whether a range of the answer has a word of a name, or all
// of them.
func (q *inquiry) saysName(name string, r Range, all bool) bool {
	words := q.rowing.said.inWords(r)
	any := false
	for _, n := range nameWords(name) {
		if len(n) < 3 || functionWords[n] {
			continue
		}
		found := slices.ContainsFunc(words, func(w word) bool { return singular(w.fold) == singular(n) })
		if all && !found {
			return false
		}
		any = any || found
	}
	return any
}

// subjects grounds the values that only say of what a sentence speaks: they
// stand beside another.
func (q *inquiry) subjects(claims []Claim) {
	for i := range claims {
		c := &claims[i]
		if c.Verdict == Grounded && c.How != DerivedOf {
			continue
		}
		for k := range claims {
			row := claims[k].Row
			if row == nil || k == i {
				continue
			}
			for _, p := range slices.Concat(row.Subject, row.Spoken) {
				if p.At.Start < c.End && c.Start < p.At.End && p.Range.Start < p.Range.End {
					if p.Event == 0 {
						p.Event, p.Call, p.Tool = claims[k].Event, claims[k].Call, claims[k].Tool
					}
					*c = Claim{Range: c.Range, Text: c.Text, Verdict: Grounded, Run: -1, Index: -1, Subject: &p}
				}
			}
		}
	}
}

// judge sums up the claims of a sentence. What names no value is grounded if
// most of its words were copied.
func (s *Sentence) judge(c cut, q *inquiry) {
	count := map[Verdict]int{}
	values, subjects := 0, 0
	for i := range s.Claims {
		claim := &s.Claims[i]
		count[claim.Verdict]++
		switch {
		case claim.words:
		case claim.Subject != nil:
			subjects++
		default:
			values++
		}
		s.Stale = s.Stale || claim.Source != nil && claim.Source.stale()
	}
	for i := range s.Claims {
		if claim := &s.Claims[i]; claim.Verdict == Unsupported {
			claim.Instead = q.contradicted(s.Range, claim, s.Claims)
			s.Unsupported = append(s.Unsupported, claim.Range)
		}
	}
	switch {
	case count[Misplaced] > 0:
		s.Verdict = Misplaced
	case count[Unsearched] > 0 && count[Unsupported] == 0:
		s.Verdict = Unsearched
	case values > 0 && count[Unsupported] == 0:
		s.Verdict = Grounded
	case values > 0 && count[Grounded] > subjects:
		s.Verdict = Partly
	case values > 0:
		s.Verdict = Unsupported
	default:
		s.weigh(c, q)
	}
}

// idSaid is where an id stands that a place of a sentence says; nil if it says
// none.
func (q *inquiry) idSaid(r, sentence Range) *Place {
	for k := range q.shown {
		if q.shown[k].kind != FromResult {
			continue
		}
		of := gridOf{k, false}
		if d := q.document(of); d != nil && !q.mentions(d) {
			continue
		}
		g := q.grid(of)
		if g == nil {
			continue
		}
		for _, m := range q.talk(of, g, sentence).all {
			if m.sure && m.at == r && (m.kind < 0 || g.shapes[m.kind].self) {
				p := q.from(k, g.place(m, false))
				return &p
			}
		}
	}
	return nil
}

// isID reports whether a source is an id that tells rows apart.
func (q *inquiry) isID(src *Source) bool {
	k, ok := q.rowing.parts[src.Part]
	if !ok || src.Kind != FromResult {
		return false
	}
	g := q.grid(gridOf{k, false})
	if g == nil {
		return false
	}
	i := g.at(src.Range)
	return i >= 0 && !g.nodes[i].container && g.shapes[g.shape[i]].self
}

// weigh judges a sentence whose values, if it has any, only say of what it
// speaks: by its words.
func (s *Sentence) weigh(c cut, q *inquiry) {
	all, copied := 0, 0
	for _, w := range q.rowing.said.inWords(Range{c.Start + c.mark, c.End}) {
		if len(w.fold) < 3 && !stateWords[w.fold] || functionWords[w.fold] && !stateWords[w.fold] || idleWords[w.fold] {
			continue
		}
		in := func(c Claim) bool { return c.Start <= w.Start && w.End <= c.End }
		if i := slices.IndexFunc(s.Claims, in); i >= 0 && s.Claims[i].words {
			copied++
		} else if i >= 0 || slices.ContainsFunc(s.Claims, func(c Claim) bool { return q.calls(w, c) }) {
			continue
		}
		all++
	}
	about := slices.ContainsFunc(s.Claims, func(c Claim) bool { return c.Subject != nil })
	switch {
	case copied > 0 && 2*copied >= all, all == 0 && s.Claims != nil, about && q.chats(c):
		s.Verdict = Grounded
	case copied > 0:
		s.Verdict = Partly
		at := c.Start
		for _, claim := range append(slices.Clone(s.Claims), Claim{Range: Range{c.End, c.End}}) {
			if gap := (Range{at, claim.Start}); gap.Start < gap.End && hasWord(q.answer[gap.Start:gap.End]) {
				s.Unsupported = append(s.Unsupported, trimSpace(q.answer, gap))
			}
			at = claim.End
		}
	case about:
		s.Verdict, s.Unsupported = Partly, []Range{s.Range}
	case all < 3 || q.chats(c):
		s.Verdict = Unchecked
	default:
		s.Verdict, s.Unsupported = Unsupported, []Range{s.Range}
	}
}

// calls reports whether a word says what the subject of a claim is one of.
func (q *inquiry) calls(w word, c Claim) bool {
	if c.Subject == nil || w.Start > c.Start || c.Start-w.End > maxID {
		return false
	}
	noun, _ := q.nounBefore(c.Start)
	return strings.ToLower(noun) == w.fold
}

// stateWords say something, though they are short.
var stateWords = set("up down on off open free out")

// chats reports whether a sentence claims nothing about the matter: it is a
// question, or it speaks of who says it or to whom.
func (q *inquiry) chats(c cut) bool {
	text := strings.TrimRight(q.answer[c.Start:c.End], closers+" ")
	if c.kind == headCut || c.kind == headerCut {
		return true
	}
	if strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？") || strings.HasSuffix(text, "؟") || strings.HasSuffix(text, ":") {
		return true
	}
	first := strings.ToLower(firstWord(text[min(len(text), c.mark):]))
	return set("i let please thank thanks sorry hello hi dear feel happy glad sure okay ok welcome do don just note would could can may shall")[first]
}

// idleWords claim nothing.
var idleWords = set("sorry thanks thank please hello welcome dear sure okay yes well here let know help happy glad question questions anything else feel free hope assist assistance ask contact")

// contradicted lists what was shown of what a sentence speaks of, under a name
// that the sentence has: what a claim of it might have said. What another claim
// says is not told.
func (q *inquiry) contradicted(sentence Range, claim *Claim, claims []Claim) []Place {
	const far, most = 64, 4
	var list []Place
	for k := range q.shown {
		if q.shown[k].kind != FromResult || len(list) >= most {
			continue
		}
		g := q.grid(gridOf{k, false})
		if g == nil {
			continue
		}
		t := q.talk(gridOf{k, false}, g, sentence)
		owners := []int32{}
		for owner, ms := range t.of {
			if slices.ContainsFunc(ms, func(m mention) bool { return m.sure }) {
				owners = append(owners, owner)
			}
		}
		slices.Sort(owners)
		alone := false
		if len(owners) == 0 && !g.list(0) && !g.table && q.once(q.shown[k].Tool) { // there is but one of it
			owners, alone = []int32{0}, true
		}
		if len(owners) > maxBeside {
			continue // it says too little of which
		}
		for _, owner := range owners {
			for i := int(owner); i < min(len(g.nodes), int(owner)+far) && g.nodes[i].start < g.nodes[owner].end; i++ {
				n := &g.nodes[i]
				if n.container || n.key < 0 || g.shapes[g.shape[i]].id || g.record(i) != int(owner) && i != int(owner) || !strings.ContainsAny(g.plain(n), "0123456789") || len(list) >= most {
					continue
				}
				if !q.step(1) || !q.saysName(g.name(n), sentence, alone) || claim != nil && !alike(claim.Text, g.plain(n)) {
					continue
				}
				p := q.from(k, Place{Path: g.path(n), Range: g.content(n), Text: g.plain(n)})
				if !slices.ContainsFunc(claims, func(c Claim) bool {
					return c.Source != nil && c.Event == p.Event && c.Call == p.Call && c.At == p.Range
				}) {
					list = append(list, p)
				}
			}
		}
	}
	return list
}

// once reports whether a tool has one result.
func (q *inquiry) once(tool string) bool {
	w := q.rowed()
	if w.results == nil {
		w.results = map[string]int{}
		for i := range q.shown {
			if q.shown[i].kind == FromResult {
				w.results[q.shown[i].Tool]++
			}
		}
	}
	return w.results[tool] == 1
}

// alike reports whether two texts name values that might be said of one thing: a
// date is no number.
func alike(a, b string) bool {
	sort := func(text string) int {
		v := value.Scan(text)
		switch {
		case len(v) == 0:
			return 0
		case v[0].Kind == value.Date || v[0].Kind == value.Clock:
			return 1
		case v[0].Kind == value.ID:
			return 2
		}
		return 3
	}
	return sort(a) == sort(b)
}
