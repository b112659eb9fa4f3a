package rules

import (
	"handoff"
	"handoff/lint"
)

// MalformedAllow flags a comment or frontmatter entry for the linter that
// allows nothing.
var MalformedAllow = lint.Rule{
	Name:     "malformed-allow",
	Severity: lint.Error,
	Late:     true,
	Check:    malformedAllow,
}

func malformedAllow(p *lint.Pass) {
	for i := range p.Allows {
		a := &p.Allows[i]
		at := handoff.Lines{First: a.Line, Last: a.Line}
		switch {
		case a.Malformed != "":
			reportAt(p, at, a.Col, "allow "+a.Malformed)
		case !known(a.Rule):
			reportAt(p, at, a.Col, "no rule "+quote(a.Rule)+orNearest(a.Rule))
		}
	}
}

func orNearest(name string) string {
	if nearest := Nearest(name); nearest != "" {
		return ": did you mean " + nearest
	}
	return ": `handoff rules` lists them"
}

// reportAt reports from a column to the end of the line.
func reportAt(p *lint.Pass, at handoff.Lines, col int, message string) {
	p.Report(lint.Finding{Lines: at, Col: col, EndCol: len(p.Doc.Line(at.Last)) + 1, Message: message})
}
