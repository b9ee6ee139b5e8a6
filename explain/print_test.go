package explain

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestHang(t *testing.T) {
	for _, text := range []string{
		"", " ", "a", strings.Repeat("word ", 50), strings.Repeat("x", 500),
		`i1.1 lookup_order returned {"id":17,` + strings.Repeat(`"item":"tent",`, 30) + `"x":1}`,
		strings.Repeat("日本", 200),
	} {
		var p page
		p.hang(2, 6, text)
		for line := range strings.Lines(p.String()) {
			if n := utf8.RuneCountInString(line) - 1; n > columns {
				t.Errorf("a line has %d columns:\n%s", n, line)
			}
		}
		plain := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if plain(p.String()) != plain(text) {
			t.Errorf("got %q, want all of %q", p.String(), text)
		}
	}
}

// Text that comes from outside cannot drive the terminal.
func TestLine(t *testing.T) {
	if got, want := line("a\x1b[31m\tb\r\n\xff c\u202e"), "a\uFFFD[31m b \uFFFD c\uFFFD"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := clip("  one two  three", 8), "one two…"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Every template that the code asks for is in the table, with its values, and
// none is there for nothing.
func TestTemplates(t *testing.T) {
	asked := map[string]bool{}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	call := regexp.MustCompile(`(?:\bsay|\badd|\bfailure|\bcounted|\bnamed)\((.*)`)
	name := regexp.MustCompile(`"([a-z][a-z ]*)"`)
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		data, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(data), "\n") {
			if _, class, ok := strings.Cut(line, `Class = "`); ok {
				class, _, _ = strings.Cut(class, `"`)
				asked["what "+class] = true
			}
			if !call.MatchString(line) && !strings.Contains(line, "name := either") && !strings.Contains(line, "name = ") && !strings.Contains(line, "name := ") {
				continue
			}
			for _, m := range name.FindAllStringSubmatch(line, -1) {
				asked[m[1]] = true
				asked["one "+m[1]], asked["many "+m[1]] = true, true // as counted asks
			}
		}
		for _, m := range regexp.MustCompile(`\bsay\("([^"]*)"[,)]`).FindAllStringSubmatch(string(data), -1) {
			if _, ok := templates[m[1]]; !ok {
				t.Errorf("%s asks for the template %q, which is not there", f.Name(), m[1])
			}
		}
	}
	for name := range templates {
		if !asked[name] {
			t.Errorf("nothing asks for the template %q", name)
		}
	}
}

// A place left open would show as {name}.
func TestSay(t *testing.T) {
	if got, want := say("stay", "to", "{from}"), "stayed in {from}"; got != want {
		t.Errorf("got %q, want %q: a value is no template", got, want)
	}
}
