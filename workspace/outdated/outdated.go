// Package outdated finds what is out of date in a handoff: its age, what was committed since,
// and which of the files that it names were changed or are gone. It decides nothing; each
// surface that shows the handoff shows that, too.
package outdated

import (
	"context"
	"fmt"
	"path/filepath"

	"handoff/document/handoff"
	"handoff/internal/text/visible"
	"handoff/workspace"
	"handoff/workspace/check"
	"handoff/workspace/documents"
	"handoff/workspace/reconcile"
)

// oldAfter is the age after which the age of a handoff is given.
const oldAfter = 7 * handoff.Day

// maxLines is the most lines about what is out of date.
const maxLines = 20

// rules are the rules that find what a document refers to and the tree no
// longer has.
var rules = []string{"dead-reference", "dead-line"}

// Of returns what is out of date in a document: its age, what was committed since,
// and which of the files that it names were changed or do not exist. Each is one visible
// line; there are at most [maxLines], and one more with the number of the others. They quote
// the document and names, so they belong into the frame of its report.
func Of(ctx context.Context, ws *workspace.Workspace, e documents.Entry, doc *handoff.Document) (lines []string, err error) {
	lines = Since(ctx, ws, e, doc)
	req := check.Request{Dir: ws.Root, Paths: []string{filepath.FromSlash(e.Path)}, Only: rules}
	err = check.Run(ctx, ws.Options, req, func(r *check.Result) error {
		for _, f := range r.Findings {
			lines = append(lines, visible.OneLine(f.Message))
		}
		return r.Err
	})
	if more := len(lines) - maxLines; more > 0 {
		lines = append(lines[:maxLines], fmt.Sprintf("and %d more: `handoff lint` lists them", more))
	}
	return lines, err
}

// Since is the part of [Of] that is about time: whether its work is over, whether another document may be newer, the
// age of this one, and what was committed or changed since.
func Since(ctx context.Context, ws *workspace.Workspace, e documents.Entry, doc *handoff.Document) (lines []string) {
	if e.Doubt != "" {
		lines = append(lines, visible.OneLine(e.Doubt))
	}
	if Finished(ctx, ws)(e.Path) {
		lines = append(lines, "it was done, or a newer one replaced it: `handoff next` lists what waits")
	}
	w := documents.When(ctx, ws, e, doc)
	if !w.At.Known() {
		return append(lines, "cannot tell when it was written: neither the document nor git shows it")
	}
	latest := w.At.Latest()
	if age := ws.Now().Sub(latest); age > oldAfter {
		lines = append(lines, fmt.Sprintf("%s %d days ago", wrote(w.By), ws.Now().Sub(w.At.Time)/handoff.Day)) // as lists count
	}
	lines = append(lines, ended(ws.Root, doc)...)
	return append(lines, changedSince(ctx, ws.Root, latest, reconcile.Document{Path: e.Path, Name: e.Name, Doc: doc})...)
}

// wrote says what happened at the time of a document.
func wrote(by handoff.Source) string {
	switch by {
	case handoff.ByCommit:
		return "its file was last committed"
	case handoff.ByFile:
		return "its file was last changed"
	}
	return "it was written"
}

// Notes are the notes of a brief: which uncommitted work is kept with the handoff, and what is
// out of date in it, in at most that many bytes and whole lines; none if nothing is.
func Notes(ctx context.Context, ws *workspace.Workspace, e documents.Entry, lines []string, maxBytes int) (notes []string) {
	if kept := ws.WorkNote(ctx, workspace.WorkOf{Task: e.Name.Task, Handoff: e.Path}); kept != "" {
		notes = append(notes, kept)
		maxBytes -= len(kept) + 1
	}
	if len(lines) == 0 {
		return notes
	}
	notes = append(notes, "Out of date in the report:")
	for i, line := range lines {
		if maxBytes -= len(line) + len("- \n"); maxBytes < 0 {
			return append(notes, fmt.Sprintf("- and %d more", len(lines)-i))
		}
		notes = append(notes, "- "+line)
	}
	return notes
}
