package main

import (
	"bytes"
	"strings"
	"testing"
)

// Every command tells about itself, with an example.
func TestHelp(t *testing.T) {
	for _, c := range newRoot().Commands() {
		if c.Name() == "help" {
			continue
		}
		var out bytes.Buffer
		if code := run([]string{c.Name(), "--help"}, nil, &out, &out); code != yes {
			t.Errorf("%s --help leaves with %d", c.Name(), code)
		}
		if !strings.Contains(out.String(), "\nExamples:\n  spoor "+c.Name()) {
			t.Errorf("%s has no example:\n%s", c.Name(), &out)
		}
		for line := range strings.Lines(out.String()) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > columns {
				t.Errorf("%s: %d columns: %s", c.Name(), n, line)
			}
		}
	}
}

func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		" a\n b\t c ":     "a b c",
		"\x1b[31mred\x07": "[31mred",
		"1234567890":      "1234567890",
		"12345678901":     "123456789…",
		"ünïcödé is wide": "ünïcödé i…",
	} {
		if got := oneLine(text, 10); got != want {
			t.Errorf("oneLine(%q) = %q, want %q", text, got, want)
		}
	}
}
