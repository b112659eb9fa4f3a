package rules

import (
	"handoff"
	"handoff/lint"
)

// UnusedAllow flags a comment or frontmatter entry that allows what the
// document does not do.
var UnusedAllow = lint.Rule{
	Name:     "unused-allow",
	Severity: lint.Warning,
	Fixable:  true,
	Late:     true,
	Check:    unusedAllow,
}

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
			Edits:   withoutComment(p.Doc, a),
		})
	}
}

// withoutComment takes away the lines of a comment that stands alone on them,
// and the blank line behind it where it would follow another one.
func withoutComment(doc *handoff.Document, a *lint.Allow) []lint.Edit {
	for i := range doc.Comments {
		c := &doc.Comments[i]
		if !c.Alone || c.Lines.First != a.Line || c.Col != a.Col {
			continue
		}
		lines := c.Lines
		above := lines.First == 1 || isBlank(doc.Line(lines.First-1))
		if above && lines.Last < doc.NumLines() && isBlank(doc.Line(lines.Last+1)) {
			lines.Last++
		}
		return []lint.Edit{{Lines: lines}}
	}
	return nil
}
