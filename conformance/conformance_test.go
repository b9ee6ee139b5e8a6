// Package conformance runs the vectors: inputs made at random, with answers
// recorded from another implementation of the same rules.
//
//	go test -v -run Vectors ./conformance
//
// prints one line a file. SPOOR_CONFORMANCE names a folder to read instead of
// testdata.
package conformance

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/match"
)

// lines yields the lines of a vector file, by their number from 1.
func lines(t *testing.T, file string) func(yield func(int, []byte) bool) {
	dir := os.Getenv("SPOOR_CONFORMANCE")
	if dir == "" {
		dir = "testdata"
	}
	z := open(t, filepath.Join(dir, file+".jsonl"))
	return func(yield func(int, []byte) bool) {
		s := bufio.NewScanner(z)
		s.Buffer(nil, 64<<20)
		n := 1
		for ; s.Scan(); n++ {
			if !yield(n, s.Bytes()) {
				return
			}
		}
		if err := s.Err(); err != nil {
			t.Fatalf("%s, line %d: %v", file, n, err)
		}
	}
}

// open opens a file of vectors, packed or not.
func open(t *testing.T, name string) io.Reader {
	plain, err := os.Open(name)
	if err == nil {
		t.Cleanup(func() { plain.Close() })
		return plain
	}
	packed, err := os.Open(name + ".gz")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { packed.Close() })
	z, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// tally counts the lines of a file that agree, and shows the first that do not.
type tally struct {
	file       string
	agree, all int
	shown      int
}

func (c *tally) line(t *testing.T, n int, diff string) {
	t.Helper()
	c.all++
	if diff == "" {
		c.agree++
		return
	}
	if c.shown++; c.shown <= 5 {
		t.Errorf("%s, line %d:\n%s", c.file, n, diff)
	}
}

func (c *tally) print() { fmt.Printf("%s: %d of %d\n", c.file, c.agree, c.all) }

func decode(t *testing.T, data []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%v in %.200s", err, data)
	}
}

// same compares two values as JSON, whatever the order of their keys.
func same(what string, want json.RawMessage, got any) string {
	var w, g any
	data, err := json.Marshal(got)
	if err != nil {
		return fmt.Sprintf("%s: %v", what, err)
	}
	if err := json.Unmarshal(data, &g); err != nil {
		return fmt.Sprintf("%s: %v", what, err)
	}
	if len(want) > 0 {
		if err := json.Unmarshal(want, &w); err != nil {
			return fmt.Sprintf("%s: %v", what, err)
		}
	}
	if d := cmp.Diff(w, g); d != "" {
		return fmt.Sprintf("%s (-want +got):\n%s", what, d)
	}
	return ""
}

type evidence struct {
	Key           string      `json:"key"`
	Op            string      `json:"op"`
	Value         guard.Value `json:"value"`
	ActualSummary string      `json:"actualSummary"`
	Passed        bool        `json:"passed"`
}

func evidenceOf(conditions []guard.Evidence) []evidence {
	list := []evidence{}
	for _, e := range conditions {
		actual := e.Actual
		if e.Kind == guard.Missing {
			actual = "undefined"
		}
		list = append(list, evidence{e.Key, string(e.Op), e.Value, actual, e.Passed})
	}
	return list
}

func TestVectorsOfGuards(t *testing.T) {
	c := tally{file: "guards"}
	for n, line := range lines(t, "guards") {
		c.line(t, n, guardLine(t, line))
	}
	c.print()
}

func guardLine(t *testing.T, line []byte) string {
	var v struct {
		Guard      json.RawMessage
		Refused    *bool
		Conditions json.RawMessage
		Caption    string
		Mermaid    string
		Pre        struct {
			OnToolReturnExact string
			OnToolStatuses    []string
		}
		Unsatisfiable bool
		Evals         []struct {
			View struct {
				ToolName, Result, Status string
				Iteration                int
				UserMessage              string
				CurrentSkillID           string
			}
			Verdict    bool
			Conditions json.RawMessage
		}
	}
	decode(t, line, &v)
	var g guard.Guard
	err := json.Unmarshal(v.Guard, &g)
	var compiled *guard.Compiled
	if err == nil {
		var faults []guard.Fault
		if compiled, faults = guard.Compile(g, nil); len(faults) > 0 {
			err = faults[0]
		}
	}
	if v.Refused != nil {
		if refused := err != nil; refused != *v.Refused {
			return fmt.Sprintf("refused: want %v, got %v (%v)", *v.Refused, refused, err)
		}
		return ""
	}
	if err != nil {
		return err.Error()
	}
	type condition struct {
		Key   string      `json:"key"`
		Op    string      `json:"op"`
		Value guard.Value `json:"value"`
	}
	var conditions []condition
	for _, c := range g {
		conditions = append(conditions, condition{c.Key, string(c.Op), c.Value})
	}
	diffs := []string{
		same("conditions", v.Conditions, conditions),
		cmp.Diff(v.Caption, g.Caption()),
		cmp.Diff(v.Mermaid, g.Mermaid()),
	}
	_, unsatisfiable := compiled.Unsatisfiable(guard.Domain{
		ToolName: v.Pre.OnToolReturnExact, Statuses: v.Pre.OnToolStatuses, AllStatuses: allStatuses(),
	})
	diffs = append(diffs, cmp.Diff(v.Unsatisfiable, unsatisfiable))
	for _, e := range v.Evals {
		view := &guard.View{
			ToolName: e.View.ToolName, Result: e.View.Result, Status: e.View.Status, Iteration: e.View.Iteration,
			UserMessage: e.View.UserMessage, CurrentSkillID: e.View.CurrentSkillID,
		}
		verdict := compiled.Evaluate(view)
		diffs = append(diffs,
			cmp.Diff(e.Verdict, verdict.Passed),
			cmp.Diff(e.Verdict, compiled.Holds(view)),
			same("evidence", e.Conditions, evidenceOf(verdict.Conditions)))
	}
	return strings.Join(diffs, "")
}

func allStatuses() (texts []string) {
	for _, s := range spoor.AllStatuses() {
		texts = append(texts, string(s))
	}
	return texts
}

func TestVectorsOfMatches(t *testing.T) {
	c := tally{file: "matches"}
	for n, line := range lines(t, "matches") {
		c.line(t, n, matchLine(t, line))
	}
	c.print()
}

func matchLine(t *testing.T, line []byte) string {
	var v struct {
		Kind    string
		Match   json.RawMessage
		Refused *bool
		Data    json.RawMessage
		Mermaid string
		Cases   []struct {
			Message string
			Matched bool
			Witness json.RawMessage
		}
		Earlier, Later match.Match
		Relation       *string
	}
	if strings.Contains(string(line[:min(40, len(line))]), `"compare"`) {
		decode(t, line, &v)
		a, faults := match.Compile(v.Earlier)
		b, more := match.Compile(v.Later)
		if len(faults)+len(more) > 0 {
			return fmt.Sprint(faults, more)
		}
		want := ""
		if v.Relation != nil {
			want = *v.Relation
		}
		return cmp.Diff(want, string(match.Compare(a, b)))
	}
	decode(t, line, &v)
	var m match.Match
	err := json.Unmarshal(v.Match, &m)
	var compiled *match.Compiled
	if err == nil {
		var faults []match.Fault
		if compiled, faults = match.Compile(m); len(faults) > 0 {
			err = fmt.Errorf("%s", faults[0])
		}
	}
	if v.Refused != nil {
		if refused := err != nil; refused != *v.Refused {
			return fmt.Sprintf("refused: want %v, got %v (%v)", *v.Refused, refused, err)
		}
		return ""
	}
	if err != nil {
		return err.Error()
	}
	diffs := []string{same("data", v.Data, matchData(compiled.Data())), cmp.Diff(v.Mermaid, m.Mermaid())}
	for _, c := range v.Cases {
		w, matched := compiled.Match(c.Message)
		diffs = append(diffs, cmp.Diff(c.Matched, matched), same("witness of "+c.Message, c.Witness, witnessOf(w)))
	}
	return strings.Join(diffs, "")
}

func witnessOf(w match.Witness) any {
	if w == (match.Witness{}) {
		return nil
	}
	return w
}

// matchData writes a matcher as the vectors do.
func matchData(m match.Match) map[string]any {
	switch {
	case m.Regex != nil:
		return map[string]any{"kind": "regex", "source": *m.Regex, "flags": m.Flags}
	case m.Keywords != nil:
		return map[string]any{"kind": "keywords", "keywords": m.Keywords}
	case m.Intent != nil:
		return map[string]any{"kind": "intent", "intent": *m.Intent, "examples": m.Examples}
	}
	parts := []any{}
	for _, p := range m.All {
		parts = append(parts, matchData(p))
	}
	return map[string]any{"kind": "all", "parts": parts}
}

// TestVectorsOfGraphs counts the lines that agree in all that a line has: the
// declared graph, the check-up, the intent audit, the scores, and the walk;
// and besides the lines that agree in each of these.
func TestVectorsOfGraphs(t *testing.T) {
	parts := []struct {
		tally
		diff func(*graphLine, *spoor.Graph) string
	}{
		{tally{file: "graphs, declared"}, (*graphLine).declared},
		{tally{file: "graphs, check-up"}, (*graphLine).checkup},
		{tally{file: "graphs, intents"}, (*graphLine).intents},
		{tally{file: "graphs, reach"}, (*graphLine).reach},
		{tally{file: "graphs, walk"}, (*graphLine).walk},
	}
	whole := tally{file: "graphs"}
	for n, line := range lines(t, "graphs") {
		var v graphLine
		decode(t, line, &v)
		m := new(spoor.Map)
		decode(t, v.Raw.Map, m)
		g, err := spoor.Compile(m, cond.CEL)
		if err != nil {
			t.Errorf("graphs, line %d: %v", n, err)
			continue
		}
		agree := true
		for i := range parts {
			diff := parts[i].diff(&v, g)
			parts[i].line(t, n, diff)
			agree = agree && diff == ""
		}
		if whole.all++; agree {
			whole.agree++
		}
	}
	whole.print()
	for _, part := range parts {
		part.print()
	}
}

type graphLine struct {
	Raw struct{ Map json.RawMessage }

	Declared struct {
		Edges          json.RawMessage
		Nodes          json.RawMessage
		Routing        map[string]json.RawMessage
		AutoActivate   map[string]string
		EntrySelection string
		Triggers       map[string]string
	}
	Checkup struct {
		OK       bool
		Problems []problem
		Notes    int
	}
	CheckupIntents []problem
	Reach          map[string][]string
	Walk           []struct {
		Ctx struct {
			Iteration             int
			UserMessage           string
			History               []spoor.Message
			CurrentSkillID        string
			ActivatedInjectionIDs []string
			PendingSkillPick      string
			PendingToolTransition struct{ TargetSkillID string }
			ToolResults           []struct{ ToolName, Result, Status, ToolCallID string }
			TurnRoute             *struct {
				By      spoor.Cause
				From    string
				To      string
				Witness *match.Witness
				Offered []string
			}
		}
		Move       json.RawMessage
		Superseded []string
		Active     []string
		FirstRule  json.RawMessage
	}
}

func (v *graphLine) UnmarshalJSON(data []byte) error {
	type plain graphLine
	if err := json.Unmarshal(data, (*plain)(v)); err != nil {
		return err
	}
	return json.Unmarshal(data, &v.Raw)
}

func (v *graphLine) declared(g *spoor.Graph) string {
	m := g.Map()
	edges := []any{}
	for _, e := range g.Edges() {
		edge := map[string]any{"from": nil, "to": e.To, "kind": e.Kind}
		if e.From != "" {
			edge["from"] = e.From
		}
		put(edge, "label", e.Label)
		putMatch(edge, e.Match)
		putGuard(edge, e.Guard)
		edges = append(edges, edge)
	}
	nodes := []any{}
	for _, n := range g.Nodes() {
		nodes = append(nodes, map[string]any{"id": n.ID, "kind": n.Kind, "label": n.Label})
	}
	routing, scoped, triggers := map[string]any{}, map[string]string{}, map[string]string{}
	for _, s := range m.Skills {
		triggers[s.ID] = string(g.Trigger(s.ID))
		p := g.Provenance(s.ID)
		if s.AutoActivate != "" {
			scoped[s.ID] = string(s.AutoActivate)
		} else if g.Scoped(s.ID) {
			scoped[s.ID] = "currentSkill"
		}
		if _, want := v.Declared.Routing[s.ID]; !want && p.Via == spoor.ViaModel {
			continue // the vectors give none to a skill that nothing wires
		}
		r := map[string]any{"via": p.Via}
		put(r, "from", p.From)
		put(r, "label", p.Label)
		put(r, "triggerKind", p.TriggerKind)
		putMatch(r, p.Match)
		putGuard(r, p.Guard)
		if p.Via == spoor.ViaTree {
			r["path"] = append([]spoor.Branch{}, p.Path...)
			if p.Paths != nil {
				r["paths"] = p.Paths
			}
		}
		routing[s.ID] = r
	}
	want, err := json.Marshal(v.Declared.Routing)
	if err != nil {
		return err.Error()
	}
	return same("edges", v.Declared.Edges, edges) + same("nodes", v.Declared.Nodes, nodes) +
		same("routing", want, routing) + cmp.Diff(v.Declared.AutoActivate, scoped) +
		cmp.Diff(v.Declared.EntrySelection, string(g.Selection())) + cmp.Diff(v.Declared.Triggers, triggers)
}

func put(m map[string]any, key, value string) {
	if value != "" {
		m[key] = value
	}
}

func putMatch(m map[string]any, v match.Match) {
	if !v.IsZero() {
		m["match"] = matchData(v)
	}
}

func putGuard(m map[string]any, g guard.Guard) {
	if g == nil {
		return
	}
	conditions := []any{}
	for _, c := range g {
		conditions = append(conditions, map[string]any{"key": c.Key, "op": c.Op, "value": c.Value})
	}
	m["guard"] = map[string]any{"conditions": conditions}
}

func (v *graphLine) reach(g *spoor.Graph) string {
	diff := ""
	for cursor, want := range v.Reach {
		if got := g.Reachable(cursor); !slices.Equal(want, got) {
			diff += fmt.Sprintf("reachable from %q: want %q, got %q\n", cursor, want, got)
		}
	}
	return diff
}

func (v *graphLine) walk(g *spoor.Graph) string {
	var diffs []string
	for i, w := range v.Walk {
		c := w.Ctx
		f := spoor.Facts{
			Iteration: c.Iteration, UserMessage: c.UserMessage, History: c.History, Cursor: c.CurrentSkillID,
			Pick: c.PendingSkillPick, Proposal: c.PendingToolTransition.TargetSkillID, Activated: c.ActivatedInjectionIDs,
		}
		for _, r := range c.ToolResults {
			f.Results = append(f.Results, spoor.Result{
				Tool: r.ToolName, CallID: r.ToolCallID, Executed: true, Status: spoor.Status(r.Status), Text: r.Result,
			})
		}
		if r := c.TurnRoute; r != nil {
			f.Verdict = &spoor.Verdict{By: r.By, To: r.To, From: r.From, Witness: r.Witness, Offered: r.Offered}
		}
		move := g.Next(f)
		if d := same("move", w.Move, moveOf(move)); d != "" {
			diffs = append(diffs, fmt.Sprintf("walk[%d]: %s", i, d))
		}
		if got := g.Superseded(f, move); !slices.Equal(got, w.Superseded) {
			diffs = append(diffs, fmt.Sprintf("walk[%d]: superseded: want %q, got %q\n", i, w.Superseded, got))
		}
		if got := g.Active(f, move); !slices.Equal(got, w.Active) {
			diffs = append(diffs, fmt.Sprintf("walk[%d]: active: want %q, got %q\n", i, w.Active, got))
		}
		var rule any
		if first, ok := g.FirstRule(f); ok {
			r := map[string]any{"id": first.To}
			if first.Witness != nil {
				r["witness"] = first.Witness
			}
			rule = r
		}
		if d := same("first rule", w.FirstRule, rule); d != "" {
			diffs = append(diffs, fmt.Sprintf("walk[%d]: %s", i, d))
		}
	}
	return strings.Join(diffs, "")
}

// moveOf writes a move as the vectors do.
func moveOf(m spoor.Move) any {
	move := map[string]any{"by": m.By}
	put(move, "from", m.From)
	put(move, "to", m.To)
	if m.Witness != nil {
		move["witness"] = m.Witness
	}
	if m.Guard != nil {
		move["guard"] = judgementOf(*m.Guard)
	}
	if len(m.Closed) > 0 {
		closed := []any{}
		for _, j := range m.Closed {
			closed = append(closed, judgementOf(j))
		}
		move["guardsClosed"] = closed
	}
	if m.Conflict != nil {
		move["conflict"] = m.Conflict
	}
	return move
}

func judgementOf(j spoor.Judgement) any {
	out := map[string]any{
		"from": j.From, "to": j.To, "toolName": j.Tool, "verdict": j.Passed, "conditions": evidenceOf(j.Conditions),
	}
	put(out, "toolCallId", j.CallID)
	return out
}
