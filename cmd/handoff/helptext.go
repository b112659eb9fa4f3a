package main

import (
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

const (
	helpIndent = 2
	helpColumn = 26  // maximum column where texts start; after a longer name, the text is on the next line
	helpWidth  = 100 // width without a terminal, and the maximum that reads well
)

// helpWriter formats a page of help for people.
type helpWriter struct {
	strings.Builder
	width  int
	colour bool
}

// showHelp prints a page, wrapped at the width of the terminal.
func showHelp(w *process, page helpPage) error {
	colour := w.colour("auto", w.stdout)
	h := &helpWriter{width: helpWidth, colour: colour}
	if columns := w.columns(); columns > 0 {
		h.width = min(columns, helpWidth)
	}
	h.page(page)
	_, err := io.WriteString(painted(w.stdout), h.String())
	return err
}

func (h *helpWriter) page(p helpPage) {
	h.text(p.summary, 0)
	h.title("Usage")
	for _, line := range p.usage {
		h.line(line)
	}
	for _, par := range p.about {
		h.WriteByte('\n')
		if strings.HasPrefix(par, " ") {
			h.WriteString(par + "\n")
			continue
		}
		h.text(par, 0)
	}
	for _, list := range p.lists {
		h.title(list.title)
		column := 0
		for _, row := range list.rows {
			column = max(column, helpIndent+displaywidth.String(row.name)+gap)
		}
		for _, row := range list.rows {
			h.row(row, min(column, helpColumn))
		}
	}
	if len(p.example) > 0 {
		h.title("Examples")
	}
	for _, line := range p.example {
		h.line(line)
	}
}

func (h *helpWriter) title(text string) {
	h.WriteString("\n" + styled(h.colour, bold, text+":") + "\n")
}

func (h *helpWriter) line(text string) {
	h.WriteString(strings.Repeat(" ", helpIndent) + text + "\n")
}

// row writes a name and, next to it at column, its wrapped text.
func (h *helpWriter) row(r helpRow, column int) {
	h.WriteString(strings.Repeat(" ", helpIndent) + r.name)
	used := helpIndent + displaywidth.String(r.name)
	if used+gap > column {
		h.WriteByte('\n')
		used = 0
	}
	h.WriteString(strings.Repeat(" ", column-used))
	h.text(r.text, column)
}

// text writes wrapped words. The first line starts at the writer's column, which
// is indent, and so do the others.
func (h *helpWriter) text(text string, indent int) {
	h.WriteString(fill(text, indent, h.width) + "\n")
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
