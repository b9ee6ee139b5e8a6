// Package check tells what will hurt on a map that compiles, proved without
// running it.
//
//	spoor.Compile ──▶ Graph ──Run──────▶ Report{OK, Problems, Notes}
//	                    └─────Intents──▶ Report, asking a scorer
//
// A check-up is a list of rules, one file each, named after the code that it
// reports. Each says in its Doc what it proves and what it cannot see, and has
// an Example that it reports. [Rules] lists them, together with the codes with
// which spoor.Compile and mapfile refuse a map.
//
// A rule claims only what follows from the map, the words of it and what its
// own matchers and conditions answer. Silence is no proof that a map is right.
package check

import (
	"fmt"
	"strings"
	"sync"

	"github.com/spoorhq/spoor"
)

// Levels of a problem.
const (
	Error   = "error"   // a map with one is refused
	Warning = "warning" // it will most likely hurt
	Advice  = "advice"  // it may be meant so
)

// A Rule is one code and what it means.
type Rule struct {
	Code  string
	Level string // the most severe that it reports

	// Doc says in Markdown what the rule proves, what it cannot see, and what
	// to do. Example is a map file that the rule reports, with a comment
	// "want CODE" on each line that it reports.
	Doc     string
	Example string

	judge func(*subject) // nil if Run does not report the code
	parts bool           // it looks at parts of the map alone, so that it need be no graph
}

// A Report is what a check-up found.
type Report struct {
	OK       bool           `json:"ok"` // there is no error
	Problems spoor.Problems `json:"problems"`
	Notes    []string       `json:"notes"` // what the report does not cover
}

// String gives the problems and the notes, one a line.
func (r Report) String() string {
	var b strings.Builder
	for _, p := range r.Problems {
		fmt.Fprintln(&b, p)
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	return b.String()
}

// mostOfOne is how many problems of one code a report lists.
const mostOfOne = 100

// Run checks a map. The tools are those that the agent has beside the skills'
// own and knownTools of the map: bodies may name them.
func Run(g *spoor.Graph, tools ...string) Report {
	s := newSubject(g, tools)
	for _, r := range rules {
		if r.judge != nil {
			s.run(r)
		}
	}
	return s.Report
}

// Parts checks what can be told of a map that is no graph: its guards, the
// bodies of its skills, and the like. The tools are as for Run.
func Parts(m *spoor.Map, tools ...string) Report {
	s := &subject{m: m, tools: tools, Report: empty()}
	for i, r := range m.Start.Rules {
		s.starts = append(s.starts, spoor.StartRule{Ref: spoor.Ref("start.rules").At(i), Use: r.Use})
	}
	for _, r := range rules {
		if r.parts {
			s.run(r)
		}
	}
	return s.Report
}

func empty() Report { return Report{OK: true, Problems: spoor.Problems{}, Notes: []string{}} }

// A subject is the map under check and what was found.
type subject struct {
	Report
	g      *spoor.Graph // nil for Parts
	m      *spoor.Map
	starts []spoor.StartRule
	tools  []string

	// What several rules look at. It is found when the first of them asks.
	roads   func() *roads
	pairs   func() *pairs
	claims  func() []claim
	phrases func() []forbidden

	rule   Rule
	listed int // problems of the rule
}

func newSubject(g *spoor.Graph, tools []string) *subject {
	s := &subject{g: g, m: g.Map(), starts: g.Starts(), tools: tools, Report: empty()}
	s.roads = sync.OnceValue(s.findRoads)
	s.pairs = sync.OnceValue(s.comparePairs)
	s.claims = sync.OnceValue(s.claimExamples)
	s.phrases = sync.OnceValue(s.claimPhrases)
	return s
}

func (s *subject) run(r Rule) {
	s.rule, s.listed = r, 0
	r.judge(s)
	if s.listed > mostOfOne {
		s.note("There are more problems %s than the %d that are listed.", r.Code, mostOfOne)
	}
}

// found adds a problem, of the rule's code and level unless it says another
// level, and reports whether there is room for more. A rule stops its search
// when there is none; one that has two levels looks for errors first.
func (s *subject) found(p spoor.Problem) (more bool) {
	p.Code = s.rule.Code
	if p.Level == "" {
		p.Level = s.rule.Level
	}
	s.OK = s.OK && p.Level != Error
	if s.listed++; s.listed <= mostOfOne {
		s.Problems = append(s.Problems, p)
	}
	return s.listed <= mostOfOne
}

func (s *subject) note(format string, args ...any) {
	s.Notes = append(s.Notes, fmt.Sprintf(format, args...))
}

// start names a way to start a turn.
func (s *subject) start(i int) string {
	return fmt.Sprintf("%s (%q)", s.starts[i].Ref, s.starts[i].Use)
}
