package main

import (
	"errors"

	"handoff/document/handoff"
	"handoff/lint"
	"handoff/log/convert"
	"handoff/workspace"
	conversion "handoff/workspace/convert"
	"handoff/workspace/create"
)

// convertError explains why a document was refused and what to type instead.
// place returns the source of each finding, explain an error of a tape.
func convertError(w *process, err error, explain func(error) error, place func(*handoff.Document, handoff.Lines) string) error {
	var refused *create.RefusedError
	if errors.As(err, &refused) {
		explainRefusal(w, refused, func(f lint.Finding) string { return place(refused.Doc, f.Lines) })
		return exit(findings)
	}
	if errors.Is(err, conversion.ErrNoThread) {
		return reworded(threadError(err).Error()+" with --thread (`handoff thread list` lists them)", err)
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
