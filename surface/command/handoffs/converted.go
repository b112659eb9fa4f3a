package handoffs

import (
	"errors"

	"handoff/document/handoff"
	"handoff/lint"
	"handoff/log/convert"
	"handoff/surface/command"
	"handoff/workspace"
	conversion "handoff/workspace/convert"
	"handoff/workspace/create"
)

// ConvertError explains why a document was refused and what to type instead.
// place returns the source of each finding, explain an error of a tape.
func ConvertError(w *command.Process, err error, explain func(error) error, place func(*handoff.Document, handoff.Lines) string) error {
	var refused *create.RefusedError
	if errors.As(err, &refused) {
		explainRefusal(w, refused, func(f lint.Finding) string { return place(refused.Doc, f.Lines) })
		return command.Exit(command.Findings)
	}
	if errors.Is(err, conversion.ErrNoThread) {
		return command.Reworded(command.ThreadError(err).Error()+" with --thread (`handoff thread list` lists them)", err)
	}
	return explain(err)
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
		sayLeft(w, w.Shown(ws, doc.Path), doc.Findings)
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
	return f == convert.Document || f == convert.CE || f == convert.T3
}
