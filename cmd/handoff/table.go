package main

import (
	"io"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// columns is the width of the terminal that stdout is, 0 where it is none. As
// for other programs, $COLUMNS comes before what the terminal says.
func (w *world) columns() int {
	if !isTerminal(w.stdout) {
		return 0
	}
	if n, err := strconv.Atoi(w.getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return width(w.stdout, 80)
}

const (
	gap       = 2  // between two columns
	leastCell = 12 // that a column is narrowed to
)

// printTable prints rows with their columns aligned. On a terminal each row is
// one line: the columns of narrow, in their order, give up what does not fit. In
// a pipe or a file nothing is cut.
func (w *world) printTable(out io.Writer, rows [][]string, narrow ...int) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], displaywidth.String(cell))
		}
	}
	columns := w.columns()
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
		_, _ = io.WriteString(out, text+"\n")
	}
}

// fit narrows columns until a row fits, as far as they can be.
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
