package reconcile

import (
	"fmt"
	"slices"
	"strings"

	"handoff/document/handoff"
	"handoff/log/artifact"
)

// link is a document and its bundle.
type link struct {
	Document
	id     artifact.ID
	bundle []byte // see [State.bytes]
	fresh  bool   // it is one of [State.Fresh]
}

// unlinked is a document before its bundle is made.
func (s State) unlinked(d Document) link {
	return link{Document: d, fresh: slices.Contains(s.Fresh, d.Path)}
}

// refused is why a document is not presented to a lead; nil if it is.
func (l link) refused() *handoff.UndeliverableError { return l.Doc.Undeliverable(l.Path) }

// linkOf makes the bundle of a document. One that is not text has a problem
// instead.
func (s State) linkOf(d Document) (link, *Problem) {
	l := s.unlinked(d)
	if d.kept != nil && !d.kept.id.IsZero() {
		l.id = d.kept.id
		return l, nil
	}
	if p := unlinkable(d.Doc); p != nil {
		return link{}, &Problem{d.Path, p.Line, p.Col, p.Text}
	}
	l.bundle = s.Bundle(d).Bytes()
	l.id = artifact.Sum(l.bundle)
	return l, nil
}

// unlinkable is why a document cannot have a bundle; nil if it can.
func unlinkable(doc *handoff.Document) *handoff.Problem {
	for i, problem := range doc.Problems {
		if problem.Kind == handoff.BadEncoding || problem.Kind == handoff.TooDeep {
			return &doc.Problems[i]
		}
	}
	return nil
}

// bytes is the bundle of a link. The bundle of a cached document is made on
// request.
func (s State) bytes(l link) []byte {
	if l.bundle == nil {
		return s.Bundle(l.Document).Bytes()
	}
	return l.bundle
}

// Body is the document without its frontmatter, with LF line ends: a checkout
// in which git writes CRLF yields the same bundles.
func Body(doc *handoff.Document) string {
	body := strings.TrimPrefix(doc.Source, "\ufeff")
	if doc.Front != nil {
		body = strings.TrimLeft(doc.Source[doc.Offset(doc.Front.Lines.Last+1):], "\r\n")
	}
	return strings.ReplaceAll(body, "\r\n", "\n")
}

// Linked is the bundle that the metadata names for a document, the zero ID for
// none. The error is why the metadata cannot be parsed.
func (s State) Linked(path string) (artifact.ID, error) {
	links, err := s.Bundles()
	if err != nil || links[path] == "" {
		return artifact.ID{}, err
	}
	return artifact.ParseID(links[path])
}

// Bundles are the ids of the bundles that the metadata names, by the path of the
// document. They are not checked. The error is why the metadata cannot be parsed.
func (s State) Bundles() (map[string]string, error) {
	links := map[string]string{}
	if s.Metadata.Src == nil {
		return links, nil
	}
	file, err := parseJSON(s.Metadata.Src)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", s.Metadata.Path, err)
	}
	m := metadata{State: s, file: file}
	for i, e := range m.entries() {
		if id := m.text("artifacts", i, "bundle_artifact_id"); e.object && links[e.path] == "" {
			links[e.path] = id
		}
	}
	return links, nil
}
