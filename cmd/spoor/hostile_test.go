package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/spoorhq/spoor/recording"
)

// questions are what can be asked of a recording in a file.
func questions(path, good, mapped string) [][]string {
	return [][]string{
		{"verify", path}, {"verify", path, "--json"}, {"show", path}, {"show", path, "--full", "--json"}, {"show", path, "--route"},
		{"why", path}, {"why", path, "--json"}, {"why", path, "--span", "60 days"}, {"why", path, "--move", "2"}, {"why", path, "--call", "1", "--json"},
		{"why", path, "--tool", "i1.1"}, {"why", path, "--not", "skill:refunds"}, {"why", path, "--not", "tool:assess_risk", "--json"}, {"why", path, "--not", "piece:00000000"},
		{"replay", path}, {"replay", path, "--json"}, {"replay", path, "--map", mapped}, {"replay", path, "--piece", "call:i1.1=" + mapped},
		{"compare", good, path}, {"compare", path, good, "--json"}, {"draw", mapped, "--run", path},
		{"runs", "--store", filepath.Dir(path)},
	}
}

// interrogate asks a file everything. Each answer is text that steers no
// terminal, each exit code one that is documented, and each answer of a damaged
// file tells of the damage.
func interrogate(t *testing.T, data []byte) {
	t.Helper()
	const good, mapped = "../../recording/testdata/v0/refund-desk.jsonl", "../../examples/refund-desk/map.yaml"
	path := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	rec, unreadable := recording.Read(bytes.NewReader(data))
	for _, args := range questions(path, good, mapped) {
		var out, errs bytes.Buffer
		code := run(args, strings.NewReader(""), &out, &errs)
		text := out.String() + errs.String()
		switch {
		case code < yes || code > unasked:
			t.Fatalf("%q leaves with %d", args, code)
		case text == "":
			t.Fatalf("%q says nothing", args)
		case !utf8.ValidString(text):
			t.Fatalf("%q prints what is no UTF-8: %q", args, text)
		case strings.ContainsFunc(text, func(r rune) bool {
			return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
		}):
			t.Fatalf("%q prints what a terminal acts on: %q", args, text)
		case strings.Contains(text, "the walk broke"):
			t.Fatalf("%q: %s", args, text)
		case args[0] == "runs":
		case unreadable != nil && code != unasked:
			t.Fatalf("%q leaves with %d of what is no recording: %s", args, code, text)
		case args[0] == "verify" && unreadable == nil && (len(rec.Faults) > 0 || rec.Damage != "") && code == yes:
			t.Fatalf("%q says yes to a damaged file", args)
		case args[0] == "show" || args[0] == "why":
			words := strings.Join(strings.Fields(text), " ")
			if unreadable == nil && rec.Damage != "" && !regexp.MustCompile(`line \d+: `).MatchString(words) {
				t.Fatalf("%q does not tell that %s:\n%s", args, rec.Damage, text)
			}
			if unreadable == nil && rec.Damage == "" && len(rec.Faults) > 0 && !strings.Contains(words, "not as it was written") {
				t.Fatalf("%q does not tell that %s:\n%s", args, rec.Faults[0], text)
			}
		}
	}
}

// hostile are edits of a line of a recording.
var hostile = []struct{ old, new string }{
	{`"body":{`, `"body":null,"was":{`},
	{`"body":{`, `"body":` + strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001) + `,"was":{`},
	{`"seq":`, `"seq":-9223372036854775808,"was":`},
	{`"seq":`, `"seq":1e999,"was":`},
	{`"seq":`, `"because":[9223372036854775807,3,2,99],"seq":`},
	{`"kind":"`, `"kind":"\u001b[2J\u202e\n`},
	{`"turn":`, `"turn":-7,"was":`},
	{`"at":`, `"drop":9223372036854775807,"at":`},
	{`"call":"i1.1"`, `"call":"\u001b[2J\u009b\u202e\r\nid"`},
	{`i1.1`, `i2.1`},
	{`assess_risk`, "\xff\\u2066assess"},
	{`"text":"`, `"base64":"!!`},
	{`"text":"`, `"text":"` + strings.Repeat("[", 10_001)},
	{`"piece":"`, `"piece":"00`},
	{`{"piece":"`, `{"piece":"` + strings.Repeat("0", 64) + `","was":"`},
	{`{"hash":"`, `{"hash":"00`},
	{`{"seq":`, "\n{\"seq\":"},
	{`"}` + "\n", `"}` + "\r\n"},
	{`"because":[`, `"because":null,"was":[`},
	{`"2026`, `"9999`},
	{`triage`, `\u202etri\u0000age`},
	{`{"spoor":0,"run":"`, `{"spoor":0,"run":"\u001b[2J\u202e\n`},
	{`{"spoor":0`, `{"spoor":1`},
	{`{"spoor":0`, "\xef\xbb\xbf" + `{"spoor":0`},
}

// Whatever was done to a file, everything that can be asked of it is answered.
func TestEveryQuestionOfADamagedFile(t *testing.T) {
	data, err := os.ReadFile("../../recording/testdata/v0/refund-desk.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	lines[len(lines)-1] = append(lines[len(lines)-1], '\n')
	for i := 3; i < len(lines); i += 11 {
		before, after := bytes.Join(lines[:i], nil), bytes.Join(lines[i+1:], nil)
		for name, file := range map[string][]byte{
			"cut behind":  before,
			"cut in":      append(bytes.Clone(before), lines[i][:len(lines[i])/2]...),
			"without":     append(bytes.Clone(before), after...),
			"twice":       append(bytes.Join(lines[:i+1], nil), append(bytes.Clone(lines[i]), after...)...),
			"at the end":  append(append(bytes.Clone(before), after...), lines[i]...),
			"not JSON in": append(append(bytes.Clone(before), lines[i][1:]...), after...),
		} {
			t.Run(fmt.Sprintf("%s line %d", name, i+1), func(t *testing.T) { interrogate(t, file) })
		}
	}
	for i, h := range hostile {
		t.Run(fmt.Sprintf("edit %d", i), func(t *testing.T) {
			file := bytes.ReplaceAll(data, []byte(h.old), []byte(h.new))
			if bytes.Equal(file, data) {
				t.Fatalf("there is no %q", h.old)
			}
			interrogate(t, file)
		})
	}
}

// FuzzQuestions asks any file everything.
func FuzzQuestions(f *testing.F) {
	for _, name := range []string{"cut", "model-failed", "resumed"} {
		data, err := os.ReadFile("../../recording/testdata/v0/" + name + ".jsonl")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(interrogate)
}

// FuzzReadWords reads any file of words. What is told of it has a place.
func FuzzReadWords(f *testing.F) {
	f.Add([]byte(`{"message": "a {message}", "moved": null, "moved": 1}`))
	f.Add([]byte("\xef\xbb\xbf{\"\\u001b\": \"\xff\"}{"))
	f.Add([]byte(strings.Repeat(`{"message":`, 20)))
	f.Fuzz(func(t *testing.T, data []byte) {
		texts, places, faults := readWords("words.json", data)
		if faults == nil && !json.Valid(data) {
			t.Fatalf("no fault is found in %q", data)
		}
		if len(texts) > len(places) {
			t.Fatalf("of %d texts %d have a place", len(texts), len(places))
		}
		for _, fault := range faults {
			if fault.Pos.Line < 1 || fault.Pos.Column < 1 {
				t.Fatalf("%v has no place", fault)
			}
		}
	})
}

// JSON that a terminal shows says the same as it did, and steers nothing.
func TestJSONLosesNoCharacter(t *testing.T) {
	want := "a\x1b[2J\x7f\u0085\u202e\u2066\u200f\u2028é日"
	var b bytes.Buffer
	if err := printJSON(&b, want); err != nil {
		t.Fatal(err)
	}
	var got string
	if err := json.Unmarshal(b.Bytes(), &got); err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
	if strings.ContainsFunc(b.String(), func(r rune) bool { return r < ' ' && r != '\n' || steers(r) }) {
		t.Errorf("a terminal acts on %q", b.String())
	}
}
