package rules

import (
	"handoff"
	"handoff/lint"
)

// UnclosedFence flags a code fence that nothing closes.
var UnclosedFence = lint.Rule{
	Name:     "unclosed-fence",
	Severity: lint.Error,
	Check:    func(p *lint.Pass) { reportProblems(p, handoff.UnclosedCode) },
}
