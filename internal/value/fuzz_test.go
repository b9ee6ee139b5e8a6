package value

import (
	"math/big"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzScan holds that values lie in order within the text, on rune edges; that
// the spelling of a value alone says the same; and that an index finds it.
func FuzzScan(f *testing.F) {
	for _, line := range spellings(f) {
		f.Add(strings.Join(line.texts, " "))
		f.Add(strings.Join(line.texts, ","))
	}
	f.Add(`{"n":3,"list":[1,234,5,-6],"t":"a\n17\u00a0kg","x":1e3,"y":1E+2,"z":-0.5}`)
	f.Add("1-1-1-1-1-1 1,1,1,1,1 1 1 1 1 a-a-a-a-a 100 100 100 100 100 100 100 100 100 100 5")
	f.Add("\xff17\xc2 €\xe2\x82 5")
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, v := range Scan(text) {
			if v.Start < last || v.End <= v.Start || v.End > len(text) {
				t.Fatalf("%q: %d to %d after %d", text, v.Start, v.End, last)
			}
			last = v.End
			if v.Text() != strings.NewReplacer("\u2011", "-", "\u2010", "-").Replace(text[v.Start:v.End]) || v.Kind == 0 || v.Kind > ID {
				t.Fatalf("%q: %s %q at %d", text, v.Kind, v.Text(), v.Start)
			}
			if utf8.ValidString(text) && !utf8.ValidString(v.Text()) {
				t.Fatalf("%q: %q cuts a rune", text, v.Text())
			}
			if Same(v, v) != Equal {
				t.Fatalf("%q is not itself, but %s", v.Text(), Same(v, v))
			}
			again := Scan(v.Text())
			if len(again) != 1 || again[0].String() != v.String() || again[0].Kind != v.Kind || again[0].Text() != v.Text() {
				t.Fatalf("%q: %s %q says %q, and alone %v", text, v.Kind, v.Text(), v, again)
			}
			if !meet(v.AppendLookup(nil), v.AppendKeys(nil)) {
				t.Fatalf("%q does not find itself", v.Text())
			}
			v.Under("total_cents")
		}
	})
}

func meet(a, b []Key) bool {
	return slices.ContainsFunc(a, func(k Key) bool { return slices.Contains(b, k) })
}

// FuzzSame holds over any two texts that Same is symmetric but for what it says,
// that what is Equal has one String, and that a lookup finds what agrees.
func FuzzSame(f *testing.F) {
	for _, line := range spellings(f) {
		f.Add(line.texts[0], line.texts[len(line.texts)-1])
	}
	f.Fuzz(func(t *testing.T, x, y string) {
		for _, a := range Scan(x[:min(len(x), 200)]) {
			for _, b := range Scan(y[:min(len(y), 200)]) {
				ab, ba := Same(a, b), Same(b, a)
				if ab != ba && ab != Rounded && ba != Rounded && (a.flags|b.flags)&altList == 0 {
					t.Fatalf("%q and %q: %s one way, %s the other", a.Text(), b.Text(), ab, ba)
				}
				if ab == Equal && a.String() != b.String() {
					t.Fatalf("%q and %q are equal, and say %q and %q", a.Text(), b.Text(), a, b)
				}
				if ab != None && !meet(a.AppendLookup(nil), b.AppendKeys(nil)) {
					t.Fatalf("%q does not find %q, which is %s", a.Text(), b.Text(), ab)
				}
			}
		}
	})
}

// FuzzDerive computes every derivation anew.
func FuzzDerive(f *testing.F) {
	f.Add("41.2k", "41000 203 7")
	f.Add("33.3 %", "[1,3]")
	f.Add("12.5 %", "80 70")
	f.Add("€12.50", "EUR 1250 100 ports")
	f.Add("90 minutes", "1 h, 20 min, 10 min, 1800 s")
	f.Add("3", "a-1 b-2 c-3")
	f.Add("2.0 GiB", "1024 MiB 1 GiB")
	f.Add("0.5", "1 2 3 4 5 6")
	f.Fuzz(func(t *testing.T, x, y string) {
		list := Scan(y[:min(len(y), 300)])
		for _, target := range Scan(x[:min(len(x), 40)]) {
			ways, whole := Derive(target, list, 1<<16)
			if len(ways) > 8 || !whole && len(list) < 70 {
				t.Fatalf("%d ways, whole %v, of %d values", len(ways), whole, len(list))
			}
			for _, w := range ways {
				if slices.ContainsFunc(w.Of, func(i int) bool { return i < 0 || i >= len(list) }) {
					t.Fatalf("%v of %d values", w.Of, len(list))
				}
				if target.Common && len(w.Of) != len(list) {
					t.Fatalf("%q is common, and derived from %v", target.Text(), w.Of)
				}
				check(t, target, list, w)
			}
		}
	})
}

// inBase is what v says in the base of its unit.
func inBase(v Value) *big.Rat {
	u := units[v.unit]
	if v.unit == 0 {
		return v.Num.Rat()
	}
	return new(big.Rat).Mul(v.Num.Rat(), new(big.Rat).Mul(decimal(1, u.exp).Rat(), new(big.Rat).SetUint64(u.mul)))
}

// check computes w in the plainest way that its units allow: as written, or all
// in their base. One of the two must come within half a digit of the target.
func check(t *testing.T, target Value, list []Value, w Derivation) {
	t.Helper()
	if w.Op == Count {
		if target.Num.String() != w.Result {
			t.Fatalf("%q is no count of %d", target.Text(), len(list))
		}
		return
	}
	half := decimal(5, -target.Digits-1).Rat()
	scale := big.NewRat(1, 1)
	if u := units[target.unit]; target.unit != 0 {
		scale = new(big.Rat).Mul(decimal(1, u.exp).Rat(), new(big.Rat).SetUint64(u.mul))
	}
	unit := target.unit
	for i := 0; unit == 0 && i < len(list); i++ {
		if list[i].Kind < Date {
			unit = list[i].unit
		}
	}
	try := func(of func(Value) *big.Rat, goal, half *big.Rat) bool {
		r := new(big.Rat)
		switch w.Op {
		case Sum, Mean:
			for _, i := range w.Of {
				r.Add(r, of(list[i]))
			}
			if w.Op == Mean {
				r.Quo(r, big.NewRat(int64(len(w.Of)), 1))
			}
		case Difference:
			r.Sub(of(list[w.Of[0]]), of(list[w.Of[1]]))
		case Share, Ratio:
			if of(list[w.Of[1]]).Sign() == 0 {
				return false
			}
			r.Quo(of(list[w.Of[0]]), of(list[w.Of[1]]))
		case Change:
			x, y := of(list[w.Of[0]]), of(list[w.Of[1]])
			if x.Sign() == 0 {
				return false
			}
			r.Sub(y, x)
			r.Quo(r, x.Abs(x))
			if r.Sign() != goal.Sign() {
				r.Neg(r)
			}
		}
		gap := r.Sub(r, goal)
		return gap.Abs(gap).Cmp(half) <= 0
	}
	written := func(v Value) *big.Rat { return v.Num.Rat() }
	mixed := func(v Value) *big.Rat { // what has no unit is in that of the others
		if v.unit == 0 && unit != 0 {
			v.unit = unit
		}
		return inBase(v)
	}
	goalBase, halfBase := inBase(target), new(big.Rat).Mul(half, scale)
	if target.unit == 0 && unit != 0 { // a sum of values with a unit
		goalBase = mixed(target)
		u := target
		u.Num, u.unit = decimal(5, -target.Digits-1), unit
		halfBase = inBase(u)
	}
	ok := try(written, target.Num.Rat(), half) || try(mixed, goalBase, halfBase) || try(inBase, inBase(target), halfBase) ||
		try(inBase, target.Num.Rat(), half) || try(written, inBase(target), halfBase)
	if !ok {
		t.Fatalf("%q is not the %s of %v in %v, which was said to be %s", target.Text(), w.Op, w.Of, list, w.Result)
	}
}
