package rules

import (
	"handoff"
	"handoff/lint"
)

// unclosedFence flags a code fence that is never closed.
func unclosedFence(p *lint.Pass) { reportProblems(p, handoff.UnclosedCode) }
