package reconcile

import (
	"fmt"
	"path"
	"strings"

	"handoff"
	"handoff/artifact"
	"handoff/bundle"
	"handoff/internal/prose"
)

// link is a document and the bundle that stands for it.
type link struct {
	Document
	id     artifact.ID
	bundle []byte
}

// linkOf makes the bundle of a document. A document that is no text has none.
func linkOf(d Document, p *Plan) (link, bool) {
	for _, problem := range d.Doc.Problems {
		if problem.Kind == handoff.BadEncoding || problem.Kind == handoff.TooDeep {
			p.Problems = append(p.Problems, Problem{d.Path, problem.Line, problem.Col, problem.Text + ": not linked"})
			return link{}, false
		}
	}
	data := Bundle(d).Bytes()
	return link{d, artifact.Sum(data), data}, true
}

// Bundle makes the handoff bundle of a document: its body, and what it refers
// to. The same document at the same path gives the same bytes.
func Bundle(d Document) bundle.Handoff {
	b := bundle.Handoff{SummaryMarkdown: Body(d.Doc)}
	b.Refs.Files = append(b.Refs.Files, bundle.FileRef{Path: d.Path, Note: note("handoff document")})
	if f := d.Doc.Front; f != nil && f.Thread != "" && f.Seq != nil && *f.Seq >= 0 {
		b.Refs.Threads = append(b.Refs.Threads, bundle.ThreadRef{ThreadID: f.Thread, Seq: uint64(*f.Seq), Note: note("source cut")})
	}
	seen := map[string]bool{d.Path: true}
	file := func(p, why string) {
		if clean, ok := inside(p); ok && !seen[clean] {
			seen[clean] = true
			b.Refs.Files = append(b.Refs.Files, bundle.FileRef{Path: clean, Note: note(why)})
		}
	}
	if s := d.Doc.Section(handoff.CurrentState); s != nil {
		if l := s.Label("File", "Files"); l != nil {
			for p := range prose.Paths(l.Value) {
				file(p.Text, "current state")
			}
		}
	}
	s := d.Doc.Section(handoff.References)
	if s == nil || s.Body.First == 0 {
		return b
	}
	for n := s.Body.First; n <= s.Body.Last; n++ {
		for p := range prose.Paths(d.Doc.Line(n)) {
			file(p.Text, "reference")
		}
		for word := range strings.FieldsFuncSeq(d.Doc.Line(n), notHex) {
			if len(word) != idLength {
				continue
			}
			if id, err := artifact.ParseID(word); err == nil && !seen[word] {
				seen[word] = true
				b.Refs.Artifacts = append(b.Refs.Artifacts, bundle.ArtifactRef{ID: id, Note: note("reference")})
			}
		}
	}
	return b
}

// idLength is the number of digits of an id.
const idLength = 64

func note(s string) *string { return &s }

func notHex(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }

// Body is the document without its frontmatter, with LF at the ends of lines:
// a checkout where git writes CRLF has the same bundles.
func Body(doc *handoff.Document) string {
	body := strings.TrimPrefix(doc.Source, "\ufeff")
	if doc.Front != nil {
		body = strings.TrimLeft(doc.Source[doc.Offset(doc.Front.Lines.Last+1):], "\r\n")
	}
	return strings.ReplaceAll(body, "\r\n", "\n")
}

// inside cleans a path that stays below the workspace.
func inside(p string) (string, bool) {
	p = path.Clean(p)
	return p, !strings.HasPrefix(p, "~") && bundle.ValidPath(p)
}

// Linked is the bundle that the metadata names for a document; the zero ID
// when it names none. The error says why the metadata cannot be read.
func (s State) Linked(path string) (artifact.ID, error) {
	if s.Metadata.Src == nil {
		return artifact.ID{}, nil
	}
	file, err := parseJSON(s.Metadata.Src)
	if err != nil {
		return artifact.ID{}, fmt.Errorf("%s:%w", s.Metadata.Path, err)
	}
	m := metadata{State: s, file: file}
	for i, e := range m.entries() {
		if e.path != path || !e.object {
			continue
		}
		if id := m.text("artifacts", i, "bundle_artifact_id"); id != "" {
			return artifact.ParseID(id)
		}
	}
	return artifact.ID{}, nil
}
