package rules

import (
	"strings"

	"handoff/document/handoff"
	"handoff/lint"
	"handoff/parse/hidden"
)

// hiddenComment flags comments that agents read and people do not see.
func hiddenComment(p *lint.Pass) {
	for i := range p.Doc.Comments {
		c := &p.Doc.Comments[i]
		if c.Text == "" || strings.HasPrefix(c.Text, lint.Directive) || forTools(c.Text) || isLicence(c.Text) {
			continue
		}
		p.Report(lint.Finding{Lines: c.Lines, Col: c.Col, EndCol: len(p.Doc.Line(c.Lines.Last)) + 1,
			Message: "this comment does not show on the rendered page, but the successor reads it: write it as visible text or remove it"})
	}
	for _, piece := range hidden.Text(p.Doc) {
		if piece.Comment {
			lines := handoff.Lines{First: p.Doc.LineAt(piece.From), Last: p.Doc.LineAt(piece.To - 1)}
			p.At(lines, "this line does not show on the rendered page, but the successor reads it: write it as visible text or remove it")
		}
	}
}

// forTools reports whether text is a directive of another tool, which is not
// prose.
func forTools(text string) bool {
	if strings.HasPrefix(text, "prettier-ignore") {
		return !strings.ContainsAny(text, " \n")
	}
	if isMark(text) {
		return true
	}
	rest, ok := strings.CutPrefix(text, "markdownlint-")
	if !ok {
		return false
	}
	for at := strings.IndexByte(rest, ' '); at >= 0 && at < len(rest); {
		var word string
		word, rest = nextWord(rest[at:])
		if at = 0; word == "" {
			break
		}
		if !strings.HasPrefix(word, "MD") || len(word) != 5 {
			return false
		}
	}
	return true
}
