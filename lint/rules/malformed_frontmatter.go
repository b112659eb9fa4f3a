package rules

import (
	"handoff"
	"handoff/lint"
)

// MalformedFrontmatter flags invalid frontmatter.
var MalformedFrontmatter = lint.Rule{
	Name:     "malformed-frontmatter",
	Severity: lint.Error,
	Check:    func(p *lint.Pass) { reportProblems(p, handoff.BadFront) },
}

// reportProblems reports what parse could not read.
func reportProblems(p *lint.Pass, kinds ...handoff.ProblemKind) {
	for i := range p.Doc.Problems {
		problem := &p.Doc.Problems[i]
		for _, k := range kinds {
			if problem.Kind != k {
				continue
			}
			f := lint.Finding{Message: problem.Text, Col: problem.Col}
			f.Lines = handoff.Lines{First: problem.Line, Last: problem.Line}
			if f.Col > 0 {
				f.EndCol = max(f.Col, len(p.Doc.Line(problem.Line))) + 1
			}
			p.Report(f)
		}
	}
}
