package replay

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"

	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/recording"
)

// A written is the file of a recording, compared line by line with what a
// Writer writes of the same events.
//
// A crash may leave lines that no event needs: content whose event was cut off,
// and a hash before it, which a resumed turn writes again. They stand at a seam:
// the lines themselves are held to be right, and the comparison goes on.
type written struct {
	r      *bufio.Reader
	w      *recording.Writer
	hash   hash.Hash // of the lines of the file so far
	number int       // of the last line that was compared
	seams  int
	cut    bool // the recording was cut, or goes on after it was

	next   []byte // the next line of the file; nil: not read yet
	known  map[string]bool
	failed *Difference
	of     *event.Event // that is written
}

func newWritten(file io.Reader, r *recording.Recording) *written {
	f := &written{r: bufio.NewReaderSize(file, 64<<10), hash: sha256.New(), known: map[string]bool{}, cut: r.Incomplete()}
	for i := range r.Events {
		switch r.Events[i].Body.(type) {
		case *event.Resumed, *event.Answered:
			f.cut = true
		}
	}
	f.w = recording.NewWriter(f, r.Run)
	return f
}

// event writes an event that was made again, and compares.
func (f *written) event(recorded, made *event.Event) *Difference {
	f.of = recorded
	if err := f.w.Append([]event.Event{*made}); err != nil && f.failed == nil {
		f.failed = &Difference{Kind: LineDiffers, Line: f.number + 1, Made: clipped(err.Error())}
	}
	return f.failed
}

// Write takes what a Writer writes: whole lines.
func (f *written) Write(b []byte) (int, error) {
	for line := range bytes.Lines(b) {
		if f.failed = f.line(line); f.failed != nil {
			return 0, io.ErrShortWrite
		}
	}
	return len(b), nil
}

// read is the next line of the file, with its end; nil at the end, and at a
// line that is not whole.
func (f *written) read() []byte {
	if f.next == nil {
		text, err := f.r.ReadBytes('\n')
		if err != nil {
			return nil
		}
		f.next = text
	}
	return f.next
}

func (f *written) take() {
	f.hash.Write(f.next)
	f.next = nil
	f.number++
}

var (
	pieceLine = []byte(`{"piece":"`)
	hashLine  = []byte(`{"hash":"`)
)

// line compares one line.
func (f *written) line(want []byte) *Difference {
	if bytes.HasPrefix(want, hashLine) && f.seams > 0 {
		want = f.sealed() // the Writer knows nothing of what stands at a seam
	}
	if bytes.HasPrefix(want, pieceLine) && f.known[string(name(want))] {
		return nil
	}
	for {
		got := f.read()
		if bytes.Equal(got, want) {
			if bytes.HasPrefix(want, pieceLine) {
				f.known[string(name(want))] = true
			}
			f.take()
			return nil
		}
		if f.left(got) {
			continue
		}
		if bytes.HasPrefix(want, hashLine) && !bytes.HasPrefix(got, hashLine) && (f.cut || f.ended()) {
			f.seams++ // the crash took it
			return nil
		}
		return f.differs(got, want)
	}
}

// ended reports whether the event that is written ends a turn. A crash may take
// the hash that follows, and the conversation goes on without it.
func (f *written) ended() bool {
	if f.of == nil {
		return false
	}
	_, ok := f.of.Body.(*event.Finished)
	return ok
}

// left takes a line that stands at a seam.
func (f *written) left(got []byte) bool {
	switch {
	case !f.cut:
		return false
	case bytes.HasPrefix(got, hashLine) && bytes.Equal(got, f.sealed()):
	case bytes.HasPrefix(got, pieceLine) && !f.known[string(name(got))] && f.whole(got):
		f.known[string(name(got))] = true
	default:
		return false
	}
	f.take()
	f.seams++
	return true
}

// whole reports whether a line of content is as a Writer writes it.
func (f *written) whole(got []byte) bool {
	header := []byte("{\"spoor\":0,\"run\":\"x\"}\n")
	rec, err := recording.Read(bytes.NewReader(append(header, got...)))
	if err != nil || len(rec.Faults) > 0 {
		return false
	}
	return true
}

// sealed is the hash of the file so far.
func (f *written) sealed() []byte {
	b := append([]byte{}, hashLine...)
	b = hex.AppendEncode(b, f.hash.Sum(nil))
	return append(b, "\"}\n"...)
}

// name is the digest that a line of content begins with.
func name(text []byte) []byte {
	rest := text[len(pieceLine):]
	return rest[:min(len(rest), 64)]
}

func (f *written) differs(got, want []byte) *Difference {
	d := &Difference{Kind: LineDiffers, Line: f.number + 1}
	if e := f.of; e != nil {
		d.Event, d.EventKind, d.Turn, d.Iteration = e.Seq, e.Body.Kind(), e.Turn, e.Iteration
	}
	if got == nil {
		d.Kind = LineMissing
	}
	a, b := bytes.TrimSuffix(got, []byte("\n")), bytes.TrimSuffix(want, []byte("\n"))
	d.Recorded, d.Made = clipped(string(a)), clipped(string(b))
	first(decode(a), decode(b), "", func(path string, va, vb any) bool {
		if path != "" && len(a) > 200 {
			d.Path, d.Recorded, d.Made = path, clipped(encode(va)), clipped(encode(vb))
		}
		return false
	})
	return d
}

// end compares what stands after the last event.
func (f *written) end() *Difference {
	for {
		got := f.read()
		if got == nil {
			return nil
		}
		if bytes.HasPrefix(got, []byte(`{"seq":`)) || !f.left(got) {
			return &Difference{Kind: LineNotWritten, Line: f.number + 1, Recorded: clipped(string(bytes.TrimSuffix(got, []byte("\n"))))}
		}
	}
}
