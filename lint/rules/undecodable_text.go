package rules

import (
	"handoff"
	"handoff/lint"
)

// UndecodableText flags bytes that are no text, and text that is nested too
// deep to be read.
var UndecodableText = lint.Rule{
	Name:     "undecodable-text",
	Severity: lint.Error,
	Check:    func(p *lint.Pass) { reportProblems(p, handoff.BadEncoding, handoff.TooDeep) },
}
