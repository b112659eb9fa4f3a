package rules

import (
	"handoff"
	"handoff/internal/text/prose"
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
// if it is at most one word.
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
	text = prose.Trim(text, " \t.*_-+()1:")
	return text, len(text) <= len("nothing")
}

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
	return prose.OneOf(text, "todo", "tbd", "tbc", "fixme", "…") ||
		handoff.SpecOf(k).MaxItems == 0 && prose.OneOf(text, "none", "n/a", "na", "nothing")
}
