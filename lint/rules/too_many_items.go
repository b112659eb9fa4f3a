package rules

import (
	"handoff"
	"handoff/lint"
)

// TooManyItems flags a list that is longer than its section allows.
var TooManyItems = lint.Rule{
	Name:     "too-many-items",
	Severity: lint.Error,
	Profiles: lint.Handoff,
	Check:    tooManyItems,
}

func tooManyItems(p *lint.Pass) {
	for i := range p.Doc.Sections {
		s := &p.Doc.Sections[i]
		most := handoff.SpecOf(meant(p.Doc, i)).MaxItems
		if most == 0 {
			continue
		}
		count, at, noun := 0, handoff.Lines{}, "items"
		for it := range s.Top {
			if count++; count == most+1 {
				at = it.Lines
			}
		}
		if count == 0 {
			count, at = blocksUnder(s, most)
			noun = "headings"
		}
		if count > most {
			p.At(at, "%d %s, at most %d: keep what changes the successor's next step", count, noun, most)
		}
	}
}

// blocksUnder counts the headings below a section's own, each an item where
// there is no list, and says where the first one too many stands.
func blocksUnder(s *handoff.Section, most int) (count int, at handoff.Lines) {
	for _, b := range s.Blocks {
		if b.Kind != handoff.Subheading || b.Level != 3 {
			continue
		}
		if count++; count == most+1 {
			at = b.Lines
		}
	}
	return count, at
}
