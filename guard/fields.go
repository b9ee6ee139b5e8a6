package guard

import "slices"

// A View is what a guard is judged on: one tool result, and the place where it
// arrived.
type View struct {
	ToolName       string
	Result         string
	Status         string // missing if empty
	Iteration      int
	UserMessage    string
	CurrentSkillID string // missing if empty

	// Fields may hold the fields of Result, read ahead for several guards. A
	// guard that needs a key which was not read reads Result itself.
	Fields Fields
}

// Fields holds the top-level fields of a result that some guards ask for. Up to
// eight of them are stored inline, so that a View on the stack costs no
// allocation. The zero Fields has read nothing. A Fields may be used by several
// goroutines while none of them calls Read.
type Fields struct {
	result string
	names  names
	spans  spans
}

// Read reads the fields named by keys out of result, in one scan that validates
// all of it. Where a key occurs twice the last one counts. A result that is not
// one JSON object, or that nests deeper than 10000 levels, has no fields. Read
// retains keys and result.
func (f *Fields) Read(result string, keys []string) {
	*f = Fields{result: result, names: namesOf(keys)}
	f.spans.read(result, &f.names)
}

func (f *Fields) has(keys []string) bool {
	for _, key := range keys {
		if f.names.find(key) < 0 {
			return false
		}
	}
	return true
}

// names are the names of fields, in order.
type names struct {
	list  []string
	index map[string]int // if there are many
}

func namesOf(list []string) names {
	const many = 32
	n := names{list: list}
	if len(list) > many {
		n.index = make(map[string]int, len(list))
		for i, name := range slices.Backward(list) {
			n.index[name] = i
		}
	}
	return n
}

// find returns the index of a name, or -1 if it is not there.
func (n *names) find(name string) int {
	if n.index == nil {
		return slices.Index(n.list, name)
	}
	if i, ok := n.index[name]; ok {
		return i
	}
	return -1
}

// findWritten returns the index of a name that is written as in JSON, or -1.
func (n *names) findWritten(name string) int {
	if n.index != nil {
		if !isPlain(name) {
			name = unquote(name)
		}
		return n.find(name)
	}
	for i, key := range n.list {
		if name == key || sameStart(name, key) && compareText(name, key) == 0 {
			return i
		}
	}
	return -1
}

// A span is where the value of a field stands in a result, a string without its
// quotes. The zero span is a missing value.
type span struct {
	kind       Kind
	start, end int
}

// spans holds a span for each of some keys. It holds positions instead of
// strings, so that to read into it moves nothing to the heap.
type spans struct {
	inline [8]span
	more   []span // for the keys after the eighth
}

// read reads into s, which is zero.
func (s *spans) read(result string, of *names) {
	if n := len(of.list) - len(s.inline); n > 0 {
		s.more = make([]span, n)
	}
	if !scanFields(result, of, s) {
		s.inline = [8]span{}
		clear(s.more)
	}
}

func (s *spans) at(i int) *span {
	if i < len(s.inline) {
		return &s.inline[i]
	}
	return &s.more[i-len(s.inline)]
}

// of returns the field of result that s is the span of.
func (s *span) of(result string) field { return field{s.kind, result[s.start:s.end]} }
