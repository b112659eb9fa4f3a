package httpapi

import (
	"context"
	"errors"

	"handoff/document/handoff"
	"handoff/lint"
	"handoff/lint/report"
	"handoff/workspace"
	"handoff/workspace/create"
	"handoff/workspace/documents"
	"handoff/workspace/handoffops"
	"handoff/workspace/once"
	"handoff/workspace/pins"
	"handoff/workspace/receipts"
)

// handoffWriter carries out one request.
type handoffWriter struct {
	*Server
	ws    *workspace.Workspace
	draft *create.Draft
	body  newHandoff
}

// write writes the document. A claim is checked first: a stale one may write nothing.
func (w handoffWriter) write(ctx context.Context, intend func(*once.File) error) (handoffCreated, error) {
	unfenced, replaces := false, ""
	err := w.claimed(func(b *receipts.Book) (err error) {
		if unfenced, err = w.mayWrite(ctx, b); err == nil {
			replaces, err = w.replaces(ctx, b)
		}
		return err
	})
	if err != nil {
		return handoffCreated{}, receiptProblem(err, handoffops.Claim.Invalid)
	}
	w.body.Replace = replaces // by its path: a short name means the new one, once that is written
	req := create.Request{Values: w.draft.Values, Slug: w.draft.Slug, Markdown: w.draft.Markdown, Draft: w.body.Draft, Dry: w.body.Dry, Unfenced: unfenced, Replace: replaces}
	req.Writing = func(path string, src []byte) error { return intend(once.Of(path, src)) }
	done, carried, err := w.create(ctx, req)
	var refused *create.RefusedError
	if errors.As(err, &refused) {
		return handoffCreated{}, &unwritten{"the handoff has lint errors: fix them, or set draft", w.findings(refused.Doc, refused.Findings)}
	}
	if err != nil {
		return handoffCreated{}, err
	}
	made := w.answer(ctx, done)
	made.Carried = carried.Shown + carried.Moved
	if unfenced {
		made.Warnings = append(made.Warnings, "the claim was not checked, because the store does not answer: the handoff is marked")
	}
	return made, nil
}

// mayWrite refuses a stale claim, and without the claim of its holder a handoff that
// continues one which is held. unfenced: the claim cannot be checked now, and the handoff is
// to be marked.
func (w handoffWriter) mayWrite(ctx context.Context, b *receipts.Book) (unfenced bool, err error) {
	who := receipts.Caller{Claim: w.body.Claim}
	unchecked, err := b.MayWriteNew(ctx, who, nil, w.body.Unfenced)
	if err == nil && w.draft.Profile != "completion" {
		err = b.Holder(ctx, who, documents.OfTask(w.draft.Task, w.draft.Named))
	}
	return unchecked != nil, err
}

// replaces is the path of the handoff that the request replaces; "" for none.
func (w handoffWriter) replaces(ctx context.Context, b *receipts.Book) (string, error) {
	if w.body.Replace == "" {
		return "", nil
	}
	return b.Replacing(ctx, receipts.Target{Dir: w.ws.Root, Ref: w.body.Replace, Claim: w.body.Claim}, &w.draft.Task, &w.draft.Phase)
}

func (w handoffWriter) create(ctx context.Context, req create.Request) (made create.Created, carried pins.Carried, err error) {
	if w.body.Carry {
		return pins.Create(ctx, w.ws, req)
	}
	made, err = create.Run(ctx, w.ws, req)
	return made, carried, err
}

// written is the document that a request with the same key wrote before its server was
// killed.
func (w handoffWriter) written(ctx context.Context, before *once.File) (handoffCreated, bool) {
	if before == nil {
		return handoffCreated{}, false
	}
	done, err := create.Relink(ctx, w.ws, before.Path)
	if err != nil || *once.Of(before.Path, []byte(done.Doc.Source)) != *before {
		return handoffCreated{}, false // not created, or by another request
	}
	return w.answer(ctx, done), true
}

func (w handoffWriter) answer(ctx context.Context, done create.Created) handoffCreated {
	e := documents.EntryAt(w.ws, done.Path)
	made := handoffCreated{Path: done.Path, Ref: e.Ref(), Findings: w.findings(done.Doc, done.Findings), dry: w.body.Dry}
	if w.body.Dry {
		made.Document = done.Doc.Source
		return made
	}
	warn := func(text string, err error) {
		if err != nil {
			w.Log.Warn(text, "handoff", done.Path, "error", err)
			made.Warnings = append(made.Warnings, text)
		}
	}
	warn("the handoff is written, but not linked yet: `handoff sync` tries again", done.Unlinked)
	if done.Displaced != "" {
		made.Warnings = append(made.Warnings, "this replaces a handoff that was not taken up: it is kept in "+done.Displaced)
	}
	if done.Overtaken != "" {
		made.Warnings = append(made.Warnings, done.Overtaken+" was still waiting, and this handoff of the same phase now waits instead")
	}
	if w.body.Claim != "" {
		warn("the handoff is written, but the claimed one is not superseded", w.claimed(func(b *receipts.Book) error {
			return b.Supersede(ctx, w.body.Claim, done.Path)
		}))
	}
	if w.body.Replace != "" {
		warn("the handoff is written, but the one to replace is not superseded", w.claimed(func(b *receipts.Book) error {
			return b.Replace(ctx, w.body.Replace, done.Path, "POST /specs/{n}/handoffs")
		}))
	}
	if _, n, err := pins.Vanished(ctx, w.ws, done.Path); err == nil { // `handoff diff` reports errors
		made.Vanished = n
	}
	w.feed.Wake()
	return made
}

func (w handoffWriter) claimed(do func(*receipts.Book) error) error {
	b, err := receipts.Open(w.ws)
	if err == nil {
		err = do(b)
	}
	return err
}

// findings returns the findings of a document, at their places in the body.
func (w handoffWriter) findings(doc *handoff.Document, list []lint.Finding) []newFinding {
	out := []newFinding{}
	for _, f := range report.JSON(doc, list, w.Reason) {
		out = append(out, w.placed(doc, f))
	}
	return out
}

// placed moves a finding from the document to the body. Only Markdown was sent with
// lines; of a title that was added it has none.
func (w handoffWriter) placed(doc *handoff.Document, f report.Finding) newFinding {
	line, pointer := func(int) int { return 0 }, ""
	if w.body.Markdown == "" {
		pointer = w.draft.Pointer(doc, f.Line)
	} else if f.Line > 0 && w.draft.Line(doc, f.Line) > 0 {
		line = func(n int) int { return w.draft.Line(doc, n) }
	}
	if f.Line, f.EndLine = line(f.Line), line(f.EndLine); f.Line == 0 {
		f.Col, f.EndLine, f.EndCol, f.Fix = 0, 0, 0, nil
	}
	if f.Fix != nil {
		for i := range f.Fix.Edits {
			e := &f.Fix.Edits[i]
			e.First, e.Last = line(e.First), line(e.Last)
			if e.First < 1 {
				f.Fix = nil
				break
			}
		}
	}
	return newFinding{f, pointer}
}
