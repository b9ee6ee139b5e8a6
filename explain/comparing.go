package explain

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
)

// What a comparison looks at.
const (
	maxDifferences = 1000
	maxStepEdits   = 1000 // steps of a turn that stay alone, before it is compared one by one
)

// A compared is one of two recordings that are compared.
type compared struct {
	r     *recording.Recording
	t     *trail
	turns []int          // where they start
	sums  []model.Digest // of each event: equal for events that do not differ
	diff  []int          // of each event: the difference that it is part of; 0: none

	request []int32  // the parts of the last request of the turn
	offered []string // with it
}

func newCompared(r *recording.Recording) *compared {
	s := &compared{r: r, t: newTrail(r), sums: make([]model.Digest, len(r.Events)), diff: make([]int, len(r.Events))}
	var o outline
	for i := range r.Events {
		if _, starts := r.Events[i].Body.(*event.Started); starts {
			s.turns = append(s.turns, i)
		}
		o.Reset()
		o.event(s.t, i)
		s.sums[i] = model.Sum(o.String())
	}
	return s
}

// end is where the events of a turn end.
func (s *compared) end(turn int) int {
	if turn+1 < len(s.turns) {
		return s.turns[turn+1]
	}
	return len(s.r.Events)
}

// compareSides puts two recordings into an order that does not depend on which is
// named first; 0 means that nothing in them differs.
func compareSides(a, b *compared) int {
	return slices.CompareFunc(a.sums, b.sums, func(a, b model.Digest) int { return bytes.Compare(a[:], b[:]) })
}

// An outline is a text of an event that is equal for events which do not
// differ: without times, usage, call ids and what names another event.
type outline struct{ bytes.Buffer }

func (o *outline) text(texts ...string) {
	for _, s := range texts {
		o.Write(strconv.AppendInt(o.AvailableBuffer(), int64(len(s)), 10))
		o.WriteByte(':')
		o.WriteString(s)
	}
}

func (o *outline) json(values ...any) {
	for _, v := range values {
		o.text(jsonText(v))
	}
}

func (o *outline) parts(t *trail, parts []model.Part) {
	o.text(itoa(len(parts)))
	for _, p := range parts {
		o.text(string(p.Role), string(p.Kind), p.Tool, p.Status, p.Skill, p.Media, t.data(p))
	}
}

func (o *outline) part(t *trail, p model.Part) { o.parts(t, []model.Part{p}) }

func (o *outline) event(t *trail, i int) {
	o.text(t.event(i).Body.Kind())
	switch b := t.event(i).Body.(type) {
	case *event.Started:
		o.json(b.Machine, b.Posture, b.Continuity, b.Cursor, b.Activated, b.Hidden, b.Decider, b.MaxIterations, b.Limits)
		o.part(t, b.Message)
		o.parts(t, b.History)
		o.parts(t, b.System)
		o.text(b.Graph.Data, b.Injections.SkillsData)
		for _, body := range b.Graph.Bodies {
			o.text(body.Skill, body.Data)
		}
		for _, list := range [][]event.Passage{b.Injections.Steering, b.Injections.Facts, b.Injections.Instructions} {
			o.json(len(list))
			for _, p := range list {
				o.text(p.ID, p.When, p.Data)
			}
		}
		for _, tool := range b.Tools {
			o.text(tool.Name, tool.Data, tool.OutputData)
		}
	case *event.Asked:
		o.json(b)
	case *event.Scored:
		scores := slices.Clone(b.Scores)
		for i := range scores {
			scores[i].Score = withoutLastBits(scores[i].Score)
		}
		o.json(scores, b.Floor, b.Categorical, b.Error)
	case *event.TurnRouted:
		routed := *b
		if routed.Decider != nil {
			decided := *routed.Decider
			decided.Model = ""
			routed.Decider = &decided
		}
		routed.Scores = nil // those of the scorer, ranked
		o.json(routed)
	case *event.Replied:
		o.parts(t, b.Parts)
		o.text(string(b.Stop))
	case *event.Failed:
		o.text(string(b.Fault), b.Error)
		o.json(b.Status)
	case *event.Returned:
		o.text(b.Tool, string(b.Status))
		o.json(b.Executed, b.Effects)
		o.part(t, b.Result)
		o.parts(t, b.More)
	case *event.Needs:
		o.text(string(b.By))
		o.part(t, b.Question)
	case *event.Answered:
		o.json(b.Declined)
		o.part(t, b.Answer)
	case *event.Resumed:
		o.json(len(b.Repeat))
	case *event.Stopped:
		o.text(b.Reason)
	case *event.Evaluated:
		o.json(withoutCalls(&b.Move), b.Pick, b.Proposal, b.Declined, t.switched(i), t.superseded(i), b.Skipped)
		for _, a := range t.active[i] {
			o.text(a.Skill)
		}
		for _, n := range t.texts[i].list {
			o.text(n.ID, string(n.Via), string(n.Lease))
		}
	case *event.EffectJudged:
		o.json(b.Tool, b.Effect, b.Outcome, b.Refusal, b.SupersededBy)
		o.part(t, b.Note)
	case *event.RouteConflict:
		o.json(b.Winner.Tool, b.Winner.Target, len(b.Losers))
		o.part(t, b.Note)
	case *event.RerouteSuperseded:
		o.json(b.VolunteeredID, b.WonID, b.By, b.Source)
	case *event.Read:
		o.json(b.Skill, b.Target)
		o.part(t, b.Result)
	case *event.Rejected:
		o.json(b.RequestedID, b.CurrentSkillID, b.Posture, t.allowed(i))
		o.part(t, b.Result)
	case *event.Refused:
		o.json(b.Tool, b.Status, b.Reason)
		o.part(t, b.Result)
	case *event.Called:
		o.json(b.Purpose, b.Last, b.Limit, t.offered(i), b.Skill)
		for _, s := range b.Splices {
			o.parts(t, s.Put)
		}
		if b.Choice != nil {
			o.text(b.Choice.Name, b.Choice.Data)
		}
	case *event.Finished:
		o.json(b.By, b.Limited, b.Limit)
	case *event.Unknown:
		o.text(b.Raw)
	}
}

// withoutLastBits is a number without its last bits, which another kind of processor
// may compute otherwise.
func withoutLastBits(f float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(f, 'g', 9, 64), 64)
	if err != nil {
		return f
	}
	return r
}

// withoutCalls is a move without the ids of calls.
func withoutCalls(m *spoor.Move) spoor.Move {
	c := *m
	if m.Guard != nil {
		g := *m.Guard
		g.CallID = ""
		c.Guard = &g
	}
	c.Closed = slices.Clone(m.Closed)
	for i := range c.Closed {
		c.Closed[i].CallID = ""
	}
	if m.Conflict != nil {
		k := spoor.Conflict{Winner: m.Conflict.Winner, Losers: slices.Clone(m.Conflict.Losers)}
		k.Winner.CallID = ""
		for i := range k.Losers {
			k.Losers[i].CallID = ""
		}
		c.Conflict = &k
	}
	return c
}

// A block is what happens between two requests: what came of one, and all that
// followed up to the next. The first of a turn is what led to its first
// request. The others are the steps that are aligned.
type block struct {
	events []int             // without what only hands over, in order; results in the order of their calls
	order  map[string]int    // of the calls
	keys   map[string]string // of each call: its tool and canonical arguments
	calls  []string          // the ids
	sig    string
	weak   string
}

func (s *compared) blocks(turn int) (list []block) {
	cur := block{}
	skill := ""
	done := func() {
		cur.close(s, skill)
		list = append(list, cur)
		cur = block{}
	}
	for i := s.turns[turn]; i < s.end(turn); i++ {
		switch b := s.r.Events[i].Body.(type) {
		case *event.Late, *event.Sent, *event.Paused:
			continue
		case *event.Called:
			if !aside(b.Purpose) {
				cur.events = append(cur.events, i)
				done()
				skill = b.Skill
				continue
			}
		}
		cur.events = append(cur.events, i)
	}
	if cur.events != nil || list == nil {
		done()
	}
	return list
}

// close makes a block that has all of its events ready to be compared.
func (b *block) close(s *compared, skill string) {
	b.order, b.keys = map[string]int{}, map[string]string{}
	sig, weak := []string{skill}, []string{skill}
	var results []int // where in events they stand
	for k, i := range b.events {
		switch e := s.r.Events[i].Body.(type) {
		case *event.Replied:
			if s.t.aside[i] != "" {
				break
			}
			for _, p := range e.Parts {
				if _, twice := b.order[p.Call]; p.Kind != model.Call || twice {
					continue
				}
				b.order[p.Call] = len(b.calls)
				b.calls = append(b.calls, p.Call)
				b.keys[p.Call] = p.Tool + "\x00" + canonical(s.t.data(p))
				sig, weak = append(sig, b.keys[p.Call]), append(weak, p.Tool)
			}
		case *event.Returned:
			results = append(results, k)
		case *event.Failed, *event.Stopped:
			if k == 0 {
				sig, weak = append(sig, e.Kind()), append(weak, e.Kind())
			}
		}
	}
	if len(results) > 1 {
		sorted := make([]int, len(results))
		for n, k := range results {
			sorted[n] = b.events[k]
		}
		slices.SortStableFunc(sorted, func(i, j int) int {
			return cmp.Compare(b.order[callOf(s.r.Events[i].Body)], b.order[callOf(s.r.Events[j].Body)])
		})
		for n, k := range results {
			b.events[k] = sorted[n]
		}
	}
	b.sig, b.weak = strings.Join(sig, "\x01"), strings.Join(weak, "\x01")
}

// A content is a part as it counts in a request.
type content struct {
	role               model.Role
	kind               model.Kind
	tool, status       string
	skill, media, data string
}

// A comparing is a comparison under way.
type comparing struct {
	side  [2]*compared
	list  []Difference
	full  bool // there is no room for more
	ended bool // one of the two was cut, and has no more

	ids   map[content]int32
	parts []content     // by its id
	delta map[int32]int // parts that one request has and the other has not: how many more A has
	owner map[int32]int // of a part: the difference that brought it

	begun    []int                // the differences of what this turn begins with
	known    map[string]int       // those of all turns, by what they say
	schema   map[string]int       // by tool
	results  map[model.Digest]int // by the call and its two results: the first such difference
	offers   int                  // the difference since which other tools are offered
	offering string               // what was offered then
	loose    bool                 // some turn was too much to align
	called   int                  // a difference since which other calls reached their tools; 0: none
}

func newComparing(a, b *compared) *comparing {
	return &comparing{
		side: [2]*compared{a, b}, ids: map[content]int32{}, delta: map[int32]int{}, owner: map[int32]int{},
		known: map[string]int{}, schema: map[string]int{}, results: map[model.Digest]int{},
	}
}

const none = -1 // an event that one side has not

func (c *comparing) compare() {
	a, b := c.side[0], c.side[1]
	for k := range min(len(a.turns), len(b.turns)) {
		if c.turn(k); c.over() || c.ends(k) {
			return
		}
	}
	for s, side := range c.side {
		other := c.side[1-s]
		for k := len(other.turns); k < len(side.turns) && !c.full; k++ {
			at := both{none, none}
			at[s] = side.turns[k]
			d := c.newDifference(Person, at)
			d.Place = "message"
			[]*Seen{d.A, d.B}[s].Events = side.end(k) - side.turns[k]
			n := c.add(d, nil, "")
			for i := side.turns[k]; i < side.end(k); i++ {
				side.diff[i] = n
			}
		}
	}
}

// ends reports whether one of the two was cut in a turn, and has no more.
func (c *comparing) ends(turn int) bool {
	for s, side := range c.side {
		if turn == len(side.turns)-1 && side.r.Incomplete() && len(c.side[1-s].turns) > turn+1 && side.r.Waiting() == nil {
			c.cut(s, turn)
			return true
		}
	}
	return false
}

// cut adds that a recording ends.
func (c *comparing) cut(s, turn int) {
	at := both{none, none}
	at[s] = len(c.side[s].r.Events) - 1
	d := c.newDifference(Cut, at)
	d.Turn = turn + 1
	c.add(d, nil, "")
	c.ended = true
}

// turn compares a turn that both have.
func (c *comparing) turn(turn int) {
	a, b := c.side[0], c.side[1]
	clear(c.delta)
	c.begun, c.offers, c.offering = nil, 0, ""
	clear(c.schema)
	for _, s := range c.side {
		s.request, s.offered = s.request[:0], nil
	}
	x, y := a.blocks(turn), b.blocks(turn)
	c.blockPair(&x[0], &y[0], turn, len(x) == 1, len(y) == 1)
	steps := c.steps(x, y)
	for _, p := range steps {
		switch {
		case c.over():
			return
		case p.alone:
			c.blockAlone(x, y, p, turn)
		default:
			c.blockPair(&x[p.a], &y[p.b], turn, p.a == len(x)-1, p.b == len(y)-1)
		}
	}
}

// A step is a pair of blocks. If it is alone, one side has the block, and the
// other stands before its own block of that index.
type step struct {
	a, b  int
	alone bool
	side  int
}

// steps aligns the blocks behind the first: equal ones, between them those in
// the same skill that call the same tools, and between them the rest in order.
func (c *comparing) steps(x, y []block) (list []step) {
	ids := map[string]int32{}
	number := func(blocks []block, sig func(*block) string) []int32 {
		list := make([]int32, len(blocks))
		for i := range blocks {
			s := sig(&blocks[i])
			if _, ok := ids[s]; !ok {
				ids[s] = int32(len(ids))
			}
			list[i] = ids[s]
		}
		return list
	}
	exact, full := align(number(x[1:], func(b *block) string { return b.sig }), number(y[1:], func(b *block) string { return b.sig }), maxStepEdits)
	c.loose = c.loose || !full
	clear(ids)
	weakX, weakY := number(x[1:], func(b *block) string { return b.weak }), number(y[1:], func(b *block) string { return b.weak })
	var pairs []pair
	i, j := 0, 0
	for _, p := range append(exact, pair{len(x) - 1, len(y) - 1}) {
		near, _ := align(weakX[i:p.a], weakY[j:p.b], maxStepEdits)
		for _, q := range near {
			pairs = append(pairs, pair{i + q.a, j + q.b})
		}
		if p.a < len(x)-1 {
			pairs = append(pairs, p)
		}
		i, j = p.a+1, p.b+1
	}
	i, j = 0, 0
	for _, p := range append(pairs, pair{len(x) - 1, len(y) - 1}) {
		for ; i < p.a && j < p.b; i, j = i+1, j+1 {
			list = append(list, step{a: i + 1, b: j + 1})
		}
		for ; i < p.a; i++ {
			list = append(list, step{a: i + 1, b: j + 1, alone: true, side: 0})
		}
		for ; j < p.b; j++ {
			list = append(list, step{a: i + 1, b: j + 1, alone: true, side: 1})
		}
		if p.a < len(x)-1 {
			list = append(list, step{a: p.a + 1, b: p.b + 1})
		}
		i, j = p.a+1, p.b+1
	}
	return list
}

// A both is an event of each side, or one of one side.
type both [2]int

// blockPair compares two blocks event by event. What one of them has alone
// between two events that both have is one difference.
func (c *comparing) blockPair(x, y *block, turn int, lastX, lastY bool) {
	list := c.match(x, y)
	for k := 0; k < len(list) && !c.over(); {
		if list[k][0] != none && list[k][1] != none {
			c.events(list[k])
			k++
			continue
		}
		end := k
		for end < len(list) && (list[end][0] == none || list[end][1] == none) {
			end++
		}
		c.alone(list[k:end], turn, [2]bool{lastX && end == len(list), lastY && end == len(list)})
		k = end
	}
}

// match pairs the events of two blocks. The list is in the order of the first;
// what only the second has stands before what follows it there.
func (c *comparing) match(x, y *block) (list []both) {
	calls := pairCalls(x, y)
	keys := [2][]string{c.side[0].keysOf(x, calls[0]), c.side[1].keysOf(y, calls[1])}
	inX, inY := make(map[string]bool, len(keys[0])), make(map[string]int, len(keys[1]))
	for _, key := range keys[0] {
		inX[key] = true
	}
	for k, key := range keys[1] {
		inY[key] = k
	}
	next := 0 // of y: what stands before it is in the list, or will be with its partner
	upTo := func(end int) {
		for ; next < end; next++ {
			if !inX[keys[1][next]] {
				list = append(list, both{none, y.events[next]})
			}
		}
	}
	for k, i := range x.events {
		j, ok := inY[keys[0][k]]
		if !ok {
			list = append(list, both{i, none})
			continue
		}
		upTo(j)
		list = append(list, both{i, y.events[j]})
	}
	upTo(len(y.events))
	return list
}

// pairCalls names the calls of two blocks so that a call and its partner have
// one name: the same call, else one of the same tool.
func pairCalls(x, y *block) (names [2]map[string]string) {
	names = [2]map[string]string{{}, {}}
	pairUp := func(key func(b *block, call string) string) {
		open := map[string][]string{}
		for _, call := range y.calls {
			if names[1][call] == "" {
				open[key(y, call)] = append(open[key(y, call)], call)
			}
		}
		for _, call := range x.calls {
			k := key(x, call)
			if list := open[k]; names[0][call] == "" && len(list) > 0 {
				names[0][call], names[1][list[0]] = "="+call, "="+call
				open[k] = list[1:]
			}
		}
	}
	pairUp(func(b *block, call string) string { return b.keys[call] })
	pairUp(func(b *block, call string) string {
		tool, _, _ := strings.Cut(b.keys[call], "\x00")
		return tool
	})
	for s, b := range []*block{x, y} {
		for _, call := range b.calls {
			if names[s][call] == "" {
				names[s][call] = itoa(s) + call
			}
		}
	}
	return names
}

// keysOf names each event of a block by what it is about.
func (s *compared) keysOf(b *block, calls map[string]string) []string {
	keys := make([]string, len(b.events))
	seen := map[string]int{}
	for k, i := range b.events {
		body := s.r.Events[i].Body
		key := body.Kind()
		call := callOf(body)
		if name, ok := calls[call]; ok {
			call = name
		}
		switch body := body.(type) {
		case *event.Returned, *event.Refused, *event.Read, *event.Rejected:
			key = "answer"
		case *event.RerouteSuperseded:
			key += string(body.Source)
		case *event.Replied, *event.Failed:
			key, call = "reply", string(s.t.aside[i])
		case *event.Stopped:
			if k == 0 {
				key = "reply"
			}
		}
		key += "\x00" + call
		seen[key]++
		keys[k] = key + "\x00" + itoa(seen[key])
	}
	return keys
}

// id numbers a part by what it is in a request.
func (c *comparing) id(s int, p model.Part) int32 {
	key := content{p.Role, p.Kind, p.Tool, p.Status, p.Skill, p.Media, c.side[s].t.data(p)}
	id, ok := c.ids[key]
	if !ok {
		id = int32(len(c.parts))
		c.ids[key], c.parts = id, append(c.parts, key)
	}
	return id
}

// splice changes the request of a side, and returns the parts that came and
// went.
func (c *comparing) splice(s int, b *event.Called) (touched []int32) {
	side := c.side[s]
	count := func(id int32, n int) {
		if s == 1 {
			n = -n
		}
		if c.delta[id] += n; c.delta[id] == 0 {
			delete(c.delta, id)
		}
		touched = append(touched, id)
	}
	for _, sp := range b.Splices {
		at, end := spliced(sp, len(side.request))
		put := make([]int32, len(sp.Put))
		for k, p := range sp.Put {
			put[k] = c.id(s, p)
			count(put[k], 1)
		}
		for _, id := range side.request[at:end] {
			count(id, -1)
		}
		side.request = slices.Replace(side.request, at, end, put...)
	}
	return touched
}

// own says which difference brought parts, unless an earlier one did.
func (c *comparing) own(n int, ids ...int32) {
	for _, id := range ids {
		if c.owner[id] == 0 {
			c.owner[id] = n
		}
	}
}

// brought are the parts that an event brings.
func (c *comparing) brought(s, i int) (ids []int32) {
	add := func(parts ...model.Part) {
		for _, p := range parts {
			if p.Kind != "" {
				ids = append(ids, c.id(s, p))
			}
		}
	}
	switch b := c.side[s].r.Events[i].Body.(type) {
	case *event.Replied:
		add(b.Parts...)
	case *event.Returned:
		add(b.Result)
		add(b.More...)
	case *event.Refused:
		add(b.Result)
	case *event.Read:
		add(b.Result)
	case *event.Rejected:
		add(b.Result)
	case *event.EffectJudged:
		add(b.Note)
	case *event.RouteConflict:
		add(b.Note)
	case *event.RerouteSuperseded:
		add(b.Note)
	}
	return ids
}

// take makes events part of a difference, which owns what one side brings more
// of than the other.
func (c *comparing) take(n int, at both) {
	count := map[int32]int{}
	for s, i := range at {
		if i == none {
			continue
		}
		c.side[s].diff[i] = n
		for _, id := range c.brought(s, i) {
			count[id] += 1 - 2*s
		}
	}
	for id, more := range count {
		if more != 0 {
			c.own(n, id)
		}
	}
}

// because are the differences that an event follows from by its links. What
// only hands over is passed through.
func (c *comparing) because(s, i int) (from []int) {
	if i == none {
		return nil
	}
	side := c.side[s]
	links := func(i int, yield func(j int)) {
		for _, seq := range side.t.event(i).Because {
			if j, ok := side.t.at[seq]; ok && j < i && side.t.turn[j] == side.t.turn[i] {
				yield(j)
			}
		}
	}
	add := func(j int) {
		if n := side.diff[j]; n != 0 && !slices.Contains(from, n) {
			from = append(from, n)
		}
	}
	links(i, func(j int) {
		switch add(j); side.t.event(j).Body.(type) {
		case *event.Sent, *event.Paused:
			links(j, add)
		}
	})
	return from
}

// linked is because for both sides.
func (c *comparing) linked(at both) []int {
	return append(c.because(0, at[0]), c.because(1, at[1])...)
}

// asked are the differences that the last requests of the two sides hold. Same
// says that the requests are identical: their parts, the tools offered, and
// what was told of these.
func (c *comparing) asked() (from []int, same bool) {
	a, b := c.side[0], c.side[1]
	same = len(c.delta) == 0 && slices.Equal(a.request, b.request)
	for id := range c.delta {
		if n := c.owner[id]; n != 0 {
			from = append(from, n)
		}
	}
	if !slices.Equal(a.offered, b.offered) {
		same = false
		if c.offers != 0 {
			from = append(from, c.offers)
		}
	}
	for _, list := range [][]string{a.offered, b.offered} {
		for _, name := range list {
			if n := c.schema[name]; n != 0 {
				same, from = false, append(from, n)
			}
		}
	}
	if !same && from == nil && len(c.list) > 0 {
		from = []int{len(c.list)} // the same parts in another order
	}
	return from, same
}

// newDifference is a difference of a class at events of the two sides.
func (c *comparing) newDifference(class Class, at both) Difference {
	d := Difference{Class: class, Evidence: Fact}
	for s, i := range at {
		if i != none {
			d.Turn = 1 + max(0, indexOf(c.side[s].turns, c.side[s].t.turn[i]))
			c.seen(&d, s, i)
		}
	}
	return d
}

func indexOf(sorted []int, v int) int {
	i, _ := slices.BinarySearch(sorted, v)
	return i
}

// seen puts in what a side has of a difference.
func (c *comparing) seen(d *Difference, s, i int) *Seen {
	t := c.side[s].t
	e := t.event(i)
	seen := &Seen{Event: e.Seq, Iteration: e.Iteration, Kind: e.Body.Kind(), Call: callOf(e.Body)}
	skip := 0
	switch b := e.Body.(type) {
	case *event.Replied:
		seen.Model, skip = b.Model, len(b.Attempts)
	case *event.Failed:
		skip = len(b.Attempts)
	case *event.Stopped:
		skip = len(b.Attempts)
	case *event.Evaluated:
		seen.Skill = b.Move.To
	}
	if a, ok := t.asks[i]; ok {
		seen.Tool, seen.Arguments = a.part.Tool, excerpt(t.data(a.part), 0)
	}
	var told []string
	for _, l := range t.told(i)[skip:] {
		if l.Depth == 0 && len(told) < 4 {
			told = append(told, l.Text)
		}
	}
	if seen.Text = strings.Join(told, "; "); seen.Kind == (event.Evaluated{}).Kind() {
		m := t.move(i)
		seen.Text = moveText(m, t.mapOf(i).label(m.Ref), t.fired(i))
	}
	if s == 0 {
		d.A = seen
	} else {
		d.B = seen
	}
	return seen
}

// add lists a difference that follows from others, and returns its number.
func (c *comparing) add(d Difference, from []int, link Evidence) int {
	if len(c.list) == maxDifferences {
		c.full = true
		return maxDifferences
	}
	d.Number = len(c.list) + 1
	slices.Sort(from)
	from = slices.Compact(from)
	roots := map[int]bool{}
	for _, n := range from {
		for _, root := range c.list[n-1].Roots {
			roots[root] = true
		}
	}
	d.Origin, d.Link = Independent, link
	if len(from) > 0 {
		d.From, d.Link = from, cmp.Or(link, Derived)
		d.Roots = slices.Sorted(maps.Keys(roots))
		if roots[1] {
			d.Origin = Caused
		}
	} else {
		d.Roots = []int{d.Number}
	}
	if d.Number == 1 {
		d.Origin, d.Link = FirstOne, ""
	}
	const most = 12
	d.From, d.Roots = d.From[:min(len(d.From), most)], d.Roots[:min(len(d.Roots), most)]
	c.list = append(c.list, d)
	return d.Number
}
