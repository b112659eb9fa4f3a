package rules

import (
	"strings"

	"handoff/document/handoff"
	"handoff/lint"
)

// boldHeading flags a section that begins with bold text instead of a heading.
func boldHeading(p *lint.Pass) {
	o := outlineOf(p)
	for i := range p.Doc.Sections {
		s := &p.Doc.Sections[i]
		if s.Form == handoff.Bold && !o.isLoose(i) && o.structured() {
			p.Fix(s.Heading.Lines, unbold(p.Doc, i), "%s is bold text, not a heading: write %q",
				quote(s.Heading.Text), "## "+s.Heading.Text)
		}
	}
}

// unbold turns the bold text into a heading and moves the text after it to the
// next line. It is nil if that text would not be plain text there.
func unbold(doc *handoff.Document, i int) []lint.Edit {
	s := &doc.Sections[i]
	line := strings.TrimSpace(doc.Line(s.Heading.Lines.First))
	head, ok := strings.CutSuffix(line, s.Inline)
	if !ok || !strings.HasPrefix(line, "**") || becomesBlock(s.Inline) || s.Inline == "" && indented(doc.Line(s.Heading.Lines.First+1)) {
		return nil
	}
	head = strings.TrimRight(strings.ReplaceAll(head, "**", ""), ": ")
	text := "## " + head + "\n"
	if s.Inline != "" {
		text += s.Inline + "\n"
	}
	return []lint.Edit{{Lines: s.Heading.Lines, Text: text}}
}

// becomesBlock reports whether text has another meaning at the start of a line:
// a heading, a quote, a fence, HTML, a table, a rule, a link's target.
func becomesBlock(text string) bool {
	return text != "" && strings.IndexByte("#>`~<=|", text[0]) >= 0 && !isCodeSpan(text) ||
		strings.HasPrefix(text, "[") && strings.Contains(text, "]:") ||
		strings.HasPrefix(text, "---") || strings.HasPrefix(text, "***") || strings.HasPrefix(text, "___")
}

// isCodeSpan reports whether text begins with one or two backquotes, which is
// code in a paragraph and not a fence.
func isCodeSpan(text string) bool {
	return strings.HasPrefix(text, "`") && !strings.HasPrefix(text, "```")
}

func indented(line string) bool {
	return strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
}
