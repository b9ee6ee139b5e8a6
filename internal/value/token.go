package value

import "strings"

// word reads what begins with a letter at i: an id, a number in words, a date
// that begins with its month, a currency before its number. It returns where to
// go on.
func (s *scanner) word(i int) (Value, int) {
	end, digits := s.run(i)
	if s.at(end) == ':' && end-i <= 4 {
		if v, ok := s.colons(i); ok {
			return v, v.End
		}
	}
	if digits {
		if v, ok := s.lead(i, end); ok {
			return v, v.End
		}
	} else if i < s.plain || !joiner(s.at(end)) {
		return s.plainWord(i, end)
	}
	all, digits, mail := s.token(i, end, digits)
	if digits || mail {
		return s.id(i, all)
	}
	s.plain = all
	return s.plainWord(i, end)
}

// id is the id from i to end, if it is not too long for one.
func (s *scanner) id(i, end int) (Value, int) {
	if end-i > maxText {
		return Value{}, end
	}
	return Value{Start: i, End: end, Kind: ID}, end
}

func joiner(c byte) bool { return c == '-' || c == '.' || c == '@' || c == '+' }

// token is the end of a token whose first run of letters and digits ends at
// end: runs that - . @ or + join. It says whether there are digits in it, and
// whether it is an e-mail address.
func (s *scanner) token(start, end int, digits bool) (int, bool, bool) {
	mail := false
	for joiner(s.at(end)) && s.wordAt(end+1) {
		next, more := s.run(end + 1)
		switch s.text[end] {
		case '.':
			// "No.17" and "R-17.Then" are two things.
			if s.digitAt(end+1) && !digits && !mail || digits && upper(s.at(end+1)) && lower(s.at(end+2)) && !mail {
				return end, digits, mail
			}
		case '@':
			if mail {
				return end, digits, mail
			}
			mail = true
		case '+':
			if mail || s.at(next) != '@' || !s.wordAt(next+1) {
				return end, digits, mail
			}
		}
		end, digits = next, digits || more
	}
	return end, digits, mail
}

func upper(c byte) bool { return 'A' <= c && c <= 'Z' }
func lower(c byte) bool { return 'a' <= c && c <= 'z' }

// colons reads groups of hexadecimal digits with colons between them from i: a
// hardware address or one of IPv6.
func (s *scanner) colons(i int) (Value, bool) {
	j, double, digits := i, false, false
	for groups := 1; groups <= 8; groups++ {
		k := j
		for k < len(s.text) && k-j < 5 && hexDigit(s.text[k]) {
			digits = digits || class[s.text[k]] == digit
			k++
		}
		if k == j || k-j > 4 {
			return Value{}, false
		}
		j = k
		switch {
		case s.at(j) == ':' && hexDigit(s.at(j+1)):
			j++
		case s.at(j) == ':' && s.at(j+1) == ':' && hexDigit(s.at(j+2)) && !double:
			double = true
			j += 2
		default:
			ok := digits && !s.wordAt(j) && (groups == 6 || groups == 8 || double)
			return Value{Start: i, End: j, Kind: ID}, ok
		}
	}
	return Value{}, false
}

// lead reads a token that begins with letters and means more than an id: EUR1299,
// PT90M. Its first run ends at end.
func (s *scanner) lead(i, end int) (Value, bool) {
	if s.at(i) == 'P' {
		if v, ok := s.isoDuration(i, end); ok {
			return v, true
		}
	}
	if v, ok := s.iban(i, end); ok {
		return v, true
	}
	if end > i+3 && s.digitAt(i+3) {
		if u := spelt[s.text[i:i+3]]; units[u].kind == Amount {
			for _, text := range [...]string{s.text, s.text[:end]} {
				t := scanner{text: text, floor: s.floor}
				if v, _ := t.digit(i + 3); v.Kind == Amount && v.Start <= i {
					return v, true
				}
			}
		}
	}
	return Value{}, false
}

// iban reads the number of an account in groups of four, if its check digits are
// right: DE89 3704 0044 0532 0130 00. Its first group ends at end.
func (s *scanner) iban(i, end int) (Value, bool) {
	const least, most = 15, 34
	if end != i+4 || !upper(s.text[i]) || !upper(s.text[i+1]) || !s.digitAt(i+2) || !s.digitAt(i+3) {
		return Value{}, false
	}
	letter := func(c byte) int {
		if upper(c) {
			return int(c-'A') + 10
		}
		return int(c - '0')
	}
	found, n, rest := 0, 4, 0 // rest is that of the digits after the first group, by 97
	for full := true; full && s.at(end) == ' '; {
		k := end + 1
		for k < len(s.text) && k < end+6 && (upper(s.text[k]) || s.digitAt(k)) {
			k++
		}
		size := k - end - 1
		if size < 1 || size > 4 || n+size > most || s.wordAt(k) {
			break
		}
		for _, c := range []byte(s.text[end+1 : k]) {
			if upper(c) {
				rest *= 10
			}
			rest = (rest*10 + letter(c)) % 97
		}
		n, end, full = n+size, k, size == 4
		all := rest
		for _, c := range []byte(s.text[i : i+4]) {
			if upper(c) {
				all *= 10
			}
			all = (all*10 + letter(c)) % 97
		}
		if n >= least && all == 1 {
			found = end
		}
	}
	return Value{Start: i, End: found, Kind: ID}, found > 0
}

// isoDuration reads PT90M, P3D, P1DT2H.
func (s *scanner) isoDuration(i, end int) (Value, bool) {
	if all, _, _ := s.token(i, end, true); all != end {
		return Value{}, false
	}
	v := Value{Start: i, End: end, Kind: Duration}
	clock := false
	for j := i + 1; j < end; {
		if s.text[j] == 'T' && !clock {
			clock = true
			j++
			continue
		}
		k := s.digits(j)
		if k == j || k == end || k-j > 9 {
			return Value{}, false
		}
		name := ""
		switch c := s.text[k]; {
		case clock && c == 'H':
			name = "h"
		case clock && c == 'M':
			name = "min"
		case clock && c == 'S':
			name = "s"
		case !clock && c == 'D':
			name = "day"
		case !clock && c == 'W':
			name = "week"
		case !clock && c == 'M':
			name = "month"
		case !clock && c == 'Y':
			name = "year"
		default:
			return Value{}, false
		}
		var r reader
		for _, c := range []byte(s.text[j:k]) {
			r.add(c)
		}
		n, _ := r.decimal(0)
		u := spelt[name]
		if v.unit == 0 {
			v.Num, v.unit = n, u
		} else if !v.plus(n, u) {
			return Value{}, false
		}
		j = k + 1
	}
	return v, v.unit != 0
}

// plus adds n of a smaller unit of the same dimension to v, whose unit that is
// then.
func (v *Value) plus(n Decimal, u uint8) bool {
	a, b := &units[v.unit], &units[u]
	if a.dim != b.dim || a.exp != b.exp || a.mul <= b.mul || a.mul%b.mul != 0 {
		return false
	}
	sum := v.Num.times(a.mul/b.mul, 0)
	if sum.big != "" || n.big != "" || sum.exp < 0 || n.exp < 0 || sum.exp > 9 || n.exp > 9 {
		return false
	}
	x, y := sum.coef*uint64(tens[sum.exp]), n.coef*uint64(tens[n.exp])
	if x > 1<<53 || y > 1<<53 {
		return false
	}
	v.Num, v.unit, v.Digits = decimal(x+y, 0), u, 0
	return true
}

// appendID appends the one spelling of an id: in lower case, without 0x, without
// the v of a version, and without the dashes of a UUID or a number.
func appendID(dst []byte, text string) []byte {
	if len(text) > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') {
		text = text[2:]
	}
	if len(text) > 2 && (text[0] == 'v' || text[0] == 'V') && class[text[1]] == digit && strings.IndexByte(text, '.') > 0 {
		text = text[1:]
	}
	strip := uuid(text) || phonelike(text) || hardware(text)
	for i := range len(text) {
		c := text[i]
		switch {
		case upper(c):
			c += 'a' - 'A'
		case strip && !hexDigit(c), c == ' ':
			continue
		}
		dst = append(dst, c)
	}
	return dst
}

// uuid says whether text is 8-4-4-4-12 hexadecimal digits.
func uuid(text string) bool {
	if len(text) != 36 {
		return false
	}
	for i := range len(text) {
		switch i {
		case 8, 13, 18, 23:
			if text[i] != '-' {
				return false
			}
		default:
			if !hexDigit(text[i]) {
				return false
			}
		}
	}
	return true
}

// hardware says whether text is six pairs of hexadecimal digits with a dash or a
// colon between them.
func hardware(text string) bool {
	if len(text) != 17 {
		return false
	}
	for i := range len(text) {
		if c := text[i]; i%3 == 2 && (c != text[2] || c != '-' && c != ':') || i%3 != 2 && !hexDigit(c) {
			return false
		}
	}
	return true
}

// phonelike says whether text is digits with spaces, dashes, a plus and
// parentheses; other marks are told apart.
func phonelike(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case class[c] == digit, c == '-', c == '+', c == '(', c == ')', c == ' ', c == '/':
		default:
			return false
		}
	}
	return true
}

// phone reads a phone number that begins with + or with an area code in
// parentheses at i.
func (s *scanner) phone(i int) (Value, int) {
	none := i + 1
	j, n, least := i+1, 0, 8
	if s.wordBefore(i) {
		return Value{}, none
	}
	if s.text[i] == '(' {
		k := s.digits(j)
		if k-j < 2 || k-j > 5 || s.at(k) != ')' {
			return Value{}, none
		}
		n, least, j = k-j, 9, k+1
		if s.at(j) == ' ' {
			j++
		}
	}
	end := 0
	for s.digitAt(j) {
		k := s.digits(j)
		if n += k - j; n > 15 {
			break
		}
		end, j = k, k
		switch c := s.at(j); {
		case c == ' ' && s.at(j+1) == '(' || c == ')' && s.at(j+1) == ' ':
			j += 2
		case c == ' ' || c == '-' || c == '(' || c == ')':
			j++
		}
	}
	if n > 15 || n < least || s.wordAt(end) {
		return Value{}, none
	}
	return Value{Start: i, End: end, Kind: ID}, end
}
