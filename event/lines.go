package event

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/model"
)

// Lines writes and reads the events of one recording, in order, each as one
// line of JSON. What the lines before have said is not said again:
//
//   - time, turn and iteration are left out where they are those of the line
//     before, and because where it is the event before;
//   - the result of a call is the name of its piece alone, where the rest of
//     the part is what the event says;
//   - in the put of a splice the number of an event stands for all parts which
//     that event brought in since the model was asked last;
//   - a guard that judged what it had judged before names, by as, the event that
//     has the judgement: all of it but the call.
//
// Its zero value is at the beginning of a recording. It is not safe for
// concurrent use.
type Lines struct {
	begun     bool
	seq       int
	time      time.Time
	turn      int
	iteration int

	fresh  []brought // since the model was asked last
	index  map[newcomer]int
	judged map[spoor.Ref]judged // in this turn
	buf    []byte               // conditions
	line   []byte
}

// brought are the parts that an event brought in.
type brought struct {
	seq   int
	first *model.Part
	more  []model.Part
	taken bool // by a splice that is read
}

func (b *brought) len() int { return 1 + len(b.more) }

// A newcomer is what a part that was brought in is found by.
type newcomer struct {
	call  string
	piece model.Digest
}

// judged is the last judgement of a guard that was written out.
type judged struct {
	seq int
	spoor.Judgement
	text []byte // what appendVerdict makes of it
}

// maxNamed bounds the text of a judgement that is named, so that a few bytes do
// not stand for many.
const maxNamed = 4 << 10

// Append appends the next event, without the line end. The same events always
// give the same lines.
func (l *Lines) Append(b []byte, e *Event) []byte {
	b = strconv.AppendInt(append(b, `{"seq":`...), int64(e.Seq), 10)
	if !l.begun || !e.Time.Equal(l.time) {
		b = append(b, `,"time":"`...)
		b = append(e.Time.UTC().AppendFormat(b, time.RFC3339Nano), '"')
	}
	if !l.begun || e.Turn != l.turn {
		b = strconv.AppendInt(append(b, `,"turn":`...), int64(e.Turn), 10)
	}
	if !l.begun || e.Iteration != l.iteration {
		b = strconv.AppendInt(append(b, `,"iteration":`...), int64(e.Iteration), 10)
	}
	b = appendString(append(b, `,"kind":`...), e.Body.Kind())
	if len(e.Because) != 1 || e.Because[0] != e.Seq-1 {
		b = append(appendInts(append(b, `,"because":[`...), e.Because), ']')
	}
	b = append(b, `,"body":`...)
	l.seq = e.Seq
	b = appendBody(b, e.Body, l)
	switch v := e.Body.(type) {
	case *Started:
		l.asked()
		clear(l.judged)
	case *Called:
		l.asked()
	case *Replied:
		if len(v.Parts) > 0 {
			l.bring(&v.Parts[0], v.Parts[1:])
		}
	case *Returned:
		l.bring(&v.Result, v.More)
	case *Read:
		l.bring(&v.Result, nil)
	case *Rejected:
		l.bring(&v.Result, nil)
	case *Refused:
		l.bring(&v.Result, nil)
	case *EffectJudged:
		l.bring(&v.Note, nil)
	case *RouteConflict:
		l.bring(&v.Note, nil)
	case *RerouteSuperseded:
		l.bring(&v.Note, nil)
	}
	l.begun, l.time, l.turn, l.iteration = true, e.Time, e.Turn, e.Iteration
	return append(b, '}')
}

// asked forgets what came in before the model was asked.
func (l *Lines) asked() {
	l.fresh = l.fresh[:0]
	clear(l.index)
}

// bring keeps what the event brought in.
func (l *Lines) bring(first *model.Part, more []model.Part) {
	if first.Kind == "" {
		return
	}
	if l.index == nil {
		l.index = map[newcomer]int{}
	}
	key := newcomer{first.Call, first.Piece}
	if _, there := l.index[key]; !there {
		l.index[key] = len(l.fresh)
	}
	l.fresh = append(l.fresh, brought{seq: l.seq, first: first, more: more})
}

// appendPut appends the parts of a splice.
func (l *Lines) appendPut(b []byte, parts []model.Part) []byte {
	if l == nil || len(parts) == 0 {
		return appendParts(b, `,"put":`, parts)
	}
	b = append(b, `,"put":[`...)
	for i := 0; i < len(parts); {
		if i > 0 {
			b = append(b, ',')
		}
		key := newcomer{parts[i].Call, parts[i].Piece}
		if k, ok := l.index[key]; ok && l.fresh[k].begins(parts[i:]) {
			delete(l.index, key) // it is named once
			b = strconv.AppendInt(b, int64(l.fresh[k].seq), 10)
			i += l.fresh[k].len()
			continue
		}
		b = appendPart(b, &parts[i])
		i++
	}
	return append(b, ']')
}

// begins reports whether a list of parts begins with those that were brought.
func (b *brought) begins(parts []model.Part) bool {
	if len(parts) < b.len() || !samePart(*b.first, parts[0]) {
		return false
	}
	for i := range b.more {
		if !samePart(b.more[i], parts[i+1]) {
			return false
		}
	}
	return true
}

// samePart compares all of two parts but the bytes, which their digest names.
func samePart(a, b model.Part) bool {
	a.Data, b.Data = "", ""
	return a == b
}

// take finds what an event brought in, once.
func (l *Lines) take(seq int) *brought {
	i, ok := slices.BinarySearchFunc(l.fresh, seq, func(b brought, seq int) int { return b.seq - seq })
	if !ok || l.fresh[i].taken {
		return nil
	}
	l.fresh[i].taken = true
	return &l.fresh[i]
}

// appendResult appends the result of a call: by the name of its piece if the
// rest of it is what the event says.
func (l *Lines) appendResult(b []byte, p *model.Part, said model.Part) []byte {
	if l == nil || !samePart(*p, said) {
		return appendPart(b, p)
	}
	b = hex.AppendEncode(append(b, '"'), p.Piece[:])
	return append(b, '"')
}

// said is the result of a call as the rest of the event says it.
func said(call, tool, status string, piece model.Digest) model.Part {
	return model.Part{Role: model.Tool, Kind: model.Result, Piece: piece, Call: call, Tool: tool, Status: status}
}

func (r *Returned) said() model.Part { return said(r.Call, r.Tool, string(r.Status), r.Result.Piece) }
func (r *Refused) said() model.Part  { return said(r.Call, r.Tool, string(r.Status), r.Result.Piece) }
func (r *Read) said() model.Part     { return said(r.Call, "read_skill", "", r.Result.Piece) }

// appendVerdict appends what a guard judged, or the event that has it.
func (l *Lines) appendVerdict(b []byte, j *spoor.Judgement) []byte {
	if l == nil {
		return appendVerdict(b, j)
	}
	l.buf = appendVerdict(l.buf[:0], j)
	before, ok := l.judged[j.Ref]
	if ok && bytes.Equal(l.buf, before.text) {
		return strconv.AppendInt(append(b, `,"as":`...), int64(before.seq), 10)
	}
	if l.judged == nil {
		l.judged = map[spoor.Ref]judged{}
	}
	if len(l.buf) > maxNamed {
		delete(l.judged, j.Ref)
	} else {
		l.judged[j.Ref] = judged{l.seq, *j, append(before.text[:0], l.buf...)}
	}
	return append(b, l.buf...)
}

// Read reads the next event. The bytes of its content are not there yet, but
// those of parts that an event before brought in.
func (l *Lines) Read(data []byte) (*Event, error) {
	var line struct {
		Seq       int             `json:"seq"`
		Time      *time.Time      `json:"time"`
		Turn      *int            `json:"turn"`
		Iteration *int            `json:"iteration"`
		Kind      string          `json:"kind"`
		Because   []int           `json:"because"`
		Body      json.RawMessage `json:"body"`
	}
	if err := json.Unmarshal(data, &line); err != nil {
		return nil, err
	}
	if line.Kind == "" || line.Body == nil {
		return nil, fmt.Errorf("an event has a kind and a body; this is %.80s", data)
	}
	e := &Event{Seq: line.Seq, Time: l.time, Turn: l.turn, Iteration: l.iteration, Because: line.Because}
	if line.Time != nil {
		e.Time = *line.Time
	}
	if line.Turn != nil {
		e.Turn = *line.Turn
	}
	if line.Iteration != nil {
		e.Iteration = *line.Iteration
	}
	if e.Because == nil {
		e.Because = []int{e.Seq - 1}
	} else if len(e.Because) == 0 {
		e.Because = nil
	}
	blank, known := bodies[line.Kind]
	if !known {
		e.Body = &Unknown{Name: line.Kind, Raw: string(line.Body)}
	} else {
		e.Body = blank()
		if err := l.body(line.Body, e); err != nil {
			return nil, fmt.Errorf("event %d, %s: %w", line.Seq, line.Kind, err)
		}
	}
	l.line = l.Append(l.line[:0], e) // so that what follows is read as it was written
	return e, nil
}

// body reads a body, with what it names filled in.
func (l *Lines) body(data []byte, e *Event) error {
	switch b := e.Body.(type) {
	case *Returned:
		line := struct {
			*Returned
			Result resultLine `json:"result"`
		}{Returned: b}
		err := json.Unmarshal(data, &line)
		b.Result = line.Result.part(b.said())
		return err
	case *Refused:
		line := struct {
			*Refused
			Result resultLine `json:"result"`
		}{Refused: b}
		err := json.Unmarshal(data, &line)
		b.Result = line.Result.part(b.said())
		return err
	case *Read:
		line := struct {
			*Read
			Result resultLine `json:"result"`
		}{Read: b}
		err := json.Unmarshal(data, &line)
		b.Result = line.Result.part(b.said())
		return err
	case *Called:
		return l.called(data, b)
	case *Evaluated:
		return l.evaluated(data, e.Seq, b)
	}
	return json.Unmarshal(data, e.Body)
}

// A resultLine is the result of a call as a line has it.
type resultLine struct {
	model.Part
	short bool
}

func (r *resultLine) UnmarshalJSON(data []byte) error {
	if r.short = len(data) > 0 && data[0] == '"'; r.short {
		return json.Unmarshal(data, &r.Piece)
	}
	return json.Unmarshal(data, &r.Part)
}

func (r *resultLine) part(said model.Part) model.Part {
	if !r.short {
		return r.Part
	}
	said.Piece = r.Piece
	return said
}

func (l *Lines) called(data []byte, b *Called) error {
	line := struct {
		*Called
		Splices []struct {
			Splice
			Put []json.RawMessage `json:"put"`
		} `json:"splices"`
	}{Called: b}
	if err := json.Unmarshal(data, &line); err != nil {
		return err
	}
	for _, s := range line.Splices {
		splice := s.Splice
		for _, put := range s.Put {
			if put[0] == '{' {
				var p model.Part
				if err := json.Unmarshal(put, &p); err != nil {
					return err
				}
				splice.Put = append(splice.Put, p)
				continue
			}
			var seq int
			if err := json.Unmarshal(put, &seq); err != nil {
				return err
			}
			from := l.take(seq)
			if from == nil {
				return fmt.Errorf("it puts what event %d brought in, which is nothing, or is put already", seq)
			}
			splice.Put = append(append(splice.Put, *from.first), from.more...)
		}
		b.Splices = append(b.Splices, splice)
	}
	return nil
}

func (l *Lines) evaluated(data []byte, seq int, b *Evaluated) error {
	type judgement struct {
		spoor.Judgement
		As int `json:"as"`
	}
	line := struct {
		*Evaluated
		Move struct {
			spoor.Move
			Guard  *judgement  `json:"guard"`
			Closed []judgement `json:"guardsClosed"`
		} `json:"move"`
	}{Evaluated: b}
	if err := json.Unmarshal(data, &line); err != nil {
		return err
	}
	here := map[spoor.Ref]spoor.Judgement{}
	fill := func(j *judgement) error {
		before, there := l.judged[j.Ref]
		now, again := here[j.Ref]
		call := j.CallID
		switch {
		case j.As == 0:
			delete(here, j.Ref)
			if len(appendVerdict(nil, &j.Judgement)) <= maxNamed {
				here[j.Ref] = j.Judgement
			}
		case again && j.As == seq:
			j.Judgement = now
		case there && !again && j.As == before.seq:
			j.Judgement = before.Judgement
		default:
			return fmt.Errorf("%s is to be judged as in event %d, where it was not", j.Ref, j.As)
		}
		j.CallID = call
		return nil
	}
	b.Move = line.Move.Move
	if g := line.Move.Guard; g != nil {
		if err := fill(g); err != nil {
			return err
		}
		b.Move.Guard = &g.Judgement
	}
	for i := range line.Move.Closed {
		if err := fill(&line.Move.Closed[i]); err != nil {
			return err
		}
		b.Move.Closed = append(b.Move.Closed, line.Move.Closed[i].Judgement)
	}
	return nil
}
