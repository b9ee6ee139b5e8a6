package recording

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
)

// maxLine bounds one line, and so one piece of content.
const maxLine = 256 << 20

// Read reads a recording as far as it can be read. A last line that is not
// whole is left out, as what a crash leaves behind. The error says that r is
// no recording of this version, or could not be read at all.
func Read(r io.Reader) (*Recording, error) {
	rec, _, err := read(r)
	return rec, err
}

// Open reads a recording from a file.
func Open(path string) (*Recording, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rec, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	rec.Path = path
	return rec, nil
}

func read(r io.Reader) (*Recording, *scanner, error) {
	s := newScanner(r)
	rec := &Recording{pieces: map[model.Digest]string{}}
	for s.next() {
		if s.line.Event != nil {
			rec.Events = append(rec.Events, *s.line.Event)
		}
	}
	rec.Run, rec.pieces = s.run, s.pieces
	if s.err != nil {
		return nil, nil, s.err
	}
	rec.Faults = s.faults
	if s.stopped {
		rec.Damage = s.faults[len(s.faults)-1].String()
	}
	return rec, s, nil
}

// A scanner reads the lines of a recording and notes what is wrong with them.
type scanner struct {
	r        *bufio.Reader
	hash     hash.Hash // of every line so far
	hashes   int       // running hashes that were compared
	unsealed int       // lines after the last of them
	edited   bool      // a running hash was wrong
	number   int       // of the line, from 1
	whole    int64     // bytes up to the last whole line
	torn     bool      // something follows it that is no whole line
	line     line
	run      string
	pieces   map[model.Digest]string
	text     []byte // of content, for reuse
	lines    event.Lines
	seq      int

	faults  []Fault
	stopped bool // by the last fault
	err     error
}

type line struct {
	Spoor  *int          `json:"spoor"`
	Run    string        `json:"run"`
	Piece  *model.Digest `json:"piece"`
	Text   *string       `json:"text"`
	Base64 []byte        `json:"base64"`
	Hash   *model.Digest `json:"hash"`
	Seq    *int          `json:"seq"`
	Event  *event.Event  `json:"-"`
}

func newScanner(r io.Reader) *scanner {
	return &scanner{r: bufio.NewReaderSize(r, 64<<10), hash: sha256.New(), pieces: map[model.Digest]string{}}
}

// next reads one line. It returns false at the end, at a torn line, and at a
// line that cannot be read.
func (s *scanner) next() bool {
	if s.err != nil || s.stopped {
		return false
	}
	text, err := s.readLine()
	switch {
	case err == io.EOF && len(text) == 0:
		if s.number == 0 {
			s.err = errNoRecording
		}
		return false
	case err == io.EOF:
		s.torn = true
		if s.number == 0 {
			s.err = noRecording(text)
		}
		return false
	case errors.Is(err, errTooLong) && s.number == 0:
		s.err = errNoRecording
		return false
	case errors.Is(err, errTooLong):
		s.number++
		return s.stop("%v", err)
	case err != nil:
		s.err = err
		return false
	}
	s.number++
	if s.line = (line{}); s.content(text) {
		s.cover(text)
		return true
	}
	if s.number > 1 && len(bytes.TrimSpace(text)) == 0 {
		s.fault("this line is empty")
		s.cover(text)
		return true
	}
	if err := json.Unmarshal(text, &s.line); err != nil {
		if s.number == 1 {
			s.err = noRecording(text)
			return false
		}
		return s.stop("this line cannot be read: %v", err)
	}
	if s.number == 1 {
		return s.header(text)
	}
	switch {
	case s.line.Hash != nil:
		s.checkHash()
	case s.line.Piece != nil:
		s.addPiece()
	case s.line.Seq != nil:
		if !s.event(text) {
			return false
		}
	}
	s.cover(text)
	return true
}

var errTooLong = fmt.Errorf("this line is longer than %d MiB, so it and what follows it were not read", maxLine>>20)

var errNoRecording = errors.New("this is no recording: its first line is not a whole {\"spoor\": …, \"run\": …}")

// noRecording says that a file is no recording by its first line, and what it
// is instead if that is a recording in some other dress.
func noRecording(text []byte) error {
	for _, f := range []struct{ begins, is string }{
		{"\x1f\x8b", "compressed with gzip; unpack it first"},
		{"\x28\xb5\x2f\xfd", "compressed with zstd; unpack it first"},
		{"\xff\xfe", "UTF-16; write it as UTF-8"},
		{"\xfe\xff", "UTF-16; write it as UTF-8"},
		{"\xef\xbb\xbf", "text that begins with a byte order mark; write it without one"},
	} {
		if bytes.HasPrefix(text, []byte(f.begins)) {
			return fmt.Errorf("%w; the file is %s", errNoRecording, f.is)
		}
	}
	return errNoRecording
}

func (s *scanner) header(text []byte) bool {
	if s.line.Spoor == nil || s.line.Run == "" {
		s.err = errNoRecording
		return false
	}
	if v := *s.line.Spoor; v != Version {
		s.err = fmt.Errorf("this recording has format %d, and this program reads format %d; a spoor of the version that wrote it can read it", v, Version)
		return false
	}
	s.run = s.line.Run
	s.cover(text)
	return true
}

func (s *scanner) cover(text []byte) {
	s.hash.Write(text)
	s.whole += int64(len(text))
	if s.line.Hash == nil {
		s.unsealed++
	}
}

func (s *scanner) checkHash() {
	var sum model.Digest
	s.hash.Sum(sum[:0])
	if sum != *s.line.Hash && !s.edited {
		s.edited = true // and so are all later hashes
		s.fault("the lines before this one are not as they were written: their hash is %s, and %s is recorded", sum, *s.line.Hash)
	}
	s.unsealed = 0
	s.hashes++
}

// content reads a line with content that is text, in the form in which a Writer
// writes it; most of a recording is such lines. Any other is left alone.
func (s *scanner) content(text []byte) bool {
	const before, between = len(`{"piece":"`), len(`","text":`)
	const quoted = before + 2*len(model.Digest{}) + between
	if s.number == 1 || len(text) < quoted || string(text[:before]) != `{"piece":"` || string(text[quoted-between:quoted]) != `","text":` {
		return false
	}
	rest, ok := bytes.CutSuffix(text[quoted:], []byte("}\n"))
	var name model.Digest
	if _, err := hex.Decode(name[:], text[before:quoted-between]); err != nil || !ok {
		return false
	}
	data, err := jsontext.AppendUnquote(s.text[:0], rest)
	if err != nil {
		return false
	}
	s.text = data
	s.piece(name, string(data))
	return true
}

func (s *scanner) addPiece() {
	data := string(s.line.Base64)
	if s.line.Text != nil {
		data = *s.line.Text
	}
	s.piece(*s.line.Piece, data)
}

// piece keeps content by its name.
func (s *scanner) piece(name model.Digest, data string) {
	if sum := model.Sum(data); sum != name {
		s.fault("this content is not what its name says: it is %s", sum)
	}
	s.pieces[name] = data
}

func (s *scanner) event(text []byte) bool {
	e, err := s.lines.Read(text)
	if err != nil {
		return s.stop("this event cannot be read: %v", err)
	}
	if e.Seq != s.seq+1 {
		s.fault("event %d follows event %d", e.Seq, s.seq)
	}
	s.seq = e.Seq
	for _, p := range e.Pieces(nil) {
		data, ok := s.pieces[p.Digest]
		if !ok {
			s.fault("event %d names the content %s, which is not in the recording", e.Seq, p.Digest)
		}
		*p.Data = data
	}
	s.line.Event = e
	return true
}

func (s *scanner) fault(format string, args ...any) {
	s.faults = append(s.faults, Fault{s.number, fmt.Sprintf(format, args...)})
}

func (s *scanner) stop(format string, args ...any) bool {
	s.fault(format, args...)
	s.stopped = true
	return false
}

// readLine reads a line with its end. With io.EOF it returns what stands
// after the last line end.
func (s *scanner) readLine() ([]byte, error) {
	var text []byte
	for {
		part, err := s.r.ReadSlice('\n')
		if text == nil && err == nil {
			return part, nil
		}
		text = append(text, part...)
		if err == nil || !errors.Is(err, bufio.ErrBufferFull) {
			return text, err
		}
		if len(text) > maxLine {
			return nil, errTooLong
		}
	}
}

// A Fault is one thing that is wrong with a recording.
type Fault struct {
	Line    int    `json:"line"`
	Message string `json:"message"`
}

func (f Fault) String() string { return fmt.Sprintf("line %d: %s", f.Line, f.Message) }

// A Report is what Verify found.
type Report struct {
	Run      string  `json:"run"`
	Lines    int     `json:"lines"`
	Events   int     `json:"events"`
	Pieces   int     `json:"pieces"`
	Hashes   int     `json:"hashes"`             // running hashes that were compared
	Unsealed int     `json:"unsealed,omitempty"` // lines after the last of them
	Torn     bool    `json:"torn,omitempty"`     // the file ends in the middle of a line
	Complete bool    `json:"complete"`           // the last turn has come to its end
	Waiting  bool    `json:"waiting,omitempty"`  // it has not, and waits for a person
	Faults   []Fault `json:"faults,omitempty"`

	// Stopped says that nothing behind the line of the last fault was read.
	Stopped bool `json:"stopped,omitempty"`
}

// OK reports whether the recording is whole, as far as it can be by now, and as
// it was written.
func (r *Report) OK() bool {
	return len(r.Faults) == 0 && (r.Complete || r.Waiting) && !r.Torn && r.Unsealed == 0
}

// Verify reads a recording and compares its lines with the running hashes, its
// pieces with their names, and its events with each other. The error says that
// r is no recording of this version, or could not be read at all.
func Verify(r io.Reader) (*Report, error) {
	rec, s, err := read(r)
	if err != nil {
		return nil, err
	}
	return &Report{
		Run: rec.Run, Lines: s.number, Events: len(rec.Events), Pieces: len(rec.pieces), Hashes: s.hashes,
		Unsealed: s.unsealed, Torn: s.torn, Complete: !rec.Incomplete(), Waiting: rec.Waiting() != nil, Faults: s.faults, Stopped: s.stopped,
	}, nil
}
