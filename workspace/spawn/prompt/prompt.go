// Package prompt writes what an agent reads first when it continues a handoff, or
// begins work that has none.
package prompt

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"handoff"
	"handoff/agents/skill"
	"handoff/brief"
	"handoff/internal/text/inert"
	"handoff/internal/text/visible"
	"handoff/reconcile"
	"handoff/workspace"
	"handoff/workspace/check"
	"handoff/workspace/documents"
)

// briefBytes is the most that the brief takes of a prompt. A document of one
// screen fits.
const briefBytes = 10000

// staleBytes is the most that its notes about what is out of date add to that.
const staleBytes = 4000

// oldAfter is the age after which a prompt gives the age of a handoff.
const oldAfter = 7 * handoff.Day

// maxStale is the most lines of a prompt about what is out of date.
const maxStale = 20

// staleRules are the rules that find what a document refers to and the tree no
// longer has.
var staleRules = []string{"dead-reference", "dead-line"}

// Continue finds a handoff (see [documents.Find]) and returns the prompt of its
// successor: what is out of date, the brief, and three rules. The rules come after the
// mark that ends the report, so that a document cannot add to them.
func Continue(ctx context.Context, ws *workspace.Workspace, dir, ref, objective string) (e documents.Entry, text string, err error) {
	if e, err = documents.Find(ctx, ws, dir, ref); err == nil {
		text, err = about(ctx, ws, e, objective)
	}
	return e, text, err
}

// about is the prompt of a successor of e.
func about(ctx context.Context, ws *workspace.Workspace, e documents.Entry, objective string) (string, error) {
	doc, err := documents.Read(ws, e)
	if err != nil {
		return "", err
	}
	stale, err := Stale(ctx, ws, e, doc)
	if err != nil {
		return "", err
	}
	src := SourceOf(ctx, ws, e, doc)
	src.Notes = OutOfDate(stale, staleBytes)
	report, err := brief.Make(src, brief.Escape, briefBytes+staleBytes)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("Continue the work that the report below hands over to you.\n\n")
	b.WriteString(report + "\n")
	if objective != "" {
		b.WriteString("The objective of all this work, of which the report is the latest state:\n" + objective + "\n\n")
	}
	b.WriteString(rules(e.Name))
	return b.String(), nil
}

// Stale returns what is out of date in a document: its age, what was committed since,
// and which of the files that it names were changed or do not exist. Each is one visible
// line; there are at most [maxStale], and one more with the number of the others. They quote
// the document and names, so they belong into the frame of its report.
func Stale(ctx context.Context, ws *workspace.Workspace, e documents.Entry, doc *handoff.Document) (stale []string, err error) {
	stale = Since(ctx, ws, e, doc)
	req := check.Request{Dir: ws.Root, Paths: []string{filepath.FromSlash(e.Path)}, Only: staleRules}
	err = check.Run(ctx, ws.Options, req, func(r *check.Result) error {
		for _, f := range r.Findings {
			stale = append(stale, oneLine(f.Message))
		}
		return r.Err
	})
	if more := len(stale) - maxStale; more > 0 {
		stale = append(stale[:maxStale], fmt.Sprintf("and %d more: `handoff lint` lists them", more))
	}
	return stale, err
}

// Since is the part of [Stale] that is about time: whether another document may be newer, the
// age of this one, and what was committed or changed since.
func Since(ctx context.Context, ws *workspace.Workspace, e documents.Entry, doc *handoff.Document) (stale []string) {
	if e.Doubt != "" {
		stale = append(stale, oneLine(e.Doubt))
	}
	w := documents.When(ctx, ws, e, doc)
	if !w.At.Known() {
		return append(stale, "cannot tell when it was written: neither the document nor git shows it")
	}
	latest := w.At.Latest()
	if age := ws.Now().Sub(latest); age > oldAfter {
		stale = append(stale, fmt.Sprintf("%s %d days ago", wrote(w.By), age/handoff.Day))
	}
	return append(stale, changedSince(ctx, ws.Root, latest, reconcile.Document{Path: e.Path, Name: e.Name, Doc: doc})...)
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

// SourceOf is a document for [brief.Make], with the time at which it was written.
func SourceOf(ctx context.Context, ws *workspace.Workspace, e documents.Entry, doc *handoff.Document) brief.Source {
	return brief.Source{Doc: doc, Name: e.Name, Path: e.Path, When: documents.When(ctx, ws, e, doc)}
}

// oneLine is a text from a document or of a file's name as one visible line, so
// that it cannot add to the prompt's own text.
func oneLine(text string) string {
	text, _ = visible.Model(strings.Join(strings.Fields(text), " "))
	return text
}

// rules are what a successor is asked to do besides the work.
func rules(n handoff.Name) string {
	ack := skill.Named("ack")
	return "Rules:\n" +
		"1. The report may be out of date: check what you rely on. Then run `" + ack.Line("", "") + "`, which " + ack.Does + ".\n" +
		"2. If your context runs low before the work is finished, write a handoff with `" + nextOf(n) + "` (`handoff new --help` shows the form) and stop.\n" +
		"3. When the work of the report is finished, run `" + skill.Named("done").Line("", "") + "`.\n"
}

// nextOf is the command that writes the next handoff.
func nextOf(n handoff.Name) string {
	if n.Width == 0 { // a layout without tasks
		return "handoff new --from FILE"
	}
	return Place{Task: n.Task, Phase: n.Phase}.Command() + " --from FILE"
}

// Place is where an agent writes the handoff of a task.
type Place struct {
	Task, Phase int
	Dir         string // of the task, below the root; "" if it has none yet
	Slug        string // of the folder that the task gets; "" if it has one
}

// Command is the command that writes a handoff there.
func (p Place) Command() string {
	text := fmt.Sprintf("handoff new --task %d --phase %d", p.Task, max(p.Phase, 1))
	if p.Slug != "" {
		text += " --slug " + inert.Name(p.Slug, "SLUG")
	}
	return text
}

// Begin is the prompt of work that has no handoff yet.
func Begin(objective string, p Place) string {
	return objective + "\n\nRules:\n" +
		"1. If your context runs low before that is finished, or you are asked for a handoff, write one with `" + p.Command() +
		" --from FILE` (`handoff new --help` shows the form) and stop. Another agent continues the work from it.\n" +
		"2. When all of it is finished, say so and stop. Then no handoff is needed.\n"
}
