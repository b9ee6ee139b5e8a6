package match

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/spoorhq/spoor/internal/regex"
)

// The bounds of a matcher, as the package comment states them.
const (
	maxRegexBytes   = 4096
	maxInstructions = 10_000
	maxParts        = 64
	maxListed       = 1000
	maxKeywordBytes = 256
	maxPhraseBytes  = 4096
)

// A Fault is one reason why a Match is no matcher.
type Fault struct {
	At      string // where inside the matcher: "", "regex", "keywords[1]", "all[0].flags"
	Message string // what is wrong
	Hint    string // what to do
}

func (f Fault) String() string {
	s := f.Message
	if f.At != "" {
		s = f.At + ": " + s
	}
	if f.Hint != "" {
		s += " (" + f.Hint + ")"
	}
	return s
}

// A Compiled is a checked matcher. It never changes and is safe for concurrent
// use.
type Compiled struct {
	data  Match
	parts []part      // what must hold: of an all its parts, of an intent nothing
	own   func() *Set // over this matcher alone
}

// A part is a regex or a list of keywords.
type part struct {
	regex  *regexp.Regexp // nil for keywords
	size   int            // of the regex, in instructions
	source string         // of the regex
	flags  string
	words  []string // the keywords as declared
	folded []string // the keywords folded, sorted, each once
}

// Compile checks m and makes it ready to use. If the faults are not none, they
// are all of them in declared order, and the Compiled is nil.
func Compile(m Match) (*Compiled, []Fault) {
	var k compiler
	data := k.matcher(m, "", false)
	if len(k.faults) > 0 {
		return nil, k.faults
	}
	c := &Compiled{data: data, parts: k.parts}
	c.own = sync.OnceValue(func() *Set { return NewSet([]*Compiled{c}) })
	return c, nil
}

// Data returns the matcher as it was understood: flags in order, keywords
// trimmed, an all inside an all dissolved. The caller owns the copy.
func (c *Compiled) Data() Match { return c.data.clone() }

// IsIntent reports whether a classifier judges this matcher.
func (c *Compiled) IsIntent() bool { return c.data.Intent != nil }

// Match reports whether the matcher claims the message, and the words that
// decided it. An intent claims nothing here. Whoever asks many matchers about
// one message asks a [Set].
func (c *Compiled) Match(message string) (Witness, bool) {
	hits := c.own().Scan(message)
	return hits.Match(0)
}

// A compiler gathers the faults and the parts of one matcher.
type compiler struct {
	faults  []Fault
	parts   []part
	visited int // matchers seen, nested ones too
}

func (k *compiler) fault(at, message, hint string) {
	k.faults = append(k.faults, Fault{At: at, Message: message, Hint: hint})
}

// matcher compiles m, which stands at the path at, and returns it normalised.
func (k *compiler) matcher(m Match, at string, nested bool) Match {
	forms := m.forms()
	switch len(forms) {
	case 0:
		k.fault(at, "a matcher needs one of "+formNames, "to claim every message, leave the matcher out")
		return Match{}
	case 1:
	default:
		k.fault(at, "a matcher has one form, and this has "+strings.Join(forms, " and "), "keep one, or put each into a part of `all`")
		return Match{}
	}
	if m.Flags != "" && m.Regex == nil {
		k.fault(join(at, "flags"), "flags belong to a regex", "remove them; keywords never regard case")
	}
	if m.Examples != nil && m.Intent == nil {
		k.fault(join(at, "examples"), "examples inside a matcher belong to an intent", "move them beside the matcher, into the rule")
	}
	switch forms[0] {
	case "regex":
		return k.regex(*m.Regex, m.Flags, at)
	case "keywords":
		return k.keywords(m.Keywords, at)
	case "intent":
		if nested {
			k.fault(at, "an intent cannot be a part of `all`", "give the intent a rule of its own: a classifier judges it, not the text")
			return Match{}
		}
		return k.intent(*m.Intent, m.Examples, at)
	}
	return k.all(m.All, at)
}

func (k *compiler) all(parts []Match, at string) Match {
	at = join(at, "all")
	if len(parts) == 0 {
		k.fault(at, "`all` without parts would claim every message", "give it at least one regex or list of keywords")
	}
	flat := Match{All: []Match{}}
	for i, p := range parts {
		if k.visited++; k.visited > maxParts {
			if k.visited == maxParts+1 {
				k.fault(at, fmt.Sprintf("a matcher has at most %d parts", maxParts), "split it into several rules")
			}
			break
		}
		data := k.matcher(p, fmt.Sprintf("%s[%d]", at, i), true)
		if data.All != nil {
			flat.All = append(flat.All, data.All...)
		} else {
			flat.All = append(flat.All, data)
		}
	}
	return flat
}

func (k *compiler) keywords(words []string, at string) Match {
	at = join(at, "keywords")
	p := part{words: []string{}}
	switch {
	case len(words) == 0:
		k.fault(at, "keywords is empty, so it would never match", "give it at least one word")
	case len(words) > maxListed:
		k.fault(at, fmt.Sprintf("keywords has %d words, and at most %d are allowed", len(words), maxListed), "split them over several rules")
		words = nil
	}
	for i, w := range words {
		w, at := strings.TrimSpace(w), fmt.Sprintf("%s[%d]", at, i)
		switch {
		case w == "":
			k.fault(at, "the keyword is blank", "write a word, or remove it")
		case len(w) > maxKeywordBytes:
			k.fault(at, fmt.Sprintf("the keyword is %d bytes long, and at most %d are allowed", len(w), maxKeywordBytes), "use the words in it that matter")
		case !utf8.ValidString(w):
			k.fault(at, "the keyword is not valid UTF-8", "save the text as UTF-8")
		}
		p.words = append(p.words, w)
		p.folded = append(p.folded, foldString(w))
	}
	slices.Sort(p.folded)
	p.folded = slices.Compact(p.folded)
	k.parts = append(k.parts, p)
	return Match{Keywords: slices.Clone(p.words)}
}

func (k *compiler) intent(sentence string, examples []string, at string) Match {
	k.phrase(sentence, join(at, "intent"), "the intent", "say in one sentence what the user wants")
	at = join(at, "examples")
	switch {
	case len(examples) == 0:
		k.fault(at, "an intent needs examples", "write one or more phrases as a user would say them")
	case len(examples) > maxListed:
		k.fault(at, fmt.Sprintf("the intent has %d examples, and at most %d are allowed", len(examples), maxListed), "keep those that differ most")
		examples = nil
	}
	for i, e := range examples {
		k.phrase(e, fmt.Sprintf("%s[%d]", at, i), "the example", "write a phrase as a user would say it, or remove it")
	}
	return Match{Intent: &sentence, Examples: slices.Clone(examples)}
}

func (k *compiler) phrase(s, at, what, hint string) {
	switch {
	case strings.TrimSpace(s) == "":
		k.fault(at, what+" is blank", hint)
	case len(s) > maxPhraseBytes:
		k.fault(at, fmt.Sprintf("%s is %d bytes long, and at most %d are allowed", what, len(s), maxPhraseBytes), "say it shorter")
	case !utf8.ValidString(s):
		k.fault(at, what+" is not valid UTF-8", "save the text as UTF-8")
	}
}

func (k *compiler) regex(source, flags, at string) Match {
	flags = k.flags(flags, join(at, "flags"))
	at = join(at, "regex")
	data := Match{Regex: &source, Flags: flags}
	switch {
	case source == "":
		k.fault(at, "the regex is empty and would claim every message", "write a pattern; a rule without a matcher claims every message")
		return data
	case strings.ContainsRune(source, '\b'):
		k.fault(at, "the regex has a backspace in it", `write \b for the edge of a word; in YAML that takes single quotes`)
		return data
	case len(source) > maxRegexBytes:
		k.fault(at, fmt.Sprintf("the regex is %d bytes long, and at most %d are allowed", len(source), maxRegexBytes), "split it, or list the words as keywords")
		return data
	}
	if regex.Work(source, flags) > regex.MaxWork {
		k.fault(at, "the regex names too many characters", `use fewer or smaller classes, or drop the flag i`)
		return data
	}
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		message, hint := explain(err)
		k.fault(at, message, hint)
		return data
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil || len(prog.Inst) > maxInstructions {
		k.fault(at, fmt.Sprintf("the regex compiles to more than %d instructions", maxInstructions), "lower its repeat counts")
		return data
	}
	written := source
	if flags != "" {
		written = "(?" + flags + ")" + source
	}
	re, err := regexp.Compile(written)
	if err != nil {
		message, hint := explain(err)
		k.fault(at, message, hint)
		return data
	}
	k.parts = append(k.parts, part{regex: re, size: len(prog.Inst), source: source, flags: flags})
	return data
}

// flags returns the flags that count, once each and in order.
func (k *compiler) flags(flags, at string) string {
	var out strings.Builder
	for _, f := range "ism" {
		if strings.ContainsRune(flags, f) {
			out.WriteRune(f)
		}
	}
	unknown := strings.Map(func(f rune) rune {
		if strings.ContainsRune("ismgyu", f) {
			return -1
		}
		return f
	}, flags)
	if unknown != "" {
		k.fault(at, fmt.Sprintf("the flags %q are not known", quote(unknown)), "use i (either case), s (dot is also a line end), m (^ and $ at line ends)")
	}
	return out.String()
}

// explain says what RE2 cannot do, and what to write instead.
func explain(err error) (message, hint string) {
	var bad *syntax.Error
	if !errors.As(err, &bad) {
		return "the regex cannot be compiled", "simplify it"
	}
	fragment := quote(bad.Expr)
	starts := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(bad.Expr, p) })
	}
	switch {
	case starts("(?=", "(?!"):
		return "RE2 has no look-ahead: " + fragment, "`all` says \"and\": give each condition a part of its own"
	case starts("(?<=", "(?<!"):
		return "RE2 has no look-behind: " + fragment, "match the text before as well, or use \\b; `all` says \"and\""
	case starts("(?>"):
		return "RE2 has no atomic groups: " + fragment, "write (?:…); RE2 is linear without them"
	case bad.Code == syntax.ErrInvalidEscape && (starts(`\k`) || len(bad.Expr) == 2 && bad.Expr[1] >= '1' && bad.Expr[1] <= '9'):
		return "RE2 has no back-references: " + fragment, "write the repeated text out; `all` says \"and\""
	case bad.Code == syntax.ErrInvalidEscape && starts(`\u`):
		return "RE2 does not know the escape \\u", `write \x{0041} for \u0041, or the character itself`
	case bad.Code == syntax.ErrInvalidEscape:
		return "RE2 does not know the escape " + fragment, `write \x{…} for a character by its number, \\ for a backslash`
	case bad.Code == syntax.ErrInvalidRepeatOp:
		return "RE2 cannot repeat a repetition: " + fragment, "keep one of the signs, or put the inner one into (?:…)"
	case bad.Code == syntax.ErrInvalidRepeatSize:
		return "the repeat count is too large: " + fragment, "counts go to 1000, nested ones multiplied"
	case bad.Code == syntax.ErrInvalidUTF8:
		return "the regex is not valid UTF-8", "save the text as UTF-8"
	}
	return fmt.Sprintf("the regex has a fault, %s: %s", bad.Code, fragment), "see https://golang.org/s/re2syntax"
}

// join extends a path inside the matcher.
func join(at, key string) string {
	if at == "" {
		return key
	}
	return at + "." + key
}
