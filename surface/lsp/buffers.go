package lsp

import (
	"context"
	"path/filepath"

	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/lint"
	"handoff/parse"
	"handoff/workspace/check"
)

// buffer is an open file that may be a handoff document: its name and folder have the
// right form. Other files are not kept.
type buffer struct {
	uri     string
	path    string
	version int
	text
	edited  bool     // since it was opened or saved
	shown   bool     // diagnostics were published for it
	checked *checked // nil since a change
}

// checked is what is known about one text of a buffer.
type checked struct {
	check.Place
	doc      *handoff.Document
	findings []lint.Finding
	err      error // why it could not be checked
}

func (s *server) didOpen(_ context.Context, p openParams) (any, error) {
	path, ok := pathOf(p.Document.URI)
	if !ok {
		return nil, nil
	}
	if filepath.Base(filepath.Dir(path)) != handoff.Folder || !task.IsDocument(filepath.Base(path)) {
		if place, err := check.PlaceOf(path, s.Workspace.RuleNames); err != nil || !place.Document {
			return nil, nil
		}
	}
	b := &buffer{uri: p.Document.URI, path: path, version: p.Document.Version, text: newText(p.Document.Text, s.enc)}
	if before := s.open[b.uri]; before != nil {
		b.shown = before.shown
	}
	s.open[b.uri] = b
	s.dirty[b.uri] = true
	return nil, nil
}

func (s *server) didChange(p changeParams) {
	b := s.open[p.Document.URI]
	if b == nil {
		return
	}
	for _, c := range p.Changes {
		b.text = b.text.apply(c)
	}
	if p.Document.Version != nil {
		b.version = *p.Document.Version
	}
	b.checked, b.edited = nil, true
	s.dirty[b.uri] = true
}

// didSave checks again, because other documents may name this one.
func (s *server) didSave(p documentParams) {
	if b := s.open[p.Document.URI]; b != nil {
		b.edited = false
	}
	s.recheck()
}

func (s *server) didClose(_ context.Context, p documentParams) (any, error) {
	b := s.open[p.Document.URI]
	if b == nil {
		return nil, nil
	}
	delete(s.open, b.uri)
	delete(s.dirty, b.uri)
	if !b.shown {
		return nil, nil
	}
	return nil, s.notify("textDocument/publishDiagnostics", publishParams{URI: b.uri, Diagnostics: []diagnostic{}})
}

// recheck drops everything known about the buffers, because a file changed.
func (s *server) recheck() {
	for uri, b := range s.open {
		b.checked = nil
		s.dirty[uri] = true
	}
}

// check checks a buffer if that was not done since the last change.
func (s *server) check(ctx context.Context, b *buffer) (*checked, error) {
	if b.checked != nil {
		return b.checked, nil
	}
	c := &checked{doc: parse.Document([]byte(b.src))}
	if c.Place, c.err = check.PlaceOf(b.path, s.Workspace.RuleNames); c.Document {
		var r check.Result // with an invalid configuration this is the same error
		r, c.err = check.Buffer{Path: b.path, Text: []byte(b.src)}.Check(ctx, s.Workspace)
		c.findings = lint.Limit(r.Findings)
		if rel, err := filepath.Rel(c.Root, b.path); err == nil && c.Root != "" {
			c.doc = c.Config.Documents.Parse(filepath.ToSlash(rel), []byte(b.src), parse.Document)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err // the findings may be incomplete
	}
	b.checked = c
	return c, nil
}

// document returns an open handoff document and what is known about it; nil if the
// client asks about any other file.
func (s *server) document(ctx context.Context, d textDocument) (*buffer, *checked, error) {
	b := s.open[d.URI]
	if b == nil {
		return nil, nil, nil
	}
	c, err := s.check(ctx, b)
	if err != nil || !c.Document {
		return nil, nil, err
	}
	return b, c, nil
}
