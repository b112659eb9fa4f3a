package report

import (
	"bufio"
	"fmt"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/text/prose"
	"handoff/internal/text/visible"
	"handoff/lint"
)

// gitHub writes workflow commands, which GitHub's runner turns into
// annotations.
type gitHub struct {
	out  *bufio.Writer
	seen [lint.Error + 1]int // findings by severity
}

// annotations is how many of each kind GitHub shows for one step; the log has
// all of them.
const annotations = 10

func newGitHub(out *bufio.Writer, _ Options) format { return &gitHub{out: out} }

func (g *gitHub) file(path string, doc *handoff.Document, findings []lint.Finding) {
	for i := range findings {
		f := &findings[i]
		g.seen[f.Severity]++
		fmt.Fprintf(g.out, "::%s file=%s", command(f.Severity), property(path))
		if f.Lines.First > 0 {
			fmt.Fprintf(g.out, ",line=%d", f.Lines.First)
			// The runner rejects columns if a range has several lines.
			if f.Lines.First == f.Lines.Last && f.Col > 0 {
				fmt.Fprintf(g.out, ",col=%d", character(doc, f.Lines.First, f.Col))
			}
			fmt.Fprintf(g.out, ",endLine=%d", f.Lines.Last)
		}
		fmt.Fprintf(g.out, ",title=%s::%s\n", property(f.Rule), data(f.Message))
	}
}

func (g *gitHub) unchecked(path, reason string) {
	g.seen[lint.Error]++
	file := ""
	if path != "" {
		file = "file=" + property(path) + ","
	}
	fmt.Fprintf(g.out, "::error %stitle=handoff::%s\n", file, data(reason))
}

// close reports how many findings GitHub will not show, as a notice or, if no
// more notices are shown, as a kind that has room.
func (g *gitHub) close(Summary) {
	var rest []string
	as := lint.Note
	for s := lint.Error; s > lint.Off; s-- {
		if more := g.seen[s] - annotations; more > 0 {
			rest = append(rest, prose.Count(more, "more "+s.String()))
		}
		if g.seen[lint.Note] >= annotations && g.seen[s] < annotations {
			as = s
		}
	}
	if len(rest) > 0 {
		fmt.Fprintf(g.out, "::%s title=handoff::%s in the log of this step: GitHub shows %d of a kind\n",
			command(as), strings.Join(rest, ", "), annotations)
	}
}

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

// data escapes a command's text. Line ends are kept, because the log shows
// them; other control characters would reach the terminal of a reader. The
// runner does not find a file whose path has such characters, which is
// acceptable.
func data(s string) string {
	return dataEscapes.Replace(visible.Text(s, '\r', '\n'))
}

// property escapes a command's property, which a comma or a colon would end.
func property(s string) string {
	return propertyEscapes.Replace(data(s))
}
