package reconcile

import (
	"slices"

	"handoff"
	"handoff/artifact"
	"handoff/bundle"
	"handoff/parse"
)

// When a document is edited after it was linked, the text derived from it is updated.
// The old bundle, which the output still names, yields the text that we derived then.
// Any other text was written by a person or another program, and stays.

// linked is the bundle that an output names.
func (m *metadata) linked(output any) (bundle.Handoff, bool) {
	id, err := artifact.ParseID(m.text("artifacts", output, "bundle_artifact_id"))
	if err != nil {
		return bundle.Handoff{}, false
	}
	b, err := bundle.ParseHandoff(m.Blob(id))
	return b, err == nil
}

// before is the document as it was when the output was written.
func (m *metadata) before(output int, l link) (link, bool) {
	b, ok := m.linked(output)
	if !ok || len(b.Refs.Files) == 0 {
		return link{}, false
	}
	at := b.Refs.Files[0].Path // where it was then
	doc := parse.Document([]byte(b.SummaryMarkdown))
	doc.Front = l.Doc.Front // which the bundle does not contain
	return link{Document: Document{Path: at, Name: handoff.ParseName(at), Doc: doc}}, true
}

// summarize updates the summary of an output, if it is the one derived from the
// document's old text.
func (m *metadata) summarize(output int, l link) {
	if old, ok := m.before(output, l); ok && m.text("artifacts", output, "summary") == old.summary() {
		m.set(l.summary(), "summary replaced", "artifacts", output, "summary")
	}
}

// derived reports whether a text is the details of a document of the task, from
// its current or its old text, so that it may be replaced.
func (m *metadata) derived(text string) bool {
	return slices.ContainsFunc(m.links, func(l link) bool {
		return l.Doc.Section(handoff.NextAction) != nil && details(l.Doc) == text || m.wasDetails(text, l)
	})
}

// wasDetails reports whether a text is the details derived from the document's
// old text.
func (m *metadata) wasDetails(text string, l link) bool {
	for i, e := range m.entries() {
		if e.path != l.Path || !e.object || m.text("artifacts", i, "bundle_artifact_id") == l.id.String() {
			continue
		}
		if old, ok := m.before(i, l); ok && old.Doc.Section(handoff.NextAction) != nil && details(old.Doc) == text {
			return true
		}
	}
	return false
}
