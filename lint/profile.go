package lint

import "handoff/document/handoff"

// profileOf decides the kind of a document: by its frontmatter, else by the
// settings, else by its content.
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
	if doc.Section(handoff.NextAction) == nil && doc.ClaimsCompletion() {
		return Completion
	}
	return Handoff
}
