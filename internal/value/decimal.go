package value

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// Decimal is an exact decimal number. Its zero value is 0. Two Decimals are
// the same number exactly if they are == .
type Decimal struct {
	neg  bool
	exp  int16  // the number is coef · 10^exp
	coef uint64 // no multiple of ten, but for 0
	big  string // its digits instead of coef, if they are too many for that
}

// maxDigits is how many digits a number has at most. A longer one is an id.
const maxDigits = 60

// maxExp bounds the size of a number that is read, as a power of ten. What it
// becomes in another unit is a float64 still.
const maxExp = 280

// Sign is -1, 0 or 1.
func (d Decimal) Sign() int {
	switch {
	case d.coef == 0 && d.big == "":
		return 0
	case d.neg:
		return -1
	}
	return 1
}

// Whole says whether d has no fraction.
func (d Decimal) Whole() bool { return d.exp >= 0 }

// Float is the nearest float64, or nearly so.
func (d Decimal) Float() float64 {
	var f float64
	switch {
	case d.big != "":
		f, _ = strconv.ParseFloat(d.big+"e"+strconv.Itoa(int(d.exp)), 64)
	case d.exp == 0:
		f = float64(d.coef)
	case d.exp > 0 && d.exp < int16(len(tens)):
		f = float64(d.coef) * tens[d.exp]
	case d.exp < 0 && -d.exp < int16(len(tens)):
		f = float64(d.coef) / tens[-d.exp]
	default:
		f = float64(d.coef) * math.Pow10(int(d.exp))
	}
	if d.neg {
		return -f
	}
	return f
}

var tens = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// Rat is d as a new big.Rat.
func (d Decimal) Rat() *big.Rat {
	n := new(big.Int)
	if d.big != "" {
		n.SetString(d.big, 10)
	} else {
		n.SetUint64(d.coef)
	}
	if d.neg {
		n.Neg(n)
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(d.exp, -d.exp))), nil)
	if d.exp < 0 {
		return new(big.Rat).SetFrac(n, scale)
	}
	return new(big.Rat).SetInt(n.Mul(n, scale))
}

// String is the number in digits, or with an exponent where those would be
// more than 30.
func (d Decimal) String() string {
	digits := d.digits()
	sign := ""
	if d.neg {
		sign = "-"
	}
	switch e := int(d.exp); {
	case e >= 0 && len(digits)+e <= 30:
		return sign + digits + strings.Repeat("0", e)
	case e < 0 && -e < len(digits):
		return sign + digits[:len(digits)+e] + "." + digits[len(digits)+e:]
	case e < 0 && -e <= 30:
		return sign + "0." + strings.Repeat("0", -e-len(digits)) + digits
	}
	return sign + digits + "e" + strconv.Itoa(int(d.exp))
}

func (d Decimal) digits() string {
	if d.big != "" {
		return d.big
	}
	return strconv.FormatUint(d.coef, 10)
}

func (d Decimal) abs() Decimal {
	d.neg = false
	return d
}

func (d Decimal) negated() Decimal {
	d.neg = !d.neg && d.Sign() != 0
	return d
}

// decimal is coef · 10^exp in its one form.
func decimal(coef uint64, exp int) Decimal {
	if coef == 0 {
		return Decimal{}
	}
	for coef%10 == 0 {
		coef /= 10
		exp++
	}
	return Decimal{coef: coef, exp: int16(exp)}
}

// times is d · mul · 10^exp.
func (d Decimal) times(mul uint64, exp int) Decimal {
	if d.big == "" {
		if hi, lo := bits.Mul64(d.coef, mul); hi == 0 {
			r := decimal(lo, int(d.exp)+exp)
			r.neg = d.neg && r.Sign() != 0
			return r
		}
	}
	n, _ := new(big.Int).SetString(d.digits(), 10)
	r := fromDigits(n.Mul(n, new(big.Int).SetUint64(mul)).String(), int(d.exp)+exp)
	r.neg = d.neg
	return r
}

// fromDigits is the number with these digits, which do not begin with 0.
func fromDigits(digits string, exp int) Decimal {
	short := strings.TrimRight(digits, "0")
	exp += len(digits) - len(short)
	if len(short) <= 19 {
		n, _ := strconv.ParseUint("0"+short, 10, 64)
		return decimal(n, exp)
	}
	return Decimal{big: short, exp: int16(exp)}
}

// near says whether a and b are apart by half at most.
func near(a, b, half Decimal) bool {
	x, y, h := a.Float(), b.Float(), half.Float()
	slack := 1e-12 * (math.Abs(x) + math.Abs(y))
	if gap := math.Abs(x - y); gap > h+slack {
		return false
	} else if gap < h-slack {
		return true
	}
	gap := new(big.Rat).Sub(a.Rat(), b.Rat())
	return gap.Abs(gap).Cmp(half.Rat()) <= 0
}

// reader takes the digits of a number one by one.
type reader struct {
	coef uint64
	n    int    // significant digits so far
	over []byte // all digits, if they are too many for coef
}

func (r *reader) add(c byte) {
	switch {
	case r.over != nil:
		r.over = append(r.over, c)
		r.n++
	case r.n < 19:
		r.coef = r.coef*10 + uint64(c-'0')
		if r.coef != 0 {
			r.n++
		}
	default:
		r.over = append(strconv.AppendUint(nil, r.coef, 10), c)
		r.n++
	}
}

// decimal is the number read, times 10^exp; false if it is too long or large.
func (r *reader) decimal(exp int) (Decimal, bool) {
	if r.n > maxDigits || exp+r.n > maxExp || exp < -maxExp {
		return Decimal{}, false
	}
	if r.over != nil {
		return fromDigits(string(r.over), exp), true
	}
	return decimal(r.coef, exp), true
}
