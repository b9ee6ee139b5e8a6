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

	Copied   int       `json:"copied"`             // bytes of the words that have a source
	Nearest  string    `json:"nearest,omitempty"`  // of words that are not in the answer: what is most like them there
	NotFound *NotFound `json:"notFound,omitempty"` // why there are no runs

	Unsearched string `json:"unsearched,omitempty"` // what was too much to search
	Incomplete string `json:"incomplete,omitempty"` // why the recording is not whole
}

// An AnswerReason says of every word of the last answer where it came from.
type AnswerReason struct {
	Text  string `json:"text"`            // the answer
	Event int    `json:"event,omitempty"` // the reply that has it; 0 if there is none

	// Runs cut the answer into stretches that were copied and stretches that
	// were not, in order. Between them is only space and punctuation.
	Runs []Run `json:"runs,omitempty"`

	Copied   int       `json:"copied"` // bytes of the answer that have a source
	NotFound *NotFound `json:"notFound,omitempty"`

	Unsearched string `json:"unsearched,omitempty"`
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

	// Sources are all places that it was copied from, earliest origin first.
	Sources []Source `json:"sources,omitempty"`

	// NotFound is set if there are none: in all that the model was shown these
	// words are not, so they are its own.
	NotFound *NotFound `json:"notFound,omitempty"`
}

// A Source is a place in what the model was shown that has the bytes of a run.
type Source struct {
	Evidence Evidence     `json:"evidence"`
	Kind     SourceKind   `json:"kind"`
	Event    int          `json:"event"` // that brought the piece in
	Part     int          `json:"part"`  // of the request, from 1
	Piece    model.Digest `json:"piece"`
	Range                 // of the piece

	// Text is the bytes of the range. It is the text of the run, but where that
	// was written with escapes in a JSON string.
	Text string `json:"text"`

	// Of the body of a skill. File, Line and Column are where the range begins,
	// counted from 1, a column in bytes. If the body came from no file, File is
	// empty, and they count in the body.
	Skill  string `json:"skill,omitempty"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`

	// Of the result of a call.
	Call      string `json:"call,omitempty"`
	Tool      string `json:"tool,omitempty"`
	Arguments string `json:"arguments,omitempty"`

	// Path is that of the smallest JSON value around the range, as in
	// $.orders[3].windowDays; empty if the result is no JSON. Fills is set if
	// the range is all of that value.
	Path  string `json:"path,omitempty"`
	Fills bool   `json:"fills,omitempty"`

	// Chain leads from the answer to this place, and from there to the message.
	Chain []Link `json:"chain"`

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
	FromMenu    SourceKind = "menu"    // where the model may go
)

// Span explains words of the last answer: for every stretch of them that
// stands verbatim in what the model was shown, all the places where it stands.
//
// What the model was shown is the request that it answered, without what the
// model itself had said before: its words, and the arguments of its calls, are
// never a source. A stretch counts as copied if it is part of 16 bytes or more
// of the answer, on whole words, that stand somewhere; or if it is a value of
// a JSON result, all of it, as a word of its own in the answer, or all of a
// result. A string in JSON is compared by what it says, without its escapes.
func Span(r *recording.Recording, text string) *SpanReason {
	q := inquire(r)
	s := &SpanReason{Text: text, Event: q.event(), NotFound: q.notFound, Incomplete: incomplete(r)}
	if s.NotFound != nil {
		return s
	}
	if strings.TrimSpace(text) == "" {
		s.NotFound = &NotFound{NotRecorded, say("no words")}
		return s
	}
	if s.At = places(q.answer, text); s.At == nil {
		s.Nearest = nearestWords(q.answer, text)
		s.NotFound = &NotFound{NotRecorded, say("not in answer")}
		return s
	}
	best := Range{}
	for i, at := range s.At {
		if n := q.covered(at); i == 0 || n > s.Copied {
			best, s.Copied = at, n
		}
	}
	s.Runs = q.explain(best)
	s.Unsearched = q.unsearched()
	return s
}

// Answer explains the last answer as a whole, as Span does.
func Answer(r *recording.Recording) *AnswerReason {
	q := inquire(r)
	a := &AnswerReason{Text: q.answer, Event: q.event(), NotFound: q.notFound, Incomplete: incomplete(r)}
	if a.NotFound != nil {
		return a
	}
	whole := Range{0, len(q.answer)}
	a.Copied = q.covered(whole)
	a.Runs = q.explain(whole)
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
