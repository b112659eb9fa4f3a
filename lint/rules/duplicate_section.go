package rules

import (
	"handoff/document/handoff"
	"handoff/lint"
)

// duplicateSection flags a section that is in the document twice.
func duplicateSection(p *lint.Pass) {
	var first [len(handoff.Sections) + 1]int
	o := outlineOf(p)
	for i := range p.Doc.Sections {
		kind := o.meant(i)
		line := p.Doc.Sections[i].Heading.Lines
		switch {
		case kind == handoff.Other:
		case first[kind] == 0:
			first[kind] = line.First
		case o.structured():
			p.At(line, "section %s is already on line %d: merge them", kind, first[kind])
		}
	}
}
