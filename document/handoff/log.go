package handoff

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"handoff/document/words"
)

// entry is a part of a log of sessions: a heading with a date or the number of a session, and all up to the
// next one.
type entry struct {
	heading string
	level   int
	lines   Lines
	at      time.Time // zero if only its number is known
	number  int       // of the session; 0 if it has none
}

// mark is a heading of the document at any level.
type mark struct {
	heading string
	level   int
	line    int
}

// logEntries returns the entries of a document that is a log of sessions, the newest first. A document with one
// dated heading is none, and "Status (2026-04-14)" is a section.
func (d *Document) logEntries() []entry {
	marks := d.headings()
	var all []entry
	var count [7]int
	for _, m := range marks {
		e := entry{heading: m.heading, level: m.level, lines: Lines{First: m.line}}
		if e.at, e.number = entryOf(m.heading); (!e.at.IsZero() || e.number > 0) && !words.NamesSection(m.heading) {
			all = append(all, e)
			count[m.level]++
		}
	}
	level := 1
	for l := range count {
		if count[l] > count[level] {
			level = l
		}
	}
	if count[level] < 2 {
		return nil
	}
	all = slices.DeleteFunc(all, func(e entry) bool { return e.level != level })
	d.bound(all, marks, level)
	return newestFirst(all)
}

// mayBeLog is a fast check for the headings of a log: most documents have no two with a digit at one level.
func (d *Document) mayBeLog() bool {
	var count [7]int
	dated := func(text string, level int) bool {
		if strings.IndexFunc(text, unicode.IsDigit) >= 0 {
			count[level]++
		}
		return count[level] > 1
	}
	for s := range d.Parts {
		if dated(s.Heading.Text, 2) {
			return true
		}
		for _, b := range s.Blocks {
			if b.Kind == Subheading && dated(d.Line(b.Lines.First), b.Level) {
				return true
			}
		}
	}
	return dated(d.Title.Text, 1)
}

// bound sets where each entry ends: before the next heading that is not below it. If several headings of the
// level of the entries announce a next step, each belongs to the entry above it.
func (d *Document) bound(all []entry, marks []mark, level int) {
	steps := 0
	for _, m := range marks {
		if m.level == level && m.line > all[0].lines.First && words.Step(m.heading) == words.Announces && !isEntry(all, m) {
			steps++
		}
	}
	for i := range all {
		e := &all[i]
		e.lines.Last = d.NumLines()
		for _, m := range marks {
			if m.line <= e.lines.First {
				continue
			}
			if m.level < level || m.level == level && (steps < 2 || isEntry(all, m)) {
				e.lines.Last = m.line - 1
				break
			}
		}
	}
}

func isEntry(all []entry, m mark) bool {
	return slices.ContainsFunc(all, func(e entry) bool { return e.lines.First == m.line })
}

// newestFirst sorts entries by date and number. Those that neither tells apart are in the order in which the
// log grows: downwards, unless its first entry is newer than its last.
func newestFirst(all []entry) []entry {
	order := func(a, b entry) int {
		if c := a.at.Compare(b.at); c != 0 {
			return c
		}
		return cmp.Compare(a.number, b.number)
	}
	if order(all[0], all[len(all)-1]) <= 0 {
		slices.Reverse(all)
	}
	slices.SortStableFunc(all, func(a, b entry) int { return order(b, a) })
	return all
}

// headings are all headings of the document in their order.
func (d *Document) headings() (all []mark) {
	if d.Title.Lines.First > 0 {
		all = append(all, mark{d.Title.Text, 1, d.Title.Lines.First})
	}
	for s := range d.Parts {
		if s.Heading.Level > 0 {
			all = append(all, mark{s.Heading.Text, 2, s.Heading.Lines.First})
		}
		for _, b := range s.Blocks {
			if b.Kind == Subheading {
				all = append(all, mark{strings.Trim(d.Line(b.Lines.First), "# "), b.Level, b.Lines.First})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b mark) int { return cmp.Compare(a.line, b.line) })
	return all
}

// entryOf returns the date and the number of the session that a heading has. A heading with neither, or with
// other words before them, is no entry.
func entryOf(heading string) (at time.Time, number int) {
	if strings.IndexFunc(heading, unicode.IsDigit) < 0 {
		return at, 0
	}
	text := isoDates(heading)
	if m := headingDate(text); m.Known() {
		_, found := FindMoment(text)
		before, after, _ := strings.Cut(text, found)
		if number = sessionNumber(before); number == 0 {
			number = sessionNumber(after)
		}
		return m.Time, number
	}
	return at, sessionNumber(text)
}

// sessionNumber returns the number at the start of a text after words such as "Session", or between them: 第3回. 0 if
// there is none.
func sessionNumber(text string) int {
	from := strings.IndexFunc(text, unicode.IsDigit)
	if from < 0 {
		return 0
	}
	before, rest := text[:from], text[from:]
	to := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if to < 0 {
		to = len(rest)
	}
	if n, err := strconv.Atoi(rest[:to]); err == nil && to <= 4 && strings.IndexFunc(before, unicode.IsLetter) >= 0 && words.Entry(before) {
		return n
	}
	return 0
}

// isoDates writes the first date of a heading as ISO 8601: 2026年4月14日, 2026/04/14, 14.04.2026, "April 14, 2026".
func isoDates(text string) string {
	if _, found := FindMoment(text); found != "" {
		return text
	}
	text = wideDigits.Replace(text)
	for at := 0; at < len(text); at++ {
		if !isDigit(text[at]) || at > 0 && isDigit(text[at-1]) {
			continue
		}
		if year, month, day, end, ok := numericDate(text[at:]); ok {
			return text[:at] + iso(year, month, day) + text[at+end:]
		}
	}
	return monthDate(text)
}

var wideDigits = strings.NewReplacer("０", "0", "１", "1", "２", "2", "３", "3", "４", "4", "５", "5", "６", "6", "７", "7", "８", "8", "９", "9")

func iso(year, month, day int) string {
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// numericDate reads a date of three numbers at the start of a text, the year first or last.
func numericDate(text string) (year, month, day, end int, ok bool) {
	var numbers [3]int
	rest := text
	for i := range numbers {
		n := 0
		for n < len(rest) && n < 5 && isDigit(rest[n]) {
			n++
		}
		if n == 0 || n == 3 || n > 4 {
			return 0, 0, 0, 0, false
		}
		numbers[i], _ = strconv.Atoi(rest[:n])
		rest = rest[n:]
		for _, sign := range [...]string{"年", "月", "日", "년", "월", "일", ".", "/"} {
			if cut, ok := strings.CutPrefix(strings.TrimLeft(rest, " "), sign); ok && (i < 2 || len(sign) > 1) {
				rest = cut
				break
			}
		}
		if i < 2 {
			rest = strings.TrimLeft(rest, " ")
		}
	}
	year, month, day = numbers[0], numbers[1], numbers[2]
	if day > 31 {
		year, day = day, year
		switch slashes := strings.Contains(text[:len(text)-len(rest)], "/"); {
		case slashes && day <= 12 && month > 12: // as in the USA
			month, day = day, month
		case slashes && day <= 12 && day != month: // 04/05/2026 has two meanings
			return 0, 0, 0, 0, false
		}
	}
	return year, month, day, len(text) - len(rest), year >= 2000 && year <= 2099 && month >= 1 && month <= 12 && day >= 1 && day <= 31
}

// monthDate writes "14 April 2026", "Apr 14, 2026" and "14 de abril de 2026" as ISO 8601.
func monthDate(text string) string {
	if !strings.Contains(text, "20") {
		return text
	}
	fields := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '.' || r == '(' || r == ')' })
	fields = slices.DeleteFunc(fields, func(word string) bool { return word == "de" || word == "del" || word == "do" })
	for i := 0; i+2 < len(fields); i++ {
		year, err := strconv.Atoi(fields[i+2])
		if err != nil || year < 2000 || year > 2099 {
			continue
		}
		for _, order := range [...][2]string{{fields[i], fields[i+1]}, {fields[i+1], fields[i]}} {
			day, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSuffix(order[0], "er"), "º"))
			if month := words.Month(order[1]); err == nil && month > 0 && day >= 1 && day <= 31 {
				from := strings.Index(text, fields[i])
				to := from + strings.Index(text[from:], fields[i+2]) + len(fields[i+2])
				return text[:from] + iso(year, month, day) + text[to:]
			}
		}
	}
	return text
}
