package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/internal/nearest"
	"github.com/spoorhq/spoor/internal/yaml"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/match"
)

const (
	maxFactsBytes = 16 << 20
	maxFactFaults = 100
)

// openFacts reads the facts of one decision, in YAML or JSON, as strictly as a
// map file is read. The name - is stdin. Faults are what is wrong in the file;
// the error says that it could not be read at all.
func openFacts(name string, stdin io.Reader, f *mapfile.File) (spoor.Facts, mapfile.Faults, error) {
	facts := spoor.Facts{Iteration: 1}
	shown := name
	if name == "-" {
		shown = "stdin"
	}
	text, err := readBounded(name, stdin)
	if err != nil {
		return facts, nil, err
	}
	r := &factReader{file: shown}
	for _, s := range f.Map.Skills {
		r.skills = append(r.skills, s.ID)
	}
	r.open = r.skills
	for _, s := range f.Agent.Skills {
		r.open = append(r.open, s.ID)
	}
	root, syntax := yaml.Read(text)
	for _, fault := range syntax {
		r.add(fault.Pos, "syntax", spoor.Ref(fault.At), fault.Hint, "%s", fault.Message)
	}
	switch {
	case len(syntax) > 0:
	case root.Kind == yaml.Null:
		r.add(root.Pos, "wrong-type", "", "write userMessage and the like, or {} for no facts", "there are no facts")
	default:
		r.facts(&facts)("", root)
	}
	return facts, r.all(), nil
}

// readBounded reads a file, or stdin if its name is -.
func readBounded(name string, stdin io.Reader) ([]byte, error) {
	if name != "-" {
		file, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no file of facts %s; give the path of one, or - for stdin", name)
		}
		if err != nil {
			return nil, unreadable(name, err)
		}
		defer file.Close()
		stdin = file
	}
	var b bytes.Buffer
	if _, err := b.ReadFrom(io.LimitReader(stdin, maxFactsBytes+1)); err != nil {
		return nil, unreadable(name, err)
	}
	if b.Len() > maxFactsBytes {
		return nil, fmt.Errorf("%s has more than %d bytes, which is too much for the facts of one decision", name, maxFactsBytes)
	}
	return b.Bytes(), nil
}

func unreadable(name string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s cannot be read: %w; give the path of a file", name, err)
}

// A factReader reads facts and collects what is wrong with them.
type factReader struct {
	file   string
	skills []string // of the map
	open   []string // these, and those of the agent
	faults mapfile.Faults
	more   int // faults not listed
}

// A reading reads the value at an address into where it belongs.
type reading = func(at spoor.Ref, n *yaml.Node)

func (r *factReader) facts(f *spoor.Facts) reading {
	return r.object("facts", map[string]reading{
		"iteration":             r.count(&f.Iteration),
		"userMessage":           r.text(&f.UserMessage),
		"history":               listOf(r, &f.History, r.message),
		"currentSkillId":        orNull(r.skill(&f.Cursor, r.skills)),
		"toolResults":           listOf(r, &f.Results, r.result),
		"pendingSkillPick":      orNull(r.skill(&f.Pick, r.skills)),
		"pendingToolTransition": orNull(r.object("a transition", map[string]reading{"targetSkillId": r.skill(&f.Proposal, r.skills)}, "targetSkillId")),
		"activatedInjectionIds": listOf(r, &f.Activated, func(id *string) reading { return r.skill(id, r.open) }),
		"turnRoute": orNull(func(at spoor.Ref, n *yaml.Node) {
			f.Verdict = new(spoor.Verdict)
			r.verdict(f.Verdict)(at, n)
		}),
	})
}

func (r *factReader) message(m *spoor.Message) reading {
	return r.object("a message", map[string]reading{"role": r.name(&m.Role), "content": r.text(&m.Content)}, "role", "content")
}

func (r *factReader) result(res *spoor.Result) reading {
	res.Executed = true
	return r.object("a result", map[string]reading{
		"toolName":   r.name(&res.Tool),
		"toolCallId": orNull(r.text(&res.CallID)),
		"result":     r.data(&res.Text),
		"status":     orNull(r.status(&res.Status)),
		"executed":   r.boolean(&res.Executed),
	}, "toolName")
}

func (r *factReader) verdict(v *spoor.Verdict) reading {
	return r.object("a turnRoute", map[string]reading{
		"by":   r.word((*string)(&v.By), "wrong-type", "a way to route a turn", "entry", "intent", "continuity", "decider", "menu", "none"),
		"from": orNull(r.skill(&v.From, r.skills)),
		"to":   orNull(r.skill(&v.To, r.skills)),
		"witness": orNull(func(at spoor.Ref, n *yaml.Node) {
			v.Witness = new(match.Witness)
			r.object("a witness", map[string]reading{"text": r.text(&v.Witness.Text), "keyword": r.text(&v.Witness.Keyword)}, "text")(at, n)
		}),
		"offered": listOf(r, &v.Offered, func(id *string) reading { return r.skill(id, r.skills) }),
	}, "by")
}

// add adds a fault.
func (r *factReader) add(pos yaml.Pos, code string, at spoor.Ref, hint, format string, args ...any) {
	if len(r.faults) == maxFactFaults {
		r.more++
		return
	}
	r.faults = append(r.faults, mapfile.Fault{
		Problem: spoor.Problem{Level: "error", Code: code, Ref: at, Message: fmt.Sprintf(format, args...), Hint: hint},
		Pos:     mapfile.Position{File: r.file, Line: pos.Line, Column: pos.Column},
	})
}

// all is what is wrong, in the order of the places.
func (r *factReader) all() mapfile.Faults {
	sortFaults(r.faults)
	if r.more > 0 {
		r.faults = append(r.faults, mapfile.Fault{
			Problem: spoor.Problem{Level: "error", Code: "more", Message: fmt.Sprintf("there are %d more faults", r.more)},
			Pos:     r.faults[len(r.faults)-1].Pos,
		})
	}
	return r.faults
}

// want reports a value of the wrong type.
func (r *factReader) want(what string, at spoor.Ref, n *yaml.Node) {
	hint := ""
	switch {
	case n.Kind == yaml.Null:
		hint = "write it, or drop the key"
	case strings.HasPrefix(what, "a text") && (n.Kind == yaml.Bool || n.Kind == yaml.Number || n.Kind == yaml.Odd):
		hint = fmt.Sprintf("quote it: %q", n.Text)
	case what == aTruth && (n.Text == "yes" || n.Text == "on"):
		hint = "write true"
	case what == aTruth && (n.Text == "no" || n.Text == "off"):
		hint = "write false"
	}
	r.add(n.Pos, "wrong-type", at, hint, "%s is wanted here, not %s", what, describeNode(n))
}

func describeNode(n *yaml.Node) string {
	switch n.Kind {
	case yaml.List:
		return "a list"
	case yaml.Map:
		return "a mapping"
	case yaml.String:
		return "the text " + quoteShort(n.Text)
	case yaml.Null:
		return "nothing"
	}
	return oneLine(n.Text, 60)
}

func quoteShort(text string) string { return strconv.Quote(oneLine(text, 60)) }

// object reads a mapping with known keys, some of which must be there.
func (r *factReader) object(what string, known map[string]reading, required ...string) reading {
	return func(at spoor.Ref, n *yaml.Node) {
		if n.Kind != yaml.Map {
			wanted := what + ", which is a mapping,"
			if what == "facts" {
				wanted = "a mapping of facts"
			}
			r.want(wanted, at, n)
			return
		}
		seen := map[string]yaml.Pos{}
		for _, f := range n.Fields {
			key := f.Key.Text
			ref := at.Key(oneLine(key, 60))
			first, again := seen[key]
			switch {
			case again:
				r.add(f.Key.Pos, "duplicate-key", ref, "keep one of them",
					"the key %s stands twice, first in line %d, column %d", quoteShort(key), first.Line, first.Column)
				continue
			case known[key] != nil:
				known[key](ref, f.Value)
			case key == "lastToolResult":
				r.add(f.Key.Pos, "unknown-key", ref, "write toolResults: one result is a list of one", "%s have no key %q", what, key)
			default:
				names := slices.Sorted(maps.Keys(known))
				hint := nearest.Hint(key, slices.Values(names))
				if hint == "" {
					hint = "the keys are " + strings.Join(names, ", ")
				}
				has := "has"
				if what == "facts" {
					has = "have"
				}
				r.add(f.Key.Pos, "unknown-key", ref, hint, "%s %s no key %s", what, has, quoteShort(key))
			}
			seen[key] = f.Key.Pos
		}
		for _, key := range required {
			if _, there := seen[key]; !there {
				r.add(n.Pos, "missing-key", at, "", "%s needs the key %s", what, key)
			}
		}
	}
}

func listOf[T any](r *factReader, list *[]T, each func(*T) reading) reading {
	return func(at spoor.Ref, n *yaml.Node) {
		if n.Kind != yaml.List {
			r.want("a list", at, n)
			return
		}
		*list = make([]T, len(n.Items))
		for i, item := range n.Items {
			each(&(*list)[i])(at.At(i), item)
		}
	}
}

// orNull takes null for a key that is not there.
func orNull(read reading) reading {
	return func(at spoor.Ref, n *yaml.Node) {
		if n.Kind != yaml.Null {
			read(at, n)
		}
	}
}

func (r *factReader) text(p *string) reading {
	return func(at spoor.Ref, n *yaml.Node) {
		if n.Kind != yaml.String {
			r.want("a text", at, n)
			return
		}
		*p = n.Text
	}
}

// name reads a text that is not empty.
func (r *factReader) name(p *string) reading {
	return func(at spoor.Ref, n *yaml.Node) {
		if n.Kind == yaml.String && n.Text == "" {
			r.add(n.Pos, "wrong-type", at, "", "a text is wanted here, and this one is empty")
			return
		}
		r.text(p)(at, n)
	}
}

// skill reads the id of one of the skills.
func (r *factReader) skill(p *string, skills []string) reading {
	return r.word(p, "unknown-skill", "a skill of the map", skills...)
}

func (r *factReader) status(p *spoor.Status) reading {
	return r.word((*string)(p), "bad-status", "a status",
		"success", "partial", "pending", "failure", "denied", "invalid", "absent")
}

// word reads one of the words.
func (r *factReader) word(p *string, code, what string, words ...string) reading {
	return func(at spoor.Ref, n *yaml.Node) {
		r.name(p)(at, n)
		if n.Kind != yaml.String || n.Text == "" || slices.Contains(words, n.Text) {
			return
		}
		hint := nearest.Hint(n.Text, slices.Values(words))
		if hint == "" && len(words) > 0 && len(words) <= 16 {
			hint = "write one of " + strings.Join(words, ", ")
		}
		r.add(n.Pos, code, at, hint, "%s is not %s", quoteShort(n.Text), what)
	}
}

// count reads a whole number from 1.
func (r *factReader) count(p *int) reading {
	return func(at spoor.Ref, n *yaml.Node) {
		i, err := strconv.Atoi(n.Text)
		if n.Kind != yaml.Number || err != nil || i < 1 {
			r.want("a whole number from 1", at, n)
			return
		}
		*p = i
	}
}

const aTruth = "true or false"

func (r *factReader) boolean(p *bool) reading {
	return func(at spoor.Ref, n *yaml.Node) {
		if n.Kind != yaml.Bool {
			r.want(aTruth, at, n)
			return
		}
		*p = strings.EqualFold(n.Text, "true")
	}
}

// data reads a text as it is, and anything else as compact JSON with the digits
// of its numbers.
func (r *factReader) data(p *string) reading {
	return func(at spoor.Ref, n *yaml.Node) {
		if n.Kind == yaml.String {
			*p = n.Text
			return
		}
		var b bytes.Buffer
		r.json(&b, at, n)
		*p = b.String()
	}
}

func (r *factReader) json(b *bytes.Buffer, at spoor.Ref, n *yaml.Node) {
	switch n.Kind {
	case yaml.Null:
		b.WriteString("null")
	case yaml.Bool:
		b.WriteString(strings.ToLower(n.Text))
	case yaml.Number:
		b.WriteString(n.Text)
	case yaml.Odd:
		r.add(n.Pos, "wrong-type", at, fmt.Sprintf("write it as JSON does, or quote it for a word: %q", n.Text),
			"%s is not a number in JSON notation", oneLine(n.Text, 60))
	case yaml.String:
		writeString(b, n.Text)
	case yaml.List:
		b.WriteByte('[')
		for i, item := range n.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			r.json(b, at, item)
		}
		b.WriteByte(']')
	case yaml.Map:
		b.WriteByte('{')
		seen := map[string]yaml.Pos{}
		for i, f := range n.Fields {
			if first, again := seen[f.Key.Text]; again {
				r.add(f.Key.Pos, "duplicate-key", at, "keep one of them",
					"the key %s stands twice, first in line %d, column %d", quoteShort(f.Key.Text), first.Line, first.Column)
			}
			seen[f.Key.Text] = f.Key.Pos
			if i > 0 {
				b.WriteByte(',')
			}
			writeString(b, f.Key.Text)
			b.WriteByte(':')
			r.json(b, at, f.Value)
		}
		b.WriteByte('}')
	}
}

func writeString(b *bytes.Buffer, s string) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)
	b.Truncate(b.Len() - 1) // the line end
}
