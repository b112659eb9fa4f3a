package rules

import (
	"strings"

	"handoff/document/handoff"
	"handoff/lint"
)

// misspelledHeading flags a heading that means a section of the template but is
// spelled differently.
func misspelledHeading(p *lint.Pass) {
	o := outlineOf(p)
	for i := range p.Doc.Sections {
		s := &p.Doc.Sections[i]
		if s.Spelling != handoff.Misspelled || o.meant(i) == handoff.Other || !o.structured() {
			continue
		}
		spec := handoff.SpecOf(s.Kind)
		p.Fix(s.Heading.Lines, respelled(p.Doc, s, &spec), "heading %s is read as %s: write %q",
			quote(s.Heading.Text), s.Kind, "## "+spec.Heading)
	}
}

// respelled corrects the spelling of a heading. It leaves other words to the
// author, even in a parenthetical.
func respelled(doc *handoff.Document, s *handoff.Section, spec *handoff.Spec) []lint.Edit {
	_, parenthetical := splitHeading(s.Heading.Text)
	if isSynonym(s) || !sameWords(parenthetical, spec.Heading[len(spec.Name()):]) {
		return nil
	}
	return withHeading(doc, s, spec.Heading)
}

// sameWords reports whether a parenthetical has only numbers and words of the
// other one: "(Max 4 items)", "(only if stuck)".
func sameWords(parenthetical, other string) bool {
	for word := range strings.FieldsSeq(strings.Trim(parenthetical, "()")) {
		word = strings.ToLower(strings.Trim(word, ",.:"))
		if strings.Trim(word, "0123456789") != "" && !strings.Contains(other, word) {
			return false
		}
	}
	return true
}

// withHeading replaces a section's heading and keeps the rest of its line. It
// is nil for a bold heading, which bold-heading fixes first.
func withHeading(doc *handoff.Document, s *handoff.Section, heading string) []lint.Edit {
	lines := handoff.Lines{First: s.Heading.Lines.First, Last: s.Heading.Lines.First}
	before, after, ok := strings.Cut(doc.Line(lines.First), s.Heading.Text)
	if !ok || s.Form == handoff.Bold || s.Form == handoff.Underline && s.Heading.Lines.Count() != 2 {
		return nil
	}
	return []lint.Edit{{Lines: lines, Text: before + heading + after + "\n"}}
}
