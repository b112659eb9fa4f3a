package rules

import (
	"handoff/document/handoff"
	"handoff/lint"
)

// unclosedFence flags a code fence that is never closed.
func unclosedFence(p *lint.Pass) { reportProblems(p, handoff.UnclosedCode) }
