package value

import "strings"

// unit is a unit that values are compared in: mul · 10^exp of the base of its
// dimension. The base of percent is the plain number.
type unit struct {
	name   string
	kind   Kind
	dim    string
	mul    uint64
	exp    int
	spelt  string // the words after a number that mean it, apart by spaces
	beside string // and those that mean it only with no space between
}

// anyCurrency is the dimension of money that does not tell its currency.
const anyCurrency = "¤"

// units holds no unit at 0.
var units = [...]unit{
	{},
	{"%", Percent, "", 1, -2, "% percent pct", ""},
	{"‰", Percent, "", 1, -3, "‰ permille", ""},
	{"bp", Percent, "", 1, -4, "bps bp", ""},

	{"¢", Amount, anyCurrency, 1, -2, "¢ cent cents ct", ""},
	{"¤", Amount, anyCurrency, 1, 0, "¤", ""},
	{"EUR", Amount, "EUR", 1, 0, "EUR eur € euro euros Euro Euros", ""},
	{"USD", Amount, "USD", 1, 0, "USD usd $ US$ dollar dollars Dollar Dollars", ""},
	{"GBP", Amount, "GBP", 1, 0, "GBP gbp £ pound pounds", ""},
	{"pence", Amount, "GBP", 1, -2, "pence penny", ""},
	{"JPY", Amount, "JPY", 1, 0, "JPY jpy ¥ yen", ""},
	{"CHF", Amount, "CHF", 1, 0, "CHF chf franc francs Franken", ""},
	{"INR", Amount, "INR", 1, 0, "INR inr ₹ rupee rupees", ""},
	{"CNY", Amount, "CNY", 1, 0, "CNY RMB yuan", ""},
	{"CAD", Amount, "CAD", 1, 0, "CAD cad CA$ C$", ""},
	{"AUD", Amount, "AUD", 1, 0, "AUD aud AU$ A$", ""},
	{"NZD", Amount, "NZD", 1, 0, "NZD NZ$", ""},
	{"HKD", Amount, "HKD", 1, 0, "HKD HK$", ""},
	{"SGD", Amount, "SGD", 1, 0, "SGD S$", ""},
	{"BRL", Amount, "BRL", 1, 0, "BRL R$ reais", ""},
	{"MXN", Amount, "MXN", 1, 0, "MXN", ""},
	{"SEK", Amount, "SEK", 1, 0, "SEK", ""},
	{"NOK", Amount, "NOK", 1, 0, "NOK", ""},
	{"DKK", Amount, "DKK", 1, 0, "DKK", ""},
	{"PLN", Amount, "PLN", 1, 0, "PLN zł złoty zloty", ""},
	{"CZK", Amount, "CZK", 1, 0, "CZK Kč", ""},
	{"HUF", Amount, "HUF", 1, 0, "HUF", ""},
	{"ZAR", Amount, "ZAR", 1, 0, "ZAR", ""},
	{"KRW", Amount, "KRW", 1, 0, "KRW ₩", ""},
	{"TRY", Amount, "TRY", 1, 0, "TRY ₺ lira", ""},
	{"ILS", Amount, "ILS", 1, 0, "ILS ₪", ""},
	{"AED", Amount, "AED", 1, 0, "AED", ""},
	{"THB", Amount, "THB", 1, 0, "THB ฿ baht", ""},

	{"B", Quantity, "B", 1, 0, "B byte bytes Byte Bytes octets", ""},
	{"kB", Quantity, "B", 1, 3, "kB KB kb kilobyte kilobytes", ""},
	{"MB", Quantity, "B", 1, 6, "MB mb megabyte megabytes", ""},
	{"GB", Quantity, "B", 1, 9, "GB gb gigabyte gigabytes", ""},
	{"TB", Quantity, "B", 1, 12, "TB tb terabyte terabytes", ""},
	{"PB", Quantity, "B", 1, 15, "PB pb petabyte petabytes", ""},
	{"KiB", Quantity, "B", 1 << 10, 0, "KiB kib Ki kibibyte kibibytes", ""},
	{"MiB", Quantity, "B", 1 << 20, 0, "MiB mib Mi mebibyte mebibytes", ""},
	{"GiB", Quantity, "B", 1 << 30, 0, "GiB gib Gi gibibyte gibibytes", ""},
	{"TiB", Quantity, "B", 1 << 40, 0, "TiB tib Ti tebibyte tebibytes", ""},

	{"ns", Duration, "s", 1, -9, "ns nanosecond nanoseconds", ""},
	{"µs", Duration, "s", 1, -6, "us µs μs microsecond microseconds", ""},
	{"ms", Duration, "s", 1, -3, "ms msec millis millisecond milliseconds", ""},
	{"s", Duration, "s", 1, 0, "s sec secs second seconds", ""},
	{"min", Duration, "s", 60, 0, "min mins minute minutes", "m"},
	{"h", Duration, "s", 3600, 0, "h hr hrs hour hours", ""},
	{"d", Duration, "s", 86400, 0, "day days", "d"},
	{"wk", Duration, "s", 604800, 0, "week weeks wk wks", "w"},
	{"mo", Duration, "mo", 1, 0, "month months", "mo"},
	{"y", Duration, "mo", 12, 0, "year years yr yrs", "y"},

	{"mm", Quantity, "m", 1, -3, "mm millimetre millimetres millimeter millimeters", ""},
	{"cm", Quantity, "m", 1, -2, "cm centimetre centimetres centimeter centimeters", ""},
	{"m", Quantity, "m", 1, 0, "m metre metres meter meters", ""},
	{"km", Quantity, "m", 1, 3, "km kilometre kilometres kilometer kilometers", ""},
	{"mi", Quantity, "m", 1609344, -3, "mi mile miles", ""},
	{"ft", Quantity, "m", 3048, -4, "ft foot feet", ""},
	{"mg", Quantity, "g", 1, -3, "mg milligram milligrams", ""},
	{"g", Quantity, "g", 1, 0, "g gram grams", ""},
	{"kg", Quantity, "g", 1, 3, "kg kilogram kilograms kilo kilos", ""},
	{"t", Quantity, "g", 1, 6, "tonne tonnes", "t"},
	{"lb", Quantity, "g", 45359237, -5, "lb lbs", ""},
	{"ml", Quantity, "l", 1, -3, "ml mL millilitre millilitres milliliter milliliters", ""},
	{"l", Quantity, "l", 1, 0, "litre litres liter liters", "l L"},
	{"°C", Quantity, "°C", 1, 0, "°C celsius Celsius", ""},
	{"°F", Quantity, "°F", 1, 0, "°F fahrenheit Fahrenheit", ""},
	{"W", Quantity, "W", 1, 0, "W watt watts", ""},
	{"kW", Quantity, "W", 1, 3, "kW", ""},
	{"MW", Quantity, "W", 1, 6, "MW", ""},
	{"Wh", Quantity, "Wh", 1, 0, "Wh", ""},
	{"kWh", Quantity, "Wh", 1, 3, "kWh", ""},
	{"MWh", Quantity, "Wh", 1, 6, "MWh", ""},
	{"Hz", Quantity, "Hz", 1, 0, "Hz", ""},
	{"kHz", Quantity, "Hz", 1, 3, "kHz", ""},
	{"MHz", Quantity, "Hz", 1, 6, "MHz", ""},
	{"GHz", Quantity, "Hz", 1, 9, "GHz", ""},
}

// spelt and beside are units by their words, the second only right after the
// digits. Both hold indices of units.
var spelt, beside = unitWords()

func unitWords() (spelt, beside map[string]uint8) {
	spelt, beside = map[string]uint8{}, map[string]uint8{}
	for i, u := range units {
		for _, w := range strings.Fields(u.spelt) {
			spelt[w] = uint8(i)
			beside[w] = uint8(i)
		}
	}
	for i, u := range units {
		for _, w := range strings.Fields(u.beside) {
			beside[w] = uint8(i)
		}
	}
	return spelt, beside
}

// powers are words that multiply the number before them, by their powers of
// ten; the short ones only right after its digits.
var (
	powers = map[string]int{
		"hundred": 2, "thousand": 3, "million": 6, "millions": 6, "mio": 6, "Mio": 6, "mln": 6, "billion": 9, "billions": 9, "bn": 9,
		"mrd": 9, "Mrd": 9, "trillion": 12, "trillions": 12, "Hundred": 2, "Thousand": 3, "Million": 6, "Billion": 9, "Trillion": 12, "Tsd": 3,
	}
	shortPowers = map[string]int{"k": 3, "K": 3, "M": 6, "bn": 9, "Bn": 9, "mn": 6, "mio": 6, "Mio": 6}
	moneyPowers = map[string]int{"k": 3, "K": 3, "m": 6, "M": 6, "mm": 6, "b": 9, "B": 9, "bn": 9, "Bn": 9, "t": 12, "T": 12, "mn": 6}
)

// compatible says whether amounts in the two units can be compared.
func compatible(a, b uint8) bool {
	x, y := &units[a], &units[b]
	if x.dim == y.dim {
		return true
	}
	return x.kind == Amount && y.kind == Amount && (x.dim == anyCurrency || y.dim == anyCurrency)
}

// timeUnit says whether u is a unit of time with a fixed length.
func timeUnit(u uint8) bool { return units[u].dim == "s" }
