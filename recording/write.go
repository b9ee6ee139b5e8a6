package recording

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
)

// A Writer appends to a recording. It belongs to one run and is not safe for
// concurrent use.
type Writer struct {
	r    *Recording
	w    io.Writer // nil: in memory only
	hash hash.Hash // of every byte written
	buf  []byte
	err  error // the first failed write

	unsealed bool // something stands after the last hash, or did before a crash cut it
	closed   bool
	folders  []string // that have an entry which may not be on the disk yet

	lines event.Lines
	fresh []model.Digest // pieces that are in buf
	found []event.Piece  // of one event, for reuse
	sum   [sha256.Size]byte
}

// NewRun makes the id of a run: the time, so that ids sort by it, and chance.
func NewRun(at time.Time) string {
	return at.UTC().Format("20060102-150405.000000-") + strings.ToLower(rand.Text()[:4])
}

// NewWriter begins a recording. If w is nil, it is in memory only; otherwise
// every Append is one Write to w.
func NewWriter(w io.Writer, run string) *Writer {
	wr := &Writer{
		r: &Recording{Run: run, Events: make([]event.Event, 0, 64), pieces: make(map[model.Digest]string, 64), written: 1},
		w: w, hash: sha256.New(), buf: make([]byte, 0, 4<<10),
	}
	wr.buf = fmt.Appendf(wr.buf, `{"spoor":%d,"run":`, Version)
	wr.buf = append(appendString(wr.buf, run), "}\n"...)
	return wr
}

// Extend goes on with a recording that is in memory only. One that another
// Writer has not closed is refused.
func Extend(r *Recording) (*Writer, error) {
	if !atomic.CompareAndSwapUint32(&r.written, 0, 1) {
		return nil, inUse("run " + r.Run)
	}
	return &Writer{r: r, hash: sha256.New()}, nil
}

// inUse says that a recording has a writer already.
func inUse(name string) error {
	return fmt.Errorf("%s is being written by another turn; wait for its end", name)
}

// Recording returns what is written so far. It grows with every Append.
func (w *Writer) Recording() *Recording { return w.r }

// Append records events, with the content that they name, in one write. Once
// a write fails, it and every later Append return the error and record
// nothing, so that nothing is done that is not on record.
func (w *Writer) Append(events []event.Event) error {
	if w.closed && w.err == nil {
		w.err = fmt.Errorf("recording %s: %w", w.r.Run, os.ErrClosed)
	}
	if w.err != nil {
		return w.err
	}
	sealed := 0 // how much of buf the hash has seen
	for i := range events {
		e := &events[i]
		if _, move := e.Body.(*event.Evaluated); move && e.Iteration > 1 {
			sealed = w.seal(sealed)
		}
		w.found = e.Pieces(w.found[:0])
		for _, p := range w.found {
			w.piece(p.Digest, *p.Data)
		}
		w.buf = append(w.lines.Append(w.buf, e), '\n')
		switch e.Body.(type) {
		case *event.Finished, *event.Paused:
			sealed = w.seal(sealed)
		}
	}
	w.hash.Write(w.buf[sealed:])
	if w.w != nil {
		if _, err := w.w.Write(w.buf); err != nil {
			for _, d := range w.fresh {
				delete(w.r.pieces, d)
			}
			w.err = fmt.Errorf("recording %s: %w", w.r.Run, err)
			return w.err
		}
	}
	w.buf, w.fresh = w.buf[:0], w.fresh[:0]
	if cap(w.r.Events)-len(w.r.Events) < len(events) {
		w.r.Events = slices.Grow(w.r.Events, max(len(w.r.Events), len(events))) // a run goes on: double
	}
	w.r.Events = append(w.r.Events, events...)
	w.unsealed = false
	return nil
}

// Sync waits until all that is written is on the disk, so that it survives a
// loss of power, too: the file, if it is one, and the first time the folder
// that it is in. It does nothing for a recording in memory. An error is like
// one of Append: nothing more is recorded.
func (w *Writer) Sync() error {
	file, ok := w.w.(interface{ Sync() error })
	if w.err != nil || !ok {
		return w.err
	}
	err := file.Sync()
	for err == nil && len(w.folders) > 0 {
		if err = syncFolder(w.folders[0]); err == nil {
			w.folders = w.folders[1:]
		}
	}
	if err != nil {
		w.err = fmt.Errorf("recording %s: %w", w.r.Run, err)
	}
	return w.err
}

// Unsealed reports whether the last turn has come to its end and the running
// hash that belongs there is missing, or is followed by a line that a crash cut.
func (w *Writer) Unsealed() bool { return w.unsealed && w.r.Finished() != nil }

// Seal adds the running hash.
func (w *Writer) Seal() error {
	w.seal(0)
	return w.Append(nil)
}

// seal adds the running hash.
func (w *Writer) seal(from int) int {
	w.hash.Write(w.buf[from:])
	from = len(w.buf)
	w.buf = append(w.buf, `{"hash":"`...)
	w.buf = hex.AppendEncode(w.buf, w.hash.Sum(w.sum[:0]))
	w.buf = append(w.buf, "\"}\n"...)
	return from
}

// piece writes content, the first time that it is named. Content that is no
// text is written in base64, so that its bytes are kept.
func (w *Writer) piece(d model.Digest, data string) {
	if _, written := w.r.pieces[d]; written {
		return
	}
	w.r.pieces[d] = data
	w.fresh = append(w.fresh, d)
	w.buf = append(w.buf, `{"piece":"`...)
	w.buf = hex.AppendEncode(w.buf, d[:])
	if utf8.ValidString(data) {
		w.buf = appendString(append(w.buf, `","text":`...), data)
		w.buf = append(w.buf, "}\n"...)
		return
	}
	w.buf = append(w.buf, `","base64":"`...)
	w.buf = base64.StdEncoding.AppendEncode(w.buf, []byte(data))
	w.buf = append(w.buf, "\"}\n"...)
}

func appendString(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s) // only text comes here
	return b
}
