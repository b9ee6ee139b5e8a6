package value

import "strings"

// fieldUnits are the words at the end of a field's name that tell its unit.
var fieldUnits = map[string]string{
	"cent": "¢", "cents": "¢", "pence": "pence",
	"percent": "%", "pct": "%", "percentage": "%", "permille": "‰", "bps": "bps",
	"bytes": "B", "kb": "kB", "mb": "MB", "gb": "GB", "tb": "TB", "kib": "KiB", "mib": "MiB", "gib": "GiB", "tib": "TiB",
	"ns": "ns", "us": "us", "micros": "us", "ms": "ms", "msec": "ms", "millis": "ms", "milliseconds": "ms", "s": "s", "sec": "s", "secs": "s", "seconds": "s",
	"mins": "min", "minutes": "min", "hours": "h", "hrs": "h", "days": "day", "weeks": "week", "months": "month", "years": "year",
	"eur": "EUR", "euro": "EUR", "euros": "EUR", "usd": "USD", "dollars": "USD", "gbp": "GBP", "chf": "CHF", "jpy": "JPY", "inr": "INR", "cad": "CAD", "aud": "AUD",
	"mm": "mm", "cm": "cm", "m": "m", "meters": "m", "metres": "m", "km": "km", "miles": "mi", "mg": "mg", "grams": "g", "kg": "kg", "ml": "ml",
	"celsius": "°C", "fahrenheit": "°F", "watts": "W", "kw": "kW", "kwh": "kWh", "hz": "Hz", "mhz": "MHz", "ghz": "GHz",
}

// Under is v as the value of a JSON field of that name, whose last word may be
// its unit: amountCents, duration_ms, discountPercent, created_at (Unix time,
// if v is a whole number of 10 or 13 digits). Without such a word it is v. What
// it was without the name remains a less likely reading.
func (v Value) Under(name string) Value {
	if v.Kind != Number || v.flags&altPlain != 0 || len(name) > maxText {
		return v
	}
	word := lastWord(name)
	if u := spelt[fieldUnits[word]]; u != 0 {
		v.unit, v.Unit, v.Kind, v.Common = u, units[u].name, units[u].kind, false
		v.flags |= altPlain
		if units[u].dim == "B" && units[u].mul == 1 && units[u].exp > 0 {
			v.flags |= altBinary
		}
		return v
	}
	switch word {
	case "at", "time", "timestamp", "ts", "epoch", "unix", "date", "on", "created", "updated", "modified", "expires", "exp", "iat":
		if m, ok := unixTime(v.Num); ok {
			v.Kind, v.when, v.Common = Date, m, false
			v.flags |= altPlain
		}
	}
	return v
}

// lastWord is the last word of the name of a field, in lower case.
func lastWord(name string) string {
	end := len(name)
	i := end
	for i > 0 {
		c := name[i-1]
		if !upper(c) && !lower(c) {
			break
		}
		i--
		if upper(c) && i > 0 && lower(name[i-1]) {
			break
		}
	}
	return strings.ToLower(name[i:end])
}

// unixTime is the time that a whole number of 10 digits tells in seconds, or one
// of 13 in milliseconds.
func unixTime(n Decimal) (moment, bool) {
	if n.neg || n.big != "" || n.exp < 0 || n.exp > 12 || n.coef >= 1e13 {
		return moment{}, false
	}
	t := n.coef * uint64(tens[n.exp])
	nano := int32(0)
	switch {
	case t >= 1e9 && t < 1e10:
	case t >= 1e12 && t < 1e13:
		nano = int32(t%1000) * 1e6
		t /= 1000
	default:
		return moment{}, false
	}
	days := int(t / 86400)
	m := moment{year: 1970, month: 1, sec: int32(t % 86400), nano: nano, has: wholeDay | hasTime | hasSecond | hasZone}
	for {
		n := 365
		if daysIn(m.year, 2) == 29 {
			n++
		}
		if days < n {
			break
		}
		days -= n
		m.year++
	}
	for days >= int(daysIn(m.year, m.month)) {
		days -= int(daysIn(m.year, m.month))
		m.month++
	}
	m.day = uint8(days + 1)
	if nano != 0 {
		m.has |= hasFraction
	}
	return m, true
}
