package explain

import (
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/internal/nearest"
	"github.com/spoorhq/spoor/recording"
)

// Words tell a story in words of the caller: texts that stand in place of
// templates of this package. They never change and are safe for concurrent
// use; nil and the zero Words are the package's own words.
type Words struct{ own map[string]string }

// NewWords takes texts by the names of [Templates]. A name in braces stands for
// a value: a text may use the values that the template has, in any order, as
// often as it likes, or not at all. A value is never read as a template.
//
// A text is told in one line, with what a terminal would act on replaced. The
// error is spoor.Problems: every name that no template of a story has
// (unknown-template), every value that its template does not have
// (unknown-placeholder), and every text without a word in it (empty-template),
// by name. NewWords keeps nothing of texts.
func NewWords(texts map[string]string) (*Words, error) {
	var problems spoor.Problems
	own := make(map[string]string, len(texts))
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text := texts[name]
		fault := func(code, message, hint string) {
			problems = append(problems, spoor.Problem{Level: "error", Code: code, Ref: spoor.Ref(strconv.Quote(name)), Message: message, Hint: hint})
		}
		if !slices.Contains(storied, name) {
			fault("unknown-template", "no template of a story has this name", nearest.Hint(name, slices.Values(storied)))
			continue
		}
		if strings.TrimSpace(text) == "" {
			fault("empty-template", "there is no word in the text", "a fact is told in words; leave the name out for those of the package")
		}
		has := placeholders(templates[name])
		for _, p := range placeholders(text) {
			if slices.Contains(has, p) {
				continue
			}
			hint := nearest.Hint(p, slices.Values(has))
			switch {
			case hint != "":
			case has == nil:
				hint = "it has none"
			default:
				hint = "it has {" + strings.Join(has, "}, {") + "}"
			}
			fault("unknown-placeholder", fmt.Sprintf("this template has no value %q", p), hint)
		}
		own[name] = flat(text)
	}
	if problems != nil {
		return nil, problems
	}
	return &Words{own}, nil
}

var placeholder = regexp.MustCompile(`\{([^{}]*)\}`)

// placeholders are the values that a text has a place for, each once.
func placeholders(text string) (names []string) {
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}

// flat is a text in one line. Unlike line it keeps the space at its ends, which
// a phrase inside of another may need.
func flat(text string) string {
	flat := line(text)
	if strings.TrimLeft(text, " \t\r\n") != text {
		flat = " " + flat
	}
	if strings.TrimRight(text, " \t\r\n") != text {
		flat += " "
	}
	return flat
}

// Templates yields the templates of a story, each with its name, in the order
// of a story: what NewWords takes.
func Templates() iter.Seq2[string, string] {
	return func(yield func(name, text string) bool) {
		for _, name := range storied {
			if !yield(name, templates[name]) {
				return
			}
		}
	}
}

// Narrate tells a recording as the function Narrate does, in these words.
func (w *Words) Narrate(r *recording.Recording) *Story { return w.narrate(r, false) }

// NarrateFull tells a recording as the function NarrateFull does, in these
// words.
func (w *Words) NarrateFull(r *recording.Recording) *Story { return w.narrate(r, true) }

// storied are the templates of a story, in its order. Those of other answers are
// said in the package's own words only.
var storied = []string{
	"run", "turn", "note", "incomplete", "damaged", "empty", "waiting", "changed", "replayed", "replayed assumed", "assumed",

	"message", "history", "map", "no map", "without name", "brought", "posture guard", "posture rails", "stood", "were on", "hidden",
	"decider", "limits", "at a cost",

	"scorer asked", "scored", "scorer failed", "called classify", "called decide", "called aside", "chose",
	"routed witness", "routed entry", "routed best", "routed intent", "routed stay", "routed decider", "routed menu", "routed menu stay",
	"routed none", "routed entries", "dropped", "no scores", "ranked", "runner up", "decisive", "near", "floor",
	"decider failed", "decider stay", "decider pick", "decider none",

	"moved", "entry witness", "entry", "route", "route unknown", "pick", "cold pick", "proposal", "intent", "continuity", "by decider",
	"stay", "none", "leaf", "a leaf", "no leaf", "other", "nowhere", "row", "open", "closed", "more rows", "unjudged", "loser", "superseded", "activated",
	"ruled skills", "off menu", "menu closed", "instructions", "no instructions", "ruled instruction", "leased", "next call", "until exit",

	"called", "called last", "called last limit", "no tools", "offered tool", "offered tools",
	"limit of model calls", "limit of tool calls", "limit of tokens", "limit of price", "limit of cost", "limit of time",
	"limit of moves", "limit of reads", "other limit", "limit spent", "limit reached", "spent",
	"part", "of skill", "of status", "told tool",
	"asked for", "said", "answered", "thought", "attempt", "model failed", "by model", "by model usage", "by model cached", "cut short", "withheld",
	"sent", "returned", "with status", "not run", "refused", "lost", "cut", "showed", "late",
	"read", "rejected", "rejected posture", "reroute", "proposal lost", "conflict",
	"effect proposal", "effect instruction", "effect other", "accepted", "refused effect", "superseded effect", "other outcome",
	"needs", "needs leave", "person", "declined", "paused", "resumed", "resumed with",
	"finished", "limited", "ended without", "no text", "stopped", "failed", "unknown",

	"none of them", "and more",
	"one skill", "many skills", "one step", "many steps", "one tool", "many tools",
	"one model call", "many model calls", "one tool call", "many tool calls", "one token", "many tokens",
	"one byte", "many bytes", "one move to and fro", "many moves to and fro", "one refused read in a row", "many refused reads in a row",
	"one text of steering", "many texts of steering", "one fact", "many facts", "one instruction", "many instructions",
}
