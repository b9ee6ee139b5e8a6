package secret

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"unicode/utf16"
)

const key = "sk-a/b&c+d 0"

var hider = New(Value{key, "[key]"}, Value{"short", "${SHORT}"}, Value{"0123456789", "${NUMBER}"}, Value{"", "${NONE}"})

func TestText(t *testing.T) {
	std, link := base64.StdEncoding.EncodeToString, base64.URLEncoding.EncodeToString
	for text, want := range map[string]string{
		"":                                      "",
		"short":                                 "short",
		"It is " + key + ".":                    "It is [key].",
		key + key:                               "[key][key]",
		"It is sk-a/b&c+d":                      "It is sk-a/b&c+d",
		"x0123456789y":                          "x${NUMBER}y",
		"01234567890123456789":                  "${NUMBER}${NUMBER}",
		`"sk-a\/b\u0026c+d\u00200"`:             `"[key]"`,
		`\u0073k-a\/b\u0026c\u002bd 0`:          `[key]`,
		`{\"a\":\"\\u0073k-a/b&c+d 0\"}`:        `{\"a\":\"[key]\"}`,
		`\\\\\\\\u0073k-a/b&c+d 0`:              `[key]`,
		"?k=" + url.QueryEscape(key):            "?k=[key]",
		"/" + url.PathEscape(key) + "/":         "/[key]/",
		"?k=sk-a%2fb%26c%2bd+0":                 "?k=[key]",
		"?k=%73%6B-a%2Fb%26c%2Bd%200&":          "?k=[key]&",
		"?k=%2573k-a/b%2526c%252bd+0":           "?k=[key]",
		`"%73k-a\u0025\u0032fb&c+d 0"`:          `"[key]"`,
		"Basic " + std([]byte(key)):             "Basic [key]",
		std([]byte("Bearer " + key)):            "[key]",
		link([]byte(key)):                       "[key]",
		url.QueryEscape(std([]byte(key))) + "&": "[key]&",
		`\`:                                     `\`,
		`\u00`:                                  `\u00`,
		`\ud83d`:                                `\ud83d`,
		`%`:                                     `%`,
		`100%`:                                  `100%`,
	} {
		if got := hider.Text(text); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
	for before := range 7 {
		code := std([]byte(strings.Repeat("u", before) + key + ":password"))
		if got := hider.Text(code); !strings.Contains(got, "[key]") || len(got) > len(code)-len(key)+2 {
			t.Errorf("after %d bytes, %s is %s", before, code, got)
		}
	}
}

func TestJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":9007199254740993, "sk-a\/b&c+d 0" : "\u0073k-a/b\u0026c+d 0!", "n":0123456789}`: `{"a":9007199254740993, "[key]" : "[key]!", "n":${NUMBER}}`, // it is none
		`{"n":1234567890123456789.0,"m":[10123456789]}`:                                       `{"n":1234567890123456789.0,"m":[10123456789]}`,
		`"{\"a\":\"\\u0073k-a/b&c+d 0\",\"b\":\"caf\\u00e9\"}"`:                               `"{\"a\":\"[key]\",\"b\":\"caf\\u00e9\"}"`,
		`"\\` + key + `"`:                        `"\\[key]"`,
		`["caf\u00e9 \ud83d\ude00 ` + key + `"]`: `["caf\u00e9 \ud83d\ude00 [key]"]`,
		`{"n":`:                                  `{"n":`,
	} {
		if got := string(hider.JSON([]byte(text))); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
	h := New(Value{"token-123", `"shown"`})
	if got, want := string(h.JSON([]byte(`["\token-123","\\token-123"]`))), `["\"shown\"","\\\"shown\""]`; got != want {
		t.Errorf("got %s; want %s", got, want)
	}
}

func TestLayersOfJSON(t *testing.T) {
	doc := any(map[string]any{"a": key})
	for n := range layers / 2 {
		b, _ := json.Marshal(doc)
		got := hider.JSON(b)
		if want := strings.ReplaceAll(strings.ReplaceAll(string(b), key, "[key]"), strings.Repeat(`\`, 1<<n-1)+`\u0026`, "&"); !json.Valid(got) || n == 0 && string(got) != `{"a":"[key]"}` || strings.Contains(string(got), "k-a/b") {
			t.Errorf("%s is %s; want %s", b, got, want)
		}
		doc = string(b)
	}
}

// What is long is looked at piece by piece.
func TestLongTexts(t *testing.T) {
	for _, text := range []string{strings.Repeat("ü", piece), strings.Repeat(`\\%5c\u005c`, piece/2), strings.Repeat("sk-a/b&c+d ", piece/2)} {
		for _, key := range []string{key, `\u0073k-a/b&c+d%200`} {
			if got, want := hider.Text(text+key+text), text+"[key]"+text; got != want {
				t.Errorf("%d bytes become %d; want %d", len(text+key+text), len(got), len(want))
			}
		}
		quoted, _ := json.Marshal([]string{text + key + text})
		want, _ := json.Marshal([]string{text + "[key]" + text})
		if got := hider.JSON(quoted); string(got) != string(want) {
			t.Errorf("%d bytes of JSON become %d; want %d", len(quoted), len(got), len(want))
		}
	}
}

func TestAHiderOfNothing(t *testing.T) {
	for _, h := range []*Hider{nil, {}, New(), New(Value{"12345", "x"})} {
		var all strings.Builder
		s := h.Stream(func(text string) { all.WriteString(text) })
		s.Write("12345")
		if got := all.String(); got != "12345" || h.Text(got) != got || string(h.JSON([]byte(`"12345"`))) != `"12345"` {
			t.Errorf("%v: %q", h, got)
		}
		s.End()
	}
}

func TestAStreamHoldsBackNoMoreThanItMust(t *testing.T) {
	var got []string
	s := hider.Stream(func(text string) { got = append(got, text) })
	for _, text := range []string{"Hello", " wor", "ld s", "k-a/", "b\\u00", "26c+d 0 and", " sk-a", "nd ", `\`, "n%", "20", " %7", "3k-"} {
		s.Write(text)
	}
	s.End()
	if want := `["Hello" " wor" "ld " "[key] and" " " "sk-and " "\\n" "%20 " "%73k-"]`; fmt.Sprintf("%q", got) != want {
		t.Errorf("got %q; want %s", got, want)
	}
}

// written writes a value in one of many ways.
func written(value string, r *rand.Rand, layers int) string {
	switch r.IntN(9) {
	case 0:
		return base64.StdEncoding.EncodeToString([]byte(value))
	case 1:
		return base64.RawURLEncoding.EncodeToString([]byte("Bearer " + value))
	case 2:
		return url.QueryEscape(value)
	}
	var b strings.Builder
	for _, c := range value {
		switch r.IntN(5) {
		case 0:
			for _, unit := range utf16.Encode([]rune{c}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		case 1:
			for _, x := range []byte(string(c)) {
				fmt.Fprintf(&b, "%%%02X", x)
			}
		default:
			b.WriteRune(c)
		}
	}
	if layers > 1 && r.IntN(2) == 0 {
		quoted, _ := json.Marshal(b.String())
		return string(quoted[1 : len(quoted)-1])
	}
	return b.String()
}

// readings of a text, by the standard library.
func read4(s string) (list []string) {
	list = []string{s}
	for range 4 {
		for _, s := range list {
			if un, err := url.PathUnescape(s); err == nil {
				list = append(list, un)
			}
			var un string
			if json.Unmarshal([]byte(`"`+s+`"`), &un) == nil {
				list = append(list, un)
			}
		}
		if len(list) > 40 {
			break
		}
	}
	return list
}

func FuzzText(f *testing.F) {
	f.Add(key, "It is ", ".", uint64(1))
	f.Add("0123456789", `{"a":"\\`, `"}`, uint64(2))
	f.Add("token-1234", `\`, `\`, uint64(3))
	f.Add("aaaaaa", "aaa", "aaa", uint64(4))
	f.Add("\\u0073%73", "%", "%7", uint64(5))
	f.Add("ü😀ü😀", "\\ud83d", "\\ud8", uint64(6))
	f.Fuzz(func(t *testing.T, value, before, after string, seed uint64) {
		if len(value) < 6 || len(value) > 100 || len(before)+len(after) > 300 || strings.ContainsAny(value, "[]\uFFFD") || strings.ToValidUTF8(value, "") != value {
			return
		}
		r := rand.New(rand.NewPCG(seed, 0))
		h := New(Value{value, "[key]"})
		text := before + value + after
		if seed%3 > 0 && !strings.ContainsAny(value, `\%`) { // an escape before it may take in its first letter
			text = before + " " + written(value, r, 2) + " " + after
		}
		got := h.Text(text)
		if !strings.Contains(got, "[key]") {
			t.Errorf("%q is not found in %q", value, text)
		}
		for _, form := range append(forms(value), url.QueryEscape(value), url.PathEscape(value)) {
			if strings.Contains(got, form) {
				t.Errorf("%q of %q is in %q, of %q", form, value, got, text)
			}
		}
		for _, s := range read4(got) {
			if strings.Contains(s, value) {
				t.Errorf("%q is in %q, of %q, of %q", value, s, got, text)
			}
		}

		// In pieces it is the same.
		var all strings.Builder
		s := h.Stream(func(piece string) { all.WriteString(piece) })
		for rest := text; rest != ""; {
			n := 1 + r.IntN(len(rest))
			if seed%2 == 0 {
				n = 1 + r.IntN(min(len(rest), 3))
			}
			s.Write(rest[:n])
			rest = rest[n:]
		}
		s.End()
		if all.String() != got {
			t.Errorf("%q in %q\n in pieces %q\n at once %q", value, text, all.String(), got)
		}

		// Without the value nothing changes.
		other := New(Value{"\x00\x01\x02" + value, "[key]"})
		if plain := before + after; other.Text(plain) != plain {
			t.Errorf("%q becomes %q", plain, other.Text(plain))
		}
	})
}

func FuzzJSON(f *testing.F) {
	f.Add(key, `{"a":["x",1.0,"%s"],"%s":"y"}`, uint64(1))
	f.Add("token-1234", `["\%s"]`, uint64(2))
	f.Add("0123456", `[%s,"%s\\"]`, uint64(3))
	f.Fuzz(func(t *testing.T, value, text string, seed uint64) {
		if len(value) < 6 || len(value) > 100 || len(text) > 300 || strings.ContainsAny(value, "[]\uFFFD") || strings.ToValidUTF8(value, "") != value {
			return
		}
		r := rand.New(rand.NewPCG(seed, 0))
		h := New(Value{value, "[key]"})
		pieces := strings.Split(text, "%s")
		text = pieces[0]
		for _, piece := range pieces[1:] {
			form := value
			if !strings.ContainsAny(value, `\%`) {
				form = written(value, r, 1)
			}
			quoted, _ := json.Marshal(form)
			text += string(quoted[1:len(quoted)-1]) + piece
		}
		var was, is any
		if json.Unmarshal([]byte(text), &was) != nil {
			return
		}
		got := h.JSON([]byte(text))
		if err := json.Unmarshal(got, &is); err != nil {
			t.Fatalf("%s becomes %s: %v", text, got, err)
		}
		strs(is, func(s string) {
			for _, s := range read4(s) {
				if strings.Contains(s, value) {
					t.Errorf("%q is in %q, of %s", value, s, got)
				}
			}
		})
		if bytes.Equal(got, []byte(text)) {
			strs(was, func(s string) {
				if strings.Contains(s, value) {
					t.Errorf("nothing is hidden in %s", text)
				}
			})
		} else if !strings.Contains(string(got), "[key]") {
			t.Errorf("%s becomes %s, and %s is not in it", text, got, hex.EncodeToString([]byte(value)))
		}
	})
}

// strs tells the strings of a JSON value.
func strs(v any, tell func(string)) {
	switch v := v.(type) {
	case string:
		tell(v)
	case []any:
		for _, x := range v {
			strs(x, tell)
		}
	case map[string]any:
		for k, x := range v {
			tell(k)
			strs(x, tell)
		}
	}
}
