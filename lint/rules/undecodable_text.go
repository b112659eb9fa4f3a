package rules

import (
	"handoff"
	"handoff/lint"
)

// undecodableText flags bytes that are not text, and nesting too deep to parse.
func undecodableText(p *lint.Pass) { reportProblems(p, handoff.BadEncoding, handoff.TooDeep) }
