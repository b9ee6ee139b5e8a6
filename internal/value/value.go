// Package value finds the values that a text names: numbers, percentages,
// amounts, quantities, durations, dates, times and ids. It compares them by
// what they say and not by how they are spelled.
//
//	text ──Scan──▶ []Value ──AppendKeys──▶ an index of the caller's
//	                  │                        ▲
//	                  │ ──AppendLookup─────────┘ candidates
//	                  ├─Same(a, b)──▶ Relation: how they agree
//	                  └─Derive(v, list)──▶ sums, ratios, … that give v
//
// A value is one spelling with one or more readings. The likeliest comes first,
// and is what Kind, Num and Unit tell: "1,234" is 1234, and less likely 1.234;
// "11/12/2026" is the 12th of November, and less likely the 11th of December.
// String is the likeliest reading in one canonical form.
//
// An index files each value of its texts under AppendKeys, and finds candidates
// for a value of an answer under AppendLookup. Keys are hashes, so Same has the
// last word: every b with Same(a, b) != None is found so.
//
// In JSON the name of a field often says the unit: "amountCents": 129900. Who
// walks the JSON passes the name to Under and compares what it returns.
//
// A token of more than 256 bytes is data and no value; a number of more than 60
// digits is an ID. "80 443" is one number, as "41 200" is; right after another
// number and a space it is two. A path is read part by part: "orders/17" is 17.
//
// Everything is linear in the text, has no state, and is safe for concurrent
// use. Digits are ASCII digits; booleans are no values; neither are words
// without a digit, but for numbers in words ("forty-two") and e-mail addresses.
package value

// Kind is what sort of thing a value is.
type Kind uint8

const (
	Number   Kind = iota + 1 // 41200, 41.2k, 0xa0f0, forty-two
	Percent                  // 25 %, 25 percent
	Amount                   // €1,299.00, 129900 cents
	Quantity                 // 2 GiB, 5 km
	Duration                 // 90 minutes, 1h30m, PT90M
	Date                     // 2026-11-30, 30 Nov, 2026-11-30T22:06:04Z
	Clock                    // 14:05, 2:05 pm
	ID                       // R-17, a UUID, a hash, an address, a version
)

// Value is one value that a text names.
type Value struct {
	Start, End int  // its bytes in the text, on rune edges
	Kind       Kind // of its likeliest reading

	// Num is the number as it is written, in Unit: 25 for "25 %", 2 for
	// "2 GiB", 41200 for "41.2k". Zero for a Date, a Clock and an ID, but for a
	// Date that Under made of a number.
	Num Decimal
	// Unit is canonical: "%", "EUR", "GiB", "min"; "¤" is a currency that is
	// not told. Empty if there is none.
	Unit string
	// Digits is how many decimals of Num were written, -2 if it was written
	// in hundreds as "41.2k" is.
	Digits int
	// Common is a value that says little by itself: a whole number up to 12,
	// 100, 1000, a year alone, an id of one or two characters.
	Common bool

	text  string
	unit  uint8 // an index of units
	flags flags
	when  moment
}

// Relation is how two values agree, the weakest first. If several things stand
// between them it is the weakest of those.
type Relation uint8

const (
	// None: they do not agree.
	None Relation = iota
	// Partial: one says less than the other and they agree in that: 30 Nov and
	// 2026-11-30, 2026-11-30 and 2026-11-30T22:06:04Z, 41200 and order-41200.
	Partial
	// Rounded: a is b rounded to the digits that a has, two or more but for
	// "about 8", and both have a unit or neither; that of a percentage may lack.
	Rounded
	// Reading: equal if one is read in a less likely way: 1,234 and 1.234.
	Reading
	// Bare: the same number, and one of them has no unit: 90 minutes and 90.
	Bare
	// Unit: equal after a change of unit: 25 % and 0.25, 2 GiB and 2048 MiB.
	Unit
	// Equal: they say the same. So do their Strings.
	Equal
)

var relations = [...]string{"none", "partial", "rounded", "reading", "bare", "unit", "equal"}

// String is the relation in lower case.
func (r Relation) String() string {
	if int(r) < len(relations) {
		return relations[r]
	}
	return "none"
}

var kinds = [...]string{"", "number", "percent", "amount", "quantity", "duration", "date", "clock", "id"}

// String is the kind in lower case, empty for the zero Kind.
func (k Kind) String() string {
	if int(k) < len(kinds) {
		return kinds[k]
	}
	return ""
}

// MaxValues is how many values Scan returns at most. If it returns that many,
// what the text names after the last one was not read; All has no such bound.
const MaxValues = 1 << 17

// Text is the value as it is spelled, but with the hyphens of ASCII.
func (v Value) Text() string { return v.text }
