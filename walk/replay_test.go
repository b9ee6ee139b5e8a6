package walk_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

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
