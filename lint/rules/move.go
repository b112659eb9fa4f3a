package rules

import (
	"slices"
	"strings"

	"handoff/document/handoff"
	"handoff/lint"
)

// moved is the edit that reorders adjacent runs of lines. Blank lines between
// them stay in place. It is nil if moving could change what the lines mean.
func moved(doc *handoff.Document, runs, order []handoff.Lines) []lint.Edit {
	if !movable(doc) {
		return nil
	}
	var b strings.Builder
	for i, run := range order {
		b.WriteString(doc.Text(written(doc, run)))
		b.WriteByte('\n')
		blank := runs[i].Count() - written(doc, runs[i]).Count()
		if blank == 0 && i+1 < len(order) && !strings.HasPrefix(doc.Line(order[i+1].First), "#") {
			blank = 1 // a heading without # would join the paragraph before it
		}
		for range blank {
			b.WriteByte('\n')
		}
	}
	whole := handoff.Lines{First: runs[0].First, Last: runs[len(runs)-1].Last}
	return []lint.Edit{{Lines: whole, Text: b.String()}}
}

// written is a run of lines without blank ones at its end.
func written(doc *handoff.Document, l handoff.Lines) handoff.Lines {
	for l.Last > l.First && strings.TrimSpace(doc.Line(l.Last)) == "" {
		l.Last--
	}
	return l
}

// movable reports whether every section ends at its last line. HTML that is
// never closed ends the last section; moved up, it would swallow the rest.
func movable(doc *handoff.Document) bool {
	if len(doc.Sections) == 0 || !readable(doc) {
		return false
	}
	blocks := doc.Sections[len(doc.Sections)-1].Blocks
	if len(blocks) == 0 || blocks[len(blocks)-1].Kind != handoff.HTML {
		return true
	}
	last := blocks[len(blocks)-1].Lines
	return slices.ContainsFunc(doc.Comments, func(c handoff.Comment) bool {
		return c.Alone && c.Lines.First == last.First && c.Lines.Last == last.Last
	})
}
