package rules

import (
	"strings"

	"handoff/document/handoff"
	"handoff/lint"
)

// malformedTitle flags a title that is missing or not in the template's form.
func malformedTitle(p *lint.Pass) {
	title, o := p.Doc.Title, outlineOf(p)
	if isStrict(title.Text, p.Name) || p.Doc.NumLines() == 0 || !o.structured() {
		return
	}
	want, known := titleOf(p)
	if title.Lines.First == 0 {
		p.Fix(placeOfTitle(p.Doc), insertedTitle(p.Doc, want, known), "title is missing: write %q", "# "+want)
		return
	}
	var edits []lint.Edit
	if strict, ok := strictForm(title.Text); ok && title.Lines.Count() == 1 {
		want = strict
		line := strings.Replace(p.Doc.Line(title.Lines.First), title.Text, strict, 1)
		edits = []lint.Edit{{Lines: title.Lines, Text: line + "\n"}}
	}
	p.Fix(title.Lines, edits, "title should read %q", "# "+want)
}

// titleOf is the title that the file's name requires. known is false if the
// name lacks a part, for which there is a placeholder.
func titleOf(p *lint.Pass) (title string, known bool) {
	phase, stamp, known := "P", "YYYYMMDDTHHMMSSZ", p.Path != ""
	if known = known && p.Name.Plain(); known {
		phase = p.Name.PhaseText
	}
	if known = known && p.Name.Class == handoff.Canonical; known {
		stamp = p.Name.Time.Format(handoff.Stamp)
	}
	return "Phase " + phase + " Handoff - " + stamp, known
}

// insertedTitle inserts the title after the frontmatter. It is nil if there is
// a title further down, or a byte order mark, which must remain the first thing
// in the file.
func insertedTitle(doc *handoff.Document, title string, known bool) []lint.Edit {
	if !known || strings.HasPrefix(doc.Source, "\ufeff") {
		return nil
	}
	for i := range doc.Sections {
		for _, b := range doc.Sections[i].Blocks {
			if b.Kind == handoff.Subheading && b.Level == 1 {
				return nil
			}
		}
	}
	n := firstLine(doc)
	return []lint.Edit{{Lines: handoff.Lines{First: n, Last: n - 1}, Text: "# " + title + "\n\n"}}
}
