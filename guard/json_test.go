package guard

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestValid(t *testing.T) {
	for _, s := range []string{
		``, ` `, `1`, `-`, `-0`, `01`, `1.`, `.5`, `1e`, `1e+`, `1E-05`, `+1`, `--1`, `0x1`, `1 2`,
		`tru`, `true`, `truex`, `nul`, `null`, `falsey`, `""`, `"`, `"\"`, `"\x"`, `"\u12"`, `"\u12g4"`, `"\u00e9"`,
		"\"\x00\"", "\"\x1f\"", "\"\x7f\xff\"", "\"abcdefg\x1f\"", "\"abcdefgh\"", "\"abcdefgh\\\"\"",
		`[]`, `[ ]`, `[1,]`, `[,1]`, `[1 2]`, `[1}`, `[`, `]`, `{}`, `{ }`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a":1]`, `{1:1}`,
		`{"a":1 "b":2}`, `{"a" : 1 , "b" : [ ] }`, "\t\r\n 1 \t\r\n", "\v1", "1\x00", "\ufeff1",
		strings.Repeat("[", 63) + strings.Repeat("]", 63),
		strings.Repeat("[", 64) + strings.Repeat("]", 64),
		strings.Repeat("[", 65) + strings.Repeat("]", 65),
		strings.Repeat(`{"a":[`, 100) + strings.Repeat("]}", 100),
		strings.Repeat(`{"a":[`, 100) + strings.Repeat("}]", 100),
		strings.Repeat("[", 10000) + strings.Repeat("]", 10000),
		strings.Repeat("[", 10001) + strings.Repeat("]", 10001),
		strings.Repeat("[", 100000),
	} {
		if got, want := valid(s), json.Valid([]byte(s)); got != want {
			t.Errorf("valid(%.60q) = %v", s, got)
		}
	}
}

// FuzzObject holds the scanner against encoding/json: which texts are JSON, and
// which fields an object has.
func FuzzObject(f *testing.F) {
	for _, s := range []string{
		`{"riskLevel":"high","score":0.93}`,
		`{"risk\u004cevel":"x","riskLevel":null,"a":{"riskLevel":[1,2,{"b":"\""}]}}`,
		"{ \"\xff\" : 1 , \"\\ud83d\\ude00\" : \"\\ud800\" }",
		`[1,-2.5e+10,true,false,null,""]`,
		`{"a":1}}`,
		`"12345678\n"`,
		document(300, true),
	} {
		f.Add(s, "riskLevel", "a")
		f.Add(s, "\ufffd", "😀")
	}
	f.Fuzz(func(t *testing.T, s, key1, key2 string) {
		isValid := json.Valid([]byte(s))
		if valid(s) != isValid {
			t.Fatalf("valid(%q) = %v", s, !isValid)
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal([]byte(s), &want); err != nil && want != nil {
			want = nil
		}
		var fields Fields
		keys := []string{key1, key2}
		fields.Read(s, keys)
		for i, key := range keys {
			if i == 1 && key == key1 {
				continue // read once
			}
			got := fields.spans.at(i).of(s)
			raw, ok := want[key]
			if !isUTF8(key) {
				continue // refused by Compile
			}
			if (got.kind != Missing) != ok {
				t.Fatalf("field %q of %q: %v %q", key, s, got.kind, got.text)
			}
			if !ok {
				continue
			}
			text := got.text
			if got.kind == String {
				text = `"` + text + `"`
				var decoded string
				if err := json.Unmarshal(raw, &decoded); err != nil || unquote(got.text) != decoded {
					t.Fatalf("%q is read as %q, not %q", raw, unquote(got.text), decoded)
				}
				if compareText(got.text, decoded) != 0 || compareText(got.text, decoded+"\x00") >= 0 {
					t.Fatalf("%q does not compare with itself", decoded)
				}
			}
			if text != string(raw) {
				t.Fatalf("field %q of %q: %q, want %q", key, s, text, raw)
			}
			if e := (&datum{kind: got.kind, text: got.text}); got.kind == List || got.kind == Other {
				var b strings.Builder
				if c := compact(got.text); len(c) <= maxActual && isUTF8(got.text) && !strings.Contains(c, `\`) && e.summary(&b) != c {
					t.Fatalf("summary %q of %q", b.String(), c)
				}
			}
		}
	})
}

func isUTF8(s string) bool { return strings.ToValidUTF8(s, "") == s }
