package convert

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/log/artifact"
	"handoff/log/bundle"
	"handoff/log/convert"
	"handoff/log/thread"
	"handoff/workspace"
	"handoff/workspace/create"
	"handoff/workspace/documents"
	"handoff/workspace/tapes"
	"handoff/workspace/threads"
)

// Written is a document that was created from a handoff.
type Written struct {
	create.Created
	Lost []convert.Lost `json:"lost"` // what the document cannot contain
}

// HandOffTape writes the task's document and then hands off the tape; the anchor
// names the document. If the document has lint errors, neither is written.
func HandOffTape(ctx context.Context, w *workspace.Workspace, t *tapes.Tape, a convert.State, req create.Request) (made tapes.Appended, doc Written, err error) {
	h := convert.FromAnchor(a)
	h.Title = "" // the anchor has the title as its name
	req.Values, doc.Lost = h.DocumentWith(req.Values)
	if doc.Created, err = create.Run(ctx, w, req); err != nil {
		return made, doc, err
	}
	a = a.WithDocument(doc.Path)
	made, err = t.HandOff(ctx, tapes.HandoffRequest{Name: a.Name, State: a.State})
	return made, doc, err
}

// HandOffThread hands off a thread together with the task's document, which names
// the cut. The new thread starts with the document's bundle, because one cut has one
// bundle. If the document has lint errors, neither is written; a repeated request
// writes no second document.
func HandOffThread(ctx context.Context, w *workspace.Workspace, t *threads.Threads, parent string, r thread.HandoffRequest, req create.Request) (made thread.HandoffResult, doc Written, err error) {
	var b *bundle.Handoff
	artifacts := r.Refs.Artifacts
	if r.SummaryArtifactID != nil {
		src, err := threadBundle(t, *r.SummaryArtifactID)
		if err != nil {
			return made, doc, err
		}
		b = &src
		id, _ := artifact.ParseID(*r.SummaryArtifactID)
		artifacts = append(artifacts[:len(artifacts):len(artifacts)], bundle.ArtifactRef{ID: id, Note: new("the bundle that this was written from")})
	}
	h := convert.FromThread(thread.HandedOff{FromThreadID: parent, SummaryMarkdown: r.SummaryMarkdown}, "", time.Time{}, b)
	req.Values, doc.Lost = h.DocumentWith(req.Values)
	if err := addReferences(&req, r.Refs.Files, artifacts); err != nil {
		return made, doc, err
	}
	dry := req
	dry.Dry = true
	if _, err := create.Run(ctx, w, dry); err != nil {
		return made, doc, err
	}
	r.Bundle = func(cut bundle.ThreadRef) (bundle.Handoff, error) {
		req.Values.Thread, req.Values.Seq = cut.ThreadID, new(int64(cut.Seq))
		if doc.Created, err = create.Run(ctx, w, req); err != nil {
			return bundle.Handoff{}, err
		}
		_, b, err := documents.Bundle(w, documents.Entry{Path: doc.Path})
		return b, err
	}
	made, err = t.Handoff(ctx, parent, r)
	return made, doc, err
}

// addReferences adds files and artifacts to the section References, because the
// document's bundle takes its references from there.
func addReferences(req *create.Request, files []bundle.FileRef, artifacts []bundle.ArtifactRef) error {
	var lines []string
	v := &req.Values
	add := func(line string, note *string) {
		if note != nil && *note != "" {
			line += " (" + *note + ")"
		}
		lines = append(lines, line)
	}
	for _, f := range files {
		name := f.Path
		if !strings.Contains(name, "/") {
			name = "./" + name // a bare word under References need not be a file
		}
		add("`"+name+"`", f.Note)
		found := documents.FilesIn("## References\n- " + lines[len(lines)-1] + "\n")
		if !slices.ContainsFunc(found, func(r bundle.FileRef) bool { return r.Path == f.Path }) {
			return &thread.Refusal{Text: fmt.Sprintf("the document cannot refer to the file %q, which does not look like a path in text: leave out --document, or name a file with an extension", f.Path), Kind: handoff.ErrInvalid}
		}
	}
	for _, a := range artifacts {
		add("artifact "+a.ID.String(), a.Note)
	}
	if body := v.Bodies[handoff.References]; body != "" && len(lines) > 0 {
		v.Bodies[handoff.References] = body + "\n- " + strings.Join(lines, "\n- ")
	} else {
		v.References = append(v.References, lines...)
	}
	return nil
}

// threadBundle reads the bundle of a thread's handoff.
func threadBundle(t *threads.Threads, id string) (b bundle.Handoff, err error) {
	src, err := threadBlob(t, id)
	if err == nil {
		b, err = bundle.ParseHandoff(src)
	}
	if err != nil {
		err = fmt.Errorf("bundle %s: %w", id, err)
	}
	return b, err
}

func threadBlob(t *threads.Threads, id string) ([]byte, error) {
	parsed, err := artifact.ParseID(id)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, handoff.ErrInvalid)
	}
	return t.Blobs.Get(parsed)
}
