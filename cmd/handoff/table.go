package main

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

// columns is the width of the terminal that stdout is, 0 if it is not one. As
// in other programs, $COLUMNS overrides what the terminal reports.
func (w *process) columns() int {
	if !isTerminal(w.stdout) {
		return 0
	}
	if n, err := strconv.Atoi(w.getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return width(w.stdout, 80)
}

const (
	gap       = 2  // blanks between two columns
	leastCell = 12 // minimum width of a narrowed column
)

// aligned is a table of rows with aligned columns. On a terminal it begins with
// the header and each row is one line: the columns in narrow are cut, in that
// order, until it fits. A pipe or a file gets only the rows, uncut.
func (w *process) aligned(header []string, rows [][]string, narrow ...int) string {
	columns := w.columns()
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
				line.WriteString(strings.Repeat(" ", widths[i]-displaywidth.String(cell)+gap))
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
	over := gap*(len(widths)-1) - columns
	for _, n := range widths {
		over += n
	}
	for _, i := range narrow {
		if i < len(widths) && over > 0 {
			cut := min(over, max(widths[i]-leastCell, 0))
			widths[i] -= cut
			over -= cut
		}
	}
}

// fill breaks words into lines that fit columns. All lines start at the column
// indent, where the caller has written so far. It does not break a word that is
// wider than a line.
func fill(text string, indent, columns int) string {
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

// ageOf formats how long ago a document was written. A time without a zone can
// be wrong by most of a day, so a recent one is printed unchanged.
func ageOf(m handoff.Moment, now time.Time) string {
	switch d := now.Sub(m.Time); {
	case m.Earliest().After(now.Add(clocksDiffer)):
		return "in the future"
	case m.Zoned || d >= 2*handoff.Day:
		return say.Ago(d)
	}
	return strings.Replace(m.String(), "T", " ", 1)
}

// clocksDiffer is how far in the future a time may be and still count as now:
// new uses the next free second, and clocks differ by seconds.
const clocksDiffer = 2 * time.Minute

// wrap breaks a line at blanks so that each row fits. Rows after the first are
// indented to the text after the line's list marker. It does not break a word
// that is wider than a row.
func wrap(line string, columns int) []string {
	if displaywidth.String(line) <= columns {
		return []string{line}
	}
	indent := len(line) - len(strings.TrimLeft(line, " "))
	if marker, _, ok := strings.Cut(line[indent:], " "); ok && (marker == "-" || strings.HasSuffix(marker, ".") && len(marker) < 4) {
		indent += len(marker) + 1
	}
	return strings.Split(line[:indent]+fill(line[indent:], indent, columns), "\n")
}

// plural is a number with its noun.
func plural(n int, noun string) string { return prose.Count(n, noun) }

// shorten replaces the ids of a drawing that have a short form.
func shorten(n *tree.Node, short map[string]string) {
	n.ID = cmp.Or(short[n.ID], n.ID)
	for _, child := range n.Children {
		shorten(child, short)
	}
}
