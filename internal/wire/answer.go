package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/spoorhq/spoor/internal/secret"
)

// An Answer is what a server answers with the status 200.
type Answer struct {
	Media string    // the media type, without parameters
	Body  io.Reader // bounded

	emit func(string)
	done func()
	over bool // the whole answer is there
	cut  bool // the body ended before its end
}

// Emit tells a bit of the answer's text to whoever listens.
func (a *Answer) Emit(text string) {
	if a.emit != nil && text != "" {
		a.emit(text)
	}
}

// Done says that the whole answer is there but for its epilogue. The server
// has five seconds to say more, and its silence or a broken connection is no
// error any more, but the end.
func (a *Answer) Done() {
	if a.over = true; a.done != nil {
		a.done()
		a.done = nil
	}
}

// answer is the answer of a response, if it may be one.
func (a *attempt) answer(resp *http.Response, shown *secret.Stream) (*Answer, error) {
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	answer := &Answer{Media: media, emit: shown.Write}
	answer.done = func() { a.timer.Stop(); a.timer.Reset(epilogue) }
	body := &bounded{resp.Body, a, answer, maxReply}
	if resp.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(body, 64<<10))
		a.refusal = a.refused(resp, string(said))
		return nil, a.refusal
	}
	if media == "text/html" {
		return nil, Broken("it is a page of HTML; see whether the address is right, with its /v1")
	}
	begun := bufio.NewReader(body)
	answer.Body = begun
	if first, _ := begun.Peek(1); string(first) != "{" && string(first) != "[" {
		if media == "application/json" {
			answer.Media = ""
		}
		return answer, nil
	}
	// No stream, whatever its type: an error that is called a success, or a whole reply.
	said, err := io.ReadAll(begun)
	if err != nil {
		return nil, err
	}
	var failed struct{ Error json.RawMessage }
	if json.Unmarshal(said, &failed) == nil && len(failed.Error) > 0 && string(failed.Error) != "null" {
		return nil, &Said{string(said)}
	}
	answer.Media, answer.Body = "application/json", bytes.NewReader(said)
	return answer, nil
}

// bounded is the body of an answer: each read shows that the server is there,
// and too much is an error.
type bounded struct {
	io.Reader
	attempt *attempt
	answer  *Answer
	left    int
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if n > 0 && !b.answer.over {
		b.attempt.timer.Reset(b.attempt.silence())
	}
	if b.left -= n; b.left < 0 {
		b.attempt.cancel(errLarge)
		n, err = 0, errLarge
	}
	if err != nil && err != io.EOF {
		b.attempt.cut = err
		if b.answer.over {
			b.answer.cut = true
			return n, io.EOF
		}
	}
	return n, err
}

// ErrEnough stops the reading of events without an error.
var ErrEnough = errors.New("wire: enough")

const maxEvent = 16 << 20 // bytes of one line, and of the data of one event

// Events reads server-sent events. An event without a name has the kind "".
// The data is valid until each returns; an error of it, but for ErrEnough, is
// returned.
func (a *Answer) Events(each func(kind string, data []byte) error) error {
	e := events{each: each}
	chunk := make([]byte, 32<<10)
	for {
		n, err := a.Body.Read(chunk)
		if failed := e.write(chunk[:n]); failed != nil {
			if failed == ErrEnough {
				return nil
			}
			return failed
		}
		switch {
		case err == nil:
			continue
		case err != io.EOF:
			return err
		case a.cut:
			return nil
		}
		if failed := e.end(); failed != nil && failed != ErrEnough {
			return failed
		}
		if !e.any && a.Media != "text/event-stream" {
			return Broken("it is no stream of events; see whether the address is right, with its /v1")
		}
		return nil
	}
}

// events is a stream of events while it is read.
type events struct {
	each func(kind string, data []byte) error
	line []byte // that has begun
	cr   bool   // the last byte was CR, whose LF may follow
	late bool   // the first line has been read
	kind string
	data []byte // of the event that has begun
	has  bool   // it has data
	any  bool   // an event has been
}

func (e *events) write(chunk []byte) error {
	for len(chunk) > 0 {
		if e.cr {
			if e.cr = false; chunk[0] == '\n' {
				chunk = chunk[1:]
				continue
			}
		}
		end := bytes.IndexAny(chunk, "\r\n")
		if end < 0 {
			e.line = append(e.line, chunk...)
			chunk = nil
		} else {
			e.line = append(e.line, chunk[:end]...)
			e.cr = chunk[end] == '\r'
			chunk = chunk[end+1:]
		}
		if len(e.line)+len(e.data) > maxEvent {
			return Broken("a line or an event of it is longer than %d MiB", maxEvent>>20)
		}
		if end >= 0 {
			if err := e.take(); err != nil {
				return err
			}
		}
	}
	return nil
}

// take reads the line.
func (e *events) take() error {
	line := e.line
	e.line = e.line[:0]
	if !e.late {
		e.late = true
		line = bytes.TrimPrefix(line, []byte("\uFEFF"))
	}
	if len(line) == 0 {
		return e.send()
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(field) {
	case "event":
		e.kind = string(value)
	case "data":
		if e.has {
			e.data = append(e.data, '\n')
		}
		e.data, e.has = append(e.data, value...), true
	}
	return nil
}

// send sends the event that is whole.
func (e *events) send() error {
	kind, data := e.kind, e.data
	e.kind, e.data, e.has = "", e.data[:0], false
	if len(data) == 0 {
		return nil
	}
	e.any = true
	return e.each(kind, data)
}

// end takes what has no line end and no blank line after it.
func (e *events) end() error {
	if len(e.line) > 0 {
		if err := e.take(); err != nil {
			return err
		}
	}
	return e.send()
}
