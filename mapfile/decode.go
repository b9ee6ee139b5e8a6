package mapfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/internal/nearest"
	"github.com/spoorhq/spoor/internal/yaml"
	"github.com/spoorhq/spoor/match"
	"github.com/spoorhq/spoor/score"
)

// A decoder reads one map file and collects what is wrong with it.
type decoder struct {
	fsys   fs.FS
	dir    string // of the map file in fsys
	bytes  int    // read so far
	faults Faults
	more   int // faults not listed
	places map[spoor.Ref]Position
}

func newDecoder(fsys fs.FS, name string, bytes int) *decoder {
	return &decoder{fsys: fsys, dir: path.Dir(name), bytes: bytes, places: map[spoor.Ref]Position{}}
}

// add adds a fault, unless it is there already: two skills may be read from one
// file.
func (d *decoder) add(pos Position, code string, ref spoor.Ref, hint, format string, args ...any) {
	if len(d.faults) >= maxFaults {
		d.more++
		return
	}
	message := fmt.Sprintf(format, args...)
	for _, f := range d.faults {
		if f.Pos == pos && f.Code == code && f.Message == message {
			return
		}
	}
	d.faults = append(d.faults, Fault{spoor.Problem{Level: "error", Code: code, Ref: ref, Hint: hint, Message: message}, pos})
}

func (d *decoder) err() error {
	if len(d.faults) == 0 {
		return nil
	}
	d.faults.sort()
	if d.more > 0 {
		d.faults = append(d.faults, Fault{spoor.Problem{
			Level: "error", Code: "more", Message: fmt.Sprintf("there are %d more faults", d.more),
		}, d.faults[maxFaults-1].Pos})
	}
	return d.faults
}

// A value is a node of a file, with its address in the map and its place.
type value struct {
	d *decoder
	*yaml.Node
	ref  spoor.Ref
	file string
	pos  Position
	key  Position // of its key, if it is the value of a field
}

// at is the node n at ref in the file of v, placed where it begins.
func (v value) at(ref spoor.Ref, n *yaml.Node) value {
	pos := position(v.file, n.Pos)
	v.d.places[ref] = pos
	return value{d: v.d, Node: n, ref: ref, file: v.file, pos: pos}
}

// field is the value of a field of v, placed where it begins or, if that is on
// a later line, at its key.
func (v value) field(f yaml.Field) value {
	pair := v.at(v.ref.Key(f.Key.Text), f.Value)
	pair.key = position(v.file, f.Key.Pos)
	if f.Value.Pos.Line != f.Key.Pos.Line {
		pair.pos = pair.key
		v.d.places[pair.ref] = pair.pos
	}
	return pair
}

func (v value) fault(code, hint, format string, args ...any) {
	v.d.add(v.pos, code, v.ref, hint, format, args...)
}

// want reports that v is of the wrong type.
func (v value) want(what string) {
	hint := ""
	switch v.Kind {
	case yaml.Null:
		v.fault("wrong-type", "write it, or drop the key", "%s is wanted here, and there is %s", what, describe(v.Node))
		return
	case yaml.Bool, yaml.Number, yaml.Odd:
		if strings.HasPrefix(what, "a text") {
			hint = fmt.Sprintf("quote it: %q", v.Text)
		} else if v.Kind == yaml.Odd {
			hint = oddHint(v.Text)
		}
	}
	v.fault("wrong-type", hint, "%s is wanted here, not %s", what, describe(v.Node))
}

func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.List:
		return "a list"
	case yaml.Map:
		return "a mapping"
	case yaml.String:
		return "the text " + quote(n.Text)
	case yaml.Number:
		return "the number " + short(n.Text)
	case yaml.Null:
		return "nothing"
	}
	return short(n.Text)
}

// quote and short make texts of a file fit into a sentence.
func quote(s string) string { return strconv.Quote(short(s)) }

func short(s string) string {
	const most = 60
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}

func oddNumber(text string) (code, hint string) { return "wrong-type", oddHint(text) }

// oddHint says how to write a number that is not in JSON notation.
func oddHint(text string) string {
	digits := strings.TrimPrefix(strings.ReplaceAll(text, "_", ""), "+")
	n := ""
	if i, err := strconv.ParseInt(strings.TrimLeft(digits, "0"), 10, 64); err == nil {
		n = strconv.FormatInt(i, 10)
	} else if i, err := strconv.ParseInt(digits, 0, 64); err == nil {
		n = strconv.FormatInt(i, 10)
	} else if f, err := strconv.ParseFloat(digits, 64); err == nil && f-f == 0 {
		n = strconv.FormatFloat(f, 'g', -1, 64)
	}
	if n == "" {
		return fmt.Sprintf("quote it for a word: %q", text)
	}
	return fmt.Sprintf("write %s, or %q for a word", n, text)
}

// Collections.

// A setter reads a value into where it belongs.
type setter = func(value)

// fields are the keys of a mapping, each with its setter.
type fields map[string]setter

// pairs calls f for each pair of a mapping, and reports keys that stand twice.
// It reports whether v is a mapping.
func (v value) pairs(what string, f func(key string, pair value)) bool {
	if v.Kind != yaml.Map {
		v.want(what)
		return false
	}
	seen := make(map[string]yaml.Pos, len(v.Fields))
	for _, field := range v.Fields {
		key := field.Key.Text
		if len(key) > maxKeyBytes {
			v.d.add(position(v.file, field.Key.Pos), "wrong-type", v.ref, "", "a key has %d bytes, and %d are allowed", len(key), maxKeyBytes)
			continue
		}
		if first, again := seen[key]; again {
			v.duplicate(field.Key, v.ref.Key(key), first)
			continue
		}
		seen[key] = field.Key.Pos
		f(key, v.field(field))
	}
	return true
}

func (v value) duplicate(key *yaml.Node, ref spoor.Ref, first yaml.Pos) {
	v.d.add(position(v.file, key.Pos), "duplicate-key", ref, "keep one of them",
		"the key %s stands twice, first in line %d, column %d", quote(key.Text), first.Line, first.Column)
}

// object reads a mapping with known keys, some of which must be there.
func (v value) object(what string, known fields, required ...string) {
	found := map[string]bool{}
	ok := v.pairs(what, func(key string, pair value) {
		found[key] = true
		set := known[key]
		if set == nil {
			pair.unknown(what+" has", key, slices.Sorted(maps.Keys(known)))
			return
		}
		set(pair)
	})
	if !ok {
		return
	}
	for _, key := range required {
		if !found[key] {
			v.fault("missing-key", "", "%s needs the key %s", what, key)
		}
	}
}

// unknown reports that v stands under a key that is none of the names. What begins
// the sentence, as in "a map has".
func (v value) unknown(what, key string, names []string) {
	if len(v.d.faults) >= maxFaults {
		v.d.more++
		return
	}
	hint := nearest.Hint(key, slices.Values(names))
	if hint == "" && len(names) <= 24 {
		hint = "the keys are " + strings.Join(names, ", ")
	}
	v.d.add(v.key, "unknown-key", v.ref, hint, "%s no key %s", what, quote(key))
}

// get returns the value of a key of v, if v is a mapping that has it.
func (v value) get(key string) (value, bool) {
	for _, field := range v.Fields {
		if field.Key.Text == key {
			return v.field(field), true
		}
	}
	return value{}, false
}

func (v value) has(key string) bool {
	_, ok := v.get(key)
	return ok
}

// exclusive reports keys of which only one may be there.
func (v value) exclusive(keys ...string) {
	found := slices.DeleteFunc(keys, func(key string) bool { return !v.has(key) })
	if len(found) > 1 {
		second, _ := v.get(found[1])
		v.d.add(second.key, "exclusive-keys", second.ref, "keep one of them", "%s exclude each other", strings.Join(found, " and "))
	}
}

// needsOne reports that none of the keys is there.
func (v value) needsOne(what string, keys ...string) {
	if v.Kind == yaml.Map && !slices.ContainsFunc(keys, v.has) {
		v.fault("missing-key", "", "%s needs the key %s", what, strings.Join(keys, " or "))
	}
}

// listOf reads a list of mappings.
func listOf[T any](list *[]T, keys func(*T) setter) setter {
	return func(v value) {
		if v.Kind != yaml.List {
			v.want("a list")
			return
		}
		*list = make([]T, len(v.Items))
		for i, n := range v.Items {
			keys(&(*list)[i])(v.at(v.ref.At(i), n))
		}
	}
}

// Scalars.

func text[T ~string](p *T) setter {
	return func(v value) {
		if v.Kind != yaml.String {
			v.want("a text")
			return
		}
		*p = T(v.Text)
	}
}

// name reads a text that is not empty.
func name[T ~string](p *T) setter {
	return func(v value) {
		if v.Kind == yaml.String && v.Text == "" {
			v.fault("wrong-type", "", "a text is wanted here, and this one is empty")
			return
		}
		text(p)(v)
	}
}

// orNull takes null for a key that is not there.
func orNull(set setter) setter {
	return func(v value) {
		if v.Kind != yaml.Null {
			set(v)
		}
	}
}

// oneOf reads a word of a closed set.
func oneOf[T ~string](p *T, words ...T) setter {
	return func(v value) {
		if v.Kind == yaml.String && !slices.Contains(words, T(v.Text)) {
			names := make([]string, len(words))
			for i, w := range words {
				names[i] = string(w)
			}
			last := len(names) - 1
			hint := "write " + names[last]
			if last > 0 {
				hint = "write " + strings.Join(names[:last], ", ") + " or " + names[last]
			}
			v.fault("wrong-type", hint, "%s is none of the words for this key", quote(v.Text))
			return
		}
		text(p)(v)
	}
}

// nearestOf reads a word of a closed set whose words are easy to mistype.
func nearestOf[T ~string](p *T, code, what string, words ...T) setter {
	return func(v value) {
		if v.Kind == yaml.String && !slices.Contains(words, T(v.Text)) {
			names := make([]string, len(words))
			for i, w := range words {
				names[i] = string(w)
			}
			hint := nearest.Hint(v.Text, slices.Values(names))
			if hint == "" {
				hint = "write one of " + strings.Join(names, ", ")
			}
			v.fault(code, hint, "%s is not %s", quote(v.Text), what)
			return
		}
		text(p)(v)
	}
}

// texts reads a list of texts; phrases also reads one alone.
func texts[T ~string, L ~[]T](p *L) setter {
	return func(v value) {
		if v.Kind == yaml.String {
			v.fault("wrong-type", "put it in brackets: ["+short(v.Text)+"]", "a list of texts is wanted here, not %s", describe(v.Node))
			return
		}
		if v.Kind != yaml.List {
			v.want("a list of texts")
			return
		}
		*p = make(L, len(v.Items))
		for i, n := range v.Items {
			text(&(*p)[i])(v.at(v.ref.At(i), n))
		}
	}
}

// namesOf reads a list of names, each of which stands once.
func namesOf(what string, p *[]string) setter {
	return func(v value) {
		texts(p)(v)
		seen := map[string]int{}
		for i, n := range v.Items {
			if n.Kind != yaml.String {
				continue
			}
			if first, again := seen[n.Text]; again {
				v.d.add(position(v.file, n.Pos), "duplicate-name", v.ref.At(i), "drop one of them",
					"the %s %s is listed twice, first as %s", what, quote(n.Text), v.ref.At(first))
			} else {
				seen[n.Text] = i
			}
		}
	}
}

func phrases[T ~string, L ~[]T](p *L) setter {
	return func(v value) {
		switch v.Kind {
		case yaml.String:
			v.at(v.ref.At(0), v.Node)
			*p = L{T(v.Text)}
		case yaml.List:
			texts(p)(v)
		default:
			v.want("a text or a list of texts")
		}
	}
}

// truths are the hints about words that older YAML takes for true or false.
var truths = map[string]string{"yes": "write true", "on": "write true", "no": "write false", "off": "write false"}

func boolean(p **bool) setter {
	return func(v value) {
		hint, word := truths[strings.ToLower(v.Text)]
		switch {
		case word:
			v.fault("wrong-type", hint, "true or false is wanted here, and %s is a word", v.Text)
		case v.Kind != yaml.Bool:
			v.want("true or false")
		default:
			*p = new(strings.EqualFold(v.Text, "true"))
		}
	}
}

func number(p **float64) setter {
	return func(v value) {
		if v.Kind != yaml.Number {
			v.want("a number")
			return
		}
		f, err := strconv.ParseFloat(v.Text, 64)
		if err != nil {
			v.fault("wrong-type", "", "the number %s is too large", short(v.Text))
			return
		}
		*p = &f
	}
}

// amount reads a number of which good holds.
func amount(p *float64, what string, good func(float64) bool) setter {
	return func(v value) {
		var f *float64
		if number(&f)(v); f != nil && !good(*f) {
			v.want(what)
		} else if f != nil {
			*p = *f
		}
	}
}

// count reads a whole number from 1.
func count(p *int) setter {
	return func(v value) {
		n, err := strconv.Atoi(v.Text)
		if v.Kind != yaml.Number || err != nil || n < 1 {
			v.want("a whole number from 1")
			return
		}
		*p = n
	}
}

// jsonText reads any datum as compact JSON, with the digits of its numbers.
func jsonText(p *string) setter {
	return func(v value) {
		var b bytes.Buffer
		if v.writeJSON(&b, v.Node, oddNumber) {
			*p = b.String()
		}
	}
}

// writeJSON writes n, which is v or inside it. It reports false if there is
// something that JSON cannot hold; odd is the code and the hint of a number that is
// not in JSON notation.
func (v value) writeJSON(b *bytes.Buffer, n *yaml.Node, odd func(string) (code, hint string)) (ok bool) {
	ok = true
	switch n.Kind {
	case yaml.Null:
		b.WriteString("null")
	case yaml.Bool:
		b.WriteString(strings.ToLower(n.Text))
	case yaml.Number:
		b.WriteString(n.Text)
	case yaml.Odd:
		code, hint := odd(n.Text)
		v.d.add(position(v.file, n.Pos), code, v.ref, hint, "%s is not a number in JSON notation", short(n.Text))
		return false
	case yaml.String:
		writeString(b, n.Text)
	case yaml.List:
		b.WriteByte('[')
		for i, item := range n.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			ok = v.writeJSON(b, item, odd) && ok
		}
		b.WriteByte(']')
	case yaml.Map:
		b.WriteByte('{')
		seen := make(map[string]yaml.Pos, len(n.Fields))
		for i, f := range n.Fields {
			if first, again := seen[f.Key.Text]; again {
				v.duplicate(f.Key, v.ref, first)
				ok = false
			}
			seen[f.Key.Text] = f.Key.Pos
			if i > 0 {
				b.WriteByte(',')
			}
			writeString(b, f.Key.Text)
			b.WriteByte(':')
			ok = v.writeJSON(b, f.Value, odd) && ok
		}
		b.WriteByte('}')
	}
	return ok
}

func writeString(b *bytes.Buffer, s string) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)
	b.Truncate(b.Len() - 1) // the line end
}

// The map.

func (v value) mapFile(f *File) {
	if v.Kind == yaml.Null {
		v.fault("wrong-type", "begin with name, skills and start", "the file is empty")
		return
	}
	m := f.Map
	v.object("a map", fields{
		"name":        text(&m.Name),
		"skills":      skillsOf(&m.Skills),
		"start":       startOf(&m.Start),
		"steps":       listOf(&m.Steps, stepOf),
		"tree":        treeOf(&m.Tree),
		"neverRoutes": phrases(&m.NeverRoutes),
		"scopeTools":  boolean(&m.ScopeTools),
		"knownTools":  texts(&m.KnownTools),
		"scales":      scalesOf(&m.Scales),
		"agent":       agentOf(&f.Agent),
		"mcpServers":  serversOf(&f.MCPServers),
		"tools":       toolsOf(&f.Tools),
		"cases":       listOf(&f.Cases, caseFields),
	})
}

// treeOf reads a node of the tree and what is below it. What a node must have is
// left to Compile.
func treeOf(p **spoor.Tree) setter {
	return func(v value) {
		t := new(spoor.Tree)
		*p = t
		if v.Kind == yaml.String {
			v.fault("wrong-type", "write {skill: "+short(v.Text)+"}", "a mapping is wanted here, not %s", describe(v.Node))
			return
		}
		v.object("a node of a tree", fields{
			"skill":     name(&t.Skill),
			"when":      name(&t.When),
			"label":     name(&t.Label),
			"whenTrue":  treeOf(&t.WhenTrue),
			"whenFalse": treeOf(&t.WhenFalse),
		})
	}
}

func startOf(s *spoor.Start) setter {
	return func(v value) {
		if v.Kind == yaml.String {
			name(&s.Use)(v.at(v.ref.Key("use"), v.Node))
			return
		}
		if v.Kind == yaml.List {
			v.fault("wrong-type", "write rules: before the list", "a start is wanted here, not a list")
			return
		}
		v.object("a start", fields{
			"use":      name(&s.Use),
			"rules":    listOf(&s.Rules, ruleOf),
			"classify": name(&s.Classify),
			"routing":  routingOf(&s.Routing),
			"entries":  listOf(&s.Entries, entryOf),
			"scoredBy": name(&s.ScoredBy),
		})
	}
}

func ruleOf(r *spoor.Rule) setter {
	return func(v value) {
		v.object("a rule", fields{
			"use":      name(&r.Use),
			"match":    matchOf(&r.Match),
			"when":     name(&r.When),
			"examples": phrases(&r.Examples),
			"label":    text(&r.Label),
		}, "use")
	}
}

func entryOf(e *spoor.Entry) setter {
	return func(v value) {
		if v.Kind == yaml.String {
			name(&e.Use)(v.at(v.ref.Key("use"), v.Node))
			return
		}
		v.object("an entry", fields{
			"use":   name(&e.Use),
			"match": matchOf(&e.Match),
			"when":  name(&e.When),
			"label": text(&e.Label),
		}, "use")
	}
}

func routingOf(p **score.Policy) setter {
	return func(v value) {
		r := new(score.Policy)
		*p = r
		v.object("a routing", fields{
			"nearTieMargin": finite(&r.NearTieMargin),
			"menuSize": func(v value) {
				n, err := strconv.Atoi(v.Text)
				switch {
				case v.Kind != yaml.Number:
					v.want("a whole number from 1")
				case err != nil:
					v.fault("bad-routing", "write a whole number from 1", "%s is no size of a menu", short(v.Text))
				default:
					r.MenuSize = &n
				}
			},
			"floor": finite(&r.Floor),
		})
	}
}

func stepOf(s *spoor.Step) setter {
	return func(v value) {
		v.object("a step", fields{
			"from":         name(&s.From),
			"to":           name(&s.To),
			"onToolReturn": toolNameOf(&s.OnToolReturn),
			"onToolStatus": phrases(&s.OnToolStatus),
			"guard":        guardOf(&s.Guard),
			"when":         name(&s.When),
			"label":        text(&s.Label),
		}, "from", "to")
	}
}

// finite reads a number of a routing, which can be neither infinite nor none.
func finite(p **float64) setter {
	return func(v value) {
		if _, err := strconv.ParseFloat(v.Text, 64); v.Kind == yaml.Odd && infinite(v.Text) || v.Kind == yaml.Number && err != nil {
			v.fault("bad-routing", "write a finite number", "%s is no number to compare scores with", short(v.Text))
			return
		}
		number(p)(v)
	}
}

func toolNameOf(t *spoor.ToolName) setter {
	return func(v value) {
		if v.Kind == yaml.Map {
			var source, flags string
			v.object("a pattern", fields{"regex": text(&source), "flags": text(&flags)}, "regex")
			if strings.Contains(flags, "/") {
				f, _ := v.get("flags")
				f.fault("wrong-type", "write some of i, s and m", "%s are no flags", quote(flags))
				return
			}
			*t = spoor.ToolPattern(source, flags)
			return
		}
		if v.Kind == yaml.String {
			if source, _, ok := spoor.ToolName(v.Text).Pattern(); ok {
				v.fault("wrong-type", fmt.Sprintf("write {regex: %s}", short(source)), "the name of a tool cannot look like %s", short(v.Text))
				return
			}
		}
		name(t)(v)
	}
}

func matchOf(m *match.Match) setter {
	return func(v value) {
		v.object("a matcher", fields{
			"regex":    func(v value) { m.Regex = new(string); text(m.Regex)(v) },
			"flags":    text(&m.Flags),
			"keywords": texts(&m.Keywords),
			"all":      listOf(&m.All, matchOf),
			"intent":   func(v value) { m.Intent = new(string); text(m.Intent)(v) },
			"examples": phrases(&m.Examples),
		})
		isForm := func(f yaml.Field) bool { return f.Key.Text != "flags" && f.Key.Text != "examples" }
		if v.Kind == yaml.Map && !slices.ContainsFunc(v.Fields, isForm) {
			v.fault("bad-match", "write {keywords: […]} or {regex: …}, or drop it", "a matcher needs one of regex, keywords, all and intent")
		}
	}
}

// guardOf reads the mapping of keys to operators as a list of conditions. The
// place of condition i is that of its operator.
func guardOf(p *guard.Guard) setter {
	return func(v value) {
		g := guard.Guard{}
		v.pairs("a mapping of keys to operators", func(key string, ops value) {
			first := len(g)
			if ops.Kind != yaml.Map && ops.Kind != yaml.Null {
				ops.fault("wrong-type", "write {eq: …}", "a mapping of operators to values is wanted here, not %s", describe(ops.Node))
				return
			}
			ops.pairs("a mapping of operators to values", func(op string, threshold value) {
				var text string
				var b bytes.Buffer
				if threshold.writeJSON(&b, threshold.Node, oddDatum) {
					text = b.String()
				}
				c := guard.Cond{Key: key, Op: guard.Op(op)}
				if text != "" {
					if err := c.Value.UnmarshalJSON([]byte(text)); err != nil {
						threshold.fault("bad-guard", "", "%v", err)
					}
				}
				v.d.places[v.ref.At(len(g))] = threshold.key
				g = append(g, c)
			})
			if len(g) == first {
				v.d.places[v.ref.At(len(g))] = ops.key
				g = append(g, guard.Cond{Key: key})
			}
		})
		*p = g
	}
}

// oddDatum is what is wrong with an odd number that a guard compares with.
func oddDatum(text string) (code, hint string) {
	if infinite(text) {
		return "bad-guard", "what is not finite is no datum; quote it for a word: " + strconv.Quote(text)
	}
	return oddNumber(text)
}

// infinite reports whether an odd number of YAML is an infinity, or no number.
func infinite(text string) bool {
	switch strings.ToLower(strings.TrimLeft(text, "+-")) {
	case ".inf", ".nan":
		return true
	}
	return false
}

func scalesOf(p *guard.Scales) setter {
	return func(v value) {
		s := guard.Scales{}
		v.pairs("a mapping of fields to words", func(key string, words value) {
			var list []string
			texts(&list)(words)
			s[key] = list
		})
		*p = s
	}
}

// The agent.

func agentOf(a *Agent) setter {
	return func(v value) {
		v.object("an agent", fields{
			"model":           name(&a.Model),
			"classifierModel": name(&a.ClassifierModel),
			"deciderModel":    name(&a.DeciderModel),
			"embedding": func(v value) {
				v.object("an embedding", fields{"url": name(&a.Embedding.URL), "model": name(&a.Embedding.Model)}, "url", "model")
			},
			"system":         text(&a.System),
			"maxIterations":  count(&a.MaxIterations),
			"maxToolCalls":   count(&a.Limits.ToolCalls),
			"maxTokens":      count(&a.Limits.Tokens),
			"maxCost":        amount(&a.Limits.Cost, "a number over 0", func(f float64) bool { return f > 0 }),
			"prices":         pricesOf(&a.Limits.Prices),
			"maxTime":        timeOf(&a.Limits.Time),
			"maxPingPong":    count(&a.Limits.PingPong),
			"maxRefusals":    count(&a.Limits.Refusals),
			"maxInlineBytes": count(&a.MaxInlineBytes),
			"posture":        oneOf(&a.Posture, "assist", "guard", "rails"),
			"continuity":     oneOf(&a.Continuity, "turn", "conversation"),
			"check":          oneOf(&a.Check, "throw", "warn", "off"),
			"sync":           oneOf(&a.Sync, "effects"),
			"skills":         openSkillsOf(&a.Skills),
			"steering":       phrases(&a.Steering),
			"instructions": unique("instruction", "id", listOf(&a.Instructions, func(i *spoor.Instruction) setter {
				return func(v value) {
					v.object("an instruction", fields{"id": name(&i.ID), "when": name(&i.When), "text": name(&i.Text)}, "id", "text")
				}
			})),
			"facts": unique("fact", "id", listOf(&a.Facts, func(f *spoor.Fact) setter {
				return func(v value) {
					v.object("a fact", fields{"id": name(&f.ID), "text": name(&f.Text)}, "id", "text")
				}
			})),
		})
		v.priced(a)
	}
}

// pricesOf reads what models cost, in the order of the file.
func pricesOf(p *[]spoor.Price) setter {
	price := func(f *float64) setter {
		return amount(f, "a number from 0", func(f float64) bool { return f >= 0 })
	}
	return func(v value) {
		list := []spoor.Price{}
		ok := v.pairs("a mapping of models to prices", func(model string, v value) {
			p := spoor.Price{Model: model}
			v.object("a price", fields{
				"input": price(&p.Input), "output": price(&p.Output), "cached": price(&p.Cached), "written": price(&p.Written),
			}, "input", "output")
			list = append(list, p)
		})
		if ok {
			*p = list
		}
	}
}

// duration is a time as a file says it, in units that people use.
var duration = regexp.MustCompile(`^([0-9]+(\.[0-9]+)?(h|m|s|ms))+$`)

// timeOf reads a time of at least a millisecond.
func timeOf(p *time.Duration) setter {
	return func(v value) {
		d, err := time.ParseDuration(v.Text)
		switch {
		case v.Kind == yaml.Number:
			v.fault("wrong-type", "write "+short(v.Text)+"s for seconds", "a time such as 90s is wanted here, not %s", describe(v.Node))
		case v.Kind != yaml.String:
			v.want("a time such as 90s")
		case !duration.MatchString(v.Text) || err != nil || d < time.Millisecond:
			v.fault("wrong-type", "write numbers with h, m, s or ms behind them", "a time such as 90s or 1m30s is wanted here, not %s", describe(v.Node))
		default:
			*p = d
		}
	}
}

// priced reports a bound on the cost where nothing has a price.
func (v value) priced(a *Agent) {
	cost, ok := v.get("maxCost")
	if unread := v.has("prices") && a.Limits.Prices == nil; ok && len(a.Limits.Prices) == 0 && !unread {
		cost.fault("missing-key", "write prices: {MODEL: {input: …, output: …}}", "maxCost needs the key prices, and a model in it")
	}
}

// unique reads a list and reports a name that two of its mappings share.
func unique(what, key string, set setter) setter {
	return func(v value) {
		set(v)
		seen := map[string]int{}
		for i, n := range v.Items {
			for _, field := range n.Fields {
				if field.Key.Text != key || field.Value.Kind != yaml.String {
					continue
				}
				word := field.Value.Text
				if first, again := seen[word]; again {
					v.d.add(position(v.file, field.Value.Pos), "duplicate-name", v.ref.At(i).Key(key), "rename one of them",
						"the %s %s is declared twice, first as %s", what, quote(word), v.ref.At(first))
				} else {
					seen[word] = i
				}
				break
			}
		}
	}
}

func serversOf(p *[]Server) setter {
	return func(v value) {
		list := []Server{}
		v.pairs("a mapping of names to servers", func(name string, v value) {
			s := Server{Name: name}
			v.server(&s)
			list = append(list, s)
		})
		*p = list
	}
}

func (v value) server(s *Server) {
	v.object("a server", fields{
		"command": name(&s.Command),
		"args":    texts(&s.Args),
		"env":     variablesOf(&s.Env),
		"url":     name(&s.URL),
		"headers": variablesOf(&s.Headers),
	})
	v.needsOne("a server", "command", "url")
	v.exclusive("command", "url")
	v.exclusive("args", "url")
	v.exclusive("env", "url")
	v.exclusive("command", "headers")
}

func variablesOf(p *[]Variable) setter {
	return func(v value) {
		list := []Variable{}
		v.pairs("a mapping of names to values", func(key string, v value) {
			if v.Kind != yaml.String {
				v.want("a text such as ${NAME}")
				return
			}
			from, ok := variable(v.Text)
			if !ok {
				v.fault("literal-value", "write ${NAME}, and put the whole value into the variable NAME of the environment",
					"the value of %s is written into the file", quote(key))
				return
			}
			list = append(list, Variable{key, from})
		})
		*p = list
	}
}

// variable returns the name in ${NAME}.
func variable(s string) (name string, ok bool) {
	name, open := strings.CutPrefix(s, "${")
	name, closed := strings.CutSuffix(name, "}")
	if !open || !closed || name == "" || name[0] >= '0' && name[0] <= '9' {
		return "", false
	}
	for _, c := range []byte(name) {
		if c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return "", false
		}
	}
	return name, true
}

func toolsOf(p *[]Tool) setter {
	return unique("tool", "name", listOf(p, func(t *Tool) setter {
		return func(v value) {
			v.object("a tool", fields{
				"name":        name(&t.Name),
				"description": text(&t.Description),
				"inputSchema": func(v value) {
					if v.Kind != yaml.Map {
						v.want("a JSON Schema, which is a mapping,")
						return
					}
					jsonText(&t.InputSchema)(v)
				},
				"results": listOf(&t.Results, func(r *Result) setter {
					return func(v value) {
						v.object("a result", fields{"if": name(&r.If), "result": jsonText(&r.Result), "status": statusOf(&r.Status), "ask": name(&r.Ask)})
						v.needsOne("a result", "result", "ask")
						v.exclusive("result", "ask")
						v.exclusive("status", "ask")
					}
				}),
			}, "name", "results")
		}
	}))
}

func statusOf(p *spoor.Status) setter {
	return nearestOf(p, "bad-status", "a status", spoor.AllStatuses()...)
}

func caseFields(c *Case) setter {
	return func(v value) {
		c.Pos = v.pos
		what := fields{
			"say":    name(&c.Say),
			"starts": orNull(name(&c.Starts)),
			"by":     name(&c.By),
			"at":     name(&c.At),
			"results": listOf(&c.Results, func(r *CaseResult) setter {
				return func(v value) {
					v.object("a result", fields{"tool": name(&r.Tool), "result": jsonText(&r.Result), "status": statusOf(&r.Status), "executed": boolean(&r.Executed)}, "tool")
				}
			}),
			"leads":  orNull(name(&c.Leads)),
			"closed": phrases(&c.Closed),
		}
		v.needsOne("a case", "say", "at")
		v.exclusive("say", "at")
		switch {
		case v.has("say"):
			v.object("a case", what, "starts")
			v.exclusive("say", "results")
			v.exclusive("say", "leads")
			v.exclusive("say", "closed")
		case v.has("at"):
			v.object("a case", what, "results", "leads")
			v.exclusive("at", "starts")
			v.exclusive("at", "by")
		default:
			v.object("a case", what)
		}
	}
}
