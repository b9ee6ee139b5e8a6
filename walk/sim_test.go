package walk_test

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
)

// The simulation of the machine. A seed is a random map and a world in which
// everything happens that can; a few conversations are walked, and after every
// event the laws of sim_laws_test.go are held against it.
//
//	sim_map_test.go     random maps, and what they say as the laws read them
//	sim_host_test.go    the host: models, scorers, tools, persons, deaths
//	sim_ledger_test.go  what the events add up to, by rules of its own
//	sim_laws_test.go    the laws
//	mutants_test.go     for each law a machine that breaks it
//	laws_test.go        the laws of prefixes
//
// These variables choose what runs:
//
//	SPOOR_SIM_SEED   the first seed; others follow, one by one
//	SPOOR_SIM_TURNS  how many turns are walked
//	SPOOR_SIM_BREAK  the law or the mutant that the machine is to break
//
// A failure prints the seed and the command that repeats it.

// turnsPerSeed is how long one map is walked.
const turnsPerSeed = 20

// TestSimulation drives the machine and holds the laws.
func TestSimulation(t *testing.T) {
	first := number(t, "SPOOR_SIM_SEED", 1)
	turns := 4000
	if raced {
		turns = 1000
	}
	turns = number(t, "SPOOR_SIM_TURNS", turns)
	var mu *mutant
	if name := os.Getenv("SPOOR_SIM_BREAK"); name != "" {
		if mu = mutantOf(name); mu == nil {
			t.Fatalf("SPOOR_SIM_BREAK: nothing breaks %q; go test -v lists what there is", name)
		}
	}
	if testing.Verbose() {
		listNames(t)
	}
	began := time.Now()
	sum, broken := simulate(uint64(first), turns, mu)
	if broken != nil {
		t.Fatal(broken)
	}
	if turns >= 100_000 || os.Getenv("SPOOR_SIM_TURNS") != "" {
		fmt.Printf("simulation: seeds %d to %d, %d turns, %d iterations in %s\n%s",
			first, first+(turns-1)/turnsPerSeed, turns, sum["iterations"], time.Since(began).Round(time.Millisecond), sum.table())
	} else {
		t.Logf("%d turns, %d iterations\n%s", turns, sum["iterations"], sum.table())
	}
	if turns < 20_000 {
		return // too few to reach everything
	}
	for _, name := range reached {
		if sum[name] == 0 {
			t.Errorf("%s: the simulation never came there", name)
		}
	}
}

// listNames shows the laws, and the names for SPOOR_SIM_BREAK.
func listNames(t *testing.T) {
	for _, law := range laws {
		t.Logf("law %s: %s", law.name, law.doc)
	}
	for _, mu := range mutants {
		t.Logf("SPOOR_SIM_BREAK=%s breaks %s: %s", mu.name, mu.law, mu.doc)
	}
}

// TestASeedIsOneRun holds that a seed gives the same bytes each time.
func TestASeedIsOneRun(t *testing.T) {
	for seed := range uint64(10) {
		var runs [2][]string
		for i := range runs {
			w, err := newHost(seed, nil)
			if err != nil {
				t.Fatal(err)
			}
			for range 5 {
				w.turn()
				runs[i] = append(runs[i], lines(w.events)...)
			}
		}
		if !slices.Equal(runs[0], runs[1]) {
			t.Errorf("seed %d gives two runs", seed)
		}
	}
}

func number(t *testing.T, name string, otherwise int) int {
	v := os.Getenv(name)
	if v == "" {
		return otherwise
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 {
		t.Fatalf("%s: %q is no number", name, v)
	}
	return n
}

// A broken is a seed in which a law does not hold.
type broken struct {
	seed       uint64
	turn       int // from 1
	iterations int // of the simulation, until then
	failure
	last []event.Event
	mu   *mutant
}

func (b *broken) Error() string {
	var s strings.Builder
	fmt.Fprintf(&s, "seed %d, turn %d breaks the law %s, after %d iterations\n", b.seed, b.turn, b.law, b.iterations)
	for _, law := range laws {
		if law.name == b.law {
			fmt.Fprintf(&s, "    %s\n", law.doc)
		}
	}
	s.WriteString(b.what + "\n\nThe last events:\n")
	for _, e := range b.last {
		for row := range strings.Lines(show(e) + "\n") {
			s.WriteString(shortened(row))
		}
	}
	if b.event != nil {
		fmt.Fprintf(&s, "\nThe event: %s\n", line(b.event))
	}
	breaks := ""
	if b.mu != nil {
		breaks = " SPOOR_SIM_BREAK=" + b.mu.name
	}
	fmt.Fprintf(&s, "\nRepeat it with\n    SPOOR_SIM_SEED=%d SPOOR_SIM_TURNS=%d%s go test ./walk -run '^TestSimulation$' -count=1\n", b.seed, b.turn, breaks)
	return s.String()
}

// shortened is a line, cut where nobody reads on.
func shortened(row string) string {
	if len(row) > 200 {
		return row[:200] + "…\n"
	}
	return row
}

// simulate walks turns, from a seed on, on every processor. What it returns is
// the same on any number of them.
func simulate(first uint64, turns int, mu *mutant) (stats, *broken) {
	defer debug.SetGCPercent(debug.SetGCPercent(800)) // what lives is little
	seeds := (turns + turnsPerSeed - 1) / turnsPerSeed
	var mutex sync.Mutex
	var found *broken
	sum := stats{}
	iterations := make([]int, seeds)
	next := 0
	take := func() (i int, ok bool) {
		mutex.Lock()
		defer mutex.Unlock()
		i, ok = next, next < seeds && found == nil
		next++
		return i, ok
	}
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i, ok := take(); ok; i, ok = take() {
				s, b := walkSeed(first+uint64(i), min(turnsPerSeed, turns-i*turnsPerSeed), mu)
				mutex.Lock()
				iterations[i] = s["iterations"]
				sum.add(s)
				if b != nil && (found == nil || b.seed < found.seed) {
					found = b
				}
				mutex.Unlock()
			}
		})
	}
	group.Wait()
	if found != nil {
		found.iterations = 0
		for _, n := range iterations[:found.seed-first+1] {
			found.iterations += n
		}
	}
	return sum, found
}

// sampled is how many turns there are to one that is held to the laws of
// prefixes.
const sampled = 150

// The laws that compare what two processes make of one turn. A mutant that
// breaks another law is not held to them: they would catch it now and then,
// before the law does.
const ofDeaths = "a-step-can-be-finished"

var ofPrefixes = []string{"the-same-outcomes-give-the-same-bytes", "a-turn-ends-from-anywhere"}

// walkSeed walks the turns of one seed.
func walkSeed(seed uint64, turns int, mu *mutant) (s stats, b *broken) {
	w, err := newHost(seed, mu)
	if err != nil {
		return stats{}, &broken{seed: seed, failure: failure{law: "a-random-map-compiles", what: err.Error()}}
	}
	turn := 0
	defer func() {
		s = w.stats
		p := recover()
		if p == nil {
			return
		}
		f, ok := p.(*failure)
		if !ok {
			f = &failure{law: "the-machine-does-not-panic", what: fmt.Sprintf("%v\n%s", p, debug.Stack())}
		}
		b = &broken{seed: seed, turn: turn, failure: *f, mu: mu, last: w.events[max(0, len(w.events)-10):]}
	}()
	every := uint64(sampled)
	if mu != nil {
		every = 10 // there are few turns until it is caught
	}
	for turn = 1; turn <= turns; turn++ {
		w.turn()
		if (seed*turnsPerSeed+uint64(turn))%every == 0 && (mu == nil || slices.Contains(ofPrefixes, mu.law)) {
			w.derived = -1 << 30
			w.stats["turns at every prefix"]++
			if law, what := prefixLaws(func(int) (machine, error) { return w.machine, nil }, w.events); law != "" {
				w.fail(law, "%s", what)
			}
		}
	}
	return w.stats, nil
}

// Stats count what a simulation came by.
type stats map[string]int

func (s stats) add(o stats) {
	for name, n := range o {
		s[name] += n
	}
}

func (s stats) table() string {
	names := slices.Clone(reached)
	for name := range s {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range slices.Compact(names) {
		fmt.Fprintf(&b, "%10d  %s\n", s[name], name)
	}
	return b.String()
}

// reached is what a simulation of some length must come by.
var reached = []string{
	"iterations", "turns", "turns at every prefix", "model calls",
	"move by entry", "move by intent", "move by continuity", "move by decider", "move by route", "move by tool-proposal",
	"move by model-pick", "move by stay", "move by none", "moves to another place",
	"start by entry", "start by intent", "start by continuity", "start by decider", "start by menu", "start by none", "start dropped",
	"start by a near tie without the incumbent", "menu with stay", "menu of an unmatched turn", "menu closed",
	"decider: a skill", "decider: stay", "decider: none of them", "decider: an error",
	"asked to classify", "asked to decide", "asked a scorer", "scorer failed",
	"step with a guard", "guard that refused", "condition that failed", "conflict of results",
	"pauses", "answers", "declines", "questions by tool", "questions by policy", "pauses over processes", "calls made again", "stops in a pause",
	"kills", "resumes", "resumes after hours", "lost calls",
	"loser: pick", "loser: proposal", "loser: step",
	"effect propose-transition accepted", "effect propose-transition refused", "effect propose-transition superseded",
	"effect require-instruction accepted", "effect require-instruction refused", "effect other refused",
	"instruction by rule", "instruction by lease next-call", "instruction by lease until-skill-exit",
	"read hop", "read open", "read self", "read that delivers a body",
	"rejected: reach", "rejected: guard", "rejected: rails",
	"refused: unoffered", "refused: budget", "refused: lost", "refused: cut", "refused: declined",
	"end by answer", "end by stopped", "end by failed", "late", "hidden turns",
	"limit model-calls", "limit tool-calls", "limit tokens", "limit cost", "limit price", "limit time", "limit ping-pong", "limit refusals",
	"last call model-calls", "last call tool-calls", "last call tokens", "last call cost", "last call time", "last call ping-pong", "last call refusals",
}

// count counts what an event is.
func (l *ledger) count(e *event.Event) {
	s := l.stats
	switch b := e.Body.(type) {
	case *event.Started:
		if len(b.Hidden) > 0 {
			s["hidden turns"]++
		}
	case *event.Asked:
		s["asked a scorer"]++
	case *event.TurnRouted:
		l.countStart(b)
	case *event.Evaluated:
		l.countMove(b)
	case *event.RouteConflict:
		s["conflict of results"]++
		s["loser: step"] += len(b.Losers)
	case *event.RerouteSuperseded:
		if b.Source == spoor.ByProposal {
			s["loser: proposal"]++
		} else {
			s["loser: pick"]++
		}
	case *event.EffectJudged:
		s["effect "+string(b.Effect.Kind)+" "+string(b.Outcome)]++
	case *event.Read:
		s["read "+string(b.Target)]++
		if p := l.c.spots[b.Skill]; p != nil && b.Result.Data == p.skill.Body {
			s["read that delivers a body"]++
		}
	case *event.Rejected:
		if b.Posture == "" {
			s["rejected: reach"]++
		} else {
			s["rejected: "+string(b.Posture)]++
		}
	case *event.Called:
		s["model calls"]++
		if b.Purpose != model.Answer {
			s["asked to "+string(b.Purpose)]++
		}
		if b.Limit != "" {
			s["last call "+string(b.Limit)]++
		}
	case *event.Sent:
		for _, id := range b.Calls {
			if c := l.call(id); c != nil && c.sent > 0 {
				s["calls made again"]++
			}
		}
	case *event.Needs:
		s["questions by "+string(b.By)]++
	case *event.Paused:
		s["pauses"]++
	case *event.Answered:
		if b.Declined {
			s["declines"]++
		} else {
			s["answers"]++
		}
	case *event.Refused:
		s["refused: "+string(b.Reason)]++
		if b.Reason == event.Lost {
			s["lost calls"]++
		}
	case *event.Resumed:
		s["resumes"]++
	case *event.Stopped:
		if l.waits == forPerson {
			s["stops in a pause"]++
		}
	case *event.Late:
		s["late"]++
	case *event.Finished:
		s["end by "+string(b.By)]++
		if b.Limit != "" {
			s["limit "+string(b.Limit)]++
		}
	}
}

func (l *ledger) countStart(b *event.TurnRouted) {
	s := l.stats
	switch {
	case b.By != "":
		s["start by "+string(b.By)]++
	case b.Dropped != "":
	}
	if b.Dropped != "" {
		s["start dropped"]++
	}
	if b.Error != "" {
		s["scorer failed"]++
	}
	if b.By == spoor.ByMenu {
		if b.Stay {
			s["menu with stay"]++
		}
		if b.Scores != nil && len(b.Scores.Offered) == 0 {
			s["menu of an unmatched turn"]++
		}
	}
	if l.starts().near {
		s["start by a near tie without the incumbent"]++
	}
	switch d := b.Decider; {
	case d == nil:
	case d.Error != "":
		s["decider: an error"]++
	case d.Stay:
		s["decider: stay"]++
	case d.Picked != "":
		s["decider: a skill"]++
	default:
		s["decider: none of them"]++
	}
}

func (l *ledger) countMove(b *event.Evaluated) {
	s := l.stats
	s["iterations"]++
	s["move by "+string(b.Move.By)]++
	if b.Move.To != b.Move.From {
		s["moves to another place"]++
	}
	if b.Move.Guard != nil {
		s["step with a guard"]++
	}
	if len(b.Move.Closed) > 0 {
		s["guard that refused"]++
	}
	if len(b.Move.Failed) > 0 {
		s["condition that failed"]++
	}
	if l.menuOpen && (b.Pick != "" || l.iteration > 0 && b.Move.To != b.Move.From) {
		s["menu closed"]++
	}
	for _, n := range b.Instructions {
		if n.Via == spoor.ViaRule {
			s["instruction by rule"]++
		} else {
			s["instruction by lease "+string(n.Lease)]++
		}
	}
}
