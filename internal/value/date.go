package value

import (
	"fmt"
	"strings"
)

// moment is a date, a time of day, or both, as far as it is told.
type moment struct {
	year       int16
	month, day uint8
	has        uint8
	offset     int16 // minutes east of UTC, where the text was; the rest is UTC
	sec        int32 // of the day
	nano       int32
}

const (
	hasYear = 1 << iota
	hasMonth
	hasDay
	hasTime
	hasSecond
	hasFraction
	hasZone
)

func (m moment) String() string {
	var b []byte
	switch m.has & (hasYear | hasMonth | hasDay) {
	case hasYear | hasMonth | hasDay:
		b = fmt.Appendf(b, "%04d-%02d-%02d", m.year, m.month, m.day)
	case hasYear | hasMonth:
		b = fmt.Appendf(b, "%04d-%02d", m.year, m.month)
	case hasMonth | hasDay:
		b = fmt.Appendf(b, "--%02d-%02d", m.month, m.day)
	}
	if m.has&hasTime == 0 {
		return string(b)
	}
	if len(b) > 0 {
		b = append(b, 'T')
	}
	b = fmt.Appendf(b, "%02d:%02d", m.sec/3600, m.sec/60%60)
	if m.has&hasSecond != 0 {
		b = fmt.Appendf(b, ":%02d", m.sec%60)
	}
	if m.has&hasFraction != 0 {
		b = fmt.Appendf(b, ".%09d", m.nano)
		for b[len(b)-1] == '0' {
			b = b[:len(b)-1]
		}
	}
	if m.has&hasZone != 0 {
		b = append(b, 'Z')
	}
	return string(b)
}

// agree is how two moments agree.
func (m moment) agree(o moment) Relation {
	both := m.has & o.has
	if both&hasYear != 0 && m.year != o.year || both&hasMonth != 0 && m.month != o.month || both&hasDay != 0 && m.day != o.day {
		return None
	}
	switch {
	case both&hasSecond != 0 && m.sec != o.sec, both&hasTime != 0 && m.sec/60 != o.sec/60, both&hasFraction != 0 && m.nano != o.nano:
		return None
	case both&hasTime == 0 && both&(hasYear|hasMonth) != hasYear|hasMonth && both&(hasMonth|hasDay) != hasMonth|hasDay:
		return None
	case m.has == o.has:
		return Equal
	}
	return Partial
}

// local is m as its text has it, with no zone.
func (m moment) local() moment {
	m.shift(int(m.offset))
	m.has &^= hasZone
	m.offset = 0
	return m
}

// shift moves m by some minutes, less than a day.
func (m *moment) shift(minutes int) {
	m.sec += int32(minutes) * 60
	switch {
	case m.sec < 0:
		m.sec += 86400
		if m.day--; m.day == 0 {
			if m.month--; m.month == 0 {
				m.month = 12
				m.year--
			}
			m.day = daysIn(m.year, m.month)
		}
	case m.sec >= 86400:
		m.sec -= 86400
		if m.day++; m.day > daysIn(m.year, m.month) {
			m.day = 1
			if m.month++; m.month > 12 {
				m.month = 1
				m.year++
			}
		}
	}
}

func daysIn(year int16, month uint8) uint8 {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// day is that day, if there is such a one.
func day(year, month, d int) (moment, bool) {
	if year < 1 || year > 9999 || month < 1 || month > 12 || d < 1 || d > int(daysIn(int16(year), uint8(month))) {
		return moment{}, false
	}
	return moment{year: int16(year), month: uint8(month), day: uint8(d), has: hasYear | hasMonth | hasDay}, true
}

// small reads the digits from i to end, four at most.
func (s *scanner) small(i, end int) int {
	n := 0
	for _, c := range []byte(s.text[i:end]) {
		n = n*10 + int(c-'0')
	}
	return n
}

func plausibleYear(y int) bool { return y >= 1000 && y < 3000 }

// compactDay says whether eight digits are a day of this or the last century.
func compactDay(t string) bool {
	s := scanner{text: t}
	y := s.small(0, 4)
	_, ok := day(y, s.small(4, 6), s.small(6, 8))
	return ok && y >= 1900 && y < 2100
}

// date is a value for m from i to end; false if a word or a further dash goes on
// there.
func (s *scanner) date(i, end int, m moment) (Value, bool) {
	if s.wordAt(end) || s.at(end) == '-' && s.digitAt(end+1) {
		return Value{}, false
	}
	kind := Date
	if m.has&hasMonth == 0 {
		kind = Clock
	}
	return Value{Start: i, End: end, Kind: kind, when: m}, true
}

// numericDate reads 2026-11-30, with a time or without one, 2026-11, 2026/11/30,
// 11/30/2026 and 11/30/26 at i.
func (s *scanner) numericDate(i int, mark byte) (Value, bool) {
	a := s.digits(i)
	b := s.digits(a + 1)
	if b == a+1 || b-a > 3 {
		return Value{}, false
	}
	third := s.at(b) == mark && s.digitAt(b+1)
	c := b
	if third {
		c = s.digits(b + 1)
	}
	if c-b > 5 {
		return Value{}, false
	}
	x, y := s.small(i, a), s.small(a+1, b)
	switch {
	case a-i == 4 && third && c-b <= 3:
		m, ok := day(x, y, s.small(b+1, c))
		if !ok {
			return Value{}, false
		}
		return s.withTime(i, c, m)
	case a-i == 4 && !third && mark == '-' && b-a == 3 && x >= 1900 && x < 2100 && y >= 1 && y <= 12:
		return s.date(i, b, moment{year: int16(x), month: uint8(y), has: hasYear | hasMonth})
	case a-i <= 2 && third && mark == '/' && (c-b == 5 || c-b == 3):
		year := s.small(b+1, c)
		if c-b == 3 {
			year += 2000
			if year >= 2070 {
				year -= 100
			}
		}
		m, ok := day(year, x, y)
		swapped, okToo := day(year, y, x)
		if !ok {
			m, ok, okToo = swapped, okToo, false
		}
		if !ok {
			return Value{}, false
		}
		v, ok := s.date(i, c, m)
		if okToo && m != swapped {
			v.flags |= altDay
		}
		return v, ok
	}
	return Value{}, false
}

// dottedDate reads 30.11.2026 at i; its first digits end at a.
func (s *scanner) dottedDate(i, a int) (Value, bool) {
	b := s.digits(a + 1)
	c := s.digits(b + 1)
	if a-i > 2 || b-a > 3 || c-b != 5 {
		return Value{}, false
	}
	m, ok := day(s.small(b+1, c), s.small(a+1, b), s.small(i, a))
	if !ok {
		return Value{}, false
	}
	return s.date(i, c, m)
}

// withTime reads the time after the date m, which ends at end, if there is one.
func (s *scanner) withTime(i, end int, m moment) (Value, bool) {
	if c := s.at(end); (c == 'T' || c == 't' || c == ' ') && s.digitAt(end+1) {
		j := s.digits(end + 1)
		if t, k, ok := s.timeOfDay(end+1, j); ok && j == end+3 {
			t.year, t.month, t.day, t.has = m.year, m.month, m.day, t.has|m.has
			if z, offset, ok := s.zone(k); ok {
				t.has |= hasZone
				t.shift(-offset)
				t.offset = int16(offset)
				k = z
			}
			if v, ok := s.date(i, k, t); ok {
				return v, true
			}
		}
	}
	return s.date(i, end, m)
}

// zone reads Z, " UTC", +01:00 or +0100 at i: its end, and minutes east.
func (s *scanner) zone(i int) (end, offset int, ok bool) {
	switch c := s.at(i); {
	case c == 'Z' || c == 'z':
		return i + 1, 0, true
	case c == ' ' && len(s.text) >= i+4 && s.text[i+1:i+4] == "UTC":
		return i + 4, 0, true
	case c == '+' || c == '-':
		h := s.digits(i + 1)
		m := h
		switch {
		case h == i+3 && s.at(h) == ':' && s.digits(h+1) == h+3:
			m, offset = h+3, s.small(i+1, h)*60+s.small(h+1, h+3)
		case h == i+3:
			offset = s.small(i+1, h) * 60
		case h == i+5:
			offset = s.small(i+1, i+3)*60 + s.small(i+3, h)
		default:
			return 0, 0, false
		}
		if offset > 18*60 {
			return 0, 0, false
		}
		if c == '-' {
			offset = -offset
		}
		return m, offset, true
	}
	return 0, 0, false
}

// timeOfDay reads 14:05, 14:05:33 or 14:05:33.25 at i; its hour ends at end.
func (s *scanner) timeOfDay(i, end int) (moment, int, bool) {
	minutes := s.digits(end + 1)
	if end-i > 2 || s.at(end) != ':' || minutes != end+3 {
		return moment{}, 0, false
	}
	h, m := s.small(i, end), s.small(end+1, minutes)
	if h > 23 || m > 59 {
		return moment{}, 0, false
	}
	t := moment{sec: int32(h*3600 + m*60), has: hasTime}
	k := s.digits(minutes + 1)
	if s.at(minutes) != ':' || k != minutes+3 {
		return t, minutes, true
	}
	sec := s.small(minutes+1, k)
	if sec > 59 {
		return moment{}, 0, false
	}
	t.sec += int32(sec)
	t.has |= hasSecond
	f := s.digits(k + 1)
	if s.at(k) != '.' || f == k+1 || f-k > 10 {
		return t, k, true
	}
	for j := k + 1; j < k+10; j++ {
		t.nano *= 10
		if j < f {
			t.nano += int32(s.text[j] - '0')
		}
	}
	if t.nano != 0 {
		t.has |= hasFraction
	}
	return t, f, true
}

// clock reads a time of day at i, with am or pm or without; its hour ends at end.
func (s *scanner) clock(i, end int) (Value, bool) {
	t, k, ok := s.timeOfDay(i, end)
	if !ok || s.at(k) == ':' && s.digitAt(k+1) {
		return Value{}, false
	}
	if e, pm, ok := s.meridiem(k); ok && t.sec < 13*3600 {
		t.sec = t.sec%(12*3600) + pm
		k = e
	} else if z, offset, ok := s.zone(k); ok && s.text[k] != '-' && s.text[k] != '+' && offset == 0 {
		k = z
	} else if s.at(k) == 'h' {
		k++
	}
	return s.date(i, k, t)
}

// halfDay reads 2 pm at i; its hour ends at end.
func (s *scanner) halfDay(i, end int) (Value, bool) {
	h := s.small(i, end)
	e, pm, ok := s.meridiem(end)
	if !ok || h < 1 || h > 12 {
		return Value{}, false
	}
	return s.date(i, e, moment{sec: int32(h%12)*3600 + pm, has: hasTime})
}

// hours reads 15h30 at i; its hour ends at end.
func (s *scanner) hours(i, end int) (Value, bool) {
	k := s.digits(end + 1)
	if s.at(end) != 'h' || k != end+3 {
		return Value{}, false
	}
	h, m := s.small(i, end), s.small(end+1, k)
	if h > 23 || m > 59 {
		return Value{}, false
	}
	return s.date(i, k, moment{sec: int32(h*3600 + m*60), has: hasTime})
}

// meridiem reads am, pm, a.m. or P.M. at i, after a space or none: its end, and
// the seconds to add.
func (s *scanner) meridiem(i int) (end int, pm int32, ok bool) {
	i += s.space(i)
	switch s.at(i) | 0x20 {
	case 'p':
		pm = 12 * 3600
	case 'a':
	default:
		return 0, 0, false
	}
	i++
	if s.at(i) == '.' && s.at(i+1)|0x20 == 'm' && s.at(i+2) == '.' {
		return i + 3, pm, !s.wordAt(i + 3)
	}
	return i + 1, pm, s.at(i)|0x20 == 'm' && !s.wordAt(i+1)
}

// dayFirst reads 30 November 2026, 30th of Nov, 30-Nov-2026 at i; the day ends at
// end.
func (s *scanner) dayFirst(i, end int) (Value, bool) {
	d := s.small(i, end)
	if d < 1 || d > 31 {
		return Value{}, false
	}
	j := s.ordinal(end)
	mark := s.at(j)
	if mark != '-' && mark != '/' && s.space(j) == 0 {
		if mark != '.' || s.space(j+1) == 0 { // 30. November
			return Value{}, false
		}
		j++
		mark = ' '
	}
	if mark == '-' || mark == '/' {
		j++
	} else {
		mark = ' '
		j += s.space(j)
	}
	if len(s.text)-j > 3 && (s.text[j:j+3] == "of " || s.text[j:j+3] == "de ") {
		j += 3
	}
	k := s.letters(j)
	month := monthOf(s.text[j:k])
	if month == 0 && k-j <= maxMonth {
		month = monthsBeyond[strings.ToLower(s.text[j:k])]
	}
	if month == 0 {
		return Value{}, false
	}
	e := k
	if s.at(k) == '.' && k-j < 5 {
		k++
	}
	if s.at(k) == ',' {
		k++
	}
	if w := s.space(k); w > 0 && mark == ' ' {
		k += w
		if len(s.text)-k > 3 && s.text[k:k+3] == "de " { // 14 de febrero de 2026
			k += 3
		}
	} else if mark == s.at(k) {
		k++
	} else {
		return s.yearless(i, e, d, month)
	}
	if y := s.digits(k); y == k+4 && plausibleYear(s.small(k, y)) {
		if m, ok := day(s.small(k, y), month, d); ok {
			if v, ok := s.date(i, y, m); ok {
				return v, true
			}
		}
	}
	return s.yearless(i, e, d, month)
}

// maxMonth bounds the bytes of the name of a month.
const maxMonth = 10

// yearless is a day of every year.
func (s *scanner) yearless(i, end, d, month int) (Value, bool) {
	m, ok := day(2000, month, d)
	if !ok || s.wordAt(end) {
		return Value{}, false
	}
	m.year = 0
	m.has &^= hasYear
	return s.date(i, end, m)
}

// ordinal is the end of st, nd, rd, th or er at i, else i.
func (s *scanner) ordinal(i int) int {
	if i+2 <= len(s.text) && !s.wordAt(i+2) {
		switch s.text[i : i+2] {
		case "st", "nd", "rd", "th", "er":
			return i + 2
		}
	}
	return i
}

// monthFirst reads Nov 30, 2026, November 2026 and Nov 30 at i; the month ends at
// end.
func (s *scanner) monthFirst(i, end, month int) (Value, bool) {
	j := end
	if s.at(j) == '.' && end-i < 5 {
		j++
	}
	if s.space(j) == 0 {
		return Value{}, false
	}
	j += s.space(j)
	k := s.digits(j)
	if k == j+4 && plausibleYear(s.small(j, k)) {
		return s.date(i, k, moment{year: int16(s.small(j, k)), month: uint8(month), has: hasYear | hasMonth})
	}
	if k == j || k-j > 2 {
		return Value{}, false
	}
	d := s.small(j, k)
	k = s.ordinal(k)
	e := k
	if s.at(k) == ',' {
		k++
	}
	if w := s.space(k); w > 0 {
		k += w
		if y := s.digits(k); y == k+4 && plausibleYear(s.small(k, y)) {
			if m, ok := day(s.small(k, y), month, d); ok {
				if v, ok := s.date(i, y, m); ok {
					return v, true
				}
			}
		}
	}
	return s.yearless(i, e, d, month)
}
