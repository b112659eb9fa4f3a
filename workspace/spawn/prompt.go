package spawn

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"handoff"
	"handoff/brief"
	"handoff/internal/text/visible"
	"handoff/workspace"
	"handoff/workspace/check"
)

// briefBytes is the most that the brief takes of a prompt. A document of one
// screen fits.
const briefBytes = 10000

// oldAfter is the age from which a prompt says how old a handoff is.
const oldAfter = 7 * handoff.Day

// maxStale is the most lines of a prompt about what is out of date.
const maxStale = 20

// staleRules are the rules that find what a document refers to and the tree no
// longer has.
var staleRules = []string{"dead-reference", "dead-line"}

// prompt is what an agent reads first: what is out of date, the brief, and three
// rules. The rules come after the mark that ends the report, so that a document
// cannot add to them.
func prompt(ctx context.Context, ws *workspace.Workspace, e workspace.Entry) (string, error) {
	doc, err := ws.Read(e)
	if err != nil {
		return "", err
	}
	report, err := brief.Make(brief.Source{Doc: doc, Name: e.Name, Path: e.Path}, brief.Escape, briefBytes)
	if err != nil {
		return "", err
	}
	stale, err := staleParts(ctx, ws, e)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("Continue the work that the report below hands over to you.\n\n")
	if len(stale) > 0 {
		b.WriteString("Out of date in the report:\n- " + strings.Join(stale, "\n- ") + "\n\n")
	}
	b.WriteString(report + "\n" + rules(e.Name))
	return b.String(), nil
}

// staleParts are what is out of date in a document, one line each.
func staleParts(ctx context.Context, ws *workspace.Workspace, e workspace.Entry) (stale []string, err error) {
	if m, ok := e.Name.Moment(); ok {
		if age := ws.Now().Sub(m.Latest()); age > oldAfter {
			stale = append(stale, fmt.Sprintf("it was written %d days ago", age/handoff.Day))
		}
	}
	req := check.Request{Dir: ws.Root, Paths: []string{filepath.FromSlash(e.Path)}, Only: staleRules}
	err = check.Run(ctx, ws.Options, req, func(r *check.Result) error {
		for _, f := range r.Findings {
			line, _ := visible.Model(strings.Join(strings.Fields(f.Message), " "))
			stale = append(stale, line)
		}
		return r.Err
	})
	if more := len(stale) - maxStale; more > 0 {
		stale = append(stale[:maxStale], fmt.Sprintf("and %d more: `handoff lint` lists them", more))
	}
	return stale, err
}

// rules are what a successor is asked to do besides the work.
func rules(n handoff.Name) string {
	next := "handoff new"
	if n.Width > 0 {
		next = fmt.Sprintf("handoff new --task %d --phase %d", n.Task, max(n.Phase, 1))
	}
	return "Rules:\n" +
		"1. The report may be out of date: check what you rely on. Then run `handoff ack --first-action 'TEXT'`, where TEXT is the first sentence of its next action.\n" +
		"2. If your context runs low before the work is finished, write a handoff with `" + next + " --from FILE` (`handoff new --help` shows the form) and stop.\n" +
		"3. When the work of the report is finished, run `handoff done`.\n"
}
