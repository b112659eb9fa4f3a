package report

import (
	"bufio"
	"fmt"
	"strings"

	"handoff"
	"handoff/lint"
)

// gitHub writes workflow commands, which the runner turns into annotations.
// It shows at most ten of each severity for a step and logs the rest.
type gitHub struct{ out *bufio.Writer }

func newGitHub(out *bufio.Writer, _ Options) format { return gitHub{out} }

func (g gitHub) file(path string, doc *handoff.Document, findings []lint.Finding) {
	for i := range findings {
		f := &findings[i]
		fmt.Fprintf(g.out, "::%s file=%s", command(f.Severity), property(path))
		if f.Lines.First > 0 {
			fmt.Fprintf(g.out, ",line=%d", f.Lines.First)
			// The runner refuses columns of a range over several lines.
			if f.Lines.First == f.Lines.Last && f.Col > 0 {
				fmt.Fprintf(g.out, ",col=%d", character(doc, f.Lines.First, f.Col))
			}
			fmt.Fprintf(g.out, ",endLine=%d", f.Lines.Last)
		}
		fmt.Fprintf(g.out, ",title=%s::%s\n", property(f.Rule), data(f.Message))
	}
}

func (gitHub) close(Summary) {}

func command(s lint.Severity) string {
	if s == lint.Note {
		return "notice"
	}
	return s.String()
}

var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer(":", "%3A", ",", "%2C")
)

// data escapes what a command says. Line ends survive the log, so they are
// kept; other controls would reach whoever reads it in a terminal. A path that
// holds such is not found by the runner, which is the lesser harm.
func data(s string) string {
	return dataEscapes.Replace(visible(s, '\r', '\n'))
}

// property escapes a command's property, which a comma or a colon would end.
func property(s string) string {
	return propertyEscapes.Replace(data(s))
}
