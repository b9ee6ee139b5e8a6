package agent_test

import (
	"os"
	"strings"
	"testing"

	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/event"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/tool"
)

func TestNewNeedsAMapAndAModel(t *testing.T) {
	if _, err := agent.New(agent.Config{Model: acts{}}); err == nil || err.Error() != "agent: Config.Map is nil; an agent needs a map to walk" {
		t.Error(err)
	}
	if _, err := agent.New(agent.Config{Map: desk()}); err == nil || err.Error() != "agent: Config.Model is nil; an agent needs a model to ask" {
		t.Error(err)
	}
	if _, err := agent.New(agent.Config{Map: desk(), Model: acts{}, Tools: []tool.Tool{{Name: "rate"}}, Log: quiet}); err == nil || !strings.Contains(err.Error(), "its Call is nil (set Call)") {
		t.Error(err)
	}
}

// TestWhatCannotGoOn is every recording that a turn cannot go on from, on disk
// and in memory; each is refused with a sentence, and its file stays as it is.
func TestWhatCannotGoOn(t *testing.T) {
	store := &recording.Folder{Dir: t.TempDir()}
	a := newAgent(t, agent.Config{Store: store})
	run, err := a.Run(t.Context(), "refund")
	if err != nil {
		t.Fatal(err)
	}
	path := run.Recording.Path
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole := string(data)
	upTo := func(kind string) string {
		at := strings.Index(whole, `"kind":"`+kind+`"`)
		return whole[:at+strings.Index(whole[at:], "\n")+1]
	}
	header := whole[:strings.Index(whole, "\n")+1]
	reply := func(a *agent.Agent, r *recording.Recording) error {
		_, err := a.Reply(t.Context(), r, "more")
		return err
	}
	resume := func(a *agent.Agent, r *recording.Recording) error {
		_, err := a.Resume(t.Context(), r, nil)
		return err
	}
	for _, test := range []struct {
		name string
		file string
		do   func(*agent.Agent, *recording.Recording) error
		want string
	}{
		{"a reply to a turn that was cut", upTo("called"), reply, "turn 1 of run RUN has not come to its end; resume it first"},
		{"a reply to nothing", header, reply, "run RUN was cut before its turn began; there is nothing to resume"},
		{"nothing to resume", header, resume, "run RUN was cut before its turn began; there is nothing to resume"},
		{"a turn at its end", whole, resume, "run RUN has come to its end; there is nothing to resume"},
		{"another machine", strings.Replace(upTo("called"), `"machine":0`, `"machine":99`, 1), resume, "run RUN was walked by version 99 of the machine"},
		{"a word that was changed", strings.Replace(upTo("called"), "Call rate(id).", "Call rate(it).", 1), resume, "is not as it was written and cannot go on: line "},
		{"a line that is gone", strings.Replace(upTo("called"), "\n{\"seq\":2,", "\n{\"sex\":2,", 1), resume, "is not as it was written and cannot go on: line "},
		{"a line that is none", upTo("called") + "}\n", resume, "is not as it was written and cannot go on: line "},
	} {
		want := strings.ReplaceAll(test.want, "RUN", run.Recording.Run)
		if err := os.WriteFile(path, []byte(test.file), 0o600); err != nil {
			t.Fatal(err)
		}
		onDisk, err := recording.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := test.do(a, onDisk); err == nil || !strings.HasPrefix(err.Error(), "agent: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s, on disk: %v", test.name, err)
		}
		if now, _ := os.ReadFile(path); string(now) != test.file {
			t.Errorf("%s: the file was changed", test.name)
		}
		inMemory, err := recording.Read(strings.NewReader(test.file))
		if err != nil {
			t.Fatal(err)
		}
		if err := test.do(a, inMemory); err == nil || !strings.HasPrefix(err.Error(), "agent: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s, in memory: %v", test.name, err)
		}
	}

	if err := os.WriteFile(path, []byte(upTo("called")), 0o600); err != nil {
		t.Fatal(err)
	}
	m := desk()
	m.Skills[0].Tools = nil
	for what, c := range map[string]agent.Config{
		"walked another map than this one: a skill, the start or a step is not the same; resume it with the map that it was made with": {Map: m},
		`was offered the tool "mail", which this agent does not have`:                                                                  {},
	} {
		rec, err := recording.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if c.Map == nil { // the run has a tool more
			rec, err = recording.Read(strings.NewReader(upTo("called")))
			if err != nil {
				t.Fatal(err)
			}
			started := rec.Events[0].Body.(*event.Started)
			started.Tools = append(started.Tools, event.Tool{Name: "mail"})
		}
		if err := resume(newAgent(t, c), rec); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
