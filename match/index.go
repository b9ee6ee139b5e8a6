package match

import "iter"

// A Part is one of the things that must hold for a matcher to claim a message:
// a regex is found in it, or one of the keywords.
type Part struct {
	Regex, Flags string
	Keywords     []string // nil for a regex; folded, sorted, each once; not to be changed
}

// Parts yields what must hold, in declared order: of an all its parts, of a
// regex or keywords the matcher itself, of an intent nothing. It is for those
// who index many matchers by what [Compare] looks at.
func (c *Compiled) Parts() iter.Seq[Part] {
	return func(yield func(Part) bool) {
		for _, p := range c.parts {
			if !yield(Part{p.source, p.flags, p.folded}) {
				return
			}
		}
	}
}

// Instructions is how many the regexes of the matcher compile to together. It
// is for those who bound what many matchers take.
func (c *Compiled) Instructions() (n int) {
	for _, p := range c.parts {
		n += p.size
	}
	return n
}
