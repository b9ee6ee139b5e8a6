package phrase_test

import (
	"testing"

	"github.com/spoorhq/spoor/internal/phrase"
)

func TestKey(t *testing.T) {
	for _, same := range [][2]string{
		{"I was charged twice", "  i WAS\tcharged\n twice "},
		{"ΟΔΟΣ", "οδος"}, {"οδοσ", "οδος"}, {"É", "é"}, {" \u00a0\n", ""},
	} {
		if a, b := phrase.Key(same[0]), phrase.Key(same[1]); a != b {
			t.Errorf("%q and %q have the keys %q and %q", same[0], same[1], a, b)
		}
	}
	if a, b := phrase.Key("charged twice"), phrase.Key("chargedtwice"); a == b {
		t.Error(a)
	}
}
