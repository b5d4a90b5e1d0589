package text

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// A DateOrder says how to read a numeric date that can be read in two ways.
type DateOrder int

const (
	DMY DateOrder = iota // 03/04/2026 is 3 April
	MDY                  // 03/04/2026 is 4 March
)

// ParseDateOrder reads "dmy" or "mdy", in any case; "" is the default, dmy.
func ParseDateOrder(s string) (DateOrder, error) {
	switch strings.ToLower(s) {
	case "", "dmy":
		return DMY, nil
	case "mdy":
		return MDY, nil
	}
	return DMY, fmt.Errorf("date order %q is neither dmy nor mdy", s)
}

func (o DateOrder) String() string {
	if o == MDY {
		return "mdy"
	}
	return "dmy"
}

// UnmarshalText lets flags and settings hold a DateOrder.
func (o *DateOrder) UnmarshalText(text []byte) (err error) {
	*o, err = ParseDateOrder(string(text))
	return err
}

// MarshalText is the inverse of UnmarshalText.
func (o DateOrder) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// A Date is a calendar day, or a month where Day is 0, or a year where Month
// is 0 too.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// DateOf is the calendar day of t in its own zone.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date{y, m, d}
}

// Today is the calendar day of a moment, where it is or in UTC, whichever is
// later.
func Today(now time.Time) Date {
	here, utc := DateOf(now), DateOf(now.UTC())
	if here.Compare(utc) > 0 {
		return here
	}
	return utc
}

// ParseDate reads what String writes, and the day of an RFC 3339 time or any
// other text that continues after the day with T or a blank.
func ParseDate(s string) (Date, bool) {
	if len(s) > 10 && (s[10] == 'T' || s[10] == ' ') {
		s = s[:10]
	}
	for _, layout := range []string{"2006-01-02", "2006-01", "2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			d := DateOf(t)
			switch len(layout) {
			case 4:
				d.Month = 0
				fallthrough
			case 7:
				d.Day = 0
			}
			return d, true
		}
	}
	return Date{}, false
}

// String returns 2026-02-03, 2026-02 or 2026.
func (d Date) String() string {
	switch {
	case d.Month == 0:
		return fmt.Sprintf("%04d", d.Year)
	case d.Day == 0:
		return fmt.Sprintf("%04d-%02d", d.Year, int(d.Month))
	}
	return fmt.Sprintf("%04d-%02d-%02d", d.Year, int(d.Month), d.Day)
}

// Compare orders dates in time; a year comes before its months, a month
// before its days.
func (d Date) Compare(e Date) int {
	return cmp.Or(cmp.Compare(d.Year, e.Year), cmp.Compare(d.Month, e.Month), cmp.Compare(d.Day, e.Day))
}

// First is the first day of what d names.
func (d Date) First() Date {
	return Date{d.Year, max(d.Month, 1), max(d.Day, 1)}
}

// Last is the last day of what d names.
func (d Date) Last() Date {
	switch {
	case d.Month == 0:
		return Date{d.Year, time.December, 31}
	case d.Day == 0:
		return Date{d.Year, d.Month, daysIn(d.Year, d.Month)}
	}
	return d
}

// Time is the start, in UTC, of the first day of d.
func (d Date) Time() time.Time {
	f := d.First()
	return time.Date(f.Year, f.Month, f.Day, 0, 0, 0, 0, time.UTC)
}

func daysIn(year int, month time.Month) int {
	return time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// isReal tells whether the calendar has the date: there is no 31 February.
func (d Date) isReal() bool {
	return d.Year >= 1000 && d.Month <= time.December && d.Day <= daysIn(d.Year, max(d.Month, 1))
}

// A DateRange is a date, month or year that a text names, and where.
type DateRange struct {
	Date
	Start, End int  // bytes
	Ambiguous  bool // a numeric date that could be read in both orders
}

// A LeadingResult is the date that leads a text and what stands with it.
type LeadingResult struct {
	Date      Date   // a day
	Time      string // "21:05" or "21:05:30", "" where none is given
	Speaker   string // of a chat line: "Ana" in "[12/03/24, 21:05] Ana: hi"
	Length    int    // bytes up to where the text itself begins; 0 where a later line of the head has the date
	Ambiguous bool   // a numeric date that could be read in both orders
	SetOff    bool   // a mark or the end of the line sets it off: "2026-02-03: …"
	Labelled  bool   // a word and a colon stand before it: "Date: 2026-02-03"
}
