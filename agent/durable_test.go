package agent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/tool"
)

// A disk is a file that notes, in one list with all that is done in the world,
// when it is written and synced. It has room for so many writes, and takes half
// of the one that is too much.
type disk struct {
	log     []string
	data    []byte
	room    int // writes; below zero: no end of them
	syncing error
}

func (d *disk) Write(b []byte) (int, error) {
	if d.room == 0 {
		d.log = append(d.log, "full")
		half := len(b) / 2
		d.data = append(d.data, b[:half]...)
		return half, syscall.ENOSPC
	}
	d.room--
	d.data = append(d.data, b...)
	d.log = append(d.log, "write")
	return len(b), nil
}

func (d *disk) Sync() error {
	d.log = append(d.log, "sync")
	return d.syncing
}

// config is an agent whose model and tools note what they do on the disk: look
// may be repeated, pay may not.
func (d *disk) config(c agent.Config) agent.Config {
	did := func(name string, again bool) tool.Tool {
		t := does(name, func(context.Context, string) (string, error) {
			d.log = append(d.log, name)
			return "{}", nil
		})
		t.Repeatable = again
		return t
	}
	m := acts{{"look {}", "pay {}", "pay {}"}, {"look {}"}}
	c.Model = modelFunc(func(ctx context.Context, r *model.Request) (model.Reply, error) {
		d.log = append(d.log, "model")
		return m.Call(ctx, r, nil)
	})
	c.Tools = []tool.Tool{rate(""), did("look", true), did("pay", false)}
	return c
}

func (d *disk) run(t *testing.T, c agent.Config) (*agent.Run, error) {
	t.Helper()
	return newAgent(t, d.config(c)).RunInto(t.Context(), recording.NewWriter(d, "r"), "refund")
}

// TestSync shows where a recording is forced onto the disk: before each call of
// a tool that is not Repeatable, and nowhere else.
func TestSync(t *testing.T) {
	plain := "write model write look write pay write pay write model write look write model write"
	for sync, want := range map[agent.Sync]string{
		"":                plain,
		agent.SyncEffects: strings.ReplaceAll(plain, "pay", "sync pay"),
	} {
		d := &disk{room: -1}
		if run, err := d.run(t, agent.Config{Sync: sync}); err != nil || run.Answer != "done" {
			t.Fatal(run, err)
		}
		if d := cmp.Diff(want, strings.Join(d.log, " ")); d != "" {
			t.Errorf("%q: %s", sync, d)
		}
	}
}

// TestSyncFails holds that a tool is not called whose call may not survive.
func TestSyncFails(t *testing.T) {
	d := &disk{room: -1, syncing: syscall.EIO}
	run, err := d.run(t, agent.Config{Sync: agent.SyncEffects})
	if err == nil || err.Error() != "agent: recording r: input/output error" || !errors.Is(err, syscall.EIO) {
		t.Error(err)
	}
	if want := "write model write look write sync"; strings.Join(d.log, " ") != want {
		t.Errorf("%v, want %s", d.log, want)
	}
	if run == nil || !run.Recording.Incomplete() || run.Answer != "" {
		t.Errorf("the run is %+v", run)
	}
}

// TestSyncOfAFolder is the same with files: it works.
func TestSyncOfAFolder(t *testing.T) {
	d := &disk{}
	store := &recording.Folder{Dir: filepath.Join(t.TempDir(), "a", "b")}
	run, err := newAgent(t, d.config(agent.Config{Sync: agent.SyncEffects, Store: store})).Run(t.Context(), "refund")
	if err != nil || run.Answer != "done" {
		t.Fatal(run, err)
	}
	sound(t, run)
}

// TestAFullDisk fills the disk at every write of a turn: nothing is done after
// that, neither by the model nor by a tool; the error says why; and what is on
// the disk, with half of a write at its end, is a turn that can go on.
func TestAFullDisk(t *testing.T) {
	for room := 0; ; room++ {
		d := &disk{room: room}
		run, err := d.run(t, agent.Config{})
		if err == nil {
			if room != 8 {
				t.Errorf("the turn was whole with %d writes", room)
			}
			break
		}
		if !errors.Is(err, syscall.ENOSPC) || err.Error() != "agent: recording r: no space left on device" {
			t.Errorf("%d writes: %v", room, err)
		}
		if at := slices.Index(d.log, "full"); at != len(d.log)-1 {
			t.Errorf("%d writes: after the disk was full, there was %v", room, d.log[at+1:])
		}
		if run == nil || run.Answer != "" || !run.Recording.Incomplete() {
			t.Errorf("%d writes: the run is %+v", room, run)
		}
		path := filepath.Join(t.TempDir(), "r.jsonl")
		if err := os.WriteFile(path, d.data, 0o600); err != nil {
			t.Fatal(err)
		}
		rec, err := recording.Open(path)
		if room == 0 {
			continue // not even the message is whole
		}
		if err != nil {
			t.Fatal(err)
		}
		did := strings.Count(strings.Join(d.log, " "), "pay")
		d.room = -1
		run, err = newAgent(t, d.config(agent.Config{})).Resume(t.Context(), rec, nil)
		if err != nil || run.Answer != "done" {
			t.Fatalf("%d writes: resumed: %+v, %v", room, run, err)
		}
		sound(t, run)
		lost := strings.Count(strings.Join(answers(run.Recording), "\n"), "pending")
		if again := strings.Count(strings.Join(d.log, " "), "pay"); did > again || again+lost < 2 || again > 2 {
			t.Errorf("%d writes: pay was called %d times before and %d in all, and %d calls are lost", room, did, again, lost)
		}
	}
}

// TestARealFullDisk is a device that is always full.
func TestARealFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no /dev/full, a device that is always full; a full disk is tried with a writer, too")
	}
	d := &disk{}
	run, err := newAgent(t, d.config(agent.Config{})).RunInto(t.Context(), recording.NewWriter(full, "r"), "refund")
	if !errors.Is(err, syscall.ENOSPC) || d.log != nil || run == nil {
		t.Errorf("%v, %v, %+v", d.log, err, run)
	}
}

// TestAFolderThatCannotBeMade refuses the turn before anything is asked.
func TestAFolderThatCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d := &disk{}
	run, err := newAgent(t, d.config(agent.Config{Store: &recording.Folder{Dir: filepath.Join(file, "runs")}})).Run(t.Context(), "refund")
	if run != nil || err == nil || d.log != nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("%v, %v", d.log, err)
	}
}

// TestAFileThatIsGone holds that a turn cannot go on without its file.
func TestAFileThatIsGone(t *testing.T) {
	d := &disk{}
	a := newAgent(t, d.config(agent.Config{Store: &recording.Folder{Dir: t.TempDir()}}))
	run, err := a.Run(t.Context(), "refund")
	if err != nil {
		t.Fatal(err)
	}
	os.Remove(run.Recording.Path)
	d.log = nil
	for what, f := range map[string]func() (*agent.Run, error){
		"reply":  func() (*agent.Run, error) { return a.Reply(t.Context(), run.Recording, "more") },
		"resume": func() (*agent.Run, error) { return a.Resume(t.Context(), run.Recording, nil) },
	} {
		if again, err := f(); again != nil || !errors.Is(err, os.ErrNotExist) || d.log != nil {
			t.Errorf("%s: %v, %v", what, err, fmt.Sprint(d.log))
		}
	}
}
