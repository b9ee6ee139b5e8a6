package wiretest

import "testing"

// A list of tests, each a sentence.
type list []struct {
	name string
	f    func(*bench)
}

// Run runs the suite.
func (s Suite) Run(t *testing.T) {
	for _, group := range []struct {
		name  string
		tests list
	}{
		{"answers", answers}, {"requests", requests}, {"faults", faults}, {"times", times}, {"nonsense", nonsense}, {"recordings", recordings},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, c := range group.tests {
				s.test(t, c.name, c.f)
			}
		})
	}
}
