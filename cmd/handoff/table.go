package main

import (
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"
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
