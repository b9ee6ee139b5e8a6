package explain

import (
	"math"
	"math/big"
	"testing"
)

// brute is Fisher's test by the book, in whole numbers: of all ways to share
// the runs that have a feature, how many are no likelier than this one?
func brute(good, bad, with, x int) float64 {
	ways := func(k int) *big.Int {
		if k < 0 || k > bad || with-k < 0 || with-k > good {
			return new(big.Int)
		}
		return new(big.Int).Mul(new(big.Int).Binomial(int64(bad), int64(k)), new(big.Int).Binomial(int64(good), int64(with-k)))
	}
	sum, here := new(big.Int), ways(x)
	for k := 0; k <= with; k++ {
		if w := ways(k); w.Cmp(here) <= 0 {
			sum.Add(sum, w)
		}
	}
	p, _ := new(big.Rat).SetFrac(sum, new(big.Int).Binomial(int64(good+bad), int64(with))).Float64()
	return p
}

func TestFisher(t *testing.T) {
	for good := 1; good <= 13; good++ {
		for bad := 1; bad <= 13; bad++ {
			f := newFisher(good, bad)
			for with := 0; with <= good+bad; with++ {
				least := 1.0
				for x := max(0, with-good); x <= min(with, bad); x++ {
					want := brute(good, bad, with, x)
					least = min(least, want)
					if got := f.p(with, x); math.Abs(got-want) > 1e-9*want {
						t.Fatalf("%d good, %d bad, %d with it, %d of them bad: %g, want %g", good, bad, with, x, got, want)
					}
				}
				if got := f.least(with); math.Abs(got-least) > 1e-9*least {
					t.Fatalf("%d good, %d bad, %d with it: the least is %g, want %g", good, bad, with, got, least)
				}
			}
		}
	}
	// Known tables: the lady who tastes tea, and one of a thousand runs.
	if got := newFisher(4, 4).p(4, 3); math.Abs(got-0.4857142857) > 1e-9 {
		t.Errorf("the lady tasting tea: %g", got)
	}
	if got, want := newFisher(500, 500).p(40, 35), brute(500, 500, 40, 35); math.Abs(got-want) > 1e-9*want {
		t.Errorf("%g, want %g", got, want)
	}
}

func TestHolm(t *testing.T) {
	got := holm([]float64{0.01, 0.02, 0.03, 0.5}, 4)
	for i, want := range []float64{0.04, 0.06, 0.06, 0.5} {
		if math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("%d: %g, want %g", i, got[i], want)
		}
	}
}
