package rules

import (
	"strings"

	"handoff/document/handoff"
	"handoff/lint"
)

// longDocument flags a document that does not fit one screen.
func longDocument(p *lint.Pass) {
	most := p.Settings.MaxLines
	if most <= 0 || p.Doc.NumLines() <= most {
		return
	}
	count, at := 0, 0
	comments := p.Doc.Comments
	for n := 1; n <= p.Doc.NumLines(); n++ {
		p.Looked++
		for len(comments) > 0 && comments[0].Lines.Last < n {
			comments = comments[1:]
			p.Looked++
		}
		if forMachines(p.Doc, comments, n) {
			continue
		}
		if count++; count == most+1 {
			at = n
		}
	}
	if count > most {
		p.At(handoff.Lines{First: at, Last: at}, "%d lines, one screen is %d: %d too many", count, most, count-most)
	}
}

// forMachines reports whether successors do not read line n: it is frontmatter,
// or a comment for the linter on lines of its own. Counting those would punish
// a document for giving the reason why it breaks a rule.
//
// comments are those that end on line n or later.
func forMachines(doc *handoff.Document, comments []handoff.Comment, n int) bool {
	if doc.Front != nil && doc.Front.Lines.Has(n) {
		return true
	}
	return len(comments) > 0 && comments[0].Alone && comments[0].Lines.Has(n) && strings.HasPrefix(comments[0].Text, lint.Directive)
}
