package reconcile

import (
	"slices"

	"handoff/document/handoff"
	"handoff/log/artifact"
	"handoff/log/bundle"
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

// before is a document as it was when the output was written.
func (m *metadata) before(output int) (Document, bool) {
	b, ok := m.linked(output)
	if !ok || len(b.Refs.Files) == 0 {
		return Document{}, false
	}
	at := b.Refs.Files[0].Path // where it was then
	return Document{Path: at, Name: handoff.ParseName(at), Doc: parse.Document([]byte(b.SummaryMarkdown))}, true
}

// summaryBefore is the summary derived from the document's text as it was when the output
// was written; "" if that is unknown.
func (m *metadata) summaryBefore(output int, l link) string {
	old, ok := m.before(output)
	if !ok {
		return ""
	}
	old.Doc.Front = l.Doc.Front // which the bundle does not contain
	return link{Document: old}.summary()
}

// summarize updates the summary of an output, if it is the one derived from the
// document's old text.
func (m *metadata) summarize(output int, l link) {
	if said := m.text("artifacts", output, "summary"); said != "" && said == m.summaryBefore(output, l) {
		m.set(l.summary(), "summary replaced", "artifacts", output, "summary")
	}
}

// onlyDerived reports whether an output whose document is gone has nothing but what we derived from
// that document, as its bundle proves. An output with another member records more than the
// document, such as that the work was done, which must outlast it. One that handoff_path still
// names is kept for [metadata.follow] and [metadata.wasDetails], should the document come back
// under another name; and if a file could not be read, it may be that document.
func (m *metadata) onlyDerived(i int) bool {
	old, ok := m.before(i)
	if !ok || len(m.Problems) > 0 || m.pointer() == old.Path {
		return false
	}
	id, _ := artifact.ParseID(m.text("artifacts", i, "bundle_artifact_id"))
	derived := link{Document: old, id: id}.entry()
	for _, member := range derived {
		if m.text("artifacts", i, member.Key) != member.Value {
			return false
		}
	}
	v, _ := m.file.Get("artifacts", i)
	return v.Len() == len(derived)
}

// isOurs reports whether a text is the details of a document of the task, so that it may be
// replaced. It needs neither file times nor blobs, as the other reasons to replace it do.
func (m *metadata) isOurs(text string) bool {
	return slices.ContainsFunc(m.links, func(l link) bool { return isDetails(text, l.Doc) })
}

func isDetails(text string, doc *handoff.Document) bool {
	return doc.Section(handoff.NextAction) != nil && details(doc) == text
}

// wasDetails reports whether a text is the details derived from the old text of a
// document, which may be gone.
func (m *metadata) wasDetails(text string) bool {
	current := make(map[string]bool, len(m.links))
	for _, l := range m.links {
		current[l.id.String()] = true
	}
	for i, e := range m.entries() {
		if !e.object || current[m.text("artifacts", i, "bundle_artifact_id")] {
			continue
		}
		if old, ok := m.before(i); ok && isDetails(text, old.Doc) {
			return true
		}
	}
	return false
}
