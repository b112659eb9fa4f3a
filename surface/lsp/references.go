package lsp

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/text/prose"
	"handoff/log/artifact"
	"handoff/workspace/check"
)

// reference is a place in a document that names a file: by its path, or an artifact by
// its id.
type reference struct {
	check.Pointer
	from, to int    // bytes in the source
	name     string // the path or the id as written
	line     int    // in the file, from 1; 0 for none
	artifact bool
}

// references yields the references of a document, without those in code blocks.
func (c *checked) references(yield func(reference) bool) {
	if c.Root == "" {
		return
	}
	for n := range c.textLines {
		at, line := c.doc.Offset(n), c.doc.Line(n)
		for p := range prose.Paths(line) {
			r := reference{Pointer: check.Point(c.Root, p.Text), from: at + p.From, to: at + p.To, name: p.Text, line: p.Line}
			if !yield(r) {
				return
			}
		}
		for from, to := range artifactIDs(line) {
			id := line[from:to]
			if !yield(reference{Pointer: check.Point(c.Root, artifact.Blobs+"/"+id), from: at + from, to: at + to, name: id, artifact: true}) {
				return
			}
		}
	}
}

// textLines yields the lines of a document after the frontmatter that are not in a code
// block.
func (c *checked) textLines(yield func(int) bool) {
	code := map[int]bool{}
	for s := range c.doc.Parts {
		for _, f := range s.Fences {
			for n := f.Lines.First; n <= f.Lines.Last; n++ {
				code[n] = true
			}
		}
	}
	first := 1
	if c.doc.Front != nil {
		first = c.doc.Front.Lines.Last + 1
	}
	for n := first; n <= c.doc.NumLines(); n++ {
		if !code[n] && !yield(n) {
			return
		}
	}
}

// artifactIDs yields the places of artifact ids in a line.
func artifactIDs(line string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for at := 0; at < len(line); at++ {
			from := at
			for at < len(line) && prose.WordByte(line[at]) {
				at++
			}
			if _, err := artifact.ParseID(line[from:at]); err == nil && !yield(from, at) {
				return
			}
		}
	}
}

// referenceAt returns the reference at a byte, or in the frontmatter the thread.
func (c *checked) referenceAt(offset int) (reference, bool) {
	for r := range c.references {
		if r.from <= offset && offset <= r.to {
			return r, true
		}
	}
	return c.threadAt(offset)
}

// threadAt returns the thread that the frontmatter names.
func (c *checked) threadAt(offset int) (r reference, ok bool) {
	if c.doc.Front == nil || c.doc.Front.Thread == "" || c.doc.LineAt(offset) != c.doc.Front.KeyLine["thread"] {
		return r, false
	}
	line := c.doc.Front.KeyLine["thread"]
	at := c.doc.Offset(line)
	id := c.doc.Front.Thread
	from := strings.Index(c.doc.Line(line), id)
	if from < 0 || strings.ContainsAny(id, `/\`) {
		return r, false
	}
	return reference{Pointer: check.Point(c.Root, ".handoff/threads/"+id+".jsonl"), from: at + from, to: at + from + len(id), name: id}, true
}

// documentLinks are the references to files that exist.
func (s *server) documentLinks(ctx context.Context, p documentParams) (any, error) {
	list := []documentLink{}
	b, c, err := s.document(ctx, p.Document)
	if b == nil {
		return list, err
	}
	for r := range c.references {
		if r.Exists && !r.Folder {
			list = append(list, documentLink{Range: b.span(r.from, r.to), Target: r.target()})
		}
	}
	return list, nil
}

// target is the address of the file, with the line as browsers and editors write it.
func (r reference) target() string {
	uri := uriOf(r.Path)
	if r.line > 0 {
		uri += fmt.Sprintf("#L%d", r.line)
	}
	return uri
}

// definition is the file that a reference names, or the bundle of the handoff for its
// title.
func (s *server) definition(ctx context.Context, p positionParams) (any, error) {
	b, c, err := s.document(ctx, p.Document)
	if b == nil {
		return nil, err
	}
	at := b.offset(p.Position)
	r, ok := c.referenceAt(at)
	if !ok && c.doc.Title.Lines.Has(c.doc.LineAt(at)) {
		r.Pointer, ok = s.bundleOf(c, b.path), true
	}
	if !ok || !r.Exists || r.Folder {
		return nil, nil
	}
	start := position{Line: max(r.line-1, 0)}
	return location{uriOf(r.Path), textRange{start, start}}, nil
}

// bundleOf is the file of the bundle that the metadata names for a document.
func (s *server) bundleOf(c *checked, path string) (p check.Pointer) {
	ws, rel, err := s.workspaceOf(c.Root, path)
	if err != nil {
		return p
	}
	id, ok := s.Bundle(ws, rel)
	if !ok {
		return p
	}
	return check.Point(c.Root, artifact.Blobs+"/"+id.String())
}

// titleOrFront reports whether a byte is in the title or the frontmatter.
func titleOrFront(doc *handoff.Document, offset int) bool {
	n := doc.LineAt(offset)
	return doc.Title.Lines.Has(n) || doc.Front != nil && doc.Front.Lines.Has(n)
}

// isOwn reports whether a reference names the document itself.
func (r reference) isOwn(path string) bool { return r.Path == filepath.Clean(path) }
