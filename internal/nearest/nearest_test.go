package nearest

import (
	"slices"
	"strings"
	"testing"
)

func TestNameIsTheOneThatWasMeant(t *testing.T) {
	for _, c := range []struct{ name, known, want, why string }{
		{"trige", "triage billing", "triage", "a letter left out"},
		{"triaage", "triage billing", "triage", "a letter twice"},
		{"triake", "triage billing", "triage", "another letter"},
		{"traige", "triage billing", "triage", "two letters swapped, which is one slip"},
		{"Triage", "triage", "triage", "a letter in the other case"},
		{"escalation", "escalate triage", "escalate", "three of ten letters"},
		{"escalate", "escalation", "escalation", "three of eight are too many, but they begin alike"},
		{"failed", "success failure", "failure", "four letters"},
		{"billing", "billboard billfold", "", "two of them begin alike"},
		{"read", "read_port read_port", "read_port", "one name, known twice"},
		{"cart", "carpenter", "", "three letters are no beginning"},
		{"billing", "triage", "", "nothing alike"},
		{"cat", "cart bat", "cart", "the first of equals"},
		{"cat", "bat cart", "bat", "the first of equals"},
		{"cart", "care carts cats", "care", "the first of equals"},
		{"carts", "cats cart", "cats", "the first of equals"},
		{"cartss", "cats carts", "carts", "the nearer, though later"},
		{"übung", "ubung", "ubung", "letters, not bytes"},
		{"triage", "triage", "", "it is known"},
		{"triage", "triage triages", "triages", "it is not its own correction"},
		{"", "a", "", "nothing was written"},
		{"a", "", "", "nothing is known"},
		{strings.Repeat("a", 65), strings.Repeat("a", 64), "", "too long to be a name"},
		{strings.Repeat("a", 64), strings.Repeat("a", 65), "", "too long to be a name"},
		{strings.Repeat("a", 64), strings.Repeat("a", 63), strings.Repeat("a", 63), "just not too long"},
	} {
		if got := Name(c.name, slices.Values(strings.Fields(c.known))); got != c.want {
			t.Errorf("%q among %q: got %q, want %q: %s", c.name, c.known, got, c.want, c.why)
		}
	}
}

func TestABlankNameIsNeverMeant(t *testing.T) {
	if got := Name("abc", slices.Values([]string{"", "abcd"})); got != "abcd" {
		t.Error(got)
	}
}

func TestHintAsks(t *testing.T) {
	if got := Hint("trige", slices.Values([]string{"triage"})); got != `did you mean "triage"?` {
		t.Error(got)
	}
	if got := Hint("billing", slices.Values([]string{"triage"})); got != "" {
		t.Error(got)
	}
}

func TestDistanceIsTheSameBothWays(t *testing.T) {
	words := strings.Fields("a ab ba abc acb kitten sitting triage traige")
	for _, a := range words {
		for _, b := range words {
			d := distance([]rune(a), []rune(b))
			if d != distance([]rune(b), []rune(a)) || (d == 0) != (a == b) || d > max(len(a), len(b)) {
				t.Errorf("%s to %s: %d", a, b, d)
			}
		}
	}
	if d := distance([]rune("kitten"), []rune("sitting")); d != 3 {
		t.Error(d)
	}
}
