package rules

import "handoff/lint"

// mergeConflict flags the markers of a merge conflict that nobody has resolved.
func mergeConflict(p *lint.Pass) {
	for l := range p.Doc.Conflicts {
		if l.Count() == 1 {
			p.At(l, "a marker of a merge conflict is left: check the lines around it, then delete it")
			continue
		}
		p.At(l, "merge conflict of %d lines: keep one version or combine both, and delete the marker lines", l.Count())
	}
}
