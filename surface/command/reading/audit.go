package reading

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"handoff/agents/sessions"
	"handoff/agents/transcript/audit"
	"handoff/document/handoff"
	"handoff/internal/file/gitindex"
	"handoff/internal/file/regular"
	"handoff/log/receipt"
	"handoff/surface/author"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
	"handoff/workspace/delivery"
	"handoff/workspace/documents"
	"handoff/workspace/notes"
	"handoff/workspace/pins"
	"handoff/workspace/prove"
)

// auditOptions are the options of audit.
type auditOptions struct {
	command.NamedSession
	handoff   string
	all, json bool
}

// Audit is the command `handoff audit`.
func Audit(w *command.Process) *cli.Command {
	o := new(auditOptions)
	return &cli.Command{
		Name:      "audit",
		Usage:     "show what a compaction dropped: rules, decisions, to-dos, pinned items, files",
		UsageText: "handoff audit [flags]\n\nWithout --session or --transcript it reads the session that it runs in, or the newest one in this folder.",
		Description: "An agent that runs out of context writes a summary and continues with that. This compares the summary\n" +
			"with what the session knew before: rules and decisions of the user, open to-dos, pinned items of the\n" +
			"handoff that it continued, and files that are not committed. An item is listed, with its turn, if no line\n" +
			"of the summary has half of its words and it did not come up again since. Claude Code and Codex record\n" +
			"summaries. Exit status: 1 if something was dropped, 2 if a summary cannot be read.",
		Flags: command.Flags(command.SessionFlags(&o.NamedSession, "transcript"),
			&cli.StringFlag{Name: "handoff", Destination: &o.handoff, Usage: "`REF`  the handoff that the session continued", DefaultText: "the one that was delivered to it"},
			&cli.BoolFlag{Name: "all", Destination: &o.all, Usage: "list all items with what became of them, also those that were kept"},
			cli.JSON(&o.json, "print JSON: see handoff schema audit", cli.Published("audit"))),
		Action: command.Alone(w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error { return runAudit(c.Context, w, o, ws) })),
	}
}

// auditJSON is what --json prints: see docs/schema/audit.schema.json.
type auditJSON struct {
	Agent       string             `json:"agent"`
	Session     string             `json:"session"`
	Transcript  string             `json:"transcript"`
	Handoff     string             `json:"handoff,omitempty"` // whose pinned items were compared
	Dropped     int                `json:"dropped"`           // in all compactions
	Compactions []audit.Compaction `json:"compactions"`
}

func runAudit(ctx context.Context, w *command.Process, o *auditOptions, ws *workspace.Workspace) error {
	if o.Session != "" && o.Transcript != "" {
		return errors.New("--session and --transcript exclude each other")
	}
	table, err := sessions.Table(ws.Root)
	if table == nil {
		return err
	}
	w.Complain(err)
	q := sessions.Query{Session: o.Session, Agent: o.Agent, Dirs: []string{w.Dir, ws.Root}, Getenv: w.Getenv}
	if o.Transcript != "" {
		q.Transcript = w.Path(o.Transcript)
	}
	s, err := sessions.Find(table, q)
	if err != nil {
		return err
	}
	v := auditJSON{Agent: s.Agent.Name, Session: s.File.Session.ID, Transcript: s.File.Path}
	known := audit.Options{Uncommitted: uncommittedIn(ctx, ws.Root)}
	if v.Handoff, err = continued(ctx, w, o, ws, s, &known); err != nil {
		return err
	}
	if v.Compactions, err = author.Audit(ws, s.File.Path, s.File.Format, known); err != nil {
		return fmt.Errorf("%s: %w", s.File.Path, err)
	}
	for i := range v.Compactions {
		v.Dropped += v.Compactions[i].Count(audit.Dropped)
	}
	return showAudit(w, o, v)
}

// uncommittedIn returns what tells whether a file differs from the last commit; nil outside of a repository.
func uncommittedIn(ctx context.Context, root string) func(dir, file string) bool {
	top := regular.GitTop(root)
	if top == "" {
		return nil
	}
	now, err := gitindex.Current(ctx, top)
	if err != nil {
		return nil
	}
	changed := prove.Uncommitted(now)
	return func(dir, file string) bool {
		rel, err := filepath.Rel(top, filepath.Join(dir, filepath.FromSlash(file)))
		name := filepath.ToSlash(rel)
		return err == nil && slices.ContainsFunc(changed, func(c string) bool {
			return c == name || strings.HasSuffix(c, "/") && strings.HasPrefix(name, c)
		})
	}
}

// continued adds the pinned items of the handoff that a session continued, and returns its path; "" for none.
func continued(ctx context.Context, w *command.Process, o *auditOptions, ws *workspace.Workspace, s sessions.Session, to *audit.Options) (path string, err error) {
	own := receipt.Session{Host: s.Agent.Name, ID: s.File.Session.ID}
	if path, err = continues(ctx, w, o, ws, own); path == "" {
		return "", err
	}
	e := documents.EntryAt(ws, path)
	items, err := pins.Of(ctx, ws, e)
	if err != nil {
		return "", err
	}
	for _, it := range items {
		to.Pinned = append(to.Pinned, it.Text)
	}
	doc, err := documents.ReadInside(ws, e)
	if err != nil {
		return "", err
	}
	to.Pinned = append(to.Pinned, doc.Said(handoff.Understand)...)
	book, err := notes.Open(ws)
	if err != nil {
		return "", err
	}
	past, err := book.Past(own.Host, own.ID)
	to.Restored = past.Resumed
	return path, err
}

// continues is the path of the handoff that a session continued: the one that is named, else the one that was delivered to it.
func continues(ctx context.Context, w *command.Process, o *auditOptions, ws *workspace.Workspace, own receipt.Session) (string, error) {
	if o.handoff != "" {
		e, err := documents.Find(ctx, ws, w.Dir, o.handoff)
		return e.Path, err
	}
	desk, err := delivery.Open(ws, delivery.Desk{Session: own})
	if err != nil {
		return "", err
	}
	return desk.Report(ctx)
}
