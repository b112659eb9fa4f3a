package rules

import (
	"handoff/document/handoff"
	"handoff/lint"
)

// unusedAllow flags a comment or frontmatter entry that allows nothing that the
// document has.
func unusedAllow(p *lint.Pass) {
	for i := range p.Allows {
		a := &p.Allows[i]
		if a.Malformed != "" || a.Used || !a.Ran {
			continue
		}
		at := handoff.Lines{First: a.Line, Last: a.Line}
		p.Report(lint.Finding{
			Lines: at, Col: a.Col, EndCol: len(p.Doc.Line(a.Line)) + 1,
			Message: "nothing here breaks " + a.Rule + ": remove the allow",
			Edits:   withoutComment(p, a),
		})
	}
}

// withoutComment removes the lines of a comment that has its lines to itself,
// and the blank line after it if another one is before it.
func withoutComment(p *lint.Pass, a *lint.Allow) []lint.Edit {
	c := commentAlone(p, a.Line)
	if c == nil || c.Col != a.Col {
		return nil
	}
	lines := c.Lines
	above := lines.First == 1 || isBlank(p.Doc.Line(lines.First-1))
	if above && lines.Last < p.Doc.NumLines() && isBlank(p.Doc.Line(lines.Last+1)) {
		lines.Last++
	}
	return []lint.Edit{{Lines: lines}}
}
