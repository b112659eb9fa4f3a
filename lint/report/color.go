package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"handoff/internal/text/visible"
	"handoff/lint"
)

// pen writes colours if it is true.
type pen bool

// The colours, as parameters of the SGR sequence: only the eight that users can
// configure in every terminal.
const (
	bold   = "1"
	dim    = "2"
	red    = "1;31"
	yellow = "1;33"
	cyan   = "1;36"
)

func (p pen) in(rendition, s string) string {
	if !p || s == "" {
		return s
	}
	return "\x1b[" + rendition + "m" + s + "\x1b[0m"
}

func shade(s lint.Severity) string {
	switch s {
	case lint.Error:
		return red
	case lint.Warning:
		return yellow
	}
	return cyan
}

// hyperlink puts text into an OSC 8 sequence.
func hyperlink(url, text string) string {
	if url == "" {
		return text
	}
	return "\x1b]8;;" + asciiURL(url) + "\x1b\\" + text + "\x1b]8;;\x1b\\"
}

// asciiURL escapes what is invalid in a URL, and could end the sequence of the
// link early in a terminal.
func asciiURL(url string) string {
	var b strings.Builder
	for i := range len(url) {
		if c := url[i]; c > ' ' && c < 0x7f {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// The widest excerpt, in terminal cells, and how much of it is before the
// finding if the line is longer.
const (
	excerptCells = 100
	leadCells    = 30
	tabCells     = 4
)

// excerpt is the part of a source line around a finding, and the marks that
// underline the finding. A finding over several lines is underlined to the end
// of the first one.
func excerpt(source string, f *lint.Finding) (shown, under string) {
	start, end := 0, len(source)
	if f.Col > 0 && f.Col <= len(source)+1 {
		start = f.Col - 1
		if f.Lines.First == f.Lines.Last && f.EndCol > f.Col {
			end = min(f.EndCol-1, len(source))
		}
	}
	cut := clipStart(source, start)
	var line, marks strings.Builder
	if cut > 0 {
		line.WriteString("…")
		marks.WriteString(" ")
	}
	width := 0
	for i := cut; i < len(source); {
		r, size := utf8.DecodeRuneInString(source[i:])
		cell, cells := draw(source[i:i+size], r)
		if width += cells; width > excerptCells {
			line.WriteString("…")
			break
		}
		line.WriteString(cell)
		mark := " "
		if i >= start && i < end {
			mark = "^"
		}
		marks.WriteString(strings.Repeat(mark, cells))
		i += size
	}
	if start >= len(source) {
		marks.WriteString("^") // the finding is after the last character
	}
	return line.String(), strings.TrimRight(marks.String(), " ")
}

// clipStart is where the excerpt begins: at the start of the line if the
// finding is near it, otherwise a little before the finding.
func clipStart(source string, start int) int {
	width, at := 0, start
	for at > 0 {
		r, size := utf8.DecodeLastRuneInString(source[:at])
		_, cells := draw(source[at-size:at], r)
		width += cells
		at -= size
	}
	if width <= excerptCells-leadCells {
		return 0
	}
	for width, at = 0, start; at > 0 && width < leadCells; {
		r, size := utf8.DecodeLastRuneInString(source[:at])
		_, cells := draw(source[at-size:at], r)
		width += cells
		at -= size
	}
	return at
}

// draw is how a character is displayed, and its width in cells.
func draw(s string, r rune) (shown string, cells int) {
	switch {
	case r == '\t':
		return strings.Repeat(" ", tabCells), tabCells
	case visible.Escaped(r) || r == utf8.RuneError && len(s) == 1:
		shown = visible.Text(s)
		return shown, len(shown)
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return s, 0
	case unicode.Is(wide, r):
		return s, 2
	}
	return s, 1
}

// wide are the characters that take two cells, in blocks: enough to put a mark
// under the right word, without a full copy of Unicode's table.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115f, Stride: 1}, {Lo: 0x2e80, Hi: 0x303e, Stride: 1},
		{Lo: 0x3041, Hi: 0x4dbf, Stride: 1}, {Lo: 0x4e00, Hi: 0xa4cf, Stride: 1},
		{Lo: 0xac00, Hi: 0xd7a3, Stride: 1}, {Lo: 0xf900, Hi: 0xfaff, Stride: 1},
		{Lo: 0xfe30, Hi: 0xfe6f, Stride: 1}, {Lo: 0xff00, Hi: 0xff60, Stride: 1},
		{Lo: 0xffe0, Hi: 0xffe6, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x1f300, Hi: 0x1f64f, Stride: 1}, {Lo: 0x1f680, Hi: 0x1f6ff, Stride: 1},
		{Lo: 0x1f900, Hi: 0x1f9ff, Stride: 1}, {Lo: 0x20000, Hi: 0x3fffd, Stride: 1},
	},
}
