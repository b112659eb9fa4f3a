package rules

import (
	"math/bits"
	"strings"

	"handoff"
)

// tooFew is how many required sections must be missing for a document to be
// something else than a handoff. Its parts are then not judged one by one: a
// phase report would get ten findings that all say the same.
const tooFew = 4

// structured reports whether the document has enough of the sections to be
// judged section by section.
func structured(doc *handoff.Document) bool {
	return readable(doc) && bits.OnesCount(missing(doc)) < tooFew
}

// readable reports whether the sections that parse found are those that the
// author wrote. They are not where it gave up, nor behind a fence that
// swallows headings; other rules report that.
func readable(doc *handoff.Document) bool {
	for i := range doc.Problems {
		switch doc.Problems[i].Kind {
		case handoff.TooDeep, handoff.UnclosedCode:
			return false
		case handoff.BadEncoding:
			if len(doc.Sections) == 0 {
				return false // binary data
			}
		}
	}
	return true
}

// missing is the set of required kinds the document has no section of, bit k
// for kind k.
func missing(doc *handoff.Document) uint {
	var set uint
	for i := range handoff.Sections {
		if s := &handoff.Sections[i]; s.Required {
			set |= 1 << s.Kind
		}
	}
	for i := range doc.Sections {
		set &^= 1 << doc.Sections[i].Kind
	}
	return set
}

// headings lists the names of a set of kinds in the order of the template.
func headings(set uint) string {
	var list []string
	for i := range handoff.Sections {
		if s := &handoff.Sections[i]; set&(1<<s.Kind) != 0 {
			list = append(list, s.Name())
		}
	}
	return strings.Join(list, ", ")
}

// meant is the kind of section i. A synonym gives way to any other section of
// its kind: beside "Critical Context", "Context" is a section of its own.
func meant(doc *handoff.Document, i int) handoff.Kind {
	s := &doc.Sections[i]
	if !isSynonym(s) {
		return s.Kind
	}
	for j := range doc.Sections {
		o := &doc.Sections[j]
		if o.Kind == s.Kind && (j < i || j > i && !isSynonym(o)) {
			return handoff.Other
		}
	}
	return s.Kind
}

// isSynonym reports whether a section's heading is another word for the one
// in the template, not a misspelling of it.
func isSynonym(s *handoff.Section) bool {
	if s.Spelling != handoff.Misspelled {
		return false
	}
	name, _ := splitHeading(s.Heading.Text)
	spec := handoff.SpecOf(s.Kind)
	for _, other := range spec.Synonyms {
		if strings.EqualFold(name, other) {
			return true
		}
	}
	return false
}

// splitHeading cuts a heading into its name, without a colon at its end, and
// its parenthetical, "" when it has none.
func splitHeading(text string) (name, parenthetical string) {
	name = text
	if i := strings.LastIndexByte(text, '('); i > 0 && strings.HasSuffix(text, ")") {
		name, parenthetical = text[:i], text[i:]
	}
	return strings.TrimRight(strings.TrimSpace(name), ": "), parenthetical
}

// isLoose reports whether section i is a bold label that goes on a paragraph
// of others, "**Session**: 7" above "**Current State**: partial". It may well
// be meant as no more than a label: nothing may be moved because of it.
func isLoose(doc *handoff.Document, i int) bool {
	above := doc.Sections[i].Heading.Lines.First - 1
	if doc.Sections[i].Form != handoff.Bold {
		return false
	}
	blocks := doc.Preamble.Blocks
	if i > 0 {
		before := &doc.Sections[i-1]
		if before.Form == handoff.Bold && before.Heading.Lines.Last == above {
			return isLoose(doc, i-1)
		}
		blocks = before.Blocks
	}
	last := len(blocks) - 1
	return last >= 0 && blocks[last].Kind == handoff.Paragraph && blocks[last].Lines.Last == above
}

// quote shortens text for a message.
func quote(text string) string {
	const most = 60
	if len(text) > most {
		cut := most
		for cut > 0 && text[cut]&0xc0 == 0x80 {
			cut-- // never inside a letter
		}
		text = text[:cut] + "…"
	}
	return "\"" + text + "\""
}
