package value

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// spellings reads testdata/spellings.txt: its lines, cut at the mark that says
// how the spellings agree.
func spellings(t testing.TB) (lines []struct {
	number int
	mark   string
	texts  []string
}) {
	data, err := os.ReadFile("testdata/spellings.txt")
	if err != nil {
		t.Fatal(err)
	}
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		if i := strings.Index(line, "# "); i >= 0 {
			line = line[:i]
		}
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' && (len(line) == 1 || line[1] == '\t') {
			continue
		}
		mark := "|"
		for _, m := range []string{" ~ ", " < ", " != "} {
			if strings.Contains(line, m) {
				mark = strings.TrimSpace(m)
			}
		}
		texts := strings.Split(line, " "+mark+" ")
		for i := range texts {
			texts[i] = strings.TrimSpace(texts[i])
		}
		lines = append(lines, struct {
			number int
			mark   string
			texts  []string
		}{number, mark, texts})
	}
	return lines
}

// one is the only value of a spelling.
func one(t *testing.T, number int, text string) Value {
	t.Helper()
	all := Scan(text)
	if len(all) != 1 {
		t.Errorf("line %d: %q has %d values, not one: %v", number, text, len(all), all)
		return Value{}
	}
	if rest := text[:all[0].Start] + text[all[0].End:]; strings.ContainsAny(rest, "0123456789") {
		t.Errorf("line %d: %q is not all of %q", number, all[0].Text(), text)
	}
	return all[0]
}

func TestSpellings(t *testing.T) {
	for _, line := range spellings(t) {
		var values []Value
		for _, text := range line.texts {
			values = append(values, one(t, line.number, text))
		}
		for i, a := range values {
			for j, b := range values {
				if i == j || line.mark != "|" && i > j {
					continue
				}
				how := Same(a, b)
				ok := false
				switch line.mark {
				case "|":
					ok = how >= Reading
				case "~":
					ok = how == Rounded
				case "<":
					ok = how == Partial
				case "!=":
					ok = how == None
				}
				if !ok {
					t.Errorf("line %d: %s, %s %q and %s %q: %s", line.number, line.mark, a.Kind, a, b.Kind, b, how)
				}
			}
		}
	}
}

// every are the values of all spellings.
func every(t testing.TB) []Value {
	var all []Value
	for _, line := range spellings(t) {
		for _, text := range line.texts {
			all = append(all, Scan(text)...)
		}
	}
	return all
}

func TestSameIsSymmetric(t *testing.T) {
	all := every(t)
	for _, a := range all {
		for _, b := range all {
			if ab, ba := Same(a, b), Same(b, a); ab != ba && ab != Rounded && ba != Rounded && !strings.Contains(a.Text()+b.Text(), ",") {
				t.Errorf("%q and %q: %s one way, %s the other", a.Text(), b.Text(), ab, ba)
			}
			if how := Same(a, b); (how == Equal) != (a.String() == b.String() && (a.Kind == ID) == (b.Kind == ID)) {
				t.Errorf("%q and %q are %s, and say %q and %q", a.Text(), b.Text(), how, a, b)
			}
		}
	}
}

// TestLookupFindsAll holds that an index finds whatever Same accepts.
func TestLookupFindsAll(t *testing.T) {
	all := every(t)
	filed := make([][]Key, len(all))
	for i, v := range all {
		filed[i] = v.AppendKeys(nil)
		if n := len(filed[i]); n == 0 || n > 24 {
			t.Errorf("%q has %d keys", v.Text(), n)
		}
	}
	for _, a := range all {
		look := a.AppendLookup(nil)
		for i, b := range all {
			if how := Same(a, b); how != None && !slices.ContainsFunc(filed[i], func(k Key) bool { return slices.Contains(look, k) }) {
				t.Errorf("%q does not find %q, which is %s", a.Text(), b.Text(), how)
			}
		}
	}
}

func TestCommon(t *testing.T) {
	for text, want := range map[string]bool{
		"0": true, "12": true, "13": false, "100": true, "1000": true, "2026": true, "2,026": false, "2100": false, "three": true,
		"-5": false, "0.5": false, "100 %": true, "25 %": false, "€5": false, "R7": true, "R-7": false, "14:05": false,
	} {
		if v := Scan(text)[0]; v.Common != want {
			t.Errorf("%q: common is %v", text, v.Common)
		}
	}
}

// TestText holds what is a value of a longer text, and what is none.
func TestText(t *testing.T) {
	for text, want := range map[string]string{
		`{"n":3,"list":[3,4],"more":[1,234],"x":-0.5,"y":1E+2}`: "3 3 4 1 234 -0.5 100",
		`[100,200,300]`:                         "100 200 300",
		"id,n\n17,200,x\n18,300,y":              "17 200 18 300",
		"1,2,3":                                 "1 2 3",
		"97 103 127 and 89 97 103 127":          "97103127 89 97 103 127",
		"3-5 of 10–20 %, 2024-2025":             "3 5 10 20 % 2024 2025",
		"a 3-port switch for 24-hour use":       "3 24 h",
		"true, false, null and some words":      "",
		"one way or the other: May I, in March": "1",
		"May 3 or 3 May":                        "--05-03 --05-03",
		"see src/main.go:41 and No.17":          "41 17",
		"R-17.Then R-18, and order/17/items":    "r-17 r-18 17",
		`a\n17\u00a018`:                         "17 18",
		"价格41200元":                              "41200",
		"https://shop.example/orders/41200?x=7": "41200 7",
		"about 41,000 ports":                    "41000",
		"between €10 and €20":                   "EUR 10 EUR 20",
		"12 EUR 1299":                           "EUR 12 1299",
		"7 minus 5, or minus five %":            "7 5 -5 %",
		"IBAN DE89 3704 0044 0532 0130 00 A 17": "de89370400440532013000 17",
		"10.0.0.1:8080":                         "10.0.0.1 8080",
		strings.Repeat("a1", 200):               "",
		"\xff17\xfe":                            "17",
	} {
		var got []string
		for _, v := range Scan(text) {
			got = append(got, v.String())
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%q\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestScanIsBounded(t *testing.T) {
	text := strings.Repeat("1 ", MaxValues+5)
	if n := len(Scan(text)); n != MaxValues {
		t.Errorf("%d values", n)
	}
	n := 0
	for range All(text) {
		n++
	}
	if n != MaxValues+5 {
		t.Errorf("All has %d values", n)
	}
}

func TestUnder(t *testing.T) {
	for _, test := range []struct {
		field, number, says string
		how                 Relation
	}{
		{"amountCents", "129900", "€1,299.00", Unit},
		{"amount_cents", "129900", "129900", Bare},
		{"discountPercent", "25", "25 %", Equal},
		{"discountPercent", "0.25", "25 %", Reading}, // though it is called a percentage
		{"duration_ms", "5400000", "90 minutes", Unit},
		{"sizeGB", "2", "2 GB", Equal},
		{"created_at", "1796076364", "2026-11-30", Partial},
		{"created_at", "1796076364000", "2026-11-30T22:06:04Z", Equal},
		{"created_at", "1796076364", "1796076364", Reading},
		{"created_at", "41200", "41200", Equal},
		{"items", "25", "25 %", Bare},
		{"items", "5400", "90 minutes", Bare},
		{"", "5", "5", Equal},
	} {
		if how := Same(Scan(test.says)[0], Scan(test.number)[0].Under(test.field)); how != test.how {
			t.Errorf("%q: %s and %s: %s, not %s", test.field, test.number, test.says, how, test.how)
		}
	}
}

// TestAbout holds that one digit is rounded only if the text says so.
func TestAbout(t *testing.T) {
	for _, test := range []struct {
		says, is string
		how      Relation
	}{
		{"about 8 minutes", "500 seconds", Rounded},
		{"8 minutes", "500 seconds", None},
		{"about 8 minutes", "500", None},
		{"~300 EUR", "EUR 315", Rounded},
		{"over 300 EUR", "EUR 315", None},
		{"0.5", "0.48", None},
		{"0.50", "0.498", Rounded},
	} {
		if how := Same(Scan(test.says)[0], Scan(test.is)[0]); how != test.how {
			t.Errorf("%s and %s: %s, not %s", test.says, test.is, how, test.how)
		}
	}
}

func TestDerive(t *testing.T) {
	many := "0"
	for i := range 300 {
		many += " ; " + strconv.Itoa(1000+i*i)
	}
	for _, test := range []struct{ target, list, first string }{
		{"41,203", "[41000, 203, 7]", "sum [0 1] 41203 exact"},
		{"41.2k", "[41000, 203, 70000]", "sum [0 1] 41203"},
		{"41.2k", "[41000, 203, 7]", "sum [0 1 2] 41210"},
		{"41,203", "[41000, 203, 41203]", ""}, // it is there
		{"6", "[3, 3]", "sum [0 1] 6 exact"},
		{"7", "[3, 4, 5]", ""}, // says little, and is not of all of it
		{"3", "[17, 40, 51]", "count [0 1 2] 3 exact"},
		{"36.5", "[17, 40, 52.5]", "mean [0 1 2] 36.5 exact"},
		{"36.5", "[17, 40, 3.5]", "difference [1 2] 36.5 exact"},
		{"-23", "[17, 40, 99]", "difference [0 1] -23 exact"},
		{"33.3 %", "[1, 3]", "share [0 1] 33.3333333333"},
		{"12.5 %", "[80, 70]", "change [0 1] -12.5 exact"},
		{"37.5", "[75, 2]", "ratio [0 1] 37.5 exact"},
		{"25 %", "30 minutes of 2 hours", "share [0 1] 25 exact"},
		{"3 h", "90 minutes and 1.5 hours", "sum [0 1] 3 exact"},
		{"3 kg", "1 km, 2 km", ""},
		{"750", "1000 errors cost 500 EUR", ""}, // they have no unit in common
		{"167 minutes", "[134, 25, 8]", "sum [0 1 2] 167 exact"},
		{"€12.50", "EUR 1,250 for 100", "ratio [0 1] 12.5 exact"},
		{"R-17", "[10, 7]", ""},
		{"41,203", "[]", ""},
		{"5,000,017", many, ""},
	} {
		ways, whole := Derive(Scan(test.target)[0], Scan(test.list), 1<<16)
		got := ""
		if len(ways) > 0 {
			got = fmt.Sprintf("%s %v %s", ways[0].Op, ways[0].Of, ways[0].Result)
			if ways[0].Exact {
				got += " exact"
			}
		}
		if got != test.first || whole == (test.list == many) {
			t.Errorf("%s of %.40s: %q, not %q (whole %v)", test.target, test.list, got, test.first, whole)
		}
	}
}

// TestLoose holds that arithmetic which was bound to fit somewhere is marked.
func TestLoose(t *testing.T) {
	list := Scan("13 29 31 47 59 61 73 89 97 103 127 139 151 163 179 181 193 199")
	for target, loose := range map[string]bool{"37 %": true, "37.125 %": false} {
		ways, _ := Derive(Scan(target)[0], list, 1<<16)
		for _, w := range ways {
			if w.Loose != loose {
				t.Errorf("%s: %s of %v: loose is %v", target, w.Op, w.Of, w.Loose)
			}
		}
		if loose && len(ways) == 0 {
			t.Errorf("%s: no ways", target)
		}
	}
}
