package rules

import (
	"strings"

	"handoff/document/claims"
	"handoff/lint"
)

// doubtedClaim flags claims whose mark says that the session of the author did not show them.
func doubtedClaim(p *lint.Pass) {
	p.Looked += len(p.Doc.Source)
	if !strings.Contains(p.Doc.Source, "[unverified: ") {
		return
	}
	last := 0
	for c := range claims.In(p.Doc, true) {
		if doubted, _ := c.Mark.Doubted(); doubted && c.Block.First != last {
			last = c.Block.First
			p.At(c.Lines, "says that %s, but the session shows: %s: run it again, or write what is so", c.Kind, c.Mark.Reason)
		}
	}
}
