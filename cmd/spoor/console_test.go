package main

import (
	"bytes"
	"errors"
	"testing"
)

func TestConsole(t *testing.T) {
	for name, test := range map[string]struct {
		writes []string
		want   string
	}{
		"text":                        {[]string{"Größe: 5 €\n\tok"}, "Größe: 5 €\n\tok"},
		"an escape sequence":          {[]string{"a\x1b]0;pwned\x07b\x1b[2J"}, "a]0;pwnedb[2J"},
		"a carriage return":           {[]string{"true\rfalse"}, "truefalse"},
		"a control in two bytes":      {[]string{"a\u009b31mb"}, "a31mb"},
		"one that is cut":             {[]string{"a\xc2", "\x9b31m"}, "a31m"},
		"a letter that is cut":        {[]string{"10\xc2", "\xb5s"}, "10µs"},
		"delete":                      {[]string{"a\x7fb"}, "ab"},
		"what is no text stays bytes": {[]string{"a\xffb"}, "a\xffb"},
	} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			c := &console{w: &got}
			for _, w := range test.writes {
				if n, err := c.Write([]byte(w)); n != len(w) || err != nil {
					t.Fatal(n, err)
				}
			}
			if got.String() != test.want {
				t.Errorf("got %q, want %q", got.String(), test.want)
			}
		})
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestAResultThatIsNotPrintedIsAnError(t *testing.T) {
	var stderr bytes.Buffer
	if code := run([]string{"runs", "--help"}, nil, full{}, &stderr); code != unasked {
		t.Errorf("left with %d: %s", code, &stderr)
	}
}
