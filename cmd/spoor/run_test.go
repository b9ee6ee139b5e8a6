package main

import (
	"bytes"
	"context"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
)

// An interrupted model is interrupted in the middle of its answer.
type interrupted struct{}

func (interrupted) Call(ctx context.Context, _ *model.Request, emit func(model.Delta)) (model.Reply, error) {
	emit(model.Delta{Text: "Let me"})
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(os.Interrupt)
	}
	if err != nil {
		return model.Reply{}, err
	}
	<-ctx.Done()
	return model.Reply{}, ctx.Err()
}

func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("on Windows a process cannot send itself an interrupt")
	}
	var out, err bytes.Buffer
	s := &session{store: store{recording.Folder{Dir: t.TempDir()}}, message: "hello", out: &out, err: &err, text: &lines{w: &out}}
	var bad error
	s.agent, bad = agent.New(agent.Config{
		Map: &spoor.Map{Skills: []spoor.Skill{{ID: "look"}}}, Model: interrupted{}, Store: &s.store.Folder, Text: s.text,
	})
	if bad != nil {
		t.Fatal(bad)
	}
	if code := leave(s.run(t.Context()), &err); code != unasked {
		t.Errorf("it left with %d, want %d", code, unasked)
	}
	if !strings.Contains(err.String(), "spoor: the turn was stopped: ") || out.String() != "Let me\n" {
		t.Errorf("stderr:\n%s\nstdout:\n%s", &err, &out)
	}
	if v, bad := verify(&s.store, "last"); bad != nil || !v.OK {
		t.Errorf("the recording is not whole: %+v, %v", v, bad)
	}
}
