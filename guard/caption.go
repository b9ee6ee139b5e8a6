package guard

import "strings"

var opWords = map[Op]string{
	OpEq: "=", OpNe: "≠", OpGt: ">", OpGte: "≥", OpLt: "<", OpLte: "≤", OpIn: "in", OpNotIn: "not in",
}

func (op Op) word() string {
	if w, ok := opWords[op]; ok {
		return w
	}
	return string(op)
}

// Caption returns g in one line: riskLevel ≥ high AND iteration ≤ 5.
func (g Guard) Caption() string {
	var b strings.Builder
	for i, c := range g {
		if i > 0 {
			b.WriteString(" AND ")
		}
		b.WriteString(c.caption())
	}
	return b.String()
}

// Mermaid returns the caption of g under a leading "when", escaped for a label
// of a Mermaid edge.
func (g Guard) Mermaid() string {
	return strings.NewReplacer("|", "#124;", `"`, "#quot;").Replace("when " + g.Caption())
}

func (c Cond) caption() string {
	return c.Key + " " + c.Op.word() + " " + c.Value.bare()
}

// String returns the condition in one line, as Evidence shows it.
func (c Cond) String() string {
	return display(c.Key) + " " + c.Op.word() + " " + c.Value.String()
}

// bare is String without quotes.
func (v Value) bare() string {
	switch v.kind {
	case String:
		return v.text
	case List:
		return v.bracketed(Value.bare)
	}
	return v.String()
}
