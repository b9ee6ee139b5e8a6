// Package secret hides values, such as keys, in what others say.
//
// A value is found as it is, with any of its characters escaped as JSON
// strings escape them or as URLs do, in base64, alone or amid more, and in up
// to four layers of each, such as JSON in a string of JSON. It is not found
// when it is disguised in another way.
package secret

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
)

// A Value is hidden: Shown stands in its place. One of less than six bytes is
// no secret, since it is found in too much.
type Value struct{ Text, Shown string }

const (
	shortest = 6
	layers   = 8       // of escapes, those of JSON and of URLs in turn
	piece    = 1 << 16 // bytes that are looked at at a time
)

// A Hider hides values. It is safe for concurrent use. The zero Hider, or nil,
// hides nothing.
type Hider struct{ forms []Value }

// New makes a Hider.
func New(values ...Value) *Hider {
	h, seen := &Hider{}, map[string]bool{}
	for _, v := range values {
		for layer := range layers { // its own escapes are read with the others
			if len(v.Text) < shortest {
				break
			}
			for _, form := range forms(v.Text) {
				if !seen[form] {
					seen[form] = true
					h.forms = append(h.forms, Value{form, v.Shown})
				}
			}
			v.Text = unescape(v.Text, layer).text
		}
	}
	return h
}

// forms are the ways to write a value that are more than escapes.
func forms(value string) []string {
	list := []string{value, strings.ReplaceAll(value, " ", "+")}
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		list = append(list, enc.EncodeToString([]byte(value)), enc.EncodeToString([]byte("Bearer "+value)))
		for before := range 3 { // bytes of the group of three that the value begins in
			code := enc.EncodeToString(append(make([]byte, before), value...))
			list = append(list, code[(before*8+5)/6:(before+len(value))*8/6]) // of no other byte
		}
	}
	return list
}

// Text hides the values in a text.
func (h *Hider) Text(s string) string {
	if h == nil || len(h.forms) == 0 {
		return s
	}
	if len(s) <= piece {
		return replace(s, h.hits(s))
	}
	var b strings.Builder
	stream := h.Stream(func(text string) { b.WriteString(text) })
	stream.Write(s)
	stream.End()
	return b.String()
}

// JSON hides the values in the strings of JSON, those that name fields too.
// Every other byte stays as it is, and so do numbers. What is no JSON is a
// text.
func (h *Hider) JSON(b []byte) []byte {
	if h == nil || len(h.forms) == 0 {
		return b
	}
	if !json.Valid(b) {
		return []byte(h.Text(string(b)))
	}
	s := string(b)
	var all hits
	for at := 0; ; {
		quote := strings.IndexByte(s[at:], '"')
		if quote < 0 {
			break
		}
		start := at + quote + 1
		end := start
		for s[end] != '"' {
			if s[end] == '\\' {
				end++
			}
			end++
		}
		at = end + 1
		literal := s[start:end]
		if h.Text(literal) == literal {
			continue
		}
		r := unescape(literal, layers)
		add := func(from, to int, shown string) {
			quoted, _ := json.Marshal(shown) // no string fails
			all = append(all, hit{start + from, start + to, string(quoted[1 : len(quoted)-1])})
		}
		h.find(r.text, layers-1, func(from, to int, shown string) { add(r.start(from), r.end(to), shown) })
		h.find(literal, 0, func(from, to int, shown string) { // it may begin with the letter of an escape
			from, to = r.floor(from), r.ceil(to)
			add(from, to, shown)
		})
	}
	if len(all) == 0 {
		return b
	}
	return []byte(replace(s, all.merged()))
}

// A hit is where a value is, and what is shown in its place.
type hit struct {
	start, end int
	shown      string
}

type hits []hit

func (h *Hider) hits(s string) hits {
	var all hits
	h.find(s, layers, func(start, end int, shown string) { all = append(all, hit{start, end, shown}) })
	return all.merged()
}

// merged is hits in order, of which no two overlap.
func (list hits) merged() (merged hits) {
	slices.SortStableFunc(list, func(a, b hit) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	for _, x := range list {
		if n := len(merged); n > 0 && x.start < merged[n-1].end {
			merged[n-1].end = max(merged[n-1].end, x.end)
			continue
		}
		merged = append(merged, x)
	}
	return merged
}

func replace(s string, list hits) string {
	if len(list) == 0 {
		return s
	}
	var b strings.Builder
	at := 0
	for _, x := range list {
		b.WriteString(s[at:x.start])
		b.WriteString(x.shown)
		at = x.end
	}
	b.WriteString(s[at:])
	return b.String()
}

// find tells where values are in a text, however many layers of escapes down.
func (h *Hider) find(s string, layers int, tell func(start, end int, shown string)) {
	for _, f := range h.forms {
		for at := 0; ; at++ {
			i := strings.Index(s[at:], f.Text)
			if i < 0 {
				break
			}
			at += i
			tell(at, at+len(f.Text), f.Shown)
		}
	}
	if layers == 0 || !strings.ContainsAny(s, `\%`) {
		return
	}
	r := unescape(s, layers)
	h.find(r.text, layers-1, func(start, end int, shown string) { tell(r.start(start), r.end(end), shown) })
}
