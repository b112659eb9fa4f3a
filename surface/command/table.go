package command

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"handoff/document/handoff"
	"handoff/internal/text/prose"
	"handoff/internal/text/say"
	"handoff/internal/text/tree"
)

// Columns is the width of the terminal that stdout is, 0 if it is not one. As
// in other programs, $COLUMNS overrides what the terminal reports.
func (w *Process) Columns() int {
	if !IsTerminal(w.Stdout) {
		return 0
	}
	if n, err := strconv.Atoi(w.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return Width(w.Stdout, 80)
}

const (
	Gap       = 2  // blanks between two columns
	LeastCell = 12 // minimum width of a narrowed column
)

// Aligned is a table of rows with aligned columns. On a terminal it begins with
// the header and each row is one line: the columns in narrow are cut, in that
// order, until it fits. A pipe or a file gets only the rows, uncut.
func (w *Process) Aligned(header []string, rows [][]string, narrow ...int) string {
	columns := w.Columns()
	if columns > 0 && header != nil && len(rows) > 0 {
		rows = append([][]string{header}, rows...)
	}
	var table strings.Builder
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], displaywidth.String(cell))
		}
	}
	if columns > 0 {
		fit(widths, columns, narrow)
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			if columns > 0 {
				cell = displaywidth.TruncateString(cell, widths[i], "…")
			}
			line.WriteString(cell)
			if i+1 < len(row) {
				line.WriteString(strings.Repeat(" ", widths[i]-displaywidth.String(cell)+Gap))
			}
		}
		text := strings.TrimRight(line.String(), " ")
		if columns > 0 {
			text = displaywidth.TruncateString(text, columns, "…")
		}
		table.WriteString(text + "\n")
	}
	return table.String()
}

// fit narrows columns until a row fits, or until they have their minimum width.
func fit(widths []int, columns int, narrow []int) {
	over := Gap*(len(widths)-1) - columns
	for _, n := range widths {
		over += n
	}
	for _, i := range narrow {
		if i < len(widths) && over > 0 {
			cut := min(over, max(widths[i]-LeastCell, 0))
			widths[i] -= cut
			over -= cut
		}
	}
}

// Fill breaks words into lines that fit columns. All lines start at the column
// indent, where the caller has written so far. It does not break a word that is
// wider than a line.
func Fill(text string, indent, columns int) string {
	var b strings.Builder
	column := indent
	for i, word := range strings.Fields(text) {
		n := displaywidth.String(word)
		switch {
		case i == 0:
		case column+1+n > columns:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

// AgeOf formats how long ago a document was written. A time without a zone can
// be wrong by most of a day, so a recent one is printed unchanged.
func AgeOf(m handoff.Moment, now time.Time) string {
	switch d := now.Sub(m.Time); {
	case m.Earliest().After(now.Add(clocksDiffer)):
		return "in the future"
	case m.Zoned || d >= 2*handoff.Day:
		return say.Ago(d)
	}
	return strings.Replace(m.String(), "T", " ", 1)
}

// NextAction formats the next action of a handoff for a list.
func NextAction(text string) string {
	return Plain(cmp.Or(strings.TrimSpace(text), "(names no next action)"))
}

// clocksDiffer is how far in the future a time may be and still count as now:
// new uses the next free second, and clocks differ by seconds.
const clocksDiffer = 2 * time.Minute

// Wrap breaks a line at blanks so that each row fits. Rows after the first are
// indented to the text after the line's list marker. It does not break a word
// that is wider than a row.
func Wrap(line string, columns int) []string {
	if displaywidth.String(line) <= columns {
		return []string{line}
	}
	indent := len(line) - len(strings.TrimLeft(line, " "))
	if marker, _, ok := strings.Cut(line[indent:], " "); ok && (marker == "-" || strings.HasSuffix(marker, ".") && len(marker) < 4) {
		indent += len(marker) + 1
	}
	return strings.Split(line[:indent]+Fill(line[indent:], indent, columns), "\n")
}

// Plural is a number with its noun.
func Plural(n int, noun string) string { return prose.Count(n, noun) }

// Shorten replaces the ids of a drawing that have a short form.
func Shorten(n *tree.Node, short map[string]string) {
	n.ID = cmp.Or(short[n.ID], n.ID)
	for _, child := range n.Children {
		Shorten(child, short)
	}
}
