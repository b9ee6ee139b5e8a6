package explain

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/guard"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/score"
)

// A Change is something that would have made the difference: what would have to
// be otherwise in the facts of one move, in the map, or in both. It is smallest:
// without any one of its edits it is none.
type Change struct {
	// Evidence is counterfactual if the move was made again with the change, by
	// the map itself, and came out as it was wanted; assumed if it was not, or
	// could not be.
	Evidence Evidence   `json:"evidence"`
	Kind     ChangeKind `json:"kind"`
	Text     string     `json:"text"` // one line, as what follows "with"
	Verified bool       `json:"verified"`
	Why      string     `json:"why,omitempty"` // of one that is not verified, why

	Facts []FactEdit `json:"facts,omitempty"`
	Map   []MapEdit  `json:"map,omitempty"`

	// Move is the move that was made again. Its refs are those of the map with
	// the edits.
	Move *spoor.Move `json:"move,omitempty"`

	made *made
}

// ChangeKind says what a change is of.
type ChangeKind string

const (
	OfFacts ChangeKind = "facts"
	OfMap   ChangeKind = "map"
	OfBoth  ChangeKind = "facts and map"
)

// A FactEdit is one fact that would have to be another one.
type FactEdit struct {
	What   FactKind     `json:"what"`
	Call   string       `json:"call,omitempty"`   // whose result it is of
	Tool   string       `json:"tool,omitempty"`   // that returned it, or would have to
	Status spoor.Status `json:"status,omitempty"` // of a new result
	Key    string       `json:"key,omitempty"`    // of a field; of a score the skill; of a function its name; of a limit which

	// Was and Want are JSON. Of what was, or should be, missing there is none.
	// A text that is long is cut in Was.
	Was  json.RawMessage `json:"was,omitempty"`
	Want json.RawMessage `json:"want,omitempty"`

	value guard.Value // that Want is
	whole string      // of a message, what it was
}

// FactKind says what a fact is.
type FactKind string

const (
	FactField     FactKind = "field"     // a top-level field of a result; the rest of it stays byte for byte
	FactStatus    FactKind = "status"    // of a result
	FactExecuted  FactKind = "executed"  // that a call reaches its tool
	FactToolName  FactKind = "toolName"  // of a result
	FactText      FactKind = "text"      // all of a result
	FactResult    FactKind = "result"    // one more result, after the others
	FactNoResult  FactKind = "noResult"  // a result that is not there
	FactIteration FactKind = "iteration" // that the same happens in
	FactMessage   FactKind = "message"   // of the user
	FactPick      FactKind = "pick"      // the skill that the model asks to read; none without Want
	FactProposal  FactKind = "proposal"  // the skill that a tool proposes; none without Want
	FactPosture   FactKind = "posture"   // of the turn
	FactHidden    FactKind = "hidden"    // that the skill of Key is hidden from the turn
	FactScore     FactKind = "score"     // of the skill of Key
	FactDecided   FactKind = "decided"   // the skill that the decider chooses from the menu
	FactFunction  FactKind = "function"  // that a condition holds which is a function of the program
	FactLease     FactKind = "lease"     // that a tool requires the instruction of Key
	FactLimit     FactKind = "limit"     // of the turn
)

// A MapEdit is one edit of the map. Refs are those of the map as it is recorded,
// also where several edits go together.
type MapEdit struct {
	Op MapOp     `json:"op"`
	At spoor.Ref `json:"ref"` // of what is removed, moved or set; of what is added, where it goes

	Above spoor.Ref `json:"above,omitempty"` // of a move

	// Value is what is set or added, in the form of a map file; a condition of a
	// guard is {key, op, value}.
	Value json.RawMessage `json:"value,omitempty"`

	text string // what it does, for people
	do   func(*editing)
}

// MapOp says what an edit does.
type MapOp string

const (
	OpRemove MapOp = "remove"
	OpMove   MapOp = "move"
	OpSet    MapOp = "set"
	OpAdd    MapOp = "add"
)

// Bounds of the search for changes.
const (
	maxRounds  = 8       // edits that a change gains because something else came first
	maxTrials  = 64      // of one way
	maxWork    = 1 << 20 // of one map, in what takes about a microsecond
	maxWas     = 256     // bytes of a Was
	maxOptions = 1024    // values of a field that are tried
)

// A situation is all that one move was decided by, as far as it is on record.
type situation struct {
	facts   spoor.Facts
	posture spoor.Posture
	hidden  []string
	menu    []string // that was open; nil if none was
	cold    bool     // the model reads the entries, if it stands nowhere
	reads   []string // what the model asked to read, in order
	judge   bool     // what the model asks to read is judged anew

	scores   []score.Score // nil: nobody was asked, or nobody answered
	wanted   *score.Score  // of one skill, where nobody answered: the others have 0
	traits   score.Traits
	scoreErr string
	anew     bool            // the message is another one than what was scored
	decider  *event.Decided  // nil: nobody was asked
	menuWas  []string        // that the decider chose from
	held     map[string]bool // the functions of the program that hold
}

// A trial is a change that is to be tried.
type trial struct {
	facts []FactEdit
	edits []MapEdit

	way   int    // from 1: the step or the start rule that is to open; 0: none
	call  string // whose result is to open the step; empty: a new one
	inMap bool   // what comes first is put out of the way by edits of the map
}

func (t trial) with(facts []FactEdit, edits ...MapEdit) trial {
	t.facts, t.edits = slices.Clone(t.facts), slices.Concat(t.edits, edits)
	for _, e := range facts {
		same := func(o FactEdit) bool {
			return o.What == e.What && o.Call == e.Call && o.Key == e.Key && e.What != FactResult
		}
		if i := slices.IndexFunc(t.facts, same); i >= 0 {
			e.Was = t.facts[i].Was
			t.facts[i] = e
			continue
		}
		t.facts = append(t.facts, e)
	}
	return t
}

func (t trial) size() int { return len(t.facts) + len(t.edits) }

func (t trial) kind() ChangeKind {
	switch {
	case t.edits == nil:
		return OfFacts
	case t.facts == nil:
		return OfMap
	}
	return OfBoth
}

// A made move is one that was made again.
type made struct {
	g     *spoor.Graph
	m     *spoor.Map // with the edits
	steps []int      // of each step its index in the map as recorded; -1 of a new one
	rules []int      // the same of each start rule or entry
	sit   situation
	facts spoor.Facts
	move  spoor.Move
	asked map[string]bool
	why   string // it cannot be told where it leads
}

// An asker finds conditions, each once, and notes which were asked that only
// the program can judge that made the recording.
type asker struct {
	set   *cond.Set
	known map[string]spoor.Condition
	asked map[string]bool // name and call
	held  map[string]bool // names of which it is taken that they hold
}

func (a *asker) Condition(when string, result bool) (spoor.Condition, error) {
	key := either(result, "step ", "rule ") + when
	if c := a.known[key]; c != nil {
		return c, nil
	}
	c, err := a.set.Condition(when, result)
	if err != nil {
		return nil, err
	}
	if name := strings.TrimSpace(when); slices.Contains(a.set.Unbound(), name) {
		c = func(at spoor.Situation) (bool, error) {
			call := ""
			if at.Result != nil {
				call = at.Result.CallID
			}
			if a.asked != nil {
				a.asked[name+"\x00"+call] = true
			}
			if a.held[name] {
				return true, nil
			}
			return false, &cond.UnboundError{Name: name}
		}
	}
	if a.known == nil {
		a.known = map[string]spoor.Condition{}
	}
	a.known[key] = c
	return c, nil
}

// situation is that of a move.
func (w *ways) situation() situation {
	t, i := w.t, w.i
	s := situation{facts: w.facts()}
	b := t.event(i).Body.(*event.Evaluated)
	f := &s.facts
	f.Pick, f.Proposal = b.Pick, b.Proposal
	for _, r := range w.results {
		if r.Tool != readSkill {
			f.Results = append(f.Results, spoor.Result{Tool: r.Tool, CallID: r.Call, Executed: r.Executed, Status: r.Status, Text: r.Text})
		}
	}
	if started := t.started(i); started != nil {
		s.posture, s.hidden = started.Posture, started.Hidden
		if f.Iteration == 1 {
			f.Cursor = ""
			if started.Continuity == spoor.ContinueConversation {
				f.Cursor, f.Activated = started.Cursor, started.Activated
			}
		}
	}
	if before := t.moveBefore(i); before >= 0 {
		f.Activated = t.switched(before)
	}
	s.menu = t.menus[i]
	routed, j := t.routed(i)
	s.cold = j < 0 || routed.By == ""
	if j >= 0 {
		f.Verdict = routed.Fact()
		s.scored(t, routed, j)
	}
	if reply, j, _ := t.reply(i); j >= 0 {
		refused := map[string]bool{}
		for _, r := range w.results {
			refused[r.Call] = true
		}
		for _, p := range reply.Parts {
			if p.Kind == model.Call && p.Tool == readSkill && !refused[p.Call] {
				s.reads = append(s.reads, readID(t.data(p)))
			}
		}
	}
	return s
}

// scored takes over what a scorer, or a model in its place, gave for the start
// of the turn.
func (s *situation) scored(t *trail, routed *event.TurnRouted, at int) {
	s.decider, s.menuWas, s.scoreErr = routed.Decider, routed.Offered, routed.Error
	if v := routed.Scores; v != nil {
		for _, r := range v.Ranked {
			s.scores = append(s.scores, score.Score{ID: r.ID, Score: r.Score})
		}
		s.traits = score.Traits{Categorical: true, Floor: v.Thresholds.Floor} // of a model that classifies
	}
	for j := at - 1; j >= max(0, t.turn[at], at-maxBack); j-- {
		if b, ok := t.event(j).Body.(*event.Scored); ok {
			s.scores, s.traits = b.Scores, score.Traits{Floor: b.Floor, Categorical: b.Categorical}
			return
		}
	}
}

// change applies the facts of a trial.
func (s situation) change(edits []FactEdit) situation {
	f := &s.facts
	f.Results = slices.Clone(f.Results)
	s.held = nil
	for _, e := range edits {
		r := slices.IndexFunc(f.Results, func(r spoor.Result) bool { return r.CallID == e.Call })
		text := e.value.Text()
		switch e.What {
		case FactResult:
			f.Results = append(f.Results, spoor.Result{Tool: e.Tool, Executed: true, Status: e.Status, Text: text})
		case FactIteration:
			var n int
			if json.Unmarshal(e.Want, &n) == nil {
				f.Iteration = n
			}
		case FactMessage:
			f.UserMessage, s.anew = text, true
		case FactPick:
			s.reads, s.judge = slices.DeleteFunc([]string{text}, func(id string) bool { return id == "" }), true
		case FactProposal:
			f.Proposal = text
		case FactPosture:
			s.posture, s.judge = spoor.Posture(text), true
		case FactHidden:
			s.hidden = slices.DeleteFunc(slices.Clone(s.hidden), func(id string) bool { return id == e.Key })
		case FactScore:
			var n float64
			if json.Unmarshal(e.Want, &n) == nil {
				s.score(e.Key, n)
			}
		case FactDecided:
			s.decider = &event.Decided{Picked: text}
		case FactFunction:
			if s.held == nil {
				s.held = map[string]bool{}
			}
			s.held[e.Key] = true
		}
		if r < 0 {
			continue
		}
		at := &f.Results[r]
		switch e.What {
		case FactField:
			at.Text, _ = setField(at.Text, e.Key, e.value)
		case FactStatus:
			at.Status = spoor.Status(text)
		case FactExecuted:
			at.Executed = true
		case FactToolName:
			at.Tool = text
		case FactText:
			at.Text = text
		case FactNoResult:
			f.Results = slices.Delete(f.Results, r, r+1)
		}
	}
	return s
}

// score sets the best score of a skill.
func (s *situation) score(skill string, to float64) {
	s.scores = slices.Clone(s.scores)
	best := -1
	for i, c := range s.scores {
		if c.ID == skill && (best < 0 || c.Score > s.scores[best].Score) {
			best = i
		}
	}
	switch {
	case best >= 0:
		s.scores[best].Score = to
	case s.scores == nil:
		s.wanted, s.scoreErr = &score.Score{ID: skill, Score: to}, ""
	}
}

// verdict is where a turn starts: what the machine of the walk makes of a route.
func (s *situation) verdict(g *spoor.Graph, c spoor.Continuity, decides bool) (v *spoor.Verdict, dropped bool, why string) {
	t := g.Route(s.facts, c, nil)
	if t.Ask != nil {
		scored := &spoor.Scored{Scores: s.scores, Traits: s.traits}
		switch {
		case s.anew:
			return nil, false, say("scored anew")
		case s.scores == nil && s.wanted != nil:
			for _, c := range t.Ask.Candidates {
				scored.Scores = append(scored.Scores, score.Score{ID: c.ID})
				if c.ID == s.wanted.ID {
					scored.Scores[len(scored.Scores)-1].Score, s.wanted = s.wanted.Score, new(score.Score)
				}
			}
		case s.scores == nil && s.scoreErr != "":
			scored.Err = errors.New(s.scoreErr)
		case s.scores == nil:
			return nil, false, say("never scored")
		}
		if t = g.Route(s.facts, c, scored); t.Error != "" && s.scoreErr == "" {
			return nil, false, say("scored others")
		}
	}
	incumbent := s.facts.Cursor
	if t.Dropped != "" {
		incumbent = ""
	}
	if d := s.decider; t.By == spoor.ByMenu && decides {
		switch {
		case d == nil || !slices.Equal(t.Offered, s.menuWas):
			return nil, false, say("decides anew")
		case d.Picked != "" && d.Picked == incumbent && t.Stay:
			t.By, t.To, t.From = spoor.ByContinuity, incumbent, incumbent
		case slices.Contains(t.Offered, d.Picked):
			t.By, t.To, t.From = spoor.ByDecider, d.Picked, incumbent
		}
	}
	if t.By == spoor.ByMenu && s.posture == spoor.PostureRails {
		t.By = spoor.ByNone
	}
	return t.Fact(), t.Dropped != "", ""
}

// make makes a move of a situation.
func (w *ways) make(g *spoor.Graph, s situation) *made {
	a := &w.mapped.asker
	a.asked, a.held = map[string]bool{}, s.held
	d := &made{g: g, sit: s, asked: a.asked}
	f := &s.facts
	first := w.t.event(w.i).Iteration == 1
	if started := w.t.started(w.i); first && started != nil && g.Map().Tree == nil {
		v, dropped, why := s.verdict(g, started.Continuity, started.Decider)
		if f.Verdict = v; dropped {
			f.Cursor = ""
		}
		d.why = why
	}
	s.read(g, f)
	d.move = g.Next(*f)
	d.facts = *f
	d.asked = a.asked
	return d
}

// read lets the model's requests to read count: an open skill is switched on,
// and the first one in reach, as far as the posture allows it, is picked. The
// first pick closes the menu.
func (s *situation) read(g *spoor.Graph, f *spoor.Facts) {
	menu := s.menu
	if menu == nil && f.Cursor == "" && s.cold && g.Selection() == spoor.SelectModel {
		menu = g.Reachable("")
	}
	picked := ""
	for _, id := range s.reads {
		switch target := g.Classify(f.Cursor, id); {
		case target == spoor.OpenSkill && !slices.Contains(f.Activated, id):
			f.Activated = append(slices.Clip(f.Activated), id)
		case target != spoor.Hop || picked != "" || s.posture == spoor.PostureRails || s.posture == spoor.PostureGuard && !slices.Contains(menu, id):
		default:
			picked = id
		}
	}
	if s.judge {
		f.Pick = picked
	}
}

// led reports whether a move that was made again led into the skill: there, or
// of a skill that moves nothing, that it is in play.
func (w *ways) led(d *made) bool {
	id := w.id
	if d.why != "" || slices.Contains(d.sit.hidden, id) {
		return false
	}
	if own, _ := w.mapped.own(id); own != nil {
		return slices.Contains(d.facts.Activated, id) || slices.Contains(d.g.Injected(d.facts, d.move).Skills, id)
	}
	if leaf := d.g.Map().Tree.At(d.move.Ref); d.g.Map().Tree != nil {
		return leaf != nil && leaf.Skill == id
	}
	return d.move.To == id || d.g.Open(id) && slices.Contains(d.facts.Activated, id)
}

// begin makes the move again without a change: only if that is the move on
// record something can be told of one with a change.
func (w *ways) begin() {
	w.sit = w.situation()
	g := w.mapped.compiled()
	if g == nil {
		return
	}
	w.base = w.make(g, w.sit)
	m := &w.base.move
	w.same = w.base.why == "" && m.To == w.move.To && m.By == w.move.By && m.Ref == w.move.Ref
}

// attempt makes the move again with a change; nil if that is not possible, or
// was too much.
func (w *ways) attempt(t trial) *made {
	d, ok := w.mapped.edited(t.edits, w.sit.change(t.facts).hidden)
	if !ok {
		return nil
	}
	s := w.sit.change(t.facts)
	w.mapped.work += 1 + len(w.mapped.m.Steps)/8
	for i := range s.facts.Results {
		w.mapped.work += len(s.facts.Results[i].Text) / 128
	}
	if w.mapped.work > maxWork {
		return nil
	}
	made := w.make(d.g, s)
	made.m, made.steps, made.rules = d.m, d.steps, d.rules
	return made
}

// known says why the outcome of a trial is not sure, though it was made; empty
// if it is.
func (w *ways) known(t trial, d *made) string {
	if !w.same {
		return say("not the same")
	}
	for _, e := range t.facts {
		if e.What == FactFunction {
			return say("only there", "name", quote(e.Key, 80))
		}
	}
	for key := range d.asked {
		if len(t.facts) > 0 || !w.base.asked[key] {
			name, _, _ := strings.Cut(key, "\x00")
			return say("only there", "name", quote(name, 80))
		}
	}
	return ""
}

// solve completes a trial until it leads into the skill: what comes first
// instead is put out of the way, and what turns out not to be needed is dropped.
func (w *ways) solve(t trial) (c Change, ok bool) {
	for range maxRounds {
		d := w.attempt(t)
		if d == nil {
			return c, false
		}
		if w.led(d) {
			t, d = w.least(t, d, w.led)
			return w.changed(t, d), true
		}
		if d.why != "" && t.size() > 0 {
			t, d = w.least(t, d, func(d *made) bool { return d.why != "" })
			c = w.changed(t, d)
			c.Evidence, c.Verified, c.Why, c.Move = Assumed, false, d.why, nil
			return c, true
		}
		more, some := w.clear(t, d)
		if !some {
			return c, false
		}
		t = more
	}
	w.cut = true
	return c, false
}

// least drops from a trial every edit without which it comes out as well.
func (w *ways) least(t trial, d *made, as func(*made) bool) (trial, *made) {
	for i := t.size() - 1; i >= 0 && t.size() > 1; i-- {
		fewer := t.with(nil)
		if i < len(t.facts) {
			fewer.facts = slices.Delete(fewer.facts, i, i+1)
		} else {
			fewer.edits = slices.Delete(fewer.edits, i-len(t.facts), i-len(t.facts)+1)
		}
		if e := w.attempt(fewer); e != nil && as(e) {
			t, d = fewer, e
		}
	}
	return t, d
}

// changed is the change that a trial came to.
func (w *ways) changed(t trial, d *made) Change {
	if len(t.facts) == 0 {
		t.facts = nil
	}
	if len(t.edits) == 0 {
		t.edits = nil
	}
	c := Change{Evidence: Counterfactual, Kind: t.kind(), Verified: true, Facts: t.facts, Map: t.edits, Move: &d.move, made: d}
	if c.Why = w.known(t, d); c.Why != "" {
		c.Evidence, c.Verified = Assumed, false
	}
	return c
}

// clear adds to a trial what puts out of the way that which came first.
func (w *ways) clear(t trial, d *made) (more trial, ok bool) {
	m := &d.move
	switch {
	case m.By == spoor.ByProposal:
		return t.with([]FactEdit{fact(FactProposal, "", textValue(d.facts.Proposal), guard.Value{})}), true
	case m.By == spoor.ByRoute:
		return w.clearStep(t, d)
	case m.By == spoor.ByPick && d.facts.Pick != "":
		return t.with([]FactEdit{fact(FactPick, "", textValue(d.facts.Pick), guard.Value{})}), true
	case m.By == spoor.ByEntry && strings.HasPrefix(string(m.Ref), "start."):
		return w.clearRule(t, d)
	}
	return t, false
}

// clearStep puts a step that fired out of the way of ours: where the trial edits
// the map, by a move or a removal; else by a result that does not open it.
func (w *ways) clearStep(t trial, d *made) (more trial, ok bool) {
	var at int
	if !index(d.move.Ref, "steps[%d]", &at) || at >= len(d.steps) {
		return t, false
	}
	winner := d.steps[at]
	r := d.fired()
	if winner < 0 || r < 0 {
		return t, false
	}
	result := d.facts.Results[r]
	if !t.inMap {
		if edits := w.shut(t, d, at, result); edits != nil {
			return t.with(edits), true
		}
		if result.CallID != "" && t.call != result.CallID {
			return t.with([]FactEdit{{What: FactNoResult, Call: result.CallID, Tool: result.Tool}}), true
		}
	}
	ref := spoor.Ref("steps").At(winner)
	if winner < t.way-1 && t.call == result.CallID && !slices.ContainsFunc(t.edits, func(e MapEdit) bool { return e.Op == OpMove }) {
		return t.with(nil, w.moved(spoor.Ref("steps").At(t.way-1), ref)), true
	}
	if winner == t.way-1 {
		return t, false
	}
	return t.with(nil, w.removed(ref)), true
}

// fired is the result that took the step of a move, or -1.
func (d *made) fired() int {
	for n := range d.facts.Results {
		f := d.facts
		f.Results = f.Results[:n+1]
		if d.g.Next(f).By == spoor.ByRoute {
			return n
		}
	}
	return -1
}

// shut finds one field of a result without which the step at an index of the
// edited map stays shut, and ours open; nil if there is none.
func (w *ways) shut(t trial, d *made, at int, r spoor.Result) []FactEdit {
	g := d.g.StepGuard(at)
	if g == nil || r.CallID == "" {
		return nil
	}
	guards := []*guard.Compiled{g}
	if ours := w.guardOf(t, r.CallID); ours != nil {
		guards = append(guards, ours)
	}
	for _, key := range keysOf(g) {
		if guard.IsHopKey(key) && key != guard.KeyStatus {
			continue
		}
		actual, _ := valueAt(r, key)
		for n, v := range guard.Values(key, actual, anyStatus, guards...) {
			if n == maxOptions {
				break
			}
			if passes(g, key, v) || len(guards) > 1 && !passes(guards[1], key, v) {
				continue
			}
			if e, ok := w.fieldEdit(r, key, actual, v); ok {
				return []FactEdit{e}
			}
		}
	}
	return nil
}

// guardOf is the guard of the step that is to open, if that is by the result of
// a call.
func (w *ways) guardOf(t trial, call string) *guard.Compiled {
	if g := w.mapped.compiled(); t.way > 0 && t.call == call && g != nil {
		return g.StepGuard(t.way - 1)
	}
	return nil
}

// anyStatus is the domain of a result about which nothing is known.
var anyStatus = guard.Domain{AllStatuses: statusTexts(spoor.AllStatuses())}

func statusTexts(list []spoor.Status) []string {
	var texts []string
	for _, s := range list {
		texts = append(texts, string(s))
	}
	return texts
}

// clearRule puts a start rule that claims the message out of the way of ours.
func (w *ways) clearRule(t trial, d *made) (more trial, ok bool) {
	name, at := "", 0
	for _, list := range []string{"start.rules", "start.entries"} {
		if index(d.move.Ref, list+"[%d]", &at) {
			name = list
			break
		}
	}
	if name == "" || at >= len(d.rules) || d.rules[at] < 0 {
		return t, false
	}
	winner := d.rules[at]
	if witness := d.move.Witness; !t.inMap && witness != nil && witness.Text != "" {
		if less := strings.Replace(d.facts.UserMessage, witness.Text, "", 1); less != d.facts.UserMessage {
			less = strings.Join(strings.Fields(less), " ")
			return t.with([]FactEdit{fact(FactMessage, "", textValue(w.sit.facts.UserMessage), textValue(less))}), true
		}
	}
	ref := spoor.Ref(name).At(winner)
	if winner < t.way-1 && !slices.ContainsFunc(t.edits, func(e MapEdit) bool { return e.Op == OpMove }) {
		return t.with(nil, w.moved(spoor.Ref(name).At(t.way-1), ref)), true
	}
	if winner == t.way-1 {
		return t, false
	}
	return t.with(nil, w.removed(ref)), true
}

// open tries changes, and keeps of each kind the smallest. None says why there
// is none.
func (w *ways) open(trials []trial) (changes []Change, none *NotFound) {
	if w.base == nil {
		return nil, &NotFound{Kind: NotRecorded, Reason: say("no graph")}
	}
	least := map[bool]bool{} // there is one of a single edit, of the facts or of the map
	w.cut = len(trials) > maxTrials
	for n, t := range trials {
		if n == maxTrials {
			break
		}
		if least[t.inMap] {
			continue
		}
		if c, ok := w.solve(t); ok {
			changes = append(changes, c)
			least[t.inMap] = least[t.inMap] || c.Verified && c.size() == 1
		}
	}
	if changes = smallest(changes); len(changes) > 0 {
		return changes, nil
	}
	return nil, w.nothing()
}

// nothing says why no change was found.
func (w *ways) nothing() *NotFound {
	if w.cut || w.mapped.work > maxWork {
		return &NotFound{Kind: OutOfBudget, Reason: say("too many changes")}
	}
	return &NotFound{Kind: NotReached, Reason: say("no change")}
}

func (c *Change) size() int { return len(c.Facts) + len(c.Map) }

// smallest keeps of each kind the smallest change, a verified one before any
// other, and puts the smallest first.
func smallest(changes []Change) []Change {
	slices.SortStableFunc(changes, func(a, b Change) int {
		if a.Verified != b.Verified {
			if a.Verified {
				return -1
			}
			return 1
		}
		return a.size() - b.size()
	})
	var kept []Change
	for _, c := range changes {
		same := func(k Change) bool {
			return k.Kind == c.Kind || c.Kind == OfBoth && len(kept) > 0
		}
		if !slices.ContainsFunc(kept, same) {
			c.Text = changeText(trial{facts: c.Facts, edits: c.Map})
			kept = append(kept, c)
		}
	}
	return kept
}

// told shows what would have made the difference, to a way into a skill, to the
// offer of a tool or to a piece.
func (p *page) told(indent int, list []Change, to string) {
	for i, c := range list {
		var name string
		switch {
		case i > 0:
			name = either(c.Verified, "or with", "or assumed")
		case to == "tool":
			name = either(c.Verified, "offered with", "assumed offer")
		case to == "piece":
			name = either(c.Verified, "put with", "assumed put")
		default:
			name = either(c.Verified, "opened with", "assumed with")
		}
		p.hang(indent, indent+2, say(name, "change", c.Text, "why", c.Why))
	}
}
