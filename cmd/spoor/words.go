package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"unicode/utf8"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/mapfile"
)

// templateFile is the templates of a story as a file for --words, in the order
// of a story.
func templateFile() string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	put := func(s string) {
		_ = enc.Encode(s) // a string marshals
		b.Truncate(b.Len() - 1)
	}
	begin := "{"
	for name, text := range explain.Templates() {
		b.WriteString(begin + "\n  ")
		put(name)
		b.WriteString(": ")
		put(text)
		begin = ","
	}
	b.WriteString("\n}\n")
	return b.String()
}

// openWords reads a file of templates; without a name they are the usual ones.
func openWords(name string) (*explain.Words, error) {
	if name == "" {
		return nil, nil
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no file of words %s; spoor show --templates prints one", name)
	}
	if err != nil {
		return nil, unreadable(name, err)
	}
	texts, places, faults := readWords(name, data)
	words, err := explain.NewWords(texts)
	var problems spoor.Problems
	if errors.As(err, &problems) {
		for _, p := range problems {
			faults = append(faults, mapfile.Fault{Problem: p, Pos: places[p.Ref]})
		}
	}
	if faults != nil {
		sortFaults(faults)
		return nil, wrong("words", faults)
	}
	return words, nil
}

// readWords reads a JSON object of texts, with the place of each.
func readWords(name string, data []byte) (map[string]string, map[spoor.Ref]mapfile.Position, mapfile.Faults) {
	texts, places := map[string]string{}, map[spoor.Ref]mapfile.Position{}
	var faults mapfile.Faults
	at := func(offset int64) mapfile.Position {
		for offset < int64(len(data)) && bytes.IndexByte([]byte(" \t\r\n,:"), data[offset]) >= 0 {
			offset++
		}
		before := data[:min(offset, int64(len(data)))]
		line := bytes.Count(before, []byte("\n"))
		column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
		return mapfile.Position{File: name, Line: line + 1, Column: column + 1}
	}
	fault := func(pos mapfile.Position, ref spoor.Ref, code, message, hint string) {
		faults = append(faults, mapfile.Fault{Problem: spoor.Problem{Level: "error", Code: code, Ref: ref, Message: message, Hint: hint}, Pos: pos})
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	broken := func(err error) {
		pos := at(dec.InputOffset())
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			pos = at(max(syntax.Offset-1, 0))
		}
		message := err.Error()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			message = "it ends before the object does"
		}
		fault(pos, "", "syntax", "this is no JSON: "+message, "spoor show --templates prints such a file")
	}
	start := at(0)
	switch open, err := dec.Token(); {
	case err != nil:
		broken(err)
		return texts, places, faults
	case open != json.Delim('{'):
		fault(start, "", "wrong-type", "the words are an object, a text by each name", "spoor show --templates prints such a file")
		return texts, places, faults
	}
	for dec.More() {
		pos := at(dec.InputOffset())
		key, err := dec.Token()
		if err != nil {
			broken(err)
			return texts, places, faults
		}
		id := key.(string) // in an object nothing else is a key
		ref := spoor.Ref(strconv.Quote(id))
		value := at(dec.InputOffset())
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			broken(err)
			return texts, places, faults
		}
		var text *string
		switch _, twice := places[ref]; {
		case twice:
			fault(pos, ref, "duplicate-key", "this name is there twice", "")
			continue
		case json.Unmarshal(raw, &text) != nil || text == nil:
			fault(value, ref, "wrong-type", "a template is a text", "put it in quotation marks")
		default:
			texts[id] = *text
		}
		places[ref] = pos
	}
	if _, err := dec.Token(); err != nil {
		broken(err)
	} else if rest := bytes.TrimSpace(data[dec.InputOffset():]); len(rest) > 0 {
		fault(at(dec.InputOffset()), "", "syntax", "something follows the object", "")
	}
	return texts, places, faults
}
