package explain

// Search searches the answer once more: it is what a query costs once there is an
// index. It returns the stretches that stand somewhere.
func (p *Provenance) Search() []Range {
	p.q.search()
	return p.q.runs
}

// Fold is a text as it reads when case, space and the like do not matter.
func Fold(s string) string { return folded(s) }
