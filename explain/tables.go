package explain

import (
	"encoding/json"
	"strings"
)

// parseTable takes apart a text whose lines are rows: lines of JSON, tables in
// Markdown, values with a separator or in columns below a header, name=value, or
// "name: value" below one another. It is nil if the text is none of these. The document has a list of
// objects; the index of each is its line, from 1.
func parseTable(text string) *document {
	p := &tabler{document: &document{text: text, texts: []plainText{{text: text}}}}
	p.open(0, -1, 0)
	for _, read := range []func() bool{p.jsonLines, p.markdown, p.separated, p.columns, p.fields, p.pairs} {
		p.nodes, p.texts = p.nodes[:1], p.texts[:1]
		if read() && !p.full {
			p.close(0, len(text))
			return p.document
		}
	}
	return nil
}

// A tabler makes the document of a table.
type tabler struct {
	*document
	full bool
}

// A field is a piece of a line: where it stands, and where what it says does.
type field struct {
	Range
	escaped bool // it has "" for each "
}

func (p *tabler) open(start, parent, index int) int {
	if len(p.nodes) >= maxNodes {
		p.full = true
		return 0
	}
	p.nodes = append(p.nodes, node{start: start, parent: parent, key: -1, index: index, container: true})
	return len(p.nodes) - 1
}

func (p *tabler) close(i, end int) {
	n := &p.nodes[i]
	n.end, n.inner = end, Range{n.start, end}
}

// cell adds the value of a row. An empty one is not told.
func (p *tabler) cell(row int, name, value field) {
	if value.Start >= value.End || name.Start >= name.End || len(p.nodes) >= maxNodes {
		p.full = p.full || len(p.nodes) >= maxNodes
		return
	}
	n := node{
		start: value.Start, end: value.End, parent: row, key: name.Start, quoted: true, inner: value.Range,
		from: int32(value.Start), to: int32(value.End), name: [2]int32{int32(name.Start), int32(name.End)},
	}
	if value.escaped {
		n.plain = int32(len(p.texts))
		q := p.unquote(value.Range)
		n.from, n.to = 0, int32(len(q.text))
		p.texts = append(p.texts, q)
	}
	p.nodes = append(p.nodes, n)
}

// unquote is what a field says that has its quotes twice.
func (p *tabler) unquote(r Range) plainText {
	var q plainText
	var b strings.Builder
	for i := r.Start; i < r.End; i++ {
		b.WriteByte(p.text[i])
		q.at = append(q.at, int32(i))
		if p.text[i] == '"' && i+1 < r.End && p.text[i+1] == '"' {
			i++
		}
	}
	q.text, q.at = b.String(), append(q.at, int32(r.End))
	return q
}

// lines calls yield with the number of each line, from 1, and where it stands.
func (p *tabler) lines(yield func(number, start, end int) bool) {
	for at, number := 0, 1; at < len(p.text); number++ {
		end := lineEnd(p.text, at)
		if !yield(number, at, end) {
			return
		}
		at = end + 1
	}
}

// jsonLines reads a JSON object a line.
func (p *tabler) jsonLines() bool {
	rows := 0
	ok := true
	p.lines(func(number, start, end int) bool {
		line := strings.TrimSpace(p.text[start:end])
		if line == "" {
			return true
		}
		if line[0] != '{' || !json.Valid([]byte(line)) {
			ok = false
			return false
		}
		first := len(p.nodes)
		if ok = p.take(0, start, end, 0, maxNested); ok && first < len(p.nodes) {
			p.nodes[first].inside, p.nodes[first].index = false, number
			rows++
		}
		return ok
	})
	return ok && rows > 1
}

// markdown reads the tables in a text in Markdown.
func (p *tabler) markdown() bool {
	var before, header []field
	rows := 0
	p.lines(func(number, start, end int) bool {
		fields := p.bars(start, end)
		switch {
		case fields == nil:
			header = nil
		case isRule(p.text[start:end]):
			header = before
		case header != nil:
			row := p.open(start, 0, number)
			if p.full {
				return false
			}
			for i, f := range fields {
				if i < len(header) {
					p.cell(row, header[i], f)
				}
			}
			p.close(row, end)
			rows++
		}
		before = fields
		return !p.full
	})
	return rows > 0
}

// bars cuts a line at its bars; nil if it has none. A bar after a backslash is
// none.
func (p *tabler) bars(start, end int) []field {
	if strings.IndexByte(p.text[start:end], '|') < 0 {
		return nil
	}
	r := trimSpace(p.text, Range{start, end})
	if strings.HasPrefix(p.text[r.Start:r.End], "|") {
		r.Start++
	}
	if strings.HasSuffix(p.text[r.Start:r.End], "|") && !strings.HasSuffix(p.text[r.Start:r.End], `\|`) {
		r.End--
	}
	var fields []field
	from := r.Start
	for i := r.Start; i <= r.End; i++ {
		if i < r.End && (p.text[i] != '|' || p.text[i-1] == '\\') {
			continue
		}
		cell := trimSpace(p.text, Range{from, i})
		for _, mark := range []string{"**", "`", "*", "_"} { // it is bold, or code
			if s := p.text[cell.Start:cell.End]; len(s) > 2*len(mark) && strings.HasPrefix(s, mark) && strings.HasSuffix(s, mark) {
				cell.Start, cell.End = cell.Start+len(mark), cell.End-len(mark)
			}
		}
		fields = append(fields, field{Range: cell})
		from = i + 1
	}
	return fields
}

// isRule reports whether a line is what stands between the header and the rows
// of a table in Markdown.
func isRule(line string) bool {
	return strings.Contains(line, "-") && strings.Trim(line, "|-: \t\r") == ""
}

// separated reads values with a separator between them, below a header. Every
// line has as many of them.
func (p *tabler) separated() bool {
	for _, sep := range []byte{'\t', ',', ';', '|'} {
		p.nodes, p.texts = p.nodes[:1], p.texts[:1]
		if p.separatedBy(sep) {
			return true
		}
	}
	return false
}

func (p *tabler) separatedBy(sep byte) bool {
	const most = 1000 // columns
	var header []field
	rows, at, number := 0, 0, 1
	for at < len(p.text) && !p.full {
		start, line := at, number
		var fields []field
		for {
			var f field
			var ok bool
			f, at, ok = p.field(at, sep)
			if !ok || len(fields) == most {
				return false
			}
			fields = append(fields, f)
			if at >= len(p.text) || p.text[at] == '\n' {
				break
			}
			at++
		}
		number += strings.Count(p.text[start:min(len(p.text), at+1)], "\n")
		end := at
		at++
		switch {
		case len(fields) == 1 && fields[0].Start >= fields[0].End:
			continue // an empty line
		case header == nil:
			if len(fields) < 2 || !p.isHeader(fields) {
				return false
			}
			header = fields
			continue
		case len(fields) != len(header):
			return false
		}
		row := p.open(start, 0, line)
		for i, f := range fields {
			p.cell(row, header[i], f)
		}
		p.close(row, end)
		rows++
	}
	return rows > 0
}

// field reads one at a place, and says where it ended: at the separator, or at
// the end of the line.
func (p *tabler) field(at int, sep byte) (f field, end int, ok bool) {
	for at < len(p.text) && (p.text[at] == ' ' || p.text[at] == '\r') && sep != ' ' {
		at++
	}
	if at < len(p.text) && p.text[at] == '"' {
		f.Start = at + 1
		for i := at + 1; i < len(p.text); i++ {
			if p.text[i] != '"' {
				continue
			}
			if i+1 < len(p.text) && p.text[i+1] == '"' {
				f.escaped = true
				i++
				continue
			}
			f.End = i
			for i++; i < len(p.text) && (p.text[i] == ' ' || p.text[i] == '\r'); i++ {
			}
			return f, i, i == len(p.text) || p.text[i] == sep || p.text[i] == '\n'
		}
		return f, at, false
	}
	i := at
	for i < len(p.text) && p.text[i] != sep && p.text[i] != '\n' {
		i++
	}
	f.Range = trimSpace(p.text, Range{at, i})
	return f, i, true
}

// columns reads a table whose columns are parted by two spaces or more, below a
// header. Every line has as many of them.
func (p *tabler) columns() bool {
	var header []field
	rows := 0
	ok := true
	p.lines(func(number, start, end int) bool {
		line := trimSpace(p.text, Range{start, end})
		if line.Start == line.End {
			return true
		}
		var fields []field
		from := line.Start
		for i := line.Start; i < line.End; {
			gap := i
			for gap < line.End && (p.text[gap] == ' ' || p.text[gap] == '\t') {
				gap++
			}
			if gap-i > 1 {
				fields = append(fields, field{Range: Range{from, i}})
				from = gap
			}
			i = max(gap, i+1)
		}
		fields = append(fields, field{Range: Range{from, line.End}})
		switch {
		case header == nil:
			header = fields
			ok = len(fields) > 1 && p.isHeader(fields)
			return ok
		case strings.Trim(p.text[line.Start:line.End], "-=+ ") == "":
			return true // a rule below the header
		case len(fields) != len(header):
			ok = false
			return false
		}
		row := p.open(start, 0, number)
		if p.full {
			return false
		}
		for i, f := range fields {
			p.cell(row, header[i], f)
		}
		p.close(row, end)
		rows++
		return true
	})
	return ok && rows > 1
}

// fields reads lines of name=value, as logs have them: each line with two of them
// or more is a row.
func (p *tabler) fields() bool {
	rows, others := 0, 0
	p.lines(func(number, start, end int) bool {
		var pairs [][2]field
		for i := start; i < end; {
			for i < end && (p.text[i] == ' ' || p.text[i] == '\t' || p.text[i] == '\r') {
				i++
			}
			word := i
			for i < end && p.text[i] != ' ' && p.text[i] != '\t' && p.text[i] != '\r' && p.text[i] != '=' {
				i++
			}
			if i == word || i >= end || p.text[i] != '=' {
				i = max(i, word+1)
				continue
			}
			name := field{Range: Range{word, i}}
			i++
			value := field{Range: Range{i, i}}
			if i < end && p.text[i] == '"' {
				close := strings.IndexByte(p.text[i+1:end], '"')
				if close < 0 {
					return true
				}
				value.Range = Range{i + 1, i + 1 + close}
				i += close + 2
			} else {
				for i < end && p.text[i] != ' ' && p.text[i] != '\t' && p.text[i] != '\r' {
					i++
				}
				value.End = i
			}
			if hasWord(p.text[name.Start:name.End]) && value.Start < value.End {
				pairs = append(pairs, [2]field{name, value})
			}
		}
		if len(pairs) < 2 {
			if hasWord(p.text[start:end]) {
				others++
			}
			return true
		}
		row := p.open(start, 0, number)
		if p.full {
			return false
		}
		for _, f := range pairs {
			p.cell(row, f[0], f[1])
		}
		p.close(row, end)
		rows++
		return true
	})
	return rows > 1 && rows >= others
}

// isHeader reports whether fields are names of columns: short, without the
// signs of a sentence, all different, and no numbers.
func (p *tabler) isHeader(fields []field) bool {
	seen := map[string]bool{}
	for _, f := range fields {
		name := p.text[f.Start:max(f.Start, f.End)]
		fold := foldName(name)
		if fold == "" || len(name) > maxID || len(strings.Fields(name)) > 4 || strings.ContainsAny(name, "?!{}[]\"") || strings.HasSuffix(name, ".") ||
			strings.Trim(fold, "0123456789") == "" || seen[fold] {
			return false
		}
		seen[fold] = true
	}
	return true
}

// pairs reads lines of names and values. An empty line, and a name that the row has already,
// begin a new row; a text between is skipped.
func (p *tabler) pairs() bool {
	row, last, pairs, others := -1, 0, 0, 0
	seen := map[string]bool{}
	done := func() {
		if row >= 0 {
			p.close(row, last)
		}
		row = -1
		clear(seen)
	}
	p.lines(func(number, start, end int) bool {
		name, value, ok := p.pair(start, end)
		if !ok {
			if strings.TrimSpace(p.text[start:end]) != "" {
				others++
			}
			done()
			return true
		}
		fold := foldName(p.text[name.Start:name.End])
		if seen[fold] {
			done()
		}
		seen[fold] = true
		if row < 0 {
			if row = p.open(name.Start, 0, number); p.full {
				return false
			}
		}
		p.cell(row, name, value)
		last = value.End
		pairs++
		return !p.full
	})
	done()
	return pairs > 1 && pairs >= others
}

// pair reads a line that is a name and a value.
func (p *tabler) pair(start, end int) (name, value field, ok bool) {
	r := trimSpace(p.text, Range{start, end})
	if mark := itemMark(p.text[r.Start:r.End]); mark > 0 {
		r.Start += mark
	}
	i := strings.Index(p.text[r.Start:r.End], ": ")
	if i <= 0 || i > maxID {
		return name, value, false
	}
	name.Range = trimSpace(p.text, Range{r.Start, r.Start + i})
	value.Range = trimSpace(p.text, Range{r.Start + i + 1, r.End})
	text := p.text[name.Start:name.End]
	return name, value, value.Start < value.End && len(strings.Fields(text)) <= 4 && hasWord(text) && !strings.ContainsAny(text, ".,;!?")
}
