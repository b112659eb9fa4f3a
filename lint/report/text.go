package report

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"handoff/lint"
)

// text writes a line for each finding, as compilers do. Columns count
// characters.
type text struct {
	out *bufio.Writer
	opt Options
	pen pen
}

func newText(out *bufio.Writer, opt Options) format {
	return &text{out, opt, pen(opt.Color)}
}

func (t *text) file(path string, src func(int) string, findings []lint.Finding) {
	for i := range findings {
		f := &findings[i]
		line := ""
		if f.Lines.First > 0 {
			line = src(f.Lines.First)
		}
		fmt.Fprintf(t.out, "%s: %s: %s (%s)\n", t.pen.in(bold, place(path, line, f)),
			t.pen.in(shade(f.Severity), f.Severity.String()), visible(f.Message), t.rule(f.Rule))
		if t.pen && line != "" {
			shown, under := excerpt(line, f)
			fmt.Fprintf(t.out, "    %s\n    %s\n", shown, t.pen.in(shade(f.Severity), under))
		}
	}
}

func (t *text) close(s Summary) {
	line := s.Line()
	if t.opt.Quiet || t.opt.Summary == nil || line == "" {
		return
	}
	// The count comes last also where both writers are one.
	if t.out.Flush() == nil {
		_, _ = io.WriteString(t.opt.Summary, line+"\n") // talk: the report itself is written
	}
}

// rule is the rule's name, a link on a terminal.
func (t *text) rule(name string) string {
	shown := t.pen.in(dim, visible(name))
	if !t.pen || t.opt.Link == nil {
		return shown
	}
	return hyperlink(t.opt.Link(name), shown)
}

// place is the path and, where the finding has one, its line and column. A
// finding about whole lines begins in column 1: who reads this wants a number.
func place(path, line string, f *lint.Finding) string {
	if f.Lines.First == 0 {
		return visible(path)
	}
	return visible(path) + ":" + strconv.Itoa(f.Lines.First) + ":" + strconv.Itoa(column(line, max(f.Col, 1)))
}
