package report

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"handoff/lint"
)

// pen writes in colours, or does not.
type pen bool

// The colours that are legible on light and dark terminals alike.
const (
	bold   = "1"
	dim    = "2"
	red    = "1;31"
	yellow = "33"
	blue   = "34"
)

func shade(s lint.Severity) string {
	switch s {
	case lint.Error:
		return red
	case lint.Warning:
		return yellow
	}
	return blue
}

func (p pen) in(color, s string) string {
	if !p {
		return s
	}
	return "\x1b[" + color + "m" + s + "\x1b[0m"
}

// hyperlink is text that terminals open at the URL (OSC 8).
func hyperlink(url, text string) string {
	if url == "" || url != visible(url) {
		return text
	}
	return "\x1b]8;;" + url + "\x1b\\" + text + "\x1b]8;;\x1b\\"
}

// widest is the most columns of source that an excerpt shows.
const widest = 100

// excerpt is the first line of a finding, and the line that marks the place
// below it: ^~~~. A long line is cut to what stands around the place.
func excerpt(line string, f *lint.Finding) (shown, under string) {
	from := min(max(f.Col, 1)-1, len(line))
	to := len(line)
	if f.Col > 0 && f.EndCol > f.Col && last(f) == f.Lines.First {
		to = min(f.EndCol-1, len(line))
	}
	before, marked, after := line[:from], line[from:to], line[to:]
	lead := ""
	if cells(before) > widest/2 {
		before, lead = tail(before, widest/2), "…"
	}
	before, marked = tabless(before), head(tabless(marked), widest-cells(before))
	trail := ""
	if from+len(marked) < to || cells(after) > widest-cells(before)-cells(marked) {
		trail = "…"
	}
	after = head(tabless(after), widest-cells(before)-cells(marked))
	if from+len(marked) < to {
		after = ""
	}
	shown = lead + visible(before) + visible(marked) + visible(after) + trail
	under = strings.Repeat(" ", cells(lead)+cells(visible(before))) + "^" +
		strings.Repeat("~", max(cells(visible(marked))-1, 0))
	return shown, under
}

// tabless writes a tab as one blank, so that the mark stands where it should.
func tabless(s string) string { return strings.ReplaceAll(s, "\t", " ") }

// head is as much of the beginning of s as fits into n columns.
func head(s string, n int) string {
	for i, c := range s {
		if n -= cell(c); n < 0 {
			return s[:i]
		}
	}
	return s
}

// tail is as much of the end of s as fits into n columns.
func tail(s string, n int) string {
	for i := len(s); i > 0; {
		c, size := utf8.DecodeLastRuneInString(s[:i])
		if n -= cell(c); n < 0 {
			return s[i:]
		}
		i -= size
	}
	return s
}

func cells(s string) (n int) {
	for _, c := range s {
		n += cell(c)
	}
	return n
}

// cell is how many columns of a terminal a character takes. It knows the large
// blocks; emoji that are built of several characters come out wider.
func cell(c rune) int {
	switch {
	case c < 0x300:
		return 1
	case unicode.In(c, unicode.Mn, unicode.Me), c == 0x200d, 0xfe00 <= c && c <= 0xfe0f:
		return 0
	case 0x1100 <= c && c <= 0x115f, 0x2e80 <= c && c <= 0xa4cf, 0xac00 <= c && c <= 0xd7a3,
		0xf900 <= c && c <= 0xfaff, 0xfe30 <= c && c <= 0xfe6f, 0xff00 <= c && c <= 0xff60,
		0xffe0 <= c && c <= 0xffe6, 0x1f300 <= c && c <= 0x1f64f, 0x1f680 <= c && c <= 0x1faff,
		0x20000 <= c && c <= 0x3fffd:
		return 2
	}
	return 1
}
