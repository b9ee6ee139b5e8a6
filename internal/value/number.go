package value

import "unicode/utf8"

// plainEnd are the bytes after digits that end a whole number at once.
var plainEnd = func() (c [256]bool) {
	for _, b := range []byte("\"}]\n\r\t;)|<>=&?!*") {
		c[b] = true
	}
	return c
}()

// digit reads what begins with a digit at i, and with the sign and the currency
// before it. It returns where to go on.
func (s *scanner) digit(i int) (Value, int) {
	end := s.digits(i)
	v := Value{Start: i, End: end, Kind: Number}
	c := s.at(end)
	if c != 0 && !plainEnd[c] && !(c == ',' && !s.digitAt(end+1)) && !s.point(i) {
		if w, ok := s.special(i, end); ok {
			return w, max(w.End, end)
		}
	}
	if s.number(&v, end) {
		return v, v.End
	}
	if s.point(i) {
		bare := scanner{text: s.text, floor: i}
		return bare.digit(i)
	}
	run, _ := s.run(end)
	all, _, _ := s.token(i, run, true)
	if v.End <= all {
		return s.id(i, all)
	}
	// What was read as one number is several things: the first is read alone.
	first := scanner{text: s.text[:all], floor: s.floor}
	return first.digit(i)
}

// special reads what begins with digits from i to end and is no number: a date,
// a time of day, an address, a version, a phone number, a token.
func (s *scanner) special(i, end int) (Value, bool) {
	n := end - i
	switch c := s.text[end]; {
	case c == 'x' || c == 'X':
		return s.hex(i, end)
	case c == '-' && n == 4, c == '/' && n <= 4:
		if v, ok := s.numericDate(i, c); ok {
			return v, true
		}
	case c == ':' && n <= 4:
		if v, ok := s.clock(i, end); ok {
			return v, true
		}
		if v, ok := s.colons(i); ok {
			return v, true
		}
	case c == '.' && s.digitAt(end+1):
		if v, ok := s.dots(i, end); ok {
			return v, true
		}
	}
	if n <= 2 {
		if v, ok := s.dayFirst(i, end); ok {
			return v, true
		}
		if v, ok := s.halfDay(i, end); ok {
			return v, true
		}
		if v, ok := s.hours(i, end); ok {
			return v, true
		}
	}
	if c := s.text[end]; c == '-' && s.wordAt(end+1) {
		return s.dashes(i, end)
	}
	if s.text[end] == ' ' && n == 4 {
		if v, ok := s.fours(i, end); ok {
			return v, true
		}
	}
	if v, ok := s.areaCode(i, end); ok {
		return v, true
	}
	if n <= 4 && hexDigit(s.text[end]) {
		return s.colons(i)
	}
	return Value{}, false
}

// hex reads 0xa0f0 as a number, and a longer one as an id.
func (s *scanner) hex(i, end int) (Value, bool) {
	if end != i+1 || s.text[i] != '0' {
		return Value{}, false
	}
	j, n := end+1, uint64(0)
	for j < len(s.text) && hexDigit(s.text[j]) {
		c := s.text[j] | 0x20
		d := uint64(c - '0')
		if c >= 'a' {
			d = uint64(c-'a') + 10
		}
		n = n<<4 | d
		j++
	}
	if all, _, _ := s.token(i, j, true); j == end+1 || s.wordAt(j) || all != j {
		return Value{}, false
	}
	if j-end-1 > 16 {
		v, _ := s.id(i, j)
		return v, v.Kind != 0
	}
	return Value{Start: i, End: j, Kind: Number, Num: decimal(n, 0), flags: altID}, true
}

// dots reads digits with two dots in them or more: a date, an address, a version.
func (s *scanner) dots(i, end int) (Value, bool) {
	groups, threes, byteLike := 1, end-i <= 3 && s.text[i] != '0', end-i <= 3
	first := end
	for s.at(end) == '.' && s.digitAt(end+1) {
		k := s.digits(end + 1)
		threes = threes && k-end == 4
		byteLike = byteLike && k-end <= 4
		groups++
		end = k
	}
	if groups < 3 {
		return Value{}, false
	}
	if groups == 3 && !s.wordAt(end) {
		if v, ok := s.dottedDate(i, first); ok {
			return v, true
		}
	}
	if threes && !(groups == 4 && byteLike && s.addressLike(i, end)) && !s.wordAt(end) && groups < 9 {
		return Value{}, false // groups of three: a number
	}
	all, _, _ := s.token(i, end, true)
	if s.wordAt(all) { // letters right after the digits
		run, _ := s.run(all)
		all, _, _ = s.token(i, run, true)
	}
	v, _ := s.id(i, all)
	if v.Kind == 0 {
		v.End = all
	}
	return v, true
}

// addressLike says whether all numbers between the dots are 255 at most.
func (s *scanner) addressLike(i, end int) bool {
	n := 0
	for _, c := range []byte(s.text[i:end]) {
		if c == '.' {
			n = 0
		} else if n = n*10 + int(c-'0'); n > 255 {
			return false
		}
	}
	return true
}

// dashes reads digits that a dash joins to something: a phone number, an id. A
// range ("3-5") and a word after the dash ("90-minute") leave a number.
func (s *scanner) dashes(i, end int) (Value, bool) {
	j, groups, letters, words := end, 1, false, true
	for s.at(j) == '-' && s.wordAt(j+1) {
		k, digits := s.run(j + 1)
		if s.digits(j+1) != k {
			letters = true
		}
		words = words && !digits && k-j > 3 && lower(s.at(j+1))
		groups++
		j = k
	}
	switch {
	case letters && words:
		return Value{}, false
	case letters:
		all, _, _ := s.token(i, j, true)
		v, _ := s.id(i, all)
		if v.Kind == 0 {
			v.End = all
		}
		return v, true
	case groups == 2 && (j-i < 8 || j-end-1 == end-i):
		return Value{}, false
	}
	v, _ := s.id(i, j)
	if v.Kind == 0 {
		v.End = j
	}
	return v, true
}

// fours reads a card or account number: four groups of four digits or more.
func (s *scanner) fours(i, end int) (Value, bool) {
	groups := 1
	for s.at(end) == ' ' && s.digits(end+1) == end+5 && groups < 9 {
		end += 5
		groups++
	}
	if groups < 4 || s.wordAt(end) {
		return Value{}, false
	}
	return Value{Start: i, End: end, Kind: ID}, true
}

// areaCode reads a phone number that begins with a zero and parts the area code
// by a space or a slash: 0800 5550199. Its first digits end at end.
func (s *scanner) areaCode(i, end int) (Value, bool) {
	if n := end - i; n < 3 || n > 5 || s.text[i] != '0' || s.text[i+1] == '0' || s.at(end) != ' ' && s.at(end) != '/' || s.digitAt(i-2) {
		return Value{}, false
	}
	digits, groups := end-i, 0
	for c := s.at(end); (c == ' ' || c == '-' || groups == 0 && c == '/') && s.digitAt(end+1); c = s.at(end) {
		k := s.digits(end + 1)
		digits += k - end - 1
		groups++
		end = k
	}
	if digits < 9 || digits > 13 || groups > 3 || s.wordAt(end) {
		return Value{}, false
	}
	return Value{Start: i, End: end, Kind: ID}, true
}

// number reads a number whose first digits end at end, and all that belongs to
// it: separators, decimals, an exponent, a power, a unit, a sign, a currency. It
// returns false if that is no number, and v ends where it was tried to.
func (s *scanner) number(v *Value, end int) bool {
	i := v.Start
	var r reader
	for _, c := range []byte(s.text[i:end]) {
		r.add(c)
	}
	e, exp := end, 0
	if s.point(i) {
		v.Start, exp = i-1, i-end
	} else {
		e, exp = s.separators(v, &r, end)
	}
	plain := e == end && exp == 0
	v.Digits = -exp
	if s.at(e)|0x20 == 'e' {
		if k, x, ok := s.exponent(e); ok {
			if plain && k == s.digits(e+1) {
				v.flags |= altID
			}
			e, exp, plain = k, exp+x, false
			v.Digits = -exp
		}
	}
	num, ok := r.decimal(exp)
	v.Num, v.End = num, e
	if !ok {
		return false
	}
	start := v.Start
	neg := start > s.floor && s.prefix(v)
	if c := s.at(e); !plainEnd[c] && c != ',' && !s.suffix(v) {
		// A word goes on: then what stands before is no part of the value.
		alone := v.Start == start
		v.Start, v.unit, v.End, neg = start, 0, e, false
		if alone || !s.suffix(v) {
			return false
		}
	}
	if plain && v.unit == 0 && v.End == end {
		switch n := end - i; {
		case n >= 3 && s.text[i] == '0':
			*v = Value{Start: i, End: end, Kind: ID}
			return true
		case n == 8 && v.Start == i && compactDay(s.text[i:end]):
			v.flags |= altDay
		}
	}
	if v.unit != 0 {
		v.Kind = units[v.unit].kind
	}
	switch {
	case neg:
		v.Num = v.Num.negated()
	case s.at(v.Start-1) == '(' && s.at(v.End) == ')' && (!plain || v.unit != 0):
		v.flags |= altNegative
	}
	if s.at(v.Start-1) == ' ' || s.at(v.Start-1) == '~' {
		s.context(v)
	}
	return true
}

// point says whether the digits at i are those of ".5".
func (s *scanner) point(i int) bool {
	return i > s.floor && s.text[i-1] == '.' && s.at(i-2) != '.' && !s.wordBefore(i-1) && s.at(s.digits(i)) != '.'
}

// maxGroups is how many groups of three may follow the first digits. More are a
// list.
const maxGroups = maxDigits / 3

// separators reads what follows the first digits: groups of three, and decimals.
// It returns where that ends, and the exponent of the digits read.
func (s *scanner) separators(v *Value, r *reader, end int) (int, int) {
	i, w := v.Start, s.separator(end)
	if w == 0 || !s.digitAt(end+w) {
		return end, 0
	}
	mark := s.text[end : end+w]
	groups, e := 0, end
	if end-i <= 3 && s.text[i] != '0' {
		for groups < maxGroups && s.separator(e) == w && s.text[e:e+w] == mark && s.digits(e+w) == e+w+3 {
			groups++
			e += w + 3
		}
	}
	if groups == maxGroups || s.separator(e) == w && s.text[e:e+w] == mark && s.digitAt(e+w) ||
		mark == "," && s.inList(i, e) || mark == " " && (groups > 4 || s.at(i-1) == ' ' && s.digitAt(i-2)) {
		groups, e = 0, end
	}
	switch {
	case groups == 0 && mark == ".":
		return s.decimals(r, end)
	case groups == 0 && mark == ",":
		n := s.digits(end+1) - end - 1
		if s.inList(i, end+1+n) || s.at(end+1+n) == ',' && s.digitAt(end+2+n) || s.at(end+1+n) == '.' && s.digitAt(end+2+n) ||
			n > 2 && !(end-i == 1 && s.text[i] == '0') {
			return end, 0
		}
		v.flags |= altList
		return s.decimals(r, end)
	case groups == 0:
		return end, 0
	case groups == 1 && mark == "." && !(s.at(e) == ',' && s.digitAt(e+1) && !s.inList(i, s.digits(e+1))):
		v.flags |= altGroups
		return s.decimals(r, end)
	}
	for at := end; at < e; at += w + 3 {
		for _, c := range []byte(s.text[at+w : at+w+3]) {
			r.add(c)
		}
	}
	switch c := s.at(e); {
	case (c == '.' || c == ',') && string(c) != mark && s.digitAt(e+1) && !(c == ',' && s.inList(i, s.digits(e+1))):
		return s.decimals(r, e)
	case groups == 1 && mark == ",":
		v.flags |= altDecimal
	}
	return e, 0
}

// separator is the width of a mark at i that may part the digits of a number.
func (s *scanner) separator(i int) int {
	switch s.at(i) {
	case '.', ',', '\'', '_':
		return 1
	case 0xe2:
		if s.at(i+1) == 0x80 && s.at(i+2) == 0x99 { // ’
			return 3
		}
	}
	return s.space(i)
}

// decimals adds the digits after the point at i.
func (s *scanner) decimals(r *reader, i int) (int, int) {
	end := s.digits(i + 1)
	for _, c := range []byte(s.text[i+1 : end]) {
		r.add(c)
	}
	return end, i + 1 - end
}

// inList says whether the commas of a number from i to end part a list as JSON
// and CSV have it: right after [ or a comma, or right before a comma.
func (s *scanner) inList(i, end int) bool {
	if s.at(i-1) == '-' {
		i--
	}
	if c := s.at(i - 1); c == '[' || c == ',' {
		return true
	}
	return s.at(end) == ',' && end+1 < len(s.text) && s.text[end+1] > ' '
}

// exponent reads e3 or E-2 at i; nothing of the word may follow.
func (s *scanner) exponent(i int) (end, exp int, ok bool) {
	j := i + 1
	sign := 1
	switch s.at(j) {
	case '-':
		sign = -1
		j++
	case '+':
		j++
	}
	end = s.digits(j)
	if end == j || end-j > 4 || s.wordAt(end) || s.at(end) == '-' && s.wordAt(end+1) {
		return 0, 0, false
	}
	for _, c := range []byte(s.text[j:end]) {
		exp = exp*10 + int(c-'0')
	}
	return end, sign * exp, exp <= maxExp
}

// letters is the end of the letters from i.
func (s *scanner) letters(i int) int {
	for i < len(s.text) {
		switch c := s.text[i]; class[c] {
		case letter:
			i++
		case high:
			r, size := utf8.DecodeRuneInString(s.text[i:])
			if !wordRune(r) {
				return i
			}
			i += size
		default:
			return i
		}
	}
	return i
}

// suffix reads what follows the digits of v: a power, a unit, "th". It returns
// false if a word goes on there that is none of them.
func (s *scanner) suffix(v *Value) bool {
	e := v.End
	if s.wordAt(e) {
		k := s.letters(e)
		w := s.text[e:k]
		whole := !s.wordAt(k)
		p, power := shortPowers[w]
		if v.unit != 0 && !power {
			p, power = moneyPowers[w]
		}
		switch u := beside[w]; {
		case power && whole:
			s.power(v, p, k)
		case u != 0 && (whole || s.digitAt(k) && timeUnit(u)) && v.unit == 0:
			v.unit = u
			s.unitFlags(v, w)
			v.End = k
			s.compound(v)
			return !s.wordAt(v.End)
		case whole && (w == "st" || w == "nd" || w == "rd" || w == "th") && s.digits(v.Start) == e:
			v.End = k
			return true
		case whole && currencyWord(w, v.unit):
			v.unit, v.End = spelt[w], k
			return true
		default:
			return false
		}
	}
	for range 2 {
		e = v.End
		w := s.space(e)
		if w == 0 && s.at(e) == '-' && lower(s.at(e+1)) {
			w = 1
		}
		e += w
		if u, size := s.symbol(e); u != 0 && !s.digitAt(e+size) {
			if v.unit == 0 {
				v.unit, v.End = u, e+size
			}
			return true
		}
		if w == 0 || !s.wordAt(e) || s.digitAt(e) {
			return true
		}
		k := s.letters(e)
		if k == e || k-e > 16 || s.wordAt(k) {
			return true
		}
		word := s.text[e:k]
		if p, ok := powers[word]; ok {
			s.power(v, p, k)
			continue
		}
		switch u := spelt[word]; {
		case u != 0 && s.at(k) == '-' && (s.digitAt(k+1) || upper(s.at(k+1))):
			return true // an id begins: 415 W-88
		case u != 0 && v.unit == 0:
			v.unit = u
			s.unitFlags(v, word)
			v.End = k
			s.compound(v)
		case currencyWord(word, v.unit):
			v.unit, v.End = u, k
		case word == "US" && v.unit == 0 && s.at(k) == ' ' && s.letters(k+1) == k+8 && s.text[k+1:k+8] == "dollars":
			v.unit, v.End = spelt["$"], k+8
		case word == "per" && v.unit == 0 && s.at(k) == ' ' && s.letters(k+1) == k+5 && s.text[k+1:k+5] == "cent":
			v.unit, v.End = spelt["percent"], k+5
		}
		return true
	}
	return true
}

// currencyWord says whether w names the dollar that a $ before the number is.
func currencyWord(w string, before uint8) bool {
	u := spelt[w]
	return units[before].name == "USD" && units[u].kind == Amount && units[u].exp == 0 && len(w) == 3
}

func (s *scanner) power(v *Value, p, end int) {
	v.Num = v.Num.times(1, p)
	v.Digits -= p
	v.End = end
}

// unitFlags notes what else the unit of v may be.
func (s *scanner) unitFlags(v *Value, word string) {
	switch u := &units[v.unit]; {
	case u.dim == "B" && u.mul == 1 && u.exp > 0:
		v.flags |= altBinary
	case word == "m" && u.dim == "s":
		v.flags |= altMetre
	}
}

// compound adds the smaller units of time that follow: 1h30m, 2 hours and 15
// minutes. It leaves v where a word ends, if there is such a place.
func (s *scanner) compound(v *Value) {
	whole := *v
	for timeUnit(v.unit) && s.smaller(v) {
		if !s.wordAt(v.End) {
			whole = *v
		}
	}
	if !s.wordAt(whole.End) {
		*v = whole
	}
}

// smaller adds the digits and the smaller unit that follow v.
func (s *scanner) smaller(v *Value) bool {
	i := v.End + s.space(v.End)
	if i > v.End && len(s.text)-i > 4 && s.text[i:i+4] == "and " {
		i += 4
	}
	k := s.digits(i)
	if k == i || k-i > 9 {
		return false
	}
	e := k + s.space(k)
	end := s.letters(e)
	u := beside[s.text[e:end]]
	if s.wordAt(end) && !s.digitAt(end) || u == 0 {
		return false
	}
	var r reader
	for _, c := range []byte(s.text[i:k]) {
		r.add(c)
	}
	n, _ := r.decimal(0)
	if !v.plus(n, u) {
		return false
	}
	v.End = end
	v.flags &^= altMetre
	return true
}

// symbol is the unit that a sign at i stands for, and the width of the sign.
func (s *scanner) symbol(i int) (uint8, int) {
	switch c := s.at(i); {
	case c == '%':
		return spelt["%"], 1
	case c == '$':
		return spelt["$"], 1
	case c < utf8.RuneSelf:
		return 0, 0
	}
	r, size := utf8.DecodeRuneInString(s.text[i:])
	if r == '°' {
		size++
		if i+size > len(s.text) || s.wordAt(i+size) {
			return 0, 0
		}
	} else if wordRune(r) {
		return 0, 0
	}
	return spelt[s.text[i:i+size]], size
}

// prefix reads the sign and the currency before v, and says whether the sign is
// a minus.
func (s *scanner) prefix(v *Value) (neg bool) {
	if w := s.minus(v.Start); w > 0 {
		v.Start -= w
		neg = true
	}
	q := v.Start - s.spaceBefore(v.Start)
	if q <= s.floor {
		return neg
	}
	from := q
	var u uint8
	switch c := s.text[q-1]; {
	case c == '$':
		from, u = q-1, spelt["$"]
		for n := 1; n <= 2 && from-n >= s.floor; n++ {
			if w := spelt[s.text[from-n:q]]; w != 0 && !s.wordBefore(from-n) {
				from, u = from-n, w
				break
			}
		}
	case c >= utf8.RuneSelf:
		_, size := utf8.DecodeLastRuneInString(s.text[:q])
		if w, n := s.symbol(q - size); n == size && units[w].kind == Amount {
			from, u = q-size, w
		}
	case upper(c) && q-3 >= s.floor && !s.wordBefore(q-3):
		if w := spelt[s.text[q-3:q]]; units[w].kind == Amount && upper(s.text[q-3]) {
			from, u = q-3, w
		}
	}
	if u == 0 || from < s.floor || s.wordBefore(from) && s.text[q-1] == '$' {
		return neg
	}
	v.Start, v.unit = from, u
	if w := s.minus(from); w > 0 && !neg {
		v.Start -= w
		neg = true
	}
	return neg
}

// minus is the width of a minus sign that ends at i and takes no number from
// another.
func (s *scanner) minus(i int) int {
	w := 0
	switch {
	case s.at(i-1) == '-':
		w = 1
	case i >= 3 && (s.text[i-3:i] == "−" || s.text[i-3:i] == "–"):
		w = 3
	}
	if w == 0 || i-w < s.floor {
		return 0
	}
	if i > w {
		switch s.text[i-w-1] {
		case ' ', '\n', '\t', '\r', '"', '\'', '(', '[', '{', ':', '=', ',', ';', '|', '<', '>', '`':
		default:
			// "$-5"
			_, size := utf8.DecodeLastRuneInString(s.text[:i-w])
			if u, n := s.symbol(i - w - size); i-w-size < s.floor || n != size || units[u].kind != Amount {
				return 0
			}
		}
	}
	return w
}

// context looks at the words before v: "about 41,000" was rounded, "minus 5" is
// -5, "fell by 12 %" may be -12 %.
func (s *scanner) context(v *Value) {
	if s.at(v.Start-1) == '~' {
		v.approximate()
		return
	}
	var b [14]byte
	end := v.Start - 1
	for n := range 2 {
		i := end
		for i > s.floor && end-i < len(b) && class[s.text[i-1]] == letter {
			i--
		}
		switch string(appendLower(b[:0], s.text[i:end])) {
		case "about", "around", "roughly", "approximately", "nearly", "almost", "approx", "circa":
			v.approximate()
			return
		case "minus":
			if n > 0 || v.Num.Sign() < 0 || s.digitAt(i-2) { // "7 minus 5"
				return
			}
			v.Start, v.Num = i, v.Num.negated()
			return
		case "negative", "fell", "falls", "fallen", "dropped", "drop", "down", "decreased", "decrease", "declined", "decline", "lost", "loss",
			"shrank", "reduced", "reduction", "overdrawn", "deficit", "below":
			v.flags |= altNegative
			return
		case "by", "of", "to", "a", "is", "was", "than":
		default:
			return
		}
		if i == 0 || s.text[i-1] != ' ' {
			return
		}
		end = i - 1
	}
}

// approximate takes the zeros at the end of a whole number as not written.
func (v *Value) approximate() {
	v.flags |= about
	if v.Num.exp > 0 && v.Digits == 0 {
		v.Digits = -int(v.Num.exp)
	}
}
