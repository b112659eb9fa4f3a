// Package prompt writes what an agent reads first when it continues a handoff, or
// begins work that has none.
package prompt

import (
	"context"
	"fmt"
	"strings"

	"handoff/agents/skill"
	"handoff/document/brief"
	"handoff/document/handoff"
	"handoff/internal/text/inert"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/outdated"
)

// briefBytes is the most that the brief takes of a prompt. A document of one
// screen fits.
const briefBytes = 10000

// staleBytes is the most that its notes about what is out of date add to that.
const staleBytes = 4000

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
	stale, err := outdated.Of(ctx, ws, e, doc)
	if err != nil {
		return "", err
	}
	src := SourceOf(ctx, ws, e, doc)
	src.Notes = outdated.Notes(ctx, ws, e, stale, staleBytes)
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

// SourceOf is a document for [brief.Make], with the time at which it was written.
func SourceOf(ctx context.Context, ws *workspace.Workspace, e documents.Entry, doc *handoff.Document) brief.Source {
	return brief.Source{Doc: doc, Name: e.Name, Path: e.Path, When: documents.When(ctx, ws, e, doc)}
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
		"2. When all of it is finished, run `" + skill.Named("done").Line("", "") + "` and stop. Then no handoff is needed.\n"
}
