// Package benchmark has the results of measurements as tables, for people and programs.
//
// A figure is a count, or a share that keeps both of its counts, because 3 of 4 means
// less than 300 of 400. There is no score: readers judge the figures.
package benchmark

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Suite is what one suite measured.
type Suite struct {
	Name    string   `json:"name" doc:"name of the suite"`
	About   string   `json:"about" doc:"what it measures"`
	Skipped string   `json:"skipped,omitempty" doc:"why it did not run"`
	Tables  []Table  `json:"tables" doc:"the results"`
	Limits  []string `json:"limits" doc:"what the results do not show"`
}

// Table is a table of results.
type Table struct {
	Title   string   `json:"title" doc:"what was measured, and how often"`
	Columns []string `json:"columns" doc:"headings of the figures"`
	Rows    []Row    `json:"rows" doc:"the ways that are compared"`
}

// Row is a way of doing something, with its figures.
type Row struct {
	Name  string `json:"name" doc:"the way"`
	Cells []Cell `json:"cells" doc:"a figure for each column"`
}

// Cell is a figure: N of Of, or N alone if Of is nil.
type Cell struct {
	N  int  `json:"n" doc:"the count"`
	Of *int `json:"of,omitempty" doc:"of how many, for a share"`
}

// Number is a count.
func Number(n int) Cell { return Cell{N: n} }

// Share is a share of a whole, which may be 0.
func Share(n, of int) Cell { return Cell{n, &of} }

// few is the largest total for which a percentage would be misleading.
const few = 40

// String is the figure for people: "3 of 4", "75 % of 400", "1,030", or "-" for a share of
// nothing.
func (c Cell) String() string {
	switch {
	case c.Of == nil:
		return thousands(c.N)
	case *c.Of == 0:
		return "-"
	case *c.Of <= few:
		return fmt.Sprintf("%d of %d", c.N, *c.Of)
	}
	return fmt.Sprintf("%s of %s", percent(c.N, *c.Of), thousands(*c.Of))
}

// percent rounds, but never to 0 or 100 unless the value is exactly that.
func percent(n, of int) string {
	p := (200*n + of) / (2 * of)
	switch {
	case p == 0 && n > 0:
		return "<1 %"
	case p == 100 && n < of:
		return ">99 %"
	}
	return strconv.Itoa(p) + " %"
}

func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Text is a suite for a terminal.
func (s Suite) Text() string {
	var b strings.Builder
	wrap(&b, "", s.Name+": "+s.About)
	if s.Skipped != "" {
		b.WriteString("\n")
		wrap(&b, "  ", "not run: "+s.Skipped)
	}
	for _, t := range s.Tables {
		b.WriteString("\n")
		wrap(&b, "  ", t.Title)
		t.write(&b, false)
	}
	return b.String()
}

// width is how many columns a line of text has at most.
const width = 80

func wrap(b *strings.Builder, indent, text string) {
	at := 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case at == 0:
			b.WriteString(indent + word)
			at = len(indent) + n
		case at+1+n > width:
			b.WriteString("\n" + indent + word)
			at = len(indent) + n
		default:
			b.WriteString(" " + word)
			at += 1 + n
		}
	}
	b.WriteString("\n")
}

// Markdown is a suite as a section of a document.
func (s Suite) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%s\n", s.Name, sentence(s.About))
	if s.Skipped != "" {
		fmt.Fprintf(&b, "\nNot run: %s.\n", s.Skipped)
	}
	for _, t := range s.Tables {
		fmt.Fprintf(&b, "\n%s:\n\n", strings.TrimSuffix(sentence(t.Title), "."))
		t.write(&b, true)
	}
	if len(s.Limits) > 0 {
		b.WriteString("\nLimits:\n\n")
	}
	for _, l := range s.Limits {
		fmt.Fprintf(&b, "* %s\n", l)
	}
	return b.String()
}

func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] + "." }

// write aligns the columns: names to the left, figures to the right.
func (t Table) write(b *strings.Builder, markdown bool) {
	first, between, end := "  ", "  ", "\n"
	if markdown {
		first, between, end = "| ", " | ", " |\n"
	}
	lines := t.texts()
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, text := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	for n, line := range lines {
		for i, text := range line {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text))
			if i == 0 {
				b.WriteString(first + text + pad)
				continue
			}
			b.WriteString(between + pad + text)
		}
		b.WriteString(end)
		if n == 0 && markdown {
			b.WriteString("|---" + strings.Repeat("|--:", len(widths)-1) + "|\n")
		}
	}
}

// texts returns the lines of the table, including the headings.
func (t Table) texts() [][]string {
	lines := [][]string{append([]string{""}, t.Columns...)}
	for _, r := range t.Rows {
		line := []string{r.Name}
		for _, c := range r.Cells {
			line = append(line, c.String())
		}
		lines = append(lines, line)
	}
	return lines
}
