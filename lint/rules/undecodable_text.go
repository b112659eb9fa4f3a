package rules

import (
	"handoff"
	"handoff/lint"
)

// UndecodableText flags bytes that are not text, and nesting too deep to parse.
var UndecodableText = lint.Rule{
	Name:     "undecodable-text",
	Severity: lint.Error,
	Check:    func(p *lint.Pass) { reportProblems(p, handoff.BadEncoding, handoff.TooDeep) },
}
