package rules

import (
	"handoff"
	"handoff/lint"
)

// BareHeading flags a heading without the template's parenthetical.
var BareHeading = lint.Rule{
	Name:     "bare-heading",
	Severity: lint.Note,
	Profiles: lint.Handoff,
	Fixable:  true,
	Check:    bareHeading,
}

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
