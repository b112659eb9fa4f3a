package convert

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"handoff"
	"handoff/artifact"
	"handoff/bundle"
	"handoff/convert"
	"handoff/parse"
	"handoff/reconcile"
	"handoff/tape"
	"handoff/tape/comma"
	"handoff/templates"
	"handoff/thread"
	"handoff/workspace"
	"handoff/workspace/create"
	"handoff/workspace/documents"
	"handoff/workspace/tapes"
	"handoff/workspace/threads"
)

// documentOf returns the values of a handoff's document. Values of the request
// override them.
func documentOf(h *convert.Handoff, req create.Request) (templates.Values, []convert.Lost) {
	v, lost := h.Document()
	over := req.Values
	v.Task, v.Phase = cmp.Or(over.Task, v.Task), cmp.Or(over.Phase, v.Phase)
	v.NextAction = over.NextAction
	v.State.File, v.State.Location = over.State.File, over.State.Location
	if over.State.Goal != "" {
		if v.State.Goal != "" { // the handoff's own text is kept as the section's body
			v.Bodies[handoff.CurrentState] = v.State.Goal
		}
		v.State.Goal = over.State.Goal
	}
	v.Decisions, v.Deviations, v.DeadEnds, v.Context = over.Decisions, over.Deviations, over.DeadEnds, over.Context
	if over.References != nil {
		v.References = over.References
	}
	if over.Thread != "" {
		v.Thread, v.Seq = over.Thread, over.Seq
	}
	v.Profile = cmp.Or(over.Profile, v.Profile)
	return v, lost
}

// sameDocument is the path of the newest document of the task and phase if it equals
// src except for the title, so that a repeated conversion writes nothing; else "".
func (v *converting) sameDocument(req create.Request, src []byte) (string, error) {
	if req.Values.Task < 1 {
		return "", nil
	}
	list, err := documents.List(v.ctx, v.Workspace, documents.Filter{Task: req.Values.Task, Phase: strconv.Itoa(req.Values.Phase), Live: true})
	if err != nil || len(list) == 0 {
		return "", err
	}
	there, err := documents.Read(v.Workspace, list[0])
	if err != nil || untitled(there) != untitled(parse.Document(src)) {
		return "", err
	}
	return list[0].Path, nil
}

// untitled is a document without its title.
func untitled(doc *handoff.Document) string {
	l := doc.Title.Lines
	if l.First == 0 {
		return doc.Source
	}
	return doc.Source[:doc.Offset(l.First)] + doc.Source[doc.Offset(l.Last+1):]
}

// Written is a document that was created from a handoff.
type Written struct {
	create.Created
	Lost []convert.Lost `json:"lost"` // what the document cannot contain
}

// HandOffTape writes the task's document and then hands off the tape; the anchor
// names the document. If the document has lint errors, neither is written.
func HandOffTape(ctx context.Context, w *workspace.Workspace, t *tapes.Tape, r comma.HandoffRequest, req create.Request) (entries []tape.Entry, doc Written, err error) {
	a := convert.State{Name: r.Name, State: r.State}
	h := convert.FromAnchor(a)
	h.Title = "" // the anchor has the title as its name
	req.Values, doc.Lost = documentOf(&h, req)
	if doc.Created, err = create.Run(ctx, w, req); err != nil {
		return nil, doc, err
	}
	a = a.WithDocument(doc.Path)
	made, err := t.HandOff(ctx, tapes.HandoffRequest{Name: a.Name, State: a.State})
	return made.Entries, doc, err
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
	req.Values, doc.Lost = documentOf(&h, req)
	if err := addReferences(&req.Values, r.Refs.Files, artifacts); err != nil {
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
func addReferences(v *templates.Values, files []bundle.FileRef, artifacts []bundle.ArtifactRef) error {
	var lines []string
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
		doc := parse.Document([]byte("## References\n- " + lines[len(lines)-1] + "\n"))
		found := reconcile.Bundle(reconcile.Document{Doc: doc}).Refs.Files
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
