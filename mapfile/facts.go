package mapfile

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/internal/yaml"
	"github.com/spoorhq/spoor/match"
)

// ReadFacts reads the facts of one decision, in YAML or JSON, as strictly as Read
// reads a map. All keys may be left out, and iteration is 1 then:
//
//	{iteration, userMessage, history: [{role, content}], currentSkillId,
//	toolResults: [{toolName, toolCallId, result, status, executed}], pendingSkillPick,
//	pendingToolTransition: {targetSkillId}, activatedInjectionIds,
//	turnRoute: {by, from, to, witness: {text, keyword}, offered}}
//
// A result is a text, or anything else for its JSON; it was executed unless that
// is false. There are at most 16 MiB. An error of r is returned; anything wrong in
// what it reads is Faults, as of Read, in a file of that name.
//
// What only a map can tell, such as unknown skills, check finds, if it is not nil:
// it is asked about all that could be read, and what it finds is among the Faults.
func ReadFacts(r io.Reader, name string, check func(spoor.Facts) spoor.Problems) (spoor.Facts, error) {
	f := spoor.Facts{Iteration: 1}
	text, err := readAtMost(r, name, maxMapBytes)
	if err != nil {
		return f, fmt.Errorf("mapfile: %w", err)
	}
	d := newDecoder(nil, name, len(text))
	root, ok := d.parse(text, name, "")
	if !ok {
		return f, d.err()
	}
	d.places[""] = root.pos
	root.facts(&f)
	if check != nil {
		for _, p := range (&File{places: d.places}).Locate(check(f)) {
			d.add(p.Pos, p.Code, p.Ref, p.Hint, "%s", p.Message)
		}
	}
	return f, d.err()
}

func (v value) facts(f *spoor.Facts) {
	if v.Kind == yaml.Null {
		v.fault("wrong-type", "write userMessage and the like, or {} for no facts", "there are no facts")
		return
	}
	known := fields{
		"iteration": func(v value) {
			if n, err := strconv.Atoi(v.Text); v.Kind == yaml.Number && (err != nil || n < 1) {
				v.fault("wrong-type", "", "a whole number from 1 is wanted here, not %s", short(v.Text))
				return
			}
			count(&f.Iteration)(v)
		},
		"userMessage":           text(&f.UserMessage),
		"history":               listOf(&f.History, messageOf),
		"currentSkillId":        orNull(name(&f.Cursor)),
		"toolResults":           listOf(&f.Results, resultOf),
		"pendingSkillPick":      orNull(name(&f.Pick)),
		"pendingToolTransition": orNull(func(v value) { v.object("a transition", fields{"targetSkillId": name(&f.Proposal)}, "targetSkillId") }),
		"activatedInjectionIds": listOf(&f.Activated, name[string]),
		"turnRoute":             orNull(func(v value) { f.Verdict = new(spoor.Verdict); v.verdict(f.Verdict) }),
	}
	v.pairs("a mapping of facts", func(key string, pair value) {
		switch {
		case known[key] != nil:
			known[key](pair)
		case key == "lastToolResult":
			pair.d.add(pair.key, "unknown-key", pair.ref, "write toolResults: one result is a list of one", "facts have no key %s", quote(key))
		default:
			pair.unknown("facts have", key, slices.Sorted(maps.Keys(known)))
		}
	})
}

func messageOf(m *spoor.Message) setter {
	return func(v value) {
		v.object("a message", fields{"role": name(&m.Role), "content": text(&m.Content)}, "role", "content")
	}
}

func resultOf(r *spoor.Result) setter {
	r.Executed = true
	return func(v value) {
		v.object("a result", fields{
			"toolName":   name(&r.Tool),
			"toolCallId": orNull(text(&r.CallID)),
			"result":     textOrJSON(&r.Text),
			"status":     orNull(statusOf(&r.Status)),
			"executed": func(v value) {
				if v.Kind != yaml.Bool {
					v.fault("wrong-type", truths[v.Text], "true or false is wanted here, not %s", describe(v.Node))
					return
				}
				r.Executed = strings.EqualFold(v.Text, "true")
			},
		}, "toolName")
	}
}

func (v value) verdict(t *spoor.Verdict) {
	v.object("a turnRoute", fields{
		"by": nearestOf(&t.By, "wrong-type", "a way to route a turn",
			spoor.ByEntry, spoor.ByIntent, spoor.ByContinuity, spoor.ByDecider, spoor.ByMenu, spoor.ByNone),
		"from": orNull(name(&t.From)),
		"to":   orNull(name(&t.To)),
		"witness": orNull(func(v value) {
			t.Witness = new(match.Witness)
			v.object("a witness", fields{"text": text(&t.Witness.Text), "keyword": text(&t.Witness.Keyword)}, "text")
		}),
		"offered": listOf(&t.Offered, name[string]),
	}, "by")
}

// textOrJSON reads a text as it is, and anything else as compact JSON.
func textOrJSON(p *string) setter {
	return func(v value) {
		if v.Kind == yaml.String {
			*p = v.Text
			return
		}
		var b bytes.Buffer
		quoted := func(text string) (code, hint string) {
			return "wrong-type", fmt.Sprintf("write it as JSON does, or quote it for a word: %q", text)
		}
		if v.writeJSON(&b, v.Node, quoted) {
			*p = b.String()
		}
	}
}
