package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/score"
	"github.com/spoorhq/spoor/tool"
)

var fixedSeed = flag.Uint64("seed", 0, "the seed of the tests that go by chance; 0 takes any")

// killDir names the folder of a process that TestKill starts: this test binary,
// as an agent.
const killDir = "SPOOR_TEST_KILL_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(killDir); dir != "" {
		if err := victim(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// seedOf is what a test goes by.
func seedOf(t *testing.T) uint64 {
	seed := *fixedSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-seed %d", seed)
	return seed
}

// A deed is one line of the file that stands for the world: a tool notes there
// that it is about to act, and that it has.
type deed struct {
	Call, Tool, At string
}

// end is what a process that was not killed says last.
type end struct{ Answer, Question string }

// victim goes on with the turn in the folder, or begins it. It writes a byte to
// its standard output wherever it might be killed: around every question to a
// scorer or a model, and before, in and after every deed.
func victim(dir string) error {
	here := func() { os.Stdout.Write([]byte{'.'}) }
	deeds, err := os.OpenFile(filepath.Join(dir, "deeds"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	do := func(call, name string) error {
		for _, at := range []string{"before", "after"} {
			here()
			line, _ := json.Marshal(deed{call, name, at})
			if _, err := deeds.Write(append(line, '\n')); err != nil {
				return err
			}
			if err := deeds.Sync(); err != nil {
				return err
			}
		}
		here()
		return nil
	}
	acts := func(name string, again, asks bool) tool.Tool {
		return tool.Tool{Name: name, Repeatable: again, Call: func(ctx context.Context, args string) (tool.Result, error) {
			here()
			defer here()
			var a struct{ Call string }
			if err := json.Unmarshal([]byte(args), &a); err != nil {
				return tool.Result{}, err
			}
			said, ok := tool.Answer(ctx)
			if asks && !ok {
				return tool.Result{}, &tool.Question{Text: "May I, " + a.Call + "?"}
			}
			if err := do(a.Call, name); err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: fmt.Sprintf("%s of %s %s", name, a.Call, said)}, nil
		}}
	}
	m, err := killMap()
	if err != nil {
		return err
	}
	store := &recording.Folder{Dir: filepath.Join(dir, "runs")}
	a, err := agent.New(agent.Config{
		Map: m, Store: store, Sync: agent.SyncEffects, Log: quiet,
		Injections: spoor.Injections{Skills: []spoor.AgentSkill{{Skill: spoor.Skill{ID: "help", Description: "How this works.", Body: "Ask."}}}},
		Model:      hooked{here, killActs}, Decider: hooked{here, acts2{}},
		Scorers: map[string]score.Scorer{"judge": judge(func(_ context.Context, q score.Query) (list []score.Score, err error) {
			here()
			defer here()
			for _, c := range q.Candidates {
				list = append(list, score.Score{ID: c.ID, Score: 0.5})
			}
			return list, nil
		})},
		Tools: []tool.Tool{acts("look", true, false), acts("pay", false, false), acts("ask", false, true)},
	})
	if err != nil {
		return err
	}
	run, err := goOn(a, store)
	if err != nil {
		return err
	}
	e := end{Answer: run.Answer}
	if run.Question != nil {
		e.Question = run.Question.Text
	}
	return json.NewEncoder(os.Stdout).Encode(e)
}

// goOn does what a program does that finds a folder: it goes on with the last
// run, with an answer if it waits for one, or begins it.
func goOn(a *agent.Agent, store *recording.Folder) (*agent.Run, error) {
	path, err := store.Find("last")
	if err != nil {
		return a.Run(context.Background(), "hello")
	}
	rec, err := recording.Open(path)
	if err != nil {
		return nil, err
	}
	var said *agent.Answer
	if rec.Waiting() != nil {
		said = &agent.Answer{Text: "gladly"}
	}
	run, err := a.Resume(context.Background(), rec, said)
	switch {
	case err == nil:
		return run, nil
	case strings.Contains(err.Error(), "before its turn began"):
		return a.Run(context.Background(), "hello")
	case strings.Contains(err.Error(), "has come to its end"):
		return &agent.Run{Recording: rec, Answer: rec.Answer()}, nil
	}
	return nil, err
}

func killMap() (*spoor.Map, error) {
	m := new(spoor.Map)
	return m, json.Unmarshal([]byte(`{
		"skills": [
			{"id": "desk", "description": "Where all begin.", "body": "Pay.", "tools": ["pay", "ask"]},
			{"id": "lounge", "description": "Where some begin.", "body": "Wait."},
			{"id": "door", "description": "Where all end.", "body": "Look.", "tools": ["look"]}],
		"start": {"classify": "judge", "rules": [
			{"use": "desk", "match": {"intent": "to pay", "examples": ["a bill"]}},
			{"use": "lounge", "match": {"intent": "to wait", "examples": ["a seat"]}}]},
		"steps": [{"from": "desk", "to": "door"}]}`), m)
}

// killActs is the turn that is killed: two iterations of calls, of which one
// asks a person and two read a skill, one more call, and an answer.
var killActs = acts{
	{`look {"call":"i1.1"}`, `pay {"call":"i1.2"}`, `ask {"call":"i1.3"}`, `read_skill {"id":"help"}`, `look {"call":"i1.5"}`},
	{`pay {"call":"i2.1"}`, `read_skill {"id":"door"}`, `ask {"call":"i2.3"}`},
	{`look {"call":"i3.1"}`},
}

// acts2 decides for the desk.
type acts2 struct{}

func (acts2) Call(context.Context, *model.Request, func(model.Delta)) (model.Reply, error) {
	return act(`choose {"id":"desk"}`), nil
}

// hooked is a model that says where it is, and ends with all that it was told.
type hooked struct {
	here func()
	model.Model
}

func (h hooked) Call(ctx context.Context, r *model.Request, emit func(model.Delta)) (model.Reply, error) {
	h.here()
	defer h.here()
	if r.Iteration <= len(killActs) || r.Purpose != model.Answer {
		return h.Model.Call(ctx, r, emit)
	}
	var all []string
	for _, p := range r.Parts {
		if p.Kind == model.Result {
			all = append(all, p.Call+": "+p.Data)
		}
	}
	return act("say " + strings.Join(all, "\n")), nil
}

const whatKillActsComeTo = `i1.1: look of i1.1 
i1.2: pay of i1.2 
i1.3: ask of i1.3 gladly
i1.4: "help" is open now; its instructions are in the prompt.
i1.5: look of i1.5 
i2.1: pay of i2.1 
i2.2: You are in "door" now; its instructions are in the prompt.
i2.3: ask of i2.3 gladly
i3.1: look of i3.1 `

const nobodyKnows = "It is not known whether this call was carried out: the process that made it ended first. It was not repeated."

// TestKill kills real processes at random places, many times, and goes on with
// what they leave until each turn has its answer. Whatever was on record stays
// on record, byte for byte; nothing was done that was not on record before; a
// call that is not Repeatable is made once, or nobody knows; and the answer is
// that of a turn that nobody killed, or says what nobody knows.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out what starts a hundred processes")
	}
	seed := seedOf(t)

	whole := &killed{t: t, dir: t.TempDir()}
	for whole.process(0, 0) != nil {
	}
	if whole.end.Answer != whatKillActsComeTo {
		t.Fatalf("a turn that nobody kills comes to\n%s", whole.end.Answer)
	}
	whole.check()

	var kills, unknown, turns atomic.Int64
	const most = 60
	t.Run("of", func(t *testing.T) {
		for worker := range 2 {
			t.Run(fmt.Sprint("worker ", worker), func(t *testing.T) {
				t.Parallel()
				rng := rand.New(rand.NewPCG(seed, uint64(worker)))
				for kills.Load() < most && !t.Failed() {
					k := &killed{t: t, dir: t.TempDir()}
					for k.again = true; k.again; {
						at := 0
						if rng.IntN(4) > 0 && k.kills < 4 {
							at = 1 + rng.IntN(whole.places/3)
						}
						k.process(at, time.Duration(rng.IntN(300))*time.Microsecond)
						if rng.IntN(4) == 0 {
							k.tear()
						}
					}
					k.check()
					kills.Add(int64(k.kills))
					turns.Add(1)
					unknown.Add(int64(strings.Count(k.end.Answer, nobodyKnows)))
				}
			})
		}
	})
	t.Logf("%d turns with %d kills; of %d calls nobody knows", turns.Load(), kills.Load(), unknown.Load())
}

// killed is one turn, walked by one process after the other.
type killed struct {
	t      *testing.T
	dir    string
	again  bool // it has no answer yet
	end    end
	kills  int
	places int      // where a process might have been killed
	left   []string // what each process left on record, in whole lines
	path   string
}

// process starts a process and kills it a moment after it comes to the n-th
// place, if n is not 0. It returns k until the turn has its answer.
func (k *killed) process(n int, moment time.Duration) *killed {
	k.t.Helper()
	self, err := os.Executable()
	if err != nil {
		k.t.Skipf("this system does not say where the test is: %v", err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), killDir+"="+k.dir, "GORACE=atexit_sleep_ms=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		k.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		k.t.Skipf("this system starts no processes: %v", err)
	}
	var said []byte
	kill := false
	for b := make([]byte, 1); ; {
		if _, err := out.Read(b); err != nil {
			break
		}
		if b[0] == '.' && len(said) == 0 {
			k.places++
			if n--; n == 0 {
				for until := time.Now().Add(moment); time.Now().Before(until); {
				}
				kill = cmd.Process.Kill() == nil
			}
			continue
		}
		said = append(said, b[0])
	}
	err = cmd.Wait()
	k.keep()
	switch {
	case kill && err != nil && stderr.Len() == 0:
		k.kills++
	case err != nil:
		k.t.Fatalf("%v\n%s", err, &stderr)
	default:
		k.end = end{}
		if err := json.Unmarshal(said, &k.end); err != nil {
			k.t.Fatalf("%q: %v", said, err)
		}
		if k.again = k.end.Question != ""; !k.again {
			return nil
		}
	}
	return k
}

// keep holds, of what a process has left, that nothing was done which is not on
// record, and remembers the record.
func (k *killed) keep() {
	k.t.Helper()
	path, err := recording.Folder{Dir: filepath.Join(k.dir, "runs")}.Find("last")
	if err != nil {
		if deeds := k.deeds(); len(deeds) > 0 {
			k.t.Fatalf("without a recording there are %v", deeds)
		}
		return
	}
	if path != k.path { // the turn had not begun on record
		k.path, k.left = path, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		k.t.Fatal(err)
	}
	k.left = append(k.left, string(data[:bytes.LastIndexByte(data, '\n')+1]))
	rec, err := recording.Open(path)
	if err != nil {
		k.t.Fatal(err)
	}
	sent := map[string]bool{}
	for _, b := range bodies[*event.Sent](rec) {
		for _, id := range b.Calls {
			sent[id] = true
		}
	}
	for _, d := range k.deeds() {
		if !sent[d.Call] {
			k.t.Fatalf("%+v was done, and is not on record", d)
		}
	}
}

func (k *killed) deeds() (list []deed) {
	data, _ := os.ReadFile(filepath.Join(k.dir, "deeds"))
	for line := range strings.Lines(string(data)) {
		var d deed
		if json.Unmarshal([]byte(line), &d) == nil { // the last one may be cut
			list = append(list, d)
		}
	}
	return list
}

// tear adds the beginning of a line, as a crash of the whole machine leaves it.
func (k *killed) tear() {
	f, err := os.OpenFile(k.path, os.O_APPEND|os.O_WRONLY, 0)
	if !k.again || err != nil {
		return
	}
	defer f.Close()
	f.WriteString(`{"seq":99,"time":"20`)
}

// check holds what is true of a turn that has come to its end.
func (k *killed) check() {
	t := k.t
	t.Helper()
	rec, err := recording.Open(k.path)
	if err != nil {
		t.Fatal(err)
	}
	sound(t, &agent.Run{Recording: rec})
	data, err := os.ReadFile(k.path)
	if err != nil {
		t.Fatal(err)
	}
	for i, left := range k.left {
		if !strings.HasPrefix(string(data), left) {
			t.Errorf("process %d left %d bytes on record, which are not those of the end", i, len(left))
		}
	}
	did := map[deed]int{}
	for _, d := range k.deeds() {
		did[d]++
	}
	for d, n := range did {
		if n > 1 && d.Tool != "look" {
			t.Errorf("%+v was done %d times", d, n)
		}
	}
	want := strings.Split(whatKillActsComeTo, "\n")
	got := strings.Split(k.end.Answer, "\n")
	if len(got) != len(want) {
		t.Fatalf("the answer is\n%s", k.end.Answer)
	}
	for i := range want {
		call, text, _ := strings.Cut(got[i], ": ")
		lost := text == nobodyKnows && k.kills > 0 && slices.ContainsFunc([]string{"pay", "ask"}, func(name string) bool {
			return strings.Contains(want[i], ": "+name)
		})
		if got[i] != want[i] && !lost {
			t.Errorf("%q, want %q", got[i], want[i])
		}
		done := did[deed{call, "pay", "after"}] + did[deed{call, "ask", "after"}] + did[deed{call, "look", "after"}]
		if strings.Contains(want[i], " of ") && !lost && done == 0 {
			t.Errorf("%q, and it was not done", got[i])
		}
	}
	if t.Failed() {
		story, _ := os.ReadFile(k.path)
		t.Logf("after %d kills:\n%s\n%v", k.kills, story, k.deeds())
	}
}
