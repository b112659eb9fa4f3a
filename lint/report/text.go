package report

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"handoff/document/handoff"
	"handoff/internal/text/visible"
	"handoff/lint"
)

// text writes a line for each finding, as compilers do. Columns are code
// points, as editors count them.
type text struct {
	out  *bufio.Writer
	pen  pen
	link func(string) string
	bare func(string) bool // whether a rule's findings are shown without the source line
	all  bool              // also writes what could not be checked
}

func newText(out *bufio.Writer, opt Options) format {
	return &text{out, pen(opt.Color), opt.Link, opt.Unquoted, opt.Unchecked}
}

func (t *text) file(path string, doc *handoff.Document, findings []lint.Finding) {
	if t.pen && len(findings) > 0 {
		t.group(path, doc, findings)
		return
	}
	for i := range findings {
		f := &findings[i]
		fmt.Fprintf(t.out, "%s: %s\n", place(path, doc, f), says(f))
	}
}

func (t *text) unchecked(path, reason string) {
	if !t.all {
		return
	}
	if path != "" {
		path = visible.Text(path) + ": "
	}
	fmt.Fprintf(t.out, "%serror: %s\n", path, visible.Text(reason))
}

func (*text) close(Summary) {}

// group writes the path once, and the findings of the file below it, for
// terminals.
func (t *text) group(path string, doc *handoff.Document, findings []lint.Finding) {
	fmt.Fprintf(t.out, "%s\n", t.pen.in(bold, visible.Text(path)))
	places, widest := make([]string, len(findings)), 0
	for i := range findings {
		places[i] = strings.TrimPrefix(position(doc, &findings[i]), ":")
		widest = max(widest, len(places[i]))
	}
	for i := range findings {
		t.colored(fmt.Sprintf("  %*s", widest, places[i]), doc, &findings[i])
	}
	t.out.WriteByte('\n')
}

func (t *text) colored(at string, doc *handoff.Document, f *lint.Finding) {
	url := ""
	if t.link != nil {
		url = t.link(f.Rule)
	}
	severity := fmt.Sprintf("%-*s", len("warning"), f.Severity)
	fmt.Fprintf(t.out, "%s  %s  %s  %s\n",
		t.pen.in(dim, at), t.pen.in(shade(f.Severity), severity),
		visible.Text(f.Message), hyperlink(url, t.pen.in(dim, visible.Text(f.Rule))))
	if t.bare != nil && t.bare(f.Rule) {
		return
	}
	if source := line(doc, f.Lines.First); source != "" {
		shown, under := excerpt(source, f)
		indent := strings.Repeat(" ", len(at)+len("  "))
		fmt.Fprintf(t.out, "%s%s\n%s%s\n", indent, shown, indent, t.pen.in(shade(f.Severity), under))
	}
}

// place is the path and position of a finding. A finding about whole lines
// begins in column 1, because programs that read this output expect a number.
func place(path string, doc *handoff.Document, f *lint.Finding) string {
	return visible.Text(path) + position(doc, f)
}

// position is ":line:column" of a finding, or nothing if it is about the whole
// file.
func position(doc *handoff.Document, f *lint.Finding) string {
	if f.Lines.First == 0 {
		return ""
	}
	col := character(doc, f.Lines.First, max(f.Col, 1))
	return ":" + strconv.Itoa(f.Lines.First) + ":" + strconv.Itoa(col)
}

// says is the text of the line after the place.
func says(f *lint.Finding) string {
	return f.Severity.String() + ": " + visible.Text(f.Message) + " (" + visible.Text(f.Rule) + ")"
}

// character turns a byte column into one in code points.
func character(doc *handoff.Document, n, col int) int {
	part, ok := before(doc, n, col)
	if !ok {
		return col
	}
	return utf8.RuneCountInString(part) + 1
}
