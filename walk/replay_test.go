package walk_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/replay"
)

// TestRandomRunsReplay holds over the conversations of the simulation that a
// recording reproduces itself, byte for byte, and that no edit is no difference.
func TestRandomRunsReplay(t *testing.T) {
	runs := 60
	if raced {
		runs = 10
	}
	for seed := range uint64(runs) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			events := randomRun(t, 5000+seed)
			var file bytes.Buffer
			w := recording.NewWriter(&file, "random")
			if err := w.Append(events); err != nil {
				t.Fatal(err)
			}
			if p := replay.Reproduce(w.Recording(), &file); !p.Same || p.Events != len(events) {
				t.Fatal(p)
			}
			r, err := replay.Against(w.Recording(), replay.Edit{})
			if err != nil {
				t.Fatal(err)
			}
			if !r.Same || r.Assumed != nil {
				t.Fatalf("without an edit there is a difference:\n%s", r)
			}
			again := lines(r.Recording.Events)
			for i, want := range lines(events) {
				if i == len(again) {
					t.Fatalf("%d of %d events were replayed", i, len(events))
				}
				if got := strings.Replace(again[i], `"run":"`+r.Run+replay.Suffix, `"run":"`+r.Run, 1); got != want && !strings.Contains(got, `"kind":"started"`) {
					t.Fatalf("event %d:\nwas %s\nis  %s", i+1, want, got)
				}
			}
		})
	}
}

// TestRandomRunsReplayOnOtherMaps walks conversations of the simulation on each
// other's maps: whatever that comes to, it is a run like any other.
func TestRandomRunsReplayOnOtherMaps(t *testing.T) {
	var before *recording.Recording
	for seed := range uint64(30) {
		w := recording.NewWriter(nil, "random")
		if err := w.Append(randomRun(t, 7000+seed)); err != nil {
			t.Fatal(err)
		}
		rec := w.Recording()
		if before == nil {
			before = rec
			continue
		}
		m, err := before.Map()
		if err != nil {
			t.Fatal(err)
		}
		before = rec
		r, err := replay.Against(rec, replay.Edit{Map: m})
		if problems, ok := errors.AsType[spoor.Problems](err); ok && strings.HasPrefix(string(problems[0].Ref), "agent.") {
			continue // the agent's skills have the names of the map
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if p := replay.Reproduce(r.Recording, nil); !p.Same {
			t.Fatalf("seed %d: the replayed run does not reproduce itself:\n%s", seed, p)
		}
		for _, m := range r.Moves {
			if m.Now != nil && m.Evidence == explain.Counterfactual && r.Assumed != nil && m.Now.Event >= r.Assumed.Event {
				t.Fatalf("seed %d: event %d is told as exact, and all from %d on is assumed", seed, m.Now.Event, r.Assumed.Event)
			}
		}
	}
}
