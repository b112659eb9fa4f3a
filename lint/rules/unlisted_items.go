package rules

import (
	"strings"

	"handoff/document/handoff"
	"handoff/document/words"
	"handoff/lint"
)

// unlistedItems flags a section that should be a short list and is not.
func unlistedItems(p *lint.Pass) {
	o := outlineOf(p)
	if !o.structured() {
		return // a report of another form
	}
	for i := range p.Doc.Sections {
		s := &p.Doc.Sections[i]
		spec := handoff.SpecOf(o.meant(i))
		if spec.MaxItems == 0 || holdsList(s) || oneParagraph(p.Doc, s) {
			continue
		}
		line, text := opening(p, s)
		if text == "" && len(s.Fences) > 0 {
			line = s.Fences[0].Lines.First
		} else if text == "" || saysNone(text) {
			continue
		}
		p.At(handoff.Lines{First: line, Last: line}, "%s is %s, not a list: write at most %d items", spec.Name(), formOf(p.Doc, s), spec.MaxItems)
	}
}

// holdsList reports whether the section has its own list.
func holdsList(s *handoff.Section) bool {
	for range s.Top {
		return true
	}
	return false
}

// oneParagraph reports whether the section is one short paragraph, which is an
// item without its dash.
func oneParagraph(doc *handoff.Document, s *handoff.Section) bool {
	const most = 3 // lines
	switch len(s.Blocks) {
	case 0:
		return s.Inline != ""
	case 1:
		b := s.Blocks[0]
		return b.Kind == handoff.Paragraph && b.Lines.Count() <= most && !tableRow(doc.Line(b.Lines.First))
	}
	return false
}

func tableRow(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "|") }

// saysNone reports whether a text means "nothing": an honest "None yet" is
// better than an invented item.
func saysNone(text string) bool {
	text = strings.TrimLeft(text, "(*_\"'-–— ")
	if text == "" {
		return true
	}
	if text[0]|0x20 == 'n' && startsAny(text, words.English.List("nothing")...) {
		return true
	}
	if len(text) > longestExcuse {
		return false
	}
	_, none := words.NoContent(text)
	return none
}

func formOf(doc *handoff.Document, s *handoff.Section) string {
	form := "prose"
	for _, b := range s.Blocks {
		switch {
		case b.Kind == handoff.Subheading:
			return "written under headings"
		case b.Kind == handoff.Paragraph && tableRow(doc.Line(b.Lines.First)):
			form = "a table"
		case b.Kind == handoff.FencedCode && form == "prose" && len(s.Blocks) == 1:
			form = "code"
		}
	}
	return form
}
