package rules

import (
	"slices"

	"handoff/document/handoff"
	"handoff/internal/text/nearest"
	"handoff/lint"
)

// malformedAllow flags a comment or frontmatter entry for the linter that has
// no effect.
func malformedAllow(p *lint.Pass) {
	var all []string // the names of the rules, listed on demand
	for i := range p.Allows {
		a := &p.Allows[i]
		at := handoff.Lines{First: a.Line, Last: a.Line}
		switch {
		case a.Malformed != "":
			reportAt(p, at, a.Col, a.Malformed)
		default:
			if all == nil {
				all = Docs.Names()
			}
			if _, known := slices.BinarySearch(all, a.Rule); !known {
				reportAt(p, at, a.Col, "unknown rule "+quote(a.Rule)+orNearest(a.Rule, all))
			}
		}
	}
}

func orNearest(name string, all []string) string {
	if near := nearest.Word(name, all); near != "" {
		return ": did you mean " + near
	}
	return ": `handoff rules` lists them"
}

// reportAt reports from a column to the end of the line.
func reportAt(p *lint.Pass, at handoff.Lines, col int, message string) {
	p.Report(lint.Finding{Lines: at, Col: col, EndCol: len(p.Doc.Line(at.Last)) + 1, Message: message})
}
