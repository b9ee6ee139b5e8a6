package check

import (
	"fmt"
	"regexp"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/guard"
)

var guardLexicographic = Rule{
	Code:  "guard-lexicographic",
	Level: Warning,
	Doc: `A guard asks whether a field is above or below a word, and the field has no scale, so texts are compared by
their bytes. Of riskLevel: {gte: high} that means: "low" passes, for l comes after h, and "critical" does not. The same
holds of a number in quotes: "9" is above "10", and a real number is neither.

Dates and times as in ISO 8601, such as 2026-05-01 or 2026-05-01T12:00:00Z, order right by their bytes and are not
reported, and neither is the empty text, which nothing is below. That a text is never above or below iteration is
reported as guard-unsatisfiable. It is not seen which values the tool returns: whether dates have one form and zone, and
whether words are ones that are in order by chance.

Declare the order of the words under scales. A scale is for a field of a result; for status, toolName and the other
keys that a guard knows by itself, list the values that are meant under in.`,
	Example: `
skills:
  - {id: triage, tools: [assess_risk]}
  - {id: escalation}
  - {id: billing}
start: triage
steps:
  - from: triage
    to: escalation
    onToolReturn: assess_risk
    guard:
      riskLevel: {gte: high}  # want guard-lexicographic
      severity: {gte: high}
      reported: {lt: 2026-05-01}
  - {from: escalation, to: billing, onToolStatus: denied}
scales:
  severity: [low, high, critical]
`,
	parts: true,
	judge: func(s *subject) {
		for i, step := range s.m.Steps {
			for j, c := range step.Guard {
				_, scaled := s.m.Scales[c.Key]
				if scaled || !c.Op.Ordered() || c.Value.Kind() != guard.String || c.Key == guard.KeyIteration || ordersRight(c.Value.Text()) {
					continue
				}
				hint := fmt.Sprintf("declare the order of its words under scales: {%s: […]}", short(c.Key))
				switch {
				case guard.IsHopKey(c.Key):
					hint = "list the values that are meant under in"
				case numeral.MatchString(c.Value.Text()):
					hint = "write the number without quotes, if the result holds numbers"
				}
				if !s.found(spoor.Problem{
					Ref: spoor.Ref("steps").At(i).Key("guard").At(j), From: step.From, To: step.To,
					Message: fmt.Sprintf("%s %s %q compares texts letter by letter, not by rank", short(c.Key), c.Op, short(c.Value.Text())),
					Hint:    hint,
				}) {
					return
				}
			}
		}
	},
}

var (
	isoTime = regexp.MustCompile(`^(\d{4}-\d\d(-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?)?)?|\d\d:\d\d(:\d\d([.,]\d+)?)?)$`)
	numeral = regexp.MustCompile(`^[+-]?\d+(\.\d+)?$`)
)

// ordersRight reports whether a text is of a kind that bytes put into the
// order that is meant.
func ordersRight(text string) bool { return text == "" || isoTime.MatchString(text) }
