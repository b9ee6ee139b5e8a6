package docs

import "testing"

func TestReplayPage(t *testing.T) {
	p := readPage(t, "replay.md")
	p.atMost(t, 120)
	p.run(t)
}
