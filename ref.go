package spoor

import "strconv"

// A Ref is the address of a place in a map: steps[2].guard[0]. Problems,
// moves and recordings all speak in Refs, and mapfile turns one into a file,
// line and column. The zero Ref is the map itself.
type Ref string

// Key is the address of a field of r.
func (r Ref) Key(name string) Ref {
	if r == "" {
		return Ref(name)
	}
	return r + "." + Ref(name)
}

// At is the address of an element of r.
func (r Ref) At(i int) Ref {
	return r + "[" + Ref(strconv.Itoa(i)) + "]"
}

// join adds a path inside a matcher, which may be empty or start with [.
func (r Ref) join(path string) Ref {
	switch {
	case path == "":
		return r
	case path[0] == '[':
		return r + Ref(path)
	}
	return r.Key(path)
}
