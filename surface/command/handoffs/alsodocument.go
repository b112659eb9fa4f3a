package handoffs

import (
	"cmp"
	"context"
	"fmt"

	"handoff/document/handoff"
	"handoff/surface/command"
	"handoff/surface/command/claims"
	"handoff/surface/command/cli"
	"handoff/templates"
	"handoff/workspace"
	conversion "handoff/workspace/convert"
	"handoff/workspace/create"
	"handoff/workspace/documents"
	"handoff/workspace/plans"
)

// AlsoDocument are the options of a handoff that also writes the task's document.
type AlsoDocument struct {
	placeOptions
	Document, draft bool
}

// DocumentToo are the flags of a handoff that also writes the document of the task.
func DocumentToo(o *AlsoDocument) []cli.Flag {
	return command.Flags(&cli.BoolFlag{Name: "document", Destination: &o.Document, Usage: "also write the task's document, as handoff new does; requires --task and --phase"},
		taskFlags(&o.placeOptions), DraftFlag(&o.draft))
}

// Check refuses the place of a document that is not asked for.
func (o *AlsoDocument) Check() error {
	if o.Document {
		return nil
	}
	for _, f := range []struct {
		name  string
		given bool
	}{{"task", o.Task != nil || o.named != nil}, {"phase", o.phase != nil}, {"slug", o.slug != nil}, {"draft", o.draft}} {
		if f.given {
			return fmt.Errorf("--%s requires --document", f.name)
		}
	}
	return nil
}

// DocumentHere returns the request for a document of which the options give only
// the place, and the workspace to write it to.
func DocumentHere(ctx context.Context, w *command.Process, o *AlsoDocument) (*workspace.Workspace, create.Request, error) {
	r := create.Request{Slug: *cmp.Or(o.slug, new("")), Draft: o.draft}
	r.Values.Task, r.Values.Phase = *cmp.Or(o.Task, new(0)), *cmp.Or(o.phase, new(0))
	r.Values.Named = *cmp.Or(o.named, new(""))
	ws, err := w.Here()
	if err == nil {
		err = plans.Named(ws, &r.Values.Named, &r.Values.Task)
	}
	if err != nil {
		return nil, r, err
	}
	return ws, r, MayWrite(ctx, w, ws, &r.Values)
}

// MayWrite refuses a document of a caller whose claim is stale, or of a task that somebody else
// works on.
func MayWrite(ctx context.Context, w *command.Process, ws *workspace.Workspace, v *templates.Values) error {
	if v.Task == 0 && v.Named == "" {
		return claims.Fence(ctx, w, ws, nil)
	}
	err := claims.Fence(ctx, w, ws, &v.Task)
	if err == nil {
		err = command.SayRefused(w, holder(ctx, w, ws, documents.OfTask(v.Task, v.Named)))
	}
	return err
}

// SectionAt names the source of the lines of a document: a key of an anchor's
// state, or a heading of a summary.
func SectionAt(doc *handoff.Document, l handoff.Lines, of string) string {
	for _, s := range doc.Sections {
		switch {
		case !s.Lines.Has(l.First) || s.Kind == handoff.Other:
		case of == "the summary":
			return of + ", " + s.Kind.String()
		case s.Kind == handoff.NextAction:
			return "next_steps"
		default:
			return of + ", " + handoff.SpecOf(s.Kind).Key
		}
	}
	return "the document"
}

// DocumentWritten prints the path of a document on stderr: stdout has the
// result of the handoff.
func DocumentWritten(ctx context.Context, w *command.Process, ws *workspace.Workspace, doc conversion.Written) {
	SayWritten(w, ws, doc)
	if doc.Path != "" {
		w.Say("the document: %s", command.Plain(w.Shown(ws, doc.Path)))
		claims.Superseded(ctx, w, ws, doc.Path)
	}
}
