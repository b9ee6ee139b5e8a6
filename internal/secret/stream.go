package secret

import (
	"strings"
	"unicode/utf8"
)

// A Stream hides the values in a text that comes in pieces: together they are
// what Text makes of the whole. It is for one text, and not safe for concurrent
// use.
type Stream struct {
	hider *Hider
	emit  func(string)
	held  string // may be the beginning of a value
}

// Stream tells emit what may be shown of a text, as soon as it may.
func (h *Hider) Stream(emit func(string)) *Stream { return &Stream{hider: h, emit: emit} }

// Write takes the next piece.
func (s *Stream) Write(text string) {
	for len(text) > piece {
		end := piece
		for end > 1 && !utf8.RuneStart(text[end]) {
			end--
		}
		s.write(text[:end])
		text = text[end:]
	}
	s.write(text)
}

func (s *Stream) write(text string) {
	s.held += text
	list, at := hits(nil), len(s.held)
	if h := s.hider; h != nil && len(h.forms) > 0 {
		list, at = h.hits(s.held), between(s.held, h.open(s.held, layers), layers)
		for len(list) > 0 && list[len(list)-1].end > at { // it may grow
			at = between(s.held, min(at, list[len(list)-1].start), layers)
			list = list[:len(list)-1]
		}
	}
	text, s.held = replace(s.held[:at], list), s.held[at:]
	if text != "" {
		s.emit(text)
	}
}

// End tells what was held back, since nothing follows.
func (s *Stream) End() {
	if s.held != "" {
		s.emit(replace(s.held, s.hider.hits(s.held)))
	}
	s.held = ""
}

// open is where the first value may begin that the text does not end.
func (h *Hider) open(s string, layers int) int {
	at := len(s)
	for _, f := range h.forms {
		n := min(len(f.Text)-1, len(s))
		for !strings.HasSuffix(s, f.Text[:n]) {
			n--
		}
		at = min(at, len(s)-n)
	}
	if layers == 0 || !strings.ContainsAny(s, `\%`) {
		return at
	}
	r := unescape(s, layers)
	return min(at, r.start(h.open(r.text[:r.whole], layers-1)))
}

// between is at, or the place before it that is within no escape, so that what
// stands there is read as it would be amid all that came before it.
func between(s string, at, layers int) int {
	if layers == 0 || !strings.ContainsAny(s, `\%`) {
		return at
	}
	r := unescape(s, layers)
	return r.start(between(r.text, r.of(r.floor(at)), layers-1))
}
