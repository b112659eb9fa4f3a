package rules

import (
	"math/bits"
	"strings"

	"handoff/document/handoff"
	"handoff/lint"
)

// missingSection flags a handoff without some of the required sections.
func missingSection(p *lint.Pass) {
	set := missing(p.Doc)
	if o := outlineOf(p); set == 0 || !o.structured() {
		return
	}
	first := handoff.Kind(bits.TrailingZeros(set))
	at := placeOf(p.Doc, first)
	if set&(set-1) != 0 {
		p.At(at, "%d sections are missing: %s", bits.OnesCount(set), headings(set))
		return
	}
	heading := "## " + handoff.SpecOf(first).Heading
	if line, level := buriedHeading(p.Doc, first); line > 0 {
		p.At(handoff.Lines{First: line, Last: line}, "the heading %s has level %d: write %q", first, level, heading)
		return
	}
	p.At(at, "section %s is missing: write %q here", first, heading)
}

// placeOf is the heading before which a section of the kind belongs, or the
// last line.
func placeOf(doc *handoff.Document, k handoff.Kind) handoff.Lines {
	for i := range doc.Sections {
		if s := &doc.Sections[i]; s.Kind > k {
			return s.Heading.Lines
		}
	}
	return handoff.Lines{First: doc.NumLines(), Last: doc.NumLines()}
}

// buriedHeading finds a heading of the kind that is not of the second level.
func buriedHeading(doc *handoff.Document, k handoff.Kind) (line, level int) {
	for i := range doc.Sections {
		for _, b := range doc.Sections[i].Blocks {
			if b.Kind != handoff.Subheading {
				continue
			}
			text := strings.TrimSpace(strings.Trim(doc.Line(b.Lines.First), "# "))
			if kind, _ := handoff.KindOf(text); kind == k {
				return b.Lines.First, b.Level
			}
		}
	}
	return 0, 0
}
