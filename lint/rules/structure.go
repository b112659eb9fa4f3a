package rules

import (
	"math/bits"
	"strings"

	"handoff/document/handoff"
	"handoff/document/words"
	"handoff/lint"
)

// tooFew is how many required sections must be missing for a document not to be
// a handoff. Its sections are then not checked one by one, because a phase
// report would get ten findings with one cause.
const tooFew = 4

// outline answers questions of rules about sections. It computes what depends
// on all sections once, so that a rule that asks about each section takes
// linear time. Rules ask about sections in their order.
type outline struct {
	*lint.Pass
	judged, whole bool // structured was called; its result

	filled     bool
	first, own [len(handoff.Sections) + 1]int32 // by kind: one more than the index of the first section, and of the last that is not a synonym

	chain int  // one more than the index of the last section that isLoose was asked about
	loose bool // its result
}

func outlineOf(p *lint.Pass) outline { return outline{Pass: p} }

// structured reports whether the document has enough sections to be checked
// section by section.
func (o *outline) structured() bool {
	if !o.judged {
		o.Looked += len(o.Doc.Sections)
		o.judged, o.whole = true, readable(o.Doc) && bits.OnesCount(missing(o.Doc)) < tooFew
	}
	return o.whole
}

// readable reports whether parse found the sections that the author wrote. It
// did not if it gave up, or if an unclosed fence swallows headings; other rules
// report that.
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

// missing is the set of required kinds without a section: bit k for kind k.
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

// meant is the kind of section i. If there is another section of its kind, a
// synonym is a separate section: "Context" beside "Critical Context".
func (o *outline) meant(i int) handoff.Kind {
	s := &o.Doc.Sections[i]
	if !isSynonym(s) {
		return s.Kind
	}
	o.fill()
	if int(o.first[s.Kind]) < i+1 || int(o.own[s.Kind]) > i+1 {
		return handoff.Other
	}
	return s.Kind
}

// fill finds the first section of each kind, and the last one that is not a
// synonym.
func (o *outline) fill() {
	if o.filled {
		return
	}
	o.filled = true
	o.Looked += len(o.Doc.Sections)
	for i := range o.Doc.Sections {
		s := &o.Doc.Sections[i]
		if o.first[s.Kind] == 0 {
			o.first[s.Kind] = int32(i + 1)
		}
		if !isSynonym(s) {
			o.own[s.Kind] = int32(i + 1)
		}
	}
}

// isSynonym reports whether a section's heading is a synonym, not a
// misspelling.
func isSynonym(s *handoff.Section) bool {
	switch s.Spelling {
	case handoff.Translated:
		return true
	case handoff.Misspelled:
		name, _ := splitHeading(s.Heading.Text)
		return words.Section(strings.ToLower(name)) > 0
	}
	return false
}

// splitHeading splits a heading into its name, without a colon at its end, and
// its parenthetical, "" if there is none.
func splitHeading(text string) (name, parenthetical string) {
	name = text
	if i := strings.LastIndexByte(text, '('); i > 0 && strings.HasSuffix(text, ")") {
		name, parenthetical = text[:i], text[i:]
	}
	return strings.TrimRight(strings.TrimSpace(name), ": "), parenthetical
}

// isLoose reports whether section i is a bold label in a paragraph of labels:
// "**Session**: 7" above "**Current State**: partial". It may be only a label,
// so nothing may be moved because of it.
//
// Of adjacent labels, all are loose or none is. isLoose goes back to the first
// of them, or to the one that it was last asked about.
func (o *outline) isLoose(i int) bool {
	sections := o.Doc.Sections
	if sections[i].Form != handoff.Bold {
		return false
	}
	asked := i
	for i > 0 && sections[i-1].Form == handoff.Bold && sections[i-1].Heading.Lines.Last == sections[i].Heading.Lines.First-1 {
		if o.Looked++; i == o.chain {
			o.chain = asked + 1
			return o.loose
		}
		i--
	}
	blocks := o.Doc.Preamble.Blocks
	if i > 0 {
		blocks = sections[i-1].Blocks
	}
	last := len(blocks) - 1
	o.chain = asked + 1
	o.loose = last >= 0 && blocks[last].Kind == handoff.Paragraph && blocks[last].Lines.Last == sections[i].Heading.Lines.First-1
	return o.loose
}

// quote shortens text for a message.
func quote(text string) string {
	const most = 60
	return "\"" + shortened(text, most, most) + "\""
}
