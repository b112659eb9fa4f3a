package report

import (
	"strings"

	"handoff/document/handoff"
	"handoff/lint"
)

// regionOf is the place of a finding; nil if it is about the whole file.
func regionOf(f *lint.Finding, doc *handoff.Document) *sarifRegion {
	if f.Lines.First == 0 {
		return nil
	}
	r := &sarifRegion{StartLine: f.Lines.First, EndLine: f.Lines.Last}
	if f.Col > 0 {
		r.StartColumn = utf16Column(doc, f.Lines.First, f.Col)
	}
	if f.EndCol > 0 {
		r.EndColumn = utf16Column(doc, f.Lines.Last, f.EndCol)
	}
	return r
}

// utf16Column turns a byte column into one that counts UTF-16 code units.
func utf16Column(doc *handoff.Document, n, col int) int {
	part, ok := before(doc, n, col)
	if !ok {
		return col
	}
	return utf16Len(part) + 1
}

// utf16Len counts a byte that is not UTF-8 as one unit: editors show the
// replacement character for it.
func utf16Len(s string) int {
	units := 0
	for _, r := range s {
		units++
		if r > 0xffff { // a surrogate pair
			units++
		}
	}
	return units
}

// replacementOf describes an edit of whole lines by columns. SARIF has no line
// after the last, so an edit that reaches the end of a document without a final
// line end stops after the last character.
func replacementOf(e lint.Edit, doc *handoff.Document) sarifReplacement {
	first, last, text := e.Lines.First, e.Lines.Last, e.Text
	r := sarifReplacement{Deleted: sarifRegion{StartLine: first, StartColumn: 1, EndLine: last + 1, EndColumn: 1}}
	if doc != nil {
		end, open := doc.NumLines(), doc.Source != "" && !strings.HasSuffix(doc.Source, "\n")
		if open && first > end { // the last line needs a line end first
			r.Deleted.StartLine, r.Deleted.StartColumn = end, endColumn(doc, end)
			text = "\n" + text
		}
		if open && last >= end {
			r.Deleted.EndLine, r.Deleted.EndColumn = end, endColumn(doc, end)
		}
		text = withEndsOf(doc, text)
	}
	if text != "" {
		r.Inserted = &sarifText{text}
	}
	return r
}

func endColumn(doc *handoff.Document, n int) int {
	return utf16Len(doc.Line(n)) + 1
}

// withEndsOf converts the line ends of text to those of the document, as
// [lint.Apply] does.
func withEndsOf(doc *handoff.Document, text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if strings.Contains(doc.Source, "\r\n") {
		return strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}
