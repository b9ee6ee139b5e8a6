package explain

// Marked are words in which every template, of a story or not, begins with its
// own name in brackets.
func Marked() *Words {
	own := map[string]string{}
	for name, text := range templates {
		own[name] = "⟦" + name + "⟧" + text
	}
	return &Words{own}
}

// Search searches the answer once more: it is what a query costs once there is an
// index. It returns the stretches that stand somewhere.
func (p *Provenance) Search() []Range {
	p.q.search()
	return p.q.runs
}

// Fold is a text as it reads when case, space and the like do not matter.
func Fold(s string) string { return folded(s) }
