package check

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spoorhq/spoor"
)

// readSkill is the tool of the walk itself. It is always there.
const readSkill = "read_skill"

// inBody is a problem with what stands at offset in the body of a skill: at its
// place in a file, if that is known, or else in a line of the body.
func inBody(i int, skill *spoor.Skill, offset int, message, hint string) spoor.Problem {
	p := spoor.Problem{Ref: spoor.Ref("skills").At(i).Key("body"), Skill: skill.ID, Message: message, Hint: hint}
	before := skill.Body[:offset]
	line := strings.Count(before, "\n")
	if skill.Source.File == "" {
		p.Message += fmt.Sprintf(", in line %d", line+1)
		return p
	}
	p.At = skill.Source
	p.At.Line += line
	p.At.Indent += utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	return p
}

// isWord holds the characters that a word boundary tells from all others:
// those of \w in RE2 and in JavaScript.
var isWord = func() (is [256]bool) {
	for c := range is {
		is[c] = c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
	}
	return is
}()

// nextRun returns the end of the run that begins at i: of word characters, or
// of others.
func nextRun(s string, i int) int {
	word := isWord[s[i]]
	for i++; i < len(s) && isWord[s[i]] == word; i++ {
	}
	return i
}

// calls yields what looks like the call of a tool: a name of lower-case words
// with underscores between them, and then, perhaps after spaces, a parenthesis.
func calls(text string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for i := range len(text) {
			if text[i] != '(' {
				continue
			}
			name := strings.TrimRight(text[:i], " ")
			at := len(name)
			for at > 0 && isWord[text[at-1]] {
				at--
			}
			if name = name[at:]; snakeCase(name) && !yield(name, at) {
				return
			}
		}
	}
}

// snakeCase reports whether a word is one of [a-z][a-z0-9]*(_[a-z0-9]+)+.
func snakeCase(word string) bool {
	parts := 0
	for part := range strings.SplitSeq(word, "_") {
		parts++
		if part == "" || strings.ContainsFunc(part, func(r rune) bool { return 'A' <= r && r <= 'Z' }) {
			return false
		}
	}
	return parts > 1 && 'a' <= word[0] && word[0] <= 'z'
}

// A finder finds which of many names stand in a text as words: where the
// regular expression \bNAME\b does. It reads a text once, however many names
// there are.
//
// The word boundaries of a text cut it into runs, by turns of word characters
// and of others, and a name is cut the same way. So a name that stands between
// two boundaries is a sequence of whole runs, and an automaton over runs
// instead of letters (that of Aho and Corasick) finds all of them.
type finder struct {
	names []string
	runs  map[string]int32 // the runs of all names, by number
	edges map[edge]int32
	nodes []node // of which the first is the root
	text  int32  // the number of the text that was searched last
}

type edge struct{ node, run int32 }

type node struct {
	fail    int32 // the node of the longest end of this one's runs that begins a name
	shorter int32 // the nearest node over fails at which a name ends; 0 if none does
	name    int32 // that ends here; -1 if none does
	seen    int32 // the last text in which its name was found
}

// A sighting is where a name first stands in a text.
type sighting struct{ name, at int }

// newFinder makes a finder of names that are all different. An empty one is
// nowhere.
func newFinder(names []string) *finder {
	f := &finder{names: names, runs: map[string]int32{}, edges: map[edge]int32{}, nodes: []node{{name: -1}}}
	var byDepth [][]edge // the edges, by the depth of the node that they leave
	for n, name := range names {
		if name == "" {
			continue
		}
		at := int32(0)
		for i, depth := 0, 0; i < len(name); depth++ {
			end := nextRun(name, i)
			run, ok := f.runs[name[i:end]]
			if !ok {
				run = int32(len(f.runs))
				f.runs[name[i:end]] = run
			}
			e := edge{at, run}
			next, ok := f.edges[e]
			if !ok {
				next = int32(len(f.nodes))
				f.edges[e] = next
				f.nodes = append(f.nodes, node{name: -1})
				if depth == len(byDepth) {
					byDepth = append(byDepth, nil)
				}
				byDepth[depth] = append(byDepth[depth], e)
			}
			at, i = next, end
		}
		f.nodes[at].name = int32(n)
	}
	for _, edges := range byDepth[min(1, len(byDepth)):] {
		for _, e := range edges {
			n := &f.nodes[f.edges[e]]
			n.fail = f.step(f.nodes[e.node].fail, e.run)
			if n.shorter = n.fail; f.nodes[n.fail].name < 0 {
				n.shorter = f.nodes[n.fail].shorter
			}
		}
	}
	return f
}

// step goes over a run, from the longest end of what was read that still fits.
func (f *finder) step(at, run int32) int32 {
	for {
		if next, ok := f.edges[edge{at, run}]; ok {
			return next
		}
		if at == 0 {
			return 0
		}
		at = f.nodes[at].fail
	}
}

// find returns the names that stand in a text, each once, in the order of the
// names. Others than word characters at the ends of a text are at no boundary.
func (f *finder) find(text string) (found []sighting) {
	f.text++
	at := int32(0)
	for i := 0; i < len(text); {
		end := nextRun(text, i)
		if !isWord[text[i]] && (i == 0 || end == len(text)) {
			i = end
			continue
		}
		run, ok := f.runs[text[i:end]]
		i = end
		if !ok {
			at = 0
			continue
		}
		at = f.step(at, run)
		n := &f.nodes[at]
		if n.name < 0 {
			n = &f.nodes[n.shorter]
		}
		// Where a name was seen, the shorter ones behind it were seen too.
		for ; n.name >= 0 && n.seen != f.text; n = &f.nodes[n.shorter] {
			n.seen = f.text
			found = append(found, sighting{int(n.name), end - len(f.names[n.name])})
		}
	}
	slices.SortFunc(found, func(a, b sighting) int { return cmp.Compare(a.name, b.name) })
	return found
}
