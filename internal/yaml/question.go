package yaml

import (
	"strings"

	yaml3 "go.yaml.in/yaml/v3"
)

// YAML lets a plain text between brackets hold a question mark, as in
// [where is my order?, and when], and yaml/v3 ends the text there. So where a
// document cannot be parsed, it is parsed again with another character in the
// place of each question mark that ends a word, and that is put right in what
// was read.

// hide parses the text once more, without question marks. If that fails too,
// the first error stands.
func (r *reader) hide(docs []*yaml3.Node, err error) ([]*yaml3.Node, error) {
	for _, mask := range []string{"~", "^", "$", ";", "+"} {
		if strings.Contains(r.text, mask) {
			continue
		}
		text := []byte(r.text)
		for i := 1; i < len(text); i++ {
			if text[i] == '?' && !strings.ContainsRune(" \t\n[{,", rune(text[i-1])) {
				text[i] = mask[0]
			}
		}
		if again, failed := parse(string(text)); failed == nil {
			r.text, r.hidden = string(text), mask
			return again, nil
		}
		break
	}
	return docs, err
}

// show puts the question marks back.
func (r *reader) show(n *Node) {
	for i := range r.faults {
		f := &r.faults[i]
		for _, s := range []*string{&f.At, &f.Message, &f.Hint} {
			*s = strings.ReplaceAll(*s, r.hidden, "?")
		}
	}
	var walk func(*Node)
	walk = func(n *Node) {
		if n == nil {
			return
		}
		n.Text = strings.ReplaceAll(n.Text, r.hidden, "?")
		for _, item := range n.Items {
			walk(item)
		}
		for _, f := range n.Fields {
			walk(f.Key)
			walk(f.Value)
		}
	}
	walk(n)
}
