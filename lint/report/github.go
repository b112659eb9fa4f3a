package report

import (
	"bufio"
	"fmt"
	"strings"

	"handoff/lint"
)

// github writes workflow commands, which GitHub shows beside the lines of a
// pull request. Columns count characters.
type github struct {
	out  *bufio.Writer
	seen [lint.Error + 1]int // findings by severity
}

// shownByGitHub is how many annotations of each kind GitHub shows of one step.
const shownByGitHub = 10

func newGitHub(out *bufio.Writer, _ Options) format { return &github{out: out} }

func (g *github) file(path string, src func(int) string, findings []lint.Finding) {
	for i := range findings {
		f := &findings[i]
		g.seen[f.Severity]++
		fmt.Fprintf(g.out, "::%s file=%s%s,title=%s::%s\n", kind(f.Severity), property(path),
			region(src, f), property(f.Rule), data(f.Message))
	}
}

func kind(s lint.Severity) string {
	switch s {
	case lint.Error:
		return "error"
	case lint.Warning:
		return "warning"
	}
	return "notice"
}

// region is the place of a finding; GitHub takes columns only where it begins
// and ends on one line.
func region(src func(int) string, f *lint.Finding) string {
	if f.Lines.First == 0 {
		return ""
	}
	if f.Col == 0 || last(f) > f.Lines.First {
		return fmt.Sprintf(",line=%d,endLine=%d", f.Lines.First, last(f))
	}
	line := src(f.Lines.First)
	s := fmt.Sprintf(",line=%d,col=%d,endLine=%d", f.Lines.First, column(line, f.Col), last(f))
	if f.EndCol > f.Col {
		s += fmt.Sprintf(",endColumn=%d", column(line, f.EndCol))
	}
	return s
}

// close says how many findings GitHub leaves out, in a kind that still has
// room where there is one.
func (g *github) close(s Summary) {
	var rest []string
	for _, c := range [...]struct {
		severity lint.Severity
		noun     string
	}{{lint.Error, "error"}, {lint.Warning, "warning"}, {lint.Note, "note"}} {
		if more := g.seen[c.severity] - shownByGitHub; more > 0 {
			rest = append(rest, plural(more, "more "+c.noun))
		}
	}
	if len(rest) == 0 {
		return
	}
	as := lint.Note
	if g.seen[lint.Note] >= shownByGitHub && g.seen[lint.Warning] < shownByGitHub {
		as = lint.Warning
	}
	fmt.Fprintf(g.out, "::%s title=handoff::%s in the log of this step: GitHub shows %d of a kind\n",
		kind(as), strings.Join(rest, ", "), shownByGitHub)
}

// data and property escape as @actions/core does; all else that could hide
// something in a log is made visible.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(visibleLines(s))
}

func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(visibleLines(s))
}

// visibleLines is [visible] but for line ends.
func visibleLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		parts := strings.Split(line, "\r")
		for j := range parts {
			parts[j] = visible(parts[j])
		}
		lines[i] = strings.Join(parts, "\r")
	}
	return strings.Join(lines, "\n")
}
