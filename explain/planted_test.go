package explain_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/model"
)

// A cellFact is what a row says under a name, and how an answer says it.
type cellFact struct{ name, json, said, sentence, key string }

// plant makes the fields of one row, all of which other rows have with other
// values.
func plant(rng *rand.Rand, id string, kinds []int) []cellFact {
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	grouped := func(n int, sep string) string { return fmt.Sprintf("%d%s%03d", n/1000, sep, n%1000) }
	var fields []cellFact
	for _, kind := range kinds {
		n := 10_000 + rng.IntN(89_000)
		day, month := 1+rng.IntN(28), rng.IntN(12)
		months := []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
		german := []string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"}
		var f cellFact
		switch kind {
		case 0:
			f = cellFact{"errors", pick(fmt.Sprint(n), fmt.Sprintf("%q", fmt.Sprint(n)), fmt.Sprintf("%q", grouped(n, ","))), pick(grouped(n, ","), fmt.Sprint(n), grouped(n, " "), grouped(n, "'")), "%s has %s errors", ""}
		case 1:
			f = cellFact{"price_cents", fmt.Sprint(n), pick("€", "$") + fmt.Sprintf("%d.%02d", n/100, n%100), "%s costs %s", ""}
		case 2:
			f = cellFact{"share", fmt.Sprintf("0.%05d", n%90_000+1_000), "", "The share of %s is %s", ""}
			f.said = strings.TrimRight(f.json[2:4]+"."+f.json[4:], "0") + pick("%", " %", " percent")
			f.said = strings.Replace(strings.TrimPrefix(f.said, "0"), ". ", ".0 ", 1)
			f.said = strings.Replace(f.said, ".%", ".0%", 1)
		case 3:
			iso := fmt.Sprintf("2026-%02d-%02d", month+1, day)
			f = cellFact{"seen", pick(fmt.Sprintf("%q", iso), fmt.Sprintf(`"%sT22:06:04Z"`, iso), fmt.Sprintf(`"%02d.%02d.2026"`, day, month+1)),
				pick(fmt.Sprintf("%d %s 2026", day, months[month]), fmt.Sprintf("%s %d, 2026", months[month], day), fmt.Sprintf("%d. %s 2026", day, german[month])), "%s was seen on %s", ""}
		case 4:
			f = cellFact{"latency_ms", fmt.Sprint(n), pick(grouped(n, ",")+" ms", grouped(n, ".")+" s", fmt.Sprintf("%dms", n)), "%s answers in %s", ""}
		case 5:
			name := pick("Mara", "Zoë", "Åsa", "Jürgen", "Ida") + " " + pick("Lind", "Okafor", "Weiß", "Nakamura", "Duarte") + string(rune('a'+rng.IntN(26))) + string(rune('a'+rng.IntN(26)))
			f = cellFact{"owner", fmt.Sprintf("%q", name), pick(name, strings.ToUpper(name)), "%s belongs to %s", ""}
			if strings.Contains(name, "ß") {
				f.said = name
			}
		}
		f.sentence = fmt.Sprintf(f.sentence, id, f.said)
		switch f.key = fmt.Sprint(kind, n); kind {
		case 2:
			f.key = fmt.Sprint(kind, n%90_000)
		case 3:
			f.key = fmt.Sprint(kind, month, day)
		}
		fields = append(fields, f)
	}
	return fields
}

// escapedDigits spells some characters of the strings of a JSON text as escapes.
func escapedDigits(rng *rand.Rand, text string) string {
	var b strings.Builder
	quoted := false
	for i, r := range text {
		if r == '"' {
			quoted = !quoted
		}
		switch {
		case quoted && r != '"' && r != '\\' && rng.IntN(6) == 0 && !strings.HasPrefix(text[i:], `":`):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// shape writes rows as one of the shapes that tools return, and says the path of
// a field; it is empty where only the bytes tell.
func shape(rng *rand.Rand, key string, ids []string, rows [][]cellFact) (text string, path func(row int, field string) string) {
	object := func(i int) string {
		var b strings.Builder
		fmt.Fprintf(&b, `{"%s":"%s"`, key, ids[i])
		for _, f := range rows[i] {
			fmt.Fprintf(&b, `,"%s":%s`, f.name, f.json)
		}
		return b.String() + "}"
	}
	var objects []string
	for i := range rows {
		objects = append(objects, object(i))
	}
	list := "[" + strings.Join(objects, ", ") + "]"
	plain := func(json string) string { return strings.Trim(json, `"`) }
	lines := func(sep string) []string {
		head := []string{key}
		for _, f := range rows[0] {
			head = append(head, f.name)
		}
		all := []string{strings.Join(head, sep)}
		for i := range rows {
			cells := []string{ids[i]}
			for _, f := range rows[i] {
				cell := plain(f.json)
				if sep == "," && strings.Contains(cell, ",") {
					cell = `"` + cell + `"`
				}
				cells = append(cells, cell)
			}
			all = append(all, strings.Join(cells, sep))
		}
		return all
	}
	bytes := func(int, string) string { return "" }
	switch rng.IntN(9) {
	case 0:
		return escapedDigits(rng, list), func(i int, f string) string { return fmt.Sprintf("$[%d].%s", i, f) }
	case 1:
		return escapedDigits(rng, `{"total":`+fmt.Sprint(len(rows))+`,"data":{"rows":`+list+`}}`), func(i int, f string) string { return fmt.Sprintf("$.data.rows[%d].%s", i, f) }
	case 2:
		var b []string
		for i, o := range objects {
			b = append(b, fmt.Sprintf("%q:%s", ids[i], "{"+o[strings.IndexByte(o, ',')+1:]))
		}
		return `{"all":{` + strings.Join(b, ",") + `}}`, func(i int, f string) string {
			if strings.ContainsAny(ids[i], "-. ") {
				return fmt.Sprintf(`$.all["%s"].%s`, ids[i], f)
			}
			return fmt.Sprintf("$.all.%s.%s", ids[i], f)
		}
	case 3: // as MCP has it
		in := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(escapedDigits(rng, `{"rows":`+list+`}`))
		return `{"content":[{"type":"text","text":"` + in + `"}]}`, func(i int, f string) string { return fmt.Sprintf("$.content[0].text→$.rows[%d].%s", i, f) }
	case 4:
		return strings.Join(lines(","), "\n"), bytes
	case 5:
		all := lines(" | ")
		all = slices.Insert(all, 1, strings.Repeat("|---", len(rows[0])+1)+"|")
		return "Here:\n\n" + strings.Join(all, "\n") + "\n", bytes
	case 6:
		return strings.Join(objects, "\n"), bytes
	case 7:
		return strings.Join(lines("   "), "\n"), bytes
	}
	return strings.Join(lines(";"), "\n"), bytes
}

// Facts are planted in results of every shape, under every spelling, in one of
// several calls. The first place of each is where it was planted, what an answer
// says of the row that it is of is grounded, and what it says of another is not.
func TestPlantedRows(t *testing.T) {
	const worlds = 400
	hits, spans := 0, 0
	for seed := range uint64(worlds) {
		rng := rand.New(rand.NewPCG(seed, 11))
		pick := func(list ...string) string { return list[rng.IntN(len(list))] }
		key := pick("host", "id", "sku", "name", "serial")
		style := pick("web-%02d", "INV-2026-%04d", "R%03d", "SKU-%d", "edge-%d-b")
		kinds := rng.Perm(6)[:2+rng.IntN(3)]
		var results []string
		var paths []func(int, string) string
		var names [][]string
		var facts [][][]cellFact
		known := map[string]bool{}
		for range 1 + rng.IntN(5) {
			var ids []string
			var rows [][]cellFact
			for range 2 + rng.IntN(6) {
				id := fmt.Sprintf(style, 10+rng.IntN(80))
				fields := plant(rng, id, kinds)
				if known[id] || slices.ContainsFunc(fields, func(f cellFact) bool { return known[f.key] }) {
					continue
				}
				known[id] = true
				for _, f := range fields {
					known[f.key] = true
				}
				ids, rows = append(ids, id), append(rows, fields)
			}
			if len(rows) < 2 {
				continue
			}
			text, path := shape(rng, key, ids, rows)
			results, paths, names, facts = append(results, text), append(paths, path), append(names, ids), append(facts, rows)
		}
		if results == nil {
			continue
		}
		c := rng.IntN(len(results))
		row, k := rng.IntN(len(facts[c])), rng.IntN(len(kinds))
		other := (row + 1 + rng.IntN(len(facts[c])-1)) % len(facts[c])
		fact, wrong := facts[c][row][k], facts[c][other][k]
		right := fact.sentence
		misplaced := strings.Replace(wrong.sentence, names[c][other], names[c][row], 1)
		invented := strings.Replace(fact.sentence, fact.said, "77,123.25", 1)
		sentences := []string{right, misplaced, invented}
		rng.Shuffle(3, func(i, j int) { sentences[i], sentences[j] = sentences[j], sentences[i] })
		answer := strings.Join(sentences, ". ") + "."
		if rng.IntN(3) == 0 {
			answer = "- " + strings.Join(sentences, "\n- ")
		}
		var replies [][]model.Part
		for i := range results {
			replies = append(replies, call("page", fmt.Sprintf(`{"n":%d}`, i+1)))
		}
		r := pages(t, results, append(replies, say(answer))...)
		a := explain.Answer(r)
		hold(t, r, a.Runs)
		fail := func(format string, args ...any) {
			t.Errorf("seed %d: %s\nanswer: %s\n%s\n%s", seed, fmt.Sprintf(format, args...), answer, strings.Join(results, "\n--\n"), a)
		}
		want := fmt.Sprintf("i%d.1", c+1)
		spans++
		s := explain.Span(r, fact.said)
		src := explain.Source{}
		for _, run := range s.Runs {
			if run.Sources != nil {
				src = run.Sources[0]
				break
			}
		}
		path := paths[c](row, fact.name)
		if src.Call != want || path != "" && src.Path != path || src.Weak || src.Echoed {
			fail("the first place of %q is %s %s %q, not %s %s", fact.said, src.Call, src.Path, src.Text, want, path)
			continue
		}
		hits++
		for _, sentence := range a.Sentences {
			text := strings.Trim(sentence.Text, "-. ")
			switch text {
			case right:
				if sentence.Verdict != explain.Grounded {
					fail("%q is %s", text, sentence.Verdict)
				}
			case misplaced:
				if sentence.Verdict != explain.Misplaced {
					fail("%q is %s", text, sentence.Verdict)
				}
			case invented:
				if sentence.Verdict != explain.Unsupported && sentence.Verdict != explain.Partly {
					fail("%q is %s", text, sentence.Verdict)
				}
			default:
				fail("%q is no sentence of it", text)
			}
		}
		if t.Failed() && hits < spans-8 {
			break
		}
	}
	t.Logf("%d of %d facts were found at their first place", hits, spans)
}
