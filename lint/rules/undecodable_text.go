package rules

import (
	"handoff/document/handoff"
	"handoff/lint"
)

// undecodableText flags bytes that are not text, and nesting too deep to parse.
func undecodableText(p *lint.Pass) { reportProblems(p, handoff.BadEncoding, handoff.TooDeep) }
