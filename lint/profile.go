package lint

import "handoff"

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
	if doc.Section(handoff.NextAction) == nil && doc.ClaimsCompletion() {
		return Completion
	}
	return Handoff
}
