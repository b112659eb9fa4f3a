package rules

import (
	"handoff"
	"handoff/lint"
)

// UnclosedFence flags a code fence that is never closed.
var UnclosedFence = lint.Rule{
	Name:     "unclosed-fence",
	Severity: lint.Error,
	Check:    func(p *lint.Pass) { reportProblems(p, handoff.UnclosedCode) },
}
