package value

import "strings"

// wordStart are the letters that a number in words or a month begins with.
var wordStart = func() (c [256]bool) {
	for _, b := range []byte("zotfsenhmbjda") {
		c[b], c[b-'a'+'A'] = true, true
	}
	return c
}()

// appendLower appends a text in lower case.
func appendLower(dst []byte, t string) []byte {
	for i := range len(t) {
		c := t[i]
		if upper(c) {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

// monthOf is the month that a word names in English, 0 if it names none.
func monthOf(w string) int {
	if len(w) < 3 || len(w) > 9 {
		return 0
	}
	var b [9]byte
	switch string(appendLower(b[:0], w)) {
	case "january", "jan":
		return 1
	case "february", "feb":
		return 2
	case "march", "mar":
		return 3
	case "april", "apr":
		return 4
	case "may":
		return 5
	case "june", "jun":
		return 6
	case "july", "jul":
		return 7
	case "august", "aug":
		return 8
	case "september", "sep", "sept":
		return 9
	case "october", "oct":
		return 10
	case "november", "nov":
		return 11
	case "december", "dec":
		return 12
	}
	return 0
}

// monthsBeyond are the months in other languages: German, French, Spanish,
// Italian, Portuguese and Dutch.
var monthsBeyond = func() map[string]int {
	months := map[string]int{}
	for i, names := range [...]string{
		"januar jänner janvier enero gennaio janeiro januari", "februar février fevrier febrero febbraio fevereiro februari",
		"märz maerz mars marzo março maart", "avril abril aprile", "mai mayo maggio maio mei", "juni juin junio giugno junho",
		"juli juillet julio luglio julho", "août aout agosto augustus", "septembre septiembre setiembre settembre setembro",
		"oktober okt octobre octubre ottobre outubro", "novembre noviembre novembro", "dezember dez décembre decembre diciembre dicembre dezembro",
	} {
		for _, name := range strings.Fields(names) {
			months[name] = i + 1
		}
	}
	return months
}()

// numeral is the number that a word names: n below a hundred, or 10^power above.
func numeral(w string) (n uint64, power int, ok bool) {
	if len(w) < 3 || len(w) > 9 || !wordStart[w[0]] {
		return 0, 0, false
	}
	var b [9]byte
	switch string(appendLower(b[:0], w)) {
	case "zero":
		return 0, 0, true
	case "one":
		return 1, 0, true
	case "two":
		return 2, 0, true
	case "three":
		return 3, 0, true
	case "four":
		return 4, 0, true
	case "five":
		return 5, 0, true
	case "six":
		return 6, 0, true
	case "seven":
		return 7, 0, true
	case "eight":
		return 8, 0, true
	case "nine":
		return 9, 0, true
	case "ten":
		return 10, 0, true
	case "eleven":
		return 11, 0, true
	case "twelve":
		return 12, 0, true
	case "thirteen":
		return 13, 0, true
	case "fourteen":
		return 14, 0, true
	case "fifteen":
		return 15, 0, true
	case "sixteen":
		return 16, 0, true
	case "seventeen":
		return 17, 0, true
	case "eighteen":
		return 18, 0, true
	case "nineteen":
		return 19, 0, true
	case "twenty":
		return 20, 0, true
	case "thirty":
		return 30, 0, true
	case "forty":
		return 40, 0, true
	case "fifty":
		return 50, 0, true
	case "sixty":
		return 60, 0, true
	case "seventy":
		return 70, 0, true
	case "eighty":
		return 80, 0, true
	case "ninety":
		return 90, 0, true
	case "hundred":
		return 0, 2, true
	case "thousand":
		return 0, 3, true
	case "million":
		return 0, 6, true
	case "billion":
		return 0, 9, true
	case "trillion":
		return 0, 12, true
	}
	return 0, 0, false
}

// plainWord reads a word without digits: a month before its day or year, or the
// first word of a number.
func (s *scanner) plainWord(i, end int) (Value, int) {
	if n := end - i; n < 3 || n > 9 || !wordStart[s.text[i]] {
		return Value{}, end
	}
	if upper(s.text[i]) && s.space(end) > 0 || s.at(end) == '.' && upper(s.text[i]) {
		if month := monthOf(s.text[i:end]); month != 0 {
			if v, ok := s.monthFirst(i, end, month); ok {
				return v, v.End
			}
		}
	}
	if _, _, ok := numeral(s.text[i:end]); !ok {
		return Value{}, end
	}
	v := s.inWords(i, end)
	return v, v.End
}

// inWords reads a number in words whose first word is from i to end.
func (s *scanner) inWords(i, end int) Value {
	var total, below uint64 // below is what stands before the next thousand
	last, power := 15, 0    // the powers of ten of the last thousand, and of the last word
	open := false           // after forty, one to nine may follow
	v := Value{Start: i, Kind: Number}
	for at, e := i, end; ; {
		n, p, ok := numeral(s.text[at:e])
		first := v.End == 0
		if first && p > 0 {
			below = 1 // "a hundred"
		}
		switch {
		case !ok:
		case p >= 3:
			if ok = p < last && below > 0; ok {
				total += below * uint64(tens[p])
				below, last, open = 0, p, false
			}
		case p == 2:
			if ok = below > 0 && below < 100; ok {
				below, open = below*100, false
			}
		case first, n > 0 && below%100 == 0 && !open:
			below += n
			open = n >= 20
		case open && n > 0 && n < 10:
			below += n
			open = false
		default:
			ok = false
		}
		if !ok {
			break
		}
		v.End, power = e, p
		next := e + s.space(e)
		if s.at(e) == '-' {
			next++
		} else if p >= 2 && len(s.text)-next > 4 && s.text[next:next+4] == "and " {
			next += 4
		}
		k, digits := s.run(next)
		if next == e || k == next || digits || total+below == 0 {
			break
		}
		at, e = next, k
	}
	v.Num = decimal(total+below, 0)
	if power >= 3 {
		v.Digits = -power
	}
	s.suffix(&v)
	if v.unit != 0 {
		v.Kind = units[v.unit].kind
	}
	if s.at(v.Start-1) == ' ' {
		s.context(&v)
	}
	return v
}
