package rules

import (
	"strings"

	"handoff/document/handoff"
	"handoff/document/words"
	"handoff/lint"
)

// emptySection flags a required section without content.
func emptySection(p *lint.Pass) {
	o := outlineOf(p)
	for i := range p.Doc.Sections {
		s := &p.Doc.Sections[i]
		text, short := shortText(p, s)
		if !short || !handoff.SpecOf(s.Kind).Required || o.meant(i) == handoff.Other || !o.structured() {
			continue
		}
		if text == "" {
			p.At(s.Heading.Lines, "section %s is empty: %s", s.Kind, fillHint(s.Kind))
		} else if isExcuse(text, s.Kind) {
			p.At(s.Heading.Lines, "section %s contains only %s: %s", s.Kind, quote(text), fillHint(s.Kind))
		}
	}
}

func fillHint(k handoff.Kind) string {
	switch {
	case k == handoff.DeadEnds:
		return "name what failed and why, or write None"
	case handoff.SpecOf(k).MaxItems > 0:
		return "fill it in, or write None"
	}
	return "fill it in"
}

// shortText is the text of a section, without the marks of lists and emphasis,
// if it is short.
func shortText(p *lint.Pass, s *handoff.Section) (text string, short bool) {
	text = s.Inline
	for i := range s.Blocks {
		b := &s.Blocks[i]
		switch {
		case b.Kind == handoff.Subheading || b.Kind == handoff.Break || isComment(p, b):
		case text != "" || b.Lines.Count() > 1:
			return "", false
		default:
			text = p.Doc.Line(b.Lines.First)
		}
	}
	text = strings.Trim(text, " \t.*_-+()1:。：（）")
	return text, len(text) <= longestExcuse
}

// longestExcuse is how many bytes a text has that may stand for no content, in any language.
const longestExcuse = 40

// isComment reports whether a block is only a comment.
func isComment(p *lint.Pass, b *handoff.Block) bool {
	if b.Kind != handoff.HTML {
		return false
	}
	c := commentAlone(p, b.Lines.First)
	return c != nil && c.Lines == b.Lines
}

// isExcuse reports whether the words are a placeholder for content. "None" in a
// list is content.
func isExcuse(text string, k handoff.Kind) bool {
	excuse, none := words.English.Has("excuse", text) || text == "…", words.English.Has("none", text)
	if !excuse && !none {
		excuse, none = words.NoContent(text)
	}
	return excuse || none && handoff.SpecOf(k).MaxItems == 0
}
