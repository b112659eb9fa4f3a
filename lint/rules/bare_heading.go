package rules

import (
	"handoff/document/handoff"
	"handoff/lint"
)

// bareHeading flags a heading without the template's parenthetical.
func bareHeading(p *lint.Pass) {
	o := outlineOf(p)
	for i := range p.Doc.Sections {
		s := &p.Doc.Sections[i]
		if s.Spelling != handoff.Bare || !o.structured() {
			continue
		}
		spec := handoff.SpecOf(s.Kind)
		p.Fix(s.Heading.Lines, withHeading(p.Doc, s, spec.Heading), "heading lacks %q",
			spec.Heading[len(spec.Name())+1:])
	}
}
