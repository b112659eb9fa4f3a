package rules

import (
	"handoff/document/handoff"
	"handoff/lint"
)

// unknownSection flags a section that is not in the template.
func unknownSection(p *lint.Pass) {
	o := outlineOf(p)
	for i := range p.Doc.Sections {
		s := &p.Doc.Sections[i]
		if o.meant(i) == handoff.Other && o.structured() {
			p.At(s.Heading.Lines, "%s is not a section of the template: successors are not pointed to it", quote(s.Heading.Text))
		}
	}
}
