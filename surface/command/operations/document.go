package operations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"handoff/document/handoff"
	"handoff/lint"
	"handoff/log/convert"
	"handoff/log/receipt"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
	"handoff/workspace/authoring"
	conversion "handoff/workspace/convert"
	"handoff/workspace/create"
	"handoff/workspace/plans"
	"handoff/workspace/receipts"
)

// DocumentPlace is where a document belongs; nil is what is not given.
type DocumentPlace struct {
	Task, Phase *int
	Named, Slug *string // Named is the task as its plan calls it
}

// PlaceFlags select the task of a document.
func PlaceFlags(o *DocumentPlace) []cli.Flag {
	return []cli.Flag{
		command.TaskFlag(&o.Task, &o.Named, &cli.StringFlag{Usage: "`N`  number of the task, or what the plan of another tool calls it"}),
		&cli.IntFlag{Name: "phase", Action: command.Some(&o.Phase), Usage: "`P`  number of the phase"},
		&cli.StringFlag{Name: "slug", Action: command.Some(&o.Slug), Usage: "`WORDS`  words for the folder of a new task, joined by underscores"},
	}
}

// DraftFlag is --draft of the commands that write a document.
func DraftFlag(to *bool) cli.Flag {
	return &cli.BoolFlag{Name: "draft", Destination: to, Usage: "write it despite lint errors (but for a merge conflict), with placeholders in the gaps"}
}

// AlsoDocument are the options of a handoff that also writes the task's document.
type AlsoDocument struct {
	DocumentPlace
	Document, draft bool
}

// DocumentToo are the flags of a handoff that also writes the document of the task.
func DocumentToo(o *AlsoDocument) []cli.Flag {
	return command.Flags(&cli.BoolFlag{Name: "document", Destination: &o.Document, Usage: "also write the task's document, as handoff new does; requires --task and --phase"},
		PlaceFlags(&o.DocumentPlace), DraftFlag(&o.draft))
}

// Check refuses the place of a document that is not asked for.
func (o *AlsoDocument) Check() error {
	if o.Document {
		return nil
	}
	for _, f := range []struct {
		name  string
		given bool
	}{{"task", o.Task != nil || o.Named != nil}, {"phase", o.Phase != nil}, {"slug", o.Slug != nil}, {"draft", o.draft}} {
		if f.given {
			return fmt.Errorf("--%s requires --document", f.name)
		}
	}
	return nil
}

// DocumentHere returns the request for a document of which the options give only
// the place, and the workspace to write it to.
func DocumentHere(ctx context.Context, w *command.Process, o *AlsoDocument) (*workspace.Workspace, create.Request, error) {
	r := create.Request{Slug: *cmp.Or(o.Slug, new("")), Draft: o.draft}
	r.Values.Task, r.Values.Phase = *cmp.Or(o.Task, new(0)), *cmp.Or(o.Phase, new(0))
	r.Values.Named = *cmp.Or(o.Named, new(""))
	ws, err := w.Here()
	if err == nil {
		err = plans.Named(ws, &r.Values.Named, &r.Values.Task)
	}
	if err != nil {
		return nil, r, err
	}
	return ws, r, MayWrite(ctx, w, ws, r)
}

// MayWrite refuses a document of a caller whose claim is stale, or of a task that somebody else
// works on.
func MayWrite(ctx context.Context, w *command.Process, ws *workspace.Workspace, r create.Request) error {
	task := &r.Values.Task
	if *task == 0 && r.Values.Named == "" {
		task = nil
	}
	if err := command.Fence(ctx, w, ws, task); err != nil {
		return err
	}
	open, err := Held(ctx, w, ws, r)
	SayOpen(w, open)
	return command.SayRefused(w, err)
}

// Held asks what a new document means for the handoffs that others hold: see [authoring.Held].
func Held(ctx context.Context, w *command.Process, ws *workspace.Workspace, req create.Request) (open []*receipt.HeldError, err error) {
	err = command.WithSteps(w, ws, func(b *receipts.Book) error {
		open, err = authoring.Held(ctx, ws, b, w.Caller(), req)
		return err
	})
	return open, err
}

// SayOpen reports what others hold and a new document does not continue.
func SayOpen(w *command.Process, open []*receipt.HeldError) {
	for _, held := range open {
		w.Say("%s; it stays open, and this handoff waits beside it", command.Plain(held.Error()))
	}
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
		command.Superseded(ctx, w, ws, doc.Path)
	}
}

// ConvertError explains why a document was refused and what to type instead.
// place returns the source of each finding.
func ConvertError(k *Call, err error, place func(*handoff.Document, handoff.Lines) string) error {
	var refused *create.RefusedError
	if errors.As(err, &refused) {
		ExplainRefusal(k.W, refused, func(f lint.Finding) string { return place(refused.Doc, f.Lines) })
		return command.Exit(command.Findings)
	}
	if errors.Is(err, conversion.ErrNoThread) {
		return command.Reworded(command.ThreadError(err).Error()+" with --thread (`handoff thread list` lists them)", err)
	}
	return k.TapeError(err)
}

// SayWritten reports what a form cannot contain, and the findings of a document
// that was written.
func SayWritten(w *command.Process, ws *workspace.Workspace, doc conversion.Written) {
	for _, l := range doc.Lost {
		if l.Kept == "" {
			w.Say("lost: %s: %s", command.Plain(l.Field), command.Plain(l.Why))
		} else {
			w.Say("kept in %s: %s: %s", command.Plain(l.Kept), command.Plain(l.Field), command.Plain(l.Why))
		}
	}
	if doc.Path != "" {
		SayLeft(w, w.Shown(ws, doc.Path), doc.Findings, false)
	}
	w.Complain(doc.Unlinked)
}

// PrintConverted prints a result in the same way as the command of its form.
func PrintConverted(w *command.Process, ws *workspace.Workspace, written bool, done conversion.Conversion) error {
	switch {
	case written && done.To == convert.Document:
		return w.Print(w.Shown(ws, done.Path) + "\n")
	case written && done.To == convert.Bundle:
		return w.Print(done.Blob.String() + "\n")
	case written && done.To == convert.Thread:
		return command.WriteLine(w.Stdout, done.Made)
	case written && done.To == convert.Anchor:
		line, err := done.Anchor.Line()
		if err != nil {
			return err
		}
		done.Text = line
	}
	text := done.Text
	if !IsMarkdown(done.To) {
		text = append(text, '\n')
	}
	return w.Print(string(text))
}

// IsMarkdown reports whether a form is Markdown; the others are JSON.
func IsMarkdown(f convert.Form) bool {
	return slices.Contains([]convert.Form{convert.Document, convert.CE, convert.T3, convert.GSD, convert.GSDState}, f)
}

// SayLeft prints the findings of a document that was written nevertheless. Notes are for its author, who alone
// knows the reason that is missing, so they are left out of what is made from other forms.
func SayLeft(w *command.Process, shown string, left []lint.Finding, notes bool) {
	for _, f := range lint.Limit(left) {
		if notes || f.Severity != lint.Note {
			SayFinding(w, LineOf(shown, f), f)
		}
	}
}

// SayFinding prints a finding as `handoff lint` does.
func SayFinding(w *command.Process, at string, f lint.Finding) {
	fmt.Fprintf(w.Stderr, "%s: %s: %s (%s)\n", at, f.Severity, command.Plain(f.Message), f.Rule)
}

// LineOf returns the place of a finding, which may be the whole file.
func LineOf(path string, f lint.Finding) string {
	if f.Lines.First == 0 {
		return path
	}
	return fmt.Sprintf("%s:%d", path, f.Lines.First)
}

// ExplainRefusal prints each error at its source: the line of the input, the
// flag, or the line of the edited text.
func ExplainRefusal(w *command.Process, e *create.RefusedError, place func(lint.Finding) string) {
	for _, f := range lint.Limit(e.Findings) {
		if f.Severity == lint.Error {
			SayFinding(w, place(f), f)
		}
	}
	if item, of, ok := e.Proposal(); ok {
		w.Say("the next open item of %s is: %s", command.Plain(of), command.Plain(item))
	}
	w.Say("%s", e)
}
