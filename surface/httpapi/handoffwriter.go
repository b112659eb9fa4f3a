package httpapi

import (
	"context"
	"errors"
	"strings"

	"handoff/document/handoff"
	"handoff/lint"
	"handoff/lint/report"
	"handoff/workspace"
	"handoff/workspace/authoring"
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

// request is what the body asks for.
func (w handoffWriter) request() authoring.Request {
	return authoring.Request{
		Request: create.Request{Values: w.draft.Values, Slug: w.draft.Slug, Markdown: w.draft.Markdown, Draft: w.body.Draft, Dry: w.body.Dry, Unfenced: w.body.Unfenced, Replace: w.body.Replace},
		Carry:   w.body.Carry, Key: w.body.Key, Claim: w.body.Claim, Who: receipts.Caller{Claim: strings.TrimSpace(w.body.Claim)}, How: "POST /specs/{n}/handoffs",
	}
}

// problem is what the request is refused with.
func (w handoffWriter) problem(err error) error {
	var refused *create.RefusedError
	var claimed *authoring.ClaimedError
	switch {
	case errors.As(err, &refused):
		return &unwritten{"the handoff has lint errors: fix them, or set draft", w.findings(refused.Doc, refused.Findings)}
	case errors.As(err, &claimed):
		return receiptProblem(err, handoffops.Claim.Invalid)
	case errors.Is(err, once.ErrLongKey):
		return longKey
	}
	return err
}

func (w handoffWriter) answer(ctx context.Context, done authoring.Result) handoffCreated {
	e := documents.EntryAt(w.ws, done.Path)
	made := handoffCreated{Path: done.Path, Ref: e.Ref(), Findings: w.findings(done.Doc, done.Findings), dry: w.body.Dry,
		Carried: done.Carried.Shown + done.Carried.Moved}
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
	for _, held := range done.Beside {
		made.Warnings = append(made.Warnings, held.Error()+"; it stays open, and this handoff waits beside it")
	}
	if done.Displaced != "" {
		made.Warnings = append(made.Warnings, "this replaces a handoff that was not taken up: it is kept in "+done.Displaced)
	}
	if done.Overtaken != "" {
		made.Warnings = append(made.Warnings, done.Overtaken+" was still waiting, and this handoff is newer and now waits instead")
	}
	for _, u := range done.Undone {
		warn("the handoff is written, but "+u.What, u.Err)
	}
	if done.Unchecked != nil {
		made.Warnings = append(made.Warnings, "the claim was not checked, because the store does not answer: the handoff is marked")
	}
	if _, n, err := pins.Vanished(ctx, w.ws, done.Path); err == nil { // `handoff diff` reports errors
		made.Vanished = n
	}
	w.feed.Wake()
	return made
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
