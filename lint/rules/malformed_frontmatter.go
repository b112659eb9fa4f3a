package rules

import (
	"slices"

	"handoff/document/handoff"
	"handoff/lint"
)

// malformedFrontmatter flags invalid frontmatter.
func malformedFrontmatter(p *lint.Pass) { reportProblems(p, handoff.BadFront) }

// reportProblems reports what parse could not read.
func reportProblems(p *lint.Pass, kinds ...handoff.ProblemKind) {
	for i := range p.Doc.Problems {
		problem := &p.Doc.Problems[i]
		if !slices.Contains(kinds, problem.Kind) {
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
