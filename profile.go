package handoff

import "strings"

// Continues reports whether the document hands work on: it names a next
// action, and its frontmatter does not call it a report of a closed phase.
func (d *Document) Continues() bool {
	if d.Front != nil && d.Front.Profile == "completion" {
		return false
	}
	s := d.Section(NextAction)
	return s != nil && (s.Body.First > 0 || s.Inline != "")
}

// ClaimsCompletion reports whether the title or a status says that the phase
// is done: "**Status**: COMPLETED", "# Phase 2 Handoff: … (complete)".
func (d *Document) ClaimsCompletion() bool {
	if l := d.Preamble.Label("Status"); l != nil && saysDone(l.Value) {
		return true
	}
	for i := range d.Sections {
		s := &d.Sections[i]
		if strings.EqualFold(s.Heading.Text, "status") && s.Body.First > 0 && saysDone(d.Line(s.Body.First)) {
			return true
		}
	}
	return saysDone(d.Title.Text)
}

func saysDone(s string) bool {
	s = strings.ToLower(s)
	return strings.Contains(s, "complete") && !strings.Contains(s, "incomplete") && !strings.Contains(s, "not complete")
}
