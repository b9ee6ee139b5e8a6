package explain

import (
	"regexp"
	"strings"

	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
)

// A SpanReason says where words of the answer came from.
type SpanReason struct {
	Text string `json:"text"` // the words asked about

	// Event is the reply that has the answer; 0 if there is none.
	Event int `json:"event,omitempty"`

	// At lists where in the answer the words stand. If they stand there more
	// than once, Runs are those of the place that has most of them copied.
	At []Range `json:"at,omitempty"`

	// Runs cut the words into stretches that were copied and stretches that
	// were not, in order. Between them is only space and punctuation.
	Runs []Run `json:"runs,omitempty"`

	Copied   int       `json:"copied"`             // bytes of the words that were copied; what is brief does not count
	Nearest  string    `json:"nearest,omitempty"`  // of words that are not in the answer: what is most like them there
	NotFound *NotFound `json:"notFound,omitempty"` // why there are no runs

	Unsearched string `json:"unsearched,omitempty"` // what was too much to search
	Changed    string `json:"changed,omitempty"`    // why not all of it is as it was recorded
	Incomplete string `json:"incomplete,omitempty"` // why the recording is not whole
}

// An AnswerReason says of every word of the last answer where it came from.
type AnswerReason struct {
	Text  string `json:"text"`            // the answer
	Event int    `json:"event,omitempty"` // the reply that has it; 0 if there is none

	// Runs cut the answer into stretches that were copied and stretches that
	// were not, in order. Between them is only space and punctuation.
	Runs []Run `json:"runs,omitempty"`

	// Sentences are those of the answer, each with what backs it, and Conflicts
	// what was shown with different values.
	Sentences []Sentence `json:"sentences,omitempty"`
	Conflicts []Conflict `json:"conflicts,omitempty"`

	Copied   int       `json:"copied"` // bytes of the answer that were copied
	NotFound *NotFound `json:"notFound,omitempty"`

	Unsearched string `json:"unsearched,omitempty"`
	Changed    string `json:"changed,omitempty"`
	Incomplete string `json:"incomplete,omitempty"`
}

// A Range is the bytes [Start, End) of a text.
type Range struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// A Run is a stretch of the answer.
type Run struct {
	Range        // of the answer
	Text  string `json:"text"`

	// Sources are the places where it stands, the one first that a person would
	// point at: no echo, beside what the sentence speaks of, verbatim before
	// folded, value and derived, and of the rest the earliest.
	Sources []Source `json:"sources,omitempty"`

	// NotFound is set if there are none, and says why.
	NotFound *NotFound `json:"notFound,omitempty"`
}

// A Source is a place in what the model was shown where a run stands, or from
// which it can be computed.
type Source struct {
	Evidence Evidence     `json:"evidence"` // fact if it is verbatim, else derived
	How      How          `json:"how"`
	Kind     SourceKind   `json:"kind"`
	Event    int          `json:"event"` // that brought the piece in
	Part     int          `json:"part"`  // of the request, from 1; 0 of a tool that was offered
	Piece    model.Digest `json:"piece"`
	Range                 // of the piece

	// Text is the bytes of the range. Of what is verbatim it is the text of the
	// run, but where that was written with escapes in a JSON string.
	Text string `json:"text"`

	// Rule is the computation of what is derived, as in 17 + 49 = 66, and From the
	// values that go into it. Of a value it is how it agrees, if it is not equal:
	// unit, bare (one of them has no unit), rounded, reading (1,234 as 1.234) or
	// partial (one says less).
	Rule string  `json:"rule,omitempty"`
	From []Place `json:"from,omitempty"`

	// Weak is set if so little stands in many places, and nothing near it is what
	// the sentence speaks of. Echoed is set if the result only repeats what the
	// model itself had given to a tool. Neither is evidence.
	Weak   bool `json:"weak,omitempty"`
	Echoed bool `json:"echoed,omitempty"`

	Row   *Row   `json:"row,omitempty"`   // where it stands beside what the sentence speaks of
	Stale *Stale `json:"stale,omitempty"` // the newer result of the same call, if there is one

	// Brief is set if this is neither part of 16 bytes that were copied nor all
	// of a value of a result: it is a fact that the words stand there, and so few may stand
	// there by chance.
	Brief bool `json:"brief,omitempty"`

	// Of the body of a skill. File, Line and Column are where the range begins,
	// counted from 1, a column in bytes. If the body came from no file, File is
	// empty, and they count in the body.
	Skill  string `json:"skill,omitempty"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`

	// Of the result of a call; of a tool that was offered only its name.
	Call      string `json:"call,omitempty"`
	Tool      string `json:"tool,omitempty"`
	Arguments string `json:"arguments,omitempty"`

	// Name is the id of a fact or of an instruction of the agent, and the address
	// of a text of its steering, as in steering[0].
	Name string `json:"name,omitempty"`

	// Path is that of the smallest JSON value around the range, as in
	// $.orders[3].windowDays; empty where there is no JSON. Fills is set if
	// the range is all of that value.
	Path  string `json:"path,omitempty"`
	Fills bool   `json:"fills,omitempty"`

	// Chain leads from the answer to this place, and from there to the message. Of
	// the sources of an argument only the first has it.
	Chain []Link `json:"chain,omitempty"`

	around Range  // the line around the range, or what of it is near
	line   string // the text of around
}

// SourceKind says what a source is.
type SourceKind string

const (
	FromBody    SourceKind = "body"    // of a skill
	FromSystem  SourceKind = "system"  // what every prompt begins with
	FromMessage SourceKind = "message" // of this turn
	FromHistory SourceKind = "history" // what a person said in an earlier turn
	FromResult  SourceKind = "result"  // of a tool call
	FromNote    SourceKind = "note"    // what spoor told the model

	// Of what the agent brings along: a text that every prompt has, a fact, and
	// an instruction that was active. Name is what its author calls it.
	FromSteering    SourceKind = "steering"
	FromFact        SourceKind = "fact"
	FromInstruction SourceKind = "instruction"

	FromMenu SourceKind = "menu" // where the model may go
	FromTool SourceKind = "tool" // what the model was told of a tool that it was offered
)

// solid reports whether a source is evidence.
func (s *Source) solid() bool { return !s.Brief && !s.Weak && !s.Echoed }

// A Provenance is what the model was shown when it gave the last answer of a
// recording, ready to be searched: who asks about many words makes it once. It
// is not safe for concurrent use, and the recording must not change.
type Provenance struct {
	r *recording.Recording
	q *inquiry
}

// Index makes a Provenance.
func Index(r *recording.Recording) *Provenance { return &Provenance{r, inquire(r)} }

// Span explains words of the answer of the last turn: see [Provenance.Span].
func Span(r *recording.Recording, text string) *SpanReason { return Index(r).Span(text) }

// Answer explains the answer of the last turn: see [Provenance.Answer].
func Answer(r *recording.Recording) *AnswerReason { return Index(r).Answer() }

// Span explains words of the answer: for every stretch of them that stands in
// what the model was shown, the places where it stands.
//
// What the model was shown is the request that it answered, without what the
// model itself had said before: its words, and the arguments of its calls, are
// never a source. A stretch counts
//
//   - as copied, if it is part of 16 bytes or more of the answer, on whole words,
//     or of 24 bytes however they are cut, that stand somewhere; if it is a value
//     of a JSON result, all of it, as a word of its own, or all of a result; or
//     if it is a name. Case, space, and the kinds of quotation marks and dashes
//     may differ, which is told.
//   - as a value, if what was shown has that number, amount, date or id in
//     another spelling.
//   - as derived, if it is a number that is a sum, difference, ratio, percentage
//     or count of values of one piece.
//
// A string in JSON is compared by what it says, without its escapes, and JSON in
// such a string as JSON.
//
// Words that are asked about by name need not be so many: where they stand, on
// whole words, is a source as well, which is Brief. If they do not stand
// anywhere as a whole, this goes for every two and more of them in a row.
func (p *Provenance) Span(text string) *SpanReason {
	q := p.q
	s := &SpanReason{Text: text, Event: q.event(), NotFound: q.notFound, Changed: q.t.changed(), Incomplete: incomplete(p.r)}
	if s.NotFound != nil {
		return s
	}
	q.again()
	if !hasWord(text) {
		s.NotFound = &NotFound{Kind: NotRecorded, Reason: say("no words"), plain: true}
		return s
	}
	if s.At = places(q.answer, text); s.At == nil {
		s.Nearest = nearestWords(q.answer, text)
		reason := say(either(q.t.turns() > 1, "not in last", "not in answer"))
		s.NotFound = &NotFound{Kind: NotRecorded, Reason: reason, plain: true}
		return s
	}
	best, most := Range{}, 0
	for i, at := range s.At {
		if n := q.covered(at); i == 0 || n > most {
			best, most = at, n
		}
	}
	s.Runs = q.asking(best)
	s.Copied = copiedOf(s.Runs)
	s.Unsearched = q.unsearched()
	return s
}

// Answer explains the answer as a whole: which of it was copied, and from
// where, and of each sentence whether what it says is backed. What Span calls
// brief is a source here only beside others, of a value that the answer has.
func (p *Provenance) Answer() *AnswerReason {
	q := p.q
	a := &AnswerReason{Text: q.answer, Event: q.event(), NotFound: q.notFound, Changed: q.t.changed(), Incomplete: incomplete(p.r)}
	if a.NotFound != nil {
		return a
	}
	q.again()
	if a.Runs = q.explain(Range{0, len(q.answer)}); a.Runs == nil {
		a.NotFound = &NotFound{Kind: NotReached, Reason: say("no word there"), plain: true}
	}
	a.Copied = copiedOf(a.Runs)
	a.Sentences, a.Conflicts = q.sentences(a.Runs), q.conflicts(a.Runs)
	a.Unsearched = q.unsearched()
	return a
}

// places lists where text stands in the answer: on whole words if it does so
// anywhere.
func places(answer, text string) []Range {
	const most = 100
	var whole, any []Range
	for at := 0; len(whole) < most && len(any) < 100*most; at++ {
		i := strings.Index(answer[at:], text)
		if i < 0 {
			break
		}
		at += i
		r := Range{at, at + len(text)}
		any = append(any, r)
		if wordEdge(answer, r.Start) && wordEdge(answer, r.End) {
			whole = append(whole, r)
		}
	}
	if whole != nil {
		return whole
	}
	return any[:min(len(any), most)]
}

// nearestWords finds what in the answer is most like the text: the same words
// in other case or with other space, or else the longest row of its words.
func nearestWords(answer, text string) string {
	words := strings.Fields(text)
	const most = 1000
	words = words[:min(len(words), most)]
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = regexp.QuoteMeta(w)
	}
	if re, err := regexp.Compile(`(?i)` + strings.Join(quoted, `\s+`)); err == nil {
		if found := re.FindString(answer); found != "" {
			return found
		}
	}
	best, end := "", 0
	for start := range words {
		for end = max(end, start); end < len(words); end++ {
			row := strings.Join(words[start:end+1], " ")
			if !strings.Contains(answer, row) {
				break
			}
			if len(row) > len(best) {
				best = row
			}
		}
	}
	if len(best) < 3 {
		return ""
	}
	return best
}
