package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/urfave/cli/v2"

	"handoff/document/handoff"
	"handoff/lint"
	"handoff/log/artifact"
	"handoff/log/convert"
	"handoff/log/tape/comma"
	"handoff/log/thread"
	"handoff/workspace"
	conversion "handoff/workspace/convert"
	"handoff/workspace/create"
	"handoff/workspace/tapes"
	"handoff/workspace/threadops"
)

// convertOptions are the options of convert.
type convertOptions struct {
	documentOptions
	to, tape, name, thread, title string
	sending                       convert.Sending
	draft, write, json            bool
	given                         []string          // names of the flags that the user set
	explain                       func(error) error // for an error of a tape
}

func convertCommand(w *process) *cli.Command {
	o := new(convertOptions)
	text := func(to *string, name, usage string) cli.Flag {
		return &cli.StringFlag{Name: name, Destination: to, Usage: usage}
	}
	return &cli.Command{
		Name:  "convert",
		Usage: "convert a handoff to a document, bundle, thread, anchor or envelope",
		UsageText: "handoff convert FROM --to document|bundle|thread|anchor|envelope|ce-handoff/v1|t3-handoff:1 [flags]\n\n" +
			"FROM is a document (a path, 259/3, 259, latest), the id of a bundle, a file that holds a bundle, an envelope or\n" +
			"an anchor (- for standard input), a thread (its id, or thread:ID@SEQ), tape://workspace/TAPE/anchor/NAME, or a Markdown file (or -) in the form\n" +
			"ce-handoff/v1 of compound-engineering or t3-handoff:1 of t3code.",
		Description: "Without --write the result is printed and nothing is written. Fields that the target form cannot hold are reported\n" +
			"on stderr. With --write, an existing result is not written again, except an envelope.",
		Flags: flags(
			text(&o.to, "to", "target `FORM`: document, bundle, thread, anchor, envelope, ce-handoff/v1 or t3-handoff:1"),
			&cli.BoolFlag{Name: "write", Destination: &o.write, Usage: "store the result: a document as new does, an artifact, a thread or an anchor"},
			text(&o.tape, "tape", "tape `NAME` of an anchor or envelope"),
			text(&o.name, "name", "name of an anchor: `NAME`"),
			text(&o.thread, "thread", "`THREAD` that a new thread continues, or THREAD@SEQ"),
			text(&o.title, "title", "title of a thread: `TEXT`"),
			text(&o.sending.From, "from-agent", "sender of an envelope: `WHOM`, e.g. agent:worker-1"),
			text(&o.sending.To, "to-agent", "receiver of an envelope: `WHOM`"),
			text(&o.sending.Reason, "reason", "reason in an envelope: `TEXT`"),
			documentFlags(&o.documentOptions), draftFlag(&o.draft),
			&cli.BoolFlag{Name: "json", Destination: &o.json, Usage: "print the result as JSON, with the fields that are lost"}),
		Action: w.inWorkspace(func(c *cli.Context, ws *workspace.Workspace) error {
			o.given = givenNames(c)
			o.explain = func(err error) error {
				return tapeError(&call{w: w, args: argsOf(c), tape: tapeOptions{name: o.tape}}, err)
			}
			return runConvert(c.Context, w, o, ws, argsOf(c))
		}),
	}
}

func runConvert(ctx context.Context, w *process, o *convertOptions, ws *workspace.Workspace, args arguments) error {
	from, err := args.only("convert", "one handoff: 259/3 (task/phase), the id of a bundle or of a thread, a file, or a tape:// URI")
	if err != nil {
		return err
	}
	if o.to == "" {
		return errors.New("convert needs --to FORM: document, bundle, thread, anchor, envelope, ce-handoff/v1 or t3-handoff:1")
	}
	to, err := convert.ParseForm(o.to)
	if err != nil {
		return threadError(fmt.Errorf("--to: %w", err))
	}
	if err := fitsForm(o, to); err != nil {
		return err
	}
	document, in, err := documentAsked(o)
	if err != nil {
		return err
	}
	r := conversion.Request{From: from, Dir: w.dir, To: to, Write: o.write, Document: document,
		Tape: o.tape, Name: o.name, Thread: o.thread, Title: o.title, Sending: o.sending}
	if from == "-" {
		if r.Source, r.From, err = w.read(from, artifact.DefaultMax); err != nil {
			return err
		}
	}
	writesDocument := r.Write && to == convert.Document
	if writesDocument {
		if err := mayWrite(ctx, w, ws, o.task); err != nil {
			return err
		}
	}
	done, err := during(w, "converting", func() (conversion.Conversion, error) { return conversion.Run(ctx, ws, r) })
	if err != nil {
		return convertError(w, err, o.explain, in.Place)
	}
	sayWritten(w, ws, done.Written)
	if writesDocument {
		superseded(ctx, w, ws, done.Path)
	}
	if done.Existed {
		w.say("it already exists: nothing is written")
	}
	if o.json {
		return printConvertedJSON(w, ws, done)
	}
	return printConverted(w, ws, r.Write, done)
}

// fitsForm rejects flags that apply to another form.
func fitsForm(o *convertOptions, to convert.Form) error {
	of := map[string][]convert.Form{"tape": {convert.Anchor, convert.Envelope}, "name": {convert.Anchor, convert.Envelope},
		"thread": {convert.Thread}, "title": {convert.Thread},
		"from-agent": {convert.Envelope}, "to-agent": {convert.Envelope}, "reason": {convert.Envelope}}
	for _, f := range append(documentFlags(new(documentOptions)), draftFlag(new(bool))) {
		of[f.Names()[0]] = []convert.Form{convert.Document}
	}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if slices.Contains(o.given, name) && !slices.Contains(of[name], to) {
			return fmt.Errorf("--%s is for --to %s, not for --to %s", name, of[name][0], to)
		}
	}
	return namesTape(slices.Contains(o.given, "tape"), o.tape)
}

// documentAsked is the document that the flags request.
func documentAsked(o *convertOptions) (create.Request, *create.Draft, error) {
	in := new(create.Draft)
	err := overlay(&o.documentOptions, in)
	return create.Request{Values: in.Values, Slug: in.Slug, Draft: o.draft}, in, err
}

// convertError explains why a document was refused and what to type instead.
// place returns the source of each finding, explain an error of a tape.
func convertError(w *process, err error, explain func(error) error, place func(*handoff.Document, handoff.Lines) string) error {
	var refused *create.RefusedError
	if errors.As(err, &refused) {
		explainRefusal(w, refused, func(f lint.Finding) string { return place(refused.Doc, f.Lines) })
		return exit(findings)
	}
	if errors.Is(err, conversion.ErrNoThread) {
		return worded{threadError(err).Error() + " with --thread (`handoff thread list` lists them)", err}
	}
	return explain(err)
}

// sayWritten reports what a form cannot contain, and the findings of a document
// that was written.
func sayWritten(w *process, ws *workspace.Workspace, doc conversion.Written) {
	for _, l := range doc.Lost {
		if l.Kept == "" {
			w.say("lost: %s: %s", plain(l.Field), plain(l.Why))
		} else {
			w.say("kept in %s: %s: %s", plain(l.Kept), plain(l.Field), plain(l.Why))
		}
	}
	if doc.Path != "" {
		sayLeft(w, w.shown(ws, doc.Path), doc.Findings)
	}
	w.complain(doc.Unlinked)
}

// printConverted prints a result in the same way as the command of its form.
func printConverted(w *process, ws *workspace.Workspace, written bool, done conversion.Conversion) error {
	switch {
	case written && done.To == convert.Document:
		return w.print(w.shown(ws, done.Path) + "\n")
	case written && done.To == convert.Bundle:
		return w.print(done.Blob.String() + "\n")
	case written && done.To == convert.Thread:
		return writeLine(w.stdout, done.Made)
	case written && done.To == convert.Anchor:
		line, err := done.Anchor.Line()
		if err != nil {
			return err
		}
		done.Text = line
	}
	text := done.Text
	if !isMarkdown(done.To) {
		text = append(text, '\n')
	}
	return w.print(string(text))
}

// isMarkdown reports whether a form is Markdown; the others are JSON.
func isMarkdown(f convert.Form) bool {
	return f == convert.Document || f == convert.CE || f == convert.T3
}

func printConvertedJSON(w *process, ws *workspace.Workspace, done conversion.Conversion) error {
	result := json.RawMessage(done.Text)
	if isMarkdown(done.To) {
		result = nil
		if done.Path == "" {
			result, _ = json.Marshal(string(done.Text)) // a string always marshals
		} else {
			done.Path = w.shown(ws, done.Path)
		}
	}
	return writeLine(w.stdout, struct {
		conversion.Conversion
		Result json.RawMessage `json:"result,omitempty"`
	}{done, result})
}

// alsoDocument are the options of a handoff that also writes the task's document.
type alsoDocument struct {
	placeOptions
	document, draft bool
}

func documentToo(o *alsoDocument) []cli.Flag {
	return flags(&cli.BoolFlag{Name: "document", Destination: &o.document, Usage: "also write the task's document, as handoff new does; requires --task and --phase"},
		taskFlags(&o.placeOptions), draftFlag(&o.draft))
}

// check refuses the place of a document that is not asked for.
func (o *alsoDocument) check() error {
	if o.document {
		return nil
	}
	for _, f := range []struct {
		name  string
		given bool
	}{{"task", o.task != nil}, {"phase", o.phase != nil}, {"slug", o.slug != nil}, {"draft", o.draft}} {
		if f.given {
			return fmt.Errorf("--%s requires --document", f.name)
		}
	}
	return nil
}

// documentHere returns the request for a document of which the options give only
// the place, and the workspace to write it to.
func documentHere(ctx context.Context, w *process, o *alsoDocument) (*workspace.Workspace, create.Request, error) {
	r := create.Request{Slug: *cmp.Or(o.slug, new("")), Draft: o.draft}
	r.Values.Task, r.Values.Phase = *cmp.Or(o.task, new(0)), *cmp.Or(o.phase, new(0))
	ws, err := w.here()
	if err != nil {
		return nil, r, err
	}
	return ws, r, mayWrite(ctx, w, ws, o.task)
}

// mayWrite refuses a document of a caller whose claim is stale, or of a task that somebody else
// works on.
func mayWrite(ctx context.Context, w *process, ws *workspace.Workspace, task *int) error {
	err := fence(ctx, w, ws, task)
	if err == nil && task != nil {
		err = sayRefused(w, holder(ctx, w, ws, *task))
	}
	return err
}

// sectionAt names the source of the lines of a document: a key of an anchor's
// state, or a heading of a summary.
func sectionAt(doc *handoff.Document, l handoff.Lines, of string) string {
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

// documentWritten prints the path of a document on stderr: stdout has the
// result of the handoff.
func documentWritten(ctx context.Context, w *process, ws *workspace.Workspace, doc conversion.Written) {
	sayWritten(w, ws, doc)
	if doc.Path != "" {
		w.say("the document: %s", plain(w.shown(ws, doc.Path)))
		superseded(ctx, w, ws, doc.Path)
	}
}

// handOffWithDocument makes a handoff of a tape and writes the task's document.
func handOffWithDocument(k *call, o *alsoDocument, t *tapes.Tape, r comma.HandoffRequest) error {
	ws, document, err := documentHere(k, k.w, o)
	if err != nil {
		return err
	}
	made, doc, err := conversion.HandOffTape(k, ws, t, convert.State{Name: r.Name, State: r.State}, document)
	if err != nil {
		return convertError(k.w, err, func(err error) error { return tapeError(k, err) }, func(doc *handoff.Document, l handoff.Lines) string { return sectionAt(doc, l, "the state") })
	}
	documentWritten(k, k.w, ws, doc)
	return printEntries(k, sequence(nil, made.Entries...), false)
}

// threadHandoffDocument makes a handoff of a thread and writes the task's
// document.
func threadHandoffDocument(k *call, o *alsoDocument, t threadStore, id string, r thread.HandoffRequest) error {
	local, ok := t.(threadops.Here)
	if !ok {
		return errors.New("--document writes here, not on a server: leave out --server or --document")
	}
	ws, document, err := documentHere(k, k.w, o)
	if err != nil {
		return err
	}
	made, doc, err := conversion.HandOffThread(k, ws, local.Threads, id, r, document)
	if err == nil || doc.Path != "" {
		documentWritten(k, k.w, ws, doc)
	}
	if err != nil {
		return convertError(k.w, err, func(err error) error { return tapeError(k, err) }, func(doc *handoff.Document, l handoff.Lines) string { return sectionAt(doc, l, "the summary") })
	}
	if made.Existed {
		k.w.say("the thread already existed: no document is written")
	}
	return printThread(k, made)
}
