package value

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strconv"
)

// Op is an arithmetic operation over values of one list, the simplest first.
type Op uint8

const (
	Count      Op = iota + 1 // how many values the list has
	Sum                      // of two, of three, or of all
	Mean                     // of all
	Difference               // Of[0] - Of[1]
	Share                    // Of[0] in percent of Of[1]
	Change                   // from Of[0] to Of[1], in percent of Of[0]
	Ratio                    // Of[0] / Of[1]
)

var ops = [...]string{"", "count", "sum", "mean", "difference", "share", "change", "ratio"}

// String is the operation in lower case, empty for the zero Op.
func (o Op) String() string {
	if int(o) < len(ops) {
		return ops[o]
	}
	return ""
}

// Derivation is one way in which a value can be computed from others. It is
// arithmetic that fits, never a proof that it was done.
type Derivation struct {
	Op     Op
	Of     []int  // indices into the list, the operands in order; those of Count, Sum and Mean ascend
	Result string // without unit, in percent for Share and Change; 12 digits of it if it does not end
	Exact  bool   // the result is the value, and not only rounded to it
	// Loose is a way that says little: among so many combinations one that fits
	// was to be expected by chance.
	Loose bool
}

// maxWays is how many ways Derive returns at most.
const maxWays = 8

// Derive returns the ways to compute target from values of one list: the telling
// before the loose, then the simplest first, 8 at most. The result must be target
// to the digits that target is written with; the sign of a Change is free, for
// "fell by 12 %". It tries at most so many combinations of two or three values
// after the whole list, none for 0. Whole is false if that cut the search.
//
// A target that is in the list needs no derivation and has none; neither has one
// that is no number. A Common one is derived from the whole list alone.
// Values are added only if all have units that can be compared, or none has one;
// those without a unit count as being in that of the target.
func Derive(target Value, list []Value, tries int) (ways []Derivation, whole bool) {
	if target.Kind == 0 || target.Kind >= Date {
		return nil, true
	}
	for _, v := range list {
		if r := Same(target, v); r > Partial && r != Reading {
			return nil, true
		}
	}
	d := deriver{target: target, list: list, left: tries}
	if grouped(list) {
		d.list = slices.Clone(list)
		for i := range d.list {
			d.list[i].Num = d.list[i].Num.times(1, d.list[i].Digits)
		}
	}
	d.prepare()
	d.all()
	if !target.Common && tries > 0 {
		d.pairs()
		d.triples()
	}
	slices.SortStableFunc(d.ways, func(a, b Derivation) int { return cmp.Compare(d.rank(a), d.rank(b)) })
	return d.ways[:min(len(d.ways), maxWays)], d.left >= 0
}

// grouped says whether the points of all values part thousands, as in 48.000 and
// 12.500: no value has other decimals.
func grouped(list []Value) bool {
	return !slices.ContainsFunc(list, func(v Value) bool { return v.flags&altGroups == 0 })
}

// deriver looks for the ways of one target.
type deriver struct {
	target Value
	list   []Value
	goal   *big.Rat // in percent, if percent
	half   *big.Rat // how far from goal a result may be
	g, h   float64  // both, nearly
	unit   uint8    // that sums and differences are in
	use    []int    // what of list can be computed with
	num    []float64
	left   int // combinations that may still be tried
	found  [len(ops)]int
	ways   []Derivation
}

// rank orders ways: whole lists, then pairs, then triples.
func (d *deriver) rank(w Derivation) int {
	r := int(w.Op)
	switch {
	case w.Op == Count || w.Op == Mean:
	case len(w.Of) == len(d.list):
	case len(w.Of) == 2:
		r += 10
	default:
		r += 20
	}
	if w.Loose {
		r += 100
	}
	return r
}

func (d *deriver) percent() bool { return d.target.Kind == Percent }

func (d *deriver) prepare() {
	d.unit = d.target.unit
	num, half := d.target.Num, decimal(5, -d.target.Digits-1)
	if d.percent() && d.unit != spelt["%"] {
		u := &units[d.unit]
		num, half, d.unit = num.times(u.mul, u.exp+2), half.times(u.mul, u.exp+2), spelt["%"]
	}
	d.goal, d.half = num.Rat(), half.Rat()
	d.g, d.h = num.Float(), half.Float()
	for i := range d.list {
		v := &d.list[i]
		if v.Kind == 0 || v.Kind >= Date {
			continue
		}
		if d.unit == 0 {
			d.unit = v.unit // that of the first one with a unit, for a target without one
		}
		d.use = append(d.use, i)
	}
	for _, i := range d.use {
		f, _ := d.operand(i).Float64()
		d.num = append(d.num, f)
	}
}

// fits says whether the unit of the value at i can be added in d.unit.
func (d *deriver) fits(i int) bool {
	u := d.list[i].unit
	return u == 0 || d.unit == 0 || u == d.unit || compatible(u, d.unit)
}

// alike says whether the values at i and j both have a unit, or neither.
func (d *deriver) alike(i, j int) bool { return d.list[i].unit == 0 == (d.list[j].unit == 0) }

// operand is the value at i in d.unit, if it can be in that; else as written.
func (d *deriver) operand(i int) *big.Rat {
	v := &d.list[i]
	if v.unit == 0 || d.unit == 0 || v.unit == d.unit || !compatible(v.unit, d.unit) {
		return v.Num.Rat()
	}
	from, to := &units[v.unit], &units[d.unit]
	r := v.Num.times(from.mul, from.exp-to.exp).Rat()
	return r.Quo(r, new(big.Rat).SetUint64(to.mul))
}

// all tries what the whole list gives.
func (d *deriver) all() {
	n := len(d.list)
	if d.target.unit == 0 && n > 0 && d.target.Num == decimal(uint64(n), 0) {
		d.ways = append(d.ways, Derivation{Op: Count, Of: upTo(n), Result: strconv.Itoa(n), Exact: true})
	}
	if n < 2 || len(d.use) != n {
		return
	}
	sum := 0.0
	for k, i := range d.use {
		if !d.fits(i) || !d.alike(i, d.use[0]) {
			return
		}
		sum += d.num[k]
	}
	size := 0.0
	for _, f := range d.num {
		size += math.Abs(f)
	}
	if d.close(sum, size) {
		d.try(Sum, 1, upTo(n))
	}
	if d.close(sum/float64(n), size) {
		d.try(Mean, 1, upTo(n))
	}
}

func upTo(n int) []int {
	of := make([]int, n)
	for i := range of {
		of[i] = i
	}
	return of
}

// close says whether f may be the goal; size is that of the numbers it was
// computed from.
func (d *deriver) close(f, size float64) bool {
	return math.Abs(f-d.g) <= d.h+1e-9*(size+math.Abs(d.g))
}

// pairs tries any two values.
func (d *deriver) pairs() {
	n := len(d.use)
	for a := range n {
		for b := a + 1; b < n; b++ {
			if d.left--; d.left < 0 {
				return
			}
			i, j := d.use[a], d.use[b]
			x, y := d.num[a], d.num[b]
			size := math.Abs(x) + math.Abs(y)
			if d.fits(i) && d.fits(j) && d.alike(i, j) {
				if len(d.list) > 2 && d.close(x+y, size) {
					d.try(Sum, n*n/2, []int{i, j})
				}
				if d.close(x-y, size) {
					d.try(Difference, n*n, []int{i, j})
				}
				if d.close(y-x, size) {
					d.try(Difference, n*n, []int{j, i})
				}
			}
			d.quotients(i, j, x, y)
			d.quotients(j, i, y, x)
		}
	}
}

// quotients tries x / y, the values at i and j.
func (d *deriver) quotients(i, j int, x, y float64) {
	a, b := d.list[i].unit, d.list[j].unit
	if a != b && a != 0 && b != 0 {
		if !compatible(a, b) {
			return
		}
		p, q := d.factors(i, j)
		x, _ = p.Float64()
		y, _ = q.Float64()
	}
	if x == 0 || y == 0 {
		return
	}
	n := len(d.use) * len(d.use)
	switch {
	case d.percent():
		if !d.alike(i, j) {
			return
		}
		if q := x / y * 100; d.close(q, math.Abs(q)) {
			d.try(Share, n, []int{i, j})
		}
		if q := (y - x) / math.Abs(x) * 100; d.close(q, math.Abs(q)+100) || d.close(-q, math.Abs(q)+100) {
			d.try(Change, n, []int{i, j})
		}
	case d.target.unit == 0 && d.alike(i, j) || d.target.unit != 0 && b == 0 && d.fits(i):
		if q := x / y; y != 1 && d.close(q, math.Abs(q)) {
			d.try(Ratio, n, []int{i, j})
		}
	}
}

// factors are the values at i and j in one unit, if both have one.
func (d *deriver) factors(i, j int) (x, y *big.Rat) {
	a, b := d.list[i].unit, d.list[j].unit
	if a == b || a == 0 || b == 0 {
		return d.operand(i), d.operand(j)
	}
	u, w := &units[a], &units[b]
	return d.list[i].Num.times(u.mul, u.exp).Rat(), d.list[j].Num.times(w.mul, w.exp).Rat()
}

// triples tries sums of any three values.
func (d *deriver) triples() {
	var list []int // indices of use
	for k, i := range d.use {
		if d.fits(i) {
			list = append(list, k)
		}
	}
	n := len(list)
	if len(d.list) == 3 {
		return // that is all of them
	}
	for a := range n {
		for b := a + 1; b < n; b++ {
			for c := b + 1; c < n; c++ {
				if d.left--; d.left < 0 {
					return
				}
				if !d.alike(d.use[list[a]], d.use[list[b]]) || !d.alike(d.use[list[a]], d.use[list[c]]) {
					continue
				}
				x, y, z := d.num[list[a]], d.num[list[b]], d.num[list[c]]
				if d.close(x+y+z, math.Abs(x)+math.Abs(y)+math.Abs(z)) {
					d.try(Sum, n*n*n/6, []int{d.use[list[a]], d.use[list[b]], d.use[list[c]]})
				}
			}
		}
	}
}

// try computes exactly what seems to fit, one of so many combinations.
func (d *deriver) try(op Op, combinations int, of []int) {
	if d.found[op] >= 4*maxWays {
		return
	}
	r, ok := d.compute(op, of)
	if !ok {
		return
	}
	gap := new(big.Rat).Sub(r, d.goal)
	if op == Change && r.Sign() != d.goal.Sign() {
		gap.Add(r, d.goal)
	}
	if gap.Abs(gap).Cmp(d.half) > 0 {
		return
	}
	d.found[op]++
	// Results are taken to be spread evenly by size over two powers of ten.
	const spread, chance = 4.6, 0.25
	expected := float64(combinations) * 2 * d.h / (spread * math.Abs(d.g))
	d.ways = append(d.ways, Derivation{Op: op, Of: of, Result: text(r), Exact: gap.Sign() == 0, Loose: combinations > 1 && !(expected < chance)})
}

// compute is the exact result.
func (d *deriver) compute(op Op, of []int) (*big.Rat, bool) {
	r := new(big.Rat)
	switch op {
	case Sum, Mean:
		for _, i := range of {
			r.Add(r, d.operand(i))
		}
		if op == Mean {
			r.Quo(r, new(big.Rat).SetInt64(int64(len(of))))
		}
		return r, true
	case Difference:
		return r.Sub(d.operand(of[0]), d.operand(of[1])), true
	}
	x, y := d.factors(of[0], of[1])
	switch {
	case op == Change && x.Sign() != 0:
		r.Sub(y, x)
		r.Quo(r, x.Abs(x))
	case op != Change && y.Sign() != 0:
		r.Quo(x, y)
	default:
		return nil, false
	}
	if op != Ratio {
		r.Mul(r, new(big.Rat).SetInt64(100))
	}
	return r, true
}

// text is r in digits: all of them if they are few, else 12.
func text(r *big.Rat) string {
	scaled, ten := new(big.Rat).Set(r), big.NewRat(10, 1)
	for n := range 13 {
		if scaled.IsInt() {
			return r.FloatString(n)
		}
		scaled.Mul(scaled, ten)
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', 12, 64)
}
