package rules

import (
	"strings"

	"handoff/document/evidence"
	"handoff/lint"
)

// malformedCheck flags an unreadable mark of how an item was checked.
func malformedCheck(p *lint.Pass) {
	for i := range p.Doc.Sections {
		s := &p.Doc.Sections[i]
		for j := range s.Items {
			it := &s.Items[j]
			if !strings.Contains(it.Text, "verified") { // most items
				continue
			}
			if _, _, err := evidence.Split(it.Text); err != nil {
				p.At(it.Head, "the mark of this item cannot be checked: %v", err)
			}
		}
	}
}
