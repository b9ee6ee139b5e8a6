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
