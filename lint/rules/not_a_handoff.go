package rules

import (
	"math/bits"
	"strings"

	"handoff/document/handoff"
	"handoff/lint"
)

// notAHandoff flags a document with very few of the required sections.
func notAHandoff(p *lint.Pass) {
	set := missing(p.Doc)
	lacking := bits.OnesCount(set)
	if lacking < tooFew || !readable(p.Doc) {
		return
	}
	at := placeOfTitle(p.Doc)
	fix := "write them (`handoff new` has the form)"
	if p.Doc.ClaimsCompletion() && p.Doc.Section(handoff.NextAction) == nil {
		fix = `if the phase is finished, set "profile: completion" in the frontmatter, otherwise write them`
	}
	switch required := bits.OnesCount(missing(&handoff.Document{})); {
	case isBlank(strings.TrimPrefix(p.Doc.Line(at.First), "\ufeff")):
		p.At(at, "the document is empty: `handoff new` writes a handoff")
	case lacking == required:
		p.At(at, "none of the %d sections exists: %s", required, fix)
	default:
		p.At(at, "%d of the %d sections are missing (%s): %s", lacking, required, headings(set), fix)
	}
}

// placeOfTitle is where the title is or should be: zero in an empty document.
func placeOfTitle(doc *handoff.Document) handoff.Lines {
	if doc.Title.Lines.First > 0 {
		return doc.Title.Lines
	}
	n := firstLine(doc)
	return handoff.Lines{First: n, Last: n}
}

// firstLine is the first line after the frontmatter that is not blank; the last
// line if all are, 0 in an empty document.
func firstLine(doc *handoff.Document) int {
	n := 1
	if doc.Front != nil {
		n = doc.Front.Lines.Last + 1
	}
	for n < doc.NumLines() && isBlank(doc.Line(n)) {
		n++
	}
	return min(n, doc.NumLines())
}

func isBlank(line string) bool {
	for i := range len(line) {
		if c := line[i]; c != ' ' && c != '\t' {
			return false
		}
	}
	return true
}
