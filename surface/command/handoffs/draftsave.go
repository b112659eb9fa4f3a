package handoffs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"handoff/agents"
	"handoff/agents/sessions"
	"handoff/document/handoff"
	"handoff/surface/command"
	"handoff/workspace"
	"handoff/workspace/draft"
	"handoff/workspace/receipts"
	"handoff/workspace/scaffold"
	"handoff/workspace/unreported"
)

// namedHere has a query name the transcript of the session of this repository whose id begins with what
// it names. It returns that session, or the zero value if there is none here: one of another folder is found
// by its whole id.
func namedHere(ctx context.Context, w *command.Process, ws *workspace.Workspace, table []agents.Agent, q *sessions.Query) (one unreported.Session, err error) {
	if q.Session == "" {
		return one, nil
	}
	bounds := unreported.Whole
	bounds.Bytes = 256 << 10 // how it ended is asked, and not all that it did
	found := unreported.Find(ctx, ws, unreported.Options{Table: table, Getenv: w.Getenv, Bounds: bounds})
	var named []unreported.Session
	for _, s := range found.Named(q.Session) {
		if q.Agent == "" || q.Agent == s.Agent {
			named = append(named, s)
		}
	}
	switch len(named) {
	case 0:
		return one, nil
	case 1:
		*q = sessions.Query{Transcript: named[0].Transcript, Agent: named[0].Agent, Getenv: q.Getenv}
		return named[0], nil
	}
	names := make([]string, len(named))
	for i, s := range named {
		names[i] = s.Agent + " " + s.ID
	}
	return one, fmt.Errorf("%s is the beginning of several sessions: %s", command.Plain(q.Session), command.Plain(strings.Join(names, ", ")))
}

// begun is a workspace in which a handoff can be saved: if none is set up, it is, as by `handoff init`. On the
// first day there is none.
func begun(ctx context.Context, w *command.Process, ws *workspace.Workspace) (*workspace.Workspace, error) {
	if err := ws.Missing(); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return ws, err
	}
	steps, err := scaffold.Run(ctx, scaffold.Request{Root: command.ProjectAround(ws.Root)})
	for _, s := range steps {
		w.Say("%s %s", s.Verb, command.Plain(s.Path))
	}
	if err != nil {
		return ws, err
	}
	return w.Here()
}

// placeDraft chooses the task of a draft: the one on which the session worked, whose last handoff the draft
// continues, else a new one that is named after what the session was asked.
func placeDraft(ctx context.Context, ws *workspace.Workspace, o *draftOptions, origin *draft.Origin, out draftJSON) error {
	if book, err := receipts.Open(ws); err == nil {
		items, _ := book.Of(ctx, out.session)
		if len(items) > 0 && ws.NameOf(items[0].Path).Task > 0 {
			name := ws.NameOf(items[0].Path)
			origin.Task, origin.Phase, origin.Before = name.Task, max(name.Phase, 1), items[0].Path
			return nil
		}
	}
	dirs, err := ws.Tasks(ctx)
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		n, _, _ := handoff.ParseTask(path.Base(dir))
		origin.Task = max(origin.Task, n)
	}
	origin.Task++
	asked := cmp.Or(out.Facts.Last.Text, out.Facts.First.Text)
	o.slug = cmp.Or(o.slug, handoff.SlugFrom(asked), handoff.SlugFrom("session "+out.Facts.Session[:min(8, len(out.Facts.Session))]), "session")
	return nil
}
