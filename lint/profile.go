package lint

import (
	"strings"

	"handoff"
)

// profileOf decides what kind of document this is: what its frontmatter says,
// else what the settings say, else what it looks like.
func profileOf(doc *handoff.Document, set *Settings) Profiles {
	if doc.Front != nil {
		switch doc.Front.Profile {
		case "handoff":
			return Handoff
		case "completion":
			return Completion
		}
	}
	if set.Profile == Handoff || set.Profile == Completion {
		return set.Profile
	}
	if doc.Section(handoff.NextAction) == nil && claimsCompletion(doc) {
		return Completion
	}
	return Handoff
}

// claimsCompletion reports whether the title or a status says that the phase
// is done: "**Status**: COMPLETED", "# Phase 2 Handoff: … (complete)".
func claimsCompletion(doc *handoff.Document) bool {
	if l := doc.Preamble.Label("Status"); l != nil && saysDone(l.Value) {
		return true
	}
	for i := range doc.Sections {
		s := &doc.Sections[i]
		if strings.EqualFold(s.Heading.Text, "status") && s.Body.First > 0 && saysDone(doc.Line(s.Body.First)) {
			return true
		}
	}
	return saysDone(doc.Title.Text)
}

func saysDone(s string) bool {
	s = strings.ToLower(s)
	return strings.Contains(s, "complete") && !strings.Contains(s, "incomplete") && !strings.Contains(s, "not complete")
}
