package help

import (
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"handoff/surface/command"
)

const (
	helpIndent = 2
	helpColumn = 26  // maximum column where texts start; after a longer name, the text is on the next line
	Width      = 100 // width without a terminal, and the maximum that reads well
)

// helpWriter formats a page of help for people.
type helpWriter struct {
	strings.Builder
	width  int
	colour bool
}

// Show prints a page, wrapped at the width of the terminal.
func Show(w *command.Process, page Page) error {
	colour := w.Colour("auto", w.Stdout)
	width := Width
	if columns := w.Columns(); columns > 0 {
		width = min(columns, Width)
	}
	_, err := io.WriteString(command.Painted(w.Stdout), Formatted(page, width, colour))
	return err
}

// Formatted returns a page whose lines have at most width columns, but for commands to type.
func Formatted(page Page, width int, colour bool) string {
	h := &helpWriter{width: width, colour: colour}
	h.page(page)
	return h.String()
}

func (h *helpWriter) page(p Page) {
	h.text(p.Summary, 0)
	h.title("Usage")
	for _, line := range p.Usage {
		h.line(line)
	}
	for _, par := range p.About {
		h.WriteByte('\n')
		if strings.HasPrefix(par, " ") {
			h.WriteString(par + "\n")
			continue
		}
		h.text(par, 0)
	}
	for _, list := range p.Lists {
		h.title(list.Title)
		column := 0
		for _, row := range list.Rows {
			column = max(column, helpIndent+displaywidth.String(row.Name)+command.Gap)
		}
		for _, row := range list.Rows {
			h.row(row, min(column, helpColumn))
		}
	}
	if len(p.Examples) > 0 {
		h.title("Examples")
	}
	for _, line := range p.Examples {
		h.line(line)
	}
	if p.after != "" {
		h.WriteByte('\n')
		h.text(p.after, 0)
	}
}

func (h *helpWriter) title(text string) {
	h.WriteString("\n" + command.Styled(h.colour, command.Bold, text+":") + "\n")
}

func (h *helpWriter) line(text string) {
	h.WriteString(strings.Repeat(" ", helpIndent) + text + "\n")
}

// row writes a name and, next to it at column, its wrapped text.
func (h *helpWriter) row(r Row, column int) {
	h.WriteString(strings.Repeat(" ", helpIndent) + r.Name)
	used := helpIndent + displaywidth.String(r.Name)
	if used+command.Gap > column {
		h.WriteByte('\n')
		used = 0
	}
	h.WriteString(strings.Repeat(" ", column-used))
	h.text(r.full(), column)
}

// text writes wrapped words. The first line starts at the writer's column, which
// is indent, and so do the others.
func (h *helpWriter) text(text string, indent int) {
	h.WriteString(command.Fill(text, indent, h.width) + "\n")
}
