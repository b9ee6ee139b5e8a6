package explain

import "math"

// A fisher computes the exact test of Fisher for tables whose columns have so
// many runs: is a feature shared by good and bad runs as chance would share it?
type fisher struct {
	good, bad int
	factorial []float64 // the logarithm of n!
	known     map[[2]int]float64
}

func newFisher(good, bad int) *fisher {
	f := &fisher{good: good, bad: bad, factorial: make([]float64, good+bad+1), known: map[[2]int]float64{}}
	for n := 1; n < len(f.factorial); n++ {
		f.factorial[n] = f.factorial[n-1] + math.Log(float64(n))
	}
	return f
}

func (f *fisher) choose(n, k int) float64 { return f.factorial[n] - f.factorial[k] - f.factorial[n-k] }

// log is the logarithm of the chance that of the runs with a feature so many
// are bad.
func (f *fisher) log(with, bad int) float64 {
	return f.choose(f.bad, bad) + f.choose(f.good, with-bad) - f.choose(f.good+f.bad, with)
}

// p is how likely a table is that is no more likely than this one: the test
// has two sides.
func (f *fisher) p(with, bad int) float64 {
	key := [2]int{with, bad}
	if p, ok := f.known[key]; ok {
		return p
	}
	limit := f.log(with, bad) + 1e-7 // of equals neither is less likely, whatever was rounded
	sum := 0.0
	for k := max(0, with-f.good); k <= min(with, f.bad); k++ {
		if l := f.log(with, k); l <= limit {
			sum += math.Exp(l)
		}
	}
	sum = min(sum, 1)
	f.known[key] = sum
	return sum
}

// least is the smallest p that a feature can have which so many runs have.
func (f *fisher) least(with int) float64 {
	return min(f.p(with, max(0, with-f.good)), f.p(with, min(with, f.bad)))
}

// holm adjusts sorted p for their number, as Holm does ("A simple sequentially
// rejective multiple test procedure", 1979): it bounds the chance of a single
// false discovery, whatever depends on what.
func holm(sorted []float64, tests int) []float64 {
	adjusted := make([]float64, len(sorted))
	most := 0.0
	for i, p := range sorted {
		most = max(most, min(1, p*float64(max(1, tests-i))))
		adjusted[i] = most
	}
	return adjusted
}
