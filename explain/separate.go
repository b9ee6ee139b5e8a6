package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
)

// A Separator looks for what separates good runs from bad ones: what the runs
// of one set have more often than those of the other. It keeps features, and no
// recording, so any number of runs can be given one after the other. Its zero
// value has seen none. It is not safe for concurrent use.
type Separator struct {
	features map[featureKey]*tally
	paths    map[featureKey]*valuesAt
	runs     [2]int // good, bad
	fresh    [2]int // features that each brought first
	cut      int    // runs that are not whole
	changed  int    // runs that are not as they were written
	full     bool   // there are more features than are counted
}

// A Separation ranks what separates good runs from bad ones. It is correlation:
// none of it need be a cause.
type Separation struct {
	Evidence Evidence `json:"evidence"` // proxy
	Good     int      `json:"good"`     // runs
	Bad      int      `json:"bad"`

	// Separates says that chance alone would hardly do so: some Adjusted is at
	// most 0.05.
	Separates bool `json:"separates"`

	// Groups are the features that the sets do not share alike, those first that
	// chance explains least. Features that the same runs have are one group.
	Groups []Partition `json:"groups,omitempty"`
	More   int         `json:"more,omitempty"` // groups that are not listed

	Features int `json:"features"` // that were counted
	Tested   int `json:"tested"`   // groups that P was adjusted for

	// LeastP is that of a feature which all runs of one set have, and none of
	// the other.
	LeastP float64 `json:"leastP"`

	Changed    int       `json:"changed,omitempty"`    // runs that are not as they were written
	Incomplete int       `json:"incomplete,omitempty"` // runs that are not whole
	NotFound   *NotFound `json:"notFound,omitempty"`
	Unsearched string    `json:"unsearched,omitempty"`
}

// A Partition is the features that the very same runs have, and those that exactly
// the other runs have: to the numbers they are one.
type Partition struct {
	Features []Feature `json:"features"`           // the one with the shortest name first
	Opposite []Feature `json:"opposite,omitempty"` // what the runs have that do not have these
	More     int       `json:"more,omitempty"`     // of both, that are not listed
	Good     int       `json:"good"`               // runs that have them
	Bad      int       `json:"bad"`

	// Effect is the share of the bad runs that have them, less that of the good.
	Effect float64 `json:"effect"`

	// P is how often chance alone would share them so unevenly or more: Fisher's
	// exact test, with two sides. Adjusted is P for that so many groups were
	// looked at, as Holm adjusts it.
	P        float64 `json:"p"`
	Adjusted float64 `json:"adjusted"`

	Separates bool `json:"separates"` // Adjusted is at most 0.05
}

// A Feature is something that a run has or has not.
type Feature struct {
	Kind  FeatureKind `json:"kind"`
	Name  string      `json:"name"`
	Piece string      `json:"piece,omitempty"` // its digest, if it is one

	// Of a value and of a threshold.
	Tool  string `json:"tool,omitempty"`
	Path  string `json:"path,omitempty"` // in the results of the tool; [*] stands for every place in a list
	Value string `json:"value,omitempty"`
}

// FeatureKind says what a feature is about.
type FeatureKind string

const (
	HasPiece     FeatureKind = "piece"     // a model was shown it
	HasTool      FeatureKind = "tool"      // it is called
	HasArguments FeatureKind = "arguments" // a tool is called with them
	HasStatus    FeatureKind = "status"    // a tool returns with it
	HasSkill     FeatureKind = "skill"     // the walk is there
	HasHop       FeatureKind = "hop"       // the walk goes that way
	HasStart     FeatureKind = "start"     // a turn starts so
	HasRefusal   FeatureKind = "refusal"   // of a call or of a read
	HasGuard     FeatureKind = "guard"     // one row of it passes, or does not
	HasValue     FeatureKind = "value"     // some result of a tool has it
	HasThreshold FeatureKind = "threshold" // some result of a tool reaches it
	HasMap       FeatureKind = "map"
	HasModel     FeatureKind = "model"
	HasEnding    FeatureKind = "ending" // of a turn
)

// What a Separator keeps.
const (
	maxNewFeatures = 250_000 // that one set brings first
	maxRunFeatures = 20_000  // of one run
	maxDistinct    = 20      // values at a path, before they are too many to tell apart
	maxLeaves      = 1000    // values of one result
	maxThresholds  = 32      // of a path
	maxPartitions  = 1000    // that are listed
	maxTies        = 10      // features of a group that are listed
	alpha          = 0.05
)

type featureKey struct {
	kind FeatureKind
	id   string
}

// A runSet names a set of runs, as the sum of a number for each: sets that
// differ have different names, but for a chance of 1 in 2^128.
type runSet [2]uint64

func (s *runSet) add(run int) {
	s[0] += mix(2 * uint64(run))
	s[1] += mix(2*uint64(run) + 1)
}

// less is the set of the runs of s that another set does not have.
func (s runSet) less(o runSet) runSet { return runSet{s[0] - o[0], s[1] - o[1]} }

// mix is the finalizer of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// A tally counts the runs that have a feature.
type tally struct {
	Feature
	id   string // that of its key
	runs [2]int
	set  runSet
	last int // the run that was counted last, from 1
}

// valuesAt is what the results of a tool have at a path.
type valuesAt struct {
	tool, path string
	values     map[string]bool // nil once there are too many
	most       []mostOf        // the greatest number of each run
}

type mostOf struct {
	run, set int
	value    float64
}

// Good takes a run that went well.
func (s *Separator) Good(r *recording.Recording) { s.take(r, 0) }

// Bad takes a run that did not.
func (s *Separator) Bad(r *recording.Recording) { s.take(r, 1) }

func (s *Separator) take(r *recording.Recording, set int) {
	if s.features == nil {
		s.features, s.paths = map[featureKey]*tally{}, map[featureKey]*valuesAt{}
	}
	s.runs[set]++
	if r.Incomplete() {
		s.cut++
	}
	t := newTrail(r)
	if t.changed() != "" {
		s.changed++
	}
	o := observer{s: s, t: t, set: set, run: s.runs[0] + s.runs[1], most: map[*valuesAt]float64{}}
	for i := range r.Events {
		o.event(i)
	}
	for at, value := range o.most {
		at.most = append(at.most, mostOf{o.run, set, value})
	}
}

// An observer finds the features of one run.
type observer struct {
	s     *Separator
	t     *trail
	set   int
	run   int // from 1
	count int
	most  map[*valuesAt]float64
}

// has counts a feature, once for each run. The name is asked for when it is
// seen for the first time.
func (o *observer) has(kind FeatureKind, id string, name func() Feature) {
	key := featureKey{kind, id}
	f := o.s.features[key]
	if f == nil {
		if o.count++; o.count > maxRunFeatures || o.s.fresh[o.set] >= maxNewFeatures {
			o.s.full = true
			return
		}
		o.s.fresh[o.set]++
		f = &tally{Feature: name(), id: id}
		f.Kind = kind
		o.s.features[key] = f
	}
	if f.last != o.run {
		f.last = o.run
		f.runs[o.set]++
		f.set.add(o.run)
	}
}

// named counts a feature whose name says all.
func (o *observer) named(kind FeatureKind, name string, values ...string) {
	o.has(kind, name+"\x00"+strings.Join(values, "\x00"), func() Feature { return Feature{Name: say(name, values...)} })
}

func (o *observer) event(i int) {
	t := o.t
	switch b := t.event(i).Body.(type) {
	case *event.Started:
		o.has(HasMap, b.Graph.Map.String(), func() Feature {
			return Feature{Name: say("has map", "map", b.Graph.Map.String()[:12]), Piece: b.Graph.Map.String()}
		})
	case *event.Called:
		for _, sp := range b.Splices {
			for _, p := range sp.Put {
				o.piece(p)
			}
		}
	case *event.Replied:
		if b.Model != "" {
			o.named(HasModel, "has model", "model", clip(b.Model, 60))
		}
		if t.aside[i] != "" {
			break
		}
		for _, p := range b.Parts {
			if p.Kind != model.Call {
				continue
			}
			o.named(HasTool, "has tool", "tool", clip(p.Tool, 60))
			args := canonical(t.data(p))
			o.has(HasArguments, p.Tool+"\x00"+args, func() Feature {
				return Feature{Name: say("has arguments", "tool", clip(p.Tool, 60), "args", clip(args, 80)), Tool: p.Tool}
			})
		}
	case *event.Returned:
		if b.Status != "" {
			o.named(HasStatus, "has status", "tool", clip(b.Tool, 60), "status", clip(string(b.Status), 60))
		}
		o.values(b.Tool, t.data(b.Result))
	case *event.Refused:
		o.named(HasRefusal, "has refusal", "tool", clip(b.Tool, 60), "reason", line(string(b.Reason)))
	case *event.Rejected:
		o.named(HasRefusal, "has rejection", "skill", clip(b.RequestedID, 60))
	case *event.Evaluated:
		o.move(i, &b.Move)
	case *event.Finished:
		o.named(HasEnding, "has ending", "by", line(string(b.By)))
		if b.Limited {
			o.named(HasEnding, "has limit", "limit", plain.limitText(b.Limit))
		}
	case *event.Failed:
		o.named(HasEnding, "has failure", "fault", cmp.Or(line(string(b.Fault)), clip(b.Error, 60)))
	}
}

// piece counts what a model was shown.
func (o *observer) piece(p model.Part) {
	switch p.Kind {
	case model.Call, model.Thinking:
		return // what was called is counted by itself
	}
	what := contentName(content{role: p.Role, kind: p.Kind, tool: p.Tool, skill: p.Skill})
	digest := p.Piece.String()
	o.has(HasPiece, what+"\x00"+digest, func() Feature {
		return Feature{Name: say("has piece", "what", clip(what, 60), "text", clip(o.t.data(p), 60)), Piece: digest}
	})
}

func (o *observer) move(i int, m *spoor.Move) {
	if m.To != "" {
		o.named(HasSkill, "has skill", "skill", clip(m.To, 60))
	}
	ref := clip(cmp.Or(string(m.Ref), string(m.By)), 60)
	switch {
	case o.t.event(i).Iteration <= 1:
		o.named(HasStart, "has start", "to", cmp.Or(clip(m.To, 60), "nowhere"), "ref", ref)
	case m.From != m.To:
		o.named(HasHop, "has hop", "from", cmp.Or(clip(m.From, 60), "nowhere"), "to", cmp.Or(clip(m.To, 60), "nowhere"), "ref", ref)
	}
	rows := func(j *spoor.Judgement) {
		for k, c := range j.Conditions {
			cond := line(c.Cond.String())
			o.named(HasGuard, either(c.Passed, "has row", "has shut row"), "ref", clip(string(j.Ref), 60), "k", itoa(k), "cond", clip(cond, 80))
		}
	}
	if m.Guard != nil {
		rows(m.Guard)
	}
	for k := range m.Closed {
		rows(&m.Closed[k])
	}
}

// values counts what a result has at each path.
func (o *observer) values(tool, text string) {
	d := parseFlat(text)
	if d == nil || !d.nodes[0].container {
		return
	}
	paths := make([]string, min(len(d.nodes), 4*maxLeaves))
	paths[0] = "$"
	leaves := 0
	for i := 1; i < len(paths) && leaves < maxLeaves; i++ {
		n := &d.nodes[i]
		path := paths[n.parent]
		if path == "" || len(path) > 200 {
			continue // too deep to tell
		}
		if n.key < 0 {
			path += "[*]"
		} else if quoted := d.text[n.key:stringEnd(d.text, n.key)]; isName(quoted[1 : len(quoted)-1]) {
			path += "." + quoted[1:len(quoted)-1]
		} else {
			path += "[" + clip(quoted, 60) + "]"
		}
		if paths[i] = path; n.container {
			continue
		}
		leaves++
		o.value(tool, path, d.text[n.start:n.end])
	}
}

func (o *observer) value(tool, path, raw string) {
	key := featureKey{HasValue, tool + "\x00" + path}
	at := o.s.paths[key]
	if at == nil {
		if len(o.s.paths) >= maxNewFeatures {
			o.s.full = true
			return
		}
		at = &valuesAt{tool: tool, path: path, values: map[string]bool{}}
		o.s.paths[key] = at
	}
	if number, err := strconv.ParseFloat(raw, 64); err == nil {
		if most, ok := o.most[at]; !ok || number > most {
			o.most[at] = number
		}
	}
	if at.values == nil || len(raw) > 100 {
		return
	}
	id := func(value string) string { return key.id + "\x00" + value }
	if at.values[raw] = true; len(at.values) > maxDistinct {
		for value := range at.values {
			delete(o.s.features, featureKey{HasValue, id(value)})
		}
		at.values = nil
		return
	}
	o.has(HasValue, id(raw), func() Feature {
		return Feature{Name: say("has value", "tool", clip(tool, 60), "path", clip(path, 80), "value", clip(raw, 60)), Tool: tool, Path: path, Value: excerpt(raw, 0)}
	})
}

// thresholds are the features that a number of some result reaches a value.
func (at *valuesAt) thresholds() (list []*tally) {
	if len(at.most) < 2 {
		return nil
	}
	most := slices.Clone(at.most)
	slices.SortFunc(most, func(a, b mostOf) int { return cmp.Or(-cmp.Compare(a.value, b.value), cmp.Compare(a.run, b.run)) })
	distinct := 1
	for i := 1; i < len(most); i++ {
		if most[i].value != most[i-1].value {
			distinct++
		}
	}
	every := (distinct + maxThresholds - 1) / maxThresholds
	t := tally{}
	n := 0
	for i, m := range most {
		t.runs[m.set]++
		t.set.add(m.run)
		if i+1 == len(most) || most[i+1].value == m.value {
			continue
		}
		if n++; n%every != 0 {
			continue
		}
		value := strconv.FormatFloat(m.value, 'g', -1, 64)
		f := t
		f.Feature = Feature{
			Kind: HasThreshold, Tool: at.tool, Path: at.path, Value: value,
			Name: say("has threshold", "tool", clip(at.tool, 60), "path", clip(at.path, 80), "value", value),
		}
		list = append(list, &f)
	}
	return list
}

// Result ranks what has been seen so far.
func (s *Separator) Result() *Separation {
	r := &Separation{Evidence: Proxy, Good: s.runs[0], Bad: s.runs[1], Changed: s.changed, Incomplete: s.cut, LeastP: 1}
	if s.full {
		r.Unsearched = say("too many features")
	}
	if r.Good < 2 || r.Bad < 2 {
		r.NotFound = &NotFound{Kind: NotRecorded, Reason: say("too few runs", "good", counted(r.Good, "good run"), "bad", counted(r.Bad, "bad run"))}
		return r
	}
	var all runSet
	for run := range r.Good + r.Bad {
		all.add(run + 1)
	}
	groups := map[runSet]*split{}
	put := func(f *tally) {
		r.Features++
		set, other := f.set, all.less(f.set)
		g, side := groups[set], 0
		if g == nil {
			if g, side = groups[other], 1; g == nil {
				g, side = &split{runs: f.runs}, 0
				groups[set] = g
			}
		}
		g.sides[side] = append(g.sides[side], f)
	}
	for _, f := range s.features {
		put(f)
	}
	for _, at := range s.paths {
		for _, f := range at.thresholds() {
			put(f)
		}
	}
	test := newFisher(r.Good, r.Bad)
	r.LeastP = test.p(r.Bad, r.Bad)
	var list []Partition
	for _, sp := range groups {
		g := sp.group(r.Good, r.Bad)
		if test.least(g.Good+g.Bad) <= alpha {
			r.Tested++ // one that cannot come down to alpha is never called separating
		}
		if g.Good*r.Bad == g.Bad*r.Good {
			continue
		}
		g.P = test.p(g.Good+g.Bad, g.Bad)
		list = append(list, g)
	}
	slices.SortFunc(list, func(a, b Partition) int {
		return cmp.Or(cmp.Compare(a.P, b.P), -cmp.Compare(abs(a.Effect), abs(b.Effect)), -cmp.Compare(a.Effect, b.Effect),
			a.Features[0].compare(&b.Features[0]))
	})
	if len(list) == 0 {
		r.NotFound = &NotFound{Kind: NotRecorded, Reason: say("nothing separates", "features", counted(r.Features, "feature"))}
		return r
	}
	ps := make([]float64, len(list))
	for i := range list {
		ps[i] = list[i].P
	}
	for i, p := range holm(ps, r.Tested) {
		list[i].Adjusted = p
		list[i].Separates = p <= alpha
		r.Separates = r.Separates || list[i].Separates
	}
	r.Groups = list[:min(len(list), maxPartitions)]
	r.More = len(list) - len(r.Groups)
	return r
}

// A split is a way to part the runs in two, and the features of each part.
type split struct {
	runs  [2]int // good and bad ones in the first part
	sides [2][]*tally
}

// group tells a split from the side that more of the bad runs are on, if both
// have features.
func (sp *split) group(good, bad int) Partition {
	g := Partition{Good: sp.runs[0], Bad: sp.runs[1]}
	if less := g.Bad*good < g.Good*bad; less && len(sp.sides[1]) > 0 || len(sp.sides[0]) == 0 {
		g.Good, g.Bad = good-g.Good, bad-g.Bad
		sp.sides[0], sp.sides[1] = sp.sides[1], sp.sides[0]
	}
	g.Effect = float64(g.Bad)/float64(bad) - float64(g.Good)/float64(good)
	for k, list := range []*[]Feature{&g.Features, &g.Opposite} {
		side := sp.sides[k]
		slices.SortFunc(side, func(a, b *tally) int { return cmp.Or(a.compare(&b.Feature), cmp.Compare(a.id, b.id)) })
		for _, f := range side[:min(len(side), maxTies)] {
			*list = append(*list, f.Feature)
		}
		g.More += len(side) - len(*list)
	}
	return g
}

// compare puts the shortest name first; no two features compare equal, but some
// whose values are cut alike.
func (f *Feature) compare(g *Feature) int {
	return cmp.Or(cmp.Compare(len(f.Name), len(g.Name)), cmp.Compare(f.Name, g.Name), cmp.Compare(f.Piece, g.Piece),
		cmp.Compare(f.Kind, g.Kind), cmp.Compare(f.Tool, g.Tool), cmp.Compare(f.Path, g.Path), cmp.Compare(f.Value, g.Value))
}

func abs(f float64) float64 { return max(f, -f) }

func (r *Separation) String() string {
	var p page
	if r.NotFound != nil {
		p.notFound(0, r.NotFound)
		p.footnotes(r.notes()...)
		return p.String()
	}
	best := &r.Groups[0]
	name := "separates"
	switch {
	case r.LeastP > alpha:
		name = "separates few"
	case !r.Separates:
		name = "separates nothing"
	}
	p.hang(0, 2, say(name, "good", itoa(r.Good), "bad", itoa(r.Bad), "what", best.Features[0].Name, "p", short(r.LeastP), "groups", itoa(r.Tested)))
	p.put(0, say("correlation", "evidence", string(r.Evidence)))
	for i := range r.Groups {
		g := &r.Groups[i]
		p.WriteByte('\n')
		p.hang(0, 5, fmt.Sprintf("%3d  %s", i+1, g.Features[0].Name))
		p.put(5, say("shares", "good", share(g.Good, r.Good), "bad", share(g.Bad, r.Bad), "p", short(g.P), "adjusted", short(g.Adjusted)))
		shown := 1
		for _, f := range g.Features[1:min(len(g.Features), 4)] {
			p.hang(5, 9, say("tie", "what", f.Name))
			shown++
		}
		for _, f := range g.Opposite[:min(len(g.Opposite), 2)] {
			p.hang(5, 9, say("opposite", "what", f.Name))
			shown++
		}
		if more := len(g.Features) + len(g.Opposite) + g.More - shown; more > 0 {
			p.put(5, say("more ties", "n", itoa(more)))
		}
	}
	if r.More > 0 {
		p.put(0, "\n"+say("more groups", "n", itoa(r.More)))
	}
	p.footnotes(r.notes()...)
	return p.String()
}

// notes say how far the counts can be trusted.
func (r *Separation) notes() []string {
	notes := []string{r.Unsearched}
	if r.Changed > 0 {
		notes = append(notes, say("runs changed", "runs", counted(r.Changed, "run")))
	}
	if r.Incomplete > 0 {
		notes = append(notes, say("runs cut", "runs", counted(r.Incomplete, "run")))
	}
	return notes
}

func share(n, of int) string { return fmt.Sprintf("%d of %d", n, of) }

func short(f float64) string { return strconv.FormatFloat(f, 'g', 3, 64) }
