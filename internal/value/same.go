package value

import (
	"math"
	"strings"
)

// Key is a hash of something that a value may be found by.
type Key uint64

// reading is one way to read a value.
type reading struct {
	kind   Kind
	level  Relation // the best that two values agree by it
	round  bool     // may be a rounded number
	part   bool     // one number of a list, which only a source has without spaces
	unit   uint8
	digits int
	num    Decimal
	when   moment
}

// maxReadings is how many readings a value has at most.
const maxReadings = 8

// readings puts the readings of v into buf, the likeliest first. An ID's text is
// read by its reader.
func (v *Value) readings(buf *[maxReadings]reading) []reading {
	first := reading{kind: v.Kind, level: Equal, unit: v.unit, digits: v.Digits, num: v.Num, when: v.when}
	first.round = v.Kind < Date
	all := append(buf[:0], first)
	less := func(r reading) {
		r.level = min(r.level, Reading)
		if len(all) < maxReadings {
			all = append(all, r)
		}
	}
	switch v.Kind {
	case ID:
		if n, whole, ok := idNumber(v.text); ok {
			r := reading{kind: Number, level: Partial, num: n}
			if whole {
				r.level = Reading
			}
			less(r)
		}
		return all
	case Date, Clock:
		if v.when.has&hasZone != 0 && v.when.offset != 0 {
			less(reading{kind: Date, level: Reading, when: v.when.local()})
		}
		if v.flags&altDay != 0 {
			m := v.when
			m.month, m.day = m.day, m.month
			less(reading{kind: Date, level: Reading, when: m})
		}
		if v.flags&altPlain != 0 {
			less(reading{kind: Number, level: Reading, num: v.Num})
		}
		return all
	}
	if v.flags == 0 {
		return all
	}
	other := func(num Decimal, unit uint8) {
		less(reading{kind: kindOf(unit), level: Reading, unit: unit, digits: max(v.Digits, 0), num: num})
	}
	if v.flags&altPlain != 0 {
		less(reading{kind: Number, level: Reading, round: true, digits: v.Digits, num: v.Num})
	}
	if v.flags&altGroups != 0 {
		other(v.Num.times(1, v.Digits), v.unit)
	}
	if v.flags&altDecimal != 0 {
		other(v.Num.times(1, -3), v.unit)
	}
	if v.flags&altList != 0 {
		if a, b, ok := v.parts(); ok {
			less(reading{kind: Number, level: Reading, num: a, part: true})
			less(reading{kind: Number, level: Reading, num: b, part: true})
		}
	}
	if v.flags&altNegative != 0 {
		less(reading{kind: v.Kind, level: Reading, round: true, unit: v.unit, digits: v.Digits, num: v.Num.negated()})
	}
	if v.flags&altBinary != 0 {
		u := &units[v.unit]
		other(v.Num.times(1<<(10*u.exp/3), 0), spelt["B"])
	}
	if v.flags&altMetre != 0 {
		other(v.Num, spelt["m"])
	}
	if v.flags&altID != 0 {
		less(reading{kind: ID, level: Reading})
	}
	if v.flags&altDay != 0 {
		n := v.Num
		if c := n.times(1, 0); c.big == "" {
			x := int(c.Float())
			if m, ok := day(x/10000, x/100%100, x%100); ok {
				less(reading{kind: Date, level: Reading, when: m})
			}
		}
	}
	return all
}

func kindOf(unit uint8) Kind {
	if unit == 0 {
		return Number
	}
	return units[unit].kind
}

// parts are the two numbers of "17,42".
func (v *Value) parts() (a, b Decimal, ok bool) {
	var n [2]reader
	part, inside := 0, false
	for i := range len(v.text) {
		c := v.text[i]
		if class[c] == digit {
			n[part].add(c)
			inside = true
		} else if inside {
			if part++; part == 2 {
				break
			}
			inside = false
		}
	}
	a, ok = n[0].decimal(0)
	b, okToo := n[1].decimal(0)
	return a, b, ok && okToo
}

// idNumber is the number in an id: all of it if it is digits alone or v2.1 (whole), else
// the digits at its end, if they are three or more.
func idNumber(text string) (n Decimal, whole, ok bool) {
	var r reader
	if phonelike(text) {
		for _, c := range []byte(text) {
			if class[c] == digit {
				r.add(c)
			}
		}
		n, ok = r.decimal(0)
		return n, true, ok
	}
	if t := text[1:]; text[0]|0x20 == 'v' && strings.Count(t, ".") == 1 && strings.Trim(t, "0123456789") == "." {
		point := strings.IndexByte(t, '.')
		for _, c := range []byte(t) {
			if c != '.' {
				r.add(c)
			}
		}
		n, ok = r.decimal(point + 1 - len(t))
		return n, true, ok
	}
	i := len(text)
	for i > 0 && class[text[i-1]] == digit {
		i--
	}
	if len(text)-i < 3 || i > 0 && text[i-1] != '-' && text[i-1] != '_' {
		return Decimal{}, false, false
	}
	for _, c := range []byte(text[i:]) {
		r.add(c)
	}
	n, ok = r.decimal(0)
	return n, false, ok
}

// String is the likeliest reading in canonical form: "41200", "25 %", "EUR 1299",
// "2 GiB", "2026-11-30", "--11-30", "14:05", "r-17".
func (v Value) String() string {
	switch v.Kind {
	case Date, Clock:
		return v.when.String()
	case ID:
		return string(appendID(nil, v.text))
	case Amount:
		return v.Unit + " " + v.Num.String()
	}
	if v.Unit == "" {
		return v.Num.String()
	}
	return v.Num.String() + " " + v.Unit
}

// base is the number in the base of its unit.
func (r *reading) base() Decimal {
	u := &units[r.unit]
	if r.unit == 0 || u.mul == 1 && u.exp == 0 {
		return r.num
	}
	return r.num.times(u.mul, u.exp)
}

// minor is the number in the smallest coin, if it is an amount.
func (r *reading) minor() (Decimal, bool) {
	if r.kind != Amount {
		return Decimal{}, false
	}
	return r.base().times(1, 2), true
}

// Same is how a, a value of an answer, agrees with b, a value of its sources.
// It is symmetric but for Rounded, and but for "17,42", which in a source may be
// the numbers 17 and 42.
func Same(a, b Value) Relation {
	if a.flags|b.flags == 0 && a.Kind == Number && b.Kind == Number && a.Num == b.Num {
		return Equal
	}
	var bufA, bufB [maxReadings]reading
	best := None
	for _, ra := range a.readings(&bufA) {
		for _, rb := range b.readings(&bufB) {
			if limit := min(ra.level, rb.level); limit > best && !ra.part {
				// The number at the end of an id is compared with numbers alone.
				if limit == Partial && (a.Kind == ID && b.Kind == ID || ra.kind == ID || rb.kind == ID) {
					continue
				}
				best = max(best, min(limit, agree(&a, &b, &ra, &rb)))
			}
		}
	}
	return best
}

// agree is how two readings agree.
func agree(a, b *Value, x, y *reading) Relation {
	switch {
	case x.kind == ID || y.kind == ID:
		if x.kind == y.kind && sameID(a.text, b.text) {
			return Equal
		}
		return None
	case x.kind == Date || x.kind == Clock || y.kind == Date || y.kind == Clock:
		if x.when.has == 0 || y.when.has == 0 {
			return None
		}
		return x.when.agree(y.when)
	}
	if x.unit == y.unit && x.num == y.num {
		return Equal
	}
	if compatible(x.unit, y.unit) && x.base() == y.base() {
		return Unit
	}
	if x.unit == 0 != (y.unit == 0) {
		if y.unit == 0 && bare(x, y) || x.unit == 0 && bare(y, x) {
			return Bare
		}
	}
	if x.round && y.round && x.num.Sign() != 0 && rounded(x, y, a.half(x)) {
		return Rounded
	}
	return None
}

// bare says whether n, which has no unit, is the number of x.
func bare(x, n *reading) bool {
	if x.num == n.num || x.base() == n.num {
		return true
	}
	m, ok := x.minor()
	return ok && m == n.num
}

// half is how far from x, a reading of v, a number may be that it was rounded
// from: nearly nothing if v has one digit alone and does not say about how much.
func (v *Value) half(x *reading) Decimal {
	if v.flags&about != 0 || len(x.num.digits())+int(x.num.exp)+x.digits >= 2 {
		return decimal(5, -x.digits-1)
	}
	return x.num.abs().times(1, -12) // the error of a float
}

// rounded says whether x is y rounded, in the unit of x. The sign of a percentage
// may be missing.
func rounded(x, y *reading, half Decimal) bool {
	u, w := &units[x.unit], &units[y.unit]
	if (x.unit == y.unit || u.dim == "" && w.dim == "") && near(x.num, y.num, half) {
		return true
	}
	if !compatible(x.unit, y.unit) {
		return false
	}
	if x.unit != 0 {
		half = half.times(u.mul, u.exp)
	}
	return near(x.base(), y.base(), half)
}

// sameID says whether two ids are one.
func sameID(a, b string) bool {
	if a == b {
		return true
	}
	var x, y [64]byte
	return string(appendID(x[:0], a)) == string(appendID(y[:0], b))
}

// What a key is of.
const (
	keyNumber = iota + 1
	keyBucket
	keyTail
	keyID
	keyMoment    // a day with its time
	keyDay       // a day alone
	keyDayOf     // the day of a moment
	keyYearly    // a day of every year
	keyYearlyOf  // the day of the year of a day
	keyMonth     // a month alone
	keyMonthOf   // the month of a day
	keyMinute    // a time of day alone
	keyMinuteOf  // the time of day of a moment
	fnvOffset    = 14695981039346656037
	fnvPrime     = 1099511628211
	maxBuckets   = 64
	bucketDigits = 2
)

func mix(kind uint64, parts ...uint64) Key {
	h := (fnvOffset ^ kind) * fnvPrime
	for _, p := range parts {
		h ^= p
		h *= 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return Key(h)
}

func hashText(kind uint64, text []byte) Key {
	h := (fnvOffset ^ kind) * uint64(fnvPrime)
	for _, c := range text {
		h = (h ^ uint64(c)) * fnvPrime
	}
	return Key(h)
}

// numberKey is the key of a number whatever its sign, which Same compares.
func numberKey(kind uint64, d Decimal) Key {
	if d.big != "" {
		return mix(kind, uint64(hashText(kind, []byte(d.big))), uint64(uint16(d.exp)))
	}
	return mix(kind, d.coef, uint64(uint16(d.exp)))
}

// bucket is the first two digits of a number, and where they stand.
func bucket(d Decimal) (head uint64, exp int) {
	if d.Sign() == 0 {
		return 0, 0
	}
	if d.big != "" {
		return uint64(d.big[0]-'0')*10 + uint64(d.big[1]-'0'), int(d.exp) + len(d.big) - bucketDigits
	}
	c, e := d.coef, int(d.exp)
	for c >= 100000 {
		c /= 1000
		e += 3
	}
	for c >= 100 {
		c /= 10
		e++
	}
	if c < 10 {
		c *= 10
		e--
	}
	return c, e
}

func bucketKey(head uint64, exp int) Key { return mix(keyBucket, head, uint64(uint16(exp))) }

// forms are the numbers by which a reading may be found: as written, in the
// base of its unit, and in the smallest coin.
func (r *reading) forms(buf *[3]Decimal) []Decimal {
	all := append(buf[:0], r.num)
	if r.unit == 0 {
		return all
	}
	if b := r.base(); b != r.num {
		all = append(all, b)
	}
	if m, ok := r.minor(); ok && m != r.num {
		all = append(all, m)
	}
	return all
}

// AppendKeys appends the keys under which an index files v: a few, mostly two.
func (v Value) AppendKeys(dst []Key) []Key {
	var buf [maxReadings]reading
	var decimals [3]Decimal
	for _, r := range v.readings(&buf) {
		switch r.kind {
		case ID:
			dst = v.appendIDKey(dst)
		case Date, Clock:
			dst = r.when.appendKeys(dst)
		default:
			if r.level == Partial {
				dst = append(dst, numberKey(keyTail, r.num))
				continue
			}
			for k, d := range r.forms(&decimals) {
				dst = append(dst, numberKey(keyNumber, d))
				if r.round && k < 2 {
					dst = append(dst, bucketKey(bucket(d)))
				}
			}
		}
	}
	return dst
}

func (v *Value) appendIDKey(dst []Key) []Key {
	var buf [64]byte
	return append(dst, hashText(keyID, appendID(buf[:0], v.text)))
}

// AppendLookup appends the keys under which an index has every value b with
// Same(v, b) != None, the most telling keys first. Others may be there too. They
// are few, but up to 60 for "about 1", which many round to.
func (v Value) AppendLookup(dst []Key) []Key {
	var buf [maxReadings]reading
	var decimals [3]Decimal
	all := v.readings(&buf)
	for _, r := range all {
		if r.part {
			continue
		}
		switch r.kind {
		case ID:
			dst = v.appendIDKey(dst)
		case Date, Clock:
			dst = r.when.appendLookup(dst)
		default:
			for _, d := range r.forms(&decimals) {
				dst = append(dst, numberKey(keyNumber, d))
			}
			if v.Kind != ID {
				dst = append(dst, numberKey(keyTail, r.num))
			}
		}
	}
	for _, r := range all {
		if !r.round || r.num.Sign() == 0 {
			continue
		}
		half := v.half(&r)
		dst = appendBuckets(dst, r.num, half)
		if b := r.base(); b != r.num {
			u := &units[r.unit]
			dst = appendBuckets(dst, b, half.times(u.mul, u.exp))
		}
	}
	return dst
}

// appendBuckets appends the buckets that hold every number half away from d.
func appendBuckets(dst []Key, d, half Decimal) []Key {
	f, h := math.Abs(d.Float()), half.Float()
	lo, hi := (f-h)*(1-1e-9), (f+h)*(1+1e-9)
	if !(lo > 0) || math.IsInf(hi, 0) {
		return dst
	}
	// exp is where the second digit of lo stands.
	exp := int(math.Floor(math.Log10(lo))) - 1
	head := uint64(math.Floor(lo / math.Pow10(exp)))
	switch {
	case head < 10:
		exp--
		head = uint64(math.Floor(lo / math.Pow10(exp)))
	case head > 99:
		head, exp = 10, exp+1
	}
	for range maxBuckets {
		if float64(head)*math.Pow10(exp) > hi {
			break
		}
		dst = append(dst, bucketKey(head, exp))
		if head++; head == 100 {
			head, exp = 10, exp+1
		}
	}
	return dst
}

func (m moment) dayKey(kind uint64) Key {
	return mix(kind, uint64(uint16(m.year))<<16|uint64(m.month)<<8|uint64(m.day))
}
func (m moment) yearlyKey(kind uint64) Key { return mix(kind, uint64(m.month)<<8|uint64(m.day)) }
func (m moment) monthKey(kind uint64) Key {
	return mix(kind, uint64(uint16(m.year))<<8|uint64(m.month))
}
func (m moment) minuteKey(kind uint64) Key { return mix(kind, uint64(m.sec/60)) }
func (m moment) momentKey() Key {
	return mix(keyMoment, uint64(m.dayKey(keyMoment)), uint64(m.sec/60))
}

const wholeDay = hasYear | hasMonth | hasDay

func (m moment) appendKeys(dst []Key) []Key {
	timed := m.has&hasTime != 0
	switch m.has & wholeDay {
	case wholeDay:
		if timed {
			dst = append(dst, m.momentKey(), m.dayKey(keyDayOf), m.minuteKey(keyMinuteOf))
		} else {
			dst = append(dst, m.dayKey(keyDay))
		}
		return append(dst, m.yearlyKey(keyYearlyOf), m.monthKey(keyMonthOf))
	case hasMonth | hasDay:
		return append(dst, m.yearlyKey(keyYearly))
	case hasYear | hasMonth:
		return append(dst, m.monthKey(keyMonth))
	}
	return append(dst, m.minuteKey(keyMinute))
}

func (m moment) appendLookup(dst []Key) []Key {
	timed := m.has&hasTime != 0
	switch m.has & wholeDay {
	case wholeDay:
		if timed {
			dst = append(dst, m.momentKey(), m.dayKey(keyDay), m.minuteKey(keyMinute))
		} else {
			dst = append(dst, m.dayKey(keyDay), m.dayKey(keyDayOf))
		}
		return append(dst, m.yearlyKey(keyYearly), m.monthKey(keyMonth))
	case hasMonth | hasDay:
		return append(dst, m.yearlyKey(keyYearly), m.yearlyKey(keyYearlyOf))
	case hasYear | hasMonth:
		return append(dst, m.monthKey(keyMonth), m.monthKey(keyMonthOf))
	}
	return append(dst, m.minuteKey(keyMinute), m.minuteKey(keyMinuteOf))
}
