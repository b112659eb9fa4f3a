package rules

import (
	"handoff/document/claims"
	"handoff/lint"
)

// uncheckedClaim flags the first claim without a mark that nothing in the workspace shows to be true.
func uncheckedClaim(p *lint.Pass) {
	p.Looked += len(p.Doc.Source)
	for c := range claims.In(p.Doc, true) {
		if !c.Marked {
			p.At(c.Lines, "says that %s: write how that was checked, \"[verified: COMMAND @COMMIT]\" or \"[unverified: why]\"", c.Kind)
			return
		}
	}
}
