package prompt

import (
	"context"
	"fmt"
	"strings"
	"time"

	"handoff/agents/skill"
	"handoff/document/brief"
	"handoff/internal/text/inert"
	"handoff/internal/text/visible"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/outdated"
)

// Shown is what a session finds in its context: what is out of date in the report,
// the brief, and the commands that record what becomes of it. by is a name for
// them. It has at most maxBytes bytes, cut at the ends of lines.
//
// It spends at most half of the time until ctx's deadline on what is out of date: the
// report is useful without that, but a host that times a hook out shows nothing.
func Shown(ctx context.Context, ws *workspace.Workspace, e documents.Entry, by string, maxBytes int) (string, error) {
	doc, err := documents.Read(ws, e)
	if err != nil {
		return "", err
	}
	inTime, cancel := halfOf(ctx)
	defer cancel()
	e.When = documents.When(inTime, ws, e, doc)
	stale, err := outdated.Of(inTime, ws, e, doc)
	if err != nil {
		stale = append(stale, "not everything could be checked: "+visible.OneLine(err.Error()))
	}
	origin, author := originOf(inTime, ws.Root, e.Path, doc.Source)
	lead, foot := leadOf(origin), commandsOf(e, by)
	src := brief.Source{Doc: doc, Name: e.Name, Path: e.Path, When: e.When, Notes: outdated.Notes(inTime, ws, e, stale, maxBytes/3)}
	if author != "" {
		src.Notes = append([]string{author}, src.Notes...)
	}
	report, err := brief.Make(src, brief.Escape, maxBytes-len(lead)-len(foot))
	if err != nil {
		return "", err
	}
	return lead + report + foot, nil
}

// halfOf is ctx with half of the time until its deadline, if it has one.
func halfOf(ctx context.Context) (context.Context, context.CancelFunc) {
	end, limited := ctx.Deadline()
	if !limited {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Until(end)/2)
}

// commandsOf are the commands of a session that continues a handoff; none if it has no
// name that can be shown after the mark.
func commandsOf(e documents.Entry, by string) string {
	ref, ok := e.Name.Typed(e.Path)
	if !ok || !inert.Safe(by) {
		return ""
	}
	var b strings.Builder
	for _, name := range []string{"claim", "ack", "done"} {
		s := skill.Named(name)
		fmt.Fprintf(&b, "- `%s` %s.\n", s.Line(ref, by), s.Does)
	}
	fmt.Fprintf(&b, "- `%s` %s.\n", nextOf(e.Name), skill.Named("new").Does)
	return "To continue the work:\n" + b.String()
}
